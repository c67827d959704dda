//! Sessions without keys: sizes that depend on the version, and a direction that is compressed as a whole.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, S, pcap, talk};
use crate::tcp::Side;

/// Senders and bytes of a conversation.
pub type Script = Vec<(Side, Vec<u8>)>;

/// The capture of these conversations with a port.
pub fn capture(conversations: &[(u16, Script)], port: u16) -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (from, lines) in conversations {
        let lines: Vec<_> = lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
        talk(&mut trace, [*from, port], &lines)?;
    }
    pcap(trace)
}

/// A conversation of an old client and one of a new client.
pub fn versions() -> Result<Vec<u8>> {
    let mut conversations = Vec::new();
    for (from, version) in [(51_602, 20_u32), (51_603, 55)] {
        let mut lines = vec![
            (C, [&[0x64, 0][..], &version.to_le_bytes(), &[1, 0]].concat()),
            (S, [&[0x65, 0][..], &2_000_017_u32.to_le_bytes()].concat()),
        ];
        for step in 0..6_u8 {
            let extra: &[u8] = if version < 55 { &[] } else { &[step, 0] };
            lines.push((C, [&[0x66, 0, 100 + step, 0, 50, 0, 4], extra].concat()));
            let text = format!("step {step}");
            let op = if version < 55 { 0x67 } else { 0x68 };
            lines.push((S, [&[op, 0][..], &u16::try_from(text.len() + 4)?.to_le_bytes(), text.as_bytes()].concat()));
        }
        conversations.push((from, lines));
    }
    capture(&conversations, 5121)
}

fn framed(op: u8, data: &[u8]) -> Result<Vec<u8>> {
    Ok([&u16::try_from(data.len() + 1)?.to_be_bytes()[..], &[op], data].concat())
}

/// A server that compresses from its greeting on.
pub fn zstream() -> Result<Vec<u8>> {
    let mut lines = vec![(C, vec![0, 2, 0, 3]), (S, vec![0, 1, 1])];
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    for step in 0..8_u8 {
        lines.push((C, framed(0x10, &[100.5 + f32::from(step), -20.25].map(f32::to_be_bytes).concat())?));
        let text = format!("step {step} north");
        lines.push((C, framed(0x11, text.as_bytes())?));
        packer.write_all(&framed(0x21, &[b"\x05maren", text.as_bytes()].concat())?)?;
        packer.flush()?;
        lines.push((S, std::mem::take(packer.get_mut())));
    }
    capture(&[(51_604, lines)], 6002)
}
