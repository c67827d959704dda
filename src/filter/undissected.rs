//! Protocols that Wireshark dissects and this program does not.
//!
//! A filter may contain them, but they never match.

/// Sorted filter names of all protocols of Wireshark 4.0, separated by spaces.
static NAMES: &str = include_str!("undissected.txt");

/// Protocol of Wireshark with this name.
pub(super) fn named(name: &str) -> Option<&'static str> {
    NAMES.split_ascii_whitespace().find(|known| *known == name)
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
    }
}
