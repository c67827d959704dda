//! Attributes and instances of the model.

use super::Resolver;
use super::expression::Scope;
use super::outline::{Attribute, Word, Words, word_ty};
use super::words::Builtin;
use crate::ksy::decl::{AttrDecl, Named, ParentDecl, RepeatDecl, TypeDeclOf};
use crate::ksy::expr::syntax::{Call, Syntax, SyntaxKind};
use crate::ksy::expr::{Expr, Kind};
use crate::ksy::model::{
    Bytes, Data, Endian, FixedEndian, Member, Object, ParentOf, Process, Read, Repeat, Size, Switch, Terminator, Ty, TypeId,
    ValueSource,
};
use crate::ksy::process;
use crate::ksy::report::Problem;
use crate::ksy::run::process::processor as external;
use crate::ksy::source_range::SourceRange;
use crate::nearest::suggestion;

impl<'d> Resolver<'d> {
    /// A member; `None` after an error.
    pub(super) fn build_member(&self, attribute: &Attribute<'d>, of: TypeId) -> Option<Member> {
        let decl = attribute.decl;
        self.check_keys(attribute);
        let plain = Scope::plain(of);
        let condition = self.optional(decl.condition.as_ref(), &plain, &Ty::Bool, "`if`");
        let source = match &decl.value {
            Some(value) => self.calculated(attribute, value, of).map(ValueSource::Value),
            None => self.read(attribute, of).map(|read| ValueSource::Read(Box::new(read))),
        };
        let item = match &source {
            Some(ValueSource::Value(value)) => Some(value.ty.clone()),
            _ => attribute.item.clone(),
        };
        let valid = self.valid(attribute, item.as_ref(), of);
        let (source, item) = super::expression::both(source, item)?;
        let is_one = decl.value.is_some() || matches!(decl.repeat, RepeatDecl::No);
        let item_is_bytes = matches!(item, Ty::Bytes | Ty::Any);
        Some(Member {
            name: decl.name.clone(),
            docs: decl.docs.clone(),
            condition: condition?,
            source,
            valid: valid?,
            ty: if is_one { item } else { Ty::Array(Box::new(item)) },
            object: decl.object.clone(),
            payload: self.payload(decl.payload.as_ref(), item_is_bytes)?,
            is_hex: decl.is_hex || self.represents_in_hex(&decl.name, of),
            effect: self.build_effect(&decl.effect, of)?,
            place: decl.place,
        })
    }

    /// The protocol of the bytes of an attribute; `None` after an error.
    #[allow(clippy::option_option, reason = "the outer one is an error")]
    fn payload(&self, decl: Option<&Named<String>>, is_bytes: bool) -> Option<Option<String>> {
        if let Some(Named { place, .. }) = decl.filter(|_| !is_bytes) {
            let problem = Problem::error(*place, "`payload` of a value that is no bytes");
            self.report(problem.help("remove `type`, so that another protocol reads the bytes"));
            return None;
        }
        Some(decl.map(|name| name.value.clone()))
    }

    /// An expression of this type, if there is one: `Some(None)` where there is none, `None` after an error.
    fn optional(&self, syntax: Option<&Syntax>, scope: &Scope, ty: &Ty, what: &str) -> Option<Option<Expr>> {
        match syntax {
            None => Some(None),
            Some(syntax) => self.required(syntax, scope, ty, what).map(Some),
        }
    }

    fn required(&self, syntax: &Syntax, scope: &Scope, ty: &Ty, what: &str) -> Option<Expr> {
        let expr = self.expression(syntax, scope)?;
        self.demand(&expr, ty, what)?;
        Some(expr)
    }

    fn calculated(&self, attribute: &Attribute<'d>, value: &Syntax, of: TypeId) -> Option<Expr> {
        let value = self.expression(value, &Scope::plain(of))?;
        let Some(name) = &attribute.decl.names else { return Some(value) };
        let names = attribute.names?;
        if value.ty != Ty::Int {
            self.error(name.place, format!("`enum` names integers, and this is {}", self.describe(&value.ty)));
            return None;
        }
        let place = value.place;
        Some(Expr { kind: Kind::ToEnum(Box::new(value), names), ty: Ty::Enum(names), place })
    }

