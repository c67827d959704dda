//! Resolves expressions: names, types and operators.

use super::outline::{Attribute, join};
use super::{Calculated, Resolver};
use crate::ksy::expr::syntax::{FormatPart, Syntax, SyntaxKind, TypeName};
use crate::ksy::expr::{Binary, Compare, Expr, Kind, Method, Piece, Slot, Unary};
use crate::ksy::model::{Encoding, Ty, TypeId};
use crate::ksy::process;
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use crate::nearest::suggestion;

/// The scope of an expression.
pub(super) struct Scope {
    /// The type of the object.
    pub(super) this: TypeId,
    /// The type of `_`.
    pub(super) item: Option<Ty>,
    /// Whether `_index` is defined.
    pub(super) repeats: bool,
}

impl Scope {
    pub(super) fn plain(this: TypeId) -> Scope {
        Scope { this, item: None, repeats: false }
    }
}

/// Maximum nesting of expressions, through instances.
const DEPTH: usize = 250;
/// Maximum number of expressions of all files. The size of a switch counts in each of its cases.
const WORK: usize = 1 << 20;
/// Number of bytes of a text that count as one expression.
const LITERAL: usize = 16;

impl<'d> Resolver<'d> {
    /// The resolved expression; `None` after an error.
    pub(super) fn expression(&self, syntax: &Syntax, scope: &Scope) -> Option<Expr> {
        let depth = self.depth.get();
        self.spend(1, syntax.place)?;
        if depth >= DEPTH {
            let problem =
                Problem::error(syntax.place, format!("instances that depend on each other more than {DEPTH} levels deep"));
            self.report(problem);
            return None;
        }
        self.depth.set(depth + 1);
        let resolved = self.resolve_kind(syntax, scope);
        self.depth.set(depth);
        resolved.map(|(kind, ty)| Expr { kind, ty, place: syntax.place })
    }

    /// Counts work, and reports the first expression beyond the limit.
    fn spend(&self, work: usize, place: SourceRange) -> Option<()> {
        let before = self.work.get();
        self.work.set(before.saturating_add(work));
        if before <= WORK && self.work.get() > WORK {
            self.error(place, format!("more than {WORK} expressions in all files"));
        }
        (self.work.get() <= WORK).then_some(())
    }

    fn boxed(&self, syntax: &Syntax, scope: &Scope) -> Option<Box<Expr>> {
        self.expression(syntax, scope).map(Box::new)
    }

    fn resolve_kind(&self, syntax: &Syntax, scope: &Scope) -> Option<(Kind, Ty)> {
        Some(match &syntax.kind {
            SyntaxKind::Int(value) => (Kind::Int(*value), Ty::Int),
            SyntaxKind::Float(value) => (Kind::Float(*value), Ty::Float),
            SyntaxKind::Bool(value) => (Kind::Bool(*value), Ty::Bool),
            SyntaxKind::Str(text) => {
                self.spend(text.len() / LITERAL, syntax.place)?;
                (Kind::Str(text.clone()), Ty::Str)
            }
            SyntaxKind::Format(parts) => return self.format(parts, scope),
            SyntaxKind::List(elements) => {
                self.spend(elements.len(), syntax.place)?;
                return self.list(elements, scope);
            }
            SyntaxKind::Name(name) => return self.name(name, syntax.place, scope),
            SyntaxKind::Call(name, place, args) => return self.call(name, *place, args, scope),
            SyntaxKind::Member(of, member, place) => return self.enum_member(of, member, *place, scope),
            SyntaxKind::Unary(operator, operand) => return self.unary(*operator, operand, scope),
            SyntaxKind::Binary(operator, left, right) => return self.binary(*operator, left, right, scope),
            SyntaxKind::Compare(operator, left, right) => return self.comparison(*operator, left, right, scope),
            SyntaxKind::And(left, right) => {
                let (left, right) = self.conditions(left, right, scope)?;
                (Kind::And(left, right), Ty::Bool)
            }
            SyntaxKind::Or(left, right) => {
                let (left, right) = self.conditions(left, right, scope)?;
                (Kind::Or(left, right), Ty::Bool)
            }
            SyntaxKind::If(condition, yes, no) => return self.ternary(condition, yes, no, scope),
            SyntaxKind::Attribute(object, name, place, args) => {
                let object = self.boxed(object, scope)?;
                return self.attribute(object, name, *place, args.as_deref(), scope);
            }
            SyntaxKind::At(list, index) => {
                let (list, index) = both(self.boxed(list, scope), self.boxed(index, scope))?;
                self.demand(&index, &Ty::Int, "an index")?;
                let ty = match &list.ty {
                    Ty::Array(element) => (**element).clone(),
                    Ty::Bytes => Ty::Int,
                    other => {
                        self.error(list.place, format!("`[…]` needs a list, and this is {}", self.describe(other)));
                        return None;
                    }
                };
                (Kind::At(list, index), ty)
            }
            SyntaxKind::Cast(object, to) => return self.cast(object, to, scope),
            SyntaxKind::SizeOf(of, in_bits) => return self.size_of(of, *in_bits, scope),
        })
    }

