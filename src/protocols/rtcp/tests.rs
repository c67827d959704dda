//! Expected values are those of Wireshark 4 for the same bytes, which `samples/webrtc.pcap` holds.

use super::*;
use crate::wire::{Cut, trial};

const REPORT: &str =
    "81c8000c 11223344 e0e1e2e3 40000000 00015f90 000003e8 0002bf20 55667788 19000002 00010032 0000000a e2e34000 00008000";
const NAME: &str = "81ca0006 11223344 010e66616c6b40636f7563682e6c616e 00000000";
const LOSSES: &str = "80c90001 55667788 81cd0003 55667788 11223344 0033 0005 \
                      8fcd0008 55667788 11223344 0100 000a 000123 07 2007 e100 04040804040410 ff38 04 0000";
const REQUESTS: &str = "81ce0002 55667788 11223344 84ce0004 55667788 00000000 11223344 05000000 \
                        8fce0005 55667788 00000000 52454d42 010bd090 11223344 83cd0004 55667788 00000000 11223344 0fd09028";
const GOODBYE: &str = "85cc0003 11223344 47414d45 01020304 a1cb0004 11223344 056c61746572 0000 00000004";
const EXTENDED_REPORT: &str = "80cf0004 55667788 04000002 e0e1e2e3 80000000";

fn read(hex: &str) -> String {
    let bytes = trial::bytes(hex);
    assert!(recognize(&bytes), "{hex}");
    trial::read(&PROTOCOL, &bytes, Cut::No, compound)
}

