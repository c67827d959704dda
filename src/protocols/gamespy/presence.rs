//! GameSpy over TCP: presence (logins, buddies), search of players, and the server list of the first version. All of them are
//! keys and values between backslashes; a message ends with the key `final`.
//!
//! ```text
//! 29900 presence    \lc\1\challenge\…\final\        \login\\challenge\…\response\…\final\      \lc\2\sesskey\…\final\
//! 29901 search      \nicks\\email\…\final\          \nr\1\nick\…\ndone\final\
//! 28900 list        \basic\\secure\…                \gamename\…\validate\…\final\\list\…\final\
//!                   \ip\address:port\ip\…\final\, or if the list is asked for as `cmp`: address:4 | port:2 | … | \final\
//! ```

use super::{ADDRESS, ENTRY, ENTRY_PORT, FINAL, pairs};
use crate::tree::{BySide, Side};
use crate::wire::{Conversation, Extent, Missing, Opening, Result, Verdict, Wire};
use memchr::memmem;

/// Ports of presence, search and server list.
pub(super) const PRESENCE: u16 = 29900;
pub(super) const SEARCH: u16 = 29901;
pub(super) const LIST: u16 = 28900;

/// First message of a list server: what it secures the list with follows, in six letters. It does not end with `final`.
const SECURE: &[u8] = b"\\basic\\\\secure\\";
const SECURE_SIZE: usize = SECURE.len() + 6;

/// First keys of messages.
const OF_SERVERS: &[&str] = &[
    "addbuddyresponse",
    "authp",
    "basic",
    "bdy",
    "blk",
    "bm",
    "bsr",
    "cur",
    "error",
    "getpdr",
    "getprofiler",
    "ip",
    "ka",
    "lc",
    "nr",
    "nur",
    "others",
    "otherslist",
    "pi",
    "pmatch",
    "psr",
    "setpdr",
    "us",
    "vr",
];
const OF_CLIENTS: &[&str] = &[
    "addblock",
    "addbuddy",
    "auth",
    "authadd",
    "check",
    "delbuddy",
    "delprofile",
    "gamename",
    "getprofile",
    "inviteto",
    "list",
    "login",
    "logout",
    "newprofile",
    "newuser",
    "nicks",
    "newgame",
    "pinvite",
    "profilelist",
    "queryid",
    "registercdkey",
    "registernick",
    "removeblock",
    "revoke",
    "search",
    "searchunique",
    "status",
    "statusinfo",
    "updatepro",
    "updateui",
    "uniquesearch",
    "valid",
];

/// Keys whose values prove an identity, or are enough to guess a password.
const SECRETS: &[&str] = &[
    "authtoken",
    "cdkey",
    "cdkeyenc",
    "challenge",
    "lt",
    "newpassenc",
    "pass",
    "passenc",
    "password",
    "passwordenc",
    "proof",
    "response",
    "secure",
    "sesskey",
    "validate",
];

/// Longest message; server lists are long.
const MOST: usize = 1 << 20;

/// Longest beginning of a message that recognition on any port waits for.
const OPENING: usize = 4096;

/// Bytes of an entry of a binary list.
const ENTRY_SIZE: usize = 6;

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    /// The client asked for a list in binary form.
    is_packed: bool,
    /// Bytes of a side were lost, up to the end of a message.
    lost: BySide<bool>,
    /// Bytes of each side that contain no end.
    searched: BySide<usize>,
}

/// The first key of a message, if it is complete.
fn first_key(bytes: &[u8]) -> Option<&[u8]> {
    let behind = bytes.strip_prefix(b"\\")?;
    behind.get(..memchr::memchr(b'\\', behind)?)
}

/// The server, by a known first key of this side's first message.
fn server_of(side: Side, bytes: &[u8]) -> Option<Side> {
    let key = first_key(bytes)?;
    let is_one_of = |keys: &[&str]| keys.iter().any(|known| known.as_bytes() == key);
    is_one_of(OF_SERVERS).then_some(side).or_else(|| is_one_of(OF_CLIENTS).then_some(side.other()))
}

/// Recognizes a message on one of the ports.
pub(super) fn on_port(opening: &Opening<'_>) -> Verdict {
    judge(opening, |_| Verdict::Yes(Side::Server))
}

/// Recognizes a whole message on any port.
pub(super) fn anywhere(opening: &Opening<'_>) -> Verdict {
    judge(opening, |bytes| match bytes {
        _ if bytes.starts_with(SECURE) || memmem::find(bytes, FINAL).is_some() => Verdict::Yes(Side::Server),
        _ if bytes.len() < OPENING && bytes.is_ascii() => Verdict::Unsure,
        _ => Verdict::No,
    })
}

