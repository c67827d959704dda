//! Descriptions of where a protocol is found: texts of [`On`], [`Heuristic`] and [`Dissector`].

use crate::wire::{Dissector, Found, Heuristic, On, Protocol};

/// Name of a place.
#[must_use]
pub fn place(on: On) -> String {
    match on {
        On::Tcp(port) => format!("TCP {port}"),
        On::TcpRun(first, last) => format!("TCP {first} to {last}"),
        On::Udp(port) => format!("UDP {port}"),
        On::UdpRun(first, last) => format!("UDP {first} to {last}"),
        On::AnyTcp => String::from("any TCP port"),
        On::AnyUdp => String::from("any UDP port"),
        On::Over(carrier) => format!("inside {carrier}"),
        On::EtherType(number) => format!("EtherType {number:#06x}"),
        On::IpProtocol(number) => format!("IP protocol {number}"),
        On::Sap(number) => format!("LLC SAP {number:#04x}"),
        On::Snap(organization, protocol) => format!("SNAP {organization:#08x} {protocol:#06x}"),
        On::Chosen => String::from("with --as or -d"),
    }
}

/// Distinct places of a protocol. A layer is selected by the layer below.
#[must_use]
pub fn places(protocol: &Protocol) -> String {
    let mut places: Vec<String> = Vec::new();
    for found in protocol.found.iter().filter(|found| !found.by_port) {
        let name = match found.on {
            on @ (On::AnyTcp | On::AnyUdp) => format!("{} by content", place(on)),
            on => place(on),
        };
        if !places.contains(&name) {
            places.push(name);
        }
    }
    if places.is_empty() { String::from("the parent protocol") } else { places.join(", ") }
}

/// Recognition at a place.
pub(super) fn recognition(found: &Found) -> &'static str {
    match found.heuristic {
        _ if found.on == On::Chosen => "any content",
        Heuristic::Anything => "any content",
        Heuristic::Stream(_) => "recognized by the first bytes of both sides",
        Heuristic::Datagram(_) | Heuristic::InContext(_) => "recognized by content",
        Heuristic::Series(_) => "recognized by several datagrams",
        Heuristic::Described(_) => "recognized by the magic of the file",
    }
}

/// Unit of dissection at a place.
pub(super) fn reading(found: &Found) -> &'static str {
    match found.dissector {
        Dissector::Stream(_) | Dissector::DescribedStream(_) => "stream",
        Dissector::Datagram(_) | Dissector::Described(_) => "datagrams",
        Dissector::Exchange(_) => "datagrams with state",
    }
}
