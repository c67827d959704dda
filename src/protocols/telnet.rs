//! Telnet (RFC 854, RFC 855): text with commands and options in between.
//!
//! ```text
//! command        ff command:1 [option:1]             an option follows WILL, WON'T, DO and DON'T
//! subnegotiation ff fa option:1 data … ff f0         ff is doubled in data
//! text           up to a line end, or to the next command
//! ```
//! Characters of a line are one message, even if each was sent in a separate packet. A prompt of the server for a name or a
//! password ends with its colon and space.
//!
//! Not covered: encryption, authentication and 3270 data, shown as option data.

use crate::limits;
use crate::tree::{Names, Side, Value, fields, name_of};
use crate::wire::{Conversation, Error, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire};
use memchr::{memchr, memchr2};

pub static PROTOCOL: Protocol = Protocol::new(&TELNET, FIELDS)
    .found(&[
        On::Tcp(23).stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(23).stream::<Session>(Heuristic::Stream(by_port)).by_port(),
    ])
    .rest(&OPTION_DATA);

fields! {
    TELNET = protocol("telnet", "Telnet", "Telnet Protocol")
        .covers("Lines, commands, negotiation of options, terminal type and window size")
        .leaves_open("Encryption, authentication and 3270 data");
    COMMAND = number("telnet.cmd", "command", "").names(COMMANDS);
    OPTION = number("telnet.subcmd", "subcommand", "Option of the command").names(OPTIONS);
    MODE = number("telnet.subopt.mode", "mode", "").names(&[(0, "Is"), (1, "Send"), (2, "Info")]);
    TEXT = text("telnet.string_subopt.value", "value", "");
    SPEED = text("telnet.terminal_speed", "terminal speed", "Transmit and receive speed, in bits per second");
    WIDTH = number("telnet.naws_subopt.width", "width", "In characters");
    HEIGHT = number("telnet.naws_subopt.height", "height", "In characters");
    OPTION_DATA = bytes("telnet.option_data", "option data", "");
    LINE = text("telnet.data", "data", "").once();
    PASSWORD = text("telnet.password", "password", "Line after a password prompt").secret().once();
}

const COMMANDS: Names = &[
    (236, "End of File"),
    (237, "Suspend Current Process"),
    (238, "Abort Process"),
    (239, "End of Record"),
    (240, "Suboption End"),
    (241, "No-Operation"),
    (242, "Data Mark"),
    (243, "Break"),
    (244, "Interrupt Process"),
    (245, "Abort Output"),
    (246, "Are You There?"),
    (247, "Erase Character"),
    (248, "Erase Line"),
    (249, "Go Ahead"),
    (250, "Suboption"),
    (251, "Will"),
    (252, "Won't"),
    (253, "Do"),
    (254, "Don't"),
];
const OPTIONS: Names = &[
    (0, "Binary Transmission"),
    (1, "Echo"),
    (3, "Suppress Go Ahead"),
    (5, "Status"),
    (6, "Timing Mark"),
    (24, "Terminal Type"),
    (25, "End of Record"),
    (31, "Negotiate About Window Size"),
    (32, "Terminal Speed"),
    (33, "Remote Flow Control"),
    (34, "Linemode"),
    (35, "X Display Location"),
    (36, "Environment Option"),
    (37, "Authentication Option"),
    (38, "Encryption Option"),
    (39, "New Environment Option"),
    (40, "TN3270E"),
    (42, "Charset"),
    (44, "Com Port Control Option"),
    (69, "MSSP"),
    (70, "MSSP"),
    (85, "MCCP1"),
    (86, "MCCP2"),
    (90, "MSP"),
    (91, "MXP"),
    (200, "ATCP"),
    (201, "GMCP"),
];

const IAC: u8 = 255;
const FIRST_COMMAND: u8 = 236;
const SUBOPTION_END: u8 = 240;
const SUBOPTION: u8 = 250;
const WILL: u8 = 251;
const DONT: u8 = 254;
/// Options with text after a mode: terminal type, X display.
const WITH_TEXT: [u8; 2] = [24, 35];
const TERMINAL_SPEED: u8 = 32;
const WINDOW_SIZE: u8 = 31;

