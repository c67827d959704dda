//! Columns of the messages of one kind, with labels.

mod checksums;
mod claims;
mod clocks;
mod cut;
mod floats;
mod headers;
mod numbers;
mod table;
mod texts;

use super::messages::{Kind, Kinds, Message};
use super::packed::Packed;
use super::rule::{Endian, Rule};
use super::side::Side;
use crate::tree;
use claims::{Claim, Claims, Shape};
use numbers::Echoes;
use std::collections::HashMap;
use table::{ByteStatistics, Table};
pub use table::{WIDEST, distinct, pairs};

/// A column of the messages of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Offset from the start of the message; negative from its end.
    pub offset: i64,
    /// Size in bytes; 0 for the remaining bytes.
    pub width: usize,
    /// Type in the notation of Kaitai Struct: `u4`, `f4`, `str`, `bytes`.
    pub kind: &'static str,
    /// Byte order of a number of several bytes.
    pub endian: Option<Endian>,
    /// Role of the bytes.
    pub label: Label,
    /// From 0 to 1.
    pub confidence: f64,
    /// Number of distinct values.
    pub distinct: usize,
    /// Sample values, the most frequent first.
    pub values: Vec<Vec<u8>>,
    /// The evidence.
    pub why: String,
}

/// Maximum number of bytes of a column whose entropy is measured.
const MEASURED: usize = 1 << 16;

impl Column {
    /// Its bytes in a message.
    fn of<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        let start = match usize::try_from(self.offset) {
            Ok(start) => start,
            Err(_) => message.len().checked_sub(usize::try_from(self.offset.unsigned_abs()).ok()?)?,
        };
        if self.width == 0 { message.get(start..) } else { message.get(start..start + self.width) }
    }

    /// The entropy of its bytes in these messages, in bits per byte.
    pub fn entropy<'m>(&self, messages: impl Iterator<Item = &'m [u8]>) -> f64 {
        let mut bytes = Vec::new();
        for part in messages.filter_map(|message| self.of(message)) {
            bytes.extend_from_slice(part.get(..MEASURED - bytes.len()).unwrap_or(part));
            if bytes.len() >= MEASURED {
                break;
            }
        }
        super::json::entropy(&bytes)
    }
}

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// Length of the message or of a part.
    Length,
    /// Number of parts that follow.
    Count,
    /// The kind of message.
    Type,
    /// One of a few values.
    Enum,
    /// Bit flags.
    Flags,
    /// Echoed in a response, or the identifier of an object.
    Id,
    /// Constant within a conversation.
    ConversationId,
    /// Increases by a constant step.
    Counter,
    /// Increases by one with each datagram of a conversation.
    Sequence,
    /// A sequence number of the other side.
    Acknowledges,
    /// Proportional to the capture time.
    Timestamp,
    /// A floating-point number.
    Float,
    /// One of several numbers that change smoothly.
    Coordinate,
    /// Text.
    Str,
    /// Computed from other bytes.
    Checksum,
    /// An IP or MAC address.
    Address,
    /// Constant.
    Const,
    /// Zeros.
    Padding,
    /// Encrypted, compressed, or a key.
    Random,
    /// A number without further evidence.
    Value,
    /// Bytes.
    Bytes,
}

impl Label {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Label::Length => "length",
            Label::Count => "count",
            Label::Type => "type",
            Label::Enum => "enum",
            Label::Flags => "flags",
            Label::Id => "id",
            Label::ConversationId => "conversation id",
            Label::Counter => "counter",
            Label::Sequence => "sequence number",
            Label::Acknowledges => "acknowledges",
            Label::Timestamp => "timestamp",
            Label::Float => "float",
            Label::Coordinate => "coordinate",
            Label::Str => "string",
            Label::Checksum => "checksum",
            Label::Address => "address",
            Label::Const => "const",
            Label::Padding => "padding",
            Label::Random => "random",
            Label::Value => "value",
            Label::Bytes => "bytes",
        }
    }
}

/// Properties of all messages that explain columns.
pub struct Context {
    /// Byte order of numbers.
    pub endian: Endian,
    /// Values that recur in messages of the other side.
    pub echoes: Echoes,
    /// IPv4 addresses of the endpoints, sorted.
    pub addresses: Vec<[u8; 4]>,
    /// The rule of each direction.
    pub rules: [Option<Rule>; 2],
    /// How kinds are distinguished.
    pub kinds: Kinds,
    /// How bodies are compressed.
    pub packed: Option<Packed>,
    /// Whether bodies are enciphered.
    pub is_enciphered: bool,
    /// Byte order of floating-point numbers, if most have one.
    floats: Option<Endian>,
    /// Claims common to all messages of a direction.
    headers: [Vec<Claim>; 2],
    /// Behaviour of the columns of all messages of a direction, and their number.
    places: [(Vec<ByteStatistics>, usize); 2],
}

