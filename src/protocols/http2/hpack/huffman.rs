//! The Huffman code of HPACK (RFC 7541, appendix B).
//!
//! The code is canonical: codes of one length are consecutive and ascend with their symbols, and shorter codes are numerically
//! lower. The lengths therefore determine all codes.

/// Length in bits of the code of each byte, and of the end-of-string symbol.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

/// Symbol that marks the end of a string, and must not occur in it.
const END_OF_STRING: u16 = 256;

/// Length of the longest code.
const LONGEST: usize = 30;

/// Codes by length.
struct Codes {
    /// Symbols in the order of their codes.
    symbols: [u16; 257],
    /// Number of the first symbol of each length in this order.
    first_symbol: [u16; LONGEST + 1],
    /// First code of each length, left-aligned to 32 bits.
    first_code: [u64; LONGEST + 1],
    /// End of the codes of each length, left-aligned to 32 bits.
    end: [u64; LONGEST + 1],
}

static CODES: Codes = codes();

#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn codes() -> Codes {
    let mut codes =
        Codes { symbols: [0; 257], first_symbol: [0; LONGEST + 1], first_code: [0; LONGEST + 1], end: [0; LONGEST + 1] };
    let (mut length, mut placed, mut code) = (1, 0, 0);
    while length <= LONGEST {
        codes.first_symbol[length] = placed;
        codes.first_code[length] = code;
        let mut symbol = 0;
        while symbol <= END_OF_STRING {
            if LENGTHS[symbol as usize] as usize == length {
                codes.symbols[placed as usize] = symbol;
                placed += 1;
                code += 1 << (32 - length);
            }
            symbol += 1;
        }
        codes.end[length] = code;
        length += 1;
    }
    codes
}

/// Length and symbol of the first code in 32 bits.
fn first(window: u64) -> Option<(usize, u16)> {
    let length = CODES.end.iter().position(|end| window < *end)?;
    let code = (window - CODES.first_code.get(length)?) >> (32 - length);
    let place = usize::from(*CODES.first_symbol.get(length)?) + usize::try_from(code).ok()?;
    Some((length, *CODES.symbols.get(place)?))
}

/// Appends the decoded string to `out`. `None` if it contains the end-of-string symbol or ends in invalid padding.
pub(super) fn decode(bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut ahead = bytes.iter();
    let (mut bits, mut count) = (0_u64, 0_usize);
    loop {
        while count <= 32
            && let Some(byte) = ahead.next()
        {
            bits = bits << 8 | u64::from(*byte);
            count += 8;
        }
        // Bits after the end are ones, like padding.
        let window =
            if count >= 32 { bits >> (count - 32) } else { bits << (32 - count) | ((1 << (32 - count)) - 1) } & 0xffff_ffff;
        let is_padding = count < 8 && window == 0xffff_ffff;
        if is_padding {
            return Some(());
        }
        let (length, symbol) = first(window).filter(|(length, _)| *length <= count)?;
        out.push(u8::try_from(symbol).ok()?);
        count -= length;
        bits &= (1 << count) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial;

    fn decoded(hex: &str) -> Option<String> {
        let mut out = Vec::new();
        decode(&trial::bytes(hex), &mut out)?;
        Some(String::from_utf8(out).unwrap())
    }

    #[test]
    fn strings_of_rfc_7541_are_decoded() {
        for (hex, text) in [
            ("f1e3 c2e5 f23a 6ba0 ab90 f4ff", "www.example.com"),
            ("a8eb 1064 9cbf", "no-cache"),
            ("25a8 49e9 5ba9 7d7f", "custom-key"),
            ("25a8 49e9 5bb8 e8b4 bf", "custom-value"),
            ("6402", "302"),
            ("d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff", "Mon, 21 Oct 2013 20:13:21 GMT"),
            ("9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3", "https://www.example.com"),
            (
                "94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
                "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
            ),
            ("", ""),
        ] {
            assert_eq!(decoded(hex).as_deref(), Some(text), "{hex}");
        }
    }

    #[test]
    fn padding_is_ones_and_shorter_than_a_byte() {
        assert_eq!(decoded("07").as_deref(), Some("0"));
        assert_eq!(decoded("00"), None, "five bits of a code, then zeros");
        assert_eq!(decoded("07 ff"), None, "a whole byte of padding");
        assert_eq!(decoded("ff"), None, "a whole byte of padding");
        assert_eq!(decoded("ff ff ff fc"), None, "the end-of-string symbol");
        assert_eq!(decoded("64"), None, "the string is cut");
    }

    #[test]
    fn the_codes_are_those_of_rfc_7541() {
        let symbol = |code: u64, length: usize| first(code << (32 - length));
        assert_eq!(symbol(0x1ff8, 13), Some((13, 0)));
        assert_eq!(symbol(0x14, 6), Some((6, 32)));
        assert_eq!(symbol(0x7fff0, 19), Some((19, 92)));
        assert_eq!(symbol(0x3ff_ffee, 26), Some((26, 255)));
        assert_eq!(symbol(0x3fff_fffc, 30), Some((30, 10)));
        assert_eq!(symbol(0x3fff_ffff, 30), Some((30, END_OF_STRING)));
    }

    #[test]
    fn the_code_is_complete() {
        assert_eq!(CODES.end[LONGEST], 1 << 32, "each sequence of 30 bits begins with a code");
    }
}
