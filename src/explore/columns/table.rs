//! Messages of one kind below each other: what each byte position does.

use super::super::messages::Message;
use super::super::rule::{Endian, Number};

/// Messages that are enough to judge columns.
const ROWS: usize = 600;

/// Columns that are judged.
pub const WIDEST: usize = 256;

/// Messages below each other.
pub struct Table<'m> {
    /// Messages in the order of their conversation.
    pub rows: Vec<&'m Message<'m>>,
    /// Columns that all messages have, up to a limit.
    pub width: usize,
    /// What each column does.
    pub places: Vec<Place>,
}

/// What a byte position does over all messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// Different values.
    pub distinct: usize,
    /// Bits.
    pub entropy: f64,
    /// Share of zeros.
    pub zeros: f64,
    /// Value of the first message.
    pub first: u8,
    /// Highest value.
    pub most: u8,
}

impl Place {
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
    /// The table of these messages, from their starts.
    #[must_use]
    pub fn new(rows: Vec<&'m Message<'m>>) -> Table<'m> {
        let width = rows.iter().map(|row| row.bytes.len()).min().unwrap_or(0).min(WIDEST);
        Table::with(rows, width)
    }

    fn with(rows: Vec<&'m Message<'m>>, width: usize) -> Table<'m> {
        // Neighbours matter to counters, so whole stretches are left out rather than every other message.
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

    fn place(&self, place: usize) -> Place {
        let mut counts = [0_u32; 256];
        let mut found = Place::default();
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

    /// What a position does; an empty one does nothing.
    #[must_use]
    pub fn at(&self, place: usize) -> Place {
        self.places.get(place).copied().unwrap_or_default()
    }
}

/// Each value with the next one.
pub fn pairs<T: Copy>(values: &[T]) -> impl Iterator<Item = (T, T)> + Clone + '_ {
    values.iter().copied().zip(values.iter().copied().skip(1))
}

/// How many different values there are.
#[must_use]
pub fn distinct<T: Ord + Clone>(values: &[T]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
