//! JSON writer to memory. Control characters are escaped, so that the output is safe on a terminal.
//!
//! `serde_json` checks each character separately, which dominated the time per record. Here, text is scanned as a whole, because
//! it rarely requires escapes. Hexadecimal digits are never scanned.

use crate::render::text::Words;
use crate::tree::{digits, first_special, in_hex, is_harmful, is_plain};
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io;

/// Bytes after which the buffer is passed on even within a record, because records may be as long as the longest message.
pub(super) const LONG: usize = 64 << 10;

type Done = io::Result<()>;

/// A value that can be written as JSON.
pub trait Put {
    /// Appends the value.
    fn put(&self, out: &mut Out<'_>) -> Done;
}

/// Output of values: a buffer, and a writer that receives long ones.
pub struct Out<'a> {
    line: &'a mut Vec<u8>,
    to: &'a mut dyn io::Write,
}

impl<'a> Out<'a> {
    /// Appends to `line`. Parts of a long value are passed on to `to`.
    pub fn new(line: &'a mut Vec<u8>, to: &'a mut dyn io::Write) -> Out<'a> {
        Out { line, to }
    }

    /// Appends preformatted JSON.
    #[inline]
    pub(super) fn raw(&mut self, json: &str) {
        self.line.extend_from_slice(json.as_bytes());
    }

    /// Appends preformatted JSON of fixed length.
    #[inline]
    pub(super) fn raw_chunk<const N: usize>(&mut self, json: &[u8; N]) {
        self.line.extend_from_slice(json);
    }

    /// Appends an object.
    pub(super) fn object(&mut self, members: impl FnOnce(&mut Members<'_, '_>) -> Done) -> Done {
        self.raw("{");
        members(&mut Members { out: self, empty: true })?;
        self.raw("}");
        self.take_output()
    }

    /// Appends an array, with `item` for each element.
    pub(super) fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Out<'_>, T) -> Done) -> Done {
        self.raw("[");
        for (number, one) in items.into_iter().enumerate() {
            if number > 0 {
                self.raw(",");
            }
            item(self, one)?;
        }
        self.raw("]");
        self.take_output()
    }

    /// Appends `key` and a formatted string, unless it is empty.
    pub(super) fn words(&mut self, key: &str, words: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Done {
        let before = self.line.len();
        self.raw(key);
        let start = self.line.len();
        self.quoted(words)?;
        if self.line.len() == start + r#""""#.len() {
            self.line.truncate(before);
        }
        Ok(())
    }

    /// Appends a formatted string.
    fn quoted(&mut self, words: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Done {
        self.raw("\"");
        let start = self.line.len();
        words(&mut Words(self.line)).map_err(io::Error::other)?;
        // The text arrives in small pieces, so it is escaped once it is complete.
        let there = self.line.get(start..).unwrap_or_default();
        if !is_plain(there) {
            let there = String::from_utf8_lossy(there).into_owned();
            self.line.truncate(start);
            harmless(self.line, &there);
        }
        self.raw("\"");
        Ok(())
    }

    /// Appends bytes as hexadecimal digits.
    pub(super) fn hex(&mut self, bytes: &[u8]) -> Done {
        self.raw("\"");
        in_hex(bytes, |digits| {
            self.line.extend_from_slice(digits);
            self.take_output()
        })?;
        self.raw("\"");
        Ok(())
    }

    /// Passes on the buffer if it has become long.
    #[inline]
    pub(super) fn take_output(&mut self) -> Done {
        if self.line.len() >= LONG {
            self.to.write_all(self.line)?;
            self.line.clear();
        }
        Ok(())
    }
}

/// Members of an object. Keys require no escaping.
pub struct Members<'w, 'a> {
    out: &'w mut Out<'a>,
    empty: bool,
}

impl<'a> Members<'_, 'a> {
    /// Appends a key and returns the output for its value.
    #[inline]
    fn key(&mut self, key: &str) -> &mut Out<'a> {
        self.out.raw(if std::mem::take(&mut self.empty) { "\"" } else { ",\"" });
        self.out.raw(key);
        self.out.raw("\":");
        self.out
    }

    /// Appends a member.
    pub fn put(&mut self, key: &str, what: &(impl Put + ?Sized)) -> Done {
        what.put(self.key(key))
    }

    /// Appends a member with a key of two parts.
    pub(super) fn put_joined(&mut self, key: &str, suffix: &str, what: &(impl Put + ?Sized)) -> Done {
        self.out.raw(if std::mem::take(&mut self.empty) { "\"" } else { ",\"" });
        self.out.raw(key);
        self.out.raw(suffix);
        self.out.raw("\":");
        what.put(self.out)
    }

    /// Appends a formatted string, unless it is empty.
    pub fn words(&mut self, key: &str, words: impl Display) -> Done {
        Shown(words).put(self.key(key))
    }

    /// Appends a member that is an object.
    pub fn object(&mut self, key: &str, members: impl FnOnce(&mut Members<'_, '_>) -> Done) -> Done {
        self.key(key).object(members)
    }

    /// Appends a member that is a list of objects.
    pub fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut members: impl FnMut(&mut Members<'_, '_>, T) -> Done,
    ) -> Done {
        self.key(key).list(items, |out, item| out.object(|object| members(object, item)))
    }
}

