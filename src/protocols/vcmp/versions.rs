//! Releases of the protocol.

use crate::tree::Side;

/// Releases with different messages.
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

    /// Index in the tables.
    pub(super) const fn index(self) -> usize {
        match self {
            Version::Rel004 => 0,
            Version::Rel006 => 1,
            Version::V470 => 2,
            Version::V471 => 3,
        }
    }

    /// Whether the release has compressed blocks and shifted IDs.
    pub(super) const fn is_047(self) -> bool {
        matches!(self, Version::V470 | Version::V471)
    }

    /// Version number sent by its client.
    pub(super) const fn number(self) -> u32 {
        match self {
            Version::Rel004 => 67_000,
            Version::Rel006 => 67_400,
            Version::V470 => 67_700,
            Version::V471 => 67_710,
        }
    }

    /// ID of its client connect message.
    const fn connect(self) -> u8 {
        if self.is_047() { 0x35 } else { 0x98 }
    }
}

/// Returns the version in a client connect message.
pub(super) fn of_connect(message: &[u8]) -> Option<Version> {
    let (id, rest) = message.split_first()?;
    let number = match rest.strip_prefix(&CONNECT_START) {
        Some(rest) => u32::from_be_bytes(*rest.first_chunk()?),
        // A zero bit, then the number.
        None => {
            let [a, b, c, d, e] = *rest.first_chunk()?;
            let moved = u64::from_be_bytes([0, 0, 0, a, b, c, d, e]) >> 7;
            u32::try_from(moved).ok()?
        }
    };
    Version::ALL.into_iter().find(|version| version.number() == number && version.connect() == *id)
}

/// Returns the version in a query reply.
pub(super) fn of_server(version: &[u8]) -> Option<Version> {
    match version {
        b"04rel004" => Some(Version::Rel004),
        b"04rel006" => Some(Version::Rel006),
        _ => None,
    }
}

/// Name of the fact that shares the release with other conversations.
pub(super) const FACT: &str = "vcmp.version";

/// Returns the release with this number.
pub(super) fn of_number(number: u64) -> Option<Version> {
    Version::ALL.into_iter().find(|version| u64::from(version.number()) == number)
}

/// Bytes after the ID of the client's first message, except in 0.4.7.1.
pub(super) const CONNECT_START: [u8; 4] = [0x03, 0x0d, 0xc5, 0x32];

/// ID of script data.
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

/// Recognizes script data by their shape. Returns the releases with this ID.
pub(super) fn of_script_data(message: &[u8], from: Side) -> impl Iterator<Item = Version> {
    let id = message.first().copied();
    Version::ALL.into_iter().filter(move |version| id == Some(server_data(*version, from)))
}
