//! SDP (RFC 8866): descriptions of media sessions inside other protocols.
//!
//! ```text
//! line        type = value line end
//! c=          IN IP4 address      for the following media, or for all
//! m=          media port protocol formats
//! ```
//! The transport addresses of RTP media are announced, so that their datagrams are recognized.

use super::lines;
use crate::tree::{Field, Transport, fields};
use crate::wire::{Error, Protocol, Result, Wire};
use std::net::{IpAddr, SocketAddr};

pub static PROTOCOL: Protocol = Protocol::new(&SDP, FIELDS);

fields! {
    SDP = protocol("sdp", "SDP", "Session Description Protocol, inside other protocols")
        .covers("All lines; announced RTP media");
    VERSION = text("sdp.version", "version", "v=");
    OWNER = text("sdp.owner", "owner", "o=: originator and session identifier");
    NAME = text("sdp.session_name", "session name", "s=");
    INFO = text("sdp.session_info", "session information", "i=");
    URI = text("sdp.uri", "URI of description", "u=");
    EMAIL = text("sdp.email", "email address", "e=");
    PHONE = text("sdp.phone", "phone number", "p=");
    CONNECTION = text("sdp.connection_info", "connection information", "c=: address that receives the media");
    BANDWIDTH = text("sdp.bandwidth", "bandwidth information", "b=: modifier and kilobits per second");
    TIME = text("sdp.time", "time description", "t=: start and stop of the session");
    REPEAT = text("sdp.repeat_time", "repeat time", "r=");
    ZONE = text("sdp.timezone", "time zone adjustments", "z=");
    KEY = text("sdp.encryption_key", "encryption key", "k=").secret();
    ATTRIBUTE = text("sdp.session_attr", "attribute", "a=");
    MEDIA = text("sdp.media", "media description", "m=: type, port, protocol, formats");
    OTHER = text("sdp.unknown", "unknown line", "");
}

fn field(letter: Option<&u8>) -> &'static Field {
    match letter {
        Some(b'v') => &VERSION,
        Some(b'o') => &OWNER,
        Some(b's') => &NAME,
        Some(b'i') => &INFO,
        Some(b'u') => &URI,
        Some(b'e') => &EMAIL,
        Some(b'p') => &PHONE,
        Some(b'c') => &CONNECTION,
        Some(b'b') => &BANDWIDTH,
        Some(b't') => &TIME,
        Some(b'r') => &REPEAT,
        Some(b'z') => &ZONE,
        Some(b'k') => &KEY,
        Some(b'a') => &ATTRIBUTE,
        Some(b'm') => &MEDIA,
        _ => &OTHER,
    }
}

/// Dissects the remaining bytes as a description.
pub(super) fn description(wire: &mut Wire<'_>) -> Result {
    let mut address: Option<IpAddr> = None;
    let mut ports: Vec<u16> = Vec::new();
    while wire.remaining() > 0 {
        let ahead = wire.ahead();
        let (text, whole) = lines::line(ahead).map_or((ahead.len(), ahead.len()), |line| (line.text, line.whole));
        let is_line = ahead.get(1) == Some(&b'=');
        let field = if is_line { field(ahead.first()) } else { &OTHER };
        let value = wire.words(field, whole, if is_line { 2..text } else { 0..text })?;
        let value = String::from_utf8_lossy(value);
        if field.is(&CONNECTION) {
            address = value.split([' ', '/']).nth(2).and_then(|ip| ip.parse().ok()).or(address);
        }
        if field.is(&MEDIA) {
            let mut words = value.split(' ').skip(1);
            let port: Option<u16> = words.next().and_then(|port| port.split('/').next()?.parse().ok());
            ports.extend(port.filter(|port| *port > 0 && words.next().is_some_and(|kind| kind.starts_with("RTP/AVP"))));
        }
    }
    for port in ports {
        let ip = address.ok_or(Error::Malformed)?;
        wire.expect(Transport::Udp, SocketAddr::new(ip, port), "rtp");
    }
    Ok(())
}
