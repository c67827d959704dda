//! PKTAP of macOS: metadata of a packet, including its process. Numbers are little-endian.
//!
//! ```text
//! header length:4 | record type:4 | link type:4 | interface:24 | flags:4 | family:4 | link header:4 | link trailer:4
//! process:4 | command:20 | service:4 | interface type:2 | unit:2 | effective process:4 | its command:20 | more
//! ```

use super::ethernet::rest;
use super::{HeaderPayload, Next, layer};
use crate::tree::{Field, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&PKTAP, FIELDS);

fields! {
    PKTAP = protocol("pktap", "PKTAP", "Apple's packet tap");
    HDRLEN = number("pktap.hdrlen", "Header length", "Bytes of this header").once();
    RECTYPE = number("pktap.rectype", "Record type", "1: packet").once();
    DLT = number("pktap.dlt", "DLT", "Link type of the payload").once();
    IFNAME = text("pktap.ifname", "Interface name", "").once();
    FLAGS = number("pktap.flags", "Flags", "Direction of the packet").hex(8).once();
    PFAMILY = number("pktap.pfamily", "Family", "").once();
    LLHDRLEN = number("pktap.llhdrlen", "Link-layer header length", "Bytes").once();
    LLTRLRLEN = number("pktap.lltrlrlen", "Link-layer trailer length", "Bytes").once();
    PID = number("pktap.pid", "Process ID", "Process that sent or received the packet").once();
    CMDNAME = text("pktap.cmdname", "Command name", "").once();
    SVC_CLASS = number("pktap.svc_class", "Service class", "Priority").once();
    IFTYPE = number("pktap.iftype", "Interface type", "").once();
    IFUNIT = number("pktap.ifunit", "Interface unit", "").once();
    EPID = number("pktap.epid", "Effective process ID", "Process on whose behalf the packet was sent").once();
    ECMDNAME = text("pktap.ecmdname", "Effective command name", "").once();
    MORE = bytes("pktap.more", "More", "Extension of later versions");
}

/// The PKTAP header.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const SIZE: usize = 108;
    let length = wire.u32_le(&HDRLEN)? as usize;
    wire.u32_le(&RECTYPE)?;
    let link = wire.u32_le(&DLT)?;
    padded(wire, &IFNAME, 24)?;
    for field in [&FLAGS, &PFAMILY, &LLHDRLEN, &LLTRLRLEN, &PID] {
        wire.u32_le(field)?;
    }
    padded(wire, &CMDNAME, 20)?;
    wire.u32_le(&SVC_CLASS)?;
    wire.u16_le(&IFTYPE)?;
    wire.u16_le(&IFUNIT)?;
    wire.u32_le(&EPID)?;
    padded(wire, &ECMDNAME, 20)?;
    if let Some(more) = length.checked_sub(SIZE).filter(|more| *more > 0) {
        wire.bytes(&MORE, more)?;
    }
    let next = u16::try_from(link).map_or(Next::Data, Next::Link);
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

/// Text of fixed size, padded with NULs.
fn padded(wire: &mut Wire<'_>, field: &'static Field, count: usize) -> Result {
    let used = memchr::memchr(0, wire.ahead()).unwrap_or(count).min(count);
    wire.words(field, count, 0..used).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn a_packet_of_a_mac() {
        insta::assert_snapshot!(trial::layers(Next::Link(258), &["6c000000 01000000 0c000000", "656e30000000000000000000000000000000000000000000", "02000000 02000000 0e000000 00000000 d2040000", "6e63000000000000000000000000000000000000", "00000000 0600 0000 d2040000", "6e63000000000000000000000000000000000000", "45"]), @r#"
        pktap 0..108
          0..4 pktap.hdrlen = 108
          4..8 pktap.rectype = 1
          8..12 pktap.dlt = 12
          12..36 pktap.ifname = "en0"
          36..40 pktap.flags = 0x00000002
          40..44 pktap.pfamily = 2
          44..48 pktap.llhdrlen = 14
          48..52 pktap.lltrlrlen = 0
          52..56 pktap.pid = 1234
          56..76 pktap.cmdname = "nc"
          76..80 pktap.svc_class = 0
          80..82 pktap.iftype = 6
          82..84 pktap.ifunit = 0
          84..88 pktap.epid = 1234
          88..108 pktap.ecmdname = "nc"
        ip 108..109
          108..109 ip.version = 4
          108..109 ip.hdr_len = 20
        ! broken dissect.short at 109..109 ip: 1 more bytes needed, 0 left
        "#);
    }
}
