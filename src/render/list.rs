//! A line a record: number, time, source, destination, protocol, length, info.
//!
//! No width is known before the last record, so columns have the least width that most records need, as tshark's do.

use super::heading::{Frames, moments_of, role_of, times_of, when};
use super::revealed;
use super::table::file_line;
use super::text::{Guarded, cut_painted, write_summary};
use super::theme::{Role, Theme};
use super::time::{Clock, TimeForm, When};
use super::{KEPT, unwritable};
use crate::record::{Late, Message, Packet, Record, Tally, View, level_of, words_of};
use crate::sink::{Begin, Printed, Problem, Sink};
use crate::tree::{Address, Carriers, Demand, Dissection, Ends, Gap, Level, Note, clean};
use std::fmt::{self, Write};
use std::io;

const NUMBER: usize = 5;
const TIME: usize = 10;
const ADDRESS: usize = 21;
const PROTOCOL: usize = 8;
const LENGTH: usize = 5;

/// As wide as the widest column.
const SPACE: &str = "                     ";

/// Where in its column a cell stands, and how wide the column is.
#[derive(Clone, Copy)]
enum Align {
    Left(usize),
    Right(usize),
}

/// What to show in a line.
#[derive(Debug, Clone, Copy)]
pub struct ListOptions {
    /// Colours.
    pub theme: Theme,
    /// Time format: `-t`.
    pub time: TimeForm,
    /// Say which file follows.
    pub file_names: bool,
    /// Columns that a line may take; none if there is no limit.
    pub width: Option<usize>,
    /// Hand on each line at once.
    pub flush: bool,
    /// Secrets stand behind the summary.
    pub secrets: bool,
}

/// Prints a line a record.
pub struct List<W> {
    to: W,
    options: ListOptions,
    clock: Clock,
    line: String,
    cell: String,
}

impl<W: io::Write> List<W> {
    /// Prints to `to`.
    pub fn new(to: W, options: ListOptions) -> List<W> {
        List { to, options, clock: Clock::new(options.time), line: String::new(), cell: String::new() }
    }

    fn message(&mut self, message: &Message<'_>) -> fmt::Result {
        let protocol = message.protocol().map_or("", |field| field.name);
        let length = message.node().map_or(0, |node| node.span().len());
        self.columns(Some(message.n), times_of(message), message.ends(), protocol, length)?;
        write_summary(message.name(), &message.info(), &mut self.line)?;
        revealed::of_message(message, &mut self.line)?;
        message.notes().try_for_each(|note| self.note(message.of, note))
    }

    fn packet(&mut self, packet: &Packet<'_>) -> fmt::Result {
        let of = packet.of;
        let frame = &of.tree.frame;
        let innermost = packet.innermost().and_then(|layer| of.layer_node(layer));
        let protocol = innermost.map_or("", |node| node.field().name);
        self.columns(Some(frame.number), moments_of(packet), packet.ends(), protocol, frame.original)?;
        let (name, info) = words_of(of, packet.layers());
        write_summary(&name, &info, &mut self.line)?;
        revealed::of_packet(packet, &mut self.line)?;
        packet.notes().try_for_each(|note| self.note(of, note))
    }

    fn late(&mut self, late: &Late<'_>) -> fmt::Result {
        let of = late.of;
        let innermost = late.innermost().and_then(|layer| of.layer_node(layer));
        let protocol = innermost.map_or("", |node| node.field().name);
        let length = u32::try_from(late.length()).unwrap_or(u32::MAX);
        self.columns(None, when(late.moment), late.ends(), protocol, length)?;
        let words = format_args!("[late, {}]", Frames(&late.frames()));
        write!(self.line, "{} ", self.options.theme.paint(Role::Gap, words))?;
        let (name, info) = words_of(of, late.layers.iter());
        write_summary(&name, &info, &mut self.line)?;
        late.notes().try_for_each(|note| self.note(of, note))
    }

