//! Exported PDUs of Wireshark: metadata as TLVs, big-endian, then a message of the protocol that they name. Strings are padded
//! with zeros. Source: the documentation of link type 252 at tcpdump.org, and `exported_pdu.h` of Wireshark.
//!
//! ```text
//! (tag:2 | length:2 | value) …     tag 0 ends them
//! ```

use super::ethernet::rest;
use super::{HeaderPayload, Next, layer};
use crate::tree::{Address, Names, Side, Transport, fields, title};
use crate::wire::{Protocol, Result, Wire};
use std::net::{IpAddr, SocketAddr};

pub static PROTOCOL: Protocol = layer(&EXPORTED_PDU, FIELDS);

fields! {
    EXPORTED_PDU = protocol("exported_pdu", "Exported PDU", "Wireshark exported PDU");
    ELEMENT = group("exported_pdu.element", "Tag", "").valued().titled(title::kind);
    TAG = number("exported_pdu.tag", "Tag", "").names(TAGS).once_per(&ELEMENT);
    LENGTH = number("exported_pdu.tag_len", "Length", "In bytes").once_per(&ELEMENT);
    NAME = text("exported_pdu.prot_name", "Protocol Name", "");
    HEURISTIC = text("exported_pdu.heur_prot_name", "Heuristic Protocol Name", "");
    TABLE = text("exported_pdu.dis_table_name", "Dissector Table Name", "");
    TABLE_VALUE = number("exported_pdu.dis_table_val", "Value to use when calling dissector table", "");
    IPV4_SRC = ipv4("exported_pdu.ipv4_src", "IPv4 Src", "");
    IPV4_DST = ipv4("exported_pdu.ipv4_dst", "IPv4 Dst", "");
    IPV6_SRC = ipv6("exported_pdu.ipv6_src", "IPv6 Src", "");
    IPV6_DST = ipv6("exported_pdu.ipv6_dst", "IPv6 Dst", "");
    PORT_TYPE = number("exported_pdu.port_type", "Port Type", "").names(PORT_TYPES);
    SRC_PORT = number("exported_pdu.src_port", "Src Port", "");
    DST_PORT = number("exported_pdu.dst_port", "Dst Port", "");
    FRAME = number("exported_pdu.orig_fno", "Original Frame Number", "");
    DIRECTION = number("exported_pdu.p2p_dir", "P2P direction", "").names(DIRECTIONS);
    COLUMN_PROTOCOL = text("exported_pdu.col_proto_str", "Column protocol string", "");
    COLUMN_INFO = text("exported_pdu.col_info_str", "Column information string", "");
    TCP_DATA = bytes("exported_pdu.tcp_dissector_data", "TCP Dissector Data", "");
    OTHER = bytes("exported_pdu.unknown_tag.val", "Value of another tag", "");
}

const END: u16 = 0;
const LINK_TYPE: u16 = 11;
const TAGS: Names = &[
    (0, "End-of-options"),
    (10, "Options length"),
    (11, "Linktype value"),
    (12, "PDU content dissector name"),
    (13, "PDU content heuristic dissector name"),
    (14, "PDU content dissector table name"),
    (20, "IPv4 Source Address"),
    (21, "IPv4 Destination Address"),
    (22, "IPv6 Source Address"),
    (23, "IPv6 Destination Address"),
    (24, "Port Type"),
    (25, "Source Port"),
    (26, "Destination Port"),
    (28, "SS7 OPC"),
    (29, "SS7 DPC"),
    (30, "Original Frame number"),
    (31, "DVB-CI event"),
    (32, "Dissector table value"),
    (33, "Column Protocol String"),
    (34, "TCP Dissector Data"),
    (35, "P2P direction"),
    (36, "Column Information String"),
];
const SCTP: u32 = 1;
const TCP: u32 = 2;
const UDP: u32 = 3;
const PORT_TYPES: Names = &[(0, "NONE"), (1, "SCTP"), (2, "TCP"), (3, "UDP"), (4, "DCCP")];
const DIRECTIONS: Names = &[(0, "Sent"), (1, "Received")];

/// What the tags of a frame say about its message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tags<'a> {
    /// Name of the dissector, that of a heuristic included.
    pub name: &'a str,
    /// Transport of the ports.
    pub transport: Option<Transport>,
    /// Sender, if it is no conversation of addresses.
    pub sender: Option<Side>,
    link: Option<u16>,
    table: &'a str,
    table_value: Option<u32>,
    addresses: [Option<IpAddr>; 2],
    ports: [Option<u16>; 2],
}

