//! Verification of IPv4, TCP and UDP checksums, if enabled.
//!
//! Off by default: with checksum offloading, captures of the sending host hold wrong checksums.

use crate::tree::{Computed, Field, Names, NodeRef, Value};
use crate::wire::{Setting, Settings, ValueKind, Wire};
use etherparse::checksum::Sum16BitWords;
use std::net::IpAddr;

/// Checksums to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checks {
    /// IPv4 headers.
    pub ip: bool,
    /// TCP segments.
    pub tcp: bool,
    /// UDP datagrams.
    pub udp: bool,
}

/// Settings that enable verification, with Wireshark's names.
pub(super) const IP: Setting = switch("ip.check_checksum", "Whether checksums of IPv4 headers are verified");
pub(super) const TCP: Setting = switch("tcp.check_checksum", "Whether checksums of TCP segments are verified");
pub(super) const UDP: Setting = switch("udp.check_checksum", "Whether checksums of UDP datagrams are verified");

const fn switch(name: &'static str, about: &'static str) -> Setting {
    Setting { name, about, takes: ValueKind::Switch }
}

impl Checks {
    /// Enabled checksums.
    pub fn enabled(settings: &Settings) -> Checks {
        Checks { ip: settings.is_on(IP.name), tcp: settings.is_on(TCP.name), udp: settings.is_on(UDP.name) }
    }
}

/// Results of the verification, with Wireshark's numbers.
pub(super) const STATUS: Names =
    &[(BAD, "bad"), (GOOD, "good"), (UNVERIFIED, "unverified"), (NOT_PRESENT, "not present"), (ILLEGAL, "illegal")];

const BAD: u64 = 0;
const GOOD: u64 = 1;
const UNVERIFIED: u64 = 2;
const NOT_PRESENT: u64 = 3;
const ILLEGAL: u64 = 4;

/// Status of a checksum without a status field: not verified.
pub(super) fn unverified(checksum: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let is_status = |node: &NodeRef<'_>| node.field().abbrev.strip_suffix(".status") == Some(checksum.field().abbrev);
    if !checksum.behind().any(|node| is_status(&node)) {
        take(Computed::Number(UNVERIFIED));
    }
}

/// Status of an optional checksum, where zero means that it is not present.
pub(super) fn unverified_or_none(checksum: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    match checksum.number() {
        Some(0) => take(Computed::Number(NOT_PRESENT)),
        _ => unverified(checksum, take),
    }
}

/// Result of a checksum verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// Wrong.
    Bad {
        /// The value in the packet.
        is: u16,
        /// The correct value.
        should: u16,
    },
    Good,
    /// Not verified: bytes are missing.
    Unverified,
    /// Omitted by the sender.
    NotPresent,
    /// Omitted by the sender although it is mandatory.
    Illegal,
}

impl Status {
    /// Adds the status, with a note if the checksum is wrong.
    pub(super) fn put(self, wire: &mut Wire<'_>, field: &'static Field, bad: &'static Field) {
        let number = match self {
            Status::Bad { .. } => BAD,
            Status::Good => GOOD,
            Status::Unverified => UNVERIFIED,
            Status::NotPresent => NOT_PRESENT,
            Status::Illegal => ILLEGAL,
        };
        wire.add(field, Value::Unsigned(number));
        match self {
            Status::Bad { is, should } => wire.note(bad, format_args!("0x{is:04x}, should be 0x{should:04x}")),
            Status::Illegal => wire.note(bad, format_args!("none, which IPv6 does not allow")),
            Status::Good | Status::Unverified | Status::NotPresent => {}
        }
    }
}

/// Verifies a header with its checksum at `at`.
pub(super) fn header(bytes: &[u8], at: usize) -> Status {
    verify(Sum16BitWords::new(), bytes, at)
}

/// Verifies a transport segment between two addresses, with its checksum at `at`; `missing` bytes were truncated.
pub(super) fn transport([src, dst]: [IpAddr; 2], protocol: u8, bytes: &[u8], at: usize, missing: usize) -> Status {
    let Ok(len) = u32::try_from(bytes.len()) else { return Status::Unverified };
    if missing > 0 {
        return Status::Unverified;
    }
    let mut sum = Sum16BitWords::new();
    for end in [src, dst] {
        sum = match end {
            IpAddr::V4(end) => sum.add_4bytes(end.octets()),
            IpAddr::V6(end) => sum.add_16bytes(end.octets()),
        };
    }
    verify(sum.add_4bytes(len.to_be_bytes()).add_2bytes([0, protocol]), bytes, at)
}

fn verify(sum: Sum16BitWords, bytes: &[u8], at: usize) -> Status {
    let Some((before, behind)) = bytes.split_at_checked(at) else { return Status::Unverified };
    let Some((is, behind)) = behind.split_first_chunk::<2>() else { return Status::Unverified };
    let is = u16::from_be_bytes(*is);
    // The checksum has an even offset, so both parts can be summed separately.
    let should = u16::from_be(sum.add_slice(before).add_slice(behind).ones_complement());
    // 0 and 0xffff are equal in ones' complement.
    if is == should || (is == 0xffff && should == 0) || (is == 0 && should == 0xffff) {
        Status::Good
    } else {
        Status::Bad { is, should }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_as_rfc_1071_would_sum_it() {
        // The example header of Wikipedia's article on the IPv4 checksum.
        let mut bytes = *b"\x45\x00\x00\x73\x00\x00\x40\x00\x40\x11\xb8\x61\xc0\xa8\x00\x01\xc0\xa8\x00\xc7";
        assert_eq!(header(&bytes, 10), Status::Good);
        bytes[8] = 0x3f;
        assert_eq!(header(&bytes, 10), Status::Bad { is: 0xb861, should: 0xb961 });
        assert_eq!(header(&bytes[..11], 10), Status::Unverified);
    }

    #[test]
    fn truncated_packets_are_not_verified() {
        let end = IpAddr::from([10, 0, 0, 1]);
        assert_eq!(transport([end, end], 6, &[0; 20], 16, 1), Status::Unverified);
    }
}
