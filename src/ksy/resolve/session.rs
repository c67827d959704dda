//! Resolves session variables, and what messages do to them.

use super::Resolver;
use super::attribute::fits;
use super::expression::Scope;
use crate::ksy::decl::{EffectDecl, InitDecl, Named, ParamDecl, RegistrationDecl, StageChangeDecl, VariableDecl};
use crate::ksy::expr::syntax::{Call, Syntax};
use crate::ksy::expr::walk::any;
use crate::ksy::expr::{Expr, Kind, Slot};
use crate::ksy::model::{Effect, Spec, StageChange, Ty, Type, TypeId};
use crate::ksy::process::{self, Processor};
use crate::ksy::registration::{Init, Roots, Shared, Variable};
use crate::ksy::report::Problem;
use crate::ksy::source_range::{SourceRange, offset};
use crate::nearest::suggestion;

impl<'d> Resolver<'d> {
    /// The variables that a file declares.
    pub(super) fn variables(&self, of: TypeId) -> &'d [VariableDecl] {
        let top = self.entry(of).top;
        self.entry(top).decl.registration.as_ref().map_or(&[], |registration| &registration.session)
    }

    /// The session variable that a parameter of a file's top type stands for.
    pub(super) fn variable(&self, top: TypeId, slot: Slot) -> Option<u32> {
        let (Slot::Param(at), true) = (slot, self.entry(top).owner.is_none()) else { return None };
        let name = &self.entry(top).decl.params.get(at as usize)?.name;
        self.variables(top).iter().position(|variable| variable.name == *name).map(offset)
    }

    /// The variables of a session with their types.
    pub(super) fn session(&self, spec: &Spec, decl: &'d RegistrationDecl, top: TypeId, roots: Roots) -> Option<Vec<Variable>> {
        let mut session = Vec::new();
        for variable in &decl.session {
            session.push(self.session_variable(spec, variable, top, roots)?);
        }
        for (at, variable) in session.iter().enumerate() {
            self.without_cycle(&session, at, variable.place)?;
        }
        let has_effect = |at: usize| spec.types.iter().any(|of| sets(of, offset(at)));
        for (at, variable) in session.iter_mut().enumerate() {
            variable.is_set = variable.increments || has_effect(at);
        }
        Some(session)
    }

    fn session_variable(&self, spec: &Spec, decl: &VariableDecl, top: TypeId, roots: Roots) -> Option<Variable> {
        let param = self.parameter(top, roots, &decl.name);
        let init = match &decl.init {
            InitDecl::Key => Init::Key,
            InitDecl::Value(value) => Init::Value(self.expression(value, &Scope::plain(top))?),
        };
        let ty = match (&param, &init) {
            (Some((of, at, _)), _) => spec.type_of(*of).params.get(*at)?.ty.clone(),
            (None, Init::Key) => Ty::Bytes,
            (None, Init::Value(value)) => value.ty.clone(),
        };
        if let Init::Value(value) = &init
            && !fits(&ty, &value.ty)
        {
            let (expected, found) = (self.describe(&ty), self.describe(&value.ty));
            self.error(value.place, format!("`{}` is {expected}, and its first value is {found}", decl.name));
            return None;
        }
        let word = param.and_then(|(.., param)| param.ty.as_ref()).and_then(|ty| ty.path.first());
        Some(Variable {
            name: decl.name.clone(),
            init,
            ty,
            width: word.map_or((64, true), |word| width(word)),
            is_per_direction: decl.is_per_direction,
            increments: decl.increments,
            shared: match decl.shared.as_ref().map(|word| word.value) {
                Some("client") => Shared::Client,
                Some("pair") => Shared::Pair,
                _ => Shared::No,
            },
            resets: decl.resets,
            is_set: false,
            place: decl.place,
        })
    }

    /// The parameter of the top type, else of a root, with this name.
    fn parameter(&self, top: TypeId, roots: Roots, name: &str) -> Option<(TypeId, usize, &'d ParamDecl)> {
        std::iter::once(top).chain(roots.distinct()).find_map(|of| {
            let params = &self.entry(of).decl.params;
            params.iter().enumerate().find(|(_, param)| param.name == name).map(|(at, param)| (of, at, param))
        })
    }

    /// Requires that the first value of a variable does not depend on itself.
    fn without_cycle(&self, session: &[Variable], from: usize, place: SourceRange) -> Option<()> {
        let mut seen = vec![false; session.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            let Some(Variable { init: Init::Value(value), .. }) = session.get(at) else { continue };
            let mut uses = Vec::new();
            any(value, &mut |part| {
                if let Kind::Variable { variable, .. } = part.kind {
                    uses.push(variable as usize);
                }
                false
            });
            if uses.contains(&from) {
                let problem = Problem::error(place, "the first value of the session variable depends on itself");
                self.report(problem.help("begin with a constant, and `set` it"));
                return None;
            }
            for at in uses {
                if let Some(seen) = seen.get_mut(at)
                    && !std::mem::replace(seen, true)
                {
                    open.push(at);
                }
            }
        }
        Some(())
    }

    /// What an attribute or a type does; `None` after an error.
    pub(super) fn build_effect(&self, decl: &'d EffectDecl, of: TypeId) -> Option<Effect> {
        let scope = Scope::plain(of);
        let sets: Vec<Option<(u32, Expr)>> = decl.sets.iter().map(|(name, value)| self.set(name, value, &scope)).collect();
        let stages: Vec<Option<StageChange>> = decl.stages.iter().map(|change| self.stage_change(change, &scope)).collect();
        Some(Effect { sets: sets.into_iter().collect::<Option<_>>()?, stages: stages.into_iter().collect::<Option<_>>()? })
    }

    fn set(&self, name: &Named<String>, value: &Syntax, scope: &Scope) -> Option<(u32, Expr)> {
        let variables = self.variables(scope.this);
        let Some(at) = variables.iter().position(|variable| variable.name == name.value) else {
            let problem = Problem::error(name.place, format!("`session` declares no variable `{}`", name.value));
            let known = variables.iter().map(|variable| variable.name.as_str());
            let help = "declare it in `session` of `meta/-proto-dissect`, with its first value".to_owned();
            self.report(problem.help(suggestion(&name.value, known).unwrap_or(help)));
            return None;
        };
        let value = self.expression(value, scope)?;
        let top = self.entry(scope.this).top;
        let outline = self.outline_of(top);
        let param = self.entry(top).decl.params.iter().position(|param| param.name == name.value);
        if let Some(ty) = param.and_then(|at| outline.params.get(at)?.as_ref())
            && !fits(ty, &value.ty)
        {
            let message = format!("`{}` is {}, and this is {}", name.value, self.describe(ty), self.describe(&value.ty));
            self.error(value.place, message);
            return None;
        }
        Some((offset(at), value))
    }

    fn stage_change(&self, decl: &'d StageChangeDecl, scope: &Scope) -> Option<StageChange> {
        if self.entry(self.entry(scope.this).top).decl.registration.is_none() {
            self.error(decl.place, "`stream` in a file without `-proto-dissect` in `meta`");
            return None;
        }
        let stage = |call: &'d Call| {
            let name = call.name.path.join(".");
            let Some(processor) = process::processor(&name) else {
                let problem = Problem::error(call.name.place, format!("no processor is called `{name}`"));
                self.report(problem.help_if(suggestion(&name, process::PROCESSORS.iter().map(|known| known.name))));
                return None;
            };
            let args = self.processor_arguments(processor, call, scope)?;
            Some((processor.name, args))
        };
        let stages: Vec<Option<(&'static str, Vec<Expr>)>> = decl.stages.iter().map(stage).collect();
        Some(StageChange { sides: decl.sides, stages: stages.into_iter().collect::<Option<_>>()? })
    }

    /// The arguments of a processor of the registry.
    pub(super) fn processor_arguments(&self, processor: &Processor, call: &'d Call, scope: &Scope) -> Option<Vec<Expr>> {
        let mut args = self.call_arguments(processor.name, processor.parameters, &call.args, call.name.place, scope)?;
        if let ("huffman", Some(Expr { kind: Kind::Str(text), place, .. })) = (processor.name, args.first_mut()) {
            *text = self.beside(text, scope.this, *place)?;
        }
        Some(args)
    }

    /// Arguments that these parameters accept. The name of a file beside this one is an argument for its text.
    pub(super) fn call_arguments(
        &self,
        name: &str,
        parameters: &[process::Parameter],
        args: &[Syntax],
        place: SourceRange,
        scope: &Scope,
    ) -> Option<Vec<Expr>> {
        let least = parameters.iter().filter(|parameter| !parameter.optional).count();
        if args.len() < least || args.len() > parameters.len() {
            let all: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            let problem = Problem::error(place, format!("`{name}` has {} arguments, not {}", parameters.len(), args.len()));
            self.report(problem.help(format!("write `{name}({})`", all.join(", "))));
            return None;
        }
        let mut built = Vec::new();
        for (arg, parameter) in args.iter().zip(parameters) {
            let arg = self.expression(arg, scope)?;
            let fits = match parameter.kind {
                process::Kind::Int => matches!(arg.ty, Ty::Int | Ty::Any),
                process::Kind::Bytes => matches!(arg.ty, Ty::Bytes | Ty::Any) || is_empty_list(&arg),
                process::Kind::Text => matches!(arg.ty, Ty::Str | Ty::Any),
                process::Kind::Any => true,
            };
            if !fits {
                let expected = expected(&parameter.kind);
                let message = format!("`{}` of `{name}` is {expected}, and this is {}", parameter.name, self.describe(&arg.ty));
                self.error(arg.place, message);
                return None;
            }
            built.push(arg);
        }
        Some(built)
    }
}

fn is_empty_list(arg: &Expr) -> bool {
    matches!(&arg.kind, Kind::List(elements) if elements.is_empty())
}

fn expected(kind: &process::Kind) -> &'static str {
    match kind {
        process::Kind::Int => "an integer",
        process::Kind::Bytes => "bytes",
        process::Kind::Text => "text",
        process::Kind::Any => "any value",
    }
}

/// Whether a type sets a variable.
fn sets(of: &Type, variable: u32) -> bool {
    let members = of.seq.iter().chain(&of.instances).map(|member| &member.effect);
    members.chain(std::iter::once(&of.effect)).any(|effect| effect.sets.iter().any(|(at, _)| *at == variable))
}

/// Number of bits of an integer type, and whether it is signed.
fn width(word: &str) -> (u8, bool) {
    let digits: String = word.chars().skip(1).take_while(char::is_ascii_digit).collect();
    let number: u8 = digits.parse().unwrap_or(8);
    let bits = if word.starts_with('b') { number } else { number.saturating_mul(8) };
    (bits.clamp(1, 64), word.starts_with('s'))
}
