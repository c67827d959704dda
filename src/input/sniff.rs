//! Detection of the input format from the first bytes.
//!
//! Known but unsupported formats are named, with advice. File names are ignored.

use super::buffer::{Buffer, Supply};
use super::error::OpenError;
use super::log;
use super::packed::Packing;
use super::pcap;
use super::snoop;
use crate::wire::LogFormat;
use std::io;

/// A kind of input that can be opened.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Pcap,
    PcapNg,
    Snoop,
    Log(&'static LogFormat),
    Packed(Packing),
    Text,
}

/// Number of bytes that identify a supported format.
pub(super) const MAGIC_LEN: usize = 8;

/// Number of bytes that identify an unsupported format.
pub(super) const LONGEST: usize = 16;

/// The type of a section header of pcapng, in both byte orders.
const PCAPNG: &[u8] = b"\x0a\x0d\x0d\x0a";

const CONVERT: &str = "convert it with `editcap -F pcapng IN OUT`";
const UNPACK: &str = "decompress it first and pipe the result in";
const HINT: &str = "to dissect it as raw bytes, use --as or --link";

/// Unsupported formats by magic, with advice.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (b"\xfd7zXZ\0", "an xz file", UNPACK),
    (b"BZh", "a bzip2 file", UNPACK),
    (b"\x02\x21\x4c\x18", "an lz4 file of the legacy format", UNPACK),
    (b"\x5d\0\0", "an lzma file", UNPACK),
    (b"\x1f\x9d", "a Unix compress file", UNPACK),
    (b"PK\x03\x04", "a zip archive", "extract the capture from it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "extract the capture from it first"),
    (b"Rar!", "a rar archive", "extract the capture from it first"),
    (b"RTSS", "a Microsoft Network Monitor 1 capture", CONVERT),
    (b"GMBU", "a Microsoft Network Monitor 2 capture", CONVERT),
    (b"XCP\0", "a NetXRay or Windows Sniffer capture", CONVERT),
    (b"TRSNIFF data", "a Sniffer capture", CONVERT),
    (b"\x7fver", "an EtherPeek or OmniPeek capture", CONVERT),
    (b"5View", "a 5Views capture", CONVERT),
    (b"\x01\xb2\xc3\xd4", "an old pcap of an unknown variant", CONVERT),
    (b"\x7fELF", "an ELF program", HINT),
    (b"MZ", "a Windows program", HINT),
    (b"\xcf\xfa\xed\xfe", "a macOS program", HINT),
    (b"\x89PNG", "a PNG image", HINT),
    (b"\xff\xd8\xff", "a JPEG image", HINT),
    (b"GIF8", "a GIF image", HINT),
    (b"%PDF", "a PDF document", HINT),
    (b"SQLite format 3", "an SQLite database", HINT),
    (b"\xff\xfe", "UTF-16 text, as written by PowerShell's >", "write it as UTF-8 (Out-File -Encoding utf8)"),
    (b"\xfe\xff", "UTF-16 text", "write it as UTF-8"),
];

/// Unsupported text formats.
const FOREIGN_TEXT: &[(&[u8], &str)] =
    &[(b"<!doctype html", "an HTML page"), (b"<html", "an HTML page"), (b"<?xml", "an XML document")];

/// Examines the available bytes.
pub(super) fn sniff(bytes: &[u8]) -> Result<Kind, OpenError> {
    if bytes.is_empty() {
        return Err(OpenError::Empty);
    }
    if pcap::variant(bytes).is_some() {
        return Ok(Kind::Pcap);
    }
    if bytes.starts_with(PCAPNG) {
        return Ok(Kind::PcapNg);
    }
    if bytes.starts_with(snoop::MAGIC) {
        return Ok(Kind::Snoop);
    }
    if let Some(format) = log::format(bytes) {
        return Ok(Kind::Log(format));
    }
    if let Some(packing) = Packing::of(bytes) {
        return Ok(Kind::Packed(packing));
    }
    if is_text(bytes) { Ok(Kind::Text) } else { Err(unrecognised(bytes)) }
}

