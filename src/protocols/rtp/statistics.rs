//! RTP streams with loss, delta and jitter, as tshark's `rtp,streams`.
//!
//! Delta and jitter are computed as in RFC 3550, 6.4.1, and summarized as in tshark: packets with the marker bit, comfort noise and
//! the packets after it follow a pause and are excluded. Lost packets are the expected packets of RFC 3550, A.3, minus the received
//! ones. Clock rates are those of RFC 3551, or announced by SDP for the port.

use crate::limits;
use crate::tree::{Address, Demand, Dissection, Field, Layer, NodeRef, Only};
use crate::wire::statistics::{Cell, ColumnKind, Columns, Counter, Fact, Facts, Named, Report, Seen, Statistic, Takes, is_of};
use std::collections::HashMap;
use std::net::SocketAddr;

/// Streams with loss, delta and jitter.
pub static STREAMS: Statistic =
    Statistic::new(["rtp,streams", "rtp", "RTP streams: packets, loss, delta, jitter"], |named| Box::new(Streams::new(named)))
        .takes(Takes::Nothing);

/// Maximum number of payload types listed per stream.
const PAYLOADS: usize = 8;

/// First dynamic payload type.
const DYNAMIC: u8 = 96;

/// Payload types of comfort noise: RFC 3389, and a reserved one.
const COMFORT_NOISE: [u8; 2] = [13, 19];

/// Maximum number of packets that a sequence number may go back; beyond that, it wrapped around.
const MISORDERED: u16 = 3000;

/// Nanoseconds per millisecond.
const MILLISECOND: f64 = 1e6;

/// Weights of the previous jitter, and of all.
const BEFORE: f64 = 15.0;
const ALL: f64 = 16.0;

/// Minimum, mean and maximum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Spread {
    /// Minimum.
    least: f64,
    mean: f64,
    /// Maximum.
    greatest: f64,
}

impl Spread {
    /// Adds a value after `count` previous ones.
    fn add(spread: &mut Option<Spread>, number: f64, before: u64) {
        let known = spread.get_or_insert(Spread { least: number, mean: 0.0, greatest: number });
        let before = before as f64;
        known.least = known.least.min(number);
        known.greatest = known.greatest.max(number);
        known.mean = (known.mean * (before - 1.0) + number) / before;
    }
}

/// An RTP stream: packets of one SSRC between two endpoints.
#[derive(Debug, Clone)]
struct Stream {
    /// Source and destination.
    ends: [SocketAddr; 2],
    ssrc: u32,
    /// Times of the first and the last packet, in nanoseconds since the first frame of the capture.
    times: [i64; 2],
    /// Distinct payload types.
    payloads: Vec<String>,
    /// Number of received packets.
    packets: u64,
    /// Delta in milliseconds.
    delta: Option<Spread>,
    /// Jitter in milliseconds.
    jitter: Option<Spread>,
    /// Packets out of sequence.
    misordered: u64,
    numbers: Numbers,
    clock: Clock,
}

/// Extended sequence numbers.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    first: u64,
    highest: u64,
    last: u16,
}

/// State of the previous packet.
#[derive(Debug, Clone, Copy)]
struct Clock {
    /// Extended timestamps of the first and the last packet.
    first: i64,
    last: i64,
    /// Arrival time of the last packet in milliseconds, and its nominal time.
    came: f64,
    nominal: f64,
    jitter: f64,
    payload: u8,
}

/// Values of a packet.
#[derive(Debug, Clone, Copy)]
struct Packet {
    number: u16,
    timestamp: u32,
    payload: u8,
    marked: bool,
    /// Clock rate in Hz, if known.
    rate: Option<u32>,
    /// Nanoseconds since the first frame.
    at: i64,
}

impl Stream {
    /// Number of lost packets; negative with duplicates.
    fn lost(&self) -> i64 {
        self.expected().saturating_sub(i64::try_from(self.packets).unwrap_or(i64::MAX))
    }

