//! IEEE 802.11 wireless LAN: headers of all frames, and bodies of data and management frames.
//!
//! ```text
//! frame control:2 | duration:2 | address 1:6 | management and data: address 2:6 | address 3:6 | sequence:2
//!   data from one access point to another: address 4:6 | QoS data: QoS:2 | if the order bit says so: HT control:4
//!   body | check sequence:4, if the capture says so
//! frame control  subtype:4 type:2 version:2 | order:1 protected:1 more:1 power:1 retry:1 fragments:1 from:1 to:1
//!
//! to from   address 1           address 2           address 3     address 4
//!  0  0     destination         source              network
//!  0  1     destination         network             source
//!  1  0     network             source              destination
//!  1  1     receiver            transmitter         destination   source
//! ```
//!
//! Numbers are little-endian. The body of a data frame is LLC, unless it is protected, a fragment or an A-MSDU. The body of a
//! management frame is in `management.rs`. Not covered: bodies of control frames, mesh control, and 802.11ah.

mod elements;
mod fields;
mod management;
mod names;

use super::ethernet::{Shown, mac};
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Address, Field, Names, Value, name_of};
use crate::wire::notes::TRAILER;
use crate::wire::{Protocol, Result, Wire, data};
pub use fields::RETRY;
use fields::*;

pub static PROTOCOL: Protocol = layer(&WLAN, FIELDS);

const MANAGEMENT: u64 = 0;
const CONTROL: u64 = 1;
const DATA: u64 = 2;

const TYPES: Names = &[(0, "management"), (1, "control"), (2, "data"), (3, "extension")];
const KINDS: Names = &[
    (0x00, "association request"),
    (0x01, "association response"),
    (0x02, "reassociation request"),
    (0x03, "reassociation response"),
    (0x04, "probe request"),
    (0x05, "probe response"),
    (0x06, "timing advertisement"),
    (0x08, "beacon"),
    (0x09, "ATIM"),
    (0x0a, "disassociation"),
    (0x0b, "authentication"),
    (0x0c, "deauthentication"),
    (0x0d, "action"),
    (0x0e, "action without ack"),
    (0x12, "trigger"),
    (0x14, "beamforming report poll"),
    (0x15, "NDP announcement"),
    (0x16, "control frame extension"),
    (0x17, "control wrapper"),
    (0x18, "block ack request"),
    (0x19, "block ack"),
    (0x1a, "power-save poll"),
    (0x1b, "request to send"),
    (0x1c, "clear to send"),
    (0x1d, "acknowledgement"),
    (0x1e, "CF-end"),
    (0x1f, "CF-end and CF-ack"),
    (0x20, "data"),
    (0x21, "data and CF-ack"),
    (0x22, "data and CF-poll"),
    (0x23, "data, CF-ack and CF-poll"),
    (0x24, "no data"),
    (0x25, "CF-ack"),
    (0x26, "CF-poll"),
    (0x27, "CF-ack and CF-poll"),
    (0x28, "QoS data"),
    (0x29, "QoS data and CF-ack"),
    (0x2a, "QoS data and CF-poll"),
    (0x2b, "QoS data, CF-ack and CF-poll"),
    (0x2c, "QoS without data"),
    (0x2e, "QoS CF-poll without data"),
    (0x2f, "QoS CF-ack and CF-poll without data"),
    (0x30, "DMG beacon"),
];

const FLAG_BITS: &[&Field] =
    &[&VERSION, &TYPE, &SUBTYPE, &FLAGS, &TO_DS, &FROM_DS, &MORE_FRAGMENTS, &RETRY, &POWER, &MORE_DATA, &PROTECTED, &ORDER];

/// How the capturing device modified a frame.
#[derive(Clone, Copy, Default)]
struct Handling {
    /// Whether the check sequence is at the end.
    checked: bool,
    /// Whether the header is padded to a multiple of four bytes.
    padded: bool,
    /// Whether the bytes of the frame control are swapped.
    swapped: bool,
}

