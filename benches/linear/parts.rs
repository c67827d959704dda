//! Attacks on messages in parts, on nesting, and on lists without an end, in protocols over UDP, TCP and SCTP.

use super::load::{C, CLIENT, LARGE, Load, SERVER, Session, half, ip, word};
use super::{Attack, Write};
use bzip2::Compression;
use bzip2::write::BzEncoder;
use std::io::{self, Write as _};

pub fn all() -> Vec<Attack> {
    let list: &[(&str, &str, Write)] = &[
        ("dtls fragments", "dtls.handshake.fragment.evicted", dtls_fragments),
        ("dtls messages in fragments", "dtls.handshake.fragment.evicted", dtls_messages),
        ("dtls records", "dtls", dtls_records),
        ("sctp holes", "sctp", sctp_holes),
        ("sctp fragments in reverse", "sctp", sctp_fragments),
        ("sctp streams", "dissect.evicted", sctp_streams),
        ("sctp associations begun anew", "sctp", sctp_associations),
        ("sctp chunks", "sctp", sctp_chunks),
        ("rtcp reports", "rtcp", rtcp_reports),
        ("stun attributes", "stun", stun_attributes),
        ("stun channels", "dissect.evicted", stun_channels),
        ("enet fragments", "enet.fragments_missing", enet_fragments),
        ("litenetlib parts", "litenetlib.parts_missing", litenetlib_parts),
        ("litenetlib packets in packets", "litenetlib", litenetlib_packets),
        ("hazel messages", "hazel", hazel_messages),
        ("a2s parts", "a2s.parts_missing", a2s_parts),
        ("a2s bzip2", "a2s", a2s_bzip2),
        ("bt-dht lists", "bt-dht", dht_lists),
        ("radius attributes", "radius", radius_attributes),
        ("isakmp payloads", "isakmp", isakmp_payloads),
        ("ospf neighbors", "ospf", ospf_neighbors),
        ("ldap filters", "ldap", ldap_filters),
        ("mongodb documents", "mongo", mongodb_documents),
        ("bgp routes", "bgp", bgp_routes),
        ("smb2 commands", "smb2", smb2_commands),
        ("dcerpc contexts", "dcerpc", dcerpc_contexts),
        ("kerberos sequences", "kerberos", kerberos_sequences),
    ];
    list.iter().map(Attack::of_frames).collect()
}

/// Bytes of a datagram that many small messages share.
const DATAGRAM: usize = 1300;

/// The low three bytes of a number.
fn three(number: u32) -> [u8; 3] {
    let [_, a, b, c] = number.to_be_bytes();
    [a, b, c]
}

/// Datagrams of as many units as fit, behind the same first bytes. Units are numbered.
fn fill(load: &mut Load, ports: [u16; 2], head: &[u8], mut unit: impl FnMut(u32) -> Vec<u8>) -> io::Result<()> {
    let mut number = 0;
    while load.is_within_limit() {
        let mut datagram = head.to_vec();
        while datagram.len() < DATAGRAM {
            datagram.extend(unit(number));
            number += 1;
        }
        load.udp(ports, &datagram)?;
    }
    Ok(())
}

fn again(load: &mut Load, ports: [u16; 2], datagram: &[u8]) -> io::Result<()> {
    while load.is_within_limit() {
        load.udp(ports, datagram)?;
    }
    Ok(())
}

/// A record with a byte of a handshake message.
fn dtls_fragment(number: u32, message: u16, offset: u32) -> Vec<u8> {
    let head = [b"\x16\xfe\xfd\0\0\0\0".to_vec(), number.to_be_bytes().to_vec(), b"\0\x0d\x0b\0\xff\xff".to_vec()].concat();
    [&head[..], &message.to_be_bytes(), &three(offset), &three(1), b"a"].concat()
}

fn dtls_fragments(load: &mut Load) -> io::Result<()> {
    fill(load, [50_000, 4433], &[], |number| dtls_fragment(number, 1, 60_000 - number % 30_000 * 2))
}

fn dtls_messages(load: &mut Load) -> io::Result<()> {
    fill(load, [50_000, 4433], &[], |number| dtls_fragment(number, half(number as usize & 0xffff), 7))
}

