//! Arguments of client scripts, whose types are listed in a preceding text, one character each.

use super::super::fields::{ELEMENT, NAME_ELEMENT, SCRIPT_INTS, SCRIPT_NUMBER, SCRIPT_TEXT, SCRIPT_TEXTS};
use super::number::NUMBERS;
use super::read::text;
use super::{Ending, I32, Number, Smart};
use crate::tree::Field;
use crate::wire::{Error, Result, Wire};

/// Encoding of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Numbers and texts.
    Of223,
    /// Lists as well.
    Of231,
    /// 64-bit numbers as well.
    Of237,
}

/// All encodings by name.
const SCRIPTS: [(&str, Script); 3] =
    [("script_args_223", Script::Of223), ("script_args_231", Script::Of231), ("script_args_237", Script::Of237)];

/// Characters of the types: text, list of numbers, list of texts, 64-bit number.
const TEXT: u8 = b's';
const INTS: u8 = b'W';
const TEXTS: u8 = b'X';
const LONG: u8 = 0xcf;

impl Script {
    /// Returns the encoding of a name.
    pub fn named(name: &str) -> Option<Script> {
        SCRIPTS.iter().find(|(known, _)| *known == name).map(|(_, script)| *script)
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        SCRIPTS.iter().map(|(name, _)| *name)
    }

    /// Reads the arguments for these types. They are in reverse order.
    pub fn read(self, wire: &mut Wire<'_>, field: &'static Field, types: &[u8]) -> Result {
        let long = NUMBERS.iter().find(|(name, _)| *name == "i64").map_or(I32, |(_, number)| *number);
        wire.group(field, |wire| types.iter().rev().try_for_each(|of| self.argument(wire, *of, long)))
    }

    fn argument(self, wire: &mut Wire<'_>, of: u8, long: Number) -> Result {
        let has_lists = self != Script::Of223;
        match of {
            TEXT => text(wire, &SCRIPT_TEXT, Ending::Nul).map(drop),
            INTS if has_lists => list(wire, &SCRIPT_INTS, |wire| Smart::ZigZag.take(wire, &ELEMENT).map(drop)),
            TEXTS if has_lists => list(wire, &SCRIPT_TEXTS, |wire| text(wire, &NAME_ELEMENT, Ending::Nul).map(drop)),
            LONG if self == Script::Of237 => long.read(wire, &SCRIPT_NUMBER).map(drop),
            _ => I32.read(wire, &SCRIPT_NUMBER).map(drop),
        }
    }
}

/// Reads a count and as many values, each of at least one byte.
fn list(wire: &mut Wire<'_>, field: &'static Field, each: impl Fn(&mut Wire<'_>) -> Result) -> Result {
    wire.group(field, |wire| {
        let count = Smart::VarintLe.take(wire, &super::super::fields::SCRIPT_COUNT)?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if count > wire.remaining() {
            return Err(Error::Short { needed: count - wire.remaining() });
        }
        (0..count).try_for_each(|_| each(wire))
    })
}
