//! Malformed messages of the protocol description, and a line for each packet type.

use super::*;

#[test]
fn truncated_text_is_unparsed() {
    insta::assert_snapshot!(dissect(Side::Client, &trial::bytes(M1), Cut::Stream { needed: 91 }), @r#"
    xfire 0..72 | peer_message | IM #4 to sid #1: 
      0..2 xfire.length = 91
      2..4 xfire.type = 2 (peer_message)
      4..5 xfire.attr_count = 2
      xfire.key_mode = "string"
      5..26 xfire.attr
        5..6 xfire.attr.name_len = 3
        6..9 xfire.attr.name = "sid"
        9..10 xfire.attr.type = 3 (sid)
        10..26 xfire.value.sid = 0b8eeb3e81f8d94f6aed08548f96d393
          10..26 xfire.sid = 0b8eeb3e81f8d94f6aed08548f96d393
            10..26 xfire.session = 1
      26..68 xfire.attr
        26..27 xfire.attr.name_len = 7
        27..34 xfire.attr.name = "peermsg"
        34..35 xfire.attr.type = 5 (string_map)
        35..68 xfire.map
          35..36 xfire.map.count = 3
          36..49 xfire.attr
            36..37 xfire.attr.name_len = 7
            37..44 xfire.attr.name = "msgtype"
            44..45 xfire.attr.type = 2 (int32)
            45..49 xfire.value.int32 = 0
              45..49 xfire.peermsg.msgtype = 0 (im)
          49..62 xfire.attr
            49..50 xfire.attr.name_len = 7
            50..57 xfire.attr.name = "imindex"
            57..58 xfire.attr.type = 2 (int32)
            58..62 xfire.value.int32 = 4
              58..62 xfire.peermsg.imindex = 4
          62..68 xfire.attr
            62..63 xfire.attr.name_len = 2
            63..65 xfire.attr.name = "im"
            65..66 xfire.attr.type = 1 (string)
            66..68 xfire.value.string_len = 5
      68..72 xfire.unparsed = 64756465
    ! broken xfire.expert.truncated at 68..72 xfire: the stream ends after 72 of 91 bytes
    "#);
}

#[test]
fn invalid_message_length() {
    insta::assert_snapshot!(by_client(M2), @"
    xfire 0..5 | broken
      0..2 xfire.length = 3
      2..5 xfire.unparsed = 010000
    ! broken xfire.expert.bad_length at 0..2 xfire.length: 3 bytes; the minimum is 5
    ");
}

#[test]
fn unknown_value_type_ends_the_message() {
    insta::assert_snapshot!(by_server(M3), @r#"
    xfire 0..17 | login_failure
      0..2 xfire.length = 17
      2..4 xfire.type = 129 (login_failure)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "string"
      5..13 xfire.attr
        5..6 xfire.attr.name_len = 6
        6..12 xfire.attr.name = "reason"
        12..13 xfire.attr.type = 10
      13..17 xfire.unparsed = 01000000
    ! broken xfire.expert.unknown_value_type at 12..13 xfire.attr.type: the value type 10 is unknown, and so is its length
    "#);
}

#[test]
fn both_kinds_of_keys_are_dissected() {
    insta::assert_snapshot!(trial::below(&by_server(M4), &["xfire.attr_count"]), @"
    xfire 0..47 | session_ids | 1 row
      4..5 xfire.attr_count = 3
    ! odd xfire.expert.mixed_keys at 4..5 xfire.attr_count: 2 attributes with names, then others with numbers
    ");
}

#[test]
fn list_count_beyond_the_message() {
    insta::assert_snapshot!(by_server(M5), @r#"
    xfire 0..16 | friends_games
      0..2 xfire.length = 16
      2..4 xfire.type = 135 (friends_games)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "string"
      5..16 xfire.attr
        5..6 xfire.attr.name_len = 6
        6..12 xfire.attr.name = "gameid"
        12..13 xfire.attr.type = 4 (list)
        13..16 xfire.list
          13..14 xfire.list.elem_type = 2 (int32)
          14..16 xfire.list.count = 65535
    ! broken xfire.expert.attr_overrun at 16..16 xfire.list.count: 262140 bytes required, 0 left in the message
    "#);
}

#[test]
fn trailing_bytes_are_shown() {
    insta::assert_snapshot!(trial::below(&by_client(M6), &["xfire.unparsed"]), @"
    xfire 0..28 | keepalive
      26..28 xfire.unparsed = dead
    ! broken xfire.expert.trailing_bytes at 26..28 xfire.list.count: 2 bytes after the last attribute
    ");
}

#[test]
fn lists_beyond_the_nesting_limit_are_not_dissected() {
    insta::assert_snapshot!(trial::below(&by_server(M7), &["xfire.unparsed"]), @"
    xfire 0..71 | friends_of_friends
      32..71 xfire.unparsed = 39 bytes
    ! broken xfire.expert.too_deep at 32..71 xfire.list.count: more than 8 nested lists or maps
    ");
}

#[test]
fn the_unexpected_kind_of_keys_is_detected() {
    insta::assert_snapshot!(trial::below(&by_server(M8), &["xfire.attr_count"]), @"
    xfire 0..20 | favourite_servers | game 4578
      4..5 xfire.attr_count = 2
    ! odd xfire.expert.key_mode_unexpected at 4..5 xfire.attr_count: byte keys, which messages of this type do not have
    ");
}

#[test]
fn parallel_lists_of_different_length() {
    insta::assert_snapshot!(trial::below(&by_server(M9), &["xfire.attr"]), @r#"
    xfire 0..61 | friend_names | 3 rows: a, b, …
      5..28 xfire.attr
        5..6 xfire.attr.name_len = 6
        6..12 xfire.attr.name = "userid"
        12..13 xfire.attr.type = 4 (list)
        13..28 xfire.list
          13..14 xfire.list.elem_type = 2 (int32)
          14..16 xfire.list.count = 3
          16..20 xfire.value.int32 = 1
          20..24 xfire.value.int32 = 2
          24..28 xfire.value.int32 = 3
      28..46 xfire.attr
        28..29 xfire.attr.name_len = 7
        29..36 xfire.attr.name = "friends"
        36..37 xfire.attr.type = 4 (list)
        37..46 xfire.list
          37..38 xfire.list.elem_type = 1 (string)
          38..40 xfire.list.count = 2
          40..42 xfire.value.string_len = 1
          42..43 xfire.value.string = "a"
          43..45 xfire.value.string_len = 1
          45..46 xfire.value.string = "b"
      46..61 xfire.attr
        46..47 xfire.attr.name_len = 4
        47..51 xfire.attr.name = "nick"
        51..52 xfire.attr.type = 4 (list)
        52..61 xfire.list
          52..53 xfire.list.elem_type = 1 (string)
          53..55 xfire.list.count = 3
          55..57 xfire.value.string_len = 0
          57..57 xfire.value.string = ""
          57..59 xfire.value.string_len = 0
          59..59 xfire.value.string = ""
          59..61 xfire.value.string_len = 0
          61..61 xfire.value.string = ""
    ! odd xfire.expert.list_count_mismatch at 61..61 xfire: parallel lists have between 2 and 3 elements
    "#);
}

#[test]
fn every_type_has_name_sender_and_kind_of_keys() {
    insta::assert_snapshot!(streams::every_type(), @r#"
    1 c2s xfire 0..15 | login_request | Al | xfire.key_mode = "string" | 0 notes
    2 c2s xfire 0..15 | peer_message | name "Al" | xfire.key_mode = "string" | 1 notes
    3 c2s xfire 0..15 | client_version | name "Al" | xfire.key_mode = "string" | 0 notes
    4 c2s xfire 0..15 | game_status | name "Al" | xfire.key_mode = "string" | 0 notes
    5 c2s xfire 0..15 | friends_of_friends_request | name "Al" | xfire.key_mode = "string" | 0 notes
    6 c2s xfire 0..15 | invite_send | name "Al" | xfire.key_mode = "string" | 0 notes
    7 c2s xfire 0..15 | invite_accept | name "Al" | xfire.key_mode = "string" | 0 notes
    8 c2s xfire 0..15 | invite_reject | name "Al" | xfire.key_mode = "string" | 0 notes
    9 c2s xfire 0..15 | friend_remove | name "Al" | xfire.key_mode = "string" | 0 notes
    10 c2s xfire 0..15 | preferences_set | name "Al" | xfire.key_mode = "string" | 0 notes
    12 c2s xfire 0..15 | search | name "Al" | xfire.key_mode = "string" | 0 notes
    13 c2s xfire 0..15 | keepalive | name "Al" | xfire.key_mode = "string" | 0 notes
    14 c2s xfire 0..15 | nick_change | name "Al" | xfire.key_mode = "string" | 0 notes
    15 c2s xfire 0..15 | voip_status | name "Al" | xfire.key_mode = "string" | 0 notes
    16 c2s xfire 0..15 | client_info | name "Al" | xfire.key_mode = "string" | 0 notes
    17 c2s xfire 0..15 | network_info | name "Al" | xfire.key_mode = "string" | 0 notes
    18 c2s xfire 0..15 | client_info_old | name "Al" | xfire.key_mode = "string" | 0 notes
    19 c2s xfire 0..15 | favourite_server_add | name "Al" | xfire.key_mode = "string" | 0 notes
    20 c2s xfire 0..15 | favourite_server_remove | name "Al" | xfire.key_mode = "string" | 0 notes
    21 c2s xfire 0..15 | friends_favourites_request | name "Al" | xfire.key_mode = "string" | 0 notes
    22 c2s xfire 0..11 | server_list_request | name "Al" | xfire.key_mode = "byte" | 0 notes
    23 c2s xfire 0..15 | download_report | name "Al" | xfire.key_mode = "string" | 0 notes
    24 c2s xfire 0..15 | channel_request | name "Al" | xfire.key_mode = "string" | 0 notes
    25 c2s xfire 0..15 | group_chat | xfire.key_mode = "string" | 0 notes
    26 c2s xfire 0..11 | group_create | name "Al" | xfire.key_mode = "byte" | 0 notes
    27 c2s xfire 0..11 | group_delete | name "Al" | xfire.key_mode = "byte" | 0 notes
    28 c2s xfire 0..11 | group_rename | name "Al" | xfire.key_mode = "byte" | 0 notes
    29 c2s xfire 0..11 | group_member_add | name "Al" | xfire.key_mode = "byte" | 0 notes
    30 c2s xfire 0..11 | group_member_remove | name "Al" | xfire.key_mode = "byte" | 0 notes
    31 c2s xfire 0..15 | statistics | name "Al" | xfire.key_mode = "string" | 0 notes
    32 c2s xfire 0..11 | status_text | name "Al" | xfire.key_mode = "byte" | 0 notes
    35 c2s xfire 0..11 | game_client_data | name "Al" | xfire.key_mode = "byte" | 0 notes
    36 c2s xfire 0..11 | group_order_set | name "Al" | xfire.key_mode = "byte" | 0 notes
    37 c2s xfire 0..11 | infoview_request | name "Al" | xfire.key_mode = "byte" | 0 notes
    38 c2s xfire 0..11 | broadcast_start_stop | name "Al" | xfire.key_mode = "byte" | 0 notes
    128 s2c xfire 0..15 | login_salt | name "Al" | xfire.key_mode = "string" | 0 notes
    129 s2c xfire 0..15 | login_failure | name "Al" | xfire.key_mode = "string" | 0 notes
    130 s2c xfire 0..15 | login_success | name "Al" | xfire.key_mode = "string" | 0 notes
    131 s2c xfire 0..15 | friend_names | name "Al" | xfire.key_mode = "string" | 0 notes
    132 s2c xfire 0..11 | session_ids | name "Al" | xfire.key_mode = "byte" | 0 notes
    133 s2c xfire 0..15 | peer_message | name "Al" | xfire.key_mode = "string" | 1 notes
    134 s2c xfire 0..15 | new_version | name "Al" | xfire.key_mode = "string" | 0 notes
    135 s2c xfire 0..15 | friends_games | name "Al" | xfire.key_mode = "string" | 0 notes
    136 s2c xfire 0..15 | friends_of_friends | name "Al" | xfire.key_mode = "string" | 0 notes
    137 s2c xfire 0..15 | invite_result | name "Al" | xfire.key_mode = "string" | 0 notes
    138 s2c xfire 0..15 | invite_received | name "Al" | xfire.key_mode = "string" | 0 notes
    139 s2c xfire 0..15 | friend_removed | name "Al" | xfire.key_mode = "string" | 0 notes
    141 s2c xfire 0..11 | preferences | name "Al" | xfire.key_mode = "byte" | 0 notes
    143 s2c xfire 0..15 | search_results | name "Al" | xfire.key_mode = "string" | 0 notes
    144 s2c xfire 0..15 | keepalive_reply | name "Al" | xfire.key_mode = "string" | 0 notes
    145 s2c xfire 0..15 | disconnect_notice | name "Al" | xfire.key_mode = "string" | 0 notes
    147 s2c xfire 0..15 | friends_voip | name "Al" | xfire.key_mode = "string" | 0 notes
    148 s2c xfire 0..15 | favourite_servers | name "Al" | xfire.key_mode = "string" | 0 notes
    149 s2c xfire 0..15 | friends_favourites | name "Al" | xfire.key_mode = "string" | 0 notes
    150 s2c xfire 0..11 | server_list | name "Al" | xfire.key_mode = "byte" | 0 notes
    151 s2c xfire 0..11 | group_list | name "Al" | xfire.key_mode = "byte" | 0 notes
    152 s2c xfire 0..11 | group_members | name "Al" | xfire.key_mode = "byte" | 0 notes
    153 s2c xfire 0..11 | group_created | name "Al" | xfire.key_mode = "byte" | 0 notes
    154 s2c xfire 0..15 | friends_status | name "Al" | xfire.key_mode = "string" | 0 notes
    155 s2c xfire 0..11 | persistent_chats | name "Al" | xfire.key_mode = "byte" | 0 notes
    156 s2c xfire 0..15 | friends_game_client_data | name "Al" | xfire.key_mode = "string" | 0 notes
    157 s2c xfire 0..11 | own_screenshots | name "Al" | xfire.key_mode = "byte" | 0 notes
    158 s2c xfire 0..11 | clans | name "Al" | xfire.key_mode = "byte" | 0 notes
    159 s2c xfire 0..11 | clan_members | name "Al" | xfire.key_mode = "byte" | 0 notes
    160 s2c xfire 0..11 | clan_member_left | name "Al" | xfire.key_mode = "byte" | 0 notes
    161 s2c xfire 0..11 | friend_nick_changed | name "Al" | xfire.key_mode = "byte" | 0 notes
    162 s2c xfire 0..11 | clan_nick_changed | name "Al" | xfire.key_mode = "byte" | 0 notes
    163 s2c xfire 0..11 | group_order | name "Al" | xfire.key_mode = "byte" | 0 notes
    165 s2c xfire 0..11 | clan_invite | name "Al" | xfire.key_mode = "byte" | 0 notes
    169 s2c xfire 0..11 | system_broadcast | name "Al" | xfire.key_mode = "byte" | 0 notes
    170 s2c xfire 0..11 | clan_events | name "Al" | xfire.key_mode = "byte" | 0 notes
    171 s2c xfire 0..11 | clan_event_deleted | name "Al" | xfire.key_mode = "byte" | 0 notes
    172 s2c xfire 0..11 | friend_screenshots | name "Al" | xfire.key_mode = "byte" | 0 notes
    173 s2c xfire 0..11 | friend_info_changed | name "Al" | xfire.key_mode = "byte" | 0 notes
    174 s2c xfire 0..11 | friend_avatar | name "Al" | xfire.key_mode = "byte" | 0 notes
    175 s2c xfire 0..11 | new_server_ip | name "Al" | xfire.key_mode = "byte" | 0 notes
    176 s2c xfire 0..11 | friend_clans | name "Al" | xfire.key_mode = "byte" | 0 notes
    177 s2c xfire 0..11 | clan_news | name "Al" | xfire.key_mode = "byte" | 0 notes
    179 s2c xfire 0..11 | uploaded_videos | name "Al" | xfire.key_mode = "byte" | 0 notes
    182 s2c xfire 0..11 | friend_videos | name "Al" | xfire.key_mode = "byte" | 0 notes
    183 s2c xfire 0..11 | external_game | name "Al" | xfire.key_mode = "byte" | 0 notes
    184 s2c xfire 0..11 | friend_broadcast | name "Al" | xfire.key_mode = "byte" | 0 notes
    186 s2c xfire 0..11 | unknown_186 | name "Al" | xfire.key_mode = "byte" | 0 notes
    187 s2c xfire 0..11 | social_networks | name "Al" | xfire.key_mode = "byte" | 0 notes
    188 s2c xfire 0..11 | clan_servers | name "Al" | xfire.key_mode = "byte" | 0 notes
    190 s2c xfire 0..11 | unknown_190 | name "Al" | xfire.key_mode = "byte" | 0 notes
    191 s2c xfire 0..11 | contest_info | name "Al" | xfire.key_mode = "byte" | 0 notes
    350 s2c xfire 0..11 | chat_name_changed | name "Al" | xfire.key_mode = "byte" | 0 notes
    351 s2c xfire 0..11 | chat_join_info | name "Al" | xfire.key_mode = "byte" | 0 notes
    353 s2c xfire 0..11 | chat_user_joined | name "Al" | xfire.key_mode = "byte" | 0 notes
    354 s2c xfire 0..11 | chat_user_left | name "Al" | xfire.key_mode = "byte" | 0 notes
    355 s2c xfire 0..11 | chat_message | name "Al" | xfire.key_mode = "byte" | 0 notes
    356 s2c xfire 0..11 | chat_invite | name "Al" | xfire.key_mode = "byte" | 0 notes
    357 s2c xfire 0..11 | chat_permission_changed | name "Al" | xfire.key_mode = "byte" | 0 notes
    358 s2c xfire 0..11 | chat_rooms_info | name "Al" | xfire.key_mode = "byte" | 0 notes
    359 s2c xfire 0..11 | chat_user_kicked | name "Al" | xfire.key_mode = "byte" | 0 notes
    360 s2c xfire 0..11 | chat_voice_status | name "Al" | xfire.key_mode = "byte" | 0 notes
    361 s2c xfire 0..11 | chat_save_forced | name "Al" | xfire.key_mode = "byte" | 0 notes
    363 s2c xfire 0..11 | chat_voice_host | name "Al" | xfire.key_mode = "byte" | 0 notes
    365 s2c xfire 0..11 | chat_voice_left | name "Al" | xfire.key_mode = "byte" | 0 notes
    367 s2c xfire 0..11 | chat_voice_joined | name "Al" | xfire.key_mode = "byte" | 0 notes
    368 s2c xfire 0..11 | chat_room_info | name "Al" | xfire.key_mode = "byte" | 0 notes
    370 s2c xfire 0..11 | chat_default_permission | name "Al" | xfire.key_mode = "byte" | 0 notes
    374 s2c xfire 0..11 | chat_motd | name "Al" | xfire.key_mode = "byte" | 0 notes
    375 s2c xfire 0..11 | chat_voice_allowed | name "Al" | xfire.key_mode = "byte" | 0 notes
    383 s2c xfire 0..11 | chat_voice_session | name "Al" | xfire.key_mode = "byte" | 0 notes
    384 s2c xfire 0..11 | chat_name_available | name "Al" | xfire.key_mode = "byte" | 0 notes
    385 s2c xfire 0..11 | chat_password_changed | name "Al" | xfire.key_mode = "byte" | 0 notes
    386 s2c xfire 0..11 | chat_access_changed | name "Al" | xfire.key_mode = "byte" | 0 notes
    387 s2c xfire 0..11 | chat_reject_confirmed | name "Al" | xfire.key_mode = "byte" | 0 notes
    388 s2c xfire 0..11 | chat_silenced | name "Al" | xfire.key_mode = "byte" | 0 notes
    389 s2c xfire 0..11 | chat_show_join_leave | name "Al" | xfire.key_mode = "byte" | 0 notes
    400 s2c xfire 0..15 | did | name "Al" | xfire.key_mode = "string" | 0 notes
    401 s2c xfire 0..15 | file_peer_info | name "Al" | xfire.key_mode = "string" | 0 notes
    402 s2c xfire 0..15 | file_peers | name "Al" | xfire.key_mode = "string" | 0 notes
    404 s2c xfire 0..15 | file_info | name "Al" | xfire.key_mode = "string" | 0 notes
    406 s2c xfire 0..15 | file_unknown | name "Al" | xfire.key_mode = "string" | 0 notes
    450 s2c xfire 0..11 | channel_data | name "Al" | xfire.key_mode = "byte" | 0 notes
    451 s2c xfire 0..11 | channel_new_files | name "Al" | xfire.key_mode = "byte" | 0 notes
    452 s2c xfire 0..11 | channel_checksum | name "Al" | xfire.key_mode = "byte" | 0 notes
    16007 c2c xfire 0..15 | file_request | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    16008 c2c xfire 0..15 | file_reply | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    16009 c2c xfire 0..15 | chunk_info_request | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    16010 c2c xfire 0..15 | chunk_info | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    16011 c2c xfire 0..15 | data_request | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    16012 c2c xfire 0..15 | data | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    16013 c2c xfire 0..15 | file_complete | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    16014 c2c xfire 0..15 | file_event | file 0x00000000 | xfire.key_mode = "string" | 0 notes
    "#);
}
