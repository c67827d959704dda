//! The reading cursor, and the declaration of protocols.

mod bits;
pub(crate) mod cfb8;
mod conclude;
mod conversation;
pub mod credentials;
pub mod data;
mod error;
mod exchange;
mod followed;
pub(crate) mod isaac;
pub mod notes;
mod protocol;
mod request;
mod requests;
mod scripted;
mod series;
mod session_log;
mod settings;
pub mod statistics;
pub mod trial;
mod varint;
#[allow(clippy::module_inception, reason = "the cursor is what this module is named for")]
mod wire;

pub use crate::keys::{Key, KeyRing, Owner, line_for};
pub use bits::BitWire;
pub use conversation::{Beginning, Conversation, Extent, Missing, Next, Resumption};
pub use error::{Error, Result};
pub use exchange::{Exchange, Rest, Unfinished};
pub use followed::{ContentSource, FollowedContent};
pub use protocol::{DatagramContext, Described, Dissector, Edition, Found, Heuristic, On, Opening, Protocol, Verdict};
pub use request::Request;
pub use requests::Requests;
pub use scripted::{Offer, Scripted, ScriptedStream, Stage};
pub use series::{SERIES_HEAD, Series, Step};
pub use session_log::{LogError, LogFormat, LogRecord, LogRecords, OpenedLog};
pub use settings::{Check, InvalidValue, KeyName, Setting, Settings, ValueKind};
pub use varint::Varint;
pub use wire::{Cut, Wire};
