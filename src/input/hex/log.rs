//! Bytes inside the lines of a log, or below a line of prose.
//!
//! ```text
//! 10:15:14.5 recv: 05 00 0b 03      [tx] 05000b03      sent 4 bytes: "05 00 0b 03"      read(3) = 05:00:0b:03
//! ```
//! A line with bytes after a label is a packet; lines that consist of digits continue it. Lines without bytes are skipped and end
//! a packet. Bytes extend to the end of their line: anything else there is an error.

use super::base64::Base64;
use super::digits::separated;
use super::ends;
use super::list::List;
use super::marks::Marks;
use super::offsets::{Groups, Row, Shape};
use super::scan::{all_hex, not_hex, words};
use super::{Fault, Fed, Feed, Packet, fault, rows};
use crate::tree::Side;

/// Maximum number of stored labels that preceded bytes.
const LABELS: usize = 16;

/// Number of consecutive pairs that does not occur in prose.
const RUN: usize = 3;

/// Number of pairs with colons or dashes between that are no time. Hardware addresses have six or eight.
const SEPARATE: usize = 5;

/// Number of consecutive groups of four digits at the start of a line that are no prose.
const GROUPS: usize = 4;

/// Number of consecutive digits that no number has.
const LONG: usize = 12;

/// Labels of bytes received from the server.
const RECEIVED: [&str; 24] = [
    "recv",
    "received",
    "receive",
    "receiving",
    "recvfrom",
    "rx",
    "read",
    "in",
    "incoming",
    "response",
    "s2c",
    "inbound",
    "ingress",
    "download",
    "servertoclient",
    "stoc",
    "s>c",
    "<-",
    "<--",
    "<==",
    "<=",
    "<<",
    "<<<",
    "←",
];

/// Labels of bytes sent to the server.
const SENT: [&str; 24] = [
    "send",
    "sent",
    "sending",
    "sendto",
    "tx",
    "write",
    "written",
    "out",
    "outgoing",
    "request",
    "c2s",
    "outbound",
    "egress",
    "upload",
    "clienttoserver",
    "ctos",
    "c>s",
    "->",
    "-->",
    "==>",
    "=>",
    ">>",
    ">>>",
    "→",
];

/// Other labels of bytes.
const NAMES: [&str; 17] = [
    "data",
    "payload",
    "packet",
    "pkt",
    "hex",
    "hexdump",
    "raw",
    "dump",
    "msg",
    "message",
    "buffer",
    "buf",
    "body",
    "frame",
    "content",
    "fromhex",
    "unhexlify",
];

/// Maximum number of places of a line where bytes are looked for: parsing the rest of the line from each costs its length.
const PLACES: usize = 64;

#[derive(Default)]
pub(super) struct Log {
    labels: Vec<Vec<u8>>,
    row: Row,
    /// Number of bytes that the last line without bytes announced.
    announced: Option<usize>,
    /// The packet, if it consists of rows behind the same prefix.
    rows: Option<Rows>,
    /// Number of bytes of the last packet.
    last: usize,
}

/// Rows of a packet, each behind a prefix of the log.
struct Rows {
    /// The prefix of the first row.
    prefix: Vec<u8>,
    /// Bytes of the first row, and whether a row was shorter.
    width: usize,
    short: bool,
    /// Number of bytes that the log announced.
    announced: Option<usize>,
    /// Whether the first row has a text column.
    text: bool,
}

/// Bytes in a line.
struct Found<'a> {
    /// The text before the bytes.
    before: &'a [u8],
    bytes: Vec<u8>,
}

impl Log {
    /// A log of which a line announced this number of bytes.
    pub(super) fn after(announced: Option<usize>) -> Log {
        Log { announced, ..Log::default() }
    }

    /// Whether a line unambiguously contains bytes.
    pub(super) fn fits(line: &[u8]) -> Result<bool, Fault> {
        Log::default().find(line).map(|found| found.is_some())
    }

