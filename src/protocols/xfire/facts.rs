//! What a message says in single values, kept while it is read: for its line, and for what is remembered of it.

use super::fields::{IP, MSGTYPE, NAME, PORT, USERID};
use super::state::Users;
use crate::tree::{Field, Kind, name_of};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};

/// Values that are kept of a message.
const KEPT: usize = 20;

/// Values that a line tells.
const TOLD: usize = 4;

/// A value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fact<'a> {
    Number(i64),
    /// A text or an id.
    Bytes(&'a [u8]),
}

/// The first values of a message whose meaning is known.
#[derive(Default)]
pub(super) struct Facts<'a> {
    kept: [Option<(&'static Field, Fact<'a>)>; KEPT],
}

impl<'a> Facts<'a> {
    pub(super) fn keep(&mut self, field: &'static Field, fact: Fact<'a>) {
        if let Some(slot) = self.kept.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some((field, fact));
        }
    }

    fn of(&self, field: &Field) -> Option<Fact<'a>> {
        self.kept.iter().flatten().find(|(known, _)| known.is(field)).map(|(_, fact)| *fact)
    }

    /// The number that a field says, as 32 bits.
    pub(super) fn number(&self, field: &Field) -> Option<u32> {
        match self.of(field)? {
            Fact::Number(number) => u32::try_from(number.cast_unsigned() & 0xffff_ffff).ok(),
            Fact::Bytes(_) => None,
        }
    }

    /// The number that a field says, whole.
    pub(super) fn whole(&self, field: &Field) -> Option<u64> {
        match self.of(field)? {
            Fact::Number(number) => u64::try_from(number).ok(),
            Fact::Bytes(_) => None,
        }
    }

    /// The addresses that a message tells, each with its port.
    pub(super) fn addresses(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        let all = |field: &'static Field| {
            self.kept.iter().flatten().filter_map(move |(known, fact)| match fact {
                Fact::Number(number) if known.is(field) => Some(told(known, *number)),
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

    /// The text or id that a field says.
    pub(super) fn bytes(&self, field: &Field) -> Option<&'a [u8]> {
        match self.of(field)? {
            Fact::Bytes(bytes) => Some(bytes),
            Fact::Number(_) => None,
        }
    }

    /// The text that a field says.
    pub(super) fn text(&self, field: &Field) -> Option<Text<'a>> {
        self.bytes(field).map(Text)
    }

    /// All of them in a line; secrets are left out.
    pub(super) fn line<'f>(&'f self, users: &'f Users) -> Line<'f, 'a> {
        Line { facts: self, users }
    }
}

/// Text that may not be UTF-8.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a [u8]);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.0))
    }
}

/// Single values in a line.
pub(super) struct Line<'f, 'a> {
    facts: &'f Facts<'a>,
    users: &'f Users,
}

/// A number as it is told: ids use all 32 bits and have no sign, and only half of what holds a port is one.
fn told(field: &Field, number: i64) -> u64 {
    let raw = u64::try_from(number).unwrap_or(number.cast_unsigned() & 0xffff_ffff);
    if field.is(&PORT) { raw & 0xffff } else { raw }
}

impl fmt::Display for Line<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        let is_named = self.facts.number(&USERID).is_some_and(|id| self.users.by_id(id).is_some());
        let is_told = |field: &Field| !(field.secret || field.is(&MSGTYPE) || (is_named && field.is(&NAME)));
        let all = self.facts.kept.iter().flatten().filter(|(field, _)| is_told(field));
        for (field, fact) in all.take(TOLD) {
            match fact {
                Fact::Number(number) => {
                    let raw = told(field, *number);
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
                Fact::Bytes(text) if field.kind == Kind::Text => write!(f, "{between}{} \"{}\"", field.name, Text(text))?,
                Fact::Bytes(_) => continue,
            }
            between = ", ";
        }
        Ok(())
    }
}
