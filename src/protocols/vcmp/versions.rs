//! Which release two sides speak.

use crate::tree::Side;

/// Releases whose messages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Rel004,
    Rel006,
    V470,
    V471,
}

impl Version {
    pub(super) const ALL: [Version; 4] = [Version::Rel004, Version::Rel006, Version::V470, Version::V471];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Version::Rel004 => "rel004",
            Version::Rel006 => "rel006",
            Version::V470 => "0.4.7.0",
            Version::V471 => "0.4.7.1",
        }
    }

    /// Its place among the releases.
    pub(super) const fn index(self) -> usize {
        match self {
            Version::Rel004 => 0,
            Version::Rel006 => 1,
            Version::V470 => 2,
            Version::V471 => 3,
        }
    }

    /// Whether it has compressed blocks and moved ids.
    pub(super) const fn is_047(self) -> bool {
        matches!(self, Version::V470 | Version::V471)
    }

    /// The number that its client says it is.
    pub(super) const fn number(self) -> u32 {
        match self {
            Version::Rel004 => 67_000,
            Version::Rel006 => 67_400,
            Version::V470 => 67_700,
            Version::V471 => 67_710,
        }
    }

    /// The id with which its clients begin.
    const fn connect(self) -> u8 {
        if self.is_047() { 0x35 } else { 0x98 }
    }
}

/// What a client says first: the version it tells.
pub(super) fn of_connect(message: &[u8]) -> Option<Version> {
    let (id, rest) = message.split_first()?;
    let told = match rest.strip_prefix(&CONNECT_START) {
        Some(rest) => u32::from_be_bytes(*rest.first_chunk()?),
        // A zero bit, and the number behind it.
        None => {
            let [a, b, c, d, e] = *rest.first_chunk()?;
            let moved = u64::from_be_bytes([0, 0, 0, a, b, c, d, e]) >> 7;
            u32::try_from(moved).ok()?
        }
    };
    Version::ALL.into_iter().find(|version| version.number() == told && version.connect() == *id)
}

/// What a server says it is when a list of servers asks.
pub(super) fn of_server(told: &[u8]) -> Option<Version> {
    match told {
        b"04rel004" => Some(Version::Rel004),
        b"04rel006" => Some(Version::Rel006),
        _ => None,
    }
}

/// The name under which the number of the release is told to others.
pub(super) const FACT: &str = "vcmp.version";

/// The release with this number.
pub(super) fn of_number(number: u64) -> Option<Version> {
    Version::ALL.into_iter().find(|version| u64::from(version.number()) == number)
}

/// What a client sends behind the id of its first message, but for 0.4.7.1.
pub(super) const CONNECT_START: [u8; 4] = [0x03, 0x0d, 0xc5, 0x32];

/// The id of script data.
pub(super) const fn server_data(version: Version, from: Side) -> u8 {
    match (from, version) {
        (Side::Server, Version::Rel004 | Version::Rel006) => 0xcf,
        (Side::Server, Version::V470) => 0x6f,
        (Side::Server, Version::V471) => 0x6e,
        (Side::Client, Version::Rel004) => 0xbc,
        (Side::Client, Version::Rel006) => 0xbd,
        (Side::Client, Version::V470) => 0x3d,
        (Side::Client, Version::V471) => 0x3e,
    }
}

/// Script data that are told by their shape, whichever release says them: the releases that say it by this id.
pub(super) fn of_script_data(message: &[u8], from: Side) -> impl Iterator<Item = Version> {
    let id = message.first().copied();
    Version::ALL.into_iter().filter(move |version| id == Some(server_data(*version, from)))
}
