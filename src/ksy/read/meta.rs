//! `meta`.

use super::Reader;
use crate::ksy::decl::{EndianDecl, Named, TypeDecl};
use crate::ksy::keys;
use crate::ksy::model::{Encoding, FixedEndian};
use crate::ksy::report::Problem;
use crate::ksy::yaml::{Node, Value};

/// The version of the language that is supported.
pub const VERSION: [u32; 3] = [0, 11, 0];
/// The oldest accepted `ks-version`.
const OLDEST: [u32; 3] = [0, 6, 0];

impl Reader<'_> {
    pub(super) fn meta(&mut self, node: &Node, decl: &mut TypeDecl) {
        if node.is_null() {
            return;
        }
        let Some(entries) = self.entries(node, &[&keys::META], "`meta`") else { return };
        decl.meta.title = entries.get("title").and_then(|node| self.text(node, "`title`")).map(str::to_owned);
        decl.meta.license = entries.get("license").and_then(|node| self.text(node, "`license`")).map(str::to_owned);
        decl.meta.application =
            entries.get("application").map(|node| self.texts(node, "`application`").join(", ")).filter(|text| !text.is_empty());
        decl.registration = entries.get("-proto-dissect").and_then(|node| self.registration(node, entries.key("-proto-dissect")));
        decl.opaque_types =
            entries.get("ks-opaque-types").and_then(|node| self.boolean(node, "`ks-opaque-types`")).unwrap_or(false);
        if let Some(node) = entries.get("ks-version") {
            self.version(node);
        }
        if let Some(node) = entries.get("imports") {
            let one = std::slice::from_ref(node);
            let nodes = if node.text().is_some() { one } else { self.list(node, "`imports`") };
            for node in nodes {
                if let Some(path) = self.text(node, "an import") {
                    decl.imports.push(Named { value: path.to_owned(), place: node.place });
                }
            }
        }
        decl.defaults.encoding = entries.get("encoding").and_then(|node| self.encoding(node));
        decl.defaults.endian = entries.get("endian").and_then(|node| self.endian(node));
        decl.defaults.bit_endian = entries.get("bit-endian").and_then(|node| self.fixed_endian(node, "`bit-endian`"));
    }

    fn version(&mut self, node: &Node) {
        let Some(text) = self.text(node, "`ks-version`") else { return };
        // A number without quotes loses its trailing zeros.
        let is_plain = matches!(node.value, Value::Scalar { quoted: false, .. });
        let text =
            if is_plain && text.matches('.').count() == 1 { text.trim_end_matches('0').trim_end_matches('.') } else { text };
        let parts: Vec<Option<u32>> =
            text.split('.').map(|part| part.parse().ok().filter(|number: &u32| number.to_string() == part)).collect();
        let version = match parts.as_slice() {
            [Some(major)] if is_plain => [*major, 0, 0],
            [Some(major), Some(minor)] => [*major, *minor, 0],
            [Some(major), Some(minor), Some(patch)] => [*major, *minor, *patch],
            _ => {
                self.report.error(node.place, format!("`{text}` is no version such as 0.11 or 0.11.0"));
                return;
            }
        };
        if version > VERSION && version[..2] != VERSION[..2] {
            self.report.error(node.place, format!("the file needs version {text} of Kaitai Struct; 0.11 is supported"));
        } else if version < OLDEST {
            let problem = Problem::error(node.place, format!("version {text} of Kaitai Struct is older than 0.6"));
            let quote = (version == [0, 1, 0]).then(|| "put 0.10 in quotes: YAML reads it as the number 0.1".to_owned());
            self.report.add(problem.help_if(quote));
        }
    }

    /// An encoding; non-canonical names give a warning.
    pub(super) fn encoding(&mut self, node: &Node) -> Option<Encoding> {
        let name = self.text(node, "`encoding`")?;
        let encoding = Encoding::of(name);
        if let Some((message, help)) = encoding.problem(name) {
            self.report.add(Problem {
                error: false,
                is_advice: encoding.is_known(),
                ..Problem::error(node.place, message).help_if(help)
            });
        }
        Some(encoding)
    }

    fn fixed_endian(&mut self, node: &Node, what: &str) -> Option<FixedEndian> {
        match node.text() {
            Some("le") => Some(FixedEndian::Little),
            Some("be") => Some(FixedEndian::Big),
            _ => {
                self.report.error(node.place, format!("{what} is neither `le` nor `be`"));
                None
            }
        }
    }

    fn endian(&mut self, node: &Node) -> Option<EndianDecl> {
        if node.map().is_none() {
            return self.fixed_endian(node, "`endian`").map(EndianDecl::Fixed);
        }
        let entries = self.entries(node, &[&keys::SWITCH], "`endian`")?;
        let (on, cases) = self.switch_parts(&entries, node)?;
        let mut known = Vec::new();
        let mut otherwise = None;
        for (key, node) in cases {
            let endian = self.fixed_endian(node, "the byte order of a case");
            if key.text() == Some("_") {
                otherwise = endian;
            } else if let (Some(key), Some(endian)) = (self.expression(key, "a case"), endian) {
                known.push((key, endian));
            }
        }
        Some(EndianDecl::Switch { on, cases: known, otherwise })
    }
}
