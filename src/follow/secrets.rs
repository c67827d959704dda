//! Masking of passwords and other secrets in payload by asterisks. In raw output they are only counted.

use crate::tree::{Span, Tree};
use std::borrow::Cow;

const MASK: u8 = b'*';

/// Sorted, disjoint spans of the secrets of a tree.
#[derive(Default)]
pub(super) struct Secrets {
    spans: Vec<Span>,
    /// Whether bytes stay as captured.
    pub(super) raw: bool,
}

impl Secrets {
    /// Collects the secrets of a tree.
    pub(super) fn see(&mut self, tree: &Tree) {
        self.spans.clear();
        self.spans.extend_from_slice(tree.masked_spans());
        self.spans.sort_unstable_by_key(|span| (span.source, span.start));
        // Spans may be nested.
        self.spans.dedup_by(|next, last| {
            let meets = next.source == last.source && next.start <= last.end;
            if meets {
                last.end = last.end.max(next.end);
            }
            meets
        });
    }

    /// Bytes from the start of `span`, with secrets masked unless raw, and the number of secret bytes.
    pub(super) fn mask<'b>(&self, span: Span, bytes: &'b [u8]) -> (Cow<'b, [u8]>, usize) {
        let first = self.spans.partition_point(|secret| (secret.source, secret.end) <= (span.source, span.start));
        let mut shown = Cow::Borrowed(bytes);
        let mut count = 0;
        for secret in self.spans.get(first..).unwrap_or_default().iter().take_while(|secret| secret.source == span.source) {
            let start = secret.start.saturating_sub(span.start) as usize;
            let end = (secret.end.saturating_sub(span.start) as usize).min(bytes.len());
            if start >= bytes.len() {
                break;
            }
            if start >= end {
                continue;
            }
            count += end - start;
            if self.raw {
                continue;
            }
            if let Some(secret) = shown.to_mut().get_mut(start..end) {
                secret.fill(MASK);
            }
        }
        (shown, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Demand, FrameInfo, Value, fields};

    fields! {
        TRIAL = protocol("trial", "Trial", "For these tests");
        WORD = bytes("trial.word", "word", "A secret").secret();
    }

    #[test]
    fn secrets_are_masked_in_place() {
        let mut tree = Tree::new(Demand::LAYERS);
        tree.begin(FrameInfo::default());
        tree.push_layer(&TRIAL, Span::new(0, 0..20), None, 0, true);
        for (source, range) in [(0, 12..14), (0, 3..6), (0, 4..5), (0, 5..8), (1, 0..20), (0, 18..18)] {
            tree.push(&WORD, Value::Bytes, Span::new(source, range));
        }
        let mut secrets = Secrets::default();
        secrets.see(&tree);
        let of = |start: usize, bytes: &'static [u8]| {
            let (shown, count) = secrets.mask(Span::new(0, start..20), bytes);
            (String::from_utf8(shown.into_owned()).unwrap(), count)
        };
        assert_eq!(of(0, b"abcdefghijklmnopqrst"), ("abc*****ijkl**opqrst".to_owned(), 7));
        assert_eq!(of(5, b"fgh"), ("***".to_owned(), 3));
        assert_eq!(of(7, b"hijkl"), ("*ijkl".to_owned(), 1));
        assert_eq!(of(8, b"ijkl"), ("ijkl".to_owned(), 0));
        secrets.raw = true;
        let (shown, count) = secrets.mask(Span::new(0, 0..20), b"abcdefghijklmnopqrst");
        assert_eq!((&shown[..], count), (&b"abcdefghijklmnopqrst"[..], 7));
        assert_eq!(FIELDS.len(), 2);
    }
}