    pub(super) fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        if is_comment(line) {
            return Ok(Fed::Taken);
        }
        if Shape::of(line).is_some() && self.find(line).is_ok_and(|found| found.is_none()) {
            return fault(0, "a row of a dump among lines of a log; keep one of them");
        }
        let continues = !packet.bytes.is_empty();
        if continues && self.goes_on(line, packet)? {
            return Ok(Fed::Taken);
        }
        let bare = if continues { self.continuation(line) } else { None };
        if let Some(bytes) = bare {
            packet.bytes.extend(bytes);
            return Ok(Fed::Taken);
        }
        if continues && is_meant(line) {
            self.row.read(line, 0, Groups::Any)?;
        }
        let found = self.find(line)?;
        if continues {
            self.last = packet.bytes.len();
            return Ok(Fed::Complete(0));
        }
        let Some(Found { before, bytes }) = found else {
            if self.last > 0 && rows::follows(line, self.last) {
                return fault(0, "a row of a dump among lines of a log; keep one of them");
            }
            packet.marks.add(heading(line));
            self.announced = count(line).or(self.announced);
            return Ok(Fed::Taken);
        };
        let announced = self.announced.take();
        let end = before.len() + line.get(before.len()..).map_or(0, |rest| rest.len() - rest.trim_ascii_start().len());
        let text = line.len() > end + bytes.len() * 3 + 2;
        self.rows = Some(Rows { prefix: shape(before), width: bytes.len(), short: false, announced, text });
        packet.bytes = bytes;
        packet.marks.add(marks(before));
        for label in [label(before).to_ascii_lowercase(), shape(before)] {
            if !label.is_empty() && self.labels.len() < LABELS && !self.labels.contains(&label) {
                self.labels.push(label);
            }
        }
        Ok(Fed::Taken)
    }

    /// Whether a line is another row of the packet: behind the prefix of the first row, after full rows, and announced or with a
    /// text column. Appends its bytes.
    fn goes_on(&mut self, line: &[u8], packet: &mut Packet) -> Result<bool, Fault> {
        let Some(rows) = self.rows.as_ref() else { return Ok(false) };
        let left = rows.announced.map(|count| count.saturating_sub(packet.bytes.len()));
        let is_row = matches!(rows.width, 8 | 16 | 32) && rows.text && !rows.prefix.is_empty();
        if left == Some(0) || left.is_none() && !is_row || rows.short || rows.prefix.is_empty() {
            return Ok(false);
        }
        let (prefix, width) = (rows.prefix.clone(), rows.width);
        let Some(at) = starts(line).take(PLACES).find(|at| shape(line.get(..*at).unwrap_or_default()) == prefix) else {
            return Ok(false);
        };
        let begins = line
            .get(at..)
            .is_some_and(|rest| words(rest, 0).next().is_some_and(|word| word.text.len() == 2 && all_hex(word.text)));
        if !begins {
            return Ok(false);
        }
        let bytes = self.whole(line, at)?;
        if bytes.len() > width || bytes.is_empty() || left.is_some_and(|left| bytes.len() > left) {
            return Ok(false);
        }
        if let Some(rows) = self.rows.as_mut() {
            rows.short = bytes.len() < width;
        }
        packet.bytes.extend(bytes);
        Ok(true)
    }

    /// The bytes of a line that contains nothing else, after another line with bytes.
    fn continuation(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let mut all = words(line, 0);
        all.next().filter(|word| word.text.len().is_multiple_of(2) && all_hex(word.text))?;
        self.row.read(line, 0, Groups::Any).ok()?;
        (!self.row.straight.is_empty()).then(|| self.row.straight.clone())
    }

    fn find<'a>(&mut self, line: &'a [u8]) -> Result<Option<Found<'a>>, Fault> {
        for at in starts(line).filter(|at| may_begin(line, *at)).take(PLACES) {
            let at = at + common_prefix(line.get(at..).unwrap_or_default());
            let before = line.get(..at).unwrap_or_default();
            let rest = line.get(at..).unwrap_or_default();
            if is_argument(before, rest) || is_numbered(rest) {
                continue;
            }
            if let Some(bytes) = base64(before, rest) {
                return Ok(Some(Found { before, bytes }));
            }
            let pairs = words(rest, 0).take_while(|word| word.text.len() == 2 && all_hex(word.text)).count();
            let named = self.is_name(before) && !(is_arrow(before) && is_address(rest));
            // Bytes do not begin after the colon of another pair.
            let joined = before.ends_with(b":") && !rest.starts_with(b" ");
            if !named && joined && !is_word(last_word(trimmed(before))) {
                continue;
            }
            let grouped = before.trim_ascii().is_empty()
                && words(rest, 0).take_while(|word| word.text.len() == 4 && all_hex(word.text)).count() >= GROUPS;
            match self.whole(line, at) {
                Ok(bytes)
                    if pairs >= RUN
                        || grouped
                        || is_long(rest)
                        || bytes.len() > 1 && (is_stated(before, bytes.len()) || is_bracketed(before, rest))
                        || named && (bytes.len() > 1 || self.is_known(before)) =>
                {
                    return Ok(Some(Found { before, bytes }));
                }
                Err(fault) if pairs >= RUN || named && (pairs > 1 || is_meant(rest)) || pairs > 0 && self.is_known(before) => {
                    return Err(fault);
                }
                Ok(_) | Err(_) => {}
            }
        }
        hidden(line)
    }

    /// The bytes from here to the end of the line, except closing brackets and quotes.
    fn whole(&mut self, line: &[u8], at: usize) -> Result<Vec<u8>, Fault> {
        let line = line.trim_ascii_end();
        let mut bytes = Vec::new();
        let closed = without_closers(line);
        // A closing quote may look like a text column of the bytes.
        let is_open =
            line.get(..at).is_some_and(|before| before.trim_ascii_end().last().is_some_and(|sign| b"\"'([{<".contains(sign)));
        let first = match self.row.read(closed, at, Groups::Any) {
            Ok(_) => return Ok(self.row.straight.clone()),
            Err(_) if !is_open && self.row.read(line, at, Groups::Any).is_ok() => return Ok(self.row.straight.clone()),
            Err(fault) => fault,
        };
        if separated(closed, at, &mut bytes).is_ok() && closed.get(at..).is_some_and(|rest| !rest.contains(&b'#')) {
            return Ok(bytes);
        }
        bytes.clear();
        let rest = closed.get(at..).unwrap_or_default();
        let mut list = List::of(rest, None).filter(|list| list.is_bare());
        match list.as_mut().map(|list| list.feed(rest, &mut bytes)) {
            Some(Ok(Fed::Taken)) if !bytes.is_empty() => Ok(bytes),
            Some(Err(Fault { at: inner, what })) => Err(Fault { at: at + inner, what }),
            _ => Err(first),
        }
    }

    fn is_name(&self, before: &[u8]) -> bool {
        let word = String::from_utf8_lossy(label(before)).to_ascii_lowercase();
        let lists: [&[&str]; 3] = [&RECEIVED, &SENT, &NAMES];
        lists.iter().any(|list| list.contains(&word.as_str()))
            || direction_of(&word).is_some()
            || self.is_known(before)
            || tokens(before).any(|token| token == "bytes")
    }

    fn is_known(&self, before: &[u8]) -> bool {
        let known = |label: Vec<u8>| !label.is_empty() && self.labels.contains(&label);
        known(label(before).to_ascii_lowercase()) || known(shape(before))
    }
}

