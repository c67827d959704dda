//! M1 to M6 of the reference, and other malformed input.

use super::*;

#[test]
fn m1_a_login_that_is_cut() {
    let bytes = trial::bytes(V10);
    let trees = dissect_messages(
        &[],
        &[(CLIENT, trial::bytes(V9_SERVICE)), (SERVER, trial::bytes(V9_ANSWER)), (CLIENT, bytes[..40].to_vec())],
    );
    insta::assert_snapshot!(trees.last().unwrap(), @r#"
    rs 0..40 | login | revision 317
      0..1 rs.login.type = 16 (new)
      1..2 rs.login.size = 77
      2..3 rs.login.magic = 255
      3..5 rs.login.revision = 317
      5..6 rs.login.low_memory = 0 (high detail)
      6..10 rs.login.crc = 0x11111111
      10..14 rs.login.crc = 0x22222222
      14..18 rs.login.crc = 0x33333333
      18..22 rs.login.crc = 0x44444444
      22..26 rs.login.crc = 0x55555555
      26..30 rs.login.crc = 0x66666666
      30..34 rs.login.crc = 0x77777777
      34..38 rs.login.crc = 0x88888888
      38..40 rs.data = 9999
    ! broken rs.truncated at 38..40 rs: the stream ends after 40 of 79 bytes
    "#);
}

#[test]
fn m2_a_block_that_does_not_fit_the_size() {
    let login = V10.replacen(" 24 0A", " 25 0A", 1);
    let tree = dissect(&[], &[(SERVER, V12_GREETING), (CLIENT, &login)]);
    insta::assert_snapshot!(&tree[tree.find("! ").unwrap()..], @r#"
    ! broken rs.malformed at 42..43 rs.login.rsa_length: block length 37; the size leaves 36 bytes
    ! broken rs.malformed at 42..43 rs.login.rsa_length: block length 37, only 36 bytes remain
    "#);
}

#[test]
fn m3_another_key() {
    let key = KEY.replacen("d = 4", "d = 5", 1);
    let session = [(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V11), (SERVER, V9_IN), (SERVER, V14)];
    let tree = dissect(&[("rs.rsa_key", &key)], &session);
    insta::assert_snapshot!(tree.lines().filter(|line| line.contains('!') || line.contains("state")).collect::<Vec<_>>().join("\n"), @r#"
      rs.login.rsa_state = "encrypted"
      rs.isaac.state = "none"
    ! odd rs.wrong_key at 43..107 rs.login.rsa_block: wrong key: none of 1 yields 10 and the server seed
    ! info rs.enciphered at 0..262 rs: 262 bytes of game packets, but no key: -o rs.rsa_key=FILE, rs.keys=FILE, rs.isaac=SEEDS or rs.isaac=off
    "#);
}

#[test]
fn m4_a_string_without_terminator() {
    insta::assert_snapshot!(clear("317", SERVER, "FD 05 41 42 43 44 45"), @r#"
    rs 0..7 | message_game
      0..1 rs.opcode = 253
      rs.name = "message_game"
      rs.direction = "s2c"
      1..2 rs.size = 5
      2..7 rs.message_game.text = "ABCDE"
    ! broken rs.malformed at 2..7 rs.message_game.text: the string has no terminator
    "#);
}

#[test]
fn m5_a_cipher_one_packet_out_of_step() {
    let session = [
        (CLIENT, V9_SERVICE),
        (SERVER, V9_ANSWER),
        (CLIENT, V10),
        (SERVER, V9_IN),
        (SERVER, &V14[3..]),
        (SERVER, "01 02"),
        (CLIENT, V13),
    ];
    let messages: Vec<_> = session.iter().map(|(side, hex)| (*side, trial::bytes(hex))).collect();
    let trees = dissect_messages(&[], &messages);
    let lost = trees.iter().position(|tree| tree.contains("! broken rs.lost_step")).unwrap();
    assert!(lost < 8, "{}", heads(&trees));
    assert_eq!(trees[lost + 1], "data 2\n");
    assert!(trees.last().unwrap().contains("event_camera_position"), "the other side goes on");
}

#[test]
fn m6_an_incomplete_player_update() {
    insta::assert_snapshot!(clear("317", SERVER, "41 00 02 01 00"), @r#"
    rs 0..5 | npc_info | 1 NPC, 0 updates
      0..1 rs.opcode = 65
      rs.name = "npc_info"
      rs.direction = "s2c"
      1..3 rs.size = 2
      3..4 rs.npc_info.count = 1
      4..5 rs.npc_info.known
        4..5 rs.move.moved = false
      4..5 rs.padding = 0
    "#);
    insta::assert_snapshot!(clear("317", SERVER, "41 00 01 01"), @r#"
    rs 0..4 | npc_info | 0 NPCs, 0 updates
      0..1 rs.opcode = 65
      rs.name = "npc_info"
      rs.direction = "s2c"
      1..3 rs.size = 1
      3..4 rs.npc_info.count = 1
      4..4 rs.npc_info.known
    ! broken rs.malformed at 4..4 rs.npc_info.known: 1 bytes missing: a bit width or block layout does not fit this revision
    "#);
    insta::assert_snapshot!(clear("317", SERVER, "41 00 03 01 00 00"), @r#"
    rs 0..6 | npc_info | 1 NPC, 0 updates
      0..1 rs.opcode = 65
      rs.name = "npc_info"
      rs.direction = "s2c"
      1..3 rs.size = 3
      3..4 rs.npc_info.count = 1
      4..5 rs.npc_info.known
        4..5 rs.move.moved = false
      4..5 rs.padding = 0
      5..6 rs.data = 00
    ! broken rs.malformed at 5..6 rs.padding: 1 bytes remain: a bit width or block layout does not fit this revision
    "#);
}

#[test]
fn unknown_opcodes_and_inner_opcodes() {
    insta::assert_snapshot!(clear("317", SERVER, "6D 00 01 02"), @r#"
    rs 0..1 | logout
      0..1 rs.opcode = 109
      rs.name = "logout"
      rs.direction = "s2c"
    rs 0..3 | data | cipher out of step
      0..1 rs.opcode_wire = 0
      0..1 rs.opcode = 0
      1..3 rs.data = 0102
    ! broken rs.lost_step at 1..3 rs.opcode: no packet has opcode 0: this side is not decoded further
    "#);
    insta::assert_snapshot!(clear("317", SERVER, "3C 00 05 28 D0 6D 01 02"), @r#"
    rs 0..8 | update_zone_partial_enclosed | zone y 40, zone x 48
      0..1 rs.opcode = 60
      rs.name = "update_zone_partial_enclosed"
      rs.direction = "s2c"
      1..3 rs.size = 5
      3..4 rs.update_zone_partial_enclosed.zone_y = 40
      4..5 rs.update_zone_partial_enclosed.zone_x = 48
      5..8 rs.update_zone_partial_enclosed.packets
        5..8 rs.payload = 6d0102
    ! broken rs.malformed at 5..8 rs.update_zone_partial_enclosed.packets: opcode 109 is not a zone packet
    "#);
}

#[test]
fn a_layout_mismatch_is_noted() {
    // A walk of fixed fields only, with another packet length.
    insta::assert_snapshot!(clear("223", CLIENT, "38 04 71 0D 00 0C"), @r#"
    rs 0..6 | move_gameclick | z 3441, key combination 0
      0..1 rs.opcode = 56
      rs.name = "move_gameclick"
      rs.direction = "c2s"
      1..2 rs.size = 4
      2..4 rs.move_gameclick.z = 3441
      4..5 rs.move_gameclick.key_combination = 0
      5..6 rs.data = 0c
    ! broken rs.malformed at 5..6 rs.move_gameclick.key_combination: 1 bytes too few for move_gameclick
    "#);
    insta::assert_snapshot!(clear("223", CLIENT, "38 06 71 0D 00 0C EF 01"), @r#"
    rs 0..8 | move_gameclick | z 3441, key combination 0, x 3183
      0..1 rs.opcode = 56
      rs.name = "move_gameclick"
      rs.direction = "c2s"
      1..2 rs.size = 6
      2..4 rs.move_gameclick.z = 3441
      4..5 rs.move_gameclick.key_combination = 0
      5..7 rs.move_gameclick.x = 3183
      7..8 rs.trailing = 01
    ! odd dissect.left_over at 7..8 rs.trailing: 1 more than the fields explain
    "#);
}

#[test]
fn a_capacity_without_its_slots_allocates_nothing() {
    let tree = clear("317", SERVER, "35 00 04 0C 8E FF FF");
    assert!(tree.contains("! broken rs.malformed") && tree.contains("65535 slots are missing"), "{tree}");
}

#[test]
fn an_implausible_length_desynchronizes_the_cipher() {
    // 126, if_settext, under the first word of the server's generator.
    let tree = dissect(&[], &[(SERVER, V12_GREETING), (CLIENT, V10), (SERVER, V9_IN), (SERVER, "16 FF FF 41")]);
    assert!(tree.contains("! broken rs.lost_step") && tree.contains("65535 bytes are too many for opcode 126"), "{tree}");
}

#[test]
fn seeds_of_another_server_are_rejected() {
    let session = [(SERVER, "01 02 03 04 05 06 07 08"), (CLIENT, V10)];
    let tree = dissect(&[], &session);
    assert!(tree.contains("rs.seed_differs") && tree.contains("rs.isaac.state = \"none\""), "{tree}");
    let tree = dissect(&[("rs.isaac", "1,2,3,4")], &session);
    assert!(tree.contains("rs.wrong_key") && tree.contains("rs.isaac.state = \"none\""), "{tree}");
}

#[test]
fn values_beyond_client_limits_are_odd() {
    // Settings of 317 end at 1999; limits of other revisions are unknown.
    let varp = |revision, hex| clear(revision, SERVER, hex).lines().filter(|line| line.starts_with('!')).collect::<String>();
    assert_eq!(varp("317", "24 CF 07 01"), "");
    assert_eq!(varp("317", "24 D0 07 01"), "! odd rs.odd at 1..3 rs.varp_small.varp: 2000; clients of 317 have 2000, from 0");
    assert!(varp("317", "57 FF FF 00 00 00 00").contains("65535; clients of 317"));
    // A space is one nibble, so 50 bytes are 100 characters.
    let chat = |count: u8| {
        let hex = format!("04 {:02X} 80 80 {}", count + 2, "80 ".repeat(count.into()));
        clear("317", CLIENT, &hex).lines().filter(|line| line.starts_with('!')).collect::<String>()
    };
    assert_eq!(chat(50), "");
    assert!(chat(51).ends_with("102 characters; clients have room for 100"), "{}", chat(51));
}
