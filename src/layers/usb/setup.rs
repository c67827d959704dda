//! The setup packet of a control transfer.

use super::fields::*;
use crate::wire::{Error, Result, Wire};

/// The bytes of a setup packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setup([u8; 8]);

pub(super) const GET_STATUS: u8 = 0;
const CLEAR_FEATURE: u8 = 1;
const SET_FEATURE: u8 = 3;
pub(super) const GET_DESCRIPTOR: u8 = 6;
pub(super) const SET_DESCRIPTOR: u8 = 7;
pub(super) const GET_CONFIGURATION: u8 = 8;
const SET_CONFIGURATION: u8 = 9;
pub(super) const GET_INTERFACE: u8 = 10;

impl Setup {
    /// The packet as a number.
    pub(super) fn packed(self) -> u64 {
        u64::from_le_bytes(self.0)
    }

    /// The packet of a number; 0 for none.
    pub(super) fn unpacked(number: u64) -> Option<Setup> {
        (number != 0).then(|| Setup(number.to_le_bytes()))
    }

    /// Whether the device sends the data.
    pub(super) fn is_in(self) -> bool {
        self.0[0] & 0x80 != 0
    }

    /// The request, if it is a standard one.
    pub(super) fn standard_request(self) -> Option<u8> {
        let [kind, request, ..] = self.0;
        (kind & 0x60 == 0).then_some(request)
    }

    /// The type of the requested descriptor.
    pub(super) fn descriptor(self) -> Option<u8> {
        let [.., kind, _, _, _, _] = self.0;
        self.standard_request().filter(|request| matches!(*request, GET_DESCRIPTOR | SET_DESCRIPTOR)).map(|_| kind)
    }

    /// The index of the requested descriptor.
    pub(super) fn index(self) -> u8 {
        self.0[2]
    }
}

/// Reads a setup packet.
pub(super) fn packet(wire: &mut Wire<'_>) -> Result<Setup> {
    const SIZE: usize = 8;
    let bytes = *wire.ahead().first_chunk().ok_or(Error::Short { needed: SIZE.saturating_sub(wire.remaining()) })?;
    let setup = Setup(bytes);
    let recipient = bytes[0] & 0x1f;
    wire.group(&SETUP, |wire| {
        wire.flags(&REQUEST_TYPE, 1, &[&REQUEST_DIRECTION, &REQUEST_KIND, &RECIPIENT])?;
        let request = setup.standard_request();
        wire.u8(if request.is_some() { &REQUEST } else { &OTHER_REQUEST })?;
        match request {
            Some(GET_DESCRIPTOR | SET_DESCRIPTOR) => {
                wire.u8(&DESCRIPTOR_INDEX)?;
                wire.u8(&DESCRIPTOR_TYPE)?;
                wire.u16_le(&LANGUAGE)?;
            }
            Some(SET_CONFIGURATION) => {
                wire.u8(&CONFIGURATION_VALUE)?;
                wire.u8(&RESERVED)?;
                wire.u16_le(&INDEX)?;
            }
            Some(CLEAR_FEATURE | SET_FEATURE) => {
                wire.u16_le(&FEATURE)?;
                recipient_index(wire, recipient)?;
            }
            Some(GET_STATUS) => {
                wire.u16_le(&VALUE)?;
                recipient_index(wire, recipient)?;
            }
            _ => {
                wire.u16_le(&VALUE)?;
                wire.u16_le(&INDEX)?;
            }
        }
        wire.u16_le(&LENGTH)
    })?;
    Ok(setup)
}

/// The index, which names the recipient.
fn recipient_index(wire: &mut Wire<'_>, recipient: u8) -> Result {
    wire.u16_le(match recipient {
        1 => &INTERFACE,
        2 => &SETUP_ENDPOINT,
        _ => &INDEX,
    })
    .map(drop)
}
