//! UDP (RFC 768).
//!
//! ```text
//! source port:2 | destination port:2 | length:2 | checksum:2 | payload
//! ```

use super::checksum::{self, STATUS, Status};
use super::seconds;
use super::{Next, ayiya, capwap, geneve, gre, gtp, gtpv2, ip, l2tp, layer, mpls, sctp, teredo, vxlan};
use crate::tree::{Demand, Field, Transport, Value, fields};
use crate::wire::notes::TRAILER;
use crate::wire::{Protocol, Result, Wire, data};
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

pub static PROTOCOL: Protocol = Protocol { settings: &[checksum::UDP], ..layer(&UDP, FIELDS) };

fields! {
    UDP = protocol("udp", "UDP", "User Datagram Protocol");
    SRCPORT = number("udp.srcport", "Source port", "").also("udp.port").once();
    DSTPORT = number("udp.dstport", "Destination port", "").also("udp.port").once();
    STREAM = number("udp.stream", "Stream index", "").once();
    LENGTH = number("udp.length", "Length", "Bytes of header and payload").once();
    CHECKSUM = number("udp.checksum", "Checksum", "Checksum of datagram and pseudo-header").hex(4).once();
    CHECKSUM_STATUS = number("udp.checksum.status", "Checksum status", "Result of the verification, if enabled").names(STATUS).generated(&[&CHECKSUM], checksum::unverified_or_none);
    BAD_CHECKSUM = odd("udp.checksum.bad", "bad checksum", "The checksum does not match the data");
    TIME_RELATIVE = float("udp.time_relative", "time since first frame", "Seconds since the first frame of the conversation").seconds().on_request();
    TIME_DELTA = float("udp.time_delta", "time since previous frame", "Seconds since the previous frame of the conversation").seconds().on_request();
    PAYLOAD = bytes("udp.payload", "Payload", "").once();
    BAD_LENGTH = odd("udp.length.bad", "bad length", "The length is less than the header or exceeds the packet");
}

const HEADER: usize = 8;

/// Whether a payload may begin a tunnel packet.
type Heuristic = fn(&[u8]) -> bool;

/// Tunnels by port, with the protocol of their payload and its heuristic.
const TUNNELS: &[(u16, Next, Heuristic)] = &[
    (1701, Next::Header(&l2tp::PACKET), l2tp::is_plausible),
    (2123, Next::Header(&gtp::MESSAGE), gtp::is_control),
    (2123, Next::Header(&gtpv2::MESSAGE), gtpv2::is_plausible),
    (2152, Next::Header(&gtp::MESSAGE), gtp::is_plausible),
    (3544, Next::Header(&teredo::HEADERS), teredo::is_plausible),
    (4754, Next::Header(&gre::IN_UDP), gre::is_plausible),
    (4789, Next::Header(&vxlan::HEADER), vxlan::is_plausible),
    (4790, Next::Header(&vxlan::GENERIC), vxlan::is_plausible),
    (5072, Next::Header(&ayiya::HEADER), ayiya::is_plausible),
    (5247, Next::Header(&capwap::DATA), capwap::is_plausible),
    (6081, Next::Header(&geneve::HEADER), geneve::is_plausible),
    (6635, Next::Header(&mpls::LABELS), mpls::is_plausible),
    (8472, Next::Header(&vxlan::HEADER), vxlan::is_plausible),
    // RFC 6951.
    (9899, Next::IpProtocol(ip::SCTP), sctp::is_plausible),
];

/// The protocol of a tunnel packet, if the port is one of a tunnel and the heuristic accepts the payload.
pub fn tunnel(ports: [u16; 2], payload: &[u8]) -> Option<Next> {
    let found = TUNNELS.iter().find(|(port, _, is_plausible)| ports.contains(port) && is_plausible(payload));
    found.map(|(_, next, _)| *next)
}

/// A datagram quoted by an ICMP error.
pub(super) fn quoted(wire: &mut Wire<'_>, [from, to]: [IpAddr; 2]) -> Result {
    let ports = wire.ahead().first_chunk().map(|[s0, s1, d0, d1]| [[*s0, *s1], [*d0, *d1]].map(u16::from_be_bytes));
    let ends =
        ports.filter(|_| wire.remaining() >= HEADER).map(|[src, dst]| [SocketAddr::new(from, src), SocketAddr::new(to, dst)]);
    let number = |wire: &mut Wire<'_>| {
        if let Some(ends) = ends {
            wire.quote(&STREAM, Transport::Udp, ends, None);
        }
    };
    let (payload, missing) = read(wire, number, None, usize::from(u16::MAX))?;
    if !payload.is_empty() {
        let protocol = ends.and_then(|ends| wire.quoted_payload(Transport::Udp, ends, payload, missing > 0));
        if protocol.is_none() {
            wire.embeds(data::DATA.abbrev);
        }
    }
    Ok(())
}

/// Time fields, which need the state of the conversation.
pub(super) const TIMES: [&Field; 2] = [&TIME_RELATIVE, &TIME_DELTA];

/// Whether a field of times between datagrams is requested.
pub fn requests_times(demand: Demand) -> bool {
    TIMES.iter().any(|field| demand.may_keep(field))
}

