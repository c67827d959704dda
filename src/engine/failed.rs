//! Panics outside of messages: the frame is data, and so is what follows in its conversation.

use super::bug::Bug;
use super::nested::States;
use super::stream::Connection;
use super::{Engine, mark_innermost};
use crate::flow::Pair;
use crate::input::Frame;
use crate::layers::{self, Bytes};
use crate::tree::{FrameInfo, Span, Tree};
use crate::wire::credentials;
use crate::wire::notes::BUG;
use std::net::SocketAddr;

/// Where headers end is not known: at each of so many bytes, a line of so many may begin.
const HEADERS_MOST: usize = 256;
const LINE_MOST: usize = 1024;

/// Whose state may be damaged when something fails.
#[derive(Clone, Copy)]
pub(super) enum Talking {
    None,
    Tcp(Pair),
    Udp([SocketAddr; 2]),
    Sctp(Pair),
    /// The conversation of an input without packets.
    Bare,
}

impl Engine {
    /// Our own code failed on a frame: all of it is data, and its conversation is read no more.
    #[cold]
    pub(super) fn frame_failed(&mut self, frame: &Frame<'_>, failure: &Bug) {
        let protocol = self.fail_conversation(frame.number);
        self.begin(frame);
        self.tree.set_demand(self.demand);
        layers::unexplained(&mut self.tree, Bytes::of_frame(frame.bytes), 0..frame.bytes.len(), None);
        hide_secrets(&mut self.tree, frame.bytes);
        match protocol {
            Some(name) => self.note_bug(format_args!("{name} at offset 0: {}", failure.0)),
            None => self.note_bug(format_args!("at offset 0: {}", failure.0)),
        }
    }

    /// Our own code failed on what a conversation had left when the capture ended. What failed is not asked again.
    #[cold]
    pub(super) fn end_failed(&mut self, failure: &Bug) {
        let stream = self.ending.as_mut().and_then(Iterator::next);
        if stream.is_none() {
            // What was asked has left its table already, except for these.
            self.bare_states = States::broken();
            self.gathered = Some(Vec::new().into_iter());
        }
        let protocol = stream.as_ref().and_then(|stream| stream.protocol()).map_or("datagrams", |protocol| protocol.this.abbrev);
        let number = stream.map_or(self.tree.frame.number, |stream| stream.last_frame());
        self.tree.begin(FrameInfo { number, ..FrameInfo::default() });
        self.tree.set_demand(self.demand);
        layers::unexplained(&mut self.tree, Bytes::of_frame(&[]), 0..0, None);
        self.note_bug(format_args!("{protocol} at the end of the capture: {}", failure.0));
    }

    /// The conversation of this frame is read no more. Returns the protocol that read it, if that is known.
    fn fail_conversation(&mut self, frame: u64) -> Option<&'static str> {
        let stream = match self.talking {
            Talking::None => return None,
            Talking::Udp(sockets) => {
                self.exchanges.fail(sockets, frame);
                return None;
            }
            Talking::Sctp(pair) => {
                self.associations.fail(&pair, frame);
                return None;
            }
            Talking::Bare => {
                self.bare_states = States::broken();
                self.bare.as_mut()
            }
            Talking::Tcp(pair) => {
                let known = self.streams.get(&pair, frame);
                known.and_then(|(_, connection)| Connection::whole(connection))
            }
        };
        let stream = stream?;
        let protocol = stream.protocol().map(|protocol| protocol.this.abbrev);
        stream.recover();
        protocol
    }

    /// Note that something other than a dissector failed.
    fn note_bug(&mut self, words: std::fmt::Arguments<'_>) {
        self.tree.note(&BUG, 0, Span::NONE, words);
        mark_innermost(&mut self.tree, false);
        self.tree.spread_secrets();
    }
}

/// Hide what may be a secret in a frame of which nothing is known.
fn hide_secrets(tree: &mut Tree, bytes: &[u8]) {
    for start in 0..bytes.len().min(HEADERS_MOST) {
        let end = if start == 0 { bytes.len() } else { bytes.len().min(start + LINE_MOST) };
        let behind = bytes.get(start..end).unwrap_or_default();
        credentials::find(behind, |range| tree.hide(Span::new(0, start + range.start..start + range.end)));
    }
}
