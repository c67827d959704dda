//! NetBIOS Name Service (RFC 1002): name queries and registrations in the message format of DNS.
//!
//! ```text
//! message   id:2 | flags:2 | questions:2 | answers:2 | authorities:2 | additionals:2 | question … | record …
//! question  name | type:2 | class:2
//! record    name | type:2 | class:2 | ttl:4 | length:2 | data
//!   NB      (flags:2 | address:4) …
//!   NBSTAT  count:1 | count × (name:15 | suffix:1 | flags:2) | adapter statistics
//! name      label of 32 letters, two for each byte of a name of 15 bytes and a suffix; then the scope as in DNS
//! ```

use super::dns::names::{self, Name};
use crate::tree::{Field, Names, Side, fields, name_of};
use crate::wire::{Cut, Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use std::fmt;

pub static PROTOCOL: Protocol = Protocol::new(&NBNS, FIELDS)
    .found(&[
        On::Udp(137).exchange::<OpenRequests>(Heuristic::Datagram(recognize)),
        On::Udp(137).exchange::<OpenRequests>(Heuristic::Datagram(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    NBNS = protocol("nbns", "NBNS", "NetBIOS Name Service")
        .covers("Questions and records, decoded names, adapter status; responses matched with their requests");
    ID = number("nbns.id", "Transaction ID", "Copied into the response").hex(4).once();
    FLAGS = number("nbns.flags", "Flags", "").hex(4).once();
    RESPONSE = bool("nbns.flags.response", "Response", "").mask(0x8000).once();
    OPCODE = number("nbns.flags.opcode", "Opcode", "").mask(0x7800).names(OPCODES).once();
    AUTHORITATIVE = bool("nbns.flags.authoritative", "Authoritative", "The server is an authority for the name").mask(0x0400).once();
    TRUNCATED = bool("nbns.flags.truncated", "Truncated", "The message exceeds the permitted length").mask(0x0200).once();
    REC_DESIRED = bool("nbns.flags.recdesired", "Recursion desired", "The name server is to resolve recursively").mask(0x0100).once();
    REC_AVAIL = bool("nbns.flags.recavail", "Recursion available", "The name server supports recursive queries").mask(0x0080).once();
    BROADCAST = bool("nbns.flags.broadcast", "Broadcast", "The packet was broadcast or multicast").mask(0x0010).once();
    RCODE = number("nbns.flags.rcode", "Reply code", "").mask(0x000f).names(RCODES).once();
    QUERIES = number("nbns.count.queries", "Questions", "Number of entries").once();
    ANSWERS = number("nbns.count.answers", "Answer RRs", "Number of resource records").once();
    AUTHORITIES = number("nbns.count.auth_rr", "Authority RRs", "Number of resource records").once();
    ADDITIONALS = number("nbns.count.add_rr", "Additional RRs", "Number of resource records").once();
    QUERY = group("nbns.query", "query", "Question section entry").alike(&ANSWER);
    ANSWER = group("nbns.answer", "answer", "Answer section record");
    AUTHORITY = group("nbns.authority", "authority", "Authority section record");
    ADDITIONAL = group("nbns.additional", "additional", "Additional section record").alike(&ANSWER);
    NAME = text("nbns.name", "Name", "NetBIOS name with its suffix in hexadecimal").once_per(&ANSWER);
    TYPE = number("nbns.type", "Type", "Record type").names(TYPES).once_per(&ANSWER);
    CLASS = number("nbns.class", "Class", "").names(CLASSES).once_per(&ANSWER);
    TTL = number("nbns.ttl", "Time to live", "In seconds").once_per(&ANSWER);
    DATA_LENGTH = number("nbns.data_length", "Data length", "In bytes");
    NB_FLAGS = number("nbns.nb_flags", "Name flags", "").hex(4);
    NB_GROUP = bool("nbns.nb_flags.group", "Group", "Group name, else a unique name").mask(0x8000);
    NB_ONT = number("nbns.nb_flags.ont", "Owner node type", "B-node, P-node, M-node or H-node").mask(0x6000).names(NODES);
    ADDR = ipv4("nbns.addr", "Address", "IPv4 address of the owner");
    NUMBER = number("nbns.number_of_names", "Number of names", "");
    OWN_NAME = group("nbns.own_name", "name", "Name registered by the node");
    NETBIOS_NAME = text("nbns.netbios_name", "Name", "NetBIOS name with its suffix in hexadecimal").once_per(&OWN_NAME);
    NAME_FLAGS = number("nbns.name_flags", "Name flags", "").hex(4).once_per(&OWN_NAME);
    NAME_GROUP = bool("nbns.name_flags.group", "Group", "Group name, else a unique name").mask(0x8000).once_per(&OWN_NAME);
    NAME_ONT = number("nbns.name_flags.ont", "Owner node type", "B-node, P-node, M-node or H-node").mask(0x6000).names(NODES).once_per(&OWN_NAME);
    NAME_DRG = bool("nbns.name_flags.drg", "Name is being deregistered", "").mask(0x1000).once_per(&OWN_NAME);
    NAME_CNF = bool("nbns.name_flags.cnf", "Name is in conflict", "").mask(0x0800).once_per(&OWN_NAME);
    NAME_ACT = bool("nbns.name_flags.act", "Name is active", "").mask(0x0400).once_per(&OWN_NAME);
    NAME_PRM = bool("nbns.name_flags.prm", "Permanent node name", "").mask(0x0200).once_per(&OWN_NAME);
    UNIT_ID = mac("nbns.unit_id", "Unit ID", "MAC address of the adapter").once();
    JUMPERS = number("nbns.jumpers", "Jumpers", "Jumper settings of the adapter").hex(2).once();
    TEST_RESULT = number("nbns.test_result", "Test result", "Self-test result of the adapter").hex(2).once();
    VERSION = number("nbns.version_number", "Version number", "Version of the adapter software").hex(4).once();
    PERIOD = number("nbns.period_of_statistics", "Period of statistics", "In minutes").hex(4).once();
    CRCS = number("nbns.num_crcs", "Number of CRC errors", "").once();
    ALIGNMENTS = number("nbns.num_alignment_errors", "Number of alignment errors", "").once();
    COLLISIONS = number("nbns.num_collisions", "Number of collisions", "").once();
    ABORTS = number("nbns.num_send_aborts", "Number of send aborts", "").once();
    SENDS = number("nbns.num_good_sends", "Number of good sends", "").once();
    RECEIVES = number("nbns.num_good_receives", "Number of good receives", "").once();
    RETRANSMITS = number("nbns.numretransmits", "Number of retransmits", "").once();
    NO_RESOURCES = number("nbns.num_no_resource_conditions", "Number of no resource conditions", "").once();
    COMMANDS = number("nbns.numcommand_blocks", "Number of free command blocks", "").once();
    SESSIONS = number("nbns.numpending_sessions", "Number of pending sessions", "").once();
    MAX_PENDING = number("nbns.max_num_pending_sessions", "Maximum number of pending sessions", "");
    MAX_SESSIONS = number("nbns.max_total_sessions_possible", "Maximum total sessions possible", "");
    PACKET_SIZE = number("nbns.session_data_packet_size", "Session data packet size", "In bytes");
    DATA = bytes("nbns.data", "Data", "Undissected bytes");
    RESPONSE_TO = number("nbns.response_to", "Request in", "").once();
    TIME = float("nbns.time", "Time", "Seconds since the request").seconds().once();
    BAD_COUNT = broken("nbns.note.count", "bad count", "The header declares more entries than the message contains");
}

const NB: u16 = 32;
const NBSTAT: u16 = 33;

const TYPES: Names = &[(1, "A"), (2, "NS"), (10, "NULL"), (32, "NB"), (33, "NBSTAT")];
const CLASSES: Names = &[(1, "IN")];
const OPCODES: Names = &[
    (0, "query"),
    (5, "registration"),
    (6, "release"),
    (7, "wait for acknowledgement"),
    (8, "refresh"),
    (9, "refresh, other number"),
    (15, "multi-homed registration"),
];
const RCODES: Names = &[
    (0, "no error"),
    (1, "format error"),
    (2, "server failure"),
    (3, "no such name"),
    (4, "not implemented"),
    (5, "refused"),
    (6, "name is active"),
    (7, "name is in conflict"),
];
const NODES: Names = &[(0, "broadcast"), (1, "name server"), (2, "mixed"), (3, "hybrid")];

/// Size of the header in bytes.
const HEADER: usize = 12;

fn recognize(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER && bytes.get(2).is_some_and(|flags| name_of(OPCODES, u64::from(flags >> 3 & 15)).is_some())
}

/// Whether an encoded name follows a header with another operation.
fn is_likely(bytes: &[u8]) -> bool {
    is_encoded_name(bytes.get(HEADER..).unwrap_or_default())
}

/// Whether a name of first-level encoding begins here: 32 letters.
pub(super) fn is_encoded_name(bytes: &[u8]) -> bool {
    const LETTERS: u8 = 32;
    bytes.split_first().is_some_and(|(length, rest)| {
        *length == LETTERS && rest.get(..LETTERS.into()).is_some_and(|name| name.iter().all(|byte| matches!(byte, b'A'..=b'P')))
    })
}

/// Pending requests of one conversation.
#[derive(Default)]
struct OpenRequests(Requests<u16>);

impl Exchange for OpenRequests {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let whole = (wire.ahead(), wire.at());
        let id = wire.u16_be(&ID)?;
        let [high, low] = *wire.ahead().first_chunk().unwrap_or(&[0; 2]);
        let flags = u64::from(u16::from_be_bytes([high, low]));
        let is_response = RESPONSE.bits_of(flags) != 0;
        let bits: &[&Field] = if is_response {
            &[&RESPONSE, &OPCODE, &AUTHORITATIVE, &TRUNCATED, &REC_DESIRED, &REC_AVAIL, &BROADCAST, &RCODE]
        } else {
            &[&RESPONSE, &OPCODE, &TRUNCATED, &REC_DESIRED, &BROADCAST]
        };
        wire.flags(&FLAGS, 2, bits)?;
        set_name(wire, OPCODE.bits_of(flags), is_response);
        let counts = [wire.u16_be(&QUERIES)?, wire.u16_be(&ANSWERS)?, wire.u16_be(&AUTHORITIES)?, wire.u16_be(&ADDITIONALS)?];
        let first = Name::new(whole.0, wire.at() - whole.1);
        let rcode = RCODE.bits_of(flags);
        if is_response && rcode != 0 {
            let failure = name_of(RCODES, rcode).unwrap_or("unknown reply code");
            wire.info(format_args!("{}: {failure}", Encoded(first)));
        } else {
            wire.info(format_args!("{}", Encoded(first)));
        }
        sections(wire, whole, counts)?;
        if !is_response {
            self.0.ask(id, wire);
        } else if let Some(question) = self.0.answer(&id) {
            question.put(wire, &RESPONSE_TO, &TIME);
        }
        Ok(())
    }
}

fn set_name(wire: &mut Wire<'_>, opcode: u64, is_response: bool) {
    match (opcode, is_response) {
        (0, true) => wire.name("response"),
        (5 | 15, true) => wire.name("registration response"),
        (6, true) => wire.name("release response"),
        _ => wire.name(name_of(OPCODES, opcode).unwrap_or("unknown operation")),
    }
}

fn sections(wire: &mut Wire<'_>, whole: (&[u8], usize), counts: [u16; 4]) -> Result {
    for (field, count) in [&QUERY, &ANSWER, &AUTHORITY, &ADDITIONAL].into_iter().zip(counts) {
        for left in (1..=count).rev() {
            if wire.remaining() == 0 && wire.cut() == Cut::No {
                return wire.malformed(&BAD_COUNT, format_args!("{left} more entries are declared than present"));
            }
            wire.group(field, |wire| {
                names::shown(wire, whole, &NAME, Encoded)?;
                let kind = wire.u16_be(&TYPE)?;
                wire.u16_be(&CLASS)?;
                if field.is(&QUERY) { Ok(()) } else { record(wire, kind) }
            })?;
        }
    }
    Ok(())
}

fn record(wire: &mut Wire<'_>, kind: u16) -> Result {
    wire.u32_be(&TTL)?;
    let length = usize::from(wire.u16_be(&DATA_LENGTH)?);
    wire.within(length, &DATA, |wire| match kind {
        NB => wire.each(|wire| {
            wire.flags(&NB_FLAGS, 2, &[&NB_GROUP, &NB_ONT])?;
            if wire.remaining() > 0 {
                wire.bytes(&ADDR, 4)?;
            }
            Ok(())
        }),
        NBSTAT => status(wire),
        _ => wire.rest_is(&DATA),
    })
}

/// Dissects a node status: registered names and adapter statistics.
fn status(wire: &mut Wire<'_>) -> Result {
    let count = wire.u8(&NUMBER)?;
    for _ in 0..count {
        wire.group(&OWN_NAME, |wire| {
            let (start, ahead) = (wire.at(), wire.ahead());
            wire.skip(NAME_SIZE)?;
            let name = ahead.get(..NAME_SIZE).unwrap_or_default();
            wire.put_text(&NETBIOS_NAME, start..start + NAME_SIZE, format_args!("{}", Plain(name)));
            wire.flags(&NAME_FLAGS, 2, &[&NAME_GROUP, &NAME_ONT, &NAME_DRG, &NAME_CNF, &NAME_ACT, &NAME_PRM]).map(drop)
        })?;
    }
    if wire.remaining() == 0 {
        return Ok(());
    }
    wire.bytes(&UNIT_ID, 6)?;
    wire.u8(&JUMPERS)?;
    wire.u8(&TEST_RESULT)?;
    for field in [&VERSION, &PERIOD, &CRCS, &ALIGNMENTS, &COLLISIONS, &ABORTS] {
        wire.u16_be(field)?;
    }
    wire.u32_be(&SENDS)?;
    wire.u32_be(&RECEIVES)?;
    for field in [&RETRANSMITS, &NO_RESOURCES, &COMMANDS, &SESSIONS, &MAX_PENDING, &MAX_SESSIONS, &PACKET_SIZE] {
        wire.u16_be(field)?;
    }
    Ok(())
}

/// Size of a name with its suffix in bytes.
const NAME_SIZE: usize = 16;

/// Name with a first-level encoded label.
struct Encoded<'a>(Name<'a>);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.0.first();
        let mut name = [0; NAME_SIZE];
        let nibble = |letter: u8| letter.checked_sub(b'A').filter(|nibble| *nibble < 16);
        let is_encoded = label.len() == 2 * NAME_SIZE
            && name.iter_mut().zip(label.chunks_exact(2)).all(|(byte, pair)| match *pair {
                [high, low] => nibble(high).zip(nibble(low)).map(|(high, low)| *byte = high << 4 | low).is_some(),
                _ => false,
            });
        if !is_encoded {
            return write!(f, "{}", self.0);
        }
        write!(f, "{}", Plain(&name))?;
        let scope = self.0.parent();
        if scope.first().is_empty() { Ok(()) } else { write!(f, ".{scope}") }
    }
}