/// Bytes of a message in which echoes are searched.
const ECHOED: usize = 64;

/// Kinds in which the byte order of floating-point numbers is sought, and their fewest messages.
const SURVEYED: usize = 8;
const SURVEYED_ROWS: usize = 8;

/// Fewest messages of a direction that show what they have in common.
const HEADED: usize = 6;

/// The most confidence in columns of compressed and enciphered bytes.
const DOUBTFUL: f64 = 0.5;

/// Number of sample values per column.
const SAMPLES: usize = 6;

impl Context {
    /// Computes it from all messages of a group.
    #[must_use]
    pub fn new(messages: &[Message<'_>], sides: &[Side], rules: [Option<Rule>; 2], kinds: Kinds) -> Context {
        let addresses = addresses_of(sides);
        let length = rules.iter().flatten().filter_map(Rule::length).find(|at| at.width > 1).map(|at| at.endian);
        let mut context = Context {
            endian: length.unwrap_or(Endian::Big),
            echoes: Echoes::new(messages),
            addresses,
            rules,
            kinds,
            packed: None,
            is_enciphered: false,
            floats: None,
            headers: [Vec::new(), Vec::new()],
            places: Default::default(),
        };
        if length.is_none() {
            context.endian = order(messages);
        }
        let are_datagrams = sides.iter().all(|side| side.is_datagrams);
        let tables = tree::Side::BOTH.map(|dir| {
            let rows: Vec<&Message<'_>> = messages.iter().filter(|message| message.dir == dir && message.is_whole).collect();
            (rows.len() >= HEADED).then(|| Table::new(rows))
        });
        let headers = tree::Side::BOTH.map(|dir| {
            let table = tables.get(dir.index()).and_then(Option::as_ref);
            table.map_or_else(Vec::new, |table| context.common(table, dir))
        });
        context.headers = headers;
        if are_datagrams {
            headers::sequences(&tables, &mut context.headers);
        }
        context.places =
            tables.map(|table| table.map_or_else(Default::default, |table| (table.places.clone(), table.rows.len())));
        context
    }

    /// Claims what all messages of a direction have in common.
    fn common(&self, table: &Table<'_>, dir: tree::Side) -> Vec<Claim> {
        let mut claims = Claims::new(table.width);
        claims.has_sum = checksums::trailing(table).is_some();
        self.framing(&mut claims, dir, None);
        checksums::leading(table, &mut claims);
        numbers::complements(table, &mut claims);
        floats::doubles(table, &mut claims, self);
        clocks::clocks(table, &mut claims);
        numbers::counters(table, &mut claims, self);
        headers::conversations(table, &mut claims, self.endian);
        numbers::echoes(table, &mut claims, self);
        numbers::rising(table, &mut claims, self);
        numbers::lengths(table, &mut claims);
        claims.all
    }

    /// Finds the byte order of floating-point numbers, which is the same in most protocols, in the kinds with most messages.
    pub fn survey(&mut self, messages: &[Message<'_>], kinds: &[Kind]) {
        let mut large: Vec<&Kind> = kinds.iter().filter(|kind| kind.is_whole && kind.members.len() >= SURVEYED_ROWS).collect();
        large.sort_by_key(|kind| std::cmp::Reverse(kind.members.len()));
        let mut counts = [0, 0];
        for kind in large.into_iter().take(SURVEYED) {
            let table = Table::new(kind.members.iter().filter_map(|number| messages.get(*number)).collect());
            let mut claims = Claims::new(table.width);
            self.framing(&mut claims, kind.dir, Some(kind));
            let found = floats::orders(&table, &claims, self.endian);
            counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
        }
        self.floats = match counts {
            [big, little] if big >= 2 && big >= 3 * little => Some(Endian::Big),
            [big, little] if little >= 2 && little >= 3 * big => Some(Endian::Little),
            _ => None,
        };
    }

    /// Whether a column is what compressed or enciphered bytes seem to be.
    fn is_doubtful(&self, column: &Column) -> bool {
        let is_behind = self.packed.is_some_and(|packed| usize::try_from(column.offset).is_ok_and(|at| at >= packed.at));
        let is_certain = matches!(column.label, Label::Length | Label::Type | Label::Random | Label::Checksum);
        is_behind && !is_certain || self.is_enciphered && !matches!(column.label, Label::Length | Label::Checksum)
    }

    /// Claims the bytes of framing and discriminator.
    fn framing(&self, claims: &mut Claims, dir: tree::Side, kind: Option<&Kind>) {
        let why = || String::from("framing");
        let (label, confidence) = (Label::Length, 0.97);
        match self.rules.get(dir.index()).and_then(Option::as_ref) {
            Some(Rule::Length { at, padding, .. }) => {
                let (offset, width, shape) = (at.offset, at.width, Shape::Number(at.endian));
                claims.take(Claim { offset, width, shape, label, confidence, why: why() });
                if let Some(offset) = *padding {
                    claims.take(Claim { offset, width: 1, shape, label, confidence, why: String::from("counts padding") });
                }
            }
            Some(Rule::Varint { offset, .. }) => {
                let width = kind.map_or(1, |kind| kind.header.max(1));
                claims.take(Claim { offset: *offset, width, shape: Shape::Bytes, label, confidence, why: why() });
            }
            Some(Rule::Blocks { offset, .. }) => {
                let shape = Shape::Number(Endian::Big);
                claims.take(Claim { offset: *offset, width: 1, shape, label, confidence, why: why() });
            }
            Some(Rule::Table(table)) => {
                if let Some(at) = kind.and_then(|kind| table.number_of(kind.header, &kind.key)) {
                    let (offset, width, shape) = (at.offset, at.width, Shape::Number(at.endian));
                    claims.take(Claim { offset, width, shape, label, confidence, why: why() });
                }
            }
            Some(Rule::Hex4) => {
                claims.take(Claim { offset: 0, width: 4, shape: Shape::Text, label, confidence, why: why() });
            }
            _ => {}
        }
        if let Kinds::Column(at) = self.kinds {
            let behind = kind.map_or(0, |kind| kind.header.saturating_sub(1));
            let offset = at.offset + if at.offset > 0 { behind } else { 0 };
            let (label, why) = (Label::Type, String::from("distinguishes kinds"));
            let shape = Shape::Number(at.endian);
            claims.take(Claim { offset, width: at.width, shape, label, confidence: at.confidence.max(0.5), why });
        }
    }
}

/// The spans of checksums in the headers of all messages.
#[must_use]
pub fn checksums_of(messages: &[&Message<'_>]) -> Vec<std::ops::Range<usize>> {
    let table = Table::new(messages.to_vec());
    let mut claims = Claims::new(table.width);
    claims.has_sum = checksums::trailing(&table).is_some();
    checksums::leading(&table, &mut claims);
    claims.all.iter().map(|claim| claim.offset..claim.offset + claim.width).collect()
}

/// The byte order that zeros beside changing bytes suggest.
fn order(messages: &[Message<'_>]) -> Endian {
    let table = Table::new(messages.iter().filter(|message| message.is_whole).collect());
    let count = |is_high: fn(&ByteStatistics, &ByteStatistics) -> bool| {
        table::pairs(&table.places).filter(|(first, second)| is_high(first, second)).count()
    };
    let big = count(|first, second| first.zeros > 0.8 && second.zeros < 0.5);
    let little = count(|first, second| first.zeros < 0.5 && second.zeros > 0.8);
    if little > big { Endian::Little } else { Endian::Big }
}

/// The IPv4 addresses of the endpoints, sorted.
#[must_use]
pub fn addresses_of(sides: &[Side]) -> Vec<[u8; 4]> {
    let hosts = sides.iter().flat_map(|side| side.ends.iter()).filter_map(|end| {
        let host = end.rsplit_once(':').map_or(end.as_str(), |(host, _)| host);
        host.parse::<std::net::Ipv4Addr>().ok().map(|address| address.octets())
    });
    let mut all: Vec<[u8; 4]> = hosts.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Columns of a kind.
#[must_use]
pub fn columns(messages: &[Message<'_>], kind: &Kind, context: &Context) -> Vec<Column> {
    let rows: Vec<&Message<'_>> = kind.members.iter().filter_map(|number| messages.get(*number)).collect();
    let is_whole = rows.iter().any(|row| row.is_whole);
    let table = Table::new(rows);
    let mut claims = Claims::new(table.width);
    if is_whole {
        context.framing(&mut claims, kind.dir, Some(kind));
    }
    let sum = checksums::trailing(&table).filter(|_| is_whole);
    let is_varying = table.rows.iter().any(|row| row.bytes.len() != table.width);
    let mut tail = Vec::new();
    claims.has_sum = sum.is_some();
    if let Some(mut sum) = sum {
        if is_varying {
            sum.offset = sum.width;
            tail.push(sum);
        } else {
            sum.offset = table.width - sum.width;
            claims.take(sum);
        }
    }
    explain(&table, &mut claims, context, kind);
    let mut all: Vec<Column> = claims.all.iter().map(|claim| column(&table, claim, false)).collect();
    all.sort_by_key(|column| column.offset);
    let end = all
        .last()
        .map_or(0, |last| if last.width == 0 { usize::MAX } else { usize::try_from(last.offset).unwrap_or(0) + last.width });
    if is_varying && end != usize::MAX {
        let claim = Claim {
            offset: table.width,
            width: 0,
            shape: Shape::Bytes,
            label: Label::Bytes,
            confidence: 0.3,
            why: String::from("messages have different lengths"),
        };
        all.push(column(&table, &claim, false));
    }
    all.extend(tail.iter().map(|claim| column(&table, claim, true)));
    for column in all.iter_mut().filter(|column| context.is_doubtful(column)) {
        column.confidence = column.confidence.min(DOUBTFUL);
    }
    all
}

/// Explains the columns of a table, the most certain first.
fn explain(table: &Table<'_>, claims: &mut Claims, context: &Context, kind: &Kind) {
    let behind = kind.header.saturating_sub(1);
    compressed(table, claims, context);
    for claim in context.headers.get(kind.dir.index()).into_iter().flatten() {
        let offset = if claim.offset > 0 { claim.offset + behind } else { 0 };
        let holds = claim.label != Label::Id || numbers::is_echoed(table, claim, context);
        if holds {
            claims.take(Claim { offset, ..claim.clone() });
        }
    }
    numbers::complements(table, claims);
    floats::doubles(table, claims, context);
    clocks::clocks(table, claims);
    texts::counted(table, claims, context);
    texts::open(table, claims);
    numbers::counters(table, claims, context);
    numbers::lengths(table, claims);
    numbers::echoes(table, claims, context);
    floats::floats(table, claims, context);
    clocks::others(table, claims);
    checksums::leading(table, claims);
    texts::padded(table, claims);
    numbers::rising(table, claims, context);
    addresses(table, claims, context);
    cut::rest(table, claims, context, kind);
}

/// Claims compressed bodies.
fn compressed(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    let Some(packed) = context.packed.filter(|packed| packed.at < table.width) else { return };
    let hits = table.all().filter(|bytes| packed.fits(bytes)).count();
    if hits * 10 >= table.rows.len() * 9 && hits > 0 {
        let why = format!("{}: {hits} of {} messages decompress", packed.method.name(), table.rows.len());
        let (offset, shape, label) = (packed.at, Shape::Bytes, Label::Random);
        claims.take(Claim { offset, width: 0, shape, label, confidence: 0.95, why });
    }
}

/// Claims addresses of the endpoints.
fn addresses(table: &Table<'_>, claims: &mut Claims, context: &Context) {
    for offset in 0..table.width.saturating_sub(3) {
        let is_address = |bytes: &[u8]| {
            bytes
                .get(offset..offset + 4)
                .is_some_and(|four| context.addresses.binary_search_by(|known| known[..].cmp(four)).is_ok())
        };
        if claims.is_free(offset, 4) && !table.rows.is_empty() && table.all().all(is_address) {
            let (shape, why) = (Shape::Bytes, String::from("address of an end"));
            claims.take(Claim { offset, width: 4, shape, label: Label::Address, confidence: 0.9, why });
        }
    }
}

/// Converts a claim to a column.
fn column(table: &Table<'_>, claim: &Claim, from_end: bool) -> Column {
    let part = |row: &'_ Message<'_>| -> Vec<u8> {
        let start = if from_end { row.bytes.len().saturating_sub(claim.offset) } else { claim.offset };
        let end = if claim.width == 0 { row.bytes.len().min(start + 64) } else { start + claim.width };
        row.bytes.get(start..end).unwrap_or_default().to_vec()
    };
    let mut counts: HashMap<Vec<u8>, usize, foldhash::fast::RandomState> = HashMap::default();
    for row in &table.rows {
        *counts.entry(part(row)).or_default() += 1;
    }
    let mut values: Vec<(Vec<u8>, usize)> = counts.into_iter().collect();
    values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let distinct = values.len();
    values.truncate(SAMPLES);
    let (kind, endian) = match (claim.shape, claim.width) {
        (Shape::Number(_), 1) => ("u1", None),
        (Shape::Number(endian), 2) => ("u2", Some(endian)),
        (Shape::Number(endian), 4) => ("u4", Some(endian)),
        (Shape::Number(endian), 8) => ("u8", Some(endian)),
        (Shape::Float(endian), 4) => ("f4", Some(endian)),
        (Shape::Float(endian), _) => ("f8", Some(endian)),
        (Shape::Text, _) => ("str", None),
        (Shape::Number(endian), _) => ("bytes", Some(endian)),
        (Shape::Bytes, _) => ("bytes", None),
    };
    let offset = i64::try_from(claim.offset).unwrap_or(0);
    Column {
        offset: if from_end { -offset } else { offset },
        width: claim.width,
        kind,
        endian,
        label: claim.label,
        confidence: claim.confidence,
        distinct,
        values: values.into_iter().map(|(value, _)| value).collect(),
        why: claim.why.clone(),
    }
}
