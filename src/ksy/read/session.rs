//! `session` of `meta`, and what attributes and types do to it: `set`, `stream`, `continue`.

use super::{Entries, Reader};
use crate::ksy::decl::{EffectDecl, InitDecl, Named, StageChangeDecl, VariableDecl};
use crate::ksy::expr::origin::Origin;
use crate::ksy::expr::parser;
use crate::ksy::expr::syntax::{Call, Syntax};
use crate::ksy::keys;
use crate::ksy::report::Problem;
use crate::ksy::yaml::{Node, Value};

/// Maximum number of variables of a session.
const VARIABLES: usize = 64;
/// Maximum number of stages that the bytes of a direction pass.
const STAGES: usize = 8;

impl Reader<'_> {
    /// The variables of a session.
    pub(super) fn session(&mut self, node: &Node) -> Vec<VariableDecl> {
        let entries = self.map(node, "`session`").unwrap_or_default();
        if entries.len() > VARIABLES {
            self.report.error(node.place, format!("more than {VARIABLES} session variables"));
            return Vec::new();
        }
        entries.iter().filter_map(|(key, node)| self.variable(key, node)).collect()
    }

    fn variable(&mut self, key: &Node, node: &Node) -> Option<VariableDecl> {
        let name = self.identifier(key, "the name of a session variable")?;
        let plain = |init| VariableDecl {
            name: name.clone(),
            place: key.place,
            init,
            is_per_direction: false,
            increments: false,
            shared: None,
            resets: false,
        };
        if node.map().is_none() {
            return self.init(node).map(plain);
        }
        let entries = self.entries(node, &[&keys::VARIABLE], "a session variable")?;
        let Some(init) = entries.get("init") else {
            let problem = Problem::error(key.place, "a session variable without `init`");
            self.report.add(problem.help("add `init:` with the first value, or `init: key`"));
            return None;
        };
        let decl = plain(self.init(init)?);
        Some(VariableDecl {
            is_per_direction: entries.get("per").and_then(|node| self.word(node, "`per`", &["direction"])).is_some(),
            increments: entries.get("increment").and_then(|node| self.boolean(node, "`increment`")).unwrap_or(false),
            shared: entries.get("share").and_then(|node| self.word(node, "`share`", &["client", "pair"])),
            resets: entries.get("reset-on").and_then(|node| self.word(node, "`reset-on`", &["gap"])).is_some(),
            ..decl
        })
    }

    /// The first value: an expression, or `key`.
    fn init(&mut self, node: &Node) -> Option<InitDecl> {
        if node.text() == Some("key") {
            return Some(InitDecl::Key);
        }
        self.value(node, "a session variable").map(InitDecl::Value)
    }

    /// An expression; YAML reads empty bytes without quotes as an empty list.
    fn value(&mut self, node: &Node, what: &str) -> Option<Syntax> {
        match node.list() {
            Some([]) => {
                let parsed = parser::expression("[]", &Origin::new(node, self.text));
                self.parsed(parsed)
            }
            _ => self.expression(node, what),
        }
    }

    /// What an attribute does to the session once it was read.
    pub(super) fn effect(&mut self, entries: &Entries<'_>) -> EffectDecl {
        EffectDecl {
            sets: entries.get("set").map(|node| self.sets(node)).unwrap_or_default(),
            stages: entries.get("stream").map(|node| self.stage_changes(node)).unwrap_or_default(),
        }
    }

    /// The same for a type: `set` alone.
    pub(super) fn type_effect(&mut self, node: &Node) -> EffectDecl {
        let Some(entries) = self.entries(node, &[&keys::TYPE_EXTENSION], "`-proto-dissect` of a type") else {
            return EffectDecl::default();
        };
        self.effect(&entries)
    }

    fn sets(&mut self, node: &Node) -> Vec<(Named<String>, Syntax)> {
        let entries = self.map(node, "`set`").unwrap_or_default();
        let set = |(key, node): &(Node, Node)| {
            let name = self.text(key, "the name of a session variable")?.to_owned();
            Some((Named { value: name, place: key.place }, self.value(node, "`set`")?))
        };
        entries.iter().filter_map(set).collect()
    }

    fn stage_changes(&mut self, node: &Node) -> Vec<StageChangeDecl> {
        let Some(entries) = self.entries(node, &[&keys::STREAM], "`stream`") else { return Vec::new() };
        let mut changes = Vec::new();
        for (key, sides) in [("client", [true, false]), ("server", [false, true]), ("both", [true, true])] {
            if let Some(node) = entries.get(key)
                && let Some(stages) = self.stages(node)
            {
                changes.push(StageChangeDecl { sides, stages, place: entries.key(key) });
            }
        }
        changes
    }

    /// The stages that bytes pass, in order: a call, several as a list, or `none`.
    fn stages(&mut self, node: &Node) -> Option<Vec<Call>> {
        let stages = match &node.value {
            Value::List(list) => list.iter().map(|node| self.process_call(node)).collect::<Option<Vec<Call>>>()?,
            _ => {
                let text = self.text(node, "a stage of `stream`")?;
                if text.trim() == "none" {
                    return Some(Vec::new());
                }
                let parsed = parser::process_calls(text, &Origin::new(node, self.text));
                self.parsed(parsed)?
            }
        };
        if stages.len() > STAGES {
            self.report.error(node.place, format!("more than {STAGES} stages"));
            return None;
        }
        Some(stages)
    }
}
