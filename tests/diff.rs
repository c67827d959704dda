//! `diff` reports exactly the differences, and folds systematic ones.

use crate::common::{Scratch, run};
use serde_json::Value;

/// A payload between a client and a server, and whether the server sends it.
type Datagram = (bool, Vec<u8>);

/// A capture of IPv4 datagrams, one each millisecond.
fn capture(client: u16, server: u16, datagrams: &[Datagram]) -> Vec<u8> {
    let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0];
    for (number, (is_answer, payload)) in (0_u32..).zip(datagrams) {
        let length = u16::try_from(payload.len()).unwrap();
        let (from, to) = if *is_answer { ((2, server), (1, client)) } else { ((1, client), (2, server)) };
        let mut packet = vec![0x45, 0];
        packet.extend((length + 28).to_be_bytes());
        packet.extend([0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, from.0, 192, 0, 2, to.0]);
        [from.1, to.1, length + 8, 0].iter().for_each(|word: &u16| packet.extend(word.to_be_bytes()));
        packet.extend(payload);
        let size = u32::try_from(packet.len()).unwrap();
        [number / 1000, number % 1000 * 1000, size, size].iter().for_each(|word| file.extend(word.to_le_bytes()));
        file.extend(packet);
    }
    file
}

fn name(text: &str) -> Vec<u8> {
    let mut name = vec![u8::try_from(text.len()).unwrap()];
    name.extend(text.as_bytes());
    name.push(0);
    name
}

fn query(id: u16, of: &str, kind: u8) -> Datagram {
    let mut message = id.to_be_bytes().to_vec();
    message.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    message.extend(name(of));
    message.extend([0, kind, 0, 1]);
    (false, message)
}

fn answer(id: u16, of: &str, ttl: u32, address: u8) -> Datagram {
    let mut message = id.to_be_bytes().to_vec();
    message.extend([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    message.extend(name(of));
    message.extend([0, 1, 0, 1, 0xc0, 12, 0, 1, 0, 1]);
    message.extend(ttl.to_be_bytes());
    message.extend([0, 4, 198, 51, 100, address]);
    (true, message)
}

/// Twenty queries and their responses.
fn session(id: impl Fn(u16) -> u16) -> Vec<Datagram> {
    let exchange = |number: u16| {
        let host = format!("host{number}");
        [query(id(number), &host, 1), answer(id(number), &host, 300, u8::try_from(number).unwrap())]
    };
    (0..20).flat_map(exchange).collect()
}

/// The records of `diff --json`.
fn records(args: &[&str]) -> Vec<Value> {
    let args: Vec<&str> = ["diff", "--json"].iter().chain(args).copied().collect();
    let output = run(&args);
    assert_eq!(output.code, 0, "{}", output.err);
    let records: Vec<Value> = output.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&records[0]["type"], &records[records.len() - 1]["type"]), (&Value::from("begin"), &Value::from("end")));
    records
}

#[test]
fn a_dropped_an_inserted_and_two_changed_messages_are_exactly_what_is_reported() {
    let original = session(|number| 1000 + number * 77);
    let mut copy = original.clone();
    copy[39] = answer(1000 + 19 * 77, "host19", 301, 19);
    copy[30] = query(1000 + 15 * 77, "host15", 28);
    copy.insert(21, query(9, "elsewhere", 1));
    copy.remove(10);
    let a = Scratch::new("diff-original.pcap", &capture(40_000, 53, &original));
    let b = Scratch::new("diff-copy.pcap", &capture(40_000, 53, &copy));
    let records = records(&[a.path(), b.path()]);
    let found: Vec<String> = records[1..records.len() - 1]
        .iter()
        .map(|record| {
            let n = |side: &str| record[side]["n"].to_string();
            let fields: Vec<String> = record["fields"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|field| format!(" {}: {} -> {}", field["name"], field["a"], field["b"]))
                .collect();
            format!("{} {} {}{}", record["what"].as_str().unwrap(), n("a"), n("b"), fields.concat())
        })
        .collect();
    assert_eq!(
        found,
        [
            "only_a 11 null",
            "only_b null 21",
            "changed 31 31 \"dns.qry.type\": \"1\" -> \"28\"",
            "changed 40 40 \"dns.resp.ttl\": \"300\" -> \"301\"",
        ]
    );
    let end = &records[records.len() - 1];
    assert_eq!((&end["same"], &end["folded"]), (&Value::from(37), &Value::from(0)));
    let shown = run(&["diff", "--exit-status", a.path(), b.path()]);
    assert_eq!(shown.code, 1);
    assert!(shown.out.ends_with("37 same, 2 changed, 1 only in the first, 1 only in the second\n"), "{}", shown.out);
}

