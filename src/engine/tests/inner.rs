//! An inner stream, with a toy carrier: a length byte, then that many bytes with all bits inverted.

use super::*;
use crate::record::Message;

static CARRIER: Protocol =
    Protocol::new(&CARRIER_FIELD, FIELDS).found(&[On::Tcp(9).stream::<Carrier>(Heuristic::Stream(is_record))]);

/// Lines, the first of which begins with a `w`.
static LINES: Protocol =
    Protocol::new(&LINES_FIELD, FIELDS).found(&[On::AnyTcp.stream_with(Heuristic::Stream(is_line), |_| Box::new(Lines))]);
static BOTH: &[&Protocol] = &[&CARRIER, &LINES];

fields! {
    CARRIER_FIELD = protocol("carrier", "Carrier", "Sealed records");
    SIZE = number("carrier.size", "size", "Bytes of a record; none at the end");
    SEALED = bytes("carrier.sealed", "sealed", "A record as it was sealed");
    PLAIN = bytes("carrier.plain", "plain", "What is in it");
    LINES_FIELD = protocol("lines", "Lines", "Lines");
    LINE = bytes("lines.line", "line", "A line");
}

#[derive(Default)]
struct Carrier {
    lost: bool,
}

impl Conversation for Carrier {
    fn extent(&mut self, _: Side, ahead: &[u8], _: bool) -> Extent {
        ahead.first().map_or(Extent::NeedMore(1), |size| Extent::Message(1 + usize::from(*size)))
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let size = usize::from(wire.u8(&SIZE)?);
        let Some(sealed) = wire.ahead().get(..size) else {
            self.lost = true;
            return wire.bytes(&SEALED, size).map(drop);
        };
        let plain: Vec<u8> = sealed.iter().map(|byte| !byte).collect();
        if size == 0 {
            wire.end_inner("turned");
            return Ok(());
        }
        let lost = std::mem::take(&mut self.lost);
        wire.deciphered("turned", size, 0, &plain, |inner| inner.add_inner(&PLAIN, size, "turned", lost))
    }

    fn gap(&mut self, _: Side, _: Missing) {
        self.lost = true;
    }
}

fn is_record(opening: &Opening<'_>) -> Verdict {
    let first = opening.sent.iter().find_map(|bytes| bytes.first());
    if first.is_some_and(u8::is_ascii_control) { Verdict::Yes(Side::Server) } else { Verdict::No }
}

fn is_line(opening: &Opening<'_>) -> Verdict {
    let first = opening.sent.iter().find_map(|bytes| bytes.first());
    if first == Some(&b'w') { Verdict::Yes(Side::Server) } else { Verdict::No }
}

struct Lines;

impl Conversation for Lines {
    fn extent(&mut self, _: Side, ahead: &[u8], more: bool) -> Extent {
        match ahead.iter().position(|byte| *byte == b'\n') {
            Some(end) => Extent::Message(end + 1),
            None if more => Extent::NeedMore(ahead.len() + 1),
            None => Extent::Message(ahead.len()),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        wire.rest(&LINE);
        Ok(())
    }
}

/// A record with these words.
fn sealed(words: &str) -> Vec<u8> {
    std::iter::once(u8::try_from(words.len()).unwrap()).chain(words.bytes().map(|byte| !byte)).collect()
}

fn line(message: &Message<'_>, frames: &[Vec<u8>]) -> String {
    let node = message.node().unwrap();
    // Each carrier inverts the bits again.
    let carriers = message.path().to_string().matches("carrier:").count();
    let is_inside = carriers > 0;
    if is_inside {
        let lead = |piece: &crate::tree::Piece| {
            let frame = &frames[usize::try_from(piece.frame).unwrap() - 1];
            let bytes = frame[piece.at as usize..][..piece.len as usize].iter();
            bytes.map(|byte| if carriers.is_multiple_of(2) { *byte } else { !byte }).collect::<Vec<_>>()
        };
        assert_eq!(message.pieces().iter().flat_map(lead).collect::<Vec<_>>(), node.bytes(), "pieces lead to the sealed bytes");
    }
    let bytes_inside = if is_inside { format!(" {}", node.bytes().escape_ascii()) } else { String::new() };
    let side = message.ends().and_then(|ends| ends.stream).map_or("", |(_, side)| side.direction());
    format!("{} {side} {:?}{bytes_inside}", message.path(), message.frames())
}

fn emitted(packets: &[Packet]) -> Vec<String> {
    let frames: Vec<Vec<u8>> = packets.iter().map(bytes).collect();
    let mut engine = Engine::complete(Registry::of(BOTH));
    let mut tally = Tally::new(View::Messages);
    let mut lines = Vec::new();
    let mut show = |record: Record<'_>| -> std::result::Result<(), ()> {
        match record {
            Record::Message(message) => lines.push(line(&message, &frames)),
            Record::Gap(gap) => lines.push(format!("gap {} bytes", gap.len)),
            Record::Packet(_) | Record::Late(_) => {}
        }
        Ok(())
    };
    for (number, bytes) in (1..).zip(&frames) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let frame = Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() };
        tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, &mut show).unwrap();
    }
    while let Some(tree) = engine.finish() {
        tally.records(Dissection { tree, bytes: &[] }, false, &mut show).unwrap();
    }
    lines
}

