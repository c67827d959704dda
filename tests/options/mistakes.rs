//! Every kind of end: the exit code, and the message.

use super::transcript::run;
use crate::common::{assert_golden_cases, own_cases};
use std::fs;

const SESSION: &[u8] = include_bytes!("../../samples/pipboy.pcap");
const CUT: &[u8] = SESSION.split_at(1500).0;
const HEADER: &[u8] = SESSION.split_at(24).0;
const PROSE: &[u8] = b"Dear diary, today I met a deathclaw.\n";

/// A file that exists but cannot be read.
const NO_KEYS: &str = "-o rs.keys=samples/no-such.keys nothing.pcap";

/// Exit code, command line, standard input. Wrong usage is reported before an input is opened: `nothing.pcap` does not exist.
const ENDINGS: &[(i32, &str, &[u8])] = &[
    (0, "-l -c 1 samples/pipboy.pcap", b""),
    (0, "-l -Y vlan.id==4095 samples/pipboy.pcap", b""),
    (0, "--json -", HEADER),
    (0, "-l samples/pipboy-damaged.pcap -c 1", b""),
    (1, "--exit-status -Y vlan.id==4095 samples/pipboy.pcap", b""),
    (1, "--exit-status -", HEADER),
    (2, "--nonsense nothing.pcap", b""),
    (2, "--fromat list nothing.pcap", b""),
    (2, "-T xml nothing.pcap", b""),
    (2, "-T fields nothing.pcap", b""),
    (2, "-l --json nothing.pcap", b""),
    (2, "-e ip.scr nothing.pcap", b""),
    (2, "-e ip.src -E occurrence=x nothing.pcap", b""),
    (2, "-E header=y nothing.pcap", b""),
    (2, "-Y 'tcp.prot == 80' nothing.pcap", b""),
    (2, "-Y 'tcp.port == mango' nothing.pcap", b""),
    (2, "-Y 'tcp.port ==' nothing.pcap", b""),
    (2, "-Y '(tcp' nothing.pcap", b""),
    (2, "-O pipbo nothing.pcap", b""),
    (2, "-t x nothing.pcap", b""),
    (2, "-c many nothing.pcap", b""),
    (2, "--number 9-5 nothing.pcap", b""),
    (2, "--color blue nothing.pcap", b""),
    (2, "--threads 0 nothing.pcap", b""),
    (2, "-z conv,tpc nothing.pcap", b""),
    (2, "--as pipbo nothing.pcap", b""),
    (2, "--as pipboy:up nothing.pcap", b""),
    (2, "--as pipboy --link raw nothing.pcap", b""),
    (2, "--link etherent nothing.pcap", b""),
    (2, "--port 27000 nothing.pcap", b""),
    (2, "--port tcp:99999 nothing.pcap", b""),
    (2, "--input-format elf nothing.pcap", b""),
    (2, "--input-format raw nothing.pcap", b""),
    (2, "-d tcp.port=27000,pipboy nothing.pcap", b""),
    (2, "-d tcp.prot==27000,pipboy nothing.pcap", b""),
    (2, "-d tcp.port==27000,pipbo nothing.pcap", b""),
    (2, "-d tcp.port==70000,pipboy nothing.pcap", b""),
    (2, "-o pipboy nothing.pcap", b""),
    (2, "-o xfire.pasword=x nothing.pcap", b""),
    (2, "-o rs.revision=old nothing.pcap", b""),
    (2, NO_KEYS, b""),
    (4, "--hex '0g'", b""),
    (2, "follow -s tpc/0 nothing.pcap", b""),
    (2, "follow -T raw nothing.pcap", b""),
    (2, "stats -z io,ph nothing.pcap", b""),
    (2, "objects --at 0 nothing.pcap", b""),
    (2, "protocols pipbo", b""),
    (2, "fields pipboy.tipe", b""),
    (2, "completions tcsh", b""),
    (2, "-l stats samples/pipboy.pcap", b""),
    (2, "-o rs.revision=317 protocols rs", b""),
    (3, "nothing.pcap", b""),
    (3, "-l nothing.pcap samples/linux-cooked.pcap", b""),
    (3, "src/cli", b""),
    (3, "follow nothing.pcap", b""),
    (3, "stats nothing.pcap", b""),
    (3, "objects nothing.pcap", b""),
    (3, "--threads 1 -- stats", b""),
    (3, "-l ./stats", b""),
    (4, "-", b""),
    (4, "--json -", b""),
    (4, "-T json -", PROSE),
    (4, "-", PROSE),
    (4, "follow -", PROSE),
    (4, "stats -", PROSE),
    (4, "-", SESSION.split_at(10).0),
    (4, "-", b"0000000 041520 050111\n0000004\n"),
    (5, "-", b"00 01 02 0\n"),
    (5, "-l -", CUT),
    (5, "--json -c 40 -", CUT),
    (5, "stats -z health -", CUT),
    (5, "objects -", CUT),
    (5, "-l --strict --number 12 samples/pipboy-damaged.pcap", b""),
    (5, "-l --strict --number 12 samples/linux-cooked.pcap samples/pipboy-damaged.pcap samples/vscp-damaged.pcap", b""),
];

