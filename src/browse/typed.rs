//! Actions of prompts.

use super::chart::Chart;
use super::columns::names;
use super::prompt::Purpose;
use super::rows::RowKind;
use super::{Effect, Sought, State};
use crate::filter::{self, Filter};
use crate::registry::Registry;

impl State {
    /// Executes the prompt.
    pub(super) fn enter(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let (purpose, text) = (prompt.purpose, prompt.text.trim().to_owned());
        match purpose {
            Purpose::Filter => return self.filter(&text),
            Purpose::Columns => return self.choose_columns(&text),
            Purpose::Number => match text.parse() {
                Ok(number) => self.go_to(number),
                Err(_) => return self.is_wrong(&format!("{text:?} is not a number; try 17")),
            },
            Purpose::Note => self.mark(Some(text)),
            Purpose::Save if !text.is_empty() => {
                let bytes = self.detail.as_ref().map(|detail| detail.bytes_of(self.fields.selected).to_vec());
                self.effects.extend(bytes.map(|bytes| Effect::Save(text, bytes)));
            }
            Purpose::DecodeAs if !text.is_empty() => self.effects.push(Effect::DecodeAs(text)),
            Purpose::Save | Purpose::DecodeAs => {}
        }
        self.prompt = None;
    }

    /// Applies a filter, or shows its error.
    pub(super) fn filter(&mut self, text: &str) {
        if let Err(mistake) = Filter::parse(text, Registry::default()) {
            return self.is_wrong(&mistake.to_string());
        }
        self.prompt = None;
        if text == self.pass.filter {
            return;
        }
        self.remember_matches();
        self.sought = self.row().map(Sought::same_as);
        text.clone_into(&mut self.pass.filter);
        if !text.is_empty() {
            text.clone_into(&mut self.last_filter);
            self.found.clear();
            self.history.retain(|line| line != text);
            self.history.push(text.to_owned());
        }
        self.read();
    }

    /// Filters by the range of the chart. It replaces an earlier range.
    pub(super) fn filter_range(&mut self) {
        let Some(range) = self.text.as_ref().and_then(|text| text.chart.as_ref()).map(Chart::filter) else { return };
        let before = match self.range.take() {
            Some([led_to, before]) if led_to == self.pass.filter => before,
            _ => self.pass.filter.clone(),
        };
        let filter = if before.is_empty() { range } else { format!("({before}) && {range}") };
        self.text = None;
        self.filter(&filter);
        self.range = Some([filter, before]);
    }

    /// Sets the columns by name, or the defaults without names.
    fn choose_columns(&mut self, text: &str) {
        let columns = names(text);
        if let Some(mistake) = columns.iter().find_map(|name| filter::column(name, Registry::default()).err()) {
            return self.is_wrong(&mistake.to_string());
        }
        self.prompt = None;
        if columns != self.pass.columns {
            self.sought = self.row().map(Sought::same_as);
            self.pass.columns = columns;
            self.read();
        }
    }

    /// Keeps the prompt open, and shows an error.
    fn is_wrong(&mut self, what: &str) {
        if let Some(prompt) = &mut self.prompt {
            prompt.wrong = what.lines().map(str::to_owned).collect();
        }
    }

    fn remember_matches(&mut self) {
        if !self.pass.filter.is_empty() {
            let rows = (0..self.rows.len()).filter_map(|at| self.rows.get(at)).filter(|row| row.kind != RowKind::Gap);
            self.found = rows.map(|row| row.number).collect();
        }
    }
}