/// The kind of capture that begins here, between records of another one. A version or byte-order mark must confirm its magic
/// number, which is possible as a time. Sections of pcapng belong to the same capture, if that is `pcapng`.
#[inline]
pub(super) fn another(buffer: &mut Buffer, pcapng: bool) -> io::Result<Option<Kind>> {
    if buffer.need(MAGIC_LEN)? == Supply::Ended {
        return Ok(None);
    }
    // Almost no record begins with the first byte of a magic number.
    match buffer.ahead().first() {
        Some(0xd4 | 0xa1 | 0x4d | 0x34 | 0x0a | b's') => confirmed(buffer, pcapng),
        _ => Ok(None),
    }
}

fn confirmed(buffer: &mut Buffer, pcapng: bool) -> io::Result<Option<Kind>> {
    let ahead = buffer.ahead();
    if let Some((order, ..)) = pcap::variant(ahead) {
        let version = order.u16(ahead, 4).zip(order.u16(ahead, 6));
        return Ok(matches!(version, Some((2, 0..=4))).then_some(Kind::Pcap));
    }
    if ahead.starts_with(snoop::MAGIC) {
        return Ok(Some(Kind::Snoop));
    }
    let is_section = !pcapng && ahead.starts_with(PCAPNG) && buffer.need(12)? == Supply::Enough;
    let mark = buffer.ahead().get(8..12);
    Ok((is_section && matches!(mark, Some([0x4d, 0x3c, 0x2b, 0x1a] | [0x1a, 0x2b, 0x3c, 0x4d]))).then_some(Kind::PcapNg))
}

/// Describes an input that cannot be opened; for text, after no hex was found in it.
pub(super) fn unrecognised(bytes: &[u8]) -> OpenError {
    if let Some((_, name, advice)) = FOREIGN.iter().find(|(magic, _, _)| bytes.starts_with(magic)) {
        return OpenError::Unrecognised { looks_like: (*name).to_owned(), advice };
    }
    if !is_text(bytes) {
        let first: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        return OpenError::Unrecognised { looks_like: format!("binary data starting with {}", first.join(" ")), advice: HINT };
    }
    if bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"meta:")) {
        let advice = "load it with -k and give a capture or hex text as the input; `ksy check` checks it";
        return OpenError::Unrecognised { looks_like: "a Kaitai Struct file".to_owned(), advice };
    }
    let text = bytes.trim_ascii_start();
    let begins = |magic: &[u8]| text.get(..magic.len()).is_some_and(|start| start.eq_ignore_ascii_case(magic));
    let name = FOREIGN_TEXT.iter().find(|(magic, _)| begins(magic)).map_or("plain text without hex", |(_, name)| name);
    OpenError::Unrecognised { looks_like: name.to_owned(), advice: "expected lines such as `0000  23 00 01 7b` or `2300017b`" }
}

/// Whether these are printable characters; a truncated last character is allowed.
fn is_text(bytes: &[u8]) -> bool {
    let good = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    // Dumps may contain colour sequences.
    good && bytes.iter().all(|byte| *byte >= b' ' && *byte != 0x7f || byte.is_ascii_whitespace() || *byte == 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_format_is_called_by_its_name() {
        for (magic, name, _) in FOREIGN {
            let bytes = [magic, &b"\0\xff"[..]].concat();
            let Err(OpenError::Unrecognised { looks_like, .. }) = sniff(&bytes) else { panic!("{name} was taken") };
            assert_eq!(&looks_like, name);
        }
        let page = unrecognised(b"\n <!DOCTYPE HTML><p>").to_string();
        assert!(page.starts_with("this is an HTML page, not a capture"), "{page}");
        let file = unrecognised(b"# comment\nmeta:\n  id: chat\n").to_string();
        assert!(file.starts_with("this is a Kaitai Struct file, not a capture"), "{file}");
    }
}