/// State of a connection.
#[derive(Default)]
struct Session {
    /// The server prompts for a password.
    asks: bool,
    /// A prompt, or the beginning of the client's line, is lost: the line may be a password.
    is_lost: bool,
}

/// Recognizes Telnet by a negotiation in the first bytes of either side, or by a prompt.
fn recognize(opening: &Opening<'_>) -> Verdict {
    const SEARCHED: usize = 512;
    const LAST_OPTION: u8 = 69;
    let negotiates = |bytes: &&[u8]| {
        bytes.get(..SEARCHED).unwrap_or(bytes).windows(3).any(|window| matches!(window, [IAC, SUBOPTION..=DONT, 0..=LAST_OPTION]))
    };
    let is_text = |bytes: &&[u8]| bytes.len() < SEARCHED && bytes.iter().all(|byte| *byte != 0 && byte.is_ascii());
    let prompts = |side: &Side| {
        let line = opening.of(*side).rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        prompt_end(line) == Some(line.len()) || is_prompt(line)
    };
    match Side::BOTH.into_iter().find(prompts) {
        _ if opening.sent.iter().any(negotiates) => Verdict::Yes(Side::Server),
        Some(server) => Verdict::Yes(server),
        None if !opening.complete && opening.sent.iter().all(is_text) => Verdict::Unsure,
        None => Verdict::No,
    }
}

/// Recognizes text without negotiation, and commands or options that are unknown.
fn by_port(opening: &Opening<'_>) -> Verdict {
    let is_shown = |character: char| !character.is_control() || matches!(character, '\0' | '\x07'..='\r' | '\x1b' | '\x7f');
    let is_text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().all(is_shown),
        Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
    };
    let commands = |bytes: &[u8]| matches!(bytes, [IAC, FIRST_COMMAND..=DONT, ..]);
    if opening.sent.iter().all(|bytes| is_text(bytes) || commands(bytes)) { Verdict::Yes(Side::Server) } else { Verdict::No }
}

/// Size of the text at the start of the bytes, if its end is among them.
fn line_end(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr2(b'\n', IAC, bytes.get(from..)?)?;
        match bytes.get(at..)? {
            [b'\n', ..] => return Some(at + 1),
            // A doubled ff is a character.
            [IAC, IAC, ..] => from = at + 2,
            [IAC, _, ..] => return Some(at),
            _ => return None,
        }
    }
}

/// Size of the text up to a carriage return with the NUL that follows it.
fn return_end(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, b"\r\0").map(|at| at + 2)
}

/// Size of a prompt for a name or a password, with its space: a prompt has no line end.
fn prompt_end(text: &[u8]) -> Option<usize> {
    const LONGEST: usize = 64;
    let start = text.get(..LONGEST).unwrap_or(text).to_ascii_lowercase();
    let end_of = |prompt: &[u8], is_prompt: fn(&[u8]) -> bool| {
        let at = memchr::memmem::find(&start, prompt).filter(|at| is_prompt(start.get(..*at).unwrap_or_default()))?;
        Some(at + prompt.len())
    };
    // A host name may precede; "Last login: " is a report.
    let is_host = |before: &[u8]| !before.trim_ascii().contains(&b' ') && before != b"last ";
    end_of(b"login: ", is_host)
        .or_else(|| [&b"username: "[..], b"password: "].into_iter().find_map(|prompt| end_of(prompt, <[u8]>::is_empty)))
}

/// Offset of the end of a subnegotiation in its data.
fn suboption_end(data: &[u8], from: usize) -> Option<usize> {
    let mut from = from;
    loop {
        let at = from + memchr(IAC, data.get(from..)?)?;
        match data.get(at + 1)? {
            &IAC => from = at + 2,
            _ => return Some(at),
        }
    }
}

