//! BGP messages, valid and malformed.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::{Cut, Missing, trial};

/// A message of a type with this body.
fn message(kind: u8, body: &str) -> Vec<u8> {
    let body = trial::bytes(body);
    let length = u16::try_from(HEADER + body.len()).unwrap_or_default();
    [&MARKER_BYTES[..], &length.to_be_bytes(), &[kind], &body].concat()
}

fn open(number: &str) -> Vec<u8> {
    message(
        1,
        &format!("04 {number} 00b4 0a000001 1c 02 06 01 04 0001 00 01 02 06 41 04 00010001 02 06 45 04 0001 01 03 02 02 02 00"),
    )
}

fn talk() -> Vec<(Side, Vec<u8>)> {
    let attributes = "40 01 01 00 40 02 0a 02 02 0000fc00 0000fde9 40 03 04 0a000001 80 04 04 00000064 40 05 04 000000c8 40 06 00 \
        c0 07 08 0000fc00 c0000201 c0 08 08 fde80064 ffffff01 80 09 04 0a000009 80 0a 04 0a00000a \
        c0 10 18 0002 fde8 00000064 4004 fde8 43800000 030c 00000000 0008 c0 20 0c 0000fde8 00000001 00000002 c0 63 02 0102";
    let length = trial::bytes(attributes).len();
    vec![
        (Side::Client, open("fde9")),
        (Side::Server, open("5ba0")),
        (Side::Server, message(4, "")),
        (Side::Client, message(2, &format!("0006 00000007 08 0a {length:04x} {attributes} 00000001 18 c00002"))),
        (
            Side::Server,
            message(
                2,
                "0000 004e 90 0e 002b 0002 01 20 20010db8000000000000000000000001 fe800000000000000000000000000001 00 28 20010db801 \
                80 0f 09 0002 01 28 20010db801 80 0e 10 0001 04 04 ac101405 00 30 493c01 ac1015",
            ),
        ),
        (Side::Client, message(5, "0001 00 01")),
        (Side::Server, message(3, "06 02 04 646f6e65")),
    ]
}

