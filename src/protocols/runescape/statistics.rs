//! RuneScape sessions: packets by side and name, players, and their positions over time.

use crate::tree::{Demand, Field, Kind, NodeRef, Only};
use crate::wire::statistics::{Counted, Counter, Named, Order, Report, Seen, Statistic, Topics};
use std::collections::HashMap;

/// Packets, players and positions.
pub static SESSIONS: Statistic =
    Statistic::new(["rs,tree", "rs", "RuneScape sessions: packets by name, players and their positions"], |named| {
        Box::new(Rs::new(named))
    })
    .of(&["rs"]);

/// Tiles per side of a zone: a position is listed when a player enters another one.
const ZONE: u64 = 8;

/// Nanoseconds per tenth of a second.
const TENTH: i64 = 100_000_000;

/// Maximum number of tracked players.
const PLAYERS: usize = 1 << 16;

/// Packets, players and positions.
struct Rs {
    topics: Topics,
    fields: Vec<(Fact, &'static Field)>,
    players: usize,
    positions: usize,
    names: HashMap<u64, String>,
    zones: HashMap<u64, [u64; 3]>,
}

/// Values of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fact {
    Packet,
    Side,
    Index,
    Name,
    X,
    Y,
    Level,
}

/// Field of each value.
const FACTS: [(Fact, &str); 7] = [
    (Fact::Packet, "rs.name"),
    (Fact::Side, "rs.direction"),
    (Fact::Index, "rs.player_index"),
    (Fact::Name, "rs.player_name"),
    (Fact::X, "rs.world_x"),
    (Fact::Y, "rs.world_y"),
    (Fact::Level, "rs.world_level"),
];

impl Rs {
    fn new(named: Named<'_>) -> Rs {
        let fields = FACTS.iter().flat_map(|(fact, name)| named(name).into_iter().map(|field| (*fact, field)));
        let mut topics = Topics::new("RuneScape packets", Order::Frequent);
        let (players, positions) = (topics.root("Players seen"), topics.root("Positions over time"));
        let fields = fields.collect();
        Rs { topics, fields, players, positions, names: HashMap::new(), zones: HashMap::new() }
    }

    fn facts<'t>(&self, message: NodeRef<'t>) -> Vec<(Fact, NodeRef<'t>)> {
        let fact = |node: NodeRef<'t>| {
            let found = self.fields.iter().find(|(_, field)| field.is(node.field()));
            found.map(|(fact, _)| (*fact, node))
        };
        message.behind().take_while(|node| node.field().kind != Kind::Protocol).filter_map(fact).collect()
    }

    fn called(&self, index: u64) -> String {
        self.names.get(&index).cloned().unwrap_or_else(|| format!("player {index}"))
    }

    fn seen(&mut self, index: u64) {
        let name = self.called(index);
        self.topics.count(self.players, None);
        self.topics.add_below(self.players, &[&name], None);
    }

    fn position(&mut self, index: u64, [x, y, level]: [u64; 3], since_start: Option<i64>) {
        let zone = [x / ZONE, y / ZONE, level];
        if self.zones.get(&index) == Some(&zone) || self.zones.len() >= PLAYERS {
            return;
        }
        self.zones.insert(index, zone);
        let name = self.called(index);
        let tenths = since_start.unwrap_or_default() / TENTH;
        let label = format!("{}.{} s: {x}, {y}, level {level}", tenths / 10, tenths % 10);
        self.topics.count(self.positions, None);
        self.topics.add_below(self.positions, &[&name, &label], None);
    }
}

impl Counter for Rs {
    fn demand(&self) -> Demand {
        Demand::of_stream_fields(Only::these(self.fields.iter().map(|(_, field)| *field)))
    }

    fn message(&mut self, message: Counted<'_>, seen: Seen) {
        let facts = self.facts(message.node);
        let text = |wanted: Fact| facts.iter().find(|(fact, _)| *fact == wanted).map(|(_, node)| node.text());
        if let (Some(packet), Some(side)) = (text(Fact::Packet), text(Fact::Side)) {
            self.topics.add(&[&side, &packet], None);
        }
        // The name of a player may follow its position.
        let mut current = None;
        for (fact, node) in &facts {
            match (fact, current) {
                (Fact::Index, _) => current = node.number(),
                (Fact::Name, Some(index)) if self.names.len() < PLAYERS => {
                    self.names.insert(index, node.text().into_owned());
                }
                _ => {}
            }
        }
        let (mut current, mut tile) = (None, [0; 3]);
        for (fact, node) in &facts {
            let number = node.number().unwrap_or_default();
            match (fact, current) {
                (Fact::Index, _) => {
                    current = Some(number);
                    self.seen(number);
                }
                (Fact::X, Some(_)) => tile = [number, 0, 0],
                (Fact::Y, Some(_)) => tile = [tile[0], number, 0],
                (Fact::Level, Some(index)) => self.position(index, [tile[0], tile[1], number], seen.since_start),
                _ => {}
            }
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Topics(&self.topics)
    }
}
