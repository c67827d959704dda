//! Classic STUN (RFC 3489): discovery of public addresses, without the magic cookie of its successors.
//!
//! Integers are big-endian.
//!
//! ```text
//! type:2 | length:2 | transaction ID:16 | attribute …
//! attribute     type:2 | length:2 | value
//! address       0:1 | family:1 | port:2 | address:4 or 16
//! ```
//! Names and numbers are Wireshark's, with the TURN drafts that used this header. XOR addresses are XORed with the transaction ID.
//! Messages with the magic cookie are STUN. Not covered: messages over TCP and TLS.

use super::stun::{array, unmasked};
use crate::tree::{Names, NodeRef, Side, Value, fields, name_of};
use crate::wire::{DatagramContext, Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

pub static PROTOCOL: Protocol = Protocol::new(&CLASSICSTUN, FIELDS)
    .found(&[On::AnyUdp.exchange::<Transactions>(Heuristic::InContext(recognize))])
    .rest(&VALUE);

fields! {
    CLASSICSTUN = protocol("classicstun", "Classic STUN", "Simple Traversal of UDP through NAT")
        .covers("Messages of RFC 3489 and their attributes; responses matched with their requests")
        .leaves_open("Messages over TCP and TLS");
    TYPE = number("classicstun.type", "Message type", "").hex(4).names(TYPES).once();
    LENGTH = number("classicstun.length", "Message length", "Bytes after the header").once();
    ID = bytes("classicstun.id", "Message transaction ID", "Copied into the response").once();
    LIST = group("classicstun.att", "Attributes", "").valueless();
    ATTRIBUTE = group("classicstun.attribute", "attribute", "").collapsed(attribute_value, attribute_meaning);
    ATT_TYPE = number("classicstun.att.type", "Attribute type", "").hex(4).names(ATTRIBUTES).once_per(&ATTRIBUTE);
    ATT_LENGTH = number("classicstun.att.length", "Attribute length", "In bytes").once_per(&ATTRIBUTE);
    VALUE = bytes("classicstun.att.value", "Value", "Undissected bytes");
    PASSWORD = text("classicstun.att.password", "Password", "Key of the message integrity").secret();
    RESERVED = bytes("classicstun.att.reserved", "Reserved", "Must be zero");
    FAMILY = number("classicstun.att.family", "Protocol family", "").hex(4).names(FAMILIES);
    PORT = number("classicstun.att.port", "Port", "");
    IPV4 = ipv4("classicstun.att.ipv4", "IP", "");
    IPV6 = ipv6("classicstun.att.ipv6", "IP", "");
    PORT_XOR = number("classicstun.att.port-xord", "Port (XOR-d)", "As transmitted");
    IPV4_XOR = ipv4("classicstun.att.ipv4-xord", "IP (XOR-d)", "As transmitted");
    IPV6_XOR = ipv6("classicstun.att.ipv6-xord", "IP (XOR-d)", "As transmitted");
    CHANGE_IP = bool("classicstun.att.change.ip", "Change IP", "The response is to come from another address").mask(0x04);
    CHANGE_PORT = bool("classicstun.att.change.port", "Change port", "The response is to come from another port").mask(0x02);
    UNKNOWN = number("classicstun.att.unknown", "Unknown attribute", "Attribute type that the server does not know").hex(4).names(ATTRIBUTES);
    ERROR_CLASS = number("classicstun.att.error.class", "Error class", "Hundreds digit of the error code").mask(0x07);
    ERROR = number("classicstun.att.error", "Error code", "Error code modulo 100");
    ERROR_REASON = text("classicstun.att.error.reason", "Error reason phrase", "");
    SERVER = text("classicstun.att.server", "Server version", "");
    LIFETIME = number("classicstun.att.lifetime", "Lifetime", "In seconds");
    COOKIE = number("classicstun.att.magic.cookie", "Magic cookie", "").hex(8);
    BANDWIDTH = number("classicstun.att.bandwidth", "Bandwidth", "In kilobytes per second");
    DATA = bytes("classicstun.att.data", "Data", "Relayed datagram");
    BINDING = text("classicstun.att.connection_request_binding", "Connection request binding", "");
    RESPONSE_TO = number("classicstun.response_to", "Request in", "Frame of the request").once();
    TIME = float("classicstun.time", "Time", "Seconds since the request").seconds().once();
}

const TYPES: Names = &[
    (0x0001, "binding request"),
    (0x0002, "shared secret request"),
    (0x0003, "allocate request"),
    (0x0004, "send request"),
    (0x0006, "set active destination request"),
    (0x0101, "binding response"),
    (0x0102, "shared secret response"),
    (0x0103, "allocate response"),
    (0x0104, "send response"),
    (0x0106, "set active destination response"),
    (0x0111, "binding error response"),
    (0x0112, "shared secret error response"),
    (0x0113, "allocate error response"),
    (0x0114, "send error response"),
    (0x0115, "data indication"),
    (0x0116, "set active destination error response"),
];
const FAMILIES: Names = &[(1, "IPv4"), (2, "IPv6")];
const ATTRIBUTES: Names = &[
    (0x0001, "MAPPED-ADDRESS"),
    (0x0002, "RESPONSE-ADDRESS"),
    (0x0003, "CHANGE-REQUEST"),
    (0x0004, "SOURCE-ADDRESS"),
    (0x0005, "CHANGED-ADDRESS"),
    (0x0006, "USERNAME"),
    (0x0007, "PASSWORD"),
    (0x0008, "MESSAGE-INTEGRITY"),
    (0x0009, "ERROR-CODE"),
    (0x000a, "UNKNOWN-ATTRIBUTES"),
    (0x000b, "REFLECTED-FROM"),
    (0x000d, "LIFETIME"),
    (0x000e, "ALTERNATE-SERVER"),
    (0x000f, "MAGIC-COOKIE"),
    (0x0010, "BANDWIDTH"),
    (0x0011, "DESTINATION-ADDRESS"),
    (0x0012, "REMOTE-ADDRESS"),
    (0x0013, "DATA"),
    (0x0014, "NONCE"),
    (0x0015, "REALM"),
    (0x0016, "REQUESTED-ADDRESS-TYPE"),
    (0x0020, "XOR-MAPPED-ADDRESS"),
    (0x0021, "XOR-ONLY"),
    (0x8020, "XOR-MAPPED-ADDRESS"),
    (0x8022, "SERVER"),
    (0xc001, "CONNECTION-REQUEST-BINDING"),
    (0xc002, "BINDING-CHANGE"),
];

const HEADER: usize = 20;
const ID_LENGTH: usize = 16;
/// The magic cookie of RFC 5389, at the start of the transaction ID.
const MAGIC: [u8; 4] = [0x21, 0x12, 0xa4, 0x42];

/// Recognizes a message of exactly this size, filled by its attributes. Off the registered ports, one of them must be known; a
/// message without any has little more than a random number, whose bytes must differ. On these ports, it may be truncated.
fn recognize(bytes: &[u8], context: &DatagramContext) -> bool {
    /// Different bytes in an ID: 16 random bytes have 15 or 16, and four numbers below 2^15 at least 8.
    const DIFFERENT: usize = 8;
    let Some((header, attributes)) = bytes.split_first_chunk::<HEADER>() else { return false };
    let [kind_high, kind_low, high, low, id @ ..] = header;
    let kind = u64::from(u16::from_be_bytes([*kind_high, *kind_low]));
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    let is_registered = context.ports.is_some_and(|ports| ports.iter().any(|port| (3478..=3481).contains(port)));
    if name_of(TYPES, kind).is_none() || id.starts_with(&MAGIC) || length != attributes.len() && !is_registered {
        return false;
    }
    let is_random = || id.iter().collect::<HashSet<_>>().len() >= DIFFERENT;
    match known_attributes(attributes, length) {
        None => false,
        Some(_) if is_registered => true,
        Some(0) => attributes.is_empty() && is_random(),
        Some(_) => true,
    }
}

/// The number of known attributes in a list of this length, or in the beginning of one; `None` if it is no list.
fn known_attributes(bytes: &[u8], length: usize) -> Option<usize> {
    let (mut ahead, mut left, mut known) = (bytes, length, 0);
    while let Some(([kind_high, kind_low, high, low], behind)) = ahead.split_first_chunk() {
        let kind = u64::from(u16::from_be_bytes([*kind_high, *kind_low]));
        let value = usize::from(u16::from_be_bytes([*high, *low]));
        known += usize::from(name_of(ATTRIBUTES, kind).is_some());
        left = left.checked_sub(4 + value)?;
        ahead = behind.get(value..).unwrap_or_default();
    }
    (bytes.len() < length || left == 0).then_some(known).filter(|_| bytes.len() <= length)
}

/// Pending requests of one conversation.
#[derive(Default)]
struct Transactions {
    requests: Requests<[u8; ID_LENGTH]>,
}

impl Exchange for Transactions {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        const RESPONSE: u16 = 0x0100;
        const INDICATION: u16 = 0x0115;
        let kind = wire.u16_be(&TYPE)?;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        let length = usize::from(wire.u16_be(&LENGTH)?);
        let id = wire.bytes(&ID, ID_LENGTH)?.first_chunk().copied().unwrap_or_default();
        let mut address = None;
        let result = match length {
            0 => Ok(()),
            _ => wire.within(length, &VALUE, |wire| wire.group(&LIST, |wire| attributes(wire, &id, &mut address))),
        };
        if let Some(address) = address {
            wire.info(format_args!("{address}"));
        }
        match kind {
            INDICATION => {}
            _ if kind & RESPONSE == 0 => drop(self.requests.ask(id, wire)),
            _ => {
                if let Some(request) = self.requests.answer(&id) {
                    request.put(wire, &RESPONSE_TO, &TIME);
                }
            }
        }
        result
    }
}

