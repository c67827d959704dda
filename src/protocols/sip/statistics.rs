//! SIP requests, responses and setup times, as tshark's `sip,stat`.
//!
//! A setup time is that from an INVITE to its ACK. A message over UDP is resent if its sender sent one of the same call, sequence
//! number, and method or status code before.

use crate::tree::{Demand, Field, NodeRef, Only, Transport, name_of};
use crate::wire::statistics::{Clean, Counted, Counter, Fact, Facts, Named, Page, Report, Seen, Statistic, Text};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};

/// Requests, responses and setup times.
pub static MESSAGES: Statistic =
    Statistic::new(["sip,stat", "sip", "SIP messages by status code and method, setup times"], |named| Box::new(Sip::new(named)))
        .of(&["sip"])
        .words(&["sip", "voip", "calls"]);

/// Status codes that tshark names, and the codes that stand for others of their class.
const CODES: &[(u64, &str)] = &[
    (100, "Trying"),
    (180, "Ringing"),
    (181, "Call Is Being Forwarded"),
    (182, "Queued"),
    (183, "Session Progress"),
    (199, "Informational - Others"),
    (200, "OK"),
    (202, "Accepted"),
    (204, "No Notification"),
    (299, "Success - Others"),
    (300, "Multiple Choices"),
    (301, "Moved Permanently"),
    (302, "Moved Temporarily"),
    (305, "Use Proxy"),
    (380, "Alternative Service"),
    (399, "Redirection - Others"),
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
    (412, "Conditional Request Failed"),
    (413, "Request Entity Too Large"),
    (414, "Request-URI Too Long"),
    (415, "Unsupported Media Type"),
    (416, "Unsupported URI Scheme"),
    (420, "Bad Extension"),
    (421, "Extension Required"),
    (422, "Session Timer Too Small"),
    (423, "Interval Too Brief"),
    (428, "Use Identity Header"),
    (429, "Provide Referrer Identity"),
    (430, "Flow Failed"),
    (433, "Anonymity Disallowed"),
    (436, "Bad Identity-Info"),
    (437, "Unsupported Certificate"),
    (438, "Invalid Identity Header"),
    (439, "First Hop Lacks Outbound Support"),
    (440, "Max-Breadth Exceeded"),
    (470, "Consent Needed"),
    (480, "Temporarily Unavailable"),
    (481, "Call/Transaction Does Not Exist"),
    (482, "Loop Detected"),
    (483, "Too Many Hops"),
    (484, "Address Incomplete"),
    (485, "Ambiguous"),
    (486, "Busy Here"),
    (487, "Request Terminated"),
    (488, "Not Acceptable Here"),
    (489, "Bad Event"),
    (491, "Request Pending"),
    (493, "Undecipherable"),
    (494, "Security Agreement Required"),
    (499, "Client Error - Others"),
    (500, "Server Internal Error"),
    (501, "Not Implemented"),
    (502, "Bad Gateway"),
    (503, "Service Unavailable"),
    (504, "Server Time-out"),
    (505, "Version Not Supported"),
    (513, "Message Too Large"),
    (580, "Precondition Failure"),
    (599, "Server Error - Others"),
    (600, "Busy Everywhere"),
    (603, "Decline"),
    (604, "Does Not Exist Anywhere"),
    (606, "Not Acceptable"),
    (607, "Unwanted"),
    (699, "Global Failure - Others"),
];

/// Maximum number of distinct methods, and length of one.
const METHODS: usize = 256;
const METHOD: usize = 64;

/// Maximum number of remembered messages.
const CALLS: usize = 1 << 17;

/// Nanoseconds per millisecond.
const MILLISECOND: u64 = 1_000_000;

/// SIP messages.
struct Sip {
    methods: Vec<&'static Field>,
    codes: Vec<&'static Field>,
    calls: Vec<&'static Field>,
    sequences: Vec<&'static Field>,
    messages: u64,
    resent: u64,
    by_code: BTreeMap<u64, u64>,
    by_method: BTreeMap<String, u64>,
    setups: Setups,
    /// Hashes of messages over UDP, to find those that are sent again.
    seen: HashSet<u64, foldhash::fast::RandomState>,
    /// Times of INVITE requests by call and sequence number.
    invited: HashMap<u64, i64, foldhash::fast::RandomState>,
    hasher: RandomState,
}

/// Setup times in milliseconds.
#[derive(Default)]
struct Setups {
    count: u64,
    sum: u64,
    least: u64,
    greatest: u64,
}

impl Setups {
    fn add(&mut self, milliseconds: u64) {
        // As in tshark, a call that is set up at once does not count.
        if milliseconds == 0 {
            return;
        }
        self.least = if self.count == 0 { milliseconds } else { self.least.min(milliseconds) };
        self.greatest = self.greatest.max(milliseconds);
        self.sum = self.sum.saturating_add(milliseconds);
        self.count += 1;
    }

    fn average(&self) -> u64 {
        self.sum / self.count.max(1)
    }
}

