//! Invariants of the value tree under arbitrary updates.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

/// An operation on a tree.
#[derive(Debug, Clone)]
enum Act {
    Set(u32, u32),
    Text(u32, String),
    List(u32, Vec<u32>),
    Dict(u32, Vec<(u32, u8)>, Vec<u32>),
    Settle,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let id = || 0..14_u32;
    let act = prop_oneof![
        (id(), 0..3_u32).prop_map(|(id, value)| Act::Set(id, value)),
        (id(), "[a-c]{0,2}").prop_map(|(id, text)| Act::Text(id, text)),
        (id(), proptest::collection::vec(id(), 0..5)).prop_map(|(id, children)| Act::List(id, children)),
        (id(), proptest::collection::vec((id(), 0..4_u8), 0..5), proptest::collection::vec(id(), 0..4))
            .prop_map(|(id, inserted, removed)| Act::Dict(id, inserted, removed)),
        Just(Act::Settle),
    ];
    proptest::collection::vec(act, 0..60)
}

fn act(world: &mut World, act: &Act) {
    match act {
        Act::Set(id, value) => drop(world.set(*id, Scalar::Uint(*value))),
        Act::Text(id, text) => drop(world.set(*id, Scalar::Text(text.as_str().into()))),
        Act::List(id, children) => drop(world.list(*id, children)),
        Act::Dict(id, inserted, removed) => {
            let names = ["a", "b", "c", "\u{fffd}"];
            let inserted: Vec<(u32, &str)> = inserted.iter().map(|(child, name)| (*child, names[usize::from(*name)])).collect();
            drop(world.dict(*id, &inserted, removed));
        }
        Act::Settle => world.settle(),
    }
}

/// Checks all invariants.
fn check(world: &World) {
    let mut members = 0;
    let (mut uses, mut texts) = (HashMap::new(), 0);
    for slot in world.nodes.slots() {
        let node = world.nodes.get(slot).unwrap();
        assert_eq!(world.nodes.slot(node.id), Some(slot));
        assert!(world.upwards(slot).count() <= 14, "cyclic path");
        let children: Vec<Slot> = world.nodes.below(slot).collect();
        assert_eq!(world.nodes.last(slot), children.last().copied());
        assert_eq!(world.nodes.children(slot), children.len());
        let mut names = HashSet::new();
        for child in &children {
            let child_node = world.nodes.get(*child).unwrap();
            assert_eq!(child_node.parent, Some(slot));
            assert_eq!(world.nodes.slot(child_node.id), Some(*child), "child was removed");
            match child_node.step() {
                Step::Name(name) => {
                    assert!(matches!(node.kept, Kept::Dict(_)) && names.insert(name));
                    assert_eq!(world.nodes.member(slot, name), Some(*child));
                    *uses.entry(name).or_default() += 1;
                    members += 1;
                }
                Step::Index(_) => assert!(matches!(node.kept, Kept::List(_))),
                Step::None => panic!("child without a step"),
            }
        }
        if world.scalar(slot).is_some() {
            assert!(children.is_empty());
        }
        if let Kept::Text(place) = node.kept {
            assert!(world.texts.get(place).chars().all(|letter| matches!(letter, 'a'..='c')));
            texts += world.texts.get(place).len();
        }
        assert!(world.path(node.id).to_string().len() < 200);
    }
    let (_, named) = world.nodes.unused_and_named();
    assert_eq!(members, named);
    assert_eq!((uses, texts), (world.names.uses(), world.texts.bytes()));
    assert_eq!(world.names.bytes(), world.names.uses().keys().map(|word| world.names.get(*word).len()).sum::<usize>());
}

proptest! {
    #[test]
    fn invariants_hold_after_any_updates(acts in acts()) {
        let mut world = World::default();
        for one in &acts {
            act(&mut world, one);
            check(&world);
        }
        world.settle();
        check(&world);
        if let Some(json) = world.json() {
            serde_json::from_slice::<serde_json::Value>(&json).unwrap();
        }
    }
}

