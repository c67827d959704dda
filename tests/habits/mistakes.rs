//! Mistakes of users, each with a helpful message.

use super::assert_rejected;

/// Command line, exit code, words of the message.
const MISTAKES: &[(&str, i32, &[&str])] = &[
    ("-Y tcp.prot==80 samples/http.pcap", 2, &["tcp.prot is not a valid protocol or protocol field", "tcp.port"]),
    ("-T yaml samples/http.pcap", 2, &["yaml", "possible values"]),
    ("-e tcp.prot samples/http.pcap", 2, &["unknown field \"tcp.prot\"", "tcp.port"]),
    ("samples/no-such.pcap", 3, &["samples/no-such.pcap", "No such file"]),
    ("stat samples/http.pcap", 2, &["stat: no such file or command", "proto-dissect stats"]),
    ("feilds pipboy", 2, &["proto-dissect fields"]),
    ("samples/README.md", 4, &["samples/README.md"]),
    ("-t x samples/http.pcap", 2, &["-t x", "expected r, a, ad"]),
    ("-T fields samples/http.pcap", 2, &["-e", "-e frame.number"]),
    ("-z nonsense samples/http.pcap", 2, &["unknown statistics", "-z help"]),
    ("--number 5-3 samples/http.pcap", 2, &["--number 5-3", "5,10-20"]),
    ("-d tcp.port==80,htp samples/http.pcap", 2, &["htp", "http"]),
];

#[test]
fn each_mistake_is_answered_in_a_line() {
    for (line, code, expected) in MISTAKES {
        assert_rejected(line, *code, expected);
    }
}