    /// Reports an expression of a wrong type.
    pub(super) fn demand(&self, expr: &Expr, ty: &Ty, what: &str) -> Option<()> {
        if expr.ty == *ty || expr.ty == Ty::Any {
            return Some(());
        }
        let problem =
            Problem::error(expr.place, format!("{what} must be {}, and this is {}", self.describe(ty), self.describe(&expr.ty)));
        self.report(problem.help_if(conversion(&expr.ty, ty)));
        None
    }

    fn conditions(&self, left: &Syntax, right: &Syntax, scope: &Scope) -> Option<(Box<Expr>, Box<Expr>)> {
        let (left, right) = both(self.boxed(left, scope), self.boxed(right, scope))?;
        both(self.demand(&left, &Ty::Bool, "a condition"), self.demand(&right, &Ty::Bool, "a condition"))?;
        Some((left, right))
    }

    fn ternary(&self, condition: &Syntax, yes: &Syntax, no: &Syntax, scope: &Scope) -> Option<(Kind, Ty)> {
        let condition = self.boxed(condition, scope);
        let (condition, (yes, no)) = both(condition, both(self.boxed(yes, scope), self.boxed(no, scope)))?;
        self.demand(&condition, &Ty::Bool, "a condition")?;
        let ty = join(yes.ty.clone(), no.ty.clone());
        if ty == Ty::Any && yes.ty != Ty::Any && no.ty != Ty::Any {
            let message = format!("one branch is {}, the other one {}", self.describe(&yes.ty), self.describe(&no.ty));
            self.error(yes.place.to(no.place), message);
            return None;
        }
        Some((Kind::If(condition, yes, no), ty))
    }

    fn unary(&self, operator: Unary, operand: &Syntax, scope: &Scope) -> Option<(Kind, Ty)> {
        let operand = self.boxed(operand, scope)?;
        match operator {
            Unary::Not => self.demand(&operand, &Ty::Bool, "the operand of `not`")?,
            Unary::Invert => self.demand(&operand, &Ty::Int, "the operand of `~`")?,
            Unary::Minus if operand.ty == Ty::Float => {}
            Unary::Minus => self.demand(&operand, &Ty::Int, "the operand of `-`")?,
        }
        if let (Unary::Minus, Kind::Int(value)) = (operator, &operand.kind) {
            return Some((Kind::Int(value.checked_neg()?), Ty::Int));
        }
        let ty = operand.ty.clone();
        Some((Kind::Unary(operator, operand), ty))
    }

    fn binary(&self, operator: Binary, left: &Syntax, right: &Syntax, scope: &Scope) -> Option<(Kind, Ty)> {
        let (left, right) = both(self.boxed(left, scope), self.boxed(right, scope))?;
        let on_bits =
            matches!(operator, Binary::ShiftLeft | Binary::ShiftRight | Binary::BitAnd | Binary::BitOr | Binary::BitXor);
        let ty = match (&left.ty, &right.ty) {
            (Ty::Int, Ty::Int) => Ty::Int,
            (Ty::Int | Ty::Float, Ty::Int | Ty::Float) if !on_bits => Ty::Float,
            (Ty::Str, Ty::Str) if operator == Binary::Add => Ty::Str,
            (Ty::Bytes, Ty::Bytes) if operator == Binary::Add => Ty::Bytes,
            (one, other) => {
                let sign = sign(operator);
                let message = format!("`{sign}` does not go with {} and {}", self.describe(one), self.describe(other));
                let wrong = if matches!(one, Ty::Int) { other } else { one };
                let help = match (one, other) {
                    (Ty::Str, Ty::Int) | (Ty::Int, Ty::Str) => {
                        Some("`.to_s` of the integer is text, `.to_i` of the text is an integer".to_owned())
                    }
                    _ => conversion(wrong, &Ty::Int),
                };
                self.report(Problem::error(left.place.to(right.place), message).help_if(help));
                return None;
            }
        };
        Some((Kind::Binary(operator, left, right), ty))
    }

