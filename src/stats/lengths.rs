//! Frame lengths, as tshark's `plen,tree`.

use crate::tree::{Demand, Dissection};
use crate::wire::statistics::{Counter, Order, Report, Seen, Statistic, Topics};

/// Frame lengths.
pub(super) static LENGTHS: Statistic =
    Statistic::new(["plen,tree", "lengths", "frame lengths, by range"], |_| Box::<Lengths>::default());

/// Upper bound and label of each range of lengths.
const RANGES: &[(u32, &str)] = &[
    (19, "0-19"),
    (39, "20-39"),
    (79, "40-79"),
    (159, "80-159"),
    (319, "160-319"),
    (639, "320-639"),
    (1279, "640-1279"),
    (2559, "1280-2559"),
    (5119, "2560-5119"),
    (u32::MAX, "5120 and greater"),
];

/// Frame lengths in tshark's ranges.
#[derive(Debug)]
struct Lengths(Topics);

impl Default for Lengths {
    fn default() -> Lengths {
        let mut topics = Topics::new("Packet Lengths", Order::Created);
        for (_, range) in RANGES {
            if let Some(place) = topics.place(0, range) {
                topics.range(place);
            }
        }
        Lengths(topics)
    }
}

impl Counter for Lengths {
    fn demand(&self) -> Demand {
        Demand::FRAMES
    }

    fn tree(&mut self, of: Dissection<'_>, seen: Seen) {
        let length = of.tree.frame.original;
        if let Some((_, range)) = RANGES.iter().find(|(greatest, _)| seen.captured && length <= *greatest) {
            self.0.at(seen.since_start);
            self.0.add(&[range], Some(length.into()));
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Tree("Packet Lengths", &self.0)
    }
}
