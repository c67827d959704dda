//! Frames of which nothing will be shown: nothing of their messages has to be kept, and little of their headers.

use super::Engine;
use super::datagram;
use crate::input::Frame;
use crate::layers::{self, Bytes, Checks, Plain, Reached};
use crate::tree::{Dissection, LayerId, Only, Tree, Want};

/// Tells whether any record of a frame may be looked at.
pub struct Judge {
    /// What it looks at in the headers below TCP and UDP, if they alone may tell.
    pub headers: Option<Only>,
    /// Whether one may, as far as is known.
    pub may_match: Box<dyn Fn(Dissection<'_>, Known) -> bool + Send>,
}

/// What of a frame is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// The headers below TCP and UDP. There are no others below messages but theirs.
    Headers,
    /// All but its messages.
    Layers,
}

/// Look for less if nobody will look at the messages of this frame, whose layers were read, or not at their fields. Returns
/// what was looked for before.
pub(super) fn look(judge: Option<&Judge>, tree: &mut Tree, bytes: &[u8]) -> Want {
    let wanted = tree.want();
    if !tree.unseen && judge.is_some_and(|judge| !(judge.may_match)(Dissection { tree, bytes }, Known::Layers)) {
        pass_over(tree, wanted);
    } else {
        tree.look_for(wanted.of_messages());
    }
    wanted
}

fn pass_over(tree: &mut Tree, wanted: Want) {
    tree.unseen = true;
    tree.look_for(wanted.unseen());
}

impl Engine {
    /// The headers of a frame. While nobody knows whether it will be looked at, only what tells that is kept of them; they are
    /// read again if it may. Those of a plain segment are not told where nobody looks at them: see [`tell`].
    pub(super) fn headers(&mut self, frame: &Frame<'_>, missing: usize) -> Reached {
        let plain = if self.checks.tcp { None } else { Plain::of(frame.link, frame.bytes, missing, self.checks) };
        let plain = plain.and_then(|plain| Some((plain.segment()?, plain)));
        if let Some((judge, only)) = self.judge.as_ref().and_then(|judge| Some((judge, judge.headers?))) {
            let wanted = self.tree.look_for(Want { fields: true, only: Some(only), ..Want::LAYERS });
            let reached = match &plain {
                Some((segment, plain)) if self.tree.want().passes_headers() => {
                    plain.mention(&mut self.tree);
                    Reached::Tcp(segment.clone())
                }
                _ => layers::walk(&mut self.tree, frame.link, frame.bytes, missing, self.checks),
            };
            let of = Dissection { tree: &self.tree, bytes: frame.bytes };
            if is_all(&reached, frame.bytes) && !(judge.may_match)(of, Known::Headers) {
                if self.tree.layers.is_empty() {
                    self.tree.nodes.clear();
                }
                pass_over(&mut self.tree, wanted);
                return reached;
            }
            self.tree.look_for(wanted);
            self.begin(frame);
        }
        match plain {
            Some((segment, _)) if !self.tree.want().headers => Reached::Tcp(segment),
            _ => layers::walk(&mut self.tree, frame.link, frame.bytes, missing, self.checks),
        }
    }
}

/// Tell the headers of a frame after all, since its segment is to be told. Returns the layer that carries that.
pub(super) fn tell(tree: &mut Tree, frame: &Frame<'_>, checks: Checks) -> Option<LayerId> {
    match layers::walk(tree, frame.link, frame.bytes, 0, checks) {
        Reached::Tcp(segment) => segment.below,
        _ => None,
    }
}

/// Whether no headers but those of TCP or UDP can follow.
fn is_all(reached: &Reached, frame: &[u8]) -> bool {
    match reached {
        Reached::Tcp(_) | Reached::End => true,
        Reached::Udp(segment) => !datagram::is_tunnel(Bytes::of_frame(frame), segment),
        Reached::Fragment(..) => false,
    }
}
