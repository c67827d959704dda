//! Every output form over the same frames: valid, escaped, deterministic, and with the same counts.

use super::{Counts, Owned, dissect, json};
use proto_dissect::engine::Engine;
use proto_dissect::filter::Filter;
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{
    Column, ColumnOptions, Columns, Json, JsonOptions, List, ListOptions, Shape, Table, TableOptions, Theme, TimeForm, Values,
};
use proto_dissect::sink::{Begin, Sink};
use proto_dissect::tree::{Carriers, Depth};

/// An output form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The table of an 80-column terminal.
    Table,
    /// `-V -v -x`, coloured.
    Full,
    /// `-l`.
    List,
    /// `--json`.
    Lines,
    /// `-T json -v`.
    Array,
    /// `-T flat`.
    Flat,
    /// `-T fields`.
    Fields,
    /// `-T csv`.
    Csv,
}

/// All of them.
pub const ALL: [Form; 8] = [Form::Lines, Form::Table, Form::Full, Form::List, Form::Array, Form::Flat, Form::Fields, Form::Csv];

/// Columns that every capture may fill, of headers and of messages.
const COLUMNS: [&str; 12] = [
    "frame.number",
    "frame.time",
    "ip.src",
    "tcp.port",
    "tcp.payload",
    "udp.payload",
    "http.host",
    "dns.qry.name",
    "data.data",
    "pipboy.entry.path",
    "message.name",
    "stream",
];

impl Form {
    /// A sink of this form.
    fn sink<'w>(self, registry: Registry, to: &'w mut Vec<u8>) -> Box<dyn Sink + 'w> {
        let table = |full: bool| TableOptions {
            verbose_fields: full,
            carriers: full,
            hex: full,
            details: Vec::new(),
            width: (!full).then_some(80),
            theme: if full { Theme::coloured() } else { Theme::plain() },
            time: TimeForm::named("r").expect("-t r"),
            file_names: false,
        };
        let json = |shape, carriers| JsonOptions { shape, carriers, flush: false };
        match self {
            Form::Table => Box::new(Table::new(to, table(false))),
            Form::Full => Box::new(Table::new(to, table(true))),
            Form::List => Box::new(List::new(
                to,
                ListOptions {
                    theme: Theme::plain(),
                    time: TimeForm::named("r").expect("-t r"),
                    file_names: false,
                    width: None,
                    whole: false,
                    flush: false,
                    secrets: false,
                    hex: false,
                },
            )),
            Form::Lines => Box::new(Json::new(to, json(Shape::Lines, false))),
            Form::Array => Box::new(Json::new(to, json(Shape::Array, true))),
            Form::Flat => Box::new(Json::new(to, json(Shape::Flat, false))),
            Form::Fields => Box::new(Columns::new(to, columns(registry), ColumnOptions::default())),
            Form::Csv => Box::new(Columns::new(to, columns(registry), ColumnOptions::csv())),
        }
    }
}

fn columns(registry: Registry) -> Vec<Column> {
    let column = |name: &&str| {
        let of = match proto_dissect::render::pseudo_field(name) {
            Some(pseudo) => Values::Pseudo(pseudo),
            None => Values::Fields(registry.named(name)),
        };
        Column { name: (*name).into(), of }
    };
    COLUMNS.iter().map(column).collect()
}

