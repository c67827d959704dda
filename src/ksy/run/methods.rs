//! Methods of values, and formatted texts.

use super::bytes::BYTES_PER_OPERATION;
use super::failure::Outcome;
use super::value::{Blob, Object, V};
use super::{Frame, Machine};
use crate::ksy::compile::program::{PieceCode, Program};
use crate::ksy::expr::{Method, Show};
use crate::ksy::notes;
use std::cmp::Ordering;
use std::fmt::Write;

impl<'p> Machine<'p, '_> {
    /// Applies a method to the last value of the stack.
    pub(super) fn method(&mut self, frame: &Frame, method: Method) -> Outcome<V> {
        let value = self.pop();
        Ok(match (method, value) {
            (Method::IntToStr | Method::FloatToStr, V::Int(_) | V::Float(_)) => {
                let text = self.shown(value);
                V::Str(self.push_heap(frame, text.as_bytes())?)
            }
            (Method::FloatToInt, V::Float(number)) => self.truncated(frame, number)?,
            (Method::EnumToInt | Method::FloatToInt, V::Int(number)) => V::Int(number),
            (Method::BoolToInt, V::Bool(truth)) => V::Int(truth.into()),
            (Method::StrToInt, V::Str(text)) => self.parsed(frame, text, 10)?,
            (Method::StrLength, V::Str(text)) => {
                self.burn(frame.io, text.len() as usize / BYTES_PER_OPERATION)?;
                V::Int(self.text(text).chars().count().try_into().unwrap_or_default())
            }
            (Method::StrReverse, V::Str(text)) => {
                let reversed: String = self.text(text).chars().rev().collect();
                V::Str(self.push_heap(frame, reversed.as_bytes())?)
            }
            (_, V::Bytes(bytes)) => self.of_bytes(frame, method, bytes)?,
            (_, V::List(list)) => self.of_list(frame, method, list)?,
            (Method::IoEof | Method::IoSize, V::Io(io)) if self.is_open(io) => return self.end_unknown(method, io),
            (Method::IoEof, V::Io(io)) => V::Bool(self.stream(io).is_at_end()),
            (Method::IoSize, V::Io(io)) => {
                let stream = self.stream(io);
                V::Int((stream.end - stream.start).into())
            }
            (Method::IoPos, V::Io(io)) => {
                let stream = self.stream(io);
                V::Int((stream.at - stream.start).into())
            }
            _ => return self.wrong_kind(frame, "a value with this method", value),
        })
    }

    fn of_bytes(&mut self, frame: &Frame, method: Method, blob: Blob) -> Outcome<V> {
        self.burn(frame.io, blob.len() as usize / BYTES_PER_OPERATION)?;
        let bytes = self.bytes(blob);
        let byte = match method {
            Method::BytesLength => return Ok(V::Int(bytes.len().try_into().unwrap_or_default())),
            Method::BytesFirst => bytes.first(),
            Method::BytesLast => bytes.last(),
            Method::BytesMin => bytes.iter().min(),
            Method::BytesMax => bytes.iter().max(),
            _ => return self.wrong_kind(frame, "a value with this method", V::Bytes(blob)),
        };
        match byte {
            Some(byte) => Ok(V::Int((*byte).into())),
            None => self.fail(frame.io, &notes::RANGE, String::from("there are no bytes")),
        }
    }

    fn of_list(&mut self, frame: &Frame, method: Method, list: u32) -> Outcome<V> {
        let count = self.elements(list).len();
        let extreme = match method {
            Method::ListSize => return Ok(V::Int(count.try_into().unwrap_or_default())),
            Method::ListFirst | Method::ListLast => {
                let elements = self.elements(list);
                let element = if method == Method::ListFirst { elements.first() } else { elements.last() };
                return match element {
                    Some(element) => Ok(element.value),
                    None => self.fail(frame.io, &notes::RANGE, String::from("the list is empty")),
                };
            }
            Method::ListMin => Ordering::Less,
            Method::ListMax => Ordering::Greater,
            _ => return self.wrong_kind(frame, "a value with this method", V::List(list)),
        };
        self.burn(frame.io, count)?;
        let mut best: Option<V> = None;
        for index in 0..count {
            let value = self.elements(list).get(index).copied().unwrap_or_default().value;
            let is_better = match best {
                Some(best) => self.order(frame, value, best)? == extreme,
                None => true,
            };
            best = if is_better { Some(value) } else { best };
        }
        match best {
            Some(best) => Ok(best),
            None => self.fail(frame.io, &notes::RANGE, String::from("the list is empty")),
        }
    }

    fn truncated(&self, frame: &Frame, number: f64) -> Outcome<V> {
        /// 2^127: floats of this size have no 128-bit integer.
        const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
        if number.is_nan() || number.abs() >= BEYOND {
            return self.fail(frame.io, &notes::OVERFLOW, format!("{number} is no integer of 128 bits"));
        }
        #[allow(clippy::cast_possible_truncation, reason = "the range was checked")]
        Ok(V::Int(number as i128))
    }

    /// `to_i` with a base.
    pub(super) fn number_of_base(&mut self, frame: &Frame, base: i128) -> Outcome<V> {
        let text = match self.pop() {
            V::Str(text) => text,
            other => return self.wrong_kind(frame, "a text", other),
        };
        match u32::try_from(base).ok().filter(|base| (2..=36).contains(base)) {
            Some(base) => self.parsed(frame, text, base),
            None => self.fail(frame.io, &notes::RANGE, format!("{base} is no base from 2 to 36")),
        }
    }

    fn parsed(&mut self, frame: &Frame, text: Blob, base: u32) -> Outcome<V> {
        /// Maximum number of characters in a quotation.
        const QUOTED: usize = 40;
        self.burn(frame.io, text.len() as usize / BYTES_PER_OPERATION)?;
        let text = self.text(text);
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
        match i128::from_str_radix(text, base) {
            Ok(number) => Ok(V::Int(number)),
            Err(_) if is_number => self.fail(frame.io, &notes::OVERFLOW, String::from("the number exceeds 128 bits")),
            Err(_) => {
                let quoted: String = text.chars().take(QUOTED).collect();
                self.fail(frame.io, &notes::CONVERSION, format!("{quoted:?} is no number of base {base}"))
            }
        }
    }

    /// Characters of a text in a range; none beyond its end.
    pub(super) fn substring(&mut self, frame: &Frame) -> Outcome<V> {
        let (to, from) = (self.pop_int(frame)?, self.pop_int(frame)?);
        let blob = match self.pop() {
            V::Str(text) => text,
            other => return self.wrong_kind(frame, "a text", other),
        };
        if from < 0 || to < 0 {
            return self.fail(frame.io, &notes::RANGE, format!("substring from {from} to {to}"));
        }
        self.burn(frame.io, blob.len() as usize / BYTES_PER_OPERATION)?;
        let text = self.text(blob);
        let offset = |character: i128| {
            let character = usize::try_from(character).unwrap_or(usize::MAX);
            let offset = text.char_indices().nth(character).map_or(text.len(), |(offset, _)| offset);
            u32::try_from(offset).unwrap_or(u32::MAX)
        };
        let (from, to) = (offset(from), offset(to));
        Ok(V::Str(Blob { start: blob.start + from, end: blob.start + to.max(from), ..blob }))
    }

    /// Formats the last values of the stack.
    pub(super) fn format(&mut self, frame: &Frame, format: u32) -> Outcome<V> {
        let program: &'p Program = self.program;
        let pieces = program.formats.get(format as usize).map_or(&[][..], |pieces| pieces);
        let values = pieces.iter().filter(|piece| matches!(piece, PieceCode::Value(..))).count();
        let first = self.memory.stack.len().saturating_sub(values);
        let mut text = String::new();
        let mut next = first;
        for piece in pieces {
            match piece {
                PieceCode::Text(constant) => text.push_str(self.text(*constant)),
                PieceCode::Value(show, names) => {
                    let value = self.memory.stack.get(next).copied().unwrap_or_default();
                    next += 1;
                    self.burn(frame.io, 1)?;
                    match value {
                        V::Object(object) => text.push_str(&self.summary(object)?),
                        value => self.piece(&mut text, value, *show, *names),
                    }
                    self.check_computed(frame, text.len())?;
                }
            }
        }
        self.memory.stack.truncate(first);
        self.push_heap(frame, text.as_bytes()).map(V::Str)
    }

    /// The text of `to-string` of an object; without it, the name of its type.
    fn summary(&mut self, object: u32) -> Outcome<String> {
        let Object { of, io, .. } = self.object(object);
        let program: &'p Program = self.program;
        let Some(code) = program.types.get(of as usize) else { return Ok(String::new()) };
        let Some(summary) = code.summary else { return Ok(code.name.to_owned()) };
        let frame = Frame::of(object, io);
        match self.deeper(io, |machine| machine.eval(&frame, summary))? {
            V::Str(text) => Ok(self.text(text).to_owned()),
            other => Ok(self.shown(other)),
        }
    }

    fn piece(&self, text: &mut String, value: V, show: Show, names: Option<u32>) {
        let name = |number| self.enum_name(names?, number);
        match (value, show) {
            (V::Str(blob), _) => text.push_str(self.text(blob)),
            (V::Int(number), Show::Hex) => {
                let sign = if number < 0 { "-" } else { "" };
                // Writing to a string cannot fail.
                let _ = write!(text, "{sign}{:#x}", number.unsigned_abs());
            }
            (V::Int(number), Show::Digits { width, upper }) => {
                let (sign, digits) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
                let width = usize::from(width).saturating_sub(sign.len());
                let _ = match upper {
                    false => write!(text, "{sign}{digits:0width$x}"),
                    true => write!(text, "{sign}{digits:0width$X}"),
                };
            }
            (V::Int(number), Show::Plain) if name(number).is_some() => text.push_str(name(number).unwrap_or_default()),
            _ => text.push_str(&self.shown(value)),
        }
    }

    /// A value in messages and texts.
    pub(super) fn shown(&self, value: V) -> String {
        /// Maximum number of bytes and characters shown of a longer value.
        const SHOWN: usize = 32;
        match value {
            V::Int(number) => number.to_string(),
            V::Float(number) => format!("{number:?}"),
            V::Bool(truth) => truth.to_string(),
            V::Str(blob) => {
                let start = self.bytes(blob).utf8_chunks().next().map_or("", |chunk| chunk.valid());
                let short: String = start.chars().take(SHOWN).collect();
                if short.len() < blob.len() as usize { format!("{short:?}…") } else { format!("{short:?}") }
            }
            V::Bytes(blob) => {
                let bytes = self.bytes(blob);
                let mut text: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
                if bytes.len() > SHOWN {
                    text.push('…');
                }
                text
            }
            V::List(list) => {
                let elements = self.elements(list);
                let shown: Vec<String> = elements
                    .iter()
                    .take(SHOWN)
                    .map(|slot| if let V::List(_) = slot.value { "[…]".to_owned() } else { self.shown(slot.value) })
                    .collect();
                let more = if elements.len() > SHOWN { ", …" } else { "" };
                format!("[{}{more}]", shown.join(", "))
            }
            other => other.kind().to_owned(),
        }
    }
}
