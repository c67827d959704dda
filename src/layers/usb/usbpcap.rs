//! The pseudo-header of USBPcap (Windows), little-endian.

use super::fields::*;
use super::setup::{self, Setup};
use super::{Transfer, Urb};
use crate::layers::HeaderPayload;
use crate::tree::Value;
use crate::wire::{Error, Result, Wire};

/// Header bytes before those of a transfer type.
const HEADER: usize = 27;
const PACKET: usize = 12;

/// Link type 249.
pub(super) fn frame(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    let declared = usize::from(wire.u16_le(&HEADER_LENGTH)?);
    let left = declared.max(HEADER) - size_of::<u16>();
    if left > wire.remaining() {
        // The fields before the cut are read all the same.
        fixed(wire)?;
        return Err(Error::Short { needed: declared.saturating_sub(HEADER + wire.remaining()).max(1) });
    }
    let (urb, stage) = wire.within(left, &OTHER_HEADER, |wire| {
        let urb = fixed(wire)?;
        let stage = match urb.transfer {
            Transfer::Control if wire.remaining() > 0 => Some(wire.u8(&CONTROL_STAGE)?),
            Transfer::Isochronous if wire.remaining() > 0 => isochronous(wire).map(|()| None)?,
            _ => None,
        };
        Ok((urb, stage))
    })?;
    let setup = setup_of(wire, &urb, stage)?;
    if urb.transfer == Transfer::Isochronous && wire.remaining() > 0 {
        wire.put(&ISO_DATA, Value::Bytes, wire.at()..wire.at() + wire.remaining());
    }
    urb.behind(wire, setup, missing)
}

/// The part that all transfers have.
fn fixed(wire: &mut Wire<'_>) -> Result<Urb> {
    let id = wire.u64_le(&IRP_ID)?;
    wire.u32_le(&USBD_STATUS)?;
    wire.u16_le(&FUNCTION)?;
    let info = wire.flags(&IRP_INFO, 1, &[&IRP_RESERVED, &IRP_DIRECTION])?;
    let bus = wire.u16_le(&BUS)?;
    let device = wire.u16_le(&DEVICE)?;
    let endpoint = super::endpoint(wire)?;
    let transfer = Transfer::of(wire.u8(&TRANSFER_TYPE)?);
    wire.u32_le(&DATA_LENGTH)?;
    Ok(Urb { id, bus, device, endpoint, transfer, is_request: info & 1 == 0 })
}

/// The setup packet, at the start of the data of the first stage.
fn setup_of(wire: &mut Wire<'_>, urb: &Urb, stage: Option<u8>) -> Result<Option<Setup>> {
    const SETUP_STAGE: u8 = 0;
    let is_setup = urb.transfer == Transfer::Control && stage == Some(SETUP_STAGE) && urb.is_request;
    if is_setup && wire.remaining() > 0 { setup::packet(wire).map(Some) } else { Ok(None) }
}

fn isochronous(wire: &mut Wire<'_>) -> Result {
    wire.u32_le(&ISO_FRAME)?;
    wire.u32_le(&ISO_PACKETS)?;
    wire.u32_le(&ISO_ERRORS)?;
    while wire.remaining() >= PACKET {
        wire.group(&ISO_PACKET, |wire| {
            wire.u32_le(&ISO_PACKET_OFFSET)?;
            wire.u32_le(&ISO_PACKET_LENGTH)?;
            wire.u32_le(&ISO_PACKET_STATUS)
        })?;
    }
    Ok(())
}
