//! Frames that nobody looks at keep nothing, but what other conversations say at them is kept.

use super::tcp::from_port;
use super::*;
use crate::engine::Judge;
use crate::layers::ip;
use crate::tree::{Only, Tree};

/// An engine whose every frame is passed over for what its headers say.
fn engine() -> Engine {
    let judge = Judge { headers: Some(Only::these([&ip::SRC])), may_match: Box::new(|_| false) };
    Engine::new(Registry::of(TOYS), Want::EVERYTHING).judged_by(Some(judge))
}

fn dissect<'a>(engine: &'a mut Engine, number: u64, bytes: &[u8]) -> &'a Tree {
    let original_len = u32::try_from(bytes.len()).unwrap();
    engine.dissect(&Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() })
}

fn lengths(tree: &Tree) -> usize {
    tree.nodes.iter().filter(|node| node.field.is(&LENGTH)).count()
}

#[test]
fn what_is_left_at_the_end_is_whole() {
    let mut engine = engine();
    let tree = dissect(&mut engine, 1, &bytes(&client(100, &[3, 7, 8, 9, 5, 1])));
    assert!(tree.unseen && lengths(tree) == 0 && tree.layers.len() == 3);
    let left = engine.finish().unwrap();
    assert!(!left.unseen && lengths(left) == 1);
}

#[test]
fn what_conversations_say_that_have_to_go_is_whole() {
    let mut engine = engine();
    let mut told = 0;
    for (number, port) in (1..).zip(1024..=u16::MAX) {
        let tree = dissect(&mut engine, number, &from_port(&client(100, &[3, 7]), port));
        let goes = tree.layers.len() > 2;
        assert_eq!((tree.unseen, lengths(tree)), (!goes, if goes { tree.layers.len() - 2 } else { 0 }));
        told += lengths(tree);
    }
    assert!(told > 1000, "{told}");
}
