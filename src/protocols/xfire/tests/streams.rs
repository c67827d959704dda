//! Streams: all types, segmentation, gaps, midway starts, heuristics.

use super::*;

/// A line for each packet type: a message with an attribute in the keys of the type.
pub(super) fn every_type() -> String {
    packets::all()
        .map(|packet| {
            let attribute: &[u8] = match packets::keys(packet.kind, None) {
                Keys::Named => b"\x04name\x01\x02\0Al",
                Keys::Numbered => b"\x02\x01\x02\0Al",
            };
            let bytes = message(packet.kind, 1, attribute);
            let tree = dissect(packet.from.unwrap_or(Side::Client), &bytes, Cut::No);
            let mode = tree.lines().find(|line| line.contains("key_mode")).unwrap().trim();
            let notes = tree.matches("\n!").count();
            let who = packet.from.map_or("c2c", Side::direction);
            format!("{} {who} {} | {mode} | {notes} notes\n", packet.kind, tree.lines().next().unwrap())
        })
        .collect()
}

/// Value fields without children, with their spans.
fn leaves(from: Side, bytes: &[u8], cut: Cut) -> Vec<(&'static str, Span, String)> {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    tree.run.reveal = true;
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), cut);
    let result = Session::default().message(from, &mut wire);
    PROTOCOL.conclude(&mut wire, result);
    let of = Dissection { tree: &tree, bytes };
    let nodes = (0..tree.here()).filter_map(|place| of.node(place));
    nodes
        .filter(|node| node.value() != Value::None && node.span().is_somewhere() && !node.field().is(&UNPARSED))
        .map(|node| {
            let mut value = String::new();
            node.write_value(&mut value).unwrap();
            (node.field().abbrev, node.span(), value)
        })
        .collect()
}

fn good() -> impl Iterator<Item = (Side, Vec<u8>)> {
    let of = |side, all: &'static [&str]| all.iter().map(move |hex| (side, trial::bytes(hex)));
    of(Side::Client, CLIENT).chain(of(Side::Server, SERVER))
}

#[test]
fn a_truncated_message_has_the_same_fields_up_to_its_end() {
    // Rows need complete lists.
    let without_rows = |leaves: Vec<(&'static str, Span, String)>| {
        let mut end = 0;
        let in_order: Vec<_> = leaves
            .into_iter()
            .filter(|(_, span, _)| {
                let is_next = span.start >= end || span.end >= end;
                end = end.max(span.end);
                is_next
            })
            .collect();
        in_order
    };
    for (from, bytes) in good() {
        let whole = without_rows(leaves(from, &bytes, Cut::No));
        for end in 0..bytes.len() {
            let cut = without_rows(leaves(from, &bytes[..end], Cut::Stream { needed: bytes.len() }));
            let up_to_cut: Vec<_> = whole.iter().filter(|(_, span, _)| span.end as usize <= end).cloned().collect();
            for leaf in &up_to_cut {
                assert!(cut.contains(leaf), "{leaf:?} of {end} of {bytes:02x?}\n{cut:?}");
            }
        }
    }
}

#[test]
fn a_truncated_message_has_no_other_note() {
    for (from, bytes) in good() {
        for end in 2..bytes.len() {
            let tree = dissect(from, &bytes[..end], Cut::Stream { needed: bytes.len() });
            let is_mismatch = tree.contains("list_count_mismatch");
            assert_eq!(tree.matches("\n! ").count() - usize::from(is_mismatch), 1, "{tree}");
            assert!(tree.contains("! broken xfire.expert.truncated"), "{tree}");
        }
    }
}

/// Delivers pieces of a stream to a conversation and collects messages and unknown bytes.
#[derive(Default)]
pub(super) struct Stream {
    session: Session,
    waiting: Vec<u8>,
    asked_at: usize,
    pub(super) messages: Vec<Vec<u8>>,
    pub(super) unknown: Vec<u8>,
}

impl Stream {
    pub(super) fn arrive(&mut self, from: Side, piece: &[u8]) {
        self.waiting.extend_from_slice(piece);
        while !self.waiting.is_empty() && self.waiting.len() >= self.asked_at {
            self.asked_at = 0;
            match self.session.extent(from, &self.waiting, true) {
                Extent::Message(length) => {
                    assert!(length > 0);
                    if length > self.waiting.len() {
                        self.asked_at = length;
                        continue;
                    }
                    self.messages.push(self.waiting.drain(..length).collect());
                }
                Extent::NeedMore(length) => {
                    assert!(length > self.waiting.len());
                    self.asked_at = length;
                }
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(length) => {
                    assert!(0 < length && length <= self.waiting.len());
                    self.unknown.extend(self.waiting.drain(..length));
                }
            }
        }
    }

