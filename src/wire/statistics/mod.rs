//! Statistics that a protocol declares: what they count, and what they report.

mod answers;
mod bursts;
mod fact;
mod login;
mod topics;

pub use answers::Answers;
pub use bursts::{Bursts, WINDOW};
pub use fact::{Fact, Facts};
pub use login::{LoginFields, SecretForm};
pub use topics::{Listed, Order, Topic, Topics};

use crate::tree::{Demand, Dissection, Ends, Field, Layer, NodeRef, Value};
use std::fmt;
use std::io::{self, Write};
use std::net::IpAddr;
use std::time::Duration;

/// A statistic shown on request.
pub struct Statistic {
    /// Its name, as of tshark's `-z` if tshark has it.
    pub name: &'static str,
    /// Its key in JSON.
    pub key: &'static str,
    /// A short description.
    pub about: &'static str,
    /// What may follow its name.
    pub takes: Takes,
    /// Layers whose messages it counts.
    pub layers: &'static [&'static str],
    /// Words that users try instead of its name.
    pub words: &'static [&'static str],
    /// Creates empty counts.
    pub open: fn(Named<'_>) -> Box<dyn Counter>,
}

/// Returns the fields of a name, of any protocol.
pub type Named<'a> = &'a dyn Fn(&str) -> Vec<&'static Field>;

impl Statistic {
    /// Declares a statistic that takes a filter.
    #[must_use]
    pub const fn new([name, key, about]: [&'static str; 3], open: fn(Named<'_>) -> Box<dyn Counter>) -> Statistic {
        Statistic { name, key, about, takes: Takes::Filter, layers: &[], words: &[], open }
    }

    /// Sets the layers whose messages it counts.
    #[must_use]
    pub const fn of(self, layers: &'static [&'static str]) -> Statistic {
        Statistic { layers, ..self }
    }

    /// Sets words that users try instead of its name.
    #[must_use]
    pub const fn words(self, words: &'static [&'static str]) -> Statistic {
        Statistic { words, ..self }
    }

    /// Sets what may follow the name.
    #[must_use]
    pub const fn takes(self, takes: Takes) -> Statistic {
        Statistic { takes, ..self }
    }
}

impl PartialEq for Statistic {
    fn eq(&self, other: &Statistic) -> bool {
        self.name == other.name
    }
}

impl Eq for Statistic {}

impl fmt::Debug for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What may follow the name of a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Takes {
    /// A filter of its frames.
    Filter,
    /// Address families.
    Families,
    /// Nothing.
    Nothing,
}

/// Listed address families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Families {
    /// IPv4 and IPv6.
    #[default]
    Both,
    /// IPv4 only.
    Ipv4,
    /// IPv6 only.
    Ipv6,
}

impl Families {
    /// Whether an address is of one of them.
    #[must_use]
    pub fn has(self, address: IpAddr) -> bool {
        match self {
            Families::Both => true,
            Families::Ipv4 => address.is_ipv4(),
            Families::Ipv6 => address.is_ipv6(),
        }
    }
}

/// How a frame was seen.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Whether it is a frame of the capture, not pending data at the end.
    pub captured: bool,
    /// Nanoseconds since the first frame, if the frame has a time.
    pub since_start: Option<i64>,
}

/// A message that is counted.
#[derive(Clone, Copy)]
pub struct Counted<'t> {
    /// Its frame.
    pub of: Dissection<'t>,
    /// Its layer.
    pub layer: &'t Layer,
    /// Its node.
    pub node: NodeRef<'t>,
}

impl<'t> Counted<'t> {
    /// Its first field that is one of these.
    #[must_use]
    pub fn find(self, fields: &[&'static Field]) -> Option<NodeRef<'t>> {
        self.node.behind().find(|node| is_of(fields, node.field()))
    }

    /// The endpoints of its layer.
    #[must_use]
    pub fn ends(self) -> Option<&'t Ends> {
        self.of.tree.ends.get(self.layer.ends as usize)
    }
}

/// The counts of a statistic.
pub trait Counter: Send {
    /// The parts of a frame that it needs.
    fn demand(&self) -> Demand;

    /// Counts a frame.
    fn tree(&mut self, _: Dissection<'_>, _: Seen) {}

    /// Counts a message of the layers of [`Statistic::of`].
    fn message(&mut self, _: Counted<'_>, _: Seen) {}

    /// What was counted.
    fn report(&self) -> Report<'_>;

    /// Restricts it to addresses of these families.
    fn restrict(&mut self, _: Families) {}

    /// Adds names of addresses that the capture states itself.
    fn names(&mut self, _: &[(IpAddr, String)]) {}
}

/// What a statistic shows.
pub enum Report<'a> {
    /// A tree of counts in the form of tshark, with its title.
    Tree(&'a str, &'a Topics),
    /// A tree of counts that tshark does not have.
    Topics(&'a Topics),
    /// A table of columns.
    Columns(&'a dyn Columns),
    /// A text in the form of tshark.
    Text(&'a dyn Text),
}

/// Where a text is printed.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// Name of the input file.
    pub file: &'a str,
    /// Text of the statistic's filter.
    pub filter: &'a str,
    /// Width of the terminal, if any.
    pub width: Option<usize>,
    /// Whether another part is above it.
    pub begun: bool,
}

/// Counts that print themselves.
pub trait Text {
    /// Prints them.
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()>;

    /// Members of their JSON object.
    fn facts(&self) -> Facts<'_>;
}

/// Counts in columns.
pub trait Columns {
    /// Heading, and the line in place of an empty table.
    fn title(&self) -> [&'static str; 2];

    fn heads(&self) -> &'static [(&'static str, ColumnKind)];

    /// Rows with their cells.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<Cell>> + '_>;

    /// What was left out, if anything.
    fn left_out(&self) -> Option<String>;

    /// Members of their JSON object.
    fn facts(&self) -> Facts<'_>;
}

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// Names.
    Name,
    /// Values.
    Value,
    /// Problems.
    Problem,
}

/// A cell of a table.
pub enum Cell {
    /// A text.
    Text(String),
    /// A count.
    Count(u64),
    /// Nanoseconds, shown as seconds.
    Seconds(i64),
}

/// Formats text of a capture with control characters escaped.
pub struct Clean<'a>(pub &'a str);

impl fmt::Display for Clean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::tree::clean(self.0, f)
    }
}

/// Whether a field is one of these.
#[must_use]
pub fn is_of(fields: &[&'static Field], field: &Field) -> bool {
    fields.iter().any(|one| one.is(field))
}

/// A number of seconds in nanoseconds.
#[must_use]
pub fn nanos(node: NodeRef<'_>) -> Option<u64> {
    let Value::Double(seconds) = node.value() else { return None };
    u64::try_from(Duration::try_from_secs_f64(seconds).ok()?.as_nanos()).ok()
}
