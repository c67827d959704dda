//! Filter names found by other names of their protocol.

use super::Registry;

/// Fewest characters of a name in which one may be wrong.
const TOLERANT: usize = 6;

impl Registry {
    /// A name with a filter name in place of the short or full name of a protocol: `rs.ip` for `RuneScape.ip`.
    #[must_use]
    pub fn with_filter_name(self, name: &str) -> String {
        let (protocol, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
        if self.protocol(protocol).is_some() {
            return name.to_owned();
        }
        let own = simplified(protocol);
        let distance = |known: &str| strsim::damerau_levenshtein(&simplified(known), &own);
        let nearest =
            self.protocols().map(|known| known.this).min_by_key(|field| distance(field.name).min(distance(field.about)));
        let most = usize::from(own.chars().count() >= TOLERANT);
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
