//! Text output of differences: a line for each message, its fields below it, folded differences and counts at the end.

use super::capture::{Capture, Message};
use super::fields::Change;
use super::fold::{Always, Fold};
use super::json::names;
use super::{Conversation, Entry, Report, What};
use crate::render::{Role, Theme, Thousands, cut, cut_painted};
use crate::tree::clean;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Minimum width of a field's name, so that values are aligned.
const NAME: usize = 28;

/// Minimum width of a value, however narrow the terminal.
const VALUE: usize = 12;

/// Maximum width of a value without a terminal; JSON contains all of it.
const PIPED: usize = 200;

/// Number of characters shown before the first difference of a long value.
const BEFORE: usize = 6;

/// Output options.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Colours.
    pub theme: Theme,
    /// Width of the terminal, if known.
    pub width: Option<usize>,
    /// Whether equal messages are shown too.
    pub all: bool,
}

impl View {
    /// Writes a report; nothing if nothing differs and equal messages are hidden.
    pub fn write(&self, report: &Report<'_>, to: &mut dyn Write) -> io::Result<()> {
        if !report.counts.differ() && !self.all {
            return Ok(());
        }
        for (sign, role, capture) in [("---", Role::Gap, report.a), ("+++", Role::Value, report.b)] {
            let messages = count(capture.len(), "message");
            let line = format!("{} {}", self.theme.paint(role, sign), clean_text(&capture.name));
            self.line(format!("{line}  {}", self.theme.paint(Role::Secondary, messages)), to)?;
        }
        let is_shown = |entry: &&Entry| self.all || entry.what != What::Same;
        for conversation in report.conversations.iter().filter(|one| one.entries.iter().any(|entry| is_shown(&entry))) {
            self.heading(report, conversation, to)?;
            conversation.entries.iter().filter(is_shown).try_for_each(|entry| self.entry(report, entry, to))?;
        }
        if !report.folds.is_empty() {
            self.line(self.theme.paint(Role::Secondary, "folded").to_string(), to)?;
            report.folds.iter().try_for_each(|fold| self.fold(report, fold, to))?;
        }
        self.summary(report, to)
    }

    fn line(&self, mut line: String, to: &mut dyn Write) -> io::Result<()> {
        if let Some(width) = self.width {
            cut_painted(&mut line, width);
        }
        line.push('\n');
        to.write_all(line.as_bytes())
    }

    fn heading(&self, report: &Report<'_>, conversation: &Conversation, to: &mut dyn Write) -> io::Result<()> {
        let sides = [(report.a, conversation.a), (report.b, conversation.b)];
        let found = sides.iter().filter_map(|(capture, at)| capture.conversations.get((*at)?));
        let titles: Vec<String> = found
            .map(|found| {
                let stream = found.stream.map_or_else(|| found.protocol.to_owned(), |stream| stream.to_string());
                match (found.client, found.server) {
                    (Some(client), Some(server)) => format!("{stream} {client} ↔ {server}"),
                    _ => stream,
                }
            })
            .collect();
        let title = match titles.as_slice() {
            [one, two] if one != two => format!("{one}, {two}"),
            [one, ..] => one.clone(),
            [] => return Ok(()),
        };
        self.line(self.theme.paint(Role::Stream, title).to_string(), to)
    }

    fn entry(&self, report: &Report<'_>, entry: &Entry, to: &mut dyn Write) -> io::Result<()> {
        let (sign, role) = match entry.what {
            What::Same => (" ", Role::Secondary),
            What::Changed => ("~", Role::Odd),
            What::OnlyA => ("-", Role::Gap),
            What::OnlyB => ("+", Role::Value),
        };
        let of = |capture: &'_ Capture, at: Option<usize>| capture.messages.get(at?).cloned();
        let (one, two) = (of(report.a, entry.a), of(report.b, entry.b));
        let number = |message: &Option<Message>| message.as_ref().map(|message| message.n.to_string()).unwrap_or_default();
        let (capture, message) = match (&one, &two) {
            (Some(message), _) => (report.a, message),
            (None, Some(message)) => (report.b, message),
            (None, None) => return Ok(()),
        };
        let mut line = format!(
            "{} {} {}",
            self.theme.paint(role, sign),
            self.theme.paint(Role::Number, format_args!("{:>5} {:>5}", number(&one), number(&two))),
            self.kind(message)
        );
        let (name, info) = (capture.name_of(message), capture.info_of(message));
        for words in [name, info].iter().filter(|words| !words.is_empty()) {
            let _ = write!(line, "  {words}");
        }
        self.line(line, to)?;
        let names = names(report.a, report.b, &entry.changes);
        entry.changes.iter().zip(names).try_for_each(|(change, name)| self.change(report, change, name.shown(), to))
    }

