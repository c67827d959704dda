//! Warns where a wrong key of a key file gives values that nothing checks.

use super::advice::{processes, reads};
use super::expr::Expr;
use super::expr::walk::any;
use super::framing::unit;
use super::model::{Data, Effect, Member, Process, Spec, StageChange, Type, TypeId, ValueSource};
use super::process::processor;
use super::recursive::objects;
use super::registration::{Init, Registration};
use super::report::Report;
use super::source_range::{SourceRange, offset};

/// Processors that reject bytes of another key.
const AUTHENTICATED: &[&str] = &["aes_gcm", "chacha20_poly1305"];

/// Warns about the keys of a file.
pub(super) fn check(spec: &Spec, top: TypeId, registration: &Registration, report: &mut Report) {
    let keys = Keys::of(spec, top, registration);
    if keys.variables == 0 {
        return;
    }
    for of in spec.types.iter().filter(|of| of.top == top) {
        for at in 0..of.seq.len() + of.instances.len() {
            if let Some(place) = keys.in_process(of, at) {
                warn(place, report);
            }
        }
        for change in effects(of).flat_map(|effect| &effect.stages) {
            if let Some(place) = keys.in_stream(change) {
                warn(place, report);
            }
        }
    }
}

fn warn(place: SourceRange, report: &mut Report) {
    let help = "add `valid` or `contents` to what is behind it, or leave `_` out of a switch".to_owned();
    report.warning(place, "a wrong key would not be noticed", Some(help));
}

fn effects(of: &Type) -> impl Iterator<Item = &Effect> {
    of.seq.iter().chain(&of.instances).map(|member| &member.effect).chain([&of.effect])
}

/// The session variables that are keys, or are computed from keys.
struct Keys<'s> {
    spec: &'s Spec,
    top: TypeId,
    registration: &'s Registration,
    /// As bits.
    variables: u64,
}

impl<'s> Keys<'s> {
    fn of(spec: &'s Spec, top: TypeId, registration: &'s Registration) -> Keys<'s> {
        let mut keys = Keys { spec, top, registration, variables: 0 };
        for (at, variable) in registration.session.iter().enumerate() {
            keys.add(offset(at), matches!(variable.init, Init::Key));
        }
        let of_file = || spec.types.iter().filter(|of| of.top == top);
        let mut before = 0;
        while before != keys.variables {
            before = keys.variables;
            for (at, variable) in registration.session.iter().enumerate() {
                keys.add(offset(at), matches!(&variable.init, Init::Value(value) if keys.are_in(value)));
            }
            for (at, value) in of_file().flat_map(effects).flat_map(|effect| &effect.sets) {
                keys.add(*at, keys.are_in(value));
            }
        }
        keys
    }

    fn add(&mut self, variable: u32, is_key: bool) {
        self.variables |= u64::from(is_key) << variable.min(63);
    }

    /// Whether an expression depends on a key.
    fn are_in(&self, value: &Expr) -> bool {
        let keys = || (0..).zip(&self.registration.session).filter(|(at, _)| self.variables >> at & 1 != 0);
        any(value, &mut |part| keys().any(|(at, variable)| reads(self.spec, self.top, part, at, &variable.name)))
    }

    /// The key of the `process` of a member, if nothing checks what it gives.
    fn in_process(&self, of: &Type, at: usize) -> Option<SourceRange> {
        let member = of.seq.iter().chain(&of.instances).nth(at)?;
        processes(member).into_iter().find_map(|process| {
            let args = match process {
                Process::Xor(key) | Process::RotateLeft(key) | Process::RotateRight(key) => std::slice::from_ref(key),
                Process::Custom { name, .. } if AUTHENTICATED.contains(&name.as_str()) => return None,
                Process::Custom { args, .. } => args,
                Process::Zlib => return None,
            };
            let key = args.iter().find(|arg| self.are_in(arg))?;
            // What is read after the bytes may check them.
            let after = of.seq.iter().chain(&of.instances).skip(at);
            (!is_checked(self.spec, after)).then_some(key.place)
        })
    }

    /// The same for a key of `stream`, behind which the messages of a direction follow.
    fn in_stream(&self, change: &StageChange) -> Option<SourceRange> {
        let at = change.stages.iter().position(|(_, args)| args.iter().any(|arg| self.are_in(arg)))?;
        let unpacks = |(name, _): &(&str, Vec<Expr>)| {
            AUTHENTICATED.contains(name) || processor(name).is_some_and(|known| !known.keeps_length)
        };
        if change.stages.iter().skip(at).any(unpacks) {
            return None;
        }
        let roots = [self.registration.roots.client, self.registration.roots.server];
        let is_unchecked = |root: TypeId| {
            let message = unit(self.spec, root, self.registration.message).ok().and_then(|unit| unit.message());
            let of = self.spec.type_of(message.unwrap_or(root));
            !is_checked(self.spec, of.seq.iter().chain(&of.instances))
        };
        let any_unchecked = roots.into_iter().zip(change.sides).any(|(root, is_meant)| is_meant && is_unchecked(root));
        let key = change.stages.get(at)?.1.iter().find(|arg| self.are_in(arg))?;
        any_unchecked.then_some(key.place)
    }
}

/// Whether any of these members, or what is below them, rejects values.
fn is_checked<'s>(spec: &'s Spec, members: impl Iterator<Item = &'s Member>) -> bool {
    let mut seen = vec![false; spec.types.len()];
    let mut open: Vec<&Member> = members.collect();
    while let Some(member) = open.pop() {
        let is_closed = match &member.source {
            ValueSource::Read(read) => matches!(&read.data, Data::Switch(switch) if switch.otherwise.is_none()),
            ValueSource::Value(_) => false,
        };
        let unpacks = processes(member).into_iter().any(|process| match process {
            Process::Zlib => true,
            Process::Custom { name, .. } => processor(name).is_some_and(|known| !known.keeps_length),
            Process::Xor(_) | Process::RotateLeft(_) | Process::RotateRight(_) => false,
        });
        if member.valid.is_some() || is_closed || unpacks {
            return true;
        }
        for below in objects(member) {
            if let Some(seen) = seen.get_mut(below as usize)
                && !std::mem::replace(seen, true)
            {
                let below = spec.type_of(TypeId(below));
                open.extend(below.seq.iter().chain(&below.instances));
            }
        }
    }
    false
}
