//! `lua check`: what a script registers, and which of its calls are not supported.

use super::sandbox::{MISSING_FUNCTIONS, REFUSED, STUBS};
use super::tokens::tokens;
use super::world::{Entry, ScriptProtocol, World};
use std::path::Path;

/// What was found in a script.
#[derive(Debug, Default)]
pub struct Checked {
    /// What it registers, one line each.
    pub registered: Vec<String>,
    /// Calls that are not supported, with file and line.
    pub unsupported: Vec<String>,
    /// Remarks of loading.
    pub remarks: Vec<String>,
    /// Why it cannot be loaded.
    pub errors: Vec<String>,
    /// The files that were read.
    pub files: Vec<std::path::PathBuf>,
}

/// Methods that objects of Wireshark have and those here have not.
pub(super) const METHODS: &[&str] = &[
    "uncompress_brotli",
    "uncompress_hpack_huff",
    "uncompress_lz77",
    "uncompress_lz77huff",
    "uncompress_lznt1",
    "uncompress_snappy",
    "uncompress_zstd",
    "decode_base64",
    "decode_base64url",
    "try_heuristics",
];

/// What is registered, one line each.
pub(super) fn describe(world: &World) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, protocol) in world.protocols.iter().enumerate() {
        lines.push(format!("protocol {}: {}", protocol.filter, protocol.description));
        lines.extend(places(world, number, protocol).into_iter().map(|place| format!("  {place}")));
        for (name, preference) in &protocol.preferences {
            lines.push(format!("  preference {}.{name} = {}: {}", protocol.filter, preference.text(), preference.label));
        }
        for field in world.fields.iter().filter(|field| field.owner() == Some(number)) {
            lines.push(format!("  field {} ({}): {}", field.field.abbrev, field.type_name(), field.field.name));
        }
        for expert in &protocol.experts {
            lines.push(format!("  expert info {}: {}", expert.abbrev, expert.name));
        }
    }
    let loose: Vec<_> = world.fields.iter().filter(|field| !field.is_registered()).map(|field| field.field.abbrev).collect();
    if !loose.is_empty() {
        lines.push(format!("fields of no protocol, which cannot be added to a tree: {}", loose.join(", ")));
    }
    if lines.is_empty() {
        lines.push("no protocol".to_owned());
    }
    lines
}

/// Where a protocol is found.
fn places(world: &World, number: usize, protocol: &ScriptProtocol) -> Vec<String> {
    let mut places = Vec::new();
    for (table, is_tcp) in [("tcp.port", true), ("udp.port", false)] {
        let own = world.entries.iter().filter(|entry| entry.protocol == number && entry.is_tcp == is_tcp);
        let range = |entry: &Entry| match (entry.first, entry.last) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        let ports: Vec<String> = own.map(range).collect();
        if !ports.is_empty() {
            places.push(format!("{table} {}", ports.join(", ")));
        }
    }
    let lists = world.heuristics.iter().filter(|known| known.protocol == number);
    places.extend(lists.map(|known| format!("heuristic for {}", known.list)));
    if world.postdissectors.contains(&number) {
        places.push("postdissector".to_owned());
    }
    if places.is_empty() && protocol.dissector.is_some() {
        places.push(format!("on no port: select it with -d tcp.port==N,{} or udp.port", protocol.filter));
    }
    if protocol.dissector.is_none() {
        places.push("without a dissector".to_owned());
    }
    places
}

/// Why the use of a name is not supported, if it is not.
fn why(chain: &[&str]) -> Option<String> {
    let [first, rest @ ..] = chain else { return None };
    if rest.is_empty() && MISSING_FUNCTIONS.contains(first) {
        return Some("is not supported".to_owned());
    }
    if let Some((_, reason)) = STUBS.iter().find(|(name, _)| name == first) {
        return Some(format!("is accepted and not run ({reason})"));
    }
    let full = chain.join(".");
    let is_refused = REFUSED.iter().any(|(table, names)| match rest {
        [member, ..] => table == first && names.contains(member),
        [] => false,
    });
    is_refused.then(|| format!("is not given to scripts (sandbox): {full} raises an error"))
}

/// Calls of a script that are not supported, in order and each line once.
pub(super) fn unsupported(path: &Path, text: &str) -> Vec<String> {
    let tokens = tokens(text.as_bytes());
    let at = |place: Option<usize>| place.and_then(|place| tokens.get(place)).map_or("", |token| token.text);
    let is_word = |text: &str| text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    // Names that the script itself defines.
    let is_defined = |name: &str| {
        tokens.iter().enumerate().any(|(place, token)| {
            let (before, behind) = (at(place.checked_sub(1)), at(Some(place + 1)));
            token.text == name && !matches!(before, "." | ":") && (matches!(before, "function" | "local") || behind == "=")
        })
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for (place, token) in tokens.iter().enumerate().filter(|(_, token)| is_word(token.text)) {
        let before = at(place.checked_sub(1));
        if before == ":" && METHODS.contains(&token.text) {
            found.push((token.line, format!("{} is not supported", token.text)));
        }
        if matches!(before, "." | ":") {
            continue;
        }
        let mut chain = vec![token.text];
        if matches!(at(Some(place + 1)), "." | ":") && is_word(at(Some(place + 2))) {
            chain.push(at(Some(place + 2)));
        }
        if let Some(why) = why(&chain).filter(|_| !is_defined(token.text)) {
            found.push((token.line, format!("{} {why}", chain.join("."))));
        }
    }
    found.sort();
    found.dedup();
    found.into_iter().map(|(line, text)| format!("{}:{line}: {text}", path.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_outside_comments_and_texts_with_their_lines() {
        let text = "-- os.execute\nlocal s = 'os.execute' .. [[\nListener.new()]]\n--[==[ os.remove\n]==] os.remove(s)\n\
            local tap = Listener.new()\nfunction reload() end\nreload()\nrange:decode_base64()\nx.os.exit()\n";
        let found = unsupported(Path::new("a.lua"), text);
        let lines: Vec<&str> = found.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(lines, ["a.lua:5:", "a.lua:6:", "a.lua:9:"], "{found:?}");
        assert!(found[1].contains("Listener.new is accepted and not run (no taps)"), "{found:?}");
    }

    #[test]
    fn damaged_scripts_end() {
        for text in ["\"", "[[", "--[[", "'\\", "[=", "ä:", ":", "os."] {
            unsupported(Path::new("a.lua"), text);
        }
    }
}