/// The same with only the first suggested name: the others change with every new protocol.
fn steady(shown: &str) -> String {
    let one = |line: &str| {
        let listed = ["similar names: ", "; available: ", "  try "].iter().find_map(|before| line.split_once(before));
        let cut = listed.and_then(|(_, names)| names.find(", ").map(|first| line.len() - names.len() + first));
        cut.map_or(format!("{line}\n"), |at| format!("{}, …\n", line.get(..at).unwrap_or_default()))
    };
    shown.lines().map(one).collect()
}

#[test]
fn every_kind_of_end_has_its_exit_code_and_message() {
    let (mut kept, mut wrong) = (Vec::new(), Vec::new());
    for (code, line, input) in own_cases(ENDINGS, 0, 6) {
        let (exit, shown) = run(line, input);
        let errors: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("[stderr] ")).collect();
        let silent = *code < 2 && !line.contains("--exit-status");
        if exit != *code || (silent && !errors.is_empty()) || errors.iter().any(|line| line.contains("panicked")) {
            wrong.push(format!("{line}: expected exit {code}, got {exit}\n{shown}"));
        }
        if matches!(code, 2 | 4) && errors.len() != shown.lines().count() {
            wrong.push(format!("{line}: prints something\n{shown}"));
        }
        if *code > 1 && errors.is_empty() {
            wrong.push(format!("{line}: says nothing"));
        }
        kept.push(format!("$ proto-dissect {line}\n{}[exit {exit}]\n\n", steady(&shown)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for code in 0..=5 {
        assert!(ENDINGS.iter().any(|(of, ..)| *of == code));
    }
    assert_golden_cases("endings.txt", "", &kept);
}

/// Where a full disk is available.
#[test]
fn a_full_disk_is_exit_1_with_a_message() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    for arguments in [
        &["samples/pipboy.pcap"][..],
        &["-l", "samples/pipboy.pcap"],
        &["--json", "samples/pipboy.pcap"],
        &["-T", "csv", "-e", "ip.src", "samples/pipboy.pcap"],
        &["-w", "-", "samples/pipboy.pcap"],
        &["-w", "/dev/full", "samples/pipboy.pcap"],
        &["follow", "samples/pipboy.pcap"],
        &["stats", "samples/pipboy.pcap"],
        &["objects", "samples/pipboy.pcap"],
        &["protocols"],
        &["fields"],
        &["schema"],
        &["man"],
        &["completions", "bash"],
    ] {
        let done = crate::common::program().args(arguments).stdout(full.try_clone().unwrap()).output().unwrap();
        let errors = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(errors.contains("no space is left") && errors.lines().count() == 1, "{arguments:?}: {errors}");
    }
}
