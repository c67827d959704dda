//! QuakeWorld: connectionless packets and headers of game packets.

use super::netchan::{is_packet, packet};
use super::second;
use crate::tree::fields;
use crate::wire::{Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&THIS, FIELDS)
    .found(&[On::Udp(PORT).datagram(Heuristic::InContext(|bytes, context| is_packet(bytes, PORT, context)), message)])
    .rest(&DATA);

fields! {
    THIS = protocol("quakeworld", "QuakeWorld", "QuakeWorld network protocol")
        .covers("Connectionless packets, and headers of game packets")
        .leaves_open("Messages inside game packets");
    TO_SERVER = bool("quakeworld.c2s", "client to server", "").once().twin(&second::TO_SERVER);
    TO_CLIENT = bool("quakeworld.s2c", "server to client", "").once().twin(&second::TO_CLIENT);
    CONNECTIONLESS = bool("quakeworld.connectionless", "connectionless", "The packet belongs to no connection").once().twin(&second::CONNECTIONLESS);
    MARKER = number("quakeworld.connectionless.marker", "marker", "").hex(8).once().twin(&second::MARKER);
    TEXT = text("quakeworld.connectionless.text", "text", "Command with arguments").once().twin(&second::TEXT);
    GAME = bool("quakeworld.game", "game", "The packet belongs to a connection").once().twin(&second::GAME);
    SEQUENCE = number("quakeworld.game.seq1", "sequence number", "Number of this packet").once().twin(&second::SEQUENCE);
    IS_RELIABLE = bool("quakeworld.game.rel1", "reliable", "The packet has a reliable part").once().twin(&second::IS_RELIABLE);
    ACKNOWLEDGED = number("quakeworld.game.seq2", "acknowledged sequence number", "Number of the latest packet received").once().twin(&second::ACKNOWLEDGED);
    ACKNOWLEDGES_RELIABLE = bool("quakeworld.game.rel2", "reliable", "That packet had a reliable part").once().twin(&second::ACKNOWLEDGES_RELIABLE);
    QPORT = number("quakeworld.game.qport", "QPort", "Identifies the client when its port changes").once().twin(&second::QPORT);
    DATA = bytes("quakeworld.data", "data", "Undissected bytes").once().twin(&second::DATA);
}

/// Port of a server.
const PORT: u16 = 27500;

fn message(wire: &mut Wire<'_>) -> Result {
    wire.renamed(FIELDS, |wire| packet(wire, PORT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, DatagramContext, trial};

    const STATUS: &[u8] = b"\xff\xff\xff\xffstatus\n";
    const PACKET: &[u8] = b"\x07\0\0\x80\x05\0\0\0hello";

    #[test]
    fn a_packet_of_the_server_is_dissected() {
        let tree = trial::read(&PROTOCOL, PACKET, Cut::No, message);
        insta::assert_snapshot!(tree, @"
        quakeworld 0..13 | server to client | sequence 7, acknowledged 5
          quakeworld.s2c = true
          quakeworld.game = true
          0..4 quakeworld.game.seq1 = 7
          3..4 quakeworld.game.rel1 = true
          4..8 quakeworld.game.seq2 = 5
          7..8 quakeworld.game.rel2 = false
          8..13 quakeworld.data = 68656c6c6f
        ");
        trial::survives_damage(&PROTOCOL, PACKET, message);
    }

    #[test]
    fn a_connectionless_packet_is_dissected() {
        let tree = trial::read(&PROTOCOL, STATUS, Cut::No, message);
        insta::assert_snapshot!(tree, @r#"
        quakeworld 0..11 | connectionless | status
          quakeworld.s2c = true
          quakeworld.connectionless = true
          0..4 quakeworld.connectionless.marker = 0xffffffff
          4..11 quakeworld.connectionless.text = "status\n"
        "#);
        let tree = trial::read(&PROTOCOL, b"\xff\xff\xff\xffrcon moss-green map q1", Cut::No, message);
        assert!(tree.contains("rcon") && tree.contains("map q1"), "{tree}");
        trial::survives_damage(&PROTOCOL, STATUS, message);
    }

    #[test]
    fn packets_are_recognized_on_the_port_by_small_sequence_numbers() {
        let context = |port| DatagramContext { ports: Some([50_000, port]), announced: None };
        let judge = |bytes: &[u8], port| is_packet(bytes, PORT, &context(port));
        assert!(judge(PACKET, PORT) && !judge(PACKET, 53));
        assert!(judge(STATUS, PORT) && !judge(STATUS, 53));
        for other in [&b"\xff\xff\xff\xff"[..], b"\0\0\0\0\0\0\0\0", b"\x01\0\0\0\0\0\0\x01", b"\x01\0\0\0"] {
            assert!(!judge(other, PORT), "{other:?}");
        }
    }
}
