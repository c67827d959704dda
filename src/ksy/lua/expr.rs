//! Expressions in Lua.

use super::code::{bare, member, quoted};
use super::{Lua, Obstacle};
use crate::ksy::expr::{Binary, Compare, Expr, Kind, Method, Piece, Show, Slot, Unary};
use crate::ksy::model::{Encoding, EnumId, FixedEndian, Ty, TypeId};

/// Maximum integer that Lua represents exactly.
const EXACT: i128 = 1 << 53;

impl Lua<'_> {
    /// An expression. All except atoms are in parentheses.
    pub(super) fn expr(&self, expr: &Expr) -> Result<String, Obstacle> {
        let of = |inner: &Expr| self.expr(inner);
        let obstacle = |why: &str| Err(Obstacle::new(expr.place, why));
        Ok(match &expr.kind {
            Kind::Int(value) => self.integer(*value, expr),
            Kind::Float(value) => float(*value),
            Kind::Bool(value) => value.to_string(),
            Kind::Str(text) => quoted(text.as_bytes()),
            Kind::Bytes(bytes) => quoted(bytes),
            Kind::List(elements) if expr.ty == Ty::Bytes => self.chars(elements)?,
            Kind::List(elements) => format!("({{ n = {}, {} }})", elements.len(), self.all(elements)?),
            Kind::Member(id, value) => format!("{}{}", self.integer(*value, expr), self.member_comment(*id, *value)),
            Kind::ToEnum(value, _) => of(value)?,
            Kind::Variable { top, variable, .. } => match self.session_variable(*top, *variable) {
                Some(name) => name,
                None => return obstacle("a session variable of another file"),
            },
            Kind::Call(name, _) => return obstacle(&format!("the function {name}")),
            Kind::Table(..) => return obstacle("a table"),
            Kind::This => "this".to_owned(),
            Kind::Item => "_".to_owned(),
            Kind::Index => "index".to_owned(),
            Kind::Field { object, of: owner, slot } => member(&of(object)?, self.slot(*owner, *slot)),
            Kind::Parent(object) => format!("{}._parent", of(object)?),
            Kind::Root(object) => format!("{}._root", of(object)?),
            Kind::Io(object) => format!("{}._io", of(object)?),
            Kind::At(list, index) if list.ty == Ty::Bytes => format!("byte_of({}, {})", of(list)?, of(index)?),
            Kind::At(list, index) => format!("element({}, {})", of(list)?, of(index)?),
            Kind::Unary(Unary::Minus, value) => format!("(-{})", of(value)?),
            Kind::Unary(Unary::Not, value) => format!("(not {})", of(value)?),
            Kind::Unary(Unary::Invert, value) => format!("(-{} - 1)", of(value)?),
            Kind::Binary(operator, left, right) => binary(*operator, &expr.ty, &of(left)?, &of(right)?),
            Kind::Compare(operator, left, right) => return self.compare(*operator, left, right, expr),
            Kind::And(left, right) => format!("({} and {})", of(left)?, of(right)?),
            Kind::Or(left, right) => format!("({} or {})", of(left)?, of(right)?),
            Kind::If(condition, yes, no) => choice(&of(condition)?, &of(yes)?, &of(no)?, &expr.ty),
            Kind::Method(method, value) => method_of(*method, &of(value)?),
            Kind::Decode(bytes, Encoding::Known("UTF-8" | "ASCII")) => of(bytes)?,
            Kind::Decode(_, encoding) => return obstacle(&format!("to_s of bytes in {}", encoding.name())),
            Kind::ToInt(text, base) => format!("to_integer({}, {})", of(text)?, of(base)?),
            Kind::Substring(text, from, to) => format!("substring({}, {}, {})", of(text)?, of(from)?, of(to)?),
            Kind::Cast(value) if matches!((&value.ty, &expr.ty), (Ty::Bytes, Ty::Array(_)) | (Ty::Array(_), Ty::Bytes)) => {
                return obstacle("a cast between bytes and a list");
            }
            Kind::Cast(value) => of(value)?,
            Kind::Format(pieces) => self.format(pieces)?,
        })
    }

    fn all(&self, elements: &[Expr]) -> Result<String, Obstacle> {
        Ok(elements.iter().map(|element| self.expr(element)).collect::<Result<Vec<_>, _>>()?.join(", "))
    }

    /// Bytes by their values. A Lua function accepts a limited number of arguments.
    fn chars(&self, elements: &[Expr]) -> Result<String, Obstacle> {
        const MOST: usize = 100;
        let parts = elements.chunks(MOST).map(|part| Ok(format!("string.char({})", self.all(part)?)));
        Ok(format!("({})", parts.collect::<Result<Vec<_>, Obstacle>>()?.join(" .. ")))
    }

    fn integer(&self, value: i128, expr: &Expr) -> String {
        if value.abs() > EXACT {
            self.note_inexact(expr.place, format!("{value} is rounded, because numbers are exact up to 2^53"));
        }
        if value < 0 { format!("({value})") } else { value.to_string() }
    }

    /// A comment with the name of a value.
    fn member_comment(&self, id: EnumId, value: i128) -> String {
        self.spec.enum_of(id).member(value).map(|member| format!(" --[[ {} ]]", member.name)).unwrap_or_default()
    }

    /// The name of a slot.
    fn slot(&self, of: TypeId, slot: Slot) -> &str {
        let of = self.spec.type_of(of);
        let name = match slot {
            Slot::Param(at) => of.params.get(at as usize).map(|param| &param.name),
            Slot::Seq(at) => of.seq.get(at as usize).map(|member| &member.name),
            Slot::Instance(at) => of.instances.get(at as usize).map(|member| &member.name),
        };
        name.map_or("", String::as_str)
    }

    fn compare(&self, operator: Compare, left: &Expr, right: &Expr, whole: &Expr) -> Result<String, Obstacle> {
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        if matches!(left.ty, Ty::Array(_)) {
            return Err(Obstacle::new(whole.place, "a comparison of lists"));
        }
        // Lua orders text by locale, not by bytes.
        let is_text = matches!(left.ty, Ty::Str | Ty::Bytes);
        Ok(match operator {
            Compare::Eq => format!("({a} == {b})"),
            Compare::Ne => format!("({a} ~= {b})"),
            Compare::Lt if is_text => format!("is_before({a}, {b})"),
            Compare::Gt if is_text => format!("is_before({b}, {a})"),
            Compare::Le if is_text => format!("(not is_before({b}, {a}))"),
            Compare::Ge if is_text => format!("(not is_before({a}, {b}))"),
            Compare::Lt => format!("({a} < {b})"),
            Compare::Le => format!("({a} <= {b})"),
            Compare::Gt => format!("({a} > {b})"),
            Compare::Ge => format!("({a} >= {b})"),
        })
    }

    fn format(&self, pieces: &[Piece]) -> Result<String, Obstacle> {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => Ok(quoted(text.as_bytes())),
            Piece::Value(value, show) => self.piece(value, *show),
        };
        let pieces = pieces.iter().map(piece).collect::<Result<Vec<_>, _>>()?;
        Ok(if pieces.is_empty() { "\"\"".to_owned() } else { format!("({})", pieces.join(" .. ")) })
    }

    fn piece(&self, value: &Expr, show: Show) -> Result<String, Obstacle> {
        let text = self.expr(value)?;
        Ok(match (&value.ty, show) {
            (Ty::Int | Ty::Enum(_), Show::Hex) => format!("string.format(\"0x%x\", {text})"),
            (Ty::Int | Ty::Enum(_), Show::Digits { width, upper }) => {
                format!("string.format(\"%0{width}{}\", {text})", if upper { 'X' } else { 'x' })
            }
            (Ty::Enum(id), Show::Plain) => {
                self.uses(*id);
                format!("named({}, {text})", member("names", self.names.enum_name(*id)))
            }
            (Ty::Int | Ty::Enum(_), _) => format!("string.format(\"%d\", {text})"),
            (Ty::Str, _) => text,
            (Ty::Bytes, _) => format!("hex({text})"),
            (Ty::Struct(_), _) => format!("summary({text})"),
            (Ty::Float | Ty::Bool, _) => format!("tostring({text})"),
            (Ty::Array(_) | Ty::Any | Ty::Io, _) => format!("words_of({text})"),
        })
    }

    /// Wireshark's name of an encoding.
    pub(super) fn encoding(&self, encoding: &Encoding, place: crate::ksy::source_range::SourceRange) -> String {
        let name = encoding.name();
        let known = match name {
            "ASCII" => "ENC_ASCII",
            "UTF-8" => "ENC_UTF_8",
            "UTF-16BE" => "ENC_UTF_16 + ENC_BIG_ENDIAN",
            "UTF-16LE" => "ENC_UTF_16 + ENC_LITTLE_ENDIAN",
            "UTF-32BE" => "ENC_UCS_4 + ENC_BIG_ENDIAN",
            "UTF-32LE" => "ENC_UCS_4 + ENC_LITTLE_ENDIAN",
            "windows-1250" => "ENC_WINDOWS_1250",
            "windows-1251" => "ENC_WINDOWS_1251",
            "windows-1252" => "ENC_WINDOWS_1252",
            "IBM437" => "ENC_CP437",
            "IBM866" => "ENC_CP866",
            "EUC-KR" => "ENC_EUC_KR",
            _ => match name.strip_prefix("ISO-8859-") {
                Some(part) => return format!("ENC_ISO_8859_{part}"),
                None => {
                    self.note_inexact(place, format!("Wireshark has no encoding {name} for scripts; its text is read as UTF-8"));
                    "ENC_UTF_8"
                }
            },
        };
        known.to_owned()
    }
}

