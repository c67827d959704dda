//! Values that no case of a switch describes.

use super::value::{NOTHING, Object, V};
use super::{Frame, Machine};
use crate::ksy::compile::program::{DataKind, Program};
use crate::ksy::notes;
use crate::tree::Field;

/// Maximum number of them in a message.
const MOST: usize = 64;

/// A value without a case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Undescribed {
    /// The object with the switch, and the slot of the switch in its type.
    pub object: u32,
    slot: u32,
    switch: u32,
    value: V,
    /// The stream of the object.
    io: u32,
    /// Whether nothing is read for it, because the switch has no size.
    pub is_open: bool,
}

/// What a note says about values without a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::ksy) enum Remark {
    /// Bytes are left over.
    #[default]
    Rest,
    /// Messages follow, so it has no content.
    NoContent,
    /// No message follows: where it ends is unknown.
    Lost,
}

impl<'p> Machine<'p, '_> {
    /// Stores a value that no case of a switch describes.
    #[cold]
    pub(super) fn undescribed(&mut self, frame: &Frame, switch: u32, value: V, at: u32) {
        let Object { slots, .. } = self.object(frame.object);
        let is_open =
            self.program.switches.get(switch as usize).is_some_and(|code| matches!(code.otherwise.kind, DataKind::Nothing));
        let slot = if at == NOTHING { NOTHING } else { at.saturating_sub(slots) };
        if let Some(names) = self.program.switches.get(switch as usize).and_then(|code| code.names) {
            self.find_version(names);
        }
        if self.memory.undescribed.len() < MOST {
            let Frame { object, io, .. } = *frame;
            self.memory.undescribed.push(Undescribed { object, slot, switch, value, io, is_open });
        }
    }

    /// The first value without a case after which the end of the measured message is unknown.
    pub(super) fn first_open(&self) -> Option<i128> {
        let open = self.memory.undescribed.iter().find(|one| one.is_open && self.is_input(one.io))?;
        Some(if let V::Int(value) = open.value { value } else { -1 })
    }

    /// The note on the first value without a case.
    pub(super) fn remark(&self, remark: Remark) -> Option<(&'static Field, String)> {
        let has_rest = |io| !self.stream(io).is_at_end();
        let is_meant = |io: u32| match remark {
            Remark::Rest => has_rest(io),
            Remark::NoContent => self.is_input(io) || has_rest(io),
            Remark::Lost => self.is_input(io),
        };
        let one = self.memory.undescribed.iter().find(|one| one.is_open && is_meant(one.io))?;
        let what = format!("no case of `{}` describes {}", self.switch_name(one), self.undescribed_value(one));
        Some(match remark {
            Remark::NoContent if !has_rest(one.io) => (&notes::NO_CONTENT, what),
            Remark::NoContent | Remark::Rest => (&notes::LEFT_OVER, what),
            Remark::Lost => {
                (&notes::CASE, format!("{what}, so it is unknown where the message ends; add the case, `_` or `size`"))
            }
        })
    }

    /// The name of the attribute with the switch.
    pub(super) fn switch_name(&self, of: &Undescribed) -> &'static str {
        let code = self.program.types.get(self.object(of.object).of as usize);
        code.and_then(|code| code.slots.get(of.slot as usize)).copied().unwrap_or("the switch")
    }

    /// The value, with its name.
    pub(super) fn undescribed_value(&self, of: &Undescribed) -> String {
        let program: &'p Program = self.program;
        let names = program.switches.get(of.switch as usize).and_then(|code| code.names);
        match (of.value, names) {
            (V::Int(number), Some(names)) => match self.enum_name(names, number) {
                Some(name) => format!("{number} ({name})"),
                None => number.to_string(),
            },
            (value, _) => self.shown(value),
        }
    }
}
