//! Summary line of the layers of a record.

use crate::tree::{Dissection, Layer};
use std::borrow::Cow;
use std::fmt::Write;

/// Maximum number of distinct message names in a line.
const FEW_NAMES: usize = 8;

/// Name and summary of layers: the names of several messages, else those of the innermost layer with a summary.
pub fn words_of<'t>(
    of: Dissection<'t>,
    layers: impl DoubleEndedIterator<Item = &'t Layer> + Clone,
) -> (Cow<'t, str>, Cow<'t, str>) {
    let tree = of.tree;
    let messages = layers.clone().filter(|layer| layer.message);
    if messages.clone().nth(1).is_some() {
        return (names_of(of, messages).into(), "".into());
    }
    let says = |layer: &&Layer| !(layer.name.is_empty() && layer.info.is_empty());
    let layer = layers.rev().find(says);
    layer.map(|layer| (tree.generated_text(layer.name).into(), tree.info(layer))).unwrap_or_default()
}

/// Comma-separated names of messages, with counts of repeated names. Of many, the first ones are listed.
fn names_of<'t>(of: Dissection<'t>, messages: impl Iterator<Item = &'t Layer>) -> String {
    let name_of = |layer: &'t Layer| match of.tree.generated_text(layer.name) {
        "" => of.layer_node(layer).map_or("", |node| node.field().name),
        name => name,
    };
    let mut runs: Vec<(&str, usize)> = Vec::new();
    let mut more = 0;
    for name in messages.map(name_of) {
        let is_full = runs.len() == FEW_NAMES;
        match runs.last_mut() {
            Some((last, count)) if *last == name && more == 0 => *count += 1,
            _ if is_full => more += 1,
            _ => runs.push((name, 1)),
        }
    }
    let mut names = String::new();
    for (name, count) in runs {
        // Writing to a String does not fail.
        let between = if names.is_empty() { "" } else { ", " };
        let _ = match count {
            1 => write!(names, "{between}{name}"),
            2 => write!(names, "{between}{name}, {name}"),
            _ => write!(names, "{between}{name} (×{count})"),
        };
    }
    if more > 0 {
        let _ = write!(names, ", … (+{more} more)");
    }
    names
}
