//! Connection state: paths, previous values, command matching and exported objects.

use super::*;
use crate::tree::{Demand, Extras, Kind, Only, Timestamp};

/// Bytes of an entry: type, ID, value.
fn entry(kind: u8, id: u32, value: &[u8]) -> Vec<u8> {
    [&[kind][..], &id.to_le_bytes(), value].concat()
}

fn dict(id: u32, inserted: &[(u32, &str)], removed: &[u32]) -> Vec<u8> {
    let mut value = u16::try_from(inserted.len()).unwrap().to_le_bytes().to_vec();
    for (child, name) in inserted {
        value.extend_from_slice(&child.to_le_bytes());
        value.extend_from_slice(name.as_bytes());
        value.push(0);
    }
    value.extend_from_slice(&u16::try_from(removed.len()).unwrap().to_le_bytes());
    removed.iter().for_each(|child| value.extend_from_slice(&child.to_le_bytes()));
    entry(8, id, &value)
}

fn list(id: u32, children: &[u32]) -> Vec<u8> {
    let mut value = u16::try_from(children.len()).unwrap().to_le_bytes().to_vec();
    children.iter().for_each(|child| value.extend_from_slice(&child.to_le_bytes()));
    entry(7, id, &value)
}

/// A session under test, message by message.
#[derive(Default)]
struct Fixture {
    session: Session,
    tree: Option<Tree>,
    bytes: Vec<u8>,
    /// Demand of the next messages; everything by default.
    want: Option<Demand>,
    /// Maximum demand of the run; everything by default.
    most: Option<Demand>,
}

impl Fixture {
    fn send(&mut self, from: Side, bytes: Vec<u8>) {
        self.send_at(from, bytes, FrameInfo::default());
    }

    fn send_at(&mut self, from: Side, bytes: Vec<u8>, frame: FrameInfo) {
        let mut tree = Tree::new(self.most.unwrap_or(Demand::EVERYTHING.with(Extras::OBJECTS)));
        tree.set_demand(self.want.unwrap_or(tree.demand()));
        tree.begin(frame);
        let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
        let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
        let result = self.session.message(from, &mut wire);
        PROTOCOL.conclude(&mut wire, result);
        tree.close(0, PROTOCOL.this, bytes.len());
        self.tree = Some(tree);
        self.bytes = bytes;
    }

    fn update(&mut self, entries: &[Vec<u8>]) {
        self.send(Side::Server, json_message(DATA_UPDATE, &entries.concat()));
    }

    fn of(&self) -> Dissection<'_> {
        Dissection { tree: self.tree.as_ref().unwrap(), bytes: &self.bytes }
    }

    /// Values of all fields with the name of this one, as in columns.
    fn column(&self, field: &Field) -> Vec<String> {
        self.columns(|other| other.is(field) || (!field.also.is_empty() && other.also == field.also))
    }

    /// Values of this field only.
    fn column_of(&self, field: &Field) -> Vec<String> {
        self.columns(|other| other.is(field))
    }

    fn columns(&self, is_meant: impl Fn(&Field) -> bool) -> Vec<String> {
        let of = self.of();
        let nodes = (0..of.tree.here()).filter_map(|place| of.node(place));
        nodes
            .filter(|node| is_meant(node.field()))
            .map(|node| {
                let mut words = String::new();
                node.write_plain(&mut words).unwrap();
                words
            })
            .collect()
    }

    fn paths(&self) -> Vec<String> {
        self.column(&ENTRY_PATH)
    }

    fn notes(&self) -> Vec<&str> {
        let tree = self.tree.as_ref().unwrap();
        tree.notes.iter().map(|note| tree.generated_text(note.text)).collect()
    }

    fn info(&self) -> String {
        let tree = self.tree.as_ref().unwrap();
        tree.info(&tree.layers[0]).into_owned()
    }
}

