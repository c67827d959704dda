//! The AVS capture header: metadata of older drivers for an 802.11 frame.
//!
//! ```text
//! magic and version:4 | length:4 | card's clock:8 | host's clock:8 | radio:4 | channel:4 | rate:4 | antenna:4 | priority:4
//! signal type:4 | signal:4 | noise:4 | preamble:4 | encoding:4 | version 2: sequence:4 | drops:4 | receiver:6 | padding:2
//! ```

use super::ethernet::rest;
use super::{HeaderPayload, layer, wlan};
use crate::tree::{Names, Value, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&WLANCAP, FIELDS);

fields! {
    WLANCAP = protocol("wlancap", "AVS", "AVS wireless capture header");
    MAGIC = number("wlancap.magic", "Header magic", "").hex(8).mask(0xffff_fff0);
    VERSION = number("wlancap.version", "Version", "1 or 2").mask(0x0000_000f);
    LENGTH = number("wlancap.length", "Length", "Bytes of this header");
    MACTIME = number("wlancap.mactime", "MAC timestamp", "MAC clock of the card");
    HOSTTIME = number("wlancap.hosttime", "Host timestamp", "Clock of the capturing host");
    PHYTYPE = number("wlancap.phytype", "PHY type", "").names(RADIOS);
    CHANNEL = number("wlancap.channel", "Channel", "");
    DATA_RATE = number("wlancap.data_rate", "Data rate", "Bits per second; on the wire in units of 100,000");
    ANTENNA = number("wlancap.antenna", "Antenna", "");
    PRIORITY = number("wlancap.priority", "Priority", "");
    SSI_TYPE = number("wlancap.ssi_type", "SSI type", "Unit of signal and noise").names(SIGNALS);
    SIGNAL = number("wlancap.dbm_antsignal", "Signal", "Unit given by the signal type");
    NOISE = number("wlancap.dbm_antnoise", "Noise", "Unit given by the signal type");
    PREAMBLE = number("wlancap.preamble", "Preamble", "").names(PREAMBLES);
    ENCODING = number("wlancap.encoding", "Encoding type", "");
    SEQUENCE = number("wlancap.sequence", "Receive sequence", "Counts received frames");
    DROPS = number("wlancap.drops", "Known dropped frames", "");
    RECEIVER = mac("wlancap.receiver_addr", "Receiver address", "Capturing device");
    PADDING = bytes("wlancap.padding", "Padding", "");
    BAD_LENGTH = broken("wlancap.length.invalid", "bad length", "The header is shorter than its fixed part or longer than the frame");
}

const RADIOS: Names =
    &[(1, "802.11 FHSS"), (2, "802.11 DSSS"), (3, "802.11 IR"), (4, "802.11b"), (5, "PBCC"), (6, "802.11g"), (8, "802.11a")];
const SIGNALS: Names = &[(0, "none"), (1, "normalised"), (2, "dBm"), (3, "raw")];
const PREAMBLES: Names = &[(1, "short"), (2, "long")];

/// Whether a frame of the link type Prism begins with an AVS header, which has another magic number.
pub(super) fn is_plausible(frame: &[u8]) -> bool {
    frame.first() == Some(&0x80)
}

/// A header of either version.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const FIXED: usize = 64;
    let (start, captured) = (wire.at(), wire.remaining());
    let version = VERSION.bits_of(wire.bits(4, &[&MAGIC, &VERSION])?);
    let length = usize::try_from(wire.u32_be(&LENGTH)?).unwrap_or(usize::MAX);
    if length < FIXED || length > captured + missing {
        return wire.malformed(&BAD_LENGTH, format_args!("{length} bytes in a frame of {}", captured + missing));
    }
    wire.u64_be(&MACTIME)?;
    wire.u64_be(&HOSTTIME)?;
    wire.u32_be(&PHYTYPE)?;
    let channel = wire.u32_be(&CHANNEL)?;
    let (at, rate) = (wire.at(), wire.bits(4, &[])?);
    wire.put(&DATA_RATE, Value::Unsigned(100_000 * rate), at..at + 4);
    wire.u32_be(&ANTENNA)?;
    wire.u32_be(&PRIORITY)?;
    wire.u32_be(&SSI_TYPE)?;
    let signal = wire.i32_be(&SIGNAL)?;
    wire.info(format_args!("channel {channel}, signal {signal}"));
    wire.i32_be(&NOISE)?;
    wire.u32_be(&PREAMBLE)?;
    wire.u32_be(&ENCODING)?;
    if version >= 2 && length >= FIXED + 14 {
        wire.u32_be(&SEQUENCE)?;
        wire.u32_be(&DROPS)?;
        wire.bytes(&RECEIVER, 6)?;
    }
    let read = wire.at() - start;
    if length > read {
        wire.bytes(&PADDING, length - read)?;
    }
    Ok(HeaderPayload::new(wlan::handled(false, false), rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::layers;

    #[test]
    fn a_header_is_read() {
        let frame = [
            "80211001 00000040",                            // version 1, 64 bytes
            "0000000000000001 0000000000000002",            // clocks of card and host
            "00000004 00000006 0000006e 00000000 00000000", // 802.11b, channel 6, 11 Mb/s
            "00000002 ffffffce ffffffa6",                   // dBm: -50 and -90
            "00000001 00000001",                            // short preamble, coding 1
            "d4 00 0000 020000000001",                      // acknowledgement to whom
        ];
        insta::assert_snapshot!(layers(Next::Link(163), &frame), @"
        wlancap 0..64 | channel 6, signal -50
          0..4 wlancap.magic = 0x08021100
          0..4 wlancap.version = 1
          4..8 wlancap.length = 64
          8..16 wlancap.mactime = 1
          16..24 wlancap.hosttime = 2
          24..28 wlancap.phytype = 4 (802.11b)
          28..32 wlancap.channel = 6
          32..36 wlancap.data_rate = 11000000
          36..40 wlancap.antenna = 0
          40..44 wlancap.priority = 0
          44..48 wlancap.ssi_type = 2 (dBm)
          48..52 wlancap.dbm_antsignal = -50
          52..56 wlancap.dbm_antnoise = -90
          56..60 wlancap.preamble = 1 (short)
          60..64 wlancap.encoding = 1
        wlan 64..74 | acknowledgement | → 02:00:00:00:00:01
          64..66 wlan.fc = 0xd400
            64..66 wlan.fc.version = 0
            64..66 wlan.fc.type = 1 (control)
            64..66 wlan.fc.subtype = 13
            64..66 wlan.flags = 0x00
            64..66 wlan.fc.tods = false
            64..66 wlan.fc.fromds = false
            64..66 wlan.fc.frag = false
            64..66 wlan.fc.retry = false
            64..66 wlan.fc.pwrmgt = false
            64..66 wlan.fc.moredata = false
            64..66 wlan.fc.protected = false
            64..66 wlan.fc.order = false
          64..65 wlan.fc.type_subtype = 0x001d (acknowledgement)
          66..68 wlan.duration = 0
          68..74 wlan.ra = 02:00:00:00:00:01
        ");
    }

    #[test]
    fn a_length_below_the_least_is_noted() {
        let frame = [
            "80211001 00000008", // version 1, 8 bytes
        ];
        insta::assert_snapshot!(layers(Next::Link(163), &frame), @"
        wlancap 0..8
          0..4 wlancap.magic = 0x08021100
          0..4 wlancap.version = 1
          4..8 wlancap.length = 8
        ! broken wlancap.length.invalid at 8..8 wlancap.length: 8 bytes in a frame of 8
        ");
    }
}
