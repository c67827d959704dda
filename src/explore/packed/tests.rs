//! Compressed and enciphered bodies: examples.

use super::super::side::Segment;
use super::*;
use crate::tree::{self, StreamId, Transport};
use std::io::Write;

/// A side of datagrams.
fn side(datagrams: &[Vec<u8>]) -> Side {
    let mut side = Side::new(StreamId { transport: Transport::Udp, number: 0 }, tree::Side::Client);
    for (order, bytes) in datagrams.iter().enumerate() {
        side.segments.push(Segment { at: side.bytes.len(), is_turn: true, is_pushed: false, time: 0, order, frame: 1 });
        side.bytes.extend(bytes);
    }
    side
}

fn explored<T>(datagrams: &[Vec<u8>], of: impl FnOnce(&[Message<'_>], &[Side]) -> T) -> T {
    let sides = [side(datagrams)];
    let explored = super::super::framed(&sides, &super::super::Options::default());
    of(&explored.outer, &sides)
}

fn found(datagrams: &[Vec<u8>]) -> Option<String> {
    explored(datagrams, |messages, sides| Packed::find(messages, sides).map(|packed| packed.to_string()))
}

/// Text of changing length.
fn body(number: usize) -> Vec<u8> {
    let words = ["heron", "quartz", "willow", "moss", "lantern", "tinker"];
    let text: Vec<&str> = (0..10 + number % 23).map(|at| words[(at * at + number * 3) % words.len()]).collect();
    format!("{number} {} {number}", text.join(" ")).into_bytes()
}

/// A header of three bytes and a packed body.
fn datagrams(pack: impl Fn(&[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
    (0..20).map(|number| [vec![7, u8::try_from(number % 3).unwrap(), 0xf1], pack(&body(number))].concat()).collect()
}

fn written(mut to: impl Write, body: &[u8]) {
    to.write_all(body).unwrap();
    to.flush().unwrap();
}

#[test]
fn algorithms_are_recognized_by_decompressing() {
    let level = flate2::Compression::default();
    let zlib = |body: &[u8]| {
        let mut to = flate2::write::ZlibEncoder::new(Vec::new(), level);
        to.write_all(body).unwrap();
        to.finish().unwrap()
    };
    assert_eq!(found(&datagrams(zlib)).unwrap(), "zlib from byte 3 on: 20 of 20 long messages decompress");
    let deflate = |body: &[u8]| zlib(body).get(2..).map(|rest| rest[..rest.len() - 4].to_vec()).unwrap();
    assert_eq!(found(&datagrams(deflate)).unwrap(), "deflate from byte 3 on: 20 of 20 long messages decompress");
    let gzip = |body: &[u8]| {
        let mut to = flate2::write::GzEncoder::new(Vec::new(), level);
        to.write_all(body).unwrap();
        to.finish().unwrap()
    };
    assert_eq!(found(&datagrams(gzip)).unwrap(), "gzip from byte 3 on: 20 of 20 long messages decompress");
    let lz4 = |body: &[u8]| lz4_flex::block::compress(body);
    assert_eq!(found(&datagrams(lz4)).unwrap(), "LZ4 from byte 3 on: 20 of 20 long messages decompress");
    let zstd = |body: &[u8]| ruzstd::encoding::compress_to_vec(body, ruzstd::encoding::CompressionLevel::Fastest);
    assert_eq!(found(&datagrams(zstd)).unwrap(), "zstd from byte 3 on: 20 of 20 long messages decompress");
}

#[test]
fn one_stream_of_all_messages_of_a_side_is_recognized() {
    let mut to = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    let all: Vec<Vec<u8>> = (0..20)
        .map(|number| {
            written(&mut to, &body(number));
            [vec![7, 1], std::mem::take(to.get_mut())].concat()
        })
        .collect();
    assert_eq!(found(&all).unwrap(), "zlib from byte 2 on, one stream a direction: 20 of 20 messages decompress");
}

#[test]
fn clear_and_random_bodies_are_not_compressed() {
    assert_eq!(found(&datagrams(<[u8]>::to_vec)), None);
    let mut state = 9_u32;
    let random: Vec<Vec<u8>> = (0..60)
        .map(|number| {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state.to_be_bytes()[0]
            };
            (0..40 + number % 50).map(|_| next()).collect()
        })
        .collect();
    assert_eq!(found(&random), None);
    assert_eq!(explored(&random, |messages, _| Key::find(messages)), None);
    assert_eq!(found(&vec![vec![0; 60]; 40]), None);
}

#[test]
fn a_repeating_key_over_text_is_found_and_others_are_not() {
    let key = [0x9c, 0x31, 0xe7, 0x05, 0x5a];
    let cipher = |datagrams: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
        let of = |bytes: Vec<u8>| bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        datagrams.into_iter().map(of).collect()
    };
    let plain = datagrams(<[u8]>::to_vec);
    let found = |datagrams: &[Vec<u8>]| explored(datagrams, |messages, _| Key::find(messages));
    assert_eq!(found(&plain), None);
    let key = found(&cipher(plain)).unwrap();
    assert_eq!(key.to_string(), "XOR with the repeating key 9c31e7055a");
    assert!(key.text > 0.6);
    // Without text, a key is a guess.
    let numbers: Vec<Vec<u8>> = (0..90_u8).map(|at| [[0; 12], [7; 12], [at; 12]].concat()).collect();
    assert_eq!(found(&cipher(numbers)), None);
}
