//! One line per record: number, time, source, destination, protocol, length, info.
//!
//! On a terminal, address columns are as wide as the addresses so far. If they leave too little space for the info, the
//! conversation replaces them, with an arrow: `→` from client to server, `←` back. Otherwise columns have fixed minimum widths, as
//! in tshark.

use super::heading::{Frames, moments_of, role_of, times_of, when};
use super::hexdump::{self, Colouring, HexFormat};
use super::revealed;
use super::table::file_line;
use super::text::{Guarded, cut, cut_painted, fold_painted, write_summary};
use super::theme::{Role, Theme};
use super::time::{Clock, TimeForm, When};
use super::{KEPT, unwritable};
use crate::record::{Bookmark, Late, Message, Packet, Record, View, level_of, location_of, words_of};
use crate::sink::{Begin, Printed, Sink};
use crate::tree::{Address, Carriers, Demand, Dissection, Ends, Extras, Gap, Layer, Level, Note, Side, clean};
use crate::wire::data;
use std::fmt::{self, Write};
use std::io;

const NUMBER: usize = 5;
const TIME: usize = 10;
const ADDRESS: usize = 21;
const PROTOCOL: usize = 8;
const LENGTH: usize = 5;

/// Terminal width below which the conversation replaces the addresses.
const NARROW: usize = 100;

/// Minimum width of a conversation: `tcp/0 →`.
const STREAM: usize = 7;

/// Width reserved for the other columns.
const BESIDE_ADDRESSES: usize = 56;

/// Width reserved for the info beside a long protocol name.
const INFO: usize = 35;

/// Width of the widest column: two IPv6 addresses with ports.
const SPACE: &str = "                                                                                                ";

/// Alignment and width of a cell.
#[derive(Clone, Copy)]
enum Align {
    Left(usize),
    Right(usize),
}

#[derive(Debug, Clone, Copy)]
pub struct ListOptions {
    /// Colours.
    pub theme: Theme,
    /// Time format: `-t`.
    pub time: TimeForm,
    /// Print the file name before its records, if it has any.
    pub file_names: bool,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
    /// Wrap lines instead of truncating them: `-V`.
    pub whole: bool,
    /// Flush after each line.
    pub flush: bool,
    /// Append secrets to the summary.
    pub secrets: bool,
    /// Print a hex dump below each line: `-x`.
    pub hex: bool,
}

/// Prints one line per record.
pub struct List<W> {
    to: W,
    options: ListOptions,
    clock: Clock,
    line: String,
    cell: String,
    /// The file name, until a record follows.
    heading: Option<String>,
    /// Widths of the widest address and conversation so far, on a terminal.
    seen: WidestSoFar,
}

#[derive(Default)]
struct WidestSoFar {
    address: usize,
    stream: usize,
}

/// Representation of the endpoints in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndpointFormat {
    Addresses,
    Stream,
    /// Addresses after the info, because there is no conversation.
    AfterInfo,
}

impl<W: io::Write> List<W> {
    /// Prints to `to`.
    pub fn new(to: W, options: ListOptions) -> List<W> {
        List {
            to,
            options,
            clock: Clock::new(options.time),
            line: String::new(),
            cell: String::new(),
            heading: None,
            seen: WidestSoFar::default(),
        }
    }

    fn message(&mut self, message: &Message<'_>) -> fmt::Result {
        let protocol = message.protocol().map_or("", |field| field.name);
        let length = message.node().map_or(0, |node| node.span().len());
        let ways = self.columns(Some(message.n), times_of(message), message.ends(), protocol, length)?;
        self.summary(message.of, message.layer, message.name(), &message.info())?;
        revealed::of_message(message, &mut self.line)?;
        self.endpoints_after_info(ways, message.ends())?;
        message.notes().try_for_each(|note| self.note(message.of, note))?;
        message.bookmarks().try_for_each(|bookmark| self.bookmark(bookmark))
    }

