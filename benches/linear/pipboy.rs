//! Attacks on the value tree of a Pip-Boy.

use super::load::{C, LARGE, Load, S, Session, Speaker, half, word};
use super::{Attack, Kind};
use std::io;

type Write = fn(&mut Load) -> io::Result<()>;

pub const GREETING: &[(Speaker, &[u8])] = &[(S, b"\x22\0\0\0\x01{\"lang\":\"en\",\"version\":\"1.1.30.0\"}"), (C, b"\0\0\0\0\0")];

pub fn all() -> Vec<Attack> {
    let list: &[(&str, Write)] = &[
        ("pipboy long names", pipboy_long_names),
        ("pipboy references", pipboy_references),
        ("pipboy texts", pipboy_texts),
        ("pipboy lists", pipboy_lists),
        ("pipboy removals", pipboy_removals),
        ("pipboy connections", pipboy_connections),
    ];
    let attack = |(name, write): &(&str, Write)| Attack {
        name: (*name).to_owned(),
        shows: "pipboy",
        kind: Kind::Frames(101),
        views: super::VIEWS,
        write: Box::new(*write),
    };
    list.iter().map(attack).collect()
}

fn pipboy(load: &mut Load) -> io::Result<Session<'_>> {
    let mut talk = Session::open(load, 27000)?;
    for (from, bytes) in GREETING {
        talk.say(*from, bytes)?;
    }
    Ok(talk)
}

fn update(entries: &[u8]) -> Vec<u8> {
    [&word(entries.len()).to_le_bytes(), &[3][..], entries].concat()
}

fn dict(id: u32, members: impl Iterator<Item = (u32, Vec<u8>)>) -> Vec<u8> {
    let members: Vec<_> = members.collect();
    let mut entry = vec![8];
    entry.extend(id.to_le_bytes());
    entry.extend(half(members.len()).to_le_bytes());
    for (member, name) in members {
        entry.extend(member.to_le_bytes());
        entry.extend(name);
        entry.push(0);
    }
    entry.extend([0, 0]);
    entry
}

/// Sixty levels of long names, and changes of the value at their end.
fn pipboy_long_names(load: &mut Load) -> io::Result<()> {
    const LEVELS: u32 = 60;
    let mut talk = pipboy(load)?;
    let leaf = |value: u8| [&[0][..], &LEVELS.to_le_bytes(), &[value]].concat();
    let mut entries = leaf(1);
    for level in (0..LEVELS).rev() {
        entries.extend(dict(level, std::iter::once((level + 1, vec![b'N'; 300]))));
    }
    talk.say(S, &update(&entries))?;
    let changes = update(&[leaf(0), leaf(1)].concat().repeat(1000));
    while talk.load.is_within_limit() {
        talk.say(S, &changes)?;
    }
    Ok(())
}

/// Dicts with cyclic references.
fn pipboy_references(load: &mut Load) -> io::Result<()> {
    const COUNT: u32 = 10_000;
    let mut talk = pipboy(load)?;
    let entry = |id: u32| dict(id, [((id + 1) % COUNT, b"n".to_vec()), (id * 7 % COUNT, b"m".to_vec())].into_iter());
    let entries = update(&(0..COUNT).flat_map(entry).collect::<Vec<u8>>());
    while talk.load.is_within_limit() {
        talk.say(S, &entries)?;
    }
    Ok(())
}

/// A long text that changes each time.
fn pipboy_texts(load: &mut Load) -> io::Result<()> {
    let mut talk = pipboy(load)?;
    let mut letter = b'a';
    while talk.load.is_within_limit() {
        let text = [b"\x06\x01\0\0\0".as_slice(), &[letter].repeat(100_000), b"\0"].concat();
        talk.say(S, &update(&text))?;
        letter = if letter == b'a' { b'b' } else { b'a' };
    }
    Ok(())
}

/// Three lists that take the same values from each other.
fn pipboy_lists(load: &mut Load) -> io::Result<()> {
    let list = |id: u32| {
        let mut entry = vec![7];
        entry.extend(id.to_le_bytes());
        entry.extend(half(LARGE).to_le_bytes());
        entry.extend((10..10 + word(LARGE)).flat_map(u32::to_le_bytes));
        entry
    };
    let names = [(1, b"a".to_vec()), (2, b"b".to_vec()), (3, b"c".to_vec())];
    let mut talk = pipboy(load)?;
    talk.say(S, &update(&dict(0, names.into_iter())))?;
    let mut id = 0;
    while talk.load.is_within_limit() {
        talk.say(S, &update(&list(1 + id % 3)))?;
        id += 1;
    }
    Ok(())
}

/// Values that are added and removed again.
fn pipboy_removals(load: &mut Load) -> io::Result<()> {
    const COUNT: u32 = 10_000;
    let mut talk = pipboy(load)?;
    let mut first = 1;
    while talk.load.is_within_limit() {
        let ids = first..first + COUNT;
        let mut added = dict(0, ids.clone().map(|id| (id, format!("x{id}").into_bytes())));
        added.extend(ids.clone().flat_map(|id| [&[0][..], &id.to_le_bytes(), &[1]].concat()));
        let mut removed = [&[8][..], &[0; 6], &half(COUNT as usize).to_le_bytes()].concat();
        removed.extend(ids.flat_map(u32::to_le_bytes));
        talk.say(S, &update(&added))?;
        talk.say(S, &update(&removed))?;
        first = (first + COUNT) % (5 * COUNT);
    }
    Ok(())
}

/// Connections that stay open, each with separate values.
fn pipboy_connections(load: &mut Load) -> io::Result<()> {
    const COUNT: u32 = 2000;
    let mut values = dict(0, (1..=COUNT).map(|id| (id, id.to_string().into_bytes())));
    values.extend((1..=COUNT).flat_map(|id| [&[0][..], &id.to_le_bytes(), &[1]].concat()));
    let values = update(&values);
    let mut number = 0;
    while load.is_within_limit() {
        let mut talk = Session::number(load, number, 27000)?;
        for (from, bytes) in GREETING {
            talk.say(*from, bytes)?;
        }
        talk.say(S, &values)?;
        number += 1;
    }
    Ok(())
}
