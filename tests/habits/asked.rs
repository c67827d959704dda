//! Options without effect, and secrets on request.

use super::{answer, assert_rejected, typed};
use crate::common::Scratch;

/// A key log of another session.
fn foreign_keys(name: &str) -> Scratch {
    Scratch::new(name, format!("CLIENT_RANDOM {} {}\n", "ab".repeat(32), "cd".repeat(48)).as_bytes())
}

#[test]
fn a_key_log_that_decrypts_nothing_is_reported_once() {
    let keys = foreign_keys("habits-foreign-keys.txt");
    // tshark -r samples/tls.pcap -Y tls.handshake.type==1 -T fields -e tls.handshake.random -c 1
    let random = answer("-e tls.handshake.random -c 1 -Y tls.handshake.type==1 --messages samples/tls.pcap");
    let expected =
        format!("proto-dissect: samples/tls.pcap: the key log decrypts nothing; it lacks the client random {}\n", random.trim());
    for line in [
        "-l samples/tls.pcap",
        "samples/tls.pcap samples/tls.pcap",
        "--json --threads 2 samples/tls.pcap",
        "stats samples/tls.pcap",
    ] {
        let done = typed(&format!("-o tls.keylog_file={} {line}", keys.path()));
        assert_eq!((done.code, done.err.as_str()), (0, expected.as_str()), "{line}");
        assert!(!done.out.is_empty());
    }
    // The capture contains the right keys itself, and another one has no TLS.
    for line in ["-l samples/tls-keys.pcapng", "-l samples/http.pcap"] {
        let done = typed(&format!("-o tls.keylog_file={} {line}", keys.path()));
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{line}");
    }
}

#[test]
fn options_for_raw_bytes_are_refused_for_captures() {
    assert_rejected("--as xfire samples/http.pcap", 2, &["--as xfire is for hex text", "try -d tcp.port==PORT,xfire"]);
    assert_rejected("--as xfire:c2s samples/http.pcap", 2, &["try -d tcp.port==PORT,xfire"]);
    assert_rejected("--as dhcp samples/http.pcap", 2, &["try -d udp.port==PORT,dhcp"]);
    assert_rejected("--as ip samples/http.pcap", 2, &["omit --as"]);
    assert_rejected("--port tcp:80 samples/http.pcap", 2, &["try -Y tcp.port==80"]);
    assert_rejected("stats --as xfire samples/http.pcap", 2, &["try -d tcp.port==PORT,xfire"]);
    assert_rejected("follow --as xfire samples/http.pcap", 2, &["try -d tcp.port==PORT,xfire"]);
}

#[test]
fn shown_secrets_are_in_list_and_table() {
    for (file, filter, secret) in [
        ("neighbours", "ftp.request.command==PASS", "password \"moss-green\""),
        ("runescape", "rs.login.password", "password \"blue-heron\""),
        ("talk", "snmp.community", "community \"public\""),
        ("http", "http.authorization", "Authorization \"Basic YW5uYTptb3NzLWdyZWVu\""),
    ] {
        for form in ["-l", "", "-l --packets"] {
            let shown = answer(&format!("{form} --show-secrets -Y {filter} samples/{file}.pcap"));
            assert!(shown.lines().next().unwrap().contains(secret), "{file} {form}: {shown}");
            let hidden = answer(&format!("{form} -Y {filter} samples/{file}.pcap"));
            let word = secret.split('"').nth(1).unwrap();
            assert!(!hidden.contains(word), "{file} {form}: {hidden}");
        }
    }
}
