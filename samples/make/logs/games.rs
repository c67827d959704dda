//! World of Warcraft `.pkt` and MapleShark `.msb`: a short visit each, with opcodes and invented values.

use super::BEGIN;
use crate::Result;
use crate::tcp::Side::{self, Client, Server};

/// Milliseconds since the start, the side, the opcode and the payload.
const VISIT: &[(u32, Side, u32, &[u8])] = &[
    (0, Server, 0x01ec, b"\x01\0\0\0\x5e\xed\xca\x75"),
    (40, Client, 0x01ed, b"\x34\x30\0\0\0\0\0\0MAREN\0\x10\x20\x30\x40"),
    (95, Server, 0x01ee, b"\x0c\0\0\0\0\0\0\0\0\0\x02"),
    (130, Client, 0x0037, b""),
    (170, Server, 0x003b, b"\x01\x17\0\0\0\0\0\0\0Maren\0\x04\x01\0"),
    (900, Client, 0x003d, b"\x17\0\0\0\0\0\0\0"),
    (1000, Server, 0x0236, b"\x01\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\0\0"),
    (30_000, Client, 0x01dc, b"\x01\0\0\0\x2a\0\0\0"),
    (30_040, Server, 0x01dd, b"\x01\0\0\0"),
    (60_000, Client, 0x01dc, b"\x02\0\0\0\x2b\0\0\0"),
    (60_041, Server, 0x01dd, b"\x02\0\0\0"),
    (61_000, Client, 0x004b, b""),
    (61_020, Server, 0x004d, b""),
];

/// Session key of the logs.
const KEY: [u8; 40] = [
    0x9a, 0x1f, 0x2e, 0x3d, 0x4c, 0x5b, 0x6a, 0x79, 0x88, 0x97, 0xa6, 0xb5, 0xc4, 0xd3, 0xe2, 0xf1, 0x01, 0x12, 0x23, 0x34, 0x45,
    0x56, 0x67, 0x78, 0x89, 0x9a, 0xab, 0xbc, 0xcd, 0xde, 0xef, 0xf0, 0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78,
];

/// Version 3.1 as the PacketLogger of TrinityCore writes it: with the endpoint of each client. The last packets are Battle.net's.
pub fn wow_31() -> Result<Vec<u8>> {
    const TICK: u32 = 77_000;
    let remark = b"made for samples";
    let mut file = b"PKT\x01\x03T".to_vec();
    file.extend(12_340_u32.to_le_bytes());
    file.extend(b"enUS");
    file.extend(KEY);
    file.extend(BEGIN.to_le_bytes());
    file.extend(TICK.to_le_bytes());
    file.extend(u32::try_from(remark.len())?.to_le_bytes());
    file.extend(remark);
    let mut record = |direction: &[u8; 4], connection: u32, time: u32, opcode: u32, payload: &[u8]| -> Result {
        file.extend(direction);
        for number in [connection, TICK + time, 20, u32::try_from(payload.len() + 4)?] {
            file.extend(number.to_le_bytes());
        }
        file.extend([192, 0, 2, 77]);
        file.extend([0; 12]);
        file.extend((51_000 + connection).to_le_bytes());
        file.extend(opcode.to_le_bytes());
        file.extend(payload);
        Ok(())
    };
    for (time, side, opcode, payload) in VISIT {
        record(if matches!(side, Client) { b"CMSG" } else { b"SMSG" }, 0, *time, *opcode, payload)?;
    }
    // A second connection has a message of 70,000 bytes, which takes two segments.
    record(b"CMSG", 1, 61_100, 0x01ed, b"\x34\x30\0\0\x01\0\0\0ODO\0\x50\x60\x70\x80")?;
    record(b"SMSG", 1, 61_140, 0x00a9, &[0x5a; 70_000])?;
    record(b"C_BN", 2, 61_200, 0x0002, b"WoW\0ENUS")?;
    record(b"S_BN", 2, 61_260, 0x0000, b"\x01")?;
    Ok(file)
}

/// Version 2.2: times in seconds, opcodes of the server in two bytes.
pub fn wow_22() -> Result<Vec<u8>> {
    let mut file = b"PKT\x02\x02\x0c".to_vec();
    file.extend(8606_u16.to_le_bytes());
    file.extend(b"deDE");
    file.extend(&KEY[..20]);
    let realm = b"Mossgrund";
    file.extend(realm);
    file.extend(vec![0; 64 - realm.len()]);
    for (time, side, opcode, payload) in VISIT {
        let is_server = matches!(side, Server);
        let width = if is_server { 2 } else { 4 };
        file.push(if is_server { 0xff } else { 0 });
        for number in [BEGIN + time / 1000, 77_000 + time, u32::try_from(payload.len() + width)?] {
            file.extend(number.to_le_bytes());
        }
        file.extend(opcode.to_le_bytes().into_iter().take(width));
        file.extend(*payload);
    }
    Ok(file)
}

/// Ticks of 100 ns since the year 1.
fn ticks(time: u32) -> [u8; 8] {
    const EPOCH: u64 = 621_355_968_000_000_000;
    (EPOCH + u64::from(BEGIN) * 10_000_000 + u64::from(time) * 10_000).to_le_bytes()
}

fn maple_ends(version: u16) -> Vec<u8> {
    let mut file = version.to_le_bytes().to_vec();
    for (address, port) in [("192.0.2.30", 52_100_u16), ("198.51.100.8", 8586)] {
        file.push(address.len().to_le_bytes()[0]);
        file.extend(address.bytes());
        file.extend(port.to_le_bytes());
    }
    file
}

/// Version 0x2030 of MapleShark 2: a build of four bytes, sizes of four.
pub fn maple_2030() -> Result<Vec<u8>> {
    let mut file = maple_ends(0x2030);
    file.push(2);
    file.extend(12_u32.to_le_bytes());
    for (time, side, opcode, payload) in VISIT {
        file.extend(ticks(*time));
        file.extend(u32::try_from(payload.len())?.to_le_bytes());
        file.extend(u16::try_from(*opcode)?.to_le_bytes());
        file.push(matches!(side, Client).into());
        file.extend(*payload);
    }
    Ok(file)
}

/// Version 0x2026 of MapleShark: a patch location, sizes of two bytes, and two keys behind each packet.
pub fn maple_2026() -> Result<Vec<u8>> {
    let mut file = maple_ends(0x2026);
    file.push(8);
    file.extend(83_u16.to_le_bytes());
    file.extend(b"\x011");
    for (time, side, opcode, payload) in VISIT {
        file.extend(ticks(*time));
        file.extend(u16::try_from(payload.len())?.to_le_bytes());
        file.extend(u16::try_from(*opcode)?.to_le_bytes());
        file.push(matches!(side, Client).into());
        file.extend(*payload);
        file.extend([0x46, 0x72, 0x6f, 0x67, 0x52, 0x30, 0x78, 0x16]);
    }
    Ok(file)
}
