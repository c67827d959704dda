//! Parser of the column notation.
//!
//! ```text
//! fields = "" | "-" | item *( SP item )
//! item   = ["?"] name ":" body [ "[" number "]" ] [ "#" expr ] [ "~" how ] [ repeat ] [ "@" cond *( "," cond ) ]
//! body   = type [ "(" name ")" ] | "{" item *( SP item ) "}"
//! repeat = "*" | "*" expr | "*until(" cond ")"
//! how    = "rev" | "add" | "rev_add"
//! cond   = expr [ op value *( "|" value ) ]        op = "=" "!=" "<" ">" "<=" ">=" "!&"
//! value  = number | number ".." number
//! expr   = ( name | "$" name ) *( ( ">>" | "&" | "-" | "+" ) number )
//! ```
//! Names are resolved here: a condition refers to indexes in scopes, not to names.

use super::expr::{Bound, Cond, Expr, Ref, Step, Test};
use super::{Body, Column, Layout, Manner, Repeat, interner, similar_types};
use crate::protocols::runescape::types::{Script, Turn, Type};
use crate::protocols::runescape::value_names;
use std::sync::Arc;

/// Maximum nesting of groups.
const MOST_GROUPS: usize = 16;

/// Numbers that depend on data outside of the packet.
const OUTSIDE: [&str; 2] = ["recolours", "retextures"];

/// Groups that are types, with their fields.
const GROUPS: &[(&str, &str)] = &[(
    "fine_move",
    "parts:u8 dx:i8@parts&3=1 dx:i16@parts&3=2 dx:i32@parts&3=3 \
     dy:i8@parts>>2&3=1 dy:i16@parts>>2&3=2 dy:i32@parts>>2&3=3 \
     dz:i8@parts>>4&3=1 dz:i16@parts>>4&3=2 dz:i32@parts>>4&3=3 \
     angle:i8@parts>>6&3=1 angle:i16@parts>>6&3=2 angle:i32@parts>>6&3=3",
)];

/// A syntax error: its byte offset in the list, and what was expected.
#[derive(Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Place in the list.
    pub at: usize,
    /// The problem, and what was expected.
    pub words: String,
}

type Parsed<T> = std::result::Result<T, ParseError>;

/// Groups of a revision by name.
pub type Groups<'t> = &'t [(&'t str, &'t str)];

/// Parses a list of fields. `prefix` precedes their names; `packet` names the container in descriptions.
///
/// # Errors
/// The first mistake.
pub fn parse(prefix: &str, packet: &str, list: &str, groups: Groups<'_>) -> Parsed<Arc<Layout>> {
    let mut parser = Parser { list, at: 0, groups, scopes: Vec::new(), depth: 0 };
    let layout = parser.items(prefix, packet, false)?;
    Ok(Arc::new(layout))
}

/// Names of groups that are types.
pub fn group_names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(name, _)| *name)
}

/// Fields of a group that is a type in every revision.
fn group_fields(name: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(known, _)| *known == name).map(|(_, list)| *list)
}

