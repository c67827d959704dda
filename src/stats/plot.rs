//! Charts of block characters.

const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Block characters by eighths of a row.
const STEPS: u128 = 8;

/// Draws numbers as columns, in rows from the top. Nonzero numbers are visible.
pub fn plot(numbers: &[u64], rows: usize) -> Vec<String> {
    let most = u128::from(numbers.iter().copied().max().unwrap_or_default().max(1));
    let steps = STEPS * rows as u128;
    let height = |number: u64| (u128::from(number) * steps).div_ceil(most);
    let block = |number: u64, row: usize| {
        let above = height(number).saturating_sub(STEPS * row as u128).min(STEPS);
        usize::try_from(above).ok().and_then(|above| BLOCKS.get(above)).copied().unwrap_or(' ')
    };
    (0..rows).rev().map(|row| numbers.iter().map(|number| block(*number, row)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_column_is_full_and_the_lowest_can_be_seen() {
        assert_eq!(plot(&[0, 1, 50, 100], 2), ["   █", " ▁██"]);
        assert_eq!(plot(&[0, 0], 1), ["  "]);
        assert_eq!(plot(&[u64::MAX], 1), ["█"]);
        assert_eq!(plot(&[], 1), [""]);
    }
}
