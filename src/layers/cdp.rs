//! CDP, the Cisco Discovery Protocol.
//!
//! ```text
//! version:1 | TTL:1 | checksum:2 | element …
//! element    type:2 | length:2, with these four bytes | value
//!   1 device ID    text              9 VTP domain           text
//!   2 addresses    list              10 native VLAN         number:2
//!   3 port ID      text              11 duplex              1 full:1
//!   4 capabilities bits:4            17 MTU                 number:4
//!   5 software     text              18, 19 trust, COS      number:1
//!   6 platform     text              20 system name         text
//!   7 prefixes     gateway:4, or address:4 | length:1, over and over
//!   14 voice VLAN   1 | number:2      16 power         number:2
//!   22 management addresses  list
//! list       count:4 | address …
//! address    protocol type:1 | length:1 | protocol | length:2 | address
//! ```
//! Not covered: cluster, power over Ethernet and EnergyWise elements, shown as bytes; verifying the checksum.

use crate::tree::{Field, Names, fields, title};
use crate::wire::{Found, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&CDP, FIELDS).found(FOUND).rest(&DATA);

const FOUND: &[Found] = &[
    On::Snap(0x0c, 0x2000).datagram(Heuristic::Anything, unit),
    // On serial lines.
    On::EtherType(0x2000).datagram(Heuristic::Anything, unit),
];

fields! {
    CDP = protocol("cdp", "CDP", "Cisco Discovery Protocol");
    VERSION = number("cdp.version", "Version", "").once();
    TTL = number("cdp.ttl", "TTL", "Seconds").once();
    CHECKSUM = number("cdp.checksum", "Checksum", "").hex(4).once();
    TLV = group("cdp.tlv", "TLV", "").titled(title::kind);
    TYPE = number("cdp.tlv.type", "Type", "").hex(4).names(TYPES).once_per(&TLV);
    LENGTH = number("cdp.tlv.len", "Length", "Bytes of the element, type and length included").once_per(&TLV);
    DEVICE = text("cdp.deviceid", "Device ID", "");
    PORT = text("cdp.portid", "Sent through interface", "");
    CAPABILITIES = number("cdp.capabilities", "Capabilities", "").hex(8);
    ROUTER = bool("cdp.capabilities.router", "Router", "").mask(0x001);
    TRANSPARENT = bool("cdp.capabilities.trans_bridge", "Transparent bridge", "").mask(0x002);
    SOURCE_ROUTE = bool("cdp.capabilities.src_bridge", "Source route bridge", "").mask(0x004);
    SWITCH = bool("cdp.capabilities.switch", "Switch", "").mask(0x008);
    HOST = bool("cdp.capabilities.host", "Host", "").mask(0x010);
    IGMP = bool("cdp.capabilities.igmp_capable", "IGMP capable", "").mask(0x020);
    REPEATER = bool("cdp.capabilities.repeater", "Repeater", "").mask(0x040);
    PHONE = bool("cdp.capabilities.voip_phone", "VoIP phone", "").mask(0x080);
    REMOTE = bool("cdp.capabilities.remote", "Remotely managed device", "").mask(0x100);
    CVTA = bool("cdp.capabilities.cvta", "CVTA/STP dispute resolution/Cisco VT camera", "").mask(0x200);
    MAC_RELAY = bool("cdp.capabilities.mac_relay", "Two port MAC relay", "").mask(0x400);
    SOFTWARE = text("cdp.software_version", "Software version", "");
    PLATFORM = text("cdp.platform", "Platform", "");
    GATEWAY = ipv4("cdp.odr_default_gateway", "ODR default gateway", "");
    PREFIX = ipv4("cdp.ip_prefix", "IP prefix", "");
    PREFIX_LENGTH = number("cdp.ip_prefix.length", "Prefix length", "Bits");
    DOMAIN = text("cdp.vtp_management_domain", "VTP management domain", "");
    NATIVE_VLAN = number("cdp.native_vlan", "Native VLAN", "");
    VOICE_VLAN = number("cdp.voice_vlan", "Voice VLAN", "");
    POWER = number("cdp.power_consumption", "Power consumption", "Milliwatts");
    DUPLEX = bool("cdp.duplex", "Duplex", "The port is full duplex");
    MTU = number("cdp.mtu", "MTU", "Bytes");
    TRUST = number("cdp.trust_bitmap", "Trust bitmap", "").hex(2);
    COS = number("cdp.untrusted_port_cos", "Untrusted port CoS", "").hex(2);
    SYSTEM = text("cdp.system_name", "System name", "");
    COUNT = number("cdp.number_of_addresses", "Number of addresses", "");
    ADDRESS = group("cdp.entry", "Address", "");
    PROTOCOL_TYPE = number("cdp.protocol_type", "Protocol type", "").hex(2).names(PROTOCOL_TYPES);
    PROTOCOL_LENGTH = number("cdp.protocol_length", "Protocol length", "Bytes");
    PROTOCOL_ID = bytes("cdp.protocol", "Protocol", "");
    ADDRESS_LENGTH = number("cdp.address_length", "Address length", "Bytes");
    IPV4 = ipv4("cdp.nrgyz.ip_address", "IP address", "");
    IPV6 = ipv6("cdp.nrgyz.ipv6_address", "IPv6 address", "");
    OTHER = bytes("cdp.address", "Address", "");
    DATA = bytes("cdp.data", "Data", "Undissected bytes");
}

