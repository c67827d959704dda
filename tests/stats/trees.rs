//! Trees in the form of tshark, with values computed by hand from the frames of the samples.

use crate::common::{Scratch, run, run_with};
use etherparse::PacketBuilder;
use serde_json::Value;
use std::fs;

/// Labels, indented by depth, with their counts; rows that count nothing are left out.
fn counted(part: &str, sample: &str) -> Vec<String> {
    let run = run(&["stats", "--json", "-z", part, sample]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "-z {part} {sample}");
    let stats: Value = serde_json::from_str(&run.out).unwrap();
    let key = part.split(',').next().unwrap();
    let topics = stats[key]["topics"].as_array().unwrap().iter().filter(|topic| topic["count"] != 0);
    let indent = |topic: &Value| " ".repeat(usize::try_from(topic["depth"].as_u64().unwrap()).unwrap());
    topics.map(|topic| format!("{}{} {}", indent(topic), topic["topic"].as_str().unwrap(), topic["count"])).collect()
}

#[test]
fn each_ip_header_counts_but_that_of_a_quoted_packet() {
    const LAYERS: &str = "samples/layers.pcap";
    assert_eq!(counted("ip_hosts,tree", LAYERS), ["All Addresses 12", " 192.0.2.17 12", " 192.0.2.1 11", " 239.255.28.0 1"]);
    let ends = [
        "Source IPv4 Addresses 12",
        " 192.0.2.17 8",
        " 192.0.2.1 4",
        "Destination IPv4 Addresses 12",
        " 192.0.2.1 7",
        " 192.0.2.17 4",
        " 239.255.28.0 1",
    ];
    assert_eq!(counted("ip_srcdst,tree", LAYERS), ends);
    // Frame 6 quotes a datagram, and frame 12 is a fragment. ICMP and IGMP have no ports.
    assert_eq!(counted("ptype,tree", LAYERS), ["IP Protocol Types 12", " UDP 6", " NONE 4", " TCP 2"]);
    assert_eq!(counted("ipv6_ptype,tree", LAYERS), ["IP Protocol Types 3", " NONE 2", " UDP 1"]);
    let hosts = ["All Addresses 3", " 2001:db8::17 3", " 2001:db8::1 2", " ff02::1:ff00:1 1"];
    assert_eq!(counted("ipv6_hosts,tree", LAYERS), hosts);
    let destinations = counted("dests,tree", LAYERS);
    assert_eq!(destinations[..3], ["Destinations and Ports 12", " 192.0.2.1 7", "  UDP 4"]);
    assert!(destinations.contains(&"   33434 1".to_owned()), "{destinations:?}");
    assert_eq!(counted("ipv6_srcdst,tree", "samples/pipboy.pcap"), [""; 0]);
}

