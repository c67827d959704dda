//! Text encodings: Windows-1252, base-37 names, nibble-packed and Huffman-coded chat.

use std::fmt::{self, Write};
use std::sync::LazyLock;

/// Windows-1252 characters 0x80 to 0x9f, five of them undefined.
const HIGH: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}', '\u{fffd}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

/// Characters of nibble-packed chat text.
const PACKED: [char; 61] = [
    ' ', 'e', 't', 'a', 'o', 'i', 'h', 'n', 's', 'r', 'd', 'l', 'u', 'm', 'w', 'c', 'y', 'f', 'g', 'p', 'b', 'v', 'k', 'x', 'j',
    'q', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ' ', '!', '?', '.', ',', ':', ';', '(', ')', '-', '&', '*', '\\',
    '\'', '@', '#', '+', '=', '£', '$', '%', '"', '[', ']',
];

/// First base-37 value beyond twelve characters.
const NAMES: u64 = 37_u64.pow(12);

/// Windows-1252 text.
#[derive(Clone, Copy)]
pub struct Cp1252<'a>(pub &'a [u8]);

impl fmt::Display for Cp1252<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_ascii() {
            return f.write_str(std::str::from_utf8(self.0).unwrap_or_default());
        }
        self.0.iter().try_for_each(|byte| f.write_char(character(*byte)))
    }
}

fn character(byte: u8) -> char {
    match byte {
        0x80..=0x9f => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{fffd}'),
        _ => char::from(byte),
    }
}

/// Base-37 name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name(pub u64);

impl Name {
    /// Whether clients accept it.
    pub const fn is_valid(self) -> bool {
        self.0 > 0 && self.0 < NAMES && !self.0.is_multiple_of(37)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_valid() {
            return f.write_str("invalid_name");
        }
        let mut letters = [0_u8; 12];
        let (mut rest, mut at) = (self.0, letters.len());
        while rest > 0 && at > 0 {
            at -= 1;
            let digit = u8::try_from(rest % 37).unwrap_or_default();
            rest /= 37;
            if let Some(letter) = letters.get_mut(at) {
                *letter = match digit {
                    0 => b'_',
                    1..=26 => b'a' + digit - 1,
                    _ => b'0' + digit - 27,
                };
            }
        }
        f.write_str(std::str::from_utf8(letters.get(at..).unwrap_or_default()).unwrap_or_default())
    }
}

/// Transformation of nibble-packed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Unchanged.
    No,
    /// Bytes reversed.
    Reversed,
    /// 128 added to each byte.
    Added,
    /// Both.
    ReversedAdded,
}

impl Turn {
    /// Whether the bytes are reversed, and what was added to each.
    const fn parts(self) -> (bool, u8) {
        match self {
            Turn::No => (false, 0),
            Turn::Reversed => (true, 0),
            Turn::Added => (false, 128),
            Turn::ReversedAdded => (true, 128),
        }
    }

    /// The transformation of the bytes.
    pub const fn name(self) -> &'static str {
        match self {
            Turn::No => "unchanged",
            Turn::Reversed => "reversed",
            Turn::Added => "128 added",
            Turn::ReversedAdded => "reversed, 128 added",
        }
    }

    /// The bytes before the transformation.
    pub fn undo(self, bytes: &[u8]) -> Vec<u8> {
        let (back, add) = self.parts();
        let mut bytes: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_sub(add)).collect();
        if back {
            bytes.reverse();
        }
        bytes
    }
}

/// Nibble-packed chat text.
#[derive(Clone, Copy)]
pub struct Packed<'a>(pub &'a [u8], pub Turn);

impl Packed<'_> {
    fn nibbles(&self) -> impl Iterator<Item = u8> {
        let Packed(bytes, turn) = *self;
        let (back, add) = turn.parts();
        let byte = move |at: usize| bytes.get(if back { bytes.len() - 1 - at } else { at }).copied().unwrap_or_default();
        (0..bytes.len()).map(byte).map(move |byte| byte.wrapping_sub(add)).flat_map(|byte| [byte >> 4, byte & 15])
    }

    /// Number of characters, and whether the text ends inside one.
    pub fn extent(&self) -> (usize, bool) {
        self.nibbles()
            .fold((0, false), |(count, held), nibble| if held || nibble < 13 { (count + 1, false) } else { (count, true) })
    }
}

