//! Statistics shown on request only, each of which counts, prints and writes itself.

use super::addresses::Addresses;
use super::credentials::Credentials;
use super::dhcp::Dhcp;
use super::dns::Dns;
use super::flows::Flows;
use super::gate::FrameFilter;
use super::http::{Http, HttpRequests, HttpServers};
use super::icmp::Icmp;
use super::parts::Part;
use super::response_times::ResponseTimes;
use super::rs::Rs;
use super::rtsp::Rtsp;
use super::sip::Sip;
use super::topics::Lengths;
use crate::registry::Registry;
use crate::render::{Members, Theme};
use crate::tree::{Demand, Dissection};
use std::io::{self, Write};

/// How a frame was seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Whether it is a frame of the capture, not pending data at the end.
    pub captured: bool,
    /// Nanoseconds since the first frame, if the frame has a time.
    pub since_start: Option<i64>,
}

/// Where a part is printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page<'a> {
    /// Text of its filter.
    pub filter: &'a str,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
    /// Colours.
    pub theme: Theme,
    /// Whether another part is above it.
    pub begun: bool,
}

/// A statistic shown on request.
pub(super) trait Counter: Send {
    /// Its key in JSON.
    fn key(&self) -> &'static str;

    /// The parts of a frame that it needs.
    fn demand(&self) -> Demand;

    /// Counts a frame.
    fn tree(&mut self, of: Dissection<'_>, seen: Seen);

    /// Prints it.
    ///
    /// # Errors
    /// Write errors.
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()>;

    /// Writes the members of its JSON object.
    ///
    /// # Errors
    /// Write errors.
    fn json(&self, of: &mut Members<'_, '_>) -> io::Result<()>;
}

/// A requested statistic with its filter.
pub(super) struct Asked {
    pub part: Part,
    pub counter: Box<dyn Counter>,
    gate: Option<FrameFilter>,
}

impl Asked {
    /// The statistic of a part, if it is one of these. Its filter is taken from `gates`.
    pub fn new(part: Part, registry: Registry, gates: &mut Vec<(Part, FrameFilter)>) -> Option<Asked> {
        let counter = counter(part, registry)?;
        let gate = gates.iter().position(|(of, _)| *of == part).map(|place| gates.swap_remove(place).1);
        Some(Asked { part, counter, gate })
    }

    /// The parts of a frame that it and its filter need.
    pub fn demand(&self) -> Demand {
        let own = self.counter.demand();
        self.gate.as_ref().map_or(own, |gate| own.and(gate.demand))
    }

    /// Counts a frame that passes the filter.
    pub fn tree(&mut self, of: Dissection<'_>, seen: Seen) {
        if self.gate.as_mut().is_none_or(|gate| gate.matches(of, seen.captured)) {
            self.counter.tree(of, seen);
        }
    }

    /// Text of its filter.
    pub fn filter(&self) -> &str {
        self.gate.as_ref().map_or("", |gate| &gate.text)
    }
}

fn counter(part: Part, registry: Registry) -> Option<Box<dyn Counter>> {
    Some(match part {
        Part::Lengths => Box::<Lengths>::default(),
        Part::Http => Box::new(Http::new(registry)),
        Part::HttpRequests => Box::new(HttpRequests::new(registry)),
        Part::HttpServers => Box::new(HttpServers::new(registry)),
        Part::Dns => Box::new(Dns::new(registry)),
        Part::Rs => Box::new(Rs::new(registry)),
        Part::Rtsp => Box::new(Rtsp::new(registry)),
        Part::Addresses(family, what) => Box::new(Addresses::new(family, what, registry)),
        Part::Sip => Box::new(Sip::new(registry)),
        Part::Dhcp => Box::new(Dhcp::new(registry)),
        Part::IcmpTimes => Box::new(Icmp::new(registry)),
        Part::ResponseTimes(of) => Box::new(ResponseTimes::new(of, registry)),
        Part::Credentials => Box::new(Credentials::new(registry)),
        Part::Flow(of, addresses) => Box::new(Flows::new(of, addresses, registry)),
        _ => return None,
    })
}
