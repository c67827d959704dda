//! Lua's patterns, with each comparison counted as a step: the functions of the C library cannot be interrupted.

use super::args::{Args, text};
use super::budget;
use super::errors::{fail, type_of};
use mlua::{Error, Function, Lua, MultiValue, Result, Table, Value};

/// Maximum number of captures.
const CAPTURES: usize = 32;
/// Maximum depth of recursion.
const DEPTH: u32 = 200;
/// Steps between two counts.
const INTERVAL: usize = 1024;

/// The end of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    At(usize),
    /// It captures a position.
    Position,
}

/// A match in progress.
struct Matcher<'a> {
    lua: &'a Lua,
    source: &'a [u8],
    pattern: &'a [u8],
    captures: Vec<(usize, End)>,
    depth: u32,
    steps: usize,
}

/// The characters that end the plain part of a pattern.
const SPECIALS: &[u8] = b"^$*+?.([%-";

impl Matcher<'_> {
    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps < INTERVAL {
            return Ok(());
        }
        self.count()
    }

    /// Counts the steps since the last count.
    fn count(&mut self) -> Result<()> {
        // A step of a pattern takes about as long as an instruction.
        budget::spend(self.lua, std::mem::take(&mut self.steps))
    }

    fn wrong<T>(&self, text: &str) -> Result<T> {
        fail(self.lua, text)
    }

    fn at(&self, place: usize) -> Option<u8> {
        self.pattern.get(place).copied()
    }

    /// The end of the single character class at `p`.
    fn class_end(&self, p: usize) -> Result<usize> {
        match self.at(p) {
            Some(b'%') if p + 1 >= self.pattern.len() => self.wrong("malformed pattern (ends with '%')"),
            Some(b'%') => Ok(p + 2),
            Some(b'[') => {
                let mut p = p + 1;
                if self.at(p) == Some(b'^') {
                    p += 1;
                }
                loop {
                    let Some(byte) = self.at(p) else { return self.wrong("malformed pattern (missing ']')") };
                    p += if byte == b'%' { 2 } else { 1 };
                    if self.at(p) == Some(b']') {
                        return Ok(p + 1);
                    }
                }
            }
            _ => Ok(p + 1),
        }
    }

    /// Whether a byte is in the set from `p` to the bracket at `end`.
    fn is_in_set(&self, byte: u8, p: usize, end: usize) -> bool {
        let mut p = p + 1;
        let is_negated = self.at(p) == Some(b'^');
        if is_negated {
            p += 1;
        }
        while p < end {
            match (self.at(p), self.at(p + 1), self.at(p + 2)) {
                (Some(b'%'), Some(class), _) => {
                    if is_of_class(byte, class) {
                        return !is_negated;
                    }
                    p += 2;
                }
                (Some(first), Some(b'-'), Some(last)) if p + 2 < end => {
                    if (first..=last).contains(&byte) {
                        return !is_negated;
                    }
                    p += 3;
                }
                (one, ..) => {
                    if one == Some(byte) {
                        return !is_negated;
                    }
                    p += 1;
                }
            }
        }
        is_negated
    }

    /// Whether the byte at `s` matches the class from `p` to `end`.
    fn is_single(&mut self, s: usize, p: usize, end: usize) -> Result<bool> {
        self.step()?;
        let Some(byte) = self.source.get(s).copied() else { return Ok(false) };
        Ok(match self.at(p) {
            Some(b'.') => true,
            Some(b'%') => self.at(p + 1).is_some_and(|class| is_of_class(byte, class)),
            Some(b'[') => self.is_in_set(byte, p, end - 1),
            one => one == Some(byte),
        })
    }

    /// The end of a match that begins at `s` with the pattern from `p` on.
    fn run(&mut self, s: usize, p: usize) -> Result<Option<usize>> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.wrong("pattern too complex");
        }
        let result = self.run_from(s, p);
        self.depth -= 1;
        result
    }

    fn run_from(&mut self, mut s: usize, mut p: usize) -> Result<Option<usize>> {
        loop {
            self.step()?;
            let Some(byte) = self.at(p) else { return Ok(Some(s)) };
            match (byte, self.at(p + 1)) {
                (b'(', Some(b')')) => return self.open(s, p + 2, End::Position),
                (b'(', _) => return self.open(s, p + 1, End::Open),
                (b')', _) => return self.close(s, p + 1),
                (b'$', None) => return Ok((s == self.source.len()).then_some(s)),
                (b'%', Some(b'b')) => match self.balance(s, p + 2)? {
                    Some(end) => (s, p) = (end, p + 4),
                    None => return Ok(None),
                },
                (b'%', Some(b'f')) => match self.frontier(s, p + 2)? {
                    Some(next) => p = next,
                    None => return Ok(None),
                },
                (b'%', Some(digit @ b'0'..=b'9')) => match self.again(s, digit)? {
                    Some(end) => (s, p) = (end, p + 2),
                    None => return Ok(None),
                },
                _ => {
                    let end = self.class_end(p)?;
                    match self.at(end) {
                        Some(b'?') => {
                            if self.is_single(s, p, end)?
                                && let Some(found) = self.run(s + 1, end + 1)?
                            {
                                return Ok(Some(found));
                            }
                            p = end + 1;
                        }
                        Some(b'+') => {
                            return if self.is_single(s, p, end)? { self.most(s + 1, p, end) } else { Ok(None) };
                        }
                        Some(b'*') => return self.most(s, p, end),
                        Some(b'-') => return self.fewest(s, p, end),
                        _ => {
                            if !self.is_single(s, p, end)? {
                                return Ok(None);
                            }
                            (s, p) = (s + 1, end);
                        }
                    }
                }
            }
        }
    }

    /// As many repetitions as possible.
    fn most(&mut self, s: usize, p: usize, end: usize) -> Result<Option<usize>> {
        let mut count = 0;
        while self.is_single(s + count, p, end)? {
            count += 1;
        }
        loop {
            if let Some(found) = self.run(s + count, end + 1)? {
                return Ok(Some(found));
            }
            let Some(fewer) = count.checked_sub(1) else { return Ok(None) };
            count = fewer;
        }
    }

    /// As few repetitions as possible.
    fn fewest(&mut self, mut s: usize, p: usize, end: usize) -> Result<Option<usize>> {
        loop {
            if let Some(found) = self.run(s, end + 1)? {
                return Ok(Some(found));
            }
            if !self.is_single(s, p, end)? {
                return Ok(None);
            }
            s += 1;
        }
    }

    fn open(&mut self, s: usize, p: usize, end: End) -> Result<Option<usize>> {
        if self.captures.len() >= CAPTURES {
            return self.wrong("too many captures");
        }
        self.captures.push((s, end));
        let found = self.run(s, p)?;
        if found.is_none() {
            self.captures.pop();
        }
        Ok(found)
    }

    fn close(&mut self, s: usize, p: usize) -> Result<Option<usize>> {
        let Some(place) = self.captures.iter().rposition(|(_, end)| *end == End::Open) else {
            return self.wrong("invalid pattern capture");
        };
        self.set_end(place, End::At(s));
        let found = self.run(s, p)?;
        if found.is_none() {
            self.set_end(place, End::Open);
        }
        Ok(found)
    }

    fn set_end(&mut self, place: usize, to: End) {
        if let Some((_, end)) = self.captures.get_mut(place) {
            *end = to;
        }
    }

    /// `%bxy`: text between balanced characters.
    fn balance(&mut self, s: usize, p: usize) -> Result<Option<usize>> {
        let (Some(opens), Some(closes)) = (self.at(p), self.at(p + 1)) else {
            return self.wrong("malformed pattern (missing arguments to '%b')");
        };
        if self.source.get(s) != Some(&opens) {
            return Ok(None);
        }
        let mut depth = 1;
        for (at, byte) in self.source.iter().enumerate().skip(s + 1) {
            self.step()?;
            if *byte == closes {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(at + 1));
                }
            } else if *byte == opens {
                depth += 1;
            }
        }
        Ok(None)
    }

    /// `%f[set]`: the border of a set. Returns the pattern behind it.
    fn frontier(&mut self, s: usize, p: usize) -> Result<Option<usize>> {
        if self.at(p) != Some(b'[') {
            return self.wrong("missing '[' after '%f' in pattern");
        }
        let end = self.class_end(p)?;
        let before = s.checked_sub(1).and_then(|before| self.source.get(before)).copied().unwrap_or_default();
        let here = self.source.get(s).copied().unwrap_or_default();
        Ok((!self.is_in_set(before, p, end - 1) && self.is_in_set(here, p, end - 1)).then_some(end))
    }

    /// `%1`: the text of an earlier capture again.
    fn again(&mut self, s: usize, digit: u8) -> Result<Option<usize>> {
        let number = usize::from(digit - b'0');
        let Some((start, End::At(end))) = number.checked_sub(1).and_then(|at| self.captures.get(at)).copied() else {
            return self.wrong(&format!("invalid capture index %{number} in pattern"));
        };
        self.steps += end - start;
        let text = self.source.get(start..end).unwrap_or_default();
        Ok(self.source.get(s..).is_some_and(|ahead| ahead.starts_with(text)).then_some(s + text.len()))
    }

    /// The first match at `from` or later.
    fn search(&mut self, from: usize) -> Result<Option<(usize, usize)>> {
        let is_anchored = self.at(0) == Some(b'^');
        let first = usize::from(is_anchored);
        let mut s = from;
        loop {
            self.captures.clear();
            self.depth = 0;
            if let Some(end) = self.run(s, first)? {
                return Ok(Some((s, end)));
            }
            s += 1;
            if is_anchored || s > self.source.len() {
                return Ok(None);
            }
        }
    }

    /// The value of a capture; the whole match if there are no captures and `number` is 0.
    fn capture(&self, number: usize, (start, end): (usize, usize)) -> Result<Value> {
        let range = match self.captures.get(number) {
            None if number == 0 => start..end,
            None => return self.wrong(&format!("invalid capture index %{}", number + 1)),
            Some((start, End::Position)) => return Ok(Value::Integer(i64::try_from(start + 1).unwrap_or(i64::MAX))),
            Some((_, End::Open)) => return self.wrong("unfinished capture"),
            Some((start, End::At(end))) => *start..*end,
        };
        self.lua.create_string(self.source.get(range).unwrap_or_default()).map(Value::String)
    }

    /// All captures, or the whole match if there are none.
    fn all(&self, found: (usize, usize)) -> Result<Vec<Value>> {
        (0..self.captures.len().max(1)).map(|number| self.capture(number, found)).collect()
    }
}

