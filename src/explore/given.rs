//! Parses rules and discriminators given by the user.

use super::framing::Given;
use super::messages::{Discriminator, Kinds};
use super::rule::{Endian, Number, Rule, Varint};
use super::table::{Key, Size, Table};

/// An error message.
type Wrong = String;

impl Given {
    /// Parses `length@0:u32le+8 skip=4` for both directions, or `c2s:RULE s2c:RULE`.
    ///
    /// # Errors
    /// The expected syntax.
    pub fn parse(text: &str) -> Result<Given, Wrong> {
        let mut given = Given::default();
        let mut dirs: &[usize] = &[0, 1];
        // The cases of a rule may be separated by blanks.
        let joined = text.replace(", ", ",").replace(": ", ":");
        for word in joined.split_whitespace() {
            let (named, rule) = match word.split_once(':') {
                Some(("c2s", rule)) => (&[0][..], rule),
                Some(("s2c", rule)) => (&[1][..], rule),
                _ => (dirs, word),
            };
            dirs = named;
            if let Some(skip) = rule.strip_prefix("skip=") {
                let skip = number(skip).ok_or_else(|| wrong(text))?;
                let places = given
                    .dirs
                    .iter_mut()
                    .enumerate()
                    .filter(|(dir, _)| dirs.contains(dir))
                    .filter_map(|(_, place)| place.as_mut());
                places.for_each(|place| place.1 = skip);
            } else {
                let rule = Rule::parse(rule).ok_or_else(|| wrong(text))?;
                for (_, place) in given.dirs.iter_mut().enumerate().filter(|(dir, _)| dirs.contains(dir)) {
                    *place = Some((rule.clone(), 0));
                }
            }
        }
        if given.dirs.iter().all(Option::is_none) { Err(wrong(text)) } else { Ok(given) }
    }
}

fn wrong(text: &str) -> Wrong {
    format!(
        "{text}: expected a rule such as length@0:u32le+8, varint@1:leb128, varint:ws, end:0d0a, fixed:48, headers, hex4, \
         table@0:11=4,71=u8, switch@0:c1=length@1:u8,c2=length@1:u16be, blocks@2-5+10/16 or none, with skip=N after it for a preamble"
    )
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number| *number < 1 << 24)
}

/// `0:u32le`.
fn place(text: &str) -> Option<Number> {
    let (offset, kind) = text.split_once(':')?;
    let kind = kind.strip_prefix('u')?;
    let (bits, endian) = match (kind.strip_suffix("le"), kind.strip_suffix("be")) {
        (Some(bits), _) => (bits, Endian::Little),
        (_, Some(bits)) => (bits, Endian::Big),
        _ => (kind, Endian::Big),
    };
    let bits = number(bits).filter(|bits| matches!(bits, 8 | 16 | 24 | 32 | 64))?;
    Some(Number { offset: number(offset)?, width: bits / 8, endian })
}

impl Rule {
    /// Parses a rule as printed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Rule> {
        let (name, rest) = match text.find(['@', ':']) {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let behind = rest.get(1..).unwrap_or_default();
        Some(match (name, rest.chars().next()) {
            ("headers", None) => Rule::Headers,
            ("hex4", None) => Rule::Hex4,
            ("none", None) => Rule::None,
            ("datagram", None) => Rule::Datagram,
            ("varint", Some(':')) if behind == "ws" => Rule::Varint { offset: 1, format: Varint::WebSocket },
            ("varint", Some('@')) => {
                let (offset, format) = behind.split_once(':')?;
                let format = Varint::ALL.into_iter().find(|known| known.name() == format)?;
                Rule::Varint { offset: number(offset)?, format }
            }
            ("end", Some(':')) => Rule::Terminator(hex(behind)?),
            ("fixed", Some(':')) => Rule::Fixed(number(behind).filter(|size| *size > 0)?),
            ("length", Some('@')) => length(behind)?,
            ("table" | "switch", Some('@')) => table(behind)?,
            ("blocks", Some('@')) => blocks(behind)?,
            _ => return None,
        })
    }
}

