//! GENEVE, packets of virtual networks in UDP, with options (RFC 8926).
//!
//! ```text
//! header  version:2 options:6, in units of four bytes | O:1 C:1 reserved:6 | type:2 | VNI:3 | reserved:1
//! option  class:2 | C:1 type:7 | reserved:3 length:5, in units of four bytes | data
//! ```
//!
//! The type is an EtherType. Not covered: the content of options.

use super::ethernet::{ETHER_TYPES, rest};
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Value, fields, title};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&GENEVE, FIELDS);

/// A GENEVE header.
pub(super) static HEADER: Described = Described { protocol: &PROTOCOL, header };

fields! {
    GENEVE = protocol("geneve", "GENEVE", "Generic Network Virtualization Encapsulation");
    VERSION = number("geneve.version", "Version", "0").mask(0xc0).once();
    FLAGS = number("geneve.flags", "Flags", "").hex(2).once();
    OAM = bool("geneve.flags.oam", "OAM", "Control packet").mask(0x80).once();
    CRITICAL = bool("geneve.flags.critical", "Critical options", "At least one critical option is present").mask(0x40).once();
    RESERVED_FLAGS = bool("geneve.flags.reserved", "Reserved", "").mask(0x3f).once();
    PROTO = number("geneve.proto_type", "Protocol type", "Protocol of the payload").hex(4).names(ETHER_TYPES).once();
    VNI = number("geneve.vni", "VNI", "Virtual network identifier").hex(6).once();
    RESERVED = number("geneve.reserved", "Reserved", "").hex(2).once();
    OPTIONS = group("geneve.options", "Options", "").valued().once();
    OPTION = group("geneve.option", "Option", "").valued().titled(title::kind);
    OPTION_CLASS = number("geneve.option.class", "Class", "Namespace of the option type").hex(4).once_per(&OPTION);
    OPTION_TYPE = number("geneve.option.type", "Type", "Type within the class").hex(2).once_per(&OPTION);
    OPTION_CRITICAL = bool("geneve.option.type.critical", "Critical", "The receiver must support the option").mask(0x80).once_per(&OPTION);
    OPTION_RESERVED = bool("geneve.option.flags.reserved", "Reserved", "").mask(0xe0).once_per(&OPTION);
    LENGTH = number("geneve.option.length", "Length", "Bytes of all options, or of one with its header; on the wire in units of four");
    OPTION_DATA = bytes("geneve.option.unknown.data", "Data", "").once_per(&OPTION);
}

const UNIT: u64 = 4;

/// Whether a header may begin here: version and reserved bits are 0.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    let zero = |at: usize, mask: u8| bytes.get(at).is_none_or(|byte| byte & mask == 0);
    zero(0, 0xc0) && zero(1, 0x3f) && zero(7, 0xff)
}

fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let start = wire.at();
    let first = wire.bits(1, &[&VERSION])?;
    let options = UNIT * (first & 0x3f);
    wire.put(&LENGTH, Value::Unsigned(options), start..start + 1);
    wire.flags(&FLAGS, 1, &[&OAM, &CRITICAL, &RESERVED_FLAGS])?;
    let kind = wire.u16_be(&PROTO)?;
    let number = wire.u24_be(&VNI)?;
    wire.info(format_args!("VNI {number:#08x}"));
    wire.tag(number.into());
    wire.u8(&RESERVED)?;
    if options > 0 {
        wire.group(&OPTIONS, |wire| {
            wire.within(usize::try_from(options).unwrap_or_default(), &OPTION_DATA, |wire| wire.groups(&OPTION, option))
        })?;
    }
    Ok(HeaderPayload::new(Next::EtherType(kind), rest(wire), missing))
}

fn option(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&OPTION_CLASS)?;
    wire.flags(&OPTION_TYPE, 1, &[&OPTION_CRITICAL])?;
    let at = wire.at();
    let raw = wire.bits(1, &[&OPTION_RESERVED])?;
    let data = UNIT * (raw & 0x1f);
    wire.put(&LENGTH, Value::Unsigned(data + UNIT), at..at + 1);
    match usize::try_from(data) {
        Ok(data) if data > 0 => wire.bytes(&OPTION_DATA, data).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::layers;

    #[test]
    fn options_are_read() {
        let frame = [
            "02 40 88cc",          // 8 bytes of options, critical ones; LLDP
            "00aa01 00",           // network
            "0102 80 01 deadbeef", // class 258, critical type, 4 bytes
            "0000",                // LLDP
        ];
        insta::assert_snapshot!(layers(Next::Header(&HEADER), &frame), @"
        geneve 0..16 | VNI 0x00aa01
          0..1 geneve.version = 0
          0..1 geneve.option.length = 8
          1..2 geneve.flags = 0x40
            1..2 geneve.flags.oam = false
            1..2 geneve.flags.critical = true
            1..2 geneve.flags.reserved = false
          2..4 geneve.proto_type = 0x88cc (LLDP)
          4..7 geneve.vni = 0x00aa01
          7..8 geneve.reserved = 0x00
          8..16 geneve.options
            8..16 geneve.option
              8..10 geneve.option.class = 0x0102
              10..11 geneve.option.type = 0x80
                10..11 geneve.option.type.critical = true
              11..12 geneve.option.flags.reserved = false
              11..12 geneve.option.length = 8
              12..16 geneve.option.unknown.data = deadbeef
        lldp 16..18
          16..18 lldp.tlv
            16..18 lldp.tlv.type = 0 (end)
            16..18 lldp.tlv.len = 0
        ");
    }

    #[test]
    fn an_option_longer_than_all_is_noted() {
        let frame = [
            "01 00 88cc", // 4 bytes of options; LLDP
            "00aa01 00",  // network
            "0102 01 03", // an option of 12 bytes more
            "0000",       // LLDP
        ];
        insta::assert_snapshot!(layers(Next::Header(&HEADER), &frame), @"
        geneve 0..14 | VNI 0x00aa01
          0..1 geneve.version = 0
          0..1 geneve.option.length = 4
          1..2 geneve.flags = 0x00
            1..2 geneve.flags.oam = false
            1..2 geneve.flags.critical = false
            1..2 geneve.flags.reserved = false
          2..4 geneve.proto_type = 0x88cc (LLDP)
          4..7 geneve.vni = 0x00aa01
          7..8 geneve.reserved = 0x00
          8..12 geneve.options
            8..12 geneve.option
              8..10 geneve.option.class = 0x0102
              10..11 geneve.option.type = 0x01
                10..11 geneve.option.type.critical = false
              11..12 geneve.option.flags.reserved = false
              11..12 geneve.option.length = 16
          12..14 data.data = 0000
        ! broken dissect.short at 12..14 geneve: 12 more bytes needed, 2 left
        ");
    }
}
