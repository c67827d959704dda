//! RIP, the Routing Information Protocol. Versions 1 (RFC 1058) and 2 (RFC 2453), with keyed digests (RFC 2082).
//!
//! ```text
//! command:1 | version:1 | routing domain:2 | entry … up to 25
//! entry            family:2 | route tag:2 | address:4 | mask:4 | next hop:4 | metric:4
//! authentication   family:2, ffff | type:2 | password:16
//!                                 | type:2, 3 | offset:2 | key:1 | length:1 | sequence number:4 | zeros:8
//! digest           family:2, ffff | type:2, 1 | digest                          behind the last entry
//! ```

use crate::tree::{Names, fields, name_of, title};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&RIP, FIELDS)
    .found(&[
        On::Udp(520).datagram(Heuristic::Datagram(recognize), message),
        On::Udp(520).datagram(Heuristic::Datagram(is_likely), message).by_port(),
    ])
    .rest(&DATA);

fields! {
    RIP = protocol("rip", "RIP", "Routing Information Protocol").covers("Routes and authentication of versions 1 and 2");
    COMMAND = number("rip.command", "Command", "").names(COMMANDS).once();
    VERSION = number("rip.version", "Version", "").names(VERSIONS).once();
    DOMAIN = number("rip.routing_domain", "Routing domain", "").once();
    ENTRY = group("rip.entry", "Entry", "").titled(title::kind);
    FAMILY = number("rip.family", "Address family", "").names(FAMILIES);
    TAG = number("rip.route_tag", "Route tag", "");
    IP = ipv4("rip.ip", "IP address", "");
    NETMASK = ipv4("rip.netmask", "Netmask", "");
    NEXT_HOP = ipv4("rip.next_hop", "Next hop", "");
    METRIC = number("rip.metric", "Metric", "Hops; 16 is unreachable");
    MARK = number("rip.auth.mark", "Authentication mark", "Replaces the address family").hex(4);
    AUTH_TYPE = number("rip.auth.type", "Authentication type", "").names(AUTH_TYPES);
    TRAILER = number("rip.auth.trailer", "Trailer type", "Marks the authentication data after the routes").hex(4);
    PASSWORD = text("rip.auth.passwd", "Password", "").secret();
    OFFSET = number("rip.digest_offset", "Digest offset", "Bytes from the header to the digest");
    KEY_ID = number("rip.key_id", "Key ID", "");
    AUTH_LENGTH = number("rip.auth_data_len", "Auth data len", "Bytes of the digest");
    SEQUENCE = number("rip.seq_num", "Seq num", "");
    ZEROS = bytes("rip.zero_padding", "Zero padding", "");
    DIGEST = bytes("rip.authentication_data", "Authentication data", "");
    UNUSED = bytes("rip.unused", "Unused", "Zeros of an entry of version 1");
    DATA = bytes("rip.data", "Data", "Undissected bytes");
}

const COMMANDS: Names = &[(1, "Request"), (2, "Response"), (3, "Traceon"), (4, "Traceoff"), (5, "Vendor specific (Sun)")];
const VERSIONS: Names = &[(1, "RIPv1"), (2, "RIPv2")];
const FAMILIES: Names = &[(0, "unspecified"), (2, "IP")];
const AUTH_TYPES: Names = &[(2, "simple password"), (3, "keyed message digest")];

/// Bytes of a header, and of an entry.
const HEADER: usize = 4;
const ENTRY_LEN: usize = 20;
/// Type of the entry with the digest, RFC 2082.
const TRAILER_TYPE: [u8; 2] = [0, 1];

/// Recognizes a header and its first entry by the zeros of version 1, the address family and the metric.
fn recognize(bytes: &[u8]) -> bool {
    let &[1..=5, version @ 1..=2, high, low, ref entries @ ..] = bytes else { return false };
    match (version, entries.first_chunk::<ENTRY_LEN>()) {
        (2, _) if entries.starts_with(&[0xff; 2]) => true,
        (1, Some(entry)) => [high, low] == [0; 2] && entry[2..4] == [0; 2] && entry[8..16] == [0; 8] && is_route(entry),
        (_, Some(entry)) => is_route(entry),
        (_, None) => false,
    }
}

/// Whether an entry has a family of [`FAMILIES`] and a metric up to infinity.
fn is_route(entry: &[u8; ENTRY_LEN]) -> bool {
    matches!(entry, [0, 0 | 2, .., 0, 0, 0, 0..=16])
}

/// Whether entries fill a datagram that has a known command or version.
fn is_likely(bytes: &[u8]) -> bool {
    let Some((&[command, version, ..], entries)) = bytes.split_first_chunk::<4>() else { return false };
    let fits = !entries.is_empty() && entries.len().is_multiple_of(ENTRY_LEN);
    fits && (name_of(COMMANDS, command.into()).is_some() || matches!(version, 1 | 2))
}

fn message(wire: &mut Wire<'_>) -> Result {
    let command = wire.u8(&COMMAND)?;
    wire.name(name_of(COMMANDS, command.into()).unwrap_or("unknown command"));
    let version = wire.u8(&VERSION)?;
    wire.column(if version == 2 { "RIPv2" } else { "RIPv1" });
    wire.u16_be(&DOMAIN)?;
    let entries = wire.remaining() / ENTRY_LEN;
    wire.info(format_args!("{entries} {}", if entries == 1 { "entry" } else { "entries" }));
    wire.groups(&ENTRY, |wire| entry(wire, version))
}

