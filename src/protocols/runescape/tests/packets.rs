//! Updates and packets of other revisions, and state kept across packets.

use super::*;

/// Bits given as text; characters other than 0 and 1 are skipped.
pub fn bits(text: &str) -> Vec<u8> {
    let bits: Vec<u8> = text.bytes().filter(|byte| matches!(byte, b'0' | b'1')).map(|byte| byte - b'0').collect();
    bits.chunks(8).map(|byte| byte.iter().enumerate().fold(0, |whole, (at, bit)| whole | bit << (7 - at))).collect()
}

fn packet(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let size = u16::try_from(payload.len()).unwrap().to_be_bytes();
    [&[opcode][..], &size, payload].concat()
}

fn server(revision: &str, packets: &[Vec<u8>]) -> Vec<String> {
    dissect_messages(&[("rs.revision", revision), ("rs.isaac", "off")], &[(SERVER, packets.concat())])
}

#[test]
fn players_keep_their_places_and_names() {
    let look = trial::bytes(
        "10 CD 00 00 00 00 00 00 01 12 00 01 1A 01 24 01 00 01 21 01 2A 01 0A 00 01 02 03 04 03 28 03 37 03 33 03 34 03 35 03 36 03 38 00 00 00 00 6C 1A 00 CC 7E 00 00",
    );
    // Player 5 is added with an appearance, chats, and is removed.
    let first = [bits("0 00000000 00000000101 1 1 00001 00001 11111111111"), look].concat();
    let second = [bits("0 00000001 1 00 11111111111"), trial::bytes("04 48 69 0A")].concat();
    let third = bits("0 00000001 1 11");
    let trees = server("317", &[first, second, third].map(|payload| packet(81, &payload)));
    assert!(trees.iter().all(|tree| !tree.contains("\n!")), "{}", trees.concat());
    insta::assert_snapshot!(trees[1], @r#"
    rs 0..10 | player_info | 1 other player, 1 update (say)
      0..1 rs.opcode = 81
      rs.name = "player_info"
      rs.direction = "s2c"
      1..3 rs.size = 7
      3..4 rs.player_info.local
        3..4 rs.move.moved = false
      3..5 rs.player_info.count = 1
      4..5 rs.player_info.known
        4..5 rs.move.moved = true
        4..5 rs.move.type = 0 (update only)
      4..6 rs.player_info.end = 2047
      5..6 rs.padding = 0
      6..10 rs.player_info.update
        rs.player_info.update.index = 5
        rs.player_name = "zezima"
        6..7 rs.player_info.update.mask = 0x04
        7..10 rs.player_info.update.say
          7..10 rs.player_info.update.say.text = "Hi"
    "#);
    insta::assert_snapshot!(trees[2], @r#"
    rs 0..5 | player_info | 0 other players, 0 updates
      0..1 rs.opcode = 81
      rs.name = "player_info"
      rs.direction = "s2c"
      1..3 rs.size = 2
      3..4 rs.player_info.local
        3..4 rs.move.moved = false
      3..5 rs.player_info.count = 1
      4..5 rs.player_info.known
        4..5 rs.move.moved = true
        4..5 rs.move.type = 3 (teleport or remove)
      4..5 rs.padding = 0
    "#);
}

#[test]
fn tiles_of_the_world_come_from_the_last_map() {
    let map = trial::bytes("49 01 12 01 92");
    let zone = trial::bytes("55 D8 D0");
    let item = trial::bytes("2C 63 03 00 19 23");
    let trees = server("317", &[map, zone, item]);
    insta::assert_snapshot!(trees[2], @r#"
    rs 0..6 | obj_add | obj 995, count 25, coord 35
      0..1 rs.opcode = 44
      rs.name = "obj_add"
      rs.direction = "s2c"
      1..3 rs.obj_add.obj = 995
      3..5 rs.obj_add.count = 25
      5..6 rs.obj_add.coord = 35
      5..6 rs.coord.x = 2
      5..6 rs.coord.y = 3
      rs.world_x = 3218
      rs.world_y = 3211
    "#);
}

#[test]
fn npcs_with_wider_ids_are_noted_and_read_with_the_setting() {
    let info = bits("00000000 00000001001101 00001 11111 0 00000000000001 0 11111111111111 00000000 00000000");
    let narrow = server("317", &[packet(65, &info)]);
    assert!(narrow[0].contains("! broken rs.malformed"), "{}", narrow[0]);
    let settings = [("rs.revision", "317"), ("rs.isaac", "off"), ("rs.npc_bits", "14")];
    let wide = bits("00000000 00000001001101 00001 11111 0 00000000000001 1 11111111111111");
    let wide = dissect_messages(&settings, &[(SERVER, packet(65, &[wide, trial::bytes("20 00 05")].concat()))]);
    assert!(!wide[0].contains("\n!") && wide[0].contains("rs.npc_info.new.type = 1"), "{}", wide[0]);
}

#[test]
fn updates_of_225_and_377() {
    let of_225 = [
        bits("1 11 01 0110010 0110110 1 1 00000000 00000000101 11101 00010 1 1 11111111111"),
        trial::bytes("50 05 01 06 0A 02 01 00 03 61 BB 40 02 00 A1 02"),
    ]
    .concat();
    insta::assert_snapshot!(server("225", &[packet(184, &of_225)])[0], @r#"
    rs 0..27 | player_info | 1 other player, 2 updates (hit1, chat, animation)
      0..1 rs.opcode = 184
      rs.name = "player_info"
      rs.direction = "s2c"
      1..3 rs.size = 24
      3..6 rs.player_info.local
        3..4 rs.move.moved = true
        3..4 rs.move.type = 3 (teleport or remove)
        3..4 rs.player_info.teleport.level = 1
        3..5 rs.player_info.teleport.x = 50
        4..6 rs.player_info.teleport.y = 54
        5..6 rs.player_info.teleport.jump = 1
        5..6 rs.player_info.teleport.update = 1
      5..7 rs.player_info.count = 0
      6..10 rs.player_info.new
        6..8 rs.player_info.new.index = 5
        8..9 rs.player_info.new.dx = -3
        8..10 rs.player_info.new.dy = 2
        9..10 rs.player_info.new.jump = 1
        9..10 rs.player_info.new.update = 1
      9..11 rs.player_info.end = 2047
      10..11 rs.padding = 0
      11..23 rs.player_info.update
        11..12 rs.player_info.update.mask = 0x50
        12..16 rs.player_info.update.hit1
          12..13 rs.player_info.update.hit1.damage = 5
          13..14 rs.player_info.update.hit1.type = 1 (damage)
          14..15 rs.player_info.update.hit1.health = 6
          15..16 rs.player_info.update.hit1.max_health = 10
        16..23 rs.player_info.update.chat
          16..17 rs.player_info.update.chat.colour = 2 (green)
          17..18 rs.player_info.update.chat.effect = 1 (wave)
          18..19 rs.player_info.update.chat.rights = 0 (player)
          19..20 rs.player_info.update.chat.length = 3
          20..23 rs.player_info.update.chat.text = "hello "
      23..27 rs.player_info.update
        rs.player_info.update.index = 5
        23..24 rs.player_info.update.mask = 0x02
        24..27 rs.player_info.update.animation
          24..26 rs.player_info.update.animation.seq = 161
          26..27 rs.player_info.update.animation.delay = 2
    "#);
    let of_377 = [
        bits("1 11 0 01 0110010 0110110 1 00000000 00000000101 11101 1 0 00010 11111111111"),
        trial::bytes("48 00 A1 7E 01 02 00 83 E1 3B C0 08 00 A1 7E"),
    ]
    .concat();
    insta::assert_snapshot!(server("377", &[packet(90, &of_377)])[0], @r#"
    rs 0..26 | player_info | 1 other player, 2 updates (animation, chat)
      0..1 rs.opcode = 90
      rs.name = "player_info"
      rs.direction = "s2c"
      1..3 rs.size = 23
      3..6 rs.player_info.local
        3..4 rs.move.moved = true
        3..4 rs.move.type = 3 (teleport or remove)
        3..4 rs.player_info.teleport.discard = 0
        3..4 rs.player_info.teleport.level = 1
        3..5 rs.player_info.teleport.y = 50
        4..6 rs.player_info.teleport.x = 54
        5..6 rs.player_info.teleport.update = 1
      5..7 rs.player_info.count = 0
      6..10 rs.player_info.new
        6..8 rs.player_info.new.index = 5
        8..9 rs.player_info.new.dx = -3
        8..9 rs.player_info.new.update = 1
        8..9 rs.player_info.new.discard = 0
        8..10 rs.player_info.new.dy = 2
      9..11 rs.player_info.end = 2047
      10..11 rs.padding = 0
      11..22 rs.player_info.update
        11..12 rs.player_info.update.mask = 0x48
        12..15 rs.player_info.update.animation
          12..14 rs.player_info.update.animation.seq = 161
          14..15 rs.player_info.update.animation.delay = 2
        15..22 rs.player_info.update.chat
          15..17 rs.player_info.update.chat.colour_effect = 258
          15..17 rs.chat.colour = 1 (red)
          15..17 rs.chat.effect = 2 (wave2)
          17..18 rs.player_info.update.chat.rights = 0 (player)
          18..19 rs.player_info.update.chat.length = 3
          19..22 rs.player_info.update.chat.text = "hello "
      22..26 rs.player_info.update
        rs.player_info.update.index = 5
        22..23 rs.player_info.update.mask = 0x08
        23..26 rs.player_info.update.animation
          23..25 rs.player_info.update.animation.seq = 161
          25..26 rs.player_info.update.animation.delay = 2
    "#);
}

#[test]
fn the_tables_can_be_changed() {
    let settings = [("rs.revision", "317"), ("rs.isaac", "off"), ("rs.table", "s2c\t109\t2\tgoodbye\twhy:u16_add\n")];
    insta::assert_snapshot!(dissect(&settings, &[(SERVER, "6D 00 85")]), @r#"
    rs 0..3 | goodbye | why 5
      0..1 rs.opcode = 109
      rs.name = "goodbye"
      rs.direction = "s2c"
      1..3 rs.goodbye.why = 5
    "#);
}
