//! Values of a packet, for its summary and for the state of the session.

use super::super::tables::Entity;
use super::super::types::{Decoded, Name};
use std::fmt::{self, Write};
use std::ops::Range;

/// Maximum values in the summary line.
const SUMMARY_VALUES: usize = 4;

/// Maximum number of stored values of a packet.
const KEPT: usize = 12;

/// Maximum bytes of texts kept of a packet.
const TEXT: usize = 1024;

/// Maximum items shown of an inventory, and events of an update.
const ITEMS: u32 = 4;

/// Maximum kinds of blocks shown of an update.
const BLOCKS: usize = 6;

/// A value.
#[derive(Clone)]
enum Kept {
    Number(i64),
    Component(i64),
    Name(Name),
    /// Place among the texts.
    Text(Range<usize>),
    /// Number of turns.
    Turns(usize),
}

/// Number of tracked entities and of updates.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Players or NPCs.
    pub entity: Entity,
    /// Number of other entities tracked.
    pub others: usize,
    /// Number of entities with extended information.
    pub updates: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { entity, others, updates } = *self;
        let (one, many) = if entity == Entity::Player { ("other player", "other players") } else { ("NPC", "NPCs") };
        let ending = if updates == 1 { "" } else { "s" };
        write!(f, "{others} {}, {updates} update{ending}", if others == 1 { one } else { many })
    }
}

/// Values of a packet. It is reused for the next packet.
#[derive(Default)]
pub struct Line {
    kept: Vec<(&'static str, Kept)>,
    texts: String,
    /// Counts shown in place of the values.
    pub seen: Option<Counts>,
    /// Kinds of blocks that the updates have, shown after the counts.
    blocks: Vec<&'static str>,
    /// Text shown after the counts or values, such as items.
    events: String,
    shown: u32,
    omitted: u32,
    /// Whether texts are stored.
    pub wants_texts: bool,
}

impl Line {
    /// Forgets all values.
    pub fn clear(&mut self, wants_texts: bool) {
        self.kept.clear();
        self.texts.clear();
        self.events.clear();
        self.blocks.clear();
        (self.seen, self.shown, self.omitted, self.wants_texts) = (None, 0, 0, wants_texts);
    }

    /// Keeps a value of the packet itself.
    pub fn keep(&mut self, name: &'static str, decoded: &Decoded<'_>) {
        if self.kept.len() >= KEPT {
            return;
        }
        let kept = match decoded {
            Decoded::Number(number) => Kept::Number(*number),
            Decoded::Component(number) => Kept::Component(*number),
            Decoded::Name(name) => Kept::Name(*name),
            Decoded::Text(_) | Decoded::Packed(_) | Decoded::Coded(_) if self.wants_texts => {
                let start = self.texts.len();
                // Writing to a String does not fail.
                let _ = write!(Bounded(&mut self.texts), "{decoded:#}");
                Kept::Text(start..self.texts.len())
            }
            _ => return,
        };
        self.kept.push((name, kept));
    }

    /// Keeps the number of turns of a group.
    pub fn keep_turns(&mut self, name: &'static str, turns: usize) {
        if self.kept.len() < KEPT {
            self.kept.push((name, Kept::Turns(turns)));
        }
    }

    /// Stores the name of the speaker.
    pub fn speak(&mut self, name: &str) {
        if self.wants_texts && self.kept.len() < KEPT {
            let start = self.texts.len();
            self.texts.push_str(name);
            self.kept.push(("sender", Kept::Text(start..self.texts.len())));
        }
    }

    /// Adds the kind of a block of an update, unless it is present or the limit is reached.
    pub fn block(&mut self, kind: &'static str) {
        if self.wants_texts && self.blocks.len() < BLOCKS && !self.blocks.contains(&kind) {
            self.blocks.push(kind);
        }
    }

    /// Adds text, unless the limit is reached.
    pub fn event(&mut self, words: fmt::Arguments<'_>) {
        if !self.wants_texts {
            return;
        }
        if self.shown >= ITEMS || self.events.len() > TEXT {
            self.omitted += 1;
            return;
        }
        if self.shown > 0 {
            self.events.push_str(", ");
        }
        self.shown += 1;
        let _ = write!(Bounded(&mut self.events), "{words}");
    }

    /// Returns the number in a field.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.kept.iter().find(|(known, _)| *known == name)?.1 {
            Kept::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the text of a field, if texts are stored.
    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.kept.iter().find(|(known, _)| *known == name)?.1 {
            Kept::Text(range) => self.texts.get(range.clone()),
            _ => None,
        }
    }

    fn write(&self, kept: &Kept, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match kept {
            Kept::Number(number) => write!(f, "{}", Decoded::Number(*number)),
            Kept::Component(number) => write!(f, "{}", Decoded::Component(*number)),
            Kept::Name(name) => write!(f, "{name}"),
            Kept::Text(range) => write!(f, "\"{}\"", self.texts.get(range.clone()).unwrap_or_default()),
            Kept::Turns(turns) => write!(f, "{turns}"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        if let Some(seen) = &self.seen {
            seen.fmt(f)?;
            between = " (";
            for kind in &self.blocks {
                write!(f, "{between}{kind}")?;
                between = ", ";
            }
            if !self.blocks.is_empty() {
                f.write_str(")")?;
            }
            between = ", ";
        } else if let Some(message) = self.text("message") {
            let speaker =
                ["sender", "name", "recipient"].into_iter().find_map(|name| self.kept.iter().find(|(known, _)| *known == name));
            match speaker {
                Some((_, Kept::Text(range))) => write!(f, "{}: ", self.texts.get(range.clone()).unwrap_or_default())?,
                Some((name, kept)) => {
                    write!(f, "{} ", Words(name))?;
                    self.write(kept, f)?;
                    f.write_str(", ")?;
                }
                None => {}
            }
            write!(f, "\"{message}\"")?;
            between = ", ";
        } else {
            for (name, kept) in self.kept.iter().take(SUMMARY_VALUES) {
                match kept {
                    Kept::Text(_) => f.write_str(between)?,
                    _ => write!(f, "{between}{} ", Words(name))?,
                }
                self.write(kept, f)?;
                between = ", ";
            }
        }
        if !self.events.is_empty() {
            write!(f, "{between}{}", self.events)?;
        }
        if self.omitted > 0 {
            write!(f, ", {} more", self.omitted)?;
        }
        Ok(())
    }
}

/// Text that stops growing.
struct Bounded<'t>(&'t mut String);

impl Write for Bounded<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() < TEXT {
            self.0.push_str(text.get(..TEXT).unwrap_or(text));
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

/// A name with spaces.
pub struct Words(pub &'static str);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.split('_').enumerate().try_for_each(|(at, word)| write!(f, "{}{word}", if at > 0 { " " } else { "" }))
    }
}
