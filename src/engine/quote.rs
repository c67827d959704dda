//! Conversations of the packets that ICMP errors quote. They are numbered as Wireshark does: a quote may begin one.

use super::message::Out;
use super::stream::Connection;
use super::{Engine, close_old};
use crate::flow::Pair;
use crate::input::Frame;
use crate::layers::{tcp, udp};
use crate::tree::{Field, Quote, Transport, Value};

impl Engine {
    /// Fill in the numbers of the conversations that this frame quotes.
    #[cold]
    pub(super) fn number_quotes(&mut self, frame: &Frame<'_>) {
        for quote in self.tree.left.take_quotes() {
            let (field, number): (&Field, u32) = match quote.transport {
                Transport::Udp => (&udp::STREAM, self.exchanges.number(self.registry, frame.number, quote.src, quote.dst)),
                Transport::Tcp if self.tree.want().talks => (&tcp::STREAM, self.connection_of(&quote, frame)),
                Transport::Tcp | Transport::Sctp => continue,
            };
            let node = self.tree.nodes.get_mut(quote.node as usize);
            if let Some(node) = node.filter(|node| node.field.is(field)) {
                node.value = Value::Unsigned(number.into());
            }
        }
    }

    /// The number of the connection of a quoted segment.
    fn connection_of(&mut self, quote: &Quote, frame: &Frame<'_>) -> u32 {
        let Quote { src, dst, opens, .. } = *quote;
        let (pair, rises) = Pair::between((src.ip(), src.port()), (dst.ip(), dst.port()));
        let goes_on = |known: &mut Connection| {
            let base = known.base(rises);
            opens.is_none_or(|seq| base.is_none_or(|base| base == seq))
        };
        let (number, _, old) = self.streams.get_or_begin(pair, frame.number, goes_on, Connection::Quoted);
        if let Some(old) = old {
            close_old(*old, &mut self.held, &mut Out::new(&mut self.tree, self.registry, frame.bytes, None));
        }
        number
    }
}
