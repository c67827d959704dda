//! Heading lines of records and layers, and lines of notes.

use super::revealed;
use super::text::{Guarded, fold_painted, painted_width, write_summary};
use super::theme::{Role, Theme};
use super::time::{Clock, TimeForm, When};
use crate::record::{Bookmark, Buffer, Late, Message, Packet, Record, RecordTimes, level_of, location_of, words_of};
use crate::tree::{Dissection, Ends, Gap, Layer, Level, Note, Spaced, clean};
use crate::wire::data;
use std::fmt::{self, Write};

/// Maximum number of frame numbers listed for a message.
const FEW_FRAMES: usize = 6;

/// Bytes of a preview, halved below a width of `NARROW`.
const PREVIEW: usize = 16;
const NARROW: usize = 100;

/// Indentation of continuation lines.
pub const CONTINUED: &str = "    ";

/// Writes the lines around a table.
pub struct Heading<'a> {
    /// Colours.
    pub theme: Theme,
    /// Time format.
    pub clock: &'a Clock,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
}

/// Format of a message line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// A table follows.
    Heading,
    /// The line is the complete output. In narrow output, the conversation replaces the addresses.
    Alone,
    /// As `Alone`, with a preview of the bytes.
    Preview,
}

impl Heading<'_> {
    /// Writes the line of a message.
    pub fn message(&self, message: &Message<'_>, line: Line, out: &mut String) -> fmt::Result {
        let start = out.len();
        self.message_line(message, line, true, out)?;
        if line != Line::Heading && self.is_too_wide(start, out) {
            out.truncate(start);
            self.message_line(message, line, false, out)?;
        }
        self.fold(start, CONTINUED, out);
        self.comment(message.of, out)?;
        message.bookmarks().try_for_each(|bookmark| self.bookmark(bookmark, out))
    }

    fn message_line(&self, message: &Message<'_>, line: Line, addresses: bool, out: &mut String) -> fmt::Result {
        let when = times_of(message);
        self.beginning(message.n, when, out)?;
        match message.ends() {
            Some(&Ends { stream, is_undirected, .. }) if !addresses && stream.is_some() => {
                self.ends(Some(&Ends { stream, is_undirected, ..Ends::default() }), out)?;
            }
            ends => self.ends(ends, out)?,
        }
        let protocol = message.protocol().map_or("", |field| field.name);
        write!(out, "  {}", self.theme.paint(Role::Protocol, protocol))?;
        summary(message.name(), &message.info(), out)?;
        revealed::of_message(message, out)?;
        if let (Line::Preview, Some(node)) = (line, message.node()) {
            let bytes = node.bytes();
            let most = if self.width.is_some_and(|width| width < NARROW) { PREVIEW / 2 } else { PREVIEW };
            let shown = bytes.get(..most).unwrap_or(bytes);
            let cut = if shown.len() < bytes.len() { " …" } else { "" };
            write!(
                out,
                "  {}",
                self.theme.paint(Role::Bytes, format_args!("{}{cut}", Spaced::hiding(shown, 0, &node.masked_ranges())))
            )?;
        }
        write!(out, "  {}", self.theme.paint(Role::Secondary, Frames(&message.frames())))
    }

    fn is_too_wide(&self, start: usize, out: &str) -> bool {
        self.width.is_some_and(|limit| out.get(start..).is_some_and(|line| painted_width(line) > limit))
    }

    /// Ends the line that starts at `start`, and wraps it with `before` as the prefix of continuation lines.
    pub fn fold(&self, start: usize, before: &str, out: &mut String) {
        if self.is_too_wide(start, out) {
            let line = out.split_off(start);
            fold_painted(&line, self.width.unwrap_or(usize::MAX), before, out);
        }
        out.push('\n');
    }

    /// Writes the packet comments.
    fn comment(&self, of: Dissection<'_>, out: &mut String) -> fmt::Result {
        for line in of.tree.generated_text(of.tree.frame.comment).lines() {
            let start = out.len();
            out.push_str("# ");
            clean(line, out)?;
            self.fold(start, "# ", out);
        }
        Ok(())
    }

    /// Writes the line of a packet.
    pub fn packet(&self, packet: &Packet<'_>, out: &mut String) -> fmt::Result {
        let frame = &packet.of.tree.frame;
        let start = out.len();
        self.beginning(frame.number, moments_of(packet), out)?;
        write!(out, "  {} bytes", frame.original)?;
        if frame.captured != frame.original {
            write!(out, " (captured {})", frame.captured)?;
        }
        if let Some(path) = packet.path() {
            write!(out, "  {}", self.theme.paint(Role::Protocol, path))?;
        }
        self.ends(packet.ends(), out)?;
        let (name, info) = words_of(packet.of, packet.layers());
        summary(&name, &info, out)?;
        revealed::of_packet(packet, out)?;
        let interface = packet.of.tree.generated_text(frame.interface_name);
        if !interface.is_empty() {
            out.push_str("  on ");
            clean(interface, out)?;
        }
        self.fold(start, CONTINUED, out);
        self.comment(packet.of, out)?;
        packet.bookmarks().try_for_each(|bookmark| self.bookmark(bookmark, out))
    }

    /// Writes a bookmark or a note.
    fn bookmark(&self, bookmark: &Bookmark, out: &mut String) -> fmt::Result {
        let words = if bookmark.is_marked { "bookmark" } else { "note" };
        let mut lines = bookmark.note.lines();
        let mut next = Some(lines.next().unwrap_or_default());
        while let Some(line) = next {
            let start = out.len();
            write!(out, "{}", self.theme.paint(Role::Info, format_args!("* {words}")))?;
            if !line.is_empty() {
                out.push_str("  ");
                clean(line, out)?;
            }
            self.fold(start, CONTINUED, out);
            next = lines.next();
        }
        Ok(())
    }

    /// Writes the line of late messages.
    pub fn late(&self, late: &Late<'_>, out: &mut String) -> fmt::Result {
        let start = out.len();
        write!(out, "{}", self.theme.paint(Role::Number, "--"))?;
        self.time(when(late.times), out)?;
        write!(out, "  {}", self.theme.paint(Role::Gap, "late"))?;
        if let Some(path) = late.path() {
            write!(out, "  {}", self.theme.paint(Role::Protocol, path))?;
        }
        self.ends(late.ends(), out)?;
        let (name, info) = words_of(late.of, late.layers.iter());
        summary(&name, &info, out)?;
        write!(out, "  {}", self.theme.paint(Role::Secondary, Frames(&late.frames())))?;
        self.fold(start, CONTINUED, out);
        Ok(())
    }

    /// Writes the line of a gap.
    pub fn gap(&self, gap: &Gap, out: &mut String) -> fmt::Result {
        let Gap { stream, side, frame, .. } = gap;
        let start = out.len();
        write!(out, "--  {}  ", self.theme.paint(Role::Gap, "gap"))?;
        write!(out, "{}", self.theme.paint(Role::Stream, format_args!("{stream} {side}")))?;
        write!(out, "  {gap} (given up at frame {frame})")?;
        self.fold(start, CONTINUED, out);
        Ok(())
    }

    /// Writes the line of a layer, with its buffer unless that is the frame.
    pub fn layer(&self, of: Dissection<'_>, layer: &Layer, out: &mut String) -> fmt::Result {
        let Some(node) = of.layer_node(layer) else { return Ok(()) };
        let start = out.rfind('\n').map_or(0, |end| end + 1);
        write!(out, "{}", self.theme.paint(Role::Protocol, node.field().name))?;
        summary(of.tree.generated_text(layer.name), &of.tree.info(layer), out)?;
        let place = location_of(of, node.span());
        if !matches!(place.buffer, Buffer::Frame(_)) {
            write!(out, "  {}", self.theme.paint(Role::Secondary, format_args!("in {}", place.buffer)))?;
        }
        self.fold(start, CONTINUED, out);
        Ok(())
    }

    /// Writes the line of a note.
    pub fn note(&self, of: Dissection<'_>, note: &Note, out: &mut String) -> fmt::Result {
        let level = level_of(note);
        let start = out.len();
        let head = format_args!("! {}  {}", level.word(), note.code.abbrev);
        write!(out, "{}  ", self.theme.paint(role_of(level), head))?;
        clean(of.tree.generated_text(note.text), &mut Guarded(out))?;
        if note.span.is_somewhere() {
            let at = location_of(of, note.span).base + u64::from(note.span.start);
            write!(out, "  {}", self.theme.paint(Role::Secondary, format_args!("at offset {at}")))?;
        }
        if let Some(node) = of.node(note.node) {
            write!(out, "  {}", self.theme.paint(Role::Secondary, format_args!("({})", node.field().abbrev)))?;
        }
        self.fold(start, CONTINUED, out);
        Ok(())
    }

    fn beginning(&self, number: u64, when: When, out: &mut String) -> fmt::Result {
        write!(out, "{}", self.theme.paint(Role::Number, format_args!("#{number}")))?;
        self.time(when, out)
    }

    fn time(&self, when: When, out: &mut String) -> fmt::Result {
        let mut time = String::new();
        self.clock.write(when, &mut time)?;
        if !time.is_empty() {
            let sign = if time.starts_with('-') { "" } else { self.clock.sign() };
            write!(out, "  {}", self.theme.paint(Role::Time, format_args!("{sign}{time}")))?;
        }
        Ok(())
    }

    fn ends(&self, ends: Option<&Ends>, out: &mut String) -> fmt::Result {
        let Some(ends) = ends else { return Ok(()) };
        match (ends.stream, ends.direction()) {
            (Some((stream, _)), Some(side)) => {
                write!(out, "  {}", self.theme.paint(Role::Stream, format_args!("{stream} {side}")))?;
            }
            (Some((stream, _)), None) => write!(out, "  {}", self.theme.paint(Role::Stream, stream))?,
            (None, _) => {}
        }
        if let (Some(src), Some(dst)) = (ends.src, ends.dst) {
            let (src, dst) = (self.theme.paint(Role::Address, src), self.theme.paint(Role::Address, dst));
            write!(out, "  {src} → {dst}")?;
        }
        Ok(())
    }
}

