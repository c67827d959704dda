//! CAPWAP data packets, frames between access points and their controller (RFC 5415).
//!
//! ```text
//! version:4 type:4 | HLEN:5 RID:5 WBID:5 T:1 F:1 L:1 W:1 M:1 K:1 flags:3 | fragment ID:2 | offset:13 reserved:3
//! M: length:1 MAC address, padded | W: length:1 wireless information, padded | frame
//! K: length:2 | elements: type:2 | length:2 | value
//! ```
//! HLEN counts words of four bytes up to the frame. It is an IEEE 802.3 frame, or with T one of the binding, mostly IEEE 802.11,
//! whose frame control many devices send byte-swapped. Not covered: fragments, DTLS, and control packets.

use super::ethernet::{self, rest};
use super::{Described, HeaderPayload, Next, layer, wlan};
use crate::tree::{Names, fields, title};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&CAPWAP, FIELDS);

/// A data packet on its UDP port.
pub(super) static DATA: Described = Described { protocol: &PROTOCOL, header };

fields! {
    CAPWAP = protocol("capwap", "CAPWAP", "Control And Provisioning of Wireless Access Points");
    VERSION = number("capwap.preamble.version", "Version", "0").mask(0xf0);
    TYPE = number("capwap.preamble.type", "Type", "Kind of header after the preamble").mask(0x0f).names(TYPES);
    RESERVED = bytes("capwap.preamble.reserved", "Reserved", "");
    LENGTH = number("capwap.header.length", "Header length", "Words of four bytes, the preamble included").mask(0xf8_0000);
    RID = number("capwap.header.rid", "Radio ID", "").mask(0x07_c000);
    WBID = number("capwap.header.wbid", "Wireless binding ID", "Technology of the native frames").mask(0x00_3e00).names(BINDINGS);
    FLAGS = number("capwap.header.flags", "Flags", "T, F, L, W, M, K and reserved bits").hex(6).mask(0x00_01ff);
    FLAG_T = bool("capwap.header.flags.t", "Payload type", "True for the binding's native frames, false for IEEE 802.3").mask(0x100);
    FLAG_F = bool("capwap.header.flags.f", "Fragment", "").mask(0x80);
    FLAG_L = bool("capwap.header.flags.l", "Last fragment", "").mask(0x40);
    FLAG_W = bool("capwap.header.flags.w", "Wireless header", "Wireless information is present").mask(0x20);
    FLAG_M = bool("capwap.header.flags.m", "Radio MAC header", "A radio MAC address is present").mask(0x10);
    FLAG_K = bool("capwap.header.flags.k", "Keep-Alive", "").mask(0x08);
    FLAG_R = number("capwap.header.flags.r", "Reserved", "").mask(0x07);
    FRAGMENT_ID = number("capwap.header.fragment.id", "Fragment ID", "Identifies the fragments of a packet");
    FRAGMENT_OFFSET = number("capwap.header.fragment.offset", "Fragment offset", "Units of eight bytes").mask(0xfff8);
    FRAGMENT_RESERVED = number("capwap.header.fragment.reserved", "Reserved", "").mask(0x0007);
    MAC_LENGTH = number("capwap.header.mac.length", "MAC length", "Bytes of the address");
    MAC_EUI48 = mac("capwap.header.mac.eui48", "MAC address", "EUI-48 of the radio");
    MAC_DATA = bytes("capwap.header.mac.data", "MAC address", "Radio MAC address of another length");
    WIRELESS_LENGTH = number("capwap.header.wireless.length", "Wireless length", "Bytes of the wireless information");
    WIRELESS_DATA = bytes("capwap.header.wireless.data", "Wireless data", "Radio information of the binding");
    PADDING = bytes("capwap.header.padding", "Padding", "Up to a multiple of four bytes");
    KEEP_ALIVE = group("capwap.keep_alive", "Keep-Alive", "Message elements of a keep-alive");
    KEEP_ALIVE_LENGTH = number("capwap.keep_alive.length", "Length", "Bytes of length and elements");
    ELEMENT = group("capwap.message_element", "Message element", "").titled(title::kind);
    ELEMENT_TYPE = number("capwap.message_element.type", "Type", "").names(ELEMENTS);
    ELEMENT_LENGTH = number("capwap.message_element.length", "Length", "Bytes of the value");
    ELEMENT_VALUE = bytes("capwap.message_element.value", "Value", "");
    BAD_LENGTH = broken("capwap.header.length.bad", "bad header length", "The header is shorter than its fields");
}

