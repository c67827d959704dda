//! Options of TCP segments: values, spans and invalid lengths.

use super::headers::{ipv4, lines_of};
use crate::wire::trial::bytes;

/// Fields and notes of the options of a segment with this header end.
fn options(options: &str) -> String {
    let words = 5 + options.split_whitespace().collect::<String>().len() / 8;
    let header = format!("13880050 00000001 00000002 {words:x}010ffff 00000000 {options}");
    lines_of(&[ipv4(6, 0, &bytes(&header))], 0, &["tcp.option", "!"]).join("\n")
}

#[test]
fn options_are_read_by_kind_and_length() {
    // RFC 9293, RFC 7323, RFC 2018: MSS, window scale, SACK permitted, timestamps.
    insta::assert_snapshot!(options("020405b4 03030701 04020101 080a0000 00090000 00080101"), @"
    40..64 tcp.options
    40..44 tcp.option
    40..41 tcp.option_kind = 2 (maximum segment size)
    41..42 tcp.option_len = 4
    42..44 tcp.options.mss_val = 1460
    44..47 tcp.option
    44..45 tcp.option_kind = 3 (window scale)
    45..46 tcp.option_len = 3
    46..47 tcp.options.wscale.shift = 7
    47..48 tcp.option
    47..48 tcp.option_kind = 1 (no operation)
    48..50 tcp.option
    48..49 tcp.option_kind = 4 (SACK permitted)
    49..50 tcp.option_len = 2
    50..51 tcp.option
    50..51 tcp.option_kind = 1 (no operation)
    51..52 tcp.option
    51..52 tcp.option_kind = 1 (no operation)
    52..62 tcp.option
    52..53 tcp.option_kind = 8 (timestamps)
    53..54 tcp.option_len = 10
    54..58 tcp.options.timestamp.tsval = 9
    58..62 tcp.options.timestamp.tsecr = 8
    62..63 tcp.option
    62..63 tcp.option_kind = 1 (no operation)
    63..64 tcp.option
    63..64 tcp.option_kind = 1 (no operation)
    ");
    // Two SACK blocks.
    insta::assert_snapshot!(options("01010512 00000010 00000020 00000030 00000040"), @"
    40..60 tcp.options
    40..41 tcp.option
    40..41 tcp.option_kind = 1 (no operation)
    41..42 tcp.option
    41..42 tcp.option_kind = 1 (no operation)
    42..60 tcp.option
    42..43 tcp.option_kind = 5 (SACK)
    43..44 tcp.option_len = 18
    44..48 tcp.options.sack_le = 16
    48..52 tcp.options.sack_re = 32
    52..56 tcp.options.sack_le = 48
    56..60 tcp.options.sack_re = 64
    ");
}

#[test]
fn options_of_other_lengths_are_bytes() {
    // A SACK block of one byte, a window scale of two.
    insta::assert_snapshot!(options("05030a00"), @"
    40..44 tcp.options
    40..43 tcp.option
    40..41 tcp.option_kind = 5 (SACK)
    41..42 tcp.option_len = 3
    42..43 tcp.options.data = 0a
    43..44 tcp.option
    43..44 tcp.option_kind = 0 (end of options)
    ");
    insta::assert_snapshot!(options("03040102"), @"
    40..44 tcp.options
    40..44 tcp.option
    40..41 tcp.option_kind = 3 (window scale)
    41..42 tcp.option_len = 4
    42..44 tcp.options.data = 0102
    ");
    // Shorter than kind and length, longer than the header, bytes after the end of options.
    insta::assert_snapshot!(options("02010000"), @"
    40..44 tcp.options
    40..44 tcp.option
    40..41 tcp.option_kind = 2 (maximum segment size)
    41..42 tcp.option_len = 1
    42..44 tcp.options.data = 0000
    ! odd tcp.option_len.bad at 41..42 tcp.option_len: 1 bytes where 4 are left
    ");
    insta::assert_snapshot!(options("08ff0000"), @"
    40..44 tcp.options
    40..44 tcp.option
    40..41 tcp.option_kind = 8 (timestamps)
    41..42 tcp.option_len = 255
    42..44 tcp.options.data = 0000
    ! odd tcp.option_len.bad at 41..42 tcp.option_len: 255 bytes where 4 are left
    ");
    insta::assert_snapshot!(options("0100aabb"), @"
    40..44 tcp.options
    40..41 tcp.option
    40..41 tcp.option_kind = 1 (no operation)
    41..44 tcp.option
    41..42 tcp.option_kind = 0 (end of options)
    42..44 tcp.options.data = aabb
    ");
}
