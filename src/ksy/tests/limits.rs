//! Limits, and reports that stay short.

use super::{Folder, body, loaded, messages, mistake, spec};
use crate::ksy::expr::Kind;
use crate::ksy::files;
use crate::ksy::framing::{Framing, framing};
use crate::ksy::load;
use crate::ksy::model::{Ty, ValueSource};
use crate::tree::steps::steps_of;
use std::fmt::Write;

#[test]
fn files_beyond_the_limit_are_rejected() {
    let folder = Folder::new("size");
    let mut text = "meta:\n  id: big\n".to_owned();
    let big = folder.write("big.ksy", &format!("{text}#{}\n", "x".repeat(files::FILE_BYTES)));
    assert_eq!(messages(&load(&[big], &[])), ["the file is larger than 4 MiB"]);
    text.push_str(&format!("#{}\n", "x".repeat(files::FILE_BYTES - text.len() - 2)));
    assert_eq!(text.len(), files::FILE_BYTES);
    let fits = folder.write("fits.ksy", &text);
    assert!(load(&[fits], &[]).spec.is_some());
}

#[test]
fn nesting_beyond_the_limit_is_rejected() {
    let nested = |levels: usize| body(&format!("-x: {}{}\n", "[".repeat(levels), "]".repeat(levels)));
    assert!(loaded(&nested(63)).spec.is_some());
    assert_eq!(messages(&loaded(&nested(64))), ["lists and maps inside each other more than 64 levels deep"]);
    assert_eq!(messages(&loaded(&nested(1 << 20))), ["lists and maps inside each other more than 64 levels deep"]);
}

#[test]
fn aliases_cannot_multiply_without_bound() {
    let mut text = "meta:\n  id: a\n-a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let last = format!("*a{}, ", level - 1).repeat(10);
        let _ = writeln!(text, "-a{level}: &a{level} [{}]", last.trim_end_matches(", "));
    }
    assert_eq!(messages(&loaded(&text)), ["more than 524288 nodes, with those that aliases repeat"]);
    let alias = spec("meta:\n  id: a\nseq:\n  - &one\n    id: x\n    type: u1\n  - <<: *one\n    id: y\n");
    assert_eq!(alias.types[0].seq[1].ty, Ty::Int);
}

#[test]
fn deep_expressions_are_rejected() {
    for expression in
        [format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)), "1 + ".repeat(100_000) + "1", "-".repeat(100_000) + "1"]
    {
        let loaded = loaded(&body(&format!("instances:\n  x:\n    value: {expression:?}\n")));
        assert!(messages(&loaded)[0].starts_with("an expression with more than 100"), "{:?}", messages(&loaded));
    }
}

#[test]
fn instances_that_depend_on_themselves_are_rejected() {
    let text = body("instances:\n  a:\n    value: b + 1\n  b:\n    value: a + 1\n");
    assert_eq!(messages(&loaded(&text)), ["the instance `b` depends on itself"]);
    let other = "instances:\n  depth:\n    value: '(last ? 1 : next.depth + 1).as<u4>'\nseq:\n  - {id: last, type: b1}\n  - {id: next, type: test, if: not last}\n";
    assert_eq!(spec(&body(other)).types[0].instances[0].ty, Ty::Int);
    for value in ["", " + 1", ".to_s.to_i"] {
        let mut chain = "instances:\n".to_owned();
        for n in 0..1000 {
            let _ = write!(chain, "  a{n}:\n    value: a{}{value}\n", n + 1);
        }
        let loaded = loaded(&(body(&chain) + "  a1000:\n    value: 1\n"));
        assert!(messages(&loaded)[0].starts_with("instances that depend on each other more than"), "{:?}", messages(&loaded));
    }
}

#[test]
fn types_that_contain_two_of_the_next_one_take_no_exponential_time() {
    let mut text = "instances:\n  size:\n    value: sizeof<t0>\nseq:\n  - id: a\n    type: t0\ntypes:\n".to_owned();
    for n in 0..60 {
        let _ = write!(text, "  t{n}:\n    seq:\n      - id: a\n        type: t{0}\n      - id: b\n        type: t{0}\n", n + 1);
    }
    let text = body(&text) + "  t60:\n    seq:\n      - id: x\n        type: u1\n";
    let spec = spec(&text);
    assert_eq!(framing(&spec, spec.roots[0]), Framing::SelfDelimiting);
    let ValueSource::Value(size) = &spec.types[0].instances[0].source else { panic!() };
    assert!(matches!(size.kind, Kind::Int(size) if size == 1 << 60));
}

