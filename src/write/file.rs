//! Capture files: pcapng with comments, and classic pcap without.
//!
//! ```text
//! pcapng   section | interface, before its first frame | packet …
//! block    type:4 | length:4 | body | options | length:4         everything padded to 4, little-endian
//! option   code:2 | length:2 | value
//! packet   interface:4 | nanoseconds high:4 | low:4 | captured:4 | original:4 | bytes
//!
//! pcap     magic:4 | 2:2 | 4:2 | 0:4 | 0:4 | snap length:4 | link:4
//! packet   seconds:4 | nanoseconds:4 | captured:4 | original:4 | bytes
//! ```

use super::block::{self, INTERFACE, ORDER, PACKET, SECTION, length, option, pad, put, since_1970};
use super::{Interface, StoredFrame, USER_0};
use crate::input::{CUSTOM, TextPacket};
use crate::tree::Timestamp;
use std::collections::HashMap;
use std::io::{self, Write};

const NANOSECOND_PCAP: u32 = 0xa1b2_3c4d;

/// Maximum length of a frame accepted by pcap readers.
const SNAP_LENGTH: u32 = 262_144;

/// Capture file formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileForm {
    /// pcapng: comments, several interfaces and link types.
    PcapNg,
    /// pcap: one link type, no comments.
    Pcap,
}

impl FileForm {
    /// Format by file name extension: pcap for `.pcap` and `.cap`, else pcapng.
    pub fn of_name(name: &str) -> FileForm {
        let name = name.to_ascii_lowercase();
        if name.ends_with(".pcap") || name.ends_with(".cap") { FileForm::Pcap } else { FileForm::PcapNg }
    }
}

/// Writer of a capture file.
pub struct CaptureFile<W> {
    to: W,
    form: FileForm,
    begun: bool,
    /// Interface numbers; at most one for pcap, whose link type is that of the first frame.
    interfaces: HashMap<Interface, u32>,
    link: Option<u16>,
    block: Vec<u8>,
    /// Whether a frame had a direction, or no time, that pcap does not hold.
    loses: bool,
}

