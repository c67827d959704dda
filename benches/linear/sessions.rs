//! Attacks on the state of protocols over datagrams: identifiers, epochs, handshakes, announcements and pending requests.

use super::attacks::noise;
use super::load::{Load, half};
use super::{Attack, Kind, Write};
use std::io;

pub fn all() -> Vec<Attack> {
    let list: &[(&str, &str, Write)] = &[
        ("wireguard sessions", "dissect.evicted", wireguard_sessions),
        ("wireguard receivers", "wg", wireguard_receivers),
        ("unreal handshakes", "unreal", unreal_handshakes),
        ("quake games", "quakeworld", quake_games),
        ("quake acceptances", "quake", quake_acceptances),
        ("dtls epochs", "dtls", dtls_epochs),
        ("dtls acknowledgments", "dtls", dtls_acknowledgments),
        ("kerberos requests", "dissect.evicted", kerberos_requests),
        ("kerberos responses", "kerberos", kerberos_responses),
    ];
    let handshakes = Attack {
        name: "eapol handshakes".to_owned(),
        shows: "eapol",
        kind: Kind::Frames(ETHERNET),
        views: super::VIEWS,
        write: Box::new(eapol_handshakes),
    };
    list.iter().map(Attack::of_frames).chain([handshakes]).collect()
}

/// Link type of Ethernet.
const ETHERNET: u32 = 1;

const WIREGUARD: u16 = 51_820;

/// A message of WireGuard, with these identifiers.
fn wireguard(kind: u8, identifiers: &[u32], size: usize) -> Vec<u8> {
    let mut message = vec![kind, 0, 0, 0];
    message.extend(identifiers.iter().flat_map(|id| id.to_le_bytes()));
    message.resize(size, 0x7a);
    message
}

/// Initiations without a response, each of another session.
fn wireguard_sessions(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let message = wireguard(1, &[noise(load.next())], 148);
        load.udp([WIREGUARD, WIREGUARD], &message)?;
    }
    Ok(())
}

/// Handshakes of very many hosts, and data for sessions that are none of theirs.
fn wireguard_receivers(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let id = load.next();
        load.udp_from(id / 8, [40_000, 40_000], &wireguard(1, &[id], 148))?;
        load.udp_from(id / 8, [40_000, 40_000], &wireguard(2, &[id + 1, id], 92))?;
        load.udp_from(id / 8, [40_000, 40_000], &wireguard(4, &[noise(id), 0, 0], 48))?;
    }
    Ok(())
}

/// An initial packet and a challenge of each of very many hosts.
fn unreal_handshakes(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next();
        let [time, cookie] = if number % 2 == 1 { [noise(number), number] } else { [0, 0] };
        // Handshake, restart and secret ID are the bits before the timestamp.
        let head = u128::from(f64::from(time >> 8).to_bits()) << 3 | 1;
        let head = head.to_le_bytes();
        let packet = [&head[..12], &cookie.to_le_bytes(), &[0; 12], &[8]].concat();
        load.udp_from(number / 2, [50_000, 7777], &packet)?;
    }
    Ok(())
}

/// Game packets with sequence numbers in any order.
fn quake_games(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next();
        let [sequence, acknowledged] = [noise(number) >> 9 | 1, noise(!number) >> 9];
        let packet = [&sequence.to_le_bytes()[..], &acknowledged.to_le_bytes(), b"\x61\x1e"].concat();
        load.udp_from(number % 1000, [27_001, 27_500], &packet)?;
    }
    Ok(())
}

/// Acceptances that announce a game on each port of very many servers.
fn quake_acceptances(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next();
        let packet = [&b"\x80\0\0\x09\x81"[..], &(number & 0xffff).to_le_bytes()].concat();
        load.udp_from(number >> 4, [26_000, 50_000], &packet)?;
    }
    Ok(())
}

/// A record of DTLS without encryption.
fn record(kind: u8, number: u32, content: &[u8]) -> Vec<u8> {
    let mut record = vec![kind, 0xfe, 0xfd, 0, 0, 0, 0];
    record.extend(number.to_be_bytes());
    record.extend(half(content.len()).to_be_bytes());
    record.extend(content);
    record
}

/// A ServerHello that chooses DTLS 1.3.
fn hello_1_3() -> Vec<u8> {
    let body = [&b"\xfe\xfd"[..], &[0x52; 32], b"\0\x13\x01\0\0\x06\0\x2b\0\x02\xfe\xfc"].concat();
    let length = u8::try_from(body.len()).unwrap_or_default();
    record(22, 0, &[&[2, 0, 0, length, 0, 0, 0, 0, 0, 0, 0, length], &body[..]].concat())
}

const DTLS: [u16; 2] = [4433, 40_000];

/// Encrypted records of DTLS 1.3 without keys, in each epoch in turn, with connection IDs in some.
fn dtls_epochs(load: &mut Load) -> io::Result<()> {
    load.udp(DTLS, &hello_1_3())?;
    while load.is_within_limit() {
        let number = load.next();
        let head = 0x2c | noise(number).to_be_bytes()[2] & 0x13;
        let mut datagram = vec![head];
        datagram.extend(half(number as usize & 0xffff).to_be_bytes());
        datagram.extend([0, 20]);
        datagram.extend([0x7a; 20]);
        load.udp(DTLS, &datagram)?;
    }
    Ok(())
}

/// Acknowledgments of as many records as fit into one.
fn dtls_acknowledgments(load: &mut Load) -> io::Result<()> {
    const RECORDS: usize = 1000;
    load.udp(DTLS, &hello_1_3())?;
    let mut content = half(RECORDS * 16).to_be_bytes().to_vec();
    content.extend(b"\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x07".repeat(RECORDS));
    while load.is_within_limit() {
        let datagram = record(26, load.next(), &content).repeat(4);
        load.udp(DTLS, &datagram)?;
    }
    Ok(())
}

/// Requests for tickets without a response.
fn kerberos_requests(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        load.udp([40_000, 88], b"\x6a\x02\x30\0")?;
    }
    Ok(())
}

/// More requests than are kept, then their responses, again and again.
fn kerberos_responses(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        for _ in 0..2000 {
            load.udp([40_000, 88], b"\x6c\x02\x30\0")?;
        }
        for _ in 0..2000 {
            load.udp([88, 40_000], b"\x6d\x02\x30\0")?;
        }
    }
    Ok(())
}

/// First messages of the four-way handshakes of very many stations.
fn eapol_handshakes(load: &mut Load) -> io::Result<()> {
    const BODY: usize = 95;
    while load.is_within_limit() {
        let number = load.next();
        let mut frame = [&b"\x02\0\0\0\0\x01\x02\0"[..], &number.to_be_bytes(), b"\x88\x8e\x02\x03"].concat();
        frame.extend(half(BODY).to_be_bytes());
        frame.extend(b"\x02\0\x8a\0\x10\0\0\0\0");
        frame.extend(number.to_be_bytes());
        frame.resize(14 + 4 + BODY, 0);
        load.add(&frame)?;
    }
    Ok(())
}
