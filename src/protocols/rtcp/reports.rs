//! Packets of RFC 3550.

use super::*;
use crate::protocols::ntp;
use crate::tree::{Names, NodeRef, Value, name_of};
use crate::wire::{Result, Wire};
use std::fmt::{self, Write};

/// Types of SDES items.
pub(super) const ITEMS: Names = &[
    (0, "END"),
    (1, "CNAME"),
    (2, "NAME"),
    (3, "EMAIL"),
    (4, "PHONE"),
    (5, "LOC"),
    (6, "TOOL"),
    (7, "NOTE"),
    (8, "PRIV"),
    (12, "RtpStreamId"),
    (13, "RepairedRtpStreamId"),
    (15, "MID"),
];

const PRIVATE: u8 = 8;

/// Writes the SSRC that a group is about.
pub(super) fn source(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let ssrc = node.child(&SSRC).and_then(NodeRef::number);
    ssrc.map_or(Ok(()), |ssrc| write!(out, "source {ssrc:#010x}"))
}

/// Dissects a sender or receiver report.
pub(super) fn report(wire: &mut Wire<'_>, header: Header, info: &mut String) -> Result {
    sender(wire, info)?;
    if header.kind == SENDER_REPORT {
        let at = wire.at();
        let time = wire.ahead().first_chunk().copied().map(u64::from_be_bytes);
        wire.u32_be(&NTP_HIGH)?;
        wire.u32_be(&NTP_LOW)?;
        ntp::put_time(wire, &NTP, time.unwrap_or_default(), at);
        wire.u32_be(&RTP_TIME)?;
        let packets = wire.u32_be(&PACKETS)?;
        let octets = wire.u32_be(&OCTETS)?;
        list(info, &format!("{packets} packets, {octets} bytes sent"));
    }
    for _ in 0..header.count {
        wire.group(&REPORT, |wire| block(wire, info))?;
    }
    wire.rest_is(&REST)
}

fn block(wire: &mut Wire<'_>, info: &mut String) -> Result {
    let ssrc = wire.u32_be(&SSRC)?;
    wire.u8(&FRACTION)?;
    let lost = |[a, b, c]: [u8; 3]| i32::from_be_bytes([a, b, c, 0]) >> 8;
    let lost = lost(wire.number_with(&LOST, |bytes| Value::Signed(lost(bytes).into()))?);
    wire.flags(&HIGHEST, 4, &[&CYCLES, &HIGHEST_SHORT])?;
    wire.u32_be(&JITTER)?;
    wire.u32_be(&LAST_REPORT)?;
    wire.u32_be(&DELAY)?;
    list(info, &format!("{lost} lost of {ssrc:#010x}"));
    Ok(())
}

/// Dissects the chunks of SDES.
pub(super) fn descriptions(wire: &mut Wire<'_>, count: u8, info: &mut String) -> Result {
    for _ in 0..count {
        wire.group(&CHUNK, |wire| chunk(wire, info))?;
    }
    Ok(())
}

fn chunk(wire: &mut Wire<'_>, info: &mut String) -> Result {
    let start = wire.at();
    wire.u32_be(&SSRC)?;
    while wire.peek_u8().is_some_and(|kind| kind != 0) {
        wire.group(&ITEM, |wire| item(wire, info))?;
    }
    // A zero byte ends the list, and more of them fill the word.
    wire.u8(&ITEM_TYPE)?;
    let padding = (wire.at() - start).next_multiple_of(HEADER) - (wire.at() - start);
    wire.optional(&ALIGNMENT, padding).map(drop)
}

fn item(wire: &mut Wire<'_>, info: &mut String) -> Result {
    let kind = wire.u8(&ITEM_TYPE)?;
    let mut length = usize::from(wire.u8(&ITEM_LENGTH)?);
    if kind == PRIVATE && length > 0 {
        let prefix = usize::from(wire.u8(&PREFIX_LENGTH)?).min(length - 1);
        wire.text(&PREFIX, prefix)?;
        length -= 1 + prefix;
    }
    let text = wire.text(&TEXT, length)?;
    list(info, &format!("{} {}", name_of(ITEMS, kind.into()).unwrap_or("item"), String::from_utf8_lossy(text)));
    Ok(())
}

/// Dissects BYE.
pub(super) fn goodbye(wire: &mut Wire<'_>, count: u8, info: &mut String) -> Result {
    for _ in 0..count {
        let ssrc = wire.u32_be(&SSRC)?;
        list(info, &format!("SSRC {ssrc:#010x}"));
    }
    if wire.remaining() == 0 {
        return Ok(());
    }
    let length = usize::from(wire.u8(&ITEM_LENGTH)?);
    let reason = wire.text(&TEXT, length)?;
    list(info, &String::from_utf8_lossy(reason));
    wire.rest_is(&ALIGNMENT)
}

/// Dissects APP.
pub(super) fn application(wire: &mut Wire<'_>, info: &mut String) -> Result {
    let ssrc = wire.u32_be(&SSRC)?;
    list(info, &format!("SSRC {ssrc:#010x}"));
    let name = wire.text(&APP_NAME, 4)?;
    list(info, &String::from_utf8_lossy(name));
    wire.rest_is(&APP_DATA)
}
