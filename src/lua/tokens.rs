//! Words and signs of a script.

/// A word, a number, a text or a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) line: usize,
    /// Where it begins and ends.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Stands for a text.
pub(super) const TEXT: &str = "\"\"";
/// Signs of several characters, longer ones first.
const SIGNS: [&str; 10] = ["...", "..", "==", "~=", "<=", ">=", "<<", ">>", "//", "::"];

impl Token<'_> {
    /// Whether it is a name or a keyword.
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    }
}

/// The words and signs of a script without comments, and with one sign for each text.
pub(super) fn tokens(text: &[u8]) -> Vec<Token<'_>> {
    let mut scanner = Scanner { text, at: 0, line: 1 };
    let mut tokens = Vec::new();
    while let Some(byte) = scanner.byte() {
        let (start, line) = (scanner.at, scanner.line);
        let is_text = match byte {
            b'-' if scanner.is("--") => {
                scanner.advance(2);
                if !scanner.long_bracket() {
                    scanner.until(b'\n');
                }
                continue;
            }
            b'"' | b'\'' => {
                scanner.quoted(byte);
                true
            }
            b'[' if scanner.long_bracket() => true,
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                scanner.pass(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                false
            }
            byte if byte.is_ascii_digit() || byte == b'.' && scanner.second().is_some_and(|byte| byte.is_ascii_digit()) => {
                scanner.number();
                false
            }
            byte if byte.is_ascii_whitespace() || !byte.is_ascii() => {
                scanner.advance(1);
                continue;
            }
            _ => {
                let len = SIGNS.iter().find(|sign| scanner.is(sign)).map_or(1, |sign| sign.len());
                scanner.advance(len);
                false
            }
        };
        let own = text.get(start..scanner.at).and_then(|own| std::str::from_utf8(own).ok()).unwrap_or_default();
        tokens.push(Token { text: if is_text { TEXT } else { own }, line, start, end: scanner.at });
    }
    tokens
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    line: usize,
}

impl Scanner<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn second(&self) -> Option<u8> {
        self.text.get(self.at + 1).copied()
    }

    fn is(&self, start: &str) -> bool {
        self.text.get(self.at..).is_some_and(|ahead| ahead.starts_with(start.as_bytes()))
    }

    fn advance(&mut self, count: usize) {
        let end = (self.at + count).min(self.text.len());
        let passed = self.text.get(self.at..end).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.at = end;
    }

    fn pass(&mut self, is_part: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&is_part) {
            self.advance(1);
        }
    }

    fn until(&mut self, end: u8) {
        let ahead = self.text.get(self.at..).unwrap_or_default();
        self.advance(memchr::memchr(end, ahead).unwrap_or(ahead.len()));
    }

    /// Passes a number, as far as Lua takes characters for one.
    fn number(&mut self) {
        let is_hex = self.is("0x") || self.is("0X");
        let exponent = if is_hex { b'p' } else { b'e' };
        while let Some(byte) = self.byte().filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')) {
            self.advance(1);
            if byte.to_ascii_lowercase() == exponent && matches!(self.byte(), Some(b'+' | b'-')) {
                self.advance(1);
            }
        }
    }

    /// Passes a text in quotes.
    fn quoted(&mut self, quote: u8) {
        self.advance(1);
        while let Some(byte) = self.byte().filter(|byte| *byte != quote && *byte != b'\n') {
            self.advance(1);
            if byte != b'\\' {
                continue;
            }
            match self.byte() {
                Some(b'z') => {
                    self.advance(1);
                    self.pass(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
                }
                Some(b'\r') if self.second() == Some(b'\n') => self.advance(2),
                _ => self.advance(1),
            }
        }
        self.advance(1);
    }

    /// Passes `[[ … ]]` or `[=[ … ]=]`. Returns false if there is none.
    fn long_bracket(&mut self) -> bool {
        let ahead = self.text.get(self.at..).unwrap_or_default();
        let Some(behind) = ahead.strip_prefix(b"[") else { return false };
        let level = behind.iter().take_while(|byte| **byte == b'=').count();
        if behind.get(level) != Some(&b'[') {
            return false;
        }
        let end = format!("]{}]", "=".repeat(level));
        let found = memchr::memmem::find(ahead, end.as_bytes());
        self.advance(found.map_or(ahead.len(), |found| found + end.len()));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source.as_bytes()).iter().map(|token| token.text).collect()
    }

    #[test]
    fn numbers_texts_and_signs_are_one_token_each() {
        assert_eq!(texts("0x10p-2+1e+5-3 ..a"), ["0x10p-2", "+", "1e+5", "-", "3", "..", "a"]);
        assert_eq!(texts("0xe-1 .5 a.b"), ["0xe", "-", "1", ".5", "a", ".", "b"]);
        assert_eq!(texts("a~=b<=c//d::e::"), ["a", "~=", "b", "<=", "c", "//", "d", "::", "e", "::"]);
        assert_eq!(texts("'a\\z \n b' x \"\\\"\" --[[ c ]] [==[ ]] ]==]"), [TEXT, "x", TEXT, TEXT]);
    }

    #[test]
    fn lines_are_counted_in_texts_and_comments() {
        let all = tokens(b"a\n[[\n]] b --[[\n\n]] c");
        assert_eq!(all.iter().map(|token| token.line).collect::<Vec<_>>(), [1, 2, 3, 5]);
    }
}
