//! Statistics as one JSON object.

use super::hierarchy::commonest;
use super::requested::{Declared, Requested};
use super::{Conversations, Count, Covered, Expert, ExpertCount, Intervals, Part, Severity, Stats};
use crate::record::Evictions;
use crate::render::{Members, Rfc3339, object};
use crate::wire::statistics::{Fact, Facts, Report, Takes};
use std::io::{self, Write};

/// Schema version.
const SCHEMA: u32 = 1;

/// Maximum number of time intervals in the output.
const INTERVALS: usize = 512;

/// Maximum number of unknown values in the output.
const VALUES: usize = 10;

/// Prints the requested parts as one JSON object in a line.
pub fn print_json(stats: &Stats, to: &mut dyn Write) -> io::Result<()> {
    object(to, |all| {
        all.put("type", "stats")?;
        all.put("schema", &SCHEMA)?;
        all.put("file", &stats.input.file)?;
        all.put("format", &stats.input.format)?;
        all.put("links", &stats.input.links)?;
        if let Some((filter, all_frames)) = &stats.filter {
            all.put("filter", filter)?;
            all.put("frames_in_file", all_frames)?;
        }
        if !stats.input.extras.is_empty() {
            let extras = &stats.input.extras;
            all.object("extras", |of| extras.iter().try_for_each(|(what, count)| of.put(what, count)))?;
        }
        for (is_meant, write) in MEMBERS {
            if stats.parts.iter().any(is_meant) {
                write(stats, all)?;
            }
        }
        requested(stats, all)
    })?;
    to.write_all(b"\n")?;
    to.flush()
}

/// Writes a member of the object.
type Writer = fn(&Stats, &mut Members<'_, '_>) -> io::Result<()>;

/// Whether a part requires a member of the object, and what writes it.
type Member = (fn(&Part) -> bool, Writer);

/// Members in their order.
const MEMBERS: [Member; 9] = [
    (|part| *part == Part::Overview, |stats, all| all.object("overview", |of| overview(stats, of))),
    (|part| *part == Part::Time, |stats, all| all.object("time", |of| time(stats, of))),
    (|part| matches!(part, Part::Hierarchy | Part::Phs), hierarchy),
    (
        |part| matches!(part, Part::Conversations(_)),
        |stats, all| {
            let mut wanted = stats.kinds().filter(|table| stats.parts.contains(&Part::Conversations(table.layer)));
            all.object("conversations", |of| wanted.try_for_each(|table| conversations(table, of)))
        },
    ),
    (
        |part| matches!(part, Part::Endpoints(_)),
        |stats, all| {
            let mut wanted = stats.kinds().filter(|table| stats.parts.contains(&Part::Endpoints(table.layer)));
            all.object("endpoints", |of| wanted.try_for_each(|table| endpoints(table, of)))
        },
    ),
    (
        |part| matches!(part, Part::Conversations(_) | Part::Endpoints(_)),
        |stats, all| {
            let mut left_out = stats.kinds().filter(|table| table.left_out.frames > 0).peekable();
            if left_out.peek().is_none() {
                return Ok(());
            }
            all.object("conversations_not_remembered", |of| {
                left_out.try_for_each(|table| of.object(table.layer.layer(), |of| counted(of, table.left_out)))
            })
        },
    ),
    (|part| *part == Part::Transfers, transfers),
    (|part| *part == Part::Health, |stats, all| all.object("health", |of| health(stats, of))),
    (|part| *part == Part::Coverage, |stats, all| all.object("coverage", |of| coverage(stats, of))),
];

/// Parts shown on request: first those that take a filter, then expert information, then others, and last the intervals.
fn requested(stats: &Stats, all: &mut Members<'_, '_>) -> io::Result<()> {
    let declared = |takes: Takes| {
        stats.requested.iter().filter_map(move |(_, requested)| match requested {
            Requested::Declared(declared) if declared.statistic.takes == takes => Some(declared),
            _ => None,
        })
    };
    for declared in declared(Takes::Filter) {
        reported(declared, all)?;
    }
    for (_, requested) in &stats.requested {
        if let Requested::Expert(expert) = requested {
            all.object("expert", |of| expert_items(expert, of))?;
        }
    }
    for declared in declared(Takes::Families).chain(declared(Takes::Nothing)) {
        reported(declared, all)?;
    }
    let columns = stats.requested.iter().filter_map(|(_, requested)| match requested {
        Requested::Intervals(counts) => Some(counts),
        _ => None,
    });
    if stats.parts.iter().any(|part| matches!(part, Part::Intervals(_))) {
        all.list("intervals", columns, |of, counts| intervals(counts, of))?;
    }
    Ok(())
}

