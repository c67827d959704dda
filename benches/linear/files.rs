//! Attacks on file readers: hex text, pcapng blocks, and session logs of RuneScape.

use super::load::{CLIENT, Load, SERVER, udp, word};
use super::measure::{FRAMES, TEXT};
use super::{Attack, Kind};
use proto_dissect::input::{DIALECTS, Dialect};
use std::io;

type Write = fn(&mut Load) -> io::Result<()>;

pub fn all() -> Vec<Attack> {
    let texts: &[(&str, &str, Write)] = &[
        ("hex, one line", FRAMES, hex_line),
        ("hex, a packet each line", FRAMES, hex_packets),
        ("hex, a packet each dump", FRAMES, hex_dumps),
        ("hex, comments", FRAMES, hex_comments),
        ("hex, offsets", FRAMES, hex_offsets),
        ("hex, strings", FRAMES, hex_strings),
    ];
    let blocks: &[(&str, &str, Write)] = &[
        ("pcapng interfaces", "udp", interfaces),
        ("pcapng sections", "udp", sections),
        ("pcapng options", "udp", options),
        ("pcapng comments", "udp", comments),
        ("pcapng unknown blocks", "udp", unknown_blocks),
    ];
    let logs: &[(&str, &str, Write)] = &[("runescape session", "rs", rs_session), ("runescape npcs anew", "rs", rs_npcs)];
    let attack = |ending| {
        move |(name, shows, write): &(&str, &'static str, Write)| Attack {
            name: (*name).to_owned(),
            shows,
            kind: Kind::File(ending),
            views: super::VIEWS,
            write: Box::new(*write),
        }
    };
    let files = texts.iter().map(attack("txt")).chain(blocks.iter().map(attack("pcapng"))).chain(logs.iter().map(attack("bin")));
    files.chain(DIALECTS.iter().map(line_of)).collect()
}

/// The example of a dialect of hex text again and again in one line, all of which its detector and those before it see.
fn line_of(dialect: &'static Dialect) -> Attack {
    let name = dialect.name.split([',', '(']).next().unwrap_or_default().trim_end();
    let start = dialect.example.rfind('\n').map_or(0, |end| end + 1);
    let (above, row) = dialect.example.split_at(start);
    let write = move |load: &mut Load| {
        load.put(above.as_bytes())?;
        repeat(load, format!("{row} ").as_bytes())
    };
    Attack {
        name: format!("hex, one line: {name}"),
        shows: TEXT,
        kind: Kind::File("txt"),
        views: super::VIEWS,
        write: Box::new(write),
    }
}

fn repeat(load: &mut Load, text: &[u8]) -> io::Result<()> {
    while load.is_within_limit() {
        load.put(text)?;
    }
    Ok(())
}

fn hex_line(load: &mut Load) -> io::Result<()> {
    repeat(load, b"23 00 00 00 ")
}

fn hex_packets(load: &mut Load) -> io::Result<()> {
    repeat(load, b"0000 45 00 00 14\n")
}

/// Dumps of two lines each, all different.
fn hex_dumps(load: &mut Load) -> io::Result<()> {
    let mut number: u32 = 0;
    while load.is_within_limit() {
        let [a, b, c, d] = number.to_be_bytes();
        load.put(format!("0000 {a:02x} {b:02x} {c:02x} {d:02x}\n0004 ff\n\n").as_bytes())?;
        number += 1;
    }
    Ok(())
}

fn hex_comments(load: &mut Load) -> io::Result<()> {
    load.put(b"0000 45 00 00 14\n")?;
    repeat(load, b"# c\n")
}

fn hex_offsets(load: &mut Load) -> io::Result<()> {
    repeat(load, b"0000 ")
}

fn hex_strings(load: &mut Load) -> io::Result<()> {
    load.put(b"b\"")?;
    repeat(load, b"\\x45")?;
    load.put(b"\"")
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let len = word(body.len() + 12).to_le_bytes();
    [&kind.to_le_bytes(), &len[..], body, &len].concat()
}

fn section() -> Vec<u8> {
    block(0x0a0d_0d0a, b"\x4d\x3c\x2b\x1a\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff")
}

/// A raw IP interface.
fn interface() -> Vec<u8> {
    block(1, &[101, 0, 0, 0, 0, 0, 0, 0])
}

/// A packet of an interface, with options after it.
fn packet(interface: u32, options: &[u8]) -> Vec<u8> {
    let mut bytes = udp([CLIENT, SERVER], [1, 2], b"abc");
    let len = word(bytes.len()).to_le_bytes();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    block(6, &[&interface.to_le_bytes()[..], &[0; 8], &len, &len, &bytes, options].concat())
}

fn option(code: u16, text: &[u8]) -> Vec<u8> {
    let mut option = [code.to_le_bytes(), super::load::half(text.len()).to_le_bytes()].concat();
    option.extend(text);
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

fn interfaces(load: &mut Load) -> io::Result<()> {
    load.put(&section())?;
    let mut count = 0;
    while load.is_within_limit() {
        load.put(&interface())?;
        load.put(&packet(count, &[]))?;
        count += 1;
    }
    Ok(())
}

fn sections(load: &mut Load) -> io::Result<()> {
    repeat(load, &[section(), interface(), packet(0, &[])].concat())
}

fn options(load: &mut Load) -> io::Result<()> {
    load.put(&[section(), interface()].concat())?;
    repeat(load, &packet(0, &option(1, b"c").repeat(2000)))
}

fn comments(load: &mut Load) -> io::Result<()> {
    load.put(&[section(), interface()].concat())?;
    repeat(load, &packet(0, &option(1, &[b'C'; 60_000])))
}

fn unknown_blocks(load: &mut Load) -> io::Result<()> {
    load.put(&[section(), interface(), packet(0, &[])].concat())?;
    repeat(load, &block(0x0bad_0bad, &[]))
}

/// A log of revision 239, and the size of its header.
const LOG: &[u8] = include_bytes!("../../samples/runescape-osrs-239.bin");
const HEADER: usize = 74;

/// The same session repeatedly: each begins with a map and the list of players.
fn rs_session(load: &mut Load) -> io::Result<()> {
    load.put(LOG.get(..HEADER).unwrap_or_default())?;
    repeat(load, LOG.get(HEADER..).unwrap_or_default())
}

/// Lists of new NPCs of maximum packet length, in which each index occurs twice.
fn rs_npcs(load: &mut Load) -> io::Result<()> {
    const NEW: u16 = 5400;
    load.put(LOG.get(..HEADER).unwrap_or_default())?;
    // A server record: npc_info_small_v5, its length, and no known NPC.
    let [high, low] = (12 * NEW + 1).to_be_bytes();
    let mut record = vec![1, 85, high, low, 0];
    for number in (0..NEW).chain(0..NEW) {
        // Index, five bit fields and the type take 48 bits.
        record.extend(number.to_be_bytes());
        record.extend([0, 0, 0, 1]);
    }
    repeat(load, &record)
}
