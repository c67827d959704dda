//! Data of the game as a tree of values, and their numbers.
//!
//! The structure and the member names are the protocol's; all texts and numbers are invented.

use std::collections::BTreeMap;

use super::message::{self, UPDATE, Value};
use crate::Result;

/// A value with its subtree.
pub enum GameValue {
    Bool(bool),
    Int8(i8),
    UInt8(u8),
    Int32(i32),
    UInt32(u32),
    Float(f32),
    Text(&'static str),
    List(Vec<GameValue>),
    Dict(Vec<(&'static str, GameValue)>),
}

use GameValue::{Bool, Dict, Float, Int8, Int32, List, Text, UInt8, UInt32};

/// Numbers assigned on one connection.
pub struct World {
    ids: BTreeMap<String, u32>,
    next: u32,
}

impl World {
    /// The complete tree as the first update: children before parents, the root (number 0) last.
    pub fn first_update(root: &GameValue) -> Result<(World, Vec<u8>)> {
        let mut world = World { ids: BTreeMap::new(), next: 1 };
        let mut payload = Vec::new();
        world.plant(&mut payload, "", 0, root)?;
        Ok((world, message::message(UPDATE, &payload)?))
    }

    /// The number of the value at a path such as `Inventory.43[0].count`.
    pub fn id(&self, path: &str) -> Result<u32> {
        let id = self.ids.get(path).copied();
        Ok(id.ok_or_else(|| format!("nothing at {path}"))?)
    }

    /// Writes a new value at this path, under a new number. The caller must update its parent.
    pub fn add(&mut self, payload: &mut Vec<u8>, path: &str, thing: &GameValue) -> Result<u32> {
        let id = self.new_id();
        self.plant(payload, path, id, thing)?;
        Ok(id)
    }

    fn new_id(&mut self) -> u32 {
        let id = self.next;
        self.next += 1;
        id
    }

    fn plant(&mut self, payload: &mut Vec<u8>, path: &str, id: u32, thing: &GameValue) -> Result {
        self.ids.insert(path.to_owned(), id);
        match thing {
            Bool(value) => message::entry(payload, id, &Value::Bool(*value)),
            Int8(value) => message::entry(payload, id, &Value::Int8(*value)),
            UInt8(value) => message::entry(payload, id, &Value::UInt8(*value)),
            Int32(value) => message::entry(payload, id, &Value::Int32(*value)),
            UInt32(value) => message::entry(payload, id, &Value::UInt32(*value)),
            Float(value) => message::entry(payload, id, &Value::Float(*value)),
            Text(value) => message::entry(payload, id, &Value::Text(value)),
            List(items) => {
                // Siblings have consecutive numbers, so the root's members are 1 to 11.
                let ids: Vec<u32> = items.iter().map(|_| self.new_id()).collect();
                for (index, (id, item)) in ids.iter().zip(items).enumerate() {
                    self.plant(payload, &format!("{path}[{index}]"), *id, item)?;
                }
                message::entry(payload, id, &Value::List(&ids))
            }
            Dict(members) => {
                let ids: Vec<(u32, &str)> = members.iter().map(|(name, _)| (self.new_id(), *name)).collect();
                for ((id, name), (_, member)) in ids.iter().zip(members) {
                    let dot = if path.is_empty() { "" } else { "." };
                    self.plant(payload, &format!("{path}{dot}{name}"), *id, member)?;
                }
                message::entry(payload, id, &Value::Dict(&ids, &[]))
            }
        }
    }
}

/// A game in progress.
pub fn full() -> GameValue {
    Dict(vec![
        ("Stats", stats()),
        ("Special", special()),
        ("Perks", perks()),
        ("Inventory", inventory()),
        ("Quests", quests()),
        ("Workshop", workshop()),
        ("Log", log()),
        ("Map", map()),
        ("Radio", radio()),
        ("PlayerInfo", player_info()),
        ("Status", status()),
    ])
}

/// The tree of a short session.
pub fn small() -> GameValue {
    Dict(vec![
        ("Special", special()),
        ("Inventory", Dict(vec![("48", aid()), ("Version", UInt32(1))])),
        ("Radio", radio()),
        ("PlayerInfo", player_info()),
        ("Status", status()),
    ])
}

fn stats() -> GameValue {
    Dict(vec![
        ("BodyFlags", UInt32(0)),
        ("HeadFlags", UInt32(4)),
        ("StimpakCount", UInt32(6)),
        ("RadawayCount", UInt32(2)),
        (
            "ActiveEffects",
            List(vec![
                Dict(vec![("text", Text("Warm soup")), ("Value", Float(2.5)), ("type", UInt32(48))]),
                Dict(vec![("text", Text("Wet feet")), ("Value", Float(-1.0)), ("type", UInt32(0))]),
            ]),
        ),
    ])
}

fn special() -> GameValue {
    let trait_of = |name, value, modifier, about| {
        Dict(vec![("Name", Text(name)), ("Value", Int32(value)), ("Modifier", Int32(modifier)), ("Description", Text(about))])
    };
    List(vec![
        trait_of("Strength", 4, 0, "Carries what others leave behind."),
        trait_of("Perception", 6, 1, "Sees the tripwire first."),
        trait_of("Endurance", 3, -1, "Gets up once more than falling down.\r\n"),
        trait_of("Charisma", 7, 0, "Talks the price down, then up again."),
        trait_of("Intelligence", 8, 0, "Reads the manual, even the small print."),
        trait_of("Agility", 5, 0, "Quiet shoes."),
        trait_of("Luck", 2, 0, ""),
    ])
}

fn perks() -> GameValue {
    let perk = |name, rank, max, picture, ranks: &[&'static str]| {
        let ranks =
            ranks.iter().zip(1..).map(|(about, rank)| Dict(vec![("Rank", UInt32(rank)), ("Description", Text(about))])).collect();
        Dict(vec![
            ("Name", Text(name)),
            ("Rank", UInt32(rank)),
            ("MaxRank", UInt32(max)),
            ("SWFFile", Text(picture)),
            ("Perks", List(ranks)),
        ])
    };
    List(vec![
        perk("Tinkerer", 1, 2, "Pictures/tinkerer.swf", &["Mends what is broken.", "Breaks what is mended."]),
        perk("Night Owl", 2, 2, "Pictures/owl.swf", &["Awake after dark.", "Wide awake after dark."]),
        perk("Café Regular", 0, 1, "Pictures/cup.swf", &["Soup is free on Tuesdays."]),
    ])
}

/// A line of an item's card; the type of `Value` is `ValueType`.
fn card(text: &'static str, value: GameValue) -> GameValue {
    let kind = match value {
        Text(_) => 1,
        Float(_) => 2,
        _ => 0,
    };
    Dict(vec![("text", Text(text)), ("Value", value), ("ValueType", UInt32(kind))])
}

fn damage(kind: u32, value: f32) -> GameValue {
    Dict(vec![("text", Text("$dmg")), ("Value", Float(value)), ("ValueType", UInt32(2)), ("damageType", UInt32(kind))])
}

fn item(text: &'static str, handle: u32, stacks: &[u32], count: u32, filter: u32, cards: Vec<GameValue>) -> GameValue {
    Dict(vec![
        ("text", Text(text)),
        ("HandleID", UInt32(handle)),
        ("StackID", List(stacks.iter().map(|id| UInt32(*id)).collect())),
        ("count", UInt32(count)),
        ("filterFlag", UInt32(filter)),
        ("itemCardInfoList", List(cards)),
    ])
}

/// A weapon found later.
pub fn found_weapon() -> GameValue {
    item("Umbrella, pointed", 4_111_200_077, &[0], 1, 2, vec![damage(1, 9.5), card("$wt", Float(1.5)), card("$val", Int32(30))])
}

/// The aid page after some shopping.
pub fn more_aid() -> Vec<GameValue> {
    let shelf = [
        ("Tin of peaches", 4_111_200_101, 3, 5),
        ("Mint tea", 4_111_200_102, 1, 2),
        ("Bandage, clean", 4_111_200_103, 12, 4),
        ("Bandage, used", 4_111_200_104, 5, 0),
        ("Hard biscuit", 4_111_200_105, 40, 1),
        ("Pickled egg", 4_111_200_106, 7, 3),
        ("Lemonade", 4_111_200_107, 2, 6),
        ("Crème brûlée", 4_111_200_108, 1, 55),
        ("Garlic soup", 4_111_200_109, 4, 8),
        ("Cough drops", 4_111_200_110, 16, 2),
        ("Marmalade", 4_111_200_111, 2, 9),
        ("Dried apple", 4_111_200_112, 25, 1),
    ];
    shelf
        .into_iter()
        .map(|(text, handle, count, value)| {
            let cards = vec![card("$val", Int32(value)), card("$wt", Float(0.5))];
            item(text, handle, &[0], count, 8, cards)
        })
        .collect()
}

fn aid() -> GameValue {
    List(vec![
        item("Mint tea", 4_111_200_021, &[0], 4, 8, vec![card("$wt", Float(0.2)), card("$val", Int32(2))]),
        item("Bandage, clean", 4_111_200_022, &[0, 1], 6, 9, vec![card("$val", Int32(4)), card("Heals", Text("a little"))]),
    ])
}

fn inventory() -> GameValue {
    let weapons = List(vec![
        item(
            "Long-handled wrench",
            4_111_200_001,
            &[0],
            1,
            3,
            vec![damage(1, 18.25), card("$speed", Text("Slow")), card("$wt", Float(4.0)), card("$val", Int32(22))],
        ),
        item(
            "Torch with a lens",
            4_111_200_002,
            &[0],
            1,
            2,
            vec![damage(4, 12.0), damage(1, 1.0), card("$ROF", Int32(45)), card("$rng", Int32(90)), card("$acc", Int32(61))],
        ),
    ]);
    let apparel = List(vec![
        item("Raincoat", 4_111_200_011, &[2], 1, 4, vec![card("$dr", Float(3.0)), card("$wt", Float(1.5))]),
        item("Hat, felt", 4_111_200_012, &[0], 1, 4, vec![card("$val", Int32(7))]),
    ]);
    let pockets = |filter, things: &[(&'static str, u32, u32, i32)]| {
        let items = things.iter().map(|(text, handle, count, value)| {
            let cards = vec![card("$val", Int32(*value)), card("$wt", Float(0.25))];
            item(text, *handle, &[0], *count, filter, cards)
        });
        List(items.collect())
    };
    let ammo = pockets(4096, &[("Slingshot pebbles", 4_111_200_031, 64, 0), ("Torch cell", 4_111_200_032, 120, 3)]);
    let books =
        pockets(128, &[("Hinges and How to Oil Them", 4_111_200_041, 1, 12), ("Birds of Heron Bay", 4_111_200_042, 1, 18)]);
    let junk = pockets(
        1024,
        &[("Spoon", 4_111_200_051, 5, 1), ("Clock without hands", 4_111_200_052, 1, 8), ("Rope, 3 m", 4_111_200_053, 2, 4)],
    );
    let notes = pockets(8192, &[("Tape: Foghorn, three hours", 4_111_200_061, 1, 0)]);
    let handles = [4_111_200_001, 4_111_200_002, 4_111_200_011, 4_111_200_012, 4_111_200_021, 4_111_200_022];
    Dict(vec![
        ("29", apparel),
        ("30", books),
        ("35", junk),
        ("43", weapons),
        ("44", ammo),
        ("48", aid()),
        ("47", List(vec![])),
        ("50", notes),
        ("InvComponents", List(vec![])),
        ("sortedIDS", List(handles.into_iter().map(UInt32).collect())),
        ("Version", UInt32(17)),
        ("SortMode", Int32(0)),
        ("stimpakObjectID", UInt32(4_111_200_022)),
    ])
}

fn quests() -> GameValue {
    let objective = |text, active| Dict(vec![("text", Text(text)), ("active", Bool(active))]);
    let quest = |text, id, active, objectives| {
        Dict(vec![
            ("text", Text(text)),
            ("formID", UInt32(id)),
            ("instance", UInt32(0)),
            ("type", UInt32(8)),
            ("active", Bool(active)),
            ("objectives", List(objectives)),
        ])
    };
    List(vec![
        quest(
            "The Missing Ladder",
            1_204_511,
            true,
            vec![objective("Ask the lighthouse keeper", false), objective("Look behind the boathouse", true)],
        ),
        quest("Soup for Seven", 1_204_526, false, vec![objective("Find seven spoons", false)]),
    ])
}

fn workshop() -> GameValue {
    let place = |text, people, beds| {
        let figure = |text, value| Dict(vec![("text", Text(text)), ("Value", UInt32(value))]);
        Dict(vec![("text", Text(text)), ("workshopData", List(vec![figure("People", people), figure("Beds", beds)]))])
    };
    List(vec![place("Heron Dock", 5, 6), place("Mill Hill", 2, 2)])
}

fn log() -> GameValue {
    let page = |text, lines: &[(&'static str, i32)]| {
        let lines = lines.iter().map(|(text, value)| Dict(vec![("text", Text(text)), ("Value", Int32(*value))])).collect();
        Dict(vec![("text", Text(text)), ("statArray", List(lines))])
    };
    List(vec![
        page("General", &[("Days out", 26), ("Doors opened", 341), ("Naps", 12)]),
        page("Crafts", &[("Soups cooked", 19), ("Hinges oiled", 4)]),
    ])
}

fn map() -> GameValue {
    let player = |x, y| Dict(vec![("X", Float(x)), ("Y", Float(y)), ("Rotation", Float(118.5))]);
    let extents = |west, north, east, south| {
        Dict(vec![
            ("NWX", Float(west)),
            ("NWY", Float(north)),
            ("NEX", Float(east)),
            ("NEY", Float(north)),
            ("SWX", Float(west)),
            ("SWY", Float(south)),
        ])
    };
    let marker = || Dict(vec![("X", Float(0.0)), ("Y", Float(0.0)), ("Height", UInt8(0))]);
    let location = |name, x, y| Dict(vec![("Name", Text(name)), ("X", Float(x)), ("Y", Float(y))]);
    let errand =
        |name, x, y, height| Dict(vec![("Name", Text(name)), ("X", Float(x)), ("Y", Float(y)), ("Height", UInt8(height))]);
    Dict(vec![
        ("CurrCell", Text("Boathouse")),
        ("CurrWorldspace", Text("Heron Bay")),
        (
            "World",
            Dict(vec![
                ("Player", player(-4_310.5, 12_208.25)),
                ("Extents", extents(-65_536.0, 65_536.0, 65_536.0, -65_536.0)),
                ("Custom", marker()),
                ("PowerArmor", marker()),
                (
                    "Locations",
                    List(vec![
                        location("Heron Dock", -4_096.0, 12_288.0),
                        location("Mill Hill", 20_480.0, 8_192.0),
                        location("Old Lighthouse", -30_720.0, -2_048.0),
                    ]),
                ),
                ("Quests", List(vec![errand("The Missing Ladder", -4_500.0, 12_000.0, 1)])),
            ]),
        ),
        (
            "Local",
            Dict(vec![
                ("Player", player(-4_310.5, 12_208.25)),
                ("Extents", extents(-6_144.0, 13_824.0, -2_048.0, 10_752.0)),
                ("Custom", marker()),
                ("PowerArmor", marker()),
                ("Quests", List(vec![errand("The Missing Ladder", -4_500.0, 12_000.0, 2)])),
            ]),
        ),
    ])
}

fn radio() -> GameValue {
    let station = |text, frequency, active| {
        Dict(vec![("text", Text(text)), ("frequency", Float(frequency)), ("active", Bool(active)), ("inRange", Bool(true))])
    };
    List(vec![station("Harbour Weather", 88.5, false), station("Accordion Hour", 97.25, true), station("Numbers", 101.0, false)])
}

fn player_info() -> GameValue {
    Dict(vec![
        ("PlayerName", Text("Wilhelmine")),
        ("CurrHP", Float(104.5)),
        ("MaxHP", Float(120.0)),
        ("CurrAP", Float(80.0)),
        ("MaxAP", Float(80.0)),
        ("XPLevel", Int32(9)),
        ("Caps", Int32(512)),
        ("DateDay", Int8(24)),
        ("DateMonth", UInt32(11)),
        ("DateYear", UInt32(287)),
        ("TimeHour", Float(21.333_334)),
    ])
}

fn status() -> GameValue {
    Dict(vec![
        ("IsDataUnavailable", Bool(false)),
        ("IsPlayerDead", Bool(false)),
        ("IsMenuOpen", Bool(false)),
        ("IsLoading", Bool(false)),
        ("EffectColor", List(vec![Float(0.078_431_375), Float(1.0), Float(0.090_196_08)])),
    ])
}
