//! Session variables, as tables of a conversation.

use super::code::{Code, bare, function, member, words};
use super::registration::Units;
use super::{Lua, Obstacle};
use crate::ksy::framing::Unit;
use crate::ksy::model::{Effect, Ty, Type, TypeId};
use crate::ksy::registration::{Init, Registration, Shared, Variable};

/// Functions that keep the values of variables.
pub(super) const SESSION: &str = include_str!("session.lua");

impl Lua<'_> {
    /// The session variables of a file.
    fn variables(&self, top: TypeId) -> &[Variable] {
        Registration::of(self.spec, top).map_or(&[], |registration| &registration.session)
    }

    /// The name of a session variable of the file that is written.
    pub(super) fn session_variable(&self, top: TypeId, variable: u32) -> Option<String> {
        let variable = self.variables(top).get(variable as usize).filter(|_| top == self.top)?;
        Some(member("vars", &variable.name))
    }

    /// Whether messages depend on what the program knows besides their bytes.
    pub(super) fn has_session(&self, units: &Units) -> bool {
        let has_effect = |of: &Type| of.seq.iter().chain(&of.instances).any(|member| !member.effect.is_empty());
        let mut types = self.spec.types.iter().filter(|of| of.top == self.top);
        let is_changed = types.any(|of| has_effect(of) || !of.effect.is_empty());
        is_changed
            || !self.variables(self.top).is_empty()
            || units.roots.distinct().iter().any(|root| !self.parameters(*root).is_empty())
    }

    /// The parameters of a root.
    fn parameters(&self, root: TypeId) -> Vec<&str> {
        self.spec.type_of(root).params.iter().map(|param| param.name.as_str()).collect()
    }

    /// Tables of the variables.
    pub(super) fn session(&self, units: &Units, to: &mut Code) {
        to.blank();
        for variable in self.variables(self.top) {
            self.declare(variable, to);
        }
        let mut roots = units.roots.distinct();
        roots.extend([self.top].into_iter().filter(|top| !units.roots.distinct().contains(top)));
        for root in roots {
            let names: Vec<String> = self.parameters(root).into_iter().map(words).collect();
            if !names.is_empty() {
                let place = member("parameters", self.names.type_name(root));
                to.line(&format!("{place} = {{ {} }}", names.join(", ")));
            }
        }
        for root in units.each().filter(|(_, unit)| matches!(unit, Ok(Unit::Run { .. }))).map(|(root, _)| *root) {
            let of = self.type_of(root);
            to.line(&format!("if {of}.once then openings[{of}.once] = true end"));
        }
    }

    fn declare(&self, variable: &Variable, to: &mut Code) {
        let name = &variable.name;
        let place = member("initial", name);
        let first = match &variable.init {
            Init::Key => {
                self.obstacle(&Obstacle::new(variable.place, &format!("the key `{name}`, which is empty")), to);
                Ok("\"\"".to_owned())
            }
            Init::Value(value) => self.expr(value),
        };
        for construct in self.take_inexact() {
            to.comment(&format!("Not exact in Lua: {construct}."));
        }
        match first {
            Ok(first) => to.line(&format!("{place} = function() return {} end", bare(&first))),
            Err(obstacle) => {
                to.open(&function(&place, ""));
                self.fails(&obstacle, to);
                to.close("end");
            }
        }
        let (bits, is_signed) = variable.width;
        if variable.ty == Ty::Int && bits <= 32 {
            to.line(&format!("{} = {{ {bits}, {is_signed} }}", member("widths", name)));
        }
        if variable.is_per_direction {
            to.line(&format!("{} = true", member("per_direction", name)));
        }
        if variable.increments {
            to.line(&format!("{} = true", member("counters", name)));
        }
        if variable.shared != Shared::No {
            let what = format!("`share`: `{name}` is one of each conversation");
            self.obstacle(&Obstacle::new(variable.place, &what), to);
        }
        if variable.resets {
            let what = format!("`reset-on`: `{name}` stays behind lost bytes");
            self.obstacle(&Obstacle::new(variable.place, &what), to);
        }
    }

    /// What a member or a type does once it was read.
    pub(super) fn effect(&self, effect: &Effect, to: &mut Code) {
        for (variable, value) in &effect.sets {
            let Some(name) = self.variables(self.top).get(*variable as usize).map(|variable| variable.name.as_str()) else {
                continue;
            };
            match self.expr(value) {
                Ok(value) => to.line(&format!("effect(function() set({}, {}) end)", words(name), bare(&value))),
                Err(obstacle) => self.obstacle(&obstacle, to),
            }
        }
        for change in &effect.stages {
            let [client, server] = change.sides;
            if let Some((_, args)) = change.stages.first() {
                let place = args.first().map_or(self.spec.type_of(self.top).place, |arg| arg.place);
                let names: Vec<&str> = change.stages.iter().map(|(name, _)| *name).collect();
                let what = format!("`stream` of {}: what follows is not read", names.join(", "));
                self.obstacle(&Obstacle::new(place, &what), to);
            }
            to.line(&format!("effect(function() seal({client}, {server}, {}) end)", !change.stages.is_empty()));
        }
    }
}
