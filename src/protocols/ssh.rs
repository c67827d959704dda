//! SSH (RFC 4253): identification strings and algorithm negotiation; later packets are encrypted.
//!
//! ```text
//! identification  SSH-2.0-software [SP comment] CRLF
//! packet          length:4 | padding length:1 | code:1 | payload | padding
//! kexinit         20 | cookie:16 | ten name-lists with length:4 each | first_kex_packet_follows:1 | 0:4
//! ```
//! After its `NEWKEYS` a side encrypts; the available bytes then form one message.
//!
//! ```text
//! version 1       length:4 | padding:8 - length % 8 | type:1 | payload | CRC-32:4
//! ```
//! In version 1, all but the lengths is encrypted after the first packet of each side.
//!
//! Not covered: contents of the key exchange.

use super::lines;
use crate::tree::{BySide, Field, Names, Side, Value, fields, name_of};
use crate::wire::{Conversation, Error, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire};
use md5::{Digest as _, Md5};

pub static PROTOCOL: Protocol = Protocol::new(&SSH, FIELDS)
    .found(&[
        On::AnyTcp.stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(22).stream::<Session>(Heuristic::Stream(of_other_version)).by_port(),
    ])
    .rest(&PAYLOAD);

fields! {
    SSH = protocol("ssh", "SSH", "Secure Shell")
        .covers("Identification strings and algorithm negotiation of both sides; messages until encryption begins")
        .leaves_open("Encrypted packets, and contents of the key exchange");
    GREETING = text("ssh.protocol", "protocol", "Identification string: version and software").once();
    LENGTH = number("ssh.packet_length", "packet length", "In bytes").once();
    PADDING_LENGTH = number("ssh.padding_length", "padding length", "In bytes").once();
    CODE = number("ssh.message_code", "message code", "").names(CODES).once();
    CODE_1 = number("ssh.v1.message_code", "message code", "Packet type of SSH 1").names(CODES_1).also("ssh.message_code").once();
    CHECK_BYTES = number("ssh.v1.check_bytes", "check bytes", "CRC-32 of padding, type and payload").hex(8).once();
    PAYLOAD = bytes("ssh.payload", "payload", "").once();
    PADDING = bytes("ssh.padding_string", "padding", "Random bytes").once();
    ENCRYPTED = bytes("ssh.encrypted_packet", "encrypted packet", "One or more encrypted packets").encrypted().once();
    COOKIE = bytes("ssh.cookie", "cookie", "Random bytes").once();
    LIST_LENGTH = number("ssh.list_length", "list length", "In bytes");
    KEX = text("ssh.kex_algorithms", "kex_algorithms", "Key exchange methods").once();
    HOST_KEY = text("ssh.server_host_key_algorithms", "server_host_key_algorithms", "").once();
    CIPHERS_C2S = text("ssh.encryption_algorithms_client_to_server", "encryption_algorithms_client_to_server", "").once();
    CIPHERS_S2C = text("ssh.encryption_algorithms_server_to_client", "encryption_algorithms_server_to_client", "").once();
    MACS_C2S = text("ssh.mac_algorithms_client_to_server", "mac_algorithms_client_to_server", "").once();
    MACS_S2C = text("ssh.mac_algorithms_server_to_client", "mac_algorithms_server_to_client", "").once();
    COMPRESSION_C2S = text("ssh.compression_algorithms_client_to_server", "compression_algorithms_client_to_server", "").once();
    COMPRESSION_S2C = text("ssh.compression_algorithms_server_to_client", "compression_algorithms_server_to_client", "").once();
    LANGUAGES_C2S = text("ssh.languages_client_to_server", "languages_client_to_server", "");
    LANGUAGES_S2C = text("ssh.languages_server_to_client", "languages_server_to_client", "");
    GUESS = bool("ssh.first_kex_packet_follows", "first_kex_packet_follows", "Whether a guessed key exchange packet follows").once();
    RESERVED = number("ssh.kex.reserved", "reserved", "Must be zero").once();
    HASSH = text("ssh.kex.hassh", "HASSH", "Fingerprint of the client's algorithms").once();
    HASSH_SERVER = text("ssh.kex.hasshserver", "HASSH server", "Fingerprint of the server's algorithms").once();
}

