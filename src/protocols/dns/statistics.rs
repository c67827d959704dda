//! DNS messages by query and response, as tshark's `dns,tree`.
//!
//! As in tshark, multicast DNS and LLMNR are not counted, and only the first question of a message counts. tshark counts the numbers
//! of solicited responses twice; here each response counts once.

use crate::tree::{Demand, Field, NodeRef, Only, name_of};
use crate::wire::statistics::{Counted, Counter, Named, Order, Report, Seen, Statistic, Topics, nanos};

/// DNS messages.
pub static MESSAGES: Statistic =
    Statistic::new(["dns,tree", "dns", "DNS messages: types, codes, sizes, response times"], |named| Box::new(Dns::new(named)))
        .of(&["dns"]);

/// Nanoseconds per millisecond.
const MILLISECOND: u32 = 1_000_000;

/// Response bit of the flags.
const RESPONSE: u64 = 0x8000;

/// Ranges of the number of labels of a name.
const LEVELS: [&str; 4] = ["1st Level", "2nd Level", "3rd Level", "4th Level or more"];

/// DNS statistics.
struct Dns {
    topics: Topics,
    places: Places,
    fields: Vec<(Fact, &'static Field)>,
    /// Fields with names of operations and codes.
    named: [Option<&'static Field>; 2],
}

/// Places of topics.
#[derive(Debug, Default)]
struct Places {
    size: usize,
    name: Option<usize>,
    labels: Option<usize>,
    counts: Vec<Option<usize>>,
    time: Option<usize>,
    unsolicited: Option<usize>,
    retransmitted: Option<usize>,
}

/// Values of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fact {
    Flags,
    Type,
    Class,
    Name,
    Questions,
    Answers,
    Authorities,
    Additionals,
    Time,
    Unsolicited,
    Retransmission,
    Length,
}

const FACTS: &[(Fact, &str)] = &[
    (Fact::Flags, "dns.flags"),
    (Fact::Type, "dns.qry.type"),
    (Fact::Class, "dns.qry.class"),
    (Fact::Name, "dns.qry.name"),
    (Fact::Questions, "dns.count.queries"),
    (Fact::Answers, "dns.count.answers"),
    (Fact::Authorities, "dns.count.auth_rr"),
    (Fact::Additionals, "dns.count.add_rr"),
    (Fact::Questions, "dns.count.zones"),
    (Fact::Answers, "dns.count.prerequisites"),
    (Fact::Authorities, "dns.count.updates"),
    (Fact::Time, "dns.time"),
    (Fact::Unsolicited, "dns.unsolicited"),
    (Fact::Retransmission, "dns.retransmission"),
    (Fact::Length, "dns.length"),
];

const COUNTS: [(Fact, &str); 4] = [
    (Fact::Questions, "no. of questions"),
    (Fact::Answers, "no. of answers"),
    (Fact::Authorities, "no. of authorities"),
    (Fact::Additionals, "no. of additionals"),
];

impl Dns {
    fn new(named: Named<'_>) -> Dns {
        let fields = FACTS.iter().flat_map(|(fact, name)| named(name).into_iter().map(|field| (*fact, field))).collect();
        let mut topics = Topics::new("Total Packets", Order::Wireshark);
        let size = topics.root("Payload size");
        let [query, response, service] = ["Query Stats", "Response Stats", "Service Stats"].map(|label| topics.root(label));
        let name = topics.place(query, "Qname Len");
        let labels = topics.place(query, "Label Stats");
        for level in LEVELS {
            labels.map(|place| topics.place(place, level));
        }
        let counts = COUNTS.iter().map(|(_, label)| topics.place(response, label)).collect();
        let time = topics.place(service, "request-response time (msec)");
        let unsolicited = topics.place(service, "no. of unsolicited responses");
        let retransmitted = topics.place(service, "no. of retransmissions");
        if let Some(time) = time {
            topics.unit(time, MILLISECOND);
        }
        let places = Places { size, name, labels, counts, time, unsolicited, retransmitted };
        let named = ["dns.flags.opcode", "dns.flags.rcode"].map(|name| named(name).first().copied());
        Dns { topics, places, fields, named }
    }

    fn query(&mut self, name: &str, is_repeated: bool) {
        let (places, topics) = (&self.places, &mut self.topics);
        let labels = if name.is_empty() { 0 } else { name.split('.').count() };
        let count = |place: Option<usize>, topics: &mut Topics, value| place.map(|place| topics.count(place, value));
        count(places.name, topics, Some(name.len() as u64));
        if let (Some(place), Some(level)) = (places.labels, LEVELS.get(labels.saturating_sub(1).min(3))) {
            topics.add_below(place, &[level], None);
        }
        if is_repeated {
            count(places.retransmitted, topics, None);
        }
    }
}

impl Counter for Dns {
    fn demand(&self) -> Demand {
        Demand::of_stream_fields(Only::these(self.fields.iter().map(|(_, field)| *field)))
    }

    fn message(&mut self, message: Counted<'_>, seen: Seen) {
        let fields = &self.fields;
        let all = || message.node.behind();
        let first = |fact: Fact| all().find(|node| fields.iter().any(|(is, field)| *is == fact && field.is(node.field())));
        let number = |fact: Fact| first(fact).and_then(NodeRef::number);
        let (Some(flags), topics) = (number(Fact::Flags), &mut self.topics) else { return };
        let is_response = flags & RESPONSE != 0;
        // A query has no response code, but its bits are counted as one.
        let bits = |field: Option<&'static Field>, word: &str| {
            let value = field.map(|field| field.bits_of(flags)).unwrap_or_default();
            let name = field.and_then(|field| name_of(field.names, value));
            name.map_or_else(|| format!("Unknown {word} ({value})"), str::to_owned)
        };
        let called = |fact: Fact, word: &str| match first(fact) {
            None => "Unused".to_owned(),
            Some(node) => {
                node.name().map_or_else(|| format!("Unknown {word} ({})", node.number().unwrap_or_default()), str::to_owned)
            }
        };
        let [opcode, code] = self.named;
        topics.at(seen.since_start);
        topics.count(0, None);
        topics.add_below(0, &["rcode", &bits(code, "rcode")], None);
        topics.add_below(0, &["opcodes", &bits(opcode, "opcode")], None);
        topics.add_below(0, &["Query/Response", if is_response { "Response" } else { "Query" }], None);
        topics.add_below(0, &["Query Type", &called(Fact::Type, "packet type")], None);
        topics.add_below(0, &["Class", &called(Fact::Class, "class")], None);
        topics.count(self.places.size, Some(message.node.span().len().into()));
        if !is_response {
            let name = first(Fact::Name).map(NodeRef::text).unwrap_or_default();
            let is_repeated = first(Fact::Retransmission).is_some();
            return self.query(&name, is_repeated);
        }
        for ((fact, _), place) in COUNTS.iter().zip(&self.places.counts) {
            if let Some(place) = place {
                topics.count(*place, Some(number(*fact).unwrap_or_default()));
            }
        }
        let time = first(Fact::Time).and_then(nanos);
        match (time, first(Fact::Unsolicited)) {
            (Some(time), _) => drop(self.places.time.map(|place| topics.count(place, Some(time)))),
            (None, Some(_)) => drop(self.places.unsolicited.map(|place| topics.count(place, None))),
            (None, None) => {}
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Tree("DNS", &self.topics)
    }
}
