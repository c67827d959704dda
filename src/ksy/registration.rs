//! The key `-proto-dissect` of `meta`: where a protocol is found, and how its messages are framed.

use super::expr::Expr;
use super::model::{Spec, Ty, TypeId};
use super::source_range::SourceRange;
use std::ops::RangeInclusive;

/// Where the protocol of a file is found, and its display.
#[derive(Debug, Clone)]
pub struct Registration {
    /// `transport`: the carriers. Empty if only the user selects the protocol.
    pub carriers: Vec<Carrier>,
    /// `ports`, for both TCP and UDP.
    pub ports: Vec<RangeInclusive<u16>>,
    /// `magic`: alternatives for the first bytes of a direction or a datagram. Empty without detection by content.
    pub magic: Vec<Vec<u8>>,
    /// `framing` of streams.
    pub framing: Framed,
    /// `message`: the repeated type.
    pub message: Option<TypeId>,
    /// `roots`: the type at the start of each direction.
    pub roots: Roots,
    /// `max-message`: maximum message size on a stream.
    pub max_message: Option<usize>,
    /// `resync`: where a direction without message boundaries goes on.
    pub resync: Resync,
    /// `name`, by the type of the message: a member of an enum, or text.
    pub names: Vec<(TypeId, Expr)>,
    /// `info`, by the type of the message: text.
    pub infos: Vec<(TypeId, Expr)>,
    /// `secret`: paths of attributes below a message.
    pub secrets: Vec<Secret>,
    /// `session`: the variables of a conversation.
    pub session: Vec<Variable>,
    /// `deliver`: the elements of a message that carry messages.
    pub deliver: Option<Deliver>,
    /// Position of the key.
    pub place: SourceRange,
}

/// Elements that carry messages. All expressions but the lists are of an element.
#[derive(Debug, Clone)]
pub struct Deliver {
    /// The lists, by the type of the message that contains them.
    pub lists: Vec<(TypeId, Expr)>,
    /// The type of the elements.
    pub element: TypeId,
    /// `when`: which of them carry messages.
    pub when: Option<Expr>,
    /// The bytes of a message, or of a part of it.
    pub data: Expr,
    /// `by`: the ordered stream.
    pub by: Option<Expr>,
    /// `order`: the number in it.
    pub order: Option<Expr>,
    /// `once`: a number that marks repeats.
    pub once: Option<Expr>,
    /// Bits of the numbers of `order` and `once`.
    pub width: [u32; 2],
    /// Which part of a message it is.
    pub fragment: FragmentOf,
    /// Who reads the messages.
    pub receiver: DeliverTo,
}

impl Deliver {
    /// All its expressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        let parts: &[Expr] = match &self.fragment {
            FragmentOf::Whole => &[],
            FragmentOf::Left(left) => std::slice::from_ref(left),
            FragmentOf::Part(all) | FragmentOf::At(all) => &all[..],
        };
        let one = [&self.when, &self.by, &self.order, &self.once].into_iter().flatten();
        self.lists.iter().map(|(_, list)| list).chain([&self.data]).chain(one).chain(parts).collect()
    }
}

/// How an element states which part of a message it is.
#[derive(Debug, Clone)]
pub enum FragmentOf {
    /// Each is a message.
    Whole,
    /// The number of fragments that follow.
    Left(Expr),
    /// `id`, `index`, `count`.
    Part(Box<[Expr; 3]>),
    /// `id`, `offset`, `total`.
    At(Box<[Expr; 3]>),
}

/// Who reads messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliverTo {
    /// Protocols over this one.
    Place,
    /// A type of the file.
    Type(TypeId),
    /// The protocol of this name.
    Protocol(String),
}

/// Where a direction without message boundaries goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resync {
    /// Nowhere.
    #[default]
    No,
    /// At the next magic.
    Magic,
    /// At the next segment that begins with a message.
    Segment,
}

/// A session variable.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The first value.
    pub init: Init,
    /// The type of its values.
    pub ty: Ty,
    /// For an integer, its number of bits and whether it is signed.
    pub width: (u8, bool),
    /// `per: direction`: whether each direction has its own.
    pub is_per_direction: bool,
    /// `increment`: whether it is one more after each message.
    pub increments: bool,
    /// `share`: which conversations have it together.
    pub shared: Shared,
    /// `reset-on: gap`: whether it has its first value behind lost bytes.
    pub resets: bool,
    /// Whether a message may change it.
    pub is_set: bool,
    /// Position of its name.
    pub place: SourceRange,
}

/// The first value of a session variable.
#[derive(Debug, Clone)]
pub enum Init {
    /// That of the key file.
    Key,
    /// An expression, possibly of other variables.
    Value(Expr),
}

/// The conversations that have a variable together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shared {
    /// Each has its own.
    #[default]
    No,
    /// Those of a client.
    Client,
    /// Those of a client and a server.
    Pair,
}

/// A carrier of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carrier {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// Messages of another protocol: the name of the handover (`over`), if given.
    Payload(Option<String>),
}

/// How messages follow each other on a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framed {
    /// In sequence: `stream`, and `datagram` without streams.
    #[default]
    Messages,
    /// All bytes of a side are one message, read when the side closes: `connection`.
    Connection,
}

/// The types at the start of directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roots {
    /// The type for the client's bytes.
    pub client: TypeId,
    /// The type for the server's bytes.
    pub server: TypeId,
    /// The type for an unknown direction: the top of the file unless the file declares another one.
    pub any: TypeId,
}

/// A path of attributes whose values are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The names, from the message down.
    pub path: Vec<String>,
    /// Its position.
    pub place: SourceRange,
}

impl Roots {
    /// The same type in both directions.
    #[must_use]
    pub const fn both(of: TypeId) -> Roots {
        Roots { client: of, server: of, any: of }
    }

    /// The types, each once.
    #[must_use]
    pub fn distinct(self) -> Vec<TypeId> {
        let mut all = vec![self.any, self.client, self.server];
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Registration {
    /// The registration of the file with this top, if any.
    #[must_use]
    pub fn of(spec: &Spec, top: TypeId) -> Option<&Registration> {
        spec.type_of(top).registration.as_deref()
    }

    /// Whether TCP carries the protocol.
    #[must_use]
    pub fn is_on_tcp(&self) -> bool {
        self.carriers.contains(&Carrier::Tcp)
    }

    /// Whether any carrier has datagrams.
    #[must_use]
    pub fn is_in_datagrams(&self) -> bool {
        self.carriers.iter().any(|carrier| *carrier != Carrier::Tcp)
    }
}

#[cfg(test)]
mod tests;
