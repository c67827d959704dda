//! Wireshark's names of the protocols of a record: the list `frame.protocols`, and the Protocol column.

use super::{Packet, Path, Record, encapsulation, pieces_of};
use crate::layers::tcp;
use crate::tree::{Field, Kind, Label, Layer, NodeRef};
use crate::wire::data;
use std::fmt;

/// Headers after which Wireshark lists `ethertype`.
const WITH_TYPE: [&str; 5] = ["eth", "sll", "vlan", "gre", "vntag"];
const OF_TYPE: [&str; 11] = ["ip", "ipv6", "arp", "rarp", "vlan", "vntag", "mpls", "pppoed", "pppoes", "eapol", "lldp"];

/// Headers before an 802.11 frame, after which Wireshark lists `wlan_radio`.
const OF_RADIO: [&str; 4] = ["avs", "ppi", "prism", "radiotap"];

/// Wireshark's link type for frames that start with an IPv4 or IPv6 header.
const RAW_IP: u64 = 7;

/// The protocols of a record as in `frame.protocols`.
#[derive(Clone, Copy)]
pub struct Protocols<'t>(Of<'t>);

#[derive(Clone, Copy)]
enum Of<'t> {
    Packet(&'t Packet<'t>),
    Layer(Path<'t>),
}

impl<'t> Protocols<'t> {
    /// Protocols of a record; empty for a gap.
    pub(super) fn of(record: &'t Record<'t>) -> Option<Protocols<'t>> {
        Some(Protocols(match record {
            Record::Message(message) => Of::Layer(message.path()),
            Record::Packet(packet) => {
                packet.innermost()?;
                Of::Packet(packet)
            }
            Record::Late(late) => Of::Layer(late.path()?),
            Record::Gap(_) => return None,
        }))
    }
}

impl fmt::Display for Protocols<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = List::default();
        match self.0 {
            Of::Packet(packet) => {
                list.packet(*packet);
                f.write_str(&list.names.join(":"))
            }
            Of::Layer(path) => {
                let path = path.to_string();
                path.split(':').for_each(|name| list.header(name));
                f.write_str(&list.names.join(":"))
            }
        }
    }
}

/// Collects the names of a list.
#[derive(Default)]
struct List<'a> {
    names: Vec<&'a str>,
    /// Protocol of the segment in Wireshark, until a message was reassembled from several segments.
    reading: Option<&'static Field>,
    /// Last name, if no layer has had it.
    embedded: &'static str,
}

impl<'a> List<'a> {
    /// Adds a layer, with layers that exist only in Wireshark.
    fn header(&mut self, name: &'a str) {
        let before = self.names.last().copied().unwrap_or_default();
        // It has a layer after all, because its fields were requested.
        if std::mem::take(&mut self.embedded) == name {
            return;
        }
        if WITH_TYPE.contains(&before) && OF_TYPE.contains(&name) {
            self.names.push("ethertype");
        }
        if OF_RADIO.contains(&before) && name == "wlan" {
            self.names.push("wlan_radio");
        }
        if name == "websocket" && before != "http" {
            self.names.push("http");
        }
        self.names.push(name);
    }

    fn packet(&mut self, packet: Packet<'_>) {
        let of = packet.of;
        let link = of.tree.frame.link.map_or(0, encapsulation::of_link);
        let mut begins = None;
        for layer in packet.layers() {
            let Some(node) = of.layer_node(layer) else { continue };
            let field = node.field();
            if self.names.is_empty() && link == RAW_IP && ["ip", "ipv6"].contains(&field.abbrev) {
                self.names.push("raw");
            }
            self.layer(packet, layer, node);
            for label in of.tree.labels_of(layer.node) {
                match label {
                    Label::Inside(name) => {
                        self.names.push(name);
                        self.embedded = name;
                        if name == field.abbrev {
                            self.reading = Some(field);
                        }
                    }
                    Label::Begins(protocol, partial) => begins = Some((protocol, partial)),
                    Label::Column(_) | Label::Preview(_) => {}
                }
            }
        }
        let Some((protocol, partial)) = begins else { return };
        if self.reading.is_none_or(|reading| !reading.is(protocol)) {
            self.names.push(protocol.abbrev);
        }
        self.names.extend(Some(partial.inside).filter(|inside| !inside.is_empty()));
    }

