//! A repeating key: exclusive or with the same bytes again and again, from the start of each message.
//!
//! Bytes at the same place of the key are enciphered alike. For each place, the key byte is chosen that gives the most usual bytes
//! of messages, such as zeros and letters. The key is accepted if it gives text, which enciphered bytes are not.

use super::super::messages::Message;
use std::fmt;

/// Lengths of keys.
const LENGTHS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16];

/// The most frequent enciphered bytes, and what they may be.
const FREQUENT: usize = 6;
const PLAIN: &[u8; 7] = b"\0 etaoi";

/// Bytes of a message that are skipped, as headers may be clear.
const SKIPPED: usize = 12;

/// Maximum number of bytes to analyze.
const BYTES: usize = 20_000;
/// Minimum number of bytes.
const FEWEST: usize = 256;

/// The shortest run of lower-case letters and spaces that is text.
const TEXT: usize = 6;

/// Fewest different letters of text.
const LETTERS: u32 = 4;

/// Bits by which a byte must become more usual, and the share of the gain of the best key for a shorter one.
const GAIN: f64 = 1.0;
const NEARLY: f64 = 0.9;

/// A repeating key.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Its bytes; the first one enciphers the first byte of a message, if that is enciphered.
    pub bytes: Vec<u8>,
    /// The share of text in what it gives.
    pub text: f64,
}

impl Key {
    /// The key of these messages, if it gives text.
    #[must_use]
    pub fn find(messages: &[Message<'_>]) -> Option<Key> {
        let mut bodies: Vec<&[u8]> = Vec::new();
        let mut all = 0;
        for body in messages.iter().filter(|message| message.is_whole).filter_map(|message| message.bytes.get(SKIPPED..)) {
            if all >= BYTES {
                break;
            }
            let body = body.get(..BYTES).unwrap_or(body);
            all += body.len();
            bodies.push(body);
        }
        if all < FEWEST {
            return None;
        }
        let usual = usual();
        let plain = rate(&bodies, &[0], &usual);
        let keys: Vec<(f64, Vec<u8>)> = LENGTHS
            .into_iter()
            .map(|length| {
                let key = key(&bodies, length, &usual);
                // A longer key also fits what is not its effect.
                let cost = 12.0 * length as f64;
                ((rate(&bodies, &key, &usual) - plain - cost) / all as f64, key)
            })
            .collect();
        let most = keys.iter().map(|(gain, _)| *gain).fold(0.0, f64::max);
        let (gain, key) = keys.into_iter().find(|(gain, _)| *gain >= NEARLY * most)?;
        let (text, raw) = (text(&bodies, &key), text(&bodies, &[0]));
        let shift = SKIPPED % key.len();
        let mut bytes = key;
        bytes.rotate_right(shift);
        (gain >= GAIN && text >= 0.2 && text >= raw + 0.15).then_some(Key { bytes, text })
    }
}

/// `XOR with the repeating key 7eda90f8`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("XOR with the repeating key ")?;
        self.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Logarithms of the frequencies of bytes in messages: zeros, text, and small numbers before others.
fn usual() -> [f64; 256] {
    const LETTERS: &[u8; 26] = b"etaoinshrdlcumwfgypbvkjxqz";
    let mut weights = [0.0006; 256];
    for (byte, weight) in (0_u8..=255).zip(&mut weights) {
        let rank = LETTERS.iter().position(|letter| *letter == byte);
        *weight = match byte {
            0 => 0.17,
            b' ' => 0.08,
            b'0'..=b'9' => 0.004,
            b'A'..=b'Z' => 0.003,
            1..16 => 0.006,
            33..127 => rank.map_or(0.0015, |rank| 0.042 * 0.87_f64.powi(i32::try_from(rank).unwrap_or(0))),
            _ => *weight,
        };
    }
    weights.map(f64::log2)
}

/// The key of a length that gives the most usual bytes.
fn key(bodies: &[&[u8]], length: usize, usual: &[f64; 256]) -> Vec<u8> {
    let mut counts = vec![[0_u32; 256]; length];
    for body in bodies {
        for (place, byte) in body.iter().enumerate() {
            if let Some(count) = counts.get_mut(place % length).and_then(|counts| counts.get_mut(usize::from(*byte))) {
                *count += 1;
            }
        }
    }
    let best = |counts: [u32; 256]| {
        let mut seen: Vec<(u8, u32)> = (0..=255).zip(counts).filter(|(_, count)| *count > 0).collect();
        seen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let rate = |key: u8| {
            let bits = seen.iter().map(|(byte, count)| bits(usual, byte ^ key) * f64::from(*count));
            bits.sum::<f64>()
        };
        let keys = seen.iter().take(FREQUENT).flat_map(|(byte, _)| PLAIN.iter().map(move |plain| byte ^ plain));
        let rated = keys.map(|key| (key, rate(key)));
        rated.max_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(key, _)| key)
    };
    counts.into_iter().map(best).collect()
}

fn bits(usual: &[f64; 256], byte: u8) -> f64 {
    usual.get(usize::from(byte)).copied().unwrap_or_default()
}

/// How usual the deciphered bytes are.
fn rate(bodies: &[&[u8]], key: &[u8], usual: &[f64; 256]) -> f64 {
    bodies.iter().flat_map(|body| body.iter().zip(key.iter().cycle())).map(|(byte, key)| bits(usual, byte ^ key)).sum()
}

/// Whether a run has several letters. Silence of sound, for example, has one value.
fn is_varied(run: &[u8]) -> bool {
    let letters: u32 = run.iter().fold(0, |letters, byte| letters | 1 << (byte % 32));
    run.len() >= TEXT && letters.count_ones() >= LETTERS && run.iter().any(|byte| b"aeiou".contains(byte))
}

/// The share of deciphered bytes that are in runs of text.
fn text(bodies: &[&[u8]], key: &[u8]) -> f64 {
    let (mut text, mut all) = (0, 0);
    for body in bodies {
        let plain: Vec<u8> = body.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        let is_text = |byte: &u8| matches!(byte, b'a'..=b'z' | b' ');
        let runs = plain.chunk_by(|one, next| is_text(one) == is_text(next)).filter(|run| run.first().is_some_and(is_text));
        text += runs.filter(|run| is_varied(run)).map(<[u8]>::len).sum::<usize>();
        all += plain.len();
    }
    text as f64 / all.max(1) as f64
}
