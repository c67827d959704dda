//! Header fields with a separate name in filters and columns.

use crate::protocols::http::CODES;
use crate::tree::{Field, fields};

fields! {
    AUTHORITY = text("http2.headers.authority", ":authority", "Host and port of the request target").transformed();
    METHOD = text("http2.headers.method", ":method", "Request method").transformed();
    PATH = text("http2.headers.path", ":path", "Path and query of the request target").transformed();
    SCHEME = text("http2.headers.scheme", ":scheme", "Scheme of the request target").transformed();
    STATUS = number("http2.headers.status", ":status", "Status code of the response").names(CODES);
    ACCEPT = text("http2.headers.accept", "accept", "Media types accepted by the client").transformed();
    ACCEPT_CHARSET = text("http2.headers.accept_charset", "accept-charset", "Charsets accepted by the client").transformed();
    ACCEPT_ENCODING = text("http2.headers.accept_encoding", "accept-encoding", "Content codings accepted by the client").transformed();
    ACCEPT_LANGUAGE = text("http2.headers.accept_language", "accept-language", "Languages preferred by the client").transformed();
    ACCEPT_RANGES = text("http2.headers.accept_ranges", "accept-ranges", "Whether the server supports range requests").transformed();
    ACCESS_CONTROL_ALLOW_ORIGIN = text("http2.headers.access_control_allow_origin", "access-control-allow-origin", "Origins that may read the response").transformed();
    AGE = number("http2.headers.age", "age", "Seconds since the response was generated");
    ALLOW = text("http2.headers.allow", "allow", "Methods that the resource supports").transformed();
    AUTHORIZATION = text("http2.headers.authorization", "authorization", "Credentials of the client").secret().transformed();
    CACHE_CONTROL = text("http2.headers.cache_control", "cache-control", "Directives for caches").transformed();
    CONTENT_DISPOSITION = text("http2.headers.content_disposition", "content-disposition", "Whether the body is a download, and its file name").transformed();
    CONTENT_ENCODING = text("http2.headers.content_encoding", "content-encoding", "Compression of the body").transformed();
    CONTENT_LANGUAGE = text("http2.headers.content_language", "content-language", "Language of the body").transformed();
    CONTENT_LENGTH = number("http2.headers.content_length", "content-length", "Size of the body in bytes");
    CONTENT_LOCATION = text("http2.headers.content_location", "content-location", "URI of the body").transformed();
    CONTENT_RANGE = text("http2.headers.content_range", "content-range", "Part of the resource that the body holds").transformed();
    CONTENT_TYPE = text("http2.headers.content_type", "content-type", "Media type of the body").transformed();
    COOKIE = text("http2.headers.cookie", "cookie", "Cookies set by earlier responses").secret().transformed();
    DATE = text("http2.headers.date", "date", "When the message was generated").transformed();
    ETAG = text("http2.headers.etag", "etag", "Version of the resource").transformed();
    EXPECT = text("http2.headers.expect", "expect", "Behaviour that the request requires").transformed();
    EXPIRES = text("http2.headers.expires", "expires", "When the response becomes stale").transformed();
    FROM = text("http2.headers.from", "from", "Email address of the user").transformed();
    IF_MATCH = text("http2.headers.if_match", "if-match", "Condition on the version of the resource").transformed();
    IF_MODIFIED_SINCE = text("http2.headers.if_modified_since", "if-modified-since", "Condition on the modification date").transformed();
    IF_NONE_MATCH = text("http2.headers.if_none_match", "if-none-match", "Condition on the version of the resource").transformed();
    IF_RANGE = text("http2.headers.if_range", "if-range", "Condition for a range").transformed();
    IF_UNMODIFIED_SINCE = text("http2.headers.if_unmodified_since", "if-unmodified-since", "Condition on the modification date").transformed();
    LAST_MODIFIED = text("http2.headers.last_modified", "last-modified", "When the resource last changed").transformed();
    LINK = text("http2.headers.link", "link", "Related resources").transformed();
    LOCATION = text("http2.headers.location", "location", "Target of a redirection, or URI of a created resource").transformed();
    MAX_FORWARDS = number("http2.headers.max_forwards", "max-forwards", "Limit on the number of proxies");
    PROXY_AUTHENTICATE = text("http2.headers.proxy_authenticate", "proxy-authenticate", "Challenge of the proxy").transformed();
    PROXY_AUTHORIZATION = text("http2.headers.proxy_authorization", "proxy-authorization", "Credentials for the proxy").secret().transformed();
    RANGE = text("http2.headers.range", "range", "Part of the resource that is requested").transformed();
    REFERER = text("http2.headers.referer", "referer", "URI of the referring page").transformed();
    REFRESH = text("http2.headers.refresh", "refresh", "Seconds and URI of a redirection").transformed();
    RETRY_AFTER = text("http2.headers.retry_after", "retry-after", "When to repeat the request").transformed();
    SERVER = text("http2.headers.server", "server", "Software of the server").transformed();
    SET_COOKIE = text("http2.headers.set_cookie", "set-cookie", "Cookie that the client is to return").secret().transformed();
    STRICT_TRANSPORT_SECURITY = text("http2.headers.strict_transport_security", "strict-transport-security", "HTTPS policy of the host").transformed();
    USER_AGENT = text("http2.headers.user_agent", "user-agent", "Software of the client").transformed();
    VARY = text("http2.headers.vary", "vary", "Request headers that select the response").transformed();
    VIA = text("http2.headers.via", "via", "Proxies on the path").transformed();
    WWW_AUTHENTICATE = text("http2.headers.www_authenticate", "www-authenticate", "Challenge of the server").transformed();
}

