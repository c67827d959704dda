//! Bookmarks and notes on records, stored next to a capture in `FILE.notes.toml`.
//!
//! ```toml
//! [[record]]
//! message = 17                      # number in the message view
//! frame = 23                        # number of the frame that completed it
//! bookmark = true
//! note = "the player is hit here"
//! ```
//! An entry has `message`, `frame` or both; `bookmark` defaults to false and `note` to empty. A message without its own entry
//! shows the entries of its frame that have no message number. A packet shows all entries of its frame.

use crate::tree::steps::step;
use std::ffi::OsString;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Key of entries.
const RECORD: &str = "record";

/// Number of entries that no record may have.
const ENTRIES_MOST: usize = 64;

/// A bookmark, a note or both, for one record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bookmark {
    /// Number of the message, from 1.
    pub message: Option<u64>,
    /// Number of the frame, from 1; of a message, the frame that completed it.
    pub frame: Option<u64>,
    /// Whether the record is bookmarked.
    pub is_marked: bool,
    /// Note; may be empty.
    pub note: String,
}

/// Bookmarks and notes of one capture, in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bookmarks {
    entries: Vec<Bookmark>,
    /// Entries with a message number, by that.
    by_message: Index,
    /// Entries with a frame number, by that.
    by_frame: Index,
    /// Entries with only a frame number, by that.
    by_frame_alone: Index,
}

/// Numbers of records with the places of their entries, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Index(Vec<(u64, usize)>);

impl Index {
    fn new(entries: &[Bookmark], number_of: impl Fn(&Bookmark) -> Option<u64>) -> Index {
        let mut numbers: Vec<(u64, usize)> =
            entries.iter().enumerate().filter_map(|(at, entry)| Some((number_of(entry)?, at))).collect();
        numbers.sort_unstable();
        Index(numbers)
    }

    /// Places of the entries of a record, in file order.
    fn of(&self, number: u64) -> &[(u64, usize)] {
        let start = self.0.partition_point(|(other, _)| *other < number);
        let rest = self.0.get(start..).unwrap_or_default();
        rest.get(..rest.partition_point(|(other, _)| *other == number)).unwrap_or_default()
    }

    /// The largest number of entries for one record.
    fn most(&self) -> usize {
        self.0.chunk_by(|(one, _), (other, _)| one == other).map(<[_]>::len).max().unwrap_or(0)
    }
}

impl Bookmarks {
    /// Path of the notes file of a capture: `FILE.notes.toml`.
    #[must_use]
    pub fn path_of(capture: &Path) -> PathBuf {
        let mut name = OsString::from(capture);
        name.push(".notes.toml");
        PathBuf::from(name)
    }

    /// Parses a notes file.
    ///
    /// # Errors
    /// Syntax errors with line and column, or invalid entries with their number; nothing of the text itself.
    pub fn parse(text: &str) -> Result<Bookmarks, String> {
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| syntax(text, &error))?;
        let entries = match table.remove(RECORD) {
            None => Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err("record: expected entries that begin with [[record]]".to_owned()),
        };
        if !table.is_empty() {
            return Err("a key that is unknown; entries begin with [[record]]".to_owned());
        }
        let entry = |(number, entry)| read(entry).map_err(|wrong| format!("entry {number}: {wrong}"));
        let bookmarks = Bookmarks::of((1..).zip(entries).map(entry).collect::<Result<_, String>>()?);
        match bookmarks.by_message.most().max(bookmarks.by_frame_alone.most()) {
            // All messages of a frame show the entries of that frame.
            ENTRIES_MOST.. => Err(format!("a record has {ENTRIES_MOST} entries or more")),
            _ => Ok(bookmarks),
        }
    }

    fn of(entries: Vec<Bookmark>) -> Bookmarks {
        Bookmarks {
            by_message: Index::new(&entries, |entry| entry.message),
            by_frame: Index::new(&entries, |entry| entry.frame),
            by_frame_alone: Index::new(&entries, |entry| entry.frame.filter(|_| entry.message.is_none())),
            entries,
        }
    }

    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[Bookmark] {
        &self.entries
    }

    /// Entries of a message; `frame` is the frame that completed it.
    pub fn of_message(&self, number: u64, frame: u64) -> impl Iterator<Item = &Bookmark> {
        let (mut own, mut of_frame) = (self.by_message.of(number).iter(), self.by_frame_alone.of(frame).iter());
        let next = move || {
            let first = match (own.as_slice().first(), of_frame.as_slice().first()) {
                (Some((_, one)), Some((_, other))) if other < one => of_frame.next(),
                (None, _) => of_frame.next(),
                (Some(_), _) => own.next(),
            };
            self.entries.get(first?.1)
        };
        std::iter::from_fn(next).inspect(|_| step())
    }

    /// Entries of a packet.
    pub fn of_packet(&self, frame: u64) -> impl Iterator<Item = &Bookmark> {
        self.by_frame.of(frame).iter().filter_map(|(_, at)| self.entries.get(*at)).inspect(|_| step())
    }

    /// Replaces the entry of the same record. An empty entry removes it.
    pub fn set(&mut self, entry: Bookmark) {
        let is_same = |other: &Bookmark| match entry.message {
            Some(message) => other.message == Some(message),
            None => other.message.is_none() && other.frame == entry.frame,
        };
        let place = self.entries.iter().position(is_same);
        let says_something = entry.is_marked || !entry.note.is_empty();
        match (place.and_then(|place| self.entries.get_mut(place)), place) {
            (Some(old), _) if says_something => *old = entry,
            (Some(_), Some(place)) => drop(self.entries.remove(place)),
            _ if says_something => self.entries.push(entry),
            _ => {}
        }
        *self = Bookmarks::of(std::mem::take(&mut self.entries));
    }
}

