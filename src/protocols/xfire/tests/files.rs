//! Reassembly of files, and datagrams that earlier messages announce.

use super::*;
use flate2::Crc;

const ID: u32 = 0x8000_0001;

/// Named attribute.
fn attribute(name: &str, value_type: u8, value: &[u8]) -> Vec<u8> {
    [&[u8::try_from(name.len()).unwrap()], name.as_bytes(), &[value_type], value].concat()
}

fn file_message_of(kind: u16, attributes: &[Vec<u8>]) -> Vec<u8> {
    let id = attribute("fileid", 2, &ID.to_le_bytes());
    let length = u32::try_from(7 + id.len() + attributes.concat().len()).unwrap();
    let count = u8::try_from(attributes.len() + 1).unwrap();
    [&length.to_le_bytes()[..], &kind.to_le_bytes(), &[count], &id, &attributes.concat()].concat()
}

/// Datagram with a file message.
fn in_datagram(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_le_bytes();
    let mut tail = [&[0; 4], message, b"DL", &[0; 14]].concat();
    let mut crc = Crc::new();
    crc.update(&tail);
    tail.extend(crc.sum().to_le_bytes());
    [&[0; 4][..], &[9; 20], &[0; 12], &length, &[0; 4], &tail].concat()
}

fn request(size: i64) -> Vec<u8> {
    let name = [&8_u16.to_le_bytes()[..], b"moor.map"].concat();
    in_datagram(&file_message_of(16007, &[attribute("filename", 1, &name), attribute("size", 7, &size.to_le_bytes())]))
}

fn data(offset: i64, bytes: &[u8]) -> Vec<u8> {
    let count = u16::try_from(bytes.len()).unwrap().to_le_bytes();
    let block = [&[8][..], &count, bytes].concat();
    in_datagram(&file_message_of(16012, &[attribute("offset", 7, &offset.to_le_bytes()), attribute("data", 4, &block)]))
}

/// Objects offered by the datagrams of a conversation.
fn objects(peers: &mut Peers, datagrams: &[(Side, Vec<u8>)]) -> Vec<(String, String)> {
    let mut objects = Vec::new();
    for (from, bytes) in datagrams {
        let mut tree = Tree::new(Demand::OBJECTS);
        tree.begin(FrameInfo::default());
        let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
        let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), Cut::No);
        peers.message(*from, &mut wire).unwrap();
        assert!(tree.outcome.objects.iter().all(|carried| carried.object.kind == "file"));
        let object = |carried: &crate::tree::ExportedObject| {
            (carried.object.name.clone(), String::from_utf8_lossy(&carried.object.bytes).into_owned())
        };
        objects.extend(tree.outcome.objects.iter().map(object));
    }
    objects
}

fn file(name: &str, bytes: &str) -> (String, String) {
    (name.to_owned(), bytes.to_owned())
}

#[test]
fn a_file_is_complete_with_all_chunks_in_any_order() {
    use Side::{Client, Server};
    let datagrams = [
        (Server, request(10)),
        (Server, data(4, b"efgh")),
        (Server, data(4, b"ef")),
        // Both sides may use the same file ID.
        (Client, data(0, b"another")),
        (Server, data(8, b"ij")),
        (Server, data(0, b"abcd")),
        (Client, in_datagram(&file_message_of(16013, &[]))),
    ];
    assert_eq!(objects(&mut Peers::default(), &datagrams), [file("moor.map", "abcdefghij"), file("file-80000001", "another")]);
}

#[test]
fn a_gap_truncates_a_file() {
    use Side::{Client, Server};
    let datagrams = [
        (Server, request(12)),
        (Server, data(0, b"abc")),
        (Server, data(2, b"cd")),
        (Server, data(8, b"ijkl")),
        (Server, data(i64::MAX, b"far")),
        (Client, in_datagram(&file_message_of(16013, &[]))),
        (Client, in_datagram(&file_message_of(16013, &[]))),
    ];
    assert_eq!(objects(&mut Peers::default(), &datagrams), [file("moor.map.part", "abcd")]);
    let mut damaged = data(0, b"abcd");
    *damaged.last_mut().unwrap() ^= 1;
    let datagrams = [(Server, request(4)), (Server, damaged), (Client, in_datagram(&file_message_of(16014, &[])))];
    assert!(objects(&mut Peers::default(), &datagrams).is_empty());
}

#[test]
fn malformed_datagrams_are_claimed_in_a_confirmed_conversation() {
    let mut peers = Peers::default();
    let bytes = trial::bytes(M10);
    assert!(!peers.claims(Side::Client, &bytes));
    objects(&mut peers, &[(Side::Server, trial::bytes(X20))]);
    assert!(
        peers.claims(Side::Client, &bytes) && !peers.claims(Side::Client, &bytes[..40]) && !peers.claims(Side::Client, b"GET /")
    );
    let mut probed = Peers::default();
    objects(&mut probed, &[(Side::Server, trial::bytes(X24))]);
    assert!(!probed.claims(Side::Client, &bytes));
}

