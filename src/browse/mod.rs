//! The interactive view: records, fields and bytes in panes. A state that events change, drawn into a frame.
//!
//! [`State::handle`] and [`draw::draw`] read no input and write to no terminal. What has to be done outside is an [`Effect`].

mod bytes;
mod copy;
mod detail;
pub mod draw;
mod fields;
mod keys;
mod layout;
mod prompt;
mod rows;
#[cfg(test)]
mod tests;
mod text;

pub use detail::Detail;
pub use rows::Summary;

use crate::filter::Filter;
use crate::record::{Bookmark, Bookmarks, View};
use crate::registry::Registry;
use crate::render::Theme;
use crate::tree::StreamId;
use bytes::BytesPane;
use fields::FieldsPane;
use layout::Panes;
use prompt::{Prompt, Purpose};
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Size;
use rows::{Row, Rows, Sort};
use text::Text;

/// A reading of the input: what is listed. Answers to an earlier one are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// Grows with each pass.
    pub number: u64,
    /// The file, by its place on the command line.
    pub file: usize,
    /// Messages or packets.
    pub view: View,
    /// The display filter; may be empty.
    pub filter: String,
}

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was used.
    Mouse(MouseEvent),
    /// The terminal has this size.
    Resize(Size),
    /// Records were read in this pass.
    Records(u64, Vec<Summary>),
    /// The pass reached the end of its input; with what went wrong.
    End(u64, Option<String>),
    /// The record at this place was taken apart; `None` if it was not found.
    Detail(u64, u64, Option<Box<Detail>>),
    /// A text that was asked for.
    Text(u64, Vec<String>),
    /// The bookmarks of the file at hand.
    Bookmarks(Bookmarks),
    /// Something to report.
    Message(String),
}

/// Something that has to be done outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// End the program.
    Quit,
    /// Stop until the shell continues the program.
    Suspend,
    /// Read the input for the list.
    Read(Pass),
    /// Take the record at this place apart.
    Dissect(u64),
    /// The text of a conversation, under this number.
    Follow(u64, StreamId),
    /// What is found in a conversation by itself, under this number.
    Explore(u64, StreamId),
    /// The text of the statistics, under this number.
    Statistics(u64),
    /// Put this text on the clipboard.
    Copy(String),
    /// Write these bytes into a file that does not exist yet.
    Save(String, Vec<u8>),
    /// Keep bookmarks and notes.
    Keep(Bookmarks),
    /// Read conversations as `-d` with this value has it, from the beginning.
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

/// A record to select when it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    /// The one of this number, or the next.
    Number(u64),
    /// The first one of this frame, or of the next.
    Frame(u64),
}

impl Sought {
    fn same_as(row: &Row) -> Sought {
        match row.sort {
            Sort::Message | Sort::Packet => Sought::Number(row.number),
            Sort::Late | Sort::Gap => Sought::Frame(row.frame),
        }
    }

    fn is_reached_by(self, row: &Row) -> bool {
        match self {
            Sought::Number(number) => matches!(row.sort, Sort::Message | Sort::Packet) && row.number >= number,
            Sought::Frame(frame) => row.frame >= frame,
        }
    }
}

/// Everything that is shown.
pub struct State {
    files: Vec<String>,
    theme: Theme,
    size: Size,
    pass: Pass,
    rows: Rows,
    is_reading: bool,
    selected: usize,
    top: usize,
    /// The record to select when it comes.
    sought: Option<Sought>,
    /// Numbers of records that matched the last filter, and that filter.
    found: Vec<u64>,
    last_filter: String,
    /// The record that is shown, by its place among all.
    shown: Option<u64>,
    /// Whether the fields are still those of the record before.
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
    message: String,
    bookmarks: Bookmarks,
    effects: Vec<Effect>,
}

