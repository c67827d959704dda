//! Published test vectors: RFC 8448 for TLS 1.3, the PRF vectors of the TLS working group for TLS 1.0 and 1.2.

use super::super::TLS_1_2;
use super::*;
use crate::wire::trial;

/// RFC 8448 section 3, simple 1-RTT handshake with TLS_AES_128_GCM_SHA256.
const SUITE: u16 = 0x1301;
const CLIENT_SECRET: &str = "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5";
const CLIENT_DATA: &str = "1703030043 a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4";

fn encrypted(record: &[u8], number: u64) -> EncryptedRecord<'_> {
    EncryptedRecord { header: &record[..5], payload: &record[5..], number, connection_id: &[] }
}

#[test]
fn tls_1_3_keys_match_rfc_8448() {
    let secret = trial::bytes("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38");
    assert_eq!(Hash::Sha256.expand(LabelPrefix::Tls, &secret, "key", 16), Some(trial::bytes("3fce516009c21727d0f2e4e86ee403bc")));
    assert_eq!(Hash::Sha256.expand(LabelPrefix::Tls, &secret, "iv", 12), Some(trial::bytes("5d313eb2671276ee13000b30")));
    assert_eq!(Hash::Sha1.expand(LabelPrefix::Tls, &secret, "iv", 12), None);
}

#[test]
fn a_record_of_rfc_8448_is_decrypted_and_a_modified_one_is_rejected() {
    let decryptor = Decryptor::from_traffic_secret(LabelPrefix::Tls, &trial::bytes(CLIENT_SECRET), SUITE).unwrap();
    let mut record = trial::bytes(CLIENT_DATA);
    let plaintext: Vec<u8> = (0..50).chain([23]).collect();
    assert_eq!(decryptor.decrypt(&encrypted(&record, 0)), Some(Plaintext { bytes: plaintext, from: 0 }));
    assert_eq!(decryptor.decrypt(&encrypted(&record, 1)), None);
    for place in [0, 4, 5, record.len() - 1] {
        record[place] ^= 1;
        assert_eq!(decryptor.decrypt(&encrypted(&record, 0)), None, "byte {place}");
        record[place] ^= 1;
    }
    assert!(decryptor.decrypt(&encrypted(&record, 0)).is_some());
}

#[test]
fn the_tls_1_2_prf_matches_its_test_vector() {
    let made = Hash::Sha256.prf(
        &trial::bytes("9bbe436ba940f017b17652849a71db35"),
        b"test label",
        &trial::bytes("a0ba9f936cda311827a6f796ffd5198c"),
        100,
    );
    let known = "e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17\
                 abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66";
    assert_eq!(made, Some(trial::bytes(known)));
}

#[test]
fn the_prf_of_tls_1_0_matches_its_test_vector() {
    let made = split_prf(&[0xab; 48], b"PRF Testvector", &[0xcd; 64], 48);
    let known = "d3d4d1e349b5d515044666d51de32bab258cb521b6b053463e354832fd976754443bcf9a296519bc289abcbc1187e4eb";
    assert_eq!(made, Some(trial::bytes(known)));
    // Of a secret of odd length, both halves have the middle byte.
    assert_eq!(split_prf(&[1, 2, 3], b"", b"x", 4), {
        let (md5, sha1) = (Hash::Md5.prf(&[1, 2], b"", b"x", 4).unwrap(), Hash::Sha1.prf(&[2, 3], b"", b"x", 4).unwrap());
        Some(md5.iter().zip(&sha1).map(|(md5, sha1)| md5 ^ sha1).collect())
    });
}

#[test]
fn algorithms_are_derived_from_suite_names() {
    let of = |suite| Algorithms::of(suite).map(|of| (of.kind, of.mac, of.hash));
    assert_eq!(of(0xc02f), Some((Kind::Gcm(16), Hash::Sha256, Hash::Sha256)));
    assert_eq!(of(0xc030), Some((Kind::Gcm(32), Hash::Sha384, Hash::Sha384)));
    assert_eq!(of(0x002f), Some((Kind::Cbc(16), Hash::Sha1, Hash::Sha256)));
    assert_eq!(of(0xc024), Some((Kind::Cbc(32), Hash::Sha384, Hash::Sha384)));
    assert_eq!(of(0xcca9), Some((Kind::ChaCha, Hash::Sha256, Hash::Sha256)));
    assert_eq!(of(0x0005), None, "RC4");
    assert_eq!(of(0xc0ac), None, "CCM");
    assert_eq!(of(0xffff), None);
}

#[test]
fn invalid_payloads_of_any_length_are_rejected() {
    let parameters = |version, suite, mac_last| SecurityParameters { version, suite, randoms: [&[1; 32], &[2; 32]], mac_last };
    for (version, suite) in [0xc02f, 0xc030, 0x002f, 0xc024, 0xcca9, 0x1301]
        .map(|suite| (TLS_1_2, suite))
        .into_iter()
        .chain([(TLS_1_0, 0x002f), (TLS_1_1, 0x0035)])
    {
        for mac_last in [false, true] {
            let decryptor = Decryptor::from_master_secret(&[3; 48], &parameters(version, suite, mac_last), Side::Client).unwrap();
            for length in 0..100 {
                let encrypted =
                    EncryptedRecord { header: &[23, 3, 3, 0, 0], payload: &vec![0; length], number: 0, connection_id: &[] };
                assert_eq!(decryptor.decrypt(&encrypted), None, "{suite:04x} {length}");
            }
        }
    }
    assert!(Decryptor::from_master_secret(&[3; 48], &parameters(TLS_1_1, 0xc02f, false), Side::Client).is_none());
    assert!(Decryptor::from_traffic_secret(LabelPrefix::Tls, &[0; 3], 0x1301).is_none());
    assert!(Decryptor::from_traffic_secret(LabelPrefix::Tls, &[0; 32], 0x002f).is_none());
}
