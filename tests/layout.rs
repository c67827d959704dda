//! Layout of text output: its width at every terminal, and the contrast of its colours.

use crate::common::own_cases;
use proto_dissect::engine::Engine;
use proto_dissect::follow::{Dump, Follower, Form, Streams};
use proto_dissect::glossary::{self, GlossaryLook};
use proto_dissect::input::Capture;
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::render::{List, ListOptions, Role, Table, TableOptions, Theme, TimeForm};
use proto_dissect::sink::{Begin, Sink};
use proto_dissect::stats::{Part, Stats, TableLook, print_tables};
use proto_dissect::tree::{Demand, Dissection, Extras, Side};
use regex::Regex;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;
use unicode_width::UnicodeWidthStr;

/// Terminal widths: all, or the narrow ones.
fn terminals() -> &'static [usize] {
    if crate::common::is_thorough() { &[60, 80, 100, 120, 200] } else { &[60, 80] }
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let is_input = |path: &PathBuf| path.is_file() && !["make", "README.md"].iter().any(|name| path.ends_with(name));
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_input).collect();
    all.retain(|path| Capture::open(Box::new(File::open(path).unwrap())).is_ok());
    all.sort();
    assert!(all.len() > 20, "{all:?}");
    all
}

/// The name only: the location of the project must not affect the lines.
fn name_of(sample: &Path) -> &str {
    sample.file_name().unwrap().to_str().unwrap()
}

/// Shows every frame of a sample, and pending data at its end.
fn dissect(sample: &Path, demand: Demand, mut show: impl FnMut(Dissection<'_>, bool)) {
    let mut capture = Capture::open(Box::new(File::open(sample).unwrap())).unwrap();
    let mut engine = Engine::new(Registry::default(), demand);
    while let Some(frame) = capture.next_frame().unwrap_or(None) {
        show(Dissection { tree: engine.dissect(&frame), bytes: frame.bytes }, true);
    }
    while let Some(tree) = engine.finish() {
        show(Dissection { tree, bytes: &[] }, false);
    }
}

/// Records of a sample that are shown, and those with the same layers and of the same kind.
const RECORDS: usize = 30;
const ALIKE: usize = 2;

/// Whether a record is shown, by those that were.
fn is_shown(record: &Record<'_>, shown: &mut HashMap<String, usize>) -> bool {
    let kind = match record {
        Record::Message(message) => format!("{} {}", message.path(), message.name()),
        Record::Packet(packet) => packet.path().map(|path| path.to_string()).unwrap_or_default(),
        Record::Late(_) => "late".to_owned(),
        Record::Gap(_) => "gap".to_owned(),
    };
    let is_shown = shown.values().sum::<usize>() < RECORDS && shown.get(&kind).is_none_or(|count| *count < ALIKE);
    *shown.entry(kind).or_default() += usize::from(is_shown);
    is_shown
}

/// Width of the terminal, if there is one.
type Width = Option<usize>;

/// Output of sinks for a sample, one per width.
fn printed(sample: &Path, view: View, widths: &[Width], open: impl Fn(Width, Shared) -> Box<dyn Sink>) -> Vec<String> {
    let outputs: Vec<Shared> = widths.iter().map(|_| Shared::default()).collect();
    let mut sinks: Vec<Box<dyn Sink>> = widths.iter().zip(&outputs).map(|(width, out)| open(*width, out.clone())).collect();
    let mut tally = Tally::new(view);
    let mut shown = HashMap::new();
    let name = name_of(sample);
    sinks.iter_mut().for_each(|sink| sink.begin(&Begin { file: name, format: "pcap", links: &["ethernet"] }).unwrap());
    dissect(sample, sinks[0].demand(view), |of, captured| {
        let show = |record: Record<'_>| {
            if is_shown(&record, &mut shown) { sinks.iter_mut().try_for_each(|sink| sink.record(&record)) } else { Ok(()) }
        };
        tally.records(of, captured, show).unwrap();
    });
    sinks.iter_mut().for_each(|sink| sink.finish().unwrap());
    drop(sinks);
    outputs.into_iter().map(|out| String::from_utf8(out.0.take()).unwrap()).collect()
}

