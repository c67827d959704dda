//! Expressions as steps of a stack machine.

use super::program::{Code, PieceCode, Step};
use super::{Compiler, next};
use crate::ksy::expr::{Expr, Kind, Piece, Slot};
use crate::ksy::model::{EnumId, Ty, TypeId};
use crate::ksy::process;
use crate::ksy::run::value::{Blob, CONSTANTS};

impl Compiler<'_> {
    /// Compiles a separate expression.
    pub(super) fn code(&mut self, expr: &Expr) -> Code {
        // Steps of other expressions must not interleave, so these are compiled into a separate list.
        let mut steps = Vec::new();
        self.expr(expr, &mut steps);
        let code = Code { start: next(&self.program.steps), len: next(&steps) };
        self.program.steps.extend(steps);
        code
    }

    /// Adds a text or bytes of the file to the constants.
    pub(super) fn constant(&mut self, bytes: &[u8]) -> Blob {
        let start = next(&self.program.constants);
        self.program.constants.extend_from_slice(bytes);
        Blob { buffer: CONSTANTS, start, end: next(&self.program.constants) }
    }

    fn expr(&mut self, expr: &Expr, out: &mut Vec<Step>) {
        match &expr.kind {
            Kind::Member(of, number) => {
                let step = self.enum_member(*of, *number);
                out.push(step);
            }
            Kind::Int(number) => out.push(self.int(*number)),
            Kind::Float(number) => out.push(Step::Float(*number)),
            Kind::Bool(truth) => out.push(Step::Bool(*truth)),
            Kind::Str(text) => out.push(Step::Str(self.constant(text.as_bytes()))),
            Kind::Bytes(bytes) => out.push(Step::Bytes(self.constant(bytes))),
            Kind::List(elements) => {
                elements.iter().for_each(|element| self.expr(element, out));
                let count = next(elements);
                out.push(if expr.ty == Ty::Bytes { Step::ListAsBytes(count) } else { Step::List(count) });
            }
            Kind::Variable { top, variable, .. } if *top == self.top => out.push(Step::Variable(*variable)),
            // Of another file, which is not the root here.
            Kind::Variable { top, slot, .. } => {
                let slot = self.slot(*top, *slot);
                out.extend([Step::This, Step::Root, Step::Field { of: top.0, slot }]);
            }
            Kind::Call(name, args) => {
                args.iter().for_each(|arg| self.expr(arg, out));
                if let Some(function) = process::function(name) {
                    self.program.functions.push(function);
                }
                out.push(Step::Call(next(&self.program.functions).saturating_sub(1), next(args)));
            }
            Kind::Table(table, version) => self.unary(version, Step::Table(*table), out),
            Kind::This => out.push(Step::This),
            Kind::Item => out.push(Step::Item),
            Kind::Index => out.push(Step::Index),
            Kind::Field { object, of, slot } => {
                let place = self.slot(*of, *slot);
                if matches!(object.kind, Kind::This) {
                    return out.push(Step::Own(place));
                }
                self.expr(object, out);
                out.push(Step::Field { of: of.0, slot: place });
            }
            // Model and program have the same types.
            Kind::ToEnum(value, _) | Kind::Cast(value) => self.expr(value, out),
            Kind::Parent(object) => self.unary(object, Step::Parent, out),
            Kind::Root(object) => self.unary(object, Step::Root, out),
            Kind::Io(object) => self.unary(object, Step::Io, out),
            Kind::Unary(operator, value) => self.unary(value, Step::Unary(*operator), out),
            Kind::Method(method, value) => self.unary(value, Step::Method(*method), out),
            Kind::Decode(bytes, encoding) => {
                let charset = self.charset(encoding);
                self.unary(bytes, Step::Decode(charset), out);
            }
            Kind::At(list, index) => self.binary(list, index, Step::At, out),
            Kind::Binary(operator, left, right) => self.binary(left, right, Step::Binary(*operator), out),
            Kind::Compare(operator, left, right) => self.binary(left, right, Step::Compare(*operator), out),
            Kind::ToInt(text, base) => self.binary(text, base, Step::ToInt, out),
            Kind::And(left, right) => self.either(left, right, false, out),
            Kind::Or(left, right) => self.either(left, right, true, out),
            Kind::Substring(text, from, to) => {
                self.expr(text, out);
                self.binary(from, to, Step::Substring, out);
            }
            Kind::If(condition, yes, no) => self.branches(condition, yes, no, out),
            Kind::Format(pieces) => self.format(pieces, out),
        }
    }

    /// A member of an enum: its number, or its name where a table gives the number.
    fn enum_member(&mut self, of: EnumId, number: i128) -> Step {
        let names = self.spec.enum_of(of);
        match names.members.binary_search_by_key(&number, |member| member.value) {
            Ok(index) if names.table.is_some() => Step::Member(of.0, u32::try_from(index).unwrap_or(u32::MAX)),
            _ => self.int(number),
        }
    }

    fn int(&mut self, number: i128) -> Step {
        i64::try_from(number).map_or_else(
            |_| {
                self.program.integers.push(number);
                Step::Big(next(&self.program.integers) - 1)
            },
            Step::Int,
        )
    }

    fn slot(&self, of: TypeId, slot: Slot) -> u32 {
        let of = self.spec.type_of(of);
        match slot {
            Slot::Param(at) => at,
            Slot::Seq(at) => next(&of.params) + at,
            Slot::Instance(at) => next(&of.params) + next(&of.seq) + at,
        }
    }

    fn unary(&mut self, value: &Expr, step: Step, out: &mut Vec<Step>) {
        self.expr(value, out);
        out.push(step);
    }

    fn binary(&mut self, left: &Expr, right: &Expr, step: Step, out: &mut Vec<Step>) {
        self.expr(left, out);
        self.expr(right, out);
        out.push(step);
    }

    /// Yields the first value if it is `decisive`, else the second one.
    fn either(&mut self, left: &Expr, right: &Expr, decisive: bool, out: &mut Vec<Step>) {
        self.expr(left, out);
        let jump = out.len();
        out.push(Step::JumpIf(decisive, 0));
        self.expr(right, out);
        let over = distance(jump, out.len());
        set(out, jump, Step::JumpIf(decisive, over));
    }

    fn branches(&mut self, condition: &Expr, yes: &Expr, no: &Expr, out: &mut Vec<Step>) {
        self.expr(condition, out);
        let to_no = out.len();
        out.push(Step::JumpIfFalse(0));
        self.expr(yes, out);
        let to_end = out.len();
        out.push(Step::Jump(0));
        let over = distance(to_no, out.len());
        set(out, to_no, Step::JumpIfFalse(over));
        self.expr(no, out);
        let over = distance(to_end, out.len());
        set(out, to_end, Step::Jump(over));
    }

    fn format(&mut self, pieces: &[Piece], out: &mut Vec<Step>) {
        let mut codes = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => codes.push(PieceCode::Text(self.constant(text.as_bytes()))),
                Piece::Value(value, show) => {
                    self.expr(value, out);
                    let names = if let Ty::Enum(id) = &value.ty { Some(id.0) } else { None };
                    codes.push(PieceCode::Value(*show, names));
                }
            }
        }
        self.program.formats.push(codes);
        out.push(Step::Format(next(&self.program.formats) - 1));
    }
}

/// Steps between a jump and the step at `to`.
fn distance(jump: usize, to: usize) -> u32 {
    u32::try_from(to - jump - 1).unwrap_or_default()
}

fn set(steps: &mut [Step], at: usize, step: Step) {
    if let Some(place) = steps.get_mut(at) {
        *place = step;
    }
}
