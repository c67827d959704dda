//! Revisions of clients.

use super::{Table, osrs};
use std::fmt;

/// Prefix of revisions of Old School RuneScape.
const PREFIX: &str = "osrs-";

/// A revision. Numbers of Old School RuneScape overlap those of the older engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Revision {
    pub number: u16,
    /// Of Old School RuneScape.
    pub is_osrs: bool,
}

impl Revision {
    /// Parses `317`, `osrs-239` or, if no older engine has the number, `239`.
    pub fn parse(text: &str) -> Option<Revision> {
        let (digits, is_osrs) = match text.strip_prefix(PREFIX) {
            Some(digits) => (digits, true),
            None => (text, false),
        };
        let number = digits.parse().ok().filter(|number| *number > 0)?;
        let older = Revision { number, is_osrs: false };
        let is_osrs = is_osrs || osrs::REVISIONS.contains(&number) && !Table::revisions().any(|known| known == older);
        Some(Revision { number, is_osrs })
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_osrs { PREFIX } else { "" }, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_of_the_only_engine_that_has_it() {
        let parsed = |text: &str| Revision::parse(text).map(|revision| revision.to_string());
        for (text, revision) in [
            ("317", Some("317")),
            ("225", Some("225")),
            ("osrs-225", Some("osrs-225")),
            ("223", Some("osrs-223")),
            ("239", Some("osrs-239")),
            ("osrs-240", Some("osrs-240")),
            ("0", None),
            ("osrs-", None),
            ("rs2", None),
        ] {
            assert_eq!(parsed(text).as_deref(), revision, "{text}");
        }
    }
}
