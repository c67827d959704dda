//! x
mod frame;
pub use frame::{Frame, Link, Timestamp};