const TYPES: Names = &[
    (0x0001, "Device ID"),
    (0x0002, "Addresses"),
    (0x0003, "Port ID"),
    (0x0004, "Capabilities"),
    (0x0005, "Software version"),
    (0x0006, "Platform"),
    (0x0007, "IP Prefix/Gateway (used for ODR)"),
    (0x0008, "Protocol Hello"),
    (0x0009, "VTP Management Domain"),
    (0x000a, "Native VLAN"),
    (0x000b, "Duplex"),
    (0x000e, "VoIP VLAN Reply"),
    (0x000f, "VoIP VLAN Query"),
    (0x0010, "Power consumption"),
    (0x0011, "MTU"),
    (0x0012, "Trust Bitmap"),
    (0x0013, "Untrusted Port CoS"),
    (0x0014, "System Name"),
    (0x0015, "System Object ID"),
    (0x0016, "Management Address"),
    (0x0017, "Location"),
    (0x0018, "External Port-ID"),
    (0x0019, "Power Requested"),
    (0x001a, "Power Available"),
    (0x001b, "Port Unidirectional"),
    (0x001d, "EnergyWise over CDP"),
    (0x001f, "Spare PoE"),
];
const PROTOCOL_TYPES: Names = &[(1, "NLPID"), (2, "802.2")];
const CAPABILITY_BITS: &[&Field] =
    &[&ROUTER, &TRANSPARENT, &SOURCE_ROUTE, &SWITCH, &HOST, &IGMP, &REPEATER, &PHONE, &REMOTE, &CVTA, &MAC_RELAY];

/// Elements after the checksum.
fn unit(wire: &mut Wire<'_>) -> Result {
    wire.u8(&VERSION)?;
    wire.u8(&TTL)?;
    wire.u16_be(&CHECKSUM)?;
    wire.groups(&TLV, element)
}

fn element(wire: &mut Wire<'_>) -> Result {
    const HEAD: usize = 4;
    let kind = wire.u16_be(&TYPE)?;
    let length = usize::from(wire.u16_be(&LENGTH)?).saturating_sub(HEAD);
    if length == 0 {
        return Ok(());
    }
    wire.within(length, &DATA, |wire| match (kind, length) {
        (0x0001, _) => {
            let name = String::from_utf8_lossy(wire.ahead());
            wire.info(format_args!("{}", wire.masked(&name)));
            wire.rest_is(&DEVICE)
        }
        (0x0002 | 0x0016, _) => addresses(wire),
        (0x0003, _) => wire.rest_is(&PORT),
        (0x0004, 4) => wire.flags(&CAPABILITIES, 4, CAPABILITY_BITS).map(drop),
        (0x0005, _) => lines(wire),
        (0x0006, _) => wire.rest_is(&PLATFORM),
        (0x0007, 4) => wire.rest_is(&GATEWAY),
        (0x0007, _) => wire.each(|wire| {
            wire.bytes(&PREFIX, 4)?;
            wire.u8(&PREFIX_LENGTH)
        }),
        (0x0009, _) => wire.rest_is(&DOMAIN),
        (0x000a, 2) => wire.u16_be(&NATIVE_VLAN).map(drop),
        (0x000b, 1) => wire.bool(&DUPLEX).map(drop),
        (0x000e, 3) => {
            wire.bytes(&DATA, 1)?;
            wire.u16_be(&VOICE_VLAN).map(drop)
        }
        (0x0010, 2) => wire.u16_be(&POWER).map(drop),
        (0x0011, 4) => wire.u32_be(&MTU).map(drop),
        (0x0012, 1) => wire.u8(&TRUST).map(drop),
        (0x0013, 1) => wire.u8(&COS).map(drop),
        (0x0014, _) => wire.rest_is(&SYSTEM),
        _ => wire.rest_is(&DATA),
    })
}