/// A shared output of sinks.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Output at each width.
fn written(widths: &[Width], mut write: impl FnMut(Width, &mut Vec<u8>)) -> Vec<String> {
    let text = |width: &Width| {
        let mut out = Vec::new();
        write(*width, &mut out);
        String::from_utf8(out).unwrap()
    };
    widths.iter().map(text).collect()
}

fn table(sample: &Path, view: View, widths: &[Width], change: impl Fn(&mut TableOptions)) -> Vec<String> {
    printed(sample, view, widths, |width, out| {
        let mut options = TableOptions {
            verbose_fields: false,
            carriers: false,
            hex: false,
            details: Vec::new(),
            width,
            theme: Theme::plain(),
            time: TimeForm::default(),
            file_names: true,
        };
        change(&mut options);
        Box::new(Table::new(out, options))
    })
}

fn list(sample: &Path, view: View, widths: &[Width], whole: bool) -> Vec<String> {
    let (theme, time) = (Theme::plain(), TimeForm::default());
    printed(sample, view, widths, |width, out| {
        Box::new(List::new(
            out,
            ListOptions { theme, time, file_names: false, width, whole, flush: false, hex: false, secrets: false },
        ))
    })
}

fn stats(sample: &Path, widths: &[Width], all: bool) -> Vec<String> {
    let mut stats = Stats::new(Registry::default(), Part::known());
    stats.begin(&Begin { file: name_of(sample), format: "pcap", links: &["ethernet"] });
    dissect(sample, stats.demand(), |of, captured| stats.tree(of, captured));
    stats.end();
    let shown = written(widths, |width, out| print_tables(&stats, TableLook { theme: Theme::plain(), width, all }, out).unwrap());
    shown.iter().map(|text| without_hosts(text)).collect()
}

fn streams(sample: &Path, widths: &[Width]) -> Vec<String> {
    let mut streams = Streams::default();
    dissect(sample, Follower::new(None).demand(), |of, captured| streams.see(of, captured));
    written(widths, |width, out| streams.print(Theme::plain(), width, out).unwrap())
}

fn followed(sample: &Path, widths: &[Width]) -> Vec<String> {
    let outputs: Vec<Shared> = widths.iter().map(|_| Shared::default()).collect();
    let open = |(width, out): (&Width, &Shared)| Dump::new(out.clone(), Form::Hex, Theme::plain(), *width);
    let mut dumps: Vec<Dump<Shared>> = widths.iter().zip(&outputs).map(open).collect();
    let mut follower = Follower::new(None);
    let demand = follower.demand().with(Extras::SUMMARIES).with(Extras::NAMES);
    dissect(sample, demand, |of, captured| {
        follower.collect(of, captured, |event| dumps.iter_mut().try_for_each(|dump| dump.event(event))).unwrap();
    });
    dumps.iter_mut().for_each(|dump| dump.finish().unwrap());
    drop(dumps);
    outputs.into_iter().map(|out| String::from_utf8(out.0.take()).unwrap()).collect()
}

