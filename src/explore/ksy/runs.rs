//! Files of streams with a preamble, or with different messages in each direction.

use super::{Detail, Parts, VLQ, head, parts};
use crate::explore::Explored;
use crate::explore::framing::Hypothesis;
use crate::explore::preamble::Begin;
use crate::explore::rule::Rule;
use crate::tree;
use std::fmt::Write as _;

/// Writes a root type for each direction: a preamble, and a run of messages. `joined` is the rule that both directions share.
///
/// # Errors
/// Why Kaitai Struct cannot express the framing.
pub(super) fn text(explored: &Explored<'_>, best: &Hypothesis, joined: Option<&Rule>, detail: Detail) -> Result<String, String> {
    let mut roots = String::new();
    let mut types = String::new();
    let mut has_vlq = false;
    for (dir, framed) in tree::Side::BOTH.into_iter().zip(&best.dirs) {
        let Some(framed) = framed else { continue };
        let (root, message) = (name(dir), if joined.is_some() { "message" } else { own(dir) });
        let _ = write!(roots, "  {root}:\n    seq:\n");
        preamble(explored, best, dir, framed.begin, &mut roots)?;
        let _ = write!(roots, "      - id: messages\n        type: {message}\n        repeat: eos\n");
        if joined.is_none() {
            let own = parts(explored, &framed.rule, (Some(dir), prefix(dir)), detail)?;
            has_vlq |= own.has_vlq;
            nested(message, &own, &mut types);
        }
    }
    if let Some(rule) = joined {
        let shared = parts(explored, rule, (None, "msg"), detail)?;
        has_vlq |= shared.has_vlq;
        nested("message", &shared, &mut types);
    }
    if has_vlq {
        types.push_str(VLQ);
    }
    let mut out = String::new();
    head(explored, &mut out);
    let known: Vec<tree::Side> =
        tree::Side::BOTH.into_iter().zip(&best.dirs).filter_map(|(dir, framed)| framed.as_ref().map(|_| dir)).collect();
    let named: Vec<String> = known.iter().map(|dir| format!("{0}: {0}", name(*dir))).collect();
    let first = known.first().copied().unwrap_or(tree::Side::Client);
    out = out.replacen("doc: |\n", &format!("    roots: {{{}}}\ndoc: |\n", named.join(", ")), 1);
    let message = if joined.is_some() { "message" } else { own(first) };
    let _ = write!(out, "seq:\n  - id: messages\n    type: {message}\n    repeat: eos\ntypes:\n{roots}{types}");
    Ok(out)
}

/// The root type of a direction.
const fn name(dir: tree::Side) -> &'static str {
    match dir {
        tree::Side::Client => "client",
        tree::Side::Server => "server",
    }
}

/// The message type of a direction with a rule of its own.
const fn own(dir: tree::Side) -> &'static str {
    match dir {
        tree::Side::Client => "client_message",
        tree::Side::Server => "server_message",
    }
}

/// Begins the names of the body types of a direction with a rule of its own.
const fn prefix(dir: tree::Side) -> &'static str {
    match dir {
        tree::Side::Client => "client_msg",
        tree::Side::Server => "server_msg",
    }
}

/// Writes a type with attributes that were written for the top of a file, and the types that it uses.
fn nested(name: &str, parts: &Parts, out: &mut String) {
    let _ = write!(out, "  {name}:\n    seq:\n");
    for line in parts.seq.lines() {
        let _ = writeln!(out, "    {line}");
    }
    out.push_str(&parts.types);
}

/// Writes the bytes before the first message.
fn preamble(explored: &Explored<'_>, best: &Hypothesis, dir: tree::Side, begin: Begin, out: &mut String) -> Result<(), String> {
    let sides = explored.sides.iter().zip(&best.begins).filter(|(side, _)| side.dir == dir);
    let mut sizes: Vec<usize> = sides.map(|(_, begin)| *begin).collect();
    sizes.sort_unstable();
    sizes.dedup();
    match (begin, sizes.as_slice()) {
        (_, [] | [0]) => {}
        (_, [size]) => {
            let _ = write!(out, "      - id: preamble\n        size: {size}\n");
        }
        (Begin::Line, _) => out.push_str("      - id: preamble\n        terminator: 0x0a\n"),
        (Begin::Blank(more), _) => {
            out.push_str("      - id: preamble\n        terminator: 0x0a\n");
            out.push_str("        repeat: until\n        repeat-until: _ == [0x0d]\n");
            if more > 0 {
                let _ = write!(out, "      - id: preamble_rest\n        size: {more}\n");
            }
        }
        _ => return Err(format!("the preamble of the {} has another size in each conversation", name(dir))),
    }
    Ok(())
}
