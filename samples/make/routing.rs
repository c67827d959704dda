//! Protocols of bridges and routers: STP, CDP, OSPF, VRRP, RIP, RIPng, and a packet of IPsec.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use etherparse::{IpNumber, PacketBuilder};

use crate::Result;
use crate::capture::{self, Trace};
use crate::hex::bytes;
use crate::net::{self, Host, Link};

/// Multicast addresses on Ethernet.
const BRIDGES: [u8; 6] = [0x01, 0x80, 0xc2, 0, 0, 0];
const PVST: [u8; 6] = [0x01, 0, 0x0c, 0xcc, 0xcc, 0xcd];
const CISCO: [u8; 6] = [0x01, 0, 0x0c, 0xcc, 0xcc, 0xcc];

const STP: &str = "81bd 020000000001 00000013 9064 020000000002 8002 0100 1400 0200 0f00";

const OSPF_HELLO: &str = "02 01 0030 0a000001 00000000 0000 0002 0000 01 10 00000007 \
    ffffff00 000a 12 01 00000028 c0000201 00000000 0a000002 00112233445566778899aabbccddeeff \
    fff6 0003 0001 0004 00000001";
const OSPF_DESCRIPTION: &str = "02 02 0034 0a000001 00000000 1234 0001 6d6f737367726e00 \
    05dc 42 07 00000081 801e 20 05 c0000200 0a000001 80000001 8eb7 0024";
const OSPF_REQUEST: &str = "02 03 0024 0a000002 00000000 1234 0000 0000000000000000 00000001 0a000001 0a000001";
const OSPF_UPDATE: &str = "02 04 00ac 0a000001 00000000 1234 0000 0000000000000000 00000004 \
    0001 22 01 0a000001 0a000001 80000002 3e97 0030 02 00 0002 c0000200 ffffff00 03 00 0001 0a000002 c0000201 02 00 000a \
    0001 22 02 c0000201 0a000001 80000001 27b4 0020 ffffff00 0a000001 0a000002 \
    0001 22 03 c6336400 0a000001 80000001 27b4 001c ffffff00 00 000014 \
    0001 20 05 cb007100 0a000001 80000001 8eb7 0024 ffffff00 80 000014 00000000 00000004";
const OSPF_HELLO_3: &str = "03 01 0028 0a000001 00000000 1234 00 00 00000005 01 000013 000a 0028 0a000001 00000000 0a000002";

const CDP: &str = "aaaa03 00000c 2000 02 b4 a82e 0001 0007 737731 0003 0008 47692f31 0004 0008 00000029 0005 0006 3135 \
    0006 0006 5753 0002 0011 00000001 01 01 cc 0004 c0000201 0009 0006 6c62 000a 0006 01bd 000b 0005 01";

const VRRP_2: &str = "21 07 64 01 01 01 baac c0000201 6d6f737367726e00";
const VRRP_3: &str = "31 07 c8 02 0064 1234 fe800000000000000000000000000001 20010db8000000000000000000000001";

/// The password is `moss-green`.
const RIP: &str = "02 02 0000 ffff 0002 6d6f73732d677265656e000000000000 0002 0007 c0000200 ffffff00 00000000 00000001";
const RIPNG: &str = "02 01 0000 20010db8000100000000000000000000 0007 30 01";

const ESP: &str = "48dac2e4 00000003 8f1b60aa 0c77d1e9 35a8024f 91ee6b3d";

/// A frame of IEEE 802.3, padded with zeros to the minimum size.
fn put_llc(trace: &mut Trace, from: Host, to: [u8; 6], hex: &str) -> Result {
    let payload = bytes(hex);
    let mut frame = net::ethernet(from.mac, to, payload.len().try_into()?, &payload);
    frame.resize(frame.len().max(60), 0);
    trace.wait(Duration::from_millis(200));
    trace.capture(frame);
    Ok(())
}

fn put_ip(trace: &mut Trace, from: Host, to: Host, protocol: u8, hex: &str) -> Result {
    let mut packet = Vec::new();
    PacketBuilder::ip(net::ip(from, to, 0x2101)?).write(&mut packet, IpNumber(protocol), &bytes(hex))?;
    trace.wait(Duration::from_millis(200));
    trace.capture(Link::Ethernet.frame(from, to, &packet));
    Ok(())
}

/// A multicast group.
fn group(ip: Ipv4Addr) -> Host {
    let [_, b, c, d] = ip.octets();
    Host { mac: [0x01, 0, 0x5e, b & 0x7f, c, d], ..Host::new(ip, 1) }
}

fn group6(last: u16) -> Host {
    let [high, low] = last.to_be_bytes();
    Host { mac: [0x33, 0x33, 0, 0, high, low], ..Host::new(Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, last), 1) }
}

/// Adds all of them.
pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    let router = Host::new(Ipv4Addr::new(192, 0, 2, 1), 1);
    let router6 = Host::new(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 1), 255);
    put_llc(&mut trace, router, BRIDGES, &format!("424203 0000 00 00 81 {STP}"))?;
    put_llc(&mut trace, router, BRIDGES, &format!("424203 0000 02 02 3c {STP} 00"))?;
    put_llc(&mut trace, router, PVST, &format!("aaaa03 00000c 010b 0000 00 00 00 {STP} 00 0000 0002 01bd"))?;
    put_llc(&mut trace, router, BRIDGES, "424203 0000 00 80")?;
    put_llc(&mut trace, router, CISCO, CDP)?;
    let to = group(Ipv4Addr::new(224, 0, 0, 5));
    for packet in [OSPF_HELLO, OSPF_DESCRIPTION, OSPF_REQUEST, OSPF_UPDATE] {
        put_ip(&mut trace, router, to, 89, packet)?;
    }
    put_ip(&mut trace, router6, group6(5), 89, OSPF_HELLO_3)?;
    put_ip(&mut trace, Host { ttl: 255, ..router }, group(Ipv4Addr::new(224, 0, 0, 18)), 112, VRRP_2)?;
    put_ip(&mut trace, router6, group6(0x12), 112, VRRP_3)?;
    put_ip(&mut trace, Host { ttl: 64, ..router }, Host::new(Ipv4Addr::new(192, 0, 2, 17), 64), 50, ESP)?;
    for (from, to, port, hex) in [(router, group(Ipv4Addr::new(224, 0, 0, 9)), 520, RIP), (router6, group6(9), 521, RIPNG)] {
        let packet = net::udp(from.port(port), to.port(port), 0x2102, &bytes(hex))?;
        trace.wait(Duration::from_millis(200));
        trace.capture(Link::Ethernet.frame(from, to, &packet));
    }
    capture::pcap(capture::ETHERNET, &trace.frames())
}
