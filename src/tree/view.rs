//! A tree together with the frame's bytes, and its values as text.

use super::address_text::AddressText;
use super::clean::{clean, clean_escaped};
use super::{Address, Bits, Field, Kind, Layer, Layout, Node, Span, Tree, Value, name_of};
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::net::Ipv4Addr;
use std::ops::Range;

/// The mask of a secret value.
pub const MASKED_TEXT: &str = "***";

/// A tree and the bytes of its frame.
#[derive(Debug, Clone, Copy)]
pub struct Dissection<'t> {
    /// The tree.
    pub tree: &'t Tree,
    /// The frame.
    pub bytes: &'t [u8],
}

impl<'t> Dissection<'t> {
    /// The node at a place.
    #[must_use]
    pub fn node(self, place: u32) -> Option<NodeRef<'t>> {
        self.tree.nodes.get(place as usize).map(|node| self.node_at(place, node))
    }

    /// The node at a place below a parent, which titles and meanings may depend on.
    #[must_use]
    pub fn node_below(self, place: u32, parent: Option<u32>) -> Option<NodeRef<'t>> {
        self.node(place).map(|node| NodeRef { parent, ..node })
    }

    /// A node of the tree, which is at this place.
    #[inline]
    pub(crate) fn node_at(self, place: u32, node: &'t Node) -> NodeRef<'t> {
        NodeRef { of: self, place, node, parent: None }
    }

    /// The node of a layer.
    #[must_use]
    pub fn layer_node(self, layer: &Layer) -> Option<NodeRef<'t>> {
        self.node(layer.node)
    }

    /// The frame with secrets masked.
    #[must_use]
    pub fn masked_frame(self) -> Cow<'t, [u8]> {
        self.tree.masked(Span::new(0, 0..self.bytes.len()), self.bytes)
    }

    /// The bytes of a span.
    #[must_use]
    pub fn slice(self, span: Span) -> &'t [u8] {
        self.tree.slice(span, self.bytes)
    }
}

/// A node with access to its tree and bytes.
#[derive(Clone, Copy)]
pub struct NodeRef<'t> {
    of: Dissection<'t>,
    place: u32,
    node: &'t Node,
    parent: Option<u32>,
}

