//! Attacks on parts common to all protocols: streams, fragments, conversations, and very large trees.

use super::load::{ACK, C, CLIENT, LARGE, Load, PUSH, SERVER, SYN, Session, half, ip, tcp, udp, word};
use super::{Attack, Write};
use std::io;

pub fn all() -> Vec<Attack> {
    let list: &[(&str, &str, Write)] = &[
        ("fragments never completed", "ip", fragments_never_completed),
        ("fragments of one datagram", "ip", fragments_of_one_datagram),
        ("fragments of many parts", "ip", fragments_of_many_parts),
        ("fragments without bytes", "ip", fragments_without_bytes),
        ("fragments, then plain", "udp", fragments_then_plain),
        ("large fragments", "ip", large_fragments),
        ("segments in reverse", "tcp", segments_in_reverse),
        ("overlaps in reverse", "tcp", overlaps_in_reverse),
        ("wild sequence numbers", "tcp", wild_sequence_numbers),
        ("never acknowledged", "tcp", never_acknowledged),
        ("a hole in each stream", "tcp", a_hole_in_each_stream),
        ("connections", "tcp", connections),
        ("connections of one pair", "tcp", connections_of_one_pair),
        ("undecided streams", "tcp", undecided_streams),
        ("conversations", "udp", conversations),
        ("options with notes", "tcp.option_len.bad", options_with_notes),
        ("packets in packets", "ip", packets_in_packets),
        ("tags of networks", "vlan", tags_of_networks),
        ("holes in turn", "tcp", holes_in_turn),
        ("acknowledgments", "tcp", acknowledgments),
        ("one byte a segment", "tcp", one_byte_a_segment),
        ("extension headers", "ipv6", extension_headers),
    ];
    list.iter().map(Attack::of_frames).collect()
}

const MORE: u16 = 0x2000;

/// Pseudo-random numbers, equal in each run.
pub fn noise(number: u32) -> u32 {
    let mixed = number.wrapping_mul(0x9e37_79b9) ^ number.rotate_left(13);
    (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b)
}

fn id(load: &Load) -> u16 {
    half(load.next() as usize & 0xffff)
}

fn fragments_never_completed(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let round = half((load.next() >> 16) as usize % 100 + 1);
        load.add(&ip(17, [CLIENT, SERVER], id(load), MORE | round, &[0x7a; 8]))?;
    }
    Ok(())
}

fn fragments_of_one_datagram(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let place = half(8190 - load.next() as usize % 8180);
        load.add(&ip(17, [CLIENT, SERVER], 7, MORE | place, &[0x7a; 16]))?;
    }
    Ok(())
}

/// Eight datagrams at a time, each in fragments of eight bytes in reverse order.
fn fragments_of_many_parts(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next() as usize;
        let place = half(8190 - number / 8 % 8190);
        load.add(&ip(17, [CLIENT, SERVER], half(number / 65_520 * 8 + number % 8), MORE | place, &[0x7a; 8]))?;
    }
    Ok(())
}

fn fragments_without_bytes(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let src = (0x0b00_0000 + load.next()).to_be_bytes();
        load.add(&ip(17, [src, SERVER], 9, MORE | 5, &[]))?;
    }
    Ok(())
}

fn fragments_then_plain(load: &mut Load) -> io::Result<()> {
    let half_of_it = load.remaining() / 2;
    while load.remaining() > half_of_it {
        load.add(&ip(17, [CLIENT, SERVER], id(load), MORE | 1, &[0x7a; 8]))?;
    }
    while load.is_within_limit() {
        let port = half(1024 + load.next() as usize % 100);
        load.udp([port, 9], b"x")?;
    }
    Ok(())
}

fn large_fragments(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let place = half(load.next() as usize % 40 * 175);
        load.add(&ip(17, [CLIENT, SERVER], id(load), MORE | place, &[0x7a; 1400]))?;
    }
    Ok(())
}

fn segments_in_reverse(load: &mut Load) -> io::Result<()> {
    let count = word(load.remaining() / 57);
    let mut talk = Session::open(load, 80)?;
    for place in (0..count).rev() {
        talk.segment(C, 1000 + place, PUSH, b"a")?;
    }
    Ok(())
}

fn overlaps_in_reverse(load: &mut Load) -> io::Result<()> {
    let count = word(load.remaining() / 64);
    let mut talk = Session::open(load, 9999)?;
    for place in (0..count).rev() {
        talk.segment(C, 1001 + place * 4, PUSH, b"ABCDEFGH")?;
    }
    Ok(())
}

fn wild_sequence_numbers(load: &mut Load) -> io::Result<()> {
    let mut talk = Session::open(load, 9999)?;
    while talk.load.is_within_limit() {
        let seq = noise(talk.load.next());
        talk.segment(C, seq, PUSH, &[0x71; 20])?;
    }
    Ok(())
}

