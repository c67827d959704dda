//! Navigation: next match, kind, conversation, or number.

use super::rows::{Row, RowKind};
use super::{Sought, State};

impl State {
    /// Goes to the next record that the last filter matches.
    pub(super) fn next_match(&mut self, forward: bool) {
        if self.last_filter.is_empty() {
            "no previous filter; press / to enter one".clone_into(&mut self.message);
            return;
        }
        let all_match = !self.pass.filter.is_empty();
        let is_match = |row: &Row| all_match || row.kind != RowKind::Gap && self.found.binary_search(&row.number).is_ok();
        let found = self.rows.find(self.selected, forward, is_match);
        self.go(found, "no more matches");
    }

    /// Moves the selection by lines. Cancels a pending navigation.
    pub(super) fn move_by(&mut self, lines: isize) {
        self.sought = None;
        self.selected = self.selected.saturating_add_signed(lines);
    }

    pub(super) fn go(&mut self, at: Option<usize>, otherwise: &str) {
        self.sought = None;
        match at {
            Some(at) => self.selected = at,
            None => otherwise.clone_into(&mut self.message),
        }
    }

    /// Goes to the next record of the same protocol and type.
    pub(super) fn next_of_kind(&mut self, forward: bool) {
        let kind = self.row().map(|row| (row.kind, row.protocol, row.name));
        let found = self.rows.find(self.selected, forward, |row| Some((row.kind, row.protocol, row.name)) == kind);
        self.go(found, "no more records of this type");
    }

    /// Goes to the next record of the same conversation.
    pub(super) fn next_of_stream(&mut self, forward: bool) {
        let Some((stream, _)) = self.row().and_then(|row| row.stream) else {
            "this record has no conversation".clone_into(&mut self.message);
            return;
        };
        let is_same = |row: &Row| row.stream.is_some_and(|(other, _)| other == stream);
        let found = self.rows.find(self.selected, forward, is_same);
        self.go(found, "no more records of this conversation");
    }

    /// Goes to the record with a number, as soon as it is read.
    pub(super) fn go_to(&mut self, number: u64) {
        self.selected = self.rows.of_number(number);
        let is_there = self.row().is_some_and(|row| row.number >= number);
        if !is_there && self.is_reading {
            self.sought = Some(Sought::Number(number));
        } else if self.row().is_none_or(|row| row.number != number) {
            self.message = format!("record {number} is not listed");
        }
    }
}
