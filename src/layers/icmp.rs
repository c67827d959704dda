//! ICMP (RFC 792), with the packet that an error quotes.
//!
//! ```text
//! type:1 | code:1 | checksum:2 | rest:4, by type | data or the quoted packet
//! ```

use super::{HeaderPayload, ip, layer};
use crate::tree::{EarlierPacket, Key, Names, Value, fields, name_of};
use crate::wire::{Protocol, Result, Wire};
use std::net::IpAddr;

pub static PROTOCOL: Protocol = layer(&ICMP, FIELDS);

fields! {
    ICMP = protocol("icmp", "ICMP", "Internet Control Message Protocol");
    TYPE = number("icmp.type", "Type", "").names(TYPES).once();
    CODE = number("icmp.code", "Code", "").once();
    CHECKSUM = number("icmp.checksum", "Checksum", "").hex(4).once();
    IDENT = number("icmp.ident", "Identifier", "").once();
    SEQ = number("icmp.seq", "Sequence number", "").once();
    GATEWAY = ipv4("icmp.redir_gw", "Gateway address", "Redirect: next hop to use").once();
    UNUSED = bytes("icmp.unused", "Unused", "");
    LENGTH = number("icmp.length", "Length of original datagram", "Units of four bytes (RFC 4884)").once();
    POINTER = number("icmp.pointer", "Pointer", "Offset of the error in the original datagram");
    MTU = number("icmp.mtu", "MTU of next hop", "Bytes").once();
    COUNT = number("icmp.num_addrs", "Number of addresses", "Router advertisement").once();
    ENTRY_SIZE = number("icmp.addr_entry_size", "Address entry size", "Units of four bytes").once();
    LIFETIME = number("icmp.lifetime", "Lifetime", "Seconds").once();
    ORIGINATE = number("icmp.originate_timestamp", "Originate timestamp", "Milliseconds since midnight").once();
    RECEIVE = number("icmp.receive_timestamp", "Receive timestamp", "Milliseconds since midnight").once();
    TRANSMIT = number("icmp.transmit_timestamp", "Transmit timestamp", "Milliseconds since midnight").once();
    RESPONSE_TO = number("icmp.resp_to", "request frame", "Frame of the echo request").on_request();
    RESPONSE_TIME = float("icmp.resptime", "response time", "Milliseconds from request to reply").on_request();
    RESPONSE_IN = number("icmp.resp_in", "response frame", "Needs a second pass over the capture; never present");
    NO_RESPONSE = bool("icmp.no_resp", "no response seen", "Needs a second pass over the capture; never present");
    MASK = ipv4("icmp.address_mask", "Address mask", "Subnet mask").once();
}

const TYPES: Names = &[
    (0, "echo reply"),
    (3, "destination unreachable"),
    (4, "source quench"),
    (5, "redirect"),
    (8, "echo request"),
    (9, "router advertisement"),
    (10, "router solicitation"),
    (11, "time exceeded"),
    (12, "parameter problem"),
    (13, "timestamp request"),
    (14, "timestamp reply"),
    (15, "information request"),
    (16, "information reply"),
    (17, "address mask request"),
    (18, "address mask reply"),
    (42, "extended echo request"),
    (43, "extended echo reply"),
];
const UNREACHABLE: Names = &[
    (0, "network"),
    (1, "host"),
    (2, "protocol"),
    (3, "port"),
    (4, "fragmentation needed"),
    (5, "source route failed"),
    (9, "network prohibited"),
    (10, "host prohibited"),
    (13, "administratively prohibited"),
];

/// Dissects an ICMP packet, and matches an echo reply to its request if requested.
pub(super) fn packet(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let asks = wire.wants(&[&RESPONSE_TO, &RESPONSE_TIME]);
    let echo = if asks { echo_key(wire) } else { None };
    let carried = header(wire, missing)?;
    match echo {
        Some((key, true)) => wire.keep(key, 0),
        Some((key, false)) => answer(wire, key),
        None => {}
    }
    Ok(carried)
}

