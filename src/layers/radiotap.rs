//! Radiotap (radiotap.org): metadata of an 802.11 frame.
//!
//! ```text
//! version:1 | pad:1 | length:2 | present:4, more as long as the top bit is set | fields | 802.11 frame
//! ```
//!
//! Numbers are little-endian. Each bit of the present words represents a field; the fields follow in bit order, each at a
//! multiple of its alignment from the start. Not covered: the content of the fields on VHT, HE and similar, vendor fields, and
//! the newer list of types and lengths.

use super::{HeaderPayload, layer, wlan};
use crate::tree::{Field, Value, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&RADIOTAP, FIELDS);

fields! {
    RADIOTAP = protocol("radiotap", "Radiotap", "IEEE 802.11 Radiotap capture header");
    VERSION = number("radiotap.version", "Version", "0").once();
    PAD = number("radiotap.pad", "Pad", "").once();
    LENGTH = number("radiotap.length", "Length", "Bytes of this header").once();
    PRESENT = group("radiotap.present", "Present flags", "Bitmap of the fields that follow");
    WORD = number("radiotap.present.word", "Word", "32 bits of the bitmap").hex(8);
    MACTIME = number("radiotap.mactime", "MAC timestamp", "Microseconds (TSFT)");
    FLAGS = number("radiotap.flags", "Flags", "").hex(2);
    CFP = bool("radiotap.flags.cfp", "CFP", "Transmitted or received during the CFP").mask(0x01);
    PREAMBLE = bool("radiotap.flags.preamble", "Short preamble", "").mask(0x02);
    WEP = bool("radiotap.flags.wep", "WEP", "").mask(0x04);
    FRAG = bool("radiotap.flags.frag", "Fragmentation", "Fragmented frame").mask(0x08);
    FCS = bool("radiotap.flags.fcs", "FCS at end", "The frame ends with its FCS").mask(0x10);
    DATAPAD = bool("radiotap.flags.datapad", "Data pad", "The 802.11 header is padded to four bytes").mask(0x20);
    BADFCS = bool("radiotap.flags.badfcs", "Bad FCS", "The frame failed the FCS check").mask(0x40);
    SHORTGI = bool("radiotap.flags.shortgi", "Short guard interval", "HT with a short guard interval").mask(0x80);
    DATARATE = float("radiotap.datarate", "Data rate", "Mb/s; on the wire in units of 500 kb/s");
    FREQ = number("radiotap.channel.freq", "Channel frequency", "MHz");
    CHANNEL_FLAGS = number("radiotap.channel.flags", "Channel flags", "").hex(4);
    HOPSET = number("radiotap.fhss.hopset", "Hop set", "FHSS");
    PATTERN = number("radiotap.fhss.pattern", "Hop pattern", "FHSS");
    SIGNAL = number("radiotap.dbm_antsignal", "Antenna signal", "dBm");
    NOISE = number("radiotap.dbm_antnoise", "Antenna noise", "dBm");
    QUALITY = number("radiotap.quality", "Signal quality", "Barker code lock quality");
    ATTENUATION = number("radiotap.txattenuation", "Transmit attenuation", "No unit, 0 is maximum power");
    DB_ATTENUATION = number("radiotap.db_txattenuation", "Transmit attenuation", "dB");
    POWER = number("radiotap.txpower", "Transmit power", "dBm");
    ANTENNA = number("radiotap.antenna", "Antenna", "");
    DB_SIGNAL = number("radiotap.db_antsignal", "Antenna signal", "dB from an arbitrary reference");
    DB_NOISE = number("radiotap.db_antnoise", "Antenna noise", "dB from an arbitrary reference");
    RXFLAGS = number("radiotap.rxflags", "RX flags", "Properties of received frames").hex(4);
    TXFLAGS = number("radiotap.txflags", "TX flags", "Properties of transmitted frames").hex(4);
    RTS_RETRIES = number("radiotap.rts_retries", "RTS retries", "RTS retransmissions");
    DATA_RETRIES = number("radiotap.data_retries", "Data retries", "Retransmissions of the frame");
    XCHANNEL = bytes("radiotap.xchannel", "XChannel", "Flags, frequency and number of the channel");
    MCS_KNOWN = number("radiotap.mcs.known", "MCS known", "Valid MCS fields").hex(2);
    MCS_FLAGS = number("radiotap.mcs.flags", "MCS flags", "Bandwidth, guard interval and coding").hex(2);
    MCS_INDEX = number("radiotap.mcs.index", "MCS index", "Modulation and coding scheme");
    AMPDU_REFERENCE = number("radiotap.ampdu.reference", "A-MPDU reference", "Identifies the frames of an A-MPDU");
    AMPDU_FLAGS = number("radiotap.ampdu.flags", "A-MPDU flags", "").hex(4);
    AMPDU_CRC = number("radiotap.ampdu.delim_crc", "A-MPDU delimiter CRC", "").hex(2);
    AMPDU_RESERVED = number("radiotap.ampdu.reserved", "Reserved", "").hex(2);
    VHT = bytes("radiotap.vht", "VHT", "Modulation and coding of 802.11ac");
    TIMESTAMP = number("radiotap.timestamp.ts", "Timestamp", "");
    ACCURACY = number("radiotap.timestamp.accuracy", "Accuracy", "");
    UNIT = number("radiotap.timestamp.unit", "Time unit", "").mask(0x0f);
    POSITION = number("radiotap.timestamp.samplingpos", "Sampling position", "Position in the frame at which the time was taken").mask(0xf0);
    TIMESTAMP_FLAGS = number("radiotap.timestamp.flags", "Timestamp flags", "").hex(2);
    HE = bytes("radiotap.he", "HE", "Modulation and coding of 802.11ax");
    HE_MU = bytes("radiotap.he_mu", "HE-MU", "HE multi-user information");
    HE_MU_USER = bytes("radiotap.he_mu_user", "HE-MU user", "HE information of another user");
    PSDU = number("radiotap.0_len_psdu.type", "Zero-length PSDU type", "").hex(2);
    L_SIG = bytes("radiotap.l_sig", "L-SIG", "Legacy signal field");
    PADDING = bytes("radiotap.padding", "Padding", "Alignment of the next field");
    OTHER = bytes("radiotap.other", "Other fields", "Fields of unknown type");
    BAD_LENGTH = broken("radiotap.length.invalid", "bad length", "The header is shorter than its fixed part or longer than the frame");
}

