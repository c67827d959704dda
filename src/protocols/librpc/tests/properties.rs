//! Round trip of random messages, and malformed ones.

use super::*;
use crate::tree::{Dissection, FrameInfo, NodeRef, Span, Tree};
use proptest::prelude::*;

/// A script value.
#[derive(Debug, Clone, PartialEq)]
enum Given {
    Text(Vec<u8>),
    Integer(i32),
    Float(f32),
    Null,
    Bool(bool),
    Vector([f32; 3]),
    Quaternion([f32; 4]),
    Array(Vec<Given>),
    Call(Vec<u8>, Vec<Given>),
    RawCall(Vec<u8>, Vec<Given>),
    CallResult(Vec<Given>),
    RawCallResult(Vec<Given>),
    Get(Vec<Given>),
    Set(Vec<Given>),
}

use Given::*;

impl Given {
    fn encode(&self) -> Vec<u8> {
        let sized = |tag: u8, head: &[u8], values: &[Given]| {
            let body = [head.to_vec(), values.iter().flat_map(Given::encode).collect()].concat();
            [&[tag][..], &u32::try_from(body.len()).unwrap().to_be_bytes(), &body].concat()
        };
        let name = |name: &[u8]| [&u16::try_from(name.len()).unwrap().to_be_bytes()[..], name].concat();
        let reals = |tag: u8, reals: &[f32]| [vec![tag], reals.iter().flat_map(|real| real.to_le_bytes()).collect()].concat();
        match self {
            Text(text) => [vec![b's'], name(text)].concat(),
            Integer(number) => [&b"i"[..], &number.to_le_bytes()].concat(),
            Float(number) => reals(b'f', &[*number]),
            Null => b"o".to_vec(),
            Bool(truth) => vec![b'b', u8::from(*truth)],
            Vector(parts) => reals(b'v', parts),
            Quaternion(parts) => reals(b'q', parts),
            Array(values) => sized(b'a', b"", values),
            Call(called, values) => sized(b'F', &name(called), values),
            RawCall(called, values) => sized(b'E', &name(called), values),
            CallResult(values) => sized(b'G', b"", values),
            RawCallResult(values) => sized(b'D', b"", values),
            Get(values) => sized(b'g', b"", values),
            Set(values) => sized(b'h', b"", values),
        }
    }

    fn script(&self) -> String {
        let list = |values: &[Given]| values.iter().map(Given::script).collect::<Vec<_>>().join(", ");
        let name = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
        match self {
            Text(text) => format!("\"{}\"", name(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")),
            Integer(number) => number.to_string(),
            Float(number) => number.to_string(),
            Null => "null".to_owned(),
            Bool(truth) => truth.to_string(),
            Vector([x, y, z]) => format!("Vector({x}, {y}, {z})"),
            Quaternion([x, y, z, w]) => format!("Quaternion({x}, {y}, {z}, {w})"),
            Array(values) => format!("[{}]", list(values)),
            Call(called, values) => format!("{}({})", name(called), list(values)),
            RawCall(called, values) => format!("{}.{}({})", values[0].script(), name(called), list(&values[1..])),
            CallResult(values) => format!("{}({})", values[0].script(), list(&values[1..])),
            RawCallResult(values) => format!("{}.call({})", values[0].script(), list(&values[1..])),
            Get(values) => values[0].root() + &values[1..].iter().map(Given::key).collect::<String>(),
            Set(values) if values.len() == 2 => format!("{} = {}", values[0].root(), values[1].script()),
            Set(values) => format!("{}{} = {}", values[0].root(), values[1].key(), values[2].script()),
        }
    }

    /// Source form at the start of a path.
    fn root(&self) -> String {
        match self {
            Text(text) => String::from_utf8(text.clone()).unwrap(),
            _ => self.script(),
        }
    }

    /// Source form as a member.
    fn key(&self) -> String {
        match self {
            Text(text) if is_word(text) => format!(".{}", self.root()),
            _ => format!("[{}]", self.script()),
        }
    }

    /// Reads back a node or value from its fields.
    fn read(node: NodeRef<'_>) -> Given {
        let single = |field: &Field| match node.child(field).unwrap().value() {
            Value::Single(real) => real,
            _ => panic!("no real number"),
        };
        let roles = [&CALLEE, &FIRST, &KEY, &ARG, &ELEMENT];
        let below = || -> Vec<Given> {
            let children = node.children().filter(|child| roles.iter().any(|role| child.field().is(role)));
            children.map(Given::read).collect()
        };
        let name = || node.child(&FUNCTION).unwrap().bytes().to_vec();
        if let Some(tag) = node.child(&NODE_TAG) {
            return match tag.bytes() {
                b"F" => Call(name(), below()),
                b"E" => RawCall(name(), below()),
                b"G" => CallResult(below()),
                b"D" => RawCallResult(below()),
                b"g" => Get(below()),
                b"h" => Set(below()),
                other => panic!("no node is {other:?}"),
            };
        }
        match node.child(&VALUE_TYPE).unwrap().bytes() {
            b"s" => Text(node.child(&STRING_VALUE).unwrap().bytes().to_vec()),
            b"i" => match node.child(&INTEGER_VALUE).unwrap().value() {
                Value::Signed(number) => Integer(i32::try_from(number).unwrap()),
                other => panic!("{other:?}"),
            },
            b"f" => Float(single(&FLOAT_VALUE)),
            b"o" => Null,
            b"b" => Bool(node.child(&BOOL_VALUE).unwrap().number() == Some(1)),
            b"v" => Vector([single(&X), single(&Y), single(&Z)]),
            b"q" => Quaternion([single(&X), single(&Y), single(&Z), single(&W)]),
            b"a" => {
                let elements = below();
                assert_eq!(node.child(&ARRAY_COUNT).unwrap().number(), Some(elements.len() as u64));
                Array(elements)
            }
            other => panic!("no value is {other:?}"),
        }
    }
}

fn is_word(text: &[u8]) -> bool {
    let mut letters = text.iter();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || *letter == b'_')
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    "[a-zA-Z_ \"\\\\\n.0-9é☃]{0,12}".prop_map(String::into_bytes)
}

fn real() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<f32>().prop_filter("a number", |real| !real.is_nan()),
        (-100_i8..100).prop_map(|real| f32::from(real) / 4.0)
    ]
}