#[test]
fn all_messages_are_dissected() {
    let talk = talk();
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    insta::assert_snapshot!(trial::abridged(&trees_of(&PROTOCOL, &mut Session::default(), &lines)), @r#"
    bgp 0..57 | OPEN Message | AS 65001, identifier 10.0.0.1, hold time 180
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 57
      18..19 bgp.type = 1 (OPEN Message)
      19..20 bgp.open.version = 4
      20..22 bgp.open.myas = 65001
      22..24 bgp.open.holdtime = 180
      24..28 bgp.open.identifier = 10.0.0.1
      28..29 bgp.open.opt.len = 28
      29..57 bgp.open.opt
        29..37 bgp.open.opt.param
          29..30 bgp.open.opt.param.type = 2 (Capability)
          30..31 bgp.open.opt.param.len = 6
          31..37 bgp.cap
            31..32 bgp.cap.type = 1 (Multiprotocol extensions capability)
            32..33 bgp.cap.length = 4
            33..35 bgp.cap.mp.afi = 1 (IPv4)
            35..36 bgp.cap.reserved = 00
            36..37 bgp.cap.mp.safi = 1 (Unicast)
        37..45 bgp.open.opt.param
          37..38 bgp.open.opt.param.type = 2 (Capability)
          38..39 bgp.open.opt.param.len = 6
          39..45 bgp.cap
            39..40 bgp.cap.type = 65 (Support for 4-octet AS number capability)
            40..41 bgp.cap.length = 4
            41..45 bgp.cap.4as = 65537
        45..53 bgp.open.opt.param
          45..46 bgp.open.opt.param.type = 2 (Capability)
          46..47 bgp.open.opt.param.len = 6
          47..53 bgp.cap
            47..48 bgp.cap.type = 69 (Support for Additional Paths)
            48..49 bgp.cap.length = 4
            49..51 bgp.cap.ap.afi = 1 (IPv4)
            51..52 bgp.cap.ap.safi = 1 (Unicast)
            52..53 bgp.cap.ap.sendreceive = 3 (Both)
        53..57 bgp.open.opt.param
          53..54 bgp.open.opt.param.type = 2 (Capability)
          54..55 bgp.open.opt.param.len = 2
          55..57 bgp.cap
            55..56 bgp.cap.type = 2 (Route refresh capability)
            56..57 bgp.cap.length = 0
    bgp 0..57 | OPEN Message | AS 23456, identifier 10.0.0.1, hold time 180
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 57
      18..19 bgp.type = 1 (OPEN Message)
      19..20 bgp.open.version = 4
      20..22 bgp.open.myas = 23456
      22..24 bgp.open.holdtime = 180
      24..28 bgp.open.identifier = 10.0.0.1
      28..29 bgp.open.opt.len = 28
      29..57 bgp.open.opt …
    bgp 0..19 | KEEPALIVE Message
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 19
      18..19 bgp.type = 4 (KEEPALIVE Message)
    bgp 0..161 | UPDATE Message | -10.0.0.0/8, 192.0.2.0/24
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 161
      18..19 bgp.type = 2 (UPDATE Message)
      19..21 bgp.update.withdrawn_routes.length = 6
      21..27 bgp.update.withdrawn_routes
        21..25 bgp.nlri_path_id = 7
        25..26 bgp.prefix_length = 8
        26..27 bgp.withdrawn_prefix = "10.0.0.0"
      27..29 bgp.update.path_attributes.length = 124
      29..153 bgp.update.path_attributes
        29..33 bgp.update.path_attribute
          29..30 bgp.update.path_attribute.flags = 0x40
            29..30 bgp.update.path_attribute.flags.optional = false
            29..30 bgp.update.path_attribute.flags.transitive = true
            29..30 bgp.update.path_attribute.flags.partial = false
            29..30 bgp.update.path_attribute.flags.extended_length = false
            29..30 bgp.update.path_attribute.flags.unused = 0x00
          30..31 bgp.update.path_attribute.type_code = 1 (ORIGIN)
          31..32 bgp.update.path_attribute.length = 1
          32..33 bgp.update.path_attribute.origin = 0 (IGP)
        33..46 bgp.update.path_attribute
          33..34 bgp.update.path_attribute.flags = 0x40
            33..34 bgp.update.path_attribute.flags.optional = false
            33..34 bgp.update.path_attribute.flags.transitive = true
            33..34 bgp.update.path_attribute.flags.partial = false
            33..34 bgp.update.path_attribute.flags.extended_length = false
            33..34 bgp.update.path_attribute.flags.unused = 0x00
          34..35 bgp.update.path_attribute.type_code = 2 (AS_PATH)
          35..36 bgp.update.path_attribute.length = 10
          36..46 bgp.update.path_attribute.as_path_segment
            36..37 bgp.update.path_attribute.as_path_segment.type = 2 (AS_SEQUENCE)
            37..38 bgp.update.path_attribute.as_path_segment.length = 2
            38..42 bgp.update.path_attribute.as_path_segment.as4 = 64512
            42..46 bgp.update.path_attribute.as_path_segment.as4 = 65001
        46..53 bgp.update.path_attribute
          46..47 bgp.update.path_attribute.flags = 0x40
            46..47 bgp.update.path_attribute.flags.optional = false
            46..47 bgp.update.path_attribute.flags.transitive = true
            46..47 bgp.update.path_attribute.flags.partial = false
            46..47 bgp.update.path_attribute.flags.extended_length = false
            46..47 bgp.update.path_attribute.flags.unused = 0x00
          47..48 bgp.update.path_attribute.type_code = 3 (NEXT_HOP)
          48..49 bgp.update.path_attribute.length = 4
          49..53 bgp.update.path_attribute.next_hop = 10.0.0.1
        53..60 bgp.update.path_attribute
          53..54 bgp.update.path_attribute.flags = 0x80
            53..54 bgp.update.path_attribute.flags.optional = true
            53..54 bgp.update.path_attribute.flags.transitive = false
            53..54 bgp.update.path_attribute.flags.partial = false
            53..54 bgp.update.path_attribute.flags.extended_length = false
            53..54 bgp.update.path_attribute.flags.unused = 0x00
          54..55 bgp.update.path_attribute.type_code = 4 (MULTI_EXIT_DISC)
          55..56 bgp.update.path_attribute.length = 4
          56..60 bgp.update.path_attribute.multi_exit_disc = 100
        60..67 bgp.update.path_attribute
          60..61 bgp.update.path_attribute.flags = 0x40
            60..61 bgp.update.path_attribute.flags.optional = false
            60..61 bgp.update.path_attribute.flags.transitive = true
            60..61 bgp.update.path_attribute.flags.partial = false
            60..61 bgp.update.path_attribute.flags.extended_length = false
            60..61 bgp.update.path_attribute.flags.unused = 0x00
          61..62 bgp.update.path_attribute.type_code = 5 (LOCAL_PREF)
          62..63 bgp.update.path_attribute.length = 4
          63..67 bgp.update.path_attribute.local_pref = 200
        67..70 bgp.update.path_attribute
          67..68 bgp.update.path_attribute.flags = 0x40
            67..68 bgp.update.path_attribute.flags.optional = false
            67..68 bgp.update.path_attribute.flags.transitive = true
            67..68 bgp.update.path_attribute.flags.partial = false
            67..68 bgp.update.path_attribute.flags.extended_length = false
            67..68 bgp.update.path_attribute.flags.unused = 0x00
          68..69 bgp.update.path_attribute.type_code = 6 (ATOMIC_AGGREGATE)
          69..70 bgp.update.path_attribute.length = 0
        70..81 bgp.update.path_attribute
          70..71 bgp.update.path_attribute.flags = 0xc0
            70..71 bgp.update.path_attribute.flags.optional = true
            70..71 bgp.update.path_attribute.flags.transitive = true
            70..71 bgp.update.path_attribute.flags.partial = false
            70..71 bgp.update.path_attribute.flags.extended_length = false
            70..71 bgp.update.path_attribute.flags.unused = 0x00
          71..72 bgp.update.path_attribute.type_code = 7 (AGGREGATOR)
          72..73 bgp.update.path_attribute.length = 8
          73..77 bgp.update.path_attribute.aggregator_as = 64512
          77..81 bgp.update.path_attribute.aggregator_origin = 192.0.2.1
        81..92 bgp.update.path_attribute
          81..82 bgp.update.path_attribute.flags = 0xc0
            81..82 bgp.update.path_attribute.flags.optional = true
            81..82 bgp.update.path_attribute.flags.transitive = true
            81..82 bgp.update.path_attribute.flags.partial = false
            81..82 bgp.update.path_attribute.flags.extended_length = false
            81..82 bgp.update.path_attribute.flags.unused = 0x00
          82..83 bgp.update.path_attribute.type_code = 8 (COMMUNITIES)
          83..84 bgp.update.path_attribute.length = 8
          84..92 bgp.update.path_attribute.communities
            84..88 bgp.update.path_attribute.community
              84..86 bgp.update.path_attribute.community_as = 65000
              86..88 bgp.update.path_attribute.community_value = 100
            88..92 bgp.update.path_attribute.community
              88..92 bgp.update.path_attribute.community_wellknown = 0xffffff01 (NO_EXPORT)
        92..99 bgp.update.path_attribute
          92..93 bgp.update.path_attribute.flags = 0x80
            92..93 bgp.update.path_attribute.flags.optional = true
            92..93 bgp.update.path_attribute.flags.transitive = false
            92..93 bgp.update.path_attribute.flags.partial = false
            92..93 bgp.update.path_attribute.flags.extended_length = false
            92..93 bgp.update.path_attribute.flags.unused = 0x00
          93..94 bgp.update.path_attribute.type_code = 9 (ORIGINATOR_ID)
          94..95 bgp.update.path_attribute.length = 4
          95..99 bgp.update.path_attribute.originator_id = 10.0.0.9
        99..106 bgp.update.path_attribute
          99..100 bgp.update.path_attribute.flags = 0x80
            99..100 bgp.update.path_attribute.flags.optional = true
            99..100 bgp.update.path_attribute.flags.transitive = false
            99..100 bgp.update.path_attribute.flags.partial = false
            99..100 bgp.update.path_attribute.flags.extended_length = false
            99..100 bgp.update.path_attribute.flags.unused = 0x00
          100..101 bgp.update.path_attribute.type_code = 10 (CLUSTER_LIST)
          101..102 bgp.update.path_attribute.length = 4
          102..106 bgp.path_attribute.cluster_list
            102..106 bgp.path_attribute.cluster_id = 10.0.0.10
        106..133 bgp.update.path_attribute
          106..107 bgp.update.path_attribute.flags = 0xc0
            106..107 bgp.update.path_attribute.flags.optional = true
            106..107 bgp.update.path_attribute.flags.transitive = true
            106..107 bgp.update.path_attribute.flags.partial = false
            106..107 bgp.update.path_attribute.flags.extended_length = false
            106..107 bgp.update.path_attribute.flags.unused = 0x00
          107..108 bgp.update.path_attribute.type_code = 16 (EXTENDED_COMMUNITIES)
          108..109 bgp.update.path_attribute.length = 24
          109..133 bgp.ext_communities
            109..117 bgp.ext_community
              109..110 bgp.ext_com.type = 0x00 (Transitive 2-Octet AS-Specific)
                109..110 bgp.ext_com.type.auth = false
                109..110 bgp.ext_com.type.tran = false
              110..111 bgp.ext_com.stype_tr_as2 = 0x02 (Route Target)
              111..113 bgp.ext_com.value_as2 = 65000
              113..117 bgp.ext_com.value_an4 = 100
            117..125 bgp.ext_community
              117..118 bgp.ext_com.type = 0x40 (Non-Transitive 2-Octet AS-Specific)
                117..118 bgp.ext_com.type.auth = false
                117..118 bgp.ext_com.type.tran = true
              118..119 bgp.ext_com.stype_ntr_as2 = 0x04
              119..121 bgp.ext_com.value_as2 = 65000
              121..125 bgp.ext_com.value_link_bw = 256
            125..133 bgp.ext_community
              125..126 bgp.ext_com.type = 0x03 (Transitive Opaque)
                125..126 bgp.ext_com.type.auth = false
                125..126 bgp.ext_com.type.tran = false
              126..127 bgp.ext_com.stype_tr_opaque = 0x0c
              127..131 bgp.ext_com.reserved = 00000000
              131..133 bgp.ext_com.tunnel_type = 8 (VXLAN)
        133..148 bgp.update.path_attribute
          133..134 bgp.update.path_attribute.flags = 0xc0
            133..134 bgp.update.path_attribute.flags.optional = true
            133..134 bgp.update.path_attribute.flags.transitive = true
            133..134 bgp.update.path_attribute.flags.partial = false
            133..134 bgp.update.path_attribute.flags.extended_length = false
            133..134 bgp.update.path_attribute.flags.unused = 0x00
          134..135 bgp.update.path_attribute.type_code = 32 (LARGE_COMMUNITY)
          135..136 bgp.update.path_attribute.length = 12
          136..148 bgp.large_communities = "65000:1:2"
          136..140 bgp.large_communities.ga = 65000
          140..144 bgp.large_communities.ldp1 = 1
          144..148 bgp.large_communities.ldp2 = 2
        148..153 bgp.update.path_attribute
          148..149 bgp.update.path_attribute.flags = 0xc0
            148..149 bgp.update.path_attribute.flags.optional = true
            148..149 bgp.update.path_attribute.flags.transitive = true
            148..149 bgp.update.path_attribute.flags.partial = false
            148..149 bgp.update.path_attribute.flags.extended_length = false
            148..149 bgp.update.path_attribute.flags.unused = 0x00
          149..150 bgp.update.path_attribute.type_code = 99
          150..151 bgp.update.path_attribute.length = 2
          151..153 bgp.update.path_attribute.unknown = 0102
      153..161 bgp.update.nlri
        153..157 bgp.nlri_path_id = 1
        157..158 bgp.prefix_length = 24
        158..161 bgp.nlri_prefix = "192.0.2.0"
    bgp 0..101 | UPDATE Message | 2001:db8:100::/40, -2001:db8:100::/40, 172.16.21.0/24
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 101
      18..19 bgp.type = 2 (UPDATE Message)
      19..21 bgp.update.withdrawn_routes.length = 0
      21..23 bgp.update.path_attributes.length = 78
      23..101 bgp.update.path_attributes
        23..70 bgp.update.path_attribute
          23..24 bgp.update.path_attribute.flags = 0x90
            23..24 bgp.update.path_attribute.flags.optional = true
            23..24 bgp.update.path_attribute.flags.transitive = false
            23..24 bgp.update.path_attribute.flags.partial = false
            23..24 bgp.update.path_attribute.flags.extended_length = true
            23..24 bgp.update.path_attribute.flags.unused = 0x00
          24..25 bgp.update.path_attribute.type_code = 14 (MP_REACH_NLRI)
          25..27 bgp.update.path_attribute.length = 43
          27..29 bgp.update.path_attribute.mp_reach_nlri.afi = 2 (IPv6)
          29..30 bgp.update.path_attribute.mp_reach_nlri.safi = 1 (Unicast)
          30..63 bgp.update.path_attribute.mp_reach_nlri.next_hop = 33 bytes
            30..31 bgp.update.path_attribute.mp_reach_nlri.next_hop_length = 32
            31..47 bgp.update.path_attribute.mp_reach_nlri.next_hop.ipv6 = 2001:db8::1
            47..63 bgp.update.path_attribute.mp_reach_nlri.next_hop.ipv6.link_local = fe80::1
          63..64 bgp.update.path_attribute.mp_reach_nlri.nbr_snpa = 0
          64..70 bgp.update.path_attribute.mp_reach_nlri
            64..65 bgp.prefix_length = 40
            65..70 bgp.mp_reach_nlri_ipv6_prefix = "2001:db8:100::"
        70..82 bgp.update.path_attribute
          70..71 bgp.update.path_attribute.flags = 0x80
            70..71 bgp.update.path_attribute.flags.optional = true
            70..71 bgp.update.path_attribute.flags.transitive = false
            70..71 bgp.update.path_attribute.flags.partial = false
            70..71 bgp.update.path_attribute.flags.extended_length = false
            70..71 bgp.update.path_attribute.flags.unused = 0x00
          71..72 bgp.update.path_attribute.type_code = 15 (MP_UNREACH_NLRI)
          72..73 bgp.update.path_attribute.length = 9
          73..75 bgp.update.path_attribute.mp_unreach_nlri.afi = 2 (IPv6)
          75..76 bgp.update.path_attribute.mp_unreach_nlri.safi = 1 (Unicast)
          76..82 bgp.update.path_attribute.mp_unreach_nlri
            76..77 bgp.prefix_length = 40
            77..82 bgp.mp_unreach_nlri_ipv6_prefix = "2001:db8:100::"
        82..101 bgp.update.path_attribute
          82..83 bgp.update.path_attribute.flags = 0x80
            82..83 bgp.update.path_attribute.flags.optional = true
            82..83 bgp.update.path_attribute.flags.transitive = false
            82..83 bgp.update.path_attribute.flags.partial = false
            82..83 bgp.update.path_attribute.flags.extended_length = false
            82..83 bgp.update.path_attribute.flags.unused = 0x00
          83..84 bgp.update.path_attribute.type_code = 14 (MP_REACH_NLRI)
          84..85 bgp.update.path_attribute.length = 16
          85..87 bgp.update.path_attribute.mp_reach_nlri.afi = 1 (IPv4)
          87..88 bgp.update.path_attribute.mp_reach_nlri.safi = 4 (Labeled Unicast)
          88..93 bgp.update.path_attribute.mp_reach_nlri.next_hop = 04ac101405
            88..89 bgp.update.path_attribute.mp_reach_nlri.next_hop_length = 4
            89..93 bgp.update.path_attribute.mp_reach_nlri.next_hop.ipv4 = 172.16.20.5
          93..94 bgp.update.path_attribute.mp_reach_nlri.nbr_snpa = 0
          94..101 bgp.update.path_attribute.mp_reach_nlri
            94..95 bgp.prefix_length = 48
            95..98 bgp.label_stack = "299968 (bottom)"
            98..101 bgp.mp_reach_nlri_ipv4_prefix = "172.16.21.0"
    bgp 0..23 | ROUTE-REFRESH Message | IPv4 Unicast
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 23
      18..19 bgp.type = 5 (ROUTE-REFRESH Message)
      19..21 bgp.route_refresh.afi = 1 (IPv4)
      21..22 bgp.route_refresh.subtype = 0 (Normal route refresh request)
      22..23 bgp.route_refresh.safi = 1 (Unicast)
    bgp 0..26 | NOTIFICATION Message | Cease: Administratively Shutdown
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 26
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 6 (Cease)
      20..21 bgp.notify.minor_error_cease = 2 (Administratively Shutdown)
      21..22 bgp.notify.communication_length = 4
      22..26 bgp.notify.communication = "done"
    "#);
}

#[test]
fn a_large_community_cut_short_stays_in_its_attribute() {
    // The message holds a prefix behind the attribute, so that a whole community would fit.
    let tree = |length: u8| {
        let attribute = format!("c0 20 {length:02x} {}", "00000001".repeat(4).get(..usize::from(length) * 2).unwrap_or_default());
        let update = message(2, &format!("0000 {:04x} {attribute} 18 c00002 18 c00003 18 c00004", length + 3));
        trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, update.as_slice())])
    };
    assert!(tree(12).contains("26..38 bgp.large_communities = \"1:1:1\""), "{}", tree(12));
    insta::assert_snapshot!(tree(10), @"
    bgp 0..48 | UPDATE Message
      0..16 bgp.marker = ffffffffffffffffffffffffffffffff
      16..18 bgp.length = 48
      18..19 bgp.type = 2 (UPDATE Message)
      19..21 bgp.update.withdrawn_routes.length = 0
      21..23 bgp.update.path_attributes.length = 13
      23..34 bgp.update.path_attributes
        23..34 bgp.update.path_attribute
          23..24 bgp.update.path_attribute.flags = 0xc0
            23..24 bgp.update.path_attribute.flags.optional = true
            23..24 bgp.update.path_attribute.flags.transitive = true
            23..24 bgp.update.path_attribute.flags.partial = false
            23..24 bgp.update.path_attribute.flags.extended_length = false
            23..24 bgp.update.path_attribute.flags.unused = 0x00
          24..25 bgp.update.path_attribute.type_code = 32 (LARGE_COMMUNITY)
          25..26 bgp.update.path_attribute.length = 10
          26..30 bgp.large_communities.ga = 1
          30..34 bgp.large_communities.ldp1 = 1
      34..48 bgp.data = 000018c0000218c0000318c00004
    ! broken dissect.short at 34..48 bgp: 2 more bytes needed, 14 left
    ");
    // The rest of a second community.
    let longer = tree(14);
    assert!(longer.matches("bgp.large_communities =").count() == 1 && longer.contains("dissect.short"), "{longer}");
}

