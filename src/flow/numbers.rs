//! Stream numbers, assigned in the order in which conversations begin.
//!
//! A part of a split capture contains some of its conversations, with the numbers of the whole: each frame of a part lists the
//! numbers of the conversations that it looks up, in that order. The list is recorded while the whole is split.

use super::Precedent;

/// Assigns stream numbers.
#[derive(Debug, Default)]
pub struct Numbers {
    next: u32,
    /// Numbers looked up by the current frame, with whether each began then; recorded only on request.
    looked_up: Option<Vec<(u32, bool)>>,
    /// Numbers that the current frame will look up, with their precedents, and how many it has.
    given: Vec<(u32, Precedent)>,
    at: usize,
}

impl Numbers {
    /// Enables recording.
    pub fn record(&mut self) {
        self.looked_up = Some(Vec::new());
    }

    /// Begins a frame.
    #[inline]
    pub fn frame(&mut self) {
        self.given.clear();
        self.at = 0;
        if let Some(looked_up) = &mut self.looked_up {
            looked_up.clear();
        }
    }

    /// Adds the numbers that the current frame will look up.
    pub fn expect(&mut self, given: impl Iterator<Item = (u32, Precedent)>) {
        self.given.extend(given);
    }

    /// Lookups of the current frame: numbers, and whether each conversation began with it.
    pub fn looked_up(&self) -> &[(u32, bool)] {
        self.looked_up.as_deref().unwrap_or_default()
    }

    /// The number of the next conversation to begin.
    pub fn next(&self) -> u32 {
        self.given.get(self.at).map_or(self.next, |(number, _)| *number)
    }

    /// Whether the next conversation may have this number: the frame lists no other one.
    pub fn may_be(&self, number: u32) -> bool {
        self.given.is_empty() || self.given.get(self.at).is_none_or(|(given, _)| *given == number)
    }

    /// The precedent of the next conversation to begin, if the frame lists it.
    pub fn precedent(&self) -> Option<Precedent> {
        self.given.get(self.at).map(|(_, precedent)| *precedent)
    }

    /// Records a lookup of this conversation.
    #[inline]
    pub fn pass(&mut self, number: u32, begins: bool) {
        if begins || self.looked_up.is_some() || !self.given.is_empty() {
            self.record_lookup(number, begins);
        }
    }

    fn record_lookup(&mut self, number: u32, begins: bool) {
        self.at += 1;
        if begins {
            self.next = self.next.max(number).wrapping_add(u32::from(number >= self.next));
        }
        if let Some(looked_up) = &mut self.looked_up {
            looked_up.push((number, begins));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(numbers: &mut Numbers) -> u32 {
        let number = numbers.next();
        numbers.pass(number, true);
        number
    }

    #[test]
    fn conversations_are_counted() {
        let mut numbers = Numbers::default();
        assert_eq!([(); 3].map(|()| begin(&mut numbers)), [0, 1, 2]);
    }

    #[test]
    fn lookups_return_the_assigned_numbers() {
        let mut whole = Numbers::default();
        whole.record();
        (0..4).for_each(|number| assert_eq!(begin(&mut whole), number));
        whole.frame();
        whole.pass(2, false);
        assert_eq!(begin(&mut whole), 4);
        assert_eq!(whole.looked_up(), [(2, false), (4, true)]);

        let mut part = Numbers::default();
        part.frame();
        part.expect(whole.looked_up().iter().map(|(number, _)| (*number, Precedent::SenderServed)));
        assert!(part.may_be(2) && !part.may_be(1));
        assert_eq!(begin(&mut part), 2);
        assert_eq!(part.precedent(), Some(Precedent::SenderServed));
        assert_eq!(begin(&mut part), 4);
        assert_eq!(part.precedent(), None);
        part.frame();
        assert!(part.may_be(1));
        assert_eq!(begin(&mut part), 5);
    }
}
