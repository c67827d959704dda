//! NetBIOS session service (RFC 1002), and SMB directly over TCP.
//!
//! ```text
//! message     type:1 | flags:1, the lowest bit extends the length | length:2 | contents
//! port 445    type:1 | length:3 | contents
//!   00 session message     81 request: called name | calling name     82 positive response
//!   83 negative response: error:1     84 retarget: address:4 | port:2     85 keepalive
//! ```

use super::nbns;
use super::prefixed::{odd_extent, odd_messages};
use crate::limits;
use crate::tree::{BySide, Names, Side, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Resumption, Verdict, Wire};
use memchr::memmem;

pub static PROTOCOL: Protocol = Protocol::new(&NBSS, FIELDS)
    .found(&[
        On::Tcp(139).stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(445).stream::<Session>(Heuristic::Stream(recognize)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(139).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
        On::Tcp(445).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    NBSS = protocol("nbss", "NBSS", "NetBIOS Session Service").covers("All messages; SMB 1 and 2 inside, also directly over TCP");
    TYPE = number("nbss.type", "Message Type", "").hex(2).names(TYPES).once();
    LENGTH = number("nbss.length", "Length", "Of the contents, in bytes").once();
    CALLED = text("nbss.called_name", "Called name", "").once();
    CALLING = text("nbss.calling_name", "Calling name", "").once();
    ERROR = number("nbss.error_code", "Error code", "").hex(2).names(ERRORS).once();
    RETARGET = ipv4("nbss.retarget_ip_address", "Retarget IP address", "").once();
    PORT = number("nbss.retarget_port", "Retarget port", "").once();
    DATA = bytes("nbss.continuation_data", "Continuation data", "Undissected bytes");
}

const TYPES: Names = &[
    (0x00, "Session message"),
    (0x81, "Session request"),
    (0x82, "Positive session response"),
    (0x83, "Negative session response"),
    (0x84, "Retarget session response"),
    (0x85, "Session keep-alive"),
];
const ERRORS: Names = &[
    (0x80, "Not listening on called name"),
    (0x81, "Not listening for called name"),
    (0x82, "Called name not present"),
    (0x83, "Called name present, but insufficient resources"),
    (0x8f, "Unspecified error"),
];

const HEADER: usize = 4;
/// Beginnings of SMB 1, SMB 2, and of encrypted and compressed messages.
const CONTENTS: [&[u8]; 4] = [b"\xffSMB", b"\xfeSMB", b"\xfdSMB", b"\xfcSMB"];

fn begins_smb(bytes: &[u8]) -> bool {
    CONTENTS.iter().any(|start| bytes.starts_with(start))
}

/// Size of the message at the start of the bytes; `None` if there is none.
fn size(bytes: &[u8]) -> Option<usize> {
    let &[kind, a, b, c] = bytes.first_chunk()?;
    let length = u32::from_be_bytes([0, a, b, c]) as usize;
    let fits = match kind {
        0x00 => {
            let contents = bytes.get(HEADER..(HEADER + 4).min(bytes.len())).unwrap_or_default();
            length > 4 && (contents.len() < 4 || begins_smb(contents))
        }
        0x81 => a < 2 && length >= 68,
        0x82 | 0x85 => length == 0,
        0x83 => length == 1,
        0x84 => length == 6,
        _ => false,
    };
    fits.then_some(HEADER + length)
}

/// Size of a message of an unknown type or with unknown contents.
fn odd_size(bytes: &[u8]) -> Option<usize> {
    let &[_, a, b, c] = bytes.first_chunk()?;
    Some(HEADER + u32::from_be_bytes([0, a, b, c]) as usize)
}

/// Recognizes complete messages of an unknown type or with unknown contents.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    odd_messages(opening, |_| Side::Server, |bytes| odd_size(bytes).or(Some(HEADER)))
}

/// Offset of the next message with contents.
fn next(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"SMB").filter_map(|at| at.checked_sub(HEADER + 1)).find(|at| {
        let ahead = bytes.get(*at..).unwrap_or_default();
        ahead.first() == Some(&0) && size(ahead).is_some()
    })
}

