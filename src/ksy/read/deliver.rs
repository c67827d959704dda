//! `deliver` of `meta`: messages inside datagrams.

use super::Reader;
use crate::ksy::decl::{DeliverDecl, FragmentDecl, Named, ReceiverDecl};
use crate::ksy::keys;
use crate::ksy::report::Problem;
use crate::ksy::yaml::Node;

/// Keys of fragments, with those that each needs.
const TOGETHER: &[(&str, &[&str])] = &[
    ("id", &["index", "count"]),
    ("index", &["id", "count"]),
    ("count", &["id", "index"]),
    ("offset", &["id", "total"]),
    ("total", &["id", "offset"]),
    ("left", &["order"]),
];

/// Keys that exclude each other.
const APART: &[(&str, &str)] = &[("as", "payload"), ("left", "id"), ("index", "offset"), ("count", "total")];

impl Reader<'_> {
    pub(super) fn deliver(&mut self, node: &Node) -> Option<DeliverDecl> {
        let entries = self.entries(node, &[&keys::DELIVER], "`deliver`")?;
        for key in ["of", "data"] {
            if entries.get(key).is_none() {
                let problem = Problem::error(node.place, format!("`deliver` without `{key}`"));
                let help =
                    if key == "of" { "add `of:` with the list of elements" } else { "add `data:` with the bytes of an element" };
                self.report.add(problem.help(help));
                return None;
            }
        }
        for (one, other) in APART {
            if entries.get(one).is_some() && entries.get(other).is_some() {
                let problem = Problem::error(entries.key(other), format!("`{other}` beside `{one}`"));
                self.report.add(problem.help("remove one of them"));
                return None;
            }
        }
        let is_at = entries.get("offset").is_some() || entries.get("total").is_some();
        for (key, needs) in TOGETHER.iter().filter(|(key, _)| entries.get(key).is_some() && !(is_at && *key == "id")) {
            if let Some(missing) = needs.iter().find(|needed| entries.get(needed).is_none()) {
                let problem = Problem::error(entries.key(key), format!("`{key}` without `{missing}`"));
                self.report.add(problem.help(format!("add `{missing}:`, or remove `{key}`")));
                return None;
            }
        }
        let mut expression = |key: &str| entries.get(key).and_then(|node| self.expression(node, &format!("`{key}`")));
        let (of, data) = (expression("of")?, expression("data")?);
        let [when, by, order, once] = ["when", "by", "order", "once"].map(&mut expression);
        let fragment = if entries.get("left").is_some() {
            FragmentDecl::Left(expression("left")?)
        } else if is_at {
            FragmentDecl::At([expression("id")?, expression("offset")?, expression("total")?])
        } else if entries.get("id").is_some() {
            FragmentDecl::Part([expression("id")?, expression("index")?, expression("count")?])
        } else {
            FragmentDecl::No
        };
        let receiver = match (entries.get("as"), entries.get("payload")) {
            (Some(node), _) => ReceiverDecl::Type(self.type_name(node, "`as`")?),
            (None, Some(node)) => ReceiverDecl::Protocol(self.protocol_name(node)?),
            (None, None) => ReceiverDecl::Place,
        };
        Some(DeliverDecl { of, when, data, by, order, once, fragment, receiver })
    }

    /// The name of a protocol, which may be loaded later.
    pub(super) fn protocol_name(&mut self, node: &Node) -> Option<Named<String>> {
        let name = self.named_text(node, "`payload`")?;
        if name.value.is_empty() || !name.value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')) {
            let problem = Problem::error(node.place, format!("`{}` is no name of a protocol", name.value));
            self.report.add(problem.help("`proto-dissect protocols` lists them"));
            return None;
        }
        Some(name)
    }
}
