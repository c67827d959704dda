//! Filter names found by other names of their protocol.

use super::Registry;
use crate::tree::Field;

/// Fewest characters of a name in which one may be wrong.
const TOLERANT: usize = 6;

impl Registry {
    /// A name with a filter name in place of the short or full name of a protocol: `rs.ip` for `RuneScape.ip`.
    #[must_use]
    pub fn with_filter_name(self, name: &str) -> String {
        let (protocol, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
        let own = simplified(protocol);
        let is_known = self.protocols().any(|known| known.this.abbrev == protocol);
        let cost = |field: &Field| {
            [field.name, field.about].map(|known| strsim::damerau_levenshtein(&simplified(known), &own)).into_iter().min()
        };
        let most = usize::from(own.chars().count() >= TOLERANT);
        let nearest = self.protocols().filter_map(|known| Some((cost(known.this)?, known))).min_by_key(|(cost, _)| *cost);
        match nearest.filter(|(cost, _)| *cost <= most && !own.is_empty() && !is_known) {
            Some((_, known)) => format!("{}{rest}", known.this.abbrev),
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
