//! What a tree keeps between frames.

use super::{Demand, EarlierPackets, QuoteReader, Secrets, SharedValues};
use std::sync::Arc;

/// What persists as long as the engine.
#[derive(Debug)]
pub struct Run {
    /// Decryption secrets.
    pub secrets: Secrets,
    /// Earlier packets.
    pub earlier: EarlierPackets,
    /// Values that conversations leave for later ones.
    pub shared: SharedValues,
    /// Dissects the payload of quoted packets.
    pub quote_reader: Option<Arc<dyn QuoteReader>>,
    /// Names of handovers for which a protocol was loaded at run time.
    pub loaded_places: Arc<[&'static str]>,
    /// Nesting of embedded bytes.
    pub embedded: u8,
    /// Whether passwords and other secrets are shown.
    pub reveal: bool,
    /// Number of messages after which exportable objects of their conversation are requested.
    pub defer_after: Option<u64>,
    /// The demand given at creation. Deferred layers use it, even if the frame is filtered out.
    pub(super) whole: Demand,
    /// Whether fields, notes or objects of some message may be requested, at this or a later frame.
    pub(crate) may_be_inspected: bool,
    /// Bytes decompressed so far.
    pub(crate) decompressed: u64,
    /// Bytes of frames so far.
    pub(super) captured: u64,
}

impl Run {
    /// Of a tree for this demand.
    pub(super) fn new(demand: Demand) -> Run {
        Run {
            secrets: Secrets::default(),
            earlier: EarlierPackets::default(),
            shared: SharedValues::default(),
            quote_reader: None,
            loaded_places: Arc::default(),
            embedded: 0,
            reveal: false,
            defer_after: None,
            whole: demand,
            may_be_inspected: demand.inspects(),
            decompressed: 0,
            captured: 0,
        }
    }
}
