//! Types: a function that reads `seq`, and one per instance.

use super::code::{Code, bare, function, key, member, quoted, words};
use super::data::Target;
use super::expr::is_little;
use super::fields::{Shape, shapes};
use super::{Lua, Obstacle};
use crate::ksy::expr::Kind;
use crate::ksy::expr::walk::any;
use crate::ksy::model::{Data, Docs, EndianSwitch, Member, Object, Read, Repeat, Type, TypeId, Valid, ValueSource};

/// Parameters of functions that read.
const READER: &str = "this, io, tree, path";

impl Lua<'_> {
    /// The declaration of a type, and its functions. Types of `runs` also read their last attribute element by element.
    pub(super) fn write_type(&self, id: TypeId, runs: &[TypeId], to: &mut Code) {
        let of = self.spec.type_of(id);
        let name = member("types", self.names.type_name(id));
        to.blank();
        comment(&of.docs, to);
        match of.seq.split_last().filter(|_| runs.contains(&id)) {
            Some((last, once)) => self.run(&name, of, once, last, to),
            None => self.read(&function(&format!("{name}.read"), READER), of, &of.seq, to),
        }
        self.instances(&name, of, to);
        match of.summary.as_ref().map(|summary| self.expr(summary)) {
            Some(Ok(summary)) => returning(&function(&format!("{name}.summary"), "this"), bare(&summary), to),
            Some(Err(obstacle)) => self.obstacle(&obstacle, to),
            None => {}
        }
    }

    /// A function that reads attributes.
    fn read(&self, head: &str, of: &Type, seq: &[Member], to: &mut Code) {
        to.open(head);
        self.attributes(of, seq, to);
        self.effect(&of.effect, to);
        to.close("end");
    }

    fn attributes(&self, of: &Type, seq: &[Member], to: &mut Code) {
        if let Some(switch) = &of.endian_switch {
            self.endian(switch, to);
        }
        for member in seq {
            self.attribute(member, to);
        }
    }

    /// The start of a direction, and one message of the run.
    fn run(&self, name: &str, of: &Type, once: &[Member], last: &Member, to: &mut Code) {
        let ValueSource::Read(read) = &last.source else { return };
        let data = &read.data;
        let inner = if let Data::Object(object) = data
            && !is_repeated(last)
        {
            Some(object)
        } else {
            None
        };
        if of.docs.doc.is_some() {
            to.blank();
        }
        if !once.is_empty() || inner.is_some() {
            to.comment("Read once for each direction.");
            to.open(&function(&format!("{name}.once"), READER));
            self.attributes(of, once, to);
            if let Some(object) = inner {
                self.begin_inner(last, object, to);
            }
            to.close("end");
            to.blank();
        }
        to.comment("One message.");
        to.open(&function(&format!("{name}.message"), READER));
        match inner {
            Some(object) => {
                let place = member("this", &last.name);
                to.open(&format!("if not {place} then"));
                self.create(last, object, to);
                to.close("end");
                to.line(&format!("{place}._io = io"));
                to.line(&format!(
                    "return {}.message({place}, io, tree, {})",
                    self.type_of(object.of),
                    inner_path(self, last, object)
                ));
            }
            None => match self.elements(last, data) {
                Ok(code) => to.append(&code),
                Err(obstacle) => self.fails(&obstacle, to),
            },
        }
        to.close("end");
        to.blank();
        self.read(&function(&format!("{name}.read"), READER), of, &of.seq, to);
    }

    /// The object at the end of the root whose last attribute repeats: its attributes read once.
    fn begin_inner(&self, last: &Member, object: &Object, to: &mut Code) {
        self.create(last, object, to);
        let (place, of) = (member("this", &last.name), self.type_of(object.of));
        to.line(&format!("if {of}.once then {of}.once({place}, io, tree, {}) end", inner_path(self, last, object)));
    }

    /// The same object without anything read.
    fn create(&self, last: &Member, object: &Object, to: &mut Code) {
        let (place, of) = (member("this", &last.name), self.type_of(object.of));
        match self.arguments(object) {
            Ok(Some(arguments)) => to.line(&format!("{place} = new({of}, this, io, {arguments}, this)")),
            Ok(None) => to.line(&format!("{place} = new({of}, this, io, nil, this)")),
            Err(obstacle) => self.fails(&obstacle, to),
        }
    }

    /// One element of the last attribute.
    fn elements(&self, last: &Member, data: &Data) -> Result<Code, Obstacle> {
        let mut code = Code::at(1);
        if data.expressions().into_iter().any(|expr| any(expr, &mut |part| matches!(part.kind, Kind::Index))) {
            code.line("local index = 0");
        }
        self.element(last, data, &mut code)?;
        Ok(code)
    }

    /// An attribute of `seq`.
    fn attribute(&self, attribute: &Member, to: &mut Code) {
        comment(&attribute.docs, to);
        let place = member("this", &attribute.name);
        let mut code = Code::at(to.depth());
        let done = self.guarded(attribute, &mut code, |code| {
            self.value(attribute, &place, code)?;
            self.effect(&attribute.effect, code);
            Ok(())
        });
        self.place(done, code, to);
    }

    /// Adds code after comments on its limitations, or the reason why it is missing.
    fn place(&self, done: Result<(), Obstacle>, code: Code, to: &mut Code) {
        for construct in self.take_inexact() {
            to.comment(&format!("Not exact in Lua: {construct}."));
        }
        match done {
            Ok(()) => to.append(&code),
            Err(obstacle) => self.fails(&obstacle, to),
        }
    }

    /// Code under the condition of a member.
    fn guarded(
        &self,
        of: &Member,
        code: &mut Code,
        inside: impl FnOnce(&mut Code) -> Result<(), Obstacle>,
    ) -> Result<(), Obstacle> {
        match &of.condition {
            None => inside(code),
            Some(condition) => {
                code.open(&format!("if {} then", bare(&self.expr(condition)?)));
                inside(code)?;
                code.close("end");
                Ok(())
            }
        }
    }

    /// Code that sets the value of a member.
    fn value(&self, of: &Member, place: &str, code: &mut Code) -> Result<(), Obstacle> {
        let read = match &of.source {
            ValueSource::Value(value) => {
                code.line(&format!("{place} = {}", bare(&self.expr(value)?)));
                return self.valid(of, place, code);
            }
            ValueSource::Read(read) => read,
        };
        let name = words(&of.name);
        let (head, tail) = match &read.repeat {
            Repeat::No => {
                self.data(of, &read.data, Target::SourceRange(place), code)?;
                return self.valid(of, place, code);
            }
            Repeat::Eos => (format!("until_end(io, this, {name}, function(index)"), "end)".to_owned()),
            Repeat::Count(count) => {
                (format!("times(this, {name}, {}, function(index)", bare(&self.expr(count)?)), "end)".to_owned())
            }
            Repeat::Until(until) => (
                format!("until_true(this, {name}, function(index)"),
                format!("end, function(_, index) return {} end)", bare(&self.expr(until)?)),
            ),
        };
        code.open(&head);
        self.element(of, &read.data, code)?;
        code.close(&tail);
        Ok(())
    }

    /// Code that returns one element.
    fn element(&self, of: &Member, data: &Data, code: &mut Code) -> Result<(), Obstacle> {
        if of.valid.is_none() && !matches!(data, Data::Switch(_)) {
            return self.data(of, data, Target::Return, code);
        }
        code.line("local _");
        self.data(of, data, Target::SourceRange("_"), code)?;
        self.valid(of, "_", code)?;
        code.line("return _");
        Ok(())
    }

    /// Code that validates a value.
    fn valid(&self, of: &Member, place: &str, code: &mut Code) -> Result<(), Obstacle> {
        let Some(valid) = &of.valid else { return Ok(()) };
        let element = if let crate::ksy::model::Ty::Array(element) = &of.ty { element } else { &of.ty };
        let is_text = matches!(element, crate::ksy::model::Ty::Str | crate::ksy::model::Ty::Bytes);
        let at_least = |min: &str| if is_text { format!("not is_before({place}, {min})") } else { format!("{place} >= {min}") };
        let at_most = |max: &str| if is_text { format!("not is_before({max}, {place})") } else { format!("{place} <= {max}") };
        let condition = match valid {
            Valid::Eq(value) => format!("{place} == {}", self.expr(value)?),
            Valid::Range { min, max } => {
                let min = min.as_ref().map(|min| self.expr(min)).transpose()?.map(|min| at_least(&min));
                let max = max.as_ref().map(|max| self.expr(max)).transpose()?.map(|max| at_most(&max));
                min.into_iter().chain(max).collect::<Vec<_>>().join(" and ")
            }
            Valid::AnyOf(values) => {
                let each = values.iter().map(|value| Ok(format!("{place} == {}", self.expr(value)?)));
                each.collect::<Result<Vec<_>, Obstacle>>()?.join(" or ")
            }
            Valid::InEnum(id) => {
                self.uses(*id);
                format!("names.{}[{place}] ~= nil", self.names.enum_name(*id))
            }
            Valid::Expr(condition) if place == "_" => bare(&self.expr(condition)?).to_owned(),
            Valid::Expr(condition) => format!("(function(_) return {} end)({place})", bare(&self.expr(condition)?)),
        };
        code.line(&format!("demand({condition}, {})", words(&of.name)));
        Ok(())
    }

    /// The byte order of an object, determined before its attributes are read.
    fn endian(&self, switch: &EndianSwitch, to: &mut Code) {
        let mut code = Code::at(to.depth());
        let decide = |code: &mut Code| -> Result<(), Obstacle> {
            code.line(&format!("local order = {}", bare(&self.expr(&switch.on)?)));
            let mut word = "if";
            for (case, endian) in &switch.cases {
                code.open(&format!("{word} order == {} then", self.expr(case)?));
                code.line(&format!("this._little = {}", is_little(*endian)));
                code.close_without_line();
                word = "elseif";
            }
            code.open("else");
            match switch.otherwise {
                Some(endian) => code.line(&format!("this._little = {}", is_little(endian))),
                None => code.line("fail(\"no case of the byte order matches\")"),
            }
            code.close("end");
            Ok(())
        };
        let done = decide(&mut code);
        self.place(done, code, to);
    }

    fn instances(&self, name: &str, of: &Type, to: &mut Code) {
        let mut order = Vec::new();
        for instance in &of.instances {
            let mut code = Code::at(to.depth());
            let done = self.instance(instance, &mut code);
            to.blank();
            comment(&instance.docs, to);
            for construct in self.take_inexact() {
                to.comment(&format!("Not exact in Lua: {construct}."));
            }
            if let Err(obstacle) = done {
                to.comment(&format!("Instance {}.", instance.name));
                self.obstacle(&obstacle, to);
                continue;
            }
            to.open(&function(&member(&format!("{name}.instances"), &instance.name), "this, tree, path"));
            to.append(&code);
            to.close("end");
            order.push(words(&instance.name));
        }
        if !order.is_empty() {
            to.blank();
            to.line(&format!("{name}.order = {{ {} }}", order.join(", ")));
        }
    }

    /// The body of the function of an instance.
    fn instance(&self, of: &Member, code: &mut Code) -> Result<(), Obstacle> {
        code.indent();
        let read = match &of.source {
            ValueSource::Value(value) if of.condition.is_none() && of.valid.is_none() && of.effect.is_empty() => {
                code.line(&format!("return {}", self.calculated(of, bare(&self.expr(value)?))));
                return Ok(());
            }
            ValueSource::Value(_) => None,
            ValueSource::Read(read) => Some(read),
        };
        code.line("local value");
        self.guarded(of, code, |code| match read {
            Some(read) => self.positional(of, read, code),
            None => self.value(of, "value", code),
        })?;
        if !of.effect.is_empty() {
            code.open("if tree then");
            self.effect(&of.effect, code);
            code.close("end");
        }
        let value = if read.is_none() { self.calculated(of, "value") } else { "value".to_owned() };
        code.line(&format!("return {value}"));
        Ok(())
    }

    /// A calculated value, which is displayed if it has a field.
    fn calculated(&self, of: &Member, value: &str) -> String {
        let function = match shapes(of).first() {
            Some((Shape::Bytes, _)) => "calculated_bytes",
            Some(_) => "calculated",
            None => return value.to_owned(),
        };
        format!("{function}(tree, path .. {}, {value})", quoted(format!(".{}", of.name).as_bytes()))
    }

    /// An instance that is read at a position of a stream.
    fn positional(&self, of: &Member, read: &Read, code: &mut Code) -> Result<(), Obstacle> {
        let io = read.io.as_ref().map(|io| self.expr(io)).transpose()?;
        code.line(&format!("local io = {}", io.unwrap_or_else(|| "this._io".to_owned())));
        let place = if is_repeated(of) { String::new() } else { "value".to_owned() };
        let inside = |code: &mut Code| -> Result<(), Obstacle> {
            self.value(of, &place, code)?;
            if is_repeated(of) {
                code.line(&format!("value = {}", member("this", &of.name)));
            }
            Ok(())
        };
        match &read.pos {
            None => inside(code),
            Some(pos) => {
                code.open(&format!("at_position(io, {}, function()", bare(&self.expr(pos)?)));
                inside(code)?;
                code.close("end)");
                Ok(())
            }
        }
    }

    /// Arguments of an object by the names of parameters.
    pub(super) fn arguments(&self, object: &Object) -> Result<Option<String>, Obstacle> {
        let params = &self.spec.type_of(object.of).params;
        let each = params
            .iter()
            .zip(&object.args)
            .map(|(param, value)| Ok(format!("{} = {}", key(&param.name), bare(&self.expr(value)?))));
        let all = each.collect::<Result<Vec<_>, Obstacle>>()?;
        Ok((!all.is_empty()).then(|| format!("{{ {} }}", all.join(", "))))
    }

    pub(super) fn type_of(&self, id: TypeId) -> String {
        member("types", self.names.type_name(id))
    }
}

fn inner_path(lua: &Lua<'_>, last: &Member, object: &Object) -> String {
    format!("inside(path .. {}, {})", quoted(format!(".{}", last.name).as_bytes()), lua.type_of(object.of))
}

fn is_repeated(of: &Member) -> bool {
    matches!(&of.source, ValueSource::Read(read) if !matches!(read.repeat, Repeat::No))
}

/// A function that returns an expression.
pub(super) fn returning(head: &str, value: &str, to: &mut Code) {
    to.blank();
    to.open(head);
    to.line(&format!("return {value}"));
    to.close("end");
}

/// Documentation as comments.
fn comment(docs: &Docs, to: &mut Code) {
    to.comment(docs.doc.as_deref().unwrap_or_default());
    for reference in &docs.refs {
        to.comment(&format!("See {reference}"));
    }
}
