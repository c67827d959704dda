//! Published vectors, and properties of all processors.

mod block;
mod functions;
mod inflate;
mod keystream;
mod packed;
mod properties;

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

fn text(text: &str) -> Argument {
    Argument::Text(String::from(text))
}

const INT: fn(i128) -> Argument = Argument::Int;