    fn read(&self, attribute: &Attribute<'d>, of: TypeId) -> Option<Read> {
        let decl = attribute.decl;
        let plain = Scope::plain(of);
        let pos = self.optional(decl.pos.as_ref(), &plain, &Ty::Int, "`pos`");
        let io = self.optional(decl.io.as_ref(), &plain, &Ty::Io, "`io`");
        let scope = Scope { repeats: !matches!(decl.repeat, RepeatDecl::No), ..Scope::plain(of) };
        let data = self.data(attribute, &scope);
        let repeat = match &decl.repeat {
            RepeatDecl::No => Some(Repeat::No),
            RepeatDecl::Eos => Some(Repeat::Eos),
            RepeatDecl::Count(count) => self.required(count, &plain, &Ty::Int, "`repeat-expr`").map(Repeat::Count),
            RepeatDecl::Until(until) => {
                let scope = Scope { item: attribute.item.clone(), repeats: true, this: of };
                // Without the type of the element, its members would be reported as unknown.
                let until = if scope.item.is_some() { self.required(until, &scope, &Ty::Bool, "`repeat-until`") } else { None };
                until.map(Repeat::Until)
            }
        };
        Some(Read { data: data?, repeat: repeat?, pos: pos?, io: io? })
    }

    fn data(&self, attribute: &Attribute<'d>, scope: &Scope) -> Option<Data> {
        match &attribute.words {
            Words::Calculated => None,
            Words::One(word) => self.word_data(word, attribute, scope),
            Words::Switch { on, cases, otherwise, place } => {
                let on = self.expression(on, scope);
                if let Some(on) = &on
                    && matches!(on.ty, Ty::Struct(_) | Ty::Io | Ty::Array(_))
                {
                    self.error(
                        *place,
                        format!("a switch needs a value that can be compared, and this is {}", self.describe(&on.ty)),
                    );
                }
                // All cases share the size: its errors are reported once.
                let mut built = Vec::new();
                let mut complete = true;
                for (case, word) in cases {
                    let case = self.case(case, on.as_ref(), scope);
                    if let Some((on, case)) = on.as_ref().zip(case.as_ref()) {
                        complete &= self.comparable(&on.ty, &case.ty, case.place).is_some();
                    }
                    match case.zip(self.word_data(word, attribute, scope)) {
                        Some(pair) => built.push(pair),
                        None => complete = false,
                    }
                }
                let otherwise = match otherwise {
                    Some(word) => Some(self.word_data(word, attribute, scope)?),
                    None => None,
                };
                let is_partial = matches!(&attribute.decl.ty, Some(TypeDeclOf::Switch { otherwise: None, .. }));
                Some(Data::Switch(Box::new(Switch { on: on?, cases: complete.then_some(built)?, otherwise, is_partial })))
            }
        }
    }

    /// The value of a case. A word in a switch on text lost its quotes to YAML.
    fn case(&self, case: &Syntax, on: Option<&Expr>, scope: &Scope) -> Option<Expr> {
        if let SyntaxKind::Name(name) = &case.kind
            && on.is_some_and(|on| on.ty == Ty::Str)
            && self.slot(scope.this, name).is_none()
        {
            let problem = Problem::error(case.place, format!("`{name}` is a name, and the switch is on text"));
            self.report(problem.help(format!("write text with both quotes: `'\"{name}\"'`")));
            return None;
        }
        self.expression(case, scope)
    }

    fn word_data(&self, word: &Word<'d>, attribute: &Attribute<'d>, scope: &Scope) -> Option<Data> {
        let decl = attribute.decl;
        if let (Some(name), Some(ty)) = (&decl.names, word_ty(word, None)) {
            // Bytes of a switch without a matching case have no names.
            let is_rest = matches!((&attribute.words, word), (Words::Switch { .. }, Word::Bytes | Word::Opaque));
            if !is_rest && !matches!(ty, Ty::Int | Ty::Bool) {
                self.error(name.place, format!("`enum` names integers, and this is {}", self.describe(&ty)));
                return None;
            }
        }
        let names = attribute.names;
        match word {
            Word::Unknown => None,
            Word::Builtin(Builtin::Int { bytes, signed, endian }, place) => {
                let endian = self.number_endian(*bytes, *endian, *place, scope.this)?;
                Some(Data::Int { bytes: *bytes, signed: *signed, endian, names })
            }
            Word::Builtin(Builtin::Float { bytes, endian }, place) => {
                Some(Data::Float { bytes: *bytes, endian: self.number_endian(*bytes, *endian, *place, scope.this)? })
            }
            Word::Builtin(Builtin::Bits { width, endian }, _) => {
                let endian = endian.unwrap_or_else(|| self.bit_endian(scope.this));
                Some(Data::Bits { width: *width, endian, bool: *width == 1 && names.is_none(), names })
            }
            Word::Builtin(Builtin::Str { zero }, place) => {
                let Some(encoding) = decl.bytes.encoding.clone().or_else(|| self.encoding(scope.this)) else {
                    let problem = Problem::error(decl.whole, format!("the text `{}` has no encoding", decl.name));
                    self.report(problem.help("add `encoding: UTF-8` here or in `meta`"));
                    return None;
                };
                let zeros = zero.then(|| vec![0; encoding.unit()]);
                let bytes = self.bytes(decl, zeros, scope)?;
                if bytes.is_none() {
                    self.report(no_size(*place, "text", "or write `type: strz`"));
                }
                Some(Data::Str(bytes?, encoding))
            }
            Word::Bytes => match &decl.contents {
                Some(contents) => Some(Data::Bytes(contents_bytes(contents.value.len(), contents.place))),
                None => {
                    let bytes = self.bytes(decl, None, scope)?;
                    if bytes.is_none() {
                        self.report(no_size(decl.whole, "bytes", "or a `type`"));
                    }
                    Some(Data::Bytes(bytes?))
                }
            },
            Word::Opaque => {
                let bytes = self.bytes(decl, None, scope)?;
                Some(Data::Bytes(bytes.unwrap_or(Bytes { size: Size::Eos, terminator: None, pad_right: None, process: None })))
            }
            Word::Object { of, args, place } => self.object(*of, args, *place, decl, scope),
        }
    }

