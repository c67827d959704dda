//! STP, the Spanning Tree Protocol, and Rapid Spanning Tree (IEEE 802.1D), with Cisco's PVST+, which runs it once per VLAN.
//!
//! ```text
//! protocol:2, 0 | version:1 | type:1                                a topology change ends here
//! flags:1 | root ID:8 | root path cost:4 | bridge ID:8 | port:2
//! message age:2 | max age:2 | hello time:2 | forward delay:2        units of 1/256 second
//! version 1 length:1, 0                                             of Rapid Spanning Tree, from version 2 on
//! version 3 length:2 | format:1 | name:32 | revision:2 | digest:16    of Multiple Spanning Tree
//! internal root path cost:4 | bridge ID:8 | remaining hops:1 | instance …
//! instance     flags:1 | regional root:8 | internal root path cost:4 | bridge priority:1 | port priority:1 | hops:1
//! padding:1, unless rapid | type:2 | length:2 | VLAN:2              of PVST+
//! bridge ID    priority:4 extension:12 | MAC address
//! ```
//! Not covered: Shortest Path Bridging, shown as bytes.

use crate::tree::{Field, Names, Value, fields, name_of};
use crate::wire::{Found, Heuristic, On, Protocol, Result, Wire};
use std::fmt;

pub static PROTOCOL: Protocol = Protocol::new(&STP, FIELDS).found(FOUND).rest(&DATA);

const FOUND: &[Found] = &[
    On::Sap(0x42).datagram(Heuristic::Anything, lone_unit),
    // Cisco PVST+.
    On::Snap(0x0c, 0x010b).datagram(Heuristic::Anything, vlan_unit),
];

fields! {
    STP = protocol("stp", "STP", "Spanning Tree Protocol");
    PROTOCOL_ID = number("stp.protocol", "Protocol identifier", "").hex(4).once();
    VERSION = number("stp.version", "Protocol version identifier", "").names(VERSIONS).once();
    TYPE = number("stp.type", "BPDU type", "").hex(2).names(TYPES).once();
    FLAGS = number("stp.flags", "BPDU flags", "").hex(2).once();
    TCACK = bool("stp.flags.tcack", "Topology change acknowledgment", "").mask(0x80);
    AGREEMENT = bool("stp.flags.agreement", "Agreement", "").mask(0x40);
    FORWARDING = bool("stp.flags.forwarding", "Forwarding", "").mask(0x20);
    LEARNING = bool("stp.flags.learning", "Learning", "").mask(0x10);
    ROLE = number("stp.flags.port_role", "Port role", "").mask(0x0c).names(ROLES);
    PROPOSAL = bool("stp.flags.proposal", "Proposal", "").mask(0x02);
    TC = bool("stp.flags.tc", "Topology change", "").mask(0x01);
    ROOT_PRIO = number("stp.root.prio", "Root bridge priority", "").once();
    ROOT_EXT = number("stp.root.ext", "Root bridge system ID extension", "").once();
    ROOT_HW = mac("stp.root.hw", "Root bridge system ID", "").once();
    COST = number("stp.root.cost", "Root path cost", "").once();
    BRIDGE_PRIO = number("stp.bridge.prio", "Bridge priority", "").once();
    BRIDGE_EXT = number("stp.bridge.ext", "Bridge system ID extension", "").once();
    BRIDGE_HW = mac("stp.bridge.hw", "Bridge system ID", "").once();
    PORT = number("stp.port", "Port identifier", "").hex(4).once();
    MSG_AGE = float("stp.msg_age", "Message age", "Seconds").once();
    MAX_AGE = float("stp.max_age", "Max age", "Seconds").once();
    HELLO = float("stp.hello", "Hello time", "Seconds").once();
    FORWARD = float("stp.forward", "Forward delay", "Seconds").once();
    VERSION_1_LENGTH = number("stp.version_1_length", "Version 1 length", "0").once();
    VERSION_3_LENGTH = number("mstp.version_3_length", "Version 3 length", "In bytes").once();
    FORMAT = number("mstp.config_format_selector", "MST config ID format selector", "").once();
    NAME = text("mstp.config_name", "MST config name", "").once();
    REVISION = number("mstp.config_revision_level", "MST config revision", "").once();
    DIGEST = bytes("mstp.config_digest", "MST config digest", "").once();
    INTERNAL_COST = number("mstp.cist_internal_root_path_cost", "CIST internal root path cost", "").once();
    CIST_PRIO = number("mstp.cist_bridge.prio", "CIST bridge priority", "").once();
    CIST_EXT = number("mstp.cist_bridge.ext", "CIST bridge identifier system ID extension", "").once();
    CIST_HW = mac("mstp.cist_bridge.hw", "CIST bridge identifier system ID", "").once();
    CIST_HOPS = number("mstp.cist_remaining_hops", "CIST remaining hops", "").once();
    INSTANCE = group("mstp.msti", "MST instance", "");
    INSTANCE_FLAGS = number("mstp.msti.flags", "MSTI flags", "").hex(2);
    INSTANCE_PRIO = number("mstp.msti.priority", "Priority", "").hex(2).mask(0xf000);
    INSTANCE_ID = number("mstp.msti.msti_id", "MSTID", "").mask(0x0fff);
    INSTANCE_ROOT = mac("mstp.msti.root.hw", "Regional root", "");
    INSTANCE_COST = number("mstp.msti.root_cost", "Internal root path cost", "");
    INSTANCE_BRIDGE = number("mstp.msti.bridge_priority", "Bridge identifier priority", "").mask(0xf0);
    INSTANCE_PORT = number("mstp.msti.port_priority", "Port identifier priority", "").mask(0xf0);
    INSTANCE_HOPS = number("mstp.msti.remaining_hops", "Remaining hops", "");
    PADDING = bytes("stp.pvst.padding", "Padding", "Replaces the version 1 length").once();
    TLV_TYPE = number("stp.pvst.tlvtype", "Type", "").hex(4).names(TLVS);
    TLV_LENGTH = number("stp.pvst.tlvlen", "Length", "Bytes of the value");
    TLV_VALUE = bytes("stp.pvst.tlvval", "Value", "");
    VLAN = number("stp.pvst.origvlan", "Originating VLAN", "");
    DATA = bytes("stp.data", "Data", "Undissected bytes");
}

