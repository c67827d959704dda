//! Reads bytes from a stream: sizes, padding, terminators and processing.

use super::failure::{Failure, Outcome};
use super::process::{Arguments, NotInflated, inflate, rotate_left, xor};
use super::running::{Fed, StageCall};
use super::value::{Blob, DERIVED, Derived, Slot, Stream, V};
use super::variables::Cause;
use super::{Frame, Machine};
use crate::ksy::compile::program::{BytesCode, Code, ProcessCode, SizeCode, TerminatorCode};
use crate::ksy::notes;
use crate::ksy::process::Failure as Failed;
use crate::limits;

impl Machine<'_, '_> {
    /// Reads bytes. The slot gets the span of all consumed bytes, and those bytes as long as they are not processed; the result is
    /// the value. There is none if they cannot be deciphered.
    pub(super) fn take(&mut self, frame: &Frame, code: &BytesCode, slot: &mut Slot) -> Outcome<Option<Blob>> {
        let value = self.raw(frame, code, slot)?;
        slot.value = V::Bytes(value);
        match &code.process {
            None => Ok(Some(value)),
            Some(process) => match self.process(frame, process, value) {
                Ok(processed) => Ok(Some(processed)),
                Err(failure) if failure.is_unknown() => {
                    slot.value = V::Opaque(value);
                    Ok(None)
                }
                Err(failure) => Err(failure),
            },
        }
    }

    /// The same without processing.
    pub(super) fn raw(&mut self, frame: &Frame, code: &BytesCode, slot: &mut Slot) -> Outcome<Blob> {
        let size = match code.size {
            SizeCode::Expr(size) => Some(self.size(frame, size)?),
            SizeCode::Eos | SizeCode::Terminator => None,
        };
        let stream = Stream { bits_left: 0, ..self.stream(frame.io) };
        let left = stream.remaining();
        let start = stream.at;
        slot.start = start;
        let (value, end) = match (code.size, size, &code.terminator) {
            (SizeCode::Terminator, _, Some(terminator)) => self.up_to(frame.io, stream, terminator)?,
            (_, Some(size), _) if size > u64::from(left) && self.reads_cut && left > 0 => {
                self.cuts(frame.io, size, left);
                (Blob { buffer: stream.buffer, start, end: stream.end }, stream.end)
            }
            (_, Some(size), _) if size > u64::from(left) => return self.short(frame.io, size, left),
            (_, size, terminator) => {
                let taken = size.map_or(left, |size| u32::try_from(size).unwrap_or(left));
                let end = start + taken;
                let mut value = Blob { buffer: stream.buffer, start, end };
                // Padding after a terminator is removed with it, and padding may consist of terminators.
                let terminated = terminator.as_ref().and_then(|terminator| {
                    let at = find(self.bytes(value), &terminator.bytes)?;
                    Some(at + if terminator.include { width(terminator) } else { 0 })
                });
                value.end = match (terminated, code.pad_right) {
                    (Some(len), _) => start + len,
                    (None, Some(pad)) => end - self.padding(value, pad),
                    (None, None) => end,
                };
                (value, end)
            }
        };
        slot.end = end;
        // Bytes covered by several fields are read several times.
        self.burn(frame.io, (end - start).max(value.len()) as usize / BYTES_PER_OPERATION)?;
        self.set_stream(frame.io, Stream { at: end, ..stream });
        Ok(value)
    }

    /// Records that bytes are cut.
    #[cold]
    fn cuts(&mut self, io: u32, size: u64, left: u32) {
        if let Err(short) = self.short::<()>(io, size, left) {
            self.cut_short.get_or_insert(short);
        }
    }

    /// Number of padding bytes at the end.
    fn padding(&self, value: Blob, pad: u8) -> u32 {
        let padding = self.bytes(value).iter().rev().take_while(|byte| **byte == pad).count();
        u32::try_from(padding).unwrap_or_default()
    }

