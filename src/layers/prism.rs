//! The Prism capture header: metadata of a driver for an 802.11 frame.
//!
//! ```text
//! header  code:4 | length:4 | device:16 | items
//! item    name:4 | status:2 | length:2 | value:4
//! ```
//!
//! Numbers are in the byte order of the capturing host, detected from the message code.

use super::ethernet::rest;
use super::{HeaderPayload, layer, wlan};
use crate::tree::{Field, Names, fields, title};
use crate::wire::{Error, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&PRISM, FIELDS);

fields! {
    PRISM = protocol("prism", "Prism", "Prism wireless capture header");
    CODE = number("prism.msgcode", "Message code", "0x41 or 0x44").hex(8);
    LENGTH = number("prism.msglen", "Message length", "Bytes of this header");
    DEVICE = text("prism.devname", "Device", "Name of the capturing device");
    ITEM = group("prism.did", "DID", "Item of the header").titled(title::kind);
    NAME = number("prism.did.type", "DID type", "").hex(8);
    STATUS = number("prism.did.status", "Status", "0 if the value is valid").names(STATES);
    ITEM_LENGTH = number("prism.did.length", "Length", "Bytes of the value");
    HOSTTIME = number("prism.did.hosttime", "Host time", "Clock of the capturing host");
    MACTIME = number("prism.did.mactime", "MAC time", "MAC clock of the card");
    CHANNEL = number("prism.did.channel", "Channel", "");
    RSSI = number("prism.did.rssi", "RSSI", "Received signal strength indicator");
    QUALITY = number("prism.did.sq", "Signal quality", "");
    SIGNAL = number("prism.did.signal", "Signal", "");
    NOISE = number("prism.did.noise", "Noise", "");
    RATE = number("prism.did.rate", "Data rate", "Units of 500 kb/s");
    ISTX = number("prism.did.istx", "IsTX", "Transmitted by the capturing host").hex(8);
    FRAME_LENGTH = number("prism.did.frmlen", "Frame length", "Bytes of the frame");
    UNKNOWN = number("prism.did.unknown", "Value", "").hex(8);
    PADDING = bytes("prism.padding", "Padding", "Up to the length of the name or the header");
    BAD_LENGTH = broken("prism.msglen.invalid", "bad length", "The header is shorter than its fixed part or longer than the frame");
}

const STATES: Names = &[(0, "supplied"), (1, "not supplied")];

/// A header with its items.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const FIXED: usize = 24;
    const ITEM_BYTES: usize = 12;
    const DEVICE_BYTES: usize = 16;
    let (start, captured) = (wire.at(), wire.remaining());
    let little = wire.ahead().first().is_some_and(|first| *first != 0);
    number(wire, little, &CODE)?;
    let length = usize::try_from(number(wire, little, &LENGTH)?).unwrap_or(usize::MAX);
    if length < FIXED || length > captured + missing {
        return wire.malformed(&BAD_LENGTH, format_args!("{length} bytes in a frame of {}", captured + missing));
    }
    let name = wire.ahead().get(..DEVICE_BYTES).ok_or(Error::Short { needed: DEVICE_BYTES.saturating_sub(wire.remaining()) })?;
    let name = name.iter().take_while(|byte| **byte != 0).count();
    wire.text(&DEVICE, name)?;
    if name < DEVICE_BYTES {
        wire.bytes(&PADDING, DEVICE_BYTES - name)?;
    }
    let end = start + length;
    while wire.at() + ITEM_BYTES <= end {
        wire.group(&ITEM, |wire| item(wire, little))?;
    }
    if wire.at() < end {
        wire.bytes(&PADDING, end - wire.at())?;
    }
    Ok(HeaderPayload::new(wlan::handled(false, false), rest(wire), missing))
}

fn item(wire: &mut Wire<'_>, little: bool) -> Result {
    let name = number(wire, little, &NAME)?;
    if little {
        wire.u16_le(&STATUS)?;
        wire.u16_le(&ITEM_LENGTH)?;
    } else {
        wire.u16_be(&STATUS)?;
        wire.u16_be(&ITEM_LENGTH)?;
    }
    let field: &'static Field = match name >> 16 {
        1 => &HOSTTIME,
        2 => &MACTIME,
        3 => &CHANNEL,
        4 => &RSSI,
        5 => &QUALITY,
        6 => &SIGNAL,
        7 => &NOISE,
        8 => &RATE,
        9 => &ISTX,
        10 => &FRAME_LENGTH,
        _ => &UNKNOWN,
    };
    // Signal strengths are usually negative.
    match name >> 16 {
        4 | 6 | 7 if little => wire.i32_le(field).map(drop),
        4 | 6 | 7 => wire.i32_be(field).map(drop),
        _ => number(wire, little, field).map(drop),
    }
}

fn number(wire: &mut Wire<'_>, little: bool, field: &'static Field) -> Result<u32> {
    if little { wire.u32_le(field) } else { wire.u32_be(field) }
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn items_are_read() {
        let frame = [
            "44000000 30000000",                // code, 48 bytes
            "776c616e300000000000000000000000", // wlan0
            "44000300 0000 0400 06000000",      // channel 6
            "44000600 0000 0400 ceffffff",      // signal -50
            "d4 00 0000 020000000001",          // acknowledgement to whom
        ];
        insta::assert_snapshot!(layers(Next::Link(119), &frame), @r#"
        prism 0..48
          0..4 prism.msgcode = 0x00000044
          4..8 prism.msglen = 48
          8..13 prism.devname = "wlan0"
          13..24 prism.padding = 0000000000000000000000
          24..36 prism.did
            24..28 prism.did.type = 0x00030044
            28..30 prism.did.status = 0 (supplied)
            30..32 prism.did.length = 4
            32..36 prism.did.channel = 6
          36..48 prism.did
            36..40 prism.did.type = 0x00060044
            40..42 prism.did.status = 0 (supplied)
            42..44 prism.did.length = 4
            44..48 prism.did.signal = -50
        wlan 48..58 | acknowledgement | → 02:00:00:00:00:01
          48..50 wlan.fc = 0xd400
            48..50 wlan.fc.version = 0
            48..50 wlan.fc.type = 1 (control)
            48..50 wlan.fc.subtype = 13
            48..50 wlan.flags = 0x00
            48..50 wlan.fc.tods = false
            48..50 wlan.fc.fromds = false
            48..50 wlan.fc.frag = false
            48..50 wlan.fc.retry = false
            48..50 wlan.fc.pwrmgt = false
            48..50 wlan.fc.moredata = false
            48..50 wlan.fc.protected = false
            48..50 wlan.fc.order = false
          48..49 wlan.fc.type_subtype = 0x001d (acknowledgement)
          50..52 wlan.duration = 0
          52..58 wlan.ra = 02:00:00:00:00:01
        "#);
    }

    #[test]
    fn an_item_that_is_cut_is_noted() {
        let frame = [
            "44000000 30000000",                // code, 48 bytes
            "776c616e300000000000000000000000", // wlan0
            "44000300",                         // channel
        ];
        insta::assert_snapshot!(cut(Next::Link(119), &frame, 30), @r#"
        prism 0..28
          0..4 prism.msgcode = 0x00000044
          4..8 prism.msglen = 48
          8..13 prism.devname = "wlan0"
          13..24 prism.padding = 0000000000000000000000
          24..28 prism.did
            24..28 prism.did.type = 0x00030044
        ! broken dissect.cut at 28..28 prism: the capture holds 2 bytes too few of this frame
        "#);
    }
}
