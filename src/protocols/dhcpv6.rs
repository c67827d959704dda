//! DHCPv6 (RFC 8415): configuration of hosts with IPv6 addresses.
//!
//! ```text
//! message  type:1 | transaction ID:3 | option …
//! relay    type:1 (12 or 13) | hop count:1 | link-address:16 | peer-address:16 | option …; one of them holds the relayed message
//! option   code:2 | length:2 | value, which may hold options
//! ```

use super::dns::names;
use crate::tree::{Field, Names, Timestamp, Value, fields, name_of, title};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};
use std::fmt;

pub static PROTOCOL: Protocol = Protocol::new(&DHCPV6, FIELDS)
    .found(&[
        On::Udp(546).datagram(Heuristic::Datagram(recognize), |wire| message(wire, true)),
        On::Udp(547).datagram(Heuristic::Datagram(recognize), |wire| message(wire, true)),
        On::Udp(546).datagram(Heuristic::Datagram(is_likely), |wire| message(wire, true)).by_port(),
        On::Udp(547).datagram(Heuristic::Datagram(is_likely), |wire| message(wire, true)).by_port(),
    ])
    .rest(&DATA);

fields! {
    DHCPV6 = protocol("dhcpv6", "DHCPv6", "Dynamic Host Configuration Protocol for IPv6")
        .covers("Messages and relayed messages; options, including nested ones");
    TYPE = number("dhcpv6.msgtype", "Message type", "").names(TYPES);
    XID = number("dhcpv6.xid", "Transaction ID", "Copied into the response").hex(6);
    HOPS = number("dhcpv6.hopcount", "Hop count", "Relay agents that forwarded the message");
    LINK = ipv6("dhcpv6.linkaddr", "Link address", "Identifies the link of the client");
    PEER = ipv6("dhcpv6.peeraddr", "Peer address", "Client or relay agent that sent or receives the message");
    OPTION = group("dhcpv6.option", "option", "RFC 8415").titled(title::kind);
    OPT_TYPE = number("dhcpv6.option.type", "Option", "").names(OPTIONS).once_per(&OPTION);
    OPT_LENGTH = number("dhcpv6.option.length", "Length", "In bytes").once_per(&OPTION);
    OPT_VALUE = bytes("dhcpv6.option.value", "Value", "Value without a specific field");
    RELAYED = group("dhcpv6.relayed", "relayed message", "Message inside a relay message option");
    DUID = bytes("dhcpv6.duid.bytes", "DUID", "DHCP unique identifier");
    DUID_TYPE = number("dhcpv6.duid.type", "DUID type", "").names(DUIDS);
    LLT_HWTYPE = number("dhcpv6.duidllt.hwtype", "Hardware type", "As in ARP");
    LLT_TIME = text("dhcpv6.duidllt.time", "DUID time", "When the DUID was generated");
    LLT_ADDR = text("dhcpv6.duidllt.link_layer_addr", "Link-layer address", "");
    EN_NUMBER = number("dhcpv6.duiden.enterprise", "Enterprise ID", "Private enterprise number");
    EN_ID = bytes("dhcpv6.duiden.identifier", "Identifier", "Assigned by the vendor");
    LL_HWTYPE = number("dhcpv6.duidll.hwtype", "Hardware type", "As in ARP");
    LL_ADDR = text("dhcpv6.duidll.link_layer_addr", "Link-layer address", "");
    UUID = bytes("dhcpv6.duiduuid.bytes", "UUID", "RFC 6355");
    IAID = text("dhcpv6.iaid", "IAID", "Identifier of the identity association");
    T1 = number("dhcpv6.iaid.t1", "T1", "Seconds until the client renews at the same server");
    T2 = number("dhcpv6.iaid.t2", "T2", "Seconds until the client rebinds at any server");
    IATA = text("dhcpv6.iata", "IAID", "Identifier of the identity association for temporary addresses");
    ADDR = ipv6("dhcpv6.iaaddr.ip", "IPv6 address", "");
    ADDR_PREFERRED = number("dhcpv6.iaaddr.pref_lifetime", "Preferred lifetime", "In seconds");
    ADDR_VALID = number("dhcpv6.iaaddr.valid_lifetime", "Valid lifetime", "In seconds");
    PREFIX_PREFERRED = number("dhcpv6.iaprefix.pref_lifetime", "Preferred lifetime", "In seconds");
    PREFIX_VALID = number("dhcpv6.iaprefix.valid_lifetime", "Valid lifetime", "In seconds");
    PREFIX_LEN = number("dhcpv6.iaprefix.pref_len", "Prefix length", "In bits");
    PREFIX = ipv6("dhcpv6.iaprefix.pref_addr", "Prefix address", "");
    REQUESTED = number("dhcpv6.requested_option_code", "Requested option", "").names(OPTIONS);
    PREFERENCE = number("dhcpv6.option_preference", "Preference", "The client prefers the server with the highest value");
    ELAPSED = number("dhcpv6.elapsed_time", "Elapsed time", "Hundredths of a second since the exchange began");
    UNICAST = ipv6("dhcpv6.unicast", "IPv6 address", "Address of the server for unicast requests");
    STATUS = number("dhcpv6.status_code", "Status code", "").names(STATUSES);
    STATUS_TEXT = text("dhcpv6.status_msg", "Status message", "");
    INTERFACE = bytes("dhcpv6.interface_id", "Interface ID", "Interface on which the relay agent received the message");
    RECONFIGURE = number("dhcpv6.reconf_msg", "Reconfigure message type", "Message that the client is to send").names(TYPES);
    DNS_SERVER = ipv6("dhcpv6.dns_server", "DNS server address", "");
    SEARCH = text("dhcpv6.search_list_entry", "Domain search name", "");
    SNTP_SERVER = ipv6("dhcpv6.sntp_server", "SNTP server address", "");
    LIFETIME = number("dhcpv6.lifetime", "Information refresh time", "In seconds");
    FQDN_FLAGS = number("dhcpv6.clientfqdn.flags", "Flags", "1 S: server updates, 2 O: server overrode, 4 N: no update; RFC 4704").hex(2);
    FQDN = text("dhcpv6.client_domain", "Client name", "Domain name of the client");
    AFTR = text("dhcpv6.aftr_name", "AFTR name", "DS-Lite tunnel endpoint, RFC 6334");
    USER_LENGTH = number("dhcpv6.userclass.length", "Length", "In bytes");
    USER_DATA = bytes("dhcpv6.userclass.opaque_data", "User class data", "");
    ENTERPRISE = number("dhcpv6.vendorclass.enterprise", "Enterprise ID", "Private enterprise number");
    VENDOR_LENGTH = number("dhcpv6.vendorclass.length", "Length", "In bytes");
    VENDOR_DATA = bytes("dhcpv6.vendorclass.data", "Vendor class data", "");
    PORTAL = text("dhcpv6.captive_portal", "Captive portal", "URI of its API, RFC 8910");
    DATA = bytes("dhcpv6.data", "Data", "Undissected bytes");
}

