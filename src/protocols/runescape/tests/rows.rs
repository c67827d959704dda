//! Every packet of every table: made of random values by the rules of the reference, and read back.

use super::*;
use proptest::prelude::*;
use std::fmt::Write;

/// The tables as they are shipped: revision and text.
const TABLES: [(&str, &str); 9] = [
    ("225", include_str!("../tables/225.tsv")),
    ("244", include_str!("../tables/244.tsv")),
    ("245", include_str!("../tables/245.2.tsv")),
    ("254", include_str!("../tables/254.tsv")),
    ("274", include_str!("../tables/274.tsv")),
    ("317", include_str!("../tables/317.tsv")),
    ("377", include_str!("../tables/377.tsv")),
    ("550", include_str!("../tables/550.tsv")),
    ("223", include_str!("../tables/osrs-223.tsv")),
];

/// Random numbers, the same ones for the same seed.
pub struct Dice(pub u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16 ^ self.0 >> 40
    }

    fn up_to(&mut self, most: u64) -> u64 {
        self.roll() % (most + 1)
    }
}

/// A row of a table.
pub struct Line {
    pub side: Side,
    pub opcode: u16,
    pub size: i32,
    pub name: &'static str,
    pub fields: &'static str,
}

pub fn lines(table: &'static str) -> impl Iterator<Item = Line> {
    table.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let side = if cells[0] == "s2c" { SERVER } else { CLIENT };
        Line { side, opcode: cells[1].parse().unwrap(), size: cells[2].parse().unwrap(), name: cells[3], fields: cells[4] }
    })
}

/// A payload, and what its fields are shown as, in their order.
#[derive(Default)]
pub struct Made {
    pub bytes: Vec<u8>,
    shown: Vec<String>,
}

/// A number of so many bytes, its value as it is shown.
fn number(dice: &mut Dice, kind: &str, out: &mut Vec<u8>) -> Option<String> {
    let (signed, rest) = (kind.starts_with('i'), kind.get(1..)?);
    let (width, how) = rest.split_once('_').unwrap_or((rest, ""));
    let bits: u32 = width.parse().ok()?;
    let bytes = usize::try_from(bits / 8).ok()?;
    let raw = dice.roll() & (u64::MAX >> (64 - bits));
    let big: Vec<u8> = raw.to_be_bytes()[8 - bytes..].to_vec();
    let low = big[bytes - 1];
    let with = |low: u8| [&big[..bytes - 1], &[low]].concat();
    let at = |order: &[usize]| order.iter().map(|place| big[*place]).collect::<Vec<u8>>();
    out.extend(match (bytes, how) {
        (_, "") => big.clone(),
        (_, "le") => big.iter().rev().copied().collect(),
        (1, "neg") => with(low.wrapping_neg()),
        (1, "sub") => with(128_u8.wrapping_sub(low)),
        (_, "add") => with(low.wrapping_add(128)),
        (2, "add_le") => with(low.wrapping_add(128)).into_iter().rev().collect(),
        // What the reference says is written: hi lo mid, mid hi lo; bits 8-15, 0-7, 24-31, 16-23; 16-23, 24-31, 0-7, 8-15.
        (3, "alt2") => at(&[0, 2, 1]),
        (3, "alt3") => at(&[1, 0, 2]),
        (4, "me") => at(&[2, 3, 0, 1]),
        (4, "ime") => at(&[1, 0, 3, 2]),
        _ => return None,
    });
    let shift = 64 - bits;
    Some(if signed { ((raw << shift).cast_signed() >> shift).to_string() } else { raw.to_string() })
}

fn word(dice: &mut Dice) -> String {
    (0..dice.up_to(9)).map(|_| char::from(b'a' + u8::try_from(dice.up_to(25)).unwrap())).collect()
}

/// A name in base 37 that ends in no underscore.
fn name(dice: &mut Dice) -> (u64, String) {
    let name = word(dice) + "z";
    (name.bytes().fold(0, |number, letter| number * 37 + u64::from(letter - b'a' + 1)), name)
}

/// Chat of the letters that take one nibble, an even number of them.
fn chat(dice: &mut Dice) -> (Vec<u8>, String) {
    const LETTERS: &[u8; 13] = b" etaoihnsrdlu";
    let nibbles: Vec<u8> = (0..2 * dice.up_to(8)).map(|_| u8::try_from(dice.up_to(12)).unwrap()).collect();
    let text = nibbles.iter().map(|nibble| char::from(LETTERS[usize::from(*nibble)])).collect();
    (nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect(), text)
}

