//! Shapes of records, exact to the byte.

use super::writer::LONG;
use crate::record::RecordTimes;
use crate::record::View::{Messages, Packets};
use crate::record::seconds::SECOND;
use crate::render::trial::{self, Trial, framed, hostile, streamed};
use crate::render::{Json, JsonOptions, Shape};
use crate::sink::{Begin, Problem, Sink};
use crate::tree::{Field, Timestamp, Value};
use insta::assert_snapshot;

fn value(trial: &Trial) -> serde_json::Value {
    serde_json::from_str(&trial.json(Messages, false)).unwrap()
}

fn fields(trial: &Trial) -> String {
    let text = trial.json(Messages, false);
    let (_, fields) = text.split_once("\"fields\":").unwrap();
    fields.trim_end().trim_end_matches('}').replace("},{\"name\"", "},\n{\"name\"")
}

#[test]
fn a_message_of_a_stream_has_a_map() {
    let trial = streamed(b"\x00\x00\x07\x4cRad", |wire| {
        wire.name("update");
        wire.u32_be(&trial::SIZE)?;
        wire.text(&trial::NAME, 3)?;
        wire.note(&trial::STRANGE, format_args!("a name"));
        Ok(())
    });
    assert_snapshot!(trial.json(Messages, true), @r#"
    {"type":"message","n":1,"time":"2015-11-24T21:20:02.055398Z","t":0.0,"protocol":"toy","name":"update","path":"lnk:toy","stream":"tcp/0","dir":"s2c","src":"10.0.0.1:27000","dst":"10.0.0.2:51000","frames":[16,17],"buffer":"tcp/0/s2c","off":100,"len":7,"map":[{"off":100,"len":3,"frame":16,"at":2},{"off":103,"len":4,"frame":17,"at":2}],"layers":[{"protocol":"lnk","label":"Link","buffer":"frame/17","off":0,"len":2,"fields":[{"name":"lnk.type","label":"type","value":8,"text":"Toy","off":0,"len":2}]}],"fields":[{"name":"toy.size","label":"size","value":1868,"off":100,"len":4},{"name":"toy.name","label":"name","value":"Rad","off":104,"len":3}],"notes":[{"level":"odd","code":"toy.strange","field":"toy.name","text":"a name","off":104,"len":3}]}
    "#);
    assert_snapshot!(trial.json(Packets, true), @r#"
    {"type":"packet","n":17,"time":"2015-11-24T21:20:02.055398Z","t":0.0,"length":13,"captured":9,"link":"ethernet","path":"lnk:toy","info":"update","stream":"tcp/0","dir":"s2c","src":"10.0.0.1:27000","dst":"10.0.0.2:51000","layers":[{"protocol":"lnk","label":"Link","buffer":"frame/17","off":0,"len":2,"fields":[{"name":"lnk.type","label":"type","value":8,"text":"Toy","off":0,"len":2}]},{"protocol":"toy","label":"Toy","name":"update","buffer":"tcp/0/s2c","off":100,"len":7,"map":[{"off":100,"len":3,"frame":16,"at":2},{"off":103,"len":4,"frame":17,"at":2}],"fields":[{"name":"toy.size","label":"size","value":1868,"off":100,"len":4},{"name":"toy.name","label":"name","value":"Rad","off":104,"len":3}]}],"notes":[{"level":"odd","code":"toy.strange","field":"toy.name","text":"a name","off":104,"len":3,"buffer":"tcp/0/s2c"}]}
    "#);
}

#[test]
fn empty_members_are_omitted() {
    let mut trial = framed(b"x", |_| Ok(()));
    trial.tree.frame.time = None;
    assert_snapshot!(trial.json(Messages, false), @r#"
    {"type":"message","n":1,"protocol":"toy","path":"lnk:toy","src":"10.0.0.1:27000","dst":"10.0.0.2:51000","frames":[17],"buffer":"frame/17","off":2,"len":1}
    "#);
}

#[test]
fn numbers_that_readers_would_round_are_text() {
    let trial = framed(b"", |wire| {
        wire.add(&trial::SIZE, Value::Unsigned((1 << 53) - 1));
        wire.add(&trial::SIZE, Value::Unsigned(u64::MAX));
        wire.add(&trial::SIGNED, Value::Signed(-(1 << 53)));
        wire.add(&trial::SIGNED, Value::Signed(i64::MIN));
        Ok(())
    });
    assert_snapshot!(fields(&trial), @r#"
    [{"name":"toy.size","label":"size","value":9007199254740991},
    {"name":"toy.size","label":"size","value":"18446744073709551615","type":"u64"},
    {"name":"toy.signed","label":"signed","value":"-9007199254740992","type":"i64"},
    {"name":"toy.signed","label":"signed","value":"-9223372036854775808","type":"i64"}]
    "#);
}

#[test]
fn fractions_are_short_and_nan_and_infinity_are_text() {
    let trial = framed(b"", |wire| {
        wire.add(&trial::RATIO, Value::Single(0.1));
        wire.add(&trial::RATIO, Value::Double(0.1));
        wire.add(&trial::RATIO, Value::Single(f32::NAN));
        wire.add(&trial::RATIO, Value::Double(f64::NEG_INFINITY));
        Ok(())
    });
    assert_snapshot!(fields(&trial), @r#"
    [{"name":"toy.ratio","label":"ratio","value":0.1},
    {"name":"toy.ratio","label":"ratio","value":0.1},
    {"name":"toy.ratio","label":"ratio","value":null,"text":"NaN"},
    {"name":"toy.ratio","label":"ratio","value":null,"text":"-inf"}]
    "#);
}

#[test]
fn masked_fields_say_which_bits_they_are() {
    let trial = framed(b"\x85", |wire| wire.flags(&trial::FLAGS, 1, &[&trial::HIGH, &trial::LOW]).map(drop));
    assert_snapshot!(fields(&trial), @r#"
    [{"name":"toy.flags","label":"flags","value":133,"off":2,"len":1,"fields":[{"name":"toy.flags.high","label":"high","value":true,"bit":0,"bits":1,"off":2,"len":1},
    {"name":"toy.flags.low","label":"low","value":5,"bit":4,"bits":4,"off":2,"len":1}]}]
    "#);
}

#[test]
fn bytes_addresses_and_invalid_text_are_distinguished() {
    let trial = framed(b"\x0a\x00\x00\x01ok\0\xffno\x00\x01", |wire| {
        wire.bytes(&trial::HOST, 4)?;
        wire.text_nul(&trial::NAME)?;
        wire.text(&trial::NAME, 3)?;
        wire.bytes(&trial::BODY, 2).map(drop)
    });
    assert_snapshot!(fields(&trial), @r#"
    [{"name":"toy.host","label":"host","value":"10.0.0.1","off":2,"len":4},
    {"name":"toy.name","label":"name","value":"ok","off":6,"len":3},
    {"name":"toy.name","label":"name","value":"�no","raw":"ff6e6f","off":9,"len":3},
    {"name":"toy.body","label":"body","value":"0001","type":"bytes","off":12,"len":2}]
    "#);
}

#[test]
fn bytes_of_transformed_invalid_text_occur_once() {
    static HEADER: Field = Field::text("toy.header", "header", "").transformed();
    let trial = framed(b"\xffno", |wire| wire.text(&HEADER, 3).map(drop));
    assert_snapshot!(fields(&trial), @r#"[{"name":"toy.header","label":"header","value":"�no","raw":"ff6e6f","off":2,"len":3}]"#);
}

#[test]
fn a_group_has_its_meaning_and_its_fields() {
    let trial = framed(&[1, 10], |wire| {
        wire.group(&trial::ENTRY, |wire| {
            wire.u8(&trial::KEY)?;
            wire.u8(&trial::OTHER).map(drop)
        })
    });
    assert_snapshot!(fields(&trial), @r#"
    [{"name":"toy.entry","label":"entry","text":"key 1","off":2,"len":2,"fields":[{"name":"toy.entry.key","label":"key","value":1,"off":2,"len":1},
    {"name":"toy.entry.value","label":"value","value":10,"off":3,"len":1}]}]
    "#);
}

#[test]
fn fields_of_bytes_that_are_not_on_the_wire_name_their_buffer() {
    let read = |wire: &mut crate::wire::Wire<'_>| {
        wire.u8(&trial::SIZE)?;
        wire.group(&trial::ENTRY, |wire| {
            wire.u8(&trial::KEY)?;
            wire.derived("zlib", 2, b"large", |wire| {
                wire.bytes(&trial::BODY, 4)?;
                wire.u8(&trial::OTHER).map(drop)
            })?;
            wire.add(&trial::SIGNED, Value::Signed(-1));
            wire.u8(&trial::OTHER).map(drop)
        })?;
        wire.bytes(&trial::BODY, 9).map(drop)
    };
    let places = |trial: &Trial| -> Vec<String> {
        let record = value(trial);
        let all = record["fields"].as_array().unwrap();
        let each = all.iter().flat_map(|field| field["fields"].as_array().into_iter().flatten().chain([field]));
        each.map(|field| format!("{} {} {}", field["buffer"], field["off"], field["len"]).replace("null", "-")).collect()
    };
    let toy = b"\x01\x02zz\x03012345678";
    let inside = ["\"derived/1\" 0 4", "\"derived/1\" 4 1", "- - -"];
    let of = |offsets: [&'static str; 5]| {
        let [size, key, other, entry, body] = offsets;
        vec![size, key, inside[0], inside[1], inside[2], other, entry, body]
    };
    assert_eq!(places(&framed(toy, read)), of(["- 2 1", "- 3 1", "- 6 1", "- 3 4", "- 7 9"]));
    assert_eq!(places(&streamed(toy, read)), of(["- 100 1", "- 101 1", "- 104 1", "- 101 4", "- 105 9"]));
}

#[test]
fn control_characters_are_escaped_reversibly() {
    let text = "a\u{1b}]0;t\u{7}\u{202e}\u{9b}\u{7f}\r\n\\\u{fffd}";
    let record = value(&hostile());
    assert_eq!(record["name"], text);
    assert_eq!(record["info"], text);
    assert_eq!(record["fields"][0]["value"], text);
    assert_eq!(record["fields"][1]["value"], text);
    assert_eq!(record["notes"][0]["text"], text);
}

#[test]
fn a_time_that_no_calendar_has_is_left_out() {
    let mut trial = framed(b"x", |_| Ok(()));
    trial.tree.frame.time = Some(Timestamp { seconds: i64::MAX, nanos: u32::MAX });
    let record = value(&trial);
    assert_eq!(record["time"], serde_json::Value::Null);
    assert_eq!(record["t"], 0.0);
}

#[test]
fn seconds_since_the_start_have_no_noise() {
    let framed = framed(b"x", |_| Ok(()));
    let written = [0, 2_055_398_000, 1, -5_000, 86_400_000_000_001_000].map(|nanos: i128| {
        let mut text = String::new();
        framed.records(Packets, |record| {
            let crate::record::Record::Packet(mut packet) = *record else { return };
            let (seconds, nanos) =
                (i64::try_from(nanos.div_euclid(SECOND)).unwrap(), u32::try_from(nanos.rem_euclid(SECOND)).unwrap());
            let start = Some(Timestamp { seconds: 0, nanos: 0 });
            packet.times = RecordTimes { time: Some(Timestamp { seconds, nanos }), first: start, previous: start };
            let mut line = Vec::new();
            let mut sink = Json::new(&mut line, JsonOptions { shape: Shape::Lines, carriers: false, flush: true });
            sink.record(&crate::record::Record::Packet(packet)).unwrap();
            text = String::from_utf8(line).unwrap();
        });
        text.split_once("\"t\":").unwrap().1.split(',').next().unwrap().to_owned()
    });
    assert_eq!(written, ["0.0", "2.055398", "1e-9", "-5e-6", "86400000.000001"]);
}

#[test]
fn long_records_are_flushed_in_chunks_and_short_ones_together() {
    #[derive(Default)]
    struct Writes(Vec<Vec<u8>>);

    impl std::io::Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let written = |framed: &Trial, times: usize, flush: bool| {
        let mut writes = Writes::default();
        framed.records(Messages, |record| {
            let mut sink = Json::new(&mut writes, JsonOptions { shape: Shape::Lines, carriers: false, flush });
            (0..times).for_each(|_| sink.record(record).unwrap());
            sink.finish().unwrap();
        });
        let all = writes.0.concat();
        let records = serde_json::Deserializer::from_slice(&all).into_iter::<serde_json::Value>().map(Result::unwrap);
        let pieces: Vec<usize> = writes.0.iter().map(Vec::len).filter(|length| *length > 0).collect();
        (records.map(|record| record["fields"].as_array().unwrap().len()).collect::<Vec<usize>>(), pieces)
    };
    let bytes = |count: usize| framed(&vec![7; count], |wire| (0..count).try_for_each(|_| wire.u8(&trial::FLAGS).map(drop)));
    let blob = framed(&vec![7; 1 << 20], |wire| wire.bytes(&trial::BODY, 1 << 20).map(drop));
    let (short, long) = (bytes(10), bytes(20_000));
    let counts = |(fields, pieces): (Vec<usize>, Vec<usize>)| (fields, pieces.len());
    assert_eq!(counts(written(&short, 3, false)), (vec![10; 3], 1));
    assert_eq!(counts(written(&short, 3, true)), (vec![10; 3], 3));
    for (framed, fields) in [(&long, 20_000), (&blob, 1)] {
        let (counted, pieces) = written(framed, 1, false);
        assert_eq!(counted, [fields]);
        assert!(pieces.len() > 10 && pieces.iter().all(|piece| *piece < LONG + 1000), "{pieces:?}");
    }
}

#[test]
fn an_array_holds_all_inputs_and_is_closed() {
    let mut out = Vec::new();
    let mut sink = Json::new(&mut out, JsonOptions { shape: Shape::Array, carriers: false, flush: false });
    let begin = Begin { file: "a.pcap", format: "pcap", links: &["ethernet"] };
    sink.begin(&begin).unwrap();
    sink.problem(&Problem { file: "a.pcap", code: "truncated", text: "it ends", frame: 3, at: Some(99) }).unwrap();
    sink.end(&crate::record::Tally::new(Messages), true).unwrap();
    sink.begin(&begin).unwrap();
    sink.finish().unwrap();
    assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
    [
    {"type":"begin","schema":1,"file":"a.pcap","format":"pcap","links":["ethernet"]},
    {"type":"error","code":"truncated","text":"it ends","frame":3,"at":99},
    {"type":"end","frames":0,"messages":0,"gaps":0,"malformed":0,"undissected_bytes":0,"truncated":true},
    {"type":"begin","schema":1,"file":"a.pcap","format":"pcap","links":["ethernet"]}
    ]
    "#);
}

#[test]
fn an_empty_input_prints_an_empty_array() {
    let mut out = Vec::new();
    Json::new(&mut out, JsonOptions { shape: Shape::Array, carriers: false, flush: false }).finish().unwrap();
    assert_eq!(out, b"");
}
