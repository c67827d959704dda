//! The functions.

use super::Function;

/// The functions, by kind.
pub(in crate::ksy) static FUNCTIONS: &[Function] = &[];
