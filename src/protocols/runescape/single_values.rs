//! A sequence of single values: `--as 'rs.type:u8 name37 smart'`.

use super::fields::TRAILING;
use super::game::Game;
use super::reader::{Line as PacketLine, Reader};
use super::tables::{Layout, ParseError, Table, group_names, intern, parse, similar_types};
use super::types::{Decoded, Type, ValueContext};
use crate::tree::{Field, Side, fields};
use crate::wire::{
    Conversation, Extent, Heuristic, InvalidValue, On, Protocol, Result, Setting, Settings, ValueKind, Verdict, Wire,
};
use std::sync::Arc;

fields! {
    VALUES = protocol("rs.type", "RuneScape values", "Single values of RuneScape's types, without packets")
        .covers("Every type of the tables and bit numbers; `rs.type` lists the types to decode");
    BITS = number("rs.type.bits", "bits", "Number of the given bit width");
    PADDING = number("rs.type.padding", "padding", "Bits up to the next byte");
}

/// Help text of the setting, with the name of every type.
const TYPES: &str = "Types of the values, in their order, such as 'u8 name37 smart' or 'bits:5 bits:3', or fields as packet tables have them, \
    such as 'n:u8 list:{a:u16}*n'. There are: u8, i8, u8_add, i8_add, u8_neg, i8_neg, u8_sub, i8_sub, u16, i16, \
    u16_le, i16_le, u16_add, i16_add, u16_add_le, i16_add_le, u24, i24, u24_le, u24_alt2, u24_alt3, i24_le, i24_alt2, i24_alt3, i32, i32_le, \
    i32_me, i32_ime, u40, u48, i64, usmart, ssmart, usmart_null, usmart_ext, bigsmart, bigsmart_null, varint_be, \
    varint_le, varint_zigzag, varint_le_signed, gtype, part, i64_ff, smart, f32, name37, com32, jstr, jstr0, jstr2, jstrnull, strraw, bytes, \
    opaque, packed_text, packed_text_rev, packed_text_add, packed_text_rev_add, packed_text_huffman, name37[], \
    steps, steps_377, minimap_click, mouse_click, mouse_moves, hint_arrow, palette, region_crcs, inv_full_225, \
    inv_partial_225, inv_full_317, inv_partial_317, inv_full_377, inv_partial_377, appearance, appearance_377, \
    com32_le, com32_me, com32_ime, fine_move, bits:COUNT, byte, word, short, tribyte, 3byte, int3, medium, rgbcolour, dword, \
    int, int32, qword, long, int64, special_a, special_c, special_s, middle_endian_small_int, \
    middle_endian_big_int, smarts, spacesavera, spacesaverb, string, str, strbyte, rs_string, java_string";

/// RuneScape values; only selected by `--as`.
pub static PROTOCOL: Protocol = Protocol::new(&VALUES, FIELDS)
    .found(&[On::AnyTcp.stream_with(Heuristic::Stream(|_| Verdict::No), open)])
    .rest(&TRAILING)
    .settings(&[Setting { name: "rs.type", about: TYPES, takes: ValueKind::Checked(|list| values(list).map(drop)) }]);

