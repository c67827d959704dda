//! Functions, with published vectors.

use super::*;

fn call(name: &str, arguments: &[Argument]) -> Result<Argument, String> {
    (function(name).unwrap().call)(arguments)
}

fn made(name: &str, arguments: &[Argument]) -> Vec<u8> {
    match call(name, arguments) {
        Ok(Argument::Bytes(bytes)) => bytes,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn digests_are_those_of_the_standards() {
    for (name, right) in [
        ("md5", "900150983cd24fb0d6963f7d28e17f72"),
        ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "sha512",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
    ] {
        assert_eq!(made(name, &[text("abc")]), hex(right), "{name}");
    }
}

#[test]
fn authentication_codes_are_those_of_the_rfcs() {
    // RFC 2202 and RFC 4231, the second case of each.
    for (name, right) in [
        ("hmac_md5", "750c783e6ab0b503eaa86e310a5db738"),
        ("hmac_sha1", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        ("hmac_sha256", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            "hmac_sha512",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ),
    ] {
        assert_eq!(made(name, &[text("Jefe"), text("what do ya want for nothing?")]), hex(right), "{name}");
    }
}

#[test]
fn keys_are_derived_as_in_the_rfcs() {
    // RFC 6070 and RFC 7914.
    let arguments = |rounds, size, hash| [text("password"), text("salt"), INT(rounds), INT(size), text(hash)];
    assert_eq!(made("pbkdf2", &arguments(2, 20, "sha1")), hex("ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"));
    let right = "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783";
    assert_eq!(made("pbkdf2", &[text("passwd"), text("salt"), INT(1), INT(64), text("sha256")]), hex(right));
    // RFC 5869, case 1.
    let arguments = [key(&"0b".repeat(22)), key("000102030405060708090a0b0c"), key("f0f1f2f3f4f5f6f7f8f9"), INT(42)];
    let right = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
    assert_eq!(made("hkdf", &arguments), hex(right));
    // Case 4, with SHA-1.
    let arguments =
        [key(&"0b".repeat(11)), key("000102030405060708090a0b0c"), key("f0f1f2f3f4f5f6f7f8f9"), INT(42), text("sha1")];
    let right = "085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c22e422478d305f3f896";
    assert_eq!(made("hkdf", &arguments), hex(right));
}

#[test]
fn derivation_is_bounded() {
    let pbkdf2 = |rounds, size| call("pbkdf2", &[text("a"), text("b"), INT(rounds), INT(size), text("sha1")]);
    assert!(pbkdf2(1_000_001, 1).is_err());
    assert!(pbkdf2(500_000, 60).is_err());
    assert!(pbkdf2(1, 65537).is_err());
    assert!(pbkdf2(0, 1).is_err());
    assert_eq!(pbkdf2(1, 0), Ok(Argument::Bytes(Vec::new())));
    assert!(call("pbkdf2", &[text("a"), text("b"), INT(1), INT(1), text("md5")]).is_err());
    assert!(call("hkdf", &[text("a"), text("b"), text("c"), INT(255 * 32 + 1)]).is_err());
}

#[test]
fn checksums_are_those_of_the_catalogue() {
    let check = || text("123456789");
    assert_eq!(call("crc32", &[check()]), Ok(INT(0xcbf4_3926)));
    assert_eq!(call("crc16", &[check()]), Ok(INT(0xbb3d)));
    for (name, right) in [
        ("arc", 0xbb3d),
        ("modbus", 0x4b37),
        ("usb", 0xb4c8),
        ("xmodem", 0x31c3),
        ("ccitt_false", 0x29b1),
        ("kermit", 0x2189),
        ("x25", 0x906e),
    ] {
        assert_eq!(call("crc16", &[check(), text(name)]), Ok(INT(right)), "{name}");
    }
    assert_eq!(call("crc16", &[check(), INT(0x1021)]), Ok(INT(0x31c3)));
    assert!(call("crc16", &[check(), text("other")]).is_err());
    assert!(call("crc16", &[check(), INT(0x1_0000)]).is_err());
    assert_eq!(call("adler32", &[text("Wikipedia")]), Ok(INT(0x11e6_0398)));
    assert_eq!(call("fletcher16", &[text("abcde")]), Ok(INT(0xc8f0)));
    assert_eq!(call("fletcher16", &[text("abcdef")]), Ok(INT(0x2057)));
}

#[test]
fn bytes_are_made_of_numbers_and_of_bytes() {
    assert_eq!(made("u1", &[INT(0x1ff)]), [0xff]);
    assert_eq!(made("u2le", &[INT(0x0102)]), [2, 1]);
    assert_eq!(made("u2be", &[INT(-2)]), [0xff, 0xfe]);
    assert_eq!(made("u4le", &[INT(0x1_0203_0405)]), [5, 4, 3, 2]);
    assert_eq!(made("u4be", &[INT(0x0102_0304)]), [1, 2, 3, 4]);
    assert_eq!(made("u8le", &[INT(1)]), [1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(made("u8be", &[INT(i128::from(u64::MAX) - 1)]), [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]);
    assert_eq!(made("xor", &[key("010203"), key("0101")]), [0, 3, 2]);
    assert_eq!(made("xor", &[key("010203"), key("")]), [1, 2, 3]);
    assert_eq!(made("add_u4le", &[key("00 ffffff00 00"), INT(1), INT(2)]), hex("00 01000001 00"));
    assert_eq!(made("add_u4le", &[key("01000000"), INT(0), INT(-2)]), hex("ffffffff"));
    assert_eq!(made("add_u4be", &[key("00000001"), INT(0), INT(50)]), hex("00000033"));
    for offset in [-1, 1, i128::MAX] {
        assert!(call("add_u4le", &[key("00000000"), INT(offset), INT(0)]).is_err());
    }
    assert_eq!(made("reverse", &[key("010203")]), [3, 2, 1]);
    assert_eq!(made("hex", &[text("00 fF\n10")]), [0, 0xff, 0x10]);
    assert!(call("hex", &[text("0")]).is_err() && call("hex", &[text("0g")]).is_err());
}

#[test]
fn functions_state_which_argument_is_wrong() {
    for function in FUNCTIONS {
        let needed = function.parameters.iter().filter(|parameter| !parameter.optional).count();
        for wrong in [vec![], vec![Argument::Bool(true); needed]] {
            let error = (function.call)(&wrong).unwrap_err();
            assert!(function.parameters.iter().any(|parameter| error.contains(&format!("`{}`", parameter.name))), "{error}");
        }
    }
    let names: std::collections::BTreeSet<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
    assert_eq!(names.len(), FUNCTIONS.len());
    assert!(function("sha3").is_none());
}
