//! Checksums over preceding bytes: sums, exclusive or, CRCs.

use super::super::rule::Endian;
use super::Label;
use super::claims::{Claim, Claims, Shape};
use super::table::{Table, distinct};

/// Number of messages on which checksums are computed.
const ROWS: usize = 48;

/// Maximum message length for which checksums are computed.
const LONGEST: usize = 4096;

/// Maximum number of leading bytes that a checksum excludes.
const SKIPPED: usize = 12;

/// Fewest messages that show a checksum of one byte in a header.
const BYTES: usize = 8;

/// A checksum algorithm.
struct Way {
    name: &'static str,
    width: usize,
    of: fn(&[u8]) -> u64,
}

const WAYS: &[Way] = &[
    Way { name: "sum", width: 1, of: |bytes| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>() & 0xff },
    Way {
        name: "negative sum",
        width: 1,
        of: |bytes| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>().wrapping_neg() & 0xff,
    },
    Way { name: "complement of the sum", width: 1, of: |bytes| !bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>() & 0xff },
    Way { name: "exclusive or", width: 1, of: |bytes| bytes.iter().fold(0, |sum, byte| sum ^ u64::from(*byte)) },
    Way { name: "CRC-8", width: 1, of: |bytes| crc(bytes, 8, 0x07, 0, false, 0) },
    Way { name: "CRC-8/MAXIM", width: 1, of: |bytes| crc(bytes, 8, 0x31, 0, true, 0) },
    Way { name: "sum", width: 2, of: |bytes| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>() & 0xffff },
    Way { name: "Internet checksum", width: 2, of: internet },
    Way { name: "Fletcher-16", width: 2, of: fletcher },
    Way { name: "CRC-16/CCITT-FALSE", width: 2, of: |bytes| crc(bytes, 16, 0x1021, 0xffff, false, 0) },
    Way { name: "CRC-16/XMODEM", width: 2, of: |bytes| crc(bytes, 16, 0x1021, 0, false, 0) },
    Way { name: "CRC-16/GENIBUS", width: 2, of: |bytes| crc(bytes, 16, 0x1021, 0xffff, false, 0xffff) },
    Way { name: "CRC-16/MODBUS", width: 2, of: |bytes| crc(bytes, 16, 0x8005, 0xffff, true, 0) },
    Way { name: "CRC-16/ARC", width: 2, of: |bytes| crc(bytes, 16, 0x8005, 0, true, 0) },
    Way { name: "CRC-16/KERMIT", width: 2, of: |bytes| crc(bytes, 16, 0x1021, 0, true, 0) },
    Way { name: "CRC-16/X-25", width: 2, of: |bytes| crc(bytes, 16, 0x1021, 0xffff, true, 0xffff) },
    Way { name: "CRC-16/DNP", width: 2, of: |bytes| crc(bytes, 16, 0x3d65, 0, true, 0xffff) },
    Way { name: "sum", width: 4, of: |bytes| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>() & 0xffff_ffff },
    Way { name: "CRC-32", width: 4, of: |bytes| crc(bytes, 32, 0x04c1_1db7, 0xffff_ffff, true, 0xffff_ffff) },
    Way { name: "CRC-32C", width: 4, of: |bytes| crc(bytes, 32, 0x1edc_6f41, 0xffff_ffff, true, 0xffff_ffff) },
    Way { name: "CRC-32/BZIP2", width: 4, of: |bytes| crc(bytes, 32, 0x04c1_1db7, 0xffff_ffff, false, 0xffff_ffff) },
    Way { name: "CRC-32/MPEG-2", width: 4, of: |bytes| crc(bytes, 32, 0x04c1_1db7, 0xffff_ffff, false, 0) },
    Way { name: "Adler-32", width: 4, of: adler },
];

/// A CRC in the parameters of Greg Cook's catalogue: polynomial, initial value, reflection, final exclusive or.
fn crc(bytes: &[u8], width: u32, polynomial: u64, first: u64, is_reflected: bool, last: u64) -> u64 {
    let mask = (1_u64 << width) - 1;
    let mut value = first;
    if is_reflected {
        let polynomial = polynomial.reverse_bits() >> (64 - width);
        for byte in bytes {
            value ^= u64::from(*byte);
            for _ in 0..8 {
                value = value >> 1 ^ if value & 1 == 1 { polynomial } else { 0 };
            }
        }
    } else {
        for byte in bytes {
            value ^= u64::from(*byte) << (width - 8);
            for _ in 0..8 {
                value = (value << 1 ^ if value >> (width - 1) & 1 == 1 { polynomial } else { 0 }) & mask;
            }
        }
    }
    (value ^ last) & mask
}

