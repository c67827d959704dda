//! Message IDs that a game numbers anew.

use crate::wire::InvalidValue;
use std::sync::Arc;

/// Stock IDs by the ID on the wire, as `-o raknet.ids` states them.
#[derive(Debug, Clone, Default)]
pub(super) struct Ids(Arc<[(u8, u8)]>);

impl Ids {
    /// Parses pairs in hexadecimal, such as `7b=05,7e=06`: the ID on the wire, and the stock one.
    pub(super) fn parse(text: &str) -> Result<Ids, InvalidValue> {
        let byte = |digits: &str| u8::from_str_radix(digits.trim().trim_start_matches("0x"), 16).ok();
        let pair = |pair: &str| {
            let (wire, stock) = pair.split_once('=')?;
            Some((byte(wire)?, byte(stock)?))
        };
        let pairs: Option<Vec<_>> = text.split(',').map(pair).collect();
        let message = || "expected pairs of IDs in hexadecimal, such as 7b=05,7e=06".to_owned();
        pairs.map(|pairs| Ids(pairs.into())).ok_or_else(|| InvalidValue { line: None, message: message() })
    }

    /// The stock ID of an ID on the wire, if the game numbers it anew. The last pair of an ID counts.
    pub(super) fn stock(&self, id: u8) -> Option<u8> {
        self.0.iter().rev().find(|(wire, _)| *wire == id).map(|(_, stock)| *stock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_hexadecimal() {
        let ids = Ids::parse("7b=05, 0x7e=0x6,7b=7").unwrap();
        assert_eq!([0x7b, 0x7e, 5].map(|id| ids.stock(id)), [Some(7), Some(6), None]);
        for text in ["", "7b", "7b=", "7b=05,", "100=5", "7b=5=6", "xx=05"] {
            assert!(Ids::parse(text).unwrap_err().message.contains("7b=05"), "{text}");
        }
        assert_eq!(Ids::default().stock(0), None);
    }
}
