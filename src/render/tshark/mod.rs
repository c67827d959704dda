//! tshark's machine-readable formats: PDML, PSML, Elasticsearch, JSON with raw bytes, tab-separated columns.
//!
//! A record becomes `frame` and its layers, as in tshark. Each field is followed by its alias and by generated fields. Secret bytes
//! are masked.

mod columns;
mod ek;
mod escape;
mod kept;
mod mapping;
mod part;
mod pdml;
mod raw;
mod shape;

pub use columns::{Psml, Tabs};
pub use ek::Ek;
pub use kept::{KeptNames, Restricted};
pub use mapping::elastic_mapping;
pub use pdml::Pdml;
pub use raw::Raw;
pub use shape::Shape;

use crate::record::expert;
use crate::registry::Registry;
use crate::tree::{Carriers, Demand, Extras, Only};
use std::io;

/// Bytes after which the buffer is passed on even within a record.
const LONG: usize = 64 << 10;

/// Demand of a document: all fields, including those on request.
fn demand() -> Demand {
    let listed = Registry::default().protocols().flat_map(|protocol| protocol.fields.iter().copied());
    let on_request = listed.filter(|field| field.on_request && field.generated.is_none());
    let named = Some(Only::these(on_request));
    Demand { carriers: Carriers::Full, named, ..Demand::EVERYTHING }.with(Extras::LABELS).and(expert::demand())
}

/// Output of a document: a buffer that is passed on when it has become long.
struct Page<'w> {
    text: &'w mut String,
    to: &'w mut dyn io::Write,
}

impl Page<'_> {
    /// Appends text.
    fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Passes on the buffer if it has become long.
    fn let_go(&mut self) -> io::Result<()> {
        if self.text.len() >= LONG { flush_text(self.text, self.to) } else { Ok(()) }
    }
}

/// Writes text and clears it.
fn flush_text(text: &mut String, to: &mut dyn io::Write) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    text.clear();
    text.shrink_to(LONG);
    Ok(())
}
