//! The application protocols, one file each, and the list of them.

mod pipboy;

use crate::wire::Protocol;

/// Every protocol, in the order of the alphabet.
pub static ALL: &[&Protocol] = &[&pipboy::PROTOCOL];