fn reported(declared: &Declared, all: &mut Members<'_, '_>) -> io::Result<()> {
    let report = declared.counter.report();
    let facts = match &report {
        Report::Tree(_, topics) | Report::Topics(topics) => topics.facts(),
        Report::Columns(columns) => columns.facts(),
        Report::Text(text) => text.facts(),
    };
    all.object(declared.statistic.key, |of| written(facts, of))
}

fn written(facts: Facts<'_>, of: &mut Members<'_, '_>) -> io::Result<()> {
    facts.into_iter().try_for_each(|(key, fact)| match fact {
        Fact::Count(count) => of.put(key, &count),
        Fact::Signed(number) => of.put(key, &number),
        Fact::Number(number) => of.put(key, &number),
        Fact::Text(text) => of.put(key, text.as_ref()),
        Fact::Texts(texts) => of.put(key, texts),
        Fact::Object(facts) => of.object(key, |of| written(facts, of)),
        Fact::List(items) => of.list(key, items, |of, facts| written(facts, of)),
    })
}

fn in_seconds(nanos: i128) -> f64 {
    nanos as f64 / 1e9
}

fn overview(stats: &Stats, of: &mut Members<'_, '_>) -> io::Result<()> {
    let (traffic, tally) = (&stats.traffic, &stats.tally);
    of.put("frames", &traffic.all.frames)?;
    of.put("bytes", &traffic.all.bytes)?;
    of.put("captured", &traffic.captured)?;
    of.put("cut_frames", &traffic.cut)?;
    if let Some((least, most)) = traffic.sizes {
        of.put("shortest", &least)?;
        of.put("longest", &most)?;
        of.put("mean", &(traffic.all.bytes as f64 / traffic.all.frames.max(1) as f64))?;
    }
    of.put("messages", &tally.messages)?;
    for (key, moment) in [("first", traffic.first), ("last", traffic.last)] {
        if let Some(moment) = moment.and_then(Rfc3339::of) {
            of.words(key, moment)?;
        }
    }
    if let Some(duration) = traffic.duration() {
        let seconds = in_seconds(duration);
        of.put("duration", &seconds)?;
        if seconds > 0.0 {
            of.put("frames_per_second", &(traffic.all.frames as f64 / seconds))?;
            of.put("bytes_per_second", &(traffic.all.bytes as f64 / seconds))?;
        }
    }
    of.put("truncated", &stats.input.damage.is_some())?;
    match &stats.input.damage {
        Some(damage) => of.put("damage", damage),
        None => Ok(()),
    }
}

fn time(stats: &Stats, of: &mut Members<'_, '_>) -> io::Result<()> {
    let (counts, interval) = stats.traffic.in_intervals(INTERVALS);
    of.put("interval", &in_seconds(interval))?;
    of.put("frames", &counts.iter().map(|count| count.frames).collect::<Vec<_>>())?;
    of.put("bytes", &counts.iter().map(|count| count.bytes).collect::<Vec<_>>())
}

fn hierarchy(stats: &Stats, all: &mut Members<'_, '_>) -> io::Result<()> {
    all.list("hierarchy", stats.hierarchy.in_order(), |of, (path, place)| {
        of.put("path", &path)?;
        of.put("protocol", place.protocol.abbrev)?;
        counted(of, place.count)?;
        of.put("messages", &place.messages.frames)?;
        of.put("message_bytes", &place.messages.bytes)?;
        if place.names.is_empty() {
            return Ok(());
        }
        of.list("names", commonest(&place.names), |of, (name, count)| {
            of.put("name", name)?;
            of.put("messages", &count.frames)?;
            of.put("message_bytes", &count.bytes)
        })
    })
}

fn counted(of: &mut Members<'_, '_>, count: Count) -> io::Result<()> {
    of.put("frames", &count.frames)?;
    of.put("bytes", &count.bytes)
}

fn conversations(table: &Conversations, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.list(table.layer.layer(), table.largest(usize::MAX), |of, row| {
        let ([a, b], [sent, answered]) = (row.ends, row.sent);
        if let Some(number) = row.stream {
            of.words("stream", format_args!("{}/{number}", table.layer.layer()))?;
        }
        for (key, end) in [("a", a), ("b", b)] {
            if end.has_address() {
                of.words(key, end)?;
            }
        }
        counted(of, row.all())?;
        of.object("a_to_b", |of| counted(of, sent))?;
        of.object("b_to_a", |of| counted(of, answered))?;
        let Some((first, last)) = row.times() else { return Ok(()) };
        of.put("start", &in_seconds(first.into()))?;
        of.put("duration", &in_seconds(i128::from(last) - i128::from(first)))
    })
}

