//! The version in Wireshark's Protocol column.

use super::{HANDSHAKE_RECORD, HEADER};

const CLIENT_HELLO: u8 = 1;

/// Versions seen in record headers; 0 if none.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::protocols) struct ShownVersion {
    /// Version of the last record.
    last: u16,
    /// Version of the first record that is no ClientHello: its sender knows the negotiated version.
    agreed: u16,
}

impl ShownVersion {
    /// Updates the versions with a record of this payload.
    pub(in crate::protocols) fn record(&mut self, header: [u8; HEADER], payload: &[u8]) {
        let [kind, major, minor, ..] = header;
        self.last = u16::from_be_bytes([major, minor]);
        let is_offer =
            kind == HANDSHAKE_RECORD && !payload.first().is_some_and(|kind| is_handshake(*kind) && *kind != CLIENT_HELLO);
        if self.agreed == 0 && !is_offer {
            self.agreed = self.last;
        }
    }

    /// The version of the first record that is no ClientHello, or 0.
    pub(in crate::protocols) fn agreed(self) -> u16 {
        self.agreed
    }

    /// The column, given the version of the ServerHello, or 0.
    pub(super) fn column(self, hello: u16) -> &'static str {
        let version = [hello, self.agreed, self.last].into_iter().find(|version| *version > 0);
        match version.unwrap_or_default() {
            0x0002 => "SSLv2",
            0x0300 => "SSLv3",
            0x0301 => "TLSv1",
            0x0302 => "TLSv1.1",
            0x0303 => "TLSv1.2",
            0x0304 | 0x7f00..=0x7fff => "TLSv1.3",
            _ => "SSL",
        }
    }
}

/// Whether a handshake message has this type.
fn is_handshake(kind: u8) -> bool {
    matches!(kind, 0..=6 | 8 | 11..=16 | 20..=25)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_shows_the_agreed_version_once_it_is_known() {
        let mut shown = ShownVersion::default();
        assert_eq!(shown.column(0), "SSL");
        shown.record([HANDSHAKE_RECORD, 3, 1, 0, 4], &[CLIENT_HELLO]);
        assert_eq!(shown.column(0), "TLSv1");
        shown.record([HANDSHAKE_RECORD, 3, 3, 0, 4], &[2]);
        assert_eq!((shown.column(0), shown.column(0x0304)), ("TLSv1.2", "TLSv1.3"));
        shown.record([HANDSHAKE_RECORD, 3, 1, 0, 4], &[CLIENT_HELLO]);
        assert_eq!(shown.column(0), "TLSv1.2");
        let columns = [0x0002, 0x0300, 0x0301, 0x0302, 0x0303, 0x7f1c, 0x0305].map(|version| shown.column(version));
        assert_eq!(columns, ["SSLv2", "SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3", "SSL"]);
    }
}
