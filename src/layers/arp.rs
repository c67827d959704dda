//! ARP, the Address Resolution Protocol (RFC 826), and the reverse one, RARP (RFC 903).
//!
//! ```text
//! hardware type:2 | protocol type:2 | hardware size:1 | protocol size:1 | opcode:2
//! sender hardware | sender protocol | target hardware | target protocol
//! ```

use super::ethernet::{ETHER_TYPES, Shown, mac};
use super::{HeaderPayload, layer};
use crate::tree::{Address, Computed, Field, Names, NodeRef, Value, fields};
use crate::wire::{Protocol, Result, Wire};
use etherparse::ArpPacketSlice;
use std::net::Ipv4Addr;

pub static PROTOCOL: Protocol = layer(&ARP, FIELDS);

fields! {
    ARP = protocol("arp", "ARP", "Address Resolution Protocol");
    HW_TYPE = number("arp.hw.type", "Hardware type", "").names(HARDWARE).once();
    PROTO_TYPE = number("arp.proto.type", "Protocol type", "EtherType").hex(4).names(ETHER_TYPES).once();
    HW_SIZE = number("arp.hw.size", "Hardware size", "Bytes").once();
    PROTO_SIZE = number("arp.proto.size", "Protocol size", "Bytes").once();
    OPCODE = number("arp.opcode", "Opcode", "").names(OPCODES).once();
    SRC_MAC = mac("arp.src.hw_mac", "Sender MAC address", "").once();
    SRC_IPV4 = ipv4("arp.src.proto_ipv4", "Sender IP address", "").once();
    DST_MAC = mac("arp.dst.hw_mac", "Target MAC address", "").once();
    DST_IPV4 = ipv4("arp.dst.proto_ipv4", "Target IP address", "").once();
    SRC_HW = bytes("arp.src.hw", "Sender hardware address", "").once();
    SRC_PROTO = bytes("arp.src.proto", "Sender protocol address", "");
    DST_HW = bytes("arp.dst.hw", "Target hardware address", "").once();
    DST_PROTO = bytes("arp.dst.proto", "Target protocol address", "");
    DUPLICATE = bool("arp.duplicate-address-detected", "duplicate IP address", "Another host used an address of this packet earlier").on_request();
    DUPLICATE_FRAME = number("arp.duplicate-address-frame", "frame showing earlier use of IP address", "").on_request();
    DUPLICATE_SECONDS = number("arp.seconds-since-duplicate-address-frame", "seconds since earlier use", "Whole seconds from that frame to this").on_request();
    IS_GRATUITOUS = bool("arp.isgratuitous", "is gratuitous", "Sender and target address are equal")
        .generated(&[&DST_IPV4], is_gratuitous)
        .needs(&[&SRC_IPV4]);
}

fn is_gratuitous(target: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let sender = target.before().find(|node| node.field().is(&SRC_IPV4));
    if sender.is_some_and(|sender| sender.bytes() == target.bytes()) {
        take(Computed::Bool(true));
    }
}

const HARDWARE: Names = &[
    (1, "Ethernet"),
    (6, "IEEE 802"),
    (7, "ARCNET"),
    (15, "Frame Relay"),
    (18, "Fibre Channel"),
    (24, "IEEE 1394"),
    (32, "InfiniBand"),
];
const OPCODES: Names =
    &[(1, "request"), (2, "reply"), (3, "reverse request"), (4, "reverse reply"), (8, "inverse request"), (9, "inverse reply")];