fn internet(bytes: &[u8]) -> u64 {
    let mut sum: u64 = bytes.chunks(2).map(|pair| Endian::Big.read(pair) << if pair.len() == 1 { 8 } else { 0 }).sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !sum & 0xffff
}

fn fletcher(bytes: &[u8]) -> u64 {
    let (a, b) = bytes.iter().fold((0, 0), |(a, b), byte| ((a + u64::from(*byte)) % 255, (a + u64::from(*byte) + b) % 255));
    b << 8 | a
}

fn adler(bytes: &[u8]) -> u64 {
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), byte| ((a + u64::from(*byte)) % 65521, (a + u64::from(*byte) + b) % 65521));
    b << 16 | a
}

/// A checksum at the end of all messages: its width and its claim in the table of the last bytes.
#[must_use]
pub fn trailing(table: &Table<'_>) -> Option<Claim> {
    let rows: Vec<&[u8]> = sample(table);
    for width in [4, 2, 1] {
        let split = |row: &&'_ [u8]| row.len().checked_sub(width).is_some_and(|at| at > 0);
        let rows: Vec<(&[u8], &[u8])> =
            rows.iter().filter(|row| split(row)).filter_map(|row| row.split_at_checked(row.len() - width)).collect();
        let sums: Vec<&[u8]> = rows.iter().map(|(_, sum)| *sum).collect();
        if distinct(&sums) < if width == 1 { 6 } else { 3 } {
            continue;
        }
        for skip in 0..SKIPPED {
            for way in WAYS.iter().filter(|way| way.width == width) {
                for endian in [Endian::Big, Endian::Little] {
                    let fits = |(row, sum): &(&[u8], &[u8])| row.get(skip..).is_some_and(|row| (way.of)(row) == endian.read(sum));
                    if rows.iter().all(fits) {
                        let why = match skip {
                            0 => format!("{} of all bytes in front", way.name),
                            _ => format!("{} of the bytes from {skip} on", way.name),
                        };
                        let (shape, label) = (Shape::Number(endian), Label::Checksum);
                        return Some(Claim { offset: 0, width, shape, label, confidence: 0.98, why });
                    }
                }
            }
        }
    }
    None
}

/// Checksums in the header over the whole message, computed with zeros in their place, or over the following bytes.
pub fn leading(table: &Table<'_>, claims: &mut Claims) {
    // With a checksum at the end, the sum of all bytes is constant, so each byte is that of the others.
    if claims.has_sum {
        return;
    }
    let rows = sample(table);
    for width in [4, 2, 1] {
        // By chance, one byte is a checksum of one message at one in 20.
        if width == 1 && rows.len() < BYTES {
            continue;
        }
        for offset in 0..table.width.saturating_sub(width - 1).min(24) {
            let sums: Vec<&[u8]> = rows.iter().filter_map(|row| row.get(offset..offset + width)).collect();
            if !claims.is_free(offset, width) || distinct(&sums) < 4 || distinct(&sums) * 2 < sums.len() {
                continue;
            }
            let ways = WAYS.iter().filter(|way| way.width == width);
            for (way, is_whole) in ways.flat_map(|way| [(way, true), (way, false)]) {
                let sum_of = |row: &[u8]| {
                    let (front, rest) = (row.get(..offset)?, row.get(offset + width..)?);
                    let zeros = [0; 4].get(..width)?;
                    Some(if is_whole { (way.of)(&[front, zeros, rest].concat()) } else { (way.of)(rest) })
                };
                let is_at = |row: &[u8], sum: u64, endian: Endian| {
                    row.get(offset..offset + width).is_some_and(|bytes| endian.read(bytes) == sum)
                };
                // Nearly all algorithms fail on the first message, whose sum is computed once for both byte orders.
                let Some((first, sum)) = rows.first().and_then(|row| Some((*row, sum_of(row)?))) else { continue };
                let orders = Endian::BOTH.into_iter().filter(|endian| width > 1 || *endian == Endian::Big);
                for endian in orders.filter(|endian| is_at(first, sum, *endian)) {
                    if rows.iter().all(|row| sum_of(row).is_some_and(|sum| is_at(row, sum, endian))) {
                        let what = if is_whole { "the message with zeros here" } else { "what follows" };
                        let (shape, label) = (Shape::Number(endian), Label::Checksum);
                        let why = format!("{} of {what}", way.name);
                        claims.take(Claim { offset, width, shape, label, confidence: 0.98, why });
                    }
                }
            }
        }
    }
}