/// Reads a name of a session or datagram. Returns it.
pub(super) fn name(wire: &mut Wire<'_>, field: &'static Field) -> Result<String> {
    let whole = (wire.ahead(), wire.at());
    let name = Name::new(whole.0, 0);
    names::shown(wire, whole, field, Encoded)?;
    Ok(Encoded(name).to_string())
}

/// Unencoded name with its suffix.
struct Plain<'a>(&'a [u8]);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (suffix, name) = self.0.split_last().unwrap_or((&0, &[]));
        for &byte in name.trim_ascii_end() {
            match byte {
                b' '..=b'~' => write!(f, "{}", char::from(byte))?,
                _ => write!(f, "<{byte:02x}>")?,
            }
        }
        write!(f, "<{suffix:02x}>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const QUERY: &str = "8001011000010000000000002045444550464645444549434143414341434143414341434143414341434143410000200001";
    const RESPONSE: &str = "80018500000000010000000020454445504646454445494341434143414341434143414341434143414341434100002000010004 \
        93e000060000c0000209";
    const STATUS: &str = "80028400000000010000000020434b41414141414141414141414141414141414141414141414141414141414100002100010000 \
        0000005302434f55434820202020202020202020000400484f4d4520202020202020202020200084000200000000090000000000 \
        0000000000000000000000000000000000000000000000000000000000000000000000";
    const REGISTER: &str = "8003291000010000000000012045444550464645444549434143414341434143414341434143414341434141410000200001c00c \
        00200001000493e000060000c0000209";

    fn read(asked: &mut OpenRequests, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| asked.message(Side::Client, wire))
    }

    fn alone(hex: &str) -> String {
        read(&mut OpenRequests::default(), hex)
    }

    #[test]
    fn a_name_query_is_dissected() {
        insta::assert_snapshot!(alone(QUERY), @r#"
        nbns 0..50 | query | COUCH<20>
          0..2 nbns.id = 0x8001
          2..4 nbns.flags = 0x0110
            2..4 nbns.flags.response = false
            2..4 nbns.flags.opcode = 0 (query)
            2..4 nbns.flags.truncated = false
            2..4 nbns.flags.recdesired = true
            2..4 nbns.flags.broadcast = true
          4..6 nbns.count.queries = 1
          6..8 nbns.count.answers = 0
          8..10 nbns.count.auth_rr = 0
          10..12 nbns.count.add_rr = 0
          12..50 nbns.query
            12..46 nbns.name = "COUCH<20>"
            46..48 nbns.type = 32 (NB)
            48..50 nbns.class = 1 (IN)
        "#);
    }

    #[test]
    fn a_name_response_is_matched_with_its_query() {
        let mut asked = OpenRequests::default();
        read(&mut asked, QUERY);
        insta::assert_snapshot!(read(&mut asked, RESPONSE), @r#"
        nbns 0..62 | response | COUCH<20>
          0..2 nbns.id = 0x8001
          2..4 nbns.flags = 0x8500
            2..4 nbns.flags.response = true
            2..4 nbns.flags.opcode = 0 (query)
            2..4 nbns.flags.authoritative = true
            2..4 nbns.flags.truncated = false
            2..4 nbns.flags.recdesired = true
            2..4 nbns.flags.recavail = false
            2..4 nbns.flags.broadcast = false
            2..4 nbns.flags.rcode = 0 (no error)
          4..6 nbns.count.queries = 0
          6..8 nbns.count.answers = 1
          8..10 nbns.count.auth_rr = 0
          10..12 nbns.count.add_rr = 0
          12..62 nbns.answer
            12..46 nbns.name = "COUCH<20>"
            46..48 nbns.type = 32 (NB)
            48..50 nbns.class = 1 (IN)
            50..54 nbns.ttl = 300000
            54..56 nbns.data_length = 6
            56..58 nbns.nb_flags = 0x0000
              56..58 nbns.nb_flags.group = false
              56..58 nbns.nb_flags.ont = 0 (broadcast)
            58..62 nbns.addr = 192.0.2.9
          nbns.response_to = 0
        "#);
    }

    #[test]
    fn a_node_status_response_is_dissected() {
        insta::assert_snapshot!(alone(STATUS), @r#"
        nbns 0..139 | response | *<00><00><00><00><00><00><00><00><00><00><00><00><00><00><00>
          0..2 nbns.id = 0x8002
          2..4 nbns.flags = 0x8400
            2..4 nbns.flags.response = true
            2..4 nbns.flags.opcode = 0 (query)
            2..4 nbns.flags.authoritative = true
            2..4 nbns.flags.truncated = false
            2..4 nbns.flags.recdesired = false
            2..4 nbns.flags.recavail = false
            2..4 nbns.flags.broadcast = false
            2..4 nbns.flags.rcode = 0 (no error)
          4..6 nbns.count.queries = 0
          6..8 nbns.count.answers = 1
          8..10 nbns.count.auth_rr = 0
          10..12 nbns.count.add_rr = 0
          12..139 nbns.answer
            12..46 nbns.name = "*<00><00><00><00><00><00><00><00><00><00><00><00><00><00><00>"
            46..48 nbns.type = 33 (NBSTAT)
            48..50 nbns.class = 1 (IN)
            50..54 nbns.ttl = 0
            54..56 nbns.data_length = 83
            56..57 nbns.number_of_names = 2
            57..75 nbns.own_name
              57..73 nbns.netbios_name = "COUCH<00>"
              73..75 nbns.name_flags = 0x0400
                73..75 nbns.name_flags.group = false
                73..75 nbns.name_flags.ont = 0 (broadcast)
                73..75 nbns.name_flags.drg = false
                73..75 nbns.name_flags.cnf = false
                73..75 nbns.name_flags.act = true
                73..75 nbns.name_flags.prm = false
            75..93 nbns.own_name
              75..91 nbns.netbios_name = "HOME<00>"
              91..93 nbns.name_flags = 0x8400
                91..93 nbns.name_flags.group = true
                91..93 nbns.name_flags.ont = 0 (broadcast)
                91..93 nbns.name_flags.drg = false
                91..93 nbns.name_flags.cnf = false
                91..93 nbns.name_flags.act = true
                91..93 nbns.name_flags.prm = false
            93..99 nbns.unit_id = 02:00:00:00:00:09
            99..100 nbns.jumpers = 0x00
            100..101 nbns.test_result = 0x00
            101..103 nbns.version_number = 0x0000
            103..105 nbns.period_of_statistics = 0x0000
            105..107 nbns.num_crcs = 0
            107..109 nbns.num_alignment_errors = 0
            109..111 nbns.num_collisions = 0
            111..113 nbns.num_send_aborts = 0
            113..117 nbns.num_good_sends = 0
            117..121 nbns.num_good_receives = 0
            121..123 nbns.numretransmits = 0
            123..125 nbns.num_no_resource_conditions = 0
            125..127 nbns.numcommand_blocks = 0
            127..129 nbns.numpending_sessions = 0
            129..131 nbns.max_num_pending_sessions = 0
            131..133 nbns.max_total_sessions_possible = 0
            133..135 nbns.session_data_packet_size = 0
            135..139 nbns.data = 00000000
        ! odd dissect.left_over at 135..139 nbns.data: 4 more than the fields explain
        "#);
    }

    #[test]
    fn a_registration_is_dissected() {
        insta::assert_snapshot!(alone(REGISTER), @r#"
        nbns 0..68 | registration | COUCH<00>
          0..2 nbns.id = 0x8003
          2..4 nbns.flags = 0x2910
            2..4 nbns.flags.response = false
            2..4 nbns.flags.opcode = 5 (registration)
            2..4 nbns.flags.truncated = false
            2..4 nbns.flags.recdesired = true
            2..4 nbns.flags.broadcast = true
          4..6 nbns.count.queries = 1
          6..8 nbns.count.answers = 0
          8..10 nbns.count.auth_rr = 0
          10..12 nbns.count.add_rr = 1
          12..50 nbns.query
            12..46 nbns.name = "COUCH<00>"
            46..48 nbns.type = 32 (NB)
            48..50 nbns.class = 1 (IN)
          50..68 nbns.additional
            50..52 nbns.name = "COUCH<00>"
            52..54 nbns.type = 32 (NB)
            54..56 nbns.class = 1 (IN)
            56..60 nbns.ttl = 300000
            60..62 nbns.data_length = 6
            62..64 nbns.nb_flags = 0x0000
              62..64 nbns.nb_flags.group = false
              62..64 nbns.nb_flags.ont = 0 (broadcast)
            64..68 nbns.addr = 192.0.2.9
        "#);
    }

    #[test]
    fn a_malformed_message_keeps_the_valid_fields() {
        let bytes = trial::bytes(STATUS);
        for cut in 0..bytes.len() {
            let dump = trial::read(&PROTOCOL, &bytes[..cut], Cut::No, |wire| OpenRequests::default().message(Side::Client, wire));
            assert!(dump.contains("! broken"), "{dump}");
        }
    }
}
