//! The examples of RFC 7541, appendix C, and malformed blocks.

use super::*;
use crate::wire::trial;
use proptest::prelude::*;

/// Decoded lines, and the resulting table.
fn decoded(table: &mut Table, hex: &str) -> String {
    let block = decode(&trial::bytes(hex), table);
    let failed = block.failed.map(|(at, why)| format!("at {at}: {}\n", why.words())).unwrap_or_default();
    String::from_utf8_lossy(&block.text).replace("\r\n", "\n") + &failed + &table.shown()
}

#[test]
fn representations_of_appendix_c_2_are_decoded() {
    let one = |hex: &str| decoded(&mut Table::default(), hex);
    assert_eq!(
        one("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"),
        "custom-key: custom-header\n 55 custom-key: custom-header\n 55\n"
    );
    assert_eq!(one("040c 2f73 616d 706c 652f 7061 7468"), ":path: /sample/path\n  0\n");
    assert_eq!(one("1008 7061 7373 776f 7264 0673 6563 7265 74"), "password: secret\n  0\n");
    assert_eq!(one("82"), ":method: GET\n  0\n");
}

#[test]
fn requests_of_appendices_c_3_and_c_4_are_decoded() {
    let plain = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    let huffman = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    let all = |blocks: [&str; 3]| {
        let mut table = Table::default();
        blocks.map(|hex| decoded(&mut table, hex)).concat()
    };
    assert_eq!(all(plain), all(huffman));
    insta::assert_snapshot!(all(huffman), @"
    :method: GET
    :scheme: http
    :path: /
    :authority: www.example.com
     57 :authority: www.example.com
     57
    :method: GET
    :scheme: http
    :path: /
    :authority: www.example.com
    cache-control: no-cache
     53 cache-control: no-cache
     57 :authority: www.example.com
    110
    :method: GET
    :scheme: https
    :path: /index.html
    :authority: www.example.com
    custom-key: custom-value
     54 custom-key: custom-value
     53 cache-control: no-cache
     57 :authority: www.example.com
    164
    ");
}

#[test]
fn responses_of_appendices_c_5_and_c_6_are_decoded_and_entries_evicted() {
    let plain = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 54
         6e17 6874 7470 733a 2f2f 7777 772e 6578 616d 706c 652e 636f 6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d
         4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572
         7369 6f6e 3d31",
    ];
    let huffman = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b
         97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf
         cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    let all = |blocks: [&str; 3]| {
        let mut table = Table::default();
        // The examples use a table of 256 bytes.
        decoded(&mut table, "3fe1 01");
        blocks.map(|hex| decoded(&mut table, hex)).concat()
    };
    assert_eq!(all(plain), all(huffman));
    insta::assert_snapshot!(all(huffman), @"
    :status: 302
    cache-control: private
    date: Mon, 21 Oct 2013 20:13:21 GMT
    location: https://www.example.com
     63 location: https://www.example.com
     65 date: Mon, 21 Oct 2013 20:13:21 GMT
     52 cache-control: private
     42 :status: 302
    222
    :status: 307
    cache-control: private
    date: Mon, 21 Oct 2013 20:13:21 GMT
    location: https://www.example.com
     42 :status: 307
     63 location: https://www.example.com
     65 date: Mon, 21 Oct 2013 20:13:21 GMT
     52 cache-control: private
    222
    :status: 200
    cache-control: private
    date: Mon, 21 Oct 2013 20:13:22 GMT
    location: https://www.example.com
    content-encoding: gzip
    set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1
     98 set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1
     52 content-encoding: gzip
     65 date: Mon, 21 Oct 2013 20:13:22 GMT
    215
    ");
}

#[test]
fn integers_of_appendix_c_1_are_decoded() {
    let integer = |hex: &str, prefix| Cursor { bytes: &trial::bytes(hex), at: 0 }.integer(prefix);
    assert_eq!(integer("0a", 5), Ok(10));
    assert_eq!(integer("1f 9a 0a", 5), Ok(1337));
    assert_eq!(integer("2a", 8), Ok(42));
    assert_eq!(integer("1f 9a", 5), Err(Failed::Short));
    assert_eq!(integer("1f e0 ff ff ff 0f", 5), Ok(u32::MAX.into()));
    assert_eq!(integer("1f e1 ff ff ff 0f", 5), Err(Failed::Integer));
    assert_eq!(integer("1f 80 80 80 80 80 00", 5), Err(Failed::Integer));
}

#[test]
fn blocks_that_are_wrong_end_where_they_are() {
    for (hex, at, why) in [
        ("82 80", 1, Failed::NoIndex),
        ("82 41 0f 77", 1, Failed::Short),
        ("41 81 00", 0, Failed::Huffman),
        ("41 ff ff ff ff ff 7f", 0, Failed::Integer),
    ] {
        let mut table = Table::default();
        let block = decode(&trial::bytes(hex), &mut table);
        assert_eq!(block.failed, Some((at, why)), "{hex}");
        assert!(table.is_partial(), "later indexes depend on what was not decoded");
    }
}

#[test]
fn an_unknown_index_leaves_later_entries_known() {
    let mut table = Table::default();
    table.lose();
    let unknown = |hex: &str, table: &mut Table| {
        let block = decode(&trial::bytes(hex), table);
        let Some(Item::Field(field)) = block.items.first() else { panic!("no field") };
        (field.is_unknown, String::from_utf8(block.text.clone()).unwrap())
    };
    assert_eq!(unknown("be", &mut table), (true, ": \r\n".to_owned()));
    assert_eq!(unknown("40 01 61 01 62", &mut table), (false, "a: b\r\n".to_owned()));
    assert_eq!(unknown("be", &mut table), (false, "a: b\r\n".to_owned()));
    assert_eq!(unknown("bf", &mut table), (true, ": \r\n".to_owned()));
    // An unknown name may have a literal value.
    assert_eq!(unknown("7f 00 01 63", &mut table), (true, ": c\r\n".to_owned()));
    assert_eq!(unknown("be", &mut table), (true, ": c\r\n".to_owned()));
    assert_eq!(unknown("bf", &mut table), (false, "a: b\r\n".to_owned()));
}

#[test]
fn text_and_table_are_limited() {
    let mut table = Table::default();
    // A size update to 4 GiB, then entries of 128 KiB, then many references to one.
    decode(&trial::bytes("3f e0 ff ff ff 0f"), &mut table);
    let value = vec![b'a'; 128 << 10];
    let entry = [&b"\x40\x01n\x7f\x81\xff\x07"[..], &value].concat();
    for _ in 0..8 {
        assert_eq!(decode(&entry, &mut table).failed, None);
    }
    assert!(table.memory_usage() < 2 * limits::HTTP2_TABLE.get(), "{}", table.memory_usage());
    assert!(table.is_partial(), "entries are missing that the sender has");
    let block = decode(&[0xbe; 1000], &mut table);
    assert_eq!((block.items.len(), block.omitted), (1, 999));
    assert!(block.text.len() <= limits::HTTP2_HEADERS.get());
}

proptest! {
    #[test]
    fn ranges_of_random_blocks_are_within_their_bytes(blocks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..6)) {
        let mut table = Table::default();
        for bytes in blocks {
            let block = decode(&bytes, &mut table);
            for item in &block.items {
                if let Item::Field(field) = item {
                    assert!(field.raw.end <= bytes.len() && field.value.raw.end <= field.raw.end);
                    assert!(field.line.end <= block.text.len() && field.value.text.end <= field.line.end);
                }
            }
        }
    }
}
