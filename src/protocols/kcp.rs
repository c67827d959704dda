//! KCP: reliable messages over UDP, used by games and tunnels.
//!
//! Numbers are little-endian, in some implementations big-endian.
//!
//! ```text
//! datagram    segment …
//! segment     conversation:4 | token:4, in some games | command:1 | fragments left:1 | window:2 | timestamp:4 | number:4
//!             | next expected:4 | length:4 | payload
//!   81 push           payload is a message or a fragment of one
//!   82 ack            number and timestamp of a received push
//!   83 window probe   84 window size
//! handshake   code:4 | conversation:4 | token:4 | data:4 | end:4     of games with a token, big-endian
//! ```
//! A conversation is recognized by segments that fill a datagram to its last byte, with a payload or of one conversation. Its
//! messages are reassembled in order; each is dispatched under the name `kcp`.
//! Not covered: encrypted segments, forward error correction, acknowledgements before the first push.

use super::delivered::{Delivered, UNCERTAIN, detail};
use crate::flow::delivery::{Delivery, Element, Fate, Fragment, Width};
use crate::tree::{BySide, Field, Names, NodeRef, Receiver, Side, Value, fields, name_of, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Result, Unfinished, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&KCP, FIELDS)
    .found(&[
        // The port of servers whose games send a handshake.
        On::UdpRun(22_101, 22_102).exchange::<Session>(Heuristic::Datagram(recognize)),
        On::AnyUdp.exchange::<Session>(Heuristic::Datagram(recognize)),
    ])
    .rest(&DATA);

/// Name of the handover of messages.
const PLACE: &str = "kcp";

/// What becomes of messages: the conversation itself shows those that no other protocol recognizes.
const MESSAGES: Delivered = Delivered { receiver: Receiver::Own, method: "kcp fragments", missing: &INCOMPLETE };

fields! {
    KCP = protocol("kcp", "KCP", "KCP reliable UDP")
        .covers("Segments of both byte orders, with the token and handshake of some games; messages in order, fragments joined, for protocols over `kcp`")
        .leaves_open("Encryption and forward error correction");
    SEGMENT = group("kcp.segment", "segment", "").named(segment_title, title::nothing, title::nothing);
    CONVERSATION = number("kcp.conv", "conversation", "ID that both sides use").hex(8);
    TOKEN = number("kcp.token", "token", "Second ID, which some games add").hex(8);
    COMMAND = number("kcp.cmd", "command", "").names(COMMANDS).once_per(&SEGMENT);
    FRAGMENT = number("kcp.frg", "fragments left", "Fragments of the message that follow this one").once_per(&SEGMENT);
    WINDOW = number("kcp.wnd", "window", "Segments that the sender can receive").once_per(&SEGMENT);
    TIMESTAMP = number("kcp.ts", "timestamp", "Milliseconds; an ack repeats that of the push").once_per(&SEGMENT);
    NUMBER = number("kcp.sn", "sequence number", "Number of the push").once_per(&SEGMENT);
    NEXT = number("kcp.una", "next expected", "Every push with a smaller number was received").once_per(&SEGMENT);
    LENGTH = number("kcp.len", "length", "Bytes of payload").once_per(&SEGMENT);
    PAYLOAD = bytes("kcp.payload", "payload", "").once_per(&SEGMENT);
    RETRANSMISSION = bool("kcp.retransmission", "retransmission", "The push was received before").once_per(&SEGMENT);
    MESSAGE = bytes("kcp.message", "message", "").once();
    CODE = number("kcp.handshake.code", "handshake", "").names(CODES).hex(8).once();
    HANDSHAKE_DATA = number("kcp.handshake.data", "data", "Kind of client, or reason of the disconnect").once();
    END = number("kcp.handshake.end", "end", "Constant of the code").hex(8).once();
    DATA = bytes("kcp.undissected", "data", "Undissected bytes").once();
    UNCERTAIN_START = info("kcp.uncertain_start", "uncertain start", "Earlier fragments of the message may be missing");
    CONFLICT = odd("kcp.conflict", "conflict", "A push differs from an earlier one with its number");
    INCOMPLETE = odd("kcp.fragments_missing", "fragments missing", "Some fragments of a message never came");
    UNKNOWN_COMMAND = odd("kcp.unknown_command", "unknown command", "Command that is not assigned");
}

const PUSH: u8 = 81;
const COMMANDS: Names = &[(81, "Push"), (82, "Ack"), (83, "Window probe"), (84, "Window size")];

