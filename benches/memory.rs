//! Peak memory of the program for each view, and the state it drops: `cargo bench --bench memory`.
//!
//! The load is generated: 200,000 connections of eight frames, 2,000 of them open at a time, and a stream of 256 MiB. Captures in
//! `CAPTURES`, separated by colons, are measured as well.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Limit of the whole program in KiB.
const MOST: u64 = 64 << 10;

/// Connections of the load.
const FLOWS: u32 = 200_000;

/// Frames per connection, and number of other connections that begin between two of them.
const STEPS: u32 = 8;
const BETWEEN: u32 = 250;

/// Segments of the long stream, and bytes per segment.
const SEGMENTS: u32 = 188_000;
const SEGMENT: usize = 1428;

const SYN: u8 = 2;
const ACK: u8 = 16;
const FIN: u8 = 1;

/// Measured views by heading.
const VIEWS: &[(&str, &[&str])] = &[
    ("-Y", &["-Y", "ip.src == 203.0.113.254"]),
    ("-l", &["-l"]),
    ("--json", &["--json"]),
    ("-T fields", &["--packets", "-T", "fields", "-e", "frame.number", "-e", "ip.src", "-e", "tcp.port", "-e", "tcp.len"]),
    ("table", &[]),
    ("stats", &["stats", "--json"]),
];

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let made = [make(folder.join("flows.pcap"), flows)?, make(folder.join("bulk.pcap"), bulk)?];
    let named = std::env::var("CAPTURES").unwrap_or_default();
    let named = named.split(':').filter(|name| !name.is_empty()).map(PathBuf::from);
    println!("KiB resident at most, of {MOST}, and how many conversations and states were given up");
    print!("{:<24} {:>12}", "capture", "bytes");
    VIEWS.iter().for_each(|(heading, _)| print!(" {heading:>10}"));
    println!(" {:>10}", "given up");
    for capture in made.iter().cloned().chain(named) {
        let name = capture.file_name().unwrap_or_default().to_string_lossy();
        print!("{name:<24} {:>12}", capture.metadata()?.len());
        let report = folder.join("stats.json");
        let mut is_over = false;
        for (_, arguments) in VIEWS {
            let to = if arguments.first() == Some(&"stats") { File::create(&report)?.into() } else { Stdio::null() };
            match peak(&capture, arguments, to)? {
                Some(peak) => {
                    is_over |= peak > MOST;
                    print!(" {peak:>10}");
                }
                None => print!(" {:>10}", "unknown"),
            }
            io::stdout().flush()?;
        }
        println!(" {:>10}{}", evicted_streams(&std::fs::read_to_string(&report)?), if is_over { "   too much" } else { "" });
        std::fs::remove_file(report)?;
    }
    made.iter().try_for_each(std::fs::remove_file)
}

/// Dropped state according to statistics; 0 if they do not mention it.
fn evicted_streams(stats: &str) -> u64 {
    let after = ["\"forgotten_conversations\":", "\"forgotten_states\":"].into_iter().filter_map(|key| stats.split_once(key));
    let digits = |(_, value): (_, &str)| value.split(|other: char| !other.is_ascii_digit()).next()?.parse::<u64>().ok();
    after.filter_map(digits).sum()
}

/// Peak resident memory in KiB while the program reads a capture; `None` if the system does not report it.
fn peak(capture: &Path, arguments: &[&str], to: Stdio) -> io::Result<Option<u64>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proto-dissect"));
    command.env("XDG_CONFIG_HOME", "/dev/null");
    let mut child = command.args(arguments).arg(capture).stdout(to).stderr(Stdio::null()).spawn()?;
    let mut peak = None;
    while child.try_wait()?.is_none() {
        peak = peak.max(resident(&child));
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(peak)
}

fn resident(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().split(' ').next()?.parse().ok()
}

fn make(path: PathBuf, fill: fn(&mut Load) -> io::Result<()>) -> io::Result<PathBuf> {
    let mut load = Load { to: BufWriter::new(File::create(&path)?), frames: 0 };
    // The header of a capture file: version 2.4, snap length 64 KiB, Ethernet.
    for word in [0xa1b2_c3d4_u32, 4 << 16 | 2, 0, 0, 1 << 16, 1] {
        load.to.write_all(&word.to_le_bytes())?;
    }
    fill(&mut load)?;
    load.to.flush()?;
    Ok(path)
}

