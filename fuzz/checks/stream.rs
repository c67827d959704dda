//! A TCP conversation made from fuzz input: both directions, any protocol forced, cuts, gaps, reordering.

use super::input::Input;
use super::{Owned, dissect};
use proto_dissect::engine::Engine;
use proto_dissect::input::Link;
use proto_dissect::record::{Record, Tally, View, level_of};
use proto_dissect::registry::{Choices, DecodeAs, Registry, Selector};
use proto_dissect::tree::{Level, Side, Transport};
use proto_dissect::wire::Protocol;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::OnceLock;

/// LINKTYPE_RAW of the tcpdump.org list.
pub const RAW: Link = Link::Type(101);

/// The server's port, on which a protocol may be forced. No protocol is registered on it.
const PORT: u16 = 40_000;
const CLIENT_PORT: u16 = 50_000;
const FIN: u8 = 1;
const SYN: u8 = 2;
const ACK: u8 = 16;
const TURNS: usize = 16;
/// Segments of a conversation that cuts make.
const CUTS: usize = 48;

/// Protocols that show what arrives together as one message: equal records of TLS, bytes of a file, lines of a reply, values without
/// framing.
const RUNS: [&str; 5] = ["tls", "ftp", "ftp-data", "smtp", "rs.type"];

/// Registries that force each protocol on [`PORT`], the first one none.
fn registries() -> &'static [Registry] {
    static ALL: OnceLock<Vec<Registry>> = OnceLock::new();
    ALL.get_or_init(|| {
        let plain = Registry::default();
        let streams = plain.applications().filter(|protocol| protocol.is_stream());
        let forced = streams.map(|protocol| plain.choosing(Choices { decode_as: vec![on_port(protocol)], ..Choices::default() }));
        std::iter::once(plain).chain(forced).collect()
    })
}

/// Forces a protocol on [`PORT`].
pub fn on_port(protocol: &'static Protocol) -> DecodeAs {
    DecodeAs { selector: Selector::Ports(Transport::Tcp, PORT..=PORT), protocol: Some(protocol) }
}

/// The first byte of an input that forces this protocol.
pub fn forcing(name: &str) -> Option<u8> {
    let mut streams = Registry::default().applications().filter(|protocol| protocol.is_stream());
    u8::try_from(streams.position(|protocol| protocol.this.abbrev == name)? + 1).ok()
}

/// Ports on which a stream protocol is registered, and [`PORT`].
fn ports() -> &'static [u16] {
    static ALL: OnceLock<Vec<u16>> = OnceLock::new();
    ALL.get_or_init(|| {
        use proto_dissect::wire::On;
        let homes = Registry::default().applications().flat_map(|protocol| protocol.found).filter_map(|found| match found.on {
            On::Tcp(port) | On::TcpRun(port, _) => Some(port),
            _ => None,
        });
        std::iter::once(PORT).chain(homes).collect()
    })
}

/// What one side sends until the other one answers.
#[derive(Debug, Clone)]
struct Turn {
    side: Side,
    bytes: Vec<u8>,
    /// Where segments are cut, rising.
    cuts: Vec<usize>,
    /// Which two neighbouring segments change places.
    swap: Option<usize>,
    /// Which segment is missing from the capture.
    lost: Option<usize>,
}

/// A conversation of some turns.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// Index into [`registries`].
    registry: usize,
    port: u16,
    opened: bool,
    closed: bool,
    turns: Vec<Turn>,
}

impl Conversation {
    /// Decodes a conversation from fuzz input: protocol, port and flags, then turns of a header and their bytes.
    pub fn of(input: &[u8]) -> Conversation {
        let mut input = Input(input);
        let registry = usize::from(input.byte()) % registries().len();
        let home = usize::from(input.byte()) % ports().len();
        let port = if registry == 0 { ports()[home] } else { PORT };
        let flags = input.byte();
        let mut turns = Vec::new();
        let mut left = CUTS;
        while !input.is_empty() && turns.len() < TURNS {
            let (head, len) = (input.byte(), usize::from(input.short() % 2048));
            let bytes = input.take(len).to_vec();
            let step = usize::from(head >> 3 & 7) * 7;
            let cuts: Vec<usize> = if step == 0 || bytes.is_empty() {
                Vec::new()
            } else {
                (step..bytes.len()).step_by(step).take(left.min(24)).collect()
            };
            left -= cuts.len();
            let at = |bit: u8, place: usize| (head & bit != 0).then_some(place);
            let swap = at(2, cuts.len() / 2);
            let lost = at(4, cuts.len() / 3).filter(|_| flags & 4 != 0);
            turns.push(Turn { side: if head & 1 == 0 { Side::Client } else { Side::Server }, bytes, cuts, swap, lost });
        }
        Conversation { registry, port, opened: flags & 1 == 0, closed: flags & 2 == 0, turns }
    }

