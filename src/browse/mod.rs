//! The interactive view: records, fields and bytes in panes. A state that events change, drawn into a frame.
//!
//! [`State::handle`] and [`draw::draw`] do no input or output, which is requested as an [`Effect`].

mod bytes;
mod chart;
mod columns;
mod copy;
mod detail;
pub mod draw;
mod fields;
mod keys;
mod layout;
mod prompt;
mod rows;
mod seek;
#[cfg(test)]
mod tests;
mod text;
mod typed;

pub use chart::{BESIDE, Chart};
pub use columns::Cells;
pub use detail::Detail;
pub use rows::Summary;

use crate::record::{Bookmark, Bookmarks, View};
use crate::render::Theme;
use crate::tree::StreamId;
use bytes::BytesPane;
use fields::FieldsPane;
use layout::Panes;
use prompt::Prompt;
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Size;
use rows::{Row, RowKind, Rows};
use text::Text;

/// A pass over the input for a list. Events of earlier passes are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The pass number, which increases.
    pub number: u64,
    /// The file, as an index on the command line.
    pub file: usize,
    /// Messages or packets.
    pub view: View,
    /// The display filter; may be empty.
    pub filter: String,
    /// The columns of the list as in `-e`; empty for the defaults.
    pub columns: Vec<String>,
}

#[derive(Debug)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// A mouse event.
    Mouse(MouseEvent),
    /// The terminal was resized.
    Resize(Size),
    /// Records were read in this pass.
    Records(u64, Vec<Summary>),
    /// The pass reached the end of its input; with an error, if any.
    End(u64, Option<String>),
    /// Details of the record with this index; `None` if it was not found.
    Detail(u64, u64, Option<Box<Detail>>),
    /// A requested text.
    Text(u64, Vec<String>),
    /// Requested statistics, with frames over time.
    Statistics(u64, Vec<String>, Option<Chart>),
    /// The bookmarks of the current file.
    Bookmarks(Bookmarks),
    /// A message to display.
    Message(String),
}

/// An action outside of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// End the program.
    Quit,
    /// Suspend the program.
    Suspend,
    /// Read the input for the list.
    Read(Pass),
    /// Dissect the record with this index.
    Dissect(u64),
    /// Get the text of a conversation, under this number.
    Follow(u64, StreamId),
    /// Explore a conversation, under this number.
    Explore(u64, StreamId),
    /// Get the statistics, under this number.
    Statistics(u64),
    /// Copy this text to the clipboard.
    Copy(String),
    /// Write these bytes to a new file.
    Save(String, Vec<u8>),
    /// Save bookmarks and notes.
    Keep(Bookmarks),
    /// Decode conversations as in `-d` with this value, from the beginning.
    DecodeAs(String),
}

/// A pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// The records.
    List,
    /// The field tree.
    Fields,
    /// The bytes.
    Bytes,
}

/// A record to select once it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    /// The one with this number, or the next.
    Number(u64),
    /// The first one of this frame, or of the next.
    Frame(u64),
}

impl Sought {
    fn same_as(row: &Row) -> Sought {
        match row.kind {
            RowKind::Message | RowKind::Packet => Sought::Number(row.number),
            RowKind::Late | RowKind::Gap => Sought::Frame(row.frame),
        }
    }

    fn is_reached_by(self, row: &Row) -> bool {
        match self {
            Sought::Number(number) => matches!(row.kind, RowKind::Message | RowKind::Packet) && row.number >= number,
            Sought::Frame(frame) => row.frame >= frame,
        }
    }
}

/// The state of the interactive view.
pub struct State {
    files: Vec<String>,
    theme: Theme,
    size: Size,
    pass: Pass,
    rows: Rows,
    is_reading: bool,
    selected: usize,
    top: usize,
    /// The record to select once it is read.
    sought: Option<Sought>,
    /// Numbers of records that matched the last filter, and that filter.
    found: Vec<u64>,
    last_filter: String,
    /// The index of the displayed record.
    shown: Option<u64>,
    /// Whether the fields are those of the previous record.
    is_stale: bool,
    detail: Option<Detail>,
    fields: FieldsPane,
    bytes: BytesPane,
    focus: Focus,
    prompt: Option<Prompt>,
    is_copying: bool,
    text: Option<Text>,
    texts: u64,
    history: Vec<String>,
    /// The filter of the selected range of the chart, and the one before it.
    range: Option<[String; 2]>,
    message: String,
    bookmarks: Bookmarks,
    effects: Vec<Effect>,
}

