//! Dumps with an offset in each line: `hexdump`, `hexdump -C`, `xxd`, `od`, tcpdump's `-x`, tshark's `-x`, and those of
//! debuggers, with addresses.
//!
//! ```text
//! 00000000: 2300 0000 017b 226c  #....{"l      a colon: bytes in any groups
//! 00000000: 00000023 6c227b01  #....{"l        the same, and the text shows each group reversed: xxd -e
//! 0000  23 00 00 00 01 7b 22 6c   #....{"l     no colon: single bytes
//! 0000000 0023 0000 7b01 6c22                  no colon, words: the machine's own order, so the bytes are swapped
//! 0x7ffe10 <msg>: 0x23 0x00 0x00 0x00          gdb; words in the machine's own order
//! ```
//! An offset of zero begins a packet. If the first offset of the text is not zero, the dump is an excerpt: each packet may begin
//! at this offset, and all offsets are relative to it.
//!
//! Other lines may occur before, between and after packets: they end a packet and are skipped, except for direction marks and
//! times. A line is a row if its offset has the format of the first line, and its bytes have the same grouping. The format is a
//! colon, `0x`, and at least as many digits. A comment (`#`) may occur anywhere. A malformed row is not mistaken for prose: the
//! next offset does not match.

mod dump;
mod groups;
mod prose;
mod row;
mod rows;
mod shape;

pub(super) use dump::Dump;
pub(super) use groups::{Groups, decimal, push_group};
pub(super) use row::Column;
pub(super) use row::Row;
pub(super) use shape::{Offset, split_offset};
pub(super) use shape::{Shape, base, head, reads, refuse_octal};

/// Prompts of debuggers. The dump after a prompt may begin at any address.
const PROMPTS: [&[u8]; 3] = [b"(gdb)", b"(lldb)", b"kd>"];

/// Whether a line is a debugger command.
pub(super) fn is_prompt(text: &[u8]) -> bool {
    PROMPTS.iter().any(|prompt| text.starts_with(prompt)) || text.get(1..6) == Some(b":000>")
}
