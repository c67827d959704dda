//! Parser: from tokens to a syntax tree.
//!
//! Precedence from low to high: `or`, `xor`, `and`, `not`, comparisons, `&`, slices.

use super::lexer::{Placed, Token, keywords, tokens};
use super::operator::{Precedence, Sum};
use super::parse_error::{Wrong, nearest};
use super::syntax::{Element, Node, Operation, Quantifier, Relation, Syntax};
use std::ops::Range;

/// Maximum nesting depth, which bounds the stack.
const MAX_DEPTH: usize = 100;

/// Maximum number of slices and masks around one value, which also nest.
const MAX_AROUND: usize = 4;

/// Parses a filter. An empty filter is an empty `and`.
pub(super) fn parse(text: &str) -> Result<Node, Wrong> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    if *parser.peek() == Token::End {
        return Ok(Node { at: 0..text.len(), is: Syntax::And(Vec::new()) });
    }
    let node = parser.node(Precedence::Loosest)?;
    match parser.peek() {
        Token::End => Ok(node),
        Token::Close => Err(parser.wrong("unmatched closing bracket")),
        Token::Compare(_) | Token::Contains | Token::Matches | Token::In => {
            Err(parser.wrong("comparisons cannot be chained; combine two of them by and"))
        }
        Token::Word(word) => {
            let meant = match word.to_lowercase().as_str() {
                lower if keywords().any(|keyword| keyword == lower) => vec![lower.to_owned()],
                lower => nearest(lower, keywords()),
            };
            Err(parser.wrong("expected an operator such as == or and").try_instead(meant))
        }
        _ => Err(parser.wrong("expected an operator such as == or and")),
    }
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    /// Position of the next token.
    fn here(&self) -> Range<usize> {
        self.tokens.get(self.next).or(self.tokens.last()).map(|(_, at)| at.clone()).unwrap_or_default()
    }

    /// End of the previous token.
    fn previous_end(&self) -> usize {
        self.next.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |(_, at)| at.end)
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    fn take_if(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        self.next += usize::from(found);
        found
    }

    fn wrong(&self, what: &str) -> Wrong {
        Wrong::new(&self.here(), what)
    }

    /// Calls `read` one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth >= MAX_DEPTH {
            return Err(self.wrong("nested deeper than 100 levels"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Parses an expression of at least this precedence.
    fn node(&mut self, least: Precedence) -> Result<Node, Wrong> {
        self.deeper(|parser| {
            let start = parser.here().start;
            let mut left = parser.first()?;
            loop {
                let hold = match parser.peek() {
                    Token::Or => Precedence::Or,
                    Token::Xor => Precedence::Xor,
                    Token::And => Precedence::And,
                    Token::Compare(_) | Token::Contains | Token::Matches | Token::In | Token::Not => Precedence::Relation,
                    Token::Mask => Precedence::Mask,
                    Token::Sum(sum) => sum.precedence(),
                    Token::Slice(_) | Token::Type(_) => Precedence::Whole,
                    _ => break,
                };
                // Comparisons are not operands of comparisons.
                if hold < least || (hold == Precedence::Relation && matches!(left.is, Syntax::Relation(_) | Syntax::Not(_))) {
                    break;
                }
                if hold >= Precedence::Mask && around(&left) >= MAX_AROUND {
                    return Err(parser.wrong("more than four slices, masks or sums around one value"));
                }
                let is = parser.joined(left, hold)?;
                left = Node { at: start..parser.previous_end(), is };
            }
            Ok(left)
        })
    }

    /// Combines the left operand with the right one by the next token.
    fn joined(&mut self, left: Node, hold: Precedence) -> Result<Syntax, Wrong> {
        match self.take() {
            Token::Slice(parts) => Ok(Syntax::Slice(Box::new(left), parts)),
            Token::Type(number) => Ok(Syntax::Read(Box::new(left), number)),
            Token::Mask => Ok(Syntax::Masked(Box::new(left), Box::new(self.node(hold.tighter())?))),
            Token::Sum(sum) => Ok(Syntax::Sum(Box::new(left), sum, Box::new(self.node(hold.tighter())?))),
            Token::Not => {
                if !self.take_if(&Token::In) {
                    return Err(self.wrong("expected in after not"));
                }
                let at = left.at.start;
                // In canonical form, `not` comes first and is a separate level.
                let is = self.deeper(|parser| Ok(relation(left, parser.set()?)))?;
                Ok(Syntax::Not(Box::new(Node { at: at..self.previous_end(), is })))
            }
            Token::In => Ok(relation(left, self.set()?)),
            Token::Contains => Ok(relation(left, Operation::Contains(self.node(hold.tighter())?))),
            Token::Matches => Ok(relation(left, Operation::Matches(self.node(hold.tighter())?))),
            Token::Compare(compare) => Ok(relation(left, Operation::Compare(compare, self.node(hold.tighter())?))),
            sign => {
                let right = self.node(hold.tighter())?;
                Ok(chained(left, &sign, right))
            }
        }
    }

    /// Parses an operand.
    fn first(&mut self) -> Result<Node, Wrong> {
        let at = self.here();
        let token = self.take();
        let is = match token {
            Token::Quoted(text) => Syntax::Quoted(text),
            Token::Char(byte) => Syntax::Char(byte),
            Token::Word(name) if self.take_if(&Token::Open) => Syntax::Call(name, self.arguments(&at)?),
            Token::Word(word) => match word.strip_prefix('-').filter(|name| name.starts_with(char::is_alphabetic)) {
                Some(name) => negated(name, &at),
                None => Syntax::Word(word),
            },
            Token::Not => Syntax::Not(Box::new(self.node(Precedence::Not)?)),
            Token::Any => return self.quantified(Quantifier::Any, at.start),
            Token::All => return self.quantified(Quantifier::All, at.start),
            Token::Open => {
                let inner = self.node(Precedence::Loosest)?;
                self.close(&at)?;
                return Ok(Node { at: at.start..self.previous_end(), ..inner });
            }
            _ => {
                self.next -= 1;
                return Err(self.wrong(if *self.peek() == Token::End {
                    "unexpected end of the filter"
                } else {
                    "expected a field or a value"
                }));
            }
        };
        Ok(Node { at: at.start..self.previous_end(), is })
    }

    fn quantified(&mut self, of: Quantifier, start: usize) -> Result<Node, Wrong> {
        let mut node = self.node(Precedence::Relation)?;
        let relation = match &mut node.is {
            Syntax::Not(inner) => &mut inner.is,
            own => own,
        };
        match relation {
            Syntax::Relation(relation) if relation.of.is_none() => relation.of = Some(of),
            _ => {
                return Err(Wrong::new(&(start..node.at.end), "any and all require a comparison, as in any ip.addr == 10.0.0.1"));
            }
        }
        Ok(Node { at: start..node.at.end, ..node })
    }

    /// Expects the closing parenthesis of `open`.
    fn close(&mut self, open: &Range<usize>) -> Result<(), Wrong> {
        if self.take_if(&Token::Close) {
            return Ok(());
        }
        match self.peek() {
            Token::End => Err(Wrong::new(open, "unclosed bracket")),
            _ => Err(self.wrong("expected an operator or a closing parenthesis")),
        }
    }

    /// Parses the arguments of a function, after its parenthesis.
    fn arguments(&mut self, name: &Range<usize>) -> Result<Vec<Node>, Wrong> {
        let open = name.start..self.previous_end();
        let mut arguments = Vec::new();
        if self.take_if(&Token::Close) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.node(Precedence::Loosest)?);
            if !self.take_if(&Token::Comma) {
                self.close(&open)?;
                return Ok(arguments);
            }
        }
    }

    /// Parses `{80, 8000..8100}`, separated by commas or spaces.
    fn set(&mut self) -> Result<Operation, Wrong> {
        let open = self.here();
        if !self.take_if(&Token::OpenSet) {
            return Err(self.wrong("expected a set such as {80, 8000..8100}"));
        }
        let mut elements = Vec::new();
        loop {
            if self.take_if(&Token::CloseSet) {
                break;
            }
            if *self.peek() == Token::End {
                return Err(Wrong::new(&open, "unclosed bracket"));
            }
            let from = self.constant()?;
            let to = if self.take_if(&Token::Range) { Some(self.constant()?) } else { None };
            elements.push(Element { from, to });
            if self.take_if(&Token::Comma) && *self.peek() == Token::CloseSet {
                return Err(self.wrong("expected a value"));
            }
        }
        if elements.is_empty() {
            return Err(Wrong::new(&(open.start..self.previous_end()), "a set must not be empty"));
        }
        Ok(Operation::In(elements))
    }

    fn constant(&mut self) -> Result<Node, Wrong> {
        let at = self.here();
        let is = match self.peek().clone() {
            Token::Word(word) => Syntax::Word(word),
            Token::Quoted(text) => Syntax::Quoted(text),
            Token::Char(byte) => Syntax::Char(byte),
            _ => return Err(self.wrong("expected a value")),
        };
        self.next += 1;
        Ok(Node { at, is })
    }
}

