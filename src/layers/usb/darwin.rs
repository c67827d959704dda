//! The pseudo-header of macOS, little-endian.

use super::fields::*;
use super::{Transfer, Urb, setup};
use crate::layers::HeaderPayload;
use crate::tree::Value;
use crate::wire::{Result, Wire};

/// Size of the known header.
const HEADER: usize = 32;

/// Link type 266.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    wire.u16_le(&DARWIN_VERSION)?;
    let declared = usize::from(wire.u8(&DARWIN_HEADER_LENGTH)?);
    let is_request = wire.u8(&DARWIN_REQUEST)? == 0;
    wire.u32_le(&DARWIN_LENGTH)?;
    wire.u32_le(&DARWIN_STATUS)?;
    wire.u32_le(&DARWIN_FRAMES)?;
    let id = wire.u64_le(&DARWIN_ID)?;
    let location = wire.u32_le(&DARWIN_LOCATION)?;
    wire.u8(&DARWIN_SPEED)?;
    let device = u16::from(wire.u8(&DARWIN_DEVICE)?);
    let endpoint = wire.u8(&DARWIN_ENDPOINT)?;
    let transfer = match wire.u8(&DARWIN_TRANSFER)? {
        0 => Transfer::Control,
        1 => Transfer::Isochronous,
        2 => Transfer::Bulk,
        3 => Transfer::Interrupt,
        other => Transfer::Other(other),
    };
    if declared > HEADER {
        wire.bytes(&OTHER_HEADER, declared - HEADER)?;
    }
    // The highest byte of a location is the bus.
    let bus = u16::try_from(location >> 24).unwrap_or_default();
    let urb = Urb { id, bus, device, endpoint, transfer, is_request };
    let has_setup = transfer == Transfer::Control && is_request && wire.remaining() > 0;
    let setup = if has_setup { Some(setup::packet(wire)?) } else { None };
    if transfer == Transfer::Isochronous && wire.remaining() > 0 {
        wire.put(&ISO_DATA, Value::Bytes, wire.at()..wire.at() + wire.remaining());
    }
    urb.behind(wire, setup, missing)
}
