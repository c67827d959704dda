//! Block ciphers and those with a tag, with published vectors.

use super::*;

#[test]
fn blocks_are_those_of_the_standards() {
    let numbers = "000102030405060708090a0b0c0d0e0f";
    let block = "00112233445566778899aabbccddeeff";
    let zeros = "00".repeat(16);
    let vectors: Vec<(&str, Vec<Argument>, &str, &str)> = vec![
        // FIPS 197.
        ("aes_ecb", vec![key(numbers)], "69c4e0d86a7b0430d8cdb78070b4c55a", block),
        ("aes_ecb", vec![key(&format!("{numbers}1011121314151617"))], "dda97ca4864cdfe06eaf70a0ec0d7191", block),
        ("aes_ecb", vec![key(&format!("{numbers}101112131415161718191a1b1c1d1e1f"))], "8ea2b7ca516745bfeafc49904b496089", block),
        // SP 800-38A, F.2.1.
        (
            "aes_cbc",
            vec![key("2b7e151628aed2a6abf7158809cf4f3c"), key(numbers)],
            "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2",
            "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51",
        ),
        // Vectors of Schneier and Kelsey.
        ("blowfish", vec![key("0000000000000000")], "4ef997456198dd78", "0000000000000000"),
        ("blowfish", vec![key("ffffffffffffffff"), text("be")], "51866fd5b85ecb8a", "ffffffffffffffff"),
        ("twofish", vec![key(&zeros)], "9f589f5cf6122c32b6bfec2f2ae8c35a", &zeros),
        ("des", vec![key("133457799bbcdff1")], "85e813540f0ab405", "0123456789abcdef"),
        // SP 800-67, B.1.
        (
            "des3",
            vec![key("0123456789abcdef 23456789abcdef01 456789abcdef0123")],
            "a826fd8ce53b855f cce21c8112256fe6 68d5c05dd9b6b900",
            "54686520717566636b2062726f776e20666f78206a756d70",
        ),
        ("rc5", vec![key(numbers)], "c8d3b3c486700cfa", "0001020304050607"),
        // The published vector of XTEA, with the bytes of its words in reverse.
        ("xtea", vec![key("03020100 07060504 0b0a0908 0f0e0d0c")], "d0f37d49 b52c6172", "44434241 48474645"),
        ("xtea", vec![key(numbers)], "cae7697e006ee921 a3653590639d46a1", "4142434445464748 6162636465666768"),
    ];
    for (name, arguments, packed, plain) in vectors {
        assert_eq!(whole(name, &arguments, &hex(packed)), Ok(hex(plain)), "{name}");
    }
}

#[test]
fn blowfish_of_lineage_2_has_little_endian_words() {
    let secret = text("_;5.]94-31==-%xT!^[$\0");
    let plain = || Ok(b"ABCDEFGHabcdefgh".to_vec());
    assert_eq!(whole("blowfish", &[secret.clone(), text("le")], &hex("3aa59e7a51aae88be2fdbd801fcdb8e8")), plain());
    assert_eq!(whole("blowfish", &[secret], &hex("543c88e327599d3d5866f115771530f9")), plain());
}

#[test]
fn two_keys_of_triple_des_are_three() {
    let two = key("0123456789abcdef 23456789abcdef01");
    let three = key("0123456789abcdef 23456789abcdef01 0123456789abcdef");
    assert_eq!(whole("des3", &[two], &[7; 16]), whole("des3", &[three], &[7; 16]));
}

#[test]
fn bytes_behind_the_last_block_stay_but_not_in_cbc() {
    let secret = || key("000102030405060708090a0b0c0d0e0f");
    let packed = hex("69c4e0d86a7b0430d8cdb78070b4c55a 010203");
    assert_eq!(whole("aes_ecb", &[secret()], &packed), Ok(hex("00112233445566778899aabbccddeeff 010203")));
    assert_eq!(whole("xtea", &[secret()], &[1, 2, 3]), Ok(vec![1, 2, 3]));
    assert!(matches!(whole("aes_cbc", &[secret(), secret()], &packed), Err(Failure::Damaged(_))));
    // The next message begins with a whole block.
    let (mut stage, mut out) = (stage("aes_ecb", &[secret()]), Vec::new());
    stage.feed(&[1, 2, 3], &mut out, 99).unwrap();
    stage.end_message(&mut out, 99).unwrap();
    stage.feed(&packed[..16], &mut out, 99).unwrap();
    assert_eq!(out, hex("010203 00112233445566778899aabbccddeeff"));
}

