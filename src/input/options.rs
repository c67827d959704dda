//! Options at the end of a pcapng block: comments, names, units.
//!
//! ```text
//! option  code:2 | length:2 | value, padded to 4      code 0 ends the list
//! ```
//! Malformed options end the list; options before are valid.

#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

use std::borrow::Cow;

use super::order::Order;

/// `opt_comment`, valid in all blocks.
const COMMENT: u16 = 1;

/// Code and value of each option.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionList<'a> {
    pub(super) order: Order,
    pub(super) bytes: &'a [u8],
}

impl<'a> Iterator for OptionList<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<(u16, &'a [u8])> {
        let options = std::mem::take(&mut self.bytes);
        let (code, len) = (self.order.u16(options, 0)?, self.order.u16(options, 2)?);
        if code == 0 {
            return None;
        }
        let values = options.get(4..)?;
        self.bytes = values.get(usize::from(len).next_multiple_of(4)..).unwrap_or_default();
        Some((code, values.get(..usize::from(len))?))
    }
}

/// Text without the terminating NUL that some programs add, and bytes after it.
pub(super) fn text(value: &[u8]) -> &[u8] {
    value.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The comments on a frame, parsed on demand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Comments<'a>(Option<OptionList<'a>>);

impl<'a> Comments<'a> {
    pub(super) fn new(options: OptionList<'a>) -> Comments<'a> {
        Comments((!options.bytes.is_empty()).then_some(options))
    }

    /// Each comment, in the order of the capture. Invalid UTF-8 is replaced.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        let options = self.0.into_iter().flatten();
        options.filter(|(code, _)| *code == COMMENT).map(|(_, value)| String::from_utf8_lossy(text(value)))
    }

    /// Whether there are no comments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none() || self.iter().next().is_none()
    }
}
