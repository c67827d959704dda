//! Requests by method and responses by status code, of HTTP and its relatives.

use super::topics::{Order, Topics};

/// Classes of status codes, by their first digit.
const CLASSES: [(u64, &str); 5] =
    [(1, "1xx: Informational"), (2, "2xx: Success"), (3, "3xx: Redirection"), (4, "4xx: Client Error"), (5, "5xx: Server Error")];

/// Class of codes without one.
const BROKEN: &str = "???: broken";

/// Counts of requests and responses.
pub struct Answers {
    /// The counts.
    pub topics: Topics,
    requests: &'static str,
    responses: &'static str,
    others: String,
}

impl Answers {
    /// Creates empty counts, with the topics that tshark always lists.
    pub fn new(protocol: &str, [requests, responses]: [&'static str; 2]) -> Answers {
        let mut topics = Topics::new(&format!("Total {protocol} Packets"), Order::Wireshark);
        let others = format!("Other {protocol} Packets");
        topics.place(0, requests);
        if let Some(place) = topics.place(0, responses) {
            topics.place(place, BROKEN);
            for (_, class) in CLASSES {
                topics.place(place, class);
            }
        }
        topics.place(0, &others);
        Answers { topics, requests, responses, others }
    }

    /// Counts a request.
    pub fn request(&mut self, method: &str) {
        self.topics.add(&[self.requests, method], None);
    }

    /// Counts a response.
    pub fn response(&mut self, code: u64, name: Option<&str>) {
        let class = CLASSES.iter().find(|(digit, _)| code / 100 == *digit).map_or(BROKEN, |(_, class)| class);
        let label = name.map_or_else(|| format!("{code} Unknown ({code})"), |name| format!("{code} {name}"));
        self.topics.add(&[self.responses, class, &label], None);
    }

    /// Counts another message.
    pub fn other(&mut self) {
        self.topics.add(&[&self.others], None);
    }
}
