//! Exploration of artificial sides, including those without structure.

mod framings;

use super::columns::Label;
use super::framing::Given;
use super::messages::Kinds;
use super::rule::{Rule, Step};
use super::{Explored, Options, Segment, Side, explore};
use crate::tree::steps::steps_of;
use crate::tree::{self, StreamId, Transport};
use crate::wire::trial;

/// How many random conversations a test explores, each of which takes long.
fn seeds(most: u32) -> u64 {
    trial::share_of(most).into()
}

/// A conversation of turns: direction and bytes.
fn conversation(turns: &[(tree::Side, Vec<u8>)]) -> Vec<Side> {
    let stream = StreamId { transport: Transport::Tcp, number: 0 };
    let mut sides = tree::Side::BOTH.map(|dir| Side::new(stream, dir));
    for side in &mut sides {
        side.ends = ["10.0.0.1:40000".into(), "10.0.0.2:7777".into()];
    }
    let mut last = None;
    for (order, (dir, bytes)) in turns.iter().enumerate() {
        let side = &mut sides[dir.index()];
        let time = 1_700_000_000_000_000_000 + order as i64 * 50_000_000;
        side.segments.push(Segment {
            at: side.bytes.len(),
            is_turn: last != Some(*dir),
            is_pushed: true,
            time,
            order,
            frame: order as u64 + 1,
        });
        side.bytes.extend_from_slice(bytes);
        side.sent = side.bytes.len() as u64;
        last = Some(*dir);
    }
    sides.into_iter().filter(|side| !side.bytes.is_empty()).collect()
}

/// A pseudo-random number generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap() % end
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() & 0xff) as u8).collect()
    }
}

/// A message: magic byte, length of two bytes, kind, counter, body.
fn message(kind: u8, counter: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0xc5];
    bytes.extend(u16::try_from(body.len() + 5).unwrap().to_be_bytes());
    bytes.push(kind);
    bytes.extend(counter.to_be_bytes());
    bytes.extend(body);
    bytes
}

/// Requests of kind 1 and responses of kind 2 with bodies of variable length.
fn exchange(turns: u32) -> Vec<(tree::Side, Vec<u8>)> {
    let mut random = Random(7);
    (0..turns)
        .flat_map(|turn| {
            let (short, long) = (random.below(30), 20 + random.below(60));
            [
                (tree::Side::Client, message(1, turn, &random.bytes(short))),
                (tree::Side::Server, message(2, turn, &random.bytes(long))),
            ]
        })
        .collect()
}

fn title(explored: &Explored<'_>) -> String {
    explored.framing[0].title()
}

fn confidence(explored: &Explored<'_>) -> f64 {
    explored.framing[0].confidence
}

/// In a short conversation that goes through phases, kinds seldom return, unlike a flag that depends on them.
#[test]
fn a_flag_of_a_short_conversation_is_no_kind() {
    const KINDS: [(tree::Side, &[u8]); 2] =
        [(tree::Side::Client, &[1, 2, 3, 3, 3, 4, 4]), (tree::Side::Server, &[5, 6, 7, 8, 8, 8, 9, 9, 7])];
    // Numbers that follow each other would look like a counter.
    const CODES: [u8; 10] = [0, 0x31, 0x12, 0x25, 0x08, 0x44, 0x1b, 0x2c, 0x03, 0x16];
    let noise = |at: u32| (((at + 3).wrapping_mul(0x9e37_79b1) >> 13) & 0xff) as u8 % 6;
    let of_last: fn(u8, u32) -> u8 = |kind, at| if kind < 7 { kind % 2 } else { (at % 2) as u8 };
    let of_some: fn(u8, u32) -> u8 = |kind, _| match kind {
        3 | 8 => 1,
        7 => 2,
        _ => 0,
    };
    for flag in [of_last, of_some, |kind, _| kind % 3] {
        let mut turns = Vec::new();
        for at in 0..9_u32 {
            for (place, (dir, kinds)) in (0..).zip(KINDS) {
                let Some(kind) = kinds.get(at as usize).copied() else { continue };
                let at = at + 20 * place;
                let body = if kind % 2 == 1 { &[9][..] } else { &[] };
                let size = if kind % 2 == 1 { 9 } else { 8 };
                turns.push((dir, [&[0x48, size, CODES[usize::from(kind)], flag(kind, at), noise(at), 0, 0, 0], body].concat()));
            }
        }
        let sides = conversation(&turns);
        let explored = explore(&sides, &Options::default());
        assert_eq!(title(&explored), "length@1:u8");
        assert!(matches!(explored.kinds, Kinds::Column(at) if (at.offset, at.width) == (2, 1)), "{:?}", explored.kinds);
    }
}

