//! PPI, the Per-Packet Information header that CACE put before captured frames.
//!
//! ```text
//! header  version:1 | flags:1 | length:2 | link type:4
//! field   type:2 | length:2 | data                      aligned to four bytes where the flags say so
//! common  clock:8 | flags:2 | rate:2 | frequency:2 | channel flags:2 | hop set:1 | pattern:1 | signal:1 | noise:1
//! ```
//!
//! Numbers are little-endian. Not covered: the content of fields other than 802.11-Common.

use super::ethernet::rest;
use super::{HeaderPayload, Next, layer, wlan};
use crate::input::link_name;
use crate::tree::{Names, Value, fields, title};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&PPI, FIELDS);

fields! {
    PPI = protocol("ppi", "PPI", "Per-Packet Information");
    VERSION = number("ppi.version", "Version", "0").once();
    FLAGS = number("ppi.flags", "Flags", "").hex(2).once();
    ALIGNMENT = bool("ppi.flags.alignment", "Aligned", "Fields are aligned to four bytes").mask(0x01).once();
    RESERVED = number("ppi.flags.reserved", "Reserved", "").hex(2).mask(0xfe).once();
    LENGTH = number("ppi.length", "Length", "Bytes of this header with its fields").once();
    DLT = number("ppi.dlt", "DLT", "Link type of the payload").once();
    FIELD = group("ppi.field", "Field", "").titled(title::kind);
    FIELD_TYPE = number("ppi.field_type", "Field type", "").names(TYPES).once_per(&FIELD);
    FIELD_LEN = number("ppi.field_len", "Field length", "Bytes of the data").once_per(&FIELD);
    FIELD_DATA = bytes("ppi.field_data", "Data", "").once_per(&FIELD);
    PADDING = bytes("ppi.padding", "Padding", "Alignment of the next field");
    TSFT = number("ppi.80211-common.tsft", "TSFT", "MAC clock of the card").once_per(&FIELD);
    COMMON_FLAGS = number("ppi.80211-common.flags", "Flags", "").hex(4).once_per(&FIELD);
    FCS = bool("ppi.80211-common.flags.fcs", "FCS present", "The frame ends with its FCS").mask(0x0001).once_per(&FIELD);
    MILLISECONDS = bool("ppi.80211-common.flags.tsft", "TSFT in milliseconds", "Microseconds if not set").mask(0x0002).once_per(&FIELD);
    FCS_INVALID = bool("ppi.80211-common.flags.fcs-invalid", "FCS invalid", "").mask(0x0004).once_per(&FIELD);
    PHY_ERROR = bool("ppi.80211-common.flags.phy-err", "PHY error", "").mask(0x0008).once_per(&FIELD);
    RATE = number("ppi.80211-common.rate", "Data rate", "kb/s; on the wire in units of 500").once_per(&FIELD);
    FREQ = number("ppi.80211-common.chan.freq", "Channel frequency", "MHz").once_per(&FIELD);
    CHANNEL_FLAGS = number("ppi.80211-common.chan.flags", "Channel flags", "").hex(4).once_per(&FIELD);
    HOPSET = number("ppi.80211-common.fhss.hopset", "Hop set", "FHSS").hex(2).once_per(&FIELD);
    PATTERN = number("ppi.80211-common.fhss.pattern", "Hop pattern", "FHSS").hex(2).once_per(&FIELD);
    SIGNAL = number("ppi.80211-common.dbm.antsignal", "Antenna signal", "dBm").once_per(&FIELD);
    NOISE = number("ppi.80211-common.dbm.antnoise", "Antenna noise", "dBm").once_per(&FIELD);
    BAD_LENGTH = broken("ppi.length.invalid", "bad length", "The header is shorter than its fixed part or longer than the frame");
}

const COMMON: u16 = 2;
const WIRELESS: u32 = 105;
const TYPES: Names = &[
    (2, "802.11-Common"),
    (3, "802.11n MAC"),
    (4, "802.11n MAC and PHY"),
    (5, "spectrum map"),
    (6, "process information"),
    (7, "capture information"),
    (8, "aggregation"),
    (9, "802.3"),
    (30002, "GPS"),
    (30003, "vector"),
];

/// A header with its fields.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const FIXED: usize = 8;
    let (start, captured) = (wire.at(), wire.remaining());
    wire.u8(&VERSION)?;
    let flags = wire.flags(&FLAGS, 1, &[&ALIGNMENT, &RESERVED])?;
    let length = usize::from(wire.u16_le(&LENGTH)?);
    if length < FIXED || length > captured + missing {
        return wire.malformed(&BAD_LENGTH, format_args!("{length} bytes in a frame of {}", captured + missing));
    }
    let link = wire.u32_le(&DLT)?;
    let number = u16::try_from(link).ok();
    wire.info(format_args!("{}", number.and_then(link_name).unwrap_or("unknown link type")));
    let mut checked = false;
    wire.within(length - FIXED, &FIELD_DATA, |wire| {
        wire.each(|wire| {
            checked |= wire.group(&FIELD, field)?;
            let over = (wire.at() - start) % 4;
            if ALIGNMENT.bits_of(flags) == 1 && over > 0 {
                wire.bytes(&PADDING, (4 - over).min(wire.remaining()))?;
            }
            Ok(())
        })
    })?;
    let next = if link == WIRELESS { wlan::handled(checked, false) } else { number.map_or(Next::Data, Next::Link) };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

