//! pcapng as a whole: blocks are written and read back.

use crate::common::frames::{drain, drain_slowly, open};
use proto_dissect::input::{Capture, Link, Timestamp};
use std::net::IpAddr;

/// Types of blocks.
const SHB: u32 = 0x0a0d_0d0a;
const IDB: u32 = 1;
const OBSOLETE: u32 = 2;
const SPB: u32 = 3;
const NRB: u32 = 4;
const EPB: u32 = 6;
const DSB: u32 = 10;
const DCB: u32 = 0x4000_0bad;

/// Codes of options of an interface.
const TSRESOL: u16 = 9;
const TSOFFSET: u16 = 14;

/// Writes blocks in one byte order.
#[derive(Clone, Copy)]
struct Writer(bool);

impl Writer {
    fn w16(self, value: u16) -> Vec<u8> {
        if self.0 { value.to_be_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
    }

    fn w32(self, value: u32) -> Vec<u8> {
        if self.0 { value.to_be_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
    }

    fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let len = self.w32(body.len() as u32 + 12);
        [&self.w32(kind), &len, body, &len].concat()
    }

    fn section(self) -> Vec<u8> {
        self.block(SHB, &[self.w32(0x1a2b_3c4d), self.w16(1), self.w16(0), vec![0xff; 8]].concat())
    }

    fn interface(self, link: u16, snap_len: u32, options: &[u8]) -> Vec<u8> {
        self.block(IDB, &[&self.w16(link), &self.w16(0), &self.w32(snap_len), options].concat())
    }

    fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let mut padded = value.to_vec();
        padded.resize(value.len().next_multiple_of(4), 0);
        [self.w16(code), self.w16(value.len() as u16), padded].concat()
    }

    fn enhanced(self, interface: u32, time: u64, bytes: &[u8], options: &[u8]) -> Vec<u8> {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(4), 0);
        let len = self.w32(bytes.len() as u32);
        let numbers = [self.w32(interface), self.w32((time >> 32) as u32), self.w32(time as u32), len, self.w32(99)].concat();
        self.block(EPB, &[&numbers, &padded[..], options].concat())
    }
}

const LITTLE: Writer = Writer(false);
const BIG: Writer = Writer(true);

fn time_of(writer: Writer, options: &[u8], units: u64) -> (i64, u32) {
    let bytes = [writer.section(), writer.interface(1, 0, options), writer.enhanced(0, units, b"a", &[])].concat();
    let time = drain(&bytes).0[0].time.unwrap();
    (time.seconds, time.nanos)
}

#[test]
fn sections_have_their_own_byte_order_and_interfaces() {
    let first = [LITTLE.section(), LITTLE.interface(1, 0, &[]), LITTLE.enhanced(0, 1_000_002, b"abc", &[])].concat();
    let second = [BIG.section(), BIG.interface(101, 0, &[]), BIG.interface(1, 0, &[]), BIG.enhanced(0, 3, b"de", &[])].concat();
    let bytes = [first, second].concat();
    let (frames, error) = drain(&bytes);
    assert_eq!(error, None);
    assert_eq!(frames.iter().map(|frame| frame.link).collect::<Vec<_>>(), [Link::Type(1), Link::Type(101)]);
    assert_eq!(frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>(), [&b"abc"[..], b"de"]);
    assert_eq!(frames[0].time, Some(Timestamp { seconds: 1, nanos: 2000 }));
    assert_eq!(frames[0].original_len, 99);
    assert_eq!(drain_slowly(&bytes).0, frames);
    let mut capture = open(&bytes).unwrap();
    assert_eq!(capture.links(), [1]);
    while capture.next_frame().unwrap().is_some() {}
    assert_eq!(capture.links(), [1, 101]);
}

#[test]
fn times_have_any_resolution_and_an_offset() {
    for writer in [LITTLE, BIG] {
        let resolution = |exponent: u8| writer.option(TSRESOL, &[exponent]);
        let offset =
            |seconds: i64| writer.option(TSOFFSET, &if writer.0 { seconds.to_be_bytes() } else { seconds.to_le_bytes() });
        assert_eq!(time_of(writer, &[], 1_500_000), (1, 500_000_000));
        assert_eq!(time_of(writer, &resolution(9), 5_000_000_007), (5, 7));
        assert_eq!(time_of(writer, &resolution(0x88), 0x0132), (1, 195_312_500));
        assert_eq!(time_of(writer, &resolution(0), u64::MAX), (i64::MAX, 0));
        assert_eq!(time_of(writer, &resolution(19), u64::MAX), (1, 844_674_407));
        assert_eq!(time_of(writer, &resolution(0xff), u64::MAX), (0, 0));
        assert_eq!(time_of(writer, &resolution(100), u64::MAX), (0, 0));
        assert_eq!(time_of(writer, &offset(-5), 1_000_000), (-4, 0));
        assert_eq!(time_of(writer, &[resolution(0), offset(i64::MAX)].concat(), 9), (i64::MAX, 0));
    }
}

