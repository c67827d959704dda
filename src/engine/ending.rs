//! Pending data of conversations and datagrams at the end of the capture.

use super::message::Out;
use super::nested::{NestedContext, Remaining};
use super::stream::Stream;
use super::transport::fragment;
use super::{Engine, bug};
use crate::tree::{ExportedObject, Extras, FrameInfo, Side, Tree};
use std::collections::VecDeque;
use std::iter::Peekable;
use std::vec::IntoIter;

/// What is left at the end of the capture, in the order in which it is emitted.
#[derive(Default)]
pub(super) struct Ending {
    pub streams: Option<Peekable<IntoIter<Box<Stream>>>>,
    /// Exportable objects of datagram conversations, each with its last frame.
    pub objects: Option<IntoIter<(u64, Vec<ExportedObject>)>>,
    /// What is left of datagram conversations.
    datagrams: Option<VecDeque<Remaining>>,
}

impl Engine {
    /// Returns pending data of a conversation at the end of the capture. Call it until it returns `None`.
    pub fn finish(&mut self) -> Option<&Tree> {
        match bug::guarded(|| self.finish_next()) {
            Ok(has_more) => {
                self.tree.spread_secrets();
                has_more.then_some(&self.tree)
            }
            Err(failure) => {
                self.end_failed(&failure);
                Some(&self.tree)
            }
        }
    }

    /// Adds pending data of the next conversation to the tree. Returns false if none is left.
    fn finish_next(&mut self) -> bool {
        self.tree.set_demand(self.demand);
        let (streams, packetless) = (&mut self.transports.streams, &mut self.transports.packetless);
        let ending = self.ending.streams.get_or_insert_with(|| {
            let mut all: Vec<Box<Stream>> = packetless.take_streams().map(Box::new).collect();
            all.extend(streams.drain().filter_map(|(_, connection)| connection.into_whole()));
            all.into_iter().peekable()
        });
        let gives = self.tree.demand().has(Extras::OBJECTS);
        while ending.next_if(|stream| !gives && stream.is_empty()).is_some() {}
        let Some(stream) = ending.peek_mut() else { return self.finish_datagrams().is_some() };
        self.tree.begin(FrameInfo { number: stream.last_frame(), ..FrameInfo::default() });
        stream.close(&mut Out::new(&mut self.tree, self.registry, &[], None));
        // Remaining data goes into the next tree.
        if stream.is_empty() {
            ending.next();
        }
        true
    }

    /// What is left of datagrams at the end of the capture, each message in a separate tree, so that trees do not depend on each
    /// other.
    fn finish_datagrams(&mut self) -> Option<&Tree> {
        if self.finish_associations() {
            return Some(&self.tree);
        }
        if self.tree.demand().has(Extras::OBJECTS) {
            let gathered = self.ending.objects.get_or_insert_with(|| self.transports.exchanges.objects().into_iter());
            if let Some((number, objects)) = gathered.next() {
                self.tree.begin(FrameInfo { number, ..FrameInfo::default() });
                self.tree.outcome.objects = objects;
                return Some(&self.tree);
            }
        }
        let (exchanges, packetless) = (&mut self.transports.exchanges, &mut self.transports.packetless);
        let all = self.ending.datagrams.get_or_insert_with(|| {
            let mut all = VecDeque::from(exchanges.unfinished());
            all.push_back(packetless.unfinished());
            all
        });
        while all.front().is_some_and(|remaining| remaining.waiting.is_empty()) {
            all.pop_front();
        }
        if let Some(Remaining { waiting, context, states }) = all.front_mut()
            && let Some((ends, waiting)) = waiting.pop_front()
        {
            let last = waiting.left.pieces.iter().max_by_key(|piece| piece.frame);
            let (number, time) = last.map_or((self.tree.frame.number, None), |last| (last.frame, last.time));
            self.tree.begin(FrameInfo { number, time, ..FrameInfo::default() });
            let context = *context;
            let nested = NestedContext { registry: self.registry, context, side: Side::Client, states, owner: None };
            waiting.emit(&mut self.tree, ends, nested);
            return Some(&self.tree);
        }
        let (key, joined) = self.transports.fragments.pop_oldest()?;
        let last = joined.pieces.iter().max_by_key(|piece| piece.frame)?;
        self.tree.begin(FrameInfo { number: last.frame, time: last.time, ..FrameInfo::default() });
        fragment::incomplete(&mut self.tree, &key, &joined);
        Some(&self.tree)
    }
}