/// A condition on the byte order of an object.
pub(super) const fn is_little(endian: FixedEndian) -> &'static str {
    match endian {
        FixedEndian::Little => "LITTLE",
        FixedEndian::Big => "BIG",
    }
}

fn float(value: f64) -> String {
    match value {
        _ if value.is_nan() => "(0/0)".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "math.huge" } else { "(-math.huge)" }.to_owned(),
        _ if value < 0.0 => format!("({value:?})"),
        _ => format!("{value:?}"),
    }
}

fn binary(operator: Binary, ty: &Ty, a: &str, b: &str) -> String {
    match operator {
        Binary::Add if matches!(ty, Ty::Str | Ty::Bytes) => format!("({a} .. {b})"),
        Binary::Add => format!("({a} + {b})"),
        Binary::Subtract => format!("({a} - {b})"),
        Binary::Multiply => format!("({a} * {b})"),
        Binary::Divide if *ty == Ty::Int => format!("divide({a}, {b})"),
        Binary::Divide => format!("({a} / {b})"),
        Binary::Modulo if *ty == Ty::Int => format!("modulo({a}, {b})"),
        Binary::Modulo => format!("({a} % {b})"),
        Binary::ShiftLeft => format!("shl({a}, {b})"),
        Binary::ShiftRight => format!("shr({a}, {b})"),
        Binary::BitAnd => format!("band({a}, {b})"),
        Binary::BitOr => format!("bor({a}, {b})"),
        Binary::BitXor => format!("bxor({a}, {b})"),
    }
}

