//! Packets between hosts with arrows, as tshark's `flow,any`, `flow,tcp`, `flow,icmp` and `flow,icmpv6`.

use super::tables::Shown;
use crate::layers::{icmp, icmpv6, ip, ipv6, tcp};
use crate::limits;
use crate::record::pseudo::{self, PseudoValue};
use crate::record::{Record, Tally, View};
use crate::render::cut;
use crate::tree::{Address, Carriers, Demand, Dissection, Ends, Extras, Field, Fields, Layer, NodeRef, Only};
use crate::wire::statistics::{Counter, Fact, Facts, Named, Page, Report, Seen, Statistic, Text};
use std::borrow::Cow;
use std::convert::Infallible;
use std::io::{self, Write};

/// Flows of packets and of addresses.
pub(super) static FLOWS: &[&Statistic] = &[
    &Statistic::new(["flow,any,network", "flow_any", "packets between hosts, with arrows"], |named| {
        Flows::open(FlowOf::Any, FlowAddresses::Network, named)
    }),
    &Statistic::new(["flow,tcp,network", "flow_tcp", "TCP segments between hosts, with arrows"], |named| {
        Flows::open(FlowOf::Tcp, FlowAddresses::Network, named)
    }),
    &Statistic::new(["flow,icmp,network", "flow_icmp", "ICMP messages between hosts, with arrows"], |named| {
        Flows::open(FlowOf::Icmp, FlowAddresses::Network, named)
    }),
    &Statistic::new(["flow,icmpv6,network", "flow_icmpv6", "ICMPv6 messages between hosts, with arrows"], |named| {
        Flows::open(FlowOf::Icmpv6, FlowAddresses::Network, named)
    }),
    &Statistic::new(
        ["flow,any,standard", "flow_any_standard", "the same, between addresses of the network layer only"],
        |named| Flows::open(FlowOf::Any, FlowAddresses::Standard, named),
    ),
    &Statistic::new(
        ["flow,tcp,standard", "flow_tcp_standard", "the same, between addresses of the network layer only"],
        |named| Flows::open(FlowOf::Tcp, FlowAddresses::Standard, named),
    ),
    &Statistic::new(
        ["flow,icmp,standard", "flow_icmp_standard", "the same, between addresses of the network layer only"],
        |named| Flows::open(FlowOf::Icmp, FlowAddresses::Standard, named),
    ),
    &Statistic::new(
        ["flow,icmpv6,standard", "flow_icmpv6_standard", "the same, between addresses of the network layer only"],
        |named| Flows::open(FlowOf::Icmpv6, FlowAddresses::Standard, named),
    ),
];

/// The packets of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlowOf {
    /// All frames.
    Any,
    /// TCP segments.
    Tcp,
    /// ICMP messages.
    Icmp,
    /// ICMPv6 messages.
    Icmpv6,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlowAddresses {
    /// tshark's `network`: of the highest layer that has any, such as Ethernet for ARP.
    Network,
    /// tshark's `standard`: of the network layer.
    Standard,
}

/// Maximum number of hosts, and columns of each, as in tshark.
const HOSTS: usize = 40;
const COLUMN: usize = 20;

/// Maximum length of a summary in characters.
const LONGEST: usize = 256;

/// A packet between two hosts.
#[derive(Debug)]
struct Row {
    frame: u64,
    /// Nanoseconds since the first frame.
    at: i64,
    hosts: [usize; 2],
    ports: [u16; 2],
    stream: u32,
    label: String,
    /// Numbers of a segment, or the protocol whose summary is the label.
    about: String,
}

impl Row {
    /// The text behind the columns.
    fn comment(&self, of: FlowOf) -> Cow<'_, str> {
        match (of, self.about.as_str()) {
            (FlowOf::Tcp, numbers) => Cow::Borrowed(numbers),
            (_, "") => Cow::Borrowed(&self.label),
            (_, protocol) => Cow::Owned(format!("{protocol}: {}", self.label)),
        }
    }
}

/// The packets of a flow.
struct Flows {
    of: FlowOf,
    addresses: FlowAddresses,
    hosts: Vec<String>,
    rows: Vec<Row>,
    left_out: u64,
    /// Packets of more hosts than there are columns.
    crowded: u64,
    tally: Tally,
    fields: Vec<&'static Field>,
}