    fn end(&mut self, from: Side) {
        while !self.waiting.is_empty() {
            let all = self.waiting.len();
            match self.session.extent(from, &self.waiting, false) {
                Extent::Message(length) | Extent::NeedMore(length) => {
                    self.messages.push(self.waiting.drain(..length.min(all)).collect());
                }
                Extent::Segment => panic!("no protocol here asks for the next segment"),
                Extent::Unknown(length) => self.unknown.extend(self.waiting.drain(..length.min(all))),
            }
        }
    }

    fn lose(&mut self, from: Side) {
        self.waiting.clear();
        self.asked_at = 0;
        self.session.gap(from, Missing { bytes: 1, in_step: false });
    }
}

fn joined(messages: &[&str]) -> Vec<u8> {
    messages.iter().flat_map(|hex| trial::bytes(hex)).collect()
}

#[test]
fn messages_are_found_at_any_segmentation() {
    let opening = joined(&[X1, X3]);
    for sizes in [vec![3, 7, 1, 30, 65], vec![1; 106], vec![106]] {
        let mut stream = Stream::default();
        let mut rest = &opening[..];
        for size in sizes {
            let (piece, behind) = rest.split_at(size);
            stream.arrive(Side::Client, piece);
            rest = behind;
        }
        let lengths: Vec<usize> = stream.messages.iter().map(Vec::len).collect();
        assert_eq!((lengths, stream.unknown.len(), rest.len()), (vec![4, 18, 84], 0, 0));
    }
}

