//! Colours by role; the only module that defines colours.
//!
//! The background of a terminal is unknown. None of the 16 ANSI colours has a contrast of 4.5 : 1 on both black and white with the
//! palettes of xterm, PuTTY and the Linux console. Six of the 240 fixed colours of xterm do, and their values are the same on all
//! terminals. The Linux console maps them to the 16 colours, so there each colour sets a black background. `tests/layout.rs`
//! computes the contrasts. Whether to use colours is decided elsewhere.

use crate::tree::Side;
use owo_colors::{Style, XtermColors};
use std::fmt::{self, Write as _};

/// Role of a piece of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Record number.
    Number,
    /// Capture time.
    Time,
    /// Conversation.
    Stream,
    /// Address.
    Address,
    /// Protocol.
    Protocol,
    /// Field label.
    Name,
    /// Value.
    Value,
    /// Meaning of a value.
    Meaning,
    /// Raw bytes.
    Bytes,
    /// Offset.
    Offset,
    /// Bytes of the n-th field, distinct from neighbouring fields.
    Field(usize),
    /// Payload of this side of a conversation.
    Side(Side),
    /// Note of level info.
    Info,
    /// Note of level odd.
    Odd,
    /// Note of level broken.
    Broken,
    /// Missing bytes.
    Gap,
    /// Secondary text: column headings, separators.
    Secondary,
}

/// Colours, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    palette: Option<Palette>,
}

/// Palettes of terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Palette {
    /// The 256 colours of xterm.
    Fixed,
    /// The 16 colours of the Linux console.
    Console,
}

/// Named colours.
#[derive(Debug, Clone, Copy)]
enum Hue {
    Green,
    Red,
    Violet,
    Blue,
    Magenta,
    Grey,
}

/// Colours of neighbouring fields. Their number is an odd prime, so fields that repeat in pairs or triples get different colours.
const FIELDS: [Hue; 5] = [Hue::Green, Hue::Magenta, Hue::Blue, Hue::Red, Hue::Violet];

impl Theme {
    /// No colours and no escape sequences.
    pub const fn plain() -> Theme {
        Theme { palette: None }
    }

    /// 256 colours.
    pub const fn coloured() -> Theme {
        Theme { palette: Some(Palette::Fixed) }
    }

    /// 16 colours.
    pub const fn console() -> Theme {
        Theme { palette: Some(Palette::Console) }
    }

    /// Whether colours are disabled.
    pub const fn is_plain(self) -> bool {
        self.palette.is_none()
    }

    /// Formats a value in the colour of its role.
    pub fn paint<T: fmt::Display>(self, role: Role, what: T) -> Painted<T> {
        Painted { style: self.palette.map(|palette| style_of(role, palette)), what }
    }

    /// Appends text in the colour of its role.
    pub fn push(self, role: Role, text: &str, out: &mut String) {
        if self.is_plain() {
            return out.push_str(text);
        }
        // Writing to a String does not fail.
        let _ = write!(out, "{}", self.paint(role, text));
    }

    /// Style of a role, for output that is not a text stream.
    pub fn ink(self, role: Role) -> Ink {
        let Some(palette) = self.palette else { return Ink::default() };
        let (hue, is_bold) = hue_of(role);
        let colour = hue.map(|hue| if palette == Palette::Fixed { fixed(hue) } else { console(hue) });
        Ink { colour, on_black: palette == Palette::Console && colour.is_some(), is_bold }
    }
}

/// Style of a role, for output that is not a text stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ink {
    /// Index among the 256 colours of xterm; `None` for the default colour.
    pub colour: Option<u8>,
    /// Whether it sets a black background.
    pub on_black: bool,
    pub is_bold: bool,
}

fn style_of(role: Role, palette: Palette) -> Style {
    let (hue, is_bold) = hue_of(role);
    let plain = if is_bold { Style::new().bold() } else { Style::new() };
    hue.map_or(plain, |hue| coloured(plain, hue, palette))
}

/// Colour of a role, and whether it is bold.
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

/// Index of a colour among the 256 of xterm.
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

/// Index of a colour among the 16 ANSI colours.
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

/// A value with its colour.
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
