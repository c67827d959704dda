//! Numbering of requests and responses as in Wireshark: by their order in the capture only.

use super::{PREVIOUS_REQUEST, PREVIOUS_RESPONSE, REQUEST_NUMBER, RESPONSE_NUMBER};
use crate::tree::{Field, Value};
use crate::wire::Wire;

/// Frames of a request and a response.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    request: Option<u64>,
    response: Option<u64>,
}

/// Latest pairs of a connection.
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

    /// Begins a pair with a request. Returns its number and the frame of the previous request.
    fn add_request(&mut self, frame: u64) -> [Option<u64>; 2] {
        self.begin(Pair { request: Some(frame), response: None });
        [Some(self.count), self.previous.request]
    }

    /// Completes the latest pair with a response, or begins another pair if it is complete or missing. Returns the number of the
    /// pair and the frames of the previous request and response.
    fn add_response(&mut self, frame: u64) -> [Option<u64>; 3] {
        if self.count > 0 && self.last.response.is_none() {
            self.last.response = Some(frame)
        } else {
            self.begin(Pair { request: None, response: Some(frame) })
        }
        [Some(self.count), self.previous.request, self.previous.response]
    }

    /// Records a request and adds its numbers to the tree.
    pub(super) fn request(&mut self, wire: &mut Wire<'_>) {
        let numbers = self.add_request(wire.completed().0);
        put(wire, [&REQUEST_NUMBER, &PREVIOUS_REQUEST].into_iter().zip(numbers));
    }

    /// Records a response and adds its numbers to the tree.
    pub(super) fn response(&mut self, wire: &mut Wire<'_>) {
        let numbers = self.add_response(wire.completed().0);
        put(wire, [&RESPONSE_NUMBER, &PREVIOUS_REQUEST, &PREVIOUS_RESPONSE].into_iter().zip(numbers));
    }
}

/// Adds the fields that have a value.
fn put(wire: &mut Wire<'_>, numbers: impl Iterator<Item = (&'static Field, Option<u64>)>) {
    for (field, number) in numbers {
        if let Some(number) = number {
            wire.add(field, Value::Unsigned(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_completes_the_last_pair_and_another_one_begins_a_pair() {
        // tshark 4.0 numbers two requests in one frame and their responses like this.
        let mut pairs = Pairs::default();
        assert_eq!(pairs.add_request(4), [Some(1), None]);
        assert_eq!(pairs.add_request(4), [Some(2), Some(4)]);
        assert_eq!(pairs.add_response(6), [Some(2), Some(4), None]);
        assert_eq!(pairs.add_response(8), [Some(3), Some(4), Some(6)]);
    }

    #[test]
    fn alternating_requests_and_responses_have_equal_numbers() {
        let mut pairs = Pairs::default();
        assert_eq!(pairs.add_request(5), [Some(1), None]);
        assert_eq!(pairs.add_response(7), [Some(1), None, None]);
        assert_eq!(pairs.add_request(21), [Some(2), Some(5)]);
        assert_eq!(pairs.add_response(22), [Some(2), Some(5), Some(7)]);
    }
}