    fn size(&mut self, frame: &Frame, size: Code) -> Outcome<u64> {
        match self.eval(frame, size)? {
            V::Int(number) => match u64::try_from(number) {
                Ok(size) => Ok(size),
                Err(_) if number < 0 => self.fail(frame.io, &notes::RANGE, format!("the size is {number}")),
                Err(_) => self.short(frame.io, u64::MAX, self.stream(frame.io).remaining()),
            },
            other => self.wrong_kind(frame, "an integer", other),
        }
    }

    /// The bytes up to a terminator, and the next position of the stream.
    fn up_to(&mut self, io: u32, stream: Stream, terminator: &TerminatorCode) -> Outcome<(Blob, u32)> {
        let all = Blob { buffer: stream.buffer, start: stream.at.min(stream.end), end: stream.end };
        // Bytes searched before, when fewer had arrived.
        let searched = self.searched(io, all);
        let found = find(self.bytes(Blob { start: all.start + searched, ..all }), &terminator.bytes);
        match found.map(|at| at + searched) {
            Some(at) => {
                let (end, behind) = (all.start + at, all.start + at + width(terminator));
                let value = Blob { end: if terminator.include { behind } else { end }, ..all };
                Ok((value, if terminator.consume { behind } else { end }))
            }
            None if terminator.eos_error || self.is_open(io) => {
                self.remember_search(io, all, width(terminator));
                let wanted = u64::from(all.len()) + u64::from(width(terminator));
                self.short(io, wanted, all.len()).map_err(|mut failure: Box<Failure>| {
                    failure.text = format!("no terminator in the {} bytes that are left", all.len());
                    failure.wait = failure.wait.and(None);
                    failure
                })
            }
            None => Ok((all, all.end)),
        }
    }

    /// Processed bytes, in a separate buffer.
    fn process(&mut self, frame: &Frame, code: &ProcessCode, from: Blob) -> Outcome<Blob> {
        let remaining = limits::KSY_PROCESSED.get().saturating_sub(self.memory.derived_bytes);
        if from.len() as usize + BUFFER > remaining {
            return self.limited(frame.io, &notes::INFLATED, &limits::KSY_PROCESSED);
        }
        let bytes = match code {
            ProcessCode::Xor(key) => {
                let (key, keys) = self.deciphering(|machine| machine.eval(frame, *key));
                self.used.keys |= keys;
                match key? {
                    V::Int(key) => xor(self.bytes(from), &[u8::try_from(key & 0xff).unwrap_or_default()]),
                    V::Bytes(key) => xor(self.bytes(from), self.bytes(key)),
                    other => return self.wrong_kind(frame, "an integer or bytes", other),
                }
            }
            ProcessCode::RotateLeft(bits) => {
                let bits = self.int(frame, *bits)?;
                rotate_left(self.bytes(from), bits)
            }
            ProcessCode::RotateRight(bits) => {
                let bits = self.int(frame, *bits)?;
                rotate_left(self.bytes(from), bits.checked_neg().unwrap_or_default())
            }
            ProcessCode::Zlib => match inflate(self.bytes(from), self.decompressible(remaining)) {
                Ok(bytes) => {
                    self.memory.decompressed += bytes.len();
                    bytes
                }
                Err(NotInflated::TooLong) => {
                    // Discarded output counts, or a second decompression bomb would cost as much as the first.
                    self.memory.derived_bytes += remaining;
                    return self.limited(frame.io, &notes::INFLATED, &limits::KSY_PROCESSED);
                }
                Err(NotInflated::Damaged(inflated)) => {
                    self.memory.derived_bytes += inflated;
                    return self.fail(frame.io, &notes::PROCESS, String::from("the zlib stream is damaged"));
                }
            },
            ProcessCode::Custom(processor, args) => {
                let values = args.iter().map(|arg| self.eval(frame, *arg)).collect::<Outcome<Vec<V>>>()?;
                let bytes_of = |value| if let V::Bytes(blob) = value { self.bytes(blob).to_vec() } else { Vec::new() };
                match processor.process(self.bytes(from), &Arguments { values: &values, bytes_of: &bytes_of }) {
                    Ok(bytes) => bytes,
                    Err(why) => return self.fail(frame.io, &notes::PROCESS, format!("{}: {why}", processor.name())),
                }
            }
            ProcessCode::Stage(stage, continues) => {
                let (args, keys) = self.deciphering(|machine| machine.arguments(frame, &stage.args));
                let call = StageCall { processor: stage.processor, args: args?, keys };
                self.used.keys |= keys;
                self.staged(frame, call, *continues, from, remaining)?
            }
            ProcessCode::Unknown => {
                return self.fail(frame.io, &notes::UNKNOWN, String::from("no processor has this name"));
            }
        };
        self.memory.derived_bytes += bytes.len() + BUFFER;
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let buffer = DERIVED + u32::try_from(self.memory.derived.len()).unwrap_or_default();
        self.memory.derived.push(Derived { bytes, from, method: code.method(), span: None });
        Ok(Blob { buffer, start: 0, end: len })
    }
}