/// What a form prints of the records that a filter passes, and the counts. With `early` the filter also decides before dissection.
pub fn print(
    frames: &[Owned],
    registry: Registry,
    view: View,
    form: Form,
    filter: Option<&str>,
    early: bool,
) -> (String, Counts) {
    let mut out = Vec::new();
    let mut sink = form.sink(registry, &mut out);
    let parse = |text: &str| Filter::parse(text, registry).expect("a filter that was checked");
    let mut demand = sink.demand(view);
    if let Some(filter) = filter {
        demand = demand.and(parse(filter).demand());
    }
    // Counts need every message, also where columns ask for headers alone.
    demand.depth = Depth::Streams;
    if filter.is_some() {
        demand.carriers = demand.carriers.max(Carriers::Layers);
    }
    let judge = filter.filter(|_| early).map(|filter| parse(filter).into_prefilter());
    let filter = filter.map(parse);
    let mut engine = Engine::new(registry, demand).with_prefilter(judge);
    let mut tally = Tally::new(view);
    sink.begin(&Begin { file: "fuzz", format: "pcap", links: &["raw"] }).expect("memory takes all");
    dissect(frames, &mut engine, |of, captured| {
        let shown = tally.records(of, captured, |record| {
            let is_visible = match &record {
                Record::Message(message) => of.tree.is_seen(message.layer),
                Record::Packet(_) => !of.tree.outcome.filtered_out,
                _ => true,
            };
            if is_visible && filter.as_ref().is_none_or(|filter| filter.matches(&record)) { sink.record(&record) } else { Ok(()) }
        });
        shown.expect("memory takes all");
    });
    sink.end(&tally, false).expect("memory takes all");
    sink.finish().expect("memory takes all");
    drop(sink);
    (String::from_utf8(out).expect("output is UTF-8"), Counts::from(&tally))
}

/// One input of so many is rendered in all forms.
const ALL_FORMS: u64 = 32;

/// The views that an input with this mark is rendered in: one, or both where all forms are rendered.
pub fn views(mark: u64) -> Vec<View> {
    match mark {
        mark if mark.is_multiple_of(ALL_FORMS) => vec![View::Messages, View::Packets],
        mark if (mark / 5).is_multiple_of(2) => vec![View::Messages],
        _ => vec![View::Packets],
    }
}

/// The forms that an input with this mark is rendered in: one, or all.
pub fn of(view: View, mark: u64) -> Vec<Form> {
    if mark.is_multiple_of(ALL_FORMS) {
        return ALL.to_vec();
    }
    let turn = mark / ALL_FORMS + u64::from(view == View::Packets) * 3;
    vec![ALL[usize::try_from(turn % ALL.len() as u64).unwrap()]]
}

/// Checks one view in the forms of this input. `counts` are those of complete trees.
pub fn check(frames: &[Owned], registry: Registry, view: View, mark: u64, counts: &Counts) {
    for form in of(view, mark) {
        let (text, counted) = print(frames, registry, view, form, None, false);
        check_text(form, &text);
        assert_eq!(counts, &counted, "{form:?} in {view:?} counts differently");
        // Every run begins anew, so that either view would show state that is kept between runs.
        if (mark / 7).is_multiple_of(8) {
            assert_eq!(text, print(frames, registry, view, form, None, false).0, "two runs differ");
        }
    }
}

/// A form is valid and escapes whatever a terminal would act on.
pub fn check_text(form: Form, text: &str) {
    match form {
        Form::Lines => text.lines().for_each(|line| json::check_record(&json::parse(line))),
        Form::Flat => text.lines().for_each(|line| drop(json::parse(line))),
        Form::Array => json::parse(text).elements().iter().for_each(json::check_record),
        Form::Table | Form::Full | Form::List | Form::Fields | Form::Csv => {}
    }
    let coloured = form == Form::Full;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let colour = coloured && character == '\u{1b}' && characters.peek() == Some(&'[');
        let layout = character == '\n' || (character == '\t' && form == Form::Fields);
        assert!(colour || layout || !acts(character), "{character:?} reaches the terminal in {form:?}:\n{text}");
    }
}

/// Control, direction and invisible tag characters.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// A filter that decides before dissection prints what the same filter prints afterwards, in every view.
pub fn check_filter(frames: &[Owned], registry: Registry, filter: &str) {
    for view in [View::Messages, View::Packets] {
        for form in [Form::List, Form::Lines, Form::Fields] {
            let (late, counted) = print(frames, registry, view, form, Some(filter), false);
            let (early, counts) = print(frames, registry, view, form, Some(filter), true);
            assert_eq!(late, early, "{filter:?} prints something else when it decides early, as {form:?} of {view:?}");
            assert_eq!(counted, counts, "{filter:?} counts differently when it decides early, as {form:?} of {view:?}");
        }
    }
}
