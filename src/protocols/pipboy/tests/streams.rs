//! Framing: messages in pieces, after gaps, and joined midway.

use super::*;

/// Fields with a value that are read from the message, not derived from its length.
fn leaves(bytes: &[u8], cut: Cut) -> Vec<(&'static str, Span, String)> {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), cut);
    let result = Session::default().message(Side::Server, &mut wire);
    PROTOCOL.conclude(&mut wire, result);
    let open_ended = [&JSON, &DATA, &MAP_PIXELS];
    let of = Dissection { tree: &tree, bytes };
    let nodes = (0..tree.here()).filter_map(|place| of.node(place));
    nodes
        .filter(|node| node.value() != Value::None && node.span().is_somewhere())
        .filter(|node| !open_ended.iter().any(|field| field.is(node.field())))
        .map(|node| {
            let mut value = String::new();
            node.write_value(&mut value).unwrap();
            (node.field().abbrev, node.span(), value)
        })
        .collect()
}

#[test]
fn any_prefix_of_a_message_gives_the_same_fields_up_to_the_cut() {
    let is_json = |name: &str| name.contains("accepted") || name.contains("result");
    for bytes in GOOD.iter().map(|hex| trial::bytes(hex)) {
        let whole = leaves(&bytes, Cut::No);
        for end in 0..bytes.len() {
            let cut = leaves(&bytes[..end], Cut::Stream { needed: bytes.len() });
            let up_to_cut: Vec<_> = whole.iter().filter(|(_, span, _)| span.end as usize <= end).cloned().collect();
            if whole.iter().any(|(name, ..)| is_json(name)) {
                assert!(whole.starts_with(&cut), "{end} of {bytes:02x?}");
            } else {
                assert_eq!(cut, up_to_cut, "{end} of {bytes:02x?}");
            }
        }
    }
}

#[test]
fn a_cut_message_gets_no_note_but_the_cut() {
    for bytes in [THREE, NINE_TYPES, RADIO, MAP, GREETING, NOT_ALLOWED].map(trial::bytes) {
        for end in 0..bytes.len() {
            let tree = dissect(Side::Server, &bytes[..end], Cut::Stream { needed: bytes.len() });
            // Notes about references are independent of the cut.
            let others = tree.matches('!').count() - tree.matches("! odd pipboy.note.tree").count();
            assert_eq!(others, 1, "{tree}");
            assert!(tree.contains("! broken pipboy.truncated"), "{tree}");
        }
    }
}

/// A stream reassembler that collects the messages and unknown bytes reported by the conversation.
#[derive(Default)]
pub(super) struct Stream {
    session: Session,
    pub(super) queue: Vec<u8>,
    asked_at: usize,
    pub(super) messages: Vec<Vec<u8>>,
    pub(super) unknown: Vec<u8>,
    /// Number of messages in front of the first unknown byte.
    accepted: Option<usize>,
}

impl Stream {
    pub(super) fn arrive(&mut self, from: Side, piece: &[u8]) {
        self.queue.extend_from_slice(piece);
        while !self.queue.is_empty() && self.queue.len() >= self.asked_at {
            self.asked_at = 0;
            match self.session.extent(from, &self.queue, true) {
                Extent::Message(length) => {
                    assert!(length > 0);
                    if length > self.queue.len() {
                        self.asked_at = length;
                        continue;
                    }
                    self.messages.push(self.queue.drain(..length).collect());
                }
                Extent::NeedMore(length) => {
                    assert!(length > self.queue.len());
                    self.asked_at = length;
                }
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(length) => {
                    assert!(0 < length && length <= self.queue.len());
                    self.accepted.get_or_insert(self.messages.len());
                    self.unknown.extend(self.queue.drain(..length));
                }
            }
        }
    }

    /// Ends the stream: waiting bytes become a truncated message or unknown.
    pub(super) fn end(&mut self, from: Side) {
        while !self.queue.is_empty() {
            let all = self.queue.len();
            match self.session.extent(from, &self.queue, false) {
                Extent::Message(length) | Extent::NeedMore(length) => {
                    self.messages.push(self.queue.drain(..length.min(all)).collect());
                }
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(length) => {
                    self.accepted.get_or_insert(self.messages.len());
                    self.unknown.extend(self.queue.drain(..length.min(all)));
                }
            }
        }
    }

