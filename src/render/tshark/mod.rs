//! Records in the forms of tshark, for programs that read those: PDML, PSML, Elasticsearch, JSON with bytes, columns with tabs.
//!
//! A record becomes `frame` and its layers, as tshark has them; of each field its own name, the shared one, and what is computed
//! from it. Bytes of secrets are asterisks, as everywhere.

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
pub use kept::{Kept, KeptNames};
pub use mapping::elastic_mapping;
pub use pdml::Pdml;
pub use raw::Raw;
pub use shape::Shape;

use crate::record::expert;
use crate::registry::Registry;
use crate::tree::{Carriers, Demand, Extras, Only};
use std::io;

/// Characters of a document that are handed on at once, whether or not a record has ended.
const LONG: usize = 64 << 10;

/// What such a document needs of each frame: everything, with the fields that are kept on request.
fn demand() -> Demand {
    let listed = Registry::default().protocols().flat_map(|protocol| protocol.fields.iter().copied());
    let on_request = listed.filter(|field| field.on_request && field.generated.is_none());
    let named = Some(Only::these(on_request));
    Demand { carriers: Carriers::Full, named, ..Demand::EVERYTHING }.with(Extras::LABELS).and(expert::demand())
}

/// Where the text of a document goes: memory first, which is handed on when it has become long.
struct Page<'w> {
    text: &'w mut String,
    to: &'w mut dyn io::Write,
}

impl Page<'_> {
    /// Puts text down as it is.
    fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Hands on what has become long.
    fn let_go(&mut self) -> io::Result<()> {
        if self.text.len() >= LONG { hand_on(self.text, self.to) } else { Ok(()) }
    }
}

/// Writes text and empties it.
fn hand_on(text: &mut String, to: &mut dyn io::Write) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    text.clear();
    text.shrink_to(LONG);
    Ok(())
}
