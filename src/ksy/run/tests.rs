//! Small files with few bytes: the result of each construct, and of failures.
//!
//! A script outside of the repository (`.ci/run`) compares Kaitai's own specifications; these tests do not depend on it.

use super::{Context, Memory, Message, Remark, SessionView, UnitPart, run};
use crate::ksy::compile::compile;
use crate::ksy::fields::FileFields;
use crate::ksy::{load_text, protocol};
use crate::tree::{Dissection, FrameInfo, Span, Tree, dump};
use crate::wire::{Cut, Wire, trial};
use proptest::prelude::*;
use std::path::Path;

/// The tree of bytes dissected with a file.
fn read(file: &str, hex: &str) -> String {
    read_cut(file, &trial::bytes(hex), Cut::No)
}

fn read_cut(file: &str, bytes: &[u8], cut: Cut) -> String {
    let loaded = load_text(Path::new("test.ksy"), file);
    let errors: String = loaded.diagnostics.iter().filter(|one| one.error).map(ToString::to_string).collect();
    let spec = loaded.spec.unwrap_or_else(|| panic!("{errors}"));
    let top = spec.roots[0];
    let protocol = protocol(&spec, top, None, false);
    let program = compile(&spec, spec.roots[0], None);
    let fields = FileFields::new(&spec, &[top], "t", &std::collections::HashSet::new(), &[]);
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(protocol.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), cut);
    let result = {
        let message = Message {
            part: UnitPart::Whole(top.0),
            place: 0,
            slot: 0,
            context: Context::default(),
            is_cut: false,
            remark: Some(Remark::Rest),
        };
        run(&program, &fields, &message, &mut Memory::default(), SessionView::default(), &mut wire).0
    };
    protocol.conclude(&mut wire, result);
    tree.close(0, protocol.this, bytes.len());
    dump(Dissection { tree: &tree, bytes })
}

/// A file with this body, in little-endian byte order.
fn body(text: &str) -> String {
    format!("meta:\n  id: t\n  encoding: UTF-8\n  endian: le\n{text}")
}

/// Whether the tree contains all lines.
fn assert_has(tree: &str, lines: &[&str]) {
    for line in lines {
        assert!(tree.lines().any(|known| known.trim() == *line), "{line} is not in\n{tree}");
    }
}

#[test]
fn numbers_have_their_spans_and_byte_orders() {
    let file = body(
        "seq:\n  - {id: a, type: u2}\n  - {id: b, type: s2be}\n  - {id: c, type: f4}\n  - {id: d, type: b3}\n  - {id: e, type: b9}\n  \
         - {id: f, type: u1}\n",
    );
    let tree = read(&file, "0102 fffe 0000c03f b7a0 07");
    assert_has(
        &tree,
        &["0..2 t.a = 513", "2..4 t.b = -2", "4..8 t.c = 1.5", "8..9 t.d = 5", "8..10 t.e = 378", "10..11 t.f = 7"],
    );
    assert!(!tree.contains("broken"), "{tree}");
}

