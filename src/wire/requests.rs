//! Questions and their answers.

use super::Wire;
use crate::limits;
use crate::tree::{Field, Time, Value};
use std::collections::VecDeque;

/// Questions that were asked in one conversation, by what their answers repeat of them.
#[derive(Debug)]
pub struct Requests<K> {
    asked: VecDeque<(K, Request)>,
}

/// A question that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Number of the frame that brought it.
    pub frame: u64,
    /// When that was.
    pub time: Time,
    /// Whether there was an answer.
    pub answered: bool,
}

impl<K> Default for Requests<K> {
    fn default() -> Requests<K> {
        Requests { asked: VecDeque::new() }
    }
}

impl<K: PartialEq> Requests<K> {
    /// Remember the question being read. Returns the same one if it was asked before and nobody has answered.
    pub fn ask(&mut self, key: K, wire: &Wire<'_>) -> Option<Request> {
        let (frame, time) = wire.completed();
        let question = Request { frame, time, answered: false };
        if let Some((_, before)) = self.asked.iter_mut().rev().find(|(known, _)| *known == key) {
            if !before.answered {
                return Some(*before);
            }
            *before = question;
            return None;
        }
        if self.asked.len() >= limits::REQUESTS.get() {
            self.asked.pop_front();
        }
        self.asked.push_back((key, question));
        None
    }

    /// The question that the message being read answers.
    pub fn answer(&mut self, key: &K) -> Option<Request> {
        let (_, question) = self.asked.iter_mut().rev().find(|(known, _)| known == key)?;
        question.answered = true;
        Some(*question)
    }
}

impl Request {
    /// Put the number of the frame that brought the question, and the seconds since.
    pub fn put(self, wire: &mut Wire<'_>, frame: &'static Field, seconds: &'static Field) {
        const SECOND: f64 = 1e9;
        wire.add(frame, Value::Unsigned(self.frame));
        if let (Some(asked), (_, Some(answered))) = (self.time, wire.completed()) {
            #[allow(clippy::cast_precision_loss, reason = "a day has fewer nanoseconds than a double has exact numbers")]
            let nanos = answered.since(asked) as f64;
            wire.add(seconds, Value::Double(nanos / SECOND));
        }
    }
}
