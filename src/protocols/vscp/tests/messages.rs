//! Summaries, and users in them.

use super::*;

fn headings(messages: &[(Side, Vec<u8>)]) -> String {
    let mut stream = Stream::logged_in();
    for (from, bytes) in messages {
        stream.arrive(*from, bytes);
    }
    assert!(stream.unknown.is_empty());
    stream.headings()
}

#[test]
fn login_has_a_summary() {
    let mut stream = Stream::default();
    for (from, hex) in [(C, HELLO), (S, REPLY), (C, NEW), (S, LOGIN)] {
        stream.arrive(from, &trial::bytes(hex));
    }
    insta::assert_snapshot!(stream.headings(), @"
    hello | version 1.1
    hello_reply | connection id 7
    new_user | Aki (01cat.wrl) logs in
    client_id | Aki (01cat.wrl) has client id 7
    set_master | Aki (01cat.wrl) is the master
    user_joined | Aki (01cat.wrl) joined
    broadcast_id | Aki (01cat.wrl) has broadcast id 4660
    user_count | 2 users
    ");
}

#[test]
fn refusals_and_other_clients_have_a_summary() {
    let mut stream = Stream::default();
    stream.arrive(C, b"admin\x01\x01list");
    stream.arrive(S, &trial::bytes(REPLY));
    stream.arrive(S, b"what");
    assert_eq!(stream.unknown, b"listwhat");
    insta::assert_snapshot!(stream.headings(), @"
    hello | admin console, version 1.1
    hello_reply | connection id 7
    ");
    insta::assert_snapshot!(by_server(REFUSAL).lines().next().unwrap(), @"vscp 0..14 | hello_reply | refused");
}

#[test]
fn summaries_show_user_names() {
    let messages = [
        (S, joined_of(9, "avtwrl/02dog.wrl", "Bo")),
        (S, position_of(9)),
        (S, position_of(4660)),
        (S, position_of(77)),
        (S, common_of(9, 9, 0, b"Bo: hello there\0")),
        (S, common_of(9, 9, 0, b"Aki: I am not Bo\0")),
        (C, section_of([7, 7], STATE_CHANGE, &[4])),
        (S, common_of(9, 12, 1, b"sleep:0 1:0011:5:3:\0")),
        (S, common_of(9, 12, 1, b"no such text\0")),
        (S, common_of(9, 18, 1, &[1, 0, 0, 0, 1, 2])),
        (S, common_of(9, 13, 1, b"Bob\0")),
        (S, common_of(9, 14, 1, b"avtwrl/03fox.wrl\0")),
        (S, position_of(9)),
        (C, common_of(4660, 13, 1, b"Akiko\0")),
        (C, position_of(4660)),
        (C, common_of(4660, 16, 1, &[1, 2, 3])),
        (C, common_of(4660, 19, 1, &[1])),
        (S, section_of([9, 7], USER_LEFT, &[0, 0, 0, 9])),
        (S, position_of(9)),
        (S, section_of([0, 7], USER_COUNT, &[1, 0, 0, 0, 1])),
        (S, section_of([7, 7], SET_MASTER, &[0])),
    ];
    insta::assert_snapshot!(headings(&messages), @r#"
    user_joined | Bo (02dog.wrl) joined
    position_update | Bo (02dog.wrl) moved to 85.00 -71.61 0.50
    position_update | Aki (01cat.wrl) is moved to 85.00 -71.61 0.50
    position_update | user 77 moved to 85.00 -71.61 0.50
    chat_send | Bo (02dog.wrl): hello there
    chat_send | Bo (02dog.wrl) says "Aki: I am not Bo"
    state_change | Aki (01cat.wrl): active
    character_update | Bo (02dog.wrl): awake, avatar 1 for 5 min
    character_update | Bo (02dog.wrl): no such text
    voice_state | Bo (02dog.wrl): voice disabled
    name_change | Bo (02dog.wrl) is now called Bob
    avatar_change | Bob (02dog.wrl) is now avtwrl/03fox.wrl
    position_update | Bob (03fox.wrl) moved to 85.00 -71.61 0.50
    name_change | Aki (01cat.wrl) is now called Akiko
    position_update | Akiko (01cat.wrl) moved to 85.00 -71.61 0.50
    vc_register | 3 bytes
    common | type 19, 1 byte
    user_left | Bob (03fox.wrl) left
    position_update | user 9 moved to 85.00 -71.61 0.50
    user_count | 1 user
    set_master | Akiko (01cat.wrl) is not the master
    "#);
}

#[test]
fn private_chats_have_a_state() {
    let private = |from: Side, text: &str| {
        let (to, by) = if from == C { (9_i32, 4660_i32) } else { (4660, 9) };
        (from, common_of(to, 15, 2, &[&by.to_be_bytes()[..], text.as_bytes(), b"\0"].concat()))
    };
    let messages = [
        (S, joined_of(9, "avtwrl/02dog.wrl", "Bo")),
        private(C, "%%REQ"),
        private(S, "%%RINGING"),
        private(S, "%%ACCEPT"),
        private(C, "Aki: psst"),
        private(C, "%%REQ"),
        private(S, "%%OK"),
        private(S, "Bo: yes?"),
        private(C, "%%END"),
        private(S, "%%REQ"),
        private(C, "%%BUSY"),
        private(S, "%%REQ"),
        private(C, "%%REJECT"),
        private(C, "%%SILENT"),
    ];
    insta::assert_snapshot!(headings(&messages), @"
    user_joined | Bo (02dog.wrl) joined
    private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): request
    private_chat | Bo (02dog.wrl) to Aki (01cat.wrl): ringing
    private_chat | Bo (02dog.wrl) to Aki (01cat.wrl): accept
    private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): psst
    private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): request (keep-alive)
    private_chat | Bo (02dog.wrl) to Aki (01cat.wrl): ok
    private_chat | Bo (02dog.wrl) to Aki (01cat.wrl): yes?
    private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): end
    private_chat | Bo (02dog.wrl) to Aki (01cat.wrl): request
    private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): busy
    private_chat | Bo (02dog.wrl) to Aki (01cat.wrl): request
    private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): reject
    private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): silent
    ");
    let mut stream = Stream::logged_in();
    messages.iter().for_each(|(from, bytes)| stream.arrive(*from, bytes));
    let state = |tree: &String| tree.split("private_chat.state = ").nth(1).map(|rest| rest.trim().to_owned());
    let states: Vec<String> = stream.trees.iter().filter_map(state).collect();
    insta::assert_snapshot!(states.join(" "), @r#""asked" "ringing" "open" "open" "open" "open" "open" "closed" "asked" "closed" "asked" "closed" "closed""#);
}