static BARE: Described = Described { protocol: &PROTOCOL, header: frame };
static CHECKED: Described = Described { protocol: &PROTOCOL, header: checked };
static PADDED: Described = Described { protocol: &PROTOCOL, header: padded };
static BOTH: Described = Described { protocol: &PROTOCOL, header: checked_and_padded };
static SWAPPED: Described = Described { protocol: &PROTOCOL, header: swapped };

/// A frame as modified according to its capture header.
pub(super) fn handled(checked: bool, padded: bool) -> Next {
    Next::Header(match (checked, padded) {
        (false, false) => &BARE,
        (true, false) => &CHECKED,
        (false, true) => &PADDED,
        (true, true) => &BOTH,
    })
}

/// A frame with possibly swapped frame control: swapped if that makes the version 0.
pub(super) fn possibly_swapped(frame: &[u8]) -> Next {
    const VERSION: u8 = 0x03;
    let is_swapped = frame.get(1).is_some_and(|second| second & VERSION == 0);
    if is_swapped { Next::Header(&SWAPPED) } else { Next::Header(&BARE) }
}

/// An unmodified frame.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    whole(wire, missing, Handling::default())
}

fn checked(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    whole(wire, missing, Handling { checked: true, ..Handling::default() })
}

fn padded(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    whole(wire, missing, Handling { padded: true, ..Handling::default() })
}

fn checked_and_padded(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    whole(wire, missing, Handling { checked: true, padded: true, ..Handling::default() })
}

fn swapped(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    whole(wire, missing, Handling { swapped: true, ..Handling::default() })
}

/// What a header states about the body after it.
struct Body {
    next: Next,
    /// The subtype of a management frame whose body is readable.
    management: Option<u64>,
    src: Option<Address>,
    dst: Option<Address>,
}

fn whole(wire: &mut Wire<'_>, missing: usize, handling: Handling) -> Result<HeaderPayload> {
    const CHECK: usize = 4;
    let (start, end) = (wire.at(), wire.at() + wire.remaining());
    let body = header(wire, handling.swapped)?;
    if handling.padded {
        let over = (wire.at() - start) % 4;
        if over > 0 {
            wire.bytes(&PADDING, 4 - over)?;
        }
    }
    if !handling.checked {
        return finish(wire, body, end, missing, Some(&TRAILER));
    }
    let check = CHECK.saturating_sub(missing);
    let stop = end.saturating_sub(check).max(wire.at());
    let last = wire.ahead().get(stop - wire.at()..).and_then(|check| <[u8; CHECK]>::try_from(check).ok());
    let trailer = match last {
        Some(last) => {
            // Added before the body's fields or layers, although it follows the body.
            wire.put_after(&FCS, Value::Unsigned(u32::from_le_bytes(last).into()), stop..end);
            None
        }
        None => Some(&TRAILER),
    };
    finish(wire, body, stop, missing.saturating_sub(CHECK), trailer)
}

/// The body: passed to the next dissector, read as that of a management frame, or added as bytes.
fn finish(wire: &mut Wire<'_>, body: Body, end: usize, missing: usize, trailer: Option<&'static Field>) -> Result<HeaderPayload> {
    if let Some(subtype) = body.management {
        wire.within(end - wire.at(), &data::BYTES, |wire| management::body(wire, subtype, body.src, body.dst))?;
    }
    if body.next == Next::Nothing && end > wire.at() {
        wire.bytes(&data::BYTES, end - wire.at())?;
    }
    Ok(HeaderPayload { trailer, ..HeaderPayload::new(body.next, wire.at()..end, missing).between(body.src, body.dst) })
}

