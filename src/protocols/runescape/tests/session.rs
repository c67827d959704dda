//! V13 and V14: encrypted packets of both sides of a session of 317.

use super::*;

#[test]
fn v13_packets_of_a_client_of_317() {
    let trees = dissect(&[], &[(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V10), (SERVER, V9_IN), (CLIENT, V13)]);
    let packets = trees.split_once("move_gameclick").map(|(before, _)| before.rfind("rs 0..13").unwrap()).unwrap();
    insta::assert_snapshot!(&trees[packets..], @r#"
    rs 0..13 | move_gameclick | first x 3222, first y 3218, run 1
      0..1 rs.opcode_wire = 243
      0..1 rs.opcode = 164
      rs.name = "move_gameclick"
      rs.direction = "c2s"
      1..2 rs.size = 11
      2..4 rs.move_gameclick.first_x = 3222
      4..10 rs.move_gameclick.steps
        4..6 rs.steps.step
          4..5 rs.steps.dx = 1
          5..6 rs.steps.dy = 0
        6..8 rs.steps.step
          6..7 rs.steps.dx = 2
          7..8 rs.steps.dy = 1
        8..10 rs.steps.step
          8..9 rs.steps.dx = -1
          9..10 rs.steps.dy = -2
      10..12 rs.move_gameclick.first_y = 3218
      12..13 rs.move_gameclick.run = 1
    rs 0..10 | message_public | effect 1, colour 2, "hello world"
      0..1 rs.opcode_wire = 180
      0..1 rs.opcode = 4
      rs.name = "message_public"
      rs.direction = "c2s"
      1..2 rs.size = 8
      2..3 rs.message_public.effect = 1 (wave)
      3..4 rs.message_public.colour = 2 (green)
      4..10 rs.message_public.text = "hello world"
    rs 0..3 | if_button | component 2458
      0..1 rs.opcode_wire = 147
      0..1 rs.opcode = 185
      rs.name = "if_button"
      rs.direction = "c2s"
      1..3 rs.if_button.component = 2458
    rs 0..15 | client_cheat | "item 995 100"
      0..1 rs.opcode_wire = 161
      0..1 rs.opcode = 103
      rs.name = "client_cheat"
      rs.direction = "c2s"
      1..2 rs.size = 13
      2..15 rs.client_cheat.command = "item 995 100"
    rs 0..20 | message_private | name bob_the_cat, "hi. how are you?"
      0..1 rs.opcode_wire = 19
      0..1 rs.opcode = 126
      rs.name = "message_private"
      rs.direction = "c2s"
      1..2 rs.size = 18
      2..10 rs.message_private.name = "bob_the_cat"
      10..20 rs.message_private.text = "hi. how are you?"
    rs 0..7 | oploc1 | x 3222, loc 1530, y 3218
      0..1 rs.opcode_wire = 21
      0..1 rs.opcode = 132
      rs.name = "oploc1"
      rs.direction = "c2s"
      1..3 rs.oploc1.x = 3222
      3..5 rs.oploc1.loc = 1530
      5..7 rs.oploc1.y = 3218
    rs 0..7 | inv_button1 | component 1688, slot 3, obj 4151
      0..1 rs.opcode_wire = 90
      0..1 rs.opcode = 145
      rs.name = "inv_button1"
      rs.direction = "c2s"
      1..3 rs.inv_button1.component = 1688
      3..5 rs.inv_button1.slot = 3
      5..7 rs.inv_button1.obj = 4151
    rs 0..8 | inv_buttond | component 3214, mode 0, slot 5, target slot 27
      0..1 rs.opcode_wire = 35
      0..1 rs.opcode = 214
      rs.name = "inv_buttond"
      rs.direction = "c2s"
      1..3 rs.inv_buttond.component = 3214
      3..4 rs.inv_buttond.mode = 0
      4..6 rs.inv_buttond.slot = 5
      6..8 rs.inv_buttond.target_slot = 27
    rs 0..5 | event_mouse_click
      0..1 rs.opcode_wire = 243
      0..1 rs.opcode = 241
      rs.name = "event_mouse_click"
      rs.direction = "c2s"
      1..5 rs.event_mouse_click.click
        1..5 rs.mouse_click.age = 20
        1..5 rs.mouse_click.right = true
        1..5 rs.mouse_click.point = 191650
        1..5 rs.point.x = 400
        1..5 rs.point.y = 250
    rs 0..5 | event_camera_position | pitch 128, yaw 1024
      0..1 rs.opcode_wire = 102
      0..1 rs.opcode = 86
      rs.name = "event_camera_position"
      rs.direction = "c2s"
      1..3 rs.event_camera_position.pitch = 128
      3..5 rs.event_camera_position.yaw = 1024
    "#);
}

#[test]
fn v14_packets_of_a_server_of_317() {
    let trees = dissect(&[], &[(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V10), (SERVER, V9_IN), (SERVER, V14)]);
    let packets = trees.find("rs 0..4 | update_pid").unwrap();
    insta::assert_snapshot!(&trees[packets..], @r#"
    rs 0..4 | update_pid | members 1, pid 1
      0..1 rs.opcode_wire = 145
      0..1 rs.opcode = 249
      rs.name = "update_pid"
      rs.direction = "s2c"
      1..2 rs.update_pid.members = 1
      2..4 rs.update_pid.pid = 1
    rs 0..5 | rebuild_normal | zone x 402, zone y 402
      0..1 rs.opcode_wire = 77
      0..1 rs.opcode = 73
      rs.name = "rebuild_normal"
      rs.direction = "s2c"
      1..3 rs.rebuild_normal.zone_x = 402
      3..5 rs.rebuild_normal.zone_y = 402
    rs 0..24 | message_game | "Welcome to RuneScape."
      0..1 rs.opcode_wire = 199
      0..1 rs.opcode = 253
      rs.name = "message_game"
      rs.direction = "s2c"
      1..2 rs.size = 22
      2..24 rs.message_game.text = "Welcome to RuneScape."
    rs 0..7 | update_stat | stat 3, xp 1154, level 10
      0..1 rs.opcode_wire = 244
      0..1 rs.opcode = 134
      rs.name = "update_stat"
      rs.direction = "s2c"
      1..2 rs.update_stat.stat = 3 (hitpoints)
      2..6 rs.update_stat.xp = 1154
      6..7 rs.update_stat.level = 10
    rs 0..4 | if_settab | component 3917, tab 1
      0..1 rs.opcode_wire = 50
      0..1 rs.opcode = 71
      rs.name = "if_settab"
      rs.direction = "s2c"
      1..3 rs.if_settab.component = 3917
      3..4 rs.if_settab.tab = 1
    rs 0..4 | varp_small | varp 172, value -1
      0..1 rs.opcode_wire = 175
      0..1 rs.opcode = 36
      rs.name = "varp_small"
      rs.direction = "s2c"
      1..3 rs.varp_small.varp = 172
      3..4 rs.varp_small.value = -1
    rs 0..7 | varp_large | varp 300, value 1000
      0..1 rs.opcode_wire = 180
      0..1 rs.opcode = 87
      rs.name = "varp_large"
      rs.direction = "s2c"
      1..3 rs.varp_large.varp = 300
      3..7 rs.varp_large.value = 1000
    rs 0..20 | update_inv_full | component 3214, capacity 3
      0..1 rs.opcode_wire = 156
      0..1 rs.opcode = 53
      rs.name = "update_inv_full"
      rs.direction = "s2c"
      1..3 rs.size = 17
      3..5 rs.update_inv_full.component = 3214
      5..7 rs.update_inv_full.capacity = 3
      7..20 rs.update_inv_full.slots
        7..10 rs.slots.slot
          7..8 rs.slots.count = 1
          8..10 rs.slots.obj = 4152
          8..10 rs.slots.item = 4151
        10..17 rs.slots.slot
          10..11 rs.slots.count = 255
          11..15 rs.slots.many = 1000000
          15..17 rs.slots.obj = 996
          15..17 rs.slots.item = 995
        17..20 rs.slots.slot
          17..18 rs.slots.count = 0
          18..20 rs.slots.obj = 0
    rs 0..18 | update_inv_partial | component 3214
      0..1 rs.opcode_wire = 187
      0..1 rs.opcode = 34
      rs.name = "update_inv_partial"
      rs.direction = "s2c"
      1..3 rs.size = 15
      3..5 rs.update_inv_partial.component = 3214
      5..18 rs.update_inv_partial.slots
        5..13 rs.slots.slot
          5..6 rs.slots.number = 2
          6..8 rs.slots.obj = 996
          6..8 rs.slots.item = 995
          8..9 rs.slots.count = 255
          9..13 rs.slots.many = 2000000
        13..18 rs.slots.slot
          13..15 rs.slots.number = 200
          15..17 rs.slots.obj = 0
          17..18 rs.slots.count = 0
    rs 0..18 | if_settext | "Attack style", component 425
      0..1 rs.opcode_wire = 107
      0..1 rs.opcode = 126
      rs.name = "if_settext"
      rs.direction = "s2c"
      1..3 rs.size = 15
      3..16 rs.if_settext.text = "Attack style"
      16..18 rs.if_settext.component = 425
    rs 0..25 | message_private | from mod_ash, message id 257, rights 2, "hi. how are you?"
      0..1 rs.opcode_wire = 221
      0..1 rs.opcode = 196
      rs.name = "message_private"
      rs.direction = "s2c"
      1..2 rs.size = 23
      2..10 rs.message_private.from = "mod_ash"
      10..14 rs.message_private.message_id = 257
      14..15 rs.message_private.rights = 2 (staff)
      15..25 rs.message_private.text = "hi. how are you?"
    rs 0..14 | update_zone_partial_enclosed | zone y 40, zone x 48
      0..1 rs.opcode_wire = 21
      0..1 rs.opcode = 60
      rs.name = "update_zone_partial_enclosed"
      rs.direction = "s2c"
      1..3 rs.size = 11
      3..4 rs.update_zone_partial_enclosed.zone_y = 40
      4..5 rs.update_zone_partial_enclosed.zone_x = 48
      5..14 rs.update_zone_partial_enclosed.packets
        5..11 rs.zone_packet
          5..6 rs.opcode = 44
          rs.name = "obj_add"
          6..8 rs.obj_add.obj = 995
          8..10 rs.obj_add.count = 25
          10..11 rs.obj_add.coord = 35
          10..11 rs.coord.x = 2
          10..11 rs.coord.y = 3
          rs.world_x = 3218
          rs.world_y = 3211
        11..14 rs.zone_packet
          11..12 rs.opcode = 101
          rs.name = "loc_del"
          12..13 rs.loc_del.loc_info = 41
          12..13 rs.loc_info.shape = 10
          12..13 rs.loc_info.angle = 1
          13..14 rs.loc_del.coord = 69
          13..14 rs.coord.x = 4
          13..14 rs.coord.y = 5
          rs.world_x = 3220
          rs.world_y = 3213
    rs 0..85 | player_info | 1 other player, 2 updates (appearance, animation, chat, hit1, hit2)
      0..1 rs.opcode_wire = 175
      0..1 rs.opcode = 81
      rs.name = "player_info"
      rs.direction = "s2c"
      1..3 rs.size = 82
      3..6 rs.player_info.local
        3..4 rs.move.moved = true
        3..4 rs.move.type = 3 (teleport or remove)
        3..4 rs.player_info.teleport.level = 0
        3..4 rs.player_info.teleport.discard = 1
        3..4 rs.player_info.teleport.update = 1
        3..5 rs.player_info.teleport.y = 50
        4..6 rs.player_info.teleport.x = 54
        rs.world_x = 3222
        rs.world_y = 3218
      5..7 rs.player_info.count = 0
      6..10 rs.player_info.new
        6..8 rs.player_info.new.index = 5
        8..9 rs.player_info.new.update = 1
        8..9 rs.player_info.new.discard = 1
        8..9 rs.player_info.new.dy = -2
        8..10 rs.player_info.new.dx = 3
      9..11 rs.player_info.end = 2047
      10..11 rs.padding = 0
      11..64 rs.player_info.update
        rs.player_info.update.index = 1
        11..12 rs.player_info.update.mask = 0x10
        12..64 rs.player_info.update.appearance
          12..13 rs.player_info.update.appearance.length = 51
          13..64 rs.player_info.update.appearance.look
            13..14 rs.appearance.gender = 0
            14..15 rs.appearance.head_icon = 0
            15..16 rs.appearance.part = 0
            16..17 rs.appearance.part = 0
            17..18 rs.appearance.part = 0
            18..19 rs.appearance.part = 0
            19..21 rs.appearance.part = 274
            21..22 rs.appearance.part = 0
            22..24 rs.appearance.part = 282
            24..26 rs.appearance.part = 292
            26..28 rs.appearance.part = 256
            28..30 rs.appearance.part = 289
            30..32 rs.appearance.part = 298
            32..34 rs.appearance.part = 266
            34..35 rs.appearance.colour = 0
            35..36 rs.appearance.colour = 1
            36..37 rs.appearance.colour = 2
            37..38 rs.appearance.colour = 3
            38..39 rs.appearance.colour = 4
            39..41 rs.appearance.seq = 808
            41..43 rs.appearance.seq = 823
            43..45 rs.appearance.seq = 819
            45..47 rs.appearance.seq = 820
            47..49 rs.appearance.seq = 821
            49..51 rs.appearance.seq = 822
            51..53 rs.appearance.seq = 824
            53..61 rs.appearance.name = "zezima"
            61..62 rs.appearance.combat_level = 126
            62..64 rs.appearance.skill_level = 0
      64..85 rs.player_info.update
        rs.player_info.update.index = 5
        64..65 rs.player_info.update.mask = 0xe8
        65..66 rs.player_info.update.mask2 = 0x02
        66..69 rs.player_info.update.animation
          66..68 rs.player_info.update.animation.seq = 422
          68..69 rs.player_info.update.animation.delay = 0
        69..77 rs.player_info.update.chat
          69..71 rs.player_info.update.chat.colour_effect = 513
          69..71 rs.chat.colour = 2 (green)
          69..71 rs.chat.effect = 1 (wave)
          71..72 rs.player_info.update.chat.rights = 0 (player)
          72..73 rs.player_info.update.chat.length = 4
          73..77 rs.player_info.update.chat.text = "hi all!"
        77..81 rs.player_info.update.hit1
          77..78 rs.player_info.update.hit1.damage = 4
          78..79 rs.player_info.update.hit1.type = 1 (damage)
          79..80 rs.player_info.update.hit1.health = 6
          80..81 rs.player_info.update.hit1.max_health = 10
        81..85 rs.player_info.update.hit2
          81..82 rs.player_info.update.hit2.damage = 7
          82..83 rs.player_info.update.hit2.type = 1 (damage)
          83..84 rs.player_info.update.hit2.health = 3
          84..85 rs.player_info.update.hit2.max_health = 10
    rs 0..26 | npc_info | 1 NPC, 1 update (animation, say, face tile)
      0..1 rs.opcode_wire = 156
      0..1 rs.opcode = 65
      rs.name = "npc_info"
      rs.direction = "s2c"
      1..3 rs.size = 23
      3..4 rs.npc_info.count = 0
      4..9 rs.npc_info.new
        4..6 rs.npc_info.new.index = 77
        5..7 rs.npc_info.new.dy = 1
        6..7 rs.npc_info.new.dx = -1
        7..8 rs.npc_info.new.teleport = 0
        7..9 rs.npc_info.new.type = 1
        8..9 rs.npc_info.new.update = 1
      8..11 rs.npc_info.end = 16383
      10..11 rs.padding = 0
      11..26 rs.npc_info.update
        rs.npc_info.update.index = 77
        11..12 rs.npc_info.update.mask = 0x15
        12..15 rs.npc_info.update.animation
          12..14 rs.npc_info.update.animation.seq = 806
          14..15 rs.npc_info.update.animation.delay = 2
        15..22 rs.npc_info.update.say
          15..22 rs.npc_info.update.say.text = "Hello!"
        22..26 rs.npc_info.update.face_tile
          22..24 rs.npc_info.update.face_tile.x = 6445
          24..26 rs.npc_info.update.face_tile.y = 6437
    rs 0..1 | logout
      0..1 rs.opcode_wire = 17
      0..1 rs.opcode = 109
      rs.name = "logout"
      rs.direction = "s2c"
    "#);
}

/// Seeds of the session of V9 to V14.
const SEEDS: [(&str, &str); 2] = [("rs.revision", "317"), ("rs.isaac", "0x01020304,0x05060708,0x090a0b0c,0x0d0e0f10")];

#[test]
fn with_seeds_and_a_revision_no_login_is_needed() {
    let whole = dissect_messages(
        &[("rs.isaac", "0x01020304,0x05060708,0x090a0b0c,0x0d0e0f10")],
        &[(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V10), (SERVER, V9_IN), (CLIENT, V13), (SERVER, V14)]
            .map(|(side, hex)| (side, trial::bytes(hex))),
    );
    let packets: Vec<String> = whole.into_iter().filter(|tree| tree.contains("rs.opcode_wire")).collect();
    assert!(packets.len() > 20);
    for order in [[(CLIENT, V13), (SERVER, V14)], [(SERVER, V14), (CLIENT, V13)]] {
        let mut midway = dissect_messages(&SEEDS, &order.map(|(side, hex)| (side, trial::bytes(hex))));
        midway.sort_by_key(|tree| packets.iter().position(|packet| packet == tree));
        assert_eq!(midway, packets, "{}", midway.concat());
    }
}

/// Packets of the server of V14 in order.
fn packets_of_v14() -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let length = |tree: &String| tree.split_once("0..").unwrap().1.split_once(' ').unwrap().0.parse::<usize>().unwrap();
    dissect_messages(&SEEDS, &[(SERVER, trial::bytes(V14))])
        .iter()
        .map(|tree| {
            let start = at;
            at += length(tree);
            start..at
        })
        .collect()
}

/// Dissects the bytes after lost bytes of V14, with known seeds.
fn after_gap(lost: std::ops::Range<usize>, piece: usize) -> Vec<String> {
    let mut session = super::super::session::open(&given_settings(&SEEDS));
    let bytes = trial::bytes(V14);
    let mut trees = Vec::new();
    for (part, is_last) in [(&bytes[..lost.start], false), (&bytes[lost.end..], true)] {
        let (mut start, mut end) = (0, 0);
        while start < part.len() {
            end = (end + piece).min(part.len());
            match session.extent(SERVER, &part[start..end], !is_last || end < part.len()) {
                Extent::Message(count) if start + count <= end => {
                    if is_last {
                        trees.push(trial::message(&PROTOCOL, session.as_mut(), SERVER, &part[start..start + count], Cut::No));
                    } else {
                        trial::message(&PROTOCOL, session.as_mut(), SERVER, &part[start..start + count], Cut::No);
                    }
                    start += count;
                }
                Extent::Unknown(count) => {
                    trees.push(format!("data {count}\n"));
                    start += count;
                }
                _ if end < part.len() => {}
                _ => break,
            }
        }
        if !is_last {
            session.gap(SERVER, crate::wire::Missing { bytes: lost.len() as u64, in_step: false });
        }
    }
    trees
}

#[test]
fn the_cipher_resynchronizes_after_lost_packets() {
    let packets = packets_of_v14();
    let names: Vec<String> = dissect_messages(&SEEDS, &[(SERVER, trial::bytes(V14))]);
    for (first, behind) in [(1, 2), (1, 4), (3, 4), (2, 9), (1, 7)] {
        let lost = packets[first].start..packets[behind].start;
        for piece in [1, 7, 1000] {
            let trees = after_gap(lost.clone(), piece);
            assert!(
                trees[0].contains(&format!(
                    "! info rs.resumed at 0..{} rs: opcodes lost before, inferred from the packets that follow: {}",
                    packets[behind].len(),
                    behind - first
                )),
                "{}",
                trees[0]
            );
            let heads = |trees: &[String]| trees.iter().map(|tree| tree.lines().next().unwrap().to_owned()).collect::<Vec<_>>();
            assert_eq!(heads(&trees), heads(&names[behind..]), "{first}..{behind}");
        }
    }
}

#[test]
fn a_packet_whose_start_is_lost_is_skipped() {
    let packets = packets_of_v14();
    let whole = dissect_messages(&SEEDS, &[(SERVER, trial::bytes(V14))]);
    for at in (1..5).filter(|at| packets[*at].len() > 3) {
        let trees = after_gap(packets[at].start..packets[at].start + 3, 1000);
        let Some((data, read)) = trees.split_first().filter(|(data, _)| data.starts_with("data ")) else {
            panic!("{at}: {}", trees.concat());
        };
        // At most one more packet is skipped.
        let passed: usize = data.trim_start_matches("data ").trim().parse().unwrap();
        let first = packets.iter().position(|packet| packet.start == packets[at].start + 3 + passed).unwrap();
        assert!(first == at + 1 || first == at + 2, "{at}: {first}");
        let heads = |trees: &[String]| trees.iter().map(|tree| tree.lines().next().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(heads(read), heads(&whole[first..]), "{at}");
    }
}

#[test]
fn an_ambiguous_resynchronization_is_rejected() {
    let packets = packets_of_v14();
    let last = packets.len() - 1;
    let trees = after_gap(packets[1].start..packets[last].start, 1000);
    assert_eq!(trees.len(), 1);
    assert!(trees[0].contains("rs.lost_step"), "{}", trees[0]);
}

#[test]
fn an_update_service_waits_for_its_revision_while_bytes_may_follow() {
    let Dissector::Stream(open) = PROTOCOL.found[0].dissector else { panic!("no stream") };
    let mut session = open(&given_settings(&[]));
    let mut extent = |bytes: &[u8], more| session.extent(CLIENT, bytes, more);
    for part in [&[15, 0][..], &[15, 0, 0], &[15, 0, 0, 2]] {
        assert_eq!((extent(part, true), extent(part, false)), (Extent::NeedMore(5), Extent::Message(1)), "{part:?}");
    }
    assert_eq!(extent(&[15, 0, 0, 2, 0x26], true), Extent::Message(5));
    assert_eq!(extent(&[15, 0xff, 0, 2, 0x26], true), Extent::Message(1));
}