    fn packet(&mut self, packet: &Packet<'_>) -> fmt::Result {
        let of = packet.of;
        let frame = &of.tree.frame;
        let innermost = packet.innermost().and_then(|layer| of.layer_node(layer));
        let protocol = innermost.map_or("", |node| node.field().name);
        let ways = self.columns(Some(frame.number), moments_of(packet), packet.ends(), protocol, frame.original)?;
        let (name, info) = words_of(of, packet.layers());
        match packet.innermost() {
            Some(layer) => self.summary(of, layer, &name, &info)?,
            None => write_summary(&name, &info, &mut self.line)?,
        }
        revealed::of_packet(packet, &mut self.line)?;
        self.endpoints_after_info(ways, packet.ends())?;
        packet.notes().try_for_each(|note| self.note(of, note))?;
        packet.bookmarks().try_for_each(|bookmark| self.bookmark(bookmark))
    }

    fn late(&mut self, late: &Late<'_>) -> fmt::Result {
        let of = late.of;
        let innermost = late.innermost().and_then(|layer| of.layer_node(layer));
        let protocol = innermost.map_or("", |node| node.field().name);
        let length = u32::try_from(late.length()).unwrap_or(u32::MAX);
        let ways = self.columns(None, when(late.times), late.ends(), protocol, length)?;
        let words = format_args!("[late, {}]", Frames(&late.frames()));
        write!(self.line, "{} ", self.options.theme.paint(Role::Gap, words))?;
        let (name, info) = words_of(of, late.layers.iter());
        write_summary(&name, &info, &mut self.line)?;
        self.endpoints_after_info(ways, late.ends())?;
        late.notes().try_for_each(|note| self.note(of, note))
    }

    fn gap(&mut self, gap: &Gap) -> fmt::Result {
        let Gap { stream, side, frame, .. } = gap;
        let words = format_args!("gap  {stream} {side}  {gap} (given up at frame {frame})");
        write!(self.line, "{:>NUMBER$} {}", "--", self.options.theme.paint(Role::Gap, words))
    }

    fn columns(
        &mut self,
        number: Option<u64>,
        when: When,
        ends: Option<&Ends>,
        protocol: &str,
        length: u32,
    ) -> Result<EndpointFormat, fmt::Error> {
        match number {
            Some(number) => self.cell.push_str(itoa::Buffer::new().format(number)),
            None => self.cell.push_str("--"),
        }
        self.put(Role::Number, Align::Right(NUMBER))?;
        self.clock.write(when, &mut self.cell)?;
        self.put(Role::Time, Align::Right(TIME))?;
        let ways = self.ends(ends)?;
        self.cell.push_str(protocol);
        if let Some(width) = self.options.width {
            let others = NUMBER + TIME + self.columns_of_ends() + LENGTH + 5;
            cut(&mut self.cell, width.saturating_sub(others + INFO).max(PROTOCOL));
        }
        self.put(Role::Protocol, Align::Left(PROTOCOL))?;
        self.cell.push_str(itoa::Buffer::new().format(length));
        self.put(Role::Meaning, Align::Right(LENGTH))?;
        Ok(ways)
    }

    /// Addresses of a narrow line without conversation.
    fn endpoints_after_info(&mut self, ways: EndpointFormat, ends: Option<&Ends>) -> fmt::Result {
        match ends {
            Some(Ends { src: Some(src), dst: Some(dst), .. }) if ways == EndpointFormat::AfterInfo => {
                let (src, dst) = (self.options.theme.paint(Role::Address, src), self.options.theme.paint(Role::Address, dst));
                write!(self.line, "  {src} → {dst}")
            }
            _ => Ok(()),
        }
    }

