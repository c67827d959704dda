//! Reference vectors encoded from their values: equal bytes prove the position of each value.

use super::log_writer::{INFO, Log, OWN, PACKETS, read};
use super::notation::encode::Shown;
use super::notation::{Bits, Book, Row, ValueRequest, Values, Writer, Written};
use super::osrs::{VECTORS, bytes};
use super::people::masked;
use super::places::{compare, message, reads_back, shown, tiled};
use super::session_log::zone;
use super::*;
use crate::tree::Dissection;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::VecDeque;
use std::fmt;

/// Bytes of `gpi_init`, which is at the start of the maps that have it.
const INIT: usize = 4608;

/// JSON whose fields keep their order.
#[derive(Clone)]
enum Json {
    Null,
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Json, D::Error> {
        from.deserialize_any(Ordered)
    }
}

struct Ordered;

impl<'de> Visitor<'de> for Ordered {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a vector")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.cast_signed()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = from.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = from.next_entry()? {
            map.push(entry);
        }
        Ok(Json::Map(map))
    }
}

impl Json {
    fn get(&self, key: &str) -> Option<&Json> {
        let Json::Map(map) = self else { return None };
        map.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    fn list(&self) -> &[Json] {
        if let Json::List(list) = self { list } else { &[] }
    }

    fn number(&self) -> i64 {
        if let Json::Number(number) = self { *number } else { panic!("no number") }
    }

    fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { panic!("no text") }
    }
}

/// The content of a vector, in reading order.
#[derive(Debug)]
enum Event {
    /// A group, or a list of this many values.
    Enter(String, usize),
    /// A value of this name.
    Value(String, Option<i64>, String),
}

/// A sequence of the values of a vector.
struct Replay<'b> {
    book: &'b Book,
    events: VecDeque<Event>,
    /// Zones of a palette: width and length.
    zones: (i64, i64),
    /// The bytes of `gpi_init`, which the vector does not repeat.
    init: Vec<u8>,
}

impl<'b> Replay<'b> {
    fn new(book: &'b Book, fields: &Json) -> Replay<'b> {
        let mut events = VecDeque::new();
        flatten("", fields, &mut events);
        Replay { book, events, zones: (13, 13), init: Vec::new() }
    }

    /// The next value with this name. Length prefixes are skipped, because the writer computes them.
    fn next(&mut self, path: &str) -> (Option<i64>, String) {
        let name = path.rsplit('.').next().unwrap();
        let is_any = ["rs.element", "rs.element_name", "rs.zone_packet"].contains(&path) || path.starts_with("rs.script.");
        while let Some(event) = self.events.pop_front() {
            if let Event::Value(key, number, text) = event {
                if is_any || key == name {
                    return (number, text);
                }
                assert!(key == "length" || key == "size", "{path} is asked for, {key} comes");
            }
        }
        panic!("{path} is not in the vector");
    }
}

fn flatten(key: &str, value: &Json, out: &mut VecDeque<Event>) {
    match value {
        Json::Null => out.push_back(Event::Value(key.to_owned(), None, String::new())),
        Json::Number(number) => out.push_back(Event::Value(key.to_owned(), Some(*number), String::new())),
        Json::Text(text) => out.push_back(Event::Value(key.to_owned(), None, text.clone())),
        Json::Map(map) => {
            out.push_back(Event::Enter(key.to_owned(), 1));
            map.iter().for_each(|(key, value)| flatten(key, value, out));
        }
        Json::List(list) => {
            out.push_back(Event::Enter(key.to_owned(), list.len()));
            let in_order: Vec<&Json> = if key == "arguments" { list.iter().rev().collect() } else { list.iter().collect() };
            in_order.into_iter().for_each(|value| flatten(key, value, out));
        }
    }
}

impl Values for Replay<'_> {
    fn number(&mut self, asked: &ValueRequest<'_>) -> i64 {
        let (number, text) = self.next(asked.path);
        match asked.path {
            "rs.zone_packet" => {
                let mut zones = self.book.info.iter().filter(|row| row.entity == "zone");
                i64::try_from(zones.position(|row| row.name == text).unwrap()).unwrap()
            }
            path => number.unwrap_or_else(|| panic!("{path} is {text:?}")),
        }
    }

    fn text(&mut self, asked: &ValueRequest<'_>) -> String {
        self.next(asked.path).1
    }

    fn turns(&mut self, asked: &ValueRequest<'_>) -> usize {
        let name = asked.path.rsplit('.').next().unwrap();
        let is_own = |event: &Event| matches!(event, Event::Enter(key, _) if key == name || asked.path == "rs.script.count");
        let groups = self.events.iter().take_while(|event| matches!(event, Event::Enter(..)));
        match groups.enumerate().find(|(_, event)| is_own(event)).map(|(at, _)| at) {
            Some(at) => match self.events.drain(..=at).next_back() {
                Some(Event::Enter(_, count)) => count,
                _ => 0,
            },
            None => {
                let value = self.events.iter().find(|event| matches!(event, Event::Value(..)));
                usize::from(matches!(value, Some(Event::Value(key, ..)) if key == name))
            }
        }
    }

