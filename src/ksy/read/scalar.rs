//! Scalars as numbers, booleans, identifiers and expressions.

use super::Reader;
use crate::ksy::expr::origin::Origin;
use crate::ksy::expr::parser;
use crate::ksy::expr::syntax::{Call, Syntax, TypeName};
use crate::ksy::report::Problem;
use crate::ksy::yaml::{Node, Value};

/// Whether it is an identifier: lower-case letters, digits and `_`, beginning with a letter.
pub(in crate::ksy) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The nearest identifier, as a suggestion.
fn repaired(name: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            repaired.push('_');
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        repaired.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    let repaired = repaired.trim_matches('_');
    is_identifier(repaired).then(|| format!("did you mean `{repaired}`?"))
}

/// An integer in the notation common to YAML and expressions.
pub(in crate::ksy) fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.replace('_', "");
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, digits.get(2..)?),
        Some("0b" | "0B") => (2, digits.get(2..)?),
        Some("0o" | "0O") => (8, digits.get(2..)?),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, digits.get(1..)?),
        _ => (10, digits.as_str()),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok().map(|number| number * sign)
}

/// Maximum length of a name in bytes.
const NAME: usize = 255;

impl Reader<'_> {
    /// A text; lists, maps and null are errors.
    pub(super) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        if node.text().is_none() {
            self.report.error(node.place, format!("{what} is {}, not text", node.kind()));
        }
        node.text()
    }

    /// A text or a list of texts.
    pub(super) fn texts(&mut self, node: &Node, what: &str) -> Vec<String> {
        match &node.value {
            Value::List(list) => list.iter().filter_map(|node| self.text(node, what).map(str::to_owned)).collect(),
            _ => self.text(node, what).map(str::to_owned).into_iter().collect(),
        }
    }

    /// A name. A malformed one is reported but kept, so that its uses are not reported, too.
    pub(super) fn identifier(&mut self, node: &Node, what: &str) -> Option<String> {
        let name = self.text(node, what)?;
        if name.len() > NAME {
            self.report.error(node.place, format!("{what} is longer than {NAME} characters"));
            return None;
        }
        if is_identifier(name) {
            return Some(name.to_owned());
        }
        let problem = Problem::error(node.place, format!("{what} cannot be `{name}`"));
        let rule = "a name has lower-case letters, digits and `_`, and begins with a letter";
        self.report.add(problem.help(rule).help_if(repaired(name)));
        Some(name.to_owned())
    }

    /// A boolean, in any spelling of YAML.
    pub(super) fn boolean(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.text().unwrap_or_default().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => {
                self.report.error(node.place, format!("{what} is neither `true` nor `false`"));
                None
            }
        }
    }

    /// A byte.
    pub(super) fn byte(&mut self, node: &Node, what: &str) -> Option<u8> {
        let byte = node.text().and_then(integer).and_then(|number| u8::try_from(number).ok());
        if byte.is_none() {
            self.report.error(node.place, format!("{what} is not an integer from 0 to 255"));
        }
        byte
    }

    /// An expression.
    pub(super) fn expression(&mut self, node: &Node, what: &str) -> Option<Syntax> {
        let Some(text) = node.text() else {
            let problem = Problem::error(node.place, format!("{what} is {}, not an expression", node.kind()));
            let help = if node.list().is_some() { "put the list in quotes" } else { "write an expression behind the colon" };
            self.report.add(problem.help(help));
            return None;
        };
        self.express(text, node.place)?;
        let is_plain = matches!(node.value, Value::Scalar { quoted: false, .. });
        // YAML and expressions write integers differently: `010` is an integer of YAML only.
        let number = is_plain.then(|| integer(text)).flatten().filter(|_| text.trim_start_matches(['-', '+']).starts_with('0'));
        let decimal = number.map(|number| number.to_string());
        let parsed = parser::expression(decimal.as_deref().unwrap_or(text), &Origin::new(node, self.text));
        self.parsed(parsed)
    }

    /// A type with arguments.
    pub(super) fn type_call(&mut self, node: &Node, what: &str) -> Option<Call> {
        let text = self.text(node, what)?;
        if text.contains('(') {
            self.express(text, node.place)?;
        }
        let parsed = parser::type_call(text, &Origin::new(node, self.text));
        self.parsed(parsed)
    }

    /// The name of a type or an enum.
    pub(super) fn type_name(&mut self, node: &Node, what: &str) -> Option<TypeName> {
        let call = self.type_call(node, what)?;
        if let Some(arg) = call.args.first() {
            self.report.error(arg.place, format!("{what} takes no arguments"));
        }
        Some(call.name)
    }

    /// A process with arguments.
    pub(super) fn process_call(&mut self, node: &Node) -> Option<Call> {
        let text = self.text(node, "`process`")?;
        let parsed = parser::process_call(text, &Origin::new(node, self.text));
        self.parsed(parsed)
    }

    pub(super) fn parsed<T>(&mut self, parsed: Result<T, Problem>) -> Option<T> {
        parsed.map_err(|problem| self.report.add(problem)).ok()
    }
}