/// A field. Returns true if it states that the frame has its check sequence.
fn field(wire: &mut Wire<'_>) -> Result<bool> {
    const COMMON_LENGTH: usize = 20;
    let kind = wire.u16_le(&FIELD_TYPE)?;
    let length = usize::from(wire.u16_le(&FIELD_LEN)?);
    if kind == COMMON && length == COMMON_LENGTH {
        return common(wire);
    }
    wire.optional(&FIELD_DATA, length)?;
    Ok(false)
}

fn common(wire: &mut Wire<'_>) -> Result<bool> {
    wire.u64_le(&TSFT)?;
    let flags = wire.bits_le(2, &[&COMMON_FLAGS, &FCS, &MILLISECONDS, &FCS_INVALID, &PHY_ERROR])?;
    let at = wire.at();
    let rate = 500 * wire.bits_le(2, &[])?;
    wire.put(&RATE, Value::Unsigned(rate), at..at + 2);
    wire.u16_le(&FREQ)?;
    wire.u16_le(&CHANNEL_FLAGS)?;
    wire.u8(&HOPSET)?;
    wire.u8(&PATTERN)?;
    wire.i8(&SIGNAL)?;
    wire.i8(&NOISE)?;
    Ok(FCS.bits_of(flags) == 1)
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn common_field_is_read() {
        let frame = [
            "00 00 2000 69000000",        // version 0, 32 bytes, 802.11
            "0200 1400",                  // 802.11-Common, 20 bytes
            "4d00000000000000 0100 0c00", // clock 77, check sequence, 6 Mb/s
            "6c09 a000 01 02 ce a6",      // 2412 MHz, hop set and pattern, -50 and -90 dBm
            "d4 00 0000 020000000001",    // acknowledgement to whom
            "38ac82fa",                   // check sequence
        ];
        insta::assert_snapshot!(layers(Next::Link(192), &frame), @"
        ppi 0..32 | ieee802.11
          0..1 ppi.version = 0
          1..2 ppi.flags = 0x00
            1..2 ppi.flags.alignment = false
            1..2 ppi.flags.reserved = 0x00
          2..4 ppi.length = 32
          4..8 ppi.dlt = 105
          8..32 ppi.field
            8..10 ppi.field_type = 2 (802.11-Common)
            10..12 ppi.field_len = 20
            12..20 ppi.80211-common.tsft = 77
            20..22 ppi.80211-common.flags = 0x0001
            20..22 ppi.80211-common.flags.fcs = true
            20..22 ppi.80211-common.flags.tsft = false
            20..22 ppi.80211-common.flags.fcs-invalid = false
            20..22 ppi.80211-common.flags.phy-err = false
            22..24 ppi.80211-common.rate = 6000
            24..26 ppi.80211-common.chan.freq = 2412
            26..28 ppi.80211-common.chan.flags = 0x00a0
            28..29 ppi.80211-common.fhss.hopset = 0x01
            29..30 ppi.80211-common.fhss.pattern = 0x02
            30..31 ppi.80211-common.dbm.antsignal = -50
            31..32 ppi.80211-common.dbm.antnoise = -90
        wlan 32..46 | acknowledgement | → 02:00:00:00:00:01
          32..34 wlan.fc = 0xd400
            32..34 wlan.fc.version = 0
            32..34 wlan.fc.type = 1 (control)
            32..34 wlan.fc.subtype = 13
            32..34 wlan.flags = 0x00
            32..34 wlan.fc.tods = false
            32..34 wlan.fc.fromds = false
            32..34 wlan.fc.frag = false
            32..34 wlan.fc.retry = false
            32..34 wlan.fc.pwrmgt = false
            32..34 wlan.fc.moredata = false
            32..34 wlan.fc.protected = false
            32..34 wlan.fc.order = false
          32..33 wlan.fc.type_subtype = 0x001d (acknowledgement)
          34..36 wlan.duration = 0
          36..42 wlan.ra = 02:00:00:00:00:01
          42..46 wlan.fcs = 0xfa82ac38
        ");
    }

    #[test]
    fn a_field_that_is_cut_is_noted() {
        let frame = [
            "00 00 2000 01000000", // version 0, 32 bytes, Ethernet
            "0500 1400",           // spectrum map, 20 bytes
            "4d00",                // beginning of it
        ];
        insta::assert_snapshot!(cut(Next::Link(192), &frame, 60), @"
        ppi 0..14 | ethernet
          0..1 ppi.version = 0
          1..2 ppi.flags = 0x00
            1..2 ppi.flags.alignment = false
            1..2 ppi.flags.reserved = 0x00
          2..4 ppi.length = 32
          4..8 ppi.dlt = 1
          8..12 ppi.field
            8..10 ppi.field_type = 5 (spectrum map)
            10..12 ppi.field_len = 20
          12..14 data.data = 4d00
        ! broken dissect.cut at 12..14 ppi: the capture holds 18 bytes too few of this frame
        ");
    }
}
