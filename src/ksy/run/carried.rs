//! The elements of a message that carry messages.

use super::value::{Blob, V};
use super::{Frame, Machine};
use crate::flow::delivery::Fragment;
use crate::ksy::compile::program::{Code, DeliverCode, FragmentCode, Program, Step};

/// An element that carries a message, or a part of one.
pub(in crate::ksy) struct Carried {
    /// The ordered stream.
    pub stream: u64,
    /// The number in it.
    pub order: Option<u64>,
    pub fragment: Fragment,
    /// A number that marks repeats.
    pub once: Option<u64>,
    /// Its bytes.
    pub data: Blob,
}

impl<'p> Machine<'p, '_> {
    /// The elements of a message that carry messages, in order.
    pub(super) fn carried(&mut self, message: V) -> Vec<Carried> {
        let program: &'p Program = self.program;
        let (Some(deliver), V::Object(object)) = (&program.deliver, message) else { return Vec::new() };
        let of = self.object(object).of;
        let Some((_, list)) = deliver.lists.iter().find(|(message, _)| *message == of) else { return Vec::new() };
        let V::List(list) = self.list_of(object, *list) else { return Vec::new() };
        let count = self.elements(list).len();
        (0..count).filter_map(|index| self.carrier(deliver, list, index)).collect()
    }

    /// The list of an object, also if reading stopped in it.
    fn list_of(&mut self, object: u32, code: Code) -> V {
        let whole = self.object(object);
        let own = self.program.steps.get(code.start as usize).filter(|_| code.len == 1);
        match own {
            Some(Step::Own(slot)) => self.slot(whole.slots.saturating_add(*slot)).value,
            _ => self.eval(&Frame::of(object, whole.io), code).unwrap_or_default(),
        }
    }

    fn carrier(&mut self, deliver: &DeliverCode, list: u32, index: usize) -> Option<Carried> {
        let V::Object(object) = self.elements(list).get(index)?.value else { return None };
        let of = self.object(object);
        if !of.is_complete {
            return None;
        }
        let frame = Frame::of(object, of.io);
        if let Some(when) = deliver.when
            && !matches!(self.eval(&frame, when), Ok(V::Bool(true)))
        {
            return None;
        }
        let Ok(V::Bytes(data)) = self.eval(&frame, deliver.data) else { return None };
        let mut number = |code: Option<Code>| code.and_then(|code| self.natural(&frame, code));
        let (stream, order, once) = (number(deliver.by).unwrap_or_default(), number(deliver.order), number(deliver.once));
        let fragment = match deliver.fragment {
            FragmentCode::Whole => Fragment::Whole,
            FragmentCode::Left(left) => Fragment::Left(number(Some(left)).unwrap_or_default()),
            FragmentCode::Part([id, index, count]) => match (number(Some(id)), number(Some(index)), number(Some(count))) {
                (Some(id), Some(index), Some(count)) if count != 1 => Fragment::Part { id, index, count },
                _ => Fragment::Whole,
            },
            FragmentCode::At([id, offset, total]) => match (number(Some(id)), number(Some(offset)), number(Some(total))) {
                (Some(id), Some(offset), Some(total)) if total != u64::from(data.len()) => Fragment::At { id, offset, total },
                _ => Fragment::Whole,
            },
        };
        Some(Carried { stream, order, fragment, once, data })
    }

    /// An integer in 64 bits.
    fn natural(&mut self, frame: &Frame, code: Code) -> Option<u64> {
        match self.eval(frame, code) {
            Ok(V::Int(number)) => {
                let [low @ .., _, _, _, _, _, _, _, _] = number.to_le_bytes();
                Some(u64::from_le_bytes(low))
            }
            _ => None,
        }
    }
}
