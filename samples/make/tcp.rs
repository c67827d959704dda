//! A TCP conversation of two ordinary stacks, written as a script of segments, losses and reordering.
//!
//! Acknowledgements are automatic: for every second segment at once, for a single one after 40 ms unless data goes the other
//! way before, for a segment out of order at once and with SACK. Sequence numbers wrap. Windows never fill.

use std::time::Duration;

use etherparse::{PacketBuilder, TcpHeader, TcpOptionElement};

use crate::Result;
use crate::capture::Trace;
use crate::net::{self, Endpoint, Link};

/// Delay from a segment to its acknowledgement.
const ANSWER: Duration = Duration::from_micros(310);
/// Interval of consecutive segments.
const SPACING: Duration = Duration::from_micros(124);
/// Delay of the acknowledgement of a single segment.
const DELAYED_ACK: Duration = Duration::from_millis(40);
/// Delay from the third duplicate acknowledgement to the retransmission.
const FAST_RETRANSMIT: Duration = Duration::from_micros(900);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The side that opens the connection.
    Client,
    Server,
}

impl Side {
    pub fn other(self) -> Self {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

/// Properties of an operating system's stack.
#[derive(Clone, Copy)]
pub struct Stack {
    /// Initial sequence number.
    pub first: u32,
    pub mss: u16,
    pub window: u16,
    pub window_scale: u8,
    /// Its timestamp clock in milliseconds, if it uses that option. Both sides must, or neither.
    pub clock: Option<u32>,
}

/// Fate of the segment with this number (from 0) within one `send`.
#[derive(Clone, Copy)]
pub enum Mishap {
    /// Lost after the capture point, so it is retransmitted after the next three.
    Lost(usize),
    /// Overtaken by the next one.
    Overtaken(usize),
    /// Arrives, but is missing in the capture.
    Missed(usize),
}

/// Bytes as the receiving application gets them; one entry for each segment, in order.
pub struct Delivered {
    pub from: Side,
    pub bytes: Vec<u8>,
}

pub struct Conversation {
    pub delivered: Vec<Delivered>,
    link: Link,
    client: End,
    server: End,
}

struct End {
    at: Endpoint,
    stack: Stack,
    /// Next sequence number to send.
    next: u32,
    /// Next expected sequence number of the other end.
    wanted: u32,
    /// Ranges received out of order.
    early: Vec<(u32, u32)>,
    /// Time of the pending acknowledgement, and number of segments it acknowledges.
    ack_due: Option<Duration>,
    waiting: u32,
    /// Latest timestamp of the other end.
    echo: u32,
    packets: u16,
}

/// A segment in transit.
struct Flight {
    number: usize,
    pause: Duration,
    captured: bool,
    arrives: bool,
}

/// Flags of a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Syn,
    SynAck,
    Ack,
    /// PSH: the last segment of a write.
    PshAck,
    FinAck,
    RstAck,
}

/// Properties that differ between the segments of a side.
struct Segment<'a> {
    kind: Kind,
    seq: u32,
    options: &'a [TcpOptionElement],
    payload: &'a [u8],
}

impl Conversation {
    /// Two endpoints before the handshake.
    pub fn new(link: Link, client: (Endpoint, Stack), server: (Endpoint, Stack)) -> Self {
        Conversation { delivered: Vec::new(), link, client: End::new(client), server: End::new(server) }
    }

    /// The three-way handshake.
    pub fn open(&mut self, trace: &mut Trace) -> Result {
        self.syn(trace)?;
        self.client.next = self.client.next.wrapping_add(1);
        self.server.wanted = self.client.next;
        self.server.echo = self.client.tick(trace.now)?;

        trace.wait(ANSWER);
        let offer = self.offer(Side::Server, trace.now)?;
        let first = self.server.next;
        self.transmit(trace, Side::Server, trace.now, Segment { kind: Kind::SynAck, seq: first, options: &offer, payload: &[] })?;
        self.server.next = first.wrapping_add(1);
        self.client.wanted = self.server.next;
        self.client.echo = self.server.tick(trace.now)?;

        trace.wait(ANSWER);
        self.acknowledge(trace, Side::Client, trace.now)
    }

    /// A connection attempt to a closed port.
    pub fn knock(&mut self, trace: &mut Trace) -> Result {
        self.syn(trace)?;
        self.server.wanted = self.client.next.wrapping_add(1);
        trace.wait(ANSWER);
        self.transmit(trace, Side::Server, trace.now, Segment { kind: Kind::RstAck, seq: 0, options: &[], payload: &[] })
    }

    /// Only the first packet of a handshake.
    pub fn syn(&mut self, trace: &mut Trace) -> Result {
        let offer = self.offer(Side::Client, trace.now)?;
        let first = self.client.next;
        self.transmit(trace, Side::Client, trace.now, Segment { kind: Kind::Syn, seq: first, options: &offer, payload: &[] })
    }