/// The key that an echo request and its reply share, and whether this is the request: addresses, number, and the checksum without
/// the type.
fn echo_key(wire: &Wire<'_>) -> Option<(Key, bool)> {
    const REQUEST: u8 = 8;
    const REPLY: u8 = 0;
    let [kind @ (REQUEST | REPLY), _, c0, c1, i0, i1, s0, s1] = *wire.ahead().first_chunk::<8>()? else { return None };
    let is_request = kind == REQUEST;
    let sum = u32::from(u16::from_be_bytes([c0, c1])) + if is_request { u32::from(REQUEST) << 8 } else { 0 };
    // Ones' complement: carries are added, and both zeros are equal.
    let sum = match (sum & 0xffff) + (sum >> 16) {
        0xffff => 0,
        sum => sum,
    };
    let [src, dst] = wire.addresses()?;
    let [asks, answers] = if is_request { [src, dst] } else { [dst, src] }.map(halves);
    let number = u32::from_be_bytes([i0, i1, s0, s1]);
    Some((("icmp", [asks[0], asks[1], answers[0], answers[1], number.into(), sum.into()]), is_request))
}

/// An address as two numbers.
fn halves(address: IpAddr) -> [u64; 2] {
    match address {
        IpAddr::V4(address) => [0, address.to_bits().into()],
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            [bits >> 64, bits & u128::from(u64::MAX)].map(|half| u64::try_from(half).unwrap_or_default())
        }
    }
}

/// Matches a reply to the latest request with its identifier, unless another reply came first.
fn answer(wire: &mut Wire<'_>, key: Key) {
    let (frame, now) = wire.now();
    let Some(request) = wire.earlier(&key).filter(|request| request.value == 0 || request.value == frame) else { return };
    wire.keep_as(key, EarlierPacket { value: frame, ..request });
    if wire.wants(&[&RESPONSE_TO]) {
        wire.add(&RESPONSE_TO, Value::Unsigned(request.frame));
    }
    if let Some(sent) = request.time
        && let Some(now) = now
        && wire.wants(&[&RESPONSE_TIME])
    {
        #[allow(clippy::cast_precision_loss, reason = "as milliseconds it has nine digits at most that matter")]
        wire.add(&RESPONSE_TIME, Value::Double(now.nanos_since(sent) as f64 / 1e6));
    }
}

/// An ICMP message.
pub(super) fn header(wire: &mut Wire<'_>, _missing: usize) -> Result<HeaderPayload> {
    let kind = wire.u8(&TYPE)?;
    let code = wire.u8(&CODE)?;
    let name = name_of(TYPES, kind.into()).unwrap_or("unknown type");
    wire.name(name);
    if kind == 3 {
        wire.info(format_args!("{}", name_of(UNREACHABLE, code.into()).unwrap_or("unknown code")));
    }
    wire.u16_be(&CHECKSUM)?;
    match kind {
        0 | 8 | 42 | 43 => echo(wire)?,
        3 | 4 | 5 | 11 | 12 => error(wire, kind)?,
        9 => advertisement(wire)?,
        10 => wire.bytes(&UNUSED, 4).map(drop)?,
        13 | 14 => timestamps(wire)?,
        17 | 18 => {
            wire.u16_be(&IDENT)?;
            wire.u16_be(&SEQ)?;
            wire.bytes(&MASK, 4)?;
        }
        15 | 16 => echo(wire)?,
        _ => {}
    }
    super::rest_is_data(wire);
    Ok(HeaderPayload::nothing(wire.at()))
}

fn echo(wire: &mut Wire<'_>) -> Result {
    let ident = wire.u16_be(&IDENT)?;
    let seq = wire.u16_be(&SEQ)?;
    wire.info(format_args!("id {ident}, sequence {seq}"));
    Ok(())
}

/// An error: fields of its type, then the quoted packet.
fn error(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        3 => {
            wire.bytes(&UNUSED, 1)?;
            wire.u8(&LENGTH)?;
            wire.u16_be(&MTU)?;
        }
        5 => wire.bytes(&GATEWAY, 4).map(drop)?,
        11 => {
            wire.bytes(&UNUSED, 1)?;
            wire.u8(&LENGTH)?;
            wire.bytes(&UNUSED, 2)?;
        }
        12 => {
            wire.u8(&POINTER)?;
            wire.u8(&LENGTH)?;
            wire.bytes(&UNUSED, 2)?;
        }
        _ => wire.bytes(&UNUSED, 4).map(drop)?,
    }
    super::quoted(wire, &ip::PROTOCOL, ip::header);
    Ok(())
}

