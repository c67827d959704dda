//! Colours by role. The one place that names a colour.
//!
//! A program cannot know the ground that its text stands on. Of the sixteen classic colours none has a contrast of 4.5 : 1 on
//! black and on white with the palettes of xterm, PuTTY and the Linux console. Six of the 240 fixed colours of xterm do, and
//! terminals that know them agree on their values. The Linux console reduces them to the sixteen, so there each colour brings
//! its own black ground. `tests/layout.rs` computes the contrasts. Does not decide whether there is colour.

use crate::tree::Side;
use owo_colors::{Style, XtermColors};
use std::fmt;

/// What a piece of output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The number of a record.
    Number,
    /// When it was captured.
    Time,
    /// Its conversation.
    Stream,
    /// Who speaks to whom.
    Address,
    /// A protocol.
    Protocol,
    /// The label of a field.
    Name,
    /// A value.
    Value,
    /// What a value means.
    Meaning,
    /// Bytes as they are on the wire.
    Bytes,
    /// Where they are.
    Offset,
    /// Bytes of the field of this number, distinct from their neighbours.
    Field(usize),
    /// What this side of a conversation says.
    Side(Side),
    /// A note worth knowing.
    Info,
    /// A note about something strange.
    Odd,
    /// A note about something broken.
    Broken,
    /// Missing bytes.
    Gap,
    /// What can be passed over: column heads, separators.
    Secondary,
}

/// Colours, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    palette: Option<Palette>,
}

/// The colours that a terminal knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Palette {
    /// The 256 of xterm.
    Fixed,
    /// The sixteen of the Linux console.
    Console,
}

/// A colour, by what it is like.
#[derive(Debug, Clone, Copy)]
enum Hue {
    Green,
    Red,
    Violet,
    Blue,
    Magenta,
    Grey,
}

/// Colours of neighbouring fields. Their number is odd and prime, so fields that come in pairs or threes do not meet
/// the same colour again.
const FIELDS: [Hue; 5] = [Hue::Green, Hue::Magenta, Hue::Blue, Hue::Red, Hue::Violet];

impl Theme {
    /// No colour, not one escape byte.
    #[must_use]
    pub const fn plain() -> Theme {
        Theme { palette: None }
    }

    /// Colours.
    #[must_use]
    pub const fn coloured() -> Theme {
        Theme { palette: Some(Palette::Fixed) }
    }

    /// Colours of a terminal that has sixteen.
    #[must_use]
    pub const fn console() -> Theme {
        Theme { palette: Some(Palette::Console) }
    }

    /// Whether there is no colour.
    #[must_use]
    pub const fn is_plain(self) -> bool {
        self.palette.is_none()
    }

    /// Something in the colour of its role.
    #[must_use]
    pub fn paint<T: fmt::Display>(self, role: Role, what: T) -> Painted<T> {
        Painted { style: self.palette.map(|palette| style_of(role, palette)), what }
    }

    /// How a role looks, for output that is no stream of text.
    #[must_use]
    pub fn ink(self, role: Role) -> Ink {
        let Some(palette) = self.palette else { return Ink::default() };
        let (hue, is_bold) = hue_of(role);
        let colour = hue.map(|hue| if palette == Palette::Fixed { fixed(hue) } else { console(hue) });
        Ink { colour, on_black: palette == Palette::Console && colour.is_some(), is_bold }
    }
}

/// How a role looks, for output that is no stream of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ink {
    /// A colour of xterm's 256; the terminal's own if there is none.
    pub colour: Option<u8>,
    /// Whether it brings its own black ground.
    pub on_black: bool,
    /// Whether it is bold.
    pub is_bold: bool,
}

fn style_of(role: Role, palette: Palette) -> Style {
    let (hue, is_bold) = hue_of(role);
    let plain = if is_bold { Style::new().bold() } else { Style::new() };
    hue.map_or(plain, |hue| coloured(plain, hue, palette))
}

/// The colour of a role, and whether it is bold.
fn hue_of(role: Role) -> (Option<Hue>, bool) {
    let of = |hue| (Some(hue), false);
    let bold = |hue| (Some(hue), true);
    match role {
        Role::Meaning => (None, false),
        Role::Number => (None, true),
        Role::Stream => of(Hue::Magenta),
        Role::Address => of(Hue::Blue),
        Role::Protocol => bold(Hue::Green),
        Role::Name => of(Hue::Violet),
        Role::Value => of(Hue::Green),
        Role::Time | Role::Bytes | Role::Offset | Role::Info | Role::Secondary => of(Hue::Grey),
        Role::Field(number) => (FIELDS.get(number % FIELDS.len()).copied(), false),
        Role::Side(Side::Client) => of(Hue::Red),
        Role::Side(Side::Server) => of(Hue::Blue),
        Role::Odd => bold(Hue::Magenta),
        Role::Broken => bold(Hue::Red),
        Role::Gap => of(Hue::Red),
    }
}

fn coloured(style: Style, hue: Hue, palette: Palette) -> Style {
    match (palette, hue) {
        (Palette::Fixed, hue) => style.color(XtermColors::from(fixed(hue))),
        (Palette::Console, Hue::Green) => style.on_black().green(),
        (Palette::Console, Hue::Red) => style.on_black().bright_red(),
        (Palette::Console, Hue::Violet) => style.on_black().cyan(),
        (Palette::Console, Hue::Blue) => style.on_black().bright_cyan(),
        (Palette::Console, Hue::Magenta) => style.on_black().bright_magenta(),
        (Palette::Console, Hue::Grey) => style.on_black().white(),
    }
}

/// The number of a colour among the 256 of xterm.
const fn fixed(hue: Hue) -> u8 {
    match hue {
        Hue::Green => 29,
        Hue::Red => 131,
        Hue::Violet => 98,
        Hue::Blue => 63,
        Hue::Magenta => 163,
        Hue::Grey => 243,
    }
}

/// The number of a colour among the first sixteen.
const fn console(hue: Hue) -> u8 {
    match hue {
        Hue::Green => 2,
        Hue::Red => 9,
        Hue::Violet => 6,
        Hue::Blue => 14,
        Hue::Magenta => 13,
        Hue::Grey => 7,
    }
}

/// Something with its colour.
pub struct Painted<T> {
    style: Option<Style>,
    what: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.style {
            Some(style) => style.style(&self.what).fmt(f),
            None => self.what.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_theme_prints_no_escape() {
        assert_eq!(Theme::plain().paint(Role::Broken, "x").to_string(), "x");
    }

    #[test]
    fn a_coloured_theme_ends_every_colour_it_begins() {
        assert_eq!(Theme::coloured().paint(Role::Gap, "x").to_string(), "\x1b[38;5;131mx\x1b[0m");
        assert_eq!(Theme::coloured().paint(Role::Meaning, "x").to_string(), "x");
    }
}
