//! From options to a plan of what is printed.

use super::args::{Form, Output, When};
use super::nearest::nearest_names;
use crate::filter;
use crate::glossary;
use crate::record::Scope;
use crate::registry::Registry;
use crate::render::{
    Choice, Column, ColumnOptions, Columns, DocumentShape, Ek, Html, HtmlOptions, Json, JsonOptions, Kept, KeptNames, List,
    ListOptions, Occurrence, PSEUDO_FIELDS, Pdml, Psml, Raw, Shape, Silent, Table, TableOptions, Tabs, Theme, TimeForm,
    record_key,
};
use crate::sink::Sink;
use crate::tree::{Field, Only};
use std::io::{self, IsTerminal, Write};

/// What is wrong with the options, and what to try.
pub(super) type Wrong = String;

/// What is printed, and how.
pub(super) enum Plan {
    Table(TableOptions),
    List(ListOptions),
    Json(JsonOptions, Contents),
    Html(HtmlOptions),
    Columns(Vec<Column>, ColumnOptions),
    /// A form of tshark for programs.
    Document(Document, KeptNames, TimeForm),
    /// Any form, with the fields of some protocols alone: `-j`.
    Kept(Box<Plan>, Only),
    /// `-q`: no records.
    Silent,
}

/// A form of tshark for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Document {
    Tabs,
    Ek,
    Pdml,
    Psml,
    Raw,
}

/// What JSON has of the fields.
pub(super) struct Contents {
    /// The fields that are kept, and what they are about; all fields without a choice.
    choice: Option<(Choice, Scope)>,
    /// Whether the bytes of each field are added.
    raw: bool,
}

impl Plan {
    /// What the options ask for, of one input or of several; each record at once if more input is waited for.
    pub(super) fn new(output: &Output, several: bool, waits: bool) -> Result<Plan, Wrong> {
        let form = form(output)?;
        if output.title.is_some() && form != Form::Html {
            return Err("--title is the title of a page; -T html writes one".into());
        }
        let theme = theme(output.color);
        let time = TimeForm::named(&output.time)
            .ok_or_else(|| format!("-t {}: expected r, a, ad, adoy, d, dd, e, u, ud or udoy", output.time))?;
        let json = |shape| {
            let options = JsonOptions { shape, carriers: output.verbose, flush: waits };
            Ok::<Plan, Wrong>(Plan::Json(options, Contents { choice: choice(&output.columns, shape)?, raw: output.raw }))
        };
        let columns = |options| {
            Ok::<Plan, Wrong>(Plan::Columns(columns(&output.columns)?, column_options(options, &output.column_options)?))
        };
        let document = |form| Plan::Document(form, KeptNames::default(), time);
        Ok(match form {
            _ if output.quiet => Plan::Silent,
            Form::Table | Form::Text => Plan::Table(TableOptions {
                verbose_fields: output.full,
                carriers: output.verbose,
                hex: output.hex,
                details: details(output.only.as_deref())?,
                width: width(),
                theme,
                time,
                file_names: several,
            }),
            Form::List => Plan::List(ListOptions {
                theme,
                time,
                file_names: several,
                width: width(),
                whole: output.full,
                flush: false,
                hex: output.hex,
                secrets: false,
            }),
            Form::Html if io::stdout().is_terminal() => {
                return Err(
                    "-T html writes a page for a browser; send it to a file: proto-dissect -T html FILE > page.html".into()
                );
            }
            Form::Html => Plan::Html(HtmlOptions { title: output.title.clone(), carriers: output.verbose, time, several }),
            Form::Ndjson => json(Shape::Lines)?,
            Form::Json => json(Shape::Array)?,
            Form::Flat => json(Shape::Flat)?,
            Form::Nested => json(Shape::Nested)?,
            Form::Csv => columns(ColumnOptions { flush: false, ..ColumnOptions::csv() })?,
            Form::Fields => columns(ColumnOptions::default())?,
            Form::Tabs => document(Document::Tabs),
            Form::Ek => document(Document::Ek),
            Form::Pdml => document(Document::Pdml),
            Form::Psml => document(Document::Psml),
            Form::Jsonraw => document(Document::Raw),
            Form::Arrow => return Err("-T arrow goes with records alone; leave -z, -P and the like out".to_owned()),
        })
    }

    /// The same with the fields of some protocols alone, by the names of `-j` or `-J`.
    ///
    /// # Errors
    /// A name that nothing has.
    pub(super) fn keeping(self, names: &str, below: bool) -> Result<Plan, Wrong> {
        let mut known = Vec::new();
        for name in names.split([' ', ',']).filter(|name| !name.is_empty()) {
            let fields = Registry::default().named(name);
            match (fields.first(), name) {
                (_, "frame") => known.push("frame"),
                (Some(field), _) if field.also == name => known.push(field.also),
                (Some(field), _) => known.push(field.abbrev),
                (None, _) => return Err(unknown_field(name)),
            }
        }
        Ok(match self {
            Plan::Document(form, _, time) => Plan::Document(form, KeptNames::new(known, below), time),
            Plan::Silent => Plan::Silent,
            plan => Plan::Kept(Box::new(plan), Only::these(below_names(&known))),
        })
    }