#[test]
fn a_length_a_kind_and_a_counter_are_found() {
    let sides = conversation(&exchange(40));
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), "length@1:u16be+3");
    assert!(confidence(&explored) > 0.9);
    assert_eq!(explored.messages.len(), 80);
    let ids: Vec<String> = explored.groups.iter().map(|kind| kind.id()).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    let labels: Vec<(i64, usize, Label)> =
        explored.columns[0].iter().take(4).map(|column| (column.offset, column.width, column.label)).collect();
    assert!(labels.contains(&(1, 2, Label::Length)), "{labels:?}");
    assert!(labels.contains(&(4, 4, Label::Counter)), "{labels:?}");
    assert!(explored.ksy.is_ok(), "{:?}", explored.ksy);
}

#[test]
fn segments_that_say_nothing_do_not_hide_the_rule() {
    let mut random = Random(3);
    let cut: Vec<(tree::Side, Vec<u8>)> = exchange(60)
        .chunks(8)
        .flat_map(|some| {
            tree::Side::BOTH.map(|dir| {
                (dir, some.iter().filter(|(side, _)| *side == dir).flat_map(|(_, bytes)| bytes.clone()).collect::<Vec<u8>>())
            })
        })
        .flat_map(|(dir, bytes)| {
            let at = random.below(bytes.len());
            [(dir, bytes[..at].to_vec()), (dir, bytes[at..].to_vec())]
        })
        .filter(|(_, bytes)| !bytes.is_empty())
        .collect();
    let sides = conversation(&cut);
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), "length@1:u16be+3");
    assert_eq!(explored.messages.len(), 120);
}

/// Several messages per turn, the first of which are short.
#[test]
fn messages_in_front_of_the_first_turn_are_not_skipped() {
    for seed in 0..seeds(6) {
        let mut random = Random(seed);
        let turns: Vec<(tree::Side, Vec<u8>)> = (0..400)
            .map(|turn| {
                let count = 1 + random.below(5);
                let bytes = (0..count).flat_map(|_| {
                    let most = [3, 12, 60, 400][random.below(4)];
                    let body = random.below(most);
                    message([0, 1, 2, 7][random.below(4)], turn, &random.bytes(body))
                });
                (tree::Side::BOTH[turn as usize % 2], bytes.collect())
            })
            .collect();
        let sides = conversation(&turns);
        let explored = explore(&sides, &Options::default());
        assert_eq!(title(&explored), "length@1:u16be+3", "seed {seed}");
    }
}

#[test]
fn a_side_without_turns_is_framed_by_how_unlikely_its_chain_is() {
    let bytes: Vec<u8> =
        exchange(60).into_iter().filter(|(dir, _)| *dir == tree::Side::Server).flat_map(|(_, bytes)| bytes).collect();
    let sides = conversation(&[(tree::Side::Server, bytes)]);
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), "length@1:u16be+3");
    assert_eq!(explored.messages.len(), 60);
}

#[test]
fn nothing_is_found_in_random_bytes() {
    for seed in 0..seeds(12) {
        let mut random = Random(seed);
        let turns: Vec<(tree::Side, Vec<u8>)> = (0..20)
            .map(|turn| {
                let count = 1 + random.below(900);
                (tree::Side::BOTH[turn % 2], random.bytes(count))
            })
            .collect();
        let sides = conversation(&turns);
        let explored = explore(&sides, &Options::default());
        assert!(confidence(&explored) < 0.5, "seed {seed}: {} {}", title(&explored), confidence(&explored));
    }
}