const TYPES: Names = &[
    (1, "solicit"),
    (2, "advertise"),
    (3, "request"),
    (4, "confirm"),
    (5, "renew"),
    (6, "rebind"),
    (7, "reply"),
    (8, "release"),
    (9, "decline"),
    (10, "reconfigure"),
    (11, "information request"),
    (12, "relay forward"),
    (13, "relay reply"),
    (14, "lease query"),
    (15, "lease query reply"),
    (16, "lease query done"),
    (17, "lease query data"),
];

const OPTIONS: Names = &[
    (1, "client identifier"),
    (2, "server identifier"),
    (3, "addresses"),
    (4, "temporary addresses"),
    (5, "address"),
    (6, "option request"),
    (7, "preference"),
    (8, "elapsed time"),
    (9, "relayed message"),
    (11, "authentication"),
    (12, "server unicast"),
    (13, "status code"),
    (14, "rapid commit"),
    (15, "user class"),
    (16, "vendor class"),
    (17, "vendor information"),
    (18, "interface ID"),
    (19, "reconfigure message"),
    (20, "reconfigure accept"),
    (21, "SIP server names"),
    (22, "SIP server addresses"),
    (23, "DNS servers"),
    (24, "domain search list"),
    (25, "prefixes"),
    (26, "prefix"),
    (31, "SNTP servers"),
    (32, "information refresh time"),
    (37, "remote ID"),
    (39, "client FQDN"),
    (41, "POSIX time zone"),
    (42, "time zone"),
    (56, "NTP server"),
    (59, "boot file URL"),
    (64, "AFTR name"),
    (67, "prefix exclude"),
    (79, "client link-layer address"),
    (82, "SOL_MAX_RT"),
    (83, "INF_MAX_RT"),
    (103, "captive portal"),
];