/// Possible starts of bytes: the line start, after a sign such as `:`, `=` or `[`, and after a word.
fn starts(line: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let signs = b":=>])|\"'<({[,";
    words(line, 0).flat_map(move |word| {
        let inner =
            word.text.iter().enumerate().filter(move |(_, byte)| signs.contains(byte)).map(move |(at, _)| word.at + at + 1);
        let word_end = word.at + word.text.len();
        // `0x` and `\x` before a run of digits.
        let prefix = matches!(word.text, [b'0' | b'\\', b'x', _, _, _, _, _, ..]).then_some(word.at + 2);
        // Two non-hex letters may be a label; one may be a mistake.
        let letters = word.text.iter().filter(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit()).count();
        let is_word =
            letters > 1 || tokens(word.text).any(|token| direction_of(&token).is_some() || NAMES.contains(&token.as_str()));
        let is_first = words(line, 0).next().is_some_and(|first| first.at == word.at);
        is_first.then_some(word.at).into_iter().chain(prefix).chain(inner).chain(is_word.then_some(word_end))
    })
}

/// Whether a line is a comment: `# 25 00`, but not `#1: 25 00`.
pub(super) fn is_comment(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits == 0 || !matches!(rest.get(digits), Some(b':' | b'=' | b')'))
}

/// Whether bytes may begin here: a pair of digits, or a prefix of digits, or base64 of some length.
fn may_begin(line: &[u8], at: usize) -> bool {
    let rest = line.get(at..).unwrap_or_default().trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"[")).unwrap_or(rest);
    let digit = |index: usize| rest.get(index).is_some_and(u8::is_ascii_hexdigit);
    let meant = digit(0) || digit(1);
    meant
        || matches!(rest, [b'0', b'x' | b'X', ..] | [b'$' | b'-' | b'&', ..])
        || rest.len() >= BASE64 && rest.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Length of one `0x` before all pairs, with the blanks before it: `0x25 00 f2`.