/// Whether a byte is of a class such as `%d`.
fn is_of_class(byte: u8, class: u8) -> bool {
    let is = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'g' => byte.is_ascii_graphic(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => byte.is_ascii_whitespace() || byte == 0x0b,
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    is != class.is_ascii_uppercase()
}

fn matcher<'a>(lua: &'a Lua, source: &'a [u8], pattern: &'a [u8]) -> Matcher<'a> {
    Matcher { lua, source, pattern, captures: Vec::new(), depth: 0, steps: 0 }
}

/// The place of a start argument, which may count from the end.
fn start(args: &Args<'_>, len: usize) -> Result<Option<usize>> {
    let from = args.int_or(3, 1)?;
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let from = if from > 0 {
        from - 1
    } else if from == 0 {
        0
    } else {
        (len + from).max(0)
    };
    Ok(usize::try_from(from).ok().filter(|_| from <= len))
}

fn find(args: &Args<'_>) -> Result<MultiValue> {
    let (source, pattern) = (args.bytes(1)?, args.bytes(2)?);
    let nil = || MultiValue::from_vec(vec![Value::Nil]);
    let Some(from) = start(args, source.len())? else { return Ok(nil()) };
    let place =
        |start: usize, end: usize| [start + 1, end].map(|at| Value::Integer(i64::try_from(at).unwrap_or(i64::MAX))).to_vec();
    if args.truth_or(4, false) || !pattern.iter().any(|byte| SPECIALS.contains(byte)) {
        budget::spend(args.lua, (source.len() - from) / 4 + 1)?;
        let found = memchr::memmem::find(source.get(from..).unwrap_or_default(), &pattern);
        let values = found.map(|at| place(from + at, from + at + pattern.len()));
        return Ok(values.map_or_else(nil, MultiValue::from_vec));
    }
    let mut matcher = matcher(args.lua, &source, &pattern);
    let found = matcher.search(from)?;
    matcher.count()?;
    let Some((start, end)) = found else { return Ok(nil()) };
    let mut values = place(start, end);
    if !matcher.captures.is_empty() {
        values.extend(matcher.all((start, end))?);
    }
    Ok(MultiValue::from_vec(values))
}

