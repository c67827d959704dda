//! The application protocols, one file each, and the list of them.

mod dhcp;
mod dhcpv6;
mod dns;
mod http;
mod json;
mod librpc;
mod lines;
mod nbns;
mod ntp;
mod pipboy;
mod quic;
mod raknet;
mod runescape;
mod snmp;
mod stun;
mod syslog;
mod tftp;
mod tls;
mod vcmp;
mod vscp;
mod websocket;
mod xfire;

use crate::tree::Field;
use crate::wire::Protocol;

/// Every protocol, in the order of the alphabet.
pub static ALL: &[&Protocol] = &[
    &dhcp::PROTOCOL,
    &dhcpv6::PROTOCOL,
    &dns::PROTOCOL,
    &http::PROTOCOL,
    &json::PROTOCOL,
    &librpc::PROTOCOL,
    &dns::LINK_LOCAL,
    &dns::MULTICAST,
    &nbns::PROTOCOL,
    &ntp::PROTOCOL,
    &pipboy::PROTOCOL,
    &quic::PROTOCOL,
    &raknet::PROTOCOL,
    &raknet::MESSAGE,
    &runescape::PROTOCOL,
    &runescape::VALUES,
    &snmp::PROTOCOL,
    &stun::PROTOCOL,
    &syslog::PROTOCOL,
    &tftp::PROTOCOL,
    &tls::PROTOCOL,
    &tls::X509AF,
    &tls::X509CE,
    &tls::X509IF,
    &tls::X509SAT,
    &vcmp::PROTOCOL,
    &vcmp::QUERY,
    &vcmp::COMPRESSED,
    &vscp::PROTOCOL,
    &vscp::WORLD_LOCATION,
    &websocket::PROTOCOL,
    &xfire::PROTOCOL,
];

/// Fields that protocols know from their tables, beside those of their lists.
#[must_use]
pub fn table_fields() -> Vec<&'static Field> {
    runescape::table_fields()
}
