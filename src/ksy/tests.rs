//! What authors of files see: errors with their places, limits, and the model of small files.

use super::expr::{Kind, Slot};
use super::framing::{Framing, framing};
use super::model::{Data, Encoding, Endian, FixedEndian, How, Read, Size, Spec, Ty, TypeId};
use super::{Loaded, load, load_text};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn loaded(text: &str) -> Loaded {
    load_text(Path::new("test.ksy"), text)
}

fn spec(text: &str) -> Spec {
    let loaded = loaded(text);
    loaded.spec.unwrap_or_else(|| panic!("{}", printed(&loaded.diagnostics)))
}

/// A file with this body behind a `meta` of three lines.
fn body(text: &str) -> String {
    format!("meta:\n  id: test\n  encoding: UTF-8\n{text}")
}

fn printed(diagnostics: &[super::Diagnostic]) -> String {
    diagnostics.iter().fold(String::new(), |mut text, diagnostic| {
        let _ = writeln!(text, "{diagnostic}");
        text
    })
}

/// The only complaint about a file.
fn mistake(text: &str) -> String {
    let loaded = loaded(text);
    assert_eq!(loaded.diagnostics.len(), 1, "{}", printed(&loaded.diagnostics));
    assert_eq!(loaded.spec.is_none(), loaded.diagnostics[0].error);
    loaded.diagnostics[0].to_string()
}

/// A folder of its own for files that import each other.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("proto-dissect-ksy-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn messages(loaded: &Loaded) -> Vec<&str> {
    loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect()
}

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
fn scalars_stay_text_until_a_key_needs_a_type() {
    let text = "enums:\n  e:\n    0x0253_f2f4: y\n    -1: on\n    0b11: off\n    010: n\n    08: x\n";
    let loaded = loaded(&body(text));
    assert_eq!(messages(&loaded), ["`08` is no integer"]);
    let spec = spec(&body(&text.replace("    08: x\n", "")));
    let members: Vec<(i128, &str)> = spec.enums[0].members.iter().map(|member| (member.value, member.name.as_str())).collect();
    assert_eq!(members, [(-1, "on"), (3, "off"), (8, "n"), (0x0253_f2f4, "y")]);
}

fn read(spec: &Spec, n: usize) -> &Read {
    match &spec.types[0].seq[n].how {
        How::Read(read) => read,
        How::Value(_) => panic!("calculated"),
    }
}

#[test]
fn types_inherit_byte_order_and_encoding() {
    let text = "meta:\n  id: a\n  endian: le\n  encoding: latin1\nseq:\n  - id: x\n    type: u2\n  - id: y\n    type: u4be\n  - id: s\n    type: strz\n";
    let spec = spec(text);
    assert!(matches!(read(&spec, 0).data, Data::Int { bytes: 2, endian: Endian::Fixed(FixedEndian::Little), .. }));
    assert!(matches!(read(&spec, 1).data, Data::Int { bytes: 4, endian: Endian::Fixed(FixedEndian::Big), .. }));
    assert!(matches!(&read(&spec, 2).data, Data::Str(bytes, Encoding::Known("ISO-8859-1")) if bytes.terminator.is_some()));
}

#[test]
fn contents_are_bytes_of_a_size() {
    let spec = spec(&body("seq:\n  - contents: [0x50, 'AC', 0b1]\n"));
    let member = &spec.types[0].seq[0];
    assert_eq!((member.name.as_str(), &member.ty), ("_unnamed0", &Ty::Bytes));
    assert!(
        matches!(&read(&spec, 0).data, Data::Bytes(bytes) if matches!(&bytes.size, Size::Expr(size) if matches!(size.kind, Kind::Int(4))))
    );
}