impl fmt::Display for Packed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut held = None;
        for nibble in self.nibbles() {
            let index = match held.take() {
                None if nibble < 13 => usize::from(nibble),
                None => {
                    held = Some(nibble);
                    continue;
                }
                Some(high) => usize::from(high << 4 | nibble).saturating_sub(195),
            };
            f.write_char(PACKED.get(index).copied().unwrap_or('\u{fffd}'))?;
        }
        Ok(())
    }
}

/// Huffman code length of each byte, as hexadecimal digits.
const LENGTHS: &str = concat!(
    "1616161616161516161416161615161616161616161616161616161616161616",
    "03081610161011070D0D0D10070A06100A0B0C0C0C0C0D0D0E0E0B0E130F1108",
    "0B090A0A0A0A0B0A09070C0B0A0A090A0A0C0A09080C0C090E080C111011160D",
    "150407060503060605040A0705060404060A0504040507060A060A1613160E16",
    "1616161616161616161616161616161616161616161616161616161616161616",
    "1616161616161616161616161616161616161616161616161616161616161616",
    "1616161616161616161616161616161616161616161616161616161616161616",
    "1616161616161616161616161616161616161616161616151615161616151616",
);

/// Huffman tree: pairs of nodes, a leaf is a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Branch {
    Nowhere,
    Node(usize),
    Leaf(u8),
}

static TREE: LazyLock<Vec<[Branch; 2]>> = LazyLock::new(|| {
    let mut tree = vec![[Branch::Nowhere; 2]];
    for (byte, (code, length)) in (0..=u8::MAX).zip(codes()) {
        let mut node = 0;
        for bit in 0..length {
            let side = usize::from(code >> (31 - bit) & 1 == 1);
            let behind = tree.len();
            let Some(branch) = tree.get_mut(node).and_then(|pair| pair.get_mut(side)) else { break };
            match *branch {
                _ if bit + 1 == length => *branch = Branch::Leaf(byte),
                Branch::Node(next) => node = next,
                Branch::Nowhere | Branch::Leaf(_) => {
                    *branch = Branch::Node(behind);
                    tree.push([Branch::Nowhere; 2]);
                    node = behind;
                }
            }
        }
    }
    tree
});

/// Left-aligned code and length of each byte. Codes are assigned as by the client, which is not canonical order.
fn codes() -> Vec<(u32, u32)> {
    let lengths = LENGTHS.as_bytes().chunks(2).filter_map(|pair| u32::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    let mut next = [0_u32; 33];
    let at = |next: &[u32; 33], bits: u32| next.get(bits as usize).copied().unwrap_or_default();
    lengths
        .map(|length| {
            let mark = |bits: u32| 1_u32 << (32 - bits);
            let code = at(&next, length);
            let following = if code & mark(length) == 0 {
                for bits in (1..length).rev() {
                    let there = at(&next, bits);
                    if there != code {
                        break;
                    }
                    let is_clear = there & mark(bits) == 0;
                    let shorter = at(&next, bits - 1);
                    if let Some(slot) = next.get_mut(bits as usize) {
                        *slot = if is_clear { there | mark(bits) } else { shorter };
                    }
                    if !is_clear {
                        break;
                    }
                }
                code | mark(length)
            } else {
                at(&next, length - 1)
            };
            for slot in next.iter_mut().skip(length as usize + 1).filter(|slot| **slot == code) {
                *slot = following;
            }
            if let Some(slot) = next.get_mut(length as usize) {
                *slot = following;
            }
            (code, length)
        })
        .collect()
}

/// Huffman-coded text: its bytes, and the number of characters.
#[derive(Clone, Copy)]
pub struct Coded<'a>(pub &'a [u8], pub usize);

