//! A protocol of one's own beside the built-in ones: `cargo run --example own_protocol`.
//!
//! ```text
//! kind:1 (1 chat, 2 score) | length:2 | content
//! ```

use proto_dissect::dissect::{Conversation, Extent, Heuristic, On, Opening, Protocol, Result, Side, Verdict, Wire, fields};
use proto_dissect::{Registry, Session};
use std::error::Error;

static OWN: &[&Protocol] = &[&TOY];

static TOY: Protocol = Protocol::new(&TOY_FIELD, FIELDS).found(&[On::Tcp(4000).stream::<Toy>(Heuristic::Stream(recognize))]);

fields! {
    TOY_FIELD = protocol("toy", "Toy", "A protocol of this example");
    KIND = number("toy.kind", "Kind", "").names(&[(1, "chat"), (2, "score")]);
    LENGTH = number("toy.length", "Length", "In bytes");
    TEXT = text("toy.text", "Text", "");
    POINTS = number("toy.points", "Points", "");
}

/// Bytes of a kind and a length.
const HEADER: usize = 3;

/// Recognizes a side that begins with a kind and a short message. Only clients send, so the other side is the server.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in [Side::Client, Side::Server] {
        match opening.of(side) {
            [1 | 2, 0, _, ..] => return Verdict::Yes(side.other()),
            [] | [1 | 2] | [1 | 2, 0] if !opening.complete => {}
            _ => return Verdict::No,
        }
    }
    Verdict::Unsure
}

#[derive(Default)]
struct Toy;

impl Conversation for Toy {
    fn extent(&mut self, _from: Side, ahead: &[u8], _more: bool) -> Extent {
        match ahead {
            [_, high, low, ..] => Extent::Message(HEADER + usize::from(u16::from_be_bytes([*high, *low]))),
            _ => Extent::NeedMore(HEADER),
        }
    }

    fn message(&mut self, _from: Side, wire: &mut Wire<'_>) -> Result {
        let kind = wire.u8(&KIND)?;
        let length = wire.u16_be(&LENGTH)?;
        match kind {
            1 => {
                wire.name("chat");
                wire.text(&TEXT, length.into()).map(drop)
            }
            2 => {
                wire.name("score");
                wire.u32_be(&POINTS).map(drop)
            }
            // The caller turns unread bytes into a field.
            _ => Ok(()),
        }
    }
}

/// The payload of a TCP segment from port 5000 to 4000, as a hex dump: a chat message and a score.
const SEGMENT: &str = "0000 45 00 00 37 00 01 00 00 40 06 00 00 0a 00 00 01
0010 0a 00 00 02 13 88 0f a0 00 00 00 01 00 00 00 01
0020 50 18 ff ff 00 00 00 00 01 00 05 68 65 6c 6c 6f
0030 02 00 04 00 00 00 2a
";

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut session = Session::open(SEGMENT.as_bytes())?.registry(Registry::default().and(OWN));
    while let Some(record) = session.next_record()? {
        println!("{record}");
        for name in ["toy.kind", "toy.text", "toy.points"] {
            if let Some(value) = record.field(name) {
                println!("  {name} = {value}");
            }
        }
    }
    Ok(())
}
