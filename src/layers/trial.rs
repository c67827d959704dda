//! Dissection of single headers in tests of layers.

use super::{Next, walk_from};
use crate::tree::{Demand, Dissection, FrameInfo, Tree, dump};
use crate::wire::trial::bytes;

/// A frame with these bytes (lines of hexadecimal) as text in the format of [`dump`].
pub fn layers(first: Next, lines: &[&str]) -> String {
    cut(first, lines, 0)
}

/// The same with this many truncated bytes after the given ones.
pub fn cut(first: Next, lines: &[&str], missing: usize) -> String {
    let frame = bytes(&lines.concat());
    let mut tree = Tree::new(Demand::EVERYTHING);
    tree.begin(FrameInfo::default());
    walk_from(&mut tree, first, &frame, missing, super::Checks::default());
    dump(Dissection { tree: &tree, bytes: &frame })
}
