//! Messages that become readable after their frames: the packet view has separate records for them.

use crate::common::{Scratch, run};
use etherparse::PacketBuilder;
use serde_json::Value;

const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 1], 40000);
const SERVER: ([u8; 4], u16) = ([10, 0, 0, 2], 25);

/// A segment of a mail session: who sends it, its sequence and acknowledgment numbers, and its payload.
type Sent = (([u8; 4], u16), u32, u32, &'static str);

/// The server byte at 1009 is missing. The client acknowledges data beyond it with its next commands.
const HOLE: [Sent; 4] = [
    (SERVER, 1000, 100, "220 m\r\n"),
    (CLIENT, 100, 1007, "EHLO a\r\n"),
    (SERVER, 1008, 108, "250 m\r\n"),
    (CLIENT, 108, 1015, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nRSET\r\n"),
];

/// A pcap capture of IP packets, one each second.
fn capture(sent: &[Sent]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x4_0000, 101].map(u32::to_le_bytes).concat();
    for (second, (from, seq, ack, payload)) in (0_u32..).zip(sent) {
        let to = if *from == CLIENT { SERVER } else { CLIENT };
        let mut packet = Vec::new();
        let builder = PacketBuilder::ipv4(from.0, to.0, 64).tcp(from.1, to.1, *seq, 1000).ack(*ack);
        builder.write(&mut packet, payload.as_bytes()).unwrap();
        let len = u32::try_from(packet.len()).unwrap();
        file.extend([second, 0, len, len].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

/// Output of these arguments for a capture.
fn printed(name: &str, sent: &[Sent], arguments: &[&str]) -> String {
    let file = Scratch::new(name, &capture(sent));
    let run = run(&[arguments, &[file.path()]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.out
}

#[test]
fn a_late_record_has_the_frames_that_carried_it_and_the_ends_of_its_own_side() {
    let out = printed("late.pcap", &HOLE, &["--packets", "--json"]);
    let records: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = records.iter().map(|record| record["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["begin", "packet", "packet", "packet", "packet", "gap", "late", "end"]);
    let late = &records[6];
    assert_eq!((&late["frame"], &late["frames"], &late["t"]), (&4.into(), &vec![3].into(), &2.0.into()));
    assert_eq!((&late["src"], &late["dst"]), (&"10.0.0.2:25".into(), &"10.0.0.1:40000".into()));
    assert_eq!((&late["stream"], &late["dir"], &late["path"]), (&"tcp/0".into(), &"s2c".into(), &"ip:tcp:smtp".into()));
    let layers = late["layers"].as_array().unwrap();
    assert_eq!((layers.len(), &layers[0]["protocol"], &layers[0]["off"]), (1, &"smtp".into(), &8.into()));
    assert_eq!(layers[0]["map"][0]["frame"], 3);
    let packet = &records[4];
    assert_eq!((&packet["src"], &packet["info"]), (&"10.0.0.1:40000".into(), &"MAIL, RCPT, RSET".into()));
    let protocols: Vec<&Value> = packet["layers"].as_array().unwrap().iter().map(|layer| &layer["protocol"]).collect();
    assert_eq!(protocols, ["ip", "tcp", "smtp", "smtp", "smtp"]);
}

#[test]
fn a_line_of_a_late_record_names_its_frames_and_has_no_number() {
    let out = printed("list.pcap", &HOLE, &["--packets", "-l"]);
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[3][..4], ["4", "3.000000", "10.0.0.1:40000", "→"]);
    assert_eq!(lines[4][..2], ["--", "gap"]);
    assert_eq!(lines[5][..7], ["--", "2.000000", "10.0.0.2:25", "→", "10.0.0.1:40000", "SMTP", "7"]);
    assert_eq!(lines[5][7..], ["[late,", "frame", "3]", "250,", "m"]);
    let table = printed("table.pcap", &HOLE, &["--packets"]);
    let heading = table.lines().find(|line| line.starts_with("--") && line.contains("late")).unwrap();
    assert!(heading.contains("tcp/0 s2c  10.0.0.2:25 → 10.0.0.1:40000") && heading.ends_with("frame 3"), "{heading}");
}

#[test]
fn columns_have_a_line_per_frame_and_per_late_record_with_values() {
    let columns =
        |more: &[&str]| printed("columns.pcap", &HOLE, &[&["--packets", "-T", "fields", "-e", "frame.number"], more].concat());
    assert_eq!(columns(&[]), "1\n2\n3\n4\n");
    assert_eq!(columns(&["-e", "tcp.stream"]), "1\t0\n2\t0\n3\t0\n4\t0\n");
    assert_eq!(columns(&["-e", "smtp.response.code"]), "1\t220\n2\t\n3\t\n4\t\n3\t250\n");
    let csv = printed("csv.pcap", &HOLE, &["--packets", "-T", "csv", "-e", "frame.number", "-e", "smtp.response.code"]);
    assert_eq!(csv.lines().last(), Some(r#""3","250""#));
    let flat = printed("flat.pcap", &HOLE, &["--packets", "-T", "flat"]);
    let last: Value = serde_json::from_str(flat.lines().last().unwrap()).unwrap();
    assert_eq!((&last["late"], &last["frame.number"]), (&true.into(), &3.into()));
    assert_eq!(last["layers"][0]["smtp.response.code"][0], 250);
}

#[test]
fn columns_of_late_rows_have_the_ends_and_the_number_of_their_connection() {
    const COLUMNS: [&str; 12] = [
        "-e",
        "frame.number",
        "-e",
        "ip.src",
        "-e",
        "ip.addr",
        "-e",
        "tcp.srcport",
        "-e",
        "tcp.stream",
        "-e",
        "smtp.response.code",
    ];
    let out = printed("ends.pcap", &HOLE, &[&["--packets", "-T", "fields"][..], &COLUMNS].concat());
    assert_eq!(out.lines().last(), Some("3\t10.0.0.2\t10.0.0.2,10.0.0.1\t25\t0\t250"), "{out}");
    assert_eq!(out.lines().count(), 5);
}

#[test]
fn records_of_a_number_include_late_ones() {
    for (numbers, expected) in [("3", "3\t\n3\t250\n"), ("1-3", "1\t220\n2\t\n3\t\n3\t250\n"), ("2", "2\t\n")] {
        let arguments = ["--packets", "-T", "fields", "-e", "frame.number", "-e", "smtp.response.code", "--number", numbers];
        assert_eq!(printed("numbers.pcap", &HOLE, &arguments), expected, "{numbers}");
    }
    let list = printed("numbers-list.pcap", &HOLE, &["--packets", "-l", "--number", "3"]);
    assert!(list.lines().any(|line| line.contains("[late, frame 3]")), "{list}");
}

#[test]
fn filters_ask_late_records_for_their_own_fields_and_ends() {
    let shown = |filter: &str| {
        printed("filter.pcap", &HOLE, &["--packets", "-T", "fields", "-e", "frame.number", "-e", "smtp", "-Y", filter])
    };
    assert_eq!(shown("smtp.response.code == 250").lines().count(), 1);
    assert_eq!(shown("smtp.rsp && ip.src == 10.0.0.2").lines().count(), 2);
    assert_eq!(shown("smtp.rsp && ip.src == 10.0.0.1"), "");
    assert_eq!(shown("smtp.req && tcp.stream == 0").lines().count(), 2);
    let messages = printed("messages.pcap", &HOLE, &["-l", "-Y", "smtp.response.code == 250 && ip.src == 10.0.0.2"]);
    assert_eq!(messages.lines().filter(|line| !line.contains("gap")).count(), 1);
}

#[test]
fn a_line_of_a_frame_names_the_messages_it_completed_and_counts_those_that_repeat() {
    let info = |payload: &'static str| {
        let sent = [(SERVER, 1000, 100, "220 m\r\n"), (CLIENT, 100, 1007, "EHLO a\r\n"), (CLIENT, 108, 1007, payload)];
        let out = printed("names.pcap", &sent, &["--packets", "-l"]);
        out.lines().last().unwrap().split_once(&format!("{} ", 40 + payload.len())).unwrap().1.to_owned()
    };
    assert_eq!(info("NOOP\r\nRSET\r\n"), "NOOP, RSET");
    assert_eq!(info("NOOP\r\nNOOP\r\nRSET\r\n"), "NOOP, NOOP, RSET");
    assert_eq!(info("NOOP\r\nNOOP\r\nNOOP\r\nNOOP\r\nRSET\r\n"), "NOOP (×4), RSET");
    let many = "NOOP\r\nRSET\r\nNOOP\r\nRSET\r\nNOOP\r\nRSET\r\nNOOP\r\nRSET\r\nNOOP\r\nRSET\r\nNOOP\r\n";
    assert_eq!(info(many), "NOOP, RSET, NOOP, RSET, NOOP, RSET, NOOP, RSET, … (+3 more)");
}

#[test]
fn a_line_of_a_frame_has_its_own_ends_where_it_makes_bytes_of_the_other_side_readable() {
    // Each client segment acknowledges data beyond the hole of the server.
    let commands = (0..20).map(|number| (CLIENT, 108 + 6 * number, 1015, "NOOP\r\n"));
    let sent: Vec<Sent> = HOLE[..3].iter().copied().chain(commands).collect();
    let out = printed("ends-of-frames.pcap", &sent, &["--packets", "-l"]);
    let mut lines = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(|words| words[0] != "--");
    for (number, (from, ..)) in (1..).zip(&sent) {
        let words = lines.next().unwrap();
        let source = format!("{}:{}", std::net::Ipv4Addr::from(from.0), from.1);
        assert_eq!((words[0], words[2]), (number.to_string().as_str(), source.as_str()), "{out}");
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn bytes_of_several_frames_after_a_gap_are_late_for_each_frame() {
    const PEER: ([u8; 4], u16) = ([10, 0, 0, 2], 40001);
    let sent = [
        (PEER, 1000, 100, "\u{1}\u{2}"),
        (PEER, 1004, 100, "\u{3}\u{4}\u{5}"),
        (PEER, 1007, 100, "\u{6}"),
        (CLIENT, 100, 1008, "\u{7}"),
    ];
    let out = printed("runs.pcap", &sent, &["--packets", "-T", "fields", "-e", "frame.number", "-e", "data.data"]);
    assert_eq!(out, "1\t\n2\t\n3\t\n4\t\n1\t0102\n2\t030405\n3\t06\n4\t07\n");
}

#[test]
fn a_filter_gives_the_same_rows_for_all_columns() {
    let columns = ["smtp.response.code", "smtp", "tcp.stream", "ip.src", "frame.time_epoch", "data.data", "_ws.col.Protocol"];
    let filters = [
        "smtp",
        "smtp.response.code == 250",
        "tcp",
        "tcp.port == 25",
        "ip.src == 10.0.0.2",
        "frame.number == 3",
        "frame",
        "!dns",
    ];
    for filter in filters {
        let rows = |more: &[&str]| -> Vec<String> {
            let fields = ["--packets", "-Y", filter, "-T", "fields", "-e", "frame.number"];
            let out = printed("filtered.pcap", &HOLE, &[&fields[..], more].concat());
            out.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
        };
        let numbers = rows(&[]);
        assert!(numbers.contains(&"3".to_owned()), "{filter}");
        for column in columns {
            assert_eq!(rows(&["-e", column]), numbers, "{filter} {column}");
        }
        let csv = printed("filtered.csv", &HOLE, &["--packets", "-Y", filter, "-T", "csv", "-e", "frame.number"]);
        assert_eq!(csv.lines().count(), numbers.len() + 1, "{filter}");
        let records = printed("filtered.json", &HOLE, &["--packets", "-Y", filter, "--json"]);
        let selected = records.lines().filter(|line| line.contains(r#""type":"packet""#) || line.contains(r#""type":"late""#));
        assert_eq!(selected.count(), numbers.len(), "{filter}");
    }
}

#[test]
fn late_records_that_a_filter_selects_count_like_packets() {
    let fields = |more: &[&str]| {
        printed("counted.pcap", &HOLE, &[&["--packets", "-T", "fields", "-e", "frame.number", "-Y", "smtp"], more].concat())
    };
    assert_eq!(fields(&[]), "1\n2\n4\n3\n");
    assert_eq!(fields(&["-c", "3"]), "1\n2\n4\n");
    assert_eq!(fields(&["--skip", "3"]), "3\n");
    let file = Scratch::new("matched.pcap", &capture(&HOLE));
    let matched = ["--packets", "-Y", "smtp.response.code == 250", "-l", "--exit-status", file.path()];
    assert_eq!(run(&matched).code, 0);
    let hierarchy = printed("hierarchy.pcap", &HOLE, &["stats", "-z", "io,phs"]);
    let words =
        hierarchy.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).find(|words| words.first() == Some(&"smtp"));
    assert_eq!(words.unwrap()[1], "frames:4", "{hierarchy}");
}

#[test]
fn a_number_selects_no_gaps_of_other_frames() {
    let gaps = |arguments: &[&str]| printed("gaps.pcap", &HOLE, arguments).matches(r#""type":"gap""#).count();
    for (arguments, count) in [
        (&["--packets"][..], 1),
        (&["--packets", "--number", "4"], 1),
        (&["--packets", "--number", "3"], 0),
        (&["--packets", "-Y", "frame.number == 3"], 0),
        (&["--packets", "-Y", "frame.number == 4"], 1),
        (&["--messages"], 1),
        (&["--messages", "--number", "2"], 0),
    ] {
        assert_eq!(gaps(&[&["--json"], arguments].concat()), count, "{arguments:?}");
    }
}
