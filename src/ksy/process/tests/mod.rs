//! Published vectors, and properties of all processors.

mod inflate;
mod plain;

use super::*;
use crate::wire::trial::bytes as hex;

fn stage(name: &str, arguments: &[Argument]) -> Box<dyn Stage> {
    (processor(name).unwrap().make)(arguments).unwrap()
}

/// Bytes as one message.
fn whole(name: &str, arguments: &[Argument], bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let mut stage = stage(name, arguments);
    stage.feed(bytes, &mut out, 1 << 20)?;
    stage.end_message(&mut out, 1 << 20)?;
    Ok(out)
}

fn key(text: &str) -> Argument {
    Argument::Bytes(hex(text))
}
