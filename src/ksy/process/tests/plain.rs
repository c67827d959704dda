//! Ciphers without blocks.

use super::*;

#[test]
fn bytes_are_xored_and_rotated() {
    assert_eq!(whole("xor", &[Argument::Int(0xf0)], &[0x00, 0xff, 0x0f]), Ok(vec![0xf0, 0x0f, 0xff]));
    assert_eq!(whole("xor", &[key("01 02")], &[1, 2, 3]), Ok(vec![0, 0, 2]));
    assert_eq!(whole("xor", &[key("")], &[1]), Ok(vec![1]));
    assert_eq!(whole("rol", &[Argument::Int(1)], &[0b1000_0001]), Ok(vec![0b0000_0011]));
    assert_eq!(whole("ror", &[Argument::Int(1)], &[0b1000_0001]), Ok(vec![0b1100_0000]));
    assert_eq!(whole("ror", &[Argument::Int(8)], &[0x12]), Ok(vec![0x12]));
}

#[test]
fn rc4_is_that_of_the_published_vectors() {
    assert_eq!(whole("rc4", &[Argument::Text("Key".into())], b"Plaintext"), Ok(hex("bbf316e8d940af0ad3")));
    assert_eq!(whole("rc4", &[Argument::Text("Wiki".into())], b"pedia"), Ok(hex("1021bf0420")));
    // RFC 6229: offsets 0 and 1536 of a key of 40 bits.
    let zeros = [0; 16];
    assert_eq!(whole("rc4", &[key("0102030405")], &zeros), Ok(hex("b2396305f03dc027ccc3524a0a1118a8")));
    let dropped = [key("0102030405"), Argument::Int(1536)];
    assert_eq!(whole("rc4", &dropped, &zeros), Ok(hex("d8729db41882259bee4f825325f5a130")));
}