fn value() -> impl Strategy<Value = Given> {
    let leaf = prop_oneof![
        text().prop_map(Text),
        any::<i32>().prop_map(Integer),
        real().prop_map(Float),
        Just(Null),
        any::<bool>().prop_map(Bool),
        proptest::array::uniform3(real()).prop_map(Vector),
        proptest::array::uniform4(real()).prop_map(Quaternion),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        let some = move |least: usize| proptest::collection::vec(inner.clone(), least..5);
        prop_oneof![
            3 => some(0).prop_map(Array),
            3 => (text(), some(0)).prop_map(|(name, values)| Call(name, values)),
            2 => (text(), some(1)).prop_map(|(name, values)| RawCall(name, values)),
            1 => (text(), some(0), some(0)).prop_map(|(name, of, values)| CallResult([vec![Call(name, of)], values].concat())),
            1 => (some(1), some(0)).prop_map(|(of, values)| RawCallResult([vec![Get(of)], values].concat())),
            1 => some(1).prop_map(Get),
        ]
    })
}

fn top() -> impl Strategy<Value = Given> {
    let is_top = |value: &Given| matches!(value, Call(..) | RawCall(..) | CallResult(_) | RawCallResult(_));
    prop_oneof![
        4 => value().prop_map(move |value| if is_top(&value) { value } else { Call(b"f".to_vec(), vec![value]) }),
        1 => (text(), value()).prop_map(|(slot, value)| Set(vec![Text(slot), value])),
        1 => (text(), text(), value()).prop_map(|(of, key, value)| Set(vec![Get(vec![Text(of)]), Text(key), value])),
    ]
}

/// Dissects a message and evaluates its tree.
fn read<T>(bytes: &[u8], cut: Cut, look: impl FnOnce(Dissection<'_>) -> T) -> T {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), cut);
    let result = message(&mut wire, Some(Side::Client));
    PROTOCOL.conclude(&mut wire, result);
    tree.close(0, PROTOCOL.this, bytes.len());
    look(Dissection { tree: &tree, bytes })
}

fn assert_explained(of: Dissection<'_>) {
    let mut explained = vec![false; of.bytes.len()];
    for (place, node) in (0_u32..).zip(&of.tree.nodes) {
        if node.end == place + 1 && node.span.is_somewhere() {
            explained[node.span.range()].fill(true);
        }
    }
    assert!(explained.iter().all(|explained| *explained), "{}", crate::tree::dump(of));
}

fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let damaged =
        (top(), proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)).prop_map(|(top, damage)| {
            let mut bytes = [&[1, 0, 0, 0x40][..], &top.encode()].concat();
            for (place, byte) in damage {
                let at = place.index(bytes.len());
                bytes[at] = byte;
            }
            bytes
        });
    let bytes =
        proptest::collection::vec(prop_oneof![any::<u8>(), Just(0), proptest::sample::select(b"FEGDghsifobvqa".to_vec())], 0..80);
    let begun = bytes.clone().prop_map(|rest| [&[0, 0, 0, 0x40][..], &rest].concat());
    let cut = (proptest::sample::select(ALL.to_vec()), any::<prop::sample::Index>()).prop_map(|(hex, end)| {
        let bytes = trial::bytes(hex);
        bytes[..end.index(bytes.len() + 1)].to_vec()
    });
    prop_oneof![damaged, bytes, begun, cut]
}

proptest! {
    #[test]
    fn random_messages_round_trip(top in top()) {
        let bytes = [&[1, 0, 0, 0x40][..], &top.encode()].concat();
        prop_assert!(is_exact(&bytes));
        read(&bytes, Cut::No, |of| {
            prop_assert!(of.tree.notes.is_empty(), "{}", crate::tree::dump(of));
            let layer = of.layer_node(&of.tree.layers[0]).unwrap();
            prop_assert_eq!(Given::read(layer.child(&NODE).unwrap()), top.clone());
            let call = layer.child(&CALL_TEXT).unwrap().text();
            prop_assert_eq!(call, top.script());
            assert_explained(of);
            Ok(())
        })?;
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in hostile(), is_cut: bool) {
        read(&bytes, if is_cut { Cut::Capture } else { Cut::No }, assert_explained);
    }
}
