//! Kaitai Struct files: as the program takes them, and their protocols over bytes and captures.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")]

mod check;
mod cli;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod games;
mod hostile;
mod input;
mod limits;
mod live;
#[path = "../common/sides.rs"]
mod sides;
mod streams;
mod user;