#[test]
fn filters_of_trees_follow_their_names() {
    let to_one = counted("dests,tree,ip.addr == 239.255.28.0", "samples/layers.pcap");
    assert_eq!(to_one, ["Destinations and Ports 1", " 239.255.28.0 1", "  NONE 1", "   0 1"]);
    let live = counted("http_req,tree,tcp.port == 9000", "samples/http.pcap");
    assert_eq!(live, ["HTTP Requests by HTTP Host 1", " game.example:9000 1", "  /live 1"]);
    for wrong in ["dests,tree,ip.adr == 1.2.3.4", "http_req,tree,http.request.methd"] {
        let run = run(&["-z", wrong, "nothing"]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{wrong}");
        assert!(run.err.contains("^^^"), "{}", run.err);
    }
}

#[test]
fn http_requests_are_counted_by_host_and_by_server() {
    const HTTP: &str = "samples/http.pcap";
    let requests = counted("http_req,tree", HTTP);
    let of_game = [" game.example 4", "  /patch.bin 1", "  /news.txt 1", "  /long.txt 1", "  /login 1"];
    assert_eq!(requests[1..6], of_game, "{requests:?}");
    assert_eq!(requests[0], "HTTP Requests by HTTP Host 7");
    let servers = counted("http_srv,tree", HTTP);
    assert_eq!(
        servers[..4],
        ["HTTP Requests by Server 7", " HTTP Requests by Server Address 7", "  203.0.113.80 7", "   game.example 4",]
    );
    // 100 and 401 are no success in tshark.
    assert_eq!(servers[servers.len() - 4..], ["HTTP Responses by Server Address 8", " 203.0.113.80 8", "  OK 6", "  KO 2"]);
}

#[test]
fn tokens_in_requested_uris_are_masked() {
    let request = "GET /pay?token=s3cr3t-token HTTP/1.1\r\nHost: a.example\r\n\r\n";
    let hex: String = request.bytes().map(|byte| format!("{byte:02x}")).collect();
    let shown = |more: &[&str]| run(&[&["-z", "http_req,tree", "--as", "http:c2s", "--hex", &hex][..], more].concat()).out;
    assert!(shown(&[]).contains("/pay?token=") && !shown(&[]).contains("s3cr3t"), "{}", shown(&[]));
    assert!(shown(&["--show-secrets"]).contains("/pay?token=s3cr3t-token"));
}

/// A capture of UDP datagrams to these ports, at these microseconds.
fn datagrams(sent: &[(u32, u16)]) -> Vec<u8> {
    let mut capture = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0".to_vec();
    for (at, port) in sent {
        let mut frame = Vec::new();
        let net = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        net.udp(4000, *port).write(&mut frame, &[7; 8]).unwrap();
        let len = u32::try_from(frame.len()).unwrap();
        for number in [at / 1_000_000, at % 1_000_000, len, len] {
            capture.extend(number.to_le_bytes());
        }
        capture.extend(frame);
    }
    capture
}

#[test]
fn trees_have_the_columns_of_tshark() {
    // Two of three packets within 100 ms, the last after a second.
    let file = Scratch::new("tree.pcap", &datagrams(&[(0, 9000), (200_000, 9000), (230_000, 9001), (1_000_000, 9000)]));
    let printed = run(&["stats", "-z", "dests,tree", file.path()]).out;
    let expected = "
=======================================================================================================================================
IPv4 Statistics/Destinations and Ports:
Topic / Item            Count         Average       Min Val       Max Val       Rate (ms)     Percent       Burst Rate    Burst Start  
---------------------------------------------------------------------------------------------------------------------------------------
Destinations and Ports  4                                                       0.0040        100%          0.0200        0.200        
 10.0.0.2               4                                                       0.0040        100.00%       0.0200        0.200        
  UDP                   4                                                       0.0040        100.00%       0.0200        0.200        
   9000                 3                                                       0.0030        75.00%        0.0100        0.000        
   9001                 1                                                       0.0010        25.00%        0.0100        0.230        

---------------------------------------------------------------------------------------------------------------------------------------
";
    assert_eq!(printed, expected);
    let lengths = run(&["-q", "-z", "plen,tree", "-r", file.path()]).out;
    let row = |name: &str| lengths.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    let cells = |name: &str| row(name).split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>();
    // 8 bytes behind 42 of headers.
    assert_eq!(cells(" 40-79"), ["4", "50.00", "50", "50", "0.0040", "100.00%", "0.0200", "0.200"], "{lengths}");
    assert_eq!(cells(" 80-159"), ["0", "-", "-", "-", "0.0000", "0.00%", "-", "-"], "{lengths}");
}

#[test]
fn a_tree_that_never_ends_is_cut_with_a_count() {
    let sent: Vec<(u32, u16)> = (0..40).map(|at| (u32::from(at) * 1000, 9000 + at)).collect();
    let bytes = datagrams(&sent);
    let run = run_with(&["stats", "-z", "dests,tree", "--limit", "stats.topics=10"], &bytes);
    assert!(run.out.ends_with("33 counts of further items are left out (--limit stats.topics=N)\n"), "{}", run.out);
    // Rows above those left out still count all packets.
    assert!(run.out.contains("\n  UDP                   40 "), "{}", run.out);
}

#[test]
fn the_hierarchy_is_printed_as_tshark_prints_it() {
    let hierarchy = |sample: &str| run(&["stats", "-z", "io,phs", &format!("samples/{sample}.pcap")]).out;
    for sample in ["linux-cooked", "null-loopback"] {
        let expected = fs::read_to_string(format!("tests/golden/tshark/{sample}-io-phs.txt")).unwrap();
        assert_eq!(hierarchy(sample), expected, "{sample}");
    }
    let ours = hierarchy("pipboy");
    let expected = fs::read_to_string("tests/golden/tshark/pipboy-io-phs.txt").unwrap();
    // tshark has no Pip-Boy.
    for line in expected.lines().filter(|line| !line.contains("data") && !line.contains("adwin")) {
        assert!(ours.lines().any(|own| own == line), "{line:?} in {ours}");
    }
    let filtered = run(&["-q", "-z", "io,phs,udp", "-r", "samples/pipboy.pcap"]).out;
    assert!(filtered.contains("\nFilter: udp\n\neth                                      frames:5 bytes:373\n"), "{filtered}");
    assert!(run(&["-z", "hierarchy", "samples/pipboy.pcap"]).out.contains("data_update"));
}
