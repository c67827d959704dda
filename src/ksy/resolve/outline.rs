//! The members of each type with their types, as far as these need no expression.

use super::Resolver;
use super::words::Builtin;
use crate::ksy::decl::{AttrDecl, ParamDecl, RepeatDecl, TypeDeclOf};
use crate::ksy::expr::Slot;
use crate::ksy::expr::syntax::{Call, Syntax, TypeName};
use crate::ksy::model::{EnumId, Ty, TypeId};
use crate::ksy::report::Problem;
use crate::ksy::source_range::{SourceRange, offset};
use std::collections::HashMap;

/// The members of a type.
pub(super) struct Outline<'d> {
    pub(super) params: Vec<Option<Ty>>,
    pub(super) seq: Vec<Attribute<'d>>,
    pub(super) instances: Vec<Attribute<'d>>,
    pub(super) slots: HashMap<&'d str, Slot>,
}

/// An attribute with resolved names of types.
pub(super) struct Attribute<'d> {
    pub(super) decl: &'d AttrDecl,
    pub(super) words: Words<'d>,
    pub(super) names: Option<EnumId>,
    /// The type of one element; `None` after an error, and for calculated values.
    pub(super) item: Option<Ty>,
}

/// The data that an attribute reads.
pub(super) enum Words<'d> {
    /// None: it is calculated.
    Calculated,
    One(Word<'d>),
    Switch {
        on: &'d Syntax,
        cases: Vec<(&'d Syntax, Word<'d>)>,
        otherwise: Option<Word<'d>>,
        place: SourceRange,
    },
}

/// A type by its name.
pub(super) enum Word<'d> {
    Builtin(Builtin, SourceRange),
    Bytes,
    /// An object of a type that no file describes.
    Opaque,
    Object {
        of: TypeId,
        args: &'d [Syntax],
        place: SourceRange,
    },
    /// An error was reported.
    Unknown,
}

