//! MPLS, Multiprotocol Label Switching (RFC 3032): a label stack as one layer.
//!
//! ```text
//! label:20 class:3 bottom:1 ttl:8 | ... up to the one that is the bottom | packet
//! ```
//!
//! No field states the payload type. Its first four bits identify IP (4 and 6) and the associated channel (1); other payload may
//! be an Ethernet pseudowire, detected heuristically.

use super::ethernet::{self, Heuristic, rest};
use super::{Described, HeaderPayload, Next, layer, pseudowire};
use crate::tree::fields;
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&MPLS, FIELDS);

/// A label stack on its UDP port.
pub(super) static LABELS: Described = Described { protocol: &PROTOCOL, header: labels };

fields! {
    MPLS = protocol("mpls", "MPLS", "Multiprotocol Label Switching");
    LABEL = number("mpls.label", "Label", "").mask(0xffff_f000);
    EXP = number("mpls.exp", "Traffic class", "Formerly the experimental bits").mask(0x0e00);
    BOTTOM = number("mpls.bottom", "Bottom of stack", "1 for the last label").mask(0x0100);
    TTL = number("mpls.ttl", "Time to live", "").mask(0x00ff);
}

const LABEL_BYTES: usize = 4;

/// Labels down to the bottom of the stack.
pub(super) fn labels(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let mut count = 0;
    let mut outer = 0;
    loop {
        let raw = wire.bits(LABEL_BYTES, &[&LABEL, &EXP, &BOTTOM, &TTL])?;
        count += 1;
        if count == 1 {
            outer = LABEL.bits_of(raw);
            wire.info(format_args!("label {outer}"));
        }
        if BOTTOM.bits_of(raw) == 1 {
            if count > 1 {
                wire.info(format_args!("label {outer} to {}, {count} in all", LABEL.bits_of(raw)));
            }
            return Ok(HeaderPayload::new(next(wire.ahead(), missing), rest(wire), missing));
        }
    }
}

fn next(packet: &[u8], missing: usize) -> Next {
    let Some(first) = packet.first() else { return Next::Nothing };
    match first >> 4 {
        4 | 6 => Next::Ip,
        1 => Next::Header(&pseudowire::CHANNEL),
        // A truncated packet might be classified differently from the whole.
        0 if missing > 0 && packet.len() < pseudowire::WORD + ethernet::Header::LEN => Next::Data,
        0 => {
            let with_word = packet.get(pseudowire::WORD..).map_or(Heuristic::No, ethernet::is_plausible);
            match ethernet::is_plausible(packet) {
                without if without > with_word => Next::Header(&ethernet::FRAME),
                _ if with_word > Heuristic::No => Next::Header(&pseudowire::CONTROL_WORD),
                _ => Next::Data,
            }
        }
        _ if ethernet::is_plausible(packet) > Heuristic::No => Next::Header(&ethernet::FRAME),
        _ => Next::Data,
    }
}

/// Whether a label stack may begin here: it has a bottom, unless it is truncated.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    const DEEPEST: usize = 16;
    let mut labels = bytes.chunks_exact(LABEL_BYTES).take(DEEPEST);
    labels.any(|label| label.get(2).is_some_and(|bits| bits & 1 == 1)) || bytes.len() < DEEPEST * LABEL_BYTES
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn two_labels_and_a_pseudowire_are_read() {
        let frame = [
            "0001 20fe",                      // label 18, not the last
            "0001 01ff",                      // label 16, the last
            "0000 0007",                      // control word, frame 7
            "020000000002 020000000001 88cc", // Ethernet, LLDP
            "0000",                           // End of LLDPDU
        ];
        insta::assert_snapshot!(layers(Next::EtherType(0x8847), &frame), @"
        mpls 0..8 | label 18 to 16, 2 in all
          0..4 mpls.label = 18
          0..4 mpls.exp = 0
          0..4 mpls.bottom = 0
          0..4 mpls.ttl = 254
          4..8 mpls.label = 16
          4..8 mpls.exp = 0
          4..8 mpls.bottom = 1
          4..8 mpls.ttl = 255
        pweth 8..12
          8..12 pweth.cw = 0x00000007
            8..12 pweth.cw.sequence_number = 7
        eth 12..26 | 02:00:00:00:00:01 → 02:00:00:00:00:02
          12..18 eth.dst = 02:00:00:00:00:02
          18..24 eth.src = 02:00:00:00:00:01
          24..26 eth.type = 0x88cc (LLDP)
        lldp 26..28
          26..28 lldp.tlv
            26..28 lldp.tlv.type = 0 (end)
            26..28 lldp.tlv.len = 0
        ");
    }

    #[test]
    fn labels_before_ip_are_recognized_by_its_version() {
        let frame = [
            "0001 0140", // label 16, the last
            "65",        // IPv6, and no more of it
        ];
        insta::assert_snapshot!(layers(Next::EtherType(0x8847), &frame), @"
        mpls 0..4 | label 16
          0..4 mpls.label = 16
          0..4 mpls.exp = 0
          0..4 mpls.bottom = 1
          0..4 mpls.ttl = 64
        ipv6 4..5
          4..5 data.data = 65
        ! broken dissect.short at 4..5 ipv6: 3 more bytes needed, 1 left
        ");
    }

    #[test]
    fn a_stack_that_is_cut_is_noted() {
        let frame = [
            "0001 20fe", // label 18, not the last
            "0001",      // half a label
        ];
        insta::assert_snapshot!(cut(Next::EtherType(0x8847), &frame, 10), @"
        mpls 0..6 | label 18
          0..4 mpls.label = 18
          0..4 mpls.exp = 0
          0..4 mpls.bottom = 0
          0..4 mpls.ttl = 254
          4..6 data.data = 0001
        ! broken dissect.cut at 4..6 mpls: the capture holds 2 bytes too few of this frame
        ");
    }
}