fn common_prefix(rest: &[u8]) -> usize {
    let text = rest.trim_ascii_start();
    let pairs = |digits: &[&u8]| digits.iter().all(|digit| digit.is_ascii_hexdigit());
    match text {
        [b'0', b'x', a, b, b' ', c, d, ..] if pairs(&[a, b, c, d]) => rest.len() - text.len() + 2,
        _ => 0,
    }
}

/// Minimum length of base64 behind a label.
const BASE64: usize = 16;

/// Bytes in base64 behind a label, up to the end of the line or a closing quote.
fn base64(before: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    if !matches!(before.last(), Some(b'=' | b',' | b'"' | b'\'' | b':' | b' ')) {
        return None;
    }
    let len = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte))).unwrap_or(rest.len());
    let (text, behind) = rest.split_at_checked(len)?;
    let closed = behind.iter().all(|byte| byte.is_ascii_whitespace() || b"\"'])};,".contains(byte));
    if text.len() < BASE64 || !closed || !Base64::fits(text) || text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let (mut base64, mut bytes) = (Base64::default(), Vec::new());
    base64.feed(text, &mut bytes).ok()?;
    base64.end().ok()?;
    Some(bytes)
}

/// Whether a prefix ends with an arrow.
fn is_arrow(before: &[u8]) -> bool {
    let label = String::from_utf8_lossy(label(before));
    !label.is_empty() && !label.chars().any(char::is_alphanumeric)
}

/// Whether a hardware address begins here: six or eight pairs with colons or dashes between.
fn is_address(rest: &[u8]) -> bool {
    let Some(word) = words(rest, 0).next() else { return false };
    let pairs = || word.text.split(|byte| matches!(byte, b':' | b'-'));
    matches!(pairs().count(), 6 | 8) && pairs().all(|pair| pair.len() == 2 && all_hex(pair))
}

/// Whether this is the argument of a call: `recv(4096)`.
fn is_argument(before: &[u8], rest: &[u8]) -> bool {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    before.ends_with(b"(") && digits > 0 && rest.get(digits) == Some(&b')')
}

/// Whether a number of a label begins here: `0: 23 00`, `20 = 23 00`, `0x12 (5): 23 00`.
fn is_numbered(rest: &[u8]) -> bool {
    let mut all = words(rest, 0);
    let (Some(first), next) = (all.next(), all.next()) else { return false };
    let digits = first.text.strip_prefix(b"0x").unwrap_or(first.text);
    let number = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let colon = digits.get(number..) == Some(b":") && next.is_some();
    let unit = next.is_some_and(|next| next.text.starts_with(b"byte"));
    let separate =
        unit || next.is_some_and(|next| matches!(next.text, b"=" | b":" | b"-" | b"->") || next.text.starts_with(b"("));
    number > 0 && (colon || number == digits.len() && separate)
}

