//! Frames that the filter rejects: their messages are not kept, and few of their headers.

use super::Engine;
use super::transport::udp_header;
use crate::input::Frame;
use crate::layers::{self, Bytes, Checks, FastHeaders, Reached, TransportSegment};
use crate::tree::{Carriers, Demand, Dissection, Extras, Fields, Only, Tree};

/// Decides early whether any record of a frame may pass the filter.
pub struct Prefilter {
    /// Fields of headers below TCP and UDP that the filter needs, if they may suffice for a decision.
    pub headers: Option<Only>,
    /// Whether any record may match, given what is known.
    pub may_match: Box<dyn Fn(FrameParts<'_>) -> bool + Send>,
}

/// Known parts of a frame.
#[derive(Clone, Copy)]
pub enum FrameParts<'a> {
    /// Plain headers below TCP, which are in no tree.
    FastHeaders(&'a FastHeaders),
    /// Headers below TCP and UDP.
    Headers(Dissection<'a>),
    /// All layers without messages.
    Layers(Dissection<'a>),
}

/// Reduces the demand for the payload of this frame if the filter rejects its messages or needs none of their fields. The
/// headers were dissected.
pub(super) fn apply(prefilter: Option<&Prefilter>, tree: &mut Tree, bytes: &[u8]) {
    let wanted = tree.demand();
    if !tree.outcome.filtered_out
        && prefilter.is_some_and(|prefilter| !(prefilter.may_match)(FrameParts::Layers(Dissection { tree, bytes })))
    {
        pass_over(tree, wanted);
    } else if wanted.is_of_headers_alone() {
        tree.set_demand(Demand { fields: Fields::None, ..wanted });
    }
}

fn pass_over(tree: &mut Tree, wanted: Demand) {
    tree.outcome.filtered_out = true;
    tree.set_demand(wanted.filtered_out());
}

impl Engine {
    /// Dissects the headers of a frame. Until the filter decides, only the fields it needs are kept; if it may accept, the
    /// headers are dissected again. Plain segments are omitted from the tree if unneeded, see `ensure_headers`.
    pub(super) fn headers(&mut self, frame: &Frame<'_>, missing: usize) -> Reached {
        let asks = self.prefilter.as_ref().filter(|prefilter| prefilter.headers_suffice());
        let may_stay = !self.checks.tcp && (asks.is_some() || self.tree.demand().carriers == Carriers::Skip);
        let plain = if may_stay { FastHeaders::of(frame.link, frame.bytes, missing, self.checks) } else { None };
        let covers =
            |plain: &FastHeaders| asks.and_then(|prefilter| prefilter.headers).is_none_or(|headers| plain.covers(headers));
        let plain = plain.as_ref().filter(|plain| plain.has_segment() && covers(plain));
        match (plain, asks) {
            (Some(plain), Some(prefilter)) => {
                if !(prefilter.may_match)(FrameParts::FastHeaders(plain)) {
                    let wanted = self.tree.demand();
                    pass_over(&mut self.tree, wanted);
                }
            }
            _ => {
                if let Some(reached) = self.reject_by_headers(frame, missing) {
                    return reached;
                }
            }
        }
        match plain {
            Some(plain) if self.tree.demand().carriers == Carriers::Skip => Reached::Tcp(plain.segment()),
            _ => layers::walk(&mut self.tree, frame.link, frame.bytes, missing, self.checks),
        }
    }

    /// The result of dissecting the headers of a frame, if they suffice for the filter to reject it.
    #[inline]
    fn reject_by_headers(&mut self, frame: &Frame<'_>, missing: usize) -> Option<Reached> {
        let headers = self.prefilter.as_ref()?.headers?;
        self.decided_by_headers(frame, missing, headers)
    }

    #[inline(never)]
    fn decided_by_headers(&mut self, frame: &Frame<'_>, missing: usize, headers: Only) -> Option<Reached> {
        let prefilter = self.prefilter.as_ref()?;
        let wanted = self.tree.demand();
        let credentials = Extras::CREDENTIALS.when(wanted.has(Extras::CREDENTIALS));
        self.tree.set_demand(Demand { named: wanted.named, ..Demand::of_fields(headers).with(credentials) });
        let reached = layers::walk(&mut self.tree, frame.link, frame.bytes, missing, self.checks);
        let known = FrameParts::Headers(Dissection { tree: &self.tree, bytes: frame.bytes });
        if has_all_lower_headers(&reached, frame.bytes) && !(prefilter.may_match)(known) {
            pass_over(&mut self.tree, wanted);
            return Some(reached);
        }
        self.tree.set_demand(wanted);
        self.begin(frame);
        None
    }
}

impl Prefilter {
    /// Whether plain headers provide all fields that the filter reads.
    fn headers_suffice(&self) -> bool {
        self.headers.is_some_and(Only::passes)
    }
}

/// Dissects the lower headers if the fast path skipped them.
#[inline(never)]
pub(super) fn ensure_headers(tree: &mut Tree, frame: &Frame<'_>, segment: &TransportSegment, checks: Checks) -> TransportSegment {
    match segment.below {
        Some(_) => segment.clone(),
        None => match layers::walk(tree, frame.link, frame.bytes, 0, checks) {
            Reached::Tcp(segment) => segment,
            _ => segment.clone(),
        },
    }
}

/// Whether no header can follow but those of TCP, UDP and SCTP.
fn has_all_lower_headers(reached: &Reached, frame: &[u8]) -> bool {
    match reached {
        Reached::Tcp(_) | Reached::Sctp(_) | Reached::Usb(..) | Reached::End => true,
        Reached::Udp(segment) => !udp_header::is_tunnel(Bytes::of_frame(frame), segment),
        Reached::Fragment(..) | Reached::Compressed(..) | Reached::Exported(..) => false,
    }
}
