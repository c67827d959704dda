//! Filters over the samples: which records pass, compared with what tshark says, and which mistakes are found.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use proptest::prelude::*;
use proto_dissect::engine::Engine;
use proto_dissect::filter::Filter;
use proto_dissect::input::Capture;
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Dissection, Only, Want};
use std::fs::File;
use std::path::Path;

/// Filters over a sample, each with the numbers of the records that pass; `#` before a mere count.
type Rows = &'static [(&'static str, &'static [(&'static str, &'static str)])];

fn parsed(expression: &str) -> Filter {
    Filter::parse(expression, Registry::default()).unwrap_or_else(|mistake| panic!("{mistake}"))
}

/// Show every record of a sample, dissected as far as `want` says.
fn each_record(sample: &str, view: View, want: Want, mut show: impl FnMut(&Record<'_>)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
    let mut engine = Engine::new(Registry::default(), want);
    let mut tally = Tally::new(view);
    let mut show = |record: Record<'_>| -> Result<(), ()> {
        show(&record);
        Ok(())
    };
    while let Some(frame) = capture.next_frame().unwrap() {
        let bytes = frame.bytes;
        tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, &mut show).unwrap();
    }
    while let Some(tree) = engine.finish() {
        tally.records(Dissection { tree, bytes: &[] }, false, &mut show).unwrap();
    }
}

/// The number of a record; a gap has that of none.
fn number(record: &Record<'_>) -> u64 {
    match record {
        Record::Message(message) => message.n,
        Record::Packet(packet) => packet.of.tree.frame.number,
        Record::Gap(_) => 0,
    }
}

