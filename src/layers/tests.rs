//! Nested headers.

use super::Next;
use super::trial::layers;
use crate::limits;
use crate::tree::{Demand, FrameInfo, Tree};

/// The number of layers of a frame with a repeated header, and whether the limit was reported.
fn nested(first: Next, header: &str, times: usize) -> (usize, bool) {
    let frame = crate::wire::trial::bytes(&header.repeat(times));
    let mut tree = Tree::complete();
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
    insta::assert_snapshot!(layers(Next::Link(186), &["0102"]), @"
    data 0..2 | usb-freebsd, 2 bytes
      0..2 data.data = 0102
    ");
    insta::assert_snapshot!(layers(Next::Link(160), &["0102"]), @"
    data 0..2 | link type 160, 2 bytes
      0..2 data.data = 0102
    ");
}

/// A frame check sequence, a trailer, and bytes after the end of a list belong to their layer even if no field is kept.
#[test]
fn layers_are_as_long_with_fields_as_without() {
    let padded = "0180c200000e 080027 42ba59 88cc 0602 0078 0000".to_owned() + &"00".repeat(60);
    let acknowledged = "d4000000 0014a5cd747b 658e564f".to_owned();
    let short = "020000000002 020000000001 0800 45000014 00000000 40fd0000 0a000001 0a000002".to_owned() + &"00".repeat(12);
    for (first, frame) in [(Next::Link(1), padded), (Next::Link(105), acknowledged), (Next::Link(1), short)] {
        let frame = crate::wire::trial::bytes(&frame);
        let lengths = |demand| {
            let mut tree = Tree::new(demand);
            tree.begin(FrameInfo::default());
            super::walk_from(&mut tree, first, &frame, 0, super::Checks::default());
            let nodes = tree.layers.iter().filter_map(|layer| tree.nodes.get(layer.node as usize));
            nodes.map(|node| (node.field.abbrev, node.span)).collect::<Vec<_>>()
        };
        assert_eq!(lengths(Demand::LAYERS), lengths(Demand::EVERYTHING));
        assert!(lengths(Demand::LAYERS).iter().any(|(_, span)| span.end as usize == frame.len()), "nothing reaches to the end");
    }
}

/// A filter on headers only is decided before messages are dissected.
#[test]
fn fields_that_messages_have_too_are_of_no_header() {
    let field = |protocol: &crate::wire::Protocol| protocol.fields.last().copied().unwrap();
    for protocol in super::IN_MESSAGES {
        assert!(!super::is_of_header(field(protocol)), "{}", protocol.this.abbrev);
    }
    assert!(super::is_of_header(field(&super::eapol::PROTOCOL)));
}

/// The field for an address has eight bytes in the headers of Linux's `any` device, however long the address is.
#[test]
fn an_address_of_a_cooked_capture_is_followed_by_unused_bytes() {
    for (link, head, tail) in [(113, "0000 0001", "0800"), (276, "0800 0000 00000001 0001 00", "")] {
        for (length, field, unused) in [(6, "sll.src.eth", 2), (4, "sll.src.other", 4), (8, "sll.src.other", 0), (0, "", 8)] {
            let length = if link == 113 { format!("{length:04x}") } else { format!("{length:02x}") };
            let tree = layers(Next::Link(link), &[&format!("{head} {length} 0102030405060708 {tail}")]);
            let sizes = tree.lines().filter(|line| line.contains("sll.src.") || line.contains("sll.unused"));
            let sizes: Vec<usize> = sizes
                .filter_map(|line| line.trim_start().split_once(' '))
                .map(|(span, _)| {
                    let (start, end) = span.split_once("..").unwrap();
                    end.parse::<usize>().unwrap() - start.parse::<usize>().unwrap()
                })
                .collect();
            let expected: Vec<usize> = [8 - unused, unused].into_iter().filter(|size| *size > 0).collect();
            assert_eq!(sizes, expected, "{tree}");
            assert!(tree.contains(field), "{tree}");
        }
    }
}
