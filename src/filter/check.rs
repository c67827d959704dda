//! Type checking: resolves names to fields and literals to constants, before input is opened.

use super::literal;
use super::meant;
use super::number_type::NumberType;
use super::operator::Sum;
use super::parse_error::{Wrong, nearest};
use super::program::{Case, Extreme, Operand, Test, Value};
use super::syntax::{Compare, Element, Node, Operation, Quantifier, Relation, SliceRange, Syntax};
use super::value::{Constant, Item, Order};
use super::value_type::ValueType;
use crate::layers;
use crate::record::Scope;
use crate::record::expert;
use crate::record::pseudo::{self, Pseudo};
use crate::record::shown;
use crate::registry::Registry;
use crate::tree::{Carriers, Demand, Depth, Extras, Field, Fields, Kind, Only};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::BTreeSet;

/// The whole frame as bytes, as Wireshark's protocol of this name.
const FRAME: &str = "frame";

/// Error for a note used as a value.
const NO_VALUE: &str = "has no value; test its presence";

const FUNCTIONS: [&str; 8] = ["len", "count", "lower", "upper", "max", "min", "abs", "string"];

/// Compiles syntax into a program, and collects the fields that it needs.
pub(super) struct Checker {
    registry: Registry,
    fields: Vec<&'static Field>,
    demand: Demand,
    /// Whether it requires values of fields.
    reads_fields: bool,
    /// Whether it requires the bytes of layers.
    measures: bool,
    /// Protocols in the filter that only Wireshark dissects.
    undissected: BTreeSet<&'static str>,
    /// Scope of its fields.
    pub(super) scope: Scope,
}

/// A value and the possible types of its occurrences.
struct TypedValue {
    value: Value,
    sorts: Vec<ValueType>,
}

fn sort_of(field: &Field) -> ValueType {
    match field.kind {
        Kind::Protocol | Kind::Group => ValueType::Layer,
        Kind::Number => ValueType::Number(field.names),
        Kind::Float => ValueType::Float,
        Kind::Bool => ValueType::Bool(field.names),
        Kind::Bytes => ValueType::Bytes,
        Kind::Text => ValueType::Text,
        Kind::Mac => ValueType::Mac,
        Kind::Ipv4 => ValueType::Ipv4,
        Kind::Ipv6 => ValueType::Ipv6,
        Kind::Note(_) => ValueType::Note,
    }
}

fn sort_of_pseudo(pseudo: &Pseudo) -> ValueType {
    match pseudo.kind {
        Kind::Number => ValueType::Number(shown::names_of(pseudo.name)),
        // Floating-point pseudo-fields are times.
        Kind::Float if matches!(pseudo.name, "frame.time" | "frame.time_epoch") => ValueType::Time,
        Kind::Float => ValueType::Span,
        _ => ValueType::Text,
    }
}

impl Checker {
    pub(super) fn new(registry: Registry) -> Checker {
        Checker {
            registry,
            fields: Vec::new(),
            demand: Demand { depth: Depth::Headers, ..Demand::LAYERS },
            reads_fields: false,
            measures: false,
            undissected: BTreeSet::new(),
            scope: Scope::default(),
        }
    }

    /// The fields that the program needs, and the demand on trees.
    pub(super) fn seen(self) -> (Vec<&'static Field>, Demand, Vec<&'static str>) {
        let only = Only::these(self.fields.iter().copied());
        let fields = match (self.reads_fields, self.measures) {
            (false, _) => Fields::None,
            (true, false) => Fields::Only(only),
            (true, true) => Fields::All,
        };
        let any = |is_so: fn(&Field) -> bool| self.measures || self.fields.iter().any(|field| is_so(field));
        let carriers = if fields.any() && any(layers::is_of_header) { Carriers::Full } else { Carriers::Layers };
        let credentials = Extras::CREDENTIALS.when(fields.any() && any(layers::may_show_credentials));
        let named = Some(only).filter(|named| !named.is_empty());
        let demand = Demand { fields, carriers, named, ..self.demand }.with(Extras::BYTES.when(fields.any())).with(credentials);
        (self.fields, demand, self.undissected.into_iter().collect())
    }

    /// Requests payloads if `is_needed`.
    fn read_streams(&mut self, is_needed: bool) {
        if is_needed {
            self.demand.depth = Depth::Streams;
        }
    }