fn never_acknowledged(load: &mut Load) -> io::Result<()> {
    let mut talk = Session::open(load, 9999)?;
    while talk.load.is_within_limit() {
        let number = talk.load.next();
        let seq = 1000 + if number < 1500 { number * 10 } else { noise(number) % 1500 * 10 };
        talk.segment(C, seq, PUSH, &[0x78; 10])?;
    }
    Ok(())
}

fn a_hole_in_each_stream(load: &mut Load) -> io::Result<()> {
    let mut number: u32 = 0;
    while load.is_within_limit() {
        let port = half(1024 + number as usize % 60_000);
        load.add(&tcp([(0x0a00_0000 + number / 60_000).to_be_bytes(), SERVER], [port, 80], [1100, 1], PUSH, &[0x78; 100]))?;
        number += 1;
    }
    Ok(())
}

fn connections(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = noise(load.next());
        load.add(&tcp([number.to_be_bytes(), SERVER], [half(number as usize & 0xffff), 80], [number, 0], SYN, &[]))?;
    }
    Ok(())
}

fn connections_of_one_pair(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let seq = load.next().wrapping_mul(7919);
        load.add(&tcp([CLIENT, SERVER], [5000, 80], [seq, 0], SYN, &[]))?;
    }
    Ok(())
}

fn undecided_streams(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = noise(load.next());
        load.add(&tcp([number.to_be_bytes(), SERVER], [half(number as usize & 0xffff), 30_000], [1, 1], PUSH | ACK, &[0]))?;
    }
    Ok(())
}

fn conversations(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = noise(load.next());
        let ports = [half(number as usize & 0xffff), half(number as usize >> 16)];
        load.udp_from(number & 0xff_ffff, ports, b"\xff\xff\xff\xffTSource")?;
    }
    Ok(())
}

/// TCP options of length 1, each with a note.
fn options_with_notes(load: &mut Load) -> io::Result<()> {
    let mut segment = vec![0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, PUSH, 0, 0, 0, 0, 0, 0];
    segment.extend([2, 1].repeat(20));
    while load.is_within_limit() {
        load.add(&ip(6, [CLIENT, SERVER], 1, 0, &segment))?;
    }
    Ok(())
}

fn packets_in_packets(load: &mut Load) -> io::Result<()> {
    let mut packet = udp([CLIENT, SERVER], [1, 2], b"a");
    while packet.len() < LARGE {
        packet = ip(4, [CLIENT, SERVER], 1, 0, &packet);
    }
    while load.is_within_limit() {
        load.add(&packet)?;
    }
    Ok(())
}

/// VLAN tags inside VXLAN, which carries Ethernet frames here.
fn tags_of_networks(load: &mut Load) -> io::Result<()> {
    let mut frame = vec![8, 0, 0, 0, 0, 0, 1, 0];
    frame.extend([0; 12]);
    frame.extend([0x81, 0, 0, 1].repeat(15_000));
    frame.extend([8, 0]);
    frame.extend(udp([CLIENT, SERVER], [1, 2], b"a"));
    while load.is_within_limit() {
        load.udp([4789, 4789], &frame)?;
    }
    Ok(())
}

/// Very many streams with a hole, which get another segment in turn.
fn holes_in_turn(load: &mut Load) -> io::Result<()> {
    const STREAMS: u32 = 2000;
    while load.is_within_limit() {
        let (stream, round) = (load.next() % STREAMS, load.next() / STREAMS);
        let port = half(1024 + stream as usize);
        load.add(&tcp([CLIENT, SERVER], [port, 80], [1100 + round * 20, 1], PUSH, &[0x79; 10]))?;
    }
    Ok(())
}

fn acknowledgments(load: &mut Load) -> io::Result<()> {
    let mut talk = Session::open(load, 9999)?;
    while talk.load.is_within_limit() {
        let seq = 1000 + noise(talk.load.next()) % (1 << 20);
        talk.segment(C, seq, ACK, &[])?;
    }
    Ok(())
}

/// HTTP headers without an end.
fn one_byte_a_segment(load: &mut Load) -> io::Result<()> {
    let mut talk = Session::open(load, 80)?;
    talk.say(C, b"GET / HTTP/1.1\r\n")?;
    while talk.load.is_within_limit() {
        talk.say_in(C, 1, b"A: b\r\n")?;
    }
    Ok(())
}

/// A chain of IPv6 extension headers.
fn extension_headers(load: &mut Load) -> io::Result<()> {
    let mut headers = [0, 0, 1, 4, 0, 0, 0, 0].repeat(7000);
    headers.extend([59, 0, 0, 0, 0, 0, 0, 0]);
    let mut packet = 0x6000_0000_u32.to_be_bytes().to_vec();
    packet.extend(half(headers.len()).to_be_bytes());
    packet.extend([0, 64]);
    for last in [1, 2] {
        packet.extend([0; 15]);
        packet.push(last);
    }
    packet.extend(headers);
    while load.is_within_limit() {
        load.add(&packet)?;
    }
    Ok(())
}