fn entry(wire: &mut Wire<'_>, version: u8) -> Result {
    if wire.ahead().starts_with(&[0xff; 2]) {
        return authentication(wire);
    }
    wire.u16_be(&FAMILY)?;
    if version == 1 {
        wire.bytes(&UNUSED, 2)?;
        wire.bytes(&IP, 4)?;
        wire.bytes(&UNUSED, 8)?;
    } else {
        wire.u16_be(&TAG)?;
        wire.bytes(&IP, 4)?;
        wire.bytes(&NETMASK, 4)?;
        wire.bytes(&NEXT_HOP, 4)?;
    }
    wire.u32_be(&METRIC).map(drop)
}

fn authentication(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&MARK)?;
    if wire.ahead().starts_with(&TRAILER_TYPE) {
        wire.u16_be(&TRAILER)?;
        return wire.rest_is(&DIGEST);
    }
    match wire.u16_be(&AUTH_TYPE)? {
        2 => wire.secret_padded(&PASSWORD, ENTRY_LEN - HEADER)?,
        3 => {
            wire.u16_be(&OFFSET)?;
            wire.u8(&KEY_ID)?;
            wire.u8(&AUTH_LENGTH)?;
            wire.u32_be(&SEQUENCE)?;
            wire.bytes(&ZEROS, 8)?;
        }
        _ => drop(wire.bytes(&DATA, ENTRY_LEN - HEADER)?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const ROUTES: &str = "02 02 0000 ffff 0002 73656372657400000000000000000000 \
        0002 0007 c0000200 ffffff00 00000000 00000001";
    const DIGEST: &str = "02 02 0000 ffff 0003 002c 01 14 00000005 0000000000000000 \
        0002 0000 c6336400 ffffff00 c0000201 00000010 ffff 0001 00112233445566778899aabbccddeeff";
    const REQUEST: &str = "01 01 0000 0000 0000 00000000 00000000 00000000 00000010";

    fn tree(hex: &str) -> String {
        let bytes = trial::bytes(hex);
        assert!(recognize(&bytes));
        trial::read(&PROTOCOL, &bytes, Cut::No, message)
    }

    #[test]
    fn other_datagrams_are_not_recognized() {
        let without = |at: usize, byte: u8| {
            let mut bytes = trial::bytes(REQUEST);
            bytes[at] = byte;
            recognize(&bytes)
        };
        assert!(without(23, 1));
        for (at, byte) in [(0, 6), (1, 3), (2, 1), (4, 1), (5, 10), (6, 1), (15, 1), (22, 1), (23, 17)] {
            assert!(!without(at, byte), "{byte} at {at}");
        }
        // A request and a login of SOCKS.
        for hex in ["05 01 00 03 0f 7777772e6578616d706c652e6f7267 0050", "05 01 02 01 04 6d6f7373 0d 6d6f73732d677265656e2d3132"]
        {
            assert!(!recognize(&trial::bytes(hex)), "{hex}");
        }
    }

    #[test]
    fn routes_and_authentication_are_read() {
        insta::assert_snapshot!([ROUTES, DIGEST, REQUEST].map(tree).concat(), @r#"
        rip 0..44 | Response | 2 entries
          0..1 rip.command = 2 (Response)
          1..2 rip.version = 2 (RIPv2)
          2..4 rip.routing_domain = 0
          4..24 rip.entry
            4..6 rip.auth.mark = 0xffff
            6..8 rip.auth.type = 2 (simple password)
            8..24 rip.auth.passwd = "secret"
          24..44 rip.entry
            24..26 rip.family = 2 (IP)
            26..28 rip.route_tag = 7
            28..32 rip.ip = 192.0.2.0
            32..36 rip.netmask = 255.255.255.0
            36..40 rip.next_hop = 0.0.0.0
            40..44 rip.metric = 1
        rip 0..64 | Response | 3 entries
          0..1 rip.command = 2 (Response)
          1..2 rip.version = 2 (RIPv2)
          2..4 rip.routing_domain = 0
          4..24 rip.entry
            4..6 rip.auth.mark = 0xffff
            6..8 rip.auth.type = 3 (keyed message digest)
            8..10 rip.digest_offset = 44
            10..11 rip.key_id = 1
            11..12 rip.auth_data_len = 20
            12..16 rip.seq_num = 5
            16..24 rip.zero_padding = 0000000000000000
          24..44 rip.entry
            24..26 rip.family = 2 (IP)
            26..28 rip.route_tag = 0
            28..32 rip.ip = 198.51.100.0
            32..36 rip.netmask = 255.255.255.0
            36..40 rip.next_hop = 192.0.2.1
            40..44 rip.metric = 16
          44..64 rip.entry
            44..46 rip.auth.mark = 0xffff
            46..48 rip.auth.trailer = 0x0001
            48..64 rip.authentication_data = 00112233445566778899aabbccddeeff
        rip 0..24 | Request | 1 entry
          0..1 rip.command = 1 (Request)
          1..2 rip.version = 1 (RIPv1)
          2..4 rip.routing_domain = 0
          4..24 rip.entry
            4..6 rip.family = 0 (unspecified)
            6..8 rip.unused = 0000
            8..12 rip.ip = 0.0.0.0
            12..20 rip.unused = 0000000000000000
            20..24 rip.metric = 16
        "#);
    }

    #[test]
    fn damaged_messages_are_read_as_far_as_they_go() {
        for hex in [ROUTES, DIGEST, REQUEST] {
            trial::survives_damage(&PROTOCOL, &trial::bytes(hex), message);
        }
        assert!(!recognize(b"\x02\x02\0\0") && !recognize(&[9; 24]));
    }
}
