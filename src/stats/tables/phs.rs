//! The protocol hierarchy in the form of tshark's `io,phs`.

use crate::stats::Hierarchy;
use std::io::{self, Write};

/// Width of the protocols, and of the lines around; both are narrower on a narrow terminal.
const PROTOCOL: usize = 40;
const RULE: usize = 67;

/// Deepest indentation, and what stands for more.
const DEEPEST: usize = 16;
const DEEPER: &str = "...";

/// Prints the hierarchy of the frames that match a filter.
pub(super) fn print(hierarchy: &Hierarchy, filter: &str, width: Option<usize>, to: &mut dyn Write) -> io::Result<()> {
    let width = width.unwrap_or(RULE).min(RULE);
    let (rule, protocol) = ("=".repeat(width), PROTOCOL.saturating_sub(RULE - width));
    writeln!(to, "\n{rule}\nProtocol Hierarchy Statistics\nFilter: {filter}\n")?;
    for (_, node) in hierarchy.in_order() {
        let mut name = "  ".repeat(node.depth.min(DEEPEST));
        if node.depth > DEEPEST {
            name.push_str(DEEPER);
        }
        name.push_str(node.protocol.abbrev);
        writeln!(to, "{name:<protocol$} frames:{} bytes:{}", node.count.frames, node.count.bytes)?;
    }
    writeln!(to, "{rule}")
}
