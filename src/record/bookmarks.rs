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

use std::ffi::OsString;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Key of entries.
const RECORD: &str = "record";

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
    /// Syntax errors with line and column, or invalid entries with their number.
    pub fn parse(text: &str) -> Result<Bookmarks, String> {
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
        let entries = match table.remove(RECORD) {
            None => Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err("record: expected entries that begin with [[record]]".to_owned()),
        };
        if let Some(key) = table.keys().next() {
            return Err(format!("{key}: unknown; entries begin with [[record]]"));
        }
        let entry = |(number, entry)| read(entry).map_err(|wrong| format!("entry {number}: {wrong}"));
        Ok(Bookmarks { entries: (1..).zip(entries).map(entry).collect::<Result<_, String>>()? })
    }

    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[Bookmark] {
        &self.entries
    }

    /// Entries of a message; `frame` is the frame that completed it.
    pub fn of_message(&self, number: u64, frame: u64) -> impl Iterator<Item = &Bookmark> {
        let is_own = move |entry: &&Bookmark| match entry.message {
            Some(message) => message == number,
            None => entry.frame == Some(frame),
        };
        self.entries.iter().filter(is_own)
    }

    /// Entries of a packet.
    pub fn of_packet(&self, frame: u64) -> impl Iterator<Item = &Bookmark> {
        self.entries.iter().filter(move |entry| entry.frame == Some(frame))
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
            (key, _) => return Err(format!("{key}: unknown; expected message, frame, bookmark or note")),
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
        assert!(wrong("a = ").starts_with("TOML parse error at line 1, column 5"), "{}", wrong("a = "));
        assert_eq!(wrong("a = 1"), "a: unknown; entries begin with [[record]]");
        assert_eq!(wrong("record = 1"), "record: expected entries that begin with [[record]]");
        assert_eq!(wrong("record = [1]"), "entry 1: expected an entry that begins with [[record]]");
        assert_eq!(wrong("[[record]]\nframe = 1\n[[record]]\nframe = -1"), "entry 2: frame: expected a number from 1");
        assert_eq!(wrong("[[record]]\nnote = \"a\""), "entry 1: message or frame is missing");
        assert_eq!(wrong("[[record]]\nframe = 1\nx = 1"), "entry 1: x: unknown; expected message, frame, bookmark or note");
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
            let bookmarks = Bookmarks { entries: entries.collect() };
            prop_assert_eq!(Bookmarks::parse(&bookmarks.to_string()), Ok(bookmarks));
        }
    }
}