const TYPES: Names = &[(0, "CAPWAP header"), (1, "CAPWAP DTLS header")];
const BINDINGS: Names = &[(0, "reserved"), (1, "IEEE 802.11"), (2, "IEEE 802.16"), (3, "EPCglobal")];
const ELEMENTS: Names = &[(35, "Session ID"), (37, "Vendor Specific Payload")];

/// Bytes of the fixed header.
const FIXED: usize = 8;

/// Whether a data packet may begin here.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    match bytes {
        [0, length, ..] => (FIXED..=bytes.len().max(FIXED)).contains(&(4 * usize::from(length >> 3))),
        [1, 0, 0, 0, ..] => true,
        _ => false,
    }
}

fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const DTLS: u64 = 1;
    let preamble = wire.bits(1, &[&VERSION, &TYPE])?;
    if TYPE.bits_of(preamble) == DTLS {
        wire.bytes(&RESERVED, 3)?;
        wire.info(format_args!("DTLS"));
        return Ok(HeaderPayload::new(Next::Data, rest(wire), missing));
    }
    let length = wire.ahead().first().map_or(FIXED, |length| 4 * usize::from(length >> 3));
    if length < FIXED {
        return wire.malformed(&BAD_LENGTH, format_args!("a header of {length} bytes; {FIXED} is the least"));
    }
    let bits = wire.within(length - 1, &PADDING, |wire| {
        let bits = wire.bits(3, &[&LENGTH, &RID, &WBID])?;
        let at = wire.at();
        let flags = crate::tree::Value::Unsigned(FLAGS.bits_of(bits));
        wire.put_over(&FLAGS, flags, Some(at - 3..at), |wire| {
            for flag in [&FLAG_T, &FLAG_F, &FLAG_L, &FLAG_W, &FLAG_M, &FLAG_K] {
                wire.put(flag, crate::tree::Value::Bool(flag.bits_of(bits) != 0), at - 3..at);
            }
            wire.put(&FLAG_R, crate::tree::Value::Unsigned(FLAG_R.bits_of(bits)), at - 3..at);
        });
        wire.u16_be(&FRAGMENT_ID)?;
        wire.bits(2, &[&FRAGMENT_OFFSET, &FRAGMENT_RESERVED])?;
        options(wire, bits)?;
        wire.rest(&PADDING);
        Ok(bits)
    })?;
    wire.info(format_args!("radio {}", RID.bits_of(bits)));
    if FLAG_K.bits_of(bits) != 0 {
        wire.name("keep-alive");
        wire.group(&KEEP_ALIVE, keep_alive)?;
        return Ok(HeaderPayload::nothing(wire.at()));
    }
    Ok(HeaderPayload::new(next(bits, wire.ahead()), rest(wire), missing))
}

/// The radio MAC address and the wireless information, if they are present.
fn options(wire: &mut Wire<'_>, bits: u64) -> Result {
    const EUI48: u8 = 6;
    if FLAG_M.bits_of(bits) != 0 {
        let length = wire.u8(&MAC_LENGTH)?;
        wire.bytes(if length == EUI48 { &MAC_EUI48 } else { &MAC_DATA }, usize::from(length))?;
        pad(wire, 1 + usize::from(length))?;
    }
    if FLAG_W.bits_of(bits) != 0 {
        let length = usize::from(wire.u8(&WIRELESS_LENGTH)?);
        wire.bytes(&WIRELESS_DATA, length)?;
        pad(wire, 1 + length)?;
    }
    Ok(())
}

/// Padding after this many bytes.
fn pad(wire: &mut Wire<'_>, length: usize) -> Result {
    match length.next_multiple_of(4) - length {
        0 => Ok(()),
        padding => wire.bytes(&PADDING, padding).map(drop),
    }
}

/// The type of the payload.
fn next(bits: u64, frame: &[u8]) -> Next {
    const IEEE_802_11: u64 = 1;
    if FLAG_F.bits_of(bits) != 0 {
        Next::Data
    } else if FLAG_T.bits_of(bits) == 0 {
        Next::Header(&ethernet::FRAME)
    } else if WBID.bits_of(bits) == IEEE_802_11 {
        wlan::possibly_swapped(frame)
    } else {
        Next::Data
    }
}