/// Writes the name and the summary of a layer.
fn summary(name: &str, info: &str, out: &mut String) -> fmt::Result {
    if name.is_empty() && info.is_empty() {
        return Ok(());
    }
    out.push_str("  ");
    write_summary(name, info, out)
}

/// Formats the heading of a record as one plain line.
pub fn line_of(record: &Record<'_>) -> String {
    let heading = Heading { theme: Theme::plain(), clock: &Clock::new(TimeForm::Relative), width: None };
    let mut out = String::new();
    // Writing to a String does not fail; a value that cannot be formatted is omitted.
    let _ = match record {
        Record::Message(message) => {
            let is_data = message.protocol().is_some_and(|protocol| protocol.is(&data::DATA));
            heading.message(message, if is_data { Line::Preview } else { Line::Heading }, &mut out)
        }
        Record::Packet(packet) => heading.packet(packet, &mut out),
        Record::Late(late) => heading.late(late, &mut out),
        Record::Gap(gap) => heading.gap(gap, &mut out),
    };
    out.truncate(out.find('\n').unwrap_or(out.len()));
    out
}

pub fn times_of(message: &Message<'_>) -> When {
    when(RecordTimes { time: message.time(), ..message.times })
}

/// Times of a packet.
pub fn moments_of(packet: &Packet<'_>) -> When {
    when(RecordTimes { time: packet.of.tree.frame.time, ..packet.times })
}

pub fn when(times: RecordTimes) -> When {
    When { time: times.time, since_start: times.since_start(), since_previous: times.since_previous() }
}

pub fn role_of(level: Level) -> Role {
    match level {
        Level::Info => Role::Info,
        Level::Odd => Role::Odd,
        Level::Broken => Role::Broken,
    }
}

/// Formats frame numbers; the middle of a long list is omitted.
pub struct Frames<'a>(pub &'a [u64]);

impl fmt::Display for Frames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [only] => write!(f, "frame {only}"),
            [first, second, .., last] if self.0.len() > FEW_FRAMES => {
                write!(f, "frames {first},{second},…,{last} ({})", self.0.len())
            }
            all => {
                f.write_str("frames ")?;
                let mut between = "";
                all.iter().try_for_each(|frame| {
                    write!(f, "{between}{frame}")?;
                    between = ",";
                    Ok(())
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_frames_lose_their_middle() {
        assert_eq!(Frames(&[17]).to_string(), "frame 17");
        assert_eq!(Frames(&[17, 19]).to_string(), "frames 17,19");
        let many: Vec<u64> = (17..=276).collect();
        assert_eq!(Frames(&many).to_string(), "frames 17,18,…,276 (260)");
    }
}
