//! Session variables that conversations share: a login server hands a key to the conversation with the game server.

use crate::common::{Folder, Scratch, run};
use etherparse::{PacketBuilder, PacketBuilderStep, TcpHeader};
use serde_json::Value;
use std::net::Ipv4Addr;

const LOGIN: u16 = 2106;
const GAME: u16 = 7778;
const CLIENT: [u8; 4] = [10, 0, 0, 7];
const SERVER: [u8; 4] = [192, 0, 2, 1];
const OTHER_SERVER: [u8; 4] = [192, 0, 2, 2];

/// A ticket in clear sets the key; numbers are combined with it.
const FILE: &str = "
meta:
  id: game
  endian: be
  -proto-dissect:
    transport: tcp
    ports: [2106, 7778]
    name: op
    session: {key: {init: '[]', share: client}}
params: [{id: key, type: bytes}]
seq:
  - {id: op, type: u1, enum: ops, valid: {in-enum: true}}
  - {id: len_body, type: u1}
  - {id: ticket, size: len_body, if: op == ops::ticket, -proto-dissect: {set: {key: ticket}}}
  - {id: number, type: number, size: len_body, process: xor(_root.key), if: op == ops::number}
types:
  number: {seq: [{id: n, type: u4}]}
enums: {ops: {1: ticket, 2: number}}
";

/// A capture of raw IP packets, one a second.
#[derive(Default)]
struct Packets(Vec<u8>);

impl Packets {
    fn new() -> Packets {
        let mut header = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
        header.extend([2, 0, 4, 0].into_iter().chain([0; 8]).chain([0xff, 0xff, 0, 0, 101, 0, 0, 0]));
        Packets(header)
    }

    fn packet(&mut self, packet: PacketBuilderStep<TcpHeader>, payload: &[u8]) -> &mut Packets {
        let mut bytes = Vec::new();
        packet.write(&mut bytes, payload).unwrap();
        let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let time = u32::try_from(1_000_000_000 + self.0.len() / 50).unwrap().to_le_bytes();
        self.0.extend([time, [0; 4], size, size].concat());
        self.0.extend(bytes);
        self
    }

    fn open(&mut self, client: [u8; 4], (server, port): ([u8; 4], u16)) -> &mut Packets {
        self.packet(PacketBuilder::ipv4(client, server, 64).tcp(5000 + port, port, 100, 1000).syn(), &[]);
        self.packet(PacketBuilder::ipv4(server, client, 64).tcp(port, 5000 + port, 900, 1000).syn().ack(101), &[])
    }

    /// The first bytes of a client.
    fn say(&mut self, client: [u8; 4], (server, port): ([u8; 4], u16), payload: &[u8]) -> &mut Packets {
        self.packet(PacketBuilder::ipv4(client, server, 64).tcp(5000 + port, port, 101, 1000).ack(901), payload)
    }

    /// A login at the login server, whose ticket is this key.
    fn log_in(&mut self, client: [u8; 4], key: &[u8]) -> &mut Packets {
        let ticket = [&[1, u8::try_from(key.len()).unwrap()], key].concat();
        self.open(client, (SERVER, LOGIN)).say(client, (SERVER, LOGIN), &ticket)
    }

    /// A game with a number that is combined with a key.
    fn play(&mut self, client: [u8; 4], server: [u8; 4], n: u32, key: &[u8]) -> &mut Packets {
        let sent = n.to_be_bytes().into_iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key);
        let message: Vec<u8> = [2, 4].into_iter().chain(sent).collect();
        self.open(client, (server, GAME)).say(client, (server, GAME), &message)
    }
}