impl<'t> NodeRef<'t> {
    /// The dissection.
    #[must_use]
    pub fn dissection(self) -> Dissection<'t> {
        self.of
    }

    /// Its index in the tree.
    #[must_use]
    pub fn place(self) -> u32 {
        self.place
    }

    /// Its field.
    #[must_use]
    pub fn field(self) -> &'static Field {
        self.node.field
    }

    /// Its value. Bytes and texts of another span are also [`Value::Bytes`] and [`Value::Text`]; see [`NodeRef::value_bytes`].
    #[must_use]
    #[inline]
    pub fn value(self) -> Value {
        match self.node.value {
            Value::At(_) if self.node.field.kind == Kind::Text => Value::Text,
            Value::At(_) => Value::Bytes,
            value => value,
        }
    }

    /// The span of its value: its own, unless the value has another one.
    #[inline]
    fn value_span(self) -> Span {
        match self.node.value {
            Value::At(span) => span,
            _ => self.node.span,
        }
    }

    /// The bytes of its value: those of its span, unless the value has another one.
    #[must_use]
    pub fn value_bytes(self) -> &'t [u8] {
        self.of.slice(self.value_span())
    }

    /// Its span.
    #[must_use]
    pub fn span(self) -> Span {
        self.node.span
    }

    /// The bytes it was read from.
    #[must_use]
    pub fn bytes(self) -> &'t [u8] {
        self.of.slice(self.node.span)
    }

    /// The bytes from its first one to the end of the frame, or its own bytes if they are not in the frame. Secrets are masked.
    #[must_use]
    pub fn masked_onward(self) -> Cow<'t, [u8]> {
        let span = self.node.span;
        match self.of.bytes.get(span.start as usize..).filter(|_| span.source == 0 && span.is_somewhere()) {
            Some(onward) => self.of.tree.masked(Span::new(0, span.start as usize..self.of.bytes.len()), onward),
            None => self.masked_bytes(),
        }
    }

    /// Its bits within its bytes, counted from the most significant one, if it is not all of them.
    #[must_use]
    pub fn bits(self) -> Option<Bits> {
        let mask = self.node.field.mask;
        let masked = || {
            if mask == 0 {
                return None;
            }
            let highest = 64 - mask.leading_zeros();
            let first = self.node.span.len().saturating_mul(8).checked_sub(highest)?;
            let count = highest - mask.trailing_zeros();
            Some(Bits { first: u8::try_from(first).ok()?, count: u8::try_from(count).ok()? })
        };
        self.of.tree.bits_of(self.place).or_else(masked)
    }

    /// Whether its value is masked: a secret, or a number with secret bytes.
    #[must_use]
    #[inline]
    pub fn is_secret(self) -> bool {
        // Most trees have no secrets.
        let is_hidden = !self.of.tree.masked_spans().is_empty() && self.is_masked_number();
        self.node.field.secret && !self.of.tree.run.reveal || is_hidden
    }

    #[cold]
    fn is_masked_number(self) -> bool {
        let is_number = !matches!(self.value(), Value::None | Value::Bytes | Value::Text | Value::Generated(_));
        !self.node.field.public && is_number && self.has_masked_bytes()
    }

    /// Whether some of its bytes are masked.
    #[must_use]
    #[inline]
    pub fn has_masked_bytes(self) -> bool {
        !self.of.tree.masked_spans().is_empty() && self.overlaps_masked()
    }

    #[cold]
    fn overlaps_masked(self) -> bool {
        let hides = |span| self.of.tree.masked_in(span).next().is_some();
        let value = self.value_span();
        hides(self.node.span) || value != self.node.span && hides(value)
    }

    /// Masked ranges, relative to its first byte.
    #[must_use]
    pub fn masked_ranges(self) -> Vec<Range<usize>> {
        self.of.tree.masked_in(self.node.span).collect()
    }

    /// Its bytes with secrets masked.
    #[must_use]
    pub fn masked_bytes(self) -> Cow<'t, [u8]> {
        self.of.tree.masked(self.node.span, self.bytes())
    }

    /// Its children.
    pub fn children(self) -> impl Iterator<Item = NodeRef<'t>> {
        let (of, parent) = (self.of, Some(self.place));
        of.tree.children(self.place).map(move |(place, node)| NodeRef { of, node, place, parent })
    }

    /// The nodes after it in reading order, up to the next layer.
    pub fn behind(self) -> impl Iterator<Item = NodeRef<'t>> {
        let of = self.of;
        let nodes = (self.place.saturating_add(1)..of.tree.here()).map_while(move |place| of.node(place));
        nodes.take_while(|node| node.field().kind != Kind::Protocol)
    }

    /// The nodes before it, the nearest first, up to its layer.
    pub fn before(self) -> impl Iterator<Item = NodeRef<'t>> {
        let of = self.of;
        let nodes = (0..self.place).rev().map_while(move |place| of.node(place));
        nodes.take_while(|node| node.field().kind != Kind::Protocol)
    }

    /// Its parent, if it was reached from there.
    #[must_use]
    pub fn parent(self) -> Option<NodeRef<'t>> {
        self.of.node(self.parent?)
    }

    /// The index of the last node below it; its own if there is none.
    #[must_use]
    pub fn last(self) -> u32 {
        self.node.end.saturating_sub(1).max(self.place)
    }

    /// Whether it has children.
    #[must_use]
    pub fn has_children(self) -> bool {
        self.node.end > self.place + 1
    }

    /// The first child of this field.
    #[must_use]
    pub fn child(self, field: &Field) -> Option<NodeRef<'t>> {
        self.children().find(|child| child.field().stands_for(field))
    }

    /// Its value as a number, if it is one.
    #[must_use]
    pub fn number(self) -> Option<u64> {
        match self.node.value {
            Value::Unsigned(number) => Some(number),
            Value::Signed(number) => u64::try_from(number).ok(),
            Value::Bool(truth) => Some(u64::from(truth)),
            _ => None,
        }
    }

    /// Its text, with invalid UTF-8 replaced, without a terminating NUL.
    #[must_use]
    pub fn text(self) -> Cow<'t, str> {
        if self.is_secret() {
            return Cow::Borrowed(MASKED_TEXT);
        }
        match self.node.value {
            Value::At(span) if self.has_masked_bytes() => {
                Cow::Owned(String::from_utf8_lossy(&self.of.tree.masked(span, self.value_bytes())).into_owned())
            }
            Value::Generated(made) if self.has_masked_bytes() && !self.node.field.public => {
                self.masked_words(self.of.tree.generated_text(made))
            }
            Value::Generated(made) => Cow::Borrowed(self.of.tree.generated_text(made)),
            _ if self.has_masked_bytes() => {
                let bytes = self.masked_bytes();
                let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
                Cow::Owned(String::from_utf8_lossy(text).into_owned())
            }
            _ => String::from_utf8_lossy(self.text_bytes()),
        }
    }

    /// Text made of its bytes, some of which are secret: if they occur in it unchanged, only those are masked.
    #[cold]
    fn masked_words(self, words: &'t str) -> Cow<'t, str> {
        let Some(at) = memchr::memmem::find(self.bytes(), words.as_bytes()) else { return Cow::Borrowed(MASKED_TEXT) };
        let shown = self.masked_bytes();
        let words = shown.get(at..at + words.len()).unwrap_or_default();
        Cow::Owned(String::from_utf8_lossy(words).into_owned())
    }

    /// The bytes of its text.
    #[must_use]
    pub fn text_bytes(self) -> &'t [u8] {
        match self.node.value {
            Value::At(_) => self.value_bytes(),
            _ => {
                let bytes = self.bytes();
                bytes.strip_suffix(&[0]).unwrap_or(bytes)
            }
        }
    }

    /// Its value for display: numbers in the field's base, text quoted and escaped, long bytes by their count.
    pub fn write_value(self, out: &mut dyn Write) -> fmt::Result {
        let field = self.field();
        if self.is_secret() {
            return out.write_str(MASKED_TEXT);
        }
        if let Some(collapsed) = field.collapsed.filter(|_| matches!(self.node.value, Value::None) || !self.has_masked_bytes()) {
            return (collapsed.value)(self, out);
        }
        match self.value() {
            Value::None => Ok(()),
            Value::Unsigned(number) => write_number(field, number, out),
            Value::Signed(number) => write!(out, "{number}"),
            Value::Single(number) => write!(out, "{number}"),
            Value::Double(number) => write!(out, "{number}"),
            Value::Bool(truth) => write!(out, "{truth}"),
            Value::Bytes if self.has_masked_bytes() => match self.value_span().len() as usize {
                ..=SHORT => self.write_hex(out),
                length => write!(out, "{length} bytes"),
            },
            Value::Bytes => write_bytes(field.kind, self.value_bytes(), out),
            Value::Text | Value::Generated(_) | Value::At(_) => {
                out.write_char('"')?;
                clean(&self.text(), out)?;
                out.write_char('"')
            }
        }
    }

    /// Its meaning: the value name, or the summary of the group. May write nothing.
    pub fn write_meaning(self, out: &mut dyn Write) -> fmt::Result {
        if let Some(collapsed) = self.field().collapsed {
            return (collapsed.meaning)(self, out);
        }
        out.write_str(self.name().unwrap_or_default())
    }

    /// The name of its value.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let field = self.field();
        if field.names.is_empty() || self.is_secret() {
            return None;
        }
        let number = match self.node.value {
            Value::Signed(number) => Some(number.cast_unsigned()),
            _ => self.number(),
        };
        number.and_then(|number| name_of(field.names, number))
    }

    /// Its bytes as hexadecimal digits, with secrets masked.
    fn write_hex(self, out: &mut dyn Write) -> fmt::Result {
        let bytes = self.value_bytes();
        let mut at = 0;
        for hidden in self.of.tree.masked_in(self.value_span()).filter(|_| !bytes.is_empty()) {
            hex(bytes.get(at..hidden.start).unwrap_or_default(), out)?;
            hidden.clone().try_for_each(|_| out.write_str("**"))?;
            at = hidden.end;
        }
        hex(bytes.get(at..).unwrap_or_default(), out)
    }

    /// Its value as tshark writes it in a column, if that consists of digits: [`NodeRef::write_plain`] writes the same.
    #[must_use]
    #[inline]
    pub fn digits(self) -> Option<Digits> {
        let field = self.field();
        match self.node.value {
            _ if self.is_secret() || self.has_masked_bytes() && !self.node.field.public => None,
            Value::Unsigned(number) if field.hex == 0 && field.kind != Kind::Ipv4 => Some(Digits::Number(number)),
            Value::Bytes if field.kind == Kind::Ipv4 => self.bytes().try_into().ok().map(Digits::Dotted),
            _ => None,
        }
    }

    /// Its value as tshark writes it in a column.
    pub fn write_plain(self, out: &mut dyn Write) -> fmt::Result {
        let field = self.field();
        if self.is_secret() {
            return out.write_str(MASKED_TEXT);
        }
        match self.value() {
            Value::None => match field.kind {
                Kind::Protocol if let Some(label) = self.own_label() => clean_escaped(label, out),
                Kind::Protocol => clean(field.name, out),
                _ => self.write_hex(out),
            },
            Value::Unsigned(number) => write_number(field, number, out),
            Value::Signed(number) => write!(out, "{number}"),
            Value::Single(number) => write_float(field, number.into(), &number, out),
            Value::Double(number) if field.seconds => write!(out, "{number:.9}"),
            Value::Double(number) => write_float(field, number, &number, out),
            Value::Bool(truth) => out.write_char(if truth { '1' } else { '0' }),
            Value::Bytes
                if let Layout::Separated(by) = field.layout
                    && !self.has_masked_bytes() =>
            {
                write_separated(self.value_bytes(), by, out)
            }
            Value::Bytes if field.kind == Kind::Bytes || self.has_masked_bytes() => self.write_hex(out),
            Value::Bytes => write_bytes(field.kind, self.value_bytes(), out),
            Value::Text | Value::Generated(_) | Value::At(_) => clean_escaped(&self.text(), out),
        }
    }
}

