//! What holds for every processor.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Arguments for each processor.
fn arguments(name: &str) -> Vec<Argument> {
    let secret = |size: usize| key(&"a7".repeat(size));
    match name {
        "xor" | "xor_chain" => vec![key("0102030405")],
        "rol" | "ror" => vec![INT(3)],
        "rc4" => vec![secret(7), INT(9)],
        "chacha20" => vec![secret(32), secret(12)],
        "salsa20" => vec![secret(32), secret(8)],
        "isaac" => vec![secret(16)],
        "aes_ctr" | "aes_ofb" | "aes_cfb8" | "aes_cfb128" | "aes_cbc" => vec![secret(16), key(&"ff".repeat(16))],
        "aes_ecb" | "twofish" | "xtea" | "rc5" | "blowfish" => vec![secret(16)],
        "des" => vec![secret(8)],
        "des3" => vec![secret(24)],
        "aes_gcm" | "chacha20_poly1305" => vec![secret(32), secret(12), text("header")],
        "huffman" => vec![text("65 0\n66 10\n67 110\n256 111\n")],
        _ => Vec::new(),
    }
}

/// Input that a processor accepts, made of these bytes.
fn input(name: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    match name {
        "zlib" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "deflate" => {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "bzip2" => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "lz4" => lz4_flex::block::compress(bytes),
        "lz4_frame" => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "zstd" => ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
        "snappy" => snap::raw::Encoder::new().compress_vec(bytes).unwrap(),
        "aes_cbc" => bytes.repeat(16),
        "huffman" => bytes.iter().map(|byte| byte | 1).chain([0xff]).collect(),
        "aes_gcm" => seal::<aes_gcm::Aes256Gcm>(bytes),
        "chacha20_poly1305" => seal::<chacha20poly1305::ChaCha20Poly1305>(bytes),
        "lzo" => lzo(bytes),
        _ => bytes.to_vec(),
    }
}

fn seal<C: aes_gcm::aead::Aead + aes_gcm::aead::KeyInit>(msg: &[u8]) -> Vec<u8> {
    let cipher = C::new_from_slice(&[0xa7; 32]).unwrap();
    let nonce = aes_gcm::aead::Nonce::<C>::try_from(&[0xa7; 12][..]).unwrap();
    cipher.encrypt(&nonce, aes_gcm::aead::Payload { msg, aad: b"header" }).unwrap()
}

/// One run of up to 238 literals, and the end.
fn lzo(bytes: &[u8]) -> Vec<u8> {
    let literals: Vec<u8> = bytes.iter().copied().chain([1, 2, 3, 4]).take(238).collect();
    [&[u8::try_from(literals.len() + 17).unwrap()], &literals[..], &[0x11, 0, 0]].concat()
}

/// What a stage makes of pieces that end at these places.
fn in_pieces(mut stage: Box<dyn Stage>, bytes: &[u8], cuts: &BTreeSet<usize>, forks: bool) -> Result<Vec<u8>, Failure> {
    let (mut out, mut start) = (Vec::new(), 0);
    for end in cuts.iter().copied().filter(|cut| *cut < bytes.len()).chain([bytes.len()]) {
        let piece = &bytes[start..end];
        if forks {
            let mut copy = stage.fork();
            let (mut twice, mut once) = (Vec::new(), Vec::new());
            copy.feed(piece, &mut twice, 1 << 20)?;
            stage.fork().feed(piece, &mut once, 1 << 20)?;
            assert_eq!(once, twice);
        }
        stage.feed(piece, &mut out, 1 << 20)?;
        start = end;
    }
    stage.end_message(&mut out, 1 << 20)?;
    assert!(stage.memory() < 1 << 20);
    Ok(out)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pieces_make_what_the_whole_makes(
        bytes in proptest::collection::vec(0_u8..40, 0..200),
        repeats in 1_usize..40,
        cuts in proptest::collection::btree_set(0_usize..9000, 0..12),
    ) {
        for processor in PROCESSORS {
            let name = processor.name;
            let repeats = if name == "aes_cbc" { 1 } else { repeats };
            let packed = input(name, &bytes.repeat(repeats));
            let right = whole(name, &arguments(name), &packed);
            prop_assert!(right.is_ok(), "{} {:?}", name, right);
            for forks in [false, true] {
                prop_assert_eq!(&in_pieces(stage(name, &arguments(name)), &packed, &cuts, forks), &right, "{}", name);
            }
            if processor.keeps_length {
                prop_assert_eq!(right.map(|bytes| bytes.len()), Ok(packed.len()), "{}", name);
            }
        }
    }

    #[test]
    fn any_bytes_end_within_the_limit(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..300),
        most in 0_usize..400,
        at in any::<prop::sample::Index>(),
        to in any::<u8>(),
    ) {
        for processor in PROCESSORS {
            let name = processor.name;
            for packed in [bytes.clone(), input(name, &bytes)] {
                let (mut stage, mut out) = (stage(name, &arguments(name)), Vec::new());
                let fed = stage.feed(&packed, &mut out, most);
                prop_assert!(out.len() <= most, "{}", name);
                if fed.is_ok() {
                    let left = most - out.len();
                    let _ = stage.end_message(&mut out, left);
                    prop_assert!(out.len() <= most, "{}", name);
                }
            }
            let mut damaged = input(name, &bytes);
            if !damaged.is_empty() {
                *at.get_mut(&mut damaged) = to;
            }
            let _ = whole(name, &arguments(name), &damaged);
        }
        bytes.clear();
    }
}