#[test]
fn simple_and_obsolete_packets_are_frames_and_custom_blocks_are_not() {
    let simple = LITTLE.block(SPB, &[&LITTLE.w32(60)[..], b"abcdefgh"].concat());
    let times = [LITTLE.w32(0), LITTLE.w32(7), LITTLE.w32(3), LITTLE.w32(3)].concat();
    let obsolete = LITTLE.block(OBSOLETE, &[&LITTLE.w16(0), &LITTLE.w16(1), &times[..], b"xyz\0"].concat());
    let custom = LITTLE.block(0xbad, b"\0\0\0\0abcd");
    let bytes = [LITTLE.section(), LITTLE.interface(1, 6, &[]), simple, custom, obsolete].concat();
    let (frames, error) = drain(&bytes);
    assert_eq!((frames.len(), error), (2, None));
    assert_eq!((frames[0].time, &frames[0].bytes[..], frames[0].original_len), (None, &b"abcdef"[..], 60));
    assert_eq!((frames[1].time.unwrap().nanos, &frames[1].bytes[..]), (7000, &b"xyz"[..]));
}

#[test]
fn a_damaged_option_costs_no_packet() {
    let broken = [LITTLE.w16(1), LITTLE.w16(0x3030)].concat();
    let bytes = [LITTLE.section(), LITTLE.interface(1, 0, &broken), LITTLE.enhanced(0, 0, b"abc", &broken)].concat();
    assert_eq!(drain(&bytes).0[0].bytes, b"abc");
}

#[test]
fn damage_is_reported_with_its_place_after_the_frames_before_it() {
    let good = [LITTLE.section(), LITTLE.interface(1, 0, &[]), LITTLE.enhanced(0, 0, b"abc", &[])].concat();
    let at = good.len() as u64;
    let mut two_lengths = LITTLE.block(5, b"abcd");
    two_lengths[12] ^= 1;
    let mut packet_too_long = LITTLE.enhanced(0, 0, b"abc", &[]);
    packet_too_long[20] = 5;
    let huge = [LITTLE.w32(6), LITTLE.w32(!3)].concat();
    let tiny = [LITTLE.w32(6), LITTLE.w32(8)].concat();
    let odd = [LITTLE.w32(6), LITTLE.w32(33)].concat();
    let stranger = LITTLE.enhanced(1, 0, b"abc", &[]);
    let unmarked = LITTLE.block(SHB, &[7; 16]);
    for damage in [two_lengths, packet_too_long, huge, tiny, odd, stranger, unmarked] {
        let (frames, error) = drain(&[&good[..], &damage].concat());
        let error = error.unwrap();
        assert_eq!((frames.len(), error.code, error.at), (1, "damaged", Some(at)), "{error}");
    }
}

#[test]
fn a_block_larger_than_the_buffer_is_read() {
    let large = vec![7; 700_000];
    let bytes = [LITTLE.section(), LITTLE.interface(1, 0, &[]), LITTLE.enhanced(0, 0, &large, &[])].concat();
    assert_eq!(drain(&bytes).0[0].bytes, large);
}

#[test]
fn comments_and_names_are_read() {
    for writer in [LITTLE, BIG] {
        let about = [writer.option(1, b"of the section"), writer.option(3, b"an OS"), writer.option(4, b"a program\0")].concat();
        let mark = [writer.w32(0x1a2b_3c4d), writer.w16(1), writer.w16(0), vec![0xff; 8]].concat();
        let section = writer.block(SHB, &[mark, about].concat());
        let named = [writer.option(2, b"eth0"), writer.option(3, b"a cable"), writer.option(1, b"of the interface")].concat();
        let interfaces = [writer.interface(1, 96, &named), writer.interface(113, 0, &[])].concat();
        let comments =
            [writer.option(1, b"one"), writer.option(2, b"\0\0\0\0"), writer.option(1, "tw\u{f6}".as_bytes())].concat();
        let packets = [writer.enhanced(0, 0, b"abc", &comments), writer.enhanced(1, 0, b"abcd", &[])].concat();
        let mut capture = open(&[section, interfaces, packets].concat()).unwrap();
        let frame = capture.next_frame().unwrap().unwrap();
        assert_eq!((frame.interface, frame.interface_name), (Some(0), Some("eth0")));
        assert_eq!(frame.comments.iter().collect::<Vec<_>>(), ["one", "tw\u{f6}"]);
        let frame = capture.next_frame().unwrap().unwrap();
        assert_eq!((frame.interface, frame.interface_name, frame.comments.is_empty()), (Some(1), None, true));
        let interface = capture.interface(0).unwrap();
        assert_eq!((interface.link, interface.snap_len, interface.name.as_deref()), (Some(1), 96, Some("eth0")));
        assert_eq!(
            (interface.description.as_deref(), &interface.comments[..]),
            (Some("a cable"), &["of the interface".to_owned()][..])
        );
        assert_eq!(capture.interface(1).unwrap().name, None);
        assert_eq!(capture.interface(2), None);
        let section = &capture.sections()[0];
        assert_eq!((&section.os, &section.hardware), (&Some("an OS".to_owned()), &None));
        assert_eq!((section.application.as_deref(), &section.comments[0][..]), (Some("a program"), "of the section"));
    }
}

