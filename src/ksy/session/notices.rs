//! Notes on a session, each once for a conversation and cause.

use super::keys::Keys;
use crate::ksy::notes;
use crate::ksy::protocol::File;
use crate::ksy::run::variables::Cause;
use crate::wire::Wire;

/// The causes that were noted.
#[derive(Default)]
pub(super) struct Notices {
    noted: Vec<Cause>,
    /// Whether the next message notes that values may be stale.
    is_stale: bool,
    was_stale: bool,
}

impl Notices {
    /// Bytes are missing, in which variables may have changed.
    pub(super) fn stale(&mut self) {
        self.is_stale = !self.was_stale;
    }

    /// Adds what the next message notes.
    pub(super) fn before(&mut self, wire: &mut Wire<'_>) {
        if std::mem::take(&mut self.is_stale) {
            self.was_stale = true;
            wire.note_layer(&notes::STALE, format_args!("bytes are missing: the session variables are those before them"));
        }
    }

    /// Notes why bytes are unknown.
    pub(super) fn unknown(&mut self, cause: Cause, file: &File, keys: &Keys, wire: &mut Wire<'_>) {
        if self.noted.contains(&cause) {
            return;
        }
        self.noted.push(cause);
        match cause {
            Cause::Midway => {
                let names = file.changing_names();
                let first = names.first().copied().unwrap_or_default();
                if names.is_empty() {
                    wire.note_layer(&notes::UNKNOWN, format_args!("the capture begins after the conversation"));
                } else {
                    wire.note_layer(
                        &notes::UNKNOWN,
                        format_args!(
                            "{} unknown: the capture begins after the conversation. -o {}.{first}=VALUE sets one",
                            listed(&names),
                            file.id,
                        ),
                    );
                }
            }
            Cause::NoKey(number) => wire.note_layer(
                &notes::UNKNOWN,
                format_args!("no key {}: --keys with this line reads it: {}", keys.name(number), keys.line_for(number)),
            ),
            Cause::WrongKey(number) => {
                let place = keys.place(number).unwrap_or_default();
                wire.note_layer(&notes::KEY, format_args!("the key of {place} does not fit ({})", keys.name(number)));
            }
            Cause::Lost => wire.note_layer(&notes::UNKNOWN, format_args!("bytes are missing that a keystream or window needs")),
            Cause::Damaged => wire.note_layer(
                &notes::UNKNOWN,
                format_args!(
                    "the stages of the direction cannot read on: damaged bytes, the end of a compressed stream, or a limit"
                ),
            ),
            Cause::Earlier => {
                wire.note_layer(&notes::UNKNOWN, format_args!("an earlier conversation set a value that is unknown"));
            }
            Cause::Failed => wire.note_layer(&notes::UNKNOWN, format_args!("a value of the session could not be computed")),
        }
    }
}

/// Names with their verb: "a is", "a and b are".
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("{one} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
    }
}
