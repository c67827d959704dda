//! TLS records and handshakes: two OpenSSL sessions, records cut at any byte, heuristics.

mod certificates;
mod decrypted;

use super::records::Session;
use super::*;
use crate::tree::Side;
use crate::wire::{Cut, Extent, Opening, Verdict, trial};

/// Flights of a TLS 1.2 and a TLS 1.3 session.
const SESSIONS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/make/tls.txt"));

fn flights(version: &str) -> Vec<(Side, Vec<u8>)> {
    let session = SESSIONS.split("# ").find_map(|session| session.strip_prefix(version)).unwrap();
    let flight = |line: &str| {
        let (who, hex) = line.split_once(' ')?;
        Some((if who == "c" { Side::Client } else { Side::Server }, trial::bytes(hex)))
    };
    session.lines().filter_map(flight).collect()
}

/// Dissects the messages of a flight.
fn split(session: &mut Session, from: Side, mut bytes: &[u8]) -> String {
    let mut trees = String::new();
    while !bytes.is_empty() {
        match session.extent(from, bytes, false) {
            Extent::Message(len) if len <= bytes.len() => {
                trees.push_str(&trial::message(&PROTOCOL, session, from, &bytes[..len], Cut::No));
                bytes = &bytes[len..];
            }
            Extent::Message(want) => {
                trees.push_str(&trial::message(&PROTOCOL, session, from, bytes, Cut::Stream { needed: want }));
                break;
            }
            Extent::NeedMore(_) | Extent::Unknown(_) | Extent::Segment => return trees + "unknown\n",
        }
    }
    trees
}

fn session(version: &str) -> Vec<String> {
    let mut session = Session::default();
    flights(version).iter().map(|(from, bytes)| split(&mut session, *from, bytes)).collect()
}

fn headings(trees: &[String]) -> Vec<&str> {
    trees.iter().flat_map(|tree| tree.lines()).filter(|line| !line.starts_with(' ') && !line.starts_with('!')).collect()
}

