//! Hex dumps in which each byte has the colour of its field.

use super::theme::{Role, Theme};
use crate::record::{Location, location_of};
use crate::tree::{Dissection, Kind, Layer, Node, NodeRef, Origin, Piece, Span};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::ops::Range;

/// Bytes per line, halved if that is too wide.
const PER_LINE: usize = 16;

/// Prefix of headings within a dump, which hex text readers do not treat as the end of a packet.
pub const RULE: &str = "──";

/// Width of a line with this number of bytes.
const COLUMNS: usize = 78;

/// Marks a byte or field without colour.
const NONE: usize = usize::MAX;

/// Marks a byte that is not shown.
const MASKED: usize = usize::MAX - 1;

/// Colours of the fields of layers, shared by table and dump.
#[derive(Debug, Default)]
pub struct Colouring {
    first: u32,
    numbers: Vec<usize>,
    given: usize,
}

impl Colouring {
    /// Assigns colours to the fields of these layers. A `folded` group has one colour.
    pub fn of<'t>(layers: impl Iterator<Item = NodeRef<'t>>, folded: impl Fn(NodeRef<'_>) -> bool) -> Colouring {
        let mut colouring = Colouring::default();
        for layer in layers {
            if colouring.numbers.is_empty() {
                colouring.first = layer.place();
            }
            colouring.assign(layer, None, &folded);
        }
        colouring
    }

    /// Role of the bytes of a node.
    pub fn role(&self, node: NodeRef<'_>) -> Role {
        match self.number(node.place()) {
            NONE => Role::Bytes,
            number => Role::Field(number),
        }
    }

    fn number(&self, place: u32) -> usize {
        let at = place.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.numbers.get(at)).copied().unwrap_or(NONE)
    }

    fn assign(&mut self, node: NodeRef<'_>, inherited: Option<usize>, folded: &impl Fn(NodeRef<'_>) -> bool) {
        let folds = folded(node);
        let is_envelope = matches!(node.field().kind, Kind::Group | Kind::Protocol) && node.has_children() && !folds;
        let number = inherited.or_else(|| (!is_envelope).then(|| self.next()));
        let Some(at) = node.place().checked_sub(self.first).and_then(|at| usize::try_from(at).ok()) else { return };
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, NONE);
        }
        if let (Some(slot), Some(number)) = (self.numbers.get_mut(at), number) {
            *slot = number;
        }
        for child in node.children() {
            // Bit fields share the bytes and therefore the colour of their number.
            let shared = number.filter(|_| folds || child.span() == node.span());
            self.assign(child, shared, folded);
        }
    }

    fn next(&mut self) -> usize {
        self.given += 1;
        self.given - 1
    }

    /// Colour of each of `count` bytes; `place` maps spans to these bytes.
    fn of_bytes(&self, of: Dissection<'_>, count: usize, place: impl Fn(Span) -> Option<Range<usize>>) -> Vec<usize> {
        let mut colours = vec![NONE; count];
        let first = usize::try_from(self.first).unwrap_or(usize::MAX);
        let nodes = of.tree.nodes.get(first..).unwrap_or_default();
        for (Node { span, .. }, &number) in nodes.iter().zip(&self.numbers) {
            let bytes = place(*span).and_then(|range| colours.get_mut(range));
            if let Some(bytes) = bytes
                && number != NONE
            {
                bytes.fill(number);
            }
        }
        for span in of.tree.masked_spans() {
            if let Some(bytes) = place(*span).and_then(|range| colours.get_mut(range)) {
                bytes.fill(MASKED);
            }
        }
        colours
    }
}

/// Format of a hex dump.
#[derive(Clone, Copy)]
pub struct HexFormat {
    /// Colours.
    pub theme: Theme,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
}

impl HexFormat {
    fn per_line(self) -> usize {
        if self.width.is_some_and(|width| width < COLUMNS) { PER_LINE / 2 } else { PER_LINE }
    }
}