#[test]
fn every_entry_of_a_first_update_has_its_path() {
    let mut fixture = Fixture::default();
    fixture.send(Side::Server, trial::bytes(NINE_TYPES));
    let wanted = ["list[0]", "list[1]", "list[2]", "obj.a", "max", "f", "obj.name", "s", "list", "empty", "obj", ""];
    assert_eq!(fixture.paths(), wanted);
    assert!(fixture.notes().is_empty() && fixture.column(&ENTRY_NEW).is_empty() && fixture.column(&BEFORE_INT).is_empty());
}

#[test]
fn paths_begin_with_the_highest_known_number_where_the_root_was_not_seen() {
    let mut fixture = Fixture::default();
    fixture.send(Side::Server, trial::bytes(RADIO));
    assert_eq!(fixture.paths(), ["#22260.frequency", "#22260.inRange", "#22260.active", "#22260.text", "#22260"]);
    fixture.send(Side::Server, trial::bytes(ONE_BOOL));
    assert_eq!(fixture.paths(), ["#15"]);
    fixture.update(&[list(7, &[22260])]);
    assert_eq!(fixture.paths(), ["#7"]);
    fixture.update(&[entry(0, 22263, &[1])]);
    assert_eq!((fixture.paths(), fixture.column(&BEFORE_BOOL)), (vec!["#7[0].active".to_owned()], vec!["0".to_owned()]));
}

/// A small tree: `Status.IsMenuOpen`, and the values of the vectors under their documented names.
fn small_world() -> Fixture {
    let mut fixture = Fixture::default();
    let float = |id| entry(5, id, &1_f32.to_le_bytes());
    let extents = ["NWX", "NWY", "NEX", "NEY", "SWX", "SWY"];
    let corners: Vec<(u32, &str)> = (23117..).zip(extents).collect();
    fixture.update(&[
        entry(0, 15, &[1]),
        dict(11, &[(15, "IsMenuOpen")], &[]),
        float(23164),
        float(23160),
        (23117..23123).flat_map(float).collect(),
        dict(100, &[(23164, "Rotation")], &[]),
        dict(101, &[(23160, "Rotation")], &[]),
        dict(104, &corners, &[]),
        dict(102, &[(100, "Player")], &[]),
        dict(103, &[(101, "Player"), (104, "Extents")], &[]),
        dict(8, &[(102, "World"), (103, "Local")], &[]),
        float(24956),
        dict(10, &[(24956, "TimeHour")], &[]),
        entry(6, 22344, b"old\0"),
        dict(22329, &[(22344, "itemCardInfoList")], &[]),
        list(43, &[22329]),
        dict(4, &[(43, "43")], &[]),
        dict(0, &[(11, "Status"), (8, "Map"), (10, "PlayerInfo"), (4, "Inventory")], &[]),
    ]);
    assert!(fixture.notes().is_empty(), "{:?}", fixture.notes());
    fixture
}

#[test]
fn small_updates_use_the_paths_of_the_first_one() {
    let mut fixture = small_world();
    fixture.send(Side::Server, trial::bytes(ONE_BOOL));
    assert_eq!(fixture.paths(), ["Status.IsMenuOpen"]);
    fixture.send(Side::Server, trial::bytes(TWO_FLOATS));
    assert_eq!(fixture.paths(), ["Map.World.Player.Rotation", "Map.Local.Player.Rotation"]);
    assert_eq!(fixture.column(&BEFORE_FLOAT), ["1", "1"]);
    fixture.send(Side::Server, trial::bytes(TWO_FLOATS));
    assert!(fixture.column(&BEFORE_FLOAT).is_empty());
    fixture.send(Side::Server, trial::bytes(ONE_FLOAT));
    assert_eq!(fixture.paths(), ["PlayerInfo.TimeHour"]);
    fixture.send(Side::Server, trial::bytes(EIGHT_FLOATS));
    let corners = ["NWX", "NEY", "NEX", "SWY", "SWX", "NWY"].map(|corner| format!("Map.Local.Extents.{corner}"));
    assert_eq!((&fixture.paths()[0][..], &fixture.paths()[7][..]), ("#23088", "#23084"));
    assert_eq!(fixture.paths()[1..7], corners);
}

