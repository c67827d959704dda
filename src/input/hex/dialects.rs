//! Every dialect of hex text: its name, an example, and how it is recognized.
//!
//! The order is that of recognition: the first dialect that fits the first line with data reads the text.
//! `docs/hex.md` and `--explain-input` use the names.

use super::bits::Bits;
use super::columns::Columns;
use super::dialect::Context;
use super::list::List;
use super::literal::Literal;
use super::percent::{self, Percent};
use super::preface::Preface;
use super::scan::all_hex;
use super::sides::Sides;
use super::snort::{self, Snort};
use super::yaml::{self, Yaml};
use super::{Dialect, Fault, asm};

/// The result of a detector.
pub(super) type Found = Result<Option<Box<dyn Dialect>>, Fault>;

/// A parser, if a dialect fits.
pub(super) fn found(dialect: Option<impl Dialect + 'static>) -> Found {
    Ok(dialect.map(|dialect| Box::new(dialect) as Box<dyn Dialect>))
}

pub(super) fn some(dialect: impl Dialect + 'static) -> Found {
    found(Some(dialect))
}

/// A dialect of hex text.
pub struct Known {
    /// Its name, as a user would search for it.
    pub name: &'static str,
    /// The same bytes in each dialect, [`BYTES`], or as many of them as fit.
    pub example: &'static str,
    /// Returns the reader if a line begins a text of this dialect.
    pub(super) detect: fn(&mut Preface, &Context<'_>) -> Found,
}

/// The bytes of the examples.
pub const BYTES: [u8; 16] = *b"#\0\0\0\x01{\"l\0\x0aEN,\xfe\x80\x10";

const fn known(name: &'static str, example: &'static str, detect: fn(&mut Preface, &Context<'_>) -> Found) -> Known {
    Known { name, example, detect }
}

/// The dialects, in the order of recognition.
pub static DIALECTS: &[Known] = &[
    known(
        "a conversation in YAML, as of `follow -T yaml` and Wireshark",
        "peers:\n  - peer: 0\n    host: 192.0.2.1\n    port: 4000\npackets:\n  - packet: 1\n    peer: 0\n    data: !!binary |\n      IwAAAAF7ImwACkVOLP6AEA==",
        |_, context| found(yaml::fits(context.line).then(Yaml::default)),
    ),
    known(
        "a conversation as of `tshark -z follow,tcp,raw`",
        "Follow: tcp,raw\nFilter: tcp.stream eq 0\nNode 0: 192.0.2.1:4000\nNode 1: 192.0.2.2:5000\n23000000017b226c000a454e2cfe8010",
        |preface, context| found((preface.announced && all_hex(context.text)).then(Sides::default)),
    ),
    known("columns of `-T fields` and `-T csv`", "1\t192.0.2.10\t23000000017b226c000a454e2cfe8010", |_, context| {
        found(Columns::of(context.line, context.ahead()))
    }),
    known(
        "bits",
        "00100011 00000000 00000000 00000000 00000001 01111011 00100010 01101100 00000000 00001010 01000101 01001110 00101100 11111110 10000000 00010000",
        |_, context| found(Bits::of(context.text)),
    ),
    known("`content` of Snort and Suricata", r#"content:"|23 00 00 00 01|{|22|l|00 0a|EN,|fe 80 10|""#, |_, context| {
        found(snort::fits(context.line).then_some(Snort))
    }),
    known(
        "a table with bars (mangos, WowPacketParser, Windower)",
        "| 23 00 00 00 01 7B 22 6C 00 0A 45 4E 2C FE 80 10 | #....{\"l..EN,... |",
        Preface::table,
    ),
    known(
        "data directives of an assembler (IDA `db`, debuggers)",
        ".rdata:00402000 msg db 23h, 0, 0, 0, 1, '{\"l', 0, 0Ah, 'EN,', 0FEh, 80h, 10h",
        |preface, context| {
            if asm::fits(context.line) { preface.listing(context) } else { Ok(None) }
        },
    ),
    known(
        "a dump with offsets (`xxd`, `hexdump`, `od`, tcpdump, tshark, debuggers) or Follow Stream",
        "00000000: 2300 0000 017b 226c 000a 454e 2cfe 8010  #....{\"l..EN,...",
        Preface::offsets,
    ),
    known(
        "a dump with offsets behind a prefix or before a dash (logcat, kernel, radare2, FortiGate, Cheat Engine)",
        "[2026-11-03 12:00:01.120] [net] 0000: 23 00 00 00 01 7b 22 6c 00 0a 45 4e 2c fe 80 10  #....{\"l..EN,...",
        Preface::rows,
    ),
    known(
        "lists of numbers (C, Rust, Java, Delphi, VB, JSON, Go, Erlang)",
        "{ 0x23, 0x00, 0x00, 0x00, 0x01, 0x7b, 0x22, 0x6c, 0x00, 0x0a, 0x45, 0x4e, 0x2c, 0xfe, 0x80, 0x10 }",
        |preface, context| {
            let brace = preface.brace.take();
            let list = if preface.is_row_like(context) { None } else { List::of(context.text, brace) };
            found(list.map(|list| List { big: context.big, ..list }))
        },
    ),
    known(
        "string literals and escapes (Python, C, strace, bpftrace)",
        r#"b'#\x00\x00\x00\x01{"l\x00\nEN,\xfe\x80\x10'"#,
        |preface, context| {
            let literal = if preface.is_row_like(context) { None } else { Literal::of(context.text, preface.open) };
            found(literal)
        },
    ),
    known(
        "bare hex digits with any separators (`xxd -p`, hex streams)",
        "23 00 00 00 01 7b 22 6c 00 0a 45 4e 2c fe 80 10",
        Preface::digits,
    ),
    known("base64, base64url and data URIs", "IwAAAAF7ImwACkVOLP6AEA==", Preface::base64),
    known("percent-encoding", "%23%00%00%00%01%7b%22l%00%0aEN%2c%fe%80%10", |_, context| {
        found(percent::fits(context.text).then_some(Percent))
    }),
    known(
        "bytes inside lines of a log or below prose",
        "12:00:01.5 recv: 23 00 00 00 01 7b 22 6c 00 0a 45 4e 2c fe 80 10",
        Preface::log,
    ),
];