pub fn object(to: &mut dyn io::Write, members: impl FnOnce(&mut Members<'_, '_>) -> Done) -> Done {
    let mut line = Vec::new();
    Out::new(&mut line, to).object(members)?;
    to.write_all(&line)
}

/// The `Display` text of a value, as a JSON string.
pub struct Shown<T>(pub T);

impl<T: Display> Put for Shown<T> {
    fn put(&self, out: &mut Out<'_>) -> Done {
        out.quoted(|words| write!(words, "{}", self.0))
    }
}

/// Implementations for integers.
macro_rules! numbers {
    ($($type:ty)+) => {$(
        impl Put for $type {
            #[inline]
            fn put(&self, out: &mut Out<'_>) -> Done {
                match u64::try_from(*self) {
                    Ok(number) => digits::number(out.line, number),
                    Err(_) => out.raw(itoa::Buffer::new().format(*self)),
                }
                Ok(())
            }
        }
    )+};
}

numbers!(u8 u16 u32 u64 usize i8 i16 i32 i64);

impl Put for f32 {
    fn put(&self, out: &mut Out<'_>) -> Done {
        serde_json::to_writer(&mut *out.line, self).map_err(io::Error::from)
    }
}

impl Put for f64 {
    fn put(&self, out: &mut Out<'_>) -> Done {
        serde_json::to_writer(&mut *out.line, self).map_err(io::Error::from)
    }
}

impl Put for bool {
    fn put(&self, out: &mut Out<'_>) -> Done {
        out.raw(if *self { "true" } else { "false" });
        Ok(())
    }
}

/// JSON `null`.
impl Put for () {
    fn put(&self, out: &mut Out<'_>) -> Done {
        out.raw("null");
        Ok(())
    }
}

impl Put for str {
    fn put(&self, out: &mut Out<'_>) -> Done {
        out.raw("\"");
        let mut rest = self;
        // A character takes at most four bytes.
        while rest.len() > LONG
            && let Some((piece, behind)) = (LONG - 3..=LONG).rev().find_map(|end| rest.split_at_checked(end))
        {
            harmless(out.line, piece);
            out.take_output()?;
            rest = behind;
        }
        harmless(out.line, rest);
        out.raw("\"");
        Ok(())
    }
}

impl Put for String {
    fn put(&self, out: &mut Out<'_>) -> Done {
        self.as_str().put(out)
    }
}

impl Put for Cow<'_, str> {
    fn put(&self, out: &mut Out<'_>) -> Done {
        str::put(self, out)
    }
}

impl<T: Put + ?Sized> Put for &T {
    fn put(&self, out: &mut Out<'_>) -> Done {
        (**self).put(out)
    }
}

impl<T: Put> Put for [T] {
    fn put(&self, out: &mut Out<'_>) -> Done {
        out.list(self, |out, item| item.put(out))
    }
}

impl<T: Put> Put for Vec<T> {
    fn put(&self, out: &mut Out<'_>) -> Done {
        self.as_slice().put(out)
    }
}

/// A JSON string.
pub fn quoted(text: &str, out: &mut String) {
    out.push('"');
    if is_plain(text.as_bytes()) {
        out.push_str(text);
    } else {
        let mut bytes = Vec::with_capacity(text.len() + 8);
        harmless(&mut bytes, text);
        out.push_str(&String::from_utf8_lossy(&bytes));
    }
    out.push('"');
}

/// A pair is an array of two.
impl<A: Put, B: Put> Put for (A, B) {
    fn put(&self, out: &mut Out<'_>) -> Done {
        out.raw("[");
        self.0.put(out)?;
        out.raw(",");
        self.1.put(out)?;
        out.raw("]");
        Ok(())
    }
}

