//! Name resolution blocks of pcapng captures.
//!
//! ```text
//! record      kind:2 | length:2 | address | name | 00 | … | padding to four bytes
//! ```
//! Kind 1 has an IPv4 address, kind 2 an IPv6 address, and kind 0 ends the list. The last name of a record is used.

use super::order::Order;
use std::net::IpAddr;

/// Maximum number of bytes of names, and maximum length of a name.
const NAMES: usize = 1 << 20;
const NAME: usize = 255;

/// Overhead of a name in bytes.
const OVERHEAD: usize = 64;

const END: u16 = 0;
const IPV4: u16 = 1;
const IPV6: u16 = 2;

/// Names of addresses.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<(IpAddr, String)>,
    bytes: usize,
}

impl Names {
    /// All names, in order of appearance.
    pub(super) fn all(&self) -> &[(IpAddr, String)] {
        &self.all
    }

    /// Reads the body of a block.
    pub(super) fn block(&mut self, order: Order, mut body: &[u8]) {
        while let (Some(kind), Some(length)) = (order.u16(body, 0), order.u16(body, 2)) {
            let Some(record) = body.get(4..4 + usize::from(length)).filter(|_| kind != END) else { return };
            let named = match kind {
                IPV4 => record.split_first_chunk::<4>().map(|(address, names)| (IpAddr::from(*address), names)),
                IPV6 => record.split_first_chunk::<16>().map(|(address, names)| (IpAddr::from(*address), names)),
                _ => None,
            };
            if let Some((address, names)) = named {
                self.record(address, names);
            }
            body = body.get(4 + usize::from(length).next_multiple_of(4)..).unwrap_or_default();
        }
    }

    fn record(&mut self, address: IpAddr, names: &[u8]) {
        let Some(name) = names.split(|byte| *byte == 0).rfind(|name| !name.is_empty()) else { return };
        let name = String::from_utf8_lossy(name.get(..name.len().min(NAME)).unwrap_or_default()).into_owned();
        let bytes = self.bytes + name.len() + OVERHEAD;
        if bytes <= NAMES {
            self.bytes = bytes;
            self.all.push((address, name));
        }
    }
}