const VERSIONS: Names =
    &[(0, "Spanning Tree"), (2, "Rapid Spanning Tree"), (3, "Multiple Spanning Tree"), (4, "Shortest Path Tree")];
const TYPES: Names = &[(0x00, "Configuration"), (0x02, "Rapid/Multiple Spanning Tree"), (0x80, "Topology Change Notification")];
const ROLES: Names = &[(0, "unknown"), (1, "alternate or backup"), (2, "root"), (3, "designated")];
const TLVS: Names = &[(0, "Originating VLAN")];

const CONFIGURATION: u8 = 0x00;
const RAPID: u8 = 0x02;
const MULTIPLE: u8 = 3;
const RAPID_FLAGS: &[&Field] = &[&TCACK, &AGREEMENT, &FORWARDING, &LEARNING, &ROLE, &PROPOSAL, &TC];
const ORIGINATING_VLAN: u16 = 0;

/// A BPDU of one VLAN, which a TLV at its end states.
fn vlan_unit(wire: &mut Wire<'_>) -> Result {
    if unit(wire)? == CONFIGURATION {
        wire.bytes(&PADDING, 1)?;
    }
    wire.each(|wire| {
        let kind = wire.u16_be(&TLV_TYPE)?;
        let length = usize::from(wire.u16_be(&TLV_LENGTH)?);
        match (kind, length) {
            (ORIGINATING_VLAN, 2) => drop(wire.u16_be(&VLAN)?),
            (_, 0) => {}
            _ => drop(wire.bytes(&TLV_VALUE, length)?),
        }
        Ok(())
    })
}

/// A BPDU of all VLANs.
fn lone_unit(wire: &mut Wire<'_>) -> Result {
    unit(wire)?;
    wire.rest_is(&DATA)
}

/// A BPDU. Returns its type.
fn unit(wire: &mut Wire<'_>) -> Result<u8> {
    wire.u16_be(&PROTOCOL_ID)?;
    let version = wire.u8(&VERSION)?;
    let kind = wire.u8(&TYPE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    match kind {
        CONFIGURATION => configuration(wire, &[&TCACK, &TC])?,
        RAPID => {
            configuration(wire, RAPID_FLAGS)?;
            wire.u8(&VERSION_1_LENGTH)?;
            if version == MULTIPLE && wire.remaining() > 0 {
                multiple(wire)?;
            }
        }
        _ => {}
    }
    Ok(kind)
}

fn configuration(wire: &mut Wire<'_>, flags: &[&'static Field]) -> Result {
    wire.flags(&FLAGS, 1, flags)?;
    let root = bridge(wire, [&ROOT_PRIO, &ROOT_EXT, &ROOT_HW])?;
    let cost = wire.u32_be(&COST)?;
    bridge(wire, [&BRIDGE_PRIO, &BRIDGE_EXT, &BRIDGE_HW])?;
    let port = wire.u16_be(&PORT)?;
    wire.info(format_args!("root {root}, cost {cost}, port {port:#06x}"));
    for field in [&MSG_AGE, &MAX_AGE, &HELLO, &FORWARD] {
        wire.number_with(field, |bytes| Value::Double(f64::from(u16::from_be_bytes(bytes)) / 256.0))?;
    }
    Ok(())
}