fn records(arguments: &[&str]) -> Vec<Value> {
    let done = run(arguments);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{arguments:?}");
    done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The client and the number of each message with one.
fn numbers(name: &str, file: &str, packets: &Packets) -> Vec<(String, u64)> {
    let file = Scratch::new(&format!("sharing-{name}.ksy"), file.as_bytes());
    let capture = Scratch::new(&format!("sharing-{name}.pcap"), &packets.0);
    let read =
        |threads: &str| records(&["-k", file.path(), "--json", "-Y", "game.number.n", "--threads", threads, capture.path()]);
    let messages = read("1");
    assert_eq!(messages, read("2"));
    let of = |message: &Value| {
        let n = message["fields"][2]["fields"][0]["value"].as_u64().unwrap();
        (message["src"].as_str().unwrap().split(':').next().unwrap().to_owned(), n)
    };
    messages.iter().filter(|message| message["type"] == "message").map(of).collect()
}

const KEY: &[u8] = &[0xa0, 0xb1, 0xc2, 0xd3];

#[test]
fn a_later_conversation_of_the_client_reads_what_an_earlier_one_set() {
    let mut packets = Packets::new();
    let other = [10, 0, 0, 8];
    packets.log_in(CLIENT, KEY).play(CLIENT, OTHER_SERVER, 70, KEY).play(other, OTHER_SERVER, 80, &[0]);
    let expected = [("10.0.0.7".to_owned(), 70), ("10.0.0.8".to_owned(), 80)];
    assert_eq!(numbers("later", FILE, &packets), expected);
    // With pairs the game server is another one than the login server.
    let pair = FILE.replace("share: client", "share: pair");
    let wrong = u64::from(u32::from_be_bytes(KEY.try_into().unwrap()) ^ 70);
    assert_eq!(numbers("later", &pair, &packets), [("10.0.0.7".to_owned(), wrong), ("10.0.0.8".to_owned(), 80)]);
    let mut packets = Packets::new();
    packets.log_in(CLIENT, KEY).play(CLIENT, SERVER, 70, KEY);
    assert_eq!(numbers("later", &pair, &packets), [("10.0.0.7".to_owned(), 70)]);
    // Without `share`, each conversation has its own.
    assert_eq!(numbers("later", &FILE.replace(", share: client", ""), &packets), [("10.0.0.7".to_owned(), wrong)]);
}

#[test]
fn a_conversation_that_has_begun_before_keeps_its_value() {
    let mut packets = Packets::new();
    packets.open(CLIENT, (OTHER_SERVER, GAME)).log_in(CLIENT, KEY).say(CLIENT, (OTHER_SERVER, GAME), &[2, 4, 0, 0, 0, 9]);
    assert_eq!(numbers("before", FILE, &packets), [("10.0.0.7".to_owned(), 9)]);
    // Without its first segment, whether the value has changed since is unknown.
    let mut packets = Packets::new();
    packets.log_in(CLIENT, KEY).say(CLIENT, (OTHER_SERVER, GAME), &[2, 4, 0, 0, 0, 9]);
    assert_eq!(numbers("before", FILE, &packets), []);
}

#[test]
fn values_of_the_oldest_of_1024_owners_are_dropped_with_a_note() {
    let mut packets = Packets::new();
    packets.log_in(CLIENT, KEY).log_in([10, 0, 0, 9], KEY);
    for number in 0..1023_u32 {
        packets.log_in(Ipv4Addr::from(0x0a01_0000 + number).octets(), KEY);
    }
    packets.play(CLIENT, OTHER_SERVER, 70, &[0]).play([10, 0, 0, 9], OTHER_SERVER, 90, KEY);
    assert_eq!(numbers("evicted", FILE, &packets), [("10.0.0.7".to_owned(), 70), ("10.0.0.9".to_owned(), 90)]);
    let (file, capture) = (Scratch::new("evicted.ksy", FILE.as_bytes()), Scratch::new("evicted.pcap", &packets.0));
    let noted = records(&["-k", file.path(), "--json", "-Y", "dissect.evicted", capture.path()]);
    let texts: Vec<String> = noted.iter().map(ToString::to_string).filter(|text| text.contains("shared with later")).collect();
    assert_eq!(texts.len(), 1);
    assert!(texts[0].contains("10.1.3.254:"), "{texts:?}");
}

#[test]
fn parts_of_a_split_capture_have_the_same_values() {
    let mut packets = Packets::new();
    for number in 0..20_u8 {
        packets.log_in([10, 0, 1, number], &[number, 7]);
    }
    for number in 0..20_u8 {
        packets.play([10, 0, 1, number], [192, 0, 2, 100 + number], number.into(), &[number, 7]);
    }
    let folder = Folder::new("sharing-parts");
    let (file, capture) = (Scratch::new("parts.ksy", FILE.as_bytes()), Scratch::new("parts.pcap", &packets.0));
    let read = |path: &str| records(&["-k", file.path(), "--json", "-Y", "game", path]);
    let fields = |messages: Vec<Value>| {
        messages.into_iter().filter(|message| message["type"] == "message").map(|message| message["fields"].to_string())
    };
    let mut whole: Vec<String> = fields(read(capture.path())).collect();
    whole.sort();
    assert_eq!(whole.len(), 40);
    for by in [["pair", "-n8"], ["flow", "-n8"], ["time", "5s"]] {
        let parts = folder.file(by[0]);
        let done = run(&["split", "-k", file.path(), capture.path(), parts.to_str().unwrap(), "--by", by[0], by[1]]);
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        let files: Vec<_> = std::fs::read_dir(&parts).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() > 2);
        let mut found: Vec<String> = files.iter().flat_map(|path| fields(read(path.to_str().unwrap()))).collect();
        found.sort();
        assert_eq!(found, whole, "{by:?}");
    }
}
