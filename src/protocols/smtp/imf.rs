//! Headers of mails (RFC 5322) as generated fields of the mail data, with tshark's names of the Internet Message Format.

use super::MAIL;
use crate::tree::{Computed, NodeRef, fields};
use crate::wire::Protocol;
use std::borrow::Cow;
use std::ops::Range;

/// Headers of mails. They are fields of the mail data and form no layer.
pub static PROTOCOL: Protocol = Protocol::new(&IMF, FIELDS);

fields! {
    IMF = protocol("imf", "IMF", "Internet Message Format")
        .covers("Headers of mails, for filters and columns")
        .leaves_open("Addresses within headers, bodies and their parts");
    DATE = text("imf.date", "Date", "When the author completed the mail").generated(&[&MAIL], |mail, take| header(mail, "Date", take));
    FROM = text("imf.from", "From", "Authors").generated(&[&MAIL], |mail, take| header(mail, "From", take));
    SENDER = text("imf.sender", "Sender", "Mailbox that transmitted the mail").generated(&[&MAIL], |mail, take| header(mail, "Sender", take));
    REPLY_TO = text("imf.reply_to", "Reply-To", "Mailboxes for replies").generated(&[&MAIL], |mail, take| header(mail, "Reply-To", take));
    TO = text("imf.to", "To", "Primary recipients").generated(&[&MAIL], |mail, take| header(mail, "To", take));
    CC = text("imf.cc", "Cc", "Carbon copy recipients").generated(&[&MAIL], |mail, take| header(mail, "Cc", take));
    BCC = text("imf.bcc", "Bcc", "Blind carbon copy recipients").generated(&[&MAIL], |mail, take| header(mail, "Bcc", take));
    MESSAGE_ID = text("imf.message_id", "Message-ID", "Unique identifier of the mail").generated(&[&MAIL], |mail, take| header(mail, "Message-ID", take));
    IN_REPLY_TO = text("imf.in_reply_to", "In-Reply-To", "Identifiers of the mails that this one replies to").generated(&[&MAIL], |mail, take| header(mail, "In-Reply-To", take));
    REFERENCES = text("imf.references", "References", "Identifiers of related mails").generated(&[&MAIL], |mail, take| header(mail, "References", take));
    SUBJECT = text("imf.subject", "Subject", "").generated(&[&MAIL], |mail, take| header(mail, "Subject", take));
    COMMENTS = text("imf.comments", "Comments", "").generated(&[&MAIL], |mail, take| header(mail, "Comments", take));
    USER_AGENT = text("imf.user_agent", "User-Agent", "Software of the author").generated(&[&MAIL], |mail, take| header(mail, "User-Agent", take));
    KEYWORDS = text("imf.keywords", "Keywords", "").generated(&[&MAIL], |mail, take| header(mail, "Keywords", take));
    RETURN_PATH = text("imf.return_path", "Return-Path", "Mailbox for delivery failures").generated(&[&MAIL], |mail, take| header(mail, "Return-Path", take));
    RECEIVED = text("imf.received", "Received", "Trace of a server on the path").generated(&[&MAIL], |mail, take| header(mail, "Received", take));
    CONTENT_TYPE = text("imf.content.type", "Content-Type", "Media type of the body").generated(&[&MAIL], |mail, take| header(mail, "Content-Type", take));
    CONTENT_DESCRIPTION = text("imf.content.description", "Content-Description", "").generated(&[&MAIL], |mail, take| header(mail, "Content-Description", take));
    CONTENT_ID = text("imf.content.id", "Content-ID", "Unique identifier of the body").generated(&[&MAIL], |mail, take| header(mail, "Content-ID", take));
    CONTENT_ENCODING = text("imf.content.transfer_encoding", "Content-Transfer-Encoding", "").generated(&[&MAIL], |mail, take| header(mail, "Content-Transfer-Encoding", take));
    MIME_VERSION = text("imf.mime_version", "MIME-Version", "").generated(&[&MAIL], |mail, take| header(mail, "MIME-Version", take));
    CONTENT_LANGUAGE = text("imf.content_language", "Content-Language", "").generated(&[&MAIL], |mail, take| header(mail, "Content-Language", take));
    DELIVERY_DATE = text("imf.delivery_date", "Delivery-Date", "").generated(&[&MAIL], |mail, take| header(mail, "Delivery-Date", take));
    EXPIRES = text("imf.expires", "Expires", "").generated(&[&MAIL], |mail, take| header(mail, "Expires", take));
    IMPORTANCE = text("imf.importance", "Importance", "").generated(&[&MAIL], |mail, take| header(mail, "Importance", take));
    PRIORITY = text("imf.priority", "Priority", "").generated(&[&MAIL], |mail, take| header(mail, "Priority", take));
    SENSITIVITY = text("imf.sensitivity", "Sensitivity", "").generated(&[&MAIL], |mail, take| header(mail, "Sensitivity", take));
    DELIVERED_TO = text("imf.delivered_to", "Delivered-To", "Mailbox of the delivery").generated(&[&MAIL], |mail, take| header(mail, "Delivered-To", take));
    MAILER = text("imf.ext.mailer", "X-Mailer", "Software of the author").generated(&[&MAIL], |mail, take| header(mail, "X-Mailer", take));
    MIMEOLE = text("imf.ext.mimeole", "X-MimeOLE", "MIME library of the author's software").generated(&[&MAIL], |mail, take| header(mail, "X-MimeOLE", take));
    VIRUS_SCANNED = text("imf.ext.virus_scanned", "X-Virus-Scanned", "Virus scanner").generated(&[&MAIL], |mail, take| header(mail, "X-Virus-Scanned", take));
    ORIGINAL_TO = text("imf.ext.original-to", "X-Original-To", "").generated(&[&MAIL], |mail, take| header(mail, "X-Original-To", take));
    THREAD_INDEX = text("imf.thread-index", "Thread-Index", "Position in a thread").generated(&[&MAIL], |mail, take| header(mail, "Thread-Index", take));
    LINES = text("imf.lines", "Lines", "Number of lines").generated(&[&MAIL], |mail, take| header(mail, "Lines", take));
    PRECEDENCE = text("imf.precedence", "Precedence", "Such as bulk or list").generated(&[&MAIL], |mail, take| header(mail, "Precedence", take));
    CONTENT_TYPE_TYPE = text("imf.content.type.type", "Type", "Media type without parameters").generated(&[&MAIL], |mail, take| content(mail, false, take));
    CONTENT_TYPE_PARAMETERS = text("imf.content.type.parameters", "Parameters", "Parameters of the media type").generated(&[&MAIL], |mail, take| content(mail, true, take));
    EXTENSION = text("imf.extension", "unknown extension", "Header without a specific field").generated(&[&MAIL], |mail, take| extension(mail, Part::Line, take));
    EXTENSION_TYPE = text("imf.extension.type", "Type", "Name of the header").generated(&[&MAIL], |mail, take| extension(mail, Part::Name, take));
    EXTENSION_VALUE = text("imf.extension.value", "Value", "Value of the header").generated(&[&MAIL], |mail, take| extension(mail, Part::Value, take));
}

