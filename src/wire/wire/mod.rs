//! The reading cursor: one call reads bytes, names the field and records the span.

mod context;
mod handover;
mod numbers;
mod places;
mod secrets;
mod steps;
mod summary;

use super::notes::{DEEP, LEFT_OVER};
use super::{Error, Request, Result, data};
use crate::tree::{
    Bits, ExportedObject, Extras, Field, Kind, LayerId, MAX_DEPTH, Mark, Object, Piece, Span, TextRange, Transfer, Tree, Value,
};
use std::fmt;
use std::ops::Range;

/// Whether and why bytes after the end are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// No bytes are missing.
    No,
    /// The capture truncated the frame.
    Capture,
    /// The stream or the capture ended inside the message.
    Stream {
        /// Length of the message, as far as known.
        needed: usize,
    },
    /// Bytes of the stream were lost inside the message.
    Lost {
        /// Length of the message, as far as known.
        needed: usize,
        /// Number of missing bytes.
        lost: u64,
    },
}

/// A cursor over the bytes of one layer. Every read adds a node to the tree.
///
/// Reading fails with [`Error::Short`] when the bytes end too early, or as the function fails that it calls.
pub struct Wire<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    source: u32,
    layer: LayerId,
    cut: Cut,
    depth: usize,
    tree: &'a mut Tree,
}

/// A reader for each kind of number: size, byte order, value.
macro_rules! numbers {
    ($($name:ident: $type:ty, $from:ident, $value:expr, $doc:literal;)+) => {$(
        #[doc = concat!("Read ", $doc, ".")]
        #[inline]
        pub fn $name(&mut self, field: &'static Field) -> Result<$type> {
            let start = self.at;
            let number = <$type>::$from(self.take()?);
            self.push(field, $value(number.into()), start..self.at);
            Ok(number)
        }
    )+};
}

