//! Lists that begin in a line.

use super::list::{List, pair};
use super::numbers::{bare, is_hex_list, is_list, is_prefixed, numbers};

impl List {
    /// A list that begins in this line; `open` is the brace at the end of the previous line.
    pub(super) fn of(text: &[u8], open: Option<u8>) -> Option<List> {
        let after = |at: usize| text.get(at..).unwrap_or_default();
        if let Some(kind) = bare(text) {
            return Some(List { inside: true, kind: Some(kind), ..List::default() });
        }
        if let Some(open) = open.filter(|_| numbers(text).0 > 0 || is_prefixed(text)) {
            return Some(List { braces: Some(pair(open)), inside: true, ..List::default() });
        }
        let position = |wanted: &[u8]| text.windows(wanted.len()).position(|at| at == wanted);
        let list = |braces: (u8, u8), kind| Some(List { braces: Some(braces), kind, ..List::default() });
        if let Some(at) = position(b"{") {
            let before = text.get(..at)?.trim_ascii_end();
            let assigned = before.ends_with(b"=") || before.ends_with(b"]");
            let declared = assigned && before.contains(&b']') && before.contains(&b'[');
            if declared || is_prefixed(after(at + 1)) || is_list(after(at + 1)) {
                return list(pair(b'{'), None);
            }
        }
        let brackets = (0..text.len()).filter(|at| text.get(*at) == Some(&b'[')).take(BRACKETS);
        if brackets.map(|at| after(at + 1)).any(|text| is_prefixed(text) || is_list(text) || is_hex_list(text)) {
            return list(pair(b'['), None);
        }
        let is_binary =
            |text: &[u8]| is_list(text) || matches!(numbers(text), (1.., _, [b'>', b'>', ..])) && !text.contains(&b' ');
        let erlang = position(b"<<").is_some_and(|at| is_binary(after(at + 2)));
        if erlang { list(pair(b'<'), None) } else { None }
    }

    /// The same with numbers whose first byte is the highest one, if `big`.
    pub(super) fn with_order(self, big: bool) -> List {
        List { big, ..self }
    }
}

/// Maximum number of brackets of a line after which a list is looked for.
pub(super) const BRACKETS: usize = 64;
