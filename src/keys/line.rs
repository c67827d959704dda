//! One line of a key file.

use super::conditions::{Conditions, NAMES};
use super::ring::Owner;
use super::value;
use crate::nearest::nearest;
use std::net::SocketAddr;
use std::sync::Arc;

/// A key and the conversations that it serves.
pub(super) struct Entry {
    pub(super) protocol: Box<str>,
    pub(super) name: Box<str>,
    pub(super) value: Arc<[u8]>,
    pub(super) conditions: Conditions,
}

/// Parses a line. Blank lines and comments are `None`.
pub(super) fn parse(line: &[u8]) -> Result<Option<Entry>, String> {
    if line.contains(&0) {
        return Err("expected UTF-8 text; this may be UTF-16".to_owned());
    }
    let line = std::str::from_utf8(line).map_err(|_| "expected UTF-8 text".to_owned())?;
    let mut words = Words(line);
    let Some(protocol) = words.next()? else { return Ok(None) };
    let name = words.next()?.ok_or("expected a name and a value after the protocol")?;
    if [protocol, name].iter().any(|word| word.starts_with('"')) {
        return Err("expected protocol, name and value, in this order".to_owned());
    }
    let value = words.next()?.ok_or("expected a value after the name, such as hex digits")?;
    let value = value::parse(value)?;
    let mut conditions = Conditions::default();
    while let Some(word) = words.next()? {
        let (name, value) = word.split_once('=').ok_or("expected client=, server=, from=, until= or stream= after the value")?;
        if !NAMES.contains(&name) {
            return Err(unknown(name));
        }
        conditions.add(name, value)?;
    }
    Ok(Some(Entry { protocol: protocol.into(), name: name.into(), value: value.into(), conditions }))
}

/// An unknown condition. It is not quoted: it may be a part of the value.
fn unknown(name: &str) -> String {
    let meant = nearest(name, NAMES).first().map(|name| format!("; did you mean {name}=?"));
    format!("expected client=, server=, from=, until= or stream= after the value{}", meant.unwrap_or_default())
}

/// The words of a line. `#` outside a quoted text begins a comment.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<Option<&'a str>, String> {
        let rest = self.0.trim_start();
        let end = match rest.as_bytes().first() {
            None | Some(b'#') => 0,
            Some(b'"') => value::quoted_length(rest).ok_or("expected \" at the end of the text")?,
            Some(_) => rest.find(|letter: char| letter.is_whitespace() || letter == '#').unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(end);
        self.0 = if end == 0 { "" } else { behind };
        if word.starts_with('"') && !behind.is_empty() && !behind.starts_with([' ', '\t', '\r', '#']) {
            return Err("expected a blank after the text".to_owned());
        }
        Ok((end > 0).then_some(word))
    }
}

/// The line that would serve a conversation, with `HEX` for the value.
pub fn line_for(protocol: &str, name: &str, owner: &Owner) -> String {
    let end = |end: SocketAddr| end.to_string();
    match owner.ends {
        Some([client, server]) => format!("{protocol} {name} HEX client={} server={}", end(client), end(server)),
        None => format!("{protocol} {name} HEX stream={}", owner.stream),
    }
}
