//! HSRP, the Hot Standby Router Protocol. Version 1 (RFC 2281) and Cisco's version 2.
//!
//! ```text
//! version 1   0:1 | opcode:1 | state:1 | hello time:1 | hold time:1 | priority:1 | group:1 | reserved:1 | authentication:8 |
//!             address:4 | element …
//!   3 advertise   0:1 | opcode:1 | type:2 | length:2 | state:1 | reserved:1 | active:2 | passive:2 | reserved:4
//! version 2   element …
//! element     type:1 | length:1 | value
//!   1 group   version:1 | opcode:1 | state:1 | IP version:1 | group:2 | MAC:6 | priority:4 | hello:4 | hold:4 | address:16
//!   2 interface   active:2 | passive:2
//!   3 text    authentication:8
//!   4 MD5     algorithm:1 | padding:1 | flags:2 | sender:4 | key:4 | digest:16
//! ```

use crate::tree::{Names, Value, fields, name_of};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&HSRP, FIELDS)
    .found(&[
        On::Udp(1985).datagram(Heuristic::Datagram(recognize), message),
        On::Udp(2029).datagram(Heuristic::Datagram(recognize), message),
        On::Udp(1985).datagram(Heuristic::Datagram(is_likely), message).by_port(),
        On::Udp(2029).datagram(Heuristic::Datagram(is_likely), message).by_port(),
    ])
    .rest(&DATA);

/// Elements of HSRP, most of them of version 2.
pub static ELEMENTS: Protocol = Protocol::new(&second::HSRP2, second::FIELDS);

fields! {
    HSRP = protocol("hsrp", "HSRP", "Cisco Hot Standby Router Protocol").covers("Messages of versions 1 and 2 with all their elements");
    VERSION = number("hsrp.version", "Version", "").once();
    OPCODE = number("hsrp.opcode", "Op Code", "").names(OPCODES).once();
    STATE = number("hsrp.state", "State", "").names(STATES).once();
    HELLO = number("hsrp.hellotime", "Hellotime", "Seconds").once();
    HOLD = number("hsrp.holdtime", "Holdtime", "Seconds").once();
    PRIORITY = number("hsrp.priority", "Priority", "").once();
    GROUP = number("hsrp.group", "Group", "").once();
    RESERVED = number("hsrp.reserved", "Reserved", "").once();
    AUTH = text("hsrp.auth_data", "Authentication Data", "Password").secret().once();
    ADDRESS = ipv4("hsrp.virt_ip", "Virtual IP Address", "").once();
    ADV_TYPE = number("hsrp.adv.tlvtype", "Adv type", "").once();
    ADV_LENGTH = number("hsrp.adv.tlvlength", "Adv length", "In bytes").once();
    ADV_STATE = number("hsrp.adv.state", "Adv state", "").names(ADV_STATES).once();
    ADV_RESERVED = number("hsrp.adv.reserved1", "Adv reserved1", "").once();
    ADV_ACTIVE = number("hsrp.adv.activegrp", "Adv active groups", "").once();
    ADV_PASSIVE = number("hsrp.adv.passivegrp", "Adv passive groups", "").once();
    ADV_RESERVED_2 = number("hsrp.adv.reserved2", "Adv reserved2", "").once();
    SENDER = ipv4("hsrp.md5_ip_address", "Sender's IP Address", "");
    DATA = bytes("hsrp.data", "Data", "Undissected bytes");
}

mod second {
    use super::{OPCODES, STATES_2};
    use crate::tree::fields;

