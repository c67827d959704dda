//! Fingerprints of ClientHello and ServerHello: JA3 and JA3S (Salesforce), JA4 (FoxIO).

use md5::{Digest as _, Md5};
use sha2::Sha256;
use std::fmt::Write;

/// Parameters of a hello in wire order.
#[derive(Debug, Default, Clone)]
pub(in crate::protocols) struct Offer {
    pub(super) over_quic: bool,
    pub(super) over_dtls: bool,
    /// Length of the offered connection ID.
    pub(super) connection_id: Option<Box<[u8]>>,
    pub(super) version: u16,
    pub(super) suites: Vec<u16>,
    pub(super) extensions: Vec<u16>,
    pub(super) groups: Vec<u16>,
    pub(super) formats: Vec<u8>,
    pub(super) signatures: Vec<u16>,
    pub(super) versions: Vec<u16>,
    /// Server name.
    pub(super) name: String,
    /// ALPN protocols.
    pub(super) protocols: Vec<String>,
}

/// Parts of a JA4 fingerprint before hashing.
pub(super) struct Ja4 {
    shape: String,
    suites: String,
    extensions: String,
}

/// Whether a value is reserved by GREASE (RFC 8701).
pub(super) fn is_grease(number: u16) -> bool {
    number & 0x0f0f == 0x0a0a && number >> 8 == number & 0xff
}

fn decimal(numbers: impl IntoIterator<Item = u16>) -> String {
    let numbers: Vec<String> =
        numbers.into_iter().filter(|number| !is_grease(*number)).map(|number| number.to_string()).collect();
    numbers.join("-")
}

pub(super) fn ja3(offer: &Offer) -> String {
    let formats = offer.formats.iter().map(|format| u16::from(*format));
    let lists = [
        decimal(offer.suites.iter().copied()),
        decimal(offer.extensions.iter().copied()),
        decimal(offer.groups.iter().copied()),
        decimal(formats),
    ];
    format!("{},{}", offer.version, lists.join(","))
}

pub(super) fn ja3s(offer: &Offer) -> String {
    format!("{},{},{}", offer.version, decimal(offer.suites.iter().copied()), decimal(offer.extensions.iter().copied()))
}

