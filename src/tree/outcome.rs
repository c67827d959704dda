//! What one frame gives besides its tree: counts, decisions, and objects to export.

use super::{AnalysisFlags, ExportedObject, OmittedHeaders, OmittedMessages, Transfer};

/// What one frame gives besides its tree.
#[derive(Debug)]
pub struct Outcome {
    /// Messages of the frame that are counted but not kept.
    pub omitted_messages: OmittedMessages,
    /// Headers of the frame that are not kept.
    pub omitted_headers: Option<OmittedHeaders>,
    /// Results of the TCP sequence analysis, if it was requested; also of omitted headers.
    pub analysis: AnalysisFlags,
    /// The virtual network numbers that distinguish packets with equal addresses.
    pub tag: u64,
    /// Number of payload bytes of unknown format.
    pub undissected: u64,
    /// Whether the filter rejects all records of the frame, which is only counted.
    pub filtered_out: bool,
    /// The first node displayed nevertheless: messages of other conversations at this frame follow it.
    pub visible_from: u32,
    /// Whether layers added now are late.
    pub late: bool,
    /// Exportable objects, if requested.
    pub objects: Vec<ExportedObject>,
    /// Completed transfers, if requested.
    pub transfers: Vec<Transfer>,
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome {
            omitted_messages: OmittedMessages::default(),
            omitted_headers: None,
            analysis: AnalysisFlags::default(),
            tag: 0,
            undissected: 0,
            filtered_out: false,
            visible_from: u32::MAX,
            late: false,
            objects: Vec::new(),
            transfers: Vec::new(),
        }
    }
}

impl Outcome {
    /// Begins a frame. Lists are cleared with those of the tree.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.omitted_messages = OmittedMessages::default();
        self.omitted_headers = None;
        self.analysis = AnalysisFlags::default();
        self.tag = 0;
        self.undissected = 0;
        self.filtered_out = false;
        self.visible_from = u32::MAX;
        self.late = false;
    }

    /// The same without objects and transfers.
    pub(super) fn without_lists(&self) -> Outcome {
        Outcome { objects: Vec::new(), transfers: Vec::new(), ..*self }
    }
}