/// Formats the notes file.
impl fmt::Display for Bookmarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for entry in &self.entries {
            writeln!(f, "{between}[[{RECORD}]]")?;
            between = "\n";
            for (key, number) in [("message", entry.message), ("frame", entry.frame)] {
                number.map_or(Ok(()), |number| writeln!(f, "{key} = {number}"))?;
            }
            if entry.is_marked {
                writeln!(f, "bookmark = true")?;
            }
            if !entry.note.is_empty() {
                f.write_str("note = ")?;
                quoted(&entry.note, f)?;
                f.write_char('\n')?;
            }
        }
        Ok(())
    }
}

/// Formats a basic string of TOML.
fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    text.chars().try_for_each(|character| match character {
        '"' | '\\' => write!(f, "\\{character}"),
        '\n' => f.write_str("\\n"),
        '\t' => f.write_str("\\t"),
        character if character.is_control() => write!(f, "\\U{:08x}", u32::from(character)),
        character => f.write_char(character),
    })?;
    f.write_char('"')
}

/// The place of a syntax error. The parser's own words may quote the text.
fn syntax(text: &str, error: &toml::de::Error) -> String {
    let at = error.span().map_or(text.len(), |span| span.start);
    let before = text.get(..at).unwrap_or(text);
    let (line, column) = (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
    format!("line {line}, column {column}: not valid TOML")
}

fn read(entry: Value) -> Result<Bookmark, String> {
    let Value::Table(table) = entry else { return Err("expected an entry that begins with [[record]]".to_owned()) };
    let mut bookmark = Bookmark::default();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("message", value) => bookmark.message = Some(number("message", &value)?),
            ("frame", value) => bookmark.frame = Some(number("frame", &value)?),
            ("bookmark", Value::Boolean(is_marked)) => bookmark.is_marked = is_marked,
            ("bookmark", _) => return Err("bookmark: expected true or false".to_owned()),
            ("note", Value::String(note)) => bookmark.note = note,
            ("note", _) => return Err("note: expected a text in quotes".to_owned()),
            _ => return Err("a key that is unknown; expected message, frame, bookmark or note".to_owned()),
        }
    }
    match (bookmark.message, bookmark.frame) {
        (None, None) => Err("message or frame is missing".to_owned()),
        _ => Ok(bookmark),
    }
}

