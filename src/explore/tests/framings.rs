//! Headers of several kinds, sizes by opcode, delimiters, preambles; the files of all of them run.

use super::*;

/// Explores turns: the rule must be this one, each message must be found, and the generated file must give the same messages.
fn is_found(turns: &[(tree::Side, Vec<u8>)], rule: &str, messages: usize) {
    let sides = conversation(turns);
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), rule);
    let whole = explored.messages.iter().filter(|message| message.is_whole).count();
    assert_eq!((whole, explored.ksy.as_ref().err()), (messages, None), "{rule}");
    assert!(confidence(&explored) > 0.5, "{rule} {}", confidence(&explored));
}

/// Turns of one to three messages each, and the number of messages.
fn turns_of(seed: u64, mut message: impl FnMut(&mut Random) -> Vec<u8>) -> (Vec<(tree::Side, Vec<u8>)>, usize) {
    let (mut random, mut all) = (Random(seed), 0);
    let turns = (0..120).map(|turn| {
        let count = 1 + random.below(3);
        all += count;
        (tree::Side::BOTH[turn % 2], (0..count).flat_map(|_| message(&mut random)).collect())
    });
    (turns.collect(), all)
}

fn low_byte(length: usize) -> u8 {
    u8::try_from(length).unwrap()
}

fn two_bytes(length: usize) -> [u8; 2] {
    u16::try_from(length).unwrap().to_be_bytes()
}

#[test]
fn the_first_byte_selects_one_of_two_headers() {
    for (seed, bias) in [(1, 0), (2, 1)] {
        let (turns, count) = turns_of(seed, |random| {
            let (kind, is_long) = ([3, 7, 9][random.below(3)], random.below(3) == 0);
            let body = if is_long { 60 + random.below(600) } else { random.below(90) };
            let header = if is_long { 3 } else { 2 };
            let length = body + 1 + if bias == 0 { header } else { 0 };
            let mut bytes = vec![if is_long { 0xd2 } else { 0xd1 }];
            if is_long {
                bytes.extend(two_bytes(length))
            } else {
                bytes.push(low_byte(length))
            }
            bytes.push(kind);
            bytes.extend(random.bytes(body));
            bytes
        });
        let rule = ["switch@0:d1=length@1:u8,d2=length@1:u16be", "switch@0:d1=length@1:u8+2,d2=length@1:u16be+3"][bias];
        is_found(&turns, rule, count);
    }
}

#[test]
fn a_bit_of_the_first_byte_lengthens_the_header() {
    let (turns, count) = turns_of(3, |random| {
        let (kind, is_long, body) = (1 + low_byte(random.below(5)), random.below(3) == 0, random.below(80));
        let mut bytes = vec![kind | if is_long { 0x40 } else { 0 }];
        bytes.extend(two_bytes(body));
        bytes.extend(random.bytes(body + if is_long { 4 } else { 0 }));
        bytes
    });
    is_found(&turns, "switch@0&40:00=length@1:u16be+3,40=length@1:u16be+7", count);
}

#[test]
fn one_value_of_a_short_length_announces_a_longer_one() {
    let (turns, count) = turns_of(4, |random| {
        let body = if random.below(3) == 0 { 254 + random.below(500) } else { 1 + random.below(120) };
        let mut bytes = Vec::new();
        if body < 254 {
            bytes.push(low_byte(body))
        } else {
            bytes.extend([&[0xfe][..], &two_bytes(body)].concat())
        }
        bytes.extend(random.bytes(body));
        bytes
    });
    is_found(&turns, "switch@0:fe=length@1:u16be+3,_=length@0:u8+1", count);
}