fn endpoints(table: &Conversations, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.list(table.layer.layer(), table.endpoints().largest(usize::MAX), |of, (end, shares)| {
        let (sent, got) = (shares.sent, shares.got);
        of.words("address", end)?;
        counted(of, Count { frames: sent.frames + got.frames, bytes: sent.bytes + got.bytes })?;
        of.object("sent", |of| counted(of, sent))?;
        of.object("received", |of| counted(of, got))
    })
}

fn transfers(stats: &Stats, all: &mut Members<'_, '_>) -> io::Result<()> {
    all.list("transfers", stats.transfers.kinds(), |of, came| {
        of.put("protocol", came.protocol.abbrev)?;
        of.put("what", came.what)?;
        of.put("count", &came.count)?;
        of.put("bytes", &came.bytes)?;
        if let Some(busy) = came.busy() {
            of.put("busy", &in_seconds(busy))?;
        }
        if let Some(rate) = came.rate() {
            of.put("bytes_per_second", &rate)?;
        }
        let Some((slowest, frame)) = came.slowest else { return Ok(()) };
        of.put("slowest", &in_seconds(slowest))?;
        of.put("slowest_frame", &frame)
    })
}

fn health(stats: &Stats, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.put("gaps", &stats.health.gaps)?;
    of.put("missing_bytes", &stats.health.lost)?;
    of.put("malformed", &stats.tally.malformed)?;
    of.put("cut_frames", &stats.traffic.cut)?;
    let Evictions { conversations, states } = stats.tally.evictions;
    for (key, count) in [("forgotten_conversations", conversations), ("forgotten_states", states)] {
        if count > 0 {
            of.put(key, &count)?;
        }
    }
    of.list("notes", stats.health.notes(), |of, note| {
        of.put("code", note.code.abbrev)?;
        of.put("level", note.level.word())?;
        of.put("text", note.code.about)?;
        of.put("count", &note.count)?;
        of.put("first_frame", &note.first)
    })
}

fn coverage(stats: &Stats, of: &mut Members<'_, '_>) -> io::Result<()> {
    let coverage = &stats.coverage;
    covered(of, coverage.all())?;
    of.list("protocols", coverage.protocols(), |of, protocols| {
        of.put("protocol", protocols.protocol.abbrev)?;
        covered(of, protocols.all)?;
        let names = protocols.by_name();
        if names.is_empty() {
            return Ok(());
        }
        of.list("names", names, |of, (name, by_name)| {
            of.put("name", name)?;
            covered(of, by_name)
        })
    })?;
    of.list("unknown_values", coverage.unknown(VALUES), |of, unknown| {
        of.put("field", unknown.field)?;
        of.put("value", &unknown.value)?;
        of.put("count", &unknown.count)?;
        of.put("first_frame", &unknown.first)
    })?;
    if coverage.left_out > 0 {
        of.put("unknown_values_not_told_apart", &coverage.left_out)?;
    }
    Ok(())
}

fn left_out(of: &mut Members<'_, '_>, count: u64) -> io::Result<()> {
    if count == 0 { Ok(()) } else { of.put("left_out", &count) }
}

fn expert_items(expert: &Expert, of: &mut Members<'_, '_>) -> io::Result<()> {
    let all: Vec<&ExpertCount> = Severity::ALL.into_iter().flat_map(|severity| expert.of(severity)).collect();
    of.list("remarks", all, |of, alike| {
        of.put("severity", alike.severity.name())?;
        of.put("group", alike.group)?;
        of.put("protocol", alike.protocol)?;
        of.put("summary", &alike.summary)?;
        of.put("count", &alike.count)?;
        of.put("first_frame", &alike.first)
    })?;
    left_out(of, expert.left_out)
}

fn intervals(intervals: &Intervals, of: &mut Members<'_, '_>) -> io::Result<()> {
    of.put("interval", &(intervals.interval as f64 / 1e6))?;
    of.put("columns", &intervals.columns.iter().map(|column| column.label.clone()).collect::<Vec<_>>())?;
    of.list("rows", intervals.rows(), |of, (start, cells)| {
        of.put("start", &(start as f64 / 1e6))?;
        of.list("columns", intervals.columns.iter().zip(cells), |of, (column, cell)| {
            counted(of, cell.traffic)?;
            match column.function.as_ref().and_then(|(function, _)| cell.result(*function)) {
                Some(result) => of.put("result", &result),
                None => Ok(()),
            }
        })
    })?;
    match intervals.left_out {
        0 => Ok(()),
        frames => of.put("frames_left_out", &frames),
    }
}

fn covered(of: &mut Members<'_, '_>, covered: Covered) -> io::Result<()> {
    of.put("messages", &covered.messages)?;
    of.put("explained", &covered.explained)?;
    of.put("encrypted", &covered.encrypted)?;
    of.put("bodies", &covered.bodies)?;
    of.put("unexplained", &covered.unexplained)?;
    of.put("unframed", &covered.unframed)
}
