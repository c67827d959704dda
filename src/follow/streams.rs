//! List of the conversations of a capture, with byte counts.

use super::{Event, Follower};
use crate::limits;
use crate::render::{Grid, Head, Members, Rfc3339, Role, Theme, Thousands, object, seconds};
use crate::tree::{Address, BySide, Dissection, Field, Side, StreamId, Time, Transport};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::io::{self, Write};

/// A conversation.
#[derive(Debug, Clone)]
pub struct Stream {
    /// Number.
    pub id: StreamId,
    /// Client and server.
    pub ends: [Option<Address>; 2],
    /// The protocol of the first message that has one.
    pub protocol: Option<&'static Field>,
    /// Bytes sent by the client and by the server.
    pub bytes: BySide<u64>,
    /// Sent bytes missing from the capture.
    pub missing: BySide<u64>,
    /// Number of frames.
    pub frames: u64,
    /// Time of the first frame.
    pub first: Time,
    /// Time of the last frame.
    pub last: Time,
}

/// The conversations of a capture.
pub struct Streams {
    follower: Follower,
    known: KnownStreams,
    existing: Existing,
    start: Time,
}

#[derive(Default)]
struct KnownStreams(HashMap<StreamId, Stream, foldhash::fast::RandomState>);

impl Default for Streams {
    fn default() -> Streams {
        Streams { follower: Follower::new(None), known: KnownStreams::default(), existing: Existing::default(), start: None }
    }
}

/// Numbers of conversations in a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Existing {
    counts: [u32; 4],
}

impl Existing {
    /// Records the conversations of a tree.
    pub fn see(&mut self, of: Dissection<'_>) {
        for (id, _) in of.tree.ends.iter().filter_map(|ends| ends.stream) {
            let [tcp, udp, sctp, usb] = &mut self.counts;
            let count = match id.transport {
                Transport::Tcp => tcp,
                Transport::Udp => udp,
                Transport::Sctp => sctp,
                Transport::Usb => usb,
            };
            *count = id.number.saturating_add(1).max(*count);
        }
    }

    fn total(self) -> u64 {
        self.counts.into_iter().map(u64::from).sum()
    }

    /// Whether the conversation exists.
    pub fn has(&self, id: StreamId) -> bool {
        let [tcp, udp, sctp, usb] = self.counts;
        let count = match id.transport {
            Transport::Tcp => tcp,
            Transport::Udp => udp,
            Transport::Sctp => sctp,
            Transport::Usb => usb,
        };
        id.number < count
    }
}

impl fmt::Display for Existing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for (name, count) in ["tcp", "udp", "sctp", "usb"].into_iter().zip(self.counts) {
            match count {
                0 => continue,
                1 => write!(f, "{between}{name}/0")?,
                _ => write!(f, "{between}{name}/0 to {name}/{}", count - 1)?,
            }
            between = " and ";
        }
        if between.is_empty() { f.write_str("no conversations") } else { Ok(()) }
    }
}

impl Streams {
    /// Records a frame, or pending data at the end of the capture.
    pub fn see(&mut self, of: Dissection<'_>, captured: bool) {
        self.existing.see(of);
        let tree = of.tree;
        let time = tree.frame.time;
        self.start = self.start.or(time);
        let mut carried = None;
        for layer in tree.layers.iter().filter(|_| captured) {
            let Some(ends) = tree.ends.get(layer.ends as usize) else { continue };
            let Some((id, side)) = ends.stream else { continue };
            let is_transport = of.layer_node(layer).is_some_and(|node| matches!(node.field().abbrev, "tcp" | "udp"));
            // Payload captured without lower layers.
            if !is_transport && (layer.below.is_some() || carried == Some(id)) {
                continue;
            }
            carried = Some(id);
            if let Some(stream) = self.known.stream(id) {
                stream.frames += 1;
                stream.first = stream.first.or(time);
                stream.last = time.or(stream.last);
                stream.ends = if side == Side::Client { [ends.src, ends.dst] } else { [ends.dst, ends.src] };
            }
        }
        let known = &mut self.known;
        let _: Result<(), Infallible> = self.follower.collect(of, captured, |event| {
            known.count(event);
            Ok(())
        });
    }

    /// Keeps only some conversations.
    pub fn retain(&mut self, is_meant: impl Fn(StreamId) -> bool) {
        self.known.0.retain(|stream, _| is_meant(*stream));
        self.existing = Existing::default();
    }

    /// Conversations sorted by transport and number.
    pub fn in_order(&self) -> Vec<&Stream> {
        let mut streams: Vec<&Stream> = self.known.0.values().collect();
        streams.sort_unstable_by_key(|stream| (stream.id.transport, stream.id.number));
        streams
    }

