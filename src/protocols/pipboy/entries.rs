//! Entries of a data update without a message header, for `--as pipboy.entries`.

use super::world::World;
use super::{DATA, TRUNCATED, update};
use crate::tree::{Side, fields};
use crate::wire::{Conversation, Extent, Heuristic, On, Protocol, Result, Verdict, Wire};

fields! {
    ENTRIES = protocol("pipboy.entries", "Pip-Boy entries", "Entries of Fallout 4 Pip-Boy data updates without a message header")
        .covers("Consecutive entries of every type, each with its path in the value tree");
}

/// Pip-Boy entries; only selected by `--as`.
pub static PROTOCOL: Protocol = Protocol::new(&ENTRIES, FIELDS)
    .found(&[On::AnyTcp.stream::<Entries>(Heuristic::Stream(|_| Verdict::No))])
    .rest(&DATA)
    .truncated(&TRUNCATED);

/// The value tree of a stream of entries.
#[derive(Default)]
struct Entries(World);

impl Conversation for Entries {
    fn extent(&mut self, _: Side, ahead: &[u8], _: bool) -> Extent {
        Extent::Message(ahead.len())
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        wire.name("entries");
        update::data_update(wire, Some(&mut self.0))
    }

    fn memory_usage(&self) -> usize {
        self.0.memory_usage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn read(hex: &str) -> String {
        trial::message(&PROTOCOL, &mut Entries::default(), Side::Server, &trial::bytes(hex), Cut::No)
    }

    #[test]
    fn an_entry_of_each_type_is_read_without_a_message_around_it() {
        let scalars = "00 01000000 01  01 02000000 fe  02 03000000 fe  03 04000000 feffffff  04 05000000 feffffff
            05 06000000 0000c03f  06 07000000 686900  07 08000000 0200 01000000 02000000
            08 00000000 0200 08000000 6c00 07000000 6e616d6500 0100 09000000";
        let tree = read(scalars);
        assert!(tree.starts_with("pipboy.entries 0..96 | entries | 9 entries\n"), "{tree}");
        for value in [
            "pipboy.entry.bool = true",
            "pipboy.entry.int = -2",
            "pipboy.entry.uint = 254",
            "pipboy.entry.uint = 4294967294",
            "pipboy.entry.float = 1.5",
            "pipboy.entry.string = \"hi\"",
            "pipboy.entry.list.ref = 2",
            "pipboy.entry.dict.insert.key = \"name\"",
            "pipboy.entry.dict.remove.ref = 9",
            "pipboy.entry.path = \"name\"",
        ] {
            assert!(tree.contains(value), "{value}: {tree}");
        }
        assert!(!tree.contains("! broken"), "{tree}");
    }

    #[test]
    fn bytes_after_an_invalid_entry_are_data() {
        insta::assert_snapshot!(read("00 01000000 01 63 02000000"), @r##"
        pipboy.entries 0..11 | entries | 1 entry
          0..6 pipboy.entry
            0..1 pipboy.entry.type = 0 (bool)
            1..5 pipboy.entry.id = 1
            pipboy.entry.path = "#1"
            5..6 pipboy.entry.bool = true
          pipboy.entry_count = 1
          6..11 pipboy.data = 6302000000
        ! broken pipboy.error.entry_type at 6..11 pipboy.entry.bool: entry type 99 and its width are unknown
        "##);
    }
}
