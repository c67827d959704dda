//! Filter names found by other names of their protocol.

use super::{Registry, least_edits};
use crate::wire::Protocol;

/// Fewest characters of a name in which one may be wrong.
const TOLERANT: usize = 6;

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
        let most = usize::from(own.chars().count() >= TOLERANT);
        let distance = |known: &str| {
            let known = simplified(known);
            if least_edits(&known, &own) > most { usize::MAX } else { strsim::damerau_levenshtein(&known, &own) }
        };
        let nearest =
            self.protocols().map(|known| known.this).min_by_key(|field| distance(field.name).min(distance(field.about)));
        match nearest.filter(|field| distance(field.name).min(distance(field.about)) <= most) {
            Some(field) => format!("{}{rest}", field.abbrev),
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
