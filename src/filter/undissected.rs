//! Protocols that Wireshark reads and this program does not.
//!
//! A filter that names one is no mistake: nothing matches it.

use std::sync::LazyLock;

/// The filter names of all protocols of Wireshark 4.0, in order.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("undissected.txt").split_ascii_whitespace().collect());

/// The protocol of this name, if Wireshark has it.
pub(super) fn named(name: &str) -> Option<&'static str> {
    let place = NAMES.binary_search(&name).ok()?;
    NAMES.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_of_wireshark_are_known_by_name() {
        for name in ["smb", "ospf", "rtcp", "kerberos"] {
            assert_eq!(named(name), Some(name));
        }
        assert!(named("smbb").is_none() && named("").is_none());
        assert!(NAMES.is_sorted());
    }
}
