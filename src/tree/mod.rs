//! Dissection results: declared fields, and a flat tree of their values in one frame.
//!
//! Independent of networks, files and output.

mod address_text;
mod analysis_flags;
mod buffers;
mod by_side;
mod captions;
mod clean;
mod demand;
pub(crate) mod digits;
mod dump;
mod earlier;
mod field;
mod generated;
mod handover;
mod label;
mod layer;
mod mask;
mod memory;
mod node;
mod notes;
mod object;
mod outcome;
mod pack;
mod quoted;
mod run;
mod secrets;
mod shared;
mod side;
mod sources;
mod spaced;
mod span;
pub(crate) mod steps;
#[cfg(test)]
mod tests;
mod texts;
mod time;
pub mod title;
mod transfer;
#[allow(clippy::module_inception, reason = "the tree is what this module is named for")]
mod tree;
mod view;

pub use analysis_flags::{AnalysisFlag, AnalysisFlags};
pub use by_side::BySide;
pub use captions::{Caption, ExpertMark};
pub(crate) use clean::first_special;
pub use clean::{clean, clean_escaped, clean_path, is_harmful, is_plain};
pub use demand::{Carriers, Demand, Depth, Extras, Fields, Only};
pub use dump::dump;
pub use earlier::{EarlierPacket, EarlierPackets, Key};
pub(crate) use field::are_sorted;
pub use field::{CollapsedText, Field, Kind, Layout, Level, Names, Share, Times, Words, name_of};
pub use generated::{Computed, Generate, Generated, as_text, is_there};
pub use handover::{ConnectionId, Expected, Handover, InnerBytes, InnerPacket, Lost, Payload, Quote, Receiver, SharedNumbers};
pub use label::{Label, Partial, Unended};
pub use layer::{
    Address, Ends, FrameInfo, Gap, Info, Layer, LayerId, OmittedHeaders, OmittedMessages, StreamId, SummaryFn, Transport, UsbEnd,
};
pub use node::{Node, Note, TextRange, Value};
pub use object::{ExportedObject, Mark, Object};
pub use outcome::Outcome;
pub use pack::Pack;
pub use quoted::{EmbeddedPayload, QuoteReader, QuotedPayload};
pub use run::Run;
pub use secrets::Secrets;
pub use shared::{SharedValue, SharedValues, Sharers};
pub use side::Side;
pub use spaced::Spaced;
pub use span::{Bits, Derived, Origin, Piece, Source, Span};
pub use time::{Time, Timestamp};
pub use title::Titled;
pub use transfer::Transfer;
pub use tree::{MAX_DEPTH, Tree, Unkept};
pub use view::{Digits, Dissection, MASKED_TEXT, NodeRef, hex, in_hex};

pub use crate::fields;
