//! The sizes that requests and responses have by their function.

/// Most coils and registers of one request.
const BITS: u16 = 2000;
const WORDS: u16 = 125;

/// Whether a PDU has the size of a request, and of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) request: bool,
    pub(super) response: bool,
}

impl Shape {
    pub(super) fn of(pdu: &[u8]) -> Shape {
        Shape { request: is_request(pdu), response: is_response(pdu) }
    }
}

fn is_request(pdu: &[u8]) -> bool {
    let has = |len: usize| pdu.len() == len;
    match *pdu {
        [1 | 2, _, _, high, low] => (1..=BITS).contains(&u16::from_be_bytes([high, low])),
        [3 | 4, _, _, high, low] => (1..=WORDS).contains(&u16::from_be_bytes([high, low])),
        [5, _, _, value, 0] => matches!(value, 0 | 0xff),
        [6, ..] => has(5),
        [7 | 11 | 12 | 17] => true,
        [8, 0, ..] => pdu.len() >= 5,
        [15, _, _, high, low, bytes, ..] => {
            has(6 + usize::from(bytes)) && u16::from_be_bytes([high, low]).div_ceil(8) == u16::from(bytes) && bytes > 0
        }
        [16, _, _, high, low, bytes, ..] => {
            has(6 + usize::from(bytes)) && u32::from(u16::from_be_bytes([high, low])) * 2 == u32::from(bytes) && bytes > 0
        }
        [20 | 21, bytes, ..] => has(2 + usize::from(bytes)) && bytes >= 7,
        [22, ..] => has(7),
        [23, _, _, _, _, _, _, high, low, bytes, ..] => {
            has(10 + usize::from(bytes)) && u32::from(u16::from_be_bytes([high, low])) * 2 == u32::from(bytes)
        }
        [24, _, _] => true,
        [43, 14, 1..=4, _] => true,
        _ => false,
    }
}

fn is_response(pdu: &[u8]) -> bool {
    let has = |len: usize| pdu.len() == len;
    match *pdu {
        [function, code] if function & 0x80 != 0 => matches!(code, 1..=11),
        [1 | 2 | 12 | 17 | 20 | 21, bytes, ..] => has(2 + usize::from(bytes)) && bytes > 0,
        [3 | 4 | 23, bytes, ..] => has(2 + usize::from(bytes)) && bytes > 0 && bytes % 2 == 0,
        [5, _, _, value, 0] => matches!(value, 0 | 0xff),
        [6 | 11 | 15 | 16, ..] => has(5),
        [7, _] => true,
        [8, 0, ..] => pdu.len() >= 5,
        [22, ..] => has(7),
        [24, high, low, ..] => has(3 + usize::from(u16::from_be_bytes([high, low]))),
        [43, 14, 1..=4, _, 0 | 0xff, _, _, ..] => true,
        _ => false,
    }
}

/// Whether a response fits a request, with the number of values that it asks for.
pub(super) fn is_answered(request: &[u8], response: &[u8]) -> bool {
    let (Some((asked, parameters)), Some((answered, _))) = (request.split_first(), response.split_first()) else { return false };
    if !is_request(request) || !is_response(response) || asked & 0x7f != answered & 0x7f {
        return false;
    }
    match (*asked, parameters, response) {
        (_, _, [function, _]) if function & 0x80 != 0 => true,
        (1 | 2, [_, _, high, low], [_, bytes, ..]) => u16::from_be_bytes([*high, *low]).div_ceil(8) == u16::from(*bytes),
        (3 | 4, [_, _, high, low], [_, bytes, ..]) => u32::from(u16::from_be_bytes([*high, *low])) * 2 == u32::from(*bytes),
        (5 | 6 | 22, ..) => request == response,
        (15 | 16, ..) => request.get(..5) == response.get(..5),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial::bytes;

    #[test]
    fn the_size_of_a_pdu_fits_its_function() {
        let cases = [
            ("03 0000 000a", true, false),
            ("03 0000 0000", false, false),
            ("03 0000 007e", false, false),
            ("03 04 0001 0002", false, true),
            ("03 03 000102", false, false),
            ("05 0001 ff00", true, true),
            ("05 0001 ff01", false, false),
            ("0f 0000 000a 02 ffff", true, false),
            ("0f 0000 000a 03 ffffff", false, false),
            ("10 0000 0001 02 0007", true, false),
            ("10 0000 0001", false, true),
            ("83 02", false, true),
            ("83 0c", false, false),
            ("17 0000 0001 0002 0001 02 0005", true, false),
            ("18 0010", true, false),
            ("2b 0e 01 00", true, false),
            ("64 0000", false, false),
            ("", false, false),
        ];
        for (pdu, request, response) in cases {
            assert_eq!(Shape::of(&bytes(pdu)), Shape { request, response }, "{pdu}");
        }
    }

    #[test]
    fn a_response_has_as_many_values_as_its_request_asks_for() {
        let fits = |request, response| is_answered(&bytes(request), &bytes(response));
        assert!(fits("03 0000 0002", "03 04 0001 0002") && !fits("03 0000 0002", "03 02 0001"));
        assert!(fits("01 0000 000a", "01 02 ff03") && !fits("01 0000 0011", "01 02 ff03"));
        assert!(fits("06 0001 0007", "06 0001 0007") && !fits("06 0001 0007", "06 0001 0008"));
        assert!(fits("03 0000 0002", "83 02") && !fits("03 0000 0002", "84 02"));
    }
}
