//! Exported objects of a session: paths of players as JSON and as a picture, and chat as text.

use super::super::super::png;
use super::Tile;
use crate::limits;
use crate::tree::{Object, Time, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Tiles per side of a region.
const REGION: i64 = 64;

/// Tiles around the paths, and the most tiles per side of a picture.
const MARGIN: i64 = 8;
const WIDEST: i64 = 2048;

/// Pixels per side that a picture of few tiles is enlarged to, and the most pixels per side of a tile.
const ENLARGED: usize = 512;
const TILE: usize = 8;

/// Gray levels: ground, grid of regions, paths of others, path of the local player.
const GROUND: u8 = 255;
const GRID: u8 = 208;
const OTHERS: u8 = 128;
const OWN: u8 = 0;

/// Position of a player at a time.
struct Position {
    time: Time,
    index: u16,
    tile: Tile,
}

/// Positions and messages in order. It is empty unless objects are exported.
#[derive(Default)]
pub struct Journal {
    positions: Vec<Position>,
    chat: String,
    left_out: u64,
}

impl Journal {
    /// Approximate heap size in bytes.
    pub fn memory_usage(&self) -> usize {
        self.positions.capacity() * size_of::<Position>() + self.chat.capacity()
    }

    /// Records the position of a player.
    pub fn record_position(&mut self, time: Time, index: u16, tile: Tile) {
        if limits::RS_POSITIONS.exceeds(self.positions.len()) {
            self.positions.push(Position { time, index, tile })
        } else {
            self.left_out += 1
        }
    }

    /// Records a message.
    pub fn say(&mut self, time: Time, channel: &str, speaker: Option<&str>, text: &str) {
        if !limits::RS_CHAT.exceeds(self.chat.len()) {
            self.left_out += 1;
            return;
        }
        // Writing to a String does not fail.
        if let Some(Timestamp { seconds, nanos }) = time {
            let _ = write!(self.chat, "{} ", Clock { seconds, millis: nanos / 1_000_000 });
        }
        let _ = write!(self.chat, "[{channel}] ");
        if let Some(speaker) = speaker {
            let _ = write!(self.chat, "{speaker}: ");
        }
        let _ = writeln!(self.chat, "{text}");
    }

    /// Returns the exportable objects.
    pub fn objects(&self, own: Option<u16>, name: impl Fn(u16) -> Option<String>) -> Vec<Object> {
        let mut objects = Vec::new();
        let mut add = |kind, name: &str, bytes| objects.push(Object { kind, name: name.to_owned(), bytes, marks: Vec::new() });
        if !self.positions.is_empty() {
            add("path", "paths.json", self.paths(own, &name));
            if let Some(picture) = self.picture(own) {
                add("path", "paths.png", picture);
            }
        }
        if !self.chat.is_empty() {
            add("chat", "chat.txt", self.chat.clone().into_bytes());
        }
        objects
    }

    /// The path of each player, the local one first, a point a line.
    fn paths(&self, own: Option<u16>, name: &impl Fn(u16) -> Option<String>) -> Vec<u8> {
        let mut paths: BTreeMap<(bool, u16), Vec<&Position>> = BTreeMap::new();
        for position in &self.positions {
            paths.entry((own != Some(position.index), position.index)).or_default().push(position);
        }
        let start = self.positions.iter().find_map(|position| position.time);
        let point = |position: &&Position| {
            let millis = position.time.zip(start).map(|(time, start)| time.nanos_since(start) / 1_000_000);
            json!({ "ms": millis, "level": position.tile.level, "x": position.tile.x, "y": position.tile.z }).to_string()
        };
        let player = |((is_other, index), positions): ((bool, u16), Vec<&Position>)| {
            let points: Vec<String> = positions.iter().map(point).collect();
            let (name, is_local) = (Value::from(name(index)), !is_other);
            let head = format!("{{\"index\":{index},\"name\":{name},\"local\":{is_local},\"path\":[\n");
            head + &points.join(",\n") + "\n]}"
        };
        let players: Vec<String> = paths.into_iter().map(player).collect();
        format!("{{\"left_out\":{},\"players\":[\n{}\n]}}\n", self.left_out, players.join(",\n")).into_bytes()
    }

    /// The paths over the grid of regions, north at the top.
    fn picture(&self, own: Option<u16>) -> Option<Vec<u8>> {
        // The picture is centred on the local player if the paths are too distant from each other.
        let of_own = |position: &&Position| own.is_none_or(|own| position.index == own);
        let all: Vec<&Position> = self.positions.iter().collect();
        let of_own: Vec<&Position> = self.positions.iter().filter(of_own).collect();
        let frame = [all, of_own].iter().filter_map(|positions| Frame::around(positions)).find(|frame| frame.is_small())?;
        let mut canvas = Canvas::new(frame.size())?;
        for (row, y) in (0..).zip((frame.south..=frame.north).rev()) {
            for (column, x) in (0..).zip(frame.west..=frame.east) {
                if x % REGION == 0 || y % REGION == 0 {
                    canvas.set((column, row), GRID);
                }
            }
        }
        let is_own = |position: &Position| own == Some(position.index);
        for shade in [OTHERS, OWN] {
            for position in self.positions.iter().filter(|position| is_own(position) == (shade == OWN)) {
                if let Some(place) = frame.place(position.tile) {
                    canvas.set(place, shade);
                }
            }
        }
        canvas.png()
    }
}

/// Tiles as squares of pixels.
struct Canvas {
    width: usize,
    height: usize,
    /// Pixels per side of a tile.
    scale: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// A canvas with this many columns and rows of tiles.
    fn new((columns, rows): (usize, usize)) -> Option<Canvas> {
        let scale = (ENLARGED / columns.max(rows).max(1)).clamp(1, TILE);
        let (width, height) = (columns * scale, rows * scale);
        Some(Canvas { width, height, scale, pixels: vec![GROUND; width.checked_mul(height)?] })
    }

    fn set(&mut self, (column, row): (usize, usize), shade: u8) {
        for line in row * self.scale..(row + 1) * self.scale {
            let start = line * self.width + column * self.scale;
            if let Some(pixels) = self.pixels.get_mut(start..start + self.scale) {
                pixels.fill(shade);
            }
        }
    }

    fn png(&self) -> Option<Vec<u8>> {
        png::gray(u32::try_from(self.width).ok()?, u32::try_from(self.height).ok()?, self.width, &self.pixels)
    }
}

/// Tiles of a picture.
struct Frame {
    west: i64,
    east: i64,
    south: i64,
    north: i64,
}

impl Frame {
    fn around(positions: &[&Position]) -> Option<Frame> {
        let ends = |of: fn(&Tile) -> u16| {
            let all = || positions.iter().map(|position| i64::from(of(&position.tile)));
            Some((all().min()? - MARGIN, all().max()? + MARGIN))
        };
        let ((west, east), (south, north)) = (ends(|tile| tile.x)?, ends(|tile| tile.z)?);
        Some(Frame { west, east, south, north })
    }

    fn is_small(&self) -> bool {
        self.east - self.west < WIDEST && self.north - self.south < WIDEST
    }

    fn size(&self) -> (usize, usize) {
        let tiles = |from: i64, to: i64| usize::try_from(to - from + 1).unwrap_or_default();
        (tiles(self.west, self.east), tiles(self.south, self.north))
    }

    fn place(&self, tile: Tile) -> Option<(usize, usize)> {
        let (x, y) = (i64::from(tile.x), i64::from(tile.z));
        let is_inside = (self.west..=self.east).contains(&x) && (self.south..=self.north).contains(&y);
        let place = (usize::try_from(x - self.west).ok()?, usize::try_from(self.north - y).ok()?);
        is_inside.then_some(place)
    }
}

/// A time of day in UTC.
struct Clock {
    seconds: i64,
    millis: u32,
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let day = self.seconds.rem_euclid(86_400);
        write!(f, "{:02}:{:02}:{:02}.{:03}", day / 3600, day / 60 % 60, day % 60, self.millis)
    }
}

#[cfg(test)]
mod tests {
    use super::super::npcs::Npc;
    use super::super::{MOST_NAME, Osrs, World};
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn memory_is_that_of_positions_and_text() {
        assert_eq!(Journal::default().memory_usage(), 0);
        let (positions, chat) = (Vec::with_capacity(1000), String::with_capacity(77));
        let usage = 1000 * size_of::<Position>() + 77;
        let journal = Journal { positions, chat, left_out: 0 };
        assert_eq!(journal.memory_usage(), usage);
        let mut osrs = Osrs { journal, ..Osrs::default() };
        assert_eq!(osrs.memory_usage(), usage);
        osrs.names.insert(7, "name".into());
        let npcs = Vec::with_capacity(50);
        let known = HashMap::with_capacity(10);
        let of_npcs = npcs.capacity() * size_of::<Option<u16>>() + known.capacity() * size_of::<Npc>();
        osrs.worlds.insert(0, World { npcs, known, ..World::default() });
        assert_eq!(osrs.memory_usage(), usage + MOST_NAME + of_npcs);
    }
}
