//! Coverage: share of dissected payload, and unknown values.

use crate::record::Message;
use crate::registry::Registry;
use crate::tree::{Dissection, Field, Node, Only, Origin, Share, Span};
use crate::wire::data;
use std::collections::{HashMap, HashSet};

/// Maximum number of distinct unknown values.
const VALUES: usize = 10_000;

/// Maximum number of message names per protocol.
const NAMES: usize = 1000;

/// Coverage of a set of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Covered {
    /// Number of messages.
    pub messages: u64,
    /// Bytes explained by fields.
    pub explained: u64,
    /// Encrypted bytes.
    pub encrypted: u64,
    /// Bytes of transported content: files, media.
    pub bodies: u64,
    /// Bytes within messages without a field.
    pub unexplained: u64,
    /// Bytes outside of known messages.
    pub unframed: u64,
}

impl Covered {
    fn add(&mut self, other: Covered) {
        self.messages += other.messages;
        self.explained += other.explained;
        self.encrypted += other.encrypted;
        self.bodies += other.bodies;
        self.unexplained += other.unexplained;
        self.unframed += other.unframed;
    }
}

/// Messages of a protocol by name.
#[derive(Debug)]
pub struct ProtocolCoverage {
    pub protocol: &'static Field,
    /// All its messages.
    pub all: Covered,
    rest: Option<&'static Field>,
    names: HashMap<String, Covered, foldhash::fast::RandomState>,
}

impl ProtocolCoverage {
    /// Messages by name, the most frequent first.
    pub fn by_name(&self) -> Vec<(&str, Covered)> {
        let mut names: Vec<(&str, Covered)> = self.names.iter().map(|(name, covered)| (name.as_str(), *covered)).collect();
        names.sort_unstable_by(|(name, covered), (other, than)| than.messages.cmp(&covered.messages).then(name.cmp(other)));
        names
    }
}

/// A value without name of a field with value names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unknown {
    pub field: &'static str,
    /// Number of hexadecimal digits; 0 for decimal.
    pub digits: u8,
    pub value: u64,
    /// Number of occurrences.
    pub count: u64,
    /// First frame with it.
    pub first: u64,
}

/// Coverage of a capture.
pub struct Coverage {
    registry: Registry,
    /// Fields of unexplained bytes, and fields with value names.
    fields_read: Only,
    protocols: Vec<ProtocolCoverage>,
    unknown: HashMap<(usize, u64), Unknown, foldhash::fast::RandomState>,
    /// Start of decrypted bytes in the current tree.
    deciphered: Deciphered,
    /// Values beyond the limit of distinct ones.
    pub left_out: u64,
}

impl Coverage {
    pub(super) fn new(registry: Registry) -> Coverage {
        let rests = registry.protocols().filter_map(|protocol| protocol.rest);
        // The packet view has no such fields.
        let listed = registry.protocols().flat_map(|protocol| protocol.fields.iter().copied());
        let shares = listed.filter(|field| field.share != Share::Explained);
        let fields_read = Only::these(rests.chain([&data::BYTES]).chain(shares)).and_nameless();
        Coverage {
            registry,
            fields_read,
            protocols: Vec::new(),
            unknown: HashMap::default(),
            deciphered: Deciphered::default(),
            left_out: 0,
        }
    }

    /// Required nodes.
    pub(super) fn fields_read(&self) -> Only {
        self.fields_read
    }

    /// Counts values of a tree without a name.
    pub(super) fn tree(&mut self, of: Dissection<'_>) {
        self.deciphered = deciphered(of);
        for (place, node) in (0..).zip(&of.tree.nodes) {
            let field = node.field;
            if field.names.is_empty() {
                continue;
            }
            let Some(node) = of.node(place).filter(|node| !node.is_secret()) else { continue };
            let Some(value) = node.number().filter(|_| node.name().is_none()) else { continue };
            let key = (std::ptr::from_ref(field).addr(), value);
            if let Some(unknown) = self.unknown.get_mut(&key) {
                unknown.count += 1;
            } else if self.unknown.len() < VALUES {
                let (field, digits, first) = (field.abbrev, field.hex, of.tree.frame.number);
                self.unknown.insert(key, Unknown { field, digits, value, count: 1, first });
            } else {
                self.left_out += 1;
            }
        }
    }

