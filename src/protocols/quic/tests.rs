//! QUIC packets: the example of RFC 9001, and heuristics.

use super::packets::{Session, recognize};
use super::*;
use crate::tree::Side;
use crate::wire::{Cut, Exchange, trial};

/// RFC 9001 appendix A.2 and A.3: protected Initial packets of client and server.
const PACKETS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/make/quic.txt"));

fn packet(side_name: &str) -> Vec<u8> {
    trial::bytes(PACKETS.lines().find_map(|line| line.strip_prefix(side_name)).unwrap())
}

fn read(from: Side, bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| Session::default().message(from, wire))
}

#[test]
fn the_example_of_rfc_9001_is_decrypted() {
    let mut session = Session::default();
    let packets = [(Side::Client, packet("c ")), (Side::Server, packet("s "))];
    let trees = packets.map(|(from, bytes)| trial::read(&PROTOCOL, &bytes, Cut::No, |wire| session.message(from, wire)));
    insta::assert_snapshot!(trees.concat(), @r#"
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
        22..1200 quic.payload = 1178 bytes
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
            73..74 tls.handshake.extensions_reneg_info_len = 0
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
            191..201 tls.quic.parameter
              191..192 tls.quic.parameter.type = 4 (initial_max_data)
              192..193 tls.quic.parameter.length = 8
              193..201 tls.quic.parameter.value = ffffffffffffffff
              193..201 tls.quic.parameter.initial_max_data = 4611686018427387903
            201..207 tls.quic.parameter
              201..202 tls.quic.parameter.type = 5 (initial_max_stream_data_bidi_local)
              202..203 tls.quic.parameter.length = 4
              203..207 tls.quic.parameter.value = 8000ffff
              203..207 tls.quic.parameter.initial_max_stream_data_bidi_local = 65535
            207..213 tls.quic.parameter
              207..208 tls.quic.parameter.type = 7 (initial_max_stream_data_uni)
              208..209 tls.quic.parameter.length = 4
              209..213 tls.quic.parameter.value = 8000ffff
              209..213 tls.quic.parameter.initial_max_stream_data_uni = 65535
            213..216 tls.quic.parameter
              213..214 tls.quic.parameter.type = 8 (initial_max_streams_bidi)
              214..215 tls.quic.parameter.length = 1
              215..216 tls.quic.parameter.value = 10
              215..216 tls.quic.parameter.initial_max_streams_bidi = 16
            216..222 tls.quic.parameter
              216..217 tls.quic.parameter.type = 1 (max_idle_timeout)
              217..218 tls.quic.parameter.length = 4
              218..222 tls.quic.parameter.value = 80007530
              218..222 tls.quic.parameter.max_idle_timeout = 30000
            222..225 tls.quic.parameter
              222..223 tls.quic.parameter.type = 9 (initial_max_streams_uni)
              223..224 tls.quic.parameter.length = 1
              224..225 tls.quic.parameter.value = 10
              224..225 tls.quic.parameter.initial_max_streams_uni = 16
            225..235 tls.quic.parameter
              225..226 tls.quic.parameter.type = 15 (initial_source_connection_id)
              226..227 tls.quic.parameter.length = 8
              227..235 tls.quic.parameter.value = 8394c8f03e515708
              227..235 tls.quic.parameter.initial_source_connection_id = 8394c8f03e515708
            235..241 tls.quic.parameter
              235..236 tls.quic.parameter.type = 6 (initial_max_stream_data_bidi_remote)
              236..237 tls.quic.parameter.length = 4
              237..241 tls.quic.parameter.value = 8000ffff
              237..241 tls.quic.parameter.initial_max_stream_data_bidi_remote = 65535
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
        20..135 quic.payload = 115 bytes
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
fn a_packet_that_fails_authentication_keeps_its_header() {
    let mut bytes = packet("c ");
    bytes[1199] ^= 1;
    let tree = read(Side::Client, &bytes);
    assert!(tree.contains("! info quic.not_opened") && tree.contains("quic.dcid = 8394c8f03e515708"), "{tree}");
}

#[test]
fn the_heuristic_requires_valid_lengths() {
    let bytes = packet("c ");
    assert!(recognize(&bytes) && !recognize(&bytes[..1000]) && !recognize(&bytes[1..]) && !recognize(b""));
    assert!(!recognize(&[0xc0; 100]) && !recognize(&[0; 100]));
}

#[test]
fn packets_of_a_connection_are_claimed_with_any_id() {
    let mut session = Session::default();
    let bytes = packet("c ");
    assert!(!session.claims(Side::Client, &[0x41; 40]) && !session.claims(Side::Client, &bytes));
    session_reads(&mut session, Side::Client, &bytes);
    for side in [Side::Client, Side::Server] {
        assert!(session.claims(side, &[0x41; 21]) && session.claims(side, &bytes));
        assert!(!session.claims(side, &[0x41; 20]) && !session.claims(side, &[0x01; 40]) && !session.claims(side, &[0xc1; 40]));
    }
}

#[test]
fn a_known_connection_may_clear_the_fixed_bit() {
    let mut session = Session::default();
    session_reads(&mut session, Side::Client, &packet("c "));
    session_reads(&mut session, Side::Server, &packet("s "));
    // The connection ID of the server is f067a5502a4262b5; that of the client is empty.
    let short = trial::bytes("01 f067a5502a4262b5 000102030405060708090a0b0c0d0e0f");
    assert!(session.claims(Side::Client, &short) && !session.claims(Side::Client, &[0x01; 25]));
    let handshake = trial::bytes("a0 00000001 08 f067a5502a4262b5 00 14 000102030405060708090a0b0c0d0e0f10111213");
    assert!(session.claims(Side::Client, &handshake));
    let tree = session_reads(&mut session, Side::Client, &[handshake, short].concat());
    assert_eq!(tree.matches("quic.fixed_bit = false").count(), 2, "{tree}");
    assert_eq!(tree.matches("quic.dcid = f067a5502a4262b5").count(), 2, "{tree}");
    assert!(tree.starts_with("quic 0..61 | handshake, protected | 61 bytes"), "{tree}");
    assert!(session.claims(Side::Client, &[0x01; 25]) && session.claims(Side::Server, &[0x01; 25]));
}

#[test]
fn zeros_after_a_packet_are_remaining_payload() {
    let mut session = Session::default();
    session_reads(&mut session, Side::Client, &packet("c "));
    let handshake = trial::bytes("a0 00000001 00 00 14 000102030405060708090a0b0c0d0e0f10111213");
    let tree = session_reads(&mut session, Side::Server, &[handshake, vec![0; 30]].concat());
    assert!(tree.starts_with("quic 0..58 | handshake | 58 bytes"), "{tree}");
    assert!(tree.contains("28..58 quic.remaining_payload"), "{tree}");
}

#[test]
fn a_first_packet_without_fixed_bit_needs_a_full_datagram() {
    let mut bytes = packet("c ");
    bytes[0] &= 0xbf;
    assert!(recognize(&bytes));
    let short = trial::bytes(GREASED);
    assert!(!recognize(&short) && !recognize(&[&short[..], &[0; 1100]].concat()));
    assert!(recognize(&[&short[..], &[0; 1155]].concat()));
    let tree = read(Side::Client, &short);
    assert!(tree.contains("quic.fixed_bit = false") && tree.contains("quic.frame_type = 1 (ping)"), "{tree}");
}

#[test]
fn version_negotiation_is_claimed_by_a_known_connection() {
    let mut session = Session::default();
    let answer = trial::bytes("a5 00000000 00 08 8394c8f03e515708 00000001 6b3343cf 1a2a3a4a");
    assert!(!recognize(&answer));
    session_reads(&mut session, Side::Client, &packet("c "));
    assert!(session.claims(Side::Server, &answer) && !session.claims(Side::Server, &answer[..26]));
    let tree = session_reads(&mut session, Side::Server, &answer);
    assert!(tree.contains("19..23 quic.supported_version = 0x6b3343cf (2)"), "{tree}");
}

#[test]
fn initial_packets_of_each_version_are_decrypted() {
    for (version, hex) in INITIALS {
        let bytes = trial::bytes(hex);
        let tree = read(Side::Client, &bytes);
        assert!(tree.contains("quic.packet_number = 0\n") && tree.contains("quic.frame_type = 1 (ping)"), "{version}: {tree}");
        let name = format!(" quic.version = 0x{} ({version})", &hex[2..10]);
        assert!(version.is_empty() || tree.contains(&name) && recognize(&bytes), "{version}: {tree}");
    }
}

#[test]
fn google_versions_have_another_crypto_frame_type() {
    for (version, hex) in GOOGLE {
        let tree = read(Side::Client, &trial::bytes(hex));
        assert!(tree.contains(&format!("({version})")), "{tree}");
        assert!(
            tree.contains("| client_hello: a.example") && tree.contains("quic.frame_type.google = 8 (crypto (Google))"),
            "{tree}"
        );
    }
}

#[test]
fn a_reserved_version_is_noted() {
    let (_, hex) = INITIALS[11];
    let tree = read(Side::Client, &trial::bytes(hex));
    assert!(tree.contains("! info quic.reserved_version"), "{tree}");
    let bytes = [trial::bytes(hex), vec![0; 1155]].concat();
    assert!(recognize(&bytes) && !recognize(&bytes[..1100]));
}

#[test]
fn the_client_hello_after_a_retry_is_dissected_again() {
    let mut session = Session::default();
    session_reads(&mut session, Side::Client, &trial::bytes(HELLOS[0]));
    let tree = session_reads(&mut session, Side::Client, &trial::bytes(HELLOS[1]));
    assert!(tree.contains("| client_hello: a.example"), "{tree}");
}

fn session_reads(session: &mut Session, from: Side, bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(from, wire))
}

/// PING and PADDING in an Initial packet of version 1 with a cleared fixed bit.
const GREASED: &str = "8300000001088394c8f03e5157200000401b8ed3707975dc9ff62d0c7f8fd8f5d54666ac136c71bf764e5937c6";

/// The same ClientHello, sent to two connection IDs.
const HELLOS: [&str; 2] = [
    "cd00000001088394c8f03e51573000004056e963b9c6495b5f551acc87e3560cc332f41fa930d017cd08e2d62db99b974434611252796bad00cb554987e8e3667d5c4bacca5c19336511500ef688b485315f5046e0dd50526439bed31c68ec8ba38c49033a91e55b",
    "c300000001088394c8f03e51573100004056e7eb4a8316746aad6b173fd10f42d4befacabe4419ca4f5309961db3c00794b5f40559005a1cdad29f233478f2c79dbbc45e25e3344531272f3605e1d8ee66a1d70b1e1e93a7ab4c23cac28de9beffc7e0d0285b46e6",
];

/// PING and PADDING in an Initial packet of each version, encrypted with another implementation.
const INITIALS: [(&str, &str); 13] = [
    ("draft 22", "c4ff000016088394c8f03e5157000000401beb63275672fed2442dfb51db480593aad764ce290a7a0a45103e76"),
    ("mvfst (draft 22)", "c6faceb001088394c8f03e5157010000401b27c6615769fdddbfdc8219bbdc1244b8af1e57c763d206e2ae2a33"),
    ("draft 23", "c5ff000017088394c8f03e5157020000401b7e0067539d8338b78c42ab8fc2f7576b24dc4e37c340ca89234c74"),
    ("draft 28", "cdff00001c088394c8f03e5157030000401b1ebae4849a408a144407f00d1baed7b0fb30cee1b3bcf65c9d7a56"),
    ("mvfst (draft 27)", "c5faceb002088394c8f03e5157040000401b94eaabfae44a69bfc7baf6124bdff71129c3144c2c9cb0a10d9d5e"),
    ("mvfst (experimental)", "c9faceb00e088394c8f03e5157050000401b0d811d62f3a7190bbd7ac9f193091b9fe0fc7483624d8527947b94"),
    ("draft 29", "cbff00001d088394c8f03e5157060000401bd7c830574a8620f492c6672bb323c33982bfac43ac64b442e8bc09"),
    ("draft 32", "c6ff000020088394c8f03e5157070000401b06560e07552ad891109a7490aabf883e127a4d64b1b6ec3bc0a8e5"),
    ("draft 33", "c3ff000021088394c8f03e5157080000401bad41b411da9a7ca327c3a633aae0db9ddf21111b259233e05329b2"),
    ("draft 34", "c9ff000022088394c8f03e5157090000401be4ed474011903b8c32ecfb497f4a99f772eaf0878fff3c4da95e6c"),
    ("1", "ca00000001088394c8f03e51570a0000401b0d9f4c34b5464336de4e866d740a32124adb7b627620e84bc6cd2a"),
    ("", "c41a2a3a4a088394c8f03e51570d0000401bd231b50153abe3446772427161d2ac742becfde3ba3f5312a001bd"),
    ("2", "d66b3343cf088394c8f03e51570e0000401b17095c658d201768e57bc8db0d1fca63d86ac2f5d52cdbcb8706de"),
];

/// ClientHello in a CRYPTO frame with Google's frame type.
const GOOGLE: [(&str, &str); 2] = [
    (
        "Google T050",
        "ce54303530088394c8f03e5157400000405b3f2722f518395d7a7c911f3e9a8a8d7c4b79d2e8fb61f788f512bb9dc3f4bfa38f9c623c105419bba62b5038ae202fc5e080a677d5df80f94502e6a7aa5e53f44ce7e3efdb98a8a576bf718d4fe7cb79120cd0db78f9a070cc6d7f",
    ),
    (
        "Google T051",
        "ce54303531088394c8f03e5157410000405bfe1247ce4b53d5bf4112057c01b37fb5a95db90d619f00ac9d6b22cf2d977ce4244c175711de5a00a0478cc7200a9607b35024a61369a2f499d9dd8bb2cb77c6e8f701ea4b2474d412a64ce3f3c28cddecd74902513fcd21e2f1f5",
    ),
];
