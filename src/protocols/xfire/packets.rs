//! Packet types: names, senders and kinds of keys.

use crate::tree::{Names, Side};

/// Kind of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// Text with its length.
    Named,
    /// One byte.
    Numbered,
}

impl Keys {
    pub(super) const fn other(self) -> Keys {
        match self {
            Keys::Named => Keys::Numbered,
            Keys::Numbered => Keys::Named,
        }
    }
}

/// Known packet type.
#[derive(Clone, Copy)]
pub(super) struct Packet {
    pub(super) kind: u16,
    pub(super) name: &'static str,
    /// Sender; `None` for messages between clients.
    pub(super) from: Option<Side>,
}

const fn c(kind: u16, name: &'static str) -> Packet {
    Packet { kind, name, from: Some(Side::Client) }
}

const fn s(kind: u16, name: &'static str) -> Packet {
    Packet { kind, name, from: Some(Side::Server) }
}

const fn p(kind: u16, name: &'static str) -> Packet {
    Packet { kind, name, from: None }
}

pub(super) const LOGIN_REQUEST: u16 = 1;
pub(super) const PEER_MESSAGE: u16 = 2;
pub(super) const CLIENT_VERSION: u16 = 3;
pub(super) const KEEPALIVE: u16 = 13;
pub(super) const CLIENT_INFO_OLD: u16 = 18;
pub(super) const GROUP_CHAT: u16 = 25;
pub(super) const LOGIN_SALT: u16 = 128;
pub(super) const LOGIN_SUCCESS: u16 = 130;
pub(super) const SESSION_IDS: u16 = 132;
pub(super) const PEER_MESSAGE_IN: u16 = 133;
pub(super) const FRIENDS_OF_FRIENDS: u16 = 136;
pub(super) const KEEPALIVE_REPLY: u16 = 144;
pub(super) const DISCONNECT_NOTICE: u16 = 145;
pub(super) const CHAT_JOIN_INFO: u16 = 351;
pub(super) const FILE_FIRST: u16 = 16007;
pub(super) const FILE_REQUEST: u16 = FILE_FIRST;
pub(super) const FILE_DATA: u16 = 16012;
pub(super) const FILE_COMPLETE: u16 = 16013;
pub(super) const FILE_LAST: u16 = 16014;

