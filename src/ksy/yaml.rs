//! YAML as nodes with positions. A scalar remains text until a key requires a type.

use super::report::Problem;
use super::source_range::{SourceRange, offset};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use std::collections::{HashMap, HashSet};

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its value.
    pub value: Value,
    /// Its position.
    pub place: SourceRange,
}

/// The value of a node.
#[derive(Debug, Clone)]
pub enum Value {
    /// A text; if `quoted`, it cannot be null, a number or a boolean.
    Scalar {
        /// The text.
        text: String,
        /// Whether it is in quotes or a block.
        quoted: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// Keys with their values, in the order of the file.
    Map(Vec<(Node, Node)>),
}

/// Maximum nesting of lists and maps.
pub(super) const DEPTH: usize = 64;
/// Maximum number of nodes of a file, including repetitions by aliases.
const NODES: usize = 1 << 19;

impl Node {
    /// Whether it is null.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, quoted: false } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The text of a scalar that is not null.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// The elements of a list.
    pub(super) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The entries of a map.
    pub(super) fn map(&self) -> Option<&[(Node, Node)]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// Its kind, with an article.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar { .. } if self.is_null() => "nothing",
            Value::Scalar { .. } => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

/// The first document of a text.
pub(super) fn parse(file: u32, text: &str) -> Result<Node, Problem> {
    let mut builder =
        Builder { file, text, offsets: Offsets::new(text), open: Vec::new(), anchors: HashMap::new(), count: 0, root: None };
    // The parser buffers a whole flow sequence before it returns the first element, since the sequence may be a key.
    if let Some(comma) = memchr::memchr_iter(b',', text.as_bytes()).nth(NODES) {
        let start = offset(comma);
        return Err(too_many(SourceRange { file, start, end: start + 1 }));
    }
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| builder.scan_error(&error))?;
        builder.event(event, span)?;
    }
    Ok(builder.root.unwrap_or(Node {
        value: Value::Scalar { text: String::new(), quoted: false },
        place: SourceRange { file, start: 0, end: 0 },
    }))
}

/// Byte offsets of characters, in which the parser counts.
struct Offsets(Vec<u32>);

impl Offsets {
    fn new(text: &str) -> Offsets {
        Offsets(if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| offset(at)).collect() })
    }

    fn byte(&self, character: usize, len: usize) -> u32 {
        let byte = if self.0.is_empty() { offset(character) } else { self.0.get(character).copied().unwrap_or(offset(len)) };
        byte.min(offset(len))
    }
}

/// An incomplete list or map.
struct Open {
    node: Node,
    key: Option<Node>,
    anchor: usize,
}

struct Builder<'t> {
    file: u32,
    text: &'t str,
    offsets: Offsets,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    count: usize,
    root: Option<Node>,
}

impl Builder<'_> {
    fn place(&self, span: Span) -> SourceRange {
        let start = self.offsets.byte(span.start.index(), self.text.len());
        SourceRange { file: self.file, start, end: self.offsets.byte(span.end.index(), self.text.len()).max(start) }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let place = self.place(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let quoted = style != ScalarStyle::Plain || tag.is_some();
                self.complete(Node { value: Value::Scalar { text: text.into_owned(), quoted }, place }, anchor)
            }
            Event::SequenceStart(anchor, _) => self.start(Value::List(Vec::new()), place, anchor),
            Event::MappingStart(anchor, _) => self.start(Value::Map(Vec::new()), place, anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => {
                    let mut node = open.node;
                    merge(&mut node);
                    self.complete(node, open.anchor)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor) else {
                    return Err(Problem::error(place, "an alias of a node that contains the alias"));
                };
                let mut node = node.clone();
                self.count += weight(&node);
                if depth(&node) + self.open.len() > DEPTH {
                    return Err(too_deep(place));
                }
                node.place = place;
                self.complete(node, 0)
            }
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(Problem::error(place, "a second document").help("a file holds one document: remove the line `---`"))
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, value: Value, place: SourceRange, anchor: usize) -> Result<(), Problem> {
        if self.open.len() >= DEPTH {
            return Err(too_deep(place));
        }
        self.open.push(Open { node: Node { value, place: place.first() }, key: None, anchor });
        Ok(())
    }

    /// Adds a complete node to its parent.
    fn complete(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        self.count += 1;
        if self.count > NODES {
            return Err(too_many(node.place));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
            self.count += weight(&node);
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        if open.node.place.end < node.place.end {
            open.node.place.end = node.place.end;
        }
        match (&mut open.node.value, open.key.take()) {
            (Value::List(list), _) => list.push(node),
            (Value::Map(entries), Some(key)) => entries.push((key, node)),
            (_, None) => open.key = Some(node),
            (Value::Scalar { .. }, Some(_)) => {}
        }
        Ok(())
    }

    /// Converts a syntax error of the parser.
    fn scan_error(&self, error: &ScanError) -> Problem {
        let start = self.offsets.byte(error.marker().index(), self.text.len());
        let place = SourceRange { file: self.file, start, end: start };
        let line_of = |at: u32| self.text.get(..at as usize).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let line_start = line_of(start);
        let indent =
            self.text.get(line_start..).map(|line| line.split(|c: char| c != ' ' && c != '\t').next().unwrap_or_default());
        if let Some(tab) = indent.and_then(|indent| indent.find('\t')) {
            let start = offset(line_start + tab);
            return Problem::error(SourceRange { file: self.file, start, end: start + 1 }, "a tab in the indentation")
                .help("indent with spaces");
        }
        let info = error.info();
        if info.contains("recursion limit") {
            return too_deep(place);
        }
        let (message, help) = EXPLANATIONS
            .iter()
            .find(|(part, ..)| info.contains(part))
            .map_or((info, None), |(_, message, help)| (*message, Some((*help).to_owned())));
        Problem::error(place, message).help_if(help)
    }
}

