//! Names of types and enums in Lua: the plain name if it is unique, else the path.

use crate::ksy::model::{EnumId, Spec, TypeId};
use std::collections::HashMap;

/// The names of a model.
#[derive(Debug)]
pub(super) struct Names {
    types: Vec<String>,
    enums: Vec<String>,
}

impl Names {
    pub(super) fn new(spec: &Spec) -> Names {
        Names {
            types: distinct(spec.types.iter().map(|of| (of.name.as_str(), of.path.as_str())).collect()),
            enums: distinct(spec.enums.iter().map(|of| (of.name.as_str(), of.path.as_str())).collect()),
        }
    }

    pub(super) fn type_name(&self, id: TypeId) -> &str {
        self.types.get(id.0 as usize).map_or("", String::as_str)
    }

    pub(super) fn enum_name(&self, id: EnumId) -> &str {
        self.enums.get(id.0 as usize).map_or("", String::as_str)
    }
}

fn distinct(names: Vec<(&str, &str)>) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    names.iter().for_each(|(name, _)| *counts.entry(name).or_default() += 1);
    names
        .iter()
        .map(|(name, path)| if counts.get(name) == Some(&1) { (*name).to_owned() } else { path.replace("::", "__") })
        .collect()
}
