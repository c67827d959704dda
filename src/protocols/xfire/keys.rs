//! Keys of attributes, and meanings of their values.

use super::fields::*;
use super::packets::{CHAT_JOIN_INFO, DISCONNECT_NOTICE, FRIENDS_OF_FRIENDS};
use crate::tree::{Field, Kind, Names};

/// Names of numeric keys.
pub(super) const KEYS: Names = &[
    (0x01, "userid"),
    (0x02, "name"),
    (0x03, "sid"),
    (0x04, "chat_id"),
    (0x05, "room_name"),
    (0x0b, "request_index"),
    (0x0c, "response"),
    (0x0d, "nick"),
    (0x12, "own_permission or order"),
    (0x13, "permission"),
    (0x14, "timestamp"),
    (0x16, "silenced"),
    (0x17, "access"),
    (0x18, "target_userid"),
    (0x19, "group_id"),
    (0x1a, "group_name"),
    (0x1b, "show_join_leave"),
    (0x1f, "avatar_number"),
    (0x21, "game_id"),
    (0x22, "ip"),
    (0x23, "port"),
    (0x2a, "save"),
    (0x2e, "message"),
    (0x33, "userids"),
    (0x34, "type"),
    (0x42, "names"),
    (0x43, "nicks"),
    (0x44, "permissions"),
    (0x49, "default_permission"),
    (0x4c, "preferences"),
    (0x4d, "motd"),
    (0x4e, "voice_allowed"),
    (0x4f, "channel"),
    (0x50, "time"),
    (0x51, "file_id"),
    (0x52, "added_time"),
    (0x53, "modified_time"),
    (0x54, "caption"),
    (0x56, "checksum"),
    (0x5b, "game_client_data"),
    (0x5c, "screenshot_id"),
    (0x5f, "password"),
    (0x6c, "clan_id"),
    (0x6d, "clan_nick"),
    (0x72, "clan_short_name"),
    (0x81, "clan_long_name"),
    (0xa5, "new_room"),
    (0xa6, "password_protected"),
    (0xa7, "auto_name"),
    (0xaa, "room_type"),
    (0xb0, "clan_type"),
];

/// Preference identifiers.
pub(super) const PREFERENCES: Names = &[
    (0x01, "show game status to friends"),
    (0x02, "show game server data"),
    (0x03, "show on profile"),
    (0x04, "sound on message"),
    (0x05, "sound in game"),
    (0x06, "timestamps in chat"),
    (0x07, "sound on friend logon"),
    (0x08, "show friends of friends"),
    (0x09, "show offline friends"),
    (0x0a, "show nicknames"),
    (0x0b, "show voice server"),
    (0x0c, "show typing"),
    (0x10, "tooltip on logon"),
    (0x11, "tooltip on download"),
    (0x12, "sound on chat-room join"),
    (0x13, "sound on voice call"),
    (0x14, "sound on screenshot"),
    (0x15, "notify connection state"),
];

pub(super) const VALUE_TYPES: Names = &[
    (1, "string"),
    (2, "int32"),
    (3, "sid"),
    (4, "list"),
    (5, "string_map"),
    (6, "did"),
    (7, "int64"),
    (8, "uint8"),
    (9, "byte_map"),
];

/// Types of peer messages.
pub(super) const MSGTYPES: Names = &[(0, "im"), (1, "im_ack"), (2, "p2p_info"), (3, "typing")];

/// Kinds of chat room requests.
pub(super) const CLIMSGS: Names = &[
    (17700, "channel update"),
    (19700, "join"),
    (19701, "leave"),
    (19702, "message"),
    (19703, "new_invite"),
    (19704, "change_name"),
    (19705, "user_permission"),
    (19706, "persistent_info_request"),
    (19707, "kick"),
    (19708, "invite"),
    (19709, "save"),
    (19710, "voice_enable"),
    (19711, "reject_invite"),
    (19712, "voice_host_start"),
    (19713, "voice_join"),
    (19714, "voice_leave"),
    (19716, "voice_force_off"),
    (19717, "voice_host"),
    (19718, "extended_info"),
    (19720, "default_permission"),
    (19724, "motd"),
    (19725, "voice_allowed"),
    (19729, "voice_session_join"),
    (19732, "name_available"),
    (19733, "password"),
    (19734, "access"),
    (19735, "silence"),
    (19736, "show_join_leave"),
];

/// Permission levels in a chat room.
pub(super) const PERMISSIONS: Names = &[(1, "muted"), (2, "normal"), (3, "power user"), (4, "moderator"), (5, "administrator")];

/// Access modes of a chat room.
pub(super) const ACCESSES: Names = &[(1, "public"), (2, "friends only")];

/// Results of joining a chat room.
pub(super) const RESPONSES: Names = &[(0, "ok"), (4, "password needed"), (5, "wrong password")];

/// Reasons of a disconnection.
pub(super) const REASONS: Names = &[(1, "logged in elsewhere")];

/// Kinds of NAT.
pub(super) const NAT_TYPES: Names =
    &[(0, "unknown"), (1, "full or restricted cone"), (2, "symmetric"), (3, "symmetric"), (4, "port-restricted cone")];