fn number(key: &str, value: &Value) -> Result<u64, String> {
    let number = value.as_integer().and_then(|number| u64::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| format!("{key}: expected a number from 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::steps::steps_of;
    use proptest::prelude::*;

    #[test]
    fn a_message_shows_its_own_entries_and_those_of_its_frame_alone() {
        let text = "[[record]]\nmessage = 2\nframe = 7\nnote = \"a\"\n[[record]]\nframe = 7\nbookmark = true\n";
        let bookmarks = Bookmarks::parse(text).unwrap();
        let notes = |entries: Vec<&Bookmark>| entries.iter().map(|entry| entry.note.clone()).collect::<Vec<_>>();
        assert_eq!(notes(bookmarks.of_message(2, 7).collect()), ["a", ""]);
        assert_eq!(notes(bookmarks.of_message(3, 7).collect()), [""]);
        assert_eq!(notes(bookmarks.of_message(2, 8).collect()), ["a"]);
        assert_eq!(notes(bookmarks.of_packet(7).collect()), ["a", ""]);
        assert_eq!(notes(bookmarks.of_packet(2).collect()), [""; 0]);
    }

    #[test]
    fn mistakes_name_their_place_and_what_was_expected() {
        let wrong = |text: &str| Bookmarks::parse(text).unwrap_err();
        assert_eq!(wrong("[[record]]\na = "), "line 2, column 5: not valid TOML");
        assert_eq!(wrong("a = 1"), "a key that is unknown; entries begin with [[record]]");
        assert_eq!(wrong("record = 1"), "record: expected entries that begin with [[record]]");
        assert_eq!(wrong("record = [1]"), "entry 1: expected an entry that begins with [[record]]");
        assert_eq!(wrong("[[record]]\nframe = 1\n[[record]]\nframe = -1"), "entry 2: frame: expected a number from 1");
        assert_eq!(wrong("[[record]]\nnote = \"a\""), "entry 1: message or frame is missing");
        assert_eq!(
            wrong("[[record]]\nframe = 1\nx = 1"),
            "entry 1: a key that is unknown; expected message, frame, bookmark or note"
        );
    }

    #[test]
    fn an_entry_takes_the_place_of_the_one_for_its_record() {
        let entry = |message, note: &str| Bookmark { message, frame: Some(7), is_marked: false, note: note.to_owned() };
        let mut bookmarks = Bookmarks::default();
        let entries = [entry(Some(1), "a"), entry(None, "b"), entry(Some(1), "c"), entry(Some(2), "")];
        entries.into_iter().for_each(|entry| bookmarks.set(entry));
        assert_eq!(bookmarks.entries(), [entry(Some(1), "c"), entry(None, "b")]);
        bookmarks.set(entry(None, ""));
        assert_eq!(bookmarks.entries(), [entry(Some(1), "c")]);
    }

    #[test]
    fn entries_of_records_are_found_in_steps_in_proportion_to_them() {
        let entry =
            |number: u64| Bookmark { message: Some(number), frame: Some(number / 8), is_marked: true, note: String::new() };
        for count in [100, 400, 1600] {
            let bookmarks = Bookmarks::of((1..=count).map(entry).collect());
            let steps = steps_of(|| {
                let found = (1..=count).map(|number| bookmarks.of_message(number, number / 8).count()).sum::<usize>();
                let packets = (0..=count / 8).map(|frame| bookmarks.of_packet(frame).count()).sum::<usize>();
                assert_eq!([found as u64, packets as u64], [count; 2]);
            });
            assert_eq!(steps, 2 * count);
        }
        let many = "[[record]]\nframe = 1\n".repeat(ENTRIES_MOST);
        assert_eq!(Bookmarks::parse(&many), Err("a record has 64 entries or more".to_owned()));
        let own = (1..=ENTRIES_MOST).map(|number| format!("[[record]]\nframe = 1\nmessage = {number}\n")).collect::<String>();
        assert_eq!(Bookmarks::parse(&own).unwrap().of_packet(1).count(), ENTRIES_MOST);
    }

    proptest! {
        #[test]
        fn written_bookmarks_are_read_back(
            entries in prop::collection::vec((1..=i64::MAX, any::<Option<bool>>(), any::<bool>(), "\\PC*|[\\x00-\\x{9f}\"\\\\]*"), 0..5),
        ) {
            let entries = entries.into_iter().map(|(number, which, is_marked, note)| {
                let number = number.unsigned_abs();
                let message = (which != Some(false)).then_some(number);
                let frame = (which != Some(true)).then_some(number);
                Bookmark { message, frame, is_marked, note }
            });
            let bookmarks = Bookmarks::of(entries.collect());
            prop_assert_eq!(Bookmarks::parse(&bookmarks.to_string()), Ok(bookmarks));
        }
    }
}