#[test]
fn a_member_that_gets_another_value_drops_the_old_one() {
    let mut fixture = small_world();
    fixture.update(&[entry(6, 39249, b"new\0"), dict(22329, &[(39249, "itemCardInfoList")], &[22344])]);
    assert_eq!(fixture.paths(), ["Inventory.43[0].itemCardInfoList", "Inventory.43[0]"]);
    assert_eq!(fixture.column(&ENTRY_NEW), ["1"]);
    assert!(fixture.notes().is_empty(), "{:?}", fixture.notes());
    fixture.update(&[entry(6, 22344, b"again\0")]);
    assert_eq!((fixture.paths(), fixture.column(&ENTRY_NEW)), (vec!["#22344".to_owned()], vec!["1".to_owned()]));
    // Without the removal, too.
    fixture.update(&[entry(6, 7000, b"third\0"), dict(22329, &[(7000, "itemCardInfoList")], &[])]);
    fixture.update(&[entry(6, 39249, b"x\0")]);
    assert_eq!(fixture.paths(), ["#39249"]);
}

#[test]
fn elements_removed_from_a_list_are_gone_unless_linked_again() {
    let mut fixture = small_world();
    fixture.update(&[entry(1, 70, &[1]), entry(1, 71, &[2]), entry(1, 72, &[3]), list(43, &[70, 71, 72])]);
    assert_eq!(fixture.paths(), ["Inventory.43[0]", "Inventory.43[1]", "Inventory.43[2]", "Inventory.43"]);
    fixture.update(&[list(43, &[72, 70]), dict(4, &[(71, "moved")], &[])]);
    assert!(fixture.notes().is_empty(), "{:?}", fixture.notes());
    fixture.update(&[entry(1, 70, &[7]), entry(1, 71, &[8]), entry(1, 72, &[9]), entry(6, 22344, b"\0")]);
    assert_eq!(fixture.paths(), ["Inventory.43[1]", "Inventory.moved", "Inventory.43[0]", "#22344"]);
    assert_eq!(fixture.column(&BEFORE_INT), ["1", "2", "3"]);
}

#[test]
fn exported_values_nest_64_levels_deep() {
    // Links from the innermost value outwards: no link is too deep when it is made.
    const LEVELS: u32 = 90;
    let mut fixture = Fixture::default();
    fixture.update(&[entry(0, 1000 + LEVELS, &[1])]);
    (0..LEVELS).rev().for_each(|level| fixture.update(&[dict(1000 + level, &[(1001 + level, "in")], &[])]));
    fixture.update(&[dict(0, &[(1000, "in")], &[])]);
    let object = fixture.session.objects().remove(0);
    let mut value: serde_json::Value = serde_json::from_slice(&object.bytes).unwrap();
    let mut depth = 0;
    while let Some(inner) = value.get_mut("in") {
        value = inner.take();
        depth += 1;
    }
    assert_eq!((depth, value), (65, serde_json::Value::Null));
}

#[test]
fn inconsistent_references_are_noted() {
    let mut fixture = small_world();
    fixture.update(&[dict(15, &[(11, "up")], &[]), list(15, &[0, 15])]);
    assert_eq!(fixture.notes(), ["#11 not followed: cyclic or too deep", "#0 and 1 more not followed: cyclic or too deep"]);
    assert_eq!(fixture.paths(), ["Status.IsMenuOpen"; 2]);
    fixture.update(&[dict(8, &[(24956, "Hour")], &[])]);
    assert_eq!(fixture.notes(), ["#24956 taken from another parent"]);
    fixture.update(&[entry(5, 24956, &[0; 4])]);
    assert_eq!(fixture.paths(), ["Map.Hour"]);
    fixture.update(&[dict(8, &[(24956, "Hour")], &[24956])]);
    assert_eq!(fixture.notes(), ["#24956 both inserted and removed"]);
    fixture.update(&[list(8, &[900, 901])]);
    assert_eq!(fixture.notes(), ["#900 and 1 more never sent"]);
}

