//! Configured secrets: RSA private keys, seed logs, ISAAC seeds, or opcodes in clear.

use crate::wire::isaac::Seeds;
use crate::wire::{InvalidValue, Key, KeyRing, Owner, Settings};
use data_encoding::BASE64_NOPAD;
use num_bigint::BigUint;
use std::sync::Arc;

/// RSA private key: modulus and private exponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RsaKey {
    modulus: BigUint,
    exponent: BigUint,
}

/// Maximum modulus size in bits; larger than any login block.
const MOST_BITS: u64 = 4096;

impl RsaKey {
    /// Decrypts a block.
    pub fn open(&self, block: &[u8]) -> Vec<u8> {
        BigUint::from_bytes_be(block).modpow(&self.exponent, &self.modulus).to_bytes_be()
    }

    fn new(modulus: BigUint, exponent: BigUint) -> Option<RsaKey> {
        let fits = |number: &BigUint| (2..=MOST_BITS).contains(&number.bits());
        (fits(&modulus) && fits(&exponent)).then_some(RsaKey { modulus, exponent })
    }
}

/// Seeds of a logged session: the server's, then the client's.
type Logged = (u64, u64);

/// Configured cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CipherSetting {
    /// Opcodes are in clear.
    Off,
    /// ISAAC seeds.
    Seeds(Seeds),
}

/// All configured secrets.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// RSA private keys of servers, from `rs.rsa_key`.
    rsa: Vec<RsaKey>,
    log: Vec<Logged>,
    /// Configured cipher, from `rs.isaac`.
    pub configured: Option<CipherSetting>,
    /// Key files.
    ring: Option<Arc<KeyRing>>,
    /// The conversation that needs keys.
    pub owner: Option<Owner>,
}

/// Names of keys in key files.
pub const ISAAC: &str = "isaac";
pub const RSA: &str = "rsa_key";

impl Keys {
    /// Reads the secrets from the settings.
    pub fn new(settings: &Settings) -> Keys {
        let of = |name| settings.get(name);
        Keys {
            rsa: of("rs.rsa_key").and_then(|text| rsa_keys(text).ok()).unwrap_or_default(),
            log: of("rs.keys").and_then(|text| log(text).ok()).unwrap_or_default(),
            configured: of("rs.isaac").and_then(|text| isaac(text).ok()),
            ring: settings.keys().cloned(),
            owner: None,
        }
    }

    /// RSA private keys of servers, with that of the key files.
    pub fn rsa(&self) -> Vec<RsaKey> {
        let filed = self.filed(RSA).and_then(|key| rsa_of(&key.value).ok()).unwrap_or_default();
        self.rsa.iter().cloned().chain(filed).collect()
    }

    /// The cipher of the key files.
    pub fn filed_cipher(&self) -> Option<CipherSetting> {
        self.filed(ISAAC).and_then(|key| cipher_of(&key.value).ok())
    }

    /// States whether a key of the key files fits.
    pub fn judge(&self, name: &str, fits: bool) {
        if let Some((ring, owner)) = self.ring.as_ref().zip(self.owner.as_ref()) {
            ring.judge("rs", name, owner.stream, fits);
        }
    }

    fn filed(&self, name: &str) -> Option<Key> {
        self.ring.as_ref()?.find("rs", name, self.owner.as_ref()?)
    }

    /// Returns the logged seeds of the session with this server seed.
    pub fn logged(&self, server_seed: u64) -> Option<Seeds> {
        let (server, client) = self.log.iter().find(|(server, _)| *server == server_seed)?;
        let [a, b, c, d] = [client >> 32, client & 0xffff_ffff, server >> 32, server & 0xffff_ffff].map(u32::try_from);
        Some([a.ok()?, b.ok()?, c.ok()?, d.ok()?])
    }
}

fn invalid<T>(line: Option<usize>, words: impl Into<String>) -> Result<T, InvalidValue> {
    Err(InvalidValue { line, message: words.into() })
}

