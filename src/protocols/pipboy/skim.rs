//! Entries of which nobody looks at a field: from their bytes straight into the tree of values.
//!
//! Nothing is odd about what is taken here. Whatever is, or is cut off, is left to who reads it field by field and says so.

use super::update::{BOOL, DICT, FLOAT, INT8, INT32, LIST, Member, REF, STRING, UINT8, UINT32};
use super::world::{Scalar, World};

/// The bytes that are left.
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

    /// A name, as bytes that are UTF-8. Mostly it is a few letters: a look at each is quicker than a search and a check.
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

    /// Counted references.
    fn refs(&mut self, into: &mut Vec<u32>) -> Option<()> {
        let count = self.count()?;
        let (refs, behind) = self.0.split_at_checked(REF * count)?;
        self.0 = behind;
        into.clear();
        into.extend(refs.as_chunks().0.iter().map(|one| u32::from_le_bytes(*one)));
        Some(())
    }

    /// Counted members: their numbers and names.
    fn members(&mut self, into: &mut Vec<Member<'a>>) -> Option<()> {
        into.clear();
        for _ in 0..self.count()? {
            let id = self.chunk().map(u32::from_le_bytes)?;
            into.push((id, self.name()?.into()));
        }
        Some(())
    }
}

/// Take the entry that these bytes begin with; what it refers to goes into memory that is used again. Returns its type and how many
/// bytes it has; nothing if it is not taken.
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
