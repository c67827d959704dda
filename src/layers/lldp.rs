//! LLDP, the Link Layer Discovery Protocol (IEEE 802.1AB).
//!
//! ```text
//! type:7 length:9 | value, over and over; type 0 ends it
//!   1 chassis     subtype:1 | id              5 system name          text
//!   2 port        subtype:1 | id              6 system description   text
//!   3 lifetime    seconds:2                   7 capabilities         has:2 | uses:2
//!   4 port description   text                 8 management address   length:1 | family:1 | address | numbering:1 | interface:4 | length:1 | object
//!   127 organisation   oui:3 | subtype:1 | value
//! ```
//! Not covered: organizationally specific TLVs, except names and VLANs of IEEE 802.1.

use super::{HeaderPayload, layer};
use crate::tree::{Field, Names, fields, title};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&LLDP, FIELDS);

fields! {
    LLDP = protocol("lldp", "LLDP", "Link Layer Discovery Protocol");
    TLV = group("lldp.tlv", "TLV", "").titled(title::kind);
    TYPE = number("lldp.tlv.type", "TLV type", "").mask(0xfe00).names(TYPES).once_per(&TLV);
    LENGTH = number("lldp.tlv.len", "TLV length", "Bytes of the value").mask(0x01ff).once_per(&TLV);
    CHASSIS = number("lldp.chassis.subtype", "Chassis ID subtype", "").names(CHASSIS_IDS);
    CHASSIS_ID = bytes("lldp.chassis.id", "Chassis ID", "");
    CHASSIS_MAC = mac("lldp.chassis.id.mac", "Chassis ID", "");
    CHASSIS_IP4 = ipv4("lldp.chassis.id.ip4", "Chassis ID", "");
    CHASSIS_IP6 = ipv6("lldp.chassis.id.ip6", "Chassis ID", "");
    PORT = number("lldp.port.subtype", "Port ID subtype", "").names(PORT_IDS);
    PORT_ID = text("lldp.port.id", "Port ID", "");
    PORT_MAC = mac("lldp.port.id.mac", "Port ID", "");
    PORT_IP4 = ipv4("lldp.port.id.ip4", "Port ID", "");
    PORT_IP6 = ipv6("lldp.port.id.ip6", "Port ID", "");
    FAMILY = number("lldp.network_address.subtype", "Address family", "1: IPv4, 2: IPv6");
    TTL = number("lldp.time_to_live", "Time to live", "Seconds");
    PORT_DESC = text("lldp.port.desc", "Port description", "");
    SYSTEM_NAME = text("lldp.tlv.system.name", "System name", "").once_per(&TLV);
    SYSTEM_DESC = text("lldp.tlv.system.desc", "System description", "");
    HAS = number("lldp.tlv.system_cap", "Capabilities", "Supported capabilities").hex(4).once_per(&TLV);
    HAS_REPEATER = bool("lldp.tlv.system_cap.repeater", "Repeater", "").mask(0x0002).once_per(&TLV);
    HAS_BRIDGE = bool("lldp.tlv.system_cap.bridge", "Bridge", "").mask(0x0004).once_per(&TLV);
    HAS_WLAN = bool("lldp.tlv.system_cap.wlan_access_pt", "WLAN access point", "").mask(0x0008).once_per(&TLV);
    HAS_ROUTER = bool("lldp.tlv.system_cap.router", "Router", "").mask(0x0010).once_per(&TLV);
    HAS_PHONE = bool("lldp.tlv.system_cap.telephone", "Telephone", "").mask(0x0020).once_per(&TLV);
    HAS_STATION = bool("lldp.tlv.system_cap.station_only", "Station only", "").mask(0x0080).once_per(&TLV);
    USES = number("lldp.tlv.enable_system_cap", "Enabled capabilities", "").hex(4).once_per(&TLV);
    USES_REPEATER = bool("lldp.tlv.enable_system_cap.repeater", "Repeater", "").mask(0x0002).once_per(&TLV);
    USES_BRIDGE = bool("lldp.tlv.enable_system_cap.bridge", "Bridge", "").mask(0x0004).once_per(&TLV);
    USES_WLAN = bool("lldp.tlv.enable_system_cap.wlan_access_pt", "WLAN access point", "").mask(0x0008).once_per(&TLV);
    USES_ROUTER = bool("lldp.tlv.enable_system_cap.router", "Router", "").mask(0x0010).once_per(&TLV);
    USES_PHONE = bool("lldp.tlv.enable_system_cap.telephone", "Telephone", "").mask(0x0020).once_per(&TLV);
    USES_STATION = bool("lldp.tlv.enable_system_cap.station_only", "Station only", "").mask(0x0080).once_per(&TLV);
    MGN_LENGTH = number("lldp.mgn.address.len", "Address string length", "Bytes of subtype and address");
    MGN_FAMILY = number("lldp.mgn.address.subtype", "Address subtype", "1: IPv4, 2: IPv6");
    MGN_IP4 = ipv4("lldp.mgn.addr.ip4", "Management address", "");
    MGN_IP6 = ipv6("lldp.mgn.addr.ip6", "Management address", "");
    MGN_HEX = bytes("lldp.mgn.addr.hex", "Management address", "");
    MGN_NUMBERING = number("lldp.mgn.interface.subtype", "Interface subtype", "Interface numbering");
    MGN_INTERFACE = number("lldp.mgn.interface.number", "Interface number", "");
    MGN_OBJECT_LENGTH = number("lldp.mgn.obj.len", "OID string length", "Bytes");
    MGN_OBJECT = bytes("lldp.mgn.obj", "Object identifier", "Encoded OID in the MIB");
    OUI = number("lldp.orgtlv.oui", "Organization unique code", "OUI").hex(6).names(ORGANISATIONS);
    ORG_SUBTYPE = number("lldp.orgtlv.subtype", "Subtype", "");
    ORG_DATA = bytes("lldp.orgtlv.data", "Data", "");
    PORT_VLAN = number("lldp.ieee.802_1.port_vlan.id", "Port VLAN identifier", "VLAN of untagged frames");
    VLAN = number("lldp.ieee.802_1.vlan.id", "VLAN ID", "");
    VLAN_NAME_LENGTH = number("lldp.ieee.802_1.vlan.name_len", "VLAN name length", "Bytes");
    VLAN_NAME = text("lldp.ieee.802_1.vlan.name", "VLAN name", "");
    VALUE = bytes("lldp.value", "Value", "Undissected bytes");
    NO_END = odd("lldp.note.end", "no end", "The End of LLDPDU TLV is missing");
}

