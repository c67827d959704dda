//! DNS messages of mitmproxy, which stores their parts, as bytes of RFC 1035 without compression.

use super::tnetstring::Value;

/// Maximum length of a label.
const LABEL: usize = 63;

/// The bytes of a message.
pub(super) fn message(value: Value<'_>) -> Vec<u8> {
    let number = |key: &str| value.get(key).and_then(Value::integer).unwrap_or(0);
    let bit = |key: &str, place: u32| u16::from(value.get(key).is_some_and(Value::is_true)) << place;
    let part = |key: &str, width: u32, place: u32| (low(number(key)) & ((1 << width) - 1)) << place;
    let is_query = value.get("query").is_none_or(Value::is_true);
    let flags = u16::from(!is_query) << 15
        | part("op_code", 4, 11)
        | bit("authoritative_answer", 10)
        | bit("truncation", 9)
        | bit("recursion_desired", 8)
        | bit("recursion_available", 7)
        | part("reserved", 3, 4)
        | part("response_code", 4, 0);
    let lists = ["questions", "answers", "authorities", "additionals"];
    let mut out = Vec::new();
    out.extend_from_slice(&low(number("id")).to_be_bytes());
    out.extend_from_slice(&flags.to_be_bytes());
    for list in lists {
        let count = value.get(list).into_iter().flat_map(Value::elements).count();
        out.extend_from_slice(&u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes());
    }
    for (at, list) in lists.iter().enumerate() {
        value.get(list).into_iter().flat_map(Value::elements).for_each(|record| add(record, at > 0, &mut out));
    }
    out
}

/// A question or a record.
fn add(record: Value<'_>, is_record: bool, out: &mut Vec<u8>) {
    let number = |key: &str| record.get(key).and_then(Value::integer).unwrap_or(0);
    let name = record.get("name").and_then(Value::bytes).unwrap_or_default();
    for label in name.split(|byte| *byte == b'.').filter(|label| !label.is_empty()) {
        let label = label.get(..LABEL).unwrap_or(label);
        out.push(u8::try_from(label.len()).unwrap_or_default());
        out.extend_from_slice(label);
    }
    out.push(0);
    out.extend_from_slice(&low(number("type")).to_be_bytes());
    out.extend_from_slice(&low(number("class_")).to_be_bytes());
    if is_record {
        out.extend_from_slice(&u32::try_from(number("ttl")).unwrap_or(0).to_be_bytes());
        let data = record.get("data").and_then(Value::bytes).unwrap_or_default();
        let data = data.get(..usize::from(u16::MAX)).unwrap_or(data);
        out.extend_from_slice(&u16::try_from(data.len()).unwrap_or_default().to_be_bytes());
        out.extend_from_slice(data);
    }
}

fn low(number: i64) -> u16 {
    u16::try_from(number & 0xffff).unwrap_or_default()
}
