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
            Some(b'>') if may_end_tag(before(at)) => element(text, at, &mut ends, report),
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
    match bytes.is_empty() {
        true => text.into(),
        // Values end at ASCII characters, so no character is split.
        false => String::from_utf8_lossy(&bytes).into_owned().into(),
    }
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
        match word.ends_with(b"rcon ") {
            true => {
                let password = rcon(words);
                report(secret.start + password.start..secret.start + password.end);
            }
            false => report(secret),
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

/// An element of XML whose name, or whose attribute for a name, is that of a secret. Its first tag ends at `at`.
fn element(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    const TAG_MOST: usize = 256;
    let before = text.get(at.saturating_sub(TAG_MOST)..at).unwrap_or_default();
    let Some(open) = memchr::memrchr(b'<', before) else { return };
    let tag = before.get(open + 1..).unwrap_or_default();
    let name = tag.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let content = |from: usize, end: &mut End| from..end.of(text, from, |rest| memchr::memmem::find(rest, b"</"));
    if let Some(closed) = name.strip_prefix(b"/") {
        // The value of a named member is the content of the next element.
        let is_name = matches!(closed, b"name" | b"key") && {
            let named = before.get(..open).unwrap_or_default();
            is_secret_name(named.rsplit(|byte| *byte == b'>').next().unwrap_or_default())
        };
        let rest = text.get(at + 1..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = rest.get(blanks..).filter(|next| is_name && next.starts_with(b"<"));
        let length = next.and_then(|next| memchr::memchr(b'>', next.get(..TAG_MOST).unwrap_or(next)));
        if let Some(length) = length {
            report(content(at + 1 + blanks + length + 1, &mut ends.element));
        }
        return;
    }
    let own = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let names = attribute(tag, |name| matches!(name, b"name" | b"key" | b"id" | b"type"));
    let is_named = names.is_some_and(|range| is_secret_name(tag.get(range).unwrap_or_default()));
    if is_named && let Some(value) = attribute(tag, |name| name == b"value") {
        let start = at - tag.len();
        report(start + value.start..start + value.end);
    }
    // These have attributes only.
    let is_void = [&b"input"[..], b"meta", b"link"].iter().any(|void| own.eq_ignore_ascii_case(void));
    if !is_void && (is_named || own.iter().all(|byte| is_of_name(*byte)) && is_secret_name(own)) && !tag.ends_with(b"/") {
        report(content(at + 1, &mut ends.element));
    }
}

/// The range of the value of the first attribute of a tag with such a name, in lower case.
fn attribute(tag: &[u8], is_meant: impl Fn(&[u8]) -> bool) -> Option<Range<usize>> {
    memchr::memchr_iter(b'=', tag).find_map(|at| {
        let mark = *tag.get(at + 1).filter(|mark| matches!(mark, b'"' | b'\''))?;
        if !is_meant(&name_before(tag, at).to_ascii_lowercase()) {
            return None;
        }
        Some(at + 2..at + 2 + memchr::memchr(mark, tag.get(at + 2..)?)?)
    })
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
            member(text, at + 1, ends, report);
        } else if matches!(name, b"name" | b"key") {
            pair(text, at + 1, ends, report);
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

/// The member `"value"` of a JSON object, after a member `"name"` whose value at `at` is the name of a secret.
fn pair(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    let rest = text.get(at..text.len().min(at + 4 * NAME_MOST)).unwrap_or_default();
    let Some(value) = rest.trim_ascii_start().strip_prefix(b"\"") else { return };
    let Some(end) = memchr::memchr(b'"', value).filter(|end| is_secret_name(value.get(..*end).unwrap_or_default())) else {
        return;
    };
    let behind = value.get(end + 1..).unwrap_or_default().trim_ascii_start();
    let behind = behind.strip_prefix(b",").unwrap_or_default().trim_ascii_start();
    let behind = behind.strip_prefix(b"\"value\"").unwrap_or_default().trim_ascii_start();
    if let Some(behind) = behind.strip_prefix(b":") {
        member(text, at + rest.len() - behind.len(), ends, report);
    }
}

/// The value of a JSON member, after its colon.
fn member(text: &[u8], at: usize, ends: &mut Ends, report: &mut impl FnMut(Range<usize>)) {
    let rest = text.get(at..).unwrap_or_default();
    let start = at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let value = text.get(start..).unwrap_or_default();
    if value.starts_with(b"[") {
        return report(start + 1..ends.list.of(text, start + 1, |list| memchr::memchr(b']', list)));
    }
    if !value.starts_with(b"\"") {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']' | b'{' | b'[');
        return report(start..ends.bare.of(text, start, |value| value.iter().position(is_end)));
    }
    let mut escaped = false;
    let mut is_end = |byte: &u8| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    };
    // A quote inside a string is escaped, so a string that begins there ends at the same place.
    report(start + 1..ends.member.of(text, start + 1, |string| string.iter().position(&mut is_end)));
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_secret_that_reaches_beyond_another_one_is_masked_whole() {
        for (text, shown) in [
            ("name=\"password\"\r\nCookie: ab\r\n\r\nabc\r\n--x", "name=\"password\"\r\nCookie: **\r\n\r\n***\r\n--x"),
            ("Cookie: name=\"pwd\"\r\n\r\nabc\r\n--x", "Cookie: **********\r\n\r\n***\r\n--x"),
            ("pass=http://u:a&b@h/", "pass=************@h/"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn secrets_inside_secrets_cost_no_further_search() {
        for piece in [
            "<pw>",
            "<name>pw</name><a>",
            "\"pw\":[",
            "pass=",
            "\"pw\":a",
            "name=\"pw\"\r\n\r\n",
            "Cookie: pass=",
            "\\a\\pw\\",
            "http://a:b",
        ] {
            let text = piece.repeat(1000);
            let (mut ranges, mut bytes) = (0, 0);
            find(text.as_bytes(), |range| {
                ranges += 1;
                bytes += range.len();
            });
            assert!(bytes <= text.len() * 2 && ranges <= 1000, "{piece}: {ranges} ranges, {bytes} bytes");
        }
    }

    #[test]
    fn a_text_is_unfinished_where_its_next_byte_belongs_to_a_secret() {
        for text in
            ["PASS ", "USER a\r\nPASS hun", "Authorization: Bearer h", "GET /?a=b&password=", r#"{"pass":"h"#, "Cookie: a=b; c"]
        {
            assert!(is_unfinished(text.as_bytes()), "{text:?}");
        }
        for text in ["", "PASS", "PASS hun\r\n", "GET /?password=a&b=c", r#"{"pass":"h","n":"#, "USER a"] {
            assert!(!is_unfinished(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn secrets_are_found_by_their_names() {
        for (text, shown) in [
            ("PASS hunter2", "PASS *******"),
            ("USER a\r\npass hunter2\r\nLIST", "USER a\r\npass *******\r\nLIST"),
            ("AUTH PLAIN AGEAYg==", "AUTH PLAIN ********"),
            ("AUTH TLS\r\nAUTHENTICATE abc", "AUTH TLS\r\nAUTHENTICATE ***"),
            ("GET http://u:pw@h/a?x=1&password=abc&y=2 HTTP/1.1", "GET http://u:**@h/a?x=1&password=***&y=2 HTTP/1.1"),
            ("Authorization: Bearer abc\r\nX-Api-Key:k\r\nHost: h", "Authorization: **********\r\nX-Api-Key:*\r\nHost: h"),
            ("Set-Cookie: a=b; Path=/\n", "Set-Cookie: ***********\n"),
            (r#"{"user": "a", "Password" : "b\"c", "pwd":12,"n":1}"#, r#"{"user": "a", "Password" : "****", "pwd":**,"n":1}"#),
            ("name=\"password\"\r\n\r\nabc\r\n--x", "name=\"password\"\r\n\r\n***\r\n--x"),
            ("name=\"file\"\r\n\r\nabc\r\n--x", "name=\"file\"\r\n\r\nabc\r\n--x"),
            ("user[password]=ab&z=1", "user[password]=**&z=1"),
            ("client_secret=a;access_token=b", "client_secret=*;access_token=*"),
            ("12:30:45 it passed: yes", "12:30:45 it passed: yes"),
            ("Access-Control-Allow-Credentials: true\r\n", "Access-Control-Allow-Credentials: true\r\n"),
            ("compass=1&x=2", "compass=*&x=2"),
            ("http://host:8080/a@b", "http://host:8080/a@b"),
            ("http://host:8080", "http://host:8080"),
            ("GET http://u:pw", "GET http://u:**"),
            ("rcon abc status", "rcon *** status"),
            ("rcon \"a b\" status", "rcon ***** status"),
            ("rcon 123 \"a b\" status", "rcon 123 ***** status"),
            (r#"connect "\name\x\password\abc\rate\1""#, r#"connect "\name\x\password\***\rate\1""#),
            ("\\login\\\\passenc\\ab\\password\\abc", "\\login\\\\passenc\\ab\\password\\***"),
            (r"C:\name\x", r"C:\name\x"),
            ("s=-\r\nk=clear:abc\r\nk=prompt", "s=-\r\nk=clear:***\r\nk=prompt"),
            ("a=crypto:1 AES_CM_128 inline:abc|2^20 X=1", "a=crypto:1 AES_CM_128 inline:******** X=1"),
            ("s=-\r\na=ice-pwd:abc\r\na=ice-ufrag:d", "s=-\r\na=ice-pwd:***\r\na=ice-ufrag:d"),
            ("INVITE sip:a:pw@h SIP/2.0", "INVITE sip:a:**@h SIP/2.0"),
            (r#"{"jwt":"ab","sig":"c","nkey":"d","pwds":["e","f"]}"#, r#"{"jwt":"**","sig":"*","nkey":"d","pwds":[*******]}"#),
            ("<w:Password w:t=\"a\">bc</w:Password><n>d</n>", "<w:Password w:t=\"a\">**</w:Password><n>d</n>"),
            ("<password>\n<![CDATA[a]]></password>", "<password>**************</password>"),
            ("<password/><user>ab</user>", "<password/><user>ab</user>"),
            ("<e name=\"password\">ab</e><e name='n'>c</e>", "<e name=\"password\">**</e><e name='n'>c</e>"),
            ("<add key='Pwd' value='ab'/><n>c</n>", "<add key='Pwd' value='**'/><n>c</n>"),
            ("<input type='password' value='ab'>c</p>", "<input type='password' value='**'>c</p>"),
            ("<name>password</name> <value><s>ab</s></value>", "<name>password</name> <value>*****</s></value>"),
            ("<key>Token</key><string>ab</string><key>n</key>", "<key>Token</key><string>**</string><key>n</key>"),
            (
                r#"[{"name": "password", "value": "ab"},{"name":"n","value":"c"}]"#,
                r#"[{"name": "password", "value": "**"},{"name":"n","value":"c"}]"#,
            ),
        ] {
            assert_eq!(masked(text), shown);
        }
        let mut found = Vec::new();
        find(b"\x30\x26\x02\x01\x01\x04\x06public\xa0\x19", |range| found.push(range));
        assert_eq!(found.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>(), [(7, 13)]);
    }

    #[test]
    fn each_byte_of_secrets_inside_secrets_is_reported_once() {
        for piece in [
            "<pw>",
            "<e key='pw'>",
            "\"pw\":[",
            "pass=",
            "token=\"",
            "\\\"pwd\":\\\"",
            "name=\"password\"\r\n\r\n",
            "inline:",
            "\\pass\\",
            "\"pwd\": \"a\\\"",
        ] {
            let text = piece.repeat(2_000);
            let mut reported = 0;
            find(text.as_bytes(), |range| reported += range.len());
            assert!(reported <= 2 * text.len(), "{piece:?}: {reported} of {}", text.len());
        }
    }

    #[test]
    fn no_word_is_ruled_out_by_one_of_its_letters() {
        assert!(WHOLE.iter().chain(ENDS).all(|word| may_end(*word.last().unwrap()) && is_secret_name(word)));
        assert!(PARTS.iter().all(|word| may_begin_part(word[0]) && is_secret_name(&[b"x", *word, b"x"].concat())));
        assert!(COMMANDS.iter().chain([&&b"auth "[..]]).all(|word| may_begin_command(word[0])));
    }

    proptest! {
        #[test]
        fn ranges_of_secrets_are_within_the_text(
            text in proptest::collection::vec(prop_oneof![
                Just(b"password".to_vec()), Just(b"=".to_vec()), Just(b"\": \"".to_vec()), Just(b"://a:".to_vec()), Just(b"\r\n\r\n".to_vec()),
                Just(b"\nPASS ".to_vec()), Just(b"name=\"".to_vec()), Just(b"\x30\x84\x02\x01\0\x04\x7f".to_vec()), proptest::collection::vec(any::<u8>(), 0..4),
            ], 0..24)
        ) {
            let text = text.concat();
            find(&text, |range| assert!(range.start < range.end && range.end <= text.len()));
        }

        #[test]
        fn a_shorter_search_finds_each_secret_byte_before_its_end(
            text in proptest::collection::vec(prop_oneof![
                Just(b"password=".to_vec()), Just(b"pwd\": \"".to_vec()), Just(b"http://a:".to_vec()), Just(b"\\x\\pass\\".to_vec()),
                Just(b"\nPASS ".to_vec()), Just(b"@".to_vec()), Just(b"name=\"pwd\"\r\n\r\n".to_vec()), proptest::collection::vec(any::<u8>(), 0..4),
            ], 0..24),
            end in 0_usize..64,
        ) {
            let text = text.concat();
            let (mut whole, mut shorter) = (vec![false; text.len()], vec![false; text.len()]);
            find(&text, |range| whole[range].fill(true));
            find_before(&text, end, |range| shorter[range].fill(true));
            let end = end.min(text.len());
            assert_eq!(whole[..end], shorter[..end]);
        }
    }
}
