//! What a tree keeps from one frame to the next.

use super::*;

static NUMBER: Field = Field::number("toy.number", "number", "A number");

/// A frame with so many fields and so many bytes of words.
fn frame(tree: &mut Tree, fields: usize, bytes: usize) {
    tree.begin(FrameInfo::default());
    for _ in 0..fields {
        tree.push(&NUMBER, Value::Bytes, Span::NONE);
    }
    tree.make(format_args!("{}", "w".repeat(bytes)));
}

#[test]
fn memory_that_is_not_needed_for_long_is_given_back() {
    for (fields, bytes) in [(200_000, 0), (0, 3 << 20)] {
        let mut tree = Tree::new(Want::EVERYTHING);
        for _ in 0..3 {
            frame(&mut tree, fields, bytes);
            let needed = tree.size();
            assert!(needed > 3 << 20);
            (0..4000).for_each(|_| frame(&mut tree, 5, 5));
            assert!(tree.room() >= needed, "others may need it soon: {} of {needed}", tree.room());
        }
        (0..200).for_each(|_| frame(&mut tree, 5, 5));
        assert!(tree.room() < 2 << 20, "{}", tree.room());
    }
}

#[test]
fn memory_of_words_is_given_back_where_later_frames_have_none() {
    let mut tree = Tree::new(Want::EVERYTHING);
    frame(&mut tree, 0, 3 << 20);
    for _ in 0..5000 {
        tree.begin(FrameInfo::default());
        tree.push(&NUMBER, Value::Bytes, Span::NONE);
    }
    assert!(tree.room() < 2 << 20, "{}", tree.room());
}

#[test]
fn memory_that_stays_when_a_tree_is_copied_is_given_back_as_well() {
    let mut tree = Tree::new(Want::EVERYTHING);
    frame(&mut tree, 200_000, 0);
    for _ in 0..20 {
        (0..1000).for_each(|_| frame(&mut tree, 5, 5));
        tree.copy_to(&mut Tree::new(Want::EVERYTHING));
    }
    assert!(tree.room() < 2 << 20, "{}", tree.room());
}

#[test]
fn values_that_are_digits_alone_are_what_columns_show() {
    static PLAIN: Field = Field::number("toy.plain", "plain", "A number");
    static HEX: Field = Field::number("toy.hex", "hex", "A number").hex(4);
    static HIDDEN: Field = Field::number("toy.hidden", "hidden", "A number").secret();
    static ADDRESS: Field = Field { kind: Kind::Ipv4, ..Field::number("toy.address", "address", "An address") };
    let mut tree = Tree::new(Want::EVERYTHING);
    tree.begin(FrameInfo::default());
    for number in [0, 9, 0xc0a8_0001, u64::from(u32::MAX), u64::from(u32::MAX) + 1, u64::MAX] {
        for field in [&PLAIN, &HEX, &HIDDEN, &ADDRESS] {
            // A number some of whose bytes are secret is no digits either.
            let span = if field.is(&HIDDEN) { Span::new(0, 4..8) } else { Span::new(0, 0..4) };
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
