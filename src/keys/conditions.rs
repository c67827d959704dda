//! Conditions of a line: the ends, times and number of the conversations that it serves.

use super::ring::Owner;
use crate::tree::{StreamId, Timestamp, Transport};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The conversations that a line serves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Conditions {
    pub(super) pattern: Pattern,
    /// The first time, in nanoseconds since 1970.
    pub(super) from: Option<i128>,
    /// The time behind the last one.
    pub(super) until: Option<i128>,
}

/// Conditions that compare for equality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    pub(super) client: End,
    pub(super) server: End,
    pub(super) stream: Option<StreamId>,
}

/// One end of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum End {
    #[default]
    Any,
    /// Any port of an address.
    Ip(IpAddr),
    /// An address and a port.
    Socket(IpAddr, u16),
}

/// Names of conditions.
pub(super) const NAMES: [&str; 5] = ["client", "server", "from", "until", "stream"];

impl Conditions {
    pub(super) fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        let twice = || Err(format!("{name}= is there twice"));
        match name {
            "client" | "server" => {
                let is_client = name == "client";
                let end = if is_client { &mut self.pattern.client } else { &mut self.pattern.server };
                if *end != End::Any {
                    return twice();
                }
                *end = self::end(value).map_err(|expected| format!("{name}=: {expected}"))?;
            }
            "from" | "until" => {
                let time = if name == "from" { &mut self.from } else { &mut self.until };
                if time.is_some() {
                    return twice();
                }
                *time = Some(self::time(value).ok_or_else(|| format!("{name}=: {TIMES}"))?);
            }
            _ => {
                if self.pattern.stream.is_some() {
                    return twice();
                }
                self.pattern.stream = Some(stream(value).ok_or_else(|| format!("{name}=: {STREAMS}"))?);
            }
        }
        match (self.from, self.until) {
            (Some(from), Some(until)) if until <= from => Err("until= is not after from=".to_owned()),
            _ => Ok(()),
        }
    }
}

impl Pattern {
    /// Every pattern that the owner matches.
    pub(super) fn of(owner: &Owner) -> impl Iterator<Item = Pattern> {
        let [clients, servers] = match owner.ends {
            Some([client, server]) => [ends(client), ends(server)],
            None => [[Some(End::Any), None, None]; 2],
        };
        let streams = [None, Some(owner.stream)];
        clients.into_iter().flatten().flat_map(move |client| {
            servers.into_iter().flatten().flat_map(move |server| streams.map(|stream| Pattern { client, server, stream }))
        })
    }
}

/// The ends that a socket matches.
fn ends(socket: SocketAddr) -> [Option<End>; 3] {
    [Some(End::Any), Some(End::Ip(socket.ip())), Some(End::Socket(socket.ip(), socket.port()))]
}

/// Nanoseconds since 1970.
pub(super) fn nanos(time: Timestamp) -> i128 {
    i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos)
}

const ADDRESSES: &str = "expected an address such as 192.0.2.1, 192.0.2.1:25565 or [2001:db8::1]:25565";
const TIMES: &str = "expected a time such as 2026-01-05T20:00:00Z or seconds since 1970 such as 1767643200.5";
const STREAMS: &str = "expected a conversation such as tcp/3";

fn end(text: &str) -> Result<End, &'static str> {
    let port = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse::<u16>().ok()).flatten();
    if let Some(bracketed) = text.strip_prefix('[') {
        let (ip, behind) = bracketed.split_once(']').ok_or(ADDRESSES)?;
        let ip = IpAddr::V6(ip.parse().map_err(|_| ADDRESSES)?);
        return match behind.strip_prefix(':') {
            Some(digits) => Ok(End::Socket(ip, port(digits).ok_or(ADDRESSES)?)),
            None if behind.is_empty() => Ok(End::Ip(ip)),
            None => Err(ADDRESSES),
        };
    }
    if text.parse::<Ipv6Addr>().is_ok() {
        return Err("expected brackets around an IPv6 address: [2001:db8::1]");
    }
    match text.split_once(':') {
        Some((ip, digits)) => Ok(End::Socket(IpAddr::V4(ip.parse().map_err(|_| ADDRESSES)?), port(digits).ok_or(ADDRESSES)?)),
        None => Ok(End::Ip(IpAddr::V4(text.parse().map_err(|_| ADDRESSES)?))),
    }
}

/// A time as RFC 3339 writes it, or seconds since 1970 with a fraction.
fn time(text: &str) -> Option<i128> {
    if let Some(seconds) = seconds(text) {
        return Some(seconds);
    }
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_nanosecond)
}

fn seconds(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || whole.is_empty() || text.ends_with('.') {
        return None;
    }
    let nanos: i128 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let whole: u64 = whole.parse().ok()?;
    Some(i128::from(whole) * 1_000_000_000 + nanos)
}

fn stream(text: &str) -> Option<StreamId> {
    let (word, digits) = text.split_once('/')?;
    let all = [Transport::Tcp, Transport::Udp, Transport::Sctp, Transport::Usb];
    let transport = all.into_iter().find(|transport| transport.word() == word)?;
    let number = digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some(StreamId { transport, number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_have_an_optional_port_and_ipv6_stands_in_brackets() {
        let v4 = IpAddr::from([192, 0, 2, 1]);
        let v6: IpAddr = "2001:db8::1".parse().unwrap();
        assert_eq!(end("192.0.2.1"), Ok(End::Ip(v4)));
        assert_eq!(end("192.0.2.1:25565"), Ok(End::Socket(v4, 25565)));
        assert_eq!(end("[2001:db8::1]"), Ok(End::Ip(v6)));
        assert_eq!(end("[2001:DB8:0::1]:25565"), Ok(End::Socket(v6, 25565)));
        assert!(end("2001:db8::1").unwrap_err().contains("brackets"));
        for wrong in ["", "192.0.2", "192.0.2.1:", "192.0.2.1:65536", "192.0.2.1:+1", "[::1", "[::1]1", "[192.0.2.1]", "host:1"] {
            assert_eq!(end(wrong), Err(ADDRESSES), "{wrong}");
        }
    }

    #[test]
    fn times_are_rfc_3339_or_seconds_with_a_fraction() {
        let second = 1_000_000_000;
        assert_eq!(time("2023-11-14T22:13:20.5Z"), Some(1_700_000_000 * second + second / 2));
        assert_eq!(time("2023-11-15T00:13:20+02:00"), Some(1_700_000_000 * second));
        assert_eq!(time("1700000000"), Some(1_700_000_000 * second));
        assert_eq!(time("1700000000.000000001"), Some(1_700_000_000 * second + 1));
        assert_eq!(time("0.1234567899"), Some(123_456_789));
        for wrong in ["", "yesterday", "2023-11-14T22:13:20", "2023-11-14", "1.", ".5", "1e9", "1.5x", "99999999999999999999999"]
        {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_stream_is_its_transport_and_number() {
        assert_eq!(stream("tcp/3"), Some(StreamId { transport: Transport::Tcp, number: 3 }));
        assert_eq!(stream("udp/0"), Some(StreamId { transport: Transport::Udp, number: 0 }));
        for wrong in ["3", "tcp/", "tcp/x", "tcp/+3", "tcp/4294967296", "ip/3"] {
            assert_eq!(stream(wrong), None, "{wrong}");
        }
    }
}