fn match_one(args: &Args<'_>) -> Result<MultiValue> {
    let (source, pattern) = (args.bytes(1)?, args.bytes(2)?);
    let nil = || MultiValue::from_vec(vec![Value::Nil]);
    let Some(from) = start(args, source.len())? else { return Ok(nil()) };
    let mut matcher = matcher(args.lua, &source, &pattern);
    let found = matcher.search(from)?;
    matcher.count()?;
    match found {
        Some(found) => matcher.all(found).map(MultiValue::from_vec),
        None => Ok(nil()),
    }
}

fn match_each(lua: &Lua, values: MultiValue) -> Result<Function> {
    let args = Args::new(lua, "gmatch", values);
    let (source, pattern) = (args.bytes(1)?, args.bytes(2)?);
    budget::fits(lua, source.len())?;
    let mut next = start(&args, source.len())?;
    let mut last = None;
    lua.create_function_mut(move |lua, _: MultiValue| {
        let mut matcher = matcher(lua, &source, &pattern);
        while let Some(from) = next {
            // Unlike elsewhere, ^ matches itself here.
            let found = (from..=source.len()).find_map(|s| {
                matcher.captures.clear();
                matcher.depth = 0;
                matcher.run(s, 0).map(|end| end.map(|end| (s, end))).transpose()
            });
            let Some((start, end)) = found.transpose()? else {
                next = None;
                break;
            };
            if last == Some(end) {
                next = (start < source.len()).then_some(start + 1);
                continue;
            }
            (next, last) = (Some(end), Some(end));
            matcher.count()?;
            return matcher.all((start, end)).map(MultiValue::from_vec);
        }
        matcher.count()?;
        Ok(MultiValue::from_vec(vec![Value::Nil]))
    })
}

