//! The static parts of the page: head, style, script and view.

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

/// The style sheet.
pub const STYLE: &str = include_str!("page.css");

/// The script, joined from several files in one scope.
pub const SCRIPT: &str = concat!(
    "\"use strict\";(()=>{\n",
    include_str!("data.js"),
    include_str!("filter.js"),
    include_str!("rows.js"),
    include_str!("view.js"),
    "})();\n"
);

/// The elements of the view, filled by the script.
const VIEW: &str = include_str!("view.html");

/// Writes everything up to the records.
///
/// The content security policy admits only this script and style, and loads nothing. A capture cannot inject scripts, styles or
/// links, even if an escape were missing.
pub fn head(title: &str, out: &mut String) {
    out.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"");
    out.push_str(&policy());
    out.push_str("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    out.push_str(concat!("<meta name=\"generator\" content=\"proto-dissect ", env!("CARGO_PKG_VERSION"), "\">\n<title>"));
    escaped(title, out);
    out.push_str("</title>\n<style>");
    out.push_str(STYLE);
    out.push_str("</style>\n</head>\n<body>\n<header>\n<h1>");
    escaped(title, out);
    out.push_str("</h1>\n");
    out.push_str(VIEW);
}

/// Writes everything after the summary.
pub fn tail(out: &mut String) {
    out.push_str("<script>");
    out.push_str(SCRIPT);
    out.push_str("</script>\n</body>\n</html>\n");
}

/// The content security policy of the page.
pub fn policy() -> String {
    let (script, style) = (hash(SCRIPT), hash(STYLE));
    format!("default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'none'")
}

/// Hash of inline text for a policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text)))
}

/// Escapes text for HTML.
pub fn escaped(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character => out.push(character),
        }
    }
}

/// Escapes JSON for an element of the page, so that it cannot contain a tag or comment. `<` occurs only in strings, where its
/// escape sequence is equivalent.
pub fn data(json: &str, out: &mut String) {
    let mut rest = json;
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        out.push_str("\\u003c");
        rest = behind;
    }
    out.push_str(rest);
}
