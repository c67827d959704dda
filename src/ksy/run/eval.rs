//! Evaluates expressions.

use super::bytes::BYTES_PER_OPERATION;
use super::failure::Outcome;
use super::value::{Blob, HEAP, List, NOTHING, Object, Slot, State, V};
use super::{Frame, Machine};
use crate::ksy::compile::program::{Code, Program, Step};
use crate::ksy::expr::{Binary, Compare, Unary};
use crate::ksy::notes;
use crate::ksy::process::Argument;
use crate::limits;
use std::cmp::Ordering;

impl<'p> Machine<'p, '_> {
    /// The value of an expression.
    #[inline]
    pub(super) fn eval(&mut self, frame: &Frame, code: Code) -> Outcome<V> {
        if code.len == 1 {
            match self.program.steps.get(code.start as usize) {
                Some(Step::Int(number)) => return Ok(V::Int((*number).into())),
                Some(Step::Own(slot)) => return self.field(frame, frame.object, *slot),
                _ => {}
            }
        }
        self.run(frame, code)
    }

    /// The value of an expression that is an integer.
    pub(super) fn int(&mut self, frame: &Frame, code: Code) -> Outcome<i128> {
        match self.eval(frame, code)? {
            V::Int(number) => Ok(number),
            other => self.wrong_kind(frame, "an integer", other),
        }
    }

    /// The value of an expression that is a boolean.
    pub(super) fn bool(&mut self, frame: &Frame, code: Code) -> Outcome<bool> {
        match self.eval(frame, code)? {
            V::Bool(truth) => Ok(truth),
            other => self.wrong_kind(frame, "a boolean", other),
        }
    }

    #[cold]
    pub(super) fn wrong_kind<T>(&self, frame: &Frame, expected: &str, found: V) -> Outcome<T> {
        if matches!(found, V::Opaque(_)) {
            return self.fail(frame.io, &notes::UNKNOWN, format!("expected {expected}, found {}", found.kind()));
        }
        self.fail(frame.io, &notes::VALUE, format!("expected {expected}, found {}", found.kind()))
    }

    /// Runs the steps of an expression. The stack is restored, also after a failure.
    fn run(&mut self, frame: &Frame, code: Code) -> Outcome<V> {
        let base = self.memory.stack.len();
        let result = self.steps(frame, code);
        let value = self.memory.stack.pop().unwrap_or_default();
        self.memory.stack.truncate(base);
        result.map(|()| value)
    }

    fn steps(&mut self, frame: &Frame, code: Code) -> Outcome {
        self.burn(frame.io, code.len as usize)?;
        let program: &'p Program = self.program;
        let start = code.start as usize;
        let steps = program.steps.get(start..start + code.len as usize).unwrap_or_default();
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            at += 1;
            match *step {
                Step::Jump(over) => at += over as usize,
                Step::JumpIfFalse(over) => {
                    if !self.pop_bool(frame)? {
                        at += over as usize;
                    }
                }
                Step::JumpIf(decisive, over) => {
                    if self.pop_bool(frame)? == decisive {
                        self.memory.stack.push(V::Bool(decisive));
                        at += over as usize;
                    }
                }
                ref step => {
                    let value = self.step(frame, step)?;
                    self.memory.stack.push(value);
                }
            }
        }
        Ok(())
    }

    pub(super) fn pop(&mut self) -> V {
        self.memory.stack.pop().unwrap_or_default()
    }

    fn pop_bool(&mut self, frame: &Frame) -> Outcome<bool> {
        match self.pop() {
            V::Bool(truth) => Ok(truth),
            other => self.wrong_kind(frame, "a boolean", other),
        }
    }

    pub(super) fn pop_int(&mut self, frame: &Frame) -> Outcome<i128> {
        match self.pop() {
            V::Int(number) => Ok(number),
            other => self.wrong_kind(frame, "an integer", other),
        }
    }

    fn pop_object(&mut self, frame: &Frame) -> Outcome<u32> {
        match self.pop() {
            V::Object(object) => Ok(object),
            other => self.wrong_kind(frame, "an object", other),
        }
    }

    fn step(&mut self, frame: &Frame, step: &Step) -> Outcome<V> {
        Ok(match *step {
            Step::Int(number) => V::Int(number.into()),
            Step::Big(at) => V::Int(self.program.integers.get(at as usize).copied().unwrap_or_default()),
            Step::Float(number) => V::Float(number),
            Step::Bool(truth) => V::Bool(truth),
            Step::Str(text) => V::Str(text),
            Step::Bytes(bytes) => V::Bytes(bytes),
            Step::This => V::Object(frame.object),
            Step::Item => frame.item,
            Step::Index => V::Int(frame.index.into()),
            Step::Own(slot) => self.field(frame, frame.object, slot)?,
            Step::Variable(number) => self.variable(frame, number)?,
            Step::Call(function, count) => self.call(frame, function, count)?,
            Step::Member(of, index) => V::Int(self.enum_member(of, index)),
            Step::Table(table) => {
                let version = self.pop_int(frame)?;
                let version = self.version(table, version);
                self.use_version(table, version);
                V::Table(table, version)
            }
            Step::Field { of, slot } => {
                let object = self.pop_object(frame)?;
                let slot = self.slot_of(frame, object, of, slot)?;
                self.field(frame, object, slot)?
            }
            Step::Parent => {
                let object = self.pop_object(frame)?;
                match self.object(object).parent {
                    NOTHING => return self.fail(frame.io, &notes::VALUE, String::from("the object has no _parent")),
                    parent => V::Object(parent),
                }
            }
            Step::Root => {
                let object = self.pop_object(frame)?;
                V::Object(self.object(object).root)
            }
            Step::Io => {
                let object = self.pop_object(frame)?;
                V::Io(self.object(object).io)
            }
            Step::At => self.element(frame)?,
            Step::Unary(operator) => self.unary(frame, operator)?,
            Step::Binary(operator) => {
                let (right, left) = (self.pop(), self.pop());
                self.binary(frame, operator, left, right)?
            }
            Step::Compare(operator) => {
                let (right, left) = (self.pop(), self.pop());
                V::Bool(self.compare(frame, operator, left, right)?)
            }
            Step::List(count) => self.list(frame, count)?,
            Step::ListAsBytes(count) => self.list_as_bytes(frame, count)?,
            Step::Method(method) => self.method(frame, method)?,
            Step::Decode(charset) => match self.pop() {
                V::Bytes(bytes) => V::Str(self.decode(frame, charset, bytes)?),
                other => return self.wrong_kind(frame, "bytes", other),
            },
            Step::ToInt => {
                let base = self.pop_int(frame)?;
                self.number_of_base(frame, base)?
            }
            Step::Substring => self.substring(frame)?,
            Step::Format(format) => self.format(frame, format)?,
            Step::Jump(_) | Step::JumpIfFalse(_) | Step::JumpIf(..) => V::Null,
        })
    }

    /// The slot of an object that corresponds to a slot of its static type: after a cast, the one of the same name.
    fn slot_of(&self, frame: &Frame, object: u32, of: u32, slot: u32) -> Outcome<u32> {
        let own = self.object(object).of;
        if own == of {
            return Ok(slot);
        }
        let name =
            self.program.types.get(of as usize).and_then(|code| code.slots.get(slot as usize)).copied().unwrap_or_default();
        let Some(actual) = self.program.types.get(own as usize) else { return Self::failed_before() };
        match (0..).zip(&actual.slots).find(|(_, known)| **known == name) {
            Some((place, _)) => Ok(place),
            None => self.fail(frame.io, &notes::VALUE, format!("an object of type {} has no {name}", actual.name)),
        }
    }

    /// Calls a function with the last values of the stack.
    fn call(&mut self, frame: &Frame, function: u32, count: u32) -> Outcome<V> {
        let program: &'p Program = self.program;
        let Some(function) = program.functions.get(function as usize) else { return Ok(V::Null) };
        let first = self.memory.stack.len().saturating_sub(count as usize);
        let values: Vec<V> = self.memory.stack.drain(first..).collect();
        let mut args = Vec::with_capacity(values.len());
        for value in values {
            if let V::Bytes(blob) | V::Str(blob) = value {
                self.burn(frame.io, blob.len() as usize / BYTES_PER_OPERATION)?;
            }
            args.push(self.argument(frame, value)?);
        }
        match (function.call)(&args) {
            Ok(Argument::Int(number)) => Ok(V::Int(number)),
            Ok(Argument::Bool(truth)) => Ok(V::Bool(truth)),
            Ok(Argument::Bytes(bytes)) => self.push_heap(frame, &bytes).map(V::Bytes),
            Ok(Argument::Text(text)) => self.push_heap(frame, text.as_bytes()).map(V::Str),
            Err(why) => self.fail(frame.io, &notes::VALUE, format!("{}: {why}", function.name)),
        }
    }

    /// The number of a version of a table.
    fn version(&self, table: u32, version: i128) -> u32 {
        let versions = self.program.tables.get(table as usize).map(|table| table.versions.as_slice()).unwrap_or_default();
        let found = versions.binary_search_by_key(&version, |known| known.version);
        found.ok().and_then(|at| u32::try_from(at).ok()).unwrap_or(NOTHING)
    }

    /// The size of an opcode.
    fn row(&self, frame: &Frame, table: u32, version: u32, opcode: i128) -> Outcome<V> {
        let table = self.program.tables.get(table as usize);
        let name = table.map_or("", |table| table.name.as_str());
        let Some(rows) = table.and_then(|table| table.versions.get(version as usize)) else {
            return self.fail(frame.io, &notes::VALUE, format!("{name} has no rows of this version"));
        };
        match rows.size(opcode) {
            Some(size) => Ok(V::Int(size)),
            None => self.fail(frame.io, &notes::VALUE, format!("{name} has no opcode {opcode:#x} in version {}", rows.version)),
        }
    }

    fn element(&mut self, frame: &Frame) -> Outcome<V> {
        let index = self.pop_int(frame)?;
        let (found, count) = match self.pop() {
            V::Table(table, version) => return self.row(frame, table, version, index),
            V::List(list) => {
                let elements = self.elements(list);
                let found = usize::try_from(index).ok().and_then(|index| elements.get(index));
                (found.map(|slot| slot.value), elements.len())
            }
            V::Bytes(blob) => {
                let bytes = self.bytes(blob);
                let found = usize::try_from(index).ok().and_then(|index| bytes.get(index));
                (found.map(|byte| V::Int((*byte).into())), bytes.len())
            }
            other => return self.wrong_kind(frame, "a list", other),
        };
        match found {
            Some(value) => Ok(value),
            None => self.fail(frame.io, &notes::RANGE, format!("element {index} of {count}")),
        }
    }

    fn unary(&mut self, frame: &Frame, operator: Unary) -> Outcome<V> {
        match (operator, self.pop()) {
            (Unary::Minus, V::Int(number)) => self.checked(frame, number.checked_neg()),
            (Unary::Minus, V::Float(number)) => Ok(V::Float(-number)),
            (Unary::Not, V::Bool(truth)) => Ok(V::Bool(!truth)),
            (Unary::Invert, V::Int(number)) => Ok(V::Int(!number)),
            (Unary::Not, other) => self.wrong_kind(frame, "a boolean", other),
            (_, other) => self.wrong_kind(frame, "a number", other),
        }
    }

    fn checked(&self, frame: &Frame, number: Option<i128>) -> Outcome<V> {
        match number {
            Some(number) => Ok(V::Int(number)),
            None => self.fail(frame.io, &notes::OVERFLOW, String::from("the result exceeds 128 bits")),
        }
    }

    #[inline]
    fn binary(&mut self, frame: &Frame, operator: Binary, left: V, right: V) -> Outcome<V> {
        match (left, right) {
            (V::Int(left), V::Int(right)) => self.integers(frame, operator, left, right),
            (V::Float(left), V::Float(right)) => self.floats(frame, operator, left, right),
            (V::Int(left), V::Float(right)) => self.floats(frame, operator, left as f64, right),
            (V::Float(left), V::Int(right)) => self.floats(frame, operator, left, right as f64),
            (V::Str(left), V::Str(right)) if operator == Binary::Add => Ok(V::Str(self.join(frame, left, right)?)),
            (V::Bytes(left), V::Bytes(right)) if operator == Binary::Add => Ok(V::Bytes(self.join(frame, left, right)?)),
            (V::Int(_) | V::Float(_), other) | (other, _) => self.wrong_kind(frame, "a number", other),
        }
    }

    #[inline]
    fn integers(&mut self, frame: &Frame, operator: Binary, left: i128, right: i128) -> Outcome<V> {
        let is_division = matches!(operator, Binary::Divide | Binary::Modulo);
        if is_division && right == 0 {
            return self.fail(frame.io, &notes::RANGE, String::from("division by zero"));
        }
        let shift = u32::try_from(right).ok().filter(|shift| *shift < 128);
        if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) && shift.is_none() {
            return self.fail(frame.io, &notes::RANGE, format!("shift by {right} bits"));
        }
        let shift = shift.unwrap_or_default();
        let result = match operator {
            Binary::Add => left.checked_add(right),
            Binary::Subtract => left.checked_sub(right),
            Binary::Multiply => left.checked_mul(right),
            Binary::Divide => floor_div(left, right),
            Binary::Modulo => {
                left.checked_rem(right).map(|rest| if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
            }
            Binary::ShiftLeft => Some(left << shift).filter(|shifted| shifted >> shift == left),
            Binary::ShiftRight => Some(left >> shift),
            Binary::BitAnd => Some(left & right),
            Binary::BitOr => Some(left | right),
            Binary::BitXor => Some(left ^ right),
        };
        self.checked(frame, result)
    }

    fn floats(&mut self, frame: &Frame, operator: Binary, left: f64, right: f64) -> Outcome<V> {
        Ok(V::Float(match operator {
            Binary::Add => left + right,
            Binary::Subtract => left - right,
            Binary::Multiply => left * right,
            Binary::Divide => left / right,
            Binary::Modulo => left - right * (left / right).floor(),
            _ => return self.wrong_kind(frame, "an integer", V::Float(left)),
        }))
    }

    fn join(&mut self, frame: &Frame, left: Blob, right: Blob) -> Outcome<Blob> {
        self.check_computed(frame, left.len() as usize + right.len() as usize)?;
        let joined = [self.bytes(left), self.bytes(right)].concat();
        self.push_heap(frame, &joined)
    }

    /// Stores bytes that an expression created.
    pub(super) fn push_heap(&mut self, frame: &Frame, bytes: &[u8]) -> Outcome<Blob> {
        let start = self.memory.heap.len();
        self.check_computed(frame, bytes.len())?;
        self.burn(frame.io, bytes.len() / BYTES_PER_OPERATION)?;
        self.memory.heap.extend_from_slice(bytes);
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok(Blob { buffer: HEAP, start: narrow(start), end: narrow(self.memory.heap.len()) })
    }

    /// Checks the limit of bytes that expressions create.
    pub(super) fn check_computed(&self, frame: &Frame, count: usize) -> Outcome {
        if self.memory.heap.len().saturating_add(count) > limits::KSY_COMPUTED.get() {
            self.limited(frame.io, &notes::COMPUTED, &limits::KSY_COMPUTED)
        } else {
            Ok(())
        }
    }

    fn compare(&mut self, frame: &Frame, operator: Compare, left: V, right: V) -> Outcome<bool> {
        Ok(match operator {
            Compare::Eq => self.is_equal(frame, left, right)?,
            Compare::Ne => !self.is_equal(frame, left, right)?,
            // A comparison with NaN is false.
            _ if is_nan(left) || is_nan(right) => false,
            Compare::Lt => self.order(frame, left, right)? == Ordering::Less,
            Compare::Le => self.order(frame, left, right)? != Ordering::Greater,
            Compare::Gt => self.order(frame, left, right)? == Ordering::Greater,
            Compare::Ge => self.order(frame, left, right)? != Ordering::Less,
        })
    }

    /// Whether two values are equal. Values of different kinds are not.
    pub(super) fn is_equal(&mut self, frame: &Frame, left: V, right: V) -> Outcome<bool> {
        Ok(match (left, right) {
            (V::Null, V::Null) => true,
            (V::Int(left), V::Int(right)) => left == right,
            (V::Float(left), V::Float(right)) => left == right,
            (V::Int(left), V::Float(right)) | (V::Float(right), V::Int(left)) => left as f64 == right,
            (V::Bool(left), V::Bool(right)) => left == right,
            (V::Str(left), V::Str(right)) | (V::Bytes(left), V::Bytes(right)) => {
                self.burn_for(frame, left, right)?;
                self.bytes(left) == self.bytes(right)
            }
            (V::Object(left), V::Object(right)) | (V::Io(left), V::Io(right)) => left == right,
            (V::Opaque(_), _) | (_, V::Opaque(_)) => return self.wrong_kind(frame, "a value", V::Opaque(Blob::default())),
            (V::List(left), V::List(right)) => return self.are_equal(frame, left, right),
            _ => false,
        })
    }

    /// Whether two lists are equal. Nested lists may share elements, so that their size does not bound the work.
    fn are_equal(&mut self, frame: &Frame, left: u32, right: u32) -> Outcome<bool> {
        if self.elements(left).len() != self.elements(right).len() {
            return Ok(false);
        }
        for index in 0..self.elements(left).len() {
            self.burn(frame.io, 1)?;
            let element = |list| self.elements(list).get(index).copied().unwrap_or_default().value;
            let (left, right) = (element(left), element(right));
            if !self.is_equal(frame, left, right)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts the operations of a comparison.
    fn burn_for(&mut self, frame: &Frame, left: Blob, right: Blob) -> Outcome {
        self.burn(frame.io, left.len().min(right.len()) as usize / BYTES_PER_OPERATION)
    }

    /// The order of two values. Texts are ordered by code points, which is the order of their bytes.
    pub(super) fn order(&mut self, frame: &Frame, left: V, right: V) -> Outcome<Ordering> {
        let floats = |left: f64, right: f64| left.partial_cmp(&right).unwrap_or(Ordering::Greater);
        Ok(match (left, right) {
            (V::Int(left), V::Int(right)) => left.cmp(&right),
            (V::Float(left), V::Float(right)) => floats(left, right),
            (V::Int(left), V::Float(right)) => floats(left as f64, right),
            (V::Float(left), V::Int(right)) => floats(left, right as f64),
            (V::Bool(left), V::Bool(right)) => left.cmp(&right),
            (V::Str(left), V::Str(right)) | (V::Bytes(left), V::Bytes(right)) => {
                self.burn_for(frame, left, right)?;
                self.bytes(left).cmp(self.bytes(right))
            }
            (V::Null | V::Object(_) | V::List(_) | V::Io(_) | V::Table(..) | V::Opaque(_), other) | (other, _) => {
                return self.wrong_kind(frame, "two comparable values", other);
            }
        })
    }

    /// The last values of the stack as a list.
    fn list(&mut self, frame: &Frame, count: u32) -> Outcome<V> {
        self.keep(frame.io, 1 + count as usize)?;
        let narrow = |at: usize| u32::try_from(at).unwrap_or(NOTHING);
        let start = narrow(self.memory.elements.len());
        let first = self.memory.stack.len().saturating_sub(count as usize);
        let slot = |value| Slot { value, buffer: NOTHING, state: State::Done, ..Slot::default() };
        self.memory.elements.extend(self.memory.stack.drain(first..).map(slot));
        self.memory.lists.push(List { start, len: count, is_open: false });
        Ok(V::List(narrow(self.memory.lists.len() - 1)))
    }

    fn list_as_bytes(&mut self, frame: &Frame, count: u32) -> Outcome<V> {
        let first = self.memory.stack.len().saturating_sub(count as usize);
        let mut bytes = Vec::new();
        for value in self.memory.stack.get(first..).unwrap_or_default() {
            match value {
                V::Int(number) => match u8::try_from(*number) {
                    Ok(byte) => bytes.push(byte),
                    Err(_) => return self.fail(frame.io, &notes::RANGE, format!("{number} is no byte")),
                },
                other => return self.wrong_kind(frame, "an integer", *other),
            }
        }
        self.memory.stack.truncate(first);
        self.push_heap(frame, &bytes).map(V::Bytes)
    }

    /// The type and position of an object, to detect a repetition among ancestors.
    pub(super) fn identity(&self, object: u32) -> (u32, u32, u32) {
        let Object { of, buffer, start, .. } = self.object(object);
        (of, buffer, start)
    }
}

fn is_nan(value: V) -> bool {
    matches!(value, V::Float(number) if number.is_nan())
}

/// Division that rounds towards negative infinity.
fn floor_div(left: i128, right: i128) -> Option<i128> {
    let quotient = left.checked_div(right)?;
    let is_inexact = left.checked_rem(right)? != 0;
    if is_inexact && (left < 0) != (right < 0) { quotient.checked_sub(1) } else { Some(quotient) }
}