fn random(dice: &mut Dice, count: u64) -> Vec<u8> {
    (0..count).map(|_| u8::try_from(dice.up_to(255)).unwrap()).collect()
}

/// A value of this type. What it is shown as is kept where that is one value.
fn value(dice: &mut Dice, kind: &str, made: &mut Made, capacity: usize, slots: &mut u64) {
    let Made { bytes, shown } = made;
    if let Some(number) = number(dice, kind, bytes) {
        shown.push(number);
        return;
    }
    match kind {
        "com32" | "com32_le" | "com32_me" | "com32_ime" => {
            let number = number(dice, &kind.replace("com", "i"), bytes).unwrap();
            shown.push(number);
        }
        "name37" => {
            let (number, name) = name(dice);
            bytes.extend(number.to_be_bytes());
            shown.push(format!("{name:?}"));
        }
        "name37[]" => (0..dice.up_to(4)).for_each(|_| bytes.extend(name(dice).0.to_be_bytes())),
        "jstr" | "jstr0" => {
            let word = word(dice);
            bytes.extend(word.bytes());
            bytes.push(if kind == "jstr" { 10 } else { 0 });
            shown.push(format!("{word:?}"));
        }
        "packed_text" => {
            let (packed, text) = chat(dice);
            bytes.extend(packed);
            shown.push(format!("{text:?}"));
        }
        "packed_text_rev_add" => {
            let (packed, text) = chat(dice);
            bytes.extend(packed.iter().rev().map(|byte| byte.wrapping_add(128)));
            shown.push(format!("{text:?}"));
        }
        "bytes" | "opaque" => {
            let count = dice.up_to(20);
            bytes.extend(random(dice, count));
        }
        "steps" | "steps_377" => {
            let count = 2 * dice.up_to(24);
            bytes.extend(random(dice, count));
        }
        "minimap_click" => {
            let count = [4, 2, 4, 1];
            let parts = count.map(|count| random(dice, count));
            bytes.extend([&parts[0], &[57][..], &parts[1], &[89], &parts[2], &parts[3], &[63]].concat());
        }
        "mouse_click" => {
            let raw = (dice.up_to(4095) << 20 | dice.up_to(1) << 19 | dice.up_to(384_794)).to_be_bytes();
            bytes.extend(&raw[4..]);
        }
        "mouse_moves" => {
            for _ in 0..dice.up_to(5) {
                let size = dice.up_to(2) + 2;
                let first = [0, 0x80, 0xc0][usize::try_from(size - 2).unwrap()];
                let rest = random(dice, size);
                bytes.push(first | rest[0] & if first == 0 { 0x7f } else { 0x3f });
                bytes.extend(&rest[1..]);
            }
        }
        "hint_arrow" => {
            bytes.push([1, 2, 3, 4, 5, 6, 10, 255][usize::try_from(dice.up_to(7)).unwrap()]);
            bytes.extend(random(dice, 5));
        }
        "palette" => {
            let mut bits = String::new();
            for _ in 0..676 {
                let (is_there, raw) = (dice.up_to(9) == 0, dice.up_to((1 << 26) - 1));
                let _ = if is_there { write!(bits, "1{raw:026b}") } else { write!(bits, "0") };
            }
            bytes.extend(super::packets::bits(&bits));
        }
        "region_crcs" => {
            let count = 10 * dice.up_to(5);
            bytes.extend(random(dice, count));
        }
        "zone_packets" | "npc_info" | "player_info" => {}
        _ if kind.starts_with("inv_") => inventory(dice, kind, bytes, capacity, slots),
        _ => {
            let (each, count) = kind.strip_suffix(']').unwrap().split_once('[').unwrap();
            let count = count.parse().unwrap_or_else(|_| dice.up_to(6));
            (0..count).for_each(|_| drop(number(dice, each, bytes).unwrap()));
        }
    }
}

