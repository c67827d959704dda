//! Kaitai Struct files that try to exhaust memory and time: the program ends quickly with little memory, and states the limit.
#![cfg(unix)]

use crate::common::{Scratch, own_cases, program};
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;
use wait4::Wait4;

/// Maximum resident memory. An ordinary file of 4 MiB takes most of that.
const MEMORY: u64 = 320 << 20;
/// Maximum CPU time of an unoptimized program.
const TIME: Duration = Duration::from_secs(40);

/// The exit code and the text of a run over bytes, within the limits.
fn run(name: &str, file: &str, input: &[u8]) -> (i32, String) {
    let file = Scratch::new(&format!("hostile_{name}.ksy"), file.as_bytes());
    let input = Scratch::new(&format!("hostile_{name}.bin"), input);
    bounded(name, &["-k", file.path(), "--input-format", "raw", "--json", input.path()])
}

/// The exit code and the text of a run with these arguments, within the limits.
fn bounded(name: &str, arguments: &[&str]) -> (i32, String) {
    let printed = Scratch::new(&format!("hostile_{name}.txt"), b"");
    let out = fs::File::create(printed.path()).unwrap();
    let (stdout, stderr) = (Stdio::from(out.try_clone().unwrap()), Stdio::from(out));
    let ended = program().args(arguments).stdout(stdout).stderr(stderr).spawn().unwrap().wait4().unwrap();
    let usage = ended.rusage;
    assert!(usage.maxrss < MEMORY, "{name}: {} MiB", usage.maxrss >> 20);
    assert!(usage.utime + usage.stime < TIME, "{name}: {:?}", usage.utime);
    let mut text = Vec::new();
    fs::File::open(printed.path()).unwrap().read_to_end(&mut text).unwrap();
    (ended.status.code().unwrap_or(-1), String::from_utf8(text).unwrap())
}

/// The text of a file with this body.
fn body(text: &str) -> String {
    format!("meta: {{id: t, encoding: UTF-8, endian: le}}\n{text}")
}

/// `count` elements created from their number, separated by commas.
fn listed(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(", ")
}

/// Types `t0` up to `t{count}`, each with a body that refers to the next one; the last one has a byte.
fn chain(count: usize, one: impl Fn(usize) -> String) -> String {
    let mut types = "types:\n".to_owned();
    (0..count).for_each(|at| writeln!(types, "  t{at}: {{{}}}", one(at + 1)).unwrap());
    types + &format!("  t{count}: {{seq: [{{id: x, type: u1}}]}}\n")
}

#[test]
fn types_that_hold_each_other_take_memory_of_their_words_alone() {
    let mutual = |other: &str| listed(3000, |n| format!("{{id: f{n}, type: {other}, repeat: expr, repeat-expr: n}}"));
    let types = |own: &str, other: &str| format!("  {own}: {{seq: [{{id: n, type: u1}}, {}]}}\n", mutual(other));
    let file = body(&format!("seq: [{{id: x, type: a}}]\ntypes:\n{}{}", types("a", "b"), types("b", "a")));
    let (code, text) = run("mutual", &file, &[0; 8]);
    assert!(code == 0 && text.contains("\"t.x.n\""), "{text:.300}");
    let wide = listed(9000, |n| format!("{{id: a{n}, type: w}}"));
    let fields = listed(9000, |n| format!("{{id: f{n}, type: u1}}"));
    let (code, text) = run("wide", &body(&format!("seq: [{wide}]\ntypes: {{w: {{seq: [{fields}]}}}}\n")), &[0; 8]);
    assert!(code == 0 && text.contains("ksy.eof"), "{text:.300}");
}

#[test]
fn types_inside_each_other_take_no_stack_and_no_exponential_time() {
    let deep = chain(15_000, |next| format!("seq: [{{id: a, type: t{next}}}]"));
    let empty =
        chain(60, |next| format!("seq: [{{id: a, type: t{next}}}, {{id: b, type: t{next}}}]")).replace("{id: x, type: u1}", "");
    let placed = chain(100, |next| format!("instances: {{a: {{pos: 0, type: t{next}}}, b: {{pos: 0, type: t{next}}}}}"));
    let all = [("deep", deep, "ksy.recursion"), ("doubling", empty, "ksy.values"), ("placed", placed, "\"notes\"")];
    for (name, types, words) in own_cases(all, 0, 2) {
        let (code, text) = run(name, &body(&format!("seq: [{{id: x, type: t0}}]\n{types}")), &[0; 8]);
        assert!(code == 0 && text.contains(words), "{text:.300}");
    }
}

