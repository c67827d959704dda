//! All limits on memory and work: value, rationale and test.
//!
//! A limit is read where it applies and may be set once, before input is read (`--limit NAME=VALUE`). Sizes fixed by a protocol's
//! specification are not limits and stay with the protocol.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A bound on memory, work or nesting.
#[derive(Debug)]
pub struct Limit {
    /// Name for `--limit`.
    pub name: &'static str,
    /// Unit of the value.
    pub unit: Unit,
    /// Default value.
    pub default: usize,
    /// Largest value accepted.
    pub most: usize,
    /// Description: the bounded quantity, and the effect of exceeding the limit.
    pub reason: &'static str,
    /// Name of the test that fails without this limit.
    pub test: &'static str,
    value: AtomicUsize,
}

/// Unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of memory or of input.
    Bytes,
    /// Anything else, stated in the description.
    Count,
}

impl Limit {
    /// Current value.
    #[inline]
    #[must_use]
    pub fn get(&self) -> usize {
        self.value.load(Ordering::Relaxed)
    }

    /// Whether the limit exceeds `count`, so that one more element is allowed.
    #[inline]
    #[must_use]
    pub fn exceeds(&self, count: usize) -> bool {
        count < self.get()
    }
}

/// Reason why a limit was not set.
#[derive(Debug, PartialEq, Eq)]
pub enum Unset {
    /// Unknown name.
    Unknown,
    /// The value is not a number, or out of range.
    Value {
        /// The largest value.
        most: usize,
    },
}

/// Sets a limit for the remaining run. The suffixes `k`, `M` and `G` stand for powers of 1,024.
///
/// # Errors
/// An unknown name, or an invalid value.
pub fn set(name: &str, value: &str) -> Result<(), Unset> {
    let limit = ALL.iter().find(|limit| limit.name == name).ok_or(Unset::Unknown)?;
    let (digits, factor) = match value.as_bytes().last() {
        Some(b'k' | b'K') => (value.get(..value.len() - 1), 1 << 10),
        Some(b'm' | b'M') => (value.get(..value.len() - 1), 1 << 20),
        Some(b'g' | b'G') => (value.get(..value.len() - 1), 1 << 30),
        _ => (Some(value), 1),
    };
    let number = digits.and_then(|digits| digits.parse::<usize>().ok()).and_then(|number| number.checked_mul(factor));
    let number = number.filter(|number| (1..=limit.most).contains(number)).ok_or(Unset::Value { most: limit.most })?;
    limit.value.store(number, Ordering::Relaxed);
    Ok(())
}

/// Formats a size in its largest whole unit.
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

/// Declares limits and their list: constant, name, unit, default, largest value, description, test.
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

        /// All limits, in the order in which input meets them.
        pub static ALL: &[&Limit] = &[$(&$id),*];
    };
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// Offsets and lengths in a tree are 32-bit numbers.
const PLACES: usize = 1 << 31;

