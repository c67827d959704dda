//! Derives the output plan from the options.

use super::args::{Form, Output, When};
use super::usage_error::UsageError;
use crate::filter;
use crate::glossary;
use crate::nearest::similar;
use crate::record::Scope;
use crate::registry::Registry;
use crate::render::{
    Choice, Column, ColumnOptions, Columns, DocumentShape, Ek, Html, HtmlOptions, Json, JsonOptions, KeptNames, List,
    ListOptions, Occurrence, PSEUDO_FIELDS, Pdml, Psml, Raw, Restricted, Shape, Silent, Table, TableOptions, Tabs, Theme,
    TimeForm, record_key,
};
use crate::sink::Sink;
use crate::tree::{Field, Only};
use std::io::{self, IsTerminal, Write};

/// Output plan.
pub(super) enum Plan {
    Table(TableOptions),
    List(ListOptions),
    Json(JsonOptions, Contents),
    Html(HtmlOptions),
    Columns(Vec<Column>, ColumnOptions),
    /// A machine-readable format of tshark.
    Document(Document, KeptNames, TimeForm),
    /// Any format, restricted to fields of some protocols: `-j`.
    Restricted(Box<Plan>, Only),
    /// `-q`: no records.
    Silent,
}

/// Machine-readable formats of tshark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Document {
    Tabs,
    Ek,
    Pdml,
    Psml,
    Raw,
}

/// Field selection of JSON output.
pub(super) struct Contents {
    /// Fields to keep, and their scope; all fields if `None`.
    choice: Option<(Choice, Scope)>,
    /// Whether to add the bytes of each field.
    raw: bool,
    /// Whether each record has the name of its input.
    file_names: bool,
}

impl Plan {
    /// Derives the plan for one or `several` inputs. With `waits`, each record is flushed at once.
    pub(super) fn new(output: &Output, several: bool, waits: bool) -> Result<Plan, UsageError> {
        let form = form(output)?;
        if output.title.is_some() && form != Form::Html {
            return Err("--title requires -T html".into());
        }
        let theme = theme(output.color);
        let time = TimeForm::named(&output.time)
            .ok_or_else(|| format!("-t {}: expected r, a, ad, adoy, d, dd, e, u, ud or udoy", output.time))?;
        let json = |shape| {
            let options = JsonOptions { shape, carriers: output.verbose, flush: waits };
            Ok::<Plan, UsageError>(Plan::Json(
                options,
                Contents { choice: choice(&output.columns, shape)?, raw: output.raw || output.hex, file_names: several },
            ))
        };
        let columns =
            |options| Ok::<Plan, UsageError>(Plan::Columns(columns(&output.columns)?, column_options(options, output)?));
        let document = |form| Plan::Document(form, KeptNames::default(), time);
        Ok(match form {
            _ if output.quiet => Plan::Silent,
            Form::Table | Form::Text => Plan::Table(table_options(output, theme, time, several)?),
            Form::List => Plan::List(list_options(output, theme, time, several)),
            Form::Html if io::stdout().is_terminal() => {
                return Err(
                    "-T html writes a page for a browser; redirect it to a file: proto-dissect -T html FILE > page.html".into()
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
            Form::Arrow => return Err("-T arrow prints records only; omit -z and -P".to_owned()),
        })
    }

    /// Restricts the plan to the protocols and fields of `-j` or `-J`.
    ///
    /// # Errors
    /// An unknown name.
    pub(super) fn keeping(self, names: &str, below: bool) -> Result<Plan, UsageError> {
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
            plan => Plan::Restricted(Box::new(plan), Only::these(below_names(&known))),
        })
    }

    /// Appends secrets to the summaries of a list, with `--show-secrets`.
    pub(super) fn revealing(mut self, secrets: bool) -> Plan {
        if let Plan::List(options) = &mut self {
            options.secrets = secrets;
        }
        self
    }

    /// Whether the beginning of an input is printed only before its first record.
    pub(super) fn heads_records(&self) -> bool {
        match self {
            Plan::Table(_) | Plan::List(_) => true,
            Plan::Restricted(plan, _) => plan.heads_records(),
            _ => false,
        }
    }

    /// Whether all records form one document, which one thread has to write.
    pub(super) fn is_one_document(&self) -> bool {
        match self {
            Plan::Html(_) => true,
            Plan::Restricted(plan, _) => plan.is_one_document(),
            _ => false,
        }
    }

    /// Scope of the columns; `None` for other formats.
    pub(super) fn scope(&self) -> Option<Scope> {
        match self {
            Plan::Columns(columns, _) => Some(scope(columns)),
            Plan::Json(_, Contents { choice: Some((_, scope)), .. }) => Some(*scope),
            _ => None,
        }
    }

