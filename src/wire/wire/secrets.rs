//! Secrets in the input: found by name, and masked in displayed text.

use super::Wire;
use crate::tree::{Field, Span, TextRange};
use crate::wire::{Error, Result, credentials};
use std::borrow::Cow;
use std::ops::Range;

impl<'a> Wire<'a> {
    /// Reads a secret text of `count` bytes. If it is truncated, the available bytes are secret as well.
    pub fn secret_text(&mut self, field: &'static Field, count: usize) -> Result<&'a [u8]> {
        self.whole_or_rest(count, |wire, count| wire.text(field, count))
    }

    /// Reads a secret text of `count` bytes that NUL bytes fill up, without them.
    pub fn secret_padded(&mut self, field: &'static Field, count: usize) -> Result {
        let text = self.ahead().get(..count).unwrap_or_default();
        match text.iter().position(|byte| *byte == 0) {
            Some(end) => self.words(field, count, 0..end).map(drop),
            None => self.secret_text(field, count).map(drop),
        }
    }

    /// Reads secret bytes in the same way as a secret text.
    pub fn secret_bytes(&mut self, field: &'static Field, count: usize) -> Result<&'a [u8]> {
        self.whole_or_rest(count, |wire, count| wire.bytes(field, count))
    }

    /// Reads `count` bytes; if fewer are available, reads those and fails.
    fn whole_or_rest(&mut self, count: usize, read: impl Fn(&mut Self, usize) -> Result<&'a [u8]>) -> Result<&'a [u8]> {
        let left = self.remaining();
        if left > 0 && left < count {
            read(self, left)?;
            return Err(Error::Short { needed: count - left });
        }
        read(self, count)
    }

    /// Whether displayed bytes or fields must be searched for secrets.
    #[must_use]
    pub fn searches_secrets(&self) -> bool {
        self.tree.searches_secrets()
    }

    /// Masks secrets in a range of text or unknown bytes, found by the names in front of them.
    pub fn hide_credentials(&mut self, range: Range<usize>) {
        if self.tree.searches_secrets() {
            self.hide_found(range);
        }
    }

    #[inline(never)]
    fn hide_found(&mut self, range: Range<usize>) {
        let (start, source) = (range.start, self.source);
        let text = self.bytes.get(range).unwrap_or_default();
        credentials::find(text, |secret| self.tree.hide(Span::new(source, start + secret.start..start + secret.end)));
    }

    /// Masks secrets in a text that was made of the input.
    pub(super) fn mask_made(&mut self, made: TextRange) {
        if !made.is_empty() && !self.tree.run.reveal {
            let mut secrets = Vec::new();
            credentials::find_named(self.tree.generated_text(made).as_bytes(), |secret| secrets.push(secret));
            if !secrets.is_empty() {
                self.tree.mask_text(made, &secrets);
            }
        }
    }

    /// Masks secrets in the text of a field. It begins anywhere in a line, so its first word is no command.
    #[inline(never)]
    pub(super) fn hide_in_text(&mut self, range: Range<usize>) {
        let (start, source) = (range.start, self.source);
        let text = self.bytes.get(range).unwrap_or_default();
        credentials::find_named(text, |secret| self.tree.hide(Span::new(source, start + secret.start..start + secret.end)));
    }

    /// Masks these bytes of the source if this is the name of a secret.
    pub fn hide_named(&mut self, name: &[u8], range: Range<usize>) {
        if self.tree.searches_secrets() && credentials::is_secret_name(name) {
            self.hide(range);
        }
    }

    /// Masks these bytes of the source, which are or may be a secret.
    pub fn hide(&mut self, range: Range<usize>) {
        self.tree.hide(Span::new(self.source, range));
    }

    /// The same for bytes of any source.
    pub(crate) fn hide_at(&mut self, span: Span) {
        self.tree.hide(span);
    }

    /// Marks the remaining bytes as a quoted packet. Its secrets are found after the frame is dissected.
    pub(crate) fn quotes_packet(&mut self) {
        if self.tree.searches_secrets() {
            let span = Span::new(self.source, self.at..self.end);
            self.tree.handover.quote_packet(span);
        }
    }

    /// A text with secrets masked.
    #[must_use]
    pub fn masked<'s>(&self, text: &'s str) -> Cow<'s, str> {
        if self.tree.run.reveal { Cow::Borrowed(text) } else { credentials::masked(text) }
    }
}
