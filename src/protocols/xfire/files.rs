//! Files that one client sends to another, put together from their parts as far as they were captured.

use super::facts::Facts;
use super::fields::{FILE_ID, FILE_NAME, FILE_OFFSET, FILE_SIZE, VALUE_BLOCK};
use super::packets::{FILE_COMPLETE, FILE_DATA, FILE_LAST, FILE_REQUEST};
use crate::limits;
use crate::tree::{Object, Side};
use crate::wire::Wire;
use std::collections::{BTreeMap, HashMap};

/// Files of one conversation that are put together at the same time.
const FILES_MAX: usize = 64;

/// Parts of all of them, and the bytes those have.
const PARTS_MAX: usize = 1 << 17;
/// What the objects are.
const KIND: &str = "file";

/// Bytes of a file name that are remembered.
const NAME_MAX: usize = 255;

/// The files that two clients send each other. Each numbers its own.
#[derive(Default)]
pub(super) struct Files {
    files: HashMap<(Side, u32), File>,
    parts: usize,
    bytes: usize,
}

#[derive(Default)]
struct File {
    name: Box<str>,
    size: Option<u64>,
    parts: BTreeMap<u64, Box<[u8]>>,
    /// Bytes of the parts, and how many there must be before it is asked again whether the file is whole.
    bytes: u64,
    ask_at: u64,
}

/// Where files go that are sent in a message, and who sends it.
pub(super) struct Sent<'f> {
    pub(super) from: Side,
    pub(super) files: &'f mut Files,
}

impl Sent<'_> {
    /// Keep what a message says of a file, and offer the file when all of it is there, or nothing more will come.
    pub(super) fn take(self, kind: u16, facts: &Facts<'_>, wire: &mut Wire<'_>) {
        let Sent { from, files } = self;
        let Some(id) = facts.number(&FILE_ID).filter(|_| wire.wants_objects()) else { return };
        match kind {
            FILE_REQUEST => {
                files.forget((from, id));
                if let Some(file) = files.open((from, id)) {
                    let name = facts.bytes(&FILE_NAME).unwrap_or_default();
                    file.name = String::from_utf8_lossy(name.get(..NAME_MAX).unwrap_or(name)).into();
                    file.size = facts.whole(&FILE_SIZE);
                }
            }
            FILE_DATA => {
                let (Some(offset), Some(bytes)) = (facts.whole(&FILE_OFFSET), facts.bytes(&VALUE_BLOCK)) else { return };
                files.part((from, id), offset, bytes);
                if files.is_whole((from, id)) {
                    files.offer((from, id), wire);
                }
            }
            // Whoever gets a file says that it is there; either may give up.
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
    /// Bytes of memory that they take, about.
    pub(super) fn held(&self) -> usize {
        self.files.capacity() * size_of::<File>() + self.parts * size_of::<(u64, Box<[u8]>)>() + self.bytes
    }

    fn open(&mut self, file: (Side, u32)) -> Option<&mut File> {
        let has_room = self.files.len() < FILES_MAX || self.files.contains_key(&file);
        has_room.then(|| self.files.entry(file).or_default())
    }

    /// A part, unless the same place has one that is as long.
    fn part(&mut self, file: (Side, u32), offset: u64, bytes: &[u8]) {
        let has_room = self.parts < PARTS_MAX && self.bytes.saturating_add(bytes.len()) <= limits::XFIRE_FILES.get();
        let Some(file) = self.open(file).filter(|_| has_room) else { return };
        let known = file.parts.get(&offset).map_or(0, |part| part.len());
        if bytes.len() <= known {
            return;
        }
        let is_new = file.parts.insert(offset, bytes.into()).is_none();
        file.bytes += (bytes.len() - known) as u64;
        self.parts += usize::from(is_new);
        self.bytes += bytes.len() - known;
    }

    fn is_whole(&mut self, file: (Side, u32)) -> bool {
        let Some(file) = self.files.get_mut(&file) else { return false };
        let Some(size) = file.size.filter(|size| file.bytes >= file.ask_at.max(*size)) else { return false };
        file.ask_at = file.bytes.saturating_add(1 + size / 16);
        file.reach() >= size
    }

    fn forget(&mut self, file: (Side, u32)) -> Option<File> {
        let file = self.files.remove(&file)?;
        self.parts -= file.parts.len();
        self.bytes -= file.parts.values().map(|part| part.len()).sum::<usize>();
        Some(file)
    }

    fn offer(&mut self, file: (Side, u32), wire: &mut Wire<'_>) {
        let id = file.1;
        let Some(file) = self.forget(file).filter(|file| !file.parts.is_empty()) else { return };
        wire.object(KIND, &file.called(id), || Some(file.joined()));
    }

    /// The files that nobody has said the end of.
    pub(super) fn open_ones(&self) -> Vec<Object> {
        let mut open: Vec<_> = self.files.iter().filter(|(_, file)| !file.parts.is_empty()).collect();
        open.sort_by_key(|((side, id), _)| (side.index(), *id));
        let object = |((_, id), file): (&(Side, u32), &File)| Object { kind: KIND, name: file.called(*id), bytes: file.joined() };
        open.into_iter().map(object).collect()
    }
}

impl File {
    /// Its name, or its number if nobody told one; with an ending that says so if bytes of it are missing.
    fn called(&self, id: u32) -> String {
        let name = if self.name.is_empty() { format!("file-{id:08x}") } else { self.name.to_string() };
        let is_whole = self.size.is_none_or(|size| self.reach() >= size) && self.reach() == self.end();
        if is_whole { name } else { format!("{name}.part") }
    }

    /// Bytes from the beginning on of which none is missing.
    fn reach(&self) -> u64 {
        let mut reach = 0;
        for (offset, part) in &self.parts {
            if *offset > reach {
                break;
            }
            reach = reach.max(offset.saturating_add(part.len() as u64));
        }
        reach
    }

    /// Where the last part ends.
    fn end(&self) -> u64 {
        self.parts.iter().map(|(offset, part)| offset.saturating_add(part.len() as u64)).max().unwrap_or_default()
    }

    /// The parts up to the first hole.
    fn joined(&self) -> Vec<u8> {
        let mut whole = Vec::new();
        for (offset, part) in &self.parts {
            let known = usize::try_from(*offset).ok().and_then(|offset| whole.len().checked_sub(offset));
            let Some(known) = known else { break };
            whole.extend_from_slice(part.get(known..).unwrap_or_default());
        }
        whole
    }
}
