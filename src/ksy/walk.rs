//! The expressions of a model.

use super::expr::walk::any;
use super::expr::{Expr, Kind};
use super::model::{Bytes, Data, Member, ParentOf, Process, Read, Repeat, Size, Spec, Type, TypeId, Valid, ValueSource};
use super::recursive::objects;
use super::registration::Variable;

impl Type {
    /// All expressions of the type itself, without subexpressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        let switch = self.endian_switch.iter().flat_map(|switch| {
            let cases = switch.cases.iter().map(|(case, _)| case);
            std::iter::once(&switch.on).chain(cases)
        });
        let members = self.seq.iter().chain(&self.instances).flat_map(Member::expressions);
        switch.chain(members).chain(&self.summary).collect()
    }
}

/// The session variables that messages below a root change by their old value, as bits.
pub(super) fn accumulated(spec: &Spec, root: TypeId, session: &[Variable]) -> u64 {
    let mut seen = vec![false; spec.types.len()];
    let mut open = vec![root.0];
    let mut found =
        session.iter().enumerate().filter(|(_, variable)| variable.increments).fold(0, |bits, (at, _)| bits | bit(at));
    while let Some(of) = open.pop() {
        let Some(seen) = seen.get_mut(of as usize).filter(|seen| !**seen) else { continue };
        *seen = true;
        let of = spec.type_of(TypeId(of));
        let members = || of.seq.iter().chain(&of.instances);
        for (variable, value) in members().map(|member| &member.effect).chain([&of.effect]).flat_map(|effect| &effect.sets) {
            let is_own = |part: &Expr| matches!(part.kind, Kind::Variable { variable: of, .. } if of == *variable);
            if any(value, &mut |part| is_own(part)) {
                found |= bit(*variable as usize);
            }
        }
        open.extend(members().flat_map(objects));
    }
    found
}

fn bit(at: usize) -> u64 {
    1 << at.min(63)
}

impl Member {
    /// All its expressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        let mut all: Vec<&Expr> = self.condition.iter().collect();
        match &self.source {
            ValueSource::Value(value) => all.push(value),
            ValueSource::Read(read) => all.extend(read.expressions()),
        }
        match &self.valid {
            None | Some(Valid::InEnum(_)) => {}
            Some(Valid::Eq(value) | Valid::Expr(value)) => all.push(value),
            Some(Valid::Range { min, max }) => all.extend(min.iter().chain(max)),
            Some(Valid::AnyOf(values)) => all.extend(values),
        }
        all
    }
}

impl Read {
    /// All its expressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        let repeat = match &self.repeat {
            Repeat::Count(expr) | Repeat::Until(expr) => Some(expr),
            Repeat::No | Repeat::Eos => None,
        };
        self.data.expressions().into_iter().chain(repeat).chain(&self.pos).chain(&self.io).collect()
    }
}

impl Data {
    /// All its expressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Data::Int { .. } | Data::Float { .. } | Data::Bits { .. } => Vec::new(),
            Data::Bytes(bytes) | Data::Str(bytes, _) => bytes.expressions(),
            Data::Object(object) => {
                let parent = match &object.parent {
                    ParentOf::Expr(parent) => Some(parent),
                    ParentOf::Reader | ParentOf::Nothing => None,
                };
                object.args.iter().chain(parent).chain(object.bytes.iter().flat_map(Bytes::expressions)).collect()
            }
            Data::Switch(switch) => {
                let cases = switch.cases.iter().flat_map(|(case, data)| std::iter::once(case).chain(data.expressions()));
                std::iter::once(&switch.on).chain(cases).chain(switch.otherwise.iter().flat_map(Data::expressions)).collect()
            }
        }
    }
}

impl Bytes {
    /// All its expressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        let size = match &self.size {
            Size::Expr(size) => Some(size),
            Size::Eos | Size::Terminator => None,
        };
        let process = match &self.process {
            Some(Process::Xor(key) | Process::RotateLeft(key) | Process::RotateRight(key)) => std::slice::from_ref(key),
            Some(Process::Custom { args, .. }) => args,
            Some(Process::Zlib) | None => &[],
        };
        size.into_iter().chain(process).collect()
    }
}