/// What replaces matches.
enum Replacement {
    Text(Vec<u8>),
    Table(Table),
    Function(Function),
}

impl Replacement {
    fn of(args: &Args<'_>) -> Result<Replacement> {
        Ok(match args.get(3) {
            Value::Table(table) => Replacement::Table(table),
            Value::Function(function) => Replacement::Function(function),
            value => match text(&value) {
                Some(_) => Replacement::Text(args.bytes(3)?),
                None => {
                    let got = type_of(&value);
                    return args.wrong(3, &format!("string/function/table expected, got {got}"));
                }
            },
        })
    }

    /// Appends the replacement of a match.
    fn add(&self, matcher: &Matcher<'_>, found: (usize, usize), out: &mut Vec<u8>) -> Result<()> {
        let value = match self {
            Replacement::Text(text) => return expand(matcher, text, found, out),
            Replacement::Table(table) => table.get::<Value>(matcher.capture(0, found)?)?,
            Replacement::Function(function) => {
                let results: MultiValue = function.call(MultiValue::from_vec(matcher.all(found)?)).map_err(stopped)?;
                results.into_iter().next().unwrap_or(Value::Nil)
            }
        };
        match value {
            Value::Nil | Value::Boolean(false) => {
                out.extend_from_slice(matcher.source.get(found.0..found.1).unwrap_or_default());
            }
            Value::String(text) => out.extend_from_slice(&text.as_bytes()),
            value => match text(&value) {
                Some(text) => out.extend_from_slice(text.as_bytes()),
                None => return fail(matcher.lua, format_args!("invalid replacement value (a {})", type_of(&value))),
            },
        }
        Ok(())
    }
}

