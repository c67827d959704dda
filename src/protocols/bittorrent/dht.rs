//! The distributed hash table of BitTorrent (BEP 5, BEP 32, BEP 42): bencoded queries and responses in datagrams.
//!
//! ```text
//! query       d 1:a d 2:id 20:ID … e 1:q name 1:t transaction 1:y 1:q e
//! response    d 1:r d 2:id 20:ID … e 1:t transaction 1:y 1:r e
//! error       d 1:e l code text e 1:t transaction 1:y 1:e e
//! nodes       (ID:20 | address:4 | port:2) …          nodes6 with 16 bytes of address
//! peer        address:4 or 16 | port:2                in the list "values"
//! ```

use super::bencode::{self, Names, entry_key, entry_value};
use crate::tree::{Field, Side, fields, title};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use std::ops::Range;

pub static PROTOCOL: Protocol =
    Protocol::new(&DHT, FIELDS).found(&[On::AnyUdp.exchange::<Queries>(Heuristic::Datagram(recognize))]).rest(&DATA);

fields! {
    DHT = protocol("bt-dht", "BT-DHT", "BitTorrent distributed hash table")
        .covers("All queries, responses and errors; nodes and peers; responses matched with their queries");
    DICTIONARY = group("bt-dht.bencoded.dict", "dictionary", "");
    ENTRY = group("bt-dht.bencoded.dict_entry", "dictionary entry", "Key and value").named(title::key, entry_value, title::nothing).collapsed(entry_key, entry_value);
    LIST = group("bt-dht.bencoded.list", "list", "");
    INTEGER = text("bt-dht.bencoded.int", "int", "As written");
    TEXT = text("bt-dht.bencoded.string", "string", "In hexadecimal unless it is printable");
    DELIMITER = bytes("bt-dht.bencoded.delimiter", "delimiter", "Begin of a list or dictionary");
    TERMINATOR = text("bt-dht.bencoded.list.terminator", "terminator", "End of a list or dictionary");
    ERROR = group("bt-dht.error", "error", "Code and text");
    PEERS = group("bt-dht.peers", "peers", "");
    INVALID = odd("bt-dht.invalid", "not bencoded", "Bytes that are not bencoded from here on");
    SIZE = text("bt-dht.bencoded.length", "length", "Length of a text, as written");
    ID = bytes("bt-dht.id", "ID", "ID of a node");
    NODES = group("bt-dht.nodes", "nodes", "");
    NODE = group("bt-dht.node", "node", "");
    PEER = group("bt-dht.peer", "peer", "");
    IP = ipv4("bt-dht.ip", "IP", "");
    IP6 = ipv6("bt-dht.ip6", "IPv6", "");
    PORT = number("bt-dht.port", "port", "");
    DATA = bytes("bt-dht.truncated_data", "truncated data", "Undissected bytes");
    RESPONSE_TO = number("bt-dht.response_to", "query in", "Frame of the query").once();
    TIME = float("bt-dht.time", "time", "Seconds since the query").seconds().once();
}

static NAMES: Names = Names {
    dictionary: &DICTIONARY,
    entry: &ENTRY,
    list: |key| match key {
        b"e" => &ERROR,
        b"values" => &PEERS,
        _ => &LIST,
    },
    integer: &INTEGER,
    text: &TEXT,
    begin: &DELIMITER,
    end: &TERMINATOR,
    invalid: &INVALID,
    is_binary: |key, content| matches!(key, b"t" | b"token") || content.len() == ID_SIZE,
    content,
};

/// Size of an ID in bytes.
const ID_SIZE: usize = 20;
const PORT_SIZE: usize = 2;
const IPV4_SIZE: usize = 4;
const IPV6_SIZE: usize = 16;

/// Requires one complete dictionary with a transaction and a message type.
fn recognize(bytes: &[u8]) -> bool {
    let is_dictionary = matches!(bytes, [b'd', b'1'..=b'9', .., b'e']);
    is_dictionary
        && bencode::size(bytes) == Some(bytes.len())
        && matches!(bencode::text_of(bytes, b"y"), Some(b"q" | b"r" | b"e"))
        && bencode::text_of(bytes, b"t").is_some()
}

/// Pending queries of one conversation by sender and transaction.
#[derive(Default)]
struct Queries(Requests<(Side, Box<[u8]>)>);

