//! Candidates of `keys --try`: lines of a file, or every window of its bytes.

use super::progress::TotalProgress;
use super::{interrupt, source};
use crate::keys::parse_value;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;

/// A place of a candidate in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A line, from 1.
    Line(u64),
    /// An offset in bytes.
    Offset(u64),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Offset(offset) => write!(f, "offset {offset:#x}"),
        }
    }
}

/// Bytes read at once.
const CHUNK: usize = 1 << 16;
/// Longest line with a candidate.
const LINE: u64 = 1 << 18;

/// Hands over each candidate of a file, until `each` or a signal ends it. Shows progress.
pub(super) fn all(
    path: &Path,
    window: Option<usize>,
    mut each: impl FnMut(Place, &[u8]) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let size = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|about| about.len());
    let mut progress = TotalProgress::new(path.display().to_string(), size).part(size);
    let mut each = |place, bytes: &[u8], read: u64| {
        progress.frame(|| read);
        if interrupt::is_requested() { ControlFlow::Break(()) } else { each(place, bytes) }
    };
    let reader = source::open(path)?;
    match window {
        Some(window) => windows(reader, window, |offset, bytes| each(Place::Offset(offset), bytes, offset)),
        None => lines(reader, |line, read, bytes| each(Place::Line(line), bytes, read)),
    }
}

/// Every line: hex, "text" or base64:…, and otherwise the text itself.
fn lines(reader: impl io::Read, mut each: impl FnMut(u64, u64, &[u8]) -> ControlFlow<()>) -> io::Result<ControlFlow<()>> {
    let mut reader = BufReader::new(reader);
    let (mut line, mut number, mut read) = (Vec::new(), 0, 0);
    loop {
        line.clear();
        let length = io::Read::take(&mut reader, LINE).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        number += 1;
        read += length as u64;
        if line.last() != Some(&b'\n') && length as u64 == LINE {
            skip_line(&mut reader, &mut read)?;
            continue;
        }
        let text = line.trim_ascii();
        let value = std::str::from_utf8(text).ok().and_then(|text| parse_value(text).ok());
        if !text.is_empty() && each(number, read, value.as_deref().unwrap_or(text)).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

/// Skips the end of a line that is too long for a candidate.
fn skip_line(reader: &mut impl BufRead, read: &mut u64) -> io::Result<()> {
    loop {
        let bytes = reader.fill_buf()?;
        let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let (used, is_last) = (end.unwrap_or(bytes.len()), end.is_some() || bytes.is_empty());
        reader.consume(used);
        *read += used as u64;
        if is_last {
            return Ok(());
        }
    }
}

/// Every window of this size. Of a run of equal bytes one is enough.
fn windows(
    mut reader: impl io::Read,
    window: usize,
    mut each: impl FnMut(u64, &[u8]) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let (mut buffer, mut start) = (Vec::new(), 0_u64);
    let mut chunk = vec![0; CHUNK.max(window)];
    let mut last_equal = None;
    loop {
        let count = match reader.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        if count == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        buffer.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let complete = (buffer.len() + 1).saturating_sub(window);
        for (offset, bytes) in (start..).zip(buffer.windows(window)) {
            let equal = bytes.first().filter(|first| bytes.iter().all(|byte| byte == *first)).copied();
            if equal.is_some() && equal == last_equal {
                continue;
            }
            last_equal = equal;
            if each(offset, bytes).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        buffer.drain(..complete);
        start += complete as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut found = Vec::new();
        let _ = lines(text, |line, _, bytes| {
            found.push((line, bytes.to_vec()));
            ControlFlow::Continue(())
        });
        found
    }

    #[test]
    fn lines_are_hex_text_or_base64() {
        let found = lines_of(b"0aFF\r\n\n\"hunter2\"\nbase64:AQID\nhunter2\n\xff\x01");
        let wanted: [(u64, &[u8]); 5] = [(1, &[10, 255]), (3, b"hunter2"), (4, &[1, 2, 3]), (5, b"hunter2"), (6, &[255, 1])];
        assert_eq!(found, wanted.map(|(line, bytes)| (line, bytes.to_vec())));
        let long = [&vec![b'x'; 1 << 20][..], b"\n0102\n"].concat();
        assert_eq!(lines_of(&long), [(2, vec![1, 2])]);
    }

    #[test]
    fn windows_are_found_at_every_offset_and_equal_ones_once() {
        for size in [1, 7, CHUNK, CHUNK + 9] {
            let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut found = Vec::new();
            let _ = windows(&bytes[..], 4, |offset, bytes| {
                found.push((offset, bytes.to_vec()));
                ControlFlow::Continue(())
            });
            let wanted: Vec<(u64, Vec<u8>)> = (0..).zip(bytes.windows(4).map(<[u8]>::to_vec)).collect();
            assert_eq!(found, wanted, "{size}");
        }
        let mut count = 0;
        let zeros = [&[0; 100][..], &[1], &[0; 100]].concat();
        let _ = windows(&zeros[..], 16, |_, _| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(count, 1 + 16 + 1);
    }
}