impl Flows {
    fn open(of: FlowOf, addresses: FlowAddresses, named: Named<'_>) -> Box<dyn Counter> {
        let names: &[&str] = match of {
            FlowOf::Tcp => &["tcp.flags", "tcp.seq", "tcp.ack", "tcp.len"],
            _ => &["icmp.type", "icmp.code", "icmpv6.type", "icmpv6.code"],
        };
        let fields = names.iter().flat_map(|name| named(name)).collect();
        let tally = Tally::new(View::Packets);
        Box::new(Flows { of, addresses, hosts: Vec::new(), rows: Vec::new(), left_out: 0, crowded: 0, tally, fields })
    }

    /// Column of a host, if there is one left.
    fn host(&mut self, address: Address) -> Option<usize> {
        let name = match address {
            Address::Socket(socket) => socket.ip().to_string(),
            address => address.to_string(),
        };
        if let Some(place) = self.hosts.iter().position(|known| *known == name) {
            return Some(place);
        }
        (self.hosts.len() < HOSTS).then(|| {
            self.hosts.push(name);
            self.hosts.len() - 1
        })
    }

    fn put(&mut self, [src, dst]: [Address; 2], mut row: Row) {
        if !limits::STATS_ROWS.exceeds(self.rows.len()) {
            self.left_out += 1;
            return;
        }
        let (Some(from), Some(to)) = (self.host(src), self.host(dst)) else {
            self.crowded += 1;
            return;
        };
        row.hosts = [from, to];
        self.rows.push(row);
    }

    fn segments(&mut self, of: Dissection<'_>, at: i64) {
        for layer in of.tree.own_layers() {
            let Some(segment) = of.layer_node(layer).filter(|node| node.field().is(&tcp::TCP)) else { continue };
            let Some(ends) = of.tree.ends.get(layer.ends as usize) else { continue };
            let (Some(src), Some(dst)) = (ends.src, ends.dst) else { continue };
            let number = |name: &str| segment.behind().find(|node| node.field().abbrev == name).and_then(NodeRef::number);
            let flags = number("tcp.flags").unwrap_or_default();
            let mut label = tcp::flags_text(flags);
            if let Some(len) = number("tcp.len").filter(|len| *len > 0) {
                label.push_str(&format!(" - Len: {len}"));
            }
            let mut about = format!("Seq = {}", number("tcp.seq").unwrap_or_default());
            if let Some(ack) = number("tcp.ack").filter(|_| tcp::acknowledges(flags)) {
                about.push_str(&format!(" Ack = {ack}"));
            }
            let stream = ends.stream.map_or(0, |(stream, _)| stream.number);
            let ports = [src, dst].map(port);
            let frame = of.tree.frame.number;
            self.put([src, dst], Row { frame, at, hosts: [0; 2], ports, stream, label, about });
        }
    }

    fn packet(&mut self, of: Dissection<'_>, at: i64) {
        let is_wanted = |layer: &Layer| {
            let field = of.layer_node(layer).map(NodeRef::field);
            match self.of {
                FlowOf::Icmp => field.is_some_and(|field| field.is(&icmp::ICMP)),
                FlowOf::Icmpv6 => field.is_some_and(|field| field.is(&icmpv6::ICMPV6)),
                FlowOf::Any | FlowOf::Tcp => true,
            }
        };
        if !of.tree.own_layers().any(is_wanted) {
            return;
        }
        let is_net =
            |layer: &&Layer| of.layer_node(layer).is_some_and(|node| node.field().is(&ip::IP) || node.field().is(&ipv6::IPV6));
        let layer = match self.addresses {
            FlowAddresses::Network => of.tree.own_layers().next_back(),
            FlowAddresses::Standard => of.tree.own_layers().rfind(is_net),
        };
        let highest = of.tree.own_layers().next_back().and_then(|layer| of.tree.ends.get(layer.ends as usize));
        let ends = layer.and_then(|layer| of.tree.ends.get(layer.ends as usize));
        let Some((Some(src), Some(dst))) = ends.map(|ends| (ends.src, ends.dst)) else { return };
        let mut words = [String::new(), String::new()];
        let Ok(()) = self.tally.records(of, true, |record| {
            if matches!(record, Record::Packet(_)) {
                words = ["_ws.col.Protocol", "_ws.col.Info"].map(|name| column(&record, name));
            }
            Ok::<(), Infallible>(())
        });
        let [protocol, label] = words;
        let ports = kind(of).unwrap_or_else(|| ports(highest));
        let frame = of.tree.frame.number;
        self.put([src, dst], Row { frame, at, hosts: [0; 2], ports, stream: 0, label, about: protocol });
    }
}