limits! {
    INPUT_NAMES = "inputs.names", Bytes, 16 * MIB, PLACES,
        "Names of inputs in lists (`@LIST`). Further lines are ignored, with an error",
        "names_of_lists_past_the_limit_are_left_out_with_an_error";
    TREE_NODES = "tree.nodes", Count, 1 << 19, 1 << 24,
        "Fields per frame, 40 bytes each. Further fields are counted in a note",
        "more_nodes_than_a_tree_holds_are_counted";
    TREE_NOTES = "tree.notes", Count, 10_000, 1 << 20,
        "Notes per frame. Further notes are dropped",
        "more_notes_than_a_tree_holds_are_left_out";
    TREE_MESSAGES = "tree.messages", Count, 16_384, 1 << 20,
        "Messages completed by one frame. Further messages are dissected with the next frame of the conversation",
        "each_limit_changes_what_is_shown";
    TREE_TEXT = "tree.text", Bytes, 8 * MIB, PLACES,
        "Text generated per frame, such as paths and headings. Further text is omitted, with a note",
        "text_past_the_limit_of_a_tree_is_left_out_and_noted";
    TREE_NOTE_TEXT = "tree.note_text", Bytes, KIB, MIB,
        "Text of one note. Longer text is truncated",
        "the_text_of_a_note_is_cut_at_its_limit";
    TREE_DERIVED = "tree.derived", Bytes, 32 * MIB, PLACES,
        "Decompressed and decrypted bytes per frame; the default holds a body of 16 MiB decrypted and decompressed. Further bytes are omitted, with a note",
        "derived_bytes_that_do_not_fit_are_left_out_and_counted";
    DATAGRAM_BYTES = "datagrams.memory", Bytes, 16 * MIB, PLACES,
        "Memory of protocol state of all UDP conversations; four times as much for `objects`. Above it the longest idle states are evicted",
        "states_of_datagrams_past_the_limit_are_forgotten_and_counted";
    FRAGMENT_BYTES = "fragments.memory", Bytes, 4 * MIB, PLACES,
        "Memory of incomplete IP datagrams. Above it the oldest are shown as fragments",
        "memory_is_bounded";
    FRAGMENT_PARTS = "fragments.parts", Count, 8192, 1 << 16,
        "Fragments of one IP datagram: 64 KiB in the smallest fragments",
        "each_limit_changes_what_is_shown";
    PIPBOY_VALUES = "pipboy.values", Count, 1_000_000, 1 << 24,
        "Values of one Pip-Boy, 40 bytes each. Further values are not kept, with a note",
        "a_full_tree_is_noted_once";
    PIPBOY_TEXT = "pipboy.text", Bytes, 16 * MIB, PLACES,
        "Names and texts of one Pip-Boy. Above it new values are not kept, with a note",
        "each_limit_changes_what_is_shown";
    PIPBOY_NAME = "pipboy.name", Bytes, 256, 1 << 16,
        "Name within a Pip-Boy path, which has up to 64 of them. Longer names are truncated, with a note",
        "a_long_name_is_cut_in_paths_and_noted";
    STREAM_MESSAGE = "stream.message", Bytes, 16 * MIB + 64, PLACES,
        "Longest message of a stream to reassemble, including its header. Longer messages are shown as data, with a note",
        "each_limit_changes_what_is_shown";
    STREAM_OPENING = "stream.opening", Bytes, 64 * KIB, PLACES,
        "Bytes of one direction kept until a protocol has recognized the stream",
        "each_limit_changes_what_is_shown";
    STREAM_PARKED = "stream.parked", Bytes, 4 * MIB, PLACES,
        "Bytes of one direction that wait for a missing segment. Above it the segment is counted as lost",
        "each_limit_changes_what_is_shown";
    STREAM_PARKED_SEGMENTS = "stream.parked_segments", Count, 4096, 1 << 20,
        "Segments of one direction that wait for a missing segment. Above it the segment is counted as lost",
        "each_limit_changes_what_is_shown";
    STREAM_UNACKNOWLEDGED = "stream.unacknowledged", Count, 1024, 1 << 16,
        "Unacknowledged segments of one direction, kept for round-trip times and bytes in flight",
        "memory_is_bounded_without_acknowledgments";
    CONVERSATIONS = "conversations", Count, 28_672, 1 << 24,
        "Conversations per transport. Above it the longest idle ones are evicted, which is counted",
        "the_quietest_conversations_are_forgotten_first";
    STREAM_MEMORY = "streams.memory", Bytes, 22 * MIB, PLACES,
        "Memory of all streams with their protocol state. Above it the longest idle ones are evicted, which is counted",
        "each_limit_changes_what_is_shown";
    ANNOUNCED = "announced", Count, 16_384, 1 << 24,
        "Senders of broadcast requests, negotiated conversations, and connection IDs. Above it all of them are evicted",
        "each_limit_changes_what_is_shown";
    EARLIER = "earlier", Count, 16_384, 1 << 24,
        "ICMP echo requests and ARP addresses that later packets refer to, if a filter or column requires them. Above it all are evicted",
        "packets_past_the_limit_are_forgotten";
    MESSAGE_DEPTH = "messages.depth", Count, 16, 64,
        "Nesting of messages within messages. Deeper messages are data",
        "each_limit_changes_what_is_shown";
    FRAME_LAYERS = "frame.layers", Count, 32, 256,
        "Headers of one frame. Deeper headers are data",
        "each_limit_changes_what_is_shown";
    SECRETS = "secrets", Bytes, 32 * MIB, PLACES,
        "Memory of keys from key logs and frames. Above it the oldest are evicted",
        "each_limit_changes_what_is_shown";
    KEY_FILE = "keys.file", Bytes, 64 * MIB, PLACES,
        "A key file (`--keys`). A longer one is refused; one that grows beyond it is read no further, with an error",
        "files_values_lines_and_their_number_are_limited";
    KEY_LINES = "keys.lines", Count, 1 << 18, 1 << 24,
        "Keys of one key file, about 300 bytes each. More are refused",
        "files_values_lines_and_their_number_are_limited";
    KEY_VALUE = "keys.value", Bytes, 64 * KIB, 16 * MIB,
        "Value of a key. A longer one is refused",
        "files_values_lines_and_their_number_are_limited";
    KEY_REQUESTS = "keys.requests", Count, 1 << 16, 1 << 24,
        "Keys that conversations ask for, in the list of `keys`. Further ones are left out",
        "requests_of_conversations_are_recorded_up_to_a_limit";
    TREE_HANDED = "tree.handed", Count, 1 << 16, 1 << 20,
        "Payloads of one message for other protocols. Further payloads are data",
        "each_limit_changes_what_is_shown";
    REQUESTS = "requests", Count, 32, 1 << 16,
        "Pending requests of one conversation. Above it the oldest is evicted",
        "each_limit_changes_what_is_shown";
    STATS_CONVERSATIONS = "stats.conversations", Count, 1 << 19, 1 << 24,
        "Conversations and endpoints in `stats`, 48 bytes each. The others are summed up",
        "each_limit_changes_what_is_shown";
    STATS_EXPERT = "stats.expert", Count, 10_000, 1 << 20,
        "Distinct expert items in `-z expert`. The others are counted",
        "each_limit_changes_what_is_shown";
    STATS_EXPERT_TEXT = "stats.expert_text", Bytes, 256, 1 << 16,
        "Text of one expert item in `-z expert`. Longer text is truncated",
        "each_limit_changes_what_is_shown";
    STATS_TOPICS = "stats.topics", Count, 10_000, 1 << 20,
        "Rows of a tree in `stats`, such as `-z http_req,tree`. Counts of others are summed up",
        "each_limit_changes_what_is_shown";
    STATS_ROWS = "stats.rows", Count, 100_000, 1 << 24,
        "Rows of `-z credentials` and of flows. The others are counted",
        "each_limit_changes_what_is_shown";
    STATS_HOSTS = "stats.hosts", Count, 100_000, 1 << 24,
        "Addresses in `-z hosts`. Responses about others are counted",
        "each_limit_changes_what_is_shown";
    STATS_RTP = "stats.rtp", Count, 10_000, 1 << 20,
        "Streams in `-z rtp,streams`. Packets of others are counted",
        "each_limit_changes_what_is_shown";
    FOLLOW_CONVERSATIONS = "follow.conversations", Count, 1_000_000, 1 << 24,
        "Conversations in the list of `follow`. The others are counted",
        "each_limit_changes_what_is_shown";
    EXPLORE_BYTES = "explore.bytes", Bytes, 64 * MIB, PLACES,
        "Bytes of all conversations that `explore` collects. Further bytes are counted",
        "bytes_above_the_limit_are_counted";
    EXPLORE_GROUPS = "explore.groups", Count, 64, 1 << 20,
        "Groups of conversations in `explore`, by descending size. The others are counted",
        "groups_past_the_limit_are_counted";
    BROWSE_ROWS = "browse.rows", Count, 1_000_000, 1 << 24,
        "Records in the list of `browse`, about 120 bytes each. The others are counted; a filter applies to all",
        "records_past_the_limit_are_counted";
    BROWSE_FIELDS = "browse.fields", Count, 100_000, 1 << 24,
        "Fields of one record in `browse`. The others are counted",
        "fields_past_the_limit_are_counted";
    BROWSE_TEXT = "browse.text", Bytes, 16 * MIB, PLACES,
        "Text of a conversation or of statistics in `browse`. Longer text is truncated, with a last line about that",
        "a_text_above_the_limit_is_truncated_with_a_note";
    DIFF_MEMORY = "diff.memory", Bytes, 256 * MIB, PLACES,
        "Memory of the fields of each side in `diff`. Further messages are counted",
        "messages_that_find_no_room_are_counted_and_reported";
    JSON_BYTES = "json.bytes", Bytes, 4 * MIB, PLACES,
        "Longest JSON text to parse",
        "each_limit_changes_what_is_shown";
    JSON_VALUES = "json.values", Count, 50_000, 1 << 24,
        "Values of one JSON text",
        "each_limit_changes_what_is_shown";
    HTTP_HEAD = "http.head", Bytes, 256 * KIB, PLACES,
        "HTTP message head. A longer one is data",
        "each_limit_changes_what_is_shown";
    HTTP_BODY = "http.body", Bytes, 16 * MIB, PLACES,
        "HTTP body dissected as one message, compressed and decompressed. A longer one is dissected in parts",
        "each_limit_changes_what_is_shown";
    HTTP_CHUNKS = "http.chunks", Count, 1 << 16, 1 << 24,
        "Chunks of an HTTP body whose position in the capture is kept",
        "each_limit_changes_what_is_shown";
    HTTP2_HEADERS = "http2.headers", Bytes, 256 * KIB, PLACES,
        "Header fields of one HTTP/2 message, encoded and decoded. Further fields are omitted, with a note",
        "each_limit_changes_what_is_shown";
    HTTP2_TABLE = "http2.table", Bytes, 256 * KIB, PLACES,
        "Dynamic table of one direction of HTTP/2. Above it the oldest entries are evicted; references to them get a note",
        "each_limit_changes_what_is_shown";
    HTTP2_STREAMS = "http2.streams", Count, 1024, 1 << 20,
        "Open streams of one HTTP/2 or HTTP/3 connection. Above it the oldest is evicted, with a note",
        "each_limit_changes_what_is_shown";
    HTTP2_KEPT = "http2.kept", Bytes, 4 * MIB, PLACES,
        "Bytes of incomplete bodies of one HTTP/2 connection. Further bodies are not reassembled, with a note",
        "each_limit_changes_what_is_shown";
    WEBSOCKET_MESSAGE = "websocket.message", Bytes, 16 * MIB, PLACES,
        "WebSocket message, compressed and decompressed",
        "each_limit_changes_what_is_shown";
    WEBSOCKET_KEPT = "websocket.kept", Bytes, 4 * MIB, PLACES,
        "Bytes of an incomplete WebSocket message kept between its frames, with their positions in the capture",
        "each_limit_changes_what_is_shown";
    MQTT_MESSAGE = "mqtt.message", Bytes, 16 * MIB, PLACES,
        "MQTT packet",
        "each_limit_changes_what_is_shown";
    SMTP_LINE = "smtp.line", Bytes, 64 * KIB, PLACES,
        "SMTP line",
        "each_limit_changes_what_is_shown";
    SMTP_MAIL = "smtp.mail", Bytes, 16 * MIB, PLACES,
        "Mail dissected as one message",
        "each_limit_changes_what_is_shown";
    FTP_LINE = "ftp.line", Bytes, 64 * KIB, PLACES,
        "FTP line",
        "each_limit_changes_what_is_shown";
    TEXT_LINE = "text.line", Bytes, 64 * KIB, PLACES,
        "Line of Redis, IMAP, POP3 or NATS. Longer lines, and lines of Telnet, are shown in parts",
        "each_limit_changes_what_is_shown";
    IRC_LINE = "irc.line", Bytes, 16 * KIB, PLACES,
        "IRC line",
        "each_limit_changes_what_is_shown";
    SIP_HEAD = "sip.head", Bytes, 64 * KIB, PLACES,
        "SIP message head",
        "each_limit_changes_what_is_shown";
    SIP_MESSAGE = "sip.message", Bytes, MIB, PLACES,
        "SIP message over TCP",
        "each_limit_changes_what_is_shown";
    TFTP_FILE = "tftp.file", Bytes, 16 * MIB, PLACES,
        "TFTP file to reassemble. Of a longer file only the blocks are shown",
        "each_limit_changes_what_is_shown";
    DNS_POINTERS = "dns.pointers", Count, 128, 1 << 14,
        "Pointers of one DNS name",
        "each_limit_changes_what_is_shown";
    DNS_NAME = "dns.name", Bytes, KIB, 1 << 16,
        "DNS name as text, including escape sequences",
        "each_limit_changes_what_is_shown";
    PARTS_MESSAGES = "parts.messages", Count, 64, 1 << 16,
        "Incomplete messages of one side of a datagram conversation. Above it the oldest is dropped, with a note",
        "each_limit_changes_what_is_shown";
    PARTS_MEMORY = "parts.memory", Bytes, 4 * MIB, PLACES,
        "Fragments of messages of one side. Above it the oldest message is dropped, with a note",
        "each_limit_changes_what_is_shown";
    RAKNET_MESSAGES = "raknet.messages", Count, 64, 1 << 16,
        "Incomplete messages of one side. Above it the oldest is dropped, with a note",
        "each_limit_changes_what_is_shown";
    RAKNET_PARTS = "raknet.memory", Bytes, 4 * MIB, PLACES,
        "Fragments of messages of one side. Above it the oldest message is dropped, with a note",
        "each_limit_changes_what_is_shown";
    RS_POSITIONS = "rs.positions", Count, 1 << 20, 1 << 26,
        "Player positions of one RuneScape session in `objects`, 32 bytes each",
        "each_limit_changes_what_is_shown";
    RS_CHAT = "rs.chat", Bytes, 16 * MIB, PLACES,
        "Chat of one RuneScape session in `objects`",
        "each_limit_changes_what_is_shown";
    XFIRE_ROWS = "xfire.rows", Count, 16_384, 1 << 20,
        "Rows assembled from lists of one Xfire packet",
        "each_limit_changes_what_is_shown";
    XFIRE_FILES = "xfire.files", Bytes, 64 * MIB, PLACES,
        "Bytes of files between two Xfire clients in `objects`",
        "each_limit_changes_what_is_shown";
    QUIC_HANDSHAKE = "quic.handshake", Bytes, 64 * KIB, PLACES,
        "Handshake bytes of one direction of QUIC that wait for missing ones. Further ones are not reassembled, with a note",
        "each_limit_changes_what_is_shown";
    QUIC_STREAMS = "quic.streams", Count, 1024, 1 << 20,
        "Open bidirectional streams of one QUIC connection. Above it the oldest is evicted, with a note",
        "each_limit_changes_what_is_shown";
    QUIC_STREAMS_KEPT = "quic.kept", Bytes, 8 * MIB, PLACES,
        "Stream bytes of one QUIC connection that wait for missing ones. Above it the stream is not dissected any further, with a note",
        "each_limit_changes_what_is_shown";
    HTTP3_FRAME = "http3.frame", Bytes, MIB, PLACES,
        "HTTP/3 frame. A longer one is dissected in parts",
        "each_limit_changes_what_is_shown";
    HTTP3_TABLE = "http3.table", Bytes, 256 * KIB, PLACES,
        "Dynamic table of one direction of HTTP/3. Above it the oldest entries are evicted; references to them get a note",
        "each_limit_changes_what_is_shown";
    HTTP3_BLOCKED = "http3.blocked", Bytes, 256 * KIB, PLACES,
        "Field sections of one HTTP/3 connection that wait for entries of the dynamic table. Further ones are decoded without them, with a note",
        "each_limit_changes_what_is_shown";
    TLS_HANDSHAKE = "tls.handshake", Bytes, 256 * KIB, PLACES,
        "Handshake message of TLS in several records, or of DTLS in fragments",
        "each_limit_changes_what_is_shown";
    LIBRPC_NESTED = "librpc.nested", Count, 65_536, 1 << 20,
        "Nested nodes of one librpc message",
        "each_limit_changes_what_is_shown";
    HTML_RECORDS = "html.records", Count, 100_000, 1 << 22,
        "Records of a page of `-T html`. The others are counted in its summary only. A filter of the page visits all fields of all records",
        "each_limit_changes_what_is_shown";
    HTML_PAGE = "html.page", Bytes, 64 * MIB, PLACES,
        "Size of a page of `-T html`, which a browser keeps in memory. Records that do not fit are counted in its summary only",
        "each_limit_changes_what_is_shown";
    KSY_RECURSION = "ksy.recursion", Count, 128, 256,
        "Nesting of types and instances of a Kaitai Struct file at run time. Deeper ones end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_VALUES = "ksy.values", Count, 1 << 20, 1 << 24,
        "Values, objects, lists and streams of one message of a Kaitai Struct file, 64 bytes each. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_OPERATIONS = "ksy.operations", Count, 1 << 24, 1 << 30,
        "Fields, steps of expressions, and 64-byte blocks of one message. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_IDLE = "ksy.idle", Count, 1 << 14, 1 << 24,
        "Empty elements of one repetition. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_COMPUTED = "ksy.computed", Bytes, 16 * MIB, PLACES,
        "Strings and bytes created by expressions of one message. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    KSY_PROCESSED = "ksy.processed", Bytes, 64 * MIB, PLACES,
        "Decompressed and otherwise processed bytes of one message, plus 256 per part. More end the message, with a note",
        "each_limit_of_a_run_ends_it_with_its_note";
    DECOMPRESSED = "decompressed.always", Bytes, 256 * MIB, PLACES,
        "Decompressed bodies and messages of one run, regardless of the size of the capture. The next limit adds to it for larger captures",
        "decompressed_bytes_of_a_run_are_bounded_by_the_capture";
    DECOMPRESSED_RATIO = "decompressed.ratio", Count, 16, 1024,
        "Bytes of decompressed bodies per byte of the capture. Above it bodies are truncated, with a note",
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
