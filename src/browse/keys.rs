//! Key bindings and mouse actions.

use super::chart::BESIDE;
use super::columns::USUAL;
use super::copy::{self, Form};
use super::prompt::{Prompt, Purpose};
use super::text::Text;
use super::{Effect, Focus, State};
use crate::record::View;
use crate::registry::Registry;
use crate::render::{PSEUDO_FIELDS, word_lines};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

/// Lines per step of the wheel.
const WHEEL: isize = 3;

/// Columns per horizontal step.
const SHIFT: isize = 8;

/// Maximum number of listed completions.
const OFFERED: usize = 24;
const OFFERED_LINES: usize = 4;

/// Handles a key.
pub fn press(state: &mut State, key: KeyEvent) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    state.message.clear();
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        match key.code {
            KeyCode::Char('c') => state.effects.push(Effect::Quit),
            KeyCode::Char('z') => state.effects.push(Effect::Suspend),
            KeyCode::Char('u') => state.prompt.iter_mut().for_each(Prompt::clear),
            _ => {}
        }
    } else if state.prompt.is_some() {
        type_in(state, key.code);
    } else if state.text.is_some() {
        read_text(state, key);
    } else if std::mem::take(&mut state.is_copying) {
        copy(state, key.code);
    } else if !command(state, key.code) {
        movement(state, key.code);
    }
}

/// Handles a key in a prompt.
fn type_in(state: &mut State, code: KeyCode) {
    let Some(prompt) = &mut state.prompt else { return };
    match code {
        KeyCode::Enter => state.enter(),
        KeyCode::Esc => state.prompt = None,
        KeyCode::Char(character) => prompt.insert(character),
        KeyCode::Backspace => prompt.backspace(),
        KeyCode::Delete => prompt.delete(),
        KeyCode::Left => prompt.left(),
        KeyCode::Right => prompt.right(),
        KeyCode::Home => prompt.home(),
        KeyCode::End => prompt.end(),
        KeyCode::Up | KeyCode::Down if prompt.purpose == Purpose::Filter => {
            prompt.recall(&state.history, code == KeyCode::Up);
        }
        KeyCode::Tab if prompt.takes_names() => complete(prompt, usize::from(state.size.width)),
        _ => {}
    }
}

/// Completes the word before the cursor, and lists the possible names in lines of this width.
fn complete(prompt: &mut Prompt, width: usize) {
    let word = prompt.word().to_owned();
    if word.is_empty() {
        return;
    }
    let mut names: Vec<&str> = names().filter(|name| name.starts_with(&word)).collect();
    names.sort_unstable();
    names.dedup();
    prompt.complete(&names);
    let offered = match names.as_slice() {
        [] => format!("no field starts with {word}"),
        [_] => return,
        names => {
            let more = names.len().saturating_sub(OFFERED);
            let shown = names.get(..OFFERED).unwrap_or(names).join(" ");
            if more > 0 { format!("{shown} … (+{more} more)") } else { shown }
        }
    };
    prompt.wrong = word_lines(&offered, width).take(OFFERED_LINES).map(str::to_owned).collect();
}

/// Names of protocols, fields and properties for filters and columns.
fn names() -> impl Iterator<Item = &'static str> {
    Registry::default().fields().map(|field| field.abbrev).chain(PSEUDO_FIELDS.iter().map(|pseudo| pseudo.name))
}

/// Handles a key in the chart; false for others.
fn read_chart(state: &mut State, key: KeyEvent) -> bool {
    let Some(chart) = state.text.as_mut().and_then(|text| text.chart.as_mut()) else { return false };
    let extends = key.modifiers.contains(KeyModifiers::SHIFT) || chart.anchor.is_some();
    match key.code {
        KeyCode::Left => chart.step(-1, extends),
        KeyCode::Right => chart.step(1, extends),
        KeyCode::Char('v') => chart.turn_range(),
        KeyCode::Esc if chart.anchor.is_some() => chart.anchor = None,
        KeyCode::Enter => state.filter_range(),
        _ => return false,
    }
    true
}

/// Handles a key in a text overlay.
fn read_text(state: &mut State, key: KeyEvent) {
    if read_chart(state, key) {
        return;
    }
    let height = text_rows(state);
    let page = isize::try_from(height.max(1)).unwrap_or(isize::MAX);
    let Some(text) = &mut state.text else { return };
    match key.code {
        KeyCode::Esc | KeyCode::Char('q') | KeyCode::Char('?') | KeyCode::Enter => state.text = None,
        KeyCode::Up | KeyCode::Char('k') => text.scroll(-1, height),
        KeyCode::Down | KeyCode::Char('j') => text.scroll(1, height),
        KeyCode::PageUp => text.scroll(-page, height),
        KeyCode::PageDown | KeyCode::Char(' ') => text.scroll(page, height),
        KeyCode::Home => text.scroll(isize::MIN, height),
        KeyCode::End => text.scroll(isize::MAX, height),
        KeyCode::Left => text.shift(-SHIFT),
        KeyCode::Right => text.shift(SHIFT),
        _ => {}
    }
}

