//! Frames of which nothing will be shown: nothing of their messages has to be kept, and little of their headers.

use super::Engine;
use super::datagram;
use crate::input::Frame;
use crate::layers::{self, Bytes, Checks, Plain, Reached, Segment};
use crate::tree::{Dissection, Only, Tree, Want};

/// Tells whether any record of a frame may be looked at.
pub struct Judge {
    /// What it looks at in the headers below TCP and UDP, if they alone may tell.
    pub headers: Option<Only>,
    /// Whether one may, as far as is known.
    pub may_match: Box<dyn Fn(Known<'_>) -> bool + Send>,
}

/// What of a frame is known.
#[derive(Clone, Copy)]
pub enum Known<'a> {
    /// The headers below TCP, which are plain and in no tree.
    Plain(&'a Plain),
    /// The headers below TCP and UDP. There are no others below messages but theirs.
    Headers(Dissection<'a>),
    /// All but its messages.
    Layers(Dissection<'a>),
}

/// Look for less in what is left of this frame if nobody will look at its messages, or not at their fields. Its layers were read.
pub(super) fn look(judge: Option<&Judge>, tree: &mut Tree, bytes: &[u8]) {
    let wanted = tree.want();
    if !tree.unseen && judge.is_some_and(|judge| !(judge.may_match)(Known::Layers(Dissection { tree, bytes }))) {
        pass_over(tree, wanted);
    } else if wanted.looks_at_headers_alone() {
        tree.look_for(Want { fields: false, ..wanted });
    }
}

fn pass_over(tree: &mut Tree, wanted: Want) {
    tree.unseen = true;
    tree.look_for(wanted.unseen());
}

impl Engine {
    /// The headers of a frame. While nobody knows whether it will be looked at, only what tells that is kept of them; they are
    /// read again if it may. Those of a plain segment are not put where nobody looks at them: see [`told`].
    pub(super) fn headers(&mut self, frame: &Frame<'_>, missing: usize) -> Reached {
        let asks = self.judge.as_ref().filter(|judge| judge.knows_plain());
        let may_stay = !self.checks.tcp && (asks.is_some() || !self.tree.want().headers);
        let plain = if may_stay { Plain::of(frame.link, frame.bytes, missing, self.checks) } else { None };
        let tells_all = |plain: &Plain| asks.and_then(|judge| judge.headers).is_none_or(|headers| plain.tells_all(headers));
        let plain = plain.as_ref().filter(|plain| plain.has_segment() && tells_all(plain));
        match (plain, asks) {
            (Some(plain), Some(judge)) => {
                if !(judge.may_match)(Known::Plain(plain)) {
                    let wanted = self.tree.want();
                    pass_over(&mut self.tree, wanted);
                }
            }
            _ => {
                if let Some(reached) = self.judged(frame, missing) {
                    return reached;
                }
            }
        }
        match plain {
            Some(plain) if !self.tree.want().headers => Reached::Tcp(plain.segment()),
            _ => layers::walk(&mut self.tree, frame.link, frame.bytes, missing, self.checks),
        }
    }

    /// The headers of a frame, if they tell that nobody will look at it.
    #[inline]
    fn judged(&mut self, frame: &Frame<'_>, missing: usize) -> Option<Reached> {
        let headers = self.judge.as_ref()?.headers?;
        self.judged_by_headers(frame, missing, headers)
    }

    #[inline(never)]
    fn judged_by_headers(&mut self, frame: &Frame<'_>, missing: usize, headers: Only) -> Option<Reached> {
        let (judge, only) = (self.judge.as_ref()?, Some(headers));
        let asked = self.tree.want().asked;
        let wanted = self.tree.look_for(Want { fields: true, only, asked, ..Want::LAYERS });
        let reached = layers::walk(&mut self.tree, frame.link, frame.bytes, missing, self.checks);
        let known = Known::Headers(Dissection { tree: &self.tree, bytes: frame.bytes });
        if is_all(&reached, frame.bytes) && !(judge.may_match)(known) {
            pass_over(&mut self.tree, wanted);
            return Some(reached);
        }
        self.tree.look_for(wanted);
        self.begin(frame);
        None
    }
}

impl Judge {
    /// Whether all that it looks at in headers is what plain ones give.
    fn knows_plain(&self) -> bool {
        self.headers.is_some_and(Only::passes)
    }
}

/// A segment that is to be told, on headers that are, if need be now.
#[inline(never)]
pub(super) fn told(tree: &mut Tree, frame: &Frame<'_>, segment: &Segment, checks: Checks) -> Segment {
    match segment.below {
        Some(_) => segment.clone(),
        None => match layers::walk(tree, frame.link, frame.bytes, 0, checks) {
            Reached::Tcp(segment) => segment,
            _ => segment.clone(),
        },
    }
}

/// Whether no headers but those of TCP or UDP can follow.
fn is_all(reached: &Reached, frame: &[u8]) -> bool {
    match reached {
        Reached::Tcp(_) | Reached::Sctp(_) | Reached::End => true,
        Reached::Udp(segment) => !datagram::is_tunnel(Bytes::of_frame(frame), segment),
        Reached::Fragment(..) | Reached::Compressed(..) => false,
    }
}
