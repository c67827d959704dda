//! Well-formed messages, field by field.

use super::*;

#[test]
fn hello_is_read() {
    insta::assert_snapshot!(by_client(HELLO), @r#"
    vscp 0..7 | hello | version 1.1
      0..5 vscp.hello.word = "hello"
      5..6 vscp.hello.version_major = 1
      6..7 vscp.hello.version_minor = 1
    "#);
}

#[test]
fn answers_of_three_kinds_are_read() {
    insta::assert_snapshot!(by_server(REPLY), @r#"
    vscp 0..14 | hello_reply | connection id 7
      0..5 vscp.hello_reply.status = "hello"
      5..6 vscp.hello_reply.pad = 0x00
      6..10 vscp.hello_reply.unknown = 0
      10..14 vscp.hello_reply.connection_id = 7
    "#);
    insta::assert_snapshot!(by_server(PLAZA_REPLY), @r#"
    vscp 0..14 | hello_reply | connection id 3
      0..5 vscp.hello_reply.status = "hello"
      5..6 vscp.hello_reply.pad = 0x45
      6..10 vscp.hello_reply.unknown = 3
      10..14 vscp.hello_reply.connection_id = 3
    "#);
    insta::assert_snapshot!(by_server(REFUSAL), @r#"
    vscp 0..14 | hello_reply | refused
      0..6 vscp.hello_reply.status = "reject"
      6..14 vscp.hello_reply.unused = 0000000000000000
    "#);
}

#[test]
fn new_user_is_read() {
    insta::assert_snapshot!(by_client(NEW), @r#"
    vscp 0..38 | new_user | Aki (01cat.wrl) logs in
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 0
      9..13 vscp.opcode = 0 (new_user)
      13..17 vscp.content_size = 21
      17..21 vscp.new_user.username = "Aki"
      21..38 vscp.new_user.avatar = "avtwrl/01cat.wrl"
    "#);
}

#[test]
fn position_update_is_read() {
    insta::assert_snapshot!(by_client(POSITION), @"
    vscp 0..27 | position_update | this client moved to 85.00 -71.61 0.50
      0..1 vscp.section_type = 2 (position_update)
      1..5 vscp.position.connection_id = 7
      5..9 vscp.position.client_id = 7
      9..13 vscp.position.broadcast_id = 4660
      13..17 vscp.position.x = 85.000000
        13..17 vscp.position.x.raw = 5570475
      17..21 vscp.position.y = -71.609995
        17..21 vscp.position.y.raw = -4692961
      21..25 vscp.position.z = 0.500008
        21..25 vscp.position.z.raw = 32768
      25..27 vscp.position.unknown = 0x0001
    ");
}

#[test]
fn chat_is_read() {
    insta::assert_snapshot!(by_client(CHAT), @r#"
    vscp 0..38 | chat_send | this client says "Aki: hi all"
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 21
      17..21 vscp.common.id = 4660
      21..25 vscp.common.type = 9 (chat_send)
      25..26 vscp.common.strategy = 0 (aura)
        25..26 vscp.common.receivers = "all in the aura, sender too"
      26..38 vscp.chat.message = "Aki: hi all"
    "#);
}

#[test]
fn transform_is_read() {
    insta::assert_snapshot!(by_client(TRANSFORM), @r#"
    vscp 0..74 | transform_update | this client moved to 85.00 0.00 -2.25
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 57
      17..21 vscp.common.id = 4660
      21..25 vscp.common.type = 2 (transform_update)
      25..26 vscp.common.strategy = 1 (aura_others)
        25..26 vscp.common.receivers = "all in the aura but the sender"
      26..30 vscp.transform.m11 = 0.000000
        26..30 vscp.transform.m11.raw = 0
      30..34 vscp.transform.m12 = 0.000000
        30..34 vscp.transform.m12.raw = 0
      34..38 vscp.transform.m13 = 1.000000
        34..38 vscp.transform.m13.raw = 65535
      38..42 vscp.transform.m21 = 0.000000
        38..42 vscp.transform.m21.raw = 0
      42..46 vscp.transform.m22 = 1.000000
        42..46 vscp.transform.m22.raw = 65535
      46..50 vscp.transform.m23 = 0.000000
        46..50 vscp.transform.m23.raw = 0
      50..54 vscp.transform.m31 = -1.000000
        50..54 vscp.transform.m31.raw = -65535
      54..58 vscp.transform.m32 = 0.000000
        54..58 vscp.transform.m32.raw = 0
      58..62 vscp.transform.m33 = 0.000000
        58..62 vscp.transform.m33.raw = 0
      62..66 vscp.transform.x = 85.000000
        62..66 vscp.transform.x.raw = 5570475
      66..70 vscp.transform.y = 0.000000
        66..70 vscp.transform.y.raw = 0
      70..74 vscp.transform.z = -2.250004
        70..74 vscp.transform.z.raw = -147454
      vscp.transform.rot_x = 0.00°
      vscp.transform.rot_y = 90.00°
      vscp.transform.rot_z = 0.00°
    "#);
}

#[test]
fn private_chat_request_is_read() {
    insta::assert_snapshot!(by_client(PRIVATE), @r#"
    vscp 0..36 | private_chat | this client to user 8705: request
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 19
      17..21 vscp.common.id = 8705
      21..25 vscp.common.type = 15 (private_chat)
      25..26 vscp.common.strategy = 2 (specific)
        25..26 vscp.common.receivers = "user 8705"
      26..30 vscp.private_chat.from = 4660
      30..36 vscp.private_chat.message = "%%REQ"
      30..36 vscp.private_chat.control = "request"
      30..36 vscp.private_chat.state = "asked"
    "#);
}

#[test]
fn call_of_a_script_is_read() {
    insta::assert_snapshot!(by_client(CALL), @r#"
    vscp 0..49 | appl_specific | startAreaRequest("", 4660) to the master client
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 32
      17..21 vscp.common.id = -9999
      21..25 vscp.common.type = 10000 (appl_specific)
      25..26 vscp.common.strategy = 2 (specific)
        25..26 vscp.common.receivers = "the master client"
      26..27 vscp.appl.unknown = 2
      27..44 vscp.appl.method = "startAreaRequest"
      44..45 vscp.appl.str_arg = ""
      45..49 vscp.appl.int_arg = 4660
    "#);
}

#[test]
fn voice_state_is_read() {
    insta::assert_snapshot!(by_server(VOICE_ENABLED), @r#"
    vscp 0..32 | voice_state | user 4660: voice enabled
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 9
      5..9 vscp.id2 = 9
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 15
      17..21 vscp.common.id = 4660
      21..25 vscp.common.type = 18 (voice_state)
      25..26 vscp.common.strategy = 1 (aura_others)
        25..26 vscp.common.receivers = "all in the aura but the sender"
      26..27 vscp.voice.unknown1 = 1
      27..31 vscp.voice.unknown2 = 1
      31..32 vscp.voice.state = 3 (enabled)
    "#);
}

#[test]
fn user_left_is_read() {
    insta::assert_snapshot!(by_server(LEFT), @"
    vscp 0..21 | user_left | user 4660 left
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 9
      5..9 vscp.id2 = 9
      9..13 vscp.opcode = 3 (user_left)
      13..17 vscp.content_size = 4
      17..21 vscp.user_left.broadcast_id = 4660
    ");
}

/// Messages of one segment with their offsets.
fn of_segment(from: Side, hex: &str) -> String {
    let mut stream = Stream {
        session: Session { steps: BySide { client: Step::Steady, server: Step::Steady }, ..Session::default() },
        ..Stream::default()
    };
    stream.arrive(from, &trial::bytes(hex));
    stream.end(from);
    assert!(stream.unknown.is_empty());
    stream.trees.concat()
}

#[test]
fn login_answer_is_five_messages() {
    insta::assert_snapshot!(of_segment(S, LOGIN), @r#"
    vscp 0..21 | client_id | this client has client id 7
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 0
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 1 (client_id)
      13..17 vscp.content_size = 4
      17..21 vscp.client_id = 7
    vscp 0..18 | set_master | this client is the master
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 8 (set_master)
      13..17 vscp.content_size = 1
      17..18 vscp.set_master.is_master = 1 (master)
    vscp 0..46 | user_joined | Aki (01cat.wrl) joined
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 2 (user_joined)
      13..17 vscp.content_size = 29
      17..21 vscp.user_joined.broadcast_id = 4660
      21..25 vscp.user_joined.unknown_id = 4660
      25..42 vscp.user_joined.avatar = "avtwrl/01cat.wrl"
      42..46 vscp.user_joined.username = "Aki"
    vscp 0..21 | broadcast_id | Aki (01cat.wrl) has broadcast id 4660
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 4 (broadcast_id)
      13..17 vscp.content_size = 4
      17..21 vscp.broadcast_id = 4660
    vscp 0..22 | user_count | 2 users
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 0
      5..9 vscp.id2 = 7
        5..9 vscp.user.name = "Aki"
        5..9 vscp.user.avatar = "avtwrl/01cat.wrl"
        5..9 vscp.user.is_master = true
      9..13 vscp.opcode = 11 (user_count)
      13..17 vscp.content_size = 5
      17..18 vscp.user_count.unknown = 1
      18..22 vscp.user_count.count = 2
    "#);
}

#[test]
fn sleep_is_two_messages() {
    insta::assert_snapshot!(of_segment(C, SLEEPING), @r#"
    vscp 0..18 | state_change | this client: sleep
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 7 (state_change)
      13..17 vscp.content_size = 1
      17..18 vscp.state = 5 (sleep)
    vscp 0..55 | character_update | this client: asleep, avatar 1 for 58 min
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 38
      17..21 vscp.common.id = 4660
      21..25 vscp.common.type = 12 (character_update)
      25..26 vscp.common.strategy = 1 (aura_others)
        25..26 vscp.common.receivers = "all in the aura but the sender"
      26..55 vscp.character.data = "sleep:1 1:000000000000:58:0:"
      32..33 vscp.character.sleep = 1 (asleep)
      34..35 vscp.character.avatar_number = 1
      36..48 vscp.character.body = "000000000000"
      49..51 vscp.character.minutes = 58
      52..53 vscp.character.medal = 0 (none)
    "#);
}

#[test]
fn sys1_is_undecoded() {
    insta::assert_snapshot!(of_segment(C, SYS1_ACTIVE), @"
    vscp 0..15 | sys1 | 14 bytes
      0..1 vscp.section_type = 1 (sys1)
      1..15 vscp.sys1.data = 0102030405060708090a0b0c0d0e
    vscp 0..18 | state_change | this client: active
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 7 (state_change)
      13..17 vscp.content_size = 1
      17..18 vscp.state = 4 (active)
    ");
}
