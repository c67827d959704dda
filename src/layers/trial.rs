//! Dissection of single headers in tests of layers.

use super::{Next, walk_from};
use crate::tree::{Dissection, FrameInfo, Tree, dump};
use crate::wire::trial::{bytes, damaged};

/// Most fields that a byte of a header has.
const FIELDS_PER_BYTE: usize = 16;

/// A frame with these bytes (lines of hexadecimal) as text in the format of [`dump`].
pub fn layers(first: Next, lines: &[&str]) -> String {
    cut(first, lines, 0)
}

/// The same with this many truncated bytes after the given ones.
///
/// # Panics
/// When a damaged copy of the frame has more fields than its bytes explain.
pub fn cut(first: Next, lines: &[&str], missing: usize) -> String {
    let frame = bytes(&lines.concat());
    for damaged in damaged(&frame) {
        let count = walked(first, &damaged, missing).nodes.len();
        assert!(count <= FIELDS_PER_BYTE * (damaged.len() + 1), "{count} fields of {damaged:02x?}");
    }
    dump(Dissection { tree: &walked(first, &frame, missing), bytes: &frame })
}

fn walked(first: Next, frame: &[u8], missing: usize) -> Tree {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    walk_from(&mut tree, first, frame, missing, super::Checks::default());
    tree
}
