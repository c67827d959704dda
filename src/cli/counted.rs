//! A count with its noun: "1 gap", "2 gaps".

use std::fmt::{self, Display};

/// A count and the singular of its noun.
pub(super) struct Counted(pub u64, pub &'static str);

impl Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted(count, what) = self;
        write!(f, "{count} {what}{}", if *count == 1 { "" } else { "s" })
    }
}
