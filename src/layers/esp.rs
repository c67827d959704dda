//! ESP: encrypted payload of IPsec (RFC 4303).
//!
//! ```text
//! SPI:4 | sequence number:4 | encrypted payload, its padding and check value
//! ```
//! Not covered: decryption, and the length of the integrity check value, which is negotiated.

use crate::tree::fields;
use crate::wire::{Found, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&ESP, FIELDS).found(FOUND);

const FOUND: &[Found] = &[
    On::IpProtocol(50).datagram(Heuristic::Anything, packet),
    // In UDP datagrams, RFC 3948.
    On::Over("esp").datagram(Heuristic::Anything, packet),
];

fields! {
    ESP = protocol("esp", "ESP", "Encapsulating Security Payload");
    SPI = number("esp.spi", "ESP SPI", "Security parameters index").hex(8).once();
    SEQUENCE = number("esp.sequence", "ESP sequence", "Counter of the security association").once();
    ENCRYPTED = bytes("esp.encrypted_data", "ESP encrypted data", "").encrypted().once();
}

fn packet(wire: &mut Wire<'_>) -> Result {
    let spi = wire.u32_be(&SPI)?;
    let sequence = wire.u32_be(&SEQUENCE)?;
    wire.info(format_args!("SPI {spi:#010x}, sequence number {sequence}"));
    wire.rest_is(&ENCRYPTED)
}

#[cfg(test)]
mod tests {
    use crate::layers::Next;
    use crate::layers::trial::{cut, layers};

    #[test]
    fn a_packet_is_read_and_one_that_is_cut_is_noted() {
        insta::assert_snapshot!(layers(Next::IpProtocol(50), &["48dac2e4 00000003 8f1b60aa"]), @"
        esp 0..12 | SPI 0x48dac2e4, sequence number 3
          0..4 esp.spi = 0x48dac2e4
          4..8 esp.sequence = 3
          8..12 esp.encrypted_data = 8f1b60aa
        ");
        insta::assert_snapshot!(cut(Next::IpProtocol(50), &["48dac2e4 0000"], 30), @"
        esp 0..6
          0..4 esp.spi = 0x48dac2e4
          4..6 data.data = 0000
        ! broken dissect.cut at 4..6 esp: the capture holds 2 bytes too few of this frame
        ");
    }
}
