//! Session variables while a message is read, and what the message changes.

use super::failure::{Failure, Outcome};
use super::running::StageCall;
use super::value::V;
use super::{Frame, Machine};
use crate::ksy::compile::program::{EffectCode, InitCode, Program, StageCode};
use crate::ksy::notes;
use crate::ksy::process::Argument;
use std::sync::Arc;

/// The value of a session variable.
#[derive(Debug, Clone)]
pub(in crate::ksy) enum Held {
    /// Unknown, and why.
    Unknown(Cause),
    /// A key that no key file has: empty, and unknown where it would decipher.
    Missing,
    /// Its first value, which is computed when it is read.
    First,
    /// A value, with the variables whose keys it was made from, as bits.
    Known(Plain, u64),
}

impl Held {
    /// Whether it was made from one of these keys.
    pub(in crate::ksy) fn is_from(&self, keys: u64) -> bool {
        matches!(self, Held::Known(_, from) if from & keys != 0)
    }
}

/// Why a value is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum Cause {
    /// The capture began after the conversation.
    Midway,
    /// This variable has no key.
    NoKey(u32),
    /// The key of this variable does not fit.
    WrongKey(u32),
    /// Bytes are missing.
    Lost,
    /// The bytes of a direction are damaged for its stages, or too many behind them.
    Damaged,
    /// The expression of a new value failed.
    Failed,
    /// An earlier conversation set it to an unknown value.
    Earlier,
}

/// A value outside of a run.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ksy) enum Plain {
    Null,
    Int(i128),
    Float(f64),
    Bool(bool),
    Bytes(Arc<[u8]>),
    Text(Arc<str>),
    /// A table and one of its versions.
    Table(u32, u32),
}

/// Maximum size of a value in bytes.
const SIZE: usize = 1 << 16;

/// An effect of a message that was reached, with the environment of its expressions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    frame: Frame,
    effect: u32,
}

/// What a message changes.
#[derive(Default)]
pub(in crate::ksy) struct Changes {
    /// Variables with their new values, in order.
    pub sets: Vec<(u32, Held)>,
    /// For client and server, the stages from the next message on.
    pub stages: [Option<Result<Vec<StageCall>, Cause>>; 2],
}

/// What was needed to read a message.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::ksy) struct Used {
    /// Variables whose keys deciphered bytes, as bits.
    pub keys: u64,
    /// The first value that was needed and is unknown.
    pub unknown: Option<Cause>,
}

