//! Texts: with their length in front, padded with zeros, or constant.

use super::super::rule::{Endian, Number};
use super::claims::{Claim, Claims, Shape};
use super::table::{Table, distinct};
use super::{Context, Label};

/// Whether a byte is of text.
fn is_text(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte) || matches!(byte, b'\t' | b'\r' | b'\n') || byte >= 0x80
}

fn is_plain(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte)
}

/// Texts behind their lengths. The text takes what is left of the message's columns.
pub fn counted(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let n = table.rows.len();
    for offset in 0..table.width {
        for width in [4, 2, 1] {
            for endian in [context.endian, if context.endian == Endian::Big { Endian::Little } else { Endian::Big }] {
                if !claims.is_free(offset, width) || offset + width > table.width {
                    continue;
                }
                let at = Number { offset, width, endian };
                let Some((some, letters)) = texts(table, at) else { continue };
                let is_enough = letters >= 8 && some * 2 >= n || letters >= 24;
                if is_enough && n >= 2 && some >= 1 {
                    let lengths: Vec<u64> = table.numbers(offset, width, endian);
                    let why = format!("as many bytes of text follow in {n} messages");
                    let shape = Shape::Number(endian);
                    claims.take(Claim { offset, width, shape, label: Label::Length, confidence: 0.93, why });
                    let is_same = distinct(&lengths) == 1;
                    let size =
                        lengths.first().copied().filter(|_| is_same).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
                    let why = String::from("text of the length in front");
                    let (offset, shape, label) = (offset + width, Shape::Text, Label::Str);
                    claims.take(Claim { offset, width: size, shape, label, confidence: 0.93, why });
                    return;
                }
            }
        }
    }
}

/// Rows with text of the length that a number gives, and bytes of text; `None` if one has something else.
fn texts(table: &Table<'_>, at: Number) -> Option<(usize, usize)> {
    let (mut some, mut letters) = (0, 0);
    for bytes in table.all() {
        let length = usize::try_from(at.read(bytes)?).ok()?;
        let text = bytes.get(at.end()..at.end().checked_add(length)?)?;
        if !text.iter().all(|byte| is_text(*byte)) || text.iter().filter(|byte| !is_plain(**byte)).count() * 4 > length {
            return None;
        }
        // A text does not go on behind its end.
        some += usize::from(length > 0);
        letters += length;
    }
    Some((some, letters))
}

/// A text that goes on to the end of every message.
pub fn open(table: &Table<'_>, claims: &mut Claims) {
    let first = |row: &[u8]| row.iter().rposition(|byte| !is_text(*byte)).map_or(0, |last| last + 1);
    let Some(start) = table.all().map(first).max() else { return };
    let Some(start) = (start..table.width).find(|at| claims.is_free(*at, table.width - at)) else { return };
    let texts = || table.all().filter_map(|bytes| bytes.get(start..));
    let all: usize = texts().map(<[u8]>::len).sum();
    let letters = texts().flatten().filter(|byte| byte.is_ascii_alphanumeric() || **byte == b' ').count();
    let plain = texts().flatten().filter(|byte| is_plain(**byte)).count();
    let is_long = all >= 6 * table.rows.len() && all >= 12;
    if is_long && letters * 2 >= all && plain * 20 >= all * 19 {
        let why = String::from("text up to the end of the message");
        claims.take(Claim { offset: start, width: 0, shape: Shape::Text, label: Label::Str, confidence: 0.85, why });
    }
}

/// Texts of constant size, padded with zeros, and constant ones.
pub fn padded(table: &Table<'_>, claims: &mut Claims) {
    let mut start = 0;
    while start < table.width {
        if !claims.is_free(start, 1) {
            start += 1;
            continue;
        }
        let end = text_end(table, claims, start);
        if end < start + 4 {
            start += 1;
            continue;
        }
        let rows: Vec<&[u8]> = table.all().filter_map(|bytes| bytes.get(start..end)).collect();
        let text = |row: &&&[u8]| row.iter().take_while(|byte| **byte != 0).count();
        let least = rows.iter().map(|row| text(&row)).min().unwrap_or(0);
        let longest = rows.iter().map(|row| text(&row)).max().unwrap_or(0);
        let letters: usize = rows.iter().flat_map(|row| row.iter()).filter(|byte| byte.is_ascii_alphabetic()).count();
        let all: usize = rows.iter().map(|row| text(&row)).sum();
        let is_worded = letters * 10 >= all * 6 && letters >= 4;
        if longest >= 4 && is_worded && (least >= 3 || longest >= 6) {
            let why = if least < end - start { "text and zeros" } else { "text" };
            let (width, why) = (end - start, String::from(why));
            claims.take(Claim { offset: start, width, shape: Shape::Text, label: Label::Str, confidence: 0.85, why });
            start = end;
        } else {
            start += 1;
        }
    }
}

/// Where text that begins at `start` in all rows ends, with zeros that fill it up.
fn text_end(table: &Table<'_>, claims: &Claims, start: usize) -> usize {
    let mut ends = vec![false; table.rows.len()];
    let mut end = start;
    while end < table.width && claims.is_free(end, 1) {
        let all_fit = table.all().zip(&mut ends).all(|(bytes, is_over)| {
            let byte = bytes.get(end).copied().unwrap_or(0);
            if end > start && byte == 0 {
                *is_over = true;
            }
            if *is_over { byte == 0 } else { is_plain(byte) }
        });
        if !all_fit {
            break;
        }
        end += 1;
    }
    // Zeros behind all texts belong to the text if it gets a round size.
    let zeros = (start..end).rev().take_while(|place| table.at(*place).is_zero()).count();
    let used = end - zeros;
    if zeros == 0 {
        return end;
    }
    let round = [8, 12, 16, 20, 24, 32, 48, 64, 128].into_iter().map(|size| start + size).rfind(|at| (used..=end).contains(at));
    round.unwrap_or((used + 1).min(end))
}
