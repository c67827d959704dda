//! Encrypted records of DTLS 1.3 (RFC 9147 section 4).
//!
//! ```text
//! header     001:3 bits | C:1 | S:1 | L:1 | epoch:2 | connection ID if C | sequence number:1, or 2 if S | length:2 if L
//! mask       AES-ECB or ChaCha20 of the first 16 bytes of the ciphertext, with the key of record numbers
//! payload    ciphertext of content, type:1, zeros | tag:16      authenticated with the header and its decrypted sequence number
//! epochs     2 handshake, 3 first application keys, then one more for each KeyUpdate
//! ACK        length:2 | epoch:8, sequence number:8 | ..
//! ```

use super::records::{Session, Sum};
use super::*;
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::keys::{Decryptor, EncryptedRecord, LabelPrefix, NumberKey, Plaintext};
use crate::protocols::tls::summary::Summary;
use crate::tree::{Field, Side, Value};
use crate::wire::{Result, Wire};

/// Epoch of handshake messages after the hellos.
const HANDSHAKE: u64 = 2;

/// First epoch of application data.
const ESTABLISHED: u64 = 3;

/// Maximum number of epochs whose keys are kept: records of the previous one may arrive late.
const MAX_EPOCHS: usize = 3;

/// Keys of an epoch.
struct Epoch {
    number: u64,
    decryptor: Decryptor,
    number_key: NumberKey,
    /// The next expected sequence number.
    next: u64,
}

/// Keys of one direction, latest epoch last.
#[derive(Default)]
pub(super) struct Epochs {
    known: Vec<Epoch>,
}

/// Location of an encrypted record in its datagram.
struct Header<'a> {
    /// Header as transmitted.
    bytes: &'a [u8],
    /// Range of the sequence number in the header.
    sequence: std::ops::Range<usize>,
    epoch_bits: u64,
}

/// A decrypted record.
struct Opened {
    epoch: u64,
    sequence: u64,
    content: Plaintext,
}

impl Epoch {
    /// Keys of an epoch, from the key log or derived from the previous epoch.
    fn of(number: u64, from: Side, hello: &Hello, wire: &Wire<'_>, before: Option<&Epoch>) -> Option<Epoch> {
        let label = match (number, from) {
            (HANDSHAKE, Side::Client) => "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
            (HANDSHAKE, Side::Server) => "SERVER_HANDSHAKE_TRAFFIC_SECRET",
            (ESTABLISHED, Side::Client) => "CLIENT_TRAFFIC_SECRET_0",
            (ESTABLISHED, Side::Server) => "SERVER_TRAFFIC_SECRET_0",
            _ => "",
        };
        let decryptor = match label {
            "" => before.filter(|before| before.number + 1 == number)?.decryptor.next_generation(hello.suite)?,
            label => Decryptor::from_traffic_secret(LabelPrefix::Dtls, wire.secret(label, &hello.client_random)?, hello.suite)?,
        };
        let number_key = decryptor.number_key(hello.suite)?;
        Some(Epoch { number, decryptor, number_key, next: 0 })
    }

    fn open(&self, header: &Header<'_>, payload: &[u8]) -> Option<Opened> {
        let mut plain = header.bytes.to_vec();
        let sent = plain.get_mut(header.sequence.clone())?;
        for (byte, mask) in sent.iter_mut().zip(self.number_key.mask(payload)?) {
            *byte ^= mask;
        }
        let low = sent.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let sequence = nearest(self.next, low, 8 * sent.len());
        let record = EncryptedRecord { header: &plain, payload, number: sequence, connection_id: &[] };
        Some(Opened { epoch: self.number, sequence, content: self.decryptor.decrypt(&record)? })
    }
}

/// The number nearest to `expected` with these low bits.
fn nearest(expected: u64, low: u64, bits: usize) -> u64 {
    let span = 1 << bits;
    let candidate = expected - expected % span + low;
    match candidate {
        _ if candidate + span / 2 < expected => candidate + span,
        _ if candidate > expected + span / 2 && candidate >= span => candidate - span,
        _ => candidate,
    }
}

impl Epochs {
    /// Decrypts a record. `None` if no key is known, `Some(None)` if the key does not decrypt it.
    fn open(&mut self, from: Side, hello: &Hello, header: &Header<'_>, wire: &Wire<'_>) -> Option<Option<Opened>> {
        let latest = self.known.last().map_or(HANDSHAKE, |epoch| epoch.number);
        // An epoch is at most one higher.
        let number = latest + 1 - (latest + 1).wrapping_sub(header.epoch_bits) % 4;
        let known = self.known.iter_mut().find(|epoch| epoch.number == number);
        if let Some(epoch) = known {
            let opened = epoch.open(header, wire.ahead());
            epoch.next = epoch.next.max(opened.as_ref().map_or(0, |opened| opened.sequence + 1));
            return Some(opened);
        }
        let mut epoch = Epoch::of(number, from, hello, wire, self.known.last())?;
        let opened = epoch.open(header, wire.ahead());
        if let Some(opened) = &opened {
            epoch.next = opened.sequence + 1;
            let place = self.known.partition_point(|known| known.number < number);
            self.known.insert(place, epoch);
            if self.known.len() > MAX_EPOCHS {
                self.known.remove(0);
            }
        }
        Some(opened)
    }

