//! Names of the types of a file.

use crate::ksy::model::{Spec, TypeId, Valid, ValueSource};
use crate::ksy::registration::Registration;
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// The names of the types of a file, with their attributes.
#[derive(Debug, Clone)]
pub struct Names {
    /// The file.
    pub file: String,
    types: Vec<Type>,
    ports: Vec<RangeInclusive<u16>>,
    /// Attributes whose value the file states.
    pub stated: HashSet<String>,
}

#[derive(Debug, Clone)]
struct Type {
    name: String,
    /// Whether the file itself declares it below its top type.
    is_own: bool,
    attributes: Vec<String>,
}

impl Names {
    /// The names of a file with this top type.
    #[must_use]
    pub fn new(spec: &Spec, top: TypeId, file: String) -> Names {
        let types = spec.types.iter().enumerate().map(|(at, of)| Type {
            name: of.name.clone(),
            is_own: of.top == top && at != top.0 as usize,
            attributes: of.seq.iter().map(|member| member.name.clone()).collect(),
        });
        let ports = Registration::of(spec, top).map(|registration| registration.ports.clone()).unwrap_or_default();
        let members = spec.types.iter().flat_map(|of| &of.seq);
        let is_stated = |valid: &Valid| matches!(valid, Valid::Eq(_));
        let stated = members
            .filter(|member| matches!(member.source, ValueSource::Read(_)) && member.valid.as_ref().is_some_and(is_stated));
        Names { file, types: types.collect(), ports, stated: stated.map(|member| member.name.clone()).collect() }
    }

    /// Whether the file registers one of these ports.
    pub(super) fn has_port(&self, ports: [u16; 2]) -> bool {
        self.ports.iter().any(|range| ports.iter().any(|port| range.contains(port)))
    }

    /// The name of a type.
    pub(super) fn of(&self, of: u32) -> &str {
        self.types.get(of as usize).map_or("", |of| of.name.as_str())
    }

    /// The name of a message: that of its content, else its own.
    pub(super) fn kind(&self, (of, inner): (Option<u32>, Option<u32>)) -> String {
        inner.or(of).map_or_else(String::new, |of| self.of(of).to_owned())
    }

    /// An attribute with its type.
    pub(super) fn attribute(&self, of: u32, attribute: &str) -> String {
        format!("{}.{attribute}", self.of(of))
    }

    /// The attributes of a type.
    pub(super) fn attributes(&self, of: u32) -> &[String] {
        self.types.get(of as usize).map(|of| of.attributes.as_slice()).unwrap_or_default()
    }

    /// Types of the file other than these.
    pub(super) fn others(&self, seen: &HashSet<u32>) -> Vec<&str> {
        let numbered = (0..).zip(&self.types).filter(|(at, of)| of.is_own && !seen.contains(at));
        numbered.map(|(_, of)| of.name.as_str()).collect()
    }
}