#[test]
fn lists_and_texts_of_themselves_end_at_a_limit() {
    let lists: String = (1..60).fold(String::new(), |all, n| all + &format!("  a{n}: {{value: '[a{0}, a{0}]'}}\n", n - 1));
    let lists = format!("seq: [{{id: x, type: u1}}]\ninstances:\n  a0: {{value: '[x, x]'}}\n{lists}");
    let texts: String = (1..60).fold(String::new(), |all, n| all + &format!("  a{n}: {{value: 'a{0} + a{0}'}}\n", n - 1));
    let texts = format!("seq: [{{id: x, type: u1}}]\ninstances:\n  a0: {{value: 'x.to_s'}}\n{texts}");
    let sums = chain(60, |next| format!("seq: [{{id: a, type: t{next}}}], to-string: 'f\"{{a}}{{a}}\"'"));
    let sums = format!("seq: [{{id: x, type: t0}}]\n{sums}");
    let all = [
        ("lists", lists, &[0; 8][..], "ksy.operations"),
        ("texts", texts, b"1", "ksy.computed"),
        ("sums", sums, &[0; 8], "ksy.computed"),
    ];
    for (name, file, input, words) in own_cases(all, 0, 2) {
        let (code, text) = run(name, &body(&file), input);
        assert!(code == 0 && text.contains(words), "{text:.300}");
    }
}

#[test]
fn elements_without_bytes_end_at_a_limit() {
    let all = [
        ("objects", "type: none"),
        ("streams", "size: 0, type: none"),
        ("lists_of_none", "type: list"),
        ("buffers", "size: 0, process: xor(1)"),
    ];
    for (name, inner) in own_cases(all, 0, 2) {
        let file = format!(
            "seq: [{{id: x, type: o, repeat: expr, repeat-expr: 16000}}]\ntypes:\n  o: {{seq: [{{id: y, {inner}, repeat: expr, repeat-expr: 16000}}]}}\n  none: {{}}\n  list: {{seq: [{{id: z, type: u1, repeat: expr, repeat-expr: 0}}]}}\n"
        );
        let (code, text) = run(name, &body(&file), &[0; 8]);
        let limit = if name == "buffers" { "ksy.inflated" } else { "ksy.values" };
        assert!(code == 0 && text.contains(limit), "{name}: {text:.300}");
    }
}

#[test]
fn remarks_and_comparisons_on_a_long_message_take_linear_time() {
    let texts = body("seq: [{id: x, type: str, size: 1, repeat: eos}]\n");
    let (code, text) = run("remarks", &texts, &[0xff; 1 << 19]);
    assert!(code == 0 && text.contains("ksy.characters"), "{text:.300}");
    let bytes = "{pos: 0, size-eos: true}";
    let equal = ["_root.v == _root.w"; 15].join(" and ");
    let file = format!(
        "seq: [{{id: x, type: o, repeat: expr, repeat-expr: 10000}}]\ninstances: {{v: {bytes}, w: {bytes}}}\ntypes: {{o: {{instances: {{q: {{value: '{equal}'}}}}}}}}\n"
    );
    let (code, text) = run("compared", &body(&file), &[0; 1 << 19]);
    assert!(code == 0 && text.contains("ksy.operations"), "{text:.300}");
}

