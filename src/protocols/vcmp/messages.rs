//! Message tables: name, ID by release, and layout.

use super::fields::*;
use super::layout::Part::{self, F32, F64, I16, Pickup, Reals, Rest, Text8, Text16, U8, U16, U32, Unknown};
use super::versions::Version;
use super::{connect, script, sync};
use crate::tree::Side;
use crate::wire::{Result, Wire};

/// A message: name, ID in each release (0 if absent), and layout.
pub(super) struct Message {
    pub name: &'static str,
    ids: [u8; 4],
    pub layout: Layout,
}

/// Layout of a message after its ID.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    /// Sequence of parts.
    Parts(&'static [Part]),
    /// Read by this function.
    Read(fn(&mut Wire<'_>, Version, Side) -> Result),
}

use Layout::{Parts, Read};

/// Returns the message with this ID.
pub(super) fn message(version: Version, from: Side, id: u8) -> Option<&'static Message> {
    let messages = match from {
        Side::Server => SERVER,
        Side::Client => CLIENT,
    };
    let known = |message: &&Message| message.ids.get(version.index()) == Some(&id);
    messages.iter().find(known).filter(|_| id != 0)
}

const fn of(name: &'static str, ids: [u8; 4], layout: Layout) -> Message {
    Message { name, ids, layout }
}

const fn nothing_known(name: &'static str, ids: [u8; 4]) -> Message {
    of(name, ids, Parts(&[Rest]))
}

const POSITION_ZYX: Part = Reals(&POSITION, &[&POSITION_Z, &POSITION_Y, &POSITION_X]);
const POSITION_XYZ: Part = Reals(&POSITION, &[&POSITION_X, &POSITION_Y, &POSITION_Z]);
const DIRECTION_ZYX: Part = Reals(&DIRECTION, &[&DIRECTION_Z, &DIRECTION_Y, &DIRECTION_X]);
const TARGET_ZYX: Part = Reals(&TARGET, &[&TARGET_Z, &TARGET_Y, &TARGET_X]);
const SPEED_ZYX: Part = Reals(&SPEED, &[&SPEED_Z, &SPEED_Y, &SPEED_X]);
const ROTATION_WZYX: Part = Reals(&ROTATION, &[&ROTATION_W, &ROTATION_Z, &ROTATION_Y, &ROTATION_X]);
const TO_ROTATION_WZYX: Part = Reals(&TO_ROTATION, &[&TO_ROTATION_W, &TO_ROTATION_Z, &TO_ROTATION_Y, &TO_ROTATION_X]);
const SEVEN: Part = Reals(&PROJECTILE, &[&PROJECTILE_PART; 7]);

static SERVER: &[Message] = &[
    of("onfoot_sync", [0x93, 0x93, 0x30, 0x30], Read(sync::on_foot)),
    of("onfoot_aim_sync", [0x94, 0x94, 0x31, 0x31], Read(sync::aiming)),
    of("driver_sync", [0x95, 0x95, 0x32, 0x32], Read(sync::driver)),
    of("passenger_sync", [0x96, 0x96, 0x33, 0x33], Read(sync::passenger)),
    of("player_connected", [0x98, 0x98, 0x35, 0x35], Parts(&[Unknown(3), U8(&PLAYER_ID), Unknown(6), Text8(&NAME)])),
    of("player_disconnected", [0x99, 0x99, 0x36, 0x36], Parts(&[Unknown(3), U8(&PLAYER_ID), U8(&REASON)])),
    of("player_name_change", [0x9a, 0x9a, 0x37, 0x37], Parts(&[Unknown(3), U8(&PLAYER_ID), Text8(&NAME)])),
    of("player_death", [0x9b, 0x9b, 0x38, 0x38], Parts(&[Unknown(3), U8(&PLAYER_ID), Rest])),
    of("player_stream_in", [0x9c, 0x9c, 0x39, 0x39], Read(sync::stream_in)),
    of("player_stream_out", [0x9d, 0x9d, 0x3a, 0x3a], Parts(&[Unknown(3), U8(&PLAYER_ID)])),
    of("set_skin", [0x9e, 0x9e, 0x3b, 0x3b], Parts(&[U8(&PLAYER_ID), U8(&SKIN)])),
    of("set_team", [0x9f, 0x9f, 0x3c, 0x3c], Parts(&[U8(&PLAYER_ID), U8(&TEAM)])),
    of("set_colour", [0xa0, 0xa0, 0x3d, 0x3d], Parts(&[U8(&PLAYER_ID), Unknown(1), U8(&RED), U8(&GREEN), U8(&BLUE)])),
    of(
        "vehicle_enter",
        [0xa2, 0xa2, 0x3f, 0x3f],
        Parts(&[Unknown(3), U8(&PLAYER_ID), U16(&VEHICLE_ID), U8(&SEAT_CODE_1), U8(&SEAT_CODE_2), U8(&ROLE)]),
    ),
    of("vehicle_exit_event", [0xa4, 0xa4, 0x41, 0x41], Parts(&[Unknown(3), U8(&PLAYER_ID)])),
    of("time_weather", [0xab, 0xab, 0x48, 0x48], Parts(&[U16(&TIME_RATE), U8(&MINUTE), U8(&HOUR), U8(&WEATHER)])),
    of("tick", [0xad, 0xad, 0x4a, 0x4a], Parts(&[U32(&TICK_COUNT)])),
    of("join", [0xaf, 0xaf, 0x4c, 0x4b], Read(connect::join)),
    nothing_known("class_shown", [0xb2, 0xb2, 0x4f, 0x4e]),
    of("set_health", [0xb4, 0xb4, 0x51, 0x50], Parts(&[U32(&ANTICHEAT_ID), U8(&HEALTH)])),
    of("set_armour", [0xb5, 0xb5, 0x52, 0x51], Parts(&[U32(&ANTICHEAT_ID), U8(&ARMOUR)])),
    nothing_known("spawn_granted", [0xb6, 0xb6, 0x53, 0x52]),
    nothing_known("force_all_select", [0xb7, 0xb7, 0x54, 0x53]),
    of("set_position", [0xb9, 0xb9, 0x56, 0x55], Parts(&[POSITION_ZYX])),
    of("set_angle", [0xbc, 0xbc, 0x59, 0x58], Parts(&[F32(&ANGLE)])),
    of("remove_all_weapons", [0xbe, 0xbe, 0x5b, 0x5a], Parts(&[U32(&ANTICHEAT_ID)])),
    of("clear_weapon_slot", [0xbf, 0xbf, 0x5c, 0x5b], Parts(&[U8(&SLOT)])),
    of("set_weapon", [0xc0, 0xc0, 0x5d, 0x5c], Parts(&[U32(&ANTICHEAT_ID), U8(&WEAPON), U16(&AMMO), U8(&MAKE_CURRENT)])),
    of("remove_weapon", [0xc1, 0xc1, 0x5e, 0x5d], Parts(&[U32(&ANTICHEAT_ID), U8(&WEAPON)])),
    of("freeze_player", [0xc2, 0xc2, 0x5f, 0x5e], Read(connect::freeze)),
    nothing_known("set_camera", [0xc3, 0xc3, 0x60, 0x5f]),
    of("restore_camera", [0xc4, 0xc4, 0x62, 0x61], Parts(&[])),
    nothing_known("unstreamed_player_data", [0xc6, 0xc6, 0x66, 0x65]),
    of("sniper_fired", [0xc7, 0xc7, 0x67, 0x66], Parts(&[Unknown(3), U8(&PLAYER_ID), U8(&WEAPON), POSITION_ZYX, DIRECTION_ZYX])),
    of(
        "projectile_fired",
        [0xc8, 0xc8, 0x68, 0x67],
        Parts(&[Unknown(3), U8(&PLAYER_ID), U8(&WEAPON), U16(&INDEX), POSITION_ZYX, SEVEN]),
    ),
    of(
        "explosion",
        [0xc9, 0xc9, 0x69, 0x68],
        Parts(&[U8(&EXPLOSION_TYPE), POSITION_XYZ, Unknown(3), U8(&PLAYER_ID), U8(&ON_GROUND)]),
    ),
    of("client_message", [0xcb, 0xcb, 0x6b, 0x6a], Parts(&[U8(&RED), U8(&GREEN), U8(&BLUE), Unknown(3), Text16(&TEXT)])),
    of("player_text", [0xcd, 0xcd, 0x6d, 0x6c], Read(script::player_text)),
    of("server_data", [0xcf, 0xcf, 0x6f, 0x6e], Read(script::server_data)),
    nothing_known("module_list_request", [0, 0xd0, 0x70, 0x6f]),
    of(
        "object_created",
        [0xd0, 0xd1, 0x72, 0x71],
        Parts(&[U16(&OBJECT_ID), U16(&MODEL), U8(&ALPHA), POSITION_ZYX, ROTATION_WZYX, U8(&REPORT_FLAGS), Unknown(1)]),
    ),
    of("object_destroyed", [0xd1, 0xd2, 0x73, 0x72], Parts(&[U16(&OBJECT_ID)])),
    of("object_alpha", [0xd2, 0xd3, 0x74, 0x73], Parts(&[U16(&OBJECT_ID), U8(&ALPHA), U16(&TIME)])),
    of("object_reports", [0xd3, 0xd4, 0x75, 0x74], Parts(&[U16(&OBJECT_ID), U8(&REPORT_FLAGS)])),
    of("object_rotate_to", [0xd4, 0xd5, 0x76, 0x75], Parts(&[U16(&OBJECT_ID), U16(&TIME), ROTATION_WZYX, TO_ROTATION_WZYX])),
    of("object_move_to", [0xd5, 0xd6, 0x77, 0x76], Parts(&[U16(&OBJECT_ID), U16(&TIME), POSITION_ZYX, TARGET_ZYX])),
    of("object_position", [0xd7, 0xd8, 0x79, 0x78], Parts(&[U16(&OBJECT_ID), POSITION_ZYX])),
    of("pickup_created", [0xd8, 0xd9, 0x7a, 0x79], Parts(&[Pickup, U16(&MODEL), U32(&QUANTITY), POSITION_ZYX, U8(&ALPHA)])),
    of("pickup_destroyed", [0xd9, 0xda, 0x7b, 0x7a], Parts(&[Pickup])),
    of("pickup_alpha", [0xda, 0xdb, 0x7c, 0x7b], Parts(&[Pickup, U8(&ALPHA)])),
    of("pickup_position", [0xdb, 0xdc, 0x7d, 0x7c], Parts(&[Pickup, POSITION_XYZ])),
    of("pickup_refresh", [0xdc, 0xdd, 0x7e, 0x7d], Parts(&[Pickup])),
    of(
        "checkpoint_created",
        [0xe4, 0xe5, 0x86, 0x85],
        Parts(&[U16(&CHECKPOINT_ID), U8(&IS_SPHERE), POSITION_ZYX, U8(&RED), U8(&GREEN), U8(&BLUE), U8(&ALPHA), F32(&RADIUS)]),
    ),
    of("checkpoint_destroyed", [0xe5, 0xe6, 0x87, 0x86], Parts(&[U16(&CHECKPOINT_ID)])),
    of("checkpoint_position", [0xe6, 0xe7, 0x88, 0x87], Parts(&[U16(&CHECKPOINT_ID), POSITION_XYZ])),
    of("checkpoint_colour", [0xe7, 0xe8, 0x89, 0x88], Parts(&[U16(&CHECKPOINT_ID), U8(&RED), U8(&GREEN), U8(&BLUE), U8(&ALPHA)])),
    of("checkpoint_radius", [0xe8, 0xe9, 0x8a, 0x89], Parts(&[U16(&CHECKPOINT_ID), F32(&RADIUS)])),
    of(
        "vehicle_stream_in",
        [0xe9, 0xea, 0x8b, 0x8a],
        Parts(&[
            U16(&VEHICLE_ID),
            Unknown(2),
            I16(&MODEL),
            POSITION_ZYX,
            ROTATION_WZYX,
            Unknown(2),
            F32(&VEHICLE_HEALTH),
            U32(&DAMAGE),
            Rest,
        ]),
    ),
    of("vehicle_stream_out", [0xea, 0xeb, 0x8c, 0x8b], Parts(&[U16(&VEHICLE_ID)])),
    of("vehicle_position", [0xeb, 0xec, 0x8d, 0x8c], Parts(&[U16(&VEHICLE_ID), POSITION_ZYX])),
    of("vehicle_rotation", [0xec, 0xed, 0x8e, 0x8d], Parts(&[U16(&VEHICLE_ID), ROTATION_WZYX])),
    of("vehicle_set_speed", [0xee, 0xef, 0x90, 0x8f], Parts(&[U16(&VEHICLE_ID), SPEED_ZYX])),
    of("vehicle_add_speed", [0xef, 0xf0, 0x91, 0x90], Parts(&[U16(&VEHICLE_ID), SPEED_ZYX])),
    of("vehicle_add_rel_speed", [0xf0, 0xf1, 0x92, 0x91], Parts(&[U16(&VEHICLE_ID), SPEED_ZYX])),
    of("vehicle_set_turn_speed", [0xf1, 0xf2, 0x93, 0x92], Parts(&[U16(&VEHICLE_ID), SPEED_ZYX])),
    of("vehicle_add_turn_speed", [0xf2, 0xf3, 0x94, 0x93], Parts(&[U16(&VEHICLE_ID), SPEED_ZYX])),
    of("vehicle_add_rel_turn_speed", [0xf3, 0xf4, 0x95, 0x94], Parts(&[U16(&VEHICLE_ID), SPEED_ZYX])),
    of("vehicle_health", [0xf4, 0xf5, 0x96, 0x95], Parts(&[U16(&VEHICLE_ID), F32(&VEHICLE_HEALTH)])),
    nothing_known("vehicle_damage", [0xf5, 0xf6, 0x97, 0x96]),
    of("vehicle_lost_ownership", [0xf7, 0xf8, 0x99, 0x98], Parts(&[U16(&VEHICLE_ID)])),
    nothing_known("vehicle_gain_ownership", [0xf8, 0xf9, 0x9a, 0x99]),
    nothing_known("vehicle_explode", [0, 0xfa, 0x9b, 0x9a]),
    nothing_known("vehicle_radio", [0, 0xfb, 0x9c, 0x9b]),
    of("bullet_fired", [0, 0, 0x9e, 0x9d], Read(connect::compressed)),
];

static CLIENT: &[Message] = &[
    of("onfoot_sync", [0x93, 0x93, 0x30, 0x30], Read(sync::on_foot)),
    of("onfoot_aim_sync", [0x94, 0x94, 0x31, 0x31], Read(sync::aiming)),
    of("driver_sync", [0x95, 0x95, 0x32, 0x32], Read(sync::driver)),
    of("passenger_sync", [0x96, 0x96, 0x33, 0x33], Read(sync::passenger)),
    of("client_connect", [0x98, 0x98, 0x35, 0x35], Read(connect::client_connect)),
    of("begin_typing", [0x9b, 0x9b, 0x38, 0x38], Parts(&[])),
    of("end_typing", [0x9c, 0x9c, 0x39, 0x39], Parts(&[])),
    nothing_known("module_list_reply", [0, 0x9e, 0x3b, 0x3b]),
    of("chat", [0xa1, 0xa2, 0x42, 0x3f], Parts(&[Text16(&TEXT)])),
    of("private_message", [0xa2, 0xa3, 0x43, 0x40], Parts(&[U8(&PLAYER_ID), Text16(&TEXT)])),
    of("command", [0xa3, 0xa4, 0x44, 0x41], Parts(&[Text16(&TEXT)])),
    of("request_class", [0xa4, 0xa5, 0x45, 0x42], Parts(&[U8(&CLASS)])),
    of("request_spawn", [0xa5, 0xa6, 0x46, 0x43], Parts(&[])),
    of("spawn", [0xa6, 0xa7, 0x47, 0x44], Parts(&[])),
    of("death_info", [0xa7, 0xa8, 0x48, 0x45], Parts(&[U8(&CAUSE), U8(&KILLER_ID), U8(&BODY_PART)])),
    of("shot_body_part", [0xa8, 0xa9, 0x49, 0x46], Parts(&[U8(&BODY_PART), U8(&ANIMATION)])),
    of(
        "vehicle_enter_request",
        [0xaa, 0xab, 0x4b, 0x48],
        Parts(&[U16(&VEHICLE_ID), U8(&SEAT_CODE_1), U8(&SEAT_CODE_2), U8(&ROLE)]),
    ),
    of("vehicle_put_accepted", [0xab, 0xac, 0x4c, 0x49], Parts(&[])),
    of("vehicle_exit", [0xac, 0xad, 0x4d, 0x4a], Parts(&[U8(&STYLE), Unknown(2)])),
    of("sniper_fire", [0xad, 0xae, 0x4e, 0x4b], Parts(&[U8(&WEAPON), POSITION_ZYX, DIRECTION_ZYX])),
    nothing_known("projectile_fire", [0xae, 0xaf, 0x4f, 0x4c]),
    of("bullet_fire", [0, 0, 0x52, 0x4f], Read(connect::compressed)),
    of("pickup_claim", [0xb1, 0xb2, 0x53, 0x50], Parts(&[Pickup])),
    of("object_shot", [0xb5, 0xb6, 0x58, 0x55], Parts(&[U16(&OBJECT_ID), U8(&WEAPON)])),
    of("object_touch", [0xb6, 0xb7, 0x59, 0x56], Parts(&[U16(&OBJECT_ID)])),
    of("store_files_needed", [0xb8, 0xb9, 0x5b, 0x58], Read(connect::files_needed)),
    of("player_fps", [0xb9, 0xba, 0x3e, 0x3d], Parts(&[F64(&FPS)])),
    of("checkpoint_event", [0xba, 0xbb, 0x5c, 0x59], Parts(&[U16(&CHECKPOINT_ID), U8(&EVENT)])),
    of("server_data", [0xbc, 0xbd, 0x3d, 0x3e], Read(script::server_data)),
];
