//! Selects the protocol of a connection by its first bytes.

use super::half_stream::Following;
use super::{Stream, StreamDissector, is_first_low};
use crate::engine::bug;
use crate::engine::message::Out;
use crate::limits;
use crate::registry::{Candidate, FlowContext, Owner};
use crate::tree::{BySide, Dissection, Piece, Side, Span, Tree};
use crate::wire::notes::BUG;
use crate::wire::{Beginning, Missing, On, Opening, Stage};

/// Bytes of a stream captured midway within which a protocol registered on its port may recognize it.
const MAX_JOINING: u64 = 1 << 20;

impl Stream {
    /// Whether the first bytes of this side wait for a decision.
    pub(super) fn is_open(&self, side: Side) -> bool {
        match self.dissector {
            StreamDissector::Undecided => true,
            StreamDissector::Unrecognised(first) => first != side,
            StreamDissector::Known(..) | StreamDissector::None => false,
        }
    }

    /// Looks up the protocol. Returns true if that exchanged client and server.
    #[inline(never)]
    pub(super) fn find_owner(&mut self, following: Following, out: &mut Out<'_>) -> bool {
        let context = self.context();
        if self.adopts_scripted(&context, Stage::Ports, out) {
            return false;
        }
        let silent = self.silent();
        let BySide { client, server } = &self.halves;
        let opening = Opening {
            sent: [client.reassembly.buffered(), server.reassembly.buffered()],
            from_start: [client.from_start, server.from_start],
            complete: following != Following::More || self.choice.decide_now,
        };
        let full = Side::BOTH.into_iter().any(|side| self.is_full(side));
        let may_join = || self.may_join() && out.registry.is_awaited(&context, &opening);
        let owner = bug::guarded(|| {
            let opening = Opening { complete: opening.complete || full && !may_join(), ..opening };
            (out.registry.stream_owner(&context, &opening), opening.complete)
        });
        let (owner, is_complete) = owner.unwrap_or_else(|failure| {
            let node = out.tree.here().saturating_sub(1);
            out.tree.note(&BUG, node, Span::NONE, format_args!("{}", failure.0));
            (Owner::None, true)
        });
        let from_start = opening.from_start;
        let is_placed = matches!(owner, Owner::Known(candidate, _) if candidate.found.on != On::AnyTcp);
        if !is_placed && self.adopts_scripted(&context, Stage::Content, out) {
            return false;
        }
        match owner {
            // The client is known from the carrier, or from data already emitted.
            Owner::Known(_, Side::Client) if self.method.is_some() || self.choice.shown => self.dissector = StreamDissector::None,
            Owner::Known(candidate, server) => {
                let from_start = if self.choice.shown { [false; 2] } else { from_start };
                if self.adopt(candidate, from_start, server, out) && server == Side::Client {
                    self.swap_sides(out.tree);
                    return true;
                }
            }
            // Fields that a script added are those of this frame.
            Owner::Unsure if !is_complete && !self.choice.scripted.as_ref().is_some_and(|own| own.has_rejected()) => {}
            Owner::Unsure | Owner::None if self.choice.scripted.is_some() => self.stay_scripted(),
            Owner::Unsure | Owner::None => {
                let is_first = matches!(self.dissector, StreamDissector::Undecided);
                self.dissector =
                    silent.filter(|_| is_first).map_or(StreamDissector::None, |side| StreamDissector::Unrecognised(side.other()));
                self.choice.shown = true;
                if self.halves.iter().any(|half| half.is_in_doubt) {
                    self.choice.guard = self.of_port(out.registry);
                }
            }
        }
        false
    }

    /// Asks loaded dissectors for bytes of both sides. Returns whether one accepts them: it becomes the protocol of the stream.
    fn adopts_scripted(&mut self, context: &FlowContext, stage: Stage, out: &Out<'_>) -> bool {
        let Some(scripted) = out.registry.scripted().filter(|_| self.is_scriptable(context)) else { return false };
        let chosen = match out.registry.choice(context) {
            Some(None) => return false,
            Some(chosen) => chosen,
            None if stage == Stage::Content && out.registry.ignores_content() => return false,
            None => None,
        };
        if self.choice.scripted.is_none() && stage == Stage::Ports {
            self.choice.scripted = scripted.stream(out.registry.ports_of(context), chosen);
            let beginning = self.beginning();
            if let Some(own) = &mut self.choice.scripted {
                own.begins(&beginning);
            }
        }
        let Some(mut own) = self.choice.scripted.take() else { return false };
        let accepted = Side::BOTH.into_iter().find_map(|side| {
            let half = &self.halves[side];
            let of = Dissection { tree: out.tree, bytes: out.frame };
            own.arrives(of, half.latest_end());
            bug::guarded(|| own.accepts(side, half.reassembly.buffered(), stage)).ok().flatten()
        });
        match accepted {
            Some(protocol) => self.dissector = StreamDissector::Known(protocol, own),
            None => self.choice.scripted = Some(own),
        }
        accepted.is_some()
    }

