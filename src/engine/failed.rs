//! Panics outside of messages: the frame becomes data, and so does the rest of its conversation.

use super::bug::Bug;
use super::stream::Connection;
use super::{Engine, mark_innermost};
use crate::flow::Pair;
use crate::input::Frame;
use crate::layers::{self, Bytes};
use crate::tree::{FrameInfo, Span, Tree};
use crate::wire::credentials;
use crate::wire::notes::BUG;
use std::net::SocketAddr;

/// The end of the headers is unknown: within this many bytes, each position may begin a line of as many bytes.
const HEADERS_MOST: usize = 256;
const LINE_MOST: usize = 1024;

/// The conversation whose state a panic may have damaged.
#[derive(Clone, Copy, Default)]
pub(super) enum ActiveConversation {
    #[default]
    None,
    /// A connection by its stream number.
    Tcp(u32),
    Udp([SocketAddr; 2]),
    Sctp(Pair),
    /// An endpoint of a device.
    Usb(Pair),
    /// A conversation without headers.
    Packetless,
}

impl Engine {
    /// Handles a panic outside a dissector: the whole frame becomes data, and its conversation is no longer dissected.
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

    /// Handles a panic outside a dissector at the end of the capture. The failed conversation is not tried again.
    #[cold]
    pub(super) fn end_failed(&mut self, failure: &Bug) {
        let stream = self.ending.streams.as_mut().and_then(Iterator::next);
        if stream.is_none() {
            // All other conversations were removed from their tables before the panic.
            self.transports.packetless.fail();
            self.ending.objects = Some(Vec::new().into_iter());
        }
        let protocol = stream.as_ref().and_then(|stream| stream.protocol()).map_or("datagrams", |protocol| protocol.this.abbrev);
        let number = stream.map_or(self.tree.frame.number, |stream| stream.last_frame());
        self.tree.begin(FrameInfo { number, ..FrameInfo::default() });
        self.tree.set_demand(self.demand);
        layers::unexplained(&mut self.tree, Bytes::of_frame(&[]), 0..0, None);
        self.note_bug(format_args!("{protocol} at the end of the capture: {}", failure.0));
    }

    /// Stops dissecting the conversation of this frame. Returns the protocol that dissected it, if known.
    fn fail_conversation(&mut self, frame: u64) -> Option<&'static str> {
        let stream = match self.current.active {
            ActiveConversation::None => return None,
            ActiveConversation::Udp(sockets) => {
                self.transports.exchanges.fail(sockets, frame);
                return None;
            }
            ActiveConversation::Sctp(pair) => {
                self.transports.associations.fail(&pair, frame);
                return None;
            }
            ActiveConversation::Usb(pair) => {
                self.transports.pipes.fail(&pair, frame);
                return None;
            }
            ActiveConversation::Packetless => return self.transports.packetless.fail().map(|protocol| protocol.this.abbrev),
            ActiveConversation::Tcp(number) => self.transports.streams.find(number).and_then(Connection::whole),
        };
        let stream = stream?;
        let protocol = stream.protocol().map(|protocol| protocol.this.abbrev);
        stream.recover();
        protocol
    }

    /// Notes a panic outside a dissector.
    fn note_bug(&mut self, words: std::fmt::Arguments<'_>) {
        self.tree.note(&BUG, 0, Span::NONE, words);
        mark_innermost(&mut self.tree, false);
        self.tree.spread_secrets();
    }
}

/// Masks possible secrets in a frame of unknown content.
fn hide_secrets(tree: &mut Tree, bytes: &[u8]) {
    for start in 0..bytes.len().min(HEADERS_MOST) {
        let end = if start == 0 { bytes.len() } else { bytes.len().min(start + LINE_MOST) };
        let behind = bytes.get(start..end).unwrap_or_default();
        credentials::find(behind, |range| tree.hide(Span::new(0, start + range.start..start + range.end)));
    }
}
