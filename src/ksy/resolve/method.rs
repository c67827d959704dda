//! Resolves members of objects, and methods of other values.

use super::Resolver;
use super::expression::Scope;
use crate::ksy::decl::RepeatDecl;
use crate::ksy::expr::syntax::{Syntax, SyntaxKind};
use crate::ksy::expr::{Expr, Kind, Method};
use crate::ksy::model::{Encoding, Ty, TypeId};
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use crate::nearest::suggestion;

/// A method without arguments: the name, the method, the result type.
type Simple = (&'static str, Method, Ty);

const INT: &[Simple] = &[("to_s", Method::IntToStr, Ty::Str)];
const FLOAT: &[Simple] = &[("to_i", Method::FloatToInt, Ty::Int), ("to_s", Method::FloatToStr, Ty::Str)];
const BOOL: &[Simple] = &[("to_i", Method::BoolToInt, Ty::Int)];
const ENUM: &[Simple] = &[("to_i", Method::EnumToInt, Ty::Int)];
const STR: &[Simple] =
    &[("length", Method::StrLength, Ty::Int), ("reverse", Method::StrReverse, Ty::Str), ("to_i", Method::StrToInt, Ty::Int)];
const BYTES: &[Simple] = &[
    ("length", Method::BytesLength, Ty::Int),
    ("size", Method::BytesLength, Ty::Int),
    ("first", Method::BytesFirst, Ty::Int),
    ("last", Method::BytesLast, Ty::Int),
    ("min", Method::BytesMin, Ty::Int),
    ("max", Method::BytesMax, Ty::Int),
];
const IO: &[Simple] = &[("eof", Method::IoEof, Ty::Bool), ("size", Method::IoSize, Ty::Int), ("pos", Method::IoPos, Ty::Int)];
/// Their type is that of an element, except for the size.
const LIST: &[Simple] = &[
    ("size", Method::ListSize, Ty::Int),
    ("first", Method::ListFirst, Ty::Any),
    ("last", Method::ListLast, Ty::Any),
    ("min", Method::ListMin, Ty::Any),
    ("max", Method::ListMax, Ty::Any),
];

/// Methods with arguments, for the documentation and for suggestions.
const WITH_ARGUMENTS: &[(&str, &str)] = &[("text", "substring"), ("bytes", "to_s")];

/// Members of every object.
const OBJECT: &[&str] = &["_root", "_parent", "_io", "_sizeof"];

/// All methods: the type, the name, and the arguments.
pub(in crate::ksy) fn all() -> Vec<(&'static str, &'static str, &'static str)> {
    let simple: [(&str, &[Simple]); 8] = [
        ("integer", INT),
        ("float", FLOAT),
        ("boolean", BOOL),
        ("enum", ENUM),
        ("text", STR),
        ("bytes", BYTES),
        ("list", LIST),
        ("stream", IO),
    ];
    let simple = simple.into_iter().flat_map(|(of, methods)| methods.iter().map(move |(name, ..)| (of, *name, "")));
    let more = [("text", "to_i", "(base)"), ("text", "substring", "(from, to)"), ("bytes", "to_s", "(encoding)")];
    simple.chain(more).collect()
}

/// The methods of a type that take no arguments; `None` if it has no methods.
fn without_arguments(ty: &Ty) -> Option<&'static [Simple]> {
    Some(match ty {
        Ty::Int => INT,
        Ty::Float => FLOAT,
        Ty::Bool => BOOL,
        Ty::Enum(_) => ENUM,
        Ty::Str => STR,
        Ty::Bytes => BYTES,
        Ty::Io => IO,
        Ty::Array(_) => LIST,
        Ty::Struct(_) | Ty::Any => return None,
    })
}

impl<'d> Resolver<'d> {
    /// The value of `object.name` or `object.name(args)`.
    pub(super) fn attribute(
        &self,
        object: Box<Expr>,
        name: &str,
        place: SourceRange,
        args: Option<&[Syntax]>,
        scope: &Scope,
    ) -> Option<(Kind, Ty)> {
        match object.ty.clone() {
            Ty::Struct(of) => self.member(object, of, name, place, args),
            Ty::Any => {
                let problem = Problem::error(place, format!("`{name}` of a value whose type is not known before it is read"));
                self.report(problem.help("state the type: `.as<TYPE>` before the dot"));
                None
            }
            ty => self.method(object, &ty, name, place, args.unwrap_or_default(), scope),
        }
    }

