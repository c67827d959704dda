//! Malformed, unusual and truncated messages.

use super::*;

#[test]
fn content_beyond_all_limits_is_noted() {
    insta::assert_snapshot!(by_client(HUGE), @"
    vscp 0..21 | common
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 2147483647
      17..21 vscp.data = 00001234
    ! broken vscp.error.content_size at 13..17 vscp.content_size: 2147483647 bytes, at most 65536 are read
    ");
}

#[test]
fn unknown_section_type_is_noted() {
    insta::assert_snapshot!(dissect_after_hello(NOT_A_SECTION), @"
    vscp 0..5 | unknown
      0..1 vscp.section_type = 71
      1..5 vscp.data = 4554202f
    ! broken vscp.error.section_type at 0..1 vscp.section_type: section type 71 is unknown
    ");
}

#[test]
fn text_without_its_nul_runs_to_the_end() {
    insta::assert_snapshot!(trial::below(&by_client(NO_NUL), &["vscp.new_user.avatar"]), @r#"
    vscp 0..37 | new_user | Aki (01cat.wrl) logs in
      21..37 vscp.new_user.avatar = "avtwrl/01cat.wrl"
    ! odd vscp.warn.unterminated at 21..37 vscp.new_user.avatar: no NUL after the text
    "#);
}

#[test]
fn common_message_without_strategy_is_short() {
    insta::assert_snapshot!(trial::below(&by_client(NO_STRATEGY), &["vscp.common.type"]), @"
    vscp 0..25 | chat_send
      21..25 vscp.common.type = 9 (chat_send)
    ! broken vscp.error.short_content at 25..25 vscp.common.type: 8 of 9 bytes
    ");
}

#[test]
fn short_transform_shows_the_values_that_fit() {
    insta::assert_snapshot!(trial::below(&by_client(SHORT_TRANSFORM), &["vscp.transform.m22"]), @"
    vscp 0..46 | transform_update | this client moved
      42..46 vscp.transform.m22 = 0.000000
        42..46 vscp.transform.m22.raw = 0
    ! broken vscp.error.short_content at 46..46 vscp.transform.m22.raw: 20 of 48 bytes
    ");
}

#[test]
fn long_set_master_has_its_flag_last() {
    insta::assert_snapshot!(trial::below(&by_server(LONG_MASTER), &["vscp.trailing"]), @"
    vscp 0..22 | set_master | this client is the master
      17..21 vscp.trailing = 00000001
    ! odd vscp.note.trailing at 17..21 vscp.trailing: 4 bytes before the flag
    ");
}

#[test]
fn unknown_opcode_is_raw() {
    insta::assert_snapshot!(by_server(OPCODE_99), @"
    vscp 0..19 | unknown | opcode 99, 2 bytes
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 9
      5..9 vscp.id2 = 9
      9..13 vscp.opcode = 99
      13..17 vscp.content_size = 2
      17..19 vscp.data = dead
    ! odd vscp.note.unknown_opcode at 9..13 vscp.opcode: opcode 99 is unknown
    ");
}

#[test]
fn truncated_position_shows_its_fields() {
    insta::assert_snapshot!(dissect(C, &trial::bytes(CUT_POSITION), Cut::Stream { needed: 27 }), @"
    vscp 0..20 | position_update | this client moved
      0..1 vscp.section_type = 2 (position_update)
      1..5 vscp.position.connection_id = 7
      5..9 vscp.position.client_id = 7
      9..13 vscp.position.broadcast_id = 4660
      13..17 vscp.position.x = 85.000000
        13..17 vscp.position.x.raw = 5570475
      17..20 vscp.data = ffb864
    ! broken vscp.truncated at 17..20 vscp: the stream ends after 20 of 27 bytes
    ");
}

#[test]
fn empty_content_is_noted() {
    insta::assert_snapshot!(dissect(C, &section_of([7, 7], COMMON, &[]), Cut::No), @"
    vscp 0..17 | common
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 0
    ! odd vscp.note.empty_content at 13..17 vscp.content_size: no content
    ");
}

#[test]
fn wrong_direction_is_noted_and_ignored() {
    let mut session = Session::default();
    insta::assert_snapshot!(trial::below(&trial::message(&PROTOCOL, &mut session, S, &trial::bytes(NEW), Cut::No), &["vscp.opcode"]), @"
    vscp 0..38 | new_user | Aki (01cat.wrl) logs in
      9..13 vscp.opcode = 0 (new_user)
    ! odd vscp.note.direction at 9..13 vscp.opcode: not expected s2c
    ");
    assert!(session.users.me().is_none());
    for (opcode, content) in [(CLIENT_ID_GIVEN, &[0, 0, 0, 7][..]), (BROADCAST_ID_GIVEN, &[0, 0, 0, 9]), (SET_MASTER, &[1])] {
        let mut stream = Stream::logged_in();
        stream.arrive(C, &section_of([7, 7], opcode, content));
        assert!(stream.trees[0].contains("! odd vscp.note.direction"), "{}", stream.trees[0]);
        assert!(stream.session.users.is_me(4660) && !stream.session.users.is_me(9));
    }
}

#[test]
fn values_that_are_not_assigned_are_noted() {
    insta::assert_snapshot!(dissect(C, &section_of([7, 7], STATE_CHANGE, &[6]), Cut::No), @"
    vscp 0..18 | state_change | this client: state 6
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 7 (state_change)
      13..17 vscp.content_size = 1
      17..18 vscp.state = 6
    ! odd vscp.note.value at 17..18 vscp.state: state 6 is unknown
    ");
    insta::assert_snapshot!(trial::below(&dissect(C, &common_of(4660, 9, 7, b"Aki: hi\0"), Cut::No), &["vscp.common.strategy"]), @r#"
    vscp 0..34 | chat_send | this client says "Aki: hi"
      25..26 vscp.common.strategy = 7
    ! odd vscp.note.value at 25..26 vscp.common.strategy: strategy 7 is unknown
    "#);
    insta::assert_snapshot!(trial::below(&dissect(C, &common_of(4660, 12, 1, b"sleep:0 2:0011:5:4:\0"), Cut::No), &["vscp.character.medal"]), @"
    vscp 0..46 | character_update | this client: awake, avatar 2 for 5 min
      43..44 vscp.character.medal = 4
    ! odd vscp.note.value at 43..44 vscp.character.medal: medal 4 is unknown
    ");
}

#[test]
fn trailing_bytes_are_shown() {
    insta::assert_snapshot!(trial::below(&dissect(S, &section_of([9, 9], USER_LEFT, &[0, 0, 0x12, 0x34, 1, 2]), Cut::No), &["vscp.trailing"]), @"
    vscp 0..23 | user_left | user 4660 left
      21..23 vscp.trailing = 0102
    ! odd vscp.note.trailing at 21..23 vscp.trailing: 2 bytes after the last field
    ");
}

#[test]
fn short_ids_and_voice_states_are_noted() {
    insta::assert_snapshot!(dissect(S, &section_of([9, 9], BROADCAST_ID_GIVEN, &[0, 0, 0x12]), Cut::No), @"
    vscp 0..20 | broadcast_id
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 9
      5..9 vscp.id2 = 9
      9..13 vscp.opcode = 4 (broadcast_id)
      13..17 vscp.content_size = 3
      17..20 vscp.data = 000012
    ! broken vscp.error.short_content at 17..20 vscp.content_size: 3 of 4 bytes
    ");
    insta::assert_snapshot!(trial::below(&dissect(C, &common_of(4660, 18, 1, &[1, 0, 0, 0, 1]), Cut::No), &["vscp.voice.unknown2"]), @"
    vscp 0..31 | voice_state | this client: voice
      27..31 vscp.voice.unknown2 = 1
    ! broken vscp.error.short_content at 31..31 vscp.voice.unknown2: 5 of 6 bytes
    ");
}

#[test]
fn text_that_is_missing_is_short_content() {
    insta::assert_snapshot!(dissect(C, &section_of([7, 0], NEW_USER, b"Aki\0"), Cut::No), @r#"
    vscp 0..21 | new_user | Aki logs in
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 0
      9..13 vscp.opcode = 0 (new_user)
      13..17 vscp.content_size = 4
      17..21 vscp.new_user.username = "Aki"
    ! broken vscp.error.short_content at 21..21 vscp.new_user.username: 0 bytes remain for the next field
    "#);
    insta::assert_snapshot!(trial::below(&dissect(C, &common_of(4660, 10_000, 0, b"\x02open\0x\0\0\0"), Cut::No), &["vscp.appl.str_arg"]), @r#"
    vscp 0..36 | appl_specific | open()
      32..34 vscp.appl.str_arg = "x"
    ! broken vscp.error.short_content at 34..36 vscp.appl.str_arg: 2 bytes remain for the next field
    "#);
}

#[test]
fn unknown_first_words_are_noted() {
    insta::assert_snapshot!(dissect(C, b"GET / H", Cut::No), @r#"
    vscp 0..7 | hello
      0..5 vscp.hello.word = "GET /"
      5..7 vscp.data = 2048
    ! broken vscp.error.hello at 0..5 vscp.hello.word: unknown client word
    "#);
    insta::assert_snapshot!(dissect(S, b"HTTP/1.1 400 B", Cut::No), @r#"
    vscp 0..14 | hello_reply
      0..5 vscp.hello_reply.status = "HTTP/"
      5..14 vscp.data = 312e31203430302042
    ! broken vscp.error.hello at 0..5 vscp.hello_reply.status: unknown reply word
    "#);
}

#[test]
fn hello_that_ends_early_is_truncated() {
    insta::assert_snapshot!(dissect(C, b"hel", Cut::Stream { needed: 7 }), @"
    vscp 0..3 | hello
      0..3 vscp.data = 68656c
    ! broken vscp.truncated at 0..3 vscp: the stream ends after 3 of 7 bytes
    ");
    insta::assert_snapshot!(dissect(S, b"hello\0\0\0", Cut::Stream { needed: 14 }), @r#"
    vscp 0..8 | hello_reply
      0..5 vscp.hello_reply.status = "hello"
      5..6 vscp.hello_reply.pad = 0x00
      6..8 vscp.data = 0000
    ! broken vscp.truncated at 6..8 vscp: the stream ends after 8 of 14 bytes
    "#);
    insta::assert_snapshot!(dissect(S, b"reject\0", Cut::Stream { needed: 14 }), @r#"
    vscp 0..7 | hello_reply | refused
      0..6 vscp.hello_reply.status = "reject"
      6..7 vscp.data = 00
    ! broken vscp.truncated at 6..7 vscp: the stream ends after 7 of 14 bytes
    "#);
}

#[test]
fn lost_bytes_are_a_gap() {
    insta::assert_snapshot!(trial::below(&dissect(C, &trial::bytes(CHAT)[..30], Cut::Lost { needed: 38, lost: 1460 }), &["vscp.data"]), @"
    vscp 0..30 | chat_send | this client speaks
      26..30 vscp.data = 416b693a
    ! broken vscp.error.gap at 26..30 vscp: 1460 bytes are missing from the capture after 30 of 38
    ");
}

#[test]
fn large_content_is_read_and_noted() {
    let chat = common_of(4660, 9, 0, &[&b"Aki: "[..], &[b'a'; 1100], b"\0"].concat());
    let tree = dissect(C, &chat, Cut::No);
    assert!(
        tree.contains("! odd vscp.warn.large_content at 13..17 vscp.content_size: 1115 bytes, servers accept 1024"),
        "{tree}"
    );
    assert!(tree.contains("26..1132 vscp.chat.message") && tree.matches("! ").count() == 1, "{tree}");
}

fn dissect_after_hello(hex: &str) -> String {
    let mut session = Session::default();
    trial::message(&PROTOCOL, &mut session, C, &trial::bytes(HELLO), Cut::No);
    trial::message(&PROTOCOL, &mut session, C, &trial::bytes(hex), Cut::No)
}
