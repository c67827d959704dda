//! A session log in the format of the proxy RSProx: a short session with a world of OSRS 223, opcodes in plaintext.

use super::hex;
use crate::Result;
use crate::tcp::Side::{self, Client, Server};

/// Milliseconds since 1970 of all samples.
const BEGIN: u64 = 1_448_400_000_000;

/// Milliseconds since the previous record, the side, and the packet: opcode, length if any, payload.
const RECORDS: &[(u64, Side, &str)] = &[
    // The map, interfaces, player options and settings.
    (0, Server, "62 0008 0087 0112 9101 0000"),
    (0, Server, "0E A400"),
    (0, Server, "6C 7FA20000A50002"),
    (0, Server, "0D 0011 A2000100 4D6172656E27732062616E6B00"),
    (0, Server, "7A 5A00320001"),
    (0, Server, "17 80246A4000005C"),
    (0, Server, "19 768500"),
    (0, Server, "2C 94000737E1DF"),
    (0, Server, "6B 2710"),
    (0, Server, "1B FFF6"),
    (1, Server, "1D 0100 0000 0000 8000 8000"),
    (2, Server, "5F 15 6D 00 4D696E6420746865206761702C206D61746500"),
    (3, Server, "6A"),
    // The client reports its window and the loaded map.
    (41, Client, "16 02 0400 0300"),
    (0, Client, "46"),
    (230, Client, "56 0180 8004"),
    // The player walks, an item is dropped, and a dialogue with a guard asks for an amount.
    (318, Client, "38 05 710D000CEF"),
    (12, Server, "26 0000 80 0735 9F 80 0000 00000100 75"),
    (0, Server, "2D 0004 00FFE000"),
    (0, Server, "6A"),
    (588, Client, "5C 310C00"),
    (9, Server, "4A 12345678 00000C17"),
    (4, Client, "52 7E 78563412 00000C17 B2"),
    (601, Client, "51 0000001C"),
    (40, Client, "49 00A50003"),
    (70, Client, "07 09 6974656D2039393500"),
    (488, Client, "2C"),
    (20_001, Client, "5A"),
    (3, Server, "45 00"),
];

/// The log.
pub fn log() -> Result<Vec<u8>> {
    let mut file = header(223, 1094);
    for (passed, side, packet) in RECORDS {
        file.extend(number(passed << 1 | u64::from(matches!(side, Server))));
        file.extend(hex(packet)?);
    }
    Ok(file)
}

/// The header of a log of this revision with this index of the local player.
pub fn header(revision: u32, own: u16) -> Vec<u8> {
    let mut file = [1_u32, revision, 1].map(u32::to_be_bytes).concat();
    file.extend([5, 1]);
    file.extend(BEGIN.to_be_bytes());
    file.extend(301_u16.to_be_bytes());
    file.extend(0x0000_0001_u32.to_be_bytes());
    file.push(7);
    file.extend(b"world301.example\0");
    file.extend(b"Trade\0");
    file.extend(own.to_be_bytes());
    file.extend([0, 4, 0x5e, 0xed, 0xca, 0x75]);
    file.extend(b"native\0");
    file.extend([0, 0, 0, 3, 0xff, 0xfe, 0xfd]);
    file
}

/// Seven bits per byte, most significant first.
pub fn number(number: u64) -> Vec<u8> {
    let groups = [14, 7, 0].map(|shift| (number >> shift & 0x7f).to_le_bytes()[0]);
    let first = groups[..2].iter().position(|group| *group > 0).unwrap_or(2);
    groups.iter().enumerate().skip(first).map(|(at, group)| if at < 2 { group | 0x80 } else { *group }).collect()
}
