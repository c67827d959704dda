//! Passwords and other secrets in text, found by the name in front of them.
//!
//! ```text
//! PASS secret                               a command at the start of a line; also ACCT, AUTH, AUTHENTICATE, rcon
//! Cookie: secret                            a header, or any other line with a name and a colon
//! user=a&password=secret                    a form, or the query of a URL
//! "password": "secret"                      a member of JSON
//! name="password" CRLF CRLF secret CRLF     a part of a multipart body
//! <password type="a">secret</password>      an element of XML; also <e name="password">secret</e>, <e key="password" value="secret">
//! <name>password</name><value>secret</value>   a member of XML-RPC; also <key> of property lists, and "name" and "value" of JSON
//! http://user:secret@host/                  the user of a URL; also sip:user:secret@host
//! \key\value\password\secret               an info string of games
//! a=crypto:1 SUITE inline:secret            keys of media in SDP; also k=clear:, k=base64: and a=ice-pwd:
//! 0x30 length 02 01 version 04 length secret  at the start: the community of SNMP
//! ```

mod json;
#[cfg(test)]
mod tests;
mod xml;

use std::ops::Range;

/// Maximum length of a name.
const NAME_MOST: usize = 64;

/// Names of secrets, in lower case, letters and digits only.
const WHOLE: &[&[u8]] = &[
    b"pass",
    b"pw",
    b"psw",
    b"authorization",
    b"proxyauthorization",
    b"cookie",
    b"setcookie",
    b"cookie2",
    b"setcookie2",
    b"sid",
    b"sessionid",
    b"phpsessid",
    b"jsessionid",
    b"community",
    b"sig",
];
/// Endings of names of secrets.
const ENDS: &[&[u8]] =
    &[b"token", b"pass", b"apikey", b"secret", b"credential", b"credentials", b"accesskey", b"privatekey", b"jwt"];
/// Parts of names of secrets.
const PARTS: &[&[u8]] = &[b"password", b"passwd", b"passphrase", b"passwort", b"pwd", b"passcode", b"secretkey"];

/// Commands with a secret parameter.
const COMMANDS: &[&[u8]] = &[b"pass ", b"acct ", b"authenticate ", b"rcon ", b"\xff\xff\xff\xffrcon ", b"k=clear:", b"k=base64:"];

/// Whether a name is that of a secret.
#[must_use]
pub fn is_secret_name(name: &[u8]) -> bool {
    let mut plain = [0; NAME_MOST];
    let mut length = 0;
    let letters = name.iter().filter(|byte| byte.is_ascii_alphanumeric());
    for (place, byte) in plain.iter_mut().zip(letters) {
        *place = byte.to_ascii_lowercase();
        length += 1;
    }
    let plain = plain.get(..length).unwrap_or_default();
    // One letter excludes most names.
    let ends = || plain.last().is_some_and(|last| may_end(*last)) && (WHOLE.contains(&plain) || ends_in(plain, ENDS));
    let contains = |at: usize| plain.get(at..).is_some_and(|from| PARTS.iter().any(|part| from.starts_with(part)));
    let has_part = || plain.iter().enumerate().any(|(at, byte)| may_begin_part(*byte) && contains(at));
    // CORS headers are booleans: `Access-Control-Allow-Credentials: true`.
    length > 1 && (ends() || has_part()) && !plain.starts_with(b"accesscontrol")
}

fn ends_in(name: &[u8], ends: &[&[u8]]) -> bool {
    ends.iter().any(|end| name.ends_with(end))
}

/// Whether any of [`WHOLE`] and [`ENDS`] ends in this byte.
fn may_end(byte: u8) -> bool {
    matches!(byte, b'2' | b'd' | b'e' | b'g' | b'l' | b'n' | b's' | b't' | b'w' | b'y')
}

/// Whether any of [`PARTS`] begins with this byte.
fn may_begin_part(byte: u8) -> bool {
    matches!(byte, b'p' | b's')
}

/// Whether any of [`COMMANDS`] or `AUTH` begins with this byte.
fn may_begin_command(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'a' | b'k' | b'p' | b'r' | 0xff)
}

