//! Bodies of link state advertisements of version 3 (RFC 5340).
//!
//! ```text
//! prefix         length:1 | options:1 | by LSA:2 | address, in units of four bytes
//! router         flags:1 | options:3 | (type:1 | reserved:1 | metric:2 | interface:4 | neighbour's interface:4 | neighbour:4) …
//! network        reserved:1 | options:3 | attached router:4 …
//! inter-area     prefix: reserved:1 | metric:3 | prefix        router: reserved:1 | options:3 | reserved:1 | metric:3 | router:4
//! external       flags:1 | metric:3 | prefix, with a referenced type | [address:16] | [tag:4] | [referenced ID:4]
//! link           priority:1 | options:3 | address:16 | prefixes:4 | prefix …
//! intra-area     prefixes:2 | referenced type:2 | referenced ID:4 | referenced router:4 | prefix, with a metric …
//! ```

use super::fields::*;
use super::{Version, options};
use crate::tree::Field;
use crate::wire::{Result, Wire};
use std::net::Ipv6Addr;

const ROUTER: u16 = 0x2001;
const NETWORK: u16 = 0x2002;
const INTER_AREA_PREFIX: u16 = 0x2003;
const INTER_AREA_ROUTER: u16 = 0x2004;
const AS_EXTERNAL: u16 = 0x4005;
const NSSA: u16 = 0x2007;
const LINK_LSA: u16 = 0x0008;
const INTRA_AREA_PREFIX: u16 = 0x2009;

/// The body of an LSA of this type.
pub(super) fn body(wire: &mut Wire<'_>, kind: u16) -> Result {
    match kind {
        ROUTER => router(wire),
        NETWORK => {
            wire.bytes(&RESERVED, 1)?;
            options(wire, Version::Three)?;
            wire.each(|wire| wire.bytes(&ATTACHED_3, 4))
        }
        INTER_AREA_PREFIX => {
            wire.bytes(&RESERVED, 1)?;
            wire.u24_be(&METRIC)?;
            prefix(wire, |wire| wire.bytes(&RESERVED, 2).map(drop))
        }
        INTER_AREA_ROUTER => {
            wire.bytes(&RESERVED, 1)?;
            options(wire, Version::Three)?;
            wire.bytes(&RESERVED, 1)?;
            wire.u24_be(&METRIC)?;
            wire.bytes(&DESTINATION, 4).map(drop)
        }
        AS_EXTERNAL | NSSA => external(wire),
        LINK_LSA => link(wire),
        INTRA_AREA_PREFIX => intra_area(wire),
        _ => wire.rest_is(&BODY),
    }
}

fn router(wire: &mut Wire<'_>) -> Result {
    wire.flags(&FLAGS_3, 1, &[&FLAG_3_W, &FLAG_3_V, &FLAG_3_E, &FLAG_3_B])?;
    options(wire, Version::Three)?;
    wire.groups(&LINK, |wire| {
        wire.u8(&LINK_TYPE_3)?;
        wire.bytes(&RESERVED, 1)?;
        wire.u16_be(&METRIC)?;
        wire.u32_be(&OWN_INTERFACE)?;
        wire.u32_be(&NEIGHBOUR_INTERFACE)?;
        wire.bytes(&NEIGHBOUR_ROUTER, 4).map(drop)
    })
}

fn external(wire: &mut Wire<'_>) -> Result {
    let flags = wire.flags(&EXTERNAL_FLAGS, 1, &[&EXTERNAL_E, &EXTERNAL_F, &EXTERNAL_T])?;
    wire.u24_be(&METRIC)?;
    let mut referenced = 0;
    prefix(wire, |wire| {
        referenced = wire.u16_be(&REFERENCED_TYPE)?;
        Ok(())
    })?;
    if EXTERNAL_F.bits_of(flags) != 0 {
        wire.bytes(&FORWARDING_3, 16)?;
    }
    if EXTERNAL_T.bits_of(flags) != 0 {
        wire.u32_be(&TAG_3)?;
    }
    if referenced != 0 {
        wire.bytes(&REFERENCED_ID, 4)?;
    }
    Ok(())
}

fn link(wire: &mut Wire<'_>) -> Result {
    wire.u8(&PRIORITY_3)?;
    options(wire, Version::Three)?;
    wire.bytes(&LINK_LOCAL, 16)?;
    wire.u32_be(&PREFIXES)?;
    wire.each(|wire| prefix(wire, |wire| wire.bytes(&RESERVED, 2).map(drop)))
}