const CONNECT: u32 = 0xff;
const ESTABLISHED: u32 = 0x145;
/// Codes of the handshake, each with the constant at its end.
const ENDS: [(u32, u32); 3] = [(CONNECT, 0xffff_ffff), (ESTABLISHED, 0x1451_4545), (0x194, 0x1941_9494)];
const CODES: Names = &[(0xff, "Connect"), (0x145, "Established"), (0x194, "Disconnect")];
const HANDSHAKE_SIZE: usize = 20;

/// Size of a segment without token and payload.
const HEADER_SIZE: usize = 24;
const TOKEN_SIZE: usize = 4;
/// Largest number of fragments after the first one: the receive window of the reference implementation is 128.
const FRAGMENTS_MAX: u8 = 127;

/// Layout of the segments of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Layout {
    is_big_endian: bool,
    has_token: bool,
}

impl Layout {
    /// All of them, the most frequent one first.
    const ALL: [Layout; 4] = [
        Layout { is_big_endian: false, has_token: false },
        Layout { is_big_endian: false, has_token: true },
        Layout { is_big_endian: true, has_token: false },
        Layout { is_big_endian: true, has_token: true },
    ];

    fn number(self, bytes: [u8; 4]) -> u32 {
        if self.is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn header_size(self) -> usize {
        HEADER_SIZE + if self.has_token { TOKEN_SIZE } else { 0 }
    }

    fn u32(self, wire: &mut Wire<'_>, field: &'static Field) -> Result<u32> {
        if self.is_big_endian { wire.u32_be(field) } else { wire.u32_le(field) }
    }

    fn u16(self, wire: &mut Wire<'_>, field: &'static Field) -> Result<u16> {
        if self.is_big_endian { wire.u16_be(field) } else { wire.u16_le(field) }
    }
}

/// What identifies a conversation: its ID, and the token after it.
type Id = [u32; 2];

/// Header of a segment.
#[derive(Debug, Clone, Copy)]
struct Header {
    id: Id,
    command: u8,
    fragment: u8,
    window: u16,
    length: usize,
}

impl Header {
    /// Reads the header at the start of the bytes.
    fn read(bytes: &[u8], layout: Layout) -> Option<Header> {
        let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| layout.number(*word));
        let token = if layout.has_token { word(4)? } else { 0 };
        let rest = layout.header_size() - HEADER_SIZE + 4;
        let [command, fragment, window @ ..] = *bytes.get(rest..)?.first_chunk::<4>()?;
        let length = usize::try_from(word(rest + 16)?).ok()?;
        Some(Header { id: [word(0)?, token], command, fragment, window: u16::from_ne_bytes(window), length })
    }

    /// Whether a segment can have these values.
    fn is_sound(&self) -> bool {
        match self.command {
            PUSH => self.fragment <= FRAGMENTS_MAX,
            82..=84 => self.fragment == 0 && self.length == 0,
            _ => false,
        }
    }
}

/// Whether segments of one conversation fill the datagram. `Some(true)` if no other protocol is likely to have sent them.
fn segments(datagram: &[u8], layout: Layout) -> Option<bool> {
    let first = Header::read(datagram, layout)?;
    let (mut bytes, mut count, mut has_payload) = (datagram, 0_usize, false);
    while !bytes.is_empty() {
        let header = Header::read(bytes, layout).filter(|header| header.id == first.id && header.is_sound())?;
        bytes = bytes.get(layout.header_size()..)?.get(header.length..)?;
        has_payload |= header.length > 0;
        count += 1;
    }
    Some(first.window > 0 && (has_payload || count > 1))
}

/// The layout of a datagram that is certainly of KCP.
fn layout(datagram: &[u8]) -> Option<Layout> {
    Layout::ALL.into_iter().find(|layout| segments(datagram, *layout) == Some(true))
}

/// Whether a datagram is a handshake: its first and last word are constants.
fn is_handshake(datagram: &[u8]) -> bool {
    let word = |at: usize| datagram.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word));
    let ends = word(0).zip(word(HANDSHAKE_SIZE - 4));
    datagram.len() == HANDSHAKE_SIZE && ends.is_some_and(|ends| ENDS.contains(&ends))
}

fn recognize(datagram: &[u8]) -> bool {
    is_handshake(datagram) || layout(datagram).is_some()
}

/// State of a conversation.
struct Session {
    layout: Layout,
    /// The conversation, once a segment was captured.
    id: Option<Id>,
    messages: BySide<Delivery>,
}