/// Recognizes a side that begins with a known key, if `decide` agrees.
fn judge(opening: &Opening<'_>, decide: impl Fn(&[u8]) -> Verdict) -> Verdict {
    let mut may_follow = false;
    for side in Side::BOTH {
        let bytes = opening.of(side);
        let verdict = match server_of(side, bytes) {
            Some(server) => match decide(bytes) {
                Verdict::Yes(_) => return Verdict::Yes(server),
                other => other,
            },
            None if is_beginning(bytes) => Verdict::Unsure,
            None => Verdict::No,
        };
        may_follow |= verdict == Verdict::Unsure;
    }
    if may_follow && !opening.complete { Verdict::Unsure } else { Verdict::No }
}

/// Whether these bytes may be the beginning of a known first key.
fn is_beginning(bytes: &[u8]) -> bool {
    let Some(begun) = bytes.strip_prefix(b"\\") else { return false };
    OF_SERVERS.iter().chain(OF_CLIENTS).any(|key| key.as_bytes().starts_with(begun))
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        let searched = std::mem::take(&mut self.searched[from]);
        let is_list = from == Side::Server && self.is_packed;
        let end = if is_list { end_of_list(ahead, searched) } else { end_of_text(ahead, searched) };
        // Text of keys and values begins with a separator, whether its end has arrived or not.
        self.lost[from] |= !is_list && ahead.first().is_some_and(|first| *first != b'\\');
        match end.filter(|end| *end <= MOST) {
            Some(end) if std::mem::take(&mut self.lost[from]) => Extent::Unknown(end),
            Some(end) => Extent::Message(end),
            None if ahead.len() >= MOST => {
                self.lost[from] = true;
                Extent::Unknown(MOST)
            }
            None => {
                self.searched[from] = ahead.len();
                Extent::NeedMore(ahead.len() + 1)
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if from == Side::Server && self.is_packed {
            self.is_packed = false;
            return list(wire);
        }
        let name = String::from_utf8_lossy(first_key(wire.ahead()).unwrap_or_default()).into_owned();
        wire.name(&name);
        let mut shown = String::new();
        let mut addresses = 0_usize;
        pairs(
            wire,
            |key| SECRETS.iter().any(|secret| secret.as_bytes().eq_ignore_ascii_case(key)),
            |key, value| {
                self.is_packed |= from == Side::Client && key == b"list" && value == b"cmp";
                addresses += usize::from(key == b"ip");
                if shown.is_empty() && matches!(key, b"uniquenick" | b"nick" | b"email" | b"gamename" | b"errmsg" | b"msg") {
                    shown = String::from_utf8_lossy(value).into_owned();
                }
            },
        )?;
        match addresses {
            0 => wire.info(format_args!("{}", wire.masked(&shown).into_owned())),
            count => wire.info(format_args!("{count} servers")),
        }
        Ok(())
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost[from] |= !missing.in_step;
        self.searched[from] = 0;
    }

    fn may_hold_secret(&self, _: Side, _: &[u8]) -> bool {
        true
    }
}

/// End of a message of keys and values. The first `searched` bytes contain none.
fn end_of_text(ahead: &[u8], searched: usize) -> Option<usize> {
    if ahead.starts_with(SECURE) {
        return (ahead.len() >= SECURE_SIZE).then_some(SECURE_SIZE);
    }
    let from = searched.saturating_sub(FINAL.len());
    memmem::find(ahead.get(from..)?, FINAL).map(|at| from + at + FINAL.len())
}

/// End of a binary list: `final` in the place of an entry.
fn end_of_list(ahead: &[u8], searched: usize) -> Option<usize> {
    let first = searched.saturating_sub(FINAL.len()) / ENTRY_SIZE;
    let mut places = (first..=ahead.len() / ENTRY_SIZE).map(|entry| entry * ENTRY_SIZE);
    places.find(|at| ahead.get(*at..).is_some_and(|rest| rest.starts_with(FINAL))).map(|at| at + FINAL.len())
}

fn list(wire: &mut Wire<'_>) -> Result {
    wire.name("list");
    let mut count = 0_usize;
    while wire.remaining() > 0 && wire.ahead() != FINAL {
        wire.group(&ENTRY, |wire| {
            wire.bytes(&ADDRESS, 4)?;
            wire.u16_be(&ENTRY_PORT)
        })?;
        count += 1;
    }
    wire.info(format_args!("{count} servers"));
    pairs(wire, |_| false, |_, _| {})
}

#[cfg(test)]
mod tests {
    use super::super::PROTOCOL;
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const LOGIN: &[(Side, &[u8])] = &[
        (Side::Server, b"\\lc\\1\\challenge\\ABCDEFGHIJ\\id\\1\\final\\"),
        (Side::Client, b"\\login\\\\challenge\\0123\\uniquenick\\falk\\response\\00ff\\id\\1\\final\\"),
        (Side::Server, b"\\lc\\2\\sesskey\\16\\proof\\0ff0\\uniquenick\\falk\\id\\1\\final\\"),
    ];
    const LIST_OF_SERVERS: &[(Side, &[u8])] = &[
        (Side::Server, b"\\basic\\\\secure\\QWERTY"),
        (Side::Client, b"\\gamename\\ut\\validate\\abcd\\final\\\\list\\cmp\\gamename\\ut\\final\\"),
        (Side::Server, b"\xc0\0\x02\x09\x1e\x62\x5cfina\x6c\\final\\"),
        (Side::Client, b"\\list\\\\gamename\\ut\\final\\"),
        (Side::Server, b"\\ip\\192.0.2.9:7778\\ip\\192.0.2.10:7778\\final\\"),
    ];

    #[test]
    fn a_login_is_a_list_of_keys_and_values() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), LOGIN), @r#"
        gamespy 0..38 | lc
          0..5 gamespy.setting
            0..1 gamespy.separator = 5c
            1..3 gamespy.setting.key = "lc"
            3..4 gamespy.separator = 5c
            4..5 gamespy.setting.value = "1"
          5..26 gamespy.setting
            5..6 gamespy.separator = 5c
            6..15 gamespy.setting.key = "challenge"
            15..16 gamespy.separator = 5c
            16..26 gamespy.setting.secret = "ABCDEFGHIJ"
          26..31 gamespy.setting
            26..27 gamespy.separator = 5c
            27..29 gamespy.setting.key = "id"
            29..30 gamespy.separator = 5c
            30..31 gamespy.setting.value = "1"
          31..38 gamespy.setting
            31..32 gamespy.separator = 5c
            32..37 gamespy.setting.key = "final"
            37..38 gamespy.separator = 5c
            38..38 gamespy.setting.value = ""
        gamespy 0..64 | login | falk
          0..7 gamespy.setting
            0..1 gamespy.separator = 5c
            1..6 gamespy.setting.key = "login"
            6..7 gamespy.separator = 5c
            7..7 gamespy.setting.value = ""
          7..22 gamespy.setting
            7..8 gamespy.separator = 5c
            8..17 gamespy.setting.key = "challenge"
            17..18 gamespy.separator = 5c
            18..22 gamespy.setting.secret = "0123"
          22..38 gamespy.setting
            22..23 gamespy.separator = 5c
            23..33 gamespy.setting.key = "uniquenick"
            33..34 gamespy.separator = 5c
            34..38 gamespy.setting.value = "falk"
          38..52 gamespy.setting
            38..39 gamespy.separator = 5c
            39..47 gamespy.setting.key = "response"
            47..48 gamespy.separator = 5c
            48..52 gamespy.setting.secret = "00ff"
          52..57 gamespy.setting
            52..53 gamespy.separator = 5c
            53..55 gamespy.setting.key = "id"
            55..56 gamespy.separator = 5c
            56..57 gamespy.setting.value = "1"
          57..64 gamespy.setting
            57..58 gamespy.separator = 5c
            58..63 gamespy.setting.key = "final"
            63..64 gamespy.separator = 5c
            64..64 gamespy.setting.value = ""
        gamespy 0..55 | lc | falk
          0..5 gamespy.setting
            0..1 gamespy.separator = 5c
            1..3 gamespy.setting.key = "lc"
            3..4 gamespy.separator = 5c
            4..5 gamespy.setting.value = "2"
          5..16 gamespy.setting
            5..6 gamespy.separator = 5c
            6..13 gamespy.setting.key = "sesskey"
            13..14 gamespy.separator = 5c
            14..16 gamespy.setting.secret = "16"
          16..27 gamespy.setting
            16..17 gamespy.separator = 5c
            17..22 gamespy.setting.key = "proof"
            22..23 gamespy.separator = 5c
            23..27 gamespy.setting.secret = "0ff0"
          27..43 gamespy.setting
            27..28 gamespy.separator = 5c
            28..38 gamespy.setting.key = "uniquenick"
            38..39 gamespy.separator = 5c
            39..43 gamespy.setting.value = "falk"
          43..48 gamespy.setting
            43..44 gamespy.separator = 5c
            44..46 gamespy.setting.key = "id"
            46..47 gamespy.separator = 5c
            47..48 gamespy.setting.value = "1"
          48..55 gamespy.setting
            48..49 gamespy.separator = 5c
            49..54 gamespy.setting.key = "final"
            54..55 gamespy.separator = 5c
            55..55 gamespy.setting.value = ""
        "#);
    }

    #[test]
    fn a_list_of_servers_is_text_or_binary() {
        let tree = trees_of(&PROTOCOL, &mut Session::default(), LIST_OF_SERVERS);
        let groups = ["gamespy.setting.key", "gamespy.setting.value", "gamespy.setting.secret", "gamespy.server"];
        insta::assert_snapshot!(crate::wire::trial::below(&tree, &groups), @r#"
        gamespy 0..21 | basic
            1..6 gamespy.setting.key = "basic"
            7..7 gamespy.setting.value = ""
            8..14 gamespy.setting.key = "secure"
            15..21 gamespy.setting.secret = "QWERTY"
        gamespy 0..33 | gamename | ut
            1..9 gamespy.setting.key = "gamename"
            10..12 gamespy.setting.value = "ut"
            13..21 gamespy.setting.key = "validate"
            22..26 gamespy.setting.secret = "abcd"
            27..32 gamespy.setting.key = "final"
            33..33 gamespy.setting.value = ""
        gamespy 0..28 | list | ut
            1..5 gamespy.setting.key = "list"
            6..9 gamespy.setting.value = "cmp"
            10..18 gamespy.setting.key = "gamename"
            19..21 gamespy.setting.value = "ut"
            22..27 gamespy.setting.key = "final"
            28..28 gamespy.setting.value = ""
        gamespy 0..13 | list | 1 servers
          0..6 gamespy.server
            0..4 gamespy.server.address = 192.0.2.9
            4..6 gamespy.server.port = 7778
            7..12 gamespy.setting.key = "final"
            13..13 gamespy.setting.value = ""
        unfinished
        "#);
    }

    #[test]
    fn a_value_may_be_missing_in_front_of_the_end() {
        let end = [(Side::Server, &b"\\nr\\1\\nick\\falk\\ndone\\final\\"[..])];
        let trees = trees_of(&PROTOCOL, &mut Session::default(), &end);
        assert!(
            trees.contains("gamespy.setting.key = \"ndone\"") && trees.contains("gamespy.setting.key = \"final\""),
            "{trees}"
        );
    }

    #[test]
    fn messages_are_recognized_by_their_first_key() {
        let judge = |recognize: fn(&Opening<'_>) -> Verdict, client: &[u8], server: &[u8], complete| {
            recognize(&Opening { sent: [client, server], from_start: [true; 2], complete })
        };
        for (side, message) in LOGIN.iter().chain(LIST_OF_SERVERS).filter(|(_, message)| message.is_ascii()) {
            let sent: [&[u8]; 2] = if *side == Side::Client { [message, b""] } else { [b"", message] };
            for recognize in [on_port, anywhere] {
                assert_eq!(judge(recognize, sent[0], sent[1], true), Verdict::Yes(Side::Server), "{}", message.escape_ascii());
            }
        }
        assert_eq!(judge(on_port, b"\\log", b"", false), Verdict::Unsure);
        assert_eq!(judge(anywhere, b"\\login\\\\challenge", b"", false), Verdict::Unsure);
        assert_eq!(judge(anywhere, b"\\login\\\\challenge", b"", true), Verdict::No);
        assert_eq!(judge(on_port, b"\\unknown\\1\\final\\", b"", true), Verdict::No);
    }

    #[test]
    fn bytes_behind_a_gap_belong_to_no_message_up_to_the_next_end() {
        let mut session = Session::default();
        session.gap(Side::Client, Missing { bytes: 9, in_step: false });
        assert_eq!(session.extent(Side::Client, b"cret\\fin", true), Extent::NeedMore(9));
        assert_eq!(session.extent(Side::Client, b"cret\\final\\\\ka\\\\final\\", true), Extent::Unknown(11));
        assert_eq!(session.extent(Side::Client, b"\\ka\\\\final\\", true), Extent::Message(11));
    }

    #[test]
    fn text_without_a_separator_in_front_is_no_message_however_it_is_cut() {
        let bytes = b"cstring\\\\final\\\\login\\\\final\\";
        for cut in 1..=bytes.len() {
            let (mut session, mut at, mut arrived, mut extents) = (Session::default(), 0, cut, Vec::new());
            while at < bytes.len() {
                match session.extent(Side::Client, &bytes[at..arrived], arrived < bytes.len()) {
                    Extent::NeedMore(_) => arrived = (arrived + cut).min(bytes.len()),
                    Extent::Message(len) => (at, extents) = (at + len, [extents, vec![(true, len)]].concat()),
                    Extent::Segment => panic!("no protocol here asks for the next segment"),
                    Extent::Unknown(len) => (at, extents) = (at + len, [extents, vec![(false, len)]].concat()),
                }
                arrived = arrived.max(at + 1).min(bytes.len());
            }
            assert_eq!(extents, [(false, 15), (true, 14)], "{cut}");
        }
    }

    #[test]
    fn damaged_messages_are_read_up_to_the_error() {
        survives_damage(&PROTOCOL, Session::default, LOGIN);
        survives_damage(&PROTOCOL, Session::default, LIST_OF_SERVERS);
    }
}
