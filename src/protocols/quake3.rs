//! Quake III Arena and derived games: connectionless packets of servers and master servers.
//!
//! ```text
//! ff ff ff ff | command | rest
//!   getinfo, getstatus, getchallenge, connect …          arguments
//!   infoResponse     newline | \key\value\key\value …
//!   statusResponse   newline | \key\value … | newline | score ping "name" newline …
//!   getserversResponse   (\ address:4 | port:2, big-endian) … | \EOT
//! ```
//! Not covered: game packets, which are Huffman-compressed.

use crate::tree::{Field, fields, title};
use crate::wire::{Heuristic, On, Protocol, Result, Wire, credentials};

pub static PROTOCOL: Protocol =
    Protocol::new(&QUAKE3, FIELDS).found(&[On::AnyUdp.datagram(Heuristic::Datagram(detect), message)]).rest(&DATA);

fields! {
    QUAKE3 = protocol("quake3", "Quake III", "Quake III Arena, out of band")
        .covers("Commands and responses of servers and master servers, with keys, players and addresses")
        .leaves_open("Game packets, which are Huffman-compressed");
    MARKER = number("quake3.connectionless.marker", "marker", "0xffffffff").hex(8).once();
    COMMAND = text("quake3.connectionless.command", "command", "").once();
    TEXT = text("quake3.connectionless.text", "text", "Arguments").once();
    SETTING = group("quake3.setting", "setting", "Server property").named(title::key, title::last_value, title::nothing);
    KEY = text("quake3.setting.key", "key", "").once_per(&SETTING);
    SETTING_VALUE = text("quake3.setting.value", "value", "").once_per(&SETTING);
    PLAYER = group("quake3.player", "player", "");
    SCORE = text("quake3.player.score", "score", "").once_per(&PLAYER);
    PING = text("quake3.player.ping", "ping", "Milliseconds").once_per(&PLAYER);
    NAME = text("quake3.player.name", "name", "").once_per(&PLAYER);
    SERVER = group("quake3.server", "server", "");
    ADDR = ipv4("quake3.server.addr", "address", "").once_per(&SERVER);
    PORT = number("quake3.server.port", "port", "").once_per(&SERVER);
    RCON_CHALLENGE = text("quake3.rcon.challenge", "challenge", "Challenge of a GoldSrc server");
    PASSWORD = text("quake3.rcon.password", "password", "Remote console password").secret().once();
    SEPARATOR = bytes("quake3.separator", "separator", "");
    DATA = bytes("quake3.data", "data", "Undecoded bytes");
}

const MARK: [u8; 4] = [0xff; 4];

/// Commands of clients, servers and master servers.
const COMMANDS: &[&str] = &[
    "challengeResponse",
    "connect",
    "connectResponse",
    "disconnect",
    "echo",
    "getchallenge",
    "getinfo",
    "getservers",
    "getserversExt",
    "getserversResponse",
    "getserversExtResponse",
    "getstatus",
    "getKeyAuthorize",
    "heartbeat",
    "infoResponse",
    "keyAuthorize",
    "ipAuthorize",
    "print",
    "rcon",
    "statusResponse",
];

/// Length of a known command at the start of the bytes.
fn command(bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(bytes.len());
    let word = std::str::from_utf8(bytes.get(..end)?).ok()?;
    COMMANDS.iter().any(|known| known.eq_ignore_ascii_case(word)).then_some(end)
}

fn detect(bytes: &[u8]) -> bool {
    bytes.strip_prefix(&MARK).and_then(command).is_some()
}

fn message(wire: &mut Wire<'_>) -> Result {
    wire.u32_be(&MARKER)?;
    let Some(length) = command(wire.ahead()) else { return wire.rest_is(&DATA) };
    let word = String::from_utf8_lossy(wire.text(&COMMAND, length)?);
    wire.name(&word);
    let word = word.to_ascii_lowercase();
    match word.as_str() {
        "inforesponse" | "statusresponse" => {
            settings(wire)?;
            wire.each(player)
        }
        "getserversresponse" => servers(wire),
        "rcon" => {
            separator(wire, |byte| byte == b' ')?;
            let password = credentials::rcon(wire.ahead());
            if password.start > 0 {
                wire.text(&RCON_CHALLENGE, password.start - 1)?;
                separator(wire, |byte| byte == b' ')?;
            }
            wire.text(&PASSWORD, password.len())?;
            separator(wire, |byte| byte == b' ')?;
            words(wire);
            Ok(())
        }
        _ => {
            words(wire);
            Ok(())
        }
    }
}

