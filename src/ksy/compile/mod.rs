//! Compiles the resolved model to a program.

mod exprs;
mod extents;
pub(in crate::ksy) mod program;
mod shapes;

pub(in crate::ksy) use extents::looks_around;
pub(in crate::ksy) use shapes::{ShapeKind, Shapes};

use super::expr::{Expr, Kind, Slot};
use super::model::{
    Bytes, Data, Effect, Encoding, Endian, EndianSwitch, FixedEndian, Member, Object, ParentOf, Process, Repeat, Size, Spec,
    Switch, Terminator, Ty, Type, TypeId, Valid, ValueSource,
};
use super::process;
use super::registration::{Deliver, DeliverTo, FragmentOf, Init, Registration};
use super::run::encoding::Charset;
use super::run::process::processor;
use super::source_range::offset;
use crate::flow::delivery::Width;
use crate::tree::Receiver;
use program::{
    BytesCode, CharsetCode, Code, DataCode, DataKind, DeliverCode, EffectCode, EndianCode, EndianKind, EnumCode, FragmentCode,
    InitCode, MemberCode, NameCode, ObjectCode, ObjectMark, ParentCode, ProcessCode, Program, RepeatCode, SizeCode, StageCode,
    Step, SwitchCode, TerminatorCode, TypeCode, ValidCode, VariableCode,
};
use std::collections::HashSet;

/// Compiles a model. Names are leaked: a file is loaded once, and its fields are never freed.
pub(in crate::ksy) fn compile(spec: &Spec, top: TypeId, registration: Option<&Registration>) -> Program {
    let used = extents::used_slots(spec);
    let mut compiler = Compiler { spec, top, program: Program::default(), used, sizes: extents::Sizes::default() };
    compiler.program.tables = spec.tables.clone();
    compiler.enums();
    for (index, of) in spec.types.iter().enumerate() {
        compiler.type_of(TypeId(offset(index)), of);
    }
    compiler.program.has_payloads = compiler.program.members.iter().any(|member| member.payload.is_some());
    if let Some(registration) = registration {
        compiler.headings(registration);
        compiler.session(registration);
        compiler.program.deliver = registration.deliver.as_ref().map(|deliver| compiler.deliver(deliver));
    }
    compiler.program
}

/// A compilation: the model, and the program so far.
struct Compiler<'s> {
    spec: &'s Spec,
    /// The top type of the file whose session it is.
    top: TypeId,
    program: Program,
    /// Slots that expressions use.
    used: HashSet<(TypeId, Slot)>,
    sizes: extents::Sizes,
}

/// The index of the next element of a list.
fn next<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// Leaks a text.
pub(in crate::ksy) fn leak(text: &str) -> &'static str {
    Box::leak(Box::from(text))
}