    fn comparison(&self, operator: Compare, left: &Syntax, right: &Syntax, scope: &Scope) -> Option<(Kind, Ty)> {
        let (left, right) = both(self.boxed(left, scope), self.boxed(right, scope))?;
        let place = left.place.to(right.place);
        self.comparable(&left.ty, &right.ty, place)?;
        let is_order = !matches!(operator, Compare::Eq | Compare::Ne);
        if is_order && matches!(left.ty, Ty::Enum(_) | Ty::Bool | Ty::Struct(_)) {
            let problem = Problem::error(place, format!("{} can only be equal or not", self.describe(&left.ty)));
            let help = matches!(left.ty, Ty::Enum(_)).then(|| "compare their integers: `.to_i`".to_owned());
            self.report(problem.help_if(help));
            return None;
        }
        Some((Kind::Compare(operator, left, right), Ty::Bool))
    }

    /// Reports values that cannot be compared.
    pub(super) fn comparable(&self, one: &Ty, other: &Ty, place: SourceRange) -> Option<()> {
        let fits = match (one, other) {
            (Ty::Any, _) | (_, Ty::Any) | (Ty::Int | Ty::Float, Ty::Int | Ty::Float) | (Ty::Struct(_), Ty::Struct(_)) => true,
            (Ty::Io | Ty::Array(_), _) => false,
            (one, other) => one == other,
        };
        if fits {
            return Some(());
        }
        let problem = Problem::error(place, format!("{} cannot be compared with {}", self.describe(one), self.describe(other)));
        let help = match (one, other) {
            (Ty::Enum(names), Ty::Int) | (Ty::Int, Ty::Enum(names)) => {
                let first = self.enum_entry(*names).decl.members.first().map_or("name", |member| member.name.as_str());
                Some(format!(
                    "write a member such as `{}::{first}`, or `.to_i` for the integer",
                    self.enum_entry(*names).decl.name
                ))
            }
            (Ty::Int, Ty::Str) | (Ty::Str, Ty::Int) => {
                Some("text is in quotes, an integer is not; `.to_i` of text is an integer".to_owned())
            }
            (Ty::Bytes, Ty::Str) | (Ty::Str, Ty::Bytes) => Some("write bytes as a list: `[0x41, 0x42]`".to_owned()),
            (Ty::Bool, Ty::Int) | (Ty::Int, Ty::Bool) => Some("write `true` or `false`; a `b1` is a boolean".to_owned()),
            _ => None,
        };
        self.report(problem.help_if(help));
        None
    }

    fn list(&self, elements: &[Syntax], scope: &Scope) -> Option<(Kind, Ty)> {
        let byte = |element: &Syntax| match element.kind {
            SyntaxKind::Int(value) => u8::try_from(value).ok(),
            _ => None,
        };
        if let Some(bytes) = elements.iter().map(byte).collect::<Option<Vec<u8>>>() {
            return Some((Kind::Bytes(bytes), Ty::Bytes));
        }
        let resolved: Vec<Option<Expr>> = elements.iter().map(|element| self.expression(element, scope)).collect();
        let resolved: Vec<Expr> = resolved.into_iter().collect::<Option<_>>()?;
        let ty = resolved.iter().map(|element| element.ty.clone()).reduce(join).unwrap_or(Ty::Any);
        if ty == Ty::Any && resolved.iter().all(|element| element.ty != Ty::Any) {
            let place = resolved.iter().map(|element| element.place).reduce(SourceRange::to).unwrap_or_default();
            self.error(place, "a list of values of several types");
            return None;
        }
        Some((Kind::List(resolved), Ty::Array(Box::new(ty))))
    }

    fn format(&self, parts: &[FormatPart], scope: &Scope) -> Option<(Kind, Ty)> {
        let mut pieces = Vec::new();
        for part in parts {
            pieces.push(match part {
                FormatPart::Text(text) => Piece::Text(text.clone()),
                FormatPart::Value(syntax, show) => {
                    let value = self.expression(syntax, scope)?;
                    if !matches!(value.ty, Ty::Int | Ty::Float | Ty::Str | Ty::Bool | Ty::Enum(_) | Ty::Struct(_) | Ty::Any) {
                        self.error(value.place, format!("{} has no text", self.describe(&value.ty)));
                        return None;
                    }
                    Piece::Value(value, *show)
                }
            });
        }
        Some((Kind::Format(pieces), Ty::Str))
    }

