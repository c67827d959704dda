//! Texts of a tree that are not on the wire: computed values, notes and summaries.

use super::layer::LazySummary;
use super::{Extras, Info, Layer, SummaryFn, TextRange, Tree};
use crate::limits;
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::Range;

impl Tree {
    /// Stores a text that is not on the wire.
    pub fn make(&mut self, words: fmt::Arguments<'_>) -> TextRange {
        self.make_by(|out| out.write_fmt(words)).unwrap_or_default()
    }

    /// Stores a text of any length; `None` if it exceeds [`limits::TREE_TEXT`].
    pub(super) fn make_by(&mut self, words: impl FnOnce(&mut dyn Write) -> fmt::Result) -> Option<TextRange> {
        let most = if self.unkept.texts > 0 { 0 } else { limits::TREE_TEXT.get() };
        let start = self.buffers.text.len();
        let mut within = Within { text: &mut self.buffers.text, end: most, is_cut: false };
        // A failing Display keeps the text written before.
        let _ = words(&mut within);
        if within.is_cut {
            self.buffers.text.truncate(start);
            self.unkept.texts += 1;
            return None;
        }
        TextRange::between(start, self.buffers.text.len())
    }

    /// The text of a note, truncated if too long. Notes are few and have a separate limit.
    pub(super) fn make_note(&mut self, words: fmt::Arguments<'_>) -> TextRange {
        const CUT: &str = "…";
        let start = self.buffers.text.len();
        let mut within = Within { text: &mut self.buffers.text, end: start + limits::TREE_NOTE_TEXT.get(), is_cut: false };
        let _ = within.write_fmt(words);
        if within.is_cut {
            self.buffers.text.push_str(CUT);
        }
        TextRange::between(start, self.buffers.text.len()).unwrap_or_default()
    }

    /// Stores a message type, if requested.
    pub fn make_name(&mut self, name: &str) -> TextRange {
        if !self.demand.has(Extras::NAMES) {
            return TextRange::default();
        }
        self.make_by(|out| out.write_str(name)).unwrap_or_default()
    }

    /// Stores a summary, if requested.
    pub fn make_heading(&mut self, words: fmt::Arguments<'_>) -> TextRange {
        if self.demand.has(Extras::SUMMARIES) { self.make(words) } else { TextRange::default() }
    }

    /// Stores the numbers of a lazily formatted summary, if requested.
    pub fn make_lazy_summary(&mut self, numbers: &[u64], summarize: SummaryFn) -> Info {
        if !self.demand.has(Extras::SUMMARIES) {
            return Info::default();
        }
        let start = u32::try_from(self.buffers.numbers.len()).unwrap_or(u32::MAX);
        self.buffers.numbers.extend_from_slice(numbers);
        Info { made: TextRange { start, len: u32::try_from(numbers.len()).unwrap_or(u32::MAX) }, summarize: Some(summarize) }
    }

    /// The summary of a layer.
    #[must_use]
    pub fn info(&self, layer: &Layer) -> Cow<'_, str> {
        let Info { made, summarize } = layer.info;
        let Some(summarize) = summarize else { return self.generated_text(made).into() };
        let start = made.start as usize;
        let numbers = self.buffers.numbers.get(start..start + made.len as usize).unwrap_or_default();
        LazySummary(summarize, numbers).to_string().into()
    }

    /// Masks ranges of a text that was made. Those that split a character are extended to whole ones.
    #[cold]
    pub fn mask_text(&mut self, made: TextRange, secrets: &[Range<usize>]) {
        let start = made.start as usize;
        let end = start + made.len as usize;
        for secret in secrets {
            let is_boundary = |at: &usize| self.buffers.text.is_char_boundary(*at);
            let first = (start..=(start + secret.start).min(end)).rev().find(is_boundary).unwrap_or(start);
            let last = ((start + secret.end).min(end)..=end).find(is_boundary).unwrap_or(end);
            // As many bytes, so that other texts keep their places.
            self.buffers.text.replace_range(first..last, &"*".repeat(last - first));
        }
    }

    /// The text of a computed value.
    #[must_use]
    pub fn generated_text(&self, made: TextRange) -> &str {
        let start = made.start as usize;
        self.buffers.text.get(start..start + made.len as usize).unwrap_or_default()
    }
}

/// A writer with a maximum length.
struct Within<'a> {
    text: &'a mut String,
    end: usize,
    is_cut: bool,
}

impl Write for Within<'_> {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        let remaining = self.end.saturating_sub(self.text.len());
        if words.len() <= remaining {
            self.text.push_str(words);
            return Ok(());
        }
        self.is_cut = true;
        let cut = (0..=remaining).rev().find_map(|at| words.get(..at));
        self.text.push_str(cut.unwrap_or_default());
        Err(fmt::Error)
    }
}