    /// Creates the sink that prints records.
    pub(super) fn sink<'w>(&self, to: Box<dyn Write + Send + 'w>) -> Box<dyn Sink + Send + 'w> {
        match self {
            Plan::Table(options) => Box::new(Table::new(to, options.clone())),
            Plan::List(options) => Box::new(List::new(to, *options)),
            Plan::Json(options, Contents { choice, raw, file_names }) => {
                let json = Json::new(to, *options);
                let json = if *raw { json.with_bytes() } else { json };
                let json = if *file_names { json.naming_files() } else { json };
                Box::new(match choice {
                    Some((choice, _)) => json.keeping(choice.clone()),
                    None => json,
                })
            }
            Plan::Html(options) => Box::new(Html::new(to, options.clone())),
            Plan::Columns(columns, options) => Box::new(Columns::new(to, columns.clone(), options.clone())),
            Plan::Silent => Box::new(Silent),
            Plan::Restricted(plan, only) => Box::new(Restricted::new(plan.sink(to), *only)),
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

/// Fields with these names, and those below them by name.
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

/// Scope of columns.
fn scope(columns: &[Column]) -> Scope {
    let mut scope = Scope::default();
    columns.iter().for_each(|column| column.add_to(&mut scope));
    scope
}

/// Parses the fields to keep in JSON. Flat and nested records have additional keys.
fn choice(names: &[String], shape: Shape) -> Result<Option<(Choice, Scope)>, UsageError> {
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

fn form(output: &Output) -> Result<Form, UsageError> {
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
        return Err("--raw requires a JSON format; try --json --raw or -T flat --raw".into());
    }
    if is_json && !output.column_options.is_empty() {
        return Err("-E formats the columns of -T fields and -T csv; JSON has no columns".into());
    }
    match (selection, output.columns.is_empty()) {
        (Some(Form::Fields | Form::Csv), true) => Err("-T fields requires -e; try -T fields -e frame.number".into()),
        (None | Some(Form::Fields), false) => Ok(Form::Fields),
        (Some(form @ (Form::Csv | Form::Ndjson | Form::Json | Form::Flat | Form::Nested)), false) => Ok(form),
        (Some(_), false) => Err("-e selects columns of -T fields or csv, or fields of JSON; omit the other format".into()),
        (Some(form), true) => Ok(form),
        (None, true) if !output.column_options.is_empty() => Err("-E formats the columns of -e; -e is missing".into()),
        (None, true) => Ok(Form::Table),
    }
}

/// Protocols of `-O`; all if empty.
fn details(names: Option<&str>) -> Result<Vec<&'static Field>, UsageError> {
    let names = names.map(|names| names.split(',').map(str::trim).collect::<Vec<_>>()).unwrap_or_default();
    let registry = Registry::default();
    let known = |name: &&str| registry.protocol(name).map(|protocol| protocol.this);
    names.iter().map(|name| known(name).ok_or_else(|| unknown_protocol(name))).collect()
}

/// Theme for `--color`.
pub(super) fn theme(when: When) -> Theme {
    if !wants_colour(when) {
        Theme::plain()
    } else if has_sixteen_colours() {
        Theme::console()
    } else {
        Theme::coloured()
    }
}

/// Whether the terminal lacks the 256 colours of xterm.
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
        When::Auto => {
            io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb") && reads_sequences()
        }
    }
}

/// Whether the terminal understands escape sequences. The console of Windows does once they are switched on.
fn reads_sequences() -> bool {
    #[cfg(windows)]
    return ratatui::crossterm::ansi_support::supports_ansi();
    #[cfg(not(windows))]
    true
}

/// Width of the terminal, if standard output is one.
pub(super) fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}

fn table_options(output: &Output, theme: Theme, time: TimeForm, several: bool) -> Result<TableOptions, UsageError> {
    Ok(TableOptions {
        verbose_fields: output.full,
        carriers: output.verbose,
        hex: output.hex,
        details: details(output.only.as_deref())?,
        width: width(),
        theme,
        time,
        file_names: several,
    })
}

fn list_options(output: &Output, theme: Theme, time: TimeForm, several: bool) -> ListOptions {
    let (whole, hex) = (output.full, output.hex);
    ListOptions { theme, time, file_names: several, width: width(), whole, flush: false, hex, secrets: false }
}

pub(super) fn columns(names: &[String]) -> Result<Vec<Column>, UsageError> {
    names.iter().map(|name| column(name)).collect()
}

fn column(name: &str) -> Result<Column, UsageError> {
    filter::column(name, Registry::default())
        .map_err(|mistake| if filter::is_name(name) { unknown_field(name) } else { format!("-e: {mistake}") })
}

/// Error message for an unknown field, with similar names.
pub(super) fn unknown_field(name: &str) -> UsageError {
    let registry = Registry::default();
    let fields = registry.fields().flat_map(|field| [field.abbrev, field.also]);
    unknown("field", name, fields.chain(PSEUDO_FIELDS.iter().map(|pseudo| pseudo.name)))
}

/// Error message for an unknown protocol, with similar names.
pub(super) fn unknown_protocol(name: &str) -> UsageError {
    unknown("protocol", name, glossary::protocols(Registry::default()).into_iter().map(|protocol| protocol.this.abbrev))
}

fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> UsageError {
    match similar(&Registry::default().with_filter_name(name), known) {
        names if names.is_empty() => format!("unknown {what} {name:?}; `proto-dissect {what}s` lists all"),
        names => format!("unknown {what} {name:?}{names}"),
    }
}

pub(super) fn column_options(mut columns: ColumnOptions, output: &Output) -> Result<ColumnOptions, UsageError> {
    columns.all_late = output.filter.is_some();
    for option in &output.column_options {
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

/// Parses a separator as tshark: `/t` is a tab, `/s` a space.
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