    fields! {
        HSRP2 = protocol("hsrp2", "HSRP elements", "Elements of the Cisco Hot Standby Router Protocol")
            .covers("Elements for groups, interfaces and authentication");
        GROUP_STATE = number("hsrp2.group_state_tlv", "Group State TLV", "");
        INTERFACE_STATE = number("hsrp2.interface_state_tlv", "Interface State TLV", "");
        TEXT = number("hsrp2.text_auth_tlv", "Text Authentication TLV", "");
        MD5 = number("hsrp2.md5_auth_tlv", "MD5 Authentication TLV", "");
        OTHER = number("hsrp2.unknown_tlv", "Unknown TLV", "");
        KIND = number("hsrp2.tlv_type", "Type", "");
        LENGTH = number("hsrp2.tlv_length", "Length", "Of the value, in bytes");
        VERSION_2 = number("hsrp2.version", "Version", "");
        OPCODE_2 = number("hsrp2.opcode", "Op Code", "").names(OPCODES);
        STATE_2 = number("hsrp2.state", "State", "").names(STATES_2);
        IP_VERSION = number("hsrp2.ipversion", "IP Ver.", "");
        GROUP_2 = number("hsrp2.group", "Group", "");
        IDENTIFIER = mac("hsrp2.identifier", "Identifier", "");
        PRIORITY_2 = number("hsrp2.priority", "Priority", "");
        HELLO_2 = number("hsrp2.hellotime", "Hellotime", "Milliseconds");
        HOLD_2 = number("hsrp2.holdtime", "Holdtime", "Milliseconds");
        ADDRESS_2 = ipv4("hsrp2.virt_ip", "Virtual IP Address", "");
        ADDRESS_6 = ipv6("hsrp2.virt_ip_v6", "Virtual IPv6 Address", "");
        PADDING = bytes("hsrp2.padding", "Padding", "After an IPv4 address");
        ACTIVE = number("hsrp2.active_groups", "Active Groups", "");
        PASSIVE = number("hsrp2.passive_groups", "Passive Groups", "");
        AUTH_2 = text("hsrp2.auth_data", "Authentication Data", "Password").secret();
        ALGORITHM = number("hsrp2.md5_algorithm", "MD5 Algorithm", "").names(&[(1, "MD5")]);
        MD5_PADDING = number("hsrp2.md5_padding", "Padding", "").hex(2);
        MD5_FLAGS = number("hsrp2.md5_flags", "MD5 Flags", "");
        KEY = number("hsrp2.md5_key_id", "MD5 Key ID", "");
        DIGEST = bytes("hsrp2.md5_auth_data", "MD5 Authentication Data", "");
    }
}

use second::*;

const OPCODES: Names = &[(0, "Hello"), (1, "Coup"), (2, "Resign"), (3, "Advertise")];
const STATES: Names = &[(0, "Initial"), (1, "Learn"), (2, "Listen"), (4, "Speak"), (8, "Standby"), (16, "Active")];
const STATES_2: Names = &[(0, "Disabled"), (1, "Init"), (2, "Learn"), (3, "Listen"), (4, "Speak"), (5, "Standby"), (6, "Active")];
const ADV_STATES: Names = &[(1, "Dormant"), (2, "Passive"), (3, "Active")];

const ADVERTISE: u8 = 3;
const GROUP_ELEMENT: u8 = 1;

/// Recognizes the fixed part of version 1, or a first element of version 2 that fits.
fn recognize(bytes: &[u8]) -> bool {
    match bytes {
        [0, ADVERTISE, rest @ ..] => rest.len() >= 8,
        [0, 0..=2, rest @ ..] => rest.len() >= 18,
        [kind @ 1..=4, length, rest @ ..] => {
            let expected = value_size(*kind);
            usize::from(*length) == expected && rest.len() >= expected
        }
        _ => false,
    }
}

/// Whether a message of version 0 has its size, and another operation, or is cut; or the first element of version 2 is.
fn is_likely(bytes: &[u8]) -> bool {
    const SIZE: usize = 20;
    match bytes {
        [0, 0..=ADVERTISE, ..] => true,
        [0, ..] => bytes.len() == SIZE,
        [kind @ 1..=4, length, ..] => usize::from(*length) == value_size(*kind),
        _ => false,
    }
}

/// Size of the value of an element of version 2.
fn value_size(kind: u8) -> usize {
    match kind {
        GROUP_ELEMENT => 40,
        2 => 4,
        3 => 8,
        _ => 28,
    }
}

fn message(wire: &mut Wire<'_>) -> Result {
    if wire.peek_u8() == Some(0) {
        first_version(wire)?;
    }
    if wire.remaining() > 0 { wire.group(ELEMENTS.this, elements) } else { Ok(()) }
}