/// One of two values. `a and b or c` would give `c` if `b` is false or absent.
fn choice(condition: &str, yes: &str, no: &str, ty: &Ty) -> String {
    match ty {
        Ty::Int | Ty::Float | Ty::Str | Ty::Bytes | Ty::Enum(_) => format!("({condition} and {yes} or {no})"),
        _ => {
            let [condition, yes, no] = [condition, yes, no].map(bare);
            format!("either({condition}, function() return {yes} end, function() return {no} end)")
        }
    }
}

fn method_of(method: Method, value: &str) -> String {
    match method {
        Method::IntToStr => format!("string.format(\"%d\", {value})"),
        Method::FloatToStr => format!("tostring({value})"),
        Method::FloatToInt => format!("truncate({value})"),
        Method::EnumToInt => value.to_owned(),
        Method::BoolToInt => format!("({value} and 1 or 0)"),
        Method::StrToInt => format!("to_integer({value}, 10)"),
        Method::StrLength => format!("characters({value}).n"),
        Method::StrReverse => format!("reverse({value})"),
        Method::BytesLength => format!("(#{value})"),
        Method::BytesFirst => format!("byte_of({value}, 0)"),
        Method::BytesLast => format!("byte_of({value}, #{value} - 1)"),
        Method::BytesMin => format!("least({{ string.byte({value}, 1, -1) }})"),
        Method::BytesMax => format!("greatest({{ string.byte({value}, 1, -1) }})"),
        Method::ListSize => format!("{value}.n"),
        Method::ListFirst => format!("element({value}, 0)"),
        Method::ListLast => format!("last({value})"),
        Method::ListMin => format!("least({value})"),
        Method::ListMax => format!("greatest({value})"),
        Method::IoEof => format!("eof({value})"),
        Method::IoSize => format!("({value}.to - {value}.from)"),
        Method::IoPos => format!("({value}.at - {value}.from)"),
    }
}
