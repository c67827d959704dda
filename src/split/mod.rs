//! A capture cut into parts that can be dissected apart, with the same messages.
//!
//! ```text
//! frame ─► routing engine ─► Router: which part ─► Window ─► Parts: pcapng files
//! ```
//! A conversation is never divided, and one that another announced goes with it. Each frame carries its original number and the
//! numbers of its conversations ([`crate::input::Origin`]), so that records of parts equal those of the whole.

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
pub use router::{By, Slice};
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
    /// Splits by these rules into these files.
    #[must_use]
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

    /// Takes the next frame.
    ///
    /// # Errors
    /// Those of writing.
    pub fn frame(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        let Splitter { engine, router, window, parts, secrets, section, start } = self;
        parts.start(*start.get_or_insert(frame.origin.and_then(|origin| origin.start).or(frame.time)));
        secrets.learn(frame.secrets);
        if std::mem::replace(section, frame.section) != frame.section {
            // Interfaces are those of a section.
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
        window.let_go(parts, secrets)
    }

    /// Writes what waits, and ends all parts.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self) -> io::Result<Vec<Written>> {
        self.window.drain(&mut self.parts, &self.secrets)?;
        self.parts.finish()
    }
}