/// Numbers as they stand in the tables: `1-3,5`, or their count where that is asked for.
fn listed(numbers: &[u64], like: &str) -> String {
    if like.starts_with('#') {
        return format!("#{}", numbers.len());
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    runs.iter().map(run).collect::<Vec<_>>().join(",")
}

/// Check a table. Each filter is asked of whole trees, of smaller ones, and of trees that hold no more than it says it looks at.
fn check(view: View, rows: Rows) {
    let mut wrong = Vec::new();
    for (sample, rows) in rows {
        let filters: Vec<Filter> = rows.iter().map(|(expression, _)| parsed(expression)).collect();
        for want in [Want::EVERYTHING, Want::HEADINGS, Want::NAMES, Want::LAYERS] {
            let enough = |filter: &Filter| filter.want().and(want) == want;
            let mut passed = vec![Vec::new(); rows.len()];
            each_record(sample, view, want, |record| {
                for (filter, passed) in filters.iter().zip(&mut passed) {
                    if filter.matches(record) {
                        passed.push(number(record));
                    }
                }
            });
            for (((expression, expected), passed), filter) in rows.iter().zip(&passed).zip(&filters) {
                let passed = listed(passed, expected);
                if enough(filter) && passed != *expected {
                    wrong.push(format!("{sample} {expression:?}: expected {expected:?}, passed {passed:?} ({want:?})"));
                }
            }
        }
    }
    for (sample, rows) in rows {
        for (expression, expected) in *rows {
            let filter = parsed(expression);
            let mut passed = Vec::new();
            each_record(sample, view, filter.want(), |record| passed.extend(filter.matches(record).then(|| number(record))));
            let passed = listed(&passed, expected);
            if passed != *expected {
                wrong.push(format!("{sample} {expression:?}: expected {expected:?}, passed {passed:?} ({:?})", filter.want()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What tshark 4.0 says of frames: `tshark -n -r SAMPLE -Y FILTER -T fields -e frame.number`.
const AS_TSHARK: Rows = &[
    (
        "layers.pcap",
        &[
            ("tcp", "14-15"),
            ("arp", "1-2"),
            ("icmp or icmpv6", "3-4,6-8"),
            ("udp", "5-6,10-11,13,16,19"),
            ("not udp", "1-4,7-9,12,14-15,17-18"),
            ("!!tcp", "14-15"),
            ("tcp or udp and frame.number==1", "14-15"),
            ("not tcp and udp", "5-6,10-11,13,16,19"),
            ("ip.src==192.0.2.17||arp", "1-3,5-6,9,11-14,16"),
            ("tcp.port==27000&&ip", "14-15"),
            ("tcp.flags.syn&&!tcp.flags.ack", ""),
            ("tcp.flags.syn == 1", "14"),
            ("tcp.flags.syn == False", "15"),
            ("tcp.flags & 2", "14"),
            ("tcp.flags & 0x02 == 2", "14"),
            ("not frame.number & 1", "2,4,6,8,10,12,14,16,18"),
            ("frame.number & 3 & 1", "1,3,5,7,9,11,13,15,17,19"),
            ("frame.number & 1 == 1", "1,3,5,7,9,11,13,15,17,19"),
            ("eth.dst[0] & 1", "1,7,9,17"),
            ("eth.dst[0] == 1", "9,17"),
            ("ip.src & 255.0.0.0 == 192.0.0.0", "3-6,9,11-16,19"),
            ("ip.proto == TCP", "14-15"),
            (r#"ip.proto == "tcp""#, "14-15"),
            ("ip.proto == 17", "5-6,11-13,16,19"),
            ("ip.addr == 192.0.2.17", "3-6,9,11-16,19"),
            ("ip.addr != 192.0.2.1", "9"),
            ("ip.addr !== 192.0.2.1", "3-6,9,11-16,19"),
            ("ip.addr ne 192.0.2.1", "9"),
            ("any ip.addr != 192.0.2.1", "3-6,9,11-16,19"),
            ("all ip.addr == 192.0.2.1", ""),
            ("all ip.addr == 192.0.2.0/24", "3-6,11-16,19"),
            ("ip.addr === 192.0.2.0/24", "3-6,11-16,19"),
            ("!(ip.addr == 192.0.2.1)", "1-2,7-10,17-18"),
            ("not ip.addr == 192.0.2.1", "1-2,7-10,17-18"),
            ("not ip.addr", "1-2,7-8,10,17-18"),
            ("ip.addr == 192.0.0.0/16", "3-6,9,11-16,19"),
            ("ip.addr > 192.0.2.17", "9"),
            ("ip.dst == 239.0.0.0/8", "9"),
            ("ip.src in {192.0.2.1, 10.0.0.1}", "4,6,15,19"),
            ("ip.dst in {192.0.2.10..192.0.2.20}", "4,6,15,19"),
            ("any ip.addr in {192.0.2.1}", "3-6,11-16,19"),
            ("ipv6.addr == 2001:db8::/32", "7-8,10"),
            ("ipv6.src == 2001:db8::17", "7,10"),
            ("ipv6.dst == ff02::/16", "7"),
            ("ipv6.src > 2001:db8::2", "7,10"),
            ("ipv6.src <= 2001:db8::17", "7-8,10"),
            ("ip.ttl == 64", "3,5-6,11-14,16"),
            ("ip.ttl === 64", "3,5,11-14,16"),
            ("ip.ttl lt 64", "9"),
            ("ip.ttl in {1, 64..254}", "3,5-6,9,11-14,16"),
            ("ip.ttl not in {64}", "1-2,4,7-10,15,17-19"),
            ("ip.id == 0x1d05", "12-13"),
            ("ip.flags.mf == 1", "12"),
            ("ip.frag_offset > 0", "13"),
            ("ip.version == 4", "3-6,9,11-16,19"),
            ("ip.version == 6", "7-8,10"),
            ("ip.len > 100", "12-13"),
            ("ip.len >= 0x64 and ip.len <= 0xc8", "12-13"),
            ("ip.hdr_len == 24", "9"),
            ("eth.src", "1-19"),
            ("eth.src == 02:50:49:50:00:11", "1,3,5,9,11-14,16-18"),
            ("eth.src == 02-50-49-50-00-11", "1,3,5,9,11-14,16-18"),
            ("eth.src == 025049500011", "1,3,5,9,11-14,16-18"),
            ("eth.src == 0250.4950.0011", "1,3,5,9,11-14,16-18"),
            ("eth.src != 02:50:49:50:00:11", "2,4,6-8,10,15,19"),
            ("eth.addr == ff:ff:ff:ff:ff:ff", "1"),
            ("eth.addr contains 80:c2", "17"),
            ("eth.src contains 49:50", "1-19"),
            ("eth.src[0:3] == 02:50:49", "1-19"),
            ("eth.src[4-5] == 00:11", "1,3,5,9,11-14,16-18"),
            ("eth.src[-1] == 11", "1,3,5,9,11-14,16-18"),
            ("eth.src[-2:] == 00:11", "1,3,5,9,11-14,16-18"),
            ("eth.src[-2:1] == 00", "1-19"),
            ("eth.src[0,5] == 02:11", "1,3,5,9,11-14,16-18"),
            ("eth.src[:3,5] == 02:50:49:11", "1,3,5,9,11-14,16-18"),
            ("eth.src[:] == 02:50:49:50:00:11", "1,3,5,9,11-14,16-18"),
            ("eth.src[10]", ""),
            ("eth.src[10] != 00", "1-19"),
            ("eth.src[4:6] == 00", ""),
            ("eth.dst[0:1] >= 33", "1,7"),
            ("eth.src > 02:50:49:50:00:01", "1,3,5,7,9-14,16-18"),
            ("eth.type == 0x0806", "1-2"),
            ("eth.type == 0x86dd or eth.type == 2048", "3-10,12-16,19"),
            ("frame.len == 42", "1-2"),
            ("frame.len == 052", "1-2"),
            ("frame.len == 0b101010", "1-2"),
            ("frame.len == '*'", "1-2"),
            (r#"frame.len == '\x2a'"#, "1-2"),
            ("frame.len in {42 , 98..106}", "1-4,10"),
            ("frame.len > 100", "10,12-13"),
            ("frame.cap_len != frame.len", ""),
            ("frame.cap_len == frame.len", "1-19"),
            ("frame.len > ip.len", "3-6,9,11-16,19"),
            ("frame.number > 5 and frame.number < 9", "6-8"),
            ("frame.number in {1..3,7,18..30}", "1-3,7,18-19"),
            ("frame.number == -1", ""),
            ("frame.time_relative == 2.00325", "15"),
            ("frame.time_relative > 1", "9-19"),
            ("frame.time_relative in {1..2}", "9-13"),
            ("frame.time_delta > 0.2", "3,5,7,9-12,14,16-19"),
            ("frame.time_epoch > 1448400001.5", "11-19"),
            ("frame.time_epoch == 1448400000.00042", "2"),
            (r#"frame.protocols contains "tcp""#, "14-15"),
            (r#"frame.protocols matches "ICMP""#, "3-4,6-8"),
            (r#"frame.protocols ~ "udp" and not icmp and frame.number < 12"#, "5,10-11"),
            (r#"frame.protocols[0:3] == "eth""#, "1-19"),
            (r#"upper(frame.protocols) contains "ARP""#, "1-2"),
            (r#"lower(frame.protocols) contains "ARP""#, ""),
            ("len(eth.src) == 6", "1-19"),
            ("count(ip.addr) > 2", "6"),
            ("count(tcp.port) == 2", "14-15"),
            ("count(tcp.port) == 0", ""),
            ("len(udp.payload) > 15", "10,13"),
            (r#"udp.payload contains "a""#, "5-6,10-11"),
            ("udp.payload contains 61", "5-6,10-11"),
            (r#"udp.payload matches "[a-z]{3}""#, "5-6,10-11"),
            (r#"udp.payload matches "^[^a-z]""#, "13,16"),
            ("udp.payload[0] == 00", ""),
            ("udp.payload", "5-6,10-11,13,16,19"),
            (r#"udp contains "x""#, "10"),
            ("udp[0:2] == 9c:b0", "5-6"),
            ("ip contains c0:00:02", "3-6,9,11-16,19"),
            (r#"frame contains "a""#, "3-6,10-11,18"),
            ("frame[0:2] == ff:ff", "1"),
            ("frame[12:2] == 08:06", "1-2"),
            (r#"frame matches "\\x08\\x06""#, "1-2"),
            ("arp.opcode == 1", "1"),
            ("arp.opcode == request", "1"),
            (r#"arp.opcode == "REPLY""#, "2"),
            ("arp.src.proto_ipv4 == 192.0.2.1", "2"),
            ("arp.src.hw_mac == 02:50:49:50:00:01", "2"),
            ("icmp.type == 8 || icmp.type == 0", "3-4"),
            ("icmp.type in {3 , 8}", "3,6"),
            ("icmp.code != 0", "6"),
            (r#"icmp contains "abc""#, "3-4"),
            ("icmp.type == 3 and udp", "6"),
            ("ip.src == arp.src.proto_ipv4", ""),
            ("tcp.srcport < tcp.dstport", "15"),
            ("udp.srcport > 40114", "11,13,16,19"),
            ("udp.port == 33434", "5-6"),
            ("udp.port in {40115..40118}", "11,13"),
            ("udp.length == 21", "5-6"),
            ("udp.stream == 0 and not icmp", "5"),
            ("udp.stream and not icmp", "5,10-11,13,16,19"),
            ("tcp.stream eq 0", "14-15"),
            ("tcp.ack == 1", "15"),
            ("tcp.seq == 0", "14"),
            ("tcp.options.mss_val == 1460", "14"),
            ("tcp.options.wscale.shift", "14"),
            ("tcp.window_size_value >= 64240", "14"),
            ("tcp.len == 0", "14-15"),
            ("vlan.id", "11"),
            ("vlan", "11"),
            ("ipv6.hopopts", "10"),
            ("ipv6.nxt == 17", ""),
            ("ipv6.hlim == 255", "7-8,10"),
            ("tcp.port any_ne 27000", "14-15"),
            ("tcp.port all_eq 27000", ""),
            ("tcp.flags bitwise_and 2", "14"),
            ("tcp.flags.reset == True or icmp", "3-4,6,15"),
            (r#"data.data contains "a" and not icmp.type == 3"#, "3-5,10-11,18"),
            ("frame", "1-19"),
            ("tcp.srcport == tcp.dstport", ""),
            ("llc", "17"),
            ("udp.checksum == 0xffff", ""),
            ("ipv6.plen > 40", "10"),
            ("ip.dsfield.dscp == 0", "3-6,9,11-16,19"),
        ],
    ),
    (
        "pipboy.pcap",
        &[
            ("tcp.stream == 0", "4-96,107-210"),
            ("tcp.stream == 1", "99-106"),
            ("tcp.stream > 0", "99-106"),
            ("udp", "1-3,97-98"),
            ("tcp.flags.syn == 1", "4-5,99-100"),
            ("tcp.flags.syn == 1 and tcp.flags.ack == 0", "4,99"),
            ("tcp.flags.fin == 1", "104-105,208-209"),
            ("tcp.flags == 0x18 and tcp.srcport == 27000", "#71"),
            ("tcp.port == 27000 and tcp.len > 1000", "23-25,27-28,32-34,139-140,150"),
            ("tcp.len in {1..20}", "#76"),
            (r#"tcp.payload contains "HP""#, "33"),
            (r#"tcp.payload matches "\"id\":\\d+""#, "56,115,122,130,134,148,156,160,164,169,171,173,175,181,185,189-190"),
            (r#"tcp.payload ~ r"^....\x05""#, "56,115,122,130,134,148,156,160,164,169,173,181,185,189-190"),
            ("tcp.payload[4] == 03", "22,61,64,67,70,73,76,79,90,116,119,127,131,135,138,157,182,186"),
            ("tcp.payload[0:4] == 00:00:00:00 and tcp.len == 5", "#43"),
            ("tcp contains 00:00:00:00:00", "#58"),
            ("len(tcp.payload) == 5", "#66"),
            ("tcp.dstport == 27000 and tcp.len != 0", "#36"),
            ("ip.src == 192.168.42.101 and tcp.len > 0", ""),
            ("frame.time_relative >= 2 and frame.time_relative < 3", "15-18"),
            ("frame.time_delta > 1", ""),
            ("frame.time_epoch < 1448400001", "1-10"),
            ("tcp.nxtseq == tcp.seq", "#80"),
            ("tcp.srcport > tcp.dstport", "#97"),
            ("tcp.window_size_value != 64240", "4-96,99-210"),
            (r#"udp.port == 28000 and udp contains "cmd""#, "1,97"),
            ("tcp.seq_raw > 0xffffff00", ""),
            ("tcp.hdr_len > 20", "4-5,29-31,37,99-100,142"),
            ("frame.len >= 1514", "23-25,27-28,32-34,139-140"),
            ("not (tcp or udp)", ""),
            ("tcp.payload[-1] == 7d", "56,115,122,130,134,148,156,160,164,169,171,173,175,181,185,189-190"),
        ],
    ),
    (
        "pipboy-ipv6.pcapng",
        &[
            ("vlan.id == 42", ""),
            ("vlan", "1-34"),
            ("ipv6", "1-68"),
            ("ip", ""),
            ("tcp.flags.reset == 1", "34,68"),
            ("tcp.port == 28123", "1-68"),
            ("tcp.stream == 1", "35-68"),
            (r#"frame.protocols contains "vlan""#, "1-34"),
            ("eth", "1-34"),
            ("ipv6.addr == 2001:db8::/32 and tcp.len > 0", "#36"),
            (r#"tcp.payload contains "lang""#, "5,39"),
        ],
    ),
    (
        "linux-cooked.pcap",
        &[("sll", "1-2"), ("sll.halen == 6", "1-2"), ("ip.addr == 10.0.0.0/8", ""), ("tcp.flags.syn == 1", "1"), ("icmp", "2")],
    ),
    ("linux-cooked-v2.pcap", &[("ipv6", "1-2"), ("udp or tcp.flags.syn", "1-2"), ("sll", "1-2")]),
    ("null-loopback.pcap", &[("null.family == 2", "1"), ("ip", "1"), ("udp", "2"), ("null", "1-2")]),
    (
        "pipboy-damaged.pcap",
        &[
            ("tcp.len == 1460", "12,20"),
            (r#"tcp.payload contains "id" or udp"#, ""),
            ("tcp.flags.fin", "1-106"),
            ("frame.len & 1", "#52"),
        ],
    ),
];

/// What fields say as JSON, asked by other means: messages by their numbers, gaps as 0.
const MESSAGES: Rows = &[
    (
        "pipboy.pcap",
        &[
            ("pipboy", "1-90"),
            ("udp", "1-3,37-38"),
            ("tcp.port == 27000", "4-36,39-90"),
            (r#"pipboy.type == "data_update""#, "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type == data_update", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type == DATA_UPDATE", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type == 3", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("3 == pipboy.type", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type > command", "70,72"),
            ("5 <= pipboy.type", "20,44,47,51,53,58,62,64,66,69-72,75,77,79-80"),
            ("pipboy.type != heartbeat", "4,11,20,23-29,34,39,44-47,50-55,58-59,62-66,69-72,75-80,83,85-86"),
            ("not pipboy.type == heartbeat", "1-4,11,20,23-29,34,37-39,44-47,50-55,58-59,62-66,69-72,75-80,83,85-86"),
            ("pipboy.type in {command, command_result, 4}", "20,44,47,51,53,58-59,62,64-66,69-72,75,77,79-80"),
            ("pipboy.type in {local_map_update..command_result}", "20,44,47,51,53,58-59,62,64-66,69-72,75,77,79-80"),
            (r#"pipboy.type in {1 2 "command_result"}"#, "4,39,70,72"),
            ("pipboy.type not in {0, 3}", "1-4,20,37-39,44,47,51,53,58-59,62,64-66,69-72,75,77,79-80"),
            (r#"message.name == "data_update""#, "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("message.name contains map", "59,65"),
            (r#"message.name matches "^(discovery|connection)_""#, "1-4,37-39"),
            (r#"message.name ~ "RESULT$""#, "70,72"),
            ("message.dir == c2s and not udp", "#36"),
            (r#"message.dir == "s2c" and pipboy.discovery.json"#, "2-3,38"),
            ("message.number in {1..3, 39}", "1-3,39"),
            ("message.number >= 0x58", "88-90"),
            (r#"message.protocol == "pipboy" && message.number < 3"#, "1-2"),
            ("stream == tcp/1", "39"),
            (r#"stream == "udp/0""#, "1"),
            ("stream contains udp/", "1-3,37-38"),
            (r#"stream matches r"^udp/\d$""#, "1-3,37-38"),
            ("tcp.stream == 1", "39"),
            ("frame.number == 36", "11"),
            ("frame.number in {33..60} and pipboy.entry", "11"),
            (r#"frame.protocols == "eth:ip:udp:pipboy""#, "1-3,37-38"),
            (r#"frame.time_epoch >= "2015-11-24T21:20:23Z""#, "75-90"),
            ("frame.time_epoch < 1448400000.5", "1-3"),
            ("frame.time_relative in {18..18.5}", "51-56"),
            ("frame.time_relative == 3.977116", "11"),
            ("pipboy.entry.id == 0", "11"),
            ("count(pipboy.entry) > 100", "11,55"),
            ("count(pipboy.entry) == 1", "26-29,34,54,78,83,85-86"),
            ("pipboy.entry_count in {2..7}", "23-25,45,50,52,63,76"),
            ("pipboy.entry.bool == true", "11,29,76,78"),
            ("pipboy.entry.bool == False", "11,34,76"),
            ("all pipboy.entry.bool == 1", "29,78"),
            ("pipboy.entry.int < 0", "11"),
            ("pipboy.entry.int == -1", "11"),
            ("pipboy.entry.uint > 0x7fffffff", "11,46,55"),
            ("pipboy.entry.float", "11,23-28,45-46,50,55,63,86"),
            ("pipboy.entry.float > 100", "11,23-25,63"),
            ("pipboy.entry.float < -0.5", "11,23-25,63"),
            ("all pipboy.entry.float > 90.5", "26-28"),
            (r#"pipboy.entry.string == "Wet feet""#, "11"),
            (r#"pipboy.entry.string contains "brell""#, "46"),
            ("pipboy.entry.string", "11,46,50,55"),
            ("len(pipboy.entry.string) == 17", "11,46"),
            (r#"lower(pipboy.entry.string) == "umbrella, pointed""#, "46"),
            (r#"upper(pipboy.command.args) contains "TRUE""#, "62"),
            (r#"pipboy.entry.string[0:3] == "Umb""#, "46"),
            (r#"pipboy.entry.string contains "\r\n""#, "11"),
            (r#"pipboy.entry.string matches r"\bfeet$""#, "11"),
            (r#"pipboy.entry.string[:1,-2:] == "Wet""#, "11"),
            ("pipboy.entry.float == 18.25", "11"),
            ("pipboy.entry.float in {1.25..1.75, 130}", "11,24,46"),
            (r#"pipboy.entry.dict.insert.key == "Status""#, "11"),
            ("pipboy.entry.list.ref == pipboy.entry.id", "11,46,50,55"),
            ("pipboy.entry.list.ref > pipboy.entry.id", "11,46,50,52,54-55"),
            ("pipboy.entry.list.ref != pipboy.entry.id", "52,54"),
            ("pipboy.entry.list.ref", "11,46,50,52,54-55"),
            ("pipboy.command.type == fast_travel", "69"),
            (r#"pipboy.command.type in {"clear_idle", use_item}"#, "20,44,80"),
            (r#"pipboy.command.args == "[444]""#, "69,71"),
            ("pipboy.command.id >= 12", "75,77,79-80"),
            ("pipboy.command.id & 1", "20,47,53,62,66,71,77,80"),
            ("pipboy.command.id & 3 == 2", "44,58,69,79"),
            ("pipboy.result.allowed == 0", "70"),
            ("pipboy.result.success != true", "70"),
            (r#"pipboy.result.message contains "luggage""#, "70"),
            ("pipboy.map.width == 30 or pipboy.map.height == 30", "59,65"),
            ("pipboy.map.pixels", "59,65"),
            ("len(pipboy.map.pixels) == 640", "65"),
            ("pipboy.map.pixels contains ff:ff", "59,65"),
            (r#"pipboy.json contains "id""#, "20,44,47,51,53,58,62,64,66,69-72,75,77,79-80"),
            ("pipboy.discovery.machine_type == PC", "2,38"),
            ("pipboy.discovery.is_busy == true", "38"),
            ("ip.dst == 255.255.255.255", "1,37"),
            ("ip.src == 192.168.28.16/28 and not tcp.port == 41508", "1,37"),
            ("eth.src == 02:50:49:50:00:17 and pipboy.type == command", "20,44,47,51,53,58,62,64,66,69,71,75,77,79-80"),
            (r#"pipboy contains "luggage""#, "70"),
            ("pipboy[4] == 01", "4"),
            ("pipboy.type == 3 xor message.dir == s2c", "#31"),
            ("pipboy.type == 3 ^^ tcp ^^ udp", "1-10,12-22,30-33,35-44,47-49,51,53,56-62,64-75,77,79-82,84,87-90"),
            ("dissect.short or data", ""),
            ("", "1-90"),
            ("(pipboy.type & 4) == 4 and not (pipboy.type == 5)", "59,65,70,72"),
            (r#"pipboy.length == '\t'"#, "26-28,83,86"),
            ("len(pipboy) > 1000 && pipboy.type ne 4", "11,55"),
        ],
    ),
    (
        "pipboy-damaged.pcap",
        &[
            ("data", "9,40-42"),
            ("pipboy.error.count", "15,27"),
            ("pipboy.error.gap or pipboy.error.length", "8,39"),
            ("pipboy and pipboy.note.bool", "35"),
            ("pipboy.map.bad_size and not pipboy.error.string", "31"),
            ("stream == tcp/0 and frame.number == 31", "0"),
            ("tcp.stream == 0 and not pipboy", "0,9,40-42"),
            ("not tcp", ""),
            ("udp or ip", "1-42"),
            ("message.dir == c2s", "2,5,7,13,17,21,25,29,33,37"),
            ("message.dir == s2c and not message.number", "0"),
            ("data.data contains 00:00 or len(data.data) < 3", "9,40-42"),
            ("tcp.len == 1460 and data", ""),
        ],
    ),
];

/// What Wireshark 4.0 does not read, and what means the same.
const BEYOND_TSHARK: Rows = &[(
    "layers.pcap",
    &[
        ("frame.number in {1 2, 3}", "1-3"),
        ("tcp xor ip", "3-6,9,11-13,16,19"),
        ("tcp ^^ ip", "3-6,9,11-13,16,19"),
        ("(tcp.flags & 2) == 2", "14"),
        ("2 == (tcp.flags & 2)", "14"),
        ("3 >= frame.number", "1-3"),
        ("tcp.flags.syn == true", "14"),
        (r#"eth.src == "02:50:49:50:00:11" and arp"#, "1"),
        (r#"frame.time_epoch < "2015-11-24T21:20:00.1Z""#, "1-2"),
        (r#"frame.time_epoch in {"2015-11-24 21:20:01Z"..1448400002}"#, "9-13"),
        ("frame", "1-19"),
        ("", "1-19"),
    ],
)];

#[test]
fn packets_pass_as_tshark_says() {
    check(View::Packets, AS_TSHARK);
}

#[test]
fn messages_pass_by_their_own_fields_and_by_those_of_the_layers_below() {
    check(View::Messages, MESSAGES);
}

#[test]
fn more_is_read_than_wireshark_reads() {
    check(View::Packets, BEYOND_TSHARK);
}

#[test]
fn a_message_that_its_stream_ended_inside_of_still_has_its_ports() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/pipboy.pcap");
    let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
    let mut engine = Engine::new(Registry::default(), Want::EVERYTHING);
    // The capture ends in the middle of the first update.
    for _ in 0..30 {
        engine.dissect(&capture.next_frame().unwrap().unwrap());
    }
    let mut left = 0;
    while let Some(tree) = engine.finish() {
        let show = |record: Record<'_>| -> Result<(), ()> {
            for expression in [
                "eth and ip and tcp and pipboy",
                "pipboy.truncated",
                "tcp.port == 27000 and tcp.srcport == 27000 and tcp.dstport == 41508",
                "ip.src == 192.168.28.10 and ip.addr == 192.168.28.23",
                "tcp.stream == 0 and stream == tcp/0",
                "not udp.port and not ipv6.addr and not udp and not frame contains 00",
            ] {
                assert!(parsed(expression).matches(&record), "{expression}");
            }
            left += 1;
            Ok(())
        };
        Tally::new(View::Messages).records(Dissection { tree, bytes: &[] }, false, show).unwrap();
    }
    assert_eq!(left, 1);
}

/// Wrong filters: what is marked, words of what is said of it, and what is suggested.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("tcp.prot == 80", "tcp.prot", "nothing is called", "tcp.port"),
    ("ip and udp.srcprt", "udp.srcprt", "nothing is called", "udp.srcport"),
    ("frame.nmber > 3", "frame.nmber", "nothing is called", "frame.number"),
    ("mesage.name == x", "mesage.name", "nothing is called", "message.name"),
    ("TCP", "TCP", "nothing is called", "tcp"),
    ("pipboy.typ == data_update", "pipboy.typ", "nothing is called", "pipboy.type"),
    ("80 == tcp.prt", "tcp.prt", "nothing is called", "tcp.port"),
    ("tcp.prt in {80}", "tcp.prt", "nothing is called", "tcp.port"),
    ("len(udp.paylod) > 3", "udp.paylod", "nothing is called", "udp.payload"),
    ("eth.scr[0:3] == 00:11:22", "eth.scr", "nothing is called", "eth.src"),
    ("tcp.flag & 2", "tcp.flag", "nothing is called", "tcp.flags"),
    ("1 == 1", "1", "not a constant", ""),
    ("\"tcp\"", "\"tcp\"", "not a constant", ""),
    ("tcp.port == eighty", "eighty", "expected a whole number for tcp.port", ""),
    ("tcp.port == 80.5", "80.5", "expected a whole number for tcp.port", ""),
    ("tcp.port == \"80\"", "\"80\"", "expected a whole number", ""),
    ("tcp.port == 0x", "0x", "expected a whole number", ""),
    ("tcp.port == 99999999999999999999", "99999999999999999999", "expected a whole number", ""),
    ("tcp.srcport == tcp.dstprt", "tcp.dstprt", "expected a whole number", "tcp.dstport"),
    ("pipboy.type == data_updat", "data_updat", "or the name of a value", "\"data_update\""),
    ("pipboy.type in {3, comand}", "comand", "or the name of a value", "\"command\""),
    ("ip.src == 10.0.0.256", "10.0.0.256", "an IPv4 address", ""),
    ("ip.src == 10", "10", "an IPv4 address", ""),
    ("ip.src == 10.0.0.0/33", "10.0.0.0/33", "an IPv4 address", ""),
    ("ip.src == 2001:db8::1", "2001:db8::1", "an IPv4 address", ""),
    ("ip.src == host.example", "host.example", "an IPv4 address", ""),
    ("ipv6.src == 10.0.0.1", "10.0.0.1", "an IPv6 address", ""),
    ("ipv6.src == 2001:::1", "2001:::1", "an IPv6 address", ""),
    ("eth.src == 00:11", "00:11", "an Ethernet address", ""),
    ("udp.payload == abc", "abc", "expected bytes", "\"abc\""),
    ("udp.payload contains hello", "hello", "expected bytes", "\"hello\""),
    ("tcp.flags.syn == maybe", "maybe", "true or false", "true"),
    ("tcp.flags.syn > 0", "tcp.flags.syn", "has no order", ""),
    ("tcp.flags.syn <= tcp.flags.ack", "tcp.flags.syn", "has no order", ""),
    ("frame.time_relative > soon", "soon", "seconds", ""),
    ("frame.time_epoch > yesterday", "yesterday", "seconds since 1970", ""),
    ("frame.time_relative > \"2015-11-24 21:20:00\"", "\"2015-11-24 21:20:00\"", "seconds", ""),
    ("pipboy.entry.float == heavy", "heavy", "expected a number", ""),
    ("tcp.port contains 80", "tcp.port", "is a number", ""),
    ("ip.src contains c0:a8", "ip.src", "is an IPv4 address", ""),
    ("tcp.port matches \"80\"", "tcp.port", "is a number", ""),
    ("tcp.port ~ \"80\"", "tcp.port", "has no text to match", ""),
    ("message.name matches data", "data", "in quotes", "\"data\""),
    ("message.name matches \"(\"", "\"(\"", "not a regular expression", ""),
    ("message.name matches \"a{2000000000}\"", "\"a{2000000000}\"", "not a regular expression", ""),
    ("message.protocol == pipboy", "pipboy", "message.protocol is text, pipboy is a protocol", "\"pipboy\""),
    ("frame.protocols contains tcp", "tcp", "expected a constant", "\"tcp\""),
    ("ip.proto == tcp", "tcp", "ip.proto is a number, tcp is a protocol", "\"tcp\""),
    ("tcp.port == ip.src", "ip.src", "is an IPv4 address", ""),
    ("ip.src in {ip.dst}", "ip.dst", "expected a constant", ""),
    ("tcp.port[0] == 1", "tcp.port", "has no bytes to cut", ""),
    ("message.name & 1", "message.name", "has no bits", ""),
    ("tcp.flags & tcp.window_size_value", "tcp.window_size_value", "must be a constant", ""),
    ("lower(tcp.port) == 1", "tcp.port", "has no letters", ""),
    ("len(tcp.port) == 2", "tcp.port", "has no length", ""),
    ("pipboy.error.count == 1", "pipboy.error.count", "is a note", ""),
    ("count(pipboy.error.count) > 1", "pipboy.error.count", "is a note", ""),
    ("len(tcp)", "len(tcp)", "compare it with something", ""),
    ("len() == 1", "len()", "takes one field", ""),
    ("len(tcp, udp) == 1", "len(tcp, udp)", "takes one field", ""),
    ("lenght(tcp) == 1", "lenght", "no function is called", "len"),
    ("tcp(udp)", "tcp", "no function is called", ""),
    ("(tcp == 1", "(", "never closed", ""),
    ("tcp and (udp or (ip)", "(", "never closed", ""),
    ("len(tcp", "len(", "never closed", ""),
    ("tcp)", ")", "nothing was opened", ""),
    ("tcp.port in {80", "{", "never closed", ""),
    ("tcp.port in {}", "{}", "needs something", ""),
    ("tcp.port in {80,}", "}", "expected a value", ""),
    ("tcp.port in {100..80}", "100..80", "ends before it begins", ""),
    ("tcp.port in 80", "80", "expected a set", ""),
    ("tcp.port not 80", "80", "expected in", ""),
    ("tcp.port ==", "", "missing at the end", ""),
    ("tcp and", "", "missing at the end", ""),
    ("not", "", "missing at the end", ""),
    ("and tcp", "and", "expected a field or a value", ""),
    ("tcp and or udp", "or", "expected a field or a value", ""),
    ("tcp udp", "udp", "expected an operator", ""),
    ("tcp AND udp", "AND", "expected an operator", "and"),
    ("tcp adn udp", "adn", "expected an operator", "and"),
    ("tcp.port == 80 == 80", "==", "do not chain", ""),
    ("tcp.port = 80", "=", "has no meaning", "=="),
    ("tcp | udp", "|", "has no meaning", "||"),
    ("tcp % 3", "%", "has no meaning", ""),
    ("eth.src[0][0] & 1 & 1 & 1", "&", "more than four", ""),
    ("((eth.src[0][0])[0][0])[0]", "[0]", "more than four", ""),
    ("any tcp", "any tcp", "belong to a comparison", ""),
    ("(tcp and udp) == 1", "(tcp and udp)", "a condition is no value", ""),
    ("message.name == \"abc", "\"", "quote is missing", ""),
    ("message.name == r\"abc", "r\"", "quote is missing", ""),
    ("message.name matches \"\\d\"", "\\d", "is no escape", "\\\\d"),
    ("message.name == \"\\x\"", "\\x", "is no escape", ""),
    ("tcp.port == 'ab'", "'ab'", "one byte", "\"ab\""),
    ("eth.src[0 == 1", "[", "bracket is missing", ""),
    ("eth.src[x] == 1", "x", "expected bytes such as", ""),
    ("eth.src[0:0] == 1", "0:0", "expected bytes such as", ""),
    ("eth.src[0,3-1] == 1", "3-1", "expected bytes such as", ""),
    ("eth.src[] == 1", "", "expected bytes such as", ""),
];

#[test]
fn mistakes_are_found_where_they_are_and_better_words_suggested() {
    let mut wrong = Vec::new();
    for (expression, marked, words, suggested) in MISTAKES {
        let Err(mistake) = Filter::parse(expression, Registry::default()) else {
            wrong.push(format!("{expression}: no mistake"));
            continue;
        };
        let found = expression.get(mistake.at..mistake.at + mistake.len);
        let suggests = suggested.is_empty() || mistake.nearest.iter().any(|nearest| nearest == suggested);
        if found != Some(*marked) || !mistake.what.contains(words) || !suggests {
            wrong.push(format!("{mistake}\n  expected {marked:?} {words:?} {suggested:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_mistake_is_shown_with_a_mark_under_it() {
    let shown = Filter::parse("ip.src == 10.0.0.1 and tcp.prot == 80", Registry::default()).unwrap_err().to_string();
    assert_eq!(
        shown,
        "nothing is called tcp.prot
  ip.src == 10.0.0.1 and tcp.prot == 80
                         ^^^^^^^^
  try tcp.port, ip.proto, udp.port"
    );
    let hostile = Filter::parse("message.name == \"\u{1b}[31m\u{202e}\" x", Registry::default()).unwrap_err().to_string();
    assert!(!hostile.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')), "{hostile}");
}

/// Filters and how they are written canonically.
const WRITTEN: &[(&str, &str)] = &[
    ("", ""),
    ("  tcp  ", "tcp"),
    ("tcp&&udp||!arp", "tcp and udp or not arp"),
    ("tcp and (udp or arp)", "tcp and (udp or arp)"),
    ("(tcp and udp) or arp", "tcp and udp or arp"),
    ("tcp or udp xor arp and ip", "tcp or udp xor arp and ip"),
    ("((tcp or udp) xor arp) and ip", "((tcp or udp) xor arp) and ip"),
    ("not (tcp or udp)", "not (tcp or udp)"),
    ("!(tcp.port==80)", "not tcp.port == 80"),
    ("tcp.port eq 80 or tcp.port ne 81 or tcp.port all_eq 1", "tcp.port == 80 or tcp.port != 81 or tcp.port === 1"),
    ("tcp.port any_ne 0x50", "tcp.port !== 0x50"),
    ("all tcp.port gt 80", "all tcp.port > 80"),
    ("any ip.addr == 10.0.0.0/8", "any ip.addr == 10.0.0.0/8"),
    ("tcp.port in{80,443 8000..8100}", "tcp.port in {80, 443, 8000..8100}"),
    ("tcp.port not in {80}", "not tcp.port in {80}"),
    ("all tcp.port not in {80}", "not all tcp.port in {80}"),
    ("eth.src[:3, 4 ,-2:,1-2] == 0", "eth.src[0:3,4:1,-2:,1-2] == 0"),
    ("tcp.flags&2", "tcp.flags & 2"),
    ("tcp.flags bitwise_and 2 eq 2", "tcp.flags & 2 == 2"),
    ("message.name ~ r\"a\\d\\\"\"", "message.name matches \"a\\\\d\\\\\\\"\""),
    ("message.name contains \"\\x41\\102\\n\\x80é\"", "message.name contains \"AB\\n\\x80é\""),
    (
        "frame.len == 'a' or frame.len == '\\'' or frame.len == '\\x07'",
        "frame.len == 'a' or frame.len == '\\'' or frame.len == '\\x07'",
    ),
    ("len( udp.payload )>3", "len(udp.payload) > 3"),
];

#[test]
fn filters_are_written_canonically() {
    for (expression, written) in WRITTEN {
        assert_eq!(parsed(expression).to_string(), *written);
        assert_eq!(parsed(written).to_string(), *written);
    }
}

#[test]
fn a_filter_tells_what_it_looks_at() {
    let told = |expression: &str| {
        let filter = parsed(expression);
        let names: Vec<&str> = filter.fields().iter().map(|field| field.abbrev).collect();
        (names.join(" "), filter.want())
    };
    assert_eq!(told("message.number > 3 and stream == tcp/0"), (String::new(), Want::LAYERS));
    assert_eq!(told("message.name == x"), (String::new(), Want::NAMES));
    assert_eq!(told("tcp or pipboy.error.count"), ("tcp pipboy.error.count".into(), Want::LAYERS));
    let ports = Registry::default().named("tcp.port");
    let only = |fields| Want { fields: true, only: Some(Only::these(fields)), ..Want::LAYERS };
    assert_eq!(told("tcp.port == 1 or tcp.srcport"), ("tcp.srcport tcp.dstport".into(), only(ports)));
    assert_eq!(told("tcp contains \"a\""), ("tcp".into(), Want { fields: true, ..Want::LAYERS }));
}

#[test]
fn nesting_has_a_limit_and_chains_have_none() {
    let deep = |depth: usize| format!("{}tcp{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Filter::parse(&deep(90), Registry::default()).is_ok());
    for expression in [
        deep(101),
        deep(100_000),
        "!".repeat(100_000),
        format!("{}udp", "len(".repeat(100_000)),
        format!("eth.src{}", "[0]".repeat(100_000)),
    ] {
        let mistake = Filter::parse(&expression, Registry::default()).unwrap_err();
        assert!(mistake.what.contains("nested deeper") || mistake.what.contains("more than four"), "{}", mistake.what);
    }
    // As deep as it gets.
    let nested = (0..45).fold("frame.protocols".to_owned(), |inner, _| format!("upper(lower({inner}))"));
    let filter = parsed(&format!("{nested} matches \"TCP\""));
    assert_eq!(parsed(&filter.to_string()).to_string(), filter.to_string());
    let chain = parsed(&vec!["tcp.port == 1"; 20_000].join(" or "));
    let mut passed = 0;
    each_record("layers.pcap", View::Packets, Want::EVERYTHING, |record| {
        passed += u32::from(filter.matches(record)) + u32::from(chain.matches(record));
    });
    assert_eq!(passed, 2);
}

/// Fields to the left with something that fits to the right.
fn comparison() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec!["==", "!=", "===", "!==", "eq", "ne"]);
    let order = prop::sample::select(vec!["==", "!=", "<", ">", "<=", ">=", "lt", "le", "gt", "ge"]);
    let of = prop::sample::select(vec!["", "", "", "any ", "all "]);
    let numbers = prop::sample::select(vec![
        "tcp.port",
        "frame.len",
        "ip.ttl",
        "len(udp.payload)",
        "count(eth.addr)",
        "tcp.flags & 0x12",
        "message.number",
    ]);
    let number = prop_oneof![
        any::<u16>().prop_map(|n| n.to_string()),
        any::<i32>().prop_map(|n| format!("{n}")),
        any::<u8>().prop_map(|n| format!("0b{n:b}")),
        Just("'a'".to_owned()),
        Just("tcp.dstport".to_owned())
    ];
    let texts = prop::sample::select(vec![
        "message.name",
        "frame.protocols",
        "lower(frame.protocols)",
        "stream",
        "upper(lower(message.dir))",
    ]);
    let text = prop_oneof![
        any::<String>().prop_map(|text| format!(
            "{:?}",
            text.replace(['\\', '\'', '"'], "").replace(|c: char| c.is_control() || !c.is_ascii(), "é")
        )),
        Just("plain".to_owned()),
        Just("r\"a\\b\"".to_owned())
    ];
    let slices = prop::sample::select(vec![
        "eth.src[0:2]",
        "eth.dst[-2:]",
        "ip.src[1,2]",
        "udp.payload[1-3,:2]",
        "tcp[20:]",
        "frame[:14][3-5]",
    ]);
    let bytes = prop_oneof![
        any::<[u8; 3]>().prop_map(|[a, b, c]| format!("{a:02x}:{b:02x}:{c:02x}")),
        Just("\"ab\\x00\"".to_owned()),
        Just("eth.src[0:3]".to_owned())
    ];
    let net = any::<([u8; 4], u8)>().prop_map(|([a, b, c, d], prefix)| format!("{a}.{b}.{c}.{d}/{}", prefix % 33));
    prop_oneof![
        (of.clone(), numbers.clone(), order.clone(), number)
            .prop_map(|(of, left, sign, right)| format!("{of}{left} {sign} {right}")),
        (of.clone(), numbers, any::<(u8, u8)>()).prop_map(|(of, left, (a, b))| format!(
            "{of}{left} in {{{a}, {}..{} 7}}",
            a.min(b),
            a.max(b)
        )),
        (of.clone(), texts.clone(), order, text.clone()).prop_map(|(of, left, sign, right)| format!("{of}{left} {sign} {right}")),
        (of.clone(), texts, prop::sample::select(vec!["contains", "matches", "~"]))
            .prop_map(|(of, left, sign)| format!("{of}{left} {sign} \"t[c]p|.\"")),
        (of.clone(), slices, sign.clone(), bytes).prop_map(|(of, left, sign, right)| format!("{of}{left} {sign} {right}")),
        (of, sign, net).prop_map(|(of, sign, net)| format!("{of}ip.addr {sign} {net}")),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    let present =
        prop::sample::select(vec!["tcp", "udp.port", "ip", "eth.src[0:3]", "tcp.flags & 2", "frame", "pipboy.error.gap", "data"]);
    let leaf = prop_oneof![comparison(), present.prop_map(str::to_owned)];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let join = prop::sample::select(vec![" and ", " or ", " xor ", "&&", "||", "^^"]);
        prop_oneof![
            (inner.clone(), join, inner.clone()).prop_map(|(a, join, b)| format!("{a}{join}{b}")),
            inner.clone().prop_map(|inner| format!("({inner})")),
            inner.clone().prop_map(|inner| format!("!({inner})")),
            inner.prop_map(|inner| format!("not {inner}")),
        ]
    })
}

/// The packets of a sample that pass two filters.
fn passed_by(filters: [&Filter; 2]) -> [Vec<u64>; 2] {
    let mut passed = [Vec::new(), Vec::new()];
    for view in [View::Packets, View::Messages] {
        each_record("layers.pcap", view, Want::EVERYTHING, |record| {
            for (filter, passed) in filters.iter().zip(&mut passed) {
                if filter.matches(record) {
                    passed.push(number(record));
                }
            }
        });
    }
    passed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_a_filter_writes_reads_back_as_the_same_filter(expression in expression()) {
        let filter = Filter::parse(&expression, Registry::default()).map_err(|mistake| TestCaseError::fail(mistake.to_string()))?;
        let written = filter.to_string();
        let again = parsed(&written);
        prop_assert_eq!(&again.to_string(), &written);
        let [passed, passed_again] = passed_by([&filter, &again]);
        prop_assert_eq!(passed, passed_again);
    }

    #[test]
    fn no_text_makes_reading_or_asking_panic(text in any::<String>(), soup in prop::collection::vec(piece(), 0..24)) {
        for text in [text, soup.concat()] {
            match Filter::parse(&text, Registry::default()) {
                Ok(filter) => {
                    let again = parsed(&filter.to_string());
                    let [passed, passed_again] = passed_by([&filter, &again]);
                    prop_assert_eq!(passed, passed_again);
                }
                Err(mistake) => {
                    prop_assert!(text.get(mistake.at..mistake.at + mistake.len).is_some());
                    prop_assert!(!mistake.to_string().is_empty());
                }
            }
        }
    }
}

/// What filters are made of, in no order.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ",
        " ",
        " ",
        "tcp.port",
        "eth.src",
        "message.name",
        "frame",
        "ip.addr",
        "pipboy.type",
        "pipboy.error.gap",
        "tcp",
        "x",
        "80",
        "-1",
        "0x",
        "10.0.0.0/8",
        "::1",
        "aa:bb",
        "1.5",
        "\"a\"",
        "\"",
        "'a'",
        "'",
        "r\"\\",
        "\\",
        "==",
        "!=",
        "===",
        "<",
        ">=",
        "in",
        "{",
        "}",
        "..",
        ",",
        "(",
        ")",
        "[0:2]",
        "[-1]",
        "[",
        "]",
        "&",
        "&&",
        "and",
        "or",
        "xor",
        "not",
        "!",
        "any",
        "all",
        "contains",
        "matches",
        "~",
        "len(",
        "count(",
        "lower(",
        "é",
        "\u{202e}",
        "\n",
    ])
}
