//! On-demand update server of the old engine, which sends files in chunks.

use super::fields::*;
use super::transfer;
use crate::tree::{Value, name_of};
use crate::wire::{Extent, Request, Result, Wire};
use flate2::Crc;
use std::collections::HashMap;

/// Chunk size, and bytes before the data of a chunk.
const CHUNK: usize = 500;
const HEADER: usize = 6;

/// Bytes of the version trailer of a file.
const VERSION: usize = 2;

/// Maximum files being reassembled, and pending requests: clients request fewer.
const MOST_FILES: usize = 64;
const MOST_REQUESTS: usize = 4096;

/// Keep-alive message of the client.
const KEEP_ALIVE: u8 = 10;

/// Transfer statistics of a file.
const FILE: transfer::Kind = transfer::Kind { what: "update file", fields: [&OD_ASKED, &OD_SECONDS, &OD_RATE] };

type Id = (u8, u16);

/// File transfers of one connection.
#[derive(Default)]
pub struct OnDemand {
    /// Pending requests.
    asked: HashMap<Id, Request>,
    /// Files being reassembled.
    begun: HashMap<Id, Vec<u8>>,
}

impl OnDemand {
    /// Extent of the next chunk.
    pub fn extent(&self, ahead: &[u8]) -> Extent {
        let [_, _, _, high, low, chunk, ..] = ahead else { return Extent::NeedMore(HEADER) };
        let size = usize::from(u16::from_be_bytes([*high, *low]));
        Extent::Message(HEADER + size.saturating_sub(CHUNK * usize::from(*chunk)).min(CHUNK))
    }

    /// Reads a request.
    pub fn request(&mut self, wire: &mut Wire<'_>) -> Result {
        let store = wire.u8(&OD_STORE)?;
        let file = wire.u16_be(&OD_FILE)?;
        let priority = wire.u8(&OD_PRIORITY)?;
        if priority == KEEP_ALIVE {
            wire.name("keep_alive");
            return Ok(());
        }
        wire.name("request");
        if name_of(OD_PRIORITY.names, priority.into()).is_none() {
            wire.note(&ODD, format_args!("priority {priority} is unknown"));
        }
        wire.info(format_args!("{} {file}, {}", store_name(store), name_of(OD_PRIORITY.names, priority.into()).unwrap_or("?")));
        if self.asked.len() < MOST_REQUESTS {
            self.asked.insert((store, file), transfer::ask(wire));
        }
        Ok(())
    }

    /// Reads a chunk of a file.
    ///
    /// # Errors
    /// If it ends early or lies outside its file.
    pub fn chunk(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("chunk");
        let store = wire.u8(&OD_STORE)?;
        let file = wire.u16_be(&OD_FILE)?;
        let size = usize::from(wire.u16_be(&OD_SIZE)?);
        let chunk = usize::from(wire.u8(&OD_CHUNK)?);
        let id = (store, file);
        if size == 0 {
            wire.info(format_args!("{} {file}, no such file", store_name(store)));
            self.answered(wire, id, size);
            return Ok(());
        }
        let from = CHUNK * chunk;
        let Some(left) = size.checked_sub(from).filter(|left| *left > 0) else {
            return wire.malformed(&MALFORMED, format_args!("chunk {chunk} starts after the end of {size} bytes"));
        };
        wire.info(format_args!("{} {file}, bytes {from} to {} of {size}", store_name(store), from + left.min(CHUNK)));
        let data = wire.bytes(&OD_DATA, left.min(CHUNK))?;
        if let Some(whole) = self.join(id, size, from, data) {
            finish(wire, id, &whole);
            self.answered(wire, id, size);
        } else if let Some(asked) = self.asked.get(&id) {
            wire.add(&OD_ASKED, Value::Unsigned(asked.frame));
        }
        Ok(())
    }

    /// Completes a request: the file is complete or does not exist.
    fn answered(&mut self, wire: &mut Wire<'_>, id: Id, size: usize) {
        if let Some(asked) = self.asked.remove(&id) {
            transfer::complete(wire, asked, size, &FILE);
        }
    }

    /// Appends a chunk. Returns the complete file after the last one.
    fn join(&mut self, id: Id, size: usize, from: usize, data: &[u8]) -> Option<Vec<u8>> {
        if from == 0 {
            if self.begun.len() >= MOST_FILES && !self.begun.contains_key(&id) {
                return None;
            }
            self.begun.insert(id, Vec::new());
        }
        let begun = self.begun.get_mut(&id)?;
        if begun.len() != from {
            self.begun.remove(&id);
            return None;
        }
        begun.extend_from_slice(data);
        if begun.len() < size { None } else { self.begun.remove(&id) }
    }
}

/// Adds fields of a complete file.
fn finish(wire: &mut Wire<'_>, (store, file): Id, whole: &[u8]) {
    if let Some((content, version)) = whole.split_last_chunk::<VERSION>() {
        let mut crc = Crc::new();
        crc.update(content);
        wire.add(&OD_CRC, Value::Unsigned(crc.sum().into()));
        wire.add(&OD_VERSION, Value::Unsigned(u16::from_be_bytes(*version).into()));
    }
    let name = format!("{}-{file}.dat", store_name(store));
    wire.object("file", &name, || Some(whole.to_vec()));
}

fn store_name(store: u8) -> &'static str {
    name_of(OD_STORE.names, store.into()).unwrap_or("unknown store")
}