    fn gap(&mut self, gap: &Gap) -> fmt::Result {
        let Gap { stream, side, off, len, frame, .. } = gap;
        let words = format_args!("gap  {stream} {side}  {len} bytes missing at {off} (given up at frame {frame})");
        write!(self.line, "{:>NUMBER$} {}", "--", self.options.theme.paint(Role::Gap, words))
    }

    fn columns(&mut self, number: Option<u64>, when: When, ends: Option<&Ends>, protocol: &str, length: u32) -> fmt::Result {
        match number {
            Some(number) => self.cell.push_str(itoa::Buffer::new().format(number)),
            None => self.cell.push_str("--"),
        }
        self.put(Role::Number, Align::Right(NUMBER))?;
        self.clock.write(when, &mut self.cell)?;
        self.put(Role::Time, Align::Right(TIME))?;
        let (src, dst) = ends.map_or((None, None), |ends| (ends.src, ends.dst));
        self.address(src, Align::Right(ADDRESS))?;
        self.line.push_str("→ ");
        self.address(dst, Align::Left(ADDRESS))?;
        self.cell.push_str(protocol);
        self.put(Role::Protocol, Align::Left(PROTOCOL))?;
        self.cell.push_str(itoa::Buffer::new().format(length));
        self.put(Role::Meaning, Align::Right(LENGTH))
    }

    fn address(&mut self, address: Option<Address>, align: Align) -> fmt::Result {
        address.map_or(Ok(()), |address| write!(self.cell, "{address}"))?;
        self.put(Role::Address, align)
    }

    /// Put the cell into the line and empty it. Labels, numbers and addresses have a column for each byte.
    fn put(&mut self, role: Role, align: Align) -> fmt::Result {
        let (Align::Left(width) | Align::Right(width)) = align;
        let space = SPACE.get(..width.saturating_sub(self.cell.len())).unwrap_or(SPACE);
        if matches!(align, Align::Right(_)) {
            self.line.push_str(space);
        }
        match self.options.theme.is_plain() {
            true => self.line.push_str(&self.cell),
            false => write!(self.line, "{}", self.options.theme.paint(role, &self.cell))?,
        }
        if matches!(align, Align::Left(_)) {
            self.line.push_str(space);
        }
        self.line.push(' ');
        self.cell.clear();
        Ok(())
    }

    fn note(&mut self, of: Dissection<'_>, note: &Note) -> fmt::Result {
        let level = level_of(note);
        if level != Level::Broken {
            return Ok(());
        }
        clean(of.tree.made(note.text), &mut Guarded(&mut self.cell))?;
        let words = if self.cell.is_empty() { note.code.name } else { self.cell.as_str() };
        write!(self.line, " {}", self.options.theme.paint(role_of(level), format_args!("[{}: {words}]", level.word())))?;
        self.cell.clear();
        Ok(())
    }

    fn print(&mut self) -> io::Result<()> {
        self.line.truncate(self.line.trim_end().len());
        if let Some(width) = self.options.width {
            cut_painted(&mut self.line, width);
        }
        self.line.push('\n');
        self.to.write_all(self.line.as_bytes())?;
        self.line.clear();
        self.line.shrink_to(KEPT);
        if self.options.flush { self.to.flush() } else { Ok(()) }
    }
}

impl<W: io::Write> Sink for List<W> {
    fn demand(&self, view: View) -> Demand {
        let carriers = view == View::Packets;
        let demand = if self.options.secrets { Demand::MESSAGES } else { Demand::HEADINGS };
        Demand { carriers: Carriers::shown(carriers), ..demand }
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        if !self.options.file_names {
            return Ok(());
        }
        file_line(begin.file, self.options.theme, &mut self.line).map_err(unwritable)?;
        self.print()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        match record {
            Record::Message(message) => self.message(message),
            Record::Packet(packet) => self.packet(packet),
            Record::Late(late) => self.late(late),
            Record::Gap(gap) => self.gap(gap),
        }
        .map_err(unwritable)?;
        self.print()
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        self.to.write_all(&printed.text)
    }

    fn problem(&mut self, _: &Problem<'_>) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Tally, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
