//! Statistics: what they count, and what of them is asked for.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")]

mod as_tshark;
mod asked;
#[path = "../common/mod.rs"]
mod common;
mod counted;