    fn member(
        &self,
        object: Box<Expr>,
        of: Option<TypeId>,
        name: &str,
        place: SourceRange,
        args: Option<&[Syntax]>,
    ) -> Option<(Kind, Ty)> {
        if let Some(args) = args {
            let end = args.first().map_or(place, |arg| arg.place);
            self.report(
                Problem::error(end, format!("`{name}` is no method and takes no arguments")).help("remove the parentheses"),
            );
            return None;
        }
        match (name, of) {
            ("_io", _) => Some((Kind::Io(object), Ty::Io)),
            ("_root", Some(of)) => Some((Kind::Root(object), Ty::Struct(Some(self.entry(of).top)))),
            ("_root", None) => Some((Kind::Root(object), Ty::Struct(None))),
            ("_parent", Some(of)) => {
                let parent = self.parents.get(of.0 as usize).cloned().unwrap_or(Ty::Struct(None));
                Some((Kind::Parent(object), parent))
            }
            ("_parent", None) => Some((Kind::Parent(object), Ty::Struct(None))),
            ("_sizeof", Some(_)) if self.is_read(&object) => self.size_of_value(&object, place),
            ("_sizeof", Some(of)) => self.size_of_type(of, place),
            (_, Some(of)) => match self.slot(of, name) {
                Some(slot) => {
                    let ty = self.member_ty(of, slot)?;
                    let variable = self.variable(of, slot).filter(|_| matches!(object.kind, Kind::Root(_)));
                    match variable {
                        Some(variable) => Some((Kind::Variable { top: of, variable, slot }, ty)),
                        None => Some((Kind::Field { object, of, slot }, ty)),
                    }
                }
                None if self.variables(of).iter().any(|variable| variable.name == name) => {
                    let message = format!("the session variable `{name}` is no parameter of `{}`", self.entry(of).decl.name);
                    let help = format!("its type is that of a parameter: add `{{id: {name}, type: u4}}` to `params`");
                    self.report(Problem::error(place, message).help(help));
                    None
                }
                None => {
                    self.report(self.unknown_member(&object, of, name, place));
                    None
                }
            },
            (_, None) => {
                let what = if matches!(object.kind, Kind::Parent(_)) {
                    "`_parent` has no single type"
                } else {
                    "the object has no single type"
                };
                let problem = Problem::error(place, format!("`{name}` is unknown here: {what}"));
                self.report(problem.help("state the type: `.as<TYPE>` before the dot"));
                None
            }
        }
    }

    fn unknown_member(&self, object: &Expr, of: TypeId, name: &str, place: SourceRange) -> Problem {
        if name.chars().any(|c| c.is_ascii_uppercase()) {
            let problem = Problem::error(place, format!("`{name}` cannot be a name"));
            return problem.help("names have lower-case letters; text is in quotes inside the expression: `'\"TEXT\"'`");
        }
        let type_name = &self.entry(of).decl.name;
        if self.has_helped() {
            return Problem::error(place, format!("`{name}` is no attribute, instance or parameter of `{type_name}`"));
        }
        let problem = Problem::error(place, format!("`{name}` is no attribute, instance or parameter of `{type_name}`"));
        if matches!(object.kind, Kind::This) && self.is_quoted(place) {
            return problem.help(format!("write text with both quotes: `'\"{name}\"'`"));
        }
        // Members of enclosing objects are reached through `_parent` and `_root`.
        let is_this = matches!(object.kind, Kind::This);
        let parent = self.parents.get(of.0 as usize);
        match parent {
            Some(Ty::Struct(Some(parent))) if is_this && self.slot(*parent, name).is_some() => {
                problem.help(format!("write `_parent.{name}`"))
            }
            _ if is_this && self.slot(self.entry(of).top, name).is_some() => problem.help(format!("write `_root.{name}`")),
            _ => {
                let known = self.outline_of(of).slots.keys().copied().chain(OBJECT.iter().copied());
                let mut known: Vec<&str> = known.collect();
                known.sort_unstable();
                let inside = || self.holder(of, name).map(|holder| format!("write `{holder}.{name}`"));
                problem.help_if(suggestion(name, known).or_else(inside))
            }
        }
    }

