//! Types and parameters.

use super::{Entries, Reader, TYPE};
use crate::ksy::decl::{ParamDecl, TypeDecl};
use crate::ksy::keys;
use crate::ksy::model::Docs;
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use crate::ksy::yaml::Node;

impl Reader<'_> {
    /// The body of a file or of a type.
    pub(super) fn type_body(&mut self, node: &Node, name: String, place: SourceRange) -> TypeDecl {
        let mut decl = TypeDecl { name, place, ..TypeDecl::default() };
        let Some(entries) = self.entries(node, &[&keys::TYPE], "a type") else { return decl };
        decl.docs = self.docs(&entries);
        if let Some(meta) = entries.get("meta") {
            self.meta(meta, &mut decl);
        }
        if let Some(params) = entries.get("params") {
            decl.params = self.list(params, "`params`").iter().filter_map(|node| self.param(node)).collect();
        }
        if let Some(seq) = entries.get("seq") {
            decl.seq = self.list(seq, "`seq`").iter().enumerate().filter_map(|(n, node)| self.attribute(node, n)).collect();
        }
        if let Some(node) = entries.get("instances") {
            decl.instances = self.named(node, "instances", "an instance", Reader::instance);
        }
        if let Some(node) = entries.get("types") {
            decl.types = self.named(node, "types", "a type", |reader, name, key, node| reader.nested_type(name, key, node));
        }
        if let Some(node) = entries.get("enums") {
            decl.enums = self.named(node, "enums", "an enum", Reader::enumeration);
        }
        decl.effect = entries.get("-proto-dissect").map(|node| self.type_effect(node)).unwrap_or_default();
        decl.to_string = entries.get("to-string").and_then(|node| self.expression(node, "`to-string`"));
        decl.representation = entries.get("-webide-representation").and_then(|node| self.representation(node));
        decl
    }

    fn nested_type(&mut self, name: String, key: &Node, node: &Node) -> Option<TypeDecl> {
        self.declare(TYPE, key.place)?;
        if node.is_null() {
            return Some(TypeDecl { name, place: key.place, ..TypeDecl::default() });
        }
        Some(self.type_body(node, name, key.place))
    }

    /// The entries of a map from names.
    fn named<T>(
        &mut self,
        node: &Node,
        key: &str,
        what: &str,
        mut read: impl FnMut(&mut Self, String, &Node, &Node) -> Option<T>,
    ) -> Vec<T> {
        if node.is_null() {
            return Vec::new();
        }
        if node.list().is_some() {
            let problem = Problem::error(node.place.first(), format!("`{key}` is a list, not a map"));
            self.report.add(problem.help("write `name:` instead of `- id: name`"));
            return Vec::new();
        }
        let entries = self.map(node, &format!("`{key}`")).unwrap_or_default();
        entries
            .iter()
            .filter_map(|(key, node)| {
                let name = self.identifier(key, &format!("the name of {what}"))?;
                read(self, name, key, node)
            })
            .collect()
    }

    fn param(&mut self, node: &Node) -> Option<ParamDecl> {
        self.declare(1, node.place)?;
        let entries = self.entries(node, &[&keys::PARAM], "a parameter")?;
        let Some(id) = entries.get("id") else {
            self.report.add(Problem::error(node.place.first(), "a parameter without `id`").help("add `id:` with its name"));
            return None;
        };
        Some(ParamDecl {
            name: self.identifier(id, "the `id` of a parameter")?,
            place: id.place,
            docs: self.docs(&entries),
            ty: entries.get("type").and_then(|node| self.type_name(node, "the type of a parameter")),
            names: entries.get("enum").and_then(|node| self.type_name(node, "`enum`")),
        })
    }

    /// `doc`, `doc-ref` and `-orig-id`.
    pub(super) fn docs(&mut self, entries: &Entries<'_>) -> Docs {
        let doc = entries.get("doc").and_then(|node| self.text(node, "`doc`")).map(|text| text.trim_end().to_owned());
        let names: Vec<String> = entries.get("-orig-id").map(scalars).unwrap_or_default();
        Docs {
            doc,
            refs: entries.get("doc-ref").map(|node| self.texts(node, "`doc-ref`")).unwrap_or_default(),
            orig_id: (!names.is_empty()).then(|| names.join(", ")),
        }
    }
}

/// A text, or the texts of a list.
fn scalars(node: &Node) -> Vec<String> {
    let all = node.list().unwrap_or(std::slice::from_ref(node));
    all.iter().filter_map(Node::text).map(|text| text.trim_end().to_owned()).collect()
}
