//! Ciphers that transform byte by byte, with published vectors.

use super::*;

/// The plaintext of RFC 8439.
const SUNSCREEN: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";

#[test]
fn bytes_are_xored_and_rotated() {
    assert_eq!(whole("xor", &[INT(0xf0)], &[0x00, 0xff, 0x0f]), Ok(vec![0xf0, 0x0f, 0xff]));
    assert_eq!(whole("xor", &[key("01 02")], &[1, 2, 3]), Ok(vec![0, 0, 2]));
    assert_eq!(whole("xor", &[key("")], &[1]), Ok(vec![1]));
    assert_eq!(whole("rol", &[INT(1)], &[0b1000_0001]), Ok(vec![0b0000_0011]));
    assert_eq!(whole("rol", &[INT(-1)], &[0b1000_0001]), Ok(vec![0b1100_0000]));
    assert_eq!(whole("ror", &[INT(1)], &[0b1000_0001]), Ok(vec![0b1100_0000]));
    assert_eq!(whole("ror", &[INT(8)], &[0x12]), Ok(vec![0x12]));
}

#[test]
fn chains_are_those_of_lineage_2() {
    let packed = hex("543d5a790c7c1377143d552c4f35557a1c72082b45355e29527b1e630a755b20482c0e61047b04234f2944");
    let plain = b"The quick brown fox jumps over the lazy dog".to_vec();
    assert_eq!(whole("xor_chain", &[key("000102030405060708090a0b0c0d0e0f")], &packed), Ok(plain));
}

#[test]
fn rc4_is_that_of_the_published_vectors() {
    assert_eq!(whole("rc4", &[text("Key")], b"Plaintext"), Ok(hex("bbf316e8d940af0ad3")));
    assert_eq!(whole("rc4", &[text("Wiki")], b"pedia"), Ok(hex("1021bf0420")));
    // RFC 6229: offsets 0 and 1536 of a key of 40 bits.
    let zeros = [0; 16];
    assert_eq!(whole("rc4", &[key("0102030405")], &zeros), Ok(hex("b2396305f03dc027ccc3524a0a1118a8")));
    let dropped = [key("0102030405"), INT(1536)];
    assert_eq!(whole("rc4", &dropped, &zeros), Ok(hex("d8729db41882259bee4f825325f5a130")));
}