const FLAG_BITS: &[&Field] = &[&CFP, &PREAMBLE, &WEP, &FRAG, &FCS, &DATAPAD, &BADFCS, &SHORTGI];

/// Alignment and size of the field of each bit, from bit 0 up to the last known one.
const SHAPES: [(usize, usize); 28] = [
    (8, 8),
    (1, 1),
    (1, 1),
    (2, 4),
    (2, 2),
    (1, 1),
    (1, 1),
    (2, 2),
    (2, 2),
    (2, 2),
    (1, 1),
    (1, 1),
    (1, 1),
    (1, 1),
    (2, 2),
    (2, 2),
    (1, 1),
    (1, 1),
    (4, 8),
    (1, 3),
    (4, 8),
    (2, 12),
    (8, 12),
    (2, 12),
    (2, 12),
    (2, 6),
    (1, 1),
    (2, 4),
];

const WORD_BYTES: usize = 4;
const SAME_AGAIN: u32 = 1 << 29;
const VENDOR: u32 = 1 << 30;
const MORE: u32 = 1 << 31;

/// A header with its fields.
pub(super) fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const FIXED: usize = 8;
    let (start, captured) = (wire.at(), wire.remaining());
    wire.u8(&VERSION)?;
    wire.u8(&PAD)?;
    let length = usize::from(wire.u16_le(&LENGTH)?);
    if length < FIXED || length > captured + missing {
        return wire.malformed(&BAD_LENGTH, format_args!("{length} bytes in a frame of {}", captured + missing));
    }
    let end = start + length;
    let words = wire.ahead();
    wire.group(&PRESENT, |wire| {
        while wire.u32_le(&WORD)? & MORE != 0 && wire.at() + WORD_BYTES <= end {}
        Ok(())
    })?;
    let words = words.get(..wire.at() - start - FIXED + WORD_BYTES).unwrap_or_default();
    let flags = fields(wire, start, end, words)?;
    if wire.at() < end {
        wire.bytes(&OTHER, end - wire.at())?;
    }
    let next = wlan::handled(FCS.bits_of(flags) == 1, DATAPAD.bits_of(flags) == 1);
    Ok(HeaderPayload::new(next, super::ethernet::rest(wire), missing))
}

