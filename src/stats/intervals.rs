//! Frames and bytes in each interval of time, in columns that filters choose: tshark's `io,stat`.

use super::traffic::Count;
use crate::record::{Record, Tally, View};
use crate::tree::{Demand, Dissection, Field};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Intervals that are counted separately.
const ROWS: usize = 100_000;

/// Nanoseconds of a microsecond, to which tshark rounds before it divides into intervals.
const MICROSECOND: i128 = 1000;

/// Whether a record passes a filter.
pub type Passes = Box<dyn Fn(&Record<'_>) -> bool + Send>;

/// What is computed over the values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// How many values there are.
    Count,
    /// Their sum.
    Sum,
    /// The least of them.
    Min,
    /// The greatest of them.
    Max,
    /// Their mean.
    Avg,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 5] = [Function::Count, Function::Sum, Function::Min, Function::Max, Function::Avg];

    /// Its name in `-z`.
    #[must_use]
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

/// Where the values of a function come from.
pub enum Values {
    /// Fields of the frame.
    Fields(Vec<&'static Field>),
    /// The frame itself.
    Frame(fn(&Record<'_>) -> Option<u64>),
}

/// A column: the frames that pass its filter, or a function over them.
pub struct Column {
    /// The filter or function as the user wrote it; empty for all frames.
    pub label: String,
    /// The filter, if there is one.
    pub passes: Option<Passes>,
    /// The function, if there is one.
    pub function: Option<(Function, Values)>,
    /// What the filter and the function need of a frame.
    pub demand: Demand,
}

/// What a column has in an interval.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cell {
    /// Frames that pass the filter, and their bytes.
    pub traffic: Count,
    values: u64,
    sum: u128,
    range: Option<(u64, u64)>,
}

impl Cell {
    /// The result of a function; none without values, except of a count.
    #[must_use]
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

/// Columns over intervals of one length.
pub struct Intervals {
    /// Microseconds of an interval; 0 for one interval that is the whole capture.
    pub interval: u64,
    /// The columns.
    pub columns: Vec<Column>,
    /// Frames in further intervals when there are too many.
    pub left_out: u64,
    rows: BTreeMap<u64, Vec<Cell>>,
    tally: Tally,
}

impl Intervals {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(interval: u64, columns: Vec<Column>) -> Intervals {
        Intervals { interval, columns, left_out: 0, rows: BTreeMap::new(), tally: Tally::new(View::Packets) }
    }

    /// The intervals that have frames, each with the microseconds after the first frame at which it begins.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (u64, &[Cell])> {
        self.rows.iter().map(|(place, cells)| (place.saturating_mul(self.interval), cells.as_slice()))
    }

    /// What the columns need of a frame.
    pub(super) fn demand(&self) -> impl Iterator<Item = Demand> {
        self.columns.iter().map(|column| column.demand)
    }

    /// Count a frame that was captured so many nanoseconds after the first one.
    pub(super) fn tree(&mut self, of: Dissection<'_>, captured: bool, since_start: Option<i64>) {
        let Intervals { interval, columns, left_out, rows, tally } = self;
        let micros = (i128::from(since_start.unwrap_or_default()) + MICROSECOND / 2) / MICROSECOND;
        // A frame from before the first one belongs to the first interval.
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
                    // Only a count has fields that are no numbers.
                    cell.value(of.node(place).and_then(|node| node.number()).unwrap_or_default());
                }
            }
        }
    }
}
