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
