//! The end of a layer: the only place where errors become notes and unread bytes become data.

use super::notes::{BYTES_FULL, CUT, FULL, LEFT_OVER, LOST, SHORT, TEXT_FULL, UNFINISHED};
use super::{Cut, Error, Protocol, Result, Wire, data};
use crate::tree::Unkept;

impl Protocol {
    /// Notes how reading ended, adds unread bytes as data, and returns their number.
    pub fn conclude(&self, wire: &mut Wire<'_>, result: Result) -> usize {
        let have = wire.at() + wire.remaining();
        match (wire.cut(), result) {
            (Cut::Stream { needed }, _) => {
                let code = self.truncated.unwrap_or(&UNFINISHED);
                wire.note_layer(code, format_args!("the stream ends after {have} of {}{needed} bytes", at_least(have, needed)));
            }
            (Cut::Lost { needed, lost }, _) => {
                let code = self.gap.unwrap_or(&LOST);
                wire.note_layer(code, format_args!("{lost} bytes are missing from the capture after {have} of {needed}"));
            }
            (Cut::Capture, Err(Error::Short { needed })) => {
                wire.note_layer(&CUT, format_args!("the capture holds {needed} bytes too few of this frame"));
            }
            (Cut::No, Err(Error::Short { needed })) => {
                wire.note_layer(&SHORT, format_args!("{needed} more bytes needed, {} left", wire.remaining()));
            }
            (_, Err(Error::Malformed) | Ok(())) => {}
        }
        let left = wire.remaining();
        if left > 0 && result.is_ok() && wire.cut() == Cut::No {
            wire.note_layer(&LEFT_OVER, format_args!("{left} more than the fields explain"));
        }
        wire.hide_credentials(wire.at()..wire.at() + left);
        wire.rest(self.rest.unwrap_or(&data::BYTES));
        let omitted = wire.omitted();
        if omitted > 0 {
            wire.note_layer(&FULL, format_args!("{omitted} fields are not shown"));
        }
        let unkept = wire.unkept();
        if unkept != Unkept::default() {
            note_unkept(wire, unkept);
        }
        left
    }
}

#[cold]
fn note_unkept(wire: &mut Wire<'_>, unkept: Unkept) {
    let Unkept { texts, bytes } = unkept;
    if texts > 0 {
        wire.note_layer(&TEXT_FULL, format_args!("{texts} texts are not shown"));
    }
    if bytes > 0 {
        wire.note_layer(&BYTES_FULL, format_args!("{bytes} bytes are not shown"));
    }
}

/// The required length is a minimum if the message length is unknown.
fn at_least(have: usize, needed: usize) -> &'static str {
    if needed <= have { "more than " } else { "" }
}

#[cfg(test)]
mod tests {
    use crate::limits;
    use crate::tree::Field;
    use crate::wire::{Cut, Protocol, trial};

    static TOY: Field = Field { kind: crate::tree::Kind::Protocol, ..Field::number("toy", "Toy", "") };
    static NAME: Field = Field::text("toy.name", "name", "");
    static PROTOCOL: Protocol = Protocol::new(&TOY, &[&NAME]);

    /// Each of the two is noted only if something of its kind is missing.
    #[test]
    fn texts_and_bytes_without_room_are_noted_apart() {
        let long = "a".repeat(limits::TREE_TEXT.get());
        let many = vec![0; limits::TREE_DERIVED.get() + 1];
        let texts = trial::read(&PROTOCOL, b"ab", Cut::No, |wire| {
            for text in [&long, "b"] {
                wire.put_text(&NAME, 0..1, format_args!("{text}"));
            }
            wire.skip(2)
        });
        let bytes = trial::read(&PROTOCOL, b"ab", Cut::No, |wire| wire.derived("zlib", 2, &many, |_| Ok(())));
        let notes = |tree: &str| [" texts are not shown", " bytes are not shown"].map(|words| tree.contains(words));
        assert_eq!((notes(&texts), notes(&bytes)), ([true, false], [false, true]), "{bytes}");
    }
}