const KEXINIT: u8 = 20;
const NEWKEYS: u8 = 21;

const CODES: Names = &[
    (1, "disconnect"),
    (2, "ignore"),
    (3, "unimplemented"),
    (4, "debug"),
    (5, "service_request"),
    (6, "service_accept"),
    (20, "kexinit"),
    (21, "newkeys"),
    (30, "key_exchange_init"),
    (31, "key_exchange_reply"),
    (32, "key_exchange_gex_init"),
    (33, "key_exchange_gex_reply"),
    (34, "key_exchange_gex_request"),
];

/// Unencrypted packet types of version 1.
const CODES_1: Names = &[(2, "public_key"), (3, "session_key")];

/// Name-lists of `kexinit` in order.
static LISTS: [&Field; 10] = [
    &KEX,
    &HOST_KEY,
    &CIPHERS_C2S,
    &CIPHERS_S2C,
    &MACS_C2S,
    &MACS_S2C,
    &COMPRESSION_C2S,
    &COMPRESSION_S2C,
    &LANGUAGES_C2S,
    &LANGUAGES_S2C,
];

/// Largest size in bytes of the lines before and of the identification string.
const GREETING_MAX: usize = 8 << 10;

/// Largest unencrypted packet in bytes.
const PACKET_MAX: usize = 256 << 10;

/// Size of the check bytes of version 1.
const CHECK: usize = 4;

/// State of a connection.
#[derive(Default)]
struct Session {
    directions: BySide<Direction>,
    /// Both sides use version 1.
    is_1: bool,
}

#[derive(Default)]
struct Direction {
    greeted: bool,
    encrypts: bool,
    /// The boundary of the next packet is unknown.
    lost: bool,
}

fn recognize(opening: &Opening<'_>) -> Verdict {
    let begins = |bytes: &[u8]| {
        bytes.starts_with(b"SSH-2.0-") || bytes.starts_with(b"SSH-1.") && bytes.get(6).is_some_and(u8::is_ascii_digit)
    };
    let may_begin = |bytes: &[u8]| bytes.len() < 8 && (b"SSH-2.0-".starts_with(bytes) || b"SSH-1.".starts_with(bytes));
    match opening.sent {
        bytes if bytes.iter().any(|bytes| begins(bytes)) => Verdict::Yes(Side::Server),
        bytes if !opening.complete && bytes.iter().all(|bytes| may_begin(bytes)) => Verdict::Unsure,
        _ => Verdict::No,
    }
}

/// Recognizes a greeting of another version on the registered port.
fn of_other_version(opening: &Opening<'_>) -> Verdict {
    let greets = |side: &Side| lines::line(opening.of(*side)).is_some() && opening.of(*side).starts_with(b"SSH-");
    if Side::BOTH.iter().any(greets) { Verdict::Yes(Side::Server) } else { Verdict::No }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        let is_1 = self.is_1;
        let direction = &mut self.directions[from];
        if direction.greeted && is_1 && !direction.lost {
            return extent_1(ahead);
        }
        if direction.encrypts {
            return Extent::Message(ahead.len());
        }
        if !direction.greeted {
            return lines::line_extent(ahead, GREETING_MAX);
        }
        let Some(length) = ahead.first_chunk::<4>() else { return Extent::NeedMore(4) };
        let whole = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX).saturating_add(4);
        if (8..=PACKET_MAX).contains(&whole) { Extent::Message(whole) } else { Extent::Unknown(ahead.len()) }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let is_1 = self.is_1;
        if self.directions[Side::Client].greeted {
            wire.column(if is_1 { "SSHv1" } else { "SSHv2" });
        }
        let direction = &mut self.directions[from];
        if direction.greeted && is_1 && !direction.lost {
            return direction.packet_1(wire);
        }
        if direction.encrypts {
            wire.name("encrypted");
            wire.info(format_args!("{} bytes", wire.remaining()));
            return wire.rest_is(&ENCRYPTED);
        }
        if direction.greeted {
            return direction.packet(from, wire);
        }
        self.is_1 |= direction.greeting(wire)?;
        Ok(())
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        // All later packets are encrypted anyway.
        let direction = &mut self.directions[from];
        direction.encrypts |= !missing.in_step;
        direction.lost |= !missing.in_step;
    }
}

