//! Names of character encodings.

use super::model::Encoding;
use crate::nearest::suggestion;

/// Encodings by their canonical names, with other names in use, in lower case without `-`, `_` and spaces.
/// The last ones are those that the reference compiler does not know, but passes on to its target languages.
pub static ENCODINGS: &[(&str, &[&str])] = &[
    ("ASCII", &["usascii", "iso646us", "ansix341968", "ascii7"]),
    ("UTF-8", &[]),
    ("UTF-16BE", &["ucs2be"]),
    ("UTF-16LE", &["ucs2le", "ucs2"]),
    ("UTF-32BE", &["ucs4be"]),
    ("UTF-32LE", &["ucs4le"]),
    ("ISO-8859-1", &["latin1", "l1", "88591"]),
    ("ISO-8859-2", &["latin2", "l2"]),
    ("ISO-8859-3", &["latin3", "l3"]),
    ("ISO-8859-4", &["latin4", "l4"]),
    ("ISO-8859-5", &["cyrillic"]),
    ("ISO-8859-6", &["arabic"]),
    ("ISO-8859-7", &["greek"]),
    ("ISO-8859-8", &["hebrew"]),
    ("ISO-8859-9", &["latin5", "l5"]),
    ("ISO-8859-10", &["latin6", "l6"]),
    ("ISO-8859-11", &["thai"]),
    ("ISO-8859-13", &["latin7", "l7"]),
    ("ISO-8859-14", &["latin8", "l8"]),
    ("ISO-8859-15", &["latin9", "l9"]),
    ("ISO-8859-16", &["latin10", "l10"]),
    ("windows-1250", &["cp1250"]),
    ("windows-1251", &["cp1251"]),
    ("windows-1252", &["cp1252", "ansi"]),
    ("windows-1253", &["cp1253"]),
    ("windows-1254", &["cp1254"]),
    ("windows-1255", &["cp1255"]),
    ("windows-1256", &["cp1256"]),
    ("windows-1257", &["cp1257"]),
    ("windows-1258", &["cp1258"]),
    ("IBM437", &["cp437", "437"]),
    ("IBM866", &["cp866", "866"]),
    ("Shift_JIS", &["sjis", "mskanji", "cp932", "windows31j", "ms932"]),
    ("Big5", &["cnbig5", "cp950"]),
    ("EUC-KR", &["cp949", "uhc", "ksc5601"]),
    ("EUC-JP", &["ujis", "eucjis", "eucj"]),
    ("GB2312", &["euccn", "gb231280"]),
    ("GBK", &["cp936", "ms936", "windows936"]),
    ("GB18030", &["gb180302000", "gb180302005"]),
    ("IBM850", &["cp850", "850"]),
    ("KOI8-R", &["koi8", "cp20866"]),
    ("UTF-16", &[]),
    ("windows-874", &["cp874", "win874", "ms874"]),
];

impl Encoding {
    /// The encoding of this name, in any spelling.
    #[must_use]
    pub fn of(name: &str) -> Encoding {
        let plain = plain(name);
        let found =
            ENCODINGS.iter().find(|(canonical, others)| self::plain(canonical) == plain || others.contains(&plain.as_str()));
        found.map_or_else(|| Encoding::Unknown(name.to_owned()), |(canonical, _)| Encoding::Known(canonical))
    }

    /// The problem of a name that is not the canonical one, and advice.
    pub(super) fn problem(&self, name: &str) -> Option<(String, Option<String>)> {
        match self {
            Encoding::Known(canonical) if *canonical == name => None,
            Encoding::Known(canonical) => {
                Some((format!("`{name}` is not the canonical name of the encoding"), Some(format!("write `{canonical}`"))))
            }
            Encoding::Unknown(_) => {
                let help = suggestion(name, ENCODINGS.iter().map(|(canonical, _)| *canonical));
                Some((format!("the encoding `{name}` is unknown; its text is not decoded"), help))
            }
        }
    }

    /// Whether text in it is decoded.
    pub(super) fn is_known(&self) -> bool {
        matches!(self, Encoding::Known(_))
    }

    /// Its canonical name, or the name as written.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Encoding::Known(name) => name,
            Encoding::Unknown(name) => name,
        }
    }

    /// Size of its code unit in bytes, which is the size of a terminator.
    #[must_use]
    pub fn unit(&self) -> usize {
        match self.name() {
            "UTF-16" | "UTF-16BE" | "UTF-16LE" => 2,
            "UTF-32BE" | "UTF-32LE" => 4,
            _ => 1,
        }
    }
}

/// A name without case and punctuation.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}
