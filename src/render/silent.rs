//! No output of records, only problems of the input and the exit code.

use crate::record::{Record, View};
use crate::sink::{Printed, Sink};
use crate::tree::Demand;
use std::io;

/// Prints nothing.
pub struct Silent;

impl Sink for Silent {
    fn demand(&self, _: View) -> Demand {
        Demand::FRAMES
    }

    fn record(&mut self, _: &Record<'_>) -> io::Result<()> {
        Ok(())
    }

    fn printed(&mut self, _: &Printed) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