    /// The messages in front of the first unknown byte. Heartbeats at the start are no evidence of a Pip-Boy, so that they
    /// depend on what has arrived behind them.
    pub(super) fn accepted(&self) -> &[Vec<u8>] {
        let accepted = &self.messages[..self.accepted.unwrap_or(self.messages.len())];
        let heartbeats = accepted.iter().take_while(|message| **message == [0; HEADER]).count();
        &accepted[heartbeats..]
    }

    pub(super) fn lose(&mut self, from: Side) {
        self.queue.clear();
        self.asked_at = 0;
        self.session.gap(from, Missing { bytes: 1, in_step: false });
    }
}

fn arrived<'a>(from: Side, pieces: impl IntoIterator<Item = &'a [u8]>) -> Stream {
    let mut stream = Stream::default();
    pieces.into_iter().for_each(|piece| stream.arrive(from, piece));
    stream
}

#[test]
fn messages_are_the_same_in_any_pieces() {
    let bytes = joined(&[NINE_TYPES, HEARTBEATING, RADIO]);
    let want = [NINE_TYPES, HEARTBEATING, RADIO].map(trial::bytes);
    let radio = trial::bytes(NINE_TYPES).len() + 5;
    let (first, rest) = bytes.split_at(radio + 3);
    let (second, third) = rest.split_at(50);
    assert_eq!(arrived(Side::Server, [first, second, third]).messages, want);
    for size in 1..bytes.len() {
        let stream = arrived(Side::Server, bytes.chunks(size));
        assert_eq!(stream.messages, want, "in pieces of {size}");
        assert!(stream.unknown.is_empty() && stream.queue.is_empty());
    }
}

#[test]
fn a_first_message_of_unknown_type_does_not_depend_on_segments() {
    let mut bytes = trial::bytes("34 00 00 00 65");
    bytes.extend([0x35; 52]);
    let (followed, not_followed) = ([&bytes[..], &trial::bytes(ONE_BOOL)].concat(), [&bytes[..], b"Value."].concat());
    for (bytes, want) in [(bytes, 1), (followed, 2), (not_followed, 0)] {
        for size in 1..=bytes.len() {
            let mut stream = arrived(
                Side::Server,
                [&bytes[..4.min(size)], &bytes[4.min(size)..]].into_iter().flat_map(|part| part.chunks(size)),
            );
            stream.end(Side::Server);
            assert_eq!(stream.accepted().len(), want, "in pieces of {size}");
        }
    }
}

#[test]
fn errors_inside_a_payload_never_lose_the_next_message() {
    let parts = [&[GREETING], MALFORMED, &[ONE_BOOL]].concat();
    let want: Vec<_> = parts.iter().map(|hex| trial::bytes(hex)).collect();
    let bytes = joined(&parts);
    for size in 1..bytes.len() {
        assert_eq!(arrived(Side::Server, bytes.chunks(size)).messages, want, "in pieces of {size}");
    }
}

#[test]
fn hostile_length_abandons_the_direction() {
    let bytes = joined(&[GREETING, HOSTILE_LENGTH, ONE_BOOL, GREETING]);
    for size in 1..bytes.len() {
        let mut stream = arrived(Side::Server, bytes.chunks(size));
        assert_eq!(stream.messages, [trial::bytes(GREETING), trial::bytes("ff ff ff ff 03")]);
        assert_eq!(stream.messages.concat().len() + stream.unknown.len(), bytes.len());
        stream.lose(Side::Server);
        stream.arrive(Side::Server, &trial::bytes(GREETING));
        assert_eq!(stream.messages.len(), 2);
    }
}

#[test]
fn length_above_the_json_maximum_keeps_the_framing() {
    let long = json_message(5, &[b' '; 70_000]);
    let bytes = [trial::bytes(CLEAR_IDLE), long.clone(), trial::bytes(DROP_ITEM)].concat();
    assert_eq!(arrived(Side::Client, bytes.chunks(1460)).messages, [trial::bytes(CLEAR_IDLE), long, trial::bytes(DROP_ITEM)]);
}