/// A name, and a function that prints a sample at some widths.
type Show = (&'static str, fn(&Path, &[Width]) -> Vec<String>);

/// Every view of a capture.
const VIEWS: [Show; 10] = [
    ("table", |sample, widths| table(sample, View::Messages, widths, |_| {})),
    ("-V", |sample, widths| table(sample, View::Messages, widths, |options| options.verbose_fields = true)),
    ("-v -x", |sample, widths| table(sample, View::Messages, widths, |options| (options.carriers, options.hex) = (true, true))),
    ("--packets -V -x", |sample, widths| {
        table(sample, View::Packets, widths, |options| (options.verbose_fields, options.hex) = (true, true))
    }),
    ("-l", |sample, widths| list(sample, View::Messages, widths, false)),
    ("-l --packets -V", |sample, widths| list(sample, View::Packets, widths, true)),
    ("stats", |sample, widths| stats(sample, widths, false)),
    ("stats -V", |sample, widths| stats(sample, widths, true)),
    ("follow", streams),
    ("follow -T hex", followed),
];

/// A hosts file is for other programs.
fn without_hosts(text: &str) -> String {
    let is_host = |line: &&str| !line.contains('\t') && !line.starts_with("# ");
    text.lines().filter(is_host).map(|line| format!("{line}\n")).collect()
}

/// Words of letters, without truncated ones and those longer than an eighth of the line.
fn words(text: &str, width: usize) -> impl Iterator<Item = &str> {
    let long = width / 8;
    text.split(|character: char| character != '…' && !character.is_alphanumeric() && character != '\\')
        .filter(|word| word.chars().all(|letter| letter.is_ascii_alphabetic()))
        .filter(move |word| (3..=long).contains(&word.len()) && !word.chars().all(|letter| letter.is_ascii_hexdigit()))
}

/// The text without lines of dumps: their text column ends with the line of bytes.
fn without_dumps(text: &str) -> String {
    static DUMP: LazyLock<Regex> = LazyLock::new(|| Regex::new("^ *[0-9a-f]{8}  ").unwrap());
    text.lines().filter(|line| !DUMP.is_match(line)).map(|line| format!("{line}\n")).collect()
}

/// Asserts that no line is wider than the terminal, and that no word is split.
fn assert_fits(what: &str, show: impl Fn(&[Width]) -> Vec<String>) {
    // First without a terminal, then with one wide enough for everything.
    let widths: Vec<Width> = [None, Some(5000)].into_iter().chain(terminals().iter().copied().map(Some)).collect();
    let shown = show(&widths);
    let (whole, shown) = shown.split_at(2);
    // Narrow output has conversations in place of addresses, and for both sides together.
    let known: HashSet<&str> =
        whole.iter().flat_map(|text| words(text, 5000)).chain(["tcp", "udp", "sctp", "usb", "both"]).collect();
    let runs: HashSet<&str> =
        whole.iter().flat_map(|text| text.split(|character: char| !character.is_ascii_alphanumeric())).collect();
    for (width, text) in terminals().iter().copied().zip(shown) {
        for line in text.lines() {
            assert!(line.width() <= width, "{what} at {width}: {} columns:\n{line}", line.width());
        }
        // A word longer than its column must be split.
        let is_of_long = |word: &str| runs.iter().any(|run| run.len() > width / 8 && run.contains(word));
        for word in words(&without_dumps(text), width) {
            assert!(
                known.contains(word) || runs.contains(word) || is_of_long(word),
                "{what} at {width}: {word:?} is part of a word\n{text}"
            );
        }
    }
}

#[test]
fn every_view_of_every_sample_fits_and_breaks_no_word() {
    std::thread::scope(|scope| {
        for (place, (name, view)) in VIEWS.iter().enumerate() {
            scope.spawn(move || {
                for sample in own_cases(samples(), place, 8) {
                    let what = format!("{name} {}", sample.file_name().unwrap().to_string_lossy());
                    assert_fits(&what, |widths| view(&sample, widths));
                }
            });
        }
    });
}

/// Output of the glossary.
fn listed(write: impl Fn(GlossaryLook, &mut Vec<u8>)) -> impl Fn(&[Width]) -> Vec<String> {
    move |widths| written(widths, |width, out| write(GlossaryLook { theme: Theme::plain(), width }, out))
}

#[test]
fn lists_of_fields_and_protocols_fit_and_break_no_word() {
    let registry = Registry::default();
    let entries = glossary::entries(registry);
    assert_fits("fields", listed(|look, out| glossary::fields_as_table(&entries, look, out).unwrap()));
    let one: Vec<_> = entries.iter().copied().filter(|entry| entry.name == "dns.qry.type").collect();
    assert_fits("fields dns.qry.type", listed(|look, out| glossary::fields_as_table(&one, look, out).unwrap()));
    assert_fits("protocols", listed(|look, out| glossary::protocols_as_table(registry, look, out).unwrap()));
    for protocol in own_cases(glossary::protocols(registry), 0, 6) {
        assert_fits(protocol.this.abbrev, listed(|look, out| glossary::one_protocol(protocol, look, out).unwrap()));
    }
}

#[test]
fn lists_leave_room_for_the_info_and_show_the_direction() {
    // Number, time, direction, protocol and length; then the info.
    let before = Regex::new(r"^ *\d+ +[\d.-]* +(\w+/\d+ +)?(?:[→←] )?.*? +\d+ ").unwrap();
    let is_record = |line: &&str| !line.trim_start().starts_with("--");
    for (number, sample) in samples().into_iter().enumerate() {
        for view in own_cases([View::Messages, View::Packets], number, 4) {
            let listed = list(&sample, view, &[Some(80)], false);
            for line in listed[0].lines().filter(is_record) {
                let found = before.find(line).unwrap_or_else(|| panic!("{}: {line}", sample.display()));
                assert!(80 - found.as_str().width() >= 35, "{}: {line}", sample.display());
            }
        }
    }
}

#[test]
fn lists_on_wide_terminals_show_addresses_as_wide_as_seen() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/http.pcap");
    let listed = list(&sample, View::Messages, &[Some(100), Some(99)], false);
    let first = |text: &str| text.lines().next().unwrap().to_owned();
    assert!(first(&listed[0]).contains(" 192.168.1.20:50100 → 203.0.113.80:80    HTTP "), "{}", listed[0]);
    assert!(first(&listed[1]).contains(" tcp/0 → HTTP "), "{}", listed[1]);
}