    /// Counts a message.
    pub(super) fn message(&mut self, message: &Message<'_>) {
        let Some(node) = message.node() else { return };
        let registry = self.registry;
        let protocols = self.protocols.iter().position(|protocols| protocols.protocol.is(node.field()));
        let protocols = protocols.unwrap_or_else(|| {
            let protocol = node.field();
            let rest = registry.protocols().find(|known| known.this.is(protocol)).and_then(|known| known.rest);
            self.protocols.push(ProtocolCoverage { protocol, all: Covered::default(), rest, names: HashMap::default() });
            self.protocols.len() - 1
        });
        let Some(protocols) = self.protocols.get_mut(protocols) else { return };
        let covered = covered(message, protocols.rest, &self.deciphered);
        protocols.all.add(covered);
        let name = message.name();
        if let Some(known) = protocols.names.get_mut(name) {
            known.add(covered);
        } else if !name.is_empty() {
            let name = if protocols.names.len() < NAMES { name } else { "…" };
            protocols.names.entry(name.to_owned()).or_default().add(covered);
        }
    }

    /// Protocols, in order of their first message.
    pub fn protocols(&self) -> &[ProtocolCoverage] {
        &self.protocols
    }

    /// Total of all messages.
    pub fn all(&self) -> Covered {
        let mut all = Covered::default();
        self.protocols.iter().for_each(|protocols| all.add(protocols.all));
        all
    }

    /// The most frequent values without a name.
    pub fn unknown(&self, most: usize) -> Vec<Unknown> {
        let mut unknown: Vec<Unknown> = self.unknown.values().copied().collect();
        unknown.sort_unstable_by_key(|unknown| (std::cmp::Reverse(unknown.count), unknown.field, unknown.value));
        unknown.truncate(most);
        unknown
    }
}

/// Sources and offsets at which decrypted bytes start in a tree.
pub type Deciphered = HashSet<(u32, u32), foldhash::fast::RandomState>;

/// Where decrypted bytes start in a tree.
#[must_use]
pub fn deciphered(of: Dissection<'_>) -> Deciphered {
    if !of.tree.has_derived() {
        return Deciphered::default();
    }
    let derived = of.tree.sources.iter().filter_map(|source| match source.origin {
        Origin::Derived(derived) => derived.from,
        _ => None,
    });
    derived.map(|from| (from.source, from.start)).collect()
}

/// The coverage of a message of a protocol with this field for bytes that it does not explain.
#[must_use]
pub fn covered(message: &Message<'_>, rest: Option<&Field>, deciphered: &Deciphered) -> Covered {
    let Some(node) = message.node() else { return Covered::default() };
    if node.field().is(&data::DATA) {
        return Covered { messages: 1, unframed: node.span().len().into(), ..Covered::default() };
    }
    let nodes = message.of.tree.nodes.get(node.place() as usize..).unwrap_or_default();
    let end = nodes.first().map_or(0, |first| first.end.saturating_sub(node.place()) as usize);
    let is_broken = message.is_malformed();
    let rest = rest.filter(|rest| is_broken || rest.share == Share::Explained);
    shares(nodes.get(..end).unwrap_or_default(), node.span(), rest, deciphered)
}

/// Adds the shares of a message. Decrypted and decompressed bytes do not count.
fn shares(nodes: &[Node], whole: Span, rest: Option<&Field>, deciphered: &Deciphered) -> Covered {
    let (mut covered, mut left) = (Covered { messages: 1, ..Covered::default() }, u64::from(whole.len()));
    for node in nodes.iter().filter(|node| node.span.source == whole.source) {
        let field = node.field;
        let share = match field.share {
            _ if field.is(&data::BYTES) || rest.is_some_and(|rest| rest.is(field)) => &mut covered.unexplained,
            Share::Encrypted if !deciphered.contains(&(node.span.source, node.span.start)) => &mut covered.encrypted,
            Share::Body => &mut covered.bodies,
            Share::Unexplained => &mut covered.unexplained,
            Share::Encrypted | Share::Explained => continue,
        };
        let len = u64::from(node.span.len()).min(left);
        *share += len;
        left -= len;
    }
    covered.explained = left;
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{FrameInfo, Span, Tree, Value};

    #[test]
    fn values_that_are_secret_are_not_counted_as_unknown() {
        static OPEN: Field = Field::number("toy.open", "open", "A number").names(&[(1, "one")]);
        static SECRET: Field = Field::number("toy.secret", "secret", "A number").names(&[(1, "one")]).secret();
        let mut tree = Tree::complete();
        tree.begin(FrameInfo::default());
        for (at, (field, value)) in [(&OPEN, 1), (&OPEN, 2), (&SECRET, 1), (&SECRET, 2)].into_iter().enumerate() {
            tree.push(field, Value::Unsigned(value), Span::new(0, at..at + 1));
        }
        let mut coverage = Coverage::new(Registry::default());
        coverage.tree(Dissection { tree: &tree, bytes: &[1, 2, 1, 2] });
        let unknown: Vec<&str> = coverage.unknown(9).iter().map(|unknown| unknown.field).collect();
        assert_eq!(unknown, ["toy.open"]);
    }
}
