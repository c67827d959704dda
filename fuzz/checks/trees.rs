//! Invariants of a tree: spans, order, coverage.

use proto_dissect::tree::{Dissection, Layer, NodeRef, dump};

/// Checks the tree of one frame, or what a conversation left at the end.
pub fn check(of: Dissection<'_>) {
    for layer in &of.tree.layers {
        let top = of.layer_node(layer).expect("a layer has a node");
        assert!((top.span().end as usize) <= buffer_len(of, top.span().source), "a layer ends behind its buffer\n{}", dump(of));
        below(top, &mut |parent, child| nested(of, parent, child));
    }
    for note in &of.tree.notes {
        if note.span.is_somewhere() {
            assert!(note.span.end as usize <= buffer_len(of, note.span.source), "a note ends behind its buffer\n{}", dump(of));
        }
    }
    if of.tree.nodes.len() >= proto_dissect::limits::TREE_NODES.get() {
        return;
    }
    if of.tree.frame.link.is_some() {
        full(of, &of.tree.layers, 0, 0, of.bytes.len());
    }
    for layer in of.tree.layers.iter().filter(|layer| layer.message) {
        let span = of.layer_node(layer).expect("a message has a node").span();
        full(of, std::slice::from_ref(layer), span.source, span.start as usize, span.end as usize);
    }
}

fn buffer_len(of: Dissection<'_>, source: u32) -> usize {
    match source {
        0 => of.bytes.len().max(of.tree.frame.captured as usize),
        // The bytes of a stream source may lie in the frame; then only its own length is known.
        _ => of.tree.sources.get(source as usize).map_or(0, |_| usize::MAX),
    }
}

fn nested(of: Dissection<'_>, parent: NodeRef<'_>, child: NodeRef<'_>) {
    let (outer, inner) = (parent.span(), child.span());
    assert!(child.place() > parent.place(), "a child stands in front of its parent\n{}", dump(of));
    if outer.is_somewhere() && inner.is_somewhere() && outer.source == inner.source {
        let inside = outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end;
        assert!(inside, "{:?} {inner:?} lies outside {:?} {outer:?}\n{}", child.field(), parent.field(), dump(of));
    }
}

/// Every byte of the range is in a leaf.
fn full(of: Dissection<'_>, layers: &[Layer], source: u32, start: usize, end: usize) {
    let mut covered = vec![false; end];
    for layer in layers {
        below(of.layer_node(layer).expect("a layer has a node"), &mut |_, node| {
            // Children of deciphered or decompressed bytes are in a source of their own.
            let is_leaf = node.span().source == source
                && !node.children().any(|child| child.span().is_somewhere() && child.span().source == source);
            if let (true, Some(bytes)) = (is_leaf, covered.get_mut(node.span().range())) {
                bytes.fill(true);
            }
        });
    }
    if let Some(hole) = covered[start..].iter().position(|covered| !covered) {
        panic!("byte {} is in no field\n{}", start + hole, dump(of));
    }
}

fn below(node: NodeRef<'_>, visit: &mut impl FnMut(NodeRef<'_>, NodeRef<'_>)) {
    for child in node.children() {
        visit(node, child);
        below(child, visit);
    }
}
