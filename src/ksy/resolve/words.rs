//! Built-in types by name.

use crate::ksy::model::FixedEndian;

/// A built-in type of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum Builtin {
    Int { bytes: u8, signed: bool, endian: Option<FixedEndian> },
    Float { bytes: u8, endian: Option<FixedEndian> },
    Bits { width: u8, endian: Option<FixedEndian> },
    Str { zero: bool },
}

/// The built-in type of this name.
pub(in crate::ksy) fn builtin(name: &str) -> Option<Builtin> {
    let (stem, endian) = match (name.strip_suffix("le"), name.strip_suffix("be")) {
        (Some(stem), _) => (stem, Some(FixedEndian::Little)),
        (_, Some(stem)) => (stem, Some(FixedEndian::Big)),
        _ => (name, None),
    };
    if matches!(name, "str" | "strz") {
        return Some(Builtin::Str { zero: name == "strz" });
    }
    let mut letters = stem.chars();
    let kind = letters.next()?;
    let digits = letters.as_str();
    let number: u8 = digits.parse().ok().filter(|number: &u8| number.to_string() == digits)?;
    match (kind, number) {
        ('u' | 's', 1) if endian.is_none() => Some(Builtin::Int { bytes: 1, signed: kind == 's', endian }),
        ('u' | 's', 2 | 4 | 8) => Some(Builtin::Int { bytes: number, signed: kind == 's', endian }),
        ('f', 4 | 8) => Some(Builtin::Float { bytes: number, endian }),
        ('b', 1..=64) => Some(Builtin::Bits { width: number, endian }),
        _ => None,
    }
}

/// Names of built-in types, for suggestions.
pub(super) const NAMES: &[&str] = &[
    "u1", "u2", "u2le", "u2be", "u4", "u4le", "u4be", "u8", "u8le", "u8be", "s1", "s2", "s2le", "s2be", "s4", "s4le", "s4be",
    "s8", "s8le", "s8be", "f4", "f4le", "f4be", "f8", "f8le", "f8be", "str", "strz", "b1", "b2", "b3", "b4", "b5", "b6", "b7",
    "b12", "b16",
];

/// Type names of other languages with their equivalents here.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "u3" | "s3" | "uint24" => "b24",
        "u5" => "b40",
        "u6" => "b48",
        "u7" => "b56",
        "u16" => "u2",
        "u32" => "u4",
        "u64" => "u8",
        "s16" | "i16" => "s2",
        "s32" | "i32" => "s4",
        "s64" | "i64" => "s8",
        "f32" => "f4",
        "f64" => "f8",
        "uint8" | "uint8_t" | "byte" | "char" | "ubyte" | "uchar" => "u1",
        "uint16" | "uint16_t" | "ushort" | "word" => "u2",
        "uint32" | "uint32_t" | "uint" | "dword" => "u4",
        "uint64" | "uint64_t" | "ulong" | "qword" => "u8",
        "int8" | "int8_t" | "i1" | "sbyte" => "s1",
        "int16" | "int16_t" | "short" | "i2" => "s2",
        "int32" | "int32_t" | "int" | "i4" => "s4",
        "int64" | "int64_t" | "long" | "i8" => "s8",
        "float" | "float32" | "single" => "f4",
        "double" | "float64" => "f8",
        "string" | "text" => "str",
        "bool" | "boolean" => "b1",
        _ => return None,
    })
}