/// Names of headers with their own field.
const NAMES: &[&str] = &[
    "Bcc",
    "Cc",
    "Comments",
    "Content-Description",
    "Content-ID",
    "Content-Language",
    "Content-Transfer-Encoding",
    "Content-Type",
    "Date",
    "Delivered-To",
    "Delivery-Date",
    "Expires",
    "From",
    "Importance",
    "In-Reply-To",
    "Keywords",
    "Lines",
    "MIME-Version",
    "Message-ID",
    "Precedence",
    "Priority",
    "Received",
    "References",
    "Reply-To",
    "Return-Path",
    "Sender",
    "Sensitivity",
    "Subject",
    "Thread-Index",
    "To",
    "User-Agent",
    "X-Mailer",
    "X-MimeOLE",
    "X-Original-To",
    "X-Virus-Scanned",
];

/// Largest part of a mail in bytes that is searched for headers.
const MAX_HEADERS: usize = 64 << 10;

/// Header with its continuation lines.
struct Header<'a> {
    all: &'a [u8],
    name: &'a [u8],
    value: &'a [u8],
}

impl Header<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// The displayed part of an unknown header.
#[derive(Clone, Copy)]
enum Part {
    Line,
    Name,
    Value,
}

/// Offset of the line that ends mail data.
fn without_end(mail: &[u8]) -> usize {
    match mail {
        b".\r\n" => 0,
        _ => mail.len() - if mail.ends_with(b"\r\n.\r\n") { 5 } else { 0 },
    }
}