    /// Advances the clock, which sends delayed acknowledgements.
    pub fn wait(&mut self, trace: &mut Trace, time: Duration) -> Result {
        trace.wait(time);
        self.settle(trace)
    }

    /// Sends bytes in as few segments as possible.
    pub fn send(&mut self, trace: &mut Trace, from: Side, bytes: &[u8]) -> Result {
        self.send_badly(trace, from, bytes, &[])
    }

    /// Sends bytes with losses and reordering.
    pub fn send_badly(&mut self, trace: &mut Trace, from: Side, bytes: &[u8], mishaps: &[Mishap]) -> Result {
        self.settle(trace)?;
        let base = self.end(from).next;
        let size = self.segment_size();
        let segments: Vec<&[u8]> = bytes.chunks(size).collect();
        for flight in flights(segments.len(), mishaps) {
            let Some(segment) = segments.get(flight.number) else {
                continue;
            };
            let seq = base.wrapping_add(u32::try_from(flight.number * size)?);
            let kind = if flight.number + 1 == segments.len() { Kind::PshAck } else { Kind::Ack };
            trace.wait(flight.pause);
            if flight.captured {
                let options = self.timestamp(from, trace.now)?;
                self.transmit(trace, from, trace.now, Segment { kind, seq, options: &options, payload: segment })?;
            }
            // Data acknowledges as well, which replaces a delayed acknowledgement.
            self.end(from).acknowledged();
            if flight.arrives {
                let tick = self.end(from).tick(trace.now)?;
                self.receive(trace, from.other(), seq, segment.len(), tick)?;
            }
        }
        let end = self.end(from);
        end.next = base.wrapping_add(u32::try_from(bytes.len())?);
        trace.wait(SPACING);
        let delivered = segments.into_iter().map(|segment| Delivered { from, bytes: segment.to_vec() });
        self.delivered.extend(delivered);
        Ok(())
    }

    /// Closes both ends, `first` first.
    pub fn close(&mut self, trace: &mut Trace, first: Side) -> Result {
        self.settle(trace)?;
        for side in [first, first.other()] {
            let options = self.timestamp(side, trace.now)?;
            let seq = self.end(side).next;
            self.transmit(trace, side, trace.now, Segment { kind: Kind::FinAck, seq, options: &options, payload: &[] })?;
            let next = seq.wrapping_add(1);
            let tick = self.end(side).tick(trace.now)?;
            self.end(side).next = next;
            self.end(side).acknowledged();
            let other = self.end(side.other());
            other.wanted = next;
            other.echo = tick;
            trace.wait(ANSWER);
        }
        self.acknowledge(trace, first, trace.now)
    }

    /// Resets the connection.
    pub fn reset(&mut self, trace: &mut Trace, from: Side) -> Result {
        self.settle(trace)?;
        let seq = self.end(from).next;
        self.transmit(trace, from, trace.now, Segment { kind: Kind::RstAck, seq, options: &[], payload: &[] })
    }

