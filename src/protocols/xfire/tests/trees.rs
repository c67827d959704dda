//! Attributes of any shape come out as they went in.

use super::*;

/// A value as somebody would write it.
#[derive(Debug, Clone, PartialEq)]
enum Plain {
    Text(String),
    Int32(i32),
    Sid([u8; 16]),
    List(u8, Vec<Plain>),
    Did([u8; 21]),
    Int64(i64),
    UInt8(u8),
    Named(Vec<(String, Plain)>),
    Numbered(Vec<(u8, Plain)>),
}

impl Plain {
    fn value_type(&self) -> u8 {
        match self {
            Plain::Text(_) => 1,
            Plain::Int32(_) => 2,
            Plain::Sid(_) => 3,
            Plain::List(..) => 4,
            Plain::Named(_) => 5,
            Plain::Did(_) => 6,
            Plain::Int64(_) => 7,
            Plain::UInt8(_) => 8,
            Plain::Numbered(_) => 9,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Plain::Text(text) => {
                out.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
                out.extend(text.as_bytes());
            }
            Plain::Int32(number) => out.extend(number.to_le_bytes()),
            Plain::Sid(id) => out.extend(id),
            Plain::List(value_type, values) => {
                out.push(*value_type);
                out.extend(u16::try_from(values.len()).unwrap().to_le_bytes());
                values.iter().for_each(|value| value.write(out));
            }
            Plain::Did(id) => out.extend(id),
            Plain::Int64(number) => out.extend(number.to_le_bytes()),
            Plain::UInt8(number) => out.push(*number),
            Plain::Named(members) => {
                out.push(u8::try_from(members.len()).unwrap());
                members.iter().for_each(|(name, value)| named(name, value, out));
            }
            Plain::Numbered(members) => {
                out.push(u8::try_from(members.len()).unwrap());
                members.iter().for_each(|(key, value)| numbered(*key, value, out));
            }
        }
    }

    /// What was read, put together again.
    fn read(node: NodeRef<'_>) -> Plain {
        let bytes = node.bytes();
        match node.field() {
            field if field.is(&VALUE_STRING) => Plain::Text(node.text().into_owned()),
            field if field.is(&LOGIN_DIGEST) || field.is(&PASSWORD) => Plain::Text(node.text().into_owned()),
            field if field.is(&VALUE_INT32) => Plain::Int32(i32::from_le_bytes(bytes.try_into().unwrap())),
            field if field.is(&VALUE_SID) => Plain::Sid(bytes.try_into().unwrap()),
            field if field.is(&VALUE_DID) => Plain::Did(bytes.try_into().unwrap()),
            field if field.is(&VALUE_INT64) => Plain::Int64(i64::from_le_bytes(bytes.try_into().unwrap())),
            field if field.is(&VALUE_UINT8) => Plain::UInt8(bytes[0]),
            field if field.is(&LIST_GROUP) => {
                let value_type = u8::try_from(node.child(&ELEM_TYPE).unwrap().number().unwrap()).unwrap();
                let heads = [&ELEM_TYPE, &LIST_COUNT, &STRING_LEN];
                let values = node.children().filter(|child| !heads.iter().any(|head| head.is(child.field())));
                Plain::List(value_type, values.map(Plain::read).collect())
            }
            field => {
                assert!(field.is(&MAP), "{field:?}");
                let members = || node.children().filter(|child| child.field().is(&ATTR));
                match members().next().is_some_and(|member| member.child(&ATTR_NAME).is_some()) {
                    true => Plain::Named(members().map(member).map(|(name, value)| (name.unwrap(), value)).collect()),
                    false => Plain::Numbered(members().map(|node| (key(node), member(node).1)).collect()),
                }
            }
        }
    }
}

fn member(attr: NodeRef<'_>) -> (Option<String>, Plain) {
    let name = attr.child(&ATTR_NAME).map(|name| name.text().into_owned());
    (name, Plain::read(attr.children().last().unwrap()))
}

fn key(attr: NodeRef<'_>) -> u8 {
    let key = attr.child(&KEY).or_else(|| attr.child(&PREFERENCE)).unwrap();
    u8::try_from(key.number().unwrap()).unwrap()
}

fn named(name: &str, value: &Plain, out: &mut Vec<u8>) {
    out.push(u8::try_from(name.len()).unwrap());
    out.extend(name.as_bytes());
    out.push(value.value_type());
    value.write(out);
}

fn numbered(key: u8, value: &Plain, out: &mut Vec<u8>) {
    out.extend([key, value.value_type()]);
    value.write(out);
}

fn values() -> impl Strategy<Value = Plain> {
    let leaf = prop_oneof![
        "[a-zé ]{0,12}".prop_map(Plain::Text),
        any::<i32>().prop_map(Plain::Int32),
        any::<[u8; 16]>().prop_map(Plain::Sid),
        any::<[u8; 21]>().prop_map(Plain::Did),
        any::<i64>().prop_map(Plain::Int64),
        any::<u8>().prop_map(Plain::UInt8),
        proptest::collection::vec(any::<i32>(), 0..5).prop_map(|all| Plain::List(2, all.into_iter().map(Plain::Int32).collect())),
        proptest::collection::vec("[a-z]{0,5}", 0..5).prop_map(|all| Plain::List(1, all.into_iter().map(Plain::Text).collect())),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec((names(), inner.clone()), 1..4).prop_map(Plain::Named),
            proptest::collection::vec((any::<u8>(), inner.clone()), 1..4).prop_map(Plain::Numbered),
            inner.prop_map(|value| Plain::List(value.value_type(), vec![value])),
        ]
    })
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,9}",
        proptest::sample::select(vec!["sid", "userid", "name", "ip", "gport", "password", "peermsg", "msg"])
            .prop_map(String::from)
    ]
}

/// The attributes that a message of this type is read as.
fn attributes(kind: u16, count: usize, written: &[u8]) -> Vec<(Option<String>, u8, Plain)> {
    let bytes = message(kind, u8::try_from(count).unwrap(), written);
    let mut tree = Tree::new(Want::EVERYTHING);
    tree.begin(FrameInfo::default());
    tree.reveal = true;
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
    Session::default().message(Side::Server, &mut wire).unwrap();
    tree.close(0, PROTOCOL.this, bytes.len());
    let of = Dissection { tree: &tree, bytes: &bytes };
    let root = of.node(0).unwrap();
    let attrs = root.children().filter(|child| child.field().is(&ATTR));
    attrs.map(|attr| (member(attr).0, if attr.child(&KEY).is_some() { key(attr) } else { 0 }, member(attr).1)).collect()
}

proptest! {
    #[test]
    fn attributes_come_out_as_they_went_in(members in proptest::collection::vec((names(), any::<u8>(), values()), 0..6), kind in proptest::sample::select(vec![2_u16, 131, 132, 133, 136, 141, 350, 368, 9000, 77])) {
        let (mut with_names, mut with_numbers) = (Vec::new(), Vec::new());
        for (name, number, value) in &members {
            named(name, value, &mut with_names);
            numbered(*number, value, &mut with_numbers);
        }
        let read = attributes(kind, members.len(), &with_names);
        prop_assert_eq!(read, members.iter().map(|(name, _, value)| (Some(name.clone()), 0, value.clone())).collect::<Vec<_>>());
        let read = attributes(kind, members.len(), &with_numbers);
        prop_assert_eq!(read, members.iter().map(|(_, number, value)| (None, *number, value.clone())).collect::<Vec<_>>());
    }
}