/// Whether a number before bytes is their number: `len=5`, `(5):`.
fn is_stated(before: &[u8], len: usize) -> bool {
    let digits = |byte: &u8| byte.is_ascii_digit();
    let Some(end) = before.iter().rposition(digits) else { return false };
    let start = before.get(..end).and_then(|text| text.iter().rposition(|byte| !digits(byte))).map_or(0, |at| at + 1);
    let number = before.get(start..=end).and_then(|number| std::str::from_utf8(number).ok()?.parse::<usize>().ok());
    let lead = start.checked_sub(1).and_then(|at| before.get(at));
    let behind = before.get(end + 1..).unwrap_or_default().trim_ascii();
    let attached = matches!(lead, Some(b'=' | b'(')) || behind.starts_with(b":") || behind.starts_with(b"byte");
    number == Some(len) && attached && words(before, 0).any(|word| is_word(word.text))
}

/// Whether bytes fill brackets at the end of a line, behind words: `packet from 192.0.2.10 [44 00]`.
fn is_bracketed(before: &[u8], rest: &[u8]) -> bool {
    let inner = rest.trim_ascii_end().strip_suffix(b"]");
    before.ends_with(b"[")
        && words(before, 0).any(|word| is_word(word.text))
        && inner.is_some_and(|inner| words(inner, 0).all(|word| word.text.len() == 2 && all_hex(word.text)))
}

/// The number of bytes that a line announces: `recv 20 bytes:`, `(32 bytes unread)`.
pub(super) fn count(line: &[u8]) -> Option<usize> {
    let all: Vec<String> = tokens(line).collect();
    all.windows(2).find_map(|pair| match pair {
        [number, unit] if unit.starts_with("byte") => number.parse().ok(),
        _ => None,
    })
}

/// A prefix with each run of digits as one, so that rows and packets of a log have the same.
fn shape(before: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(before.len());
    for byte in before.trim_ascii_end() {
        let byte = if byte.is_ascii_digit() { b'0' } else { *byte };
        if byte != b'0' || out.last() != Some(&b'0') {
            out.push(byte);
        }
    }
    out
}

/// Whether a word may be a label: two non-hex letters. One may be a mistake.
fn is_word(text: &[u8]) -> bool {
    text.iter().filter(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit()).count() > 1
}

/// Whether this is a run of digits too long for a number.
fn is_long(rest: &[u8]) -> bool {
    // NSData, and dumps of words.
    if words(rest, 0).take_while(|word| word.text.len() == 8 && all_hex(word.text)).count() >= RUN {
        return true;
    }
    words(rest, 0).next().is_some_and(|word| {
        let digits = word.text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let mixed = word.text.iter().take(digits).any(u8::is_ascii_alphabetic) && word.text.iter().any(u8::is_ascii_digit);
        let separate =
            word.text.split(|byte| matches!(byte, b':' | b'-')).take_while(|part| part.len() == 2 && all_hex(part)).count();
        let address = matches!(separate, 6 | 8) || separate < SEPARATE;
        digits >= LONG && (mixed || digits > 20) || !address
    })
}

/// Whether unreadable words may be malformed bytes.
fn is_meant(rest: &[u8]) -> bool {
    let meant =
        |text: &[u8]| text.len() == 2 && text.iter().any(u8::is_ascii_hexdigit) && text.iter().all(u8::is_ascii_alphanumeric);
    let rest = without_closers(rest);
    words(rest, 0).next().is_some() && words(rest, 0).all(|word| meant(word.text))
}

/// Consecutive pairs without a label: an element before them is a malformed byte.
fn hidden<T>(line: &[u8]) -> Result<Option<T>, Fault> {
    let mut before = None;
    let mut run = 0;
    for word in words(line, 0) {
        if word.text.len() == 2 && all_hex(word.text) {
            run += 1;
        } else {
            (before, run) = (Some(word), 0);
        }
        if run == RUN {
            let Some(before) = before else { break };
            let odd = before.text.iter().position(|byte| !byte.is_ascii_hexdigit());
            let Some(odd) = odd else { return fault(before.at, "expected two hex digits for each byte, or a label before them") };
            return not_hex(before.at + odd, before.text.get(odd).copied().unwrap_or_default());
        }
    }
    Ok(None)
}