fn attributes(wire: &mut Wire<'_>, id: &[u8; ID_LENGTH], seen: &mut Option<SocketAddr>) -> Result {
    wire.groups(&ATTRIBUTE, |wire| attribute(wire, id, seen))
}

fn attribute(wire: &mut Wire<'_>, id: &[u8; ID_LENGTH], seen: &mut Option<SocketAddr>) -> Result {
    let kind = wire.u16_be(&ATT_TYPE)?;
    let length = usize::from(wire.u16_be(&ATT_LENGTH)?);
    if kind == 0x0007 {
        return wire.secret_text(&PASSWORD, length).map(drop);
    }
    wire.within(length, &VALUE, |wire| match kind {
        0x0001 | 0x0002 | 0x0004 | 0x0005 | 0x000b | 0x000e | 0x0011 | 0x0012 => {
            let address = plain_address(wire)?;
            seen.get_or_insert(address);
            Ok(())
        }
        0x0020 | 0x8020 => {
            *seen = Some(xor_address(wire, id)?);
            Ok(())
        }
        0x0003 => {
            wire.bytes(&RESERVED, 2)?;
            wire.bits(2, &[&CHANGE_IP, &CHANGE_PORT]).map(drop)
        }
        0x0009 => {
            wire.bytes(&RESERVED, 2)?;
            wire.bits(1, &[&ERROR_CLASS])?;
            wire.u8(&ERROR)?;
            wire.rest_is(&ERROR_REASON)
        }
        0x000a => wire.each(|wire| wire.u16_be(&UNKNOWN)),
        0x000d => wire.u32_be(&LIFETIME).map(drop),
        0x000f => wire.u32_be(&COOKIE).map(drop),
        0x0010 => wire.u32_be(&BANDWIDTH).map(drop),
        0x0013 => wire.rest_is(&DATA),
        0x8022 => wire.rest_is(&SERVER),
        0xc001 => wire.rest_is(&BINDING),
        _ => wire.rest_is(&VALUE),
    })
}

