//! A session of OpenSSL with its key log, also with lost, reordered, truncated and malformed datagrams.

use super::records::Session;
use super::*;
use crate::tree::Side;
use crate::wire::{Cut, Exchange, trial};

const SESSION: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/make/talk/dtls.txt"));

fn key_log() -> String {
    key_log_of(SESSION)
}

fn key_log_of(text: &str) -> String {
    text.lines().filter_map(|line| line.strip_prefix("k ")).flat_map(|line| [line, "\n"]).collect()
}

fn datagrams() -> Vec<(Side, Vec<u8>)> {
    datagrams_of(SESSION)
}

fn datagrams_of(text: &str) -> Vec<(Side, Vec<u8>)> {
    let of = |line: &str| match line.split_once(' ') {
        Some(("c" | "m", hex)) => Some((Side::Client, trial::bytes(hex))),
        Some(("s", hex)) => Some((Side::Server, trial::bytes(hex))),
        _ => None,
    };
    text.lines().filter_map(of).collect()
}

fn trees(key_log: &str, datagrams: &[(Side, Vec<u8>)]) -> Vec<String> {
    let mut session = Session::default();
    let read =
        |(from, bytes): &(Side, Vec<u8>)| trial::knowing(key_log, &PROTOCOL, bytes, Cut::No, |wire| session.message(*from, wire));
    datagrams.iter().map(read).collect()
}

fn headings(trees: &[String]) -> String {
    trees.iter().filter_map(|tree| tree.lines().next()).collect::<Vec<_>>().join("\n")
}

