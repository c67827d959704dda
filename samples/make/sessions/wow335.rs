//! World of Warcraft 3.3.5: a login at a world server, pings and chat; headers are encrypted with RC4.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

use crate::Result;
use crate::capture::Trace;
use crate::hex::bytes;
use crate::neighbours::{C, S, pcap, talk};
use crate::tcp::Side;

use super::rc4::Rc4;

const SESSION_KEY: &str = "3a5bd1094fe2c8761b90a4f87dd20c65e93148b7aa16f05c82c47e6b1d9f0372645ac8e1d7b30f92";
const CLIENT: &str = "c2b3723cc6aed9b5343c53ee2f4367ce";
const SERVER: &str = "cc98ae04e897eaca12ddc09342915357";

/// The cipher of a direction, whose key is made with this seed.
fn cipher(seed: &str) -> Result<Rc4> {
    let mac = Hmac::<Sha1>::new_from_slice(&bytes(seed))?.chain_update(bytes(SESSION_KEY));
    let mut cipher = Rc4::new(&mac.finalize().into_bytes());
    cipher.apply(&mut [0; 1024]);
    Ok(cipher)
}

fn client_head(op: u32, body: &[u8]) -> Result<Vec<u8>> {
    Ok([&u16::try_from(body.len() + 4)?.to_be_bytes()[..], &op.to_le_bytes()].concat())
}

fn server_head(op: u16, body: &[u8]) -> Result<Vec<u8>> {
    Ok([&u16::try_from(body.len() + 2)?.to_be_bytes()[..], &op.to_le_bytes()].concat())
}

/// The key file.
pub fn keys() -> Result<Vec<u8>> {
    Ok(format!("wow335 session_key {SESSION_KEY} server=203.0.113.80:8085\n").into_bytes())
}

/// The capture.
pub fn session() -> Result<Vec<u8>> {
    let challenge = [&1_u32.to_le_bytes()[..], &0x51ab_9e07_u32.to_le_bytes(), &[0x6b; 32]].concat();
    let mut addons = ZlibEncoder::new(Vec::new(), Compression::default());
    let listed = b"\x01\x00\x00\x00Blizzard_AuctionUI\x00\x01\x6d\x77\x1c\x4c\x00\x00\x00\x00";
    addons.write_all(listed)?;
    let mut login = [&12340_u32.to_le_bytes()[..], &[0; 4], b"MAREN\0", &[0; 4], &[7, 1, 2, 9], &[0; 8], &[1, 0, 0, 0]].concat();
    login.extend([&[0; 8][..], &[0xd1; 20], &u32::try_from(listed.len())?.to_le_bytes(), &addons.finish()?].concat());
    let mut lines: Vec<(Side, Vec<u8>)> =
        vec![(S, [server_head(0x1ec, &challenge)?, challenge].concat()), (C, [client_head(0x1ed, &login)?, login].concat())];
    let (mut client, mut server) = (cipher(CLIENT)?, cipher(SERVER)?);
    let mut add = |side: Side, op: u16, body: &[u8]| -> Result {
        let mut head = if side == C { client_head(op.into(), body)? } else { server_head(op, body)? };
        if side == C {
            client.apply(&mut head)
        } else {
            server.apply(&mut head)
        };
        lines.push((side, [&head, body].concat()));
        Ok(())
    };
    add(S, 0x1ee, &[12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2])?;
    for number in 0..8_u32 {
        add(C, 0x1dc, &[number.to_le_bytes(), (40 + number).to_le_bytes()].concat())?;
        add(S, 0x1dd, &number.to_le_bytes())?;
        let text = format!("step {number} north\0");
        add(C, 0x95, &[&1_u32.to_le_bytes()[..], &7_u32.to_le_bytes(), text.as_bytes()].concat())?;
        let len = u32::try_from(text.len())?.to_le_bytes();
        let guid = 0x1f_u64.to_le_bytes();
        add(S, 0x96, &[&[1][..], &7_u32.to_le_bytes(), &guid, &[0; 4], &guid, &len, text.as_bytes(), &[0]].concat())?;
    }
    let lines: Vec<_> = lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    let mut trace = Trace::new();
    talk(&mut trace, [51_601, 8085], &lines)?;
    pcap(trace)
}