    /// The same for a conversation on [`PORT`] that something else owns.
    pub fn owned(input: &[u8]) -> Conversation {
        Conversation { registry: 0, port: PORT, ..Conversation::of(&[&[0, 0], input].concat()) }
    }

    /// The registry that forces its protocol.
    pub fn registry(&self) -> Registry {
        registries()[self.registry]
    }

    /// Whether every byte from the first one is in the capture.
    fn is_complete(&self) -> bool {
        self.opened && self.turns.iter().all(|turn| turn.lost.is_none())
    }

    /// The same bytes, each turn in one segment and in order.
    fn uncut(&self) -> Conversation {
        let whole = |turn: &Turn| Turn { cuts: Vec::new(), swap: None, lost: None, ..turn.clone() };
        Conversation { turns: self.turns.iter().map(whole).collect(), ..self.clone() }
    }

    /// How many bytes each side sends before the first fault of either side, in each of several readings.
    fn sound(&self, found: &[Found]) -> [(Side, u64); 2] {
        let mut sent = [0_u64; 2];
        for turn in &self.turns {
            let (at, end) = (turn.side.index(), sent[turn.side.index()] + turn.bytes.len() as u64);
            if let Some(fault) = found.iter().filter_map(|found| found.fault[at].filter(|fault| *fault < end)).min() {
                sent[at] = fault;
                break;
            }
            sent[at] = end;
        }
        Side::BOTH.map(|side| (side, sent[side.index()]))
    }

    /// Its packets.
    pub fn frames(&self) -> Vec<Owned> {
        let mut writer = Writer { port: self.port, next: [1000, 5000], frames: Vec::new() };
        if self.opened {
            writer.segment(Side::Client, 999, SYN, &[]);
            writer.segment(Side::Server, 4999, SYN | ACK, &[]);
        }
        for turn in &self.turns {
            writer.turn(turn);
        }
        if self.closed {
            for side in [Side::Client, Side::Server] {
                writer.segment(side, writer.next[side.index()], FIN | ACK, &[]);
            }
        }
        writer.frames
    }
}

struct Writer {
    port: u16,
    /// Next sequence number of each side.
    next: [u32; 2],
    frames: Vec<Owned>,
}

impl Writer {
    fn turn(&mut self, turn: &Turn) {
        let start = self.next[turn.side.index()];
        let edges: Vec<usize> = [0].into_iter().chain(turn.cuts.iter().copied()).chain([turn.bytes.len()]).collect();
        let mut segments: Vec<(usize, &[u8])> = edges.windows(2).map(|edge| (edge[0], &turn.bytes[edge[0]..edge[1]])).collect();
        if let Some(swap) = turn.swap.filter(|swap| swap + 1 < segments.len()) {
            segments.swap(swap, swap + 1);
        }
        if let Some(lost) = turn.lost.filter(|lost| *lost < segments.len()) {
            segments.remove(lost);
        }
        for (at, bytes) in segments.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
            self.segment(turn.side, start + u32::try_from(at).unwrap(), ACK, bytes);
        }
        self.next[turn.side.index()] = start + u32::try_from(turn.bytes.len()).unwrap();
    }

    fn segment(&mut self, side: Side, seq: u32, flags: u8, payload: &[u8]) {
        let (client, server) = ([10, 0, 0, 1], [10, 0, 0, 2]);
        let (src, dst, ports) = match side {
            Side::Client => (client, server, [CLIENT_PORT, self.port]),
            Side::Server => (server, client, [self.port, CLIENT_PORT]),
        };
        // Acknowledging nothing new keeps holes open until the end, whatever the order of segments.
        let ack = if flags == SYN { 0 } else { [5000, 1000][side.index()] };
        let frame = datagram(src, dst, ports, (seq, ack, flags), payload);
        self.frames.push(Owned::new(self.frames.len() as u64 + 1, RAW, frame));
    }
}