/// Parses the value of a line `rs isaac`: four words of four bytes, or the text of `rs.isaac`.
///
/// # Errors
/// What was expected.
pub fn cipher_of(value: &[u8]) -> Result<CipherSetting, String> {
    if let ([a, b, c, d], []) = value.as_chunks::<4>() {
        return Ok(CipherSetting::Seeds([a, b, c, d].map(|word| u32::from_be_bytes(*word))));
    }
    let text = std::str::from_utf8(value).ok();
    text.and_then(|text| isaac(text).ok()).ok_or_else(|| "expected 16 bytes, or \"off\"".to_owned())
}

/// Parses the value of a line `rs rsa_key`: DER, or the text of `rs.rsa_key`.
///
/// # Errors
/// What was expected.
pub fn rsa_of(value: &[u8]) -> Result<Vec<RsaKey>, String> {
    let text = std::str::from_utf8(value).ok().and_then(|text| rsa_keys(text).ok());
    let keys = text.or_else(|| private_key(value).map(|key| vec![key]));
    keys.ok_or_else(|| "expected a private key: base64: and the lines of its PEM file, or \"n=NUMBER\\nd=NUMBER\"".to_owned())
}

/// Parses `off` or four words.
///
/// # Errors
/// What was expected.
pub fn isaac(text: &str) -> Result<CipherSetting, InvalidValue> {
    if text == "off" {
        return Ok(CipherSetting::Off);
    }
    let word = |word: &str| {
        let word = word.trim();
        match word.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => word.parse::<i64>().ok().and_then(|number| {
                u32::try_from(number.rem_euclid(1 << 32)).ok().filter(|_| number.unsigned_abs() <= u32::MAX.into())
            }),
        }
    };
    let words: Option<Vec<u32>> = text.split(',').map(word).collect();
    match words.as_deref() {
        Some([a, b, c, d]) => Ok(CipherSetting::Seeds([*a, *b, *c, *d])),
        _ => invalid(
            None,
            "expected off, or the client's four seeds with commas between, such as 0x01020304,0x05060708,0x090a0b0c,0x0d0e0f10",
        ),
    }
}

/// Parses lines of `server_seed client_seed`, 16 hexadecimal digits each.
///
/// # Errors
/// The invalid line.
pub fn log(text: &str) -> Result<Vec<(u64, u64)>, InvalidValue> {
    let seed = |word: &str| u64::from_str_radix(word, 16).ok().filter(|_| word.len() == 16);
    let mut all = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [comment, ..] if comment.starts_with('#') => {}
            [server, client] => match (seed(server), seed(client)) {
                (Some(server), Some(client)) => all.push((server, client)),
                _ => return invalid(Some(at + 1), "expected the server's seed and the client's, 16 hexadecimal digits each"),
            },
            _ => return invalid(Some(at + 1), "expected the server's seed and the client's, 16 hexadecimal digits each"),
        }
    }
    if all.is_empty() {
        invalid(None, "no line in it; expected the server's seed and the client's, 16 hexadecimal digits each")
    } else {
        Ok(all)
    }
}

/// Parses private keys: PEM, or lines `n = NUMBER` and `d = NUMBER`, in turn for each key. Numbers are hexadecimal unless all
/// digits are decimal and `0x` is missing. Continuation lines are indented.
///
/// # Errors
/// The invalid line, and what was expected.
pub fn rsa_keys(text: &str) -> Result<Vec<RsaKey>, InvalidValue> {
    let keys = if text.contains("-----BEGIN") { pem(text)? } else { lines(text)? };
    if keys.is_empty() {
        invalid(None, "no key in it; expected a PEM private key, or lines n = NUMBER and d = NUMBER")
    } else {
        Ok(keys)
    }
}

const NUMBERS: &str = "expected n = NUMBER, e = NUMBER or d = NUMBER, hexadecimal or decimal";

