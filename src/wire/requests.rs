//! Matches responses to requests.

use super::{Request, Wire};
use crate::limits;
use crate::tree::{Field, Value};
use std::collections::VecDeque;

/// Requests of one conversation by transaction key. At most `limits::REQUESTS` are kept; the oldest is evicted.
#[derive(Debug)]
pub struct Requests<K> {
    asked: VecDeque<(K, Request)>,
}

impl<K> Default for Requests<K> {
    fn default() -> Requests<K> {
        Requests { asked: VecDeque::new() }
    }
}

impl<K: PartialEq> Requests<K> {
    /// Records the request being dissected. Returns the earlier request if this one is its retransmission, that is, if the
    /// same key has no response yet. At the limit the oldest request is evicted, with a note if it has no response.
    pub fn ask(&mut self, key: K, wire: &mut Wire<'_>) -> Option<Request> {
        let (frame, time) = wire.completed();
        let question = Request { frame, time, answered: false };
        if let Some((_, before)) = self.asked.iter_mut().rev().find(|(known, _)| *known == key) {
            if !before.answered {
                return Some(*before);
            }
            *before = question;
            return None;
        }
        let most = limits::REQUESTS.get();
        if self.asked.len() >= most && self.asked.pop_front().is_some_and(|(_, request)| !request.answered) {
            wire.evicted(format_args!("the oldest of more than {most} requests"));
        }
        self.asked.push_back((key, question));
        None
    }

    /// Whether a request with this key is kept.
    #[must_use]
    pub fn has(&self, key: &K) -> bool {
        self.asked.iter().any(|(known, _)| known == key)
    }

    /// The request that the message being dissected responds to.
    pub fn answer(&mut self, key: &K) -> Option<Request> {
        let (_, question) = self.asked.iter_mut().rev().find(|(known, _)| known == key)?;
        question.answered = true;
        Some(*question)
    }
}

impl Request {
    /// Adds the frame number of the request and the response time in seconds.
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
