//! ISAKMP messages, valid and malformed.

use super::*;
use crate::wire::{Cut, trial};

const SPIS: &str = "1111111111111111 2222222222222222";

/// A message of version 1 or 2 that begins with a payload of this type.
fn message(first: u8, version: u8, exchange: u8, flags: u8, payloads: &str) -> Vec<u8> {
    let payloads = trial::bytes(payloads);
    let length = u32::try_from(HEADER + payloads.len()).unwrap_or_default();
    [&trial::bytes(SPIS)[..], &[first, version << 4, exchange, flags, 0, 0, 0, 7], &length.to_be_bytes(), &payloads].concat()
}

const MAIN: &str = "0d 00 003c 00000001 00000001 00 00 0030 01 01 00 01 00 00 0028 01 01 0000 80010007 800e0100 80020002 80030001 80040002 \
    800b0001 000c0004 00007080 04 00 0006 afca 05 00 0006 4444 08 00 000c 01 11 01f4 0a000001 0b 00 0006 abab \
    0c 00 0010 00000001 01 00 8d28 00000007 00 00 0010 00000001 03 04 0001 deadbeef";
const SECOND: &str = "22 00 0028 00 00 0024 01 01 00 03 03 00 000c 01 00 000c 800e0100 03 00 0008 02 00 0005 00 00 0008 04 00 000e \
    28 00 000a 000e 0000 3131 29 00 0006 3232 29 00 000a 00 00 4004 3333 24 00 000c 00 00 402f 0002 0003 27 00 000c 01 000000 0a000001 \
    2c 00 000a 02 000000 5555 2a 00 0018 01 000000 07 06 0010 0050 0050 0a000000 0a0000ff 2e 80 000c 03 04 0001 deadbeef 23 00 0006 9999";

fn trees(bytes: &[u8]) -> String {
    let mut session = Session::default();
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(Side::Client, wire))
}

