//! Conversations and reassembly: groups packets by endpoints and restores the byte order of streams.
//!
//! Independent of packets and protocols: the input is addresses, sequence numbers and bytes.

pub mod analysis;
pub mod defrag;
pub mod delivery;
pub mod messages;
mod numbers;
pub mod progress;
pub mod reassembly;
mod roles;
mod table;

pub use numbers::Numbers;
pub use roles::{Precedent, Roles};
pub use table::{Entry, Pair, RemovedConversations, Table};