/// An IPv4 packet with a TCP segment.
fn datagram(src: [u8; 4], dst: [u8; 4], ports: [u16; 2], (seq, ack, flags): (u32, u32, u8), payload: &[u8]) -> Vec<u8> {
    let total = u16::try_from(40 + payload.len()).unwrap();
    let mut bytes = vec![0x45, 0];
    bytes.extend(total.to_be_bytes());
    bytes.extend([0, 1, 0x40, 0, 64, 6, 0, 0]);
    bytes.extend(src);
    bytes.extend(dst);
    let sum: u32 = bytes.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let checksum = !u16::try_from((sum & 0xffff) + (sum >> 16)).unwrap_or(0);
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
    ports.iter().for_each(|port| bytes.extend(port.to_be_bytes()));
    bytes.extend(seq.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    bytes.extend(payload);
    bytes
}

/// Protocol, name and stream range of a message.
type Place = (String, Range<u64>);

/// The messages of each direction, up to the first one that is data or broken, and where that begins.
#[derive(Default)]
struct Found {
    messages: [Vec<Place>; 2],
    fault: [Option<u64>; 2],
}

fn messages(frames: &[Owned], registry: Registry) -> Found {
    let mut engine = Engine::complete(registry);
    let mut tally = Tally::new(View::Messages);
    let mut all = Found::default();
    dissect(frames, &mut engine, |of, captured| {
        let Ok(()) = tally.records::<Infallible>(of, captured, |record| {
            if let Record::Message(message) = record {
                let (node, stream) = (message.node(), message.ends().and_then(|ends| ends.stream));
                if let (Some(node), Some((_, side))) = (node, stream) {
                    let place = proto_dissect::record::location_of(of, node.span());
                    let (name, at) = (node.field().abbrev, side.index());
                    let start = place.base + u64::from(node.span().start);
                    let found = &mut all.messages[at];
                    let is_unread = name == "data" || message.name() == "opaque";
                    if is_unread || message.notes().any(|note| level_of(note) == Level::Broken) {
                        all.fault[at].get_or_insert(start);
                    }
                    // A heartbeat of five zeros is no evidence of a Pip-Boy: whether the first ones are shown depends on
                    // what has arrived behind them.
                    let is_no_evidence = found.is_empty() && (name, message.name()) == ("pipboy", "heartbeat");
                    if all.fault[at].is_none() && !is_no_evidence {
                        let end = start + node.bytes().len() as u64;
                        let full = format!("{name} {}", message.name());
                        let is_run = RUNS.contains(&name) || ["rs data", "ssh encrypted"].contains(&full.as_str());
                        let words = if is_run { name.to_owned() } else { full };
                        match found.last_mut() {
                            Some((last, range)) if is_run && *last == words && range.end == start => range.end = end,
                            _ => found.push((words, start..end)),
                        }
                    }
                }
            }
            Ok(())
        });
    });
    all
}

/// The same bytes give the same messages, however segments are cut and ordered, up to the first ones that no dissector explains:
/// where it finds its way back into a damaged stream may depend on segments, and so may what the other side sends from then on.
pub fn check_cuts(conversation: &Conversation) {
    if conversation.registry > 0 {
        check_cuts_of(conversation, conversation.registry());
    }
}

/// The same for a conversation that this registry reads.
pub fn check_cuts_of(conversation: &Conversation, registry: Registry) {
    if !conversation.is_complete() {
        return;
    }
    let found = [messages(&conversation.frames(), registry), messages(&conversation.uncut().frames(), registry)];
    let sound = conversation.sound(&found);
    let [cut, whole] = found.map(|found| sound.map(|(side, end)| before(&found.messages[side.index()], end)));
    assert_eq!(cut, whole, "segment boundaries change the messages");
}

/// The messages that end at this offset or before.
fn before(messages: &[Place], end: u64) -> Vec<Place> {
    messages.iter().filter(|(_, range)| range.end <= end).cloned().collect()
}
