//! VRRP, the Virtual Router Redundancy Protocol. Versions 2 (RFC 3768) and 3 (RFC 5798).
//!
//! ```text
//! version:4 type:4 | virtual router:1 | priority:1 | addresses:1 | by version | checksum:2 | address …
//!   2   authentication type:1 | interval:1, seconds           authentication:8 behind the addresses, if there is any
//!   3   reserved:4 interval:12, hundredths of a second        addresses of IPv6 in packets over it
//! ```
//! Not covered: verifying the checksum.

use crate::tree::{Names, fields, name_of};
use crate::wire::{Found, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&VRRP, FIELDS).found(FOUND).rest(&DATA);

const FOUND: &[Found] = &[On::IpProtocol(112).datagram(Heuristic::Anything, advertisement)];

fields! {
    VRRP = protocol("vrrp", "VRRP", "Virtual Router Redundancy Protocol");
    TYPEVER = number("vrrp.typever", "VRRP message version and type", "").once();
    VERSION = number("vrrp.version", "VRRP protocol version", "").mask(0xf0).once();
    TYPE = number("vrrp.type", "VRRP packet type", "").mask(0x0f).names(TYPES).once();
    ROUTER = number("vrrp.virt_rtr_id", "Virtual Rtr ID", "").once();
    PRIORITY = number("vrrp.prio", "Priority", "").names(PRIORITIES).once();
    COUNT = number("vrrp.addr_count", "Addr Count", "").once();
    AUTH_TYPE = number("vrrp.auth_type", "Auth Type", "").names(AUTH_TYPES).once();
    INTERVAL = number("vrrp.adver_int", "Adver Int", "Seconds").once();
    RESERVED = number("vrrp.reserved_mbz", "Reserved", "").mask(0xf000).once();
    SHORT_INTERVAL = number("vrrp.short_adver_int", "Adver Int", "Hundredths of a second").mask(0x0fff).once();
    CHECKSUM = number("vrrp.checksum", "Checksum", "").hex(4).once();
    ADDRESS = ipv4("vrrp.ip_addr", "IP Address", "");
    ADDRESS_6 = ipv6("vrrp.ipv6_addr", "IPv6 Address", "");
    AUTH_STRING = text("vrrp.auth_string", "Authentication String", "").secret().once();
    AUTH_DATA = bytes("vrrp.md5_auth_data", "MD5 Authentication Data", "").once();
    DATA = bytes("vrrp.data", "Data", "Undissected bytes");
}

const TYPES: Names = &[(1, "Advertisement")];
const PRIORITIES: Names = &[(0, "master stops"), (100, "default"), (255, "owner of the addresses")];
const AUTH_TYPES: Names = &[(0, "none"), (1, "simple text"), (2, "IP authentication header"), (254, "MD5")];

