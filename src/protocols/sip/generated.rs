//! Generated fields: parts of addresses, and whole first lines.

use super::{CODE, PHRASE, URI, VERSION};
use crate::tree::{Computed, Field, NodeRef};
use std::borrow::Cow;

/// Parts of a header such as `"Name" <sip:user@host:port;parameter>;tag=1`, or of a URI.
struct Address<'a> {
    display: &'a str,
    uri: &'a str,
    parameters: &'a str,
}

impl<'a> Address<'a> {
    fn of(text: &'a str) -> Address<'a> {
        let text = text.trim();
        // Without angle brackets, parameters belong to the header (RFC 3261 section 20).
        let bare = |text: &'a str| {
            let (uri, parameters) = text.split_once(';').unwrap_or((text, ""));
            Address { display: "", uri: uri.trim(), parameters }
        };
        let Some((display, rest)) = text.split_once('<') else { return bare(text) };
        let Some((uri, parameters)) = rest.split_once('>') else { return bare(text) };
        let display = display.trim().trim_matches('"');
        Address { display, uri: uri.trim(), parameters: parameters.trim_start_matches([' ', '\t', ';']) }
    }

    fn user_and_host(&self) -> (Option<&'a str>, &'a str) {
        let behind = self.uri.split_once(':').map_or(self.uri, |(_, behind)| behind);
        match behind.split_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, behind),
        }
    }

    fn user(&self) -> Option<&'a str> {
        self.user_and_host().0.map(|user| user.split([':', ';']).next().unwrap_or_default())
    }

    fn host_and_port(&self) -> (&'a str, Option<&'a str>) {
        let host = self.user_and_host().1.split([';', '?']).next().unwrap_or_default();
        match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
            Some((inside, behind)) => (inside, behind.strip_prefix(':')),
            None => host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port))),
        }
    }

    fn tag(&self) -> Option<&'a str> {
        self.parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("tag="))
    }
}

/// Emits a part of the address of a header if it is present.
fn part(header: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>), of: impl for<'a> Fn(&Address<'a>) -> Option<&'a str>) {
    let text = header.text();
    if let Some(part) = of(&Address::of(&text)).filter(|part| !part.is_empty()) {
        take(Computed::made(part));
    }
}

pub(super) fn display(header: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    part(header, take, |address| Some(address.display));
}

pub(super) fn uri(header: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    part(header, take, |address| Some(address.uri));
}

pub(super) fn user(header: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    part(header, take, |address| address.user());
}

pub(super) fn host(header: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    part(header, take, |address| Some(address.host_and_port().0));
}

pub(super) fn port(header: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    part(header, take, |address| address.host_and_port().1);
}

pub(super) fn tag(header: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    part(header, take, |address| address.tag());
}

pub(super) fn sequence(cseq: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let Some(number) = cseq.text().split_ascii_whitespace().next().and_then(|word| word.parse().ok()) {
        take(Computed::Number(number));
    }
}

pub(super) fn sequence_method(cseq: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let Some(method) = cseq.text().split_ascii_whitespace().nth(1) {
        take(Computed::made(method));
    }
}

/// Emits the first line of a message, whose parts are consecutive nodes.
fn first_line(first: NodeRef<'_>, others: [&Field; 2], take: &mut dyn FnMut(Computed<'_>)) {
    let parts = first.behind().filter(|node| others.iter().any(|other| other.is(node.field()))).take(2);
    let mut line = first.masked_bytes().into_owned();
    parts.for_each(|part| line.extend_from_slice(&part.masked_bytes()));
    let end = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
    line.truncate(end);
    take(Computed::Text(Cow::Owned(line)));
}

pub(super) fn request_line(method: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    first_line(method, [&URI, &VERSION], take);
}

pub(super) fn status_line(version: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    first_line(version, [&CODE, &PHRASE], take);
}
