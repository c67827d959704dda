//! What a run saw, for `ksy try`: types, values without a case, and the attribute that failed.

use super::failure::{Failure, Outcome};
use super::value::{Object, Slot, State, V};
use super::{Machine, Remark};
use crate::ksy::notes;

/// What reading a message saw.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// The source of the message in its tree.
    pub source: u32,
    /// The offset of the message in that source.
    pub start: u32,
    /// The type of the message, and that of the first object inside of it.
    pub kind: (Option<u32>, Option<u32>),
    /// The types of all objects, ascending.
    pub types: Vec<u32>,
    /// Values without a case.
    pub undescribed: Vec<WithoutCase>,
    /// The attribute that failed, and its type.
    pub failed: Option<(u32, &'static str)>,
}

/// A value for which a switch has no case.
#[derive(Debug, Clone)]
pub struct WithoutCase {
    /// The type with the switch.
    pub of: u32,
    /// The attribute.
    pub attribute: &'static str,
    /// The value, with its name.
    pub value: String,
    /// Whether the end of the message is unknown because of it.
    pub loses: bool,
}

impl Machine<'_, '_> {
    /// The attribute that failed, and its type.
    pub(super) fn failed_member(&self, result: &Outcome) -> Option<(u32, &'static str)> {
        let Failure { code, .. } = &**result.as_ref().err()?;
        let object = self.memory.objects.iter().rfind(|object| !object.is_complete)?;
        let types = self.program.types.get(object.of as usize)?;
        let state = |slot: &u32| self.slot(object.slots + slot).state;
        let first = (types.params..types.first_instance()).find(|slot| state(slot) != State::Done);
        // A value that violates what is demanded of it was read.
        let is_read = code.is_some_and(|code| code.is(&notes::VALID));
        let slot = match first.unwrap_or_else(|| types.first_instance()) {
            slot if is_read && slot > types.params => slot - 1,
            slot => slot,
        };
        Some((object.of, types.slots.get(slot as usize).copied()?))
    }

    /// Records the observations of a run, if they are enabled.
    #[inline]
    pub(super) fn observe(
        &mut self,
        subject: &Slot,
        remark: Option<Remark>,
        place: (u32, u32),
        failed: Option<(u32, &'static str)>,
    ) {
        if self.memory.observations.is_some() {
            let observation = Observation { source: place.0, start: place.1, failed, ..self.observation(subject, remark) };
            self.memory.observations.iter_mut().for_each(|all| all.push(observation.clone()));
        }
    }

    /// What the run saw.
    #[cold]
    fn observation(&self, subject: &Slot, remark: Option<Remark>) -> Observation {
        let of = |object: &Object| object.of;
        let kind = match subject.value {
            V::Object(number) => {
                let inner = self.memory.objects.iter().find(|object| object.parent == number).map(of);
                (Some(self.object(number).of), inner)
            }
            _ => (None, None),
        };
        let mut types: Vec<u32> = self.memory.objects.iter().map(of).collect();
        types.sort_unstable();
        types.dedup();
        let undescribed = self.memory.undescribed.iter().map(|one| {
            let loses = remark == Some(Remark::Lost) && one.is_open;
            let of = self.object(one.object).of;
            WithoutCase { of, attribute: self.switch_name(one), value: self.undescribed_value(one), loses }
        });
        Observation { kind, types, undescribed: undescribed.collect(), ..Observation::default() }
    }
}