#[test]
fn opening_version_and_login_in_one_stream() {
    insta::assert_snapshot!(stream(Side::Client, &[trial::bytes(X1), trial::bytes(X3)].concat()), @r#"
    xfire 0..4 | hello
      0..4 xfire.magic = "UA01"
    xfire 0..18 | client_version | version 67
      0..2 xfire.length = 18
      2..4 xfire.type = 3 (client_version)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "string"
      5..18 xfire.attr
        5..6 xfire.attr.name_len = 7
        6..13 xfire.attr.name = "version"
        13..14 xfire.attr.type = 2 (int32)
        14..18 xfire.value.int32 = 67
          14..18 xfire.version = 67
    xfire 0..84 | login_request | testuser
      0..2 xfire.length = 84
      2..4 xfire.type = 1 (login_request)
      4..5 xfire.attr_count = 3
      xfire.key_mode = "string"
      5..21 xfire.attr
        5..6 xfire.attr.name_len = 4
        6..10 xfire.attr.name = "name"
        10..11 xfire.attr.type = 1 (string)
        11..13 xfire.value.string_len = 8
        13..21 xfire.value.string = "testuser"
          13..21 xfire.name = "testuser"
      21..73 xfire.attr
        21..22 xfire.attr.name_len = 8
        22..30 xfire.attr.name = "password"
        30..31 xfire.attr.type = 1 (string)
        31..33 xfire.value.string_len = 40
        33..73 xfire.login.digest = "efbc7394c38acc95325060d8b78fde35e5a64283"
      73..84 xfire.attr
        73..74 xfire.attr.name_len = 5
        74..79 xfire.attr.name = "flags"
        79..80 xfire.attr.type = 2 (int32)
        80..84 xfire.value.int32 = 0
    "#);
}

#[test]
fn messages_are_found_after_a_gap() {
    for before in [0, 1, 7, 40] {
        let mut stream = Stream::default();
        stream.arrive(Side::Server, &trial::bytes(X2));
        stream.lose(Side::Server);
        let rest = [vec![0xee; before], joined(&[X7, X8, X11])].concat();
        rest.chunks(5).for_each(|piece| stream.arrive(Side::Server, piece));
        stream.end(Side::Server);
        assert_eq!(stream.unknown, vec![0xee; before]);
        assert_eq!(stream.messages.len(), 4);
    }
}

#[test]
fn an_invalid_length_is_skipped_by_a_search() {
    let mut stream = Stream::default();
    let bytes = [trial::bytes(X4), vec![3, 0, 1, 0, 0], joined(&[X5, X4])].concat();
    stream.arrive(Side::Client, &bytes);
    stream.end(Side::Client);
    let lengths: Vec<usize> = stream.messages.iter().map(Vec::len).collect();
    assert_eq!((lengths, stream.unknown), (vec![26, 2, 73, 26], vec![1, 0, 0]));
}

fn judge(look: fn(&Opening<'_>) -> Verdict, client: &[u8], server: &[u8], from_start: bool, complete: bool) -> Verdict {
    look(&Opening { sent: [client, server], from_start: [from_start; 2], complete })
}

#[test]
fn clients_and_servers_are_recognized_on_any_port() {
    let (hello, salt) = (trial::bytes(X1), trial::bytes(X2));
    for look in [heuristics::on_port, heuristics::anywhere] {
        assert_eq!(judge(look, &hello, &[], true, false), Verdict::Yes(Side::Server));
        assert_eq!(judge(look, &[], &hello, true, false), Verdict::Yes(Side::Client));
        assert_eq!(judge(look, &[], &salt, true, false), Verdict::Yes(Side::Server));
        assert_eq!(judge(look, &[], &joined(&[X7, X8]), false, false), Verdict::Yes(Side::Server));
        assert_eq!(judge(look, &joined(&[X4, X5]), &[], false, false), Verdict::Yes(Side::Server));
        assert_eq!(judge(look, b"GET / HTTP/1.1\r\n", &[], true, true), Verdict::No);
        assert_eq!(judge(look, b"UA", &[], true, false), Verdict::Unsure);
    }
    assert_eq!(judge(heuristics::anywhere, b"UA01", &[], true, true), Verdict::No);
    // Another message of a client follows, or one that only a server sends.
    assert_eq!(judge(heuristics::anywhere, &joined(&["55413031", X4]), &[], true, true), Verdict::Yes(Side::Server));
    assert_eq!(judge(heuristics::anywhere, &joined(&["55413031", X2]), &[], true, true), Verdict::No);
    assert_eq!(judge(heuristics::on_port, b"UA01", &[], true, false), Verdict::Yes(Side::Server));
    assert_eq!(judge(heuristics::anywhere, b"UA01\x03\0\x03\0\x01", &[], true, true), Verdict::No);
    for (client, server) in [(&b"test"[..], &b""[..]), (b"", b"success")] {
        assert_eq!(judge(heuristics::on_port, client, server, true, true), Verdict::Yes(Side::Server));
        assert_eq!(judge(heuristics::anywhere, client, server, true, true), Verdict::No);
    }
}

#[test]
fn every_test_vector_is_recognized_on_the_port() {
    for (from, bytes) in good() {
        let mut opening: [&[u8]; 2] = [&[], &[]];
        opening[from.index()] = &bytes;
        let verdict = heuristics::on_port(&Opening { sent: opening, from_start: [true; 2], complete: true });
        assert_eq!(verdict, Verdict::Yes(Side::Server), "{bytes:02x?}");
    }
}

#[test]
fn login_digests_are_verified_with_passwords() {
    let with_setting = |name: &'static str, value: &str| {
        let mut settings = Settings::new();
        settings.set(PROTOCOL.settings.iter().find(|setting| setting.name == name).unwrap(), value.into());
        let mut session = Session { state: State::new(&settings), ..Session::default() };
        trial::message(&PROTOCOL, &mut session, Side::Server, &trial::bytes(X2), Cut::No);
        let tree = trial::message(&PROTOCOL, &mut session, Side::Client, &trial::bytes(X3), Cut::No);
        tree.lines().last().unwrap().to_owned()
    };
    assert!(with_setting("xfire.password", "secret").contains("xfire.expert.digest_right"));
    assert!(with_setting("xfire.password", "Secret").contains("! odd xfire.expert.digest_wrong"));
    assert!(with_setting("xfire.passwords", "# all\nother:x\nTestUser:secret\n").contains("xfire.expert.digest_right"));
    assert!(!with_setting("xfire.passwords", "other:x\n").contains("expert"));
}

#[test]
fn users_are_named_and_texts_matched_with_acknowledgements() {
    let mut session = Session::default();
    let mut say = |from, hex: &str| trial::message(&PROTOCOL, &mut session, from, &trial::bytes(hex), Cut::No);
    say(Side::Server, X7);
    say(Side::Server, X8);
    let typing = say(Side::Server, &X6.replace("02 02 00 00 00 02 69 70", "02 00 00 00 00 02 69 70"));
    assert!(typing.contains("xfire.user = \"alice\""), "{typing}");
    say(Side::Client, X5);
    let acknowledgement = [&trial::bytes(X5)[5..35], b"\x05\x02\x07msgtype\x02\x01\0\0\0\x07imindex\x02\x04\0\0\0"].concat();
    let bytes = message(133, 2, &[&acknowledgement[..29], &acknowledgement[30..]].concat());
    let tree = trial::message(&PROTOCOL, &mut session, Side::Server, &bytes, Cut::No);
    assert!(tree.contains("xfire.peermsg.acknowledges = \"dude!\""), "{tree}");
}

#[test]
fn secrets_are_masked_by_default() {
    let bytes = trial::bytes(X3);
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
    Session::default().message(Side::Client, &mut wire).unwrap();
    tree.close(0, PROTOCOL.this, bytes.len());
    let masked = crate::tree::dump(Dissection { tree: &tree, bytes: &bytes });
    assert!(masked.contains("xfire.login.digest = ***"), "{masked}");
    assert!(!masked.contains("efbc7394"), "{masked}");
    assert!(by_client(X3).contains("efbc7394"));
}

/// Hostile bytes: parts of messages, and noise.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let all = || proptest::sample::select([CLIENT, SERVER, MALFORMED, &[X1, X17, X20, X21]].concat());
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20),
        all().prop_map(trial::bytes),
        (all(), 0..50_usize).prop_map(|(hex, end)| {
            let bytes = trial::bytes(hex);
            bytes[..end.min(bytes.len())].to_vec()
        }),
        (all(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(hex, place, byte)| {
            let mut bytes = trial::bytes(hex);
            let place = place.index(bytes.len());
            bytes[place] = byte;
            bytes
        }),
    ];
    proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_dissected_without_panic(bytes in hostile(), from_server: bool, is_cut: bool) {
        let from = if from_server { Side::Server } else { Side::Client };
        dissect(from, &bytes, if is_cut { Cut::Stream { needed: bytes.len() + 1 } } else { Cut::No });
        trial::read(&PROTOCOL, &bytes, Cut::No, |wire| p2p::datagram(wire, Side::Client, &mut Peers::default()));
        trial::read(&PROTOCOL, &bytes, Cut::No, p2p::nat);
        trial::read(&PROTOCOL, &bytes, Cut::Capture, |wire| Peers::default().message(Side::Client, wire));
        p2p::is_p2p(&bytes);
    }

    #[test]
    fn no_attributes_fit_both_kinds_of_keys(bytes in hostile(), count in 1..20_usize) {
        let fits = |keys| scan::attributes(&bytes, keys, count).fits(bytes.len());
        prop_assert!(!(fits(Keys::Named) && fits(Keys::Numbered)));
    }

    #[test]
    fn extents_advance_and_cover_all_bytes(bytes in hostile(), size in 1..40_usize, lost: bool, from_server: bool) {
        let from = if from_server { Side::Server } else { Side::Client };
        let mut stream = Stream::default();
        if lost {
            stream.lose(from);
        }
        bytes.chunks(size).for_each(|piece| stream.arrive(from, piece));
        prop_assert_eq!(stream.messages.concat().len() + stream.unknown.len() + stream.waiting.len(), bytes.len());
        stream.end(from);
        prop_assert_eq!(stream.messages.concat().len() + stream.unknown.len(), bytes.len());
    }

    #[test]
    fn arbitrary_openings_are_judged_without_panic(client in hostile(), server in hostile(), from_start: bool, complete: bool) {
        for look in [heuristics::on_port, heuristics::anywhere] {
            let verdict = judge(look, &client, &server, from_start, complete);
            prop_assert!(!complete || verdict != Verdict::Unsure);
        }
    }
}

