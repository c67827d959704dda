//! Work per record does not depend on the number of records.

use super::*;
use crate::tree::steps::steps_of;
use crate::tree::{FrameInfo, Tree, Value};
use std::convert::Infallible;

static MESSAGE: Field = Field::protocol("toy", "Toy", "Messages");
static TEXT: Field = Field::text("toy.text", "Text", "");
static ODD: Field = Field::odd("toy.odd", "Odd", "");

/// A tree with this number of messages, each with a note and a derived buffer; every second one is late.
fn tree(messages: u32) -> Tree {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    for number in 0..messages {
        tree.outcome.late = number % 2 == 1;
        let layer = tree.push_layer(&MESSAGE, Span::new(0, 0..1), None, 0, true);
        let source = tree.push_derived("toy", Some(Span::new(0, 0..1)), 0, b"a");
        let node = tree.push(&TEXT, Value::Text, Span::new(source, 0..1));
        tree.note(&ODD, node, Span::NONE, format_args!("odd"));
        let place = tree.layers[layer as usize].node;
        tree.close(place, &MESSAGE, 1);
    }
    tree
}

#[test]
fn notes_and_buffers_of_records_take_steps_in_proportion_to_the_records() {
    let steps = |messages: u32, view: View| {
        let tree = tree(messages);
        let of = Dissection { tree: &tree, bytes: b"a" };
        let (mut notes, mut buffers) = (0, 0);
        let steps = steps_of(|| {
            let result: Result<(), Infallible> = Tally::new(view).records(of, true, |record| {
                let layers: Vec<&Layer> = match &record {
                    Record::Message(message) => vec![message.layer],
                    Record::Packet(packet) => packet.layers().collect(),
                    Record::Late(late) => late.layers.iter().collect(),
                    Record::Gap(_) => Vec::new(),
                };
                buffers += derived_of(of, &layers).len();
                notes += match record {
                    Record::Message(message) => message.notes().count(),
                    Record::Packet(packet) => packet.notes().count(),
                    Record::Late(late) => late.notes().count(),
                    Record::Gap(_) => 0,
                };
                Ok(())
            });
            result.unwrap();
        });
        assert_eq!((notes, buffers), (messages as usize, messages as usize));
        steps
    };
    for view in [View::Messages, View::Packets] {
        let (few, many) = (steps(500, view), steps(2000, view));
        assert!((1000..50_000).contains(&few) && many <= 5 * few, "{few} and {many} steps: {view:?}");
    }
}
