//! Segments that complete no message but appear in Wireshark's list of protocols.

use super::{Stream, StreamDissector};
use crate::engine::message::Out;
use crate::flow::reassembly::{Accepted, SegmentPosition};
use crate::tree::{Label, Side, Unended};

impl Stream {
    /// Records Wireshark's label of a segment whose last bytes complete no message; `bytes` is its payload.
    #[cold]
    pub(super) fn label_partial(&self, side: Side, accepted: &Accepted, bytes: &[u8], out: &mut Out<'_>) {
        let (StreamDissector::Known(protocol, conversation), Some(layer)) = (&self.dissector, out.below) else { return };
        let half = &self.halves[side];
        let (start, waiting) = (half.reassembly.buffered_off(), half.reassembly.buffered().len());
        let span = &accepted.span;
        let unended = match accepted.place {
            SegmentPosition::Empty
            | SegmentPosition::KeepAlive
            | SegmentPosition::Far
            | SegmentPosition::Old
            | SegmentPosition::PartlyOld => return,
            // Wireshark dissects segments in capture order: after the end of the incomplete message, another one begins.
            _ if half.reassembly.hole().is_some() => {
                let end = if half.wanted_is_end { start + half.wanted as u64 } else { start + waiting as u64 };
                let known = usize::try_from(end.saturating_sub(span.start)).unwrap_or(usize::MAX);
                if span.end > end { Unended::AfterGap(bytes.get(known..).unwrap_or_default()) } else { Unended::Continues }
            }
            _ if waiting == 0 => return,
            _ if start >= span.start => Unended::Begins,
            _ => Unended::Continues,
        };
        if let Some(partial) = conversation.partial(side, unended) {
            out.tree.label(layer, Label::Begins(protocol.this, partial));
        }
    }
}
