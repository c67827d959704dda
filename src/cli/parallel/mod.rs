//! Work on several threads whose output does not depend on their number.
//!
//! | module | what runs side by side |
//! |---|---|
//! | `pipeline` | one input: a thread reads and dissects, another prints |
//! | `batch` | the frames and trees that `pipeline` hands over |
//! | `chunk` | a part of an input that the reading thread prints itself, while the printer is behind |
//! | `files` | several inputs, a thread each |
//! | `ordered` | the output of `files`, queued within a budget and written in the order of the inputs |

mod batch;
mod chunk;
pub(super) mod files;
mod ordered;
pub(super) mod pipeline;

pub(super) use chunk::{Chunk, ChunkPrinter};