#[test]
fn parents_are_known_where_all_readers_are_alike() {
    let inner = "types:\n  inner:\n    seq:\n      - id: data\n        size: _parent.n\n";
    let one = format!("seq:\n  - id: n\n    type: u1\n  - id: a\n    type: inner\n{inner}");
    let model = spec(&body(&one));
    assert_eq!(model.types[1].parent, Ty::Struct(Some(TypeId(0))));
    let How::Read(read) = &model.types[1].seq[0].how else { panic!() };
    let Data::Bytes(bytes) = &read.data else { panic!() };
    assert!(
        matches!(&bytes.size, Size::Expr(size) if matches!(size.kind, Kind::Field { of: TypeId(0), slot: Slot::Seq(0), .. }))
    );
    let two = format!("{one}  other:\n    seq:\n      - id: b\n        type: inner\n");
    insta::assert_snapshot!(mistake(&body(&two)), @r"
    test.ksy:13:23: error: `n` is unknown here: `_parent` has no single type
       13 |         size: _parent.n
          |                       ^
          = state the type: `.as<TYPE>` before the dot
    ");
}

#[test]
fn sizes_of_types_are_constants() {
    let sized =
        spec(&body("seq:\n  - id: a\n    type: foo\n    size: 9\ninstances:\n  n:\n    value: a._sizeof\ntypes:\n  foo: {}\n"));
    let How::Value(size) = &sized.types[0].instances[0].how else { panic!() };
    assert!(matches!(size.kind, Kind::Int(9)));
    let text = "seq:\n  - id: a\n    type: foo\n  - id: b\n    size: sizeof<foo> + bitsizeof<foo>\ntypes:\n  foo:\n    seq:\n      - id: x\n        type: b3\n      - id: y\n        type: u1\n";
    let spec = spec(&body(text));
    let Data::Bytes(bytes) = &read(&spec, 1).data else { panic!() };
    let Size::Expr(size) = &bytes.size else { panic!() };
    let Kind::Binary(_, one, other) = &size.kind else { panic!() };
    assert!(matches!((&one.kind, &other.kind), (Kind::Int(2), Kind::Int(16))));
}

fn framing_of(text: &str) -> String {
    let spec = spec(&body(text));
    framing(&spec, spec.roots[0]).describe(&spec)
}

#[test]
fn framing_follows_from_the_attributes() {
    let message = "types:\n  message:\n    seq:\n      - id: len\n        type: u1\n      - id: data\n        size: len\n";
    assert_eq!(
        framing_of(&format!("seq:\n  - id: one\n    type: message\n{message}")),
        "self-delimiting: each message states where it ends"
    );
    assert_eq!(
        framing_of(&format!(
            "seq:\n  - id: magic\n    contents: UA01\n  - id: all\n    type: message\n    repeat: eos\n{message}"
        )),
        "a run of messages `message`, behind 1 attribute that is read once for each direction"
    );
    assert_eq!(framing_of("seq:\n  - id: rest\n    size-eos: true\n"), "open-ended: `rest` takes all bytes up to the end");
    let recursive = "seq:\n  - id: list\n    type: node\ntypes:\n  node:\n    seq:\n      - id: more\n        type: u1\n      - id: next\n        type: node\n        if: more != 0\n";
    assert_eq!(framing_of(recursive), "self-delimiting: each message states where it ends");
}

#[test]
fn files_beyond_the_limit_are_rejected() {
    let folder = Folder::new("size");
    let mut text = "meta:\n  id: big\n".to_owned();
    let big = folder.write("big.ksy", &format!("{text}#{}\n", "x".repeat(super::files::FILE_BYTES)));
    assert_eq!(messages(&load(&[big], &[])), ["the file is larger than 4 MiB"]);
    text.push_str(&format!("#{}\n", "x".repeat(super::files::FILE_BYTES - text.len() - 2)));
    assert_eq!(text.len(), super::files::FILE_BYTES);
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
    assert_eq!(messages(&loaded(&text)), ["more than 1048576 nodes, with those that aliases repeat"]);
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
    let How::Value(size) = &spec.types[0].instances[0].how else { panic!() };
    assert!(matches!(size.kind, Kind::Int(size) if size == 1 << 60));
}

#[test]
fn imports_stay_inside_the_folders_that_were_given() {
    let folder = Folder::new("escape");
    folder.write("secret.ksy", "meta:\n  id: secret\n");
    folder.write("shared/common.ksy", "meta:\n  id: common\n");
    let up = folder.write("own/up.ksy", "meta:\n  id: up\n  imports:\n    - ../secret\n");
    let up = std::slice::from_ref(&up);
    assert_eq!(messages(&load(up, &[])), ["`../secret` leads out of the folders that were given"]);
    assert!(load(up, std::slice::from_ref(&folder.0)).spec.is_some());
    let absolute = folder.write("own/absolute.ksy", "meta:\n  id: absolute\n  imports:\n    - /common\n");
    let absolute = std::slice::from_ref(&absolute);
    assert_eq!(messages(&load(absolute, &[])), ["`/common` is an absolute import, and no folder for these is given"]);
    assert!(load(absolute, &[folder.0.join("shared")]).spec.is_some());
    let out = folder.write("own/out.ksy", "meta:\n  id: out\n  imports:\n    - /../secret\n");
    let loaded = load(&[out], &[folder.0.join("shared")]);
    assert_eq!(messages(&loaded), ["`/../secret` leads out of the folders of `--ksy-dir`"]);
}

#[cfg(unix)]
#[test]
fn imports_do_not_follow_links_out_of_a_folder() {
    let folder = Folder::new("link");
    let secret = folder.write("secret.ksy", "meta:\n  id: secret\n");
    let file = folder.write("own/file.ksy", "meta:\n  id: file\n  imports:\n    - link\n");
    std::os::unix::fs::symlink(secret, folder.0.join("own/link.ksy")).unwrap();
    assert_eq!(messages(&load(&[file], &[])), ["`link` leads out of the folders that were given"]);
}

#[test]
fn imports_may_form_a_cycle() {
    let folder = Folder::new("cycle");
    let a = folder.write("a.ksy", "meta:\n  id: a\n  imports:\n    - b\nseq:\n  - id: x\n    type: b\n");
    folder.write("b.ksy", "meta:\n  id: b\n  imports:\n    - a\nseq:\n  - id: y\n    type: a\n    if: false\n");
    let spec = load(&[a], &[]).spec.unwrap();
    assert_eq!((spec.files.len(), spec.roots.len()), (2, 1));
}

#[test]
fn imports_beyond_the_limit_are_rejected() {
    let folder = Folder::new("many");
    for n in 0..=super::files::FILES {
        folder.write(&format!("f{n}.ksy"), &format!("meta:\n  id: f{n}\n  imports:\n    - f{}\n", n + 1));
    }
    folder.write(&format!("f{}.ksy", super::files::FILES + 1), "meta:\n  id: last\n");
    let first = load(&[folder.0.join("f0.ksy")], &[]);
    assert_eq!(messages(&first), ["more than 256 imported files"]);
    assert!(load(&[folder.0.join("f1.ksy")], &[]).spec.is_some());
}

#[test]
fn a_directory_stands_for_its_files() {
    let folder = Folder::new("directory");
    folder.write("b.ksy", "meta:\n  id: b\n");
    folder.write("a.ksy", "meta:\n  id: a\n");
    folder.write("readme.txt", "none");
    let spec = load(std::slice::from_ref(&folder.0), &[]).spec.unwrap();
    let names: Vec<&str> = spec.roots.iter().map(|root| spec.type_of(*root).name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
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
fn the_first_dissector_of_the_documentation_loads_without_a_warning() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ksy.md")).unwrap();
    let file = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(file.lines().count(), 10);
    let loaded = loaded(file);
    assert_eq!(messages(&loaded), [""; 0]);
    let spec = loaded.spec.unwrap();
    assert!(page.contains(&format!("on TCP: {}\n", framing(&spec, spec.roots[0]).describe(&spec))));
    let mistake = mistake(&file.replace("size: len_text", "size: len_txt")).replace("test.ksy", "chat.ksy");
    assert!(page.contains(&mistake), "{mistake}");
}

#[test]
fn the_size_of_a_switch_cannot_multiply_without_bound() {
    let cases: String = (0..10_000).map(|n| format!("        {n}: foo\n")).collect();
    for size in [format!("[{}1].size", "1,".repeat(100_000)), format!("\"{}\".length", "a".repeat(200_000))] {
        let text = format!(
            "seq:\n  - id: y\n    type: u1\n  - id: x\n    size: '{size}'\n    type:\n      switch-on: y\n      cases:\n{cases}types:\n  foo: {{}}\n"
        );
        assert_eq!(messages(&loaded(&body(&text))), ["more than 2097152 expressions in all files"]);
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
    let fields = super::protocol(&spec, top, None, false).fields;
    assert!(fields.iter().all(|field| field.abbrev.len() < 2000) && fields.iter().any(|field| field.abbrev.ends_with(".z")));
    assert!(super::lua::dissector(&spec, top).text.lines().all(|line| line.len() < 6000));
}
