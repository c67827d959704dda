//! Lines of the server.

use super::{Login, RESPONSE, RESPONSE_COMMAND, RESPONSE_TAG, RESPONSE_TO, STATUS, Session, TIME, is_status, word};
use crate::tree::{Field, Value};
use crate::wire::{Next, Wire};

impl Session {
    /// Adds the fields of the first line of a response. Returns whether one has all of its text.
    pub(super) fn server_line(&mut self, wire: &mut Wire<'_>, text: &[u8]) -> bool {
        let start = wire.at();
        let (tag, first) = (word(text, 0), word(text, 1));
        let words = text.get(tag.len() + 1..).unwrap_or_default();
        let is_tagged = tag != b"*";
        if !is_tagged {
            let is_counted = first.iter().all(u8::is_ascii_digit);
            wire.name(&String::from_utf8_lossy(word(text, 1 + usize::from(is_counted))).to_ascii_uppercase());
            wire.info(format_args!("{}", String::from_utf8_lossy(words)));
            return false;
        }
        let put = |wire: &mut Wire<'_>, field: &'static Field, word: &[u8], at: usize| {
            wire.put(field, Value::Text, start + at..start + at + word.len());
        };
        put(wire, &RESPONSE, text, 0);
        put(wire, &RESPONSE_TAG, tag, 0);
        wire.info(format_args!("{}", String::from_utf8_lossy(words)));
        if !is_status(first) {
            if !first.is_empty() {
                put(wire, &RESPONSE_COMMAND, first, tag.len() + 1);
            }
            wire.name("continuation");
            return true;
        }
        put(wire, &STATUS, first, tag.len() + 1);
        let second = word(text, 2);
        if !second.is_empty() {
            put(wire, &RESPONSE_COMMAND, second, tag.len() + first.len() + 2);
        }
        wire.name(&String::from_utf8_lossy(first).to_ascii_uppercase());
        if tag == b"+" {
            return true;
        }
        if *tag == *self.login_tag {
            self.login = Login::No;
        }
        if let Some(request) = self.requests.answer(&tag.into()) {
            request.put(wire, &RESPONSE_TO, &TIME);
        }
        if std::mem::take(&mut self.tls) && first.eq_ignore_ascii_case(b"OK") {
            self.next = Some(Next::Detect);
        }
        true
    }
}
