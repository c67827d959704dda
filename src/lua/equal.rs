//! `==` of buffers and ranges: they are equal if their bytes are.
//!
//! Handles are numbers, and Lua calls no function to compare numbers. So a comparison of what may be a range becomes a call:
//! `a == b` is `((""):…(a, b))` in the text of a script. Lines stay the same, and literals and results of operators, which are
//! never ranges, are compared as before.

use super::budget;
use super::tokens::{TEXT, Token, tokens};
use mlua::{Lua, LuaString, Result, Table, Value};
use std::borrow::Cow;

const KEYWORDS: [&str; 22] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or",
    "repeat", "return", "then", "true", "until", "while",
];
/// Operators whose results are never ranges, in front of an operand or behind it.
const OPERATORS: [&str; 14] = ["+", "-", "*", "/", "//", "%", "^", "..", "&", "|", "~", "<<", ">>", "#"];
/// Comparisons; those on the left are done first.
const COMPARISONS: [&str; 6] = ["==", "~=", "<", ">", "<=", ">="];
/// Steps for a byte that is compiled.
const COMPILING: usize = 4;
/// The function of the prelude, which scripts reach in any environment: as a method of texts.
const EQUAL: &str = "((\"\").__same(";
const UNEQUAL: &str = "(not (\"\").__same(";

/// Adds the function that rewrites texts of scripts.
pub(super) fn add(lua: &Lua, own: &Table) -> Result<()> {
    let source = |lua: &Lua, value: Value| match value {
        Value::String(text) => {
            let len = text.as_bytes().len();
            budget::fits(lua, len)?;
            // It is compiled up to three times, and no hook interrupts that.
            budget::spend(lua, len.saturating_mul(COMPILING))?;
            let text: LuaString = lua.create_string(rewritten(lua, &text.as_bytes()))?;
            Ok(Value::String(text))
        }
        other => Ok(other),
    };
    own.set("source", lua.create_function(source)?)
}

/// The text of a script with comparisons of ranges. What Lua cannot compile stays as it is.
pub(super) fn rewritten<'t>(lua: &Lua, text: &'t [u8]) -> Cow<'t, [u8]> {
    let has = |sign: &[u8]| memchr::memmem::find(text, sign).is_some();
    if !has(b"==") && !has(b"~=") {
        return Cow::Borrowed(text);
    }
    let compiles = |text: &[u8]| lua.load(text).set_mode(mlua::chunk::ChunkMode::Text).into_function().is_ok();
    match changed(text) {
        Some(changed) if compiles(text) && compiles(&changed) => Cow::Owned(changed),
        _ => Cow::Borrowed(text),
    }
}

/// The text with calls for comparisons, if it has any of variables.
fn changed(text: &[u8]) -> Option<Vec<u8>> {
    let script = Script::new(tokens(text));
    // Place, order at this place, bytes replaced, new bytes.
    let mut edits: Vec<(usize, u8, usize, &str)> = Vec::new();
    for (place, token) in script.tokens.iter().enumerate() {
        let call = match token.text {
            "==" => EQUAL,
            "~=" => UNEQUAL,
            _ => continue,
        };
        let (Some(first), Some(last)) = (script.left(place), script.right(place)) else { continue };
        let (Some(first), Some(last)) = (script.tokens.get(first), script.tokens.get(last)) else { continue };
        edits.extend([(first.start, 1, 0, call), (token.start, 1, 2, ","), (last.end, 0, 0, "))")]);
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_unstable();
    let mut changed = Vec::with_capacity(text.len() + edits.len() * 8);
    let mut at = 0;
    for (place, _, replaced, new) in edits {
        changed.extend_from_slice(text.get(at..place)?);
        changed.extend_from_slice(new.as_bytes());
        at = place + replaced;
    }
    changed.extend_from_slice(text.get(at..)?);
    Some(changed)
}

/// The words of a script, and the other bracket of each.
struct Script<'t> {
    tokens: Vec<Token<'t>>,
    partners: Vec<usize>,
}

/// No bracket.
const NONE: usize = usize::MAX;

impl<'t> Script<'t> {
    fn new(tokens: Vec<Token<'t>>) -> Script<'t> {
        let mut partners = vec![NONE; tokens.len()];
        let mut open = Vec::new();
        for (place, token) in tokens.iter().enumerate() {
            match token.text {
                "(" | "[" | "{" => open.push(place),
                ")" | "]" | "}" => {
                    let Some(other) = open.pop() else { continue };
                    for (one, two) in [(place, other), (other, place)] {
                        if let Some(partner) = partners.get_mut(one) {
                            *partner = two;
                        }
                    }
                }
                _ => {}
            }
        }
        Script { tokens, partners }
    }

    fn text(&self, place: Option<usize>) -> &'t str {
        place.and_then(|place| self.tokens.get(place)).map_or("", |token| token.text)
    }

