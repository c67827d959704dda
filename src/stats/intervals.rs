//! Frames and bytes per interval, with a column per filter: tshark's `io,stat`.

use super::traffic::Count;
use crate::record::{Record, Tally, View};
use crate::tree::{Demand, Dissection, Field};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Maximum number of intervals.
const ROWS: usize = 100_000;

/// Nanoseconds per microsecond. tshark rounds times to microseconds.
const MICROSECOND: i128 = 1000;

/// Test whether a record matches a filter.
pub type Passes = Box<dyn Fn(&Record<'_>) -> bool + Send>;

/// Function over the values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Number of values.
    Count,
    /// Sum.
    Sum,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Average.
    Avg,
}

impl Function {
    pub const ALL: [Function; 5] = [Function::Count, Function::Sum, Function::Min, Function::Max, Function::Avg];

    /// Name in `-z`.
    pub const fn name(self) -> &'static str {
        match self {
            Function::Count => "COUNT",
            Function::Sum => "SUM",
            Function::Min => "MIN",
            Function::Max => "MAX",
            Function::Avg => "AVG",
        }
    }
}

/// Source of the values of a function.
pub enum Values {
    /// Fields.
    Fields(Vec<&'static Field>),
    /// A pseudo-field.
    Frame(fn(&Record<'_>) -> Option<u64>),
}

/// A column: the frames that match its filter, or a function over them.
pub struct Column {
    /// Filter or function as typed; empty for all frames.
    pub label: String,
    /// Filter, if any.
    pub passes: Option<Passes>,
    /// Function, if any.
    pub function: Option<(Function, Values)>,
    /// Demand of filter and function.
    pub demand: Demand,
}

/// Value of a column in an interval.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cell {
    /// Frames that match the filter, and their bytes.
    pub traffic: Count,
    values: u64,
    sum: u128,
    range: Option<(u64, u64)>,
}

impl Cell {
    /// Result of the function; `None` without values, except for a count.
    pub fn result(&self, function: Function) -> Option<u64> {
        let sum = u64::try_from(self.sum).unwrap_or(u64::MAX);
        match function {
            Function::Count => Some(self.values),
            Function::Sum => Some(sum),
            Function::Min => self.range.map(|(least, _)| least),
            Function::Max => self.range.map(|(_, greatest)| greatest),
            Function::Avg => self.sum.checked_div(self.values.into()).and_then(|mean| u64::try_from(mean).ok()),
        }
    }

    fn value(&mut self, value: u64) {
        self.values += 1;
        self.sum = self.sum.saturating_add(value.into());
        let (least, greatest) = self.range.get_or_insert((value, value));
        (*least, *greatest) = ((*least).min(value), (*greatest).max(value));
    }
}

/// Columns over intervals of equal length.
pub struct Intervals {
    /// Interval in microseconds; 0 for the whole capture.
    pub interval: u64,
    pub columns: Vec<Column>,
    /// Frames beyond the maximum number of intervals.
    pub left_out: u64,
    rows: BTreeMap<u64, Vec<Cell>>,
    tally: Tally,
}

impl Intervals {
    /// Creates empty intervals.
    pub fn new(interval: u64, columns: Vec<Column>) -> Intervals {
        Intervals { interval, columns, left_out: 0, rows: BTreeMap::new(), tally: Tally::new(View::Packets) }
    }

    /// Nonempty intervals, with their start in microseconds since the first frame.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (u64, &[Cell])> {
        self.rows.iter().map(|(place, cells)| (place.saturating_mul(self.interval), cells.as_slice()))
    }

    /// Demand of the columns.
    pub(super) fn demand(&self) -> Demand {
        self.columns.iter().map(|column| column.demand).fold(Demand::FRAMES, Demand::and)
    }

    /// Counts a frame. `after` is the time since the first frame in nanoseconds.
    pub(super) fn tree(&mut self, of: Dissection<'_>, captured: bool, since_start: Option<i64>) {
        let Intervals { interval, columns, left_out, rows, tally } = self;
        let micros = (i128::from(since_start.unwrap_or_default()) + MICROSECOND / 2) / MICROSECOND;
        // Frames before the first one belong to the first interval.
        let place = u64::try_from(micros).unwrap_or_default().checked_div(*interval).unwrap_or_default();
        let Ok(()) = tally.records(of, captured, |record| {
            if !matches!(record, Record::Packet(_)) {
                return Ok::<(), Infallible>(());
            }
            if rows.len() >= ROWS && !rows.contains_key(&place) {
                *left_out += 1;
                return Ok(());
            }
            let cells = rows.entry(place).or_insert_with(|| vec![Cell::default(); columns.len()]);
            for (column, cell) in columns.iter().zip(cells) {
                if column.passes.as_ref().is_none_or(|passes| passes(&record)) {
                    count(column, cell, &record, of);
                }
            }
            Ok(())
        });
    }
}

fn count(column: &Column, cell: &mut Cell, record: &Record<'_>, of: Dissection<'_>) {
    cell.traffic.add(of.tree.frame.original.into());
    match &column.function {
        None => {}
        Some((_, Values::Frame(value))) => value(record).into_iter().for_each(|value| cell.value(value)),
        Some((_, Values::Fields(fields))) => {
            for (place, node) in (0..).zip(&of.tree.nodes) {
                if fields.iter().any(|field| field.is(node.field)) {
                    // Only counts accept fields that are not numbers.
                    cell.value(of.node(place).and_then(|node| node.number()).unwrap_or_default());
                }
            }
        }
    }
}
