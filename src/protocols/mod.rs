//! Application protocols, a file or folder each.

mod a2s;
mod amqp;
mod bedrock;
mod ber;
mod bgp;
mod bittorrent;
mod bncs;
mod classicstun;
mod dcerpc;
mod delivered;
mod dhcp;
mod dhcpv6;
mod dns;
mod dtls;
pub(crate) mod eap;
mod enet;
mod ftp;
mod gamespy;
mod hazel;
mod hsrp;
mod http;
mod http2;
mod http3;
mod imap;
mod irc;
mod isakmp;
mod json;
mod kafka;
mod kcp;
mod kerberos;
mod ldap;
mod librpc;
mod lines;
mod litenetlib;
mod little;
mod log;
mod minecraft;
mod modbus;
mod mongodb;
mod mqtt;
mod mysql;
mod nats;
mod nbdgm;
mod nbns;
mod nbss;
mod ntp;
mod openvpn;
mod photon;
mod pipboy;
mod png;
mod pop3;
mod postgresql;
mod prefixed;
mod protobuf;
mod quake;
mod quake3;
mod quic;
mod radius;
mod raknet;
mod redis;
mod rip;
mod ripng;
mod rtcdc;
mod rtcp;
mod rtp;
mod rtsp;
mod runescape;
mod samp;
mod sdp;
mod sip;
mod smb;
mod smb2;
mod smtp;
mod snmp;
mod socks;
mod ssdp;
mod ssh;
mod steam_ihs_discovery;
mod steam_sockets;
mod stun;
mod syslog;
mod tailscale_disco;
mod telnet;
mod terraria;
mod tftp;
mod tls;
mod tpkt;
mod unreal;
mod varint;
mod vcmp;
mod vscp;
mod websocket;
mod wireguard;
mod xfire;
mod xmpp;

use crate::wire::statistics::{LoginFields, Statistic};
use crate::wire::{FollowedContent, LogFormat, Protocol};

/// All protocols in alphabetical order.
pub static ALL: &[&Protocol] = &[
    &a2s::PROTOCOL,
    &amqp::PROTOCOL,
    &bedrock::PROTOCOL,
    &bittorrent::BENCODE,
    &bgp::PROTOCOL,
    &bittorrent::PROTOCOL,
    &bncs::PROTOCOL,
    &bittorrent::dht::PROTOCOL,
    &bittorrent::tracker::PROTOCOL,
    &bittorrent::utp::PROTOCOL,
    &classicstun::PROTOCOL,
    &tpkt::COTP_PROTOCOL,
    &dcerpc::PROTOCOL,
    &dhcp::PROTOCOL,
    &dhcpv6::PROTOCOL,
    &dns::PROTOCOL,
    &dtls::PROTOCOL,
    &enet::PROTOCOL,
    &ftp::PROTOCOL,
    &ftp::TRANSFER,
    &gamespy::PROTOCOL,
    &http2::GRPC,
    &hazel::PROTOCOL,
    &hsrp::PROTOCOL,
    &hsrp::ELEMENTS,
    &http::PROTOCOL,
    &http2::PROTOCOL,
    &http3::PROTOCOL,
    &imap::PROTOCOL,
    &smtp::imf::PROTOCOL,
    &irc::PROTOCOL,
    &isakmp::PROTOCOL,
    &json::PROTOCOL,
    &kafka::PROTOCOL,
    &kcp::PROTOCOL,
    &kerberos::PROTOCOL,
    &ldap::PROTOCOL,
    &librpc::PROTOCOL,
    &litenetlib::PROTOCOL,
    &log::PROTOCOL,
    &dns::LINK_LOCAL,
    &modbus::PROTOCOL,
    &dns::MULTICAST,
    &minecraft::PROTOCOL,
    &modbus::PDU_PROTOCOL,
    &mongodb::PROTOCOL,
    &mqtt::PROTOCOL,
    &mysql::PROTOCOL,
    &nats::PROTOCOL,
    &nbdgm::PROTOCOL,
    &nbns::PROTOCOL,
    &nbss::PROTOCOL,
    &ntp::PROTOCOL,
    &openvpn::PROTOCOL,
    &postgresql::PROTOCOL,
    &photon::PROTOCOL,
    &photon::MESSAGE,
    &pipboy::PROTOCOL,
    &pipboy::ENTRIES,
    &pop3::PROTOCOL,
    &protobuf::PROTOCOL,
    &quake::PROTOCOL,
    &quake::second::PROTOCOL,
    &quake3::PROTOCOL,
    &quake::world::PROTOCOL,
    &quic::PROTOCOL,
    &radius::PROTOCOL,
    &raknet::PROTOCOL,
    &raknet::MESSAGE,
    &tpkt::RDP_PROTOCOL,
    &redis::PROTOCOL,
    &rip::PROTOCOL,
    &ripng::PROTOCOL,
    &runescape::PROTOCOL,
    &runescape::VALUES,
    &rtcdc::PROTOCOL,
    &rtcp::PROTOCOL,
    &rtp::PROTOCOL,
    &rtsp::PROTOCOL,
    &samp::PROTOCOL,
    &sdp::PROTOCOL,
    &sip::PROTOCOL,
    &smb::PROTOCOL,
    &smb2::PROTOCOL,
    &smtp::PROTOCOL,
    &snmp::PROTOCOL,
    &socks::PROTOCOL,
    &rtcp::srtcp::PROTOCOL,
    &ssdp::PROTOCOL,
    &ssh::PROTOCOL,
    &steam_ihs_discovery::PROTOCOL,
    &steam_sockets::PROTOCOL,
    &stun::PROTOCOL,
    &syslog::PROTOCOL,
    &tailscale_disco::PROTOCOL,
    &telnet::PROTOCOL,
    &terraria::PROTOCOL,
    &tftp::PROTOCOL,
    &tls::PROTOCOL,
    &tpkt::PROTOCOL,
    &isakmp::ENCAPSULATION,
    &unreal::PROTOCOL,
    &vcmp::PROTOCOL,
    &vcmp::QUERY,
    &vcmp::COMPRESSED,
    &vscp::PROTOCOL,
    &vscp::WORLD_LOCATION,
    &websocket::PROTOCOL,
    &wireguard::PROTOCOL,
    &tls::X509AF,
    &tls::X509CE,
    &tls::X509IF,
    &tls::X509SAT,
    &xfire::PROTOCOL,
    &xmpp::PROTOCOL,
];