#[test]
fn notifications_show_the_data_of_their_error() {
    // RFC 4271, section 6.2: the AS of a bad peer; RFC 9003: the reason of a shutdown.
    let trees = ["0202 fde8", "0202 0001fde8", "0202 01", "0602 03 627965", "0602 00", "0604 02 6e6f", "0606 6162", "0900 99"]
        .map(|body| {
            let tree = trial::message(&PROTOCOL, &mut Session::default(), Side::Client, &message(3, body), Cut::No);
            tree.lines()
                .filter(|line| !line.contains("bgp.marker") && !line.contains("bgp.length"))
                .collect::<Vec<_>>()
                .join("\n")
        });
    insta::assert_snapshot!(trees.join("\n"), @r#"
    bgp 0..23 | NOTIFICATION Message | OPEN Message Error: Bad Peer AS
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 2 (OPEN Message Error)
      20..21 bgp.notify.minor_error_open = 2 (Bad Peer AS)
      21..23 bgp.notify.error_open.bad_peer_as = 65000
    bgp 0..25 | NOTIFICATION Message | OPEN Message Error: Bad Peer AS
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 2 (OPEN Message Error)
      20..21 bgp.notify.minor_error_open = 2 (Bad Peer AS)
      21..25 bgp.notify.error_open.bad_peer_as = 130536
    bgp 0..22 | NOTIFICATION Message | OPEN Message Error: Bad Peer AS
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 2 (OPEN Message Error)
      20..21 bgp.notify.minor_error_open = 2 (Bad Peer AS)
      21..22 bgp.notify.minor_data = 01
    bgp 0..25 | NOTIFICATION Message | Cease: Administratively Shutdown
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 6 (Cease)
      20..21 bgp.notify.minor_error_cease = 2 (Administratively Shutdown)
      21..22 bgp.notify.communication_length = 3
      22..25 bgp.notify.communication = "bye"
    bgp 0..22 | NOTIFICATION Message | Cease: Administratively Shutdown
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 6 (Cease)
      20..21 bgp.notify.minor_error_cease = 2 (Administratively Shutdown)
      21..22 bgp.notify.communication_length = 0
    bgp 0..24 | NOTIFICATION Message | Cease: Administratively Reset
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 6 (Cease)
      20..21 bgp.notify.minor_error_cease = 4 (Administratively Reset)
      21..22 bgp.notify.communication_length = 2
      22..24 bgp.notify.communication = "no"
    bgp 0..23 | NOTIFICATION Message | Cease: Other Configuration Change
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 6 (Cease)
      20..21 bgp.notify.minor_error_cease = 6 (Other Configuration Change)
      21..23 bgp.notify.minor_data = 6162
    bgp 0..22 | NOTIFICATION Message
      18..19 bgp.type = 3 (NOTIFICATION Message)
      19..20 bgp.notify.major_error = 9
      20..21 bgp.notify.minor_error_unknown = 0
      21..22 bgp.notify.minor_data = 99
    "#);
}

#[test]
fn damaged_messages_are_survived() {
    let talk = talk();
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    survives_damage(&PROTOCOL, Session::default, &lines);
}

#[test]
fn the_next_message_is_found_after_a_gap() {
    let mut session = Session::default();
    session.gap(Side::Client, Missing { bytes: 7, in_step: false });
    let bytes = [&b"\x01\xff\xff"[..], &message(4, "")].concat();
    assert_eq!(session.extent(Side::Client, &bytes, true), Extent::Unknown(3));
    assert_eq!(session.extent(Side::Client, &message(4, "")[..18], true), Extent::NeedMore(19));
    assert_eq!(session.extent(Side::Client, &message(4, ""), true), Extent::Message(19));
}

#[test]
fn streams_are_recognized_by_a_header() {
    let keepalive = message(4, "");
    let judge =
        |client: &[u8], from_start, complete| recognize(&Opening { sent: [client, b""], from_start: [from_start; 2], complete });
    assert_eq!(judge(&keepalive, true, false), Verdict::Yes(Side::Server));
    assert_eq!(judge(&keepalive[..5], true, false), Verdict::Unsure);
    let open = |version: &str| message(1, &format!("{version} fde9 00b4 0a000001 00"));
    assert_eq!([4, 3].map(|version| judge(&open(&format!("0{version}")), true, true)), [Verdict::Yes(Side::Server), Verdict::No]);
    assert_eq!(judge(&keepalive[5..], true, true), Verdict::No);
    let late = [&keepalive[5..], &keepalive].concat();
    assert_eq!((judge(&late, false, true), judge(&late, true, true)), (Verdict::Yes(Side::Server), Verdict::No));
}

#[test]
fn the_size_of_as_numbers_shows_in_a_path() {
    let path = |hex: &str| attributes::seems_wide(&trial::bytes(hex));
    assert!(path("02 02 0000fc00 00010001") && !path("02 02 fc00 0d1c") && !path("02 05 fc00"));
}