impl Machine<'_, '_> {
    /// How many of these bytes a decompressor may produce: the sum of a run is bounded by a multiple of the capture.
    fn decompressible(&self, most: usize) -> usize {
        most.min(self.decompressible.saturating_sub(self.memory.decompressed))
    }

    /// Bytes behind a processor of the registry, which may go on from earlier messages.
    fn staged(&mut self, frame: &Frame, call: StageCall, continues: Option<u32>, from: Blob, most: usize) -> Outcome<Vec<u8>> {
        let name = call.processor.name;
        let keeps_length = call.processor.keeps_length;
        let most = if keeps_length { most } else { self.decompressible(most) };
        self.burn(frame.io, from.len() as usize / BYTES_PER_OPERATION)?;
        let processed = match continues {
            None => once(&call, self.bytes(from), most),
            Some(_) if self.cut_short.is_some() => Err(Fed::Unknown(Cause::Lost)),
            Some(continues) => {
                if let Some(ahead) = self.ahead.filter(|_| self.running.is_empty()) {
                    self.running = ahead.fork();
                }
                self.memory.continued |= 1 << continues.min(63);
                let mut running = std::mem::take(&mut self.running);
                let processed = running.feed(continues, call, self.bytes(from), most);
                self.running = running;
                processed
            }
        };
        match processed {
            Ok(bytes) => {
                self.memory.decompressed += if keeps_length { 0 } else { bytes.len() };
                Ok(bytes)
            }
            Err(Fed::Unknown(cause)) => self.unknown(frame.io, cause),
            Err(Fed::Wrong(why)) => self.fail(frame.io, &notes::PROCESS, format!("{name}: {why}")),
            Err(Fed::Failed(Failed::Damaged(why))) => {
                // Discarded output counts, or a second decompression bomb would cost as much as the first.
                self.memory.derived_bytes += from.len() as usize;
                self.fail(frame.io, &notes::PROCESS, format!("{name}: {why}"))
            }
            Err(Fed::Failed(Failed::TooLong)) => {
                self.memory.derived_bytes += most;
                self.limited(frame.io, &notes::INFLATED, &limits::KSY_PROCESSED)
            }
        }
    }
}

/// Bytes behind a processor that begins anew.
fn once(call: &StageCall, bytes: &[u8], most: usize) -> Result<Vec<u8>, Fed> {
    let mut stage = call.start().map_err(Fed::Wrong)?;
    let mut out = Vec::new();
    stage.feed(bytes, &mut out, most).map_err(Fed::Failed)?;
    let most = most.saturating_sub(out.len());
    stage.end_message(&mut out, most).map_err(Fed::Failed)?;
    Ok(out)
}

/// Overhead of a buffer of processed bytes, here and in the tree.
const BUFFER: usize = 256;

/// Number of bytes that count as an operation when they are searched, copied or printed.
pub(super) const BYTES_PER_OPERATION: usize = 64;

fn width(terminator: &TerminatorCode) -> u32 {
    u32::try_from(terminator.bytes.len()).unwrap_or_default()
}

/// The offset of a terminator: a multiple of its own width.
fn find(bytes: &[u8], terminator: &[u8]) -> Option<u32> {
    let at = match terminator {
        [byte] => memchr::memchr(*byte, bytes)?,
        [] => return None,
        unit => bytes.chunks_exact(unit.len()).position(|chunk| chunk == unit)? * unit.len(),
    };
    u32::try_from(at).ok()
}
