//! Bit-exact positions of fields, compared with those of a writer.

use super::notation::encode::Shown;
use super::round_trip::is_worked_out;
use crate::tree::{Dissection, Kind, Level, NodeRef, Value, dump};
use std::ops::Range;

/// Fields whose value is their number of bits.
const RUNS: [&str; 2] = ["rs.palette.absent", "rs.gpi_init.absent"];

/// The message of a tree.
pub fn message(of: Dissection<'_>) -> Option<NodeRef<'_>> {
    of.tree.layers.iter().find(|layer| layer.message).and_then(|layer| of.layer_node(layer))
}

/// The bits of a node.
fn bits(node: NodeRef<'_>) -> Range<usize> {
    let (start, end) = (node.span().start as usize, node.span().end as usize);
    match node.bits() {
        Some(bits) => {
            let first = 8 * start + usize::from(bits.first);
            first..first + usize::from(bits.count)
        }
        None => 8 * start..8 * end,
    }
}

fn each(node: NodeRef<'_>, look: &mut impl FnMut(NodeRef<'_>)) {
    for child in node.children() {
        look(child);
        each(child, look);
    }
}

/// Values of a message without derived ones, in order.
pub fn shown(message: NodeRef<'_>) -> Vec<Shown> {
    let mut all = Vec::new();
    each(message, &mut |node| {
        let path = node.field().abbrev;
        if node.field().kind != Kind::Group && !is_worked_out(path) {
            let mut value = String::new();
            node.write_value(&mut value).unwrap();
            let is_changed = node.span().source != message.span().source;
            all.push(Shown { path: path.to_owned(), value, bits: bits(node), is_changed });
        }
    });
    all
}

/// Each bit of a message is in one field, without gaps.
pub fn tiled(message: NodeRef<'_>) -> Result<(), String> {
    let (mut end, mut wrong) = (8 * message.span().start as usize, None);
    each(message, &mut |node| {
        let span = node.span();
        if node.has_children() || span.source != message.span().source || span.is_empty() || wrong.is_some() {
            return;
        }
        let path = node.field().abbrev;
        let at = if RUNS.contains(&path) { end..end + usize::try_from(node.number().unwrap()).unwrap() } else { bits(node) };
        // Parts of a number are in its bytes.
        if at.start == end {
            end = at.end;
        } else if !is_worked_out(path) || at.end > end {
            wrong = Some(format!("{path} takes bits {at:?}; {end} is the next one"));
        }
    });
    match wrong {
        None if end == 8 * message.span().end as usize => Ok(()),
        None => Err(format!("fields end at bit {end} of {:?}", message.span())),
        Some(wrong) => Err(wrong),
    }
}

/// Whether each byte of a message is in a field.
pub fn is_covered(message: NodeRef<'_>) -> bool {
    let mut covered = vec![false; message.span().end as usize];
    each(message, &mut |node| {
        if !node.has_children() && node.span().source == message.span().source {
            covered[node.span().range()].fill(true);
        }
    });
    covered[message.span().range()].iter().all(|is_covered| *is_covered)
}

/// Numbers of these bytes that are read bit by bit are those of their bits.
pub fn reads_back(message: NodeRef<'_>, within: Range<usize>) -> Result<(), String> {
    let (bytes, mut wrong) = (message.bytes(), None);
    each(message, &mut |node| {
        let at = bits(node);
        if node.bits().is_none() || !within.contains(&(at.start / 8)) || node.span().source != message.span().source {
            return;
        }
        let raw = at.clone().fold(0_i64, |raw, bit| raw << 1 | i64::from(bytes[bit / 8] >> (7 - bit % 8) & 1));
        let unused = 64 - at.len();
        let is_same = match node.value() {
            Value::Signed(number) => number == raw << unused >> unused,
            _ => node.number() == Some(raw.cast_unsigned()),
        };
        if !is_same {
            wrong = Some(format!("{} at bits {at:?} is not {raw}", node.field().abbrev));
        }
    });
    wrong.map_or(Ok(()), Err)
}

/// Compares a message with its name, length and values, and checks that no bit is left out.
pub fn compare(of: Dissection<'_>, name: &str, length: usize, written: &[Shown]) -> Result<(), String> {
    let wrong = |why: String| Err(format!("{why}\n{}", dump(of)));
    let Some(message) = message(of) else { return wrong(format!("{name} is no message")) };
    let broken = of.tree.notes.iter().any(|note| note.code.kind == Kind::Note(Level::Broken));
    let tree = dump(of);
    let is_named = tree.lines().next().unwrap_or_default().split(" | ").take(2).eq([format!("rs 0..{length}"), name.to_owned()]);
    if !is_named || broken || tree.contains("rs.trailing") {
        return wrong(format!("{name} is read as"));
    }
    if let Err(why) = tiled(message) {
        return wrong(format!("{name}: {why}"));
    }
    let shown = shown(message);
    let written: Vec<&Shown> = written.iter().filter(|shown| !is_worked_out(&shown.path)).collect();
    match (0..shown.len().max(written.len())).find(|at| shown.get(*at) != written.get(*at).copied()) {
        Some(at) => wrong(format!("{name} shows {:?}, but {:?} was written", shown.get(at), written.get(at))),
        None => Ok(()),
    }
}
