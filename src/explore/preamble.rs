//! Bytes before the first message.

use super::chain::Track;
use super::rule::{Rule, Step};
use super::side::Side;

/// The start of the first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Begin {
    /// After this many bytes.
    At(usize),
    /// At a turn, counted from 1, plus an offset.
    Turn(usize, usize),
    /// After the first line.
    Line,
    /// After the first empty line, plus an offset.
    Blank(usize),
}

impl Begin {
    /// Cost in bits.
    #[must_use]
    pub fn cost(self) -> f64 {
        match self {
            Begin::At(0) => 0.0,
            Begin::At(_) => 5.0,
            Begin::Turn(number, more) => 2.0 + number as f64 + if more > 0 { 4.0 } else { 0.0 },
            Begin::Line => 3.0,
            Begin::Blank(more) => 3.0 + if more > 0 { 3.0 } else { 0.0 },
        }
    }

    /// The offset in the bytes of a side, if it exists there.
    #[must_use]
    pub fn offset(self, track: &Track<'_>) -> Option<usize> {
        let at = match self {
            Begin::At(at) => at,
            Begin::Turn(number, more) => track.first_turns().nth(number - 1)? + more,
            Begin::Line => memchr::memchr(b'\n', track.bytes.get(..512).unwrap_or(track.bytes))? + 1,
            Begin::Blank(more) => {
                let window = track.bytes.get(..8192).unwrap_or(track.bytes);
                memchr::memmem::find(window, b"\r\n\r\n")? + 4 + more
            }
        };
        let is_known = matches!(self, Begin::Turn(_, 0)) || !track.is_interrupted_before(at);
        (at == 0 || at < track.bytes.len() && is_known).then_some(at)
    }

    /// The candidates, the start of the bytes first.
    #[must_use]
    pub fn candidates() -> Vec<Begin> {
        let mut begins: Vec<Begin> = [0, 4, 8, 12, 24, 68].map(Begin::At).into();
        begins.extend((1..=3).map(|number| Begin::Turn(number, 0)));
        begins.extend([Begin::Turn(1, 24), Begin::Line, Begin::Blank(0), Begin::Blank(24)]);
        begins
    }
}

/// Bytes of a preamble in which an earlier start is searched.
const SEARCHED: usize = 4096;

/// Largest preamble that is the same size in all conversations.
const LARGEST: usize = 512;

/// The first offset, the same in all sides, from which messages lead to the start that was found in each. Turns do not show it
/// where the first messages are sent with the preamble. `None` if the starts that were found are the same already.
#[must_use]
pub fn shared(own: &[&Side], rule: &Rule, begins: &[usize]) -> Option<usize> {
    let least = *begins.iter().min()?;
    let most = *begins.iter().max()?;
    if least == most || least == 0 || most > SEARCHED {
        return None;
    }
    let leads = |side: &Side, from: usize, to: usize| {
        let mut at = from;
        while at < to {
            match side.bytes.get(at..).map(|rest| rule.step(rest)) {
                Some(Step::Message(size)) => at += size,
                _ => return false,
            }
        }
        at == to
    };
    (1..=least.min(LARGEST)).find(|from| own.iter().zip(begins).all(|(side, begin)| leads(side, *from, *begin)))
}
