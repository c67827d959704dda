//! Addresses as text, formatted in one step into a buffer on the stack, because each line of a list contains two.

use super::{UsbEnd, digits};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The longest text: an IPv6 address in brackets that ends in an IPv4 address, with a port.
const LONGEST: usize = 56;

/// A MAC address, or an IP address with or without port. IPv6 addresses are written as RFC 5952 recommends.
pub(super) struct AddressText {
    text: [u8; LONGEST],
    len: usize,
}

impl AddressText {
    pub(super) fn ip(ip: IpAddr) -> AddressText {
        let mut text = AddressText { text: [0; LONGEST], len: 0 };
        match ip {
            IpAddr::V4(ip) => text.push_v4(ip),
            IpAddr::V6(ip) => text.push_v6(ip),
        }
        text
    }

    pub(super) fn mac(mac: [u8; 6]) -> AddressText {
        let mut text = AddressText { text: [0; LONGEST], len: 0 };
        for (place, byte) in mac.into_iter().enumerate() {
            if place > 0 {
                text.push(b':');
            }
            text.push(hex_digit(byte >> 4));
            text.push(hex_digit(byte & 15));
        }
        text
    }

    /// A socket address; the scope of an IPv6 address is omitted.
    pub(super) fn socket(socket: SocketAddr) -> AddressText {
        let mut text = AddressText { text: [0; LONGEST], len: 0 };
        match socket.ip() {
            IpAddr::V4(ip) => text.push_v4(ip),
            IpAddr::V6(ip) => {
                text.push(b'[');
                text.push_v6(ip);
                text.push(b']');
            }
        }
        text.push(b':');
        itoa::Buffer::new().format(socket.port()).bytes().for_each(|digit| text.push(digit));
        text
    }

    pub(super) fn usb(end: UsbEnd) -> AddressText {
        let mut text = AddressText { text: [0; LONGEST], len: 0 };
        match end {
            UsbEnd::Host => b"host".iter().for_each(|character| text.push(*character)),
            UsbEnd::Endpoint { bus, device, number } => {
                for (place, part) in [bus, device, number.into()].into_iter().enumerate() {
                    if place > 0 {
                        text.push(b'.');
                    }
                    itoa::Buffer::new().format(part).bytes().for_each(|digit| text.push(digit));
                }
            }
        }
        text
    }

    pub(super) fn as_str(&self) -> &str {
        str::from_utf8(self.text.get(..self.len).unwrap_or_default()).unwrap_or_default()
    }

    fn push_v4(&mut self, ip: Ipv4Addr) {
        let (points, len) = digits::points(ip.octets());
        if let Some(place) = self.text.get_mut(self.len..self.len + points.len()) {
            place.copy_from_slice(&points);
            self.len += len;
        }
    }

    fn push_v6(&mut self, ip: Ipv6Addr) {
        let groups = ip.segments();
        if let Some(inner) = ip.to_ipv4_mapped() {
            b"::ffff:".iter().for_each(|character| self.push(*character));
            return self.push_v4(inner);
        }
        let (start, len) = longest_zeros(groups);
        for (place, group) in groups.into_iter().enumerate() {
            let is_omitted = (start..start + len).contains(&place);
            if place == start && len > 0 {
                self.push(b':');
                self.push(b':');
            } else if !is_omitted && place > 0 && place != start + len {
                self.push(b':');
            }
            if !is_omitted {
                self.push_hex(group);
            }
        }
    }

    /// Hexadecimal digits without leading zeros.
    fn push_hex(&mut self, group: u16) {
        let digits = 4 - (group | 1).leading_zeros() / 4;
        for place in (0..digits).rev() {
            self.push(hex_digit((group >> (4 * place) & 15) as u8));
        }
    }

    fn push(&mut self, character: u8) {
        if let Some(place) = self.text.get_mut(self.len) {
            *place = character;
            self.len += 1;
        }
    }
}

fn hex_digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

/// The start and length of the first longest run of two or more groups of zeros; (8, 0) without one.
fn longest_zeros(groups: [u16; 8]) -> (usize, usize) {
    let (mut best, mut run) = ((8, 0), (0, 0));
    for (place, group) in groups.into_iter().enumerate() {
        run = if group == 0 { (run.0, run.1 + 1) } else { (place + 1, 0) };
        if run.1 > best.1.max(1) {
            best = run;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn addresses_are_as_the_standard_library_writes_them(groups: [u16; 8], zeros: u8, v4: [u8; 4], port: u16) {
            let sparse: [u16; 8] = std::array::from_fn(|place| if zeros >> place & 1 == 1 { 0 } else { groups[place] >> (zeros & 12) });
            let all = [IpAddr::from(groups), IpAddr::from(sparse), IpAddr::from(v4), Ipv4Addr::from(v4).to_ipv6_mapped().into()];
            for ip in all.into_iter().chain([Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::LOCALHOST.into()]) {
                let text = AddressText::ip(ip);
                prop_assert_eq!(text.as_str(), ip.to_string());
                let socket = SocketAddr::new(ip, port);
                let text = AddressText::socket(socket);
                prop_assert_eq!(text.as_str(), socket.to_string());
            }
        }
    }
}