fn advertisement(wire: &mut Wire<'_>) -> Result {
    wire.u8(&COUNT)?;
    wire.u8(&ENTRY_SIZE)?;
    wire.u16_be(&LIFETIME).map(drop)
}

fn timestamps(wire: &mut Wire<'_>) -> Result {
    echo(wire)?;
    wire.u32_be(&ORIGINATE)?;
    wire.u32_be(&RECEIVE)?;
    wire.u32_be(&TRANSMIT).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn an_error_quotes_the_packet_that_it_is_about() {
        let unreachable =
            ["03 03 1234 00000000", "45 00 0021 0001 0000 40 11 0000 c0000209 c6336407", "c36a 6987 000d 0000 ffffffff54"];
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(1), &unreachable), @r#"
        icmp 0..41 | destination unreachable | port
          0..1 icmp.type = 3 (destination unreachable)
          1..2 icmp.code = 3
          2..4 icmp.checksum = 0x1234
          4..5 icmp.unused = 00
          5..6 icmp.length = 0
          6..8 icmp.mtu = 0
          8..28 ip = 
            8..9 ip.version = 4
            8..9 ip.hdr_len = 20
            9..10 ip.dsfield = 0x00
              9..10 ip.dsfield.dscp = 0
              9..10 ip.dsfield.ecn = 0 (not ECN-capable)
            10..12 ip.len = 33
            12..14 ip.id = 0x0001
            14..16 ip.flags = 0x00
              14..16 ip.flags.rb = false
              14..16 ip.flags.df = false
              14..16 ip.flags.mf = false
            14..16 ip.frag_offset = 0
            16..17 ip.ttl = 64
            17..18 ip.proto = 17 (UDP)
            18..20 ip.checksum = 0x0000
            20..24 ip.src = 192.0.2.9
            24..28 ip.dst = 198.51.100.7
          28..41 udp = 
            28..30 udp.srcport = 50026
            30..32 udp.dstport = 27015
            udp.stream = 0
            32..34 udp.length = 13
            34..36 udp.checksum = 0x0000
            36..41 udp.payload = ffffffff54
        "#);
        let exceeded = ["0b 00 1234 00 05 0000", "45 00 001c 0001 0000 01 01 0000 c0000209 c6336407", "08 00 0000 0001 0002"];
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(1), &exceeded), @r#"
        icmp 0..36 | time exceeded
          0..1 icmp.type = 11 (time exceeded)
          1..2 icmp.code = 0
          2..4 icmp.checksum = 0x1234
          4..5 icmp.unused = 00
          5..6 icmp.length = 5
          6..8 icmp.unused = 0000
          8..28 ip = 
            8..9 ip.version = 4
            8..9 ip.hdr_len = 20
            9..10 ip.dsfield = 0x00
              9..10 ip.dsfield.dscp = 0
              9..10 ip.dsfield.ecn = 0 (not ECN-capable)
            10..12 ip.len = 28
            12..14 ip.id = 0x0001
            14..16 ip.flags = 0x00
              14..16 ip.flags.rb = false
              14..16 ip.flags.df = false
              14..16 ip.flags.mf = false
            14..16 ip.frag_offset = 0
            16..17 ip.ttl = 1
            17..18 ip.proto = 1 (ICMP)
            18..20 ip.checksum = 0x0000
            20..24 ip.src = 192.0.2.9
            24..28 ip.dst = 198.51.100.7
          28..36 icmp = 
            28..29 icmp.type = 8 (echo request)
            29..30 icmp.code = 0
            30..32 icmp.checksum = 0x0000
            32..34 icmp.ident = 1
            34..36 icmp.seq = 2
        "#);
    }

    #[test]
    fn an_echo_has_a_number_a_place_and_data() {
        insta::assert_snapshot!(trial::layers(Next::IpProtocol(1), &["08 00 1234 0001 0002 6162"]), @r#"
        icmp 0..10 | echo request | id 1, sequence 2
          0..1 icmp.type = 8 (echo request)
          1..2 icmp.code = 0
          2..4 icmp.checksum = 0x1234
          4..6 icmp.ident = 1
          6..8 icmp.seq = 2
          8..10 data.data = 6162
        "#);
    }
}