/// Whether a text ends inside a secret, or where one begins: a byte after the text would be part of it.
#[must_use]
pub fn is_unfinished(text: &[u8]) -> bool {
    let longer = [text, b"x"].concat();
    let mut is_in_secret = false;
    find(&longer, |secret| is_in_secret |= secret.end == longer.len());
    is_in_secret
}

/// Whether a byte may be part of a name.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']' | b'%')
}

/// The end of the value that was searched last, for each kind of end.
///
/// Values may begin inside others, as in `pass=pass=pass=`. They share their end, so it is searched once: the cost is linear.
#[derive(Default)]
struct Ends {
    assigned: End,
    quoted: End,
    part: End,
    inline: End,
    member: End,
    bare: End,
    list: End,
    info: End,
    element: End,
}

/// An end, and the place from which it was searched.
#[derive(Default)]
struct End(Option<(usize, usize)>);

impl End {
    /// The end of the value that begins at `at`: `length` searches the rest of the text.
    fn of(&mut self, text: &[u8], at: usize, length: impl FnOnce(&[u8]) -> Option<usize>) -> usize {
        if let Some((_, end)) = self.0.filter(|(start, end)| (*start..=*end).contains(&at)) {
            return end;
        }
        let rest = text.get(at..).unwrap_or_default();
        let end = at + length(rest).unwrap_or(rest.len());
        self.0 = Some((at, end));
        end
    }
}

/// Reports what is left of a range without those that were reported just before.
fn report_new(known: &mut Range<usize>, range: Range<usize>, found: &mut impl FnMut(Range<usize>)) {
    if range.is_empty() {
        return;
    }
    let touches = range.start <= known.end && known.start <= range.end;
    if !touches {
        *known = range.clone();
        return found(range);
    }
    for new in [range.start..known.start, known.end.max(range.start)..range.end] {
        if !new.is_empty() {
            found(new);
        }
    }
    *known = known.start.min(range.start)..known.end.max(range.end);
}

/// Reports ranges of secrets in a text, nearly in order; what one range has, a later one seldom has again.
pub fn find(text: &[u8], found: impl FnMut(Range<usize>)) {
    find_before(text, text.len(), found);
}

/// The same in a part of a text that begins anywhere in a line, where no command begins.
pub fn find_named(text: &[u8], mut found: impl FnMut(Range<usize>)) {
    let mut known = 0..0;
    search(text, text.len(), &mut |range| report_new(&mut known, range, &mut found));
}

/// Reports the secrets of a text that have a byte before `end`; later ones may be reported, too.
pub fn find_before(text: &[u8], end: usize, mut found: impl FnMut(Range<usize>)) {
    let mut known = 0..0;
    let mut report = |range: Range<usize>| report_new(&mut known, range, &mut found);
    if let Some(range) = community(text) {
        report(range);
    }
    command(text, 0, &mut report);
    search(text, end, &mut report);
}

/// Searches behind each separator before `end`.
fn search(text: &[u8], end: usize, report: &mut impl FnMut(Range<usize>)) {
    let mut ends = Ends::default();
    // A secret follows its separator, so separators after `end` do not matter.
    let searched = text.get(..end).unwrap_or(text);
    // In binary data, the byte before or after a separator excludes nearly all of them.
    let before = |at: usize| at.checked_sub(1).and_then(|at| text.get(at)).copied().unwrap_or_default();
    let behind = |at: usize| text.get(at + 1).copied().unwrap_or_default();
    for at in memchr::memchr3_iter(b'=', b':', b'\n', searched) {
        match text.get(at) {
            Some(b'\n') if may_begin_command(behind(at)) => command(text, at + 1, report),
            Some(b'=') if is_of_name(before(at)) => assigned(text, at, &mut ends, report),
            Some(b':') if may_end_name(before(at)) || behind(at) == b'/' => named(text, at, &mut ends, report),
            _ => {}
        }
    }
    for at in memchr::memchr2_iter(b'\\', b'>', searched) {
        match text.get(at) {
            Some(b'>') if may_end_tag(before(at)) => xml::element(text, at, &mut ends, report),
            Some(b'\\') if is_of_name(before(at)) => info(text, at, &mut ends, report),
            _ => {}
        }
    }
}

