//! Warnings about sessions that load but cannot work as meant, and errors in their expressions.

use super::{body, loaded, messages, printed};

/// The problems of a file with this session and the rest.
fn problems(session: &str, rest: &str) -> Vec<String> {
    let text = format!(
        "meta:\n  id: test\n  endian: le\n  -proto-dissect: {{transport: tcp, ports: [1], message: m, session: {session}}}\n{rest}"
    );
    let loaded = loaded(&text);
    assert!(loaded.diagnostics.iter().all(|one| one.to_string().starts_with("test.ksy:")), "{}", printed(&loaded.diagnostics));
    messages(&loaded).into_iter().map(str::to_owned).collect()
}

/// A message type that has these attributes.
fn message(params: &str, seq: &str) -> String {
    format!("params: [{params}]\nseq: [{{id: all, type: m, repeat: eos}}]\ntypes:\n  m: {{seq: [{seq}]}}\n")
}

const A: &str = "{id: a, type: u1}";

#[test]
fn variables_that_are_never_set_or_read_are_named() {
    let never_set = message(A, "{id: n, size: _root.a}");
    assert_eq!(problems("{a: 3}", &never_set), ["the session variable `a` is never set"]);
    let never_read = message(A, "{id: n, type: u1, -proto-dissect: {set: {a: n}}}");
    assert_eq!(problems("{a: 3}", &never_read), ["the session variable `a` is never read"]);
    let both = message(A, "{id: n, size: _root.a}, {id: k, type: u1, -proto-dissect: {set: {a: k}}}");
    assert!(problems("{a: 3}", &both).is_empty());
    // One more after each message is a change.
    assert!(problems("{a: {init: 0, increment: true}}", &never_set).is_empty());
}

#[test]
fn a_variable_that_is_no_parameter_is_named() {
    let found = problems("{a: 3}", &message("", "{id: n, size: _root.a}"));
    assert_eq!(found, ["the session variable `a` is no parameter of `test`"]);
}

#[test]
fn an_attribute_that_shadows_a_variable_is_named() {
    let seq = "{id: a, type: u1, -proto-dissect: {set: {a: a}}}, {id: n, size: a * 2}, {id: k, size: _root.a}";
    assert_eq!(problems("{a: 3}", &message(A, seq)), ["`a` is the attribute here, not the session variable of this name"]);
}

#[test]
fn a_key_that_nothing_checks_is_named() {
    let of = |valid: &str| {
        let seq = format!("{{id: d, size: 4, type: x, process: rc4(_root.k)}}]}}\n  x: {{seq: [{{id: y, type: u4{valid}}}");
        problems("{k: key}", &message("{id: k, type: bytes}", &seq))
    };
    assert_eq!(of(""), ["a wrong key would not be noticed"]);
    assert!(of(", valid: 7").is_empty());
}

#[test]
fn a_key_of_a_whole_direction_that_nothing_checks_is_named() {
    let of = |stages: &str, valid: &str| {
        let seq = format!("{{id: y, type: u4{valid}, -proto-dissect: {{stream: {{client: '{stages}'}}}}}}");
        problems("{k: key}", &message("{id: k, type: bytes}", &seq))
    };
    assert_eq!(of("rc4(_root.k)", ""), ["a wrong key would not be noticed"]);
    assert!(of("rc4(_root.k)", ", valid: 7").is_empty());
    // Bytes that are no stream of zlib are noticed.
    assert!(of("[rc4(_root.k), zlib]", "").is_empty());
    assert_eq!(of("[zlib, rc4(_root.k)]", ""), ["a wrong key would not be noticed"]);
    // What is read once, before the key, does not check it.
    let rest = "params: [{id: k, type: bytes}]\nseq: [{id: hello, contents: [7], -proto-dissect: {stream: {both: rc4(_root.k)}}}, {id: all, type: m, repeat: eos}]\ntypes:\n  m: {seq: [{id: y, type: u4}]}\n";
    assert_eq!(problems("{k: key}", rest), ["a wrong key would not be noticed"]);
}

#[test]
fn a_key_made_from_a_key_that_nothing_checks_is_named() {
    let of = |session: &str, more: &str, valid: &str| {
        let seq = format!("{{id: y, type: u4}}{more}, {{id: d, size: 4, process: rc4(_root.derived){valid}}}");
        problems(session, &message("{id: k, type: bytes}, {id: derived, type: bytes}", &seq))
    };
    let computed = "{k: key, derived: 'sha1(_root.k)'}";
    assert_eq!(of(computed, "", ""), ["a wrong key would not be noticed"]);
    assert!(of(computed, "", ", valid: '[1, 2, 3, 4]'").is_empty());
    let set = ", {id: z, type: u1, -proto-dissect: {set: {derived: 'md5(_root.k)'}}}";
    assert_eq!(of("{k: key, derived: '[]'}", set, ""), ["a wrong key would not be noticed"]);
    // A key that a message states is no key of the key file.
    let stated = ", {id: z, size: 4, -proto-dissect: {set: {derived: z}}}";
    assert_eq!(of("{k: key, derived: '[]'}", stated, ""), ["the session variable `k` is never read"]);
}

