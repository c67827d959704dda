//! PIM, protocol-independent multicast, version 2 (RFC 7761).
//!
//! ```text
//! version:4 type:4 | reserved:1 | checksum:2 | by type
//! hello      options: type:2 | length:2 | value
//! register   border:1 null:1 reserved:30 | IP packet
//! ```
//!
//! Not covered: the messages of other types, and verifying the checksum.

use super::ethernet::rest;
use super::{HeaderPayload, Next, layer};
use crate::tree::{Names, fields, name_of, title};
use crate::wire::{Protocol, Result, Wire, data};

pub static PROTOCOL: Protocol = layer(&PIM, FIELDS);

fields! {
    PIM = protocol("pim", "PIM", "Protocol Independent Multicast");
    VERSION = number("pim.version", "Version", "2").mask(0xf0).once();
    TYPE = number("pim.type", "Type", "").mask(0x0f).names(TYPES).once();
    RES_BYTES = bytes("pim.res_bytes", "Reserved", "").once();
    CKSUM = number("pim.cksum", "Checksum", "Of a Register, covers only the first eight bytes").hex(4).once();
    OPTION = group("pim.option", "Option", "").titled(title::kind);
    OPTION_TYPE = number("pim.optiontype", "Type", "").names(OPTIONS).once_per(&OPTION);
    OPTION_LENGTH = number("pim.optionlength", "Length", "Bytes of the value").once_per(&OPTION);
    OPTION_VALUE = bytes("pim.optionvalue", "Value", "").once_per(&OPTION);
    REGISTER_FLAG = number("pim.register_flag", "Register flags", "").hex(8);
    BORDER = bool("pim.register_flag.border", "Border", "The sender is a PIM multicast border router").mask(0x8000_0000);
    NULL_REGISTER = bool("pim.register_flag.null_register", "Null-Register", "The message carries no packet").mask(0x4000_0000);
    DUMMY_HEADER = bytes("pim.dummy_header", "Dummy header", "IP header of a Null-Register");
}

const TYPES: Names = &[
    (0, "Hello"),
    (1, "Register"),
    (2, "Register-Stop"),
    (3, "Join/Prune"),
    (4, "Bootstrap"),
    (5, "Assert"),
    (6, "Graft"),
    (7, "Graft-Ack"),
    (8, "Candidate-RP-Advertisement"),
    (9, "State Refresh"),
    (10, "DF Election"),
    (11, "ECMP Redirect"),
    (12, "PFM"),
];
const OPTIONS: Names = &[
    (1, "Holdtime"),
    (2, "LAN Prune Delay"),
    (19, "DR Priority"),
    (20, "Generation ID"),
    (21, "State Refresh Capable"),
    (22, "Bidirectional Capable"),
    (24, "Address List"),
];

const HELLO: u64 = 0;
const REGISTER: u64 = 1;

/// A message.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let first = wire.bits(1, &[&VERSION, &TYPE])?;
    let kind = TYPE.bits_of(first);
    wire.name(name_of(TYPES, kind).unwrap_or("unknown type"));
    wire.bytes(&RES_BYTES, 1)?;
    wire.u16_be(&CKSUM)?;
    match kind {
        REGISTER => {
            let flags = wire.flags(&REGISTER_FLAG, 4, &[&BORDER, &NULL_REGISTER])?;
            if NULL_REGISTER.bits_of(flags) == 0 {
                return Ok(HeaderPayload::new(Next::Ip, rest(wire), missing));
            }
            wire.rest(&DUMMY_HEADER);
        }
        HELLO => wire.groups(&OPTION, option)?,
        _ => {
            wire.rest(&data::BYTES);
        }
    }
    Ok(HeaderPayload::nothing(wire.at()))
}

fn option(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&OPTION_TYPE)?;
    wire.counted(Wire::u16_be, &OPTION_LENGTH, &OPTION_VALUE).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_register_leads_to_the_packet_inside() {
        let frame = ["21 00 5eff 80000000", "4500001c 00010000 01110000 0a000001 e0000101", "c000c001 0008 0000"];
        let tree = layers(Next::IpProtocol(103), &frame);
        let expected = "\
pim 0..8 | Register
  0..1 pim.version = 2
  0..1 pim.type = 1 (Register)
  1..2 pim.res_bytes = 00
  2..4 pim.cksum = 0x5eff
  4..8 pim.register_flag = 0x80000000
    4..8 pim.register_flag.border = true
    4..8 pim.register_flag.null_register = false
ip 8..28 | 10.0.0.1 → 224.0.1.1 UDP
";
        assert!(tree.starts_with(expected), "{tree}");
    }

    #[test]
    fn a_null_register_carries_no_packet() {
        let tree = layers(Next::IpProtocol(103), &["21 00 9eff 40000000", "45000014 00010000 01670000 0a000001 e0000101"]);
        assert!(tree.contains("\n  8..28 pim.dummy_header = "), "{tree}");
        assert!(!tree.contains("\nip "), "{tree}");
    }

    #[test]
    fn a_hello_has_options_and_one_that_is_cut_is_noted() {
        let tree = cut(Next::IpProtocol(103), &["20 00 1234", "0001 0002 0069", "0013 0004 00"], 3);
        let expected = "\
  4..10 pim.option
    4..6 pim.optiontype = 1 (Holdtime)
    6..8 pim.optionlength = 2
    8..10 pim.optionvalue = 0069
  10..14 pim.option
    10..12 pim.optiontype = 19 (DR Priority)
    12..14 pim.optionlength = 4
  14..15 data.data = 00
! broken dissect.cut at 14..15 pim: the capture holds 3 bytes too few of this frame
";
        assert!(tree.ends_with(expected), "{tree}");
    }
}
