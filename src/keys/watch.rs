//! What conversations ask of a key ring, for a list of them, and values that are tried.

use super::ring::{Key, Owner};
use crate::limits;
use crate::tree::StreamId;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A key that a conversation asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The protocol of the key.
    pub protocol: String,
    /// The name of the key.
    pub name: String,
    /// The conversation.
    pub owner: Owner,
    /// The key that serves it.
    pub key: Option<Key>,
    /// Whether the key fits, once that is known.
    pub fits: Option<bool>,
}

impl Request {
    /// Whether the key is missing or does not fit.
    pub fn lacks_key(&self) -> bool {
        self.key.is_none() || self.fits == Some(false)
    }
}

/// The requests so far.
#[derive(Default)]
pub(super) struct Watch {
    requests: Vec<Request>,
    /// Places in the list, by conversation, protocol and name.
    places: HashMap<(StreamId, String, String), usize>,
    /// A value that serves requests instead of the lines.
    tried: Option<Tried>,
}

/// A value that is tried.
#[derive(Clone)]
pub struct Tried {
    /// The protocol of the key.
    pub protocol: String,
    /// The name of the key.
    pub name: String,
    pub value: Arc<[u8]>,
}

impl Watch {
    /// Records a request with its answer, and returns the value that is tried instead.
    pub(super) fn asked(&mut self, protocol: &str, name: &str, owner: &Owner, found: Option<Key>) -> Option<Key> {
        let found = match self.tried.as_ref().filter(|tried| tried.protocol == protocol && tried.name == name) {
            Some(tried) => Some(Key { value: Arc::clone(&tried.value), line: 0, file: Path::new("--try").into() }),
            None => found,
        };
        let place = (owner.stream, protocol.to_owned(), name.to_owned());
        if let Some(at) = self.places.get(&place) {
            if let Some(request) = self.requests.get_mut(*at).filter(|request| request.key != found) {
                (request.key, request.fits) = (found.clone(), None);
            }
        } else if limits::KEY_REQUESTS.exceeds(self.requests.len()) {
            self.places.insert(place, self.requests.len());
            let (protocol, name) = (protocol.to_owned(), name.to_owned());
            self.requests.push(Request { protocol, name, owner: *owner, key: found.clone(), fits: None });
        }
        found
    }

    /// Records whether the key of a request fits.
    pub(super) fn judged(&mut self, protocol: &str, name: &str, stream: StreamId, fits: bool) {
        let place = (stream, protocol.to_owned(), name.to_owned());
        if let Some(request) = self.places.get(&place).and_then(|at| self.requests.get_mut(*at)) {
            request.fits = Some(fits);
        }
    }

    /// Takes the requests, and sets the value that serves the next ones.
    pub(super) fn restart(&mut self, tried: Option<Tried>) -> Vec<Request> {
        self.tried = tried;
        self.places.clear();
        std::mem::take(&mut self.requests)
    }

    pub(super) fn requests(&self) -> &[Request] {
        &self.requests
    }
}
