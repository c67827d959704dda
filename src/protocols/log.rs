//! Messages of a log that another program wrote: decrypted packets with the opcode that the log states.
//!
//! The reader of such logs (`input/sniffs`) frames them so that a connection carries them. Numbers are little-endian.
//!
//! ```text
//! message   "log" | kind:1 | length:4, of what follows | opcode:4 | by kind
//!   0       payload
//!   1       n:1 | name:n | payload
//!   2       what the log states of itself, first of the server:
//!           version:2 | build:4 | locale:4 | tool:1 | n:1 | session key:n | n:1 | realm:n | rest: remark
//! ```

use crate::tree::{BySide, Names, Side, fields};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Resumption, Verdict, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&LOG, FIELDS).found(&[On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize))]);

fields! {
    LOG = protocol("log", "Log", "Messages of a log that another program wrote")
        .covers("Opcodes and names that the log states; build, locale and session key of World of Warcraft and MapleShark logs");
    MAGIC = text("log.magic", "magic", "").once();
    KIND = number("log.kind", "kind", "").names(KINDS).once();
    LENGTH = number("log.length", "length", "Bytes that follow").once();
    OPCODE = number("log.opcode", "opcode", "Opcode that the log states").hex(4).once();
    NAME_LENGTH = number("log.name_length", "name length", "").once();
    NAME = text("log.name", "name", "Name of the opcode that the log states").once();
    PAYLOAD = bytes("log.payload", "payload", "Payload without the opcode").body().once();
    VERSION = number("log.version", "version", "Version of the format").hex(4).once();
    BUILD = number("log.build", "build", "Build of the game client").once();
    LOCALE = text("log.locale", "locale", "Language or region of the game client").once();
    TOOL = number("log.tool", "tool", "Number of the program that wrote the log").once();
    KEY_LENGTH = number("log.session_key_length", "session key length", "").once();
    KEY = bytes("log.session_key", "session key", "").secret().once();
    REALM_LENGTH = number("log.realm_length", "realm length", "").once();
    REALM = text("log.realm", "realm", "Name of the realm").once();
    REMARK = text("log.remark", "remark", "Text about the log").once();
}

const KINDS: Names = &[(0, "message"), (1, "named message"), (2, "header")];
const NAMED: u8 = 1;
const HEADER: u8 = 2;

/// Bytes before what the length counts.
const UNCOUNTED: usize = 8;

/// The name under which payloads are handed over.
pub const PLACE: &str = "log";

/// Size of the message at the start of these bytes, and whether it is a header; `None` if they begin none.
#[must_use]
pub fn framed(bytes: &[u8]) -> Option<(usize, bool)> {
    size(bytes).map(|size| (size, bytes.get(3) == Some(&HEADER)))
}

/// Size of the message at the start of these bytes; `None` if they begin none.
fn size(bytes: &[u8]) -> Option<usize> {
    let (head, _) = bytes.split_first_chunk::<UNCOUNTED>()?;
    let [b'l', b'o', b'g', 0..=HEADER, length @ ..] = *head else { return None };
    let length = usize::try_from(u32::from_le_bytes(length)).ok()?;
    (4..1 << 28).contains(&length).then_some(UNCOUNTED + length)
}

/// Whether bytes that are too few for a header may begin one.
fn may_begin(bytes: &[u8]) -> bool {
    bytes.len() < UNCOUNTED
        && b"log".iter().zip(bytes).all(|(magic, byte)| magic == byte)
        && bytes.get(3).is_none_or(|kind| *kind <= HEADER)
}

fn recognize(opening: &Opening<'_>) -> Verdict {
    let mut verdict = Verdict::No;
    for bytes in opening.sent.into_iter().filter(|bytes| !bytes.is_empty()) {
        match size(bytes) {
            Some(_) => verdict = Verdict::Yes(Side::Server),
            None if may_begin(bytes) && !opening.complete => return Verdict::Unsure,
            None => return Verdict::No,
        }
    }
    verdict
}