fn dtls_records(load: &mut Load) -> io::Result<()> {
    fill(load, [50_000, 4433], &[], |number| [b"\x17\xfe\xfd\0\x01\0\0", &number.to_be_bytes()[..], b"\0\x01a"].concat())
}

/// SCTP packets of as many chunks as fit.
fn sctp(load: &mut Load, mut chunk: impl FnMut(u32) -> Vec<u8>) -> io::Result<()> {
    let mut number = 0;
    while load.is_within_limit() {
        let mut packet = b"\x0f\xa0\0\x50\0\0\0\x07\0\0\0\0".to_vec();
        while packet.len() < DATAGRAM {
            packet.extend(chunk(number));
            number += 1;
        }
        load.add(&ip(132, [CLIENT, SERVER], 1, 0, &packet))?;
    }
    Ok(())
}

/// A DATA chunk with four bytes.
fn sctp_data(flags: u8, tsn: u32, sid: u16, ssn: u16) -> Vec<u8> {
    [&[0, flags, 0, 20][..], &tsn.to_be_bytes(), &sid.to_be_bytes(), &ssn.to_be_bytes(), &[0; 4], b"abcd"].concat()
}

const WHOLE: u8 = 3;
const MIDDLE: u8 = 0;

fn sctp_holes(load: &mut Load) -> io::Result<()> {
    sctp(load, |number| sctp_data(WHOLE, number.wrapping_mul(2), 0, half((number as usize * 2) & 0xffff)))
}

fn sctp_fragments(load: &mut Load) -> io::Result<()> {
    sctp(load, |number| sctp_data(MIDDLE, u32::MAX - number, 0, 0))
}

fn sctp_streams(load: &mut Load) -> io::Result<()> {
    sctp(load, |number| sctp_data(WHOLE, number, half(number as usize & 0xffff), 0))
}

fn sctp_associations(load: &mut Load) -> io::Result<()> {
    sctp(load, |number| {
        let init = [&[1, 0, 0, 20, 0, 0, 0, 9, 0, 1, 0, 0, 0, 10, 0, 10][..], &number.to_be_bytes()].concat();
        [init, sctp_data(MIDDLE, number + 5, 0, 0)].concat()
    })
}

fn sctp_chunks(load: &mut Load) -> io::Result<()> {
    sctp(load, |_| vec![10, 0, 0, 4])
}

fn rtcp_reports(load: &mut Load) -> io::Result<()> {
    fill(load, [5005, 5005], b"\x80\xc9\0\x01abcd", |_| b"\x81\xca\0\x02abcd\x01\x01a\0".to_vec())
}

fn stun(kind: u16, id: u32, attributes: &[u8]) -> Vec<u8> {
    let head = [kind.to_be_bytes(), half(attributes.len()).to_be_bytes()].concat();
    [&head[..], b"\x21\x12\xa4\x42abcdefgh", &id.to_be_bytes(), attributes].concat()
}

fn stun_attributes(load: &mut Load) -> io::Result<()> {
    again(load, [50_000, 3478], &stun(1, 0, &b"\x80\x22\0\0".repeat(LARGE / 4)))
}

fn stun_channels(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next();
        let channel = [b"\0\x0c\0\x04", &(0x4000 | number & 0xfff).to_be_bytes()[2..], &[0, 0]].concat();
        load.udp([50_000, 3478], &stun(9, number, &channel))?;
    }
    Ok(())
}

fn enet_fragments(load: &mut Load) -> io::Result<()> {
    let connects = b"\x8f\xff\x12\x34\x82\xff\0\x01\0\0\xff\xff\0\0\x05\x78\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\x13\x88\0\0\0\x02\0\0\0\x02\
                     \0\0\0\x07\0\0\0\0";
    load.udp([50_000, 7000], connects)?;
    fill(load, [50_000, 7000], &[0, 3], |number| {
        let first = half(number as usize & 0xffff).to_be_bytes();
        [b"\x88\0", &first[..], &first, b"\0\x01\0\0\x1f\x40\0\0\0\x01\0\0\x1f\x40\0\0\0\x01a"].concat()
    })
}

