//! Generated Lua of small files.

use super::dissector;
use crate::ksy::{Loaded, load_text};
use std::path::Path;

/// The protocol-specific part of the text, and the warnings.
fn lua_of(body: &str) -> (String, Vec<String>) {
    let text = format!("meta: {{id: t, endian: le, encoding: UTF-8}}\n{body}");
    let Loaded { spec, diagnostics, .. } = load_text(Path::new("t.ksy"), &text);
    let spec = spec.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let written = dissector(&spec, spec.roots[0]);
    let own = written.text.split("-- The protocol t.\n").nth(1).unwrap().to_owned();
    (own, written.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

/// Whether the Lua contains these consecutive lines, with any indentation.
fn assert_lines(body: &str, expected: &[&str]) {
    let (lua, warnings) = lua_of(body);
    let lines: Vec<&str> = lua.lines().map(str::trim).collect();
    let is_there = lines.windows(expected.len()).any(|window| window == expected);
    assert!(is_there && warnings.is_empty(), "{expected:#?} is not in\n{lua}\n{warnings:?}");
}

#[test]
fn numbers_have_their_size_sign_and_byte_order() {
    assert_lines(
        "seq: [{id: a, type: u1}, {id: b, type: s2be}, {id: c, type: f8}, {id: d, type: b3}, {id: e, type: b1}]\n",
        &[
            "function types.t.read(this, io, tree, path)",
            "this.a = unsigned(io, tree, path .. \".a\", 1)",
            "this.b = signed(io, tree, path .. \".b\", 2, BIG)",
            "this.c = float(io, tree, path .. \".c\", 8, LITTLE)",
            "this.d = bits(io, tree, path .. \".d\", 3, BIG)",
            "this.e = bits(io, tree, path .. \".e\", 1, BIG, true)",
            "end",
        ],
    );
}

#[test]
fn fields_have_types_names_and_documentation() {
    let body = "seq: [{id: kind, type: u1, enum: kinds, doc: 'What \"it\" is.'}, {id: end, type: s8}]\nenums: {kinds: {1: say, -2: do}}\n";
    assert_lines(body, &["names.kinds = {", "[-2] = \"do\",", "[1] = \"say\",", "}"]);
    assert_lines(
        body,
        &[
            "field(\"t.kind\", \"kind\", ftypes.UINT8, \"What \\\"it\\\" is.\", names.kinds)",
            "field(\"t.end\", \"end\", ftypes.INT64)",
        ],
    );
    // Reserved words of Lua are no names.
    assert_lines(body, &["this[\"end\"] = signed(io, tree, path .. \".end\", 8, LITTLE)"]);
}

#[test]
fn bytes_and_texts_are_taken_as_the_file_states() {
    let part = |keys: &str, expected: &str| {
        assert_lines(&format!("seq: [{{id: a, {keys}}}]\n"), &[&format!("this.a = bytes(tree, path .. \".a\", {expected})")]);
    };
    part("size: 4", "sized(io, 4)");
    part("size-eos: true", "rest(io)");
    part("size: 4, pad-right: 32", "sized(io, 4, 32)");
    part("size: 4, terminator: 0, include: true", "sized(io, 4, nil, \"\\0\", true)");
    part("terminator: 10", "terminated(io, \"\\10\")");
    part("terminator: 10, eos-error: false", "terminated(io, \"\\10\", false, false, true)");
    part("size: 4, process: xor(0x5a)", "xor(sized(io, 4), 90)");
    part("size: 4, process: zlib", "inflate(sized(io, 4))");
    assert_lines(
        "seq: [{id: a, type: str, size: 3, encoding: UTF-16LE}]\n",
        &["this.a = text(tree, path .. \".a\", sized(io, 3), ENC_UTF_16 + ENC_LITTLE_ENDIAN)"],
    );
}

#[test]
fn conditions_repetitions_and_demands_are_statements() {
    assert_lines(
        "seq:\n  - {id: n, type: u1, valid: {min: 1, max: 9}}\n  - {id: all, type: u2, repeat: expr, repeat-expr: n * 2, if: n != 3}\n",
        &[
            "this.n = unsigned(io, tree, path .. \".n\", 1)",
            "demand(this.n >= 1 and this.n <= 9, \"n\")",
            "if this.n ~= 3 then",
            "times(this, \"all\", this.n * 2, function(index)",
            "return unsigned(io, tree, path .. \".all\", 2, LITTLE)",
            "end)",
            "end",
        ],
    );
    assert_lines(
        "seq: [{id: all, type: u1, repeat: until, repeat-until: _ == 0}]\n",
        &[
            "until_true(this, \"all\", function(index)",
            "return unsigned(io, tree, path .. \".all\", 1)",
            "end, function(_, index) return _ == 0 end)",
        ],
    );
}

#[test]
fn a_switch_names_its_cases() {
    let body = "seq:\n  - {id: kind, type: u1, enum: kinds}\n  - {id: len, type: u1}\n  - id: body\n    size: len\n    type: {switch-on: kind, cases: {'kinds::say': say, 'kinds::num': u4}}\n\
                types: {say: {seq: [{id: x, type: u1}]}}\nenums: {kinds: {1: say, 2: num}}\n";
    let (lua, _) = lua_of(&body.replace("'kinds::num': u4", "'kinds::num': say"));
    assert!(lua.contains("if on == 1 --[[ say ]] then\n"), "{lua}");
    assert!(lua.contains("this.body = object(types.say, this, within(sized(io, this.len)), tree, path .. \".body\")"), "{lua}");
    // Without a case, the remaining bytes are in the field of the same name; the object's own field has another one.
    assert!(lua.contains("else\n      this.body = bytes(tree, path .. \".body\", sized(io, this.len))"), "{lua}");
    assert!(lua.contains("field(\"t.body#object\", \"body\", ftypes.NONE, nil, nil, \"t.body_object\")"), "{lua}");
}

#[test]
fn instances_are_functions() {
    assert_lines(
        "seq: [{id: a, type: u1}]\ninstances: {half: {value: a / 2}, far: {pos: a + 1, type: u1}}\n",
        &[
            "function types.t.instances.half(this, tree, path)",
            "return calculated(tree, path .. \".half\", divide(this.a, 2))",
            "end",
        ],
    );
    assert_lines(
        "seq: [{id: a, type: u1}]\ninstances: {far: {pos: a + 1, type: u1}}\n",
        &[
            "local io = this._io",
            "at_position(io, this.a + 1, function()",
            "value = unsigned(io, tree, path .. \".far\", 1)",
            "end)",
            "return value",
        ],
    );
}

#[test]
fn expressions_keep_their_meaning() {
    let value = |expression: &str, expected: &str| {
        assert_lines(
            &format!("seq: [{{id: a, type: u1}}, {{id: s, type: strz}}]\ninstances: {{x: {{value: '{expression}'}}}}\n"),
            &[&format!("return calculated(tree, path .. \".x\", {expected})")],
        );
    };
    value("(a + 1) * 2", "(this.a + 1) * 2");
    value("a << 2 | 1", "bor(shl(this.a, 2), 1)");
    value("~a", "-this.a - 1");
    value("a > 3 and not (a == 5)", "(this.a > 3) and (not (this.a == 5))");
    value("a > 3 ? a : 0", "(this.a > 3) and this.a or 0");
    value("s + \"x\"", "this.s .. \"x\"");
    value("s < \"b\"", "is_before(this.s, \"b\")");
    value("s.length", "characters(this.s).n");
    value("f\"{a} of {s}\"", "string.format(\"%d\", this.a) .. \" of \" .. this.s");
    value("[1, 2, 300].max", "greatest(({ n = 3, 1, 2, 300 }))");
    value("_io.eof", "eof(this._io)");
}

#[test]
fn a_type_inside_itself_uses_the_fields_of_its_outermost_object() {
    let body = "seq: [{id: node, type: node}]\ntypes: {node: {seq: [{id: n, type: u1}, {id: next, type: node, if: n > 0}]}}\n";
    assert_lines(body, &["exceptions[\"t.node.next:node\"] = \"t.node\""]);
    let (lua, _) = lua_of(body);
    assert_eq!(lua.matches("field(").count(), 4, "{lua}");
}

#[test]
fn what_lua_cannot_do_is_a_comment_in_place_and_a_warning() {
    let (lua, warnings) = lua_of("seq: [{id: a, size: 4, process: zlib}, {id: b, type: str, size: 1, encoding: Shift_JIS}]\n");
    assert!(lua.contains("-- Not exact in Lua: Wireshark has no encoding Shift_JIS"), "{lua}");
    assert!(lua.contains("this.b = text(") && warnings.len() == 1, "{lua}\n{warnings:?}");
    let (lua, warnings) = lua_of("instances: {x: {value: '[0x41].to_s(\"IBM437\")'}}\n");
    assert!(lua.contains("-- Not in Lua: to_s of bytes in IBM437.") && !lua.contains("function types.t.instances"), "{lua}");
    assert!(warnings.len() == 1 && warnings[0].contains("IBM437"), "{warnings:?}");
    let (lua, warnings) = lua_of("seq: [{id: a, type: u8, valid: 0x8000000000000001}]\n");
    assert!(lua.contains("is rounded") && warnings.len() == 1, "{lua}\n{warnings:?}");
}

/// The protocol-specific part for a file with a session, and the warnings.
fn lua_of_session(session: &str, body: &str) -> (String, Vec<String>) {
    let meta = format!("meta: {{id: t, endian: le, -proto-dissect: {{transport: tcp, ports: 7000, session: {session}}}}}\n");
    let Loaded { spec, diagnostics, .. } = load_text(Path::new("t.ksy"), &(meta + body));
    let spec = spec.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let written = dissector(&spec, spec.roots[0]);
    let own = written.text.split("-- The protocol t.\n").nth(1).unwrap().to_owned();
    (own, written.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

#[test]
fn session_variables_are_tables_of_a_conversation() {
    let (lua, warnings) = lua_of_session(
        "{state: 0, sent: {init: 1, per: direction, increment: true}, twice: '_root.state * 2'}",
        "params: [{id: pd_dir, type: u1}, {id: state, type: s2}, {id: sent, type: u1}, {id: twice, type: u4}]\n\
         seq: [{id: all, type: m, repeat: eos}]\n\
         types:\n  m:\n    seq:\n      - {id: a, type: u1, if: _root.state == 3, -proto-dissect: {set: {state: a + _root.sent}}}\n\
         \x20     - {id: b, type: done}\n    instances: {dir: {value: _root.pd_dir + _root.twice}}\n\
         \x20 done: {-proto-dissect: {set: {state: -1}}}\n",
    );
    assert!(warnings.is_empty(), "{warnings:?}");
    for line in [
        "if vars.state == 3 then",
        "effect(function() set(\"state\", this.a + vars.sent) end)",
        "effect(function() set(\"state\", -1) end)",
        "initial.state = function() return 0 end",
        "initial.twice = function() return vars.state * 2 end",
        "widths.state = { 16, true }",
        "widths.sent = { 8, false }",
        "per_direction.sent = true",
        "counters.sent = true",
        "parameters.t = { \"pd_dir\", \"state\", \"sent\", \"twice\" }",
        "enter(pinfo)",
    ] {
        assert!(lua.lines().any(|own| own.trim() == line), "{line}\n{lua}");
    }
    assert!(!lua_of("seq: [{id: a, type: u1}]\n").0.contains("enter(pinfo)"));
}

#[test]
fn ciphers_and_keys_of_a_session_are_warnings() {
    let (lua, warnings) = lua_of_session(
        "{k: key, n: {init: 0, share: client, reset-on: gap}}",
        "params: [{id: k, type: bytes}, {id: n, type: u1}]\nseq: [{id: all, type: m, repeat: eos}]\ntypes:\n  m:\n    seq:\n\
         \x20     - {id: a, type: u1, -proto-dissect: {stream: {client: rc4(_root.k)}, set: {n: a}}}\n\
         \x20     - {id: b, type: u1, if: _root.n > 0, -proto-dissect: {stream: {both: none}}}\n",
    );
    assert!(lua.contains("effect(function() seal(true, false, true) end)"), "{lua}");
    assert!(lua.contains("effect(function() seal(true, true, false) end)"), "{lua}");
    for what in ["the key `k`", "`share`", "`reset-on`", "`stream` of rc4"] {
        assert_eq!(warnings.iter().filter(|warning| warning.contains(what)).count(), 1, "{what}: {warnings:?}");
    }
    // A first value that Lua cannot compute fails where it is read.
    let body = "params: [{id: k, type: bytes}]\nseq: [{id: all, type: m, repeat: eos}]\ntypes: {m: {seq: [{id: a, size: 16, valid: _root.k}]}}\n";
    let (lua, warnings) = lua_of_session("{k: 'md5([1, 2])'}", body);
    let lines: Vec<&str> = lua.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| *line == "function initial.k()").unwrap_or_else(|| panic!("{lua}"));
    assert!(lines[at + 2].starts_with("fail(\"not read by this script: the function md5") && lines[at + 3] == "end", "{lua}");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn text_of_a_file_cannot_leave_its_literal_or_comment() {
    let body =
        "doc: |\n  one\n  os.exit()\nseq: [{id: a, contents: \"\\\"\\n'\\\\\", doc: \"]] -- \\\" os.exit()\\nos.exit()\"}]\n";
    let (lua, _) = lua_of(body);
    assert!(lua.lines().all(|line| !line.trim_start().starts_with("os.exit")), "{lua}");
    assert!(lua.contains(r#"demand(this.a == "\"\10'\\", "a")"#), "{lua}");
    assert!(lua.contains(r#"field("t.a", "a", ftypes.BYTES, "]] -- \" os.exit() os.exit()")"#), "{lua}");
}

#[test]
fn characters_that_reverse_text_are_spelled_out() {
    let (lua, _) = lua_of("doc: \"a \\u202e b\"\nseq: [{id: a, type: u1, doc: \"\\u2066c\"}]\n");
    assert!(!lua.contains(['\u{202e}', '\u{2066}']), "{lua}");
    assert!(lua.contains("a \\u{202e} b") && lua.contains("\\\\u{2066}c"), "{lua}");
}

#[test]
fn messages_on_tcp_follow_the_framing() {
    let framed = |body: &str, expected: &str| {
        let (lua, _) = lua_of(body);
        assert!(lua.contains(expected), "{expected}\n{lua}");
    };
    framed("seq: [{id: a, type: u1}]\n", "local of_t = { root = types.t, of = types.t, message = whole(types.t) }");
    let run = "seq: [{id: once, type: u1}, {id: all, type: m, repeat: eos}]\ntypes: {m: {seq: [{id: a, type: u1}]}}\n";
    framed(run, "local of_t = { root = types.t, of = types.t, once = types.t.once, message = types.t.message }");
    framed("seq: [{id: all, size-eos: true}]\n", "because `all` takes all bytes up to the end.");
    framed("seq: [{id: all, size-eos: true}]\n", "local of_t = { root = types.t }");
}

#[test]
fn a_registration_is_where_wireshark_finds_the_protocol() {
    let text = "meta:\n  id: t\n  -proto-dissect: {transport: [tcp, udp], ports: [27000, 27010-27019], magic: 'AB', info: '{a} bytes'}\n\
                seq: [{id: a, type: u1}]\n";
    let loaded = load_text(Path::new("t.ksy"), text);
    let spec = loaded.spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let lua = dissector(&spec, spec.roots[0]).text;
    for line in [
        "DissectorTable.get(\"tcp.port\"):add(27000, proto)",
        "DissectorTable.get(\"udp.port\"):add(\"27010-27019\", proto)",
        "recognize(\"tcp\", {\"AB\"})",
        "function types.t.title(this)",
    ] {
        assert!(lua.contains(line), "{line}\n{lua}");
    }
}

#[test]
fn messages_inside_datagrams_are_not_exported_in_silence() {
    let text = "meta: {id: t, -proto-dissect: {transport: udp, deliver: {of: all, data: data, as: inner}}}\n\
                seq: [{id: all, type: one, repeat: eos}]\n\
                types: {one: {seq: [{id: data, size: 2}]}, inner: {seq: [{id: a, type: u1}]}}\n";
    let loaded = load_text(Path::new("t.ksy"), text);
    let spec = loaded.spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let lua = dissector(&spec, spec.roots[0]).text;
    assert!(lua.contains("-- Elements are not delivered as messages of their own"), "{lua}");
}

#[test]
fn each_direction_of_tcp_has_its_root() {
    let of = |roots: &str| {
        let meta = format!("meta: {{id: t, endian: le, -proto-dissect: {{transport: tcp, ports: 7000{roots}}}}}\n");
        let types = "seq: [{id: a, type: u1}]\ntypes: {up: {seq: [{id: b, type: u2}]}, down: {seq: [{id: c, type: u4}]}}\n";
        let Loaded { spec, diagnostics, .. } = load_text(Path::new("t.ksy"), &(meta + types));
        let spec = spec.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let lua = dissector(&spec, spec.roots[0]).text;
        ["pinfo.dst_port == pinfo.match", "pinfo.src_port == pinfo.match"].map(|port| lua.contains(port))
    };
    assert_eq!(of(""), [false, false]);
    assert_eq!(of(", roots: {client: up}"), [true, false]);
    assert_eq!(of(", roots: {server: down}"), [false, true]);
}