/// `0:u32le*4+8+pad@6`.
fn length(text: &str) -> Option<Rule> {
    let (text, padding) = match text.split_once("+pad@") {
        Some((text, place)) => (text, Some(number(place)?)),
        None => (text, None),
    };
    let sign = text.find(['+', '-']);
    let (text, bias) = match sign {
        Some(at) => (text.get(..at)?, text.get(at..)?.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (text, scale) = match text.split_once('*') {
        Some((text, scale)) => (text, scale.parse().ok().filter(|scale| (1..=65536).contains(scale))?),
        None => (text, 1),
    };
    Some(Rule::Length { at: place(text)?, bias, scale, padding })
}

/// `0:01=4,05=u8,_=u16be`, `0:u16le:0064=55`, `0&80:00=length@1:u16le+3,80=length@1:u16le+7`.
fn table(text: &str) -> Option<Rule> {
    let (at, entries) = text.split_once(':')?;
    let (at, mask) = at.split_once('&').map_or((at, None), |(at, mask)| (at, Some(mask)));
    let (key, entries) = match entries.split_once(':').filter(|(kind, _)| kind.starts_with('u')) {
        Some((kind, entries)) => (place(&format!("{at}:{kind}"))?, entries),
        None => (place(&format!("{at}:u8"))?, entries),
    };
    if key.width > 2 {
        return None;
    }
    let whole = Key::whole(key.offset, key.width, key.endian);
    let mask = mask.map_or(Some(whole.mask), |mask| u16::from_str_radix(mask, 16).ok())?;
    let mut found = Table { key: Key { mask: mask & whole.mask, ..whole }, sizes: Vec::new(), other: None };
    for entry in entries.split(',') {
        let (value, size) = entry.split_once('=')?;
        let size = sized(size, key)?;
        match value {
            "_" if found.other.is_none() => found.other = Some(size),
            value => found.sizes.push((u16::from_str_radix(value, 16).ok().filter(|value| value & !found.key.mask == 0)?, size)),
        }
    }
    found.sizes.sort_unstable();
    if found.sizes.is_empty() || found.sizes.iter().zip(found.sizes.iter().skip(1)).any(|(one, next)| one.0 == next.0) {
        return None;
    }
    Some(Rule::Table(found))
}

/// A size in a table: `4`, `u16be` directly behind the key, `length@1:u16be+3`.
fn sized(text: &str, key: Number) -> Option<Size> {
    if let Some(length) = text.strip_prefix("length@") {
        return match self::length(length)? {
            Rule::Length { at, bias, scale: 1, padding: None } => Some(Size::Counted { at, bias }),
            _ => None,
        };
    }
    match place(&format!("{}:{text}", key.end())) {
        Some(at) => Some(Size::behind(at.offset, at.width, at.endian)),
        None => number(text).filter(|size| *size > 0).map(Size::Fixed),
    }
}

/// `2-5+10/16`.
fn blocks(text: &str) -> Option<Rule> {
    let (offset, rest) = text.split_once('-')?;
    let (counted, rest) = rest.split_once('+')?;
    let (header, block) = rest.split_once('/')?;
    let block = number(block).filter(|block| *block > 0)?;
    Some(Rule::Blocks { offset: number(offset)?, counted: number(counted)?, header: number(header)?, block })
}

/// Bytes from hexadecimal digits.
fn hex(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if text.is_empty() || !text.len().is_multiple_of(2) || !is_hex || text.len() > 64 {
        return None;
    }
    (0..text.len() / 2).map(|at| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()).collect()
}

impl Kinds {
    /// Parses `8:u32le`, or `none`.
    ///
    /// # Errors
    /// The expected syntax.
    pub fn parse(text: &str) -> Result<Kinds, Wrong> {
        if text == "none" {
            return Ok(Kinds::Single);
        }
        let at = place(text).ok_or_else(|| format!("{text}: expected the place of a number such as 8:u32le, or none"))?;
        Ok(Kinds::Column(Discriminator { offset: at.offset, width: at.width, endian: at.endian, confidence: 1.0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_written_as_it_is_printed() {
        for text in [
            "length@0:u32le+8",
            "length@2:u16be*4",
            "length@5:u8-2",
            "length@4:u16be+8+pad@6",
            "varint@1:leb128",
            "varint@1:ber",
            "varint:ws",
            "end:0d0a",
            "fixed:48",
            "headers",
            "hex4",
            "table@0:01=4,05=u8,0a=u16be",
            "table@1:u16le:0064=55,0069=u16le,_=length@3:u16le",
            "switch@0:c1=length@1:u8,c2=length@1:u16be",
            "switch@0&80:00=length@1:u16le+3,80=length@1:u16le+7",
            "switch@0:ff=length@1:u16be+3,_=length@0:u8+1",
            "blocks@2-5+10/16",
            "none",
        ] {
            assert_eq!(Rule::parse(text).unwrap().to_string(), text);
        }
        let wrong = ["", "length", "length@0", "length@0:u31le", "end:0", "end:", "end:+1", "fixed:0", "varint@1:x", "headers:1"];
        for text in wrong.into_iter().chain([
            "table@0:",
            "table@0:01=4,01=5",
            "table@0&80:01=4",
            "table@0:u32le:01=4",
            "switch@0:c1=length@1:u8*2",
            "blocks@2-5+10/0",
        ]) {
            assert_eq!(Rule::parse(text), None, "{text}");
        }
    }

    #[test]
    fn each_direction_may_have_its_own_rule_and_preamble() {
        let given = Given::parse("c2s:length@0:u16le skip=4 s2c:end:0a").unwrap();
        assert_eq!(given.dirs[0].as_ref().map(|(rule, skip)| (rule.to_string(), *skip)), Some(("length@0:u16le".into(), 4)));
        assert_eq!(given.dirs[1].as_ref().map(|(rule, skip)| (rule.to_string(), *skip)), Some(("end:0a".into(), 0)));
        assert!(Given::parse("nonsense").unwrap_err().contains("length@0:u32le+8"));
    }
}