#[test]
fn messages_may_span_records_and_share_them() {
    let mut packets = opened();
    packets.push(client(100, &sealed("we a")));
    packets.push(client(105, &[sealed("re\nwo"), sealed("rds\nlas")].concat()));
    packets.push(client(119, &sealed("")));
    insta::assert_snapshot!(emitted(&packets).join("\n"), @r#"
    ip:tcp:carrier c2s [2]
    ip:tcp:carrier:lines c2s [2, 3] we are\n
    ip:tcp:carrier:lines c2s [3] words\n
    ip:tcp:carrier c2s [4]
    ip:tcp:carrier:lines c2s [3] las
    "#);
}

#[test]
fn both_sides_speak_inside_and_buffered_bytes_are_emitted_at_the_end() {
    let mut packets = opened();
    packets.push(client(100, &sealed("who\n")));
    packets.push(says(Side::Server, 300, &sealed("me\nan")));
    insta::assert_snapshot!(emitted(&packets).join("\n"), @r#"
    ip:tcp:carrier:lines c2s [2] who\n
    ip:tcp:carrier:lines s2c [3] me\n
    ip:tcp:carrier:lines s2c [3] an
    "#);
}

#[test]
fn unknown_payload_inside_is_data_inside() {
    let mut packets = opened();
    packets.push(client(100, &sealed("xyz")));
    insta::assert_snapshot!(emitted(&packets).join("\n"), @r#"
    ip:tcp:carrier:data c2s [2] xyz
    "#);
}

#[test]
fn streams_inside_streams_are_opened_to_a_depth() {
    let nested = |depth: usize| {
        let around = |inner: Vec<u8>, _| {
            std::iter::once(u8::try_from(inner.len()).unwrap()).chain(inner.iter().map(|byte| !byte)).collect()
        };
        emitted(&[opened(), vec![client(100, &(0..depth).fold(b"words\n".to_vec(), around))]].concat()).join("\n")
    };
    assert_eq!(nested(4), r"ip:tcp:carrier:carrier:carrier:carrier:lines c2s [2] words\n");
    assert_eq!(nested(5), r"ip:tcp:carrier:carrier:carrier:carrier:carrier c2s [2] \x06\x88\x90\x8d\x9b\x8c\xf5");
}

#[test]
fn the_inner_stream_continues_after_a_gap() {
    let mut packets = opened();
    packets.push(client(100, &sealed("we \n")));
    // A record is missing in the middle of a line.
    packets.push(client(105, &sealed("cut ")));
    packets.push(client(115, &sealed("go\non\n")));
    insta::assert_snapshot!(emitted(&packets).join("\n"), @r#"
    ip:tcp:carrier:lines c2s [2] we \n
    ip:tcp:carrier c2s [3]
    gap 5 bytes
    ip:tcp:carrier:lines c2s [3] cut 
    ip:tcp:carrier:lines c2s [4] go\n
    ip:tcp:carrier:lines c2s [4] on\n
    "#);
}

/// The lines inside a stream of records with `sizes` bytes each, in segments of `cuts` bytes each.
fn lines_of(words: &str, cuts: &[usize], sizes: &[usize]) -> String {
    let mut stream = Vec::new();
    let mut rest = words;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (record, behind) = rest.split_at((*size).min(rest.len()));
        stream.extend(sealed(record));
        rest = behind;
    }
    stream.extend(sealed(""));
    let mut packets = opened();
    let mut at = 0;
    for size in cuts.iter().cycle() {
        if at >= stream.len() {
            break;
        }
        let end = (at + size).min(stream.len());
        packets.push(client(100 + u32::try_from(at).unwrap(), &stream[at..end]));
        at = end;
    }
    let records = emitted(&packets);
    let lines = records.iter().filter(|line| line.contains("lines"));
    lines.map(|line| line.rsplit(' ').next().unwrap()).collect()
}

#[test]
fn records_and_segments_of_one_byte_give_the_same_lines() {
    assert_eq!(lines_of("w\n", &[1], &[1]), "w\\n");
}

proptest! {
    #[test]
    fn any_bytes_in_any_segments_give_the_same_lines(words in "[a-z\n]{1,60}", cuts in prop::collection::vec(1_usize..9, 1..40), sizes in prop::collection::vec(1_usize..9, 1..40)) {
        let words = format!("w{words}");
        prop_assert_eq!(lines_of(&words, &cuts, &sizes), words.as_bytes().escape_ascii().to_string());
    }
}