    fn partner(&self, place: usize) -> Option<usize> {
        self.partners.get(place).copied().filter(|partner| *partner != NONE)
    }

    fn is_name(&self, place: usize) -> bool {
        self.tokens.get(place).is_some_and(|token| token.is_word() && !KEYWORDS.contains(&token.text))
    }

    /// Whether what follows may be arguments or an index of what ends here.
    fn is_prefix(&self, place: usize) -> bool {
        self.is_name(place) || matches!(self.text(Some(place)), ")" | "]" | "}" | TEXT)
    }

    /// The first word of the operand on the left of a comparison, if it may be a range.
    fn left(&self, comparison: usize) -> Option<usize> {
        let mut at = comparison.checked_sub(1)?;
        let first = loop {
            let before = at.checked_sub(1);
            match self.text(Some(at)) {
                "]" => at = self.partner(at)?.checked_sub(1)?,
                sign @ (")" | "}") => {
                    let open = self.partner(at)?;
                    match open.checked_sub(1).filter(|before| self.is_prefix(*before)) {
                        Some(before) => at = before,
                        None if sign == ")" => break open,
                        None => return None,
                    }
                }
                TEXT => at = before.filter(|before| self.is_prefix(*before))?,
                "..." => break at,
                _ if !self.is_name(at) => return None,
                _ if matches!(self.text(before), "." | ":") => at = at.checked_sub(2)?,
                _ => break at,
            }
        };
        let before = self.text(first.checked_sub(1));
        let is_part = before == "not" || OPERATORS.contains(&before) || COMPARISONS.contains(&before);
        (!is_part).then_some(first)
    }

    /// The last word of the operand on the right of a comparison, if it may be a range.
    fn right(&self, comparison: usize) -> Option<usize> {
        let mut at = comparison + 1;
        match self.text(Some(at)) {
            "(" => at = self.partner(at)?,
            "..." => {}
            _ if self.is_name(at) => {}
            _ => return None,
        }
        loop {
            let next = at + 1;
            match self.text(Some(next)) {
                "." | ":" => at = next + 1,
                "[" | "(" | "{" => at = self.partner(next)?,
                TEXT => at = next,
                behind => return (!OPERATORS.contains(&behind)).then_some(at),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let changed = changed(text.as_bytes()).map_or_else(|| text.to_owned(), |text| String::from_utf8(text).unwrap());
        changed.replace("(\"\").__same", "S")
    }

    #[test]
    fn comparisons_of_what_may_be_a_range_become_calls() {
        for (text, wanted) in [
            ("x = a == b", "x = (S(a , b))"),
            ("if a.b[1]:c(2) ~= f{1} then end", "if (not S(a.b[1]:c(2) , f{1})) then end"),
            ("return a == b and c ~= d", "return (S(a , b)) and (not S(c , d))"),
            ("x = f(a == b) == c", "x = (S(f((S(a , b))) , c))"),
            ("x = (a or b) == (c)", "x = (S((a or b) , (c)))"),
            ("x = a == b == c", "x = (S(a , b)) == c"),
            ("x = ... == t['k==j']", "x = (S(... , t['k==j']))"),
            ("x={a==b,f'q'==g[[r]]}", "x={(S(a,b)),(S(f'q',g[[r]]))}"),
            ("x = a == b --[[ c == d ]]\ny = e\n== f", "x = (S(a , b)) --[[ c == d ]]\ny = (S(e\n, f))"),
        ] {
            assert_eq!(shown(text), wanted);
        }
    }

    #[test]
    fn literals_and_results_of_operators_are_compared_as_before() {
        for text in [
            "x = a == 1",
            "x = 'b' == a",
            "x = a == nil or b ~= true",
            "x = #a == b",
            "x = a == -b",
            "x = a .. b == c",
            "x = a == b + 1",
            "x = not a == b",
            "x = a < b == c",
            "x = {} == a",
            "x = a == function() end",
            "x = a == b .. c",
            "x = a <= b",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn damaged_scripts_end() {
        for text in ["==", "a ==", "== a", ") == (", "a[ == b", "a == b.", "(a == b", "a) == b", ":a == b", "}==]"] {
            changed(text.as_bytes());
        }
    }
}
