//! ICMP (RFC 792), with the packet that an error quotes.
//!
//! ```text
//! type:1 | code:1 | checksum:2 | rest:4, by type | data or the quoted packet
//! ```

use super::{Carried, ip, layer};
use crate::tree::{Names, fields, name_of};
use crate::wire::{Protocol, Result, Wire, data};

/// ICMP.
pub static PROTOCOL: Protocol = layer(&ICMP, FIELDS);

fields! {
    ICMP = protocol("icmp", "ICMP", "Internet Control Message Protocol");
    TYPE = number("icmp.type", "Type", "What it is about").names(TYPES);
    CODE = number("icmp.code", "Code", "Details of the type");
    CHECKSUM = number("icmp.checksum", "Checksum", "Of the whole message").hex(4);
    IDENT = number("icmp.ident", "Identifier", "Which series of echoes");
    SEQ = number("icmp.seq", "Sequence number", "Which echo of the series");
    GATEWAY = ipv4("icmp.redir_gw", "Gateway address", "The better router");
    UNUSED = bytes("icmp.unused", "Unused", "Zero");
    LENGTH = number("icmp.length", "Length of the quote", "Units of four bytes");
    POINTER = number("icmp.pointer", "Pointer", "Where the quoted packet is wrong");
    MTU = number("icmp.mtu", "MTU of next hop", "The largest packet that passes");
    COUNT = number("icmp.num_addrs", "Number of addresses", "Routers that follow");
    ENTRY_SIZE = number("icmp.addr_entry_size", "Address entry size", "Units of four bytes");
    LIFETIME = number("icmp.lifetime", "Lifetime", "Seconds");
    ORIGINATE = number("icmp.originate_timestamp", "Originate timestamp", "Milliseconds since midnight");
    RECEIVE = number("icmp.receive_timestamp", "Receive timestamp", "Milliseconds since midnight");
    TRANSMIT = number("icmp.transmit_timestamp", "Transmit timestamp", "Milliseconds since midnight");
    MASK = ipv4("icmp.address_mask", "Address mask", "Of the network");
}

const TYPES: Names = &[
    (0, "echo reply"),
    (3, "destination unreachable"),
    (4, "source quench"),
    (5, "redirect"),
    (8, "echo request"),
    (9, "router advertisement"),
    (10, "router solicitation"),
    (11, "time exceeded"),
    (12, "parameter problem"),
    (13, "timestamp request"),
    (14, "timestamp reply"),
    (15, "information request"),
    (16, "information reply"),
    (17, "address mask request"),
    (18, "address mask reply"),
    (42, "extended echo request"),
    (43, "extended echo reply"),
];
const UNREACHABLE: Names = &[
    (0, "network"),
    (1, "host"),
    (2, "protocol"),
    (3, "port"),
    (4, "fragmentation needed"),
    (5, "source route failed"),
    (9, "network prohibited"),
    (10, "host prohibited"),
    (13, "administratively prohibited"),
];

/// An ICMP message.
pub(super) fn header(wire: &mut Wire<'_>, _missing: usize) -> Result<Carried> {
    let kind = wire.u8(&TYPE)?;
    let code = wire.u8(&CODE)?;
    let name = name_of(TYPES, kind.into()).unwrap_or("unknown type");
    wire.name(name);
    if kind == 3 {
        wire.info(format_args!("{}", name_of(UNREACHABLE, code.into()).unwrap_or("unknown code")));
    }
    wire.u16_be(&CHECKSUM)?;
    match kind {
        0 | 8 | 42 | 43 => echo(wire)?,
        3 | 4 | 5 | 11 | 12 => error(wire, kind)?,
        9 => advertisement(wire)?,
        10 => wire.bytes(&UNUSED, 4).map(drop)?,
        13 | 14 => timestamps(wire)?,
        17 | 18 => {
            wire.u16_be(&IDENT)?;
            wire.u16_be(&SEQ)?;
            wire.bytes(&MASK, 4)?;
        }
        15 | 16 => echo(wire)?,
        _ => {}
    }
    wire.rest(&data::BYTES);
    Ok(Carried::nothing(wire.at()))
}

fn echo(wire: &mut Wire<'_>) -> Result {
    let ident = wire.u16_be(&IDENT)?;
    let seq = wire.u16_be(&SEQ)?;
    wire.info(format_args!("id {ident}, sequence {seq}"));
    Ok(())
}

/// An error: what it needs to say, then the beginning of the packet it is about.
fn error(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        3 => {
            wire.bytes(&UNUSED, 1)?;
            wire.u8(&LENGTH)?;
            wire.u16_be(&MTU)?;
        }
        5 => wire.bytes(&GATEWAY, 4).map(drop)?,
        11 => {
            wire.bytes(&UNUSED, 1)?;
            wire.u8(&LENGTH)?;
            wire.bytes(&UNUSED, 2)?;
        }
        12 => {
            wire.u8(&POINTER)?;
            wire.u8(&LENGTH)?;
            wire.bytes(&UNUSED, 2)?;
        }
        _ => wire.bytes(&UNUSED, 4).map(drop)?,
    }
    super::quoted(wire, &ip::PROTOCOL, ip::header);
    Ok(())
}

fn advertisement(wire: &mut Wire<'_>) -> Result {
    wire.u8(&COUNT)?;
    wire.u8(&ENTRY_SIZE)?;
    wire.u16_be(&LIFETIME).map(drop)
}

fn timestamps(wire: &mut Wire<'_>) -> Result {
    echo(wire)?;
    wire.u32_be(&ORIGINATE)?;
    wire.u32_be(&RECEIVE)?;
    wire.u32_be(&TRANSMIT).map(drop)
}
