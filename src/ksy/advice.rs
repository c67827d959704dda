//! Warns about sessions that load but cannot work as meant.

use super::expr::walk::any;
use super::expr::{Expr, Kind, Slot};
use super::model::{Data, Effect, Member, Process, Spec, Ty, Type, TypeId, ValueSource};
use super::registration::{Deliver, Init, Registration, Shared, Variable};
use super::report::Report;
use super::source_range::offset;
use super::unnoticed;

/// Processors of which each message stands alone, so that `continue` changes nothing.
const STATELESS: &[&str] = &[
    "rol",
    "ror",
    "aes_ecb",
    "blowfish",
    "twofish",
    "xtea",
    "des",
    "des3",
    "rc5",
    "aes_gcm",
    "chacha20_poly1305",
    "snappy",
    "lzo",
    "bzip2",
];

/// Warns about the sessions of the files that were asked for, and about constraints that other programs refuse.
pub(super) fn check(spec: &Spec, report: &mut Report) {
    for (index, of) in spec.types.iter().enumerate().filter(|(_, of)| spec.roots.contains(&of.top)) {
        for member in of.instances.iter().filter(|member| member.valid.is_some()) {
            if let ValueSource::Value(_) = member.source {
                let help = "portable: an attribute `{id: sane, size: 0, valid: {expr: …}}`".to_owned();
                report.warning(member.place, "the reference compiler refuses `valid` on a calculated instance", Some(help));
            }
        }
        let Some(registration) = Registration::of(spec, of.top) else { continue };
        for member in of.seq.iter().chain(&of.instances) {
            continued(member, report);
        }
        equal_names(of, TypeId(offset(index)), &registration.session, report);
    }
    for top in &spec.roots {
        if let Some(registration) = Registration::of(spec, *top) {
            variables(spec, *top, registration, report);
            unnoticed::check(spec, *top, registration, report);
        }
    }
}

/// All expressions of a type with those of its effects, and the variable that each sets.
fn expressions(of: &Type) -> impl Iterator<Item = (&Expr, Option<u32>)> {
    let effects = of.seq.iter().chain(&of.instances).map(|member| &member.effect).chain([&of.effect]);
    of.expressions().into_iter().map(|expr| (expr, None)).chain(effects.flat_map(changes))
}

fn changes(effect: &Effect) -> impl Iterator<Item = (&Expr, Option<u32>)> {
    let stages = effect.stages.iter().flat_map(|change| &change.stages).flat_map(|(_, args)| args);
    effect.sets.iter().map(|(at, value)| (value, Some(*at))).chain(stages.map(|arg| (arg, None)))
}

/// Warns about variables that are never set or never read, and about settings without effect.
fn variables(spec: &Spec, top: TypeId, registration: &Registration, report: &mut Report) {
    for (at, variable) in registration.session.iter().enumerate() {
        let name = &variable.name;
        if !is_read(spec, top, registration, offset(at), name) {
            let help = format!("read it as `_root.{name}`, or remove it");
            report.warning(variable.place, format!("the session variable `{name}` is never read"), Some(help));
        }
        let is_constant = matches!(&variable.init, Init::Value(value) if !any(value, &mut is_variable));
        if is_constant && !variable.is_set {
            let help = format!("`set` it where a message changes it; only `-o {}.{name}=…` does now", spec.type_of(top).name);
            report.warning(variable.place, format!("the session variable `{name}` is never set"), Some(help));
        }
        let wrong = if variable.increments && variable.ty != Ty::Int {
            "`increment` of a session variable that is no integer"
        } else if variable.is_per_direction && variable.shared != Shared::No {
            "`per: direction` of a session variable that conversations share"
        } else if variable.is_per_direction && !variable.is_set {
            "`per: direction` of a session variable that is the same in both: nothing sets it"
        } else if variable.resets && !variable.is_set {
            "`reset-on` of a session variable that nothing changes"
        } else {
            continue;
        };
        report.warning(variable.place, wrong, Some("remove it".to_owned()));
    }
}

fn is_variable(part: &Expr) -> bool {
    matches!(part.kind, Kind::Variable { .. })
}

/// Whether a part of an expression is this variable.
pub(super) fn reads(spec: &Spec, top: TypeId, part: &Expr, at: u32, name: &str) -> bool {
    match part.kind {
        Kind::Variable { top: of, variable, .. } => of == top && variable == at,
        Kind::Field { of, slot: Slot::Param(slot), .. } => {
            let of = spec.type_of(of);
            of.top == top && of.params.get(slot as usize).is_some_and(|param| param.name == name)
        }
        _ => false,
    }
}

fn is_read(spec: &Spec, top: TypeId, registration: &Registration, at: u32, name: &str) -> bool {
    let is_use = |part: &Expr| reads(spec, top, part, at, name);
    let texts = registration.names.iter().chain(&registration.infos).map(|(_, text)| text);
    let firsts = registration.session.iter().filter_map(|variable| match &variable.init {
        Init::Value(value) => Some(value),
        Init::Key => None,
    });
    let in_types = spec.types.iter().flat_map(expressions).map(|(expr, _)| expr);
    let delivered = registration.deliver.iter().flat_map(Deliver::expressions);
    in_types.chain(texts).chain(firsts).chain(delivered).any(|expr| any(expr, &mut |part| is_use(part)))
}

/// Warns where a type names an attribute as a session variable is named.
fn equal_names(of: &Type, id: TypeId, session: &[Variable], report: &mut Report) {
    for (expr, sets) in expressions(of) {
        any(expr, &mut |part| {
            if let Kind::Field { object, of: owner, slot } = &part.kind
                && matches!(object.kind, Kind::This)
                && *owner == id
                && let Some(name) = member_name(of, *slot)
                && let Some(at) = session.iter().position(|variable| variable.name == name)
                && sets != Some(offset(at))
            {
                let message = format!("`{name}` is the attribute here, not the session variable of this name");
                report.warning(
                    part.place,
                    message,
                    Some(format!("write `_root.{name}` for the variable, or rename the attribute")),
                );
            }
            false
        });
    }
}

fn member_name(of: &Type, slot: Slot) -> Option<&str> {
    let member = match slot {
        Slot::Param(_) => None,
        Slot::Seq(at) => of.seq.get(at as usize),
        Slot::Instance(at) => of.instances.get(at as usize),
    };
    member.map(|member| member.name.as_str())
}

/// Warns about `continue` of a processor that carries nothing from message to message.
fn continued(member: &Member, report: &mut Report) {
    for process in processes(member) {
        if let Process::Custom { name, place, continues: Some(_), .. } = process
            && STATELESS.contains(&name.as_str())
        {
            let message = format!("`continue` has no effect on `{name}`: each message stands alone");
            report.warning(*place, message, Some("remove `continue`".to_owned()));
        }
    }
}

/// The processes of a member, in all cases of its switch.
pub(super) fn processes(member: &Member) -> Vec<&Process> {
    let ValueSource::Read(read) = &member.source else { return Vec::new() };
    let mut found = Vec::new();
    let mut open = vec![&read.data];
    while let Some(data) = open.pop() {
        let bytes = match data {
            Data::Bytes(bytes) | Data::Str(bytes, _) => Some(bytes),
            Data::Object(object) => object.bytes.as_ref(),
            Data::Switch(switch) => {
                open.extend(switch.cases.iter().map(|(_, data)| data).chain(&switch.otherwise));
                None
            }
            Data::Int { .. } | Data::Float { .. } | Data::Bits { .. } => None,
        };
        found.extend(bytes.and_then(|bytes| bytes.process.as_ref()));
    }
    found
}
