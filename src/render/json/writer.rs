//! JSON straight into memory, made so that a terminal can show it: what might make it do something else is escaped.
//!
//! `serde_json` looks at each character of each text by itself, which was most of the time that a record took. Here a text that
//! has nothing to escape, as nearly all have, is looked at once as a whole; bytes are hexadecimal digits, which have nothing
//! either.

use crate::tree::{in_hex, is_harmful};
use serde::ser::{self, Impossible, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt::{self, Display, Write as _};
use std::io;

/// Bytes that are handed on at once, whether or not a record has ended: one may be as long as the longest message.
pub(super) const LONG: usize = 64 << 10;

/// Put a value behind what is in memory. Of a long one what there is goes on to `to`, the rest stays.
///
/// # Errors
/// Those of `to`, and when a value cannot be told or is of a shape that nothing here has.
pub fn write(line: &mut Vec<u8>, to: &mut dyn io::Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    value.serialize(Writer(&mut Out { line, to }, false)).map_err(|error| match error {
        Unwritable::To(error) => error,
        Unwritable::Value(about) => io::Error::other(about),
    })
}

/// Where values go.
struct Out<'a> {
    line: &'a mut Vec<u8>,
    to: &'a mut dyn io::Write,
}

impl Out<'_> {
    /// Of what has become long, let go of what there is.
    fn hand_on(&mut self) -> Done {
        if self.line.len() >= LONG {
            self.to.write_all(self.line).map_err(Unwritable::To)?;
            self.line.clear();
        }
        Ok(())
    }
}

/// Writes one value; with true, text in it is words of ours, which have nothing to escape.
struct Writer<'w, 'a>(&'w mut Out<'a>, bool);

/// What a field is called: words of ours, with nothing to escape.
pub struct Known(pub &'static str);

/// How [`Known`] words are told from others.
const KNOWN: &str = "Known";

impl Serialize for Known {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(KNOWN, self.0)
    }
}

/// A value that cannot be written.
#[derive(Debug)]
enum Unwritable {
    To(io::Error),
    Value(String),
}

impl Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritable::To(error) => error.fmt(f),
            Unwritable::Value(about) => about.fmt(f),
        }
    }
}

impl std::error::Error for Unwritable {}

impl ser::Error for Unwritable {
    fn custom<T: Display>(about: T) -> Unwritable {
        Unwritable::Value(about.to_string())
    }
}

type Done = Result<(), Unwritable>;

/// A shape that no output has.
fn shapeless<T>() -> Result<T, Unwritable> {
    Err(Unwritable::Value("a shape that the output has no place for".into()))
}

/// Numbers by how many digits they may have.
macro_rules! numbers {
    ($($name:ident: $type:ty;)+) => {$(
        fn $name(self, number: $type) -> Done {
            self.0.line.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            Ok(())
        }
    )+};
}

impl<'w, 'a> Serializer for Writer<'w, 'a> {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Several<'w, 'a>;
    type SerializeMap = Several<'w, 'a>;
    type SerializeTuple = Impossible<(), Unwritable>;
    type SerializeTupleStruct = Impossible<(), Unwritable>;
    type SerializeTupleVariant = Impossible<(), Unwritable>;
    type SerializeStruct = Impossible<(), Unwritable>;
    type SerializeStructVariant = Impossible<(), Unwritable>;

    numbers! {
        serialize_u8: u8;
        serialize_u16: u16;
        serialize_u32: u32;
        serialize_u64: u64;
        serialize_i8: i8;
        serialize_i16: i16;
        serialize_i32: i32;
        serialize_i64: i64;
    }

