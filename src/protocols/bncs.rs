//! Battle.net chat server protocol (BNCS) of Diablo, StarCraft, Warcraft II and III, and servers compatible with it.
//!
//! Numbers are little-endian, texts end with a NUL.
//!
//! ```text
//! client      1, then messages
//! message     ff | ID:1 | length:2, header included | body
//!   0a enter chat         name | statstring
//!   0e chat command       text
//!   0f chat event         event:4 | flags:4 | ping:4 | address:4 | account:4 | registrar:4 | name | text
//!   25 ping               cookie:4
//!   50 auth info          protocol:4 | platform:4 | product:4 | version:4 | language:4 | address:4 | time zone:4 | locale:4
//!                         | language:4 | country | country name                                   from clients
//! ```
//! Not covered: bodies of other messages, shown as bytes.

use crate::tree::{Field, Names, Side, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&BNCS, FIELDS)
    .found(&[
        On::Tcp(6112).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
    ])
    .rest(&DATA);

fields! {
    BNCS = protocol("bncs", "BNCS", "Battle.net chat server protocol")
        .covers("Framing and names of all messages; chat, ping and the client's information")
        .leaves_open("Bodies of other messages, shown as bytes");
    SELECTOR = number("bncs.protocol", "protocol", "1 for games").once();
    SIGNATURE = number("bncs.signature", "signature", "0xff").hex(2).once();
    ID = number("bncs.id", "message ID", "").hex(2).names(IDS).once();
    LENGTH = number("bncs.length", "length", "Bytes of the message").once();
    NAME = text("bncs.username", "name", "").once();
    STATSTRING = text("bncs.statstring", "statstring", "").once();
    TEXT = text("bncs.text", "text", "").once();
    EVENT = number("bncs.event", "event", "").names(EVENTS).once();
    FLAGS = number("bncs.flags", "flags", "").hex(8).once();
    PING = number("bncs.ping", "ping", "Milliseconds").once();
    ADDRESS = ipv4("bncs.address", "address", "").once();
    ACCOUNT = number("bncs.account", "account number", "").once();
    REGISTRAR = number("bncs.registrar", "registration authority", "").once();
    COOKIE = number("bncs.cookie", "cookie", "Returned by the receiver").hex(8).once();
    PROTOCOL_ID = number("bncs.protocol_id", "protocol ID", "").once();
    PLATFORM = text("bncs.platform", "platform", "Letters in reverse order").once();
    PRODUCT = text("bncs.product", "product", "Letters in reverse order").once();
    VERSION = number("bncs.version", "version byte", "").hex(8).once();
    LANGUAGE = text("bncs.language", "language", "Letters in reverse order").once();
    TIME_ZONE = number("bncs.time_zone", "time zone", "Minutes behind UTC").once();
    LOCALE_ID = number("bncs.locale_id", "locale ID", "").once();
    LANGUAGE_ID = number("bncs.language_id", "language ID", "").once();
    COUNTRY = text("bncs.country", "country", "").once();
    COUNTRY_NAME = text("bncs.country_name", "country name", "").once();
    DATA = bytes("bncs.data", "data", "Undissected bytes");
}

