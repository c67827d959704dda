//! Frame Relay with an address of two bytes, in the framing of RFC 2427 and in that of Cisco.
//!
//! ```text
//! connection:6 cr:1 0:1 connection:4 congestion:2 drop:1 1:1 | type:2                                  Cisco
//! address:2 | control:1 (03) | padding:1, if it is 0 | network layer:1 | (organisation:3 | type:2, if that is 80)
//! ```

use super::ethernet::{ETHER_TYPES, rest};
use super::{HeaderPayload, Next, layer};
use crate::tree::{Names, Value, fields};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&FR, FIELDS);

fields! {
    FR = protocol("fr", "Frame Relay", "Frame Relay");
    ADDRESS = number("fr.address", "Address", "Two bytes").hex(4).once();
    UPPER = number("fr.upper_dlci", "Upper DLCI", "High bits of the DLCI").hex(2).mask(0xfc00).once();
    CR = bool("fr.cr", "CR", "Command or response").mask(0x0200).once();
    LOWER = number("fr.second_dlci", "Second DLCI", "Low bits of the DLCI").hex(2).mask(0x00f0).once();
    FECN = bool("fr.fecn", "FECN", "Forward explicit congestion notification").mask(0x0008).once();
    BECN = bool("fr.becn", "BECN", "Backward explicit congestion notification").mask(0x0004).once();
    DE = bool("fr.de", "DE", "Discard eligibility").mask(0x0002).once();
    EA = bool("fr.ea", "EA", "Extended address: the last byte of the address").mask(0x0001).once();
    DLCI = number("fr.dlci", "DLCI", "Data link connection identifier").once();
    CONTROL = number("fr.control", "Control", "3: unnumbered information").hex(2);
    NLPID = number("fr.nlpid", "NLPID", "Network layer protocol ID").hex(2).names(NETWORK_LAYERS);
    PADDING = bytes("fr.padding", "Padding", "0");
    OUI = number("fr.snap.oui", "Organization code", "SNAP OUI").hex(6);
    PID = number("fr.snap.pid", "Protocol ID", "Protocol of the payload").hex(4);
    TYPE = number("fr.chdlctype", "Type", "EtherType of the payload (Cisco encapsulation)").hex(4).names(ETHER_TYPES).once();
}

const NETWORK_LAYERS: Names = &[(0x80, "SNAP"), (0x8e, "IPv6"), (0xcc, "IPv4")];

/// A frame of Frame Relay with an address of two bytes.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    const UNNUMBERED: u8 = 0x03;
    const SNAP: u8 = 0x80;
    let bits = [&UPPER, &CR, &LOWER, &FECN, &BECN, &DE, &EA];
    let address = wire.flags(&ADDRESS, 2, &bits)?;
    let dlci = UPPER.bits_of(address) << 4 | LOWER.bits_of(address);
    wire.add(&DLCI, Value::Unsigned(dlci));
    wire.info(format_args!("DLCI {dlci}"));
    if wire.peek_u8() != Some(UNNUMBERED) {
        let kind = wire.u16_be(&TYPE)?;
        return Ok(HeaderPayload::new(Next::EtherType(kind), rest(wire), missing));
    }
    wire.u8(&CONTROL)?;
    if wire.peek_u8() == Some(0) {
        wire.bytes(&PADDING, 1)?;
    }
    let next = match wire.u8(&NLPID)? {
        0xcc | 0x8e => Next::Ip,
        SNAP => {
            let oui = wire.u24_be(&OUI)?;
            let kind = wire.u16_be(&PID)?;
            if oui == 0 { Next::EtherType(kind) } else { Next::Data }
        }
        _ => Next::Data,
    };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use crate::layers::{Next, trial};

    #[test]
    fn cisco_framing() {
        insta::assert_snapshot!(trial::layers(Next::Link(107), &["1861 88b5 01"]), @r#"
        fr 0..4 | DLCI 102
          0..2 fr.address = 0x1861
            0..2 fr.upper_dlci = 0x06
            0..2 fr.cr = false
            0..2 fr.second_dlci = 0x06
            0..2 fr.fecn = false
            0..2 fr.becn = false
            0..2 fr.de = false
            0..2 fr.ea = true
          fr.dlci = 102
          2..4 fr.chdlctype = 0x88b5
        data 4..5 | 1 bytes
          4..5 data.data = 01
        "#);
    }

    #[test]
    fn the_framing_of_rfc_2427() {
        insta::assert_snapshot!(trial::layers(Next::Link(107), &["1861 03 00 80 000000 88b5 01"]), @r#"
        fr 0..10 | DLCI 102
          0..2 fr.address = 0x1861
            0..2 fr.upper_dlci = 0x06
            0..2 fr.cr = false
            0..2 fr.second_dlci = 0x06
            0..2 fr.fecn = false
            0..2 fr.becn = false
            0..2 fr.de = false
            0..2 fr.ea = true
          fr.dlci = 102
          2..3 fr.control = 0x03
          3..4 fr.padding = 00
          4..5 fr.nlpid = 0x80 (SNAP)
          5..8 fr.snap.oui = 0x000000
          8..10 fr.snap.pid = 0x88b5
        data 10..11 | 1 bytes
          10..11 data.data = 01
        "#);
    }
}
