//! DHCP and BOOTP messages, valid and malformed.

use super::*;
use crate::wire::{Cut, trial};
use proptest::prelude::*;

const DISCOVER: &str = "010106003d1d5eed0000800000000000000000000000000000000000020000000009000000000000000000000000000000000000 \
    00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
    00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
    00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
    00000000000000000000000000000000000000000000000000000000638253633501013d07010200000000090c05636f75636837 \
    060103060f7779511205000005636f756368076578616d706c6500ff0000000000";
const ACK: &str = "020106003d1d5eed0000000000000000c0000209c00002010000000002000000000900000000000000000000626f6f742e657861 \
    6d706c65000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
    00000000420c746674702e6578616d706c65ff000000000000000000000000000000000000000000000000000000000000000000 \
    00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
    00000000000000000000000000000000000000000000000000000000638253633501053604c0000201330400000e100104ffffff \
    000304c00002010608c0000235c00002360f0b6578616d706c652e636f6d7713036c616e076578616d706c6500036c6162c00479 \
    0d18c63364c000020200c000020134010152040102000700001a0205dcff";

fn read(bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, message)
}

#[test]
fn a_discover_message_is_dissected() {
    insta::assert_snapshot!(read(&trial::bytes(DISCOVER)), @r#"
    dhcp 0..293 | discover | transaction 0x3d1d5eed
      0..1 dhcp.type = 1 (request)
      1..2 dhcp.hw.type = 0x01
      2..3 dhcp.hw.len = 6
      3..4 dhcp.hops = 0
      4..8 dhcp.id = 0x3d1d5eed
      8..10 dhcp.secs = 0
      10..12 dhcp.flags = 0x8000
        10..12 dhcp.flags.bc = true
        10..12 dhcp.flags.reserved = 0x0000
      12..16 dhcp.ip.client = 0.0.0.0
      16..20 dhcp.ip.your = 0.0.0.0
      20..24 dhcp.ip.server = 0.0.0.0
      24..28 dhcp.ip.relay = 0.0.0.0
      28..34 dhcp.hw.mac_addr = 02:00:00:00:00:09
      34..44 dhcp.hw.addr_padding = 00000000000000000000
      44..108 dhcp.server = ""
      108..236 dhcp.file = ""
      236..240 dhcp.cookie = 99.130.83.99
      240..243 dhcp.option
        240..241 dhcp.option.type = 53 (message type)
        241..242 dhcp.option.length = 1
        242..243 dhcp.option.dhcp = 1 (discover)
      243..252 dhcp.option
        243..244 dhcp.option.type = 61 (client identifier)
        244..245 dhcp.option.length = 7
        245..246 dhcp.client_id.type = 1
        246..252 dhcp.hw.mac_addr = 02:00:00:00:00:09
      252..259 dhcp.option
        252..253 dhcp.option.type = 12 (host name)
        253..254 dhcp.option.length = 5
        254..259 dhcp.option.hostname = "couch"
      259..267 dhcp.option
        259..260 dhcp.option.type = 55 (parameter request list)
        260..261 dhcp.option.length = 6
        261..262 dhcp.option.request_list_item = 1 (subnet mask)
        262..263 dhcp.option.request_list_item = 3 (router)
        263..264 dhcp.option.request_list_item = 6 (domain name server)
        264..265 dhcp.option.request_list_item = 15 (domain name)
        265..266 dhcp.option.request_list_item = 119 (domain search list)
        266..267 dhcp.option.request_list_item = 121 (classless static routes)
      267..287 dhcp.option
        267..268 dhcp.option.type = 81 (client FQDN)
        268..269 dhcp.option.length = 18
        269..270 dhcp.fqdn.flags = 0x05
          269..270 dhcp.fqdn.n = false
          269..270 dhcp.fqdn.e = true
          269..270 dhcp.fqdn.o = false
          269..270 dhcp.fqdn.s = true
        270..271 dhcp.fqdn.rcode1 = 0
        271..272 dhcp.fqdn.rcode2 = 0
        272..287 dhcp.fqdn.name = "couch.example"
      287..288 dhcp.option
        287..288 dhcp.option.type = 255 (end)
        287..288 dhcp.option.end = 255
      288..293 dhcp.option.padding = 0000000000
    "#);
}

#[test]
fn an_overloaded_file_field_holds_options() {
    insta::assert_snapshot!(read(&trial::bytes(ACK)), @r#"
    dhcp 0..342 | ACK | 192.0.2.9, transaction 0x3d1d5eed
      0..1 dhcp.type = 2 (reply)
      1..2 dhcp.hw.type = 0x01
      2..3 dhcp.hw.len = 6
      3..4 dhcp.hops = 0
      4..8 dhcp.id = 0x3d1d5eed
      8..10 dhcp.secs = 0
      10..12 dhcp.flags = 0x0000
        10..12 dhcp.flags.bc = false
        10..12 dhcp.flags.reserved = 0x0000
      12..16 dhcp.ip.client = 0.0.0.0
      16..20 dhcp.ip.your = 192.0.2.9
      20..24 dhcp.ip.server = 192.0.2.1
      24..28 dhcp.ip.relay = 0.0.0.0
      28..34 dhcp.hw.mac_addr = 02:00:00:00:00:09
      34..44 dhcp.hw.addr_padding = 00000000000000000000
      44..108 dhcp.server = "boot.example"
      108..122 dhcp.option
        108..109 dhcp.option.type = 66 (TFTP server name)
        109..110 dhcp.option.length = 12
        110..122 dhcp.option.tftp_server_name = "tftp.example"
      122..123 dhcp.option
        122..123 dhcp.option.type = 255 (end)
        122..123 dhcp.option.end = 255
      123..236 dhcp.option.padding = 113 bytes
      236..240 dhcp.cookie = 99.130.83.99
      240..243 dhcp.option
        240..241 dhcp.option.type = 53 (message type)
        241..242 dhcp.option.length = 1
        242..243 dhcp.option.dhcp = 5 (ACK)
      243..249 dhcp.option
        243..244 dhcp.option.type = 54 (server identifier)
        244..245 dhcp.option.length = 4
        245..249 dhcp.option.dhcp_server_id = 192.0.2.1
      249..255 dhcp.option
        249..250 dhcp.option.type = 51 (lease time)
        250..251 dhcp.option.length = 4
        251..255 dhcp.option.ip_address_lease_time = 3600
      255..261 dhcp.option
        255..256 dhcp.option.type = 1 (subnet mask)
        256..257 dhcp.option.length = 4
        257..261 dhcp.option.subnet_mask = 255.255.255.0
      261..267 dhcp.option
        261..262 dhcp.option.type = 3 (router)
        262..263 dhcp.option.length = 4
        263..267 dhcp.option.router = 192.0.2.1
      267..277 dhcp.option
        267..268 dhcp.option.type = 6 (domain name server)
        268..269 dhcp.option.length = 8
        269..273 dhcp.option.domain_name_server = 192.0.2.53
        273..277 dhcp.option.domain_name_server = 192.0.2.54
      277..290 dhcp.option
        277..278 dhcp.option.type = 15 (domain name)
        278..279 dhcp.option.length = 11
        279..290 dhcp.option.domain_name = "example.com"
      290..311 dhcp.option
        290..291 dhcp.option.type = 119 (domain search list)
        291..292 dhcp.option.length = 19
        292..305 dhcp.option.dhcp_dns_domain_search_list_fqdn = "lan.example"
        305..311 dhcp.option.dhcp_dns_domain_search_list_fqdn = "lab.example"
      311..326 dhcp.option
        311..312 dhcp.option.type = 121 (classless static routes)
        312..313 dhcp.option.length = 13
        313..321 dhcp.option.classless_static_route = "198.51.100.0/24-192.0.2.2"
        321..326 dhcp.option.classless_static_route = "0.0.0.0/0-192.0.2.1"
      326..329 dhcp.option
        326..327 dhcp.option.type = 52 (option overload)
        327..328 dhcp.option.length = 1
        328..329 dhcp.option.option_overload = 1
      329..335 dhcp.option
        329..330 dhcp.option.type = 82 (relay agent information)
        330..331 dhcp.option.length = 4
        331..335 dhcp.option.suboption
          331..332 dhcp.option.suboption.type = 1
          332..333 dhcp.option.suboption_length = 2
          333..335 dhcp.option.suboption.value = 0007
      335..337 dhcp.option
        335..336 dhcp.option.type = 0 (pad)
        335..337 dhcp.option.padding = 0000
      337..341 dhcp.option
        337..338 dhcp.option.type = 26 (interface MTU)
        338..339 dhcp.option.length = 2
        339..341 dhcp.option.interface_mtu = 1500
      341..342 dhcp.option
        341..342 dhcp.option.type = 255 (end)
        341..342 dhcp.option.end = 255
    "#);
}

#[test]
fn without_a_magic_cookie_the_rest_is_the_vendor_area() {
    let mut bytes = trial::bytes(DISCOVER);
    bytes.truncate(HEADER);
    bytes.extend([0; 64]);
    let dump = read(&bytes);
    assert!(dump.contains("236..300 dhcp.vendor = 64 bytes"), "{dump}");
    assert!(recognize(&bytes) && !has_cookie(&bytes));
}

#[test]
fn an_option_beyond_the_message_is_noted() {
    let mut bytes = trial::bytes(DISCOVER);
    bytes.truncate(240);
    bytes.extend([12, 9, b'a', b'b']);
    let dump = read(&bytes);
    assert!(dump.contains("dhcp.option.hostname = \"ab\"") && dump.contains("! broken dissect.short"), "{dump}");
}

proptest! {
    #[test]
    fn damaged_messages_are_dissected_without_panic(place in 236_usize..342, byte in any::<u8>(), cut in 0_usize..343) {
        let mut bytes = trial::bytes(ACK);
        bytes[place] = byte;
        bytes.truncate(cut);
        prop_assert!(read(&bytes).starts_with("dhcp 0.."));
    }
}