#[test]
fn operators_calculate_with_integers_and_floats() {
    // Division rounds down, and a remainder has the sign of the divisor.
    let expressions = [
        ("a * 4 - 3", "25"),
        ("-a / 2", "-4"),
        ("-a % 4", "1"),
        ("a % -4", "-1"),
        ("a << 3", "56"),
        ("-a >> 1", "-4"),
        ("a & 5", "5"),
        ("a | 8", "15"),
        ("a ^ 2", "5"),
        ("f + 1.25", "3.75"),
        ("f - 1.25", "1.25"),
        ("f * 3", "7.5"),
        ("f / 2", "1.25"),
        ("a / 2.0", "3.5"),
        ("f < 2.5", "false"),
        ("f <= 2.5", "true"),
        ("a > 7 or f > 2", "true"),
        ("a >= 7 and f != 2.5", "false"),
    ];
    let instances: String = (0..).zip(expressions).map(|(at, (text, _))| format!("  i{at}: {{value: '{text}'}}\n")).collect();
    let tree =
        read(&body(&format!("seq:\n  - {{id: a, type: u1}}\n  - {{id: f, type: f4}}\ninstances:\n{instances}")), "07 00002040");
    let expected: Vec<String> = (0..).zip(expressions).map(|(at, (_, value))| format!("t.i{at} = {value}")).collect();
    assert_has(&tree, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn an_instance_that_reads_its_own_object_again_is_not_shown() {
    let file = body(
        "seq:\n  - {id: n, type: node}\ntypes:\n  node:\n    seq:\n      - {id: x, type: u1}\n    \
         instances:\n      next: {pos: 0, type: node}\n",
    );
    let tree = read(&file, "07");
    assert_has(&tree, &["0..1 t.n", "0..1 t.n.x = 7"]);
    assert_eq!(tree.lines().count(), 3, "{tree}");
}

#[test]
fn an_instance_that_is_an_ancestor_is_not_repeated_inside_itself() {
    let file = body(
        "seq:\n  - {id: child, type: node}\ntypes:\n  node:\n    seq:\n      - {id: x, type: u1}\n      - {id: inner, type: leaf}\n    \
         instances:\n      up: {value: _parent}\n      near: {value: inner}\n  leaf:\n    seq:\n      - {id: y, type: u1}\n    \
         instances:\n      top: {value: _root}\n",
    );
    let tree = read(&file, "07 08");
    assert_has(&tree, &["0..1 t.child.x = 7", "1..2 t.child.inner.y = 8"]);
    assert!(!tree.contains(".up") && !tree.contains(".top") && !tree.contains('!'), "{tree}");
    assert_eq!(tree.matches("t.child.inner.y = 8").count(), 1, "{tree}");
}

#[test]
fn texts_and_bytes_are_cut_padded_and_terminated() {
    let file = body(
        "seq:\n  - {id: a, type: str, size: 6, terminator: 0}\n  - {id: b, type: strz}\n  - {id: c, size: 4, pad-right: 0x2e}\n  \
         - {id: d, type: str, terminator: 0x7c, include: true}\n  - {id: e, type: str, size: 2, encoding: UTF-16LE}\n  - {id: f, size-eos: true}\n",
    );
    let tree = read(&file, "616200636465 666700 78792e2e 68697c 5330 0102");
    let lines = [
        "0..6 t.a = \"ab\"",
        "6..9 t.b = \"fg\"",
        "9..13 t.c = 7879",
        "13..16 t.d = \"hi|\"",
        "16..18 t.e = \"こ\"",
        "18..20 t.f = 0102",
    ];
    assert_has(&tree, &lines);
}

#[test]
fn a_failed_read_keeps_everything_before_it() {
    let file = body(
        "seq:\n  - {id: n, type: u1}\n  - {id: rows, type: row, repeat: expr, repeat-expr: n}\ntypes:\n  row:\n    seq:\n      \
         - {id: a, type: u1}\n      - {id: b, type: u2}\n",
    );
    let tree = read(&file, "03 010203 0405");
    assert_has(&tree, &["0..1 t.n = 3", "1..2 t.rows.a = 1", "2..4 t.rows.b = 770", "4..5 t.rows.a = 4"]);
    assert!(tree.contains("broken ksy.eof") && tree.contains("2 bytes needed, 1 left"), "{tree}");
    let cut = read_cut(&file, &trial::bytes("03 010203 0405"), Cut::Capture);
    assert!(cut.contains("dissect.cut") && !cut.contains("ksy.eof"), "{cut}");
}

#[test]
fn instances_are_read_at_their_place_and_calculated_when_the_root_is_complete() {
    let file = body(
        "seq:\n  - {id: at, type: u1}\n  - {id: sub, type: inner, size: 2}\n  - {id: last, type: u1}\ninstances:\n  \
         far: {pos: at, type: u1}\n  sum: {value: far + last}\n  text: {value: 'f\"{sum}\"'}\ntypes:\n  inner:\n    seq:\n      - {id: x, type: u1}\n    \
         instances:\n      later: {value: _root.last + x}\n",
    );
    let tree = read(&file, "04 0a0b 05 c8");
    assert_has(
        &tree,
        &["1..3 t.sub", "1..2 t.sub.x = 10", "t.sub.later = 15", "4..5 t.far = 200", "t.sum = 205", "t.text = \"205\""],
    );
    assert!(!tree.contains("left_over"), "an instance took the last byte\n{tree}");
}

#[test]
fn processed_bytes_lie_in_buffers_of_their_own() {
    let file = body(
        "seq:\n  - {id: a, size: 2, process: xor(0xff), type: inner}\ntypes:\n  inner:\n    seq:\n      - {id: x, type: u2}\n",
    );
    let tree = read(&file, "fefd");
    assert_has(&tree, &["0..2 t.a", "0..2 t.a.x = 513"]);
    let damaged = read(&body("seq:\n  - {id: a, size: 2, process: zlib}\n"), "789c");
    assert!(damaged.contains("broken ksy.process"), "{damaged}");
}

#[test]
fn bytes_that_cannot_be_converted_are_kept_as_they_are() {
    let types = "types:\n  inner:\n    seq:\n      - {id: x, type: u1}\n";
    for (member, note) in [
        ("{id: a, type: str, size: 4, encoding: ISO-8860-1}", "ksy.encoding"),
        ("{id: a, type: str, terminator: 0x66, consume: false, encoding: ISO-8860-1}", "ksy.encoding"),
        ("{id: a, size: 4, process: zlib}", "ksy.process"),
        ("{id: a, type: inner, size: 4, process: zlib}", "ksy.process"),
        ("{id: a, type: str, size: 4, process: zlib, encoding: UTF-8}", "ksy.process"),
        ("{id: a, type: str, size: 4, encoding: ISO-8860-1, repeat: expr, repeat-expr: 1}", "ksy.encoding"),
    ] {
        let tree = read(&body(&format!("seq:\n  - {{id: n, type: u1}}\n  - {member}\n{types}")), "01 61626364 66");
        // A node of an object has no value, but the bytes.
        let bytes = if member.contains("inner") { "1..5 t.a" } else { "1..5 t.a = 61626364" };
        assert_has(&tree, &["0..1 t.n = 1", bytes]);
        assert!(tree.contains(&format!("broken {note}")), "{tree}");
    }
}

#[test]
fn a_failed_validation_keeps_the_value() {
    let file = body("seq:\n  - {id: a, type: u1, valid: {min: 3}}\n  - {id: b, type: u1}\n");
    let tree = read(&file, "02 01");
    assert_has(&tree, &["0..1 t.a = 2"]);
    assert!(tree.contains("broken ksy.valid at 0..1 t.a") && tree.contains("less than 3") && !tree.contains("t.b ="), "{tree}");
}

#[test]
fn mistakes_of_expressions_are_notes() {
    for (expression, code) in [
        ("1 / (n - n)", "ksy.range"),
        ("n << 200", "ksy.range"),
        ("(n << 120) * 1000", "ksy.overflow"),
        ("n << 100", "ksy.overflow"),
        ("'[1, 2][n]'", "ksy.range"),
        ("'\"x\".to_i'", "ksy.conversion"),
    ] {
        let file = body(&format!("seq:\n  - {{id: n, type: u1}}\ninstances:\n  v:\n    value: {expression}\n"));
        let tree = read(&file, "05");
        assert!(tree.contains(code), "{expression}: {tree}");
    }
}

#[test]
fn text_in_another_encoding_is_shown_with_a_note() {
    let tree = read(&body("seq:\n  - {id: a, type: str, size: 2}\n"), "61ff");
    assert!(tree.contains("t.a = \"a\u{fffd}\"") && tree.contains("odd ksy.characters at 0..2 t.a"), "{tree}");
}

/// Files for hostile bytes that together use every construct of the language.
const FILES: &[&str] = &[
    "seq:\n  - {id: n, type: u2}\n  - {id: rows, type: row, repeat: expr, repeat-expr: n}\n  - {id: rest, type: row, repeat: eos}\ntypes:\n  \
     row:\n    seq:\n      - {id: kind, type: u1, enum: kind}\n      - {id: len, type: u1}\n      - id: body\n        size: len\n        type:\n          \
     switch-on: kind\n          cases:\n            'kind::text': text\n            'kind::list': list\n            'kind::packed': packed\n  text:\n    \
     seq:\n      - {id: value, type: strz}\n    to-string: value\n  list:\n    seq:\n      - {id: items, type: row, repeat: eos}\n    instances:\n      \
     first_len: {value: items.first.len}\n      total: {value: 'items.size * first_len'}\n  packed:\n    seq:\n      - {id: inner, size-eos: true, process: zlib, type: list}\n\
     enums:\n  kind: {1: text, 2: list, 3: packed}\n",
    "seq:\n  - {id: at, type: u1}\n  - {id: flags, type: b3}\n  - {id: more, type: b13}\n  - {id: name, type: str, size: 4, terminator: 0, encoding: UTF-16LE}\n  \
     - {id: until, type: u1, repeat: until, repeat-until: '_ == 0 or _index > 9'}\ninstances:\n  far: {pos: at, type: node}\n  \
     deep: {value: 'far.next.next.value + at * more / (flags + 1)'}\n  joined: {value: 'name + \"-\" + name.reverse'}\ntypes:\n  node:\n    seq:\n      \
     - {id: offset, type: u1}\n      - {id: value, type: s4be, valid: {min: -1000000000}}\n    instances:\n      next: {pos: offset, type: node}\n",
    "seq:\n  - {id: key, type: u1}\n  - {id: len, type: u4}\n  - {id: body, size: len, process: xor(key), type: body(key)}\n  - {id: tail, type: strz, eos-error: false}\ntypes:\n  \
     body:\n    params:\n      - {id: depth, type: u1}\n    seq:\n      - {id: x, type: f8}\n      - {id: again, type: body(depth - 1), if: depth > 0}\n    instances:\n      \
     parent_len: {value: '_parent.as<t>.len', if: depth == 99}\n      word: {value: 'x.to_i.to_s.length'}\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_break_a_run(file in 0..FILES.len(), bytes in proptest::collection::vec(hostile(), 0..300)) {
        let tree = read_cut(&body(FILES[file]), &bytes, Cut::No);
        prop_assert!(tree.starts_with("t 0.."), "{}", tree);
        // The tree of few bytes is small, whatever their content.
        prop_assert!(tree.lines().count() < 100_000, "{} lines", tree.lines().count());
        let again = read_cut(&body(FILES[file]), &bytes, Cut::No);
        prop_assert_eq!(tree, again);
    }
}

/// Number of cases: few by default, `KSY_CASES` for a long run.
fn cases() -> u32 {
    std::env::var("KSY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(96)
}

/// Bytes that often act as counts, types and offsets.
fn hostile() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0_u8..4, 1 => Just(0xff), 2 => any::<u8>()]
}