/// An item to decode, with its field.
#[derive(Clone, Copy)]
enum Item {
    /// Value of a type, starting at a byte.
    Value(&'static Field, Type),
    /// Number of this bit width.
    Bits(u8),
}

/// The values to decode.
enum Values {
    /// Values in order.
    Items(Vec<Item>),
    /// Fields in the notation of packet tables.
    Layout(Arc<Layout>),
}

fn open(settings: &Settings) -> Box<dyn Conversation> {
    let values = settings.get("rs.type").and_then(|list| values(list).ok());
    Box::new(values.unwrap_or_else(|| Values::Items(Vec::new())))
}

/// Parses types, or a list of fields if any word is `name:type` or names a group. A type alone names its field as well.
fn values(list: &str) -> std::result::Result<Values, InvalidValue> {
    let is_field = |word: &str| {
        let is_named = word.contains(':') && !word.starts_with("bits:");
        is_named || group_names().any(|group| group == word)
    };
    if !list.split_whitespace().any(is_field) {
        return types(list).map(Values::Items);
    }
    let is_type = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let named = |word: &str| if is_type(word) { format!("{word}:{word}") } else { word.to_owned() };
    let words: Vec<String> = list.split_whitespace().map(named).collect();
    let list = words.join(" ");
    parse("rs.type", "values read by hand", &list, &[]).map(Values::Layout).map_err(|ParseError { at, words }| InvalidValue {
        line: None,
        message: format!("column {} of {list:?}: {words}", at + 1),
    })
}

fn invalid<T>(words: String) -> std::result::Result<T, InvalidValue> {
    Err(InvalidValue { line: None, message: words })
}

fn types(list: &str) -> std::result::Result<Vec<Item>, InvalidValue> {
    let items = list.split_whitespace().map(item).collect::<std::result::Result<Vec<_>, InvalidValue>>()?;
    if items.is_empty() { invalid("no type is named; expected some such as 'u8 name37 smart'".into()) } else { Ok(items) }
}

/// Maximum bit width of a number.
const MOST_BITS: u8 = 32;

fn item(name: &str) -> std::result::Result<Item, InvalidValue> {
    if let Some(count) = name.strip_prefix("bits:") {
        return match count.parse() {
            Ok(count @ 1..=MOST_BITS) => Ok(Item::Bits(count)),
            _ => invalid(format!("{name}: expected 1 to {MOST_BITS} bits")),
        };
    }
    let usual = Type::usual_name(name);
    match Type::named(&usual) {
        Some(of) if !is_standalone(of) => {
            invalid(format!("{name} is read with the packets of a revision; try --as rs with -o rs.revision=317 -o rs.isaac=off"))
        }
        Some(of) => Ok(Item::Value(field(&usual, of), of)),
        None => invalid(format!(
            "no type is called {name:?}; the nearest are {}. There are {}, bits:COUNT, and numbers in a row as u16[3]; \
             other names are {}",
            similar_types(name),
            names().collect::<Vec<_>>().join(", "),
            Type::aliases().collect::<Vec<_>>().join(", ")
        )),
    }
}

/// Whether a type can be decoded without the packet around it.
fn is_standalone(of: Type) -> bool {
    !matches!(
        of,
        Type::PlayerInfo
            | Type::NpcInfo
            | Type::ZonePackets
            | Type::PlayerInfoOsrs
            | Type::NpcInfoOsrs(_)
            | Type::PlayersInit
            | Type::EntityPalette
            | Type::Reflection
    )
}

/// Names of all types that can be decoded alone.
fn names() -> impl Iterator<Item = &'static str> {
    Type::names().filter(|name| Type::named(name).is_some_and(is_standalone)).chain(group_names())
}

fn field(name: &str, of: Type) -> &'static Field {
    let (each, row) = name.split_once('[').map_or((name, ""), |(each, _)| (each, "_row"));
    intern("rs.type", "values read by hand", &format!("{each}{row}"), of)
}

/// Registers the fields of all types.
pub fn register_all() {
    for name in Type::names() {
        if let Some(of) = Type::named(name) {
            field(name, of);
        }
    }
}

impl Conversation for Values {
    fn extent(&mut self, _: Side, ahead: &[u8], _: bool) -> Extent {
        Extent::Message(ahead.len())
    }

    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let items = match self {
            Values::Items(items) => items,
            Values::Layout(layout) => {
                let (mut game, mut line, table) = (Game::default(), PacketLine::default(), Table::default());
                line.clear(wire.wants_summary());
                let result = Reader::new(&mut game, &table, "value", &mut line).payload(wire, layout);
                wire.info(format_args!("{line}"));
                return result;
            }
        };
        let mut line = Line::default();
        let mut items = items.iter().copied().peekable();
        while let Some(item) = items.next() {
            match item {
                Item::Value(field, of) => {
                    let decoded = of.read(wire, field, ValueContext { capacity: line.last, ..ValueContext::default() })?;
                    if let Decoded::Number(number) = decoded {
                        line.last = Some(number);
                    }
                    line.add(decoded);
                }
                // Bit numbers share bytes until the next byte value.
                Item::Bits(first) => wire.in_bits(|bits| {
                    let mut count = first;
                    loop {
                        line.add(Decoded::Number(bits.number(&BITS, count)?.into()));
                        match items.next_if(|next| matches!(next, Item::Bits(_))) {
                            Some(Item::Bits(next)) => count = next,
                            _ => break,
                        }
                    }
                    bits.padding(&PADDING);
                    Ok(())
                })?,
            }
            wire.info(format_args!("{}", line.words));
        }
        Ok(())
    }
}

