//! Changes of the children of a list or dict, as bounded text.

use std::fmt;

/// Maximum number of children listed by name.
const LISTED_MAX: usize = 6;

/// Maximum characters of a listed name.
const NAME_MAX: usize = 40;

/// Number of children before and after, and which were added, replaced or removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Change {
    before: usize,
    after: usize,
    pub(super) added: Names,
    pub(super) replaced: Names,
    pub(super) removed: Names,
    /// The same children in another order.
    pub(super) moved: bool,
}

/// The first names of children, and their number.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    first: Vec<Box<str>>,
    count: usize,
}

impl Names {
    pub(super) fn put(&mut self, name: &str) {
        self.count += 1;
        if self.first.len() < LISTED_MAX {
            let end = name.char_indices().nth(NAME_MAX).map(|(end, _)| end);
            let outcome = end.and_then(|end| name.get(..end)).map(|short| format!("{short}…"));
            self.first.push(outcome.unwrap_or_else(|| name.to_owned()).into());
        }
    }

    pub(super) fn put_id(&mut self, id: u32) {
        self.put(&format!("#{id}"));
    }
}

impl Change {
    /// Starts a change with this many children.
    pub(super) fn from(before: usize) -> Change {
        Change { before, ..Change::default() }
    }

    /// Completes a change with this many children. `None` if nothing changed.
    pub(super) fn to(mut self, after: usize) -> Option<Change> {
        self.after = after;
        let is_other = [&self.added, &self.replaced, &self.removed].iter().any(|names| names.count > 0);
        self.moved &= !is_other;
        (is_other || self.moved).then_some(self)
    }
}

/// `3 → 4: added a, b; replaced c; removed d`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.before, self.after)?;
        let mut between = ":";
        for (word, names) in [("added", &self.added), ("replaced", &self.replaced), ("removed", &self.removed)] {
            if names.count == 0 {
                continue;
            }
            write!(f, "{between} {word} {}", names.first.join(", "))?;
            if names.count > names.first.len() {
                write!(f, " and {} more", names.count - names.first.len())?;
            }
            between = ";";
        }
        if self.moved { write!(f, "{between} in another order") } else { Ok(()) }
    }
}
