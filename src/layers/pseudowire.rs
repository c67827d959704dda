//! Pseudowire headers in MPLS: the control word of Ethernet (RFC 4448) and the header of the associated channel, which carries
//! messages about the pseudowire itself (RFC 5586).
//!
//! ```text
//! control word  0:4 reserved:12 | sequence:2 | Ethernet frame
//! channel       1:4 version:4 | reserved:1 | type:2 | message
//! ```
//!
//! Not covered: pseudowires of ATM, frame relay, HDLC and TDM, and messages of the channel other than IP.

use super::ethernet::{self, rest};
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Names, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&PWETH, FIELDS);

/// The associated channel.
pub static CHANNEL_PROTOCOL: Protocol = layer(&channel_fields::PWACH, channel_fields::FIELDS);

/// The control word, detected heuristically.
pub(super) static CONTROL_WORD: Described = Described { protocol: &PROTOCOL, header: control_word };

/// The header of the associated channel, detected by its first bits.
pub(super) static CHANNEL: Described = Described { protocol: &CHANNEL_PROTOCOL, header: channel };

fields! {
    PWETH = protocol("pweth", "Pseudowire", "Control word of an Ethernet pseudowire");
    CW = number("pweth.cw", "Control word", "").hex(8).once();
    SEQUENCE = number("pweth.cw.sequence_number", "Sequence number", "0 if sequencing is not used").mask(0xffff).once();
}

mod channel_fields {
    use crate::tree::fields;

    fields! {
        PWACH = protocol("pwach", "Associated channel", "PW Associated Channel Header");
        VER = number("pwach.ver", "Version", "0").mask(0x0f);
        RES = number("pwach.res", "Reserved", "").hex(2);
        TYPE = number("pwach.channel_type", "Channel type", "").hex(4).names(super::CHANNELS);
    }
}
use channel_fields::{RES, TYPE, VER};

const CHANNELS: Names =
    &[(0x0007, "BFD without IP"), (0x0021, "IPv4"), (0x0024, "protection switching"), (0x0057, "IPv6"), (0x0058, "faults")];

/// Bytes of a control word.
pub(super) const WORD: usize = 4;

fn control_word(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.flags(&CW, WORD, &[&SEQUENCE])?;
    Ok(HeaderPayload::new(Next::Header(&ethernet::FRAME), rest(wire), missing))
}

fn channel(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.bits(1, &[&VER])?;
    wire.u8(&RES)?;
    let next = match wire.u16_be(&TYPE)? {
        0x0021 | 0x0057 => Next::Ip,
        _ => Next::Data,
    };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::layers;

    #[test]
    fn a_channel_is_recognized_by_its_first_bits() {
        let frame = [
            "0000 d140",  // label 13, the last
            "10 00 0007", // channel of BFD
            "aabb",       // message
        ];
        insta::assert_snapshot!(layers(Next::EtherType(0x8847), &frame), @"
        mpls 0..4 | label 13
          0..4 mpls.label = 13
          0..4 mpls.exp = 0
          0..4 mpls.bottom = 1
          0..4 mpls.ttl = 64
        pwach 4..8
          4..5 pwach.ver = 0
          5..6 pwach.res = 0x00
          6..8 pwach.channel_type = 0x0007 (BFD without IP)
        data 8..10 | 2 bytes
          8..10 data.data = aabb
        ");
    }
}