/// A header. The body of management and control frames belongs to the frame itself.
fn header(wire: &mut Wire<'_>, swapped: bool) -> Result<Body> {
    let (control, kind) = match wire.ahead().first_chunk() {
        Some([second, first]) if swapped => wire.derived("byte-swapped", 2, &[*first, *second], frame_control)?,
        _ => frame_control(wire)?,
    };
    let name = name_of(KINDS, kind).unwrap_or("unknown subtype");
    wire.name(name);
    match TYPE.bits_of(control) {
        MANAGEMENT => {
            wire.bits_le(2, &[&DURATION])?;
            let dst = address(wire, &[&RA, &DA])?;
            let src = address(wire, &[&TA, &SA])?;
            wire.info(format_args!("{} → {}", Shown(src), Shown(dst)));
            address(wire, &[&BSSID])?;
            let sequence = wire.bits_le(2, &[&FRAG, &SEQ])?;
            if ORDER.bits_of(control) == 1 {
                wire.u32_le(&HTC)?;
            }
            let is_readable = PROTECTED.bits_of(control) == 0 && !is_fragment(control, sequence);
            let management = is_readable.then(|| SUBTYPE.bits_of(control));
            Ok(Body { next: Next::Nothing, management, src, dst })
        }
        CONTROL => controlling(wire, SUBTYPE.bits_of(control)),
        DATA => carrying(wire, control),
        _ => Ok(Body { next: Next::Nothing, management: None, src: None, dst: None }),
    }
}

/// The frame control. Returns it, and the type with the subtype.
fn frame_control(wire: &mut Wire<'_>) -> Result<(u64, u64)> {
    let at = wire.at();
    let first = wire.ahead().first().map_or(0, |first| u64::from(*first));
    let kind = (first & 0x0c) << 2 | first >> 4;
    let control = wire.flags(&FC, 2, FLAG_BITS)?;
    wire.put(&TYPE_SUBTYPE, Value::Unsigned(kind), at..at + 1);
    Ok((control, kind))
}

/// The addresses of a control frame, as many as its subtype has.
fn controlling(wire: &mut Wire<'_>, subtype: u64) -> Result<Body> {
    const POLL: u64 = 10;
    const EXTENSION: u64 = 6;
    wire.bits_le(2, &[if subtype == POLL { &AID } else { &DURATION }])?;
    let (dst, src) = match subtype {
        POLL => (address(wire, &[&RA, &BSSID])?, address(wire, &[&TA])?),
        2 | 4 | 5 | 8 | 9 | 11 => (address(wire, &[&RA])?, address(wire, &[&TA])?),
        14 | 15 => (address(wire, &[&RA])?, address(wire, &[&BSSID])?),
        EXTENSION => (None, None),
        _ => (address(wire, &[&RA])?, None),
    };
    match src {
        Some(_) => wire.info(format_args!("{} → {}", Shown(src), Shown(dst))),
        None => wire.info(format_args!("→ {}", Shown(dst))),
    }
    Ok(Body { next: Next::Nothing, management: None, src, dst })
}

/// The addresses of a data frame before its sequence number. Returns destination and source.
fn endpoints(wire: &mut Wire<'_>, control: u64) -> Result<(Option<Address>, Option<Address>)> {
    Ok(match (TO_DS.bits_of(control), FROM_DS.bits_of(control)) {
        (0, 0) => {
            let dst = address(wire, &[&RA, &DA])?;
            let src = address(wire, &[&TA, &SA])?;
            address(wire, &[&BSSID])?;
            (dst, src)
        }
        (0, _) => {
            let dst = address(wire, &[&RA, &DA])?;
            address(wire, &[&TA, &BSSID])?;
            (dst, address(wire, &[&SA])?)
        }
        (_, 0) => {
            address(wire, &[&RA, &BSSID])?;
            let src = address(wire, &[&TA, &SA])?;
            (address(wire, &[&DA])?, src)
        }
        _ => {
            address(wire, &[&RA])?;
            address(wire, &[&TA])?;
            (address(wire, &[&DA])?, None)
        }
    })
}