/// Whether text ends with a prompt for a password.
fn is_prompt(text: &[u8]) -> bool {
    const LONGEST: usize = 48;
    let end = text.get(text.len().saturating_sub(LONGEST)..).unwrap_or_default().to_ascii_lowercase();
    let end = end.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let names = |word: &[u8]| memchr::memmem::find(end, word).is_some();
    end.ends_with(b":") && (names(b"password") || names(b"passwd") || names(b"passcode") || names(b"passphrase"))
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        match ahead {
            [] | [IAC] => Extent::NeedMore(ahead.len() + 1),
            [IAC, SUBOPTION, ..] => match suboption_end(ahead, 2) {
                Some(end) => Extent::Message(end + if ahead.get(end + 1) == Some(&SUBOPTION_END) { 2 } else { 0 }),
                None if ahead.len() >= limits::TEXT_LINE.get() => Extent::Message(ahead.len()),
                None => Extent::NeedMore(ahead.len() + 1),
            },
            [IAC, WILL..=DONT, ..] => Extent::Message(3),
            [IAC, FIRST_COMMAND..=DONT, ..] => Extent::Message(2),
            _ => {
                let line = [line_end(ahead), return_end(ahead)].into_iter().flatten().min();
                let prompt = Some(ahead).filter(|_| from == Side::Server).and_then(prompt_end);
                let end = prompt.filter(|prompt| line.is_none_or(|line| *prompt <= line)).or(line);
                if from == Side::Server && is_prompt(ahead.get(..end.unwrap_or(ahead.len())).unwrap_or_default()) {
                    self.asks = true;
                }
                match end {
                    Some(end) => Extent::Message(end.max(1)),
                    None if ahead.len() >= limits::TEXT_LINE.get() => Extent::Message(ahead.len()),
                    None => Extent::NeedMore(ahead.len() + 1),
                }
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        match *wire.ahead() {
            [IAC, command @ FIRST_COMMAND..=DONT, ..] => negotiation(wire, command),
            _ if from == Side::Client && std::mem::take(&mut self.asks) => {
                wire.name("password");
                let line = wire.ahead();
                let text = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n' | 0)).map_or(0, |last| last + 1);
                wire.words(&PASSWORD, line.len(), 0..text).map(drop)
            }
            _ if from == Side::Client && std::mem::take(&mut self.is_lost) => {
                wire.name("text");
                wire.info(format_args!("{} bytes after lost ones", wire.remaining()));
                wire.hide(wire.at()..wire.at() + wire.remaining());
                wire.rest_is(&LINE)
            }
            _ => {
                let text = wire.rest(&LINE);
                wire.name("text");
                wire.info(format_args!("{}", String::from_utf8_lossy(text.trim_ascii_end())));
                Ok(())
            }
        }
    }

    fn gap(&mut self, _: Side, missing: Missing) {
        self.is_lost |= !missing.in_step;
    }

    fn unseen(&mut self, from: Side) {
        self.is_lost |= from == Side::Server;
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        from == Side::Client && (self.asks || self.is_lost || ahead.is_empty())
    }
}

/// Dissects a command with its option.
fn negotiation(wire: &mut Wire<'_>, command: u8) -> Result {
    let name = name_of(COMMANDS, command.into()).unwrap_or("command");
    wire.name(name);
    let start = wire.at();
    wire.put(&COMMAND, Value::Unsigned(command.into()), start..start + 2);
    wire.skip(2)?;
    if !(SUBOPTION..=DONT).contains(&command) {
        return Ok(());
    }
    let option = wire.u8(&OPTION)?;
    match name_of(OPTIONS, option.into()) {
        Some(name) => wire.info(format_args!("{name}")),
        None => wire.info(format_args!("option {option}")),
    }
    if command != SUBOPTION {
        return Ok(());
    }
    let end = suboption_end(wire.ahead(), 0).ok_or(Error::Short { needed: 2 });
    let data = end.as_ref().map_or(wire.remaining(), |end| *end);
    match option {
        WINDOW_SIZE if data == 4 => {
            wire.u16_be(&WIDTH)?;
            wire.u16_be(&HEIGHT)?;
        }
        TERMINAL_SPEED if data > 0 => {
            wire.put(&OPTION_DATA, Value::Bytes, wire.at()..wire.at() + data);
            wire.u8(&MODE)?;
            if data > 1 {
                wire.text(&SPEED, data - 1)?;
            }
        }
        _ if WITH_TEXT.contains(&option) && data > 0 => {
            wire.u8(&MODE)?;
            if data > 1 {
                wire.text(&TEXT, data - 1)?;
            }
        }
        _ if data > 0 => drop(wire.bytes(&OPTION_DATA, data)?),
        _ => {}
    }
    end?;
    if wire.ahead().starts_with(&[IAC, SUBOPTION_END]) {
        let at = wire.at();
        wire.put(&COMMAND, Value::Unsigned(SUBOPTION_END.into()), at..at + 2);
        wire.skip(2)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};

    const TALK: &[(Side, &[u8])] = &[
        (Side::Server, b"\xff\xfd\x18\xff\xfb\x01\xff\xfa\x18\x01\xff\xf0"),
        (Side::Client, b"\xff\xfa\x18\0xterm\xff\xf0\xff\xfa\x1f\0\x50\0\x18\xff\xf0\xff\xfa\x27ab\xff\xffc\xff\xf0\xff\xf4"),
        (Side::Server, b"hello\r\nlogin: anna\r\nPassword: \xff\xfb\x01"),
        (Side::Client, b"moss-green\r\0"),
        (Side::Server, b"wel\xff\xffcome\r\n"),
        (Side::Client, b"ls\r\n"),
    ];

    #[test]
    fn suboptions_end_with_their_end_marker() {
        let extent = |ahead: &[u8]| Session::default().extent(Side::Client, ahead, true);
        assert_eq!(extent(b"\xff\xfa\x18\x01\xff\xf0more"), Extent::Message(6));
        assert_eq!(extent(b"\xff\xfa\x18\xff\xff\xff\xf0"), Extent::Message(7));
        // Another command ends the suboption.
        assert_eq!(extent(b"\xff\xfa\x18\x01\xff\xf4"), Extent::Message(4));
        assert_eq!(extent(b"\xff\xfa\x18\x01"), Extent::NeedMore(5));
        assert_eq!((extent(b"\xff\xfd\x18\xff"), extent(b"\xff\xf4\xff")), (Extent::Message(3), Extent::Message(2)));
    }

    #[test]
    fn a_suboption_without_an_end_is_a_message_at_the_limit() {
        let extent = |count: usize| {
            let ahead = [&[IAC, SUBOPTION, 24][..], &vec![b'a'; count - 3]].concat();
            Session::default().extent(Side::Client, &ahead, true)
        };
        let limit = limits::TEXT_LINE.get();
        assert_eq!((extent(limit), extent(limit + 5)), (Extent::Message(limit), Extent::Message(limit + 5)));
        assert_eq!(extent(limit - 1), Extent::NeedMore(limit));
    }

    #[test]
    fn a_request_for_a_value_has_no_text() {
        let talk: &[(Side, &[u8])] = &[
            (Side::Server, b"\xff\xfa\x20\x01\xff\xf0\xff\xfa\x27\x01\xff\xf0"),
            (Side::Client, b"\xff\xfa\x20\x009600,9600\xff\xf0"),
        ];
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), talk), @r#"
        telnet 0..6 | Suboption | Terminal Speed
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 32 (Terminal Speed)
          3..4 telnet.option_data = 01
          3..4 telnet.subopt.mode = 1 (Send)
          4..6 telnet.cmd = 240 (Suboption End)
        telnet 0..6 | Suboption | New Environment Option
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 39 (New Environment Option)
          3..4 telnet.option_data = 01
          4..6 telnet.cmd = 240 (Suboption End)
        telnet 0..15 | Suboption | Terminal Speed
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 32 (Terminal Speed)
          3..13 telnet.option_data = 00393630302c39363030
          3..4 telnet.subopt.mode = 0 (Is)
          4..13 telnet.terminal_speed = "9600,9600"
          13..15 telnet.cmd = 240 (Suboption End)
        "#);
    }

    #[test]
    fn lines_and_options_are_dissected() {
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), TALK), @r#"
        telnet 0..3 | Do | Terminal Type
          0..2 telnet.cmd = 253 (Do)
          2..3 telnet.subcmd = 24 (Terminal Type)
        telnet 0..3 | Will | Echo
          0..2 telnet.cmd = 251 (Will)
          2..3 telnet.subcmd = 1 (Echo)
        telnet 0..6 | Suboption | Terminal Type
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 24 (Terminal Type)
          3..4 telnet.subopt.mode = 1 (Send)
          4..6 telnet.cmd = 240 (Suboption End)
        telnet 0..11 | Suboption | Terminal Type
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 24 (Terminal Type)
          3..4 telnet.subopt.mode = 0 (Is)
          4..9 telnet.string_subopt.value = "xterm"
          9..11 telnet.cmd = 240 (Suboption End)
        telnet 0..9 | Suboption | Negotiate About Window Size
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 31 (Negotiate About Window Size)
          3..5 telnet.naws_subopt.width = 80
          5..7 telnet.naws_subopt.height = 24
          7..9 telnet.cmd = 240 (Suboption End)
        telnet 0..10 | Suboption | New Environment Option
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 39 (New Environment Option)
          3..8 telnet.option_data = 6162ffff63
          8..10 telnet.cmd = 240 (Suboption End)
        telnet 0..2 | Interrupt Process
          0..2 telnet.cmd = 244 (Interrupt Process)
        telnet 0..7 | text | hello
          0..7 telnet.data = "hello\r\n"
        telnet 0..7 | text | login:
          0..7 telnet.data = "login: "
        telnet 0..6 | text | anna
          0..6 telnet.data = "anna\r\n"
        telnet 0..10 | text | Password:
          0..10 telnet.data = "Password: "
        telnet 0..3 | Will | Echo
          0..2 telnet.cmd = 251 (Will)
          2..3 telnet.subcmd = 1 (Echo)
        telnet 0..12 | password
          0..12 telnet.password = "moss-green"
        telnet 0..11 | text | wel��come
          0..11 telnet.data = "wel��come\r\n"
        telnet 0..4 | text | ls
          0..4 telnet.data = "ls\r\n"
        "#);
    }

    #[test]
    fn a_terminal_speed_is_text_and_option_data() {
        let talk = [(Side::Client, &b"\xff\xfa\x20\x0038400,38400\xff\xf0"[..]), (Side::Server, b"\xff\xfa\x20\x01\xff\xf0")];
        insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &talk), @r#"
        telnet 0..17 | Suboption | Terminal Speed
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 32 (Terminal Speed)
          3..15 telnet.option_data = 0033383430302c3338343030
          3..4 telnet.subopt.mode = 0 (Is)
          4..15 telnet.terminal_speed = "38400,38400"
          15..17 telnet.cmd = 240 (Suboption End)
        telnet 0..6 | Suboption | Terminal Speed
          0..2 telnet.cmd = 250 (Suboption)
          2..3 telnet.subcmd = 32 (Terminal Speed)
          3..4 telnet.option_data = 01
          3..4 telnet.subopt.mode = 1 (Send)
          4..6 telnet.cmd = 240 (Suboption End)
        "#);
        survives_damage(&PROTOCOL, Session::default, &talk);
    }

    #[test]
    fn damaged_options_are_survived() {
        survives_damage(&PROTOCOL, Session::default, TALK);
    }

    #[test]
    fn a_prompt_for_a_password_is_known() {
        assert!(is_prompt(b"a\r\nPassword: ") && is_prompt(b"[sudo] password for anna:"));
        assert!(!is_prompt(b"Password: \r\n") && !is_prompt(b"login: ") && !is_prompt(b""));
    }

    #[test]
    fn a_prompt_ends_without_a_line_end() {
        for (text, end) in [
            (&b"login: anna\r\n"[..], Some(7)),
            (b"my-host Login: ", Some(15)),
            (b"Password: ", Some(10)),
            (b"Password:", None),
            (b"Last login: Tue Nov 24\r\n", None),
            (b"No such login: anna\r\n", None),
            (b"Wrong password: try again\r\n", None),
        ] {
            assert_eq!(prompt_end(text), end, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn streams_are_recognized_by_a_negotiation() {
        let judge = |client: &[u8], server: &[u8], complete| {
            recognize(&Opening { sent: [client, server], from_start: [true; 2], complete })
        };
        assert_eq!(judge(b"", b"hi\xff\xfb\x01", true), Verdict::Yes(Side::Server));
        assert_eq!(judge(b"", b"hi", false), Verdict::Unsure);
        assert_eq!(judge(b"", b"hi", true), Verdict::No);
        assert_eq!(judge(b"\xff\xff\xff\xffgetinfo", b"", true), Verdict::No);
    }
}