    /// Whether loaded dissectors may be asked: not inside another stream, nor for one that another protocol announced.
    fn is_scriptable(&self, context: &FlowContext) -> bool {
        !context.inside && context.over.is_none() && context.carrier.is_none() && !self.choice.shown
    }

    /// No protocol accepts the first bytes: loaded dissectors are asked for later ones, too.
    fn stay_scripted(&mut self) {
        if let Some(own) = self.choice.scripted.take() {
            self.dissector = StreamDissector::Known(own.protocol(), own);
        }
    }

    /// Begins the conversation of the chosen protocol, which misses the bytes emitted before. Returns false if there is none.
    fn adopt(&mut self, candidate: Candidate, from_start: [bool; 2], server: Side, out: &Out<'_>) -> bool {
        let Candidate { protocol, found } = candidate;
        let Some(mut conversation) = found.dissector.conversation(out.registry.settings(), from_start) else { return false };
        let mut beginning = self.beginning();
        if let (Side::Client, Some(ends)) = (server, &mut beginning.ends) {
            // The sides are exchanged behind this.
            ends.reverse();
        }
        conversation.begins(&beginning);
        conversation.inherit(&out.tree.run.shared);
        for side in Side::BOTH.into_iter().filter(|_| self.choice.shown) {
            let bytes = self.halves[side].reassembly.buffered_off();
            if bytes > 0 {
                conversation.gap(side, Missing { bytes, in_step: false });
            }
        }
        self.dissector = StreamDissector::Known(protocol, conversation);
        self.choice.scripted = None;
        self.choice.by_port = found.by_port;
        for (half, from_start) in self.halves.iter_mut().zip(from_start) {
            half.is_in_doubt |= !from_start;
        }
        true
    }

    /// What a protocol may know of it before its first message.
    pub(super) fn beginning(&self) -> Beginning {
        Beginning { stream: self.id, ends: self.endpoints.sockets, first: self.life.first_time, frame: self.life.first_frame }
    }

    /// The number of buffered bytes, if no protocol dissects them, before a segment in which one begins. At such a segment, the
    /// protocol becomes that of the stream.
    pub(super) fn undissected_run(&mut self, side: Side, out: &Out<'_>) -> usize {
        let order = &self.halves[side].reassembly;
        let (bytes, off) = (order.buffered(), order.buffered_off());
        if self.choice.failed || !matches!(self.dissector, StreamDissector::None | StreamDissector::Unrecognised(_)) {
            return bytes.len();
        }
        let context = self.context();
        let begins = |piece: Piece| {
            let at = usize::try_from(piece.off.checked_sub(off)?).ok()?;
            Some((at, out.registry.beginning_later(&context, bytes.get(at..)?)?))
        };
        let (found, len) = (order.pieces(off, bytes.len()).find_map(begins), bytes.len());
        match found {
            None => len,
            Some((0, Candidate { protocol, found })) => {
                if let Some(mut conversation) = found.dissector.conversation(out.registry.settings(), [false; 2]) {
                    conversation.begins(&self.beginning());
                    conversation.inherit(&out.tree.run.shared);
                    self.dissector = StreamDissector::Known(protocol, conversation);
                    self.halves[side.other()].is_in_doubt = true;
                }
                len
            }
            Some((at, _)) => at,
        }
    }

    /// Whether this side has buffered [`limits::STREAM_OPENING`] bytes.
    pub(super) fn is_full(&self, side: Side) -> bool {
        self.halves[side].reassembly.buffered().len() >= limits::STREAM_OPENING.get()
    }

    /// Whether a protocol may still find its messages in later bytes: the capture begins inside the stream.
    fn may_join(&self) -> bool {
        let is_early = self.halves.iter().all(|half| half.reassembly.buffered_off() < MAX_JOINING);
        is_early && self.halves.iter().any(|half| !half.from_start)
    }

    /// The side without any bytes, if the other side has sent some.
    fn silent(&self) -> Option<Side> {
        match [self.halves.client.has_data(), self.halves.server.has_data()] {
            [true, false] => Some(Side::Server),
            [false, true] => Some(Side::Client),
            _ => None,
        }
    }

    /// Exchanges client and server. Nothing of the stream was emitted yet.
    #[cold]
    fn swap_sides(&mut self, tree: &mut Tree) {
        self.endpoints.swapped = !self.endpoints.swapped;
        self.halves.swap();
        self.analysis.swap_sides();
        if let Some(followed) = &mut self.followed {
            followed.swap_sides();
        }
        if let Some(sockets) = &mut self.endpoints.sockets {
            sockets.reverse();
        }
        self.endpoints.client_is_low = is_first_low(self.endpoints.sockets);
        for ends in &mut tree.ends {
            if let Some((stream, side)) = &mut ends.stream
                && *stream == self.id
            {
                *side = side.other();
            }
        }
    }
}
