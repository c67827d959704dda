//! Selection of protocols and fields of a document: `-j` and `-J`.

use crate::record::{Record, Tally, View};
use crate::sink::{Begin, Edges, Printed, Problem, Sink};
use crate::tree::{Demand, Dissection, Fields, Only};
use std::io;

/// Selected names; all if empty.
#[derive(Debug, Clone, Default)]
pub struct KeptNames {
    names: Vec<&'static str>,
    /// Whether the subtree of a name is included.
    below: bool,
}

impl KeptNames {
    /// Selects these names, with their subtrees if `below`.
    pub fn new(names: Vec<&'static str>, below: bool) -> KeptNames {
        KeptNames { names, below }
    }

    /// Whether the parts of a protocol are selected.
    pub(super) fn has_proto(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(&name)
    }

    /// Whether the parts of a field within a selected protocol are selected.
    pub(super) fn has_field(&self, name: &str) -> bool {
        self.names.is_empty() || self.below || self.names.contains(&name)
    }
}

/// Any other sink, restricted to selected fields.
pub struct Restricted<'w> {
    inner: Box<dyn Sink + Send + 'w>,
    only: Only,
}

impl<'w> Restricted<'w> {
    /// Restricts `inner` to these fields.
    pub fn new(inner: Box<dyn Sink + Send + 'w>, only: Only) -> Restricted<'w> {
        Restricted { inner, only }
    }
}

impl Sink for Restricted<'_> {
    fn demand(&self, view: View) -> Demand {
        let demand = self.inner.demand(view);
        let fields = if demand.fields == Fields::All { Fields::Only(self.only) } else { demand.fields };
        Demand { fields, ..demand }
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.inner.begin(begin)
    }

    fn write_heading(&mut self) -> io::Result<()> {
        self.inner.write_heading()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.inner.record(record)
    }

    fn objects(&mut self, of: Dissection<'_>) -> io::Result<()> {
        self.inner.objects(of)
    }

    fn resume_at(&mut self, file: &str) {
        self.inner.resume_at(file);
    }

    fn take_output(&mut self) -> io::Result<Option<Edges>> {
        self.inner.take_output()
    }

    fn take_deferred(&mut self) -> Vec<u8> {
        self.inner.take_deferred()
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.inner.printed(printed)
    }

    fn problem(&mut self, problem: &Problem<'_>) -> io::Result<()> {
        self.inner.problem(problem)
    }

    fn end(&mut self, tally: &Tally, truncated: bool) -> io::Result<()> {
        self.inner.end(tally, truncated)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.inner.finish()
    }
}