/// Message with a session ID under this key.
fn with_sid(name: &[u8], sid: u8) -> Vec<u8> {
    message(packets::CLIENT_VERSION, 1, &[&[u8::try_from(name.len()).unwrap()][..], name, &[3], &[sid; 16]].concat())
}

#[test]
fn session_ids_are_distinguished_by_their_number() {
    let messages: Vec<u8> = [7, 9, 7, 0].into_iter().flat_map(|sid| with_sid(b"sid", sid)).collect();
    let trees = stream(Side::Client, &messages);
    let numbers: Vec<&str> =
        trees.lines().filter_map(|line| line.trim().split_once("xfire.session = ")).map(|(_, n)| n).collect();
    assert_eq!(numbers, ["1", "2", "1"]);
    assert_eq!(trees.matches("xfire.session = ").count(), 3, "{trees}");
    assert!(stream(Side::Client, &with_sid(b"other", 7)).contains("xfire.session = 1"));
}

#[test]
fn a_user_without_name_is_shown_by_session_number() {
    assert!(by_client(X5).contains("peer_message | IM #4 to sid #1: \"dude!\""), "{}", by_client(X5));
}

#[test]
fn keys_are_iso_8859_1() {
    let tree = stream(Side::Client, &with_sid(b"caf\xe9", 7));
    assert!(tree.contains("xfire.attr.name = \"café\""), "{tree}");
    assert!(tree.contains("xfire.key_mode = \"string\"") && !tree.contains("! "), "{tree}");
}

#[test]
fn common_friends_are_separate_from_the_user_of_their_row() {
    let tree = by_server(X14);
    let row = tree.split("xfire.row").nth(1).unwrap();
    let of = |name: &str| row.matches(name).count();
    assert_eq!((of("xfire.userid = "), of("xfire.common_friend = ")), (1, 2), "{row}");
    assert!(row.contains("xfire.userid = 2001") && row.contains("xfire.common_friend = 1001"), "{row}");
}
