//! A heading and a table per record.
//!
//! A message takes a single line if its heading is complete: undissected bytes, which get a preview, and messages with a name,
//! no summary and only few header fields, such as a keep-alive.

use super::heading::{CONTINUED, Heading, Line};
use super::hexdump::{self, Colouring, FrameDump, HexFormat, RULE};
use super::rows::{self, TableFormat};
use super::theme::{Role, Theme};
use super::time::{Clock, TimeForm};
use super::{KEPT, unwritable};
use crate::record::{Late, Message, Packet, Record, View, location_of};
use crate::sink::{Begin, Edges, Printed, Sink};
use crate::tree::{Carriers, Demand, Dissection, Field, Layer, NodeRef, clean_path};
use crate::wire::data;
use std::cell::Cell;
use std::fmt::{self, Write};
use std::io;

/// Maximum number of fields of a single-line message, such as length and type.
const FEW_FIELDS: usize = 3;

#[derive(Debug, Clone)]
pub struct TableOptions {
    /// Print everything: `-V`.
    pub verbose_fields: bool,
    /// Add the layers that carry a message: `-v`.
    pub carriers: bool,
    /// Print a hex dump below each table: `-x`.
    pub hex: bool,
    /// Print details of these protocols only, of all if empty: `-O`.
    pub details: Vec<&'static Field>,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
    /// Colours.
    pub theme: Theme,
    /// Time format: `-t`.
    pub time: TimeForm,
    /// Print the file name before its records, if it has any.
    pub file_names: bool,
}

/// Prints records as tables.
pub struct Table<W> {
    to: W,
    options: TableOptions,
    clock: Clock,
    text: String,
    /// The file name, until a record follows.
    heading: Option<String>,
    /// Whether the first and the last record took several lines, if any.
    edges: Option<Edges>,
    memory: Cell<rows::Memory>,
}

impl<W: io::Write> Table<W> {
    /// Prints to `to`.
    pub fn new(to: W, options: TableOptions) -> Table<W> {
        let clock = Clock::new(options.time);
        Table { to, options, clock, text: String::new(), heading: None, edges: None, memory: Cell::default() }
    }

    fn print(&mut self, write: impl FnOnce(&Printer<'_>, &mut String) -> fmt::Result) -> io::Result<()> {
        self.text.clear();
        let printer = Printer {
            options: &self.options,
            heading: Heading { theme: self.options.theme, clock: &self.clock, width: self.options.width },
            memory: &self.memory,
        };
        write(&printer, &mut self.text).map_err(unwritable)?;
        let is_long = self.text.lines().nth(1).is_some();
        self.join(Edges { first_is_long: is_long, last_is_long: is_long })?;
        self.to.write_all(self.text.as_bytes())?;
        self.text.shrink_to(KEPT);
        Ok(())
    }

    /// Writes an empty line if the previous or the next record takes several lines.
    fn join(&mut self, next: Edges) -> io::Result<()> {
        let Some(edges) = &mut self.edges else {
            self.edges = Some(next);
            return Ok(());
        };
        let is_apart = edges.last_is_long || next.first_is_long;
        edges.last_is_long = next.last_is_long;
        if is_apart { self.to.write_all(b"\n") } else { Ok(()) }
    }
}

impl<W: io::Write> Sink for Table<W> {
    fn demand(&self, view: View) -> Demand {
        let carriers = view == View::Packets || self.options.carriers || !self.options.details.is_empty();
        Demand { carriers: Carriers::shown(carriers), ..Demand::EVERYTHING }
    }

    fn begin(&mut self, begin: &Begin<'_>) -> io::Result<()> {
        self.heading = self.options.file_names.then(|| begin.file.to_owned());
        Ok(())
    }

    fn write_heading(&mut self) -> io::Result<()> {
        let Some(file) = self.heading.take() else { return Ok(()) };
        // Always after an empty line.
        self.edges = self.edges.map(|edges| Edges { last_is_long: true, ..edges });
        self.print(|printer, out| {
            file_line(&file, printer.options.theme, out)?;
            printer.heading.fold(0, CONTINUED, out);
            Ok(())
        })
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.write_heading()?;
        self.print(|printer, out| match record {
            Record::Message(message) => printer.message(message, out),
            Record::Packet(packet) => printer.packet(packet, out),
            Record::Late(late) => printer.late(late, out),
            Record::Gap(gap) => printer.heading.gap(gap, out),
        })
    }

    fn take_output(&mut self) -> io::Result<Option<Edges>> {
        Ok(self.edges.take())
    }

