//! Parts shown on request only, each of which counts by itself.

use super::gate::FrameFilter;
use super::parts::Part;
use super::{Details, Expert, Intervals, Severity};
use crate::registry::Registry;
use crate::tree::{Demand, Dissection, Field};
use crate::wire::statistics::{Counted, Counter, Seen, Statistic, Takes, is_of};
use std::net::IpAddr;

/// A requested statistic with its filter.
pub(super) struct Declared {
    pub statistic: &'static Statistic,
    pub counter: Box<dyn Counter>,
    layers: Vec<&'static Field>,
    gate: Option<FrameFilter>,
}

impl Declared {
    /// Text of its filter.
    pub fn filter(&self) -> &str {
        self.gate.as_ref().map_or("", |gate| &gate.text)
    }
}

/// A requested part.
pub(super) enum Requested {
    Declared(Declared),
    Expert(Expert),
    Intervals(Intervals),
}

impl Requested {
    /// The requested ones of these parts, which take their arguments from `details`.
    pub fn all(parts: &[Part], details: &mut Details, registry: Registry) -> Vec<(Part, Requested)> {
        let mut intervals = std::mem::take(&mut details.intervals).into_iter();
        let gate = |part: Part, gates: &mut Vec<(Part, FrameFilter)>| {
            gates.iter().position(|(of, _)| *of == part).map(|place| gates.swap_remove(place).1)
        };
        let requested = |part: &Part| {
            let requested = match *part {
                Part::Declared(statistic) => {
                    let mut counter = (statistic.open)(&|name| registry.named(name));
                    if let (Takes::Families, Some(families)) = (statistic.takes, details.families) {
                        counter.restrict(families);
                    }
                    let layers = statistic.layers.iter().flat_map(|name| registry.named(name)).collect();
                    Requested::Declared(Declared { statistic, counter, layers, gate: gate(*part, &mut details.gates) })
                }
                Part::Expert => {
                    Requested::Expert(Expert::new(details.severity.unwrap_or(Severity::Comment), gate(*part, &mut details.gates)))
                }
                Part::Intervals(_) => Requested::Intervals(intervals.next()?),
                _ => return None,
            };
            Some((*part, requested))
        };
        parts.iter().filter_map(requested).collect()
    }

    /// The parts of a frame that it and its filter need.
    pub fn demand(&self) -> Demand {
        match self {
            Requested::Declared(Declared { counter, gate, .. }) => {
                gate.as_ref().map_or(counter.demand(), |gate| counter.demand().and(gate.demand))
            }
            Requested::Expert(expert) => expert.demand(),
            Requested::Intervals(intervals) => intervals.demand(),
        }
    }

    /// Counts a frame that passes its filter. Most inputs have no such part, so the code stays out of the way of the others.
    #[inline(never)]
    pub fn tree(&mut self, of: Dissection<'_>, seen: Seen) {
        match self {
            Requested::Declared(Declared { counter, layers, gate, .. }) => {
                if gate.as_mut().is_none_or(|gate| gate.matches(of, seen.captured)) {
                    counter.tree(of, seen);
                    for layer in if layers.is_empty() { &[][..] } else { &of.tree.layers } {
                        if let Some(node) = of.layer_node(layer).filter(|node| is_of(layers, node.field())) {
                            counter.message(Counted { of, layer, node }, seen);
                        }
                    }
                }
            }
            Requested::Expert(expert) => expert.tree(of, seen.captured),
            Requested::Intervals(intervals) => intervals.tree(of, seen.captured, seen.since_start),
        }
    }

    /// Adds names of name resolution blocks.
    pub fn names(&mut self, names: &[(IpAddr, String)]) {
        if let Requested::Declared(declared) = self {
            declared.counter.names(names);
        }
    }
}
