//! Messages of common services: names, addresses, time, and discovery.
//!
//! Messages are recorded bytes; only lower headers are generated.

mod daily;
mod games;
mod tools;
mod webrtc;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use etherparse::{EtherType, IpNumber, PacketBuilder};

use crate::Result;
use crate::capture::{self, Trace};
use crate::net::{self, Host, Link};
use crate::tcp::{Conversation, Side, Stack};
use daily::TALK;

pub use games::games;
pub use tools::tools;
pub use webrtc::{dtls_versions, webrtc};

const PAUSE: Duration = Duration::from_millis(40);

const fn v4([a, b, c, d]: [u8; 4]) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}

const fn v6(last: u16) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last))
}

const COUCH: IpAddr = v4([192, 0, 2, 9]);
const LAMP: IpAddr = v4([192, 0, 2, 10]);
const ROUTER: IpAddr = v4([192, 0, 2, 1]);
const OUTSIDE: IpAddr = v4([198, 51, 100, 7]);
const UNSPECIFIED: IpAddr = v4([0, 0, 0, 0]);
const EVERYONE: IpAddr = v4([255, 255, 255, 255]);
const ALL: IpAddr = v4([192, 0, 2, 255]);
const MDNS: IpAddr = v4([224, 0, 0, 251]);
const SSDP: IpAddr = v4([239, 255, 255, 250]);
const LLMNR: IpAddr = v4([224, 0, 0, 252]);
const COUCH6: IpAddr = v6(9);
const ROUTER6: IpAddr = v6(1);
const SERVERS6: IpAddr = IpAddr::V6(Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 1, 2));

/// Sender, receiver and bytes of one datagram in hexadecimal.
type Datagram = (IpAddr, u16, IpAddr, u16, &'static str);

/// Messages directly over IP: sender, receiver, IP protocol, bytes.
const ON_IP: &[(IpAddr, IpAddr, u8, &str)] = &[
    (COUCH, v4([224, 0, 0, 22]), 2, "2200 e001 0000 0001 04000001 effffffa 0a000001"),
    (ROUTER, v4([224, 0, 0, 1]), 2, "1164 ec1e 00000000 027d0000"),
    (COUCH6, v6(22), 58, "8f00 e446 0000 0001 04000001 ff020000000000000000000000000002 20010db8000000000000000000000001"),
    (
        ROUTER6,
        v6(9),
        58,
        "8600 ef85 40c8 0708 00000000 00000000 0101020000000001 05010000000005dc \
         030440c0 00278d00 00093a80 00000000 20010db8000000010000000000000000 18022008 00000708 20010db8 00000000 \
         19030000 00000708 20010db8000000000000000000000053 1f030000 00000708 036c616e 076578616d706c65 00000000",
    ),
];

/// Announcements of a switch.
const SWITCH: &str = "0207 04020000000001 0405 0567652d31 0602 0078 0803 757031 0a03 737731 0e04 00140004 \
    100c 0501c0000201 0200000007 00 fe06 0080c2 010064 0000";

/// Other messages.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    trace.capture(net::ethernet([2, 0, 0, 0, 0, 1], [1, 0x80, 0xc2, 0, 0, 0x0e], EtherType(0x88cc).0, &bytes(SWITCH)));
    for (number, &(from, to, protocol, hex)) in (1..).zip(ON_IP) {
        trace.wait(PAUSE);
        let (from, to) = (host(from), host(to));
        let mut packet = Vec::new();
        PacketBuilder::ip(net::ip(from, to, number)?).write(&mut packet, IpNumber(protocol), &bytes(hex))?;
        trace.capture(Link::Ethernet.frame(from, to, &packet));
    }
    datagrams(&mut trace, TALK)?;
    in_stream(&mut trace)?;
    capture::pcap(capture::ETHERNET, &trace.frames())
}

fn datagrams(trace: &mut Trace, datagrams: &[Datagram]) -> Result {
    for (number, &(from, source, to, destination, hex)) in (100..).zip(datagrams) {
        datagram(trace, number, [(from, source), (to, destination)], &bytes(hex))?;
    }
    Ok(())
}

/// One datagram.
fn datagram(trace: &mut Trace, number: u16, [from, to]: [(IpAddr, u16); 2], bytes: &[u8]) -> Result {
    trace.wait(PAUSE);
    let (from, to) = (host(from.0).port(from.1), host(to.0).port(to.1));
    let packet = net::udp(from, to, number, bytes)?;
    trace.capture(Link::Ethernet.frame(from.host, to.host, &packet));
    Ok(())
}

/// A connection of the client.
fn stream(port: u16, to: IpAddr, service: u16) -> Conversation {
    const STACK: Stack = Stack { first: 0x5fd1_2a90, mss: 1460, window: 64_240, window_scale: 7, clock: Some(91_204) };
    Conversation::new(Link::Ethernet, (host(COUCH).port(port), STACK), (host(to).port(service), STACK))
}

/// The first query and its response again, over TCP.
fn in_stream(trace: &mut Trace) -> Result {
    trace.wait(PAUSE);
    let mut stream = stream(50_010, ROUTER, 53);
    stream.open(trace)?;
    for (side, datagrams) in [Side::Client, Side::Server].into_iter().zip(TALK) {
        let message = bytes(datagrams.4);
        let length = u16::try_from(message.len())?;
        stream.send(trace, side, &[&length.to_be_bytes()[..], &message].concat())?;
    }
    stream.close(trace, Side::Client)
}

fn host(ip: IpAddr) -> Host {
    Host::new(ip, 64)
}

/// Bytes of hexadecimal text; spaces are skipped.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|digit| digit.to_digit(16)).filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}