/// The fields that the present words announce, up to the first unknown one. Returns the flags of the frame.
fn fields(wire: &mut Wire<'_>, start: usize, end: usize, words: &[u8]) -> Result<u64> {
    let mut flags = 0;
    for word in words.chunks_exact(WORD_BYTES) {
        let word = word.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        for bit in (0_usize..).take_while(|bit| *bit < 29).filter(|bit| word >> bit & 1 == 1) {
            let Some(&(alignment, size)) = SHAPES.get(bit) else { return Ok(flags) };
            let over = (wire.at() - start) % alignment;
            let padding = if over == 0 { 0 } else { alignment - over };
            if wire.at() + padding + size > end {
                return Ok(flags);
            }
            wire.optional(&PADDING, padding)?;
            if bit == 1 {
                flags = wire.flags(&FLAGS, 1, FLAG_BITS)?;
            } else {
                field(wire, bit)?;
            }
        }
        // Bits of further present words have the same meaning only if this word states it.
        if word & VENDOR != 0 || word & SAME_AGAIN == 0 {
            break;
        }
    }
    Ok(flags)
}

fn field(wire: &mut Wire<'_>, bit: usize) -> Result {
    match bit {
        0 => wire.u64_le(&MACTIME).map(drop),
        2 => rate(wire),
        3 => {
            wire.u16_le(&FREQ)?;
            wire.u16_le(&CHANNEL_FLAGS).map(drop)
        }
        4 => {
            wire.u8(&HOPSET)?;
            wire.u8(&PATTERN).map(drop)
        }
        5 => {
            let signal = wire.i8(&SIGNAL)?;
            wire.info(format_args!("{signal} dBm"));
            Ok(())
        }
        6 => wire.i8(&NOISE).map(drop),
        7 => wire.u16_le(&QUALITY).map(drop),
        8 => wire.u16_le(&ATTENUATION).map(drop),
        9 => wire.u16_le(&DB_ATTENUATION).map(drop),
        10 => wire.i8(&POWER).map(drop),
        11 => wire.u8(&ANTENNA).map(drop),
        12 => wire.u8(&DB_SIGNAL).map(drop),
        13 => wire.u8(&DB_NOISE).map(drop),
        14 => wire.u16_le(&RXFLAGS).map(drop),
        15 => wire.u16_le(&TXFLAGS).map(drop),
        16 => wire.u8(&RTS_RETRIES).map(drop),
        17 => wire.u8(&DATA_RETRIES).map(drop),
        18 => wire.bytes(&XCHANNEL, 8).map(drop),
        19 => {
            wire.u8(&MCS_KNOWN)?;
            wire.u8(&MCS_FLAGS)?;
            wire.u8(&MCS_INDEX).map(drop)
        }
        20 => ampdu_status(wire),
        21 => wire.bytes(&VHT, 12).map(drop),
        22 => timestamp(wire),
        23 => wire.bytes(&HE, 12).map(drop),
        24 => wire.bytes(&HE_MU, 12).map(drop),
        25 => wire.bytes(&HE_MU_USER, 6).map(drop),
        26 => wire.u8(&PSDU).map(drop),
        27 => wire.bytes(&L_SIG, 4).map(drop),
        _ => Ok(()),
    }
}

/// A data rate in units of 500 kbit/s.
fn rate(wire: &mut Wire<'_>) -> Result {
    let at = wire.at();
    let rate = wire.ahead().first().map_or(0.0, |rate| f32::from(*rate) / 2.0);
    wire.skip(1)?;
    wire.put(&DATARATE, Value::Single(rate), at..at + 1);
    Ok(())
}

fn ampdu_status(wire: &mut Wire<'_>) -> Result {
    wire.u32_le(&AMPDU_REFERENCE)?;
    wire.u16_le(&AMPDU_FLAGS)?;
    wire.u8(&AMPDU_CRC)?;
    wire.u8(&AMPDU_RESERVED).map(drop)
}