#[test]
fn opcodes_of_two_bytes_have_their_sizes() {
    let (turns, count) = turns_of(5, |random| {
        let (opcode, size) = [(0x0073_u16, 11), (0x0145, 4), (0x0187, 0), (0x0090, 7)][random.below(4)];
        let size = if size == 0 { 4 + random.below(60) } else { size };
        let mut bytes = opcode.to_le_bytes().to_vec();
        if opcode == 0x0187 {
            bytes.extend(u16::try_from(size).unwrap().to_le_bytes());
        }
        let rest = size - bytes.len();
        bytes.extend(random.bytes(rest));
        bytes
    });
    is_found(&turns, "table@0:u16le:0073=11,0090=7,0145=4,0187=length@2:u16le", count);
}

#[test]
fn a_word_between_marks_ends_messages() {
    let (turns, count) = turns_of(6, |random| {
        let (id, value) = (random.below(9), random.below(100_000));
        format!("\\lc\\{id}\\signal\\{value}\\final\\").into_bytes()
    });
    is_found(&turns, "end:5c66696e616c5c", count);
}

/// A preamble of each direction, then messages. `is_glued`: the first message comes with the preamble.
fn with_preamble(sizes: [usize; 2], is_glued: bool) -> Vec<(tree::Side, Vec<u8>)> {
    let mut random = Random(8);
    let mut turns = exchange(60);
    let preambles = tree::Side::BOTH.map(|dir| (dir, random.bytes(sizes[dir.index()])));
    if is_glued {
        for (turn, (_, preamble)) in turns.iter_mut().zip(preambles) {
            turn.1.splice(..0, preamble);
        }
        return turns;
    }
    preambles.into_iter().filter(|(_, bytes)| !bytes.is_empty()).chain(turns).collect()
}

#[test]
fn files_of_streams_with_a_preamble_run() {
    for (sizes, rule) in [
        ([13, 7], "c2s:length@1:u16be+3 skip=13 s2c:length@1:u16be+3 skip=7"),
        ([0, 300], "c2s:length@1:u16be+3 s2c:length@1:u16be+3 skip=300"),
    ] {
        is_found(&with_preamble(sizes, false), rule, 120);
    }
    let sides = conversation(&with_preamble([0, 300], false));
    let explored = explore(&sides, &Options::default());
    let (coverage, whole) = (explored.framing[0].coverage(), sides[1].bytes.len() + sides[0].bytes.len());
    assert!((coverage - (1.0 - 300.0 / whole as f64)).abs() < 0.001, "a preamble is not covered: {coverage}");
    let file = explored.ksy.unwrap();
    assert!(file.contains("size: 300") && file.contains(&format!("{:.0} % of the bytes", coverage * 100.0)), "{file}");
}

#[test]
fn conversations_share_the_size_of_a_preamble_that_comes_with_messages() {
    let mut sides = Vec::new();
    for number in 0..3 {
        let mut own = conversation(&with_preamble([5, 6], true));
        // Messages of other sizes come first.
        let messages = exchange(60 + 3 * number).split_off(2 * number as usize);
        let mut random = Random(u64::from(number));
        for side in &mut own {
            *side = conversation(&messages).swap_remove(side.dir.index());
            let preamble = random.bytes(5 + side.dir.index());
            side.segments.iter_mut().skip(1).for_each(|segment| segment.at += preamble.len());
            side.bytes.splice(..0, preamble);
            side.sent = side.bytes.len() as u64;
            side.stream.number = number;
        }
        sides.extend(own);
    }
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), "c2s:length@1:u16be+3 skip=5 s2c:length@1:u16be+3 skip=6");
    assert!(explored.ksy.is_ok(), "{:?}", explored.ksy);
}

/// A file that gives other messages than the framing is refused with the place.
#[test]
fn a_file_that_misses_messages_is_not_printed() {
    let sides = conversation(&exchange(20));
    let explored = explore(&sides, &Options::default());
    let file = explored.ksy.clone().unwrap();
    assert_eq!(super::super::ksy::verified(&explored, &file), Ok(()));
    let wrong = file.replace("type: u2be", "type: u2le");
    assert_ne!(wrong, file);
    let why = super::super::ksy::verified(&explored, &wrong).unwrap_err();
    assert!(why.contains("tcp/0/c2s"), "{why}");
}
