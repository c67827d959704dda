//! Planted values, and the forms rated best for them.

use super::Inspection;
use crate::explore::framing::Given;
use crate::explore::messages::Kinds;
use crate::explore::{Options, Segment, Side, explore};
use crate::tree::{self, StreamId, Transport};

/// Capture time of the first message in seconds since 1970; one message per second.
const START: u32 = 1_700_000_000;

/// Inspects offset 2 of messages of 24 bytes with these bytes there.
fn inspect(bytes: impl Fn(u32) -> Vec<u8>) -> Inspection {
    let mut side = Side::new(StreamId { transport: Transport::Tcp, number: 0 }, tree::Side::Server);
    side.ends = ["10.0.0.1:40000".into(), "10.0.0.2:7777".into()];
    for number in 0..20_u32 {
        let at = side.bytes.len();
        let time = (i64::from(START) + i64::from(number)) * 1_000_000_000;
        side.segments.push(Segment { at, is_turn: false, is_pushed: true, time, order: number as usize, frame: 1 });
        let mut message = [0xee; 24];
        let bytes = bytes(number);
        message[2..2 + bytes.len()].copy_from_slice(&bytes);
        side.bytes.extend(message);
    }
    side.sent = side.bytes.len() as u64;
    let sides = [side];
    let options = Options { given: Given::parse("fixed:24").unwrap(), kinds: Some(Kinds::Single), ..Options::default() };
    Inspection::new(&explore(&sides, &options), 0, 2).unwrap()
}

#[test]
fn the_encoding_of_a_planted_value_is_first() {
    let busy = |number: u32| number.wrapping_mul(2_654_435_761);
    let cases: Vec<(&str, Inspection)> = vec![
        ("u32be, i32be", inspect(|number| (70_000 + number).to_be_bytes().to_vec())),
        ("f32le", inspect(|number| (number as f32 * 17.3 - 99.0).to_le_bytes().to_vec())),
        ("f64be", inspect(|number| (f64::from(number) * 1.7 - 9.0).to_be_bytes().to_vec())),
        ("unix32 be", inspect(|number| (START + number * 7 % 11 * 60).to_be_bytes().to_vec())),
        ("unix ms le", inspect(|number| ((u64::from(START) + u64::from(number % 3)) * 1000 + 17).to_le_bytes().to_vec())),
        (
            "FILETIME le",
            inspect(|number| ((u64::from(START) + 11_644_473_600 + u64::from(number % 5)) * 10_000_000).to_le_bytes().to_vec()),
        ),
        ("NTP be", inspect(|number| ((u64::from(START) + 2_208_988_800 + u64::from(number % 4)) << 32).to_be_bytes().to_vec())),
        ("IPv4", inspect(|_| vec![10, 0, 0, 2])),
        ("u8 text", inspect(|number| format!("\x0aplayer_{number:03}").into_bytes())),
        ("text", inspect(|number| format!("player{number:03}\0").into_bytes())),
        ("UTF-16le", inspect(|number| format!("Name{number:02}").encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect())),
    ];
    for (name, inspection) in &cases {
        let order: Vec<(String, f64, &str)> =
            inspection.forms.iter().take(4).map(|read| (read.name(), read.sure, read.why.as_str())).collect();
        assert_eq!(order[0].0, *name, "{order:?}");
        assert!(order[0].1 >= 0.5 && !order[0].2.is_empty(), "{order:?}");
    }
    let random = inspect(|number| busy(number).to_be_bytes().to_vec());
    let sure = random.forms.iter().find(|read| read.sure > 0.6);
    assert!(sure.is_none(), "{sure:?}");
}

#[test]
fn numbers_have_their_range_and_behavior() {
    let inspection = inspect(|number| (-5 + i16::try_from(number).unwrap() % 11).to_le_bytes().to_vec());
    let signed = inspection.forms.iter().find(|read| read.name() == "i16le").unwrap();
    let ends = [&signed.of.least, &signed.of.most].map(|end| end.as_ref().unwrap().to_string());
    assert_eq!((ends, signed.of.distinct), (["-5".to_owned(), "5".to_owned()], 11));
    let constant = inspect(|_| vec![7, 0, 0, 0]);
    let number = constant.forms.iter().find(|read| read.name() == "u32le, i32le").unwrap();
    assert_eq!((number.of.behaviour.name().as_str(), number.of.distinct), ("constant", 1));
}

#[test]
fn offsets_beyond_all_messages_are_refused_and_negative_ones_accepted() {
    let side = {
        let mut side = Side::new(StreamId { transport: Transport::Udp, number: 0 }, tree::Side::Client);
        side.bytes.extend([1, 2, 3, 4]);
        side.segments.push(Segment { at: 0, is_turn: true, is_pushed: true, time: 0, order: 0, frame: 1 });
        side
    };
    let sides = [side];
    let explored = explore(&sides, &Options::default());
    for at in [4, i64::MAX, -5, i64::MIN] {
        assert!(Inspection::new(&explored, 0, at).err().unwrap().contains("has 4 bytes"), "{at}");
    }
    let last = Inspection::new(&explored, 0, -1).unwrap();
    assert!(last.forms.iter().any(|read| read.name() == "u8, i8" && read.of.least.as_ref().unwrap().to_string() == "4"));
    assert!(last.forms.iter().all(|read| read.name() != "u16le"));
}