/// Dumps the bytes of a node, with offsets from `base`.
pub fn of_node(
    of: Dissection<'_>,
    node: NodeRef<'_>,
    base: u64,
    colouring: &Colouring,
    look: HexFormat,
    out: &mut String,
) -> fmt::Result {
    let whole = node.span();
    let place = |span: Span| {
        let (start, end) = (span.start.max(whole.start), span.end.min(whole.end));
        let is_part = span.source == whole.source && start < end;
        is_part.then(|| (start - whole.start) as usize..(end - whole.start) as usize)
    };
    let bytes = node.bytes();
    let colours = colouring.of_bytes(of, bytes.len(), place);
    dump(bytes, base + u64::from(whole.start), &colours, look, out)
}

/// Dumps all captured bytes of a frame, without field colours.
pub fn of_frame(of: Dissection<'_>, look: HexFormat, out: &mut String) -> fmt::Result {
    let colours = Colouring::default().of_bytes(of, of.bytes.len(), |span| in_frame(of, span));
    dump(of.bytes, 0, &colours, look, out)
}

/// Dumps what fields of these layers lie in, apart from the frame and from the bytes of `own`: decoded, decrypted and reassembled
/// bytes, each below a line with their buffer and size.
///
/// The lines are like those of tshark, so that readers of hex text skip the rows.
pub fn of_derived(
    of: Dissection<'_>,
    layers: &[&Layer],
    own: Option<NodeRef<'_>>,
    colouring: &Colouring,
    look: HexFormat,
    out: &mut String,
) -> fmt::Result {
    let (parts, count) = apart(of, layers, own.map(NodeRef::span));
    if parts.is_empty() {
        return Ok(());
    }
    // All parts in one list, so that the fields are visited once.
    let colours = colouring.of_bytes(of, count, |span| {
        let (part, first) = parts.get(&span.source)?;
        let (start, end) = (span.start.max(part.start), span.end.min(part.end));
        let at = |offset: u32| first + (offset - part.start) as usize;
        (start < end).then(|| at(start)..at(end))
    });
    for (part, first) in parts.values() {
        let bytes = of.slice(*part);
        // Too large to be kept.
        if bytes.is_empty() {
            continue;
        }
        let colours = colours.get(*first..first + bytes.len()).unwrap_or_default();
        let place = location_of(of, *part);
        let words = Heading { of, part: *part, place };
        writeln!(out, "{}", look.theme.paint(Role::Secondary, format_args!("{words}")))?;
        dump(bytes, place.base + u64::from(part.start), colours, look, out)?;
    }
    Ok(())
}

/// By source, the bytes from the first to the last one in which fields of these layers lie, and their place among all of them.
fn apart(of: Dissection<'_>, layers: &[&Layer], own: Option<Span>) -> (BTreeMap<u32, (Span, usize)>, usize) {
    let mut parts: BTreeMap<u32, (Span, usize)> = BTreeMap::new();
    let nodes = layers
        .iter()
        .filter_map(|layer| of.tree.nodes_of(layer))
        .filter_map(|range| of.tree.nodes.get(range.start as usize..range.end as usize));
    let mut in_frame = Span::NOWHERE;
    for span in nodes.flatten().map(|node| node.span) {
        if span.source == in_frame || span.start >= span.end || own.is_some_and(|own| own.source == span.source) {
            continue;
        }
        if let Some((part, _)) = parts.get_mut(&span.source) {
            (part.start, part.end) = (part.start.min(span.start), part.end.max(span.end));
        } else if is_apart(of, span) {
            parts.insert(span.source, (span, 0));
        } else {
            in_frame = span.source;
        }
    }
    let mut count = 0;
    for (part, first) in parts.values_mut() {
        *first = count;
        count += of.slice(*part).len();
    }
    (parts, count)
}

/// Whether bytes are not in the frame as such, but come from it.
fn is_apart(of: Dissection<'_>, span: Span) -> bool {
    let Some(source) = of.tree.source(span).filter(|_| of.tree.offset_in_frame(span).is_none()) else { return false };
    match source.origin {
        Origin::Frame => false,
        Origin::Stream(..) => true,
        Origin::Derived(derived) => derived.from.is_some() || derived.stream.is_some() || !of.tree.pieces_of(source).is_empty(),
    }
}

