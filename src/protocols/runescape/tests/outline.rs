//! Dumps of trees read back, so that tests compare values by name.

use serde_json::Value;
use std::fmt;

/// A node: position, name, value as text, and children.
#[derive(Default, Clone)]
pub struct Outline {
    pub span: Option<(usize, usize)>,
    pub name: String,
    pub value: String,
    pub below: Vec<Outline>,
}

impl Outline {
    /// Reads the dump of one message.
    pub fn of(dump: &str) -> Outline {
        let mut open: Vec<(usize, Outline)> = Vec::new();
        for line in dump.lines().filter(|line| !line.trim_start().starts_with('!')) {
            let depth = line.len() - line.trim_start().len();
            while open.len() > 1 && open.last().is_some_and(|(other, _)| *other >= depth) {
                let (_, node) = open.pop().unwrap();
                open.last_mut().unwrap().1.below.push(node);
            }
            open.push((depth, Outline::line(line.trim_start())));
        }
        while open.len() > 1 {
            let (_, node) = open.pop().unwrap();
            open.last_mut().unwrap().1.below.push(node);
        }
        open.pop().map(|(_, node)| node).unwrap_or_default()
    }

    fn line(line: &str) -> Outline {
        let (head, value) = line.split_once(" = ").unwrap_or((line, ""));
        let mut words = head.split(' ');
        let first = words.next().unwrap();
        let span = first.split_once("..").and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
        let name = if first.contains("..") { words.next().unwrap_or_default() } else { first };
        Outline { span, name: name.to_owned(), value: value.to_owned(), below: Vec::new() }
    }

    /// The last part of the name.
    pub fn key(&self) -> &str {
        self.name.rsplit('.').next().unwrap()
    }

    /// The first node of this name directly below.
    pub fn child(&self, name: &str) -> Option<&Outline> {
        self.below.iter().find(|node| node.name == name)
    }

    /// The value as a number.
    pub fn number(&self) -> Option<i64> {
        let digits = self.value.split(' ').next().unwrap();
        match (digits, digits.strip_prefix("0x")) {
            ("true", _) => Some(1),
            ("false", _) => Some(0),
            (_, Some(hex)) => i64::from_str_radix(hex, 16).ok(),
            (digits, None) => digits.parse().ok().or_else(|| digits.parse::<u64>().ok().map(u64::cast_signed)),
        }
    }

    /// The number of a node directly below.
    pub fn number_of(&self, name: &str) -> Option<i64> {
        self.child(name)?.number()
    }

    /// The text, without quotes.
    pub fn text(&self) -> Option<&str> {
        self.value.strip_prefix('"')?.strip_suffix('"')
    }

    /// The bytes as hexadecimal text: short ones are in the value.
    pub fn hex(&self, message: &[u8]) -> String {
        if !self.value.ends_with(" bytes") {
            return self.value.clone();
        }
        let (start, end) = self.span.unwrap();
        message[start..end].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The value as JSON of the same kind as the expected one.
    pub fn json(&self, expected: &Value, message: &[u8]) -> Value {
        match (expected, self.text()) {
            (_, Some(text)) => Value::from(text),
            (Value::Number(_), None) => self.number().map_or(Value::Null, Value::from),
            (Value::Null, None) if self.value.is_empty() => Value::Null,
            (_, None) => Value::from(self.hex(message)),
        }
    }
}

impl fmt::Debug for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = self.span.unwrap_or_default();
        write!(f, "{start}..{end} {} = {} {:?}", self.name, self.value, self.below)
    }
}
