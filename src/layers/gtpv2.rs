//! GTPv2-C, the control messages of LTE and 5G cores in UDP (3GPP TS 29.274).
//!
//! ```text
//! message    version:3 bits P:1 T:1 reserved:3 | message:1 | length:2 | tunnel:4, if T | sequence:3 | spare:1 | elements
//! element    type:1 | length:2 | CR:4 bits, instance:4 bits | value
//! ```
//! A message with the flag P is followed by another one.
//!
//! Not covered: the values of elements.

use super::{Described, HeaderPayload, layer};
use crate::tree::{Names, fields, name_of, title};
use crate::wire::{Error, Protocol, Result, Wire, data};

pub static PROTOCOL: Protocol = layer(&GTPV2, FIELDS);

/// Messages of one datagram.
pub(super) static MESSAGE: Described = Described { protocol: &PROTOCOL, header: messages };

fields! {
    GTPV2 = protocol("gtpv2", "GTPv2", "GPRS Tunnelling Protocol, version 2");
    FLAGS = number("gtpv2.flags", "Flags", "").hex(2);
    VERSION = number("gtpv2.version", "Version", "2").mask(0xe0);
    PIGGYBACKED = number("gtpv2.p", "Piggybacking flag (P)", "Another message follows").mask(0x10);
    HAS_TEID = number("gtpv2.t", "TEID flag (T)", "").mask(0x08);
    TYPE = number("gtpv2.message_type", "Message type", "").names(MESSAGES);
    LENGTH = number("gtpv2.msg_length", "Message length", "Bytes after the first four");
    TEID = number("gtpv2.teid", "Tunnel endpoint identifier", "").hex(8);
    SEQ = number("gtpv2.seq", "Sequence number", "").hex(6);
    SPARE = number("gtpv2.spare", "Spare", "");
    IE = group("gtpv2.ie", "Information element", "").titled(title::kind);
    IE_TYPE = number("gtpv2.ie_type", "IE type", "").names(ELEMENTS).once_per(&IE);
    IE_LENGTH = number("gtpv2.ie_len", "IE length", "").once_per(&IE);
    CR = number("gtpv2.cr", "CR flag", "").mask(0xf0).once_per(&IE);
    INSTANCE = number("gtpv2.instance", "Instance", "").mask(0x0f).once_per(&IE);
    VALUE = bytes("gtpv2.ie_value", "Value", "").once_per(&IE);
}

const MESSAGES: Names = &[
    (1, "echo request"),
    (2, "echo response"),
    (3, "version not supported"),
    (32, "create session request"),
    (33, "create session response"),
    (34, "modify bearer request"),
    (35, "modify bearer response"),
    (36, "delete session request"),
    (37, "delete session response"),
    (38, "change notification request"),
    (39, "change notification response"),
    (64, "modify bearer command"),
    (65, "modify bearer failure indication"),
    (66, "delete bearer command"),
    (67, "delete bearer failure indication"),
    (68, "bearer resource command"),
    (69, "bearer resource failure indication"),
    (70, "downlink data notification failure indication"),
    (95, "create bearer request"),
    (96, "create bearer response"),
    (97, "update bearer request"),
    (98, "update bearer response"),
    (99, "delete bearer request"),
    (100, "delete bearer response"),
    (128, "identification request"),
    (129, "identification response"),
    (130, "context request"),
    (131, "context response"),
    (132, "context acknowledge"),
    (133, "forward relocation request"),
    (134, "forward relocation response"),
    (135, "forward relocation complete notification"),
    (136, "forward relocation complete acknowledge"),
    (149, "detach notification"),
    (150, "detach acknowledge"),
    (166, "create indirect data forwarding tunnel request"),
    (167, "create indirect data forwarding tunnel response"),
    (168, "delete indirect data forwarding tunnel request"),
    (169, "delete indirect data forwarding tunnel response"),
    (170, "release access bearers request"),
    (171, "release access bearers response"),
    (176, "downlink data notification"),
    (177, "downlink data notification acknowledge"),
];
const ELEMENTS: Names = &[
    (1, "IMSI"),
    (2, "cause"),
    (3, "recovery"),
    (71, "APN"),
    (72, "AMBR"),
    (73, "EPS bearer ID"),
    (75, "mobile equipment identity"),
    (76, "MSISDN"),
    (77, "indication"),
    (78, "protocol configuration options"),
    (79, "PDN address allocation"),
    (80, "bearer QoS"),
    (82, "RAT type"),
    (83, "serving network"),
    (86, "user location information"),
    (87, "F-TEID"),
    (93, "bearer context"),
    (94, "charging ID"),
    (95, "charging characteristics"),
    (99, "PDN type"),
    (114, "UE time zone"),
    (127, "APN restriction"),
    (128, "selection mode"),
    (255, "private extension"),
];

