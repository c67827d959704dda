//! `sizeof`, `bitsizeof` and `_sizeof`: statically known sizes.

use super::Resolver;
use super::expression::Scope;
use super::outline::{Attribute, Word, Words};
use super::words::Builtin;
use crate::ksy::decl::RepeatDecl;
use crate::ksy::expr::syntax::{SyntaxKind, TypeName};
use crate::ksy::expr::{Expr, Kind, Slot};
use crate::ksy::model::{Ty, TypeId};
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;

/// Maximum nesting of types.
const DEPTH: usize = 64;

impl<'d> Resolver<'d> {
    pub(super) fn size_of(&self, of: &TypeName, in_bits: bool, scope: &Scope) -> Option<(Kind, Ty)> {
        let bits = match Self::builtin(of) {
            Some(builtin) => builtin_bits(builtin),
            None => {
                let id = self.find_type(of, scope.this)?;
                self.type_bits(id, DEPTH)
            }
        };
        self.size(bits, in_bits, &format!("`{}`", of.text()), of.place)
    }

    /// `_sizeof` of an object.
    pub(super) fn size_of_type(&self, of: TypeId, place: SourceRange) -> Option<(Kind, Ty)> {
        self.size(self.type_bits(of, DEPTH), false, &format!("the type `{}`", self.entry(of).decl.name), place)
    }

    /// Whether an expression is a value that is read: an attribute, or an instance without `value`.
    pub(super) fn is_read(&self, value: &Expr) -> bool {
        let Kind::Field { of, slot, .. } = &value.kind else { return false };
        let outline = self.outline_of(*of);
        match slot {
            Slot::Param(_) => false,
            Slot::Seq(_) => true,
            Slot::Instance(n) => outline.instances.get(*n as usize).is_some_and(|instance| instance.decl.value.is_none()),
        }
    }

    /// `_sizeof` of an attribute.
    pub(super) fn size_of_value(&self, value: &Expr, place: SourceRange) -> Option<(Kind, Ty)> {
        let Kind::Field { of, slot, .. } = &value.kind else {
            self.error(place, "only attributes have a `_sizeof`");
            return None;
        };
        let outline = self.outline_of(*of);
        let attribute = match slot {
            Slot::Param(_) => None,
            Slot::Seq(n) => outline.seq.get(*n as usize),
            Slot::Instance(n) => outline.instances.get(*n as usize),
        };
        let bits = attribute.and_then(|attribute| self.attribute_bits(attribute, DEPTH));
        let name = attribute.map_or("this", |attribute| attribute.decl.name.as_str());
        self.size(bits, false, &format!("`{name}`"), place)
    }

    fn size(&self, bits: Option<u64>, in_bits: bool, what: &str, place: SourceRange) -> Option<(Kind, Ty)> {
        match bits {
            Some(bits) => Some((Kind::Int(i128::from(if in_bits { bits } else { bits.div_ceil(8) })), Ty::Int)),
            None => {
                let problem = Problem::error(place, format!("the size of {what} depends on what is read"));
                self.report(problem.help("`sizeof` needs a fixed size"));
                None
            }
        }
    }

    fn type_bits(&self, of: TypeId, depth: usize) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        if let Some(bits) = self.sizes.borrow().get(&of) {
            return *bits;
        }
        self.sizes.borrow_mut().insert(of, None);
        let mut bits: u64 = 0;
        for attribute in &self.outline_of(of).seq {
            if !is_bits(attribute) {
                bits = bits.checked_next_multiple_of(8)?;
            }
            bits = bits.checked_add(self.attribute_bits(attribute, depth)?)?;
        }
        self.sizes.borrow_mut().insert(of, Some(bits));
        Some(bits)
    }

    fn attribute_bits(&self, attribute: &Attribute<'d>, depth: usize) -> Option<u64> {
        let decl = attribute.decl;
        if decl.condition.is_some() {
            return None;
        }
        let count = match &decl.repeat {
            RepeatDecl::No => 1,
            RepeatDecl::Count(count) => literal(&count.kind)?,
            RepeatDecl::Eos | RepeatDecl::Until(_) => return None,
        };
        let one = match (&attribute.words, &decl.contents, &decl.bytes.size) {
            (_, Some(contents), _) => u64::try_from(contents.value.len()).ok()?.checked_mul(8)?,
            (Words::One(Word::Builtin(builtin, _)), _, _) if builtin_bits(*builtin).is_some() => builtin_bits(*builtin)?,
            (Words::One(_) | Words::Switch { .. }, _, Some(size)) => literal(&size.kind)?.checked_mul(8)?,
            (Words::One(Word::Object { of, .. }), _, None) if !decl.bytes.size_eos && decl.bytes.terminator.is_none() => {
                self.type_bits(*of, depth)?
            }
            _ => return None,
        };
        one.checked_mul(count)
    }
}

fn is_bits(attribute: &Attribute<'_>) -> bool {
    matches!(attribute.words, Words::One(Word::Builtin(Builtin::Bits { .. }, _)))
}

fn literal(kind: &SyntaxKind) -> Option<u64> {
    match kind {
        SyntaxKind::Int(value) => u64::try_from(*value).ok(),
        _ => None,
    }
}

fn builtin_bits(builtin: Builtin) -> Option<u64> {
    match builtin {
        Builtin::Int { bytes, .. } | Builtin::Float { bytes, .. } => Some(u64::from(bytes) * 8),
        Builtin::Bits { width, .. } => Some(u64::from(width)),
        Builtin::Str { .. } => None,
    }
}