/// Type and code of an ICMP message without a transport header, where tshark has the destination port.
fn kind(of: Dissection<'_>) -> Option<[u16; 2]> {
    let layer = of.tree.own_layers().rfind(|layer| {
        of.layer_node(layer).is_some_and(|node| node.field().is(&icmp::ICMP) || node.field().is(&icmpv6::ICMPV6))
    })?;
    let message = of.layer_node(layer)?;
    let number = |names: [&str; 2]| {
        let found = message.behind().find(|node| names.contains(&node.field().abbrev)).and_then(NodeRef::number);
        found.and_then(|number| u8::try_from(number).ok())
    };
    let kind = number(["icmp.type", "icmpv6.type"])?;
    let code = number(["icmp.code", "icmpv6.code"])?;
    Some([0, u16::from_be_bytes([kind, code])])
}

fn port(address: Address) -> u16 {
    match address {
        Address::Socket(socket) => socket.port(),
        Address::Ip(_) | Address::Mac(_) | Address::Usb(_) => 0,
    }
}

fn ports(ends: Option<&Ends>) -> [u16; 2] {
    let port = |end: Option<Address>| end.map(port).unwrap_or_default();
    ends.map_or([0; 2], |ends| [port(ends.src), port(ends.dst)])
}

/// A column of a record as text.
fn column(record: &Record<'_>, name: &str) -> String {
    let value = pseudo::named(name).and_then(|pseudo| (pseudo.of)(record));
    let text = value.map(|value: PseudoValue<'_>| value.to_string()).unwrap_or_default();
    text.chars().take(LONGEST).collect()
}

/// Seconds with six digits, as in tshark's first column.
fn seconds(at: i64) -> String {
    let micros = at / 1000;
    let sign = if micros < 0 { "-" } else { "" };
    let micros = micros.unsigned_abs();
    format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Replaces characters from the lesser place on, up to the greater one, by those of a text.
fn overwrite(line: &mut [char], text: &str, from: usize, to: usize) {
    let (begin, end) = (from.min(to), from.max(to));
    for (place, character) in line.iter_mut().take(end).skip(begin).zip(text.chars()) {
        *place = character;
    }
}

/// The text of a flow.
struct Chart<'a> {
    flows: &'a Flows,
    has_streams: bool,
    width: Option<usize>,
}

impl Chart<'_> {
    fn line(&self, mut line: String, to: &mut dyn Write) -> io::Result<()> {
        if let Some(width) = self.width {
            cut(&mut line, width);
        }
        line.push('\n');
        to.write_all(line.as_bytes())
    }

    const fn blank(&self) -> &'static str {
        if self.has_streams { "     |         " } else { "|         " }
    }

    /// The names of the hosts, alternately in two lines.
    fn heads(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut first = (if self.has_streams { "Conv.| Time    " } else { "|Time     " }).to_owned();
        let mut second = format!("{}{:<COLUMN$}", self.blank(), "| ");
        for (place, host) in self.flows.hosts.iter().enumerate() {
            let mut label = format!("| {host}");
            if place % 2 == 0 {
                first.push_str(&format!("{label:<wide$}", wide = 2 * COLUMN));
                continue;
            }
            if label.chars().count() < COLUMN {
                label = format!("{label:<COLUMN$}| ");
            }
            second.push_str(&format!("{label:<wide$}", wide = 2 * COLUMN));
        }
        first.push('|');
        self.line(first, to)?;
        self.line(second, to)
    }

    fn row(&self, row: &Row, to: &mut dyn Write) -> io::Result<()> {
        let empty = || -> Vec<char> {
            let columns = format!("{:<COLUMN$}", "| ").repeat(self.flows.hosts.len());
            columns.chars().chain(['|']).chain(" ".repeat(COLUMN).chars()).collect()
        };
        let text = |line: Vec<char>| -> String {
            let most = COLUMN * self.flows.hosts.len() + 1;
            let used = line.iter().rposition(|character| *character != ' ').map_or(0, |last| last + 1);
            line.into_iter().take(used.max(most)).collect()
        };
        let [from, dst] = row.hosts.map(|host| host * COLUMN + COLUMN / 2);
        let until = if from == dst { from + COLUMN } else { dst };
        let width = from.abs_diff(until);
        let mut above = empty();
        overwrite(&mut above, &Shown(&row.label).to_string(), from, until);
        let conversation = if self.has_streams { format!("{:<5}", row.stream) } else { String::new() };
        let time = format!("|{}", seconds(row.at));
        self.line(format!("{conversation}{time:<10}{}{}", text(above), Shown(&row.comment(self.flows.of))), to)?;
        let mut below = empty();
        let shaft = "-".repeat(width.saturating_sub(2));
        let arrow = if from < until { format!("{shaft}>") } else { format!("<{shaft}") };
        overwrite(&mut below, &arrow, from, until);
        let [src, dst] = row.ports.map(|port| format!("({port})").chars().take(7).collect::<String>());
        if from < until {
            overwrite(&mut below, &src, from.saturating_sub(9), from.saturating_sub(1));
            overwrite(&mut below, &dst, until + 1, until + 9);
        } else {
            overwrite(&mut below, &src, from + 1, from + 9);
            overwrite(&mut below, &dst, until.saturating_sub(9), until + 1);
        }
        self.line(format!("{}{}", self.blank(), text(below)), to)
    }
}

