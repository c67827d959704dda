//! Expert information by severity, as tshark's `expert`.

use super::gate::FrameFilter;
use crate::limits;
use crate::record::expert::{self, Item, Severity};
use crate::tree::{Demand, Dissection};
use std::collections::HashMap;

/// Equal expert items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpertCount {
    pub severity: Severity,
    /// Group: `Sequence`, `Malformed`.
    pub group: &'static str,
    pub protocol: &'static str,
    /// Text.
    pub summary: String,
    /// Number of occurrences.
    pub count: u64,
    /// First frame.
    pub first: u64,
}

/// Expert information of a capture.
pub struct Expert {
    /// Items beyond the limit of distinct ones.
    pub left_out: u64,
    least: Severity,
    gate: Option<FrameFilter>,
    alike: Vec<ExpertCount>,
    index: HashMap<(Severity, &'static str, String), usize, foldhash::fast::RandomState>,
}

impl Expert {
    pub(super) fn new(least: Severity, gate: Option<FrameFilter>) -> Expert {
        Expert { left_out: 0, least, gate, alike: Vec::new(), index: HashMap::default() }
    }

    /// Demand of a frame.
    pub(super) fn demand(&self) -> Demand {
        let own = expert::demand();
        self.gate.as_ref().map_or(own, |gate| own.and(gate.demand))
    }

    /// Items of a severity, in order of their first occurrence.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &ExpertCount> {
        self.alike.iter().filter(move |alike| alike.severity == severity)
    }

    pub(super) fn tree(&mut self, of: Dissection<'_>, captured: bool) {
        if self.gate.as_mut().is_some_and(|gate| !gate.matches(of, captured)) {
            return;
        }
        if captured {
            expert::of_comments(of, &mut |item| self.add(of, item));
        }
        for layer in &of.tree.layers {
            let end = of.tree.nodes.get(layer.node as usize).map_or(0, |node| node.end);
            expert::of_range(of, layer.node..end, &mut |item| self.add(of, item));
        }
    }

    fn add(&mut self, of: Dissection<'_>, item: Item<'_>) {
        let Item { severity, group, protocol, message, .. } = item;
        if severity < self.least {
            return;
        }
        let longest = limits::STATS_EXPERT_TEXT.get();
        let mut summary = message.into_owned();
        if summary.len() > longest {
            let end = (0..=longest).rev().find(|end| summary.is_char_boundary(*end)).unwrap_or_default();
            summary.truncate(end);
            summary.push('…');
        }
        let key = (severity, protocol, summary);
        if let Some(alike) = self.index.get(&key).and_then(|place| self.alike.get_mut(*place)) {
            alike.count += 1;
        } else if limits::STATS_EXPERT.exceeds(self.alike.len()) {
            let (summary, first) = (key.2.clone(), of.tree.frame.number);
            self.index.insert(key, self.alike.len());
            self.alike.push(ExpertCount { severity, group: group.named().1, protocol, summary, count: 1, first });
        } else {
            self.left_out += 1;
        }
    }
}