/// Reads the arguments of a command and shows them in the heading.
fn words(wire: &mut Wire<'_>) {
    let text = String::from_utf8_lossy(wire.ahead());
    wire.info(format_args!("{}", wire.masked(text.trim()).chars().take(100).collect::<String>()));
    wire.rest(&TEXT);
}

/// Reads delimiters.
fn separator(wire: &mut Wire<'_>, is_one: impl Fn(u8) -> bool) -> Result {
    match wire.ahead().iter().take_while(|byte| is_one(**byte)).count() {
        0 => Ok(()),
        count => wire.bytes(&SEPARATOR, count).map(drop),
    }
}

/// Reads text up to a delimiter.
fn until<'a>(wire: &mut Wire<'a>, field: &'static Field, is_end: impl Fn(u8) -> bool) -> Result<&'a [u8]> {
    let length = wire.ahead().iter().take_while(|byte| !is_end(**byte)).count();
    wire.text(field, length)
}

/// Reads backslash-separated key-value pairs up to the end of the line.
fn settings(wire: &mut Wire<'_>) -> Result {
    let is_end = |byte: u8| byte == b'\\' || byte == b'\n';
    let mut host = None;
    separator(wire, |byte| byte == b'\n')?;
    while wire.peek_u8() == Some(b'\\') {
        wire.group(&SETTING, |wire| {
            wire.bytes(&SEPARATOR, 1)?;
            let key = until(wire, &KEY, is_end)?;
            if wire.peek_u8() != Some(b'\\') {
                return Ok(());
            }
            wire.bytes(&SEPARATOR, 1)?;
            let value = until(wire, &SETTING_VALUE, is_end)?;
            if matches!(key, b"sv_hostname" | b"hostname") {
                host = Some(value);
            }
            Ok(())
        })?;
    }
    if let Some(host) = host {
        wire.info(format_args!("{}", String::from_utf8_lossy(host)));
    }
    separator(wire, |byte| byte == b'\n')
}

/// Reads a player line: score, ping and quoted name.
fn player(wire: &mut Wire<'_>) -> Result {
    let between = |byte: u8| byte == b' ' || byte == b'"';
    let ends = |byte: u8| byte == b' ' || byte == b'\n';
    wire.group(&PLAYER, |wire| {
        until(wire, &SCORE, ends)?;
        separator(wire, between)?;
        until(wire, &PING, ends)?;
        separator(wire, between)?;
        until(wire, &NAME, |byte| byte == b'"' || byte == b'\n')?;
        // Only the end of the line should remain.
        separator(wire, |byte| matches!(byte, b'"' | b'\n' | b' '))
    })
}

