//! Habbo Hotel: a key exchange, then RC4 in both directions; in a second conversation the server does not encrypt.

use crate::Result;
use crate::neighbours::{C, S};
use crate::tcp::Side;

use super::plain::{Script, capture};
use super::rc4::Rc4;

/// What the key exchanges of both conversations agree on.
const SECRETS: [[u8; 16]; 2] = [
    [0x5e, 0x11, 0xd0, 0x3a, 0x94, 0x27, 0x6f, 0xc8, 0x02, 0xb5, 0x7d, 0xe9, 0x40, 0x8c, 0x13, 0xfa],
    [0x27, 0xf3, 0x8b, 0x61, 0x0c, 0xd8, 0x55, 0x9e, 0xe2, 0x34, 0xa7, 0x1b, 0x70, 0xcf, 0x46, 0x82],
];

fn text(text: &str) -> Result<Vec<u8>> {
    Ok([&u16::try_from(text.len())?.to_be_bytes()[..], text.as_bytes()].concat())
}

fn framed(op: u16, data: &[u8]) -> Result<Vec<u8>> {
    Ok([&u32::try_from(data.len() + 2)?.to_be_bytes()[..], &op.to_be_bytes(), data].concat())
}

/// The key file.
pub fn keys() -> Result<Vec<u8>> {
    let mut lines = String::new();
    for (port, secret) in [51_606, 51_607].iter().zip(SECRETS) {
        let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        lines += &format!("habbo shared_secret {hex} client=192.168.1.20:{port}\n");
    }
    Ok(lines.into_bytes())
}

fn conversation(secret: &[u8], is_both: bool) -> Result<Script> {
    let hello = [text("PRODUCTION-201611291003-338511768")?, text("FLASH")?, vec![0, 0, 0, 1, 0, 0, 0, 0]].concat();
    let mut lines: Script = vec![
        (C, framed(4000, &hello)?),
        (C, framed(3110, &[])?),
        (S, framed(1347, &[text("a83f5c01")?, text("2b1770de")?].concat())?),
        (C, framed(773, &text("6e90c2b8")?)?),
        (S, framed(3885, &[text("14fd0a37")?, vec![u8::from(is_both)]].concat())?),
    ];
    let (mut client, mut server) = (Rc4::new(secret), Rc4::new(secret));
    let mut add = |side: Side, op: u16, data: &[u8]| -> Result {
        let mut bytes = framed(op, data)?;
        match side == C {
            true => client.apply(&mut bytes),
            false if is_both => server.apply(&mut bytes),
            false => {}
        }
        lines.push((side, bytes));
        Ok(())
    };
    add(C, 2419, &[text("0f8c-maren")?, 4120_u32.to_be_bytes().to_vec()].concat())?;
    add(S, 2491, &[])?;
    for step in 0..6_u8 {
        let number = u32::from(step);
        add(C, 3320, &[3 + number, 7].map(u32::to_be_bytes).concat())?;
        let said = text(&format!("step {step} north"))?;
        add(C, 1314, &[said.as_slice(), &0_u32.to_be_bytes(), &number.to_be_bytes()].concat())?;
        add(S, 1446, &[&12_u32.to_be_bytes(), said.as_slice(), &0_u32.to_be_bytes(), &0_u32.to_be_bytes()].concat())?;
        add(C, 295, &number.to_be_bytes())?;
        add(S, 10, &number.to_be_bytes())?;
    }
    Ok(lines)
}

/// The capture.
pub fn session() -> Result<Vec<u8>> {
    let [both, one] = SECRETS;
    capture(&[(51_606, conversation(&both, true)?), (51_607, conversation(&one, false)?)], 30_000)
}
