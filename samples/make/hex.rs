//! The three hex dump formats of the samples, exactly as other programs write them.

use std::fmt::Write;

use crate::tcp::{Delivered, Side};

/// Bytes of hexadecimal text; other characters are skipped.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).filter_map(|digit| digit.try_into().ok()).collect();
    digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}

/// Writes the format of `xxd`: eight groups of two bytes.
pub fn xxd(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (row, offset) in bytes.chunks(16).zip((0..).step_by(16)) {
        let mut hex = String::new();
        for pair in row.chunks(2) {
            for byte in pair {
                let _ = write!(hex, "{byte:02x}"); // a String takes everything
            }
            hex.push(' ');
        }
        let shown: String = row.iter().map(|byte| shown(*byte)).collect();
        let _ = writeln!(text, "{offset:08x}: {hex:<40} {shown}");
    }
    text
}

/// Writes pairs of digits only, sixteen per line.
pub fn pairs(bytes: &[u8]) -> String {
    let mut text = String::new();
    for row in bytes.chunks(16) {
        let row: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(text, "{}", row.join(" "));
    }
    text
}

/// Writes Wireshark's "Follow TCP Stream" hex dump: an offset for each direction, the server's rows indented.
pub fn follow<'a>(delivered: impl IntoIterator<Item = &'a Delivered>) -> String {
    let mut text = String::new();
    let (mut client, mut server) = (0, 0);
    for delivered in delivered {
        let (indent, offset) = match delivered.from {
            Side::Client => ("", &mut client),
            Side::Server => ("    ", &mut server),
        };
        for row in delivered.bytes.chunks(16) {
            let mut hex = String::new();
            let mut ascii = String::new();
            for (column, byte) in row.iter().enumerate() {
                if column == 8 {
                    hex.push(' ');
                    ascii.push(' ');
                }
                let _ = write!(hex, "{byte:02x} ");
                ascii.push(shown(*byte));
            }
            let _ = writeln!(text, "{indent}{offset:08X}  {hex:<49}{ascii}");
            *offset += row.len();
        }
    }
    text
}

fn shown(byte: u8) -> char {
    match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }
}