/// Size of the padding of version 1, to a multiple of 8 bytes.
fn padding_1(length: u32) -> usize {
    8 - length as usize % 8
}

/// Extent of a packet of version 1.
fn extent_1(ahead: &[u8]) -> Extent {
    let Some(length) = ahead.first_chunk::<4>().map(|length| u32::from_be_bytes(*length)) else { return Extent::NeedMore(4) };
    let whole = (length as usize).saturating_add(4 + padding_1(length));
    if length as usize > CHECK && whole <= PACKET_MAX { Extent::Message(whole) } else { Extent::Unknown(ahead.len()) }
}

impl Direction {
    /// Dissects an identification string. Returns whether the side supports version 1 only.
    fn greeting(&mut self, wire: &mut Wire<'_>) -> Result<bool> {
        let line = lines::line(wire.ahead()).ok_or(Error::Short { needed: 1 })?;
        let bytes = wire.words(&GREETING, line.whole, 0..line.text)?;
        self.greeted = bytes.starts_with(b"SSH-");
        wire.name("greeting");
        wire.info(format_args!("{}", String::from_utf8_lossy(bytes)));
        Ok(bytes.starts_with(b"SSH-1.") && !bytes.starts_with(b"SSH-1.99-"))
    }

    fn packet_1(&mut self, wire: &mut Wire<'_>) -> Result {
        let length = wire.u32_be(&LENGTH)?;
        let padding = padding_1(length);
        wire.add(&PADDING_LENGTH, Value::Unsigned(padding as u64));
        wire.bytes(&PADDING, padding)?;
        if std::mem::replace(&mut self.encrypts, true) {
            wire.name("encrypted");
            wire.info(format_args!("{length} bytes"));
            return wire.rest_is(&ENCRYPTED);
        }
        let code = wire.u8(&CODE_1)?;
        wire.name(name_of(CODES_1, code.into()).unwrap_or("packet"));
        wire.info(format_args!("{length} bytes"));
        wire.bytes(&PAYLOAD, wire.remaining().saturating_sub(CHECK))?;
        wire.u32_be(&CHECK_BYTES).map(drop)
    }

    fn packet(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let length = wire.u32_be(&LENGTH)?;
        let padding = wire.u8(&PADDING_LENGTH)?;
        let code = wire.u8(&CODE)?;
        self.encrypts = code == NEWKEYS;
        wire.name(name_of(CODES, code.into()).unwrap_or("packet"));
        wire.info(format_args!("{length} bytes"));
        let payload = wire.remaining().checked_sub(padding.into()).ok_or(Error::Short { needed: padding.into() })?;
        wire.within(payload, &PAYLOAD, |wire| {
            if code == KEXINIT {
                return kexinit(from, wire);
            }
            wire.rest_is(&PAYLOAD)
        })?;
        wire.optional(&PADDING, padding.into()).map(drop)
    }
}

