//! Enums.

use super::Reader;
use super::scalar::integer;
use crate::ksy::decl::EnumDecl;
use crate::ksy::keys;
use crate::ksy::model::{Docs, EnumMember};
use crate::ksy::report::Problem;
use crate::ksy::yaml::Node;
use std::collections::HashMap;

/// A decimal number with zeros in front. It has a digit above 7, so YAML does not read it as octal.
fn padded(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('0')?;
    digits.parse().ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_digit()))
}

impl Reader<'_> {
    pub(super) fn enumeration(&mut self, name: String, key: &Node, node: &Node) -> Option<EnumDecl> {
        let entries = self.map(node, &format!("the enum `{name}`"))?;
        let mut members: Vec<EnumMember> = Vec::new();
        let mut names: HashMap<String, i128> = HashMap::new();
        for (key, value) in entries {
            let Some(member) = self.member(key, value) else { continue };
            if let Some(other) = names.get(&member.name) {
                let message = format!("two members of the enum `{name}` have the name `{}`", member.name);
                self.report.add(Problem::error(member.place, message).help(format!("{other} has this name, too")));
                continue;
            }
            names.insert(member.name.clone(), member.value);
            members.push(member);
        }
        self.mixed_bases(entries);
        members.sort_by_key(|member| member.value);
        for pair in members.windows(2) {
            if let [one, other] = pair
                && one.value == other.value
            {
                self.report.error(other.place, format!("two members of the enum `{name}` have the value {}", one.value));
            }
        }
        Some(EnumDecl { name, place: key.place, docs: Docs::default(), members })
    }

    /// Warns about `010`, which is 8, beside `089`, which is 89.
    fn mixed_bases(&mut self, entries: &[(Node, Node)]) {
        let is_padded =
            |(key, _): &(Node, Node)| key.text().is_some_and(|text| integer(text).is_none() && padded(text).is_some());
        if !entries.iter().any(is_padded) {
            return;
        }
        for (key, _) in entries {
            if let Some(text) = key.text().filter(|text| padded(text).is_some())
                && let Some(octal) = integer(text).filter(|octal| padded(text) != Some(*octal))
            {
                let help = format!("write {octal}, or `{}` if it is meant as decimal", text.trim_start_matches('0'));
                self.report.warning(key.place, format!("`{text}` is octal and means {octal}"), Some(help));
            }
        }
    }

    fn member(&mut self, key: &Node, node: &Node) -> Option<EnumMember> {
        let Some(value) = key.text().and_then(|text| integer(text).or_else(|| padded(text))) else {
            let problem = Problem::error(key.place, format!("`{}` is no integer", key.text().unwrap_or_default()));
            self.report.add(problem.help("write `value: name`"));
            return None;
        };
        if node.map().is_none() {
            if node.is_null() {
                let problem = Problem::error(key.place.to(node.place), "a member of an enum without a name");
                self.report.add(problem.help("put `null` in quotes if it is the name"));
                return None;
            }
            let name = self.identifier(node, "the name of a member")?;
            return Some(EnumMember { value, name, docs: Docs::default(), place: node.place });
        }
        let entries = self.entries(node, &[&keys::MEMBER], "a member of an enum")?;
        let Some(id) = entries.get("id") else {
            self.report.add(Problem::error(key.place, "a member of an enum without `id`").help("add `id:` with its name"));
            return None;
        };
        Some(EnumMember { value, name: self.identifier(id, "the name of a member")?, docs: self.docs(&entries), place: id.place })
    }
}
