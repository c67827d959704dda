//! Client and server of connections whose handshake is not captured.

use crate::common::{Scratch, run};
use etherparse::PacketBuilder;
use std::fs;
use std::net::SocketAddrV4;

/// A segment: source, destination, whether it is a handshake or its answer, payload.
type Sent = (&'static str, &'static str, Option<bool>, &'static [u8]);

const SYN: Option<bool> = Some(false);
const SYN_ACK: Option<bool> = Some(true);

/// A pcap capture of IP packets.
fn capture(sent: &[Sent]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x4_0000, 101].map(u32::to_le_bytes).concat();
    for (second, (from, to, syn, payload)) in (0_u32..).zip(sent) {
        let [from, to]: [SocketAddrV4; 2] = [from, to].map(|end| end.parse().unwrap());
        let builder = PacketBuilder::ipv4(from.ip().octets(), to.ip().octets(), 64);
        let builder = builder.tcp(from.port(), to.port(), 1000 * (second + 1), 1000);
        let builder = if syn.is_some() { builder.syn() } else { builder };
        let builder = if *syn == SYN { builder } else { builder.ack(1) };
        let mut packet = Vec::new();
        builder.write(&mut packet, payload).unwrap();
        let len = u32::try_from(packet.len()).unwrap();
        file.extend([second, 0, len, len].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

/// Client and server of each conversation, as `follow` lists them.
fn sides(name: &str, sent: &[Sent]) -> Vec<String> {
    let file = Scratch::new(name, &capture(sent));
    let list = run(&["follow", "--json", file.path()]);
    assert_eq!(list.code, 0, "{}", list.err);
    let lines = list.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines
        .filter(|line| line["type"] == "stream")
        .map(|line| format!("{} > {}", line["client"].as_str().unwrap(), line["server"].as_str().unwrap()))
        .collect()
}

/// The server speaks first in what is captured of its second connection; its port is as high as that of the client.
const SERVED: [Sent; 3] = [
    ("10.0.0.2:50001", "10.0.0.1:50000", SYN, b""),
    ("10.0.0.1:50000", "10.0.0.2:50001", SYN_ACK, b""),
    ("10.0.0.1:50000", "10.0.0.3:50002", None, b"state"),
];

#[test]
fn an_address_and_port_that_accepted_a_connection_are_a_server() {
    let want = ["10.0.0.2:50001 > 10.0.0.1:50000", "10.0.0.3:50002 > 10.0.0.1:50000"];
    assert_eq!(sides("sides-served.pcap", &SERVED), want);
    // The answer to a handshake alone is enough, and the handshake alone.
    assert_eq!(sides("sides-answered.pcap", &SERVED[1..]), want);
    assert_eq!(sides("sides-asked.pcap", &[SERVED[0], SERVED[2]]), want);
}

#[test]
fn an_address_and_port_with_several_peers_are_a_server() {
    let sent: [Sent; 3] = [
        ("10.0.0.2:50001", "10.0.0.1:50000", None, b"hello"),
        ("10.0.0.1:50000", "10.0.0.3:50002", None, b"state"),
        ("10.0.0.1:50000", "10.0.0.3:50003", None, b"state"),
    ];
    let want = ["10.0.0.2:50001 > 10.0.0.1:50000", "10.0.0.3:50002 > 10.0.0.1:50000", "10.0.0.3:50003 > 10.0.0.1:50000"];
    assert_eq!(sides("sides-peers.pcap", &sent), want);
}

#[test]
fn an_ephemeral_port_is_that_of_a_client() {
    let server_first: [Sent; 1] = [("10.0.0.1:4000", "10.0.0.3:50002", None, b"state")];
    assert_eq!(sides("sides-ephemeral.pcap", &server_first), ["10.0.0.3:50002 > 10.0.0.1:4000"]);
    // Between two ephemeral or two low ports, the first sender is the client.
    let first: [Sent; 2] =
        [("10.0.0.1:40000", "10.0.0.3:50002", None, b"state"), ("10.0.0.1:4000", "10.0.0.3:1040", None, b"state")];
    assert_eq!(sides("sides-first.pcap", &first), ["10.0.0.1:40000 > 10.0.0.3:50002", "10.0.0.1:4000 > 10.0.0.3:1040"]);
}

#[test]
fn a_handshake_in_its_own_connection_outranks_all_others() {
    let sent: [Sent; 3] = [SERVED[0], SERVED[1], ("10.0.0.1:50000", "10.0.0.3:4000", SYN, b"")];
    let want = ["10.0.0.2:50001 > 10.0.0.1:50000", "10.0.0.1:50000 > 10.0.0.3:4000"];
    assert_eq!(sides("sides-handshake.pcap", &sent), want);
}

#[test]
fn parts_of_a_split_capture_have_the_sides_of_the_whole() {
    let file = Scratch::new("sides-whole.pcap", &capture(&SERVED));
    let folder = std::env::temp_dir().join(format!("proto-dissect-sides-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let split = run(&["split", file.path(), "-n", "8", "--by", "flow", folder.to_str().unwrap()]);
    assert_eq!(split.code, 0, "{}", split.err);
    let of = |path: &str| {
        let records = run(&["--json", path]).out;
        let records = records.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let messages = records.filter(|record| record["type"] == "message");
        messages.map(|record| format!("{} {}", record["stream"], record["dir"])).collect::<Vec<_>>()
    };
    let parts = fs::read_dir(&folder).unwrap().map(|part| part.unwrap().path());
    let found: Vec<String> = parts.flat_map(|part| of(part.to_str().unwrap())).collect();
    let _ = fs::remove_dir_all(&folder);
    assert_eq!(found, ["\"tcp/1\" \"s2c\""]);
    assert_eq!(of(file.path()), found);
}
