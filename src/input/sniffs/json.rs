//! Reads a long JSON document value by value, without holding all of it.

use super::{Buffer, cut, damaged};
use crate::input::buffer::Supply;
use std::io;

/// Finds the end of a value.
#[derive(Debug, Clone, Copy, Default)]
struct Scan {
    depth: u32,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

/// Whether a value has ended.
#[derive(PartialEq, Eq)]
enum Step {
    Inside,
    /// With this byte.
    With,
    /// Before this byte.
    Before,
}

impl Scan {
    fn feed(&mut self, byte: u8) -> Step {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.in_string = false;
                    return if self.depth == 0 { Step::With } else { Step::Inside };
                }
                _ => {}
            }
            return Step::Inside;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' | b',' if self.depth == 0 => return Step::Before,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    return Step::With;
                }
            }
            _ if byte.is_ascii_whitespace() && self.depth == 0 && self.begun => return Step::Before,
            _ => {}
        }
        self.begun = true;
        Step::Inside
    }
}

/// The next byte that is no white space, without consuming it; `None` at the end.
pub(super) fn peek(input: &mut Buffer) -> io::Result<Option<u8>> {
    loop {
        let blank = input.ahead().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        input.pass(blank);
        if let Some(byte) = input.ahead().first() {
            return Ok(Some(*byte));
        }
        if input.need(1)? == Supply::Ended {
            return Ok(None);
        }
    }
}

/// Consumes this byte.
pub(super) fn expect(input: &mut Buffer, byte: u8, place: &str) -> io::Result<()> {
    match peek(input)? {
        Some(found) if found == byte => {
            input.pass(1);
            Ok(())
        }
        Some(found) => Err(damaged(input, &format!("{:?} in place of {:?} {place}", char::from(found), char::from(byte)))),
        None => Err(cut(input, place)),
    }
}

/// Length of the value ahead, all of which is then available.
pub(super) fn value_len(input: &mut Buffer, what: &str) -> io::Result<usize> {
    let (mut scan, mut at) = (Scan::default(), 0);
    loop {
        for byte in input.ahead().get(at..).unwrap_or_default() {
            match scan.feed(*byte) {
                Step::Inside => at += 1,
                Step::With => return Ok(at + 1),
                Step::Before => return Ok(at),
            }
        }
        if input.need(at + 1)? == Supply::Ended {
            return Err(cut(input, what));
        }
    }
}

/// Consumes the value ahead, however long it is.
pub(super) fn skip(input: &mut Buffer, what: &str) -> io::Result<()> {
    let mut scan = Scan::default();
    loop {
        let mut end = None;
        for (at, byte) in input.ahead().iter().enumerate() {
            match scan.feed(*byte) {
                Step::Inside => {}
                Step::With => end = Some(at + 1),
                Step::Before => end = Some(at),
            }
            if end.is_some() {
                break;
            }
        }
        if let Some(end) = end {
            input.pass(end);
            return Ok(());
        }
        let seen = input.ahead().len();
        input.pass(seen);
        if input.need(1)? == Supply::Ended {
            return Err(cut(input, what));
        }
    }
}
