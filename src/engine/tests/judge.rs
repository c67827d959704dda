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

/// In frames of which headers are passed over as well, since Ethernet is plain.
#[test]
fn what_conversations_say_that_have_to_go_is_whole() {
    for (link, below) in [(101, &[][..]), (1, &[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0])] {
        let headers = if link == 1 { 3 } else { 2 };
        let mut engine = engine();
        let mut told = 0;
        for (number, port) in (1..).zip(1024..=u16::MAX) {
            let bytes = [below, &from_port(&client(100, &[3, 7]), port)].concat();
            let original_len = u32::try_from(bytes.len()).unwrap();
            let tree = engine.dissect(&Frame { number, link: Link::Type(link), bytes: &bytes, original_len, ..Frame::default() });
            let goes = tree.layers.len() > headers;
            assert_eq!((tree.unseen, lengths(tree)), (true, if goes { tree.layers.len() - headers } else { 0 }));
            // They are looked at, and nothing else of the frame is.
            let seen = tree.layers.iter().filter(|layer| tree.is_seen(layer)).count();
            assert_eq!(seen, lengths(tree));
            told += lengths(tree);
        }
        assert!(told > 1000, "{told}");
    }
}
