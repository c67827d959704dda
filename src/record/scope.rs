//! What names are about: frames or messages. A question about frames is answered with packets.

use super::pseudo::Pseudo;
use crate::layers;
use crate::tree::{Field, Kind};

/// Headers whose datagrams are messages themselves, so that messages lack none of them.
const ALSO_MESSAGES: [&str; 9] = ["arp", "data", "icmp", "icmpv6", "igmp", "lldp", "pim", "pppoed", "slarp"];

/// Last parts of the names of addresses, ports and stream numbers, which messages have as well.
const SHARED: [&str; 10] = ["src", "dst", "addr", "host", "src_host", "dst_host", "port", "srcport", "dstport", "stream"];

/// Properties of messages that packets lack.
const OF_MESSAGES: [&str; 3] = ["n", "name", "protocol"];

/// What the names of a filter, or of columns, are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scope {
    /// Fields of single frames: headers, lengths, times, results of the TCP analysis.
    pub frames: bool,
    /// Fields of applications.
    pub messages: bool,
    /// Properties that only messages have.
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

    /// Adds a property of a record.
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

    /// Adds all of another one.
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
