//! The examples of RFC 9204, appendix B, and malformed instructions and sections.

use super::*;
use crate::wire::trial;
use proptest::prelude::*;

/// Lines of a section, and the decoding error.
fn decoded(table: &Table, hex: &str) -> String {
    let block = decode(&trial::bytes(hex), table);
    let failed = block.failed.map(|(at, why)| format!("at {at}: {}\n", why.words())).unwrap_or_default();
    String::from_utf8_lossy(&block.text).replace("\r\n", "\n") + &failed
}

fn table_of(most: u64) -> Table {
    let mut table = Table::default();
    table.most = Some(most);
    table
}

/// Applies the instructions of an encoder stream.
fn encode(table: &mut Table, hex: &str) {
    let bytes = trial::bytes(hex);
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let size = encoder::size(rest).unwrap();
        assert!(encoder::read(&rest[..size], table).is_ok());
        rest = &rest[size..];
    }
}

/// Entries from the first index on.
fn shown(table: &Table, indexes: std::ops::Range<u64>) -> Vec<Option<String>> {
    let line = |(name, value): (&[u8], &[u8])| [name, b": ", value].concat();
    indexes.map(|index| table.get(index).map(|entry| String::from_utf8(line(entry)).unwrap())).collect()
}

#[test]
fn the_session_of_appendix_b_is_decoded() {
    let mut table = table_of(220);
    assert_eq!(decoded(&table, "0000 510b 2f69 6e64 6578 2e68 746d 6c"), ":path: /index.html\n");
    encode(&mut table, "3fbd01 c00f 7777 772e 6578 616d 706c 652e 636f 6d c10c 2f73 616d 706c 652f 7061 7468");
    assert_eq!((table.inserted(), table.memory_usage() > 106), (2, true));
    assert_eq!(decoded(&table, "0381 10 11"), ":authority: www.example.com\n:path: /sample/path\n");
    encode(&mut table, "4a63 7573 746f 6d2d 6b65 790c 6375 7374 6f6d 2d76 616c 7565");
    encode(&mut table, "02");
    assert_eq!(decoded(&table, "0500 80 c1 81"), ":authority: www.example.com\n:path: /\ncustom-key: custom-value\n");
    encode(&mut table, "810d 6375 7374 6f6d 2d76 616c 7565 32");
    let entries = shown(&table, 0..5);
    assert_eq!(entries[0], None, "evicted");
    let known = [":path: /sample/path", "custom-key: custom-value", ":authority: www.example.com", "custom-key: custom-value2"];
    assert_eq!(entries[1..], known.map(|line| Some(line.to_owned())));
}

#[test]
fn decoder_instructions_of_appendix_b_are_read() {
    assert!(matches!(decoder::read(&[0x84]), Ok(decoder::Instruction::Acknowledge(4))));
    assert!(matches!(decoder::read(&[0x48]), Ok(decoder::Instruction::Cancel(8))));
    assert!(matches!(decoder::read(&[0x01]), Ok(decoder::Instruction::Increment(1))));
    assert_eq!([decoder::size(&[0xff]), decoder::size(&[0xff, 1]), decoder::size(&[0x3f, 1])], [None, Some(2), Some(2)]);
}

#[test]
fn strings_are_huffman_encoded_where_their_bit_is_set() {
    let mut table = table_of(220);
    encode(&mut table, "3fbd01 c08c f1e3c2e5f23a6ba0ab90f4ff 68 25a849e95ba97d7f 89 25a849e95bb8e8b4bf");
    let known = [":authority: www.example.com", "custom-key: custom-value"];
    assert_eq!(shown(&table, 0..2), known.map(|line| Some(line.to_owned())));
    assert_eq!(decoded(&table, "0000 2f01 25a849e95ba97d7f 89 25a849e95bb8e8b4bf"), "custom-key: custom-value\n");
}

#[test]
fn wrong_sections_are_reported_where_they_are_wrong() {
    let table = table_of(220);
    assert_eq!(decoded(&table, "0d00 80"), "at 0: an indexed field has index 0\n");
    assert_eq!(decoded(&table, "0000 d1 51"), ":method: GET\nat 3: the block ends inside a field\n");
    assert_eq!(decode(&trial::bytes("0000 ff24 80"), &table).fields().filter(|field| field.is_unknown).count(), 2);
}

proptest! {
    #[test]
    fn any_bytes_are_decoded(section: Vec<u8>, instructions: Vec<u8>) {
        let mut table = table_of(4096);
        table.resize(4096);
        let mut rest = &instructions[..];
        while let Some(size) = encoder::size(rest) {
            prop_assert!(size > 0 && size <= rest.len());
            let _ = encoder::read(&rest[..size], &mut table);
            rest = &rest[size..];
        }
        prop_assert!(table.memory_usage() <= 4096 + 4096 * size_of::<Entry>());
        let block = decode(&section, &table);
        prop_assert!(block.text.len() <= 2 * crate::limits::HTTP2_HEADERS.get());
        let _ = decoder::read(&section);
    }
}