const TYPES: Names = &[
    (0, "end"),
    (1, "chassis ID"),
    (2, "port ID"),
    (3, "time to live"),
    (4, "port description"),
    (5, "system name"),
    (6, "system description"),
    (7, "system capabilities"),
    (8, "management address"),
    (127, "organisation"),
];
const CHASSIS_IDS: Names = &[
    (1, "chassis component"),
    (2, "interface alias"),
    (3, "port component"),
    (4, "MAC address"),
    (5, "network address"),
    (6, "interface name"),
    (7, "locally assigned"),
];
const PORT_IDS: Names = &[
    (1, "interface alias"),
    (2, "port component"),
    (3, "MAC address"),
    (4, "network address"),
    (5, "interface name"),
    (6, "agent circuit ID"),
    (7, "locally assigned"),
];
const ORGANISATIONS: Names = &[(0x000ecf, "PROFIBUS"), (0x00120f, "IEEE 802.3"), (0x0012bb, "TIA"), (0x0080c2, "IEEE 802.1")];
const IEEE_802_1: u32 = 0x0080c2;

/// Dissects an LLDPDU, up to its End TLV.
pub(super) fn unit(wire: &mut Wire<'_>, _missing: usize) -> Result<HeaderPayload> {
    while wire.remaining() > 0 {
        if wire.group(&TLV, element)? == 0 {
            // Padding of the frame follows.
            return Ok(HeaderPayload::nothing(wire.at()));
        }
    }
    wire.note_layer(&NO_END, format_args!("no element ends the list"));
    Ok(HeaderPayload::nothing(wire.at()))
}

