//! What Wireshark's Lua sets on single items: labels, marks, and expert information with its place among them.
//!
//! Scripts run on one thread, so trees that are sent between threads have none of these.

use super::{NodeRef, Note, TextRange, Tree};

/// How a node is labelled, if not by its field and value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caption {
    /// The whole label, as Wireshark writes it. May be empty.
    pub text: TextRange,
    /// Whether a script wrote it: it replaces field, value and meaning in tables, too.
    pub is_own: bool,
    /// Whether tables leave the node out.
    pub is_hidden: bool,
    /// Whether the node is a layer for which Wireshark has no item: its script added none.
    pub is_absent: bool,
}

/// Wireshark's severity and group of a note, and its place among the children of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpertMark {
    /// The index of the note.
    note: u32,
    /// The index of the first node after it.
    pub place: u32,
    /// Wireshark's number of the severity.
    pub severity: u32,
    /// Wireshark's number of the group.
    pub group: u32,
}

/// Captions in the order of their nodes, and marks in the order of their notes.
#[derive(Debug, Default)]
pub(super) struct Captions {
    pub nodes: Vec<(u32, Caption)>,
    pub marks: Vec<ExpertMark>,
}

impl Captions {
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.marks.clear();
    }

    /// Bytes of allocated memory.
    pub fn memory_usage(&self) -> usize {
        self.nodes.capacity() * size_of::<(u32, Caption)>() + self.marks.capacity() * size_of::<ExpertMark>()
    }
}

impl Tree {
    /// Labels a node.
    pub(crate) fn caption(&mut self, node: u32, caption: Caption) {
        let captions = &mut self.buffers.captions.nodes;
        let place = captions.partition_point(|(known, _)| *known < node);
        match captions.get_mut(place).filter(|(known, _)| *known == node) {
            Some((_, known)) => *known = caption,
            None => captions.insert(place, (node, caption)),
        }
    }

    /// The label of a node, if it has one of its own.
    #[must_use]
    pub fn caption_of(&self, node: u32) -> Option<Caption> {
        let captions = &self.buffers.captions.nodes;
        let found = captions.binary_search_by_key(&node, |(known, _)| *known).ok()?;
        captions.get(found).map(|(_, caption)| *caption)
    }

    /// Gives the last note a severity and a group; it is behind all nodes so far.
    pub(crate) fn mark_expert(&mut self, severity: u32, group: u32) {
        let (place, note) = (self.here(), self.notes.len().checked_sub(1));
        if let Some(note) = note.and_then(|note| u32::try_from(note).ok()) {
            self.buffers.captions.marks.push(ExpertMark { note, place, severity, group });
        }
    }

    /// The severity and group of a note of this tree, if a script gave them.
    #[must_use]
    pub fn expert_of(&self, note: &Note) -> Option<ExpertMark> {
        let marks = &self.buffers.captions.marks;
        if marks.is_empty() {
            return None;
        }
        let bytes = std::ptr::from_ref(note).addr().checked_sub(self.notes.as_ptr().addr())?;
        let number = u32::try_from(bytes / size_of::<Note>()).ok()?;
        let found = marks.binary_search_by_key(&number, |mark| mark.note).ok()?;
        marks.get(found).copied()
    }

    /// The notes of a node to which a script gave a severity, with their marks.
    pub fn experts_at(&self, node: u32) -> impl Iterator<Item = (&Note, ExpertMark)> {
        let marks = self.buffers.captions.marks.iter();
        let noted = marks.filter_map(|mark| Some((self.notes.get(mark.note as usize)?, *mark)));
        noted.filter(move |(note, _)| note.node == node)
    }
}

impl<'t> NodeRef<'t> {
    /// The label that replaces field, value and meaning.
    #[must_use]
    pub fn own_label(self) -> Option<&'t str> {
        let caption = self.dissection().tree.caption_of(self.place()).filter(|caption| caption.is_own)?;
        (!self.is_secret()).then(|| self.dissection().tree.generated_text(caption.text))
    }

    /// The whole label as Wireshark writes it, if it is known.
    #[must_use]
    pub fn whole_label(self) -> Option<&'t str> {
        let caption = self.dissection().tree.caption_of(self.place()).filter(|caption| !caption.text.is_empty())?;
        (!self.is_secret()).then(|| self.dissection().tree.generated_text(caption.text))
    }

    /// Whether it is a layer for which Wireshark has no item.
    #[must_use]
    pub fn is_absent(self) -> bool {
        self.dissection().tree.caption_of(self.place()).is_some_and(|caption| caption.is_absent)
    }

    /// Whether tables leave it out.
    #[must_use]
    pub fn is_hidden(self) -> bool {
        self.dissection().tree.caption_of(self.place()).is_some_and(|caption| caption.is_hidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Dissection, Field, FrameInfo, Span, Value};

    static GROUP: Field = Field::group("t.group", "group", "");
    static NUMBER: Field = Field::number("t.number", "number", "");
    static CODE: Field = Field::odd("t.code", "code", "");

    #[test]
    fn labels_and_marks_belong_to_their_nodes_until_the_next_frame() {
        let mut tree = Tree::complete();
        tree.begin(FrameInfo::default());
        let group = tree.push(&GROUP, Value::None, Span::NONE);
        let number = tree.push(&NUMBER, Value::Unsigned(7), Span::NONE);
        let text = tree.make(format_args!("seven of nine"));
        tree.caption(number, Caption { text, is_own: true, ..Caption::default() });
        tree.caption(group, Caption { is_hidden: true, ..Caption::default() });
        tree.note(&CODE, group, Span::NONE, format_args!("first"));
        tree.note(&CODE, group, Span::NONE, format_args!("second"));
        tree.mark_expert(0x60_0000, 0x0900_0000);
        let of = Dissection { tree: &tree, bytes: &[] };
        assert_eq!(of.node(number).unwrap().own_label(), Some("seven of nine"));
        assert!(of.node(group).unwrap().is_hidden() && of.node(group).unwrap().own_label().is_none());
        assert!(tree.expert_of(&tree.notes[0]).is_none());
        assert_eq!(tree.expert_of(&tree.notes[1]).map(|mark| (mark.place, mark.severity)), Some((2, 0x60_0000)));
        assert_eq!(tree.experts_at(group).count(), 1);
        tree.begin(FrameInfo::default());
        tree.push(&GROUP, Value::None, Span::NONE);
        assert!(tree.caption_of(group).is_none() && tree.experts_at(group).next().is_none());
    }
}
