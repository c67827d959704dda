//! A packet dissector: captures and hex dumps in, annotated field trees out.
//!
//! The `proto-dissect` program is built on this library. Your own program can read the same records:
//!
//! ```
//! use proto_dissect::Session;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::File::open("samples/xfire.pcap")?;
//! let mut session = Session::open(file)?.filter("xfire && frame.number < 60")?;
//! while let Some(record) = session.next_record()? {
//!     if let Some(name) = record.field("xfire.name") {
//!         println!("{record}, user {name}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Start here
//! - [`Session`] reads the [`Record`]s of a capture; [`Record::field`] finds a value.
//! - [`Filter`] is a display filter; its syntax is that of Wireshark.
//! - [`dissect`] has everything that a protocol of your own needs. [`Registry::and`] adds your protocol to the built-in ones.
//! - [`Capture`] and [`Engine`] are the lower-level API that [`Session`] uses: frames, and their [`tree`]s.
//! - `examples/list_dns.rs` and `examples/own_protocol.rs` are complete programs.
//!
//! # Stability
//! Field names, the JSON format and the items on this page do not change in patch releases. Modules that are hidden from this
//! documentation are internal and may change at any time.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod browse;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod columns;
#[doc(hidden)]
pub mod diff;
pub mod dissect;
pub mod engine;
#[doc(hidden)]
pub mod explore;
mod failure;
pub mod filter;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod flow;
pub mod follow;
pub mod glossary;
pub mod input;
#[doc(hidden)]
pub mod keys;
#[doc(hidden)]
pub mod ksy;
#[doc(hidden)]
pub mod layers;
pub mod limits;
#[cfg(feature = "lua")]
#[doc(hidden)]
pub mod lua;
mod nearest;
#[doc(hidden)]
pub mod protocols;
pub mod record;
pub mod registry;
#[doc(hidden)]
pub mod render;
mod session;
#[doc(hidden)]
pub mod sink;
#[doc(hidden)]
pub mod split;
#[doc(hidden)]
pub mod stats;
pub mod tree;
#[doc(hidden)]
pub mod wire;
#[doc(hidden)]
pub mod write;

pub use engine::Engine;
pub use filter::Filter;
pub use input::Capture;
pub use record::Record;
pub use registry::Registry;
pub use session::Session;
