//! Evaluation of filters.
//!
//! Values are visited one by one and never collected. Computed values use reused buffers.

use super::program::{self, Case, Extreme, Test, Value};
use super::record_values;
use super::record_values::Subject;
use super::syntax::{SliceRange, To};
use super::value::{Constant, Item, Order, Visit};
use super::value_type::ValueType;
use crate::record::Remembered;
use crate::record::pseudo::PseudoValue;
use crate::record::seconds::since_1970;
use crate::record::shown::Shown;
use crate::record::{Message, Packet, Record};
use crate::tree::{Address, Field};
use memchr::memmem;
use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::io::Write;
use std::ops::{ControlFlow, Range};

/// Maximum capacity of a buffer kept for the next record.
const KEPT: usize = 1 << 20;

/// Maximum number of operand pairs of arithmetic per record.
const MAX_PAIRS: u32 = 1 << 20;

/// Reused buffers for computed values.
#[derive(Default)]
pub(super) struct Scratch {
    buffers: Cell<Vec<Vec<u8>>>,
    /// Operand pairs computed for the current record.
    pairs: Cell<u32>,
}

impl Scratch {
    /// Starts a record.
    pub(super) fn begin(&self) {
        self.pairs.set(0);
    }

    /// Counts an operand pair. Returns false beyond the limit.
    fn may_compute(&self) -> bool {
        let pairs = self.pairs.get();
        self.pairs.set(pairs.saturating_add(1));
        pairs < MAX_PAIRS
    }

    /// Calls a function with an empty buffer.
    fn with_buffer<R>(&self, see: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let mut buffers = self.buffers.take();
        let mut buffer = buffers.pop().unwrap_or_default();
        // Taken out, because nested calls use further buffers.
        self.buffers.set(buffers);
        let result = see(&mut buffer);
        buffer.clear();
        buffer.shrink_to(KEPT);
        let mut buffers = self.buffers.take();
        buffers.push(buffer);
        self.buffers.set(buffers);
        result
    }
}

/// Receiver of values.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'r, 't> {
    pub(super) of: Subject<'r, 't>,
    pub(super) scratch: &'r Scratch,
}

impl Evaluator<'_, '_> {
    /// Whether the record matches.
    pub(super) fn test(self, test: &Test) -> bool {
        match test {
            Test::Present(Value::Fields(fields)) => record_values::has(self.of, fields),
            Test::Present(Value::Slice(of, parts)) => {
                let slice =
                    |item: &Item<'_>| flow(item.with_bytes(|bytes| parts.iter().any(|part| cut(*part, bytes.len()).is_some())));
                self.each(of, &mut |item| slice(item)).is_break()
            }
            Test::Present(value) => self.each(value, &mut |_| ControlFlow::Break(())).is_break(),
            Test::AnyBit(value) => self.each(value, &mut |item| flow(item.is_nonzero())).is_break(),
            Test::Against(operand, order, constants) => self.any_or_all(operand, |item| {
                let holds = |constant: &Constant| order.holds(constant.compare(item));
                if operand.all { constants.iter().all(holds) } else { constants.iter().any(holds) }
            }),
            Test::Between(operand, order, right) => self.between(operand, *order, right),
            Test::Contains(operand, needles) => self.any_or_all(operand, |item| {
                item.with_bytes(|bytes| needles.iter().any(|needle| memmem::find(bytes, needle).is_some()))
            }),
            Test::Matches(operand, regex) => self.any_or_all(operand, |item| item.with_bytes(|bytes| regex.is_match(bytes))),
            Test::In(operand, ranges) => self.any_or_all(operand, |item| ranges.iter().any(|range| is_within(item, range))),
            Test::Not(test) => !self.test(test),
            Test::All(tests) => tests.iter().all(|test| self.test(test)),
            Test::Any(tests) => tests.iter().any(|test| self.test(test)),
            Test::Odd(tests) => tests.iter().filter(|test| self.test(test)).count() % 2 == 1,
        }
    }

    /// Whether any value satisfies `test`, or all values if there is at least one.
    fn any_or_all(self, operand: &program::Operand, does: impl Fn(&Item<'_>) -> bool) -> bool {
        let mut seen = false;
        let decided = self.each(&operand.value, &mut |item| {
            seen = true;
            flow(does(item) != operand.all)
        });
        if operand.all { seen && decided.is_continue() } else { decided.is_break() }
    }

    fn fields(self, fields: &[&'static Field], visit: &mut Visit<'_>) -> ControlFlow<()> {
        match self.of {
            Subject::FastHeaders(plain) => {
                fields.iter().filter_map(|field| plain.get(field)).try_for_each(|value| visit(&record_values::item_of(value)))
            }
            Subject::Record(record) => {
                record_values::nodes(record, fields).try_for_each(|node| visit(&record_values::item(node)))?;
                if record_values::is_generated(fields) {
                    record_values::generated(record, fields, visit)?;
                }
                let Some(remembered) = Remembered::of(record) else { return ControlFlow::Continue(()) };
                fields
                    .iter()
                    .filter_map(|field| remembered.value(field))
                    .try_for_each(|known| visit(&record_values::remembered(known)))
            }
        }
    }

    fn cased(self, item: &Item<'_>, case: Case, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.scratch.with_buffer(|text| {
            item.with_bytes(|bytes| text.extend_from_slice(bytes));
            match case {
                Case::Lower => text.make_ascii_lowercase(),
                Case::Upper => text.make_ascii_uppercase(),
            }
            visit(&Item::Bytes(Cow::Borrowed(text)))
        })
    }

