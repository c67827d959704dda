//! The application protocols, one file each, and the list of them.

mod librpc;
mod pipboy;
mod vscp;
mod xfire;

use crate::wire::Protocol;

/// Every protocol, in the order of the alphabet.
pub static ALL: &[&Protocol] = &[&librpc::PROTOCOL, &pipboy::PROTOCOL, &vscp::PROTOCOL, &vscp::WORLD_LOCATION, &xfire::PROTOCOL];
