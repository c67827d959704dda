//! `GRegex` and `rex_pcre2`: regular expressions, with an engine whose time is linear in the text.
//!
//! Not supported: look-around, backreferences and possessive quantifiers, each with an error that says so.

use super::args::{Args, integer, text};
use super::budget;
use super::errors::fail;
use mlua::{Function, Lua, LuaString, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, Value};
use regex::bytes::{Captures, Regex, RegexBuilder};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum memory of a compiled expression.
const SIZE: usize = 1 << 20;
/// Bytes of a subject that cost a step.
const BYTES: usize = 4;
/// Names and numbers of flags, of which the first letters can be given as a text: those of PCRE2.
const FLAGS: [(&str, i64, u8); 6] = [
    ("CASELESS", 8, b'i'),
    ("MULTILINE", 1024, b'm'),
    ("DOTALL", 32, b's'),
    ("EXTENDED", 128, b'x'),
    ("UNGREEDY", 0x4_0000, b'U'),
    ("UTF", 0x8_0000, b'u'),
];

/// A compiled expression.
#[derive(Clone)]
struct Expression(Regex);

/// Compiles the expression of an argument, with the flags of another one.
fn compile(args: &Args<'_>, number: usize, flags: usize) -> Result<Regex> {
    let value = args.get(number);
    if let Value::UserData(data) = &value
        && let Ok(known) = data.borrow::<Expression>()
    {
        return Ok(known.0.clone());
    }
    let pattern = args.text(number)?;
    budget::spend(args.lua, 100 + 10 * pattern.len())?;
    let flags = args.get(flags);
    let letters = match &flags {
        Value::String(letters) => letters.as_bytes().to_vec(),
        _ => Vec::new(),
    };
    let bits = if letters.is_empty() { integer(&flags).unwrap_or_default() } else { 0 };
    let has = |place: usize| FLAGS.get(place).is_some_and(|(_, bit, letter)| bits & bit != 0 || letters.contains(letter));
    let built = RegexBuilder::new(&pattern)
        .unicode(has(5))
        .case_insensitive(has(0))
        .multi_line(has(1))
        .dot_matches_new_line(has(2))
        .ignore_whitespace(has(3))
        .swap_greed(has(4))
        .size_limit(SIZE)
        .build();
    built.or_else(|error| {
        let text = error.to_string();
        let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        let what = if text.contains("look-around") || text.contains("backreference") {
            "is not supported: expressions run in linear time"
        } else {
            "is wrong"
        };
        fail(args.lua, format_args!("the regular expression {pattern:?} {what} ({why})"))
    })
}

/// The captures of a match from an offset on. Its work is counted before it is done.
fn search<'s>(lua: &Lua, of: &Regex, subject: &'s [u8], from: usize) -> Result<Option<Captures<'s>>> {
    budget::spend(lua, 10 + subject.len().saturating_sub(from) / BYTES)?;
    Ok(if from > subject.len() { None } else { of.captures_at(subject, from) })
}

/// An offset in a text, counted from 1, or from its end if it is negative.
fn start(args: &Args<'_>, number: usize, len: usize) -> Result<usize> {
    let given = args.int_or(number, 1)?;
    let from_end = || len.saturating_sub(usize::try_from(given.unsigned_abs()).unwrap_or(usize::MAX));
    Ok(if given < 0 { from_end() } else { usize::try_from(given.max(1) - 1).unwrap_or(usize::MAX) })
}

/// The captured texts; false for those that took no part.
fn captured(lua: &Lua, found: &Captures<'_>) -> Result<Vec<Value>> {
    let one = |part: Option<regex::bytes::Match<'_>>| match part {
        Some(part) => lua.create_string(part.as_bytes()).map(Value::String),
        None => Ok(Value::Boolean(false)),
    };
    found.iter().skip(1).map(one).collect()
}

/// The captured texts, or the whole match if nothing is captured.
fn matched(lua: &Lua, found: &Captures<'_>) -> Result<MultiValue> {
    let mut values = captured(lua, found)?;
    if values.is_empty() {
        let whole = found.get(0).map(|whole| whole.as_bytes()).unwrap_or_default();
        values.push(Value::String(lua.create_string(whole)?));
    }
    Ok(MultiValue::from_vec(values))
}

/// First and last position of a match, counted from 1.
fn positions(found: &Captures<'_>) -> [Value; 2] {
    let integer = |number: usize| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
    [integer(whole.start + 1), integer(whole.end)]
}

fn none() -> MultiValue {
    MultiValue::from_vec(vec![Value::Nil])
}

/// `find`: positions and captures.
fn find(lua: &Lua, of: &Regex, subject: &[u8], from: usize) -> Result<MultiValue> {
    let Some(found) = search(lua, of, subject, from)? else { return Ok(none()) };
    Ok(MultiValue::from_vec(positions(&found).into_iter().chain(captured(lua, &found)?).collect()))
}