#[test]
fn blocks_of_random_bytes_and_of_one_value_are_no_messages() {
    let mut random = Random(3);
    let contents: [&mut dyn FnMut() -> Vec<u8>; 3] = [&mut || random.bytes(1400), &mut || vec![0; 1400], &mut || vec![b'x']];
    for content in contents {
        let turns: Vec<(tree::Side, Vec<u8>)> = (0..60).map(|turn| (tree::Side::BOTH[turn % 2], content())).collect();
        let sides = conversation(&turns);
        let explored = explore(&sides, &Options::default());
        assert!(confidence(&explored) < 0.5, "{} {}", title(&explored), confidence(&explored));
        assert_eq!(explored.messages.len(), 60);
    }
}

#[test]
fn short_inputs_have_few_findings() {
    for bytes in [vec![0], vec![0x17, 3, 3, 0, 2, 1, 1], b"hello".to_vec()] {
        let sides = conversation(&[(tree::Side::Client, bytes.clone())]);
        let explored = explore(&sides, &Options::default());
        assert!(confidence(&explored) < 0.5, "{bytes:x?}: {}", title(&explored));
        assert_eq!(explored.messages.iter().map(|message| message.bytes.len()).sum::<usize>(), bytes.len());
    }
    assert!(explore(&[], &Options::default()).messages.is_empty());
}

#[test]
fn a_cipher_that_takes_over_is_noticed() {
    let mut turns = exchange(30);
    let mut random = Random(11);
    for turn in 0..20 {
        turns.push((tree::Side::BOTH[turn % 2], random.bytes(400)));
    }
    let sides = conversation(&turns);
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), "length@1:u16be+3");
    assert!(explored.notes.iter().any(|note| note.contains("encrypted")), "{:?}", explored.notes);
    let plain: usize = turns[..60].iter().filter(|(dir, _)| *dir == tree::Side::Client).map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(explored.framing[0].ends[0], plain);
}

#[test]
fn framing_continues_after_a_gap() {
    let turns = exchange(40);
    let mut sides = conversation(&turns);
    let lost =
        turns.iter().filter(|(dir, _)| *dir == tree::Side::Server).take(11).map(|(_, bytes)| bytes.len()).sum::<usize>() - 30;
    // Thirty bytes at the end of the eleventh response are missing.
    let server = &mut sides[1];
    server.bytes.drain(lost..lost + 30);
    server.holes.push((lost, 30));
    server.sent -= 30;
    for segment in server.segments.iter_mut().filter(|segment| segment.at > lost) {
        segment.at -= 30;
    }
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), "length@1:u16be+3");
    let next =
        turns.iter().filter(|(dir, _)| *dir == tree::Side::Server).take(12).map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
    assert!(explored.framing[0].starts[1].iter().any(|start| sides[1].offset(*start) == next));
}

/// Sides of which a snap length kept the first bytes of each turn.
fn cut(turns: &[(tree::Side, Vec<u8>)], kept: usize) -> Vec<Side> {
    let short: Vec<(tree::Side, Vec<u8>)> =
        turns.iter().map(|(dir, bytes)| (*dir, bytes[..kept.min(bytes.len())].to_vec())).collect();
    let mut sides = conversation(&short);
    for side in &mut sides {
        let own = side.dir;
        let (bytes, mut ends) = (std::mem::take(&mut side.bytes), Vec::new());
        for (at, end) in side.segments.iter().map(|segment| segment.at).zip(side.segments.iter().skip(1).map(|next| next.at)) {
            ends.push((at, end));
        }
        ends.push((side.segments.last().map_or(0, |last| last.at), bytes.len()));
        let whole = turns.iter().filter(|(dir, _)| *dir == own).map(|(_, bytes)| bytes.len());
        for ((at, end), whole) in ends.into_iter().zip(whole) {
            side.bytes.extend_from_slice(&bytes[at..end]);
            if whole > end - at {
                side.lose((whole - (end - at)) as u64);
            }
        }
    }
    sides
}

