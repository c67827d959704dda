//! Framing: messages in pieces, after gaps, and joined midway.

use super::*;

/// Fields of a message with a span and a value.
fn leaves(from: Side, bytes: &[u8], cut: Cut) -> Vec<(&'static str, Span, String)> {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), cut);
    let result = Session::default().message(from, &mut wire);
    PROTOCOL.conclude(&mut wire, result);
    let open_ended = [&DATA, &SYS1_DATA];
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

fn good() -> Vec<(Side, Vec<u8>)> {
    let mut good: Vec<(Side, Vec<u8>)> = Vec::new();
    good.extend([HELLO].iter().chain(FROM_CLIENT).map(|hex| (C, trial::bytes(hex))));
    good.extend([REPLY, PLAZA_REPLY, REFUSAL].iter().chain(FROM_SERVER).map(|hex| (S, trial::bytes(hex))));
    let login = trial::bytes(LOGIN);
    good.extend([0..21, 21..39, 39..85, 85..106, 106..128].map(|range| (S, login[range].to_vec())));
    let sleep = trial::bytes(SLEEPING);
    good.extend([(C, sleep[..18].to_vec()), (C, sleep[18..].to_vec()), (C, trial::bytes(SYS1_ACTIVE)[..15].to_vec())]);
    good
}

#[test]
fn any_prefix_of_a_message_gives_the_same_fields_up_to_the_cut() {
    for (from, bytes) in good() {
        let whole = leaves(from, &bytes, Cut::No);
        for end in 0..bytes.len() {
            let cut = leaves(from, &bytes[..end], Cut::Stream { needed: bytes.len() });
            let up_to_cut: Vec<_> = whole.iter().filter(|(_, span, _)| span.end as usize <= end).cloned().collect();
            if whole.iter().any(|(name, ..)| name.contains("character")) {
                assert!(whole.starts_with(&cut), "{end} of {bytes:02x?}");
            } else {
                assert_eq!(cut, up_to_cut, "{end} of {bytes:02x?}");
            }
        }
    }
}

#[test]
fn a_cut_message_gets_no_note_but_the_cut() {
    for (from, bytes) in good() {
        assert_eq!(dissect(from, &bytes, Cut::No).matches("! ").count(), 0);
        for end in 0..bytes.len() {
            let tree = dissect(from, &bytes[..end], Cut::Stream { needed: bytes.len() });
            assert_eq!(tree.matches("\n! ").count(), 1, "{tree}");
            assert!(tree.contains("! broken vscp.truncated"), "{tree}");
        }
    }
}

#[test]
fn a_position_and_half_a_transform_in_a_segment_are_two_messages() {
    let transform = trial::bytes(TRANSFORM);
    let mut stream = Stream::logged_in();
    stream.arrive(C, &[&trial::bytes(POSITION)[..], &transform[..10]].concat());
    stream.arrive(C, &transform[10..]);
    insta::assert_snapshot!(stream.headings(), @"
    position_update | Aki (01cat.wrl) moved to 85.00 -71.61 0.50
    transform_update | Aki (01cat.wrl) moved to 85.00 0.00 -2.25
    ");
    let mut bytewise = Stream::logged_in();
    [trial::bytes(POSITION), transform].concat().chunks(1).for_each(|byte| bytewise.arrive(C, byte));
    assert_eq!(bytewise.trees, stream.trees);
    assert!(!stream.trees.concat().contains('!'));
}

#[test]
fn a_session_is_the_same_in_any_pieces() {
    let client: Vec<&str> = [&[HELLO], FROM_CLIENT, &[SLEEPING, SYS1_ACTIVE], MALFORMED, &[CHAT]].concat();
    let client: Vec<u8> = client.iter().flat_map(|hex| trial::bytes(hex)).collect();
    let server: Vec<u8> = [REPLY, LOGIN, VOICE_ENABLED, LEFT].iter().flat_map(|hex| trial::bytes(hex)).collect();
    let dissect_pieces = |size: usize| {
        let mut stream = Stream::default();
        client.chunks(size).for_each(|piece| stream.arrive(C, piece));
        server.chunks(size).for_each(|piece| stream.arrive(S, piece));
        assert_eq!(stream.explained, client.len() + server.len());
        stream.trees
    };
    let whole = dissect_pieces(usize::MAX);
    assert_eq!(whole.len(), 25);
    for size in (1..80).chain([97, 128, 200, 333, 500]) {
        assert_eq!(dissect_pieces(size), whole, "in pieces of {size}");
    }
}

#[test]
fn a_direction_out_of_step_does_not_stop_the_other() {
    for (wrong, length) in [(HUGE, 17), (NOT_A_SECTION, 1)] {
        let wrong = trial::bytes(wrong);
        for size in [1, 3, 1000] {
            let mut stream = Stream::logged_in();
            let bytes = [&wrong[..], &trial::bytes(CHAT), &trial::bytes(CHAT)].concat();
            bytes.chunks(size).for_each(|piece| stream.arrive(C, piece));
            assert_eq!((stream.trees.len(), stream.explained), (1, length));
            assert_eq!(stream.unknown, &bytes[length..]);
            assert!(stream.trees[0].contains("! broken vscp.error."), "{}", stream.trees[0]);
            stream.lose(C);
            stream.arrive(C, &[trial::bytes(CHAT), trial::bytes(CHAT)].concat());
            assert_eq!(stream.trees.len(), 1);
            stream.arrive(S, &trial::bytes(LEFT));
            assert_eq!(stream.trees.len(), 2);
        }
    }
}

#[test]
fn sys1_may_have_14_bytes() {
    let short = [&[1; 14][..], &trial::bytes(CHAT)].concat();
    let mut stream = Stream::logged_in();
    stream.arrive(C, &short);
    insta::assert_snapshot!(stream.trees[0], @"
    vscp 0..14 | sys1 | 13 bytes
      0..1 vscp.section_type = 1 (sys1)
      1..14 vscp.sys1.data = 01010101010101010101010101
    ! odd vscp.note.sys1_size at 1..14 vscp.sys1.data: 14 bytes, not 15
    ");
    assert_eq!(stream.headings(), "sys1 | 13 bytes\nchat_send | Aki (01cat.wrl): hi all");
    let mut bytewise = Stream::logged_in();
    short.chunks(1).for_each(|byte| bytewise.arrive(C, byte));
    assert_eq!(bytewise.trees, stream.trees);
    for (length, note) in [(14, 1), (15, 0)] {
        let mut alone = Stream::logged_in();
        alone.arrive(C, &vec![1; length]);
        assert!(alone.trees.is_empty());
        alone.end(C);
        assert_eq!(alone.headings(), format!("sys1 | {} bytes", length - 1));
        assert_eq!(alone.trees[0].matches("\n! ").count(), note, "{}", alone.trees[0]);
    }
}

#[test]
fn sys1_of_14_bytes_is_followed_by_the_section_whose_header_is_plausible() {
    let seed = trial::bytes("0105050505050505050505050505 000000000700000007000000070000000104");
    let mut stream = Stream::logged_in();
    stream.arrive(C, &seed);
    assert_eq!(stream.headings(), "sys1 | 13 bytes\nstate_change | Aki (01cat.wrl): active");
    let mut usual = Stream::logged_in();
    usual.arrive(C, &trial::bytes("010505050505050505050505050500 000000000700000007000000070000000104"));
    assert_eq!(usual.headings(), "sys1 | 14 bytes\nstate_change | Aki (01cat.wrl): active");
    assert!(usual.trees[0].starts_with("vscp 0..15 "), "{}", usual.trees[0]);
}

#[test]
fn a_hello_reply_may_lack_its_pad_byte() {
    let short = trial::bytes("68656c6c6f 00000000 00000007");
    let login = trial::bytes(LOGIN);
    for size in [1, 7, 13, 14, 1000] {
        let mut stream = Stream::default();
        stream.arrive(C, &trial::bytes(HELLO));
        [&short[..], &login].concat().chunks(size).for_each(|piece| stream.arrive(S, piece));
        assert!(
            stream.headings().starts_with("hello | version 1.1\nhello_reply | connection id 7\nclient_id | "),
            "{}",
            stream.headings()
        );
        assert!(stream.trees[1].contains("vscp.note.reply_size"), "{}", stream.trees[1]);
    }
    let mut alone = Stream::default();
    alone.arrive(S, &short);
    alone.end(S);
    assert_eq!(alone.headings(), "hello_reply | connection id 7");
    // After the usual 14 bytes no more are requested.
    for id in [7, 256, 0x700] {
        let mut usual = Stream::default();
        usual.arrive(S, &[&b"hello\0\0\0\0\0"[..], &u32::to_be_bytes(id)].concat());
        if id < 256 {
            assert_eq!(usual.headings(), format!("hello_reply | connection id {id}"));
        }
        usual.arrive(S, &login);
        assert!(usual.headings().starts_with(&format!("hello_reply | connection id {id}\nclient_id | ")), "{}", usual.headings());
    }
}

#[test]
fn after_a_gap_two_sections_in_a_row_are_found() {
    for junk in [&b"GET / HTTP/1.1"[..], &[0; 9], &[2, 0, 0, 0, 7, 0xff], &trial::bytes(CHAT)[5..]] {
        for size in [1, 11, 1000] {
            let mut stream = Stream::logged_in();
            stream.arrive(C, &trial::bytes(CHAT)[..20]);
            stream.lose(C);
            let bytes = [junk, &trial::bytes(POSITION), &trial::bytes(CHAT), &trial::bytes(POSITION)].concat();
            bytes.chunks(size).for_each(|piece| stream.arrive(C, piece));
            assert_eq!(stream.headings().lines().count(), 3, "{}", stream.headings());
            assert_eq!(stream.unknown, junk);
        }
    }
}

#[test]
fn after_a_gap_one_section_is_not_enough() {
    let mut stream = Stream::logged_in();
    stream.lose(C);
    stream.arrive(C, &trial::bytes(CHAT));
    assert!(stream.trees.is_empty());
    stream.end(C);
    assert!(stream.trees.is_empty());
    assert_eq!(stream.unknown, trial::bytes(CHAT));
}

#[test]
fn gap_inside_one_section_keeps_the_framing() {
    let mut stream = Stream::logged_in();
    stream.session.gap(C, Missing { bytes: 9, in_step: true });
    stream.arrive(C, &trial::bytes(CHAT));
    assert_eq!(stream.headings(), "chat_send | Aki (01cat.wrl): hi all");
}

#[test]
fn session_that_is_captured_later_is_joined() {
    let sections = [POSITION, CHAT, PRIVATE];
    let bytes: Vec<u8> = sections.iter().flat_map(|hex| trial::bytes(hex)).collect();
    for start in 0..27 {
        for size in [1, 7, 1460] {
            let mut stream = Stream::default();
            bytes[start..].chunks(size).for_each(|piece| stream.arrive(C, piece));
            stream.end(C);
            let want = if start == 0 { 3 } else { 2 };
            assert_eq!(stream.trees.len(), want, "from {start} in pieces of {size}: {}", stream.headings());
        }
    }
    let mut alone = Stream::default();
    alone.arrive(S, &trial::bytes(LEFT));
    alone.end(S);
    assert_eq!(alone.headings(), "user_left | user 4660 left");
}

#[test]
fn short_input_is_read_even_if_it_is_malformed() {
    for (from, hex, code) in [
        (C, HUGE, "error.content_size"),
        (C, NO_NUL, "warn.unterminated"),
        (C, NO_STRATEGY, "error.short_content"),
        (C, SHORT_TRANSFORM, "error.short_content"),
        (S, LONG_MASTER, "note.trailing"),
        (S, OPCODE_99, "note.unknown_opcode"),
        (C, CUT_POSITION, "truncated"),
        (C, NOT_A_SECTION, "truncated"),
        (C, "47 45 54 20 2f 20 48", "error.hello"),
    ] {
        for size in [1, 5, 1000] {
            let mut stream = Stream::default();
            trial::bytes(hex).chunks(size).for_each(|piece| stream.arrive(from, piece));
            stream.end(from);
            assert!(stream.trees[0].contains(&format!("vscp.{code} ")), "{hex}: {:?}", stream.trees);
        }
    }
}

#[test]
fn invalid_reply_stops_the_server() {
    let mut stream = Stream::default();
    stream.arrive(C, &trial::bytes(HELLO));
    stream.arrive(S, b"220 mail.example.com ESMTP\r\n");
    assert!(stream.trees[1].contains("! broken vscp.error.hello"), "{}", stream.trees[1]);
    assert_eq!(stream.unknown, b"mple.com ESMTP\r\n".split_at(2).1);
}

#[test]
fn nothing_follows_a_refusal() {
    let mut stream = Stream::default();
    stream.arrive(C, &trial::bytes(HELLO));
    stream.arrive(S, &[trial::bytes(REFUSAL), trial::bytes(LEFT)].concat());
    assert_eq!(stream.trees.len(), 2);
    assert_eq!(stream.unknown, trial::bytes(LEFT));
}

#[test]
fn hostile_streams_are_searched_in_proportion_to_their_length() {
    for block in [&[0; 16][..], &[2, 0, 0, 0], &section_of([1, 1], COMMON, &[0; 1024])[..900]] {
        let bytes = block.repeat(1 << 10);
        for size in [1460, bytes.len()] {
            let mut stream = Stream::default();
            stream.lose(C);
            bytes.chunks(size).for_each(|piece| stream.arrive(C, piece));
        }
    }
}
