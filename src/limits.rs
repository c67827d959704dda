//! Every limit on what input may cost: its value, the reason for it and the test that holds it.
//!
//! A limit is read where it applies and may be set once, before any input is read (`--limit NAME=VALUE`). Sizes that a
//! protocol's specification fixes are no limits and stay with their protocol.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A bound on memory, work or nesting.
#[derive(Debug)]
pub struct Limit {
    /// Its name for `--limit`: what it bounds, then of what.
    pub name: &'static str,
    /// What the number counts.
    pub unit: Unit,
    /// Its value unless it is set.
    pub default: usize,
    /// The largest value that it can be set to.
    pub most: usize,
    /// What happens beyond it, and why it has this value.
    pub reason: &'static str,
    /// The test that fails without it.
    pub test: &'static str,
    value: AtomicUsize,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of memory or of input.
    Bytes,
    /// Anything else, named in the reason.
    Count,
}

impl Limit {
    /// Its value in this run.
    #[inline]
    #[must_use]
    pub fn get(&self) -> usize {
        self.value.load(Ordering::Relaxed)
    }

    /// Its value in this run as a number of elements that a `u32` can count.
    #[must_use]
    pub fn get_u32(&self) -> u32 {
        u32::try_from(self.get()).unwrap_or(u32::MAX)
    }

    /// Whether there is room for one more beside so many.
    #[inline]
    #[must_use]
    pub fn exceeds(&self, count: usize) -> bool {
        count < self.get()
    }
}

/// Why a limit was not set.
#[derive(Debug, PartialEq, Eq)]
pub enum Unset {
    /// No limit has this name.
    Unknown,
    /// The value is no number, or out of range.
    Value {
        /// The largest value.
        most: usize,
    },
}

/// Set a limit for the rest of the run. A number may end in `k` or `M`, of 1,024 each.
///
/// # Errors
/// When no limit has this name, or the value does not fit it.
pub fn set(name: &str, value: &str) -> Result<(), Unset> {
    let limit = ALL.iter().find(|limit| limit.name == name).ok_or(Unset::Unknown)?;
    let (digits, factor) = match value.as_bytes().last() {
        Some(b'k' | b'K') => (value.get(..value.len() - 1), 1 << 10),
        Some(b'm' | b'M') => (value.get(..value.len() - 1), 1 << 20),
        _ => (Some(value), 1),
    };
    let number = digits.and_then(|digits| digits.parse::<usize>().ok()).and_then(|number| number.checked_mul(factor));
    let number = number.filter(|number| (1..=limit.most).contains(number)).ok_or(Unset::Value { most: limit.most })?;
    limit.value.store(number, Ordering::Relaxed);
    Ok(())
}

/// A size in its largest whole unit.
pub struct Shown(pub usize, pub Unit);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(number, unit) = *self;
        match unit {
            Unit::Bytes if number > 0 && number.is_multiple_of(1 << 20) => write!(f, "{} MiB", number >> 20),
            Unit::Bytes if number > 0 && number.is_multiple_of(1 << 10) => write!(f, "{} KiB", number >> 10),
            Unit::Bytes => write!(f, "{number} bytes"),
            Unit::Count => write!(f, "{number}"),
        }
    }
}

