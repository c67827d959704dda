//! The generated Kaitai Struct file.

use super::Explored;

/// The file of a group.
#[must_use]
pub fn ksy(_explored: &Explored<'_>, _group: &str) -> String {
    String::new()
}