fn flows(load: &mut Load) -> io::Result<()> {
    for newest in 0..FLOWS + STEPS * BETWEEN {
        for step in 0..STEPS {
            let Some(flow) = newest.checked_sub(step * BETWEEN).filter(|flow| *flow < FLOWS) else { continue };
            let (seq, other) = (flow.wrapping_mul(7919), flow.wrapping_mul(104_729));
            let (request, answer) = (&[0xee; 200][..], &[0xee; 900][..]);
            match step {
                0 => load.client(flow, SYN, seq, 0, &[]),
                1 => load.server(flow, SYN | ACK, other, seq.wrapping_add(1), &[]),
                2 => load.client(flow, ACK, seq.wrapping_add(1), other.wrapping_add(1), &[]),
                3 => load.client(flow, ACK, seq.wrapping_add(1), other.wrapping_add(1), request),
                4 => load.server(flow, ACK, other.wrapping_add(1), seq.wrapping_add(201), answer),
                5 => load.client(flow, FIN | ACK, seq.wrapping_add(201), other.wrapping_add(901), &[]),
                6 => load.server(flow, FIN | ACK, other.wrapping_add(901), seq.wrapping_add(202), &[]),
                _ => load.client(flow, ACK, seq.wrapping_add(202), other.wrapping_add(902), &[]),
            }?;
        }
    }
    Ok(())
}

fn bulk(load: &mut Load) -> io::Result<()> {
    let mut seq = 1;
    for _ in 0..SEGMENTS {
        load.client(0, ACK, seq, 1, &[0xee; SEGMENT])?;
        seq = seq.wrapping_add(1428);
        load.server(0, ACK, 1, seq, &[])?;
    }
    Ok(())
}

/// A capture under construction.
struct Load {
    to: BufWriter<File>,
    frames: u32,
}

impl Load {
    fn client(&mut self, flow: u32, flags: u8, seq: u32, ack: u32, payload: &[u8]) -> io::Result<()> {
        let (client, server) = ends(flow);
        self.frame(client, server, flags, (seq, ack), payload)
    }

    fn server(&mut self, flow: u32, flags: u8, seq: u32, ack: u32, payload: &[u8]) -> io::Result<()> {
        let (client, server) = ends(flow);
        self.frame(server, client, flags, (seq, ack), payload)
    }

    /// Ethernet, IPv4 and TCP without checksums.
    fn frame(&mut self, src: End, dst: End, flags: u8, (seq, ack): (u32, u32), payload: &[u8]) -> io::Result<()> {
        let [.., high, low] = (40 + payload.len()).to_be_bytes();
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, high, low, 0, 0, 0, 0, 64, 6, 0, 0];
        frame.extend([src.0, dst.0].concat());
        frame.extend([src.1.to_be_bytes(), dst.1.to_be_bytes()].concat());
        frame.extend([seq.to_be_bytes(), ack.to_be_bytes()].concat());
        frame.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
        frame.extend_from_slice(payload);
        let micros = self.frames * 10;
        let length = u32::try_from(frame.len()).unwrap_or(u32::MAX);
        for word in [micros / 1_000_000, micros % 1_000_000, length, length] {
            self.to.write_all(&word.to_le_bytes())?;
        }
        self.frames += 1;
        self.to.write_all(&frame)
    }
}

/// An endpoint.
type End = ([u8; 4], u16);

/// Client and server of a connection: 4,000 clients, 1,000 servers, separate client ports.
fn ends(flow: u32) -> (End, End) {
    let [_, _, a, b] = (flow % 4000).to_be_bytes();
    let [_, _, c, d] = (flow.wrapping_mul(31) % 1000).to_be_bytes();
    let port = u16::try_from(1024 + flow / 4000).unwrap_or_default();
    (([10, 20, a, b], port), ([203, c, 113, d], 40_000))
}