#[test]
fn malformed_message_alone_is_still_a_message() {
    for hex in [MALFORMED, &["02 00 00 00 07 01 02"]].concat() {
        let mut stream = arrived(Side::Server, [&*trial::bytes(hex)]);
        stream.end(Side::Server);
        assert_eq!(stream.messages, [trial::bytes(hex)], "{hex}");
    }
}

#[test]
fn hostile_length_alone_is_still_a_message() {
    let mut stream = arrived(Side::Server, [&*trial::bytes(HOSTILE_LENGTH)]);
    stream.end(Side::Server);
    assert_eq!(stream.messages, [trial::bytes("ff ff ff ff 03")]);
    assert_eq!(stream.unknown, [0, 0x0f]);
}

#[test]
fn greeting_may_begin_with_blanks() {
    let greeting = json_message(1, format!("{:80}{{\"lang\" : \"en\", \"version\" : \"1\"}}", "").as_bytes());
    assert_eq!(arrived(Side::Server, greeting.chunks(9)).messages, [greeting]);
}

#[test]
fn stream_that_begins_inside_a_message_is_joined_at_the_next() {
    let bytes = joined(&[RADIO, TWO_FLOATS, HEARTBEATING, ONE_BOOL]);
    let want = [TWO_FLOATS, HEARTBEATING, ONE_BOOL].map(trial::bytes);
    for start in 1..102 {
        for size in [1, 7, 64, 1460] {
            let mut stream = arrived(Side::Server, bytes[start..].chunks(size));
            stream.end(Side::Server);
            assert_eq!(stream.messages, want, "from {start} in pieces of {size}");
            assert_eq!(stream.unknown.len(), 102 - start);
        }
    }
}

#[test]
fn after_a_gap_the_next_message_that_fits_is_found() {
    for (from, parts) in
        [(Side::Server, [NINE_TYPES, HEARTBEATING]), (Side::Server, [ALLOWED, MAP]), (Side::Client, [DROP_ITEM, HEARTBEATING])]
    {
        let mut stream = Stream::default();
        stream.arrive(from, &trial::bytes(parts[0])[..20]);
        stream.lose(from);
        stream.arrive(from, &trial::bytes("61 00 00 00 03 01 02"));
        let bytes = joined(&parts);
        bytes.chunks(11).for_each(|piece| stream.arrive(from, piece));
        assert_eq!(stream.messages, parts.map(trial::bytes));
        assert_eq!(stream.unknown, trial::bytes("61 00 00 00 03 01 02"));
    }
}

#[test]
fn gap_inside_one_message_keeps_the_framing() {
    let mut session = Session::default();
    session.extent(Side::Server, &trial::bytes(GREETING), true);
    session.gap(Side::Server, Missing { bytes: 9, in_step: true });
    assert_eq!(session.extent(Side::Server, &trial::bytes("02 00 00 00 00"), true), Extent::Message(7));
}

#[test]
fn zeros_do_not_resynchronize() {
    let mut stream = Stream::default();
    stream.lose(Side::Server);
    stream.arrive(Side::Server, &[0; 1000]);
    assert!(stream.messages.is_empty());
    stream.arrive(Side::Server, &trial::bytes(RADIO));
    assert_eq!(stream.messages, [trial::bytes(RADIO)]);
}

#[test]
fn at_the_end_a_search_accepts_an_incomplete_message() {
    let begun = &joined(&["61 00 00 00 03 01 02", RADIO])[..60];
    let mut session = Session::default();
    session.gap(Side::Server, Missing { bytes: 9, in_step: false });
    assert_eq!(session.extent(Side::Server, begun, true), Extent::Unknown(7));
    assert_eq!(session.extent(Side::Server, begun, false), Extent::Unknown(7));
    assert_eq!(session.extent(Side::Server, &begun[7..], false), Extent::Message(102));
    session.gap(Side::Server, Missing { bytes: 9, in_step: false });
    assert_eq!(session.extent(Side::Server, &[1, 2, 3], false), Extent::Unknown(3));
    assert_eq!(session.extent(Side::Server, &[0; 20], false), Extent::Unknown(20));
}