    /// The same with secrets behind the summaries of a list, if `--show-secrets` asks for them.
    pub(super) fn revealing(mut self, secrets: bool) -> Plan {
        if let Plan::List(options) = &mut self {
            options.secrets = secrets;
        }
        self
    }

    /// Whether all records go into one document, so that one thread has to write them.
    pub(super) fn is_one_document(&self) -> bool {
        match self {
            Plan::Html(_) => true,
            Plan::Kept(plan, _) => plan.is_one_document(),
            _ => false,
        }
    }

    /// What columns are about; nothing for other forms.
    pub(super) fn scope(&self) -> Option<Scope> {
        match self {
            Plan::Columns(columns, _) => Some(scope(columns)),
            Plan::Json(_, Contents { choice: Some((_, scope)), .. }) => Some(*scope),
            _ => None,
        }
    }

    /// Something that prints it.
    pub(super) fn sink<'w>(&self, to: Box<dyn Write + Send + 'w>) -> Box<dyn Sink + Send + 'w> {
        match self {
            Plan::Table(options) => Box::new(Table::new(to, options.clone())),
            Plan::List(options) => Box::new(List::new(to, *options)),
            Plan::Json(options, Contents { choice, raw }) => {
                let json = Json::new(to, *options);
                let json = if *raw { json.with_bytes() } else { json };
                Box::new(match choice {
                    Some((choice, _)) => json.keeping(choice.clone()),
                    None => json,
                })
            }
            Plan::Html(options) => Box::new(Html::new(to, options.clone())),
            Plan::Columns(columns, options) => Box::new(Columns::new(to, columns.clone(), options.clone())),
            Plan::Silent => Box::new(Silent),
            Plan::Kept(plan, only) => Box::new(Kept::new(plan.sink(to), *only)),
            Plan::Document(form, kept, time) => {
                let shape = || DocumentShape::new(Registry::default(), kept.clone());
                match form {
                    Document::Tabs => Box::new(Tabs::new(to, *time)),
                    Document::Psml => Box::new(Psml::new(to, *time)),
                    Document::Ek => Box::new(Ek::new(to, shape())),
                    Document::Pdml => Box::new(Pdml::new(to, shape())),
                    Document::Raw => Box::new(Raw::new(to, shape())),
                }
            }
        }
    }
}

/// The fields of these names: those of a protocol, or a field with what its name begins.
fn below_names(names: &[&str]) -> impl Iterator<Item = &'static Field> {
    let registry = Registry::default();
    let is_meant = |field: &Field| {
        let begins = |name: &str| field.abbrev.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        names.iter().any(|name| begins(name) || field.also == *name)
    };
    let of_protocols = registry.protocols().filter(|protocol| names.contains(&protocol.this.abbrev));
    let of_protocols = of_protocols.flat_map(move |protocol| registry.fields_of(protocol));
    registry.fields().filter(|field| is_meant(field)).chain(of_protocols).collect::<Vec<_>>().into_iter()
}

/// What columns are about.
fn scope(columns: &[Column]) -> Scope {
    let mut scope = Scope::default();
    columns.iter().for_each(|column| column.add_to(&mut scope));
    scope
}

/// The fields that JSON keeps, by their names; flat and nested records have keys of their own as well.
fn choice(names: &[String], shape: Shape) -> Result<Option<(Choice, Scope)>, Wrong> {
    if names.is_empty() {
        return Ok(None);
    }
    let (mut keys, mut columns) = (Vec::new(), Vec::new());
    for name in names {
        match (record_key(name), shape) {
            (Some(key), Shape::Flat | Shape::Nested) => keys.push(key),
            _ => columns.push(column(name)?),
        }
    }
    let mut scope = scope(&columns);
    scope.messages |= !keys.is_empty() && columns.is_empty();
    Ok(Some((Choice::new(columns, keys), scope)))
}

fn form(output: &Output) -> Result<Form, Wrong> {
    let is_detailed = output.full || output.hex || output.only.is_some();
    let selection = match output.form {
        Some(Form::Text) if !is_detailed => Some(Form::List),
        Some(form) => Some(form),
        None if output.list => Some(Form::List),
        None if output.json => Some(Form::Ndjson),
        None => None,
    };
    let is_json = matches!(selection, Some(Form::Ndjson | Form::Json | Form::Flat | Form::Nested));
    if output.raw && !is_json {
        return Err("--raw adds the bytes of fields to JSON; try --json --raw or -T flat --raw".into());
    }
    if is_json && !output.column_options.is_empty() {
        return Err("-E says how the columns of -T fields and csv are written; JSON has none".into());
    }
    match (selection, output.columns.is_empty()) {
        (Some(Form::Fields | Form::Csv), true) => Err("-T fields prints the columns of -e; try -T fields -e frame.number".into()),
        (None | Some(Form::Fields), false) => Ok(Form::Fields),
        (Some(form @ (Form::Csv | Form::Ndjson | Form::Json | Form::Flat | Form::Nested)), false) => Ok(form),
        (Some(_), false) => Err("-e names columns of -T fields or csv, or fields of JSON; leave the other form out".into()),
        (Some(form), true) => Ok(form),
        (None, true) if !output.column_options.is_empty() => {
            Err("-E says how the columns of -e are written; -e is missing".into())
        }
        (None, true) => Ok(Form::Table),
    }
}