#[test]
fn two_sessions_of_one_exchange_differ_in_identifiers_alone_and_those_are_folded() {
    let a = Scratch::new("diff-first.pcap", &capture(40_000, 53, &session(|number| 1000 + number * 77)));
    let b = Scratch::new("diff-second.pcap", &capture(41_234, 53, &session(|number| 7000 + number * 913)));
    let records = records(&[a.path(), b.path()]);
    let folds: Vec<_> = records.iter().filter(|record| record["type"] == "fold").collect();
    assert_eq!(records.len(), folds.len() + 2, "{records:#?}");
    assert_eq!(folds.len(), 2);
    for fold in folds {
        assert_eq!((&fold["name"], &fold["label"], &fold["messages"]), (&"dns.id".into(), &"id".into(), &20.into()));
    }
    let shown = run(&["diff", "--exit-status", a.path(), b.path()]);
    assert_eq!(shown.code, 1);
    assert_eq!(shown.out.matches("dns.id differs in 20 of 20 messages").count(), 2, "{}", shown.out);
    let ignored = run(&["diff", "--exit-status", "--ignore", "id", a.path(), b.path()]);
    assert_eq!((ignored.code, ignored.out.as_str()), (0, ""));
}

#[test]
fn files_without_a_difference_report_nothing() {
    for sample in ["pipboy.pcap", "xfire.pcap", "http.pcap", "tls.pcap", "talk.pcap", "vscp.pcap", "layers.pcap", "quic.pcap"] {
        let file = format!("samples/{sample}");
        let output = run(&["diff", "--exit-status", &file, &file]);
        assert_eq!((output.code, output.out.as_str()), (0, ""), "{sample}");
    }
}

/// Messages of no known protocol: a constant, a counter, a value.
fn unknown(first: u32, value: impl Fn(u32) -> u8) -> Vec<Datagram> {
    let message = |number: u32| {
        let mut message = vec![0xf3, 0xc9, 0xa7, 0x01];
        message.extend((first + number).to_le_bytes());
        message.extend([value(number), 0x55, 0xe1]);
        (false, message)
    };
    (0..30).map(message).collect()
}

#[test]
fn unknown_bytes_are_compared_by_columns_and_a_span_can_be_ignored() {
    let a = Scratch::new("diff-unknown-a.pcap", &capture(40_001, 40_002, &unknown(0x0101, |_| 7)));
    let b = Scratch::new(
        "diff-unknown-b.pcap",
        &capture(40_001, 40_002, &unknown(0x0141, |number| if number == 12 { 9 } else { 7 })),
    );
    let found = records(&[a.path(), b.path()]);
    let changed: Vec<_> = found.iter().filter(|record| record["what"] == "changed").collect();
    assert_eq!(changed.len(), 1, "{found:#?}");
    assert_eq!(changed[0]["a"]["n"], 13);
    assert_eq!(changed[0]["fields"][0]["name"], "@8:1");
    assert_eq!((&changed[0]["fields"][0]["a"], &changed[0]["fields"][0]["b"]), (&"07".into(), &"09".into()));
    let folds: Vec<_> = found.iter().filter(|record| record["type"] == "fold").map(|fold| fold["name"].clone()).collect();
    assert_eq!(folds, ["@4:1"]);
    let ignored = records(&["--ignore", "@4:4,@8:1", a.path(), b.path()]);
    assert_eq!(ignored.len(), 2, "{ignored:#?}");
    assert_eq!(ignored[1]["same"], 30);
}

#[test]
fn hostile_text_stays_harmless() {
    let hostile = "\u{1b}]0;x\u{7}\u{202e}\r\n";
    let a = Scratch::new("diff-hostile-a.pcap", &capture(40_000, 53, &[query(1, hostile, 1), query(2, "b", 1)]));
    let b = Scratch::new("diff-hostile-b.pcap", &capture(40_000, 53, &[query(1, "\u{1b}[2Jx", 1), query(2, hostile, 1)]));
    for options in [&["-v"][..], &["--json", "-v"]] {
        let output = run(&[&["diff"][..], options, &[a.path(), b.path()]].concat());
        assert_eq!(output.code, 0);
        assert!(output.out.lines().count() > 2);
        assert!(!output.out.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{:?}", output.out);
    }
}

#[test]
fn two_messages_and_two_conversations_of_one_capture_are_compared() {
    let found = records(&["samples/pipboy.pcap", "--number", "2,3"]);
    let names: Vec<_> = found[1]["fields"].as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap()).collect();
    assert!(names.iter().all(|name| name.starts_with("pipboy.")) && !names.is_empty(), "{names:?}");
    let found = records(&["samples/pipboy.pcap", "-s", "udp/1,udp/2"]);
    assert_eq!((&found[1]["a"]["stream"], &found[1]["b"]["stream"]), (&"udp/1".into(), &"udp/2".into()));
}

#[test]
fn messages_that_find_no_room_are_counted_and_reported() {
    let output = run(&["diff", "--exit-status", "--limit", "diff.memory=4k", "samples/pipboy.pcap", "samples/pipboy.pcap"]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("messages exceed the limit of "), "{}", output.err);
}