    fn end(&mut self, side: Side) -> &mut End {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    fn timestamps(&self) -> bool {
        self.client.stack.clock.is_some() && self.server.stack.clock.is_some()
    }

    fn segment_size(&self) -> usize {
        let options = if self.timestamps() { 12 } else { 0 };
        usize::from(self.client.stack.mss.min(self.server.stack.mss)) - options
    }

    /// Options of a SYN, in the order of Linux with timestamps and of Windows without.
    fn offer(&mut self, side: Side, now: Duration) -> Result<Vec<TcpOptionElement>> {
        use TcpOptionElement::*;
        let answers = side == Side::Server && !self.timestamps();
        let end = self.end(side);
        let mss = MaximumSegmentSize(end.stack.mss);
        let scale = WindowScale(end.stack.window_scale);
        let sack = SelectiveAcknowledgementPermitted;
        if end.stack.clock.is_none() || answers {
            return Ok(vec![mss, Noop, scale, Noop, Noop, sack]);
        }
        let time = Timestamp(end.tick(now)?, end.echo);
        Ok(vec![mss, sack, time, Noop, scale])
    }

    /// Options of every later segment.
    fn timestamp(&mut self, side: Side, now: Duration) -> Result<Vec<TcpOptionElement>> {
        use TcpOptionElement::*;
        if !self.timestamps() {
            return Ok(Vec::new());
        }
        let end = self.end(side);
        Ok(vec![Noop, Noop, Timestamp(end.tick(now)?, end.echo)])
    }

    fn receive(&mut self, trace: &mut Trace, side: Side, seq: u32, len: usize, tick: u32) -> Result {
        let stop = seq.wrapping_add(u32::try_from(len)?);
        let end = self.end(side);
        if seq != end.wanted {
            end.keep_early(seq, stop);
            return self.acknowledge(trace, side, trace.now + ANSWER);
        }
        end.echo = tick;
        end.wanted = stop;
        let filled = end.take_early();
        end.waiting += 1;
        if filled || end.waiting > 1 {
            return self.acknowledge(trace, side, trace.now + ANSWER);
        }
        end.ack_due = Some(trace.now + DELAYED_ACK);
        Ok(())
    }

    /// Sends due delayed acknowledgements.
    fn settle(&mut self, trace: &mut Trace) -> Result {
        for side in [Side::Client, Side::Server] {
            if let Some(due) = self.end(side).ack_due
                && due <= trace.now
            {
                self.acknowledge(trace, side, due)?;
            }
        }
        Ok(())
    }

    fn acknowledge(&mut self, trace: &mut Trace, side: Side, time: Duration) -> Result {
        use TcpOptionElement::*;
        let mut options = self.timestamp(side, time)?;
        let end = self.end(side);
        if let Some(range) = end.early.last() {
            options.extend([Noop, Noop, SelectiveAcknowledgement(*range, [None; 3])]);
        }
        end.acknowledged();
        let seq = end.next;
        self.transmit(trace, side, time, Segment { kind: Kind::Ack, seq, options: &options, payload: &[] })
    }

    fn transmit(&mut self, trace: &mut Trace, side: Side, time: Duration, segment: Segment) -> Result {
        let to = self.end(side.other()).at;
        let link = self.link;
        let end = self.end(side);
        let kind = segment.kind;
        let syn = matches!(kind, Kind::Syn | Kind::SynAck);
        let mut header = TcpHeader {
            source_port: end.at.port,
            destination_port: to.port,
            sequence_number: segment.seq,
            acknowledgment_number: if kind == Kind::Syn { 0 } else { end.wanted },
            syn,
            ack: kind != Kind::Syn,
            psh: kind == Kind::PshAck,
            fin: kind == Kind::FinAck,
            rst: kind == Kind::RstAck,
            window_size: match kind {
                Kind::RstAck => 0,
                _ if syn => end.stack.window, // scaled only afterwards
                _ => end.stack.window >> end.stack.window_scale,
            },
            ..TcpHeader::default()
        };
        header.set_options(segment.options).map_err(|error| format!("TCP options: {error:?}"))?;
        let ip = net::ip(end.at.host, to.host, end.packets)?;
        end.packets = end.packets.wrapping_add(1);
        let mut packet = Vec::new();
        PacketBuilder::ip(ip).tcp_header(header).write(&mut packet, segment.payload)?;
        trace.capture_at(time, link.frame(end.at.host, to.host, &packet));
        Ok(())
    }
}

impl End {
    fn new((at, stack): (Endpoint, Stack)) -> Self {
        End { at, stack, next: stack.first, wanted: 0, early: Vec::new(), ack_due: None, waiting: 0, echo: 0, packets: at.port }
    }

    /// Its timestamp clock, which starts with all samples.
    fn tick(&self, now: Duration) -> Result<u32> {
        let millis = now.saturating_sub(crate::capture::START).as_millis();
        Ok(self.stack.clock.unwrap_or(0).wrapping_add(u32::try_from(millis)?))
    }

    fn acknowledged(&mut self) {
        self.ack_due = None;
        self.waiting = 0;
    }

    fn keep_early(&mut self, seq: u32, stop: u32) {
        match self.early.iter_mut().find(|range| range.1 == seq) {
            Some(range) => range.1 = stop,
            None => self.early.push((seq, stop)),
        }
    }

    /// Whether out-of-order bytes are now contiguous.
    fn take_early(&mut self) -> bool {
        let before = self.early.len();
        while let Some(at) = self.early.iter().position(|range| range.0 == self.wanted) {
            self.wanted = self.early.swap_remove(at).1;
        }
        self.early.len() < before
    }
}

/// The order in which numbered segments are sent.
fn flights(count: usize, mishaps: &[Mishap]) -> Vec<Flight> {
    let mut order: Vec<Flight> =
        (0..count).map(|number| Flight { number, pause: SPACING, captured: true, arrives: true }).collect();
    for mishap in mishaps {
        let (Mishap::Lost(number) | Mishap::Overtaken(number) | Mishap::Missed(number)) = *mishap;
        let Some(at) = order.iter().position(|flight| flight.number == number) else {
            continue;
        };
        match mishap {
            Mishap::Missed(_) => {
                if let Some(flight) = order.get_mut(at) {
                    flight.captured = false;
                }
            }
            Mishap::Overtaken(_) => {
                if at + 1 < order.len() {
                    order.swap(at, at + 1);
                }
            }
            Mishap::Lost(_) => {
                if let Some(flight) = order.get_mut(at) {
                    flight.arrives = false;
                }
                let again = Flight { number, pause: FAST_RETRANSMIT, captured: true, arrives: true };
                order.insert((at + 4).min(order.len()), again);
            }
        }
    }
    order
}
