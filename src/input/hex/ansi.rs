//! Colour sequences: `ESC [ 38;5;242 m`, as in the output of `hexyl` and `xxd -R always`.

use std::borrow::Cow;

const ESCAPE: u8 = 0x1b;

/// A line without colour sequences.
pub(super) fn without_colours(line: &[u8]) -> Cow<'_, [u8]> {
    if !line.contains(&ESCAPE) {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.iter().position(|byte| *byte == ESCAPE) {
        let (before, from) = rest.split_at(at);
        plain.extend(before);
        let len = colour_len(from);
        plain.extend(from.get(..1).filter(|_| len == 0).unwrap_or_default());
        rest = from.get(len.max(1)..).unwrap_or_default();
    }
    plain.extend(rest);
    Cow::Owned(plain)
}

/// Length of a colour sequence; 0 if none begins here.
pub(crate) fn colour_len(text: &[u8]) -> usize {
    let Some(rest) = text.strip_prefix(b"\x1b[") else { return 0 };
    let len = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    if rest.get(len) == Some(&b'm') { len + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_are_removed() {
        assert_eq!(&*without_colours(b"\x1b[38;5;242m00 \x1b[0m01"), b"00 01");
        assert_eq!(&*without_colours(b"a\x1b[2Jb\x1bc"), b"a\x1b[2Jb\x1bc");
    }
}
