//! Frames in order of time, and the two file formats they are kept in.
//!
//! Both writers make little-endian files and know just the blocks and options the samples need.

use std::time::Duration;

use crate::Result;

/// 2015-11-24T21:20:00Z, when every sample begins.
pub const START: Duration = Duration::from_secs(1_448_400_000);

/// Link types, as the numbers both file formats use.
pub const NULL: u16 = 0;
pub const ETHERNET: u16 = 1;
pub const RAW: u16 = 101;
pub const LINUX_COOKED: u16 = 113;
pub const LINUX_COOKED_V2: u16 = 276;

/// Longer frames would have been cut by the capture. None of ours is.
const SNAPLEN: u32 = 262_144;

/// One frame as seen on a link.
pub struct Frame {
    /// Since 1970.
    pub time: Duration,
    pub bytes: Vec<u8>,
}

/// What one capture point saw, and the clock that runs meanwhile.
pub struct Trace {
    /// The present.
    pub now: Duration,
    frames: Vec<Frame>,
}

impl Trace {
    pub fn new() -> Self {
        Trace { now: START, frames: Vec::new() }
    }

    pub fn wait(&mut self, time: Duration) {
        self.now += time;
    }

    /// Records a frame now.
    pub fn put(&mut self, bytes: Vec<u8>) {
        self.put_at(self.now, bytes);
    }

    /// Records a frame at some other time. Order is restored at the end, so conversations may overlap.
    pub fn put_at(&mut self, time: Duration, bytes: Vec<u8>) {
        self.frames.push(Frame { time, bytes });
    }

    /// All frames by time; those of the same time in the order they were recorded.
    pub fn frames(mut self) -> Vec<Frame> {
        self.frames.sort_by_key(|frame| frame.time);
        self.frames
    }
}

/// A classic capture file with microseconds.
pub fn pcap(link: u16, frames: &[Frame]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    file.extend(0xa1b2_c3d4_u32.to_le_bytes());
    file.extend(2_u16.to_le_bytes());
    file.extend(4_u16.to_le_bytes());
    file.extend([0; 8]); // time zone and accuracy, zero everywhere
    file.extend(SNAPLEN.to_le_bytes());
    file.extend(u32::from(link).to_le_bytes());
    for frame in frames {
        let len = u32::try_from(frame.bytes.len())?.to_le_bytes();
        file.extend(u32::try_from(frame.time.as_secs())?.to_le_bytes());
        file.extend(frame.time.subsec_micros().to_le_bytes());
        file.extend(len);
        file.extend(len);
        file.extend(&frame.bytes);
    }
    Ok(file)
}

/// Where frames of a pcapng file were seen.
pub struct Interface {
    pub name: &'static str,
    pub link: u16,
    pub frames: Vec<Frame>,
}

/// A pcapng file with nanoseconds, its packets in order of time, and before them a key log of TLS if there is one.
pub fn pcapng(key_log: &str, interfaces: &[Interface]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut section = Vec::new();
    section.extend(0x1a2b_3c4d_u32.to_le_bytes());
    section.extend(1_u16.to_le_bytes());
    section.extend(0_u16.to_le_bytes());
    section.extend(u64::MAX.to_le_bytes()); // section length not given
    block(&mut file, 0x0a0d_0d0a, &section)?;

    for interface in interfaces {
        let mut body = Vec::new();
        body.extend(interface.link.to_le_bytes());
        body.extend(0_u16.to_le_bytes());
        body.extend(SNAPLEN.to_le_bytes());
        option(&mut body, 2, interface.name.as_bytes())?; // if_name
        option(&mut body, 9, &[9])?; // if_tsresol: 10^-9 s
        option(&mut body, 0, &[])?;
        block(&mut file, 1, &body)?;
    }

    if !key_log.is_empty() {
        let mut body = Vec::new();
        body.extend(0x544c_534b_u32.to_le_bytes());
        body.extend(u32::try_from(key_log.len())?.to_le_bytes());
        body.extend(key_log.as_bytes());
        pad(&mut body);
        block(&mut file, 10, &body)?;
    }

    let mut packets: Vec<(u32, &Frame)> =
        (0..).zip(interfaces).flat_map(|(number, interface)| interface.frames.iter().map(move |frame| (number, frame))).collect();
    packets.sort_by_key(|(_, frame)| frame.time);
    for (interface, frame) in packets {
        let time = u64::try_from(frame.time.as_nanos())?;
        let len = u32::try_from(frame.bytes.len())?.to_le_bytes();
        let mut body = Vec::new();
        body.extend(interface.to_le_bytes());
        body.extend(u32::try_from(time >> 32)?.to_le_bytes());
        body.extend(u32::try_from(time & 0xffff_ffff)?.to_le_bytes());
        body.extend(len);
        body.extend(len);
        body.extend(&frame.bytes);
        pad(&mut body);
        block(&mut file, 6, &body)?;
    }
    Ok(file)
}

/// `type:4 | length:4 | body | length:4`, the length counting all of it.
fn block(file: &mut Vec<u8>, kind: u32, body: &[u8]) -> Result {
    let len = u32::try_from(body.len() + 12)?.to_le_bytes();
    file.extend(kind.to_le_bytes());
    file.extend(len);
    file.extend(body);
    file.extend(len);
    Ok(())
}

/// `code:2 | length:2 | value | padding`, the length not counting the padding.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) -> Result {
    body.extend(code.to_le_bytes());
    body.extend(u16::try_from(value.len())?.to_le_bytes());
    body.extend(value);
    pad(body);
    Ok(())
}

fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}