fn elements(wire: &mut Wire<'_>) -> Result {
    wire.each(element)
}

fn first_version(wire: &mut Wire<'_>) -> Result {
    wire.u8(&VERSION)?;
    let opcode = wire.u8(&OPCODE)?;
    wire.name(name_of(OPCODES, opcode.into()).unwrap_or("unknown opcode"));
    if opcode == ADVERTISE {
        wire.u16_be(&ADV_TYPE)?;
        wire.u16_be(&ADV_LENGTH)?;
        let state = wire.u8(&ADV_STATE)?;
        wire.info(format_args!("{}", name_of(ADV_STATES, state.into()).unwrap_or("unknown state")));
        wire.u8(&ADV_RESERVED)?;
        wire.u16_be(&ADV_ACTIVE)?;
        wire.u16_be(&ADV_PASSIVE)?;
        return wire.u32_be(&ADV_RESERVED_2).map(drop);
    }
    let state = wire.u8(&STATE)?;
    wire.u8(&HELLO)?;
    wire.u8(&HOLD)?;
    let priority = wire.u8(&PRIORITY)?;
    let group = wire.u8(&GROUP)?;
    wire.info(format_args!("group {group}, {}, priority {priority}", name_of(STATES, state.into()).unwrap_or("unknown state")));
    wire.u8(&RESERVED)?;
    wire.secret_padded(&AUTH, 8)?;
    wire.bytes(&ADDRESS, 4).map(drop)
}

fn element(wire: &mut Wire<'_>) -> Result {
    let kind = wire.peek_u8().unwrap_or_default();
    let field = match kind {
        GROUP_ELEMENT => &GROUP_STATE,
        2 => &INTERFACE_STATE,
        3 => &TEXT,
        4 => &MD5,
        _ => &OTHER,
    };
    wire.parent(field, Value::Unsigned(kind.into()), |wire| {
        wire.u8(&KIND)?;
        let length = usize::from(wire.u8(&LENGTH)?);
        wire.within(length, &DATA, |wire| match kind {
            GROUP_ELEMENT => group(wire),
            2 => {
                let active = wire.u16_be(&ACTIVE)?;
                let passive = wire.u16_be(&PASSIVE)?;
                wire.name("interface state");
                wire.info(format_args!("{active} active groups, {passive} passive"));
                Ok(())
            }
            3 => wire.secret_padded(&AUTH_2, 8),
            4 => {
                wire.u8(&ALGORITHM)?;
                wire.u8(&MD5_PADDING)?;
                wire.u16_be(&MD5_FLAGS)?;
                wire.bytes(&SENDER, 4)?;
                wire.u32_be(&KEY)?;
                wire.bytes(&DIGEST, 16).map(drop)
            }
            _ => wire.rest_is(&DATA),
        })
    })
}