/// A TLV. Returns its type.
fn element(wire: &mut Wire<'_>) -> Result<u64> {
    let head = wire.bits(2, &[&TYPE, &LENGTH])?;
    let (kind, length) = (TYPE.bits_of(head), usize::try_from(LENGTH.bits_of(head)).unwrap_or_default());
    wire.within(length, &VALUE, |wire| match kind {
        1 => identity(wire, &CHASSIS, (4, 5), [&CHASSIS_MAC, &CHASSIS_IP4, &CHASSIS_IP6, &CHASSIS_ID]),
        2 => identity(wire, &PORT, (3, 4), [&PORT_MAC, &PORT_IP4, &PORT_IP6, &PORT_ID]),
        3 => wire.u16_be(&TTL).map(drop),
        4 => wire.rest_is(&PORT_DESC),
        5 => {
            let name = String::from_utf8_lossy(wire.ahead());
            wire.info(format_args!("{name}"));
            wire.rest_is(&SYSTEM_NAME)
        }
        6 => wire.rest_is(&SYSTEM_DESC),
        7 => {
            wire.flags(&HAS, 2, &[&HAS_REPEATER, &HAS_BRIDGE, &HAS_WLAN, &HAS_ROUTER, &HAS_PHONE, &HAS_STATION])?;
            let uses = [&USES_REPEATER, &USES_BRIDGE, &USES_WLAN, &USES_ROUTER, &USES_PHONE, &USES_STATION];
            wire.flags(&USES, 2, &uses).map(drop)
        }
        8 => management(wire),
        127 => organisation(wire),
        _ => wire.rest_is(&VALUE),
    })?;
    Ok(kind)
}

