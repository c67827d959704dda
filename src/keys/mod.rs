//! Key files: keys for conversations, one a line, and which conversation each of them serves.
//!
//! ```text
//! # protocol  name    value: hex, "text", base64:…, - for empty   [client=IP[:PORT]] [server=IP[:PORT]] [from=TIME] [until=TIME] [stream=tcp/3]
//! minecraft   secret  0f1571c947d9e8590cb7add6af7f6798            client=192.0.2.10:51000
//! ```
//! Of several matching lines the last one serves, so that tools can append. Files may grow while they are used. Values are secrets:
//! no error, list or debug output shows them.

mod conditions;
mod error;
mod growth;
mod index;
mod line;
mod ring;
#[cfg(test)]
mod tests;
mod value;
mod watch;

pub use error::KeyError;
pub use line::line_for;
pub use ring::{Key, KeyRing, Owner, Unserved};
pub use value::parse as parse_value;
pub use watch::{Request, Tried};
