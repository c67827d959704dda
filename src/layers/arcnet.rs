//! ARCNET in Linux captures: the framing of RFC 1201, and the older one of RFC 1051, which has no fragments.
//!
//! ```text
//! source:1 | destination:1 | offset:2 | protocol:1 | split flag:1 | sequence:2, the last two in the newer framing only
//! ```

use super::ethernet::rest;
use super::{HeaderPayload, Next, layer};
use crate::tree::{Names, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&ARCNET, FIELDS);

fields! {
    ARCNET = protocol("arcnet", "ARCNET", "Attached Resource Computer Network");
    SRC = number("arcnet.src", "Source", "").hex(2).once();
    DST = number("arcnet.dst", "Destination", "").hex(2).once();
    OFFSET = bytes("arcnet.offset", "Offset", "Offset of the data in the controller's buffer").once();
    PROTOCOL_ID = number("arcnet.protID", "Protocol ID", "Protocol of the payload").hex(2).names(ARCNET_PROTOCOLS).once();
    SPLIT = number("arcnet.split_flag", "Split flag", "RFC 1201 fragmentation");
    SEQUENCE = number("arcnet.sequence", "Sequence number", "Identifies the fragments of a packet");
}

const ARCNET_PROTOCOLS: Names =
    &[(0xd4, "IP"), (0xd5, "ARP"), (0xd6, "RARP"), (0xf0, "IP, old framing"), (0xf1, "ARP, old framing")];

const IP_TYPE: u16 = 0x0800;
const ARP_TYPE: u16 = 0x0806;

/// A frame in a Linux capture.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let src = wire.u8(&SRC)?;
    let dst = wire.u8(&DST)?;
    wire.info(format_args!("{src:#04x} → {dst:#04x}"));
    wire.bytes(&OFFSET, 2)?;
    let kind = wire.u8(&PROTOCOL_ID)?;
    let next = match kind {
        0xd4 | 0xf0 => Next::EtherType(IP_TYPE),
        0xd5 | 0xd6 | 0xf1 => Next::EtherType(ARP_TYPE),
        _ => Next::Data,
    };
    let is_old = matches!(kind, 0xf0 | 0xf1);
    if !is_old && wire.u8(&SPLIT)? != 0 {
        // A fragment, or an exception packet with a longer header.
        return Ok(HeaderPayload::new(Next::Data, rest(wire), missing));
    }
    if !is_old {
        wire.u16_be(&SEQUENCE)?;
    }
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn both_framings() {
        insta::assert_snapshot!(trial::layers(Next::Link(129), &["be 50 ab08 f0 45"]), @r#"
        arcnet 0..5 | 0xbe → 0x50
          0..1 arcnet.src = 0xbe
          1..2 arcnet.dst = 0x50
          2..4 arcnet.offset = ab08
          4..5 arcnet.protID = 0xf0 (IP, old framing)
        ip 5..6
          5..6 ip.version = 4
          5..6 ip.hdr_len = 20
        ! broken dissect.short at 6..6 ip: 1 more bytes needed, 0 left
        "#);
    }

    #[test]
    fn parts_are_not_joined() {
        insta::assert_snapshot!(trial::layers(Next::Link(129), &["be 50 ab08 d4 01 0007 45"]), @r#"
        arcnet 0..6 | 0xbe → 0x50
          0..1 arcnet.src = 0xbe
          1..2 arcnet.dst = 0x50
          2..4 arcnet.offset = ab08
          4..5 arcnet.protID = 0xd4 (IP)
          5..6 arcnet.split_flag = 1
        data 6..9 | 3 bytes
          6..9 data.data = 000745
        "#);
    }
}
