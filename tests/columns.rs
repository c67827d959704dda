//! `--packets -T fields -e …` prints the same text as tshark. Its output is in `tests/golden/tshark/`, recorded by `columns.sh`
//! there.

use crate::common::{is_thorough, own_cases, run, run_with};
use std::fs;

const SAMPLES: [&str; 9] = [
    "layers.pcap",
    "linux-cooked.pcap",
    "linux-cooked-v2.pcap",
    "null-loopback.pcap",
    "pipboy.pcap",
    "pipboy-damaged.pcap",
    "pipboy-ipv6.pcapng",
    "vscp.pcap",
    "xfire.pcap",
];

/// Known differences with their reasons: sample, frame, field.
const DIFFERENT: [(&str, usize, &str); 3] = [
    // tshark has a separate name for the outer of two tags (ieee8021ad), which is a VLAN tag here.
    ("layers.pcap", 11, "vlan.id"),
    ("layers.pcap", 11, "vlan.priority"),
    ("layers.pcap", 11, "vlan.dei"),
];

#[test]
fn shared_fields_are_written_as_tshark_writes_them() {
    let fields = fs::read_to_string("tests/golden/tshark/columns.txt").unwrap();
    let fields: Vec<&str> = fields.lines().collect();
    let columns: Vec<&str> = fields.iter().flat_map(|field| ["-e", field]).collect();
    let mut seen = vec![0; fields.len()];
    let mut wrong = Vec::new();
    for sample in SAMPLES {
        let theirs = fs::read_to_string(format!("tests/golden/tshark/columns-{sample}.tsv")).unwrap();
        let path = format!("samples/{sample}");
        let ours = run(&[&["--packets", "-T", "fields"][..], &columns, &[path.as_str()]].concat());
        assert_eq!((ours.code, ours.err.as_str()), (0, ""), "{sample}");
        assert_eq!(theirs.lines().count(), ours.out.lines().count(), "{sample}");
        for (frame, (theirs, ours)) in (1..).zip(theirs.lines().zip(ours.out.lines())) {
            let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
            let (theirs, ours) = (cells(theirs), cells(ours));
            assert_eq!((theirs.len(), ours.len()), (fields.len(), fields.len()), "{sample} frame {frame}");
            for (at, field) in fields.iter().enumerate() {
                seen[at] += usize::from(!theirs[at].is_empty());
                // Listed differences must exist, so that the list stays correct.
                if (theirs[at] == ours[at]) == DIFFERENT.contains(&(sample, frame, *field)) {
                    wrong.push(format!("{sample} frame {frame} {field}: tshark {:?}, ours {:?}", theirs[at], ours[at]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let compared = seen.iter().filter(|count| **count > 0).count();
    assert!(compared >= 60, "only {compared} fields have a value in any sample");
    let never: Vec<&&str> = fields.iter().zip(&seen).filter(|(_, count)| **count == 0).map(|(field, _)| field).collect();
    assert!(never.is_empty(), "no sample has {never:?}");
}

/// Fields that depend on headers only, at all depths.
const OF_HEADERS: &str = "frame.number frame.time_epoch frame.len eth.src eth.type vlan.id ip.src ip.dst ip.proto ip.len \
    ipv6.src ipv6.nxt tcp.port tcp.len tcp.seq_raw tcp.ack_raw tcp.hdr_len tcp.flags tcp.flags.syn tcp.window_size_value \
    tcp.checksum tcp.payload udp.port udp.length icmp.type arp.opcode";

#[test]
fn header_fields_do_not_depend_on_the_dissection_of_conversations() {
    let columns: Vec<&str> = OF_HEADERS.split_whitespace().flat_map(|field| ["-e", field]).collect();
    let mut paths: Vec<_> =
        fs::read_dir("samples").unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let mut lines = 0;
    for path in own_cases(&paths, 0, 6) {
        let path = path.to_str().unwrap();
        let print = |more: &[&str]| run(&[&["--packets", "-T", "fields", path], &columns[..], more].concat());
        let (alone, with_stream) = (print(&[]), print(&["-e", "tcp.stream"]));
        let without: String = with_stream.out.lines().map(|line| format!("{}\n", line.rsplit_once('\t').unwrap().0)).collect();
        assert_eq!((alone.code, &alone.err), (with_stream.code, &with_stream.err), "{path}");
        assert!(alone.out == without, "{path}");
        assert_eq!(print(&["--strict"]).out, alone.out, "{path}");
        let filtered = |more: &str| print(&["-Y", &format!("tcp and ip.ttl > 9{more}")]).out;
        assert_eq!(filtered(""), filtered(" and !(message.number == 0)"), "{path}");
        lines += alone.out.lines().count();
    }
    assert!(lines > if is_thorough() { 500 } else { 50 }, "{lines}");
}

#[test]
fn columns_of_wireshark_have_its_values() {
    // tshark -n -r samples/layers.pcap -T fields -e _ws.col.Protocol -e _ws.col.Source -e _ws.col.Destination -e _ws.col.Time -e _ws.col.Length
    let columns = ["Protocol", "Source", "Destination", "Time", "Length"].map(|column| format!("_ws.col.{column}"));
    let columns: Vec<&str> = columns.iter().flat_map(|column| ["-e", column]).collect();
    let ours = run(&[&["--packets", "-T", "fields"][..], &columns, &["samples/layers.pcap"]].concat());
    let ours: Vec<&str> = ours.out.lines().collect();
    let theirs = [
        (1, "ARP\t02:50:49:50:00:11\tff:ff:ff:ff:ff:ff\t0.000000\t42"),
        (2, "ARP\t02:50:49:50:00:01\t02:50:49:50:00:11\t0.000420\t42"),
        (3, "ICMP\t192.0.2.17\t192.0.2.1\t0.250840\t98"),
        (4, "ICMP\t192.0.2.1\t192.0.2.17\t0.251260\t98"),
        (5, "UDP\t192.0.2.17\t192.0.2.1\t0.501260\t55"),
        (6, "ICMP\t192.0.2.1\t192.0.2.17\t0.501680\t83"),
        (7, "ICMPv6\t2001:db8::17\tff02::1:ff00:1\t0.751680\t86"),
        (8, "ICMPv6\t2001:db8::1\t2001:db8::17\t0.752100\t86"),
        (10, "UDP\t2001:db8::17\t2001:db8::1\t1.252100\t106"),
        (11, "UDP\t192.0.2.17\t192.0.2.1\t1.502100\t65"),
        (12, "IPv4\t192.0.2.17\t192.0.2.1\t1.752100\t194"),
        (13, "UDP\t192.0.2.17\t192.0.2.1\t1.752520\t182"),
        (14, "TCP\t192.0.2.17\t192.0.2.1\t2.002940\t74"),
        (15, "TCP\t192.0.2.1\t192.0.2.17\t2.003250\t54"),
        (16, "UDP\t192.0.2.17\t192.0.2.1\t2.253250\t53"),
        (19, "UDP\t192.0.2.1\t192.0.2.17\t3.003250\t60"),
    ];
    for (frame, line) in theirs {
        assert_eq!(ours[frame - 1], line, "frame {frame}");
    }
}

/// Expected cells from tshark 4.0 for the same frames.
#[test]
fn lists_of_protocols_and_their_column_are_as_wireshark_has_them() {
    let theirs = [
        ("layers", 3, "eth:ethertype:ip:icmp:data\tICMP"),
        ("layers", 6, "eth:ethertype:ip:icmp:ip:udp:data\tICMP"),
        ("layers", 9, "eth:ethertype:ip:igmp:igmp\tIGMPv2"),
        ("layers", 10, "eth:ethertype:ipv6:ipv6.hopopts:ipv6.dstopts:udp:data\tUDP"),
        ("layers", 12, "eth:ethertype:ip:data\tIPv4"),
        ("layers", 13, "eth:ethertype:ip:udp:data\tUDP"),
        ("neighbours", 19, "eth:ethertype:ip:tcp:smtp:imf\tSMTP/IMF"),
        ("neighbours", 43, "eth:ethertype:ip:tcp:ftp-data:data-text-lines\tFTP-DATA"),
        ("neighbours", 75, "eth:ethertype:ip:tcp:ssh\tSSH"),
        ("neighbours", 76, "eth:ethertype:ip:tcp:ssh\tSSHv2"),
        ("neighbours", 93, "eth:ethertype:ip:udp:sip:sdp\tSIP/SDP"),
        ("http", 5, "eth:ethertype:ip:tcp:http:data-text-lines\tHTTP"),
        ("http", 13, "eth:ethertype:ip:tcp:http:json\tHTTP/JSON"),
        ("http", 24, "eth:ethertype:ip:tcp:http:websocket:data-text-lines\tWebSocket"),
        ("talk", 35, "eth:ethertype:ip:udp:tftp:data\tTFTP"),
        ("tls", 4, "eth:ethertype:ip:tcp:tls\tTLSv1"),
        ("tls", 6, "eth:ethertype:ip:tcp:tls\tTLSv1.2"),
    ];
    for (sample, frame, cells) in theirs {
        let path = format!("samples/{sample}.pcap");
        for threads in ["1", "2"] {
            let columns = ["-e", "frame.protocols", "-e", "_ws.col.Protocol", "--threads", threads, &path];
            let ours = run(&[&["--packets", "-T", "fields"][..], &columns].concat()).out;
            assert_eq!(ours.lines().nth(frame - 1), Some(cells), "{sample}, frame {frame}");
        }
        let filter = format!("frame.protocols == \"{}\"", cells.split('\t').next().unwrap());
        let shown = run(&["--packets", "-T", "fields", "-e", "frame.number", "-Y", &filter, &path]).out;
        assert!(shown.lines().any(|number| number == frame.to_string()), "{filter}");
    }
}

/// A capture of raw IP packets of one TCP connection, one segment a second, from port 443.
fn capture_of_segments(stream: &[u8], cuts: &[usize]) -> Vec<u8> {
    capture_from(443, stream, cuts)
}

fn capture_from(port: u16, stream: &[u8], cuts: &[usize]) -> Vec<u8> {
    let mut capture = [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65535, 101].map(u32::to_be_bytes).concat();
    for (second, cut) in (0_u32..).zip(cuts.windows(2)) {
        let payload = &stream[cut[0]..cut[1]];
        let length = 40 + u16::try_from(payload.len()).unwrap();
        let mut packet = vec![0x45, 0, 0, 0, 0, 1, 0, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 0, 0, 0xc3, 0x50];
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        packet[20..22].copy_from_slice(&port.to_be_bytes());
        packet.extend((1 + u32::try_from(cut[0]).unwrap()).to_be_bytes());
        packet.extend([0, 0, 0, 1, 0x50, 0x18, 4, 0, 0, 0, 0, 0]);
        packet.extend(payload);
        capture.extend([second, 0, length.into(), length.into()].map(u32::to_be_bytes).concat());
        capture.extend(packet);
    }
    capture
}

/// Expected cells from tshark 4.0 for the same capture.
#[test]
fn a_segment_is_listed_with_the_protocol_of_a_record_that_begins_in_it() {
    let record = [&b"\x17\x03\x03\x00\x14"[..], &[0xaa; 20]].concat();
    let capture = capture_of_segments(&record.repeat(4), &[0, 25, 35, 45, 60, 100]);
    let ours = run_with(&["--packets", "-T", "fields", "-e", "frame.protocols", "-e", "_ws.col.Protocol", "-"], &capture);
    let theirs = [
        "raw:ip:tcp:tls\tTLSv1.2",
        "raw:ip:tcp:tls\tTCP",
        "raw:ip:tcp\tTCP",
        "raw:ip:tcp:tls:tls\tTLSv1.2",
        "raw:ip:tcp:tls:tls\tTLSv1.2",
    ];
    assert_eq!(ours.out.lines().collect::<Vec<_>>(), theirs);
}

#[test]
fn a_syn_packet_with_options_but_without_an_mss_is_remarked() {
    // Wireshark: "The SYN packet does not contain a MSS option", for a SYN with options only.
    let messages = |length: &str, offset_and_flags: &str, options: &str| {
        let ip = format!("45 00 00{length} 0001 0000 40 06 0000 c0000201 c0000202");
        let hex = format!("{ip} 04d2 162e 00000001 00000000 {offset_and_flags} ffff 0000 0000 {options}");
        run(&["--packets", "-T", "fields", "-e", "_ws.expert.message", "--as", "ip", "--hex", &hex]).out
    };
    let missing = "does not contain a MSS option";
    assert!(messages("2c", "6002", "01010100").contains(missing));
    assert!(!messages("2c", "6002", "020405b4").contains(missing));
    assert!(!messages("28", "5002", "").contains(missing));
    assert!(!messages("2c", "6010", "01010100").contains(missing));
}

#[test]
fn small_or_unexpected_times_to_live_are_remarked() {
    // The words of Wireshark's rules for IPv4.
    let messages = |ttl: u8, protocol: &str, destination: &str| {
        let hex = format!("45 00 001c 0001 0000 {ttl:02x} {protocol} 0000 c0000201 {destination} 0001 0002 0008 0000");
        run(&["--packets", "-T", "fields", "-e", "_ws.expert.message", "--as", "ip", "--hex", &hex]).out
    };
    let only = |ttl: u8| format!("\"Time To Live\" only {ttl}");
    assert!(messages(1, "11", "c0000202").contains(&only(1)) && messages(4, "11", "c0000202").contains(&only(4)));
    assert!(!messages(64, "11", "c0000202").contains("Time To Live"));
    // PIM and OSPF send to neighbours.
    assert!(!messages(1, "67", "c0000202").contains("Time To Live") && !messages(1, "59", "c0000202").contains("Time To Live"));
    assert!(messages(2, "11", "e0000005").contains("\"Time To Live\" != 1 "));
    assert!(!messages(1, "11", "e0000005").contains("Time To Live"));
    assert!(messages(1, "11", "e00000fb").contains("\"Time To Live\" != 255 "));
    assert!(!messages(7, "11", "e00000fc").contains("Time To Live") && !messages(1, "11", "efffffff").contains("Time To Live"));
}

/// Expected cells from tshark 4.0 for the same frames; the other frames of these samples have none.
#[test]
fn remarks_on_packets_are_the_expert_items_of_wireshark() {
    let establishes = "Connection establish request (SYN): server port";
    let theirs = [
        ("layers", 14, format!("Expert Info (Chat/Sequence): {establishes} 27000\t2097152\t33554432")),
        ("layers", 15, "Expert Info (Warning/Sequence): Connection reset (RST)\t6291456\t33554432".into()),
        ("neighbours", 1, format!("Expert Info (Chat/Sequence): {establishes} 25\t2097152\t33554432")),
        (
            "neighbours",
            23,
            "Expert Info (Chat/Sequence): Connection finish (FIN),Expert Info (Note/Sequence): This frame undergoes the \
             connection closing\t2097152,4194304\t33554432,33554432"
                .into(),
        ),
        (
            "http",
            6,
            "Expert Info (Chat/Sequence): HEAD /patch.bin HTTP/1.1\\r\\n,Expert Info (Chat/Sequence): GET /long.txt HTTP/1.1\\r\\n\t\
             2097152,2097152\t33554432,33554432"
                .into(),
        ),
        ("layers", 3, "\t\t".into()),
        ("neighbours", 4, "\t\t".into()),
    ];
    for (sample, frame, cells) in theirs {
        let path = format!("samples/{sample}.pcap");
        let columns = ["-e", "_ws.expert", "-e", "_ws.expert.severity", "-e", "_ws.expert.group", &path];
        let ours = run(&[&["--packets", "-T", "fields", "-E", "occurrence=a"][..], &columns].concat()).out;
        assert_eq!(ours.lines().nth(frame - 1), Some(cells.as_str()), "{sample}, frame {frame}");
    }
    let shown = |filter: &str| run(&["--packets", "-T", "fields", "-e", "frame.number", "-Y", filter, "samples/layers.pcap"]).out;
    assert_eq!(shown("_ws.expert").lines().collect::<Vec<_>>(), ["14", "15"]);
    assert_eq!(shown("_ws.expert.severity == \"Warning\" and _ws.expert.group == \"Sequence\""), "15\n");
    assert_eq!(shown("_ws.expert.message contains \"(SYN)\""), "14\n");
    assert_eq!(shown("_ws.malformed"), "");
}

/// tshark 4.0 has none either: the random of TLS 1.3 has no time.
#[test]
fn hellos_over_quic_have_no_time_in_their_random() {
    let column = |name: &str| run(&["--packets", "-T", "fields", "-e", name, "samples/quic.pcap"]).out;
    assert!(column("tls.handshake.random").lines().any(|cell| !cell.is_empty()));
    assert!(column("tls.handshake.random_time").lines().all(str::is_empty));
}

/// Expected cells from tshark 4.0 for the same capture, except \x07 itself, which a terminal might interpret.
#[test]
fn text_in_columns_has_the_escapes_of_tshark() {
    let head = b"HTTP/1.1 200 OK\r\nServer: a\\b\tc\x08\x0cd\"e\x07\r\nContent-Length: 0\r\n\r\n";
    for form in [&["-T", "fields"][..], &["-T", "fields", "--threads", "2"]] {
        let columns = ["--packets", "-e", "http.server", "-"];
        let ours = run_with(&[form, &columns].concat(), &capture_from(80, head, &[0, head.len()]));
        assert_eq!(ours.out, "a\\b\\tc\\b\\fd\"e\\u{7}\n", "{form:?}");
    }
}

/// A body with a zero byte has its bytes, as in Wireshark since 4.2.
#[test]
fn a_body_that_is_no_text_has_file_data() {
    let response = |kind: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    for (kind, body, cell) in [
        ("image/png", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "89504e470d0a1a0a0000000d49484452"),
        ("application/octet-stream", b"plain", "plain"),
        ("text/plain", b"plain", "plain"),
    ] {
        let stream = response(kind, body);
        let columns = ["--packets", "-T", "fields", "-e", "http.file_data", "-"];
        assert_eq!(run_with(&columns, &capture_from(80, &stream, &[0, stream.len()])).out, format!("{cell}\n"), "{kind}");
    }
}

/// Expected cells from tshark 4.0 for the same frames.
#[test]
fn bytes_after_a_packet_are_padding_a_trailer_or_the_fcs() {
    let frame = |payload: usize, filler: &[u8]| {
        let [high, low] = u16::try_from(28 + payload).unwrap().to_be_bytes();
        let udp = [0, 9, 0, 99, 0, u8::try_from(8 + payload).unwrap(), 0, 0];
        let ip = [0x45, 0, high, low, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        let eth = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0];
        let bytes = [&eth[..], &ip, &udp, &vec![1; payload], filler].concat();
        let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("0000 {}\n", pairs.join(" "))
    };
    let sequence = [0xde, 0xad, 0xbe, 0xef];
    let text = [
        frame(4, &[0; 14]),
        frame(4, b"\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"),
        frame(4, &[&[0; 14][..], &sequence].concat()),
        frame(60, &sequence),
        frame(60, b"ab"),
    ]
    .concat();
    let columns = ["--packets", "--link", "ethernet", "-T", "fields", "-e", "eth.padding", "-e", "eth.trailer", "-e", "eth.fcs"];
    let zeros = "00".repeat(14);
    let expected = format!("{zeros}\t\t\n\t{}01\t\n{zeros}\t\t0xdeadbeef\n\t\t0xdeadbeef\n\t6162\t\n", "00".repeat(13));
    assert_eq!(run_with(&columns, text.as_bytes()).out, expected);
    // A frame without padding has no empty field of it.
    let padded = ["--packets", "--link", "ethernet", "-T", "fields", "-e", "frame.number", "-Y", "eth.padding"];
    assert_eq!(run_with(&padded, text.as_bytes()).out, "1\n3\n");
}

#[test]
fn remarks_are_expert_items_with_numbers_of_severity() {
    let path = "samples/vscp-damaged.pcap";
    let fields = ["_ws.expert.severity", "_ws.expert.message", "_ws.malformed"].iter().flat_map(|field| ["-e", field]);
    // A late message has a row where a filter selects it.
    let fields: Vec<&str> = ["-T", "fields", "-Y", "_ws.expert"].into_iter().chain(fields).chain([path]).collect();
    let rows = run(&fields).out;
    let severities = rows.lines().flat_map(|row| row.split('\t').next().unwrap().split(',')).filter(|cell| !cell.is_empty());
    let severities: Vec<&str> = severities.collect();
    // chat, note, warning, error
    let known = ["2097152", "4194304", "6291456", "8388608"];
    assert!(!severities.is_empty() && severities.iter().all(|severity| known.contains(severity)), "{severities:?}");
    let count = |filter: &str| run(&["-T", "fields", "-e", "frame.number", "-Y", filter, path]).out.lines().count();
    let broken = rows.lines().filter(|row| row.contains("8388608")).count();
    assert!(broken > 0);
    assert_eq!(count("_ws.expert.severity == \"Error\""), broken);
    assert_eq!(count("_ws.malformed"), broken);
    assert_eq!(count("_ws.expert"), rows.lines().filter(|row| !row.starts_with('\t')).count());
    assert!(rows.lines().any(|row| row.ends_with("_ws.malformed")));
}

/// Expected cells from tshark 4.0 for the same frames.
#[test]
fn a_second_host_with_an_address_is_reported_with_the_frame_of_the_first() {
    let packet = |operation: &str, mac: &str, ip: &str, target: &str| {
        let digits = format!("ffffffffffff{mac}0806000108000604{operation}{mac}{ip}{target}0a000063");
        let pairs = digits.as_bytes().chunks(2).map(|pair| String::from_utf8_lossy(pair).into_owned());
        format!("0000 {}\n", pairs.collect::<Vec<_>>().join(" "))
    };
    let unset = "000000000000";
    let text = [
        packet("0001", "020000000001", "0a000001", unset),
        packet("0002", "020000000002", "0a000001", unset),
        packet("0001", "020000000001", "0a000001", unset),
        packet("0001", "020000000002", "00000000", unset),
        packet("0001", "020000000003", "0a000001", unset),
    ]
    .concat();
    let columns = ["frame.number", "arp.duplicate-address-detected", "arp.duplicate-address-frame"];
    let columns: Vec<&str> = columns.iter().flat_map(|name| ["-e", name]).collect();
    let shown = run_with(&[&["--packets", "-T", "fields", "--link", "ethernet"][..], &columns].concat(), text.as_bytes());
    assert_eq!(shown.out, "1\t\t\n2\t1\t1\n3\t\t\n4\t\t\n5\t1\t3\n", "{}", shown.err);
    let filter =
        ["--packets", "-Y", "arp.duplicate-address-frame == 3", "--link", "ethernet", "-T", "fields", "-e", "frame.number"];
    assert_eq!(run_with(&filter, text.as_bytes()).out, "5\n");
}

/// tshark has one layer for all lines of a segment.
#[test]
fn messages_of_a_segment_share_a_field_per_packet() {
    let column = |name: &str| {
        let options = ["--packets", "-T", "fields", "-E", "occurrence=a", "-Y", "frame.number == 12", "-e", name];
        run(&[&options[..], &["samples/accounts.pcap"]].concat()).out
    };
    assert_eq!(column("imap.isrequest"), "0\n");
    assert!(column("imap.line").matches("\\r\\n").count() > 1);
}