const PACKETS: &[Packet; 128] = &[
    c(1, "login_request"),
    c(2, "peer_message"),
    c(3, "client_version"),
    c(4, "game_status"),
    c(5, "friends_of_friends_request"),
    c(6, "invite_send"),
    c(7, "invite_accept"),
    c(8, "invite_reject"),
    c(9, "friend_remove"),
    c(10, "preferences_set"),
    c(12, "search"),
    c(13, "keepalive"),
    c(14, "nick_change"),
    c(15, "voip_status"),
    c(16, "client_info"),
    c(17, "network_info"),
    c(18, "client_info_old"),
    c(19, "favourite_server_add"),
    c(20, "favourite_server_remove"),
    c(21, "friends_favourites_request"),
    c(22, "server_list_request"),
    c(23, "download_report"),
    c(24, "channel_request"),
    c(25, "group_chat"),
    c(26, "group_create"),
    c(27, "group_delete"),
    c(28, "group_rename"),
    c(29, "group_member_add"),
    c(30, "group_member_remove"),
    c(31, "statistics"),
    c(32, "status_text"),
    c(35, "game_client_data"),
    c(36, "group_order_set"),
    c(37, "infoview_request"),
    c(38, "broadcast_start_stop"),
    s(128, "login_salt"),
    s(129, "login_failure"),
    s(130, "login_success"),
    s(131, "friend_names"),
    s(132, "session_ids"),
    s(133, "peer_message"),
    s(134, "new_version"),
    s(135, "friends_games"),
    s(136, "friends_of_friends"),
    s(137, "invite_result"),
    s(138, "invite_received"),
    s(139, "friend_removed"),
    s(141, "preferences"),
    s(143, "search_results"),
    s(144, "keepalive_reply"),
    s(145, "disconnect_notice"),
    s(147, "friends_voip"),
    s(148, "favourite_servers"),
    s(149, "friends_favourites"),
    s(150, "server_list"),
    s(151, "group_list"),
    s(152, "group_members"),
    s(153, "group_created"),
    s(154, "friends_status"),
    s(155, "persistent_chats"),
    s(156, "friends_game_client_data"),
    s(157, "own_screenshots"),
    s(158, "clans"),
    s(159, "clan_members"),
    s(160, "clan_member_left"),
    s(161, "friend_nick_changed"),
    s(162, "clan_nick_changed"),
    s(163, "group_order"),
    s(165, "clan_invite"),
    s(169, "system_broadcast"),
    s(170, "clan_events"),
    s(171, "clan_event_deleted"),
    s(172, "friend_screenshots"),
    s(173, "friend_info_changed"),
    s(174, "friend_avatar"),
    s(175, "new_server_ip"),
    s(176, "friend_clans"),
    s(177, "clan_news"),
    s(179, "uploaded_videos"),
    s(182, "friend_videos"),
    s(183, "external_game"),
    s(184, "friend_broadcast"),
    s(186, "unknown_186"),
    s(187, "social_networks"),
    s(188, "clan_servers"),
    s(190, "unknown_190"),
    s(191, "contest_info"),
    s(350, "chat_name_changed"),
    s(351, "chat_join_info"),
    s(353, "chat_user_joined"),
    s(354, "chat_user_left"),
    s(355, "chat_message"),
    s(356, "chat_invite"),
    s(357, "chat_permission_changed"),
    s(358, "chat_rooms_info"),
    s(359, "chat_user_kicked"),
    s(360, "chat_voice_status"),
    s(361, "chat_save_forced"),
    s(363, "chat_voice_host"),
    s(365, "chat_voice_left"),
    s(367, "chat_voice_joined"),
    s(368, "chat_room_info"),
    s(370, "chat_default_permission"),
    s(374, "chat_motd"),
    s(375, "chat_voice_allowed"),
    s(383, "chat_voice_session"),
    s(384, "chat_name_available"),
    s(385, "chat_password_changed"),
    s(386, "chat_access_changed"),
    s(387, "chat_reject_confirmed"),
    s(388, "chat_silenced"),
    s(389, "chat_show_join_leave"),
    s(400, "did"),
    s(401, "file_peer_info"),
    s(402, "file_peers"),
    s(404, "file_info"),
    s(406, "file_unknown"),
    s(450, "channel_data"),
    s(451, "channel_new_files"),
    s(452, "channel_checksum"),
    p(16007, "file_request"),
    p(16008, "file_reply"),
    p(16009, "chunk_info_request"),
    p(16010, "chunk_info"),
    p(16011, "data_request"),
    p(16012, "data"),
    p(16013, "file_complete"),
    p(16014, "file_event"),
];

pub(super) const TYPES: Names = &names(PACKETS);

#[allow(clippy::indexing_slicing, reason = "both have the same length, and the compiler runs it")]
const fn names<const N: usize>(packets: &[Packet; N]) -> [(u64, &'static str); N] {
    let mut names = [(0, ""); N];
    let mut at = 0;
    while at < N {
        names[at] = (packets[at].kind as u64, packets[at].name);
        at += 1;
    }
    names
}

/// Known packet type with this number.
pub(super) fn packet(kind: u16) -> Option<&'static Packet> {
    let place = PACKETS.binary_search_by_key(&kind, |packet| packet.kind).ok()?;
    PACKETS.get(place)
}

/// Kind of keys of a packet type, which the message itself does not declare.
pub(super) fn keys(kind: u16, first: Option<u8>) -> Keys {
    match kind {
        // Old servers use named attributes, the first of which is `userid`.
        SESSION_IDS if first == Some(6) => Keys::Named,
        22 | 26..=30 | 32 | 35..=38 | 132 | 141 | 150..=153 | 155 | 157..=163 | 165 | 169..=177 | 179 | 182..=184 | 186..=191 => {
            Keys::Numbered
        }
        400..=406 | FILE_FIRST..=FILE_LAST => Keys::Named,
        350.. => Keys::Numbered,
        _ => Keys::Named,
    }
}

/// Whether the lists of a packet type are parallel.
pub(super) fn has_rows(kind: u16) -> bool {
    matches!(
        kind,
        36 | 131 | 132 | 134..=136 | 138 | 143 | 147..=152 | 154 | 156 | 158 | 159 | 163 | 172 | 176 | 182 | 358 | 368 | 450
    )
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static Packet> {
    PACKETS.iter()
}
