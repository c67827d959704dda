//! Mistakes of users, each with a helpful message.

use super::{answer, assert_rejected, typed};

/// Command line, exit code, words of the message.
const MISTAKES: &[(&str, i32, &[&str])] = &[
    ("-Y tcp.prot==80 samples/http.pcap", 2, &["tcp.prot is not a valid protocol or protocol field", "tcp.port"]),
    ("-T yaml samples/http.pcap", 2, &["yaml", "possible values"]),
    ("-e tcp.prot samples/http.pcap", 2, &["unknown field \"tcp.prot\"", "tcp.port"]),
    ("samples/no-such.pcap", 3, &["samples/no-such.pcap", "no such file"]),
    ("stat samples/http.pcap", 2, &["stat: no such file or command", "proto-dissect stats"]),
    ("feilds pipboy", 2, &["proto-dissect fields"]),
    ("samples/README.md", 4, &["samples/README.md"]),
    ("-t x samples/http.pcap", 2, &["-t x", "expected r, a, ad"]),
    ("-T fields samples/http.pcap", 2, &["-e", "-e frame.number"]),
    ("-z nonsense samples/http.pcap", 2, &["unknown statistics", "-z help"]),
    ("--number 5-3 samples/http.pcap", 2, &["--number 5-3", "5,10-20"]),
    ("-d tcp.port==80,htp samples/http.pcap", 2, &["htp", "http"]),
    ("-Y s2c samples/http.pcap", 2, &["try message.dir == \"s2c\""]),
    ("-Y unknown samples/http.pcap", 2, &["try data"]),
    ("-Y '\"text\"' samples/http.pcap", 2, &["try frame contains \"text\""]),
    ("-Y 'http and 10.0.0.1' samples/http.pcap", 2, &["try ip.addr == 10.0.0.1"]),
    ("follow -Y c2s samples/http.pcap", 2, &["try message.dir == \"c2s\""]),
    ("-z messages samples/http.pcap", 2, &["did you mean hierarchy or io,phs?"]),
    ("stats -z conversations samples/http.pcap", 2, &["did you mean conv,tcp?"]),
    ("-c 1k samples/http.pcap", 2, &["'1k'", "digits only: 1000"]),
    ("-c -1 samples/http.pcap", 2, &["'-1'", "expected a number from 0"]),
    ("--skip 2M samples/http.pcap", 2, &["digits only: 2000000"]),
    ("--disable-protocol http samples/http.pcap", 2, &["-d tcp.port==80,none", "-Y 'not http'"]),
    ("--disable-protocol htp samples/http.pcap", 2, &["unknown protocol \"htp\"", "http"]),
    ("--only-protocols http,dns samples/http.pcap", 2, &["-Y 'http or dns'"]),
    ("--disable-all-protocols samples/http.pcap", 2, &["-d tcp.port==80,none"]),
    ("--disable-heuristic http_tcp samples/http.pcap", 2, &["--no-heuristics"]),
    (
        "-o gui.column.format:'\"No.\",\"%m\",\"Info\",\"%i\"' samples/http.pcap",
        2,
        &["-T fields -e frame.number -e _ws.col.Info"],
    ),
    ("-o ssl.keylog_file:keys samples/http.pcap", 2, &["-o tls.keylog_file=keys"]),
];

/// Words that are neither files nor commands, wherever they stand.
const WORDS: &[(&str, i32, &[&str])] = &[
    ("strings samples/http.pcap", 2, &["strings: no such file or command", "follow FILE -s tcp/0 -T ascii"]),
    ("samples/http.pcap strings", 2, &["strings: no such file or command"]),
    ("locate 42 samples/http.pcap", 2, &["locate: no such file or command", "find VALUE FILE"]),
    ("samples/http.pcap stats", 2, &["stats: no such file or command", "proto-dissect stats"]),
    ("tcp/0 samples/http.pcap", 2, &["tcp/0: no such file", "follow FILE -s tcp/0", "-Y 'tcp.stream == 0'"]),
    ("stats samples/http.pcap udp/3", 2, &["udp/3: no such file", "-Y 'udp.stream == 3'"]),
    ("-l samples/http.pcap zebra", 3, &["zebra: no such file or command", "--help lists the commands"]),
    ("stats samples/http.pcap zebra", 3, &["zebra: no such file", "proto-dissect stats --help"]),
    ("follow samples/http.pcap s2c", 2, &["--dir s2c"]),
    ("help zebra", 2, &["help: no such file or command"]),
];

#[test]
fn a_word_that_is_no_file_ends_the_run_before_anything_is_printed() {
    for (line, code, expected) in WORDS {
        assert_rejected(line, *code, expected);
    }
}

#[test]
fn help_and_version_are_words_too() {
    for (word, option) in [
        ("help", "--help"),
        ("version", "--version"),
        ("help follow", "follow --help"),
        ("follow help", "follow --help"),
        ("ksy help", "ksy --help"),
        ("stats -z help", "-z help"),
        ("help ksy check", "ksy check --help"),
    ] {
        assert_eq!(answer(word), answer(option), "{word}");
    }
}

#[test]
fn a_conversation_among_the_files_is_the_one_to_follow() {
    for command in ["follow", "explore"] {
        let given = typed(&format!("{command} samples/http.pcap -s tcp/0"));
        for line in [format!("{command} samples/http.pcap tcp/0"), format!("{command} tcp/0 samples/http.pcap")] {
            let run = typed(&line);
            assert_eq!((run.code, run.out, run.err), (given.code, given.out.clone(), given.err.clone()), "{line}");
        }
    }
    assert_eq!(typed("diff samples/http.pcap tcp/0 tcp/1").out, typed("diff samples/http.pcap -s tcp/0,tcp/1").out);
    assert_rejected("follow samples/http.pcap tcp/0 -s tcp/1", 2, &["tcp/0: no such file"]);
}

#[test]
fn inputs_that_cannot_be_opened_are_reported_once_and_first() {
    for command in ["-l", "--json", "stats", "follow", "objects", "explore"] {
        let run = typed(&format!("{command} samples/http.pcap samples/no-such.pcap"));
        assert_eq!(run.code, 3, "{command}: {}", run.err);
        assert_eq!(run.err.matches("no-such.pcap: cannot be opened").count(), 1, "{command}: {}", run.err);
        // Nothing in the capture is unknown to `explore`, which says so.
        assert!(!run.out.is_empty() || command == "explore", "{command}");
    }
}

#[test]
fn each_mistake_is_answered_in_a_line() {
    for (line, code, expected) in MISTAKES {
        assert_rejected(line, *code, expected);
    }
}
