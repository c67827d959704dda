//! Remembered values of a conversation, for records whose tree lacks the lower layers.

use super::Record;
use crate::tree::{Address, Dissection, Ends, Field, Kind, Layer, StreamId, Transport};
use std::net::{IpAddr, SocketAddr};

/// Values of lower layers that are not in the tree of a record: gaps, and messages truncated by the end of their stream.
pub struct Remembered<'t> {
    path: &'t str,
    stream: Option<StreamId>,
    ends: [Option<Address>; 2],
}

/// A remembered value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RememberedValue {
    /// A number.
    Number(u64),
    /// An address.
    Ip(IpAddr),
}

impl<'t> Remembered<'t> {
    /// Remembered values of a record; `None` if its tree has all layers.
    #[must_use]
    pub fn of(record: &Record<'t>) -> Option<Remembered<'t>> {
        match record {
            Record::Gap(gap) => {
                let path = gap.stream.transport.word();
                Some(Remembered { path, stream: Some(gap.stream), ends: [None; 2] })
            }
            Record::Message(message) => Remembered::below(message.of, message.layer),
            Record::Late(late) => Remembered::below(late.of, late.layers.first()?),
            Record::Packet(_) => None,
        }
    }

    fn below(of: Dissection<'t>, layer: &'t Layer) -> Option<Remembered<'t>> {
        let down = |layer: &&'t Layer| layer.below.and_then(|below| of.tree.layers.get(below as usize));
        let bottom = std::iter::successors(Some(layer), down).last()?;
        let Ends { src, dst, stream, path, .. } = of.tree.ends.get(bottom.ends as usize)?;
        let path = path.as_deref().filter(|path| !path.is_empty())?;
        Some(Remembered { path, stream: stream.map(|(stream, _)| stream), ends: [*src, *dst] })
    }

    /// Whether a field is remembered: a layer, or a value of it.
    #[must_use]
    pub fn has(&self, field: &Field) -> bool {
        let layer = field.kind == Kind::Protocol && self.path.split(':').any(|layer| layer == field.abbrev);
        layer || self.value(field).is_some()
    }

    /// Remembered value of a field.
    #[must_use]
    pub fn value(&self, field: &Field) -> Option<RememberedValue> {
        let [src, dst] = self.ends;
        let over = |transport: Transport| self.stream.filter(|stream| stream.transport == transport);
        let number = |stream: StreamId| RememberedValue::Number(stream.number.into());
        let port = |socket: SocketAddr| RememberedValue::Number(socket.port().into());
        match field.abbrev {
            "tcp.stream" => over(Transport::Tcp).map(number),
            "udp.stream" => over(Transport::Udp).map(number),
            "tcp.srcport" => over(Transport::Tcp).and_then(|_| socket(src)).map(port),
            "tcp.dstport" => over(Transport::Tcp).and_then(|_| socket(dst)).map(port),
            "udp.srcport" => over(Transport::Udp).and_then(|_| socket(src)).map(port),
            "udp.dstport" => over(Transport::Udp).and_then(|_| socket(dst)).map(port),
            "ip.src" => address(src, IpAddr::is_ipv4),
            "ip.dst" => address(dst, IpAddr::is_ipv4),
            "ipv6.src" => address(src, IpAddr::is_ipv6),
            "ipv6.dst" => address(dst, IpAddr::is_ipv6),
            _ => None,
        }
    }
}

fn socket(end: Option<Address>) -> Option<SocketAddr> {
    match end {
        Some(Address::Socket(socket)) => Some(socket),
        _ => None,
    }
}

fn address(end: Option<Address>, is_it: fn(&IpAddr) -> bool) -> Option<RememberedValue> {
    let ip = socket(end)?.ip();
    is_it(&ip).then_some(RememberedValue::Ip(ip))
}