/// Recognizes a session message with contents.
fn anywhere(opening: &Opening<'_>) -> Verdict {
    let begins = |side: &Side| {
        let bytes = opening.of(*side);
        bytes.get(HEADER..).is_some_and(begins_smb) && bytes.starts_with(&[0]) && size(bytes).is_some()
    };
    match Side::BOTH.into_iter().find(begins) {
        Some(side) => {
            // Bit 0 of the flags of SMB 2, and bit 7 of those of SMB 1, is set in responses.
            let bytes = opening.of(side).get(HEADER..).unwrap_or_default();
            let is_response = match bytes.first() {
                Some(0xfe) => bytes.get(16).is_some_and(|flags| flags & 1 != 0),
                _ => bytes.get(9).is_some_and(|flags| flags & 0x80 != 0),
            };
            Verdict::Yes(if is_response { side } else { side.other() })
        }
        None => Verdict::No,
    }
}

/// Recognizes any message on the ports of the service.
fn recognize(opening: &Opening<'_>) -> Verdict {
    let begins = |side: &Side| {
        let bytes = opening.of(*side);
        bytes.len() >= HEADER && size(bytes).is_some() || !opening.starts(*side) && next(bytes).is_some()
    };
    match anywhere(opening) {
        Verdict::No if Side::BOTH.iter().any(begins) => Verdict::Yes(Side::Server),
        Verdict::No if !opening.complete && opening.sent.iter().all(|bytes| bytes.len() < HEADER) => Verdict::Unsure,
        verdict => verdict,
    }
}