impl State {
    /// The view of files, of which the first is read.
    #[must_use]
    pub fn new(files: Vec<String>, view: View, filter: &str, theme: Theme, size: Size) -> State {
        let pass = Pass { number: 0, file: 0, view, filter: filter.to_owned() };
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
            last_filter: filter.to_owned(),
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
            message: String::new(),
            bookmarks: Bookmarks::default(),
            effects: Vec::new(),
        };
        state.read();
        state
    }

    /// What has to be done since this was asked last.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether the terminal is to be given back, so that keys from now on are not for this program.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Quit | Effect::Suspend))
    }

    /// Whether answers are on their way.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.is_reading || self.is_stale || self.text.as_ref().is_some_and(|text| text.is_waiting)
    }

    /// Changes with an event.
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
            Event::Text(number, lines) if number == self.texts => {
                if let Some(text) = &mut self.text {
                    (text.lines, text.is_waiting) = (lines, false);
                }
            }
            Event::Bookmarks(bookmarks) => self.bookmarks = bookmarks,
            Event::Message(message) => self.message = message,
            // Answers to what is no longer asked.
            Event::Records(..) | Event::End(..) | Event::Detail(..) | Event::Text(..) => {}
        }
        self.settle();
    }

    fn arrive(&mut self, records: Vec<Summary>) {
        let first = self.rows.len();
        records.into_iter().for_each(|summary| self.rows.push(summary));
        let Some(sought) = self.sought else { return };
        let is_sought = |at: &usize| self.rows.get(*at).is_some_and(|row| sought.is_reached_by(row));
        if let Some(at) = (first..self.rows.len()).find(is_sought) {
            (self.selected, self.sought) = (at, None);
        }
    }

    /// Begins a pass, and keeps the selection where its number is the same.
    fn read(&mut self) {
        self.pass.number += 1;
        self.rows = Rows::default();
        (self.selected, self.top) = (0, 0);
        (self.shown, self.detail) = (None, None);
        self.is_reading = true;
        self.effects.push(Effect::Read(self.pass.clone()));
    }

    /// Asks for the selected record, and scrolls so that everything selected is visible.
    fn settle(&mut self) {
        let panes = self.panes();
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
        scroll(&mut self.top, self.selected, panes.list_rows());
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

    /// Bytes in a line of their pane.
    fn bytes_in_line(&self) -> usize {
        self.panes().bytes_width() * if self.bytes.is_text { 4 } else { 1 }
    }

    fn row(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    /// The number of the selected message; none for other records.
    fn message_number(&self) -> Option<u64> {
        self.row().filter(|row| row.sort == Sort::Message).map(|row| row.number)
    }

    /// Reads the other view, from the record that belongs to the selected one.
    fn change_view(&mut self, view: View) {
        if self.pass.view == view {
            return;
        }
        self.sought = self.row().map(|row| Sought::Frame(row.frame));
        self.pass.view = view;
        self.found.clear();
        self.read();
    }

    /// Lists what matches a filter, or says what is wrong with it.
    fn filter(&mut self, text: &str) {
        if let Err(mistake) = Filter::parse(text, Registry::default()) {
            if let Some(prompt) = &mut self.prompt {
                prompt.wrong = mistake.to_string().lines().map(str::to_owned).collect();
            }
            return;
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

    fn remember_matches(&mut self) {
        if !self.pass.filter.is_empty() {
            let rows = (0..self.rows.len()).filter_map(|at| self.rows.get(at)).filter(|row| row.sort != Sort::Gap);
            self.found = rows.map(|row| row.number).collect();
        }
    }

    /// Goes to the next record that the last filter matches.
    fn next_match(&mut self, forward: bool) {
        if self.last_filter.is_empty() {
            "no filter was typed; / takes one".clone_into(&mut self.message);
            return;
        }
        let found = match self.pass.filter.is_empty() {
            // All that is listed matches.
            false => self.rows.find(self.selected, forward, |_| true),
            true => {
                let is_match = |row: &Row| row.sort != Sort::Gap && self.found.binary_search(&row.number).is_ok();
                self.rows.find(self.selected, forward, is_match)
            }
        };
        self.go(found, "no more matches");
    }

    /// Moves the selection by lines. What was sought is sought no longer.
    fn move_by(&mut self, lines: isize) {
        self.sought = None;
        self.selected = self.selected.saturating_add_signed(lines);
    }

    fn go(&mut self, at: Option<usize>, otherwise: &str) {
        self.sought = None;
        match at {
            Some(at) => self.selected = at,
            None => otherwise.clone_into(&mut self.message),
        }
    }

    /// Goes to the next record of the same protocol and type.
    fn next_of_kind(&mut self, forward: bool) {
        let kind = self.row().map(|row| (row.sort, row.protocol, row.name));
        let found = self.rows.find(self.selected, forward, |row| Some((row.sort, row.protocol, row.name)) == kind);
        self.go(found, "no more records of this kind");
    }

    /// Goes to the next record of the same conversation.
    fn next_of_stream(&mut self, forward: bool) {
        let Some((stream, _)) = self.row().and_then(|row| row.stream) else {
            "this record belongs to no conversation".clone_into(&mut self.message);
            return;
        };
        let is_same = |row: &Row| row.stream.is_some_and(|(other, _)| other == stream);
        let found = self.rows.find(self.selected, forward, is_same);
        self.go(found, "no more records of this conversation");
    }

    /// Goes to the record of a number, now or when it comes.
    fn go_to(&mut self, number: u64) {
        self.selected = self.rows.of_number(number);
        let is_there = self.row().is_some_and(|row| row.number >= number);
        if !is_there && self.is_reading {
            self.sought = Some(Sought::Number(number));
        } else if self.row().is_none_or(|row| row.number != number) {
            self.message = format!("{number} is not listed");
        }
    }

    /// Changes the bookmark of the selected record, or its note.
    fn mark(&mut self, note: Option<String>) {
        let message = self.message_number();
        let Some(frame) = self.row().filter(|row| matches!(row.sort, Sort::Message | Sort::Packet)).map(|row| row.frame) else {
            "a bookmark needs a message or a packet".clone_into(&mut self.message);
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

    /// The entry of exactly the selected record.
    fn own_entry(&self) -> Option<&Bookmark> {
        let message = self.message_number();
        let frame = self.row()?.frame;
        let is_own = |entry: &&Bookmark| entry.message == message && (message.is_some() || entry.frame == Some(frame));
        self.bookmarks.entries().iter().find(is_own)
    }

    /// Asks for a text over the panes.
    fn ask(&mut self, title: String, effect: impl FnOnce(u64) -> Effect) {
        self.texts += 1;
        self.text = Some(Text::waiting(title));
        self.effects.push(effect(self.texts));
    }

    /// Asks for a text about the conversation of the selected record.
    fn ask_of_stream(&mut self, title: &str, effect: fn(u64, StreamId) -> Effect) {
        match self.row().and_then(|row| row.stream) {
            Some((stream, _)) => self.ask(format!("{title} {stream}"), |number| effect(number, stream)),
            None => "this record belongs to no conversation".clone_into(&mut self.message),
        }
    }

    /// Does what a typed line says.
    fn enter(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let (purpose, text) = (prompt.purpose, prompt.text.trim().to_owned());
        if purpose == Purpose::Filter {
            self.filter(&text);
            return;
        }
        match purpose {
            Purpose::Number => match text.parse() {
                Ok(number) => self.go_to(number),
                Err(_) => {
                    if let Some(prompt) = &mut self.prompt {
                        prompt.wrong = vec![format!("{text:?} is no number; try 17")];
                    }
                    return;
                }
            },
            Purpose::Note => self.mark(Some(text)),
            Purpose::Save if !text.is_empty() => {
                let bytes = self.detail.as_ref().map(|detail| detail.bytes_of(self.fields.selected).to_vec());
                self.effects.extend(bytes.map(|bytes| Effect::Save(text, bytes)));
            }
            Purpose::DecodeAs if !text.is_empty() => self.effects.push(Effect::DecodeAs(text)),
            Purpose::Save | Purpose::DecodeAs | Purpose::Filter => {}
        }
        self.prompt = None;
    }

    /// Reads everything again, because it is read in another way.
    pub fn reload(&mut self) {
        self.sought = self.row().map(Sought::same_as);
        self.read();
        self.settle();
    }

    /// Reads the next file.
    fn next_file(&mut self) {
        if self.files.len() < 2 {
            "there is one file".clone_into(&mut self.message);
            return;
        }
        self.pass.file = (self.pass.file + 1) % self.files.len();
        self.found.clear();
        self.bookmarks = Bookmarks::default();
        self.read();
    }
}

/// Scrolls so that a line is visible in a window of so many.
fn scroll(top: &mut usize, selected: usize, height: usize) {
    let first = (selected + 1).saturating_sub(height.max(1));
    *top = (*top).clamp(first, selected.max(first));
}