#[test]
fn script_calls_show_their_receivers() {
    let rest = |method: &str, number: i32| [&[2][..], method.as_bytes(), b"\0a b\0", &number.to_be_bytes()].concat();
    let mut messages = vec![(S, joined_of(9, "avtwrl/02dog.wrl", "Bo"))];
    messages.extend((0..=7).map(|strategy| (C, common_of(NO_OBJECT, 10_000, strategy, &rest("phaseState", 1)))));
    messages.extend((0..=6).map(|strategy| (C, common_of(9, 10_000, strategy, &rest("phaseState", 1)))));
    messages.push((C, common_of(12, 4711, 1, &rest("yourStartArea", 4660))));
    messages.push((C, common_of(12, 4711, 1, &[2, 1, 0, 3])));
    insta::assert_snapshot!(headings(&messages), @r#"
    user_joined | Bo (02dog.wrl) joined
    appl_specific | phaseState("a b", 1) to everyone
    appl_specific | phaseState("a b", 1) to everyone but the sender
    appl_specific | phaseState("a b", 1) to the master client
    appl_specific | phaseState("a b", 1) to everyone
    appl_specific | phaseState("a b", 1) to everyone but the sender
    appl_specific | phaseState("a b", 1) to everyone (a guess)
    appl_specific | phaseState("a b", 1) to everyone but the sender (a guess)
    appl_specific | phaseState("a b", 1)
    appl_specific | phaseState("a b", 1) on object 9, to all in the aura, sender too
    appl_specific | phaseState("a b", 1) on object 9, to all in the aura but the sender
    appl_specific | phaseState("a b", 1) to Bo (02dog.wrl)
    appl_specific | phaseState("a b", 1) on object 9, to everyone, sender too
    appl_specific | phaseState("a b", 1) on object 9, to everyone but the sender
    appl_specific | phaseState("a b", 1) on object 9
    appl_specific | phaseState("a b", 1) on object 9
    appl_specific (by shape) | yourStartArea("a b", 4660) on object 12, to all in the aura but the sender
    common | type 4711, 4 bytes
    "#);
}

#[test]
fn ids_show_their_user() {
    let mut stream = Stream::logged_in();
    stream.arrive(S, &joined_of(9, "avtwrl/02dog.wrl", "Bo"));
    stream.arrive(S, &position_of(9));
    stream.arrive(C, &common_of(9, 15, 2, b"\0\0\x12\x34%%REQ\0"));
    insta::assert_snapshot!(stream.trees[1..].concat(), @r#"
    vscp 0..27 | position_update | Bo (02dog.wrl) moved to 85.00 -71.61 0.50
      0..1 vscp.section_type = 2 (position_update)
      1..5 vscp.position.connection_id = 7
        1..5 vscp.user.name = "Aki"
        1..5 vscp.user.avatar = "avtwrl/01cat.wrl"
        1..5 vscp.user.is_master = true
      5..9 vscp.position.client_id = 7
        5..9 vscp.user.name = "Aki"
        5..9 vscp.user.avatar = "avtwrl/01cat.wrl"
        5..9 vscp.user.is_master = true
      9..13 vscp.position.broadcast_id = 9
        9..13 vscp.user.name = "Bo"
        9..13 vscp.user.avatar = "avtwrl/02dog.wrl"
      13..17 vscp.position.x = 85.000000
        13..17 vscp.position.x.raw = 5570475
      17..21 vscp.position.y = -71.609995
        17..21 vscp.position.y.raw = -4692961
      21..25 vscp.position.z = 0.500008
        21..25 vscp.position.z.raw = 32768
      25..27 vscp.position.unknown = 0x0001
    vscp 0..36 | private_chat | Aki (01cat.wrl) to Bo (02dog.wrl): request
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
        1..5 vscp.user.name = "Aki"
        1..5 vscp.user.avatar = "avtwrl/01cat.wrl"
        1..5 vscp.user.is_master = true
      5..9 vscp.id2 = 7
        5..9 vscp.user.name = "Aki"
        5..9 vscp.user.avatar = "avtwrl/01cat.wrl"
        5..9 vscp.user.is_master = true
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 19
      17..21 vscp.common.id = 9
        17..21 vscp.user.name = "Bo"
        17..21 vscp.user.avatar = "avtwrl/02dog.wrl"
      21..25 vscp.common.type = 15 (private_chat)
      25..26 vscp.common.strategy = 2 (specific)
        25..26 vscp.common.receivers = "Bo (02dog.wrl)"
      26..30 vscp.private_chat.from = 4660
        26..30 vscp.user.name = "Aki"
        26..30 vscp.user.avatar = "avtwrl/01cat.wrl"
        26..30 vscp.user.is_master = true
      30..36 vscp.private_chat.message = "%%REQ"
      30..36 vscp.private_chat.control = "request"
      30..36 vscp.private_chat.state = "asked"
    "#);
}

#[test]
fn some_servers_use_one_number_for_everything() {
    let mut stream = Stream::default();
    stream.arrive(C, &trial::bytes(HELLO));
    stream.arrive(S, &trial::bytes(PLAZA_REPLY));
    stream.arrive(C, &section_of([3, 0], NEW_USER, b"Aki\0avtwrl/01cat.wrl\0"));
    stream.arrive(S, &section_of([0, 3], CLIENT_ID_GIVEN, &[0, 0, 0, 3]));
    stream.arrive(S, &section_of([3, 3], BROADCAST_ID_GIVEN, &[0, 0, 0, 3]));
    stream.arrive(S, &section_of([3, 5], USER_JOINED, b"\0\0\0\x05\0\0\0\x05dog.wrl\0Bo\0"));
    stream.trees.clear();
    stream.arrive(S, &section_of([5, 5], COMMON, b"\0\0\0\x05\0\0\0\x09\0Bo: hi\0"));
    insta::assert_snapshot!(stream.trees.concat(), @r#"
    vscp 0..33 | chat_send | Bo (dog.wrl): hi
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 5
        1..5 vscp.user.name = "Bo"
        1..5 vscp.user.avatar = "dog.wrl"
      5..9 vscp.id2 = 5
        5..9 vscp.user.name = "Bo"
        5..9 vscp.user.avatar = "dog.wrl"
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 16
      17..21 vscp.common.id = 5
        17..21 vscp.user.name = "Bo"
        17..21 vscp.user.avatar = "dog.wrl"
      21..25 vscp.common.type = 9 (chat_send)
      25..26 vscp.common.strategy = 0 (aura)
        25..26 vscp.common.receivers = "all in the aura, sender too"
      26..33 vscp.chat.message = "Bo: hi"
    "#);
}

#[test]
fn text_that_is_not_utf8_is_escaped() {
    insta::assert_snapshot!(dissect(C, &common_of(4660, 9, 0, b"M\xfcller: h\xe9\0"), Cut::No), @r#"
    vscp 0..37 | chat_send | this client says "M�ller: h�"
      0..1 vscp.section_type = 0 (general)
      1..5 vscp.id1 = 7
      5..9 vscp.id2 = 7
      9..13 vscp.opcode = 6 (common)
      13..17 vscp.content_size = 20
      17..21 vscp.common.id = 4660
      21..25 vscp.common.type = 9 (chat_send)
      25..26 vscp.common.strategy = 0 (aura)
        25..26 vscp.common.receivers = "all in the aura, sender too"
      26..37 vscp.chat.message = "M\xfcller: h\xe9"
    "#);
}

#[test]
fn hostile_names_are_truncated_and_counted() {
    let mut users = Users::default();
    for id in 0..6_000 {
        users.joined(id, users::User::new(&[0xff; 5000], b"x"));
        users.set_chat(id, users::Chat::Open);
    }
    assert!(users.by_broadcast(4095).is_some() && users.by_broadcast(4096).is_none());
    assert_eq!(users.by_broadcast(1).unwrap().user.name.chars().count(), 256);
    assert!(users.chat(1023).is_some() && users.chat(1024).is_none());
    users.left(3);
    users.joined(5000, users::User::new(b"Bo", b"y"));
    assert!(users.by_broadcast(5000).is_some());
}

fn in_charset(name: Option<&str>, chat_text: &[u8]) -> String {
    let mut settings = Settings::new();
    if let Some(name) = name {
        settings.set(&PROTOCOL.settings[0], name.to_owned());
    }
    let chat = common_of(4660, 9, 0, &[chat_text, b"\0"].concat());
    trial::message(&PROTOCOL, &mut *open(&settings), C, &chat, Cut::No)
}

#[test]
fn shift_jis_texts_are_decoded() {
    let chat_text = b"Aki: \x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd";
    let detected = in_charset(None, chat_text);
    assert!(detected.contains("this client says \"Aki: こんにちは\""), "{detected}");
    assert!(detected.contains("vscp.chat.message = \"Aki: こんにちは\""), "{detected}");
    assert!(detected.contains("! info vscp.note.charset"), "{detected}");
    let named = in_charset(Some("shift_jis"), b"\xb1\xb7");
    assert!(named.contains("vscp.chat.message = \"ｱｷ\"") && !named.contains("! "), "{named}");
    let plain = in_charset(Some("utf-8"), chat_text);
    assert!(plain.contains("\\x82\\xb1") && !plain.contains("! "), "{plain}");
}

#[test]
fn a_name_in_shift_jis_is_shown_decoded() {
    let name = b"\x83\x41\x83\x4c";
    let mut stream = Stream::default();
    let joined = [&4660_i32.to_be_bytes()[..], &4660_i32.to_be_bytes(), b"avtwrl/01cat.wrl\0", name, b"\0"].concat();
    stream.arrive(S, &[&trial::bytes(REPLY)[..], &section_of([7, 7], USER_JOINED, &joined)].concat());
    stream.arrive(S, &common_of(4660, 9, 0, &[name, &b": hi\0"[..]].concat()));
    assert!(stream.headings().ends_with("アキ (01cat.wrl) joined\nchat_send | アキ (01cat.wrl): hi"), "{}", stream.headings());
}