    fn bytes(&mut self, asked: &ValueRequest<'_>, count: Option<usize>) -> Vec<u8> {
        let (first, text) = self.next(asked.path);
        let Some(first) = first else { return trial::bytes(&text) };
        let others = (1..count.unwrap_or(1)).map(|_| self.next(asked.path).0.unwrap());
        [first].into_iter().chain(others).map(|byte| u8::try_from(byte).unwrap()).collect()
    }

    fn state(&mut self, asked: &ValueRequest<'_>) -> Written {
        match asked.kind {
            "gpi_init" => {
                self.events.retain(|event| !matches!(event, Event::Value(key, ..) if key == "init"));
                players(&self.init)
            }
            "palette" | "palette_entity" => {
                let count = self.turns(asked);
                let zones: Vec<[i64; 4]> = (0..count).map(|_| [(); 4].map(|()| self.next(asked.path).0.unwrap())).collect();
                palette(self.zones, &zones)
            }
            kind => panic!("{kind} is written as blocks"),
        }
    }
}

/// Zones: level, column, row, and 26 bits.
fn palette((width, length): (i64, i64), zones: &[[i64; 4]]) -> Written {
    let mut bits = Bits::default();
    for place in 0..4 * width * length {
        let (level, x, z) = (place / (width * length), place / length % width, place % length);
        match zones.iter().find(|known| known[..3] == [level, x, z]) {
            Some([.., word]) => zone(&mut bits, [word >> 24, word >> 14, word >> 3, word >> 1, *word]),
            None => bits.text.push('0'),
        }
    }
    bits.written()
}

/// `gpi_init` with the values in these bytes.
fn players(init: &[u8]) -> Written {
    let text: String = init.iter().map(|byte| format!("{byte:08b}")).collect();
    let mut bits = Bits::default();
    let put = |bits: &mut Bits, entity: &str, widths: [i32; 3]| {
        for (name, width) in ["level", "x", "z"].iter().zip(widths) {
            let start = bits.text.len();
            let value = i64::from_str_radix(&text[start..start + usize::try_from(width).unwrap()], 2).unwrap();
            bits.put(&format!("rs.{entity}.{name}"), value, width);
        }
    };
    put(&mut bits, "gpi_init", [2, 14, 14]);
    for _ in 0..2046 {
        let start = bits.text.len();
        match &text[start..start + 18] {
            "000000000000000000" => bits.text.push_str("000000000000000000"),
            _ => put(&mut bits, "player_info.far", [2, 8, 8]),
        }
    }
    bits.written()
}

fn book(vector: &Json) -> (u16, Book) {
    let revision = u16::try_from(vector.get("revision").unwrap().number()).unwrap();
    (revision, Book::of(revision, PACKETS, INFO))
}

/// Vectors of a kind, which keep the order of their fields.
fn ordered(kind: &'static str) -> impl Iterator<Item = Json> {
    let all = VECTORS.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    all.filter(move |vector| vector.get("kind").unwrap().text() == kind)
}

/// Writes the values of a packet and compares the bytes with those of the vector.
fn written(row: &Row, mut replay: Replay<'_>, payload: &[u8]) -> Written {
    let book = replay.book;
    let mut writer = Writer::new(book, &mut replay);
    writer.is_long = payload.len() > INIT;
    let written = writer.payload(row);
    assert_eq!(written.bytes, payload, "{}", row.name);
    assert!(replay.events.iter().all(|event| matches!(event, Event::Enter(..))), "{}: {:?}", row.name, replay.events);
    written
}

#[test]
fn fields_of_packets_lie_where_the_vectors_have_their_values() {
    let mut count = 0;
    for vector in ordered("packets") {
        let (revision, book) = book(&vector);
        let is_server = vector.get("direction").unwrap().text() == "s2c";
        let row = book.row(is_server, vector.get("name").unwrap().text());
        assert_eq!(i64::from(row.opcode), vector.get("opcode").unwrap().number());
        let mut log = Log::new(revision, OWN);
        let mut replay = Replay::new(&book, vector.get("fields").unwrap());
        if let Some(zones) = vector.get("entity_zones") {
            let [width, length] = [0, 1].map(|at| zones.list()[at].number());
            replay.zones = (width, length);
            log.enter_entity(&book, [width, length]);
        }
        let payload = bytes(vector.get("hex").unwrap().text());
        log.packet(&row, written(&row, replay, &payload), 0);
        let last = log.records.len() - 1;
        let mut records = 0;
        let compared = log.read(|logged, of| {
            records += 1;
            if records > last { compare(of, logged.name, logged.length, &logged.shown) } else { Ok(()) }
        });
        compared.unwrap_or_else(|why| panic!("{revision}: {why}"));
        count += 1;
    }
    assert_eq!(count, 50);
}

