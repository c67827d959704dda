//! Comparisons, searches and memberships: the right side is a constant of the type of the left one, or a value.

use super::named::Named;
use super::{Checker, TypedValue, in_quotes, is_name, require};
use crate::filter::parse_error::Wrong;
use crate::filter::program::{Operand, Test};
use crate::filter::syntax::{Compare, Element, Node, Operation, Quantifier, Relation, Syntax};
use crate::filter::value::{Constant, Order};
use crate::filter::value_type::ValueType;
use crate::record::pseudo;
use crate::tree::Kind;
use regex::bytes::{Regex, RegexBuilder};

/// Error for a note used as a value.
const NO_VALUE: &str = "has no value; test its presence";

impl Checker {
    pub(super) fn relation(&mut self, Relation { of, left, operation }: &Relation) -> Result<Test, Wrong> {
        let operand = |value| Operand { value, all: *of == Some(Quantifier::All) };
        match operation {
            Operation::Compare(compare, right) => self.compare(*of, left, *compare, right),
            Operation::Contains(right) => {
                let TypedValue { value, sorts } = self.searched(left)?;
                Ok(Test::Contains(operand(value), self.needles(left, &sorts, right)?))
            }
            Operation::Matches(right) => {
                let TypedValue { value, sorts } = self.searched(left)?;
                require(left, &sorts, "has no text to match", ValueType::has_bytes)?;
                Ok(Test::Matches(operand(value), regex(right)?))
            }
            Operation::In(elements) => {
                let TypedValue { value, sorts } = self.known(left)?;
                require(left, &sorts, NO_VALUE, |value_type| value_type != ValueType::Note)?;
                let alone = elements.iter().filter(|element| element.to.is_none()).map(|element| &element.from);
                if let Some(named) =
                    Named::of(&value, &sorts, &alone.collect::<Vec<_>>()).filter(|named| named.count == elements.len())
                {
                    return Ok(named.test(Order::Equal, *of == Some(Quantifier::All)));
                }
                Ok(Test::In(operand(value), self.ranges(left, &sorts, elements)?))
            }
        }
    }

    fn compare(&mut self, of: Option<Quantifier>, left: &Node, compare: Compare, right: &Node) -> Result<Test, Wrong> {
        let (order, all) = match compare {
            Compare::Equal => (Order::Equal, false),
            Compare::Different => (Order::Different, true),
            Compare::AllEqual => (Order::Equal, true),
            Compare::AnyDifferent => (Order::Different, false),
            Compare::Less => (Order::Less, false),
            Compare::LessOrEqual => (Order::LessOrEqual, false),
            Compare::Greater => (Order::Greater, false),
            Compare::GreaterOrEqual => (Order::GreaterOrEqual, false),
        };
        let all = of.map_or(all, |of| of == Quantifier::All);
        let (known_left, known_right) = (self.value(left)?, self.value(right)?);
        let known_right = known_right.filter(|_| !is_word_for(left, right));
        for (node, known) in [(left, &known_left), (right, &known_right)] {
            let Some(known) = known else { continue };
            require(node, &known.sorts, NO_VALUE, |value_type| value_type != ValueType::Note)?;
            if !order.is_of_identity() {
                require(node, &known.sorts, "has no order", |value_type| !matches!(value_type, ValueType::Bool(_)))?;
            }
        }
        match (known_left, known_right) {
            (Some(known), None) => {
                if let Some(named) = Named::of(&known.value, &known.sorts, &[right]).filter(|_| order.is_of_identity()) {
                    return Ok(named.test(order, all));
                }
                let constants = self.constants(left, &known.sorts, right)?;
                Ok(Test::Against(Operand { value: known.value, all }, order, constants))
            }
            (None, Some(known)) => {
                if let Some(named) = Named::of(&known.value, &known.sorts, &[left]).filter(|_| order.is_of_identity()) {
                    return Ok(named.test(order, all));
                }
                let constants = self.constants(right, &known.sorts, left)?;
                Ok(Test::Against(Operand { value: known.value, all }, order.mirrored(), constants))
            }
            (Some(a), Some(b)) => {
                let fits = |a: &ValueType| b.sorts.iter().any(|b| a.fits(*b));
                if !a.sorts.iter().any(fits) {
                    let what = format!("{left} is {}, {right} is {}", words(&a.sorts), words(&b.sorts));
                    return Err(Wrong::new(&right.at, what).try_instead(in_quotes(right)));
                }
                // Many values are sorted before the comparison, which requires a single type.
                if b.sorts.iter().any(|value_type| !b.sorts.iter().all(|other| value_type.fits(*other))) {
                    return Err(Wrong::new(&right.at, format!("{right} refers to fields of several types")));
                }
                Ok(Test::Between(Operand { value: a.value, all }, order, b.value))
            }
            (None, None) => {
                let name = [left, right].into_iter().find(|node| matches!(&node.is, Syntax::Word(word) if is_name(word)));
                Err(self.unknown(name.unwrap_or(left)))
            }
        }
    }

