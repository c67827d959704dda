//! Detects tcpdump packets that begin at the IP header, from `-x` and `-X`, unlike those from `-xx` and `-XX`. The two forms
//! differ only in the bytes.

use super::scan::{after_marks, words};

/// Whether these bytes begin with an IP header; `labelled` if the line above contains `IP` or `IP6`.
pub(super) fn begins(bytes: &[u8], labelled: bool) -> bool {
    let number = |at| word(bytes, at);
    match bytes.first().map(|first| first >> 4) {
        Some(4) => {
            let header = usize::from(bytes.first().map_or(0, |first| first & 0x0f)) * 4;
            let length = usize::from(number(2));
            let fits = header >= 20 && header <= bytes.len() && (length >= header || length == 0);
            fits && (checksum(bytes.get(..header).unwrap_or_default()) == 0xffff || labelled && !is_ethernet(bytes))
        }
        Some(6) => bytes.len() >= 40 && !is_ethernet(bytes) && (labelled || usize::from(number(4)) + 40 == bytes.len()),
        _ => false,
    }
}

/// Whether the line above a packet contains this label.
pub(super) fn announces_ip(heading: &[u8]) -> bool {
    words(heading, after_marks(heading)).next().is_some_and(|word| matches!(word.text, b"IP" | b"IP6"))
}

/// An Ethernet header, with an optional VLAN tag, and the beginning of its payload.
fn is_ethernet(bytes: &[u8]) -> bool {
    let version = |at: usize| bytes.get(at).map_or(0, |byte| byte >> 4);
    match (word(bytes, 12), word(bytes, 16)) {
        (0x0800, _) => version(14) == 4,
        (0x86dd, _) => version(14) == 6,
        (0x8100, 0x0800) => version(18) == 4,
        (0x8100, 0x86dd) => version(18) == 6,
        _ => false,
    }
}

fn word(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u16::from_be_bytes(*bytes))
}

/// The sum of an IPv4 header: all ones if its checksum is valid.
fn checksum(header: &[u8]) -> u32 {
    let sum: u32 = (0..header.len()).step_by(2).map(|at| u32::from(word(header, at))).sum();
    (sum & 0xffff) + (sum >> 16)
}
