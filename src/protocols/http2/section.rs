//! Requests and responses from header fields.

use super::headers::Section;
use super::streams::Streams;
use super::{FULL_URI, RESPONSE_TO, body};
use crate::protocols::http::{CODES, Coding};
use crate::protocols::lines;
use crate::tree::{Side, name_of};
use crate::wire::{Result, Wire};

/// The stream of a header block.
#[derive(Clone, Copy)]
pub(in crate::protocols) struct Owner {
    pub(in crate::protocols) id: u64,
    pub(in crate::protocols) ends: bool,
    /// The block is the request of a promised stream.
    pub(in crate::protocols) is_promise: bool,
}

/// Adds the request or response that the header fields form.
pub(in crate::protocols) fn message(
    wire: &mut Wire<'_>,
    streams: &mut Streams,
    from: Side,
    owner: Owner,
    section: Section,
) -> Result {
    let id = owner.id;
    if !section.method.is_empty() {
        let (uri, target) = section.uri();
        let shown = wire.masked(&uri).into_owned();
        wire.add_text(&FULL_URI, format_args!("{shown}"));
        if owner.is_promise {
            wire.info(format_args!("{} {shown}, stream {id}", section.method));
        } else {
            wire.name(&section.method);
            wire.info(format_args!("{shown}, stream {id}"));
        }
        let stream = streams.of(id);
        (stream.uri, stream.target) = (uri, target);
    } else if !section.status.is_empty() {
        let uri = streams.get(id).map(|stream| wire.masked(&stream.uri).into_owned()).unwrap_or_default();
        if !uri.is_empty() {
            wire.add_text(&RESPONSE_TO, format_args!("{uri}"));
        }
        let phrase = lines::number(section.status.as_bytes()).and_then(|code| name_of(CODES, code)).unwrap_or_default();
        let kind = String::from_utf8_lossy(&section.kind);
        let parts = [phrase, &kind, &if uri.is_empty() { String::new() } else { format!("of {uri}") }].map(str::to_owned);
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        wire.name(&section.status);
        wire.info(format_args!("{}, stream {id}", parts.join(", ")));
    } else {
        wire.info(format_args!("trailers, stream {id}"));
    }
    // The server sends the promised request on behalf of the client.
    let side = if owner.is_promise { Side::Client } else { from };
    let is_trailer = section.method.is_empty() && section.status.is_empty();
    if !is_trailer {
        let half = streams.of(id).half(side);
        (half.kind, half.coding) = (section.kind, Coding::of(&section.coding));
    }
    if owner.ends {
        body::finish(wire, streams, id, side)?;
        streams.end(id, side);
    }
    Ok(())
}
