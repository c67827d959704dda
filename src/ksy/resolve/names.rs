//! Resolves names of types and enums.

use super::words::{self, Builtin};
use super::{Resolver, TypeEntry};
use crate::ksy::expr::syntax::TypeName;
use crate::ksy::model::{EnumId, TypeId};
use crate::ksy::report::Problem;
use crate::nearest::suggestion;

impl<'d> Resolver<'d> {
    fn child(&self, of: TypeId, name: &str) -> Option<TypeId> {
        self.entry(of).types_by_name.get(name).copied()
    }

    fn descend(&self, from: TypeId, path: &[String]) -> Option<TypeId> {
        path.iter().try_fold(from, |at, name| self.child(at, name))
    }

    /// The type at a path of names: searched in the type, in enclosing types, then in imported files.
    pub(super) fn search_type(&self, path: &[String], absolute: bool, from: TypeId) -> Option<TypeId> {
        let (head, rest) = path.split_first()?;
        if !absolute {
            let mut at = Some(from);
            while let Some(id) = at {
                let entry = self.entry(id);
                let own = (entry.decl.name == *head).then_some(id);
                if let Some(found) = self.child(id, head).into_iter().chain(own).find_map(|id| self.descend(id, rest)) {
                    return Some(found);
                }
                at = entry.owner;
            }
        }
        let top = self.entry(from).top;
        let in_top = absolute.then(|| self.descend(top, path)).flatten();
        in_top.or_else(|| self.tops_named(head, from).into_iter().find_map(|id| self.descend(id, rest)))
    }

    /// The type of this name; an unknown one is an error.
    pub(super) fn find_type(&self, name: &TypeName, from: TypeId) -> Option<TypeId> {
        let found = self.search_type(&name.path, name.absolute, from);
        if found.is_none() && !self.misses_a_file(from) {
            self.report(self.unknown_type(name, from));
        }
        found
    }

    /// Whether no file describes a type, and `ks-opaque-types` permits that. A warning names each such type of a file once.
    pub(super) fn is_opaque(&self, name: &TypeName, from: TypeId) -> bool {
        let may_be = self.entry(self.entry(from).top).decl.opaque_types && name.path.len() == 1 && !name.absolute;
        if !may_be || self.search_type(&name.path, false, from).is_some() {
            return false;
        }
        let text = name.text();
        if !self.quiet && self.opaque.borrow_mut().insert((name.place.file, text.clone())) {
            let message = format!("no file describes the opaque type `{text}`: its bytes stay as they are");
            let meant = self.unknown_type(name, from).help.filter(|help| help.starts_with("did you mean"));
            let help = meant.unwrap_or_else(|| format!("put its description into `{text}.ksy` in the folder of this file"));
            self.report(Problem { error: false, ..Problem::error(name.place, message).help(help) });
        }
        true
    }

    fn unknown_type(&self, name: &TypeName, from: TypeId) -> Problem {
        let text = name.text();
        let problem = Problem::error(name.place, format!("unknown type `{text}`"));
        if self.has_helped() {
            return problem;
        }
        let alone = match name.path.as_slice() {
            [word] => word.as_str(),
            _ => "",
        };
        if let Some(known) = words::foreign(alone) {
            return problem.help(format!("did you mean `{known}`?"));
        }
        match alone {
            "bytes" => return problem.help("bytes have no `type`: give their `size` alone"),
            "struct" | "io" | "any" => return problem.help("this type is for parameters only"),
            _ => {}
        }
        let known: Vec<String> = self.type_names(from);
        let known = known.iter().map(String::as_str).chain(words::NAMES.iter().copied().filter(|_| !alone.is_empty()));
        if let Some(help) = suggestion(&text, known) {
            return problem.help(help);
        }
        let alone = if alone.is_empty() { text.as_str() } else { alone };
        problem.help(format!("declare `{alone}` under `types`, or import its file in `meta`"))
    }

    /// The type names that are visible in this type.
    fn type_names(&self, from: TypeId) -> Vec<String> {
        let mut names: Vec<String> = self.visible_tops(from).map(|id| self.entry(id).decl.name.clone()).collect();
        let mut at = Some(from);
        while let Some(id) = at {
            names.extend(self.entry(id).types.iter().map(|id| self.entry(*id).decl.name.clone()));
            at = self.entry(id).owner;
        }
        for entry in self.types.iter().filter(|entry| entry.top == self.entry(from).top) {
            if let Some((_, path)) = entry.path.split_once("::").filter(|(_, path)| path.contains("::")) {
                names.push(path.to_owned());
            }
        }
        names
    }

    /// The enum of this name; an unknown one is an error.
    pub(super) fn find_enum(&self, name: &TypeName, from: TypeId) -> Option<EnumId> {
        let (last, path) = name.path.split_last()?;
        let inside = |id: TypeId| self.entry(id).enums_by_name.get(last.as_str()).copied();
        let found = if path.is_empty() && !name.absolute {
            std::iter::successors(Some(from), |id| self.entry(*id).owner).find_map(inside)
        } else if path.is_empty() {
            inside(self.entry(from).top)
        } else {
            self.search_enum_owner(path, name.absolute, from, &inside)
        };
        if found.is_none() && !self.misses_a_file(from) {
            self.report(self.unknown_enum(name, from));
        }
        found
    }

    /// The enum in a type of this path: each enclosing type may have one of that path.
    fn search_enum_owner(
        &self,
        path: &[String],
        absolute: bool,
        from: TypeId,
        inside: &impl Fn(TypeId) -> Option<EnumId>,
    ) -> Option<EnumId> {
        std::iter::successors(Some(from), |id| self.entry(*id).owner)
            .filter_map(|id| self.search_type(path, absolute, id))
            .find_map(inside)
    }

    fn unknown_enum(&self, name: &TypeName, from: TypeId) -> Problem {
        let text = name.text();
        let problem = Problem::error(name.place, format!("unknown enum `{text}`"));
        if self.has_helped() {
            return problem;
        }
        let mut known: Vec<String> = Vec::new();
        for entry in &self.enums {
            let TypeEntry { top, .. } = self.entry(entry.owner);
            if *top == self.entry(from).top {
                let is_near = std::iter::successors(Some(from), |id| self.entry(*id).owner).any(|id| id == entry.owner);
                let path = entry.path.split_once("::").map_or(entry.path.as_str(), |(_, path)| path);
                known.push(if is_near { entry.decl.name.clone() } else { path.to_owned() });
            }
        }
        match suggestion(&text, known.iter().map(String::as_str)) {
            Some(help) => problem.help(help),
            None => problem.help(format!("declare `{}` under `enums`", name.path.last().map_or("", String::as_str))),
        }
    }

    /// The built-in type of a name without a path.
    pub(super) fn builtin(name: &TypeName) -> Option<Builtin> {
        match name.path.as_slice() {
            [word] if !name.absolute && !name.array => words::builtin(word),
            _ => None,
        }
    }
}
