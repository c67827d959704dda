//! Numbers with thousands separators, and sizes in binary units.

use std::fmt;

/// Formats a number with thousands separators.
#[derive(Debug, Clone, Copy)]
pub struct Thousands<T>(pub T);

impl<T: itoa::Integer + Copy> fmt::Display for Thousands<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(self.0);
        if digits.len() <= 3 {
            return f.pad(digits);
        }
        let (first, mut groups) = digits.split_at(first_group(digits));
        let mut text = String::with_capacity(digits.len() + digits.len() / 3);
        text.push_str(first);
        while let Some((group, next)) = groups.split_at_checked(3) {
            text.push(',');
            text.push_str(group);
            groups = next;
        }
        f.pad(&text)
    }
}

/// Length of the sign and the digits before the first separator.
fn first_group(digits: &str) -> usize {
    let sign = usize::from(digits.starts_with('-'));
    sign + (digits.len() - sign - 1) % 3 + 1
}

/// Formats a size with one decimal: `435.4 KiB`.
#[derive(Debug, Clone, Copy)]
pub struct Size(pub f64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
        // Above this, rounding gives the next unit.
        const NEXT: f64 = 1023.95;
        if self.0 < 1024.0 {
            return write!(f, "{:.0} bytes", self.0.floor());
        }
        let mut size = self.0 / 1024.0;
        let mut units = UNITS.iter();
        let mut unit = units.next();
        while size >= NEXT
            && let Some(next) = units.next()
        {
            size /= 1024.0;
            unit = Some(next);
        }
        write!(f, "{size:.1} {}", unit.copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_groups_of_three() {
        let shown = [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, u64::MAX].map(|number| Thousands(number).to_string());
        assert_eq!(
            shown,
            ["0", "7", "999", "1,000", "12,345", "999,999", "1,000,000", "18,446,744,073,709,551,615"].map(str::to_owned)
        );
        assert_eq!(
            [-7, -100, -1000, i64::MIN].map(|n| Thousands(n).to_string()),
            ["-7", "-100", "-1,000", "-9,223,372,036,854,775,808"]
        );
        assert_eq!(format!("{:>7}|", Thousands(1000)), "  1,000|");
    }

    #[test]
    fn sizes_have_the_unit_that_leaves_few_digits() {
        let shown = [0.0, 1023.0, 1024.0, 445_830.0, 1_048_575.0, 1_048_576.0, 5e9].map(|bytes| Size(bytes).to_string());
        assert_eq!(shown, ["0 bytes", "1023 bytes", "1.0 KiB", "435.4 KiB", "1.0 MiB", "1.0 MiB", "4.7 GiB"].map(str::to_owned));
    }
}
