//! Messages inside datagrams: ordered, without retransmissions, and reassembled from fragments.
//!
//! A reliability layer numbers what it sends, because datagrams are lost, repeated and swapped. [`Delivery`] takes the elements of
//! one direction as they were captured, and gives the messages as their receiver gets them.

mod delivered;
mod numbers;
mod parts;
mod stream;

pub use delivered::{Element, Event, Fate, Fragment, Width};
pub use numbers::{Counter, Seen};
pub use parts::{Added, COUNT_MAX, EvictedMessage, Joined, Part, ReassemblyTable};

use std::collections::VecDeque;
use stream::Stream;

/// Maximum ordered streams of one direction. The one that was used longest ago gives up what it waits for.
const STREAMS: usize = 256;

/// Maximum bytes of one direction that wait for earlier ones, or for the rest of their message.
const HELD: usize = 8 << 20;

/// The messages of one direction.
#[derive(Debug, Clone)]
pub struct Delivery {
    width: Width,
    /// The ordered streams by number; the one used last is at the end.
    streams: VecDeque<(u64, Stream)>,
    /// Bytes of memory that the streams hold.
    held: usize,
}

impl Delivery {
    /// Creates the state of a direction whose numbers have this width.
    pub const fn new(width: Width) -> Delivery {
        Delivery { width, streams: VecDeque::new(), held: 0 }
    }

    /// Takes the next element as captured. The messages that can be delivered now are added to `events`; with [`Fate::Now`], the
    /// element itself is a message before them.
    pub fn accept(&mut self, element: &Element<'_>, events: &mut Vec<Event>) -> Fate {
        let mut stream = self.take(element.stream, events);
        let before = stream.memory_usage();
        let fate = stream.accept(element, self.width, events);
        self.held = (self.held + stream.memory_usage()).saturating_sub(before);
        self.streams.push_back((element.stream, stream));
        if self.held > HELD {
            self.give_up_some(events);
        }
        fate
    }

    /// Gives up what never came, at the end.
    pub fn finish(&mut self, events: &mut Vec<Event>) {
        self.held = 0;
        let mut streams: Vec<(u64, Stream)> = self.streams.drain(..).collect();
        streams.sort_by_key(|(number, _)| *number);
        for (number, mut stream) in streams {
            stream.finish(number, self.width, events);
        }
    }

    /// Whether elements wait.
    pub fn is_waiting(&self) -> bool {
        self.streams.iter().any(|(_, stream)| stream.is_waiting())
    }

    /// Bytes of memory.
    pub fn memory_usage(&self) -> usize {
        self.held + self.streams.capacity() * size_of::<(u64, Stream)>()
    }

    /// Removes a stream from the list, or creates it.
    fn take(&mut self, number: u64, events: &mut Vec<Event>) -> Stream {
        // The stream of the last element comes first in most protocols.
        if let Some(place) = self.streams.iter().rposition(|(known, _)| *known == number)
            && let Some((_, stream)) = self.streams.remove(place)
        {
            return stream;
        }
        if self.streams.len() >= STREAMS
            && let Some((number, mut stream)) = self.streams.pop_front()
        {
            self.held = self.held.saturating_sub(stream.memory_usage());
            stream.finish(number, self.width, events);
        }
        Stream::default()
    }

    /// Gives up what waits, from the stream that holds most.
    #[cold]
    fn give_up_some(&mut self, events: &mut Vec<Event>) {
        while self.held > HELD / 8 * 7 {
            let most = self.streams.iter_mut().max_by_key(|(_, stream)| stream.memory_usage());
            let Some((number, stream)) = most else { break };
            let before = stream.memory_usage();
            let gives_up = stream.give_up_first(*number, self.width, events);
            self.held = (self.held + stream.memory_usage()).saturating_sub(before);
            if !gives_up {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests;