fn kexinit(from: Side, wire: &mut Wire<'_>) -> Result {
    wire.bytes(&COOKIE, 16)?;
    let mut lists: Vec<&[u8]> = Vec::with_capacity(LISTS.len());
    for field in LISTS {
        let length = usize::try_from(wire.u32_be(&LIST_LENGTH)?).unwrap_or(usize::MAX);
        lists.push(wire.optional(field, length)?);
    }
    wire.bool(&GUESS)?;
    wire.u32_be(&RESERVED)?;
    // Key exchange methods, and the sender's ciphers, MACs and compression.
    let (field, own) = if from == Side::Client { (&HASSH, [0, 2, 4, 6]) } else { (&HASSH_SERVER, [0, 3, 5, 7]) };
    let parts: Vec<&[u8]> = own.iter().filter_map(|place: &usize| lists.get(*place).copied()).collect();
    let digest = Md5::digest(parts.join(&b';'));
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    wire.add_text(field, format_args!("{digits}"));
    wire.info(format_args!("{}", String::from_utf8_lossy(lists.first().copied().unwrap_or_default())));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::trees_of;

    /// A kexinit packet with these name-lists.
    fn offer(lists: [&str; 10]) -> Vec<u8> {
        let mut payload = vec![KEXINIT];
        payload.extend([7; 16]);
        for list in lists {
            payload.extend(u32::try_from(list.len()).unwrap().to_be_bytes());
            payload.extend(list.as_bytes());
        }
        payload.extend([0; 5]);
        let mut packet = u32::try_from(payload.len() + 5).unwrap().to_be_bytes().to_vec();
        packet.push(4);
        packet.extend(payload);
        packet.extend([1; 4]);
        packet
    }

    #[test]
    fn identification_and_kexinit_are_dissected() {
        let offer = offer([
            "curve25519-sha256,kex-strict",
            "ssh-ed25519",
            "aes256-ctr",
            "aes128-ctr",
            "hmac-sha2-256",
            "hmac-sha1",
            "none",
            "zlib",
            "",
            "",
        ]);
        let trees = trees_of(
            &PROTOCOL,
            &mut Session::default(),
            &[
                (Side::Server, b"welcome\r\nSSH-2.0-Test_1.0 comment\r\n"),
                (Side::Client, b"SSH-2.0-Client\n"),
                (Side::Client, &offer),
                (Side::Server, b"\0\0\0\x0c\x0a\x15\0\0\0\0\0\0\0\0\0\0more"),
            ],
        );
        insta::assert_snapshot!(trees, @r#"
        ssh 0..9 | greeting | welcome
          0..9 ssh.protocol = "welcome"
        ssh 0..26 | greeting | SSH-2.0-Test_1.0 comment
          0..26 ssh.protocol = "SSH-2.0-Test_1.0 comment"
        ssh 0..15 | greeting | SSH-2.0-Client
          0..15 ssh.protocol = "SSH-2.0-Client"
        ssh 0..160 | kexinit | curve25519-sha256,kex-strict
          0..4 ssh.packet_length = 156
          4..5 ssh.padding_length = 4
          5..6 ssh.message_code = 20 (kexinit)
          6..22 ssh.cookie = 07070707070707070707070707070707
          22..26 ssh.list_length = 28
          26..54 ssh.kex_algorithms = "curve25519-sha256,kex-strict"
          54..58 ssh.list_length = 11
          58..69 ssh.server_host_key_algorithms = "ssh-ed25519"
          69..73 ssh.list_length = 10
          73..83 ssh.encryption_algorithms_client_to_server = "aes256-ctr"
          83..87 ssh.list_length = 10
          87..97 ssh.encryption_algorithms_server_to_client = "aes128-ctr"
          97..101 ssh.list_length = 13
          101..114 ssh.mac_algorithms_client_to_server = "hmac-sha2-256"
          114..118 ssh.list_length = 9
          118..127 ssh.mac_algorithms_server_to_client = "hmac-sha1"
          127..131 ssh.list_length = 4
          131..135 ssh.compression_algorithms_client_to_server = "none"
          135..139 ssh.list_length = 4
          139..143 ssh.compression_algorithms_server_to_client = "zlib"
          143..147 ssh.list_length = 0
          147..151 ssh.list_length = 0
          151..152 ssh.first_kex_packet_follows = false
          152..156 ssh.kex.reserved = 0
          ssh.kex.hassh = "5f3cc3bb9dfdcf7d831acc0477605241"
          156..160 ssh.padding_string = 01010101
        ssh 0..16 | newkeys | 12 bytes
          0..4 ssh.packet_length = 12
          4..5 ssh.padding_length = 10
          5..6 ssh.message_code = 21 (newkeys)
          6..16 ssh.padding_string = 00000000000000000000
        ssh 0..4 | encrypted | 4 bytes
          0..4 ssh.encrypted_packet = 6d6f7265
        "#);
    }

    #[test]
    fn hassh_is_the_digest_of_the_senders_lists() {
        let trees = trees_of(
            &PROTOCOL,
            &mut Session {
                directions: BySide { client: Direction { greeted: true, ..Direction::default() }, ..BySide::default() },
                ..Session::default()
            },
            &[(Side::Client, &offer(["a", "b", "c", "d", "e", "f", "g", "h", "", ""]))],
        );
        // MD5 of "a;c;e;g".
        assert!(trees.contains("ssh.kex.hassh = \"1dcec95d22563622775f87b354bc5ccc\""), "{trees}");
    }

    #[test]
    fn invalid_packet_lengths_are_rejected() {
        let mut session = Session {
            directions: BySide { client: Direction { greeted: true, ..Direction::default() }, ..BySide::default() },
            ..Session::default()
        };
        assert_eq!(session.extent(Side::Client, b"\xff\xff\xff\xff1234", true), Extent::Unknown(8));
        assert_eq!(session.extent(Side::Client, b"\0\0\0\x0c1", true), Extent::Message(16));
    }

    #[test]
    fn packets_of_version_1_are_dissected_until_encryption() {
        let judge = |server: &[u8]| recognize(&Opening { sent: [b"", server], from_start: [true, true], complete: true });
        assert_eq!(judge(b"SSH-1.5-1.2.26\n"), Verdict::Yes(Side::Server));
        assert_eq!(judge(b"SSH-1x"), Verdict::No);
        let trees = trees_of(
            &PROTOCOL,
            &mut Session::default(),
            &[
                (Side::Server, b"SSH-1.99-Test\n"),
                (Side::Client, b"SSH-1.5-1.2.26\n"),
                (Side::Server, b"\0\0\0\x0b\0\0\0\0\0\x02cookiecrc!"),
                (Side::Client, b"\0\0\0\x08\0\0\0\0\0\0\0\0\x03keycrc!"),
                (Side::Server, b"\0\0\0\x05abcpqrst"),
                (Side::Client, b"\0\0\0\x05abcpqrst"),
            ],
        );
        insta::assert_snapshot!(trees, @r#"
        ssh 0..14 | greeting | SSH-1.99-Test
          0..14 ssh.protocol = "SSH-1.99-Test"
        ssh 0..15 | greeting | SSH-1.5-1.2.26
          0..15 ssh.protocol = "SSH-1.5-1.2.26"
        ssh 0..20 | public_key | 11 bytes
          0..4 ssh.packet_length = 11
          ssh.padding_length = 5
          4..9 ssh.padding_string = 0000000000
          9..10 ssh.v1.message_code = 2 (public_key)
          10..16 ssh.payload = 636f6f6b6965
          16..20 ssh.v1.check_bytes = 0x63726321
        ssh 0..20 | session_key | 8 bytes
          0..4 ssh.packet_length = 8
          ssh.padding_length = 8
          4..12 ssh.padding_string = 0000000000000000
          12..13 ssh.v1.message_code = 3 (session_key)
          13..16 ssh.payload = 6b6579
          16..20 ssh.v1.check_bytes = 0x63726321
        ssh 0..12 | encrypted | 5 bytes
          0..4 ssh.packet_length = 5
          ssh.padding_length = 3
          4..7 ssh.padding_string = 616263
          7..12 ssh.encrypted_packet = 7071727374
        ssh 0..12 | encrypted | 5 bytes
          0..4 ssh.packet_length = 5
          ssh.padding_length = 3
          4..7 ssh.padding_string = 616263
          7..12 ssh.encrypted_packet = 7071727374
        "#);
    }
}
