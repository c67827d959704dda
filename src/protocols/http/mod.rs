//! HTTP/1.0 and HTTP/1.1 (RFC 9112) on any TCP port.
//!
//! ```text
//! request     method SP request-target SP HTTP/1.x CRLF | headers | empty line | body
//!             GET SP path CRLF                                                 HTTP/0.9, on registered ports
//! response    HTTP/1.x SP status-code SP reason-phrase CRLF | headers | empty line | body
//!
//! body        none                                       responses to HEAD; with 1xx, 204 and 304
//!             chunk, chunk … empty chunk, trailer        Transfer-Encoding: chunked
//!             declared number of bytes                   Content-Length
//!             up to the end of the stream                other responses
//! chunk       size in hexadecimal CRLF | data | CRLF
//! ```
//! A message consists of headers and body. One above 16 MiB is dissected in parts to limit memory: the headers are a message, and
//! so is each part of the body. Data after `CONNECT` and `101 Switching Protocols` is handed over.
//!
//! Not covered: responses of HTTP/0.9; multipart bodies; codings other than gzip and deflate; reassembly of ranges.

pub(super) mod body;
mod generated;
mod head;
mod heuristics;
pub(super) mod media;
mod pairs;
mod session;
pub mod statistics;
#[cfg(test)]
mod tests;

use crate::tree::{Names, fields, is_there, title};
use crate::wire::statistics::{LoginFields, SecretForm};
use crate::wire::{ContentSource, FollowedContent, Heuristic, On, Protocol};
pub(super) use head::Coding;

/// Messages with decoded bodies.
pub static CONTENT: FollowedContent = FollowedContent {
    name: "http",
    what: "readable HTTP",
    source: ContentSource::Messages {
        head_end: &["http.blank"],
        body: &["http.file_data", "http.data"],
        parts: &["http.chunk_data"],
    },
};

pub static PROTOCOL: Protocol = Protocol::new(&HTTP, FIELDS)
    .found(&[
        On::Tcp(80).stream::<session::Session>(Heuristic::Stream(heuristics::on_port)),
        On::Tcp(8080).stream::<session::Session>(Heuristic::Stream(heuristics::on_port)),
        On::Tcp(3128).stream::<session::Session>(Heuristic::Stream(heuristics::on_port)),
        On::AnyTcp.stream::<session::Session>(Heuristic::Stream(heuristics::anywhere)),
        On::Tcp(80).stream::<session::Session>(Heuristic::Stream(heuristics::of_other_version)).by_port(),
        On::Tcp(8080).stream::<session::Session>(Heuristic::Stream(heuristics::of_other_version)).by_port(),
        On::Tcp(3128).stream::<session::Session>(Heuristic::Stream(heuristics::of_other_version)).by_port(),
    ])
    .rest(&DATA);

pub static LOGIN: LoginFields = LoginFields {
    form: SecretForm::Basic,
    ..LoginFields::plain(["http", "HTTP basic auth", ""], &["http.authorization", "http.proxy_authorization"])
};