    fn serialize_bool(self, truth: bool) -> Done {
        self.0.line.extend_from_slice(if truth { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Done {
        serde_json::to_writer(&mut *self.0.line, &number).map_err(ser::Error::custom)
    }

    fn serialize_f64(self, number: f64) -> Done {
        serde_json::to_writer(&mut *self.0.line, &number).map_err(ser::Error::custom)
    }

    fn serialize_char(self, character: char) -> Done {
        self.serialize_str(character.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Done {
        self.0.line.push(b'"');
        match self.1 {
            true => self.0.line.extend_from_slice(text.as_bytes()),
            false => harmless(self.0.line, text),
        }
        self.0.line.push(b'"');
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, words: &T) -> Done {
        self.0.line.push(b'"');
        write!(Words(self.0.line), "{words}").map_err(ser::Error::custom)?;
        self.0.line.push(b'"');
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Done {
        self.0.line.push(b'"');
        in_hex(bytes, |digits| {
            self.0.line.extend_from_slice(digits);
            self.0.hand_on()
        })?;
        self.0.line.push(b'"');
        Ok(())
    }

    fn serialize_unit(self) -> Done {
        self.0.line.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_none(self) -> Done {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Done {
        value.serialize(Writer(self.0, name == KNOWN))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Several<'w, 'a>, Unwritable> {
        self.0.line.push(b'[');
        Ok(Several { out: self.0, empty: true, end: b']' })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Several<'w, 'a>, Unwritable> {
        self.0.line.push(b'{');
        Ok(Several { out: self.0, empty: true, end: b'}' })
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        shapeless()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Done {
        shapeless()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Done {
        shapeless()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Unwritable> {
        shapeless()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Unwritable> {
        shapeless()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unwritable> {
        shapeless()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Unwritable> {
        shapeless()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Unwritable> {
        shapeless()
    }
}

/// The members of an object or the items of an array, so far.
struct Several<'w, 'a> {
    out: &'w mut Out<'a>,
    empty: bool,
    end: u8,
}

impl Several<'_, '_> {
    fn between(&mut self) {
        if !std::mem::take(&mut self.empty) {
            self.out.line.push(b',');
        }
    }

    fn close(self) -> Done {
        self.out.line.push(self.end);
        self.out.hand_on()
    }
}

impl SerializeSeq for Several<'_, '_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.between();
        value.serialize(Writer(self.out, false))
    }

    fn end(self) -> Done {
        self.close()
    }
}

impl SerializeMap for Several<'_, '_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        self.between();
        key.serialize(Writer(self.out, true))?;
        self.out.line.push(b':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(Writer(self.out, false))
    }

    fn end(self) -> Done {
        self.close()
    }
}

/// Words that are put together while they are written.
struct Words<'a>(&'a mut Vec<u8>);

impl fmt::Write for Words<'_> {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        harmless(self.0, words);
        Ok(())
    }
}

/// Whether there is nothing to look at. Eight bytes at a time: most texts are short.
fn is_plain(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks();
    words.iter().all(|word| is_plain_word(u64::from_le_bytes(*word))) && !rest.iter().any(|byte| is_special(*byte))
}

/// The same for eight bytes: what must not be there sets the highest bit of its byte, and may carry one into the next.
const fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    const QUOTES: u64 = 0x22 * ONES;
    const BACKSLASHES: u64 = 0x5c * ONES;
    let control = word.wrapping_sub(0x20 * ONES) & !word;
    let beyond = word | word.wrapping_add(ONES);
    let quote = (word ^ QUOTES).wrapping_sub(ONES) & !(word ^ QUOTES);
    let backslash = (word ^ BACKSLASHES).wrapping_sub(ONES) & !(word ^ BACKSLASHES);
    (control | beyond | quote | backslash) & HIGH == 0
}

/// Whether a byte has to be looked at: quotes, control characters, and all beyond ASCII.
fn is_special(byte: u8) -> bool {
    !(0x20..0x7f).contains(&byte) | (byte == b'"') | (byte == b'\\')
}

/// Text between quotes.
fn harmless(out: &mut Vec<u8>, text: &str) {
    if is_plain(text.as_bytes()) {
        return out.extend_from_slice(text.as_bytes());
    }
    let mut rest = text;
    while let Some((plain, behind)) = rest.bytes().position(is_special).and_then(|at| rest.split_at_checked(at)) {
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

    fn written(value: &(impl Serialize + ?Sized)) -> String {
        let mut out = Vec::new();
        let mut handed_on = Vec::new();
        write(&mut out, &mut handed_on, value).unwrap();
        handed_on.append(&mut out);
        String::from_utf8(handed_on).unwrap()
    }

    #[test]
    fn of_long_records_what_there_is_goes_on() {
        let (mut line, mut to) = (Vec::new(), Vec::new());
        let long = vec![vec![u64::MAX; 5000]; 5];
        write(&mut line, &mut to, &long).unwrap();
        assert!(to.len() > LONG && line.len() < LONG);
        to.append(&mut line);
        assert_eq!(to, serde_json::to_vec(&long).unwrap());
    }

    #[test]
    fn what_a_terminal_might_act_on_is_escaped() {
        assert_eq!(
            written("a\x1b[31m\u{202e}\u{9b}\x7fé\"\\\n\t\u{8}\u{c}\r"),
            r#""a\u001b[31m\u202e\u009b\u007fé\"\\\n\t\b\f\r""#
        );
        assert_eq!(written("\u{feff}\u{1f600}"), "\"\\ufeff\u{1f600}\"");
    }

    #[test]
    fn each_byte_is_judged_at_each_place() {
        for length in 1..20 {
            for (place, byte) in (0..length).flat_map(|place| (0..=u8::MAX).map(move |byte| (place, byte))) {
                let mut bytes = vec![b'~'; length];
                bytes[place] = byte;
                let plain = (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
                assert_eq!(is_plain(&bytes), plain, "{byte:#x} at {place} of {length}");
            }
        }
    }

    #[test]
    fn what_fields_are_called_has_nothing_to_escape() {
        for field in crate::registry::Registry::default().fields() {
            assert!(is_plain(field.abbrev.as_bytes()) && is_plain(field.name.as_bytes()), "{field:?}");
        }
        assert_eq!(written(&Known("toy.size")), r#""toy.size""#);
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
            truth in any::<Option<bool>>(),
        ) {
            prop_assert_eq!(written(&whole), serde_json::to_string(&whole).unwrap());
            prop_assert_eq!(written(&real), serde_json::to_string(&real).unwrap());
            prop_assert_eq!(written(&small), serde_json::to_string(&small).unwrap());
            prop_assert_eq!(written(&truth), serde_json::to_string(&truth).unwrap());
        }
    }
}
