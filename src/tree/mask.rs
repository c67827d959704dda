//! Masking of secret bytes in all sources of a tree.
//!
//! A secret is found at one position of one source. The same captured bytes are part of the frame, the payload of a segment, a
//! reassembled datagram and a message. [`Tree::spread_secrets`] finds all of these positions.

use super::{Origin, Source, Span, Tree};
use crate::limits;
use std::borrow::Cow;
use std::ops::Range;

/// The mask of a secret byte.
pub const MASK: u8 = b'*';

/// Captured bytes: a frame and a range of it.
type Captured = (u64, u32, u32);

impl Tree {
    /// Marks these bytes as a secret, unless secrets are displayed.
    pub fn hide(&mut self, span: Span) {
        if !self.run.reveal && span.is_somewhere() && !span.is_empty() && self.hidden.len() < limits::TREE_NODES.get() {
            self.hidden.push(span);
        }
    }

    /// Finds all positions of secret bytes in the sources of this tree. Call it once the tree is complete.
    pub fn spread_secrets(&mut self) {
        if !self.hidden.is_empty() {
            self.spread();
        }
    }

    #[cold]
    fn spread(&mut self) {
        merge(&mut self.hidden);
        let mut all = std::mem::take(&mut self.hidden);
        let captured = self.captured(&mut all);
        for (number, source) in (0..).zip(&self.sources) {
            if source.origin == Origin::Frame {
                let whole = (self.frame.number, 0, u32::MAX);
                all.extend(overlaps(&captured, whole).map(|(start, end)| Span { source: number, start, end }));
            }
            for piece in self.pieces_of(source) {
                let lies = (piece.frame, piece.at, piece.at.saturating_add(piece.len));
                let off = usize::try_from(piece.off.saturating_sub(source.base)).unwrap_or(usize::MAX);
                let at = |place: u32| off.saturating_add((place - piece.at) as usize);
                all.extend(overlaps(&captured, lies).map(|(start, end)| Span::new(number, at(start)..at(end))));
            }
        }
        all.truncate(limits::TREE_NODES.get());
        merge(&mut all);
        self.hidden = all;
    }

    /// Ranges of secrets in this frame.
    #[must_use]
    pub fn secrets_in_frame(&self, frame: u64) -> Vec<(u32, u32)> {
        let captured = self.captured(&mut self.hidden.clone());
        captured.into_iter().filter(|secret| secret.0 == frame).map(|(_, start, end)| (start, end)).collect()
    }

    /// Positions of the secrets in frames, in order. The compressed form of secret bytes becomes secret, too.
    fn captured(&self, all: &mut Vec<Span>) -> Vec<Captured> {
        let mut captured: Vec<Captured> = Vec::new();
        let mut next = 0;
        while let Some(span) = all.get(next).copied() {
            next += 1;
            let Some(source) = self.source(span) else { continue };
            match source.origin {
                Origin::Frame => captured.push((self.frame.number, span.start, span.end)),
                Origin::Derived(derived) if source.pieces.is_empty() => {
                    let is_new = |from: &Span| all.last() != Some(from);
                    let has_room = all.len() < limits::TREE_NODES.get();
                    all.extend(derived.from.filter(|from| has_room && !from.is_empty()).filter(is_new));
                }
                Origin::Stream(..) | Origin::Derived(_) => captured.extend(self.captured_at(source, span)),
            }
        }
        captured.sort_unstable();
        captured.dedup_by(|next, last| {
            let meets = next.0 == last.0 && next.1 <= last.2;
            if meets {
                last.2 = last.2.max(next.2);
            }
            meets
        });
        captured
    }

    /// Positions of a span of a source in frames.
    fn captured_at<'t>(&'t self, source: &'t Source, span: Span) -> impl Iterator<Item = Captured> + 't {
        let range = source.base + u64::from(span.start)..source.base + u64::from(span.end);
        let pieces = self.pieces_of(source);
        // Pieces are contiguous and in order.
        let first = pieces.partition_point(|piece| piece.end() <= range.start);
        let meant = pieces.get(first..).unwrap_or_default().iter().map_while(move |piece| piece.clip(&range));
        meant.map(|piece| (piece.frame, piece.at, piece.at.saturating_add(piece.len)))
    }

    /// Secret ranges of a span, relative to its start.
    pub fn masked_in(&self, span: Span) -> impl Iterator<Item = Range<usize>> + '_ {
        let first = self.hidden.partition_point(|secret| (secret.source, secret.end) <= (span.source, span.start));
        let meets = move |secret: &&Span| secret.source == span.source && secret.start < span.end;
        let within = move |at: u32| (at.clamp(span.start, span.end) - span.start) as usize;
        let hidden = self.hidden.get(first..).unwrap_or_default().iter().take_while(meets);
        hidden.map(move |secret| within(secret.start)..within(secret.end))
    }

    /// The bytes of a span with secrets masked.
    #[must_use]
    pub fn masked<'b>(&self, span: Span, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let mut shown = Cow::Borrowed(bytes);
        for range in self.masked_in(span) {
            let end = range.end.min(bytes.len());
            if let Some(secret) = shown.to_mut().get_mut(range.start.min(end)..end) {
                secret.fill(MASK);
            }
        }
        shown
    }
}

/// Intersections of a range with secrets, which are sorted and disjoint.
fn overlaps(captured: &[Captured], (frame, start, end): Captured) -> impl Iterator<Item = (u32, u32)> + '_ {
    let first = captured.partition_point(|secret| (secret.0, secret.2) <= (frame, start));
    let meets = move |secret: &&Captured| secret.0 == frame && secret.1 < end;
    captured.get(first..).unwrap_or_default().iter().take_while(meets).map(move |secret| (secret.1.max(start), secret.2.min(end)))
}

/// Sorts spans, and merges those that touch or overlap.
fn merge(spans: &mut Vec<Span>) {
    spans.sort_unstable_by_key(|span| (span.source, span.start));
    spans.dedup_by(|next, last| {
        let meets = next.source == last.source && next.start <= last.end;
        if meets {
            last.end = last.end.max(next.end);
        }
        meets
    });
}
