//! Infers the type of `_parent` of each type from the types that read it.

use super::Resolver;
use super::expression::Scope;
use super::outline::{Attribute, Word, Words};
use crate::ksy::decl::ParentDecl;
use crate::ksy::model::{Ty, TypeId};

/// The known parents of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parents {
    None,
    One(TypeId),
    Several,
}

impl Parents {
    fn add(&mut self, parent: Option<TypeId>) {
        *self = match (*self, parent) {
            (Parents::None, Some(id)) => Parents::One(id),
            (Parents::One(one), Some(id)) if one == id => Parents::One(one),
            _ => Parents::Several,
        };
    }

    fn ty(self) -> Ty {
        match self {
            Parents::One(id) => Ty::Struct(Some(id)),
            Parents::None | Parents::Several => Ty::Struct(None),
        }
    }
}

/// A `parent` expression can depend on the parents of others; this is the maximum length of such a chain.
const ROUNDS: usize = 16;

impl<'d> Resolver<'d> {
    /// The type of `_parent` of each type.
    pub(super) fn infer_parents(&mut self) -> Vec<Ty> {
        let mut known = vec![Parents::None; self.types.len()];
        let mut open = Vec::new();
        for reader in self.type_ids() {
            let outline = self.outline_of(reader);
            for attribute in outline.seq.iter().chain(&outline.instances) {
                let read = self.own_objects(attribute, reader);
                match &attribute.decl.parent {
                    None => read.into_iter().for_each(|id| add(&mut known, id, Some(reader))),
                    Some(ParentDecl::Nothing) => {}
                    Some(ParentDecl::Expr(syntax)) => open.push((reader, syntax, read)),
                }
            }
        }
        let plain = known.clone();
        self.quiet = true;
        for _ in 0..ROUNDS {
            self.parents = known.iter().map(|parents| parents.ty()).collect();
            let mut next = plain.clone();
            for (reader, syntax, read) in &open {
                let Some(expr) = self.expression(syntax, &Scope::plain(*reader)) else { continue };
                if let Ty::Struct(id) = expr.ty {
                    read.iter().for_each(|read| add(&mut next, *read, id));
                }
            }
            self.calculated.borrow_mut().clear();
            self.work.set(0);
            if next == known {
                break;
            }
            known = next;
        }
        self.work.set(0);
        self.quiet = false;
        known.into_iter().map(Parents::ty).collect()
    }

    /// The types that an attribute reads and whose `_parent` is the reader: those of the same file.
    fn own_objects(&self, attribute: &Attribute<'d>, reader: TypeId) -> Vec<TypeId> {
        let words: Vec<&Word<'d>> = match &attribute.words {
            Words::Calculated => Vec::new(),
            Words::One(word) => vec![word],
            Words::Switch { cases, otherwise, .. } => cases.iter().map(|(_, word)| word).chain(otherwise).collect(),
        };
        let is_own = |id: &TypeId| self.entry(*id).top == self.entry(reader).top;
        words
            .into_iter()
            .filter_map(|word| if let Word::Object { of, .. } = word { Some(*of) } else { None })
            .filter(is_own)
            .collect()
    }
}

fn add(known: &mut [Parents], of: TypeId, parent: Option<TypeId>) {
    if let Some(parents) = known.get_mut(of.0 as usize) {
        parents.add(parent);
    }
}