/// A line without closing quotes, brackets and a count in parentheses.
fn without_closers(line: &[u8]) -> &[u8] {
    let mut line = line;
    if line.ends_with(b")")
        && let Some(open) = line.iter().rposition(|byte| *byte == b'(')
        && String::from_utf8_lossy(line.get(open..).unwrap_or_default()).to_ascii_lowercase().contains("byte")
    {
        line = line.get(..open).unwrap_or_default().trim_ascii_end();
    }
    while let [rest @ .., b'"' | b'\'' | b']' | b')' | b'}' | b'>' | b';' | b','] = line {
        line = rest.trim_ascii_end();
    }
    line
}

/// The word directly before bytes, without a number in brackets after it.
fn label(before: &[u8]) -> &[u8] {
    let mut text = trimmed(before.strip_suffix(b"0x").unwrap_or(before));
    for (open, close) in [(b'(', b')'), (b'[', b']')] {
        let Some(inner) = text.strip_suffix(&[close]) else { continue };
        let at = inner.iter().rposition(|byte| *byte == open).unwrap_or_default();
        let outer = trimmed(inner.get(..at).unwrap_or_default());
        text = if outer.is_empty() { inner } else { outer };
    }
    loop {
        let word = last_word(text);
        let start = text.len() - word.len();
        let digits = word.strip_prefix(b"0x").unwrap_or(word);
        let outer = trimmed(text.get(..start).unwrap_or_default());
        // A number may stand between a label and bytes: `packet 2 =`, `packet 0x12 (5):`.
        let is_number = digits.iter().all(u8::is_ascii_digit) || digits.len() < word.len() && all_hex(digits);
        if !is_number || outer.is_empty() || word.is_empty() {
            return word;
        }
        text = outer;
    }
}

/// The word at the end of a text.
fn last_word(text: &[u8]) -> &[u8] {
    let start = text.iter().rposition(|byte| byte.is_ascii_whitespace() || b"[(=:.".contains(byte)).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

/// A text without separators between a label and bytes. An arrow is a label.
fn trimmed(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_end();
    while let [rest @ .., b':' | b'=' | b'"' | b'\'' | b'(' | b'[' | b'{' | b'|' | b',' | b'<'] = text
        && !matches!(text, [.., b'<', b'<'] | b"<")
    {
        text = rest.trim_ascii_end();
    }
    text
}

fn tokens(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|byte| byte.is_ascii_whitespace() || b":=\"'()[]{}|,.".contains(byte)).filter(|part| !part.is_empty());
    parts.map(|part| String::from_utf8_lossy(part).to_ascii_lowercase())
}

fn direction_of(token: &str) -> Option<Side> {
    match token {
        "s->c" | "s=>c" | "server->client" => Some(Side::Server),
        "c->s" | "c=>s" | "client->server" => Some(Side::Client),
        _ if RECEIVED.contains(&token) => Some(Side::Server),
        _ if SENT.contains(&token) => Some(Side::Client),
        _ => None,
    }
}

/// Time and direction of a label. An arrow between other words connects two addresses.
pub(super) fn marks(before: &[u8]) -> Marks {
    marks_of(before, parties)
}

/// The marks of a line above bytes. A party alone, such as `server`, is no direction there.
pub(super) fn heading(line: &[u8]) -> Marks {
    marks_of(line, arrows)
}

fn marks_of(before: &[u8], named: fn(&[String]) -> Option<Side>) -> Marks {
    let plain: Vec<u8> = before.iter().map(|byte| if b"[](),".contains(byte) { b' ' } else { *byte }).collect();
    let mut marks = Marks::of(&plain);
    let all: Vec<String> = tokens(before).collect();
    let last = all.len().saturating_sub(1);
    let counts = |at: usize, token: &str| token.bytes().any(|byte| byte.is_ascii_alphanumeric()) || at == 0 || at == last;
    let direction = all.iter().enumerate().filter(|(at, token)| counts(*at, token)).find_map(|(_, token)| direction_of(token));
    marks.direction = marks.direction.or(direction).or_else(|| named(&all));
    marks.ends = ends::ends(before);
    marks
}

