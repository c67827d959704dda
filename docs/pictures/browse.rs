//! The screen of `browse` as text with colours.

use super::{Result, dissect};
use proto_dissect::browse::{Detail, Effect, Event, Pass, State, Summary, draw};
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::render::Theme;
use proto_dissect::tree::Demand;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use ratatui::style::{Color, Modifier};
use std::fmt::Write;

const SAMPLE: &str = "pipboy.pcap";
const SIZE: Size = Size::new(116, 34);

/// What these keys lead to.
pub fn screen(keys: &[KeyCode]) -> Result<String> {
    let pass = Pass { number: 0, file: 0, view: View::Messages, filter: String::new(), columns: Vec::new() };
    let mut state = State::new(vec![format!("samples/{SAMPLE}")], pass, Theme::coloured(), SIZE);
    let mut pass = 0;
    answer(&mut state, &mut pass)?;
    for key in keys {
        state.handle(Event::Key(KeyEvent::new(*key, KeyModifiers::NONE)));
        answer(&mut state, &mut pass)?;
    }
    let mut terminal = Terminal::new(TestBackend::new(SIZE.width, SIZE.height))?;
    terminal.draw(|frame| draw::draw(&state, frame))?;
    let mut text = String::new();
    for row in terminal.backend().buffer().content.chunks(SIZE.width.into()) {
        let mut last: Option<&Cell> = None;
        for cell in row {
            if last.is_none_or(|last| last.style() != cell.style()) {
                look(cell, &mut text)?;
            }
            last = Some(cell);
            text.push_str(cell.symbol());
        }
        text.push_str("\u{1b}[0m\n");
    }
    Ok(text)
}

/// Reads what the view asks for; `pass` is the number of the latest reading.
fn answer(state: &mut State, pass: &mut u64) -> Result {
    for effect in state.take_effects() {
        match effect {
            Effect::Read(Pass { number, .. }) => {
                *pass = number;
                let mut lines = Vec::new();
                records(|place, record| {
                    lines.push(Summary::of(place, record, None)?);
                    Ok(())
                })?;
                state.handle(Event::Records(number, lines));
                state.handle(Event::End(number, None));
            }
            Effect::Dissect(sought) => {
                let mut found = None;
                records(|place, record| {
                    if place == sought {
                        found = Some(Box::new(Detail::of(record)?));
                    }
                    Ok(())
                })?;
                state.handle(Event::Detail(*pass, sought, found));
            }
            other => return Err(format!("{other:?}").into()),
        }
    }
    Ok(())
}

fn records(mut take: impl FnMut(u64, &Record<'_>) -> Result) -> Result {
    let mut tally = Tally::new(View::Messages);
    let mut place = 0;
    dissect(SAMPLE, Demand::EVERYTHING, |of, captured| {
        tally.records(of, captured, |record| {
            place += 1;
            take(place - 1, &record)
        })
    })
}

/// The escape sequence of a cell.
fn look(cell: &Cell, text: &mut String) -> std::fmt::Result {
    text.push_str("\u{1b}[0");
    for (colour, kind) in [(cell.fg, 38), (cell.bg, 48)] {
        if let Color::Indexed(number) = colour {
            write!(text, ";{kind};5;{number}")?;
        }
    }
    for (modifier, code) in [(Modifier::BOLD, 1), (Modifier::REVERSED, 7)] {
        if cell.modifier.contains(modifier) {
            write!(text, ";{code}")?;
        }
    }
    text.push('m');
    Ok(())
}
