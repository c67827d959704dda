//! The minimum program for a capture with the same crates: the baseline of `benches/whole.sh`.
//!
//! `bare_loop count FILE` parses blocks and headers, reorders TCP segments and counts bytes per stream. `lines` also writes a
//! line for each packet, `columns` the eight columns of the benchmark. It supports only Ethernet and classic pcap, keeps no
//! spans, makes no notes, and tolerates no errors.

use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{LegacyPcapReader, PcapBlockOwned, PcapError};
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::IpAddr;

/// Size of one read from the file.
const BLOCK: usize = 1 << 20;

/// Source and destination.
type Ends = (IpAddr, u16, IpAddr, u16);

/// One direction of a TCP connection.
#[derive(Default)]
struct Direction {
    next: Option<u32>,
    parked: BTreeMap<u32, Vec<u8>>,
    bytes: u64,
    sum: u64,
}

impl Direction {
    /// Accepts a segment: in-order bytes are counted, early ones are buffered.
    fn accept(&mut self, seq: u32, syn: bool, payload: &[u8]) {
        let seq = seq.wrapping_add(u32::from(syn));
        let next = *self.next.get_or_insert(seq);
        if seq == next {
            self.read(payload);
        } else if seq.wrapping_sub(next) < 1 << 31 {
            self.parked.entry(seq).or_insert_with(|| payload.to_vec());
            return;
        } else {
            let known = next.wrapping_sub(seq) as usize;
            self.read(payload.get(known..).unwrap_or_default());
        }
        while let Some((seq, payload)) = self.parked.pop_first() {
            let known = self.next.unwrap_or_default().wrapping_sub(seq);
            if known >= 1 << 31 {
                self.parked.insert(seq, payload);
                return;
            }
            self.read(payload.get(known as usize..).unwrap_or_default());
        }
    }

    /// Reads every byte, as every dissector must.
    fn read(&mut self, payload: &[u8]) {
        self.bytes += payload.len() as u64;
        self.sum = payload.iter().fold(self.sum, |sum, byte| sum.wrapping_add(u64::from(*byte)));
        let len = u32::try_from(payload.len()).unwrap_or_default();
        self.next = self.next.map(|next| next.wrapping_add(len));
    }
}

/// The work per packet beyond counting.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    Count,
    Lines,
    Columns,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let task = match arguments.next().as_deref() {
        Some("count") => Task::Count,
        Some("lines") => Task::Lines,
        Some("columns") => Task::Columns,
        _ => return Err("usage: bare_loop count|lines|columns FILE".into()),
    };
    let file = File::open(arguments.next().ok_or("a file is missing")?)?;
    let mut reader = LegacyPcapReader::new(BLOCK, file)?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut streams: HashMap<Ends, Direction, foldhash::fast::RandomState> = HashMap::default();
    let mut frames: u64 = 0;
    loop {
        match reader.next() {
            Ok((offset, block)) => {
                if let PcapBlockOwned::Legacy(packet) = block {
                    frames += 1;
                    let time = (packet.ts_sec, packet.ts_usec);
                    one(packet.data, (frames, time, packet.origlen), task, &mut streams, &mut out)?;
                }
                reader.consume(offset);
            }
            Err(PcapError::Eof) => break,
            Err(PcapError::Incomplete(_)) => reader.refill().map_err(|error| format!("{error:?}"))?,
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    let (bytes, sum) = streams.values().fold((0, 0_u64), |(bytes, sum), of| (bytes + of.bytes, sum.wrapping_add(of.sum)));
    if task == Task::Count {
        writeln!(out, "{frames} frames, {} directions, {bytes} bytes in order, sum {sum}", streams.len())?;
    }
    out.flush()?;
    Ok(())
}

/// Handles one packet.
fn one(
    frame: &[u8],
    (number, (seconds, micros), len): (u64, (u32, u32), u32),
    task: Task,
    streams: &mut HashMap<Ends, Direction, foldhash::fast::RandomState>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Ok(packet) = SlicedPacket::from_ethernet(frame) else { return Ok(()) };
    let (src, dst): (IpAddr, IpAddr) = match &packet.net {
        Some(NetSlice::Ipv4(ip)) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        Some(NetSlice::Ipv6(ip)) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        _ => return Ok(()),
    };
    let (name, from, to, payload) = match &packet.transport {
        Some(TransportSlice::Tcp(tcp)) => {
            let direction = streams.entry((src, tcp.source_port(), dst, tcp.destination_port())).or_default();
            direction.accept(tcp.sequence_number(), tcp.syn(), tcp.payload());
            ("TCP", tcp.source_port(), tcp.destination_port(), tcp.payload().len())
        }
        Some(TransportSlice::Udp(udp)) => ("UDP", udp.source_port(), udp.destination_port(), udp.payload().len()),
        _ => ("IP", 0, 0, 0),
    };
    match task {
        Task::Count => Ok(()),
        Task::Lines => writeln!(out, "{number} {seconds}.{micros:06} {src}:{from} {dst}:{to} {name} {len} {payload} bytes"),
        Task::Columns => {
            let ports = if name == "TCP" { format!("{from},{to}") } else { String::new() };
            writeln!(out, "{number}\t{seconds}.{micros:06}000\t{len}\t{src}\t{dst}\t{ports}\t{payload}\t{name}")
        }
    }
}