/// Bytes of a header without a tunnel.
const HEADER: usize = 8;

/// Whether a message may begin here: version 2, with no reserved bits but one, and a length within the datagram.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    matches!(bytes, [flags, _, high, low, ..] if flags & 0xe3 == 0x40 && u16::from_be_bytes([*high, *low]) >= 4)
}

fn messages(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let kind = wire.ahead().get(1).copied().unwrap_or_default();
    wire.name(name_of(MESSAGES, kind.into()).unwrap_or("unknown message"));
    while message(wire, missing)? && follows(wire)? {}
    wire.rest(&data::BYTES);
    Ok(HeaderPayload::nothing(wire.at()))
}

/// Whether the announced message is there. Fewer bytes than its header has are an error.
fn follows(wire: &Wire<'_>) -> Result<bool> {
    let left = wire.remaining();
    match is_plausible(wire.ahead()) {
        false if left < HEADER => Err(Error::Short { needed: HEADER - left }),
        is_plausible => Ok(is_plausible),
    }
}

/// Dissects a message. Returns whether it announces another one.
fn message(wire: &mut Wire<'_>, missing: usize) -> Result<bool> {
    let flags = wire.flags(&FLAGS, 1, &[&VERSION, &PIGGYBACKED, &HAS_TEID])?;
    wire.u8(&TYPE)?;
    let length = usize::from(wire.u16_be(&LENGTH)?);
    let body = if missing > 0 { length.min(wire.remaining()) } else { length };
    wire.within(body, &data::BYTES, |wire| {
        if HAS_TEID.bits_of(flags) != 0 {
            let tunnel = wire.u32_be(&TEID)?;
            wire.info(format_args!("tunnel {tunnel:#010x}"));
        }
        wire.u24_be(&SEQ)?;
        wire.u8(&SPARE)?;
        wire.groups(&IE, element)
    })?;
    Ok(PIGGYBACKED.bits_of(flags) != 0)
}

