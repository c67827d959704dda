//! OSPF packets, valid and malformed.

use crate::layers::Next;
use crate::layers::trial::{cut, layers};

const OSPF: Next = Next::IpProtocol(89);
const SIGNALING: &str = "fff6 0003 0001 0004 00000001";
const ROUTER_LSA: &str = "0001 22 01 0a000001 0a000001 80000002 3e97 0030 02 00 0002 \
    c0000200 ffffff00 03 00 0001 0a000002 c0000201 02 00 000a";

#[test]
fn a_hello_has_a_digest_and_a_trailing_block() {
    let packet = [
        "02 01 0030 0a000001 00000000 0000 0002 0000 01 10 00000007",
        "ffffff00 000a 12 01 00000028 c0000201 00000000 0a000002",
        "00112233445566778899aabbccddeeff",
        SIGNALING,
    ];
    insta::assert_snapshot!(layers(OSPF, &packet), @"
    ospf 0..76 | Hello Packet | router 10.0.0.1, area 0.0.0.0
      0..24 ospf.header
        0..1 ospf.version = 2
        1..2 ospf.msg = 1 (Hello Packet)
        2..4 ospf.packet_length = 48
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x0000
        14..16 ospf.auth.type = 2 (Cryptographic)
        16..18 ospf.reserved = 0000
        18..19 ospf.auth.crypt.key_id = 1
        19..20 ospf.auth.crypt.data_length = 16
        20..24 ospf.auth.crypt.seq_nbr = 7
      24..48 ospf.hello
        24..28 ospf.hello.network_mask = 255.255.255.0
        28..30 ospf.hello.hello_interval = 10
        30..31 ospf.v2.options = 0x12
          30..31 ospf.v2.options.dn = false
          30..31 ospf.v2.options.o = false
          30..31 ospf.v2.options.dc = false
          30..31 ospf.v2.options.l = true
          30..31 ospf.v2.options.n = false
          30..31 ospf.v2.options.mc = false
          30..31 ospf.v2.options.e = true
          30..31 ospf.v2.options.mt = false
        31..32 ospf.hello.router_priority = 1
        32..36 ospf.hello.router_dead_interval = 40
        36..40 ospf.hello.designated_router = 192.0.2.1
        40..44 ospf.hello.backup_designated_router = 0.0.0.0
        44..48 ospf.hello.active_neighbor = 10.0.0.2
      48..64 ospf.auth.crypt.data = 00112233445566778899aabbccddeeff
      64..76 ospf.lls
        64..66 ospf.lls.checksum = 0xfff6
        66..68 ospf.lls.data_length = 12
        68..70 ospf.tlv_type = 1 (Extended options)
        70..72 ospf.tlv_length = 4
        72..76 ospf.lls.ext.options = 0x00000001
          72..76 ospf.lls.ext.options.rs = false
          72..76 ospf.lls.ext.options.lr = true
    ");
}

#[test]
fn a_description_and_an_acknowledgement_have_headers_of_lsas() {
    let header = "801e 20 05 c0000200 0a000001 80000001 8eb7 0024";
    let description = ["02 02 0034 0a000001 00000000 1234 0001 6b65790000000000", "05dc 42 07 00000081", header];
    insta::assert_snapshot!(layers(OSPF, &description), @"
    ospf 0..52 | DB Description | router 10.0.0.1, area 0.0.0.0
      0..24 ospf.header
        0..1 ospf.version = 2
        1..2 ospf.msg = 2 (DB Description)
        2..4 ospf.packet_length = 52
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
        14..16 ospf.auth.type = 1 (Simple password)
        16..24 ospf.auth.simple = ***
      24..26 ospf.db.interface_mtu = 1500
      26..27 ospf.v2.options = 0x42
        26..27 ospf.v2.options.dn = false
        26..27 ospf.v2.options.o = true
        26..27 ospf.v2.options.dc = false
        26..27 ospf.v2.options.l = false
        26..27 ospf.v2.options.n = false
        26..27 ospf.v2.options.mc = false
        26..27 ospf.v2.options.e = true
        26..27 ospf.v2.options.mt = false
      27..28 ospf.dbd = 0x07
        27..28 ospf.dbd.r = false
        27..28 ospf.dbd.i = true
        27..28 ospf.dbd.m = true
        27..28 ospf.dbd.ms = true
      28..32 ospf.db.dd_sequence = 129
      32..52 ospf.entry
        32..34 ospf.lsa.donotage = 1
        32..34 ospf.lsa.age = 30
        34..35 ospf.v2.options = 0x20
          34..35 ospf.v2.options.dn = false
          34..35 ospf.v2.options.o = false
          34..35 ospf.v2.options.dc = true
          34..35 ospf.v2.options.l = false
          34..35 ospf.v2.options.n = false
          34..35 ospf.v2.options.mc = false
          34..35 ospf.v2.options.e = false
          34..35 ospf.v2.options.mt = false
        35..36 ospf.lsa = 5 (AS-External-LSA (ASBR))
        36..40 ospf.lsa.id = 192.0.2.0
        40..44 ospf.advrouter = 10.0.0.1
        44..48 ospf.lsa.seqnum = 0x80000001
        48..50 ospf.lsa.chksum = 0x8eb7
        50..52 ospf.lsa.length = 36
    ");
    let tree = layers(OSPF, &["02 05 002c 0a000001 00000000 1234 0000 0000000000000000", header]);
    insta::assert_snapshot!(crate::wire::trial::below(&tree, &["ospf.header", "ospf.lsa"]), @"
    ospf 0..44 | LS Acknowledge | router 10.0.0.1, area 0.0.0.0
      0..24 ospf.header
        0..1 ospf.version = 2
        1..2 ospf.msg = 5 (LS Acknowledge)
        2..4 ospf.packet_length = 44
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
        14..16 ospf.auth.type = 0 (Null)
        16..24 ospf.auth.none = 0000000000000000
        27..28 ospf.lsa = 5 (AS-External-LSA (ASBR))
    ");
}

#[test]
fn lsas_are_requested_and_sent() {
    let request = ["02 03 0024 0a000001 00000000 1234 0000 0000000000000000", "00000001 0a000002 0a000002"];
    insta::assert_snapshot!(layers(OSPF, &request), @"
    ospf 0..36 | LS Request | router 10.0.0.1, area 0.0.0.0
      0..24 ospf.header
        0..1 ospf.version = 2
        1..2 ospf.msg = 3 (LS Request)
        2..4 ospf.packet_length = 36
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
        14..16 ospf.auth.type = 0 (Null)
        16..24 ospf.auth.none = 0000000000000000
      24..36 ospf.request
        24..28 ospf.lsa = 1 (Router-LSA)
        28..32 ospf.link_state_id = 10.0.0.2
        32..36 ospf.advrouter = 10.0.0.2
    ");
    let update = [
        "02 04 00ac 0a000001 00000000 1234 0000 0000000000000000 00000004",
        ROUTER_LSA,
        "0001 22 02 c0000201 0a000001 80000001 27b4 0020 ffffff00 0a000001 0a000002",
        "0001 22 03 c6336400 0a000001 80000001 27b4 001c ffffff00 00 000014",
        "0001 20 05 cb007100 0a000001 80000001 8eb7 0024 ffffff00 80 000014 00000000 00000004",
    ];
    insta::assert_snapshot!(layers(OSPF, &update), @"
    ospf 0..172 | LS Update | router 10.0.0.1, area 0.0.0.0
      0..24 ospf.header
        0..1 ospf.version = 2
        1..2 ospf.msg = 4 (LS Update)
        2..4 ospf.packet_length = 172
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
        14..16 ospf.auth.type = 0 (Null)
        16..24 ospf.auth.none = 0000000000000000
      24..28 ospf.ls.number_of_lsas = 4
      28..76 ospf.entry
        28..30 ospf.lsa.donotage = 0
        28..30 ospf.lsa.age = 1
        30..31 ospf.v2.options = 0x22
          30..31 ospf.v2.options.dn = false
          30..31 ospf.v2.options.o = false
          30..31 ospf.v2.options.dc = true
          30..31 ospf.v2.options.l = false
          30..31 ospf.v2.options.n = false
          30..31 ospf.v2.options.mc = false
          30..31 ospf.v2.options.e = true
          30..31 ospf.v2.options.mt = false
        31..32 ospf.lsa = 1 (Router-LSA)
        32..36 ospf.lsa.id = 10.0.0.1
        36..40 ospf.advrouter = 10.0.0.1
        40..44 ospf.lsa.seqnum = 0x80000002
        44..46 ospf.lsa.chksum = 0x3e97
        46..48 ospf.lsa.length = 48
        48..49 ospf.v2.router.lsa.flags = 0x02
          48..49 ospf.v2.router.lsa.flags.h = false
          48..49 ospf.v2.router.lsa.flags.n = false
          48..49 ospf.v2.router.lsa.flags.w = false
          48..49 ospf.v2.router.lsa.flags.v = false
          48..49 ospf.v2.router.lsa.flags.e = true
          48..49 ospf.v2.router.lsa.flags.b = false
        49..50 ospf.reserved = 00
        50..52 ospf.lsa.number_of_links = 2
        52..64 ospf.link
          52..56 ospf.lsa.router.linkid = 192.0.2.0
          56..60 ospf.lsa.router.linkdata = 255.255.255.0
          60..61 ospf.lsa.router.linktype = 3 (stub network)
          61..62 ospf.lsa.router.nummetrics = 0
          62..64 ospf.lsa.router.metric0 = 1
        64..76 ospf.link
          64..68 ospf.lsa.router.linkid = 10.0.0.2
          68..72 ospf.lsa.router.linkdata = 192.0.2.1
          72..73 ospf.lsa.router.linktype = 2 (transit network)
          73..74 ospf.lsa.router.nummetrics = 0
          74..76 ospf.lsa.router.metric0 = 10
      76..108 ospf.entry
        76..78 ospf.lsa.donotage = 0
        76..78 ospf.lsa.age = 1
        78..79 ospf.v2.options = 0x22
          78..79 ospf.v2.options.dn = false
          78..79 ospf.v2.options.o = false
          78..79 ospf.v2.options.dc = true
          78..79 ospf.v2.options.l = false
          78..79 ospf.v2.options.n = false
          78..79 ospf.v2.options.mc = false
          78..79 ospf.v2.options.e = true
          78..79 ospf.v2.options.mt = false
        79..80 ospf.lsa = 2 (Network-LSA)
        80..84 ospf.lsa.id = 192.0.2.1
        84..88 ospf.advrouter = 10.0.0.1
        88..92 ospf.lsa.seqnum = 0x80000001
        92..94 ospf.lsa.chksum = 0x27b4
        94..96 ospf.lsa.length = 32
        96..100 ospf.lsa.network.netmask = 255.255.255.0
        100..104 ospf.lsa.network.attchrtr = 10.0.0.1
        104..108 ospf.lsa.network.attchrtr = 10.0.0.2
      108..136 ospf.entry
        108..110 ospf.lsa.donotage = 0
        108..110 ospf.lsa.age = 1
        110..111 ospf.v2.options = 0x22
          110..111 ospf.v2.options.dn = false
          110..111 ospf.v2.options.o = false
          110..111 ospf.v2.options.dc = true
          110..111 ospf.v2.options.l = false
          110..111 ospf.v2.options.n = false
          110..111 ospf.v2.options.mc = false
          110..111 ospf.v2.options.e = true
          110..111 ospf.v2.options.mt = false
        111..112 ospf.lsa = 3 (Summary-LSA (IP network))
        112..116 ospf.lsa.id = 198.51.100.0
        116..120 ospf.advrouter = 10.0.0.1
        120..124 ospf.lsa.seqnum = 0x80000001
        124..126 ospf.lsa.chksum = 0x27b4
        126..128 ospf.lsa.length = 28
        128..132 ospf.lsa.asbr.netmask = 255.255.255.0
        132..133 ospf.lsa.tos = 0
        133..136 ospf.metric = 20
      136..172 ospf.entry
        136..138 ospf.lsa.donotage = 0
        136..138 ospf.lsa.age = 1
        138..139 ospf.v2.options = 0x20
          138..139 ospf.v2.options.dn = false
          138..139 ospf.v2.options.o = false
          138..139 ospf.v2.options.dc = true
          138..139 ospf.v2.options.l = false
          138..139 ospf.v2.options.n = false
          138..139 ospf.v2.options.mc = false
          138..139 ospf.v2.options.e = false
          138..139 ospf.v2.options.mt = false
        139..140 ospf.lsa = 5 (AS-External-LSA (ASBR))
        140..144 ospf.lsa.id = 203.0.113.0
        144..148 ospf.advrouter = 10.0.0.1
        148..152 ospf.lsa.seqnum = 0x80000001
        152..154 ospf.lsa.chksum = 0x8eb7
        154..156 ospf.lsa.length = 36
        156..160 ospf.lsa.asext.netmask = 255.255.255.0
        160..161 ospf.lsa.asext.type = true
        160..161 ospf.lsa.tos = 0
        161..164 ospf.metric = 20
        164..168 ospf.lsa.asext.fwdaddr = 0.0.0.0
        168..172 ospf.lsa.asext.extrttag = 4
    ");
}

#[test]
fn version_3_has_longer_options_and_types() {
    let hello = "03 01 0028 0a000001 00000000 1234 00 00 00000005 01 000013 000a 0028 0a000001 00000000 0a000002";
    insta::assert_snapshot!(layers(OSPF, &[hello]), @"
    ospf 0..40 | Hello Packet | router 10.0.0.1, area 0.0.0.0
      0..16 ospf.header
        0..1 ospf.version = 3
        1..2 ospf.msg = 1 (Hello Packet)
        2..4 ospf.packet_length = 40
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
        14..15 ospf.instance_id = 0
        15..16 ospf.reserved = 00
      16..40 ospf.hello
        16..20 ospf.hello.interface_id = 5
        20..21 ospf.hello.router_priority = 1
        21..24 ospf.v3.options = 0x000013
          21..24 ospf.v3.options.at = false
          21..24 ospf.v3.options.l = false
          21..24 ospf.v3.options.af = false
          21..24 ospf.v3.options.dc = false
          21..24 ospf.v3.options.r = true
          21..24 ospf.v3.options.n = false
          21..24 ospf.v3.options.mc = false
          21..24 ospf.v3.options.e = true
          21..24 ospf.v3.options.v6 = true
        24..26 ospf.hello.hello_interval = 10
        26..28 ospf.hello.router_dead_interval = 40
        28..32 ospf.hello.designated_router = 10.0.0.1
        32..36 ospf.hello.backup_designated_router = 0.0.0.0
        36..40 ospf.hello.active_neighbor = 10.0.0.2
    ");
    let update = "03 04 0030 0a000001 00000000 1234 00 00 00000001 0001 2001 00000000 0a000001 80000001 1234 001c \
        01000013 00000000";
    insta::assert_snapshot!(layers(OSPF, &[update]), @"
    ospf 0..48 | LS Update | router 10.0.0.1, area 0.0.0.0
      0..16 ospf.header
        0..1 ospf.version = 3
        1..2 ospf.msg = 4 (LS Update)
        2..4 ospf.packet_length = 48
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
        14..15 ospf.instance_id = 0
        15..16 ospf.reserved = 00
      16..20 ospf.ls.number_of_lsas = 1
      20..48 ospf.entry
        20..22 ospf.lsa.donotage = 0
        20..22 ospf.lsa.age = 1
        22..24 ospf.v3.lsa = 0x2001 (Router-LSA)
          22..24 ospf.v3.lsa.u = false
          22..24 ospf.v3.lsa.s12 = 0x0001 (area)
          22..24 ospf.v3.lsa.fc = 1
        24..28 ospf.link_state_id = 0.0.0.0
        28..32 ospf.advrouter = 10.0.0.1
        32..36 ospf.lsa.seqnum = 0x80000001
        36..38 ospf.lsa.chksum = 0x1234
        38..40 ospf.lsa.length = 28
        40..41 ospf.v3.router.lsa.flags = 0x01
          40..41 ospf.v3.router.lsa.flags.w = false
          40..41 ospf.v3.router.lsa.flags.v = false
          40..41 ospf.v3.router.lsa.flags.e = false
          40..41 ospf.v3.router.lsa.flags.b = true
        41..44 ospf.v3.options = 0x000013
          41..44 ospf.v3.options.at = false
          41..44 ospf.v3.options.l = false
          41..44 ospf.v3.options.af = false
          41..44 ospf.v3.options.dc = false
          41..44 ospf.v3.options.r = true
          41..44 ospf.v3.options.n = false
          41..44 ospf.v3.options.mc = false
          41..44 ospf.v3.options.e = true
          41..44 ospf.v3.options.v6 = true
        44..48 ospf.link
          44..45 ospf.v3.lsa.type = 0
          45..46 ospf.reserved = 00
          46..48 ospf.metric = 0
    ! broken dissect.short at 48..48 ospf: 4 more bytes needed, 0 left
    ");
}

#[test]
fn truncated_updates_and_wrong_lengths_are_noted() {
    let header = "02 04 0100 0a000001 00000000 1234 0000 0000000000000000 ffffffff";
    let tree = cut(OSPF, &[header, "0001 22 01 0a00"], 200);
    let groups = ["ospf.data", "ospf.ls.number_of_lsas", "ospf.packet_length", "ospf.lsa"];
    insta::assert_snapshot!(crate::wire::trial::below(&tree, &groups), @"
    ospf 0..34 | LS Update | router 10.0.0.1, area 0.0.0.0
        2..4 ospf.packet_length = 256
      24..28 ospf.ls.number_of_lsas = 4294967295
        31..32 ospf.lsa = 1 (Router-LSA)
      32..34 ospf.data = 0a00
    ! broken dissect.cut at 32..34 ospf: the capture holds 2 bytes too few of this frame
    ");
    insta::assert_snapshot!(layers(OSPF, &["02 04 0000 0a000001 00000000 1234 0000 0000000000000000 00000001"]), @"
    ospf 0..28 | LS Update | router 10.0.0.1, area 0.0.0.0
      0..24 ospf.header
        0..1 ospf.version = 2
        1..2 ospf.msg = 4 (LS Update)
        2..4 ospf.packet_length = 0
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
        14..16 ospf.auth.type = 0 (Null)
        16..24 ospf.auth.none = 0000000000000000
      24..28 ospf.data = 00000001
    ! broken dissect.short at 24..28 ospf: 4 more bytes needed, 4 left
    ");
    insta::assert_snapshot!(layers(OSPF, &["04 01 0010 0a000001 00000000 1234"]), @"
    ospf 0..14 | Hello Packet | router 10.0.0.1, area 0.0.0.0
      0..14 ospf.header
        0..1 ospf.version = 4
        1..2 ospf.msg = 1 (Hello Packet)
        2..4 ospf.packet_length = 16
        4..8 ospf.srcrouter = 10.0.0.1
        8..12 ospf.area_id = 0.0.0.0
        12..14 ospf.checksum = 0x1234
    ");
}