impl<'d> Resolver<'d> {
    pub(super) fn outline(&self) -> Vec<Outline<'d>> {
        self.type_ids().map(|id| self.outline_type(id)).collect()
    }

    fn outline_type(&self, id: TypeId) -> Outline<'d> {
        let decl = self.entry(id).decl;
        let mut slots: HashMap<&'d str, (Slot, SourceRange)> = HashMap::new();
        let params = decl.params.iter().enumerate().map(|(n, param)| (param.name.as_str(), Slot::Param(offset(n)), param.place));
        let seq = decl.seq.iter().enumerate().map(|(n, attr)| (attr.name.as_str(), Slot::Seq(offset(n)), attr.place));
        let instances =
            decl.instances.iter().enumerate().map(|(n, attr)| (attr.name.as_str(), Slot::Instance(offset(n)), attr.place));
        for (name, slot, place) in params.chain(seq).chain(instances) {
            if let Some((_, first)) = slots.get(name) {
                let line = if self.is_full() { 0 } else { self.line(*first) };
                let problem = Problem::error(place, format!("the name `{name}` is already in use"));
                self.report(problem.help(format!("its first use is in line {line}")));
                continue;
            }
            slots.insert(name, (slot, place));
        }
        Outline {
            params: decl.params.iter().map(|param| self.param_ty(param, id)).collect(),
            seq: decl.seq.iter().map(|attr| self.outline_attribute(attr, id)).collect(),
            instances: decl.instances.iter().map(|attr| self.outline_attribute(attr, id)).collect(),
            slots: slots.into_iter().map(|(name, (slot, _))| (name, slot)).collect(),
        }
    }

    fn line(&self, place: SourceRange) -> usize {
        let text = self.files.sources.get(place.file as usize).map_or("", |file| file.text.as_str());
        text.get(..place.start as usize).unwrap_or_default().matches('\n').count() + 1
    }

    fn outline_attribute(&self, decl: &'d AttrDecl, of: TypeId) -> Attribute<'d> {
        let names = decl.names.as_ref().map(|name| self.find_enum(name, of));
        let words = match &decl.ty {
            _ if decl.broken => Words::One(Word::Unknown),
            _ if decl.value.is_some() => Words::Calculated,
            _ if decl.contents.is_some() => Words::One(Word::Bytes),
            None => Words::One(Word::Bytes),
            Some(TypeDeclOf::One(call)) => Words::One(self.word(call, of)),
            Some(TypeDeclOf::Switch { on, cases, otherwise, place }) => {
                let cases: Vec<_> = cases.iter().map(|(case, call)| (case, self.word(call, of))).collect();
                let has_size = decl.bytes.size.is_some() || decl.bytes.size_eos || decl.bytes.terminator.is_some();
                let implicit = has_size.then_some(Word::Bytes);
                let otherwise = otherwise.as_ref().map(|call| self.word(call, of)).or(implicit);
                Words::Switch { on, cases, otherwise, place: *place }
            }
        };
        let item = match (&names, &words) {
            (Some(None), _) => None,
            (names, words) => self.item_ty(words, names.flatten()),
        };
        Attribute { decl, words, names: names.flatten(), item }
    }

    fn word(&self, call: &'d Call, of: TypeId) -> Word<'d> {
        let name = &call.name;
        if let Some(builtin) = Self::builtin(name) {
            if let Some(arg) = call.args.first() {
                self.error(arg.place, format!("`{}` takes no arguments", name.text()));
            }
            return Word::Builtin(builtin, name.place);
        }
        if name.array {
            let element = TypeName { array: false, ..name.clone() };
            let problem = Problem::error(name.place, format!("`{}` is a list", name.text()));
            self.report(problem.help(format!("write `type: {}` with `repeat`", element.text())));
            return Word::Unknown;
        }
        if self.is_opaque(name, of) {
            return Word::Opaque;
        }
        match self.find_type(name, of) {
            Some(id) => Word::Object { of: id, args: &call.args, place: name.place },
            None => Word::Unknown,
        }
    }

    /// The type of a parameter; `None` after an error.
    fn param_ty(&self, param: &ParamDecl, of: TypeId) -> Option<Ty> {
        let ty = match &param.ty {
            None => Ty::Bytes,
            Some(name) => self.named_ty(name, of)?,
        };
        match &param.names {
            None => Some(ty),
            Some(name) => {
                let names = self.find_enum(name, of)?;
                match ty {
                    Ty::Int => Some(Ty::Enum(names)),
                    Ty::Bool => Some(Ty::Enum(names)),
                    _ => {
                        self.error(name.place, format!("`enum` names integers, and `{}` is {}", param.name, self.describe(&ty)));
                        None
                    }
                }
            }
        }
    }

    /// The type of values of this name, for parameters and casts.
    pub(super) fn named_ty(&self, name: &TypeName, of: TypeId) -> Option<Ty> {
        let element = TypeName { array: false, ..name.clone() };
        let ty = match (Self::builtin(&element), element.path.as_slice()) {
            (Some(builtin), _) => builtin_ty(builtin, None),
            (None, [word]) if !name.absolute => match word.as_str() {
                "bytes" => Ty::Bytes,
                "bool" => Ty::Bool,
                "struct" => Ty::Struct(None),
                "io" => Ty::Io,
                "any" => Ty::Any,
                _ if self.is_opaque(&element, of) => Ty::Any,
                _ => Ty::Struct(Some(self.find_type(&element, of)?)),
            },
            _ => Ty::Struct(Some(self.find_type(&element, of)?)),
        };
        Some(if name.array { Ty::Array(Box::new(ty)) } else { ty })
    }

    /// The type of one element.
    fn item_ty(&self, words: &Words<'d>, names: Option<EnumId>) -> Option<Ty> {
        match words {
            Words::Calculated => None,
            Words::One(word) => word_ty(word, names),
            Words::Switch { cases, otherwise, .. } => {
                let mut types = cases.iter().map(|(_, word)| word).chain(otherwise).map(|word| word_ty(word, names));
                let first = types.next().unwrap_or(Some(Ty::Any));
                types.fold(first, |one, other| Some(join(one?, other?)))
            }
        }
    }

    /// The type of a whole member; `None` after an error.
    pub(super) fn member_ty(&self, of: TypeId, slot: Slot) -> Option<Ty> {
        let outline = self.outline_of(of);
        let (attribute, instance) = match slot {
            Slot::Param(n) => return outline.params.get(n as usize).cloned().flatten(),
            Slot::Seq(n) => (outline.seq.get(n as usize)?, None),
            Slot::Instance(n) => (outline.instances.get(n as usize)?, Some(n)),
        };
        if let (Words::Calculated, Some(n)) = (&attribute.words, instance) {
            return self.calculated_ty(of, n, attribute);
        }
        let item = attribute.item.clone()?;
        Some(if matches!(attribute.decl.repeat, RepeatDecl::No) { item } else { Ty::Array(Box::new(item)) })
    }
}

/// The type of values of a word.
pub(super) fn word_ty(word: &Word<'_>, names: Option<EnumId>) -> Option<Ty> {
    match word {
        Word::Builtin(builtin, _) => Some(builtin_ty(*builtin, names)),
        Word::Bytes | Word::Opaque => Some(Ty::Bytes),
        Word::Object { of, .. } => Some(Ty::Struct(Some(*of))),
        Word::Unknown => None,
    }
}

fn builtin_ty(builtin: Builtin, names: Option<EnumId>) -> Ty {
    match (builtin, names) {
        (Builtin::Int { .. } | Builtin::Bits { .. }, Some(names)) => Ty::Enum(names),
        (Builtin::Bits { width: 1, .. }, None) => Ty::Bool,
        (Builtin::Int { .. } | Builtin::Bits { .. }, None) => Ty::Int,
        (Builtin::Float { .. }, _) => Ty::Float,
        (Builtin::Str { .. }, _) => Ty::Str,
    }
}

/// The common type of both.
pub(super) fn join(one: Ty, other: Ty) -> Ty {
    match (one, other) {
        (one, other) if one == other => one,
        (Ty::Int, Ty::Float) | (Ty::Float, Ty::Int) => Ty::Float,
        (Ty::Struct(_), Ty::Struct(_)) => Ty::Struct(None),
        (Ty::Array(one), Ty::Array(other)) => Ty::Array(Box::new(join(*one, *other))),
        _ => Ty::Any,
    }
}