#[test]
fn mistakes_are_reported_with_valid_alternatives() {
    for (args, expected) in [
        (&["samples/pipboy.pcap"][..], "give a second FILE"),
        (&["samples/pipboy.pcap", "samples/xfire.pcap", "samples/http.pcap"], "two captures, not 3"),
        (&["samples/pipboy.pcap", "--number", "1,x"], "such as 12,40"),
        (&["samples/pipboy.pcap", "--number", "1,9999"], "no message 9999"),
        (&["samples/pipboy.pcap", "-s", "tcp/0,tcp/9"], "tcp/9 has no messages"),
        (&["samples/pipboy.pcap", "samples/xfire.pcap", "--ignore", "nonsense"], "--ignore nonsense: expected"),
        (&["samples/pipboy.pcap", "samples/xfire.pcap", "--ignore", "@8"], "@OFFSET:BYTES"),
        (&["-", "-"], "standard input can be read only once"),
    ] {
        let output = run(&[&["diff"][..], args].concat());
        assert_eq!(output.code, 2, "{args:?}: {}", output.err);
        assert!(output.err.contains(expected), "{args:?}: {}", output.err);
    }
}

/// The lines of fields in text output, without repeated spaces.
fn lines(args: &[&str]) -> Vec<String> {
    let output = run(&[&["diff"][..], args].concat());
    let fields = output.out.lines().filter(|line| line.starts_with("              "));
    fields.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_value_has_the_name_that_its_table_shows() {
    assert_eq!(lines(&["samples/pipboy.pcap", "--number", "26,27"]), ["PlayerInfo.CurrHP 98.25 → 91"]);
    let found = records(&["samples/pipboy.pcap", "--number", "26,27"]);
    let field = &found[1]["fields"][0];
    assert_eq!((&field["name"], &field["title"]), (&"pipboy.entry.float".into(), &"PlayerInfo.CurrHP".into()));
    let status = |players: u8, mode: &str| {
        let text = format!("statusResponse\n\\sv_hostname\\Harbour\\g_type\\{mode}\\clients\\{players}\n");
        vec![(false, b"\xff\xff\xff\xffgetstatus".to_vec()), (true, [&b"\xff\xff\xff\xff"[..], text.as_bytes()].concat())]
    };
    let rules = |value: &str| {
        let text = format!("E\x02\0mp_time\0{value}\0mp_grav\x00800\0");
        vec![(true, [&b"\xff\xff\xff\xff"[..], text.as_bytes()].concat())]
    };
    let players = |score: u8| {
        let text = [&b"\xff\xff\xff\xffD\x02\0Ann\0\x05\0\0\0\0\0\x80\x3f\x01Bob\0"[..], &[score, 0, 0, 0, 0, 0, 0x80, 0x3f]];
        vec![(true, text.concat())]
    };
    let notify = |zone: &str| {
        let text = format!("NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nX-Zone: {zone}\r\nX-Size: 4\r\n\r\n");
        vec![(false, text.into_bytes())]
    };
    for (server, one, two, expected) in [
        (27960, status(3, "ctf"), status(4, "ffa"), &["g_type ctf → ffa", "clients 3 → 4"][..]),
        (27015, rules("15"), rules("20"), &["mp_time 15 → 20"]),
        (27015, players(7), players(9), &["Bob.score 7 → 9"]),
        (1900, notify("east"), notify("west"), &["X-Zone east → west"]),
    ] {
        let a = Scratch::new("diff-named-a.pcap", &capture(40_000, server, &one));
        let b = Scratch::new("diff-named-b.pcap", &capture(40_000, server, &two));
        assert_eq!(lines(&[a.path(), b.path()]), expected);
    }
}

#[test]
fn a_name_that_moved_is_compared_with_itself() {
    let rules = |text: &str| vec![(true, [&b"\xff\xff\xff\xff"[..], text.as_bytes()].concat())];
    let a = Scratch::new("diff-moved-a.pcap", &capture(40_000, 27015, &rules("E\x02\0one\x001\0two\x002\0")));
    let b = Scratch::new("diff-moved-b.pcap", &capture(40_000, 27015, &rules("E\x03\0new\x009\0one\x001\0two\x003\0")));
    let found = lines(&[a.path(), b.path()]);
    assert!(found.contains(&"new (none) → 9".to_owned()) && found.contains(&"two 2 → 3".to_owned()), "{found:#?}");
    assert!(!found.iter().any(|line| line.starts_with("one ")), "{found:#?}");
}

#[test]
fn names_that_depend_on_earlier_messages_make_no_difference() {
    let output = run(&["diff", "samples/pipboy.pcap", "samples/pipboy-midstream.pcap"]);
    assert!(output.out.ends_with("26 same, 4 changed, 60 only in the first, 1 only in the second\n"), "{}", output.out);
}