impl Default for Session {
    fn default() -> Session {
        let direction = || Delivery::new(Width::bits(u32::BITS));
        Session { layout: Layout::default(), id: None, messages: BySide { client: direction(), server: direction() } }
    }
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if is_handshake(wire.ahead()) {
            self.layout.has_token = true;
            return handshake(wire);
        }
        if segments(wire.ahead(), self.layout).is_none() {
            self.layout = layout(wire.ahead()).unwrap_or(self.layout);
        }
        self.id = Header::read(wire.ahead(), self.layout).map(|header| header.id).or(self.id);
        summarize(wire, self.layout);
        wire.groups(&SEGMENT, |wire| self.segment(from, wire))
    }

    fn delivered(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let length = wire.remaining();
        wire.name("Message");
        wire.info(format_args!("{length} bytes"));
        let range = wire.at()..wire.at() + length;
        wire.rest(&MESSAGE);
        if wire.detail() == UNCERTAIN {
            wire.note(&UNCERTAIN_START, format_args!("fragments before these bytes may be missing"));
        } else {
            wire.offer(PLACE, range);
        }
        Ok(())
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        let is_known = |id: &Id| Header::read(bytes, self.layout).is_some_and(|first| first.id == *id && first.is_sound());
        self.id.as_ref().is_some_and(is_known) || segments(bytes, self.layout) == Some(true)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.messages.iter().map(Delivery::memory_usage).sum::<usize>()
    }

    fn unfinished(&mut self) -> Vec<Unfinished> {
        Side::BOTH.into_iter().flat_map(|from| MESSAGES.unfinished(from, &mut self.messages[from])).collect()
    }
}

impl Session {
    fn segment(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let layout = self.layout;
        let conversation = layout.u32(wire, &CONVERSATION)?;
        let token = if layout.has_token { layout.u32(wire, &TOKEN)? } else { 0 };
        let command = wire.u8(&COMMAND)?;
        let left = wire.u8(&FRAGMENT)?;
        layout.u16(wire, &WINDOW)?;
        layout.u32(wire, &TIMESTAMP)?;
        let number = layout.u32(wire, &NUMBER)?;
        layout.u32(wire, &NEXT)?;
        let length = usize::try_from(layout.u32(wire, &LENGTH)?).unwrap_or(usize::MAX);
        if name_of(COMMANDS, command.into()).is_none() {
            return wire.malformed(&UNKNOWN_COMMAND, format_args!("command {command}"));
        }
        let range = wire.at()..wire.at() + length.min(wire.remaining());
        let bytes = wire.optional(&PAYLOAD, length)?;
        if command != PUSH {
            return Ok(());
        }
        let element = Element {
            stream: u64::from(conversation) << 32 | u64::from(token),
            order: Some(number.into()),
            fragment: Fragment::Left(left.into()),
            once: None,
            bytes,
            pieces: &wire.pieces(range.clone(), 0),
        };
        let mut events = Vec::new();
        match self.messages[from].accept(&element, &mut events) {
            Fate::Now { is_whole } => wire.deliver(MESSAGES.receiver, range, detail(is_whole), Vec::new()),
            Fate::Taken => {}
            Fate::Repeated => drop(wire.add(&RETRANSMISSION, Value::Bool(true))),
            Fate::Conflict | Fate::Wrong => {
                wire.note(&CONFLICT, format_args!("push {number} was received before with other bytes"))
            }
        }
        MESSAGES.hand_on(wire, events);
        Ok(())
    }
}

/// Dissects a datagram that opens or closes a conversation.
fn handshake(wire: &mut Wire<'_>) -> Result {
    let code = wire.u32_be(&CODE)?;
    wire.name(name_of(CODES, code.into()).unwrap_or("Handshake"));
    match code {
        CONNECT => wire.sent_by(Side::Client),
        ESTABLISHED => wire.sent_by(Side::Server),
        _ => {}
    }
    wire.u32_be(&CONVERSATION)?;
    wire.u32_be(&TOKEN)?;
    wire.u32_be(&HANDSHAKE_DATA)?;
    wire.u32_be(&END).map(drop)
}

/// Adds the summary: commands and the size of all payloads.
fn summarize(wire: &mut Wire<'_>, layout: Layout) {
    /// Maximum number of commands in the summary.
    const NAMED: usize = 6;
    let (mut bytes, mut names, mut payload) = (wire.ahead(), Vec::new(), 0);
    while names.len() < NAMED
        && let Some(header) = Header::read(bytes, layout)
    {
        names.push(name_of(COMMANDS, header.command.into()).unwrap_or("unknown command"));
        payload += header.length;
        bytes = bytes.get(layout.header_size()..).and_then(|rest| rest.get(header.length..)).unwrap_or_default();
    }
    wire.name(&names.join(", "));
    if payload > 0 {
        wire.info(format_args!("{payload} bytes of payload"));
    }
}