impl<'p> Machine<'p, '_> {
    /// The value of a session variable.
    pub(super) fn variable(&mut self, frame: &Frame, number: u32) -> Outcome<V> {
        if let Some((value, keys)) = self.memory.variables.get(number as usize).copied().flatten() {
            self.keys |= keys;
            return Ok(value);
        }
        let before = std::mem::take(&mut self.keys);
        let value = self.variable_anew(frame, number);
        if let Ok(value) = value {
            let count = self.program.session.len();
            self.memory.variables.resize(count, None);
            let is_kept = matches!(self.held.get(number as usize), Some(Held::Known(..)));
            if let Some(place) = self.memory.variables.get_mut(number as usize).filter(|_| is_kept) {
                *place = Some((value, self.keys));
            }
        }
        self.keys |= before;
        value
    }

    fn variable_anew(&mut self, frame: &Frame, number: u32) -> Outcome<V> {
        let program: &'p Program = self.program;
        let Some(variable) = program.session.get(number as usize) else { return Ok(V::Null) };
        match self.held.get(number as usize).cloned().unwrap_or(Held::First) {
            Held::Unknown(cause) => self.unknown(frame.io, cause),
            Held::Missing if self.deciphers => self.unknown(frame.io, Cause::NoKey(number)),
            Held::Missing => self.push_heap(frame, &[]).map(V::Bytes),
            Held::First => match variable.init {
                InitCode::Key => self.push_heap(frame, &[]).map(V::Bytes),
                InitCode::Value(code) => {
                    let root = Frame::of(self.memory.objects.first().map_or(0, |_| 0), frame.io);
                    self.deeper(frame.io, |machine| machine.eval(&root, code))
                }
            },
            Held::Known(plain, keys) => {
                self.keys |= keys;
                Ok(match plain {
                    Plain::Null => V::Null,
                    Plain::Int(number) => V::Int(number),
                    Plain::Float(number) => V::Float(number),
                    Plain::Bool(truth) => V::Bool(truth),
                    Plain::Bytes(bytes) => V::Bytes(self.push_heap(frame, &bytes)?),
                    Plain::Text(text) => V::Str(self.push_heap(frame, text.as_bytes())?),
                    Plain::Table(table, version) => {
                        self.use_version(table, version);
                        V::Table(table, version)
                    }
                })
            }
        }
    }

    /// A failure because a value is unknown.
    #[cold]
    pub(super) fn unknown<T>(&mut self, io: u32, cause: Cause) -> Outcome<T> {
        self.used.unknown = self.used.unknown.or(Some(cause));
        self.fail(io, &notes::UNKNOWN, String::from("it depends on a value that is unknown"))
    }

    /// Calls a function whose values decipher bytes. Keys that it used are recorded.
    pub(super) fn deciphering<T>(&mut self, go: impl FnOnce(&mut Self) -> Outcome<T>) -> (Outcome<T>, u64) {
        let deciphers = std::mem::replace(&mut self.deciphers, true);
        let before = std::mem::take(&mut self.keys);
        let result = go(self);
        let keys = std::mem::replace(&mut self.keys, before);
        self.deciphers = deciphers;
        (result, keys)
    }

    /// Records an effect.
    #[cold]
    pub(super) fn reach(&mut self, frame: &Frame, effect: u32) {
        self.memory.reached.push(Reached { frame: *frame, effect });
    }

    /// Applies the effects that were reached, each to what the ones before left.
    pub(super) fn changes(&mut self) -> Changes {
        let program: &'p Program = self.program;
        let mut changes = Changes::default();
        for Reached { frame, effect } in std::mem::take(&mut self.memory.reached) {
            let Some(EffectCode { sets, stages }) = program.effects.get(effect as usize) else { continue };
            for (variable, code) in sets {
                let held = self.new_value(&frame, *variable, *code);
                self.set_held(*variable, held.clone());
                changes.sets.push((*variable, held));
            }
            for (sides, stages) in stages {
                let calls: Vec<Result<StageCall, Cause>> = stages.iter().map(|stage| self.stage_call(&frame, stage)).collect();
                let calls: Result<Vec<StageCall>, Cause> = calls.into_iter().collect();
                for (place, _) in changes.stages.iter_mut().zip(sides).filter(|(_, is_meant)| **is_meant) {
                    *place = Some(calls.clone());
                }
            }
        }
        changes
    }

    fn new_value(&mut self, frame: &Frame, variable: u32, code: crate::ksy::compile::program::Code) -> Held {
        let (value, keys) = self.deciphering(|machine| machine.eval(frame, code));
        let Some(plain) = value.as_ref().ok().and_then(|value| self.plain(*value, variable)) else {
            return Held::Unknown(self.why(value.err()));
        };
        Held::Known(plain, keys)
    }

    /// Why a value could not be computed.
    fn why(&mut self, failure: Option<Box<Failure>>) -> Cause {
        match failure {
            Some(failure) if failure.code.is_some_and(|code| code.is(&notes::UNKNOWN)) => {
                self.used.unknown.unwrap_or(Cause::Failed)
            }
            _ => Cause::Failed,
        }
    }

    /// A value as one outside of the run; integers wrap to their width.
    fn plain(&self, value: V, variable: u32) -> Option<Plain> {
        Some(match value {
            V::Null => Plain::Null,
            V::Int(number) => {
                let width = self.program.session.get(variable as usize).map_or((64, true), |variable| variable.width);
                Plain::Int(wrap(number, width))
            }
            V::Float(number) => Plain::Float(number),
            V::Bool(truth) => Plain::Bool(truth),
            V::Bytes(blob) => Plain::Bytes(Some(self.bytes(blob)).filter(|bytes| bytes.len() <= SIZE)?.into()),
            V::Str(blob) => Plain::Text(Some(self.text(blob)).filter(|text| text.len() <= SIZE)?.into()),
            V::Table(table, version) => Plain::Table(table, version),
            V::Object(_) | V::List(_) | V::Io(_) | V::Opaque(_) => return None,
        })
    }

    fn set_held(&mut self, variable: u32, held: Held) {
        self.memory.variables.clear();
        if let Some(place) = self.held.to_mut().get_mut(variable as usize) {
            *place = held;
        }
        // Parameters of roots have the value as well.
        self.supply_again(variable);
    }

    fn stage_call(&mut self, frame: &Frame, stage: &StageCode) -> Result<StageCall, Cause> {
        let (args, keys) = self.deciphering(|machine| machine.arguments(frame, &stage.args));
        match args {
            Ok(args) => Ok(StageCall { processor: stage.processor, args, keys }),
            Err(failure) => Err(self.why(Some(failure))),
        }
    }

    /// The values of arguments.
    pub(super) fn arguments(&mut self, frame: &Frame, codes: &[crate::ksy::compile::program::Code]) -> Outcome<Vec<Argument>> {
        codes
            .iter()
            .map(|code| {
                let value = self.eval(frame, *code)?;
                self.argument(frame, value)
            })
            .collect()
    }

    /// A value as an argument.
    pub(super) fn argument(&mut self, frame: &Frame, value: V) -> Outcome<Argument> {
        Ok(match value {
            V::Int(number) => Argument::Int(number),
            V::Bool(truth) => Argument::Bool(truth),
            V::Bytes(blob) => Argument::Bytes(self.bytes(blob).to_vec()),
            V::Str(blob) => Argument::Text(self.text(blob).to_owned()),
            V::List(list) if self.elements(list).is_empty() => Argument::Bytes(Vec::new()),
            other => return self.wrong_kind(frame, "an integer, bytes or text", other),
        })
    }
}

/// An integer in this number of bits.
pub(in crate::ksy) fn wrap(number: i128, (bits, is_signed): (u8, bool)) -> i128 {
    let modulus = 1_i128 << bits.clamp(1, 64);
    let rest = number.rem_euclid(modulus);
    if is_signed && rest >= modulus / 2 { rest - modulus } else { rest }
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn integers_wrap_to_their_width() {
        assert_eq!(wrap(256, (8, false)), 0);
        assert_eq!(wrap(-1, (32, false)), 0xffff_ffff);
        assert_eq!(wrap(0xffff_ffff, (32, true)), -1);
        assert_eq!(wrap(1 << 40, (32, true)), 0);
        assert_eq!(wrap(i128::from(u64::MAX) + 1, (64, false)), 0);
    }
}