const IDS: Names = &[
    (0x00, "SID_NULL"),
    (0x02, "SID_STOPADV"),
    (0x04, "SID_SERVERLIST"),
    (0x05, "SID_CLIENTID"),
    (0x06, "SID_STARTVERSIONING"),
    (0x07, "SID_REPORTVERSION"),
    (0x08, "SID_STARTADVEX"),
    (0x09, "SID_GETADVLISTEX"),
    (0x0a, "SID_ENTERCHAT"),
    (0x0b, "SID_GETCHANNELLIST"),
    (0x0c, "SID_JOINCHANNEL"),
    (0x0e, "SID_CHATCOMMAND"),
    (0x0f, "SID_CHATEVENT"),
    (0x10, "SID_LEAVECHAT"),
    (0x12, "SID_LOCALEINFO"),
    (0x13, "SID_FLOODDETECTED"),
    (0x14, "SID_UDPPINGRESPONSE"),
    (0x15, "SID_CHECKAD"),
    (0x16, "SID_CLICKAD"),
    (0x19, "SID_MESSAGEBOX"),
    (0x1a, "SID_STARTADVEX2"),
    (0x1b, "SID_GAMEDATAADDRESS"),
    (0x1c, "SID_STARTADVEX3"),
    (0x1d, "SID_LOGONCHALLENGEEX"),
    (0x1e, "SID_CLIENTID2"),
    (0x1f, "SID_LEAVEGAME"),
    (0x21, "SID_DISPLAYAD"),
    (0x22, "SID_NOTIFYJOIN"),
    (0x25, "SID_PING"),
    (0x26, "SID_READUSERDATA"),
    (0x27, "SID_WRITEUSERDATA"),
    (0x28, "SID_LOGONCHALLENGE"),
    (0x29, "SID_LOGONRESPONSE"),
    (0x2a, "SID_CREATEACCOUNT"),
    (0x2c, "SID_GAMERESULT"),
    (0x2d, "SID_GETICONDATA"),
    (0x2e, "SID_GETLADDERDATA"),
    (0x2f, "SID_FINDLADDERUSER"),
    (0x30, "SID_CDKEY"),
    (0x31, "SID_CHANGEPASSWORD"),
    (0x33, "SID_GETFILETIME"),
    (0x35, "SID_PROFILE"),
    (0x36, "SID_CDKEY2"),
    (0x3a, "SID_LOGONRESPONSE2"),
    (0x3d, "SID_CREATEACCOUNT2"),
    (0x3e, "SID_LOGONREALMEX"),
    (0x40, "SID_QUERYREALMS2"),
    (0x44, "SID_WARCRAFTGENERAL"),
    (0x45, "SID_NETGAMEPORT"),
    (0x46, "SID_NEWS_INFO"),
    (0x4a, "SID_OPTIONALWORK"),
    (0x4b, "SID_EXTRAWORK"),
    (0x4c, "SID_REQUIREDWORK"),
    (0x50, "SID_AUTH_INFO"),
    (0x51, "SID_AUTH_CHECK"),
    (0x52, "SID_AUTH_ACCOUNTCREATE"),
    (0x53, "SID_AUTH_ACCOUNTLOGON"),
    (0x54, "SID_AUTH_ACCOUNTLOGONPROOF"),
    (0x55, "SID_AUTH_ACCOUNTCHANGE"),
    (0x56, "SID_AUTH_ACCOUNTCHANGEPROOF"),
    (0x59, "SID_SETEMAIL"),
    (0x65, "SID_FRIENDSLIST"),
    (0x66, "SID_FRIENDSUPDATE"),
    (0x67, "SID_FRIENDSADD"),
    (0x68, "SID_FRIENDSREMOVE"),
    (0x69, "SID_FRIENDSPOSITION"),
    (0x75, "SID_CLANINFO"),
];

const EVENTS: Names = &[
    (1, "Show user"),
    (2, "Join"),
    (3, "Leave"),
    (4, "Whisper"),
    (5, "Talk"),
    (6, "Broadcast"),
    (7, "Channel"),
    (9, "User flags"),
    (10, "Whisper sent"),
    (13, "Channel full"),
    (14, "Channel does not exist"),
    (15, "Channel restricted"),
    (18, "Information"),
    (19, "Error"),
    (23, "Emote"),
];

/// First byte of a message.
const MARK: u8 = 0xff;
const HEADER: usize = 4;
/// Largest first message that is recognized in bytes.
const FIRST_MAX: usize = 1024;
/// The client's first byte.
const GAMES: u8 = 1;

const ENTER_CHAT: u8 = 0x0a;
const CHAT_COMMAND: u8 = 0x0e;
const CHAT_EVENT: u8 = 0x0f;
const PING_ID: u8 = 0x25;
const AUTH_INFO: u8 = 0x50;

/// Size of the message at the start of the bytes, if its header is one.
fn size(bytes: &[u8]) -> Option<usize> {
    let &[MARK, id, low, high] = bytes.first_chunk()? else { return None };
    let length = usize::from(u16::from_le_bytes([low, high]));
    (length >= HEADER && name_of(IDS, id.into()).is_some()).then_some(length)
}

/// Whether the bytes are messages in a row, the last of which may be incomplete.
fn are_messages(mut bytes: &[u8]) -> bool {
    let is_empty = bytes.is_empty();
    while bytes.len() >= HEADER {
        let Some(size) = size(bytes) else { return false };
        bytes = bytes.get(size..).unwrap_or_default();
    }
    !is_empty && (bytes.is_empty() || bytes.first() == Some(&MARK))
}

/// Whether a client begins with its information: the platform is IX86, PMAC or XMAC.
fn is_auth_info(client: &[u8]) -> bool {
    let message = client.strip_prefix(&[GAMES]).unwrap_or_default();
    let platform = message.get(HEADER + 4..HEADER + 8);
    matches!(message, [MARK, AUTH_INFO, ..]) && matches!(platform, Some(b"68XI" | b"CAMP" | b"CAMX")) && are_messages(message)
}

