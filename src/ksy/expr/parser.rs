//! Parses tokens of an expression into its syntax tree. Operators have the precedence of Python.

use super::lexer::{LexedPart, Token, TokenKind, Wrong, format_parts, tokens};
use super::origin::Origin;
use super::syntax::{Call, FormatPart, Syntax, SyntaxKind, TypeName};
use super::{Binary, Compare, Unary};
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use std::ops::Range;

/// Maximum nesting of expressions; a chain of operators counts each of them.
const DEPTH: u8 = 100;

/// A whole expression.
pub(in crate::ksy) fn expression(text: &str, origin: &Origin) -> Result<Syntax, Problem> {
    parse(text, origin, |parser| parser.ternary())
}

/// The text of an f-string without its quotes.
pub(in crate::ksy) fn format_text(text: &str, origin: &Origin) -> Result<Syntax, Problem> {
    let parsed = format_parts(text).and_then(|parts| {
        let mut parser = Parser { tokens: &[], at: 0, end: text.len(), origin, depth: 0 };
        parser.format(&parts, origin.place(0..text.len()))
    });
    parsed.map_err(|wrong| problem(wrong, origin))
}

/// A type with arguments: `foo::bar(1, x)`, `foo[]`.
pub(in crate::ksy) fn type_call(text: &str, origin: &Origin) -> Result<Call, Problem> {
    parse(text, origin, |parser| {
        let name = parser.type_name()?;
        let args = if parser.take("(").is_some() { parser.arguments(")")? } else { Vec::new() };
        Ok(Call { name, args })
    })
}

/// A process: `zlib`, `xor(key)`, `some.custom_one(1)`.
pub(in crate::ksy) fn process_call(text: &str, origin: &Origin) -> Result<Call, Problem> {
    parse(text, origin, |parser| parser.process())
}

/// One process, or several in brackets: `[rc4(key), zlib]`.
pub(in crate::ksy) fn process_calls(text: &str, origin: &Origin) -> Result<Vec<Call>, Problem> {
    parse(text, origin, |parser| {
        if parser.take("[").is_none() {
            return Ok(vec![parser.process()?]);
        }
        let mut calls = Vec::new();
        while parser.take("]").is_none() {
            calls.push(parser.process()?);
            if parser.take(",").is_none() {
                parser.expect("]")?;
                break;
            }
        }
        Ok(calls)
    })
}

fn parse<T>(text: &str, origin: &Origin, what: impl FnOnce(&mut Parser<'_>) -> Result<T, Wrong>) -> Result<T, Problem> {
    let parsed = tokens(text).and_then(|tokens| {
        let mut parser = Parser { tokens: &tokens, at: 0, end: text.trim_end().len(), origin, depth: 0 };
        let parsed = what(&mut parser)?;
        match parser.peek() {
            Some(token) => Err(unexpected(token)),
            None => Ok(parsed),
        }
    });
    parsed.map_err(|wrong| problem(wrong, origin))
}

fn problem(wrong: Wrong, origin: &Origin) -> Problem {
    Problem::error(origin.place(wrong.at), wrong.message).help_if(wrong.help)
}

fn unexpected(token: &Token) -> Wrong {
    let what = match &token.kind {
        TokenKind::Name(name) => format!("`{name}`"),
        TokenKind::Symbol(symbol) => format!("`{symbol}`"),
        TokenKind::Str(_) | TokenKind::Format(_) => "text".to_owned(),
        TokenKind::Int(_) | TokenKind::Float(_) => "number".to_owned(),
    };
    Wrong::new(token.at.clone(), format!("an unexpected {what}; an operator or the end is expected"))
}

#[derive(Debug, Clone, Copy)]
enum Operator {
    Or,
    And,
    Compare(Compare),
    Binary(Binary),
}

/// The precedence of `not`.
const NOT: u8 = 2;

/// Binary operators with their precedence; a higher level binds more tightly.
const OPERATORS: &[(&str, u8, Operator)] = &[
    ("or", 0, Operator::Or),
    ("and", 1, Operator::And),
    ("==", 3, Operator::Compare(Compare::Eq)),
    ("!=", 3, Operator::Compare(Compare::Ne)),
    ("<=", 3, Operator::Compare(Compare::Le)),
    ("<", 3, Operator::Compare(Compare::Lt)),
    (">=", 3, Operator::Compare(Compare::Ge)),
    (">", 3, Operator::Compare(Compare::Gt)),
    ("|", 4, Operator::Binary(Binary::BitOr)),
    ("^", 5, Operator::Binary(Binary::BitXor)),
    ("&", 6, Operator::Binary(Binary::BitAnd)),
    ("<<", 7, Operator::Binary(Binary::ShiftLeft)),
    (">>", 7, Operator::Binary(Binary::ShiftRight)),
    ("+", 8, Operator::Binary(Binary::Add)),
    ("-", 8, Operator::Binary(Binary::Subtract)),
    ("*", 9, Operator::Binary(Binary::Multiply)),
    ("/", 9, Operator::Binary(Binary::Divide)),
    ("%", 9, Operator::Binary(Binary::Modulo)),
];

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    /// The end of the text, for errors about missing tokens.
    end: usize,
    origin: &'t Origin,
    depth: u8,
}

