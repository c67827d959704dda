//! Draws the state as a screen.

mod bytes;
mod chart;
mod fields;
mod list;

pub use bytes::byte_at;

use super::layout::Panes;
use super::prompt::Prompt;
use super::rows::Counts;
use super::text::Text;
use super::{Focus, State};
use crate::record::View;
use crate::render::{Role, Theme, Thousands};
use crate::tree::{clean_escaped, is_harmful};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar;

pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    let wrong = state.prompt.as_ref().map_or(0, |prompt| prompt.wrong.len());
    let panes = Panes::new(area.as_size(), state.focus, wrong);
    let buffer = frame.buffer_mut();
    head(state, panes.head, buffer);
    match &state.text {
        Some(text) => {
            let body = Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area };
            draw_text(state, text, body, buffer);
        }
        None => {
            list::draw(state, panes.list, buffer);
            fields::draw(state, panes.fields, buffer);
            bytes::draw(state, panes.bytes, buffer);
        }
    }
    let cursor = foot(state, panes.foot, buffer);
    if let Some((x, y)) = cursor {
        frame.set_cursor_position((x, y));
    }
}

/// The colours of a role.
fn style(theme: Theme, role: Role) -> Style {
    let ink = theme.ink(role);
    let mut style = Style::new();
    style.fg = ink.colour.map(Color::Indexed);
    style.bg = ink.on_black.then_some(Color::Black);
    if ink.is_bold { style.add_modifier(Modifier::BOLD) } else { style }
}

/// Writes a line into an area, truncated to its width.
fn put(buffer: &mut Buffer, area: Rect, at: usize, line: &Line<'_>) {
    let Some(y) = u16::try_from(at).ok().filter(|at| *at < area.height) else { return };
    buffer.set_line(area.x, area.y + y, line, area.width);
}

/// Sets the style of a whole line.
fn mark(buffer: &mut Buffer, area: Rect, at: usize, style: Style) {
    let Some(y) = u16::try_from(at).ok().filter(|at| *at < area.height) else { return };
    buffer.set_style(Rect { y: area.y + y, height: 1, ..area }, style);
}

/// The title of a pane; reversed if the pane has the focus.
fn title(state: &State, focus: Focus, words: &str, area: Rect, buffer: &mut Buffer) {
    let has_focus = state.focus == focus;
    let sign = if has_focus { "▸ " } else { "  " };
    put(buffer, area, 0, &Line::from(format!("{sign}{words}")));
    let look = if has_focus { Style::new().add_modifier(Modifier::BOLD) } else { style(state.theme, Role::Secondary) };
    mark(buffer, area, 0, look.add_modifier(Modifier::UNDERLINED));
}

fn head(state: &State, area: Rect, buffer: &mut Buffer) {
    let view = match state.pass.view {
        View::Messages => "messages",
        View::Packets => "packets",
    };
    let file = harmless(state.files.get(state.pass.file).map_or("", String::as_str));
    let several = match state.files.len() {
        0 | 1 => String::new(),
        count => format!(" ({} of {count})", state.pass.file + 1),
    };
    let Counts { numbered, late, gaps } = state.rows.counts;
    let mut words = format!("{file}{several}  {} {view}", Thousands(numbered as u64));
    for (count, what) in [(late, "late"), (gaps, if gaps == 1 { "gap" } else { "gaps" })] {
        if count > 0 {
            words.push_str(&format!(", {} {what}", Thousands(count as u64)));
        }
    }
    if state.is_reading {
        words.push_str(" …");
    }
    if state.rows.left_out > 0 {
        words.push_str(&format!(" (+{} not listed; / narrows)", Thousands(state.rows.left_out)));
    }
    if !state.pass.filter.is_empty() {
        words.push_str(&format!("  filter: {}", harmless(&state.pass.filter)));
    }
    put(buffer, area, 0, &Line::from(words));
    mark(buffer, area, 0, Style::new().add_modifier(Modifier::REVERSED));
}

/// Draws the last lines; returns the cursor position in a prompt.
fn foot(state: &State, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let Some(prompt) = &state.prompt else {
        let words = match (&state.text, state.message.is_empty()) {
            (Some(text), true) if text.chart.is_some() => "← → interval  v range  Enter list  ↑ ↓ scroll  Esc close",
            (Some(_), true) => "↑ ↓ PageUp PageDown scroll   Esc close",
            (_, false) => &state.message,
            (None, true) => "? keys  / filter  Tab pane  m p view  f follow  s statistics  c columns  q quit",
        };
        put(buffer, area, usize::from(area.height.saturating_sub(1)), &Line::from(harmless(words)));
        return None;
    };
    let broken = style(state.theme, Role::Broken);
    // The first line is the error; lines with a caret repeat the text.
    for (at, line) in prompt.wrong.iter().enumerate() {
        put(buffer, area, at, &Line::from(Span::styled(harmless(line), broken)));
    }
    typed(prompt, area, buffer)
}

fn typed(prompt: &Prompt, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let label = prompt.purpose.label();
    let available = usize::from(area.width).saturating_sub(label.len() + 1);
    let before: String = prompt.text.chars().take(prompt.cursor).collect();
    let skipped = skip_for(&before, available);
    let shown: String = prompt.text.chars().skip(skipped).collect();
    let line = usize::from(area.height.saturating_sub(1));
    put(buffer, area, line, &Line::from(format!("{label}{}", harmless(&shown))));
    let column = label.len() + before.chars().skip(skipped).map(columns).sum::<usize>();
    Some((area.x + u16::try_from(column).ok()?, area.y + u16::try_from(line).ok()?))
}

/// Number of characters to omit at the beginning, so that the rest fits.
fn skip_for(text: &str, available: usize) -> usize {
    let mut width: usize = text.chars().map(columns).sum();
    let mut skipped = 0;
    for character in text.chars() {
        if width <= available {
            break;
        }
        width -= columns(character);
        skipped += 1;
    }
    skipped
}

fn columns(character: char) -> usize {
    if is_harmful(character) { character.escape_unicode().count() } else { character.width().unwrap_or_default() }
}

fn draw_text(state: &State, text: &Text, area: Rect, buffer: &mut Buffer) {
    put(buffer, area, 0, &Line::from(format!("▸ {}", text.title)));
    mark(buffer, area, 0, Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED));
    if text.is_waiting {
        put(buffer, area, 1, &Line::from("reading …"));
    }
    let rows = text.chart_rows(state.size);
    if let Some(chart) = &text.chart {
        chart::draw(state.theme, chart, rows, area, buffer);
    }
    for (at, line) in text.lines.iter().skip(text.top).take(usize::from(area.height)).enumerate() {
        let shown: String = line.chars().skip(text.left).collect();
        put(buffer, area, rows + at + 1, &Line::from(harmless(&shown)));
    }
}

/// Text escaped for a terminal.
fn harmless(text: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = clean_escaped(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_omitted_until_the_rest_fits() {
        assert_eq!([6, 5, 4, 1, 0].map(|available| skip_for("abcdef", available)), [0, 1, 2, 5, 6]);
        // Two columns each.
        assert_eq!([6, 5, 4, 3].map(|available| skip_for("日本語", available)), [0, 1, 1, 2]);
        assert_eq!(skip_for("", 0), 0);
    }
}
