//! V7 to V19 of the reference.

use super::*;

#[test]
fn v9_v10_a_login_with_rsa_off() {
    insta::assert_snapshot!(dissect(&[], &[(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V10), (SERVER, V9_IN)]), @r#"
    rs 0..2 | service | game login
      0..1 rs.service = 14 (game login)
      1..2 rs.name_hash = 26
    rs 0..17 | handshake | go on
      0..8 rs.handshake.ignored = 0000000000000000
      8..9 rs.handshake.response = 0 (go on)
      9..17 rs.handshake.server_seed = 0x090a0b0c0d0e0f10
    rs 0..79 | login | revision 317
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
      38..42 rs.login.crc = 0x99999999
      42..43 rs.login.rsa_length = 36
      rs.login.rsa_state = "plain"
      43..44 rs.login.rsa_magic = 10
      44..48 rs.login.client_seed = 0x01020304
      48..52 rs.login.client_seed = 0x05060708
      52..56 rs.login.server_seed = 0x090a0b0c
      56..60 rs.login.server_seed = 0x0d0e0f10
      60..64 rs.login.uid = 0x13371337
      64..71 rs.login.username = "zezima"
      71..79 rs.login.password = "hunter2"
      rs.isaac.state = "plain"
    rs 0..3 | login_response | logged in
      0..1 rs.login.response = 2 (logged in)
      1..2 rs.login.rights = 0 (player)
      2..3 rs.login.mouse_tracking = false
    "#);
}

#[test]
fn v11_a_login_under_a_key_of_512_bits() {
    let session = [(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V11)];
    insta::assert_snapshot!(dissect(&[("rs.rsa_key", KEY)], &session), @r#"
    rs 0..2 | service | game login
      0..1 rs.service = 14 (game login)
      1..2 rs.name_hash = 26
    rs 0..17 | handshake | go on
      0..8 rs.handshake.ignored = 0000000000000000
      8..9 rs.handshake.response = 0 (go on)
      9..17 rs.handshake.server_seed = 0x090a0b0c0d0e0f10
    rs 0..107 | login | revision 317
      0..1 rs.login.type = 16 (new)
      1..2 rs.login.size = 105
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
      38..42 rs.login.crc = 0x99999999
      42..43 rs.login.rsa_length = 64
      rs.login.rsa_state = "decrypted"
      43..107 rs.login.rsa_block = 64 bytes
      0..1 rs.login.rsa_magic = 10
      1..5 rs.login.client_seed = 0x01020304
      5..9 rs.login.client_seed = 0x05060708
      9..13 rs.login.server_seed = 0x090a0b0c
      13..17 rs.login.server_seed = 0x0d0e0f10
      17..21 rs.login.uid = 0x13371337
      21..28 rs.login.username = "zezima"
      28..36 rs.login.password = "hunter2"
      rs.isaac.state = "key"
    "#);
    let tree = dissect(&[], &session[2..]);
    let groups = ["rs.isaac.state", "rs.login.rsa_state", "rs.login.rsa_length", "rs.login.rsa_block"];
    insta::assert_snapshot!(trial::below(&tree, &groups), @r#"
    rs 0..107 | login | revision 317
      42..43 rs.login.rsa_length = 64
      rs.login.rsa_state = "encrypted"
      43..107 rs.login.rsa_block = 64 bytes
      rs.isaac.state = "none"
    "#);
}

#[test]
fn v12_a_login_of_revision_225() {
    insta::assert_snapshot!(dissect(&[], &[(SERVER, V12_GREETING), (CLIENT, V12), (SERVER, "02")]), @r#"
    rs 0..8 | greeting
      0..8 rs.handshake.server_seed = 0x090a0b0c0d0e0f10
    rs 0..77 | login | revision 225
      0..1 rs.login.type = 16 (new)
      1..2 rs.login.size = 75
      2..3 rs.login.revision = 225
      3..4 rs.login.low_memory = 0 (high detail)
      4..8 rs.login.crc = 0x11111111
      8..12 rs.login.crc = 0x22222222
      12..16 rs.login.crc = 0x33333333
      16..20 rs.login.crc = 0x44444444
      20..24 rs.login.crc = 0x55555555
      24..28 rs.login.crc = 0x66666666
      28..32 rs.login.crc = 0x77777777
      32..36 rs.login.crc = 0x88888888
      36..40 rs.login.crc = 0x99999999
      40..41 rs.login.rsa_length = 36
      rs.login.rsa_state = "plain"
      41..42 rs.login.rsa_magic = 10
      42..46 rs.login.client_seed = 0x01020304
      46..50 rs.login.client_seed = 0x05060708
      50..54 rs.login.server_seed = 0x090a0b0c
      54..58 rs.login.server_seed = 0x0d0e0f10
      58..62 rs.login.uid = 0x13371337
      62..69 rs.login.username = "zezima"
      69..77 rs.login.password = "hunter2"
      rs.isaac.state = "plain"
    rs 0..1 | login_response | logged in
      0..1 rs.login.response = 2 (logged in)
    "#);
}

#[test]
fn v15_and_v16_in_their_packets() {
    insta::assert_snapshot!(clear("317", CLIENT, "2D 09 39 5E 91 2B 06 C9 67 FF FF"), @r#"
    rs 0..11 | event_mouse_move
      0..1 rs.opcode = 45
      rs.name = "event_mouse_move"
      rs.direction = "c2s"
      1..2 rs.size = 9
      2..11 rs.event_mouse_move.moves
        2..4 rs.mouse_moves.move
          2..3 rs.mouse_moves.kind = 0
          2..3 rs.mouse_moves.idle = 3
          2..4 rs.mouse_moves.dx = 5
          3..4 rs.mouse_moves.dy = -2
        4..7 rs.mouse_moves.move
          4..5 rs.mouse_moves.kind = 2
          4..5 rs.mouse_moves.idle = 2
          4..7 rs.mouse_moves.point = 76550
          4..7 rs.point.x = 50
          4..7 rs.point.y = 100
        7..11 rs.mouse_moves.move
          7..8 rs.mouse_moves.kind = 3
          7..9 rs.mouse_moves.idle = 300
          8..11 rs.mouse_moves.point = 524287
    "#);
    let region = format!("F1 00 5C 01 12 AC 81 8F 80 {} 01 93", "00 ".repeat(84));
    insta::assert_snapshot!(clear("317", SERVER, &region), @r#"
    rs 0..95 | rebuild_region | zone y 402, zone x 403
      0..1 rs.opcode = 241
      rs.name = "rebuild_region"
      rs.direction = "s2c"
      1..3 rs.size = 92
      3..5 rs.rebuild_region.zone_y = 402
      5..93 rs.rebuild_region.palette
        5..9 rs.palette.zone
          5..6 rs.palette.present = true
          5..6 rs.palette.level = 1
          5..7 rs.palette.zone_x = 400
          6..8 rs.palette.zone_y = 399
          8..9 rs.palette.rotation = 2
          8..9 rs.palette.unused = 0
        8..93 rs.palette.absent = 675
        92..93 rs.padding = 0
      93..95 rs.rebuild_region.zone_x = 403
    "#);
}

#[test]
fn v17_revision_377_and_225_in_clear() {
    insta::assert_snapshot!(clear("377", CLIENT, "1C 09 16 0C 01 12 0C 01 80 FF 82 31 08 FE 81 61 BB 40 D1 49 BA"), @r#"
    rs 0..11 | move_gameclick | first x 3222, run 1, first y 3218
      0..1 rs.opcode = 28
      rs.name = "move_gameclick"
      rs.direction = "c2s"
      1..2 rs.size = 9
      2..4 rs.move_gameclick.first_x = 3222
      4..5 rs.move_gameclick.run = 1
      5..7 rs.move_gameclick.first_y = 3218
      7..11 rs.move_gameclick.steps
        7..9 rs.steps.step
          7..8 rs.steps.dx = 1
          8..9 rs.steps.dy = 0
        9..11 rs.steps.step
          9..10 rs.steps.dx = -1
          10..11 rs.steps.dy = -2
    rs 0..10 | message_public | colour 2, effect 1, "hello world"
      0..1 rs.opcode = 49
      rs.name = "message_public"
      rs.direction = "c2s"
      1..2 rs.size = 8
      2..3 rs.message_public.colour = 2 (green)
      3..4 rs.message_public.effect = 1 (wave)
      4..10 rs.message_public.text = "hello world"
    "#);
    insta::assert_snapshot!(clear("377", SERVER, "73 00 00 E8 03 2C 01 CE 00 0E 0C 8E 00 02 B8 10 FF 64 03 01 40 42 0F 00"), @r#"
    rs 0..7 | varp_large | value 1000, varp 300
      0..1 rs.opcode = 115
      rs.name = "varp_large"
      rs.direction = "s2c"
      1..5 rs.varp_large.value = 1000
      5..7 rs.varp_large.varp = 300
    rs 0..17 | update_inv_full | component 3214, capacity 2
      0..1 rs.opcode = 206
      rs.name = "update_inv_full"
      rs.direction = "s2c"
      1..3 rs.size = 14
      3..5 rs.update_inv_full.component = 3214
      5..7 rs.update_inv_full.capacity = 2
      7..17 rs.update_inv_full.slots
        7..10 rs.slots.slot
          7..9 rs.slots.obj = 4152
          7..9 rs.slots.item = 4151
          9..10 rs.slots.count = 1
        10..17 rs.slots.slot
          10..12 rs.slots.obj = 996
          10..12 rs.slots.item = 995
          12..13 rs.slots.count = 255
          13..17 rs.slots.many = 1000000
    "#);
    insta::assert_snapshot!(clear("225", CLIENT, "B5 09 01 0C 96 0C 92 01 00 FF FE"), @r#"
    rs 0..11 | move_gameclick | run 1, first x 3222, first y 3218
      0..1 rs.opcode = 181
      rs.name = "move_gameclick"
      rs.direction = "c2s"
      1..2 rs.size = 9
      2..3 rs.move_gameclick.run = 1
      3..5 rs.move_gameclick.first_x = 3222
      5..7 rs.move_gameclick.first_y = 3218
      7..11 rs.move_gameclick.steps
        7..9 rs.steps.step
          7..8 rs.steps.dx = 1
          8..9 rs.steps.dy = 0
        9..11 rs.steps.step
          9..10 rs.steps.dx = -1
          10..11 rs.steps.dy = -2
    "#);
}

#[test]
fn v18_on_demand() {
    insta::assert_snapshot!(dissect(&[], &[
        (CLIENT, "0F"),
        (SERVER, "00 00 00 00 00 00 00 00"),
        (CLIENT, "02 00 07 02 00 00 01 01 00 00 00 0A"),
        (SERVER, "02 00 07 00 0A 00 00 01 02 03 04 05 06 07 08 09 00 00 01 00 00 00"),
    ]), @r#"
    rs 0..1 | service | update
      0..1 rs.service = 15 (update)
    rs 0..8 | update_ready
      0..8 rs.handshake.ignored = 0000000000000000
    rs 0..4 | request | music 7, needed now
      0..1 rs.od.store = 2 (music)
      1..3 rs.od.file = 7
      3..4 rs.od.priority = 2 (needed now)
    rs 0..4 | request | models 1, preload before login
      0..1 rs.od.store = 0 (models)
      1..3 rs.od.file = 1
      3..4 rs.od.priority = 1 (preload before login)
    rs 0..4 | keep_alive
      0..1 rs.od.store = 0 (models)
      1..3 rs.od.file = 0
      3..4 rs.od.priority = 10 (keep-alive)
    rs 0..16 | chunk | music 7, bytes 0 to 10 of 10
      0..1 rs.od.store = 2 (music)
      1..3 rs.od.file = 7
      3..5 rs.od.size = 10
      5..6 rs.od.chunk = 0
      6..16 rs.od.data = 00010203040506070809
      rs.od.crc = 0x88aa689f
      rs.od.version = 2057
      rs.od.asked = 0
    rs 0..6 | chunk | models 1, no such file
      0..1 rs.od.store = 0 (models)
      1..3 rs.od.file = 1
      3..5 rs.od.size = 0
      5..6 rs.od.chunk = 0
      rs.od.asked = 0
    "#);
}

#[test]
fn v18_the_check_word_of_the_check_sums() {
    let crcs = "11111111 22222222 33333333 44444444 55555555 66666666 77777777 88888888 99999999";
    let ask = "4A 41 47 47 52 41 42 20 2F 63 72 63 31 2D 33 31 37 0A 0A";
    insta::assert_snapshot!(dissect(&[], &[(CLIENT, ask), (SERVER, &format!("{crcs} 88922C45"))]), @r#"
    rs 0..19 | request | crc1-317
      0..19 rs.jaggrab.request = "JAGGRAB /crc1-317\n\n"
      9..17 rs.jaggrab.path = "crc1-317"
      rs.jaggrab.revision = 317
    rs 0..40 | file | crc1-317, 40 bytes
      0..4 rs.jaggrab.crc = 0x11111111
      4..8 rs.jaggrab.crc = 0x22222222
      8..12 rs.jaggrab.crc = 0x33333333
      12..16 rs.jaggrab.crc = 0x44444444
      16..20 rs.jaggrab.crc = 0x55555555
      20..24 rs.jaggrab.crc = 0x66666666
      24..28 rs.jaggrab.crc = 0x77777777
      28..32 rs.jaggrab.crc = 0x88888888
      32..36 rs.jaggrab.crc = 0x99999999
      36..40 rs.jaggrab.check = 0x88922c45
      rs.jaggrab.asked = 0
    "#);
    let wrong = dissect(&[], &[(CLIENT, ask), (SERVER, &format!("{crcs} 88922C46"))]);
    assert!(wrong.contains("! odd rs.odd"), "{wrong}");
    // A file of another name or another size has no checksums.
    let title = dissect(&[], &[(CLIENT, &ask.replace("63 72 63 31", "74 69 74 6C")), (SERVER, &format!("{crcs} 88922C45"))]);
    let longer = dissect(&[], &[(CLIENT, ask), (SERVER, &format!("{crcs} 88922C45 00"))]);
    for (tree, len) in [(title, 40), (longer, 41)] {
        assert!(tree.contains(&format!("0..{len} rs.jaggrab.data")) && !tree.contains("rs.jaggrab.crc "), "{tree}");
    }
}

#[test]
fn v19_a_group_of_js5() {
    insta::assert_snapshot!(dissect(&[], &[
        (CLIENT, "0F 00 00 02 26"),
        (SERVER, "00"),
        (CLIENT, "06 00 00 03 01 02 00 03 00 02 00 03"),
        (SERVER, "02 00 03 00 00 00 00 07 4F 70 65 6E 52 53 32"),
        (SERVER, "02 00 03 80 00 00 00 07 4F 70 65 6E 52 53 32"),
        (CLIENT, "04 2A 00 00"),
        (SERVER, "28 2A 29 2A 2A 2A 2A 2D 65 5A 4F 44 78 79 18"),
    ]), @r#"
    rs 0..5 | js5_service | revision 550
      0..1 rs.service = 15 (update)
      1..5 rs.js5.revision = 550
    rs 0..1 | js5_status | go on
      0..1 rs.js5.status = 0 (go on)
    rs 0..4 | connected
      0..1 rs.js5.message = 6 (connected)
      1..4 rs.js5.value = 3
    rs 0..4 | js5_request | archive 2, group 3, urgent
      0..1 rs.js5.message = 1 (urgent)
      1..2 rs.js5.archive = 2
      2..4 rs.js5.group = 3
    rs 0..4 | js5_request | archive 2, group 3, prefetch
      0..1 rs.js5.message = 0 (prefetch)
      1..2 rs.js5.archive = 2
      2..4 rs.js5.group = 3
    rs 0..15 | js5_group | archive 2, group 3, 7 bytes, compression none
      0..1 rs.js5.archive = 2
      1..3 rs.js5.group = 3
      3..4 rs.js5.flags = 0x00
        3..4 rs.js5.prefetch = false
        3..4 rs.js5.compression = 0 (none)
      4..8 rs.js5.length = 7
      8..15 rs.js5.data = 4f70656e525332
      rs.js5.crc = 0x74231ae3
      rs.js5.asked = 0
    rs 0..15 | js5_group | archive 2, group 3, 7 bytes, compression none
      0..1 rs.js5.archive = 2
      1..3 rs.js5.group = 3
      3..4 rs.js5.flags = 0x80
        3..4 rs.js5.prefetch = true
        3..4 rs.js5.compression = 0 (none)
      4..8 rs.js5.length = 7
      8..15 rs.js5.data = 4f70656e525332
      rs.js5.crc = 0x74231ae3
    rs 0..4 | key
      0..1 rs.js5.message = 4 (key)
      1..2 rs.js5.key = 0x2a
      2..4 rs.js5.unused = 0000
    rs 0..15 | js5_group | archive 2, group 3, 7 bytes, compression none
      0..15 rs.js5.data = 282a292a2a2a2a2d655a4f44787918
      0..1 rs.js5.archive = 2
      1..3 rs.js5.group = 3
      3..4 rs.js5.flags = 0x00
        3..4 rs.js5.prefetch = false
        3..4 rs.js5.compression = 0 (none)
      4..8 rs.js5.length = 7
      8..15 rs.js5.data = 4f70656e525332
      rs.js5.crc = 0x74231ae3
    "#);
}

/// Payloads of a genuine session with prepended opcodes.
#[test]
fn v20_to_v27_payloads_of_osrs_223() {
    for (side, hex, expected) in [
        (SERVER, "19 76 85 00", "varp_small | value 10, id 5"),
        (SERVER, "2C 94 00 07 37 E1 DF", "varp_large | id 20, value -505477321"),
        (
            SERVER,
            "17 80 24 6A 40 00 00 5C",
            "update_stat_v2 | stat 0, invisible boosted level 36, experience 27200, current level 36",
        ),
        (SERVER, "7A 5A 00 32 00 01", "if_sethide | combined id 90:50, hidden 1"),
        (SERVER, "6C 7F A2 00 00 A5 00 02", "if_opensub | type 1, interface id 162, combined id 165:2"),
        (CLIENT, "38 05 71 0D 00 0C EF", "move_gameclick | z 3441, key combination 0, x 3183"),
        (SERVER, "26 00 00 80 07 35 9F 80 00 00 00 00 01 00 75", ""),
        (CLIENT, "5C 31 0C 00", "opnpc2 | index 3249, control key 0"),
    ] {
        let tree = clear("223", side, hex);
        let head = tree.lines().next().unwrap();
        assert!(!tree.contains("\n!"), "{tree}");
        if expected.is_empty() {
            insta::assert_snapshot!(tree, @r#"
    rs 0..15 | obj_add | time until despawn 0, never becomes public 0, id 1973, op flags 31
      0..1 rs.opcode = 38
      rs.name = "obj_add"
      rs.direction = "s2c"
      1..3 rs.obj_add.time_until_despawn = 0
      3..4 rs.obj_add.never_becomes_public = 0
      4..6 rs.obj_add.id = 1973
      6..7 rs.obj_add.op_flags = 31
      7..8 rs.obj_add.ownership_type = 0
      8..10 rs.obj_add.time_until_public = 0
      10..14 rs.obj_add.quantity = 1
      14..15 rs.obj_add.coord_in_zone = 117
      14..15 rs.coord.x = 7
      14..15 rs.coord.y = 5
    "#);
        } else {
            assert_eq!(head.split_once(" | ").unwrap().1, expected);
        }
    }
}
