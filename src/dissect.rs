//! Everything that a protocol of your own needs.
//!
//! A protocol is one static [`Protocol`]: where it is found ([`On`]), its fields ([`fields!`]), and how it is read. A dissector
//! is a list of reads from a [`Wire`] in the order of the bytes. One call reads bytes, names the field and records its span.
//!
//! | data | implement |
//! |---|---|
//! | datagrams that need no earlier ones | a function `fn(&mut Wire) -> Result` |
//! | datagrams that depend on earlier ones | [`Exchange`] |
//! | messages of a TCP stream | [`Conversation`] |
//!
//! `examples/own_protocol.rs` is a complete program. [`trial`] dissects single messages in tests.

#[doc(inline)]
pub use crate::tree::fields;
pub use crate::tree::{BySide, Field, Names, Side, Value};
pub use crate::wire::{
    BitWire, Conversation, Cut, Error, Exchange, Extent, Found, Heuristic, Missing, Next, On, Opening, Protocol, Request,
    Requests, Result, Settings, Varint, Verdict, Wire, trial,
};
