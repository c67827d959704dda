//! Ignored fields: `--ignore time,id,dns.ttl,@8:4`.

use super::label::Label;
use crate::tree::Field;
use std::ops::Range;

/// The parts that are not compared.
#[derive(Debug, Default)]
pub struct Ignored {
    labels: Vec<Label>,
    names: Vec<String>,
    spans: Vec<Range<u64>>,
}

impl Ignored {
    /// Parses a list; `is_known` states whether a name is that of a protocol or a field.
    ///
    /// # Errors
    /// The unknown word, and what was expected.
    pub fn parse(list: &str, is_known: impl Fn(&str) -> bool) -> Result<Ignored, String> {
        let mut ignored = Ignored::default();
        for word in list.split(',').map(str::trim) {
            match word {
                "time" | "timestamp" => ignored.labels.push(Label::Timestamp),
                "id" => ignored.labels.extend([Label::Id, Label::Counter]),
                "counter" => ignored.labels.push(Label::Counter),
                "checksum" => ignored.labels.push(Label::Checksum),
                _ if word.starts_with('@') => ignored
                    .spans
                    .push(span(word).ok_or_else(|| format!("{word}: expected @OFFSET:BYTES within a message, such as @8:4"))?),
                _ if is_known(word) => ignored.names.push(word.to_owned()),
                _ => {
                    return Err(format!(
                        "{word}: expected time, id, counter, checksum, the name of a field, or a span such as @8:4"
                    ));
                }
            }
        }
        Ok(ignored)
    }

    /// Whether a field is ignored by name.
    pub(super) fn has(&self, field: &Field) -> bool {
        let begins = |name: &String| {
            field.also == name
                || field.abbrev.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.has_label(Label::of(field)) || self.names.iter().any(begins)
    }

    /// Whether fields with this label are ignored.
    pub(super) fn has_label(&self, label: Label) -> bool {
        self.labels.contains(&label)
    }

    /// Whether a byte of a message is ignored.
    pub(super) fn has_byte(&self, at: u64) -> bool {
        self.spans.iter().any(|span| span.contains(&at))
    }

    /// Whether all these bytes of a message are in an ignored range.
    pub(super) fn has_span(&self, bytes: &Range<u64>) -> bool {
        !bytes.is_empty() && self.spans.iter().any(|span| span.start <= bytes.start && bytes.end <= span.end)
    }
}

fn span(word: &str) -> Option<Range<u64>> {
    let (start, length) = word.strip_prefix('@')?.split_once(':')?;
    let (start, length): (u64, u64) = (start.parse().ok()?, length.parse().ok()?);
    Some(start..start.checked_add(length).filter(|end| *end > start)?)
}
