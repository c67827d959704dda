//! Content of a conversation instead of its raw bytes: messages with decoded bodies, or decrypted bytes.

use super::secrets::Secrets;
use super::{Event, Missing, Offsets, Payload};
use crate::protocols::CONTENTS;
use crate::record::{Message, Record, RecordTimes};
use crate::registry::Registry;
use crate::tree::{Demand, Dissection, Ends, Field, Layer, NodeRef, Only, Origin, Side, Span, StreamId};
use crate::wire::{ContentSource, FollowedContent};
use std::borrow::Cow;

/// Followed content of a conversation.
#[derive(Debug, Clone, Copy, Default)]
pub enum Content {
    /// Raw bytes.
    #[default]
    Bytes,
    /// Content that a protocol declares.
    Of(&'static FollowedContent),
}

impl Content {
    /// Content of this name, as `-z follow` takes it.
    pub fn named(name: &str) -> Option<Content> {
        CONTENTS.iter().copied().find(|content| content.name == name).map(Content::Of)
    }

    /// Names of all content but raw bytes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        CONTENTS.iter().map(|content| content.name)
    }
}

/// Extracts content from trees.
pub(super) struct ContentExtractor {
    content: &'static FollowedContent,
    layers: Vec<&'static Field>,
    fields: [Vec<&'static Field>; 3],
    /// Whether the conversation uses the protocol.
    pub(super) met: bool,
    /// Nodes of the current tree already reported.
    reported: Vec<u32>,
}

impl ContentExtractor {
    pub(super) fn new(content: &'static FollowedContent, registry: Registry) -> ContentExtractor {
        let layers = registry.named(content.name);
        let named = |names: &[&str]| names.iter().flat_map(|name| registry.named(name)).collect();
        let fields = match content.source {
            ContentSource::Messages { head_end, body, parts } => [head_end, body, parts].map(named),
            ContentSource::Deciphered { .. } => [const { Vec::new() }; 3],
        };
        ContentExtractor { content, layers, fields, met: false, reported: Vec::new() }
    }

    /// Required fields.
    pub(super) fn demand(&self) -> Demand {
        match self.content.source {
            ContentSource::Messages { .. } => Demand::of_stream_fields(Only::these(self.fields.iter().flatten().copied())),
            ContentSource::Deciphered { .. } => Demand::STREAM_BYTES,
        }
    }

    pub(super) fn begin(&mut self) {
        self.reported.clear();
    }

    /// Reports the content in a record.
    pub(super) fn record<E>(
        &mut self,
        record: &Record<'_>,
        is_meant: impl Fn(StreamId) -> bool,
        secrets: &Secrets,
        offsets: &mut Offsets,
        emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match record {
            Record::Gap(gap) if is_meant(gap.stream) && gap.elements.is_none() => {
                let off = *offsets.behind(gap.stream, gap.side);
                emit(Event::Missing(Missing { stream: gap.stream, side: gap.side, off, len: gap.len, frame: gap.frame }))
            }
            Record::Message(message) => {
                for layer in message.carriers().into_iter().chain([message.layer]) {
                    self.layer(*message, layer, &is_meant, secrets, offsets, emit)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reports content in layers without a message.
    pub(super) fn rest<E>(
        &mut self,
        of: Dissection<'_>,
        is_meant: impl Fn(StreamId) -> bool,
        secrets: &Secrets,
        offsets: &mut Offsets,
        emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for layer in &of.tree.layers {
            let message = Message { n: 0, times: RecordTimes::default(), of, layer, bookmarks: None };
            self.layer(message, layer, &is_meant, secrets, offsets, emit)?;
        }
        Ok(())
    }

    fn layer<E>(
        &mut self,
        message: Message<'_>,
        layer: &Layer,
        is_meant: &impl Fn(StreamId) -> bool,
        secrets: &Secrets,
        offsets: &mut Offsets,
        emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let of = message.of;
        let (Some(node), Some(ends)) = (of.layer_node(layer), of.tree.ends.get(layer.ends as usize)) else { return Ok(()) };
        let Some((stream, side)) = ends.stream.filter(|(id, _)| is_meant(*id)) else { return Ok(()) };
        let is_own = self.layers.iter().any(|field| field.is(node.field()));
        self.met |= is_own;
        let is_in_messages = matches!(self.content.source, ContentSource::Messages { .. });
        let is_it = if is_in_messages { is_own } else { is_deciphered(of, node, self.content.name) };
        if !is_it || self.reported.contains(&layer.node) {
            return Ok(());
        }
        self.reported.push(layer.node);
        let (bytes, secret) = if is_in_messages {
            let (bytes, secret) = self.decoded(node, secrets);
            (Cow::Owned(bytes), secret)
        } else {
            secrets.mask(node.span(), node.bytes())
        };
        emit_payload((stream, side), ends, message, (&bytes, secret), offsets, emit)
    }

    /// The head of a message and its decoded body.
    fn decoded(&self, message: NodeRef<'_>, secrets: &Secrets) -> (Vec<u8>, usize) {
        let [blank, body, chunk] = &self.fields;
        let find = |fields: &[&'static Field]| message.behind().find(|node| fields.iter().any(|field| field.is(node.field())));
        let (mut all, mut secret) = (Vec::new(), 0);
        let mut take = |span: Span, bytes: &[u8]| {
            let (shown, count) = secrets.mask(span, bytes);
            all.extend_from_slice(&shown);
            secret += count;
        };
        let span = message.span();
        if let Some(end) = find(blank).map(NodeRef::span).filter(|blank| blank.source == span.source) {
            let head = (end.end.saturating_sub(span.start)) as usize;
            take(span, message.bytes().get(..head).unwrap_or_default());
        }
        if let Some(body) = find(body) {
            take(body.span(), body.bytes());
        } else {
            for chunk in message.behind().filter(|node| chunk.iter().any(|field| field.is(node.field()))) {
                take(chunk.span(), chunk.bytes());
            }
        }
        (all, secret)
    }
}

fn emit_payload<E>(
    (stream, side): (StreamId, Side),
    ends: &Ends,
    message: Message<'_>,
    (bytes, secret): (&[u8], usize),
    offsets: &mut Offsets,
    emit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
) -> Result<(), E> {
    if bytes.is_empty() {
        return Ok(());
    }
    let behind = offsets.behind(stream, side);
    let off = std::mem::replace(behind, behind.saturating_add(bytes.len() as u64));
    emit(Event::Payload(Payload { stream, side, off, is_stray: false, bytes, secret, ends, message }))
}

/// Whether a layer is a complete source deciphered by a method, not a part of another layer.
fn is_deciphered(of: Dissection<'_>, node: NodeRef<'_>, method: &str) -> bool {
    let span = node.span();
    of.tree.source(span).is_some_and(|source| {
        let is_meant = matches!(source.origin, Origin::Derived(derived) if derived.method == method && derived.is_deciphered);
        is_meant && span.start == 0 && u64::from(span.end) == source.len()
    })
}
