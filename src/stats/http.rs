//! HTTP requests by method and responses by status code, as tshark's `http,tree`.

use super::topics::Topics;
use crate::registry::Registry;
use crate::tree::{Dissection, Field, Only, name_of};

/// Requests by method, and responses by status code.
#[derive(Debug)]
pub struct Http {
    /// The counts.
    pub topics: Topics,
    layers: Vec<&'static Field>,
    methods: Vec<&'static Field>,
    codes: Vec<&'static Field>,
}

impl Http {
    pub(super) fn new(registry: Registry) -> Http {
        // SSDP is HTTP over UDP, and is counted as in tshark.
        let layers = [registry.named("http"), registry.named("ssdp")].concat();
        let [methods, codes] = ["http.request.method", "http.response.code"].map(|name| registry.named(name));
        Http { topics: Topics::new("Total HTTP Packets", false), layers, methods, codes }
    }

    /// Required fields.
    pub(super) fn fields_read(&self) -> Only {
        Only::these(self.methods.iter().chain(&self.codes).copied())
    }

    pub(super) fn tree(&mut self, of: Dissection<'_>) {
        let is_of = |fields: &[&'static Field], field: &Field| fields.iter().any(|one| one.is(field));
        for layer in &of.tree.layers {
            let Some(message) = of.layer_node(layer).filter(|node| is_of(&self.layers, node.field())) else { continue };
            let found = message.children().find(|node| is_of(&self.methods, node.field()) || is_of(&self.codes, node.field()));
            match found {
                Some(code) if is_of(&self.codes, code.field()) => self.response(code.number().unwrap_or_default()),
                Some(method) => self.topics.add(&["HTTP Request Packets", &method.text()], None),
                None => self.topics.add(&["Other HTTP Packets"], None),
            }
        }
    }

    fn response(&mut self, code: u64) {
        let class = match code / 100 {
            1 => "1xx: Informational",
            2 => "2xx: Success",
            3 => "3xx: Redirection",
            4 => "4xx: Client Error",
            5 => "5xx: Server Error",
            _ => "???: broken",
        };
        let name = self.codes.first().and_then(|field| name_of(field.names, code)).unwrap_or("Unknown");
        self.topics.add(&["HTTP Response Packets", class, &format!("{code} {name}")], None);
    }
}