#[test]
fn an_empty_key_leaves_bytes_unchanged() {
    let mut keyed = 0;
    for processor in PROCESSORS {
        let mut arguments = arguments(processor.name);
        if processor.parameters.first().is_none_or(|first| !["key", "seed"].contains(&first.name)) {
            continue;
        }
        keyed += 1;
        arguments[0] = key("");
        assert_eq!(whole(processor.name, &arguments, b"as it is"), Ok(b"as it is".to_vec()), "{}", processor.name);
        if let Some(second) = arguments.get_mut(1).filter(|second| matches!(second, Argument::Bytes(_))) {
            *second = key("");
            assert_eq!(whole(processor.name, &arguments, b"as it is"), Ok(b"as it is".to_vec()), "{}", processor.name);
        }
    }
    assert!(keyed > 15);
}

#[test]
fn processors_state_which_argument_is_wrong() {
    for processor in PROCESSORS {
        let needed = processor.parameters.iter().filter(|parameter| !parameter.optional).count();
        let wrong_sizes = vec![key(&"00".repeat(333)); needed];
        for wrong in [vec![], vec![Argument::Bool(true); needed], wrong_sizes] {
            let free = needed == 0 || processor.name.starts_with("xor") && matches!(wrong.first(), Some(Argument::Bytes(_)));
            match (processor.make)(&wrong) {
                Ok(_) => assert!(free, "{}", processor.name),
                Err(why) => assert!(why.contains('`') || why.contains("line 1"), "{why}"),
            }
        }
    }
    let names: BTreeSet<&str> = PROCESSORS.iter().map(|processor| processor.name).collect();
    assert_eq!(names.len(), PROCESSORS.len());
    assert!(processor("rot13").is_none());
}

#[test]
fn wrong_sizes_state_the_right_ones() {
    let why = |name: &str, arguments: &[Argument]| (processor(name).unwrap().make)(arguments).err().unwrap();
    let seven = || key(&"00".repeat(7));
    assert_eq!(why("aes_cfb8", &[seven(), seven()]), "`key` has 7 bytes; it must have 16 or 24 or 32");
    assert_eq!(why("aes_cfb8", &[key(&"00".repeat(16)), seven()]), "`iv` has 7 bytes; it must have 16");
    assert_eq!(why("rc4", &[key("00"), INT(-1)]), "`drop` is -1; it must be 0 to 1048576");
    assert_eq!(why("blowfish", &[seven(), text("me")]), "`order` is `me`; it must be `be` or `le`");
    assert_eq!(
        why("chacha20", &[key(&"00".repeat(32)), key(&"00".repeat(12)), INT(1 << 33)]),
        "`counter` is 8589934592, which is too large"
    );
}
