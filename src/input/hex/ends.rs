//! Endpoints that a text states: `192.0.2.10:50123 -> 198.51.100.20:4000`, or columns of addresses.

use crate::tree::Side;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The endpoints of a packet; a port that is not stated is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) source: Option<SocketAddr>,
    pub(super) target: Option<SocketAddr>,
}

impl Ends {
    /// Source and target, if both are known.
    pub(super) fn both(&self) -> Option<(SocketAddr, SocketAddr)> {
        self.source.zip(self.target)
    }
}

/// Arrows between two endpoints; one that points to the left has its source at the right.
const ARROWS: [(&str, bool); 9] = [
    ("->", true),
    ("=>", true),
    ("-->", true),
    ("==>", true),
    (">", true),
    ("→", true),
    ("<-", false),
    ("<--", false),
    ("←", false),
];

/// The endpoints before bytes: two addresses around an arrow.
pub(super) fn ends(before: &[u8]) -> Ends {
    let text = String::from_utf8_lossy(before);
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = words.windows(3).find_map(|three| {
        let [left, arrow, right] = three else { return None };
        let (_, forward) = ARROWS.iter().find(|(sign, _)| sign == arrow)?;
        let (left, right) = (socket(left)?, socket(right)?);
        Some(if *forward { (left, right) } else { (right, left) })
    });
    Ends { source: found.map(|(source, _)| source), target: found.map(|(_, target)| target) }
}

/// An address with an optional port: `192.0.2.10:4000`, `[::1]:4000`, or `192.0.2.10.4000` as in tcpdump.
pub(super) fn socket(word: &str) -> Option<SocketAddr> {
    let word = word.trim_matches(|sign| "(),;".contains(sign)).trim_end_matches(':');
    if let Ok(socket) = word.parse() {
        return Some(socket);
    }
    let bare = word.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Some(SocketAddr::new(address, 0));
    }
    let (address, port) = word.rsplit_once('.')?;
    Some(SocketAddr::new(address.parse::<Ipv4Addr>().ok()?.into(), port.parse().ok()?))
}

/// The first endpoints of a text. Its first source is the client.
#[derive(Debug, Default)]
pub(super) struct Peers {
    client: Option<SocketAddr>,
    server: Option<SocketAddr>,
}

impl Peers {
    /// The direction of a packet between these endpoints; `None` if neither is known from the first packet.
    pub(super) fn direction(&mut self, ends: &Ends) -> Option<Side> {
        let source = ends.source?;
        if source == *self.client.get_or_insert(source) {
            self.server = self.server.or(ends.target);
            return Some(Side::Client);
        }
        (source == *self.server.get_or_insert(source)).then_some(Side::Server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_around_an_arrow_are_endpoints() {
        let (a, b) = ("192.0.2.10:5000".parse().unwrap(), "198.51.100.20:4000".parse().unwrap());
        for text in [
            "192.0.2.10:5000 -> 198.51.100.20:4000: ",
            "[12:00:01] 198.51.100.20:4000 <- 192.0.2.10:5000",
            "12:00:01.1 IP 192.0.2.10.5000 > 198.51.100.20.4000: UDP",
        ] {
            assert_eq!(ends(text.as_bytes()).both(), Some((a, b)), "{text}");
        }
        let (bare, v6) = (ends(b"10.0.0.1 -> 10.0.0.2: data="), ends(b"[::1]:5 -> [::1]:6 "));
        assert_eq!(bare.source, Some("10.0.0.1:0".parse().unwrap()));
        assert_eq!(v6.target, Some("[::1]:6".parse().unwrap()));
        assert_eq!(ends(b"a -> b"), Ends::default());
    }

    #[test]
    fn the_first_source_is_the_client() {
        let mut peers = Peers::default();
        let mut side = |text: &str| peers.direction(&ends(text.as_bytes()));
        assert_eq!(side("192.0.2.1:5 -> 192.0.2.2:6"), Some(Side::Client));
        assert_eq!(side("192.0.2.2:6 -> 192.0.2.1:5"), Some(Side::Server));
        assert_eq!(side("192.0.2.9:6 -> 192.0.2.1:5"), None);
    }
}