    /// The attribute of a type whose object has a member of this name.
    fn holder(&self, of: TypeId, name: &str) -> Option<&'d str> {
        let outline = self.outline_of(of);
        let holds = |ty: &Ty| matches!(ty, Ty::Struct(Some(inner)) if self.slot(*inner, name).is_some());
        let found = outline.seq.iter().find(|attribute| attribute.item.as_ref().is_some_and(holds));
        found.filter(|attribute| matches!(attribute.decl.repeat, RepeatDecl::No)).map(|attribute| attribute.decl.name.as_str())
    }

    /// Whether an expression is only a quoted name, whose quotes belong to YAML.
    fn is_quoted(&self, place: SourceRange) -> bool {
        let text = self.files.sources.get(place.file as usize).map_or("", |file| file.text.as_str());
        let before = text.get(..place.start as usize).and_then(|before| before.chars().next_back());
        let behind = text.get(place.end as usize..).and_then(|behind| behind.chars().next());
        before == behind && matches!(before, Some('"' | '\''))
    }

    /// An unknown method, with a similar one, or those of the type.
    fn unknown_method(&self, ty: &Ty, simple: &[Simple], name: &str, place: SourceRange) -> Problem {
        let problem = Problem::error(place, format!("{} has no `{name}`", self.describe(ty)));
        let of = if matches!(ty, Ty::Str) { "text" } else { "bytes" };
        let more =
            WITH_ARGUMENTS.iter().filter(|(known, _)| *known == of && matches!(ty, Ty::Str | Ty::Bytes)).map(|(_, name)| *name);
        let known: Vec<&str> = simple.iter().map(|(known, ..)| *known).chain(more).collect();
        problem.help(suggestion(name, known.iter().copied()).unwrap_or_else(|| format!("it has {}", known.join(", "))))
    }

    fn substring(&self, object: Box<Expr>, place: SourceRange, args: &[Syntax], scope: &Scope) -> Option<(Kind, Ty)> {
        let [from, to] = args else {
            self.error(place, "`substring` takes two arguments: the first character, and the one behind the last");
            return None;
        };
        let (from, to) = super::expression::both(self.expression(from, scope), self.expression(to, scope))?;
        super::expression::both(self.demand(&from, &Ty::Int, "the start"), self.demand(&to, &Ty::Int, "the end"))?;
        Some((Kind::Substring(object, Box::new(from), Box::new(to)), Ty::Str))
    }

    fn method(
        &self,
        object: Box<Expr>,
        ty: &Ty,
        name: &str,
        place: SourceRange,
        args: &[Syntax],
        scope: &Scope,
    ) -> Option<(Kind, Ty)> {
        let simple = without_arguments(ty)?;
        match (ty, name, args) {
            (Ty::Bytes, "to_s", _) => return self.decode(object, place, args),
            (Ty::Str, "substring", _) => return self.substring(object, place, args, scope),
            (Ty::Str, "to_i", [base]) => {
                let base = self.expression(base, scope)?;
                self.demand(&base, &Ty::Int, "the base")?;
                return Some((Kind::ToInt(object, Box::new(base)), Ty::Int));
            }
            (_, "_sizeof", []) => return self.size_of_value(&object, place),
            _ => {}
        }
        let Some((_, method, value)) = simple.iter().find(|(known, ..)| *known == name) else {
            self.report(self.unknown_method(ty, simple, name, place));
            return None;
        };
        if let Some(arg) = args.first() {
            self.error(arg.place, format!("`{name}` takes no arguments"));
            return None;
        }
        let value = match (ty, value) {
            (Ty::Array(element), Ty::Any) => (**element).clone(),
            _ => value.clone(),
        };
        if matches!(method, Method::ListMin | Method::ListMax) && !matches!(value, Ty::Int | Ty::Float | Ty::Str | Ty::Any) {
            self.error(place, format!("`{name}` needs numbers or texts, and this is {}", self.describe(ty)));
            return None;
        }
        Some((Kind::Method(*method, object), value))
    }

    /// `to_s` of bytes, whose encoding must be a literal.
    fn decode(&self, object: Box<Expr>, place: SourceRange, args: &[Syntax]) -> Option<(Kind, Ty)> {
        let [encoding] = args else {
            let problem = Problem::error(place, "`to_s` of bytes takes one argument, the encoding");
            self.report(problem.help("write `.to_s(\"UTF-8\")`"));
            return None;
        };
        let SyntaxKind::Str(name) = &encoding.kind else {
            let problem = Problem::error(encoding.place, "the encoding must be literal text");
            self.report(problem.help("write its name in quotes: `\"UTF-8\"`"));
            return None;
        };
        let encoding_of = Encoding::of(name);
        if let Some((message, help)) = encoding_of.problem(name) {
            self.report(Problem {
                error: false,
                is_advice: encoding_of.is_known(),
                ..Problem::error(encoding.place, message).help_if(help)
            });
        }
        Some((Kind::Decode(object, encoding_of), Ty::Str))
    }
}