#[test]
fn many_errors_are_counted_and_not_listed() {
    let mut text = "seq:\n".to_owned();
    for n in 0..5000 {
        let _ = write!(text, "  - id: x{n}\n    type: unknown{n}\n");
    }
    let loaded = loaded(&body(&text));
    assert_eq!(loaded.diagnostics.len(), 201);
    assert_eq!(loaded.diagnostics[200].message, "4800 more errors and warnings are not listed");
}

#[test]
fn the_size_of_a_switch_cannot_multiply_without_bound() {
    let cases: String = (0..10_000).map(|n| format!("        {n}: foo\n")).collect();
    for size in [format!("[{}1].size", "1,".repeat(100_000)), format!("\"{}\".length", "a".repeat(200_000))] {
        let text = format!(
            "seq:\n  - id: y\n    type: u1\n  - id: x\n    size: '{size}'\n    type:\n      switch-on: y\n      cases:\n{cases}types:\n  foo: {{}}\n"
        );
        assert_eq!(messages(&loaded(&body(&text))), ["more than 1048576 expressions in all files"]);
    }
}

#[test]
fn a_malformed_name_is_one_error_however_often_it_is_used() {
    let text = "meta:\n  id: My-Proto\nseq:\n  - id: msgLen\n    type: u1\n  - id: data\n    size: msgLen\n  - id: more\n    size: msgLen * 2\n";
    assert_eq!(
        messages(&loaded(text)),
        ["the `id` of a file cannot be `My-Proto`", "the `id` of an attribute cannot be `msgLen`"]
    );
}

#[test]
fn names_beyond_the_limit_are_rejected() {
    let long = "x".repeat(256);
    let text = body(&format!("seq:\n  - {{id: {long}, type: u1}}\n"));
    assert!(mistake(&text).contains("is longer than 255 characters"));
}

#[test]
fn errors_in_one_long_line_keep_the_part_around_their_columns() {
    let errors: Vec<String> = (0..1000).map(|at| format!("{{id: a{at}, type: u9}}")).collect();
    let loaded = loaded(&format!("{{meta: {{id: t}}, seq: [{}]}}", errors.join(", ")));
    assert!(loaded.diagnostics.iter().all(|diagnostic| diagnostic.source.chars().count() <= 400));
    let last = &loaded.diagnostics[150];
    assert!(last.to_string().contains("type: u9"), "{last}");
}

#[test]
fn fields_of_many_paths_share_their_words_and_have_short_names() {
    let name = "n".repeat(200);
    let types: String = (0..40).map(|at| format!("  t{at}: {{seq: [{{id: {name}{at}, type: t{}}}]}}\n", at + 1)).collect();
    let spec = spec(&body(&format!("seq: [{{id: a, type: t0}}]\ntypes:\n{types}  t40: {{seq: [{{id: z, type: u1}}]}}\n")));
    let top = spec.roots[0];
    let fields = crate::ksy::protocol(&spec, top, None, false).fields;
    assert!(fields.iter().all(|field| field.abbrev.len() < 2000) && fields.iter().any(|field| field.abbrev.ends_with(".z")));
    assert!(crate::ksy::lua::dissector(&spec, top).text.lines().all(|line| line.len() < 6000));
}

#[test]
fn secrets_take_steps_in_proportion_to_the_fields() {
    let steps = |count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("a{number}")).collect();
        let fields: String = names.iter().map(|name| format!("  - {{id: {name}, type: u1}}\n")).collect();
        let registration = format!("-proto-dissect: {{transport: udp, ports: [5], secret: [{}]}}", names.join(", "));
        let text = format!("meta: {{id: many, {registration}}}\nseq:\n{fields}");
        steps_of(|| {
            let spec = spec(&text);
            let _ = crate::ksy::protocol(&spec, spec.roots[0], None, false);
        })
    };
    let [few, many] = [50, 200].map(steps);
    assert!(few > 100 && many <= 4 * few + 8, "{few} {many}");
}

#[test]
fn suggestions_are_searched_for_the_first_errors_alone() {
    let fields: String = (0..40).map(|number| format!("  - {{id: field{number}, type: u1, if: fjeld{number} == 1}}\n")).collect();
    let loaded = loaded(&format!("meta: {{id: many}}\nseq:\n{fields}"));
    assert_eq!(loaded.diagnostics.len(), 40);
    let helped = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.help.is_some()).count();
    assert_eq!(helped, 10);
}