    fn number_endian(&self, bytes: u8, endian: Option<FixedEndian>, place: SourceRange, of: TypeId) -> Option<Endian> {
        if bytes == 1 {
            return Some(Endian::Fixed(FixedEndian::Big));
        }
        let endian = endian.map(Endian::Fixed).or_else(|| self.endian(of));
        if endian.is_none() && self.without_endian.borrow_mut().insert(place.file) {
            let problem = Problem::error(place, "the byte order of this number is not known");
            self.report(problem.help("add `endian: le` or `be` to `meta`, or end the type with `le` or `be`"));
        }
        endian
    }

    fn object(&self, of: TypeId, args: &'d [Syntax], place: SourceRange, decl: &AttrDecl, scope: &Scope) -> Option<Data> {
        let args = self.arguments(of, args, place, scope);
        let bytes = self.bytes(decl, None, scope);
        let external = self.entry(of).top != self.entry(scope.this).top;
        let parent = match &decl.parent {
            _ if external => Some(ParentOf::Nothing),
            None => Some(ParentOf::Reader),
            Some(ParentDecl::Nothing) => Some(ParentOf::Nothing),
            Some(ParentDecl::Expr(syntax)) => self.required_object(syntax, &Scope::plain(scope.this)).map(ParentOf::Expr),
        };
        Some(Data::Object(Box::new(Object { of, args: args?, parent: parent?, external, bytes: bytes? })))
    }

    fn required_object(&self, syntax: &Syntax, scope: &Scope) -> Option<Expr> {
        let expr = self.expression(syntax, scope)?;
        if matches!(expr.ty, Ty::Struct(_)) {
            return Some(expr);
        }
        self.error(expr.place, format!("`parent` must be an object, and this is {}", self.describe(&expr.ty)));
        None
    }

    fn arguments(&self, of: TypeId, args: &'d [Syntax], place: SourceRange, scope: &Scope) -> Option<Vec<Expr>> {
        let (decl, outline) = (self.entry(of).decl, self.outline_of(of));
        let built: Vec<Option<Expr>> = args.iter().map(|arg| self.expression(arg, scope)).collect();
        if args.len() != decl.params.len() {
            let message = format!("`{}` has {}, not {}", decl.name, parameters(decl.params.len()), args.len());
            let names: Vec<&str> = decl.params.iter().map(|param| param.name.as_str()).collect();
            let help = (!names.is_empty()).then(|| format!("write `{}({})`", decl.name, names.join(", ")));
            self.report(Problem::error(place, message).help_if(help));
            return None;
        }
        let mut complete = Vec::new();
        for ((arg, ty), param) in built.into_iter().zip(&outline.params).zip(&decl.params) {
            let (arg, ty) = super::expression::both(arg, ty.as_ref())?;
            if !fits(ty, &arg.ty) {
                let message =
                    format!("the parameter `{}` is {}, and this is {}", param.name, self.describe(ty), self.describe(&arg.ty));
                self.error(arg.place, message);
                return None;
            }
            complete.push(arg);
        }
        Some(complete)
    }

    /// The bytes of an attribute: `Some(None)` without a size or an end, `None` after an error.
    fn bytes(&self, decl: &AttrDecl, zeros: Option<Vec<u8>>, scope: &Scope) -> Option<Option<Bytes>> {
        let keys = &decl.bytes;
        let size = match &keys.size {
            Some(size) => Some(self.required(size, scope, &Ty::Int, "`size`").map(Size::Expr)),
            None => keys.size_eos.then_some(Some(Size::Eos)),
        };
        if let (Some(continues), None) = (&decl.continues, &keys.process) {
            self.report(Problem::error(continues.place, "`continue` without `process`").help("add `process`, or remove it"));
            return None;
        }
        let continues = decl.continues.as_ref().map(|name| name.value.as_str());
        let process = keys.process.as_ref().map(|call| self.process(call, continues, scope));
        let terminator = keys.terminator.map(|byte| vec![byte]).or(zeros).map(|bytes| Terminator {
            bytes,
            include: keys.include.unwrap_or(false),
            consume: keys.consume.unwrap_or(true),
            eos_error: keys.eos_error.unwrap_or(true),
        });
        let size = match size {
            Some(size) => size?,
            None if terminator.is_some() => Size::Terminator,
            None => {
                if let Some(call) = &keys.process {
                    let problem = Problem::error(call.name.place, "`process` needs bytes of a known size");
                    self.report(problem.help("add `size`, `size-eos: true` or `terminator`"));
                    return None;
                }
                return Some(None);
            }
        };
        let process = match process {
            Some(process) => Some(process?),
            None => None,
        };
        Some(Some(Bytes { size, terminator, pad_right: keys.pad_right, process }))
    }

