//! The test vectors of RFC 9001, appendix A.5, and of packet numbers of RFC 9000, appendix A.3.

use super::*;
use crate::protocols::quic::versions::labels;
use crate::wire::trial;

const SECRET: &str = "9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b";
const CHACHA: u16 = 0x1303;
/// PING in a packet with a short header and no connection ID.
const PACKET: &str = "4cfe4189655e5cd55c41f69080575d7999c25a5bfb";

#[test]
fn the_short_packet_of_rfc_9001_is_decrypted() {
    let keys = Keys::of_suite(CHACHA, &trial::bytes(SECRET), labels(1)).unwrap();
    let packet = trial::bytes(PACKET);
    let header = keys.header.unprotect(&packet, 1).unwrap();
    assert_eq!((header.first, header.truncated, header.number_length), (0x42, 0x00bff4, 3));
    let number = header.number(654_360_564);
    assert_eq!(number, 654_360_564);
    let decrypted = keys.payload.decrypt(&packet, &header, number).unwrap();
    assert_eq!(decrypted.frames, [1]);
    assert!(keys.payload.decrypt(&packet, &header, number + 1).is_none());
}

#[test]
fn keys_derive_with_the_labels_of_rfc_9001() {
    let secret = trial::bytes(SECRET);
    let expand = |label, count| Hash::Sha256.expand(LabelPrefix::Tls, &secret, label, count).unwrap();
    let v1 = labels(1);
    assert_eq!(expand(v1.key, 32), trial::bytes("c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8"));
    assert_eq!(expand(v1.iv, 12), trial::bytes("e0459b3474bdd0e44a41c144"));
    assert_eq!(expand(v1.header, 32), trial::bytes("25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4"));
    assert_eq!(expand(v1.update, 32), trial::bytes("1223504755036d556342ee9361d253421a826c9ecdf3c7148684b36b714881f9"));
}

#[test]
fn packet_numbers_are_completed_from_the_largest_one() {
    let number = |truncated, number_length, largest: u64| {
        Header { first: 0, truncated, number_length, bytes: Vec::new() }.number(largest + 1)
    };
    assert_eq!(number(0x9b32, 2, 0xa82f_30ea), 0xa82f_9b32);
    assert_eq!(number(0xff, 1, 0x100), 0xff);
    assert_eq!(number(0x01, 1, 0x1ff), 0x201);
    assert_eq!(number(0, 1, 0xff), 0x100);
}
