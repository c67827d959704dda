//! Fast decoder of entries whose fields are not requested: adds values to the tree without creating nodes.
//!
//! It only accepts well-formed entries. Anything else is left to the full decoder, which adds notes.

use super::update::{BOOL, DICT, FLOAT, INT8, INT32, LIST, Member, REF, STRING, UINT8, UINT32};
use super::world::{Scalar, World};

/// Remaining bytes.
struct Ahead<'a>(&'a [u8]);

impl<'a> Ahead<'a> {
    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, behind) = self.0.split_first_chunk()?;
        self.0 = behind;
        Some(*chunk)
    }

    fn count(&mut self) -> Option<usize> {
        self.chunk().map(u16::from_le_bytes).map(usize::from)
    }

    fn text(&mut self) -> Option<&'a str> {
        let (text, behind) = self.0.split_at_checked(memchr::memchr(0, self.0)?)?;
        self.0 = behind.get(1..)?;
        std::str::from_utf8(text).ok()
    }

    /// Reads a name as UTF-8 bytes. Names are short: one pass over the letters is faster than a search and a check.
    fn name(&mut self) -> Option<&'a [u8]> {
        let mut letters = 0;
        let len = self.0.iter().position(|letter| {
            letters |= letter;
            *letter == 0
        })?;
        let (name, behind) = self.0.split_at_checked(len)?;
        self.0 = behind.get(1..)?;
        (letters.is_ascii() || std::str::from_utf8(name).is_ok()).then_some(name)
    }

    /// Reads a counted list of references.
    fn refs(&mut self, into: &mut Vec<u32>) -> Option<()> {
        let count = self.count()?;
        let (refs, behind) = self.0.split_at_checked(REF * count)?;
        self.0 = behind;
        into.clear();
        into.extend(refs.as_chunks().0.iter().map(|one| u32::from_le_bytes(*one)));
        Some(())
    }

    /// Reads counted members: IDs and names.
    fn members(&mut self, into: &mut Vec<Member<'a>>) -> Option<()> {
        into.clear();
        for _ in 0..self.count()? {
            let id = self.chunk().map(u32::from_le_bytes)?;
            into.push((id, self.name()?.into()));
        }
        Some(())
    }
}

/// Decodes the first entry of `bytes` and adds it to the tree, with reused buffers for references and members. Returns
/// its type
/// and length, or `None` if the entry is not well-formed.
pub(super) fn entry<'a>(
    bytes: &'a [u8],
    world: Option<&mut World>,
    refs: &mut Vec<u32>,
    inserted: &mut Vec<Member<'a>>,
) -> Option<(u8, usize)> {
    let mut ahead = Ahead(bytes);
    let [kind] = ahead.chunk()?;
    let id = ahead.chunk().map(u32::from_le_bytes)?;
    match kind {
        LIST => {
            ahead.refs(refs)?;
            if let Some(world) = world {
                world.list(id, refs);
            }
        }
        DICT => {
            ahead.members(inserted)?;
            ahead.refs(refs)?;
            if let Some(world) = world {
                world.dict(id, inserted, refs);
            }
        }
        _ => {
            let value = scalar(kind, &mut ahead)?;
            if let Some(world) = world {
                world.set(id, value);
            }
        }
    }
    Some((kind, bytes.len() - ahead.0.len()))
}

fn scalar<'a>(kind: u8, ahead: &mut Ahead<'a>) -> Option<Scalar<'a>> {
    Some(match kind {
        BOOL => match ahead.chunk()? {
            [0] => Scalar::Bool(false),
            [1] => Scalar::Bool(true),
            _ => return None,
        },
        INT8 => Scalar::Int(ahead.chunk().map(i8::from_le_bytes)?.into()),
        UINT8 => Scalar::Uint(ahead.chunk().map(u8::from_le_bytes)?.into()),
        INT32 => Scalar::Int(ahead.chunk().map(i32::from_le_bytes)?),
        UINT32 => Scalar::Uint(ahead.chunk().map(u32::from_le_bytes)?),
        FLOAT => Scalar::Float(ahead.chunk().map(f32::from_le_bytes)?),
        STRING => Scalar::Text(ahead.text()?.into()),
        _ => return None,
    })
}
