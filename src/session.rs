//! Reads the records of a capture: the main loop of a library user.

use crate::engine::Engine;
use crate::filter::{Filter, ParseError};
use crate::input::{Capture, OpenError, ReadError};
use crate::record::{Record, RecordPlace, Tally, View};
use crate::registry::Registry;
use crate::tree::{Demand, Dissection};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Read;

/// The records of a capture, one after another.
///
/// A record borrows from the session until the next one is read, hence a method instead of an iterator:
///
/// ```
/// # use proto_dissect::Session;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let file = std::fs::File::open("samples/xfire.pcap")?;
/// let mut session = Session::open(file)?.filter("xfire.userid")?;
/// while let Some(record) = session.next_record()? {
///     println!("{record}");
/// }
/// # Ok(())
/// # }
/// ```
pub struct Session {
    capture: Capture,
    registry: Registry,
    view: View,
    filter: Option<Filter>,
    reading: Option<Reading>,
}

/// State that depends on the options, created with the first record.
struct Reading {
    engine: Engine,
    tally: Tally,
    /// Bytes of the current frame; none after the last frame.
    bytes: Vec<u8>,
    /// Records of the current tree that are not read yet.
    pending: VecDeque<RecordPlace>,
    /// Whether all frames are read.
    is_over: bool,
}

impl Session {
    /// Opens a pcap, pcapng or compressed capture, or a hex dump. The format is detected from the content.
    ///
    /// # Errors
    /// Input that cannot be read or has no known format.
    pub fn open(input: impl Read + Send + 'static) -> Result<Session, OpenError> {
        Capture::open(Box::new(input)).map(Session::new)
    }

    /// Reads an open capture: application messages by all built-in protocols, without a filter.
    #[must_use]
    pub fn new(capture: Capture) -> Session {
        Session { capture, registry: Registry::default(), view: View::Messages, filter: None, reading: None }
    }

    /// Uses these protocols. Call it before [`Session::filter`], which looks up fields in them.
    #[must_use]
    pub fn registry(self, registry: Registry) -> Session {
        Session { registry, ..self }
    }

    /// Reads packets, with all layers of each, instead of application messages.
    #[must_use]
    pub fn packets(self) -> Session {
        Session { view: View::Packets, ..self }
    }

    /// Skips records that do not match a display filter.
    ///
    /// # Errors
    /// The first mistake in the filter.
    pub fn filter(self, filter: &str) -> Result<Session, ParseError> {
        let filter = Some(Filter::parse(filter, self.registry)?);
        Ok(Session { filter, ..self })
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// A truncated or damaged capture, once. Records that were pending before it follow.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, ReadError> {
        let Session { capture, registry, view, filter, reading } = self;
        let reading = reading.get_or_insert_with(|| Reading::new(*registry, *view, filter.as_ref()));
        let place = loop {
            match reading.pending.pop_front() {
                Some(place) => break place,
                None if !reading.advance(capture, filter.as_ref())? => return Ok(None),
                None => {}
            }
        };
        Ok(place.record(reading.dissection(), None))
    }
}

impl Reading {
    fn new(registry: Registry, view: View, filter: Option<&Filter>) -> Reading {
        let asked = filter.map_or(Demand::EVERYTHING, |filter| Demand::EVERYTHING.and(filter.demand()));
        Reading {
            engine: Engine::new(registry, asked),
            tally: Tally::new(view),
            bytes: Vec::new(),
            pending: VecDeque::new(),
            is_over: false,
        }
    }

    fn dissection(&self) -> Dissection<'_> {
        Dissection { tree: self.engine.tree(), bytes: &self.bytes }
    }

    /// Dissects the next frame, or pending data of a conversation at the end. Returns false after the last one.
    fn advance(&mut self, capture: &mut Capture, filter: Option<&Filter>) -> Result<bool, ReadError> {
        self.bytes.clear();
        let frame = if self.is_over { None } else { capture.next_frame().inspect_err(|_| self.is_over = true)? };
        self.is_over = frame.is_none();
        match frame {
            Some(frame) => {
                self.engine.dissect(&frame);
                self.bytes.extend_from_slice(frame.bytes);
            }
            None if self.engine.finish().is_none() => return Ok(false),
            None => {}
        }
        let Reading { engine, tally, bytes, pending, is_over } = self;
        let of = Dissection { tree: engine.tree(), bytes };
        let Ok(()) = tally.places(of, !*is_over, |place| {
            let matches = |filter: &Filter| place.clone().record(of, None).is_some_and(|record| filter.matches(&record));
            if filter.is_none_or(matches) {
                pending.push_back(place);
            }
            Ok::<(), Infallible>(())
        });
        Ok(true)
    }
}