    /// Approximate heap memory use in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.known.iter().map(|epoch| size_of::<Epoch>() + epoch.decryptor.memory_usage()).sum()
    }
}

impl Session {
    /// Dissects an encrypted record, decrypted if its secret is known.
    pub(super) fn unified(&mut self, from: Side, wire: &mut Wire<'_>, sum: &mut Sum) -> Result {
        let (start, ahead) = (wire.at(), wire.ahead());
        let flags = wire.flags(&UNIFIED, 1, &[&HAS_ID, &IS_LONG, &HAS_LENGTH, &EPOCH_BITS])?;
        let has = |flag: &Field| flag.bits_of(flags) != 0;
        sum.records += 1;
        if has(&HAS_ID) {
            match self.hello.connection_ids[from] {
                Some(0) => {}
                Some(length) => drop(wire.bytes(&RECORD_ID, length.into())?),
                // Without the hellos, the length of the connection ID is unknown.
                None => {
                    sum.summary.name("encrypted");
                    sum.bytes += wire.remaining();
                    return wire.rest_is(&ENCRYPTED);
                }
            }
        }
        let at = wire.at() - start;
        if has(&IS_LONG) {
            wire.u16_be(&SEQUENCE_NUMBER).map(drop)?
        } else {
            wire.u8(&SEQUENCE_NUMBER).map(drop)?
        }
        let sequence = at..wire.at() - start;
        let length = if has(&HAS_LENGTH) { usize::from(wire.u16_be(&RECORD_LENGTH)?) } else { wire.remaining() };
        sum.bytes += length;
        let bytes = ahead.get(..wire.at() - start).unwrap_or_default();
        let header = Header { bytes, sequence, epoch_bits: EPOCH_BITS.bits_of(flags) };
        wire.within(length, &DATA, |wire| {
            if wire.remaining() == length {
                self.unified_payload(from, &header, wire, &mut sum.summary)
            } else {
                sum.summary.name("encrypted");
                wire.rest_is(&ENCRYPTED)
            }
        })
    }

    fn unified_payload(&mut self, from: Side, header: &Header<'_>, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        let opened = self.directions[from].epochs.open(from, &self.hello, header, wire);
        let (at, length) = (wire.at(), wire.remaining());
        let has_key = opened.is_some();
        let Some(Opened { epoch, sequence, content }) = opened.flatten() else {
            summary.name("encrypted");
            wire.rest(&ENCRYPTED);
            if has_key {
                wire.note(&NOT_OPENED, format_args!("the configured secret does not decrypt it"));
            }
            return Ok(());
        };
        wire.put_over(&EPOCH, Value::Unsigned(epoch), None, |_| {});
        wire.put_over(&DECRYPTED_NUMBER, Value::Unsigned(sequence), None, |_| {});
        wire.put(&ENCRYPTED, Value::Bytes, at..at + length);
        wire.deciphered("dtls", length, content.from, &content.bytes, |inner| self.typed_content(from, inner, summary))
    }

    /// Dissects decrypted content, which is followed by its type and zeros.
    pub(super) fn typed_content(&mut self, from: Side, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        let bytes = wire.ahead();
        let Some(end) = bytes.iter().rposition(|byte| *byte != 0) else {
            return wire.malformed(&NO_TYPE, format_args!("the plaintext consists of zeros"));
        };
        let kind = bytes.get(end).copied().unwrap_or_default();
        wire.within(end, &DATA, |wire| self.content(from, kind, wire, summary))?;
        wire.u8(&CONTENT_TYPE)?;
        wire.rest_is(&PADDING)
    }
}

/// Dissects an ACK: the list of received records.
pub(super) fn ack(wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
    summary.name("ack");
    let length = wire.u16_be(&ACKS_LENGTH)?;
    wire.within(length.into(), &DATA, |wire| {
        wire.groups(&ACK_NUMBER, |wire| {
            wire.u64_be(&ACK_EPOCH)?;
            wire.u64_be(&ACK_SEQUENCE).map(drop)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_is_the_nearest_that_ends_with_the_bits() {
        assert_eq!([nearest(0, 0, 8), nearest(0, 255, 8), nearest(1, 0, 16)], [0, 255, 0]);
        assert_eq!([nearest(0x1ff, 0x02, 8), nearest(0x201, 0xfe, 8), nearest(0x201, 0x05, 8)], [0x202, 0x1fe, 0x205]);
        assert_eq!([nearest(0x1_0000, 0xfffe, 16), nearest(0xffff, 1, 16)], [0xfffe, 0x1_0001]);
    }
}
