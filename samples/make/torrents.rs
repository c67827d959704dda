//! BitTorrent: a tracker, the distributed hash table, two peers over TCP, a connection over µTP.

use crate::Result;
use crate::capture::Trace;
use crate::neighbours::{C, Line, S, datagrams, pcap, talk};

const HASH: &[u8; 20] = b"\x6b\x1f\x02\xc4\x90\x11\xfe\x25\x3a\xd0\x77\x5c\x81\xaa\x0e\x44\x93\xbb\x60\x19";
const OUR_ID: &[u8; 20] = b"-PD0100-k2j5h8d1s9q0";
const PEER_ID: &[u8; 20] = b"-PD0099-a7s4d0f2g6h1";
const NODE: &[u8; 20] = b"\x10\x22\x34\x46\x58\x6a\x7c\x8e\x90\xa2\xb4\xc6\xd8\xea\xfc\x0e\x20\x32\x44\x56";
const OTHER_NODE: &[u8; 20] = b"\x6b\x1f\x02\xc4\x58\x6a\x7c\x8e\x90\xa2\xb4\xc6\xd8\xea\xfc\x0e\x20\x32\x44\x56";
/// Ports 6881 at 203.0.113.80 and 51413 at 198.51.100.9.
const PEERS: &[u8] = b"\xcb\0\x71\x50\x1a\xe1\xc6\x33\x64\x09\xc8\xd5";

fn tracker() -> Vec<(bool, Vec<u8>)> {
    const CONNECTION: &[u8] = b"\x5c\x2e\x91\x07\xd4\x33\xaf\x18";
    let announce = [
        CONNECTION,
        b"\0\0\0\x01\x3b\x9a\xca\x02",
        HASH,
        OUR_ID,
        b"\0\0\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\0\x7e\x01\x44\x9c\xff\xff\xff\xff\x1a\xe1",
        b"\x02\x09/announce",
    ];
    vec![
        (true, b"\0\0\x04\x17\x27\x10\x19\x80\0\0\0\0\x3b\x9a\xca\x01".to_vec()),
        (false, [b"\0\0\0\0\x3b\x9a\xca\x01", CONNECTION].concat()),
        (true, announce.concat()),
        (false, [b"\0\0\0\x01\x3b\x9a\xca\x02\0\0\x07\x08\0\0\0\x01\0\0\0\x01", PEERS].concat()),
        (true, [CONNECTION, b"\0\0\0\x02\x3b\x9a\xca\x03", HASH].concat()),
        (false, b"\0\0\0\x02\x3b\x9a\xca\x03\0\0\0\x01\0\0\0\x07\0\0\0\x01".to_vec()),
        (true, [CONNECTION, b"\0\0\0\x02\x3b\x9a\xca\x04", NODE].concat()),
        (false, b"\0\0\0\x03\x3b\x9a\xca\x04unknown torrent".to_vec()),
    ]
}

fn table() -> Vec<(bool, Vec<u8>)> {
    let query = |name: &str, more: &[u8], transaction: &[u8]| {
        let name = format!("1:q{}:{name}1:t2:", name.len());
        [b"d1:ad2:id20:", OUR_ID.as_slice(), more, b"e", name.as_bytes(), transaction, b"1:y1:qe"].concat()
    };
    let response = |more: &[u8], transaction: &[u8]| {
        [b"d2:ip6:\xc0\xa8\x01\x14\xc4\x7e1:rd2:id20:", NODE.as_slice(), more, b"e1:t2:", transaction, b"1:y1:re"].concat()
    };
    let target = [&b"6:target20:"[..], HASH].concat();
    let hash = [&b"9:info_hash20:"[..], HASH].concat();
    let announced = [&hash[..], b"4:porti6881e5:token4:\x01\x8f\x22\xd0"].concat();
    let nodes = [
        &b"5:nodes52:"[..],
        NODE,
        b"\xcb\0\x71\x50\x1a\xe1",
        OTHER_NODE,
        b"\xc6\x33\x64\x09\xc8\xd5",
        b"6:nodes638:",
        OTHER_NODE,
        b"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x09\x1a\xe1",
    ];
    let (peer, other) = PEERS.split_at(6);
    let found = [&b"5:token4:\x01\x8f\x22\xd06:valuesl6:"[..], peer, b"6:", other, b"e"];
    vec![
        (true, query("ping", b"", b"aa")),
        (false, response(b"", b"aa")),
        (true, query("find_node", &target, b"ab")),
        (false, response(&nodes.concat(), b"ab")),
        (true, query("get_peers", &hash, b"ac")),
        (false, response(&found.concat(), b"ac")),
        (true, query("announce_peer", &announced, b"ad")),
        (false, response(b"", b"ad")),
        (true, query("vote", b"", b"ae")),
        (false, b"d1:eli204e14:Method Unknowne1:t2:ae1:v4:PD\0\x011:y1:ee".to_vec()),
    ]
}

