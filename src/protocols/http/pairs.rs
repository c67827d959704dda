//! Requests and responses as Wireshark pairs and numbers them: by their order in the capture alone.

use super::{PREVIOUS_REQUEST, PREVIOUS_RESPONSE, REQUEST_NUMBER, RESPONSE_NUMBER};
use crate::tree::{Field, Value};
use crate::wire::Wire;

/// The frames of a request and a response.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    request: Option<u64>,
    response: Option<u64>,
}

/// The last pairs of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pairs {
    count: u64,
    last: Pair,
    previous: Pair,
}

impl Pairs {
    fn begin(&mut self, pair: Pair) {
        self.previous = std::mem::replace(&mut self.last, pair);
        self.count += 1;
    }

    /// A request begins a pair. Returns its number and the frame of the request before.
    fn ask(&mut self, frame: u64) -> [Option<u64>; 2] {
        self.begin(Pair { request: Some(frame), response: None });
        [Some(self.count), self.previous.request]
    }

    /// A response completes the last pair. If that has one, or there is none, it begins another. Returns the number of the pair and
    /// the frames of the request and the response before.
    fn answer(&mut self, frame: u64) -> [Option<u64>; 3] {
        match self.count > 0 && self.last.response.is_none() {
            true => self.last.response = Some(frame),
            false => self.begin(Pair { request: None, response: Some(frame) }),
        }
        [Some(self.count), self.previous.request, self.previous.response]
    }

    /// A request came.
    pub(super) fn request(&mut self, wire: &mut Wire<'_>) {
        let numbers = self.ask(wire.completed().0);
        put(wire, [&REQUEST_NUMBER, &PREVIOUS_REQUEST].into_iter().zip(numbers));
    }

    /// A response came.
    pub(super) fn response(&mut self, wire: &mut Wire<'_>) {
        let numbers = self.answer(wire.completed().0);
        put(wire, [&RESPONSE_NUMBER, &PREVIOUS_REQUEST, &PREVIOUS_RESPONSE].into_iter().zip(numbers));
    }
}

/// Add the numbers that are asked for.
fn put(wire: &mut Wire<'_>, numbers: impl Iterator<Item = (&'static Field, Option<u64>)>) {
    for (field, number) in numbers {
        if let Some(number) = number.filter(|_| wire.asks(field)) {
            wire.add(field, Value::Unsigned(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_takes_the_last_request_and_another_one_a_pair_of_its_own() {
        // As tshark 4.0 numbers two requests of one frame and their responses.
        let mut pairs = Pairs::default();
        assert_eq!(pairs.ask(4), [Some(1), None]);
        assert_eq!(pairs.ask(4), [Some(2), Some(4)]);
        assert_eq!(pairs.answer(6), [Some(2), Some(4), None]);
        assert_eq!(pairs.answer(8), [Some(3), Some(4), Some(6)]);
    }

    #[test]
    fn requests_and_responses_in_turn_have_the_same_numbers() {
        let mut pairs = Pairs::default();
        assert_eq!(pairs.ask(5), [Some(1), None]);
        assert_eq!(pairs.answer(7), [Some(1), None, None]);
        assert_eq!(pairs.ask(21), [Some(2), Some(5)]);
        assert_eq!(pairs.answer(22), [Some(2), Some(5), Some(7)]);
    }
}