struct Parser<'t> {
    list: &'t str,
    at: usize,
    groups: Groups<'t>,
    /// Names of each open scope in order of their slots.
    scopes: Vec<Vec<&'static str>>,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.list.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.list.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    fn expect(&mut self, word: &str, what: &str) -> Parsed<()> {
        if self.take(word) { Ok(()) } else { self.wrong(format!("{} where {what} was expected", self.found())) }
    }

    /// The text found here, for errors.
    fn found(&self) -> String {
        match self.rest().chars().next() {
            Some(character) => format!("{character:?} positions"),
            None => "the list ends".to_owned(),
        }
    }

    fn wrong<T>(&self, words: String) -> Parsed<T> {
        self.wrong_at(self.at, words)
    }

    fn wrong_at<T>(&self, at: usize, words: String) -> Parsed<T> {
        Err(ParseError { at, words })
    }

    fn word(&mut self, belongs: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn name(&mut self, what: &str) -> Parsed<&'t str> {
        let start = self.at;
        let name = self.word(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if super::is_name(name) {
            Ok(name)
        } else if name.is_empty() {
            self.wrong(format!("{} where {what} was expected", self.found()))
        } else {
            self.wrong_at(start, format!("the name is {name:?}; expected lower-case letters, digits and _"))
        }
    }

    fn number(&mut self) -> Parsed<i64> {
        let start = self.at;
        let sign = if self.take("-") { -1 } else { 1 };
        let digits = self.word(|byte| byte.is_ascii_alphanumeric());
        let number = match digits.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        match number {
            Ok(number) => Ok(sign * number),
            Err(_) => {
                self.wrong_at(start, format!("{:?} where a number was expected", self.list.get(start..self.at).unwrap_or("")))
            }
        }
    }

    /// Reads items up to the end, or up to the brace that closes their group.
    fn items(&mut self, prefix: &str, packet: &str, is_inner: bool) -> Parsed<Layout> {
        self.scopes.push(Vec::new());
        let mut columns = Vec::new();
        loop {
            self.word(|byte| byte == b' ');
            match self.peek() {
                None if is_inner => return self.wrong("the group has no }".to_owned()),
                None => break,
                Some(b'}') if is_inner => {
                    self.at += 1;
                    break;
                }
                Some(_) => columns.push(self.item(prefix, packet)?),
            }
        }
        let slots = self.scopes.pop().unwrap_or_default().len();
        Ok(Layout::new(columns, slots))
    }

    fn item(&mut self, prefix: &str, packet: &str) -> Parsed<Column> {
        let start = self.at;
        let optional = self.take("?");
        let name = interner::leak(self.name("the name of a field")?);
        if !self.take(":") {
            let word = self.word(|byte| byte != b' ');
            let words = format!("the field is \"{name}{word}\"; expected name:type, such as slot:u16_add");
            return self.wrong_at(start, words);
        }
        let mut repeat = None;
        let (body, field) = if self.take("{") {
            let field = interner::group(prefix, name, packet);
            let inner = format!("{prefix}.{name}");
            (Body::Group(self.nested(|parser| parser.items(&inner, packet, true))?), field)
        } else {
            self.typed(prefix, packet, name, &mut repeat)?
        };
        let cut = if self.take("#") { Some(self.expr()?) } else { None };
        let turn = if self.take("~") { self.turn()? } else { Turn::No };
        if turn != Turn::No && cut.is_none() && !matches!(body, Body::Type(Type::Bytes)) {
            return self.wrong(format!("{name} is changed before it is read, so its length is needed: #expr before ~"));
        }
        // `*until` sees the names of the turn, which is the scope of its group.
        if self.take("*") {
            if repeat.is_some() {
                return self.wrong(format!("{name} is repeated by [ ] and by *"));
            }
            repeat = Some(self.repeat(&body)?);
        }
        let mut conds = Vec::new();
        if self.take("@") {
            conds.push(self.cond()?);
            while self.take(",") {
                conds.push(self.cond()?);
            }
        }
        if !matches!(self.peek(), None | Some(b' ' | b'}')) {
            return self.wrong(format!("{} behind {name}; expected a space, or #, ~, *, @ in this order", self.found()));
        }
        let slot = self.declare(name);
        let is_plain = !optional && cut.is_none() && turn == Turn::No && repeat.is_none() && conds.is_empty();
        let manner = (!is_plain).then(|| Box::new(Manner { optional, cut, turn, repeat, conds: conds.into() }));
        Ok(Column { name, field, body, after: 0, parts: value_names::parts(packet, name), slot, manner })
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<Arc<T>> {
        if self.depth >= MOST_GROUPS {
            return self.wrong(format!("groups nest more than {MOST_GROUPS} deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result.map(Arc::new)
    }

    /// Reads a type, and the count of values in brackets.
    fn typed(
        &mut self,
        prefix: &str,
        packet: &str,
        name: &'static str,
        repeat: &mut Option<Repeat>,
    ) -> Parsed<(Body, &'static crate::tree::Field)> {
        let start = self.at;
        let word = self.word(|byte| byte.is_ascii_alphanumeric() || b"_[]".contains(&byte));
        if let Some(of) = Type::named(word) {
            return Ok((Body::Type(of), interner::intern(prefix, packet, name, of)));
        }
        let (of, count) = match word.strip_suffix(']').and_then(|word| word.split_once('[')) {
            Some((of, count)) => (of, Some(count)),
            None => (word, None),
        };
        if let Some(count) = count {
            let count = count.parse().ok().filter(|count| *count > 0);
            let Some(count) = count else {
                return self.wrong_at(start, format!("the type is {word:?}; expected a number in [ ]"));
            };
            *repeat = Some(Repeat::Times(Expr { of: Ref::Number(count), steps: Box::default() }));
        }
        if let Some(of) = Type::named(of) {
            return Ok((Body::Type(of), interner::intern(prefix, packet, name, of)));
        }
        let list = self.groups.iter().find(|(known, _)| *known == of).map(|(_, list)| *list).or_else(|| group_fields(of));
        if let Some(list) = list {
            let outer = (self.list, self.at);
            (self.list, self.at) = (list, 0);
            let layout = self.nested(|parser| parser.items(&format!("rs.{of}"), of, false));
            (self.list, self.at) = outer;
            let layout =
                layout.map_err(|ParseError { words, .. }| ParseError { at: start, words: format!("in {of}: {words}") })?;
            return Ok((Body::Group(layout), interner::group(prefix, name, packet)));
        }
        if let Some(script) = Script::named(of) {
            self.expect("(", "the name of the text with the types, in ( )")?;
            let at = self.at;
            let types = self.name("the name of the text with the types")?;
            let slot = self.scopes.last().and_then(|scope| scope.iter().position(|known| *known == types));
            let Some(slot) = slot else { return self.wrong_at(at, format!("{types} names no field before {name}")) };
            self.expect(")", "a closing )")?;
            return Ok((Body::Script(script, slot), interner::group(prefix, name, packet)));
        }
        self.wrong_at(start, format!("the type of {name} is {word:?}; expected one such as {}", similar_types(of)))
    }

    fn turn(&mut self) -> Parsed<Turn> {
        let start = self.at;
        match self.word(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
            "rev" => Ok(Turn::Reversed),
            "add" => Ok(Turn::Added),
            "rev_add" => Ok(Turn::ReversedAdded),
            other => self.wrong_at(start, format!("the bytes are changed by {other:?}; expected rev, add or rev_add")),
        }
    }

    fn repeat(&mut self, body: &Body) -> Parsed<Repeat> {
        if self.take("until(") {
            let names = match body {
                Body::Group(group) => group.columns.iter().map(|column| (column.name, column.slot)).collect(),
                Body::Type(_) | Body::Script(..) => Vec::new(),
            };
            let mut scope = Vec::new();
            for (name, slot) in names {
                scope.resize(scope.len().max(slot + 1), "");
                if let Some(place) = scope.get_mut(slot) {
                    *place = name;
                }
            }
            self.scopes.push(scope);
            let cond = self.cond();
            self.scopes.pop();
            let cond = cond?;
            self.expect(")", "a closing )")?;
            return Ok(Repeat::Until(cond));
        }
        match self.peek() {
            None | Some(b' ' | b'}' | b'@') => Ok(Repeat::Rest),
            Some(_) => Ok(Repeat::Times(self.expr()?)),
        }
    }

    fn expr(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let of = if self.take("$") {
            match self.name("a name such as size or left")? {
                "size" => Ref::Size,
                "left" => Ref::Left,
                name => match OUTSIDE.iter().find(|known| **known == name) {
                    Some(name) => Ref::Outside(name),
                    None => {
                        return self
                            .wrong_at(start, format!("${name} is unknown; expected $size, $left, ${}", OUTSIDE.join(" or $")));
                    }
                },
            }
        } else if self.peek().is_some_and(|byte| byte.is_ascii_digit() || byte == b'-') {
            Ref::Number(self.number()?)
        } else {
            let name = self.name("the name of a field")?;
            let found = self
                .scopes
                .iter()
                .rev()
                .enumerate()
                .filter_map(|(up, scope)| scope.iter().position(|known| *known == name).map(|slot| Bound { up, slot }));
            let places: Box<[Bound]> = found.collect();
            if places.is_empty() {
                return self.wrong_at(start, format!("{name} names no field before it"));
            }
            Ref::Field(places)
        };
        let mut steps = Vec::new();
        loop {
            steps.push(if self.take(">>") {
                let at = self.at;
                match self.number()?.try_into() {
                    Ok(by @ 0..64) => Step::Shift(by),
                    _ => return self.wrong_at(at, "a shift by this number; expected 0 to 63".to_owned()),
                }
            } else if self.take("&") {
                Step::And(self.number()?)
            } else if self.take("+") {
                Step::Plus(self.number()?)
            } else if self.take("-") {
                Step::Plus(-self.number()?)
            } else {
                break;
            });
        }
        Ok(Expr { of, steps: steps.into() })
    }

    fn cond(&mut self) -> Parsed<Cond> {
        let of = self.expr()?;
        let test = if self.take("!&") {
            Test::NoneOf(self.number()?)
        } else if self.take("!=") {
            Test::In(self.values()?, false)
        } else if self.take("<=") {
            Test::Below(self.number()?.saturating_add(1))
        } else if self.take(">=") {
            Test::Above(self.number()?.saturating_sub(1))
        } else if self.take("=") {
            Test::In(self.values()?, true)
        } else if self.take("<") {
            Test::Below(self.number()?)
        } else if self.take(">") {
            Test::Above(self.number()?)
        } else {
            Test::True
        };
        Ok(Cond { of, test })
    }

    fn values(&mut self) -> Parsed<Box<[(i64, i64)]>> {
        let mut ranges = Vec::new();
        loop {
            let least = self.number()?;
            ranges.push((least, if self.take("..") { self.number()? } else { least }));
            if !self.take("|") {
                return Ok(ranges.into());
            }
        }
    }

    /// The slot of a name in the innermost scope.
    fn declare(&mut self, name: &'static str) -> usize {
        let Some(scope) = self.scopes.last_mut() else { return 0 };
        scope.iter().position(|known| *known == name).unwrap_or_else(|| {
            scope.push(name);
            scope.len() - 1
        })
    }
}

impl Layout {
    fn new(mut columns: Vec<Column>, slots: usize) -> Layout {
        let mut after = 0_usize;
        for column in columns.iter_mut().rev() {
            column.after = after;
            after = after.saturating_add(column.width().unwrap_or_default());
        }
        Layout { columns: columns.into(), slots }
    }
}
