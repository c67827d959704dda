//! Checksums of 16 bits.

use super::Argument;

/// A CRC of 16 bits, as catalogues describe one.
#[derive(Clone, Copy)]
struct Crc {
    name: &'static str,
    poly: u16,
    init: u16,
    reflected: bool,
    xor_out: u16,
}

const fn crc(name: &'static str, poly: u16, init: u16, reflected: bool, xor_out: u16) -> Crc {
    Crc { name, poly, init, reflected, xor_out }
}

/// The variants with a name; the first one is used without one.
const VARIANTS: [Crc; 7] = [
    crc("arc", 0x8005, 0, true, 0),
    crc("modbus", 0x8005, 0xffff, true, 0),
    crc("usb", 0x8005, 0xffff, true, 0xffff),
    crc("xmodem", 0x1021, 0, false, 0),
    crc("ccitt_false", 0x1021, 0xffff, false, 0),
    crc("kermit", 0x1021, 0, true, 0),
    crc("x25", 0x1021, 0xffff, true, 0xffff),
];

impl Crc {
    fn of(self, bytes: &[u8]) -> u16 {
        let poly = if self.reflected { self.poly.reverse_bits() } else { self.poly };
        let mut sum = self.init;
        for byte in bytes {
            sum ^= if self.reflected { u16::from(*byte) } else { u16::from(*byte) << 8 };
            for _ in 0..8 {
                let (out, shifted) = if self.reflected { (sum & 1, sum >> 1) } else { (sum >> 15, sum << 1) };
                sum = if out == 0 { shifted } else { shifted ^ poly };
            }
        }
        sum ^ self.xor_out
    }
}

/// CRC-16 of a variant: its name, or a polynomial.
pub(super) fn crc16(bytes: &[u8], variant: Option<&Argument>) -> Result<u16, String> {
    let [first, ..] = VARIANTS;
    let chosen = match variant {
        None => Some(first),
        Some(Argument::Int(poly)) => u16::try_from(*poly).ok().map(|poly| crc("", poly, 0, false, 0)),
        Some(Argument::Text(name)) => VARIANTS.iter().copied().find(|known| known.name == name),
        Some(_) => None,
    };
    let names = VARIANTS.map(|known| known.name).join(", ");
    chosen.map(|crc| crc.of(bytes)).ok_or_else(|| format!("`variant` must be a polynomial of 16 bits, or one of {names}"))
}

/// Fletcher-16: sums modulo 255, the second one in the high byte.
pub(super) fn fletcher16(bytes: &[u8]) -> u16 {
    let (low, high) = bytes.iter().fold((0, 0), |(low, high), byte| {
        let low = (low + u16::from(*byte)) % 255;
        (low, (high + low) % 255)
    });
    high << 8 | low
}
