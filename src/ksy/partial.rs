//! Warns about switches after which the end of a message on a stream may be unknown.

use super::expr::Kind;
use super::framing::{Framing, Unit, framing, unit};
use super::model::{Data, Member, Spec, Switch, Ty, TypeId, ValueSource};
use super::registration::{Framed, Registration};
use super::report::Report;
use std::collections::HashSet;

/// Maximum number of values listed.
const LISTED: usize = 3;

/// Warns about the messages of the files that were asked for.
pub(super) fn check(spec: &Spec, report: &mut Report) {
    let mut open: Vec<TypeId> = spec.roots.iter().flat_map(|top| messages(spec, *top)).collect();
    let mut seen: HashSet<TypeId> = HashSet::new();
    while let Some(of) = open.pop() {
        if seen.insert(of) {
            for member in &spec.type_of(of).seq {
                if let ValueSource::Read(read) = &member.source {
                    parts(&read.data, &mut open, &mut |switch| warn(spec, member, switch, report));
                }
            }
        }
    }
}

/// The types of the messages on streams.
fn messages(spec: &Spec, top: TypeId) -> Vec<TypeId> {
    let units = match Registration::of(spec, top) {
        Some(registration) if !registration.is_on_tcp() || registration.framing != Framed::Messages => return Vec::new(),
        Some(registration) => {
            let roots = registration.roots;
            [roots.client, roots.server].map(|root| unit(spec, root, registration.message)).to_vec()
        }
        // Without a registration, only a run shows that a stream is meant.
        None if matches!(framing(spec, top), Framing::Run(_)) => vec![unit(spec, top, None)],
        None => Vec::new(),
    };
    units.iter().filter_map(|unit| unit.as_ref().ok().and_then(Unit::message)).collect()
}

/// The objects and switches in data whose size is not stated.
fn parts(data: &Data, open: &mut Vec<TypeId>, found: &mut impl FnMut(&Switch)) {
    let mut pending = vec![data];
    while let Some(data) = pending.pop() {
        match data {
            Data::Object(object) if object.bytes.is_none() => open.push(object.of),
            Data::Switch(switch) => {
                if switch.is_partial && switch.otherwise.is_none() {
                    found(switch);
                }
                pending.extend(switch.cases.iter().map(|(_, data)| data).chain(&switch.otherwise));
            }
            _ => {}
        }
    }
}

fn warn(spec: &Spec, member: &Member, switch: &Switch, report: &mut Report) {
    if switch.on.ty == Ty::Bool && switch.cases.len() > 1 {
        return;
    }
    let missing = missing(spec, switch);
    let named = match missing.as_slice() {
        [] => String::from("a value without a case"),
        some => {
            let more = if some.len() > LISTED { format!(" and {} more", some.len() - LISTED) } else { String::new() };
            let listed: Vec<String> = some.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
            format!("a value without a case, such as {}{more},", listed.join(", "))
        }
    };
    let message =
        format!("`{}` is a switch without `_` and without `size`: {named} leaves the end of the message unknown", member.name);
    let help = "add the cases, `_` for all others, or the `size` if the message states it".to_owned();
    report.advice(member.place, message, Some(help));
}

/// Members of the enum of a switch that have no case.
fn missing(spec: &Spec, switch: &Switch) -> Vec<String> {
    let Ty::Enum(id) = &switch.on.ty else { return Vec::new() };
    let of = spec.enum_of(*id);
    let has_case = |value: i128| {
        let mut cases = switch.cases.iter().map(|(case, _)| &case.kind);
        cases.any(|case| matches!(case, Kind::Member(_, known) | Kind::Int(known) if *known == value))
    };
    of.members.iter().filter(|member| !has_case(member.value)).map(|member| format!("{}::{}", of.name, member.name)).collect()
}
