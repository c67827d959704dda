//! QUIC versions and their derivation of Initial keys.

use crate::tree::{Names, name_of};

pub(super) const VERSION_1: u32 = 1;
/// RFC 9369.
pub(super) const VERSION_2: u32 = 0x6b33_43cf;
/// mvfst versions, each based on a draft.
const MVFST_DRAFT_22: u32 = 0xface_b001;
const MVFST_DRAFT_27: u32 = 0xface_b002;
const MVFST_EXPERIMENTAL: u32 = 0xface_b00e;
/// Google versions with TLS and the headers of the drafts.
const T050: u32 = 0x5430_3530;
const T051: u32 = 0x5430_3531;

/// Registered names of versions.
pub(super) const NAMES: Names = &[
    (0, "version negotiation"),
    (1, "1"),
    (0x5430_3530, "Google T050"),
    (0x5430_3531, "Google T051"),
    (0x6b33_43cf, "2"),
    (0xface_b001, "mvfst (draft 22)"),
    (0xface_b002, "mvfst (draft 27)"),
    (0xface_b00e, "mvfst (experimental)"),
    (0xff00_0016, "draft 22"),
    (0xff00_0017, "draft 23"),
    (0xff00_0018, "draft 24"),
    (0xff00_0019, "draft 25"),
    (0xff00_001a, "draft 26"),
    (0xff00_001b, "draft 27"),
    (0xff00_001c, "draft 28"),
    (0xff00_001d, "draft 29"),
    (0xff00_001e, "draft 30"),
    (0xff00_001f, "draft 31"),
    (0xff00_0020, "draft 32"),
    (0xff00_0021, "draft 33"),
    (0xff00_0022, "draft 34"),
];

/// Inputs of the derivation of Initial keys, besides the connection ID.
pub(super) struct Derivation {
    pub(super) salt: [u8; 20],
    pub(super) labels: Labels,
}

/// Labels of the key derivation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Labels {
    pub(super) key: &'static str,
    pub(super) iv: &'static str,
    pub(super) header: &'static str,
    /// Label of the secret of the next key phase.
    pub(super) update: &'static str,
}

const LABELS: Labels = Labels { key: "quic key", iv: "quic iv", header: "quic hp", update: "quic ku" };
const LABELS_V2: Labels = Labels { key: "quicv2 key", iv: "quicv2 iv", header: "quicv2 hp", update: "quicv2 ku" };

const DRAFT_22: Derivation = Derivation {
    salt: [
        0x7f, 0xbc, 0xdb, 0x0e, 0x7c, 0x66, 0xbb, 0xe9, 0x19, 0x3a, 0x96, 0xcd, 0x21, 0x51, 0x9e, 0xbd, 0x7a, 0x02, 0x64, 0x4a,
    ],
    labels: LABELS,
};
const DRAFT_23: Derivation = Derivation {
    salt: [
        0xc3, 0xee, 0xf7, 0x12, 0xc7, 0x2e, 0xbb, 0x5a, 0x11, 0xa7, 0xd2, 0x43, 0x2b, 0xb4, 0x63, 0x65, 0xbe, 0xf9, 0xf5, 0x02,
    ],
    labels: LABELS,
};
const DRAFT_29: Derivation = Derivation {
    salt: [
        0xaf, 0xbf, 0xec, 0x28, 0x99, 0x93, 0xd2, 0x4c, 0x9e, 0x97, 0x86, 0xf1, 0x9c, 0x61, 0x11, 0xe0, 0x43, 0x90, 0xa8, 0x99,
    ],
    labels: LABELS,
};
/// Also used by drafts 33 and 34.
const V1: Derivation = Derivation {
    salt: [
        0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a,
    ],
    labels: LABELS,
};
const V2: Derivation = Derivation {
    salt: [
        0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9,
    ],
    labels: LABELS_V2,
};

const GOOGLE_T050: Derivation = Derivation {
    salt: [
        0x7f, 0xf5, 0x79, 0xe5, 0xac, 0xd0, 0x72, 0x91, 0x55, 0x80, 0x30, 0x4c, 0x43, 0xa2, 0x36, 0x7c, 0x60, 0x48, 0x83, 0x10,
    ],
    labels: LABELS,
};
const GOOGLE_T051: Derivation = Derivation {
    salt: [
        0x7a, 0x4e, 0xde, 0xf4, 0xe7, 0xcc, 0xee, 0x5f, 0xa4, 0x50, 0x6c, 0x19, 0x12, 0x4f, 0xc8, 0xcc, 0xda, 0x6e, 0x03, 0x3d,
    ],
    labels: LABELS,
};

/// Whether RFC 9000 reserves this version to exercise version negotiation.
pub(super) fn is_reserved(version: u32) -> bool {
    version & 0x0f0f_0f0f == 0x0a0a_0a0a
}

/// Whether this is a Google version, which has other frame types.
pub(super) fn is_google(version: u32) -> bool {
    matches!(version, T050 | T051)
}

/// Whether packets of this version have the headers of version 1 or 2.
pub(super) fn is_known(version: u32) -> bool {
    version != 0 && (name_of(NAMES, version.into()).is_some() || is_reserved(version))
}

pub(super) fn labels(version: u32) -> Labels {
    if version == VERSION_2 { LABELS_V2 } else { LABELS }
}

/// Key derivations of a version. Reserved versions have no salt, so the usual ones are tried.
pub(super) fn derivations(version: u32) -> &'static [Derivation] {
    match version {
        VERSION_1 | 0xff00_0021..=0xff00_0022 => &[V1],
        VERSION_2 => &[V2],
        0xff00_001d..=0xff00_0020 => &[DRAFT_29],
        0xff00_0017..=0xff00_001c | MVFST_DRAFT_27 | MVFST_EXPERIMENTAL => &[DRAFT_23],
        0xff00_0016 | MVFST_DRAFT_22 => &[DRAFT_22],
        T050 => &[GOOGLE_T050],
        T051 => &[GOOGLE_T051],
        _ if is_reserved(version) => &[V1, DRAFT_29],
        _ => &[],
    }
}
