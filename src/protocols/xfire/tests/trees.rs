//! Round trips of attributes of any shape.

use super::*;

/// Value to be encoded.
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

    /// Value of a dissected tree.
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
                if members().next().is_some_and(|member| member.child(&ATTR_NAME).is_some()) {
                    Plain::Named(members().map(member).map(|(name, value)| (name.unwrap(), value)).collect())
                } else {
                    Plain::Numbered(members().map(|node| (key(node), member(node).1)).collect())
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

/// Dissected attributes of a message.
fn attributes(bytes: &[u8]) -> Vec<(Option<String>, u8, Plain)> {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    tree.run.reveal = true;
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), Cut::No);
    Session::default().message(Side::Server, &mut wire).unwrap();
    tree.close(0, PROTOCOL.this, bytes.len());
    let of = Dissection { tree: &tree, bytes };
    let root = of.node(0).unwrap();
    let attrs = root.children().filter(|child| child.field().is(&ATTR));
    attrs.map(|attr| (member(attr).0, if attr.child(&KEY).is_some() { key(attr) } else { 0 }, member(attr).1)).collect()
}

type Members = Vec<(String, u8, Plain)>;

fn members() -> impl Strategy<Value = (u16, Members)> {
    let kinds = proptest::sample::select(vec![2_u16, 131, 132, 133, 136, 141, 350, 368, 9000, 77]);
    (kinds, proptest::collection::vec((names(), any::<u8>(), values()), 0..6))
}

/// Message with named attributes, and with numbered ones.
fn written(kind: u16, members: &Members) -> [Vec<u8>; 2] {
    let (mut with_names, mut with_numbers) = (Vec::new(), Vec::new());
    for (name, number, value) in members {
        named(name, value, &mut with_names);
        numbered(*number, value, &mut with_numbers);
    }
    [with_names, with_numbers].map(|attributes| message(kind, u8::try_from(members.len()).unwrap(), &attributes))
}

/// Attributes of the messages in this order: each message with named attributes, then with numbered ones.
fn expected(messages: &[(u16, Members)]) -> Vec<Vec<(Option<String>, u8, Plain)>> {
    let by_name = |(name, _, value): &(String, u8, Plain)| (Some(name.clone()), 0, value.clone());
    let by_number = |(_, number, value): &(String, u8, Plain)| (None, *number, value.clone());
    let both = |(_, members): &(u16, Members)| {
        [members.iter().map(by_name).collect::<Vec<_>>(), members.iter().map(by_number).collect()]
    };
    messages.iter().flat_map(both).collect()
}

/// Attributes of a stream of these messages; `cuts` computes the segment ends from its length.
fn dissected(messages: &[(u16, Members)], cuts: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<(Option<String>, u8, Plain)>> {
    // The stream begins with a known message, so that no search is needed.
    let encoded = messages.iter().flat_map(|(kind, members)| written(*kind, members)).flatten();
    let stream: Vec<u8> = trial::bytes(X2).into_iter().chain(encoded).collect();
    let mut cuts = [cuts(stream.len()), vec![0, stream.len()]].concat();
    cuts.sort_unstable();
    let mut read = streams::Stream::default();
    for piece in cuts.windows(2) {
        read.arrive(Side::Server, &stream[piece[0]..piece[1]]);
    }
    assert!(read.unknown.is_empty());
    read.messages.iter().skip(1).map(|message| attributes(message)).collect()
}

#[test]
fn a_list_of_session_ids_survives_a_round_trip_at_every_segmentation() {
    let id = Plain::Sid([0, 0, 4, 44, 112, 173, 206, 162, 130, 164, 70, 222, 230, 65, 36, 117]);
    let messages = [(9000, vec![("a".to_owned(), 0, Plain::List(3, vec![id]))])];
    for place in 0..200 {
        assert_eq!(dissected(&messages, |length| vec![place.min(length)]), expected(&messages), "{place}");
    }
}

proptest! {
    #[test]
    fn attributes_survive_a_round_trip_at_any_segmentation(
        messages in proptest::collection::vec(members(), 1..4),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let places = |length| cuts.iter().map(|cut| cut.index(length + 1)).collect();
        prop_assert_eq!(dissected(&messages, places), expected(&messages));
    }
}