const V6: u8 = 2;

fn plain_address(wire: &mut Wire<'_>) -> Result<SocketAddr> {
    wire.bytes(&RESERVED, 1)?;
    let family = wire.u8(&FAMILY)?;
    let port = wire.u16_be(&PORT)?;
    Ok(if family == V6 {
        (Ipv6Addr::from(array::<16>(wire.bytes(&IPV6, 16)?)), port).into()
    } else {
        (Ipv4Addr::from(array::<4>(wire.bytes(&IPV4, 4)?)), port).into()
    })
}

/// An address XORed with the transaction ID. The decoded values have the bytes of the transmitted ones.
fn xor_address(wire: &mut Wire<'_>, id: &[u8; ID_LENGTH]) -> Result<SocketAddr> {
    wire.bytes(&RESERVED, 1)?;
    let family = wire.u8(&FAMILY)?;
    let [first, second, ..] = *id;
    let at = wire.at();
    let port = wire.u16_be(&PORT_XOR)? ^ u16::from_be_bytes([first, second]);
    wire.put(&PORT, Value::Unsigned(port.into()), at..at + 2);
    if family == V6 {
        let ip = unmasked::<16>(wire.ahead(), id);
        let at = wire.at();
        wire.put(&IPV6_XOR, Value::Bytes, at..at + 16);
        wire.derived("xor", 16, &ip, |wire| wire.bytes(&IPV6, 16).map(drop))?;
        return Ok((Ipv6Addr::from(ip), port).into());
    }
    let at = wire.at();
    let ip = Ipv4Addr::from(unmasked::<4>(wire.bytes(&IPV4_XOR, 4)?, id));
    wire.put(&IPV4, Value::Unsigned(u32::from(ip).into()), at..at + 4);
    Ok((ip, port).into())
}