type Parsed = Result<Syntax, Wrong>;

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn end_of_last(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(self.end, |token| token.at.end)
    }

    /// The position of the previous token.
    fn last_place(&self) -> SourceRange {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(self.end..self.end, |token| token.at.clone());
        self.origin.place(last)
    }

    /// Consumes this symbol or keyword.
    fn take(&mut self, word: &str) -> Option<Range<usize>> {
        let token = self.peek()?;
        let is = match &token.kind {
            TokenKind::Symbol(symbol) => *symbol == word,
            TokenKind::Name(name) => name == word && word == "not",
            _ => false,
        };
        if is {
            self.at += 1;
        }
        is.then(|| token.at.clone())
    }

    fn missing(&self, what: &str) -> Wrong {
        match self.peek() {
            Some(token) => Wrong::new(token.at.clone(), format!("{what} is expected here")),
            None => Wrong::new(self.end..self.end, format!("{what} is missing at the end")),
        }
    }

    fn expect(&mut self, symbol: &str) -> Result<Range<usize>, Wrong> {
        self.take(symbol).ok_or_else(|| self.missing(&format!("`{symbol}`")))
    }

    fn name(&mut self, what: &str) -> Result<(String, Range<usize>), Wrong> {
        match self.peek() {
            Some(Token { kind: TokenKind::Name(name), at }) => {
                self.at += 1;
                Ok((name.clone(), at.clone()))
            }
            _ => Err(self.missing(what)),
        }
    }

    fn node(&self, kind: SyntaxKind, place: SourceRange, depth: u8) -> Parsed {
        if depth >= DEPTH {
            let all = self.tokens.first().map_or(0, |token| token.at.start)..self.end;
            return Err(Wrong::new(all, format!("an expression with more than {DEPTH} operators inside each other"))
                .help("split it into instances"));
        }
        Ok(Syntax { kind, place, depth: depth + 1 })
    }

    fn pair(&self, left: Syntax, right: Syntax, join: impl FnOnce(Box<Syntax>, Box<Syntax>) -> SyntaxKind) -> Parsed {
        let place = left.place.to(right.place);
        let depth = left.depth.max(right.depth);
        self.node(join(Box::new(left), Box::new(right)), place, depth)
    }

    fn ternary(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth >= DEPTH {
            return Err(
                Wrong::new(0..self.end, format!("an expression with more than {DEPTH} levels")).help("split it into instances")
            );
        }
        let condition = self.operators(0)?;
        let parsed = if self.take("?").is_some() {
            let yes = self.ternary()?;
            self.expect(":")?;
            let no = self.ternary()?;
            let place = condition.place.to(no.place);
            let depth = condition.depth.max(yes.depth).max(no.depth);
            self.node(SyntaxKind::If(Box::new(condition), Box::new(yes), Box::new(no)), place, depth)?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(parsed)
    }

    /// Parses operators of at least this precedence.
    fn operators(&mut self, least: u8) -> Parsed {
        let mut left = match self.take("not").filter(|_| least <= NOT) {
            Some(at) => self.unary(Unary::Not, at, |parser| parser.operators(NOT))?,
            None => self.factor()?,
        };
        let mut is_compared = false;
        while let Some((level, operator)) = self.operator(least) {
            if matches!(operator, Operator::Compare(_)) && std::mem::replace(&mut is_compared, true) {
                return Err(self.missing("`and` or `or`"));
            }
            self.at += 1;
            let right = self.operators(level + 1)?;
            left = self.pair(left, right, |left, right| match operator {
                Operator::Or => SyntaxKind::Or(left, right),
                Operator::And => SyntaxKind::And(left, right),
                Operator::Compare(operator) => SyntaxKind::Compare(operator, left, right),
                Operator::Binary(operator) => SyntaxKind::Binary(operator, left, right),
            })?;
        }
        Ok(left)
    }

    /// The next operator, if it has at least this precedence.
    fn operator(&self, least: u8) -> Option<(u8, Operator)> {
        let word = match &self.peek()?.kind {
            TokenKind::Symbol(symbol) => symbol,
            TokenKind::Name(name) => name.as_str(),
            _ => return None,
        };
        let (_, level, operator) = OPERATORS.iter().find(|(known, ..)| *known == word)?;
        (*level >= least).then_some((*level, *operator))
    }

    fn unary(&mut self, operator: Unary, at: Range<usize>, operand: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth >= DEPTH {
            return Err(Wrong::new(at, format!("an expression with more than {DEPTH} levels")).help("split it into instances"));
        }
        let operand = operand(self)?;
        self.depth -= 1;
        let (place, depth) = (self.origin.place(at).to(operand.place), operand.depth);
        self.node(SyntaxKind::Unary(operator, Box::new(operand)), place, depth)
    }

    fn factor(&mut self) -> Parsed {
        if let Some(at) = self.take("-") {
            return self.unary(Unary::Minus, at, Parser::factor);
        }
        if let Some(at) = self.take("~") {
            return self.unary(Unary::Invert, at, Parser::factor);
        }
        if self.take("+").is_some() {
            return self.factor_behind_plus();
        }
        self.postfix()
    }

    /// A plus has no effect, but each one counts as nesting.
    fn factor_behind_plus(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth >= DEPTH {
            return Err(self.missing("an operand"));
        }
        let operand = self.factor()?;
        self.depth -= 1;
        Ok(operand)
    }

    fn postfix(&mut self) -> Parsed {
        let mut object = self.atom()?;
        loop {
            let (start, depth) = (object.place, object.depth);
            if self.take(".").is_some() {
                let (name, at) = self.name("the name of an attribute or a method")?;
                let name_place = self.origin.place(at);
                let (kind, depth) = if name == "as" && self.take("<").is_some() {
                    let to = self.type_name()?;
                    self.close_angle()?;
                    (SyntaxKind::Cast(Box::new(object), to), depth)
                } else {
                    let args = if self.take("(").is_some() { Some(self.arguments(")")?) } else { None };
                    let inner = args.iter().flatten().map(|arg| arg.depth).max().unwrap_or(0);
                    (SyntaxKind::Attribute(Box::new(object), name, name_place, args), depth.max(inner))
                };
                object = self.node(kind, start.to(self.last_place()), depth)?;
            } else if self.take("[").is_some() {
                let index = self.ternary()?;
                let end = self.expect("]")?;
                let (place, depth) = (start.to(self.origin.place(end)), depth.max(index.depth));
                object = self.node(SyntaxKind::At(Box::new(object), Box::new(index)), place, depth)?;
            } else {
                return Ok(object);
            }
        }
    }

    /// The name of a process with its arguments.
    fn process(&mut self) -> Result<Call, Wrong> {
        let (first, start) = self.name("the name of a process")?;
        let mut path = vec![first];
        while self.take(".").is_some() {
            path.push(self.name("a name")?.0);
        }
        let place = self.origin.place(start.start..self.end_of_last());
        let args = if self.take("(").is_some() { self.arguments(")")? } else { Vec::new() };
        Ok(Call { name: TypeName { path, absolute: false, array: false, place }, args })
    }

    /// The `>` after a type.
    fn close_angle(&mut self) -> Result<(), Wrong> {
        self.expect(">").map(|_| ())
    }

    /// Expressions up to the closing symbol; a trailing comma is permitted.
    fn arguments(&mut self, close: &str) -> Result<Vec<Syntax>, Wrong> {
        let mut arguments = Vec::new();
        while self.take(close).is_none() {
            arguments.push(self.ternary()?);
            if self.take(",").is_none() {
                self.expect(close)?;
                break;
            }
            if close == ")" && self.take(close).is_some() {
                let end = self.end_of_last();
                return Err(Wrong::new(end - 1..end, "an argument is missing between `,` and `)`").help("remove the comma"));
            }
        }
        Ok(arguments)
    }

    fn atom(&mut self) -> Parsed {
        let Some(token) = self.peek() else { return Err(self.missing("an operand")) };
        self.at += 1;
        let place = self.origin.place(token.at.clone());
        let kind = match &token.kind {
            TokenKind::Int(value) => SyntaxKind::Int(*value),
            TokenKind::Float(value) => SyntaxKind::Float(*value),
            TokenKind::Str(text) => return self.strings(text.clone(), place),
            TokenKind::Format(parts) => return self.format(parts, place),
            TokenKind::Symbol("(") => {
                let inner = self.ternary()?;
                if self.take(")").is_none() {
                    return Err(match self.peek() {
                        Some(token) => unexpected(token).help("a `(` is still open"),
                        None => Wrong::new(token.at.clone(), "a `(` that is never closed").help("add the closing `)`"),
                    });
                }
                return Ok(inner);
            }
            TokenKind::Symbol("[") => {
                let elements = self.arguments("]")?;
                let depth = elements.iter().map(|element| element.depth).max().unwrap_or(0);
                let place = place.to(self.last_place());
                return self.node(SyntaxKind::List(elements), place, depth);
            }
            TokenKind::Symbol("::") => {
                self.at -= 1;
                return self.named();
            }
            TokenKind::Name(name) if name == "true" || name == "false" => SyntaxKind::Bool(name == "true"),
            TokenKind::Name(name) if matches!(name.as_str(), "sizeof" | "bitsizeof") && self.take("<").is_some() => {
                let of = self.type_name()?;
                self.close_angle()?;
                SyntaxKind::SizeOf(of, name == "bitsizeof")
            }
            TokenKind::Name(_) => {
                self.at -= 1;
                return self.named();
            }
            TokenKind::Symbol(_) => {
                self.at -= 1;
                return Err(self.missing("an operand"));
            }
        };
        self.node(kind, place, 0)
    }

    /// Adjacent texts are concatenated.
    fn strings(&mut self, mut text: String, mut place: SourceRange) -> Parsed {
        while let Some(Token { kind: TokenKind::Str(more), at }) = self.peek() {
            text.push_str(more);
            place = place.to(self.origin.place(at.clone()));
            self.at += 1;
        }
        self.node(SyntaxKind::Str(text), place, 0)
    }

    fn format(&mut self, parts: &[LexedPart], place: SourceRange) -> Parsed {
        let mut done = Vec::new();
        let mut depth = 0;
        for part in parts {
            match part {
                LexedPart::Text(text) => done.push(FormatPart::Text(text.clone())),
                LexedPart::Tokens(tokens, at, show) => {
                    let mut inner =
                        Parser { tokens, at: 0, end: at.end.saturating_sub(1), origin: self.origin, depth: self.depth };
                    let value = inner.ternary()?;
                    if let Some(token) = inner.peek() {
                        return Err(unexpected(token));
                    }
                    depth = depth.max(value.depth);
                    done.push(FormatPart::Value(value, *show));
                }
            }
        }
        self.node(SyntaxKind::Format(done), place, depth)
    }

    /// A name, or a member of an enum.
    fn named(&mut self) -> Parsed {
        let name = self.type_path()?;
        let mut path = name.path;
        match path.pop() {
            Some(function) if path.is_empty() && !name.absolute && self.take("(").is_some() => {
                let args = self.arguments(")")?;
                let depth = args.iter().map(|arg| arg.depth).max().unwrap_or(0);
                self.node(SyntaxKind::Call(function, name.place, args), name.place.to(self.last_place()), depth)
            }
            Some(last) if path.is_empty() && !name.absolute => self.node(SyntaxKind::Name(last), name.place, 0),
            Some(last) if !path.is_empty() => {
                let of = TypeName { path, absolute: name.absolute, array: false, place: name.place };
                self.node(SyntaxKind::Member(of, last, self.last_place()), name.place, 0)
            }
            _ => Err(self.missing("the member of an enum")),
        }
    }

    fn type_name(&mut self) -> Result<TypeName, Wrong> {
        let mut name = self.type_path()?;
        if self.take("[").is_some() {
            let end = self.expect("]")?;
            name.array = true;
            name.place = name.place.to(self.origin.place(end));
        }
        Ok(name)
    }

    fn type_path(&mut self) -> Result<TypeName, Wrong> {
        let absolute = self.take("::");
        let (first, at) = self.name("a name")?;
        let start = absolute.as_ref().map_or(at.start, |at| at.start);
        let mut path = vec![first];
        while self.take("::").is_some() {
            path.push(self.name("a name")?.0);
        }
        let place = self.origin.place(start..self.end_of_last());
        Ok(TypeName { path, absolute: absolute.is_some(), array: false, place })
    }
}