    fn cast(&self, object: &Syntax, to: &TypeName, scope: &Scope) -> Option<(Kind, Ty)> {
        let (object, ty) = both(self.boxed(object, scope), self.named_ty(to, scope.this))?;
        let fits = match (&object.ty, &ty) {
            (one, other) if one == other => true,
            (Ty::Any, _) | (_, Ty::Any) | (Ty::Struct(_), Ty::Struct(_)) | (Ty::Int | Ty::Float, Ty::Int | Ty::Float) => true,
            (Ty::Array(element), Ty::Bytes) => **element == Ty::Int,
            (Ty::Array(one), Ty::Array(other)) => {
                matches!((&**one, &**other), (Ty::Any | Ty::Struct(_), Ty::Struct(_)) | (Ty::Any, _) | (Ty::Int, Ty::Int))
            }
            (Ty::Bytes, Ty::Array(element)) => **element == Ty::Int,
            _ => false,
        };
        if !fits {
            return self.convert(object, ty, to.place, scope);
        }
        if let (Kind::List(elements), Ty::Bytes) = (&object.kind, &ty) {
            return Some((Kind::List(elements.clone()), Ty::Bytes));
        }
        Some((Kind::Cast(object), ty))
    }

    /// A cast that converts, as target languages without static types do. One that cannot leaves the value as it is.
    fn convert(&self, object: Box<Expr>, ty: Ty, place: SourceRange, scope: &Scope) -> Option<(Kind, Ty)> {
        let method = match (&object.ty, &ty) {
            (Ty::Bool, Ty::Int) => Method::BoolToInt,
            (Ty::Enum(_), Ty::Int) => Method::EnumToInt,
            (Ty::Int, Ty::Str) => Method::IntToStr,
            (Ty::Float, Ty::Str) => Method::FloatToStr,
            (Ty::Str, Ty::Int) => Method::StrToInt,
            (Ty::Int, Ty::Enum(names)) => return Some((Kind::ToEnum(object, *names), ty)),
            (Ty::Bytes, Ty::Str) => {
                let encoding = self.encoding(scope.this).unwrap_or(Encoding::Known("UTF-8"));
                return Some((Kind::Decode(object, encoding), ty));
            }
            (Ty::Int, Ty::Bool) => {
                let zero = Expr { kind: Kind::Int(0), ty: Ty::Int, place };
                return Some((Kind::Compare(Compare::Ne, object, Box::new(zero)), ty));
            }
            (from, to) => {
                let message = format!("{} cannot be cast to {}", self.describe(from), self.describe(to));
                let help = "it stays as it is; remove `.as<…>`";
                self.report(Problem { error: false, ..Problem::error(place, message).help(help) });
                let ty = object.ty.clone();
                return Some((object.kind, ty));
            }
        };
        Some((Kind::Method(method, object), ty))
    }

    /// A function, or a table beside the file.
    fn call(&self, name: &str, place: SourceRange, args: &[Syntax], scope: &Scope) -> Option<(Kind, Ty)> {
        if name == "table" {
            return self.table_call(place, args, scope);
        }
        let Some(function) = process::function(name) else {
            let known = process::FUNCTIONS.iter().map(|known| known.name).chain(["table"]);
            let problem = Problem::error(place, format!("no function is called `{name}`"));
            self.report(problem.help_if(suggestion(name, known)));
            return None;
        };
        let args = self.call_arguments(name, function.parameters, args, place, scope)?;
        let ty = match function.result {
            process::Kind::Int => Ty::Int,
            process::Kind::Bytes => Ty::Bytes,
            process::Kind::Text => Ty::Str,
            process::Kind::Any => Ty::Any,
        };
        Some((Kind::Call(function.name, args), ty))
    }

    /// `table("ops.tsv", version)`.
    fn table_call(&self, place: SourceRange, args: &[Syntax], scope: &Scope) -> Option<(Kind, Ty)> {
        let [Syntax { kind: SyntaxKind::Str(name), place: name_place, .. }, version] = args else {
            let problem = Problem::error(place, "`table` takes the name of a file and a version");
            self.report(problem.help("write `table(\"ops.tsv\", _root.version)`"));
            return None;
        };
        let table = self.table(name, scope.this, *name_place)?;
        self.name_enum(table, scope.this, *name_place);
        let version = self.boxed(version, scope)?;
        self.demand(&version, &Ty::Int, "a version")?;
        Some((Kind::Table(table, version), Ty::Array(Box::new(Ty::Int))))
    }