#[test]
fn a_sender_report_comes_with_the_name_of_its_sender() {
    insta::assert_snapshot!(read(&format!("{REPORT} {NAME}")), @r##"
    rtcp 0..80 | sender report, source description | SSRC 0x11223344, 1000 packets, 180000 bytes sent, 2 lost of 0x55667788, CNAME falk@couch.lan
      0..52 rtcp.packet
        0..1 rtcp.version = 2
        0..1 rtcp.padding = false
        0..1 rtcp.rc = 1
        1..2 rtcp.pt = 200 (sender report)
        2..4 rtcp.length = 12
        4..8 rtcp.senderssrc = 0x11223344
        8..12 rtcp.timestamp.ntp.msw = 3772900067
        12..16 rtcp.timestamp.ntp.lsw = 1073741824
        8..16 rtcp.timestamp.ntp = "Jul 23, 2019 19:47:47.250000000 UTC"
        16..20 rtcp.timestamp.rtp = 90000
        20..24 rtcp.sender.packetcount = 1000
        24..28 rtcp.sender.octetcount = 180000
        28..52 rtcp.report_block
          28..32 rtcp.ssrc.identifier = 0x55667788
          32..33 rtcp.ssrc.fraction = 25
          33..36 rtcp.ssrc.cum_nr = 2
          36..40 rtcp.ssrc.ext_high = 65586
            36..40 rtcp.ssrc.high_cycles = 1
            36..40 rtcp.ssrc.high_seq = 50
          40..44 rtcp.ssrc.jitter = 10
          44..48 rtcp.ssrc.lsr = 3806543872
          48..52 rtcp.ssrc.dlsr = 32768
      52..80 rtcp.packet
        52..53 rtcp.version = 2
        52..53 rtcp.padding = false
        52..53 rtcp.sc = 1
        53..54 rtcp.pt = 202 (source description)
        54..56 rtcp.length = 6
        56..80 rtcp.sdes.chunk
          56..60 rtcp.ssrc.identifier = 0x11223344
          60..76 rtcp.sdes.item
            60..61 rtcp.sdes.type = 1 (CNAME)
            61..62 rtcp.sdes.length = 14
            62..76 rtcp.sdes.text = "falk@couch.lan"
          76..77 rtcp.sdes.type = 0 (END)
          77..80 rtcp.sdes.padding = 000000
    "##);
}

#[test]
fn losses_and_arrival_times_are_dissected() {
    insta::assert_snapshot!(read(LOSSES), @"
    rtcp 0..60 | receiver report, NACK, transport-cc | SSRC 0x55667788, media 0x11223344, 3 lost, 10 packets from 256
      0..8 rtcp.packet
        0..1 rtcp.version = 2
        0..1 rtcp.padding = false
        0..1 rtcp.rc = 0
        1..2 rtcp.pt = 201 (receiver report)
        2..4 rtcp.length = 1
        4..8 rtcp.senderssrc = 0x55667788
      8..24 rtcp.packet
        8..9 rtcp.version = 2
        8..9 rtcp.padding = false
        8..9 rtcp.rtpfb.fmt = 1 (NACK)
        9..10 rtcp.pt = 205 (transport feedback)
        10..12 rtcp.length = 3
        12..16 rtcp.senderssrc = 0x55667788
        16..20 rtcp.mediassrc = 0x11223344
        20..22 rtcp.rtpfb.nack_pid = 51
        22..24 rtcp.rtpfb.nack_blp = 0x0005
        22..24 rtcp.rtpfb.nack_pid = 52
        22..24 rtcp.rtpfb.nack_pid = 54
      24..60 rtcp.packet
        24..25 rtcp.version = 2
        24..25 rtcp.padding = false
        24..25 rtcp.rtpfb.fmt = 15 (transport-cc)
        25..26 rtcp.pt = 205 (transport feedback)
        26..28 rtcp.length = 8
        28..32 rtcp.senderssrc = 0x55667788
        32..36 rtcp.mediassrc = 0x11223344
        36..38 rtcp.rtpfb.transportcc.baseseq = 256
        38..40 rtcp.rtpfb.transportcc.statuscount = 10
        40..43 rtcp.rtpfb.transportcc.reftime = 291
        43..44 rtcp.rtpfb.transportcc.pktcount = 7
        44..46 rtcp.rtpfb.transportcc.pktchunk = 8199
        46..48 rtcp.rtpfb.transportcc.pktchunk = 57600
        48..49 rtcp.rtpfb.transportcc.recv_delta = 0x04
        49..50 rtcp.rtpfb.transportcc.recv_delta = 0x04
        50..51 rtcp.rtpfb.transportcc.recv_delta = 0x08
        51..52 rtcp.rtpfb.transportcc.recv_delta = 0x04
        52..53 rtcp.rtpfb.transportcc.recv_delta = 0x04
        53..54 rtcp.rtpfb.transportcc.recv_delta = 0x04
        54..55 rtcp.rtpfb.transportcc.recv_delta = 0x10
        55..57 rtcp.rtpfb.transportcc.recv_delta = -200
        57..58 rtcp.rtpfb.transportcc.recv_delta = 0x04
        58..60 rtcp.rtpfb.transportcc.recv_delta.padding = 0000
    ");
}

#[test]
fn requests_for_pictures_and_bit_rates_are_dissected() {
    insta::assert_snapshot!(read(REQUESTS), @r##"
    rtcp 0..76 | PLI, FIR, REMB, TMMBR | SSRC 0x55667788, media 0x11223344, of 0x11223344, 1000000 bit/s
      0..12 rtcp.packet
        0..1 rtcp.version = 2
        0..1 rtcp.padding = false
        0..1 rtcp.psfb.fmt = 1 (PLI)
        1..2 rtcp.pt = 206 (payload-specific feedback)
        2..4 rtcp.length = 2
        4..8 rtcp.senderssrc = 0x55667788
        8..12 rtcp.mediassrc = 0x11223344
      12..32 rtcp.packet
        12..13 rtcp.version = 2
        12..13 rtcp.padding = false
        12..13 rtcp.psfb.fmt = 4 (FIR)
        13..14 rtcp.pt = 206 (payload-specific feedback)
        14..16 rtcp.length = 4
        16..20 rtcp.senderssrc = 0x55667788
        20..24 rtcp.mediassrc = 0x00000000
        24..28 rtcp.psfb.fir.fci.ssrc = 0x11223344
        28..29 rtcp.psfb.fir.fci.csn = 5
        29..32 rtcp.psfb.fir.fci.reserved = 0
      32..56 rtcp.packet
        32..33 rtcp.version = 2
        32..33 rtcp.padding = false
        32..33 rtcp.psfb.fmt = 15 (ALFB)
        33..34 rtcp.pt = 206 (payload-specific feedback)
        34..36 rtcp.length = 5
        36..40 rtcp.senderssrc = 0x55667788
        40..44 rtcp.mediassrc = 0x00000000
        44..48 rtcp.psfb.remb.identifier = "REMB"
        48..49 rtcp.psfb.remb.fci.number_ssrcs = 1
        49..52 rtcp.psfb.remb.fci.br_exp = 2
        49..52 rtcp.psfb.remb.fci.br_mantissa = 250000
        49..52 rtcp.psfb.remb.fci.bitrate = "1000000"
        52..56 rtcp.psfb.remb.fci.ssrc = 0x11223344
      56..76 rtcp.packet
        56..57 rtcp.version = 2
        56..57 rtcp.padding = false
        56..57 rtcp.rtpfb.fmt = 3 (TMMBR)
        57..58 rtcp.pt = 205 (transport feedback)
        58..60 rtcp.length = 4
        60..64 rtcp.senderssrc = 0x55667788
        64..68 rtcp.mediassrc = 0x00000000
        68..72 rtcp.rtpfb.tmmbr.fci.ssrc = 0x11223344
        72..76 rtcp.rtpfb.tmmbr.fci.exp = 3
        72..76 rtcp.rtpfb.tmmbr.fci.mantissa = 125000
        72..76 rtcp.rtpfb.tmmbr.fci.measuredoverhead = 40
        72..76 rtcp.rtpfb.tmmbr.fci.bitrate = "125000*2^3"
    "##);
}

#[test]
fn a_goodbye_has_a_reason_and_padding() {
    insta::assert_snapshot!(read(GOODBYE), @r##"
    rtcp 0..36 | application defined, goodbye | SSRC 0x11223344, GAME, later
      0..16 rtcp.packet
        0..1 rtcp.version = 2
        0..1 rtcp.padding = false
        0..1 rtcp.app.subtype = 5
        1..2 rtcp.pt = 204 (application defined)
        2..4 rtcp.length = 3
        4..8 rtcp.ssrc.identifier = 0x11223344
        8..12 rtcp.app.name = "GAME"
        12..16 rtcp.app.data = 01020304
      16..36 rtcp.packet
        16..17 rtcp.version = 2
        16..17 rtcp.padding = true
        16..17 rtcp.sc = 1
        17..18 rtcp.pt = 203 (goodbye)
        18..20 rtcp.length = 4
        20..24 rtcp.ssrc.identifier = 0x11223344
        24..25 rtcp.sdes.length = 5
        25..30 rtcp.sdes.text = "later"
        30..32 rtcp.sdes.padding = 0000
        32..35 rtcp.padding.data = 000000
        35..36 rtcp.padding.count = 4
    "##);
}

#[test]
fn blocks_of_extended_reports_are_listed() {
    insta::assert_snapshot!(read(EXTENDED_REPORT), @r#"
    rtcp 0..20 | extended report | SSRC 0x55667788, receiver reference time
      0..20 rtcp.packet
        0..1 rtcp.version = 2
        0..1 rtcp.padding = false
        0..1 rtcp.xr.reserved = 0
        1..2 rtcp.pt = 207 (extended report)
        2..4 rtcp.length = 4
        4..8 rtcp.senderssrc = 0x55667788
        8..9 rtcp.xr.bt = 4 (receiver reference time)
        9..10 rtcp.xr.bs = 0
        10..12 rtcp.xr.bl = 2
        12..20 rtcp.xr.timestamp = "Jul 23, 2019 19:47:47.500000000 UTC"
    "#);
}

#[test]
fn times_and_statistics_of_extended_reports_are_dissected() {
    let dlrr = "05000003 11111111 aaaa0000 00008000";
    let statistics = "06e80009 11111111 0001 0009 00000002 00000003 0000000a 00000014 0000000f 00000004 40404140";
    let other = "01000001 11111111";
    insta::assert_snapshot!(read(&format!("80cf0011 22222222 {dlrr} {statistics} {other}")), @"
    rtcp 0..72 | extended report | SSRC 0x22222222, DLRR, statistics summary, loss RLE
      0..72 rtcp.packet
        0..1 rtcp.version = 2
        0..1 rtcp.padding = false
        0..1 rtcp.xr.reserved = 0
        1..2 rtcp.pt = 207 (extended report)
        2..4 rtcp.length = 17
        4..8 rtcp.senderssrc = 0x22222222
        8..9 rtcp.xr.bt = 5 (DLRR)
        9..10 rtcp.xr.bs = 0
        10..12 rtcp.xr.bl = 3
        12..16 rtcp.ssrc.identifier = 0x11111111
        16..20 rtcp.xr.lrr = 2863267840
        20..24 rtcp.xr.dlrr = 32768
        24..25 rtcp.xr.bt = 6 (statistics summary)
        25..26 rtcp.xr.stats.lrflag = true
        25..26 rtcp.xr.stats.dupflag = true
        25..26 rtcp.xr.stats.jitterflag = true
        25..26 rtcp.xr.stats.ttl = 1 (IPv4)
        26..28 rtcp.xr.bl = 9
        28..32 rtcp.ssrc.identifier = 0x11111111
        32..34 rtcp.xr.beginseq = 1
        34..36 rtcp.xr.endseq = 9
        36..40 rtcp.xr.stats.lost = 2
        40..44 rtcp.xr.stats.dups = 3
        44..48 rtcp.xr.stats.minjitter = 10
        48..52 rtcp.xr.stats.maxjitter = 20
        52..56 rtcp.xr.stats.meanjitter = 15
        56..60 rtcp.xr.stats.devjitter = 4
        60..61 rtcp.xr.stats.minttl = 64
        61..62 rtcp.xr.stats.maxttl = 64
        62..63 rtcp.xr.stats.meanttl = 65
        63..64 rtcp.xr.stats.devttl = 64
        64..65 rtcp.xr.bt = 1 (loss RLE)
        65..66 rtcp.xr.bs = 0
        66..68 rtcp.xr.bl = 1
        68..72 rtcp.xr.content = 11111111
    ");
}

#[test]
fn only_packets_that_fill_the_datagram_are_recognized() {
    for hex in [REPORT, LOSSES, REQUESTS, GOODBYE, EXTENDED_REPORT] {
        let bytes = trial::bytes(hex);
        assert!(recognize(&bytes));
        assert!(!recognize(&[&bytes[..], &[0; 4]].concat()) && !recognize(&bytes[..bytes.len() - 1]));
    }
    let rtp = trial::bytes("80600000 00000000 00000000");
    let too_short_for_its_count = trial::bytes("82c90001 55667788");
    assert!(!recognize(&rtp) && !recognize(&too_short_for_its_count) && !recognize(&[]));
}

#[test]
fn a_run_of_packets_costs_no_memory_of_its_own() {
    // 65535 packets that were not received, in runs of 8191.
    let runs = "1fff".repeat(8) + "0007" + "0000";
    let tree = read(&format!("8fcd0009 55667788 11223344 0000 ffff 000000 00 {runs}"));
    assert!(!tree.contains("recv_delta =") && tree.contains("transport-cc"), "{tree}");
}

#[test]
fn encrypted_packets_are_recognized_by_their_index() {
    let cm = trial::bytes("80c90001 11223344 3c26e2627191282b4e53c968 80000001 b8313faad50eb26b05a5");
    let gcm = trial::bytes("80c90001 11223344 3c26e2627191282b4e53c968 b8313faad50eb26b05a5b8313faad50e 80000002");
    for bytes in [&cm, &gcm] {
        assert!(srtcp::recognize(bytes) && !recognize(bytes));
        let mut clear = bytes.clone();
        clear.iter_mut().filter(|byte| **byte == 0x80).skip(1).for_each(|byte| *byte = 0);
        assert!(!srtcp::recognize(&clear), "{clear:02x?}");
    }
    insta::assert_snapshot!(trial::read(&srtcp::PROTOCOL, &cm, Cut::No, srtcp::message), @r"
    srtcp 0..34 | receiver report | SSRC 0x11223344, encrypted
      0..1 rtcp.version = 2
      0..1 rtcp.padding = false
      0..1 rtcp.rc = 0
      1..2 rtcp.pt = 201 (receiver report)
      2..4 rtcp.length = 1
      4..8 rtcp.senderssrc = 0x11223344
      8..20 srtcp.encrypted_payload = 3c26e2627191282b4e53c968
      20..24 srtcp.e = true
      20..24 srtcp.index = 1
      24..34 srtcp.auth_tag = b8313faad50eb26b05a5
    ");
    insta::assert_snapshot!(trial::read(&srtcp::PROTOCOL, &gcm, Cut::No, srtcp::message), @r"
    srtcp 0..40 | receiver report | SSRC 0x11223344, encrypted
      0..1 rtcp.version = 2
      0..1 rtcp.padding = false
      0..1 rtcp.rc = 0
      1..2 rtcp.pt = 201 (receiver report)
      2..4 rtcp.length = 1
      4..8 rtcp.senderssrc = 0x11223344
      8..20 srtcp.encrypted_payload = 3c26e2627191282b4e53c968
      20..36 srtcp.auth_tag = b8313faad50eb26b05a5b8313faad50e
      36..40 srtcp.e = true
      36..40 srtcp.index = 2
    ");
}

#[test]
fn packets_cut_or_damaged_anywhere_are_dissected() {
    for hex in [REPORT, NAME, LOSSES, REQUESTS, GOODBYE, EXTENDED_REPORT] {
        let bytes = trial::bytes(hex);
        for length in 0..bytes.len() {
            trial::read(&PROTOCOL, &bytes[..length], Cut::Capture, compound);
            let mut damaged = bytes.clone();
            damaged[length] ^= 0xff;
            recognize(&damaged);
            trial::read(&PROTOCOL, &damaged, Cut::No, compound);
        }
    }
}