fn element(wire: &mut Wire<'_>) -> Result {
    wire.u8(&IE_TYPE)?;
    let length = wire.u16_be(&IE_LENGTH)?;
    wire.bits(1, &[&CR, &INSTANCE])?;
    wire.optional(&VALUE, length.into()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_message_and_the_one_behind_it_have_elements() {
        let frame = [
            "58 21 000e 00001234 000007 00", // piggybacking, create session response, 14 bytes, tunnel, number 7
            "02 0002 00 1000",               // cause
            "40 01 0009 000008 00",          // echo request, 9 bytes, number 8
            "03 0001 00 05",                 // recovery
        ];
        insta::assert_snapshot!(layers(Next::Header(&MESSAGE), &frame), @"
        gtpv2 0..31 | create session response | tunnel 0x00001234
          0..1 gtpv2.flags = 0x58
            0..1 gtpv2.version = 2
            0..1 gtpv2.p = 1
            0..1 gtpv2.t = 1
          1..2 gtpv2.message_type = 33 (create session response)
          2..4 gtpv2.msg_length = 14
          4..8 gtpv2.teid = 0x00001234
          8..11 gtpv2.seq = 0x000007
          11..12 gtpv2.spare = 0
          12..18 gtpv2.ie
            12..13 gtpv2.ie_type = 2 (cause)
            13..15 gtpv2.ie_len = 2
            15..16 gtpv2.cr = 0
            15..16 gtpv2.instance = 0
            16..18 gtpv2.ie_value = 1000
          18..19 gtpv2.flags = 0x40
            18..19 gtpv2.version = 2
            18..19 gtpv2.p = 0
            18..19 gtpv2.t = 0
          19..20 gtpv2.message_type = 1 (echo request)
          20..22 gtpv2.msg_length = 9
          22..25 gtpv2.seq = 0x000008
          25..26 gtpv2.spare = 0
          26..31 gtpv2.ie
            26..27 gtpv2.ie_type = 3 (recovery)
            27..29 gtpv2.ie_len = 1
            29..30 gtpv2.cr = 0
            29..30 gtpv2.instance = 0
            30..31 gtpv2.ie_value = 05
        ");
    }

    #[test]
    fn an_element_that_is_cut_is_noted() {
        insta::assert_snapshot!(cut(Next::Header(&MESSAGE), &["48 20 0040 00000000 000001 00", "01 0008 00 2620"], 30), @"
        gtpv2 0..18 | create session request | tunnel 0x00000000
          0..1 gtpv2.flags = 0x48
            0..1 gtpv2.version = 2
            0..1 gtpv2.p = 0
            0..1 gtpv2.t = 1
          1..2 gtpv2.message_type = 32 (create session request)
          2..4 gtpv2.msg_length = 64
          4..8 gtpv2.teid = 0x00000000
          8..11 gtpv2.seq = 0x000001
          11..12 gtpv2.spare = 0
          12..16 gtpv2.ie
            12..13 gtpv2.ie_type = 1 (IMSI)
            13..15 gtpv2.ie_len = 8
            15..16 gtpv2.cr = 0
            15..16 gtpv2.instance = 0
          16..18 data.data = 2620
        ! broken dissect.cut at 16..18 gtpv2: the capture holds 6 bytes too few of this frame
        ");
    }

    #[test]
    fn an_announced_message_without_a_header_is_noted() {
        let frame = ["50 01 0009 003039 00", "03 0001 00 11", "3132"]; // piggybacking, echo request, recovery, two bytes of another one
        insta::assert_snapshot!(layers(Next::Header(&MESSAGE), &frame), @"
        gtpv2 0..15 | echo request
          0..1 gtpv2.flags = 0x50
            0..1 gtpv2.version = 2
            0..1 gtpv2.p = 1
            0..1 gtpv2.t = 0
          1..2 gtpv2.message_type = 1 (echo request)
          2..4 gtpv2.msg_length = 9
          4..7 gtpv2.seq = 0x003039
          7..8 gtpv2.spare = 0
          8..13 gtpv2.ie
            8..9 gtpv2.ie_type = 3 (recovery)
            9..11 gtpv2.ie_len = 1
            11..12 gtpv2.cr = 0
            11..12 gtpv2.instance = 0
            12..13 gtpv2.ie_value = 11
          13..15 data.data = 3132
        ! broken dissect.short at 13..15 gtpv2: 6 more bytes needed, 2 left
        ");
        let without = layers(Next::Header(&MESSAGE), &frame[..2]);
        assert!(without.ends_with(" gtpv2: 8 more bytes needed, 0 left\n"), "{without}");
    }

    #[test]
    fn another_version_is_not_plausible() {
        assert!(is_plausible(&[0x48, 32, 0, 8]) && is_plausible(&[0x40, 1, 0, 4]));
        assert!(!is_plausible(&[0x30, 1, 0, 8]) && !is_plausible(&[0x43, 1, 0, 8]) && !is_plausible(&[0x48, 1, 0, 3]));
    }
}