/// Recognizes a client's selector and messages, or messages of a connection joined midway.
fn on_port(opening: &Opening<'_>) -> Verdict {
    for side in Side::BOTH {
        let bytes = opening.of(side);
        let messages = bytes.strip_prefix(&[GAMES]).filter(|_| opening.starts(side)).unwrap_or(bytes);
        if size(messages).is_some_and(|size| size <= FIRST_MAX) && are_messages(messages) {
            return if bytes.len() > messages.len() { Verdict::Yes(side.other()) } else { Verdict::Yes(Side::Server) };
        }
        if matches!(bytes, [GAMES] | [GAMES, MARK, ..] | [MARK, ..]) && bytes.len() <= HEADER && !opening.complete {
            return Verdict::Unsure;
        }
    }
    Verdict::No
}

fn anywhere(opening: &Opening<'_>) -> Verdict {
    let client = Side::BOTH.into_iter().find(|side| opening.starts(*side) && is_auth_info(opening.of(*side)));
    client.map_or(Verdict::No, |client| Verdict::Yes(client.other()))
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Whether the client's first byte was read, or is not captured.
    is_selected: bool,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        if from == Side::Client && !self.is_selected && ahead.first() == Some(&GAMES) {
            return Extent::Message(1);
        }
        if ahead.len() < HEADER {
            return Extent::NeedMore(HEADER);
        }
        match size(ahead) {
            Some(size) => Extent::Message(size),
            // Messages begin with the same byte.
            None => Extent::Unknown(ahead.iter().skip(1).position(|byte| *byte == MARK).map_or(ahead.len(), |at| at + 1)),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let is_selector = from == Side::Client && !self.is_selected && wire.peek_u8() == Some(GAMES);
        self.is_selected |= from == Side::Client;
        if is_selector {
            wire.name("protocol");
            return wire.u8(&SELECTOR).map(drop);
        }
        wire.u8(&SIGNATURE)?;
        let id = wire.u8(&ID)?;
        wire.u16_le(&LENGTH)?;
        wire.name(name_of(IDS, id.into()).unwrap_or("unknown message"));
        match (id, from) {
            (PING_ID, _) => drop(wire.u32_le(&COOKIE)?),
            (CHAT_COMMAND, Side::Client) => text(wire, &TEXT)?,
            (ENTER_CHAT, Side::Client) => {
                text(wire, &NAME)?;
                wire.text_nul(&STATSTRING)?;
            }
            (CHAT_EVENT, Side::Server) => chat_event(wire)?,
            (AUTH_INFO, Side::Client) => auth_info(wire)?,
            _ => {}
        }
        wire.rest_is(&DATA)
    }

    fn gap(&mut self, from: Side, _: Missing) {
        self.is_selected |= from == Side::Client;
    }
}

/// Dissects a text and shows it in the heading.
fn text(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    let text = String::from_utf8_lossy(wire.text_nul(field)?);
    wire.info(format_args!("{}", wire.masked(&text)));
    Ok(())
}

fn chat_event(wire: &mut Wire<'_>) -> Result {
    let event = wire.u32_le(&EVENT)?;
    wire.u32_le(&FLAGS)?;
    wire.i32_le(&PING)?;
    wire.bytes(&ADDRESS, 4)?;
    wire.u32_le(&ACCOUNT)?;
    wire.u32_le(&REGISTRAR)?;
    let [name, text] = [wire.text_nul(&NAME)?, wire.text_nul(&TEXT)?].map(String::from_utf8_lossy);
    let event = name_of(EVENTS, event.into()).unwrap_or("unknown event");
    wire.info(format_args!("{event}, {name}: {}", wire.masked(&text)));
    Ok(())
}

