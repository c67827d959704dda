//! Processors whose state goes on from message to message.

use super::variables::Cause;
use crate::ksy::process::{Argument, Failure, Processor, Skip, Stage};

/// A processor with its arguments.
#[derive(Clone)]
pub(in crate::ksy) struct StageCall {
    pub processor: &'static Processor,
    pub args: Vec<Argument>,
    /// Variables whose keys are among the arguments, as bits.
    pub keys: u64,
}

impl StageCall {
    /// Starts it.
    pub(in crate::ksy) fn start(&self) -> Result<Box<dyn Stage>, String> {
        (self.processor.make)(&self.args)
    }
}

/// The continued processors of a direction, by the number of their name.
#[derive(Default)]
pub(in crate::ksy) struct Running {
    known: Vec<(u32, State)>,
    /// Why processors that did not run yet are unknown.
    pub(in crate::ksy) unknown: Option<Cause>,
}

enum State {
    Runs(StageCall, Box<dyn Stage>),
    Unknown(Cause),
}

impl Running {
    /// A copy to read ahead with.
    pub(in crate::ksy) fn fork(&self) -> Running {
        let fork = |(name, state): &(u32, State)| {
            let state = match state {
                State::Runs(call, stage) => State::Runs(call.clone(), stage.fork()),
                State::Unknown(cause) => State::Unknown(*cause),
            };
            (*name, state)
        };
        Running { known: self.known.iter().map(fork).collect(), unknown: self.unknown }
    }

    /// Whether none runs.
    pub(in crate::ksy) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Processes the next bytes under a name. Other arguments than before start it anew.
    pub(super) fn feed(&mut self, name: u32, call: StageCall, bytes: &[u8], most: usize) -> Result<Vec<u8>, Fed> {
        let at = match self.known.iter().position(|(known, _)| *known == name) {
            Some(at) => at,
            None => {
                let state = match self.unknown {
                    Some(cause) => State::Unknown(cause),
                    None => State::Runs(call.clone(), call.start().map_err(Fed::Wrong)?),
                };
                self.known.push((name, state));
                self.known.len() - 1
            }
        };
        let Some((_, state)) = self.known.get_mut(at) else { return Err(Fed::Unknown(Cause::Failed)) };
        let (known, stage) = match state {
            State::Unknown(cause) => return Err(Fed::Unknown(*cause)),
            State::Runs(known, stage) => (known, stage),
        };
        let is_same = std::ptr::eq(known.processor, call.processor) && known.args == call.args;
        if !is_same {
            if !stage.resume(&call.args) {
                *stage = call.start().map_err(Fed::Wrong)?;
            }
            *known = call;
        }
        let mut out = Vec::new();
        let result = stage.feed(bytes, &mut out, most).and_then(|()| {
            let most = most.saturating_sub(out.len());
            stage.end_message(&mut out, most)
        });
        match result {
            Ok(()) => Ok(out),
            Err(failure) => {
                *state = State::Unknown(Cause::Lost);
                Err(Fed::Failed(failure))
            }
        }
    }

    /// Bytes of the direction are missing: keystreams of unknown position end. `is_kept` states which names lost none.
    pub(in crate::ksy) fn lose(&mut self, is_kept: impl Fn(u32) -> bool) {
        for (name, state) in &mut self.known {
            if !is_kept(*name) {
                *state = State::Unknown(Cause::Lost);
            }
        }
    }

    /// Drops what was made from a key that does not fit.
    pub(in crate::ksy) fn reject(&mut self, keys: u64) {
        for (_, state) in &mut self.known {
            if let State::Runs(call, _) = state
                && call.keys & keys != 0
            {
                *state = State::Unknown(Cause::WrongKey(keys.trailing_zeros()));
            }
        }
    }

    /// Bytes of memory.
    pub(in crate::ksy) fn memory(&self) -> usize {
        let of = |(_, state): &(u32, State)| match state {
            State::Runs(_, stage) => 64 + stage.memory(),
            State::Unknown(_) => 0,
        };
        self.known.iter().map(of).sum()
    }
}

/// Why bytes were not processed.
pub(super) enum Fed {
    /// The arguments do not fit the processor.
    Wrong(String),
    /// The state is unknown.
    Unknown(Cause),
    Failed(Failure),
}

/// The stages that the bytes of a direction pass, with the bytes that left the last one.
#[derive(Default)]
pub(in crate::ksy) struct Pipeline {
    pub(in crate::ksy) calls: Vec<StageCall>,
    stages: Vec<Box<dyn Stage>>,
    /// Bytes between stages.
    between: Vec<u8>,
}

impl Pipeline {
    /// Starts these stages.
    pub(in crate::ksy) fn start(calls: Vec<StageCall>) -> Result<Pipeline, String> {
        let stages = calls.iter().map(StageCall::start).collect::<Result<Vec<_>, _>>()?;
        Ok(Pipeline { calls, stages, between: Vec::new() })
    }

    pub(in crate::ksy) fn fork(&self) -> Pipeline {
        let stages = self.stages.iter().map(|stage| stage.fork()).collect();
        Pipeline { calls: self.calls.clone(), stages, between: Vec::new() }
    }

    /// Whether bytes pass no stage.
    pub(in crate::ksy) fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Whether as many bytes leave it as enter it.
    pub(in crate::ksy) fn keeps_length(&self) -> bool {
        self.calls.iter().all(|call| call.processor.keeps_length)
    }

    /// Variables whose keys are among the arguments, as bits.
    pub(in crate::ksy) fn keys(&self) -> u64 {
        self.calls.iter().fold(0, |keys, call| keys | call.keys)
    }

    /// The names of its processors.
    pub(in crate::ksy) fn method(&self) -> &'static str {
        self.calls.last().map_or("", |call| call.processor.name)
    }

    /// Passes bytes through all stages.
    pub(in crate::ksy) fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let Some((last, first)) = self.stages.split_last_mut() else {
            out.extend_from_slice(bytes);
            return Ok(());
        };
        if first.is_empty() {
            return last.feed(bytes, out, most);
        }
        let mut input = bytes.to_vec();
        for stage in first {
            self.between.clear();
            stage.feed(&input, &mut self.between, most)?;
            std::mem::swap(&mut input, &mut self.between);
        }
        last.feed(&input, out, most)
    }

    /// Whether a stage ended by itself before the last byte.
    pub(in crate::ksy) fn has_ended(&self) -> bool {
        self.stages.iter().any(|stage| stage.rest().is_some_and(|rest| rest > 0))
    }

    /// Whether a message may end here.
    pub(in crate::ksy) fn is_between(&self) -> bool {
        self.stages.iter().all(|stage| stage.is_between())
    }

    /// Goes on behind lost bytes: how many bytes after them are unknown, or `None` for all.
    pub(in crate::ksy) fn skip(&mut self, missing: u64) -> Option<usize> {
        let mut unknown = 0;
        for stage in &mut self.stages {
            match stage.skip(missing) {
                Skip::Resumes => {}
                Skip::After(bytes) => unknown = bytes.max(unknown),
                Skip::Lost => return None,
            }
        }
        Some(unknown)
    }

    pub(in crate::ksy) fn memory(&self) -> usize {
        self.stages.iter().map(|stage| 64 + stage.memory()).sum::<usize>() + self.between.capacity()
    }
}
