//! Logs of other programs, written from the layouts of their formats: sniffs of games, and flows of proxies.

mod games;
mod proxies;

pub use games::{maple_2026, maple_2030, wow_22, wow_31};
pub use proxies::{browser, flows};

/// Seconds since 1970 of all samples.
const BEGIN: u32 = 1_448_400_000;
