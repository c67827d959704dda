//! The names that Wireshark has for bodies of content types.

/// Content types and the protocol that Wireshark reads them with.
const LAYERS: [(&str, &str); 21] = [
    ("application/json", "json"),
    ("application/ocsp-request", "ocsp"),
    ("application/ocsp-response", "ocsp"),
    ("application/pkix-crl", "pkix-crl"),
    ("application/soap+xml", "xml"),
    ("application/x-javascript", "data-text-lines"),
    ("application/x-www-form-urlencoded", "urlencoded-form"),
    ("application/xml", "xml"),
    ("image/gif", "image-gif"),
    ("image/jpeg", "image-jfif"),
    ("image/jpg", "image-jfif"),
    ("image/png", "png"),
    ("image/svg+xml", "xml"),
    ("text/css", "data-text-lines"),
    ("text/enriched", "data-text-lines"),
    ("text/html", "data-text-lines"),
    ("text/javascript", "data-text-lines"),
    ("text/parameters", "data-text-lines"),
    ("text/plain", "data-text-lines"),
    ("text/richtext", "data-text-lines"),
    ("text/xml", "xml"),
];

/// The protocol that Wireshark reads a body of this content type with.
pub(in crate::protocols) fn layer_of(kind: &[u8]) -> &'static str {
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let is_it = |(name, _): &&(&str, &str)| name.as_bytes().eq_ignore_ascii_case(kind);
    let is_multipart = || kind.get(..10).is_some_and(|kind| kind.eq_ignore_ascii_case(b"multipart/"));
    match LAYERS.iter().find(is_it) {
        Some((_, layer)) => layer,
        None if kind.is_empty() => "data",
        None if is_multipart() => "mime_multipart",
        None => "media",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_names_the_protocol_of_a_body() {
        let expected = [
            ("image/gif", "image-gif"),
            ("Text/HTML; charset=utf-8", "data-text-lines"),
            ("application/javascript; charset=utf-8", "media"),
            ("multipart/form-data; boundary=x", "mime_multipart"),
            ("", "data"),
        ];
        for (kind, layer) in expected {
            assert_eq!(layer_of(kind.as_bytes()), layer, "{kind}");
        }
    }
}
