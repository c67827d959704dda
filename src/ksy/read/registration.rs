//! `-proto-dissect` of `meta`.

use super::scalar::integer;
use super::{Entries, Reader};
use crate::ksy::decl::{CarrierDecl, Named, RegistrationDecl};
use crate::ksy::expr::origin::Origin;
use crate::ksy::expr::parser;
use crate::ksy::expr::syntax::{Syntax, TypeName};
use crate::ksy::keys;
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use crate::ksy::yaml::{Node, Value};
use crate::nearest::suggestion;
use std::ops::RangeInclusive;

/// Values of `transport`.
const TRANSPORTS: &[&str] = &["tcp", "udp", "payload"];
/// Values of `framing`.
const FRAMINGS: &[&str] = &["stream", "datagram", "connection"];
/// Values of `resync`.
const RESYNCS: &[&str] = &["magic", "segment", "none"];
/// Maximum number of port ranges.
const PORTS: usize = 1024;
/// Maximum length of `magic` in bytes.
const MAGIC: usize = 256;
/// Maximum number of alternatives of `magic`.
const MAGICS: usize = 64;

impl Reader<'_> {
    /// The registration of a file; `key` is the position of the key.
    pub(super) fn registration(&mut self, node: &Node, key: SourceRange) -> Option<RegistrationDecl> {
        let entries = self.entries(node, &[&keys::REGISTRATION], "`-proto-dissect`")?;
        let decl = RegistrationDecl {
            place: key,
            carriers: entries.get("transport").map(|node| self.carriers(node)).unwrap_or_default(),
            over: entries.get("over").and_then(|node| self.named_text(node, "`over`")),
            ports: entries.get("ports").map(|node| self.ports(node)).unwrap_or_default(),
            magic: entries.get("magic").map(|node| self.magic(node)).unwrap_or_default(),
            framing: entries.get("framing").and_then(|node| self.word(node, "`framing`", FRAMINGS)),
            message: entries.get("message").and_then(|node| self.type_name(node, "`message`")),
            roots: entries.get("roots").map(|node| self.roots(node)).unwrap_or_default(),
            max_message: entries.get("max-message").and_then(|node| self.bytes_with_unit(node, "`max-message`")),
            resync: entries.get("resync").and_then(|node| self.word(node, "`resync`", RESYNCS)),
            name: entries.get("name").and_then(|node| self.expression(node, "`name`")),
            info: entries.get("info").and_then(|node| self.format_text(node, "`info`")),
            secrets: entries.get("secret").map(|node| self.paths(node)).unwrap_or_default(),
            session: entries.get("session").map(|node| self.session(node)).unwrap_or_default(),
            deliver: entries.get("deliver").and_then(|node| self.deliver(node)),
        };
        self.fit_together(&entries, &decl);
        Some(decl)
    }

    /// Reports keys that require others, or have no effect with them.
    fn fit_together(&mut self, entries: &Entries<'_>, decl: &RegistrationDecl) {
        let has = |carrier| decl.carriers.iter().any(|known| known.value == carrier);
        for key in ["ports", "magic", "framing", "over"] {
            if decl.carriers.is_empty() && entries.get(key).is_some() && entries.get("transport").is_none() {
                let problem = Problem::error(entries.key(key), format!("`{key}` without `transport`"));
                self.report.add(problem.help("add `transport: tcp`, `udp` or `payload`"));
                return;
            }
        }
        if decl.over.is_some() && !has(CarrierDecl::Payload) && !decl.carriers.is_empty() {
            let problem = Problem::error(entries.key("over"), "`over` names the carrier of a payload");
            self.report.add(problem.help("write `transport: payload`, or remove `over`"));
        }
        if !decl.ports.is_empty() && !has(CarrierDecl::Tcp) && !has(CarrierDecl::Udp) {
            let problem = Problem::error(entries.key("ports"), "a payload has no ports of its own");
            self.report.add(problem.help("remove `ports`, or add `tcp` or `udp` to `transport`"));
        }
        let is_stream = has(CarrierDecl::Tcp);
        match decl.framing.as_ref().map(|framing| framing.value) {
            Some("datagram") if is_stream => {
                let problem = Problem::error(entries.key("framing"), "TCP carries a stream, not datagrams");
                self.report.add(problem.help("write `framing: stream`, or `connection` for all that a side sends"));
            }
            Some(other @ ("stream" | "connection")) if !is_stream && !decl.carriers.is_empty() => {
                let message = format!("`framing` is `{other}`, and nothing carries a stream");
                self.report
                    .add(Problem::error(entries.key("framing"), message).help("write `framing: datagram`, or remove the key"));
            }
            _ => {}
        }
        let resyncs = decl.resync.as_ref().is_some_and(|resync| resync.value == "magic");
        if resyncs && entries.get("magic").is_none() {
            let problem = Problem::error(entries.key("resync"), "`resync: magic` without `magic`");
            self.report.add(problem.help("add `magic:` with the first bytes of a message"));
        }
    }

    /// One of a few words.
    pub(super) fn word(&mut self, node: &Node, what: &str, words: &'static [&'static str]) -> Option<Named<&'static str>> {
        let text = self.text(node, what)?;
        if let Some(word) = words.iter().find(|word| **word == text) {
            return Some(Named { value: *word, place: node.place });
        }
        let known = format!("it is {}", words.join(", "));
        let help = suggestion(text, words.iter().copied()).unwrap_or(known);
        self.report.add(Problem::error(node.place, format!("{what} cannot be `{text}`")).help(help));
        None
    }

    pub(super) fn named_text(&mut self, node: &Node, what: &str) -> Option<Named<String>> {
        self.text(node, what).map(|text| Named { value: text.to_owned(), place: node.place })
    }

    /// A node, or each of a list.
    fn each(node: &Node) -> &[Node] {
        node.list().unwrap_or(std::slice::from_ref(node))
    }

    fn carriers(&mut self, node: &Node) -> Vec<Named<CarrierDecl>> {
        let mut carriers: Vec<Named<CarrierDecl>> = Vec::new();
        for node in Self::each(node) {
            let Some(Named { value: word, place }) = self.word(node, "`transport`", TRANSPORTS) else { continue };
            let value = match word {
                "tcp" => CarrierDecl::Tcp,
                "udp" => CarrierDecl::Udp,
                _ => CarrierDecl::Payload,
            };
            if carriers.iter().any(|known| known.value == value) {
                self.report.add(Problem::error(place, format!("`{word}` twice")).help("remove one of them"));
            } else {
                carriers.push(Named { value, place });
            }
        }
        carriers
    }

    fn ports(&mut self, node: &Node) -> Vec<RangeInclusive<u16>> {
        let nodes = Self::each(node);
        if nodes.len() > PORTS {
            self.report.error(node.place, format!("more than {PORTS} ports and ranges"));
            return Vec::new();
        }
        nodes.iter().filter_map(|node| self.port(node)).collect()
    }

    /// `27000`, or `27010-27019`.
    fn port(&mut self, node: &Node) -> Option<RangeInclusive<u16>> {
        let text = self.text(node, "a port")?;
        let number = |text: &str| text.trim().parse::<u16>().ok().filter(|port| *port > 0);
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Some(first..=last),
            (Some(_), Some(_)) => {
                let problem = Problem::error(node.place, format!("the range `{text}` ends before it begins"));
                self.report.add(problem.help("the lower port comes first"));
                None
            }
            _ => {
                let problem = Problem::error(node.place, format!("`{text}` is no port"));
                self.report.add(problem.help("a port is a number from 1 to 65535, a range is `27010-27019`"));
                None
            }
        }
    }

    /// The first bytes, or several alternatives as a list of lists.
    fn magic(&mut self, node: &Node) -> Vec<Vec<u8>> {
        let is_list = |node: &Node| node.list().is_some();
        let several = node.list().filter(|list| list.iter().any(is_list));
        if several.is_some_and(|list| list.len() > MAGICS) {
            self.report.error(node.place, format!("more than {MAGICS} possibilities for `magic`"));
            return Vec::new();
        }
        several.unwrap_or(std::slice::from_ref(node)).iter().filter_map(|node| self.one_magic(node)).collect()
    }

    fn one_magic(&mut self, node: &Node) -> Option<Vec<u8>> {
        let magic = self.byte_string(node, "`magic`")?;
        match magic.value.len() {
            0 => self.report.error(node.place, "`magic` is empty"),
            1..=MAGIC => return Some(magic.value),
            _ => self.report.error(node.place, format!("`magic` is longer than {MAGIC} bytes")),
        }
        None
    }

    /// The types of directions.
    fn roots(&mut self, node: &Node) -> [Option<TypeName>; 3] {
        let Some(entries) = self.entries(node, &[&keys::ROOTS], "`roots`") else { return [None, None, None] };
        ["client", "server", "any"].map(|key| entries.get(key).and_then(|node| self.type_name(node, &format!("`{key}`"))))
    }

    /// A number of bytes: `65536`, `64KiB`, `1MiB`.
    fn bytes_with_unit(&mut self, node: &Node, what: &str) -> Option<usize> {
        let text = self.text(node, what)?;
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor = match text.get(digits.len()..).unwrap_or_default() {
            "" | "B" => Some(1),
            "KiB" => Some(1 << 10),
            "MiB" => Some(1 << 20),
            "kB" => Some(1_000),
            "MB" => Some(1_000_000),
            _ => None,
        };
        // A hexadecimal number may also end in letters.
        let whole = integer(text).map(|number| (number, 1));
        let size = whole.or_else(|| Some((integer(digits.trim_end())?, factor?)));
        let bytes =
            size.and_then(|(number, factor)| usize::try_from(number.checked_mul(factor)?).ok()).filter(|bytes| *bytes > 0);
        if bytes.is_none() {
            let problem = Problem::error(node.place, format!("{what} is no number of bytes: `{text}`"));
            self.report.add(problem.help("write a number such as 65536, 64KiB or 1MiB"));
        }
        bytes
    }

    /// An f-string, with or without its prefix and quotes.
    fn format_text(&mut self, node: &Node, what: &str) -> Option<Syntax> {
        let text = self.text(node, what)?;
        if text.starts_with("f\"") {
            return self.expression(node, what);
        }
        let parsed = parser::format_text(text, &Origin::new(node, self.text));
        self.parsed(parsed)
    }

    /// Paths of attributes: `body.password`.
    fn paths(&mut self, node: &Node) -> Vec<Named<Vec<String>>> {
        let mut paths = Vec::new();
        for node in Self::each(node) {
            let Some(text) = self.text(node, "`secret`") else { continue };
            let value: Vec<String> = text.split('.').map(str::to_owned).collect();
            if value.iter().all(|name| super::is_identifier(name) || name.starts_with("_unnamed")) {
                paths.push(Named { value, place: node.place });
            } else {
                let problem = Problem::error(node.place, format!("`{text}` is no path of attributes"));
                self.report.add(problem.help("write names with dots between: `body.password`"));
            }
        }
        paths
    }

    /// Bytes: a text, or a list of bytes and texts.
    pub(super) fn byte_string(&mut self, node: &Node, what: &str) -> Option<Named<Vec<u8>>> {
        let mut bytes = Vec::new();
        match &node.value {
            Value::List(list) => {
                for node in list {
                    let is_plain = matches!(node.value, Value::Scalar { quoted: false, .. });
                    match node.text() {
                        Some(text) if is_plain && integer(text).is_some() => {
                            bytes.push(self.byte(node, &format!("a byte of {what}"))?);
                        }
                        Some(text) => bytes.extend_from_slice(text.as_bytes()),
                        None => self.report.error(node.place, format!("an entry of {what} is {}", node.kind())),
                    }
                }
            }
            Value::Scalar { text, quoted } if !node.is_null() => {
                if !quoted && integer(text).is_some() {
                    let problem = Problem::error(node.place, format!("{what} is a number"));
                    self.report.add(problem.help(format!("write `[{text}]` for a byte, or `'{text}'` for text")));
                    return None;
                }
                bytes.extend_from_slice(text.as_bytes());
            }
            _ => {
                self.report.error(node.place, format!("{what} is {}, neither text nor a list", node.kind()));
                return None;
            }
        }
        Some(Named { value: bytes, place: node.place })
    }
}
