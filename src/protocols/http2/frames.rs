//! Payloads of frames that need no state.

use super::flags::IS_ACK;
use super::names::{self, ERRORS, SETTINGS_NAMES};
use super::*;
use crate::tree::{Field, name_of};
use crate::wire::{Result, Wire};

/// Dissects the payload of a frame. Its summary begins with `place`, the stream.
pub(super) fn read(wire: &mut Wire<'_>, kind: u8, flags: u8, place: &str) -> Result {
    match kind {
        names::PRIORITY_FRAME => priority(wire),
        names::RST_STREAM => error(wire, &ERROR, place),
        names::SETTINGS_FRAME => settings(wire, flags),
        names::PING_FRAME => {
            let is_ack = flags & IS_ACK != 0;
            wire.info(format_args!("{}", if is_ack { "ACK" } else { "" }));
            wire.bytes(if is_ack { &PONG } else { &PING }, 8).map(drop)
        }
        names::GOAWAY => {
            let last = wire.bits(4, &[&GOAWAY_RESERVED, &LAST_STREAM])? & 0x7fff_ffff;
            error(wire, &GOAWAY_ERROR, &format!("last stream {last}"))?;
            wire.rest_is(&DEBUG_DATA)
        }
        names::WINDOW_UPDATE => {
            let increment = wire.bits(4, &[&WINDOW_RESERVED, &INCREMENT])? & 0x7fff_ffff;
            wire.info(format_args!("{place}, {increment} bytes"));
            if increment == 0 {
                wire.note(&NO_INCREMENT, format_args!("the increment is 0"));
            }
            Ok(())
        }
        names::ALTSVC => {
            wire.counted(Wire::u16_be, &ALTSVC_ORIGIN_LENGTH, &ALTSVC_ORIGIN)?;
            wire.rest_is(&ALTSVC_VALUE)
        }
        names::ORIGIN_FRAME => wire.groups(&ORIGIN, |wire| {
            let length = wire.u16_be(&ORIGIN_LENGTH)?;
            wire.text(&ORIGIN_TEXT, length.into())
        }),
        names::PRIORITY_UPDATE => {
            let stream = wire.bits(4, &[&UPDATED_STREAM])? & 0x7fff_ffff;
            let value = String::from_utf8_lossy(wire.rest(&UPDATED_VALUE));
            wire.info(format_args!("stream {stream}, {value}"));
            Ok(())
        }
        _ => wire.rest_is(&UNKNOWN),
    }
}

/// Dissects stream dependency and weight.
pub(super) fn priority(wire: &mut Wire<'_>) -> Result {
    wire.bits(4, &[&EXCLUSIVE, &DEPENDENCY])?;
    wire.u8(&WEIGHT).map(drop)
}

fn error(wire: &mut Wire<'_>, field: &'static Field, place: &str) -> Result {
    let error = wire.u32_be(field)?;
    match name_of(ERRORS, error.into()) {
        Some(name) => wire.info(format_args!("{place}, {name}")),
        None => wire.info(format_args!("{place}, error {error}")),
    }
    Ok(())
}

fn settings(wire: &mut Wire<'_>, flags: u8) -> Result {
    let mut words = String::new();
    while wire.remaining() > 0 {
        let (id, value) = wire.group(&SETTING, |wire| {
            let id = wire.u16_be(&SETTING_ID)?;
            Ok((id, wire.u32_be(setting(id))?))
        })?;
        // The summary shows the settings that RFC 9113 defines.
        if let Some(name) = name_of(SETTINGS_NAMES, id.into()).filter(|_| wire.wants_summary() && words.len() < 200) {
            let between = if words.is_empty() { "" } else { ", " };
            words.push_str(&format!("{between}{name} {value}"));
        }
    }
    wire.info(format_args!("{}", if flags & IS_ACK != 0 { "ACK" } else { &words }));
    Ok(())
}

/// Field of the value of a setting.
fn setting(id: u16) -> &'static Field {
    match id {
        1 => &TABLE_SIZE,
        2 => &ENABLE_PUSH,
        3 => &MAX_STREAMS,
        4 => &WINDOW_SIZE,
        5 => &MAX_FRAME,
        6 => &MAX_LIST,
        8 => &EXTENDED_CONNECT,
        _ => &UNKNOWN_SETTING,
    }
}
