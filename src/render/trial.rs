//! Test fixtures for output: an artificial protocol with every kind of field, and one message of it.

use super::theme::Theme;
use super::{ColumnOptions, Columns, Json, JsonOptions, List, ListOptions, Shape, Table, TableOptions, TimeForm};
use crate::record::{Record, Tally, View};
use crate::sink::Sink;
use crate::tree::{
    Address, Dissection, Ends, FrameInfo, Gap, NodeRef, Piece, Side, Span, StreamId, Timestamp, Transport, Tree, fields,
};
use crate::wire::{Cut, Result, Wire};
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::io;
use std::rc::Rc;

fields! {
    LINK = protocol("lnk", "Link", "What carries a toy");
    LINK_TYPE = number("lnk.type", "type", "What it carries").hex(4).names(&[(8, "Toy")]);
    TOY = protocol("toy", "Toy", "A toy");
    SIZE = number("toy.size", "size", "A number");
    SIGNED = number("toy.signed", "signed", "A number that may be negative");
    RATIO = float("toy.ratio", "ratio", "A fraction");
    NAME = text("toy.name", "name", "A text");
    BODY = bytes("toy.body", "body", "Bytes");
    HOST = ipv4("toy.host", "host", "An address");
    FLAGS = number("toy.flags", "flags", "Bits").hex(2);
    LOW = number("toy.flags.low", "low", "The low ones").mask(0x0f);
    HIGH = bool("toy.flags.high", "high", "The highest").mask(0x80);
    ENTRY = group("toy.entry", "entry", "A key and a value").collapsed(entry_value, entry_meaning);
    KEY = number("toy.entry.key", "key", "The key").also("toy.any");
    OTHER = number("toy.entry.value", "value", "The value").also("toy.any");
    STRANGE = odd("toy.strange", "strange", "It is strange");
    BAD = broken("toy.bad", "bad", "It is bad");
}

fn entry_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    node.child(&OTHER).map_or(Ok(()), |value| value.write_value(out))
}

fn entry_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    node.child(&KEY).map_or(Ok(()), |key| write!(out, "key {}", key.number().unwrap_or_default()))
}

/// A tree with its frame.
pub struct Trial {
    pub tree: Tree,
    pub bytes: Vec<u8>,
}

const AT: Timestamp = Timestamp { seconds: 1_448_400_002, nanos: 55_398_000 };
const STREAM: StreamId = StreamId { transport: Transport::Tcp, number: 0 };

/// Frame 17: a link header of two bytes, then a toy message dissected by `read`.
pub fn framed(toy: &[u8], read: impl FnOnce(&mut Wire<'_>) -> Result) -> Trial {
    let mut trial = linked(toy);
    let ends = trial.tree.push_ends(ends(None));
    let end = trial.bytes.len();
    let layer = trial.tree.push_layer(&TOY, Span::new(0, 2..end), Some(0), ends, true);
    let mut wire = Wire::new(&mut trial.tree, layer, 0, &trial.bytes, 2..end, Cut::No);
    read(&mut wire).unwrap_or_default();
    close(&mut trial.tree, layer, end);
    trial
}

/// The same message in a stream from offset 100, half of it in frame 16.
pub fn streamed(toy: &[u8], read: impl FnOnce(&mut Wire<'_>) -> Result) -> Trial {
    let mut trial = linked(toy);
    let len = u32::try_from(toy.len()).unwrap();
    let half = len / 2;
    let piece = |off, len, frame| Piece { off, len, frame, at: 2, time: Some(AT) };
    trial.tree.pieces = vec![piece(100, half, 16), piece(100 + u64::from(half), len - half, 17)];
    let source = trial.tree.push_stream(STREAM, Side::Server, 100, 0, Some(toy));
    let ends = trial.tree.push_ends(ends(Some((STREAM, Side::Server))));
    let layer = trial.tree.push_layer(&TOY, Span::new(source, 0..toy.len()), Some(0), ends, true);
    let mut wire = Wire::new(&mut trial.tree, layer, source, toy, 0..toy.len(), Cut::No);
    read(&mut wire).unwrap_or_default();
    close(&mut trial.tree, layer, toy.len());
    trial
}

/// A tree with only a gap.
pub fn gap() -> Trial {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo { number: 40, ..FrameInfo::default() });
    tree.gaps.push(Gap { stream: STREAM, side: Side::Server, off: 9000, len: 1460, elements: None, frame: 40, before: 0 });
    Trial { tree, bytes: Vec::new() }
}

fn linked(toy: &[u8]) -> Trial {
    let bytes = [&[0, 8], toy].concat();
    let mut tree = Tree::complete();
    let captured = u32::try_from(bytes.len()).unwrap();
    tree.begin(FrameInfo { number: 17, time: Some(AT), link: Some(1), captured, original: captured + 4, ..FrameInfo::default() });
    let layer = tree.push_layer(&LINK, Span::new(0, 0..2), None, 0, false);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..2, Cut::No);
    wire.u16_be(&LINK_TYPE).unwrap();
    close(&mut tree, layer, 2);
    Trial { tree, bytes }
}

