//! Aligned messages of one kind, with the behaviour of each byte position.

use super::super::messages::Message;
use super::super::rule::{Endian, Number};

/// Maximum number of messages used.
const ROWS: usize = 600;

/// Maximum number of columns.
pub const WIDEST: usize = 256;

/// Aligned messages.
pub struct Table<'m> {
    /// Messages in the order of their conversations.
    pub rows: Vec<&'m Message<'m>>,
    /// Number of columns in all messages, up to a limit.
    pub width: usize,
    /// Behaviour of each column.
    pub places: Vec<ByteStatistics>,
}

/// Behaviour of a byte position over all messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByteStatistics {
    /// Number of distinct values.
    pub distinct: usize,
    /// Entropy in bits.
    pub entropy: f64,
    /// Share of zeros.
    pub zeros: f64,
    /// Value of the first message.
    pub first: u8,
    /// Maximum value.
    pub most: u8,
}

impl ByteStatistics {
    /// Whether it never changes.
    #[must_use]
    pub fn is_const(&self) -> bool {
        self.distinct <= 1
    }

    /// Whether it is always zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.distinct <= 1 && self.first == 0
    }
}

impl<'m> Table<'m> {
    /// Creates a table of these messages, aligned at their start.
    #[must_use]
    pub fn new(rows: Vec<&'m Message<'m>>) -> Table<'m> {
        let width = rows.iter().map(|row| row.bytes.len()).min().unwrap_or(0).min(WIDEST);
        Table::with(rows, width)
    }

    fn with(rows: Vec<&'m Message<'m>>, width: usize) -> Table<'m> {
        // Counters need neighbours, so whole stretches are omitted instead of every other message.
        let stretches = rows.len().div_ceil(ROWS).max(1);
        let rows: Vec<&Message<'_>> = if stretches == 1 {
            rows
        } else {
            rows.chunks(40)
                .enumerate()
                .filter(|(number, _)| number % stretches == 0)
                .flat_map(|(_, some)| some.iter().copied())
                .collect()
        };
        let mut table = Table { rows, width, places: Vec::new() };
        table.places = (0..width).map(|place| table.place(place)).collect();
        table
    }

    /// The bytes of all rows.
    pub fn all(&self) -> impl Iterator<Item = &'m [u8]> + '_ {
        self.rows.iter().map(|row| row.bytes)
    }

    /// A number in all rows.
    #[must_use]
    pub fn numbers(&self, offset: usize, width: usize, endian: Endian) -> Vec<u64> {
        let number = Number { offset, width, endian };
        self.all().map(|bytes| number.read(bytes).unwrap_or(0)).collect()
    }

    fn place(&self, place: usize) -> ByteStatistics {
        let mut counts = [0_u32; 256];
        let mut found = ByteStatistics::default();
        for (number, bytes) in self.all().enumerate() {
            let byte = bytes.get(place).copied().unwrap_or(0);
            if number == 0 {
                found.first = byte;
            }
            found.most = found.most.max(byte);
            if let Some(count) = counts.get_mut(usize::from(byte)) {
                *count += 1;
            }
        }
        let n = self.rows.len().max(1) as f64;
        let some = counts.iter().filter(|count| **count > 0);
        found.distinct = some.clone().count();
        found.entropy = some.map(|count| f64::from(*count) / n).map(|share| -share * share.log2()).sum();
        found.zeros = f64::from(counts[0]) / n;
        found
    }

    /// The behaviour of a position; beyond the last column, that of an empty one.
    #[must_use]
    pub fn at(&self, place: usize) -> ByteStatistics {
        self.places.get(place).copied().unwrap_or_default()
    }
}

/// Pairs of consecutive values.
pub fn pairs<T: Copy>(values: &[T]) -> impl Iterator<Item = (T, T)> + Clone + '_ {
    values.iter().copied().zip(values.iter().copied().skip(1))
}

/// The number of distinct values.
#[must_use]
pub fn distinct<T: Ord + Clone>(values: &[T]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
