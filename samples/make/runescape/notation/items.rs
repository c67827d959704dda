//! Items of the column notation: names, types, conditions.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "the tables are the shipped ones")]

/// An item of the notation.
#[derive(Debug, Default)]
pub struct Item<'t> {
    pub optional: bool,
    pub name: &'t str,
    pub kind: &'t str,
    pub group: Option<&'t str>,
    pub argument: &'t str,
    pub cut: Option<&'t str>,
    pub turn: &'t str,
    pub repeat: Option<&'t str>,
    pub conds: Vec<&'t str>,
}

/// Splits a list at spaces outside of braces.
pub fn items(list: &str) -> Vec<Item<'_>> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, byte) in list.bytes().chain([b' ']).enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b' ' if depth == 0 => {
                if at > start {
                    found.push(item(&list[start..at]));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn item(text: &str) -> Item<'_> {
    let mut item = Item::default();
    let (name, mut rest) = text.split_once(':').unwrap();
    item.optional = name.starts_with('?');
    item.name = name.trim_start_matches('?');
    if rest.starts_with('{') {
        let mut depth = 0;
        let end = rest.bytes().position(|byte| {
            depth += i32::from(byte == b'{') - i32::from(byte == b'}');
            depth == 0
        });
        item.group = Some(&rest[1..end.unwrap()]);
        rest = &rest[end.unwrap() + 1..];
    } else {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_[]".contains(c))).unwrap_or(rest.len());
        (item.kind, rest) = rest.split_at(end);
        if let Some(inner) = rest.strip_prefix('(') {
            (item.argument, rest) = inner.split_once(')').unwrap();
        }
    }
    let (before, conds) = rest.split_once('@').unwrap_or((rest, ""));
    item.conds = conds.split(',').filter(|cond| !cond.is_empty()).collect();
    let (before, repeat) = before.split_once('*').map_or((before, None), |(before, repeat)| (before, Some(repeat)));
    item.repeat = repeat;
    let (before, turn) = before.split_once('~').unwrap_or((before, ""));
    item.turn = turn;
    item.cut = before.strip_prefix('#');
    item
}

/// A number, decimal or hexadecimal.
pub fn number(text: &str) -> i64 {
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// Splits an expression into its first word and the operations after it.
pub fn expression(text: &str) -> (&str, Vec<(&str, i64)>) {
    let end = text.find(['>', '&', '+', '-']).unwrap_or(text.len());
    let (first, mut rest) = text.split_at(end);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let width = if rest.starts_with(">>") { 2 } else { 1 };
        let (operator, behind) = rest.split_at(width);
        let end = behind.find(['>', '&', '+', '-']).unwrap_or(behind.len());
        steps.push((operator, number(&behind[..end])));
        rest = &behind[end..];
    }
    (first, steps)
}

/// Splits a condition into expression, operator and values.
pub fn condition(text: &str) -> (&str, &str, &str) {
    let operators = ["!&", "!=", "<=", ">=", "=", "<", ">"];
    for at in 0..text.len() {
        // A shift is no comparison.
        if text[at..].starts_with(">>") || at > 0 && text[at - 1..].starts_with(">>") {
            continue;
        }
        if let Some(operator) = operators.iter().find(|operator| text[at..].starts_with(**operator)) {
            return (&text[..at], operator, &text[at + operator.len()..]);
        }
    }
    (text, "", "")
}

/// Numbers that satisfy or violate a condition on this name.
pub fn hints(name: &str, all: &str) -> Vec<i64> {
    let mut hints = Vec::new();
    for cond in all.split([' ', '}']).filter_map(|item| item.split_once('@')).flat_map(|(_, conds)| conds.split(',')) {
        let (expr, operator, values) = condition(cond.trim_end_matches(['*', ')']));
        let (first, steps) = expression(expr);
        if first != name {
            continue;
        }
        let shift = steps.iter().find(|(operator, _)| *operator == ">>").map_or(0, |(_, by)| *by);
        let back = |value: i64| value << shift;
        match (operator, steps.iter().find(|(operator, _)| *operator == "&")) {
            ("" | "!&", Some((_, mask))) => hints.push(back(*mask)),
            _ => {
                for value in values.split('|').flat_map(|value| value.split("..")).filter(|value| !value.is_empty()) {
                    let end = value.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(value.len());
                    hints.push(back(number(&value[..end])));
                }
            }
        }
    }
    hints
}
