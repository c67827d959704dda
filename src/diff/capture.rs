//! Stores the messages of one side of a comparison.

use super::align::Keys;
use super::ignored::Ignored;
use super::label::Label;
use super::titles::Titles;
use crate::limits;
use crate::record;
use crate::tree::{self, Address, Kind, NodeRef, Side, StreamId, Transport, Value};
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::mem::size_of;
use std::ops::Range;

/// A value of a message.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) field: &'static tree::Field,
    pub(super) keys: Keys,
    /// Its name in tables, if it is not that of the field; a range of the capture's text.
    pub(super) title: Range<u32>,
    /// The value as in a column, a range of the capture's text.
    pub(super) text: Range<u32>,
    /// The meaning of the value; may be empty.
    pub(super) meaning: &'static str,
    /// The indexes of its node and of the last one below it.
    pub(super) nodes: (u32, u32),
    /// Its range in the message; empty if it is elsewhere.
    pub(super) bytes: Range<u64>,
}

#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) n: u64,
    pub(super) protocol: &'static tree::Field,
    pub(super) stream: Option<(StreamId, Side)>,
    pub(super) keys: Keys,
    name: Range<u32>,
    info: Range<u32>,
    fields: Range<u32>,
}

/// Messages between the same endpoints. Datagrams to one server are one conversation, whatever their source.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) transport: Option<Transport>,
    pub(super) stream: Option<StreamId>,
    pub(super) client: Option<Address>,
    pub(super) server: Option<Address>,
    /// The protocol of its first message.
    pub(super) protocol: &'static str,
    pub(super) members: Vec<usize>,
}

