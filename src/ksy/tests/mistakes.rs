//! Errors with positions and suggestions.

use super::{body, loaded, messages, mistake, printed};

#[test]
fn tabs_in_the_indentation_are_named() {
    insta::assert_snapshot!(mistake("meta:\n  id: a\nseq:\n\t- id: x\n\t  type: u1\n"), @r"
    test.ksy:4:1: error: a tab in the indentation
        4 |  - id: x
          | ^
          = indent with spaces
    ");
}

#[test]
fn wrong_indentation_is_named() {
    insta::assert_snapshot!(mistake("meta:\n  id: a\nseq:\n  - id: x\n   type: u1\n"), @r"
    test.ksy:5:4: error: wrong indentation
        5 |    type: u1
          |    ^
          = keys of one level start in one column, and so do the `-` of a list
    ");
    insta::assert_snapshot!(mistake("meta:\n  id: a\nseq:\n- id: x\n  type: u1\n - id: y\n   type: u1\n"), @r"
    test.ksy:6:2: error: wrong indentation
        6 |  - id: y
          |  ^
          = keys of one level start in one column, and so do the `-` of a list
    ");
    insta::assert_snapshot!(mistake("meta:\n  id: a\nseq:\n  - id: x type: u1\n"), @r"
    test.ksy:4:15: error: a `:` where no key can be
        4 |   - id: x type: u1
          |               ^
          = one key a line, one level in one column; text with `: ` is in quotes
    ");
}

#[test]
fn unknown_types_suggest_the_nearest() {
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: headr\ntypes:\n  header: {}\n")), @r"
    test.ksy:6:11: error: unknown type `headr`
        6 |     type: headr
          |           ^^^^^
          = did you mean `header`?
    ");
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: uint32_t\n")), @r"
    test.ksy:6:11: error: unknown type `uint32_t`
        6 |     type: uint32_t
          |           ^^^^^^^^
          = did you mean `u4`?
    ");
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: payload\n")), @r"
    test.ksy:6:11: error: unknown type `payload`
        6 |     type: payload
          |           ^^^^^^^
          = declare `payload` under `types`, or import its file in `meta`
    ");
}

#[test]
fn misspelt_keys_suggest_the_nearest() {
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    tpye: u1\n")), @r"
    test.ksy:6:5: error: unknown key `tpye` in an attribute
        6 |     tpye: u1
          |     ^^^^
          = did you mean `type`?
    ");
    insta::assert_snapshot!(mistake(&body("sequence:\n  - id: x\n    type: u1\n")), @r"
    test.ksy:4:1: error: unknown key `sequence` in a type
        4 | sequence:
          | ^^^^^^^^
          = did you mean `seq`?
    ");
}

#[test]
fn a_missing_id_is_named() {
    insta::assert_snapshot!(mistake("meta:\n  title: a\nseq:\n  - id: x\n    type: u1\n"), @r"
    test.ksy:1:1: error: `meta` has no `id`
        1 | meta:
          | ^^^^
          = add `id:` with the name of the protocol
    ");
    insta::assert_snapshot!(mistake("seq:\n  - id: x\n    type: u1\n"), @r"
    test.ksy:1:1: error: the file has no `meta`
        1 | seq:
          | ^
          = begin with `meta:` and its `id:`
    ");
    insta::assert_snapshot!(mistake(""), @r"
    test.ksy:1:1: error: the file is empty
          = a file begins with `meta:` and its `id:`
    ");
}

#[test]
fn a_missing_byte_order_is_reported_once() {
    let text = body("seq:\n  - id: x\n    type: u2\n  - id: y\n    type: f8\n");
    insta::assert_snapshot!(mistake(&text), @r"
    test.ksy:6:11: error: the byte order of this number is not known
        6 |     type: u2
          |           ^^
          = add `endian: le` or `be` to `meta`, or end the type with `le` or `be`
    ");
}

#[test]
fn unknown_enums_and_members_suggest_the_nearest() {
    let enums = "enums:\n  color:\n    1: red\n    2: green\n";
    insta::assert_snapshot!(mistake(&body(&format!("seq:\n  - id: x\n    type: u1\n    enum: colour\n{enums}"))), @r"
    test.ksy:7:11: error: unknown enum `colour`
        7 |     enum: colour
          |           ^^^^^^
          = did you mean `color`?
    ");
    let text = format!("seq:\n  - id: x\n    type: u1\n    enum: color\n    valid: color::gren\n{enums}");
    insta::assert_snapshot!(mistake(&body(&text)), @r"
    test.ksy:8:19: error: the enum `color` has no member `gren`
        8 |     valid: color::gren
          |                   ^^^^
          = did you mean `green`?
    ");
}

#[test]
fn values_of_unlike_types_are_not_compared() {
    let two = |condition: &str| {
        body(&format!(
            "seq:\n  - id: name\n    type: strz\n  - id: n\n    type: u1\n    enum: e\n  - id: z\n    type: u1\n    if: {condition}\nenums:\n  e:\n    1: one\n"
        ))
    };
    insta::assert_snapshot!(mistake(&two("name == 3")), @r"
    test.ksy:12:9: error: text cannot be compared with an integer
       12 |     if: name == 3
          |         ^^^^^^^^^
          = text is in quotes, an integer is not; `.to_i` of text is an integer
    ");
    insta::assert_snapshot!(mistake(&two("n == 1")), @r"
    test.ksy:12:9: error: a member of the enum `e` cannot be compared with an integer
       12 |     if: n == 1
          |         ^^^^^^
          = write a member such as `e::one`, or `.to_i` for the integer
    ");
    insta::assert_snapshot!(mistake(&two("n > e::one")), @r"
    test.ksy:12:9: error: a member of the enum `e` can only be equal or not
       12 |     if: n > e::one
          |         ^^^^^^^^^^
          = compare their integers: `.to_i`
    ");
    insta::assert_snapshot!(mistake(&two("n.to_i")), @r"
    test.ksy:12:9: error: `if` must be a boolean, and this is an integer
       12 |     if: n.to_i
          |         ^^^^^^
          = compare it: `… != 0`
    ");
    insta::assert_snapshot!(mistake(&two("n.to_i == 1 && true")), @r"
    test.ksy:12:21: error: `&&` is no operator
       12 |     if: n.to_i == 1 && true
          |                     ^^
          = did you mean `and`?
    ");
}

#[test]
fn a_name_that_occurs_twice_is_named_with_its_first_line() {
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: u1\n  - id: x\n    type: u1\n")), @"
    test.ksy:7:9: error: the name `x` is already in use
        7 |   - id: x
          |         ^
          = its first use is in line 5
    ");
}

#[test]
fn a_missing_size_is_named() {
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: str\n")), @r"
    test.ksy:6:11: error: text of unknown size
        6 |     type: str
          |           ^^^
          = add `size`, `size-eos: true` or `terminator`, or write `type: strz`
    ");
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n")), @r"
    test.ksy:5:5: error: bytes of unknown size
        5 |   - id: x
          |     ^
          = add `size`, `size-eos: true` or `terminator`, or a `type`
    ");
}

#[test]
fn a_missing_count_is_named() {
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: u1\n    repeat: expr\n")), @r"
    test.ksy:7:13: error: `repeat: expr` without `repeat-expr`
        7 |     repeat: expr
          |             ^^^^
          = add `repeat-expr:`
    ");
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: u1\n    repeat-expr: 3\n")), @r"
    test.ksy:7:5: error: `repeat-expr` without `repeat`
        7 |     repeat-expr: 3
          |     ^^^^^^^^^^^
          = add `repeat: expr`
    ");
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: x\n    type: u1\n    repeat: 3\n")), @r"
    test.ksy:7:13: error: `repeat` cannot be `3`
        7 |     repeat: 3
          |             ^
          = write `eos`, `expr` or `until`
    ");
}

#[test]
fn names_of_other_objects_suggest_the_way_to_them() {
    let text = "seq:\n  - id: count\n    type: u1\n  - id: inner\n    type: foo\ntypes:\n  foo:\n    seq:\n      - id: data\n        size: count\n";
    insta::assert_snapshot!(mistake(&body(text)), @r"
    test.ksy:13:15: error: `count` is no attribute, instance or parameter of `foo`
       13 |         size: count
          |               ^^^^^
          = write `_parent.count`
    ");
    insta::assert_snapshot!(mistake(&body("seq:\n  - id: msgType\n    type: u1\n")), @r"
    test.ksy:5:9: error: the `id` of an attribute cannot be `msgType`
        5 |   - id: msgType
          |         ^^^^^^^
          = did you mean `msg_type`?
    ");
}

#[test]
fn text_in_cases_needs_both_quotes() {
    let text = "seq:\n  - id: word\n    type: strz\n  - id: rest\n    type:\n      switch-on: word\n      cases:\n        \"PING\": u1\n";
    insta::assert_snapshot!(mistake(&body(text)), @r#"
    test.ksy:11:10: error: `PING` is a name, and the switch is on text
       11 |         "PING": u1
          |          ^^^^
          = write text with both quotes: `'"PING"'`
    "#);
}

#[test]
fn marks_are_under_the_right_characters() {
    let text = "instances:\n  a:\n    value: '\"ねこ\" + 1'\n  b:\n    value: |\n      1 +\n        \"x\"\n  c:\n    value: \"1 + \\\"x\\\"\"\n";
    insta::assert_snapshot!(printed(&loaded(&body(text)).diagnostics), @r#"
    test.ksy:6:13: error: `+` does not go with text and an integer
        6 |     value: '"ねこ" + 1'
          |             ^^^^^^^^^^
          = `.to_s` of the integer is text, `.to_i` of the text is an integer
    test.ksy:9:7: error: `+` does not go with an integer and text
        9 |       1 +
          |       ^^^
          = `.to_s` of the integer is text, `.to_i` of the text is an integer
    test.ksy:12:12: error: `+` does not go with an integer and text
       12 |     value: "1 + \"x\""
          |            ^^^^^^^^^^^
          = `.to_s` of the integer is text, `.to_i` of the text is an integer
    "#);
}

#[test]
fn long_lines_are_shown_around_the_column() {
    let text = body(&format!("seq:\n  - {{ id: x, doc: {}, type: nothing, repeat: eos }}\n", "a".repeat(300)));
    let shown = mistake(&text);
    assert!(shown.lines().all(|line| line.chars().count() < 140), "{shown}");
    assert!(shown.contains("type: nothing"), "{shown}");
}

#[test]
fn control_characters_of_a_file_do_not_reach_the_terminal() {
    let shown = mistake(&body("seq:\n  - id: x\n    type: \"a\\e[31m\"\n"));
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn a_file_for_a_later_version_is_rejected() {
    let of = |version: &str| loaded(&format!("meta:\n  id: test\n  ks-version: {version}\nseq: []\n")).diagnostics;
    for version in ["0.11", "0.11.1", "0.11.9", "0.10", "0.6"] {
        let found = of(&format!("'{version}'"));
        assert!(found.is_empty(), "{version}: {}", printed(&found));
    }
    for (version, words) in
        [("0.12", "0.11 is supported"), ("0.12.1", "0.11 is supported"), ("1.0", "0.11 is supported"), ("0.5", "older than 0.6")]
    {
        let found = of(&format!("'{version}'"));
        assert!(found.len() == 1 && found[0].to_string().contains(words), "{version}: {}", printed(&found));
    }
}

#[test]
fn what_no_file_describes_has_one_warning() {
    let text = "meta:\n  id: test\n  ks-opaque-types: true\nseq:\n  - {id: a, type: elsewhere, size: 2}\n  - {id: b, type: elsewhere, size: 2}\n";
    assert_eq!(messages(&loaded(text)), ["no file describes the opaque type `elsewhere`: its bytes stay as they are"]);
    let text = body("seq: [{id: a, size: 2, process: xorr(1)}]\n");
    assert_eq!(messages(&loaded(&text)), ["no processor is called `xorr`: the bytes stay as they are"]);
    let text = body("seq: [{id: a, size: 2}]\ninstances: {b: {value: 'a.as<u1>'}}\n");
    assert_eq!(messages(&loaded(&text)), ["bytes cannot be cast to an integer"]);
    let text = body("seq: [{id: a, type: u1}]\ninstances: {b: {value: 'f\"{a:q}\"'}}\n");
    assert!(mistake(&text).contains("`:q` is no format of a value"));
}
