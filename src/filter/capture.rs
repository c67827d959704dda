//! Translation of capture filters (pcap-filter(7)) to display filters.
//!
//! Users often type one for the other: `host 10.0.0.1 and not port 22`. Primitives with their qualifiers are recognized, combined
//! by `and`, `or`, `not` and parentheses.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Nesting depth, which bounds the stack.
const MAX_DEPTH: usize = 50;

/// Equivalent display filter of a capture filter; `None` if the text is not a capture filter.
pub(super) fn as_display_filter(text: &str) -> Option<String> {
    let mut reader = Reader { words: words(text), next: 0, last: Qualifiers::default(), depth: 0 };
    let filter = reader.either()?;
    (reader.next == reader.words.len() && !filter.is_empty()).then_some(filter)
}

/// Splits text into words and symbols.
fn words(text: &str) -> Vec<String> {
    let mut spaced = text.to_owned();
    for sign in ["(", ")", "&&", "||", "!="] {
        spaced = spaced.replace(sign, &format!(" {sign} "));
    }
    let mut words: Vec<String> = Vec::new();
    for word in spaced.split_whitespace() {
        match word.strip_prefix('!').filter(|rest| !rest.is_empty() && *rest != "=") {
            Some(rest) => words.extend(["!".to_owned(), rest.to_owned()]),
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Qualifiers of an address, a port or a network.
#[derive(Debug, Clone, Copy, Default)]
struct Qualifiers {
    protocol: Option<Protocol>,
    side: Side,
    kind: Option<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Ether,
    Ip,
    Ip6,
    Arp,
    Tcp,
    Udp,
    Sctp,
    Icmp,
    Icmp6,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Side {
    Source,
    Destination,
    #[default]
    Either,
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    Net,
    Port,
    PortRange,
}

impl Protocol {
    const ALL: [(&str, Protocol, &str); 12] = [
        ("ether", Protocol::Ether, "eth"),
        ("ip", Protocol::Ip, "ip"),
        ("ip4", Protocol::Ip, "ip"),
        ("ip6", Protocol::Ip6, "ipv6"),
        ("arp", Protocol::Arp, "arp"),
        ("tcp", Protocol::Tcp, "tcp"),
        ("udp", Protocol::Udp, "udp"),
        ("sctp", Protocol::Sctp, "sctp"),
        ("icmp", Protocol::Icmp, "icmp"),
        ("icmp6", Protocol::Icmp6, "icmpv6"),
        ("igmp", Protocol::Icmp, "igmp"),
        ("rarp", Protocol::Arp, "rarp"),
    ];

    fn named(word: &str) -> Option<(Protocol, &'static str)> {
        Protocol::ALL.iter().find(|(name, ..)| *name == word).map(|(_, protocol, layer)| (*protocol, *layer))
    }
}

/// Parser of capture filters.
struct Reader {
    words: Vec<String>,
    next: usize,
    /// Qualifiers of the previous primitive, which apply to the next one by default.
    last: Qualifiers,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.next).map(String::as_str)
    }

    fn take(&mut self) -> Option<String> {
        let word = self.words.get(self.next).cloned();
        self.next += 1;
        word
    }

    fn take_if(&mut self, one_of: &[&str]) -> bool {
        let found = self.peek().is_some_and(|word| one_of.contains(&word));
        self.next += usize::from(found);
        found
    }

    /// Primitives joined by `or`.
    fn either(&mut self) -> Option<String> {
        let mut parts = vec![self.both()?];
        while self.take_if(&["or", "||"]) {
            parts.push(self.both()?);
        }
        Some(parts.join(" or "))
    }

    /// Primitives joined by `and`.
    fn both(&mut self) -> Option<String> {
        let mut parts = vec![self.one()?];
        while self.take_if(&["and", "&&"]) {
            parts.push(self.one()?);
        }
        match parts.as_slice() {
            [part] => Some(part.clone()),
            // In display filters, `and` has precedence over `or`; in capture filters, they have equal precedence.
            parts => Some(parts.iter().map(|part| grouped(part)).collect::<Vec<_>>().join(" and ")),
        }
    }

    fn one(&mut self) -> Option<String> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let one = if self.take_if(&["not", "!"]) {
            self.one().map(|part| format!("not {}", grouped(&part)))
        } else if self.take_if(&["("]) {
            let inner = self.either()?;
            self.take_if(&[")"]).then_some(grouped(&inner))
        } else {
            self.primitive()
        };
        self.depth -= 1;
        one
    }

    /// A primitive with qualifiers.
    fn primitive(&mut self) -> Option<String> {
        let start = self.next;
        let mut given = Qualifiers::default();
        let mut layer = None;
        if let Some((protocol, name)) = self.peek().and_then(Protocol::named) {
            self.next += 1;
            (given.protocol, layer) = (Some(protocol), Some(name));
        }
        if let Some(side) = self.side()? {
            given.side = side;
        }
        given.kind = match self.peek() {
            Some("host") => Some(Kind::Host),
            Some("net") => Some(Kind::Net),
            Some("port") => Some(Kind::Port),
            Some("portrange") => Some(Kind::PortRange),
            _ => None,
        };
        self.next += usize::from(given.kind.is_some());
        let is_bare = self.next == start;
        let is_layer = given.kind.is_none() && given.side == Side::Either && !self.is_value();
        match (layer, is_layer) {
            (Some("eth"), true) | (None, true) => return self.special(),
            (Some(layer), true) => {
                self.last = given;
                return Some(layer.to_owned());
            }
            (_, false) => {}
        }
        // `port 80 or 443` repeats the qualifiers. `src 10.0.0.1` is a host.
        let meant = if is_bare { self.last } else { Qualifiers { kind: given.kind.or(Some(Kind::Host)), ..given } };
        self.last = meant;
        let value = self.take()?;
        match meant.kind? {
            Kind::Host => host(meant, &value),
            Kind::Net => self.net(meant, &value),
            Kind::Port => port(meant, &[&port_number(&value)?]),
            Kind::PortRange => {
                let (from, to) = value.split_once('-')?;
                port(meant, &[&port_number(from)?, &port_number(to)?])
            }
        }
    }

    /// `src`, `dst`, `src or dst`, `src and dst`; `None` if the primitive has no direction.
    fn side(&mut self) -> Option<Option<Side>> {
        let is_side = |word: Option<&String>| word.is_some_and(|word| ["src", "dst"].contains(&word.as_str()));
        let Some(first) = self.words.get(self.next).filter(|word| is_side(Some(word))).cloned() else { return Some(None) };
        self.next += 1;
        let joint = self.peek().filter(|word| ["or", "and"].contains(word)).map(str::to_owned);
        if let Some(joint) = joint.filter(|_| is_side(self.words.get(self.next + 1))) {
            self.next += 2;
            return Some(Some(if joint == "or" { Side::Either } else { Side::Both }));
        }
        Some(Some(if first == "src" { Side::Source } else { Side::Destination }))
    }

    /// Whether the next token is an address or a number.
    fn is_value(&self) -> bool {
        let is_value = |word: &str| {
            word.starts_with(|first: char| first.is_ascii_hexdigit()) && word.contains(['.', ':', '/'])
                || word.parse::<u32>().is_ok()
        };
        self.peek().is_some_and(is_value)
    }

    /// Primitives without an address.
    fn special(&mut self) -> Option<String> {
        match self.take()?.as_str() {
            "less" => Some(format!("frame.len <= {}", number(&self.take()?)?)),
            "greater" => Some(format!("frame.len >= {}", number(&self.take()?)?)),
            "broadcast" => Some("eth.dst == ff:ff:ff:ff:ff:ff".into()),
            "multicast" => Some("eth.dst[0] & 1".into()),
            "vlan" => match self.peek().and_then(number) {
                Some(id) => {
                    self.next += 1;
                    Some(format!("vlan.id == {id}"))
                }
                None => Some("vlan".into()),
            },
            "proto" => match self.take()?.trim_start_matches('\\') {
                "tcp" => Some("ip.proto == 6".into()),
                "udp" => Some("ip.proto == 17".into()),
                "icmp" => Some("ip.proto == 1".into()),
                word => Some(format!("ip.proto == {}", number(word)?)),
            },
            word if word.starts_with("tcp[") => self.flags(word),
            _ => None,
        }
    }

    /// `tcp[tcpflags] & (tcp-syn|tcp-fin) != 0`.
    fn flags(&mut self, first: &str) -> Option<String> {
        let mut rest = String::from(first);
        while let Some(word) = self.peek().filter(|word| !["and", "or", "&&", "||"].contains(word)) {
            if word == ")" && rest.matches('(').count() <= rest.matches(')').count() {
                break;
            }
            rest.push_str(word);
            self.next += 1;
        }
        let rest = rest.strip_prefix("tcp[tcpflags]&").or_else(|| rest.strip_prefix("tcp[13]&"))?;
        let names = rest.strip_suffix("!=0")?.trim_matches(['(', ')']);
        let flags = names.split('|').map(|name| match name.strip_prefix("tcp-")? {
            "push" => Some("tcp.flags.push == 1".to_owned()),
            "rst" => Some("tcp.flags.reset == 1".to_owned()),
            flag @ ("syn" | "fin" | "ack" | "urg") => Some(format!("tcp.flags.{flag} == 1")),
            _ => None,
        });
        Some(flags.collect::<Option<Vec<_>>>()?.join(" or "))
    }

    fn net(&mut self, meant: Qualifiers, value: &str) -> Option<String> {
        if self.take_if(&["mask"]) {
            let mask: Ipv4Addr = self.take()?.parse().ok()?;
            let address: Ipv4Addr = value.parse().ok()?;
            (mask.to_bits().leading_ones() + mask.to_bits().trailing_zeros() == 32).then_some(())?;
            return addresses(meant, "ip", &format!("{address}/{}", mask.to_bits().leading_ones()));
        }
        let (address, length) = match value.split_once('/') {
            Some((address, length)) => (address, Some(number(length)?)),
            None => (value, None),
        };
        if address.contains(':') {
            let address: Ipv6Addr = address.parse().ok()?;
            return addresses(meant, "ipv6", &format!("{address}/{}", length.filter(|length| *length <= 128).or(Some(128))?));
        }
        let parts: Vec<&str> = address.split('.').collect();
        let octets = parts.iter().map(|part| part.parse::<u8>().ok()).collect::<Option<Vec<u8>>>()?;
        let implied = u32::try_from(8 * octets.len()).ok().filter(|length| *length <= 32)?;
        let at = |place: usize| octets.get(place).copied().unwrap_or(0);
        let length = length.unwrap_or(implied);
        (length <= 32).then_some(())?;
        addresses(meant, "ip", &format!("{}/{length}", Ipv4Addr::new(at(0), at(1), at(2), at(3))))
    }
}

/// Adds parentheses to alternatives.
fn grouped(part: &str) -> String {
    let is_grouped = part.starts_with('(') && part.ends_with(')');
    if (part.contains(" or ") || part.contains(" and ")) && !is_grouped { format!("({part})") } else { part.to_owned() }
}

fn number(word: &str) -> Option<u32> {
    word.parse().ok()
}

/// Parses a port number or a service name known to tcpdump.
fn port_number(word: &str) -> Option<String> {
    const NAMES: [(&str, u16); 10] = [
        ("ftp", 21),
        ("ssh", 22),
        ("telnet", 23),
        ("smtp", 25),
        ("domain", 53),
        ("tftp", 69),
        ("http", 80),
        ("ntp", 123),
        ("snmp", 161),
        ("https", 443),
    ];
    let by_name = NAMES.iter().find(|(name, _)| *name == word).map(|(_, number)| *number);
    by_name.or_else(|| word.parse().ok()).map(|number| number.to_string())
}

/// Formats a comparison of addresses.
fn addresses(meant: Qualifiers, layer: &str, value: &str) -> Option<String> {
    Some(match meant.side {
        Side::Source => format!("{layer}.src == {value}"),
        Side::Destination => format!("{layer}.dst == {value}"),
        Side::Either => format!("{layer}.addr == {value}"),
        Side::Both => format!("{layer}.src == {value} and {layer}.dst == {value}"),
    })
}

fn host(meant: Qualifiers, value: &str) -> Option<String> {
    if meant.protocol == Some(Protocol::Ether) {
        let is_mac = value.split([':', '-', '.']).count() == 6 && value.len() == 17;
        return if is_mac { addresses(meant, "eth", &value.replace('-', ":")) } else { None };
    }
    if meant.protocol == Some(Protocol::Arp) {
        let address: Ipv4Addr = value.parse().ok()?;
        let (source, destination) = (format!("arp.src.proto_ipv4 == {address}"), format!("arp.dst.proto_ipv4 == {address}"));
        return Some(match meant.side {
            Side::Source => source,
            Side::Destination => destination,
            Side::Either => format!("{source} or {destination}"),
            Side::Both => format!("{source} and {destination}"),
        });
    }
    if let Ok(address) = value.parse::<Ipv6Addr>() {
        return addresses(meant, "ipv6", &address.to_string());
    }
    addresses(meant, "ip", &value.parse::<Ipv4Addr>().ok()?.to_string())
}

/// Formats a comparison with a port or a port range.
fn port(meant: Qualifiers, ports: &[&str]) -> Option<String> {
    let name = match meant.side {
        Side::Source => "srcport",
        Side::Destination => "dstport",
        Side::Either | Side::Both => "port",
    };
    let compared = match ports {
        [one] => format!("== {one}"),
        [from, to] => format!("in {{{from}..{to}}}"),
        _ => return None,
    };
    let of = |layer: &str| match meant.side {
        Side::Both => format!("{layer}.srcport {compared} and {layer}.dstport {compared}"),
        _ => format!("{layer}.{name} {compared}"),
    };
    match meant.protocol {
        Some(Protocol::Tcp) => Some(of("tcp")),
        Some(Protocol::Udp) => Some(of("udp")),
        Some(Protocol::Sctp) => Some(of("sctp")),
        None | Some(Protocol::Ip) => Some(format!("{} or {}", grouped(&of("tcp")), grouped(&of("udp")))),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Filter;
    use super::*;
    use crate::registry::Registry;

    /// Capture filters and their equivalent display filters.
    const TRANSLATIONS: &[(&str, &str)] = &[
        ("host 10.0.0.1", "ip.addr == 10.0.0.1"),
        ("src host 10.0.0.1", "ip.src == 10.0.0.1"),
        ("dst 10.0.0.1", "ip.dst == 10.0.0.1"),
        ("src or dst host 10.0.0.1", "ip.addr == 10.0.0.1"),
        ("host 2001:db8::1", "ipv6.addr == 2001:db8::1"),
        ("ether host 00:11:22:33:44:55", "eth.addr == 00:11:22:33:44:55"),
        ("net 10.0.0.0/8", "ip.addr == 10.0.0.0/8"),
        ("net 192.168", "ip.addr == 192.168.0.0/16"),
        ("dst net 10.1.0.0 mask 255.255.0.0", "ip.dst == 10.1.0.0/16"),
        ("port 80", "tcp.port == 80 or udp.port == 80"),
        ("tcp port 80", "tcp.port == 80"),
        ("tcp port 80 or 443", "tcp.port == 80 or tcp.port == 443"),
        ("udp dst port 53", "udp.dstport == 53"),
        ("port domain", "tcp.port == 53 or udp.port == 53"),
        ("tcp portrange 8000-8100", "tcp.port in {8000..8100}"),
        ("not port 22", "not (tcp.port == 22 or udp.port == 22)"),
        ("host 10.0.0.1 and not tcp port 22", "ip.addr == 10.0.0.1 and not tcp.port == 22"),
        (
            "host 10.0.0.1 && (port 80 || port 443)",
            "ip.addr == 10.0.0.1 and (tcp.port == 80 or udp.port == 80 or tcp.port == 443 or udp.port == 443)",
        ),
        ("arp or host 10.0.0.1", "arp or ip.addr == 10.0.0.1"),
        ("icmp and host 10.0.0.1", "icmp and ip.addr == 10.0.0.1"),
        ("ip6 and tcp port 80", "ipv6 and tcp.port == 80"),
        ("greater 1000", "frame.len >= 1000"),
        ("ether broadcast", "eth.dst == ff:ff:ff:ff:ff:ff"),
        ("vlan 7 and host 10.0.0.1", "vlan.id == 7 and ip.addr == 10.0.0.1"),
        ("tcp[tcpflags] & (tcp-syn|tcp-fin) != 0", "tcp.flags.syn == 1 or tcp.flags.fin == 1"),
        ("arp host 10.0.0.1", "arp.src.proto_ipv4 == 10.0.0.1 or arp.dst.proto_ipv4 == 10.0.0.1"),
    ];

    #[test]
    fn capture_filters_become_display_filters_that_are_understood() {
        for (capture, display) in TRANSLATIONS {
            assert_eq!(as_display_filter(capture).as_deref(), Some(*display), "{capture}");
            let filter = Filter::parse(display, Registry::default()).unwrap();
            assert!(filter.undissected().is_empty(), "{display}");
            assert!(Filter::parse(capture, Registry::default()).is_err(), "{capture} is a display filter as it is");
        }
    }

    #[test]
    fn other_mistakes_are_no_capture_filters() {
        for text in [
            "ip.src = 10.0.0.1",
            "tcp.port 80",
            "host",
            "port x",
            "net 300.1",
            "host 10.0.0.1 80 90 and",
            "(host 10.0.0.1",
            "",
            "not",
        ] {
            assert_eq!(as_display_filter(text), None, "{text}");
        }
        assert_eq!(as_display_filter(&"(".repeat(10_000)), None);
        assert_eq!(as_display_filter(&"not ".repeat(10_000)), None);
    }
}
