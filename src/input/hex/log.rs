//! Bytes inside the lines of a log, or below a line of prose.
//!
//! ```text
//! 10:15:14.5 recv: 05 00 0b 03      [tx] 05000b03      sent 4 bytes: "05 00 0b 03"      read(3) = 05:00:0b:03
//! ```
//! A line with bytes after a label is a packet; lines that consist of digits continue it. Lines without bytes are skipped and end
//! a packet. Bytes extend to the end of their line: anything else there is an error.

use super::digits::separated;
use super::list::List;
use super::marks::Marks;
use super::offsets::{Groups, Row, Shape};
use super::scan::{all_hex, not_hex, words};
use super::{Fault, Fed, Feed, Packet, fault};
use crate::tree::Side;

/// Maximum number of stored labels that preceded bytes.
const LABELS: usize = 16;

/// Number of consecutive pairs that does not occur in prose.
const RUN: usize = 3;

/// Number of pairs with colons or dashes between; hardware addresses have up to eight.
const ADDRESS: usize = 8;

/// Number of consecutive digits that no number has.
const LONG: usize = 12;

/// Labels of bytes received from the server.
const RECEIVED: [&str; 14] = [
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
    "<-",
    "<<",
    "<<<",
];

/// Labels of bytes sent to the server.
const SENT: [&str; 14] =
    ["send", "sent", "sending", "sendto", "tx", "write", "written", "out", "outgoing", "request", "c2s", "->", ">>", ">>>"];

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

#[derive(Default)]
pub(super) struct Log {
    labels: Vec<Vec<u8>>,
    row: Row,
}

/// Bytes in a line.
struct Found<'a> {
    /// The text before the bytes.
    before: &'a [u8],
    bytes: Vec<u8>,
}

impl Log {
    /// Whether a line unambiguously contains bytes.
    pub(super) fn fits(line: &[u8]) -> Result<bool, Fault> {
        Log::default().find(line).map(|found| found.is_some())
    }

    pub(super) fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        if line.trim_ascii_start().starts_with(b"#") {
            return Ok(Fed::Taken);
        }
        if Shape::of(line).is_some() {
            return fault(0, "a row of a dump among lines of a log; keep one of them");
        }
        let continues = !packet.bytes.is_empty();
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
            return Ok(Fed::Complete(0));
        }
        let Some(Found { before, bytes }) = found else {
            packet.marks.add(Marks::of_prose(line));
            return Ok(Fed::Taken);
        };
        packet.bytes = bytes;
        packet.marks.add(marks(before));
        let label = label(before).to_ascii_lowercase();
        if !label.is_empty() && self.labels.len() < LABELS && !self.labels.contains(&label) {
            self.labels.push(label);
        }
        Ok(Fed::Taken)
    }

    /// The bytes of a line that contains nothing else, after another line with bytes.
    fn continuation(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let mut all = words(line, 0);
        all.next().filter(|word| word.text.len().is_multiple_of(2) && all_hex(word.text))?;
        self.row.read(line, 0, Groups::Any).ok()?;
        (!self.row.straight.is_empty()).then(|| self.row.straight.clone())
    }

    fn find<'a>(&mut self, line: &'a [u8]) -> Result<Option<Found<'a>>, Fault> {
        for at in starts(line) {
            let before = line.get(..at).unwrap_or_default();
            let rest = line.get(at..).unwrap_or_default();
            let pairs = words(rest, 0).take_while(|word| word.text.len() == 2 && all_hex(word.text)).count();
            let named = self.is_name(before);
            // Bytes do not begin after the colon of another pair.
            let joined = before.ends_with(b":") && !rest.starts_with(b" ");
            if !named && joined && !is_word(label(before)) {
                continue;
            }
            match self.whole(line, at) {
                Ok(bytes) if pairs >= RUN || is_long(rest) || named && (bytes.len() > 1 || self.is_known(before)) => {
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
        if separated(closed, at, &mut bytes).is_ok() && !closed.contains(&b'#') {
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
            || self.is_known(before)
            || tokens(before).any(|token| token == "bytes")
    }

    fn is_known(&self, before: &[u8]) -> bool {
        let label = label(before).to_ascii_lowercase();
        !label.is_empty() && self.labels.contains(&label)
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
        digits >= LONG && (mixed || digits > 20) || separate > ADDRESS
    })
}

/// Whether unreadable words may be malformed bytes.
fn is_meant(rest: &[u8]) -> bool {
    let meant = |text: &[u8]| text.len() == 2 && text.iter().any(u8::is_ascii_hexdigit);
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
    let mut text = trimmed(before);
    for (open, close) in [(b'(', b')'), (b'[', b']')] {
        let Some(inner) = text.strip_suffix(&[close]) else { continue };
        let at = inner.iter().rposition(|byte| *byte == open).unwrap_or_default();
        let outer = trimmed(inner.get(..at).unwrap_or_default());
        text = if outer.is_empty() { inner } else { outer };
    }
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
fn marks(before: &[u8]) -> Marks {
    let plain: Vec<u8> = before.iter().map(|byte| if b"[](),".contains(byte) { b' ' } else { *byte }).collect();
    let mut marks = Marks::of(&plain);
    let all: Vec<String> = tokens(before).collect();
    let last = all.len().saturating_sub(1);
    let counts = |at: usize, token: &str| token.bytes().any(|byte| byte.is_ascii_alphanumeric()) || at == 0 || at == last;
    let direction = all.iter().enumerate().filter(|(at, token)| counts(*at, token)).find_map(|(_, token)| direction_of(token));
    marks.direction = marks.direction.or(direction);
    marks
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
