//! Lines and literals of the client.

use super::*;
use crate::tree::Value;
use crate::wire::{Result, Wire};

impl Session {
    /// Dissects a literal of a client.
    pub(super) fn client_literal(&mut self, wire: &mut Wire<'_>) -> Result {
        let length = std::mem::take(&mut self.literal).min(wire.remaining());
        wire.name("literal");
        match &mut self.login {
            Login::Arguments(count) => {
                *count += 1;
                let field = if *count == 1 { &USER } else { &PASSWORD };
                wire.text(field, length).map(drop)
            }
            Login::Sasl => wire.text(&CREDENTIALS, length).map(drop),
            Login::No => {
                wire.info(format_args!("{length} bytes"));
                wire.embeds("imf");
                wire.text(&LITERAL, length).map(drop)
            }
        }
    }

    /// Adds the fields of a client line.
    pub(super) fn client_line(&mut self, wire: &mut Wire<'_>, text: &[u8], is_first: bool) {
        let start = wire.at();
        if self.login == Login::Sasl {
            wire.name("authentication");
            wire.put(&CREDENTIALS, Value::Text, start..start + text.len());
            return;
        }
        if self.continues || !is_first {
            if !text.is_empty() {
                wire.put(&CONTINUATION, Value::Text, start..start + text.len());
            }
            self.arguments(wire, text, 0);
            return wire.name("continuation");
        }
        wire.put(&REQUEST, Value::Text, start..start + text.len());
        self.command(wire, text);
    }

    /// A tag and a command with its arguments.
    fn command(&mut self, wire: &mut Wire<'_>, text: &[u8]) {
        let start = wire.at();
        let range = |word: &[u8], from: usize| start + from..start + from + word.len();
        let (tag, first) = (word(text, 0), word(text, 1));
        if first.is_empty() {
            // DONE ends IDLE without a tag.
            return wire.name(&String::from_utf8_lossy(tag).to_ascii_uppercase());
        }
        wire.put(&REQUEST_TAG, Value::Text, range(tag, 0));
        let mut at = tag.len() + 1;
        let is_uid = first.eq_ignore_ascii_case(b"UID") && !word(text, 2).is_empty();
        if is_uid {
            wire.put(&IS_UID, Value::Bool(true), range(first, at));
            at += first.len() + 1;
        }
        let command = word(text, 1 + usize::from(is_uid));
        wire.put(&COMMAND, Value::Text, range(command, at));
        let upper = String::from_utf8_lossy(command).to_ascii_uppercase();
        wire.name(&format!("{}{upper}", if is_uid { "UID " } else { "" }));
        at += command.len() + 1;
        self.requests.ask(tag.into(), wire);
        self.tls = upper == "STARTTLS";
        let arguments = text.get(at..).unwrap_or_default();
        if matches!(upper.as_str(), "LOGIN" | "AUTHENTICATE") {
            self.login_tag = tag.into();
        }
        match upper.as_str() {
            "LOGIN" => {
                self.login = Login::Arguments(0);
                self.arguments(wire, arguments, at);
            }
            "AUTHENTICATE" => {
                self.login = Login::Sasl;
                let mechanism = word(arguments, 0);
                wire.info(format_args!("{}", String::from_utf8_lossy(mechanism)));
                let initial = arguments.get(mechanism.len() + 1..).unwrap_or_default();
                if !initial.is_empty() {
                    wire.put(&CREDENTIALS, Value::Text, range(initial, at + mechanism.len() + 1));
                }
            }
            _ => {
                wire.info(format_args!("{}", String::from_utf8_lossy(arguments)));
                if let Some((name, from)) = folder(command, arguments) {
                    wire.put(&FOLDER, Value::Text, range(name, at + from));
                }
            }
        }
    }

    /// Adds user and password of LOGIN, either of which may be a literal. `at` is the offset of the text in the line.
    fn arguments(&mut self, wire: &mut Wire<'_>, text: &[u8], at: usize) {
        let Login::Arguments(count) = &mut self.login else { return };
        let mut next = 0;
        while let Some((word, from)) = argument(text, next).filter(|(word, _)| announced(word).is_none()) {
            let range = wire.at() + at + from..wire.at() + at + from + word.len();
            *count += 1;
            if *count == 1 {
                wire.info(format_args!("{}", String::from_utf8_lossy(word)));
                wire.put(&USER, Value::Text, range);
            } else {
                wire.put(&PASSWORD, Value::Text, range);
            }
            next = from + word.len() + 1;
        }
    }
}

/// The mailbox among the arguments of a command, and its offset.
fn folder<'a>(command: &[u8], arguments: &'a [u8]) -> Option<(&'a [u8], usize)> {
    let first = argument(arguments, 0);
    if is_one_of(command, OF_FOLDERS) {
        Some(first.unwrap_or_default())
    } else if is_one_of(command, &["COPY", "MOVE"]) {
        first.and_then(|(set, from)| argument(arguments, from + set.len() + 1))
    } else {
        None
    }
}

/// The argument that begins at this offset, without its quotes, and its offset.
fn argument(text: &[u8], from: usize) -> Option<(&[u8], usize)> {
    let blanks = text.get(from..)?.iter().take_while(|byte| matches!(byte, b' ' | b'"')).count();
    let is_quoted = text.get(..from + blanks)?.ends_with(b"\"");
    let rest = text.get(from + blanks..).filter(|rest| !rest.is_empty())?;
    let end = rest.iter().position(|byte| *byte == if is_quoted { b'"' } else { b' ' });
    Some((rest.get(..end.unwrap_or(rest.len()))?, from + blanks))
}