/// An ARP packet.
pub(super) fn packet(wire: &mut Wire<'_>, _missing: usize) -> Result<HeaderPayload> {
    const REQUEST: u16 = 1;
    const REVERSE_REQUEST: u16 = 3;
    const REVERSE_REPLY: u16 = 4;
    let addresses = ArpPacketSlice::from_slice(wire.ahead()).ok().map(|arp| {
        let ip = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).map_or(Ipv4Addr::UNSPECIFIED, Ipv4Addr::from);
        (ip(arp.sender_protocol_addr()), mac(arp.sender_hw_addr()), ip(arp.target_protocol_addr()), mac(arp.target_hw_addr()))
    });
    wire.u16_be(&HW_TYPE)?;
    wire.u16_be(&PROTO_TYPE)?;
    let hw_size = wire.u8(&HW_SIZE)?;
    let proto_size = wire.u8(&PROTO_SIZE)?;
    let opcode = wire.u16_be(&OPCODE)?;
    wire.name(crate::tree::name_of(OPCODES, opcode.into()).unwrap_or_default());
    if let Some((src, hardware, dst, target)) = addresses {
        match hardware {
            Some(hardware) if opcode == REVERSE_REQUEST => wire.info(format_args!("Who is {}? Tell {hardware}", Shown(target))),
            Some(_) if opcode == REVERSE_REPLY => wire.info(format_args!("{} is at {dst}", Shown(target))),
            _ if opcode == REQUEST => wire.info(format_args!("Who has {dst}? Tell {src}")),
            Some(hardware) => wire.info(format_args!("{src} is at {hardware}")),
            None => {}
        }
    }
    address(wire, hw_size, 6, &SRC_MAC, &SRC_HW)?;
    address(wire, proto_size, 4, &SRC_IPV4, &SRC_PROTO)?;
    address(wire, hw_size, 6, &DST_MAC, &DST_HW)?;
    address(wire, proto_size, 4, &DST_IPV4, &DST_PROTO)?;
    if wire.wants(&[&DUPLICATE, &DUPLICATE_FRAME, &DUPLICATE_SECONDS])
        && let Some((sender, Some(hardware), target, target_hardware)) = addresses
        && matches!(opcode, 1 | 2)
    {
        let reported = compare(wire, sender, hardware);
        if let Some(hardware) = target_hardware.filter(|_| !reported && opcode != REQUEST) {
            compare(wire, target, hardware);
        }
    }
    Ok(HeaderPayload::nothing(wire.at()))
}

/// Reports an earlier user of an address, or stores the current one. Returns whether a duplicate was found.
fn compare(wire: &mut Wire<'_>, ip: Ipv4Addr, hardware: Address) -> bool {
    let Address::Mac(mac @ [first, ..]) = hardware else { return false };
    if ip.is_unspecified() || mac == [0; 6] || first & 1 == 1 {
        return false;
    }
    let [a, b, c, d, e, f] = mac;
    let host = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
    let key = ("arp", [ip.to_bits().into(), 0, 0, 0, 0, 0]);
    let Some(other) = wire.earlier(&key).filter(|known| known.value != host) else {
        wire.keep(key, host);
        return false;
    };
    let (_, now) = wire.now();
    let since = now.zip(other.time).and_then(|(now, earlier)| u64::try_from(now.seconds.saturating_sub(earlier.seconds)).ok());
    let values = [
        (&DUPLICATE, Some(Value::Bool(true))),
        (&DUPLICATE_FRAME, Some(Value::Unsigned(other.frame))),
        (&DUPLICATE_SECONDS, since.map(Value::Unsigned)),
    ];
    for (field, value) in values {
        if let Some(value) = value {
            wire.add(field, value);
        }
    }
    true
}

/// An address of the usual size, or of another one.
fn address(wire: &mut Wire<'_>, size: u8, usual: u8, known: &'static Field, other: &'static Field) -> Result {
    let field = if size == usual { known } else { other };
    wire.optional(field, usize::from(size)).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::layers;

    #[test]
    fn rarp_asks_for_an_address_and_is_answered() {
        let [request, reply] = ["0003", "0004"].map(|opcode| {
            let ends = ["020000000001 0a000001", "020000000002 0a000002"].concat();
            layers(Next::EtherType(0x8035), &["0001 0800 06 04", opcode, &ends])
        });
        let heading = "arp 0..28 | reverse request | Who is 02:00:00:00:00:02? Tell 02:00:00:00:00:01\n";
        assert!(request.starts_with(heading), "{request}");
        assert!(request.contains("\n  24..28 arp.dst.proto_ipv4 = 10.0.0.2\n"), "{request}");
        assert!(reply.starts_with("arp 0..28 | reverse reply | 02:00:00:00:00:02 is at 10.0.0.2\n"), "{reply}");
    }
}
