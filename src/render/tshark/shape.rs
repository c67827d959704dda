//! Fields of documents in tshark's formats.

use super::kept::KeptNames;
use crate::registry::Registry;
use crate::tree::Field;
use std::collections::HashMap;

/// Fields of a document, with the sources of generated fields.
pub struct Shape {
    pub(super) generated: Generated,
    pub(super) kept: KeptNames,
}

impl Shape {
    /// Creates a document with these fields.
    pub fn new(registry: Registry, kept: KeptNames) -> Shape {
        Shape { generated: Generated::new(registry), kept }
    }
}

/// Generated fields by the address of their source field.
pub(super) struct Generated(HashMap<usize, Vec<&'static Field>>);

impl Generated {
    fn new(registry: Registry) -> Generated {
        let mut by_source: HashMap<usize, Vec<&'static Field>> = HashMap::new();
        for field in registry.protocols().flat_map(|protocol| protocol.fields.iter().copied()) {
            for from in field.generated.iter().flat_map(|generated| generated.from) {
                let fields = by_source.entry(std::ptr::from_ref::<Field>(from).addr()).or_default();
                if !fields.iter().any(|known| known.is(field)) {
                    fields.push(field);
                }
            }
        }
        Generated(by_source)
    }

    /// Fields generated at nodes of a field.
    pub(super) fn fields(&self, at: &'static Field) -> impl Iterator<Item = &'static Field> {
        self.0.get(&std::ptr::from_ref::<Field>(at).addr()).into_iter().flatten().copied()
    }
}