/// µTP: a handshake, data and its acknowledgement, the end.
fn stream() -> Vec<(bool, Vec<u8>)> {
    let packet = |first: u8, extension: u8, id: u8, time: u32, [seq, ack]: [u16; 2], rest: &[u8]| {
        let difference: u32 = if first == 0x41 { 0 } else { 1800 };
        let head = [&[first, extension, 0x5c, id][..], &time.to_be_bytes(), &difference.to_be_bytes(), &[0, 0x10, 0, 0]].concat();
        [&head[..], &seq.to_be_bytes(), &ack.to_be_bytes(), rest].concat()
    };
    let greeting = greeting(OUR_ID);
    vec![
        (true, packet(0x41, 2, 0x20, 7_000_100, [1, 0], b"\0\x08\0\0\0\0\0\0\0\0")),
        (false, packet(0x21, 0, 0x20, 9_000_400, [3000, 1], b"")),
        (true, packet(0x01, 0, 0x21, 7_040_100, [2, 3000], &greeting)),
        (true, packet(0x01, 0, 0x21, 7_040_300, [4, 3000], b"\0\0\0\x01\x02")),
        (false, packet(0x21, 1, 0x20, 9_080_400, [3000, 2], b"\0\x04\x01\0\0\0")),
        (true, packet(0x11, 0, 0x21, 7_120_100, [5, 3000], b"")),
        (false, packet(0x31, 0, 0x20, 9_120_400, [3001, 5], b"")),
    ]
}

fn greeting(peer: &[u8; 20]) -> Vec<u8> {
    [b"\x13BitTorrent protocol\0\0\0\0\0\x10\0\x05", HASH.as_slice(), peer].concat()
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 1).unwrap_or_default().to_be_bytes();
    [&length[..], &[kind], body].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Two peers: bitfields, two blocks of a piece over several segments, and every other message.
fn peers(trace: &mut Trace) -> Result {
    const BLOCK: u32 = 4000;
    let block = |number: u32| {
        let data: Vec<u8> = (0..BLOCK).map(|at| (at.wrapping_mul(31) ^ at >> 5).to_le_bytes()[0]).collect();
        message(7, &[words(&[1, number * BLOCK]), data].concat())
    };
    let extended = message(20, b"\0d1:md11:ut_metadatai2e6:ut_pexi1ee1:pi6881e1:v8:Dis 0.99e");
    let ask = [message(2, b""), message(6, &words(&[1, 0, BLOCK])), message(6, &words(&[1, BLOCK, BLOCK]))].concat();
    let blocks = [block(0), block(1)].concat();
    let end = [
        message(4, &words(&[1])),
        message(8, &words(&[0, 0, BLOCK])),
        message(3, b""),
        vec![0; 4],
        message(20, b"\x02d8:msg_typei0e5:piecei0ee"),
    ];
    let answer = [
        message(16, &words(&[0, 0, BLOCK])),
        message(17, &words(&[2])),
        message(13, &words(&[0])),
        message(0, b""),
        message(20, b"\x02d8:msg_typei1e5:piecei0e10:total_sizei14eed6:lengthi9000ee"),
    ];
    let talk_about: [Line<'_>; 7] = [
        (C, &greeting(OUR_ID)),
        (S, &[greeting(PEER_ID), extended.clone(), message(5, b"\xe0")].concat()),
        (C, &[extended, message(15, b""), message(9, b"\x1a\xe1"), ask].concat()),
        (S, &[message(1, b""), message(14, b"")].concat()),
        (S, &blocks),
        (C, &end.concat()),
        (S, &answer.concat()),
    ];
    talk(trace, [50_320, 6881], &talk_about)
}

/// Adds all of them.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (ports, messages) in [([50_310, 6969], tracker()), ([50_311, 51_413], table()), ([50_312, 51_414], stream())] {
        let lines: Vec<Line<'_>> =
            messages.iter().map(|(is_client, bytes)| (if *is_client { C } else { S }, &bytes[..])).collect();
        datagrams(&mut trace, ports, &lines)?;
    }
    peers(&mut trace)?;
    pcap(trace)
}