/// Voice programs.
pub(super) const VOICES: Names = &[(32, "TeamSpeak"), (33, "Ventrilo")];

/// States of a file transfer.
pub(super) const EVENTS: Names = &[(1, "cancelled"), (2, "cancelled")];

/// Key of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key<'a> {
    Name(&'a [u8]),
    Number(u8),
}

/// Container of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// Top level of a packet.
    Packet(u16),
    /// Map of a peer message.
    PeerMessage,
    /// Map with preference identifiers as keys.
    Preferences,
    /// Other map.
    Map,
}

impl Container {
    /// Container type of the members of a map with this key.
    pub(super) fn below(key: Key<'_>) -> Container {
        match key {
            Key::Name(b"peermsg") => Container::PeerMessage,
            Key::Name(b"prefs") | Key::Number(0x4c) => Container::Preferences,
            _ => Container::Map,
        }
    }
}

/// Field with the meaning of a value of this type, if known.
pub(super) fn meaning(container: Container, key: Key<'_>, value_type: u8) -> Option<&'static Field> {
    let field = match key {
        Key::Name(name) => named(container, name, value_type),
        Key::Number(number) => numbered(container, number),
    }?;
    fits(field, value_type).then_some(field)
}

fn fits(field: &'static Field, value_type: u8) -> bool {
    match field.kind {
        Kind::Text => value_type == STRING,
        Kind::Bytes if field.is(&SID) => value_type == SID_TYPE,
        Kind::Bytes => value_type == DID,
        Kind::Ipv4 => value_type == INT32,
        _ => matches!(value_type, INT32 | INT64 | UINT8),
    }
}

fn named(container: Container, name: &[u8], value_type: u8) -> Option<&'static Field> {
    Some(match name {
        b"userid" => &USERID,
        b"sid" | b"fnsid" => &SID,
        b"name" => &NAME,
        // The list has names in a friend list, IDs in friends of friends.
        b"friends" if value_type == STRING => &NAME,
        b"friends" if container == Container::Packet(FRIENDS_OF_FRIENDS) => &COMMON_FRIEND,
        b"friends" => &USERID,
        b"nick" => &NICK,
        b"password" => &LOGIN_DIGEST,
        b"salt" => &SALT,
        b"version" => &VERSION,
        b"gameid" => &GAME_ID,
        b"gip" | b"ip" | b"vip" | b"localip" | b"clientip" | b"pip" | b"n1" | b"n2" | b"n3" => &IP,
        b"gport" | b"port" | b"vport" | b"localport" => &PORT,
        b"vid" => &VOICE,
        b"nat" => &NAT_TYPE,
        b"status" if container == Container::PeerMessage => &NAT_TYPE,
        b"msgtype" | b"msgtyp" => &MSGTYPE,
        b"imindex" => &IMINDEX,
        b"im" => &IM,
        b"typing" => &TYPING,
        b"climsg" => &CLIMSG,
        b"msg" => &MESSAGE,
        b"reason" if container == Container::Packet(DISCONNECT_NOTICE) => &REASON,
        b"ctry" => &COUNTRY,
        b"fileid" => &FILE_ID,
        b"filename" => &FILE_NAME,
        b"size" => &FILE_SIZE,
        b"offset" => &FILE_OFFSET,
        b"event" => &FILE_EVENT,
        b"mtime" => &TIME,
        _ => return None,
    })
}

fn numbered(container: Container, number: u8) -> Option<&'static Field> {
    if container == Container::Preferences {
        return None;
    }
    Some(match number {
        0x01 | 0x18 | 0x33 => &USERID,
        0x02 | 0x42 => &NAME,
        0x03 => &SID,
        0x04 => &CHAT_ID,
        0x05 => &ROOM_NAME,
        0x0c => &RESPONSE,
        0x0d | 0x43 | 0x6d => &NICK,
        0x12 if container == Container::Packet(CHAT_JOIN_INFO) => &PERMISSION,
        0x13 | 0x44 | 0x49 => &PERMISSION,
        0x14 | 0x50 | 0x52 | 0x53 => &TIME,
        0x17 => &ACCESS,
        0x19 => &GROUP_ID,
        0x1a => &GROUP_NAME,
        0x21 => &GAME_ID,
        0x22 => &IP,
        0x23 => &PORT,
        0x2e => &MESSAGE,
        0x51 => &FILE_ID,
        0x5f => &PASSWORD,
        0x6c => &CLAN_ID,
        0x72 | 0x81 => &CLAN_NAME,
        _ => return None,
    })
}

pub(super) const STRING: u8 = 1;
pub(super) const INT32: u8 = 2;
pub(super) const SID_TYPE: u8 = 3;
pub(super) const LIST: u8 = 4;
pub(super) const STRING_MAP: u8 = 5;
pub(super) const DID: u8 = 6;
pub(super) const INT64: u8 = 7;
pub(super) const UINT8: u8 = 8;
pub(super) const BYTE_MAP: u8 = 9;
