//! A call of two browsers: DTLS with data channels, also with lost, reordered or damaged frames.

use crate::common::{is_own_case, run, run_with};
use std::path::PathBuf;

const SECRETS: u32 = 10;
const PACKET: u32 = 6;

/// The blocks of the sample, with their type.
fn blocks() -> Vec<(u32, Vec<u8>)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/webrtc.pcapng");
    let mut file = &std::fs::read(path).unwrap()[..];
    let mut blocks = Vec::new();
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().unwrap());
    while !file.is_empty() {
        let (block, rest) = file.split_at(word(&file[4..]) as usize);
        blocks.push((word(block), block.to_vec()));
        file = rest;
    }
    blocks
}

fn file(blocks: impl IntoIterator<Item = (u32, Vec<u8>)>) -> Vec<u8> {
    blocks.into_iter().flat_map(|(_, block)| block).collect()
}

/// The index of the block of a frame.
fn location_of(blocks: &[(u32, Vec<u8>)], frame: usize) -> usize {
    let mut packets = blocks.iter().enumerate().filter(|(_, (kind, _))| *kind == PACKET);
    packets.nth(frame - 1).unwrap().0
}

/// Messages of data channels, one per line.
const MESSAGES: [&str; 9] = ["-Y", "rtcdc", "-e", "message.name", "-e", "rtcdc.label", "-e", "rtcdc.text", "-"];

fn messages(input: &[u8]) -> Vec<String> {
    run_with(&MESSAGES, input).out.lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn data_channels_are_opened_and_their_messages_are_joined() {
    let expected = [
        "data channel open\tchat",
        "data channel ack",
        "text\t\t{\"say\":\"hello\",\"to\":\"odo\"}",
        "text\t\tgrüß dich",
        "data channel open\tpositions",
        "binary",
        "data channel ack",
        "binary",
        "text",
        "binary",
    ];
    assert_eq!(messages(&file(blocks())), expected);
    let joined =
        run_with(&["-Y", "rtcdc.binary && dtls.record.epoch == 1", "--packets", "-e", "rtcdc.binary", "-"], &file(blocks()));
    let text: String =
        "first half, which comes later; second half of a message".bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(joined.out.contains(&text), "{}", joined.out);
}

#[test]
fn bytes_of_a_message_lead_back_to_their_frame() {
    let out = run_with(&["--json", "-Y", "rtcdc.text contains \"odo\"", "-"], &file(blocks())).out;
    assert!(out.contains(r#""how":"dtls""#) && !out.contains("deflate"), "{out}");
}

#[test]
fn without_keys_no_message_of_a_data_channel_is_shown() {
    let closed = file(blocks().into_iter().filter(|(kind, _)| *kind != SECRETS));
    assert_eq!(messages(&closed), [""; 0]);
    let counted = run_with(&["-Y", "dtls.app_data", "-e", "frame.number", "-"], &closed);
    assert_eq!(counted.out.lines().count(), 13);
}

#[test]
fn a_lost_or_repeated_datagram_costs_only_its_own_messages() {
    let whole = messages(&file(blocks()));
    for frame in 15..=27 {
        let mut lost = blocks();
        let block = lost.remove(location_of(&lost, frame));
        let left = messages(&file(lost.clone()));
        assert!(left.iter().all(|line| whole.contains(line)), "frame {frame}: {left:?}");
        assert!(left.len() + 4 >= whole.len(), "frame {frame}: {left:?}");
        // A repeated datagram adds nothing.
        lost.insert(location_of(&lost, frame - 1) + 1, block.clone());
        lost.insert(location_of(&lost, frame) + 1, block);
        assert_eq!(messages(&file(lost)), whole, "frame {frame}");
    }
}

#[test]
fn a_message_that_waited_for_an_earlier_one_is_late() {
    let mut swapped = blocks();
    let (open, text) = (location_of(&swapped, 17), location_of(&swapped, 19));
    swapped.swap(open, text);
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(messages(&file(swapped.clone()))), sorted(messages(&file(blocks()))));
    let late = run_with(&["--packets", "--json", "-Y", "rtcdc.text contains \"odo\"", "-"], &file(swapped)).out;
    assert!(late.contains(r#""type":"late""#), "{late}");
}

#[test]
fn damaged_datagrams_end_in_notes() {
    for frame in 1..=34 {
        for step in (0..6).filter(|step| is_own_case(frame + step, 6)) {
            let mut damaged = blocks();
            let place = location_of(&damaged, frame);
            let block = &mut damaged[place].1;
            // After the headers of the block, Ethernet, IP and UDP.
            let at = 28 + 42 + step * 11;
            if at + 8 < block.len() {
                block[at] ^= 0xff;
                let run = run_with(&["--json", "-"], &file(damaged));
                assert_eq!((run.code, run.out.contains("\"bug\"")), (0, false), "frame {frame}, byte {at}: {}", run.err);
            }
        }
    }
}

#[test]
fn an_association_with_connection_ids_continues_from_another_port() {
    let filter = "udp.srcport >= 51030 && dtls.alert_message.desc == 0";
    let out = run(&["-Y", filter, "-e", "udp.stream", "-e", "dtls.record.connection_id", "samples/dtls-versions.pcapng"]).out;
    assert_eq!(out.lines().filter(|line| line.contains("51525354")).count(), 4, "{out}");
}
