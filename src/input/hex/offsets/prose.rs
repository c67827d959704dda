//! Lines of a dump that are no rows: prose, comments, prompts, and damaged rows.

use super::dump::{Dump, is_inset};
use super::groups::is_group;
use super::is_prompt;
use crate::input::hex::marks::Marks;
use crate::input::hex::scan::words;
use crate::input::hex::suspicion::is_ruler;
use crate::input::hex::{Dialect, Fed, Feed, Packet, bare_ip};

impl Dump {
    /// Whether a line without an offset is a malformed row: bytes alone, or an offset with an invalid digit.
    pub(super) fn is_damaged(&self, line: &[u8], packet: &Packet) -> bool {
        if packet.bytes.is_empty() || is_ruler(line) {
            return false;
        }
        let next = self.base.start(self.radix).and_then(|base| base.checked_add(packet.bytes.len() as u64));
        if next.is_some_and(|next| self.head.resembles(line, next)) {
            return true;
        }
        let groups = |skip| words(line, 0).skip(skip).take_while(|word| is_group(word.text, self.shape.groups)).count();
        let all = words(line, 0).count();
        let bare = groups(0);
        if bare == all && (bare > 1 || line.iter().any(u8::is_ascii_digit)) {
            return true;
        }
        // A symbol may follow an address.
        let behind = groups(1).max(groups(2));
        if is_inset(line) && !self.inset || behind == 0 {
            return false;
        }
        let Some(first) = words(line, 0).next() else { return false };
        // Signs around the digits of an offset do not count.
        let signs = |byte: &&u8| !b"xh:`".contains(byte);
        let hex = first.text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
        let len = first.text.iter().filter(signs).count();
        behind >= 3 || first.text.len() >= self.shape.digits && hex * 4 >= len * 3
    }

    /// Handles a line that is no row. It ends a packet, unless it is a comment.
    pub(super) fn between(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let text = line.trim_ascii();
        if text.starts_with(b"#") {
            return Ok(Fed::Taken);
        }
        if !packet.bytes.is_empty() && self.is_within(line) {
            return Ok(Fed::Taken);
        }
        if !packet.bytes.is_empty() {
            // It is parsed again for the marks of the next packet.
            return self.complete(0, packet);
        }
        if is_prompt(text) {
            self.first = None;
        }
        self.skipping = text.ends_with(b" bytes):") && !text.starts_with(b"Frame (");
        self.ip_announced = bare_ip::announces_ip(line) || self.heading && self.ip_announced;
        self.heading = true;
        packet.marks.add(Marks::of_prose(line));
        Ok(Fed::Taken)
    }

    /// Whether a line may occur between rows of a packet: tables of our own output, which are indented differently, and their
    /// separators. A time or direction belongs to the next packet.
    pub(super) fn is_within(&self, line: &[u8]) -> bool {
        let is_table = is_inset(line) && !self.inset && Marks::of_prose(line) == Marks::default();
        is_table || line.starts_with("──".as_bytes())
    }

    pub(super) fn complete(&mut self, used: usize, packet: &mut Packet) -> Feed {
        self.end(packet)?;
        Ok(Fed::Complete(used))
    }
}
