//! Headers in headers in headers.

use super::Next;
use super::trial::layers;
use crate::limits;
use crate::tree::{Demand, FrameInfo, Tree};

/// How many layers a frame has that repeats a header, and whether the tree says that there were more.
fn nested(first: Next, header: &str, times: usize) -> (usize, bool) {
    let frame = crate::wire::trial::bytes(&header.repeat(times));
    let mut tree = Tree::new(Demand::EVERYTHING);
    tree.begin(FrameInfo::default());
    super::walk_from(&mut tree, first, &frame, 0, super::Checks::default());
    (tree.layers.len(), tree.notes.iter().any(|note| note.code.abbrev == "dissect.deep"))
}

#[test]
fn nesting_ends_at_its_bound() {
    let bound = (limits::FRAME_LAYERS.get() + 1, true);
    assert_eq!(nested(Next::EtherType(0x8100), "0001 8100", 1000), bound);
    assert_eq!(nested(Next::EtherType(0x8847), "00010140 00000000 020000000002 020000000001 8847", 1000), bound);
    assert_eq!(nested(Next::EtherType(0x8864), "1100 0011 ffff 0281 00010140 020000000002 020000000001 8864", 1000), bound);
    assert_eq!(nested(Next::Link(192), "0000 0800 c0000000", 1000), bound);
}

#[test]
fn a_thousand_labels_are_one_layer() {
    assert_eq!(nested(Next::EtherType(0x8847), "00010040", 1000).0, 1);
    assert_eq!(nested(Next::EtherType(0x6558), "020000000002 020000000001 8847 00010040", 1).0, 2);
}

#[test]
fn an_unsupported_link_type_is_named() {
    insta::assert_snapshot!(layers(Next::Link(189), &["0102"]), @"
    data 0..2 | usb-linux, 2 bytes
      0..2 data.data = 0102
    ");
    insta::assert_snapshot!(layers(Next::Link(160), &["0102"]), @"
    data 0..2 | link type 160, 2 bytes
      0..2 data.data = 0102
    ");
}