/// The code as which a code counts; `None` if it is none.
fn counted(code: u64) -> Option<u64> {
    let class = code / 100;
    let is_known = name_of(CODES, code).is_some();
    (1..=6).contains(&class).then_some(if is_known { code } else { class * 100 + 99 })
}

impl Sip {
    fn new(named: Named<'_>) -> Sip {
        let [methods, codes, calls, sequences] = ["sip.Method", "sip.Status-Code", "sip.Call-ID", "sip.CSeq"].map(named);
        Sip {
            methods,
            codes,
            calls,
            sequences,
            messages: 0,
            resent: 0,
            by_code: BTreeMap::new(),
            by_method: BTreeMap::new(),
            setups: Setups::default(),
            seen: HashSet::default(),
            invited: HashMap::default(),
            hasher: RandomState::new(),
        }
    }
}

impl Counter for Sip {
    fn demand(&self) -> Demand {
        let all = [&self.methods, &self.codes, &self.calls, &self.sequences];
        Demand::of_stream_fields(Only::these(all.into_iter().flatten().copied()))
    }

    fn message(&mut self, message: Counted<'_>, seen: Seen) {
        let bytes = |fields: &[&'static Field]| message.find(fields).map(NodeRef::text_bytes).unwrap_or_default();
        let code = message.find(&self.codes).and_then(NodeRef::number);
        let method = message.find(&self.methods).map(NodeRef::text);
        let (call, sequence) = (bytes(&self.calls), bytes(&self.sequences));
        self.messages += 1;
        let number = sequence.split(|byte| *byte == b' ').next().unwrap_or_default();
        let invite = self.hasher.hash_one((call, number));
        match (method.as_deref(), seen.since_start) {
            (Some("INVITE"), Some(at)) if self.invited.len() < CALLS => {
                self.invited.entry(invite).or_insert(at);
            }
            (Some("ACK"), Some(at)) => {
                if let Some(since) = self.invited.remove(&invite) {
                    self.setups.add(u64::try_from(at.saturating_sub(since)).unwrap_or_default() / MILLISECOND);
                }
            }
            _ => {}
        }
        let ends = message.ends();
        let is_datagram = ends.and_then(|ends| ends.stream).is_none_or(|(stream, _)| stream.transport == Transport::Udp);
        let sender = ends.and_then(|ends| ends.src).map(|src| src.to_string());
        let key = self.hasher.hash_one((call, sequence, code, method.as_deref(), sender));
        if is_datagram && !call.is_empty() {
            if self.seen.contains(&key) {
                self.resent += 1;
            } else if self.seen.len() < CALLS {
                self.seen.insert(key);
            }
        }
        if let Some(code) = code {
            if let Some(code) = counted(code) {
                *self.by_code.entry(code).or_default() += 1;
            }
        } else if let Some(method) = method {
            let method: String = method.chars().take(METHOD).collect();
            if self.by_method.len() < METHODS || self.by_method.contains_key(&method) {
                *self.by_method.entry(method).or_default() += 1;
            }
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Text(self)
    }
}

impl Text for Sip {
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        const RULE: &str = "===================================================================";
        writeln!(to, "\n{RULE}")?;
        match page.filter {
            "" => writeln!(to, "SIP Statistics")?,
            filter => writeln!(to, "SIP Statistics with filter {filter}")?,
        }
        writeln!(to, "\nNumber of SIP messages: {}\nNumber of resent SIP messages: {}", self.messages, self.resent)?;
        writeln!(to, "\n* SIP Status Codes in reply packets")?;
        for (code, count) in &self.by_code {
            writeln!(to, "  SIP {code:3} {:<15} : {count:5} Packets", name_of(CODES, *code).unwrap_or_default())?;
        }
        writeln!(to, "\n* List of SIP Request methods")?;
        for (method, count) in &self.by_method {
            writeln!(to, "  {:<15} : {count:5} Packets", Clean(method).to_string())?;
        }
        let Setups { least, greatest, .. } = self.setups;
        writeln!(to, "\n* Average setup time {} ms\n Min {least} ms\n Max {greatest} ms\n{RULE}", self.setups.average())
    }

    fn facts(&self) -> Facts<'_> {
        let codes = Fact::list(&self.by_code, |(code, count)| {
            vec![("code", (*code).into()), ("name", name_of(CODES, *code).unwrap_or_default().into()), ("count", (*count).into())]
        });
        let methods =
            Fact::list(&self.by_method, |(method, count)| vec![("method", method.as_str().into()), ("count", (*count).into())]);
        let mut facts =
            vec![("messages", self.messages.into()), ("resent", self.resent.into()), ("codes", codes), ("methods", methods)];
        if self.setups.count > 0 {
            let Setups { least, greatest, .. } = self.setups;
            let times = [("average", self.setups.average()), ("least", least), ("greatest", greatest)];
            facts.push(("setup_ms", Fact::Object(times.map(|(key, number)| (key, number.into())).into())));
        }
        facts
    }
}
