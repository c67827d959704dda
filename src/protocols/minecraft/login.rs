//! Handshake, status and login.

use super::fields::*;
use super::{Session, State, number, text, varint};
use crate::tree::{Field, Names, Side, name_of};
use crate::wire::{Result, Wire};

/// Packets of the client and of the server in each state.
const STATUS_FROM_CLIENT: Names = &[(0, "status request"), (1, "ping")];
const STATUS_FROM_SERVER: Names = &[(0, "status"), (1, "pong")];
const LOGIN_FROM_CLIENT: Names =
    &[(0, "login"), (1, "encryption response"), (2, "plugin response"), (3, "login acknowledged"), (4, "cookie response")];
const LOGIN_FROM_SERVER: Names = &[
    (0, "refused"),
    (1, "encryption request"),
    (2, "logged in"),
    (3, "compression"),
    (4, "plugin request"),
    (5, "cookie request"),
];

/// Version 1.20.2, the first one with a state for configuration, and the first snapshot with it.
const CONFIGURES: u32 = 764;
const SNAPSHOT_CONFIGURES: u32 = 144;

/// Bit of the versions of snapshots.
pub(super) const SNAPSHOT: u32 = 1 << 30;

/// Whether the client acknowledges its login, after which configuration begins.
fn configures(version: u32) -> bool {
    version.checked_sub(SNAPSHOT).map_or(version >= CONFIGURES, |snapshot| snapshot >= SNAPSHOT_CONFIGURES)
}

/// The name of a packet before configuration and play.
pub(super) fn name(state: State, from: Side, id: usize) -> Option<&'static str> {
    let names = match (state, from) {
        (State::Handshake, Side::Client) => &[(0, "handshake")],
        (State::Status, Side::Client) => STATUS_FROM_CLIENT,
        (State::Status, Side::Server) => STATUS_FROM_SERVER,
        (State::Login, Side::Client) => LOGIN_FROM_CLIENT,
        (State::Login, Side::Server) => LOGIN_FROM_SERVER,
        _ => return None,
    };
    name_of(names, id as u64)
}

/// Whether the number and body of a packet are those of a handshake.
pub(super) fn is_handshake(packet: &[u8]) -> bool {
    let mut rest = packet;
    let mut next = || {
        let (number, size) = varint(rest).ok()??;
        rest = rest.get(size..)?;
        Some(number)
    };
    let (Some(0), Some(_), Some(address)) = (next(), next(), next()) else { return false };
    let state = address.checked_add(2).and_then(|end| rest.get(end..)).unwrap_or_default();
    matches!(varint(state), Ok(Some((1..=3, size))) if size == state.len())
}

impl Session {
    pub(super) fn handshake(&mut self, wire: &mut Wire<'_>) -> Result {
        const STATUS: usize = 1;
        let version = number(wire, &VERSION)?;
        let address = text(wire, &ADDRESS_LENGTH, &ADDRESS)?;
        // Some clients append data after a NUL.
        let address = address.split(|byte| *byte == 0).next().unwrap_or_default();
        let port = wire.u16_be(&PORT)?;
        let next = number(wire, &NEXT)?;
        self.version = u32::try_from(version).unwrap_or_default();
        self.enter(if next == STATUS { State::Status } else { State::Login });
        let wants = name_of(STATES, next as u64).unwrap_or("unknown state");
        wire.info(format_args!("{wants}, {}:{port}, version {version}", String::from_utf8_lossy(address)));
        Ok(())
    }

    pub(super) fn status(&mut self, from: Side, id: usize, wire: &mut Wire<'_>) -> Result {
        match (from, id) {
            (Side::Client, 0) => {}
            (Side::Server, 0) => {
                text(wire, &JSON_LENGTH, &JSON)?;
            }
            _ => {
                wire.u64_be(&PAYLOAD)?;
            }
        }
        if from == Side::Client {
            self.asked.ask(id, wire);
        } else if let Some(question) = self.asked.answer(&id) {
            question.put(wire, &RESPONSE_TO, &TIME);
        }
        Ok(())
    }

    pub(super) fn login(&mut self, from: Side, id: usize, wire: &mut Wire<'_>) -> Result {
        match (from, id) {
            (Side::Client, 0) => {
                let name = text(wire, &NAME_LENGTH, &NAME)?;
                wire.info(format_args!("{}", String::from_utf8_lossy(name)));
                if (CONFIGURES..SNAPSHOT).contains(&self.version) { wire.bytes(&UUID, 16).map(drop) } else { Ok(()) }
            }
            (Side::Client, 1) => {
                counted(wire, &SECRET_LENGTH, &SECRET)?;
                // Versions 1.19 to 1.19.2 may send a signature in place of the token.
                wire.rest(&DATA);
                self.encrypts(wire);
                Ok(())
            }
            (Side::Client, 3) => {
                self.sides.client.state = self.after_login();
                Ok(())
            }
            (Side::Server, 0) => text(wire, &JSON_LENGTH, &JSON).map(drop),
            (Side::Server, 1) => {
                text(wire, &SERVER_ID_LENGTH, &SERVER_ID)?;
                counted(wire, &KEY_LENGTH, &KEY)?;
                counted(wire, &TOKEN_LENGTH, &TOKEN)
            }
            (Side::Server, 2) => {
                let state = self.after_login();
                if configures(self.version) {
                    self.sides.server.state = state;
                } else {
                    self.enter(state);
                }
                self.success(wire)
            }
            (Side::Server, 3) => {
                let threshold = number(wire, &THRESHOLD)?;
                self.compresses(threshold);
                wire.info(format_args!("from {threshold} bytes on"));
                Ok(())
            }
            (Side::Server, 4) => {
                wire.varint(&PLUGIN_ID, super::VARINT_MAX)?;
                let channel = text(wire, &CHANNEL_LENGTH, &CHANNEL)?;
                wire.info(format_args!("{}", String::from_utf8_lossy(channel)));
                Ok(())
            }
            (Side::Client, 2) => wire.varint(&PLUGIN_ID, super::VARINT_MAX).map(drop),
            _ => Ok(()),
        }
    }

    /// The state that follows a login.
    fn after_login(&self) -> State {
        match super::packets::is_known(self.version) {
            false => State::Unknown,
            true if configures(self.version) => State::Configuration,
            true => State::Play,
        }
    }

    /// The player: a UUID, as text before version 735, and a name.
    fn success(&self, wire: &mut Wire<'_>) -> Result {
        match self.version {
            ..=578 => drop(text(wire, &UUID_LENGTH, &UUID_TEXT)?),
            735..SNAPSHOT => drop(wire.bytes(&UUID, 16)?),
            _ => return Ok(()),
        }
        let name = text(wire, &NAME_LENGTH, &NAME)?;
        wire.info(format_args!("{}", String::from_utf8_lossy(name)));
        Ok(())
    }
}

/// Reads length-prefixed bytes.
fn counted(wire: &mut Wire<'_>, length: &'static Field, field: &'static Field) -> Result {
    match number(wire, length)? {
        0 => Ok(()),
        count => wire.bytes(field, count).map(drop),
    }
}