/// Red, green and blue.
type Rgb = [u8; 3];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [0xff, 0xff, 0xff];

/// The first sixteen colours of a terminal, from its sources.
struct Palette {
    name: &'static str,
    colours: [u32; 16],
}

/// `XTerm-col.ad` of xterm.
const XTERM: Palette = Palette {
    name: "xterm",
    colours: [
        0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5, 0x7f_7f7f, 0xff_0000, 0x00_ff00,
        0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
    ],
};

/// The default colours of PuTTY's configuration.
const PUTTY: Palette = Palette {
    name: "PuTTY",
    colours: [
        0x00_0000, 0xbb_0000, 0x00_bb00, 0xbb_bb00, 0x00_00bb, 0xbb_00bb, 0x00_bbbb, 0xbb_bbbb, 0x55_5555, 0xff_5555, 0x55_ff55,
        0xff_ff55, 0x55_55ff, 0xff_55ff, 0x55_ffff, 0xff_ffff,
    ],
};

/// `default_red`, `default_grn` and `default_blu` of the kernel's `vt.c`, in the order of ANSI.
const CONSOLE: Palette = Palette {
    name: "Linux console",
    colours: [
        0x00_0000, 0xaa_0000, 0x00_aa00, 0xaa_5500, 0x00_00aa, 0xaa_00aa, 0x00_aaaa, 0xaa_aaaa, 0x55_5555, 0xff_5555, 0x55_ff55,
        0xff_ff55, 0x55_55ff, 0xff_55ff, 0x55_ffff, 0xff_ffff,
    ],
};

impl Palette {
    fn colour(&self, number: u8) -> Rgb {
        let [_, red, green, blue] = self.colours[usize::from(number)].to_be_bytes();
        [red, green, blue]
    }
}