/// `match`: captures.
fn first(lua: &Lua, of: &Regex, subject: &[u8], from: usize) -> Result<MultiValue> {
    search(lua, of, subject, from)?.map_or_else(|| Ok(none()), |found| matched(lua, &found))
}

/// `tfind`: positions and a table of captures.
fn table_find(lua: &Lua, of: &Regex, subject: &[u8], from: usize) -> Result<MultiValue> {
    let Some(found) = search(lua, of, subject, from)? else { return Ok(none()) };
    let captures = lua.create_sequence_from(captured(lua, &found)?)?;
    for (name, part) in of.capture_names().flatten().filter_map(|name| Some((name, found.name(name)?))) {
        captures.set(name, lua.create_string(part.as_bytes())?)?;
    }
    Ok(MultiValue::from_vec(positions(&found).into_iter().chain([Value::Table(captures)]).collect()))
}

/// `exec`: positions and a table of the positions of captures.
fn execute(lua: &Lua, of: &Regex, subject: &[u8], from: usize) -> Result<MultiValue> {
    let Some(found) = search(lua, of, subject, from)? else { return Ok(none()) };
    let offsets = lua.create_table()?;
    for part in found.iter().skip(1) {
        match part {
            Some(part) => {
                offsets.push(part.start() + 1)?;
                offsets.push(part.end())?;
            }
            None => {
                offsets.push(false)?;
                offsets.push(false)?;
            }
        }
    }
    Ok(MultiValue::from_vec(positions(&found).into_iter().chain([Value::Table(offsets)]).collect()))
}

/// Where to search after a match: behind it, and further if it is empty.
fn behind(found: &Captures<'_>) -> usize {
    let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
    if whole.is_empty() { whole.end + 1 } else { whole.end }
}

/// `gmatch`: an iterator over captures.
fn all(lua: &Lua, of: Regex, subject: Vec<u8>) -> Result<Function> {
    let next = AtomicUsize::new(0);
    lua.create_function(move |lua, _: MultiValue| match search(lua, &of, &subject, next.load(Ordering::Relaxed))? {
        Some(found) => {
            next.store(behind(&found), Ordering::Relaxed);
            matched(lua, &found)
        }
        None => Ok(none()),
    })
}

/// `split`: an iterator over the texts between matches, each with the captures of the match behind it.
fn split(lua: &Lua, of: Regex, subject: Vec<u8>) -> Result<Function> {
    let next = AtomicUsize::new(0);
    lua.create_function(move |lua, _: MultiValue| {
        let from = next.load(Ordering::Relaxed);
        if from > subject.len() {
            return Ok(none());
        }
        let found = search(lua, &of, &subject, from)?.filter(|found| found.get(0).is_some_and(|whole| !whole.is_empty()));
        let part = |end: usize| subject.get(from..end).unwrap_or_default();
        match found {
            Some(found) => {
                let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
                next.store(whole.end, Ordering::Relaxed);
                let mut values = vec![Value::String(lua.create_string(part(whole.start))?)];
                values.extend(matched(lua, &found)?);
                Ok(MultiValue::from_vec(values))
            }
            None => {
                next.store(subject.len() + 1, Ordering::Relaxed);
                Ok(MultiValue::from_vec(vec![Value::String(lua.create_string(part(subject.len()))?)]))
            }
        }
    })
}

/// The replacement of a match; `None` keeps it.
fn replacement(args: &Args<'_>, by: &Value, found: &Captures<'_>) -> Result<Option<Vec<u8>>> {
    let lua = args.lua;
    let given = match by {
        Value::String(template) => return expand(lua, template, found).map(Some),
        Value::Table(table) => {
            let key = matched(lua, found)?.into_iter().next().unwrap_or(Value::Nil);
            table.get::<Value>(key)?
        }
        Value::Function(function) => function.call::<Value>(matched(lua, found)?)?,
        other => return super::errors::expected(lua, 3, "gsub", "string, table or function", other),
    };
    match &given {
        Value::Nil | Value::Boolean(false) => Ok(None),
        Value::String(text) => Ok(Some(text.as_bytes().to_vec())),
        other => match text(other) {
            Some(text) => Ok(Some(text.into_bytes())),
            None => fail(lua, format_args!("invalid return value (a {})", other.type_name())),
        },
    }
}

/// A template with `%1` for captures and `%0` for the match.
fn expand(lua: &Lua, template: &LuaString, found: &Captures<'_>) -> Result<Vec<u8>> {
    let (mut out, template) = (Vec::new(), template.as_bytes());
    let mut bytes = template.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => match bytes.next() {
                Some(digit @ b'0'..=b'9') => {
                    let number = usize::from(digit - b'0');
                    // Without captures, %1 is the match.
                    let number = if number == 1 && found.len() == 1 { 0 } else { number };
                    if number >= found.len() {
                        return fail(lua, "invalid capture index in replacement");
                    }
                    out.extend_from_slice(found.get(number).map(|part| part.as_bytes()).unwrap_or_default());
                }
                Some(other) => out.push(other),
                None => out.push(b'%'),
            },
            other => out.push(other),
        }
    }
    Ok(out)
}