#[test]
fn other_blocks_are_counted() {
    let names = LITTLE.block(NRB, &[0; 4]);
    let secrets = LITTLE.block(DSB, &[LITTLE.w32(0x544c_534b), LITTLE.w32(0)].concat());
    let custom = LITTLE.block(DCB, &LITTLE.w32(32473));
    let unknown = LITTLE.block(0x8000_0077, b"");
    let (start, packet) = ([LITTLE.section(), LITTLE.interface(1, 0, &[])].concat(), LITTLE.enhanced(0, 0, b"abc", &[]));
    let mut capture = open(&[start, names.clone(), packet, secrets, names, custom, unknown].concat()).unwrap();
    while capture.next_frame().unwrap().is_some() {}
    let extras: Vec<String> = capture.extras().iter().map(|(extra, count)| format!("{count} {extra}")).collect();
    let custom = "1 custom block of enterprise 32473";
    assert_eq!(extras, ["2 name resolution", "1 decryption secrets: TLS key log", custom, "1 block of type 0x80000077"]);
}

/// The capture after reading all of it.
fn drained(bytes: &[u8]) -> Capture {
    let mut capture = open(bytes).unwrap();
    while capture.next_frame().unwrap().is_some() {}
    capture
}

#[test]
fn kinds_of_skipped_blocks_and_texts_of_sections_are_bounded() {
    let mut bytes = LITTLE.section();
    for kind in 0..300 {
        bytes.extend(LITTLE.block(0x8000_0000 + kind, b""));
        bytes.extend(LITTLE.block(0x8000_0000, b""));
    }
    let capture = drained(&bytes);
    let extras: Vec<String> = capture.extras().iter().map(|(extra, count)| format!("{count} {extra}")).collect();
    assert_eq!((extras.len(), extras[0].as_str()), (101, "301 block of type 0x80000000"));
    assert!(extras[100].starts_with("200 "), "{extras:?}");
    let mark = [LITTLE.w32(0x1a2b_3c4d), LITTLE.w16(1), LITTLE.w16(0), vec![0xff; 8]].concat();
    let section = LITTLE.block(SHB, &[mark, LITTLE.option(1, &[b'a'; 0xfffc])].concat());
    let capture = drained(&section.repeat(1100));
    assert_eq!(capture.sections().len(), 1000);
    assert_eq!(capture.sections().iter().filter(|section| !section.comments.is_empty()).count(), 16);
}

#[test]
fn records_name_addresses_until_the_list_ends() {
    let ends =
        [&[1, 0, 10, 0, 192, 168, 1, 2][..], b"a.b\0c\0", &[0, 0], &[0, 0, 0, 0], &[1, 0, 6, 0, 1, 1, 1, 1, b'x', 0, 0, 0]];
    let little = [LITTLE.section(), LITTLE.block(NRB, &ends.concat())].concat();
    let six = [&[0, 9, 0, 1, 7, 0, 0, 0][..], &[0, 2, 0, 19], &[0xfe; 16], b"v6\0", &[0]].concat();
    // A length beyond the end of the block also ends the list.
    let beyond = [0, 1, 0, 200, 1, 2, 3, 4, b'n', 0, 0, 0];
    let big = [BIG.section(), BIG.block(NRB, &six), BIG.block(NRB, &beyond)].concat();
    let capture = drained(&[little, big].concat());
    let names = [(IpAddr::from([192, 168, 1, 2]), "c".to_owned()), (IpAddr::from([0xfe; 16]), "v6".to_owned())];
    assert_eq!(capture.names(), names);
}

#[test]
fn names_past_the_limit_are_not_kept() {
    let record = LITTLE.block(NRB, &[&[1, 0, 200, 0, 1, 2, 3, 4][..], &[b'n'; 195], &[0]].concat());
    let capture = drained(&[LITTLE.section(), record.repeat(10_000)].concat());
    assert!(capture.names().len() > 1000 && capture.names().len() <= (1 << 20) / 64);
}

#[test]
fn comments_between_other_options_are_found_until_the_list_ends() {
    let all = b"\x01\0\x04\0hi\0?\x02\0\x04\0abcd\x01\0\x01\0\xff\0\0\0\0\0\0\0\x01\0\x04\0late";
    for (options, comments) in [(&all[..], &["hi", "\u{fffd}"][..]), (&all[..20], &["hi"])] {
        let packet = LITTLE.enhanced(0, 0, b"abc", options);
        let frames = drain(&[LITTLE.section(), LITTLE.interface(1, 0, &[]), packet].concat()).0;
        assert_eq!(frames[0].comments, comments);
    }
}