#[test]
fn payloads_of_version_1_are_dissected() {
    let bytes = message(1, 1, 2, 0, MAIN);
    assert!(recognize(&bytes) && !recognize(&bytes[1..]));
    let mut newer = bytes.clone();
    newer[17] |= 1;
    assert!(!recognize(&newer), "a minor version that does not exist");
    insta::assert_snapshot!(trees(&bytes), @"
    isakmp 0..150 | Identity Protection (Main Mode) | Security Association, Vendor ID, Key Exchange, Identification, Hash, R-U-THERE, Delete
      0..8 isakmp.ispi = 1111111111111111
      8..16 isakmp.rspi = 2222222222222222
      16..17 isakmp.nextpayload = 1 (Security Association)
      17..18 isakmp.version = 0x10
        17..18 isakmp.mjver = 0x01
        17..18 isakmp.mnver = 0x00
      18..19 isakmp.exchangetype = 2 (Identity Protection (Main Mode))
      19..20 isakmp.flags = 0x00
        19..20 isakmp.flag_e = false
        19..20 isakmp.flag_c = false
        19..20 isakmp.flag_a = false
      20..24 isakmp.messageid = 0x00000007
      24..28 isakmp.length = 150
      28..88 isakmp.typepayload = 1 (Security Association)
        28..29 isakmp.nextpayload = 13 (Vendor ID)
        29..30 isakmp.reserved = 00
        30..32 isakmp.payloadlength = 60
        32..36 isakmp.sa.doi = 1 (IPSEC)
        36..40 isakmp.sa.situation = 00000001
          36..40 isakmp.sa.situation.identity_only = true
          36..40 isakmp.sa.situation.secrecy = false
          36..40 isakmp.sa.situation.integrity = false
        40..88 isakmp.typepayload = 2 (Proposal)
          40..41 isakmp.nextpayload = 0 (NONE / No Next Payload)
          41..42 isakmp.reserved = 00
          42..44 isakmp.payloadlength = 48
          44..45 isakmp.prop.number = 1
          45..46 isakmp.prop.protoid = 1
          46..47 isakmp.spisize = 0
          47..48 isakmp.prop.transforms = 1
          48..88 isakmp.typepayload = 3 (Transform)
            48..49 isakmp.nextpayload = 0 (NONE / No Next Payload)
            49..50 isakmp.reserved = 00
            50..52 isakmp.payloadlength = 40
            52..53 isakmp.trans.number = 1
            53..54 isakmp.trans.id = 1
            54..56 isakmp.reserved = 0000
            56..60 isakmp.ike.attr
              56..58 isakmp.ike.attr.format = true
              56..58 isakmp.ike.attr.type = 1 (Encryption-Algorithm)
              58..60 isakmp.ike.attr.value = 0007
                58..60 isakmp.ike.attr.encryption_algorithm = 7 (AES-CBC)
            60..64 isakmp.ike.attr
              60..62 isakmp.ike.attr.format = true
              60..62 isakmp.ike.attr.type = 14 (Key-Length)
              62..64 isakmp.ike.attr.value = 0100
                62..64 isakmp.ike.attr.key_length = 256
            64..68 isakmp.ike.attr
              64..66 isakmp.ike.attr.format = true
              64..66 isakmp.ike.attr.type = 2 (Hash-Algorithm)
              66..68 isakmp.ike.attr.value = 0002
                66..68 isakmp.ike.attr.hash_algorithm = 2 (SHA)
            68..72 isakmp.ike.attr
              68..70 isakmp.ike.attr.format = true
              68..70 isakmp.ike.attr.type = 3 (Authentication-Method)
              70..72 isakmp.ike.attr.value = 0001
                70..72 isakmp.ike.attr.authentication_method = 1 (Pre-shared key)
            72..76 isakmp.ike.attr
              72..74 isakmp.ike.attr.format = true
              72..74 isakmp.ike.attr.type = 4 (Group-Description)
              74..76 isakmp.ike.attr.value = 0002
                74..76 isakmp.ike.attr.group_description = 2 (Alternate 1024-bit MODP group)
            76..80 isakmp.ike.attr
              76..78 isakmp.ike.attr.format = true
              76..78 isakmp.ike.attr.type = 11 (Life-Type)
              78..80 isakmp.ike.attr.value = 0001
                78..80 isakmp.ike.attr.life_type = 1 (Seconds)
            80..88 isakmp.ike.attr
              80..82 isakmp.ike.attr.format = false
              80..82 isakmp.ike.attr.type = 12 (Life-Duration)
              82..84 isakmp.ike.attr.length = 4
              84..88 isakmp.ike.attr.value = 00007080
                84..88 isakmp.ike.attr.life_duration = 28800
      88..94 isakmp.typepayload = 13 (Vendor ID)
        88..89 isakmp.nextpayload = 4 (Key Exchange)
        89..90 isakmp.reserved = 00
        90..92 isakmp.payloadlength = 6
        92..94 isakmp.vid_bytes = afca
      94..100 isakmp.typepayload = 4 (Key Exchange)
        94..95 isakmp.nextpayload = 5 (Identification)
        95..96 isakmp.reserved = 00
        96..98 isakmp.payloadlength = 6
        98..100 isakmp.key_exchange.data = 4444
      100..112 isakmp.typepayload = 5 (Identification)
        100..101 isakmp.nextpayload = 8 (Hash)
        101..102 isakmp.reserved = 00
        102..104 isakmp.payloadlength = 12
        104..105 isakmp.id.type = 1 (IPV4_ADDR)
        105..106 isakmp.id.protoid = 17
        106..108 isakmp.id.port = 500
        108..112 isakmp.id.data = 0a000001
          108..112 isakmp.id.data.ipv4_addr = 10.0.0.1
      112..118 isakmp.typepayload = 8 (Hash)
        112..113 isakmp.nextpayload = 11 (Notification)
        113..114 isakmp.reserved = 00
        114..116 isakmp.payloadlength = 6
        116..118 isakmp.hash = abab
      118..134 isakmp.typepayload = 11 (Notification)
        118..119 isakmp.nextpayload = 12 (Delete)
        119..120 isakmp.reserved = 00
        120..122 isakmp.payloadlength = 16
        122..126 isakmp.notify.doi = 1 (IPSEC)
        126..127 isakmp.notify.protoid = 1
        127..128 isakmp.spisize = 0
        128..130 isakmp.notify.msgtype = 36136
        130..134 isakmp.notify.data = 00000007
          130..134 isakmp.notify.data.dpd.are_you_there = 7
      134..150 isakmp.typepayload = 12 (Delete)
        134..135 isakmp.nextpayload = 0 (NONE / No Next Payload)
        135..136 isakmp.reserved = 00
        136..138 isakmp.payloadlength = 16
        138..142 isakmp.delete.doi = 1 (IPSEC)
        142..143 isakmp.delete.protoid = 3
        143..144 isakmp.spisize = 4
        144..146 isakmp.spinum = 1
        146..150 isakmp.delete.spi = deadbeef
    ");
    insta::assert_snapshot!(trees(&message(8, 1, 32, 1, "99999999")), @"
    isakmp 0..32 | Quick Mode | encrypted
      0..8 isakmp.ispi = 1111111111111111
      8..16 isakmp.rspi = 2222222222222222
      16..17 isakmp.nextpayload = 8 (Hash)
      17..18 isakmp.version = 0x10
        17..18 isakmp.mjver = 0x01
        17..18 isakmp.mnver = 0x00
      18..19 isakmp.exchangetype = 32 (Quick Mode)
      19..20 isakmp.flags = 0x01
        19..20 isakmp.flag_e = true
        19..20 isakmp.flag_c = false
        19..20 isakmp.flag_a = false
      20..24 isakmp.messageid = 0x00000007
      24..28 isakmp.length = 32
      28..32 isakmp.enc.data = 99999999
    ");
}

#[test]
fn identities_have_the_fields_of_their_type() {
    // Identification payloads in a row: key ID, FQDN, user, IPv6, IPv4 subnet, unknown type.
    let identities = "05 00 000a 0b 00 0000 6b65 05 00 000a 02 00 0000 612e 05 00 000a 03 00 0000 7540 \
        05 00 0018 05 00 0000 20010db8000000000000000000000001 05 00 0010 04 00 0000 0a000000 ff000000 00 00 000a 0d 00 0000 9999";
    let tree = trees(&message(5, 1, 2, 0, identities));
    insta::assert_snapshot!(trial::below(&tree, &["isakmp.id.data"]), @r#"
    isakmp 0..108 | Identity Protection (Main Mode) | Identification, Identification, Identification, Identification, Identification, Identification
        36..38 isakmp.id.data = 6b65
          36..38 isakmp.id.data.key_id = 6b65
        46..48 isakmp.id.data = 612e
          46..48 isakmp.id.data.fqdn = "a."
        56..58 isakmp.id.data = 7540
          56..58 isakmp.id.data.user_fqdn = "u@"
        66..82 isakmp.id.data = 20010db8000000000000000000000001
          66..82 isakmp.id.data.ipv6_addr = 2001:db8::1
        90..98 isakmp.id.data = 0a000000ff000000
          90..94 isakmp.id.data.ipv4_addr = 10.0.0.0
          94..98 isakmp.id.data.ipv4_subnet = 255.0.0.0
        106..108 isakmp.id.data = 9999
    "#);
}

#[test]
fn payloads_of_version_2_are_dissected() {
    insta::assert_snapshot!(trees(&message(33, 2, 34, 8, SECOND)), @"
    isakmp 0..170 | IKE_SA_INIT | Security Association, Key Exchange, Nonce, NAT_DETECTION_SOURCE_IP, SIGNATURE_HASH_ALGORITHMS, Identification - Responder, Authentication, Traffic Selector - Initiator, Delete, Encrypted and Authenticated
      0..8 isakmp.ispi = 1111111111111111
      8..16 isakmp.rspi = 2222222222222222
      16..17 isakmp.nextpayload = 33 (Security Association)
      17..18 isakmp.version = 0x20
        17..18 isakmp.mjver = 0x02
        17..18 isakmp.mnver = 0x00
      18..19 isakmp.exchangetype = 34 (IKE_SA_INIT)
      19..20 isakmp.flags = 0x08
        19..20 isakmp.flag_i = true
        19..20 isakmp.flag_v = false
        19..20 isakmp.flag_r = false
      20..24 isakmp.messageid = 0x00000007
      24..28 isakmp.length = 170
      28..68 isakmp.typepayload = 33 (Security Association)
        28..29 isakmp.nextpayload = 34 (Key Exchange)
        29..30 isakmp.criticalpayload = false
        29..30 isakmp.reserved7 = 0x00
        30..32 isakmp.payloadlength = 40
        32..68 isakmp.typepayload = 2 (Proposal)
          32..33 isakmp.nextpayload = 0 (NONE / No Next Payload)
          33..34 isakmp.reserved = 00
          34..36 isakmp.payloadlength = 36
          36..37 isakmp.prop.number = 1
          37..38 isakmp.prop.protoid = 1
          38..39 isakmp.spisize = 0
          39..40 isakmp.prop.transforms = 3
          40..52 isakmp.typepayload = 3 (Transform)
            40..41 isakmp.nextpayload = 3 (Transform)
            41..42 isakmp.reserved = 00
            42..44 isakmp.payloadlength = 12
            44..45 isakmp.tf.type = 1 (Encryption Algorithm (ENCR))
            45..46 isakmp.reserved = 00
            46..48 isakmp.tf.id.encr = 12 (ENCR_AES_CBC)
            48..52 isakmp.ike2.attr
              48..50 isakmp.ike2.attr.format = true
              48..50 isakmp.ike2.attr.type = 14 (Key Length)
              50..52 isakmp.ike2.attr.value = 0100
                50..52 isakmp.ike2.attr.key_length = 256
          52..60 isakmp.typepayload = 3 (Transform)
            52..53 isakmp.nextpayload = 3 (Transform)
            53..54 isakmp.reserved = 00
            54..56 isakmp.payloadlength = 8
            56..57 isakmp.tf.type = 2 (Pseudo-random Function (PRF))
            57..58 isakmp.reserved = 00
            58..60 isakmp.tf.id.prf = 5 (PRF_HMAC_SHA2_256)
          60..68 isakmp.typepayload = 3 (Transform)
            60..61 isakmp.nextpayload = 0 (NONE / No Next Payload)
            61..62 isakmp.reserved = 00
            62..64 isakmp.payloadlength = 8
            64..65 isakmp.tf.type = 4 (Diffie-Hellman Group (D-H))
            65..66 isakmp.reserved = 00
            66..68 isakmp.tf.id.dh = 14 (2048 bit MODP group)
      68..78 isakmp.typepayload = 34 (Key Exchange)
        68..69 isakmp.nextpayload = 40 (Nonce)
        69..70 isakmp.criticalpayload = false
        69..70 isakmp.reserved7 = 0x00
        70..72 isakmp.payloadlength = 10
        72..74 isakmp.key_exchange.dh_group = 14 (2048 bit MODP group)
        74..76 isakmp.reserved = 0000
        76..78 isakmp.key_exchange.data = 3131
      78..84 isakmp.typepayload = 40 (Nonce)
        78..79 isakmp.nextpayload = 41 (Notify)
        79..80 isakmp.criticalpayload = false
        79..80 isakmp.reserved7 = 0x00
        80..82 isakmp.payloadlength = 6
        82..84 isakmp.nonce = 3232
      84..94 isakmp.typepayload = 41 (Notify)
        84..85 isakmp.nextpayload = 41 (Notify)
        85..86 isakmp.criticalpayload = false
        85..86 isakmp.reserved7 = 0x00
        86..88 isakmp.payloadlength = 10
        88..89 isakmp.notify.protoid = 0
        89..90 isakmp.spisize = 0
        90..92 isakmp.notify.msgtype = 16388
        92..94 isakmp.notify.data = 3333
      94..106 isakmp.typepayload = 41 (Notify)
        94..95 isakmp.nextpayload = 36 (Identification - Responder)
        95..96 isakmp.criticalpayload = false
        95..96 isakmp.reserved7 = 0x00
        96..98 isakmp.payloadlength = 12
        98..99 isakmp.notify.protoid = 0
        99..100 isakmp.spisize = 0
        100..102 isakmp.notify.msgtype = 16431
        102..106 isakmp.notify.data = 00020003
          102..104 isakmp.notify.data.signature_hash_algorithms = 2 (SHA2-256)
          104..106 isakmp.notify.data.signature_hash_algorithms = 3 (SHA2-384)
      106..118 isakmp.typepayload = 36 (Identification - Responder)
        106..107 isakmp.nextpayload = 39 (Authentication)
        107..108 isakmp.criticalpayload = false
        107..108 isakmp.reserved7 = 0x00
        108..110 isakmp.payloadlength = 12
        110..111 isakmp.id.type = 1 (IPV4_ADDR)
        111..114 isakmp.reserved = 000000
        114..118 isakmp.id.data = 0a000001
          114..118 isakmp.id.data.ipv4_addr = 10.0.0.1
      118..128 isakmp.typepayload = 39 (Authentication)
        118..119 isakmp.nextpayload = 44 (Traffic Selector - Initiator)
        119..120 isakmp.criticalpayload = false
        119..120 isakmp.reserved7 = 0x00
        120..122 isakmp.payloadlength = 10
        122..123 isakmp.auth.method = 2 (Shared Key Message Integrity Code)
        123..126 isakmp.reserved = 000000
        126..128 isakmp.auth.data = 5555
      128..152 isakmp.typepayload = 44 (Traffic Selector - Initiator)
        128..129 isakmp.nextpayload = 42 (Delete)
        129..130 isakmp.criticalpayload = false
        129..130 isakmp.reserved7 = 0x00
        130..132 isakmp.payloadlength = 24
        132..133 isakmp.ts.number = 1
        133..136 isakmp.reserved = 000000
        136..137 isakmp.ts.type = 7 (TS_IPV4_ADDR_RANGE)
        137..138 isakmp.ts.protoid = 6
        138..140 isakmp.ts.selector_length = 16
        140..142 isakmp.ts.start_port = 80
        142..144 isakmp.ts.end_port = 80
        144..148 isakmp.ts.start_ipv4 = 10.0.0.0
        148..152 isakmp.ts.end_ipv4 = 10.0.0.255
      152..164 isakmp.typepayload = 42 (Delete)
        152..153 isakmp.nextpayload = 46 (Encrypted and Authenticated)
        153..154 isakmp.criticalpayload = true
        153..154 isakmp.reserved7 = 0x00
        154..156 isakmp.payloadlength = 12
        156..157 isakmp.delete.protoid = 3
        157..158 isakmp.spisize = 4
        158..160 isakmp.spinum = 1
        160..164 isakmp.delete.spi = deadbeef
      164..170 isakmp.typepayload = 46 (Encrypted and Authenticated)
        164..165 isakmp.nextpayload = 35 (Identification - Initiator)
        165..166 isakmp.criticalpayload = false
        165..166 isakmp.reserved7 = 0x00
        166..168 isakmp.payloadlength = 6
        168..170 isakmp.enc.data = 9999
    ");
}

#[test]
fn a_response_names_its_request() {
    let mut session = Session::default();
    let mut read = |bytes: &[u8]| trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(Side::Client, wire));
    assert!(!read(&message(0, 2, 37, 8, "")).contains("isakmp.response_to"));
    assert!(read(&message(0, 2, 37, 0x20, "")).contains("isakmp.response_to"));
}

#[test]
fn damaged_messages_are_survived() {
    for bytes in [message(1, 1, 2, 0, MAIN), message(33, 2, 34, 8, SECOND)] {
        let mut session = Session::default();
        trial::survives_damage(&PROTOCOL, &bytes, |wire| session.message(Side::Client, wire));
    }
}

#[test]
fn encapsulated_packets_are_distinguished() {
    let read = |bytes: &[u8]| trial::read(&ENCAPSULATION, bytes, Cut::No, encapsulated);
    insta::assert_snapshot!(read(b"\xff"), @"
    udpencap 0..1 | NAT keepalive
      0..1 udpencap.nat_keepalive = 0xff
    ");
    insta::assert_snapshot!(read(&trial::bytes("deadbeef 00000001 9999")), @"
    udpencap 0..10 | ESP
    ");
    let bytes = [&NON_ESP[..], &message(0, 2, 37, 8, "")].concat();
    let context = DatagramContext { ports: Some([NAT_TRAVERSAL; 2]), announced: None };
    assert!(is_encapsulated(&bytes, &context) && !is_encapsulated(b"\xff\xff", &context));
    assert!(!is_encapsulated(&[1; 40], &DatagramContext::default()));
    insta::assert_snapshot!(read(&bytes), @"
    udpencap 0..32 | key exchange
      0..4 udpencap.non_esp_marker = 00000000
    ");
}
