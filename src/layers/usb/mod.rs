//! USB: the pseudo-headers that captures put before a transfer, control requests and standard descriptors (USB 2.0, chapter 9).
//!
//! ```text
//! usbmon    id:8 | type:1 | transfer:1 | endpoint:1 | device:1 | bus:2 | flags:2 | time:12 | status:4 | lengths:8 | setup:8
//!           memory-mapped: interval:4 | start frame:4 | transfer flags:4 | descriptors:4 | isochronous descriptors
//! USBPcap   length:2 | id:8 | status:4 | function:2 | info:1 | bus:2 | device:2 | endpoint:1 | transfer:1 | length:4 | stage or packets
//! macOS     version:2 | length:1 | type:1 | length:4 | status:4 | frames:4 | id:8 | location:4 | speed:1 | device:1 | endpoint:1 | transfer:1
//! ```
//! A conversation is an endpoint of a device, in both directions. Its datagrams are the payloads of transfers.
//! Not covered: device classes such as HID, whose reports are the payload.

mod darwin;
mod descriptors;
mod fields;
mod linux;
mod setup;
mod usbpcap;

use super::{HeaderFn, HeaderPayload, Next, layer};
use crate::tree::{Address, Field, Side, UsbEnd, Value, name_of};
use crate::wire::{Protocol, Result, Wire};
use fields::{CAPTURED_DATA, CONTROL_RESPONSE, DATA_FRAGMENT, DST, FIELDS, REQUEST_IN, REQUESTS, SRC, TIME, TRANSFER_TYPES};
pub use fields::{ISO_DATA, USB};
use setup::Setup;

pub static PROTOCOL: Protocol = layer(&USB, FIELDS);

/// Fields of the payload, which is dissected as a datagram.
pub(super) const PAYLOADS: [&Field; 4] = [&CAPTURED_DATA, &CONTROL_RESPONSE, &DATA_FRAGMENT, &ISO_DATA];

/// The endpoint of a transfer and the sender of its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsbTransfer {
    /// Number of the bus.
    pub bus: u16,
    /// Address of the device.
    pub device: u16,
    /// Number of the endpoint.
    pub number: u8,
    /// The sender: the host is the client.
    pub sender: Side,
    /// Wireshark's table of dissectors for this type of transfer.
    pub table: Option<&'static str>,
}

/// A transfer as its pseudo-header describes it.
#[derive(Debug, Clone, Copy)]
struct Urb {
    /// Pairs submission and completion.
    id: u64,
    bus: u16,
    device: u16,
    /// The endpoint address: the number, and the direction in the highest bit.
    endpoint: u8,
    transfer: Transfer,
    /// Whether the host submits it.
    is_request: bool,
}

/// The type of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transfer {
    Isochronous,
    Interrupt,
    Control,
    Bulk,
    Other(u8),
}

impl Transfer {
    /// The type by its number in usbmon and USBPcap.
    fn of(number: u8) -> Transfer {
        match number {
            0 => Transfer::Isochronous,
            1 => Transfer::Interrupt,
            2 => Transfer::Control,
            3 => Transfer::Bulk,
            other => Transfer::Other(other),
        }
    }

    fn number(self) -> u8 {
        match self {
            Transfer::Isochronous => 0,
            Transfer::Interrupt => 1,
            Transfer::Control => 2,
            Transfer::Bulk => 3,
            Transfer::Other(other) => other,
        }
    }
}

/// The reader of the pseudo-header of a link type.
pub(super) fn header_of(link: u16) -> Option<HeaderFn> {
    Some(match link {
        189 => linux::short,
        220 => linux::mapped,
        249 => usbpcap::frame,
        266 => darwin::frame,
        _ => return None,
    })
}

impl Urb {
    fn has_in_endpoint(&self) -> bool {
        self.endpoint & 0x80 != 0
    }

    fn end(&self) -> UsbEnd {
        UsbEnd::Endpoint { bus: self.bus, device: self.device, number: self.endpoint & 0x0f }
    }

    /// Source and destination.
    fn ends(&self) -> (Address, Address) {
        let [host, device] = [UsbEnd::Host, self.end()].map(Address::Usb);
        if self.is_request { (host, device) } else { (device, host) }
    }

    /// The key that submission and completion share.
    fn key(&self) -> crate::tree::Key {
        let [bus, device, number] = [self.bus, self.device, u16::from(self.endpoint & 0x0f)].map(u64::from);
        ("usb", [bus, device, number, self.id, 0, 0])
    }