#[test]
fn whole_lost_blocks_cost_at_most_the_next_one() {
    let secret = || key("000102030405060708090a0b0c0d0e0f");
    let mut ecb = stage("aes_ecb", &[secret()]);
    assert_eq!((ecb.skip(32), ecb.skip(0), ecb.skip(5)), (Skip::Resumes, Skip::Resumes, Skip::Lost));
    let mut cbc = stage("aes_cbc", &[secret(), secret()]);
    assert_eq!((cbc.skip(32), cbc.skip(0)), (Skip::After(16), Skip::Resumes));
    cbc.feed(&[1], &mut Vec::new(), 9).unwrap();
    assert_eq!(cbc.skip(16), Skip::Lost);
}

#[test]
fn tags_verify() {
    let aad = || key("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    let sealed = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091";
    let zeros = |count: usize| key(&"00".repeat(count));
    let vectors: Vec<(&str, Vec<Argument>, String, &str)> = vec![
        // The cases 2, 4, 8 and 14 of the specification of GCM.
        (
            "aes_gcm",
            vec![zeros(16), zeros(12)],
            String::from("0388dace60b6a392f328c2b971b2fe78 ab6e47d42cec13bdf53a67b21257bddf"),
            "00000000000000000000000000000000",
        ),
        (
            "aes_gcm",
            vec![key("feffe9928665731c6d6a8f9467308308"), key("cafebabefacedbaddecaf888"), aad()],
            format!("{sealed} 5bc94fbc3221a5db94fae95ae7121a47"),
            plain,
        ),
        (
            "aes_gcm",
            vec![zeros(24), zeros(12)],
            String::from("98e7247c07f0fe411c267e4384b0f600 2ff58d80033927ab8ef4d4587514f0fb"),
            "00000000000000000000000000000000",
        ),
        (
            "aes_gcm",
            vec![zeros(32), zeros(12)],
            String::from("cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919"),
            "00000000000000000000000000000000",
        ),
    ];
    for (name, arguments, sealed, plain) in vectors {
        assert_eq!(whole(name, &arguments, &hex(&sealed)), Ok(hex(plain)), "{name}");
        let mut forged = hex(&sealed);
        forged[3] ^= 1;
        assert_eq!(whole(name, &arguments, &forged), Err(Failure::damaged("the tag does not verify")));
        assert!(whole(name, &arguments, &forged[..15]).is_err());
    }
}

#[test]
fn the_message_of_rfc_8439_is_opened() {
    let secret = key("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    let (nonce, aad) = (key("070000004041424344454647"), key("50515253c0c1c2c3c4c5c6c7"));
    let sealed = hex(
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
         92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116 1ae10b594f09e26a7e902ecbd0600691",
    );
    let plain = whole("chacha20_poly1305", &[secret.clone(), nonce.clone(), aad], &sealed).unwrap();
    assert!(plain.starts_with(b"Ladies and Gentlemen") && plain.ends_with(b"would be it."));
    assert!(whole("chacha20_poly1305", &[secret, nonce], &sealed).is_err());
}

#[test]
fn a_nonce_of_24_bytes_is_that_of_xchacha() {
    // draft-irtf-cfrg-xchacha-03, section A.3.1: the tag of an empty message would tell little, so that message is opened.
    let secret = key("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    let nonce = key("404142434445464748494a4b4c4d4e4f5051525354555657");
    let aad = key("50515253c0c1c2c3c4c5c6c7");
    let sealed = hex(
        "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452\
         2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e c0875924c1c7987947deafd8780acf49",
    );
    let plain = whole("chacha20_poly1305", &[secret, nonce, aad], &sealed).unwrap();
    assert!(plain.starts_with(b"Ladies and Gentlemen"));
}
