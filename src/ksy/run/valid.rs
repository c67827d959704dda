//! Validates values against constraints.

use super::failure::{Failure, Outcome, Wait};
use super::value::{Slot, V};
use super::{Frame, Machine};
use crate::ksy::compile::program::{Code, Program, ValidCode};
use crate::ksy::notes;
use std::cmp::Ordering;

impl<'p> Machine<'p, '_> {
    /// Validates a value against its constraint.
    pub(super) fn validate(&mut self, frame: &Frame, valid: u32, slot: &Slot) -> Outcome {
        let program: &'p Program = self.program;
        let Some(valid) = program.valids.get(valid as usize) else { return Ok(()) };
        let value = slot.value;
        let frame = Frame { item: value, ..*frame };
        let why = match valid {
            ValidCode::Eq(expected) => {
                let expected = self.eval(&frame, *expected)?;
                (!self.is_equal(&frame, value, expected)?).then(|| format!("expected {}", self.shown(expected)))
            }
            ValidCode::Range { min, max } => {
                let too_small = self.beyond(&frame, value, *min, Ordering::Less)?.map(|min| format!("less than {min}"));
                match too_small {
                    Some(why) => Some(why),
                    None => self.beyond(&frame, value, *max, Ordering::Greater)?.map(|max| format!("greater than {max}")),
                }
            }
            ValidCode::AnyOf(values) => {
                let mut is_one = false;
                for expected in values {
                    let expected = self.eval(&frame, *expected)?;
                    is_one |= self.is_equal(&frame, value, expected)?;
                }
                (!is_one).then(|| String::from("not any of the values that the file lists"))
            }
            ValidCode::InEnum(names) => {
                self.find_version(*names);
                let is_known = matches!(value, V::Int(number) if self.enum_name(*names, number).is_some());
                (!is_known).then(|| String::from("not a value of its enum"))
            }
            ValidCode::Expr(condition) => {
                (!self.bool(&frame, *condition)?).then(|| String::from("not matching the expression of the file"))
            }
        };
        match why {
            None => Ok(()),
            Some(why) => self.invalid(slot, &format!("{}: {why}", self.shown(value))),
        }
    }

    #[cold]
    fn invalid(&self, slot: &Slot, text: &str) -> Outcome {
        let Slot { buffer, start, end, .. } = *slot;
        let failure = Failure { code: Some(&notes::VALID), text: text.to_owned(), buffer, start, end, needed: 0, wait: Wait::No };
        Err(Box::new(failure))
    }

    /// The bound that a value exceeds, if any.
    fn beyond(&mut self, frame: &Frame, value: V, bound: Option<Code>, where_to: Ordering) -> Outcome<Option<String>> {
        let Some(bound) = bound else { return Ok(None) };
        let bound = self.eval(frame, bound)?;
        Ok((self.order(frame, value, bound)? == where_to).then(|| self.shown(bound)))
    }
}
