//! Resolves `-proto-dissect`: names of types and attributes, and whether messages have an end on a stream.

use super::Resolver;
use super::expression::Scope;
use crate::ksy::decl::{CarrierDecl, Named, RegistrationDecl};
use crate::ksy::expr::syntax::{Syntax, SyntaxKind, TypeName};
use crate::ksy::expr::walk::any;
use crate::ksy::expr::{Expr, Kind, Slot};
use crate::ksy::framing::{Open, Unit, unit};
use crate::ksy::model::{Member, Spec, Ty, TypeId};
use crate::ksy::recursive::objects;
use crate::ksy::registration::{Carrier, Deliver, DeliverTo, Framed, Registration, Resync, Roots, Secret, Variable};
use crate::ksy::report::Problem;
use crate::ksy::run::PARAMETERS;
use crate::ksy::source_range::SourceRange;
use crate::nearest::suggestion;
use crate::tree::steps::step;
use std::collections::{HashMap, HashSet};

impl Resolver<'_> {
    /// Resolves the registrations of all files into their top types.
    pub(super) fn registrations(&self, spec: &mut Spec) {
        for id in self.type_ids().filter(|id| self.entry(*id).owner.is_none()) {
            let Some(decl) = &self.entry(id).decl.registration else { continue };
            let registration = self.registration(spec, id, decl);
            if let Some(of) = spec.types.get_mut(id.0 as usize) {
                of.registration = registration.map(Box::new);
            }
        }
    }

    fn registration(&self, spec: &Spec, top: TypeId, decl: &RegistrationDecl) -> Option<Registration> {
        let message = self.type_in(decl.message.as_ref(), top);
        let roots = self.roots(&decl.roots, top);
        let carrier = |carrier: &Named<CarrierDecl>| match carrier.value {
            CarrierDecl::Tcp => Carrier::Tcp,
            CarrierDecl::Udp => Carrier::Udp,
            CarrierDecl::Payload => Carrier::Payload(decl.over.as_ref().map(|over| over.value.clone())),
        };
        let is = |word: &Option<Named<&str>>, value| word.as_ref().is_some_and(|word| word.value == value);
        let mut registration = Registration {
            carriers: decl.carriers.iter().map(carrier).collect(),
            ports: decl.ports.clone(),
            magic: decl.magic.clone(),
            framing: if is(&decl.framing, "connection") { Framed::Connection } else { Framed::Messages },
            message: message?,
            roots: roots?,
            max_message: decl.max_message,
            resync: match decl.resync.as_ref().map(|word| word.value) {
                Some("magic") => Resync::Magic,
                Some("segment") => Resync::Segment,
                _ => Resync::No,
            },
            names: Vec::new(),
            infos: Vec::new(),
            secrets: decl.secrets.iter().map(|Named { value, place }| Secret { path: value.clone(), place: *place }).collect(),
            session: self.session(spec, decl, top, roots?)?,
            deliver: None,
            place: decl.place,
        };
        if self.report.borrow().has_errors() {
            // Members are missing after errors, and all that follows depends on them.
            return None;
        }
        let mut messages = self.messages(spec, &registration)?;
        if let Some(decl) = &decl.deliver {
            registration.deliver = Some(self.deliver(spec, decl, top, &messages)?);
            if let Some(Deliver { receiver: DeliverTo::Type(of), .. }) = &registration.deliver {
                self.supplied(spec, *of, &registration.session)?;
                messages.push(*of);
            }
        }
        let runs = runs(spec, &registration);
        let of_run = |syntax: &Syntax, of: TypeId| {
            let run = runs.iter().find(|(message, _)| *message == of)?;
            let has_own = self.outline_of(of).slots.contains_key(run.1.as_str());
            if has_own { None } else { below(syntax, &run.1) }
        };
        registration.names = self
            .in_each(&messages, decl.name.as_ref(), |name, of| self.naming(spec, of_run(name, of).as_ref().unwrap_or(name), of));
        registration.infos = self.in_each(&messages, decl.info.as_ref(), |info, of| {
            self.expression(of_run(info, of).as_ref().unwrap_or(info), &Scope::plain(of))
        });
        let mut slots = HashSet::new();
        let mut tops: Vec<TypeId> = messages.clone();
        tops.extend(registration.roots.distinct());
        let mut named = MembersByName::new();
        for secret in &registration.secrets {
            slots.extend(self.find_secret(spec, secret, &tops, &mut named));
        }
        let headings = registration.names.iter().chain(&registration.infos).map(|(_, expr)| expr);
        headings.chain(spec.types.iter().filter_map(|of| of.summary.as_ref())).for_each(|expr| self.keep_secret(expr, &slots));
        Some(registration)
    }

    /// The type of this name, if given; `None` if unknown.
    #[allow(clippy::option_option, reason = "the outer one is an error")]
    pub(super) fn type_in(&self, name: Option<&TypeName>, top: TypeId) -> Option<Option<TypeId>> {
        match name {
            None => Some(None),
            Some(name) if Self::builtin(name).is_some() => {
                self.error(name.place, format!("`{}` is no type of the file", name.text()));
                None
            }
            Some(name) => self.find_type(name, top).map(Some),
        }
    }

    fn roots(&self, [client, server, any]: &[Option<TypeName>; 3], top: TypeId) -> Option<Roots> {
        let [client, server, any] = [client, server, any].map(|name| self.type_in(name.as_ref(), top));
        let any = any?;
        let otherwise = any.unwrap_or(top);
        Some(Roots { client: client?.unwrap_or(otherwise), server: server?.unwrap_or(otherwise), any: otherwise })
    }

    /// The message types without duplicates, those of streams first. A message on TCP must have an end.
    fn messages(&self, spec: &Spec, registration: &Registration) -> Option<Vec<TypeId>> {
        let Roots { client, server, .. } = registration.roots;
        let mut messages = Vec::new();
        let mut add = |of: Option<TypeId>| messages.extend(of.filter(|of| !messages.contains(of)));
        for root in [client, server] {
            match unit(spec, root, registration.message) {
                _ if registration.framing == Framed::Connection => add(Some(root)),
                Ok(unit) => {
                    if let Unit::Whole(of) = unit {
                        self.supplied(spec, of, &registration.session)?;
                    }
                    add(unit.message());
                }
                Err(open) if registration.is_on_tcp() => {
                    self.without_end(spec, &open, registration.message.unwrap_or(root));
                    return None;
                }
                Err(_) => add(Some(root)),
            }
        }
        for root in registration.roots.distinct() {
            self.supplied(spec, root, &registration.session)?;
            // Datagrams, and bytes of unknown direction, are objects of the roots.
            add(Some(root));
        }
        Some(messages)
    }

    /// Requires that every parameter of a root is a known one.
    fn supplied(&self, spec: &Spec, root: TypeId, session: &[Variable]) -> Option<()> {
        for param in &spec.type_of(root).params {
            if session.iter().any(|variable| variable.name == param.name) {
                continue;
            }
            let variables = session.iter().map(|variable| variable.name.as_str());
            let known = PARAMETERS.iter().map(|(name, _)| *name).chain(variables);
            if !known.clone().any(|name| name == param.name) {
                let message = format!("nothing supplies the parameter `{}` of a root", param.name);
                let all = format!("parameters of roots are {}", known.clone().collect::<Vec<_>>().join(", "));
                self.report(Problem::error(param.place, message).help(suggestion(&param.name, known).unwrap_or(all)));
                return None;
            }
            if !matches!(param.ty, Ty::Int | Ty::Enum(_)) {
                let problem = Problem::error(param.place, format!("`{}` is an integer", param.name));
                self.report(problem.help("write `type: u2`"));
                return None;
            }
        }
        Some(())
    }

    fn without_end(&self, spec: &Spec, open: &Open, message: TypeId) {
        let name = &spec.type_of(message).name;
        let problem = Problem::error(open.place, format!("`{name}` has no end on TCP: {}", open.reason));
        self.report(problem.help("give it a size, or write `framing: connection` for a side that sends one message"));
    }

    /// Resolves the expression in each type that has its members. An error in all types is reported.
    pub(super) fn in_each(
        &self,
        messages: &[TypeId],
        syntax: Option<&Syntax>,
        resolve: impl Fn(&Syntax, TypeId) -> Option<Expr>,
    ) -> Vec<(TypeId, Expr)> {
        let Some(syntax) = syntax else { return Vec::new() };
        let mut found = Vec::new();
        let before = std::mem::take(&mut *self.report.borrow_mut());
        let mut first = None;
        for of in messages {
            let expr = resolve(syntax, *of);
            let problems = std::mem::take(&mut *self.report.borrow_mut());
            match expr {
                Some(expr) if !problems.has_errors() => found.push((*of, expr)),
                _ => first = first.or(Some(problems)),
            }
        }
        *self.report.borrow_mut() = before;
        if found.is_empty()
            && let Some(problems) = first
        {
            self.report.borrow_mut().append(problems);
        }
        found
    }

    /// The expression of the message type: an attribute with an enum or text, or the attribute of an enum of this name.
    fn naming(&self, spec: &Spec, syntax: &Syntax, of: TypeId) -> Option<Expr> {
        if let SyntaxKind::Name(name) = &syntax.kind
            && !self.outline_of(of).slots.contains_key(name.as_str())
            && let Some(expr) = of_enum(spec, name, of, syntax.place)
        {
            return Some(expr);
        }
        let expr = self.expression(syntax, &Scope::plain(of))?;
        if matches!(expr.ty, Ty::Enum(_) | Ty::Str) {
            return Some(expr);
        }
        let what = self.describe(&expr.ty);
        let problem = Problem::error(expr.place, format!("`name` must be a member of an enum or text, and this is {what}"));
        self.report(problem.help("give the attribute an `enum`"));
        None
    }

    /// Requires that a summary contains no masked value.
    fn keep_secret(&self, expr: &Expr, secrets: &HashSet<(TypeId, Slot)>) {
        any(expr, &mut |part| {
            if let Kind::Field { of, slot, .. } = part.kind
                && secrets.contains(&(of, slot))
            {
                let problem = Problem::error(part.place, "a summary shows a value that `secret` masks");
                self.report(problem.help("leave the value out, or remove it from `secret`"));
            }
            false
        });
    }

    /// Requires that a path of attributes exists below a message. Returns its slots.
    fn find_secret<'s>(
        &self,
        spec: &'s Spec,
        secret: &Secret,
        tops: &[TypeId],
        known: &mut MembersByName<'s>,
    ) -> Vec<(TypeId, Slot)> {
        let mut types: Vec<TypeId> = tops.to_vec();
        let mut slots = Vec::new();
        for (depth, name) in secret.path.iter().enumerate() {
            let all = || types.iter().flat_map(|of| members(spec, *of));
            let by_name = known.entry(types.clone()).or_insert_with(|| by_name(all()));
            let named: Vec<(TypeId, Slot, &Member)> = by_name.get(name.as_str()).cloned().unwrap_or_default();
            if named.is_empty() {
                let before = secret.path.get(..depth).unwrap_or_default().join(".");
                let within = if before.is_empty() { "a message".to_owned() } else { format!("`{before}`") };
                let problem = Problem::error(secret.place, format!("{within} has no attribute `{name}`"));
                if self.has_helped() {
                    self.report(problem);
                    return Vec::new();
                }
                let known = suggestion(name, all().map(|(_, _, member)| member.name.as_str()));
                let has = |of: &u32| members(spec, TypeId(*of)).any(|(_, _, inner)| inner.name == *name);
                let holder = || all().find(|(_, _, member)| objects(member).iter().any(has));
                let inside = || holder().map(|(_, _, member)| format!("write `{}.{name}`", member.name));
                self.report(problem.help_if(known.or_else(inside)));
                return Vec::new();
            }
            slots = named.iter().map(|(of, slot, _)| (*of, *slot)).collect();
            types = named.into_iter().flat_map(|(_, _, member)| objects(member)).map(TypeId).collect();
            types.sort_unstable();
            types.dedup();
        }
        slots
    }
}

