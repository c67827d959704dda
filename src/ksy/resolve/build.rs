//! Builds the types of the model.

use super::Resolver;
use super::expression::Scope;
use super::outline::Attribute;
use crate::ksy::decl::EndianDecl;
use crate::ksy::model::{Endian, EndianSwitch, Member, Param, Spec, Ty, Type, TypeId};

impl<'d> Resolver<'d> {
    /// The model; incomplete after errors.
    pub(super) fn build(&self) -> Spec {
        let roots = &self.files.roots;
        Spec {
            files: self.files.sources.clone(),
            types: self.type_ids().map(|id| self.build_type(id)).collect(),
            enums: self.build_enums(),
            tables: Vec::new(),
            roots: roots.iter().filter_map(|file| self.tops.get(*file as usize).copied().flatten()).collect(),
        }
    }

    fn build_type(&self, id: TypeId) -> Type {
        let entry = self.entry(id);
        let (decl, outline) = (entry.decl, self.outline_of(id));
        let params = decl.params.iter().zip(&outline.params).map(|(param, ty)| Param {
            name: param.name.clone(),
            ty: ty.clone().unwrap_or(Ty::Any),
            docs: param.docs.clone(),
            place: param.place,
        });
        Type {
            name: decl.name.clone(),
            path: entry.path.clone(),
            owner: entry.owner,
            top: entry.top,
            types: entry.types.clone(),
            enums: entry.enums.clone(),
            docs: decl.docs.clone(),
            meta: decl.meta.clone(),
            registration: None,
            endian_switch: self.endian_switch(id),
            has_run_time_endian: self.endian(id) == Some(Endian::RunTime),
            params: params.collect(),
            seq: outline.seq.iter().filter_map(|attribute| self.built_member(attribute, id)).collect(),
            instances: outline.instances.iter().filter_map(|attribute| self.built_member(attribute, id)).collect(),
            parent: self.parents.get(id.0 as usize).cloned().unwrap_or(Ty::Struct(None)),
            effect: self.build_effect(&decl.effect, id).unwrap_or_default(),
            summary: self.summary(id),
            place: decl.place,
        }
    }

    /// A member. A missing one must have an error, because others are found by index.
    fn built_member(&self, attribute: &Attribute<'d>, id: TypeId) -> Option<Member> {
        let member = self.build_member(attribute, id);
        if member.is_none() && !self.report.borrow().has_errors() {
            self.error(attribute.decl.place, format!("`{}` is not understood", attribute.decl.name));
        }
        member
    }

    fn endian_switch(&self, id: TypeId) -> Option<EndianSwitch> {
        let Some(EndianDecl::Switch { on, cases, otherwise }) = &self.entry(id).decl.defaults.endian else { return None };
        let scope = Scope::plain(id);
        let on = self.expression(on, &scope);
        let mut built = Vec::new();
        for (case, endian) in cases {
            let Some(case) = self.expression(case, &scope) else { continue };
            if on.as_ref().is_none_or(|on| self.comparable(&on.ty, &case.ty, case.place).is_some()) {
                built.push((case, *endian));
            }
        }
        Some(EndianSwitch { on: on?, cases: built, otherwise: *otherwise })
    }
}