/// Dissects a datagram; `times` are nanoseconds since the first and the previous frame of its conversation. If the checksum is
/// verified, `verify` has the addresses of the pseudo-header. Returns the range of the payload and its number of truncated bytes.
///
/// # Errors
/// If the header is truncated.
pub fn datagram(
    wire: &mut Wire<'_>,
    stream: Option<u32>,
    times: Option<[i64; 2]>,
    verify: Option<[IpAddr; 2]>,
    missing: usize,
) -> Result<(Range<usize>, usize)> {
    let number = |wire: &mut Wire<'_>| {
        if let Some(stream) = stream {
            wire.add(&STREAM, Value::Unsigned(stream.into()));
        }
        let times = times.into_iter().flat_map(|times| TIMES.into_iter().zip(times));
        for (field, nanos) in times {
            wire.add(field, seconds(nanos));
        }
    };
    read(wire, number, verify, missing)
}

/// A header and payload; `number` adds the stream number after the ports.
fn read(
    wire: &mut Wire<'_>,
    number: impl FnOnce(&mut Wire<'_>),
    verify: Option<[IpAddr; 2]>,
    missing: usize,
) -> Result<(Range<usize>, usize)> {
    let (captured, start) = (wire.remaining(), wire.at());
    let all = wire.ahead();
    let src = wire.u16_be(&SRCPORT)?;
    let dst = wire.u16_be(&DSTPORT)?;
    number(wire);
    let length = usize::from(wire.u16_be(&LENGTH)?);
    // A length of 0 is valid for jumbograms, and common where hardware fills it in.
    let on_wire = if length == 0 { captured + missing } else { length };
    if on_wire < HEADER || on_wire > captured + missing {
        wire.note(&BAD_LENGTH, format_args!("{length} where the packet has {}", captured + missing));
    }
    let sum = wire.u16_be(&CHECKSUM)?;
    if let Some(ends) = verify {
        verified(ends, all, on_wire, sum).put(wire, &CHECKSUM_STATUS, &BAD_CHECKSUM);
    }
    let on_wire = on_wire.clamp(HEADER, (captured + missing).max(HEADER));
    let end = (start + on_wire).min(start + captured);
    let payload = wire.at()..end.max(wire.at());
    wire.lazy_summary(&[src.into(), dst.into(), (on_wire - HEADER) as u64], |numbers, f| {
        let [src, dst, length] = *numbers else { return Ok(()) };
        write!(f, "{src} → {dst} length {length}")
    });
    if !payload.is_empty() {
        wire.hide_credentials(payload.clone());
        wire.bytes(&PAYLOAD, payload.len())?;
    }
    wire.rest(&TRAILER);
    Ok((payload, (start + on_wire).saturating_sub(end)))
}

/// Verifies the checksum of a datagram with this length.
fn verified(ends: [IpAddr; 2], captured: &[u8], length: usize, sum: u16) -> Status {
    const CHECKSUM_AT: usize = 6;
    match ends {
        [IpAddr::V4(_), _] if sum == 0 => Status::NotPresent,
        _ if sum == 0 => Status::Illegal,
        _ => match captured.get(..length) {
            Some(bytes) => checksum::transport(ends, ip::UDP, bytes, CHECKSUM_AT, 0),
            None => Status::Unverified,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial;

    #[test]
    fn tunnels_are_recognized_by_port_and_header() {
        let (no_bottom, bottom) = ("00010040".repeat(16), "00010040".repeat(15) + "00010140");
        let cases: [(u16, &[&str], &[&str]); 14] = [
            (1701, &["c802", "0003", "40"], &["2002", "c801", "1003", "0403"]),
            (2123, &["3201", "3010", "48200008"], &["3263", "20ff", "7010", ""]),
            (2123, &["40010004", "3010"], &["43010008", "48010003", "60010008"]),
            (2152, &["30ff", "32ff", "3001", "34"], &["20ff", "38ff", "70ff", "3063", ""]),
            (3544, &["0000", "0001", "00", "60"], &["0002", "0100", "45", ""]),
            (4754, &["00000800", "b0000800"], &["40000800", "00010800", "08000800", "00"]),
            (4789, &["0800", "88"], &["0400", "f700", ""]),
            (4790, &["0c000003", "08"], &["04000003", ""]),
            (5072, &["4112113b4af64bad"], &["4312113b4af64bad", "4112183b4af64bad", "411211"]),
            (
                5247,
                &["0010020000000000", "0018000000000000 0000000000000000", "01000000"],
                &["0008000000000000", "0018000000000000", "01000001", "02", ""],
            ),
            (6081, &["0000655800000100", "3fc0", ""], &["4000655800000100", "0001655800000100", "0000655800000101"]),
            (6635, &["000101ff", "000100ff", &bottom], &[&no_bottom]),
            (8472, &["0800"], &["0400"]),
            (
                9899,
                &["1388 1388 00000001 00000000 00 03 0010", "1388 1388 00000001 00000000 0a 00 0004"],
                &[
                    "0000 1388 00000001 00000000 00 03 0010",
                    "1388 1388 00000001 00000000 00 03 0003",
                    "1388 1388 00000001 00000000 7f 03 0010",
                    "1388",
                ],
            ),
        ];
        let ports: Vec<u16> = TUNNELS.iter().map(|(port, ..)| *port).collect();
        assert_eq!(cases.map(|(port, ..)| port), ports[..]);
        for (port, good, bad) in cases {
            for (is_good, hex) in good.iter().map(|hex| (true, hex)).chain(bad.iter().map(|hex| (false, hex))) {
                let bytes = trial::bytes(hex);
                assert_eq!(tunnel([40000, port], &bytes).is_some(), is_good, "{port}: {hex}");
                assert_eq!(tunnel([port, 40000], &bytes).is_some(), is_good, "{port}: {hex}");
                assert!(tunnel([40000, 40001], &bytes).is_none());
            }
        }
    }
}
