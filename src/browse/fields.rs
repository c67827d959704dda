//! State of the field tree: selection and collapsed items.

use super::Detail;
use super::scroll;

/// The field tree of the current record.
#[derive(Debug, Default)]
pub struct FieldsPane {
    /// The selected item.
    pub selected: usize,
    /// The first visible item, as an index into `visible`.
    pub top: usize,
    /// The items that are not hidden by a collapsed one.
    pub visible: Vec<usize>,
    folded: Vec<bool>,
    /// The filter name of the item selected in the previous record.
    wanted: &'static str,
}

impl FieldsPane {
    /// Shows a record; selects the same field as in the previous one, if it exists.
    pub fn show(&mut self, detail: &Detail) {
        self.folded = detail.items.iter().map(|item| item.is_folded).collect();
        let same = detail.items.iter().position(|item| !self.wanted.is_empty() && item.abbrev == self.wanted);
        let innermost = || detail.items.iter().rposition(|item| item.role == super::detail::Role::Layer);
        self.top = 0;
        self.select(detail, same.or_else(innermost).unwrap_or_default());
        if same.is_none() {
            // The wanted field is kept until the user selects another one.
            self.arrange(detail);
        }
    }

    /// Whether an item is collapsed.
    pub fn is_folded(&self, at: usize) -> bool {
        self.folded.get(at).copied().unwrap_or_default()
    }

    /// Selects an item and expands its ancestors.
    pub fn select(&mut self, detail: &Detail, at: usize) {
        self.selected = at;
        for above in detail.above(at) {
            self.fold(above, false);
        }
        self.arrange(detail);
    }

    /// Stores the selected field for the next record.
    pub fn want(&mut self, detail: &Detail) {
        self.wanted = detail.items.get(self.selected).map_or("", |item| item.abbrev);
    }

    /// Moves the selection by lines.
    pub fn step(&mut self, by: isize) {
        let last = self.visible.len().saturating_sub(1);
        let next = self.line().saturating_add_signed(by).min(last);
        self.selected = self.visible.get(next).copied().unwrap_or_default();
    }

    /// Collapses the selected item, or selects its parent.
    pub fn close(&mut self, detail: &Detail) {
        let Some(item) = detail.items.get(self.selected) else { return };
        if item.end > self.selected + 1 && !self.is_folded(self.selected) {
            self.fold(self.selected, true);
        } else if let Some(above) = detail.above(self.selected).first() {
            self.selected = *above;
        }
        self.arrange(detail);
    }

    /// Expands the selected item.
    pub fn open(&mut self, detail: &Detail) {
        self.fold(self.selected, false);
        self.arrange(detail);
    }

    /// Collapses or expands the selected item.
    pub fn toggle(&mut self, detail: &Detail) {
        let has_children = detail.items.get(self.selected).is_some_and(|item| item.end > self.selected + 1);
        self.fold(self.selected, has_children && !self.is_folded(self.selected));
        self.arrange(detail);
    }

    /// Scrolls to the selected item.
    pub fn settle(&mut self, height: usize) {
        let line = self.line();
        scroll(&mut self.top, line, height);
    }

    fn fold(&mut self, at: usize, is_folded: bool) {
        if let Some(folded) = self.folded.get_mut(at) {
            *folded = is_folded;
        }
    }

    fn line(&self) -> usize {
        self.visible.partition_point(|at| *at < self.selected)
    }

    fn arrange(&mut self, detail: &Detail) {
        self.visible.clear();
        let mut at = 0;
        while let Some(item) = detail.items.get(at) {
            self.visible.push(at);
            at = if self.is_folded(at) { item.end.max(at + 1) } else { at + 1 };
        }
    }
}
