//! Scope of fields: packets or messages. Filters and columns with packet fields only select the packet view.

use super::pseudo::Pseudo;
use crate::layers;
use crate::tree::{Field, Kind};

/// Headers whose datagrams are messages, so that every such frame has a message.
const ALSO_MESSAGES: [&str; 9] = ["arp", "data", "icmp", "icmpv6", "igmp", "lldp", "pim", "pppoed", "slarp"];

/// Suffixes of addresses, ports and stream numbers, which messages have, too.
const SHARED: [&str; 10] = ["src", "dst", "addr", "host", "src_host", "dst_host", "port", "srcport", "dstport", "stream"];

/// Pseudo-fields of messages only.
const OF_MESSAGES: [&str; 3] = ["n", "name", "protocol"];

/// Scope of the fields of a filter or of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scope {
    /// Packet fields: headers, lengths, times, TCP analysis.
    pub frames: bool,
    /// Application fields.
    pub messages: bool,
    /// Pseudo-fields of messages only.
    pub messages_only: bool,
}

impl Scope {
    /// Adds a field.
    pub fn add_field(&mut self, field: &Field) {
        let protocol = field.abbrev.split('.').next().unwrap_or_default();
        if !layers::is_of_header(field) || ALSO_MESSAGES.contains(&protocol) || layers::is_packet(protocol) {
            self.messages = true;
        } else if field.kind == Kind::Protocol || !field.abbrev.rsplit('.').next().is_some_and(|last| SHARED.contains(&last)) {
            self.frames = true;
        }
    }

    /// Adds a pseudo-field.
    pub fn add_pseudo(&mut self, pseudo: &Pseudo) {
        if pseudo.name.starts_with("message.") || OF_MESSAGES.contains(&pseudo.name) {
            self.messages = true;
            self.messages_only |= pseudo.name != "message.dir";
        } else if pseudo.name.starts_with("frame.") || pseudo.is_expert() {
            self.frames = true;
        }
    }

    /// Adds the whole frame as bytes.
    pub fn add_frame(&mut self) {
        self.frames = true;
    }

    /// Adds another scope.
    pub fn add(&mut self, other: Scope) {
        self.frames |= other.frames;
        self.messages |= other.messages;
        self.messages_only |= other.messages_only;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::pseudo;
    use crate::registry::Registry;

    fn scope(name: &str) -> (bool, bool) {
        let mut scope = Scope::default();
        match pseudo::named(name) {
            Some(pseudo) => scope.add_pseudo(pseudo),
            None => Registry::default().named(name).into_iter().for_each(|field| scope.add_field(field)),
        }
        (scope.frames, scope.messages)
    }

    #[test]
    fn headers_are_about_frames_but_addresses_ports_and_streams() {
        for name in
            ["tcp.flags.reset", "tcp.analysis.retransmission", "frame.len", "ip.ttl", "tcp.seq", "vlan.id", "tcp", "_ws.expert"]
        {
            assert_eq!(scope(name), (true, false), "{name}");
        }
        for name in
            ["ip.addr", "ip.src", "eth.dst", "ipv6.src_host", "tcp.port", "udp.dstport", "tcp.stream", "stream", "_ws.col.Info"]
        {
            assert_eq!(scope(name), (false, false), "{name}");
        }
        for name in ["pipboy.type", "dns.qry.name", "http", "data.data", "icmp.type", "arp", "message.name"] {
            assert_eq!(scope(name), (false, true), "{name}");
        }
    }
}
