//! Protocols that Wireshark dissects and this program does not.
//!
//! A filter may contain them, but they never match.

use std::sync::LazyLock;

/// Sorted filter names of all protocols of Wireshark 4.0.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("undissected.txt").split_ascii_whitespace().collect());

/// Protocol of Wireshark with this name.
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