/// Statistics of protocols in three groups, as lists of statistics show them: trees, tables and sessions.
pub static STATISTICS: [&[&Statistic]; 3] = [
    &[&http::statistics::MESSAGES, &http::statistics::REQUESTS, &http::statistics::SERVERS, &dns::statistics::MESSAGES],
    &[
        &sip::statistics::MESSAGES,
        &dhcp::statistics::MESSAGES,
        &rtsp::statistics::MESSAGES,
        &smb2::response_times::SMB,
        &smb2::response_times::SMB2,
    ],
    &[&runescape::statistics::SESSIONS, &dns::hosts::HOSTS, &rtp::statistics::STREAMS],
];

/// Protocols that have logins.
pub static LOGINS: &[&LoginFields] =
    &[&ftp::LOGIN, &http::LOGIN, &imap::LOGIN, &pop3::LOGIN, &smtp::LOGIN, &ldap::LOGIN, &mqtt::LOGIN, &socks::LOGIN];

/// Content that is printed instead of the bytes of a conversation.
pub static CONTENTS: &[&FollowedContent] = &[&http::CONTENT, &tls::CONTENT];

/// The name under which messages of logs hand over their payload.
pub const LOG_PLACE: &str = log::PLACE;

pub use log::framed as log_message;

/// Formats of session logs that are read in place of captures.
pub static LOGS: &[&LogFormat] = &[&runescape::RSPROX];

/// Protocols that announce other conversations or whose conversations change endpoints, and protocols that carry these.
pub static ANNOUNCING: &[&Protocol] = &[
    &dtls::PROTOCOL,
    &ftp::PROTOCOL,
    &quake::PROTOCOL,
    &quic::PROTOCOL,
    &rtsp::PROTOCOL,
    &sip::PROTOCOL,
    &sdp::PROTOCOL,
    &socks::PROTOCOL,
    &tftp::PROTOCOL,
    &vcmp::QUERY,
    &xfire::PROTOCOL,
];
