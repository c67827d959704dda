//! ICMPv6 (RFC 4443) with neighbour discovery (RFC 4861), and the packet that an error quotes.
//!
//! ```text
//! type:1 | code:1 | checksum:2 | body, by type
//! option  type:1 | length:1 in units of eight bytes, itself counted | data
//! ```

use super::{Carried, ipv6, layer};
use crate::tree::{Names, fields, name_of};
use crate::wire::{Protocol, Result, Wire, data};

/// ICMPv6.
pub static PROTOCOL: Protocol = layer(&ICMPV6, FIELDS);

fields! {
    ICMPV6 = protocol("icmpv6", "ICMPv6", "Internet Control Message Protocol version 6");
    TYPE = number("icmpv6.type", "Type", "What it is about").names(TYPES);
    CODE = number("icmpv6.code", "Code", "Details of the type");
    CHECKSUM = number("icmpv6.checksum", "Checksum", "Of the message and a pseudo-header").hex(4);
    IDENT = number("icmpv6.echo.identifier", "Identifier", "Which series of echoes").hex(4);
    SEQ = number("icmpv6.echo.sequence_number", "Sequence", "Which echo of the series");
    RESERVED = bytes("icmpv6.reserved", "Reserved", "Zero");
    MTU = number("icmpv6.mtu", "MTU", "The largest packet that passes");
    POINTER = number("icmpv6.pointer", "Pointer", "Where the quoted packet is wrong");
    RA_HOP_LIMIT = number("icmpv6.nd.ra.cur_hop_limit", "Hop limit", "For hosts to use");
    RA_FLAG = number("icmpv6.nd.ra.flag", "Flags", "How hosts get addresses").hex(2);
    RA_LIFETIME = number("icmpv6.nd.ra.router_lifetime", "Router lifetime", "Seconds");
    RA_REACHABLE = number("icmpv6.nd.ra.reachable_time", "Reachable time", "Milliseconds");
    RA_RETRANS = number("icmpv6.nd.ra.retrans_timer", "Retransmission timer", "Milliseconds");
    NS_TARGET = ipv6("icmpv6.nd.ns.target_address", "Target address", "Who is looked for");
    NA_FLAG = number("icmpv6.nd.na.flag", "Flags", "Router, solicited, override").hex(8);
    NA_ROUTER = bool("icmpv6.nd.na.flag.r", "Router", "The sender is a router").mask(0x8000_0000);
    NA_SOLICITED = bool("icmpv6.nd.na.flag.s", "Solicited", "An answer").mask(0x4000_0000);
    NA_OVERRIDE = bool("icmpv6.nd.na.flag.o", "Override", "Replaces what is known").mask(0x2000_0000);
    NA_TARGET = ipv6("icmpv6.nd.na.target_address", "Target address", "Whose address it is");
    RD_TARGET = ipv6("icmpv6.rd.na.target_address", "Target address", "The better next hop");
    RD_DST = ipv6("icmpv6.rd.na.destination_address", "Destination address", "For which destination");
    OPT = group("icmpv6.opt", "Option", "An option");
    OPT_TYPE = number("icmpv6.opt.type", "Type", "Which option").names(OPTIONS);
    OPT_LENGTH = number("icmpv6.opt.length", "Length", "Units of eight bytes");
    OPT_ADDR = mac("icmpv6.opt.linkaddr", "Link-layer address", "An Ethernet address");
    OPT_DATA = bytes("icmpv6.opt.data", "Data", "What the option says");
    OPT_BAD = broken("icmpv6.note.option", "bad option", "An option's length cannot be");
}

const TYPES: Names = &[
    (1, "destination unreachable"),
    (2, "packet too big"),
    (3, "time exceeded"),
    (4, "parameter problem"),
    (128, "echo request"),
    (129, "echo reply"),
    (130, "multicast listener query"),
    (131, "multicast listener report"),
    (132, "multicast listener done"),
    (133, "router solicitation"),
    (134, "router advertisement"),
    (135, "neighbour solicitation"),
    (136, "neighbour advertisement"),
    (137, "redirect"),
    (143, "multicast listener report v2"),
];
const OPTIONS: Names = &[
    (1, "source link-layer address"),
    (2, "target link-layer address"),
    (3, "prefix information"),
    (4, "redirected header"),
    (5, "MTU"),
    (24, "route information"),
    (25, "recursive DNS server"),
    (31, "DNS search list"),
];

/// An ICMPv6 message.
pub(super) fn header(wire: &mut Wire<'_>, _missing: usize) -> Result<Carried> {
    let kind = wire.u8(&TYPE)?;
    wire.u8(&CODE)?;
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
    wire.u16_be(&CHECKSUM)?;
    match kind {
        1..=4 => error(wire, kind)?,
        128 | 129 => echo(wire)?,
        133 => {
            wire.bytes(&RESERVED, 4)?;
            options(wire)?;
        }
        134 => router_advertisement(wire)?,
        135 => neighbour_solicitation(wire)?,
        136 => neighbour_advertisement(wire)?,
        137 => {
            wire.bytes(&RESERVED, 4)?;
            wire.bytes(&RD_TARGET, 16)?;
            wire.bytes(&RD_DST, 16)?;
            options(wire)?;
        }
        _ => {}
    }
    wire.rest(&data::BYTES);
    Ok(Carried::nothing(wire.at()))
}

/// An error: what it needs to say, then the beginning of the packet it is about.
fn error(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        2 => wire.u32_be(&MTU).map(drop)?,
        4 => wire.u32_be(&POINTER).map(drop)?,
        _ => wire.bytes(&RESERVED, 4).map(drop)?,
    }
    super::quoted(wire, &ipv6::PROTOCOL, ipv6::header);
    Ok(())
}

fn echo(wire: &mut Wire<'_>) -> Result {
    let ident = wire.u16_be(&IDENT)?;
    let seq = wire.u16_be(&SEQ)?;
    wire.info(format_args!("id {ident:#06x}, sequence {seq}"));
    Ok(())
}

fn router_advertisement(wire: &mut Wire<'_>) -> Result {
    wire.u8(&RA_HOP_LIMIT)?;
    wire.u8(&RA_FLAG)?;
    wire.u16_be(&RA_LIFETIME)?;
    wire.u32_be(&RA_REACHABLE)?;
    wire.u32_be(&RA_RETRANS)?;
    options(wire)
}

fn neighbour_solicitation(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&RESERVED, 4)?;
    wire.bytes(&NS_TARGET, 16)?;
    options(wire)
}

fn neighbour_advertisement(wire: &mut Wire<'_>) -> Result {
    wire.flags(&NA_FLAG, 4, &[&NA_ROUTER, &NA_SOLICITED, &NA_OVERRIDE])?;
    wire.bytes(&NA_TARGET, 16)?;
    options(wire)
}

/// Options up to the end.
fn options(wire: &mut Wire<'_>) -> Result {
    const UNIT: usize = 8;
    while wire.remaining() > 0 {
        wire.group(&OPT, |wire| {
            let kind = wire.u8(&OPT_TYPE)?;
            let length = UNIT * usize::from(wire.u8(&OPT_LENGTH)?);
            if length == 0 {
                return wire.malformed(&OPT_BAD, format_args!("an option of no length"));
            }
            let field = if matches!(kind, 1 | 2) && length == UNIT { &OPT_ADDR } else { &OPT_DATA };
            wire.bytes(field, length - 2).map(drop)
        })?;
    }
    Ok(())
}
