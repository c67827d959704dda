//! The application protocols, one file each, and the list of them.

mod librpc;
mod pipboy;
mod raknet;
mod vcmp;
mod vscp;
mod xfire;

use crate::wire::Protocol;

/// Every protocol, in the order of the alphabet.
pub static ALL: &[&Protocol] = &[
    &librpc::PROTOCOL,
    &pipboy::PROTOCOL,
    &raknet::PROTOCOL,
    &raknet::MESSAGE,
    &vcmp::PROTOCOL,
    &vcmp::QUERY,
    &vcmp::COMPRESSED,
    &vscp::PROTOCOL,
    &vscp::WORLD_LOCATION,
    &xfire::PROTOCOL,
];