fn intra_area(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&PREFIXES)?;
    wire.u16_be(&REFERENCED_TYPE)?;
    wire.bytes(&REFERENCED_ID, 4)?;
    wire.bytes(&REFERENCED_ROUTER, 4)?;
    wire.each(|wire| prefix(wire, |wire| wire.u16_be(&METRIC).map(drop)))
}

/// An address prefix; `middle` reads the two bytes that depend on the LSA.
fn prefix(wire: &mut Wire<'_>, middle: impl FnOnce(&mut Wire<'_>) -> Result) -> Result {
    const OPTIONS: &[&Field] = &[&PREFIX_P, &PREFIX_MC, &PREFIX_LA, &PREFIX_NU];
    wire.group(&PREFIX, |wire| {
        let bits = wire.u8(&PREFIX_LENGTH)?;
        wire.flags(&PREFIX_OPTIONS, 1, OPTIONS)?;
        middle(wire)?;
        address(wire, usize::from(bits).div_ceil(32) * 4)
    })
}

/// An address without its trailing zeros. A default route has no byte of it.
fn address(wire: &mut Wire<'_>, length: usize) -> Result {
    let bytes = wire.ahead().get(..length).unwrap_or_default();
    let mut address = [0; 16];
    match address.get_mut(..length) {
        Some(start) if bytes.len() == length => {
            start.copy_from_slice(bytes);
            wire.put_text(&ADDRESS_PREFIX, wire.at()..wire.at() + length, format_args!("{}", Ipv6Addr::from(address)));
            wire.skip(length)
        }
        _ => wire.bytes(&BODY, length).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::layers;

    /// An LSA of this type in an update.
    fn body(kind: &str, body: &str) -> String {
        let length = body.chars().filter(char::is_ascii_hexdigit).count() / 2 + 20;
        let header = format!("0001 {kind} 00000000 0a000001 80000001 1234 {length:04x}");
        let packet = format!("03 04 {:04x} 0a000001 00000000 0000 00 00 00000001", length + 20);
        let dump = layers(Next::IpProtocol(89), &[&packet, &header, body]);
        assert!(!dump.contains("\n! "), "{dump}");
        dump.lines()
            .skip_while(|line| !line.contains("ospf.lsa.length"))
            .skip(1)
            .fold(String::new(), |all, line| all + line + "\n")
    }

    #[test]
    fn links_and_networks_are_read() {
        let link = "01 000013 fe800000000000000000000000000001 00000001 40 02 0000 fd77000000000000";
        insta::assert_snapshot!(body("0008", link), @r#"
        40..41 ospf.v3.lsa.router_priority = 1
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
        44..60 ospf.v3.lsa.link_local_interface_address.ipv6 = fe80::1
        60..64 ospf.v3.lsa.num_prefixes = 1
        64..76 ospf.prefix
          64..65 ospf.prefix_length = 64
          65..66 ospf.v3.prefix.options = 0x02
            65..66 ospf.v3.prefix.options.p = false
            65..66 ospf.v3.prefix.options.mc = false
            65..66 ospf.v3.prefix.options.la = true
            65..66 ospf.v3.prefix.options.nu = false
          66..68 ospf.reserved = 0000
          68..76 ospf.v3.address_prefix.ipv6 = "fd77::"
        "#);
        insta::assert_snapshot!(body("2001", "03 000013 02 00 000a 00000008 00000006 0a000002"), @"
        40..41 ospf.v3.router.lsa.flags = 0x03
          40..41 ospf.v3.router.lsa.flags.w = false
          40..41 ospf.v3.router.lsa.flags.v = false
          40..41 ospf.v3.router.lsa.flags.e = true
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
        44..60 ospf.link
          44..45 ospf.v3.lsa.type = 2 (transit network)
          45..46 ospf.reserved = 00
          46..48 ospf.metric = 10
          48..52 ospf.v3.lsa.interface_id = 8
          52..56 ospf.v3.lsa.neighbor_interface_id = 6
          56..60 ospf.v3.lsa.neighbor_router_id = 10.0.0.2
        ");
        insta::assert_snapshot!(body("2002", "00 000013 0a000001 0a000002"), @"
        40..41 ospf.reserved = 00
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
        44..48 ospf.v3.lsa.attached_router = 10.0.0.1
        48..52 ospf.v3.lsa.attached_router = 10.0.0.2
        ");
    }

    #[test]
    fn prefixes_of_areas_and_of_other_systems_are_read() {
        insta::assert_snapshot!(body("2003", "00 00000a 30 00 0000 fd9800070000 0000"), @r#"
        40..41 ospf.reserved = 00
        41..44 ospf.metric = 10
        44..56 ospf.prefix
          44..45 ospf.prefix_length = 48
          45..46 ospf.v3.prefix.options = 0x00
            45..46 ospf.v3.prefix.options.p = false
            45..46 ospf.v3.prefix.options.mc = false
            45..46 ospf.v3.prefix.options.la = false
            45..46 ospf.v3.prefix.options.nu = false
          46..48 ospf.reserved = 0000
          48..56 ospf.v3.address_prefix.ipv6 = "fd98:7::"
        "#);
        insta::assert_snapshot!(body("2004", "00 000013 00 00000a 0a000009"), @"
        40..41 ospf.reserved = 00
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
        44..45 ospf.reserved = 00
        45..48 ospf.metric = 10
        48..52 ospf.v3.lsa.destination_router_id = 10.0.0.9
        ");
        insta::assert_snapshot!(body("2009", "0001 2002 00000006 0a000001 20 0a 0005 20010db8"), @r#"
        40..42 ospf.v3.lsa.num_prefixes = 1
        42..44 ospf.v3.lsa.referenced_ls_type = 0x2002 (Network-LSA)
        44..48 ospf.v3.lsa.referenced_link_state_id = 0.0.0.6
        48..52 ospf.v3.lsa.referenced_advertising_router = 10.0.0.1
        52..60 ospf.prefix
          52..53 ospf.prefix_length = 32
          53..54 ospf.v3.prefix.options = 0x0a
            53..54 ospf.v3.prefix.options.p = true
            53..54 ospf.v3.prefix.options.mc = false
            53..54 ospf.v3.prefix.options.la = true
            53..54 ospf.v3.prefix.options.nu = false
          54..56 ospf.metric = 5
          56..60 ospf.v3.address_prefix.ipv6 = "2001:db8::"
        "#);
        let external = "07 00000a 00 00 2001 fe800000000000000000000000000009 0000000b 00000007";
        insta::assert_snapshot!(body("4005", external), @r#"
        40..41 ospf.v3.as.external.flags = 0x07
          40..41 ospf.v3.as.external.flags.e = true
          40..41 ospf.v3.as.external.flags.f = true
          40..41 ospf.v3.as.external.flags.t = true
        41..44 ospf.metric = 10
        44..48 ospf.prefix
          44..45 ospf.prefix_length = 0
          45..46 ospf.v3.prefix.options = 0x00
            45..46 ospf.v3.prefix.options.p = false
            45..46 ospf.v3.prefix.options.mc = false
            45..46 ospf.v3.prefix.options.la = false
            45..46 ospf.v3.prefix.options.nu = false
          46..48 ospf.v3.lsa.referenced_ls_type = 0x2001 (Router-LSA)
          48..48 ospf.v3.address_prefix.ipv6 = "::"
        48..64 ospf.v3.lsa.forwarding_address.ipv6 = fe80::9
        64..68 ospf.v3.lsa.external_route_tag = 11
        68..72 ospf.v3.lsa.referenced_link_state_id = 0.0.0.7
        "#);
    }

    #[test]
    fn a_prefix_that_is_too_long_keeps_its_bytes() {
        insta::assert_snapshot!(body("2003", &format!("00 00000a ff 00 0000 {}", "aa".repeat(32))), @"
        40..41 ospf.reserved = 00
        41..44 ospf.metric = 10
        44..80 ospf.prefix
          44..45 ospf.prefix_length = 255
          45..46 ospf.v3.prefix.options = 0x00
            45..46 ospf.v3.prefix.options.p = false
            45..46 ospf.v3.prefix.options.mc = false
            45..46 ospf.v3.prefix.options.la = false
            45..46 ospf.v3.prefix.options.nu = false
          46..48 ospf.reserved = 0000
          48..80 ospf.lsa.body = 32 bytes
        ");
    }
}
