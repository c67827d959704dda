//! Packet numbers by version, embedded as text and parsed on first use.
//!
//! The first line of a table has the protocol versions of each column, with blanks between them. The others are the name of a
//! packet and its hexadecimal number in each column, or nothing where the packet does not exist. A version without a column is unknown:
//! numbers change with almost every version, so none is derived from its neighbours.

use super::State;
use super::play::{self, Reader};
use crate::tree::{BySide, Side};
use foldhash::{HashMap, HashMapExt};
use std::sync::LazyLock;

const CONFIGURATION: BySide<&str> =
    BySide { client: include_str!("packets/configuration-client.tsv"), server: include_str!("packets/configuration-server.tsv") };
const PLAY: BySide<&str> =
    BySide { client: include_str!("packets/play-client.tsv"), server: include_str!("packets/play-server.tsv") };

pub(super) struct Packet {
    pub(super) name: &'static str,
    /// Reads its fields.
    pub(super) read: Reader,
}

/// The packets of a state and direction.
struct Table {
    /// The column of each version.
    versions: Vec<(u32, usize)>,
    packets: Vec<Packet>,
    /// Places in `packets` by column and packet number.
    places: HashMap<(usize, usize), usize>,
}

static TABLES: LazyLock<[BySide<Table>; 2]> = LazyLock::new(|| {
    [CONFIGURATION, PLAY].map(|texts| BySide {
        client: Table::parse(texts.client, Side::Client),
        server: Table::parse(texts.server, Side::Server),
    })
});

impl Table {
    /// Parses a table. Cells that are no numbers, of which a test finds any, count as empty.
    fn parse(text: &'static str, from: Side) -> Table {
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default().split('\t').skip(1);
        let of_column = |(column, versions): (usize, &str)| -> Vec<(u32, usize)> {
            versions.split(' ').filter_map(|version| Some((version.parse().ok()?, column))).collect()
        };
        let versions: Vec<_> = head.enumerate().flat_map(of_column).collect();
        let mut packets = Vec::new();
        let mut places = HashMap::new();
        for line in lines {
            let mut cells = line.split('\t');
            let name = cells.next().unwrap_or_default();
            for (column, cell) in cells.enumerate() {
                if let Ok(id) = usize::from_str_radix(cell, 16) {
                    places.insert((column, id), packets.len());
                }
            }
            packets.push(Packet { name, read: play::reader(from, name) });
        }
        Table { versions, packets, places }
    }

    fn packet(&self, version: u32, id: usize) -> Option<&Packet> {
        let column = self.versions.iter().find(|(known, _)| *known == version)?.1;
        self.packets.get(*self.places.get(&(column, id))?)
    }
}

/// The packet with a number, if version and number are known.
pub(super) fn packet(version: u32, state: State, from: Side, id: usize) -> Option<&'static Packet> {
    let [configuration, play] = &*TABLES;
    match state {
        State::Configuration => configuration[from].packet(version, id),
        State::Play => play[from].packet(version, id),
        _ => None,
    }
}

/// Whether packet numbers of the version are known.
pub(super) fn is_known(version: u32) -> bool {
    let [_, play] = &*TABLES;
    play.client.versions.iter().any(|(known, _)| *known == version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(version: u32, state: State, from: Side, id: usize) -> Option<&'static str> {
        packet(version, state, from, id).map(|packet| packet.name)
    }

    /// Each text has as many cells in each line, and each cell is empty or a number of its own in its column.
    #[test]
    fn tables_are_well_formed() {
        for text in [CONFIGURATION.client, CONFIGURATION.server, PLAY.client, PLAY.server] {
            let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
            assert!(rows.iter().all(|row| row.len() == rows[0].len()));
            assert!(rows[0][1..].iter().flat_map(|cell| cell.split(' ')).all(|version| version.parse::<u32>().is_ok()));
            for column in 1..rows[0].len() {
                let mut ids: Vec<&str> = rows[1..].iter().map(|row| row[column]).filter(|cell| !cell.is_empty()).collect();
                assert!(ids.iter().all(|id| id.len() == 2 && u8::from_str_radix(id, 16).is_ok()));
                let count = ids.len();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(ids.len(), count, "column {column}");
            }
        }
    }

    /// Numbers of the protocol documentation (minecraft.wiki, "Java Edition protocol" of each version).
    #[test]
    fn numbers_are_those_of_the_documentation() {
        let (client, server) = (Side::Client, Side::Server);
        for (version, from, id, expected) in [
            (47, server, 0x00, "keep alive"),
            (47, server, 0x02, "chat"),
            (47, server, 0x21, "map chunk"),
            (47, server, 0x40, "kick disconnect"),
            (47, server, 0x46, "set compression"),
            (47, client, 0x01, "chat"),
            (47, client, 0x04, "position"),
            (340, server, 0x0f, "chat"),
            (340, server, 0x1f, "keep alive"),
            (340, server, 0x23, "login"),
            (340, client, 0x0b, "keep alive"),
            (754, server, 0x0e, "chat"),
            (754, server, 0x1f, "keep alive"),
            (754, server, 0x24, "login"),
            (754, server, 0x4e, "update time"),
            (754, client, 0x10, "keep alive"),
            (754, client, 0x03, "chat"),
            (765, server, 0x29, "login"),
            (765, server, 0x24, "keep alive"),
            (765, server, 0x67, "start configuration"),
            (765, server, 0x69, "system chat"),
            (765, client, 0x0b, "configuration acknowledged"),
            (767, server, 0x26, "keep alive"),
            (767, server, 0x6c, "system chat"),
            (767, client, 0x18, "keep alive"),
            (767, client, 0x1a, "position"),
            (769, server, 0x2c, "login"),
            (770, server, 0x2b, "login"),
        ] {
            assert_eq!(name(version, State::Play, from, id), Some(expected), "{version} {id:02x}");
        }
        for (version, from, id, expected) in [
            (764, server, 0x02, "finish configuration"),
            (764, server, 0x05, "registry data"),
            (767, server, 0x03, "finish configuration"),
            (767, server, 0x07, "registry data"),
            (767, client, 0x03, "finish configuration"),
            (764, client, 0x02, "finish configuration"),
        ] {
            assert_eq!(name(version, State::Configuration, from, id), Some(expected), "{version} {id:02x}");
        }
    }

    #[test]
    fn neighbours_of_known_versions_are_unknown() {
        assert!(is_known(765) && !is_known(1 << 30 | 144) && !is_known(200));
        assert_eq!(name(200, State::Play, Side::Server, 0), None);
        assert_eq!(name(763, State::Configuration, Side::Server, 0), None);
        assert_eq!(name(765, State::Play, Side::Server, 0xff), None);
        assert_eq!(name(765, State::Login, Side::Server, 0), None);
    }
}