    /// Visits values until `visit` stops.
    pub(super) fn each(self, value: &Value, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match value {
            Value::Fields(fields) => self.fields(fields, visit),
            Value::Pseudo(pseudo) => match self.of {
                Subject::Record(record) => {
                    (pseudo.of)(record).map_or(ControlFlow::Continue(()), |answer| self.answer(answer, visit))
                }
                Subject::FastHeaders(_) => ControlFlow::Continue(()),
            },
            Value::Frame => match self.of {
                Subject::Record(Record::Message(Message { of, .. }) | Record::Packet(Packet { of, .. })) => {
                    visit(&Item::Bytes(of.masked_frame()))
                }
                Subject::Record(Record::Late(_) | Record::Gap(_)) | Subject::FastHeaders(_) => ControlFlow::Continue(()),
            },
            Value::Slice(of, parts) => self.each(of, &mut |item| item.with_bytes(|bytes| self.slice(bytes, parts, visit))),
            Value::Read(of, number) => self.each(of, &mut |item| {
                item.with_bytes(|bytes| number.read(bytes)).map_or(ControlFlow::Continue(()), |item| visit(&item))
            }),
            Value::Masked(of, masks) => {
                self.each(of, &mut |item| masks.iter().try_for_each(|mask| self.masked(item, mask, visit)))
            }
            Value::Len(of) => self.each(of, &mut |item| visit(&Item::Number(item.with_bytes(|bytes| bytes.len() as i128)))),
            Value::Count(of) => {
                let mut count = 0;
                let _ = self.each(of, &mut |_| {
                    count += 1;
                    ControlFlow::Continue(())
                });
                // As in Wireshark, a missing field has no count, not even 0.
                if count > 0 { visit(&Item::Number(count)) } else { ControlFlow::Continue(()) }
            }
            Value::Cased(of, case) => self.each(of, &mut |item| self.cased(item, *case, visit)),
            Value::Onward(fields) => match self.of {
                Subject::Record(record) => {
                    record_values::nodes(record, fields).try_for_each(|node| visit(&Item::Bytes(node.masked_onward())))
                }
                Subject::FastHeaders(_) => ControlFlow::Continue(()),
            },
            Value::Sum(..) | Value::Extreme(..) | Value::Magnitude(_) | Value::Written(..) | Value::Constant(_) => {
                self.computed(value, visit)
            }
        }
    }

