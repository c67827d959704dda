//! Header fields with a separate name in filters and columns.

use crate::protocols::http::CODES;
use crate::protocols::http2::known;
use crate::tree::fields;

fields! {
    AUTHORITY = text("http3.headers.authority", ":authority", "Host and port of the request target").transformed().twin(&known::AUTHORITY);
    METHOD = text("http3.headers.method", ":method", "Request method").transformed().twin(&known::METHOD);
    PATH = text("http3.headers.path", ":path", "Path and query of the request target").transformed().twin(&known::PATH);
    SCHEME = text("http3.headers.scheme", ":scheme", "Scheme of the request target").transformed().twin(&known::SCHEME);
    STATUS = number("http3.headers.status", ":status", "Status code of the response").names(CODES).twin(&known::STATUS);
    ACCEPT = text("http3.headers.accept", "accept", "Media types accepted by the client").transformed().twin(&known::ACCEPT);
    ACCEPT_CHARSET = text("http3.headers.accept_charset", "accept-charset", "Charsets accepted by the client").transformed().twin(&known::ACCEPT_CHARSET);
    ACCEPT_ENCODING = text("http3.headers.accept_encoding", "accept-encoding", "Content codings accepted by the client").transformed().twin(&known::ACCEPT_ENCODING);
    ACCEPT_LANGUAGE = text("http3.headers.accept_language", "accept-language", "Languages preferred by the client").transformed().twin(&known::ACCEPT_LANGUAGE);
    ACCEPT_RANGES = text("http3.headers.accept_ranges", "accept-ranges", "Whether the server supports range requests").transformed().twin(&known::ACCEPT_RANGES);
    ACCESS_CONTROL_ALLOW_ORIGIN = text("http3.headers.access_control_allow_origin", "access-control-allow-origin", "Origins that may read the response").transformed().twin(&known::ACCESS_CONTROL_ALLOW_ORIGIN);
    AGE = number("http3.headers.age", "age", "Seconds since the response was generated").twin(&known::AGE);
    ALLOW = text("http3.headers.allow", "allow", "Methods that the resource supports").transformed().twin(&known::ALLOW);
    AUTHORIZATION = text("http3.headers.authorization", "authorization", "Credentials of the client").secret().transformed().twin(&known::AUTHORIZATION);
    CACHE_CONTROL = text("http3.headers.cache_control", "cache-control", "Directives for caches").transformed().twin(&known::CACHE_CONTROL);
    CONTENT_DISPOSITION = text("http3.headers.content_disposition", "content-disposition", "Whether the body is a download, and its file name").transformed().twin(&known::CONTENT_DISPOSITION);
    CONTENT_ENCODING = text("http3.headers.content_encoding", "content-encoding", "Compression of the body").transformed().twin(&known::CONTENT_ENCODING);
    CONTENT_LANGUAGE = text("http3.headers.content_language", "content-language", "Language of the body").transformed().twin(&known::CONTENT_LANGUAGE);
    CONTENT_LENGTH = number("http3.headers.content_length", "content-length", "Size of the body in bytes").twin(&known::CONTENT_LENGTH);
    CONTENT_LOCATION = text("http3.headers.content_location", "content-location", "URI of the body").transformed().twin(&known::CONTENT_LOCATION);
    CONTENT_RANGE = text("http3.headers.content_range", "content-range", "Part of the resource that the body holds").transformed().twin(&known::CONTENT_RANGE);
    CONTENT_TYPE = text("http3.headers.content_type", "content-type", "Media type of the body").transformed().twin(&known::CONTENT_TYPE);
    COOKIE = text("http3.headers.cookie", "cookie", "Cookies set by earlier responses").secret().transformed().twin(&known::COOKIE);
    DATE = text("http3.headers.date", "date", "When the message was generated").transformed().twin(&known::DATE);
    ETAG = text("http3.headers.etag", "etag", "Version of the resource").transformed().twin(&known::ETAG);
    EXPECT = text("http3.headers.expect", "expect", "Behaviour that the request requires").transformed().twin(&known::EXPECT);
    EXPIRES = text("http3.headers.expires", "expires", "When the response becomes stale").transformed().twin(&known::EXPIRES);
    FROM = text("http3.headers.from", "from", "Email address of the user").transformed().twin(&known::FROM);
    IF_MATCH = text("http3.headers.if_match", "if-match", "Condition on the version of the resource").transformed().twin(&known::IF_MATCH);
    IF_MODIFIED_SINCE = text("http3.headers.if_modified_since", "if-modified-since", "Condition on the modification date").transformed().twin(&known::IF_MODIFIED_SINCE);
    IF_NONE_MATCH = text("http3.headers.if_none_match", "if-none-match", "Condition on the version of the resource").transformed().twin(&known::IF_NONE_MATCH);
    IF_RANGE = text("http3.headers.if_range", "if-range", "Condition for a range").transformed().twin(&known::IF_RANGE);
    IF_UNMODIFIED_SINCE = text("http3.headers.if_unmodified_since", "if-unmodified-since", "Condition on the modification date").transformed().twin(&known::IF_UNMODIFIED_SINCE);
    LAST_MODIFIED = text("http3.headers.last_modified", "last-modified", "When the resource last changed").transformed().twin(&known::LAST_MODIFIED);
    LINK = text("http3.headers.link", "link", "Related resources").transformed().twin(&known::LINK);
    LOCATION = text("http3.headers.location", "location", "Target of a redirection, or URI of a created resource").transformed().twin(&known::LOCATION);
    MAX_FORWARDS = number("http3.headers.max_forwards", "max-forwards", "Limit on the number of proxies").twin(&known::MAX_FORWARDS);
    PROXY_AUTHENTICATE = text("http3.headers.proxy_authenticate", "proxy-authenticate", "Challenge of the proxy").transformed().twin(&known::PROXY_AUTHENTICATE);
    PROXY_AUTHORIZATION = text("http3.headers.proxy_authorization", "proxy-authorization", "Credentials for the proxy").secret().transformed().twin(&known::PROXY_AUTHORIZATION);
    RANGE = text("http3.headers.range", "range", "Part of the resource that is requested").transformed().twin(&known::RANGE);
    REFERER = text("http3.headers.referer", "referer", "URI of the referring page").transformed().twin(&known::REFERER);
    REFRESH = text("http3.headers.refresh", "refresh", "Seconds and URI of a redirection").transformed().twin(&known::REFRESH);
    RETRY_AFTER = text("http3.headers.retry_after", "retry-after", "When to repeat the request").transformed().twin(&known::RETRY_AFTER);
    SERVER = text("http3.headers.server", "server", "Software of the server").transformed().twin(&known::SERVER);
    SET_COOKIE = text("http3.headers.set_cookie", "set-cookie", "Cookie that the client is to return").secret().transformed().twin(&known::SET_COOKIE);
    STRICT_TRANSPORT_SECURITY = text("http3.headers.strict_transport_security", "strict-transport-security", "HTTPS policy of the host").transformed().twin(&known::STRICT_TRANSPORT_SECURITY);
    USER_AGENT = text("http3.headers.user_agent", "user-agent", "Software of the client").transformed().twin(&known::USER_AGENT);
    VARY = text("http3.headers.vary", "vary", "Request headers that select the response").transformed().twin(&known::VARY);
    VIA = text("http3.headers.via", "via", "Proxies on the path").transformed().twin(&known::VIA);
    WWW_AUTHENTICATE = text("http3.headers.www_authenticate", "www-authenticate", "Challenge of the server").transformed().twin(&known::WWW_AUTHENTICATE);
}
