//! A game over KCP: messages in numbered segments, which are split, joined, repeated and swapped.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, S, datagrams, pcap};
use crate::tcp::Side;

const CONV: u32 = 0x2f10_0042;
/// Bytes of a segment.
const MOST: usize = 96;

/// The segments of a side.
#[derive(Default)]
struct Kcp {
    sn: u32,
    una: u32,
    time: u32,
}

impl Kcp {
    fn segment(&mut self, cmd: u8, left: u8, sn: u32, data: &[u8]) -> Result<Vec<u8>> {
        self.time += 7;
        let numbers = [self.time, sn, self.una, u32::try_from(data.len())?].map(u32::to_le_bytes).concat();
        Ok([&CONV.to_le_bytes()[..], &[cmd, left], &128_u16.to_le_bytes(), &numbers, data].concat())
    }

    /// The segments of a message.
    fn push(&mut self, op: u16, body: &[u8]) -> Result<Vec<Vec<u8>>> {
        let bytes = [&op.to_le_bytes()[..], body].concat();
        let parts: Vec<&[u8]> = bytes.chunks(MOST).collect();
        let mut segments = Vec::new();
        for (left, part) in (0..parts.len()).rev().zip(parts) {
            let sn = self.sn;
            self.sn += 1;
            segments.push(self.segment(81, u8::try_from(left)?, sn, part)?);
        }
        Ok(segments)
    }

    fn ack(&mut self, sn: u32) -> Result<Vec<u8>> {
        self.una = self.una.max(sn + 1);
        self.segment(82, 0, sn, &[])
    }
}

fn text(text: &str) -> Result<Vec<u8>> {
    Ok([&[u8::try_from(text.len())?], text.as_bytes()].concat())
}

/// The capture.
pub fn session() -> Result<Vec<u8>> {
    let (mut client, mut server) = (Kcp::default(), Kcp::default());
    let mut lines: Vec<(Side, Vec<u8>)> = Vec::new();
    lines.push((C, client.push(1, &text("maren")?)?.concat()));
    let joined = server.push(2, &7_u32.to_le_bytes())?.concat();
    lines.push((S, [server.ack(0)?, joined].concat()));
    // A map of 300 bytes takes four segments; the third arrives last, after a repetition of the second.
    let tiles: Vec<u8> = (0..=149_u8).flat_map(|tile| [tile, tile % 4]).collect();
    let map = server.push(5, &[&20_u16.to_le_bytes()[..], &tiles].concat())?;
    if let [first, second, third, fourth] = map.as_slice() {
        lines.push((S, [first.as_slice(), second].concat()));
        lines.push((S, fourth.clone()));
        lines.push((S, second.clone()));
        lines.push((S, third.clone()));
    }
    for step in 0..5_u16 {
        // A step and what is said share a datagram.
        let place = [100.5 + f32::from(step), -20.25].map(f32::to_le_bytes).concat();
        let walk = client.push(3, &place)?.concat();
        let said = client.push(4, &text(&format!("step {step} north"))?)?.concat();
        lines.push((C, [walk, said].concat()));
        let heard = server.push(4, &text(&format!("maren: step {step} north"))?)?.concat();
        lines.push((S, [server.ack(client.sn - 1)?, heard].concat()));
        lines.push((C, client.ack(server.sn - 1)?));
    }
    // The last two datagrams of the client are swapped.
    let (one, other) = (client.push(4, &text("over here")?)?.concat(), client.push(4, &text("bye")?)?.concat());
    lines.extend([(C, other), (C, one)]);
    let mut trace = Trace::new();
    let lines: Vec<_> = lines.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    datagrams(&mut trace, [51_610, 6100], &lines)?;
    pcap(trace)
}
