//! Layout of the panes, by the size of the terminal.

use super::Focus;
use ratatui::layout::{Rect, Size};

/// Height below which one pane is shown at a time.
pub const LOW: u16 = 16;

/// Minimum width for fields and bytes side by side.
const WIDE: u16 = 110;

/// Width of a line of sixteen bytes, and of eight.
const SIXTEEN: u16 = 76;
const EIGHT: u16 = 43;

/// Minimum width of the field tree beside lines of sixteen bytes.
const FIELDS: u16 = 64;

/// The areas of the screen; hidden ones are empty. The first line of a pane is its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panes {
    /// The header.
    pub head: Rect,
    /// The records.
    pub list: Rect,
    /// The field tree.
    pub fields: Rect,
    pub bytes: Rect,
    /// Messages and prompts.
    pub foot: Rect,
}

impl Panes {
    /// Computes the areas, with this many lines above the last one for errors of a prompt.
    pub fn new(size: Size, focus: Focus, wrong: usize) -> Panes {
        let Size { width, height } = size;
        let foot = u16::try_from(wrong).unwrap_or(u16::MAX).saturating_add(1).min(height.saturating_sub(1));
        let body = height.saturating_sub(1).saturating_sub(foot);
        let area = |x: u16, y: u16, width: u16, height: u16| Rect { x, y, width, height };
        let none = area(0, 1, 0, 0);
        let frame = Panes {
            head: area(0, 0, width, height.min(1)),
            list: none,
            fields: none,
            bytes: none,
            foot: area(0, height - foot.min(height), width, foot),
        };
        let whole = area(0, 1, width, body);
        if height < LOW {
            return match focus {
                Focus::List => Panes { list: whole, ..frame },
                Focus::Fields => Panes { fields: whole, ..frame },
                Focus::Bytes => Panes { bytes: whole, ..frame },
            };
        }
        let list = body * 2 / 5;
        let rest = body - list;
        if width >= WIDE {
            let bytes = if width > FIELDS + SIXTEEN { SIXTEEN } else { EIGHT };
            return Panes {
                list: area(0, 1, width, list),
                fields: area(0, 1 + list, width - bytes - 1, rest),
                bytes: area(width - bytes, 1 + list, bytes, rest),
                ..frame
            };
        }
        let bytes = rest * 2 / 5;
        Panes {
            list: area(0, 1, width, list),
            fields: area(0, 1 + list, width, rest - bytes),
            bytes: area(0, 1 + list + rest - bytes, width, bytes),
            ..frame
        }
    }

    /// Number of visible fields.
    pub fn fields_rows(&self) -> usize {
        lines(self.fields)
    }

    /// Number of visible lines of bytes.
    pub fn bytes_rows(&self) -> usize {
        lines(self.bytes)
    }

    /// Bytes per line.
    pub fn bytes_width(&self) -> usize {
        match self.bytes.width {
            SIXTEEN.. => 16,
            EIGHT.. => 8,
            _ => 4,
        }
    }
}

fn lines(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(1))
}
