//! Detects recursive types.

use super::model::{Data, Member, Spec, TypeId, ValueSource};
use super::source_range::offset;

/// For each type, whether it is directly or indirectly recursive.
pub(super) fn recursive(spec: &Spec) -> Vec<bool> {
    let inside: Vec<Vec<u32>> =
        spec.types.iter().map(|of| of.seq.iter().chain(&of.instances).flat_map(objects).collect()).collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); inside.len()];
    for (of, inner) in (0..).zip(&inside) {
        for inner in inner {
            if let Some(around) = around.get_mut(*inner as usize) {
                around.push(of);
            }
        }
    }
    // Types that reach each other are those found by one walk of the reversed graph, from the last finished type on (Kosaraju's
    // algorithm).
    let mut seen = vec![false; inside.len()];
    let mut finished = Vec::with_capacity(inside.len());
    for of in 0..offset(inside.len()) {
        finished.extend(walk(&inside, of, &mut seen));
    }
    let mut seen = vec![false; inside.len()];
    let mut found = vec![false; inside.len()];
    for of in finished.into_iter().rev() {
        let group = walk(&around, of, &mut seen);
        let is_loop = group.len() > 1 || inside.get(of as usize).is_some_and(|inner| inner.contains(&of));
        for of in group.into_iter().filter(|_| is_loop) {
            if let Some(found) = found.get_mut(of as usize) {
                *found = true;
            }
        }
    }
    found
}

/// The types reachable from one and not seen before, in the order in which they are finished.
fn walk(edges: &[Vec<u32>], from: u32, seen: &mut [bool]) -> Vec<u32> {
    let mut finished = Vec::new();
    let mut open = vec![(from, 0)];
    while let Some((of, next)) = open.pop() {
        let Some(seen) = seen.get_mut(of as usize) else { continue };
        if next == 0 && std::mem::replace(seen, true) {
            continue;
        }
        match edges.get(of as usize).and_then(|edges| edges.get(next)) {
            Some(inner) => open.extend([(of, next + 1), (*inner, 0)]),
            None => finished.push(of),
        }
    }
    finished
}

/// The object types that a member reads.
pub(super) fn objects(member: &Member) -> Vec<u32> {
    let ValueSource::Read(read) = &member.source else { return Vec::new() };
    let of = |data: &Data| if let Data::Object(object) = data { Some(object.of.0) } else { None };
    match &read.data {
        Data::Switch(switch) => switch.cases.iter().map(|(_, data)| data).chain(&switch.otherwise).filter_map(of).collect(),
        data => of(data).into_iter().collect(),
    }
}

/// Whether a type is recursive.
pub(super) fn is_recursive(recursive: &[bool], of: TypeId) -> bool {
    recursive.get(of.0 as usize).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ksy::load_text;
    use std::path::Path;

    #[test]
    fn types_that_contain_themselves_are_found_and_no_others() {
        let one = |name: &str, inner: &[&str]| {
            let seq: Vec<String> =
                inner.iter().enumerate().map(|(n, of)| format!("{{id: f{n}, type: {of}, if: n > 0}}")).collect();
            format!("  {name}:\n    seq: [{{id: n, type: u1}}, {}]\n", seq.join(", "))
        };
        let types = [
            one("a", &["b", "c"]),
            one("b", &["a"]),
            one("c", &["b", "leaf"]),
            one("own", &["own"]),
            one("leaf", &["u1"]),
            one("top", &["a", "leaf"]),
        ];
        let text = format!("meta: {{id: t}}\nseq: [{{id: x, type: top}}, {{id: y, type: own}}]\ntypes:\n{}", types.concat());
        let spec = load_text(Path::new("t.ksy"), &text).spec.unwrap();
        let found = recursive(&spec);
        let named: Vec<&str> =
            (0..).zip(&spec.types).filter(|(n, _)| is_recursive(&found, TypeId(*n))).map(|(_, of)| of.name.as_str()).collect();
        assert_eq!(named, ["a", "b", "c", "own"]);
    }
}
