//! Logs of other programs: commands work on them as on captures.

use crate::common::{Folder, Scratch, is_thorough, program, run};
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;

const WOW: &str = "samples/logs-wow-31.pkt";

/// Records of this type as JSON.
fn records(arguments: &[&str], kind: &str) -> Vec<Value> {
    let run = run(arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    let all = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|record| record["type"] == kind).collect()
}

/// What a log and its packets in a capture have in common.
fn essence(mut records: Vec<Value>) -> Vec<Value> {
    for record in &mut records {
        let all = record.as_object_mut().unwrap();
        // Written packets have the summary as a comment, and each file begins at its first packet.
        ["comment", "t", "frames", "map"].iter().for_each(|key| drop(all.remove(*key)));
    }
    records
}

#[test]
fn a_log_is_written_as_a_capture_with_the_same_messages() {
    for sample in
        [WOW, "samples/logs-wow-22.pkt", "samples/logs-maple-2026.msb", "samples/logs-proxy.mitm", "samples/logs-browser.har"]
    {
        let folder = Folder::new("logs-written");
        let path = folder.file("written.pcapng");
        let path = path.to_str().unwrap();
        assert_eq!(run(&["--packets", "-w", path, sample]).code, 0, "{sample}");
        let bytes = std::fs::read(path).unwrap();
        let said = memchr::memmem::find_iter(&bytes, b"reconstructed from a log (").count();
        assert!(said > 10, "{sample}: {said}");
        assert_eq!(essence(records(&["--json", path], "message")), essence(records(&["--json", sample], "message")), "{sample}");
    }
}

#[test]
fn messages_of_a_log_have_its_opcodes_and_are_filtered_by_them() {
    let pings = records(&["--json", "-Y", "log.opcode == 0x1dc", WOW], "message");
    assert_eq!(pings.iter().map(|ping| ping["name"].as_str().unwrap()).collect::<Vec<_>>(), ["0x01dc", "0x01dc"]);
    assert_eq!(pings[0]["src"], "192.0.2.77:51000");
    assert_eq!(pings[0]["time"], "2015-11-24T21:20:30.000000Z");
    let columns = run(&["-e", "log.build", "-e", "log.locale", "-e", "log.session_key", "-T", "fields", "-Y", "log.build", WOW]);
    assert_eq!(columns.out, "12340\tenUS\t***\n".repeat(3));
}

/// A file that switches on the opcode of the log.
const VISIT: &str = "meta: {id: visit, endian: le}
params: [{id: pd_opcode, type: u4}]
seq:
  - id: body
    type: {switch-on: pd_opcode, cases: {0x1dc: ping, 0x1dd: pong}}
    size-eos: true
types:
  ping: {seq: [{id: number, type: u4}, {id: latency, type: u4}]}
  pong: {seq: [{id: answered, type: u4}]}
";

#[test]
fn a_ksy_file_reads_payloads_and_knows_their_opcode() {
    let file = Scratch::new("logs-visit.ksy", VISIT.as_bytes());
    for more in [&[][..], &["-d", "log,visit"]] {
        let arguments = [&["-k", file.path(), "--json", "-Y", "visit.body.latency or visit.body.answered", WOW], more].concat();
        let found = records(&arguments, "message");
        let values = |record: &Value| {
            let fields = record["fields"].as_array().unwrap();
            let named = |name: &str| fields.iter().find(|field| field["name"] == name).map(|field| field["value"].clone());
            named("visit.body.latency")
                .or_else(|| named("visit.body.answered"))
                .or_else(|| fields[0]["fields"][0]["value"].as_u64().map(Value::from))
        };
        assert_eq!(found.len(), 4, "{more:?}");
        assert!(found.iter().all(|record| record["protocol"] == "visit" && record["path"] == "ip:tcp:log:visit"));
        assert!(values(&found[0]).is_some());
    }
    let run = run(&["-d", "log,irc", WOW]);
    assert!(run.code == 2 && run.err.contains("streams only"), "{}", run.err);
    let none = records(&["-k", file.path(), "-d", "log,none", "--json", WOW], "message");
    assert!(none.iter().all(|record| record["protocol"] == "log"));
}

