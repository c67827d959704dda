//! Summaries of types: `to-string`, else `-webide-representation`.

use super::Resolver;
use super::expression::Scope;
use crate::ksy::decl::RepresentationPart;
use crate::ksy::expr::syntax::SyntaxKind;
use crate::ksy::expr::{Expr, Kind, Piece};
use crate::ksy::model::{Ty, TypeId};
use crate::ksy::source_range::SourceRange;

impl<'d> Resolver<'d> {
    pub(super) fn summary(&self, id: TypeId) -> Option<Expr> {
        let decl = self.entry(id).decl;
        let scope = Scope::plain(id);
        if let Some(syntax) = &decl.to_string {
            let expr = self.expression(syntax, &scope)?;
            self.demand(&expr, &Ty::Str, "`to-string`")?;
            return Some(expr);
        }
        let parts = decl.representation.as_ref()?;
        let mut place: Option<SourceRange> = None;
        let mut pieces = Vec::new();
        for part in parts {
            match part {
                RepresentationPart::Text(text) => pieces.push(Piece::Text(text.clone())),
                RepresentationPart::Value(syntax, show) => {
                    let Some(value) = self.tolerant(|resolver| resolver.expression(syntax, &scope)) else { continue };
                    place = place.or(Some(value.place));
                    pieces.push(Piece::Value(value, *show));
                }
            }
        }
        Some(Expr { kind: Kind::Format(pieces), ty: Ty::Str, place: place.unwrap_or(decl.place) })
    }

    /// Whether `-webide-representation` of a type shows this attribute in hexadecimal.
    pub(super) fn represents_in_hex(&self, name: &str, id: TypeId) -> bool {
        let parts = self.entry(id).decl.representation.iter().flatten();
        parts
            .filter_map(|part| if let RepresentationPart::Value(syntax, show) = part { Some((syntax, show)) } else { None })
            .any(|(syntax, show)| show.is_hex() && matches!(&syntax.kind, SyntaxKind::Name(shown) if shown == name))
    }

    /// Errors become warnings: other programs also read this key, and accept more.
    fn tolerant<T>(&self, resolve: impl FnOnce(&Self) -> Option<T>) -> Option<T> {
        let before = std::mem::take(&mut *self.report.borrow_mut());
        let resolved = resolve(self);
        let found = std::mem::replace(&mut *self.report.borrow_mut(), before);
        self.report.borrow_mut().add_as_warnings(found, "; the summary leaves it out");
        resolved
    }
}
