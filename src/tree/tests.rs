//! Memory that a tree keeps between frames.

use super::*;
use crate::limits;
use crate::tree::Unkept;

static NUMBER: Field = Field::number("toy.number", "number", "A number");

/// A frame with this many fields and bytes of text.
fn frame(tree: &mut Tree, fields: usize, bytes: usize) {
    tree.begin(FrameInfo::default());
    for _ in 0..fields {
        tree.push(&NUMBER, Value::Bytes, Span::NONE);
    }
    tree.make(format_args!("{}", "w".repeat(bytes)));
}

#[test]
fn unused_memory_is_released() {
    for (fields, bytes) in [(200_000, 0), (0, 3 << 20)] {
        let mut tree = Tree::complete();
        for _ in 0..3 {
            frame(&mut tree, fields, bytes);
            let needed = tree.size();
            assert!(needed > 3 << 20);
            (0..4000).for_each(|_| frame(&mut tree, 5, 5));
            assert!(tree.memory_usage() >= needed, "others may need it soon: {} of {needed}", tree.memory_usage());
        }
        (0..200).for_each(|_| frame(&mut tree, 5, 5));
        assert!(tree.memory_usage() < 2 << 20, "{}", tree.memory_usage());
    }
}

#[test]
fn unused_memory_of_texts_is_released() {
    let mut tree = Tree::complete();
    frame(&mut tree, 0, 3 << 20);
    for _ in 0..5000 {
        tree.begin(FrameInfo::default());
        tree.push(&NUMBER, Value::Bytes, Span::NONE);
    }
    assert!(tree.memory_usage() < 2 << 20, "{}", tree.memory_usage());
}

#[test]
fn unused_memory_of_copied_trees_is_released() {
    let mut tree = Tree::complete();
    frame(&mut tree, 200_000, 0);
    for _ in 0..20 {
        (0..1000).for_each(|_| frame(&mut tree, 5, 5));
        tree.copy_to(&mut Tree::complete());
    }
    assert!(tree.memory_usage() < 2 << 20, "{}", tree.memory_usage());
}

#[test]
fn values_that_are_digits_alone_are_what_columns_show() {
    static PLAIN: Field = Field::number("toy.plain", "plain", "A number");
    static HEX: Field = Field::number("toy.hex", "hex", "A number").hex(4);
    static HIDDEN_FIELD: Field = Field::number("toy.hidden", "hidden", "A number").secret();
    static ADDRESS: Field = Field { kind: Kind::Ipv4, ..Field::number("toy.address", "address", "An address") };
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    for number in [0, 9, 0xc0a8_0001, u64::from(u32::MAX), u64::from(u32::MAX) + 1, u64::MAX] {
        for field in [&PLAIN, &HEX, &HIDDEN_FIELD, &ADDRESS] {
            // A number with partly secret bytes has no digits either.
            let span = if field.is(&HIDDEN_FIELD) { Span::new(0, 4..8) } else { Span::new(0, 0..4) };
            tree.push(field, Value::Unsigned(number), span);
        }
    }
    for len in 0..=4 {
        tree.push(&ADDRESS, Value::Bytes, Span::new(0, 0..len));
    }
    let of = Dissection { tree: &tree, bytes: &[10, 0, 255, 99] };
    let mut shown = 0;
    for node in (0..tree.here()).filter_map(|place| of.node(place)) {
        let mut plain = String::new();
        node.write_plain(&mut plain).unwrap();
        match node.digits() {
            Some(Digits::Number(number)) => assert_eq!(number.to_string(), plain),
            Some(Digits::Dotted(octets)) => assert_eq!(std::net::Ipv4Addr::from(octets).to_string(), plain),
            None => continue,
        }
        shown += 1;
    }
    assert_eq!(shown, 7);
}

static LIMITED: Field = Field::text("limited.text", "text", "");
static NOTE: Field = Field::odd("limited.note", "note", "");

fn node(tree: &mut Tree) -> u32 {
    tree.push(&LIMITED, Value::None, Span::NONE)
}

#[test]
fn more_nodes_than_a_tree_holds_are_counted() {
    let mut tree = Tree::complete();
    (0..limits::TREE_NODES.get() + 3).for_each(|_| _ = node(&mut tree));
    assert_eq!((tree.nodes.len(), tree.omitted()), (limits::TREE_NODES.get(), 3));
}

#[test]
fn more_notes_than_a_tree_holds_are_left_out() {
    let mut tree = Tree::complete();
    (0..limits::TREE_NOTES.get() + 3).for_each(|_| tree.note(&NOTE, 0, Span::NONE, format_args!("a")));
    assert_eq!(tree.notes.len(), limits::TREE_NOTES.get());
}

#[test]
fn text_that_does_not_fit_is_left_out_whole_and_counted() {
    let mut tree = Tree::complete();
    let long = "a".repeat(limits::TREE_TEXT.get() - 10);
    let places = [long.as_str(), "short", "much longer than what is left", "short again"].map(|text| {
        let place = node(&mut tree);
        tree.set_text(place, &LIMITED, |out| out.write_str(text));
        place
    });
    let text = |place: u32| match tree.nodes.get(place as usize).map(|node| node.value) {
        Some(Value::Generated(made)) => Some(tree.generated_text(made).len()),
        _ => None,
    };
    assert_eq!(places.map(text), [Some(long.len()), Some(5), None, None]);
    assert_eq!(tree.unkept(), Unkept { texts: 2, bytes: 0 });
    tree.begin(FrameInfo::default());
    assert_eq!(tree.unkept(), Unkept::default());
    let next = tree.make(format_args!("room again"));
    assert_eq!(tree.generated_text(next), "room again");
}