    /// Protocol and direction of a message.
    fn kind(&self, message: &Message) -> String {
        let protocol = self.theme.paint(Role::Protocol, message.protocol.abbrev);
        match message.stream {
            Some((_, side)) => format!("{protocol} {}", self.theme.paint(Role::Side(side), side.direction())),
            None => protocol.to_string(),
        }
    }

    fn change(&self, report: &Report<'_>, change: &Change, name: String, to: &mut dyn Write) -> io::Result<()> {
        let name = format!("{name:NAME$}");
        let available = self.width.map_or(PIPED, |width| (width.saturating_sub(14 + name.len().max(NAME) + 5) / 2).max(VALUE));
        let (first, second) = self.values(report, change, available);
        let line = format!(
            "              {}  {} → {}",
            self.theme.paint(Role::Name, name),
            self.theme.paint(Role::Gap, first),
            self.theme.paint(Role::Value, second)
        );
        self.line(line, to)
    }

    /// Both values in equal width, with a mark at the first difference.
    fn values(&self, report: &Report<'_>, change: &Change, available: usize) -> (String, String) {
        let value = |capture: &Capture, place: Option<u32>| {
            let Some(text) = change.text(capture, place) else { return String::from("(none)") };
            let field = place.and_then(|place| capture.field_at(place));
            let meaning = field.map_or("", |field| field.meaning);
            // A header line repeats its name.
            let title = field.map_or("", |field| capture.piece(&field.title));
            let line = text.strip_prefix(title).filter(|_| !title.is_empty()).and_then(|line| line.strip_prefix(':'));
            let text = line.map_or(text, str::trim_start);
            match (text, meaning) {
                ("", _) => String::from("(empty)"),
                (text, "") => clean_text(text),
                (text, meaning) => format!("{} ({meaning})", clean_text(text)),
            }
        };
        let (mut first, mut second) = (value(report.a, change.a), value(report.b, change.b));
        let common = first.chars().zip(second.chars()).take_while(|(one, two)| one == two).count();
        for text in [&mut first, &mut second] {
            if text.chars().count() > available && common > available.saturating_sub(BEFORE) {
                let rest: String = text.chars().skip(common.saturating_sub(BEFORE)).collect();
                *text = format!("…{rest}");
            }
            cut(text, available);
        }
        (first, second)
    }

    fn fold(&self, report: &Report<'_>, fold: &Fold, to: &mut dyn Write) -> io::Result<()> {
        let Some(message) = report.a.messages.get(fold.message) else { return Ok(()) };
        let name = fold.title.as_ref().unwrap_or(&fold.name);
        let (first, second) = self.values(report, &fold.example, self.width.map_or(PIPED, |_| VALUE + BEFORE));
        let always = match fold.always {
            Some(Always::Step(step)) => format!("always {step:+}, "),
            Some(Always::Values) => String::from("always "),
            None => String::from("such as "),
        };
        let line = format!(
            "  {} {} differs in {} of {} ({}): {always}{first} → {second}",
            self.kind(message),
            self.theme.paint(Role::Name, name),
            Thousands(fold.differing as u64),
            count(fold.present, "message"),
            fold.label.word(),
        );
        self.line(line, to)
    }

    fn summary(&self, report: &Report<'_>, to: &mut dyn Write) -> io::Result<()> {
        let counts = report.counts;
        let mut parts = vec![format!("{} same", Thousands(counts.same as u64))];
        for (number, words) in [
            (counts.folded, "same except for folded differences"),
            (counts.changed, "changed"),
            (counts.only_a, "only in the first"),
            (counts.only_b, "only in the second"),
        ] {
            if number > 0 {
                parts.push(format!("{} {words}", Thousands(number as u64)));
            }
        }
        self.line(parts.join(", "), to)
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", Thousands(number as u64), if number == 1 { "" } else { "s" })
}

fn clean_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Writing to a string cannot fail.
    let _ = clean(text, &mut out);
    out
}