fn inventory(dice: &mut Dice, kind: &str, bytes: &mut Vec<u8>, capacity: usize, slots: &mut u64) {
    *slots = dice.up_to(12);
    // Where a list is full, its number of slots stands right in front.
    if kind.contains("full") {
        let at = bytes.len() - capacity;
        bytes.splice(at.., slots.to_be_bytes()[8 - capacity..].iter().copied());
    }
    for _ in 0..*slots {
        let many = dice.up_to(3) == 0;
        let few = if many { 255 } else { u8::try_from(dice.up_to(254)).unwrap() };
        if kind == "inv_partial_225" {
            bytes.push(u8::try_from(dice.up_to(255)).unwrap());
        } else if kind.contains("partial") {
            let slot = u16::try_from(dice.up_to(300)).unwrap();
            if slot < 128 { bytes.push(u8::try_from(slot).unwrap()) } else { bytes.extend((slot + 32768).to_be_bytes()) }
        }
        let item = random(dice, 2);
        let count = if kind == "inv_full_377" { few.wrapping_neg() } else { few };
        let more = if many { random(dice, 4) } else { Vec::new() };
        bytes.extend(if kind == "inv_full_317" {
            [&[count][..], &more, &item].concat()
        } else {
            [&item[..], &[count], &more].concat()
        });
    }
}

/// A packet of this row.
pub fn made(dice: &mut Dice, revision: &str, line: &Line) -> Made {
    let mut made = Made::default();
    if line.fields == "-" {
        let size = if line.size < 0 { dice.up_to(40) } else { u64::try_from(line.size).unwrap() };
        made.bytes = random(dice, size);
        return made;
    }
    let (mut slots, mut capacity) = (0, 0);
    for field in line.fields.split(' ').filter(|field| !field.is_empty()) {
        let (_, kind) = field.split_once(':').unwrap();
        let before = made.shown.len();
        value(dice, kind, &mut made, capacity, &mut slots);
        capacity = if kind == "u8" { 1 } else { 2 };
        if kind.starts_with("inv_full") && before > 0 {
            made.shown[before - 1] = slots.to_string();
        }
        match kind {
            "player_info" => made.bytes.extend(info(dice, revision, true)),
            "npc_info" => made.bytes.extend(info(dice, revision, false)),
            _ => {}
        }
    }
    made
}

/// Some that are known and walk or stand, one that comes into sight, nothing new of anybody.
fn info(dice: &mut Dice, revision: &str, is_player: bool) -> Vec<u8> {
    let mut bits = String::new();
    let mut one = |bits: &mut String, gone: bool| match dice.up_to(3) {
        0 => bits.push('0'),
        1 => bits.push_str("1011010"),
        2 => bits.push_str("1100011100"),
        _ if gone => bits.push_str("111"),
        _ => bits.push('0'),
    };
    if is_player {
        one(&mut bits, false);
    }
    bits.push_str("00000101");
    (0..5).for_each(|_| one(&mut bits, true));
    bits.push_str(match (revision, is_player) {
        ("225" | "244" | "245" | "254" | "274", true) => "00000000111 00001 11111 1 0",
        ("317", true) => "00000000111 0 1 00001 11111",
        (_, true) => "00000000111 00001 0 1 11111",
        ("225" | "244" | "245" | "254", false) => "0000000000111 00000000011 00001 11111 0",
        ("274", false) => "00000000000111 00000000011 00001 11111 1 0",
        ("317", false) => "00000000000111 00001 11111 1 000000000011 0",
        (_, false) => "00000000000111 0 00001 11111 1 0000000000011",
    });
    super::packets::bits(&bits)
}

/// The packet around a payload.
fn framed(line: &Line, payload: &[u8], is_long: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    match line.opcode.to_be_bytes() {
        [high, low] if is_long && line.side == SERVER && line.opcode > 127 => bytes.extend([high + 128, low]),
        [_, low] => bytes.push(low),
    }
    match line.size {
        -1 => bytes.push(u8::try_from(payload.len()).unwrap()),
        -2 => bytes.extend(u16::try_from(payload.len()).unwrap().to_be_bytes()),
        _ => {}
    }
    bytes.extend(payload);
    bytes
}

