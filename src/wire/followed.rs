//! Content of conversations that is printed instead of their bytes, as a protocol declares it.

/// Content that replaces the bytes of a conversation, such as messages without compression.
#[derive(Debug)]
pub struct FollowedContent {
    /// Filter name of the protocol, which selects the content of a conversation: `NAME/0`.
    pub name: &'static str,
    /// What a conversation without the content lacks.
    pub what: &'static str,
    /// Where the content is.
    pub source: ContentSource,
}

/// Where the content of a conversation is.
#[derive(Debug, PartialEq, Eq)]
pub enum ContentSource {
    /// In messages of the protocol.
    Messages {
        /// Fields that end the head of a message, which is printed as it is.
        head_end: &'static [&'static str],
        /// Fields with a complete body.
        body: &'static [&'static str],
        /// Fields with parts of a body, if it is not complete.
        parts: &'static [&'static str],
    },
    /// In sources that the protocol deciphers.
    Deciphered {
        /// What to do if none is deciphered.
        hint: &'static str,
    },
}
