//! The output does not depend on the number of threads.

use crate::common::{Run, Scratch, is_thorough, own_cases, program, run, run_with};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const FORMS: &[&[&str]] = &[
    &[],
    &["-V", "-v", "-x"],
    &["-l", "--packets"],
    &["--json"],
    &["-T", "json", "--packets"],
    &["-T", "flat"],
    &["-T", "fields", "-e", "frame.number", "-e", "pipboy.entry.path", "--packets"],
    &["--json", "-Y", "pipboy.entry.path contains \"Map\""],
    &["--json", "-c", "400"],
    &["--json", "--skip", "300", "--number", "20-600"],
];

/// Enough sessions for a second thread, in sequence: the sample's, each with another port.
fn sessions() -> Vec<u8> {
    const SESSIONS: u16 = 10;
    let sample = fs::read("samples/pipboy.pcap").unwrap();
    let (head, frames) = sample.split_at(24);
    let mut all = head.to_vec();
    for session in 0..SESSIONS {
        let mut rest = frames;
        while !rest.is_empty() {
            let len = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
            let (frame, behind) = rest.split_at(16 + len);
            rest = behind;
            let start = all.len();
            all.extend_from_slice(frame);
            // The ports follow the record header, Ethernet and IPv4; the server's is known.
            for port in [start + 16 + 34, start + 16 + 36] {
                let number = u16::from_be_bytes([all[port], all[port + 1]]);
                if number != 27000 && frame[16 + 23] == 6 {
                    all[port..port + 2].copy_from_slice(&(number ^ session).to_be_bytes());
                }
            }
        }
    }
    all
}

/// Updates of a game, each too long for a batch, followed by nothing, few bytes or many.
fn long_updates() -> Vec<u8> {
    let message = |kind: u8, body: &[u8]| [&u32::try_from(body.len()).unwrap().to_le_bytes(), &[kind][..], body].concat();
    let update = |first: u32, count: u32| {
        let truth = |id: u32| [&[0][..], &id.to_le_bytes(), &[1]].concat();
        message(3, &(first..first + count).flat_map(truth).collect::<Vec<u8>>())
    };
    let mut sent = message(1, br#"{"lang":"en","version":"1.1.30.0"}"#);
    for (first, count, behind) in [(0, 9000, 0), (20_000, 9000, 3000), (40_000, 4000, 40), (50_000, 20_000, 4000)] {
        sent.extend(update(first, count));
        (0..behind).for_each(|id| sent.extend(update(id, 1)));
    }
    let mut all = Vec::new();
    let mut put = |packet: etherparse::PacketBuilderStep<etherparse::TcpHeader>, bytes: &[u8]| {
        let mut frame = Vec::new();
        packet.write(&mut frame, bytes).unwrap();
        let len = u32::try_from(frame.len()).unwrap().to_le_bytes();
        [&[0; 8][..], &len, &len, &frame].iter().for_each(|part| all.extend_from_slice(part));
    };
    let link = || etherparse::PacketBuilder::ethernet2([2; 6], [4; 6]);
    put(link().ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).tcp(1999, 27000, 7, 9000).syn(), &[]);
    let server = |seq| link().ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(27000, 1999, seq, 9000).ack(8);
    put(server(99).syn(), &[]);
    let mut seq = 100;
    for bytes in sent.chunks(1400) {
        put(server(seq), bytes);
        seq += u32::try_from(bytes.len()).unwrap();
    }
    all
}

#[test]
fn very_long_messages_keep_their_place() {
    let file = Scratch::new("threads-long.pcap", &[&fs::read("samples/pipboy.pcap").unwrap()[..24], &long_updates()].concat());
    let long = run(&["-T", "fields", "-e", "pipboy.entry_count", "-Y", "pipboy.entry_count >= 4000", file.path()]);
    assert_eq!(long.out, "9000\n9000\n4000\n20000\n");
    let forms = [&["--json"][..], &["-T", "flat"], &["-x"], &["--json", "-Y", "pipboy.entry_count >= 1"]];
    for form in own_cases(forms, 0, 4) {
        let [one, two] = both(&[&[file.path()], form].concat());
        assert_eq!(one.code, 0, "{form:?}: {}", one.err);
        assert!(one == two, "{form:?}");
    }
}

/// The sessions, then the frames of all samples with Ethernet headers, which threads read only behind many others.
fn sessions_and_samples() -> Vec<u8> {
    let mut all = sessions();
    let mut names: Vec<_> = fs::read_dir("samples").unwrap().map(|file| file.unwrap().path()).collect();
    names.sort();
    let of_ethernet = |bytes: &Vec<u8>| bytes.starts_with(&[0xd4, 0xc3, 0xb2, 0xa1]) && bytes.get(20..24) == Some(&[1, 0, 0, 0]);
    let samples: Vec<Vec<u8>> = names.iter().filter_map(|name| fs::read(name).ok().filter(of_ethernet)).collect();
    assert!(samples.len() > 25, "{}", samples.len());
    samples.iter().for_each(|sample| all.extend_from_slice(&sample[24..]));
    all
}

