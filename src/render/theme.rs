//! Colours by role. The one place that names a colour.
//!
//! Only the sixteen colours that terminals let people choose, and of those only the ones that can be read on dark and
//! on light ground. Does not decide whether there is colour.

use crate::tree::Side;
use owo_colors::Style;
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
    coloured: bool,
}

/// Colours of neighbouring fields. Their number is odd and prime, so fields that come in pairs or threes do not meet
/// the same colour again.
const FIELDS: [Style; 5] =
    [Style::new().green(), Style::new().magenta(), Style::new().cyan(), Style::new().blue(), Style::new().red()];

impl Theme {
    /// No colour, not one escape byte.
    #[must_use]
    pub const fn plain() -> Theme {
        Theme { coloured: false }
    }

    /// Colours.
    #[must_use]
    pub const fn coloured() -> Theme {
        Theme { coloured: true }
    }

    /// Whether there is no colour.
    #[must_use]
    pub const fn is_plain(self) -> bool {
        !self.coloured
    }

    /// Something in the colour of its role.
    #[must_use]
    pub fn paint<T: fmt::Display>(self, role: Role, what: T) -> Painted<T> {
        Painted { style: self.coloured.then(|| style_of(role)), what }
    }
}

fn style_of(role: Role) -> Style {
    let style = Style::new();
    match role {
        Role::Number => style.bold(),
        Role::Stream => style.magenta(),
        Role::Address => style.blue(),
        Role::Protocol => style.green().bold(),
        Role::Name => style.cyan(),
        Role::Value => style.green(),
        Role::Meaning => style,
        Role::Time | Role::Bytes | Role::Offset | Role::Info | Role::Secondary => style.dimmed(),
        Role::Field(number) => FIELDS.get(number % FIELDS.len()).copied().unwrap_or(style),
        Role::Side(Side::Client) => style.red(),
        Role::Side(Side::Server) => style.blue(),
        Role::Odd => style.yellow(),
        Role::Broken => style.red().bold(),
        Role::Gap => style.red(),
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
        assert_eq!(Theme::coloured().paint(Role::Gap, "x").to_string(), "\x1b[31mx\x1b[0m");
        assert_eq!(Theme::coloured().paint(Role::Meaning, "x").to_string(), "x");
    }
}
