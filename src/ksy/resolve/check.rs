//! Constraints on values, and keys without an effect.

use super::Resolver;
use super::expression::Scope;
use super::outline::{Attribute, Word, Words};
use super::words::Builtin;
use crate::ksy::decl::{RepeatDecl, ValidDecl};
use crate::ksy::expr::syntax::Syntax;
use crate::ksy::expr::{Expr, Kind};
use crate::ksy::model::{Ty, TypeId, Valid};
use crate::ksy::report::Problem;

impl<'d> Resolver<'d> {
    /// `valid` or `contents`: `Some(None)` without either, `None` after an error.
    pub(super) fn valid(&self, attribute: &Attribute<'d>, item: Option<&Ty>, of: TypeId) -> Option<Option<Valid>> {
        let decl = attribute.decl;
        if let Some(contents) = &decl.contents {
            let bytes = Expr { kind: Kind::Bytes(contents.value.clone()), ty: Ty::Bytes, place: contents.place };
            return Some(Some(Valid::Eq(bytes)));
        }
        let Some(valid) = &decl.valid else { return Some(None) };
        let repeats = decl.value.is_none() && !matches!(decl.repeat, RepeatDecl::No);
        let scope = Scope { repeats, ..Scope::plain(of) };
        Some(Some(match valid {
            ValidDecl::Eq(value) => Valid::Eq(self.demanded(value, item, &scope)?),
            ValidDecl::Range { min, max } => {
                let min = min.as_ref().map(|min| self.demanded(min, item, &scope));
                let max = max.as_ref().map(|max| self.demanded(max, item, &scope));
                if let Some(Ty::Enum(_) | Ty::Bool) = item
                    && (min.is_some() || max.is_some())
                {
                    self.error(decl.place, format!("{} has no order: `min` and `max` do not go with it", self.describe(item?)));
                    return None;
                }
                Valid::Range { min: flip(min)?, max: flip(max)? }
            }
            ValidDecl::AnyOf(values) => {
                let values: Vec<Option<Expr>> = values.iter().map(|value| self.demanded(value, item, &scope)).collect();
                Valid::AnyOf(values.into_iter().collect::<Option<_>>()?)
            }
            ValidDecl::InEnum(place) => match item {
                Some(Ty::Enum(names)) => Valid::InEnum(*names),
                Some(_) => {
                    let problem = Problem::error(*place, "`in-enum` without `enum`");
                    self.report(problem.help("add `enum:` with the name of an enum"));
                    return None;
                }
                None => return None,
            },
            ValidDecl::Expr(condition) => {
                let condition = self.expression(condition, &Scope { item: Some(item?.clone()), ..scope })?;
                self.demand(&condition, &Ty::Bool, "`expr` of `valid`")?;
                Valid::Expr(condition)
            }
        }))
    }

    /// A value that the element is compared with.
    fn demanded(&self, value: &Syntax, item: Option<&Ty>, scope: &Scope) -> Option<Expr> {
        let value = self.expression(value, scope)?;
        self.comparable(item?, &value.ty, value.place)?;
        Some(value)
    }

    /// Reports keys that do not apply to the type.
    pub(super) fn check_keys(&self, attribute: &Attribute<'d>) {
        let (what, wrong, idle): (&str, &[&str], &[&str]) = match &attribute.words {
            Words::One(Word::Builtin(Builtin::Str { .. }, _)) => ("text", &["parent"], &[]),
            Words::One(Word::Builtin(..)) => (
                "a number",
                &["size", "size-eos", "pad-right", "process", "encoding", "parent"],
                &["terminator", "include", "consume", "eos-error"],
            ),
            Words::One(Word::Bytes) if attribute.decl.contents.is_some() => (
                "`contents`",
                &["parent", "encoding"],
                &["type", "size", "size-eos", "terminator", "process", "pad-right", "valid"],
            ),
            Words::One(Word::Bytes) => ("bytes", &["encoding", "parent"], &[]),
            Words::One(Word::Object { .. }) => ("an object", &["encoding"], &[]),
            Words::One(Word::Unknown | Word::Opaque) | Words::Calculated | Words::Switch { .. } => return,
        };
        for key in &attribute.decl.keys {
            let name = key.value.as_str();
            if wrong.contains(&name) {
                let problem = Problem::error(key.place, format!("`{name}` does not go with {what}"));
                let help = match (what, name) {
                    ("bytes", "encoding") => "add `type: str` for text",
                    ("a number", "size" | "size-eos") => "the type has its size; remove one of them",
                    _ => "remove it",
                };
                self.report(problem.help(help));
            } else if idle.contains(&name) {
                let problem = Problem::error(key.place, format!("`{name}` has no effect on {what}"));
                self.report(Problem { error: false, ..problem });
            }
        }
    }
}

/// `Some(None)` without a value, `None` after an error.
fn flip<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(None) => None,
        Some(value) => Some(value),
    }
}
