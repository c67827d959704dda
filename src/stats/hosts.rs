//! Resolved addresses from DNS responses, as tshark's `hosts`.
//!
//! A and AAAA records of class IN count in all sections of a message. As in tshark, the latest name of an address wins. Names in
//! pcapng name resolution blocks apply to addresses without a DNS record. Requested names, as in TLS, do not count.

use crate::limits;
use crate::registry::Registry;
use crate::tree::{Dissection, Field, NodeRef, Only};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::IpAddr;

/// Class IN, and the mask of a class: multicast DNS uses the first bit as a flag.
const INTERNET: u64 = 1;
const CLASS: u64 = 0x7fff;

/// A resolved address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Frame of the response; `None` for a name resolution block.
    pub frame: Option<u64>,
}

/// Listed address families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Families {
    /// IPv4 and IPv6.
    Both,
    /// IPv4 only.
    Ipv4,
    /// IPv6 only.
    Ipv6,
}

impl Families {
    fn has(self, address: IpAddr) -> bool {
        match self {
            Families::Both => true,
            Families::Ipv4 => address.is_ipv4(),
            Families::Ipv6 => address.is_ipv6(),
        }
    }
}

/// Addresses with their names.
#[derive(Debug)]
pub struct Hosts {
    /// Records of addresses beyond the limit.
    pub left_out: u64,
    families: Families,
    named: BTreeMap<IpAddr, Named>,
    /// Number of addresses.
    known: usize,
    layers: Vec<&'static Field>,
    owners: Vec<&'static Field>,
    classes: Vec<&'static Field>,
    addresses: Vec<&'static Field>,
}

impl Hosts {
    pub(super) fn new(registry: Registry, families: Families) -> Hosts {
        let layers = ["dns", "mdns", "llmnr"].map(|name| registry.named(name)).concat();
        let [owners, classes] = ["dns.resp.name", "dns.resp.class"].map(|name| registry.named(name));
        let addresses = ["dns.a", "dns.aaaa"].map(|name| registry.named(name)).concat();
        Hosts { left_out: 0, families, named: BTreeMap::new(), known: 0, layers, owners, classes, addresses }
    }

    /// Required fields.
    pub(super) fn fields_read(&self) -> Only {
        Only::these([&self.owners, &self.classes, &self.addresses].into_iter().flatten().copied())
    }

    /// Sorted addresses with their names.
    pub fn in_order(&self) -> impl ExactSizeIterator<Item = (IpAddr, &Named)> {
        self.named.iter().map(|(address, named)| (*address, named))
    }

    /// Adds names of name resolution blocks, for addresses without a DNS record.
    pub(super) fn given(&mut self, names: &[(IpAddr, String)]) {
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

    pub(super) fn tree(&mut self, of: Dissection<'_>) {
        let is_of = |fields: &[&'static Field], field: &Field| fields.iter().any(|one| one.is(field));
        for layer in &of.tree.layers {
            let Some(message) = of.layer_node(layer).filter(|node| is_of(&self.layers, node.field())) else { continue };
            let (mut owner, mut class) = (None, None);
            for node in message.behind() {
                let field = node.field();
                if is_of(&self.owners, field) {
                    (owner, class) = (Some(node), None);
                } else if is_of(&self.classes, field) {
                    class = node.number().map(|class| class & CLASS);
                } else if is_of(&self.addresses, field) && class == Some(INTERNET) {
                    self.answer(owner, node, of.tree.frame.number);
                }
            }
        }
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
