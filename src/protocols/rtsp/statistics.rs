//! RTSP requests by method and responses by status code, as tshark's `rtsp,tree`.

use crate::tree::{Demand, Field, Names, NodeRef, Only, name_of};
use crate::wire::statistics::{Answers, Counted, Counter, Named, Report, Seen, Statistic};

/// Requests by method, and responses by status code.
pub static MESSAGES: Statistic =
    Statistic::new(["rtsp,tree", "rtsp", "RTSP requests by method, responses by status code"], |named| {
        Box::new(Rtsp::new(named))
    })
    .of(&["rtsp"]);

/// Status codes (RFC 2326, 7.1.1).
const CODES: Names = &[
    (100, "Continue"),
    (200, "OK"),
    (201, "Created"),
    (250, "Low on Storage Space"),
    (300, "Multiple Choices"),
    (301, "Moved Permanently"),
    (302, "Moved Temporarily"),
    (303, "See Other"),
    (304, "Not Modified"),
    (305, "Use Proxy"),
    (400, "Bad Request"),
    (401, "Unauthorized"),
    (402, "Payment Required"),
    (403, "Forbidden"),
    (404, "Not Found"),
    (405, "Method Not Allowed"),
    (406, "Not Acceptable"),
    (407, "Proxy Authentication Required"),
    (408, "Request Timeout"),
    (410, "Gone"),
    (411, "Length Required"),
    (412, "Precondition Failed"),
    (413, "Request Entity Too Large"),
    (414, "Request-URI Too Long"),
    (415, "Unsupported Media Type"),
    (451, "Invalid Parameter"),
    (452, "Illegal Conference Identifier"),
    (453, "Not Enough Bandwidth"),
    (454, "Session Not Found"),
    (455, "Method Not Valid In This State"),
    (456, "Header Field Not Valid"),
    (457, "Invalid Range"),
    (458, "Parameter Is Read-Only"),
    (459, "Aggregate Operation Not Allowed"),
    (460, "Only Aggregate Operation Allowed"),
    (461, "Unsupported Transport"),
    (462, "Destination Unreachable"),
    (500, "Internal Server Error"),
    (501, "Not Implemented"),
    (502, "Bad Gateway"),
    (503, "Service Unavailable"),
    (504, "Gateway Timeout"),
    (505, "RTSP Version not supported"),
    (551, "Option Not Support"),
];

/// RTSP messages.
struct Rtsp {
    answers: Answers,
    methods: Vec<&'static Field>,
    codes: Vec<&'static Field>,
}

impl Rtsp {
    fn new(named: Named<'_>) -> Rtsp {
        let [methods, codes] = ["rtsp.method", "rtsp.status"].map(named);
        let answers = Answers::new("RTSP", ["RTSP Request Packets", "RTSP Response Packets"]);
        Rtsp { answers, methods, codes }
    }
}

impl Counter for Rtsp {
    fn demand(&self) -> Demand {
        Demand::of_stream_fields(Only::these(self.methods.iter().chain(&self.codes).copied()))
    }

    fn message(&mut self, message: Counted<'_>, seen: Seen) {
        self.answers.topics.at(seen.since_start);
        match (message.find(&self.codes).and_then(NodeRef::number), message.find(&self.methods)) {
            (Some(code), _) => self.answers.response(code, name_of(CODES, code)),
            (None, Some(method)) => self.answers.request(&method.text()),
            (None, None) => self.answers.other(),
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Tree("RTSP/Packet Counter", &self.answers.topics)
    }
}