    fn needles(&mut self, left: &Node, sorts: &[ValueType], right: &Node) -> Result<Vec<Vec<u8>>, Wrong> {
        require(left, sorts, "does not support contains", ValueType::has_bytes)?;
        if let Some(other) = self.value(right)? {
            let what = format!("expected a constant, {right} is {}", words(&other.sorts));
            return Err(Wrong::new(&right.at, what).try_instead(in_quotes(right)));
        }
        let sorts: Vec<ValueType> = sorts
            .iter()
            .map(|value_type| if *value_type == ValueType::Text { ValueType::Text } else { ValueType::Bytes })
            .collect();
        let bytes = |constant: Constant| match constant {
            Constant::Is(item) => Some(item.with_bytes(<[u8]>::to_vec)),
            _ => None,
        };
        Ok(self.constants(left, &sorts, right)?.into_iter().filter_map(bytes).collect())
    }

    fn ranges(
        &mut self,
        left: &Node,
        sorts: &[ValueType],
        elements: &[Element],
    ) -> Result<Vec<(Constant, Option<Constant>)>, Wrong> {
        let mut ranges = Vec::new();
        for Element { from, to } in elements {
            for end in [Some(from), to.as_ref()].into_iter().flatten() {
                if let Syntax::Word(word) = &end.is
                    && !is_word_for(left, end)
                    && let Some(other) = self.named(word, true)
                {
                    let what = format!("expected a constant, {word} is {}", words(&other.sorts));
                    return Err(Wrong::new(&end.at, what).try_instead(in_quotes(end)));
                }
            }
            let low = self.constants(left, sorts, from)?;
            let Some(to) = to else {
                ranges.extend(low.into_iter().map(|constant| (constant, None)));
                continue;
            };
            let high = self.constants(left, sorts, to)?;
            let pairs = low.iter().flat_map(|low| high.iter().map(move |high| (low, high)));
            let rising = pairs.filter(|(low, high)| low.up_to(high));
            let before = ranges.len();
            ranges.extend(rising.map(|(low, high)| (low.clone(), Some(high.clone()))));
            if ranges.len() == before {
                return Err(Wrong::new(&(from.at.start..to.at.end), "the range ends before it begins"));
            }
        }
        Ok(ranges)
    }
}

/// Whether a name is used as text: in `protocol == http` it is the name of the protocol.
fn is_word_for(of: &Node, written: &Node) -> bool {
    let is_word = |node: &Node| matches!(node.is, Syntax::Word(_));
    let is_text = |name: &str| pseudo::named(name).is_some_and(|pseudo| pseudo.kind == Kind::Text);
    is_word(written) && matches!(&of.is, Syntax::Word(name) if is_text(name))
}

/// Compiles a case-insensitive regular expression over bytes, as in Wireshark.
fn regex(node: &Node) -> Result<Regex, Wrong> {
    let Syntax::Quoted(pattern) = &node.is else {
        return Err(Wrong::new(&node.at, "expected a regular expression in quotes").try_instead(in_quotes(node)));
    };
    let pattern = std::str::from_utf8(pattern)
        .map_err(|_| Wrong::new(&node.at, "a regular expression is UTF-8; write other bytes as \\\\xff or in raw text"))?;
    RegexBuilder::new(pattern).case_insensitive(true).unicode(false).nest_limit(100).build().map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Wrong::new(&node.at, format!("not a regular expression: {reason}"))
    })
}

fn words(sorts: &[ValueType]) -> &'static str {
    sorts.first().map_or("nothing", |value_type| value_type.words())
}
