//! Wireshark's dissectors in Lua, unchanged.
//!
//! Scripts register protocols, fields and ports while they are loaded; `load` makes protocols of the registry of them. A dissector
//! is called with the bytes that Wireshark would give it, and its items become nodes when the call is over. There is one Lua
//! state for all conversations, since scripts keep tables across them.

mod address;
mod args;
mod asked;
mod budget;
mod buffer;
mod bytes;
mod call;
mod check;
mod clock;
mod constants;
mod conversation;
mod data;
mod dialect;
mod dissector;
mod emit;
mod environment;
mod equal;
mod errors;
mod expert;
mod extract;
mod field;
mod files;
mod gcrypt;
mod handle;
mod heuristic;
mod inflate;
mod item;
mod label;
mod library;
mod load;
mod notes;
mod numbers;
mod pass;
mod pattern;
mod pdus;
mod pinfo;
mod preference;
mod private;
mod proto;
mod protocol;
mod regex;
mod run;
mod sandbox;
mod stream;
mod structs;
mod tables;
mod time;
mod tokens;
mod value;
mod world;

pub use budget::Limits;
pub use check::Checked;
pub use load::{Loaded, Request, Scripts, Source, check, load};
pub use world::Surroundings;