/// `gsub`: the text with replacements, the number of matches, and of replacements.
fn replace(args: &Args<'_>, of: &Regex, subject: &[u8], [by, most]: [usize; 2]) -> Result<(LuaString, usize, usize)> {
    let by = args.get(by);
    let most = if args.is_nil(most) { usize::MAX } else { usize::try_from(args.int(most)?).unwrap_or_default() };
    let (mut out, mut from, mut kept, mut counts) = (Vec::new(), 0, 0, (0, 0));
    while counts.0 < most
        && let Some(found) = search(args.lua, of, subject, from)?
    {
        let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
        counts.0 += 1;
        out.extend_from_slice(subject.get(kept..whole.start).unwrap_or_default());
        match replacement(args, &by, &found)? {
            Some(text) => {
                counts.1 += 1;
                out.extend_from_slice(&text);
            }
            None => out.extend_from_slice(subject.get(whole.clone()).unwrap_or_default()),
        }
        budget::fits(args.lua, out.len() / 64)?;
        (kept, from) = (whole.end, behind(&found));
    }
    out.extend_from_slice(subject.get(kept..).unwrap_or_default());
    Ok((args.lua.create_string(out)?, counts.0, counts.1))
}

/// A search of a subject from an offset on.
type Search = fn(&Lua, &Regex, &[u8], usize) -> Result<MultiValue>;

const SEARCHES: [(&str, Search); 5] =
    [("find", find), ("match", first), ("tfind", table_find), ("exec", execute), ("dfa_exec", execute)];

impl UserData for Expression {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        for (name, search) in SEARCHES {
            methods.add_method(name, move |lua, this, values: MultiValue| {
                let args = Args::new(lua, name, values);
                let subject = args.bytes(1)?;
                search(lua, &this.0, &subject, start(&args, 2, subject.len())?)
            });
        }
        methods.add_method("gmatch", |lua, this, values: MultiValue| {
            all(lua, this.0.clone(), Args::new(lua, "gmatch", values).bytes(1)?)
        });
        methods.add_method("split", |lua, this, values: MultiValue| {
            split(lua, this.0.clone(), Args::new(lua, "split", values).bytes(1)?)
        });
        methods.add_method("gsub", |lua, this, values: MultiValue| {
            let args = Args::new(lua, "gsub", values);
            replace(&args, &this.0, &args.bytes(1)?, [2, 3])
        });
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(format!("regular expression ({})", this.0.as_str())));
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| super::errors::no_member::<()>(lua, &name, "GRegex"));
    }
}

fn count(args: &Args<'_>) -> Result<usize> {
    let (of, subject) = (compile(args, 2, 3)?, args.bytes(1)?);
    let (mut from, mut count) = (0, 0);
    while let Some(found) = search(args.lua, &of, &subject, from)? {
        count += 1;
        from = behind(&found);
    }
    Ok(count)
}

/// Adds both classes, which are the same.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("new", lua.create_function(|lua, values| compile(&Args::new(lua, "new", values), 1, 2).map(Expression))?)?;
    for (name, search) in SEARCHES.iter().filter(|(name, _)| matches!(*name, "find" | "match")) {
        let run = move |lua: &Lua, values: MultiValue| {
            let args = Args::new(lua, name, values);
            let (of, subject) = (compile(&args, 2, 4)?, args.bytes(1)?);
            search(lua, &of, &subject, start(&args, 3, subject.len())?)
        };
        class.set(*name, lua.create_function(run)?)?;
    }
    type Iterate = fn(&Lua, Regex, Vec<u8>) -> Result<Function>;
    let iterators: [(&str, Iterate); 2] = [("gmatch", all), ("split", split)];
    for (name, iterate) in iterators {
        let run = move |lua: &Lua, values: MultiValue| {
            let args = Args::new(lua, name, values);
            iterate(lua, compile(&args, 2, 3)?, args.bytes(1)?)
        };
        class.set(name, lua.create_function(run)?)?;
    }
    let gsub = |lua: &Lua, values: MultiValue| {
        let args = Args::new(lua, "gsub", values);
        replace(&args, &compile(&args, 2, 5)?, &args.bytes(1)?, [3, 4])
    };
    class.set("gsub", lua.create_function(gsub)?)?;
    class.set("count", lua.create_function(|lua, values| count(&Args::new(lua, "count", values)))?)?;
    let flags = |lua: &Lua, _: MultiValue| lua.create_table_from(FLAGS.iter().map(|(name, bit, _)| (*name, *bit)));
    class.set("flags", lua.create_function(flags)?)?;
    class.set("config", lua.create_function(|lua, _: MultiValue| lua.create_table())?)?;
    class.set("maketables", lua.create_function(|lua, _: MultiValue| lua.create_table())?)?;
    class.set("version", lua.create_function(|_, _: MultiValue| Ok("10.42 (linear time)"))?)?;
    super::sandbox::guard_class(lua, &class, "GRegex")?;
    globals.set("GRegex", class.clone())?;
    globals.set("rex_pcre2", class)
}
