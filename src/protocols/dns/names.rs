//! Domain names: labels and compression pointers.
//!
//! ```text
//! name      label … | 0
//! label     00 length:6 | bytes
//! pointer   11 offset:14, replaces the remaining labels
//! ```

use super::fields::BAD_NAME;
use crate::limits;
use crate::tree::Field;
use crate::wire::{Error, Result, Wire};
use std::fmt;
use std::ops::ControlFlow;

/// Bits of the length byte that distinguish labels from pointers.
const KIND: u8 = 0xc0;

/// Domain name in a message.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    message: &'a [u8],
    at: usize,
}

/// Reason why a name is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// This many bytes are missing.
    Short(usize),
    /// Undefined label type.
    Label(u8),
    /// Too many pointers.
    Jumps,
    /// Longer than 255 bytes.
    Long,
    /// Pointer beyond the message.
    Outside(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Short(needed) => write!(f, "{needed} more bytes needed"),
            Fault::Label(byte) => write!(f, "a label of the unknown kind {byte:#04x}"),
            Fault::Jumps => write!(f, "more than {} pointers in one name", limits::DNS_POINTERS.get()),
            Fault::Long => write!(f, "more than {} bytes in one name", limits::DNS_NAME.get()),
            Fault::Outside(at) => write!(f, "a pointer to {at}, which is outside of the message"),
        }
    }
}

/// Size of a name.
#[derive(Debug, Clone, Copy)]
struct Measure {
    /// Bytes at its place, if its end was found.
    len: Option<usize>,
    labels: u64,
    /// Characters of its text form.
    text: u64,
    fault: Option<Fault>,
}

impl<'a> Name<'a> {
    /// Name at this offset of a message.
    pub fn new(message: &'a [u8], at: usize) -> Name<'a> {
        Name { message, at }
    }

    /// Calls `label` for each label. Returns the number of bytes at the name's place, and the error.
    fn walk(self, mut label: impl FnMut(&'a [u8]) -> ControlFlow<()>) -> (Option<usize>, Option<Fault>) {
        let (mut at, mut jumps, mut bytes, mut len) = (self.at, 0, 0, None);
        let fault = loop {
            let Some(&first) = self.message.get(at) else { break Some(Fault::Short(1)) };
            let low = usize::from(first & !KIND);
            match first & KIND {
                0 if first == 0 => {
                    len = len.or_else(|| Some(at + 1 - self.at));
                    break None;
                }
                0 => {
                    let Some(found) = self.message.get(at + 1..at + 1 + low) else {
                        break Some(Fault::Short((at + 1 + low).saturating_sub(self.message.len())));
                    };
                    bytes += low + 1;
                    at += 1 + low;
                    if bytes > limits::DNS_NAME.get() {
                        break Some(Fault::Long);
                    }
                    if label(found).is_break() {
                        break None;
                    }
                }
                KIND => {
                    let Some(&second) = self.message.get(at + 1) else { break Some(Fault::Short(1)) };
                    len = len.or_else(|| Some(at + 2 - self.at));
                    at = low << 8 | usize::from(second);
                    jumps += 1;
                    if at >= self.message.len() {
                        break Some(Fault::Outside(at));
                    }
                    if jumps > limits::DNS_POINTERS.get() {
                        break Some(Fault::Jumps);
                    }
                }
                _ => break Some(Fault::Label(first)),
            }
        };
        (len, fault)
    }

    fn measure(self) -> Measure {
        let (mut labels, mut text) = (0, 0);
        let (len, fault) = self.walk(|label| {
            text += label.len() as u64 + u64::from(labels > 0);
            labels += 1;
            ControlFlow::Continue(())
        });
        Measure { len, labels, text, fault }
    }

    /// Number of bytes at its place; `None` if it is invalid.
    pub fn len(self) -> Option<usize> {
        let measure = self.measure();
        measure.len.filter(|_| measure.fault.is_none())
    }

    /// Name without its first label.
    #[must_use]
    pub fn parent(self) -> Name<'a> {
        let mut at = self.at;
        for _ in 0..=limits::DNS_POINTERS.get() {
            match self.message.get(at..).unwrap_or_default() {
                [high, low, ..] if high & KIND == KIND => at = usize::from(high & !KIND) << 8 | usize::from(*low),
                [length, ..] if *length > 0 && length & KIND == 0 => return Name { at: at + 1 + usize::from(*length), ..self },
                _ => break,
            }
        }
        self
    }

    /// First label.
    pub fn first(self) -> &'a [u8] {
        let mut first: &[u8] = &[];
        self.walk(|label| {
            first = label;
            ControlFlow::Break(())
        });
        first
    }

    /// Whether it consists of characters that are common in host names.
    pub fn is_plausible(self) -> bool {
        let mut plain = true;
        let (_, fault) = self.walk(|label| {
            plain &= label.iter().all(|byte| (0x20..0x7f).contains(byte));
            ControlFlow::Continue(())
        });
        plain && fault.is_none()
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut result, mut is_root) = (Ok(()), true);
        let (_, fault) = self.walk(|label| {
            let dot = if is_root { "" } else { "." };
            is_root = false;
            result = f.write_str(dot).and_then(|()| lossy(label, f));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result?;
        match fault {
            Some(_) => f.write_str("…"),
            None if is_root => f.write_str("<Root>"),
            None => Ok(()),
        }
    }
}

/// Label as text.
pub struct Label<'a>(pub &'a [u8]);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        lossy(self.0, f)
    }
}

/// Writes text with a replacement character for invalid UTF-8.
fn lossy(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.utf8_chunks().try_for_each(|chunk| {
        f.write_str(chunk.valid())?;
        if chunk.invalid().is_empty() { Ok(()) } else { f.write_str("\u{fffd}") }
    })
}

/// Dissects a name of a message that begins at this offset of the source.
///
/// # Errors
/// If the name is invalid.
pub fn name<'m>(wire: &mut Wire<'_>, message: (&'m [u8], usize), field: &'static Field) -> Result<Name<'m>> {
    shown(wire, message, field, |name| name).map(|(name, _)| name)
}

/// Dissects a name and formats it with `words`. Also returns the number of labels and of characters.
pub fn shown<'m, W: fmt::Display>(
    wire: &mut Wire<'_>,
    (message, start): (&'m [u8], usize),
    field: &'static Field,
    words: impl FnOnce(Name<'m>) -> W,
) -> Result<(Name<'m>, [u64; 2])> {
    let name = Name::new(message, wire.at().saturating_sub(start));
    let Measure { len, labels, text, fault } = name.measure();
    let Some(len) = len else {
        return match fault {
            Some(Fault::Short(needed)) => Err(Error::Short { needed }),
            Some(fault) => wire.malformed(&BAD_NAME, format_args!("{fault}")),
            None => Err(Error::Malformed),
        };
    };
    let range = wire.at()..wire.at() + len;
    wire.skip(len)?;
    wire.put_text(field, range, format_args!("{}", words(name)));
    if let Some(fault) = fault {
        wire.note(&BAD_NAME, format_args!("{fault}"));
    }
    Ok((name, [labels, text]))
}
