//! Encrypted and compressed conversations for the session files of `samples/ksy/`, with their keys.
//!
//! The ciphers are those of crates or written here; nothing of the dissector is used.

mod habbo;
mod lineage2;
mod minecraft;
mod plain;
mod rc4;
mod rooms;
mod tibia;
mod uo;
mod wow335;

pub use habbo::{keys as habbo_keys, session as habbo};
pub use lineage2::session as lineage2;
pub use minecraft::{keys as minecraft_keys, session as minecraft, visits};
pub use plain::{versions, zstream};
pub use rooms::session as rooms;
pub use tibia::{keys as tibia_keys, session as tibia};
pub use uo::session as uo;
pub use wow335::{keys as wow335_keys, session as wow335};