/// Dissects a chassis or port ID: the subtype, and an ID in its format.
fn identity(wire: &mut Wire<'_>, subtype: &'static Field, (mac, network): (u8, u8), fields: [&'static Field; 4]) -> Result {
    let [as_mac, as_ip4, as_ip6, as_other] = fields;
    let kind = wire.u8(subtype)?;
    let length = wire.remaining();
    if kind == mac && length == 6 {
        return wire.rest_is(as_mac);
    }
    if kind == network && length > 1 {
        let family = wire.u8(&FAMILY)?;
        return wire.rest_is(match (family, length) {
            (1, 5) => as_ip4,
            (2, 17) => as_ip6,
            _ => as_other,
        });
    }
    wire.rest_is(as_other)
}

fn management(wire: &mut Wire<'_>) -> Result {
    let length = usize::from(wire.u8(&MGN_LENGTH)?);
    wire.within(length, &MGN_HEX, |wire| {
        let family = wire.u8(&MGN_FAMILY)?;
        wire.rest_is(match (family, length) {
            (1, 5) => &MGN_IP4,
            (2, 17) => &MGN_IP6,
            _ => &MGN_HEX,
        })
    })?;
    wire.u8(&MGN_NUMBERING)?;
    wire.u32_be(&MGN_INTERFACE)?;
    match wire.u8(&MGN_OBJECT_LENGTH)? {
        0 => Ok(()),
        length => wire.bytes(&MGN_OBJECT, length.into()).map(drop),
    }
}

fn organisation(wire: &mut Wire<'_>) -> Result {
    let oui = wire.u24_be(&OUI)?;
    match (oui, wire.u8(&ORG_SUBTYPE)?) {
        (IEEE_802_1, 1) => wire.u16_be(&PORT_VLAN).map(drop),
        (IEEE_802_1, 3) => {
            wire.u16_be(&VLAN)?;
            let length = wire.u8(&VLAN_NAME_LENGTH)?;
            wire.text(&VLAN_NAME, length.into()).map(drop)
        }
        _ => wire.rest_is(&ORG_DATA),
    }
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn a_switch_introduces_itself() {
        let unit = [
            "0207 04 020000000001 0405 05 67652d31 0602 0078",
            "0803 757031 0a03 737731 0e04 0014 0004",
            "100c 05 01 c0000201 02 00000007 00 fe06 0080c2 01 0064",
            "0000",
        ];
        insta::assert_snapshot!(trial::layers(Next::EtherType(0x88cc), &unit), @r#"
        lldp 0..60 | sw1
          0..9 lldp.tlv
            0..2 lldp.tlv.type = 1 (chassis ID)
            0..2 lldp.tlv.len = 7
            2..3 lldp.chassis.subtype = 4 (MAC address)
            3..9 lldp.chassis.id.mac = 02:00:00:00:00:01
          9..16 lldp.tlv
            9..11 lldp.tlv.type = 2 (port ID)
            9..11 lldp.tlv.len = 5
            11..12 lldp.port.subtype = 5 (interface name)
            12..16 lldp.port.id = "ge-1"
          16..20 lldp.tlv
            16..18 lldp.tlv.type = 3 (time to live)
            16..18 lldp.tlv.len = 2
            18..20 lldp.time_to_live = 120
          20..25 lldp.tlv
            20..22 lldp.tlv.type = 4 (port description)
            20..22 lldp.tlv.len = 3
            22..25 lldp.port.desc = "up1"
          25..30 lldp.tlv
            25..27 lldp.tlv.type = 5 (system name)
            25..27 lldp.tlv.len = 3
            27..30 lldp.tlv.system.name = "sw1"
          30..36 lldp.tlv
            30..32 lldp.tlv.type = 7 (system capabilities)
            30..32 lldp.tlv.len = 4
            32..34 lldp.tlv.system_cap = 0x0014
              32..34 lldp.tlv.system_cap.repeater = false
              32..34 lldp.tlv.system_cap.bridge = true
              32..34 lldp.tlv.system_cap.wlan_access_pt = false
              32..34 lldp.tlv.system_cap.router = true
              32..34 lldp.tlv.system_cap.telephone = false
              32..34 lldp.tlv.system_cap.station_only = false
            34..36 lldp.tlv.enable_system_cap = 0x0004
              34..36 lldp.tlv.enable_system_cap.repeater = false
              34..36 lldp.tlv.enable_system_cap.bridge = true
              34..36 lldp.tlv.enable_system_cap.wlan_access_pt = false
              34..36 lldp.tlv.enable_system_cap.router = false
              34..36 lldp.tlv.enable_system_cap.telephone = false
              34..36 lldp.tlv.enable_system_cap.station_only = false
          36..50 lldp.tlv
            36..38 lldp.tlv.type = 8 (management address)
            36..38 lldp.tlv.len = 12
            38..39 lldp.mgn.address.len = 5
            39..40 lldp.mgn.address.subtype = 1
            40..44 lldp.mgn.addr.ip4 = 192.0.2.1
            44..45 lldp.mgn.interface.subtype = 2
            45..49 lldp.mgn.interface.number = 7
            49..50 lldp.mgn.obj.len = 0
          50..58 lldp.tlv
            50..52 lldp.tlv.type = 127 (organisation)
            50..52 lldp.tlv.len = 6
            52..55 lldp.orgtlv.oui = 0x0080c2 (IEEE 802.1)
            55..56 lldp.orgtlv.subtype = 1
            56..58 lldp.ieee.802_1.port_vlan.id = 100
          58..60 lldp.tlv
            58..60 lldp.tlv.type = 0 (end)
            58..60 lldp.tlv.len = 0
        "#);
    }

    #[test]
    fn a_missing_end_and_a_truncated_element_are_reported() {
        insta::assert_snapshot!(trial::layers(Next::EtherType(0x88cc), &["0602 0078"]), @r#"
        lldp 0..4
          0..4 lldp.tlv
            0..2 lldp.tlv.type = 3 (time to live)
            0..2 lldp.tlv.len = 2
            2..4 lldp.time_to_live = 120
        ! odd lldp.note.end at 4..4 lldp: no element ends the list
        "#);
        insta::assert_snapshot!(trial::layers(Next::EtherType(0x88cc), &["0a09 7377"]), @r#"
        lldp 0..4 | sw
          0..4 lldp.tlv
            0..2 lldp.tlv.type = 5 (system name)
            0..2 lldp.tlv.len = 9
            2..4 lldp.tlv.system.name = "sw"
        ! broken dissect.short at 4..4 lldp: 7 more bytes needed, 0 left
        "#);
    }
}