/// Whether a name, or the text between it and a colon, may end in this byte.
fn may_end_name(byte: u8) -> bool {
    is_of_name(byte) || byte == b'"' || byte.is_ascii_whitespace()
}

/// Whether a tag of XML may end in this byte, before its bracket.
fn may_end_tag(byte: u8) -> bool {
    is_of_name(byte) || matches!(byte, b'"' | b'\'' | b'/') || byte.is_ascii_whitespace()
}

/// The text with secrets masked.
#[must_use]
pub fn masked(text: &str) -> std::borrow::Cow<'_, str> {
    let mut bytes = Vec::new();
    find(text.as_bytes(), |range| {
        if bytes.is_empty() {
            bytes.extend_from_slice(text.as_bytes());
        }
        if let Some(secret) = bytes.get_mut(range) {
            secret.fill(b'*');
        }
    });
    // Values end at ASCII characters, so no character is split.
    if bytes.is_empty() { text.into() } else { String::from_utf8_lossy(&bytes).into_owned().into() }
}

/// The end of the line that begins at `at`.
fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len())
}

/// The parameter of a command, at the start of a line.
fn command(text: &[u8], at: usize, report: &mut impl FnMut(Range<usize>)) {
    let line = text.get(at..).unwrap_or_default();
    let starts = |word: &[u8]| line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if let Some(word) = COMMANDS.iter().find(|word| starts(word)) {
        let end = line_end(text, at);
        let secret = at + word.len()..end;
        let words = text.get(secret.clone()).unwrap_or_default();
        if word.ends_with(b"rcon ") {
            let password = rcon(words);
            report(secret.start + password.start..secret.start + password.end);
        } else {
            report(secret)
        }
    } else if starts(b"auth ") {
        // AUTH TLS requests encryption, AUTH LOGIN without a parameter starts a dialogue.
        let end = line_end(text, at);
        let words = text.get(at + 5..end).unwrap_or_default();
        if let Some(blank) = words.iter().position(|byte| *byte == b' ') {
            report(at + 5 + blank + 1..end);
        }
    }
}

/// The range of the password in the parameters of `rcon`: the first word, or a quoted one after a challenge number. A command
/// follows.
#[must_use]
pub fn rcon(words: &[u8]) -> Range<usize> {
    let digits = words.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let start = if digits > 0 && words.get(digits..).is_some_and(|rest| rest.starts_with(b" \"")) { digits + 1 } else { 0 };
    let rest = words.get(start..).unwrap_or_default();
    let length = match rest.strip_prefix(b"\"") {
        Some(quoted) => quoted.iter().position(|byte| *byte == b'"').map(|length| length + 2),
        None => rest.iter().position(|byte| *byte == b' '),
    };
    start..start + length.unwrap_or(rest.len())
}

/// `\key\value`: an info string, with a backslash at `at`.
fn info(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    let name = name_before(text, at);
    let is_key = !name.is_empty() && text.get(..at - name.len()).is_some_and(|before| before.ends_with(b"\\"));
    if is_key && is_secret_name(name) {
        let is_end = |byte: &u8| matches!(byte, b'\\' | b'"' | b'\r' | b'\n' | 0);
        report(at + 1..ends.info.of(text, at + 1, |value| value.iter().position(is_end)));
    }
}

/// The name that ends before `at`.
fn name_before(text: &[u8], at: usize) -> &[u8] {
    let start = at.saturating_sub(NAME_MOST);
    let before = text.get(start..at).unwrap_or_default();
    let length = before.iter().rev().take_while(|byte| is_of_name(**byte)).count();
    before.get(before.len() - length..).unwrap_or_default()
}