#[test]
fn bombs_of_zlib_are_inflated_up_to_one_limit() {
    use std::io::Write as _;
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&vec![0; 40 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    let file = body(
        "seq: [{id: x, type: o, repeat: expr, repeat-expr: 10000}]\ntypes: {o: {instances: {v: {pos: 0, io: _root._io, size-eos: true, process: zlib}}}}\n",
    );
    let (code, text) = run("bomb", &file, &packed);
    assert!(code == 0 && text.contains("ksy.inflated"), "{text:.300}");
    // A stream truncated at its end was inflated, too.
    let (code, text) = run("damaged_bomb", &file, &packed[..packed.len() - 6]);
    assert!(code == 0 && text.contains("ksy.process") && text.contains("ksy.inflated"), "{text:.300}");
}

#[test]
fn files_of_many_words_are_rejected_or_small() {
    let cases = |count| {
        format!(
            "seq:\n- {{id: k, type: u1}}\n- {{id: y, type: {{switch-on: k, cases: {{{}}}}}}}\ntypes: {{{}}}\n",
            listed(count, |n| format!("{n}: t{n}")),
            listed(count, |n| format!("t{n}: {{}}"))
        )
    };
    let all = [
        (
            "attributes",
            format!("seq: [{}]\n", listed(70_000, |n| format!("{{id: a{n}, type: u1}}"))),
            2,
            "more than 65536 attributes",
        ),
        ("types", format!("types: {{{}}}\n", listed(30_000, |n| format!("t{n}: {{}}"))), 2, "more than 65536 attributes"),
        ("contents", format!("seq: [{{id: a, contents: [{}]}}]\n", vec!["1"; 2_000_000].join(",")), 2, "more than 524288 nodes"),
        (
            "terms",
            format!("seq: [{}]\n", listed(20_000, |n| format!("{{id: a{n}, size: {}0}}", "1+".repeat(50)))),
            2,
            "more than 1 MiB of expressions",
        ),
        (
            "pieces",
            format!("seq: [{{id: x, type: u1}}]\ninstances: {{s: {{value: 'f\"{}\"'}}}}\n", "{x}".repeat(300_000)),
            0,
            "ksy.computed",
        ),
        ("cases", cases(16_000), 0, "\"type\":\"end\""),
        ("more_cases", cases(17_000), 2, "a switch with more than 16384 cases"),
        ("large", format!("doc: {}\n", "a".repeat(5 << 20)), 2, "larger than 4 MiB"),
    ];
    for (name, file, code, message) in own_cases(all, 0, 4) {
        let (ended, text) = run(name, &body(&file), b"\x01");
        assert!(ended == code && (text.contains(message) || name == "pieces"), "{name}: {ended} {text:.300}");
    }
}

#[test]
fn files_that_import_each_other_are_bounded_together() {
    let folder = crate::common::Folder::new("hostile-imports");
    for n in 0..6 {
        let file = format!("meta: {{id: f{n}, imports: [f{}]}}\ndoc: {}\n", (n + 1) % 6, "a".repeat(3 << 20));
        fs::write(folder.file(&format!("f{n}.ksy")), file).unwrap();
    }
    let done = crate::common::run(&["ksy", "check", folder.file("f0.ksy").to_str().unwrap()]);
    assert!(done.code == 2 && done.out.contains("with this file, all are larger than 16 MiB"), "{done:?}");
}

#[test]
fn dissectors_in_lua_are_written_soon_or_refused() {
    let doubled = chain(1000, |next| format!("seq: [{{id: a, type: t{next}}}, {{id: b, type: t{next}}}]"));
    let wide = format!("types: {{w: {{seq: [{}]}}}}\n", listed(4000, |n| format!("{{id: f{n}, type: u1}}")));
    let wide = format!("seq: [{}]\n{wide}", listed(4000, |n| format!("{{id: a{n}, type: w}}")));
    let deep = chain(2000, |next| format!("seq: [{{id: a, type: t{next}}}]"));
    let all = [
        ("lua_doubled", format!("seq: [{{id: x, type: t0}}]\n{doubled}"), 0, "Proto("),
        ("lua_wide", wide, 0, "Proto("),
        ("lua_deep", format!("seq: [{{id: x, type: t0}}]\n{deep}"), 2, "written for up to 1024"),
    ];
    for (name, file, code, words) in own_cases(all, 1, 3) {
        let file = Scratch::new(&format!("hostile_{name}.ksy"), body(&file).as_bytes());
        let (ended, text) = bounded(name, &["ksy", "lua", file.path()]);
        assert!(ended == code && text.contains(words), "{name}: {ended} {text:.300}");
    }
}