fn attribute_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let kind = node.child(&ATT_TYPE).and_then(NodeRef::number);
    out.write_str(kind.and_then(|kind| name_of(ATTRIBUTES, kind)).unwrap_or("unknown"))
}

fn attribute_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&ATT_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const ID: &str = "45589a049d6523142743e224714a8c2e";

    fn on(ports: [u16; 2], bytes: &[u8]) -> bool {
        recognize(bytes, &DatagramContext { ports: Some(ports), announced: None })
    }

    #[test]
    fn a_response_has_addresses_and_the_frame_of_its_request() {
        let mut session = Transactions::default();
        let request = trial::bytes(&format!("0001 0008 {ID} 0003 0004 00000006"));
        let response = trial::bytes(&format!(
            "0101 0030 {ID} 0001 0008 0001 1f90 c0000207 0004 0008 0001 0d96 c6336407 8020 0008 0001 5ac8 85589803 \
             8022 0008 566f7669 64612e6f"
        ));
        let asked = trial::read(&PROTOCOL, &request, Cut::No, |wire| session.message(Side::Client, wire));
        insta::assert_snapshot!(asked, @"
        classicstun 0..28 | binding request
          0..2 classicstun.type = 0x0001 (binding request)
          2..4 classicstun.length = 8
          4..20 classicstun.id = 45589a049d6523142743e224714a8c2e
          20..28 classicstun.att
            20..28 classicstun.attribute
              20..22 classicstun.att.type = 0x0003 (CHANGE-REQUEST)
              22..24 classicstun.att.length = 4
              24..26 classicstun.att.reserved = 0000
              26..28 classicstun.att.change.ip = true
              26..28 classicstun.att.change.port = true
        ");
        let answered = trial::read(&PROTOCOL, &response, Cut::No, |wire| session.message(Side::Server, wire));
        insta::assert_snapshot!(answered, @r#"
        classicstun 0..68 | binding response | 192.0.2.7:8080
          0..2 classicstun.type = 0x0101 (binding response)
          2..4 classicstun.length = 48
          4..20 classicstun.id = 45589a049d6523142743e224714a8c2e
          20..68 classicstun.att
            20..32 classicstun.attribute
              20..22 classicstun.att.type = 0x0001 (MAPPED-ADDRESS)
              22..24 classicstun.att.length = 8
              24..25 classicstun.att.reserved = 00
              25..26 classicstun.att.family = 0x0001 (IPv4)
              26..28 classicstun.att.port = 8080
              28..32 classicstun.att.ipv4 = 192.0.2.7
            32..44 classicstun.attribute
              32..34 classicstun.att.type = 0x0004 (SOURCE-ADDRESS)
              34..36 classicstun.att.length = 8
              36..37 classicstun.att.reserved = 00
              37..38 classicstun.att.family = 0x0001 (IPv4)
              38..40 classicstun.att.port = 3478
              40..44 classicstun.att.ipv4 = 198.51.100.7
            44..56 classicstun.attribute
              44..46 classicstun.att.type = 0x8020 (XOR-MAPPED-ADDRESS)
              46..48 classicstun.att.length = 8
              48..49 classicstun.att.reserved = 00
              49..50 classicstun.att.family = 0x0001 (IPv4)
              50..52 classicstun.att.port-xord = 23240
              50..52 classicstun.att.port = 8080
              52..56 classicstun.att.ipv4-xord = 133.88.152.3
              52..56 classicstun.att.ipv4 = 192.0.2.7
            56..68 classicstun.attribute
              56..58 classicstun.att.type = 0x8022 (SERVER)
              58..60 classicstun.att.length = 8
              60..68 classicstun.att.server = "Vovida.o"
          classicstun.response_to = 0
        "#);
    }

    #[test]
    fn an_error_has_a_code_and_the_attributes_that_were_not_known() {
        let error = trial::bytes(&format!("0111 0018 {ID} 0009 000c 0000 0414 556e6b6e6f776e21 000a 0004 8003 8004"));
        let tree = trial::read(&PROTOCOL, &error, Cut::No, |wire| Transactions::default().message(Side::Server, wire));
        insta::assert_snapshot!(tree, @r#"
        classicstun 0..44 | binding error response
          0..2 classicstun.type = 0x0111 (binding error response)
          2..4 classicstun.length = 24
          4..20 classicstun.id = 45589a049d6523142743e224714a8c2e
          20..44 classicstun.att
            20..36 classicstun.attribute
              20..22 classicstun.att.type = 0x0009 (ERROR-CODE)
              22..24 classicstun.att.length = 12
              24..26 classicstun.att.reserved = 0000
              26..27 classicstun.att.error.class = 4
              27..28 classicstun.att.error = 20
              28..36 classicstun.att.error.reason = "Unknown!"
            36..44 classicstun.attribute
              36..38 classicstun.att.type = 0x000a (UNKNOWN-ATTRIBUTES)
              38..40 classicstun.att.length = 4
              40..42 classicstun.att.unknown = 0x8003
              42..44 classicstun.att.unknown = 0x8004
        "#);
    }

    #[test]
    fn a_list_of_attributes_must_fill_the_message() {
        let request = trial::bytes(&format!("0001 0008 {ID} 0003 0004 00000006"));
        assert!(on([5000, 6000], &request));
        let cut = &request[..request.len() - 1];
        assert!(!on([5000, 6000], cut) && on([5000, 3478], cut));
        assert!(!on([5000, 3478], &[&request[..], &[0]].concat()), "longer than the message");
        let unknown = trial::bytes(&format!("0001 0008 {ID} 7003 0004 00000006"));
        assert!(!on([5000, 6000], &unknown) && on([5000, 3478], &unknown));
        let long = trial::bytes(&format!("0101 0008 {ID} 0001 0008 00000006"));
        assert!(!on([5000, 3478], &long), "an attribute longer than the message");
        let modern = trial::bytes("0001 0000 2112a442 9d6523142743e224714a8c2e");
        assert!(!on([5000, 3478], &modern), "the magic cookie of RFC 5389");
    }

    #[test]
    fn a_request_without_attributes_needs_its_port_or_a_random_id() {
        assert!(on([5000, 6000], &trial::bytes(&format!("0001 0000 {ID}"))));
        let even = trial::bytes("0001 0000 00000000 00000000 00000000 00000001");
        assert!(!on([5000, 6000], &even) && on([5000, 3479], &even));
    }

    #[test]
    fn a_damaged_shared_secret_is_dissected() {
        trial::survives_damage(&PROTOCOL, &trial::bytes(&format!("0102 0010 {ID} 0007 000c 6d6f73732d677265656e2121")), |wire| {
            Transactions::default().message(Side::Server, wire)
        });
    }
}