fn keep_alive(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&KEEP_ALIVE_LENGTH)?;
    wire.groups(&ELEMENT, |wire| {
        wire.u16_be(&ELEMENT_TYPE)?;
        wire.counted(Wire::u16_be, &ELEMENT_LENGTH, &ELEMENT_VALUE).map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_packet_leads_to_a_frame_of_ieee_802_3() {
        let frame = ["00 100100 0000 0000", "020000000002 020000000001 88cc", "0000"];
        let tree = layers(Next::Header(&DATA), &frame);
        let expected = "\
capwap 0..8 | radio 0
  0..1 capwap.preamble.version = 0
  0..1 capwap.preamble.type = 0 (CAPWAP header)
  1..4 capwap.header.length = 2
  1..4 capwap.header.rid = 0
  1..4 capwap.header.wbid = 0 (reserved)
  1..4 capwap.header.flags = 0x000100
    1..4 capwap.header.flags.t = true
";
        assert!(tree.starts_with(expected), "{tree}");
        let tree = layers(Next::Header(&DATA), &["00 104200 0000 0000", "020000000002 020000000001 88cc", "0000"]);
        assert!(tree.contains("\neth 8..22 | 02:00:00:00:00:01 → 02:00:00:00:00:02\n"), "{tree}");
    }

    /// A data frame to an access point, its LLC header and the beginning of ARP.
    const BODY: &str = "0000 020000000001 020000000002 020000000003 0010 aaaa03 000000 0806";

    #[test]
    fn a_native_frame_is_one_of_ieee_802_11_with_its_frame_control_in_either_order() {
        for control in ["0801", "0108"] {
            let tree = layers(Next::Header(&DATA), &["00 104300 0000 0000", control, BODY]);
            let expected = [
                "wlan.fc = 0x0801",
                "wlan.fc.type_subtype = 0x0020 (data)",
                "18..24 wlan.sa = 02:00:00:00:00:02",
                "llc.type = 0x0806",
            ];
            assert!(expected.iter().all(|line| tree.contains(line)), "{control}: {tree}");
        }
    }

    #[test]
    fn a_radio_address_and_wireless_information_are_padded() {
        let tree = layers(Next::Header(&DATA), &["00 304230 0000 0000", "06 020000000009 00", "04 c0 1e 0010 000000", "0000"]);
        let expected = "\
  8..9 capwap.header.mac.length = 6
  9..15 capwap.header.mac.eui48 = 02:00:00:00:00:09
  15..16 capwap.header.padding = 00
  16..17 capwap.header.wireless.length = 4
  17..21 capwap.header.wireless.data = c01e0010
";
        assert!(tree.contains(expected), "{tree}");
    }

    #[test]
    fn a_keep_alive_has_elements() {
        let tree = layers(Next::Header(&DATA), &["00 104208 0000 0000", "0016 0023 0010 000102030405060708090a0b0c0d0e0f"]);
        let expected = "\
  8..30 capwap.keep_alive
    8..10 capwap.keep_alive.length = 22
    10..30 capwap.message_element
      10..12 capwap.message_element.type = 35 (Session ID)
      12..14 capwap.message_element.length = 16
";
        assert!(tree.contains(expected), "{tree}");
    }

    #[test]
    fn a_header_that_is_cut_or_too_short_is_noted() {
        let tree = cut(Next::Header(&DATA), &["00 284230 00"], 30);
        assert!(tree.contains("! broken dissect.cut at 4..5 capwap"), "{tree}");
        let tree = layers(Next::Header(&DATA), &["00 084230 0000 0000"]);
        assert!(tree.contains("! broken capwap.header.length.bad at 1..8 capwap"), "{tree}");
    }

    #[test]
    fn only_plausible_data_packets_are_recognized() {
        assert!(is_plausible(&[0, 0x10, 0x42, 0, 0, 0, 0, 0]) && is_plausible(&[1, 0, 0, 0, 22]));
        assert!(
            !is_plausible(&[0, 0x08, 0, 0, 0, 0, 0, 0])
                && !is_plausible(&[0, 0x18, 0, 0, 0, 0, 0, 0])
                && !is_plausible(&[0x17, 0xfe])
        );
    }
}
