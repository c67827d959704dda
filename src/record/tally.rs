//! Numbers and counts of records.

use super::{Bookmarks, Message, Packet, Record, RecordPlace, RecordTimes, View, completed, late_group};
use crate::tree::{Dissection, OmittedMessages, Time, Tree};

/// State evicted to bound memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evictions {
    /// Evicted conversations. A later frame of one starts a new conversation.
    pub conversations: u64,
    /// Buffered bytes of conversations that stay open. Their later payload is not dissected.
    pub states: u64,
}

/// Numbers and counts records.
#[derive(Debug, Clone)]
pub struct Tally {
    view: View,
    first: Time,
    previous: Time,
    /// Number of frames read.
    pub frames: u64,
    /// Number of messages.
    pub messages: u64,
    /// Number of gaps in streams.
    pub gaps: u64,
    /// Number of malformed messages.
    pub malformed: u64,
    /// Number of payload bytes of unknown format.
    pub undissected: u64,
    /// State evicted to bound memory.
    pub evictions: Evictions,
    /// Bookmarks and notes of the capture, passed on to its records.
    pub bookmarks: Option<&'static Bookmarks>,
}

impl Tally {
    /// Creates an empty tally.
    #[must_use]
    pub fn new(view: View) -> Tally {
        Tally {
            view,
            first: None,
            previous: None,
            frames: 0,
            messages: 0,
            gaps: 0,
            malformed: 0,
            undissected: 0,
            evictions: Evictions::default(),
            bookmarks: None,
        }
    }

    /// Counts a tree and passes its records to `show`, in order, until it fails.
    pub fn records<E>(
        &mut self,
        of: Dissection<'_>,
        captured: bool,
        mut show: impl FnMut(Record<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bookmarks = self.bookmarks;
        self.count(of.tree, captured);
        if let Some(times) = self.packet(of.tree, captured) {
            show(Record::Packet(Packet { times, of, bookmarks }))?;
        }
        self.inner_places(of, captured, |place| place.record(of, bookmarks).map_or(Ok(()), &mut show))
    }

    /// Counts a tree and passes the places of its records to `show`, in order, until it fails.
    pub fn places<E>(
        &mut self,
        of: Dissection<'_>,
        captured: bool,
        mut show: impl FnMut(RecordPlace) -> Result<(), E>,
    ) -> Result<(), E> {
        self.count(of.tree, captured);
        if let Some(times) = self.packet(of.tree, captured) {
            show(RecordPlace::Packet(times))?;
        }
        self.inner_places(of, captured, show)
    }

    /// Timestamps of the packet, if the view has one for this tree.
    fn packet(&mut self, tree: &Tree, captured: bool) -> Option<RecordTimes> {
        (captured && self.view == View::Packets).then(|| self.times(tree.frame.time))
    }

    /// Passes the places of all records but the packet itself to `show`.
    #[inline]
    fn inner_places<E>(
        &mut self,
        of: Dissection<'_>,
        captured: bool,
        mut show: impl FnMut(RecordPlace) -> Result<(), E>,
    ) -> Result<(), E> {
        if of.tree.is_empty() {
            return Ok(());
        }
        let mut gaps = of.tree.gaps.iter().enumerate().peekable();
        self.messages += of.tree.outcome.omitted_messages.count as u64;
        let mut omitted_messages = Some(of.tree.outcome.omitted_messages)
            .filter(|omitted_messages| omitted_messages.count > 0 && self.view == View::Messages);
        let mut shown = 0;
        for (at, layer) in of.tree.layers.iter().enumerate() {
            if omitted_messages.is_some_and(|omitted_messages| omitted_messages.before <= at) {
                self.pass(omitted_messages.take());
            }
            while let Some((gap, _)) = gaps.next_if(|(_, gap)| gap.before <= at) {
                self.gaps += 1;
                show(RecordPlace::Gap(gap))?;
            }
            if layer.message {
                self.messages += 1;
                let message = Message { n: self.messages, times: RecordTimes::default(), of, layer, bookmarks: None };
                self.malformed += u64::from(message.is_malformed());
                if self.view == View::Messages {
                    let times = self.times(message.time());
                    show(RecordPlace::Message { n: self.messages, times, layer: at })?;
                }
            }
            if self.view == View::Packets && at >= shown && (layer.late || !captured) {
                let limit = gaps.peek().map_or(of.tree.layers.len(), |(_, gap)| gap.before);
                let layers = late_group(of, at, limit, captured);
                shown = at + layers.len();
                let (_, time) = completed(of, layer);
                let times = RecordTimes { time, first: self.first, previous: self.previous };
                show(RecordPlace::Late(times, at..shown))?;
            }
        }
        self.pass(omitted_messages);
        for (gap, _) in gaps {
            self.gaps += 1;
            show(RecordPlace::Gap(gap))?;
        }
        Ok(())
    }

    /// Counts a tree without producing records.
    pub(crate) fn count(&mut self, tree: &Tree, captured: bool) {
        if self.first.is_none() {
            self.first = tree.frame.start.or(tree.frame.time);
        }
        self.undissected += tree.outcome.undissected;
        self.frames += u64::from(captured);
    }

    /// Takes the time of omitted messages as that of the previous record.
    fn pass(&mut self, omitted_messages: Option<OmittedMessages>) {
        self.previous = omitted_messages.and_then(|omitted_messages| omitted_messages.time).or(self.previous);
    }

    /// Computes the timestamps of the next record.
    fn times(&mut self, time: Time) -> RecordTimes {
        let times = RecordTimes { time, first: self.first, previous: self.previous.or(time) };
        self.previous = time.or(self.previous);
        times
    }
}
