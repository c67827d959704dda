//! Value names from the IANA registries of DNS parameters.

use crate::tree::{Names, name_of};
use std::fmt;

pub(super) const A: u16 = 1;
pub(super) const NS: u16 = 2;
pub(super) const CNAME: u16 = 5;
pub(super) const SOA: u16 = 6;
pub(super) const PTR: u16 = 12;
pub(super) const MX: u16 = 15;
pub(super) const AAAA: u16 = 28;
pub(super) const SRV: u16 = 33;
pub(super) const OPT: u16 = 41;

/// Record types.
pub const TYPES: Names = &[
    (1, "A"),
    (2, "NS"),
    (3, "MD"),
    (4, "MF"),
    (5, "CNAME"),
    (6, "SOA"),
    (7, "MB"),
    (8, "MG"),
    (9, "MR"),
    (10, "NULL"),
    (11, "WKS"),
    (12, "PTR"),
    (13, "HINFO"),
    (14, "MINFO"),
    (15, "MX"),
    (16, "TXT"),
    (17, "RP"),
    (18, "AFSDB"),
    (19, "X25"),
    (20, "ISDN"),
    (21, "RT"),
    (22, "NSAP"),
    (23, "NSAP-PTR"),
    (24, "SIG"),
    (25, "KEY"),
    (26, "PX"),
    (27, "GPOS"),
    (28, "AAAA"),
    (29, "LOC"),
    (30, "NXT"),
    (33, "SRV"),
    (35, "NAPTR"),
    (36, "KX"),
    (37, "CERT"),
    (38, "A6"),
    (39, "DNAME"),
    (41, "OPT"),
    (42, "APL"),
    (43, "DS"),
    (44, "SSHFP"),
    (45, "IPSECKEY"),
    (46, "RRSIG"),
    (47, "NSEC"),
    (48, "DNSKEY"),
    (49, "DHCID"),
    (50, "NSEC3"),
    (51, "NSEC3PARAM"),
    (52, "TLSA"),
    (53, "SMIMEA"),
    (55, "HIP"),
    (59, "CDS"),
    (60, "CDNSKEY"),
    (61, "OPENPGPKEY"),
    (62, "CSYNC"),
    (63, "ZONEMD"),
    (64, "SVCB"),
    (65, "HTTPS"),
    (99, "SPF"),
    (104, "NID"),
    (105, "L32"),
    (106, "L64"),
    (107, "LP"),
    (108, "EUI48"),
    (109, "EUI64"),
    (249, "TKEY"),
    (250, "TSIG"),
    (251, "IXFR"),
    (252, "AXFR"),
    (253, "MAILB"),
    (254, "MAILA"),
    (255, "ANY"),
    (256, "URI"),
    (257, "CAA"),
    (32768, "TA"),
    (32769, "DLV"),
];

pub const CLASSES: Names = &[(1, "IN"), (3, "CH"), (4, "HS"), (254, "NONE"), (255, "ANY")];

pub(super) const OPCODES: Names =
    &[(0, "query"), (1, "inverse query"), (2, "status"), (4, "notify"), (5, "update"), (6, "stateful operation")];

pub(super) const RCODES: Names = &[
    (0, "no error"),
    (1, "format error"),
    (2, "server failure"),
    (3, "no such name"),
    (4, "not implemented"),
    (5, "refused"),
    (6, "name exists"),
    (7, "record set exists"),
    (8, "no such record set"),
    (9, "not authoritative"),
    (10, "not in zone"),
    (11, "no such stateful operation"),
    (16, "bad signature or version"),
    (17, "unknown key"),
    (18, "signature out of time"),
    (19, "bad TKEY mode"),
    (20, "duplicate key name"),
    (21, "algorithm not supported"),
    (22, "bad truncation"),
    (23, "bad cookie"),
];

pub(super) const OPTIONS: Names = &[
    (1, "long-lived query"),
    (2, "update lease"),
    (3, "name server identifier"),
    (5, "DNSSEC algorithms understood"),
    (6, "DS hashes understood"),
    (7, "NSEC3 hashes understood"),
    (8, "client subnet"),
    (9, "expire"),
    (10, "cookie"),
    (11, "TCP keepalive"),
    (12, "padding"),
    (13, "chain"),
    (14, "key tag"),
    (15, "extended error"),
    (16, "client tag"),
    (17, "server tag"),
    (18, "report channel"),
];

pub(super) const ALGORITHMS: Names = &[
    (1, "RSA/MD5"),
    (2, "Diffie-Hellman"),
    (3, "DSA/SHA-1"),
    (5, "RSA/SHA-1"),
    (6, "DSA-NSEC3-SHA1"),
    (7, "RSASHA1-NSEC3-SHA1"),
    (8, "RSA/SHA-256"),
    (10, "RSA/SHA-512"),
    (12, "GOST R 34.10-2001"),
    (13, "ECDSA P-256 with SHA-256"),
    (14, "ECDSA P-384 with SHA-384"),
    (15, "Ed25519"),
    (16, "Ed448"),
    (252, "indirect keys"),
    (253, "private algorithm by name"),
    (254, "private algorithm by object identifier"),
];

pub(super) const DIGESTS: Names = &[(1, "SHA-1"), (2, "SHA-256"), (3, "GOST R 34.11-94"), (4, "SHA-384")];

pub(super) const SERVICE_KEYS: Names = &[
    (0, "mandatory"),
    (1, "alpn"),
    (2, "no-default-alpn"),
    (3, "port"),
    (4, "ipv4hint"),
    (5, "ech"),
    (6, "ipv6hint"),
    (7, "dohpath"),
    (8, "ohttp"),
];

pub(super) const EXTENDED_ERRORS: Names = &[
    (0, "other"),
    (1, "unsupported DNSKEY algorithm"),
    (2, "unsupported DS digest type"),
    (3, "stale answer"),
    (4, "forged answer"),
    (5, "DNSSEC indeterminate"),
    (6, "DNSSEC bogus"),
    (7, "signature expired"),
    (8, "signature not yet valid"),
    (9, "DNSKEY missing"),
    (10, "RRSIGs missing"),
    (11, "no zone key bit set"),
    (12, "NSEC missing"),
    (13, "cached error"),
    (14, "not ready"),
    (15, "blocked"),
    (16, "censored"),
    (17, "filtered"),
    (18, "prohibited"),
    (19, "stale no-such-name answer"),
    (20, "not authoritative"),
    (21, "not supported"),
    (22, "no reachable authority"),
    (23, "network error"),
    (24, "invalid data"),
];

pub(super) const USAGES: Names =
    &[(0, "CA constraint"), (1, "service certificate"), (2, "trust anchor"), (3, "domain-issued certificate")];
pub(super) const SELECTORS: Names = &[(0, "whole certificate"), (1, "public key")];
pub(super) const MATCHINGS: Names = &[(0, "itself"), (1, "SHA-256"), (2, "SHA-512")];
pub(super) const SSH_KEYS: Names = &[(1, "RSA"), (2, "DSA"), (3, "ECDSA"), (4, "Ed25519"), (6, "Ed448")];
pub(super) const SSH_DIGESTS: Names = &[(1, "SHA-1"), (2, "SHA-256")];

/// Record type by name, or by number in the notation of RFC 3597.
pub(super) struct Kind(pub u16);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match name_of(TYPES, self.0.into()) {
            Some(name) => f.write_str(name),
            None => write!(f, "TYPE{}", self.0),
        }
    }
}