const DUIDS: Names = &[(1, "link-layer address and time"), (2, "enterprise number"), (3, "link-layer address"), (4, "UUID")];

const STATUSES: Names = &[
    (0, "success"),
    (1, "unspecified failure"),
    (2, "no addresses available"),
    (3, "no binding"),
    (4, "not on the link"),
    (5, "use multicast"),
    (6, "no prefix available"),
];

const RELAY_FORWARD: u8 = 12;
const RELAY_REPLY: u8 = 13;

/// Seconds from 1970 to 2000, the epoch of DUID times.
const YEAR_2000: i64 = 946_684_800;

fn recognize(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && bytes.first().is_some_and(|kind| name_of(TYPES, (*kind).into()).is_some())
}

/// Whether options fill a datagram with another type.
fn is_likely(bytes: &[u8]) -> bool {
    let Some((_, mut options)) = bytes.split_first_chunk::<4>().filter(|(_, options)| !options.is_empty()) else { return false };
    while let Some(&[_, _, high, low]) = options.first_chunk() {
        let length = usize::from(u16::from_be_bytes([high, low]));
        let Some(rest) = options.get(4 + length..) else { return false };
        options = rest;
    }
    options.is_empty()
}

/// Dissects a message; a relayed one is not `outermost`.
fn message(wire: &mut Wire<'_>, outermost: bool) -> Result {
    let kind = wire.u8(&TYPE)?;
    if outermost {
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown message"));
    }
    if matches!(kind, RELAY_FORWARD | RELAY_REPLY) {
        wire.u8(&HOPS)?;
        wire.bytes(&LINK, 16)?;
        wire.bytes(&PEER, 16)?;
    } else {
        let xid = wire.u24_be(&XID)?;
        if outermost {
            wire.info(format_args!("transaction {xid:#08x}"));
        }
    }
    options(wire)
}

fn options(wire: &mut Wire<'_>) -> Result {
    wire.groups(&OPTION, option)
}

fn option(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u16_be(&OPT_TYPE)?;
    let length = usize::from(wire.u16_be(&OPT_LENGTH)?);
    wire.within(length, &OPT_VALUE, |wire| {
        let list = (wire.ahead(), wire.at());
        match kind {
            1 | 2 => duid(wire),
            3 | 25 => association(wire),
            4 => {
                as_hex(wire, &IATA, 4, "")?;
                options(wire)
            }
            5 => address(wire),
            6 => wire.each(|wire| wire.u16_be(&REQUESTED)),
            7 => wire.u8(&PREFERENCE).map(drop),
            8 => wire.u16_be(&ELAPSED).map(drop),
            9 => wire.group(&RELAYED, |wire| message(wire, false)),
            12 => wire.bytes(&UNICAST, 16).map(drop),
            13 => {
                wire.u16_be(&STATUS)?;
                wire.rest_is(&STATUS_TEXT)
            }
            15 => wire.each(|wire| wire.counted(Wire::u16_be, &USER_LENGTH, &USER_DATA)),
            16 => {
                wire.u32_be(&ENTERPRISE)?;
                wire.each(|wire| wire.counted(Wire::u16_be, &VENDOR_LENGTH, &VENDOR_DATA))
            }
            18 => wire.rest_is(&INTERFACE),
            19 => wire.u8(&RECONFIGURE).map(drop),
            23 => wire.each(|wire| wire.bytes(&DNS_SERVER, 16)),
            24 => wire.each(|wire| names::name(wire, list, &SEARCH)),
            26 => prefix(wire),
            31 => wire.each(|wire| wire.bytes(&SNTP_SERVER, 16)),
            32 => wire.u32_be(&LIFETIME).map(drop),
            39 => {
                wire.u8(&FQDN_FLAGS)?;
                // A partial name without the root label is to be completed by the server.
                if wire.ahead().ends_with(&[0]) { names::name(wire, list, &FQDN).map(drop) } else { wire.rest_is(&OPT_VALUE) }
            }
            64 => names::name(wire, list, &AFTR).map(drop),
            103 => wire.rest_is(&PORTAL),
            _ => wire.rest_is(&OPT_VALUE),
        }
    })
}

