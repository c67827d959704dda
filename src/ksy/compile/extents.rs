//! Static analysis of members: whether their values are used, and how many bytes follow.

use super::Compiler;
use crate::ksy::expr::walk::any;
use crate::ksy::expr::{Expr, Kind, Slot};
use crate::ksy::model::{Bytes, Data, Member, Repeat, Size, Spec, Type, TypeId, ValueSource};
use std::collections::{HashMap, HashSet};

/// The slots that expressions of a model use.
pub(super) fn used_slots(spec: &Spec) -> HashSet<(TypeId, Slot)> {
    let mut used = HashSet::new();
    for expr in spec.types.iter().flat_map(Type::expressions) {
        any(expr, &mut |part| {
            if let Kind::Field { of, slot, .. } = part.kind {
                used.insert((of, slot));
            }
            false
        });
    }
    used
}

/// Whether expressions of a model refer to enclosing objects.
pub(in crate::ksy) fn looks_around(spec: &Spec) -> bool {
    let is_around = |part: &Expr| matches!(part.kind, Kind::Root(_) | Kind::Parent(_));
    spec.types.iter().flat_map(Type::expressions).any(|expr| any(expr, &mut |part| is_around(part)))
}

/// Sizes of types in bytes; `None` if a size is not fixed or in progress.
#[derive(Default)]
pub(super) struct Sizes {
    known: HashMap<TypeId, Option<u32>>,
    depth: usize,
}

/// Maximum nesting of types; beyond, no size is known.
const DEPTH: usize = 128;

impl Compiler<'_> {
    /// For each member of `seq`, the size of all members after it, if fixed.
    pub(super) fn tails(&mut self, of: &Type) -> Vec<Option<u32>> {
        let mut behind = Some(0_u32);
        let mut tails: Vec<Option<u32>> = Vec::with_capacity(of.seq.len());
        for member in of.seq.iter().rev() {
            tails.push(behind);
            behind = behind.and_then(|behind| behind.checked_add(self.fixed(member)?));
        }
        tails.reverse();
        tails
    }

    /// The size of a member, if it is fixed.
    fn fixed(&mut self, member: &Member) -> Option<u32> {
        let ValueSource::Read(read) = &member.source else { return None };
        if member.condition.is_some() || !matches!(read.repeat, Repeat::No) {
            return None;
        }
        match &read.data {
            Data::Int { bytes, .. } | Data::Float { bytes, .. } => Some((*bytes).into()),
            Data::Bytes(bytes) | Data::Str(bytes, _) => literal(bytes),
            Data::Object(object) => match &object.bytes {
                Some(bytes) => literal(bytes),
                None => self.size_of(object.of),
            },
            Data::Bits { .. } | Data::Switch(_) => None,
        }
    }

    /// The size of an object without instances, if it is fixed.
    pub(super) fn fixed_size(&mut self, of: TypeId) -> Option<u32> {
        if self.spec.type_of(of).instances.is_empty() { self.size_of(of) } else { None }
    }

    fn size_of(&mut self, of: TypeId) -> Option<u32> {
        if let Some(known) = self.sizes.known.get(&of) {
            return *known;
        }
        if self.sizes.depth >= DEPTH {
            return None;
        }
        self.sizes.known.insert(of, None);
        self.sizes.depth += 1;
        let spec = self.spec;
        let mut members = spec.type_of(of).seq.iter();
        let size = members.try_fold(0_u32, |size, member| size.checked_add(self.fixed(member)?));
        self.sizes.depth -= 1;
        self.sizes.known.insert(of, size);
        size
    }
}

/// A literal size in the file.
fn literal(bytes: &Bytes) -> Option<u32> {
    match &bytes.size {
        Size::Expr(Expr { kind: Kind::Int(size), .. }) => u32::try_from(*size).ok(),
        Size::Expr(_) | Size::Eos | Size::Terminator => None,
    }
}