const COLUMNS: &str = "keys of one level start in one column, and so do the `-` of a list";

/// Messages of the parser with explanations for authors.
const EXPLANATIONS: &[(&str, &str, &str)] = &[
    (
        "mapping values are not allowed",
        "a `:` where no key can be",
        "one key a line, one level in one column; text with `: ` is in quotes",
    ),
    ("did not find expected key", "wrong indentation", COLUMNS),
    ("did not find expected '-'", "wrong indentation", COLUMNS),
    ("block sequence entries are not allowed", "a list entry where none can be", "put the `-` on a line of its own, indented"),
    (
        "simple key expect",
        "a line that is neither a key with `:` nor a list entry",
        "write `key: value`, or `- ` before an entry",
    ),
    ("invalid indentation", "wrong indentation", COLUMNS),
    ("found unexpected end of stream", "quotes that are never closed", "add the closing quote"),
    (
        "did not find expected ',' or '}'",
        "a `{` that is never closed, or a missing comma",
        "put text with `[`, `{` or `,` in quotes",
    ),
    ("expected ',' or ']'", "a `[` that is never closed, or a missing comma", "add the closing `]`, or put the text in quotes"),
    (
        "unknown escape character",
        "an unknown escape in double quotes",
        "a byte is `\\x01`; in single quotes a backslash is a backslash",
    ),
    ("found unknown anchor", "an alias of an unknown anchor", "put text that begins with `*` in quotes"),
];

fn too_many(place: SourceRange) -> Problem {
    Problem::error(place, format!("more than {NODES} nodes, with those that aliases repeat"))
}

fn too_deep(place: SourceRange) -> Problem {
    Problem::error(place, format!("lists and maps inside each other more than {DEPTH} levels deep"))
}

/// The weight of a tree: a node counts once, and once more for each 32 bytes of text.
fn weight(node: &Node) -> usize {
    1 + match &node.value {
        Value::Scalar { text, .. } => text.len() / 32,
        Value::List(list) => list.iter().map(weight).sum(),
        Value::Map(entries) => entries.iter().map(|(key, value)| weight(key) + weight(value)).sum::<usize>(),
    }
}

/// The nesting depth of lists and maps.
fn depth(node: &Node) -> usize {
    match &node.value {
        Value::Scalar { .. } => 0,
        Value::List(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Map(entries) => 1 + entries.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
    }
}

/// Replaces the key `<<` by the entries of its map that the map itself lacks.
fn merge(node: &mut Node) {
    let Value::Map(entries) = &mut node.value else { return };
    let is_merge = |key: &Node| matches!(&key.value, Value::Scalar { text, quoted: false } if text == "<<");
    let Some(at) = entries.iter().position(|(key, value)| is_merge(key) && value.map().is_some()) else { return };
    let (_, merged) = entries.remove(at);
    if let Value::Map(merged) = merged.value {
        let own: HashSet<String> = entries.iter().filter_map(|(key, _)| key.text()).map(str::to_owned).collect();
        entries.extend(merged.into_iter().filter(|(key, _)| !key.text().is_some_and(|key| own.contains(key))));
    }
}
