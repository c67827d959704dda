//! Solaris ipnet: packets between zones of a machine.
//!
//! ```text
//! version:1 | family:1 | hook:2 | length:4 | interface:4 | group:4 | source zone:4 | destination zone:4
//! ```

use super::ethernet::rest;
use super::{HeaderPayload, Next, layer};
use crate::tree::fields;
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&IPNET, FIELDS);

fields! {
    IPNET = protocol("ipnet", "ipnet", "Solaris ipnet");
    VERSION = number("ipnet.version", "Version", "1").once();
    FAMILY = number("ipnet.family", "Family", "2 is IPv4, 26 is IPv6").once();
    HTYPE = number("ipnet.htype", "Hook type", "0 is inbound").once();
    PKTLEN = number("ipnet.pktlen", "Data length", "Bytes of the packet").once();
    IFINDEX = number("ipnet.ifindex", "Interface index", "").once();
    GRIFINDEX = number("ipnet.grifindex", "Group index", "IPMP group interface").once();
    ZSRC = number("ipnet.zsrc", "Source zone", "").once();
    ZDST = number("ipnet.zdst", "Destination zone", "").once();
}

/// The ipnet header.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.u8(&VERSION)?;
    wire.u8(&FAMILY)?;
    wire.u16_be(&HTYPE)?;
    for field in [&PKTLEN, &IFINDEX, &GRIFINDEX, &ZSRC, &ZDST] {
        wire.u32_be(field)?;
    }
    Ok(HeaderPayload::new(Next::Ip, rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn a_packet_between_zones() {
        insta::assert_snapshot!(trial::layers(Next::Link(226), &["01 02 0000 00000001 00000002 00000000 ffffffff 00000000 45"]), @r#"
        ipnet 0..24
          0..1 ipnet.version = 1
          1..2 ipnet.family = 2
          2..4 ipnet.htype = 0
          4..8 ipnet.pktlen = 1
          8..12 ipnet.ifindex = 2
          12..16 ipnet.grifindex = 0
          16..20 ipnet.zsrc = 4294967295
          20..24 ipnet.zdst = 0
        ip 24..25
          24..25 ip.version = 4
          24..25 ip.hdr_len = 20
        ! broken dissect.short at 25..25 ip: 1 more bytes needed, 0 left
        "#);
    }
}