#[test]
fn the_text_of_a_note_is_cut_at_its_limit() {
    let mut tree = Tree::complete();
    // Two bytes per character, so that the limit is inside one.
    let long = format!("a{}", "ä".repeat(limits::TREE_NOTE_TEXT.get()));
    tree.note(&NOTE, 0, Span::NONE, format_args!("{long}"));
    let text = tree.generated_text(tree.notes[0].text);
    let kept = text.strip_suffix('…').unwrap();
    assert!(long.starts_with(kept) && kept.len() == limits::TREE_NOTE_TEXT.get() - 1, "{}", kept.len());
}

#[test]
fn derived_bytes_that_do_not_fit_are_left_out_and_counted() {
    let mut tree = Tree::complete();
    let bytes = vec![0x5a; limits::TREE_DERIVED.get() / 2 + 1];
    let [first, second] = [(); 2].map(|()| tree.push_derived("zlib", None, 0, &bytes));
    let span = |source| Span::new(source, 0..4);
    assert_eq!((tree.slice(span(first), &[]), tree.slice(span(second), &[])), (&[0x5a; 4][..], &[][..]));
    assert_eq!(tree.unkept(), Unkept { texts: 0, bytes: bytes.len() as u64 });
}

#[test]
fn notes_are_found_by_their_nodes_in_the_order_in_which_they_were_made() {
    let mut tree = Tree::complete();
    for number in 0_u32..1000 {
        tree.note(&NOTE, number * 7919 % 300, Span::NONE, format_args!("{number}"));
        let few = number == 16 - 1;
        for ranges in [vec![0..300, 0..1], vec![10..20, 10..11], vec![250..251, 5..9, 7..12], vec![300..400, 500..600], vec![]] {
            if few || number % 333 == 0 {
                let is_within = |note: &&Note| ranges.iter().any(|range: &std::ops::Range<u32>| range.contains(&note.node));
                let expected: Vec<&str> =
                    tree.notes.iter().filter(is_within).map(|note| tree.generated_text(note.text)).collect();
                let found: Vec<&str> =
                    tree.notes_within(&ranges).into_iter().map(|note| tree.generated_text(note.text)).collect();
                assert_eq!(found, expected, "{number} {ranges:?}");
            }
        }
    }
}

#[test]
fn decompressed_bytes_of_a_run_are_bounded_by_the_capture() {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo { captured: 1000, ..FrameInfo::default() });
    let most = limits::DECOMPRESSED.get() + 1000 * limits::DECOMPRESSED_RATIO.get();
    assert_eq!(tree.decompression_limit(), most);
    tree.run.decompressed = most as u64 - 5;
    assert_eq!(tree.decompression_limit(), 5);
    tree.begin(FrameInfo { captured: 2, ..FrameInfo::default() });
    assert_eq!(tree.decompression_limit(), 5 + 2 * limits::DECOMPRESSED_RATIO.get());
    tree.run.decompressed = u64::MAX;
    assert_eq!(tree.decompression_limit(), 0);
}

#[test]
fn every_byte_becomes_its_two_digits() {
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    let expected: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut words = String::new();
    hex(&bytes, &mut words).unwrap();
    assert_eq!(words, expected);
}

#[test]
fn the_first_byte_to_escape_is_found_at_every_position() {
    for length in [0, 1, 15, 16, 17, 40] {
        let plain = vec![b'a'; length];
        assert_eq!(clean::first_special(&plain), None);
        for at in 0..length {
            let mut text = plain.clone();
            text[at] = b'"';
            assert_eq!(clean::first_special(&text), Some(at));
            text[length - 1] = b'\n';
            assert_eq!(clean::first_special(&text), Some(at));
        }
    }
}

#[test]
fn negative_numbers_have_names() {
    static LEVEL: Field =
        Field { names: &[(0, "none"), (3, "three"), (u64::MAX, "unknown")], ..Field::number("t.level", "level", "") };
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    for value in [Value::Signed(-1), Value::Signed(3), Value::Signed(-3), Value::Unsigned(0), Value::None] {
        tree.push(&LEVEL, value, Span::NONE);
    }
    let of = Dissection { tree: &tree, bytes: &[] };
    let names: Vec<_> = (0..tree.here()).filter_map(|place| of.node(place)).map(NodeRef::name).collect();
    assert_eq!(names, [Some("unknown"), Some("three"), None, Some("none"), None]);
}

#[test]
fn the_nodes_before_a_node_end_at_its_layer() {
    static LAYER: Field = Field { kind: Kind::Protocol, ..Field::number("t", "t", "") };
    static PART: Field = Field::number("t.part", "part", "");
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    for (field, number) in [(&LAYER, 0), (&PART, 1), (&LAYER, 2), (&PART, 3), (&PART, 4), (&PART, 5)] {
        tree.push(field, Value::Unsigned(number), Span::NONE);
    }
    let of = Dissection { tree: &tree, bytes: &[] };
    let before = |place| of.node(place).into_iter().flat_map(NodeRef::before).filter_map(NodeRef::number).collect::<Vec<_>>();
    assert_eq!((before(5), before(4), before(3), before(1)), (vec![4, 3], vec![3], vec![], vec![]));
}