/// Distinct messages of moderate length.
fn sample<'m>(table: &Table<'m>) -> Vec<&'m [u8]> {
    let mut rows: Vec<&[u8]> = table.rows.iter().map(|row| row.bytes).filter(|row| row.len() <= LONGEST).collect();
    rows.sort_unstable();
    rows.dedup();
    let stride = rows.len().div_ceil(ROWS).max(1);
    rows.into_iter().step_by(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::messages::Message;

    /// Check values of "123456789": CRCs from Greg Cook's catalogue, Adler-32 from RFC 1950; the sums add up to 477.
    #[test]
    fn algorithms_have_their_check_values() {
        let values: Vec<(&str, usize, u64)> = WAYS.iter().map(|way| (way.name, way.width, (way.of)(b"123456789"))).collect();
        let expected = [
            ("sum", 1, 0xdd),
            ("negative sum", 1, 0x23),
            ("complement of the sum", 1, 0x22),
            ("exclusive or", 1, 0x31),
            ("CRC-8", 1, 0xf4),
            ("CRC-8/MAXIM", 1, 0xa1),
            ("sum", 2, 0x01dd),
            ("Internet checksum", 2, 0xf62a),
            ("Fletcher-16", 2, 0x1ede),
            ("CRC-16/CCITT-FALSE", 2, 0x29b1),
            ("CRC-16/XMODEM", 2, 0x31c3),
            ("CRC-16/GENIBUS", 2, 0xd64e),
            ("CRC-16/MODBUS", 2, 0x4b37),
            ("CRC-16/ARC", 2, 0xbb3d),
            ("CRC-16/KERMIT", 2, 0x2189),
            ("CRC-16/X-25", 2, 0x906e),
            ("CRC-16/DNP", 2, 0xea82),
            ("sum", 4, 0x01dd),
            ("CRC-32", 4, 0xcbf4_3926),
            ("CRC-32C", 4, 0xe306_9283),
            ("CRC-32/BZIP2", 4, 0xfc89_1918),
            ("CRC-32/MPEG-2", 4, 0x0376_e6e7),
            ("Adler-32", 4, 0x091e_01de),
        ];
        assert_eq!(values, expected);
    }

    fn claim_of(rows: &[Vec<u8>]) -> Option<Claim> {
        let messages: Vec<Message<'_>> = rows.iter().map(|row| Message::whole(row)).collect();
        trailing(&Table::new(messages.iter().collect()))
    }

    #[test]
    fn a_checksum_at_the_end_needs_three_values_or_six_if_it_is_one_byte() {
        let crc = |number: u8| {
            let body = [b"head", &[number, 7][..]].concat();
            let sum = crc(&body[4..], 32, 0x04c1_1db7, 0xffff_ffff, true, 0xffff_ffff);
            [body, u32::try_from(sum).unwrap().to_le_bytes().to_vec()].concat()
        };
        let claim = claim_of(&[crc(1), crc(2), crc(3)]).unwrap();
        assert_eq!(
            (claim.width, claim.shape, claim.why.as_str()),
            (4, Shape::Number(Endian::Little), "CRC-32 of the bytes from 4 on")
        );
        assert!(claim_of(&[crc(1), crc(2)]).is_none());
        let exclusive = |number: u8| vec![number, 0x55, number ^ 0x55];
        let rows: Vec<Vec<u8>> = (1..7).map(exclusive).collect();
        assert_eq!(claim_of(&rows).unwrap().why, "exclusive or of all bytes in front");
        assert!(claim_of(&rows[..5]).is_none());
    }
}