/// Reads addresses and ports, each after a backslash, up to the end marker.
fn servers(wire: &mut Wire<'_>) -> Result {
    const END: &[u8] = b"\\EOT";
    let mut count = 0;
    while wire.peek_u8() == Some(b'\\') && !wire.ahead().starts_with(END) {
        wire.group(&SERVER, |wire| {
            wire.bytes(&SEPARATOR, 1)?;
            wire.bytes(&ADDR, 4)?;
            wire.u16_be(&PORT).map(drop)
        })?;
        count += 1;
    }
    wire.info(format_args!("{count} servers"));
    wire.rest_is(&SEPARATOR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const GETSTATUS: &str = "ffffffff676574737461747573";
    const STATUS: &str = "ffffffff737461747573526573706f6e73650a5c73765f686f73746e616d655c486172626f75725c6d61706e616d655c7133646d \
        310a3132203438202266616c6b220a2d312039393920226d6f7373220a";
    const SERVERS: &str = "ffffffff67657473657276657273526573706f6e73655cc00002096d385cc000020a6d395c454f54000000";
    const RCON: &str = "ffffffff72636f6e206d6f73732d677265656e206d6170207133646d32";

    fn read(hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, message)
    }

    #[test]
    fn status_requests_are_read() {
        insta::assert_snapshot!(read(GETSTATUS), @r#"
        quake3 0..13 | getstatus
          0..4 quake3.connectionless.marker = 0xffffffff
          4..13 quake3.connectionless.command = "getstatus"
        "#);
    }

    #[test]
    fn status_responses_are_read() {
        insta::assert_snapshot!(read(STATUS), @r#"
        quake3 0..81 | statusResponse | Harbour
          0..4 quake3.connectionless.marker = 0xffffffff
          4..18 quake3.connectionless.command = "statusResponse"
          18..19 quake3.separator = 0a
          19..39 quake3.setting
            19..20 quake3.separator = 5c
            20..31 quake3.setting.key = "sv_hostname"
            31..32 quake3.separator = 5c
            32..39 quake3.setting.value = "Harbour"
          39..53 quake3.setting
            39..40 quake3.separator = 5c
            40..47 quake3.setting.key = "mapname"
            47..48 quake3.separator = 5c
            48..53 quake3.setting.value = "q3dm1"
          53..54 quake3.separator = 0a
          54..67 quake3.player
            54..56 quake3.player.score = "12"
            56..57 quake3.separator = 20
            57..59 quake3.player.ping = "48"
            59..61 quake3.separator = 2022
            61..65 quake3.player.name = "falk"
            65..67 quake3.separator = 220a
          67..81 quake3.player
            67..69 quake3.player.score = "-1"
            69..70 quake3.separator = 20
            70..73 quake3.player.ping = "999"
            73..75 quake3.separator = 2022
            75..79 quake3.player.name = "moss"
            79..81 quake3.separator = 220a
        "#);
    }

    #[test]
    fn server_lists_are_read() {
        insta::assert_snapshot!(read(SERVERS), @r#"
        quake3 0..43 | getserversResponse | 2 servers
          0..4 quake3.connectionless.marker = 0xffffffff
          4..22 quake3.connectionless.command = "getserversResponse"
          22..29 quake3.server
            22..23 quake3.separator = 5c
            23..27 quake3.server.addr = 192.0.2.9
            27..29 quake3.server.port = 27960
          29..36 quake3.server
            29..30 quake3.separator = 5c
            30..34 quake3.server.addr = 192.0.2.10
            34..36 quake3.server.port = 27961
          36..43 quake3.separator = 5c454f54000000
        "#);
    }

    #[test]
    fn rcon_passwords_have_their_own_field() {
        insta::assert_snapshot!(read(RCON), @r#"
        quake3 0..29 | rcon | map q3dm2
          0..4 quake3.connectionless.marker = 0xffffffff
          4..8 quake3.connectionless.command = "rcon"
          8..9 quake3.separator = 20
          9..19 quake3.rcon.password = "moss-green"
          19..20 quake3.separator = 20
          20..29 quake3.connectionless.text = "map q3dm2"
        "#);
    }

    #[test]
    fn recognition_requires_a_known_command() {
        assert!([GETSTATUS, STATUS, SERVERS, RCON].iter().all(|hex| detect(&trial::bytes(hex))));
        assert!(!detect(b"\xff\xff\xff\xffgetstat") && !detect(b"getstatus") && !detect(b"\xff\xff\xff\xff"));
    }

    #[test]
    fn a_malformed_message_is_read_up_to_the_error() {
        let bytes = trial::bytes(STATUS);
        for cut in 0..bytes.len() {
            trial::read(&PROTOCOL, &bytes[..cut], Cut::No, message);
        }
        for (place, byte) in (0..bytes.len()).flat_map(|place| [0, 0x5c, 0x80, 0xff].map(|byte| (place, byte))) {
            let mut bytes = bytes.clone();
            bytes[place] = byte;
            let dump = trial::read(&PROTOCOL, &bytes, Cut::No, message);
            assert!(dump.starts_with("quake3 0.."));
        }
    }
}