/// The protocols whose details are shown; all if none is named.
fn details(names: Option<&str>) -> Result<Vec<&'static Field>, Wrong> {
    let names = names.map(|names| names.split(',').map(str::trim).collect::<Vec<_>>()).unwrap_or_default();
    let registry = Registry::default();
    let known = |name: &&str| registry.protocol(name).map(|protocol| protocol.this);
    names.iter().map(|name| known(name).ok_or_else(|| unknown_protocol(name))).collect()
}

/// Colours, or none.
pub(super) fn theme(when: When) -> Theme {
    match wants_colour(when) {
        false => Theme::plain(),
        true if has_sixteen_colours() => Theme::console(),
        true => Theme::coloured(),
    }
}

/// Whether the terminal is one of the few without the 256 colours of xterm.
fn has_sixteen_colours() -> bool {
    const SIXTEEN: [&str; 5] = ["linux", "ansi", "cygwin", "cons25", "pcansi"];
    std::env::var("TERM").is_ok_and(|term| SIXTEEN.contains(&term.as_str()) || term.starts_with("vt"))
}

fn wants_colour(when: When) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto if set("NO_COLOR") => false,
        When::Auto if set("CLICOLOR_FORCE") => std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
        When::Auto => io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// Columns of the terminal, if standard output is one.
pub(super) fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}

pub(super) fn columns(names: &[String]) -> Result<Vec<Column>, Wrong> {
    names.iter().map(|name| column(name)).collect()
}

fn column(name: &str) -> Result<Column, Wrong> {
    filter::column(name, Registry::default()).map_err(|mistake| match filter::is_name(name) {
        true => unknown_field(name),
        false => format!("-e: {mistake}"),
    })
}

/// That no field is called so, and the names nearest to it.
pub(super) fn unknown_field(name: &str) -> Wrong {
    let registry = Registry::default();
    let fields = registry.fields().flat_map(|field| [field.abbrev, field.also]);
    unknown("field", name, fields.chain(PSEUDO_FIELDS.iter().map(|pseudo| pseudo.name)))
}

/// That no protocol is called so, and the names nearest to it.
pub(super) fn unknown_protocol(name: &str) -> Wrong {
    unknown("protocol", name, glossary::protocols(Registry::default()).into_iter().map(|protocol| protocol.this.abbrev))
}

fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Wrong {
    format!("no {what} is called {name:?}; the nearest names are {}", nearest_names(name, known, 3))
}

pub(super) fn column_options(mut columns: ColumnOptions, options: &[String]) -> Result<ColumnOptions, Wrong> {
    for option in options {
        let Some((name, value)) = option.split_once('=') else {
            return Err(format!("-E {option}: expected NAME=VALUE, such as occurrence=f"));
        };
        let wrong = |expected: &str| format!("-E {option}: expected {name}={expected}");
        match name {
            "header" => columns.header = yes(value).ok_or_else(|| wrong("y or n"))?,
            "separator" => columns.separator = separator(value).ok_or_else(|| wrong("one character, /t or /s"))?,
            "aggregator" => columns.aggregator = separator(value).ok_or_else(|| wrong("one character, /t or /s"))?,
            "occurrence" => {
                columns.occurrence = match value {
                    "f" => Occurrence::First,
                    "l" => Occurrence::Last,
                    "a" => Occurrence::All,
                    _ => return Err(wrong("f, l or a")),
                }
            }
            "quote" => {
                columns.quote = match value {
                    "d" => Some('"'),
                    "s" => Some('\''),
                    "n" => None,
                    _ => return Err(wrong("d, s or n")),
                }
            }
            _ => return Err(format!("-E {option}: expected header, separator, occurrence, aggregator or quote")),
        }
    }
    Ok(columns)
}

fn yes(value: &str) -> Option<bool> {
    match value {
        "y" => Some(true),
        "n" => Some(false),
        _ => None,
    }
}

/// A character as tshark takes it: `/t` is a tab, `/s` a space.
fn separator(value: &str) -> Option<char> {
    match value {
        "/t" => Some('\t'),
        "/s" => Some(' '),
        _ => {
            let mut characters = value.chars();
            characters.next().filter(|_| characters.next().is_none())
        }
    }
}