/// The endpoints that identify a conversation.
#[derive(PartialEq, Eq, Hash)]
enum Ends {
    Stream(StreamId),
    Server(Option<String>),
    Protocol(&'static str),
}

/// The messages of one side of a comparison.
#[derive(Default)]
pub struct Capture {
    pub name: String,
    /// Messages dropped at the limit.
    pub left_out: u64,
    pub(super) messages: Vec<Message>,
    pub(super) conversations: Vec<Conversation>,
    fields: Vec<Field>,
    text: String,
    found: HashMap<Ends, usize, foldhash::fast::FixedState>,
}

impl Capture {
    /// Creates an empty side with a name.
    pub fn new(name: String) -> Capture {
        Capture { name, ..Capture::default() }
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    fn used(&self) -> usize {
        self.text.len() + self.fields.len() * size_of::<Field>() + self.messages.len() * size_of::<Message>()
    }

    /// Adds a message. At the limit, it is counted.
    pub fn add(&mut self, message: &record::Message<'_>, ignored: &Ignored) {
        let Some(root) = message.node() else { return };
        let (first, text) = (self.fields.len(), self.text.len());
        let ends = message.ends();
        let stream = ends.and_then(|ends| ends.stream.filter(|_| !ends.is_undirected));
        let state = foldhash::fast::FixedState::default();
        let weak = state.hash_one((root.field().abbrev, stream.map(|(_, side)| side.index())));
        let mut strong = weak;
        let name = self.words(message.name());
        let info = self.words(&message.info());
        let range = message.of.tree.nodes_of(message.layer).unwrap_or(root.place()..root.last().saturating_add(1));
        let mut titles = Titles::default();
        for node in range.skip(1).filter_map(|place| message.of.node(place)) {
            if self.used() > limits::DIFF_MEMORY.get() {
                break;
            }
            if let Some(field) = self.field(root, node, &mut titles, ignored) {
                if !Label::of(field.field).is_volatile() {
                    strong = state.hash_one((strong, field.keys.strong));
                }
                self.fields.push(field);
            }
        }
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        if self.used() > limits::DIFF_MEMORY.get() {
            self.fields.truncate(first);
            self.text.truncate(text);
            self.left_out += 1;
            return;
        }
        let fields = place(first)..place(self.fields.len());
        let keys = Keys { strong, weak };
        self.join(ends, root.field().abbrev);
        self.messages.push(Message { n: message.n, protocol: root.field(), stream, keys, name, info, fields });
    }

    /// A compared value; groups have none.
    fn field(&mut self, root: NodeRef<'_>, node: NodeRef<'_>, titles: &mut Titles, ignored: &Ignored) -> Option<Field> {
        let field = node.field();
        let start = self.text.len();
        let is_key = titles.write(node, &mut self.text);
        let title = self.between(start);
        let is_value = !matches!((node.value(), field.kind), (Value::None, _) | (_, Kind::Protocol | Kind::Group));
        // Values without a span come from other fields or earlier messages, and the length of unknown bytes duplicates their
        // columns.
        if !is_value || !node.span().is_somewhere() || ignored.has(field) || field.abbrev == "data.len" {
            self.text.truncate(start);
            return None;
        }
        let bytes = match (node.span(), root.span()) {
            (span, whole) if span.source == whole.source && span.is_somewhere() && span.start >= whole.start => {
                u64::from(span.start - whole.start)..u64::from(span.end.saturating_sub(whole.start))
            }
            _ => 0..0,
        };
        if ignored.has_span(&bytes) {
            self.text.truncate(start);
            return None;
        }
        let start = self.text.len();
        node.write_plain(&mut self.text).ok()?;
        let text = self.between(start);
        let state = foldhash::fast::FixedState::default();
        // Under one key, values of two types are compared with each other.
        let weak = if is_key { state.hash_one(("", self.piece(&title))) } else { state.hash_one(field.abbrev) };
        // Masked secrets are not compared: a capture of guesses must not reveal them.
        let strong = state.hash_one((weak, self.piece(&text)));
        let keys = Keys { strong, weak };
        Some(Field {
            field,
            title,
            keys,
            text,
            meaning: node.name().unwrap_or_default(),
            nodes: (node.place(), node.last()),
            bytes,
        })
    }

    /// Adds the next message to its conversation.
    fn join(&mut self, ends: Option<&tree::Ends>, protocol: &'static str) {
        let stream = ends.and_then(|ends| ends.stream);
        let (src, dst) = ends.map_or((None, None), |ends| (ends.src, ends.dst));
        let (client, server) = if stream.is_some_and(|(_, side)| side == Side::Server) { (dst, src) } else { (src, dst) };
        let key = match stream {
            Some((id, _)) if id.transport.has_datagrams() => Ends::Server(server.map(|server| server.to_string())),
            Some((id, _)) => Ends::Stream(id),
            None => Ends::Protocol(protocol),
        };
        let next = self.conversations.len();
        let place = *self.found.entry(key).or_insert(next);
        if place == next {
            let stream = stream.map(|(id, _)| id);
            let transport = stream.map(|id| id.transport);
            self.conversations.push(Conversation { transport, stream, client, server, protocol, members: Vec::new() });
        }
        if let Some(conversation) = self.conversations.get_mut(place) {
            conversation.members.push(self.messages.len());
        }
    }

    fn words(&mut self, words: &str) -> Range<u32> {
        let start = self.text.len();
        // Writing to a string cannot fail.
        let _ = tree::clean(words, &mut self.text);
        self.between(start)
    }

    fn between(&self, start: usize) -> Range<u32> {
        u32::try_from(start).unwrap_or(u32::MAX)..u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn piece(&self, range: &Range<u32>) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    pub(super) fn fields_of(&self, message: &Message) -> &[Field] {
        self.fields.get(message.fields.start as usize..message.fields.end as usize).unwrap_or_default()
    }

    pub(super) fn field_at(&self, place: u32) -> Option<&Field> {
        self.fields.get(place as usize)
    }

    /// The index of the first field of a message.
    pub(super) fn first_field(message: &Message) -> u32 {
        message.fields.start
    }

    pub(super) fn name_of(&self, message: &Message) -> &str {
        self.piece(&message.name)
    }

    pub(super) fn info_of(&self, message: &Message) -> &str {
        self.piece(&message.info)
    }

    /// The messages of a conversation.
    pub(super) fn members(&self, conversation: Option<usize>) -> &[usize] {
        conversation.and_then(|at| self.conversations.get(at)).map(|found| found.members.as_slice()).unwrap_or_default()
    }
}
