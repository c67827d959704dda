//! Columns: answers, and the parts of frames that they need.

use super::*;
use crate::record::pseudo;
use crate::registry::Registry;

#[test]
fn answers_are_written_as_they_show_themselves() {
    let times = [0, 1, 1_700_000_000, 99_999_999_999, -1, i64::MIN, i64::MAX];
    let nanos = [0, 5, 123_456_789, 999_999_999, 1_000_000_000, u32::MAX];
    let times = times.iter().flat_map(|seconds| nanos.map(|nanos| PseudoValue::Time(Timestamp { seconds: *seconds, nanos })));
    for answer in times.chain([0, 99_999_999, 100_000_000, u64::MAX].map(PseudoValue::Number)) {
        let mut line = Vec::new();
        write_answer(&answer, &mut line).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), answer.to_string());
    }
}

#[test]
fn conversations_and_credentials_are_read_only_for_columns_that_take_them() {
    let column = |name: &str| match pseudo::named(name) {
        Some(pseudo) => Values::Pseudo(pseudo),
        None => Values::Fields(Registry::default().named(name)),
    };
    let demand = |names: &[&str], view: View| {
        let columns = names.iter().map(|name| Column { name: (*name).into(), of: column(name) }).collect();
        Columns::new(io::sink(), columns, ColumnOptions::default()).demand(view)
    };
    let streams = |names: &[&str], view: View| demand(names, view).streams();
    let of_headers = ["frame.number", "frame.time_epoch", "eth.src", "ip.src", "ip.addr", "tcp.port", "tcp.len", "udp.length"];
    assert!(!streams(&of_headers, View::Packets) && streams(&of_headers, View::Messages));
    for other in
        ["tcp.stream", "tcp.seq", "tcp.analysis.retransmission", "tcp", "data.data", "dns.id", "frame.protocols", "stream"]
    {
        assert!(streams(&[&of_headers[..], &[other]].concat(), View::Packets), "{other}");
    }
    assert!(!demand(&of_headers, View::Messages).has(Extras::CREDENTIALS));
    for other in ["tcp.payload", "tcp", "http.host", "http.content_length", "data.data"] {
        assert!(demand(&[&of_headers[..], &[other]].concat(), View::Messages).has(Extras::CREDENTIALS), "{other}");
    }
}