/// A log of version 3.1 with this many packets of 40 opcodes, of about `size` bytes each.
fn write_pkt(path: &Path, packets: u32, size: usize) {
    let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
    file.write_all(b"PKT\x01\x03\x01\x34\x30\0\0enUS").unwrap();
    file.write_all(&[0; 40]).unwrap();
    file.write_all(&[0, 0, 0x60, 0x56, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let mut random = 1_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 8
    };
    for number in 0..packets {
        let kind = next() % 40;
        file.write_all(if kind % 3 == 0 { b"CMSG" } else { b"SMSG" }).unwrap();
        let mut payload = number.to_le_bytes().to_vec();
        payload.extend([3_u8, 7, 9][(next() % 3) as usize].to_le_bytes());
        payload.resize(size + kind as usize, 0x20 + (next() % 64) as u8);
        for word in [0, number * 10, 0, payload.len() as u32 + 4, 0x100 + kind * 7] {
            file.write_all(&word.to_le_bytes()).unwrap();
        }
        file.write_all(&payload).unwrap();
    }
    file.flush().unwrap();
}

#[test]
fn explore_groups_packets_by_the_logged_opcode() {
    let folder = Folder::new("logs-explore");
    let path = folder.file("log.pkt");
    write_pkt(&path, 5000, 8);
    let found = records(&["explore", "--json", path.to_str().unwrap()], "explore");
    assert_eq!(found.len(), 1);
    let kinds = found[0]["types"].as_array().unwrap();
    let mut whole: Vec<&str> =
        kinds.iter().map(|kind| kind["id"].as_str().unwrap()).filter(|kind| !kind.ends_with("rest")).collect();
    let mut expected: Vec<String> = (0..40_u32)
        .map(|kind| {
            let key: String = (0x100 + kind * 7).to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{}/{key}", if kind % 3 == 0 { "c2s" } else { "s2c" })
        })
        .collect();
    expected.sort();
    whole.sort_unstable();
    assert_eq!(whole, expected);
    let counts: u64 = kinds.iter().filter_map(|kind| kind["count"].as_u64()).sum();
    assert!(counts >= 5000, "{counts}");
    let first = kinds.iter().find(|kind| kind["id"] == whole[0]).unwrap();
    let columns: Vec<&str> =
        first["columns"].as_array().unwrap().iter().map(|column| column["label"].as_str().unwrap()).collect();
    assert!(["length", "type", "enum"].iter().all(|label| columns.contains(label)), "{columns:?}");
}

#[test]
fn follow_diff_and_stats_work_on_logs() {
    let followed = run(&["follow", "tcp/0", WOW]);
    assert!(followed.code == 0 && followed.out.contains("#3 Log 0x01ed"), "{}", followed.err);
    let same = run(&["diff", WOW, WOW]);
    assert_eq!(same.code, 0, "{}", same.out);
    let other = run(&["diff", "samples/logs-maple-2030.msb", "samples/logs-maple-2026.msb"]);
    assert!(other.out.contains("log.version") && !other.out.contains("log.payload"), "{}", other.out);
    let counted = run(&["stats", WOW]);
    assert!(counted.code == 0 && counted.out.contains("0x01dc"), "{}", counted.out);
}

#[test]
fn http_of_proxies_is_read_as_http() {
    let columns =
        ["-T", "fields", "-e", "http.request.method", "-e", "http.host", "-e", "http.request.uri", "-Y", "http.request"];
    let requests = |sample: &str| run(&[&columns[..], &[sample]].concat()).out;
    assert_eq!(
        requests("samples/logs-proxy.mitm"),
        "GET\tgame.example\t/news?lang=de\nPOST\tgame.example\t/score\nGET\tgame.example\t/live\nGET\tgame.example\t/gone\n"
    );
    assert_eq!(
        requests("samples/logs-browser.har"),
        "GET\tgame.example\t/news?lang=de\nPOST\tgame.example:8080\t/login\nGET\tgame.example\t/live\nGET\tads.example\t/\n"
    );
    let bodies = run(&[
        "-T",
        "fields",
        "-e",
        "http.response.code",
        "-e",
        "http.file_data",
        "-Y",
        "http.response",
        "samples/logs-browser.har",
    ]);
    assert!(bodies.out.starts_with("200\t") && bodies.out.contains("\n101\t"), "{}", bodies.out);
    let notes = run(&["--json", "-Y", "http", "samples/logs-browser.har"]).out;
    assert!(notes.contains("https://game.example/news?lang=de; sent as H2"), "{notes}");
    assert!(notes.contains("Content-Encoding: gzip is left out"), "{notes}");
    let web = run(&["-l", "-Y", "websocket", "samples/logs-proxy.mitm"]).out;
    assert!(web.contains("hello") && web.lines().count() == 3, "{web}");
    let names =
        run(&["-T", "fields", "-e", "dns.qry.name", "-e", "dns.a", "-Y", "dns.flags.response == 1", "samples/logs-proxy.mitm"])
            .out;
    assert_eq!(names, "game.example\t198.51.100.9\n");
}

#[test]
fn what_wowpacketparser_prints_has_names() {
    let text = "# TrinityCore - WowPacketParser\n# File name: a.pkt\n\n\
        ServerToClient: SMSG_PONG (0x01DD) Length: 4 ConnIdx: 0 EP: 192.0.2.9:5000 Time: 11/24/2015 21:20:30.040 Number: 0\n\
        Ping: 1\n\n|-------------------------------------------------|---------------------------------|\n\
        | 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F | 0 1 2 3 4 5 6 7 8 9 A B C D E F |\n\
        |-------------------------------------------------|---------------------------------|\n\
        | 01 00 00 00                                     | . . . .                         |\n\
        |-------------------------------------------------|---------------------------------|\n\n\
        ClientToServer: CMSG_PING (0x01DC) Length: 8 ConnIdx: 0 EP: 192.0.2.9:5000 Time: 11/24/2015 21:21:00.000 Number: 1\n\
        | 02 00 00 00 2B                                  | . . . . +                       |\n";
    let file = Scratch::new("logs-parsed.txt", text.as_bytes());
    let all = records(&["--json", "-Y", "log.name", file.path()], "message");
    let rows: Vec<String> =
        all.iter().map(|one| format!("{} {} {} {}", one["name"], one["src"], one["time"], one["comment"])).collect();
    assert_eq!(
        rows,
        [
            "\"SMSG_PONG\" \"192.0.2.2:8085\" \"2015-11-24T21:20:30.040000Z\" \"reconstructed from a log (wow-parsed)\"",
            "\"CMSG_PING\" \"192.0.2.9:5000\" \"2015-11-24T21:21:00.000000Z\" \"the log has 5 of 8 bytes\\nreconstructed from a log (wow-parsed)\"",
        ]
    );
    let payloads = run(&["-T", "fields", "-e", "log.payload", "-Y", "log.name", file.path()]).out;
    assert_eq!(payloads, "01000000\n020000002b\n");
}

/// Repeats a part of a sample until the file is long enough.
fn write_repeated(path: &Path, head: &[u8], part: &[u8], between: &[u8], tail: &[u8], most: usize) {
    let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
    file.write_all(head).unwrap();
    let mut size = 0;
    while size < most {
        if size > 0 {
            file.write_all(between).unwrap();
        }
        file.write_all(part).unwrap();
        size += part.len();
    }
    file.write_all(tail).unwrap();
    file.flush().unwrap();
}

/// The most memory of a process so far, where the system reports it.
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|size| size << 10)
}

