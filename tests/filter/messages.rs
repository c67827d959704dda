//! Messages that match by their own fields and by those of the layers below.

use super::{Rows, check, parsed};
use proto_dissect::engine::Engine;
use proto_dissect::input::Capture;
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::tree::Dissection;
use std::fs::File;
use std::path::Path;

/// Values from JSON, computed by other means: messages by number, gaps as 0.
pub const MESSAGES: Rows = &[
    (
        "pipboy.pcap",
        &[
            ("pipboy", "1-90"),
            ("udp", "1-3,37-38"),
            ("tcp.port == 27000", "4-36,39-90"),
            (r#"pipboy.type == "data_update""#, "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type == data_update", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type == DATA_UPDATE", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type == 3", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("3 == pipboy.type", "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("pipboy.type > command", "70,72"),
            ("5 <= pipboy.type", "20,44,47,51,53,58,62,64,66,69-72,75,77,79-80"),
            ("pipboy.type != heartbeat", "4,11,20,23-29,34,39,44-47,50-55,58-59,62-66,69-72,75-80,83,85-86"),
            ("not pipboy.type == heartbeat", "1-4,11,20,23-29,34,37-39,44-47,50-55,58-59,62-66,69-72,75-80,83,85-86"),
            ("pipboy.type in {command, command_result, 4}", "20,44,47,51,53,58-59,62,64-66,69-72,75,77,79-80"),
            ("pipboy.type in {local_map_update..command_result}", "20,44,47,51,53,58-59,62,64-66,69-72,75,77,79-80"),
            (r#"pipboy.type in {1 2 "command_result"}"#, "4,39,70,72"),
            ("pipboy.type not in {0, 3}", "1-4,20,37-39,44,47,51,53,58-59,62,64-66,69-72,75,77,79-80"),
            (r#"message.name == "data_update""#, "11,23-29,34,45-46,50,52,54-55,63,76,78,83,85-86"),
            ("message.name contains map", "59,65"),
            (r#"message.name matches "^(discovery|connection)_""#, "1-4,37-39"),
            (r#"message.name ~ "RESULT$""#, "70,72"),
            ("message.dir == c2s and not udp", "#36"),
            (r#"message.dir == "s2c" and pipboy.discovery.json"#, "2-3,38"),
            ("message.number in {1..3, 39}", "1-3,39"),
            ("message.number >= 0x58", "88-90"),
            (r#"message.protocol == "pipboy" && message.number < 3"#, "1-2"),
            ("stream == tcp/1", "39"),
            (r#"stream == "udp/0""#, "1"),
            ("stream contains udp/", "1-3,37-38"),
            (r#"stream matches r"^udp/\d$""#, "1-3,37-38"),
            ("tcp.stream == 1", "39"),
            ("frame.number == 36", "11"),
            ("frame.number in {33..60} and pipboy.entry", "11"),
            (r#"frame.protocols == "eth:ethertype:ip:udp:pipboy""#, "1-3,37-38"),
            (r#"frame.time_epoch >= "2015-11-24T21:20:23Z""#, "75-90"),
            ("frame.time_epoch < 1448400000.5", "1-3"),
            ("frame.time_relative in {18..18.5}", "51-56"),
            ("frame.time_relative == 3.977116", "11"),
            ("pipboy.entry.id == 0", "11"),
            ("count(pipboy.entry) > 100", "11,55"),
            ("count(pipboy.entry) == 1", "26-29,34,54,78,83,85-86"),
            ("pipboy.entry_count in {2..7}", "23-25,45,50,52,63,76"),
            ("pipboy.entry.bool == true", "11,29,76,78"),
            ("pipboy.entry.bool == False", "11,34,76"),
            ("all pipboy.entry.bool == 1", "29,78"),
            ("pipboy.entry.int < 0", "11"),
            ("pipboy.entry.int == -1", "11"),
            ("pipboy.entry.uint > 0x7fffffff", "11,46,55"),
            ("pipboy.entry.float", "11,23-28,45-46,50,55,63,86"),
            ("pipboy.entry.float > 100", "11,23-25,63"),
            ("pipboy.entry.float < -0.5", "11,23-25,63"),
            ("all pipboy.entry.float > 90.5", "26-28"),
            (r#"pipboy.entry.string == "Wet feet""#, "11"),
            (r#"pipboy.entry.string contains "brell""#, "46"),
            ("pipboy.entry.string", "11,46,50,55"),
            ("len(pipboy.entry.string) == 17", "11,46"),
            (r#"lower(pipboy.entry.string) == "umbrella, pointed""#, "46"),
            (r#"upper(pipboy.command.args) contains "TRUE""#, "62"),
            (r#"pipboy.entry.string[0:3] == "Umb""#, "46"),
            (r#"pipboy.entry.string contains "\r\n""#, "11"),
            (r#"pipboy.entry.string matches r"\bfeet$""#, "11"),
            (r#"pipboy.entry.string[:1,-2:] == "Wet""#, "11"),
            ("pipboy.entry.float == 18.25", "11"),
            ("pipboy.entry.float in {1.25..1.75, 130}", "11,24,46"),
            (r#"pipboy.entry.dict.insert.key == "Status""#, "11"),
            ("pipboy.entry.list.ref == pipboy.entry.id", "11,46,50,55"),
            ("pipboy.entry.list.ref > pipboy.entry.id", "11,46,50,52,54-55"),
            ("pipboy.entry.list.ref != pipboy.entry.id", "52,54"),
            ("pipboy.entry.list.ref", "11,46,50,52,54-55"),
            ("pipboy.command.type == fast_travel", "69"),
            (r#"pipboy.command.type in {"clear_idle", use_item}"#, "20,44,80"),
            (r#"pipboy.command.args == "[444]""#, "69,71"),
            ("pipboy.command.id >= 12", "75,77,79-80"),
            ("pipboy.command.id & 1", "20,47,53,62,66,71,77,80"),
            ("pipboy.command.id & 3 == 2", "44,58,69,79"),
            ("pipboy.result.allowed == 0", "70"),
            ("pipboy.result.success != true", "70"),
            (r#"pipboy.result.message contains "luggage""#, "70"),
            ("pipboy.map.width == 30 or pipboy.map.height == 30", "59,65"),
            ("pipboy.map.pixels", "59,65"),
            ("len(pipboy.map.pixels) == 640", "65"),
            ("pipboy.map.pixels contains ff:ff", "59,65"),
            (r#"pipboy.json contains "id""#, "20,44,47,51,53,58,62,64,66,69-72,75,77,79-80"),
            ("pipboy.discovery.machine_type == PC", "2,38"),
            ("pipboy.discovery.is_busy == true", "38"),
            ("ip.dst == 255.255.255.255", "1,37"),
            ("ip.src == 192.168.28.16/28 and not tcp.port == 41508", "1,37"),
            ("eth.src == 02:50:49:50:00:17 and pipboy.type == command", "20,44,47,51,53,58,62,64,66,69,71,75,77,79-80"),
            (r#"pipboy contains "luggage""#, "70"),
            ("pipboy[4] == 01", "4"),
            ("pipboy.type == 3 xor message.dir == s2c", "#31"),
            ("pipboy.type == 3 ^^ tcp ^^ udp", "1-10,12-22,30-33,35-44,47-49,51,53,56-62,64-75,77,79-82,84,87-90"),
            ("dissect.short or data", ""),
            ("", "1-90"),
            ("(pipboy.type & 4) == 4 and not (pipboy.type == 5)", "59,65,70,72"),
            (r#"pipboy.length == '\t'"#, "26-28,83,86"),
            ("len(pipboy) > 1000 && pipboy.type ne 4", "11,55"),
        ],
    ),
    (
        "pipboy-damaged.pcap",
        &[
            ("data", "8,40-42"),
            ("pipboy.error.count", "15,27"),
            ("pipboy.error.gap or pipboy.error.length", "7,39"),
            ("pipboy and pipboy.note.bool", "35"),
            ("pipboy.map.bad_size and not pipboy.error.string", "31"),
            ("stream == tcp/0 and frame.number == 23", "0"),
            ("tcp.stream == 0 and not pipboy", "0,8,40-42"),
            ("not tcp", ""),
            ("udp or ip", "1-42"),
            ("message.dir == c2s", "2,5,9,13,17,21,25,29,33,37"),
            ("message.dir == s2c and not message.number", "0"),
            ("data.data contains 00:00 or len(data.data) < 3", "8,40-42"),
            ("tcp.len == 1460 and data", ""),
        ],
    ),
];

#[test]
fn messages_pass_by_their_own_fields_and_by_those_of_the_layers_below() {
    check(View::Messages, MESSAGES);
}

#[test]
fn a_message_that_its_stream_ended_inside_of_still_has_its_ports() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/pipboy.pcap");
    let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
    let mut engine = Engine::complete(Registry::default());
    // The capture ends in the middle of the first update.
    for _ in 0..30 {
        engine.dissect(&capture.next_frame().unwrap().unwrap());
    }
    let mut left = 0;
    while let Some(tree) = engine.finish() {
        let show = |record: Record<'_>| -> Result<(), ()> {
            for expression in [
                "eth and ip and tcp and pipboy",
                "pipboy.truncated",
                "tcp.port == 27000 and tcp.srcport == 27000 and tcp.dstport == 41508",
                "ip.src == 192.168.28.10 and ip.addr == 192.168.28.23",
                "tcp.stream == 0 and stream == tcp/0",
                "not udp.port and not ipv6.addr and not udp and not frame contains 00",
            ] {
                assert!(parsed(expression).matches(&record), "{expression}");
            }
            left += 1;
            Ok(())
        };
        Tally::new(View::Messages).records(Dissection { tree, bytes: &[] }, false, show).unwrap();
    }
    assert_eq!(left, 1);
}
