//! Command lines of tshark users. Expected numbers are those of tshark 4.0.17 on the same samples, if it prints the same.

use super::{answer, assert_lines, assert_rejected, typed, typed_with};
use crate::common::{Folder, apart, binary, own_cases};
use serde_json::Value;
use std::collections::BTreeMap;

/// Number of lines of an answer.
fn count(line: &str) -> usize {
    answer(line).lines().count()
}

/// Asserts that two command lines print the same.
fn assert_same(one: &str, other: &str) {
    assert_eq!(answer(one), answer(other), "{one}\n{other}");
}

#[test]
fn options_of_tshark_have_the_same_meaning() {
    // tshark -r samples/http.pcap -Y 'tcp.port == 80' | wc -l prints 18.
    assert_eq!(count("-r samples/http.pcap -e frame.number -Y 'tcp.port == 80'"), 18);
    assert_same("-r samples/http.pcap", "samples/http.pcap");
    assert_same("-nr samples/http.pcap -l", "-l samples/http.pcap");
    assert_same("-n -N mntd -2 -r samples/http.pcap -l", "-l samples/http.pcap");
    assert_same("-r samples/http.pcap -2 -R http -l", "-l -Y http samples/http.pcap");
    assert_same(
        "-R http -Y 'ip.src == 203.0.113.80' -l samples/http.pcap",
        "-l -Y 'http and ip.src == 203.0.113.80' samples/http.pcap",
    );
    // Words besides -r are a display filter.
    assert_same("-r samples/http.pcap -l tcp.port == 9000", "-l -Y 'tcp.port == 9000' samples/http.pcap");
    assert_same("-r samples/http.pcap -T text", "-l samples/http.pcap");
    assert_same("-r samples/http.pcap -P", "-l samples/http.pcap");
    assert_same("-r samples/http.pcap -T text -V", "-V samples/http.pcap");
    assert_same("-r samples/http.pcap -T text -x", "-x samples/http.pcap");
    assert_same("-l -n -T fields -e frame.number -r samples/http.pcap", "-e frame.number samples/http.pcap");
    assert_same("stats -r samples/http.pcap", "stats samples/http.pcap");
    assert_same("follow -r samples/http.pcap -s 1", "follow samples/http.pcap -s 1");
    assert_same("-q -z io,phs -r samples/http.pcap", "stats -z io,phs samples/http.pcap");
    assert_same("-o tls.keylog_file:/dev/null -l samples/http.pcap", "-l samples/http.pcap");
    assert_eq!(answer("-q -r samples/http.pcap"), "");
    assert_lines("-T fields -e frame.number -e tcp.len -E separator=, -r samples/http.pcap -c 3", &["1,0", "2,0", "3,0"]);
    let piped = typed_with("-i - -l", &std::fs::read("samples/http.pcap").unwrap());
    assert_eq!((piped.code, piped.out), (0, answer("-l samples/http.pcap")));
}

#[test]
fn times_are_written_in_all_forms_of_tshark() {
    let first = |form: &str| answer(&format!("--packets -l -c 1 -t {form} samples/http.pcap"));
    assert!(first("ud").starts_with("    1 2015-11-24 21:20:00.000000 "), "{}", first("ud"));
    assert!(first("udoy").starts_with("    1 2015/328 21:20:00.000000 "), "{}", first("udoy"));
    assert!(first("adoy").starts_with("    1 2015/328 21:20:00.000000 "), "{}", first("adoy"));
    // tshark -t dd -r samples/pipboy.pcap -Y 'tcp.len > 0': from printed packet to printed packet.
    let listed = answer("-l -t dd -Y 'tcp.len > 0' -c 3 samples/pipboy.pcap");
    let times: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(times, ["0.000000", "0.000248", "0.062248"]);
}

#[test]
fn written_frames_can_be_printed_as_well() {
    let folder = Folder::new("habits-print");
    let path = folder.file("part.pcap");
    let done = typed(&format!("-P -w {} -F pcap -c 2 samples/http.pcap", path.display()));
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.out, answer("--packets -l -c 2 samples/http.pcap"));
    assert_eq!(std::fs::read(&path).unwrap()[..4], [0x4d, 0x3c, 0xb2, 0xa1], "classic pcap, times in nanoseconds");
}

