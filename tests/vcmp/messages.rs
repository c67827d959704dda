//! Messages of the game: offsets count behind a datagram's 7 bytes.

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
