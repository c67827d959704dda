//! What dissection makes: texts, numbers and bytes that are not in the frame.

use super::captions::Captions;
use super::tree::copy;

/// Buffers of a tree, reused from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Computed values, notes and summaries.
    pub text: String,
    /// Numbers of summaries that are formatted lazily.
    pub numbers: Vec<u64>,
    /// Reassembled, decompressed and decrypted messages.
    pub bytes: Vec<u8>,
    /// Labels of single nodes. Only layers of scripts have them.
    pub captions: Captions,
    /// Frames since much memory was needed.
    pub idle: u32,
}

impl Buffers {
    /// Keeps a copy of its content, in the memory of `other`, which gets its own memory in exchange.
    pub fn exchange(&mut self, other: &mut Buffers) {
        std::mem::swap(&mut self.idle, &mut other.idle);
        copy(&mut self.numbers, &mut other.numbers);
        copy(&mut self.bytes, &mut other.bytes);
        other.text.clone_from(&self.text);
        std::mem::swap(&mut self.text, &mut other.text);
    }
}