/// The configuration of a region, with its instances.
fn multiple(wire: &mut Wire<'_>) -> Result {
    const NAME_LENGTH: usize = 32;
    let length = usize::from(wire.u16_be(&VERSION_3_LENGTH)?);
    wire.within(length, &DATA, |wire| {
        wire.u8(&FORMAT)?;
        let name = wire.ahead().get(..NAME_LENGTH).unwrap_or_default();
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        wire.words(&NAME, NAME_LENGTH, 0..end)?;
        wire.u16_be(&REVISION)?;
        wire.bytes(&DIGEST, 16)?;
        wire.u32_be(&INTERNAL_COST)?;
        bridge(wire, [&CIST_PRIO, &CIST_EXT, &CIST_HW])?;
        wire.u8(&CIST_HOPS)?;
        wire.groups(&INSTANCE, instance)
    })
}

fn instance(wire: &mut Wire<'_>) -> Result {
    wire.flags(&INSTANCE_FLAGS, 1, RAPID_FLAGS)?;
    wire.bits(2, &[&INSTANCE_PRIO, &INSTANCE_ID])?;
    wire.bytes(&INSTANCE_ROOT, 6)?;
    wire.u32_be(&INSTANCE_COST)?;
    wire.bits(1, &[&INSTANCE_BRIDGE])?;
    wire.bits(1, &[&INSTANCE_PORT])?;
    wire.u8(&INSTANCE_HOPS).map(drop)
}

/// The ID of a bridge.
struct Bridge {
    priority: u16,
    extension: u16,
    mac: [u8; 6],
}

impl fmt::Display for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {} / {}", self.priority, self.extension, crate::tree::Address::Mac(self.mac))
    }
}

