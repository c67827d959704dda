//! NetBIOS datagram service (RFC 1002).
//!
//! ```text
//! header      type:1 | flags:1 | ID:2 | source:4 | port:2
//!   10 direct unique, 11 direct group, 12 broadcast     length:2 | offset:2 | source name | destination name | contents
//!   13 error                                            code:1
//!   14 query request, 15 positive, 16 negative response destination name
//! ```

use super::nbns;
use crate::tree::{Names, fields, name_of};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&NBDGM, FIELDS)
    .found(&[
        On::Udp(138).datagram(Heuristic::Datagram(recognize), message),
        On::Udp(138).datagram(Heuristic::Datagram(is_likely), message).by_port(),
    ])
    .rest(&DATA);

fields! {
    NBDGM = protocol("nbdgm", "NBDGM", "NetBIOS Datagram Service").covers("All datagrams; SMB inside").leaves_open("Joining of fragments");
    TYPE = number("nbdgm.type", "Message Type", "").names(TYPES).once();
    FLAGS = number("nbdgm.flags", "Flags", "").hex(2).once();
    MORE = bool("nbdgm.next", "More fragments follow", "").mask(0x01).once();
    FIRST = bool("nbdgm.first", "This is first fragment", "").mask(0x02).once();
    NODE = number("nbdgm.node_type", "Node Type", "").mask(0x0c).names(NODES).once();
    ID = number("nbdgm.dgram_id", "Datagram ID", "").hex(4).once();
    SOURCE = ipv4("nbdgm.src.ip", "Source IP", "").once();
    PORT = number("nbdgm.src.port", "Source Port", "").once();
    LENGTH = number("nbdgm.dgram_len", "Datagram length", "Of names and contents, in bytes").once();
    OFFSET = number("nbdgm.pkt_offset", "Packet offset", "Of a fragment, in bytes").once();
    ERROR = number("nbdgm.error_code", "Error code", "").hex(2).names(ERRORS).once();
    SOURCE_NAME = text("nbdgm.source_name", "Source name", "").once();
    DESTINATION_NAME = text("nbdgm.destination_name", "Destination name", "").once();
    DATA = bytes("nbdgm.data", "Data", "Undissected bytes");
}

const TYPES: Names = &[
    (0x10, "Direct_unique datagram"),
    (0x11, "Direct_group datagram"),
    (0x12, "Broadcast datagram"),
    (0x13, "Datagram error"),
    (0x14, "Datagram query request"),
    (0x15, "Datagram positive query response"),
    (0x16, "Datagram negative query response"),
];
const NODES: Names = &[(0, "B node"), (1, "P node"), (2, "M node"), (3, "NBDD")];
const ERRORS: Names =
    &[(0x82, "Destination name not present"), (0x83, "Invalid source name format"), (0x84, "Invalid destination name format")];

/// Recognizes a header of a known type that is long enough for its type.
fn recognize(bytes: &[u8]) -> bool {
    match bytes.first() {
        Some(0x10..=0x12) => bytes.len() > 14 + 2 * 34,
        Some(0x13) => bytes.len() == 11,
        Some(0x14..=0x16) => bytes.len() >= 10 + 34,
        _ => false,
    }
}

/// Whether a name stands where a message has one, behind another type.
fn is_likely(bytes: &[u8]) -> bool {
    [10, 14].iter().any(|at| nbns::is_encoded_name(bytes.get(*at..).unwrap_or_default()))
}

fn message(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u8(&TYPE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    let flags = wire.flags(&FLAGS, 1, &[&MORE, &FIRST, &NODE])?;
    wire.u16_be(&ID)?;
    wire.bytes(&SOURCE, 4)?;
    wire.u16_be(&PORT)?;
    match kind {
        0x10..=0x12 => {
            wire.u16_be(&LENGTH)?;
            let offset = wire.u16_be(&OFFSET)?;
            let source = nbns::name(wire, &SOURCE_NAME)?;
            let destination = nbns::name(wire, &DESTINATION_NAME)?;
            wire.info(format_args!("{source} → {destination}"));
            let range = wire.at()..wire.at() + wire.remaining();
            if offset == 0 && MORE.bits_of(flags) == 0 && !range.is_empty() {
                wire.hand_over("nbss", range.clone());
                return wire.skip(range.len());
            }
            wire.rest_is(&DATA)
        }
        0x13 => wire.u8(&ERROR).map(drop),
        _ => {
            let name = nbns::name(wire, &DESTINATION_NAME)?;
            wire.info(format_args!("{name}"));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const HEADER: &[u8] = b"\x11\x02\x86\x61\xc0\0\x02\x01\0\x8a";
    const NAME: &[u8] = b" EGFCEFEEECACACACACACACACACACACAA\0";

    #[test]
    fn datagrams_are_dissected() {
        let whole = [HEADER, b"\0\x4c\0\0", NAME, b" ENFDEIEPENEFCACACACACACACACACABO\0", b"\xffSMB%\0\0\0"].concat();
        assert!(recognize(&whole) && !recognize(b"\x11\x02\x86\x61"));
        let tree = |bytes: &[u8]| trial::read(&PROTOCOL, bytes, Cut::No, message);
        insta::assert_snapshot!(tree(&whole), @r#"
        nbdgm 0..90 | Direct_group datagram | FREDB<02><02><02><02><02><02><02><02><02><02><00> → MSHOME<1e>
          0..1 nbdgm.type = 17 (Direct_group datagram)
          1..2 nbdgm.flags = 0x02
            1..2 nbdgm.next = false
            1..2 nbdgm.first = true
            1..2 nbdgm.node_type = 0 (B node)
          2..4 nbdgm.dgram_id = 0x8661
          4..8 nbdgm.src.ip = 192.0.2.1
          8..10 nbdgm.src.port = 138
          10..12 nbdgm.dgram_len = 76
          12..14 nbdgm.pkt_offset = 0
          14..48 nbdgm.source_name = "FREDB<02><02><02><02><02><02><02><02><02><02><00>"
          48..82 nbdgm.destination_name = "MSHOME<1e>"
        "#);
        insta::assert_snapshot!(tree(b"\x13\x02\x86\x61\xc0\0\x02\x01\0\x8a\x82"), @"
        nbdgm 0..11 | Datagram error
          0..1 nbdgm.type = 19 (Datagram error)
          1..2 nbdgm.flags = 0x02
            1..2 nbdgm.next = false
            1..2 nbdgm.first = true
            1..2 nbdgm.node_type = 0 (B node)
          2..4 nbdgm.dgram_id = 0x8661
          4..8 nbdgm.src.ip = 192.0.2.1
          8..10 nbdgm.src.port = 138
          10..11 nbdgm.error_code = 0x82 (Destination name not present)
        ");
        insta::assert_snapshot!(tree(&[b"\x14\x02\x86\x61\xc0\0\x02\x01\0\x8a", NAME].concat()), @r#"
        nbdgm 0..44 | Datagram query request | FREDB<02><02><02><02><02><02><02><02><02><02><00>
          0..1 nbdgm.type = 20 (Datagram query request)
          1..2 nbdgm.flags = 0x02
            1..2 nbdgm.next = false
            1..2 nbdgm.first = true
            1..2 nbdgm.node_type = 0 (B node)
          2..4 nbdgm.dgram_id = 0x8661
          4..8 nbdgm.src.ip = 192.0.2.1
          8..10 nbdgm.src.port = 138
          10..44 nbdgm.destination_name = "FREDB<02><02><02><02><02><02><02><02><02><02><00>"
        "#);
        trial::survives_damage(&PROTOCOL, &whole, message);
    }
}
