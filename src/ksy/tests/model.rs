//! The model of small files.

use super::{body, loaded, messages, mistake, spec};
use crate::ksy::expr::{Kind, Slot};
use crate::ksy::framing::framing;
use crate::ksy::model::{Data, Encoding, Endian, FixedEndian, Read, Size, Spec, Ty, TypeId, ValueSource};
use std::path::Path;

#[test]
fn scalars_stay_text_until_a_key_needs_a_type() {
    let text = "enums:\n  e:\n    0x0253_f2f4: y\n    -1: on\n    0b11: off\n    010: n\n    08: x\n";
    let mixed = loaded(&body(text));
    assert_eq!(messages(&mixed), ["`010` is octal and means 8", "two members of the enum `e` have the value 8"]);
    let spec = spec(&body(&text.replace("08", "0089")));
    let members: Vec<(i128, &str)> = spec.enums[0].members.iter().map(|member| (member.value, member.name.as_str())).collect();
    assert_eq!(members, [(-1, "on"), (3, "off"), (8, "n"), (89, "x"), (0x0253_f2f4, "y")]);
}

fn read(spec: &Spec, n: usize) -> &Read {
    match &spec.types[0].seq[n].source {
        ValueSource::Read(read) => read,
        ValueSource::Value(_) => panic!("calculated"),
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
    let ValueSource::Read(read) = &model.types[1].seq[0].source else { panic!() };
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
    let ValueSource::Value(size) = &sized.types[0].instances[0].source else { panic!() };
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
