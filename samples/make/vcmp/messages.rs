//! Messages of both sides: the id in rel006, the id in 0.4.7.1, and the bytes after it.

/// Messages of a server.
pub const SERVER: &[(u8, u8, &str)] = &[
    (0x98, 0x35, "00 00 01 08 00 00 00 00 00 00 03 49 64 61"), // player_connected
    (0x9c, 0x39, "00 00 01 08 02 2a 00 41 48 00 00 c4 04 10 00 c3 b5 40 00 3f c0 00 00 00 00"), // player_stream_in
    (0x9c, 0x39, "00 00 01 09 01 05 00 41 48 00 00 c4 04 10 00 c3 b5 40 00 00 00 00 00 00 11 01"), // player_stream_in, in a vehicle
    (0x9e, 0x3b, "07 2a"),                                                                         // set_skin
    (0x9f, 0x3c, "07 02"),                                                                         // set_team
    (0xa0, 0x3d, "07 00 ff 80 00"),                                                                // set_colour
    (
        0xea,
        0x8a,
        "00 11 00 00 00 82 41 48 00 00 c4 04 10 00 c3 b5 40 00 3f 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 44 7a 00 00 00 00 00 00 01 02",
    ), // vehicle_stream_in
    (0xa2, 0x3f, "00 00 01 08 00 11 0b 04 12"),                                                    // vehicle_enter
    (0xa4, 0x41, "00 00 01 08"),                                                                   // vehicle_exit_event
    (0xab, 0x48, "00 01 1e 0c 04"),                                                                // time_weather
    (0xad, 0x4a, "00 01 e2 40"),                                                                   // tick
    (0xb2, 0x4e, ""),                                                                              // class_shown
    (0xb4, 0x50, "00 00 00 03 64"),                                                                // set_health
    (0xb5, 0x51, "00 00 00 04 32"),                                                                // set_armour
    (0xb6, 0x52, ""),                                                                              // spawn_granted
    (0xb7, 0x53, ""),                                                                              // force_all_select
    (0xb9, 0x55, "41 48 00 00 c4 04 10 00 c3 b5 40 00"),                                           // set_position
    (0xbc, 0x58, "40 48 f5 c3"),                                                                   // set_angle
    (0xbe, 0x5a, "00 00 00 05"),                                                                   // remove_all_weapons
    (0xbf, 0x5b, "03"),                                                                            // clear_weapon_slot
    (0xc0, 0x5c, "00 00 00 06 11 00 1e 01"),                                                       // set_weapon
    (0xc1, 0x5d, "00 00 00 07 11"),                                                                // remove_weapon
    (0xc2, 0x5e, "10 62 00"),                                                                      // freeze_player
    (0xc2, 0x5e, "10 63 00"),                                                                      // freeze_player
    (0xc3, 0x5f, "01 02 03 04 05"),                                                                // set_camera
    (0xc4, 0x61, ""),                                                                              // restore_camera
    (0xc6, 0x65, "0a 0b 0c"),                                                                      // unstreamed_player_data
    (0xc7, 0x66, "00 00 01 08 1c 41 48 00 00 c4 04 10 00 c3 b5 40 00 00 00 00 00 00 00 00 00 3f 80 00 00"), // sniper_fired
    (
        0xc8,
        0x67,
        "00 00 01 08 1e 00 03 41 48 00 00 c4 04 10 00 c3 b5 40 00 3f 80 00 00 40 00 00 00 40 40 00 00 40 80 00 00 40 a0 00 00 40 c0 00 00 40 e0 00 00",
    ), // projectile_fired
    (0xc9, 0x68, "01 c3 b5 40 00 c4 04 10 00 41 48 00 00 00 00 01 08 01"),                         // explosion
    (0xcb, 0x6a, "ff 80 00 00 00 00 00 07 57 65 6c 63 6f 6d 65"),                                  // client_message
    (0xcd, 0x6c, "00 00 01 07 00 02 b4 32 b6 36 37 80"),                                           // player_text
    (0xd0, 0x6f, ""),                                                                              // module_list_request
    (0xd1, 0x71, "00 05 01 79 ff 41 48 00 00 c4 04 10 00 c3 b5 40 00 3f 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 03 00"), // object_created
    (0xd3, 0x73, "00 05 80 03 e8"), // object_alpha
    (0xd4, 0x74, "00 05 01"),       // object_reports
    (0xd5, 0x75, "00 05 07 d0 3f 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3f 80 00 00"), // object_rotate_to
    (0xd6, 0x76, "00 05 07 d0 41 48 00 00 c4 04 10 00 c3 b5 40 00 41 a0 00 00 c4 04 10 00 c3 b5 40 00"), // object_move_to
    (0xd8, 0x78, "00 05 41 48 00 00 c4 04 10 00 c3 b5 40 00"),                                           // object_position
    (0xd2, 0x72, "00 05"),                                                                               // object_destroyed
    (0xd9, 0x79, "00 00 28 03 01 15 00 00 00 01 41 48 00 00 c4 04 10 00 c3 b5 40 00 ff"),                // pickup_created
    (0xdb, 0x7b, "00 00 28 03 80"),                                                                      // pickup_alpha
    (0xdc, 0x7c, "00 00 28 03 c3 b5 40 00 c4 04 10 00 41 48 00 00"),                                     // pickup_position
    (0xdd, 0x7d, "00 00 28 03"),                                                                         // pickup_refresh
    (0xda, 0x7a, "00 00 28 03"),                                                                         // pickup_destroyed
    (0xe5, 0x85, "00 02 01 41 48 00 00 c4 04 10 00 c3 b5 40 00 ff 00 00 ff 40 a0 00 00"),                // checkpoint_created
    (0xe7, 0x87, "00 02 c3 b5 40 00 c4 04 10 00 41 48 00 00"),                                           // checkpoint_position
    (0xe8, 0x88, "00 02 00 ff 00 80"),                                                                   // checkpoint_colour
    (0xe9, 0x89, "00 02 40 f0 00 00"),                                                                   // checkpoint_radius
    (0xe6, 0x86, "00 02"),                                                                               // checkpoint_destroyed
    (0xec, 0x8c, "00 11 41 48 00 00 c4 04 10 00 c3 b5 40 00"),                                           // vehicle_position
    (0xed, 0x8d, "00 11 3f 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),                               // vehicle_rotation
    (0xef, 0x8f, "00 11 00 00 00 00 3f 00 00 00 3e 80 00 00"),                                           // vehicle_set_speed
    (0xf0, 0x90, "00 11 00 00 00 00 3f 00 00 00 3e 80 00 00"),                                           // vehicle_add_speed
    (0xf1, 0x91, "00 11 00 00 00 00 3f 00 00 00 3e 80 00 00"),                                           // vehicle_add_rel_speed
    (0xf2, 0x92, "00 11 00 00 00 00 3f 00 00 00 3e 80 00 00"),                                           // vehicle_set_turn_speed
    (0xf3, 0x93, "00 11 00 00 00 00 3f 00 00 00 3e 80 00 00"),                                           // vehicle_add_turn_speed
    (0xf4, 0x94, "00 11 00 00 00 00 3f 00 00 00 3e 80 00 00"), // vehicle_add_rel_turn_speed
    (0xf5, 0x95, "00 11 44 5a a0 00"),                         // vehicle_health
    (0xf6, 0x96, "00 11 01 02 03 04"),                         // vehicle_damage
    (0xf8, 0x98, "00 11"),                                     // vehicle_lost_ownership
    (0xf9, 0x99, "00 11 00"),                                  // vehicle_gain_ownership
    (0xfa, 0x9a, "00 11"),                                     // vehicle_explode
    (0xfb, 0x9b, "00 11 05"),                                  // vehicle_radio
    (0xeb, 0x8b, "00 11"),                                     // vehicle_stream_out
    (0x9b, 0x38, "00 00 01 08 2c 07"),                         // player_death
    (0x9a, 0x37, "00 00 01 08 04 49 64 61 21"),                // player_name_change
    (0x9d, 0x3a, "00 00 01 08"),                               // player_stream_out
    (0x99, 0x36, "00 00 01 08 01"),                            // player_disconnected
];

/// Messages of a client.
pub const CLIENT: &[(u8, u8, &str)] = &[
    (0xb9, 0x58, "00 00 00"),                   // store_files_needed, none
    (0xa5, 0x42, "00"),                         // request_class
    (0xa5, 0x42, "01"),                         // request_class
    (0xa6, 0x43, ""),                           // request_spawn
    (0xa7, 0x44, ""),                           // spawn
    (0x9e, 0x3b, "01 02"),                      // module_list_reply
    (0x9b, 0x38, ""),                           // begin_typing
    (0x9c, 0x39, ""),                           // end_typing
    (0xa2, 0x3f, "00 05 68 65 6c 6c 6f"),       // chat
    (0xa2, 0x3f, "00 04 cf f0 e8 e2"),          // chat in another alphabet
    (0xa3, 0x40, "08 00 02 68 69"),             // private_message
    (0xa4, 0x41, "00 07 68 65 61 6c 20 6d 65"), // command
    (0xa8, 0x45, "2c ff 00"),                   // death_info
    (0xa9, 0x46, "02 10"),                      // shot_body_part
    (0xab, 0x48, "00 11 0b 04 12"),             // vehicle_enter_request
    (0xac, 0x49, ""),                           // vehicle_put_accepted
    (0xad, 0x4a, "01 00 00"),                   // vehicle_exit
    (0xae, 0x4b, "1c 41 48 00 00 c4 04 10 00 c3 b5 40 00 00 00 00 00 00 00 00 00 3f 80 00 00"), // sniper_fire
    (
        0xaf,
        0x4c,
        "1e 41 48 00 00 c4 04 10 00 c3 b5 40 00 3f 80 00 00 40 00 00 00 40 40 00 00 40 80 00 00 40 a0 00 00 40 c0 00 00 40 e0 00 00",
    ), // projectile_fire
    (0xb2, 0x50, "00 00 28 03"),                // pickup_claim
    (0xb6, 0x55, "00 05 11"),                   // object_shot
    (0xb7, 0x56, "00 05"),                      // object_touch
    (0xba, 0x3d, "40 4d f8 51 eb 85 1e b8"),    // player_fps
    (0xbb, 0x59, "00 02 80"),                   // checkpoint_event
    (0xbb, 0x59, "00 02 00"),                   // checkpoint_event
    (0xf0, 0x90, "01 02"),                      // an id that is not assigned
];

/// Positions of players in rel006: on foot twice, aiming, driving, and as a passenger.
pub const SERVER_SYNC: &[(u8, &str)] = &[
    (0x93, "08 41 c3 b5 40 00 c4 04 10 00 41 48 00 00 c0 00 80 00 80 00 80 00 11 00 1e 64 00"),
    (0x93, "08 95 2c 3b 54 00 0c 40 41 00 04 14 80 00 04 00 09 00 08 00 07 00 01 02 01 23 58 32 00"),
    (
        0x94,
        "08 41 c3 b5 40 00 c4 04 10 00 41 48 00 00 c0 00 80 00 80 00 80 00 11 00 1e 64 00 80 00 90 00 a0 00 3f 80 00 00 40 00 00 00 40 40 00 00",
    ),
    (
        0x95,
        "08 c0 34 12 04 46 41 10 01 e1 91 7c 3b 54 00 0c 40 41 00 04 14 80 00 09 00 08 00 07 00 0c 80 00 00 00 00 00 01 02 03 04 44 5a a0 00 80 00 a0 00",
    ),
    (0x96, "08 11 59 26 48"),
];

/// Positions of players in rel006: on foot twice, aiming, driving, and as a passenger.
pub const CLIENT_SYNC: &[(u8, &str)] = &[
    (0x93, "00 00 00 03 41 c3 b5 40 00 c4 04 10 00 41 48 00 00 c0 00 80 00 80 00 80 00 11 00 1e 64 00"),
    (0x93, "00 00 00 03 95 2c 3b 54 00 0c 40 41 00 04 14 80 00 04 00 09 00 08 00 07 00 01 02 01 23 58 32 00"),
    (
        0x94,
        "00 00 00 03 41 c3 b5 40 00 c4 04 10 00 41 48 00 00 c0 00 80 00 80 00 80 00 11 00 1e 64 00 80 00 90 00 a0 00 3f 80 00 00 40 00 00 00 40 40 00 00",
    ),
    (
        0x95,
        "00 00 00 03 c0 34 12 04 46 41 10 01 e1 91 7c 3b 54 00 0c 40 41 00 04 14 80 00 09 00 08 00 07 00 0c 80 00 00 00 00 00 01 02 03 04 44 5a a0 00 80 00 a0 00",
    ),
    (0x96, "00 00 00 03 11 59 26 48"),
];
