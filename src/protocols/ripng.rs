//! RIPng, the Routing Information Protocol for IPv6 (RFC 2080).
//!
//! ```text
//! command:1 | version:1, 1 | reserved:2 | entry …
//! entry    prefix:16 | route tag:2 | prefix length:1 | metric:1        with metric ff, the next hop of those behind it
//! ```

use crate::tree::{Names, fields, name_of, title};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&RIPNG, FIELDS)
    .found(&[
        On::Udp(521).datagram(Heuristic::Datagram(recognize), message),
        On::Udp(521).datagram(Heuristic::Datagram(is_likely), message).by_port(),
    ])
    .rest(&DATA);

fields! {
    RIPNG = protocol("ripng", "RIPng", "Routing Information Protocol for IPv6").covers("Routes");
    COMMAND = number("ripng.cmd", "Command", "").names(COMMANDS).once();
    VERSION = number("ripng.version", "Version", "").once();
    RESERVED = bytes("ripng.reserved", "Reserved", "").once();
    ENTRY = group("ripng.rte", "Route Table Entry", "").titled(title::kind);
    PREFIX = ipv6("ripng.rte.ipv6_prefix", "IPv6 prefix", "").once_per(&ENTRY);
    TAG = number("ripng.rte.route_tag", "Route tag", "").hex(4).once_per(&ENTRY);
    LENGTH = number("ripng.rte.prefix_length", "Prefix length", "Bits").once_per(&ENTRY);
    METRIC = number("ripng.rte.metric", "Metric", "Hops; 16 is unreachable").once_per(&ENTRY);
    DATA = bytes("ripng.data", "Data", "Undissected bytes");
}

const COMMANDS: Names = &[(1, "Request"), (2, "Response")];

/// Bytes of an entry.
const ENTRY_LEN: usize = 20;

fn recognize(bytes: &[u8]) -> bool {
    matches!(bytes, [1..=2, 1, _, _, entries @ ..] if entries.len() >= ENTRY_LEN)
}

/// Whether entries fill a datagram that has a known command or version.
fn is_likely(bytes: &[u8]) -> bool {
    let Some((&[command, version, ..], entries)) = bytes.split_first_chunk::<4>() else { return false };
    let fits = !entries.is_empty() && entries.len().is_multiple_of(ENTRY_LEN);
    fits && (name_of(COMMANDS, command.into()).is_some() || version == 1)
}

fn message(wire: &mut Wire<'_>) -> Result {
    let command = wire.u8(&COMMAND)?;
    wire.name(name_of(COMMANDS, command.into()).unwrap_or("unknown command"));
    wire.u8(&VERSION)?;
    wire.bytes(&RESERVED, 2)?;
    let entries = wire.remaining() / ENTRY_LEN;
    wire.info(format_args!("{entries} {}", if entries == 1 { "entry" } else { "entries" }));
    wire.groups(&ENTRY, |wire| {
        wire.bytes(&PREFIX, 16)?;
        wire.u16_be(&TAG)?;
        wire.u8(&LENGTH)?;
        wire.u8(&METRIC).map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const ROUTES: &str = "02 01 0000 20010db8000100000000000000000000 0007 30 01 \
        fe800000000000000000000000000001 0000 00 ff";

    #[test]
    fn routes_are_read() {
        let bytes = trial::bytes(ROUTES);
        assert!(recognize(&bytes) && !recognize(&bytes[..20]) && !recognize(&bytes[1..]));
        insta::assert_snapshot!(trial::read(&PROTOCOL, &bytes, Cut::No, message), @"
        ripng 0..44 | Response | 2 entries
          0..1 ripng.cmd = 2 (Response)
          1..2 ripng.version = 1
          2..4 ripng.reserved = 0000
          4..24 ripng.rte
            4..20 ripng.rte.ipv6_prefix = 2001:db8:1::
            20..22 ripng.rte.route_tag = 0x0007
            22..23 ripng.rte.prefix_length = 48
            23..24 ripng.rte.metric = 1
          24..44 ripng.rte
            24..40 ripng.rte.ipv6_prefix = fe80::1
            40..42 ripng.rte.route_tag = 0x0000
            42..43 ripng.rte.prefix_length = 0
            43..44 ripng.rte.metric = 255
        ");
    }

    #[test]
    fn damaged_messages_are_read_as_far_as_they_go() {
        trial::survives_damage(&PROTOCOL, &trial::bytes(ROUTES), message);
    }
}