#[test]
fn handshake_messages_are_reassembled_and_decrypted() {
    let trees = trees(&key_log(), &datagrams());
    assert!(trees.iter().all(|tree| !tree.contains("not_opened")));
    insta::assert_snapshot!(headings(&trees), @r"
    dtls 0..162 | client_hello | 149 bytes
    dtls 0..48 | hello_verify_request | 35 bytes
    dtls 0..182 | client_hello | 169 bytes
    dtls 0..472 | server_hello, handshake_part | DTLS 1.2, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
    dtls 0..454 | certificate | WebRTC
    dtls 0..419 | server_key_exchange, certificate_request, server_hello_done | 3 records, 380 bytes
    dtls 0..472 | handshake_part | 459 bytes
    dtls 0..472 | certificate, client_key_exchange, handshake_part | WebRTC
    dtls 0..330 | certificate_verify, change_cipher_spec, finished | 3 records, 291 bytes
    dtls 0..472 | handshake_part | 459 bytes
    dtls 0..472 | handshake_part | 459 bytes
    dtls 0..172 | new_session_ticket, change_cipher_spec, finished | 3 records, 133 bytes
    dtls 0..81 | application_data | 68 bytes
    dtls 0..105 | application_data | 92 bytes
    dtls 0..105 | application_data | 92 bytes
    dtls 0..89 | application_data | 76 bytes
    dtls 0..109 | application_data | 96 bytes
    dtls 0..93 | application_data | 80 bytes
    dtls 0..141 | application_data | 128 bytes
    dtls 0..125 | application_data | 112 bytes
    dtls 0..97 | application_data | 84 bytes
    dtls 0..105 | application_data | 92 bytes
    dtls 0..89 | application_data | 76 bytes
    dtls 0..61 | application_data | 48 bytes
    dtls 0..57 | application_data | 44 bytes
    ");
}

#[test]
fn without_keys_records_stay_encrypted() {
    insta::assert_snapshot!(headings(&trees("", &datagrams())[8..16]), @r"
    dtls 0..330 | certificate_verify, change_cipher_spec, encrypted_handshake | 3 records, 291 bytes
    dtls 0..472 | handshake_part | 459 bytes
    dtls 0..472 | handshake_part | 459 bytes
    dtls 0..172 | new_session_ticket, change_cipher_spec, encrypted_handshake | 3 records, 133 bytes
    dtls 0..81 | application_data | 68 bytes
    dtls 0..105 | application_data | 92 bytes
    dtls 0..105 | application_data | 92 bytes
    dtls 0..89 | application_data | 76 bytes
    ");
}

#[test]
fn a_client_hello_has_a_cookie_and_profiles_of_srtp() {
    insta::assert_snapshot!(trees("", &datagrams()[..3])[2], @r#"
    dtls 0..182 | client_hello | 169 bytes
      0..182 dtls.record
        0..1 dtls.record.content_type = 22 (handshake)
        1..3 dtls.record.version = 0xfeff (DTLS 1.0)
        3..5 dtls.record.epoch = 0
        5..11 dtls.record.sequence_number = 1
        11..13 dtls.record.length = 169
        13..182 dtls.handshake
          13..14 dtls.handshake.type = 1 (client_hello)
          14..17 dtls.handshake.length = 157
          17..19 dtls.handshake.message_seq = 1
          19..22 dtls.handshake.fragment_offset = 0
          22..25 dtls.handshake.fragment_length = 157
          25..27 dtls.handshake.version = 0xfefd (DTLS 1.2)
          27..59 dtls.handshake.random = 32 bytes
          59..60 dtls.handshake.session_id_length = 0
          60..61 dtls.handshake.cookie_length = 20
          61..81 dtls.handshake.cookie = 20 bytes
          81..83 dtls.handshake.cipher_suites_length = 4
          83..85 dtls.handshake.ciphersuite = 0xc02f (TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256)
          85..87 dtls.handshake.ciphersuite = 0x00ff (TLS_EMPTY_RENEGOTIATION_INFO_SCSV)
          87..88 dtls.handshake.comp_methods_length = 1
          88..89 dtls.handshake.comp_method = 0 (null)
          89..91 dtls.handshake.extensions_length = 91
          91..99 dtls.handshake.extension
            91..93 dtls.handshake.extension.type = 11 (ec_point_formats)
            93..95 dtls.handshake.extension.len = 4
            95..96 dtls.handshake.extensions_ec_point_formats_length = 3
            96..97 dtls.handshake.extensions_ec_point_format = 0 (uncompressed)
            97..98 dtls.handshake.extensions_ec_point_format = 1 (ansiX962_compressed_prime)
            98..99 dtls.handshake.extensions_ec_point_format = 2 (ansiX962_compressed_char2)
          99..115 dtls.handshake.extension
            99..101 dtls.handshake.extension.type = 10 (supported_groups)
            101..103 dtls.handshake.extension.len = 12
            103..105 dtls.handshake.extensions_supported_groups_length = 10
            105..107 dtls.handshake.extensions_supported_group = 0x001d (x25519)
            107..109 dtls.handshake.extensions_supported_group = 0x0017 (secp256r1)
            109..111 dtls.handshake.extensions_supported_group = 0x001e (x448)
            111..113 dtls.handshake.extensions_supported_group = 0x0019 (secp521r1)
            113..115 dtls.handshake.extensions_supported_group = 0x0018 (secp384r1)
          115..119 dtls.handshake.extension
            115..117 dtls.handshake.extension.type = 35 (session_ticket)
            117..119 dtls.handshake.extension.len = 0
            119..119 dtls.handshake.extension.data = 
          119..128 dtls.handshake.extension
            119..121 dtls.handshake.extension.type = 14 (use_srtp)
            121..123 dtls.handshake.extension.len = 5
            123..125 dtls.use_srtp.protection_profiles_length = 2
            125..127 dtls.use_srtp.protection_profile = 0x0001 (SRTP_AES128_CM_HMAC_SHA1_80)
            127..128 dtls.use_srtp.mki_length = 0
          128..132 dtls.handshake.extension
            128..130 dtls.handshake.extension.type = 22 (encrypt_then_mac)
            130..132 dtls.handshake.extension.len = 0
          132..136 dtls.handshake.extension
            132..134 dtls.handshake.extension.type = 23 (extended_master_secret)
            134..136 dtls.handshake.extension.len = 0
          136..182 dtls.handshake.extension
            136..138 dtls.handshake.extension.type = 13 (signature_algorithms)
            138..140 dtls.handshake.extension.len = 42
            140..142 dtls.handshake.sig_hash_alg_len = 40
            142..144 dtls.handshake.sig_hash_alg = 0x0403 (ecdsa_secp256r1_sha256)
            144..146 dtls.handshake.sig_hash_alg = 0x0503 (ecdsa_secp384r1_sha384)
            146..148 dtls.handshake.sig_hash_alg = 0x0603 (ecdsa_secp521r1_sha512)
            148..150 dtls.handshake.sig_hash_alg = 0x0807 (ed25519)
            150..152 dtls.handshake.sig_hash_alg = 0x0808 (ed448)
            152..154 dtls.handshake.sig_hash_alg = 0x0809 (rsa_pss_pss_sha256)
            154..156 dtls.handshake.sig_hash_alg = 0x080a (rsa_pss_pss_sha384)
            156..158 dtls.handshake.sig_hash_alg = 0x080b (rsa_pss_pss_sha512)
            158..160 dtls.handshake.sig_hash_alg = 0x0804 (rsa_pss_rsae_sha256)
            160..162 dtls.handshake.sig_hash_alg = 0x0805 (rsa_pss_rsae_sha384)
            162..164 dtls.handshake.sig_hash_alg = 0x0806 (rsa_pss_rsae_sha512)
            164..166 dtls.handshake.sig_hash_alg = 0x0401 (rsa_pkcs1_sha256)
            166..168 dtls.handshake.sig_hash_alg = 0x0501 (rsa_pkcs1_sha384)
            168..170 dtls.handshake.sig_hash_alg = 0x0601 (rsa_pkcs1_sha512)
            170..172 dtls.handshake.sig_hash_alg = 0x0303
            172..174 dtls.handshake.sig_hash_alg = 0x0301
            174..176 dtls.handshake.sig_hash_alg = 0x0302
            176..178 dtls.handshake.sig_hash_alg = 0x0402
            178..180 dtls.handshake.sig_hash_alg = 0x0502
            180..182 dtls.handshake.sig_hash_alg = 0x0602
          dtls.handshake.ja3_full = "65277,49199-255,11-10-35-14-22-23-13,29-23-30-25-24,0-1-2"
          dtls.handshake.ja3 = "e026f82b3c9810339bfea8edc41da793"
          dtls.handshake.ja4 = "dd2i020700_b06afd972a5c_20344ea827a4"
          dtls.handshake.ja4_r = "dd2i020700_00ff,c02f_000a,000b,000d,000e,0016,0017,0023_0403,0503,0603,0807,0808,0809,080a,080b,0804,0805,0806,0401,0501,0601,0303,0301,0302,0402,0502,0602"
    "#);
}

#[test]
fn a_wrong_key_is_noted() {
    let key_log = key_log();
    let (rest, last) = key_log.trim().split_at(key_log.trim().len() - 1);
    let wrong = format!("{rest}{}\n", if last == "0" { "1" } else { "0" });
    assert_eq!(trees(&wrong, &datagrams()).iter().filter(|tree| tree.contains("dtls.not_opened")).count(), 15);
}

#[test]
fn the_order_of_fragments_does_not_change_their_message() {
    let certificate = |trees: &[String]| trees.iter().filter(|tree| tree.contains("dtls.handshake.certificate_length")).count();
    let mut swapped = datagrams();
    // The second one completes the server's certificate, which starts in the first one.
    swapped.swap(3, 4);
    assert_eq!((certificate(&trees("", &datagrams())), certificate(&trees("", &swapped))), (2, 2));
    let repeated: Vec<_> = datagrams().into_iter().flat_map(|datagram| [datagram.clone(), datagram]).collect();
    assert!(certificate(&trees("", &repeated)) >= 2);
    let mut lost = datagrams();
    lost.remove(3);
    assert_eq!(certificate(&trees("", &lost)), 1);
}

#[test]
fn records_that_arrive_late_or_alone_are_decrypted() {
    let mut some = datagrams();
    some.swap(16, 20);
    some.remove(18);
    assert!(trees(&key_log(), &some).iter().all(|tree| !tree.contains("not_opened")));
}

/// The named session in the file of other versions: its key log and its datagrams.
fn session_of(name: &str) -> (String, Vec<(Side, Vec<u8>)>) {
    const SESSIONS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/make/talk/dtls-versions.txt"));
    let text = SESSIONS.split("# ").find(|text| text.starts_with(name)).unwrap();
    (key_log_of(text), datagrams_of(text))
}

#[test]
fn records_of_dtls_1_0_are_decrypted() {
    for name in ["TLS_RSA_WITH_AES_256_CBC_SHA over DTLS 1.0", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA over DTLS 1.0"] {
        let (key_log, datagrams) = session_of(name);
        let trees = trees(&key_log, &datagrams);
        assert!(trees.iter().all(|tree| !tree.contains("not_opened")), "{name}");
        assert_eq!(trees.iter().filter(|tree| tree.contains("dtls.decrypted")).count(), 5, "{name}");
        assert_eq!(trees.iter().filter(|tree| tree.contains("(close_notify)")).count(), 2, "{name}");
    }
}

#[test]
fn records_of_dtls_1_2_with_connection_ids_are_decrypted() {
    let suites = ["AES_128_GCM_SHA256", "CHACHA20_POLY1305_SHA256", "AES_128_CBC_SHA256", "AES_128_CBC_SHA256"];
    for (suite, end) in suites.into_iter().zip(["\n", "\n", "\n", ", encrypt-then-MAC"]) {
        let name = format!("TLS_ECDHE_RSA_WITH_{suite} over DTLS 1.2 with connection IDs{end}");
        let (key_log, mut datagrams) = session_of(&name);
        let all = trees(&key_log, &datagrams);
        assert!(all.iter().all(|tree| !tree.contains("not_opened") && !tree.contains("| encrypted |")), "{name}");
        assert_eq!(all.iter().filter(|tree| tree.contains("dtls.decrypted")).count(), 2, "{name}");
        assert_eq!(all.iter().filter(|tree| tree.contains("finished")).count(), 2, "{name}");
        assert!(all.iter().any(|tree| tree.contains("dtls.padding = 000000")), "{name}");
        assert!(all.last().unwrap().contains("(close_notify)"), "{name}");
        assert!(datagrams.iter().all(|(_, bytes)| bytes[0] == 25 || recognize(bytes)), "{name}");
        // The connection ID is authenticated, too.
        let (_, last) = datagrams.last_mut().unwrap();
        last[11] ^= 1;
        assert!(trees(&key_log, &datagrams).last().unwrap().contains("dtls.not_opened"), "{name}");
    }
}

const DTLS_1_3: [&str; 3] = [
    "TLS_AES_128_GCM_SHA256 over DTLS 1.3",
    "TLS_CHACHA20_POLY1305_SHA256 over DTLS 1.3",
    "TLS_AES_256_GCM_SHA384 over DTLS 1.3",
];

#[test]
fn records_of_dtls_1_3_are_decrypted() {
    for name in DTLS_1_3 {
        let (key_log, datagrams) = session_of(name);
        let trees = trees(&key_log, &datagrams);
        assert!(trees.iter().all(|tree| !tree.contains("not_opened") && !tree.contains("| encrypted |")), "{name}");
        // Three lines each before the change of keys, and two after it.
        assert_eq!(trees.iter().filter(|tree| tree.contains("dtls.decrypted")).count(), 10, "{name}");
    }
    let (key_log, datagrams) = session_of(DTLS_1_3[0]);
    insta::assert_snapshot!(headings(&trees(&key_log, &datagrams)), @r"
    dtls 0..203 | client_hello | game.example
    dtls 0..144 | server_hello | retry, DTLS 1.3, TLS_AES_128_GCM_SHA256
    dtls 0..276 | client_hello | game.example
    dtls 0..144 | server_hello | DTLS 1.3, TLS_AES_128_GCM_SHA256
    dtls 0..36 | encrypted_extensions | 31 bytes
    dtls 0..435 | certificate | game.example
    dtls 0..110 | certificate_verify | 105 bytes
    dtls 0..66 | finished | 61 bytes
    dtls 0..66 | finished | 61 bytes
    dtls 0..40 | ack | 35 bytes
    dtls 0..222 | new_session_ticket | 217 bytes
    dtls 0..40 | ack | 35 bytes
    dtls 0..37 | application_data | 32 bytes
    dtls 0..32 | application_data | 27 bytes
    dtls 0..37 | application_data | 32 bytes
    dtls 0..32 | application_data | 27 bytes
    dtls 0..38 | application_data | 33 bytes
    dtls 0..32 | application_data | 27 bytes
    dtls 0..35 | key_update | 30 bytes
    dtls 0..35 | key_update | 30 bytes
    dtls 0..40 | ack | 35 bytes
    dtls 0..40 | ack | 35 bytes
    dtls 0..37 | application_data | 32 bytes
    dtls 0..38 | application_data | 33 bytes
    dtls 0..37 | application_data | 32 bytes
    dtls 0..38 | application_data | 33 bytes
    dtls 0..24 | alert | warning close_notify
    dtls 0..24 | alert | warning close_notify
    ");
    let (key_log, datagrams) = session_of(DTLS_1_3[1]);
    insta::assert_snapshot!(trees(&key_log, &datagrams)[datagrams.len() - 6], @r"
    dtls 0..43 | application_data | 32 bytes
      0..43 dtls.record
        0..1 dtls.unified_header.bitmask = 0x3c
          0..1 dtls.unified_header.cid_present = true
          0..1 dtls.unified_header.seq_size = true
          0..1 dtls.unified_header.length = true
          0..1 dtls.unified_header.epoch_bits = 0
        1..7 dtls.record.connection_id = 534552564552
        7..9 dtls.record.sequence_number = 980
        9..11 dtls.record.length = 32
        dtls.record.epoch = 4
        dtls.record.sequence_number.decrypted = 0
        11..43 dtls.enc_content = 32 bytes
        0..15 dtls.decrypted = 7b22736179223a2268656c6c6f227d
        15..16 dtls.record.content_type = 23 (application_data)
    ");
}

#[test]
fn records_of_dtls_1_3_that_are_late_lost_or_repeated_are_decrypted() {
    let (key_log, mut datagrams) = session_of(DTLS_1_3[0]);
    // Around the change of keys.
    let count = datagrams.len();
    datagrams.swap(count - 8, count - 5);
    datagrams.remove(8);
    let last = datagrams[count - 3].clone();
    datagrams.push(last);
    assert!(trees(&key_log, &datagrams).iter().all(|tree| !tree.contains("not_opened") && !tree.contains("| encrypted |")));
    let wrong: String = key_log.lines().flat_map(|line| [&line[..line.len() - 2], "00\n"]).collect();
    let trees = trees(&wrong, &session_of(DTLS_1_3[0]).1);
    // The last six keys derive from wrong ones.
    assert_eq!(trees.iter().filter(|tree| tree.contains("dtls.not_opened")).count(), count - 4 - 6);
}

#[test]
fn a_record_of_dtls_1_2_may_have_a_connection_id() {
    let mut session = Session::default();
    session.hello.connection_ids[Side::Client] = Some(2);
    let bytes = trial::bytes("19 fefd 0001 000000000001 c1d2 0003 aabbcc");
    assert!(session.claims(Side::Client, &bytes) && !session.claims(Side::Server, &bytes));
    insta::assert_snapshot!(trial::read(&PROTOCOL, &bytes, Cut::No, |wire| session.message(Side::Client, wire)), @r"
    dtls 0..18 | encrypted | 3 bytes
      0..18 dtls.record
        0..1 dtls.record.content_type = 25 (tls12_cid)
        1..3 dtls.record.version = 0xfefd (DTLS 1.2)
        3..5 dtls.record.epoch = 1
        5..11 dtls.record.sequence_number = 1
        11..13 dtls.record.connection_id = c1d2
        13..15 dtls.record.length = 3
        15..18 dtls.enc_content = aabbcc
    ");
}

#[test]
fn encrypted_records_of_dtls_1_3_have_short_headers() {
    let mut session = Session::default();
    let hello = trial::bytes(
        "16 fefd 0000 000000000000 003a 02 00002e 0000 000000 00002e fefd 0101010101010101010101010101010101010101010101010101010101010101 \
         00 1301 00 0006 002b 0002 fefc",
    );
    assert!(recognize(&hello));
    trial::read(&PROTOCOL, &hello, Cut::No, |wire| session.message(Side::Server, wire));
    let bytes = trial::bytes("2e 1234 0003 aabbcc 23 56 ddee");
    assert!(session.claims(Side::Server, &bytes) && !Session::default().claims(Side::Server, &bytes));
    insta::assert_snapshot!(trial::read(&PROTOCOL, &bytes, Cut::No, |wire| session.message(Side::Server, wire)), @r"
    dtls 0..12 | encrypted | 2 records, 5 bytes
      0..8 dtls.record
        0..1 dtls.unified_header.bitmask = 0x2e
          0..1 dtls.unified_header.cid_present = false
          0..1 dtls.unified_header.seq_size = true
          0..1 dtls.unified_header.length = true
          0..1 dtls.unified_header.epoch_bits = 2
        1..3 dtls.record.sequence_number = 4660
        3..5 dtls.record.length = 3
        5..8 dtls.enc_content = aabbcc
      8..12 dtls.record
        8..9 dtls.unified_header.bitmask = 0x23
          8..9 dtls.unified_header.cid_present = false
          8..9 dtls.unified_header.seq_size = false
          8..9 dtls.unified_header.length = false
          8..9 dtls.unified_header.epoch_bits = 3
        9..10 dtls.record.sequence_number = 86
        10..12 dtls.enc_content = ddee
    ");
}

#[test]
fn a_fragment_outside_its_message_is_malformed() {
    let bytes = trial::bytes("16 fefd 0000 000000000000 000e 0b 000010 0000 00000f 000002 aabb");
    let tree = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Session::default().message(Side::Client, wire));
    assert!(tree.contains("dtls.handshake.fragment.outside"), "{tree}");
}

#[test]
fn only_datagrams_that_begin_with_a_record_are_recognized() {
    assert!(datagrams().iter().all(|(_, bytes)| recognize(bytes)));
    let record = trial::bytes("17 fefd 0001 000000000001 0003 aabbcc");
    assert!(recognize(&record));
    for (at, byte) in [(0, 0x80), (1, 3), (2, 0), (3, 1)] {
        let mut other = record.clone();
        other[at] = byte;
        assert!(!recognize(&other), "byte {at}");
    }
    assert!(!recognize(&record[..12]) && !recognize(&[&record[..], &[7; 20]].concat()));
}

#[test]
fn a_record_longer_than_its_datagram_needs_a_handshake() {
    let alert = trial::bytes("15 0100 0000000002030033 010d 0400 00ff");
    let mut session = Session::default();
    assert!(!recognize(&alert) && !session.claims(Side::Client, &alert));
    let (_, hello) = datagrams().swap_remove(0);
    for cut in [13 + 12, hello.len() - 1] {
        assert!(recognize(&hello[..cut]), "a handshake cut to {cut} bytes");
    }
    trial::read(&PROTOCOL, &hello, Cut::No, |wire| session.message(Side::Client, wire));
    assert!(session.claims(Side::Client, &alert) && !session.claims(Side::Client, &alert[1..]));
}

#[test]
fn datagrams_cut_or_damaged_anywhere_are_dissected() {
    cut_or_damaged(&key_log(), &datagrams());
    for name in [DTLS_1_3[0], DTLS_1_3[1], "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA over DTLS 1.0"] {
        let (key_log, datagrams) = session_of(name);
        cut_or_damaged(&key_log, &datagrams);
    }
}

fn cut_or_damaged(key_log: &str, datagrams: &[(Side, Vec<u8>)]) {
    for (at, (from, bytes)) in datagrams.iter().enumerate() {
        for length in (0..bytes.len()).step_by(7) {
            let mut session = Session::default();
            for (from, before) in &datagrams[at.saturating_sub(3)..at] {
                trial::knowing(key_log, &PROTOCOL, before, Cut::No, |wire| session.message(*from, wire));
            }
            trial::knowing(key_log, &PROTOCOL, &bytes[..length], Cut::Capture, |wire| session.message(*from, wire));
            let mut damaged = bytes.clone();
            damaged[length] ^= 0xff;
            trial::knowing(key_log, &PROTOCOL, &damaged, Cut::No, |wire| session.message(*from, wire));
        }
    }
}

#[test]
fn twins_have_the_names_of_tls_and_its_kinds() {
    let twins: Vec<_> = FIELDS.iter().filter_map(|field| Some((field, field.twin?))).collect();
    assert!(twins.len() > 60);
    for (field, twin) in twins {
        assert_eq!((field.abbrev, field.kind, field.hex), (format!("d{}", twin.abbrev).as_str(), twin.kind, twin.hex));
        assert_eq!((field.name, field.names), (twin.name, twin.names), "{}", field.abbrev);
    }
}