impl<W: Write> CaptureFile<W> {
    /// Starts a file.
    pub fn new(to: W, form: FileForm) -> CaptureFile<W> {
        CaptureFile { to, form, begun: false, interfaces: HashMap::new(), link: None, block: Vec::new(), loses: false }
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// Write errors, and a second link type in pcap.
    pub fn frame(&mut self, frame: &StoredFrame) -> io::Result<()> {
        match self.form {
            FileForm::PcapNg => self.packet_block(frame),
            FileForm::Pcap => self.packet_record(frame),
        }
    }

    /// Ends the file, and writes its header if it has no frames.
    pub fn finish(mut self) -> io::Result<()> {
        match self.form {
            FileForm::PcapNg => self.section()?,
            FileForm::Pcap => self.header(self.link.unwrap_or(1))?,
        }
        self.to.flush()
    }

    /// Whether the format lost directions, or that times are unknown.
    pub fn loses(&self) -> bool {
        self.loses
    }

    fn section(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.block.clear();
        put(&mut self.block, ORDER);
        self.block.extend_from_slice(&[1, 0, 0, 0]);
        self.block.extend_from_slice(&u64::MAX.to_le_bytes());
        option(&mut self.block, block::APPLICATION, block::PROGRAM.as_bytes());
        option(&mut self.block, block::END, b"");
        self.block(SECTION)
    }

    fn interface(&mut self, interface: &Interface) -> io::Result<u32> {
        if let Some(number) = self.interfaces.get(interface) {
            return Ok(*number);
        }
        let number = u32::try_from(self.interfaces.len()).map_err(io::Error::other)?;
        self.interfaces.insert(interface.clone(), number);
        self.block.clear();
        put(&mut self.block, u32::from(interface.link));
        put(&mut self.block, 0);
        if !interface.name.is_empty() {
            option(&mut self.block, block::NAME, interface.name.as_bytes());
        }
        option(&mut self.block, block::RESOLUTION, &[9]);
        option(&mut self.block, block::END, b"");
        self.block(INTERFACE)?;
        Ok(number)
    }

    fn packet_block(&mut self, frame: &StoredFrame) -> io::Result<()> {
        self.section()?;
        let interface = self.interface(&frame.interface)?;
        let nanos = frame.time.map_or(0, since_1970);
        self.block.clear();
        put(&mut self.block, interface);
        put(&mut self.block, u32::try_from(nanos >> 32).unwrap_or(u32::MAX));
        put(&mut self.block, u32::try_from(nanos & u64::from(u32::MAX)).unwrap_or(u32::MAX));
        put(&mut self.block, length(&frame.bytes)?);
        put(&mut self.block, frame.original);
        self.block.extend_from_slice(&frame.bytes);
        pad(&mut self.block);
        let before = self.block.len();
        for comment in &frame.comments {
            option(&mut self.block, block::COMMENT, comment.as_bytes());
        }
        if let Some(side) = frame.direction {
            option(&mut self.block, block::FLAGS, &block::direction(side).to_le_bytes());
        }
        let unstored = TextPacket { has_no_time: frame.time.is_none(), is_payload: frame.is_payload };
        if unstored != TextPacket::default() {
            option(&mut self.block, CUSTOM, &unstored.option());
        }
        if self.block.len() > before {
            option(&mut self.block, block::END, b"");
        }
        self.block(PACKET)
    }

    /// Writes a block with the buffered body.
    fn block(&mut self, kind: u32) -> io::Result<()> {
        let length = length(&self.block)?.saturating_add(12).to_le_bytes();
        self.to.write_all(&kind.to_le_bytes())?;
        self.to.write_all(&length)?;
        self.to.write_all(&self.block)?;
        self.to.write_all(&length)
    }

    fn header(&mut self, link: u16) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.link = Some(link);
        self.block.clear();
        put(&mut self.block, NANOSECOND_PCAP);
        self.block.extend_from_slice(&[2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        put(&mut self.block, SNAP_LENGTH);
        put(&mut self.block, u32::from(link));
        self.to.write_all(&self.block)
    }

    fn packet_record(&mut self, frame: &StoredFrame) -> io::Result<()> {
        let link = frame.interface.link;
        self.loses |= frame.time.is_none() || frame.is_payload || link == USER_0 && frame.direction.is_some();
        self.header(link)?;
        if self.link != Some(link) {
            return Err(io::Error::other("pcap holds frames of one link type only; a name that ends in .pcapng holds them all"));
        }
        let time = frame.time.unwrap_or(Timestamp { seconds: 0, nanos: 0 });
        self.block.clear();
        put(&mut self.block, u32::try_from(time.seconds).unwrap_or(0));
        put(&mut self.block, time.nanos);
        put(&mut self.block, length(&frame.bytes)?);
        put(&mut self.block, frame.original);
        self.block.extend_from_slice(&frame.bytes);
        self.to.write_all(&self.block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Capture, Format, Link};
    use std::io::Cursor;

    fn frame(link: u16, name: &str, bytes: &[u8], comments: &[&str]) -> StoredFrame {
        StoredFrame {
            time: Some(Timestamp { seconds: 1_448_400_002, nanos: 55_398_001 }),
            interface: Interface { input: 0, number: None, link, name: name.to_owned() },
            direction: None,
            is_payload: false,
            original: 90,
            bytes: bytes.to_vec(),
            comments: comments.iter().map(|comment| (*comment).to_owned()).collect(),
        }
    }

    fn written(form: FileForm, frames: &[StoredFrame]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut file = CaptureFile::new(&mut out, form);
        frames.iter().try_for_each(|frame| file.frame(frame))?;
        file.finish()?;
        Ok(out)
    }

    #[test]
    fn written_files_are_read_back() {
        let long = "ü".repeat(40_000);
        let frames = [frame(1, "en0", b"abcde", &["one", &long]), frame(101, "", b"", &[]), frame(1, "en0", b"x", &[])];
        let mut capture = Capture::open(Box::new(Cursor::new(written(FileForm::PcapNg, &frames).unwrap()))).unwrap();
        for kept in &frames {
            let frame = capture.next_frame().unwrap().unwrap();
            assert_eq!((frame.bytes, frame.time, frame.original_len), (kept.bytes.as_slice(), kept.time, 90));
            assert_eq!(frame.link, Link::Type(kept.interface.link));
            assert_eq!(frame.interface_name.unwrap_or_default(), kept.interface.name);
            let comments: Vec<String> = frame.comments.iter().map(|comment| comment.into_owned()).collect();
            assert_eq!(comments.len(), kept.comments.len());
            assert!(comments.iter().zip(&kept.comments).all(|(read, kept)| kept.starts_with(read) && read.len() >= 3));
        }
        assert!(capture.next_frame().unwrap().is_none());
        assert_eq!(capture.interfaces().len(), 2);
    }

    #[test]
    fn pcap_holds_one_link_type() {
        let bytes = written(FileForm::Pcap, &[frame(101, "", b"abc", &["lost"])]).unwrap();
        let mut capture = Capture::open(Box::new(Cursor::new(bytes))).unwrap();
        assert_eq!(capture.format(), Format::Pcap);
        let read = capture.next_frame().unwrap().unwrap();
        assert_eq!((read.bytes, read.time.unwrap().nanos, read.original_len), (&b"abc"[..], 55_398_001, 90));
        let two = [frame(1, "", b"", &[]), frame(101, "", b"", &[])];
        assert!(written(FileForm::Pcap, &two).unwrap_err().to_string().contains("pcapng"));
    }

    #[test]
    fn a_file_without_frames_is_a_capture() {
        for form in [FileForm::PcapNg, FileForm::Pcap] {
            let mut capture = Capture::open(Box::new(Cursor::new(written(form, &[]).unwrap()))).unwrap();
            assert!(capture.next_frame().unwrap().is_none());
        }
    }
}