#[test]
fn chacha20_is_that_of_rfc_8439_and_of_drafts() {
    let numbers = key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let packed = whole("chacha20", &[numbers, key("000000000000004a00000000"), INT(1)], SUNSCREEN).unwrap();
    assert_eq!(packed[..16], hex("6e2e359a2568f98041ba0728dd0d6981"));
    assert_eq!(packed[112..], hex("874d"));
    // draft-agl-tls-chacha20poly1305-04, section 7: a nonce of eight bytes.
    let zeros = key(&"00".repeat(32));
    let packed = whole("chacha20", &[zeros, key("0000000000000001")], &[0; 16]);
    assert_eq!(packed, Ok(hex("de9cba7bf3d69ef5e786dc63973f653a")));
    // draft-irtf-cfrg-xchacha-03, section A.3.2.
    let numbers = key("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    let nonce = key("404142434445464748494a4b4c4d4e4f5051525354555658");
    let packed = whole("chacha20", &[numbers, nonce, INT(1)], b"The dhole (pronounced \"dole\") is");
    assert_eq!(packed, Ok(hex("7d0a2e6b7f7c65a236542630294e063b7ab9b555a5d5149aa21e4ae1e4fbce87")));
}

#[test]
fn salsa20_is_that_of_ecrypt() {
    let first = key(&format!("80{}", "00".repeat(31)));
    let packed = whole("salsa20", &[first, key("0000000000000000")], &[0; 16]);
    assert_eq!(packed, Ok(hex("e3be8fdd8beca2e3ea8ef9475b29a6e7")));
    let arguments = [text("this is 32-byte key for xsalsa20"), text("24-byte nonce for xsalsa")];
    assert_eq!(whole("salsa20", &arguments, b"Hello world!"), Ok(hex("002d4513843fc240c401e541")));
}

#[test]
fn opcodes_are_those_of_runescape() {
    let seed = key("00000001 00000002 00000003 00000004");
    assert_eq!(whole("isaac", std::slice::from_ref(&seed), &hex("3e 37 73")), Ok(vec![0, 0, 0]));
    assert_eq!(whole("isaac", &[seed, INT(50)], &[0x69]), Ok(vec![81]));
}

/// The plaintext and key of NIST SP 800-38A, and the counter of its CTR vectors.
const BLOCKS: &str = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51";
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const KEY_192: &str = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
const KEY_256: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
const IV: &str = "000102030405060708090a0b0c0d0e0f";
const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

#[test]
fn modes_of_aes_are_those_of_sp_800_38a() {
    let vectors = [
        ("aes_ctr", KEY, COUNTER, "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff"),
        ("aes_ctr", KEY_192, COUNTER, "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94"),
        ("aes_ctr", KEY_256, COUNTER, "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5"),
        ("aes_ofb", KEY, IV, "3b3fd92eb72dad20333449f8e83cfb4a 7789508d16918f03f53c52dac54ed825"),
        ("aes_ofb", KEY_256, IV, "dc7e84bfda79164b7ecd8486985d3860 4febdc6740d20b3ac88f6ad82a4fb08d"),
        ("aes_cfb128", KEY, IV, "3b3fd92eb72dad20333449f8e83cfb4a c8a64537a0b3a93fcde3cdad9f1ce58b"),
    ];
    for (name, secret, start, packed) in vectors {
        assert_eq!(whole(name, &[key(secret), key(start)], &hex(packed)), Ok(hex(BLOCKS)), "{name} {secret}");
    }
    let packed = hex("3b79424c9c0dd436bace9e0ed4586a4f32b9");
    assert_eq!(whole("aes_cfb8", &[key(KEY), key(IV)], &packed).unwrap(), hex(BLOCKS)[..18]);
}

#[test]
fn lost_bytes_cost_what_depends_on_them() {
    let bytes: Vec<u8> = (0..200).map(|n: u8| n.wrapping_mul(37)).collect();
    let sixteen = || key(KEY);
    let stages: Vec<(&str, Vec<Argument>)> = vec![
        ("xor", vec![key("0102030405")]),
        ("rol", vec![INT(3)]),
        ("xor_chain", vec![key("01020304050607")]),
        ("rc4", vec![key("010203")]),
        ("isaac", vec![key("01020304")]),
        ("chacha20", vec![key(KEY_256), key("000000000000004a00000000")]),
        ("salsa20", vec![key(KEY_256), key("0000000000000001")]),
        ("aes_ctr", vec![sixteen(), key(COUNTER)]),
        ("aes_ofb", vec![sixteen(), key(IV)]),
        ("aes_cfb8", vec![sixteen(), key(IV)]),
        ("aes_cfb128", vec![sixteen(), key(IV)]),
    ];
    for (name, arguments) in stages {
        let right = whole(name, &arguments, &bytes).unwrap();
        for start in 0..40 {
            for end in start..70 {
                let (mut out, mut stage) = (Vec::new(), stage(name, &arguments));
                stage.feed(&bytes[..start], &mut out, 200).unwrap();
                let unknown = match stage.skip(u64::try_from(end - start).unwrap()) {
                    Skip::Resumes => 0,
                    Skip::After(count) => count,
                    Skip::Lost => panic!("{name} is lost"),
                };
                assert!(unknown == 0 || end > start && unknown <= 32, "{name} {unknown}");
                out.clear();
                stage.feed(&bytes[end..], &mut out, 200).unwrap();
                assert_eq!(out[unknown..], right[end + unknown..], "{name} {start} {end}");
            }
        }
    }
}

#[test]
fn what_is_computed_for_lost_bytes_is_bounded() {
    for (name, arguments) in [("rc4", vec![key("01")]), ("isaac", vec![key("00000001")]), ("aes_ofb", vec![key(KEY), key(IV)])] {
        assert_eq!(stage(name, &arguments).skip(u64::MAX), Skip::Lost, "{name}");
    }
    assert_eq!(stage("aes_ctr", &[key(KEY), key(IV)]).skip(u64::MAX), Skip::Resumes);
    assert_eq!(stage("chacha20", &[key(KEY_256), key("000000000000004a00000000")]).skip(1 << 40), Skip::Lost);
}