#[test]
fn a_file_without_confirmed_end_can_be_saved() {
    let mut peers = Peers::default();
    assert!(objects(&mut peers, &[(Side::Server, request(9)), (Side::Server, data(0, b"abcd"))]).is_empty());
    let open: Vec<_> = peers.objects().into_iter().map(|object| (object.name, object.bytes)).collect();
    assert_eq!(open, [("moor.map.part".to_owned(), b"abcd".to_vec())]);
}

#[test]
fn a_moniker_is_resolved_to_the_announced_user() {
    let moniker = &trial::bytes(X19)[4..24];
    let mut peers = Peers::default();
    peers.announced(&[&[7; 20][..], b"\x03Bob", moniker, b"\x05Alice", moniker, b"\xffcut"].concat());
    let tree = trial::read(&PROTOCOL, &trial::bytes(X19), Cut::No, |wire| peers.message(Side::Client, wire));
    assert!(tree.contains("xfire.p2p.user") && tree.contains("#1 from Alice"), "{tree}");
    let stranger = trial::read(&PROTOCOL, &trial::bytes(X19), Cut::No, |wire| Peers::default().message(Side::Client, wire));
    assert!(!stranger.contains("xfire.p2p.user"), "{stranger}");
}

/// The moniker in X19 is the digest of this session ID in hexadecimal and a salt of forty digits.
#[test]
fn monikers_are_derived_from_session_and_salt() {
    let sid = trial::bytes("0cf00615e44895c5716a061ccc46eed1");
    let named =
        |name: &str, value: &[u8]| attribute(name, 1, &[&u16::try_from(value.len()).unwrap().to_le_bytes()[..], value].concat());
    let number = |name: &str, number: u32| attribute(name, 2, &number.to_le_bytes());
    let map = |members: &[Vec<u8>]| [&[u8::try_from(members.len()).unwrap()][..], &members.concat()].concat();
    let list = |name: &str, value_type: u8, value: &[u8]| attribute(name, 4, &[&[value_type, 1, 0], value].concat());
    let text = |value: &[u8]| [&u16::try_from(value.len()).unwrap().to_le_bytes()[..], value].concat();
    let message_of =
        |kind: u16, attributes: &[Vec<u8>]| super::message(kind, u8::try_from(attributes.len()).unwrap(), &attributes.concat());
    let friend = message_of(
        131,
        &[list("userid", 2, &7_u32.to_le_bytes()), list("friends", 1, &text(b"alice")), list("nick", 1, &text(b""))],
    );
    let session = message_of(132, &[list("userid", 2, &7_u32.to_le_bytes()), list("sid", 3, &sid)]);
    let about = map(&[
        number("msgtype", 2),
        number("ip", 0x0a00_0001),
        number("port", 5000),
        number("localip", 0),
        number("localport", 0),
        number("status", 1),
        named("salt", b"0f".repeat(20).as_slice()),
    ]);
    let address = message_of(133, &[attribute("sid", 3, &sid), attribute("peermsg", 5, &about)]);
    let mut tree = Tree::new(Demand::LAYERS);
    tree.begin(FrameInfo::default());
    let mut conversation = Session::default();
    for bytes in [friend, session, address] {
        let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
        let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
        conversation.message(Side::Server, &mut wire).unwrap();
    }
    let expected: Vec<_> = tree.handover.take_expected().filter_map(|conversation| conversation.details).collect();
    let moniker = &trial::bytes(X19)[4..24];
    assert!(expected.iter().any(|details| details.starts_with(&[moniker, b"\x05alice"].concat())), "{expected:02x?}");
}

#[test]
fn an_address_announces_datagrams() {
    let bytes = trial::bytes(X6);
    let mut tree = Tree::new(Demand::LAYERS);
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
    Session::default().message(Side::Server, &mut wire).unwrap();
    let announced: Vec<String> =
        tree.handover.take_expected().map(|expected| format!("{} {}", expected.end, expected.place)).collect();
    assert_eq!(announced.len(), 2, "{announced:?}");
    assert!(announced.iter().all(|end| end.ends_with(" xfire.p2p")), "{announced:?}");
}

proptest! {
    #[test]
    fn parts_of_any_kind_never_upset_a_file(
        parts in proptest::collection::vec((any::<bool>(), prop_oneof![0_i64..40, any::<i64>()], 0..20_usize), 0..40),
        size in prop_oneof![0_i64..60, any::<i64>()],
    ) {
        let whole: Vec<u8> = (0..=255).collect();
        let side = |is_client| if is_client { Side::Client } else { Side::Server };
        let mut datagrams = vec![(Side::Server, request(size))];
        for (is_client, offset, len) in &parts {
            let start = usize::try_from(*offset).unwrap_or_default().min(60);
            datagrams.push((side(*is_client), data(*offset, &whole[start..start + len])));
        }
        datagrams.push((Side::Client, in_datagram(&file_message_of(16013, &[]))));
        let mut peers = Peers::default();
        for (_, bytes) in objects(&mut peers, &datagrams) {
            prop_assert!(bytes.len() <= 20 * 41 * 3);
        }
    }
}
