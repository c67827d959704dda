//! Conversations and order: which packets belong together, and the bytes of a stream in the order they were sent.
//!
//! Knows neither packets nor protocols: it is told addresses, sequence numbers and bytes.

pub mod analysis;
pub mod defrag;
pub mod messages;
pub mod progress;
pub mod reassembly;
mod table;

pub use table::{Entry, Pair, Table};
