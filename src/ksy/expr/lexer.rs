//! Splits the text of an expression into tokens.

use super::Show;
use std::ops::Range;

/// A token with its range in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Int(i128),
    Float(f64),
    Str(String),
    /// An f-string: texts, and tokens of expressions.
    Format(Vec<LexedPart>),
    Name(String),
    Symbol(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum LexedPart {
    Text(String),
    Tokens(Vec<Token>, Range<usize>, Show),
}

/// A syntax error in an expression.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ksy) struct Wrong {
    pub(in crate::ksy) at: Range<usize>,
    pub(in crate::ksy) message: String,
    pub(in crate::ksy) help: Option<String>,
}

impl Wrong {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>) -> Wrong {
        Wrong { at, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Wrong {
        self.help = Some(help.into());
        self
    }
}

/// Longer ones first.
const SYMBOLS: &[&str] = &[
    "::", "<<", ">>", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "~", "?", ":", ".", ",", "(",
    ")", "[", "]",
];

/// Operators of other languages with their equivalents here.
const FOREIGN: &[(&str, &str)] = &[("&&", "and"), ("||", "or"), ("**", "*")];

/// Maximum nesting of f-strings.
const FORMATS: usize = 8;

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Wrong> {
    let mut lexer = Lexer { text, at: 0, formats: 0 };
    let tokens = lexer.tokens()?;
    if lexer.at < text.len() {
        return Err(Wrong::new(lexer.at..lexer.at + 1, "an unexpected `}`"));
    }
    Ok(tokens)
}

/// The parts of an f-string without its quotes.
pub(super) fn format_parts(text: &str) -> Result<Vec<LexedPart>, Wrong> {
    Lexer { text, at: 0, formats: 1 }.parts(None)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    formats: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The longest run of matching characters from here.
    fn run(&mut self, is: impl Fn(char) -> bool) -> String {
        let run: String = self.rest().chars().take_while(|c| is(*c)).collect();
        self.at += run.len();
        run
    }

    /// Tokens up to the end, or up to a `}`.
    fn tokens(&mut self) -> Result<Vec<Token>, Wrong> {
        self.tokens_of(false)
    }

    /// The tokens of a value in an f-string also end at a colon that belongs to no condition: its format follows.
    fn tokens_of(&mut self, is_formatted: bool) -> Result<Vec<Token>, Wrong> {
        let mut tokens = Vec::new();
        let mut conditions = 0_usize;
        loop {
            self.run(char::is_whitespace);
            let start = self.at;
            let Some(c) = self.peek().filter(|c| *c != '}') else { return Ok(tokens) };
            if is_formatted && conditions == 0 && c == ':' && !self.rest().starts_with("::") {
                return Ok(tokens);
            }
            let kind = self.token(c)?;
            match kind {
                TokenKind::Symbol("?") => conditions += 1,
                TokenKind::Symbol(":") => conditions = conditions.saturating_sub(1),
                _ => {}
            }
            tokens.push(Token { kind, at: start..self.at });
        }
    }

    /// The format after a value: `:x`.
    fn show(&mut self) -> Result<Show, Wrong> {
        let start = self.at;
        if self.peek() != Some(':') {
            return Ok(Show::Plain);
        }
        self.at += 1;
        let name = self.run(|c| c != '}' && c != '"');
        Show::named(name.trim()).ok_or_else(|| {
            let wrong = Wrong::new(start..self.at, format!("`:{name}` is no format of a value"));
            wrong.help("write `:x`, `:X` or `:04x` for hexadecimal digits, `:#x` for them with 0x, or `:d`")
        })
    }

    fn token(&mut self, c: char) -> Result<TokenKind, Wrong> {
        let start = self.at;
        let next = self.rest().chars().nth(1);
        match c {
            '0'..='9' => self.number(),
            '.' if next.is_some_and(|next| next.is_ascii_digit()) => self.number(),
            '"' => self.escaped(start).map(TokenKind::Str),
            'f' if next == Some('"') => self.format(start),
            '\'' => {
                self.at += 1;
                let text = self.run(|c| c != '\'');
                if self.peek().is_none() {
                    return Err(unclosed(start, self.text.len()));
                }
                self.at += 1;
                Ok(TokenKind::Str(text))
            }
            'a'..='z' | 'A'..='Z' | '_' => Ok(TokenKind::Name(self.run(|c| c.is_ascii_alphanumeric() || c == '_'))),
            _ => self.symbol(c),
        }
    }

    fn symbol(&mut self, c: char) -> Result<TokenKind, Wrong> {
        let start = self.at;
        if let Some((foreign, here)) = FOREIGN.iter().find(|(foreign, _)| self.rest().starts_with(foreign)) {
            let wrong = Wrong::new(start..start + foreign.len(), format!("`{foreign}` is no operator"));
            return Err(wrong.help(format!("did you mean `{here}`?")));
        }
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            return Ok(TokenKind::Symbol(symbol));
        }
        let wrong = Wrong::new(start..start + c.len_utf8(), format!("an unexpected `{c}`"));
        Err(match c {
            '!' => wrong.help("did you mean `not`?"),
            '=' => wrong.help("did you mean `==`?"),
            _ => wrong,
        })
    }