    /// A condition.
    pub(super) fn test(&mut self, node: &Node) -> Result<Test, Wrong> {
        Ok(match &node.is {
            Syntax::And(nodes) => Test::All(self.tests(nodes)?),
            Syntax::Or(nodes) => Test::Any(self.tests(nodes)?),
            Syntax::Xor(nodes) => Test::Odd(self.tests(nodes)?),
            Syntax::Not(node) => Test::Not(Box::new(self.test(node)?)),
            Syntax::Relation(relation) => self.relation(relation)?,
            Syntax::Masked(..) => Test::AnyBit(self.known(node)?.value),
            Syntax::Slice(..) => Test::Present(self.known(node)?.value),
            Syntax::Word(word) => Test::Present(self.named(word, false).ok_or_else(|| self.no_condition(node))?.value),
            Syntax::Call(..) | Syntax::Sum(..) | Syntax::Read(..) => {
                self.known(node)?;
                return Err(Wrong::new(&node.at, "expected a comparison, not only a value"));
            }
            Syntax::Quoted(_) | Syntax::Char(_) => return Err(self.no_condition(node)),
        })
    }

    fn tests(&mut self, nodes: &[Node]) -> Result<Vec<Test>, Wrong> {
        nodes.iter().map(|node| self.test(node)).collect()
    }

    /// Resolves a name; with `value`, not only its presence is required.
    fn named(&mut self, name: &str, value: bool) -> Option<TypedValue> {
        if name == FRAME {
            self.scope.add_frame();
            // Secret bytes are known only after messages are dissected.
            self.measures |= value;
            self.reads_fields |= value;
            self.read_streams(value);
            return Some(TypedValue { value: Value::Frame, sorts: vec![ValueType::Layer] });
        }
        if let Some(pseudo) = pseudo::named(name) {
            self.scope.add_pseudo(pseudo);
            self.read_streams(!pseudo.is_of_frame());
            let names = Extras::NAMES.when(matches!(pseudo.name, "message.name" | "name"));
            let summaries = Extras::NAMES.and(Extras::SUMMARIES).when(pseudo.is_summary());
            self.demand = self.demand.with(names).with(summaries).with(Extras::LABELS.when(pseudo.is_labelled()));
            if pseudo.is_expert() {
                self.reads_fields = true;
                expert::fields().for_each(|field| self.need(field));
            }
            return Some(TypedValue { value: Value::Pseudo(pseudo), sorts: vec![sort_of_pseudo(pseudo)] });
        }
        let mut fields = self.registry.named(name);
        if fields.is_empty() {
            let undissected = super::undissected::named(name)?;
            self.undissected.insert(undissected);
            return Some(TypedValue { value: Value::Fields(fields), sorts: vec![ValueType::Layer] });
        }
        if !value {
            fields.extend(self.registry.inside_others(name));
        }
        for &field in &fields {
            self.scope.add_field(field);
            // The end of a layer is known only if its fields are kept.
            self.reads_fields |= value || !matches!(field.kind, Kind::Protocol | Kind::Note(_));
            self.measures |= value && field.kind == Kind::Protocol;
            let is_layer = !value && field.kind == Kind::Protocol && layers::is_of_header(field);
            self.read_streams(!is_layer && !layers::is_of_frame(field));
            field.with_sources().for_each(|source| self.need(source));
        }
        let mut sorts: Vec<ValueType> = Vec::new();
        for value_type in fields.iter().map(|field| sort_of(field)) {
            if !sorts.contains(&value_type) {
                sorts.push(value_type);
            }
        }
        Some(TypedValue { value: Value::Fields(fields), sorts })
    }

    /// Adds a field to the demand.
    fn need(&mut self, field: &'static Field) {
        if !self.fields.iter().any(|known| known.is(field)) {
            self.fields.push(field);
        }
    }

    /// Checks a value of a record; `None` for a literal.
    fn value(&mut self, node: &Node) -> Result<Option<TypedValue>, Wrong> {
        let known = match &node.is {
            Syntax::Quoted(_) | Syntax::Char(_) => return Ok(None),
            Syntax::Word(word) => return Ok(self.named(word, true)),
            Syntax::Slice(of, parts) => self.slice(of, parts)?,
            Syntax::Read(of, number) => self.read(node, of, *number)?,
            Syntax::Masked(left, right) => self.masked(left, right)?,
            Syntax::Sum(left, sum, right) => return self.sum(left, *sum, right),
            Syntax::Call(name, record_values) => self.call(node, name, record_values)?,
            _ => return Err(Wrong::new(&node.at, "expected a field, not a condition")),
        };
        Ok(Some(known))
    }