#[test]
fn any_number_of_threads_prints_what_one_does() {
    let file = Scratch::new("threads-samples.pcap", &sessions_and_samples());
    let forms = [&["-l"][..], &["-l", "-x", "--packets"], &["-v", "-t", "d"], &["-l", "-Y", "udp"]];
    for (number, form) in own_cases(FORMS.iter().copied().chain(forms).enumerate(), 0, 7) {
        let one = run(&[&[file.path(), "--threads", "1"], form].concat());
        assert!(one.out.len() > 100 && one.code == 0, "{form:?}: {}", one.err);
        for threads in own_cases(["2", "3", "4", "8"], number, 2) {
            let several = run(&[&[file.path(), "--threads", threads], form].concat());
            assert!(one == several, "{form:?} {threads}");
        }
    }
}

fn both(arguments: &[&str]) -> [Run; 2] {
    ["1", "2"].map(|threads| run(&[arguments, &["--threads", threads]].concat()))
}

#[test]
fn two_threads_print_what_one_does() {
    let file = Scratch::new("threads.pcap", &sessions());
    for form in own_cases(FORMS, 0, 5) {
        let [one, two] = both(&[&[file.path()], *form].concat());
        assert_eq!(one.code, 0, "{form:?}: {}", one.err);
        assert!(!one.out.is_empty(), "{form:?}");
        assert!(one == two, "{form:?}");
    }
}

#[test]
fn evictions_are_counted_the_same() {
    let file = Scratch::new("threads-evicted.pcap", &sessions());
    let [one, two] = both(&["--json", "--limit", "conversations=3", file.path()]);
    let last = one.out.lines().last().unwrap();
    assert!(
        last.contains("\"forgotten_conversations\":") && two.out.lines().last() == Some(last),
        "{last} {:?}",
        two.out.lines().last()
    );
}

#[test]
fn damage_after_the_first_frames_is_reported_equally() {
    let all = sessions();
    let file = Scratch::new("threads-damaged.pcap", &all[..all.len() - 7000]);
    for form in own_cases([&["--json"][..], &["-V", "-v"]], 0, 2) {
        let [one, two] = both(&[&[file.path()], form].concat());
        assert_eq!(one.code, 5);
        assert!(one == two, "{} {}", one.err, two.err);
    }
}

#[test]
fn damage_is_reported_the_same_where_enough_was_printed() {
    // It ends within a long message, which is reported at the end of the input.
    let all = [sessions(), long_updates()].concat();
    let file = Scratch::new("threads-enough.pcap", &all[..all.len() - 80_000]);
    let records = run(&["--json", file.path()]).out.matches(r#"{"type":"message""#).count();
    let mut codes = Vec::new();
    let counts = [records - 12, records, records - 6, records - 2, records - 1];
    for count in &counts[..if is_thorough() { counts.len() } else { 2 }] {
        let [one, two] = both(&["--json", "-c", &count.to_string(), file.path()]);
        assert!(one == two, "{count}: {} {}", one.err, two.err);
        codes.push(one.code);
    }
    assert_eq!(codes[..2], [0, 5]);
}

#[test]
fn compressed_inputs_give_the_same_on_any_number_of_threads() {
    let all = sessions();
    assert!(all.len() > 330_000, "more than is unpacked without a thread");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&all).unwrap();
    let packed = encoder.finish().unwrap();
    let mut damaged = packed.clone();
    let late = packed.len() - 5000;
    damaged[late..late + 64].fill(0x55);
    for (number, (bytes, code)) in [(&packed[..], 0), (&packed[..late], 5), (&damaged, 5)].into_iter().enumerate() {
        let file = Scratch::new("threads.pcap.gz", bytes);
        for form in own_cases([&["-l"][..], &["--json"], &["-l", "-c", "20"], &["stats"]], number, 4) {
            let alone = run(&[form, &[file.path(), "--threads", "1"]].concat());
            let default = run(&[form, &[file.path()]].concat());
            let two = run(&[form, &[file.path(), "--threads", "2"]].concat());
            assert_eq!(alone.code, if form.contains(&"-c") { 0 } else { code }, "{form:?}: {}", alone.err);
            assert!(alone == default && alone == two, "{form:?}: {} {} {}", alone.err, default.err, two.err);
        }
    }
}

#[test]
fn several_inputs_keep_their_order() {
    let file = Scratch::new("threads-several.pcap", &sessions());
    let [one, two] = both(&[file.path(), "samples/no-such-file", "samples/vscp.pcap", file.path(), "-l"]);
    assert_eq!(one.code, 3);
    assert!(one == two);
}

#[test]
fn piped_input_gives_the_same() {
    let all = sessions();
    let file = Scratch::new("threads-piped.pcap", &all);
    assert!(run_with(&["-l", "--threads", "2"], &all) == run(&["-l", file.path()]));
}

