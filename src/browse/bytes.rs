//! State of the bytes pane: buffer and position.

use super::Detail;
use super::detail::Buffer;
use super::scroll;

/// The bytes pane of the current record.
#[derive(Debug, Default)]
pub struct BytesPane {
    /// The current buffer.
    pub tab: usize,
    /// The byte under the cursor, relative to the first one of its buffer.
    pub cursor: usize,
    /// The first visible line.
    pub top: usize,
    /// Whether bytes are shown as text.
    pub is_text: bool,
}

impl BytesPane {
    /// Shows the bytes of an item.
    pub fn show(&mut self, detail: &Detail, item: usize) {
        let Some((buffer, range)) = detail.items.get(item).and_then(|item| item.bytes.as_ref()) else {
            self.tab = self.tab.min(detail.buffers.len().saturating_sub(1));
            return;
        };
        let first = detail.buffers.get(*buffer).map_or(0, |buffer| buffer.first);
        self.tab = *buffer;
        self.cursor = usize::try_from(range.start.saturating_sub(first)).unwrap_or(usize::MAX);
    }

    /// The current buffer.
    pub fn buffer<'d>(&self, detail: &'d Detail) -> Option<&'d Buffer> {
        detail.buffers.get(self.tab)
    }

    /// Moves the cursor by bytes; returns the innermost field there.
    pub fn step(&mut self, detail: &Detail, by: isize) -> Option<usize> {
        let last = self.buffer(detail)?.bytes.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
        self.field(detail)
    }

    /// Switches to another buffer; returns the innermost field at its start.
    pub fn turn(&mut self, detail: &Detail, forward: bool) -> Option<usize> {
        let count = detail.buffers.len().max(1);
        self.tab = if forward { self.tab + 1 } else { self.tab + count - 1 } % count;
        self.cursor = 0;
        self.field(detail)
    }

    /// The innermost field at the cursor.
    fn field(&self, detail: &Detail) -> Option<usize> {
        let first = self.buffer(detail)?.first;
        detail.item_at(self.tab, first.saturating_add(self.cursor as u64))
    }

    /// Scrolls to the cursor.
    pub fn settle(&mut self, detail: Option<&Detail>, width: usize, height: usize) {
        let length = detail.and_then(|detail| self.buffer(detail)).map_or(0, |buffer| buffer.bytes.len());
        self.cursor = self.cursor.min(length.saturating_sub(1));
        scroll(&mut self.top, self.cursor / width.max(1), height);
    }
}