    fn known(&mut self, node: &Node) -> Result<TypedValue, Wrong> {
        self.value(node)?.ok_or_else(|| self.unknown(node))
    }

    /// Checks the subject of a byte search. As in Wireshark, a header includes its payload.
    fn searched(&mut self, node: &Node) -> Result<TypedValue, Wrong> {
        let known = self.known(node)?;
        let is_header = |field: &&Field| field.kind == Kind::Protocol && layers::is_of_header(field);
        Ok(match known.value {
            Value::Fields(fields) if !fields.is_empty() && fields.iter().all(is_header) => {
                TypedValue { value: Value::Onward(fields), ..known }
            }
            value => TypedValue { value, ..known },
        })
    }

    /// Error for an unknown name, or for a literal in place of a field.
    fn unknown(&self, node: &Node) -> Wrong {
        match &node.is {
            Syntax::Word(word) if is_name(word) => {
                Wrong::new(&node.at, format!("{word} is not a valid protocol or protocol field")).try_instead(self.nearest(word))
            }
            _ => Wrong::new(&node.at, "expected a field, not a constant"),
        }
    }

    /// Error for a word or a literal in place of a condition.
    fn no_condition(&self, node: &Node) -> Wrong {
        let (wrong, meant) = (self.unknown(node), meant::conditions(&node.is));
        let is_name =
            matches!(&node.is, Syntax::Word(word) if self.nearest(word).iter().any(|name| name.eq_ignore_ascii_case(word)));
        if meant.is_empty() || is_name { wrong } else { wrong.try_instead(meant) }
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        let fields = self.registry.fields().flat_map(|field| [field.abbrev, field.also]);
        nearest(&self.registry.with_filter_name(name), fields.chain(pseudo::ALL.iter().map(|pseudo| pseudo.name)).chain([FRAME]))
    }

    fn slice(&mut self, of: &Node, parts: &[SliceRange]) -> Result<TypedValue, Wrong> {
        let known = self.known(of)?;
        require(of, &known.sorts, "cannot be sliced", |value_type| {
            value_type.has_bytes() || matches!(value_type, ValueType::Ipv4 | ValueType::Ipv6)
        })?;
        Ok(TypedValue { value: Value::Slice(Box::new(known.value), parts.to_vec()), sorts: vec![ValueType::Bytes] })
    }

    /// Checks the conversion of bytes to a number.
    fn read(&mut self, node: &Node, of: &Node, number: NumberType) -> Result<TypedValue, Wrong> {
        let known = self.known(of)?;
        require(of, &known.sorts, "cannot be sliced", |value_type| {
            value_type.has_bytes() || matches!(value_type, ValueType::Ipv4 | ValueType::Ipv6)
        })?;
        if let Syntax::Slice(_, parts) = &of.is {
            let cut = parts.iter().map(|part| part.length()).try_fold(0, |sum: usize, length| sum.checked_add(length?));
            if let Some(cut) = cut.filter(|cut| *cut != number.size()) {
                return Err(Wrong::new(&node.at, format!("{number} requires {} bytes, but {of} has {cut}", number.size())));
            }
        }
        let value_type = if number.is_float() { ValueType::Float } else { ValueType::Number(&[]) };
        Ok(TypedValue { value: Value::Read(Box::new(known.value), number), sorts: vec![value_type] })
    }

    /// Checks a value for a column.
    pub(super) fn column(&mut self, node: &Node) -> Result<(Value, ValueType), Wrong> {
        let known = self.known(node)?;
        Ok((known.value, known.sorts.first().copied().unwrap_or(ValueType::Text)))
    }

    fn masked(&mut self, left: &Node, right: &Node) -> Result<TypedValue, Wrong> {
        let (of, known, written) = match (self.value(left)?, self.value(right)?) {
            (Some(known), None) => (left, known, right),
            (None, Some(known)) => (right, known, left),
            (Some(_), Some(_)) => return Err(Wrong::new(&right.at, "one side of & must be a constant")),
            (None, None) => return Err(self.unknown(left)),
        };
        require(of, &known.sorts, "does not support bitwise and", |value_type| {
            !matches!(
                value_type,
                ValueType::Text | ValueType::Float | ValueType::Bool(_) | ValueType::Span | ValueType::Time | ValueType::Note
            )
        })?;
        let sorts = known.sorts.iter().map(|value_type| match value_type {
            ValueType::Number(_) => ValueType::Number(&[]),
            ValueType::Ipv4 | ValueType::Ipv6 => *value_type,
            _ => ValueType::Bytes,
        });
        let sorts: Vec<ValueType> = sorts.collect();
        let mask = self.constants(of, &sorts, written)?;
        Ok(TypedValue { value: Value::Masked(Box::new(known.value), mask), sorts })
    }