    /// Number of expected packets.
    fn expected(&self) -> i64 {
        let Numbers { first, highest, .. } = self.numbers;
        i64::try_from(highest.saturating_sub(first)).unwrap_or(i64::MAX).saturating_add(1)
    }

    fn new(ends: [SocketAddr; 2], ssrc: u32, packet: &Packet) -> Stream {
        let timestamp = i64::from(packet.timestamp);
        // Start above zero, for packets before the first one.
        let number = (1 << 16) + u64::from(packet.number);
        let came = packet.at as f64 / MILLISECOND;
        let clock = Clock { first: timestamp, last: timestamp, came, nominal: 0.0, jitter: 0.0, payload: packet.payload };
        Stream {
            ends,
            ssrc,
            times: [packet.at; 2],
            payloads: Vec::new(),
            packets: 1,
            delta: None,
            jitter: None,
            misordered: 0,
            numbers: Numbers { first: number, highest: number, last: packet.number },
            clock,
        }
    }

    fn add(&mut self, packet: &Packet) {
        self.misordered += u64::from(packet.number != self.numbers.last.wrapping_add(1));
        self.numbers.see(packet.number);
        let [first, last] = self.times;
        self.times = [first.min(packet.at), last.max(packet.at)];
        self.space(packet);
        self.packets += 1;
    }

    fn space(&mut self, packet: &Packet) {
        let clock = &mut self.clock;
        let [a, b, c, d, ..] = clock.last.to_le_bytes();
        let step = packet.timestamp.wrapping_sub(u32::from_le_bytes([a, b, c, d])).cast_signed();
        clock.last = clock.last.saturating_add(step.into());
        let is_noise = |payload: u8| COMFORT_NOISE.contains(&payload);
        let follows_noise = is_noise(std::mem::replace(&mut clock.payload, packet.payload));
        // Packets sampled before the first one are ignored.
        if clock.last < clock.first {
            return;
        }
        let came = packet.at as f64 / MILLISECOND;
        let delta = came - std::mem::replace(&mut clock.came, came);
        let counts = !packet.marked && !is_noise(packet.payload) && !follows_noise;
        if counts {
            Spread::add(&mut self.delta, delta, self.packets);
        }
        let Some(rate) = packet.rate.filter(|rate| *rate > 0) else { return };
        let nominal = (clock.last - clock.first) as f64 * 1000.0 / f64::from(rate);
        let expected = nominal - std::mem::replace(&mut clock.nominal, nominal);
        clock.jitter = (BEFORE * clock.jitter + (delta - expected).abs()) / ALL;
        if counts {
            Spread::add(&mut self.jitter, clock.jitter, self.packets);
        }
    }
}

impl Numbers {
    fn see(&mut self, number: u16) {
        let [low, high, ..] = self.highest.to_le_bytes();
        let ahead = number.wrapping_sub(u16::from_le_bytes([low, high]));
        if ahead.wrapping_neg() > MISORDERED {
            self.highest = self.highest.saturating_add(ahead.into());
            self.last = number;
        }
    }
}

/// Source, destination and SSRC.
type Key = ([SocketAddr; 2], u32);

/// Payload type announced for a port: its name and clock rate.
type Announced = HashMap<(u16, u8), (String, u32), foldhash::fast::RandomState>;

/// RTP streams of a capture.
#[derive(Debug)]
struct Streams {
    /// Packets of streams beyond the limit.
    left_out: u64,
    all: Vec<Stream>,
    index: HashMap<Key, usize, foldhash::fast::RandomState>,
    announced: Announced,
    layers: Vec<&'static Field>,
    facts: [Vec<&'static Field>; 5],
    media: Vec<&'static Field>,
    attributes: Vec<&'static Field>,
}

impl Streams {
    fn new(named: Named<'_>) -> Streams {
        let facts = ["rtp.seq", "rtp.timestamp", "rtp.ssrc", "rtp.p_type", "rtp.marker"].map(named);
        let [layers, media, attributes] = ["rtp", "sdp.media", "sdp.session_attr"].map(named);
        let (index, announced) = (HashMap::default(), Announced::default());
        Streams { left_out: 0, all: Vec::new(), index, announced, layers, facts, media, attributes }
    }

