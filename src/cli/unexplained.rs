//! Counts messages of unknown format, and suggests `explore`.

use super::counted::Counted;
use super::source::Source;
use crate::limits;
use crate::record::Message;
use crate::tree::StreamId;
use std::collections::BTreeMap;

/// Messages of unknown format below which `explore` finds nothing.
const FEWEST: u64 = 4;

/// Messages of unknown format, by conversation.
#[derive(Debug, Default)]
pub(super) struct Unexplained {
    streams: BTreeMap<StreamId, u64>,
}

impl Unexplained {
    /// Counts a message if it is of unknown format.
    pub(super) fn see(&mut self, message: &Message<'_>) {
        if message.protocol().is_none_or(|protocol| protocol.abbrev == "data")
            && let Some((stream, _)) = message.ends().and_then(|ends| ends.stream)
        {
            self.count(stream, 1);
        }
    }

    /// Adds the counts of another part of the input.
    pub(super) fn add(&mut self, other: Unexplained) {
        other.streams.into_iter().for_each(|(stream, count)| self.count(stream, count));
    }

    fn count(&mut self, stream: StreamId, count: u64) {
        if self.streams.len() < limits::FOLLOW_CONVERSATIONS.get() || self.streams.contains_key(&stream) {
            *self.streams.entry(stream).or_default() += count;
        }
    }

    /// Suggests `explore` if there are several messages of unknown format, and they are more than half of all.
    pub(super) fn hint(&self, messages: u64, source: &Source) -> Option<String> {
        let count: u64 = self.streams.values().sum();
        let (first, _) =
            self.streams.iter().max_by_key(|(stream, count)| (**count, std::cmp::Reverse((stream.transport, stream.number))))?;
        let file = source.path().map_or_else(|| String::from("FILE"), |path| quoted(&path.to_string_lossy()));
        let (who, only) = match self.streams.len() - 1 {
            0 => (first.to_string(), format!(" -s {first}")),
            1 => (format!("{first} and 1 more conversation"), String::new()),
            more => (format!("{first} and {more} more conversations"), String::new()),
        };
        let messages = (count >= FEWEST && count * 2 > messages).then_some(Counted(count, "undissected message"))?;
        Some(format!("{who}: {messages}; try proto-dissect explore {file}{only}"))
    }
}

/// Quotes a file name for a shell.
fn quoted(name: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+,:@%=".contains(character);
    if name.chars().all(is_plain) && !name.starts_with('-') {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Transport;
    use std::path::PathBuf;

    fn tcp(number: u32) -> StreamId {
        StreamId { transport: Transport::Tcp, number }
    }

    #[test]
    fn a_capture_that_is_mostly_unexplained_has_a_hint() {
        let source = Source::File(PathBuf::from("it's a game.pcap"));
        let mut unexplained = Unexplained::default();
        assert_eq!(unexplained.hint(0, &source), None);
        unexplained.count(tcp(0), 312);
        let hint = r"tcp/0: 312 undissected messages; try proto-dissect explore 'it'\''s a game.pcap' -s tcp/0";
        assert_eq!(unexplained.hint(623, &source).as_deref(), Some(hint));
        assert_eq!(unexplained.hint(624, &source), None);
        let mut other = Unexplained::default();
        other.count(tcp(3), 1);
        unexplained.add(other);
        let file = Source::File(PathBuf::from("a/b.pcap"));
        let hint = "tcp/0 and 1 more conversation: 313 undissected messages; try proto-dissect explore a/b.pcap";
        assert_eq!(unexplained.hint(313, &file).as_deref(), Some(hint));
    }
}