/// A colour of the cube or the greys, which all terminals share.
fn fixed(number: u8) -> Rgb {
    const STEPS: [u8; 6] = [0, 0x5f, 0x87, 0xaf, 0xd7, 0xff];
    match number {
        ..16 => panic!("{number} is a colour that people choose"),
        16..232 => [36, 6, 1].map(|place| STEPS[usize::from((number - 16) / place % 6)]),
        232.. => [8 + 10 * (number - 232); 3],
    }
}

/// The contrast ratio of WCAG 2.
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let luminance = |colour: Rgb| {
        let [red, green, blue] = colour.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The parameters of the first escape sequence; empty without one.
fn parameters(painted: &str) -> Vec<u8> {
    let codes = painted.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m')).map_or("", |(codes, _)| codes);
    codes.split(';').filter(|code| !code.is_empty()).map(|code| code.parse::<u8>().unwrap()).collect()
}

/// Foreground and background of painted text, if not the terminal's defaults.
fn colours(codes: &[u8], palette: &Palette) -> (Option<Rgb>, Option<Rgb>) {
    match codes {
        [] => (None, None),
        [38, 5, number, rest @ ..] => (Some(fixed(*number)), colours(rest, palette).1),
        [code, rest @ ..] => {
            let (text, ground) = colours(rest, palette);
            match code {
                0 | 1 => (text, ground),
                30..38 => (Some(palette.colour(code - 30)), ground),
                90..98 => (Some(palette.colour(code - 90 + 8)), ground),
                40..48 => (text, Some(palette.colour(code - 40))),
                _ => panic!("{code}: how it looks differs between terminals"),
            }
        }
    }
}

const ROLES: [Role; 22] = [
    Role::Number,
    Role::Time,
    Role::Stream,
    Role::Address,
    Role::Protocol,
    Role::Name,
    Role::Value,
    Role::Meaning,
    Role::Bytes,
    Role::Offset,
    Role::Field(0),
    Role::Field(1),
    Role::Field(2),
    Role::Field(3),
    Role::Field(4),
    Role::Side(Side::Client),
    Role::Side(Side::Server),
    Role::Info,
    Role::Odd,
    Role::Broken,
    Role::Gap,
    Role::Secondary,
];

#[test]
fn colours_have_contrast_on_black_and_on_white() {
    const LEAST: f64 = 4.5;
    for (theme, palettes) in [(Theme::coloured(), &[XTERM, PUTTY][..]), (Theme::console(), &[XTERM, PUTTY, CONSOLE])] {
        for role in ROLES {
            let painted = theme.paint(role, "x").to_string();
            for palette in palettes {
                let (text, own_ground) = colours(&parameters(&painted), palette);
                let Some(text) = text else { continue };
                for ground in [BLACK, WHITE] {
                    let ratio = contrast(text, own_ground.unwrap_or(ground));
                    assert!(ratio >= LEAST, "{role:?}, {}, {ground:x?}: {ratio:.2}", palette.name);
                }
            }
        }
    }
}

#[test]
fn no_classic_colour_has_that_contrast_on_both() {
    // Therefore the fixed colours, and a separate background for each colour of the Linux console.
    for palette in [XTERM, PUTTY, CONSOLE] {
        for number in 0..16 {
            let colour = palette.colour(number);
            assert!(contrast(colour, BLACK).min(contrast(colour, WHITE)) < 4.5, "{} {number}", palette.name);
        }
    }
}

#[test]
fn contrasts_are_those_of_the_standard() {
    // From the examples of WCAG 2: #767676 is the lightest grey with 4.5 : 1 on white.
    assert!((contrast(BLACK, WHITE) - 21.0).abs() < 1e-9);
    assert!(contrast([0x76; 3], WHITE) >= 4.5 && contrast([0x77; 3], WHITE) < 4.5);
}

#[test]
fn neighbouring_fields_have_different_colours() {
    for theme in [Theme::coloured(), Theme::console()] {
        let painted: HashSet<String> = (0..5).map(|number| theme.paint(Role::Field(number), "x").to_string()).collect();
        assert_eq!(painted.len(), 5);
    }
}