impl Exchange for Queries {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        /// Longest matched transaction ID in bytes.
        const TRANSACTION_MAX: usize = 32;
        let message = wire.ahead();
        let transaction = bencode::text_of(message, b"t").filter(|bytes| bytes.len() <= TRANSACTION_MAX);
        let mut query = None;
        match bencode::text_of(message, b"y") {
            Some(b"q") => {
                let name = bencode::text_of(message, b"q").unwrap_or_default();
                wire.name(&String::from_utf8_lossy(name));
                summarize(wire, message, b"a");
                if let Some(transaction) = transaction {
                    self.0.ask((from, transaction.into()), wire);
                }
            }
            kind => {
                wire.name(if kind == Some(b"e") { "error" } else { "response" });
                summarize(wire, message, b"r");
                query = transaction.and_then(|transaction| self.0.answer(&(from.other(), transaction.into())));
            }
        }
        let result = bencode::dictionary(wire, &NAMES);
        if let Some(query) = query {
            query.put(wire, &RESPONSE_TO, &TIME);
        }
        result?;
        wire.rest_is(&DATA)
    }
}

/// Adds the summary: the requested hash, the number of nodes and peers, or the error.
fn summarize(wire: &mut Wire<'_>, message: &[u8], body: &[u8]) {
    if !wire.wants_summary() {
        return;
    }
    let error = bencode::value_of(message, b"e").and_then(|error| bencode::values(error).find_map(bencode::content));
    let mut parts: Vec<String> = error.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let body = bencode::value_of(message, body).unwrap_or_default();
    let content = |key: &[u8]| bencode::text_of(body, key);
    parts.extend(content(b"info_hash").or_else(|| content(b"target")).map(|hash| bencode::Hex(hash).to_string()));
    let nodes = [(&b"nodes"[..], IPV4_SIZE), (b"nodes6", IPV6_SIZE)]
        .map(|(key, address)| content(key).map_or(0, |nodes| nodes.len() / (ID_SIZE + address + PORT_SIZE)));
    let peers = bencode::value_of(body, b"values").map_or(0, |list| bencode::values(list).count());
    let counts = [(nodes.iter().sum::<usize>(), "node"), (peers, "peer")];
    parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    }));
    if !parts.is_empty() {
        wire.info(format_args!("{}", parts.join(", ")));
    }
}

