//! Checks names against Kaitai's style guide.

use super::expr::walk::any;
use super::expr::{Expr, Kind, Slot};
use super::model::{Bytes, Data, Member, Repeat, Size, Spec, TypeId, ValueSource};
use super::report::Report;
use super::source_range::{SourceRange, offset};
use std::collections::{HashMap, HashSet};

/// The users of each member.
type Uses = HashMap<(TypeId, Slot), HashSet<SourceRange>>;

/// Warns about fields that are only the size or count of another field but not named after it.
pub(super) fn check(spec: &Spec, report: &mut Report) {
    let uses = uses(spec);
    for (index, of) in spec.types.iter().enumerate().filter(|(_, of)| spec.roots.contains(&of.top)) {
        let id = TypeId(offset(index));
        for user in of.seq.iter().chain(&of.instances) {
            let (size, count) = only(user);
            for (expr, prefix, role) in [(size, "len", "byte size"), (count, "num", "number of elements")] {
                let Some((slot, member)) = expr.and_then(|expr| named(spec, id, expr)) else { continue };
                let wanted = format!("{prefix}_{}", user.name);
                let is_only_use = uses.get(&(id, slot)).is_some_and(|places| places.len() == 1);
                if is_only_use && member.name != wanted && !user.name.starts_with('_') {
                    let message = format!("`{}` is only the {role} of `{}`", member.name, user.name);
                    report.advice(member.place, message, Some(format!("name it `{wanted}`")));
                }
            }
        }
    }
}

fn uses(spec: &Spec) -> Uses {
    let mut uses = Uses::new();
    for expr in spec.types.iter().flat_map(|of| of.expressions()) {
        any(expr, &mut |part| {
            if let Kind::Field { of, slot, .. } = part.kind {
                uses.entry((of, slot)).or_default().insert(part.place);
            }
            false
        });
    }
    uses
}

/// Size and count of a member, if they are references.
fn only(member: &Member) -> (Option<&Expr>, Option<&Expr>) {
    let ValueSource::Read(read) = &member.source else { return (None, None) };
    let count = match &read.repeat {
        Repeat::Count(count) => Some(count),
        Repeat::No | Repeat::Eos | Repeat::Until(_) => None,
    };
    (size(&read.data), count)
}

fn size(data: &Data) -> Option<&Expr> {
    let bytes = match data {
        Data::Bytes(bytes) | Data::Str(bytes, _) => Some(bytes),
        Data::Object(object) => object.bytes.as_ref(),
        Data::Switch(switch) => return switch.cases.iter().map(|(_, data)| data).chain(&switch.otherwise).find_map(size),
        Data::Int { .. } | Data::Float { .. } | Data::Bits { .. } => None,
    };
    match bytes {
        Some(Bytes { size: Size::Expr(size), .. }) => Some(size),
        _ => None,
    }
}

/// The attribute or instance of the same object that an expression refers to.
fn named<'s>(spec: &'s Spec, this: TypeId, expr: &Expr) -> Option<(Slot, &'s Member)> {
    let Kind::Field { object, of, slot } = &expr.kind else { return None };
    if !matches!(object.kind, Kind::This) || *of != this {
        return None;
    }
    let of = spec.type_of(this);
    let member = match slot {
        Slot::Param(_) => None,
        Slot::Seq(n) => of.seq.get(*n as usize),
        Slot::Instance(n) => of.instances.get(*n as usize),
    };
    member.map(|member| (*slot, member))
}