impl<'a> Tags<'a> {
    /// Reads the tags at the start of a frame.
    pub fn of(frame: &'a [u8]) -> Tags<'a> {
        let (mut tags, mut ahead) = (Tags::default(), frame);
        while let Some((&[a, b, high, low], behind)) = ahead.split_first_chunk() {
            let tag = u16::from_be_bytes([a, b]);
            let Some((value, behind)) = behind.split_at_checked(u16::from_be_bytes([high, low]).into()) else { break };
            if tag == END {
                break;
            }
            tags.add(tag, value);
            ahead = behind;
        }
        tags
    }

    fn add(&mut self, tag: u16, value: &'a [u8]) {
        let number = || value.first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
        let port = || number().and_then(|number| u16::try_from(number).ok());
        let words = || std::str::from_utf8(value.split(|byte| *byte == 0).next().unwrap_or_default()).unwrap_or_default();
        let ipv4 = || value.first_chunk::<4>().map(|bytes| IpAddr::from(*bytes));
        let ipv6 = || value.first_chunk::<16>().map(|bytes| IpAddr::from(*bytes));
        let ([src, dst], [src_port, dst_port]) = (&mut self.addresses, &mut self.ports);
        match tag {
            LINK_TYPE => self.link = value.first_chunk().map(|bytes| u16::from_be_bytes(*bytes)),
            12 | 13 => self.name = words(),
            14 => self.table = words(),
            20 => *src = ipv4(),
            21 => *dst = ipv4(),
            22 => *src = ipv6(),
            23 => *dst = ipv6(),
            24 => {
                self.transport = match number() {
                    Some(SCTP) => Some(Transport::Sctp),
                    Some(TCP) => Some(Transport::Tcp),
                    Some(UDP) => Some(Transport::Udp),
                    _ => None,
                }
            }
            25 => *src_port = port(),
            26 => *dst_port = port(),
            32 => self.table_value = number(),
            35 => {
                self.sender = match number() {
                    Some(0) => Some(Side::Client),
                    Some(1) => Some(Side::Server),
                    _ => None,
                }
            }
            _ => {}
        }
    }

    /// Source and destination, if all of their tags are there.
    pub fn sockets(&self) -> Option<[SocketAddr; 2]> {
        let [src, dst] = self.addresses;
        let [src_port, dst_port] = self.ports;
        Some([SocketAddr::new(src?, src_port?), SocketAddr::new(dst?, dst_port?)])
    }

    /// The port by which the table of a transport selects the protocol: its name is `udp.port` or `tcp.port`.
    pub fn table_port(&self) -> Option<(Transport, u16)> {
        let transport = match self.table {
            "udp.port" => Transport::Udp,
            "tcp.port" => Transport::Tcp,
            _ => return None,
        };
        Some((transport, u16::try_from(self.table_value?).ok()?))
    }

    /// The layer that the tags name.
    fn next(&self) -> Next {
        match (self.link, self.name) {
            (Some(link), _) => Next::Link(link),
            (None, "eth" | "eth_withoutfcs" | "eth_maybefcs" | "eth_withfcs") => Next::Link(1),
            (None, "wlan" | "wlan_noradio" | "wlan_withoutfcs") => Next::Link(105),
            (None, "ppp" | "ppp_hdlc") => Next::Link(9),
            (None, "ip" | "ipv6") => Next::Ip,
            (None, "llc") => Next::Llc,
            (None, "arp") => Next::EtherType(0x0806),
            (None, "data") => Next::Data,
            (None, _) => Next::Exported,
        }
    }
}

/// The tags. The message follows them.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let tags = Tags::of(wire.ahead());
    loop {
        let is_end = wire.group(&ELEMENT, |wire| {
            let tag = wire.u16_be(&TAG)?;
            let length = usize::from(wire.u16_be(&LENGTH)?);
            element(wire, tag, length)?;
            Ok(tag == END)
        })?;
        if is_end {
            break;
        }
    }
    wire.info(format_args!("{}", tags.name));
    let [src, dst] = tags.addresses;
    let ends = match tags.sockets() {
        Some(sockets) => sockets.map(|socket| Some(Address::Socket(socket))),
        None => [src, dst].map(|address| address.map(Address::Ip)),
    };
    let [src, dst] = ends;
    Ok(HeaderPayload::new(tags.next(), rest(wire), missing).between(src, dst))
}

fn element(wire: &mut Wire<'_>, tag: u16, length: usize) -> Result {
    let text = match tag {
        12 => Some(&NAME),
        13 => Some(&HEURISTIC),
        14 => Some(&TABLE),
        33 => Some(&COLUMN_PROTOCOL),
        36 => Some(&COLUMN_INFO),
        _ => None,
    };
    let number = match tag {
        24 => Some(&PORT_TYPE),
        25 => Some(&SRC_PORT),
        26 => Some(&DST_PORT),
        30 => Some(&FRAME),
        32 => Some(&TABLE_VALUE),
        35 => Some(&DIRECTION),
        _ => None,
    };
    match (tag, length, text, number) {
        (_, 0, ..) => Ok(()),
        (_, _, Some(field), _) => wire.text(field, length).map(drop),
        (_, 4, _, Some(field)) => wire.u32_be(field).map(drop),
        (20, 4, ..) => wire.bytes(&IPV4_SRC, length).map(drop),
        (21, 4, ..) => wire.bytes(&IPV4_DST, length).map(drop),
        (22, 16, ..) => wire.bytes(&IPV6_SRC, length).map(drop),
        (23, 16, ..) => wire.bytes(&IPV6_DST, length).map(drop),
        (34, ..) => wire.bytes(&TCP_DATA, length).map(drop),
        _ => wire.bytes(&OTHER, length).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial;

    const DNS: &str = "000c 0004 646e7300 0014 0004 c000020a 0015 0004 c6336414 0018 0004 00000003 0019 0004 00004e21
        001a 0004 00000035 0000 0000 1234";

    #[test]
    fn tags_name_protocol_and_endpoints() {
        let bytes = trial::bytes(DNS);
        let tags = Tags::of(&bytes);
        assert_eq!((tags.name, tags.transport), ("dns", Some(Transport::Udp)));
        let sockets = tags.sockets().unwrap().map(|socket| socket.to_string());
        assert_eq!(sockets, ["192.0.2.10:20001", "198.51.100.20:53"]);
        let table = trial::bytes("000e 0008 7564702e706f7274 0020 0004 00000035 0023 0004 00000001 0000 0000");
        assert_eq!((Tags::of(&table).table_port(), Tags::of(&table).sender), (Some((Transport::Udp, 53)), Some(Side::Server)));
        let link = trial::bytes("000b 0002 0071 0000 0000");
        assert_eq!(Tags::of(&link).next(), Next::Link(113));
        for cut in 0..bytes.len() {
            assert!(Tags::of(&bytes[..cut]).name.len() <= 3);
        }
    }
}
