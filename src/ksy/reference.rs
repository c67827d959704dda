//! The supported language as tables, generated from the loader's own tables.

use super::encodings::ENCODINGS;
use super::keys;
use super::process::{FUNCTIONS, PROCESSORS, Parameter};
use super::resolve::methods;
use super::run::PARAMETERS;
use std::fmt::Write;

/// Types of attributes and parameters.
const TYPES: &[(&str, &str)] = &[
    ("u1, u2, u4, u8", "unsigned integers of 1 to 8 bytes, in the default byte order"),
    ("s1, s2, s4, s8", "signed integers"),
    ("f4, f8", "floating-point numbers"),
    ("u2le, s4be, f8le", "the same with a byte order"),
    ("b1 to b64", "unsigned integers of bits; `b1` without `enum` is a boolean; `b12le` with an order of bits"),
    ("str", "text of a size or with a terminator"),
    ("strz", "text up to a zero: a byte, or as many bytes as a unit of the encoding has"),
    ("no type", "bytes of a size or with a terminator"),
    ("a name", "an object of a type in `types`, or of an imported file: `inner`, `outer::inner`, `dns_packet`"),
    ("a name with arguments", "an object with parameters: `inner(len, 3)`"),
    ("a switch", "one of several types, by an integer, a member of an enum, a text, bytes or a boolean"),
    ("bytes, bool, struct, io, any", "of parameters and casts only; with `[]` a list"),
];

/// Operators, in order of increasing precedence.
const OPERATORS: &[(&str, &str)] = &[
    ("a ? b : c", "`b` where `a` is true, else `c`"),
    ("or, and, not", "of booleans; the right operand is evaluated where it matters"),
    ("==, !=", "of numbers, texts, bytes, booleans, members of one enum, and objects"),
    ("<, <=, >, >=", "of numbers, texts and bytes"),
    ("|, ^, &, <<, >>", "of integers"),
    ("+, -, *, /, %", "of numbers; `/` rounds down, `%` has the sign of the divisor; `+` joins texts"),
    ("-, ~", "before a number, before an integer"),
    (".name, [index]", "a member or a method; an element of a list or a byte"),
    (".as<type>", "the value as another type"),
    ("sizeof<type>, bitsizeof<type>", "the size of a type, where it is fixed"),
    ("enum::member", "a member of an enum, also `type::enum::member`"),
    ("f\"text {value}\"", "text with values; an object is its summary"),
    ("0x1F, 0b101, 0o17, 1_000, 1.5e3", "numbers"),
    ("\"a\\n\", 'a\\n'", "text with escapes, and without"),
    ("[0x50, 0x4b]", "bytes, where all elements are literals from 0 to 255; else a list"),
];

/// Names that every object has.
const SPECIAL: &[(&str, &str)] = &[
    ("_root", "the object of the whole file"),
    ("_parent", "the object that contains this one"),
    ("_io", "the stream of the object"),
    ("_sizeof", "the size of an attribute or an object, where it is fixed"),
    ("_index", "the number of the element, where an attribute repeats"),
    ("_", "the element in `repeat-until`, the value in `valid`"),
];

/// All tables as Markdown.
#[must_use]
pub fn tables() -> String {
    let mut text = String::new();
    rows(&mut text, "Types", ("type", "value"), TYPES.iter().map(|(name, about)| (code_list(name), (*about).to_owned())));
    for keys in keys::ALL {
        let title = format!("Keys of {}", keys.of);
        rows(&mut text, &title, ("key", "meaning"), keys.keys.iter().map(|key| (code(key.name), key.about.to_owned())));
    }
    rows(
        &mut text,
        "Operators",
        ("operator", "meaning"),
        OPERATORS.iter().map(|(name, about)| (code_list(name), (*about).to_owned())),
    );
    rows(&mut text, "Special names", ("name", "meaning"), SPECIAL.iter().map(|(name, about)| (code(name), (*about).to_owned())));
    let parameters = PARAMETERS.iter().map(|(name, about)| (code(name), (*about).to_owned()));
    rows(&mut text, "Parameters of roots", ("name of a parameter", "what it gets"), parameters);
    let mut methods_of: Vec<(&str, Vec<String>)> = Vec::new();
    for (of, name, args) in methods() {
        match methods_of.iter_mut().find(|(known, _)| *known == of) {
            Some((_, methods)) => methods.push(code(&format!("{name}{args}"))),
            None => methods_of.push((of, vec![code(&format!("{name}{args}"))])),
        }
    }
    rows(
        &mut text,
        "Methods",
        ("of", "methods"),
        methods_of.into_iter().map(|(of, methods)| (of.to_owned(), methods.join(", "))),
    );
    let functions = FUNCTIONS.iter().map(|function| (signature(function.name, function.parameters), function.summary.to_owned()));
    rows(&mut text, "Functions", ("function", "value"), functions);
    let processor_rows = PROCESSORS.iter().map(|known| (signature(known.name, known.parameters), known.summary.to_owned()));
    rows(&mut text, "Processors", ("processor", "what it reads"), processor_rows);
    let names: Vec<String> = ENCODINGS.iter().map(|(name, _)| code(name)).collect();
    let _ = write!(text, "\n### Encodings\n{}\n", wrapped(&names));
    text
}

fn rows(to: &mut String, title: &str, head: (&str, &str), rows: impl Iterator<Item = (String, String)>) {
    let start = if to.is_empty() { "" } else { "\n" };
    let _ = write!(to, "{start}### {title}\n| {} | {} |\n|---|---|\n", head.0, head.1);
    for (name, about) in rows {
        let _ = writeln!(to, "| {name} | {about} |");
    }
}

fn code(name: &str) -> String {
    format!("`{}`", name.replace('|', "\\|"))
}

/// A name with its parameters; `?` marks those that may be left out.
fn signature(name: &str, parameters: &[Parameter]) -> String {
    let names = parameters.iter().map(|parameter| format!("{}{}", parameter.name, if parameter.optional { "?" } else { "" }));
    match parameters {
        [] => code(name),
        _ => code(&format!("{name}({})", names.collect::<Vec<_>>().join(", "))),
    }
}

/// Comma-separated names, except phrases.
fn code_list(names: &str) -> String {
    if names.starts_with("a ") && !names.contains('?') || names.starts_with("no ") {
        return names.to_owned();
    }
    if names.contains(['"', '[', '?']) || names.contains(" to ") {
        return code(names).replace(" to ", "` to `").replace("\", '", "\"`, `'").replace("name, [", "name`, `[");
    }
    names.split(", ").map(code).collect::<Vec<_>>().join(", ")
}

/// Names in lines of a readable length.
fn wrapped(names: &[String]) -> String {
    let mut lines = vec![String::new()];
    for (at, name) in names.iter().enumerate() {
        let part = if at + 1 == names.len() { name.clone() } else { format!("{name}, ") };
        match lines.last_mut() {
            Some(line) if line.len() + part.len() <= 120 => line.push_str(&part),
            _ => lines.push(part),
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}
