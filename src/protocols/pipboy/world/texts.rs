//! String values in one buffer, compacted when much of it is unused.

/// Unused bytes that never trigger compaction.
const UNUSED_MIN: usize = 1024;

/// Location of a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct StringRange {
    at: u32,
    len: u32,
}

#[derive(Debug, Default)]
pub(super) struct Texts {
    all: String,
    unused: usize,
}

impl Texts {
    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.all.len() - self.unused
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.all.capacity()
    }

    pub(super) fn get(&self, place: StringRange) -> &str {
        let start = place.at as usize;
        self.all.get(start..start + place.len as usize).unwrap_or_default()
    }

    /// Appends a string. `None` if the offset would overflow.
    pub(super) fn take(&mut self, text: &str) -> Option<StringRange> {
        let place = StringRange { at: u32::try_from(self.all.len()).ok()?, len: u32::try_from(text.len()).ok()? };
        self.all.push_str(text);
        Some(place)
    }

    /// Marks a string as unused.
    pub(super) fn release(&mut self, place: StringRange) {
        self.unused += place.len as usize;
    }

    /// Whether enough bytes are unused to justify visiting this many nodes.
    pub(super) fn needs_packing(&self, nodes: usize) -> bool {
        self.unused > UNUSED_MIN.max(nodes).max(self.all.len() / 2)
    }

    /// Compacts the buffer to the given locations and updates them.
    pub(super) fn pack<'p>(&mut self, used: impl Iterator<Item = &'p mut StringRange>) {
        let mut packed = Texts { all: String::with_capacity(self.bytes()), unused: 0 };
        for place in used {
            if let Some(moved) = packed.take(self.get(*place)) {
                *place = moved;
            }
        }
        *self = packed;
    }
}