    /// Writes the endpoints.
    fn ends(&mut self, ends: Option<&Ends>) -> Result<EndpointFormat, fmt::Error> {
        let none = Ends::default();
        let ends = ends.unwrap_or(&none);
        let ways = self.endpoint_format(ends);
        match ways {
            EndpointFormat::Addresses => {
                let columns = if self.options.width.is_some() { self.seen.address } else { ADDRESS };
                self.address(ends.src, Align::Right(columns))?;
                self.line.push_str("→ ");
                self.address(ends.dst, Align::Left(columns))?;
            }
            EndpointFormat::Stream => {
                let Some((stream, _)) = ends.stream else { return Ok(ways) };
                let arrow = match ends.direction() {
                    Some(Side::Client) => "→",
                    Some(Side::Server) => "←",
                    None => " ",
                };
                let columns = self.columns_of_ends();
                write!(self.cell, "{stream}")?;
                // The arrow has three bytes but one column.
                let (before, behind) =
                    if self.is_narrow() { (columns.saturating_sub(2), 0) } else { (columns / 2 - 1, columns - columns / 2 - 2) };
                self.put(Role::Stream, if self.is_narrow() { Align::Left(before) } else { Align::Right(before) })?;
                self.line.push_str(arrow);
                self.line.push_str(SPACE.get(..behind + 1).unwrap_or(SPACE));
            }
            EndpointFormat::AfterInfo => {
                let columns = self.columns_of_ends();
                let before = if self.is_narrow() { columns.saturating_sub(1) } else { columns / 2 };
                self.line.push_str(SPACE.get(..before).unwrap_or(SPACE));
                self.line.push_str(if ends.src.is_some() { "→" } else { " " });
                self.line.push_str(SPACE.get(..columns - before).unwrap_or(SPACE));
            }
        }
        Ok(ways)
    }

    /// Width of the endpoints.
    fn columns_of_ends(&self) -> usize {
        match (self.options.width, self.is_narrow()) {
            (None, _) => 2 * ADDRESS + 3,
            (Some(_), true) => self.seen.stream.max(STREAM),
            (Some(_), false) => 2 * self.seen.address.max(STREAM) + 3,
        }
    }

    fn is_narrow(&self) -> bool {
        self.options.width.is_some_and(|width| width < NARROW)
    }

    /// Chooses the representation of the endpoints, and updates the widths.
    fn endpoint_format(&mut self, ends: &Ends) -> EndpointFormat {
        let has_addresses = ends.src.is_some() || ends.dst.is_some();
        let Some(width) = self.options.width else {
            return if has_addresses || ends.stream.is_none() { EndpointFormat::Addresses } else { EndpointFormat::Stream };
        };
        if width >= NARROW && has_addresses {
            let columns = [ends.src, ends.dst].into_iter().flatten().map(|address| address.to_string().len()).max().unwrap_or(0);
            if 2 * columns + BESIDE_ADDRESSES <= width {
                self.seen.address = self.seen.address.max(columns);
                return EndpointFormat::Addresses;
            }
        }
        match ends.stream {
            Some((stream, _)) => {
                self.seen.stream = self.seen.stream.max(stream.to_string().len() + 2);
                EndpointFormat::Stream
            }
            None => EndpointFormat::AfterInfo,
        }
    }

    fn address(&mut self, address: Option<Address>, align: Align) -> fmt::Result {
        if let Some(address) = address {
            address.push_to(&mut self.cell);
        }
        self.put(Role::Address, align)
    }

    /// Writes the name of a message with its preview or summary; for unknown data, its bytes.
    fn summary(&mut self, of: Dissection<'_>, layer: &Layer, name: &str, info: &str) -> fmt::Result {
        let preview = of.tree.preview_of(layer.node);
        if preview.is_empty() {
            return write_summary(name, info, &mut self.line);
        }
        match of.layer_node(layer) {
            Some(node) if node.field().is(&data::DATA) => {
                write_summary(name, info, &mut self.line)?;
                write!(self.line, "  {}", self.options.theme.paint(Role::Bytes, preview))
            }
            _ => write_summary(name, preview, &mut self.line),
        }
    }