impl Coded<'_> {
    /// Emits each decoded byte. Returns the encoded length, or `None` if the bytes end early.
    fn read(&self, mut emit: impl FnMut(u8) -> fmt::Result) -> Result<Option<usize>, fmt::Error> {
        let Coded(bytes, mut left) = *self;
        let (mut node, mut bit) = (0, 0_usize);
        while left > 0 {
            let Some(byte) = bytes.get(bit / 8) else { return Ok(None) };
            let side = usize::from(byte >> (7 - bit % 8) & 1);
            bit += 1;
            match TREE.get(node).and_then(|pair| pair.get(side)) {
                Some(Branch::Node(next)) => node = *next,
                Some(Branch::Leaf(byte)) => {
                    emit(*byte)?;
                    (node, left) = (0, left - 1);
                }
                Some(Branch::Nowhere) | None => return Ok(None),
            }
        }
        Ok(Some(bit.div_ceil(8)))
    }

    /// Encoded length; `None` if the bytes end early.
    pub fn len(&self) -> Option<usize> {
        self.read(|_| Ok(())).ok().flatten()
    }
}

impl fmt::Display for Coded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read(|byte| f.write_char(character(byte))).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial::bytes;

    #[test]
    fn names_are_those_of_the_table() {
        for (hex, name) in [
            ("00 00 00 00 6C 1A 00 CC", "zezima"),
            ("00 00 00 08 02 86 68 94", "mod_ash"),
            ("00 29 1E 31 6D 31 71 54", "bob_the_cat"),
            ("00 00 00 00 00 00 00 01", "a"),
            ("41 FA DB FA B3 55 B5 88", "zzzzzzzzzzzz"),
            ("5B 5B 57 F8 A9 8A 5D D0", "999999999999"),
            ("5B 5B 57 F8 A9 8A 5D D1", "invalid_name"),
            ("00 00 00 00 00 00 00 25", "invalid_name"),
            ("00 00 00 00 00 00 00 00", "invalid_name"),
        ] {
            let number = u64::from_be_bytes(bytes(hex).try_into().unwrap());
            assert_eq!(Name(number).to_string(), name);
        }
    }

    #[test]
    fn packed_text_is_that_of_the_table() {
        for (hex, text) in [
            ("61 BB 40 D1 49 BA", "hello world"),
            ("65 EB 06 4D 10 39 10 D3 4C EA", "hi. how are you?"),
            ("81 BB 57 D5 0B 4D 78 0E 0D ED ED 5D 60 13 E9 E9", "selling lobs 200gp ea!!"),
            ("3D 7D 20", "abc "),
            ("DC", "q"),
            ("1D", "e"),
        ] {
            let bytes = bytes(hex);
            assert_eq!(Packed(&bytes, Turn::No).to_string(), text);
            assert_eq!(Packed(&bytes, Turn::No).extent(), (text.len(), text == "e"));
        }
        assert_eq!(Packed(&bytes("3A C9 51 C0 3B E1"), Turn::ReversedAdded).to_string(), "hello world");
    }

    #[test]
    fn coded_text_is_that_of_the_table() {
        for (hex, text) in
            [("83 8C 70", "hello"), ("0D B8 C7 01 1F B2 B1 50 08", "Hello, world!"), ("AE 80 23 20 D0 60", "rs-cache")]
        {
            let bytes = bytes(hex);
            let coded = Coded(&bytes, text.len());
            assert_eq!((coded.to_string(), coded.len()), (text.to_owned(), Some(bytes.len())));
            assert_eq!(Coded(&bytes[..bytes.len() - 1], text.len()).len(), None);
        }
        let code = |byte: u8| {
            let (code, length) = codes()[usize::from(byte)];
            format!("{code:032b}")[..length as usize].to_owned()
        };
        let known = [
            (b' ', "001"),
            (b'e', "011"),
            (b't', "1110"),
            (b'a', "0100"),
            (b'o', "1100"),
            (b'E', "0000110011"),
            (b'.', "000010"),
        ];
        for (byte, bits) in known {
            assert_eq!(code(byte), bits);
        }
    }

    #[test]
    fn windows_1252_has_holes() {
        assert_eq!(Cp1252(b"\xa3 \x80 \x81").to_string(), "£ € \u{fffd}");
    }
}