impl Counter for Flows {
    fn demand(&self) -> Demand {
        let fields = Fields::Only(Only::these(self.fields.iter().copied()));
        match self.of {
            FlowOf::Tcp => Demand { carriers: Carriers::Full, fields, ..Demand::LAYERS },
            _ => Demand { carriers: Carriers::Full, fields, ..Demand::HEADINGS }.with(Extras::LABELS.and(Extras::CONTENT)),
        }
    }

    fn tree(&mut self, of: Dissection<'_>, seen: Seen) {
        if !seen.captured {
            return;
        }
        let at = seen.since_start.unwrap_or_default();
        match self.of {
            FlowOf::Tcp => self.segments(of, at),
            _ => self.packet(of, at),
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Text(self)
    }
}

impl Text for Flows {
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        let Some(first) = self.rows.first() else { return Ok(()) };
        if page.begun {
            writeln!(to)?;
        }
        let has_streams = self.rows.iter().any(|row| row.stream != first.stream);
        let chart = Chart { flows: self, has_streams, width: page.width };
        chart.heads(to)?;
        let mut stream = first.stream;
        for row in &self.rows {
            if std::mem::replace(&mut stream, row.stream) != row.stream {
                let rule = COLUMN * self.hosts.len() + 1 + if has_streams { 16 } else { 10 };
                chart.line("-".repeat(rule), to)?;
            }
            chart.row(row, to)?;
        }
        if self.crowded > 0 {
            writeln!(to, "{} packets of further hosts are left out: {HOSTS} hosts at most", self.crowded)?;
        }
        match self.left_out {
            0 => Ok(()),
            count => writeln!(to, "{count} further packets are left out (--limit stats.rows=N)"),
        }
    }

    fn facts(&self) -> Facts<'_> {
        let host = |place: usize| self.hosts.get(place).map(String::as_str).unwrap_or_default();
        let packets = Fact::list(&self.rows, move |row| {
            let ([src, dst], [from, to]) = (row.hosts, row.ports);
            let mut facts: Facts<'_> = vec![
                ("frame", row.frame.into()),
                ("time", (row.at as f64 / 1e9).into()),
                ("src", host(src).into()),
                ("dst", host(dst).into()),
            ];
            facts.extend([("src_port", u64::from(from).into()), ("dst_port", u64::from(to).into())]);
            if self.of == FlowOf::Tcp {
                facts.push(("stream", u64::from(row.stream).into()));
            }
            facts.extend([("label", row.label.as_str().into()), ("comment", Fact::Text(row.comment(self.of)))]);
            facts
        });
        let mut facts = vec![("hosts", Fact::Texts(&self.hosts)), ("packets", packets)];
        let left_out = self.left_out + self.crowded;
        if left_out > 0 {
            facts.push(("left_out", left_out.into()));
        }
        facts
    }
}