#[test]
fn directions_are_framed_independently() {
    let mut session = Session::default();
    session.gap(Side::Server, Missing { bytes: 9, in_step: false });
    assert_eq!(session.extent(Side::Client, &trial::bytes(CLEAR_IDLE), true), Extent::Message(33));
    assert_eq!(session.extent(Side::Server, &trial::bytes(HEARTBEATING), true), Extent::Unknown(1));
}

#[test]
fn hostile_streams_are_searched_in_proportion_to_their_length() {
    // Each block is the header of a long update and the start of a string that the next header terminates.
    let block = trial::bytes("00 00 0f 00 03 06 01 02 03 04 61 61 61 61 61 61");
    let bytes = block.repeat(1 << 16);
    for chunk in [1460, bytes.len()] {
        let mut stream = Stream::default();
        stream.lose(Side::Server);
        bytes.chunks(chunk).for_each(|piece| stream.arrive(Side::Server, piece));
        assert!(stream.messages.is_empty());
    }
    let mut zeros = Stream::default();
    zeros.arrive(Side::Server, &vec![0; 1 << 16]);
}

/// A stream joined inside an update: an apparent message, followed by an invalid header.
const FALSE_MATCH: [&str; 2] = [ONE_BOOL, "ff ff ff 7f 03 2a"];

#[test]
fn a_false_match_is_followed_by_another_search() {
    let messages = [RADIO, TWO_FLOATS, HEARTBEATING, ONE_BOOL, ALLOWED].map(trial::bytes);
    let found = trial::bytes(ONE_BOOL);
    let rest = [trial::bytes(FALSE_MATCH[1]), messages.concat()].concat();
    for lost in [false, true] {
        for size in [1, 7, 64, 1460] {
            let mut stream = Stream::default();
            if lost {
                stream.lose(Side::Server);
            }
            stream.arrive(Side::Server, &found);
            rest.chunks(size).for_each(|piece| stream.arrive(Side::Server, piece));
            stream.end(Side::Server);
            assert_eq!(stream.messages[0], found, "{lost} {size}");
            assert_eq!(stream.messages[1..], messages, "{lost} {size}");
            assert_eq!(stream.unknown, trial::bytes(FALSE_MATCH[1]));
        }
    }
}

#[test]
fn a_message_after_a_false_match_is_noted() {
    let bytes = [joined(&FALSE_MATCH), joined(&[RADIO, TWO_FLOATS, RADIO])].concat();
    let mut session = Session::default();
    let mut trees = Vec::new();
    let mut ahead = &bytes[..];
    while !ahead.is_empty() {
        let count = match session.extent(Side::Server, ahead, false) {
            Extent::Message(count) => {
                trees.push(trial::message(&PROTOCOL, &mut session, Side::Server, &ahead[..count], Cut::No));
                count
            }
            Extent::Segment => panic!("no protocol here asks for the next segment"),
            Extent::Unknown(count) => count,
            Extent::NeedMore(count) => panic!("{count} bytes are wanted where no more come"),
        };
        ahead = &ahead[count..];
    }
    let joined: Vec<bool> = trees.iter().map(|tree| tree.contains("pipboy.note.joined")).collect();
    assert_eq!(joined, [false, true, false, false]);
    assert!(trees[1].contains("6 bytes skipped"), "{}", trees[1]);
}

#[test]
fn many_false_matches_are_searched_in_proportion_to_their_length() {
    let parts = FALSE_MATCH.map(trial::bytes);
    let mut stream = Stream::default();
    (0..1 << 13).flat_map(|_| &parts).for_each(|piece| stream.arrive(Side::Server, piece));
    assert_eq!(stream.messages.len(), 1 << 13);
    let mut stream = Stream::default();
    stream.arrive(Side::Server, &parts.concat().repeat(1 << 16));
    stream.end(Side::Server);
    assert_eq!(stream.messages.concat().len() + stream.unknown.len(), parts.concat().len() << 16);
}