/// A value that consists of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digits {
    /// A number in base ten.
    Number(u64),
    /// An IPv4 address in dotted-decimal notation.
    Dotted([u8; 4]),
}

fn write_number(field: &Field, number: u64, out: &mut dyn Write) -> fmt::Result {
    // An address with another byte order on the wire.
    if let (Kind::Ipv4, Ok(bits)) = (field.kind, u32::try_from(number)) {
        return write!(out, "{}", Ipv4Addr::from_bits(bits));
    }
    match field.hex {
        _ if field.character => write_character(number, out),
        0 => out.write_str(itoa::Buffer::new().format(number)),
        digits => {
            let kept = if field.layout == Layout::Narrow { u64::MAX >> (64 - 4 * u32::from(digits.min(16))) } else { u64::MAX };
            write!(out, "0x{:0width$x}", number & kept, width = usize::from(digits))
        }
    }
}

/// A floating-point number in a column.
fn write_float(field: &Field, number: f64, shortest: &dyn fmt::Display, out: &mut dyn Write) -> fmt::Result {
    match field.layout {
        Layout::Digits(digits) => out.write_str(&super::digits::general(number, digits.into())),
        Layout::Usual | Layout::Separated(_) | Layout::Narrow => write!(out, "{shortest}"),
    }
}

