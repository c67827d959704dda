//! Appends secrets to the summary of a record, with `--show-secrets`. Without it, trees contain masked values only.

use crate::record::{Message, Packet};
use crate::tree::{Dissection, NodeRef};
use std::fmt::{self, Write};

/// Maximum number of secrets per line.
const MOST: usize = 4;

/// Writes the secrets of a message.
pub fn of_message(message: &Message<'_>, out: &mut String) -> fmt::Result {
    write_all(message.of, message.node().into_iter(), out)
}

/// Writes the secrets of a packet.
pub fn of_packet(packet: &Packet<'_>, out: &mut String) -> fmt::Result {
    write_all(packet.of, packet.layers().filter_map(|layer| packet.of.layer_node(layer)), out)
}

fn write_all<'t>(of: Dissection<'t>, nodes: impl Iterator<Item = NodeRef<'t>>, out: &mut String) -> fmt::Result {
    if !of.tree.run.reveal {
        return Ok(());
    }
    let mut found = Vec::new();
    nodes.for_each(|node| collect(node, &mut found));
    for node in found.iter().take(MOST) {
        write!(out, ", {} ", node.field().name)?;
        node.write_value(out)?;
    }
    match found.len().checked_sub(MOST) {
        Some(more @ 1..) => write!(out, ", {more} more secrets"),
        _ => Ok(()),
    }
}

/// Innermost secret fields below a node.
fn collect<'t>(node: NodeRef<'t>, found: &mut Vec<NodeRef<'t>>) {
    let before = found.len();
    node.children().for_each(|child| collect(child, found));
    if found.len() == before && node.field().secret && !node.span().is_empty() {
        found.push(node);
    }
}