    /// A processor with its arguments. `continues` is the name under which its state goes on.
    fn process(&self, call: &'d Call, continues: Option<&str>, scope: &Scope) -> Option<Process> {
        let name = call.name.path.join(".");
        let custom = |args: Vec<Expr>| {
            let (name, continues) = (name.clone(), continues.map(str::to_owned));
            Some(Process::Custom { name, args, place: call.name.place, continues })
        };
        if continues.is_some() || !KAITAI.contains(&name.as_str()) {
            return match process::processor(&name) {
                Some(processor) => custom(self.processor_arguments(processor, call, scope)?),
                None => {
                    let known = process::PROCESSORS.iter().map(|known| known.name).chain(KAITAI);
                    let message = format!("no processor is called `{name}`: the bytes stay as they are");
                    let problem = Problem::error(call.name.place, message).help_if(suggestion(&name, known));
                    if external(&name).is_none() {
                        self.report(Problem { error: false, ..problem });
                    }
                    let args: Vec<Option<Expr>> = call.args.iter().map(|arg| self.expression(arg, scope)).collect();
                    custom(args.into_iter().collect::<Option<_>>()?)
                }
            };
        }
        self.kaitai_process(&name, call, scope)
    }

    /// A processor of Kaitai's own.
    fn kaitai_process(&self, name: &str, call: &'d Call, scope: &Scope) -> Option<Process> {
        let args: Vec<Option<Expr>> = call.args.iter().map(|arg| self.expression(arg, scope)).collect();
        let mut args: Vec<Expr> = args.into_iter().collect::<Option<_>>()?;
        let count = args.len();
        let wrong = |expected: &str| {
            self.error(call.name.place, format!("`{name}` takes {expected}, not {count}"));
            None
        };
        match (name, args.pop()) {
            ("zlib", None) => Some(Process::Zlib),
            ("zlib", Some(_)) => wrong("no arguments"),
            (_, Some(key)) if count == 1 => {
                let key_fits = key.ty == Ty::Int || key.ty == Ty::Any || (name == "xor" && key.ty == Ty::Bytes);
                if !key_fits {
                    let expected = if name == "xor" { "an integer or bytes" } else { "an integer" };
                    self.error(
                        key.place,
                        format!("the key of `{name}` must be {expected}, and this is {}", self.describe(&key.ty)),
                    );
                    return None;
                }
                Some(match name {
                    "xor" => Process::Xor(key),
                    "rol" => Process::RotateLeft(key),
                    _ => Process::RotateRight(key),
                })
            }
            _ => wrong("one argument"),
        }
    }
}

/// Processors of Kaitai's own.
const KAITAI: [&str; 4] = ["xor", "rol", "ror", "zlib"];

/// `contents` as bytes of a fixed size.
fn contents_bytes(len: usize, place: SourceRange) -> Bytes {
    let size = i128::try_from(len).unwrap_or(i128::MAX);
    Bytes {
        size: Size::Expr(Expr { kind: Kind::Int(size), ty: Ty::Int, place }),
        terminator: None,
        pad_right: None,
        process: None,
    }
}

fn no_size(place: SourceRange, what: &str, or: &str) -> Problem {
    Problem::error(place, format!("{what} of unknown size")).help(format!("add `size`, `size-eos: true` or `terminator`, {or}"))
}

fn parameters(count: usize) -> String {
    match count {
        0 => "no parameters".to_owned(),
        1 => "1 parameter".to_owned(),
        count => format!("{count} parameters"),
    }
}

/// Whether a parameter of one type accepts a value of the other.
pub(super) fn fits(param: &Ty, value: &Ty) -> bool {
    match (param, value) {
        (Ty::Any, _) | (_, Ty::Any) | (Ty::Float, Ty::Int) | (Ty::Struct(None), Ty::Struct(_)) => true,
        (Ty::Struct(Some(_)), Ty::Struct(None)) => true,
        (Ty::Array(param), Ty::Array(value)) => fits(param, value),
        (param, value) => param == value,
    }
}