    fn enum_member(&self, of: &TypeName, member: &str, place: SourceRange, scope: &Scope) -> Option<(Kind, Ty)> {
        let id = self.find_enum(of, scope.this)?;
        if let Some(value) = self.enum_entry(id).values.get(member) {
            return Some((Kind::Member(id, *value), Ty::Enum(id)));
        }
        let members = if self.has_helped() { &[] } else { self.enum_entry(id).decl.members.as_slice() };
        let problem = Problem::error(place, format!("the enum `{}` has no member `{member}`", of.text()));
        self.report(problem.help_if(suggestion(member, members.iter().map(|known| known.name.as_str()))));
        None
    }

    /// A name without an object: a member of the current object, or a special name.
    fn name(&self, name: &str, place: SourceRange, scope: &Scope) -> Option<(Kind, Ty)> {
        let this = || Box::new(Expr { kind: Kind::This, ty: Ty::Struct(Some(scope.this)), place });
        match name {
            "_" => match &scope.item {
                Some(item) => Some((Kind::Item, item.clone())),
                None => {
                    self.error(place, "`_` is the element in `repeat-until` and the value in `valid`; there is none here");
                    None
                }
            },
            "_index" if scope.repeats => Some((Kind::Index, Ty::Int)),
            "_index" => {
                self.error(place, "`_index` is the number of an element of `repeat`; there is none here");
                None
            }
            _ => self.attribute(this(), name, place, None, scope),
        }
    }

    /// The type of a calculated instance.
    pub(super) fn calculated_ty(&self, of: TypeId, n: u32, attribute: &Attribute<'d>) -> Option<Ty> {
        let key = (of, n);
        match self.calculated.borrow().get(&key) {
            Some(Calculated::Done(ty)) => return ty.clone(),
            Some(Calculated::InProgress) => {
                let problem =
                    Problem::error(attribute.decl.place, format!("the instance `{}` depends on itself", attribute.decl.name));
                self.report(problem.help("for that of another object, state the type: `(…).as<u4>`"));
                return None;
            }
            None => {}
        }
        let value = attribute.decl.value.as_ref()?;
        self.calculated.borrow_mut().insert(key, Calculated::InProgress);
        let ty = match &value.kind {
            // A cast states the type, so that the value may depend on the same instance of another object.
            SyntaxKind::Cast(_, to) => self.named_ty(to, of),
            _ => self.expression(value, &Scope::plain(of)).map(|value| value.ty),
        };
        let ty = match attribute.names {
            Some(names) => ty.map(|_| Ty::Enum(names)),
            None if attribute.decl.names.is_some() => None,
            None => ty,
        };
        self.calculated.borrow_mut().insert(key, Calculated::Done(ty.clone()));
        ty
    }

    /// The member of a type by its name.
    pub(super) fn slot(&self, of: TypeId, name: &str) -> Option<Slot> {
        self.outline_of(of).slots.get(name).copied()
    }

    /// The kind of values of a type, with an article.
    pub(super) fn describe(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "an integer".to_owned(),
            Ty::Float => "a float".to_owned(),
            Ty::Bool => "a boolean".to_owned(),
            Ty::Str => "text".to_owned(),
            Ty::Bytes => "bytes".to_owned(),
            Ty::Enum(id) => format!("a member of the enum `{}`", self.enum_entry(*id).decl.name),
            Ty::Struct(Some(id)) => format!("an object of type `{}`", self.entry(*id).decl.name),
            Ty::Struct(None) => "an object of unknown type".to_owned(),
            Ty::Io => "a stream".to_owned(),
            Ty::Array(element) => match &**element {
                Ty::Int => "a list of integers".to_owned(),
                Ty::Struct(Some(id)) => format!("a list of `{}`", self.entry(*id).decl.name),
                _ => "a list".to_owned(),
            },
            Ty::Any => "a value of unknown type".to_owned(),
        }
    }
}

/// Both, if neither had an error.
pub(super) fn both<A, B>(one: Option<A>, other: Option<B>) -> Option<(A, B)> {
    one.zip(other)
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "%",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
    }
}

/// The conversion from one type to another.
fn conversion(from: &Ty, to: &Ty) -> Option<String> {
    Some(match (from, to) {
        (Ty::Str | Ty::Enum(_) | Ty::Bool | Ty::Float, Ty::Int) => "`.to_i` gives an integer".to_owned(),
        (Ty::Int, Ty::Bool) => "compare it: `… != 0`".to_owned(),
        (Ty::Int, Ty::Str) => "`.to_s` gives text".to_owned(),
        _ => return None,
    })
}