/// Calls `take` for each header, up to the empty line or an invalid header.
fn headers(text: &[u8], take: &mut dyn FnMut(Header<'_>)) {
    let mut left = text.get(..text.len().min(MAX_HEADERS)).unwrap_or_default();
    while let Some(end) = folded_end(left) {
        let (all, behind) = left.split_at(end);
        left = behind;
        let line = all.strip_suffix(b"\r\n").or_else(|| all.strip_suffix(b"\n")).unwrap_or(all);
        let Some(colon) = memchr::memchr(b':', line) else { return };
        let (name, value) = line.split_at(colon);
        if matches!(name, [] | [b' ' | b'\t', ..]) || name.iter().any(|byte| !byte.is_ascii_graphic() && *byte != b' ') {
            return;
        }
        let value = value.get(1..).unwrap_or_default().trim_ascii_start();
        take(Header { all: line, name, value });
    }
}

/// End of a line with its continuation lines; `None` for an empty line.
fn folded_end(text: &[u8]) -> Option<usize> {
    let mut end = 0;
    loop {
        let line = memchr::memchr(b'\n', text.get(end..)?).map_or(text.len(), |at| end + at + 1);
        if line == end || matches!(text.get(end..line), Some(b"\r\n" | b"\n")) {
            return (end > 0).then_some(end);
        }
        end = line;
        if !matches!(text.get(end), Some(b' ' | b'\t')) {
            return Some(end);
        }
    }
}

/// Calls `take` for each header, with secrets masked.
fn each(mail: NodeRef<'_>, take: &mut dyn FnMut(Header<'_>)) {
    let text = mail.masked_bytes();
    headers(text.get(..without_end(&text)).unwrap_or_default(), take);
}

fn text(value: &[u8]) -> Computed<'static> {
    Computed::Text(Cow::Owned(value.to_vec()))
}

fn header(mail: NodeRef<'_>, name: &str, take: &mut dyn FnMut(Computed<'_>)) {
    each(mail, &mut |header| {
        if header.is(name) {
            take(text(header.value));
        }
    });
}

/// Emits the media type, or its parameters.
fn content(mail: NodeRef<'_>, parameters: bool, take: &mut dyn FnMut(Computed<'_>)) {
    each(mail, &mut |header| {
        if !header.is("Content-Type") {
            return;
        }
        let end = memchr::memchr(b';', header.value);
        let range: Option<Range<usize>> = match (parameters, end) {
            (false, end) => Some(0..end.unwrap_or(header.value.len())),
            (true, end) => end.map(|end| end + 1..header.value.len()),
        };
        if let Some(value) = range.and_then(|range| header.value.get(range)) {
            take(text(value));
        }
    });
}

fn extension(mail: NodeRef<'_>, part: Part, take: &mut dyn FnMut(Computed<'_>)) {
    each(mail, &mut |header| {
        if !NAMES.iter().any(|name| header.is(name)) {
            take(text(match part {
                Part::Line => header.all,
                Part::Name => header.name,
                Part::Value => header.value,
            }));
        }
    });
}

/// The frames of mail data, each once.
fn frames(mail: NodeRef<'_>) -> Vec<u64> {
    let of = mail.dissection();
    let source = of.tree.source(mail.span());
    let mut frames: Vec<u64> = source.iter().flat_map(|source| of.tree.pieces_of(source)).map(|piece| piece.frame).collect();
    frames.dedup();
    frames
}

pub(super) fn fragmented(mail: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if !frames(mail).is_empty() {
        take(Computed::Bool(true));
    }
}

pub(super) fn fragments(mail: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    frames(mail).into_iter().for_each(|frame| take(Computed::Number(frame)));
}

pub(super) fn fragment_count(mail: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let count @ 1.. = frames(mail).len() {
        take(Computed::Number(count as u64));
    }
}

pub(super) fn length(mail: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    take(Computed::Number(without_end(mail.bytes()) as u64));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_folded_and_end_with_an_empty_line() {
        let mail = b"Subject: a\r\n\tb\r\nX: \r\nTo:c\r\n\r\nFrom: d\r\n";
        let mut seen = Vec::new();
        headers(mail, &mut |header| {
            seen.push((String::from_utf8_lossy(header.name).into_owned(), String::from_utf8_lossy(header.value).into_owned()));
        });
        let expected = [("Subject", "a\r\n\tb"), ("X", ""), ("To", "c")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(seen, expected);
        assert!([&b"no header\r\n"[..], b"\r\n", b"", b": x", b" folded: x"].iter().all(|text| {
            let mut none = true;
            headers(text, &mut |_| none = false);
            none
        }));
        assert_eq!((without_end(b"a\r\n.\r\n"), without_end(b".\r\n"), without_end(b"a")), (1, 0, 1));
    }
}