/// `name=value`: a form, a query, or the parameter of a header.
fn assigned(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    let name = name_before(text, at);
    let behind = text.get(at + 1..).unwrap_or_default();
    if behind.starts_with(b"\"") {
        let is_end = |byte: &u8| matches!(byte, b'"' | b'\r' | b'\n');
        let end = ends.quoted.of(text, at + 2, |quoted| quoted.iter().position(is_end));
        let value = text.get(at + 2..end).unwrap_or_default();
        if name.eq_ignore_ascii_case(b"name") && is_secret_name(value) {
            return part(text, end, &mut ends.part, report);
        }
        if is_secret_name(name) {
            report(at + 2..end);
        }
        return;
    }
    if is_secret_name(name) {
        let is_end =
            |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'&' | b'#' | b';' | b'"' | b'\'' | b'<' | b'>' | 0);
        report(at + 1..ends.assigned.of(text, at + 1, |value| value.iter().position(is_end)));
    }
}

/// The content of a part of a multipart body, whose header continues at `at`.
fn part(text: &[u8], at: usize, known: &mut End, report: &mut impl FnMut(Range<usize>)) {
    const HEAD_MOST: usize = 1024;
    let head = text.get(at..text.len().min(at + HEAD_MOST)).unwrap_or_default();
    let Some(blank) = memchr::memmem::find(head, b"\r\n\r\n") else { return };
    let start = at + blank + 4;
    report(start..known.of(text, start, |content| memchr::memmem::find(content, b"\r\n--")));
}

/// `name: value`, `"name": value` or `://user:password@`.
fn named(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    let behind = text.get(at + 1..).unwrap_or_default();
    if behind.starts_with(b"//") {
        return user(text, at + 3, report);
    }
    let scheme = name_before(text, at);
    if scheme.eq_ignore_ascii_case(b"sip") || scheme.eq_ignore_ascii_case(b"sips") {
        return user(text, at + 1, report);
    }
    if scheme == b"inline" {
        return report(at + 1..ends.inline.of(text, at + 1, |key| key.iter().position(u8::is_ascii_whitespace)));
    }
    let before = text.get(..at).unwrap_or_default().trim_ascii_end();
    if let Some(quoted) = before.strip_suffix(b"\"") {
        let name = name_before(text, quoted.len());
        if is_secret_name(name) {
            json::member(text, at + 1, ends, report);
        } else if matches!(name, b"name" | b"key") {
            json::pair(text, at + 1, ends, report);
        }
        return;
    }
    let name = name_before(text, before.len());
    // An SDP attribute has its name after `a=`.
    let line = before.get(..before.len() - name.len()).unwrap_or_default();
    let line = line.strip_suffix(b"a=").unwrap_or(line);
    let starts_line = matches!(line.last(), None | Some(b'\n'));
    if starts_line && is_secret_name(name) {
        let blanks = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        report(at + 1 + blanks..line_end(text, at));
    }
}

/// The password in the authority of a URL that begins at `at`.
fn user(text: &[u8], at: usize, report: &mut impl FnMut(Range<usize>)) {
    const AUTHORITY_MOST: usize = 1024;
    let rest = text.get(at..text.len().min(at + AUTHORITY_MOST)).unwrap_or_default();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | 0);
    let length = rest.iter().position(is_end);
    let authority = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
    let Some(colon) = authority.iter().position(|byte| *byte == b':') else { return };
    let behind = authority.get(colon + 1..).unwrap_or_default();
    let end = match behind.iter().rposition(|byte| *byte == b'@') {
        Some(end) => end,
        // If the text ends here, anything except a port may be a password.
        None if length.is_none() && !behind.iter().all(u8::is_ascii_digit) => behind.len(),
        None => return,
    };
    report(at + colon + 1..at + colon + 1 + end);
}

/// The community of an SNMP message of version 1 or 2c.
fn community(bytes: &[u8]) -> Option<Range<usize>> {
    let [0x30, length, ..] = *bytes else { return None };
    // Lengths up to 127 are one byte; the first byte of a longer one is the size of the length.
    let header = if length < 0x80 { 2 } else { 2 + usize::from(length & 0x7f) };
    let [0x02, 0x01, 0 | 1, 0x04, length, ..] = *bytes.get(header..)? else { return None };
    let start = header + 5;
    (length < 0x80).then(|| start..(start + usize::from(length)).min(bytes.len()))
}