fn addresses(wire: &mut Wire<'_>) -> Result {
    const NLPID_IP: &[u8] = &[0xcc];
    const IPV6_SNAP: &[u8] = &[0xaa, 0xaa, 0x03, 0, 0, 0, 0x86, 0xdd];
    let count = wire.u32_be(&COUNT)?;
    for _ in 0..count {
        wire.group(&ADDRESS, |wire| {
            wire.u8(&PROTOCOL_TYPE)?;
            let length = usize::from(wire.u8(&PROTOCOL_LENGTH)?);
            let protocol = wire.ahead().get(..length).unwrap_or_default();
            wire.optional(&PROTOCOL_ID, length)?;
            let length = usize::from(wire.u16_be(&ADDRESS_LENGTH)?);
            let field = match (protocol, length) {
                (NLPID_IP, 4) => &IPV4,
                (IPV6_SNAP, 16) => &IPV6,
                _ => &OTHER,
            };
            wire.optional(field, length).map(drop)
        })?;
    }
    Ok(())
}

/// Wireshark has a field for each line of the version.
fn lines(wire: &mut Wire<'_>) -> Result {
    wire.each(|wire| {
        let text = memchr::memchr(b'\n', wire.ahead()).unwrap_or(wire.remaining());
        wire.words(&SOFTWARE, wire.remaining().min(text + 1), 0..text)
    })
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    const HEAD: &str = "aaaa 03 00000c 2000 02 b4 a82e";

    #[test]
    fn a_switch_introduces_itself() {
        let unit = [
            HEAD,
            "0001 0007 737731 0003 0008 47692f31 0004 0008 00000029 0005 0006 3135 0006 0006 5753",
            "0002 002d 00000002 01 01 cc 0004 c0000201 02 08 aaaa0300000086dd 0010",
        ];
        let address = "20010db8000000000000000000000001 0007 0009 cb007100 18 0007 0008 cb007101";
        let rest =
            "0009 0006 6c62 000a 0006 01bd 000b 0005 01 0011 0008 000005dc 0012 0005 00 0013 0005 00 0014 0006 7377 001b 0005 00";
        let unit: Vec<&str> = unit.into_iter().chain([address, rest]).collect();
        insta::assert_snapshot!(layers(Next::Llc, &unit), @r#"
        llc 0..8 | DSAP 0xaa, SSAP 0xaa
          0..1 llc.dsap = 0xaa
          1..2 llc.ssap = 0xaa
          2..3 llc.control = 0x03
          3..6 llc.oui = 12
          6..8 llc.pid = 0x2000
        cdp 8..155 | sw1
          8..9 cdp.version = 2
          9..10 cdp.ttl = 180
          10..12 cdp.checksum = 0xa82e
          12..19 cdp.tlv
            12..14 cdp.tlv.type = 0x0001 (Device ID)
            14..16 cdp.tlv.len = 7
            16..19 cdp.deviceid = "sw1"
          19..27 cdp.tlv
            19..21 cdp.tlv.type = 0x0003 (Port ID)
            21..23 cdp.tlv.len = 8
            23..27 cdp.portid = "Gi/1"
          27..35 cdp.tlv
            27..29 cdp.tlv.type = 0x0004 (Capabilities)
            29..31 cdp.tlv.len = 8
            31..35 cdp.capabilities = 0x00000029
              31..35 cdp.capabilities.router = true
              31..35 cdp.capabilities.trans_bridge = false
              31..35 cdp.capabilities.src_bridge = false
              31..35 cdp.capabilities.switch = true
              31..35 cdp.capabilities.host = false
              31..35 cdp.capabilities.igmp_capable = true
              31..35 cdp.capabilities.repeater = false
              31..35 cdp.capabilities.voip_phone = false
              31..35 cdp.capabilities.remote = false
              31..35 cdp.capabilities.cvta = false
              31..35 cdp.capabilities.mac_relay = false
          35..41 cdp.tlv
            35..37 cdp.tlv.type = 0x0005 (Software version)
            37..39 cdp.tlv.len = 6
            39..41 cdp.software_version = "15"
          41..47 cdp.tlv
            41..43 cdp.tlv.type = 0x0006 (Platform)
            43..45 cdp.tlv.len = 6
            45..47 cdp.platform = "WS"
          47..92 cdp.tlv
            47..49 cdp.tlv.type = 0x0002 (Addresses)
            49..51 cdp.tlv.len = 45
            51..55 cdp.number_of_addresses = 2
            55..64 cdp.entry
              55..56 cdp.protocol_type = 0x01 (NLPID)
              56..57 cdp.protocol_length = 1
              57..58 cdp.protocol = cc
              58..60 cdp.address_length = 4
              60..64 cdp.nrgyz.ip_address = 192.0.2.1
            64..92 cdp.entry
              64..65 cdp.protocol_type = 0x02 (802.2)
              65..66 cdp.protocol_length = 8
              66..74 cdp.protocol = aaaa0300000086dd
              74..76 cdp.address_length = 16
              76..92 cdp.nrgyz.ipv6_address = 2001:db8::1
          92..101 cdp.tlv
            92..94 cdp.tlv.type = 0x0007 (IP Prefix/Gateway (used for ODR))
            94..96 cdp.tlv.len = 9
            96..100 cdp.ip_prefix = 203.0.113.0
            100..101 cdp.ip_prefix.length = 24
          101..109 cdp.tlv
            101..103 cdp.tlv.type = 0x0007 (IP Prefix/Gateway (used for ODR))
            103..105 cdp.tlv.len = 8
            105..109 cdp.odr_default_gateway = 203.0.113.1
          109..115 cdp.tlv
            109..111 cdp.tlv.type = 0x0009 (VTP Management Domain)
            111..113 cdp.tlv.len = 6
            113..115 cdp.vtp_management_domain = "lb"
          115..121 cdp.tlv
            115..117 cdp.tlv.type = 0x000a (Native VLAN)
            117..119 cdp.tlv.len = 6
            119..121 cdp.native_vlan = 445
          121..126 cdp.tlv
            121..123 cdp.tlv.type = 0x000b (Duplex)
            123..125 cdp.tlv.len = 5
            125..126 cdp.duplex = true
          126..134 cdp.tlv
            126..128 cdp.tlv.type = 0x0011 (MTU)
            128..130 cdp.tlv.len = 8
            130..134 cdp.mtu = 1500
          134..139 cdp.tlv
            134..136 cdp.tlv.type = 0x0012 (Trust Bitmap)
            136..138 cdp.tlv.len = 5
            138..139 cdp.trust_bitmap = 0x00
          139..144 cdp.tlv
            139..141 cdp.tlv.type = 0x0013 (Untrusted Port CoS)
            141..143 cdp.tlv.len = 5
            143..144 cdp.untrusted_port_cos = 0x00
          144..150 cdp.tlv
            144..146 cdp.tlv.type = 0x0014 (System Name)
            146..148 cdp.tlv.len = 6
            148..150 cdp.system_name = "sw"
          150..155 cdp.tlv
            150..152 cdp.tlv.type = 0x001b (Port Unidirectional)
            152..154 cdp.tlv.len = 5
            154..155 cdp.data = 00
        "#);
    }

    #[test]
    fn counts_and_lengths_cause_no_allocation() {
        insta::assert_snapshot!(layers(Next::Llc, &[HEAD, "0002 000c ffffffff 01 01 cc 00"]), @"
        llc 0..8 | DSAP 0xaa, SSAP 0xaa
          0..1 llc.dsap = 0xaa
          1..2 llc.ssap = 0xaa
          2..3 llc.control = 0x03
          3..6 llc.oui = 12
          6..8 llc.pid = 0x2000
        cdp 8..24
          8..9 cdp.version = 2
          9..10 cdp.ttl = 180
          10..12 cdp.checksum = 0xa82e
          12..23 cdp.tlv
            12..14 cdp.tlv.type = 0x0002 (Addresses)
            14..16 cdp.tlv.len = 12
            16..20 cdp.number_of_addresses = 4294967295
            20..23 cdp.entry
              20..21 cdp.protocol_type = 0x01 (NLPID)
              21..22 cdp.protocol_length = 1
              22..23 cdp.protocol = cc
          23..24 cdp.data = 00
        ! broken dissect.short at 23..24 cdp: 1 more bytes needed, 1 left
        ");
        insta::assert_snapshot!(cut(Next::Llc, &[HEAD, "0001 0000 0001 0020 7377"], 28), @r#"
        llc 0..8 | DSAP 0xaa, SSAP 0xaa
          0..1 llc.dsap = 0xaa
          1..2 llc.ssap = 0xaa
          2..3 llc.control = 0x03
          3..6 llc.oui = 12
          6..8 llc.pid = 0x2000
        cdp 8..22 | sw
          8..9 cdp.version = 2
          9..10 cdp.ttl = 180
          10..12 cdp.checksum = 0xa82e
          12..16 cdp.tlv
            12..14 cdp.tlv.type = 0x0001 (Device ID)
            14..16 cdp.tlv.len = 0
          16..22 cdp.tlv
            16..18 cdp.tlv.type = 0x0001 (Device ID)
            18..20 cdp.tlv.len = 32
            20..22 cdp.deviceid = "sw"
        ! broken dissect.cut at 22..22 cdp: the capture holds 26 bytes too few of this frame
        "#);
    }
}
