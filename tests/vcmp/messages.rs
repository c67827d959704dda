//! Messages of the game: offsets are relative to the end of the datagram's first 7 bytes.

use super::*;

#[test]
fn text_of_a_player() {
    insta::assert_snapshot!(last(&[by_server(&frame_of(R17))]), @r#"
    raknet 0..20 | data | #0, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 0
      4..20 raknet.frame
        4..5 raknet.frame.flags = 0x00
          4..5 raknet.frame.reliability = 0 (unreliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 104
        7..8 raknet.message.id = 0xcd
        7..20 raknet.frame.payload = cd000001070002b432b6363780
    vcmp 7..20 | player_text | player id 7, "hello"
      7..8 vcmp.message_id = 0xcd
      vcmp.version = "rel006"
      8..11 vcmp.unknown = 000001
      11..12 vcmp.player_id = 7
      12..13 vcmp.zero_bit = 0
      12..15 vcmp.text_len = 5
      14..20 vcmp.text = "hello"
      19..20 vcmp.padding = 0
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

#[test]
fn message_to_a_client() {
    insta::assert_snapshot!(last(&[by_server(&frame_of(R18))]), @r#"
    raknet 0..23 | data | #0, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 0
      4..23 raknet.frame
        4..5 raknet.frame.flags = 0x00
          4..5 raknet.frame.reliability = 0 (unreliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 128
        7..8 raknet.message.id = 0xcb
        7..23 raknet.frame.payload = cbff8000000000000757656c636f6d65
    vcmp 7..23 | client_message | red 255, green 128, blue 0, "Welcome"
      7..8 vcmp.message_id = 0xcb
      vcmp.version = "rel006"
      8..9 vcmp.red = 255
      9..10 vcmp.green = 128
      10..11 vcmp.blue = 0
      11..14 vcmp.unknown = 000000
      14..16 vcmp.text_len = 7
      16..23 vcmp.text = "Welcome"
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

#[test]
fn join() {
    insta::assert_snapshot!(last(&[by_server(&frame_of(R19))]), @r#"
    raknet 0..41 | data | #0, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 0
      4..41 raknet.frame
        4..5 raknet.frame.flags = 0x00
          4..5 raknet.frame.reliability = 0 (unreliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 272
        7..8 raknet.message.id = 0xaf
        7..41 raknet.frame.payload = 34 bytes
    vcmp 7..41 | join | "Bot1" on "Server", player id 7
      7..8 vcmp.message_id = 0xaf
      vcmp.version = "rel006"
      8..11 vcmp.unknown = 000001
      11..12 vcmp.player_id = 7
      12..16 vcmp.join.max_x = 2400
      16..20 vcmp.join.min_x = -2400
      20..24 vcmp.join.max_y = 2000
      24..28 vcmp.join.min_y = -2000
      28..29 vcmp.text_len = 6
      29..35 vcmp.join.hostname = "Server"
      35..36 vcmp.text_len = 4
      36..40 vcmp.join.name = "Bot1"
      40..41 vcmp.join.file_count = 0
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

#[test]
fn player_on_foot() {
    insta::assert_snapshot!(last(&[by_server(&frame_of(R20))]), @r#"
    raknet 0..35 | data | #0, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 0
      4..35 raknet.frame
        4..5 raknet.frame.flags = 0x00
          4..5 raknet.frame.reliability = 0 (unreliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 224
        7..8 raknet.message.id = 0x93
        7..35 raknet.frame.payload = 28 bytes
    vcmp 7..35 | onfoot_sync | player id 7
      7..8 vcmp.message_id = 0x93
      vcmp.version = "rel006"
      8..9 vcmp.player_id = 7
      9..10 vcmp.sync.flags = 0x41
        9..10 vcmp.sync.flags.more = false
        9..10 vcmp.sync.flags.weapon = true
        9..10 vcmp.sync.flags.keys = false
        9..10 vcmp.sync.flags.no_health = false
        9..10 vcmp.sync.flags.armour = false
        9..10 vcmp.sync.flags.speed = true
      10..22 vcmp.position = (-362.5, -528.25, 12.5)
        10..14 vcmp.position.x = -362.5
        14..18 vcmp.position.y = -528.25
        18..22 vcmp.position.z = 12.5
      22..24 vcmp.angle = 3.141736466483068
        22..24 vcmp.raw = 0xc000
      24..30 vcmp.speed = (0.0003, 0.0003, 0.0003)
        24..26 vcmp.speed.x = 0.00030518043793392735
          24..26 vcmp.raw = 0x8000
        26..28 vcmp.speed.y = 0.00030518043793392735
          26..28 vcmp.raw = 0x8000
        28..30 vcmp.speed.z = 0.00030518043793392735
          28..30 vcmp.raw = 0x8000
      30..31 vcmp.weapon = 17
      31..33 vcmp.ammo = 30
      33..34 vcmp.health = 100
      34..35 vcmp.unknown = 00
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

#[test]
fn pickup() {
    insta::assert_snapshot!(last(&[by_server(&frame_of(R21))]), @r#"
    raknet 0..31 | data | #0, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 0
      4..31 raknet.frame
        4..5 raknet.frame.flags = 0x00
          4..5 raknet.frame.reliability = 0 (unreliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 192
        7..8 raknet.message.id = 0xd9
        7..31 raknet.frame.payload = 24 bytes
    vcmp 7..31 | pickup_created | pickup id 3, model 277, quantity 1, alpha 255
      7..8 vcmp.message_id = 0xd9
      vcmp.version = "rel006"
      8..12 vcmp.pickup_ref = 0x00002803
        8..12 vcmp.pickup_serial = 5
        8..12 vcmp.pickup_id = 3
      12..14 vcmp.model = 277
      14..18 vcmp.quantity = 1
      18..30 vcmp.position = (33, 22, 11)
        18..22 vcmp.position.z = 11
        22..26 vcmp.position.y = 22
        26..30 vcmp.position.x = 33
      30..31 vcmp.alpha = 255
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

/// The layers of the game only.
fn game(tree: &str) -> String {
    tree[tree.find("vcmp ").unwrap()..].to_owned()
}

#[test]
fn player_on_foot_with_everything() {
    insta::assert_snapshot!(game(&last(&[by_server(&frame_of("93 08 95 2c 3b 54 00 0c 40 41 00 04 14 80 00 04 00 09 00 08 00 07 00 01 02 01 23 58 32 00"))])), @r#"
    vcmp 7..37 | onfoot_sync | player id 8
      7..8 vcmp.message_id = 0x93
      vcmp.version = "rel006"
      8..9 vcmp.player_id = 8
      9..10 vcmp.sync.flags = 0x95
        9..10 vcmp.sync.flags.more = true
        9..10 vcmp.sync.flags.weapon = false
        9..10 vcmp.sync.flags.keys = true
        9..10 vcmp.sync.flags.no_health = false
        9..10 vcmp.sync.flags.armour = true
        9..10 vcmp.sync.flags.speed = true
      10..11 vcmp.posture = 0x2
      10..23 vcmp.position = (-362.5, -528.25, 12.5)
        10..15 vcmp.position.x = -362.5
        14..19 vcmp.position.y = -528.25
        18..23 vcmp.position.z = 12.5
      22..25 vcmp.angle = -3.1415447159587013
        22..25 vcmp.raw = 0x4000
      24..31 vcmp.speed = (2.5003, 0.0003, -2.4997)
        24..27 vcmp.speed.x = 2.5003433279926757
          24..27 vcmp.raw = 0x9000
        26..29 vcmp.speed.y = 0.00030518043793392735
          26..29 vcmp.raw = 0x8000
        28..31 vcmp.speed.z = -2.499732967116808
          28..31 vcmp.raw = 0x7000
      30..32 vcmp.keys_low = 0x10
      31..33 vcmp.keys_high = 0x20
      32..34 vcmp.action = 0x123
      34..35 vcmp.health = 88
      35..36 vcmp.armour = 50
      36..37 vcmp.unknown = 00
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

#[test]
fn player_who_aims() {
    insta::assert_snapshot!(game(&last(&[by_client(&frame_of("94 00 00 00 03 41 c3 b5 40 00 c4 04 10 00 41 48 00 00 c0 00 80 00 80 00 80 00 11 00 1e 64 00 80 00 90 00 a0 00 3f 80 00 00 40 00 00 00 40 40 00 00"))])), @r#"
    vcmp 7..56 | onfoot_aim_sync
      7..8 vcmp.message_id = 0x94
      vcmp.version = "rel006"
      8..12 vcmp.anticheat_id = 3
      12..13 vcmp.sync.flags = 0x41
        12..13 vcmp.sync.flags.more = false
        12..13 vcmp.sync.flags.weapon = true
        12..13 vcmp.sync.flags.keys = false
        12..13 vcmp.sync.flags.no_health = false
        12..13 vcmp.sync.flags.armour = false
        12..13 vcmp.sync.flags.speed = true
      13..25 vcmp.position = (-362.5, -528.25, 12.5)
        13..17 vcmp.position.x = -362.5
        17..21 vcmp.position.y = -528.25
        21..25 vcmp.position.z = 12.5
      25..27 vcmp.angle = 3.141736466483068
        25..27 vcmp.raw = 0xc000
      27..33 vcmp.speed = (0.0003, 0.0003, 0.0003)
        27..29 vcmp.speed.x = 0.00030518043793392735
          27..29 vcmp.raw = 0x8000
        29..31 vcmp.speed.y = 0.00030518043793392735
          29..31 vcmp.raw = 0x8000
        31..33 vcmp.speed.z = 0.00030518043793392735
          31..33 vcmp.raw = 0x8000
      33..34 vcmp.weapon = 17
      34..36 vcmp.ammo = 30
      36..37 vcmp.health = 100
      37..38 vcmp.unknown = 00
      38..44 vcmp.aim_direction = (0.0001, 0.7855, 1.5709)
        38..40 vcmp.aim_direction.x = 0.0000958752621832542
          38..40 vcmp.raw = 0x8000
        40..42 vcmp.aim_direction.y = 0.7855060230674045
          40..42 vcmp.raw = 0x9000
        42..44 vcmp.aim_direction.z = 1.5709161708726256
          42..44 vcmp.raw = 0xa000
      44..56 vcmp.aim = (1, 2, 3)
        44..48 vcmp.aim.x = 1
        48..52 vcmp.aim.y = 2
        52..56 vcmp.aim.z = 3
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

#[test]
fn driver() {
    insta::assert_snapshot!(game(&last(&[by_server(&frame_of("95 08 c0 34 12 04 46 41 10 01 e1 91 7c 3b 54 00 0c 40 41 00 04 14 80 00 09 00 08 00 07 00 0c 80 00 00 00 00 00 01 02 03 04 44 5a a0 00 80 00 a0 00"))])), @r#"
    vcmp 7..56 | driver_sync | player id 8
      7..8 vcmp.message_id = 0x95
      vcmp.version = "rel006"
      8..9 vcmp.player_id = 8
      9..10 vcmp.driver.flags = 0xc0
        9..10 vcmp.driver.flags.weapon = true
        9..10 vcmp.driver.flags.armour = true
      10..12 vcmp.keys = 0x1234
      12..13 vcmp.vehicle_bits = 0x04
      13..14 vcmp.vehicle_bits_low = 0x4
      vcmp.vehicle_id = 17
      13..15 vcmp.health = 100
      14..16 vcmp.weapon = 17
      15..18 vcmp.ammo = 30
      17..19 vcmp.armour = 25
      18..19 vcmp.has_turret = 1
      19..20 vcmp.driver.type = 0x7
      19..32 vcmp.position = (-362.5, -528.25, 12.5)
        19..24 vcmp.position.x = -362.5
        23..28 vcmp.position.y = -528.25
        27..32 vcmp.position.z = 12.5
      31..38 vcmp.speed = (2.5003, 0.0003, -2.4997)
        31..34 vcmp.speed.x = 2.5003433279926757
          31..34 vcmp.raw = 0x9000
        33..36 vcmp.speed.y = 0.00030518043793392735
          33..36 vcmp.raw = 0x8000
        35..38 vcmp.speed.z = -2.499732967116808
          35..38 vcmp.raw = 0x7000
      37..38 vcmp.rotation.signs = 0xc
      38..44 vcmp.rotation = (-0.5000, 0.0000, 0.0000)
        38..40 vcmp.rotation.x = -0.5
          38..40 vcmp.raw = 0x8000
        40..42 vcmp.rotation.y = 0
          40..42 vcmp.raw = 0x0000
        42..44 vcmp.rotation.z = 0
          42..44 vcmp.raw = 0x0000
      44..48 vcmp.damage = 0x01020304
      48..52 vcmp.vehicle_health = 874.5
      52..54 vcmp.turret.x = 0.0000958752621832542
        52..54 vcmp.raw = 0x8000
      54..56 vcmp.turret.y = 1.5709161708726256
        54..56 vcmp.raw = 0xa000
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}

#[test]
fn passenger() {
    insta::assert_snapshot!(game(&last(&[by_client(&frame_of("96 00 00 00 03 11 59 26 48"))])), @r#"
    vcmp 7..16 | passenger_sync
      7..8 vcmp.message_id = 0x96
      vcmp.version = "rel006"
      8..12 vcmp.anticheat_id = 3
      12..13 vcmp.vehicle_low = 17
      13..14 vcmp.vehicle_high = 1
      vcmp.vehicle_id = 273
      13..15 vcmp.health = 100
      14..15 vcmp.has_armour = true
      14..16 vcmp.armour = 50
      15..16 vcmp.unknown_bit = false
      15..16 vcmp.seat_id = 2
      15..16 vcmp.padding = 0
    ! info vcmp.version_assumed at 7..8: taken for rel006
    "#);
}
