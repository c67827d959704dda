//! Checksums are verified on request, with the same results as in tshark 4.0 for the same packets and the same `-o`.

use crate::common::run;

/// IPv4 with TCP, both checksums right.
const GOOD: &str = "4500002a00010000400666cb0a0000010a000002138800090000006400000000501004001b7200006869";

/// The columns of a packet whose checksum fields were replaced, with this option.
fn statuses(ip: &str, tcp: &str, option: &str) -> String {
    let mut hex = GOOD.to_owned();
    hex.replace_range(20..24, ip);
    hex.replace_range(72..76, tcp);
    let columns = ["-e", "ip.checksum.status", "-e", "tcp.checksum.status", "-e", "tcp.checksum"];
    let arguments = ["-o", option, "--packets", "--link", "101", "--hex", &hex];
    let run = run(&[&arguments[..], &columns[..]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.out.trim_end_matches('\n').to_owned()
}

#[test]
fn checksums_are_verified_on_request_as_in_tshark() {
    let said_by_tshark = [
        ("66cb", "1b72", "tcp.check_checksum=TRUE", "2\t1\t0x1b72"),
        ("66cb", "0a63", "tcp.check_checksum=TRUE", "2\t0\t0x0a63"),
        ("66ca", "1b72", "tcp.check_checksum=TRUE", "2\t1\t0x1b72"),
        ("66cb", "1b72", "ip.check_checksum=TRUE", "1\t2\t0x1b72"),
        ("66ca", "1b72", "ip.check_checksum=TRUE", "0\t2\t0x1b72"),
        ("66cb", "1b73", "udp.check_checksum=TRUE", "2\t2\t0x1b73"),
    ];
    for (ip, tcp, option, expected) in said_by_tshark {
        assert_eq!(statuses(ip, tcp, option), expected, "{ip} {tcp} {option}");
    }
}

#[test]
fn a_switch_is_true_or_false() {
    let run = run(&["-o", "tcp.check_checksum=maybe", "--link", "101", "--hex", GOOD]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("tcp.check_checksum=true"), "{}", run.err);
}

#[test]
fn an_ip_packet_with_checksum_offload_is_recognized_by_its_length() {
    // The checksums of header and segment are zero.
    let packet = "4500002d 00010000 40060000 0a000001 0a000002 13880fa0 00000001 00000001 5018ffff 00000000 68656c6c6f";
    let run = run(&["--packets", "--json", "--hex", packet]);
    assert!(run.out.contains(r#""path":"ip:tcp:data""#), "{}", run.out);
}
