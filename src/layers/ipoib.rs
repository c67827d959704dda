//! IP over InfiniBand (RFC 4391) as captured: after a global route header or padding.
//!
//! ```text
//! route header or nothing:20 | reserved:1 | queue pair:3 | destination:16 | type:2 | reserved:2
//! ```

use super::ethernet::{ETHER_TYPES, rest};
use super::{HeaderPayload, Next, layer};
use crate::tree::fields;
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&IPOIB, FIELDS);

fields! {
    IPOIB = protocol("ipoib", "IPoIB", "IP over InfiniBand");
    GRH = bytes("ipoib.grh", "Route header", "Start of a global route header, may be empty").once();
    RESERVED_BYTE = bytes("ipoib.daddr.reserved", "Reserved", "Flags").once();
    QPN = number("ipoib.daddr.qpn", "Queue pair", "Destination queue pair number").hex(6).once();
    DGID = ipv6("ipoib.dgid", "Destination", "Destination global identifier").once();
    TYPE = number("ipoib.type", "Type", "EtherType of the payload").hex(4).names(ETHER_TYPES).once();
    RESERVED = number("ipoib.reserved", "Reserved", "").hex(4).once();
}

/// A frame of IP over InfiniBand.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.bytes(&GRH, 20)?;
    wire.bytes(&RESERVED_BYTE, 1)?;
    wire.u24_be(&QPN)?;
    wire.bytes(&DGID, 16)?;
    let kind = wire.u16_be(&TYPE)?;
    wire.u16_be(&RESERVED)?;
    Ok(HeaderPayload::new(Next::EtherType(kind), rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn a_packet_to_a_queue_pair() {
        insta::assert_snapshot!(trial::layers(Next::Link(242), &["0000000000000000000000000000000000000000 80 000550 fe80000000000000 0010e000664ab451 88b5 0000 01"]), @r#"
        ipoib 0..44
          0..20 ipoib.grh = 20 bytes
          20..21 ipoib.daddr.reserved = 80
          21..24 ipoib.daddr.qpn = 0x000550
          24..40 ipoib.dgid = fe80::10:e000:664a:b451
          40..42 ipoib.type = 0x88b5
          42..44 ipoib.reserved = 0x0000
        data 44..45 | 1 bytes
          44..45 data.data = 01
        "#);
    }
}