/// Dissects strings with known keys.
fn content(wire: &mut Wire<'_>, key: &[u8], content: Range<usize>) -> Result<bool> {
    let length = content.len();
    let is_peer = length == IPV4_SIZE + PORT_SIZE || length == IPV6_SIZE + PORT_SIZE;
    let address = match key {
        b"nodes6" => IPV6_SIZE,
        _ => IPV4_SIZE,
    };
    let node = ID_SIZE + address + PORT_SIZE;
    match key {
        b"nodes" | b"nodes6" if length.is_multiple_of(node) => {
            size(wire, &content)?;
            wire.group(&NODES, |wire| {
                (0..length / node).try_for_each(|_| {
                    wire.group(&NODE, |wire| {
                        wire.bytes(&ID, ID_SIZE)?;
                        endpoint(wire, address)
                    })
                })
            })?;
        }
        b"values" if is_peer => {
            wire.group(&PEER, |wire| {
                size(wire, &content)?;
                endpoint(wire, length - PORT_SIZE)
            })?;
        }
        b"ip" if is_peer => {
            size(wire, &content)?;
            endpoint(wire, length - PORT_SIZE)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Dissects the length of a string.
fn size(wire: &mut Wire<'_>, content: &Range<usize>) -> Result {
    wire.words(&SIZE, content.start, 0..content.start.saturating_sub(1)).map(drop)
}

fn endpoint(wire: &mut Wire<'_>, address: usize) -> Result {
    let field: &'static Field = if address == IPV4_SIZE { &IP } else { &IP6 };
    wire.bytes(field, address)?;
    wire.u16_be(&PORT).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    // The examples of BEP 5.
    const GET_PEERS: &[u8] = b"d1:ad2:id20:abcdefghij01234567899:info_hash20:mnopqrstuvwxyz123456e1:q9:get_peers1:t2:aa1:y1:qe";
    const PEERS: &[u8] = b"d1:rd2:id20:abcdefghij01234567895:token8:aoeusnth6:valuesl6:axje.u6:idhtnmee1:t2:aa1:y1:re";
    const NODES: &[u8] = b"d1:rd2:id20:0123456789abcdefghij5:nodes26:mnopqrstuvwxyz123456\xc0\0\x02\x07\x1a\xe1e1:t2:ab1:y1:re";
    const ERROR: &[u8] = b"d1:eli201e23:A Generic Error Ocurrede1:t2:aa1:y1:ee";

    #[test]
    fn a_response_is_matched_with_its_query() {
        let mut queries = Queries::default();
        let mut read = |from, bytes| trial::read(&PROTOCOL, bytes, Cut::No, |wire| queries.message(from, wire));
        insta::assert_snapshot!(read(Side::Client, GET_PEERS) + &read(Side::Server, PEERS), @r#"
        bt-dht 0..95 | get_peers | 6d6e6f707172737475767778797a313233343536
          0..1 bt-dht.bencoded.delimiter = 64
          1..67 bt-dht.bencoded.dict_entry
            1..4 bt-dht.bencoded.string = "a"
            4..67 bt-dht.bencoded.dict
              4..5 bt-dht.bencoded.delimiter = 64
              5..32 bt-dht.bencoded.dict_entry
                5..9 bt-dht.bencoded.string = "id"
                9..32 bt-dht.bencoded.string = "6162636465666768696a30313233343536373839"
              32..66 bt-dht.bencoded.dict_entry
                32..43 bt-dht.bencoded.string = "info_hash"
                43..66 bt-dht.bencoded.string = "6d6e6f707172737475767778797a313233343536"
              66..67 bt-dht.bencoded.list.terminator = "e"
          67..81 bt-dht.bencoded.dict_entry
            67..70 bt-dht.bencoded.string = "q"
            70..81 bt-dht.bencoded.string = "get_peers"
          81..88 bt-dht.bencoded.dict_entry
            81..84 bt-dht.bencoded.string = "t"
            84..88 bt-dht.bencoded.string = "6161"
          88..94 bt-dht.bencoded.dict_entry
            88..91 bt-dht.bencoded.string = "y"
            91..94 bt-dht.bencoded.string = "q"
          94..95 bt-dht.bencoded.list.terminator = "e"
        bt-dht 0..90 | response | 2 peers
          0..1 bt-dht.bencoded.delimiter = 64
          1..76 bt-dht.bencoded.dict_entry
            1..4 bt-dht.bencoded.string = "r"
            4..76 bt-dht.bencoded.dict
              4..5 bt-dht.bencoded.delimiter = 64
              5..32 bt-dht.bencoded.dict_entry
                5..9 bt-dht.bencoded.string = "id"
                9..32 bt-dht.bencoded.string = "6162636465666768696a30313233343536373839"
              32..49 bt-dht.bencoded.dict_entry
                32..39 bt-dht.bencoded.string = "token"
                39..49 bt-dht.bencoded.string = "616f6575736e7468"
              49..75 bt-dht.bencoded.dict_entry
                49..57 bt-dht.bencoded.string = "values"
                57..75 bt-dht.peers
                  57..58 bt-dht.bencoded.delimiter = 6c
                  58..66 bt-dht.peer
                    58..60 bt-dht.bencoded.length = "6"
                    60..64 bt-dht.ip = 97.120.106.101
                    64..66 bt-dht.port = 11893
                  66..74 bt-dht.peer
                    66..68 bt-dht.bencoded.length = "6"
                    68..72 bt-dht.ip = 105.100.104.116
                    72..74 bt-dht.port = 28269
                  74..75 bt-dht.bencoded.list.terminator = "e"
              75..76 bt-dht.bencoded.list.terminator = "e"
          76..83 bt-dht.bencoded.dict_entry
            76..79 bt-dht.bencoded.string = "t"
            79..83 bt-dht.bencoded.string = "6161"
          83..89 bt-dht.bencoded.dict_entry
            83..86 bt-dht.bencoded.string = "y"
            86..89 bt-dht.bencoded.string = "r"
          89..90 bt-dht.bencoded.list.terminator = "e"
          bt-dht.response_to = 0
        "#);
    }

    #[test]
    fn nodes_and_errors_are_dissected() {
        let read = |bytes| trial::read(&PROTOCOL, bytes, Cut::No, |wire| Queries::default().message(Side::Server, wire));
        insta::assert_snapshot!(read(NODES) + &read(ERROR), @r#"
        bt-dht 0..83 | response | 1 node
          0..1 bt-dht.bencoded.delimiter = 64
          1..69 bt-dht.bencoded.dict_entry
            1..4 bt-dht.bencoded.string = "r"
            4..69 bt-dht.bencoded.dict
              4..5 bt-dht.bencoded.delimiter = 64
              5..32 bt-dht.bencoded.dict_entry
                5..9 bt-dht.bencoded.string = "id"
                9..32 bt-dht.bencoded.string = "303132333435363738396162636465666768696a"
              32..68 bt-dht.bencoded.dict_entry
                32..39 bt-dht.bencoded.string = "nodes"
                39..42 bt-dht.bencoded.length = "26"
                42..68 bt-dht.nodes
                  42..68 bt-dht.node
                    42..62 bt-dht.id = 20 bytes
                    62..66 bt-dht.ip = 192.0.2.7
                    66..68 bt-dht.port = 6881
              68..69 bt-dht.bencoded.list.terminator = "e"
          69..76 bt-dht.bencoded.dict_entry
            69..72 bt-dht.bencoded.string = "t"
            72..76 bt-dht.bencoded.string = "6162"
          76..82 bt-dht.bencoded.dict_entry
            76..79 bt-dht.bencoded.string = "y"
            79..82 bt-dht.bencoded.string = "r"
          82..83 bt-dht.bencoded.list.terminator = "e"
        bt-dht 0..51 | error | A Generic Error Ocurred
          0..1 bt-dht.bencoded.delimiter = 64
          1..37 bt-dht.bencoded.dict_entry
            1..4 bt-dht.bencoded.string = "e"
            4..37 bt-dht.error
              4..5 bt-dht.bencoded.delimiter = 6c
              5..9 bt-dht.bencoded.int = "201"
              9..10 bt-dht.bencoded.list.terminator = "e"
              10..36 bt-dht.bencoded.string = "A Generic Error Ocurred"
              36..37 bt-dht.bencoded.list.terminator = "e"
          37..44 bt-dht.bencoded.dict_entry
            37..40 bt-dht.bencoded.string = "t"
            40..44 bt-dht.bencoded.string = "6161"
          44..50 bt-dht.bencoded.dict_entry
            44..47 bt-dht.bencoded.string = "y"
            47..50 bt-dht.bencoded.string = "e"
          50..51 bt-dht.bencoded.list.terminator = "e"
        "#);
    }

    #[test]
    fn a_node_that_knows_no_others_has_an_empty_group() {
        let bytes = b"d1:rd2:id20:0123456789abcdefghij5:nodes0:e1:t2:ab1:y1:re";
        let tree = trial::read(&PROTOCOL, bytes, Cut::No, |wire| Queries::default().message(Side::Server, wire));
        assert!(tree.contains("39..41 bt-dht.bencoded.length = \"0\"") && tree.contains("41..41 bt-dht.nodes"), "{tree}");
    }

    #[test]
    fn an_integer_ends_as_a_list_does() {
        let bytes = b"d1:ad4:porti6881ee1:q4:ping1:t1:a1:y1:qe";
        let tree = trial::read(&PROTOCOL, bytes, Cut::No, |wire| Queries::default().message(Side::Client, wire));
        assert!(tree.contains("11..16 bt-dht.bencoded.int = \"6881\""), "{tree}");
        assert!(tree.contains("16..17 bt-dht.bencoded.list.terminator = \"e\""), "{tree}");
    }

    #[test]
    fn only_whole_dictionaries_with_a_transaction_are_recognized() {
        for message in [GET_PEERS, PEERS, NODES, ERROR] {
            assert!(recognize(message));
            assert!((0..message.len()).all(|end| !recognize(&message[..end])));
        }
        for other in [&b"d1:ai1ee"[..], b"d1:y1:qe", b"d1:t1:a1:y1:xe", b"hello", b"", b"di1e1:ae"] {
            assert!(!recognize(other), "{other:?}");
        }
    }

    #[test]
    fn damaged_messages_are_dissected() {
        for message in [GET_PEERS, PEERS, NODES, ERROR] {
            trial::survives_damage(&PROTOCOL, message, |wire| Queries::default().message(Side::Client, wire));
        }
    }
}