#[test]
fn settings_without_effect_are_named() {
    let read = message("{id: k, type: bytes}", "{id: n, size: 1, valid: _root.k}");
    let found = problems("{k: {init: key, per: direction, share: client}}", &read);
    assert!(found.iter().any(|one| one == "`per: direction` of a session variable that conversations share"), "{found:?}");
    let expected = ["`reset-on` of a session variable that nothing changes"];
    assert_eq!(problems("{k: {init: key, reset-on: gap}}", &read), expected);
    let expected = ["`increment` of a session variable that is no integer"];
    assert_eq!(problems("{k: {init: key, increment: true}}", &read), expected);
    let seq = "{id: d, size: 8, process: xtea(_root.k), -proto-dissect: {continue: d}}, {id: e, size: 0, valid: '[]'}";
    let expected = ["`continue` has no effect on `xtea`: each message stands alone"];
    assert_eq!(problems("{k: key}", &message("{id: k, type: bytes}", seq)), expected);
}

#[test]
fn valid_on_a_calculated_instance_is_not_portable() {
    let text = "meta: {id: test}\nseq: [{id: a, type: u1}]\ninstances:\n  sane: {value: a + 1, valid: {max: 3}}\n";
    assert_eq!(messages(&loaded(text)), ["the reference compiler refuses `valid` on a calculated instance"]);
}

#[test]
fn expressions_of_sessions_have_types() {
    let set = message(A, "{id: n, size: _root.a}, {id: k, type: u1, -proto-dissect: {set: {a: '\"x\"'}}}");
    assert_eq!(problems("{a: 3}", &set), ["`a` is an integer, and this is text"]);
    assert_eq!(
        problems("{a: '\"x\"'}", &set),
        ["`a` is an integer, and its first value is text", "`a` is an integer, and this is text"]
    );
    let stream = message("", "{id: n, type: u1, -proto-dissect: {stream: {both: rc4(3)}}}");
    assert_eq!(problems("{}", &stream), ["`key` of `rc4` is bytes, and this is an integer"]);
    let processor = message("", "{id: n, size: 4, process: rc4(3), -proto-dissect: {continue: n}}");
    assert_eq!(problems("{}", &processor), ["`key` of `rc4` is bytes, and this is an integer"]);
    let circle = problems("{a: _root.b, b: _root.a}", &message("{id: a, type: u1}, {id: b, type: u1}", "{id: n, size: _root.a}"));
    assert_eq!(circle, ["the first value of the session variable depends on itself"]);
    let text = "meta: {id: test}\nseq: [{id: a, type: u1, -proto-dissect: {set: {x: 1}}}]\n";
    assert_eq!(messages(&loaded(text)), ["`session` declares no variable `x`"]);
}

#[test]
fn a_switch_that_may_lose_the_end_of_a_message_is_named() {
    let file = |registration: &str, rest: &str| {
        format!(
            "meta:\n  id: test\n  endian: le\n{registration}seq: [{{id: m, type: msg, repeat: eos}}]\ntypes:\n  msg:\n    seq:\n      \
             - {{id: op, type: u1, enum: ops}}\n      - {{id: body, type: {{switch-on: op, cases: {{'ops::a': a{rest}}}}}}}\n  \
             a: {{seq: [{{id: x, type: u1}}]}}\nenums: {{ops: {{1: a, 2: b}}}}\n"
        )
    };
    let tcp = "  -proto-dissect: {transport: tcp, ports: [5000]}\n";
    let warned = "`body` is a switch without `_` and without `size`: a value without a case, such as `ops::b`, leaves the end of the \
                  message unknown";
    assert_eq!(messages(&loaded(&file(tcp, ""))), [warned]);
    assert_eq!(messages(&loaded(&file("", ""))), [warned]);
    assert_eq!(messages(&loaded(&file(tcp, ", _: a"))), [""; 0]);
    assert_eq!(messages(&loaded(&file(&tcp.replace("tcp", "udp"), ""))), [""; 0]);
    let sized = file(tcp, "").replace("{id: body,", "{id: body, size: 4,");
    assert_eq!(messages(&loaded(&sized)), [""; 0]);
}

#[test]
fn a_misspelt_key_that_other_programs_ignore_is_named() {
    let text = body("  -proto-disect: {transport: tcp}\nseq: [{id: x, type: u1, -webide-parse-mode: eager}]\n");
    assert_eq!(messages(&loaded(&text)), ["`-proto-disect` has no meaning in `meta`"]);
}
