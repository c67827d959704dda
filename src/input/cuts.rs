//! Every container, plain and compressed, truncated at every byte: the frames are a prefix of the whole, and an error reports it.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use lz4_flex::frame::FrameEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::samples::{drain, drain_slowly, open, try_drain};

fn pcap() -> Vec<u8> {
    let mut bytes = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0".to_vec();
    for count in 0..6 {
        bytes.extend([count, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, b'a', count, 3, 4]);
    }
    bytes
}

fn pcapng() -> Vec<u8> {
    let block = |kind: u8, body: &[u8]| {
        let len = [u8::try_from(body.len() + 12).unwrap(), 0, 0, 0];
        [&[kind, 0, 0, 0][..], &len, body, &len].concat()
    };
    let mut bytes = b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0".to_vec();
    bytes.extend(block(1, b"\x01\0\0\0\0\0\0\0\x02\0\x04\0eth0\0\0\0\0"));
    for count in 0..4 {
        let numbers = [0, 0, 0, 0, 0, 0, 0, 0, count, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0];
        bytes.extend(block(6, &[&numbers[..], &[b'a', count, b'c', 0], b"\x01\0\x02\0hi\0\0\0\0\0\0"].concat()));
        bytes.extend(block(5, &[0; 8]));
    }
    bytes
}

fn snoop() -> Vec<u8> {
    let mut bytes = b"snoop\0\0\0\0\0\0\x02\0\0\0\x04".to_vec();
    for count in 0..5 {
        let numbers = [0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, count, 0, 0, 0, 1];
        bytes.extend([&numbers[..], &[b'a', count, 0, 0]].concat());
    }
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_compressed_capture_cut_anywhere_gives_the_frames_before_the_cut() {
    for (container, whole) in [("pcap", pcap()), ("pcapng", pcapng()), ("snoop", snoop())] {
        let (plain, error) = drain(&whole);
        assert!(plain.len() >= 4 && error.is_none(), "{container}");
        let middle = whole.len() / 2;
        let least = drain(&whole[..middle]).0.len();
        for (packing, pack) in [("gzip", gzip as fn(&[u8]) -> Vec<u8>), ("zstd", zstd), ("lz4", lz4)] {
            let (first, second) = (pack(&whole[..middle]), pack(&whole[middle..]));
            let packed = [&first[..], &second].concat();
            assert_eq!((drain(&packed), drain_slowly(&packed)), (drain(&whole), drain(&whole)), "{container} in {packing}");
            for cut in 1..packed.len() {
                let Ok((frames, error)) = try_drain(&packed[..cut]) else { continue };
                let place = format!("{container} in {packing}, cut at {cut}");
                assert_eq!(frames, plain[..frames.len()], "{place}");
                assert_eq!(error.unwrap_or_else(|| panic!("{place} went unnoticed")).code, "truncated", "{place}");
                // Frames that are complete in the first part are returned as soon as that part has arrived.
                assert!(cut < first.len() || frames.len() >= least, "{place}");
            }
        }
    }
}

#[test]
fn a_capture_cut_anywhere_is_not_taken_for_something_else() {
    for whole in [pcap(), pcapng(), snoop()] {
        let plain = drain(&whole).0;
        for cut in 1..whole.len() {
            match open(&whole[..cut]) {
                Ok(capture) => assert_eq!(capture.format(), open(&whole).unwrap().format()),
                Err(error) => {
                    assert!(cut < 28 && !error.to_string().is_empty(), "{error} at {cut}");
                    continue;
                }
            }
            let frames = drain(&whole[..cut]).0;
            assert_eq!(frames, plain[..frames.len()]);
        }
    }
}
