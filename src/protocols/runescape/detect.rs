//! Detection of the revision if neither a login nor a setting states it, and opcodes are readable.
//!
//! The first packets of both sides are read with every table. A table that reads a packet to its last byte fits it; the
//! first packet that does not fit ends the examination of a side. Each fitting packet doubles the weight of a table, and
//! the confidence is the share of the best table in all weights.

use super::direction::{Direction, body};
use super::fields::RS;
use super::game::Game;
use super::login::Cipher;
use super::reader::{Line, Reader};
use super::tables::{Revision, Row, Table};
use crate::tree::{BySide, FrameInfo, Side, Span, Tree};
use crate::wire::{Cut, Wire};
use std::fmt;
use std::sync::Arc;

/// Packets of each side that are read, and the least that decide.
const PACKETS: usize = 100;
const LEAST: usize = 4;

/// Maximum bytes of a side that are examined.
const BYTES: usize = 64 << 10;

/// Least confidence of a decision before all packets are read.
const ENOUGH: f64 = 0.999;

/// Packets of one side that a table fits.
#[derive(Debug, Clone, Copy, Default)]
struct Fit {
    packets: usize,
    /// A packet did not fit.
    is_over: bool,
}

/// Examination of the first packets of a connection.
#[derive(Debug, Default)]
pub struct Detection {
    fits: BySide<Vec<Fit>>,
}

/// Result of an examination.
pub enum Detected {
    /// The table, and how well it fits.
    Found(Arc<Table>, Confidence),
    /// No table fits.
    No,
    /// Undecided; needs this many bytes of the side.
    Unsure(usize),
}

/// How well the detected table fits.
#[derive(Debug, Clone, Copy)]
pub struct Confidence {
    revision: Revision,
    packets: usize,
    next: Option<(Revision, usize)>,
    share: f64,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Confidence { revision, packets, next, share } = self;
        write!(f, "{revision} fits the first {packets} packets")?;
        if let Some((revision, packets)) = next {
            write!(f, ", {revision} the first {packets}")?;
        }
        // No number of packets proves a table.
        write!(f, "; confidence {:.1} %", (100.0 * share).min(99.9))
    }
}

impl Detection {
    /// Examines all unread bytes of a side.
    pub fn examine(&mut self, cipher: Cipher, from: Side, ahead: &[u8], more: bool) -> Detected {
        let bytes = ahead.get(..BYTES).unwrap_or(ahead);
        let tables: Vec<Arc<Table>> = Table::all().collect();
        self.fits[from] = tables.iter().map(|table| fit(table, cipher, from, bytes)).collect();
        let of = |place: usize| {
            let sides = Side::BOTH.map(|side| self.fits[side].get(place).copied().unwrap_or_default());
            sides
                .iter()
                .fold(Fit::default(), |sum, fit| Fit { packets: sum.packets + fit.packets, is_over: sum.is_over || fit.is_over })
        };
        let mut all: Vec<(Revision, Fit, usize)> =
            tables.iter().enumerate().map(|(place, table)| (table.revision, of(place), place)).collect();
        // Tables without a misfit first.
        all.sort_by_key(|(_, fit, _)| (fit.is_over, std::cmp::Reverse(fit.packets)));
        let Some(&(revision, best, place)) = all.first() else { return Detected::No };
        let next = all.get(1).filter(|(_, fit, _)| fit.packets > 0).map(|(revision, fit, _)| (*revision, fit.packets));
        let weight = |fit: &Fit| (i32::try_from(fit.packets).unwrap_or(i32::MAX) - i32::from(fit.is_over)).min(1000);
        let share = 1.0 / all.iter().map(|(_, fit, _)| 2_f64.powi(weight(fit) - weight(&best))).sum::<f64>();
        let is_decided = best.packets >= LEAST && !best.is_over && share >= ENOUGH;
        let is_all = !more || bytes.len() == BYTES || best.packets >= PACKETS;
        match tables.get(place) {
            Some(table) if is_decided || is_all && best.packets >= LEAST && share > 0.5 => {
                Detected::Found(Arc::clone(table), Confidence { revision, packets: best.packets, next, share })
            }
            _ if best.is_over || is_all => Detected::No,
            _ => Detected::Unsure(ahead.len() + 1),
        }
    }
}

/// Number of packets at the start of the bytes that match a table.
fn fit(table: &Arc<Table>, cipher: Cipher, from: Side, bytes: &[u8]) -> Fit {
    let mut direction = Direction::of(cipher.opcodes(from));
    let mut probe = Probe::new(table);
    let (mut rest, mut fit) = (bytes, Fit::default());
    while fit.packets < PACKETS {
        // A truncated packet may still match.
        let Ok(head) = direction.next(from, rest, table.has_long_opcodes()) else { break };
        let Some(row) = table.row(from, head.opcode) else {
            fit.is_over = true;
            break;
        };
        let behind = rest.get(head.width..).unwrap_or_default();
        let Ok((prefix, length)) = body(row.size, behind) else { break };
        let Some((payload, next)) = behind.get(prefix..).and_then(|payload| payload.split_at_checked(length)) else { break };
        if table.longest().is_some_and(|longest| length > longest) || !probe.fits(table, row, payload) {
            fit.is_over = true;
            break;
        }
        fit.packets += 1;
        rest = next;
    }
    fit
}

/// A session whose trees are discarded.
struct Probe {
    game: Game,
    tree: Tree,
    line: Line,
}

impl Probe {
    fn new(table: &Arc<Table>) -> Probe {
        let mut game = Game::default();
        game.begin(table.revision, Some(Arc::clone(table)), Cipher::Off);
        Probe { game, tree: Tree::discarded(), line: Line::default() }
    }

    /// Whether the layout of a row reads a payload to its last byte.
    fn fits(&mut self, table: &Table, row: &Row, payload: &[u8]) -> bool {
        let Some(layout) = &row.layout else { return true };
        self.tree.begin(FrameInfo::default());
        let layer = self.tree.push_layer(&RS, Span::new(0, 0..payload.len()), None, 0, true);
        self.line.clear(false);
        let mut wire = Wire::new(&mut self.tree, layer, 0, payload, 0..payload.len(), Cut::No);
        let result = Reader::new(&mut self.game, table, row.name, &mut self.line).payload(&mut wire, layout);
        result.is_ok() && wire.remaining() == 0
    }
}