/// A connection; SMB itself remembers requests.
#[derive(Default)]
struct Session {
    /// Directions that lost bytes, until a message of a known type begins.
    lost: BySide<bool>,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(whole) = odd_size(ahead) else { return Extent::NeedMore(HEADER) };
        // The contents tell a message from unknown bytes.
        let needed = whole.min(HEADER + CONTENTS[0].len());
        if more && ahead.len() < needed {
            return Extent::NeedMore(needed);
        }
        if let Some(size) = size(ahead) {
            self.lost[from] = false;
            return Extent::Message(size);
        }
        if !self.lost[from]
            && whole > HEADER
            && let Some(extent) = odd_extent(whole, ahead, more, |_| true)
        {
            return extent;
        }
        let searched = ahead.get(..limits::STREAM_MESSAGE.get()).unwrap_or(ahead);
        Extent::Unknown(next(searched).unwrap_or(ahead.len()))
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost[from] |= !missing.in_step;
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        if size(wire.ahead()).is_none() {
            wire.note_unusual(format_args!("recognized by its length alone"));
        }
        let kind = wire.u8(&TYPE)?;
        let length = wire.u24_be(&LENGTH)?;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        match kind {
            0x00 => {
                wire.info(format_args!("{length} bytes"));
                let range = wire.at()..wire.at() + wire.remaining();
                wire.hand_over("nbss", range.clone());
                wire.skip(range.len())
            }
            0x81 => {
                let called = nbns::name(wire, &CALLED)?;
                let calling = nbns::name(wire, &CALLING)?;
                wire.info(format_args!("{calling} → {called}"));
                Ok(())
            }
            0x83 => wire.u8(&ERROR).map(drop),
            0x84 => {
                wire.bytes(&RETARGET, 4)?;
                wire.u16_be(&PORT).map(drop)
            }
            _ => wire.rest_is(&DATA),
        }
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        let begins = |bytes: &[u8]| {
            matches!(bytes, [0, _, _, _, 0xfc..=0xff, b'S', b'M', b'B', ..] | [0x81, 0, 0, 68, ..] | [0x85, 0, 0, 0, ..])
        };
        if from == Side::Client { Resumption::search(ahead, HEADER + 3, begins) } else { Resumption::Anywhere }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        /// Offset of the command in SMB 1 and in SMB 2.
        const COMMANDS: [usize; 2] = [HEADER + 4, HEADER + 12];
        // Session setups contain password proofs, and tree connections of SMB 1 contain share passwords.
        let [first, second] = COMMANDS.map(|at| ahead.get(at).copied());
        from == Side::Client && (matches!(first, None | Some(0x70 | 0x73 | 0x75)) || matches!(second, None | Some(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const CALLED_NAME: &[u8] = b" CKFDENECFDEFFCFGEFFCCACACACACACA\0";
    const CALLING_NAME: &[u8] = b" EGFCEFEEECACACACACACACACACACACAA\0";

    fn talk() -> Vec<(Side, Vec<u8>)> {
        vec![
            (Side::Client, [b"\x81\0\0\x44", CALLED_NAME, CALLING_NAME].concat()),
            (Side::Server, b"\x82\0\0\0".to_vec()),
            (Side::Client, b"\0\0\0\x08\xfeSMB@\0\0\0".to_vec()),
            (Side::Client, b"\x85\0\0\0".to_vec()),
            (Side::Server, b"\x83\0\0\x01\x82".to_vec()),
            (Side::Server, b"\x84\0\0\x06\xc0\0\x02\x01\0\x8b".to_vec()),
        ]
    }

    #[test]
    fn all_messages_are_dissected() {
        let talk = talk();
        let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &lines), @r#"
        nbss 0..72 | Session request | FREDB<02><02><02><02><02><02><02><02><02><02><00> → *SMBSERVER<20>
          0..1 nbss.type = 0x81 (Session request)
          1..4 nbss.length = 68
          4..38 nbss.called_name = "*SMBSERVER<20>"
          38..72 nbss.calling_name = "FREDB<02><02><02><02><02><02><02><02><02><02><00>"
        nbss 0..4 | Positive session response
          0..1 nbss.type = 0x82 (Positive session response)
          1..4 nbss.length = 0
        nbss 0..12 | Session message | 8 bytes
          0..1 nbss.type = 0x00 (Session message)
          1..4 nbss.length = 8
        nbss 0..4 | Session keep-alive
          0..1 nbss.type = 0x85 (Session keep-alive)
          1..4 nbss.length = 0
        nbss 0..5 | Negative session response
          0..1 nbss.type = 0x83 (Negative session response)
          1..4 nbss.length = 1
          4..5 nbss.error_code = 0x82 (Called name not present)
        nbss 0..10 | Retarget session response
          0..1 nbss.type = 0x84 (Retarget session response)
          1..4 nbss.length = 6
          4..8 nbss.retarget_ip_address = 192.0.2.1
          8..10 nbss.retarget_port = 139
        "#);
        survives_damage(&PROTOCOL, Session::default, &lines);
    }

    #[test]
    fn the_next_message_is_found_after_a_gap() {
        let mut session = Session::default();
        session.gap(Side::Client, Missing { bytes: 1, in_step: false });
        assert_eq!(session.extent(Side::Client, b"SMBxxx\0\0\0\x08\xfeSMB@\0\0\0", true), Extent::Unknown(6));
        assert_eq!(session.extent(Side::Client, b"xxxxx", false), Extent::Unknown(5));
        assert_eq!(session.extent(Side::Client, &[0; 12], true), Extent::Unknown(12));
    }

    #[test]
    fn streams_are_recognized_by_their_contents() {
        let judge = |client: &[u8], server: &[u8], complete| {
            let opening = Opening { sent: [client, server], from_start: [true; 2], complete };
            (anywhere(&opening), recognize(&opening))
        };
        let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
        assert_eq!(judge(b"\0\0\0\x08\xfeSMB@\0\0\0", b"", true), (yes, yes));
        assert_eq!(judge(b"", b"\x82\0\0\0", true), (no, yes));
        assert_eq!(judge(b"\0\0", b"", false), (no, Verdict::Unsure));
        assert_eq!(judge(b"GET / HTTP/1.1\r\n", b"", true), (no, no));
    }
}