/// Bytes with a character between them.
fn write_separated(bytes: &[u8], by: char, out: &mut dyn Write) -> fmt::Result {
    for (place, byte) in bytes.iter().enumerate() {
        if place > 0 {
            out.write_char(by)?;
        }
        write!(out, "{byte:02x}")?;
    }
    Ok(())
}

/// A character as tshark writes it.
fn write_character(number: u64, out: &mut dyn Write) -> fmt::Result {
    match u8::try_from(number) {
        Ok(byte @ (b'\'' | b'\\')) => write!(out, "'\\{}'", char::from(byte)),
        Ok(byte @ b' '..=b'~') => write!(out, "'{}'", char::from(byte)),
        _ => write!(out, "'\\x{number:02x}'"),
    }
}

/// Maximum number of bytes displayed in full.
const SHORT: usize = 16;

fn write_bytes(kind: Kind, bytes: &[u8], out: &mut dyn Write) -> fmt::Result {
    match (kind, bytes) {
        (Kind::Mac, &[a, b, c, d, e, f]) => write!(out, "{}", Address::Mac([a, b, c, d, e, f])),
        (Kind::Mac, [first, rest @ ..]) => {
            write!(out, "{first:02x}")?;
            rest.iter().try_for_each(|byte| write!(out, ":{byte:02x}"))
        }
        (Kind::Ipv4, &[a, b, c, d]) => out.write_str(AddressText::ip([a, b, c, d].into()).as_str()),
        (Kind::Ipv6, _) if bytes.len() == 16 => {
            let octets: [u8; 16] = bytes.try_into().unwrap_or_default();
            out.write_str(AddressText::ip(octets.into()).as_str())
        }
        _ if bytes.len() <= SHORT => hex(bytes, out),
        _ => write!(out, "{} bytes", bytes.len()),
    }
}

