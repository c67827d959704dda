//! The pseudo-headers of usbmon, in the byte order of the capturing machine.

use super::fields::*;
use super::setup::{self, Setup};
use super::{Transfer, Urb};
use crate::layers::HeaderPayload;
use crate::tree::{Field, Value};
use crate::wire::{Error, Result, Wire};
use std::ops::Range;

/// Size of the setup packet in the header, and of the values that isochronous transfers have there.
const SETUP: usize = 8;

/// Size of an isochronous descriptor.
const DESCRIPTOR: usize = 16;

const FLAGS: &[&Field] = &[
    &SHORT_NOT_OK,
    &ISO_ASAP,
    &NO_DMA_MAP,
    &NO_FSBR,
    &ZERO_PACKET,
    &NO_INTERRUPT,
    &FREE_BUFFER,
    &DIR_IN,
    &DMA_MAP_SINGLE,
    &DMA_MAP_PAGE,
    &DMA_MAP_SG,
    &MAP_LOCAL,
    &SETUP_MAP_SINGLE,
    &SETUP_MAP_LOCAL,
    &DMA_SG_COMBINED,
    &ALIGNED_TEMP_BUFFER,
];

/// Link type 189.
pub(super) fn short(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    header(wire, missing, false)
}

/// Link type 220, the memory-mapped interface.
pub(super) fn mapped(wire: &mut Wire<'_>, missing: usize) -> Result<HeaderPayload> {
    header(wire, missing, true)
}

fn header(wire: &mut Wire<'_>, missing: usize, is_mapped: bool) -> Result<HeaderPayload> {
    let order = Order::of(wire.ahead());
    let id = order.u64(wire, &URB_ID)?;
    let is_request = wire.u8(&URB_TYPE)? == b'S';
    let transfer = Transfer::of(wire.u8(&TRANSFER_TYPE)?);
    let endpoint = super::endpoint(wire)?;
    let device = u16::from(wire.u8(&DEVICE)?);
    let bus = order.u16(wire, &BUS)?;
    let has_setup = wire.u8(&SETUP_FLAG)? == 0;
    wire.u8(&DATA_FLAG)?;
    order.u64(wire, &SECONDS)?;
    order.u32(wire, &MICROSECONDS)?;
    order.i32(wire, &STATUS)?;
    order.u32(wire, &URB_LENGTH)?;
    order.u32(wire, &DATA_LENGTH)?;
    let setup = union(wire, order, transfer, has_setup && is_request)?;
    if is_mapped {
        order.u32(wire, &INTERVAL)?;
        order.u32(wire, &START_FRAME)?;
        order.flags(wire)?;
        let count = order.u32(wire, &ISO_DESCRIPTORS)?;
        if transfer == Transfer::Isochronous {
            isochronous(wire, order, count)?;
        }
    } else if transfer == Transfer::Isochronous {
        let all = wire.at()..wire.at() + wire.remaining();
        put_data(wire, all);
    }
    Urb { id, bus, device, endpoint, transfer, is_request }.behind(wire, setup, missing)
}

/// The setup packet of a control transfer, or the values of an isochronous one.
fn union(wire: &mut Wire<'_>, order: Order, transfer: Transfer, has_setup: bool) -> Result<Option<Setup>> {
    match transfer {
        Transfer::Control if has_setup => return setup::packet(wire).map(Some),
        Transfer::Isochronous => {
            order.u32(wire, &ISO_ERROR_COUNT)?;
            order.u32(wire, &ISO_DESCRIPTORS)?;
        }
        _ => drop(wire.bytes(&UNUSED_SETUP, SETUP)?),
    }
    Ok(None)
}

/// Descriptors of an isochronous transfer, and the data that they delimit.
fn isochronous(wire: &mut Wire<'_>, order: Order, count: u32) -> Result {
    let mut data = Vec::new();
    for _ in 0..count {
        if wire.remaining() < DESCRIPTOR {
            break;
        }
        let range = wire.group(&ISO_DESCRIPTOR, |wire| {
            order.i32(wire, &ISO_STATUS)?;
            let offset = order.u32(wire, &ISO_OFFSET)?;
            let length = order.u32(wire, &ISO_LENGTH)?;
            order.u32(wire, &ISO_PAD)?;
            Ok((offset as usize, length as usize))
        })?;
        data.push(range);
    }
    let (start, end) = (wire.at(), wire.at() + wire.remaining());
    let mut at = start;
    for (offset, length) in data {
        let from = start.saturating_add(offset);
        // Descriptors in order; a byte belongs to one of them.
        if length > 0 && from >= at && from.saturating_add(length) <= end {
            at = from + length;
            put_data(wire, from..at);
        }
    }
    Ok(())
}

fn put_data(wire: &mut Wire<'_>, range: Range<usize>) {
    if !range.is_empty() {
        wire.put(&ISO_DATA, Value::Bytes, range);
    }
}

/// The byte order of the capturing machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    /// Seconds have 64 bits; their upper half is 0 until 2106. Without a time, the bus has a small number.
    fn of(header: &[u8]) -> Order {
        let bus = header.get(12..14).unwrap_or_default();
        match header.get(16..24).and_then(|seconds| seconds.split_at_checked(4)) {
            Some(([0, 0, 0, 0], [0, 0, 0, 0])) if matches!(bus, [0, 1..=255]) => Order::Big,
            Some((_, [0, 0, 0, 0])) => Order::Little,
            Some(([0, 0, 0, 0], _)) => Order::Big,
            _ => Order::Little,
        }
    }

    fn number<const N: usize>(self, wire: &mut Wire<'_>, field: &'static Field, value: fn(u64) -> Value) -> Result<u64> {
        let mut bytes = *wire.ahead().first_chunk::<N>().ok_or(Error::Short { needed: N.saturating_sub(wire.remaining()) })?;
        if self == Order::Big {
            bytes.reverse();
        }
        let number = bytes.iter().rev().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
        wire.number_with(field, |_: [u8; N]| value(number))?;
        Ok(number)
    }

    fn u16(self, wire: &mut Wire<'_>, field: &'static Field) -> Result<u16> {
        Ok(u16::try_from(self.number::<2>(wire, field, Value::Unsigned)?).unwrap_or_default())
    }

    fn u32(self, wire: &mut Wire<'_>, field: &'static Field) -> Result<u32> {
        Ok(u32::try_from(self.number::<4>(wire, field, Value::Unsigned)?).unwrap_or_default())
    }

    fn u64(self, wire: &mut Wire<'_>, field: &'static Field) -> Result<u64> {
        self.number::<8>(wire, field, Value::Unsigned)
    }

    fn i32(self, wire: &mut Wire<'_>, field: &'static Field) -> Result {
        let signed = |number: u64| Value::Signed(u32::try_from(number).unwrap_or_default().cast_signed().into());
        self.number::<4>(wire, field, signed).map(drop)
    }

    /// The flags of a transfer.
    fn flags(self, wire: &mut Wire<'_>) -> Result {
        let start = wire.at();
        let raw = match (self, *wire.ahead().first_chunk::<4>().unwrap_or(&[0; 4])) {
            (Order::Little, bytes) => u32::from_le_bytes(bytes),
            (Order::Big, bytes) => u32::from_be_bytes(bytes),
        };
        wire.parent(&TRANSFER_FLAGS, Value::Unsigned(raw.into()), |wire| {
            wire.skip(size_of_val(&raw))?;
            for &flag in FLAGS {
                wire.put(flag, Value::Bool(flag.bits_of(raw.into()) != 0), start..start + size_of_val(&raw));
            }
            Ok(())
        })
    }
}