    fn number(&mut self) -> Result<TokenKind, Wrong> {
        let start = self.at;
        let radix = match self.rest().get(..2) {
            Some("0x" | "0X") => 16,
            Some("0b" | "0B") => 2,
            Some("0o" | "0O") => 8,
            _ => 10,
        };
        if radix != 10 {
            self.at += 2;
            let digits = self.run(|c| c.is_ascii_alphanumeric() || c == '_').replace('_', "");
            return self.integer(start, &digits, radix);
        }
        let mut digits = self.run(|c| c.is_ascii_digit() || c == '_');
        let mut is_float = false;
        if self.peek() == Some('.') && self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit()) {
            is_float = true;
            self.at += 1;
            digits = format!("{digits}.{}", self.run(|c| c.is_ascii_digit() || c == '_'));
        }
        if !is_float
            && self.peek() == Some('.')
            && !self.rest().chars().nth(1).is_some_and(|c| c.is_alphabetic() || c == '_' || c == '.')
        {
            is_float = true;
            self.at += 1;
        }
        if self.exponent_follows() {
            is_float = true;
            self.at += 1;
            let sign = self.run(|c| c == '+' || c == '-');
            digits = format!("{digits}e{sign}{}", self.run(|c| c.is_ascii_digit()));
        }
        let digits = digits.replace('_', "");
        if !is_float {
            if digits.len() > 1 && digits.starts_with('0') {
                let decimal = digits.trim_start_matches('0');
                return Err(Wrong::new(start..self.at, "a number with a leading zero")
                    .help(format!("write `0o{decimal}` for octal, or `{}`", if decimal.is_empty() { "0" } else { decimal })));
            }
            return self.integer(start, &digits, 10);
        }
        digits.parse().map(TokenKind::Float).map_err(|_| Wrong::new(start..self.at, "a malformed number"))
    }

    fn exponent_follows(&self) -> bool {
        let mut rest = self.rest().chars();
        let is_e = matches!(rest.next(), Some('e' | 'E'));
        is_e && match rest.next() {
            Some('+' | '-') => rest.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => c.is_ascii_digit(),
            None => false,
        }
    }

    fn integer(&self, start: usize, digits: &str, radix: u32) -> Result<TokenKind, Wrong> {
        let place = start..self.at;
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(Wrong::new(place, "a malformed number"));
        }
        i128::from_str_radix(digits, radix).map(TokenKind::Int).map_err(|_| Wrong::new(place, "a number beyond 127 bits"))
    }

    /// A text in double quotes, with escapes.
    fn escaped(&mut self, start: usize) -> Result<String, Wrong> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(unclosed(start, self.text.len())),
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => text.push(self.escape()?),
                Some(c) => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Wrong> {
        let start = self.at;
        self.at += 1;
        let c = self.peek().unwrap_or('\0');
        self.at += c.len_utf8();
        Ok(match c {
            'a' => '\x07',
            'b' => '\x08',
            't' => '\t',
            'n' => '\n',
            'v' => '\x0b',
            'f' => '\x0c',
            'r' => '\r',
            'e' => '\x1b',
            '"' | '\'' | '\\' => c,
            '0'..='7' => {
                self.at = start + 1;
                let digits: String = self.rest().chars().take(3).take_while(|c| c.is_digit(8)).collect();
                self.at += digits.len();
                u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32).unwrap_or('\0')
            }
            'u' => {
                let digits = self.rest().get(..4).unwrap_or_default().to_owned();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                let end = (start + 6).min(self.text.len());
                self.at += digits.len();
                code.ok_or_else(|| {
                    Wrong::new(start..end, "an escape that is no character").help("write four hexadecimal digits")
                })?
            }
            _ => {
                let end = self.at.min(self.text.len());
                return Err(
                    Wrong::new(start..end, "an unknown escape").help("a backslash is written `\\\\`; single quotes need none")
                );
            }
        })
    }

    fn format(&mut self, start: usize) -> Result<TokenKind, Wrong> {
        self.formats += 1;
        if self.formats > FORMATS {
            return Err(Wrong::new(start..start + 2, format!("f-strings inside each other more than {FORMATS} levels deep")));
        }
        self.at += 2;
        let parts = self.parts(Some(start))?;
        self.at += 1;
        self.formats -= 1;
        Ok(TokenKind::Format(parts))
    }

    /// Text and values up to a quote, if one was opened, else to the end.
    fn parts(&mut self, opened: Option<usize>) -> Result<Vec<LexedPart>, Wrong> {
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            match (self.peek(), opened) {
                (None, Some(start)) => return Err(unclosed(start, self.text.len())),
                (None, None) | (Some('"'), Some(_)) => break,
                (Some('\\'), _) => text.push(self.escape()?),
                (Some('{'), _) => {
                    let brace = self.at;
                    self.at += 1;
                    let tokens = self.tokens_of(true)?;
                    let show = self.show()?;
                    if self.peek() != Some('}') {
                        return Err(Wrong::new(brace..brace + 1, "a `{` that is never closed").help("add the closing `}`"));
                    }
                    self.at += 1;
                    if !text.is_empty() {
                        parts.push(LexedPart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(LexedPart::Tokens(tokens, brace..self.at, show));
                }
                (Some(c), _) => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        if !text.is_empty() {
            parts.push(LexedPart::Text(text));
        }
        Ok(parts)
    }
}

fn unclosed(start: usize, end: usize) -> Wrong {
    Wrong::new(start..end, "quotes that are never closed").help("add the closing quote")
}
