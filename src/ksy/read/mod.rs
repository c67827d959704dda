//! Reads declarations from the nodes of a file.

mod attribute;
mod deliver;
mod enums;
mod meta;
mod registration;
mod representation;
mod scalar;
mod session;

pub(super) use scalar::{integer, is_identifier};
mod types;

use super::decl::TypeDecl;
use super::keys::Keys;
use super::report::{Problem, Report};
use super::source_range::SourceRange;
use super::yaml::Node;
use crate::nearest::suggestion;
use std::collections::HashMap;

/// Reads one file.
pub(super) struct Reader<'a> {
    text: &'a str,
    report: &'a mut Report,
    counts: &'a mut Counts,
}

/// Totals of all files so far.
#[derive(Debug, Default)]
pub(super) struct Counts {
    declarations: usize,
    /// Bytes of expressions.
    expressions: usize,
}

/// Maximum number of attributes, instances and parameters of all files. A type counts as three of them, in proportion to its
/// memory.
const DECLARATIONS: usize = 1 << 16;
const TYPE: usize = 3;
/// Maximum number of bytes of expressions of all files. Each counts as a few more, because short ones take memory, too.
const EXPRESSIONS: usize = 1 << 20;
const EXPRESSION: usize = 16;

/// The declarations of a file.
pub(super) fn file(node: &Node, text: &str, counts: &mut Counts, report: &mut Report) -> Option<TypeDecl> {
    let mut reader = Reader { text, report, counts };
    if node.map().is_none() {
        let what =
            if node.is_null() { "the file is empty".to_owned() } else { format!("the file is {}, not a map", node.kind()) };
        reader.report.add(Problem::error(node.place, what).help("a file begins with `meta:` and its `id:`"));
        return None;
    }
    let meta = node.map().and_then(|entries| entries.iter().find(|(key, _)| key.text() == Some("meta")));
    let place = meta.map_or(node.place.first(), |(key, _)| key.place);
    let mut decl = reader.type_body(node, String::new(), place);
    // Declarations missing because of a limit are no error of the file.
    if reader.counts.declarations > DECLARATIONS || reader.counts.expressions > EXPRESSIONS {
        return None;
    }
    let Some((key, meta)) = meta else {
        reader.report.add(Problem::error(node.place.first(), "the file has no `meta`").help("begin with `meta:` and its `id:`"));
        return None;
    };
    match meta.get("id") {
        Some(id) => {
            let name = reader.identifier(id, "the `id` of a file")?;
            (decl.name, decl.place) = (name, id.place);
        }
        None if meta.map().is_some() || meta.is_null() => {
            reader.report.add(Problem::error(key.place, "`meta` has no `id`").help("add `id:` with the name of the protocol"));
        }
        None => {}
    }
    Some(decl)
}

/// The entries of a map by key.
pub(super) struct Entries<'n> {
    /// Whether a key is unknown: a missing key may be a misspelt one.
    has_unknown: bool,
    entries: HashMap<&'n str, (&'n Node, &'n Node)>,
    place: SourceRange,
}

impl<'n> Entries<'n> {
    fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.get(key).map(|(_, value)| *value)
    }

    /// The position of a key.
    fn key(&self, key: &str) -> SourceRange {
        self.entries.get(key).map_or(self.place, |(key, _)| key.place)
    }
}

impl Reader<'_> {
    /// The entries of a map, whose keys must be known and unique. `keys` are those of its kind and related kinds.
    fn entries<'n>(&mut self, node: &'n Node, keys: &[&Keys], within: &str) -> Option<Entries<'n>> {
        let entries = self.map(node, within)?;
        let known = || keys.iter().flat_map(|keys| keys.keys).map(|key| key.name);
        let mut found = HashMap::new();
        let mut has_unknown = false;
        for (key, value) in entries {
            let Some(name) = key.text() else {
                self.report.error(key.place, format!("a key that is {}", key.kind()));
                continue;
            };
            if !name.starts_with('-') && !known().any(|known| known == name) {
                let plain: Vec<&str> = known().filter(|known| !known.starts_with('-')).collect();
                let own = known().find(|known| known.strip_prefix('-') == Some(name));
                let help = match own {
                    Some(own) => format!("write `{own}`, with the `-` of keys that other programs ignore"),
                    None => {
                        suggestion(name, plain.iter().copied()).unwrap_or_else(|| format!("its keys are {}", plain.join(", ")))
                    }
                };
                self.report.add(Problem::error(key.place, format!("unknown key `{name}` in {within}")).help(help));
                has_unknown = true;
            }
            if name.starts_with('-') && !known().any(|known| known == name) {
                // Other programs have keys of their own.
                if let Some(help) = suggestion(name, known().filter(|known| known.starts_with('-'))) {
                    self.report.warning(key.place, format!("`{name}` has no meaning in {within}"), Some(help));
                }
            }
            found.insert(name, (key, value));
        }
        Some(Entries { has_unknown, entries: found, place: node.place.first() })
    }

    /// The entries of a map; a key that occurs twice is an error.
    fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [(Node, Node)]> {
        let Some(entries) = node.map() else {
            self.report.error(node.place, format!("{what} is {}, not a map", node.kind()));
            return None;
        };
        Some(entries)
    }

    /// Counts declarations, and reports the first one beyond the limit.
    fn declare(&mut self, count: usize, place: SourceRange) -> Option<()> {
        let before = self.counts.declarations;
        self.counts.declarations = before.saturating_add(count);
        if before <= DECLARATIONS && self.counts.declarations > DECLARATIONS {
            let problem = Problem::error(place, format!("more than {DECLARATIONS} attributes, instances and parameters"));
            self.report.add(problem.help(format!("all files count, and a type as {TYPE} of them")));
        }
        (self.counts.declarations <= DECLARATIONS).then_some(())
    }

    /// Counts an expression, and reports the first one beyond the limit.
    fn express(&mut self, text: &str, place: SourceRange) -> Option<()> {
        let before = self.counts.expressions;
        self.counts.expressions = before.saturating_add(text.len() + EXPRESSION);
        if before <= EXPRESSIONS && self.counts.expressions > EXPRESSIONS {
            self.report.error(place, format!("more than {} MiB of expressions in all files", EXPRESSIONS >> 20));
        }
        (self.counts.expressions <= EXPRESSIONS).then_some(())
    }

    /// The elements of a list.
    fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        if node.list().is_none() {
            let problem = Problem::error(node.place, format!("{what} is {}, not a list", node.kind()));
            self.report.add(problem.help("begin each entry with `- `"));
        }
        node.list().unwrap_or_default()
    }
}

/// Reports keys that occur twice in any map of a file.
pub(super) fn duplicate_keys(node: &Node, report: &mut Report) {
    if let Some(entries) = node.map() {
        let mut seen = std::collections::HashSet::new();
        for (key, value) in entries {
            if let Some(name) = key.text()
                && !seen.insert(name)
            {
                report.add(Problem::error(key.place, format!("the key `{name}` occurs twice")).help("join both, or rename one"));
            }
            duplicate_keys(value, report);
        }
    }
    for node in node.list().unwrap_or_default() {
        duplicate_keys(node, report);
    }
}