fields! {
    HTTP = protocol("http", "HTTP", "Hypertext Transfer Protocol")
        .covers("HTTP/1 requests and responses; decoded and decompressed bodies, JSON by its values, tunnels and upgrades");
    REQUEST = bool("http.request", "request", "True in requests").once();
    RESPONSE = bool("http.response", "response", "True in responses").once();
    NOTIFICATION = bool("http.notification", "notification", "True in notifications of SSDP").on_request();
    METHOD = text("http.request.method", "request method", "").once();
    URI = text("http.request.uri", "request URI", "As in the request line").once();
    VERSION = text("http.request.version", "request version", "").once();
    FULL_URI = text("http.request.full_uri", "full request URI", "With scheme and host").once();
    RESPONSE_VERSION = text("http.response.version", "response version", "").once();
    CODE = number("http.response.code", "status code", "").names(CODES).once();
    PHRASE = text("http.response.phrase", "reason phrase", "").once();
    REQUEST_IN = number("http.request_in", "request in", "").once();
    REQUEST_NUMBER = number("http.request_number", "request number", "Counts the requests of a connection from 1").on_request();
    RESPONSE_NUMBER = number("http.response_number", "response number", "Number of the request that the response answers").on_request();
    PREVIOUS_REQUEST = number("http.prev_request_in", "previous request in", "").on_request();
    PREVIOUS_RESPONSE = number("http.prev_response_in", "previous response in", "").on_request();
    NEXT_REQUEST = number("http.next_request_in", "next request in", "Never present: it would need a second pass over the capture");
    NEXT_RESPONSE = number("http.next_response_in", "next response in", "Never present: it would need a second pass over the capture");
    RESPONSE_IN = number("http.response_in", "response in", "Never present: it would need a second pass over the capture");
    RESPONSE_FOR = text("http.response_for.uri", "response for", "URI of the request").once();
    TIME = float("http.time", "time since request", "In seconds").seconds().once();

    ACCEPT = text("http.accept", "Accept", "Media types accepted by the client");
    ACCEPT_ENCODING = text("http.accept_encoding", "Accept-Encoding", "Content codings accepted by the client");
    ACCEPT_LANGUAGE = text("http.accept_language", "Accept-Language", "Languages preferred by the client");
    AUTHORIZATION = text("http.authorization", "Authorization", "Credentials of the client").secret();
    CACHE_CONTROL = text("http.cache_control", "Cache-Control", "Directives for caches");
    CONNECTION = text("http.connection", "Connection", "Options of the connection");
    CONTENT_ENCODING = text("http.content_encoding", "Content-Encoding", "Compression of the body");
    CONTENT_LENGTH = text("http.content_length_header", "Content-Length", "Header value as text");
    LENGTH = number("http.content_length", "content length", "In bytes");
    CONTENT_TYPE = text("http.content_type", "Content-Type", "Media type of the body");
    COOKIE = text("http.cookie", "Cookie", "Cookies set by earlier responses").secret();
    DATE = text("http.date", "Date", "When the message was generated");
    HOST = text("http.host", "Host", "Host and port of the request URI");
    HTTP2_SETTINGS = text("http.http2_settings", "HTTP2-Settings", "Settings for an upgrade to HTTP/2");
    LAST_MODIFIED = text("http.last_modified", "Last-Modified", "When the content last changed");
    LOCATION = text("http.location", "Location", "Target of a redirection, or URI of a created resource");
    PROXY_AUTHENTICATE = text("http.proxy_authenticate", "Proxy-Authenticate", "Challenge of the proxy");
    PROXY_AUTHORIZATION = text("http.proxy_authorization", "Proxy-Authorization", "Credentials for the proxy").secret();
    REFERER = text("http.referer", "Referer", "URI of the referring page");
    WEBSOCKET_ACCEPT = text("http.sec_websocket_accept", "Sec-WebSocket-Accept", "Derived from Sec-WebSocket-Key");
    WEBSOCKET_EXTENSIONS = text("http.sec_websocket_extensions", "Sec-WebSocket-Extensions", "WebSocket extensions offered or accepted");
    WEBSOCKET_KEY = text("http.sec_websocket_key", "Sec-WebSocket-Key", "Random nonce of the handshake");
    WEBSOCKET_PROTOCOL = text("http.sec_websocket_protocol", "Sec-WebSocket-Protocol", "WebSocket subprotocols offered or selected");
    WEBSOCKET_VERSION = text("http.sec_websocket_version", "Sec-WebSocket-Version", "Version of the WebSocket protocol");
    SERVER = text("http.server", "Server", "Software of the server");
    SET_COOKIE = text("http.set_cookie", "Set-Cookie", "Cookie that the client is to return").secret();
    TRANSFER_ENCODING = text("http.transfer_encoding", "Transfer-Encoding", "Transfer codings, such as chunked");
    UPGRADE = text("http.upgrade", "Upgrade", "Protocols to switch to");
    USER_AGENT = text("http.user_agent", "User-Agent", "Software of the client");
    WWW_AUTHENTICATE = text("http.www_authenticate", "WWW-Authenticate", "Challenge of the server");
    FORWARDED_FOR = text("http.x_forwarded_for", "X-Forwarded-For", "Clients and proxies on the path");
    OTHER = text("http.unknown_header", "header", "Header without a specific field").named(title::header_name, title::header_value, title::nothing);
    BLANK = bytes("http.blank", "blank line", "Empty line at the end of the headers");
    REQUEST_LINE = text("http.request.line", "request header line", "")
        .generated(&[&REQUEST], generated::lines)
        .needs(generated::LINES);
    RESPONSE_LINE = text("http.response.line", "response header line", "")
        .generated(&[&RESPONSE], generated::lines)
        .needs(generated::LINES);
    CHAT = bool("http.chat", "formatted text", "True in request lines and status lines").generated(&[&REQUEST, &RESPONSE, &NOTIFICATION], is_there);
    CODE_DESCRIPTION = text("http.response.code.desc", "status code description", "Standard meaning of the status code")
        .generated(&[&CODE], generated::description);
    URI_PATH = text("http.request.uri.path", "request URI path", "URI without its query").generated(&[&URI], generated::path);
    URI_QUERY = text("http.request.uri.query", "request URI query", "After the question mark").generated(&[&URI], generated::query);
    URI_PARAMETER = text("http.request.uri.query.parameter", "request URI query parameter", "")
        .generated(&[&URI], generated::parameters);
    BASIC = text("http.authbasic", "credentials", "User name and password of the Basic scheme")
        .secret()
        .generated(&[&AUTHORIZATION, &PROXY_AUTHORIZATION], generated::basic);

    CHUNK_SIZE = number("http.chunk_size", "chunk size", "In bytes");
    CHUNK_DATA = bytes("http.chunk_data", "chunk data", "").body();
    CHUNK_BOUNDARY = bytes("http.chunk_boundary", "chunk boundary", "Line end of a chunk");
    TRAILER = text("http.chunked_trailer_part", "trailer field", "Header after the last chunk");
    ENCODED = bytes("http.encoded", "content-encoded body", "Body before decompression").body();
    FILE_DATA = text("http.file_data", "body", "Body that is text").body().once();
    FILE_BYTES = text("http.file_data.text", "body as text", "A body that is not UTF-8, as text; its bytes if it has a zero byte")
        .also("http.file_data")
        .generated(&[&DATA], generated::body)
        .needs(&[&REQUEST, &RESPONSE, &ENCODED, &CHUNK_DATA, &BLANK]);
    DATA = bytes("http.data", "data", "Body that is not text, and undissected bytes").body();

    BAD_CHUNK = broken("http.bad_chunk", "bad chunk", "Invalid chunk size");
    DECOMPRESSION_FAILED = odd("http.decompression_failed", "decompression failed", "The body does not match its content coding");
    DECOMPRESSION_LIMIT = odd("http.decompression_limit", "decompression limit", "The decompressed body exceeds the limit");
    TE_AND_LENGTH = odd("http.te_and_length", "Content-Length with Transfer-Encoding", "Transfer-Encoding applies");
    BAD_LENGTH = odd("http.bad_length", "bad length", "Content-Length that is not a number");
    IN_PARTS = info("http.in_parts", "in parts", "The body is dissected in parts because of its length");
}

pub(super) const CODES: Names = &[
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

/// Size in bytes of the parts of a long body.
const PART_SIZE: usize = 256 << 10;