    fn call(&mut self, node: &Node, name: &str, record_values: &[Node]) -> Result<TypedValue, Wrong> {
        if !FUNCTIONS.contains(&name) {
            let at = node.at.start..node.at.start + name.len();
            let wrong = Wrong::new(&at, format!("unknown function {name}"));
            return Err(wrong.try_instead(nearest(name, FUNCTIONS.into_iter())));
        }
        if matches!(name, "max" | "min") {
            return self.extreme(node, name, record_values);
        }
        let [of] = record_values else {
            return Err(Wrong::new(&node.at, format!("{name}() takes one field")));
        };
        let TypedValue { value, sorts } = self.known(of)?;
        let inner = Box::new(value);
        let (value, value_type) = match name {
            "len" => {
                require(of, &sorts, "has no length", |value_type| {
                    value_type.has_bytes() || matches!(value_type, ValueType::Ipv4 | ValueType::Ipv6)
                })?;
                (Value::Len(inner), ValueType::Number(&[]))
            }
            "count" => {
                require(of, &sorts, "has no values to count", |value_type| value_type != ValueType::Note)?;
                (Value::Count(inner), ValueType::Number(&[]))
            }
            "abs" => {
                require(of, &sorts, "is not a number", ValueType::is_computed)?;
                (Value::Magnitude(inner), sorts.first().copied().unwrap_or(ValueType::Float))
            }
            "string" => {
                require(of, &sorts, "cannot be converted to a string", |value_type| {
                    !matches!(value_type, ValueType::Text | ValueType::Layer | ValueType::Note)
                })?;
                let value_type = sorts.first().copied().unwrap_or(ValueType::Text);
                (Value::Written(inner, value_type), ValueType::Text)
            }
            _ => {
                require(of, &sorts, "is not text", |value_type| value_type == ValueType::Text)?;
                (Value::Cased(inner, if name == "lower" { Case::Lower } else { Case::Upper }), ValueType::Text)
            }
        };
        Ok(TypedValue { value, sorts: vec![value_type] })
    }

    /// Checks `max()` and `min()`: fields and constants of one type.
    fn extreme(&mut self, node: &Node, name: &str, record_values: &[Node]) -> Result<TypedValue, Wrong> {
        let known: Vec<Option<TypedValue>> =
            record_values.iter().map(|record_values| self.value(record_values)).collect::<Result<_, _>>()?;
        let mut sorts: Vec<ValueType> = known.iter().flatten().flat_map(|known| known.sorts.iter().copied()).collect();
        sorts.dedup();
        let Some(first) = sorts.first().copied() else {
            return Err(Wrong::new(&node.at, format!("{name}() takes fields")));
        };
        let ordered = |value_type: &ValueType| {
            !matches!(value_type, ValueType::Bool(_) | ValueType::Note | ValueType::Layer) && value_type.fits(first)
        };
        if !sorts.iter().all(ordered) {
            return Err(Wrong::new(&node.at, format!("{name}() takes ordered values of one type")));
        }
        let one = |(known, written): (Option<TypedValue>, &Node)| match known {
            Some(known) => Ok(known.value),
            None => self.operand(record_values.first().unwrap_or(written), &sorts, written),
        };
        let values = known.into_iter().zip(record_values).map(one).collect::<Result<_, _>>()?;
        let which = if name == "max" { Extreme::Greatest } else { Extreme::Least };
        Ok(TypedValue { value: Value::Extreme(values, which), sorts: vec![first.without_names()] })
    }

    /// Checks an arithmetic expression; `None` if both operands are constants.
    fn sum(&mut self, left: &Node, sum: Sum, right: &Node) -> Result<Option<TypedValue>, Wrong> {
        let (known_left, known_right) = (self.value(left)?, self.value(right)?);
        for (node, known) in [(left, &known_left), (right, &known_right)] {
            let Some(known) = known else { continue };
            require(node, &known.sorts, "is not a number", ValueType::is_computed)?;
        }
        let sorts = |known: &TypedValue| known.sorts.iter().map(|value_type| value_type.without_names()).collect::<Vec<_>>();
        let (a, b, sorts) = match (known_left, known_right) {
            (Some(a), Some(b)) => {
                let mut both = sorts(&a);
                both.extend(sorts(&b));
                (a.value, b.value, both)
            }
            (Some(a), None) => {
                let sorts = sorts(&a);
                let constant = self.operand(left, &sorts, right)?;
                (a.value, constant, sorts)
            }
            (None, Some(b)) => {
                let sorts = sorts(&b);
                let constant = self.operand(right, &sorts, left)?;
                (constant, b.value, sorts)
            }
            (None, None) => return Err(self.unknown(left)),
        };
        let Some(first) = sorts.first().copied() else { return Err(self.unknown(left)) };
        if let Some(other) = sorts.iter().find(|value_type| !value_type.fits(first)) {
            return Err(Wrong::new(&right.at, format!("{left} is {}, {right} is {}", first.words(), other.words())));
        }
        let value_type = if sorts.contains(&ValueType::Float) { ValueType::Float } else { first };
        Ok(Some(TypedValue { value: Value::Sum(Box::new(a), sum, Box::new(b)), sorts: vec![value_type] }))
    }

