//! OpenSSL sessions with their key logs: encrypted records are dissected like plaintext ones.

use super::*;

/// Trees of a session of the sample file, with its key log.
fn decrypted(suite: &str) -> Vec<String> {
    const SESSIONS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/make/tls-keys.txt"));
    let text = SESSIONS.split("# ").find(|text| text.lines().next() == Some(suite)).unwrap();
    let key_log: String = text.lines().filter_map(|line| line.strip_prefix("k ")).flat_map(|line| [line, "\n"]).collect();
    let mut session = Session::default();
    let mut trees = Vec::new();
    for line in text.lines() {
        let (from, hex) = match line.split_once(' ') {
            Some(("c", hex)) => (Side::Client, hex),
            Some(("s", hex)) => (Side::Server, hex),
            _ => continue,
        };
        let bytes = trial::bytes(hex);
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let Extent::Message(len) = session.extent(from, rest, false) else { panic!("no record") };
            trees.push(trial::knowing(&key_log, &PROTOCOL, &rest[..len], Cut::No, |wire| session.message(from, wire)));
            rest = &rest[len..];
        }
    }
    trees
}

#[test]
fn tls_1_3_records_are_decrypted_with_a_key_log() {
    let trees = decrypted("TLS_AES_128_GCM_SHA256");
    insta::assert_snapshot!(headings(&trees).join("\n"), @r"
    tls 0..257 | client_hello | game.example, http/1.1
    tls 0..127 | server_hello | TLS 1.3, TLS_AES_128_GCM_SHA256
    tls 0..6 | change_cipher_spec | 1 bytes
    tls 0..626 | encrypted_extensions, certificate, certificate_verify, finished | http/1.1, game.example
    tls 0..6 | change_cipher_spec | 1 bytes
    tls 0..58 | finished | 53 bytes
    tls 0..255 | new_session_ticket | 250 bytes
    tls 0..152 | application_data | 2 records, 142 bytes
    tls 0..213 | application_data | 2 records, 203 bytes
    tls 0..24 | alert | warning close_notify
    tls 0..24 | alert | warning close_notify
    ");
    insta::assert_snapshot!(trees[3], @r#"
    tls 0..626 | encrypted_extensions, certificate, certificate_verify, finished | http/1.1, game.example
      0..43 tls.record
        0..1 tls.record.opaque_type = 23 (application_data)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 38
        5..43 tls.app_data = 38 bytes
        0..21 tls.handshake
          0..1 tls.handshake.type = 8 (encrypted_extensions)
          1..4 tls.handshake.length = 17
          4..6 tls.handshake.extensions_length = 15
          6..21 tls.handshake.extension
            6..8 tls.handshake.extension.type = 16 (application_layer_protocol_negotiation)
            8..10 tls.handshake.extension.len = 11
            10..12 tls.handshake.extensions_alpn_len = 9
            12..13 tls.handshake.extensions_alpn_str_len = 8
            13..21 tls.handshake.extensions_alpn_str = "http/1.1"
        21..22 tls.record.content_type = 22 (handshake)
      43..469 tls.record
        43..44 tls.record.opaque_type = 23 (application_data)
        44..46 tls.record.version = 0x0303 (TLS 1.2)
        46..48 tls.record.length = 421
        48..469 tls.app_data = 421 bytes
        0..404 tls.handshake
          0..1 tls.handshake.type = 11 (certificate)
          1..4 tls.handshake.length = 400
          4..5 tls.handshake.certificate_request_context_length = 0
          5..8 tls.handshake.certificates_length = 396
          8..11 tls.handshake.certificate_length = 391
          11..402 tls.handshake.certificate = 391 bytes
          15..316 x509af.signedCertificate_element
            23..24 x509af.version = 2 (v3)
            26..46 x509af.serialNumber = 20 bytes
            50..58 x509af.algorithm.id = "ecdsa-with-SHA256"
            58..83 x509af.issuer.name = "CN=game.example"
            66..69 x509if.attribute = "CN"
            71..83 x509sat.uTF8String = "game.example"
            87..100 x509af.notBefore.time = "2026-11-21 18:47:37"
            102..115 x509af.notAfter.time = "2036-11-18 18:47:37"
            115..140 x509af.subject.name = "CN=game.example"
            123..126 x509if.attribute = "CN"
            128..140 x509sat.uTF8String = "game.example"
            146..153 x509af.subjectPublicKeyInfo.algorithm = "ecPublicKey"
            165..231 x509af.subjectPublicKey = 66 bytes
            315..316 x509ce.cA = true
          402..404 tls.handshake.extensions_length = 0
        404..405 tls.record.content_type = 22 (handshake)
      469..568 tls.record
        469..470 tls.record.opaque_type = 23 (application_data)
        470..472 tls.record.version = 0x0303 (TLS 1.2)
        472..474 tls.record.length = 94
        474..568 tls.app_data = 94 bytes
        0..77 tls.handshake
          0..1 tls.handshake.type = 15 (certificate_verify)
          1..4 tls.handshake.length = 73
          4..6 tls.handshake.sig_hash_alg = 0x0403 (ecdsa_secp256r1_sha256)
          6..8 tls.handshake.client_cert_vrfy.sig_len = 69
          8..77 tls.handshake.client_cert_vrfy.sig = 69 bytes
        77..78 tls.record.content_type = 22 (handshake)
      568..626 tls.record
        568..569 tls.record.opaque_type = 23 (application_data)
        569..571 tls.record.version = 0x0303 (TLS 1.2)
        571..573 tls.record.length = 53
        573..626 tls.app_data = 53 bytes
        0..36 tls.handshake
          0..1 tls.handshake.type = 20 (finished)
          1..4 tls.handshake.length = 32
          4..36 tls.handshake.verify_data = 32 bytes
        36..37 tls.record.content_type = 22 (handshake)
    "#);
    insta::assert_snapshot!(trees[6], @r#"
    tls 0..255 | new_session_ticket | 250 bytes
      0..255 tls.record
        0..1 tls.record.opaque_type = 23 (application_data)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 250
        5..255 tls.app_data = 250 bytes
        0..233 tls.handshake
          0..1 tls.handshake.type = 4 (new_session_ticket)
          1..4 tls.handshake.length = 229
          4..8 tls.handshake.session_ticket_lifetime_hint = 7200
          8..12 tls.handshake.session_ticket_age_add = 0x3d7915c3
          12..13 tls.handshake.session_ticket_nonce_length = 8
          13..21 tls.handshake.session_ticket_nonce = 0000000000000000
          21..23 tls.handshake.session_ticket_length = 208
          23..231 tls.handshake.session_ticket = 208 bytes
          231..233 tls.handshake.extensions_length = 0
        233..234 tls.record.content_type = 22 (handshake)
    "#);
    insta::assert_snapshot!(trees[trees.len() - 1], @r#"
    tls 0..24 | alert | warning close_notify
      0..24 tls.record
        0..1 tls.record.opaque_type = 23 (application_data)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 19
        5..24 tls.app_data = 19 bytes
        0..1 tls.alert_message.level = 1 (warning)
        1..2 tls.alert_message.desc = 0 (close_notify)
        2..3 tls.record.content_type = 21 (alert)
    "#);
}

#[test]
fn tls_1_2_records_are_decrypted_with_a_key_log() {
    let trees = decrypted("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA");
    let headings = headings(&trees);
    assert!(headings.iter().any(|head| head.contains("| finished |")), "{headings:?}");
    let decrypted_tree = trees.iter().find(|tree| tree.contains("tls.decrypted")).unwrap();
    insta::assert_snapshot!(decrypted_tree, @r#"
    tls 0..210 | application_data | 2 records, 200 bytes
      0..89 tls.record
        0..1 tls.record.content_type = 23 (application_data)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 84
        5..89 tls.app_data = 84 bytes
        0..43 tls.decrypted = 43 bytes
      89..210 tls.record
        89..90 tls.record.content_type = 23 (application_data)
        90..92 tls.record.version = 0x0303 (TLS 1.2)
        92..94 tls.record.length = 116
        94..210 tls.app_data = 116 bytes
        0..65 tls.decrypted = 65 bytes
    "#);
}

#[test]
fn tls_1_0_and_1_1_records_are_decrypted_with_a_key_log() {
    for suite in [
        "TLS 1.0 TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        "TLS 1.0 TLS_DHE_RSA_WITH_AES_256_CBC_SHA",
        "TLS 1.1 TLS_RSA_WITH_AES_128_CBC_SHA",
    ] {
        let trees = decrypted(suite);
        assert!(trees.iter().all(|tree| !tree.contains("not_opened")), "{suite}");
        assert!(trees.iter().filter(|tree| tree.contains("| finished |")).count() == 2, "{suite}");
        assert!(trees.iter().filter(|tree| tree.contains("tls.decrypted")).count() >= 2, "{suite}");
    }
}

#[test]
fn key_exchanges_have_the_fields_of_their_kind() {
    let exchanges = |suite| {
        let trees = decrypted(suite);
        let of = |name: &str| trees.iter().find(|tree| tree.contains(name)).map(|tree| trial::below(tree, &["tls.handshake"]));
        [of("= 12 (server_key_exchange)"), of("= 16 (client_key_exchange)")].into_iter().flatten().collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(exchanges("TLS 1.0 TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"), @r"
    tls 0..119 | server_key_exchange | 114 bytes
        5..119 tls.handshake
          5..6 tls.handshake.type = 12 (server_key_exchange)
          6..9 tls.handshake.length = 110
          9..10 tls.handshake.server_curve_type = 0x03 (named_curve)
          10..12 tls.handshake.server_named_curve = 0x001d (x25519)
          12..13 tls.handshake.server_point_len = 32
          13..45 tls.handshake.server_point = 32 bytes
          45..47 tls.handshake.sig_len = 72
          47..119 tls.handshake.sig = 72 bytes

    tls 0..42 | client_key_exchange | 37 bytes
        5..42 tls.handshake
          5..6 tls.handshake.type = 16 (client_key_exchange)
          6..9 tls.handshake.length = 33
          9..10 tls.handshake.client_point_len = 32
          10..42 tls.handshake.client_point = 32 bytes
    ");
    insta::assert_snapshot!(exchanges("TLS 1.0 TLS_DHE_RSA_WITH_AES_256_CBC_SHA"), @r"
    tls 0..657 | server_key_exchange | 652 bytes
        5..657 tls.handshake
          5..6 tls.handshake.type = 12 (server_key_exchange)
          6..9 tls.handshake.length = 648
          9..11 tls.handshake.p_len = 128
          11..139 tls.handshake.p = 128 bytes
          139..141 tls.handshake.g_len = 128
          141..269 tls.handshake.g = 128 bytes
          269..271 tls.handshake.ys_len = 128
          271..399 tls.handshake.ys = 128 bytes
          399..401 tls.handshake.sig_len = 256
          401..657 tls.handshake.sig = 256 bytes

    tls 0..139 | client_key_exchange | 134 bytes
        5..139 tls.handshake
          5..6 tls.handshake.type = 16 (client_key_exchange)
          6..9 tls.handshake.length = 130
          9..11 tls.handshake.yc_len = 128
          11..139 tls.handshake.yc = 128 bytes
    ");
    insta::assert_snapshot!(exchanges("TLS 1.1 TLS_RSA_WITH_AES_128_CBC_SHA"), @r"
    tls 0..267 | client_key_exchange | 262 bytes
        5..267 tls.handshake
          5..6 tls.handshake.type = 16 (client_key_exchange)
          6..9 tls.handshake.length = 258
          9..11 tls.handshake.epms_len = 256
          11..267 tls.handshake.epms = 256 bytes
    ");
}