/// Declares limits and the list of them: constant, name, unit, default, largest value, reason, test.
macro_rules! limits {
    ($($id:ident = $name:literal, $unit:ident, $default:expr, $most:expr, $reason:literal, $test:literal;)*) => {
        $(
            #[doc = $reason]
            pub static $id: Limit = Limit {
                name: $name,
                unit: Unit::$unit,
                default: $default,
                most: $most,
                reason: $reason,
                test: $test,
                value: AtomicUsize::new($default),
            };
        )*

        /// Every limit, in the order in which bytes meet them.
        pub static ALL: &[&Limit] = &[$(&$id),*];
    };
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// Places and lengths in a tree are 32-bit numbers.
const PLACES: usize = 1 << 31;

limits! {
    TREE_NODES = "tree.nodes", Count, 1 << 19, 1 << 24,
        "Fields of one frame; a field takes 40 bytes. Fields past it are counted in a note",
        "more_nodes_than_a_tree_holds_are_counted";
    TREE_NOTES = "tree.notes", Count, 10_000, 1 << 20,
        "Notes of one frame; the rest is dropped",
        "more_notes_than_a_tree_holds_are_left_out";
    TREE_MESSAGES = "tree.messages", Count, 16_384, 1 << 20,
        "Messages that one frame completes. More come with the next frame of the conversation",
        "each_limit_changes_what_is_shown";
    TREE_TEXT = "tree.text", Bytes, 8 * MIB, PLACES,
        "Text created for one frame, such as paths and headings. Text past it is left out, with a note",
        "text_past_the_limit_of_a_tree_is_left_out_and_noted";
    TREE_NOTE_TEXT = "tree.note_text", Bytes, KIB, MIB,
        "Text of one note; the rest is cut",
        "the_text_of_a_note_is_cut_at_its_limit";
    TREE_DERIVED = "tree.derived", Bytes, 32 * MIB, PLACES,
        "Decompressed and decrypted bytes of one frame: room for a body of 16 MiB, decrypted and decompressed. More are left out, with a note",
        "derived_bytes_that_do_not_fit_are_left_out_and_counted";
    DATAGRAM_BYTES = "datagrams.memory", Bytes, 16 * MIB, PLACES,
        "Memory of what protocols remember of all UDP conversations; four times as much for `objects`. Past it those idle longest are forgotten",
        "states_of_datagrams_past_the_limit_are_forgotten_and_counted";
    FRAGMENT_BYTES = "fragments.memory", Bytes, 4 * MIB, PLACES,
        "Memory of incomplete IP datagrams. Past it the oldest are shown as they are",
        "memory_is_bounded";
    FRAGMENT_PARTS = "fragments.parts", Count, 8192, 1 << 16,
        "Parts of one IP datagram: 64 KiB in the smallest fragments",
        "each_limit_changes_what_is_shown";
    PIPBOY_VALUES = "pipboy.values", Count, 1_000_000, 1 << 24,
        "Values of one Pip-Boy, at 40 bytes each. New ones past it are not kept, with a note",
        "a_full_tree_is_noted_once";
    PIPBOY_TEXT = "pipboy.text", Bytes, 16 * MIB, PLACES,
        "Names and texts of one Pip-Boy. Past it no new values are kept, with a note",
        "each_limit_changes_what_is_shown";
    PIPBOY_NAME = "pipboy.name", Bytes, 256, 1 << 16,
        "A name within a path of the Pip-Boy, which has up to 64 of them. Longer ones are cut there, with a note",
        "a_long_name_is_cut_in_paths_and_noted";
    STREAM_MESSAGE = "stream.message", Bytes, 16 * MIB + 64, PLACES,
        "The longest message of a stream that is waited for, with room for its header. A longer one is shown as data, with a note",
        "each_limit_changes_what_is_shown";
    STREAM_OPENING = "stream.opening", Bytes, 64 * KIB, PLACES,
        "Bytes of one side that are kept while no protocol has recognized the stream",
        "each_limit_changes_what_is_shown";
    STREAM_PARKED = "stream.parked", Bytes, 4 * MIB, PLACES,
        "Bytes that wait behind a hole of one direction. Past it the hole is given up",
        "each_limit_changes_what_is_shown";
    STREAM_PARKED_SEGMENTS = "stream.parked_segments", Count, 4096, 1 << 20,
        "Segments that wait behind a hole of one direction. Past it the hole is given up",
        "each_limit_changes_what_is_shown";
    STREAM_UNACKNOWLEDGED = "stream.unacknowledged", Count, 1024, 1 << 16,
        "Segments of one direction that are remembered until they are acknowledged, to find retransmissions",
        "memory_is_bounded_without_acknowledgments";
    CONVERSATIONS = "conversations", Count, 28_672, 1 << 24,
        "Conversations of each transport. Past it those idle longest are forgotten, which is counted",
        "the_quietest_conversations_are_forgotten_first";
    STREAM_MEMORY = "streams.memory", Bytes, 22 * MIB, PLACES,
        "Memory of all streams with what their protocols remember. Past it those idle longest are given up, which is counted",
        "each_limit_changes_what_is_shown";
    ANNOUNCED = "announced", Count, 16_384, 1 << 24,
        "Hosts that asked by broadcast, announced conversations, and connection IDs. Past it all of them are forgotten",
        "each_limit_changes_what_is_shown";
    EARLIER = "earlier", Count, 16_384, 1 << 24,
        "ICMP echoes and addresses in ARP that later packets are compared with, where a filter or column asks. Past it all are forgotten",
        "packets_past_the_limit_are_forgotten";
    MESSAGE_DEPTH = "messages.depth", Count, 16, 64,
        "Messages within messages. Deeper ones are data",
        "each_limit_changes_what_is_shown";
    FRAME_LAYERS = "frame.layers", Count, 32, 256,
        "Headers of one frame. Deeper ones are data",
        "each_limit_changes_what_is_shown";
    SECRETS = "secrets", Bytes, 32 * MIB, PLACES,
        "Memory of keys from key logs and frames. Past it the oldest are forgotten",
        "each_limit_changes_what_is_shown";
    TREE_HANDED = "tree.handed", Count, 1 << 16, 1 << 20,
        "Parts of one message that other protocols read. Parts past it stay data",
        "each_limit_changes_what_is_shown";
    REQUESTS = "requests", Count, 32, 1 << 16,
        "Requests of one conversation that wait for responses. Past it the oldest is forgotten",
        "each_limit_changes_what_is_shown";
    STATS_CONVERSATIONS = "stats.conversations", Count, 1 << 19, 1 << 24,
        "Conversations and endpoints that `stats` lists, at 48 bytes each. The rest is summed up",
        "each_limit_changes_what_is_shown";
    STATS_EXPERT = "stats.expert", Count, 10_000, 1 << 20,
        "Distinct expert items that `-z expert` lists. The rest is counted",
        "each_limit_changes_what_is_shown";
    STATS_EXPERT_TEXT = "stats.expert_text", Bytes, 256, 1 << 16,
        "Text of one remark of `-z expert`; the rest is cut",
        "each_limit_changes_what_is_shown";
    STATS_HOSTS = "stats.hosts", Count, 100_000, 1 << 24,
        "Addresses that `-z hosts` lists. Answers about others are counted",
        "each_limit_changes_what_is_shown";
    STATS_RTP = "stats.rtp", Count, 10_000, 1 << 20,
        "Streams that `-z rtp,streams` lists. Packets of others are counted",
        "each_limit_changes_what_is_shown";
    FOLLOW_CONVERSATIONS = "follow.conversations", Count, 1_000_000, 1 << 24,
        "Conversations that `follow` lists. The rest is counted",
        "each_limit_changes_what_is_shown";
    EXPLORE_BYTES = "explore.bytes", Bytes, 64 * MIB, PLACES,
        "Bytes of all conversations together that `explore` collects. The rest is counted",
        "what_finds_no_room_is_counted";
    EXPLORE_GROUPS = "explore.groups", Count, 64, 1 << 20,
        "Groups of conversations that `explore` lists, those with the most bytes. The rest is counted",
        "groups_past_the_limit_are_counted";
    BROWSE_ROWS = "browse.rows", Count, 1_000_000, 1 << 24,
        "Records in the list of `browse`, about 120 bytes each. The rest is counted; a filter reaches all",
        "records_past_the_limit_are_counted";
    BROWSE_FIELDS = "browse.fields", Count, 100_000, 1 << 24,
        "Fields of one record in `browse`. The rest is counted",
        "fields_past_the_limit_are_counted";
    BROWSE_TEXT = "browse.text", Bytes, 16 * MIB, PLACES,
        "Text of a conversation or of statistics in `browse`. The rest is left out with a line that says so",
        "a_text_ends_at_its_limit_and_says_so";
    DIFF_MEMORY = "diff.memory", Bytes, 256 * MIB, PLACES,
        "Memory of the fields of each side of a comparison. Messages past it are counted",
        "messages_that_find_no_room_are_counted_and_reported";
    JSON_BYTES = "json.bytes", Bytes, 4 * MIB, PLACES,
        "The longest JSON text that is read value by value",
        "each_limit_changes_what_is_shown";
    JSON_VALUES = "json.values", Count, 50_000, 1 << 24,
        "Values of one JSON text",
        "each_limit_changes_what_is_shown";
    HTTP_HEAD = "http.head", Bytes, 256 * KIB, PLACES,
        "A head of HTTP. A longer one is data",
        "each_limit_changes_what_is_shown";
    HTTP_BODY = "http.body", Bytes, 16 * MIB, PLACES,
        "A body of HTTP that is read as one message, and what becomes of it when it is decompressed. A longer one comes in parts",
        "each_limit_changes_what_is_shown";
    HTTP_CHUNKS = "http.chunks", Count, 1 << 16, 1 << 24,
        "Chunks of an HTTP body whose place in the capture is recorded",
        "each_limit_changes_what_is_shown";
    HTTP2_HEADERS = "http2.headers", Bytes, 256 * KIB, PLACES,
        "Header fields of one HTTP/2 message, encoded and decoded. Further fields are left out, with a note",
        "each_limit_changes_what_is_shown";
    HTTP2_TABLE = "http2.table", Bytes, 256 * KIB, PLACES,
        "The dynamic table of one direction of HTTP/2. Past it the oldest entries are forgotten; their indexes get a note",
        "each_limit_changes_what_is_shown";
    HTTP2_STREAMS = "http2.streams", Count, 1024, 1 << 20,
        "Open streams of one HTTP/2 or HTTP/3 connection. Past it the oldest is forgotten, with a note",
        "each_limit_changes_what_is_shown";
    HTTP2_KEPT = "http2.kept", Bytes, 4 * MIB, PLACES,
        "Bytes of incomplete bodies of one HTTP/2 connection. Bodies past it are not joined, with a note",
        "each_limit_changes_what_is_shown";
    WEBSOCKET_MESSAGE = "websocket.message", Bytes, 16 * MIB, PLACES,
        "A message of WebSocket, also when it is decompressed",
        "each_limit_changes_what_is_shown";
    WEBSOCKET_KEPT = "websocket.kept", Bytes, 4 * MIB, PLACES,
        "Bytes of an unfinished message of WebSocket that are kept between its frames, and where each part was captured",
        "each_limit_changes_what_is_shown";
    MQTT_MESSAGE = "mqtt.message", Bytes, 16 * MIB, PLACES,
        "A packet of MQTT",
        "each_limit_changes_what_is_shown";
    SMTP_LINE = "smtp.line", Bytes, 64 * KIB, PLACES,
        "A line of SMTP",
        "each_limit_changes_what_is_shown";
    SMTP_MAIL = "smtp.mail", Bytes, 16 * MIB, PLACES,
        "A mail that is read as one message",
        "each_limit_changes_what_is_shown";
    FTP_LINE = "ftp.line", Bytes, 64 * KIB, PLACES,
        "A line of FTP",
        "each_limit_changes_what_is_shown";
    TEXT_LINE = "text.line", Bytes, 64 * KIB, PLACES,
        "A line of Redis, IMAP, POP3 or NATS. Lines of Telnet and a longer line are shown in parts",
        "each_limit_changes_what_is_shown";
    IRC_LINE = "irc.line", Bytes, 16 * KIB, PLACES,
        "A line of IRC",
        "each_limit_changes_what_is_shown";
    SIP_HEAD = "sip.head", Bytes, 64 * KIB, PLACES,
        "A head of SIP",
        "each_limit_changes_what_is_shown";
    SIP_MESSAGE = "sip.message", Bytes, MIB, PLACES,
        "A message of SIP over TCP",
        "each_limit_changes_what_is_shown";
    TFTP_FILE = "tftp.file", Bytes, 16 * MIB, PLACES,
        "A file of TFTP that is put together. Of a longer one only the blocks are shown",
        "each_limit_changes_what_is_shown";
    DNS_POINTERS = "dns.pointers", Count, 128, 1 << 14,
        "Pointers of one DNS name",
        "each_limit_changes_what_is_shown";
    DNS_NAME = "dns.name", Bytes, KIB, 1 << 16,
        "A DNS name as text, escapes included",
        "each_limit_changes_what_is_shown";
    PARTS_MESSAGES = "parts.messages", Count, 64, 1 << 16,
        "Messages of one side of a datagram conversation that wait for parts. Past it the oldest is given up, with a note",
        "each_limit_changes_what_is_shown";
    PARTS_MEMORY = "parts.memory", Bytes, 4 * MIB, PLACES,
        "Parts of messages of one side. Past it the oldest message is given up, with a note",
        "each_limit_changes_what_is_shown";
    RAKNET_MESSAGES = "raknet.messages", Count, 64, 1 << 16,
        "Messages of one side that wait for parts. Past it the oldest is given up, with a note",
        "each_limit_changes_what_is_shown";
    RAKNET_PARTS = "raknet.memory", Bytes, 4 * MIB, PLACES,
        "Parts of messages of one side. Past it the oldest message is given up, with a note",
        "each_limit_changes_what_is_shown";
    RS_POSITIONS = "rs.positions", Count, 1 << 20, 1 << 26,
        "Positions of players of one RuneScape session that `objects` puts together; a position takes 32 bytes",
        "each_limit_changes_what_is_shown";
    RS_CHAT = "rs.chat", Bytes, 16 * MIB, PLACES,
        "Chat of one RuneScape session that `objects` puts together",
        "each_limit_changes_what_is_shown";
    XFIRE_ROWS = "xfire.rows", Count, 16_384, 1 << 20,
        "Rows that lists of one Xfire packet are joined to",
        "each_limit_changes_what_is_shown";
    XFIRE_FILES = "xfire.files", Bytes, 64 * MIB, PLACES,
        "Bytes of files of two Xfire clients that `objects` puts together",
        "each_limit_changes_what_is_shown";
    QUIC_HANDSHAKE = "quic.handshake", Bytes, 64 * KIB, PLACES,
        "Handshake bytes of one direction of QUIC that wait for others. Further ones are not joined, with a note",
        "each_limit_changes_what_is_shown";
    QUIC_STREAMS = "quic.streams", Count, 1024, 1 << 20,
        "Bidirectional streams of one QUIC connection that have not ended. Past it the oldest is forgotten, with a note",
        "each_limit_changes_what_is_shown";
    QUIC_STREAMS_KEPT = "quic.kept", Bytes, 8 * MIB, PLACES,
        "Bytes of streams of one QUIC connection that wait for others. Of a stream past it nothing more is read, with a note",
        "each_limit_changes_what_is_shown";
    HTTP3_FRAME = "http3.frame", Bytes, MIB, PLACES,
        "A frame of HTTP/3. A longer one comes in parts",
        "each_limit_changes_what_is_shown";
    HTTP3_TABLE = "http3.table", Bytes, 256 * KIB, PLACES,
        "The dynamic table of one direction of HTTP/3. Past it the oldest entries are forgotten; their indexes get a note",
        "each_limit_changes_what_is_shown";
    HTTP3_BLOCKED = "http3.blocked", Bytes, 256 * KIB, PLACES,
        "Field sections of one HTTP/3 connection that wait for entries of the dynamic table. Further ones are decoded without them, with a note",
        "each_limit_changes_what_is_shown";
    TLS_HANDSHAKE = "tls.handshake", Bytes, 256 * KIB, PLACES,
        "A handshake message of TLS in several records, or of DTLS in fragments",
        "each_limit_changes_what_is_shown";
    LIBRPC_NESTED = "librpc.nested", Count, 65_536, 1 << 20,
        "Nodes of one message of librpc that lie below others",
        "each_limit_changes_what_is_shown";
    HTML_RECORDS = "html.records", Count, 100_000, 1 << 22,
        "Records of a page of `-T html`; more are counted in its summary only. A filter of the page visits all fields of all of them",
        "each_limit_changes_what_is_shown";
    HTML_PAGE = "html.page", Bytes, 64 * MIB, PLACES,
        "Length of a page of `-T html`, all of which a browser keeps in memory. Records that do not fit are counted in its summary only",
        "each_limit_changes_what_is_shown";
    KSY_RECURSION = "ksy.recursion", Count, 128, 256,
        "Types and instances of a Kaitai Struct file that nest at run time. Deeper ones end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_VALUES = "ksy.values", Count, 1 << 20, 1 << 24,
        "Values, objects, lists and streams of one message of a Kaitai Struct file, at 64 bytes. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_OPERATIONS = "ksy.operations", Count, 1 << 24, 1 << 30,
        "Fields, steps of expressions, and 64-byte blocks that one message takes. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_IDLE = "ksy.idle", Count, 1 << 14, 1 << 24,
        "Elements of one repetition that take no byte. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_COMPUTED = "ksy.computed", Bytes, 16 * MIB, PLACES,
        "Texts and bytes that expressions make of one message. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_PROCESSED = "ksy.processed", Bytes, 64 * MIB, PLACES,
        "Decompressed and otherwise processed bytes of one message, and 256 for each part. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    DECOMPRESSED = "decompressed.always", Bytes, 256 * MIB, PLACES,
        "Decompressed bodies and messages of one run, however short the capture is. More are allowed for a longer one, see the next limit",
        "decompressed_bytes_of_a_run_are_bounded_by_the_capture";
    DECOMPRESSED_RATIO = "decompressed.ratio", Count, 16, 1024,
        "Bytes of decompressed bodies for each byte of the capture. Past it bodies are cut, with a note",
        "decompressed_bytes_of_a_run_are_bounded_by_the_capture";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_on_bytes_lets_a_source_outgrow_its_spans() {
        let sources = ALL.iter().filter(|limit| limit.unit == Unit::Bytes);
        assert!(sources.clone().count() > 10);
        let too_large = sources.filter(|limit| u32::try_from(limit.most.max(limit.default)).is_err());
        assert_eq!(too_large.map(|limit| limit.name).collect::<Vec<_>>(), [""; 0]);
    }
}
