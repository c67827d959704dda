//! Number types for bytes: `data.data[4:4]@u32le`.

use super::value::Item;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberType {
    kind: Kind,
    /// Size in bytes, from 1 to 8.
    size: usize,
    little: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unsigned,
    Signed,
    Float,
}

impl Kind {
    const fn letter(self) -> char {
        match self {
            Kind::Unsigned => 'u',
            Kind::Signed => 'i',
            Kind::Float => 'f',
        }
    }
}

impl NumberType {
    /// Parses a name such as `u8`, `i16le` or `f32be`.
    pub(super) fn named(name: &str) -> Option<NumberType> {
        NumberType::all().find(|one| one.to_string() == name)
    }

    /// All types, the small ones first.
    pub(super) fn all() -> impl Iterator<Item = NumberType> {
        let sizes = |kind: Kind| -> &'static [usize] { if kind == Kind::Float { &[4, 8] } else { &[1, 2, 3, 4, 8] } };
        [Kind::Unsigned, Kind::Signed, Kind::Float].into_iter().flat_map(move |kind| {
            sizes(kind).iter().flat_map(move |size| {
                let orders: &[bool] = if *size == 1 { &[false] } else { &[true, false] };
                orders.iter().map(move |little| NumberType { kind, size: *size, little: *little })
            })
        })
    }

    /// Size in bytes.
    pub(super) const fn size(self) -> usize {
        self.size
    }

    /// Whether it is a floating-point type.
    pub(super) fn is_float(self) -> bool {
        self.kind == Kind::Float
    }

    /// Decodes the first bytes; `None` if there are too few.
    pub(super) fn read(self, bytes: &[u8]) -> Option<Item<'static>> {
        let bytes = bytes.get(..self.size)?;
        let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let number = if self.little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) };
        let unused = 64 - u32::try_from(8 * self.size).ok()?;
        Some(match (self.kind, self.size) {
            (Kind::Unsigned, _) => Item::Number(number.into()),
            (Kind::Signed, _) => Item::Number((number.checked_shl(unused)?.cast_signed() >> unused).into()),
            (Kind::Float, 4) => Item::Single(f32::from_bits(u32::try_from(number).ok()?)),
            (Kind::Float, _) => Item::Double(f64::from_bits(number)),
        })
    }
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match (self.size, self.little) {
            (1, _) => "",
            (_, true) => "le",
            (_, false) => "be",
        };
        write!(f, "{}{}{order}", self.kind.letter(), 8 * self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_every_type() {
        let bytes = [0xfe, 0xff, 0x80, 0x3f, 0, 0, 0, 0x40, 9];
        let read = |name: &str| match NumberType::named(name).unwrap().read(&bytes) {
            Some(Item::Number(number)) => number.to_string(),
            Some(Item::Single(number)) => number.to_string(),
            Some(Item::Double(number)) => number.to_string(),
            other => format!("{other:?}"),
        };
        let expected = [
            ("u8", "254"),
            ("i8", "-2"),
            ("u16le", "65534"),
            ("i16le", "-2"),
            ("i16be", "-257"),
            ("u24be", "16711552"),
            ("i24le", "-8323074"),
            ("u32le", "1065418750"),
            ("i32be", "-16809921"),
            ("u64be", "18374546012766208064"),
            ("i64le", "4611686019492806654"),
        ];
        for (name, number) in expected {
            assert_eq!(read(name), number, "{name}");
        }
        assert!(read("f32le").starts_with("1.00"), "{}", read("f32le"));
        assert!(NumberType::named("u32").is_none() && NumberType::named("u32le").unwrap().read(&bytes[..3]).is_none());
    }
}
