//! Statistics that are shown on request only, with the numbers that tshark 4.0 prints for the same samples.

use crate::common::{Scratch, run};
use serde_json::Value;

fn counted(part: &str, sample: &str) -> Value {
    let run = run(&["stats", "--json", "-z", part, sample]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "-z {part} {sample}");
    serde_json::from_str(&run.out).unwrap()
}

/// Frames and bytes of each column in each interval.
fn rows(part: &str, sample: &str) -> Vec<(f64, Vec<[u64; 2]>)> {
    let stats = counted(part, sample);
    let rows = stats["intervals"][0]["rows"].as_array().unwrap();
    let cell = |cell: &Value| ["frames", "bytes"].map(|key| cell[key].as_u64().unwrap());
    let cells = |row: &Value| row["columns"].as_array().unwrap().iter().map(cell).collect();
    rows.iter().map(|row| (row["start"].as_f64().unwrap(), cells(row))).collect()
}

#[test]
fn io_stat_counts_frames_and_bytes_of_each_filter_in_each_interval() {
    let expected = [
        (0.0, vec![[0, 0], [2, 138]]),
        (1.0, vec![[0, 0], [3, 353]]),
        (2.0, vec![[2, 128], [1, 53]]),
        (3.0, vec![[0, 0], [1, 60]]),
    ];
    assert_eq!(rows("io,stat,1,tcp,udp", "samples/layers.pcap"), expected);
    assert_eq!(rows("io,stat,0", "samples/layers.pcap"), [(0.0, vec![[19, 1514]])]);
    let pipboy = rows("io,stat,1,tcp,udp", "samples/pipboy.pcap");
    assert_eq!(pipboy.len(), 27);
    assert_eq!(pipboy[3], (3.0, vec![[20, 12939], [0, 0]]));
    assert_eq!(pipboy[13], (13.0, vec![[1, 54], [2, 140]]));
}

#[test]
fn io_stat_computes_functions_over_the_frames_that_pass_their_filter() {
    const FUNCTIONS: &str = "io,stat,0,SUM(tcp.len)tcp.len && tcp.srcport==27000,MIN(frame.len)frame.len,\
        MAX(frame.len)frame.len > 80,COUNT(ip.ttl)ip.ttl && udp,AVG(tcp.len)tcp.len>0";
    let stats = counted(FUNCTIONS, "samples/pipboy.pcap");
    let cells = stats["intervals"][0]["rows"][0]["columns"].as_array().unwrap();
    assert_eq!(cells.iter().map(|cell| cell["result"].as_u64().unwrap()).collect::<Vec<_>>(), [18785, 54, 1514, 5, 166]);
}

#[test]
fn commas_in_sets_and_quotes_do_not_end_a_filter_of_io_stat() {
    let both = rows("io,stat,0,tcp.port in {27000, 80},frame.comment == \"a,b\"", "samples/pipboy.pcap");
    assert_eq!(both[0].1.len(), 2);
    assert_eq!(both[0].1[1], [0, 0]);
}

#[test]
fn mistakes_in_io_stat_are_exit_2_before_any_input_is_opened() {
    for (name, words) in [
        ("io,stat,1,tcp,udp.prt == 3", &["udp.prt == 3\n  ^^^^^^^", "udp.port"][..]),
        ("io,stat,x", &["io,stat,SECONDS[,FILTER]"]),
        ("io,stat,0.0000001", &["0.000001 s"]),
        ("io,stat,1,SUM(http.host)", &["not an integer field"]),
        ("io,stat,1,MAX(no.such)", &["no such field"]),
    ] {
        let run = run(&["stats", "-z", name, "nothing"]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{name}: {}", run.err);
        assert!(words.iter().all(|word| run.err.contains(word)), "{name}: {}", run.err);
    }
}

#[test]
fn io_stat_counts_the_frames_of_too_many_intervals_together() {
    let frame = |second: u32| [&second.to_le_bytes()[..], &[0; 4], &[1, 0, 0, 0], &[1, 0, 0, 0], &[0x45]].concat();
    let header = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x65\0\0\0";
    let capture = [header.to_vec(), (0..100_007).flat_map(frame).collect()].concat();
    let file = Scratch::new("many-intervals.pcap", &capture);
    let stats = counted("io,stat,1", file.path());
    assert_eq!(stats["intervals"][0]["rows"].as_array().unwrap().len(), 100_000);
    assert_eq!(stats["intervals"][0]["frames_left_out"], 7);
}

/// Each topic with its count, and average (two digits), minimum and maximum if present.
fn topics(part: &str, key: &str, sample: &str) -> Vec<String> {
    let stats = counted(part, sample);
    let line = |topic: &Value| {
        let mut line = format!("{}: {}", topic["topic"].as_str().unwrap(), topic["count"]);
        if let Some(average) = topic["average"].as_f64() {
            line += &format!(" {average:.2} {} {}", topic["least"], topic["greatest"]);
        }
        line
    };
    stats[key]["topics"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn frame_lengths_are_counted_in_the_ranges_of_tshark() {
    assert_eq!(
        topics("plen,tree", "lengths", "samples/pipboy.pcap"),
        [
            "Packet Lengths: 210 147.86 54 1514",
            "0-19: 0",
            "20-39: 0",
            "40-79: 169 57.72 54 78",
            "80-159: 24 93.71 81 108",
            "160-319: 3 177.67 165 193",
            "320-639: 1 484.00 484 484",
            "640-1279: 2 802.00 726 878",
            "1280-2559: 11 1493.27 1286 1514",
            "2560-5119: 0",
            "5120 and greater: 0",
        ]
    );
}

#[test]
fn http_responses_are_classified_by_their_first_digit() {
    let responses = [101, 204, 301, 404, 503].map(|code| format!("HTTP/1.1 {code} x\r\nContent-Length: 0\r\n\r\n")).concat();
    let hex: String = responses.bytes().map(|byte| format!("{byte:02x}")).collect();
    let text = run(&["stats", "-z", "http,tree", "--as", "http:s2c", "--hex", &hex]).out;
    // The words of tshark's tree.
    for class in ["1xx: Informational", "2xx: Success", "3xx: Redirection", "4xx: Client Error", "5xx: Server Error"] {
        assert!(text.contains(class), "{class} in {text}");
    }
}

#[test]
fn http_requests_are_counted_by_method_and_responses_by_status_code() {
    // SSDP counts as HTTP, as in tshark, which truncates the name of the first method to SEARCH.
    assert_eq!(
        topics("http,tree", "http", "samples/queries.pcap"),
        [
            "Total HTTP Packets: 3",
            "HTTP Request Packets: 2",
            "NOTIFY: 1",
            "M-SEARCH: 1",
            "HTTP Response Packets: 1",
            "2xx: Success: 1",
            "200 OK: 1",
            "???: broken: 0",
            "5xx: Server Error: 0",
            "4xx: Client Error: 0",
            "3xx: Redirection: 0",
            "1xx: Informational: 0",
            "Other HTTP Packets: 0",
        ]
    );
}

#[test]
fn parts_on_request_are_tables_too_and_go_without_the_command() {
    for name in ["plen,tree", "http,tree", "io,stat,1,tcp", "dns,tree", "expert", "hosts", "rtp,streams"] {
        let of_command = run(&["stats", "-z", name, "samples/pipboy.pcap"]);
        assert_eq!((of_command.code, of_command.err.as_str()), (0, ""), "{name}");
        assert!(of_command.out.lines().count() > 1, "{name}: {}", of_command.out);
        assert_eq!(of_command.out, run(&["-q", "-z", name, "samples/pipboy.pcap"]).out, "{name}");
    }
}
