//! The payload of a header: the next layer, its bytes and its addresses.

use super::HeaderFn;
use super::usb::UsbTransfer;
use crate::tree::{Address, Field, LayerId};
use crate::wire::notes::TRAILER;
use crate::wire::{On, Protocol};
use std::fmt;
use std::net::IpAddr;
use std::ops::Range;

/// The next layer, as declared by a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A frame of this link type.
    Link(u16),
    /// The protocol of this EtherType.
    EtherType(u16),
    /// An LLC header.
    Llc,
    /// IPv4 or IPv6, by the first byte.
    Ip,
    /// The protocol of this IP protocol number.
    IpProtocol(u8),
    /// A fragment of a datagram.
    Fragment(FragmentPosition),
    /// A payload compressed by DEFLATE, of this IP protocol number.
    Compressed(u8),
    /// A header without a registered number.
    Header(&'static Described),
    /// A packet registered at this place, without a payload.
    Packet(On),
    /// The payload of a USB transfer.
    Usb(UsbTransfer),
    /// A message of the protocol that the tags of an exported PDU name.
    Exported,
    /// Undissected bytes.
    Data,
    /// Nothing.
    Nothing,
}

/// A header without a registered number: its protocol and its dissector.
pub struct Described {
    pub(super) protocol: &'static Protocol,
    pub(super) header: HeaderFn,
}

impl PartialEq for Described {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Described {}

impl fmt::Debug for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.protocol.this.fmt(f)
    }
}

/// The bytes that layers are read from: a frame, or a reassembled datagram.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a> {
    /// The source that their spans refer to.
    pub source: u32,
    /// All bytes of the source.
    pub all: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn of_frame(all: &'a [u8]) -> Bytes<'a> {
        Bytes { source: 0, all }
    }

    /// The bytes of a range; empty if it is outside.
    pub fn get(self, range: Range<usize>) -> &'a [u8] {
        self.all.get(range).unwrap_or_default()
    }
}

/// The position of a fragment in its datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FragmentPosition {
    /// Identification, equal in all fragments of a datagram.
    pub id: u32,
    /// IP protocol number of the datagram.
    pub protocol: u8,
    /// Fragment offset, in bytes.
    pub off: u32,
    /// Whether more fragments follow.
    pub more: bool,
}

#[derive(Debug, Clone)]
pub struct HeaderPayload {
    /// The next layer.
    pub next: Next,
    /// Its captured bytes.
    pub range: Range<usize>,
    /// Number of truncated bytes.
    pub missing: usize,
    /// Source and destination address, if the header has them.
    pub ends: Option<(Address, Address)>,
    /// Whether it is the first fragment of a datagram that will not be reassembled.
    pub is_part: bool,
    /// The field for bytes after the payload; `None` if the layer has described them.
    pub trailer: Option<&'static Field>,
}

impl HeaderPayload {
    /// A payload in this range with `missing` truncated bytes.
    pub fn new(next: Next, range: Range<usize>, missing: usize) -> HeaderPayload {
        HeaderPayload { next, range, missing, ends: None, is_part: false, trailer: Some(&TRAILER) }
    }

    pub(super) fn between(mut self, src: Option<Address>, dst: Option<Address>) -> HeaderPayload {
        self.ends = src.zip(dst);
        self
    }

    /// No payload.
    pub(super) fn nothing(at: usize) -> HeaderPayload {
        HeaderPayload::new(Next::Nothing, at..at, 0)
    }
}

/// The end of [`walk`](super::walk): a transport, which needs its conversation, or the last layer.
#[derive(Debug, Clone)]
pub enum Reached {
    /// A TCP segment in this range.
    Tcp(TransportSegment),
    /// A UDP datagram in this range.
    Udp(TransportSegment),
    /// A fragment in this range.
    Fragment(FragmentPosition, TransportSegment),
    /// An SCTP packet in this range.
    Sctp(TransportSegment),
    /// A compressed payload of this IP protocol number in this range.
    Compressed(u8, TransportSegment),
    /// An exported message in this range, above this layer.
    Exported(Range<usize>, Option<LayerId>),
    /// The payload of a USB transfer in this range, with this many truncated bytes, above this layer.
    Usb(UsbTransfer, Range<usize>, usize, LayerId),
    /// All layers were dissected.
    End,
}

/// The range of a transport layer and the layer below.
#[derive(Debug, Clone)]
pub struct TransportSegment {
    /// Header and payload.
    pub range: Range<usize>,
    /// Number of truncated bytes.
    pub missing: usize,
    /// Whether it is the first fragment of a datagram that will not be reassembled.
    pub is_part: bool,
    /// Source address.
    pub src: IpAddr,
    /// Destination address.
    pub dst: IpAddr,
    /// The layer that carries it; `None` if [`FastHeaders`](super::FastHeaders) emitted no layers.
    pub below: Option<LayerId>,
    /// Layer path including its own, if no layers were emitted.
    pub path: &'static str,
}
