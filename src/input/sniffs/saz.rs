//! Session archives of Fiddler (`.saz`): a zip file with the bytes of requests and responses.
//!
//! ```text
//! raw/N_c.txt   the request as sent     raw/N_s.txt   the response     raw/N_m.xml   times and addresses
//! ```
//! The members of a session follow each other. They are read in the order of the file, without its directory.

use super::http;
use super::opcodes::{CLIENT, SERVER};
use super::rebuilt::{Ends, Rebuilt};
use super::{Buffer, Opened, Sniff, SniffFormat, damaged};
use crate::input::buffer::Supply;
use crate::tree::Side;
use std::io::{self, ErrorKind, Read};
use std::net::{IpAddr, SocketAddr};
use zip::read::read_zipfile_from_stream;

pub(super) static FORMAT: SniffFormat = SniffFormat { name: "saz", begins, open };

/// Maximum size of a member.
const MOST: u64 = 16 << 20;

/// Bytes in which a member of a session has to appear.
const SEARCHED: usize = 4096;

/// First port of clients without one.
const FIRST_PORT: u16 = 40_000;

fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

fn open(input: &mut Buffer) -> io::Result<Option<Opened>> {
    let mut wanted = 128;
    loop {
        let supply = input.need(wanted)?;
        let ahead = input.ahead().get(..wanted).unwrap_or(input.ahead());
        let found = memchr::memmem::find_iter(ahead, b"raw/").any(|at| ahead.get(at + 4..).is_some_and(is_member));
        if found {
            let sniff = Box::new(Archive { number: 0, session: Session::default() });
            return Ok(Some(Opened { description: "a session archive of Fiddler (SAZ)".to_owned(), sniff }));
        }
        if supply == Supply::Ended || wanted >= SEARCHED {
            return Ok(None);
        }
        wanted *= 2;
    }
}

/// Whether these bytes begin with `12_c.txt` or the like.
fn is_member(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = bytes.get(digits..).unwrap_or_default();
    digits > 0 && [&b"_c.txt"[..], b"_s.txt", b"_m.xml"].iter().any(|end| rest.starts_with(end))
}

/// An archive whose members are read.
struct Archive {
    number: u32,
    session: Session,
}

/// The members of a session so far.
#[derive(Default)]
struct Session {
    name: String,
    request: Option<Vec<u8>>,
    response: Option<Vec<u8>>,
    about: String,
}

impl Sniff for Archive {
    fn step(&mut self, input: &mut Buffer, out: &mut Rebuilt) -> io::Result<bool> {
        if input.need(4)? == Supply::Ended {
            self.end(out);
            return Err(super::cut(input, "the archive"));
        }
        if !input.ahead().starts_with(b"PK\x03\x04") {
            self.end(out);
            let is_directory =
                [&b"PK\x01\x02"[..], b"PK\x05\x06", b"PK\x06\x06"].iter().any(|magic| input.ahead().starts_with(magic));
            return if is_directory { Ok(false) } else { Err(damaged(input, "something that is no member of a zip archive")) };
        }
        let at = input.offset();
        match member(input) {
            Ok((name, bytes)) => self.member(&name, bytes, out),
            Err(error) => {
                self.end(out);
                let kind = if error.kind() == ErrorKind::UnexpectedEof { error.kind() } else { ErrorKind::InvalidData };
                return Err(io::Error::new(kind, format!("the member at byte {at} of the log cannot be read: {error}")));
            }
        }
        Ok(true)
    }
}

/// The next member: its name and content.
fn member(input: &mut Buffer) -> io::Result<(String, Vec<u8>)> {
    let Some(mut file) = read_zipfile_from_stream(input).map_err(io::Error::from)? else { return Ok(Default::default()) };
    let name = file.name().map_err(io::Error::from)?.into_owned();
    let mut bytes = Vec::new();
    if name.strip_prefix("raw/").is_some_and(|name| is_member(name.as_bytes())) {
        file.by_ref().take(MOST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST {
            return Err(io::Error::new(ErrorKind::InvalidData, format!("{name} has more than {MOST} bytes")));
        }
    }
    Ok((name, bytes))
}

impl Archive {
    fn member(&mut self, name: &str, bytes: Vec<u8>, out: &mut Rebuilt) {
        let Some((number, kind)) = name.strip_prefix("raw/").and_then(|name| name.split_once('_')) else { return };
        if self.session.name != number {
            self.end(out);
            number.clone_into(&mut self.session.name);
        }
        match kind {
            "c.txt" => self.session.request = Some(bytes),
            "s.txt" => self.session.response = Some(bytes),
            "m.xml" => self.session.about = String::from_utf8_lossy(&bytes).into_owned(),
            _ => {}
        }
    }

    /// Adds the session whose members are there.
    fn end(&mut self, out: &mut Rebuilt) {
        let session = std::mem::take(&mut self.session);
        if let Some(request) = &session.request {
            self.number += 1;
            session.write(self.number, request, out);
        }
    }
}

impl Session {
    fn write(&self, number: u32, request: &[u8], out: &mut Rebuilt) {
        let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let is_tunnel = line.starts_with(b"CONNECT ");
        let url = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        let url = String::from_utf8_lossy(url);
        let port = http::port(&url).unwrap_or(if is_tunnel { 443 } else { 80 });
        let ip = |flag: &str| self.flag(flag).and_then(|text| text.parse::<IpAddr>().ok()).map(|ip| ip.to_canonical());
        let client_port = self.flag("x-clientport").and_then(|port| port.parse().ok());
        let own = FIRST_PORT + u16::try_from(number % 20_000).unwrap_or_default();
        let client = SocketAddr::new(ip("x-clientip").unwrap_or(CLIENT), client_port.unwrap_or(own));
        let server = SocketAddr::new(ip("x-hostip").unwrap_or(SERVER), port);
        let times = ["ClientBeginRequest", "ServerBeginResponse", "ClientDoneResponse"].map(|name| self.time(name));
        let asked = times[0].unwrap_or(0);
        let answered = times[1].or(times[2]).unwrap_or(asked);
        let mut connection = out.connect(Ends { client, server }, asked, "");
        // What follows the head of a tunnel is text of Fiddler.
        let remark = if is_tunnel { "the text that Fiddler adds to a tunnel is left out" } else { "" };
        let part = |bytes: &'_ [u8]| if is_tunnel { http::head_len(bytes) } else { bytes.len() };
        out.send(&mut connection, Side::Client, asked, &[request.get(..part(request)).unwrap_or(request)], remark);
        if let Some(response) = &self.response {
            out.send(&mut connection, Side::Server, answered, &[response.get(..part(response)).unwrap_or(response)], remark);
        }
        out.close(&mut connection, Side::Server, times[2].unwrap_or(answered).max(answered), "");
    }

    /// The value of `<SessionFlag N="…" V="…" />`.
    fn flag(&self, name: &str) -> Option<&str> {
        let rest = self.about.split_once(&format!("N=\"{name}\""))?.1;
        rest.split_once("V=\"")?.1.split('"').next()
    }

    /// A time in nanoseconds since 1970; those of the year 1 are unknown.
    fn time(&self, name: &str) -> Option<u64> {
        let text = self.about.split_once(&format!(" {name}=\""))?.1.split('"').next()?;
        let time: jiff::Timestamp = text.parse().ok()?;
        u64::try_from(time.as_nanosecond()).ok()
    }
}