/// Number of visible lines of a text: all but header, title, chart and footer.
fn text_rows(state: &State) -> usize {
    let chart = state.text.as_ref().map_or(0, |text| text.chart_rows(state.size));
    usize::from(state.size.height.saturating_sub(3)).saturating_sub(chart)
}

/// Handles the second key of `y`.
fn copy(state: &mut State, code: KeyCode) {
    let form = match code {
        KeyCode::Char('h') => Form::Hex,
        KeyCode::Char('f') => Form::Filter,
        KeyCode::Char('j') => Form::Json,
        KeyCode::Char('c') => Form::CArray,
        _ => return,
    };
    let detail = state.detail.as_ref().filter(|_| !state.is_stale);
    let text = detail.map(|detail| copy::text(detail, state.fields.selected, form)).unwrap_or_default();
    if text.is_empty() {
        "the field has nothing to copy in this form".clone_into(&mut state.message);
    } else {
        state.message = format!("{} bytes copied", text.len());
        state.effects.push(Effect::Copy(text));
    }
}

/// Handles keys common to all panes; false for others.
fn command(state: &mut State, code: KeyCode) -> bool {
    match code {
        KeyCode::Tab => state.focus = next(state.focus),
        KeyCode::BackTab => state.focus = next(next(state.focus)),
        KeyCode::Esc => state.filter(""),
        KeyCode::Char(key) => match key {
            'q' => state.effects.push(Effect::Quit),
            'm' => state.change_view(View::Messages),
            'p' => state.change_view(View::Packets),
            '/' => state.prompt = Some(Prompt::new(Purpose::Filter, &state.pass.filter)),
            'c' => {
                let columns = if state.pass.columns.is_empty() { USUAL.to_owned() } else { state.pass.columns.join(" ") };
                state.prompt = Some(Prompt::new(Purpose::Columns, &columns));
            }
            'g' => state.prompt = Some(Prompt::new(Purpose::Number, "")),
            'd' => state.prompt = Some(Prompt::new(Purpose::DecodeAs, &selector(state))),
            'o' => save(state),
            't' => {
                let note = state.own_entry().map(|entry| entry.note.clone()).unwrap_or_default();
                state.prompt = Some(Prompt::new(Purpose::Note, &note));
            }
            'b' => state.mark(None),
            'n' | 'N' => state.next_match(key == 'n'),
            ']' | '[' => state.next_of_kind(key == ']'),
            '}' | '{' => state.next_of_stream(key == '}'),
            '>' | '<' => turn(state, key == '>'),
            'x' => state.bytes.is_text = !state.bytes.is_text,
            'y' => {
                "copy as: h hex, f filter, j JSON, c C array".clone_into(&mut state.message);
                state.is_copying = true;
            }
            'f' => state.ask_of_stream("Follow", Effect::Follow),
            'e' => state.ask_of_stream("Explore", Effect::Explore),
            's' => state.ask("Statistics".to_owned(), Effect::Statistics),
            'F' => state.next_file(),
            '?' => state.text = Some(Text::help()),
            _ => return false,
        },
        _ => return false,
    }
    true
}

/// The selector of `-d` for the current conversation.
fn selector(state: &State) -> String {
    let stream = state.row().and_then(|row| row.stream).map(|(stream, _)| stream.to_string());
    let stream = stream.as_deref().and_then(|stream| stream.split_once('/'));
    stream.map_or_else(String::new, |(transport, number)| format!("{transport}.stream=={number},"))
}

fn save(state: &mut State) {
    let detail = state.detail.as_ref().filter(|_| !state.is_stale);
    let has_bytes = detail.is_some_and(|detail| !detail.bytes_of(state.fields.selected).is_empty());
    if has_bytes {
        state.prompt = Some(Prompt::new(Purpose::Save, ""))
    } else {
        "the field has no bytes to save".clone_into(&mut state.message)
    }
}

fn next(focus: Focus) -> Focus {
    match focus {
        Focus::List => Focus::Fields,
        Focus::Fields => Focus::Bytes,
        Focus::Bytes => Focus::List,
    }
}

/// Switches to another buffer, and selects its first field.
fn turn(state: &mut State, forward: bool) {
    let Some(detail) = &state.detail else { return };
    if let Some(at) = state.bytes.turn(detail, forward) {
        state.fields.select(detail, at);
    }
}

/// Handles keys that move within a pane.
fn movement(state: &mut State, code: KeyCode) {
    let panes = state.panes();
    let rows = match state.focus {
        Focus::List => state.list_rows(),
        Focus::Fields => panes.fields_rows(),
        Focus::Bytes => panes.bytes_rows(),
    };
    let page = isize::try_from(rows.max(1)).unwrap_or(isize::MAX);
    let lines = match code {
        KeyCode::Up | KeyCode::Char('k') => -1,
        KeyCode::Down | KeyCode::Char('j') => 1,
        KeyCode::PageUp => -page,
        KeyCode::PageDown | KeyCode::Char(' ') => page,
        KeyCode::Home => isize::MIN / 64,
        KeyCode::End => isize::MAX / 64,
        _ => 0,
    };
    match (state.focus, code) {
        (Focus::List, KeyCode::Enter) => state.focus = Focus::Fields,
        (Focus::List, _) if lines != 0 => state.move_by(lines),
        (Focus::List, _) => {}
        (Focus::Fields, _) => in_fields(state, code, lines),
        (Focus::Bytes, KeyCode::Left) => in_bytes(state, -1),
        (Focus::Bytes, KeyCode::Right) => in_bytes(state, 1),
        (Focus::Bytes, _) => {
            let width = isize::try_from(state.bytes_in_line()).unwrap_or(1);
            in_bytes(state, lines.saturating_mul(width));
        }
    }
}

