//! Single values of a message, kept during dissection for its summary and for the state of the connection.

use super::fields::{IP, MSGTYPE, NAME, PORT, USERID};
use super::state::Users;
use crate::tree::{Field, Kind, name_of};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};

/// Maximum number of stored values of a message.
const KEPT: usize = 20;

/// Largest number of values shown in a summary.
const SHOWN: usize = 4;

/// Value of a known field.
#[derive(Debug, Clone, Copy)]
pub(super) enum KnownValue<'a> {
    Number(i64),
    /// Text or ID.
    Bytes(&'a [u8]),
}

/// First values of a message that have a meaning.
#[derive(Default)]
pub(super) struct Values<'a> {
    kept: [Option<(&'static Field, KnownValue<'a>)>; KEPT],
}

impl<'a> Values<'a> {
    pub(super) fn keep(&mut self, field: &'static Field, fact: KnownValue<'a>) {
        if let Some(slot) = self.kept.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some((field, fact));
        }
    }

    fn of(&self, field: &Field) -> Option<KnownValue<'a>> {
        self.kept.iter().flatten().find(|(known, _)| known.is(field)).map(|(_, fact)| *fact)
    }

    /// Number of a field in 32 bits.
    pub(super) fn number(&self, field: &Field) -> Option<u32> {
        match self.of(field)? {
            KnownValue::Number(number) => u32::try_from(number.cast_unsigned() & 0xffff_ffff).ok(),
            KnownValue::Bytes(_) => None,
        }
    }

    /// Number of a field in 64 bits.
    pub(super) fn whole(&self, field: &Field) -> Option<u64> {
        match self.of(field)? {
            KnownValue::Number(number) => u64::try_from(number).ok(),
            KnownValue::Bytes(_) => None,
        }
    }

    /// Addresses in the message with their ports.
    pub(super) fn addresses(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        let all = |field: &'static Field| {
            self.kept.iter().flatten().filter_map(move |(known, fact)| match fact {
                KnownValue::Number(number) if known.is(field) => Some(displayed(known, *number)),
                _ => None,
            })
        };
        let end = |(ip, port): (u64, u64)| {
            let ip = Ipv4Addr::from_bits(u32::try_from(ip).ok()?);
            let port = u16::try_from(port).ok()?;
            (!ip.is_unspecified() && port > 0).then_some(SocketAddr::from((ip, port)))
        };
        all(&IP).zip(all(&PORT)).filter_map(end)
    }

    /// Text or ID of a field.
    pub(super) fn bytes(&self, field: &Field) -> Option<&'a [u8]> {
        match self.of(field)? {
            KnownValue::Bytes(bytes) => Some(bytes),
            KnownValue::Number(_) => None,
        }
    }

    pub(super) fn text(&self, field: &Field) -> Option<Text<'a>> {
        self.bytes(field).map(Text)
    }

    /// Summary of all values without secrets.
    pub(super) fn line<'f>(&'f self, users: &'f Users) -> Line<'f, 'a> {
        Line { values: self, users }
    }
}

/// Text that may be invalid UTF-8.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a [u8]);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.0))
    }
}

/// Summary of single values.
pub(super) struct Line<'f, 'a> {
    values: &'f Values<'a>,
    users: &'f Users,
}

/// Displayed form of a number: IDs are unsigned 32-bit integers, and a port is the lower half of its value.
fn displayed(field: &Field, number: i64) -> u64 {
    let raw = u64::try_from(number).unwrap_or(number.cast_unsigned() & 0xffff_ffff);
    if field.is(&PORT) { raw & 0xffff } else { raw }
}

impl fmt::Display for Line<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        let is_named = self.values.number(&USERID).is_some_and(|id| self.users.by_id(id).is_some());
        let is_displayed = |field: &Field| !(field.secret || field.is(&MSGTYPE) || (is_named && field.is(&NAME)));
        let all = self.values.kept.iter().flatten().filter(|(field, _)| is_displayed(field));
        for (field, fact) in all.take(SHOWN) {
            match fact {
                KnownValue::Number(number) => {
                    let raw = displayed(field, *number);
                    let user = u32::try_from(raw).ok().filter(|_| field.is(&USERID)).and_then(|id| self.users.by_id(id));
                    if let Some(user) = user {
                        write!(f, "{between}{user}")?;
                        between = ", ";
                        continue;
                    }
                    match (name_of(field.names, raw), field.kind) {
                        (Some(name), _) => write!(f, "{between}{} {name}", field.name)?,
                        (None, Kind::Ipv4) => {
                            let bits = u32::try_from(raw).unwrap_or_default();
                            write!(f, "{between}{}", Ipv4Addr::from_bits(bits))?;
                        }
                        (None, _) => write!(f, "{between}{} {raw}", field.name)?,
                    }
                }
                KnownValue::Bytes(text) if field.kind == Kind::Text => write!(f, "{between}{} \"{}\"", field.name, Text(text))?,
                KnownValue::Bytes(_) => continue,
            }
            between = ", ";
        }
        Ok(())
    }
}