fn lines(text: &str) -> Result<Vec<RsaKey>, InvalidValue> {
    let mut numbers: Vec<(usize, char, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        match trimmed.split_once(['=', ':']) {
            Some((name, number)) => {
                let name = match name.trim().to_ascii_lowercase().as_str() {
                    "n" | "modulus" => 'n',
                    "e" | "public_exponent" => 'e',
                    "d" | "exponent" | "private_exponent" => 'd',
                    _ => return invalid(Some(at + 1), NUMBERS),
                };
                numbers.push((at + 1, name, number.trim().to_owned()));
            }
            None => match numbers.last_mut() {
                Some((.., number)) if line.starts_with(char::is_whitespace) => number.push_str(trimmed),
                _ => return invalid(Some(at + 1), NUMBERS),
            },
        }
    }
    let (mut modulus, mut exponent, mut keys) = (None, None, Vec::new());
    for (at, name, digits) in &numbers {
        let Some(number) = number(digits) else { return invalid(Some(*at), NUMBERS) };
        match name {
            'n' => modulus = Some(number),
            'd' => exponent = Some(number),
            _ => {}
        }
        if let (Some(n), Some(d)) = (&modulus, &exponent) {
            match RsaKey::new(n.clone(), d.clone()) {
                Some(key) => keys.push(key),
                None => return invalid(Some(*at), format!("the numbers make no key; expected at most {MOST_BITS} bits")),
            }
            (modulus, exponent) = (None, None);
        }
    }
    Ok(keys)
}

fn number(digits: &str) -> Option<BigUint> {
    let digits: String = digits.chars().filter(|digit| !digit.is_whitespace() && *digit != '_').collect();
    let (digits, base) = match digits.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if digits.bytes().all(|digit| digit.is_ascii_digit()) => (digits.as_str(), 10),
        None => (digits.as_str(), 16),
    };
    BigUint::parse_bytes(digits.as_bytes(), base)
}

const PEM: &str = "expected BEGIN RSA PRIVATE KEY or BEGIN PRIVATE KEY, with a key that has no password";

fn pem(text: &str) -> Result<Vec<RsaKey>, InvalidValue> {
    let (mut keys, mut begun, mut digits) = (Vec::new(), None, String::new());
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        match (line.strip_prefix("-----"), begun) {
            (Some("BEGIN RSA PRIVATE KEY-----" | "BEGIN PRIVATE KEY-----"), _) => (begun, digits) = (Some(at + 1), String::new()),
            (Some(end), Some(start)) if end.starts_with("END") => {
                begun = None;
                let key = base64(&digits).and_then(|der| private_key(&der));
                keys.push(key.map_or_else(|| invalid(Some(start), PEM), Ok)?);
            }
            (Some(_), _) => return invalid(Some(at + 1), PEM),
            (None, Some(_)) => digits.push_str(line),
            (None, None) => {}
        }
    }
    if begun.is_some() { invalid(begun, "the key has no END line") } else { Ok(keys) }
}

fn base64(digits: &str) -> Option<Vec<u8>> {
    BASE64_NOPAD.decode(digits.trim_end_matches('=').as_bytes()).ok()
}

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const SEQUENCE: u8 = 0x30;