#[test]
fn forms_for_programs_have_a_packet_for_each_frame() {
    // tshark -r samples/http.pcap -T … prints as many.
    assert_eq!(count("-T tabs samples/http.pcap"), 43);
    assert_eq!(count("-T ek samples/http.pcap"), 86);
    for form in ["pdml", "psml"] {
        let document = answer(&format!("-T {form} samples/http.pcap"));
        assert_eq!(document.matches("<packet>").count(), 43, "{form}");
        assert_eq!(document.matches("</packet>").count(), 43, "{form}");
    }
    let raw: Value = serde_json::from_str(&answer("-T jsonraw samples/http.pcap")).unwrap();
    assert_eq!(raw.as_array().unwrap().len(), 43);
    // With a filter, and messages if requested: tshark prints 10 packets with http, and 3 that it completes later.
    assert_eq!(count("-T tabs -Y http samples/http.pcap"), 14);
    assert_eq!(count("-T tabs --messages samples/http.pcap"), 22);
    assert!(answer("-T tabs -c 1 samples/http.pcap").starts_with("    1\t  0.000000\t192.168.1.20\t→\t203.0.113.80\tTCP\t66\t"));
}

/// The attributes of the first XML element with this name.
fn attributes(document: &str, name: &str) -> BTreeMap<String, String> {
    let element = document.lines().find(|line| line.contains(&format!("name=\"{name}\""))).unwrap_or_default();
    let mut parts = element.split('"');
    let mut found = BTreeMap::new();
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        let key = key.trim_end_matches('=').rsplit(' ').next().unwrap_or_default();
        found.insert(key.to_owned(), value.to_owned());
    }
    found
}

#[test]
fn pdml_has_the_fields_places_and_bytes_of_tshark() {
    let document = answer("-T pdml -Y frame.number==4 samples/http.pcap");
    // tshark -T pdml -Y frame.number==4 -r samples/http.pcap: name, pos, size, show, value.
    let expected = [
        ("num", "0", "149", "4", "4"),
        ("caplen", "0", "149", "149", "95"),
        ("eth.dst", "0", "6", "02:50:49:50:00:50", "025049500050"),
        ("eth.type", "12", "2", "0x0800", "0800"),
        ("ip.src", "26", "4", "192.168.1.20", "c0a80114"),
        ("ip.ttl", "22", "1", "64", "40"),
        ("tcp.dstport", "36", "2", "80", "0050"),
        ("tcp.seq", "38", "4", "1", "34b8d001"),
        ("tcp.flags", "46", "2", "0x0018", "18"),
        ("tcp.window_size", "0", "0", "64000", ""),
        ("tcp.flags.str", "46", "2", "·······AP···", "18"),
        ("http.request.method", "54", "4", "GET", "47455420"),
    ];
    for (name, pos, size, show, value) in expected {
        let field = attributes(&document, name);
        let of = |key: &str| field.get(key).map_or("", String::as_str);
        assert_eq!((of("pos"), of("size"), of("show"), of("value")), (pos, size, show, value), "{name}");
    }
    assert_eq!(attributes(&document, "tcp.flags").get("unmaskedvalue").map(String::as_str), Some("5018"));
    assert_eq!(attributes(&document, "tcp.port").get("hide").map(String::as_str), Some("yes"));
    assert_eq!(attributes(&document, "frame.protocols").get("show").map(String::as_str), Some("eth:ethertype:ip:tcp:http"));
    assert_eq!(document.lines().next(), Some("<?xml version=\"1.0\" encoding=\"utf-8\"?>"));
    assert!(document.ends_with("</packet>\n\n\n</pdml>\n"));
}