#[test]
fn a_reload_replaces_everything() {
    let mut fixture = small_world();
    let before: Vec<u32> = vec![11, 8, 10, 4];
    let fresh = [entry(0, 1015, &[1]), dict(1011, &[(1015, "IsMenuOpen")], &[]), dict(0, &[(1011, "Status")], &before)];
    fixture.update(&fresh);
    assert_eq!(fixture.paths(), ["Status.IsMenuOpen", "Status", ""]);
    let object = fixture.session.objects().remove(0);
    let values: serde_json::Value = serde_json::from_slice(&object.bytes).unwrap();
    assert_eq!(values, serde_json::json!({"Status": {"IsMenuOpen": true}}));
    fixture.send(Side::Server, trial::bytes(ONE_BOOL));
    assert_eq!(fixture.paths(), ["#15"]);
}

#[test]
fn only_complete_entries_of_the_game_change_the_tree() {
    let mut fixture = small_world();
    fixture.send(Side::Client, trial::bytes(ONE_BOOL));
    assert!(fixture.paths().is_empty());
    let mut cut = list(43, &[24956]);
    cut.truncate(cut.len() - 1);
    fixture.update(&[cut]);
    fixture.update(&[entry(6, 22344, b"\0")]);
    assert_eq!(fixture.paths(), ["Inventory.43[0].itemCardInfoList"]);
}

