//! Attacks on statistics that have a row for each value: hosts, addresses, requests, calls, logins.

use super::load::{C, Load, S, Session, half};
use super::{Attack, View, Write};
use std::io;

/// Rows for each value, of as many values as the input has.
static VIEWS: &[View] = &[
    ("-z http_req,tree …", &["stats", "-z", "http_req,tree", "-z", "http_srv,tree", "-z", "http,tree", "-z", "rtsp,tree"], MOST),
    ("-z dests,tree …", &["stats", "-z", "ip_hosts,tree", "-z", "ip_srcdst,tree", "-z", "ptype,tree", "-z", "dests,tree"], MOST),
    ("-z sip,stat …", &["stats", "-z", "sip,stat", "-z", "dhcp,stat", "-z", "smb2,srt", "-z", "icmp,srt"], MOST),
    ("-z flow,any …", &["stats", "-z", "flow,any,network", "-z", "credentials"], MOST),
];

/// Limit of resident memory in KiB.
const MOST: u64 = 96 << 10;

pub fn all() -> Vec<Attack> {
    let list: &[(&str, &str, Write)] = &[
        ("statistics of requests", "http", requests),
        ("statistics of addresses", "udp", addresses),
        ("statistics of calls", "sip", calls),
        ("statistics of logins", "ftp", logins),
    ];
    list.iter().map(|attack| Attack { views: VIEWS, ..Attack::of_frames(attack) }).collect()
}

fn requests(load: &mut Load) -> io::Result<()> {
    let size = load.remaining();
    let mut talk = Session::open(load, 80)?;
    for number in 0..size / 200 {
        let request = format!("GET /{number} HTTP/1.1\r\nHost: host{number}.example\r\n\r\n");
        talk.say(C, request.as_bytes())?;
        talk.say(S, b"HTTP/1.1 204 No Content\r\n\r\n")?;
    }
    Ok(())
}

fn addresses(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next();
        load.udp_from(number, [half(number as usize & 0xffff), half(40_000 + number as usize % 9000)], b"x")?;
    }
    Ok(())
}

fn calls(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next();
        let answer = format!(
            "SIP/2.0 {} word{number}\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK{number}\r\nCall-ID: {number}\r\nCSeq: 1 INVITE\r\n\r\n",
            100 + number % 600
        );
        load.udp([5060, 5060], answer.as_bytes())?;
    }
    Ok(())
}

fn logins(load: &mut Load) -> io::Result<()> {
    let size = load.remaining();
    let mut talk = Session::open(load, 21)?;
    talk.say(S, b"220 ready\r\n")?;
    for number in 0..size / 240 {
        talk.say(C, format!("USER user{number}\r\n").as_bytes())?;
        talk.say(S, b"331 password\r\n")?;
        talk.say(C, format!("PASS word{number}\r\n").as_bytes())?;
        talk.say(S, b"530 no\r\n")?;
    }
    Ok(())
}
