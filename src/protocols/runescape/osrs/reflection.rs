//! Checks of the client's code by reflection: the results depend on the checks that the server requested.

use super::super::fields::*;
use super::super::types::{Ending, text};
use crate::tree::Field;
use crate::wire::{Result, Wire};
use std::collections::VecDeque;

/// Bytes of the checksum after the results.
const CRC: usize = 4;

/// Requests that wait for a reply.
const MOST: usize = 16;

/// Types of checks: get a field, set one, modifiers of a field, call a method, modifiers of a method.
const GET: u8 = 0;
const SET: u8 = 1;
const FIELD_MODIFIERS: u8 = 2;
const CALL: u8 = 3;

/// Results of a call: a number, a text.
const NUMBER: i8 = 1;
const TEXT: i8 = 2;

/// Requests without a reply so far.
#[derive(Default)]
pub struct Checks {
    asked: VecDeque<(i64, Vec<u8>)>,
    /// Types of the request that is read.
    types: Vec<u8>,
}

impl Checks {
    /// Adds a check to the request that is read.
    pub fn add(&mut self, kind: i64) {
        self.types.push(u8::try_from(kind).unwrap_or(u8::MAX));
    }

    /// Ends a request.
    pub fn ask(&mut self, id: i64) {
        if self.asked.len() >= MOST {
            self.asked.pop_front();
        }
        self.asked.push_back((id, std::mem::take(&mut self.types)));
    }

    /// Reads the results of a request, which are opaque if it is unknown.
    pub fn results(&mut self, wire: &mut Wire<'_>, field: &'static Field, id: Option<i64>) -> Result {
        let place = self.asked.iter().position(|(asked, _)| Some(*asked) == id);
        let checks = place.and_then(|place| self.asked.remove(place));
        let count = wire.remaining().saturating_sub(CRC);
        wire.group(field, |wire| match checks {
            Some((_, types)) => wire.within(count, &PAYLOAD, |wire| types.into_iter().try_for_each(|kind| result(wire, kind))),
            None if count > 0 => {
                wire.note_ahead(&NO_REQUEST, format_args!("the checks were asked for before the capture"));
                wire.bytes(&PAYLOAD, count).map(drop)
            }
            None => Ok(()),
        })
    }
}

/// Reads the result of a check.
fn result(wire: &mut Wire<'_>, kind: u8) -> Result {
    wire.group(&REFLECTION, |wire| match (wire.i8(&REFLECTION_CODE)?, kind) {
        // The check threw an exception.
        (..=-1, _) | (_, SET) => Ok(()),
        (NUMBER, CALL) => wire.i64_be(&REFLECTION_NUMBER).map(drop),
        (TEXT, CALL) => text(wire, &REFLECTION_TEXT, Ending::Nul).map(drop),
        (_, CALL) => Ok(()),
        (_, GET | FIELD_MODIFIERS | CALL..) => wire.i32_be(&REFLECTION_NUMBER).map(drop),
    })
}