/// An identity association for addresses or for prefixes.
fn association(wire: &mut Wire<'_>) -> Result {
    as_hex(wire, &IAID, 4, "")?;
    wire.u32_be(&T1)?;
    wire.u32_be(&T2)?;
    options(wire)
}

/// An address of an association.
fn address(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&ADDR, 16)?;
    wire.u32_be(&ADDR_PREFERRED)?;
    wire.u32_be(&ADDR_VALID)?;
    options(wire)
}

/// A prefix of an association.
fn prefix(wire: &mut Wire<'_>) -> Result {
    wire.u32_be(&PREFIX_PREFERRED)?;
    wire.u32_be(&PREFIX_VALID)?;
    wire.u8(&PREFIX_LEN)?;
    wire.bytes(&PREFIX, 16)?;
    options(wire)
}

/// Dissects a DHCP unique identifier.
fn duid(wire: &mut Wire<'_>) -> Result {
    let (start, length) = (wire.at(), wire.remaining());
    let fixed = match wire.ahead() {
        [0, 1, ..] => 8,
        [0, 2, ..] => 6,
        [0, 3, ..] => 4,
        _ => 2,
    };
    // A truncated DUID is dissected as far as it was captured.
    if length >= fixed {
        wire.put(&DUID, Value::Bytes, start..start + length);
    }
    match wire.u16_be(&DUID_TYPE)? {
        1 => {
            wire.u16_be(&LLT_HWTYPE)?;
            let (at, ahead) = (wire.at(), wire.ahead());
            wire.skip(4)?;
            let seconds = YEAR_2000 + i64::from(u32::from_be_bytes(*ahead.first_chunk().unwrap_or(&[0; 4])));
            wire.put_text(&LLT_TIME, at..at + 4, format_args!("{}", Timestamp { seconds, nanos: 0 }));
            as_hex(wire, &LLT_ADDR, wire.remaining(), ":")
        }
        2 => {
            wire.u32_be(&EN_NUMBER)?;
            wire.rest_is(&EN_ID)
        }
        3 => {
            wire.u16_be(&LL_HWTYPE)?;
            as_hex(wire, &LL_ADDR, wire.remaining(), ":")
        }
        4 => wire.rest_is(&UUID),
        _ => wire.rest_is(&OPT_VALUE),
    }
}

/// Shows bytes as hexadecimal text.
fn as_hex(wire: &mut Wire<'_>, field: &'static Field, count: usize, between: &'static str) -> Result {
    let (start, ahead) = (wire.at(), wire.ahead());
    wire.skip(count)?;
    if count > 0 {
        let bytes = ahead.get(..count).unwrap_or_default();
        wire.put_text(field, start..start + count, format_args!("{}", Hex { bytes, between }));
    }
    Ok(())
}

