//! HTTP/1.0 and HTTP/1.1: requests and responses, as RFC 9112 has them, on any TCP port.
//!
//! ```text
//! request     METHOD blank URI blank HTTP/1.x line end | headers | empty line | body
//!             GET blank path line end                                              HTTP/0.9, on ports of its own
//! response    HTTP/1.x blank code blank phrase line end | headers | empty line | body
//!
//! body        nothing                                    to HEAD; with 1xx, 204 and 304
//!             chunk, chunk … empty chunk, trailer        Transfer-Encoding: chunked
//!             so many bytes                              Content-Length
//!             up to the end of the stream                other responses
//! chunk       size in hexadecimal line end | data | line end
//! ```
//! A message is a head with its body. One of more than 16 MiB is told in parts, so that it need not be kept: the head is a
//! message, and so is each run of its body. What `CONNECT` and `101 Switching Protocols` open is handed on.
//!
//! Not covered: what answers HTTP/0.9; multipart bodies; codings other than gzip and deflate; ranges put together.

mod body;
mod generated;
mod head;
mod looks;
mod pairs;
mod session;
#[cfg(test)]
mod tests;

use crate::tree::{Names, fields, is_there};
use crate::wire::{Conversation, Looks, On, Protocol, Settings};

/// HTTP/1.
pub static PROTOCOL: Protocol = Protocol {
    this: &HTTP,
    fields: FIELDS,
    found: &[
        On::Tcp(80).stream(Looks::Stream(looks::on_port), open),
        On::Tcp(8080).stream(Looks::Stream(looks::on_port), open),
        On::Tcp(3128).stream(Looks::Stream(looks::on_port), open),
        On::AnyTcp.stream(Looks::Stream(looks::anywhere), open),
    ],
    rest: Some(&DATA),
    truncated: None,
    gap: None,
    tables: None,
    settings: &[],
};

