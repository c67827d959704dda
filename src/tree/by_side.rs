//! One value for each side of a conversation.

use super::Side;
use std::ops::{Index, IndexMut};

/// One value for each side of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BySide<T> {
    /// The value of the client.
    pub client: T,
    /// The value of the server.
    pub server: T,
}

impl<T> BySide<T> {
    /// Makes a value for each side.
    pub fn new(mut make: impl FnMut(Side) -> T) -> BySide<T> {
        BySide { client: make(Side::Client), server: make(Side::Server) }
    }

    /// Both values, the client's first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        [&self.client, &self.server].into_iter()
    }

    /// Both values, the client's first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        [&mut self.client, &mut self.server].into_iter()
    }

    /// The value of a side, and that of its peer.
    #[inline]
    pub fn own_and_peer(&mut self, side: Side) -> (&mut T, &mut T) {
        match side {
            Side::Client => (&mut self.client, &mut self.server),
            Side::Server => (&mut self.server, &mut self.client),
        }
    }

    /// Exchanges the values: the client turned out to be the server.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.client, &mut self.server);
    }

    /// Makes a value from each.
    pub fn map<U>(&self, mut make: impl FnMut(&T) -> U) -> BySide<U> {
        BySide { client: make(&self.client), server: make(&self.server) }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    #[inline]
    fn index(&self, side: Side) -> &T {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    #[inline]
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }
}
