//! Dissects single messages in tests of protocols.

use super::{Conversation, Cut, Protocol, Result, Wire};
use crate::tree::{Dissection, FrameInfo, Side, Span, Tree, dump};

/// Dissects the bytes with `read`; the result has the format of [`dump`].
pub fn read(protocol: &Protocol, bytes: &[u8], cut: Cut, read: impl FnOnce(&mut Wire<'_>) -> Result) -> String {
    knowing("", protocol, bytes, cut, read)
}

/// The same with the secrets of a key log.
pub fn knowing(key_log: &str, protocol: &Protocol, bytes: &[u8], cut: Cut, read: impl FnOnce(&mut Wire<'_>) -> Result) -> String {
    let mut tree = Tree::complete();
    tree.run.secrets.learn(key_log.as_bytes());
    tree.begin(FrameInfo::default());
    tree.run.reveal = true;
    dissect(&mut tree, protocol, bytes, cut, read);
    dump(Dissection { tree: &tree, bytes })
}

/// Dissects one message of a conversation.
pub fn message(protocol: &Protocol, conversation: &mut dyn Conversation, from: Side, bytes: &[u8], cut: Cut) -> String {
    read(protocol, bytes, cut, |wire| conversation.message(from, wire))
}

/// Layers and notes of a dump, and only those groups with these filter names.
///
/// A snapshot restricted to the subject of its test can be reviewed, and fails for one reason.
#[must_use]
pub fn below(dump: &str, groups: &[&str]) -> String {
    let mut group = usize::MAX;
    let is_kept = |line: &&str| {
        let depth = line.len() - line.trim_start().len();
        if depth > group {
            return true;
        }
        let kept = depth == 0 || groups.contains(&filter_name(line));
        group = if kept && depth > 0 { depth } else { usize::MAX };
        kept
    };
    dump.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect()
}

/// A dump without what it repeats: a group that stands in it already keeps only its own line, which ends with ` …`.
///
/// Messages of a session share headers, whose flags are shown once.
#[cfg(test)]
pub(crate) fn abridged(dump: &str) -> String {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = dump.lines().collect();
    let (mut text, mut shown, mut rest) = (String::new(), std::collections::HashSet::new(), lines.as_slice());
    while let Some((line, below)) = rest.split_first() {
        let count = below.iter().take_while(|next| depth(next) > depth(line)).count();
        let (group, behind) = below.split_at(count);
        let is_repeated = depth(line) > 0 && count > 0 && !shown.insert((*line, group));
        text += line;
        text += if is_repeated { " …\n" } else { "\n" };
        rest = if is_repeated { behind } else { below };
    }
    text
}

/// The name in a line of a dump, with or without a span in front.
fn filter_name(line: &str) -> &str {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    if first.contains("..") { words.next().unwrap_or_default() } else { first }
}

fn dissect(tree: &mut Tree, protocol: &Protocol, bytes: &[u8], cut: Cut, read: impl FnOnce(&mut Wire<'_>) -> Result) {
    let layer = tree.push_layer(protocol.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(tree, layer, 0, bytes, 0..bytes.len(), cut);
    let result = read(&mut wire);
    protocol.conclude(&mut wire, result);
    tree.close(0, protocol.this, bytes.len());
}

/// Whether expensive tests run all of their cases: where `THOROUGH` is set, as in `.ci/full`.
#[cfg(test)]
pub(crate) fn is_thorough() -> bool {
    std::env::var_os("THOROUGH").is_some()
}

/// How many of `most` cases an expensive test runs: all if tests are thorough, else an eighth.
#[cfg(test)]
pub(crate) fn share_of(most: u32) -> u32 {
    if is_thorough() { most } else { most.div_ceil(8) }
}

/// Every beginning of these bytes, and the bytes with each one of them replaced by several values.
pub fn damaged(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let cut = (0..bytes.len()).map(|end| bytes.get(..end).unwrap_or_default().to_vec());
    let places = (0..bytes.len()).flat_map(|place| [0, 1, 0x5c, 0x80, 0xff].map(|value| (place, value)));
    let changed = places.map(|(place, value)| {
        let mut bytes = bytes.to_vec();
        bytes.iter_mut().skip(place).take(1).for_each(|byte| *byte = value);
        bytes
    });
    cut.chain(changed)
}

/// Dissects damaged copies of a datagram.
///
/// # Panics
/// If the tree of one does not begin with the protocol over all bytes.
pub fn survives_damage(protocol: &Protocol, bytes: &[u8], mut read: impl FnMut(&mut Wire<'_>) -> Result) {
    for bytes in damaged(bytes) {
        let dump = self::read(protocol, &bytes, Cut::No, &mut read);
        assert!(dump.starts_with(&format!("{} 0..{}", protocol.this.abbrev, bytes.len())), "{dump}");
    }
}

/// Bytes of hexadecimal text; other characters are skipped.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits.as_chunks().0.iter().map(|[high, low]| high << 4 | low).collect()
}
