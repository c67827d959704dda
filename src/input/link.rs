//! Names of link types, for output and for the command line. `layers` maps them to dissectors.

use std::borrow::Cow;
use std::sync::LazyLock;

/// The name of a link type of the tcpdump.org list, in lower case; `None` if it has no name here.
#[must_use]
pub fn link_name(link: u16) -> Option<&'static str> {
    let at = LINKS.binary_search_by_key(&link, |(number, _)| *number).ok()?;
    LINKS.get(at)?.1.split('\t').next()
}

/// Parses a link type: its number, its name as in [`link_name`], its name in tcpdump.org's list or in libpcap (`EN10MB`,
/// `DLT_LINUX_SLL`), or a common abbreviation (`eth`, `wlan`). Ignores case, the separators `-`, `_` and `.`, and a description
/// as `tcpdump -L` prints it: `LINUX_SLL2 (Linux cooked v2)`.
#[must_use]
pub fn link_number(name: &str) -> Option<u16> {
    if let Ok(number) = name.parse() {
        return Some(number);
    }
    let name = name.split(" (").next().unwrap_or(name);
    let plain = plain(name);
    let plain = plain.strip_prefix("dlt-").or_else(|| plain.strip_prefix("linktype-")).unwrap_or(&plain);
    // A few numbers share a name. The number used in capture files is the last.
    let known = LINKS.iter().rev().find(|(_, names)| names.split('\t').any(|name| self::plain(name) == plain));
    known.map(|(number, _)| *number).or_else(|| user(plain))
}

/// All names that [`link_number`] accepts, for suggestions.
pub fn link_names() -> impl Iterator<Item = &'static str> {
    LINKS.iter().flat_map(|(_, names)| names.split('\t'))
}

/// Link types for private use have names too.
fn user(name: &str) -> Option<u16> {
    let number: u16 = name.strip_prefix("user")?.parse().ok()?;
    (number < 16).then_some(147 + number)
}

fn plain(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.to_ascii_lowercase().replace(['_', '.', ' '], "-"))
}

/// Numbers and names of `links.tsv`, sorted by number. The first name is printed; people write any of them.
static LINKS: LazyLock<Vec<(u16, &str)>> = LazyLock::new(|| {
    let rows = include_str!("links.tsv").lines().filter_map(|line| line.split_once('\t'));
    rows.filter_map(|(number, names)| Some((number.parse().ok()?, names))).collect()
});