/// A bridge ID: priority and extension are bits of one number.
fn bridge(wire: &mut Wire<'_>, [priority, extension, mac]: [&'static Field; 3]) -> Result<Bridge> {
    const EXTENSION: u16 = 0x0fff;
    let start = wire.at();
    let upper = wire.number_with(priority, |bytes| Value::Unsigned((u16::from_be_bytes(bytes) & !EXTENSION).into()))?;
    let number = u16::from_be_bytes(upper);
    wire.put(extension, Value::Unsigned((number & EXTENSION).into()), start..wire.at());
    let mac = wire.bytes(mac, 6)?.first_chunk().copied().unwrap_or_default();
    Ok(Bridge { priority: number & !EXTENSION, extension: number & EXTENSION, mac })
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    const BODY: &str = "81bd 020000000001 00000013 9064 020000000002 8002 0100 1400 0200 0f00";

    #[test]
    fn a_configuration_is_read() {
        insta::assert_snapshot!(layers(Next::Llc, &["4242 03 0000 00 00 81", BODY]), @"
        llc 0..3 | DSAP 0x42, SSAP 0x42
          0..1 llc.dsap = 0x42
          1..2 llc.ssap = 0x42
          2..3 llc.control = 0x03
        stp 3..38 | Configuration | root 32768 / 445 / 02:00:00:00:00:01, cost 19, port 0x8002
          3..5 stp.protocol = 0x0000
          5..6 stp.version = 0 (Spanning Tree)
          6..7 stp.type = 0x00 (Configuration)
          7..8 stp.flags = 0x81
            7..8 stp.flags.tcack = true
            7..8 stp.flags.tc = true
          8..10 stp.root.prio = 32768
          8..10 stp.root.ext = 445
          10..16 stp.root.hw = 02:00:00:00:00:01
          16..20 stp.root.cost = 19
          20..22 stp.bridge.prio = 36864
          20..22 stp.bridge.ext = 100
          22..28 stp.bridge.hw = 02:00:00:00:00:02
          28..30 stp.port = 0x8002
          30..32 stp.msg_age = 1
          32..34 stp.max_age = 20
          34..36 stp.hello = 2
          36..38 stp.forward = 15
        ");
    }

    #[test]
    fn a_rapid_unit_of_a_vlan_is_read() {
        insta::assert_snapshot!(layers(Next::Llc, &["aaaa 03 00000c 010b 0000 02 02 3c", BODY, "00 0000 0002 01bd"]), @"
        llc 0..8 | DSAP 0xaa, SSAP 0xaa
          0..1 llc.dsap = 0xaa
          1..2 llc.ssap = 0xaa
          2..3 llc.control = 0x03
          3..6 llc.oui = 12
          6..8 llc.pid = 0x010b
        stp 8..50 | Rapid/Multiple Spanning Tree | root 32768 / 445 / 02:00:00:00:00:01, cost 19, port 0x8002
          8..10 stp.protocol = 0x0000
          10..11 stp.version = 2 (Rapid Spanning Tree)
          11..12 stp.type = 0x02 (Rapid/Multiple Spanning Tree)
          12..13 stp.flags = 0x3c
            12..13 stp.flags.tcack = false
            12..13 stp.flags.agreement = false
            12..13 stp.flags.forwarding = true
            12..13 stp.flags.learning = true
            12..13 stp.flags.port_role = 3 (designated)
            12..13 stp.flags.proposal = false
            12..13 stp.flags.tc = false
          13..15 stp.root.prio = 32768
          13..15 stp.root.ext = 445
          15..21 stp.root.hw = 02:00:00:00:00:01
          21..25 stp.root.cost = 19
          25..27 stp.bridge.prio = 36864
          25..27 stp.bridge.ext = 100
          27..33 stp.bridge.hw = 02:00:00:00:00:02
          33..35 stp.port = 0x8002
          35..37 stp.msg_age = 1
          37..39 stp.max_age = 20
          39..41 stp.hello = 2
          41..43 stp.forward = 15
          43..44 stp.version_1_length = 0
          44..46 stp.pvst.tlvtype = 0x0000 (Originating VLAN)
          46..48 stp.pvst.tlvlen = 2
          48..50 stp.pvst.origvlan = 445
        ");
    }

    #[test]
    fn a_unit_of_several_instances_is_read() {
        let region = format!(
            "0050 00 {} 0005 {} 000007d0 8000 020000000002 14",
            "4d53542d31".to_owned() + &"00".repeat(27),
            "ab".repeat(16)
        );
        let instance = "7c 8001 020000000001 000000c8 80 80 13";
        let unit = ["4242 03 0000 03 02 7c", BODY, "00", &region, instance];
        let dump = layers(Next::Llc, &unit);
        let rest = dump.lines().skip_while(|line| !line.contains("stp.version_1_length"));
        insta::assert_snapshot!(rest.fold(String::new(), |all, line| all + line + "\n"), @r#"
        38..39 stp.version_1_length = 0
        39..41 mstp.version_3_length = 80
        41..42 mstp.config_format_selector = 0
        42..74 mstp.config_name = "MST-1"
        74..76 mstp.config_revision_level = 5
        76..92 mstp.config_digest = abababababababababababababababab
        92..96 mstp.cist_internal_root_path_cost = 2000
        96..98 mstp.cist_bridge.prio = 32768
        96..98 mstp.cist_bridge.ext = 0
        98..104 mstp.cist_bridge.hw = 02:00:00:00:00:02
        104..105 mstp.cist_remaining_hops = 20
        105..121 mstp.msti
          105..106 mstp.msti.flags = 0x7c
            105..106 stp.flags.tcack = false
            105..106 stp.flags.agreement = true
            105..106 stp.flags.forwarding = true
            105..106 stp.flags.learning = true
            105..106 stp.flags.port_role = 3 (designated)
            105..106 stp.flags.proposal = false
            105..106 stp.flags.tc = false
          106..108 mstp.msti.priority = 0x08
          106..108 mstp.msti.msti_id = 1
          108..114 mstp.msti.root.hw = 02:00:00:00:00:01
          114..118 mstp.msti.root_cost = 200
          118..119 mstp.msti.bridge_priority = 8
          119..120 mstp.msti.port_priority = 8
          120..121 mstp.msti.remaining_hops = 19
        "#);
        assert!(!dump.contains("\n! "), "{dump}");
    }

    #[test]
    fn a_topology_change_has_no_more_and_a_cut_unit_is_noted() {
        insta::assert_snapshot!(layers(Next::Llc, &["4242 03 0000 00 80"]), @"
        llc 0..3 | DSAP 0x42, SSAP 0x42
          0..1 llc.dsap = 0x42
          1..2 llc.ssap = 0x42
          2..3 llc.control = 0x03
        stp 3..7 | Topology Change Notification
          3..5 stp.protocol = 0x0000
          5..6 stp.version = 0 (Spanning Tree)
          6..7 stp.type = 0x80 (Topology Change Notification)
        ");
        let tree = cut(Next::Llc, &["4242 03 0000 00 00 81 81bd 0200"], 20);
        insta::assert_snapshot!(crate::wire::trial::below(&tree, &["stp.data"]), @"
        llc 0..3 | DSAP 0x42, SSAP 0x42
        stp 3..12 | Configuration
          10..12 stp.data = 0200
        ! broken dissect.cut at 10..12 stp: the capture holds 4 bytes too few of this frame
        ");
    }
}
