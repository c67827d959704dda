//! Alignment is complete, ordered, and bounded in work.

use super::align::{Keys, Step, align};
use proptest::prelude::*;
use std::cell::Cell;

fn keys(letters: &[u8]) -> Vec<Keys> {
    letters.iter().map(|letter| Keys { strong: u64::from(*letter), weak: u64::from(letter & 0x1f) }).collect()
}

/// Letters are similar in any case.
fn steps(a: &[u8], b: &[u8]) -> String {
    let alike = |at: usize, other: usize| u32::from(a.get(at).zip(b.get(other)).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b)));
    let word = |step| match step {
        Step::Both(..) => '=',
        Step::A(_) => '-',
        Step::B(_) => '+',
    };
    align(&keys(a), &keys(b), &alike).into_iter().map(word).collect()
}

#[test]
fn elements_are_aligned_by_identity() {
    assert_eq!(steps(b"", b""), "");
    assert_eq!(steps(b"abc", b""), "---");
    assert_eq!(steps(b"", b"ab"), "++");
    assert_eq!(steps(b"abcdef", b"abXdef"), "==-+===");
    assert_eq!(steps(b"abcdef", b"abCdef"), "======");
    assert_eq!(steps(b"abcdef", b"acdxef"), "=-==+==");
    assert_eq!(steps(b"aab", b"ab"), "=-=");
}

/// Number of similarity computations for distinct elements of one kind.
fn asked(length: usize) -> usize {
    let side = |base: u64| (base..).take(length).map(|strong| Keys { strong, weak: 0 }).collect::<Vec<_>>();
    let count = Cell::new(0);
    let likeness = |_, _| {
        count.set(count.get() + 1);
        1
    };
    let steps = align(&side(0), &side(1 << 40), &likeness);
    assert_eq!(steps.len(), length);
    count.get()
}

#[test]
fn work_grows_with_the_length_of_long_inputs_and_no_faster() {
    let (one, two) = (asked(10_000), asked(20_000));
    assert!(one > 10_000 && two < one * 21 / 10, "{one}, {two}");
    assert!(one < 10_000 * 300, "{one}");
}

#[test]
fn one_insertion_into_a_long_input_moves_nothing_else() {
    let mut b: Vec<Keys> = (0..20_000).map(|strong| Keys { strong, weak: 0 }).collect();
    let a = b.clone();
    b.insert(7_000, Keys { strong: 1 << 40, weak: 0 });
    let steps = align(&a, &b, &|_, _| 1);
    assert_eq!(steps.iter().filter(|step| !matches!(step, Step::Both(..))).collect::<Vec<_>>(), [&Step::B(7_000)]);
}

proptest! {
    #[test]
    fn every_element_is_in_one_step_and_in_order(
        a in prop::collection::vec(0_u8..12, 0..400),
        b in prop::collection::vec(0_u8..12, 0..400),
    ) {
        let (mut next_a, mut next_b) = (0, 0);
        for step in align(&keys(&a), &keys(&b), &|_, _| 0) {
            match step {
                Step::Both(at, other) => {
                    prop_assert_eq!((at, other, a[at]), (next_a, next_b, b[other]));
                    (next_a, next_b) = (next_a + 1, next_b + 1);
                }
                Step::A(at) => {
                    prop_assert_eq!(at, next_a);
                    next_a += 1;
                }
                Step::B(other) => {
                    prop_assert_eq!(other, next_b);
                    next_b += 1;
                }
            }
        }
        prop_assert_eq!((next_a, next_b), (a.len(), b.len()));
    }
}
