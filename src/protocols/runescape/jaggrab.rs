//! JAGGRAB: start-up files by path.

use super::fields::*;
use super::transfer;
use super::types::Cp1252;
use crate::tree::Value;
use crate::wire::{Extent, Request, Result, Wire};

/// Size of the checksum file: nine CRCs and their checksum.
const CRC_FILE: usize = 40;

/// Initial value of the checksum.
const CHECK: u32 = 1234;

/// Maximum file size to wait for.
const LONGEST: usize = 8 << 20;

/// Transfer statistics of a file.
const FILE: transfer::Kind = transfer::Kind { what: "start-up file", fields: [&JAGGRAB_ASKED, &JAGGRAB_SECONDS, &JAGGRAB_RATE] };

/// Start of a request.
pub const GREETING: &[u8] = b"JAGGRAB /";

/// State of one connection.
#[derive(Default)]
pub struct Jaggrab {
    /// Requested path.
    path: String,
    /// Pending request.
    asked: Option<Request>,
}

impl Jaggrab {
    /// Extent of a file: up to the end of the stream.
    pub fn extent(&self, ahead: &[u8], more: bool) -> Extent {
        if more && ahead.len() < LONGEST { Extent::NeedMore(ahead.len() + 1) } else { Extent::Message(ahead.len()) }
    }

    /// Reads a request.
    ///
    /// # Errors
    /// If it is not a request.
    pub fn request(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("request");
        let start = wire.at();
        let ahead = wire.ahead();
        let Some(path) = ahead.strip_prefix(GREETING).and_then(|rest| rest.strip_suffix(b"\n\n")) else {
            return wire.malformed(&MALFORMED, format_args!("expected JAGGRAB, a path and two line feeds"));
        };
        self.path = Cp1252(path).to_string();
        self.asked = Some(transfer::ask(wire));
        wire.info(format_args!("{}", self.path));
        let from = start + GREETING.len();
        wire.put(&JAGGRAB_REQUEST, Value::Text, start..start + ahead.len());
        wire.put(&JAGGRAB_PATH, Value::Text, from..from + path.len());
        if let Some(revision) = self.revision() {
            wire.add(&JAGGRAB_REVISION, Value::Unsigned(revision.into()));
        }
        wire.skip(ahead.len())
    }

    /// Revision in the path: `crc12345678-317`.
    fn revision(&self) -> Option<u16> {
        self.path.strip_prefix("crc")?.rsplit_once('-')?.1.parse().ok()
    }

    /// Reads the response.
    pub fn file(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("file");
        wire.info(format_args!("{}, {} bytes", self.path, wire.remaining()));
        let bytes = wire.ahead();
        let name: String = self.path.chars().filter(char::is_ascii_alphanumeric).collect();
        wire.object("file", &format!("{name}.dat"), || Some(bytes.to_vec()));
        if self.path.starts_with("crc") && bytes.len() == CRC_FILE {
            check_sums(wire)?;
        } else {
            wire.rest(&JAGGRAB_DATA);
        }
        if let Some(asked) = self.asked.take() {
            transfer::complete(wire, asked, bytes.len(), &FILE);
        }
        Ok(())
    }
}

/// Reads the CRCs of the archives and their checksum.
fn check_sums(wire: &mut Wire<'_>) -> Result {
    let mut check = CHECK;
    for _ in 0..CRC_FILE / 4 - 1 {
        check = check.wrapping_mul(2).wrapping_add(wire.u32_be(&JAGGRAB_CRC)?);
    }
    let announced = wire.u32_be(&JAGGRAB_CHECK)?;
    if announced != check {
        wire.note(&ODD, format_args!("the CRCs give {check:#010x}"));
    }
    Ok(())
}

/// Whether the bytes are the start of a request.
pub fn begins(ahead: &[u8]) -> bool {
    let shared = ahead.len().min(GREETING.len());
    ahead.get(..shared) == GREETING.get(..shared)
}