fn group(wire: &mut Wire<'_>) -> Result {
    const IPV6: u8 = 6;
    wire.u8(&VERSION_2)?;
    let opcode = wire.u8(&OPCODE_2)?;
    let state = wire.u8(&STATE_2)?;
    let version = wire.u8(&IP_VERSION)?;
    let group = wire.u16_be(&GROUP_2)?;
    wire.bytes(&IDENTIFIER, 6)?;
    let priority = wire.u32_be(&PRIORITY_2)?;
    wire.name(name_of(OPCODES, opcode.into()).unwrap_or("unknown opcode"));
    wire.info(format_args!("group {group}, {}, priority {priority}", name_of(STATES_2, state.into()).unwrap_or("unknown state")));
    wire.u32_be(&HELLO_2)?;
    wire.u32_be(&HOLD_2)?;
    if version == IPV6 {
        return wire.bytes(&ADDRESS_6, 16).map(drop);
    }
    wire.bytes(&ADDRESS_2, 4)?;
    wire.rest_is(&PADDING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const FIRST: &str = "00 00 10 03 0a 78 01 00 636973636f000000 c0000201 \
        04 1c 01 00 0000 c0000202 00000001 00112233445566778899aabbccddeeff";
    const SECOND: &str = "01 28 02 00 06 04 0007 020000000001 00000064 00000bb8 00002710 c0000201 000000000000000000000000 \
        03 08 6d6f737300000000";

    #[test]
    fn messages_of_both_versions_are_read() {
        for text in [FIRST, SECOND] {
            let bytes = trial::bytes(text);
            assert!(recognize(&bytes));
            trial::survives_damage(&PROTOCOL, &bytes, message);
        }
        let tree = |text| trial::read(&PROTOCOL, &trial::bytes(text), Cut::No, message);
        insta::assert_snapshot!(tree(FIRST), @r#"
        hsrp 0..50 | Hello | group 1, Active, priority 120
          0..1 hsrp.version = 0
          1..2 hsrp.opcode = 0 (Hello)
          2..3 hsrp.state = 16 (Active)
          3..4 hsrp.hellotime = 3
          4..5 hsrp.holdtime = 10
          5..6 hsrp.priority = 120
          6..7 hsrp.group = 1
          7..8 hsrp.reserved = 0
          8..16 hsrp.auth_data = "cisco"
          16..20 hsrp.virt_ip = 192.0.2.1
          20..50 hsrp2 = 
            20..50 hsrp2.md5_auth_tlv = 4
              20..21 hsrp2.tlv_type = 4
              21..22 hsrp2.tlv_length = 28
              22..23 hsrp2.md5_algorithm = 1 (MD5)
              23..24 hsrp2.md5_padding = 0x00
              24..26 hsrp2.md5_flags = 0
              26..30 hsrp.md5_ip_address = 192.0.2.2
              30..34 hsrp2.md5_key_id = 1
              34..50 hsrp2.md5_auth_data = 00112233445566778899aabbccddeeff
        "#);
        insta::assert_snapshot!(tree(SECOND), @r#"
        hsrp 0..52 | Hello | group 7, Active, priority 100
          0..52 hsrp2 = 
            0..42 hsrp2.group_state_tlv = 1
              0..1 hsrp2.tlv_type = 1
              1..2 hsrp2.tlv_length = 40
              2..3 hsrp2.version = 2
              3..4 hsrp2.opcode = 0 (Hello)
              4..5 hsrp2.state = 6 (Active)
              5..6 hsrp2.ipversion = 4
              6..8 hsrp2.group = 7
              8..14 hsrp2.identifier = 02:00:00:00:00:01
              14..18 hsrp2.priority = 100
              18..22 hsrp2.hellotime = 3000
              22..26 hsrp2.holdtime = 10000
              26..30 hsrp2.virt_ip = 192.0.2.1
              30..42 hsrp2.padding = 000000000000000000000000
            42..52 hsrp2.text_auth_tlv = 3
              42..43 hsrp2.tlv_type = 3
              43..44 hsrp2.tlv_length = 8
              44..52 hsrp2.auth_data = "moss"
        "#);
        insta::assert_snapshot!(tree("00 03 0001 000a 02 00 0001 0002 00000000"), @"
        hsrp 0..16 | Advertise | Passive
          0..1 hsrp.version = 0
          1..2 hsrp.opcode = 3 (Advertise)
          2..4 hsrp.adv.tlvtype = 1
          4..6 hsrp.adv.tlvlength = 10
          6..7 hsrp.adv.state = 2 (Passive)
          7..8 hsrp.adv.reserved1 = 0
          8..10 hsrp.adv.activegrp = 1
          10..12 hsrp.adv.passivegrp = 2
          12..16 hsrp.adv.reserved2 = 0
        ");
        insta::assert_snapshot!(tree("02 04 0001 0002"), @"
        hsrp 0..6 | interface state | 1 active groups, 2 passive
          0..6 hsrp2 = 
            0..6 hsrp2.interface_state_tlv = 2
              0..1 hsrp2.tlv_type = 2
              1..2 hsrp2.tlv_length = 4
              2..4 hsrp2.active_groups = 1
              4..6 hsrp2.passive_groups = 2
        ");
    }
}
