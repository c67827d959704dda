//! Encrypted and compressed conversations for the session files of `samples/ksy/`, with their keys.
//!
//! The ciphers are those of crates or written here; nothing of the dissector is used.

mod minecraft;
mod plain;
mod wow335;

pub use minecraft::{keys as minecraft_keys, session as minecraft};
pub use plain::{versions, zstream};
pub use wow335::{keys as wow335_keys, session as wow335};