#[test]
fn elasticsearch_gets_an_index_a_time_and_a_layer_for_each_protocol() {
    let lines = answer("-T ek -Y frame.number==4 samples/http.pcap");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0].to_string(), r#"{"index":{"_index":"packets-2015-11-24"}}"#);
    assert_eq!(lines[1]["timestamp"], "1448400000020");
    let layers = &lines[1]["layers"];
    let expected = [
        ("frame", "frame_frame_number", r#""4""#),
        ("frame", "frame_frame_len", r#""149""#),
        ("frame", "frame_frame_marked", "false"),
        ("frame", "frame_frame_time_epoch", r#""1448400000.020744000""#),
        ("ip", "ip_ip_addr", r#"["192.168.1.20","203.0.113.80"]"#),
        ("ip", "ip_ip_flags_df", "true"),
        ("tcp", "tcp_tcp_port", r#"["50100","80"]"#),
        ("tcp", "tcp_tcp_flags", r#""0x0018""#),
        ("tcp", "tcp_tcp_flags_push", "true"),
        ("tcp", "tcp_tcp_stream", r#""0""#),
        ("http", "http_http_request_method", r#""GET""#),
        ("http", "http_http_request_full_uri", r#""http://game.example/news.txt""#),
    ];
    for (layer, key, value) in expected {
        assert_eq!(layers[layer][key].to_string(), value, "{layer} {key}");
    }
    assert_eq!(layers["http"]["_ws_expert"]["_ws_expert__ws_expert_severity"], "2097152");
}

#[test]
fn jsonraw_has_bytes_place_length_bits_and_type() {
    let raw: Value = serde_json::from_str(&answer("-T jsonraw -c 1 samples/http.pcap")).unwrap();
    let layers = &raw[0]["_source"]["layers"];
    // tshark -T jsonraw --no-duplicate-keys -c 1 -r samples/http.pcap.
    let expected = [
        ("/eth_raw", r#"["0250495000500250495000140800",0,14,0,1]"#),
        ("/eth/eth.type_raw", r#"["0800",12,2,0,5]"#),
        ("/ip/ip.src_raw", r#"["c0a80114",26,4,0,32]"#),
        ("/ip/ip.addr_raw", r#"[["c0a80114",26,4,0,32],["cb007150",30,4,0,32]]"#),
        ("/ip/ip.dsfield_tree/ip.dsfield.ecn_raw", r#"["0",15,1,3,4]"#),
        ("/tcp/tcp.port_raw", r#"[["c3b4",34,2,0,5],["0050",36,2,0,5]]"#),
        ("/tcp/tcp.flags_raw", r#"["2",46,2,4095,5]"#),
        ("/tcp/tcp.checksum_raw", r#"["ad54",50,2,0,5]"#),
    ];
    for (path, value) in expected {
        assert_eq!(layers.pointer(path).unwrap().to_string(), value, "{path}");
    }
    assert_eq!(layers["frame_raw"][0].as_str().unwrap().len(), 2 * 66);
    assert_same("--no-duplicate-keys -T jsonraw -c 1 samples/http.pcap", "-T jsonraw -c 1 samples/http.pcap");
}

#[test]
fn documents_of_every_sample_are_well_formed() {
    let samples = ["pipboy-damaged.pcap", "talk.pcap", "queries.pcap", "layers.pcap", "xfire.pcap", "runescape.pcap"];
    for (number, sample) in samples.into_iter().enumerate() {
        for view in own_cases(["--packets", "--messages"], number, 4) {
            for line in typed(&format!("{view} -T ek samples/{sample}")).out.lines() {
                serde_json::from_str::<Value>(line).unwrap();
            }
            serde_json::from_str::<Value>(&typed(&format!("{view} -T jsonraw samples/{sample}")).out).unwrap();
            let document = typed(&format!("{view} -T pdml samples/{sample}")).out;
            let (mut open, mut deepest) = (0, 0);
            for line in document.lines().map(str::trim) {
                let closes = line.starts_with("</") || line.ends_with("/>") || line.starts_with("<?");
                open += i32::from(line.starts_with('<') && !closes) - i32::from(line.starts_with("</"));
                deepest = deepest.max(open);
            }
            assert_eq!(open, 0, "{sample}");
            assert!(deepest >= 4, "{sample}");
        }
    }
}

#[test]
fn chosen_protocols_keep_their_fields_and_the_others_their_names() {
    let layers = |line: &str| -> Value { serde_json::from_str::<Value>(line).unwrap()["layers"].clone() };
    let shallow = answer("-T ek -j 'tcp http' -Y frame.number==4 samples/http.pcap");
    let shallow = layers(shallow.lines().nth(1).unwrap());
    // tshark -T ek -j 'tcp http' -Y frame.number==4 -r samples/http.pcap.
    assert_eq!(shallow["ip"].to_string(), r#"{"filtered":"ip"}"#);
    assert_eq!(shallow["tcp"]["tcp_tcp_srcport"], "50100");
    assert!(shallow["tcp"].get("tcp_tcp_flags_push").is_none(), "below tcp.flags");
    let deep = answer("-T ek -J tcp -Y frame.number==4 samples/http.pcap");
    assert_eq!(layers(deep.lines().nth(1).unwrap())["tcp"]["tcp_tcp_flags_push"], true);
    assert!(answer("-T pdml -j ip -c 1 samples/http.pcap").contains("<field name=\"filtered\" value=\"tcp\" />"));
    // Of records, the fields of other protocols are left out.
    let kept = answer("--packets --json -J tcp -c 1 samples/http.pcap");
    assert!(kept.contains("tcp.srcport") && !kept.contains("ip.src"), "{kept}");
}

#[test]
fn lists_have_the_columns_of_tshark() {
    let fields = answer("-G fields");
    assert!(fields.lines().any(|line| line.starts_with("F\tSource port\ttcp.srcport\tFT_UINT64\ttcp\tBASE_DEC\t0x0")), "fields");
    assert_same("-G", "-G fields");
    assert_same("-G fields", "fields --tshark");
    assert!(answer("-G protocols").lines().any(|line| line == "Transmission Control Protocol\tTCP\ttcp"));
    // tshark -G values | grep -P '^V\tip.proto\t6\t'.
    assert!(answer("-G values").lines().any(|line| line == "V\tip.proto\t6\tTCP"));
    let mapping: Value = serde_json::from_str(&answer("-G elastic-mapping")).unwrap();
    let layers = &mapping["mappings"]["properties"]["layers"]["properties"];
    assert_eq!(layers["ip"]["properties"]["ip_ip_src"]["type"], "ip");
    assert_eq!(layers["tcp"]["properties"]["tcp_tcp_len"]["type"], "long");
    let frame = &layers["frame"]["properties"];
    let types = ["time", "time_epoch", "marked", "number"].map(|name| &frame[format!("frame_frame_{name}")]["type"]);
    assert_eq!(types, ["date", "double", "boolean", "long"]);
}

#[test]
fn objects_are_exported_under_their_own_names() {
    let folder = Folder::new("habits-export");
    let line = format!("-q --export-objects http,{} -r samples/http.pcap", folder.file("out").display());
    let done = typed(&line);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    // tshark saves news.txt and login, and has no body that is chunked without an end.
    let text = std::fs::read_to_string(folder.file("out/news.txt")).unwrap();
    assert_eq!(text, "hello, hello, hello");
    assert!(folder.file("out/login.json").exists());
    // Another run keeps existing files.
    assert_eq!(typed(&line).code, 0);
    assert!(folder.file("out/news(1).txt").exists());
}

#[test]
fn names_of_records_and_columns_are_filters_and_columns() {
    assert_same("-l -Y 'dir == s2c' samples/http.pcap", "-l -Y 'message.dir == \"s2c\"' samples/http.pcap");
    assert_same("-l -Y 'src == 203.0.113.80' samples/http.pcap", "-l -Y 'ip.src == 203.0.113.80' samples/http.pcap");
    assert_same("-l -Y 'dst == 203.0.113.80:80' samples/http.pcap", "-l -Y 'tcp.dstport == 80' --messages samples/http.pcap");
    assert_same("-l -Y 'protocol == http' samples/http.pcap", "-l -Y 'message.protocol == \"http\"' samples/http.pcap");
    assert_same("-l -Y 'protocol in {http, dns}' samples/http.pcap", "-l -Y 'protocol == http' samples/http.pcap");
    assert_same("-l -Y 'name == GET' samples/http.pcap", "-l -Y 'message.name == \"GET\"' samples/http.pcap");
    assert_same("-l -Y 'n in {3..5}' samples/http.pcap", "-l --number 3-5 samples/http.pcap");
    assert_eq!(count("-l -Y 'info contains \"news\"' samples/http.pcap"), 2);
    assert_lines(
        "-e n -e dir -e src -e dst -e name -e protocol -e info -c 1 samples/http.pcap",
        &["1\tc2s\t192.168.1.20:50100\t203.0.113.80:80\tGET\thttp\thttp://game.example/news.txt"],
    );
    // tshark -T fields -e _ws.col.… -r samples/http.pcap -c 1; version 4.4 writes the names in small letters.
    let columns =
        "-e _ws.col.Number -e _ws.col.Time -e _ws.col.Source -e _ws.col.Destination -e _ws.col.Protocol -e _ws.col.Length";
    assert_lines(&format!("{columns} -c 1 samples/http.pcap"), &["1\t0.000000\t192.168.1.20\t203.0.113.80\tTCP\t66"]);
    assert_same(&format!("{} -c 4 samples/http.pcap", columns.to_lowercase()), &format!("{columns} -c 4 samples/http.pcap"));
    assert_eq!(count("-e _ws.col.Info samples/http.pcap"), 43);
    // tshark -Y tcp.analysis.flags -r samples/pipboy.pcap | wc -l prints 9.
    assert_eq!(count("-e tcp.analysis.flags -Y tcp.analysis.flags samples/pipboy.pcap"), 9);
    assert_lines("-e _ws.expert.severity -e _ws.expert.group -c 1 samples/http.pcap", &["2097152\t33554432"]);
    assert_lines("-e _ws.expert.message -c 1 samples/http.pcap", &["Connection establish request (SYN): server port 80"]);
}

#[test]
fn fields_that_wireshark_generates_have_values() {
    // tshark -Y ftp.request -T fields -e ftp.request.command -e ftp.request.arg -r samples/neighbours.pcap.
    let commands = answer("-Y ftp.request -e ftp.request.command -e ftp.request.arg samples/neighbours.pcap");
    assert!(
        commands.lines().count() >= 2 && commands.lines().all(|line| !line.split('\t').next().unwrap().is_empty()),
        "{commands}"
    );
    assert!(commands.lines().any(|line| line.starts_with("USER\t") && line.len() > 5), "{commands}");
    // Of the data of each record, its length.
    for line in answer("-Y data -e data.data -e data.len samples/vscp.pcap").lines() {
        let (data, len) = line.split_once('\t').unwrap();
        assert_eq!(data.len() / 2, len.parse::<usize>().unwrap(), "{line}");
    }
}

#[test]
fn slices_types_and_functions_are_columns() {
    let hex = "--as data --hex '00 01 02 03 04 05 06 07 ff ff ff ff 00 00 80 3f'";
    let value = |expression: &str| answer(&format!("-e '{expression}' {hex}")).trim_end().to_owned();
    let expected = [
        ("data.data[4:2]", "0405"),
        ("data.data[4:4]@u32le", "117835012"),
        ("data.data[4:4]@u32be", "67438087"),
        ("data.data[8:4]@i32le", "-1"),
        ("data.data[12:4]@f32le", "1"),
        ("data.data[-4:]@f32le", "1"),
        ("data.data[0:2]@u16be + 1", "2"),
        ("len(data.data)", "16"),
        ("max(data.len, 20)", "20"),
        ("abs(data.data[8]@i8)", "1"),
        ("string(data.data[0:3])", "00:01:02"),
        ("data.data[20:2]", ""),
    ];
    for (expression, expected) in expected {
        assert_eq!(value(expression), expected, "{expression}");
    }
    assert_eq!(answer(&format!("-Y 'data.data[4:4]@u32le == 117835012' -e data.len {hex}")), "16\n");
    assert_eq!(answer(&format!("-Y 'data.data[4:4]@u32le > 117835012' -e data.len {hex}")), "");
    // Several in a line, with a heading, like any other column.
    assert_lines(
        "-e 'tcp.payload[0:4]' -e tcp.len -E header=y -Y frame.number==4 samples/http.pcap",
        &["tcp.payload[0:4]\ttcp.len", "47455420\t95"],
    );
    assert_lines("-e 'upper(http.host)' -c 1 -Y http.host samples/http.pcap", &["GAME.EXAMPLE"]);
}

#[test]
fn statistics_take_filters_and_name_streams() {
    let row = |line: &str, first: &str| {
        let printed = answer(line);
        let row = printed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).find(|row| row.first() == Some(&first));
        row.unwrap_or_default().iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()
    };
    // tshark -q -z conv,tcp -r samples/http.pcap: 18 frames and 3895 bytes between the first two.
    let all = row("-z conv,tcp samples/http.pcap", "tcp/0");
    assert_eq!((all[7].as_str(), all[8].as_str()), ("18", "3,895"), "{all:?}");
    // tshark -q -z conv,tcp,http: 1 and 1 frames, 489 bytes in the second.
    let http = row("-z conv,tcp,http samples/http.pcap", "tcp/1");
    assert_eq!((http[7].as_str(), http[8].as_str()), ("2", "489"), "{http:?}");
    // The number is that of follow.
    assert!(answer("follow -s tcp/1 -T ascii samples/http.pcap").starts_with("GET /live"));
    assert_eq!(count("-z conv,tcp -Y 'tcp.port == 9000' samples/http.pcap"), 3);
    assert_same("-z conv,tcp -Y http samples/http.pcap", "stats -Y http -z conv,tcp samples/http.pcap");
    let endpoint = row("-z endpoints,tcp samples/http.pcap", "192.168.1.20:50100");
    assert_eq!(endpoint[1..], ["18", "3,895", "10", "944", "8", "2,951"]);
    assert_eq!(row("-z endpoints,ip,http.request samples/http.pcap", "192.168.1.20")[1], "6");
    assert_eq!(row("-z io,phs,tcp.port==9000 samples/http.pcap", "eth")[1..3], ["frames:14", "bytes:1211"]);
    let intervals = answer("-z io,stat,0,tcp,http.request samples/http.pcap");
    assert!(intervals.contains("43  5,897"), "{intervals}");
    let overview = answer("stats -Y http -z overview samples/http.pcap");
    assert!(overview.contains("14 of 43 frames match http"), "{overview}");
    assert!(answer("-z http,tree samples/http.pcap").contains("Total HTTP Packets"));
    assert!(answer("-z dns,tree,udp samples/queries.pcap").contains("Total Packets"));
    // tshark -q -z expert -r samples/pipboy.pcap: 4 warnings.
    assert!(answer("-z expert,warn samples/pipboy.pcap").starts_with("Warns (4)"));
    let json: Value = serde_json::from_str(&answer("stats --json -Y http -z conv,tcp samples/http.pcap")).unwrap();
    assert_eq!((json["filter"].as_str(), json["conversations"]["tcp"][0]["stream"].as_str()), (Some("http"), Some("tcp/0")));
}

#[test]
fn health_counts_analysis_by_code_and_coverage_has_encrypted_bytes_and_bodies() {
    let json = |line: &str| -> Value { serde_json::from_str(&answer(line)).unwrap() };
    let health = json("stats --json -z health samples/pipboy.pcap");
    let notes: BTreeMap<&str, (u64, u64)> = health["health"]["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| (note["code"].as_str().unwrap(), (note["count"].as_u64().unwrap(), note["first_frame"].as_u64().unwrap())))
        .collect();
    // tshark -r samples/pipboy.pcap -Y tcp.analysis.… -T fields -e frame.number, code by code.
    for (mark, times) in
        [("duplicate_ack", 4), ("lost_segment", 2), ("out_of_order", 2), ("fast_retransmission", 1), ("retransmission", 1_u8)]
    {
        let code = format!("tcp.analysis.{mark}");
        let frames = answer(&format!("-Y {code} -e frame.number samples/pipboy.pcap"));
        let first = frames.lines().next().unwrap().parse().unwrap();
        assert_eq!((frames.lines().count(), notes[code.as_str()]), (usize::from(times), (u64::from(times), first)), "{code}");
    }
    let shares = |file: &str| {
        let all = json(&format!("stats --json -z coverage samples/{file}"))["coverage"].clone();
        ["explained", "encrypted", "bodies", "unexplained", "unframed"].map(|key| all[key].as_u64().unwrap())
    };
    let [_, encrypted, bodies, unexplained, _] = shares("tls.pcap");
    assert!(encrypted > 2000 && bodies == 0 && unexplained == 0);
    // With its keys nothing is encrypted: records are explained, and so is their content.
    let [explained, encrypted, _, unexplained, unframed] = shares("tls-keys.pcapng");
    assert!(explained > 10_000 && [encrypted, unexplained, unframed] == [0; 3]);
    let [_, encrypted, bodies, ..] = shares("http.pcap");
    assert!(encrypted == 0 && bodies > 2000);
    let parts = json("stats --json -z coverage samples/http.pcap");
    let total: u64 = shares("http.pcap").iter().sum();
    let lengths: u64 =
        answer("--messages -e _ws.col.Length samples/http.pcap").lines().map(|len| len.parse::<u64>().unwrap()).sum();
    assert_eq!(total, lengths, "{parts}");
}

#[test]
fn follow_takes_a_filter() {
    assert_eq!(count("follow -Y 'tcp.port == 9000' samples/http.pcap"), 2);
    assert_eq!(count("follow -Y http.request samples/http.pcap"), 4);
    assert_eq!(count("follow -Y dns samples/http.pcap"), 1);
    assert_eq!(count("follow -Y tcp.analysis.out_of_order samples/pipboy.pcap"), 2);
    let asked = typed("follow -s 0 -Y http.request -T ascii samples/http.pcap").out;
    assert!(asked.starts_with("GET /news.txt") && asked.contains("POST /login") && !asked.contains("HTTP/1.1 200 OK"), "{asked}");
    let answered = typed("-z follow,tcp,ascii,0 -Y http.response -r samples/http.pcap").out;
    assert!(answered.starts_with("HTTP/1.1 200 OK") && !answered.contains("GET /news.txt"), "{answered}");
    assert_eq!(answer("follow -s 0 -Y dns samples/http.pcap"), "");
}

/// Command line, exit code, words of the message.
const MISTAKES: &[(&str, i32, &[&str])] = &[
    ("-i eth0", 2, &["-i starts a live capture", "tcpdump -U -w - -i eth0 | proto-dissect"]),
    ("-i lo -f 'tcp port 80'", 2, &["tcpdump -U -w - -i lo 'tcp port 80' | proto-dissect"]),
    ("-f 'port 53'", 2, &["-Y", "tcpdump -U -w - -i lo 'port 53' | proto-dissect"]),
    ("-a duration:10 -i eth0", 2, &["-a", "timeout 10 tcpdump -U -w - -i eth0"]),
    ("-b filesize:1000", 2, &["-b", "tcpdump", "ring.pcap"]),
    ("-D", 2, &["-D lists interfaces", "tcpdump -D"]),
    ("-X lua_script:a.lua samples/http.pcap", 2, &["a.lua: "]),
    ("-S --- samples/http.pcap", 2, &["-S", "sed"]),
    ("-s tcp/0 samples/http.pcap", 2, &["proto-dissect follow FILE -s tcp/0"]),
    ("-s 96", 2, &["tcpdump -s 96 -U"]),
    ("-C Game samples/http.pcap", 2, &["-C", "-o PROTO.NAME=VALUE"]),
    ("-Y 'host 10.0.0.1' samples/http.pcap", 2, &["capture filter", "try ip.addr == 10.0.0.1"]),
    ("-Y 'src net 10.0.0.0/8' samples/http.pcap", 2, &["capture filter", "try ip.src == 10.0.0.0/8"]),
    ("-Y 'tcp port 80 or 443' samples/http.pcap", 2, &["capture filter", "try tcp.port == 80 or tcp.port == 443"]),
    ("-Y 'not arp and udp portrange 1-9' samples/http.pcap", 2, &["capture filter", "try not arp and udp.port in {1..9}"]),
    ("stats -Y 'port 53' samples/http.pcap", 2, &["-Y: this is a capture filter", "try tcp.port == 53 or udp.port == 53"]),
    ("-R 'host 1.2.3.4' -Y tcp samples/http.pcap", 2, &["-Y: "]),
    ("-r samples/http.pcap http tcp", 2, &["-Y: expected an operator"]),
    ("-r samples/http.pcap -Y http tcp", 2, &["arguments after -r", "-Y http"]),
    ("-r samples/no-such.pcap", 3, &["samples/no-such.pcap", "no such file"]),
    ("-j htp -T ek samples/http.pcap", 2, &["htp", "http"]),
    ("-G nonsense", 2, &["nonsense", "elastic-mapping"]),
    ("-w - -P samples/http.pcap", 2, &["-P", "give a file name"]),
    ("--export-objects http samples/http.pcap", 2, &["expected PROTO,DIR", "http,objects"]),
    ("--export-objects htp,out samples/http.pcap", 2, &["unknown protocol \"htp\"", "http"]),
    ("-t dx samples/http.pcap", 2, &["-t dx", "ud"]),
    ("-o tcp.desegment_tcp_streams:FALSE samples/http.pcap", 2, &["tcp.desegment_tcp_streams", "settings of tcp"]),
    ("-e 'data.data[4:2]@u32le' samples/http.pcap", 2, &["u32le requires 4 bytes", "has 2"]),
    ("-e 'tcp.payload[0:2]@u16' samples/http.pcap", 2, &["expected a type", "u16le"]),
    ("-e 'len(http.hots)' samples/http.pcap", 2, &["http.hots is not a valid protocol", "http.host"]),
    ("-e 'tcp.len == 3' samples/http.pcap", 2, &["not a condition"]),
    ("-Y 'src = 10.0.0.1' samples/http.pcap", 2, &["unexpected '='", "=="]),
    ("-z conv,tcp,htp samples/http.pcap", 2, &["-z conv,tcp,htp", "http"]),
    ("-z conv,tcp,http -z endpoints,tcp samples/http.pcap", 2, &["conv and endpoints of tcp", "same filter"]),
    ("-z io,stat,x samples/http.pcap", 2, &["io,stat,SECONDS", "io,stat,1"]),
    ("-z endpoints samples/http.pcap", 2, &["did you mean endpoints,"]),
    ("-z follow,tcp,ascii samples/http.pcap", 2, &["follow,tcp,hex,0"]),
    ("follow -Y htp samples/http.pcap", 2, &["-Y: htp is not a valid protocol", "http"]),
];

#[test]
fn mistakes_of_tshark_users_are_answered_with_the_right_option() {
    for (line, code, expected) in MISTAKES {
        assert_rejected(line, *code, expected);
    }
}

#[test]
fn the_version_is_printed_as_scripts_for_tshark_ask_for_it() {
    let done = apart(std::process::Command::new(binary())).arg("-v").stdin(std::process::Stdio::null()).output().unwrap();
    let line = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success() && line.starts_with("proto-dissect ") && line.trim_end().ends_with("TShark 4.0.17"), "{line}");
    // With an input it is --verbose.
    assert_eq!(typed_with("-v", &std::fs::read("samples/http.pcap").unwrap()).out, answer("-v samples/http.pcap"));
}

/// Attributes of an element.
fn attribute<'d>(element: &'d str, name: &str) -> &'d str {
    element.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"')).map_or("", |(value, _)| value)
}

#[test]
fn generated_fields_have_no_bytes_of_long_fields_but_their_own() {
    let (mut own, mut without) = (0, 0);
    for sample in ["http", "talk", "accounts", "tools", "voice"] {
        let document = answer(&format!("-T pdml --packets samples/{sample}.pcap"));
        for element in document.lines().filter(|line| line.contains(" hide=\"yes\"")) {
            let [show, value, size] = ["show", "value", "size"].map(|name| attribute(element, name));
            let size: usize = size.parse().unwrap();
            let whole = if element.contains("unmaskedvalue") { attribute(element, "unmaskedvalue") } else { value };
            assert_eq!(whole.len(), 2 * size, "{element}");
            // A short field is the source of flags and numbers; of a longer one, a text is the copy of its bytes.
            if size > 16 && show.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'&') && !show.contains(':') {
                let hex: String = show.bytes().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(value, hex, "{sample}: {element}");
            }
            own += usize::from(size > 0);
            without += usize::from(size == 0);
        }
    }
    assert!(own > 10 && without > 3, "{own} {without}");
}