/// The line above a dump: `derived/1, zlib (200 bytes):`.
struct Heading<'t> {
    of: Dissection<'t>,
    part: Span,
    place: Location,
}

impl fmt::Display for Heading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.of.tree.source(self.part);
        let how = match source.map(|source| source.origin) {
            Some(Origin::Derived(derived)) => derived.method,
            _ => "reassembled",
        };
        write!(f, "{}, {how} ({} bytes):", self.place.buffer, self.part.len())
    }
}

/// Dumps a frame in pieces per layer, each byte once and in order, so that the output can be used as input.
pub struct FrameDump<'t> {
    of: Dissection<'t>,
    look: HexFormat,
    colours: Vec<usize>,
    /// Innermost layer of each byte.
    owners: Vec<Option<usize>>,
    /// Number of bytes written so far.
    written: usize,
}

impl<'t> FrameDump<'t> {
    /// Prepares the dump of a frame with these layers.
    pub fn new(of: Dissection<'t>, layers: &[&Layer], colouring: &Colouring, look: HexFormat) -> FrameDump<'t> {
        let mut owners = vec![None; of.bytes.len()];
        for (number, node) in layers.iter().map(|layer| of.layer_node(layer)).enumerate() {
            for part in node.map(|node| parts_in_frame(of, node.span())).unwrap_or_default() {
                owners.get_mut(part).unwrap_or_default().fill(Some(number));
            }
        }
        let colours = colouring.of_bytes(of, of.bytes.len(), |span| in_frame(of, span));
        FrameDump { of, look, colours, owners, written: 0 }
    }

    /// Writes the next bytes that belong to this layer.
    pub fn of_layer(&mut self, number: usize, out: &mut String) -> fmt::Result {
        let rest = self.owners.get(self.written..).unwrap_or_default();
        let count = rest.iter().take_while(|owner| **owner == Some(number)).count();
        self.write(count, out)
    }

    /// Writes the remaining bytes: trailers, or bytes of no layer.
    pub fn rest(&mut self, out: &mut String) -> fmt::Result {
        let end = self.owners.len();
        if self.written < end {
            let words = format_args!("{RULE} bytes {} to {} of the frame", self.written, end - 1);
            writeln!(out, "{}", self.look.theme.paint(Role::Secondary, words))?;
        }
        self.write(end - self.written, out)
    }

    fn write(&mut self, count: usize, out: &mut String) -> fmt::Result {
        let range = self.written..self.written + count;
        let (bytes, colours) = (self.of.bytes.get(range.clone()), self.colours.get(range));
        dump(bytes.unwrap_or_default(), self.written as u64, colours.unwrap_or_default(), self.look, out)?;
        self.written += count;
        Ok(())
    }
}

/// Ranges of the frame that contain bytes of a span.
fn parts_in_frame(of: Dissection<'_>, span: Span) -> Vec<Range<usize>> {
    let Some(source) = of.tree.source(span) else { return Vec::new() };
    let pieces = of.tree.pieces_of(source);
    if pieces.is_empty() {
        return in_frame(of, span).into_iter().collect();
    }
    let (start, end) = (source.base + u64::from(span.start), source.base + u64::from(span.end));
    let part = |piece: &Piece| {
        let (first, last) = (start.max(piece.off), end.min(piece.off + u64::from(piece.len)));
        let at = |off: u64| usize::try_from(u64::from(piece.at) + off.checked_sub(piece.off)?).ok();
        (piece.frame == of.tree.frame.number && first < last).then_some(at(first)?..at(last)?)
    };
    pieces.iter().filter_map(part).collect()
}

/// Range of the frame that contains a span contiguously.
fn in_frame(of: Dissection<'_>, span: Span) -> Option<Range<usize>> {
    let source = of.tree.source(span)?;
    let shift = match of.tree.pieces_of(source) {
        [] => (span.source == 0).then_some(0)?,
        [piece] if piece.frame == of.tree.frame.number => u64::from(piece.at).checked_add(source.base)?.checked_sub(piece.off)?,
        _ => return None,
    };
    let at = |position: u32| usize::try_from(shift.checked_add(u64::from(position))?).ok();
    Some(at(span.start)?..at(span.end)?)
}

fn dump(bytes: &[u8], base: u64, colours: &[usize], look: HexFormat, out: &mut String) -> fmt::Result {
    let (theme, per_line) = (look.theme, look.per_line());
    let lines = bytes.chunks(per_line).zip(colours.chunks(per_line));
    for ((bytes, colours), offset) in lines.zip((base..).step_by(per_line)) {
        write!(out, "{}  ", theme.paint(Role::Offset, format_args!("{offset:08x}")))?;
        let mut run = String::new();
        runs(bytes, colours, |at, bytes, role| {
            run.clear();
            for (at, byte) in (at..).zip(bytes) {
                let gap = if run.is_empty() { "" } else { gap_before(at) };
                match role {
                    None => write!(run, "{gap}**")?,
                    Some(_) => write!(run, "{gap}{byte:02x}")?,
                }
            }
            write!(out, "{}{}", gap_before(at), theme.paint(role.unwrap_or(Role::Bytes), &run))
        })?;
        let missing = per_line - bytes.len();
        // The gap between halves if there is no second half.
        let halves = usize::from(bytes.len() <= HALF && per_line > HALF);
        // The bars prevent hex text readers from parsing characters as bytes.
        write!(out, "{:1$}  |", "", 3 * missing + halves)?;
        runs(bytes, colours, |_, bytes, role| {
            run.clear();
            run.extend(bytes.iter().map(|byte| match (role, *byte) {
                (None, _) => '*',
                (Some(_), byte @ 0x20..0x7f) => char::from(byte),
                (Some(_), _) => '.',
            }));
            write!(out, "{}", theme.paint(role.unwrap_or(Role::Bytes), &run))
        })?;
        out.push_str("|\n");
    }
    Ok(())
}

/// Bytes per half line.
const HALF: usize = PER_LINE / 2;

fn gap_before(at: usize) -> &'static str {
    match at {
        0 => "",
        HALF => "  ",
        _ => " ",
    }
}

