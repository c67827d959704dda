//! Tailscale's discovery of paths between two nodes, in UDP beside WireGuard.
//!
//! ```text
//! message    54 53 f0 9f 92 ac ("TS💬") | sender:32 | nonce:24 | encrypted message with its authenticator:16
//! ```
//! Not covered: decryption.

use crate::tree::fields;
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&DISCO, FIELDS).found(&[On::AnyUdp.datagram(Heuristic::Datagram(recognize), message)]).rest(&DATA);

fields! {
    DISCO = protocol("tailscale_disco", "Tailscale disco", "Tailscale path discovery")
        .covers("Sender, nonce and the encrypted message")
        .leaves_open("Decryption");
    MAGIC = text("tailscale_disco.magic", "magic", "TS and an emoji").once();
    SENDER = bytes("tailscale_disco.sender", "sender", "Public discovery key of the sender").once();
    NONCE = bytes("tailscale_disco.nonce", "nonce", "").once();
    BOX = bytes("tailscale_disco.box", "box", "Authenticator and encrypted message").encrypted().once();
    DATA = bytes("tailscale_disco.data", "data", "Undecoded bytes");
}

const MAGIC_BYTES: &[u8] = "TS💬".as_bytes();
const KEY: usize = 32;
const NONCE_SIZE: usize = 24;
const AUTHENTICATOR: usize = 16;

/// Recognizes the magic bytes, with room for all parts before the encrypted message.
fn recognize(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC_BYTES) && bytes.len() >= MAGIC_BYTES.len() + KEY + NONCE_SIZE + AUTHENTICATOR
}

fn message(wire: &mut Wire<'_>) -> Result {
    wire.name("encrypted");
    wire.text(&MAGIC, MAGIC_BYTES.len())?;
    let sender = wire.bytes(&SENDER, KEY)?;
    let start = sender.first_chunk().map_or(0, |start| u32::from_be_bytes(*start));
    wire.info(format_args!("from key {start:08x}…"));
    wire.bytes(&NONCE, NONCE_SIZE)?;
    wire.rest_is(&BOX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn ping() -> Vec<u8> {
        trial::bytes(&("5453f09f92ac".to_owned() + &"a1".repeat(KEY) + &"b2".repeat(NONCE_SIZE) + &"c3".repeat(30)))
    }

    #[test]
    fn the_parts_of_a_message_are_named() {
        assert!(recognize(&ping()) && !recognize(&ping()[..77]) && !recognize(&ping()[1..]));
        insta::assert_snapshot!(trial::read(&PROTOCOL, &ping(), Cut::No, message), @r#"
        tailscale_disco 0..92 | encrypted | from key a1a1a1a1…
          0..6 tailscale_disco.magic = "TS💬"
          6..38 tailscale_disco.sender = 32 bytes
          38..62 tailscale_disco.nonce = 24 bytes
          62..92 tailscale_disco.box = 30 bytes
        "#);
        trial::survives_damage(&PROTOCOL, &ping(), message);
    }
}
