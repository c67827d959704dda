//! Captures as a whole: compression, requested formats, several files in one input.

mod cuts;
mod links;
mod packed;
mod pcap;
mod pcapng;
mod samples;
mod snoop;

use crate::common::frames::{drain, drain_slowly, open};
use proptest::prelude::*;
use proto_dissect::input::{Capture, Format, InputFormat, Link, OpenError, Options};
use proto_dissect::tree::Side;
use samples::gzip;
use std::io::{self, Read};

fn pcap() -> Vec<u8> {
    samples::pcap(40)
}

#[test]
fn gzip_is_seen_through_up_to_three_times() {
    let plain = drain(&pcap());
    let mut packed = pcap();
    for _ in 0..3 {
        packed = gzip(&packed);
        assert_eq!(drain(&packed), plain);
        assert_eq!(drain_slowly(&packed), plain);
    }
    let error = open(&gzip(&packed)).err().unwrap();
    assert!(error.to_string().contains("compressed more than 3 times"), "{error}");
    let halves = [gzip(&pcap()[..100]), gzip(&pcap()[100..])].concat();
    assert_eq!(drain(&halves), plain);
}

#[test]
fn frames_before_damage_are_kept() {
    let mut damaged = gzip(&pcap());
    let middle = damaged.len() - 6;
    damaged[middle] ^= 0xff;
    let (frames, error) = drain(&damaged);
    assert_eq!((frames.len(), error.unwrap().code), (40, "damaged"));
}

#[test]
fn an_input_without_bytes_is_empty() {
    for bytes in [&b""[..], b" \n\t\r\n", &gzip(b"")] {
        assert!(matches!(open(bytes), Err(OpenError::Empty)));
    }
}

#[test]
fn text_may_hold_any_language_and_a_cut_character() {
    let refused = |bytes: &[u8]| open(bytes).err().unwrap().to_string();
    assert!(refused("caf\u{e9} \u{1f980}".as_bytes()).starts_with("this is plain text without hex"));
    assert!(refused(b"\x90\x91").contains("binary data starting with 90 91"));
    assert_eq!(drain(b"\xef\xbb\xbf23 00 # \xf0\x9f").0[0].bytes, [0x23, 0]);
}

#[test]
fn a_failing_reader_is_an_input_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::PermissionDenied))
        }
    }
    assert!(matches!(Capture::open(Box::new(Broken)), Err(OpenError::Io(_))));
    let mut capture = Capture::open(Box::new(io::Cursor::new(pcap()).chain(Broken))).unwrap();
    for _ in 0..40 {
        assert!(capture.next_frame().unwrap().is_some());
    }
    assert_eq!(capture.next_frame().unwrap_err().code, "io");
    assert!(capture.next_frame().unwrap().is_none());
}

#[test]
fn bytes_are_counted_as_they_are_stored() {
    let packed = gzip(&pcap());
    let mut capture = open(&packed).unwrap();
    while capture.next_frame().unwrap().is_some() {}
    assert_eq!(capture.bytes_read(), packed.len() as u64);
}

fn open_as(bytes: &[u8], format: InputFormat, link: Option<Link>) -> Result<Capture, OpenError> {
    Capture::open_with(
        Box::new(io::Cursor::new(bytes.to_vec())),
        Options { format: Some(format), link, helped: true, ..Options::default() },
    )
}