/// Fields by header name, sorted.
const BY_NAME: &[(&str, &Field)] = &[
    (":authority", &AUTHORITY),
    (":method", &METHOD),
    (":path", &PATH),
    (":scheme", &SCHEME),
    (":status", &STATUS),
    ("accept", &ACCEPT),
    ("accept-charset", &ACCEPT_CHARSET),
    ("accept-encoding", &ACCEPT_ENCODING),
    ("accept-language", &ACCEPT_LANGUAGE),
    ("accept-ranges", &ACCEPT_RANGES),
    ("access-control-allow-origin", &ACCESS_CONTROL_ALLOW_ORIGIN),
    ("age", &AGE),
    ("allow", &ALLOW),
    ("authorization", &AUTHORIZATION),
    ("cache-control", &CACHE_CONTROL),
    ("content-disposition", &CONTENT_DISPOSITION),
    ("content-encoding", &CONTENT_ENCODING),
    ("content-language", &CONTENT_LANGUAGE),
    ("content-length", &CONTENT_LENGTH),
    ("content-location", &CONTENT_LOCATION),
    ("content-range", &CONTENT_RANGE),
    ("content-type", &CONTENT_TYPE),
    ("cookie", &COOKIE),
    ("date", &DATE),
    ("etag", &ETAG),
    ("expect", &EXPECT),
    ("expires", &EXPIRES),
    ("from", &FROM),
    ("if-match", &IF_MATCH),
    ("if-modified-since", &IF_MODIFIED_SINCE),
    ("if-none-match", &IF_NONE_MATCH),
    ("if-range", &IF_RANGE),
    ("if-unmodified-since", &IF_UNMODIFIED_SINCE),
    ("last-modified", &LAST_MODIFIED),
    ("link", &LINK),
    ("location", &LOCATION),
    ("max-forwards", &MAX_FORWARDS),
    ("proxy-authenticate", &PROXY_AUTHENTICATE),
    ("proxy-authorization", &PROXY_AUTHORIZATION),
    ("range", &RANGE),
    ("referer", &REFERER),
    ("refresh", &REFRESH),
    ("retry-after", &RETRY_AFTER),
    ("server", &SERVER),
    ("set-cookie", &SET_COOKIE),
    ("strict-transport-security", &STRICT_TRANSPORT_SECURITY),
    ("user-agent", &USER_AGENT),
    ("vary", &VARY),
    ("via", &VIA),
    ("www-authenticate", &WWW_AUTHENTICATE),
];

/// The field of a header.
pub(super) fn field_of(name: &[u8]) -> Option<&'static Field> {
    let place = BY_NAME.binary_search_by_key(&name, |(name, _)| name.as_bytes()).ok()?;
    BY_NAME.get(place).map(|(_, field)| *field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_is_found_by_its_name() {
        for (name, field) in BY_NAME {
            assert!(field_of(name.as_bytes()).is_some_and(|found| found.is(field) && field.name == *name), "{name}");
        }
        assert!(field_of(b"host").is_none());
    }
}
