//! HTTP requests and responses, as tshark's `http,tree`, `http_req,tree` and `http_srv,tree`.
//!
//! SSDP is HTTP over UDP, and is counted as in tshark.

use crate::tree::{Address, Demand, Ends, Field, NodeRef, Only, name_of};
use crate::wire::statistics::{Answers, Counted, Counter, Named, Order, Report, Seen, Statistic, Topics, is_of};

/// Requests by method, and responses by status code.
pub static MESSAGES: Statistic =
    Statistic::new(["http,tree", "http", "HTTP requests by method, responses by status code"], |named| {
        Box::new(Http::new(named))
    })
    .of(LAYERS);

/// Requests by host and URI.
pub static REQUESTS: Statistic =
    Statistic::new(["http_req,tree", "http_req", "HTTP requests by host and URI"], |named| Box::new(HttpRequests::new(named)))
        .of(LAYERS);

pub static SERVERS: Statistic = Statistic::new(["http_srv,tree", "http_srv", "HTTP requests and responses by server"], |named| {
    Box::new(HttpServers::new(named))
})
.of(LAYERS);

/// HTTP, and SSDP, whose messages are those of HTTP.
const LAYERS: &[&str] = &["http", "ssdp"];

/// The fields that statistics read.
struct Reader {
    methods: Vec<&'static Field>,
    codes: Vec<&'static Field>,
    hosts: Vec<&'static Field>,
    uris: Vec<&'static Field>,
}

/// What a message is.
enum Message<'t> {
    Request(NodeRef<'t>),
    Response(u64),
    Other,
}

impl Reader {
    fn new(named: Named<'_>) -> Reader {
        let [methods, codes, hosts, uris] =
            ["http.request.method", "http.response.code", "http.host", "http.request.uri"].map(named);
        Reader { methods, codes, hosts, uris }
    }

    fn demand(&self) -> Demand {
        let all = [&self.methods, &self.codes, &self.hosts, &self.uris];
        Demand::of_stream_fields(Only::these(all.into_iter().flatten().copied()))
    }

    fn kind<'t>(&self, node: NodeRef<'t>) -> Message<'t> {
        let found = node.behind().find(|node| is_of(&self.methods, node.field()) || is_of(&self.codes, node.field()));
        match found {
            Some(code) if is_of(&self.codes, code.field()) => Message::Response(code.number().unwrap_or_default()),
            Some(method) => Message::Request(method),
            None => Message::Other,
        }
    }
}

/// Requests by method, and responses by status code.
struct Http {
    answers: Answers,
    reader: Reader,
}

impl Http {
    fn new(named: Named<'_>) -> Http {
        Http { answers: Answers::new("HTTP", ["HTTP Request Packets", "HTTP Response Packets"]), reader: Reader::new(named) }
    }
}

impl Counter for Http {
    fn demand(&self) -> Demand {
        self.reader.demand()
    }

    fn message(&mut self, message: Counted<'_>, seen: Seen) {
        self.answers.topics.at(seen.since_start);
        match self.reader.kind(message.node) {
            Message::Request(method) => self.answers.request(&method.text()),
            Message::Response(code) => {
                let name = self.reader.codes.first().and_then(|field| name_of(field.names, code));
                self.answers.response(code, name);
            }
            Message::Other => self.answers.other(),
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Tree("HTTP/Packet Counter", &self.answers.topics)
    }
}

/// Requests by host and URI.
struct HttpRequests {
    topics: Topics,
    reader: Reader,
}

impl HttpRequests {
    fn new(named: Named<'_>) -> HttpRequests {
        HttpRequests { topics: Topics::new("HTTP Requests by HTTP Host", Order::Wireshark), reader: Reader::new(named) }
    }
}

impl Counter for HttpRequests {
    fn demand(&self) -> Demand {
        self.reader.demand()
    }

    fn message(&mut self, message: Counted<'_>, seen: Seen) {
        let HttpRequests { topics, reader } = self;
        // As in tshark, responses count for the time that has passed.
        topics.at(seen.since_start);
        if !matches!(reader.kind(message.node), Message::Request(_)) {
            return;
        }
        topics.count(0, None);
        let text = |fields: &[&'static Field]| message.find(fields).map(NodeRef::text);
        match (text(&reader.hosts), text(&reader.uris)) {
            (Some(host), Some(uri)) => topics.add_below(0, &[&host, &uri], None),
            (Some(host), None) => topics.add_below(0, &[&host], None),
            (None, _) => {}
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Tree("HTTP/Requests", &self.topics)
    }
}

/// Requests and responses by server.
struct HttpServers {
    topics: Topics,
    /// Requests by address and by host, and responses by address.
    places: [usize; 3],
    reader: Reader,
}

impl HttpServers {
    fn new(named: Named<'_>) -> HttpServers {
        let mut topics = Topics::new("HTTP Requests by Server", Order::Wireshark);
        let [by_address, by_host] = ["HTTP Requests by Server Address", "HTTP Requests by HTTP Host"]
            .map(|label| topics.place(0, label).unwrap_or_default());
        let responses = topics.root("HTTP Responses by Server Address");
        HttpServers { topics, places: [by_address, by_host, responses], reader: Reader::new(named) }
    }
}

/// Address of an end, without its port.
fn host_of(end: Option<Address>) -> String {
    match end {
        Some(Address::Socket(socket)) => socket.ip().to_string(),
        Some(address) => address.to_string(),
        None => String::new(),
    }
}

impl Counter for HttpServers {
    fn demand(&self) -> Demand {
        self.reader.demand()
    }

    fn message(&mut self, message: Counted<'_>, seen: Seen) {
        let HttpServers { topics, places: [by_address, by_host, responses], reader } = self;
        topics.at(seen.since_start);
        let ends = message.ends();
        let address = |end: fn(&Ends) -> Option<Address>| host_of(ends.and_then(end));
        match reader.kind(message.node) {
            Message::Request(_) => {
                let address = address(|ends| ends.dst);
                [0, *by_address, *by_host].into_iter().for_each(|place| topics.count(place, None));
                match message.find(&reader.hosts).map(NodeRef::text) {
                    Some(host) => {
                        topics.add_below(*by_address, &[&address, &host], None);
                        topics.add_below(*by_host, &[&host, &address], None);
                    }
                    None => topics.add_below(*by_address, &[&address], None),
                }
            }
            Message::Response(code) => {
                topics.count(*responses, None);
                let verdict = if (101..400).contains(&code) { "OK" } else { "KO" };
                topics.add_below(*responses, &[&address(|ends| ends.src), verdict], None);
            }
            Message::Other => {}
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Tree("HTTP/Load Distribution", &self.topics)
    }
}