    /// Prints a table.
    pub fn print(&self, theme: Theme, width: Option<usize>, to: &mut dyn Write) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("stream", Role::Stream),
            Head::words("client", Role::Address),
            Head::words("server", Role::Address),
            Head::words("protocol", Role::Protocol),
            Head::number("frames"),
            Head::number("c2s bytes"),
            Head::number("s2c bytes"),
            Head::number("missing"),
            Head::number("first"),
            Head::number("last"),
        ];
        let mut grid = Grid::new(to, theme, HEADS).within(width);
        for stream in self.in_order() {
            let ([client, server], BySide { client: c2s, server: s2c }) = (stream.ends, stream.bytes);
            let BySide { client: lost_c2s, server: lost_s2c } = stream.missing;
            grid.cell(stream.id)?
                .cell(Shown(client))?
                .cell(Shown(server))?
                .cell(stream.protocol.map_or("", |protocol| protocol.name))?
                .cell(Thousands(stream.frames))?
                .cell(Thousands(c2s))?
                .cell(Thousands(s2c))?
                .cell(Thousands(lost_c2s + lost_s2c))?
                .cell(Since(self.start, stream.first))?
                .cell(Since(self.start, stream.last))?;
        }
        grid.end()?;
        match self.existing.total().saturating_sub(self.known.0.len() as u64) {
            0 => Ok(()),
            left_out => writeln!(to, "  … and {left_out} more beyond the limit"),
        }
    }

    /// Prints JSON objects, in one array or one per line.
    pub fn print_json(&self, as_array: bool, to: &mut dyn Write) -> io::Result<()> {
        let mut between = if as_array { "[\n" } else { "" };
        for stream in self.in_order() {
            to.write_all(between.as_bytes())?;
            object(to, |of| self.members(stream, of))?;
            between = if as_array { ",\n" } else { "\n" };
        }
        match (as_array, self.known.0.is_empty()) {
            (true, true) => to.write_all(b"[]\n"),
            (true, false) => to.write_all(b"\n]\n"),
            (false, true) => Ok(()),
            (false, false) => to.write_all(b"\n"),
        }
    }

    fn members(&self, stream: &Stream, of: &mut Members<'_, '_>) -> io::Result<()> {
        of.put("type", "stream")?;
        of.words("stream", stream.id)?;
        for (key, end) in ["client", "server"].into_iter().zip(stream.ends) {
            if let Some(end) = end {
                of.words(key, end)?;
            }
        }
        if let Some(protocol) = stream.protocol {
            of.put("protocol", protocol.abbrev)?;
        }
        of.put("frames", &stream.frames)?;
        for (key, BySide { client: c2s, server: s2c }) in [("bytes", stream.bytes), ("missing", stream.missing)] {
            of.object(key, |sides| {
                sides.put("c2s", &c2s)?;
                sides.put("s2c", &s2c)
            })?;
        }
        for (key, time) in [("first", stream.first), ("last", stream.last)] {
            if let Some(time) = time.and_then(Rfc3339::of) {
                of.words(key, time)?;
            }
        }
        Ok(())
    }
}

impl KnownStreams {
    fn count(&mut self, event: Event<'_>) {
        match event {
            Event::Payload(payload) => {
                let Some(stream) = self.stream(payload.stream) else { return };
                stream.bytes[payload.side] += payload.bytes.len() as u64;
                if stream.protocol.is_none_or(|protocol| protocol.abbrev == "data") {
                    stream.protocol = payload.message.protocol();
                }
            }
            Event::Missing(missing) => {
                let Some(stream) = self.stream(missing.stream) else { return };
                stream.missing[missing.side] += missing.len;
            }
        }
    }

    /// Entry of a conversation; `None` for a new one beyond the limit.
    fn stream(&mut self, id: StreamId) -> Option<&mut Stream> {
        if self.0.len() >= limits::FOLLOW_CONVERSATIONS.get() && !self.0.contains_key(&id) {
            return None;
        }
        let (none, nothing) = ([None; 2], BySide::default());
        let new =
            || Stream { id, ends: none, protocol: None, bytes: nothing, missing: nothing, frames: 0, first: None, last: None };
        Some(self.0.entry(id).or_insert_with(new))
    }
}

/// Formats an address, or a dash.
struct Shown(Option<Address>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => address.fmt(f),
            None => f.write_str("-"),
        }
    }
}

/// Difference of two times in seconds, if both are known.
struct Since(Time, Time);

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Some(start), Some(time)) => seconds(time.since(start), 6, f),
            _ => Ok(()),
        }
    }
}