    /// Adds a layer, and quoted layers. Messages within one segment are one entry, as in Wireshark.
    fn layer(&mut self, packet: Packet<'_>, layer: &Layer, node: NodeRef<'_>) {
        let of = packet.of;
        let below = layer.below.and_then(|below| of.tree.layers.get(below as usize));
        let is_of_stream = below.and_then(|below| of.layer_node(below)).is_some_and(|below| below.field().is(&tcp::TCP));
        let is_joined =
            is_of_stream && pieces_of(of, node).windows(2).any(|pair| matches!(pair, [one, next] if one.frame != next.frame));
        let goes_on = is_of_stream && !is_joined && self.reading.is_some_and(|reading| reading.is(node.field()));
        // Wireshark shows unknown payload of TLS as part of TLS, not as data.
        let is_of_tls = node.field().is(&data::DATA) && self.names.contains(&"tls");
        if is_of_tls {
            return;
        }
        if !goes_on {
            self.header(node.field().abbrev);
        }
        if is_of_stream {
            self.reading = Some(node.field()).filter(|_| !is_joined);
        }
        let is_layer = |place: u32| of.tree.layers.iter().any(|layer| layer.node == place);
        let end = of.tree.nodes.get(layer.node as usize).map_or(0, |node| node.end);
        let quoted = (layer.node + 1..end).filter_map(|place| of.node(place));
        for quoted in quoted.filter(|node| node.field().kind == Kind::Protocol && !is_layer(node.place())) {
            self.header(quoted.field().abbrev);
        }
    }
}

/// Protocol column of protocols whose name differs.
const COLUMNS: [(&str, &str); 6] = [
    ("ftp-data", "FTP-DATA"),
    ("mdns", "MDNS"),
    ("pim", "PIMv2"),
    ("pppoed", "PPPoED"),
    ("pppoes", "PPPoES"),
    ("wlan", "802.11"),
];

/// Protocol column of a protocol carried by another one.
const PAIRS: [(&str, &str, &str); 4] =
    [("http", "json", "HTTP/JSON"), ("http", "xml", "HTTP/XML"), ("sip", "sdp", "SIP/SDP"), ("smtp", "imf", "SMTP/IMF")];

/// Innermost protocol; for undissected data, the protocol that carries it.
pub(super) fn column(record: &Record<'_>) -> &'static str {
    let (of, innermost) = match record {
        Record::Message(message) => (message.of, Some(message.layer)),
        Record::Packet(packet) => (packet.of, packet.innermost()),
        Record::Late(late) => (late.of, late.innermost()),
        Record::Gap(_) => return "",
    };
    if let Record::Packet(packet) = record
        && let Some(begun) = begun(*packet)
    {
        return begun;
    }
    let below = |layer: &&Layer| layer.below.and_then(|below| of.tree.layers.get(below as usize));
    let mut layers = std::iter::successors(innermost, below).filter_map(|layer| of.layer_node(layer));
    let Some(node) = layers.find(|node| !node.field().is(&data::DATA)) else { return data::DATA.name };
    let carrier = layers.next().map_or("", |node| node.field().abbrev);
    let field = node.field();
    let paired = |outer: &str, inner: &str| PAIRS.iter().find(|(one, other, _)| *one == outer && *other == inner);
    if let Some((_, _, column)) = paired(carrier, field.abbrev) {
        return column;
    }
    let mut column = COLUMNS.iter().find(|(name, _)| *name == field.abbrev).map_or(field.name, |(_, column)| column);
    let is_alike = |layer: &&Layer| of.layer_node(layer).is_some_and(|other| other.field().is(field));
    let own = match record {
        Record::Packet(packet) => packet.layers().filter(is_alike).map(|layer| layer.node).collect(),
        _ => vec![node.place()],
    };
    for label in own.iter().flat_map(|node| of.tree.labels_of(*node)) {
        match label {
            Label::Column(name) => column = name,
            Label::Inside(name) => column = paired(field.abbrev, name).map_or(column, |(_, _, column)| column),
            Label::Begins(..) | Label::Preview(_) => {}
        }
    }
    column
}

/// Protocol column of the last message that starts in the segment.
fn begun(packet: Packet<'_>) -> Option<&'static str> {
    let tree = packet.of.tree;
    let partials = packet.layers().flat_map(|layer| tree.labels_of(layer.node)).filter_map(|label| match label {
        Label::Begins(_, partial) => Some(partial.column),
        Label::Inside(_) | Label::Column(_) | Label::Preview(_) => None,
    });
    partials.last().filter(|column| !column.is_empty())
}