/// What a tree shows of the fields of the packet itself that have one value.
fn shown(tree: &str, line: &Line) -> Vec<String> {
    let mark = format!(" rs.{}.", line.name);
    let own = tree.lines().filter(|shown| shown.starts_with("  ") && !shown.starts_with("   ") && shown.contains(&mark));
    own.filter_map(|shown| {
        let (place, value) = shown.split_once(" = ")?;
        let field = place.rsplit('.').next()?;
        let kind = line.fields.split(' ').find_map(|word| word.strip_prefix(&format!("{field}:")))?;
        let is_one = !kind.contains('[') && kind != "bytes" && kind != "opaque";
        let named = if value.starts_with('"') { value } else { value.split(' ').next().unwrap_or_default() };
        is_one.then(|| named.to_owned())
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn every_row_is_read_back(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let begun = [(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, V10), (SERVER, V9_IN)].map(|(side, hex)| (side, trial::bytes(hex))).to_vec();
        for (revision, table) in TABLES {
            let settings = [("rs.revision", revision), ("rs.isaac", "off")];
            for line in lines(table) {
                let made = made(&mut dice, revision, &line);
                if made.bytes.len() > 255 && line.size == -1 {
                    continue;
                }
                let packet = framed(&line, &made.bytes, revision == "223");
                let mut said = begun.clone();
                said.push((line.side, packet.clone()));
                let trees = talk(&settings, &said);
                prop_assert_eq!(trees.len(), 5, "{} {} {:02x?}\n{}", revision, line.name, packet, trees.concat());
                let tree = &trees[4];
                let is_named = tree.starts_with(&format!("rs 0..{} | {}", packet.len(), line.name));
                prop_assert!(is_named && !tree.contains("! broken") && !tree.contains("rs.trailing"), "{} {} {:02x?}\n{}", revision, line.name, packet, tree);
                prop_assert_eq!(shown(tree, &line), made.shown, "{} {} {:02x?}\n{}", revision, line.name, packet, tree);
            }
        }
    }
}

/// A session log with every packet of the table, made as the reference describes it.
fn log(dice: &mut Dice) -> (Vec<u8>, Vec<(Side, &'static str)>) {
    let mut file = [&1_u32.to_be_bytes()[..], &223_u32.to_be_bytes(), &1_u32.to_be_bytes(), &[5, 1]].concat();
    file.extend(1_720_000_000_000_u64.to_be_bytes());
    file.extend([1, 45, 0, 0, 0, 3, 7]);
    file.extend(b"world.example\0-\0");
    file.extend([0, 9, 0, 4, 1, 2, 3, 4]);
    file.extend(b"client\0");
    file.extend([0, 0, 0, 2, 0xaa, 0xbb]);
    let mut said = Vec::new();
    for line in lines(TABLES[8].1) {
        let made = made(dice, "223", &line);
        if made.bytes.len() > 255 && line.size == -1 {
            continue;
        }
        let number = dice.up_to(20_000) << 1 | u64::from(line.side == SERVER);
        let groups = [14, 7, 0].map(|shift| u8::try_from(number >> shift & 0x7f).unwrap());
        let first = groups.iter().position(|group| *group != 0).unwrap_or(2);
        let last = groups.len() - 1;
        file.extend(groups.iter().enumerate().skip(first).map(|(at, group)| if at < last { group | 0x80 } else { *group }));
        file.extend(framed(&line, &made.bytes, true));
        said.push((line.side, line.name));
    }
    (file, said)
}

#[test]
fn a_session_log_holds_every_packet_of_osrs_223() {
    use crate::engine::Engine;
    use crate::input::{Capture, Format};
    use crate::registry::Registry;
    use crate::tree::{Ends, Want};
    let (file, said) = log(&mut Dice(223));
    assert!(said.len() > 225);
    let mut capture = Capture::open(Box::new(std::io::Cursor::new(file.clone()))).unwrap();
    assert_eq!(capture.format(), Format::RsProx);
    let mut engine = Engine::new(Registry::default(), Want::EVERYTHING);
    let mut found = Vec::new();
    while let Some(frame) = capture.next_frame().unwrap() {
        let tree = engine.dissect(&frame);
        for layer in tree.layers.iter().filter(|layer| layer.message) {
            let Ends { stream, .. } = &tree.ends[layer.ends as usize];
            found.push((stream.unwrap().1, tree.made(layer.name).to_owned()));
        }
        let broken = tree.notes.iter().any(|note| note.code.is(&crate::protocols::runescape::fields::MALFORMED));
        assert!(!broken, "{:?}", found.last());
    }
    assert_eq!(found.remove(0), (SERVER, "session_log".to_owned()));
    let said: Vec<_> = said.iter().map(|(side, name)| (*side, (*name).to_owned())).collect();
    assert_eq!(found, said);
    // A cut in the header or in a record is told.
    for cut in [30, 60, file.len() - 1] {
        let opened = Capture::open(Box::new(std::io::Cursor::new(file[..cut].to_vec())));
        let told = opened.map_err(|error| error.to_string()).and_then(|mut capture| {
            loop {
                match capture.next_frame() {
                    Ok(Some(_)) => {}
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error.to_string()),
                }
            }
        });
        assert!(told.is_err(), "{cut}");
    }
}
