//! Inconsistent references of an entry, as bounded text.

use std::fmt;

/// The first ID with an inconsistency, and how many IDs have it.
type IdCount = Option<(u32, u32)>;

/// Inconsistent references of an entry.
#[derive(Debug, Default)]
pub(in super::super) struct Inconsistencies {
    pub(super) unknown: IdCount,
    pub(super) second: IdCount,
    pub(super) looped: IdCount,
    pub(super) both: IdCount,
    pub(super) long_name: IdCount,
    pub(super) full: bool,
}

pub(super) fn count_id(of: &mut IdCount, id: u32) {
    of.get_or_insert((id, 0)).1 += 1;
}

impl Inconsistencies {
    pub(in super::super) fn is_there(&self) -> bool {
        self.full || [self.unknown, self.second, self.looped, self.both, self.long_name].iter().any(Option::is_some)
    }
}

impl fmt::Display for Inconsistencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.unknown, "never sent"),
            (self.second, "taken from another parent"),
            (self.looped, "not followed: cyclic or too deep"),
            (self.both, "both inserted and removed"),
            (self.long_name, "has a longer name than paths show"),
        ];
        let mut between = "";
        for (few, words) in kinds {
            let Some((first, count)) = few else { continue };
            let mut digits = itoa::Buffer::new();
            [between, "#", digits.format(first)].iter().try_for_each(|part| f.write_str(part))?;
            if count > 1 {
                write!(f, " and {} more", count - 1)?;
            }
            [" ", words].iter().try_for_each(|part| f.write_str(part))?;
            between = "; ";
        }
        if self.full {
            write!(f, "{between}the tree is full: new values are not added")?;
        }
        Ok(())
    }
}
