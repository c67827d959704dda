//! Conversations and endpoints.

use super::Pages;
use super::words::{Maybe, Seconds};
use crate::render::{Grid, Head, Role, Thousands};
use crate::stats::{Conversation, Conversations, Count};
use std::io;

/// Width from which both directions of a conversation are in one row.
const SIDE_BY_SIDE: usize = 130;

impl Pages<'_> {
    pub(super) fn conversations(&mut self, table: &Conversations) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("stream", Role::Name),
            Head::words("A", Role::Address),
            Head::words("B", Role::Address),
            Head::number("A→B frames"),
            Head::number("bytes"),
            Head::number("B→A frames"),
            Head::number("bytes"),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("start"),
            Head::number("duration"),
        ];
        if table.is_empty() && self.stats.parts.len() > 1 {
            return Ok(());
        }
        self.heading(format_args!("{} conversations: {}", table.layer.label(), Thousands(table.len())))?;
        let rows = self.rows(table.len());
        if self.look.width.is_some_and(|width| width < SIDE_BY_SIDE) {
            self.stacked_conversations(table, rows)?;
            self.rest(table.len())?;
            return self.left_out(table);
        }
        let has_numbers = table.layer.has_numbers();
        let heads = if has_numbers { HEADS } else { HEADS.get(1..).unwrap_or_default() };
        let mut grid = Grid::new(self.to, self.look.theme, heads).within(self.look.width);
        for conversation in table.largest(rows) {
            let (Conversation { ends: [a, b], sent: [sent, answered], .. }, all) = (conversation, conversation.all());
            if has_numbers {
                grid.cell(Maybe(number(table, &conversation)))?;
            }
            grid.cell(a)?.cell(b)?;
            for count in [sent, answered, all] {
                grid.cell(Thousands(count.frames))?.cell(Thousands(count.bytes))?;
            }
            times(&mut grid, &conversation)?;
        }
        grid.end()?;
        self.rest(table.len())?;
        self.left_out(table)
    }

    /// Prints conversations in narrow output: one line per direction and one for both.
    fn stacked_conversations(&mut self, table: &Conversations, rows: usize) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("A, B, stream", Role::Address),
            Head::words("", Role::Secondary),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("start"),
            Head::number("duration"),
        ];
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for conversation in table.largest(rows) {
            let (Conversation { ends: [a, b], sent: [sent, answered], .. }, all) = (conversation, conversation.all());
            grid.cell(a)?.cell("A→B")?.cell(Thousands(sent.frames))?.cell(Thousands(sent.bytes))?;
            times(&mut grid, &conversation)?;
            grid.cell(b)?.cell("B→A")?.cell(Thousands(answered.frames))?.cell(Thousands(answered.bytes))?.cell("")?.cell("")?;
            grid.cell(Maybe(number(table, &conversation)))?
                .cell("both")?
                .cell(Thousands(all.frames))?
                .cell(Thousands(all.bytes))?
                .cell("")?
                .cell("")?;
        }
        grid.end()
    }

    pub(super) fn endpoints(&mut self, table: &Conversations) -> io::Result<()> {
        const HEADS: &[Head] = &[
            Head::words("endpoint", Role::Address),
            Head::number("frames"),
            Head::number("bytes"),
            Head::number("sent"),
            Head::number("bytes"),
            Head::number("received"),
            Head::number("bytes"),
        ];
        if table.is_empty() && self.stats.parts.len() > 1 {
            return Ok(());
        }
        let endpoints = table.endpoints();
        self.heading(format_args!("{} endpoints: {}", table.layer.label(), Thousands(endpoints.len())))?;
        let rows = self.rows(endpoints.len());
        let mut grid = Grid::new(self.to, self.look.theme, HEADS).within(self.look.width);
        for (end, shares) in endpoints.largest(rows) {
            let (sent, got) = (shares.sent, shares.got);
            let all = Count { frames: sent.frames + got.frames, bytes: sent.bytes + got.bytes };
            grid.cell(end)?;
            for count in [all, sent, got] {
                grid.cell(Thousands(count.frames))?.cell(Thousands(count.bytes))?;
            }
        }
        grid.end()?;
        self.rest(endpoints.len())?;
        self.left_out(table)
    }

    fn left_out(&mut self, table: &Conversations) -> io::Result<()> {
        let Count { frames, bytes } = table.left_out;
        match frames {
            0 => Ok(()),
            _ => {
                let (frames, bytes) = (Thousands(frames), Thousands(bytes));
                let line = format!("  … and {frames} frames, {bytes} bytes of conversations beyond the limit");
                self.folded(&line, "    ")
            }
        }
    }
}

/// The number of a stream, with its layer.
fn number(table: &Conversations, conversation: &Conversation) -> Option<String> {
    let number = conversation.stream.filter(|_| table.layer.has_numbers())?;
    Some(format!("{}/{number}", table.layer.layer()))
}

/// Prints start and duration.
fn times(grid: &mut Grid<'_>, conversation: &Conversation) -> io::Result<()> {
    let times = conversation.times().map(|(first, last)| (i128::from(first), i128::from(last) - i128::from(first)));
    let (start, duration) = times.unzip();
    grid.cell(Maybe(start.map(Seconds)))?.cell(Maybe(duration.map(Seconds)))?;
    Ok(())
}
