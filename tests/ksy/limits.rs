//! The limits of a run: each ends the message with its note, and what was read stays.

use crate::common::{Scratch, run};

/// A limit, its value, the note, the body of a file, and bytes.
const RUNS: &[(&str, &str, &str, &str, &str)] = &[
    ("ksy.recursion", "20", "ksy.recursion", "seq:\n  - {id: next, type: t}\n", "00"),
    (
        "ksy.recursion",
        "20",
        "ksy.recursion",
        "instances:\n  next: {pos: _io.pos, type: other}\ntypes:\n  other:\n    instances:\n      next: {pos: 0, io: _root._io, type: third}\n  third:\n    seq:\n      - {id: x, type: u1}\n    instances:\n      next: {pos: x + 1, type: third}\n",
        "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18",
    ),
    (
        "ksy.values",
        "10",
        "ksy.values",
        "seq:\n  - {id: all, type: u1, repeat: eos}\n",
        "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
    ),
    (
        "ksy.operations",
        "10",
        "ksy.operations",
        "seq:\n  - {id: all, type: u1, repeat: eos}\n",
        "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
    ),
    (
        "ksy.idle",
        "10",
        "ksy.idle",
        "seq:\n  - {id: all, type: none, repeat: expr, repeat-expr: 1000000000000}\ntypes:\n  none: {}\n",
        "00",
    ),
    ("ksy.idle", "10", "ksy.idle", "seq:\n  - {id: all, type: none, repeat: eos}\ntypes:\n  none: {}\n", "00"),
    (
        "ksy.computed",
        "100",
        "ksy.computed",
        "seq:\n  - {id: a, type: str, size: 40}\ninstances:\n  b: {value: 'a + a + a'}\n",
        "6161616161616161616161616161616161616161616161616161616161616161616161616161616161",
    ),
    ("ksy.processed", "259", "ksy.inflated", "seq:\n  - {id: a, size: 4, process: xor(1)}\n", "00 01 02 03"),
    (
        "ksy.processed",
        "400",
        "ksy.inflated",
        "seq:\n  - {id: a, size-eos: true, process: zlib}\n",
        "78 da 63 60 18 05 a3 60 14 0c 77 00 00 04 10 00 01",
    ),
];

#[test]
fn each_limit_of_a_run_ends_it_with_its_note() {
    for (at, (limit, value, note, body, hex)) in RUNS.iter().enumerate() {
        let text = format!("meta:\n  id: t\n  encoding: UTF-8\n{body}");
        let file = Scratch::new(&format!("ksy_limits_{at}.ksy"), text.as_bytes());
        let code = format!("\"code\":\"{note}\"");
        let done = run(&["-k", file.path(), "--limit", &format!("{limit}={value}"), "--json", "--hex", hex]);
        assert_eq!(done.code, 0, "{limit}: {}", done.err);
        assert!(done.out.contains(&code) && done.out.contains("\"level\":\"broken\""), "{limit}: {}", done.out);
        assert!(done.out.contains(&format!("see --limit {limit}")) || *note == "ksy.idle", "{limit}: {}", done.out);
    }
}
