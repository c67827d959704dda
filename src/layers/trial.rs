//! Headers without a network around them: what tests of layers stand on.

use super::{Next, walk_from};
use crate::tree::{Demand, Dissection, FrameInfo, Tree, dump};
use crate::wire::trial::bytes;

/// A frame that begins with this, in hexadecimal lines, as [`dump`] writes it.
pub fn layers(first: Next, lines: &[&str]) -> String {
    cut(first, lines, 0)
}

/// The same where the capture cut off so many bytes behind the ones given.
pub fn cut(first: Next, lines: &[&str], missing: usize) -> String {
    let frame = bytes(&lines.concat());
    let mut tree = Tree::new(Demand::EVERYTHING);
    tree.begin(FrameInfo::default());
    walk_from(&mut tree, first, &frame, missing, super::Checks::default());
    dump(Dissection { tree: &tree, bytes: &frame })
}