    /// Converts a constant to a value.
    fn operand(&self, of: &Node, sorts: &[ValueType], written: &Node) -> Result<Value, Wrong> {
        let constants = self.constants(of, sorts, written)?;
        let items = constants.into_iter().map(|constant| match constant {
            Constant::Is(item) => item,
            Constant::Net4(address, _) => Item::Ipv4(address),
            Constant::Net6(address, _) => Item::Ipv6(address),
        });
        items.map(Value::Constant).next().ok_or_else(|| self.unknown(written))
    }

    fn relation(&mut self, Relation { of, left, operation }: &Relation) -> Result<Test, Wrong> {
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
            if !matches!(order, Order::Equal | Order::Different) {
                require(node, &known.sorts, "has no order", |value_type| !matches!(value_type, ValueType::Bool(_)))?;
            }
        }
        match (known_left, known_right) {
            (Some(known), None) => {
                let constants = self.constants(left, &known.sorts, right)?;
                Ok(Test::Against(Operand { value: known.value, all }, order, constants))
            }
            (None, Some(known)) => {
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

    /// Parses a literal as constants of the possible types of `of`.
    fn constants(&self, of: &Node, sorts: &[ValueType], written: &Node) -> Result<Vec<Constant>, Wrong> {
        let constants: Vec<Constant> = sorts.iter().flat_map(|value_type| literal::constants(&written.is, *value_type)).collect();
        if !constants.is_empty() {
            return Ok(constants);
        }
        let value_type = sorts.first().copied().unwrap_or(ValueType::Note);
        let wrong = Wrong::new(&written.at, format!("expected {} for {of}", value_type.expected()));
        let (Syntax::Word(_) | Syntax::Quoted(_)) = written.is else { return Err(wrong) };
        let word = match &written.is {
            Syntax::Quoted(text) => String::from_utf8_lossy(text),
            _ => written.to_string().into(),
        };
        Err(wrong.try_instead(match value_type {
            ValueType::Number([]) if is_name(&word) && word.contains('.') => self.nearest(&word),
            ValueType::Number(names) if !names.is_empty() => {
                nearest(&word, names.iter().map(|(_, name)| *name)).iter().map(|name| format!("{name:?}")).collect()
            }
            ValueType::Bool(_) => vec!["true".into(), "false".into()],
            ValueType::Bytes | ValueType::Layer => in_quotes(written),
            _ => Vec::new(),
        }))
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

/// Requires a property of every possible type of a value.
fn require(node: &Node, sorts: &[ValueType], what: &str, does: impl Fn(ValueType) -> bool) -> Result<(), Wrong> {
    match sorts.iter().find(|value_type| !does(**value_type)) {
        Some(value_type) => Err(Wrong::new(&node.at, format!("{node} is {} and {what}", value_type.words()))),
        None => Ok(()),
    }
}

fn words(sorts: &[ValueType]) -> &'static str {
    sorts.first().map_or("nothing", |value_type| value_type.words())
}

/// Whether a name is used as text: in `protocol == http` it is the name of the protocol.
fn is_word_for(of: &Node, written: &Node) -> bool {
    let is_word = |node: &Node| matches!(node.is, Syntax::Word(_));
    let is_text = |name: &str| pseudo::named(name).is_some_and(|pseudo| pseudo.kind == Kind::Text);
    is_word(written) && matches!(&of.is, Syntax::Word(name) if is_text(name))
}

/// Whether a word may be a name.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Suggests quotes for a word that may be text.
fn in_quotes(node: &Node) -> Vec<String> {
    match &node.is {
        Syntax::Word(word) => vec![format!("{word:?}")],
        _ => Vec::new(),
    }
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