#[test]
fn commands_show_the_path_of_their_value() {
    let mut fixture = small_world();
    fixture.send(Side::Client, json_message(COMMAND, br#"{"type":12,"args":[22329],"id":5}"#));
    assert_eq!(fixture.column(&COMMAND_TARGET), ["Inventory.43[0]"]);
    assert_eq!(fixture.info(), "toggle_radio_station [22329] Inventory.43[0] id 5");
    fixture.send(Side::Client, json_message(COMMAND, br#"{"type":9,"args":[99999],"id":6}"#));
    assert_eq!(fixture.column(&COMMAND_TARGET), ["#99999"]);
    for args in ["[]", "[-1]", "[\"x\"]", "[4294967296]", "7"] {
        fixture.send(Side::Client, json_message(COMMAND, format!(r#"{{"type":9,"args":{args},"id":6}}"#).as_bytes()));
        assert!(fixture.column(&COMMAND_TARGET).is_empty());
    }
}

#[test]
fn a_result_shows_its_command_and_response_time() {
    let mut fixture = Fixture::default();
    let at = |number, nanos| FrameInfo { number, time: Some(Timestamp { seconds: 1, nanos }), ..FrameInfo::default() };
    fixture.send_at(Side::Client, trial::bytes(DROP_ITEM), at(7, 0));
    fixture.send_at(Side::Server, trial::bytes(ALLOWED), at(9, 250_000_000));
    assert_eq!(fixture.column(&RESULT_COMMAND), ["1"]);
    assert_eq!(fixture.column(&RESULT_COMMAND_FRAME), ["7"]);
    assert_eq!(fixture.column(&RESULT_TIME), ["0.25"]);
    assert_eq!(fixture.info(), "id 3 drop_item allowed, success");
    fixture.send(Side::Server, trial::bytes(NOT_ALLOWED));
    assert!(fixture.column(&RESULT_COMMAND_FRAME).is_empty());
}

#[test]
fn responses_show_their_request() {
    let mut discovery = Discovery::default();
    let mut send = |number, nanos, bytes: &[u8]| {
        let mut tree = Tree::complete();
        tree.begin(FrameInfo { number, time: Some(Timestamp { seconds: 1, nanos }), ..FrameInfo::default() });
        let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
        let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), Cut::No);
        discovery.message(Side::Client, &mut wire).unwrap();
        tree.close(0, PROTOCOL.this, bytes.len());
        let of = Dissection { tree: &tree, bytes };
        let fixture = of.node(0).unwrap().children().filter(|node| !node.span().is_somewhere()).map(|node| {
            let mut words = format!("{} ", node.field().name);
            node.write_plain(&mut words).unwrap();
            words
        });
        fixture.collect::<Vec<_>>().join(", ")
    };
    let answer = br#"{"IsBusy":false,"MachineType":"PC"}"#;
    assert_eq!(send(3, 0, answer), "");
    assert_eq!(send(5, 0, br#"{"cmd":"autodiscover"}"#), "");
    assert_eq!(send(6, 4_000_000, answer), "answer 1, request frame 5, time 0.004");
    assert_eq!(send(9, 500_000_000, answer), "answer 2, request frame 5, time 0.5");
    assert_eq!(send(10, 600_000_000, br#"{"cmd":"autodiscover"}"#), "");
    assert_eq!(send(11, 600_000_000, answer), "answer 1, request frame 10, time 0");
}

#[test]
fn long_updates_have_a_summary() {
    let mut fixture = Fixture::default();
    let mut entries: Vec<Vec<u8>> = (100..200).map(|id| entry(4, id, &[0; 4])).collect();
    let children: Vec<u32> = (100..200).collect();
    entries.extend([list(2, &children[..60]), list(3, &children[60..]), dict(0, &[(2, "Special"), (3, "Perks")], &[])]);
    fixture.update(&entries);
    assert_eq!(fixture.column(&SUMMARY_UINT32), ["100"]);
    assert_eq!(fixture.column(&SUMMARY_LIST), ["2"]);
    assert_eq!(fixture.column(&SUMMARY_NAME), ["Special", "Perks"]);
    assert_eq!(fixture.column(&SUMMARY_ENTRIES), ["61", "41"]);
}

#[test]
fn maps_are_saved_without_row_padding() {
    let mut fixture = Fixture::default();
    fixture.send(Side::Server, trial::bytes(PADDED_MAP));
    let object = &fixture.of().tree.outcome.objects[0].object;
    let mut reader = png::Decoder::new(std::io::Cursor::new(&object.bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (3, 2, png::ColorType::Grayscale));
    assert_eq!(pixels, [0x10, 0x20, 0x30, 0x40, 0x50, 0x60]);
    fixture.send(Side::Server, trial::bytes(RAGGED_MAP));
    assert!(fixture.of().tree.outcome.objects.is_empty());
}

#[test]
fn lists_and_dicts_show_changes_of_their_children() {
    let mut fixture = Fixture::default();
    let number = |id: u32| entry(4, id, &id.to_le_bytes());
    let all: Vec<Vec<u8>> = (1..=9).map(number).collect();
    fixture.update(&[
        all.concat(),
        list(20, &[1, 2, 3]),
        dict(21, &[(4, "foo"), (5, "bar")], &[]),
        dict(0, &[(20, "l"), (21, "d")], &[]),
    ]);
    assert!(fixture.column(&ENTRY_CHANGE).is_empty());
    let mut changed = |entries: &[Vec<u8>]| {
        fixture.update(entries);
        fixture.column(&ENTRY_CHANGE)
    };
    assert_eq!(changed(&[list(20, &[1, 3, 6, 7])]), ["3 → 4: added #6, #7; removed #2"]);
    assert_eq!(changed(&[list(20, &[1, 3, 6, 7])]), [""; 0]);
    assert_eq!(changed(&[list(20, &[7, 3, 6, 1])]), ["4 → 4: in another order"]);
    assert_eq!(changed(&[number(2), dict(21, &[(2, "foo"), (8, "new")], &[4])]), ["2 → 3: added new; replaced foo"]);
    assert_eq!(changed(&[dict(21, &[(9, "new")], &[5])]), ["3 → 2: replaced new; removed bar"]);
    assert_eq!(changed(&[dict(21, &[(9, "new")], &[])]), [""; 0]);
    assert_eq!(changed(&[number(20)]), ["4 → 0: removed #7, #3, #6, #1"]);
    assert_eq!(changed(&[list(20, &[])]), [""; 0]);
    assert_eq!(fixture.column(&BEFORE_UINT), ["20"]);
    let many: Vec<Vec<u8>> = (100..120).map(number).collect();
    let ids: Vec<u32> = (100..120).collect();
    fixture.update(&[many.concat(), list(20, &ids)]);
    assert_eq!(fixture.column(&ENTRY_CHANGE), ["0 → 20: added #100, #101, #102, #103, #104, #105 and 14 more"]);
    let long = "n".repeat(1000);
    fixture.update(&[number(200), dict(21, &[(200, long.as_str())], &[])]);
    assert_eq!(fixture.column(&ENTRY_CHANGE), [format!("2 → 3: added {}…", "n".repeat(40))]);
}

#[test]
fn an_evicted_session_has_no_paths() {
    let mut fixture = Fixture::default();
    let entries = [entry(4, 5, &[1, 0, 0, 0]), dict(0, &[(5, "five")], &[])];
    fixture.update(&entries);
    assert_eq!(fixture.column(&ENTRY_PATH), ["five", ""]);
    let before = fixture.session.memory_usage();
    assert!(fixture.session.forget() && !fixture.session.forget());
    assert!(fixture.session.memory_usage() < before);
    fixture.update(&entries);
    assert_eq!((fixture.column(&ENTRY_PATH).len(), fixture.column(&ENTRY_UINT)), (0, vec!["1".to_owned()]));
    assert!(fixture.of().tree.notes.iter().any(|note| note.code.is(&NOTE_FORGOTTEN)));
    fixture.update(&entries);
    assert!(fixture.of().tree.notes.is_empty());
}

/// Generates updates of few values: well-formed, inconsistent and truncated.
fn some_update() -> impl Strategy<Value = Vec<u8>> {
    let id = || 0_u32..6;
    // Some are not UTF-8.
    let name = prop::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(0xc3), Just(0xa9)], 0..3);
    let one = prop_oneof![
        (id(), id(), name).prop_map(|(id, child, name)| entry(
            8,
            id,
            &[&[1, 0], &child.to_le_bytes()[..], &name, &[0; 3]].concat()
        )),
        (id(), 0_u8..3).prop_map(|(id, truth)| entry(0, id, &[truth])),
        (id(), "[a-c]{0,3}").prop_map(|(id, text)| entry(6, id, &[text.as_bytes(), b"\0"].concat())),
        (id(), 0_u8..=8, prop::collection::vec(prop_oneof![0_u8..3, any::<u8>()], 1..9))
            .prop_map(|(id, kind, value)| entry(kind, id, &value)),
        (id(), prop::collection::vec(id(), 0..4)).prop_map(|(id, children)| list(id, &children)),
        (id(), prop::collection::vec((id(), "[a-c]"), 0..4), prop::collection::vec(id(), 0..2)).prop_map(
            |(id, members, gone)| {
                let members: Vec<_> = members.iter().map(|(child, name)| (*child, name.as_str())).collect();
                dict(id, &members, &gone)
            }
        ),
    ];
    (prop::collection::vec(one, 0..4), 0_usize..12).prop_map(|(entries, cut)| {
        let mut update = entries.concat();
        update.truncate(update.len().saturating_sub(cut.saturating_sub(9)));
        update
    })
}

proptest! {
    #[test]
    fn updates_not_requested_are_decoded_on_demand(updates in prop::collection::vec((some_update(), any::<bool>()), 1..12)) {
        let (mut sometimes, mut always) = (Fixture::default(), Fixture::default());
        for (update, unseen) in updates {
            sometimes.want = unseen.then(|| Demand::EVERYTHING.filtered_out());
            sometimes.update(std::slice::from_ref(&update));
            always.update(&[update]);
            if !unseen {
                prop_assert_eq!(format!("{:?}", sometimes.tree), format!("{:?}", always.tree));
            }
        }
        sometimes.want = None;
        sometimes.update(&[]);
        prop_assert_eq!(sometimes.session.objects(), always.session.objects());
    }

    #[test]
    fn notes_do_not_depend_on_requested_fields(updates in prop::collection::vec(some_update(), 1..12)) {
        let [mut fixture, mut skimmed] = [Demand::EVERYTHING, Demand::HEADINGS].map(|want| Fixture { want: Some(want), ..Fixture::default() });
        for update in updates {
            fixture.update(std::slice::from_ref(&update));
            skimmed.update(&[update]);
            let [fixture, skimmed] = [&fixture, &skimmed].map(|one| {
                let codes: Vec<_> = one.of().tree.notes.iter().map(|note| note.code.abbrev).collect();
                format!("{codes:?} {:?} {}", one.notes(), one.info())
            });
            prop_assert_eq!(fixture, skimmed);
        }
        prop_assert_eq!(fixture.session.objects(), skimmed.session.objects());
    }
}

#[test]
fn a_field_requested_alone_equals_a_full_dissection() {
    let updates = [
        [dict(0, &[(1, "a"), (2, "b")], &[]), entry(0, 1, &[1]), entry(6, 2, b"text\0"), entry(1, 3, &[9]), entry(2, 4, &[9])],
        [entry(0, 1, &[0]), entry(6, 2, b"other\0"), list(5, &[1, 9]), entry(5, 6, &[0; 4]), dict(0, &[(5, "c")], &[1])],
        [entry(1, 3, &[8]), entry(2, 4, &[8]), entry(5, 6, &[1; 4]), list(5, &[2]), entry(0, 7, &[1])],
    ];
    for field in PROTOCOL.fields.iter().copied().filter(|field| field.kind != Kind::Protocol) {
        let only = Demand::of_fields(Only::these([field]));
        let [mut whole, mut alone] = [Demand::EVERYTHING, only].map(|want| Fixture { want: Some(want), ..Fixture::default() });
        for update in &updates {
            whole.update(update);
            alone.update(update);
            let [whole, alone] = [&whole, &alone].map(|one| one.column_of(field));
            assert_eq!(whole, alone, "{field:?}");
        }
    }
}

#[test]
fn the_queue_of_updates_is_bounded() {
    let mut fixture = small_world();
    let before = fixture.session.values.memory_usage();
    fixture.want = Some(Demand::EVERYTHING.filtered_out());
    for text in 0..300_u32 {
        let text = [text.to_string().repeat(2000).as_bytes(), b"\0"].concat();
        fixture.update(&[entry(6, 22344, &text)]);
        assert!(fixture.session.values.memory_usage() < before + (3 << 20));
    }
    fixture.want = None;
    fixture.update(&[entry(6, 22344, b"seen\0")]);
    assert_eq!(fixture.column(&BEFORE_STRING), ["299".repeat(2000)]);
}

#[test]
fn updates_never_requested_are_not_queued() {
    let usage = |most: Demand| {
        let mut fixture = Fixture { most: Some(most), want: Some(Demand::EVERYTHING.filtered_out()), ..Fixture::default() };
        fixture.update(&[list(0, &(1..1000).collect::<Vec<u32>>())]);
        fixture.session.memory_usage()
    };
    assert!(usage(Demand::EVERYTHING) > usage(Demand::EVERYTHING.filtered_out()) + 4000);
}