/// An error of a callback, or the limit that it reached.
fn stopped(error: Error) -> Error {
    budget::stopped().map_or_else(|| Error::RuntimeError(super::errors::words(&error)), Error::RuntimeError)
}

/// Appends a replacement text, with captures for `%1`.
fn expand(matcher: &Matcher<'_>, replacement: &[u8], found: (usize, usize), out: &mut Vec<u8>) -> Result<()> {
    let mut rest = replacement.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        match rest.next() {
            Some(b'%') => out.push(b'%'),
            Some(b'0') => out.extend_from_slice(matcher.source.get(found.0..found.1).unwrap_or_default()),
            Some(digit @ b'1'..=b'9') => match matcher.capture(usize::from(digit - b'1'), found)? {
                Value::String(text) => out.extend_from_slice(&text.as_bytes()),
                value => out.extend_from_slice(text(&value).unwrap_or_default().as_bytes()),
            },
            _ => return matcher.wrong("invalid use of '%' in replacement string"),
        }
    }
    Ok(())
}

fn replace(args: &Args<'_>) -> Result<(mlua::LuaString, i64)> {
    let (source, pattern) = (args.bytes(1)?, args.bytes(2)?);
    let replacement = Replacement::of(args)?;
    let most = if args.is_nil(4) { i64::MAX } else { args.int(4)? };
    let is_anchored = pattern.first() == Some(&b'^');
    let mut matcher = matcher(args.lua, &source, &pattern);
    let (mut s, mut count, mut out, mut last) = (0, 0, Vec::new(), None);
    while count < most {
        matcher.captures.clear();
        matcher.depth = 0;
        let found = matcher.run(s, usize::from(is_anchored))?;
        match found {
            Some(end) if last != Some(end) => {
                count += 1;
                replacement.add(&matcher, (s, end), &mut out)?;
                (s, last) = (end, Some(end));
                budget::spend(args.lua, out.len() / 4096)?;
            }
            _ => match source.get(s) {
                Some(byte) => {
                    out.push(*byte);
                    s += 1;
                }
                None => break,
            },
        }
        if out.len() > budget::limits().memory {
            return Err(budget::out_of_memory(args.lua, 1));
        }
        if is_anchored || s > source.len() {
            break;
        }
    }
    out.extend_from_slice(source.get(s..).unwrap_or_default());
    matcher.count()?;
    budget::fits(args.lua, out.len())?;
    Ok((args.lua.create_string(&out)?, count))
}

/// The functions of the library `string` that take patterns.
pub(super) fn functions(lua: &Lua) -> Result<Table> {
    let table = lua.create_table()?;
    table.set("find", lua.create_function(|lua, values| find(&Args::new(lua, "find", values)))?)?;
    table.set("match", lua.create_function(|lua, values| match_one(&Args::new(lua, "match", values)))?)?;
    table.set("gmatch", lua.create_function(match_each)?)?;
    table.set("gsub", lua.create_function(|lua, values| replace(&Args::new(lua, "gsub", values)))?)?;
    Ok(table)
}
