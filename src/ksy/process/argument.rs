//! Arguments of processors and functions, by position.

use super::{Argument, Kind, Parameter};

/// A required parameter.
pub(super) const fn required(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, optional: false }
}

/// An optional parameter.
pub(super) const fn optional(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, optional: true }
}

/// Bytes, or a text as its UTF-8 bytes.
pub(super) fn bytes<'a>(arguments: &'a [Argument], at: usize, name: &str) -> Result<&'a [u8], String> {
    match arguments.get(at) {
        Some(Argument::Bytes(bytes)) => Ok(bytes),
        Some(Argument::Text(text)) => Ok(text.as_bytes()),
        Some(_) => Err(format!("`{name}` must be bytes")),
        None => Err(format!("`{name}` is missing")),
    }
}

/// Optional bytes; empty without them.
pub(super) fn bytes_or_none<'a>(arguments: &'a [Argument], at: usize, name: &str) -> Result<&'a [u8], String> {
    if arguments.len() <= at { Ok(&[]) } else { bytes(arguments, at, name) }
}

/// A text, or bytes in UTF-8.
pub(super) fn text<'a>(arguments: &'a [Argument], at: usize, name: &str) -> Result<&'a str, String> {
    str::from_utf8(bytes(arguments, at, name)?).map_err(|_| format!("`{name}` must be a text"))
}

/// An integer.
pub(super) fn int(arguments: &[Argument], at: usize, name: &str) -> Result<i128, String> {
    match arguments.get(at) {
        Some(Argument::Int(number)) => Ok(*number),
        Some(_) => Err(format!("`{name}` must be an integer")),
        None => Err(format!("`{name}` is missing")),
    }
}

/// An integer from 0 to `most`.
pub(super) fn number(arguments: &[Argument], at: usize, name: &str, most: u64) -> Result<u64, String> {
    let number = int(arguments, at, name)?;
    let fitting = u64::try_from(number).ok().filter(|number| *number <= most);
    fitting.ok_or_else(|| format!("`{name}` is {number}; it must be 0 to {most}"))
}

/// An optional integer from 0 to `most`.
pub(super) fn number_or(arguments: &[Argument], at: usize, name: &str, most: u64, or: u64) -> Result<u64, String> {
    if arguments.len() <= at { Ok(or) } else { number(arguments, at, name, most) }
}

/// Checks the size of a key or nonce.
pub(super) fn sized(bytes: &[u8], name: &str, sizes: &[usize]) -> Result<(), String> {
    if sizes.contains(&bytes.len()) {
        return Ok(());
    }
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    Err(format!("`{name}` has {} bytes; it must have {}", bytes.len(), sizes.join(" or ")))
}

/// Bytes of exactly this size.
pub(super) fn array<const N: usize>(bytes: &[u8], name: &str) -> Result<[u8; N], String> {
    bytes.try_into().map_err(|_| format!("`{name}` has {} bytes; it must have {N}", bytes.len()))
}