    /// Reads what follows the pseudo-header. `setup` is the setup packet, if it was read.
    fn behind(&self, wire: &mut Wire<'_>, setup: Option<Setup>, missing: usize) -> Result<HeaderPayload> {
        let (src, dst) = self.ends();
        wire.add_text(&SRC, format_args!("{src}"));
        wire.add_text(&DST, format_args!("{dst}"));
        let asked = if self.is_request { self.submitted(wire, setup) } else { self.completed(wire) };
        self.summarize(wire, asked);
        if let Some(setup) = asked.filter(|_| !self.is_request && self.transfer == Transfer::Control) {
            descriptors::response(wire, &setup)?;
        } else if let Some(setup) = setup {
            descriptors::sent(wire, &setup)?;
        }
        let payload = wire.at()..wire.at() + wire.remaining();
        if !payload.is_empty() {
            wire.hide_credentials(payload.clone());
            if let Some(field) = self.payload_field() {
                wire.put(field, Value::Bytes, payload.clone());
            }
        }
        let sender = if self.is_request { Side::Client } else { Side::Server };
        let table = match self.transfer {
            Transfer::Bulk => Some("usb.bulk"),
            Transfer::Interrupt => Some("usb.interrupt"),
            Transfer::Control => Some("usb.control"),
            Transfer::Isochronous | Transfer::Other(_) => None,
        };
        let transfer = UsbTransfer { bus: self.bus, device: self.device, number: self.endpoint & 0x0f, sender, table };
        Ok(HeaderPayload::new(Next::Usb(transfer), payload, missing).between(Some(src), Some(dst)))
    }

    /// The field of the payload; `None` if isochronous descriptors have divided it.
    fn payload_field(&self) -> Option<&'static Field> {
        match self.transfer {
            Transfer::Isochronous => None,
            Transfer::Control if self.is_request => Some(&DATA_FRAGMENT),
            Transfer::Control => Some(&CONTROL_RESPONSE),
            Transfer::Interrupt | Transfer::Bulk | Transfer::Other(_) => Some(&CAPTURED_DATA),
        }
    }

    /// Records the submission for its completion.
    fn submitted(&self, wire: &mut Wire<'_>, setup: Option<Setup>) -> Option<Setup> {
        wire.keep(self.key(), setup.map_or(0, Setup::packed));
        setup
    }

    /// The setup packet of the submission that this completes.
    fn completed(&self, wire: &mut Wire<'_>) -> Option<Setup> {
        let request = wire.earlier(&self.key())?;
        let (frame, time) = wire.now();
        if request.frame >= frame {
            return None;
        }
        wire.add(&REQUEST_IN, Value::Unsigned(request.frame));
        if let (Some(now), Some(then)) = (time, request.time) {
            wire.add(&TIME, super::seconds(now.nanos_since(then)));
        }
        Setup::unpacked(request.value)
    }

    fn summarize(&self, wire: &mut Wire<'_>, asked: Option<Setup>) {
        let named = asked.filter(|_| self.transfer == Transfer::Control);
        let request = named.map_or(u64::MAX, |setup| setup.standard_request().map_or(u64::MAX, u64::from));
        let kind = named.and_then(|setup| setup.descriptor()).map_or(u64::MAX, u64::from);
        let facts = [self.transfer.number().into(), self.has_in_endpoint().into(), self.is_request.into(), request, kind];
        wire.lazy_summary(&facts, |facts, f| {
            let [transfer, is_in, is_request, request, kind] = *facts else { return Ok(()) };
            let Some(request) = name_of(REQUESTS, request) else {
                let name = name_of(TRANSFER_TYPES, transfer).unwrap_or("transfer");
                return write!(f, "{name} {}", if is_in == 1 { "in" } else { "out" });
            };
            write!(f, "{request} {}", if is_request == 1 { "Request" } else { "Response" })?;
            match name_of(fields::DESCRIPTOR_TYPES, kind) {
                Some(kind) => write!(f, " {kind}"),
                None => Ok(()),
            }
        });
    }
}

/// Reads an endpoint address with its parts.
fn endpoint(wire: &mut Wire<'_>) -> Result<u8> {
    let parts: &[&'static Field] = &[&fields::ENDPOINT_DIRECTION, &fields::ENDPOINT_NUMBER];
    let address = wire.flags(&fields::ENDPOINT, 1, parts)?;
    Ok(u8::try_from(address).unwrap_or_default())
}

#[cfg(test)]
mod tests;