/// An advertisement. Version 3 does not state the address family, but the addresses fill the packet.
fn advertisement(wire: &mut Wire<'_>) -> Result {
    const SIMPLE: u8 = 1;
    const MD5: u8 = 254;
    const IPV6: usize = 16;
    let first = wire.flags(&TYPEVER, 1, &[&VERSION, &TYPE])?;
    wire.name(name_of(TYPES, TYPE.bits_of(first)).unwrap_or("unknown type"));
    let router = wire.u8(&ROUTER)?;
    let priority = wire.u8(&PRIORITY)?;
    wire.info(format_args!("router {router}, priority {priority}"));
    let count = wire.u8(&COUNT)?;
    let is_second = VERSION.bits_of(first) == 2;
    let auth = if is_second {
        let auth = wire.u8(&AUTH_TYPE)?;
        wire.u8(&INTERVAL)?;
        auth
    } else {
        wire.bits(2, &[&RESERVED, &SHORT_INTERVAL])?;
        0
    };
    wire.u16_be(&CHECKSUM)?;
    let is_ipv6 = !is_second && count > 0 && wire.remaining() >= IPV6 * usize::from(count);
    for _ in 0..count {
        if is_ipv6 {
            wire.bytes(&ADDRESS_6, IPV6)?;
        } else {
            wire.bytes(&ADDRESS, 4)?;
        }
    }
    match auth {
        SIMPLE => wire.secret_padded(&AUTH_STRING, 8)?,
        MD5 => drop(wire.bytes(&AUTH_DATA, 16)?),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    const VRRP: Next = Next::IpProtocol(112);

    #[test]
    fn advertisements_of_both_versions_are_read() {
        insta::assert_snapshot!(layers(VRRP, &["21 07 64 01 01 01 baac c0000201 7365637265740000"]), @"
        vrrp 0..20 | Advertisement | router 7, priority 100
          0..1 vrrp.typever = 33
            0..1 vrrp.version = 2
            0..1 vrrp.type = 1 (Advertisement)
          1..2 vrrp.virt_rtr_id = 7
          2..3 vrrp.prio = 100 (default)
          3..4 vrrp.addr_count = 1
          4..5 vrrp.auth_type = 1 (simple text)
          5..6 vrrp.adver_int = 1
          6..8 vrrp.checksum = 0xbaac
          8..12 vrrp.ip_addr = 192.0.2.1
          12..20 vrrp.auth_string = ***
        ");
        insta::assert_snapshot!(layers(VRRP, &["31 07 c8 02 0064 1234 c0000201 c0000202"]), @"
        vrrp 0..16 | Advertisement | router 7, priority 200
          0..1 vrrp.typever = 49
            0..1 vrrp.version = 3
            0..1 vrrp.type = 1 (Advertisement)
          1..2 vrrp.virt_rtr_id = 7
          2..3 vrrp.prio = 200
          3..4 vrrp.addr_count = 2
          4..6 vrrp.reserved_mbz = 0
          4..6 vrrp.short_adver_int = 100
          6..8 vrrp.checksum = 0x1234
          8..12 vrrp.ip_addr = 192.0.2.1
          12..16 vrrp.ip_addr = 192.0.2.2
        ");
        let addresses = "fe800000000000000000000000000001 20010db8000000000000000000000001";
        insta::assert_snapshot!(layers(VRRP, &["31 07 c8 02 0064 1234", addresses]), @"
        vrrp 0..40 | Advertisement | router 7, priority 200
          0..1 vrrp.typever = 49
            0..1 vrrp.version = 3
            0..1 vrrp.type = 1 (Advertisement)
          1..2 vrrp.virt_rtr_id = 7
          2..3 vrrp.prio = 200
          3..4 vrrp.addr_count = 2
          4..6 vrrp.reserved_mbz = 0
          4..6 vrrp.short_adver_int = 100
          6..8 vrrp.checksum = 0x1234
          8..24 vrrp.ipv6_addr = fe80::1
          24..40 vrrp.ipv6_addr = 2001:db8::1
        ");
    }

    #[test]
    fn an_advertisement_that_is_cut_is_noted() {
        insta::assert_snapshot!(cut(VRRP, &["21 07 64 ff 00 01 baac c0000201 c000"], 40), @"
        vrrp 0..14 | Advertisement | router 7, priority 100
          0..1 vrrp.typever = 33
            0..1 vrrp.version = 2
            0..1 vrrp.type = 1 (Advertisement)
          1..2 vrrp.virt_rtr_id = 7
          2..3 vrrp.prio = 100 (default)
          3..4 vrrp.addr_count = 255
          4..5 vrrp.auth_type = 0 (none)
          5..6 vrrp.adver_int = 1
          6..8 vrrp.checksum = 0xbaac
          8..12 vrrp.ip_addr = 192.0.2.1
          12..14 vrrp.data = c000
        ! broken dissect.cut at 12..14 vrrp: the capture holds 2 bytes too few of this frame
        ");
    }
}