#[test]
fn a_chosen_format_is_not_guessed() {
    let text = b"00000000  31 32                                            12\n";
    assert_eq!(open(text).unwrap().format(), Format::FollowStream);
    let mut hex = open_as(text, InputFormat::Hex, Some(Link::Type(101))).unwrap();
    assert_eq!(hex.format(), Format::Hex);
    assert_eq!(hex.next_frame().unwrap().unwrap().link, Link::Type(101));
    let squeezed = b"a note\n00000000  31 32 12\n  00000000  33 3\n";
    let mut follow = open_as(squeezed, InputFormat::Follow, None).unwrap();
    assert_eq!(follow.next_frame().unwrap().unwrap().link, Link::Stream(Side::Client));
    assert_eq!(open_as(&gzip(&pcap()), InputFormat::Pcap, None).unwrap().format(), Format::Pcap);
    for (bytes, format, wanted) in [
        (&text[..], InputFormat::Pcap, "this is text, but --input-format is pcap"),
        (&pcap(), InputFormat::Hex, "this is a capture, but --input-format is hex"),
        (&gzip(&pcap()), InputFormat::Follow, "this is a capture, but --input-format is follow"),
        (b"2300", InputFormat::Follow, "this is plain text without hex"),
        (b"", InputFormat::Raw, "the input is empty"),
    ] {
        let error = open_as(bytes, format, None).err().unwrap().to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
}

#[test]
fn raw_bytes_have_the_chosen_format() {
    let bytes: Vec<u8> = (0..=255).cycle().take(200_000).collect();
    let frames = |link| {
        let mut capture = open_as(&bytes, InputFormat::Raw, link).unwrap();
        assert_eq!((capture.format(), capture.links()), (Format::Raw, &[][..]));
        let mut frames = Vec::new();
        while let Some(frame) = capture.next_frame().unwrap() {
            frames.push((frame.link, frame.bytes.to_vec()));
        }
        frames
    };
    assert_eq!(frames(None), [(Link::Unknown, bytes.clone())]);
    assert_eq!(frames(Some(Link::Type(1))), [(Link::Type(1), bytes.clone())]);
    let payload = frames(Some(Link::Stream(Side::Server)));
    assert_eq!(payload.iter().map(|(_, bytes)| bytes.len()).collect::<Vec<_>>(), [65536, 65536, 65536, 3392]);
    assert!(payload.iter().all(|(link, _)| *link == Link::Stream(Side::Server)));
    assert_eq!(payload.into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<_>>(), bytes);
    let mut packed = open_as(&gzip(&pcap()), InputFormat::Raw, None).unwrap();
    assert_eq!(packed.next_frame().unwrap().unwrap().bytes, gzip(&pcap()));
}

#[test]
fn decisions_are_explained() {
    let explained = |bytes: &[u8]| open(bytes).unwrap().explain();
    assert_eq!(
        explained(&gzip(&pcap())),
        "gzip, then pcap, known by its first bytes (little-endian, times in microseconds, link type 1 (ethernet))"
    );
    assert_eq!(
        explained(&gzip(b"a note\n00000000: 2300\n")),
        "gzip, then text: a dump as of xxd (offset, colon, groups of bytes), from line 2 on"
    );
    let raw = open_as(b"x", InputFormat::Raw, Some(Link::Stream(Side::Client))).unwrap().explain();
    assert_eq!(
        raw,
        "raw bytes: payload of one side, in frames of at most 64 KiB; read as raw, as requested; \
         sent by the client, as requested"
    );
    let hex = open_as(b"2300", InputFormat::Hex, Some(Link::Type(1))).unwrap().explain();
    assert_eq!(
        hex,
        "text: bare hex digits with any separators (`xxd -p`, hex streams), from line 1 on; read as hex, as requested; \
         frames of link type 1 (ethernet), as requested"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(start in 0_usize..9, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let zstd = b"\x28\xb5\x2f\xfd\x04\x58";
        let lz4 = b"\x04\x22\x4d\x18\x60\x40\x82";
        let snoop = b"snoop\0\0\0\0\0\0\x02\0\0\0\x04";
        let magic: [&[u8]; 9] = [zstd, lz4, snoop, b"", &pcap()[..24], b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0", b"\x1f\x8b\x08", b"0000  ", b"{0x"];
        let bytes = [magic[start], &bytes].concat();
        if open(&bytes).is_ok() {
            prop_assert_eq!(drain(&bytes), drain_slowly(&bytes));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[0-9a-f :x\\\\{},'\"*#|\n\tb=]{0,120}", start in 0_usize..5) {
        let text = [["", "0000  23 00\n", "00000000: 2300\n", "\\\\x23", "x[] = {0x23,"][start], &text].concat();
        if open(text.as_bytes()).is_ok() {
            prop_assert_eq!(drain(text.as_bytes()), drain_slowly(text.as_bytes()));
        }
    }
}