/// State of a connection.
#[derive(Default)]
struct Session {
    /// Bytes were lost, so the next message has to be searched for.
    lost: BySide<bool>,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if self.lost[from] {
            let begins = |at: &usize| ahead.get(*at..).is_some_and(|bytes| size(bytes).is_some());
            match memchr::memmem::find_iter(ahead, b"log").find(begins) {
                Some(0) => self.lost[from] = false,
                Some(at) => return Extent::Unknown(at),
                None if more && ahead.len() < UNCOUNTED => return Extent::NeedMore(UNCOUNTED),
                None => return Extent::Unknown(ahead.len().saturating_sub(UNCOUNTED).max(1)),
            }
        }
        match size(ahead) {
            Some(size) => Extent::Message(size),
            None if may_begin(ahead) => Extent::NeedMore(UNCOUNTED),
            None => Extent::Unknown(ahead.len()),
        }
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        wire.text(&MAGIC, 3)?;
        let kind = wire.u8(&KIND)?;
        wire.u32_le(&LENGTH)?;
        let opcode = wire.u32_le(&OPCODE)?;
        if kind == HEADER {
            return header(wire);
        }
        if kind == NAMED {
            let length = wire.u8(&NAME_LENGTH)?;
            let name = wire.text(&NAME, length.into())?;
            wire.name(&String::from_utf8_lossy(name));
        } else {
            wire.name(std::str::from_utf8(&digits(opcode)).unwrap_or_default().trim_end_matches('\0'));
        }
        let payload = wire.at()..wire.at() + wire.remaining();
        wire.rest(&PAYLOAD);
        if !payload.is_empty() {
            wire.offer_with(PLACE, payload, opcode.into());
        }
        Ok(())
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost[from] = !missing.in_step;
    }

    fn may_hold_secret(&self, _: Side, ahead: &[u8]) -> bool {
        ahead.get(3) == Some(&HEADER)
    }

    fn resumes(&self, _: Side, ahead: &[u8]) -> Resumption {
        Resumption::search(ahead, UNCOUNTED - 1, |bytes| size(bytes).is_some())
    }
}

/// An opcode as hexadecimal digits, at least four, and NUL.
fn digits(opcode: u32) -> [u8; 10] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let width = (8 - opcode.leading_zeros() / 4).max(4);
    let mut text = *b"0x\0\0\0\0\0\0\0\0";
    for (place, at) in text.iter_mut().skip(2).zip((0..width).rev()) {
        *place = DIGITS.get((opcode >> (4 * at)) as usize & 15).copied().unwrap_or_default();
    }
    text
}

/// What the log states of itself.
fn header(wire: &mut Wire<'_>) -> Result {
    wire.name("header");
    let version = wire.u16_le(&VERSION)?;
    let build = wire.u32_le(&BUILD)?;
    let locale = wire.ahead().iter().take(4).take_while(|byte| **byte != 0).count();
    wire.words(&LOCALE, 4, 0..locale)?;
    wire.u8(&TOOL)?;
    let key = wire.u8(&KEY_LENGTH)?;
    wire.secret_bytes(&KEY, key.into())?;
    let realm = wire.u8(&REALM_LENGTH)?;
    wire.text(&REALM, realm.into())?;
    wire.rest(&REMARK);
    wire.info(format_args!("version {version:#x}, build {build}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const TALK: &[(Side, &[u8])] = &[
        (Side::Server, b"log\x02\x18\0\0\0\0\0\0\0\x01\x03\x34\x30\0\0enUST\x02\xaa\xbb\x03Ahnhi"),
        (Side::Client, b"log\0\x06\0\0\0\xdc\x01\0\0\x07\x08"),
        (Side::Server, b"log\x01\x0a\0\0\0\xdd\x01\0\0\x04PONG\x07"),
    ];

    #[test]
    fn messages_have_the_opcode_and_the_name_of_the_log() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
        log 0..32 | header | version 0x301, build 12340
          0..3 log.magic = "log"
          3..4 log.kind = 2 (header)
          4..8 log.length = 24
          8..12 log.opcode = 0x0000
          12..14 log.version = 0x0301
          14..18 log.build = 12340
          18..22 log.locale = "enUS"
          22..23 log.tool = 84
          23..24 log.session_key_length = 2
          24..26 log.session_key = aabb
          26..27 log.realm_length = 3
          27..30 log.realm = "Ahn"
          30..32 log.remark = "hi"
        log 0..14 | 0x01dc
          0..3 log.magic = "log"
          3..4 log.kind = 0 (message)
          4..8 log.length = 6
          8..12 log.opcode = 0x01dc
          12..14 log.payload = 0708
        log 0..18 | PONG
          0..3 log.magic = "log"
          3..4 log.kind = 1 (named message)
          4..8 log.length = 10
          8..12 log.opcode = 0x01dd
          12..13 log.name_length = 4
          13..17 log.name = "PONG"
          17..18 log.payload = 07
        "#);
        survives_damage(&PROTOCOL, Session::default, TALK);
    }

    #[test]
    fn messages_are_found_again_behind_lost_bytes() {
        let mut session = Session::default();
        session.gap(Side::Server, Missing { bytes: 10, in_step: false });
        let bytes = b"xlog\x01\x0a\0\0\0\xdd\x01\0\0\x04PONG\x07";
        assert_eq!(session.extent(Side::Server, bytes, true), Extent::Unknown(1));
        assert_eq!(session.extent(Side::Server, &bytes[1..], true), Extent::Message(18));
        assert_eq!(session.extent(Side::Client, b"what is this", true), Extent::Unknown(12));
    }

    #[test]
    fn opcodes_have_at_least_four_digits() {
        let text = |opcode| String::from_utf8(digits(opcode).to_vec()).unwrap().trim_end_matches('\0').to_owned();
        assert_eq!([0, 0x1dc, 0x35_0001, u32::MAX].map(text), ["0x0000", "0x01dc", "0x350001", "0xffffffff"]);
    }
}