#[test]
fn bytes_that_a_snap_length_cut_show_no_framing() {
    let mut random = Random(5);
    for (kept, one_way) in [(42, true), (20, true), (42, false)] {
        let dir = |turn: usize| if one_way { tree::Side::Server } else { tree::Side::BOTH[turn % 2] };
        let turns: Vec<(tree::Side, Vec<u8>)> = (0..150).map(|turn| (dir(turn), random.bytes(1448))).collect();
        let sides = cut(&turns, kept);
        let captured = kept as u64 * 150 / sides.len() as u64;
        assert!(
            sides.iter().all(|side| side.sent == captured && side.missing() == captured / kept as u64 * (1448 - kept as u64))
        );
        let explored = explore(&sides, &Options::default());
        assert!(explored.framing[0].confidence < 0.25, "{kept} {one_way} {:?}", title(&explored));
        // No message has bytes of both ends of a gap.
        assert!(explored.messages.iter().all(|message| message.bytes.len() <= kept && !message.is_whole));
    }
}

#[test]
fn messages_around_gaps_are_found_and_cut_ones_are_not_whole() {
    let turns = exchange(60);
    let mut sides = conversation(&turns);
    let expected = title(&explore(&sides, &Options::default()));
    // The bytes of every fifth turn lose their end.
    for side in &mut sides {
        let old = std::mem::take(&mut side.bytes);
        let spans: Vec<(usize, usize)> = side
            .segments
            .iter()
            .map(|segment| segment.at)
            .zip(side.segments.iter().skip(1).map(|next| next.at).chain([old.len()]))
            .collect();
        let mut lost = 0;
        for (number, (segment, (start, end))) in side.segments.iter_mut().zip(spans).enumerate() {
            segment.at = side.bytes.len();
            let kept = if number % 5 == 4 { start + (end - start) / 2 } else { end };
            side.bytes.extend_from_slice(&old[start..kept]);
            side.sent -= (end - kept) as u64;
            if kept < end {
                lost += (end - kept) as u64;
                side.holes.push((side.bytes.len(), lost));
            }
        }
    }
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), expected);
    let rule = explored.framing[0].rule().unwrap();
    for message in &explored.messages {
        let is_message = rule.step(message.bytes) == Step::Message(message.bytes.len());
        assert_eq!(message.is_whole, is_message, "{message:?}");
    }
    let cut = explored.messages.iter().filter(|message| !message.is_whole).count();
    assert!((12..=24).contains(&cut), "{cut}");
}

#[test]
fn gaps_take_steps_in_proportion_to_the_bytes() {
    let steps_of_gaps = |count: usize| {
        let mut random = Random(5);
        let turns: Vec<(tree::Side, Vec<u8>)> = (0..count).map(|_| (tree::Side::Server, random.bytes(30))).collect();
        let sides = cut(&turns, 10);
        steps_of(|| drop(explore(&sides, &Options::default())))
    };
    let [few, many] = [100, 400].map(steps_of_gaps);
    assert!(many < 5 * few, "{few} {many}");
}

#[test]
fn a_hundred_thousand_messages_of_one_byte_are_no_trouble() {
    let bytes = vec![b'x'; 100_000];
    let turns: Vec<(tree::Side, Vec<u8>)> =
        bytes.chunks(1).enumerate().map(|(turn, byte)| (tree::Side::BOTH[turn % 2], byte.to_vec())).collect();
    let sides = conversation(&turns);
    let explored = explore(&sides, &Options::default());
    assert_eq!(explored.messages.iter().map(|message| message.bytes.len()).sum::<usize>(), 100_000);
    assert!(confidence(&explored) < 0.99);
}

#[test]
fn every_message_is_in_exactly_one_kind_and_columns_leave_no_gap() {
    let sides = conversation(&exchange(40));
    let explored = explore(&sides, &Options::default());
    let mut members: Vec<usize> = explored.groups.iter().flat_map(|kind| kind.members.clone()).collect();
    members.sort_unstable();
    assert!(members.into_iter().eq(0..explored.messages.len()));
    for columns in &explored.columns {
        let mut at = 0;
        for column in columns.iter().filter(|column| column.offset >= 0) {
            assert_eq!(column.offset, at, "{columns:?}");
            at += column.width as i64;
        }
    }
}