fn auth_info(wire: &mut Wire<'_>) -> Result {
    wire.u32_le(&PROTOCOL_ID)?;
    wire.text(&PLATFORM, 4)?;
    let product: Vec<u8> = wire.text(&PRODUCT, 4)?.iter().rev().copied().collect();
    wire.info(format_args!("{}", String::from_utf8_lossy(&product)));
    wire.u32_le(&VERSION)?;
    wire.text(&LANGUAGE, 4)?;
    wire.bytes(&ADDRESS, 4)?;
    wire.i32_le(&TIME_ZONE)?;
    wire.u32_le(&LOCALE_ID)?;
    wire.u32_le(&LANGUAGE_ID)?;
    wire.text_nul(&COUNTRY)?;
    wire.text_nul(&COUNTRY_NAME).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    use Side::{Client as C, Server as S};

    const OPENS: &[u8] =
        b"\x01\xff\x50\x31\0\0\0\0\x0068XIPXES\xd3\0\0\0SUne\xc0\0\x02\x14\xc4\xff\xff\xff\x09\x04\0\0\x09\x04\0\0USA\0Quay\0";
    const SAID: &[(Side, &[u8])] = &[
        (C, OPENS),
        (S, b"\xff\x25\x08\0\x01\x02\x03\x04"),
        (C, b"\xff\x25\x08\0\x01\x02\x03\x04\xff\x0a\x0a\0moss\0\0\xff\x0e\x0a\0hello\0"),
        (S, b"\xff\x0f\x27\0\x05\0\0\0\0\0\0\0\x3c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0moss\0hello\0"),
        (S, b"\xff\x0b\x06\0\0\0"),
    ];

    #[test]
    fn a_session_is_dissected() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), SAID), @r#"
        bncs 0..1 | protocol
          0..1 bncs.protocol = 1
        bncs 0..49 | SID_AUTH_INFO | SEXP
          0..1 bncs.signature = 0xff
          1..2 bncs.id = 0x50 (SID_AUTH_INFO)
          2..4 bncs.length = 49
          4..8 bncs.protocol_id = 0
          8..12 bncs.platform = "68XI"
          12..16 bncs.product = "PXES"
          16..20 bncs.version = 0x000000d3
          20..24 bncs.language = "SUne"
          24..28 bncs.address = 192.0.2.20
          28..32 bncs.time_zone = -60
          32..36 bncs.locale_id = 1033
          36..40 bncs.language_id = 1033
          40..44 bncs.country = "USA"
          44..49 bncs.country_name = "Quay"
        bncs 0..8 | SID_PING
          0..1 bncs.signature = 0xff
          1..2 bncs.id = 0x25 (SID_PING)
          2..4 bncs.length = 8
          4..8 bncs.cookie = 0x04030201
        bncs 0..8 | SID_PING
          0..1 bncs.signature = 0xff
          1..2 bncs.id = 0x25 (SID_PING)
          2..4 bncs.length = 8
          4..8 bncs.cookie = 0x04030201
        bncs 0..10 | SID_ENTERCHAT | moss
          0..1 bncs.signature = 0xff
          1..2 bncs.id = 0x0a (SID_ENTERCHAT)
          2..4 bncs.length = 10
          4..9 bncs.username = "moss"
          9..10 bncs.statstring = ""
        bncs 0..10 | SID_CHATCOMMAND | hello
          0..1 bncs.signature = 0xff
          1..2 bncs.id = 0x0e (SID_CHATCOMMAND)
          2..4 bncs.length = 10
          4..10 bncs.text = "hello"
        bncs 0..39 | SID_CHATEVENT | Talk, moss: hello
          0..1 bncs.signature = 0xff
          1..2 bncs.id = 0x0f (SID_CHATEVENT)
          2..4 bncs.length = 39
          4..8 bncs.event = 5 (Talk)
          8..12 bncs.flags = 0x00000000
          12..16 bncs.ping = 60
          16..20 bncs.address = 0.0.0.0
          20..24 bncs.account = 0
          24..28 bncs.registrar = 0
          28..33 bncs.username = "moss"
          33..39 bncs.text = "hello"
        bncs 0..6 | SID_GETCHANNELLIST
          0..1 bncs.signature = 0xff
          1..2 bncs.id = 0x0b (SID_GETCHANNELLIST)
          2..4 bncs.length = 6
          4..6 bncs.data = 0000
        "#);
        survives_damage(&PROTOCOL, Session::default, SAID);
    }

    #[test]
    fn sessions_are_recognized_by_their_first_message() {
        let judge = |client: &[u8], server: &[u8], start, complete| {
            let opening = Opening { sent: [client, server], from_start: [start; 2], complete };
            [on_port(&opening), anywhere(&opening)]
        };
        assert_eq!(judge(OPENS, b"", true, false), [Verdict::Yes(S); 2]);
        assert_eq!(judge(b"\x01", b"", true, false), [Verdict::Unsure, Verdict::No]);
        assert_eq!(judge(SAID[2].1, b"", false, true), [Verdict::Yes(S), Verdict::No]);
        for other in [&b"\x01\xff\x03\x08\0"[..], b"GET / HTTP/1.1\r\n", b"\xff\x25\x03\0", b"\x01"] {
            assert_eq!(judge(other, b"", true, true), [Verdict::No; 2], "{other:?}");
        }
    }

    #[test]
    fn a_message_is_found_after_a_gap() {
        let mut session = Session::default();
        session.gap(S, Missing { bytes: 7, in_step: false });
        assert_eq!(session.extent(S, b"abc\xff\x25\x08\0\x01\x02\x03\x04", true), Extent::Unknown(3));
        assert_eq!(session.extent(S, b"\xff\x25\x08\0\x01\x02\x03\x04", true), Extent::Message(8));
    }
}
