//! The update server of the old engine: files in pieces.

use super::fields::*;
use super::transfer;
use crate::tree::{Value, name_of};
use crate::wire::{Extent, Question, Result, Wire};
use flate2::Crc;
use std::collections::HashMap;

/// Bytes of a piece of a file, and of what is in front of it.
const CHUNK: usize = 500;
const HEADER: usize = 6;

/// Bytes of the version behind a file.
const VERSION: usize = 2;

/// Files that are put together at a time, and requests that are remembered: clients ask for fewer.
const MOST_FILES: usize = 64;
const MOST_REQUESTS: usize = 4096;

/// What a client says so that the connection stays.
const KEEP_ALIVE: u8 = 10;

/// What is transferred.
const FILE: transfer::Kind = transfer::Kind { what: "update file", fields: [&OD_ASKED, &OD_SECONDS, &OD_RATE] };

type Id = (u8, u16);

/// What is known of the files of one connection.
#[derive(Default)]
pub struct OnDemand {
    /// Requests that were not answered yet.
    asked: HashMap<Id, Question>,
    /// Files of which the first pieces are there.
    begun: HashMap<Id, Vec<u8>>,
}

impl OnDemand {
    /// Where the next piece ends.
    pub fn extent(&self, ahead: &[u8]) -> Extent {
        let [_, _, _, high, low, chunk, ..] = ahead else { return Extent::NeedMore(HEADER) };
        let size = usize::from(u16::from_be_bytes([*high, *low]));
        Extent::Message(HEADER + size.saturating_sub(CHUNK * usize::from(*chunk)).min(CHUNK))
    }

    /// What a client asks for.
    ///
    /// # Errors
    /// When it ends too early.
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
            wire.note(&ODD, format_args!("{priority} is no priority"));
        }
        wire.info(format_args!("{} {file}, {}", store_name(store), name_of(OD_PRIORITY.names, priority.into()).unwrap_or("?")));
        if self.asked.len() < MOST_REQUESTS {
            self.asked.insert((store, file), transfer::ask(wire));
        }
        Ok(())
    }

    /// A piece of a file.
    ///
    /// # Errors
    /// When it ends too early or lies outside its file.
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
            return wire.malformed(&MALFORMED, format_args!("piece {chunk} begins behind the end of {size} bytes"));
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

    /// A file is whole, or there is none.
    fn answered(&mut self, wire: &mut Wire<'_>, id: Id, size: usize) {
        if let Some(asked) = self.asked.remove(&id) {
            transfer::tell(wire, asked, size, &FILE);
        }
    }

    /// Put a piece behind those that are there. Returns the file when it was the last one.
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

/// What can be said of a whole file.
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
