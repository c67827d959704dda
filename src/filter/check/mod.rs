//! Type checking: resolves names to fields and literals to constants, before input is opened.

mod named;
mod relations;
mod values;

use super::literal;
use super::meant;
use super::parse_error::{Wrong, nearest};
use super::program::{Test, Value};
use super::syntax::{Node, Syntax};
use super::value::Constant;
use super::value_type::ValueType;
use crate::layers;
use crate::record::Scope;
use crate::record::expert;
use crate::record::pseudo::{self, Pseudo};
use crate::record::shown;
use crate::registry::Registry;
use crate::tree::{Carriers, Demand, Depth, Extras, Field, Fields, Kind, Only};
use std::collections::BTreeSet;

/// The whole frame as bytes, as Wireshark's protocol of this name.
const FRAME: &str = "frame";

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
            Syntax::Call(name, arguments) => self.call(node, name, arguments)?,
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

    /// Checks a value for a column.
    pub(super) fn column(&mut self, node: &Node) -> Result<(Value, ValueType), Wrong> {
        let known = self.known(node)?;
        Ok((known.value, known.sorts.first().copied().unwrap_or(ValueType::Text)))
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
}

/// Requires a property of every possible type of a value.
fn require(node: &Node, sorts: &[ValueType], what: &str, does: impl Fn(ValueType) -> bool) -> Result<(), Wrong> {
    match sorts.iter().find(|value_type| !does(**value_type)) {
        Some(value_type) => Err(Wrong::new(&node.at, format!("{node} is {} and {what}", value_type.words()))),
        None => Ok(()),
    }
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
