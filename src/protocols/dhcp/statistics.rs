//! DHCP messages by type, as tshark's `dhcp,stat`.

use crate::tree::{Demand, Field, Names, NodeRef, Only, name_of};
use crate::wire::statistics::{Counted, Counter, Fact, Facts, Named, Page, Report, Seen, Statistic, Text};
use std::io::{self, Write};

/// Messages by type.
pub static MESSAGES: Statistic =
    Statistic::new(["dhcp,stat", "dhcp", "DHCP messages by type"], |named| Box::new(Dhcp::new(named))).of(&["dhcp"]).words(&[
        "dhcp",
        "bootp",
        "bootp,stat",
    ]);

/// Message types, with tshark's names (RFC 2132, 9.6; RFC 3203, 4388, 6926, 7724).
const TYPES: Names = &[
    (1, "Discover"),
    (2, "Offer"),
    (3, "Request"),
    (4, "Decline"),
    (5, "ACK"),
    (6, "NAK"),
    (7, "Release"),
    (8, "Inform"),
    (9, "Force Renew"),
    (10, "Lease query"),
    (11, "Lease Unassigned"),
    (12, "Lease Unknown"),
    (13, "Lease Active"),
    (14, "Bulk Lease Query"),
    (15, "Lease Query Done"),
    (16, "Active LeaseQuery"),
    (17, "Lease Query Status"),
    (18, "TLS"),
];

/// DHCP messages.
struct Dhcp {
    types: Vec<&'static Field>,
    counts: Vec<u64>,
}

impl Dhcp {
    fn new(named: Named<'_>) -> Dhcp {
        Dhcp { types: named("dhcp.option.dhcp"), counts: vec![0; TYPES.len()] }
    }

    fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
        TYPES.iter().zip(&self.counts).map(|((_, name), count)| (*name, *count))
    }
}

impl Counter for Dhcp {
    fn demand(&self) -> Demand {
        Demand::of_fields(Only::these(self.types.iter().copied()))
    }

    fn message(&mut self, message: Counted<'_>, _: Seen) {
        let kind = message.find(&self.types).and_then(NodeRef::number);
        let Some(name) = kind.and_then(|kind| name_of(TYPES, kind)) else { return };
        let place = TYPES.iter().position(|(_, known)| *known == name);
        if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
            *count += 1;
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Text(self)
    }
}

impl Text for Dhcp {
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        const WIDTH: usize = 101;
        let rule = "=".repeat(page.width.map_or(WIDTH, |most| most.min(WIDTH)));
        writeln!(to, "\n{rule}\nDHCP (BOOTP) Statistics:\nFilter for statistics: {}", page.filter)?;
        writeln!(to, "DHCP Message Type |Packets |\nDHCP Statistics")?;
        for (name, count) in self.rows() {
            writeln!(to, "{name:<25} |{count} |")?;
        }
        writeln!(to, "{rule}")
    }

    fn facts(&self) -> Facts<'_> {
        vec![("types", Fact::list(self.rows(), |(name, count)| vec![("type", name.into()), ("count", count.into())]))]
    }
}
