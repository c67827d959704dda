//! Values with the fixed JSON type of their field.
//!
//! Numbers keep all digits. Values without representation, such as NaN or masked numbers, are `null`.

use super::choice::Key;
use super::nodes::Plain;
use super::writer::{Out, Put, Shown};
use crate::record::pseudo::{Pseudo, PseudoValue};
use crate::record::{JsonType, RememberedValue};
use crate::tree::{Computed, Field, MASKED_TEXT, NodeRef, Value, hex};
use std::fmt::{self, Display};
use std::io::Result;

/// Writes the value of a node under one of its names.
pub struct Typed<'a, 't>(pub NodeRef<'t>, pub Key<'a>);

impl Put for Typed<'_, '_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let Typed(node, key) = *self;
        match key.keyed.json {
            JsonType::Number => number(node, out),
            JsonType::Bool => match node.value() {
                _ if node.is_secret() => ().put(out),
                Value::Bool(truth) => truth.put(out),
                Value::Unsigned(number) => (number != 0).put(out),
                _ => ().put(out),
            },
            JsonType::Text if key.is_joint => Shown(Joint(node)).put(out),
            JsonType::Text => text(node, out),
            JsonType::Object => ().put(out),
        }
    }
}

fn number(node: NodeRef<'_>, out: &mut Out<'_>) -> Result<()> {
    match node.value() {
        _ if node.is_secret() => ().put(out),
        Value::Unsigned(number) => number.put(out),
        Value::Signed(number) => number.put(out),
        Value::Single(number) if number.is_finite() => number.put(out),
        Value::Double(number) if number.is_finite() => number.put(out),
        Value::Bool(truth) => u8::from(truth).put(out),
        _ => ().put(out),
    }
}

fn text(node: NodeRef<'_>, out: &mut Out<'_>) -> Result<()> {
    match node.value() {
        _ if node.is_secret() => MASKED_TEXT.put(out),
        Value::Text | Value::Generated(_) => node.text().put(out),
        Value::None => ().put(out),
        _ => Shown(Plain(node)).put(out),
    }
}

/// Writes a value of a name with mixed types, as a string.
struct Joint<'t>(NodeRef<'t>);

impl Display for Joint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.0;
        match node.value() {
            _ if node.is_secret() => f.write_str(MASKED_TEXT),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Unsigned(number) if JsonType::of(node.field().kind) == JsonType::Number => write!(f, "{number}"),
            Value::Text | Value::Generated(_) => f.write_str(&node.text()),
            _ => node.write_plain(f),
        }
    }
}

/// Bytes of a value, unless empty or masked.
pub struct Raw<'t>(pub NodeRef<'t>);

impl Put for Raw<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let node = self.0;
        if node.span().is_somewhere() && !node.is_secret() && !node.has_masked_bytes() {
            out.hex(node.bytes())
        } else {
            ().put(out)
        }
    }
}

/// JSON of a generated value.
pub fn literal(field: &Field, computed: &Computed<'_>) -> String {
    let text = |text: &str| in_memory(text);
    match (JsonType::of(field.kind), computed) {
        (JsonType::Number, Computed::Number(number)) => in_memory(number),
        (JsonType::Number, Computed::Bool(truth)) => in_memory(&u8::from(*truth)),
        (JsonType::Bool, Computed::Bool(truth)) => in_memory(truth),
        (JsonType::Bool, Computed::Number(number)) => in_memory(&(*number != 0)),
        (JsonType::Text, Computed::Text(bytes)) => text(&String::from_utf8_lossy(bytes)),
        (JsonType::Text, Computed::Number(number)) => text(&number.to_string()),
        (JsonType::Text, Computed::Bool(truth)) => text(&truth.to_string()),
        (JsonType::Text, Computed::Bytes(bytes)) => {
            let mut digits = String::new();
            // Writing to memory does not fail.
            let _ = hex(bytes, &mut digits);
            text(&digits)
        }
        _ => in_memory(&()),
    }
}

/// JSON of a remembered value.
pub fn remembered(known: RememberedValue) -> String {
    match known {
        RememberedValue::Number(number) => in_memory(&number),
        RememberedValue::Ip(address) => in_memory(&Shown(address)),
    }
}

/// JSON of a value as a string.
pub fn in_memory(value: &(impl Put + ?Sized)) -> String {
    let (mut line, mut rest) = (Vec::new(), Vec::new());
    // Writing to memory does not fail.
    let _ = value.put(&mut Out::new(&mut line, &mut rest));
    rest.append(&mut line);
    String::from_utf8(rest).unwrap_or_default()
}

/// Writes the value of a pseudo-field, as an array if it may repeat.
pub struct Answered<'t>(pub &'static Pseudo, pub PseudoValue<'t>);

impl Put for Answered<'_> {
    fn put(&self, out: &mut Out<'_>) -> Result<()> {
        let Answered(pseudo, answer) = self;
        if pseudo.repeats() {
            return out.list(each(pseudo, answer), |out, one| {
                out.raw(&one);
                Ok(())
            });
        }
        one(pseudo, answer, out)
    }
}

/// Values of a pseudo-field as JSON.
pub fn each(pseudo: &Pseudo, answer: &PseudoValue<'_>) -> Vec<String> {
    let mut values = Vec::new();
    match answer {
        PseudoValue::Lines(lines) => values.extend(lines.lines().map(in_memory)),
        PseudoValue::ExpertItems(items) => {
            // Writing to memory does not fail.
            let _ = items.each(|one| {
                values.push(match pseudo.json() {
                    JsonType::Number => one.to_string(),
                    _ => in_memory(&Shown(one)),
                });
                Ok::<(), ()>(())
            });
        }
        _ => {
            let (mut line, mut rest) = (Vec::new(), Vec::new());
            let _ = one(pseudo, answer, &mut Out::new(&mut line, &mut rest));
            rest.append(&mut line);
            values.push(String::from_utf8(rest).unwrap_or_default());
        }
    }
    values
}

fn one(pseudo: &Pseudo, answer: &PseudoValue<'_>, out: &mut Out<'_>) -> Result<()> {
    match (pseudo.json(), answer) {
        (JsonType::Number, PseudoValue::Number(number)) => number.put(out),
        (JsonType::Number, PseudoValue::Nanos(_) | PseudoValue::Micros(_) | PseudoValue::Time(_)) => {
            out.raw(&answer.to_string());
            Ok(())
        }
        (JsonType::Number, _) => ().put(out),
        (_, PseudoValue::Words(words)) => words.put(out),
        (_, answer) => Shown(answer).put(out),
    }
}