fields! {
    HTTP = protocol("http", "HTTP", "Hypertext Transfer Protocol")
        .covers("HTTP/1 requests and responses; bodies without chunks and compression, JSON by its values, tunnels and upgrades");
    REQUEST = bool("http.request", "request", "True in requests");
    RESPONSE = bool("http.response", "response", "True in responses");
    METHOD = text("http.request.method", "method", "What is asked for");
    URI = text("http.request.uri", "uri", "What it is asked of, as the request names it");
    VERSION = text("http.request.version", "version", "Version of the client");
    FULL_URI = text("http.request.full_uri", "full uri", "What it is asked of, with the host");
    RESPONSE_VERSION = text("http.response.version", "version", "Version of the server");
    CODE = number("http.response.code", "code", "How it went").names(CODES);
    PHRASE = text("http.response.phrase", "phrase", "How it went, in the words of the server");
    REQUEST_IN = number("http.request_in", "request in", "Number of the frame that brought the request");
    REQUEST_NUMBER = number("http.request_number", "request number", "Counts the requests of a connection");
    RESPONSE_NUMBER = number("http.response_number", "response number", "The number of the request that it is paired with");
    PREVIOUS_REQUEST = number("http.prev_request_in", "previous request in", "Number of the frame that brought the request before");
    PREVIOUS_RESPONSE = number("http.prev_response_in", "previous response in", "Number of the frame that brought the response before");
    NEXT_REQUEST = number("http.next_request_in", "next request in", "Known only to a second pass over the capture: never there");
    NEXT_RESPONSE = number("http.next_response_in", "next response in", "Known only to a second pass over the capture: never there");
    RESPONSE_IN = number("http.response_in", "response in", "Known only to a second pass over the capture: never there");
    RESPONSE_FOR = text("http.response_for.uri", "response for", "What was asked of");
    TIME = float("http.time", "time", "Seconds since the request").seconds();

    ACCEPT = text("http.accept", "Accept", "Types that the client takes");
    ACCEPT_ENCODING = text("http.accept_encoding", "Accept-Encoding", "Codings that the client takes");
    ACCEPT_LANGUAGE = text("http.accept_language", "Accept-Language", "Languages that the client's user reads");
    AUTHORIZATION = text("http.authorization", "Authorization", "Proof of who the client is").secret();
    CACHE_CONTROL = text("http.cache_control", "Cache-Control", "What may be kept, and how long");
    CONNECTION = text("http.connection", "Connection", "What becomes of the connection");
    CONTENT_ENCODING = text("http.content_encoding", "Content-Encoding", "How the body is compressed");
    CONTENT_LENGTH = text("http.content_length_header", "Content-Length", "Bytes of the body, as written");
    LENGTH = number("http.content_length", "content length", "Bytes of the body");
    CONTENT_TYPE = text("http.content_type", "Content-Type", "What the body is");
    COOKIE = text("http.cookie", "Cookie", "Cookies that the server set earlier").secret();
    DATE = text("http.date", "Date", "When the response was made");
    HOST = text("http.host", "Host", "Which of the server's names is meant");
    HTTP2_SETTINGS = text("http.http2_settings", "HTTP2-Settings", "Settings of HTTP/2, to which the client would change");
    LAST_MODIFIED = text("http.last_modified", "Last-Modified", "When the content last changed");
    LOCATION = text("http.location", "Location", "Where to ask instead");
    PROXY_AUTHENTICATE = text("http.proxy_authenticate", "Proxy-Authenticate", "How the proxy wants proof");
    PROXY_AUTHORIZATION = text("http.proxy_authorization", "Proxy-Authorization", "Proof for the proxy").secret();
    REFERER = text("http.referer", "Referer", "Where the client found the address");
    WEBSOCKET_ACCEPT = text("http.sec_websocket_accept", "Sec-WebSocket-Accept", "Answer to the key");
    WEBSOCKET_EXTENSIONS = text("http.sec_websocket_extensions", "Sec-WebSocket-Extensions", "Extensions of WebSocket");
    WEBSOCKET_KEY = text("http.sec_websocket_key", "Sec-WebSocket-Key", "A number used once");
    WEBSOCKET_PROTOCOL = text("http.sec_websocket_protocol", "Sec-WebSocket-Protocol", "What is spoken over WebSocket");
    WEBSOCKET_VERSION = text("http.sec_websocket_version", "Sec-WebSocket-Version", "Version of WebSocket");
    SERVER = text("http.server", "Server", "Program of the server");
    SET_COOKIE = text("http.set_cookie", "Set-Cookie", "A cookie for the client to return").secret();
    TRANSFER_ENCODING = text("http.transfer_encoding", "Transfer-Encoding", "How the message is coded on its way");
    UPGRADE = text("http.upgrade", "Upgrade", "The protocol to change to");
    USER_AGENT = text("http.user_agent", "User-Agent", "Program of the client");
    WWW_AUTHENTICATE = text("http.www_authenticate", "WWW-Authenticate", "How the server wants proof");
    FORWARDED_FOR = text("http.x_forwarded_for", "X-Forwarded-For", "Who asked the proxy");
    OTHER = text("http.unknown_header", "header", "Any other line of the head");
    BLANK = bytes("http.blank", "blank line", "The empty line behind the head");
    REQUEST_LINE = text("http.request.line", "request header line", "A header line of a request")
        .generated(&[&REQUEST], generated::lines)
        .needs(generated::LINES);
    RESPONSE_LINE = text("http.response.line", "response header line", "A header line of a response")
        .generated(&[&RESPONSE], generated::lines)
        .needs(generated::LINES);
    CHAT = bool("http.chat", "formatted text", "A request or a response").generated(&[&REQUEST, &RESPONSE], is_there);
    CODE_DESCRIPTION = text("http.response.code.desc", "status code description", "What the code stands for")
        .generated(&[&CODE], generated::description);
    URI_PATH = text("http.request.uri.path", "path", "What is asked of, without the query").generated(&[&URI], generated::path);
    URI_QUERY = text("http.request.uri.query", "query", "What follows the question mark").generated(&[&URI], generated::query);
    URI_PARAMETER = text("http.request.uri.query.parameter", "query parameter", "A part of the query")
        .generated(&[&URI], generated::parameters);
    BASIC = text("http.authbasic", "credentials", "Name and password of the Basic scheme")
        .secret()
        .generated(&[&AUTHORIZATION, &PROXY_AUTHORIZATION], generated::basic);

    CHUNK_SIZE = number("http.chunk_size", "chunk size", "Bytes of a chunk");
    CHUNK_DATA = bytes("http.chunk_data", "chunk data", "A part of the body");
    CHUNK_BOUNDARY = bytes("http.chunk_boundary", "chunk boundary", "The line end behind a chunk");
    TRAILER = text("http.chunked_trailer_part", "trailer", "A header behind the body");
    ENCODED = bytes("http.encoded", "encoded body", "The body as it was compressed");
    FILE_DATA = text("http.file_data", "body", "The body, where it is text");
    FILE_BYTES = text("http.file_data.text", "body as text", "The body up to a zero byte, where it is not text as a whole")
        .also("http.file_data")
        .generated(&[&DATA], generated::body)
        .needs(&[&REQUEST, &RESPONSE, &ENCODED, &CHUNK_DATA, &BLANK]);
    DATA = bytes("http.data", "data", "The body, where it is none, and bytes that are not understood");

    BAD_CHUNK = broken("http.bad_chunk", "bad chunk", "What ought to be the size of a chunk is none");
    DECOMPRESSION_FAILED = odd("http.decompression_failed", "decompression failed", "The body is not what its coding says");
    DECOMPRESSION_LIMIT = odd("http.decompression_limit", "too much", "The body becomes larger than is followed");
    TE_AND_LENGTH = odd("http.te_and_length", "two lengths", "Transfer-Encoding and Content-Length together; the first counts");
    BAD_LENGTH = odd("http.bad_length", "bad length", "A Content-Length that is no number");
    IN_PARTS = info("http.in_parts", "in parts", "The body is so long that it is told in parts");
}

