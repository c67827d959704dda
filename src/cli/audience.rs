//! The interface between reading an input and using its frames.

use super::parallel::{Chunk, ChunkPrinter};
use super::print_error;
use crate::engine::Prefilter;
use crate::input::{Extra, Frame};
use crate::record::{Evictions, Tally};
use crate::sink::{Begin, Problem};
use crate::tree::{Demand, Dissection, Extras, Fields};
use std::fmt;
use std::io;
use std::net::IpAddr;

/// A consumer of the dissected frames of an input.
pub(super) trait Audience: Send {
    /// The parts of a frame that it needs.
    fn demand(&self) -> Demand;

    /// Prefilter that rejects frames by their layers alone.
    fn prefilter(&self) -> Option<Prefilter> {
        None
    }

    /// Start of an input.
    fn begin(&mut self, _begin: &Begin<'_>) -> io::Result<()> {
        Ok(())
    }

    /// An input that cannot be read at all.
    fn failed(&mut self, _problem: &Problem<'_>) -> io::Result<()> {
        Ok(())
    }

    /// A captured frame, before dissection.
    fn frame(&mut self, _frame: &Frame<'_>) {}

    /// A dissected frame; with `captured` false, pending data of a conversation at the end of the input.
    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()>;

    /// Number of messages of the next tree after which it takes the gathered state of their conversation.
    fn defers_after(&self) -> Option<u64> {
        None
    }

    /// Whether printing takes as long as dissection, so that a second thread pays off.
    fn is_busy(&self) -> bool {
        let demand = self.demand();
        let cannot_be_sent = demand.has(Extras::OBJECTS) || demand.has(Extras::TRANSFERS);
        let may_settle = self.prefilter().is_some_and(|prefilter| prefilter.headers.is_some());
        // Objects and transfers cannot be sent to another thread.
        demand.fields == Fields::All && !cannot_be_sent && !may_settle
    }

    /// A printer for later chunks on another thread; `None` if chunks depend on each other.
    fn fork<'a>(&self) -> Option<ChunkPrinter<'a>> {
        None
    }

    /// Sets the counts up to the next tree.
    fn resume_at(&mut self, _tally: Tally) {}

    /// Takes a chunk that another thread printed.
    fn chunk(&mut self, _part: &mut Chunk) -> io::Result<()> {
        Ok(())
    }

    /// Whether reading can stop.
    fn has_enough(&self) -> bool {
        false
    }

    /// Whether an idle thread is available to read ahead.
    fn has_help(&self) -> bool {
        true
    }

    /// Reports a problem of an input.
    fn print_error(&mut self, what: fmt::Arguments<'_>) {
        print_error(what);
    }

    /// Other content of the input than frames, up to here.
    fn extras(&mut self, _extras: &[(Extra, u64)]) {}

    /// Names of addresses in name resolution blocks, up to here.
    fn names(&mut self, _names: &[(IpAddr, String)]) {}

    /// State evicted to bound memory.
    fn evictions(&mut self, _evictions: Evictions) {}

    /// End of an input, with a problem if it is damaged.
    fn end(&mut self, _problem: Option<&Problem<'_>>) -> io::Result<()> {
        Ok(())
    }
}