impl State {
    /// Creates a view of files, with its first pass.
    pub fn new(files: Vec<String>, pass: Pass, theme: Theme, size: Size) -> State {
        let last_filter = pass.filter.clone();
        let mut state = State {
            files,
            theme,
            size,
            pass,
            rows: Rows::default(),
            is_reading: true,
            selected: 0,
            top: 0,
            sought: None,
            found: Vec::new(),
            last_filter,
            shown: None,
            is_stale: false,
            detail: None,
            fields: FieldsPane::default(),
            bytes: BytesPane::default(),
            focus: Focus::List,
            prompt: None,
            is_copying: false,
            text: None,
            texts: 0,
            history: Vec::new(),
            range: None,
            message: String::new(),
            bookmarks: Bookmarks::default(),
            effects: Vec::new(),
        };
        state.read();
        state
    }

    /// Takes the pending effects.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether the terminal is about to be released, so that further keys are not for this program.
    pub fn is_leaving(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Quit | Effect::Suspend))
    }

    /// Whether results are pending.
    pub fn is_waiting(&self) -> bool {
        self.is_reading || self.is_stale || self.text.as_ref().is_some_and(|text| text.is_waiting)
    }

    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Key(key) => keys::press(self, key),
            Event::Mouse(mouse) => keys::mouse(self, mouse),
            Event::Resize(size) => self.size = size,
            Event::Records(pass, records) if pass == self.pass.number => self.arrive(records),
            Event::End(pass, problem) if pass == self.pass.number => {
                self.is_reading = false;
                self.sought = None;
                if let Some(problem) = problem {
                    self.message = problem;
                }
            }
            Event::Detail(pass, place, detail) if pass == self.pass.number && self.shown == Some(place) => {
                if detail.is_none() {
                    "this record could not be read again".clone_into(&mut self.message);
                }
                self.show(detail.map(|detail| *detail).unwrap_or_default());
            }
            Event::Text(number, lines) => self.read_text(number, lines, None),
            Event::Statistics(number, lines, chart) => self.read_text(number, lines, chart),
            Event::Bookmarks(bookmarks) => self.bookmarks = bookmarks,
            Event::Message(message) => self.message = message,
            // Results of outdated requests.
            Event::Records(..) | Event::End(..) | Event::Detail(..) => {}
        }
        self.settle();
    }

    /// Shows a text, unless another one was requested.
    fn read_text(&mut self, number: u64, lines: Vec<String>, chart: Option<Chart>) {
        if let Some(text) = self.text.as_mut().filter(|_| number == self.texts) {
            (text.lines, text.chart, text.is_waiting) = (lines, chart, false);
        }
    }

    fn arrive(&mut self, records: Vec<Summary>) {
        let first = self.rows.len();
        let has_cells = !self.pass.columns.is_empty();
        records.into_iter().for_each(|summary| self.rows.push(summary, has_cells));
        let Some(sought) = self.sought else { return };
        let is_sought = |at: &usize| self.rows.get(*at).is_some_and(|row| sought.is_reached_by(row));
        if let Some(at) = (first..self.rows.len()).find(is_sought) {
            (self.selected, self.sought) = (at, None);
        }
    }

    /// Begins a pass, and keeps the selection if its number is the same.
    fn read(&mut self) {
        self.pass.number += 1;
        self.rows = Rows::default();
        (self.selected, self.top) = (0, 0);
        (self.shown, self.detail) = (None, None);
        self.is_reading = true;
        self.effects.push(Effect::Read(self.pass.clone()));
    }

    /// Requests the selected record, and scrolls to all selections.
    fn settle(&mut self) {
        let panes = self.panes();
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
        let rows = self.list_rows();
        scroll(&mut self.top, self.selected, rows);
        let place = self.row().map(|row| row.place);
        if place.is_some() && place != self.shown {
            self.shown = place;
            self.is_stale = true;
            self.effects.extend(place.map(Effect::Dissect));
        }
        self.fields.settle(panes.fields_rows());
        let width = self.bytes_in_line();
        self.bytes.settle(self.detail.as_ref(), width, panes.bytes_rows());
    }

    fn show(&mut self, detail: Detail) {
        self.fields.show(&detail);
        let selected = self.fields.selected;
        self.bytes.show(&detail, selected);
        self.detail = Some(detail);
        self.is_stale = false;
    }

    fn panes(&self) -> Panes {
        Panes::new(self.size, self.focus, self.prompt.as_ref().map_or(0, |prompt| prompt.wrong.len()))
    }

    /// Lines above the first record in its pane: the title, and headings of chosen columns.
    fn list_heads(&self) -> usize {
        1 + usize::from(!self.pass.columns.is_empty())
    }

    /// Number of visible records.
    fn list_rows(&self) -> usize {
        usize::from(self.panes().list.height).saturating_sub(self.list_heads())
    }

    /// Bytes per line of the bytes pane.
    fn bytes_in_line(&self) -> usize {
        self.panes().bytes_width() * if self.bytes.is_text { 4 } else { 1 }
    }

    fn row(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    /// The number of the selected message; `None` for other records.
    fn message_number(&self) -> Option<u64> {
        self.row().filter(|row| row.kind == RowKind::Message).map(|row| row.number)
    }

    /// Switches to the other view, at the record that corresponds to the selected one.
    fn change_view(&mut self, view: View) {
        if self.pass.view == view {
            return;
        }
        self.sought = self.row().map(|row| Sought::Frame(row.frame));
        self.pass.view = view;
        self.found.clear();
        self.read();
    }

    /// Changes the bookmark or note of the selected record.
    fn mark(&mut self, note: Option<String>) {
        let message = self.message_number();
        let Some(frame) = self.row().filter(|row| matches!(row.kind, RowKind::Message | RowKind::Packet)).map(|row| row.frame)
        else {
            "bookmarks require a message or a packet".clone_into(&mut self.message);
            return;
        };
        let old = self.own_entry().cloned().unwrap_or_default();
        let (is_marked, note) = match note {
            Some(note) => (old.is_marked, note),
            None => (!old.is_marked, old.note),
        };
        self.bookmarks.set(Bookmark { message, frame: Some(frame), is_marked, note });
        self.effects.push(Effect::Keep(self.bookmarks.clone()));
    }

    /// The bookmark entry of the selected record.
    fn own_entry(&self) -> Option<&Bookmark> {
        let message = self.message_number();
        let frame = self.row()?.frame;
        let is_own = |entry: &&Bookmark| entry.message == message && (message.is_some() || entry.frame == Some(frame));
        self.bookmarks.entries().iter().find(is_own)
    }

    /// Requests a text overlay.
    fn ask(&mut self, title: String, effect: impl FnOnce(u64) -> Effect) {
        self.texts += 1;
        self.text = Some(Text::waiting(title));
        self.effects.push(effect(self.texts));
    }

    /// Requests a text about the conversation of the selected record.
    fn ask_of_stream(&mut self, title: &str, effect: fn(u64, StreamId) -> Effect) {
        match self.row().and_then(|row| row.stream) {
            Some((stream, _)) => self.ask(format!("{title} {stream}"), |number| effect(number, stream)),
            None => "this record has no conversation".clone_into(&mut self.message),
        }
    }

    /// Reads the input again, because its interpretation changed.
    pub fn reload(&mut self) {
        self.sought = self.row().map(Sought::same_as);
        self.read();
        self.settle();
    }

    /// Reads the next file.
    fn next_file(&mut self) {
        if self.files.len() < 2 {
            "there is only one file".clone_into(&mut self.message);
            return;
        }
        self.pass.file = (self.pass.file + 1) % self.files.len();
        self.found.clear();
        self.bookmarks = Bookmarks::default();
        self.read();
    }
}

/// Scrolls so that a line is visible in a window of this height.
fn scroll(top: &mut usize, selected: usize, height: usize) {
    let first = (selected + 1).saturating_sub(height.max(1));
    *top = (*top).clamp(first, selected.max(first));
}