    /// Appends the cell to the line and clears it.
    fn put(&mut self, role: Role, align: Align) -> fmt::Result {
        let (Align::Left(width) | Align::Right(width)) = align;
        let columns = if self.cell.is_ascii() { self.cell.len() } else { super::text::width(&self.cell) };
        let space = SPACE.get(..width.saturating_sub(columns)).unwrap_or(SPACE);
        if matches!(align, Align::Right(_)) {
            self.line.push_str(space);
        }
        if self.options.theme.is_plain() {
            self.line.push_str(&self.cell)
        } else {
            write!(self.line, "{}", self.options.theme.paint(role, &self.cell))?
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
        clean(of.tree.generated_text(note.text), &mut Guarded(&mut self.cell))?;
        let words = if self.cell.is_empty() { note.code.name } else { self.cell.as_str() };
        write!(self.line, " {}", self.options.theme.paint(role_of(level), format_args!("[{}: {words}]", level.word())))?;
        self.cell.clear();
        Ok(())
    }

    fn bookmark(&mut self, bookmark: &Bookmark) -> fmt::Result {
        self.cell.push_str(if bookmark.is_marked { "bookmark" } else { "note" });
        if !bookmark.note.is_empty() {
            self.cell.push_str(": ");
            clean(&bookmark.note, &mut self.cell)?;
        }
        write!(self.line, " {}", self.options.theme.paint(Role::Info, format_args!("[{}]", self.cell)))?;
        self.cell.clear();
        Ok(())
    }

    /// Writes the bytes of a record between empty lines, as tshark's `-x`. Bytes of late messages are in their frames.
    fn dump(&mut self, record: &Record<'_>) -> io::Result<()> {
        let look = HexFormat { theme: self.options.theme, width: self.options.width };
        self.line.push('\n');
        let written = match record {
            Record::Message(message) => message.node().map_or(Ok(()), |node| {
                let base = location_of(message.of, node.span()).base;
                let colouring = Colouring::default();
                hexdump::of_node(message.of, node, base, &colouring, look, &mut self.line)?;
                hexdump::of_derived(message.of, &[message.layer], Some(node), &colouring, look, &mut self.line)
            }),
            Record::Packet(packet) => hexdump::of_frame(packet.of, look, &mut self.line).and_then(|()| {
                let layers: Vec<&Layer> = packet.layers().collect();
                hexdump::of_derived(packet.of, &layers, None, &Colouring::default(), look, &mut self.line)
            }),
            Record::Late(_) | Record::Gap(_) => {
                self.line.clear();
                return Ok(());
            }
        };
        written.map_err(unwritable)?;
        self.line.push('\n');
        self.hand_on()
    }

    fn print(&mut self) -> io::Result<()> {
        self.line.truncate(self.line.trim_end().len());
        match self.options.width {
            Some(width) if self.options.whole => {
                let line = std::mem::take(&mut self.line);
                fold_painted(&line, width, "        ", &mut self.line);
            }
            Some(width) => cut_painted(&mut self.line, width),
            None => {}
        }
        self.line.push('\n');
        self.hand_on()
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.to.write_all(self.line.as_bytes())?;
        self.line.clear();
        self.line.shrink_to(KEPT);
        if self.options.flush { self.to.flush() } else { Ok(()) }
    }
}

impl<W: io::Write> Sink for List<W> {
    fn demand(&self, view: View) -> Demand {
        let carriers = view == View::Packets;
        let demand = match self.options {
            // Secrets in the dump are masked, so all fields are required.
            ListOptions { hex: true, .. } => Demand::EVERYTHING,
            ListOptions { secrets: true, .. } => Demand::MESSAGES,
            _ => Demand::HEADINGS,
        };
        Demand { carriers: Carriers::shown(carriers), ..demand }.with(Extras::PREVIEWS)
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.seen = WidestSoFar::default();
        self.heading = self.options.file_names.then(|| begin.file.to_owned());
        Ok(())
    }

    fn write_heading(&mut self) -> io::Result<()> {
        let Some(file) = self.heading.take() else { return Ok(()) };
        file_line(&file, self.options.theme, &mut self.line).map_err(unwritable)?;
        self.print()
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.write_heading()?;
        match record {
            Record::Message(message) => self.message(message),
            Record::Packet(packet) => self.packet(packet),
            Record::Late(late) => self.late(late),
            Record::Gap(gap) => self.gap(gap),
        }
        .map_err(unwritable)?;
        self.print()?;
        if self.options.hex { self.dump(record) } else { Ok(()) }
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        if printed.text.is_empty() {
            return Ok(());
        }
        self.write_heading()?;
        self.to.write_all(&printed.text)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
