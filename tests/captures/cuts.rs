//! Every container, plain and compressed, truncated at every byte: the frames are a prefix of the whole, and an error reports it.

use super::samples::{every_cut_gives_a_prefix, gzip, lz4, pcap, pcapng, snoop, zstd};
use crate::common::frames::{drain, drain_slowly, open, try_drain};

#[test]
fn a_compressed_capture_cut_anywhere_gives_the_frames_before_the_cut() {
    for (container, whole) in [("pcap", pcap(6)), ("pcapng", pcapng()), ("snoop", snoop())] {
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
fn a_capture_cut_anywhere_gives_the_frames_before_it() {
    every_cut_gives_a_prefix(&pcap(6), 24, &[24, 44, 64, 84, 104, 124, 144]);
    every_cut_gives_a_prefix(&snoop(), 16, &[16, 44, 72, 100, 128, 156]);
    let pcapng = pcapng();
    let mut ends = vec![28];
    while let Some(len) = pcapng.get(ends[ends.len() - 1] + 4) {
        ends.push(ends[ends.len() - 1] + usize::from(*len));
    }
    every_cut_gives_a_prefix(&[&pcapng, BIG_ENDIAN].concat(), 28, &[ends, vec![pcapng.len() + BIG_ENDIAN.len()]].concat());
}

/// A section of pcapng.
const BIG_ENDIAN: &[u8] = b"\x0a\x0d\x0d\x0a\0\0\0\x1c\x1a\x2b\x3c\x4d\0\x01\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\x1c";

/// A capture of one packet, with numbers in this order.
fn small_pcap(magic: u32, big: bool) -> Vec<u8> {
    let number = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let version = if big { [0, 2, 0, 4] } else { [2, 0, 4, 0] };
    let numbers = [0, 0, 65535, 1, 1_700_000_000, 5, 4, 4].map(number).concat();
    [&number(magic)[..], &version, &numbers, b"abcd"].concat()
}

#[test]
fn captures_one_after_another_are_read_with_a_note_that_names_the_byte() {
    let variants = [(0xa1b2_c3d4, false), (0xa1b2_c3d4, true), (0xa1b2_3c4d, false), (0xa1b2_3c4d, true)];
    let mut all: Vec<Vec<u8>> = variants.into_iter().map(|(magic, big)| small_pcap(magic, big)).collect();
    all.extend([pcap(6), pcapng(), snoop(), pcap(6)[..24].to_vec(), pcapng()[..60].to_vec()]);
    let plain = |bytes: &[u8]| {
        let (frames, error) = drain(bytes);
        assert_eq!(error, None);
        frames.into_iter().map(|frame| (frame.time, frame.link, frame.bytes)).collect::<Vec<_>>()
    };
    for first in &all {
        for second in &all {
            let both = [&first[..], second].concat();
            let wanted = [plain(first), plain(second)].concat();
            assert_eq!(plain(&both), wanted);
            assert_eq!(drain_slowly(&both), drain(&both));
            for pack in [gzip, zstd, lz4] {
                assert_eq!(plain(&[pack(first), pack(second)].concat()), wanted);
            }
            let mut capture = open(&both).unwrap();
            while capture.next_frame().unwrap().is_some() {}
            let note = capture.remark().unwrap_or_default();
            // Sections of pcapng are one capture.
            let sections = [first, second].into_iter().all(|bytes| bytes.starts_with(b"\n\r\r\n"));
            assert!(sections || note.starts_with(&format!("another capture begins at byte {};", first.len())), "{note}");
        }
    }
}

#[test]
fn a_time_like_the_magic_number_of_a_capture_is_a_time() {
    let mut bytes = pcap(6);
    bytes.extend(b"\xd4\xc3\xb2\xa1\x05\0\0\0\x04\0\0\0\x04\0\0\0abcd");
    assert_eq!(drain(&bytes).0.last().unwrap().time.unwrap().seconds, 0xa1b2_c3d4);
}