impl Compiler<'_> {
    /// Names and summaries of messages.
    fn headings(&mut self, registration: &Registration) {
        for (of, name) in &registration.names {
            let names = if let Ty::Enum(id) = name.ty { Some(id.0) } else { None };
            let name = NameCode { code: self.code(name), names };
            if let Some(of) = self.program.types.get_mut(of.0 as usize) {
                of.naming = Some(name);
            }
        }
        for (of, info) in &registration.infos {
            let info = self.code(info);
            if let Some(of) = self.program.types.get_mut(of.0 as usize) {
                of.info = Some(info);
            }
        }
    }

    /// The session variables.
    fn session(&mut self, registration: &Registration) {
        for variable in &registration.session {
            let code = VariableCode {
                name: leak(&variable.name),
                table: match &variable.init {
                    Init::Value(Expr { kind: Kind::Table(table, _), .. }) => Some(*table),
                    Init::Value(_) | Init::Key => None,
                },
                init: match &variable.init {
                    Init::Key => InitCode::Key,
                    Init::Value(value) => InitCode::Value(self.code(value)),
                },
                width: variable.width,
                is_per_direction: variable.is_per_direction,
                increments: variable.increments,
                shared: variable.shared,
                resets: variable.resets,
                is_set: variable.is_set,
            };
            self.program.session.push(code);
        }
    }

    /// What a type of the session's file does to the session.
    fn effect(&mut self, effect: &Effect, of: TypeId) -> Option<u32> {
        if effect.is_empty() || self.spec.type_of(of).top != self.top {
            return None;
        }
        let sets = effect.sets.iter().map(|(variable, value)| (*variable, self.code(value))).collect();
        let mut stages = Vec::new();
        for change in &effect.stages {
            let calls = change.stages.iter().filter_map(|(name, args)| self.stage(name, args)).collect();
            stages.push((change.sides, calls));
        }
        self.program.effects.push(EffectCode { sets, stages });
        Some(next(&self.program.effects) - 1)
    }

    fn stage(&mut self, name: &str, args: &[Expr]) -> Option<StageCode> {
        let processor = process::processor(name)?;
        Some(StageCode { processor, args: args.iter().map(|arg| self.code(arg)).collect() })
    }

    fn enums(&mut self) {
        for one in &self.spec.enums {
            let members = one.members.iter().map(|member| (member.value, self.constant(member.name.as_bytes()))).collect();
            self.program.enums.push(EnumCode { members, table: one.table });
        }
    }

    fn type_of(&mut self, id: TypeId, of: &Type) {
        let names =
            of.params.iter().map(|param| param.name.as_str()).chain(of.seq.iter().chain(&of.instances).map(|m| m.name.as_str()));
        let slots = names.map(leak).collect();
        let params = next(&of.params);
        let mut members: Vec<MemberCode> =
            (params..).zip(of.seq.iter().chain(&of.instances)).map(|(slot, member)| self.member(slot, member)).collect();
        let tails = self.tails(of);
        for ((place, member), tail) in (0..).zip(&mut members).zip(tails) {
            let is_tested = member.valid.is_some() || matches!(member.repeat, RepeatCode::Until(_));
            member.is_private = !is_tested && !self.used.contains(&(id, Slot::Seq(place)));
            member.tail = tail;
        }
        for (member, from) in members.iter_mut().zip(of.seq.iter().chain(&of.instances)) {
            member.effect = self.effect(&from.effect, id);
        }
        let code = TypeCode {
            name: leak(&of.name),
            slots,
            params,
            members: next(&self.program.members),
            seq: next(&of.seq),
            endian: of.endian_switch.as_ref().map(|switch| self.endian(switch)),
            inherits_endian: of.has_run_time_endian,
            summary: of.summary.as_ref().map(|summary| self.code(summary)),
            naming: None,
            info: None,
            effect: self.effect(&of.effect, id),
        };
        self.program.members.extend(members);
        self.program.types.push(code);
    }

    fn endian(&mut self, switch: &EndianSwitch) -> EndianCode {
        let is_little = |endian: FixedEndian| endian == FixedEndian::Little;
        EndianCode {
            on: self.code(&switch.on),
            cases: switch.cases.iter().map(|(value, endian)| (self.code(value), is_little(*endian))).collect(),
            otherwise: switch.otherwise.map(is_little),
        }
    }

    fn member(&mut self, slot: u32, member: &Member) -> MemberCode {
        let shapes = Shapes::of(member);
        let condition = member.condition.as_ref().map(|condition| self.code(condition));
        let valid = member.valid.as_ref().map(|valid| self.valid(valid));
        let read = match &member.source {
            ValueSource::Value(value) => {
                let data = DataCode { kind: DataKind::Value(self.code(value)), shape: 0 };
                return MemberCode {
                    slot,
                    condition,
                    data,
                    repeat: RepeatCode::No,
                    valid,
                    pos: None,
                    io: None,
                    is_private: false,
                    object: None,
                    payload: None,
                    tail: None,
                    effect: None,
                };
            }
            ValueSource::Read(read) => read,
        };
        MemberCode {
            slot,
            condition,
            data: self.data(&read.data, &shapes),
            repeat: match &read.repeat {
                Repeat::No => RepeatCode::No,
                Repeat::Eos => RepeatCode::Eos,
                Repeat::Count(count) => RepeatCode::Count(self.code(count)),
                Repeat::Until(condition) => RepeatCode::Until(self.code(condition)),
            },
            valid,
            pos: read.pos.as_ref().map(|pos| self.code(pos)),
            io: read.io.as_ref().map(|io| self.code(io)),
            is_private: false,
            object: member
                .object
                .as_ref()
                .map(|ending| ObjectMark { kind: leak(&member.name), file: leak(&format!("{}.{ending}", member.name)) }),
            payload: member.payload.as_deref().map(leak),
            tail: None,
            effect: None,
        }
    }

    /// The elements that carry messages.
    fn deliver(&mut self, deliver: &Deliver) -> DeliverCode {
        let mut code = |expr: &Option<Expr>| expr.as_ref().map(|expr| self.code(expr));
        let (when, by, order, once) = (code(&deliver.when), code(&deliver.by), code(&deliver.order), code(&deliver.once));
        let [order_bits, once_bits] = deliver.width;
        DeliverCode {
            lists: deliver.lists.iter().map(|(of, list)| (of.0, self.code(list))).collect(),
            when,
            data: self.code(&deliver.data),
            by,
            order,
            once,
            fragment: match &deliver.fragment {
                FragmentOf::Whole => FragmentCode::Whole,
                FragmentOf::Left(left) => FragmentCode::Left(self.code(left)),
                FragmentOf::Part(all) => FragmentCode::Part(all.each_ref().map(|expr| self.code(expr))),
                FragmentOf::At(all) => FragmentCode::At(all.each_ref().map(|expr| self.code(expr))),
            },
            width: Width { order: order_bits, once: once_bits },
            of: if let DeliverTo::Type(of) = deliver.receiver { Some(of.0) } else { None },
            receiver: match &deliver.receiver {
                DeliverTo::Type(_) => Receiver::Own,
                DeliverTo::Protocol(name) => Receiver::Protocol(leak(name)),
                DeliverTo::Place => Receiver::Place(leak(&self.spec.type_of(self.top).name)),
            },
        }
    }

    fn data(&mut self, data: &Data, shapes: &Shapes) -> DataCode {
        let shape = shapes.position(data);
        let kind = match data {
            Data::Int { bytes: 1, signed: false, .. } => DataKind::U1,
            Data::Int { bytes, signed, endian, .. } => {
                DataKind::Int { bytes: *bytes, signed: *signed, endian: endian_kind(*endian) }
            }
            Data::Float { bytes, endian } => DataKind::Float { bytes: *bytes, endian: endian_kind(*endian) },
            Data::Bits { width, endian, bool, .. } => {
                DataKind::Bits { width: *width, is_little: *endian == FixedEndian::Little, is_bool: *bool }
            }
            Data::Bytes(bytes) => DataKind::Bytes(self.bytes(bytes)),
            Data::Str(bytes, encoding) => DataKind::Str { bytes: self.bytes(bytes), charset: self.charset(encoding) },
            Data::Object(object) => DataKind::Object(self.object(object)),
            Data::Switch(switch) => DataKind::Switch(self.switch(switch, shapes)),
        };
        DataCode { kind, shape }
    }

    fn bytes(&mut self, bytes: &Bytes) -> u32 {
        let code = BytesCode {
            size: match &bytes.size {
                Size::Expr(size) => SizeCode::Expr(self.code(size)),
                Size::Eos => SizeCode::Eos,
                Size::Terminator => SizeCode::Terminator,
            },
            terminator: bytes.terminator.as_ref().map(|Terminator { bytes, include, consume, eos_error }| TerminatorCode {
                bytes: bytes.clone(),
                include: *include,
                consume: *consume,
                eos_error: *eos_error,
            }),
            pad_right: bytes.pad_right,
            process: bytes.process.as_ref().map(|process| self.process(process)),
        };
        self.program.bytes.push(code);
        next(&self.program.bytes) - 1
    }

    fn process(&mut self, process: &Process) -> ProcessCode {
        match process {
            Process::Xor(key) => ProcessCode::Xor(self.code(key)),
            Process::RotateLeft(bits) => ProcessCode::RotateLeft(self.code(bits)),
            Process::RotateRight(bits) => ProcessCode::RotateRight(self.code(bits)),
            Process::Zlib => ProcessCode::Zlib,
            Process::Custom { name, args, continues, .. } => {
                if let Some(processor) = processor(name) {
                    return ProcessCode::Custom(processor, args.iter().map(|arg| self.code(arg)).collect());
                }
                let continues = continues.as_ref().map(|name| self.continued(name));
                self.stage(name, args).map_or(ProcessCode::Unknown, |stage| ProcessCode::Stage(stage, continues))
            }
        }
    }

    /// The number of a name under which processors go on.
    fn continued(&mut self, name: &str) -> u32 {
        let known = self.program.continued.iter().position(|known| known == name);
        known.map_or_else(
            || {
                self.program.continued.push(name.to_owned());
                next(&self.program.continued) - 1
            },
            offset,
        )
    }

    fn object(&mut self, object: &Object) -> u32 {
        let code = ObjectCode {
            of: object.of.0,
            args: object.args.iter().map(|arg| self.code(arg)).collect(),
            parent: match &object.parent {
                ParentOf::Reader => ParentCode::Reader,
                ParentOf::Nothing => ParentCode::Nothing,
                ParentOf::Expr(parent) => ParentCode::Expr(self.code(parent)),
            },
            external: object.external,
            bytes: object.bytes.as_ref().map(|bytes| self.bytes(bytes)),
            fixed: self.fixed_size(object.of),
        };
        self.program.objects.push(code);
        next(&self.program.objects) - 1
    }

    fn switch(&mut self, switch: &Switch, shapes: &Shapes) -> u32 {
        let on = self.code(&switch.on);
        let cases: Vec<(Code, DataCode)> =
            switch.cases.iter().map(|(value, data)| (self.code(value), self.data(data, shapes))).collect();
        let otherwise = switch.otherwise.as_ref().map(|data| self.data(data, shapes));
        let table = self.table(&cases);
        self.program.switches.push(SwitchCode {
            on,
            cases,
            table,
            otherwise: otherwise.unwrap_or(DataCode { kind: DataKind::Nothing, shape: 0 }),
            is_partial: switch.is_partial,
            names: if let Ty::Enum(id) = &switch.on.ty { Some(id.0) } else { None },
        });
        next(&self.program.switches) - 1
    }

    /// The cases by value, if all values are integers. The first of equal ones is used.
    fn table(&self, cases: &[(Code, DataCode)]) -> Option<Vec<(i128, DataCode)>> {
        let value = |code: &Code| match self.program.steps.get(code.start as usize)? {
            Step::Int(number) if code.len == 1 => Some(i128::from(*number)),
            _ => None,
        };
        let mut table = cases.iter().map(|(code, data)| Some((value(code)?, *data))).collect::<Option<Vec<_>>>()?;
        table.sort_by_key(|(value, _)| *value);
        table.dedup_by_key(|(value, _)| *value);
        Some(table)
    }

    fn valid(&mut self, valid: &Valid) -> u32 {
        let code = match valid {
            Valid::Eq(value) => ValidCode::Eq(self.code(value)),
            Valid::Range { min, max } => {
                ValidCode::Range { min: min.as_ref().map(|min| self.code(min)), max: max.as_ref().map(|max| self.code(max)) }
            }
            Valid::AnyOf(values) => ValidCode::AnyOf(values.iter().map(|value| self.code(value)).collect()),
            Valid::InEnum(id) => ValidCode::InEnum(id.0),
            Valid::Expr(condition) => ValidCode::Expr(self.code(condition)),
        };
        self.program.valids.push(code);
        next(&self.program.valids) - 1
    }

    fn charset(&mut self, encoding: &Encoding) -> u32 {
        let code = match encoding {
            Encoding::Known(name) => {
                Charset::named(name).map_or_else(|| CharsetCode::Unknown((*name).to_owned()), CharsetCode::Known)
            }
            Encoding::Unknown(name) => CharsetCode::Unknown(name.clone()),
        };
        self.program.charsets.push(code);
        next(&self.program.charsets) - 1
    }
}

fn endian_kind(endian: Endian) -> EndianKind {
    match endian {
        Endian::Fixed(FixedEndian::Little) => EndianKind::Little,
        Endian::Fixed(FixedEndian::Big) => EndianKind::Big,
        Endian::RunTime => EndianKind::RunTime,
    }
}
