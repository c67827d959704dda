//! The first line with data, which determines the dialect.

use super::context::Context;
use super::digits::Digits;
use super::lines::Cleaner;
use super::preface::Preface;
use super::{Fault, Reader};
use crate::input::buffer::{Buffer, LARGEST};
use crate::input::{OpenError, Options, WordOrder, sniff};
use std::cell::{OnceCell, RefCell};

/// Maximum offset of the first line with data.
const LARGEST_PREFACE: u64 = 256 * 1024;

/// Number of lines after the first one with data that detectors may see.
const AHEAD: usize = 3;

/// Bytes of the text that show what it is, if it has no data.
const START: usize = 64;

fn error(line: u64, Fault { at, what }: Fault) -> OpenError {
    OpenError::Hex { line, column: at as u64 + 1, what }
}

impl Reader {
    /// Finds the first line with data: of the requested dialect, or of any. Reads the first packet.
    pub(in crate::input) fn open(mut text: Buffer, options: Options) -> Result<Reader, OpenError> {
        if text.ahead().starts_with(b"\xef\xbb\xbf") {
            text.pass(3);
        }
        let (text, mut preface) = (RefCell::new(text), Preface { wanted: options.format, ..Preface::default() });
        let (mut cleaner, mut first, mut line) = (Cleaner::default(), Vec::new(), 1);
        let mut found = None;
        while found.is_none() {
            let next = next_line(&mut text.borrow_mut(), line)?;
            let Some(len) = next else { break };
            let content = text.borrow().ahead().get(..len).unwrap_or_default().to_vec();
            if first.is_empty() {
                first = content.trim_ascii().iter().take(START).copied().collect();
            }
            let plain = cleaner.clean(&content).map_err(|fault| error(line, fault))?;
            let context = Context {
                line: &plain,
                text: plain.trim_ascii(),
                big: options.words == Some(WordOrder::Big),
                following: &|| following(&mut text.borrow_mut(), len),
                lines: OnceCell::new(),
            };
            if !preface.defer(&plain) {
                found = preface.dialect(&context).map_err(|fault| error(line, fault))?;
            }
            if found.is_none() {
                text.borrow_mut().pass(len);
                line += 1;
            }
        }
        let ruler = std::mem::take(&mut preface.ruler);
        let start = |dialect, line| Reader::start(text.into_inner(), line, dialect, options, &preface, cleaner);
        match found {
            Some(dialect) if ruler.is_empty() || dialect.is_dump() => start(dialect, line).filled(None),
            _ if !ruler.is_empty() => start(Box::<Digits>::default(), line).filled(Some(&ruler)),
            _ => Err(match preface.fault {
                Some((line, fault)) => error(line, fault),
                None if first.is_empty() => OpenError::Empty,
                None => sniff::unrecognised(&first),
            }),
        }
    }
}

/// Length of the next line; `None` if the text ends, or if enough of it has no data.
fn next_line(text: &mut Buffer, line: u64) -> Result<Option<usize>, OpenError> {
    if text.offset() >= LARGEST_PREFACE {
        return Ok(None);
    }
    text.line_len().map_err(|error| {
        if text.ahead().len() < LARGEST {
            return OpenError::from_read(error);
        }
        let what = format!("a line of more than {} MiB; expected the bytes on several lines", LARGEST >> 20);
        OpenError::Hex { line, column: 1, what }
    })
}

/// Lines after the first `from` bytes, cleaned.
fn following(text: &mut Buffer, mut from: usize) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut cleaner = Cleaner::default();
    while lines.len() < AHEAD
        && let Ok(Some(end)) = text.line_end(from)
    {
        let line = text.ahead().get(from..end).unwrap_or_default();
        lines.push(cleaner.clean(line).map(|line| line.into_owned()).unwrap_or_default());
        from = end;
    }
    lines
}