impl<'a> Wire<'a> {
    /// Creates a cursor over `range` of a source, for the fields of a layer.
    pub fn new(tree: &'a mut Tree, layer: LayerId, source: u32, bytes: &'a [u8], range: Range<usize>, cut: Cut) -> Wire<'a> {
        let end = range.end.min(bytes.len());
        Wire { bytes, at: range.start.min(end), end, source, layer, cut, depth: 0, tree }
    }

    numbers! {
        u8: u8, from_be_bytes, Value::Unsigned, "a byte";
        i8: i8, from_be_bytes, Value::Signed, "a signed byte";
        u16_be: u16, from_be_bytes, Value::Unsigned, "an unsigned 16-bit number, big-endian";
        u16_le: u16, from_le_bytes, Value::Unsigned, "an unsigned 16-bit number, little-endian";
        i16_be: i16, from_be_bytes, Value::Signed, "a signed 16-bit number, big-endian";
        i16_le: i16, from_le_bytes, Value::Signed, "a signed 16-bit number, little-endian";
        u32_be: u32, from_be_bytes, Value::Unsigned, "an unsigned 32-bit number, big-endian";
        u32_le: u32, from_le_bytes, Value::Unsigned, "an unsigned 32-bit number, little-endian";
        i32_be: i32, from_be_bytes, Value::Signed, "a signed 32-bit number, big-endian";
        i32_le: i32, from_le_bytes, Value::Signed, "a signed 32-bit number, little-endian";
        u64_be: u64, from_be_bytes, Value::Unsigned, "an unsigned 64-bit number, big-endian";
        u64_le: u64, from_le_bytes, Value::Unsigned, "an unsigned 64-bit number, little-endian";
        i64_be: i64, from_be_bytes, Value::Signed, "a signed 64-bit number, big-endian";
        i64_le: i64, from_le_bytes, Value::Signed, "a signed 64-bit number, little-endian";
        f32_be: f32, from_be_bytes, Value::Single, "a 32-bit floating-point number, big-endian";
        f32_le: f32, from_le_bytes, Value::Single, "a 32-bit floating-point number, little-endian";
        f64_be: f64, from_be_bytes, Value::Double, "a 64-bit floating-point number, big-endian";
        f64_le: f64, from_le_bytes, Value::Double, "a 64-bit floating-point number, little-endian";
    }

    /// Reads a byte as a boolean: true unless 0.
    pub fn bool(&mut self, field: &'static Field) -> Result<u8> {
        let start = self.at;
        let [byte] = self.take()?;
        self.push(field, Value::Bool(byte != 0), start..self.at);
        Ok(byte)
    }

    /// Reads a big-endian number of `count` bytes, at most 8, as the masked bits of several fields.
    pub fn bits(&mut self, count: usize, fields: &[&'static Field]) -> Result<u64> {
        let (raw, range) = self.raw(count)?;
        for &field in fields {
            self.push_bits(field, raw, range.clone());
        }
        Ok(raw)
    }

    /// Reads a big-endian number of `count` bytes, at most 8, as one field with its bits below it.
    pub fn flags(&mut self, field: &'static Field, count: usize, bits: &[&'static Field]) -> Result<u64> {
        let (raw, range) = self.raw(count)?;
        let place = self.push_bits(field, raw, range.clone());
        for &bit in bits {
            self.push_bits(bit, raw, range.clone());
        }
        self.tree.close(place, field, range.end);
        Ok(field.bits_of(raw))
    }

    fn raw(&mut self, count: usize) -> Result<(u64, Range<usize>)> {
        let start = self.at;
        let raw = match self.slice(count)? {
            [byte] => u64::from(*byte),
            [high, low] => u64::from(u16::from_be_bytes([*high, *low])),
            bytes => bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte)),
        };
        Ok((raw, start..self.at))
    }

    #[inline(always)]
    fn push_bits(&mut self, field: &'static Field, raw: u64, range: Range<usize>) -> u32 {
        if !self.tree.notices(field) {
            return self.tree.here();
        }
        let number = field.bits_of(raw);
        let value = if field.kind == Kind::Bool { Value::Bool(number != 0) } else { Value::Unsigned(number) };
        self.push(field, value, range)
    }

    /// Reads `count` bytes.
    pub fn bytes(&mut self, field: &'static Field, count: usize) -> Result<&'a [u8]> {
        let start = self.at;
        let bytes = self.slice(count)?;
        self.push(field, Value::Bytes, start..self.at);
        Ok(bytes)
    }

    /// Reads the next `count` bytes as text.
    pub fn text(&mut self, field: &'static Field, count: usize) -> Result<&'a [u8]> {
        let start = self.at;
        let bytes = self.slice(count)?;
        self.push(field, Value::Text, start..self.at);
        Ok(bytes)
    }

    /// Reads text up to and including a NUL, which is not part of the value.
    ///
    /// # Errors
    /// [`Error::Short`] when no NUL follows.
    pub fn text_nul(&mut self, field: &'static Field) -> Result<&'a [u8]> {
        let start = self.at;
        let text = memchr::memchr(0, self.ahead()).ok_or(Error::Short { needed: 1 })?;
        let bytes = self.slice(text + 1)?;
        self.push(field, Value::Text, start..self.at);
        Ok(bytes.get(..text).unwrap_or_default())
    }

    /// Reads `count` bytes as text of which only `range` is the value, such as the part between delimiters.
    pub fn words(&mut self, field: &'static Field, count: usize, range: Range<usize>) -> Result<&'a [u8]> {
        let start = self.at;
        let bytes = self.slice(count)?;
        let text = bytes.get(range).unwrap_or(bytes);
        if text.len() == count || !self.tree.notices(field) {
            self.push(field, Value::Text, start..self.at)
        } else {
            self.put_text(field, start..self.at, format_args!("{}", String::from_utf8_lossy(text)))
        };
        Ok(text)
    }

    /// Reads all remaining bytes. Adds nothing if there are none.
    pub fn rest(&mut self, field: &'static Field) -> &'a [u8] {
        let rest = self.ahead();
        if !rest.is_empty() {
            // Bytes without fields are shown as part of the whole message.
            if self.tree.notices(field) || field.is(&data::BYTES) || self.tree.demand().has(Extras::BYTES) {
                self.hide_credentials(self.at..self.end);
            }
            if field.is(&data::BYTES) && self.wants_preview() {
                self.preview_data(rest);
            }
            let value = if field.kind == Kind::Text { Value::Text } else { Value::Bytes };
            self.push(field, value, self.at..self.end);
            self.at = self.end;
        }
        rest
    }

    /// Reads fields of a group. The group ends where reading ends, also on an error.
    /// # Errors
    /// Those of `read`, and [`Error::Malformed`] when groups nest deeper than [`MAX_DEPTH`].
    pub fn group<T>(&mut self, field: &'static Field, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.parent(field, Value::None, read)
    }

    /// Reads fields below a value: like [`Wire::group`], but the parent has a value.
    pub fn parent<T>(&mut self, field: &'static Field, value: Value, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return self.malformed(&DEEP, format_args!("more than {MAX_DEPTH} levels"));
        }
        let place = self.push(field, value, self.at..self.at);
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        self.tree.close(place, field, self.at);
        result
    }

    /// Adds computed fields as a group.
    pub fn gather(&mut self, field: &'static Field, put: impl FnOnce(&mut Self)) {
        let place = self.add(field, Value::None);
        put(self);
        self.tree.close(place, field, 0);
    }

    /// Reads within the next `count` bytes: no read passes their end, and unread bytes get a note and the field `rest`.
    ///
    /// # Errors
    /// [`Error::Short`] if there are fewer, after reading the available ones; and those of `read`.
    pub fn within<T>(&mut self, count: usize, rest: &'static Field, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = self.end;
        let needed = count.saturating_sub(self.remaining());
        if needed == 0 {
            self.end = self.at + count;
        }
        let result = read(self);
        if result.is_ok() && needed == 0 && self.at < self.end {
            let left = self.remaining();
            self.rest(rest);
            self.note(&LEFT_OVER, format_args!("{left} more than the fields explain"));
        }
        self.end = outer;
        if needed > 0 && result.is_ok() { Err(Error::Short { needed }) } else { result }
    }

    /// Dissects bytes derived from the next `count` ones, such as decompressed or decrypted ones. Those are skipped; the fields
    /// of `read` are in a separate buffer.
    pub fn derived<T>(
        &mut self,
        method: &'static str,
        count: usize,
        bytes: &[u8],
        read: impl FnOnce(&mut Wire<'_>) -> Result<T>,
    ) -> Result<T> {
        let start = self.at;
        self.skip(count)?;
        let from = Span::new(self.source, start..self.at);
        let first = self.tree.pieces.len();
        let source = self.tree.push_derived(method, Some(from), first, bytes);
        read(&mut self.inside(source, bytes))
    }

    /// Dissects bytes decrypted from the next `count` ones: the same, but each byte corresponds to one of those, from the one at
    /// `from` on.
    pub fn deciphered<T>(
        &mut self,
        method: &'static str,
        count: usize,
        from: usize,
        bytes: &[u8],
        read: impl FnOnce(&mut Wire<'_>) -> Result<T>,
    ) -> Result<T> {
        let start = self.at;
        let pieces = self.pieces(start + from..start + (from + bytes.len()).min(count), 0);
        self.skip(count)?;
        let first = self.tree.pieces.len();
        self.tree.pieces.extend_from_slice(&pieces);
        let source = self.tree.push_deciphered(method, Some(Span::new(self.source, start..self.at)), first, bytes);
        read(&mut self.inside(source, bytes))
    }

    /// Dissects a buffer reassembled from several messages, with the captured `pieces` from [`Wire::piece`]. The fields of `read`
    /// are in this buffer.
    pub fn joined<T>(
        &mut self,
        method: &'static str,
        pieces: &[Piece],
        bytes: &[u8],
        read: impl FnOnce(&mut Wire<'_>) -> T,
    ) -> T {
        let first = self.tree.pieces.len();
        self.tree.pieces.extend_from_slice(pieces);
        let source = self.tree.push_derived(method, None, first, bytes);
        read(&mut self.inside(source, bytes))
    }

    /// The same for decrypted messages: no byte of the buffer is in a frame.
    pub fn joined_deciphered<T>(
        &mut self,
        method: &'static str,
        pieces: &[Piece],
        bytes: &[u8],
        read: impl FnOnce(&mut Wire<'_>) -> T,
    ) -> T {
        let first = self.tree.pieces.len();
        self.tree.pieces.extend_from_slice(pieces);
        let source = self.tree.push_deciphered(method, None, first, bytes);
        read(&mut self.inside(source, bytes))
    }

    /// Reads with this truncation.
    pub(crate) fn as_cut<T>(&mut self, cut: Cut, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.cut, cut);
        let result = read(self);
        self.cut = before;
        result
    }

    fn inside<'i>(&'i mut self, source: u32, bytes: &'i [u8]) -> Wire<'i> {
        Wire { bytes, at: 0, end: bytes.len(), source, layer: self.layer, cut: Cut::No, depth: self.depth, tree: self.tree }
    }

    /// Origin of a range of the source in frames, for later reassembly: `off` is its offset in the reassembled buffer.
    #[must_use]
    pub fn piece(&self, range: Range<usize>, off: u64) -> Piece {
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let own = Piece {
            off,
            len: narrow(range.len()),
            frame: self.tree.frame.number,
            at: narrow(range.start),
            time: self.tree.frame.time,
        };
        let source = self.tree.sources.get(self.source as usize);
        let (base, pieces) = source.map(|source| (source.base, self.tree.pieces_of(source))).unwrap_or_default();
        let start = base + range.start as u64;
        // Pieces are contiguous and in order.
        let first = pieces.partition_point(|piece| piece.end() <= start);
        match pieces.get(first).and_then(|piece| piece.clip(&(start..start + range.len() as u64))) {
            Some(clipped) => Piece { off, ..clipped },
            None => own,
        }
    }

    /// The same for bytes from several frames.
    #[must_use]
    pub fn pieces(&self, range: Range<usize>, off: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let piece = self.piece(at..range.end, off + (at - range.start) as u64);
            at += (piece.len as usize).max(1);
            pieces.push(piece);
        }
        pieces
    }

    /// Adds a computed value.
    pub fn add(&mut self, field: &'static Field, value: Value) -> u32 {
        self.tree.push(field, value, Span::NONE)
    }

    /// Adds computed text.
    pub fn add_text(&mut self, field: &'static Field, words: fmt::Arguments<'_>) -> u32 {
        let place = self.add(field, Value::None);
        self.set_text(place, field, |out| out.write_fmt(words));
        place
    }

    /// Sets the text of a field that was added as [`Value::None`], at this index.
    pub fn set_text(&mut self, place: u32, field: &'static Field, words: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) {
        self.tree.set_text(place, field, words);
    }

    /// Offers an exportable object. `make` runs only if objects are exported.
    pub fn object(&mut self, kind: &'static str, name: &str, make: impl FnOnce() -> Option<Vec<u8>>) {
        self.picture(kind, name, || Some((make()?, Vec::new())));
    }

    /// Offers an exportable picture with marked positions. `make` runs only if objects are exported.
    pub fn picture(&mut self, kind: &'static str, name: &str, make: impl FnOnce() -> Option<(Vec<u8>, Vec<Mark>)>) {
        let Some(layer) = self.tree.layers.get(self.layer as usize) else { return };
        let stream = self.tree.ends.get(layer.ends as usize).and_then(|ends| ends.stream);
        let protocol = self.tree.nodes.get(layer.node as usize).map(|node| node.field);
        if self.tree.demand().has(Extras::OBJECTS)
            && let Some(protocol) = protocol
            && let Some((bytes, marks)) = make()
        {
            let object = Object { kind, name: name.to_owned(), bytes, marks };
            let stream = stream.map(|(stream, _)| stream);
            self.tree.outcome.objects.push(ExportedObject { object, protocol, stream, message: Some(layer.node) });
        }
    }

    /// Records a completed transfer of `bytes` bytes in response to a request, if transfers are counted.
    pub fn transferred(&mut self, what: &'static str, bytes: usize, asked: Request) {
        if !self.tree.demand().has(Extras::TRANSFERS) {
            return;
        }
        let layer = self.tree.layers.get(self.layer as usize);
        let Some(protocol) = layer.and_then(|layer| self.tree.nodes.get(layer.node as usize)).map(|node| node.field) else {
            return;
        };
        let (frame, came) = self.completed();
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.tree.outcome.transfers.push(Transfer { protocol, what, bytes, requested: asked.time, completed: came, frame });
    }

    /// Adds a value above the nodes of its details. Without a range, these are in several places.
    pub fn put_over(&mut self, field: &'static Field, value: Value, range: Option<Range<usize>>, below: impl FnOnce(&mut Self)) {
        let end = range.as_ref().map_or(0, |range| range.end);
        let place = match range {
            Some(range) => self.push(field, value, range),
            None => self.add(field, value),
        };
        below(self);
        self.tree.close(place, field, end);
    }

    /// Adds a value at a range of the source, in positions of [`Wire::at`].
    pub fn put(&mut self, field: &'static Field, value: Value, range: Range<usize>) -> u32 {
        self.push(field, value, range)
    }

    /// Adds text that is not on the wire, at the range it was derived from.
    pub fn put_text(&mut self, field: &'static Field, range: Range<usize>, words: fmt::Arguments<'_>) -> u32 {
        let made = if self.tree.demand().may_keep(field) { self.tree.make(words) } else { TextRange::default() };
        if !made.is_empty() && self.tree.searches_secrets() {
            let hidden = self.tree.masked_spans().len();
            self.hide_in_text(range.clone());
            // A text whose bytes are masked shows what is left of them.
            if self.tree.masked_spans().len() == hidden {
                self.mask_made(made);
            }
        }
        self.push(field, Value::Generated(made), range)
    }

    /// Adds a value that consists of these bits of a range of the source.
    pub fn put_bits(&mut self, field: &'static Field, value: Value, range: Range<usize>, bits: Bits) -> u32 {
        let end = range.end.min(self.bytes.len());
        let range = range.start.min(end)..end;
        self.tree.push_bits(field, value, Span::new(self.source, range), bits)
    }

    /// Closes the node at `place`: nodes added since are below it, and its bytes end at `end`.
    pub(super) fn close(&mut self, place: u32, field: &'static Field, end: usize) {
        self.tree.close(place, field, end);
    }

    /// The bytes from an earlier position on.
    pub(super) fn behind(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..self.end).unwrap_or_default()
    }

    /// Spans are clamped to the end of their source, whatever a dissector requests.
    #[inline(always)]
    fn push(&mut self, field: &'static Field, value: Value, range: Range<usize>) -> u32 {
        // Most runs request few fields.
        if self.tree.takes(field, value) { self.store(field, value, range) } else { self.tree.here() }
    }

    #[inline(never)]
    fn store(&mut self, field: &'static Field, value: Value, range: Range<usize>) -> u32 {
        let end = range.end.min(self.bytes.len());
        let range = range.start.min(end)..end;
        if matches!(value, Value::Text) && self.tree.searches_secrets() {
            self.hide_in_text(range.clone());
        }
        self.tree.keep(field, value, Span::new(self.source, range))
    }

    /// Skips bytes that a field added with [`Wire::put`] covers.
    pub fn skip(&mut self, count: usize) -> Result {
        self.slice(count).map(drop)
    }

    /// Continues after a reader that stopped anywhere: the layer ends at `end`, and no group is open.
    #[cold]
    pub(crate) fn recover(&mut self, end: usize) {
        self.end = end.min(self.bytes.len());
        self.at = self.at.min(self.end);
        self.depth = 0;
    }

    /// The unread bytes.
    #[must_use]
    pub fn ahead(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    /// Number of unread bytes.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.end - self.at
    }

    /// The position in the source.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// The current source.
    #[must_use]
    pub fn source(&self) -> u32 {
        self.source
    }

    /// Whether and why bytes after the end are missing.
    #[must_use]
    pub fn cut(&self) -> Cut {
        self.cut
    }

    #[inline]
    fn slice(&mut self, count: usize) -> Result<&'a [u8]> {
        let bytes = self.ahead().get(..count).ok_or_else(|| self.lacks(count))?;
        self.at += count;
        Ok(bytes)
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.ahead().first_chunk().ok_or_else(|| self.lacks(N))?;
        self.at += N;
        Ok(*bytes)
    }

    #[cold]
    fn lacks(&self, count: usize) -> Error {
        Error::Short { needed: count.saturating_sub(self.remaining()) }
    }
}
