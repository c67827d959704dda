//! Attributes of messages whose size a key selects.

use super::{HeaderField, header, number_type};
use crate::explore::messages::Discriminator;
use crate::explore::rule::{Number, Rule};
use crate::explore::table::{Size, Table};
use std::fmt::Write as _;

/// Merges consistent tables with the same key.
pub(super) fn merged(mut all: Table, other: &Table) -> Option<Rule> {
    if all.key != other.key || all.other != other.other {
        return None;
    }
    all.sizes.extend(&other.sizes);
    all.sizes.sort_unstable();
    all.sizes.dedup();
    let is_one = all.sizes.windows(2).all(|pair| pair.first().map(|one| one.0) != pair.last().map(|one| one.0));
    is_one.then_some(Rule::Table(all))
}

/// Writes the key, the length fields that messages may have, the kind, and a body of the size that the key selects. Returns the
/// size of the header before the body; one that varies counts as one byte.
///
/// # Errors
/// If Kaitai Struct cannot express the table.
pub(super) fn attributes(table: &Table, kind: Option<Discriminator>, out: &mut String) -> Result<usize, String> {
    let key = table.key.at;
    let is_kind = kind.is_some_and(|kind| (kind.offset, kind.width) == (key.offset, key.width));
    let mut known: Vec<Number> = table.all().filter_map(Size::number).filter(|at| *at != key).collect();
    known.sort_unstable();
    known.dedup();
    let (before, behind): (Vec<Number>, Vec<Number>) = known.into_iter().partition(|at| at.offset < key.offset);
    if before.len() > 1 || before.iter().any(|at| at.end() > key.offset) || behind.iter().any(|at| at.offset < key.end()) {
        return Err(String::from("the length fields overlap the key, which a .ksy cannot express"));
    }
    let of_key = Discriminator { offset: key.offset, width: key.width, endian: key.endian, confidence: 1.0 };
    let parts = before.into_iter().map(HeaderField::Length).chain([HeaderField::Kind(of_key)]);
    let mut first = String::new();
    header(parts.collect(), &mut first);
    let select = Select { table, name: if is_kind { "kind" } else { "head" } };
    out.push_str(&if is_kind { first } else { first.replace("- id: kind\n", "- id: head\n") });
    behind.iter().for_each(|at| select.number(*at, out));
    let base = match table.all().map(|size| select.end(size)).min() {
        _ if table.has_headers() => 1,
        Some(end) if table.is_switch() => end,
        _ => key.end(),
    };
    let mut after = 0;
    if let Some(kind) = kind.filter(|kind| table.is_switch() && !is_kind && kind.offset >= base) {
        let gap = kind.offset - base;
        if gap > 0 {
            let _ = writeln!(out, "  - id: unk_head\n    size: {gap}");
        }
        let _ = writeln!(out, "  - id: kind\n    type: {}", number_type(kind.width, kind.endian));
        after = gap + kind.width;
    }
    select.body(after, out);
    Ok(base + after)
}

/// Expressions with the key.
struct Select<'t> {
    table: &'t Table,
    /// The attribute of the key.
    name: &'static str,
}

impl Select<'_> {
    /// The key, without bits that do not count.
    fn key(&self) -> String {
        let Select { table, name } = self;
        if table.key.is_whole() { (*name).to_string() } else { format!("({name} & 0x{:02x})", table.key.mask) }
    }

    /// Name of the attribute of a length field.
    fn length(&self, at: Number) -> String {
        match at {
            at if at == self.table.key.at => self.name.to_string(),
            at if at.offset < self.table.key.at.offset => String::from("len"),
            at => format!("len_{:02x}_{}", at.offset, number_type(at.width, at.endian)),
        }
    }

    /// The messages that have a length field; `None` for all.
    fn condition(&self, at: Number) -> Option<String> {
        let has = |size: &Size| size.number() == Some(at);
        let key = self.key();
        let list = |wanted: bool, operator: &str, between: &str| {
            let own = self.table.sizes.iter().filter(|(_, size)| has(size) == wanted);
            own.map(|(value, _)| format!("{key} {operator} 0x{value:02x}")).collect::<Vec<_>>().join(between)
        };
        match self.table.other {
            _ if self.table.all().all(|size| has(&size)) => None,
            Some(other) if has(&other) => Some(list(false, "!=", " and ")),
            _ => Some(list(true, "==", " or ")),
        }
    }

    /// Writes a length field behind the key.
    fn number(&self, at: Number, out: &mut String) {
        let (name, condition) = (self.length(at), self.condition(at));
        let condition = condition.map_or_else(String::new, |condition| format!("    if: {condition}\n"));
        let gap = at.offset - self.table.key.at.end();
        if gap > 0 {
            let _ = write!(out, "  - id: before_{name}\n    size: {gap}\n{condition}");
        }
        let _ = write!(out, "  - id: {name}\n    type: {}\n{condition}", number_type(at.width, at.endian));
    }

    /// End of the attributes so far.
    fn end(&self, size: Size) -> usize {
        let key = self.table.key.at.end();
        size.number().map_or(key, |at| at.end().max(key))
    }

    /// Writes a body with the size of the kind, of which `after` bytes were read.
    fn body(&self, after: usize, out: &mut String) {
        let of = |size: Size| {
            let read = i64::try_from(self.end(size) + after).unwrap_or(0);
            match size {
                Size::Fixed(size) => (i64::try_from(size).unwrap_or(0) - read).max(0).to_string(),
                Size::Counted { at, bias } => match bias - read {
                    0 => self.length(at),
                    less @ ..0 => format!("{} - {}", self.length(at), -less),
                    more => format!("{} + {more}", self.length(at)),
                },
            }
        };
        let key = self.key();
        out.push_str("  - id: body\n    size: >-\n");
        for (value, size) in &self.table.sizes {
            let _ = writeln!(out, "      {key} == 0x{value:02x} ? {} :", of(*size));
        }
        let _ = writeln!(out, "      {}", self.table.other.map_or_else(|| String::from("0"), of));
    }
}
