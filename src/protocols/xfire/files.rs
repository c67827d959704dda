//! Reassembly of files that clients send to each other.

use super::fields::{FILE_ID, FILE_NAME, FILE_OFFSET, FILE_SIZE, VALUE_BLOCK};
use super::packets::{FILE_COMPLETE, FILE_DATA, FILE_LAST, FILE_REQUEST};
use super::values::Values;
use crate::limits;
use crate::tree::{Object, Side};
use crate::wire::Wire;
use std::collections::{BTreeMap, HashMap};

/// Largest number of files in one conversation that are reassembled at the same time.
const FILES_MAX: usize = 64;

/// Limits of all their chunks and of the bytes of these.
const PARTS_MAX: usize = 1 << 17;
/// Kind of the objects.
const KIND: &str = "file";

/// Largest stored size of a file name in bytes.
const NAME_MAX: usize = 255;

/// Files that two clients send each other; file IDs are specific to their sender.
#[derive(Default)]
pub(super) struct Files {
    files: HashMap<(Side, u32), File>,
    chunks: usize,
    bytes: usize,
}

#[derive(Default)]
struct File {
    name: Box<str>,
    size: Option<u64>,
    chunks: BTreeMap<u64, Box<[u8]>>,
    /// Bytes of the chunks, and the size at which completeness is checked next.
    bytes: u64,
    ask_at: u64,
}

/// Destination of file contents in a message, and its sender.
pub(super) struct Sent<'f> {
    pub(super) from: Side,
    pub(super) files: &'f mut Files,
}

impl Sent<'_> {
    /// Stores the file contents of a message, and offers the file once it is complete or its transfer ends.
    pub(super) fn take(self, kind: u16, values: &Values<'_>, wire: &mut Wire<'_>) {
        let Sent { from, files } = self;
        let Some(id) = values.number(&FILE_ID).filter(|_| wire.wants_objects()) else { return };
        match kind {
            FILE_REQUEST => {
                files.forget((from, id));
                if let Some(file) = files.open((from, id)) {
                    let name = values.bytes(&FILE_NAME).unwrap_or_default();
                    file.name = String::from_utf8_lossy(name.get(..NAME_MAX).unwrap_or(name)).into();
                    file.size = values.whole(&FILE_SIZE);
                }
            }
            FILE_DATA => {
                let (Some(offset), Some(bytes)) = (values.whole(&FILE_OFFSET), values.bytes(&VALUE_BLOCK)) else { return };
                files.add_chunk((from, id), offset, bytes);
                if files.is_whole((from, id)) {
                    files.offer((from, id), wire);
                }
            }
            // The receiver confirms the end; either side may cancel.
            FILE_COMPLETE | FILE_LAST => {
                let known = [(from.other(), id), (from, id)].into_iter().find(|file| files.files.contains_key(file));
                if let Some(file) = known {
                    files.offer(file, wire);
                }
            }
            _ => {}
        }
    }
}

impl Files {
    /// Approximate memory use in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.files.capacity() * size_of::<File>() + self.chunks * size_of::<(u64, Box<[u8]>)>() + self.bytes
    }

    fn open(&mut self, file: (Side, u32)) -> Option<&mut File> {
        let has_room = self.files.len() < FILES_MAX || self.files.contains_key(&file);
        has_room.then(|| self.files.entry(file).or_default())
    }

    /// Adds a chunk unless one at this offset is at least as long.
    fn add_chunk(&mut self, file: (Side, u32), offset: u64, bytes: &[u8]) {
        let has_room = self.chunks < PARTS_MAX && self.bytes.saturating_add(bytes.len()) <= limits::XFIRE_FILES.get();
        let Some(file) = self.open(file).filter(|_| has_room) else { return };
        let known = file.chunks.get(&offset).map_or(0, |chunk| chunk.len());
        if bytes.len() <= known {
            return;
        }
        let is_new = file.chunks.insert(offset, bytes.into()).is_none();
        file.bytes += (bytes.len() - known) as u64;
        self.chunks += usize::from(is_new);
        self.bytes += bytes.len() - known;
    }

    fn is_whole(&mut self, file: (Side, u32)) -> bool {
        let Some(file) = self.files.get_mut(&file) else { return false };
        let Some(size) = file.size.filter(|size| file.bytes >= file.ask_at.max(*size)) else { return false };
        file.ask_at = file.bytes.saturating_add(1 + size / 16);
        file.contiguous() >= size
    }

    fn forget(&mut self, file: (Side, u32)) -> Option<File> {
        let file = self.files.remove(&file)?;
        self.chunks -= file.chunks.len();
        self.bytes -= file.chunks.values().map(|chunk| chunk.len()).sum::<usize>();
        Some(file)
    }

    fn offer(&mut self, file: (Side, u32), wire: &mut Wire<'_>) {
        let id = file.1;
        let Some(file) = self.forget(file).filter(|file| !file.chunks.is_empty()) else { return };
        wire.object(KIND, &file.object_name(id), || Some(file.joined()));
    }

    /// Files whose end was not confirmed.
    pub(super) fn unfinished(&self) -> Vec<Object> {
        let mut open: Vec<_> = self.files.iter().filter(|(_, file)| !file.chunks.is_empty()).collect();
        open.sort_by_key(|((side, id), _)| (side.index(), *id));
        let object = |((_, id), file): (&(Side, u32), &File)| Object {
            kind: KIND,
            name: file.object_name(*id),
            bytes: file.joined(),
            marks: Vec::new(),
        };
        open.into_iter().map(object).collect()
    }
}

impl File {
    /// File name, or its ID if the name is unknown, with the extension `.part` if bytes are missing.
    fn object_name(&self, id: u32) -> String {
        let name = if self.name.is_empty() { format!("file-{id:08x}") } else { self.name.to_string() };
        let is_whole = self.size.is_none_or(|size| self.contiguous() >= size) && self.contiguous() == self.end();
        if is_whole { name } else { format!("{name}.part") }
    }

    /// Number of contiguous bytes from the beginning.
    fn contiguous(&self) -> u64 {
        let mut end = 0;
        for (offset, chunk) in &self.chunks {
            if *offset > end {
                break;
            }
            end = end.max(offset.saturating_add(chunk.len() as u64));
        }
        end
    }

    /// End of the last chunk.
    fn end(&self) -> u64 {
        self.chunks.iter().map(|(offset, chunk)| offset.saturating_add(chunk.len() as u64)).max().unwrap_or_default()
    }

    /// Contiguous bytes from the beginning.
    fn joined(&self) -> Vec<u8> {
        let mut whole = Vec::new();
        for (offset, chunk) in &self.chunks {
            let known = usize::try_from(*offset).ok().and_then(|offset| whole.len().checked_sub(offset));
            let Some(known) = known else { break };
            whole.extend_from_slice(chunk.get(known..).unwrap_or_default());
        }
        whole
    }
}
