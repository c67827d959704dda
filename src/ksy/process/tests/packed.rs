//! Decompressors of blocks and frames, with the output of other programs.

use super::*;

/// What the packed bytes of this file contain.
fn fox() -> Vec<u8> {
    b"the quick brown fox jumps over the lazy dog; ".repeat(6)
}

#[test]
fn frames_of_other_programs_are_decompressed() {
    let packed = [
        (
            "bzip2",
            "425a6839314159265359778462100000719980400000083ffffff020007051a1a0000004549a9a6098233536d47c181d860711a0c868378e83f4711dc643b8351b0791e81a8cc7f0c86c181e466398d07a198ec3fc6a33060607410ec7b1f05dc914e14241de118840",
        ),
        (
            "zstd",
            "28b52ffd640e00b50100d40274686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f673b200100f5424a9501dc20ade5",
        ),
        (
            "zstd",
            "28b52ffd600e00b50100d40274686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f673b200100f5424a9501",
        ),
        (
            "lz4_frame",
            "04224d186440a737000000f01074686520717569636b2062726f776e20666f78206a756d7073206f766572201f00af6c617a7920646f673b202d00c950646f673b20000000005197d6a7",
        ),
        (
            "lz4_frame",
            "04224d187c400e01000000000000a937000000f01074686520717569636b2062726f776e20666f78206a756d7073206f766572201f00af6c617a7920646f673b202d00c950646f673b20f7c76837000000005197d6a7",
        ),
    ];
    for (name, packed) in packed {
        let packed = hex(packed);
        assert_eq!(whole(name, &[], &packed), Ok(fox()), "{name}");
        for cut in 1..packed.len() {
            assert!(whole(name, &[], &packed[..cut]).is_err(), "{name} {cut}");
        }
        for limit in [0, 1, 100, fox().len() - 1] {
            let (mut stage, mut out) = (stage(name, &[]), Vec::new());
            let fed = stage.feed(&packed, &mut out, limit);
            let left = limit.saturating_sub(out.len());
            let ended = fed.and_then(|()| stage.end_message(&mut out, left));
            assert_eq!(ended, Err(Failure::TooLong), "{name} {limit}");
            assert!(out.len() <= limit, "{name} {limit}");
        }
    }
}

#[test]
fn damaged_frames_are_no_text() {
    for (name, packed) in [
        (
            "zstd",
            "28b52ffd640e00b50100d40274686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f673b200100f5424a9501dc20ade5",
        ),
        (
            "lz4_frame",
            "04224d187c400e01000000000000a937000000f01074686520717569636b2062726f776e20666f78206a756d7073206f766572201f00af6c617a7920646f673b202d00c950646f673b20f7c76837000000005197d6a7",
        ),
    ] {
        let packed = hex(packed);
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x10;
            assert_ne!(whole(name, &[], &damaged).as_deref(), Ok(&b"text"[..]));
            assert!(whole(name, &[], &damaged).map_or(true, |bytes| bytes == fox()), "{name} {at}");
        }
    }
}

#[test]
fn several_frames_are_one_text() {
    let one = hex(
        "28b52ffd600e00b50100d40274686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f673b200100f5424a9501",
    );
    let skipped = hex("502a4d18 03000000 010203");
    assert_eq!(whole("zstd", &[], &[one.clone(), skipped, one].concat()), Ok(fox().repeat(2)));
    let one = hex(
        "04224d186440a737000000f01074686520717569636b2062726f776e20666f78206a756d7073206f766572201f00af6c617a7920646f673b202d00c950646f673b20000000005197d6a7",
    );
    assert_eq!(whole("lz4_frame", &[], &one.repeat(2)), Ok(fox().repeat(2)));
}

