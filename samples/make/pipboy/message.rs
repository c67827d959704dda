//! Messages of the Pip-Boy protocol, written byte by byte.

use crate::Result;

pub const HEARTBEAT: u8 = 0;
pub const ACCEPTED: u8 = 1;
pub const REFUSED: u8 = 2;
pub const UPDATE: u8 = 3;
pub const MAP: u8 = 4;
pub const COMMAND: u8 = 5;
pub const RESULT: u8 = 6;

/// `length:4 | type:1 | payload`; the length counts the payload only.
pub fn message(kind: u8, payload: &[u8]) -> Result<Vec<u8>> {
    let mut message = Vec::from(u32::try_from(payload.len())?.to_le_bytes());
    message.push(kind);
    message.extend(payload);
    Ok(message)
}

/// As the game does, with a line feed included in the length.
pub fn greeting() -> Result<Vec<u8>> {
    let text = r#"{"lang":"en","version":"1.2.33.0"}"#;
    message(ACCEPTED, format!("{text}\n").as_bytes())
}

/// `args` is a JSON array.
pub fn command(kind: u32, args: &str, id: u32) -> Result<Vec<u8>> {
    let text = format!(r#"{{"type":{kind},"args":{args},"id":{id}}}"#);
    message(COMMAND, text.as_bytes())
}

/// A value of the game's tree.
pub enum Value<'a> {
    Bool(bool),
    Int8(i8),
    UInt8(u8),
    Int32(i32),
    UInt32(u32),
    Float(f32),
    Text(&'a str),
    List(&'a [u32]),
    /// A change of an object: added or replaced members, and removed ids.
    Dict(&'a [(u32, &'a str)], &'a [u32]),
}

/// Appends one entry to the payload of an update: `type:1 | id:4 | value`.
pub fn entry(payload: &mut Vec<u8>, id: u32, value: &Value) -> Result {
    let kind = match value {
        Value::Bool(_) => 0,
        Value::Int8(_) => 1,
        Value::UInt8(_) => 2,
        Value::Int32(_) => 3,
        Value::UInt32(_) => 4,
        Value::Float(_) => 5,
        Value::Text(_) => 6,
        Value::List(_) => 7,
        Value::Dict(..) => 8,
    };
    payload.push(kind);
    payload.extend(id.to_le_bytes());
    match value {
        Value::Bool(value) => payload.push(u8::from(*value)),
        Value::Int8(value) => payload.extend(value.to_le_bytes()),
        Value::UInt8(value) => payload.push(*value),
        Value::Int32(value) => payload.extend(value.to_le_bytes()),
        Value::UInt32(value) => payload.extend(value.to_le_bytes()),
        Value::Float(value) => payload.extend(value.to_le_bytes()),
        Value::Text(value) => text(payload, value),
        Value::List(ids) => refs(payload, ids)?,
        Value::Dict(insert, remove) => {
            payload.extend(u16::try_from(insert.len())?.to_le_bytes());
            for (id, name) in *insert {
                payload.extend(id.to_le_bytes());
                text(payload, name);
            }
            refs(payload, remove)?;
        }
    }
    Ok(())
}

fn text(payload: &mut Vec<u8>, text: &str) {
    payload.extend(text.as_bytes());
    payload.push(0);
}

fn refs(payload: &mut Vec<u8>, ids: &[u32]) -> Result {
    payload.extend(u16::try_from(ids.len())?.to_le_bytes());
    payload.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
    Ok(())
}

/// A picture of the local map.
pub struct Map<'a> {
    pub width: u32,
    pub height: u32,
    /// Bytes per row; those beyond the width are unused.
    pub stride: u32,
    /// X and Y of the north-west, north-east and south-west corners.
    pub corners: [f32; 6],
    pub pixel: &'a dyn Fn(u32, u32) -> u8,
}

pub fn local_map(map: &Map) -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    payload.extend(map.width.to_le_bytes());
    payload.extend(map.height.to_le_bytes());
    payload.extend(map.corners.iter().flat_map(|corner| corner.to_le_bytes()));
    for y in 0..map.height {
        for x in 0..map.stride {
            payload.push(if x < map.width { (map.pixel)(x, y) } else { 0xee });
        }
    }
    message(MAP, &payload)
}