struct Hex<'a> {
    bytes: &'a [u8],
    between: &'static str,
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes.iter().enumerate().try_for_each(|(at, byte)| {
            f.write_str(if at == 0 { "" } else { self.between })?;
            write!(f, "{byte:02x}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const SOLICIT: &str = "0190b45c0008000200000001000a000300010200000000090003000c020304050000000000000000000600040017001800270010 \
        0105636f756368076578616d706c6500000e0000";
    const RELAYED_REPLY: &str = "0d0020010db800000000000000000000000920010db80000000000000000000000080012000467652d31000900ac0790b45c0001 \
        000a000300010200000000090002000e0001000129b92700020000000001000300280203040500000e1000001518000500182001 \
        0db80000000000000000000000090000119400001c2000190029000000010000000000000000001a00190000119400001c203820 \
        010db80000000000000000000000000017001020010db80000000000000000000000530018000d036c616e076578616d706c6500 \
        000d0006000066696e65";

    fn read(hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| message(wire, true))
    }

    #[test]
    fn a_solicit_message_is_dissected() {
        insta::assert_snapshot!(read(SOLICIT), @r#"
        dhcpv6 0..72 | solicit | transaction 0x90b45c
          0..1 dhcpv6.msgtype = 1 (solicit)
          1..4 dhcpv6.xid = 0x90b45c
          4..10 dhcpv6.option
            4..6 dhcpv6.option.type = 8 (elapsed time)
            6..8 dhcpv6.option.length = 2
            8..10 dhcpv6.elapsed_time = 0
          10..24 dhcpv6.option
            10..12 dhcpv6.option.type = 1 (client identifier)
            12..14 dhcpv6.option.length = 10
            14..24 dhcpv6.duid.bytes = 00030001020000000009
            14..16 dhcpv6.duid.type = 3 (link-layer address)
            16..18 dhcpv6.duidll.hwtype = 1
            18..24 dhcpv6.duidll.link_layer_addr = "02:00:00:00:00:09"
          24..40 dhcpv6.option
            24..26 dhcpv6.option.type = 3 (addresses)
            26..28 dhcpv6.option.length = 12
            28..32 dhcpv6.iaid = "02030405"
            32..36 dhcpv6.iaid.t1 = 0
            36..40 dhcpv6.iaid.t2 = 0
          40..48 dhcpv6.option
            40..42 dhcpv6.option.type = 6 (option request)
            42..44 dhcpv6.option.length = 4
            44..46 dhcpv6.requested_option_code = 23 (DNS servers)
            46..48 dhcpv6.requested_option_code = 24 (domain search list)
          48..68 dhcpv6.option
            48..50 dhcpv6.option.type = 39 (client FQDN)
            50..52 dhcpv6.option.length = 16
            52..53 dhcpv6.clientfqdn.flags = 0x01
            53..68 dhcpv6.client_domain = "couch.example"
          68..72 dhcpv6.option
            68..70 dhcpv6.option.type = 14 (rapid commit)
            70..72 dhcpv6.option.length = 0
        "#);
    }

    #[test]
    fn a_relayed_reply_is_dissected() {
        insta::assert_snapshot!(read(RELAYED_REPLY), @r#"
        dhcpv6 0..218 | relay reply
          0..1 dhcpv6.msgtype = 13 (relay reply)
          1..2 dhcpv6.hopcount = 0
          2..18 dhcpv6.linkaddr = 2001:db8::9
          18..34 dhcpv6.peeraddr = 2001:db8::8
          34..42 dhcpv6.option
            34..36 dhcpv6.option.type = 18 (interface ID)
            36..38 dhcpv6.option.length = 4
            38..42 dhcpv6.interface_id = 67652d31
          42..218 dhcpv6.option
            42..44 dhcpv6.option.type = 9 (relayed message)
            44..46 dhcpv6.option.length = 172
            46..218 dhcpv6.relayed
              46..47 dhcpv6.msgtype = 7 (reply)
              47..50 dhcpv6.xid = 0x90b45c
              50..64 dhcpv6.option
                50..52 dhcpv6.option.type = 1 (client identifier)
                52..54 dhcpv6.option.length = 10
                54..64 dhcpv6.duid.bytes = 00030001020000000009
                54..56 dhcpv6.duid.type = 3 (link-layer address)
                56..58 dhcpv6.duidll.hwtype = 1
                58..64 dhcpv6.duidll.link_layer_addr = "02:00:00:00:00:09"
              64..82 dhcpv6.option
                64..66 dhcpv6.option.type = 2 (server identifier)
                66..68 dhcpv6.option.length = 14
                68..82 dhcpv6.duid.bytes = 0001000129b92700020000000001
                68..70 dhcpv6.duid.type = 1 (link-layer address and time)
                70..72 dhcpv6.duidllt.hwtype = 1
                72..76 dhcpv6.duidllt.time = "Mar  7, 2022 20:26:40.000000000 UTC"
                76..82 dhcpv6.duidllt.link_layer_addr = "02:00:00:00:00:01"
              82..126 dhcpv6.option
                82..84 dhcpv6.option.type = 3 (addresses)
                84..86 dhcpv6.option.length = 40
                86..90 dhcpv6.iaid = "02030405"
                90..94 dhcpv6.iaid.t1 = 3600
                94..98 dhcpv6.iaid.t2 = 5400
                98..126 dhcpv6.option
                  98..100 dhcpv6.option.type = 5 (address)
                  100..102 dhcpv6.option.length = 24
                  102..118 dhcpv6.iaaddr.ip = 2001:db8::9
                  118..122 dhcpv6.iaaddr.pref_lifetime = 4500
                  122..126 dhcpv6.iaaddr.valid_lifetime = 7200
              126..171 dhcpv6.option
                126..128 dhcpv6.option.type = 25 (prefixes)
                128..130 dhcpv6.option.length = 41
                130..134 dhcpv6.iaid = "00000001"
                134..138 dhcpv6.iaid.t1 = 0
                138..142 dhcpv6.iaid.t2 = 0
                142..171 dhcpv6.option
                  142..144 dhcpv6.option.type = 26 (prefix)
                  144..146 dhcpv6.option.length = 25
                  146..150 dhcpv6.iaprefix.pref_lifetime = 4500
                  150..154 dhcpv6.iaprefix.valid_lifetime = 7200
                  154..155 dhcpv6.iaprefix.pref_len = 56
                  155..171 dhcpv6.iaprefix.pref_addr = 2001:db8::
              171..191 dhcpv6.option
                171..173 dhcpv6.option.type = 23 (DNS servers)
                173..175 dhcpv6.option.length = 16
                175..191 dhcpv6.dns_server = 2001:db8::53
              191..208 dhcpv6.option
                191..193 dhcpv6.option.type = 24 (domain search list)
                193..195 dhcpv6.option.length = 13
                195..208 dhcpv6.search_list_entry = "lan.example"
              208..218 dhcpv6.option
                208..210 dhcpv6.option.type = 13 (status code)
                210..212 dhcpv6.option.length = 6
                212..214 dhcpv6.status_code = 0 (success)
                214..218 dhcpv6.status_msg = "fine"
        "#);
    }

    #[test]
    fn the_nesting_of_relay_messages_is_limited() {
        let mut bytes = trial::bytes("0b 90b45c");
        for _ in 0..100 {
            let length = u16::try_from(bytes.len()).unwrap().to_be_bytes();
            bytes = [&[12, 0][..], &[0; 32], &[0, 9], &length, &bytes].concat();
        }
        let dump = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| message(wire, true));
        assert!(dump.contains("! broken dissect.deep"));
    }

    #[test]
    fn a_duid_without_an_address_has_no_address_field() {
        // Client identifier: type 3, hardware type 1, and nothing else.
        insta::assert_snapshot!(read("0190b45c 0001 0004 0003 0001"), @"
        dhcpv6 0..12 | solicit | transaction 0x90b45c
          0..1 dhcpv6.msgtype = 1 (solicit)
          1..4 dhcpv6.xid = 0x90b45c
          4..12 dhcpv6.option
            4..6 dhcpv6.option.type = 1 (client identifier)
            6..8 dhcpv6.option.length = 4
            8..12 dhcpv6.duid.bytes = 00030001
            8..10 dhcpv6.duid.type = 3 (link-layer address)
            10..12 dhcpv6.duidll.hwtype = 1
        ");
    }

    #[test]
    fn a_truncated_duid_stays_inside_its_option() {
        // RFC 8415, section 11.4: type 3 has a hardware type of two octets, of which one is there.
        let dump = trial::read(&PROTOCOL, &trial::bytes("02504950 0002 0003 000300"), Cut::No, |wire| message(wire, true));
        let ends = dump.lines().filter_map(|line| line.trim().split_once("..")).filter(|(_, rest)| !rest.contains("option"));
        let option = dump.lines().find(|line| line.ends_with("dhcpv6.option")).unwrap().trim();
        let end: usize = option.split_once("..").unwrap().1.split(' ').next().unwrap().parse().unwrap();
        let inside = ends.filter(|(start, _)| (4..end).contains(&start.parse().unwrap_or(0)));
        assert!(inside.clone().count() > 0, "{dump}");
        for (_, rest) in inside {
            assert!(rest.split(' ').next().unwrap().parse::<usize>().unwrap() <= end, "{dump}");
        }
    }
}
