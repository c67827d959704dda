//! Attributes and instances.

use super::{Entries, Reader};
use crate::ksy::decl::{AttrDecl, BytesDecl, Named, ParentDecl, RepeatDecl, TypeDeclOf, ValidDecl};
use crate::ksy::expr::syntax::Syntax;
use crate::ksy::keys;
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use crate::ksy::yaml::{Node, Value};
use crate::nearest::suggestion;

/// Maximum number of cases of a switch.
const CASES: usize = 1 << 14;

impl Reader<'_> {
    /// An entry of `seq`, the `n`-th one.
    pub(super) fn attribute(&mut self, node: &Node, n: usize) -> Option<AttrDecl> {
        self.declare(1, node.place)?;
        if node.is_null() {
            self.report.error(node.place, "an attribute without keys");
            return None;
        }
        let entries = self.entries(node, &[&keys::ATTRIBUTE], "an attribute")?;
        let (name, place) = match entries.get("id") {
            Some(id) => (self.identifier(id, "the `id` of an attribute")?, id.place),
            None => (format!("_unnamed{n}"), node.place.first()),
        };
        Some(self.body(&entries, name, place, node.place.first()))
    }

    /// An entry of `instances`.
    pub(super) fn instance(&mut self, name: String, key: &Node, node: &Node) -> Option<AttrDecl> {
        self.declare(1, key.place)?;
        let within = if node.get("value").is_some() { "a `value` instance" } else { "an instance" };
        let entries = self.entries(node, &[&keys::ATTRIBUTE, &keys::INSTANCE], within)?;
        if entries.get("id").is_some() {
            let problem = Problem::error(entries.key("id"), "an instance has its name as the key, not as `id`");
            self.report.add(problem.help("remove `id`"));
        }
        if entries.get("value").is_some() {
            self.value_only(&entries, node);
        }
        Some(self.body(&entries, name, key.place, key.place))
    }

    /// A calculated value is not read.
    fn value_only(&mut self, entries: &Entries<'_>, node: &Node) {
        const ALLOWED: &[&str] = &["value", "doc", "doc-ref", "enum", "if", "valid", "id"];
        for (key, _) in node.map().unwrap_or_default() {
            let name = key.text().unwrap_or_default();
            if !ALLOWED.contains(&name) && !name.starts_with('-') && entries.get(name).is_some() {
                let problem =
                    Problem::error(key.place, format!("`{name}` has no place beside `value`: the value is calculated, not read"));
                self.report.add(problem.help(format!("remove `{name}`, or remove `value`")));
            }
        }
    }

    fn body(&mut self, entries: &Entries<'_>, name: String, place: SourceRange, whole: SourceRange) -> AttrDecl {
        let mut expression = |key: &str| entries.get(key).and_then(|node| self.expression(node, &format!("`{key}`")));
        let (condition, value) = (expression("if"), expression("value"));
        let (pos, io) = (expression("pos"), expression("io"));
        let mut keys: Vec<Named<String>> =
            entries.entries.iter().map(|(name, (key, _))| Named { value: (*name).to_owned(), place: key.place }).collect();
        keys.sort_by_key(|key| key.place.start);
        let ty = entries.get("type").and_then(|node| self.type_of(node, entries.key("type")));
        let names = entries.get("enum").and_then(|node| self.type_name(node, "`enum`"));
        let contents = entries.get("contents").and_then(|node| self.byte_string(node, "`contents`"));
        let bytes = self.bytes(entries);
        let lost = |key: &str, is_lost: bool| is_lost && entries.get(key).is_some();
        let broken = entries.has_unknown
            || lost("value", value.is_none())
            || lost("type", ty.is_none())
            || lost("enum", names.is_none())
            || lost("contents", contents.is_none())
            || lost("size", bytes.size.is_none())
            || lost("terminator", bytes.terminator.is_none())
            || lost("process", bytes.process.is_none());
        let extension = entries
            .get("-proto-dissect")
            .and_then(|node| self.entries(node, &[&keys::EXTENSION], "`-proto-dissect` of an attribute"));
        AttrDecl {
            place,
            whole,
            docs: self.docs(entries),
            condition,
            value,
            pos,
            io,
            ty,
            names,
            repeat: self.repeat(entries),
            valid: entries.get("valid").and_then(|node| self.valid(node)),
            contents,
            parent: entries.get("parent").and_then(|node| self.parent(node)),
            object: extension.as_ref().and_then(|entries| entries.get("object")).and_then(|node| self.object(node)),
            effect: extension.as_ref().map(|entries| self.effect(entries)).unwrap_or_default(),
            payload: extension.as_ref().and_then(|entries| entries.get("payload")).and_then(|node| self.protocol_name(node)),
            continues: extension
                .as_ref()
                .and_then(|entries| entries.get("continue"))
                .and_then(|node| self.named_text(node, "`continue`")),
            bytes,
            is_hex: entries.get("-webide-representation").is_some_and(|node| Self::is_hex(node, &name)),
            name,
            broken,
            keys,
        }
    }

    fn type_of(&mut self, node: &Node, key: SourceRange) -> Option<TypeDeclOf> {
        match &node.value {
            Value::Scalar { .. } => self.type_call(node, "`type`").map(TypeDeclOf::One),
            Value::List(_) => {
                let problem = Problem::error(key.to(node.place), "`type` is a list, neither a name nor a switch");
                self.report.add(problem.help("write `switch-on:` and `cases:` for one of several types"));
                None
            }
            Value::Map(_) => {
                let entries = self.entries(node, &[&keys::SWITCH], "a switch")?;
                let (on, cases) = self.switch_parts(&entries, node)?;
                if cases.len() > CASES {
                    self.report.add(Problem::error(key, format!("a switch with more than {CASES} cases")));
                    return None;
                }
                let mut known = Vec::new();
                let mut otherwise = None;
                for (key, node) in cases {
                    let call = self.type_call(node, "the type of a case");
                    if key.text() == Some("_") {
                        otherwise = call;
                    } else if let (Some(key), Some(call)) = (self.expression(key, "a case"), call) {
                        known.push((key, call));
                    }
                }
                Some(TypeDeclOf::Switch { on, cases: known, otherwise, place: entries.key("switch-on") })
            }
        }
    }

    /// `switch-on` and the cases of a switch.
    pub(super) fn switch_parts<'n>(&mut self, entries: &Entries<'n>, node: &Node) -> Option<(Syntax, &'n [(Node, Node)])> {
        for key in ["switch-on", "cases"] {
            if entries.get(key).is_none() {
                self.report.add(Problem::error(node.place, format!("a switch without `{key}`")).help(format!("add `{key}:`")));
            }
        }
        let on = entries.get("switch-on").and_then(|node| self.expression(node, "`switch-on`"));
        let cases = entries.get("cases").and_then(|node| self.map(node, "`cases`"));
        on.zip(cases)
    }

    fn repeat(&mut self, entries: &Entries<'_>) -> RepeatDecl {
        let Some(node) = entries.get("repeat") else {
            for (key, value) in [("repeat-expr", "expr"), ("repeat-until", "until")] {
                if entries.get(key).is_some() {
                    let problem = Problem::error(entries.key(key), format!("`{key}` without `repeat`"));
                    self.report.add(problem.help(format!("add `repeat: {value}`")));
                }
            }
            return RepeatDecl::No;
        };
        let kind = node.text().unwrap_or_default();
        let (own, other) = match kind {
            "eos" => ("", ["repeat-expr", "repeat-until"].as_slice()),
            "expr" => ("repeat-expr", ["repeat-until"].as_slice()),
            "until" => ("repeat-until", ["repeat-expr"].as_slice()),
            _ => {
                let problem = Problem::error(node.place, format!("`repeat` cannot be `{kind}`"));
                let all = "write `eos`, `expr` or `until`";
                self.report.add(problem.help(all).help_if(suggestion(kind, ["eos", "expr", "until"])));
                return RepeatDecl::No;
            }
        };
        if !own.is_empty() && entries.get(own).is_none() {
            self.report
                .add(Problem::error(node.place, format!("`repeat: {kind}` without `{own}`")).help(format!("add `{own}:`")));
        }
        for key in other.iter().filter(|key| entries.get(key).is_some()) {
            let problem = Problem::error(entries.key(key), format!("`{key}` does not go with `repeat: {kind}`"));
            self.report.add(problem.help(format!("remove `{key}`, or change `repeat`")));
        }
        let expression = entries.get(own).and_then(|node| self.expression(node, &format!("`{own}`")));
        match (kind, expression) {
            ("eos", _) => RepeatDecl::Eos,
            ("expr", Some(count)) => RepeatDecl::Count(count),
            ("until", Some(until)) => RepeatDecl::Until(until),
            _ => RepeatDecl::No,
        }
    }

    fn valid(&mut self, node: &Node) -> Option<ValidDecl> {
        if node.map().is_none() {
            return self.expression(node, "`valid`").map(ValidDecl::Eq);
        }
        let entries = self.entries(node, &[&keys::VALID], "`valid`")?;
        let has = |key: &str| entries.get(key).is_some();
        let forms =
            ["eq", "any-of", "in-enum", "expr"].iter().filter(|key| has(key)).count() + usize::from(has("min") || has("max"));
        if forms != 1 {
            let what = if forms == 0 { "`valid` without a demand" } else { "`valid` with several demands" };
            self.report.add(Problem::error(node.place, what).help("one of eq, min and max, any-of, in-enum, expr"));
            return None;
        }
        let mut expression = |key: &str| entries.get(key).and_then(|node| self.expression(node, &format!("`{key}`")));
        if let Some(eq) = expression("eq") {
            return Some(ValidDecl::Eq(eq));
        }
        if let Some(expr) = expression("expr") {
            return Some(ValidDecl::Expr(expr));
        }
        if has("min") || has("max") {
            return Some(ValidDecl::Range { min: expression("min"), max: expression("max") });
        }
        if let Some(node) = entries.get("any-of") {
            let values =
                self.list(node, "`any-of`").iter().filter_map(|node| self.expression(node, "a value of `any-of`")).collect();
            return Some(ValidDecl::AnyOf(values));
        }
        let node = entries.get("in-enum")?;
        if self.boolean(node, "`in-enum`")? {
            return Some(ValidDecl::InEnum(entries.key("in-enum")));
        }
        let problem = Problem::error(node.place, "`in-enum` can only be `true`");
        self.report.add(problem.help("leave `valid` out where any value is valid"));
        None
    }

    /// `object` of `-proto-dissect`.
    fn object(&mut self, node: &Node) -> Option<String> {
        let ending = self.text(node, "`object`")?;
        if !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Some(ending.to_owned());
        }
        let problem = Problem::error(node.place, format!("`object` cannot be `{ending}`"));
        self.report.add(problem.help("write the ending of a file in letters and digits, such as `png`"));
        None
    }

    fn parent(&mut self, node: &Node) -> Option<ParentDecl> {
        match node.text() {
            Some("false") => Some(ParentDecl::Nothing),
            _ => self.expression(node, "`parent`").map(ParentDecl::Expr),
        }
    }

    fn bytes(&mut self, entries: &Entries<'_>) -> BytesDecl {
        let mut boolean = |key: &str| entries.get(key).and_then(|node| self.boolean(node, &format!("`{key}`")));
        let (size_eos, include) = (boolean("size-eos").unwrap_or(false), boolean("include"));
        let (consume, eos_error) = (boolean("consume"), boolean("eos-error"));
        let mut byte = |key: &str| entries.get(key).and_then(|node| self.byte(node, &format!("`{key}`")));
        let (terminator, pad_right) = (byte("terminator"), byte("pad-right"));
        if size_eos && entries.get("size").is_some() {
            let problem = Problem::error(entries.key("size-eos"), "`size` and `size-eos` at once");
            self.report.add(problem.help("remove one of them"));
        }
        BytesDecl {
            size: entries.get("size").and_then(|node| self.expression(node, "`size`")),
            size_eos,
            encoding: entries.get("encoding").and_then(|node| self.encoding(node)),
            terminator,
            include,
            consume,
            eos_error,
            pad_right,
            process: entries.get("process").and_then(|node| self.process_call(node)),
        }
    }
}
