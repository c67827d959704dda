//! Texts of values, one behind another. What a value leaves when it changes is unused until there is much of it.

/// Unused bytes that nobody minds.
const FEW: usize = 1024;

/// Where a text is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    at: u32,
    len: u32,
}

#[derive(Debug, Default)]
pub(super) struct Texts {
    all: String,
    unused: usize,
}

impl Texts {
    /// Bytes of all that are in use.
    pub(super) fn bytes(&self) -> usize {
        self.all.len() - self.unused
    }

    pub(super) fn held(&self) -> usize {
        self.all.capacity()
    }

    pub(super) fn get(&self, place: Place) -> &str {
        let start = place.at as usize;
        self.all.get(start..start + place.len as usize).unwrap_or_default()
    }

    /// Use a text. Nothing if it does not fit behind the others.
    pub(super) fn take(&mut self, text: &str) -> Option<Place> {
        let place = Place { at: u32::try_from(self.all.len()).ok()?, len: u32::try_from(text.len()).ok()? };
        self.all.push_str(text);
        Some(place)
    }

    /// Nobody uses it any more.
    pub(super) fn release(&mut self, place: Place) {
        self.unused += place.len as usize;
    }

    /// Whether so much is unused that going through so many nodes is worth it.
    pub(super) fn is_loose(&self, nodes: usize) -> bool {
        self.unused > FEW.max(nodes).max(self.all.len() / 2)
    }

    /// Keep only those that are in use, each of which is told once.
    pub(super) fn pack<'p>(&mut self, used: impl Iterator<Item = &'p mut Place>) {
        let mut packed = Texts { all: String::with_capacity(self.bytes()), unused: 0 };
        for place in used {
            if let Some(moved) = packed.take(self.get(*place)) {
                *place = moved;
            }
        }
        *self = packed;
    }
}