#[test]
fn a_tls_1_2_session_is_dissected_message_by_message() {
    let trees = session("TLS 1.2");
    insta::assert_snapshot!(headings(&trees).join("\n"), @r"
    tls 0..207 | client_hello | login.game.example, h2 http/1.1
    tls 0..79 | server_hello | TLS 1.2, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, h2
    tls 0..547 | certificate | login.game.example
    tls 0..119 | server_key_exchange | 114 bytes
    tls 0..9 | server_hello_done | 4 bytes
    tls 0..42 | client_key_exchange | 37 bytes
    tls 0..6 | change_cipher_spec | 1 bytes
    tls 0..45 | encrypted_handshake | 40 bytes
    tls 0..191 | new_session_ticket | 186 bytes
    tls 0..6 | change_cipher_spec | 1 bytes
    tls 0..45 | encrypted_handshake | 40 bytes
    tls 0..47 | application_data | 42 bytes
    tls 0..558 | application_data | 2 records, 548 bytes
    tls 0..31 | encrypted_alert | 26 bytes
    ");
    insta::assert_snapshot!(trees[..3].concat(), @r#"
    tls 0..207 | client_hello | login.game.example, h2 http/1.1
      0..207 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0301 (TLS 1.0)
        3..5 tls.record.length = 202
        5..207 tls.handshake
          5..6 tls.handshake.type = 1 (client_hello)
          6..9 tls.handshake.length = 198
          9..11 tls.handshake.version = 0x0303 (TLS 1.2)
          11..43 tls.handshake.random = 32 bytes
          43..44 tls.handshake.session_id_length = 0
          44..46 tls.handshake.cipher_suites_length = 30
          46..48 tls.handshake.ciphersuite = 0xc02c (TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384)
          48..50 tls.handshake.ciphersuite = 0xc030 (TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384)
          50..52 tls.handshake.ciphersuite = 0xc02b (TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)
          52..54 tls.handshake.ciphersuite = 0xc02f (TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256)
          54..56 tls.handshake.ciphersuite = 0xcca9 (TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256)
          56..58 tls.handshake.ciphersuite = 0xcca8 (TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256)
          58..60 tls.handshake.ciphersuite = 0xc024 (TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384)
          60..62 tls.handshake.ciphersuite = 0xc028 (TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384)
          62..64 tls.handshake.ciphersuite = 0xc023 (TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256)
          64..66 tls.handshake.ciphersuite = 0xc027 (TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256)
          66..68 tls.handshake.ciphersuite = 0x009f (TLS_DHE_RSA_WITH_AES_256_GCM_SHA384)
          68..70 tls.handshake.ciphersuite = 0x009e (TLS_DHE_RSA_WITH_AES_128_GCM_SHA256)
          70..72 tls.handshake.ciphersuite = 0x006b (TLS_DHE_RSA_WITH_AES_256_CBC_SHA256)
          72..74 tls.handshake.ciphersuite = 0x0067 (TLS_DHE_RSA_WITH_AES_128_CBC_SHA256)
          74..76 tls.handshake.ciphersuite = 0x00ff (TLS_EMPTY_RENEGOTIATION_INFO_SCSV)
          76..77 tls.handshake.comp_methods_length = 1
          77..78 tls.handshake.comp_method = 0 (null)
          78..80 tls.handshake.extensions_length = 127
          80..107 tls.handshake.extension
            80..82 tls.handshake.extension.type = 0 (server_name)
            82..84 tls.handshake.extension.len = 23
            84..86 tls.handshake.extensions_server_name_list_len = 21
            86..87 tls.handshake.extensions_server_name_type = 0 (host_name)
            87..89 tls.handshake.extensions_server_name_len = 18
            89..107 tls.handshake.extensions_server_name = "login.game.example"
          107..115 tls.handshake.extension
            107..109 tls.handshake.extension.type = 11 (ec_point_formats)
            109..111 tls.handshake.extension.len = 4
            111..112 tls.handshake.extensions_ec_point_formats_length = 3
            112..113 tls.handshake.extensions_ec_point_format = 0 (uncompressed)
            113..114 tls.handshake.extensions_ec_point_format = 1 (ansiX962_compressed_prime)
            114..115 tls.handshake.extensions_ec_point_format = 2 (ansiX962_compressed_char2)
          115..131 tls.handshake.extension
            115..117 tls.handshake.extension.type = 10 (supported_groups)
            117..119 tls.handshake.extension.len = 12
            119..121 tls.handshake.extensions_supported_groups_length = 10
            121..123 tls.handshake.extensions_supported_group = 0x001d (x25519)
            123..125 tls.handshake.extensions_supported_group = 0x0017 (secp256r1)
            125..127 tls.handshake.extensions_supported_group = 0x001e (x448)
            127..129 tls.handshake.extensions_supported_group = 0x0019 (secp521r1)
            129..131 tls.handshake.extensions_supported_group = 0x0018 (secp384r1)
          131..135 tls.handshake.extension
            131..133 tls.handshake.extension.type = 35 (session_ticket)
            133..135 tls.handshake.extension.len = 0
            135..135 tls.handshake.extension.data = 
          135..153 tls.handshake.extension
            135..137 tls.handshake.extension.type = 16 (application_layer_protocol_negotiation)
            137..139 tls.handshake.extension.len = 14
            139..141 tls.handshake.extensions_alpn_len = 12
            141..142 tls.handshake.extensions_alpn_str_len = 2
            142..144 tls.handshake.extensions_alpn_str = "h2"
            144..145 tls.handshake.extensions_alpn_str_len = 8
            145..153 tls.handshake.extensions_alpn_str = "http/1.1"
          153..157 tls.handshake.extension
            153..155 tls.handshake.extension.type = 22 (encrypt_then_mac)
            155..157 tls.handshake.extension.len = 0
          157..161 tls.handshake.extension
            157..159 tls.handshake.extension.type = 23 (extended_master_secret)
            159..161 tls.handshake.extension.len = 0
          161..207 tls.handshake.extension
            161..163 tls.handshake.extension.type = 13 (signature_algorithms)
            163..165 tls.handshake.extension.len = 42
            165..167 tls.handshake.sig_hash_alg_len = 40
            167..169 tls.handshake.sig_hash_alg = 0x0403 (ecdsa_secp256r1_sha256)
            169..171 tls.handshake.sig_hash_alg = 0x0503 (ecdsa_secp384r1_sha384)
            171..173 tls.handshake.sig_hash_alg = 0x0603 (ecdsa_secp521r1_sha512)
            173..175 tls.handshake.sig_hash_alg = 0x0807 (ed25519)
            175..177 tls.handshake.sig_hash_alg = 0x0808 (ed448)
            177..179 tls.handshake.sig_hash_alg = 0x0809 (rsa_pss_pss_sha256)
            179..181 tls.handshake.sig_hash_alg = 0x080a (rsa_pss_pss_sha384)
            181..183 tls.handshake.sig_hash_alg = 0x080b (rsa_pss_pss_sha512)
            183..185 tls.handshake.sig_hash_alg = 0x0804 (rsa_pss_rsae_sha256)
            185..187 tls.handshake.sig_hash_alg = 0x0805 (rsa_pss_rsae_sha384)
            187..189 tls.handshake.sig_hash_alg = 0x0806 (rsa_pss_rsae_sha512)
            189..191 tls.handshake.sig_hash_alg = 0x0401 (rsa_pkcs1_sha256)
            191..193 tls.handshake.sig_hash_alg = 0x0501 (rsa_pkcs1_sha384)
            193..195 tls.handshake.sig_hash_alg = 0x0601 (rsa_pkcs1_sha512)
            195..197 tls.handshake.sig_hash_alg = 0x0303
            197..199 tls.handshake.sig_hash_alg = 0x0301
            199..201 tls.handshake.sig_hash_alg = 0x0302
            201..203 tls.handshake.sig_hash_alg = 0x0402
            203..205 tls.handshake.sig_hash_alg = 0x0502
            205..207 tls.handshake.sig_hash_alg = 0x0602
          tls.handshake.ja3_full = "771,49196-49200-49195-49199-52393-52392-49188-49192-49187-49191-159-158-107-103-255,0-11-10-35-16-22-23-13,29-23-30-25-24,0-1-2"
          tls.handshake.ja3 = "104774240db569f8f87b1a28206b25e5"
          tls.handshake.ja4 = "t12d1508h2_d68b136fe8d9_e7e480e5a997"
          tls.handshake.ja4_r = "t12d1508h2_0067,006b,009e,009f,00ff,c023,c024,c027,c028,c02b,c02c,c02f,c030,cca8,cca9_000a,000b,000d,0016,0017,0023_0403,0503,0603,0807,0808,0809,080a,080b,0804,0805,0806,0401,0501,0601,0303,0301,0302,0402,0502,0602"
    tls 0..79 | server_hello | TLS 1.2, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, h2
      0..79 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 74
        5..79 tls.handshake
          5..6 tls.handshake.type = 2 (server_hello)
          6..9 tls.handshake.length = 70
          9..11 tls.handshake.version = 0x0303 (TLS 1.2)
          11..43 tls.handshake.random = 32 bytes
          43..44 tls.handshake.session_id_length = 0
          44..46 tls.handshake.ciphersuite = 0xc02c (TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384)
          46..47 tls.handshake.comp_method = 0 (null)
          47..49 tls.handshake.extensions_length = 30
          49..54 tls.handshake.extension
            49..51 tls.handshake.extension.type = 65281 (renegotiation_info)
            51..53 tls.handshake.extension.len = 1
            53..54 tls.handshake.extensions_reneg_info_len = 0
          54..62 tls.handshake.extension
            54..56 tls.handshake.extension.type = 11 (ec_point_formats)
            56..58 tls.handshake.extension.len = 4
            58..59 tls.handshake.extensions_ec_point_formats_length = 3
            59..60 tls.handshake.extensions_ec_point_format = 0 (uncompressed)
            60..61 tls.handshake.extensions_ec_point_format = 1 (ansiX962_compressed_prime)
            61..62 tls.handshake.extensions_ec_point_format = 2 (ansiX962_compressed_char2)
          62..66 tls.handshake.extension
            62..64 tls.handshake.extension.type = 35 (session_ticket)
            64..66 tls.handshake.extension.len = 0
            66..66 tls.handshake.extension.data = 
          66..75 tls.handshake.extension
            66..68 tls.handshake.extension.type = 16 (application_layer_protocol_negotiation)
            68..70 tls.handshake.extension.len = 5
            70..72 tls.handshake.extensions_alpn_len = 3
            72..73 tls.handshake.extensions_alpn_str_len = 2
            73..75 tls.handshake.extensions_alpn_str = "h2"
          75..79 tls.handshake.extension
            75..77 tls.handshake.extension.type = 23 (extended_master_secret)
            77..79 tls.handshake.extension.len = 0
          tls.handshake.ja3s_full = "771,49196,65281-11-35-16-23"
          tls.handshake.ja3s = "e195432758194ce2d482396b82e0d48e"
    tls 0..547 | certificate | login.game.example
      0..547 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 542
        5..547 tls.handshake
          5..6 tls.handshake.type = 11 (certificate)
          6..9 tls.handshake.length = 538
          9..12 tls.handshake.certificates_length = 535
          12..15 tls.handshake.certificate_length = 532
          15..547 tls.handshake.certificate = 532 bytes
          19..461 x509af.signedCertificate_element
            27..28 x509af.version = 2 (v3)
            30..50 x509af.serialNumber = 20 bytes
            54..62 x509af.algorithm.id = "ecdsa-with-SHA256"
            62..130 x509af.issuer.name = "C=SE, O=Example Games, CN=login.game.example"
            70..73 x509if.attribute = "C"
            75..77 x509sat.CountryName = "SE"
            83..86 x509if.attribute = "O"
            88..101 x509sat.uTF8String = "Example Games"
            107..110 x509if.attribute = "CN"
            112..130 x509sat.uTF8String = "login.game.example"
            134..147 x509af.notBefore.time = "2026-11-21 16:41:50"
            149..162 x509af.notAfter.time = "2027-11-21 16:41:50"
            162..230 x509af.subject.name = "C=SE, O=Example Games, CN=login.game.example"
            170..173 x509if.attribute = "C"
            175..177 x509sat.CountryName = "SE"
            183..186 x509if.attribute = "O"
            188..201 x509sat.uTF8String = "Example Games"
            207..210 x509if.attribute = "CN"
            212..230 x509sat.uTF8String = "login.game.example"
            236..243 x509af.subjectPublicKeyInfo.algorithm = "ecPublicKey"
            255..321 x509af.subjectPublicKey = 66 bytes
            407..408 x509ce.cA = true
            421..439 x509ce.dNSName = "login.game.example"
            441..455 x509ce.dNSName = "*.game.example"
            457..461 x509ce.IPAddress.ipv4 = 203.0.113.80
    tls 0..119 | server_key_exchange | 114 bytes
      0..119 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 114
        5..119 tls.handshake
          5..6 tls.handshake.type = 12 (server_key_exchange)
          6..9 tls.handshake.length = 110
          9..10 tls.handshake.server_curve_type = 0x03 (named_curve)
          10..12 tls.handshake.server_named_curve = 0x001d (x25519)
          12..13 tls.handshake.server_point_len = 32
          13..45 tls.handshake.server_point = 32 bytes
          45..47 tls.handshake.sig_hash_alg = 0x0403 (ecdsa_secp256r1_sha256)
          47..49 tls.handshake.sig_len = 70
          49..119 tls.handshake.sig = 70 bytes
    tls 0..9 | server_hello_done | 4 bytes
      0..9 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 4
        5..9 tls.handshake
          5..6 tls.handshake.type = 14 (server_hello_done)
          6..9 tls.handshake.length = 0
    tls 0..42 | client_key_exchange | 37 bytes
      0..42 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 37
        5..42 tls.handshake
          5..6 tls.handshake.type = 16 (client_key_exchange)
          6..9 tls.handshake.length = 33
          9..10 tls.handshake.client_point_len = 32
          10..42 tls.handshake.client_point = 32 bytes
    tls 0..6 | change_cipher_spec | 1 bytes
      0..6 tls.record
        0..1 tls.record.content_type = 20 (change_cipher_spec)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 1
        5..6 tls.change_cipher_spec = 01
    tls 0..45 | encrypted_handshake | 40 bytes
      0..45 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 40
        5..45 tls.encrypted = 40 bytes
    "#);
}

#[test]
fn a_tls_1_3_session_is_opaque_after_the_hellos() {
    let trees = session("TLS 1.3");
    insta::assert_snapshot!(headings(&trees).join("\n"), @r"
    tls 0..517 | client_hello | login.game.example, http/1.1
    tls 0..127 | server_hello | TLS 1.3, TLS_AES_256_GCM_SHA384
    tls 0..6 | change_cipher_spec | 1 bytes
    tls 0..785 | application_data | 4 records, 765 bytes
    tls 0..6 | change_cipher_spec | 1 bytes
    tls 0..74 | application_data | 69 bytes
    tls 0..271 | application_data | 266 bytes
    tls 0..40 | application_data | 35 bytes
    tls 0..544 | application_data | 2 records, 534 bytes
    tls 0..24 | application_data | 19 bytes
    ");
    insta::assert_snapshot!(trees[1], @r#"
    tls 0..127 | server_hello | TLS 1.3, TLS_AES_256_GCM_SHA384
      0..127 tls.record
        0..1 tls.record.content_type = 22 (handshake)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 122
        5..127 tls.handshake
          5..6 tls.handshake.type = 2 (server_hello)
          6..9 tls.handshake.length = 118
          9..11 tls.handshake.version = 0x0303 (TLS 1.2)
          11..43 tls.handshake.random = 32 bytes
          43..44 tls.handshake.session_id_length = 32
          44..76 tls.handshake.session_id = 32 bytes
          76..78 tls.handshake.ciphersuite = 0x1302 (TLS_AES_256_GCM_SHA384)
          78..79 tls.handshake.comp_method = 0 (null)
          79..81 tls.handshake.extensions_length = 46
          81..87 tls.handshake.extension
            81..83 tls.handshake.extension.type = 43 (supported_versions)
            83..85 tls.handshake.extension.len = 2
            85..87 tls.handshake.extensions.supported_version = 0x0304 (TLS 1.3)
          87..127 tls.handshake.extension
            87..89 tls.handshake.extension.type = 51 (key_share)
            89..91 tls.handshake.extension.len = 36
            91..93 tls.handshake.extensions_key_share_group = 29 (x25519)
            93..95 tls.handshake.extensions_key_share_key_exchange_length = 32
            95..127 tls.handshake.extensions_key_share_key_exchange = 32 bytes
          tls.handshake.ja3s_full = "771,4866,43-51"
          tls.handshake.ja3s = "15af977ce25de452b96affa2addb1036"
    tls 0..6 | change_cipher_spec | 1 bytes
      0..6 tls.record
        0..1 tls.record.content_type = 20 (change_cipher_spec)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 1
        5..6 tls.change_cipher_spec = 01
    tls 0..785 | application_data | 4 records, 765 bytes
      0..43 tls.record
        0..1 tls.record.opaque_type = 23 (application_data)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 38
        5..43 tls.app_data = 38 bytes
      43..610 tls.record
        43..44 tls.record.opaque_type = 23 (application_data)
        44..46 tls.record.version = 0x0303 (TLS 1.2)
        46..48 tls.record.length = 562
        48..610 tls.app_data = 562 bytes
      610..711 tls.record
        610..611 tls.record.opaque_type = 23 (application_data)
        611..613 tls.record.version = 0x0303 (TLS 1.2)
        613..615 tls.record.length = 96
        615..711 tls.app_data = 96 bytes
      711..785 tls.record
        711..712 tls.record.opaque_type = 23 (application_data)
        712..714 tls.record.version = 0x0303 (TLS 1.2)
        714..716 tls.record.length = 69
        716..785 tls.app_data = 69 bytes
    "#);
}

#[test]
fn handshake_messages_are_reassembled_across_records() {
    let (_, bytes) = flights("TLS 1.2").swap_remove(0);
    let whole = split(&mut Session::default(), Side::Client, &bytes);
    let hello = |tree: &str| {
        tree.lines()
            .filter(|line| line.contains("tls.handshake."))
            .map(|line| line.trim().split_once(' ').map_or(line.to_owned(), |(_, rest)| rest.to_owned()))
            .collect::<Vec<_>>()
    };
    for cut in 1..bytes.len() - HEADER {
        let (first, rest) = bytes[HEADER..].split_at(cut);
        let mut records = Vec::new();
        for part in [first, rest] {
            records.extend([22, 3, 1]);
            records.extend(u16::try_from(part.len()).unwrap().to_be_bytes());
            records.extend(part);
        }
        let trees = split(&mut Session::default(), Side::Client, &records);
        assert_eq!(hello(&trees).len(), hello(&whole).len(), "cut at {cut}: {trees}");
        assert!(trees.contains("login.game.example"), "cut at {cut}: {trees}");
    }
}

#[test]
fn alerts_and_heartbeats_are_dissected() {
    insta::assert_snapshot!(split(&mut Session::default(), Side::Server, &trial::bytes("15 03 03 00 02 02 28 18 03 03 00 05 01 00 10 61 62")), @r"
    tls 0..7 | alert | fatal handshake_failure
      0..7 tls.record
        0..1 tls.record.content_type = 21 (alert)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 2
        5..6 tls.alert_message.level = 2 (fatal)
        6..7 tls.alert_message.desc = 40 (handshake_failure)
    tls 0..10 | heartbeat | 5 bytes
      0..10 tls.record
        0..1 tls.record.content_type = 24 (heartbeat)
        1..3 tls.record.version = 0x0303 (TLS 1.2)
        3..5 tls.record.length = 5
        5..6 tls.heartbeat_message.type = 1 (request)
        6..8 tls.heartbeat_message.payload_length = 16
        8..10 tls.heartbeat_message.payload = 6162
    ! broken dissect.short at 10..10 tls: 14 more bytes needed, 0 left
    ");
}

#[test]
fn malformed_handshakes_keep_the_valid_fields() {
    let (_, bytes) = flights("TLS 1.2").swap_remove(0);
    for at in HEADER..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        let trees = split(&mut Session::default(), Side::Client, &damaged);
        assert!(trees.starts_with("tls 0.."), "{trees}");
    }
    let long = trial::bytes("16 03 01 00 05 01 05 ff ff 03");
    assert!(split(&mut Session::default(), Side::Client, &long).contains("! broken tls.too_long"));
}

#[test]
fn after_a_gap_two_consecutive_records_are_required() {
    let mut session = Session::default();
    let bytes = trial::bytes("aa 17 03 bb 17 03 03 00 02 01 02 17 03 03 00 01 09");
    assert_eq!(session.extent(Side::Client, &bytes, true), Extent::Unknown(4));
    assert_eq!(session.extent(Side::Client, &bytes[4..], true), Extent::Message(13));
}

#[test]
fn streams_are_recognized_by_a_hello() {
    let recognize = |client: &[u8], server: &[u8], complete| {
        heuristics::anywhere(&Opening { sent: [client, server], from_start: [true, true], complete })
    };
    for version in ["TLS 1.2", "TLS 1.3"] {
        let flights = flights(version);
        assert_eq!(recognize(&flights[0].1, b"", false), Verdict::Yes(Side::Server));
        assert_eq!(recognize(b"", &flights[0].1, false), Verdict::Yes(Side::Client));
        assert_eq!(recognize(b"", &flights[1].1, false), Verdict::Yes(Side::Server));
        assert_eq!(recognize(&flights[0].1[..6], b"", false), Verdict::Unsure);
        assert_eq!(recognize(&flights[0].1[..5], b"", true), Verdict::No);
        assert_eq!(recognize(&flights[0].1[..6], b"", true), Verdict::Yes(Side::Server));
        assert_eq!(recognize(&flights[1].1[..6], b"", true), Verdict::Yes(Side::Client));
    }
    for other in [&b"GET / HTTP/1.1\r\n"[..], b"\x16\x03\x01\x00\x05\x07aaaaaaaaaa", b"\x16\x02\x01", b"\x17\x03\x03\0\x01a"] {
        assert_eq!(recognize(other, b"", false), Verdict::No, "{}", other.escape_ascii());
    }
    let midway = Opening { sent: [b"\x17\x03\x03\0\x01a", b""], from_start: [false, false], complete: false };
    assert_eq!(heuristics::on_port(&midway), Verdict::Yes(Side::Server));
}

#[test]
fn available_application_data_forms_one_message_up_to_a_limit() {
    let records = [23, 3, 3, 0, 1, 0].repeat(1000);
    assert_eq!(Session::default().extent(Side::Client, &records, true), Extent::Message(512 * 6));
    assert_eq!(Session::default().extent(Side::Client, &records[..13], true), Extent::Message(12));
}

/// SSL 2.0 ClientHello that offers SSL 3.0: two TLS suites, one SSL 2.0 cipher, a challenge of 16 bytes.
const SSL2_HELLO: &str = "80 22 01 03 00 00 09 00 00 00 10 00 00 04 00 00 0a 07 00 c0
    00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f";

#[test]
fn an_ssl_2_client_hello_is_recognized_and_dissected() {
    let recognize =
        |client: &[u8], complete| heuristics::anywhere(&Opening { sent: [client, b""], from_start: [true, true], complete });
    let hello = trial::bytes(SSL2_HELLO);
    assert_eq!(recognize(&hello, false), Verdict::Yes(Side::Server));
    for end in 1..11 {
        assert_eq!(recognize(&hello[..end], false), Verdict::Unsure, "{end}");
        assert_eq!(recognize(&hello[..end], true), Verdict::No, "{end}");
    }
    // Contradicting lengths, other message type, other version.
    for (at, byte) in [(1, 0x23), (2, 2), (3, 7), (6, 10), (8, 1), (10, 15)] {
        let mut other = hello.clone();
        other[at] = byte;
        assert_eq!(recognize(&other, false), Verdict::No, "{at}");
    }
    let mut session = Session::default();
    insta::assert_snapshot!(split(&mut session, Side::Client, &hello), @r#"
    tls 0..36 | client_hello | SSL 3.0
      0..36 tls.record
        tls.record.version = 0x0002 (SSL 2.0)
        0..2 tls.record.length = 34
        2..3 tls.handshake.type = 1 (client_hello)
        3..5 tls.handshake.version = 0x0300 (SSL 3.0)
        5..7 tls.handshake.cipher_spec_len = 9
        7..9 tls.handshake.session_id_length = 0
        9..11 tls.handshake.challenge_length = 16
        11..14 tls.handshake.cipherspec = 0x000004 (TLS_RSA_WITH_RC4_128_MD5)
        14..17 tls.handshake.cipherspec = 0x00000a (TLS_RSA_WITH_3DES_EDE_CBC_SHA)
        17..20 tls.handshake.cipherspec = 0x0700c0 (SSL2_DES_192_EDE3_CBC_WITH_MD5)
        20..36 tls.handshake.challenge = 000102030405060708090a0b0c0d0e0f
    "#);
    for end in 11..hello.len() {
        assert_eq!(session.extent(Side::Client, &hello[..end], true), Extent::Message(hello.len()));
    }
}

#[test]
fn records_are_recognized_midway_on_any_port() {
    let recognize = |bytes: &[u8], start, complete| {
        heuristics::anywhere(&Opening { sent: [bytes, b""], from_start: [start, start], complete })
    };
    let records = [&b"\x17\x03\x03\0\x20"[..], &[7; 32], b"\x15\x03\x03\0\x1a", &[8; 26]].concat();
    assert_eq!(recognize(&records, false, false), Verdict::Yes(Side::Server));
    assert_eq!(recognize(&records[..37], false, false), Verdict::Yes(Side::Server));
    assert_eq!(recognize(&records[..40], false, false), Verdict::Unsure);
    assert_eq!(recognize(&records[..20], false, false), Verdict::Unsure);
    assert_eq!(recognize(&records[..20], false, true), Verdict::No);
    assert_eq!(recognize(&records, true, false), Verdict::No);
    assert_eq!(recognize(&[&records[..37], b"abcde"].concat(), false, false), Verdict::No);
    assert_eq!(recognize(b"\x17\x03\x03\0\0", false, true), Verdict::No);
}

#[test]
fn a_stream_joined_inside_a_record_is_recognized_on_a_tls_port() {
    let record = [&b"\x17\x03\x03\0\x20"[..], &[7; 32]].concat();
    let bytes = [&record[20..], &record[..], &record[..9]].concat();
    let recognize = |bytes: &[u8], start, complete| {
        heuristics::on_port(&Opening { sent: [b"", bytes], from_start: [start, start], complete })
    };
    assert_eq!(recognize(&bytes, false, false), Verdict::Yes(Side::Server));
    assert_eq!(recognize(&bytes, true, false), Verdict::No);
    assert_eq!(recognize(&bytes[..40], false, false), Verdict::Unsure);
    assert_eq!(recognize(&bytes[..40], false, true), Verdict::No);
}

#[test]
fn a_hello_in_clear_is_one_whatever_came_before() {
    let (_, hello) = flights("TLS 1.3").swap_remove(0);
    let change = trial::bytes("14 03 03 00 01 01");
    let mut session = Session::default();
    split(&mut session, Side::Client, &[&hello[..], &change].concat());
    let second = split(&mut session, Side::Client, &hello);
    assert!(second.starts_with("tls 0..") && second.contains("| client_hello |"), "{second}");
    // Encrypted bytes are no hello, even if one of their lengths fits.
    split(&mut session, Side::Client, &change);
    let mut encrypted = hello.clone();
    encrypted[HEADER + 3] ^= 1;
    let other = split(&mut session, Side::Client, &encrypted);
    assert!(other.contains("| encrypted_handshake |"), "{other}");
}

#[test]
fn messages_in_clear_begin_a_session_inside_an_unknown_stream() {
    let begins = |hex: &str| heuristics::begins_in_clear(&trial::bytes(hex));
    for hex in [
        "16 0301 0200 01 0001fc 0303",
        "16 0303 0042 02 00003e 0303 ffa4",
        "16 0303 4000 0b 006206 00620330",
        "16 0303 014d 0c 000149 030017",
        "16 0303 0004 0e 000000",
        "16 0303 0046 10 000042 41",
    ] {
        assert!(begins(hex), "{hex}");
    }
    for hex in [
        "16 0301 0200 01 0001fd 0303",
        "16 0301 0200 01 0001fc 0203",
        "16 0303 0004 0e 000001",
        "16 0303 0028 00 000000 0000",
        "17 0303 0042 02 00003e 0303",
        "16 0303 0042 02 00003e",
    ] {
        assert!(!begins(hex), "{hex}");
    }
}