/// Summary line of the values.
#[derive(Default)]
struct Line {
    words: String,
    /// The last number, possibly a capacity.
    last: Option<i64>,
}

impl Line {
    fn add(&mut self, decoded: Decoded<'_>) {
        if !matches!(decoded, Decoded::Unsummarized) {
            let between = if self.words.is_empty() { "" } else { ", " };
            self.words += &format!("{between}{decoded}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    /// Dissects a message of these types.
    fn read(list: &str, hex: &str) -> String {
        let mut values = values(list).unwrap_or_else(|invalid| panic!("{}", invalid.message));
        trial::message(&PROTOCOL, &mut values, Side::Client, &trial::bytes(hex), Cut::No)
    }

    #[test]
    fn types_have_the_names_of_the_data_types_page() {
        for (alias, usual, hex, line) in [
            ("Byte", "u8", "fe", "254"),
            ("word", "u16", "1234", "4660"),
            ("DWord", "i32", "fffffffe", "-2"),
            ("QWord", "i64", "fffffffffffffffe", "-2"),
            ("tribyte", "u24", "123456", "1193046"),
            ("special_a", "u8_add", "da", "90"),
            ("special_c", "u8_neg", "a6", "90"),
            ("special_s", "u8_sub", "26", "90"),
            // A1 is the least significant byte, D4 the most significant.
            ("middle_endian_big_int", "i32_ime", "c3d4a1b2", "-725372255"),
            ("middle_endian_small_int", "i32_me", "b2a1d4c3", "-725372255"),
            ("smarts", "usmart", "80c8", "200"),
            ("smart", "smart", "bfbf", "-65"),
            ("RS_string", "jstr", "68690a", "\"hi\""),
            ("java_string", "strraw", "00026869", "\"hi\""),
            ("i24", "i24", "fffffe", "-2"),
            ("word[2]", "u16_row", "00010002", ""),
        ] {
            let tree = read(alias, hex);
            let heading = if line.is_empty() { String::new() } else { format!(" | {line}") };
            assert_eq!(tree.lines().next(), Some(format!("rs.type 0..{}{heading}", hex.len() / 2).as_str()), "{tree}");
            assert!(tree.contains(&format!(" rs.type.{usual}")), "{tree}");
        }
    }

    #[test]
    fn bit_numbers_share_bytes_until_a_byte_value() {
        // 10110 011 01......, then a byte of its own.
        insta::assert_snapshot!(read("bits:5 bits:3 bits:2 u8", "b3 40 ff"), @"
        rs.type 0..3 | 22, 3, 1, 255
          0..1 rs.type.bits = 22
          0..1 rs.type.bits = 3
          1..2 rs.type.bits = 1
          1..2 rs.type.padding = 0
          2..3 rs.type.u8 = 255
        ");
        assert!(read("bits:9", "ff").contains("dissect."), "{}", read("bits:9", "ff"));
        for count in ["bits:0", "bits:33", "bits:", "bits:x"] {
            assert!(types(count).is_err_and(|invalid| invalid.message.contains("1 to 32 bits")), "{count}");
        }
    }

    #[test]
    fn an_unknown_type_lists_all_names() {
        let words = types("foo").err().unwrap().message;
        for name in names().chain(Type::aliases()).chain(["bits:COUNT"]) {
            assert!(words.contains(name), "{name}: {words}");
        }
    }

    #[test]
    fn the_setting_names_every_type() {
        let listed: Vec<&str> = TYPES.split_once("There are: ").unwrap().1.split(", ").collect();
        let all: Vec<&str> = names().chain(["bits:COUNT"]).chain(Type::aliases()).collect();
        assert_eq!(listed, all);
    }
}
