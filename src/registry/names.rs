//! Filter names found by other names of their protocol.

use super::Registry;
use crate::nearest::{edits, tolerance};
use crate::tree::Field;
use crate::wire::Protocol;

/// Wireshark names of dissectors that have another name here.
const WIRESHARK_NAMES: [(&str, &str); 6] =
    [("bootp", "dhcp"), ("krb5", "kerberos"), ("msrpc", "dcerpc"), ("postgresql", "pgsql"), ("redis", "resp"), ("ssl", "tls")];

impl Registry {
    /// The protocol of a Wireshark dissector: by its filter name, which the name of a heuristic precedes with a carrier, as
    /// in `rtp_udp`.
    #[must_use]
    pub fn of_wireshark(self, name: &str) -> Option<&'static Protocol> {
        let named = |name: &str| {
            let name = WIRESHARK_NAMES.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, own)| own);
            self.applications().find(|protocol| protocol.this.abbrev == name)
        };
        let stem = || name.rsplit_once(['_', '-', '.']).filter(|(_, carrier)| matches!(*carrier, "udp" | "tcp" | "tls" | "over"));
        named(name).or_else(|| named(stem()?.0))
    }

    /// A name with a filter name in place of the short or full name of a protocol: `rs.ip` for `RuneScape.ip`.
    #[must_use]
    pub fn with_filter_name(self, name: &str) -> String {
        let (protocol, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
        if self.protocol(protocol).is_some() {
            return name.to_owned();
        }
        let own = simplified(protocol);
        // Half of what a suggestion may differ: a short name resembles many.
        let most = tolerance(&own) / 2;
        let off =
            |field: &Field| [field.name, field.about].into_iter().filter_map(|known| edits(&own, &simplified(known), most)).min();
        match self.protocols().filter_map(|known| Some((off(known.this)?, known.this))).min_by_key(|(off, _)| *off) {
            Some((_, field)) => format!("{}{rest}", field.abbrev),
            None => name.to_owned(),
        }
    }
}

/// Letters and digits in lower case.
fn simplified(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_protocols_lead_to_their_filter_names() {
        let found = |name| Registry::default().with_filter_name(name);
        for (name, filter_name) in [
            ("runescape", "rs"),
            ("runscape.x", "rs.x"),
            ("Pip-Boy.cmd", "pipboy.cmd"),
            ("ethernet.src", "eth.src"),
            ("ipv4.src", "ip.src"),
            ("user datagram protocol", "udp"),
        ] {
            assert_eq!(found(name), filter_name);
        }
        for name in ["rs.x", "http.hots", "nothing.like.it", "", ".", "i.p"] {
            assert_eq!(found(name), name);
        }
    }
}
