//! Frames of which nothing will be shown: nothing of their messages has to be kept.

use crate::tree::{Dissection, Tree, Want};

/// Whether any record of a frame may be looked at, as far as its layers tell.
pub type Judge = Box<dyn Fn(Dissection<'_>) -> bool + Send>;

/// Look for less if nobody will look at the messages of this frame, whose layers were read. Returns what was looked for before.
pub(super) fn look(judge: Option<&Judge>, tree: &mut Tree, bytes: &[u8]) -> Want {
    let wanted = tree.want();
    if judge.is_some_and(|judge| !judge(Dissection { tree, bytes })) {
        tree.look_for(wanted.unseen());
    }
    wanted
}