fn timestamp(wire: &mut Wire<'_>) -> Result {
    wire.u64_le(&TIMESTAMP)?;
    wire.u16_le(&ACCURACY)?;
    wire.bits_le(1, &[&UNIT, &POSITION])?;
    wire.u8(&TIMESTAMP_FLAGS).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::layers;

    #[test]
    fn fields_are_aligned() {
        let frame = [
            "00 00 1a00",              // version 0, 26 bytes
            "2f400000",                // clock, flags, rate, channel, signal, receive flags
            "0100000000000000",        // clock
            "10 16",                   // check sequence; 11 Mb/s
            "9e09 a000",               // 2462 MHz
            "ba 00 0000",              // -70 dBm, padding, no receive flags
            "d4 00 0000 020000000001", // acknowledgement to whom
            "38ac82fa",                // check sequence
        ];
        insta::assert_snapshot!(layers(Next::Link(127), &frame), @"
        radiotap 0..26 | -70 dBm
          0..1 radiotap.version = 0
          1..2 radiotap.pad = 0
          2..4 radiotap.length = 26
          4..8 radiotap.present
            4..8 radiotap.present.word = 0x0000402f
          8..16 radiotap.mactime = 1
          16..17 radiotap.flags = 0x10
            16..17 radiotap.flags.cfp = false
            16..17 radiotap.flags.preamble = false
            16..17 radiotap.flags.wep = false
            16..17 radiotap.flags.frag = false
            16..17 radiotap.flags.fcs = true
            16..17 radiotap.flags.datapad = false
            16..17 radiotap.flags.badfcs = false
            16..17 radiotap.flags.shortgi = false
          17..18 radiotap.datarate = 11
          18..20 radiotap.channel.freq = 2462
          20..22 radiotap.channel.flags = 0x00a0
          22..23 radiotap.dbm_antsignal = -70
          23..24 radiotap.padding = 00
          24..26 radiotap.rxflags = 0x0000
        wlan 26..40 | acknowledgement | → 02:00:00:00:00:01
          26..28 wlan.fc = 0xd400
            26..28 wlan.fc.version = 0
            26..28 wlan.fc.type = 1 (control)
            26..28 wlan.fc.subtype = 13
            26..28 wlan.flags = 0x00
            26..28 wlan.fc.tods = false
            26..28 wlan.fc.fromds = false
            26..28 wlan.fc.frag = false
            26..28 wlan.fc.retry = false
            26..28 wlan.fc.pwrmgt = false
            26..28 wlan.fc.moredata = false
            26..28 wlan.fc.protected = false
            26..28 wlan.fc.order = false
          26..27 wlan.fc.type_subtype = 0x001d (acknowledgement)
          28..30 wlan.duration = 0
          30..36 wlan.ra = 02:00:00:00:00:01
          36..40 wlan.fcs = 0xfa82ac38
        ");
    }

    /// Sizes and alignment of radiotap.org/fields.
    #[test]
    fn each_bit_announces_its_field() {
        let frame = [
            "00 00 8000",                       // version 0, 128 bytes
            "ffffff0f",                         // all fields up to bit 27
            "08090a0b0c0d0e0f",                 // clock
            "00",                               // flags
            "11",                               // rate
            "12 13 14 15",                      // channel
            "16 17",                            // FHSS
            "18",                               // signal
            "19",                               // noise
            "1a 1b",                            // lock quality
            "1c 1d",                            // attenuation
            "1e 1f",                            // attenuation in dB
            "20",                               // power
            "21",                               // antenna
            "22",                               // signal in dB
            "23",                               // noise in dB
            "24 25",                            // RX flags
            "26 27",                            // TX flags
            "28",                               // RTS retries
            "29",                               // data retries
            "00002c2d2e2f30313233",             // XChannel
            "34 35 36",                         // MCS
            "0038393a3b3c3d3e3f",               // A-MPDU
            "404142434445464748494a4b",         // VHT
            "00000000505152535455565758595a5b", // timestamp
            "5c5d5e5f6061626364656667",         // HE
            "68696a6b6c6d6e6f70717273",         // HE-MU
            "747576777879",                     // HE-MU user
            "7a",                               // PSDU
            "00 7c 7d 7e 7f",                   // L-SIG
            "d4 00 0000 020000000001",          // acknowledgement
        ];
        let tree = layers(Next::Link(127), &frame);
        let radiotap = tree.lines().take_while(|line| !line.starts_with("wlan"));
        insta::assert_snapshot!(radiotap.collect::<Vec<_>>().join("\n"), @"
        radiotap 0..128 | 24 dBm
          0..1 radiotap.version = 0
          1..2 radiotap.pad = 0
          2..4 radiotap.length = 128
          4..8 radiotap.present
            4..8 radiotap.present.word = 0x0fffffff
          8..16 radiotap.mactime = 1084818905618843912
          16..17 radiotap.flags = 0x00
            16..17 radiotap.flags.cfp = false
            16..17 radiotap.flags.preamble = false
            16..17 radiotap.flags.wep = false
            16..17 radiotap.flags.frag = false
            16..17 radiotap.flags.fcs = false
            16..17 radiotap.flags.datapad = false
            16..17 radiotap.flags.badfcs = false
            16..17 radiotap.flags.shortgi = false
          17..18 radiotap.datarate = 8.5
          18..20 radiotap.channel.freq = 4882
          20..22 radiotap.channel.flags = 0x1514
          22..23 radiotap.fhss.hopset = 22
          23..24 radiotap.fhss.pattern = 23
          24..25 radiotap.dbm_antsignal = 24
          25..26 radiotap.dbm_antnoise = 25
          26..28 radiotap.quality = 6938
          28..30 radiotap.txattenuation = 7452
          30..32 radiotap.db_txattenuation = 7966
          32..33 radiotap.txpower = 32
          33..34 radiotap.antenna = 33
          34..35 radiotap.db_antsignal = 34
          35..36 radiotap.db_antnoise = 35
          36..38 radiotap.rxflags = 0x2524
          38..40 radiotap.txflags = 0x2726
          40..41 radiotap.rts_retries = 40
          41..42 radiotap.data_retries = 41
          42..44 radiotap.padding = 0000
          44..52 radiotap.xchannel = 2c2d2e2f30313233
          52..53 radiotap.mcs.known = 0x34
          53..54 radiotap.mcs.flags = 0x35
          54..55 radiotap.mcs.index = 54
          55..56 radiotap.padding = 00
          56..60 radiotap.ampdu.reference = 993671480
          60..62 radiotap.ampdu.flags = 0x3d3c
          62..63 radiotap.ampdu.delim_crc = 0x3e
          63..64 radiotap.ampdu.reserved = 0x3f
          64..76 radiotap.vht = 404142434445464748494a4b
          76..80 radiotap.padding = 00000000
          80..88 radiotap.timestamp.ts = 6293311349960364368
          88..90 radiotap.timestamp.accuracy = 22872
          90..91 radiotap.timestamp.unit = 10
          90..91 radiotap.timestamp.samplingpos = 5
          91..92 radiotap.timestamp.flags = 0x5b
          92..104 radiotap.he = 5c5d5e5f6061626364656667
          104..116 radiotap.he_mu = 68696a6b6c6d6e6f70717273
          116..122 radiotap.he_mu_user = 747576777879
          122..123 radiotap.0_len_psdu.type = 0x7a
          123..124 radiotap.padding = 00
          124..128 radiotap.l_sig = 7c7d7e7f
        ");
    }

    #[test]
    fn a_length_beyond_the_frame_is_noted() {
        let frame = [
            "00 00 1800", // version 0, 24 bytes
            "00000000",   // no fields
        ];
        insta::assert_snapshot!(layers(Next::Link(127), &frame), @"
        radiotap 0..8
          0..1 radiotap.version = 0
          1..2 radiotap.pad = 0
          2..4 radiotap.length = 24
          4..8 data.data = 00000000
        ! broken radiotap.length.invalid at 4..8 radiotap.length: 24 bytes in a frame of 8
        ");
    }

    #[test]
    fn fields_that_do_not_fit_stay_unread() {
        let frame = [
            "00 00 0a00", // version 0, 10 bytes
            "01000000",   // clock
            "0100",       // two bytes of it
        ];
        insta::assert_snapshot!(layers(Next::Link(127), &frame), @"
        radiotap 0..10
          0..1 radiotap.version = 0
          1..2 radiotap.pad = 0
          2..4 radiotap.length = 10
          4..8 radiotap.present
            4..8 radiotap.present.word = 0x00000001
          8..10 radiotap.other = 0100
        wlan 10..10
        ! broken dissect.short at 10..10 wlan: 2 more bytes needed, 0 left
        ");
    }
}
