//! Texts: with a length prefix, padded with zeros, or constant.

use super::super::rule::{Endian, Number};
use super::claims::{Claim, Claims, Shape};
use super::table::Table;
use super::{Context, Label};

/// Whether a byte may be part of text.
fn is_text(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte) || matches!(byte, b'\t' | b'\r' | b'\n') || byte >= 0x80
}

fn is_plain(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte)
}

/// Number of letters in distinct texts from which the number before them is their length, if most messages have letters.
const LETTERS: usize = 7;

/// Texts with length prefixes. A text of variable length takes the remaining columns.
pub fn counted(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let order = [context.endian, if context.endian == Endian::Big { Endian::Little } else { Endian::Big }];
    let mut offset = 0;
    while offset < table.width {
        let numbers = [4, 2, 1].into_iter().flat_map(|width| order.map(|endian| Number { offset, width, endian }));
        let fits = |at: &Number| at.end() <= table.width && claims.is_free(at.offset, at.width);
        let Some((at, size)) = numbers.filter(fits).find_map(|at| Some((at, counts(table, at)?))) else {
            offset += 1;
            continue;
        };
        let why = format!("as many bytes of text follow in {} messages", table.rows.len());
        let (width, shape, label) = (at.width, Shape::Number(at.endian), Label::Length);
        claims.take(Claim { offset, width, shape, label, confidence: 0.93, why });
        let (offset_of_text, shape, label) = (at.end(), Shape::Text, Label::Str);
        let why = String::from("text of the length in front");
        let width = size.unwrap_or(0);
        claims.take(Claim { offset: offset_of_text, width, shape, label, confidence: 0.93, why });
        if width == 0 {
            return;
        }
        offset = at.end() + width;
    }
}

/// Whether a number is the length of the text after it, and the size of the text if it is constant. Repeated texts count once.
fn counts(table: &Table<'_>, at: Number) -> Option<Option<usize>> {
    let mut texts = texts(table, at)?;
    let some = texts.iter().filter(|text| !text.is_empty()).count();
    texts.sort_unstable();
    texts.dedup();
    let letters: usize = texts.iter().map(|text| text.len()).sum();
    let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
    let is_enough = letters >= LETTERS && some * 2 >= table.rows.len() || letters >= 24;
    if !is_enough || longest < 3 || table.rows.len() < 2 {
        return None;
    }
    Some(texts.first().filter(|_| texts.len() == 1 || texts.iter().all(|text| text.len() == longest)).map(|text| text.len()))
}

/// The texts with the length given by a number; `None` if a message has other bytes.
fn texts<'m>(table: &Table<'m>, at: Number) -> Option<Vec<&'m [u8]>> {
    let text = |bytes: &'m [u8]| {
        let length = usize::try_from(at.read(bytes)?).ok()?;
        let text = bytes.get(at.end()..at.end().checked_add(length)?)?;
        let odd = text.iter().filter(|byte| !is_plain(**byte)).count();
        (text.iter().all(|byte| is_text(*byte)) && odd * 4 <= length).then_some(text)
    };
    table.all().map(text).collect()
}

/// A text that extends to the end of every message.
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
        let count = |is: fn(&u8) -> bool| rows.iter().flat_map(|row| row.iter()).filter(|byte| is(byte)).count();
        let letters = count(u8::is_ascii_alphabetic);
        let all: usize = rows.iter().map(|row| text(&row)).sum();
        // Digits and dots are text only if they are long.
        let is_long = longest >= 8 && count(u8::is_ascii_alphanumeric) * 10 >= all * 6;
        let is_worded = letters * 10 >= all * 6 && letters >= 4 || is_long;
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

/// The end of text that begins at `start` in all rows, including zero padding.
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
    // Zeros after all texts belong to them if the size becomes round.
    let zeros = (start..end).rev().take_while(|place| table.at(*place).is_zero()).count();
    let used = end - zeros;
    if zeros == 0 {
        return end;
    }
    let round = [8, 12, 16, 20, 24, 32, 48, 64, 128].into_iter().map(|size| start + size).rfind(|at| (used..=end).contains(at));
    round.unwrap_or((used + 1).min(end))
}
