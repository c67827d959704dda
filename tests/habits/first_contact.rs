//! Options before and after commands, and commands with several files.

use super::typed;

fn out(line: &str) -> String {
    typed(line).out
}

/// Output of each command with an option before it and after it.
#[test]
fn options_may_precede_or_follow_a_command() {
    for (option, command) in [
        ("-Y dns", "stats samples/talk.pcap"),
        ("--json", "stats samples/talk.pcap"),
        ("-V", "stats samples/talk.pcap"),
        ("-z conv,tcp", "stats samples/http.pcap"),
        ("-r samples/talk.pcap", "stats"),
        ("-s tcp/0", "follow samples/http.pcap"),
        ("-Y http.request.method==POST", "follow samples/http.pcap"),
        ("--json", "follow samples/http.pcap"),
        ("-d tcp.port==80,data", "follow samples/http.pcap"),
        ("-r samples/http.pcap", "follow"),
        ("--json", "objects samples/http.pcap"),
        ("--color always", "protocols dns"),
        ("--json", "protocols dns"),
        ("--json", "fields arp"),
        ("--color always", "fields arp"),
    ] {
        let (before, behind) = (out(&format!("{option} {command}")), out(&format!("{command} {option}")));
        assert!(!before.is_empty(), "{option} {command}");
        assert_eq!(before, behind, "{option}, {command}");
        assert!(option.starts_with("-r") || before != out(command), "{option} changes nothing of {command}");
    }
}

/// A command with options before it also accepts options after it.
#[test]
fn a_command_after_options_has_its_own_options() {
    for (mixed, behind) in [
        ("-Y http follow -s tcp/0 --dir c2s samples/http.pcap", "follow -Y http -s tcp/0 --dir c2s samples/http.pcap"),
        ("-Y http follow -s tcp/0 -T carray samples/http.pcap", "follow -Y http -s tcp/0 -T carray samples/http.pcap"),
        ("--dir s2c follow -s tcp/0 samples/http.pcap", "follow -s tcp/0 --dir s2c samples/http.pcap"),
        ("--color never fields --tshark arp", "fields --color never --tshark arp"),
        ("-Y stats stats samples/http.pcap", "stats -Y stats samples/http.pcap"),
        ("-Y http follow --help", "follow --help"),
    ] {
        let (mixed_run, behind_run) = (typed(mixed), typed(behind));
        assert_eq!(mixed_run.code, behind_run.code, "{mixed}: {}", mixed_run.err);
        assert_eq!((&mixed_run.out, &mixed_run.err), (&behind_run.out, &behind_run.err), "{mixed}");
        assert!(!mixed_run.out.is_empty() || behind_run.code != 0, "{mixed}");
    }
}

#[test]
fn stats_and_follow_take_several_files_each_by_itself() {
    for command in ["stats", "follow", "-z conv,tcp"] {
        let both = out(&format!("{command} samples/http.pcap samples/talk.pcap"));
        let each = |file: &str| out(&format!("{command} {file}"));
        let (http, talk) = (each("samples/http.pcap"), each("samples/talk.pcap"));
        assert_eq!(both, format!("==> samples/http.pcap <==\n{http}\n==> samples/talk.pcap <==\n{talk}"), "{command}");
    }
    let json = out("stats --json samples/http.pcap samples/talk.pcap");
    assert_eq!(json.lines().count(), 2, "{json}");
    let files = out("follow --json -r samples/http.pcap -r samples/talk.pcap");
    assert_eq!(files, out("follow --json samples/http.pcap") + &out("follow --json samples/talk.pcap"));
}

#[test]
fn a_file_that_cannot_be_read_does_not_end_the_others() {
    for command in ["stats", "follow"] {
        let done = typed(&format!("{command} samples/nothing.pcap samples/http.pcap"));
        assert_eq!(done.code, 3, "{}", done.err);
        assert!(done.err.contains("samples/nothing.pcap") && done.out.contains("==> samples/http.pcap <=="), "{}", done.out);
    }
}