/// The rest of the header of a data frame.
fn carrying(wire: &mut Wire<'_>, control: u64) -> Result<Body> {
    const WITHOUT_DATA: u64 = 4;
    const WITH_QOS: u64 = 8;
    wire.bits_le(2, &[&DURATION])?;
    let (dst, src) = endpoints(wire, control)?;
    let sequence = wire.bits_le(2, &[&FRAG, &SEQ])?;
    let relayed = TO_DS.bits_of(control) == 1 && FROM_DS.bits_of(control) == 1;
    let src = if relayed { address(wire, &[&SA])? } else { src };
    wire.info(format_args!("{} → {}", Shown(src), Shown(dst)));
    let subtype = SUBTYPE.bits_of(control);
    let mut several = false;
    if subtype & WITH_QOS != 0 {
        let from_access_point: &[&Field] = &[&QOS, &TID, &EOSP, &ACK, &AMSDU];
        let from_station: &[&Field] = &[&QOS, &TID, &ACK, &AMSDU];
        let from = if FROM_DS.bits_of(control) == 1 { from_access_point } else { from_station };
        let qos = wire.bits_le(2, from)?;
        several = AMSDU.bits_of(qos) == 1;
        if ORDER.bits_of(control) == 1 {
            wire.u32_le(&HTC)?;
        }
    }
    let fragment = is_fragment(control, sequence);
    let next = if subtype & WITHOUT_DATA != 0 {
        Next::Nothing
    } else if PROTECTED.bits_of(control) == 1 || fragment || several {
        Next::Data
    } else {
        Next::Llc
    };
    Ok(Body { next, management: None, src, dst })
}

/// Whether the body is a part of a longer one.
fn is_fragment(control: u64, sequence: u64) -> bool {
    MORE_FRAGMENTS.bits_of(control) == 1 || FRAG.bits_of(sequence) > 0
}

