//! `-w`: the output can be read back, by this program and others, with comments that equal the records.

use crate::common::{assert_golden, program, run};
use proto_dissect::input::{Capture, Format, Link};
use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SESSION: &str = "samples/pipboy.pcap";

/// A frame as read back.
#[derive(Debug, Clone, PartialEq)]
struct Read {
    number: u64,
    time: Option<(i64, u32)>,
    link: Link,
    interface: Option<u32>,
    original: u32,
    bytes: Vec<u8>,
    comments: Vec<String>,
}

fn read(mut capture: Capture) -> Vec<Read> {
    let mut frames = Vec::new();
    while let Some(frame) = capture.next_frame().unwrap() {
        frames.push(Read {
            number: frame.number,
            time: frame.time.map(|time| (time.seconds, time.nanos)),
            link: frame.link,
            interface: frame.interface,
            original: frame.original_len,
            bytes: frame.bytes.to_vec(),
            comments: frame.comments.iter().map(|comment| comment.into_owned()).collect(),
        });
    }
    frames
}

fn frames_of(path: impl AsRef<Path>) -> Vec<Read> {
    read(Capture::open(Box::new(File::open(path).unwrap())).unwrap())
}

/// A temporary path for a file of the program.
struct Made(PathBuf);

impl Made {
    fn new(name: &str) -> Made {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_file(&path);
        Made(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn written(name: &str, arguments: &[&str]) -> Vec<Read> {
    let made = Made::new(name);
    let run = run(&[&["-w", made.path()], arguments].concat());
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{arguments:?}: {}", run.err);
    let frames = frames_of(made.path());
    assert!(run.err.starts_with(&format!("proto-dissect: {} of ", frames.len())), "{arguments:?}: {}", run.err);
    assert!(run.err.ends_with(&format!(" written to {}\n", made.path())) && run.err.lines().count() == 1, "{}", run.err);
    frames
}

/// The parts in which equal frames of two files agree.
type Essence<'a> = (Option<(i64, u32)>, Link, u32, &'a [u8]);

fn essence(frames: &[Read]) -> Vec<Essence<'_>> {
    frames.iter().map(|frame| (frame.time, frame.link, frame.original, frame.bytes.as_slice())).collect()
}

#[test]
fn every_frame_of_every_sample_is_written_as_it_was() {
    for name in ["pipboy.pcap", "pipboy-damaged.pcap", "pipboy-ipv6.pcapng", "layers.pcap", "linux-cooked-v2.pcap", "xfire.pcap"]
    {
        let sample = format!("samples/{name}");
        let all = written(&format!("all-{name}.pcapng"), &["--packets", &sample]);
        assert_eq!(essence(&frames_of(&sample)), essence(&all), "{name}");
        assert!(all.iter().all(|frame| !frame.comments.is_empty()), "{name}");
    }
}

#[test]
fn written_comments_are_expert_items_of_their_frames() {
    let made = Made::new("comments.pcapng");
    assert_eq!(run(&["-w", made.path(), "samples/xfire.pcap"]).code, 0);
    let comments = frames_of(made.path()).iter().map(|frame| frame.comments.len()).sum::<usize>();
    let expert = run(&["stats", "--json", "-z", "expert", made.path()]).out;
    let expert: serde_json::Value = serde_json::from_str(&expert).unwrap();
    let items = expert["expert"]["remarks"].as_array().unwrap().iter().filter(|item| item["severity"] == "comment");
    let counted = items.map(|item| item["count"].as_u64().unwrap()).sum::<u64>();
    assert!(comments > 20 && counted == comments as u64, "{counted} of {comments}");
}

#[test]
fn a_written_message_includes_all_its_frames() {
    let all = frames_of(SESSION);
    for filter in ["pipboy.type == 3", "pipboy.type == 5", "message.name == \"local_map_update\""] {
        let listed = run(&["--json", "-Y", filter, SESSION]).out;
        let messages: Vec<serde_json::Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let messages: Vec<_> = messages.iter().filter(|record| record["type"] == "message").collect();
        let mut needed: Vec<usize> = Vec::new();
        for message in &messages {
            needed.extend(message["frames"].as_array().unwrap().iter().map(|frame| frame.as_u64().unwrap() as usize));
        }
        needed.sort_unstable();
        needed.dedup();
        let frames = written("messages.pcapng", &["-Y", filter, SESSION]);
        let wanted: Vec<Read> = needed.iter().map(|number| all[number - 1].clone()).collect();
        assert_eq!(essence(&frames), essence(&wanted), "{filter}");
        let comments: Vec<&String> = frames.iter().flat_map(|frame| &frame.comments).collect();
        assert_eq!(comments.len(), messages.len(), "{filter}");
        for message in messages {
            let last = message["frames"].as_array().unwrap().last().unwrap().as_u64().unwrap() as usize;
            let place = needed.iter().position(|number| *number == last).unwrap();
            let head = format!("#{}  ", message["n"]);
            assert!(frames[place].comments.iter().any(|comment| comment.starts_with(&head)), "{filter}: {head}");
        }
    }
}

#[test]
fn a_written_capture_has_the_same_records_as_its_input() {
    let made = Made::new("same.pcapng");
    assert_eq!(run(&["-w", made.path(), "--packets", SESSION]).code, 0);
    let messages = |file: &str| -> Vec<String> {
        let columns = ["message.number", "message.name", "stream", "message.dir", "frame.number", "pipboy.entry.path"];
        let columns = columns.iter().flat_map(|name| ["-e", name]).collect::<Vec<_>>();
        run(&[&columns[..], &[file]].concat()).out.lines().map(str::to_owned).collect()
    };
    assert_eq!(messages(SESSION), messages(made.path()));
    // Comments are kept, and not added again, when a written file is written again.
    let again = written("again.pcapng", &["--packets", "-c", "3", made.path()]);
    for (first, second) in frames_of(made.path()).iter().zip(&again) {
        assert_eq!(second.comments.first(), first.comments.first());
        assert_eq!(second.comments.len(), first.comments.len() + 1);
    }
}

#[test]
fn several_inputs_have_an_interface_each() {
    let files = ["samples/linux-cooked.pcap", "samples/layers.pcap"];
    let frames = written("several.pcapng", &["--packets", files[0], files[1]]);
    let [cooked, layers] = files.map(frames_of);
    let mut merged = [essence(&cooked), essence(&layers)].concat();
    merged.sort_by_key(|frame| frame.0);
    assert_eq!(essence(&frames), merged);
    let of_layers = |frame: &Read| essence(&layers).contains(&essence(std::slice::from_ref(frame))[0]);
    let first_is_of_layers = of_layers(&frames[0]);
    assert!(frames.iter().all(|frame| frame.interface == Some(u32::from(of_layers(frame) != first_is_of_layers))));
}

#[test]
fn the_chosen_records_are_written_and_no_others() {
    let numbers = |arguments: &[&str]| {
        let frames = written("chosen.pcapng", &[arguments, &["--packets", SESSION]].concat());
        let all = frames_of(SESSION);
        let number = |frame: &Read| {
            all.iter().find(|other| essence(std::slice::from_ref(*other)) == essence(std::slice::from_ref(frame))).unwrap().number
        };
        frames.iter().map(number).collect::<Vec<u64>>()
    };
    assert_eq!(numbers(&["--number", "1,2"]), [1, 2]);
    assert_eq!(numbers(&["--skip", "1", "-c", "1"]), [2]);
    let none = Made::new("none.pcapng");
    assert_eq!(run(&["-w", none.path(), "-Y", "frame.number > 100000", "--exit-status", "samples/layers.pcap"]).code, 1);
    assert!(frames_of(none.path()).is_empty());
}

#[test]
fn names_choose_the_format_and_standard_output_takes_pcapng() {
    let classic = Made::new("classic.pcap");
    assert_eq!(run(&["-w", classic.path(), "--packets", SESSION]).code, 0);
    let capture = Capture::open(Box::new(File::open(classic.path()).unwrap())).unwrap();
    assert_eq!(capture.format(), Format::Pcap);
    assert_eq!(essence(&read(capture)), essence(&frames_of(SESSION)));
    let mut piped =
        program().args(["-w", "-", "--packets"]).stdin(File::open(SESSION).unwrap()).stdout(Stdio::piped()).spawn().unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut piped.stdout.take().unwrap(), &mut bytes).unwrap();
    assert!(piped.wait().unwrap().success());
    let capture = Capture::open(Box::new(Cursor::new(bytes))).unwrap();
    assert_eq!(capture.format(), Format::PcapNg);
    assert_eq!(essence(&read(capture)), essence(&frames_of(SESSION)));
}