#[test]
fn lzo_is_that_of_liblzo() {
    let plain = [fox(), (0..64).collect(), b"the quick brown fox".to_vec()].concat();
    // lzo1x_1_compress and lzo1x_999_compress of version 2.10.
    for packed in [
        "000d74686520717569636b2062726f776e20666f78206a756d7073206f766572207803066c617a7920646f673b95017120bbb0000041000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f74686520717569636b2062726f776e20666f78110000",
        "3074686520717569636b2062726f776e20666f78206a756d7073206f766572207803076c617a7920646f673b2020c0b000002e000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f31b001110000",
    ] {
        let packed = hex(packed);
        assert_eq!(whole("lzo", &[], &packed).as_ref(), Ok(&plain));
        for cut in 0..packed.len() {
            assert!(whole("lzo", &[], &packed[..cut]).is_err(), "{cut}");
        }
    }
    // 2 MiB of zeros stop at 1 MiB.
    let bomb = [hex("12 00 20"), vec![0; 8225], hex("ff 00 00 11 00 00")].concat();
    assert_eq!(whole("lzo", &[], &bomb), Err(Failure::TooLong));
}

#[test]
fn snappy_is_that_of_its_description() {
    // A length, four literal bytes, and a copy of eight bytes from four bytes before.
    assert_eq!(whole("snappy", &[], &hex("0c 0c 61626364 11 04")), Ok(b"abcdabcdabcd".to_vec()));
    assert!(whole("snappy", &[], &hex("0d 0c 61626364 11 04")).is_err());
    assert!(whole("snappy", &[], &[]).is_err());
    assert_eq!(whole("snappy", &[], &hex("ffffff7f 00 61")), Err(Failure::TooLong));
}

#[test]
fn blocks_of_lz4_have_earlier_ones_as_dictionary() {
    let messages = [
        (
            "the first message of a chain, the first message of all",
            "ff0f746865206669727374206d657373616765206f66206120636861696e2c201e0000506620616c6c",
        ),
        ("the second message of a chain, the second message of all", "001800697365636f6e6419000837000c1f00506620616c6c"),
        ("the first message of a chain, the third message of all", "001900596669727374180008370047746869723600506620616c6c"),
    ];
    let mut stage = stage("lz4", &[INT(54)]);
    for (plain, packed) in messages {
        let mut out = Vec::new();
        stage.feed(&hex(packed), &mut out, 1 << 20).unwrap();
        stage.end_message(&mut out, 1 << 20).unwrap();
        assert_eq!(out, plain.as_bytes());
    }
    let (_, first) = messages[0];
    assert!(whole("lz4", &[INT(55)], &hex(first)).is_err());
    assert!(whole("lz4", &[], &hex(messages[1].1)).is_err());
    assert_eq!(whole("lz4", &[], &hex(first)).map(|bytes| bytes.len()), Ok(54));
    let bomb = [&hex("1f 61 0100")[..], &[0xff; 5000], &hex("00 50 6161616161")[..]].concat();
    assert_eq!(whole("lz4", &[], &bomb), Err(Failure::TooLong));
}

#[test]
fn huffman_codes_are_those_of_a_table() {
    let table = "# symbol\tcode\n65\t0\n66\t10\n67\t110\n256\t111\n";
    // A B end, C end.
    let packed = [0b0101_1100, 0b1101_1100];
    assert_eq!(whole("huffman", &[text(table)], &packed), Ok(b"ABC".to_vec()));
    assert!(whole("huffman", &[text(table)], &packed[..1]).is_ok());
    assert!(whole("huffman", &[text(table)], &[0b0100_0000]).is_err());
    assert!(whole("huffman", &[text("65 0\n66 10")], &[0b1100_0000]).is_err());
    assert_eq!(whole("huffman", &[text("65 0\n66 1")], &[0b0000_0011]), Ok(b"AAAAAABB".to_vec()));
    for wrong in ["", "65", "65 2", "257 0", "65 0\n66 0", "65 0\n66 01", "65 01\n66 0", &format!("1 {}", "0".repeat(33))] {
        assert!((processor("huffman").unwrap().make)(&[text(wrong)]).is_err(), "{wrong:?}");
    }
}