fn address(wire: &mut Wire<'_>, roles: &[&'static Field]) -> Result<Option<Address>> {
    const LENGTH: usize = 6;
    let range = wire.at()..wire.at() + LENGTH;
    let address = mac(wire.ahead().get(..LENGTH).unwrap_or_default());
    wire.skip(LENGTH)?;
    for role in roles {
        wire.put(role, Value::Bytes, range.clone());
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn data_from_an_access_point_is_handed_over() {
        let frame = [
            "88 02 2c00",                             // QoS data from an access point
            "020000000001 020000000002 020000000003", // to whom, through whom, from whom
            "1032 1500",                              // frame 801; class 5, end of period
            "fefe03",                                 // LLC, OSI
            "38ac82fa",                               // check sequence
        ];
        insta::assert_snapshot!(layers(Next::Header(&CHECKED), &frame), @"
        wlan 0..33 | QoS data | 02:00:00:00:00:03 → 02:00:00:00:00:01
          0..2 wlan.fc = 0x8802
            0..2 wlan.fc.version = 0
            0..2 wlan.fc.type = 2 (data)
            0..2 wlan.fc.subtype = 8
            0..2 wlan.flags = 0x02
            0..2 wlan.fc.tods = false
            0..2 wlan.fc.fromds = true
            0..2 wlan.fc.frag = false
            0..2 wlan.fc.retry = false
            0..2 wlan.fc.pwrmgt = false
            0..2 wlan.fc.moredata = false
            0..2 wlan.fc.protected = false
            0..2 wlan.fc.order = false
          0..1 wlan.fc.type_subtype = 0x0028 (QoS data)
          2..4 wlan.duration = 44
          4..10 wlan.ra = 02:00:00:00:00:01
          4..10 wlan.da = 02:00:00:00:00:01
          10..16 wlan.ta = 02:00:00:00:00:02
          10..16 wlan.bssid = 02:00:00:00:00:02
          16..22 wlan.sa = 02:00:00:00:00:03
          22..24 wlan.frag = 0
          22..24 wlan.seq = 801
          24..26 wlan.qos = 0x0015
          24..26 wlan.qos.tid = 5
          24..26 wlan.qos.eosp = true
          24..26 wlan.qos.ack = 0x0000
          24..26 wlan.qos.amsdupresent = false
          29..33 wlan.fcs = 0xfa82ac38
        llc 26..29 | DSAP 0xfe, SSAP 0xfe
          26..27 llc.dsap = 0xfe
          27..28 llc.ssap = 0xfe
          28..29 llc.control = 0x03
        ");
    }

    #[test]
    fn an_acknowledgement_has_one_address() {
        let frame = [
            "d4 00 0000",   // acknowledgement
            "020000000001", // to whom
        ];
        insta::assert_snapshot!(layers(Next::Link(105), &frame), @"
        wlan 0..10 | acknowledgement | → 02:00:00:00:00:01
          0..2 wlan.fc = 0xd400
            0..2 wlan.fc.version = 0
            0..2 wlan.fc.type = 1 (control)
            0..2 wlan.fc.subtype = 13
            0..2 wlan.flags = 0x00
            0..2 wlan.fc.tods = false
            0..2 wlan.fc.fromds = false
            0..2 wlan.fc.frag = false
            0..2 wlan.fc.retry = false
            0..2 wlan.fc.pwrmgt = false
            0..2 wlan.fc.moredata = false
            0..2 wlan.fc.protected = false
            0..2 wlan.fc.order = false
          0..1 wlan.fc.type_subtype = 0x001d (acknowledgement)
          2..4 wlan.duration = 0
          4..10 wlan.ra = 02:00:00:00:00:01
        ");
    }

    #[test]
    fn a_relayed_frame_has_four_addresses() {
        let frame = [
            "08 43 2c00",                                               // protected data between access points
            "020000000001 020000000002 020000000003 1032 020000000004", // receiver, transmitter, destination, frame 801, source
            "0102",                                                     // enciphered
        ];
        insta::assert_snapshot!(layers(Next::Link(105), &frame), @"
        wlan 0..30 | data | 02:00:00:00:00:04 → 02:00:00:00:00:03
          0..2 wlan.fc = 0x0843
            0..2 wlan.fc.version = 0
            0..2 wlan.fc.type = 2 (data)
            0..2 wlan.fc.subtype = 0
            0..2 wlan.flags = 0x43
            0..2 wlan.fc.tods = true
            0..2 wlan.fc.fromds = true
            0..2 wlan.fc.frag = false
            0..2 wlan.fc.retry = false
            0..2 wlan.fc.pwrmgt = false
            0..2 wlan.fc.moredata = false
            0..2 wlan.fc.protected = true
            0..2 wlan.fc.order = false
          0..1 wlan.fc.type_subtype = 0x0020 (data)
          2..4 wlan.duration = 44
          4..10 wlan.ra = 02:00:00:00:00:01
          10..16 wlan.ta = 02:00:00:00:00:02
          16..22 wlan.da = 02:00:00:00:00:03
          22..24 wlan.frag = 0
          22..24 wlan.seq = 801
          24..30 wlan.sa = 02:00:00:00:00:04
        data 30..32 | 2 bytes
          30..32 data.data = 0102
        ");
    }

    #[test]
    fn a_header_that_is_cut_is_noted() {
        let frame = [
            "80 00 0000",        // beacon
            "ffffffffffff 0200", // to all, from whom
        ];
        insta::assert_snapshot!(cut(Next::Link(105), &frame, 90), @"
        wlan 0..12 | beacon
          0..2 wlan.fc = 0x8000
            0..2 wlan.fc.version = 0
            0..2 wlan.fc.type = 0 (management)
            0..2 wlan.fc.subtype = 8
            0..2 wlan.flags = 0x00
            0..2 wlan.fc.tods = false
            0..2 wlan.fc.fromds = false
            0..2 wlan.fc.frag = false
            0..2 wlan.fc.retry = false
            0..2 wlan.fc.pwrmgt = false
            0..2 wlan.fc.moredata = false
            0..2 wlan.fc.protected = false
            0..2 wlan.fc.order = false
          0..1 wlan.fc.type_subtype = 0x0008 (beacon)
          2..4 wlan.duration = 0
          4..10 wlan.ra = ff:ff:ff:ff:ff:ff
          4..10 wlan.da = ff:ff:ff:ff:ff:ff
          10..12 data.data = 0200
        ! broken dissect.cut at 10..12 wlan: the capture holds 4 bytes too few of this frame
        ");
    }
}
