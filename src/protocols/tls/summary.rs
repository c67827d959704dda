//! The summary of a record: names of its messages and the negotiated parameters.

use std::borrow::Cow;

/// Summary of a message.
#[derive(Default)]
pub(in crate::protocols) struct Summary {
    pub(in crate::protocols) names: Cow<'static, str>,
    pub(in crate::protocols) info: String,
}

impl Summary {
    /// Appends a message name unless it repeats the previous one.
    pub(in crate::protocols) fn name(&mut self, name: &'static str) {
        if self.names.is_empty() {
            self.names = Cow::Borrowed(name);
        } else if self.names.rsplit(", ").next() != Some(name) {
            let names = self.names.to_mut();
            names.push_str(", ");
            names.push_str(name);
        }
    }

    pub(super) fn add_info(&mut self, words: &str) {
        let comma = if self.info.is_empty() || words.is_empty() { "" } else { ", " };
        self.info.push_str(comma);
        self.info.push_str(words);
    }
}
