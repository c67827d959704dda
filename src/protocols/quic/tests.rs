//! Packets of QUIC: the example of RFC 9001, and what is recognised.

use super::packets::{Session, looks};
use super::*;
use crate::tree::Side;
use crate::wire::{Cut, trial};

/// Appendix A.2 and A.3 of RFC 9001: a client's first packet and its answer, protected.
const PACKETS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/make_samples/quic.txt"));

fn packet(who: &str) -> Vec<u8> {
    trial::bytes(PACKETS.lines().find_map(|line| line.strip_prefix(who)).unwrap())
}

fn read(from: Side, bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| Session::default().message(from, wire))
}

#[test]
fn the_example_of_the_standard_is_opened() {
    let mut session = Session::default();
    let packets = [(Side::Client, packet("c ")), (Side::Server, packet("s "))];
    let told = packets.map(|(from, bytes)| trial::read(&PROTOCOL, &bytes, Cut::No, |wire| session.message(from, wire)));
    insta::assert_snapshot!(told.concat(), @r#"
    quic 0..1200 | initial | client_hello: example.com, alpn
      0..1200 quic.packet
        quic.packet_length = 1200
        0..1 quic.header_form = 1 (long)
        0..1 quic.fixed_bit = true
        0..1 quic.long.packet_type = 0 (initial)
        0..1 quic.protected_bits = 0x00
        1..5 quic.version = 0x00000001 (1)
        5..6 quic.dcil = 8
        6..14 quic.dcid = 8394c8f03e515708
        14..15 quic.scil = 0
        15..16 quic.token_length = 0
        16..18 quic.length = 1182
        0..1 quic.long.reserved = 0
        0..1 quic.packet_number_length = 3
        18..22 quic.packet_number = 2
        22..1200 quic.protected_payload = 1178 bytes
        0..245 quic.frame
          0..1 quic.frame_type = 6 (crypto)
          1..2 quic.crypto.offset = 0
          2..4 quic.crypto.length = 241
          4..245 quic.crypto.crypto_data = 241 bytes
        0..241 tls.handshake
          0..1 tls.handshake.type = 1 (client_hello)
          1..4 tls.handshake.length = 237
          4..6 tls.handshake.version = 0x0303 (TLS 1.2)
          6..38 tls.handshake.random = 32 bytes
          38..39 tls.handshake.session_id_length = 0
          39..41 tls.handshake.cipher_suites_length = 4
          41..43 tls.handshake.ciphersuite = 0x1301 (TLS_AES_128_GCM_SHA256)
          43..45 tls.handshake.ciphersuite = 0x1302 (TLS_AES_256_GCM_SHA384)
          45..46 tls.handshake.comp_methods_length = 1
          46..47 tls.handshake.comp_method = 0 (null)
          47..49 tls.handshake.extensions_length = 192
          49..69 tls.handshake.extension
            49..51 tls.handshake.extension.type = 0 (server_name)
            51..53 tls.handshake.extension.len = 16
            53..55 tls.handshake.extensions_server_name_list_len = 14
            55..56 tls.handshake.extensions_server_name_type = 0 (host_name)
            56..58 tls.handshake.extensions_server_name_len = 11
            58..69 tls.handshake.extensions_server_name = "example.com"
          69..74 tls.handshake.extension
            69..71 tls.handshake.extension.type = 65281 (renegotiation_info)
            71..73 tls.handshake.extension.len = 1
            73..74 tls.handshake.extension.data = 00
          74..86 tls.handshake.extension
            74..76 tls.handshake.extension.type = 10 (supported_groups)
            76..78 tls.handshake.extension.len = 8
            78..80 tls.handshake.extensions_supported_groups_length = 6
            80..82 tls.handshake.extensions_supported_group = 0x001d (x25519)
            82..84 tls.handshake.extensions_supported_group = 0x0017 (secp256r1)
            84..86 tls.handshake.extensions_supported_group = 0x0018 (secp384r1)
          86..97 tls.handshake.extension
            86..88 tls.handshake.extension.type = 16 (application_layer_protocol_negotiation)
            88..90 tls.handshake.extension.len = 7
            90..92 tls.handshake.extensions_alpn_len = 5
            92..93 tls.handshake.extensions_alpn_str_len = 4
            93..97 tls.handshake.extensions_alpn_str = "alpn"
          97..106 tls.handshake.extension
            97..99 tls.handshake.extension.type = 5 (status_request)
            99..101 tls.handshake.extension.len = 5
            101..106 tls.handshake.extension.data = 0100000000
          106..148 tls.handshake.extension
            106..108 tls.handshake.extension.type = 51 (key_share)
            108..110 tls.handshake.extension.len = 38
            110..112 tls.handshake.extensions_key_share_client_length = 36
            112..114 tls.handshake.extensions_key_share_group = 29 (x25519)
            114..116 tls.handshake.extensions_key_share_key_exchange_length = 32
            116..148 tls.handshake.extensions_key_share_key_exchange = 32 bytes
          148..155 tls.handshake.extension
            148..150 tls.handshake.extension.type = 43 (supported_versions)
            150..152 tls.handshake.extension.len = 3
            152..153 tls.handshake.extensions.supported_versions_len = 2
            153..155 tls.handshake.extensions.supported_version = 0x0304 (TLS 1.3)
          155..175 tls.handshake.extension
            155..157 tls.handshake.extension.type = 13 (signature_algorithms)
            157..159 tls.handshake.extension.len = 16
            159..161 tls.handshake.sig_hash_alg_len = 14
            161..163 tls.handshake.sig_hash_alg = 0x0403 (ecdsa_secp256r1_sha256)
            163..165 tls.handshake.sig_hash_alg = 0x0503 (ecdsa_secp384r1_sha384)
            165..167 tls.handshake.sig_hash_alg = 0x0603 (ecdsa_secp521r1_sha512)
            167..169 tls.handshake.sig_hash_alg = 0x0203 (ecdsa_sha1)
            169..171 tls.handshake.sig_hash_alg = 0x0804 (rsa_pss_rsae_sha256)
            171..173 tls.handshake.sig_hash_alg = 0x0805 (rsa_pss_rsae_sha384)
            173..175 tls.handshake.sig_hash_alg = 0x0806 (rsa_pss_rsae_sha512)
          175..181 tls.handshake.extension
            175..177 tls.handshake.extension.type = 45 (psk_key_exchange_modes)
            177..179 tls.handshake.extension.len = 2
            179..181 tls.handshake.extension.data = 0101
          181..187 tls.handshake.extension
            181..183 tls.handshake.extension.type = 28 (record_size_limit)
            183..185 tls.handshake.extension.len = 2
            185..187 tls.handshake.extension.data = 4001
          187..241 tls.handshake.extension
            187..189 tls.handshake.extension.type = 57 (quic_transport_parameters)
            189..191 tls.handshake.extension.len = 50
            191..241 tls.handshake.extension.data = 50 bytes
          tls.handshake.ja3_full = "771,4865-4866,0-65281-10-16-5-51-43-13-45-28-57,29-23-24,"
          tls.handshake.ja3 = "41bc9ae914d6cb3bd0bd0a5453ab7d7f"
          tls.handshake.ja4 = "q13d0211an_62ed6f6ca7ad_4d634acda6c0"
          tls.handshake.ja4_r = "q13d0211an_1301,1302_0005,000a,000d,001c,002b,002d,0033,0039,ff01_0403,0503,0603,0203,0804,0805,0806"
        245..1162 quic.frame
          245..246 quic.frame_type = 0 (padding)
          245..1162 quic.padding = 917 bytes
    quic 0..135 | initial | server_hello: TLS 1.3, TLS_AES_128_GCM_SHA256
      0..135 quic.packet
        quic.packet_length = 135
        0..1 quic.header_form = 1 (long)
        0..1 quic.fixed_bit = true
        0..1 quic.long.packet_type = 0 (initial)
        0..1 quic.protected_bits = 0x0f
        1..5 quic.version = 0x00000001 (1)
        5..6 quic.dcil = 0
        6..7 quic.scil = 8
        7..15 quic.scid = f067a5502a4262b5
        15..16 quic.token_length = 0
        16..18 quic.length = 117
        0..1 quic.long.reserved = 0
        0..1 quic.packet_number_length = 1
        18..20 quic.packet_number = 1
        20..135 quic.protected_payload = 115 bytes
        0..5 quic.frame
          0..1 quic.frame_type = 2 (ack)
          1..2 quic.ack.largest_acknowledged = 0
          2..3 quic.ack.ack_delay = 0
          3..4 quic.ack.ack_range_count = 0
          4..5 quic.ack.first_ack_range = 0
        5..99 quic.frame
          5..6 quic.frame_type = 6 (crypto)
          6..7 quic.crypto.offset = 0
          7..9 quic.crypto.length = 90
          9..99 quic.crypto.crypto_data = 90 bytes
        0..90 tls.handshake
          0..1 tls.handshake.type = 2 (server_hello)
          1..4 tls.handshake.length = 86
          4..6 tls.handshake.version = 0x0303 (TLS 1.2)
          6..38 tls.handshake.random = 32 bytes
          38..39 tls.handshake.session_id_length = 0
          39..41 tls.handshake.ciphersuite = 0x1301 (TLS_AES_128_GCM_SHA256)
          41..42 tls.handshake.comp_method = 0 (null)
          42..44 tls.handshake.extensions_length = 46
          44..84 tls.handshake.extension
            44..46 tls.handshake.extension.type = 51 (key_share)
            46..48 tls.handshake.extension.len = 36
            48..50 tls.handshake.extensions_key_share_group = 29 (x25519)
            50..52 tls.handshake.extensions_key_share_key_exchange_length = 32
            52..84 tls.handshake.extensions_key_share_key_exchange = 32 bytes
          84..90 tls.handshake.extension
            84..86 tls.handshake.extension.type = 43 (supported_versions)
            86..88 tls.handshake.extension.len = 2
            88..90 tls.handshake.extensions.supported_version = 0x0304 (TLS 1.3)
          tls.handshake.ja3s_full = "771,4865,51-43"
          tls.handshake.ja3s = "eb1d94daa7e0344597e756a1fb6e7054"
    "#);
}

#[test]
fn a_broken_seal_is_told_and_the_header_stays() {
    let mut bytes = packet("c ");
    bytes[1199] ^= 1;
    let tree = read(Side::Client, &bytes);
    assert!(tree.contains("! info quic.not_opened") && tree.contains("quic.dcid = 8394c8f03e515708"), "{tree}");
}

#[test]
fn what_is_recognised_has_lengths_that_fit() {
    let bytes = packet("c ");
    assert!(looks(&bytes) && !looks(&bytes[..1000]) && !looks(&bytes[1..]) && !looks(b""));
    assert!(!looks(&[0xc0; 100]) && !looks(&[0; 100]));
}

#[test]
fn short_headers_are_claimed_by_their_connection() {
    let mut session = Session::default();
    let bytes = packet("c ");
    trial::read(&PROTOCOL, &bytes, Cut::No, |wire| session.message(Side::Client, wire));
    assert!(session.claims(Side::Server, &[0x41; 40]));
    assert!(!session.claims(Side::Client, &[0x41; 40]) && !session.claims(Side::Server, &[0x01; 40]));
}
