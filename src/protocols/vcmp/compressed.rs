//! Compressed blocks of 0.4.7: two lengths and a zlib stream, not byte-aligned. In 0.4.7.0 every datagram of a connection is one,
//! in 0.4.7.1 some messages contain one.
//!
//! ```text
//! 0:1 bit | original length:32 bits | 0:1 bit | compressed length:32 bits | zlib stream | bits up to the next byte
//! ```

use super::bits::Bits;
use super::fields::BAD_COMPRESSION;
use crate::tree::{Value, fields};
use crate::wire::{Cut, Error, Heuristic, On, Protocol, Result, Wire};
use flate2::{Decompress, FlushDecompress};

pub static PROTOCOL: Protocol =
    Protocol::new(&Z, FIELDS).found(&[On::AnyUdp.datagram(Heuristic::Datagram(is_block), datagram)]).rest(&UNPARSED);

fields! {
    Z = protocol("vcmp.z", "VC:MP compressed", "Compressed datagram of Vice City: Multiplayer 0.4.7.0")
        .covers("The compressed datagram, and the messages in it");
    ZERO = number("vcmp.z.zero", "zero", "Always 0");
    ORIGINAL_LENGTH = number("vcmp.z.original_length", "original length", "In bytes").once();
    COMPRESSED_LENGTH = number("vcmp.z.compressed_length", "compressed length", "Length of the zlib stream in bytes").once();
    DATA = bytes("vcmp.z.data", "compressed", "zlib stream, shifted by two bits").once();
    UNPARSED = bytes("vcmp.z.unparsed", "unparsed", "Undecoded bytes");
}

/// Name under which decompressed data are dispatched.
const PLACE: &str = "vcmp.z";

/// Maximum decompressed size of a block.
const MAX_LEN: usize = 64 << 10;

/// Bits before the zlib stream.
const HEAD: usize = 66;

/// Size of a block with this many compressed bytes.
fn block_len(compressed: usize) -> Option<usize> {
    compressed.checked_mul(8)?.checked_add(HEAD).map(|bits| bits.div_ceil(8))
}

/// Header of a block.
struct Head {
    zeros: [u64; 2],
    original: usize,
    compressed: usize,
    method: [u64; 2],
}

fn head(bits: &mut Bits<'_>) -> Result<Head> {
    let first = bits.take(1)?;
    let original = bits.take(32)?;
    let second = bits.take(1)?;
    let compressed = bits.take(32)?;
    let method = [bits.take(8)?, bits.take(8)?];
    let len = |number| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Head { zeros: [first, second], original: len(original), compressed: len(compressed), method })
}

/// Whether the bytes are exactly one block.
pub(super) fn is_block(bytes: &[u8]) -> bool {
    let Ok(head) = head(&mut Bits::of(bytes)) else { return false };
    let [method, check] = head.method;
    head.zeros == [0, 0]
        && (1..=MAX_LEN).contains(&head.original)
        && block_len(head.compressed) == Some(bytes.len())
        && method == 0x78
        && (method << 8 | check).is_multiple_of(31)
}

fn datagram(wire: &mut Wire<'_>) -> Result {
    wire.name("compressed");
    block(wire, |wire| {
        let len = wire.remaining();
        wire.info(format_args!("{len} bytes"));
        wire.hand_over(PLACE, 0..len);
        wire.skip(len)
    })
}

/// Reads a block and its decompressed contents.
pub(super) fn block<T>(wire: &mut Wire<'_>, read: impl FnOnce(&mut Wire<'_>) -> Result<T>) -> Result<T> {
    let mut bits = Bits::new(wire);
    bits.number(wire, &ZERO, 1)?;
    let original = bits.number(wire, &ORIGINAL_LENGTH, 32)?;
    bits.number(wire, &ZERO, 1)?;
    let compressed = bits.number(wire, &COMPRESSED_LENGTH, 32)?;
    let whole = usize::try_from(compressed).ok().and_then(block_len).filter(|len| *len <= wire.remaining());
    let Some(whole) = whole else {
        if wire.cut() != Cut::No {
            return Err(Error::Short { needed: 1 });
        }
        return wire.malformed(&BAD_COMPRESSION, format_args!("{compressed} bytes compressed, {} left", wire.remaining()));
    };
    let original = usize::try_from(original).unwrap_or(usize::MAX);
    let stream = bits.bytes(usize::try_from(compressed).unwrap_or_default())?;
    let start = wire.at();
    wire.put(&DATA, Value::Bytes, start + HEAD / 8..start + whole);
    match inflate(&stream, original) {
        Ok(bytes) => wire.derived("zlib", whole, &bytes, |wire| {
            let result = read(wire);
            wire.rest(&UNPARSED);
            result
        }),
        Err(why) => {
            wire.note(&BAD_COMPRESSION, format_args!("{why}"));
            wire.skip(whole)?;
            Err(Error::Malformed)
        }
    }
}

/// Decompresses a zlib stream that must have the declared length.
fn inflate(stream: &[u8], original: usize) -> std::result::Result<Vec<u8>, &'static str> {
    if original > MAX_LEN {
        return Err("the declared length exceeds the maximum");
    }
    // One more byte detects a stream that exceeds the declared length.
    let mut bytes = Vec::with_capacity(original + 1);
    match Decompress::new(true).decompress_vec(stream, &mut bytes, FlushDecompress::Finish) {
        Ok(flate2::Status::StreamEnd) if bytes.len() == original => Ok(bytes),
        Ok(flate2::Status::StreamEnd) => Err("the length differs from the declared one"),
        Ok(_) => Err("the stream does not end where it should"),
        Err(_) => Err("no sound zlib stream"),
    }
}