/// The messages of runs, with the names of the attributes that repeat them.
fn runs(spec: &Spec, registration: &Registration) -> Vec<(TypeId, String)> {
    let Roots { client, server, .. } = registration.roots;
    let units = [client, server].map(|root| unit(spec, root, registration.message));
    let run = |unit| match unit {
        Ok(Unit::Run { run, .. }) => Some((run.message?, run.attribute)),
        _ => None,
    };
    units.into_iter().filter_map(run).collect()
}

/// An expression of one message, if it is written from the attribute that repeats messages: `messages.op` becomes `op`.
fn below(syntax: &Syntax, run: &str) -> Option<Syntax> {
    let SyntaxKind::Attribute(object, name, place, args) = &syntax.kind else { return None };
    let kind = match &object.kind {
        SyntaxKind::Name(attribute) if attribute == run && args.is_none() => SyntaxKind::Name(name.clone()),
        _ => SyntaxKind::Attribute(Box::new(below(object, run)?), name.clone(), *place, args.clone()),
    };
    let mut shorter = syntax.clone();
    shorter.kind = kind;
    Some(shorter)
}

/// Members of sets of types by name.
type MembersByName<'s> = HashMap<Vec<TypeId>, ByName<'s>>;

/// Members by name, each with its type.
type ByName<'s> = HashMap<&'s str, Vec<(TypeId, Slot, &'s Member)>>;

fn by_name<'s>(members: impl Iterator<Item = (TypeId, Slot, &'s Member)>) -> ByName<'s> {
    let mut named = ByName::new();
    for found in members {
        step();
        named.entry(found.2.name.as_str()).or_default().push(found);
    }
    named
}

/// The attributes and instances of a type.
fn members(spec: &Spec, id: TypeId) -> impl Iterator<Item = (TypeId, Slot, &Member)> {
    let of = spec.type_of(id);
    let seq = (0..).zip(&of.seq).map(move |(at, member)| (id, Slot::Seq(at), member));
    seq.chain((0..).zip(&of.instances).map(move |(at, member)| (id, Slot::Instance(at), member)))
}

/// The first attribute with the enum of this name.
fn of_enum(spec: &Spec, name: &str, of: TypeId, place: SourceRange) -> Option<Expr> {
    let seq = spec.type_of(of).seq.iter().enumerate();
    let mut with_enum = seq.filter_map(|(at, member)| match member.ty {
        Ty::Enum(id) if spec.enum_of(id).name == name => Some((at, id)),
        _ => None,
    });
    let (at, id) = with_enum.next()?;
    let this = Box::new(Expr { kind: Kind::This, ty: Ty::Struct(Some(of)), place });
    let slot = Slot::Seq(crate::ksy::source_range::offset(at));
    Some(Expr { kind: Kind::Field { object: this, of, slot }, ty: Ty::Enum(id), place })
}