/// Formats for many files at once, tables first.
const ALL_FORMS: &[&[&str]] = &[
    &[],
    &["-x", "--packets", "--strict"],
    &["-l"],
    &["-l", "--color", "always", "-t", "d", "--explain-input"],
    &["--json"],
    &["-T", "json"],
    &["-T", "flat", "-v"],
    &["-T", "fields", "-e", "frame.number", "-e", "ip.src", "--packets"],
    &["-T", "csv", "-e", "message.name"],
    &["-l", "-Y", "tcp.port == 27000"],
    &["--json", "-Y", "vlan.id == 4095"],
    &["-l", "--number", "2,4-6"],
    // These count from one file to the next.
    &["-l", "-c", "150"],
    &["-l", "--skip", "70"],
];
const TABLES: usize = 2;
/// Those that end before the damage.
const ENOUGH: Range<usize> = 11..13;

/// Every second sample from this one on, with one that is cut, one that is missing and one that is no capture among them.
fn mixture(cut: &Scratch, first: usize) -> Vec<String> {
    let is_capture = |name: &String| !name.ends_with(".md");
    let mut all: Vec<String> =
        fs::read_dir("samples").unwrap().map(|file| format!("samples/{}", file.unwrap().file_name().display())).collect();
    all.sort();
    let mut several: Vec<String> = all.into_iter().filter(is_capture).skip(first).step_by(2).collect();
    assert!(several.len() > 10, "{several:?}");
    several.insert(0, String::from("samples/README.md"));
    several.insert(several.len() / 3, cut.path().to_owned());
    several.insert(several.len() / 2, String::from("samples/no-such-file"));
    several
}

/// Prints the mixture in some of the formats, with one thread and with several, and compares the exit codes.
fn print_mixtures(name: &str, forms: Range<usize>, expected: impl Fn(usize) -> i32) {
    let all = sessions();
    let cut = Scratch::new(name, &all[..all.len() / 3]);
    let numbered = ALL_FORMS.iter().zip(["2", "3", "40"].iter().cycle()).enumerate();
    for (place, (form, threads)) in own_cases(numbered.skip(forms.start).take(forms.len()), 0, 6) {
        let files = mixture(&cut, place % 2);
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let [one, several] = ["1", threads].map(|threads| run(&[form, &["--threads", threads][..], &files].concat()));
        assert!(one.out.len() > 100, "{form:?}: {}", one.err);
        assert_eq!(one.err, several.err, "{form:?} {threads}");
        assert_eq!(one.code, several.code, "{form:?} {threads}");
        assert!(one.out == several.out, "{form:?} {threads}");
        assert_eq!(one.code, expected(place), "{form:?} {threads}");
    }
}

#[test]
fn tables_of_files_read_at_the_same_time_are_printed_in_order() {
    print_mixtures("threads-cut-tables.pcap", 0..TABLES, |_| 5);
}

#[test]
fn lines_of_files_read_at_the_same_time_are_printed_in_order() {
    // A count or a number ends the input before its damage.
    print_mixtures("threads-cut-lines.pcap", TABLES..ALL_FORMS.len(), |form| if ENOUGH.contains(&form) { 4 } else { 5 });
}

#[test]
fn errors_are_in_the_order_of_files() {
    let all = sessions();
    let cut = Scratch::new("threads-first.pcap", &all[..all.len() - 7000]);
    let run = run(&["-l", "--threads", "3", cut.path(), "samples/no-such-file", "samples/README.md", "samples/vscp.pcap"]);
    let problems: Vec<&str> = run.err.lines().collect();
    // All files are opened before the first one is read.
    let words = ["no-such-file: cannot be opened", "threads-first.pcap: after frame", "README.md: "];
    assert_eq!(problems.len(), words.len(), "{}", run.err);
    for (problem, words) in problems.iter().zip(words) {
        assert!(problem.contains(words), "{problem}");
    }
    assert!(run.out.contains("── samples/vscp.pcap ──"));
}

#[test]
fn more_than_may_wait_is_printed_whole() {
    let file = Scratch::new("threads-many.pcap", &sessions());
    let arguments = ["--packets", "--json", file.path(), "samples/vscp.pcap", file.path(), file.path()];
    let [one, two] = both(&arguments);
    assert!(one.out.len() > 3 * (9 << 20), "{}", one.out.len());
    assert!(one == two);
}

/// Its exit status, if it ends.
fn end_of(child: &mut Child) -> ExitStatus {
    let patience = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("still running");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_reader_that_has_enough_ends_all_threads() {
    let file = Scratch::new("threads-pipe.pcap", &sessions());
    for threads in ["2", "3"] {
        let arguments =
            ["--json", "--packets", "--threads", threads, file.path(), file.path(), "samples/no-such-file", file.path()];
        let mut child = program().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(line.contains("begin"), "{line}");
        drop(out);
        assert_eq!(end_of(&mut child).code(), Some(0));
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(err.contains("samples/no-such-file: cannot be opened") && err.lines().count() == 1, "{err}");
    }
}

/// Where a full disk is available.
#[test]
fn a_full_disk_ends_all_threads() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let file = Scratch::new("threads-full.pcap", &sessions());
    let arguments = ["--json", "--packets", "--threads", "2", file.path(), file.path(), file.path()];
    let mut child = program().args(arguments).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    assert_eq!(end_of(&mut child).code(), Some(1));
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(err.contains("no space is left") && err.lines().count() == 1, "{err}");
}