/// The connect request of LiteNetLib.
fn litenetlib(load: &mut Load) -> io::Result<()> {
    let connects = b"\x05\x0b\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08\x10\x02\0\x23\x83\xcb\0\x71\x50\0\0\0\0\0\0\0\0\x04\0key1";
    load.udp([50_000, 9050], connects)
}

fn litenetlib_parts(load: &mut Load) -> io::Result<()> {
    litenetlib(load)?;
    while load.is_within_limit() {
        let [low, high, ..] = load.next().to_le_bytes();
        load.udp([50_000, 9050], &[0x81, low, high, 0, low, high, 1, 0, 0x40, 0x1f, b'a'])?;
    }
    Ok(())
}

/// Packets in packets, and many side by side.
fn litenetlib_packets(load: &mut Load) -> io::Result<()> {
    litenetlib(load)?;
    let mut packet = [&[12][..], &b"\x03\0\x03\x01\0".repeat(5000)].concat();
    for _ in 0..5000 {
        let [low, high] = half(packet.len()).to_le_bytes();
        packet.splice(0..0, [12, low, high]);
    }
    again(load, [50_000, 9050], &packet)
}

fn hazel_messages(load: &mut Load) -> io::Result<()> {
    again(load, [50_000, 22_023], &[b"\x01\0\x01".to_vec(), b"\0\0\x05".repeat(LARGE / 3)].concat())
}

/// The request that parts answer.
fn a2s(load: &mut Load) -> io::Result<()> {
    load.udp([50_000, 27_015], b"\xff\xff\xff\xffV\x0b\x1c\x2d\x3e")
}

fn a2s_parts(load: &mut Load) -> io::Result<()> {
    a2s(load)?;
    while load.is_within_limit() {
        let id = load.next() & 0x7fff_ffff;
        load.udp([50_000, 27_015], &[b"\xfe\xff\xff\xff", &id.to_le_bytes()[..], b"\x32\0\xe0\x04rest"].concat())?;
    }
    Ok(())
}

/// A mebibyte of zeros in each datagram.
fn a2s_bzip2(load: &mut Load) -> io::Result<()> {
    const ZEROS: usize = 1 << 20;
    let mut packed = BzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![0; ZEROS])?;
    let packed = packed.finish()?;
    let size = word(ZEROS).to_le_bytes();
    a2s(load)?;
    while load.is_within_limit() {
        let id = load.next() | 1 << 31;
        load.udp(
            [50_000, 27_015],
            &[b"\xfe\xff\xff\xff", &id.to_le_bytes()[..], b"\x01\0\xe0\x04", &size, &[0; 4], &packed].concat(),
        )?;
    }
    Ok(())
}

fn dht_lists(load: &mut Load) -> io::Result<()> {
    let lists = [b"l".to_vec(), b"le".repeat(LARGE / 2), b"e".to_vec()].concat();
    let query = [b"d1:ad2:id20:abcdefghij01234567891:x".to_vec(), lists, b"e1:q4:ping1:t2:aa1:y1:qe".to_vec()].concat();
    again(load, [50_000, 6881], &query)
}

fn radius_attributes(load: &mut Load) -> io::Result<()> {
    let attributes = b"\x01\x02".repeat(2000);
    let head = [b"\x01\x07".to_vec(), half(20 + attributes.len()).to_be_bytes().to_vec(), vec![7; 16]].concat();
    again(load, [50_000, 1812], &[head, attributes].concat())
}

fn isakmp_payloads(load: &mut Load) -> io::Result<()> {
    let payloads = b"\x0a\0\0\x04".repeat(LARGE / 4);
    let head = [b"abcdefgh\0\0\0\0\0\0\0\0\x0a\x10\x02\0\0\0\0\0".to_vec(), word(28 + payloads.len()).to_be_bytes().to_vec()];
    again(load, [500, 500], &[head.concat(), payloads].concat())
}

fn ospf_neighbors(load: &mut Load) -> io::Result<()> {
    let neighbors = b"\x0a\0\0\x01".repeat(LARGE / 4);
    let head = [b"\x02\x01".to_vec(), half(44 + neighbors.len()).to_be_bytes().to_vec(), vec![0; 40]].concat();
    while load.is_within_limit() {
        load.add(&ip(89, [CLIENT, SERVER], 1, 0, &[&head[..], &neighbors].concat()))?;
    }
    Ok(())
}

