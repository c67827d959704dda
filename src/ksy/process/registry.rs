//! The processors.

use super::argument::{optional, required};
use super::{Kind, Parameter, Processor, inflate, keystream, plain};

type Make = fn(&[super::Argument]) -> Result<Box<dyn super::Stage>, String>;

/// One whose output is as long as its input.
const fn cipher(name: &'static str, parameters: &'static [Parameter], make: Make, summary: &'static str) -> Processor {
    Processor { name, parameters, summary, keeps_length: true, make }
}

/// One whose output has another length.
const fn packed(name: &'static str, parameters: &'static [Parameter], make: Make, summary: &'static str) -> Processor {
    Processor { name, parameters, summary, keeps_length: false, make }
}

const KEY: Parameter = required("key", Kind::Bytes);

/// The processors, by kind.
pub(in crate::ksy) static PROCESSORS: &[Processor] = &[
    cipher("xor", &[required("key", Kind::Any)], plain::xor, "exclusive or with a byte, or with bytes that repeat"),
    cipher("rol", &[required("bits", Kind::Int)], plain::rotate_left, "each byte rotated left"),
    cipher("ror", &[required("bits", Kind::Int)], plain::rotate_right, "each byte rotated right"),
    cipher(
        "rc4",
        &[KEY, optional("drop", Kind::Int)],
        keystream::rc4,
        "RC4 with a key of 1 to 256 bytes; `drop` bytes of keystream are not used",
    ),
    packed("zlib", &[], inflate::zlib, "zlib (RFC 1950)"),
    packed("deflate", &[], inflate::deflate, "DEFLATE without a header (RFC 1951)"),
    packed("gzip", &[], inflate::gzip, "gzip (RFC 1952), one member"),
];
