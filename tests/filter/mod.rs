//! Filters on the samples: matching records compared with tshark, and reported mistakes.

mod early;
mod messages;
mod mistakes;
mod random;
mod tshark;
mod written;

use proto_dissect::engine::{Engine, Prefilter};
use proto_dissect::filter::Filter;
use proto_dissect::input::Capture;
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Demand, Depth, Dissection};
use std::fs::File;
use std::path::Path;

/// Filters on a sample, each with the numbers of matching records; `#` before a count.
type Rows = &'static [(&'static str, &'static [(&'static str, &'static str)])];

fn parsed(expression: &str) -> Filter {
    Filter::parse(expression, Registry::default()).unwrap_or_else(|mistake| panic!("{mistake}"))
}

/// Passes every record of a sample to `show`, dissected with `demand`.
fn each_record(sample: &str, view: View, demand: Demand, show: impl FnMut(&Record<'_>)) {
    each_record_judged(sample, view, demand, None, show);
}

/// The same, with a prefilter by layers. Returns the counts.
fn each_record_judged(
    sample: &str,
    view: View,
    demand: Demand,
    judge: Option<Prefilter>,
    mut show: impl FnMut(&Record<'_>),
) -> Tally {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
    let mut engine = Engine::new(Registry::default(), demand).with_prefilter(judge);
    let mut tally = Tally::new(view);
    let mut show = |record: Record<'_>| -> Result<(), ()> {
        show(&record);
        Ok(())
    };
    while let Some(frame) = capture.next_frame().unwrap() {
        let bytes = frame.bytes;
        tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, &mut show).unwrap();
    }
    while let Some(tree) = engine.finish() {
        tally.records(Dissection { tree, bytes: &[] }, false, &mut show).unwrap();
    }
    tally
}

/// The number of a record; 0 for a gap.
fn number(record: &Record<'_>) -> u64 {
    match record {
        Record::Message(message) => message.n,
        Record::Packet(packet) => packet.of.tree.frame.number,
        Record::Late(_) | Record::Gap(_) => 0,
    }
}

/// Numbers in the format of the tables: `1-3,5`, or their count if requested.
fn listed(numbers: &[u64], like: &str) -> String {
    if like.starts_with('#') {
        return format!("#{}", numbers.len());
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    runs.iter().map(run).collect::<Vec<_>>().join(",")
}

/// Checks a table. Each filter is evaluated on whole trees, on smaller ones, and on trees with only the fields that it needs.
fn check(view: View, rows: Rows) {
    let mut wrong = Vec::new();
    for (sample, rows) in rows {
        let filters: Vec<Filter> = rows.iter().map(|(expression, _)| parsed(expression)).collect();
        for demand in [Demand::EVERYTHING, Demand::HEADINGS, Demand::NAMES, Demand::LAYERS] {
            let enough = |filter: &Filter| filter.demand().and(demand) == demand;
            let mut passed = vec![Vec::new(); rows.len()];
            each_record(sample, view, demand, |record| {
                for (filter, passed) in filters.iter().zip(&mut passed) {
                    if filter.matches(record) {
                        passed.push(number(record));
                    }
                }
            });
            for (((expression, expected), passed), filter) in rows.iter().zip(&passed).zip(&filters) {
                let passed = listed(passed, expected);
                if enough(filter) && passed != *expected {
                    wrong.push(format!("{sample} {expression:?}: expected {expected:?}, passed {passed:?} ({demand:?})"));
                }
            }
        }
    }
    for (sample, rows) in rows {
        for (expression, expected) in *rows {
            let filter = parsed(expression);
            let mut passed = Vec::new();
            let demand = match view {
                View::Messages => Demand { depth: Depth::Streams, ..filter.demand() },
                View::Packets => filter.demand(),
            };
            each_record(sample, view, demand, |record| passed.extend(filter.matches(record).then(|| number(record))));
            let passed = listed(&passed, expected);
            if passed != *expected {
                wrong.push(format!("{sample} {expression:?}: expected {expected:?}, passed {passed:?} ({:?})", filter.demand()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