#[test]
fn long_logs_take_little_memory() {
    const MEMORY: u64 = 64 << 20;
    let most = if is_thorough() { 100 << 20 } else { 8 << 20 };
    let folder = Folder::new("logs-long");
    let sample = |name: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap();
    let names = ["long.pkt", "long.msb", "long.mitm", "long.har"];
    write_pkt(&folder.file(names[0]), (most / 2000) as u32, 1960);
    let maple = sample("logs-maple-2030.msb");
    write_repeated(&folder.file(names[1]), &maple[..35], &maple[35..], b"", b"", most);
    write_repeated(&folder.file(names[2]), b"", &sample("logs-proxy.mitm"), b"", b"", most);
    let browser = String::from_utf8(sample("logs-browser.har")).unwrap();
    let (head, rest) = browser.split_once("\"entries\":[").unwrap();
    let (part, tail) = rest.rsplit_once("]}}").unwrap();
    let head = format!("{head}\"entries\":[");
    write_repeated(&folder.file(names[3]), head.as_bytes(), part.as_bytes(), b",", format!("]}}}}{tail}").as_bytes(), most);
    for name in names {
        let path = folder.file(name);
        let mut command = program();
        command.args(["--threads", "1", "-q", "-Y", "frame.number == 0"]).arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut peak = 0;
        let code = loop {
            peak = peak.max(resident(child.id()).unwrap_or(0));
            match child.try_wait().unwrap() {
                Some(status) => break status.code(),
                None => std::thread::sleep(std::time::Duration::from_millis(2)),
            }
        };
        assert_eq!(code, Some(0), "{name}");
        assert!(peak < MEMORY, "{name}: {} MiB", peak >> 20);
    }
}