fn party(word: &str) -> Option<Side> {
    match word {
        "client" | "cli" | "c" => Some(Side::Client),
        "server" | "srv" | "s" => Some(Side::Server),
        _ => None,
    }
}

/// The direction between two parties, `Client -> Server`, or of an opcode, `CMSG_PING`.
fn arrows(all: &[String]) -> Option<Side> {
    let arrow = |word: &str| matches!(word, "->" | "-->" | "=>" | "==>" | ">" | ">>" | "→" | "to");
    let between = all.windows(3).find_map(|three| match three {
        [from, sign, to] if arrow(sign) && party(to).is_some() => party(from),
        _ => None,
    });
    between.or_else(|| {
        all.iter().find_map(|word| match word.get(..4) {
            Some("cmsg") => Some(Side::Client),
            Some("smsg") => Some(Side::Server),
            _ => None,
        })
    })
}

/// The direction of a label that names one party or two: `Client -> Server`, `from server`, `[CLIENT]`.
fn parties(all: &[String]) -> Option<Side> {
    let near = || {
        all.windows(2).find_map(|pair| match pair {
            [word, name] if word == "from" => party(name),
            [word, name] if word == "to" => party(name).map(Side::other),
            _ => None,
        })
    };
    let name = |word: &String| party(word).filter(|_| word.len() > 2);
    let first = || all.iter().find(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic()));
    arrows(all).or_else(near).or_else(|| all.last().and_then(name)).or_else(|| first().and_then(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Bytes = (Vec<u8>, Option<Side>);

    fn read(line: &str) -> Result<Option<Bytes>, Fault> {
        let found = Log::default().find(line.as_bytes())?;
        Ok(found.map(|found| (found.bytes, marks(found.before).direction)))
    }

    #[test]
    fn bytes_after_a_label_are_found() {
        let (received, sent) = (Some(Side::Server), Some(Side::Client));
        for (line, direction) in [
            ("recv: 05 00 0b 03", received),
            ("10:15:14.5 <- 05 00 0b 03", received),
            ("[10:15:14.5] >>> 05 00 0b 03", sent),
            ("2024-01-31 10:15:14,123 DEBUG net.c:42 sent 4 bytes: 05 00 0b 03", sent),
            ("tx 05000b03", sent),
            ("S->C [4] 05 00 0b 03", received),
            ("10.0.0.1 -> 10.0.0.2: data=05000b03", None),
            ("payload = \"05 00 0b 03\"", None),
            ("bytes.fromhex('05000b03')", None),
            ("recv: 05:00:0b:03", received),
            ("recv: 05-00-0B-03", received),
            ("recv: 0x05 0x00 0x0b 0x03", received),
            ("recv: [05 00 0b 03]", received),
            ("recv: 05 00 0b 03 (4 bytes)", received),
            ("recv: 0500 0b03  ....", received),
            ("recv(5): <05000b03>", received),
        ] {
            assert_eq!(read(line).unwrap(), Some((vec![5, 0, 11, 3], direction)), "{line}");
        }
    }

    #[test]
    fn prose_has_no_bytes() {
        for line in [
            "It was a bright cold day in April",
            "Port: 8080",
            "face the facade",
            "id=1234",
            "Date: 20241031",
            "connected to 10.0.0.1:80 (fd 12)",
            "the 10 20 rule",
            "recv failed",
            "in 2 of 3",
            "Ethernet 02:50:49:50:00:17 → ff:ff:ff:ff:ff:ff",
            "link/ether 02:50:49:50:00:17",
        ] {
            assert_eq!(read(line).unwrap(), None, "{line}");
        }
    }

    #[test]
    fn malformed_bytes_are_not_prose() {
        for (line, at) in [
            ("recv: 05 00 0g 01 02", 13),
            ("recv: 0g 00 01 02", 7),
            ("recv: 0g 00", 7),
            ("recv: 05 00 xyz 01 02", 12),
            ("recv: 05 00 01 0", 15),
            ("dump 05 00 01 02 ...", 17),
            ("bytes.fromhex('00 30 7f 7f g0')", 27),
        ] {
            assert_eq!(read(line).unwrap_err().at, at, "{line}");
        }
    }
}