    /// Visits the results of a function or an arithmetic operation.
    fn computed(self, value: &Value, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match value {
            Value::Sum(left, sum, right) => self.each(left, &mut |left| {
                self.each(right, &mut |right| {
                    if self.scratch.may_compute() {
                        left.computed(*sum, right).map_or(ControlFlow::Continue(()), |item| visit(&item))
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            }),
            Value::Extreme(values, which) => {
                let mut found: Option<Item<'static>> = None;
                let goes_before = |item: &Item<'_>, best: &Item<'_>| match which {
                    Extreme::Greatest => item.compare(best) == Some(Ordering::Greater),
                    Extreme::Least => item.compare(best) == Some(Ordering::Less),
                };
                for value in values {
                    let _ = self.each(value, &mut |item| {
                        if found.as_ref().is_none_or(|best| goes_before(item, best)) {
                            found = Some(item.owned());
                        }
                        ControlFlow::Continue(())
                    });
                }
                found.map_or(ControlFlow::Continue(()), |item| visit(&item))
            }
            Value::Magnitude(of) => self.each(of, &mut |item| visit(&item.magnitude())),
            Value::Written(of, value_type) => self.each(of, &mut |item| self.written(item, *value_type, visit)),
            Value::Constant(item) => visit(item),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Converts a value to text, as Wireshark's `string()`.
    fn written(self, item: &Item<'_>, value_type: ValueType, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.scratch.with_buffer(|text| {
            // Writing to memory does not fail.
            let _ = item.write(value_type, text);
            visit(&Item::Bytes(Cow::Borrowed(text)))
        })
    }

    fn answer(self, answer: PseudoValue<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match answer {
            PseudoValue::Number(number) => visit(&Item::Number(number.into())),
            PseudoValue::Nanos(nanos) | PseudoValue::Micros(nanos) => visit(&Item::Nanos(nanos)),
            PseudoValue::Time(time) | PseudoValue::Date(time) => visit(&Item::Nanos(since_1970(time))),
            PseudoValue::Words(words) => visit(&Item::Bytes(Cow::Borrowed(words.as_bytes()))),
            PseudoValue::Lines(words) => words.lines().try_for_each(|line| visit(&Item::Bytes(Cow::Borrowed(line.as_bytes())))),
            PseudoValue::ExpertItems(items) => {
                let decided = items.each(|one| match self.expert(one, visit) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(()),
                });
                decided.map_or(ControlFlow::Break(()), ControlFlow::Continue)
            }
            // An address with port also matches without the port.
            PseudoValue::Address(Address::Socket(socket)) => {
                self.text(format_args!("{socket}"), visit)?;
                self.text(format_args!("{}", socket.ip()), visit)
            }
            PseudoValue::Stream(_) | PseudoValue::Path(_) | PseudoValue::Address(_) | PseudoValue::Summary(_) => {
                self.text(format_args!("{answer}"), visit)
            }
        }
    }

    /// Visits formatted text.
    fn text(self, words: fmt::Arguments<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.scratch.with_buffer(|text| {
            // Writing to memory does not fail.
            let _ = text.write_fmt(words);
            visit(&Item::Bytes(Cow::Borrowed(text)))
        })
    }

    fn expert(self, shown: Shown<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if let Shown::Number(number) = shown {
            return visit(&Item::Number(number.into()));
        }
        self.text(format_args!("{shown}"), visit)
    }

    fn slice(self, bytes: &[u8], parts: &[SliceRange], visit: &mut Visit<'_>) -> ControlFlow<()> {
        let cut = |part: &SliceRange| cut(*part, bytes.len()).and_then(|range| bytes.get(range)).unwrap_or_default();
        if let [part] = parts {
            return visit(&Item::Bytes(Cow::Borrowed(cut(part))));
        }
        self.scratch.with_buffer(|all| {
            parts.iter().for_each(|part| all.extend_from_slice(cut(part)));
            visit(&Item::Bytes(Cow::Borrowed(all)))
        })
    }

    /// Bitwise and; `None` for different types.
    fn masked(self, item: &Item<'_>, mask: &Constant, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match (item, mask) {
            (Item::Number(number), Constant::Is(Item::Number(mask))) => visit(&Item::Number(number & mask)),
            (Item::Ipv4(address), Constant::Net4(mask, _)) => visit(&Item::Ipv4(address & mask)),
            (Item::Ipv6(address), Constant::Net6(mask, _)) => visit(&Item::Ipv6(address & mask)),
            (Item::Bytes(bytes), Constant::Is(Item::Bytes(mask))) => self.scratch.with_buffer(|both| {
                both.extend(bytes.iter().zip(mask.iter()).map(|(byte, mask)| byte & mask));
                visit(&Item::Bytes(Cow::Borrowed(both)))
            }),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Compares the occurrences of two values of the record.
    fn between(self, operand: &program::Operand, order: Order, right: &Value) -> bool {
        /// Maximum number of occurrences for pairwise comparison. More are sorted, because there may be a million.
        const FEW: usize = 16;
        let mut count = 0;
        let many = self.each(right, &mut |_| {
            count += 1;
            flow(count > FEW)
        });
        if many.is_continue() {
            let with = |left: &Item<'_>| {
                let decided = self.each(right, &mut |right| flow(order.holds(left.compare(right)) != operand.all));
                decided.is_continue() == operand.all
            };
            return count > 0 && self.any_or_all(operand, with);
        }
        let mut sorted: Vec<Item<'static>> = Vec::new();
        let _ = self.each(right, &mut |item| {
            if !item.is_nan() {
                sorted.push(item.owned());
            }
            ControlFlow::Continue(())
        });
        sorted.sort_unstable_by(|a, b| a.sorted(b));
        let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return false };
        self.any_or_all(operand, |left| {
            let holds = |right: &Item<'_>| order.holds(left.compare(right));
            let equals_one = || {
                let at = sorted.partition_point(|right| right.compare(left) == Some(Ordering::Less));
                sorted.get(at).is_some_and(|right| right.compare(left) == Some(Ordering::Equal))
            };
            match (order, operand.all) {
                (Order::Equal, false) => equals_one(),
                (Order::Different, true) => !equals_one(),
                (_, false) => holds(first) || holds(last),
                (_, true) => holds(first) && holds(last),
            }
        })
    }
}

/// Stops if the condition holds.
fn flow(enough: bool) -> ControlFlow<()> {
    if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn is_within(item: &Item<'_>, (low, high): &(Constant, Option<Constant>)) -> bool {
    match high {
        None => low.compare(item) == Some(Ordering::Equal),
        Some(high) => low.compare(item).is_some_and(Ordering::is_ge) && high.compare(item).is_some_and(Ordering::is_le),
    }
}

/// Range of a slice within a value of this length; `None` if it is out of bounds.
fn cut(part: SliceRange, len: usize) -> Option<Range<usize>> {
    let place = |at: i32| {
        let at_least_0 = usize::try_from(at).ok();
        at_least_0.or_else(|| len.checked_sub(usize::try_from(at.unsigned_abs()).ok()?))
    };
    let from = place(part.from)?;
    let end = match part.to {
        To::Length(length) => from.checked_add(usize::try_from(length).ok()?)?,
        To::Through(last) => place(last)?.checked_add(1)?,
        To::End => len,
    };
    (from < end && end <= len).then_some(from..end)
}