const CODES: Names = &[
    (100, "Continue"),
    (101, "Switching Protocols"),
    (102, "Processing"),
    (103, "Early Hints"),
    (200, "OK"),
    (201, "Created"),
    (202, "Accepted"),
    (203, "Non-Authoritative Information"),
    (204, "No Content"),
    (205, "Reset Content"),
    (206, "Partial Content"),
    (207, "Multi-Status"),
    (300, "Multiple Choices"),
    (301, "Moved Permanently"),
    (302, "Found"),
    (303, "See Other"),
    (304, "Not Modified"),
    (307, "Temporary Redirect"),
    (308, "Permanent Redirect"),
    (400, "Bad Request"),
    (401, "Unauthorized"),
    (402, "Payment Required"),
    (403, "Forbidden"),
    (404, "Not Found"),
    (405, "Method Not Allowed"),
    (406, "Not Acceptable"),
    (407, "Proxy Authentication Required"),
    (408, "Request Timeout"),
    (409, "Conflict"),
    (410, "Gone"),
    (411, "Length Required"),
    (412, "Precondition Failed"),
    (413, "Content Too Large"),
    (414, "URI Too Long"),
    (415, "Unsupported Media Type"),
    (416, "Range Not Satisfiable"),
    (417, "Expectation Failed"),
    (421, "Misdirected Request"),
    (422, "Unprocessable Content"),
    (426, "Upgrade Required"),
    (428, "Precondition Required"),
    (429, "Too Many Requests"),
    (431, "Request Header Fields Too Large"),
    (451, "Unavailable For Legal Reasons"),
    (500, "Internal Server Error"),
    (501, "Not Implemented"),
    (502, "Bad Gateway"),
    (503, "Service Unavailable"),
    (504, "Gateway Timeout"),
    (505, "HTTP Version Not Supported"),
    (511, "Network Authentication Required"),
];

/// Bytes of a run of a body that is told in parts.
const RUN: usize = 256 << 10;

fn open(_: &Settings) -> Box<dyn Conversation> {
    Box::<session::Session>::default()
}