/// Appends a string with quotes.
fn harmless(out: &mut Vec<u8>, text: &str) {
    if is_plain(text.as_bytes()) {
        return out.extend_from_slice(text.as_bytes());
    }
    let mut rest = text;
    while let Some((plain, behind)) = first_special(rest.as_bytes()).and_then(|at| rest.split_at_checked(at)) {
        out.extend_from_slice(plain.as_bytes());
        let mut characters = behind.chars();
        if let Some(character) = characters.next() {
            escaped(out, character);
        }
        rest = characters.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
}

fn escaped(out: &mut Vec<u8>, character: char) {
    let short = match character {
        '"' => b'"',
        '\\' => b'\\',
        '\n' => b'n',
        '\r' => b'r',
        '\t' => b't',
        '\u{8}' => b'b',
        '\u{c}' => b'f',
        _ if is_harmful(character) => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to memory does not fail.
                let _ = io::Write::write_fmt(out, format_args!("\\u{unit:04x}"));
            }
            return;
        }
        _ => return out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: &(impl Put + ?Sized)) -> String {
        let mut out = Vec::new();
        let mut handed_on = Vec::new();
        value.put(&mut Out::new(&mut out, &mut handed_on)).unwrap();
        handed_on.append(&mut out);
        String::from_utf8(handed_on).unwrap()
    }

    #[test]
    fn long_records_are_flushed_early() {
        let (mut line, mut to) = (Vec::new(), Vec::new());
        let long = vec![vec![u64::MAX; 5000]; 5];
        long.put(&mut Out::new(&mut line, &mut to)).unwrap();
        assert!(to.len() > LONG && line.len() < LONG);
        to.append(&mut line);
        assert_eq!(to, serde_json::to_vec(&long).unwrap());
    }

    #[test]
    fn long_text_is_flushed_at_character_boundaries() {
        for before in 0..5 {
            let text = "x".repeat(before) + &"é\n\u{1f600}\0".repeat(LONG / 2);
            let (mut line, mut to) = (Vec::new(), Vec::new());
            text.put(&mut Out::new(&mut line, &mut to)).unwrap();
            assert!(line.capacity() < 4 * LONG, "{} bytes at once", line.capacity());
            to.append(&mut line);
            assert_eq!(to, serde_json::to_vec(&text).unwrap());
        }
    }

    #[test]
    fn terminal_control_characters_are_escaped() {
        assert_eq!(
            written("a\x1b[31m\u{202e}\u{9b}\x7fé\"\\\n\t\u{8}\u{c}\r"),
            r#""a\u001b[31m\u202e\u009b\u007fé\"\\\n\t\b\f\r""#
        );
        assert_eq!(written("\u{feff}\u{1f600}"), "\"\\ufeff\u{1f600}\"");
    }

    #[test]
    fn field_names_need_no_escapes() {
        for field in crate::registry::Registry::default().fields() {
            assert!(is_plain(field.abbrev.as_bytes()) && is_plain(field.name.as_bytes()), "{field:?}");
        }
    }

    #[test]
    fn members_keep_their_order_and_stay_harmless() {
        let mut out = Vec::new();
        object(&mut out, |object| {
            object.put("b", &1)?;
            object.words("a", "\u{202e}")?;
            object.list("l", [1, 2], |object, number| object.put("n", &number))?;
            object.object("o", |_| Ok(()))
        })
        .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"b":1,"a":"\u202e","l":[{"n":1},{"n":2}],"o":{}}"#);
    }

    #[test]
    fn empty_texts_are_omitted() {
        let (mut line, mut nowhere) = (Vec::new(), io::sink());
        let mut out = Out::new(&mut line, &mut nowhere);
        out.words(",\"a\":", |_| Ok(())).unwrap();
        out.words(",\"b\":", |words| words.write_str("\"")).unwrap();
        assert_eq!(line, br#","b":"\"""#);
    }

    proptest! {
        #[test]
        fn text_reads_back_as_it_was(text in "\\PC*|.*|[\\x00-\\x{ff}]*") {
            prop_assert_eq!(serde_json::from_str::<String>(&written(&text)).unwrap(), text);
        }

        #[test]
        fn numbers_and_lists_are_those_of_serde_json(
            whole in prop::collection::vec(any::<i64>(), 0..9),
            real in prop::collection::vec(any::<f64>(), 0..9),
            small in any::<f32>(),
            truth in any::<bool>(),
        ) {
            prop_assert_eq!(written(&whole), serde_json::to_string(&whole).unwrap());
            prop_assert_eq!(written(&real), serde_json::to_string(&real).unwrap());
            prop_assert_eq!(written(&small), serde_json::to_string(&small).unwrap());
            prop_assert_eq!(written(&truth), serde_json::to_string(&truth).unwrap());
        }
    }
}
