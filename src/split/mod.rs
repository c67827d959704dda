//! Splits a capture into parts that can be dissected separately, with the same messages.
//!
//! ```text
//! frame ─► routing engine ─► Router: which part ─► Window ─► Parts: pcapng files
//! ```
//! A conversation is never divided, and an announced conversation is in the part of its announcement. Each frame carries its
//! original number and its stream numbers ([`crate::input::Origin`]), so that records of parts equal those of the whole.

mod packet;
mod parts;
mod router;
mod window;

use crate::engine::Engine;
use crate::input::Frame;
use crate::tree::{Dissection, Time};
use packet::Secrets;
pub use parts::{Names, Parts, Written};
use router::Router;
pub use router::{By, TimeSpan};
use std::io;
use window::Window;

/// Splits the frames of one capture, in one pass.
pub struct Splitter {
    engine: Engine,
    router: Router,
    window: Window,
    parts: Parts,
    secrets: Secrets,
    section: u64,
    start: Option<Time>,
}

impl Splitter {
    /// Creates a splitter by a criterion, with its output files.
    pub fn new(by: By, parts: Parts) -> Splitter {
        Splitter {
            engine: Engine::routing(),
            router: Router::new(by),
            window: Window::default(),
            parts,
            secrets: Secrets::default(),
            section: 0,
            start: None,
        }
    }

    /// Assigns the next frame to a part, and writes it.
    pub fn frame(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        let Splitter { engine, router, window, parts, secrets, section, start } = self;
        parts.start(*start.get_or_insert(frame.origin.and_then(|origin| origin.start).or(frame.time)));
        secrets.learn(frame.secrets);
        if std::mem::replace(section, frame.section) != frame.section {
            // Each section has its own interfaces.
            window.drain(parts, secrets)?;
            parts.section();
        }
        parts.interfaces(frame.interfaces);
        engine.dissect(frame);
        let (tree, Some(route)) = (engine.tree(), engine.route()) else { return Ok(()) };
        let ends = match route.conversation {
            Some(_) => None,
            None => router::ends(Dissection { tree, bytes: frame.bytes }),
        };
        let part = router.part(route, ends, frame.time);
        if !route.waits {
            if window.is_empty() {
                return parts.frame(part, frame, &route.streams, secrets);
            }
            let joined = tree.pieces.iter().map(|piece| piece.frame).filter(|number| *number != frame.number);
            window.decide(joined, part);
        }
        window.add(frame, &route.streams, part, !route.waits)?;
        window.release(parts, secrets)
    }

    /// Writes pending frames, and closes all parts.
    pub fn finish(mut self) -> io::Result<Vec<Written>> {
        self.window.drain(&mut self.parts, &self.secrets)?;
        self.parts.finish()
    }
}