/// MD5 digest as hexadecimal text.
pub(super) fn md5(text: &str) -> String {
    hex(&Md5::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn four_digits(numbers: &[u16]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:04x}")).collect();
    numbers.join(",")
}

pub(super) fn ja4(offer: &Offer) -> Ja4 {
    const SERVER_NAME: u16 = 0;
    const PROTOCOLS: u16 = 16;
    let plain = |numbers: &[u16]| numbers.iter().copied().filter(|number| !is_grease(*number)).collect::<Vec<_>>();
    let (mut suites, mut extensions) = (plain(&offer.suites), plain(&offer.extensions));
    let offered = plain(&offer.versions).into_iter();
    // DTLS version numbers decrease.
    let version = if offer.over_dtls { offered.min() } else { offered.max() }.unwrap_or(offer.version);
    let version = match version {
        0x0304 => "13",
        0x0303 => "12",
        0x0302 => "11",
        0x0301 => "10",
        0x0300 => "s3",
        0x0002 => "s2",
        0xfeff => "d1",
        0xfefd => "d2",
        0xfefc => "d3",
        _ => "00",
    };
    let shape = format!(
        "{}{version}{}{:02}{:02}{}",
        if offer.over_quic {
            'q'
        } else if offer.over_dtls {
            'd'
        } else {
            't'
        },
        if extensions.contains(&SERVER_NAME) { 'd' } else { 'i' },
        suites.len().min(99),
        extensions.len().min(99),
        alpn_characters(offer.protocols.first().map_or("", String::as_str))
    );
    suites.sort_unstable();
    extensions.retain(|kind| !matches!(*kind, SERVER_NAME | PROTOCOLS));
    extensions.sort_unstable();
    let signatures = plain(&offer.signatures);
    let mut extensions = four_digits(&extensions);
    if !signatures.is_empty() {
        extensions = format!("{extensions}_{}", four_digits(&signatures));
    }
    Ja4 { shape, suites: four_digits(&suites), extensions }
}

/// First and last character of an ALPN value; hexadecimal digits of its bytes if those are not alphanumeric.
fn alpn_characters(name: &str) -> String {
    let pick = |text: &str| -> Option<String> { Some([text.chars().next()?, text.chars().last()?].iter().collect()) };
    let is_plain = |end: Option<&u8>| end.is_none_or(u8::is_ascii_alphanumeric);
    let plain = is_plain(name.as_bytes().first()) && is_plain(name.as_bytes().last());
    let characters = if plain { pick(name) } else { pick(&hex(name.as_bytes())) };
    characters.unwrap_or_else(|| "00".to_owned())
}

impl Ja4 {
    pub(super) fn raw(&self) -> String {
        format!("{}_{}_{}", self.shape, self.suites, self.extensions)
    }

    pub(super) fn short(&self) -> String {
        format!("{}_{}_{}", self.shape, digest(&self.suites), digest(&self.extensions))
    }
}

/// First twelve digits of a SHA-256 digest; zeros for empty text.
fn digest(text: &str) -> String {
    if text.is_empty() {
        return "0".repeat(12);
    }
    hex(Sha256::digest(text.as_bytes()).get(..6).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(list: &str) -> Vec<u16> {
        list.split(',').map(|digits| u16::from_str_radix(digits, 16).unwrap()).collect()
    }

    /// Chrome's ClientHello, from the JA4 specification and public lists of fingerprints.
    fn chrome(extensions: &str) -> Offer {
        Offer {
            version: 0x0303,
            versions: vec![0xfafa, 0x0304, 0x0303],
            suites: numbers("6a6a,1301,1302,1303,c02b,c02f,c02c,c030,cca9,cca8,c013,c014,009c,009d,002f,0035"),
            extensions: numbers(extensions),
            signatures: numbers("0403,0804,0401,0503,0805,0501,0806,0601"),
            protocols: vec!["h2".to_owned(), "http/1.1".to_owned()],
            ..Offer::default()
        }
    }

    #[test]
    fn ja4_matches_published_examples() {
        let offer = chrome("4a4a,0000,0017,ff01,000a,000b,0023,0010,0005,000d,0012,0033,002d,002b,001b,4469,0015");
        assert_eq!(ja4(&offer).short(), "t13d1516h2_8daaf6152771_e5627efa2ab1");
        let offer = chrome("0000,0017,ff01,000a,000b,0023,0010,0005,000d,0012,0033,002d,002b,001b,44cd,fe0d");
        assert_eq!(ja4(&offer).short(), "t13d1516h2_8daaf6152771_d8a2da3f94cd");
        assert_eq!(
            ja4(&offer).raw(),
            "t13d1516h2_002f,0035,009c,009d,1301,1302,1303,c013,c014,c02b,c02c,c02f,c030,cca8,cca9_\
             0005,000a,000b,000d,0012,0017,001b,0023,002b,002d,0033,44cd,fe0d,ff01_0403,0804,0401,0503,0805,0501,0806,0601"
        );
    }

    #[test]
    fn ja3_matches_the_published_example() {
        let offer = Offer {
            version: 769,
            suites: vec![47, 53, 5, 10, 49161, 49162, 49171, 49172, 50, 56, 19, 4],
            extensions: vec![0, 10, 11],
            groups: vec![23, 24, 25],
            formats: vec![0],
            ..Offer::default()
        };
        assert_eq!(ja3(&offer), "769,47-53-5-10-49161-49162-49171-49172-50-56-19-4,0-10-11,23-24-25,0");
        assert_eq!(md5(&ja3(&offer)), "ada70206e40642a3e4461f35503241d5");
    }

    #[test]
    fn ja4_takes_the_first_and_last_character_of_alpn() {
        assert_eq!(
            [alpn_characters("h2"), alpn_characters("http/1.1"), alpn_characters(""), alpn_characters("x")],
            ["h2", "h1", "00", "xx"]
        );
        assert_eq!(alpn_characters("\u{1}a"), "01");
    }
}
