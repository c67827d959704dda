//! Frames in order of time, and writers of both file formats.
//!
//! Both writers are little-endian and support only the blocks and options of the samples.

use std::time::Duration;

use crate::Result;

/// 2015-11-24T21:20:00Z, the start of every sample.
pub const START: Duration = Duration::from_secs(1_448_400_000);

/// Link types, numbered as in both file formats.
pub const NULL: u16 = 0;
pub const ETHERNET: u16 = 1;
pub const RAW: u16 = 101;
pub const LINUX_COOKED: u16 = 113;
pub const LINUX_COOKED_V2: u16 = 276;

/// Snapshot length. No frame is longer.
const SNAPLEN: u32 = 262_144;

/// A captured frame.
pub struct Frame {
    /// Time since 1970.
    pub time: Duration,
    pub bytes: Vec<u8>,
}

/// Frames of one capture point, and its clock.
pub struct Trace {
    /// Current time.
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

    /// Captures a frame at the current time.
    pub fn capture(&mut self, bytes: Vec<u8>) {
        self.capture_at(self.now, bytes);
    }

    /// Captures a frame at another time. Frames are sorted at the end, so conversations may overlap.
    pub fn capture_at(&mut self, time: Duration, bytes: Vec<u8>) {
        self.frames.push(Frame { time, bytes });
    }

    /// Returns all frames by time; those of the same time in the order of capture.
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

/// Interfaces of a pcapng file.
pub struct Interface {
    pub name: &'static str,
    pub link: u16,
    pub frames: Vec<Frame>,
}

/// A pcapng file with nanoseconds: a TLS key log, if any, then the packets in order of time.
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

/// `type:4 | length:4 | body | length:4`; the length includes all of it.
fn block(file: &mut Vec<u8>, kind: u32, body: &[u8]) -> Result {
    let len = u32::try_from(body.len() + 12)?.to_le_bytes();
    file.extend(kind.to_le_bytes());
    file.extend(len);
    file.extend(body);
    file.extend(len);
    Ok(())
}

/// `code:2 | length:2 | value | padding`; the length excludes the padding.
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