/// Formats the value as in a column: numbers in decimal or hexadecimal, addresses, escaped text.
impl fmt::Display for NodeRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_plain(f)
    }
}

/// Bytes as lower-case hexadecimal without spaces.
pub fn hex(bytes: &[u8], out: &mut dyn Write) -> fmt::Result {
    in_hex(bytes, |digits| out.write_str(str::from_utf8(digits).unwrap_or_default()))
}

/// Both hexadecimal digits of a byte as ASCII, without a table, so that the loop can be vectorized.
// A build with several codegen units calls it for each byte otherwise: JSON takes 1.4 times the instructions.
#[inline]
pub(super) fn digits_of(byte: u8) -> [u8; 2] {
    let nibbles = (u16::from(byte) | u16::from(byte) << 12) >> 4 & 0x0f0f;
    let letters = (nibbles + 0x0606) >> 4 & 0x0101;
    (nibbles + 0x3030 + letters * u16::from(b'a' - b'0' - 10)).to_le_bytes()
}

/// Like [`hex`], but passes chunks of ASCII to `write`: a call per digit would dominate the time of JSON output.
pub fn in_hex<E>(bytes: &[u8], mut write: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut piece = [0; 512];
    bytes.chunks(piece.len() / 2).try_for_each(|chunk| {
        for (digits, byte) in piece.as_chunks_mut::<2>().0.iter_mut().zip(chunk) {
            *digits = digits_of(*byte);
        }
        write(piece.get(..2 * chunk.len()).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_their_base() {
        static ID: Field = Field::number("t.id", "id", "").hex(4);
        let mut out = String::new();
        write_number(&ID, 0x2a, &mut out).unwrap();
        assert_eq!(out, "0x002a");
    }
}
