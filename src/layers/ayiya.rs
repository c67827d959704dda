//! AYIYA, packets of a tunnel broker in UDP (draft-massar-v6ops-ayiya-02).
//!
//! ```text
//! identity length:4 bits | identity type:4 bits | signature length:4 bits | hash:4 bits | method:4 bits | operation:4 bits |
//! next header:1 | epoch:4 | identity, 2 to the power of its length | signature, in units of four bytes | packet
//! ```
//!
//! The signature is not verified.

use super::ethernet::rest;
use super::{Described, HeaderPayload, Next, layer};
use crate::tree::{Names, fields, name_of};
use crate::wire::{Protocol, Result, Wire};

pub static PROTOCOL: Protocol = layer(&AYIYA, FIELDS);

/// A header with the packet behind it.
pub(super) static HEADER: Described = Described { protocol: &PROTOCOL, header };

fields! {
    AYIYA = protocol("ayiya", "AYIYA", "Anything in Anything");
    ID_LENGTH = number("ayiya.idlen", "Identity field length", "Power of two").hex(1).mask(0xf0).once();
    ID_TYPE = number("ayiya.idtype", "Identity field type", "").hex(1).names(ID_TYPES).mask(0x0f).once();
    SIGNATURE_LENGTH = number("ayiya.siglen", "Signature length", "Units of four bytes").hex(1).mask(0xf0).once();
    HASH = number("ayiya.hashmethod", "Hash method", "").hex(1).names(HASHES).mask(0x0f).once();
    AUTH = number("ayiya.authmethod", "Authentication method", "").hex(1).names(METHODS).mask(0xf0).once();
    OPERATION = number("ayiya.opcode", "Operation code", "").hex(1).names(OPERATIONS).mask(0x0f).once();
    NEXT_HEADER = number("ayiya.nextheader", "Next header", "IP protocol number").hex(2).once();
    EPOCH = number("ayiya.epoch", "Epoch", "Seconds since 1970").once();
    IDENTITY = bytes("ayiya.identity", "Identity", "").once();
    SIGNATURE = bytes("ayiya.signature", "Signature", "").once();
}

const ID_TYPES: Names = &[(0, "none"), (1, "integer"), (2, "ASCII string")];
const HASHES: Names = &[(0, "none"), (1, "MD5"), (2, "SHA1"), (3, "UMAC")];
const METHODS: Names = &[(0, "none"), (1, "shared secret"), (2, "public key")];
const OPERATIONS: Names = &[
    (0, "no operation"),
    (1, "forward"),
    (2, "echo request"),
    (3, "echo request and forward"),
    (4, "echo response"),
    (5, "message of the day"),
    (6, "query request"),
    (7, "query response"),
];
const FORWARDS: [u64; 2] = [1, 3];

/// Bytes up to the identity.
const FIXED: usize = 8;

/// Whether a header may begin here: known methods, and room for what it declares.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    let Some(&[id, signature, operation, ..]) = bytes.first_chunk::<FIXED>() else { return false };
    let known = [(ID_TYPES, id & 15), (HASHES, signature & 15), (METHODS, operation >> 4), (OPERATIONS, operation & 15)];
    known.iter().all(|(names, number)| name_of(names, (*number).into()).is_some())
}

fn header(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let id = ID_LENGTH.bits_of(wire.bits(1, &[&ID_LENGTH, &ID_TYPE])?);
    let signature = SIGNATURE_LENGTH.bits_of(wire.bits(1, &[&SIGNATURE_LENGTH, &HASH])?);
    let operation = OPERATION.bits_of(wire.bits(1, &[&AUTH, &OPERATION])?);
    let next = wire.u8(&NEXT_HEADER)?;
    wire.u32_be(&EPOCH)?;
    wire.name(name_of(OPERATIONS, operation).unwrap_or("unknown operation"));
    // Both lengths have four bits.
    wire.bytes(&IDENTITY, 1 << id)?;
    wire.optional(&SIGNATURE, 4 * usize::try_from(signature).unwrap_or_default())?;
    let next = if FORWARDS.contains(&operation) { Next::IpProtocol(next) } else { Next::Data };
    Ok(HeaderPayload::new(next, rest(wire), missing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::trial::{cut, layers};
    use crate::wire::trial::bytes;

    const FORWARD: [&str; 3] = ["41 12 11 3b 4af64bad", "20014978000f004c0000000000000001", "0badcafe"];

    #[test]
    fn a_forwarded_packet_follows_identity_and_signature() {
        insta::assert_snapshot!(layers(Next::Header(&HEADER), &FORWARD), @"
        ayiya 0..28 | forward
          0..1 ayiya.idlen = 0x4
          0..1 ayiya.idtype = 0x1 (integer)
          1..2 ayiya.siglen = 0x1
          1..2 ayiya.hashmethod = 0x2 (SHA1)
          2..3 ayiya.authmethod = 0x1 (shared secret)
          2..3 ayiya.opcode = 0x1 (forward)
          3..4 ayiya.nextheader = 0x3b
          4..8 ayiya.epoch = 1257655213
          8..24 ayiya.identity = 20014978000f004c0000000000000001
          24..28 ayiya.signature = 0badcafe
        ");
    }

    #[test]
    fn a_header_that_is_cut_is_noted() {
        insta::assert_snapshot!(cut(Next::Header(&HEADER), &["41 52 11 29 4af64bad", "2001"], 40), @"
        ayiya 0..10 | forward
          0..1 ayiya.idlen = 0x4
          0..1 ayiya.idtype = 0x1 (integer)
          1..2 ayiya.siglen = 0x5
          1..2 ayiya.hashmethod = 0x2 (SHA1)
          2..3 ayiya.authmethod = 0x1 (shared secret)
          2..3 ayiya.opcode = 0x1 (forward)
          3..4 ayiya.nextheader = 0x29
          4..8 ayiya.epoch = 1257655213
          8..10 data.data = 2001
        ! broken dissect.cut at 8..10 ayiya: the capture holds 14 bytes too few of this frame
        ");
    }

    #[test]
    fn unknown_methods_are_not_plausible() {
        assert!(is_plausible(&bytes(&FORWARD.concat())));
        for wrong in ["43 12 11 29 4af64bad", "41 14 11 29 4af64bad", "41 12 31 29 4af64bad", "41 12 18 29 4af64bad", "41 12 11"]
        {
            assert!(!is_plausible(&bytes(wrong)), "{wrong}");
        }
    }
}
