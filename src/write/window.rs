//! Window of frames that wait until it is known whether a record requires them.
//!
//! A message may have started many frames before it is complete, and frames are written in order. So the latest frames are kept, up
//! to a limit in bytes. If a message started before that, its frame is reported as late; inputs that can be read again are then read
//! a second time, with the late frames known. So memory is bounded, nearly all inputs are read once, and pipes are supported.

use super::{Interface, StoredFrame, USER_0};
use crate::record::{Message, Record, derived_of, pieces_of};
use crate::render::line_of;
use crate::tree::{Dissection, NodeRef};
use std::collections::{BTreeSet, VecDeque};

/// Maximum number of late frames kept.
const LATE_MOST: usize = 1 << 20;

/// Fixed cost of a frame.
const OVERHEAD: usize = size_of::<Waiting>();

/// Link type of raw IP.
const RAW_IP: u16 = 101;

/// Frames that were required after they had left the window.
#[derive(Debug, Default, Clone)]
pub struct Late {
    frames: BTreeSet<u64>,
    /// Total number, including those not kept.
    pub count: u64,
}

struct Waiting {
    number: u64,
    needed: bool,
    frame: StoredFrame,
}

/// Latest frames of an input.
pub struct Window {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    limit: usize,
    input: usize,
    known: Late,
    late: Late,
}

impl Window {
    /// Creates a window of `limit` bytes for the input of this index. Frames known to be late are written on arrival.
    pub fn new(limit: usize, input: usize, known: Late) -> Window {
        Window { waiting: VecDeque::new(), bytes: 0, limit, input, known, late: Late::default() }
    }

    /// Adds a frame, and releases frames beyond the limit.
    pub fn frame(&mut self, of: Dissection<'_>, needed: bool, to: &mut VecDeque<StoredFrame>) {
        let info = &of.tree.frame;
        let frame = StoredFrame {
            time: info.time,
            interface: Interface {
                input: self.input,
                number: info.interface,
                link: info.link.unwrap_or_else(|| link_of(of)),
                name: of.tree.generated_text(info.interface_name).to_owned(),
            },
            direction: info.direction,
            is_payload: info.is_payload,
            original: info.original,
            bytes: of.bytes.to_vec(),
            comments: of.tree.generated_text(info.comment).lines().map(str::to_owned).collect(),
        };
        let needed = needed || self.known.frames.contains(&info.number);
        self.bytes += frame.bytes.len() + OVERHEAD + comment_bytes(&frame);
        self.waiting.push_back(Waiting { number: info.number, needed, frame });
        while self.bytes > self.limit && self.waiting.len() > 1 {
            self.let_go(to);
        }
    }

    fn let_go(&mut self, to: &mut VecDeque<StoredFrame>) {
        let Some(Waiting { needed, frame, .. }) = self.waiting.pop_front() else { return };
        self.bytes = self.bytes.saturating_sub(frame.bytes.len() + OVERHEAD + comment_bytes(&frame));
        if needed {
            to.push_back(frame);
        }
    }

    /// Marks the frames of a record as required, with its summary as a comment on the last one.
    pub fn record(&mut self, record: &Record<'_>) {
        let frames = match record {
            Record::Message(message) => frames_of(message),
            Record::Packet(packet) if packet.of.tree.has_late() => {
                let nodes = packet.layers().filter_map(|layer| packet.of.layer_node(layer));
                let pieces = nodes.flat_map(|node| pieces_of(packet.of, node)).map(|piece| piece.frame);
                pieces.chain([packet.of.tree.frame.number]).collect()
            }
            Record::Packet(packet) => {
                let pieces = packet.of.tree.pieces.iter().map(|piece| piece.frame);
                pieces.chain([packet.of.tree.frame.number]).collect()
            }
            Record::Late(late) => late.frames().into_iter().collect(),
            Record::Gap(_) => return,
        };
        for number in &frames {
            match self.find(*number) {
                Some(waiting) => waiting.needed = true,
                None => self.is_late(*number),
            }
        }
        let last = frames.last().copied().unwrap_or_default();
        let line = line_of(record);
        let added = line.len();
        if let Some(place) = self.find(last) {
            place.frame.comments.push(line);
            self.bytes += added;
        }
    }

    fn find(&mut self, number: u64) -> Option<&mut Waiting> {
        let first = self.waiting.front()?.number;
        let at = usize::try_from(number.checked_sub(first)?).ok()?;
        self.waiting.get_mut(at)
    }

    fn is_late(&mut self, number: u64) {
        if !self.known.frames.contains(&number) && !self.late.frames.contains(&number) {
            self.late.count += 1;
            if self.late.frames.len() < LATE_MOST {
                self.late.frames.insert(number);
            }
        }
    }

    /// Releases all frames at the end of the input.
    pub fn end(&mut self, to: &mut VecDeque<StoredFrame>) {
        while !self.waiting.is_empty() {
            self.let_go(to);
        }
    }

    /// Late frames.
    pub fn into_late(self) -> Late {
        self.late
    }
}

/// Total bytes of the comments of a frame.
fn comment_bytes(frame: &StoredFrame) -> usize {
    frame.comments.iter().map(String::len).sum()
}

/// Frames of a message, including those of derived bytes.
fn frames_of(message: &Message<'_>) -> BTreeSet<u64> {
    let tree = message.of.tree;
    let mut frames: BTreeSet<u64> = message.frames().into_iter().collect();
    let mut layers = message.carriers();
    layers.push(message.layer);
    for (derived, source) in derived_of(message.of, &layers) {
        let from = derived.from.and_then(|from| tree.source(from));
        for source in from.into_iter().chain([source]) {
            frames.extend(tree.pieces_of(source).iter().map(|piece| piece.frame));
        }
    }
    frames
}

/// Link type of a frame without one, by its first layer.
fn link_of(of: Dissection<'_>) -> u16 {
    let outermost = of.tree.layers.first().and_then(|layer| of.layer_node(layer)).map(NodeRef::field);
    match outermost.map(|field| field.abbrev) {
        Some("eth") => 1,
        Some("ip" | "ipv6") => RAW_IP,
        Some("null") => 0,
        Some("ppp") => 9,
        // The header of version 2 begins with the EtherType, that of version 1 with a small packet type.
        Some("sll") if of.bytes.first().is_some_and(|first| *first != 0) => 276,
        Some("sll") => 113,
        _ => USER_0,
    }
}
