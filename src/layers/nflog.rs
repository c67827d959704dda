//! NFLOG, Linux netfilter logs: TLVs with metadata of a packet, one of which is the packet. Outside
//! IPv4 and IPv6, another one has the EtherType of the packet. Lengths and types are in the byte
//! order of the machine.
//!
//! ```text
//! family:1 | version:1 | resource:2 | (length:2 | type:2 | value, padded to four bytes) …
//! ```

use super::ethernet::{ETHER_TYPES, rest};
use super::{HeaderPayload, Next, layer};
use crate::tree::{Names, Value, fields, title};
use crate::wire::{Error, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&NFLOG, FIELDS);

fields! {
    NFLOG = protocol("nflog", "Netfilter log", "Linux netfilter log");
    FAMILY = number("nflog.family", "Family", "").names(FAMILIES).once();
    VERSION = number("nflog.version", "Version", "0").once();
    RES_ID = number("nflog.res_id", "Resource ID", "NFLOG group").once();
    TLV = group("nflog.tlv", "TLV", "Attribute of the packet").valued().titled(title::kind);
    TLV_LENGTH = number("nflog.tlv_length", "TLV length", "Bytes, header included").once_per(&TLV);
    TLV_TYPE = number("nflog.tlv_type", "TLV type", "").names(NFLOG_TYPES).once_per(&TLV);
    HW_PROTOCOL = number("nflog.protocol", "Protocol", "EtherType").hex(4).names(ETHER_TYPES);
    HOOK = number("nflog.hook", "Hook", "");
    INDEV = number("nflog.ifindex_indev", "Incoming interface", "Index");
    OUTDEV = number("nflog.ifindex_outdev", "Outgoing interface", "Index");
    PREFIX = text("nflog.prefix", "Prefix", "Log prefix of the rule");
    UID = number("nflog.uid", "UID", "User of the packet");
    GID = number("nflog.gid", "GID", "Group of the packet");
    VALUE = bytes("nflog.tlv_value", "Value", "");
    PADDING = bytes("nflog.padding", "Padding", "Up to a multiple of four bytes");
}

const FAMILIES: Names = &[(0, "unspecified"), (2, "IPv4"), (3, "ARP"), (7, "bridge"), (10, "IPv6"), (12, "DECnet")];
const NFLOG_TYPES: Names = &[
    (1, "packet header"),
    (2, "mark"),
    (3, "time"),
    (4, "incoming interface"),
    (5, "outgoing interface"),
    (8, "hardware address"),
    (9, "payload"),
    (10, "prefix"),
    (11, "user"),
    (12, "sequence"),
    (14, "group"),
];

/// A logged packet. The packet is one of the TLVs.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const PACKET_HEADER: u16 = 1;
    const PAYLOAD: u16 = 9;
    const IP_FAMILIES: [u8; 2] = [2, 10];
    const HEAD: usize = 4;
    let family = wire.u8(&FAMILY)?;
    let mut hardware = None;
    wire.u8(&VERSION)?;
    wire.u16_be(&RES_ID)?;
    while wire.remaining() >= HEAD {
        let start = wire.at();
        // The byte order is the machine's; an impossible length indicates the other order.
        let [length, kind] = pair(wire.ahead(), u16::from_le_bytes);
        let is_little = usize::from(length) <= wire.remaining() + missing;
        let [length, kind] = if is_little { [length, kind] } else { pair(wire.ahead(), u16::from_be_bytes) };
        let value = usize::from(length).checked_sub(HEAD).ok_or(Error::Short { needed: HEAD })?;
        let kind = kind & 0x7fff;
        let is_payload = kind == PAYLOAD;
        wire.group(&TLV, |wire| {
            wire.skip(HEAD)?;
            wire.put(&TLV_LENGTH, Value::Unsigned(length.into()), start..start + 2);
            wire.put(&TLV_TYPE, Value::Unsigned(kind.into()), start + 2..start + HEAD);
            hardware = hardware.or_else(|| wire.ahead().first_chunk().filter(|_| kind == PACKET_HEADER).copied());
            if is_payload { Ok(()) } else { element(wire, kind, value) }
        })?;
        if is_payload {
            let end = (wire.at() + value).min(wire.at() + wire.remaining());
            let cut = (wire.at() + value - end).min(missing);
            let next = hardware.map_or(Next::Ip, |kind| Next::EtherType(u16::from_be_bytes(kind)));
            let next = if IP_FAMILIES.contains(&family) { Next::Ip } else { next };
            return Ok(HeaderPayload::new(next, wire.at()..end, cut));
        }
    }
    Ok(HeaderPayload::new(Next::Data, rest(wire), missing))
}

fn pair(bytes: &[u8], from: fn([u8; 2]) -> u16) -> [u16; 2] {
    let [a, b, c, d] = *bytes.first_chunk().unwrap_or(&[0; 4]);
    [from([a, b]), from([c, d])]
}

fn element(wire: &mut Wire<'_>, kind: u16, length: usize) -> Result {
    match (kind, length) {
        (_, 0) => {}
        (1, 4) => {
            wire.u16_be(&HW_PROTOCOL)?;
            wire.u8(&HOOK)?;
            wire.bytes(&PADDING, 1)?;
        }
        (4, 4) => wire.u32_be(&INDEV).map(drop)?,
        (5, 4) => wire.u32_be(&OUTDEV).map(drop)?,
        (10, _) => wire.text(&PREFIX, length).map(drop)?,
        (11, 4) => wire.u32_be(&UID).map(drop)?,
        (14, 4) => wire.u32_be(&GID).map(drop)?,
        _ => wire.bytes(&VALUE, length).map(drop)?,
    }
    match (4 - length % 4) % 4 {
        0 => Ok(()),
        padding => wire.bytes(&PADDING, padding.min(wire.remaining())).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn a_packet_is_one_of_the_elements() {
        insta::assert_snapshot!(trial::layers(Next::Link(239), &["02 00 002a 08000100 0000 03 00 0500 0a00 00 000000 08000500 00000002", "0500 0900 45"]), @r#"
        nflog 0..32
          0..1 nflog.family = 2 (IPv4)
          1..2 nflog.version = 0
          2..4 nflog.res_id = 42
          4..12 nflog.tlv
            4..6 nflog.tlv_length = 8
            6..8 nflog.tlv_type = 1 (packet header)
            8..10 nflog.protocol = 0x0000
            10..11 nflog.hook = 3
            11..12 nflog.padding = 00
          12..20 nflog.tlv
            12..14 nflog.tlv_length = 5
            14..16 nflog.tlv_type = 10 (prefix)
            16..17 nflog.prefix = ""
            17..20 nflog.padding = 000000
          20..28 nflog.tlv
            20..22 nflog.tlv_length = 8
            22..24 nflog.tlv_type = 5 (outgoing interface)
            24..28 nflog.ifindex_outdev = 2
          28..32 nflog.tlv
            28..30 nflog.tlv_length = 5
            30..32 nflog.tlv_type = 9 (payload)
        ip 32..33
          32..33 ip.version = 4
          32..33 ip.hdr_len = 20
        ! broken dissect.short at 33..33 ip: 1 more bytes needed, 0 left
        "#);
    }
}