/// Splits a DER value into its contents and the bytes after it.
fn der(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let [found, length, rest @ ..] = bytes else { return None };
    let (length, rest) = match usize::from(*length) {
        short @ 0..=0x7f => (short, rest),
        long @ 0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(long - 0x80)?;
            (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    (*found == tag).then_some(())?;
    rest.split_at_checked(length)
}

/// Parses a PKCS#1 key, or one inside PKCS#8.
fn private_key(bytes: &[u8]) -> Option<RsaKey> {
    let (outer, _) = der(bytes, SEQUENCE)?;
    let (_, behind_version) = der(outer, INTEGER)?;
    if let Some((_, behind_algorithm)) = der(behind_version, SEQUENCE) {
        return private_key(der(behind_algorithm, OCTETS)?.0);
    }
    let (modulus, rest) = der(behind_version, INTEGER)?;
    let (_, rest) = der(rest, INTEGER)?;
    let (exponent, _) = der(rest, INTEGER)?;
    RsaKey::new(BigUint::from_bytes_be(modulus), BigUint::from_bytes_be(exponent))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PKCS1, PKCS8};
    use super::*;

    const N: &str = "C4B59A47B2EF38691E6D5FE7ADC1A1CCBD5291CA818120B55E9D95EAE9A92E3E75298E533140F5B8D8173192EAB3D22C47461CB76608EB0B6CF48C56A91DA08F";
    const D: &str = "42368ED40B9B1275EFD409304700A2A1F4285302C34CDFE1AD13865F287FD61C80CA83D6C8752A470916981B7B9BBB1FF1CF7B6CA198ED4E6B974BAFF2F92BC1";

    #[test]
    fn keys_may_be_given_in_lines_or_decimal() {
        let (first, second) = N.split_at(64);
        let key = rsa_keys(&format!("# test\nn = {first}\n    {second}\ne = 10001\nd = 0x{D}\n")).unwrap();
        let decimal = number(N).unwrap().to_string();
        assert_eq!(rsa_keys(&format!("modulus: {decimal}\nexponent: {D}")).unwrap(), key);
        let two = rsa_keys(&format!("n={N}\nd={D}\nn=0x11\nd=0x3\n")).unwrap();
        assert_eq!((two.len(), &two[0]), (2, &key[0]));
    }

    #[test]
    fn pem_is_read_as_its_numbers_are() {
        let key = rsa_keys(&format!("n = {N}\nd = {D}")).unwrap();
        assert_eq!(rsa_keys(PKCS1).unwrap(), key);
        assert_eq!(rsa_keys(PKCS8).unwrap(), key);
        let both = rsa_keys(&format!("a server's\n{PKCS1}and again\n{PKCS8}").replace('\n', "\r\n")).unwrap();
        assert_eq!(both, [&key[..], &key].concat());
        // A length beyond the end, and an invalid digit.
        for (from, to) in [("MIIB", "MIIC"), ("OQIBAAJB", "OQ!BAAJB")] {
            assert!(PKCS1.contains(from));
            let invalid = rsa_keys(&PKCS1.replacen(from, to, 1)).unwrap_err();
            assert_eq!((invalid.line, invalid.message.as_str()), (Some(1), PEM));
        }
    }

    #[test]
    fn broken_keys_and_logs_are_refused_with_their_line() {
        for (text, line, words) in [
            ("", None, "no key"),
            ("n = 12\nx = 5", Some(2), "d = NUMBER"),
            ("n = zz\nd = 1", Some(1), "hexadecimal"),
            ("n = 12\nd = 0", Some(2), "no key"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----", Some(1), "PRIVATE KEY"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMAA=", Some(1), "END"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----", Some(1), "no password"),
        ] {
            let invalid = rsa_keys(text).unwrap_err();
            assert_eq!(invalid.line, line, "{text}: {}", invalid.message);
            assert!(invalid.message.contains(words), "{text}: {}", invalid.message);
        }
        assert_eq!(log("090A0B0C0D0E0F10 0102030405060708\n12 34").unwrap_err().line, Some(2));
        assert_eq!(log("# none").unwrap_err().line, None);
        assert!(isaac("1,2,3").is_err() && isaac("1,2,3,4294967296").is_err() && isaac("on").is_err());
        assert_eq!(isaac("0x1,-1,3,4294967295"), Ok(CipherSetting::Seeds([1, u32::MAX, 3, u32::MAX])));
    }

    #[test]
    fn keys_of_key_files_are_bytes_or_the_text_of_the_options() {
        let seeds = CipherSetting::Seeds([0x0102_0304, 0x0506_0708, 0x090a_0b0c, 0x0d0e_0f10]);
        assert_eq!(cipher_of(&(1..17).collect::<Vec<u8>>()), Ok(seeds));
        assert_eq!(cipher_of(b"off"), Ok(CipherSetting::Off));
        assert!(cipher_of(&[0; 15]).unwrap_err().contains("16 bytes"));
        let digits: String = PKCS1.lines().filter(|line| !line.starts_with('-')).collect();
        let key = rsa_keys(PKCS1).unwrap();
        assert_eq!(rsa_of(&base64(&digits).unwrap()), Ok(key.clone()));
        assert_eq!(rsa_of(format!("n={N}\nd={D}").as_bytes()), Ok(key));
        assert!(rsa_of(&[1, 2, 3]).is_err() && rsa_of(b"off").is_err());
    }

    #[test]
    fn logged_seeds_are_found_by_the_server_seed() {
        let keys = Keys { log: log("# a\n090A0B0C0D0E0F10 0102030405060708\n").unwrap(), ..Keys::default() };
        assert_eq!(keys.logged(0x090a_0b0c_0d0e_0f10), Some([0x0102_0304, 0x0506_0708, 0x090a_0b0c, 0x0d0e_0f10]));
        assert_eq!(keys.logged(1), None);
    }
}