    fn packet(&mut self, of: Dissection<'_>, layer: &Layer, node: NodeRef<'_>, at: i64) {
        let Some(ends) = of.tree.ends.get(layer.ends as usize) else { return };
        let (Some(Address::Socket(src)), Some(Address::Socket(dst))) = (ends.src, ends.dst) else { return };
        let [number, timestamp, ssrc, payload, marker] = &self.facts;
        let find = |fields: &[&'static Field]| node.behind().find(|node| is_of(fields, node.field()));
        let value = |fields: &[&'static Field]| find(fields).and_then(NodeRef::number);
        let (Some(number), Some(timestamp), Some(ssrc), Some(kind)) =
            (value(number), value(timestamp), value(ssrc), value(payload))
        else {
            return;
        };
        let name = find(payload).and_then(NodeRef::name);
        let marked = value(marker) == Some(1);
        let (Ok(number), Ok(timestamp), Ok(ssrc), Ok(payload)) =
            (u16::try_from(number), u32::try_from(timestamp), u32::try_from(ssrc), u8::try_from(kind))
        else {
            return;
        };
        let announced = [dst, src].iter().find_map(|end| self.announced.get(&(end.port(), payload)));
        let rate = announced.filter(|_| payload >= DYNAMIC).map(|(_, rate)| *rate).or_else(|| rate_of(payload));
        let announced = announced.map(|(name, _)| name.clone());
        let name = name.map(str::to_owned).or(announced).unwrap_or_else(|| format!("type {payload}"));
        let packet = Packet { number, timestamp, payload, marked, rate, at };
        let key = ([src, dst], ssrc);
        let place = match self.index.get(&key) {
            Some(place) => {
                if let Some(stream) = self.all.get_mut(*place) {
                    stream.add(&packet);
                }
                *place
            }
            None if limits::STATS_RTP.exceeds(self.all.len()) => {
                self.index.insert(key, self.all.len());
                self.all.push(Stream::new([src, dst], ssrc, &packet));
                self.all.len() - 1
            }
            None => return self.left_out += 1,
        };
        if let Some(stream) = self.all.get_mut(place)
            && stream.payloads.len() < PAYLOADS
            && !stream.payloads.contains(&name)
        {
            stream.payloads.push(name);
        }
    }

    /// Stores payload types announced by SDP.
    fn announcements(&mut self, of: Dissection<'_>) {
        let mut port = None;
        for (place, node) in (0..).zip(&of.tree.nodes) {
            let (is_media, is_attribute) = (is_of(&self.media, node.field), is_of(&self.attributes, node.field));
            if !is_media && !is_attribute {
                continue;
            }
            let Some(text) = of.node(place).map(NodeRef::text) else { continue };
            if is_media {
                port = text.split(' ').nth(1).and_then(|port| port.split('/').next()?.parse().ok());
            } else if let (Some(port), Some((payload, name, rate))) = (port, mapping(&text)) {
                let key = (port, payload);
                if limits::STATS_RTP.exceeds(self.announced.len()) || self.announced.contains_key(&key) {
                    self.announced.insert(key, (name.to_owned(), rate));
                }
            }
        }
    }
}

impl Counter for Streams {
    fn demand(&self) -> Demand {
        let fields = Only::these(self.facts.iter().chain([&self.media, &self.attributes]).flatten().copied());
        Demand::of_stream_fields(fields)
    }

    fn tree(&mut self, of: Dissection<'_>, seen: Seen) {
        self.announcements(of);
        for layer in &of.tree.layers {
            let Some(node) = of.layer_node(layer).filter(|node| is_of(&self.layers, node.field())) else { continue };
            self.packet(of, layer, node, seen.since_start.unwrap_or_default());
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Columns(self)
    }
}

impl Columns for Streams {
    fn title(&self) -> [&'static str; 2] {
        ["RTP streams", "no RTP; without SDP, use -d udp.port==PORT,rtp"]
    }

    fn heads(&self) -> &'static [(&'static str, ColumnKind)] {
        use ColumnKind::{Name, Number, Problem, Value};
        &[
            ("start s", Number),
            ("end s", Number),
            ("source", Name),
            ("destination", Name),
            ("SSRC", Number),
            ("payload", Value),
            ("packets", Number),
            ("lost", Number),
            ("min delta ms", Number),
            ("mean", Number),
            ("max", Number),
            ("min jitter ms", Number),
            ("mean", Number),
            ("max", Number),
            ("problems", Problem),
        ]
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Vec<Cell>> + '_> {
        Box::new(self.all.iter().map(|stream| {
            let ([start, end], [src, dst]) = (stream.times, stream.ends);
            let (lost, expected) = (stream.lost(), stream.expected());
            let text = Cell::Text;
            let mut row = vec![Cell::Seconds(start), Cell::Seconds(end), text(src.to_string()), text(dst.to_string())];
            row.extend([text(format!("0x{:08x}", stream.ssrc)), text(stream.payloads.join(", ")), Cell::Count(stream.packets)]);
            row.push(text(format!("{lost} ({:.1}%)", 100.0 * lost as f64 / expected as f64)));
            for spread in [stream.delta, stream.jitter] {
                let numbers = spread.map(|Spread { least, mean, greatest }| [least, mean, greatest]);
                let shown = |at: usize| numbers.and_then(|numbers| numbers.get(at).map(|number| format!("{number:.3}")));
                row.extend((0..3).map(|at| text(shown(at).unwrap_or_default())));
            }
            row.push(text(if stream.misordered > 0 { "sequence" } else { "" }.to_owned()));
            row
        }))
    }

    fn left_out(&self) -> Option<String> {
        (self.left_out > 0).then(|| format!("{} packets of more streams", self.left_out))
    }

    fn facts(&self) -> Facts<'_> {
        let mut facts = vec![("streams", Fact::list(&self.all, Stream::facts))];
        if self.left_out > 0 {
            facts.push(("left_out", self.left_out.into()));
        }
        facts
    }
}

impl Stream {
    fn facts(&self) -> Facts<'_> {
        let ([start, end], [src, dst]) = (self.times.map(|time| time as f64 / 1e9), self.ends);
        let mut facts: Facts<'_> = vec![
            ("start", start.into()),
            ("end", end.into()),
            ("src", src.to_string().into()),
            ("dst", dst.to_string().into()),
            ("ssrc", u64::from(self.ssrc).into()),
            ("payloads", Fact::Texts(&self.payloads)),
            ("packets", self.packets.into()),
            ("expected", self.expected().into()),
            ("lost", self.lost().into()),
            ("misordered", self.misordered.into()),
        ];
        for (key, spread) in [("delta_ms", self.delta), ("jitter_ms", self.jitter)] {
            let Some(Spread { least, mean, greatest }) = spread else { continue };
            let numbers = [("least", least), ("mean", mean), ("greatest", greatest)];
            facts.push((key, Fact::Object(numbers.map(|(key, number)| (key, number.into())).into())));
        }
        facts
    }
}

/// Parses `rtpmap:97 opus/48000/2`.
fn mapping(attribute: &str) -> Option<(u8, &str, u32)> {
    let (payload, encoding) = attribute.strip_prefix("rtpmap:")?.trim().split_once(' ')?;
    let mut parts = encoding.trim().split('/');
    let name = parts.next().filter(|name| name.len() <= 64)?;
    Some((payload.parse().ok()?, name, parts.next()?.parse().ok()?))
}

/// Clock rate of a static payload type (RFC 3551, tables 4 and 5).
fn rate_of(payload: u8) -> Option<u32> {
    match payload {
        0 | 3..=5 | 7..=9 | 12 | 13 | 15 | 18 | 19 => Some(8000),
        6 => Some(16_000),
        10 | 11 => Some(44_100),
        14 | 25 | 26 | 28 | 31..=34 => Some(90_000),
        16 => Some(11_025),
        17 => Some(22_050),
        _ => None,
    }
}
