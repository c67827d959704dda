//! Names of values in fields of one filter name that number them differently, such as those of the versions of a protocol.

use crate::filter::literal;
use crate::filter::program::{Operand, Test, Value};
use crate::filter::syntax::Node;
use crate::filter::value::{Constant, Item, Order};
use crate::filter::value_type::ValueType;
use crate::tree::{Field, Kind};

/// Fields of one name in groups, each with the numbers that the written names have there.
pub(super) struct Named {
    groups: Vec<(Vec<&'static Field>, Vec<i128>)>,
    /// The number of names.
    pub(super) count: usize,
}

impl Named {
    /// Groups of fields, if some give these names to different numbers.
    pub(super) fn of(value: &Value, sorts: &[ValueType], written: &[&Node]) -> Option<Named> {
        let Value::Fields(fields) = value else { return None };
        if sorts.len() < 2 || fields.iter().any(|field| field.kind != Kind::Number) {
            return None;
        }
        let mut groups: Vec<(Vec<&'static Field>, Vec<i128>)> = Vec::new();
        let mut is_known = vec![false; written.len()];
        for &sort in sorts {
            let mut numbers = Vec::new();
            for (node, is_known) in written.iter().zip(&mut is_known) {
                let of_name = literal::constants(&node.is, sort).into_iter().filter_map(|constant| match constant {
                    Constant::Is(Item::Number(number)) => Some(number),
                    _ => None,
                });
                let before = numbers.len();
                numbers.extend(of_name);
                *is_known |= numbers.len() > before;
            }
            let of_sort = |field: &&&'static Field| super::sort_of(field) == sort;
            let of_sort = fields.iter().filter(of_sort).copied();
            match groups.iter_mut().find(|(_, known)| *known == numbers) {
                Some((group, _)) => group.extend(of_sort),
                None => groups.push((of_sort.collect(), numbers)),
            }
        }
        let is_meant = groups.len() > 1 && is_known.iter().all(|known| *known);
        is_meant.then_some(Named { groups, count: written.len() })
    }

    /// The test that any value, or every one, has one of the names, or none of them.
    pub(super) fn test(self, order: Order, all: bool) -> Test {
        let present = |group: &[&'static Field]| Test::Present(Value::Fields(group.to_vec()));
        let within = |group: &[&'static Field], numbers: &[i128], all: bool| {
            let constants = numbers.iter().map(|number| (Constant::Is(Item::Number(*number)), None));
            Test::In(Operand { value: Value::Fields(group.to_vec()), all }, constants.collect())
        };
        let tests = self.groups.iter().map(|(group, numbers)| match (order, all) {
            (Order::Different, true) => Test::Not(Box::new(within(group, numbers, false))),
            (Order::Different, false) => Test::All(vec![present(group), Test::Not(Box::new(within(group, numbers, true)))]),
            (_, true) => Test::Any(vec![Test::Not(Box::new(present(group))), within(group, numbers, true)]),
            (_, false) => within(group, numbers, false),
        });
        let tests: Vec<Test> = tests.collect();
        if !all {
            return Test::Any(tests);
        }
        let every: Vec<&'static Field> = self.groups.iter().flat_map(|(group, _)| group.iter().copied()).collect();
        Test::All(std::iter::once(present(&every)).chain(tests).collect())
    }
}