/// Compares an update, whose payload begins after `before` bytes: bits with their values, blocks with their vector.
fn compare_update(book: &Book, of: Dissection<'_>, (before, payload): (usize, &[u8]), entity: &str, expected: &Json) {
    let mut written = Written::default();
    for block in expected.get("blocks").unwrap().list() {
        let [_, mask, fields] = block.list() else { panic!("a block has three parts") };
        let mut replay = Replay::new(book, fields);
        written.append(masked(book, entity, u32::try_from(mask.number()).unwrap(), &mut replay));
    }
    let behind_bits = payload.len() - written.bytes.len();
    assert_eq!(written.bytes, payload[behind_bits..], "{expected}");
    let message = message(of).unwrap();
    tiled(message).unwrap();
    let first = before + behind_bits;
    reads_back(message, before..first).unwrap();
    let is_behind = |shown: &Shown| shown.is_changed || shown.bits.start >= 8 * first;
    let found: Vec<_> = shown(message).into_iter().filter(is_behind).collect();
    let wanted: Vec<_> = written.shown.into_iter().map(|shown| shown.after(first)).collect();
    let place = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
    assert_eq!(place.map(|place| &found[place]), place.map(|place| &wanted[place]));
    assert_eq!(found.len(), wanted.len());
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Number(number) => write!(f, "{number}"),
            Json::Text(text) => write!(f, "{text:?}"),
            Json::List(list) => list.iter().try_for_each(|value| write!(f, "{value} ")),
            Json::Map(map) => map.iter().try_for_each(|(key, value)| write!(f, "{key}:{value} ")),
        }
    }
}

/// Logs the steps of a sequence after its beginning, and compares each.
fn sequence(vector: &Json, entity: &str, name: impl Fn(&Json) -> String) {
    let (revision, book) = book(vector);
    let own = vector.get("local").map_or(OWN, |own| usize::try_from(own.number()).unwrap());
    let mut log = Log::new(revision, own);
    if let Some(init) = vector.get("init") {
        let init = bytes(init.text());
        log.packet(&book.row(true, "reconnect"), players(&init), 0);
        assert!(log.file.ends_with(&init));
    }
    let first = log.records.len();
    let steps = vector.get("packets").unwrap().list();
    for step in steps {
        let payload = Written { bytes: bytes(step.get("hex").unwrap().text()), shown: Vec::new() };
        log.packet(&book.row(true, &name(step)), payload, 600);
    }
    let mut at = 0;
    let read = log.read(|logged, of| {
        at += 1;
        let Some(step) = (at - 1_usize).checked_sub(first) else {
            return compare(of, logged.name, logged.length, &logged.shown);
        };
        let payload = bytes(steps[step].get("hex").unwrap().text());
        let before = logged.length - payload.len();
        compare_update(&book, of, (before, &payload), entity, steps[step].get("expect").unwrap());
        Ok(())
    });
    read.unwrap();
    assert_eq!(at, first + steps.len());
}

#[test]
fn bits_and_blocks_of_sequences_lie_where_the_vectors_have_their_values() {
    let players: Vec<Json> = ordered("players").collect();
    players.iter().for_each(|vector| sequence(vector, "player", |_| "player_info".to_owned()));
    let npcs: Vec<Json> = ordered("npcs").collect();
    for vector in &npcs {
        let version = if book(vector).0 < 226 { 4 } else { 5 };
        sequence(vector, "npc", |step| format!("npc_info_{}_v{version}", step.get("size").unwrap().text()));
    }
    assert_eq!((players.len(), npcs.len()), (4, 4));
}

#[test]
fn records_of_logs_lie_where_the_vectors_have_their_values() {
    let mut count = 0;
    for vector in ordered("logs") {
        count += 1;
        let book = book(&vector).1;
        let file = bytes(vector.get("hex").unwrap().text());
        let mut records = vector.get("expect").unwrap().list().iter();
        let read = read(&file, |of| {
            let record = records.next().unwrap();
            let (name, fields) = (record.get("name").unwrap().text(), record.get("fields").unwrap());
            let size = usize::try_from(record.get("size").unwrap().number()).unwrap();
            let (before, payload) = of.bytes.split_at(of.bytes.len() - size);
            match name.split_once("_info") {
                Some((entity @ ("player" | "npc"), _)) => compare_update(&book, of, (before.len(), payload), entity, fields),
                _ => {
                    let row = book.row(record.get("direction").unwrap().text() == "s2c", name);
                    let mut replay = Replay::new(&book, fields);
                    replay.init = payload.get(..INIT).unwrap_or_default().to_vec();
                    let shown = written(&row, replay, payload).shown;
                    let shown: Vec<_> = shown.into_iter().map(|shown| shown.after(before.len())).collect();
                    compare(of, name, of.bytes.len(), &shown)?;
                }
            }
            Ok(())
        });
        read.unwrap();
        assert!(records.next().is_none());
    }
    assert_eq!(count, 2);
}