#[test]
fn checksums_and_floats_are_recognized() {
    let mut random = Random(5);
    let mut place = 812.5_f32;
    let turns: Vec<(tree::Side, Vec<u8>)> = (0..40)
        .map(|turn| {
            place += (random.next() % 1000) as f32 / 313.0 - 1.6;
            let mut bytes = vec![0x55, 14, 0, 9];
            bytes.extend(place.to_le_bytes());
            bytes.extend((place * 1.7 + 3.1).to_le_bytes());
            bytes.push((random.next() % 251) as u8);
            bytes.push(bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
            (tree::Side::BOTH[turn % 2], bytes)
        })
        .collect();
    let sides = conversation(&turns);
    let options = Options { given: Given::parse("fixed:14").unwrap(), kinds: Some(Kinds::Single), ..Options::default() };
    let explored = explore(&sides, &options);
    let has =
        |offset: i64, label: Label| explored.columns[0].iter().any(|column| column.offset == offset && column.label == label);
    assert!(has(4, Label::Float) && has(8, Label::Float) && has(13, Label::Checksum), "{:#?}", explored.columns[0]);
}

#[test]
fn a_rule_of_the_user_is_taken_as_it_is() {
    let sides = conversation(&exchange(5));
    let options = Options { given: Given::parse("none").unwrap(), ..Options::default() };
    let explored = explore(&sides, &options);
    assert_eq!(explored.framing[0].rule(), Some(&Rule::None));
    assert_eq!(explored.messages.len(), 10);
}

/// A message of a protocol without length fields: four bytes, nine bytes, or a text with its length, by kind.
fn sized(random: &mut Random) -> Vec<u8> {
    let kind = [0x11, 0x2c, 0x71, 0xa5][random.below(4)];
    let mut bytes = vec![kind];
    match kind {
        0x11 => bytes.extend(random.bytes(3)),
        0x2c => bytes.extend(random.bytes(8)),
        0x71 => {
            let text = random.below(30);
            bytes.push(u8::try_from(text).unwrap());
            bytes.extend(random.bytes(text).iter().map(|byte| b'a' + byte % 26));
        }
        _ => {
            let text = 20 + random.below(300);
            bytes.extend(u16::try_from(text).unwrap().to_be_bytes());
            bytes.extend(random.bytes(text));
        }
    }
    bytes
}

#[test]
fn sizes_fixed_by_the_type_are_inferred() {
    let mut random = Random(29);
    let turns: Vec<(tree::Side, Vec<u8>)> = (0..120)
        .map(|turn| {
            let count = 1 + random.below(4);
            (tree::Side::BOTH[turn % 2], (0..count).flat_map(|_| sized(&mut random)).collect())
        })
        .collect();
    let sides = conversation(&turns);
    let explored = explore(&sides, &Options::default());
    assert_eq!(title(&explored), "table@0:11=4,2c=9,71=u8,a5=u16be");
    assert!(confidence(&explored) > 0.8, "{}", confidence(&explored));
    assert_eq!(explored.groups.len(), 8);
    assert!(explored.ksy.is_ok(), "{:?}", explored.ksy);
}

#[test]
fn a_table_is_not_learned_from_random_bytes_or_from_text() {
    for seed in 0..seeds(12) {
        let mut random = Random(seed);
        let turns: Vec<(tree::Side, Vec<u8>)> = (0..80)
            .map(|turn| {
                let count = 1 + random.below(60);
                let letters = random.bytes(count).iter().map(|byte| b'a' + byte % 26).collect();
                (tree::Side::BOTH[turn % 2], if seed % 2 == 0 { random.bytes(count) } else { letters })
            })
            .collect();
        let sides = conversation(&turns);
        let explored = explore(&sides, &Options::default());
        assert!(confidence(&explored) < 0.5, "seed {seed}: {} {}", title(&explored), confidence(&explored));
    }
}

#[test]
fn a_rare_byte_at_the_end_of_each_turn_is_a_terminator() {
    let mut random = Random(11);
    let mut line = |turn: u32| {
        let len = 3 + random.below(20);
        let word: String = (0..len).map(|_| char::from(b'a' + (random.next() % 26) as u8)).collect();
        format!("{turn} {word}\x03").into_bytes()
    };
    let turns: Vec<_> = (0..30).flat_map(|turn| tree::Side::BOTH.map(|dir| (dir, [line(turn), line(turn)].concat()))).collect();
    let sides = conversation(&turns);
    let explored = explore(&sides, &Options::default());
    assert_eq!((title(&explored).as_str(), explored.messages.len()), ("end:03", 120));
}