#[test]
fn a_chain_may_be_longer_than_any_path() {
    let mut world = World::default();
    for id in (1..200_000).rev() {
        world.list(id, &[id + 1]);
    }
    world.take_inconsistencies();
    world.list(200_000, &[1]);
    assert!(world.take_inconsistencies().unwrap().to_string().contains("cyclic or too deep"));
    let path = world.path(199_999).to_string();
    assert!(path.starts_with("#199935[0][0]") && path.ends_with("..."), "{path}");
    assert!(world.json().is_some());
    world.dict(0, &[(1, "all")], &[]);
    world.dict(0, &[] as &[(u32, &str)], &[1]);
    world.settle();
    assert_eq!(world.nodes.len(), 1);
}

#[test]
fn a_full_tree_is_noted_once() {
    let mut world = World::default();
    for id in 0..u32::try_from(crate::limits::PIPBOY_VALUES.get()).unwrap() {
        world.set(id, Scalar::Bool(true));
    }
    world.set(u32::MAX, Scalar::Bool(true));
    assert!(world.take_inconsistencies().unwrap().full);
    world.set(u32::MAX - 1, Scalar::Bool(true));
    assert!(world.take_inconsistencies().is_none());
    assert_eq!(world.nodes.len(), crate::limits::PIPBOY_VALUES.get());
    assert_eq!(world.set(5, Scalar::Bool(false)).before, Some(Scalar::Bool(true)));
}

#[test]
fn unused_names_are_dropped() {
    let mut world = World::default();
    for round in 0..1000 {
        world.dict(0, &[(1, format!("name {round}"))], &[]);
        world.set(1, Scalar::Text(format!("text {round}").into()));
        world.settle();
    }
    assert_eq!(world.names.uses().len(), 1);
    assert_eq!(world.set(1, Scalar::Bool(true)).before, Some(Scalar::Text("text 999".into())));
    assert!(world.memory_usage() < 4096, "{}", world.memory_usage());
}

#[test]
fn texts_in_use_survive_compaction() {
    let mut world = World::default();
    world.list(0, &(1..=100).collect::<Vec<u32>>());
    for round in 0..1000_u32 {
        let id = round * 37 % 100 + 1;
        let outcome = world.set(id, Scalar::Text(format!("{id}: text of round {round}").into()));
        if let Some(Scalar::Text(before)) = outcome.before {
            assert_eq!(before, format!("{id}: text of round {}", round - 100));
        }
        world.settle();
    }
    assert!(world.texts.memory_usage() < 3 * world.texts.bytes(), "{} of {}", world.texts.memory_usage(), world.texts.bytes());
}

#[test]
fn compaction_waits_until_it_pays() {
    let mut world = World::default();
    world.list(0, &(1..50_000).collect::<Vec<u32>>());
    world.list(0, &[1]);
    world.settle();
    assert_eq!(world.nodes.len(), 2);
    for round in 0..20_u8 {
        world.set(1, Scalar::Text(String::from_utf8(vec![b'a' + round; 2000]).unwrap().into()));
        world.settle();
    }
    // The unused bytes are still fewer than the nodes visited by compaction.
    assert!(world.texts.memory_usage() >= 20 * 2000, "{}", world.texts.memory_usage());
}

#[test]
fn removed_values_free_their_memory() {
    let mut world = World::default();
    let ids: Vec<u32> = (1..2000).collect();
    let mut most = 0;
    for round in 0..20 {
        world.list(0, &ids);
        ids.iter().for_each(|id| drop(world.set(*id, Scalar::Uint(*id))));
        world.settle();
        world.list(0, &[]);
        world.settle();
        if round == 0 {
            most = world.memory_usage();
        }
        assert_eq!((world.nodes.len(), world.nodes.unused_and_named()), (1, (1999, 0)));
    }
    assert!(world.memory_usage() <= most, "{} after {most}", world.memory_usage());
}

#[test]
fn memory_of_a_value_is_small_and_counted() {
    let mut world = World::default();
    let members: Vec<(u32, String)> = (1..10_001).map(|id| (id, format!("member {id}"))).collect();
    world.dict(0, &members, &[]);
    members.iter().for_each(|(id, _)| drop(world.set(*id, Scalar::Float(0.5))));
    let few = World::default().memory_usage();
    let each = (world.memory_usage() - few) / 10_000;
    assert!((80..=160).contains(&each), "{each} bytes a value");
    assert!(size_of::<Node>() <= 36, "{}", size_of::<Node>());
}
