//! No output of records, only problems of the input and the exit code.

use crate::record::{Record, Tally, View};
use crate::sink::{Begin, Printed, Problem, Sink};
use crate::tree::Demand;
use std::io;

/// Prints nothing.
pub struct Silent;

impl Sink for Silent {
    fn demand(&self, _: View) -> Demand {
        Demand::FRAMES
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        Ok(())
    }

    fn record(&mut self, _: &Record<'_>) -> io::Result<()> {
        Ok(())
    }

    fn printed(&mut self, _: &Printed) -> io::Result<()> {
        Ok(())
    }

    fn problem(&mut self, _: &Problem<'_>) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Tally, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