/// The name of a segment in tables.
fn segment_title(node: NodeRef<'_>, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
    let command = node.child(&COMMAND).and_then(NodeRef::number);
    out.write_str(command.and_then(|command| name_of(COMMANDS, command)).unwrap_or("segment"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    /// Two pushes; the second one is the rest of the message that the first one begins.
    const PUSHES: &str = "0a000000 51 01 8000 14000000 00000000 00000000 03000000 616263 \
        0a000000 51 00 8000 14000000 01000000 00000000 02000000 6465";
    const ACK: &str = "0a000000 52 00 7f00 14000000 01000000 02000000 00000000";
    const PROBES: &str =
        "0a000000 53 00 8000 1e000000 00000000 00000000 00000000 0a000000 54 00 8000 1e000000 00000000 00000000 00000000";
    const BIG_ENDIAN: &str = "0000000a 51 00 0080 00000014 00000002 00000001 00000003 616263";
    const CONNECTS: &str = "000000ff 00000000 00000000 499602d2 ffffffff";
    const ESTABLISHED: &str = "00000145 00031832 3a0da215 499602d2 14514545";
    const WITH_TOKEN: &str = "32180300 15a20d3a 52 00 0001 54aa2523 02000000 03000000 00000000 \
        32180300 15a20d3a 51 00 0001 b0aa2523 02000000 03000000 04000000 11388b57";
    const DISCONNECTS: &str = "00000194 00031832 3a0da215 00000001 19419494";

    fn read(session: &mut Session, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| session.message(Side::Client, wire))
    }

    #[test]
    fn segments_are_dissected() {
        let mut session = Session::default();
        let trees = [PUSHES, ACK, PROBES].map(|hex| read(&mut session, hex)).concat();
        insta::assert_snapshot!(trees, @"
        kcp 0..53 | Push, Push | 5 bytes of payload
          0..27 kcp.segment
            0..4 kcp.conv = 0x0000000a
            4..5 kcp.cmd = 81 (Push)
            5..6 kcp.frg = 1
            6..8 kcp.wnd = 128
            8..12 kcp.ts = 20
            12..16 kcp.sn = 0
            16..20 kcp.una = 0
            20..24 kcp.len = 3
            24..27 kcp.payload = 616263
          27..53 kcp.segment
            27..31 kcp.conv = 0x0000000a
            31..32 kcp.cmd = 81 (Push)
            32..33 kcp.frg = 0
            33..35 kcp.wnd = 128
            35..39 kcp.ts = 20
            39..43 kcp.sn = 1
            43..47 kcp.una = 0
            47..51 kcp.len = 2
            51..53 kcp.payload = 6465
        kcp 0..24 | Ack
          0..24 kcp.segment
            0..4 kcp.conv = 0x0000000a
            4..5 kcp.cmd = 82 (Ack)
            5..6 kcp.frg = 0
            6..8 kcp.wnd = 127
            8..12 kcp.ts = 20
            12..16 kcp.sn = 1
            16..20 kcp.una = 2
            20..24 kcp.len = 0
        kcp 0..48 | Window probe, Window size
          0..24 kcp.segment
            0..4 kcp.conv = 0x0000000a
            4..5 kcp.cmd = 83 (Window probe)
            5..6 kcp.frg = 0
            6..8 kcp.wnd = 128
            8..12 kcp.ts = 30
            12..16 kcp.sn = 0
            16..20 kcp.una = 0
            20..24 kcp.len = 0
          24..48 kcp.segment
            24..28 kcp.conv = 0x0000000a
            28..29 kcp.cmd = 84 (Window size)
            29..30 kcp.frg = 0
            30..32 kcp.wnd = 128
            32..36 kcp.ts = 30
            36..40 kcp.sn = 0
            40..44 kcp.una = 0
            44..48 kcp.len = 0
        ");
    }

    #[test]
    fn segments_of_a_conversation_with_a_token_are_dissected() {
        let mut session = Session::default();
        let trees = [CONNECTS, ESTABLISHED, WITH_TOKEN, DISCONNECTS].map(|hex| read(&mut session, hex)).concat();
        insta::assert_snapshot!(trees, @"
        kcp 0..20 | Connect
          0..4 kcp.handshake.code = 0x000000ff (Connect)
          4..8 kcp.conv = 0x00000000
          8..12 kcp.token = 0x00000000
          12..16 kcp.handshake.data = 1234567890
          16..20 kcp.handshake.end = 0xffffffff
        kcp 0..20 | Established
          0..4 kcp.handshake.code = 0x00000145 (Established)
          4..8 kcp.conv = 0x00031832
          8..12 kcp.token = 0x3a0da215
          12..16 kcp.handshake.data = 1234567890
          16..20 kcp.handshake.end = 0x14514545
        kcp 0..60 | Ack, Push | 4 bytes of payload
          0..28 kcp.segment
            0..4 kcp.conv = 0x00031832
            4..8 kcp.token = 0x3a0da215
            8..9 kcp.cmd = 82 (Ack)
            9..10 kcp.frg = 0
            10..12 kcp.wnd = 256
            12..16 kcp.ts = 589670996
            16..20 kcp.sn = 2
            20..24 kcp.una = 3
            24..28 kcp.len = 0
          28..60 kcp.segment
            28..32 kcp.conv = 0x00031832
            32..36 kcp.token = 0x3a0da215
            36..37 kcp.cmd = 81 (Push)
            37..38 kcp.frg = 0
            38..40 kcp.wnd = 256
            40..44 kcp.ts = 589671088
            44..48 kcp.sn = 2
            48..52 kcp.una = 3
            52..56 kcp.len = 4
            56..60 kcp.payload = 11388b57
        kcp 0..20 | Disconnect
          0..4 kcp.handshake.code = 0x00000194 (Disconnect)
          4..8 kcp.conv = 0x00031832
          8..12 kcp.token = 0x3a0da215
          12..16 kcp.handshake.data = 1
          16..20 kcp.handshake.end = 0x19419494
        ");
    }

    #[test]
    fn a_push_that_was_received_before_is_a_retransmission() {
        let mut session = Session::default();
        let [first, again] = [PUSHES, PUSHES].map(|hex| read(&mut session, hex));
        assert!(!first.contains("retransmission") && again.matches("kcp.retransmission = true").count() == 2, "{again}");
        // A later push with an earlier number and other bytes waits for its turn.
        let later = PUSHES.replace(" 00000000 00000000 03000000", " 09000000 00000000 03000000");
        let other = later.replace("616263", "616264");
        let [_, conflict] = [&later, &other].map(|hex| read(&mut session, hex));
        assert!(conflict.contains("kcp.conflict"), "{conflict}");
        let mut whole = Vec::new();
        for from in Side::BOTH {
            whole.extend(MESSAGES.unfinished(from, &mut session.messages[from]));
        }
        assert_eq!(whole.iter().map(|left| left.bytes.len()).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn numbers_may_be_big_endian() {
        let tree = read(&mut Session::default(), BIG_ENDIAN);
        assert!(
            tree.contains("kcp.conv = 0x0000000a") && tree.contains("kcp.sn = 2") && tree.contains("kcp.wnd = 128"),
            "{tree}"
        );
    }

    #[test]
    fn a_conversation_is_recognized_by_its_lengths() {
        let recognizes = |hex: &str| recognize(&trial::bytes(hex));
        for hex in [PUSHES, PROBES, BIG_ENDIAN, CONNECTS, ESTABLISHED, WITH_TOKEN, DISCONNECTS] {
            assert!(recognizes(hex), "{hex}");
        }
        let others = [
            // One acknowledgement has no length that says anything.
            ACK.to_owned(),
            PUSHES.to_owned() + "00",
            PUSHES.replacen("51", "50", 1),
            PUSHES.replacen("51", "52", 1),
            PUSHES.replacen("51 01", "51 80", 1),
            PUSHES.replacen("8000", "0000", 1),
            PROBES.replacen("0a", "0b", 1),
            PROBES.replacen("54 00", "54 01", 1),
            CONNECTS.replacen("ff", "fe", 1),
            CONNECTS.to_owned() + "00",
            ESTABLISHED.replacen("14514545", "ffffffff", 1),
            String::new(),
        ];
        for hex in others {
            assert!(!recognizes(&hex), "{hex}");
        }
        let mut session = Session::default();
        let claims = |session: &Session, hex: &str| session.claims(Side::Server, &trial::bytes(hex));
        assert!(!claims(&session, ACK));
        read(&mut session, PUSHES);
        assert!(claims(&session, ACK) && !claims(&session, &ACK.replacen("0a", "0b", 1)));
        // The capture cut a datagram.
        assert!(claims(&session, PUSHES.split_at(70).0) && !claims(&session, "0a000000 51"));
    }

    #[test]
    fn damaged_datagrams_are_dissected() {
        for hex in [PUSHES, ACK, PROBES, BIG_ENDIAN, CONNECTS, WITH_TOKEN] {
            trial::survives_damage(&PROTOCOL, &trial::bytes(hex), |wire| Session::default().message(Side::Client, wire));
        }
    }
}