    fn printed(&mut self, printed: &Printed) -> io::Result<()> {
        if printed.text.is_empty() {
            return Ok(());
        }
        self.write_heading()?;
        printed.edges.map_or(Ok(()), |edges| self.join(edges))?;
        self.to.write_all(&printed.text)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writes the line with the file name.
pub(super) fn file_line(file: &str, theme: Theme, out: &mut String) -> fmt::Result {
    let mut name = String::new();
    clean_path(file, &mut name)?;
    write!(out, "{}", theme.paint(Role::Secondary, format_args!("── {name} ──")))
}

struct Printer<'a> {
    options: &'a TableOptions,
    heading: Heading<'a>,
    memory: &'a Cell<rows::Memory>,
}

impl Printer<'_> {
    fn message(&self, message: &Message<'_>, out: &mut String) -> fmt::Result {
        let Some(node) = message.node() else { return Ok(()) };
        let (of, options) = (message.of, self.options);
        let carriers: Vec<&Layer> = message.carriers().into_iter().filter(|layer| self.shows_carrier(of, layer)).collect();
        let is_data = node.field().is(&data::DATA);
        let has_notes = message.notes().next().is_some();
        let is_short = !options.carriers && !options.hex && !has_notes && is_heading_complete(message);
        let takes_line = !options.verbose_fields && (is_data || is_short);
        let line = match (takes_line, is_data) {
            (true, true) => Line::Preview,
            (true, false) => Line::Alone,
            (false, _) => Line::Heading,
        };
        self.heading.message(message, line, out)?;

        let colouring = self.colouring(of, carriers.iter().copied().chain([message.layer]));
        let layers: Vec<&Layer> = carriers.iter().copied().chain([message.layer]).collect();
        let mut dump = self.frame_dump(of, &layers, colouring.as_ref().filter(|_| !carriers.is_empty()));
        for (number, layer) in carriers.iter().enumerate() {
            self.section(of, layer, colouring.as_ref(), out)?;
            dump.as_mut().map_or(Ok(()), |dump| dump.of_layer(number, out))?;
        }
        if !takes_line && self.has_details(of, message.layer) {
            if !carriers.is_empty() {
                self.layer_heading(of, message.layer, out)?;
            }
            rows::table(of, node, self.look(colouring.as_ref()), self.memory, out)?;
        }
        message.notes().try_for_each(|note| self.heading.note(of, note, out))?;
        match &colouring {
            Some(colouring) => {
                let base = location_of(of, node.span()).base;
                hexdump::of_node(of, node, base, colouring, self.hex_format(), out)?;
                hexdump::of_derived(of, &layers, Some(node), colouring, self.hex_format(), out)
            }
            None => Ok(()),
        }
    }

    /// Prepares the hex dump of a frame, with `-x`.
    fn frame_dump<'t>(&self, of: Dissection<'t>, layers: &[&Layer], colouring: Option<&Colouring>) -> Option<FrameDump<'t>> {
        colouring.map(|colouring| FrameDump::new(of, layers, colouring, self.hex_format()))
    }

    /// Writes the line of a layer, separated from a hex dump above.
    fn layer_heading(&self, of: Dissection<'_>, layer: &Layer, out: &mut String) -> fmt::Result {
        if self.options.hex {
            write!(out, "{} ", self.options.theme.paint(Role::Secondary, RULE))?;
        }
        self.heading.layer(of, layer, out)
    }

    fn hex_format(&self) -> HexFormat {
        HexFormat { theme: self.options.theme, width: self.options.width }
    }

    fn packet(&self, packet: &Packet<'_>, out: &mut String) -> fmt::Result {
        let of = packet.of;
        self.heading.packet(packet, out)?;
        let colouring = self.colouring(of, packet.layers());
        let layers: Vec<&Layer> = packet.layers().collect();
        let mut dump = self.frame_dump(of, &layers, colouring.as_ref());
        for (number, layer) in layers.iter().enumerate() {
            self.section(of, layer, colouring.as_ref(), out)?;
            dump.as_mut().map_or(Ok(()), |dump| dump.of_layer(number, out))?;
        }
        dump.map_or(Ok(()), |mut dump| dump.rest(out))?;
        if let Some(colouring) = &colouring {
            hexdump::of_derived(of, &layers, None, colouring, self.hex_format(), out)?;
        }
        packet.notes().try_for_each(|note| self.heading.note(of, note, out))
    }

    /// Writes late messages, whose bytes are in the hex dumps of their frames.
    fn late(&self, late: &Late<'_>, out: &mut String) -> fmt::Result {
        self.heading.late(late, out)?;
        late.layers.iter().try_for_each(|layer| self.section(late.of, layer, None, out))?;
        late.notes().try_for_each(|note| self.heading.note(late.of, note, out))
    }

    fn section(&self, of: Dissection<'_>, layer: &Layer, colouring: Option<&Colouring>, out: &mut String) -> fmt::Result {
        self.layer_heading(of, layer, out)?;
        match of.layer_node(layer) {
            Some(node) if self.has_details(of, layer) => rows::table(of, node, self.look(colouring), self.memory, out),
            _ => Ok(()),
        }
    }

    fn look<'c>(&self, colouring: Option<&'c Colouring>) -> TableFormat<'c> {
        let TableOptions { verbose_fields, width, theme, .. } = *self.options;
        TableFormat { all: verbose_fields, width, theme, colouring }
    }

    /// Writes a layer, with colours shared with a hex dump.
    fn colouring<'t>(&self, of: Dissection<'t>, layers: impl Iterator<Item = &'t Layer>) -> Option<Colouring> {
        let nodes = || layers.filter_map(|layer| of.layer_node(layer));
        self.options.hex.then(|| Colouring::of(nodes(), |node| self.look(None).folds(node)))
    }

    /// Whether a carrier is printed: with `-v`, or if selected by `-O`.
    fn shows_carrier(&self, of: Dissection<'_>, layer: &Layer) -> bool {
        self.options.carriers || (!self.options.details.is_empty() && self.has_details(of, layer))
    }

    fn has_details(&self, of: Dissection<'_>, layer: &Layer) -> bool {
        let details = &self.options.details;
        let is_asked_for = |node: NodeRef<'_>| details.iter().any(|protocol| protocol.is(node.field()));
        details.is_empty() || of.layer_node(layer).is_some_and(is_asked_for)
    }
}

fn is_heading_complete(message: &Message<'_>) -> bool {
    let few = |node: NodeRef<'_>| node.children().take(FEW_FIELDS + 1).count() <= FEW_FIELDS;
    let flat = |node: NodeRef<'_>| node.children().all(|child| !child.has_children());
    !message.name().is_empty() && message.info().is_empty() && message.node().is_some_and(|node| few(node) && flat(node))
}