#[test]
fn invalid_uses_of_w_are_reported() {
    for (arguments, code, words) in [
        (&["-w", SESSION, SESSION][..], 2, "this file is an input"),
        (&["-w", "x.pcapng", "--json", SESSION], 2, "--json"),
        (&["-w", "x.pcapng", "-e", "ip.src", SESSION], 2, "--field"),
        (&["-w", "/nowhere/x.pcapng", SESSION], 1, "/nowhere/x.pcapng"),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
    let mixed = Made::new("mixed.pcap");
    let run = run(&["-w", mixed.path(), "--packets", "samples/layers.pcap", "samples/linux-cooked.pcap"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains(".pcapng"), "{}", run.err);
}

#[test]
fn nothing_is_written_over_when_no_input_can_be_read() {
    let kept = Made::new("kept.pcapng");
    fs::write(kept.path(), "precious").unwrap();
    assert_eq!(run(&["-w", kept.path(), "samples/nothing.pcap"]).code, 3);
    assert_eq!(fs::read(kept.path()).unwrap(), b"precious");
}

/// Bytes of a stream that ends inside a message, or with a hole, are reported only at the end of the input.
#[test]
fn messages_emitted_at_the_end_bring_their_frames_too() {
    for sample in ["samples/pipboy-damaged.pcap", "samples/vscp-damaged.pcap"] {
        let listed = run(&["-e", "message.number", sample]).out;
        let frames = written("ends.pcapng", &[sample]);
        let comments: usize = frames.iter().map(|frame| frame.comments.len()).sum();
        assert_eq!(comments, listed.lines().count(), "{sample}");
        assert!(frames.windows(2).all(|pair| pair[0].time <= pair[1].time || sample.contains("damaged")));
    }
}

/// tshark's reading of the output: recorded, and repeated if tshark is available.
#[test]
fn other_programs_read_written_files() {
    const COLUMNS: [&str; 7] = [
        "frame.number",
        "frame.time_epoch",
        "frame.len",
        "frame.cap_len",
        "frame.interface_id",
        "frame.protocols",
        "frame.comment",
    ];
    let made = Made::new("others.pcapng");
    let arguments = ["-Y", "pipboy.type in {3, 4} || arp", "-w", made.path(), SESSION, "samples/layers.pcap"];
    assert_eq!(run(&arguments).code, 0);
    let columns: Vec<&str> = COLUMNS.iter().flat_map(|name| ["-e", name]).collect();
    let tshark = Command::new("tshark").args(["-n", "-r", made.path(), "-T", "fields"]).args(&columns).output();
    if let Ok(done) = tshark {
        assert!(done.status.success());
        assert_golden("tshark/written.txt", &String::from_utf8(done.stdout).unwrap());
    }
    // Layers have other names there, and a comment with commas is one cell.
    let recorded = fs::read_to_string("tests/golden/tshark/written.txt").unwrap();
    let without_names =
        |line: &str| line.split('\t').enumerate().filter(|(at, _)| *at != 5).map(|(_, cell)| cell.to_owned()).collect::<Vec<_>>();
    let ours = run(&[&["--packets", "-T", "fields"][..], &columns, &[made.path()]].concat()).out;
    let [theirs, ours]: [Vec<_>; 2] = [&recorded, &ours].map(|text| text.lines().map(without_names).collect());
    assert!(theirs.len() > 20);
    assert_eq!(theirs, ours);
}
