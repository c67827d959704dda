//! Packet queries print packets, and files are written completely.

use super::{answer, typed};
use crate::common::{Folder, apart, binary, run};

/// Number of lines of an answer.
fn count(line: &str) -> usize {
    answer(line).lines().count()
}

/// Sum of the first column.
fn sum(line: &str) -> u64 {
    answer(line).lines().map(|number| number.parse::<u64>().unwrap()).sum()
}

#[test]
fn filters_and_columns_of_frames_print_a_line_per_frame() {
    // The number of frames, as capinfos counts them, and the sum of their lengths.
    assert_eq!(count("-T fields -e frame.number samples/http.pcap"), 43);
    assert_eq!(sum("-e frame.len samples/http.pcap"), 5897);
    assert_eq!(sum("-e frame.len -T csv -E header=n -E quote=n samples/http.pcap"), 5897);
    // tshark -r samples/http.pcap -Y tcp.flags.syn==1 and tcp.flags.reset==1.
    assert_eq!(count("-l -Y tcp.flags.syn==1 samples/http.pcap"), 6);
    assert_eq!(count("-Y tcp.flags.reset==1 -e frame.number samples/vscp-damaged.pcap"), 0);
    assert_eq!(count("-l -Y 'tcp.len == 0' samples/http.pcap"), 23);
    // Both levels, and addresses, apply to messages.
    assert_eq!(
        count("-l -Y 'tcp.flags.push==1 and http' samples/http.pcap"),
        count("-l -Y 'tcp.flags.push==1 and http' --messages samples/http.pcap")
    );
    assert_eq!(count("-l -Y 'ip.src==203.0.113.80' samples/http.pcap"), 13);
    assert_eq!(count("-e frame.len -e message.name samples/http.pcap"), 22);
}

#[test]
fn options_override_the_view() {
    assert_eq!(count("--messages -e frame.number samples/http.pcap"), 22);
    assert_eq!(count("--messages -l -Y tcp.flags.syn==1 samples/http.pcap"), 0);
    assert_eq!(count("--packets -l -Y http samples/http.pcap"), count("-e frame.number -Y http samples/http.pcap"));
}

/// The report of `-w`, and the numbers of the frames in its file.
fn written(line: &str, name: &str) -> (String, usize) {
    let folder = Folder::new(&format!("habits-{name}"));
    let path = folder.file(name);
    let done = typed(&format!("{line} -w {}", path.display()));
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{line}: {}", done.err);
    let frames = run(&["--packets", "-e", "frame.number", path.to_str().unwrap()]).out.lines().count();
    (done.err.replace(path.to_str().unwrap(), "FILE"), frames)
}

#[test]
fn every_frame_is_written_without_a_filter() {
    let cases = [
        ("samples/http.pcap", 43, "43 of 43 frames written to FILE"),
        ("-Y dns samples/http.pcap", 0, "0 of 43 frames written to FILE"),
        ("-Y 'tcp.stream == 1' samples/http.pcap", 14, "14 of 43 frames written to FILE"),
        ("-Y 'http.request.method == POST' samples/http.pcap", 2, "2 of 43 frames written to FILE"),
        ("-c 5 samples/http.pcap", 5, "5 of 5 frames written to FILE"),
        ("samples/http.pcap samples/layers.pcap", 62, "62 of 62 frames written to FILE"),
    ];
    for (line, frames, report) in cases {
        assert_eq!(written(line, "w.pcapng"), (format!("proto-dissect: {report}\n"), frames), "{line}");
    }
    assert_eq!(written("-q samples/http.pcap", "quiet.pcap"), (String::new(), 43));
}

#[test]
fn several_inputs_are_merged_by_time() {
    let folder = Folder::new("habits-merge");
    let path = folder.file("merged.pcapng");
    let done = typed(&format!("samples/pipboy.pcap samples/http.pcap samples/layers.pcap -w {}", path.display()));
    assert_eq!(done.code, 0, "{}", done.err);
    let times = |file: &str| -> Vec<String> {
        run(&["--packets", "-e", "frame.time_epoch", file]).out.lines().map(str::to_owned).collect()
    };
    let mut wanted: Vec<String> =
        ["pipboy", "http", "layers"].iter().flat_map(|name| times(&format!("samples/{name}.pcap"))).collect();
    wanted.sort();
    assert_eq!(times(path.to_str().unwrap()), wanted);
}

/// Output of a command line on a terminal; `None` without `script`.
fn on_a_terminal(line: &str) -> Option<String> {
    let command = format!("stty cols 120; {} {line}", binary());
    let done = apart(std::process::Command::new("script"))
        .args(["-qec", &command, "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PAGER", "cat")
        .output()
        .ok()?;
    Some(String::from_utf8(done.stdout).unwrap().replace("\r\n", "\n"))
}

#[test]
fn a_terminal_shows_the_name_of_the_view_and_why_it_is_empty() {
    for (line, notice) in [
        ("-l samples/http.pcap", "22 messages; --packets prints all 43 frames"),
        ("-l -c 2 samples/http.pcap", "2 messages; --packets prints packets"),
        (
            "-e frame.len samples/http.pcap",
            "43 packets, because the columns have packet fields only; --messages prints application messages",
        ),
        (
            "-l -Y tcp.flags.syn==1 samples/http.pcap",
            "6 packets, because the filter has packet fields only; --messages prints application messages",
        ),
        ("-l -Y 'http.host == \"x\"' samples/http.pcap", "no match in 22 messages; --packets filters all 43 frames"),
        ("-l -Y 'frame.len > 9999' samples/http.pcap", "no match in 43 frames"),
        ("-l --number 1000 samples/http.pcap", "--number 1000: the capture has 22 messages"),
        ("-l --skip 99 samples/http.pcap", "--skip 99: the capture has 22 messages"),
    ] {
        let Some(shown) = on_a_terminal(line) else { return };
        assert_eq!(shown.lines().last().unwrap(), format!("proto-dissect: {notice}"), "{line}");
    }
    for line in ["-l --messages samples/http.pcap", "-l --packets samples/http.pcap", "-q samples/http.pcap"] {
        let shown = on_a_terminal(line).unwrap_or_default();
        assert!(!shown.contains("proto-dissect:"), "{line}: {shown}");
    }
}

#[test]
fn a_capture_without_messages_is_reported_on_a_terminal() {
    let folder = Folder::new("habits-syn");
    let path = folder.file("syn.pcap");
    assert_eq!(typed(&format!("-Y tcp.flags.syn==1 samples/http.pcap -w {}", path.display())).code, 0);
    let Some(shown) = on_a_terminal(&format!("-l {}", path.display())) else { return };
    assert_eq!(shown, "proto-dissect: 6 frames, no messages; try --packets\n");
}

#[test]
fn a_list_with_x_has_the_bytes_below_each_line_which_read_back() {
    let listed = answer("--packets -l -x samples/vscp.pcap");
    assert!(listed.lines().nth(2).unwrap().starts_with("00000000  "), "{listed}");
    let again = super::typed_with("--input-format hex --json", listed.as_bytes());
    let first = answer("--json samples/vscp.pcap");
    assert_eq!(again.out.matches(r#""type":"message""#).count(), first.matches(r#""type":"message""#).count());
}