fn ends(stream: Option<(StreamId, Side)>) -> Ends {
    let socket = |text: &str| Some(Address::Socket(text.parse().unwrap()));
    Ends { src: socket("10.0.0.1:27000"), dst: socket("10.0.0.2:51000"), stream, ..Ends::default() }
}

fn close(tree: &mut Tree, layer: u32, end: usize) {
    let place = tree.layers[layer as usize].node;
    let field = tree.nodes[place as usize].field;
    tree.close(place, field, end);
}

/// Collects the output of a sink.
#[derive(Clone, Default)]
struct Collected(Rc<RefCell<Vec<u8>>>);

impl io::Write for Collected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Trial {
    pub fn of(&self) -> Dissection<'_> {
        Dissection { tree: &self.tree, bytes: &self.bytes }
    }

    /// Passes records to the sink.
    pub fn records(&self, view: View, mut each: impl FnMut(&Record<'_>)) {
        let mut tally = Tally::new(view);
        let shown: std::result::Result<(), ()> = tally.records(self.of(), true, |record| {
            each(&record);
            Ok(())
        });
        shown.unwrap();
    }

    fn printed<S: Sink>(&self, view: View, sink: impl FnOnce(Collected) -> S) -> String {
        let kept = Collected::default();
        let mut sink = sink(kept.clone());
        self.records(view, |record| sink.record(record).unwrap());
        sink.finish().unwrap();
        String::from_utf8(kept.0.take()).unwrap()
    }

    pub fn table(&self, view: View, options: TableOptions) -> String {
        self.printed(view, |to| Table::new(to, options))
    }

    pub fn list(&self, view: View, theme: Theme) -> String {
        self.list_within(view, theme, None)
    }

    pub fn list_within(&self, view: View, theme: Theme, width: Option<usize>) -> String {
        let options = ListOptions {
            theme,
            time: TimeForm::Relative,
            file_names: false,
            width,
            whole: false,
            flush: false,
            hex: false,
            secrets: false,
        };
        self.printed(view, |to| List::new(to, options))
    }

    pub fn json(&self, view: View, carriers: bool) -> String {
        self.printed(view, |to| Json::new(to, JsonOptions { shape: Shape::Lines, carriers, flush: true }))
    }

    pub fn columns(&self, view: View, columns: Vec<super::Column>, options: ColumnOptions) -> String {
        self.printed(view, |to| Columns::new(to, columns, options))
    }
}

/// A table with default options.
pub fn plain_table() -> TableOptions {
    TableOptions {
        verbose_fields: false,
        carriers: false,
        hex: false,
        details: Vec::new(),
        width: None,
        theme: Theme::plain(),
        time: TimeForm::Relative,
        file_names: false,
    }
}

/// A message with hostile text in every field of text.
pub fn hostile() -> Trial {
    const TEXT: &[u8] = b"a\x1b]0;t\x07\xe2\x80\xae\xc2\x9b\x7f\r\n\\\xff";
    framed(TEXT, |wire| {
        let text = String::from_utf8_lossy(TEXT).into_owned();
        wire.name(&text);
        wire.info(format_args!("{text}"));
        wire.text(&NAME, TEXT.len())?;
        wire.note(&BAD, format_args!("{text}"));
        let at = wire.at();
        wire.put_text(&NAME, at - 1..at, format_args!("{text}"));
        Ok(())
    })
}

/// Whether text has no control characters.
pub fn is_harmless(text: &str) -> bool {
    text.lines().all(|line| !line.contains(crate::tree::is_harmful))
}