/// Splits bytes into runs of one colour, with their offsets. Runs without a role are not shown.
fn runs(bytes: &[u8], colours: &[usize], mut each: impl FnMut(usize, &[u8], Option<Role>) -> fmt::Result) -> fmt::Result {
    let mut at = 0;
    for run in colours.chunk_by(|a, b| a == b) {
        let role = match run.first() {
            Some(&MASKED) => None,
            Some(&NONE) | None => Some(Role::Bytes),
            Some(&number) => Some(Role::Field(number)),
        };
        each(at, bytes.get(at..at + run.len()).unwrap_or_default(), role)?;
        at += run.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: HexFormat = HexFormat { theme: Theme::plain(), width: None };
    const COLOURED: HexFormat = HexFormat { theme: Theme::coloured(), ..PLAIN };

    #[test]
    fn a_dump_counts_from_its_base_and_hides_control_bytes() {
        let bytes: Vec<u8> = (0x10..0x2b).collect();
        let mut out = String::new();
        dump(&bytes, 45, &vec![NONE; bytes.len()], PLAIN, &mut out).unwrap();
        assert_eq!(
            out,
            "0000002d  10 11 12 13 14 15 16 17  18 19 1a 1b 1c 1d 1e 1f  |................|\n\
             0000003d  20 21 22 23 24 25 26 27  28 29 2a                 | !\"#$%&'()*|\n"
        );
    }

    #[test]
    fn short_lines_keep_the_text_in_its_column() {
        let columns = [1, 8, 9, 16].map(|count| {
            let mut out = String::new();
            dump(&vec![b'x'; count], 0, &vec![NONE; count], PLAIN, &mut out).unwrap();
            out.find('x')
        });
        assert_eq!(columns, [Some(61); 4]);
    }

    #[test]
    fn bytes_of_one_field_are_one_run_of_its_colour() {
        let mut out = String::new();
        dump(b"abc", 0, &[0, 0, 1], COLOURED, &mut out).unwrap();
        assert!(out.contains("\x1b[38;5;29m61 62\x1b[0m \x1b[38;5;163m63"), "{out:?}");
    }
}