#[test]
fn integers_are_shown_in_hexadecimal_where_a_file_says_so() {
    let file = body(
        "seq:\n  - {id: op, type: u2, -webide-representation: '{this:hex}'}\n  - {id: id, type: u4}\n  - {id: n, type: s1}\n\
         instances:\n  text: {value: 'f\"{op:x} {op:06X} {op:#x} {op:d} {n:04x} {n > 0 ? n : op:x}\"'}\n\
         -webide-representation: '{id:hex} of {op:dec}'\n",
    );
    let tree = read(&file, "45f7 0d000000 ff");
    assert_has(&tree, &["0..2 t.op = 0xf745", "2..6 t.id = 0x0000000d", "t.text = \"f745 00F745 0xf745 63301 -001 f745\""]);
}

#[test]
fn what_a_file_does_not_describe_is_bytes() {
    let file = "meta:\n  id: t\n  endian: le\n  ks-opaque-types: true\nseq:\n  - {id: a, type: elsewhere, size: 2}\n  \
                - {id: b, size: 1, process: 'own.cipher(a)'}\n  - {id: c, type: elsewhere}\n";
    let tree = read(file, "aabb cc dd");
    assert_has(&tree, &["0..2 t.a = aabb", "2..3 t.b = cc", "3..4 t.c = dd"]);
    assert!(!tree.contains("malformed"), "{tree}");
}

#[test]
fn casts_convert_as_languages_without_static_types_do() {
    let file = body(
        "seq: [{id: flag, type: b1}, {id: rest, type: b7}]\ninstances:\n  count: {value: 'flag.as<u1> + 1'}\n  \
         text: {value: '(rest + 1).as<str>'}\n  truth: {value: 'rest.as<bool>'}\n  number: {value: '\"12\".as<u2> + 1'}\n",
    );
    assert_has(&read(&file, "83"), &["t.count = 2", "t.text = \"4\"", "t.truth = true", "t.number = 13"]);
}
