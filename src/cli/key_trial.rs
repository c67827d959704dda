//! Tries a key: dissects the first frames of a conversation with it.

use super::audience::Audience;
use super::input::{self, InputSettings};
use super::print_error;
use super::source::Source;
use crate::engine::Engine;
use crate::input::{Frame, Link, Timestamp};
use crate::keys::{KeyRing, Request, Tried};
use crate::registry::Registry;
use crate::tree::{Demand, Dissection, Kind, Level, Side, StreamId, Tree};
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

/// Conversations of a capture for which candidates are tried. The others are counted.
const TRIED: usize = 64;
/// Frames and bytes of a conversation with which a candidate is tried.
const FRAMES: usize = 512;
const BYTES: usize = 1 << 20;

/// Conversations that lack keys, with their first frames.
pub(super) struct Trial {
    registry: Registry,
    keys: Arc<KeyRing>,
    open: Vec<(Request, Arc<[OwnFrame]>)>,
}

/// A frame with its bytes.
struct OwnFrame {
    number: u64,
    time: Option<Timestamp>,
    link: Link,
    bytes: Vec<u8>,
    original_len: u32,
    direction: Option<Side>,
    endpoints: Option<(SocketAddr, SocketAddr)>,
}

impl OwnFrame {
    fn new(frame: &Frame<'_>) -> OwnFrame {
        let Frame { number, time, link, original_len, direction, endpoints, .. } = *frame;
        OwnFrame { number, time, link, bytes: frame.bytes.to_vec(), original_len, direction, endpoints }
    }

    fn lent(&self) -> Frame<'_> {
        let OwnFrame { number, time, link, original_len, direction, endpoints, .. } = *self;
        Frame { number, time, link, bytes: &self.bytes, original_len, direction, endpoints, ..Frame::default() }
    }
}

impl Trial {
    /// Reads the frames of conversations whose keys are missing or do not fit.
    pub(super) fn new(source: &Source, requests: &[Request], settings: &InputSettings, keys: &Arc<KeyRing>) -> io::Result<Trial> {
        let mut lacking: Vec<&Request> = requests.iter().filter(|request| request.lacks_key()).collect();
        if lacking.len() > TRIED {
            print_error(format_args!("{}: candidates are tried for {TRIED} of {} keys", source.name(), lacking.len()));
            lacking.truncate(TRIED);
        }
        let frames = lacking.iter().map(|request| (request.owner.stream, Frames::default())).collect();
        let mut collector = Collector { frames, last: None };
        if !lacking.is_empty() {
            input::input(source, settings, &mut collector)?;
            keys.restart(None);
        }
        // Several keys of a conversation share its frames.
        let frames: HashMap<StreamId, Arc<[OwnFrame]>> =
            collector.frames.into_iter().map(|(stream, own)| (stream, own.frames.into())).collect();
        let shared = |request: &Request| Some((request.clone(), Arc::clone(frames.get(&request.owner.stream)?)));
        let open = lacking.into_iter().filter_map(shared).collect();
        Ok(Trial { registry: settings.registry(), keys: Arc::clone(keys), open })
    }

    /// Conversations without a fitting key.
    pub(super) fn open(&self) -> impl Iterator<Item = &Request> {
        self.open.iter().map(|(request, _)| request)
    }

    /// Whether all conversations have one.
    pub(super) fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes the conversations that a value fits.
    pub(super) fn fitting(&mut self, value: &[u8]) -> Vec<Request> {
        let (registry, keys) = (self.registry, &self.keys);
        let fitting = self.open.extract_if(.., |(request, frames)| fits(registry, keys, request, frames, value));
        fitting.map(|(request, _)| request).collect()
    }
}

/// Whether a value fits a conversation.
fn fits(registry: Registry, keys: &KeyRing, request: &Request, frames: &[OwnFrame], value: &[u8]) -> bool {
    let Request { protocol, name, .. } = request;
    keys.restart(Some(Tried { protocol: protocol.clone(), name: name.clone(), value: value.into() }));
    let verdict = || keys.verdict(protocol, name);
    let mut engine = Engine::new(registry, Demand::NAMES);
    let mut behind = Behind::default();
    for frame in frames {
        engine.dissect(&frame.lent());
        match verdict() {
            None => {}
            Some(false) => return false,
            Some(true) => behind.count(engine.tree()),
        }
    }
    while let Some(tree) = engine.finish() {
        behind.count(tree);
    }
    verdict() == Some(true) && behind.is_sound()
}

/// What a key that seems to fit reads. Among millions of candidates some read a few messages by chance.
#[derive(Default)]
struct Behind {
    messages: usize,
    faults: usize,
}

impl Behind {
    fn count(&mut self, tree: &Tree) {
        self.messages += tree.layers.iter().filter(|layer| layer.message).count();
        let broken = tree.notes.iter().filter(|note| matches!(note.code.kind, Kind::Note(Level::Broken))).count();
        self.faults += broken + usize::from(tree.outcome.undissected > 0);
    }

    /// Whether few messages are malformed: descriptions are not always complete.
    fn is_sound(&self) -> bool {
        self.faults * 8 <= self.messages
    }
}

/// The first frames of a conversation.
#[derive(Default)]
struct Frames {
    frames: Vec<OwnFrame>,
    bytes: usize,
}

impl Frames {
    fn is_full(&self) -> bool {
        self.frames.len() >= FRAMES || self.bytes >= BYTES
    }
}

/// Collects frames of conversations.
struct Collector {
    frames: HashMap<StreamId, Frames>,
    /// The frame that is dissected.
    last: Option<OwnFrame>,
}

impl Audience for Collector {
    fn demand(&self) -> Demand {
        Demand::NAMES
    }

    fn frame(&mut self, frame: &Frame<'_>) {
        self.last = Some(OwnFrame::new(frame));
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        let Some(frame) = self.last.take().filter(|_| captured) else { return Ok(()) };
        let stream = of.tree.ends.iter().find_map(|ends| ends.stream.filter(|(stream, _)| self.frames.contains_key(stream)));
        if let Some(own) = stream.and_then(|(stream, _)| self.frames.get_mut(&stream)).filter(|own| !own.is_full()) {
            own.bytes += frame.bytes.len();
            own.frames.push(frame);
        }
        Ok(())
    }

    fn has_enough(&self) -> bool {
        self.frames.values().all(Frames::is_full)
    }
}
