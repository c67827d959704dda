//! Rulers: lines that number the columns of a dump.

use super::scan::words;

/// Minimum number of columns of a ruler.
pub(super) const RULER: usize = 8;

/// Whether a line numbers the columns of a dump, as in Frida, HxD or ImHex: `Offset(h) 00 01 02`, or `0  1  2  3  4`.
pub(super) fn is_ruler(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    // Those of hexl-mode in Emacs, and of radare2.
    if text.starts_with(b"87654321  0011 2233 4455 6677") || text.starts_with(b"- offset - ") {
        return true;
    }
    let starts = words(line, 0).position(|word| matches!(word.text, b"0" | b"00")).filter(|at| *at <= 2);
    let Some(start) = starts else { return false };
    let named = words(line, 0).take(start).any(|word| word.text.iter().any(|byte| !byte.is_ascii_hexdigit()));
    let mut wide = true;
    let count = words(line, 0).skip(start).enumerate().take_while(|(at, word)| {
        let (short, long) = (format!("{at:x}"), format!("{at:02x}"));
        wide &= word.text.len() == 2;
        word.text.eq_ignore_ascii_case(short.as_bytes()) || word.text.eq_ignore_ascii_case(long.as_bytes())
    });
    count.count() >= RULER && (named || !wide)
}
