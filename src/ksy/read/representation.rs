//! `-webide-representation`: a text with fields in braces.

use super::Reader;
use crate::ksy::decl::RepresentationPart;
use crate::ksy::expr::Show;
use crate::ksy::expr::origin::Origin;
use crate::ksy::expr::parser;
use crate::ksy::yaml::Node;

impl Reader<'_> {
    /// The parts; invalid field names are omitted with a warning, because other programs also read this key.
    pub(super) fn representation(&mut self, node: &Node) -> Option<Vec<RepresentationPart>> {
        let text = node.text()?;
        let origin = Origin::new(node, self.text);
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((field, behind)) = behind.split_once('}') else { break };
            if !before.is_empty() {
                parts.push(RepresentationPart::Text(before.to_owned()));
            }
            let start = text.len() - rest.len() + before.len() + 1;
            rest = behind;
            let (name, format) = field.split_once(':').unwrap_or((field, ""));
            let show = Show::named(format).unwrap_or(Show::Plain);
            match parser::expression(name, &origin) {
                Ok(syntax) => parts.push(RepresentationPart::Value(syntax, show)),
                Err(_) => {
                    let place = origin.place(start..start + field.len());
                    self.report.warning(place, format!("`{field}` is no field and is left out of the summary"), None);
                }
            }
        }
        if !rest.is_empty() {
            parts.push(RepresentationPart::Text(rest.to_owned()));
        }
        Some(parts)
    }

    /// Whether the pattern of an attribute is its own value in hexadecimal: `{this:hex}`, with its name, or without one.
    pub(super) fn is_hex(node: &Node, name: &str) -> bool {
        let inside = node.text().and_then(|text| text.trim().strip_prefix('{')?.strip_suffix('}'));
        let Some((value, format)) = inside.and_then(|inside| inside.split_once(':')) else { return false };
        ["", "this", "_", name].contains(&value.trim()) && Show::named(format.trim()).is_some_and(Show::is_hex)
    }
}