/// Number of slices and masks around a value.
fn around(node: &Node) -> usize {
    fn inner(node: &Node) -> Option<&Node> {
        match &node.is {
            Syntax::Slice(of, _) | Syntax::Read(of, _) | Syntax::Masked(of, _) | Syntax::Sum(of, ..) => Some(of),
            _ => None,
        }
    }
    std::iter::successors(inner(node), |node| inner(node)).count()
}

/// Negates a field: 0 minus the field.
fn negated(name: &str, at: &Range<usize>) -> Syntax {
    let word = |word: &str| Box::new(Node { at: at.clone(), is: Syntax::Word(word.to_owned()) });
    Syntax::Sum(word("0"), Sum::Minus, word(name))
}

fn relation(left: Node, operation: Operation) -> Syntax {
    Syntax::Relation(Box::new(Relation { of: None, left, operation }))
}

/// Appends to a chain. Operands of the same operator form one list.
fn chained(left: Node, sign: &Token, right: Node) -> Syntax {
    match (sign, left) {
        (Token::And, Node { is: Syntax::And(mut nodes), .. }) => {
            nodes.push(right);
            Syntax::And(nodes)
        }
        (Token::Xor, Node { is: Syntax::Xor(mut nodes), .. }) => {
            nodes.push(right);
            Syntax::Xor(nodes)
        }
        (Token::Or, Node { is: Syntax::Or(mut nodes), .. }) => {
            nodes.push(right);
            Syntax::Or(nodes)
        }
        (Token::And, left) => Syntax::And(vec![left, right]),
        (Token::Xor, left) => Syntax::Xor(vec![left, right]),
        (_, left) => Syntax::Or(vec![left, right]),
    }
}
