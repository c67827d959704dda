//! Resolves `deliver`: the list in each message, and the expressions of its elements.

use super::Resolver;
use super::expression::Scope;
use crate::ksy::decl::{DeliverDecl, FragmentDecl, ReceiverDecl};
use crate::ksy::expr::syntax::Syntax;
use crate::ksy::expr::{Expr, Kind, Slot};
use crate::ksy::model::{Data, Member, Spec, Ty, TypeId, ValueSource};
use crate::ksy::registration::{Deliver, DeliverTo, FragmentOf};
use crate::ksy::report::Problem;

/// Bits of a number of unknown width, which does not wrap around.
const WIDEST: u32 = 64;
/// Maximum depth of values that refer to each other.
const DEPTH: u32 = 16;

impl Resolver<'_> {
    pub(super) fn deliver(&self, spec: &Spec, decl: &DeliverDecl, top: TypeId, messages: &[TypeId]) -> Option<Deliver> {
        let lists = self.in_each(messages, Some(&decl.of), |of, message| self.expression(of, &Scope::plain(message)));
        let mut element = None;
        for (_, list) in &lists {
            let Ty::Array(inner) = &list.ty else {
                let problem = Problem::error(list.place, format!("`of` is {}, not a list", self.describe(&list.ty)));
                self.report(problem.help("name the attribute with `repeat`"));
                return None;
            };
            match (&**inner, element) {
                (Ty::Struct(Some(of)), None) => element = Some(*of),
                (Ty::Struct(Some(of)), Some(known)) if *of == known => {}
                _ => {
                    let problem = Problem::error(list.place, "the elements of `of` are not objects of one type");
                    self.report(problem.help("give all elements one type, with a switch inside"));
                    return None;
                }
            }
        }
        let element = element?;
        let number = |syntax: &Option<Syntax>, what: &str| -> Option<Option<Expr>> {
            syntax.as_ref().map_or(Some(None), |syntax| self.number_of(syntax, what, element).map(Some))
        };
        let when = match &decl.when {
            None => None,
            Some(syntax) => Some(self.of_element(syntax, "`when`", element, |ty| matches!(ty, Ty::Bool | Ty::Any))?),
        };
        let data = self.of_element(&decl.data, "`data`", element, |ty| matches!(ty, Ty::Bytes | Ty::Any))?;
        let (by, order, once) = (number(&decl.by, "`by`")?, number(&decl.order, "`order`")?, number(&decl.once, "`once`")?);
        let three = |all: &[Syntax; 3], names: [&str; 3]| -> Option<Box<[Expr; 3]>> {
            let [a, b, c] = all;
            let [x, y, z] = names;
            Some(Box::new([self.number_of(a, x, element)?, self.number_of(b, y, element)?, self.number_of(c, z, element)?]))
        };
        let fragment = match &decl.fragment {
            FragmentDecl::No => FragmentOf::Whole,
            FragmentDecl::Left(left) => FragmentOf::Left(self.number_of(left, "`left`", element)?),
            FragmentDecl::Part(all) => FragmentOf::Part(three(all, ["`id`", "`index`", "`count`"])?),
            FragmentDecl::At(all) => FragmentOf::At(three(all, ["`id`", "`offset`", "`total`"])?),
        };
        let receiver = match &decl.receiver {
            ReceiverDecl::Place => DeliverTo::Place,
            ReceiverDecl::Type(name) => DeliverTo::Type(self.type_in(Some(name), top)??),
            ReceiverDecl::Protocol(name) => DeliverTo::Protocol(name.value.clone()),
        };
        let width = [&order, &once].map(|expr| expr.as_ref().map_or(WIDEST, |expr| bits(spec, expr, DEPTH)));
        Some(Deliver { lists, element, when, data, by, order, once, width, fragment, receiver })
    }

    fn number_of(&self, syntax: &Syntax, what: &str, element: TypeId) -> Option<Expr> {
        self.of_element(syntax, what, element, |ty| matches!(ty, Ty::Int | Ty::Enum(_) | Ty::Any))
    }

    fn of_element(&self, syntax: &Syntax, what: &str, element: TypeId, fits: impl Fn(&Ty) -> bool) -> Option<Expr> {
        let expr = self.expression(syntax, &Scope::plain(element))?;
        if fits(&expr.ty) {
            return Some(expr);
        }
        let expected = match what {
            "`when`" => "a condition",
            "`data`" => "bytes",
            _ => "an integer",
        };
        self.report(Problem::error(expr.place, format!("{what} is {expected}, and this is {}", self.describe(&expr.ty))));
        None
    }
}

/// The number of bits of an integer, if its declaration states it; else the widest.
fn bits(spec: &Spec, expr: &Expr, depth: u32) -> u32 {
    let Kind::Field { of, slot, .. } = &expr.kind else { return WIDEST };
    let of = spec.type_of(*of);
    let member: Option<&Member> = match slot {
        Slot::Seq(at) => of.seq.get(*at as usize),
        Slot::Instance(at) => of.instances.get(*at as usize),
        Slot::Param(_) => None,
    };
    match member.map(|member| &member.source) {
        Some(ValueSource::Value(value)) if depth > 0 => bits(spec, value, depth - 1),
        Some(ValueSource::Read(read)) => match &read.data {
            Data::Int { bytes, .. } => u32::from(*bytes) * 8,
            Data::Bits { width, .. } => (*width).into(),
            _ => WIDEST,
        },
        _ => WIDEST,
    }
}
