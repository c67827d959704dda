//! Early evaluation of a filter on the layers of a frame, before messages are dissected.

use super::eval::Evaluator;
use super::program::{Operand, Test, Value};
use crate::layers;
use crate::tree::{Field, Kind, Only};
use crate::wire::Protocol;

/// Fields that are complete when the layers are dissected.
pub(super) fn fields(looked_at: &[&'static Field]) -> Only {
    among(looked_at, &[])
}

/// Fields that are complete after the headers below TCP and UDP.
pub(super) fn of_headers(looked_at: &[&'static Field]) -> Only {
    among(looked_at, &[&layers::tcp::PROTOCOL, &layers::udp::PROTOCOL])
}

/// Fields of layers, except those of these protocols.
fn among(looked_at: &[&'static Field], without: &[&'static Protocol]) -> Only {
    let is_meant =
        |protocol: &&&'static Protocol| !layers::IN_MESSAGES.iter().chain(without).any(|other| std::ptr::eq(*other, **protocol));
    let headers = || layers::ALL.iter().filter(is_meant);
    let is_early = |field: &&'static Field| {
        let listed = headers().any(|protocol| protocol.fields.iter().any(|known| known.is(field)));
        listed && field.generated.is_none() && !matches!(field.kind, Kind::Note(_) | Kind::Group)
    };
    Only::these(looked_at.iter().copied().filter(is_early))
}

impl Evaluator<'_, '_> {
    /// Whether a record of this frame matches; `None` if these fields are not sufficient.
    pub(super) fn decide_early(self, test: &Test, early: Only) -> Option<bool> {
        let of = |test: &Test| self.decide_early(test, early);
        let one_is = |tests: &[Test], what: bool| {
            let all = tests.iter().map(of).try_fold(true, |all, verdict| match verdict {
                Some(verdict) if verdict == what => Err(()),
                verdict => Ok(all && verdict.is_some()),
            });
            match all {
                Err(()) => Some(what),
                Ok(all_decided) => all_decided.then_some(!what),
            }
        };
        match test {
            Test::Not(test) => of(test).map(|passes| !passes),
            Test::All(tests) => one_is(tests, false),
            Test::Any(tests) => one_is(tests, true),
            Test::Odd(tests) => tests.iter().try_fold(false, |odd, test| of(test).map(|passes| odd != passes)),
            leaf => is_early(leaf, early).then(|| self.test(leaf)),
        }
    }
}

/// Whether a test uses early fields only. The bytes of a layer are not early, because its end may be found later.
fn is_early(test: &Test, early: Only) -> bool {
    // Secret bytes are found later, too.
    let value = |value: &Value| reads(value, &|field| early.has(field) && !matches!(field.kind, Kind::Protocol | Kind::Bytes));
    let asked = |asked: &Operand| value(&asked.value);
    match test {
        Test::Present(of) => reads(of, &|field| early.has(field)),
        Test::AnyBit(of) => value(of),
        Test::Against(of, ..) | Test::Contains(of, _) | Test::Matches(of, _) | Test::In(of, _) => asked(of),
        Test::Between(left, _, right) => asked(left) && value(right),
        Test::Not(_) | Test::All(_) | Test::Any(_) | Test::Odd(_) => false,
    }
}

/// Whether a value uses early fields only.
fn reads(value: &Value, does: &dyn Fn(&Field) -> bool) -> bool {
    match value {
        Value::Fields(fields) => fields.iter().all(|field| does(field)),
        Value::Slice(of, _)
        | Value::Read(of, _)
        | Value::Masked(of, _)
        | Value::Len(of)
        | Value::Count(of)
        | Value::Cased(of, _)
        | Value::Magnitude(of)
        | Value::Written(of, _) => reads(of, does),
        Value::Sum(left, _, right) => reads(left, does) && reads(right, does),
        Value::Extreme(values, _) => values.iter().all(|value| reads(value, does)),
        Value::Constant(_) => true,
        Value::Pseudo(_) | Value::Frame | Value::Onward(_) => false,
    }
}