/// A BER value with a length of four bytes.
fn ber(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, 0x84][..], &word(content.len()).to_be_bytes(), content].concat()
}

/// A message of a stream again and again.
fn stream(load: &mut Load, port: u16, first: &[u8], message: &[u8]) -> io::Result<()> {
    let mut talk = Session::open(load, port)?;
    talk.say(C, first)?;
    talk.repeat(C, LARGE, message)
}

/// Values in values, up to a message of this size.
fn nested(tag: u8, size: usize) -> Vec<u8> {
    let mut lengths = Vec::new();
    let mut length = 2;
    while length < size {
        lengths.push(length);
        length += 6;
    }
    let heads = lengths.iter().rev().flat_map(|length| [&[tag, 0x84][..], &word(*length).to_be_bytes()].concat());
    heads.chain(*b"\x87\0").collect()
}

fn ldap_filters(load: &mut Load) -> io::Result<()> {
    let search =
        [b"\x04\0\x0a\x01\x02\x0a\x01\0\x02\x01\0\x02\x01\0\x01\x01\0".to_vec(), nested(0xa2, LARGE), b"0\0".to_vec()].concat();
    stream(load, 389, b"", &ber(0x30, &[b"\x02\x01\x01".to_vec(), ber(0x63, &search)].concat()))
}

fn kerberos_sequences(load: &mut Load) -> io::Result<()> {
    again(
        load,
        [50_000, 88],
        &ber(0x6a, &ber(0x30, &[&b"\xa1\x03\x02\x01\x05\xa2\x03\x02\x01\x0a"[..], &nested(0xa3, LARGE / 2)].concat())),
    )
}

fn mongodb_documents(load: &mut Load) -> io::Result<()> {
    let mut lengths = Vec::new();
    let mut length = 5;
    while length < LARGE {
        lengths.push(length);
        length += 8;
    }
    let heads = lengths.iter().rev().enumerate().flat_map(|(depth, length)| {
        let name: &[u8] = if depth == 0 { b"" } else { b"\x03a\0" };
        [name, &word(*length).to_le_bytes()].concat()
    });
    let ends = vec![0; lengths.len()];
    let document: Vec<u8> = heads.chain(ends).collect();
    let message = [b"\x01\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0".to_vec(), document].concat();
    stream(load, 27_017, b"", &[word(message.len() + 4).to_le_bytes().to_vec(), message].concat())
}

fn bgp_routes(load: &mut Load) -> io::Result<()> {
    let routes = b"\x00".repeat(4000);
    let body = [half(routes.len()).to_be_bytes().to_vec(), routes, vec![0; 2]].concat();
    stream(load, 179, b"", &[&[0xff; 16][..], &half(19 + body.len()).to_be_bytes(), &[2], &body].concat())
}

/// Echo requests, one behind another in a message.
fn smb2_commands(load: &mut Load) -> io::Result<()> {
    let head = b"\xfeSMB\x40\0\0\0\0\0\0\0\x0d\0\x01\0\0\0\0\0\x48\0\0\0";
    let command = [&head[..], &[0; 40], b"\x04\0\0\0\0\0\0\0"].concat();
    let mut commands = command.repeat(800);
    let last = commands.len() - command.len() + 20;
    commands.iter_mut().skip(last).take(4).for_each(|byte| *byte = 0);
    stream(load, 445, b"", &[word(commands.len()).to_be_bytes().to_vec(), commands].concat())
}

/// Bindings, each of as many contexts as a message can name.
fn dcerpc_contexts(load: &mut Load) -> io::Result<()> {
    let mut body = b"\xd0\x16\xd0\x16\0\0\0\0\xff\0\0\0".to_vec();
    for number in 0..255 {
        body.extend([number, 1, 1, 0]);
        body.extend([number; 40]);
    }
    let head =
        [b"\x05\0\x0b\x03\x10\0\0\0".to_vec(), half(16 + body.len()).to_le_bytes().to_vec(), vec![0, 0, 7, 0, 0, 0]].concat();
    stream(load, 135, b"", &[head, body].concat())
}
