//! Resolved addresses from DNS responses, as tshark's `hosts`.
//!
//! A and AAAA records of class IN count in all sections of a message. As in tshark, the latest name of an address wins. Names in
//! pcapng name resolution blocks apply to addresses without a DNS record. Requested names, as in TLS, do not count.

use crate::limits;
use crate::tree::{Demand, Field, NodeRef, Only};
use crate::wire::statistics::{
    Clean, Counted, Counter, Fact, Facts, Families, Named as Lookup, Page, Report, Seen, Statistic, Takes, Text, is_of,
};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Write};
use std::net::IpAddr;

/// Resolved addresses.
pub static HOSTS: Statistic =
    Statistic::new(["hosts", "hosts", "resolved addresses, from DNS responses"], |named| Box::new(Hosts::new(named)))
        .of(&["dns", "mdns", "llmnr"])
        .takes(Takes::Families)
        .words(&["names,dns", "resolved", "addresses,names"]);

/// Class IN, and the mask of a class: multicast DNS uses the first bit as a flag.
const INTERNET: u64 = 1;
const CLASS: u64 = 0x7fff;

/// A resolved address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    name: String,
    /// Frame of the response; `None` for a name resolution block.
    frame: Option<u64>,
}

/// Addresses with their names.
#[derive(Debug)]
struct Hosts {
    /// Records of addresses beyond the limit.
    left_out: u64,
    families: Families,
    named: BTreeMap<IpAddr, Named>,
    /// Number of addresses.
    known: usize,
    owners: Vec<&'static Field>,
    classes: Vec<&'static Field>,
    addresses: Vec<&'static Field>,
}

impl Hosts {
    fn new(named: Lookup<'_>) -> Hosts {
        let [owners, classes] = ["dns.resp.name", "dns.resp.class"].map(named);
        let addresses = ["dns.a", "dns.aaaa"].map(named).concat();
        Hosts { left_out: 0, families: Families::Both, named: BTreeMap::new(), known: 0, owners, classes, addresses }
    }

    fn answer(&mut self, owner: Option<NodeRef<'_>>, node: NodeRef<'_>, frame: u64) {
        let bytes = node.bytes();
        let address = <[u8; 4]>::try_from(bytes).map(IpAddr::from).or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from));
        let (Some(owner), Ok(address)) = (owner, address) else { return };
        if !self.families.has(address) {
            return;
        }
        if !limits::STATS_HOSTS.exceeds(self.known) && !self.named.contains_key(&address) {
            self.left_out += 1;
            return;
        }
        let named = Named { name: owner.text().into_owned(), frame: Some(frame) };
        self.known += usize::from(self.named.insert(address, named).is_none());
    }
}

impl Counter for Hosts {
    fn demand(&self) -> Demand {
        let fields = Only::these([&self.owners, &self.classes, &self.addresses].into_iter().flatten().copied());
        Demand::of_stream_fields(fields)
    }

    fn message(&mut self, message: Counted<'_>, _: Seen) {
        let (mut owner, mut class) = (None, None);
        for node in message.node.behind() {
            let field = node.field();
            if is_of(&self.owners, field) {
                (owner, class) = (Some(node), None);
            } else if is_of(&self.classes, field) {
                class = node.number().map(|class| class & CLASS);
            } else if is_of(&self.addresses, field) && class == Some(INTERNET) {
                self.answer(owner, node, message.of.tree.frame.number);
            }
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Text(self)
    }

    fn restrict(&mut self, families: Families) {
        self.families = families;
    }

    /// They apply to addresses without a DNS record.
    fn names(&mut self, names: &[(IpAddr, String)]) {
        for (address, name) in names.iter().filter(|(address, _)| self.families.has(*address)) {
            match self.named.entry(*address) {
                Entry::Occupied(mut known) => {
                    if known.get().frame.is_none() {
                        known.get_mut().name.clone_from(name);
                    }
                }
                Entry::Vacant(_) if !limits::STATS_HOSTS.exceeds(self.known) => self.left_out += 1,
                Entry::Vacant(place) => {
                    self.known += 1;
                    place.insert(Named { name: name.clone(), frame: None });
                }
            }
        }
    }
}

impl Text for Hosts {
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        if page.begun {
            writeln!(to)?;
        }
        // The format of /etc/hosts, for other programs.
        writeln!(to, "# Addresses and their names, as answers of DNS in {} give them\n", Clean(page.file))?;
        for (address, named) in &self.named {
            writeln!(to, "{address}\t{}", Clean(&named.name))?;
        }
        match self.left_out {
            0 => Ok(()),
            count => writeln!(to, "\n# {count} answers about more addresses are left out"),
        }
    }

    fn facts(&self) -> Facts<'_> {
        let addresses = Fact::list(&self.named, |(address, named)| {
            let mut facts: Facts<'_> = vec![("address", address.to_string().into()), ("name", named.name.as_str().into())];
            facts.extend(named.frame.map(|frame| ("frame", frame.into())));
            facts
        });
        let mut facts = vec![("addresses", addresses)];
        if self.left_out > 0 {
            facts.push(("left_out", self.left_out.into()));
        }
        facts
    }
}