fn in_fields(state: &mut State, code: KeyCode, lines: isize) {
    let Some(detail) = &state.detail else { return };
    let fields = &mut state.fields;
    match code {
        KeyCode::Left => fields.close(detail),
        KeyCode::Right => fields.open(detail),
        KeyCode::Enter => fields.toggle(detail),
        _ => fields.step(lines),
    }
    fields.want(detail);
    state.bytes.show(detail, fields.selected);
}

fn in_bytes(state: &mut State, by: isize) {
    let Some(detail) = state.detail.as_ref().filter(|_| by != 0) else { return };
    if let Some(at) = state.bytes.step(detail, by) {
        state.fields.select(detail, at);
        state.fields.want(detail);
    }
}

/// Moves the cursor of the chart to the mouse. Pressing a button begins a range.
fn point_at_chart(state: &mut State, mouse: MouseEvent) {
    let rows = state.text.as_ref().map_or(0, |text| text.chart_rows(state.size));
    let width = usize::from(state.size.width).saturating_sub(BESIDE);
    // Header and title are above the chart.
    let is_on_chart = usize::from(mouse.row).checked_sub(2).is_some_and(|row| row < rows);
    let Some(chart) = state.text.as_mut().and_then(|text| text.chart.as_mut()) else { return };
    let Some(column) = usize::from(mouse.column).checked_sub(BESIDE).filter(|_| is_on_chart) else { return };
    chart.put(chart.first(width) + column / chart.columns(width));
    if mouse.kind == MouseEventKind::Down(MouseButton::Left) {
        chart.anchor = Some(chart.cursor);
    }
}

/// Handles the mouse: a click selects, the wheel scrolls.
pub fn mouse(state: &mut State, mouse: MouseEvent) {
    if matches!(mouse.kind, MouseEventKind::Down(MouseButton::Left) | MouseEventKind::Drag(MouseButton::Left)) {
        point_at_chart(state, mouse);
    }
    let by = match mouse.kind {
        MouseEventKind::ScrollUp => -WHEEL,
        MouseEventKind::ScrollDown => WHEEL,
        MouseEventKind::Down(MouseButton::Left) => 0,
        _ => return,
    };
    let height = text_rows(state);
    if let Some(text) = &mut state.text {
        return text.scroll(by, height);
    }
    let panes = state.panes();
    let at = Position { x: mouse.column, y: mouse.row };
    let line_behind = |area: Rect, heads: usize| usize::from(at.y.saturating_sub(area.y)).checked_sub(heads);
    let line = |area: Rect| line_behind(area, 1);
    if panes.list.contains(at) {
        state.focus = Focus::List;
        match line_behind(panes.list, state.list_heads()).filter(|_| by == 0) {
            Some(line) if state.top + line < state.rows.len() => state.selected = state.top + line,
            Some(_) => {}
            None => state.move_by(by),
        }
    } else if panes.fields.contains(at) {
        state.focus = Focus::Fields;
        match line(panes.fields).and_then(|line| state.fields.visible.get(state.fields.top + line).copied()) {
            Some(item) if by == 0 => {
                state.fields.selected = item;
                in_fields(state, KeyCode::Null, 0);
            }
            _ => in_fields(state, KeyCode::Null, by),
        }
    } else if panes.bytes.contains(at) {
        state.focus = Focus::Bytes;
        click_bytes(state, at, by);
    }
}

fn click_bytes(state: &mut State, at: Position, by: isize) {
    let panes = state.panes();
    let width = state.bytes_in_line();
    if by != 0 {
        return in_bytes(state, by.saturating_mul(isize::try_from(width).unwrap_or(1)));
    }
    let Some(line) = usize::from(at.y.saturating_sub(panes.bytes.y)).checked_sub(1) else { return };
    let column = usize::from(at.x.saturating_sub(panes.bytes.x));
    let Some(place) = super::draw::byte_at(column, width, state.bytes.is_text) else { return };
    let target = (state.bytes.top + line).saturating_mul(width).saturating_add(place);
    let by = isize::try_from(target).unwrap_or(isize::MAX) - isize::try_from(state.bytes.cursor).unwrap_or(isize::MAX);
    if by != 0 {
        in_bytes(state, by);
    } else if let Some(detail) = &state.detail
        && let Some(at) = state.bytes.step(detail, 0)
    {
        state.fields.select(detail, at);
    }
}
