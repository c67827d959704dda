//! Key files: formats, conditions, and messages without keys.

use super::conditions::{Conditions, nanos};
use super::*;
use crate::limits;
use crate::tree::{StreamId, Timestamp, Transport};
use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Nanoseconds since 1970 of the first frame of [`owner`].
const FIRST: i64 = 1_700_000_000;

fn owner() -> Owner {
    let socket = |text: &str| -> SocketAddr { text.parse().unwrap() };
    Owner {
        stream: StreamId { transport: Transport::Tcp, number: 3 },
        ends: Some([socket("192.0.2.10:51000"), socket("[2001:db8::1]:25565")]),
        first: Some(Timestamp { seconds: FIRST, nanos: 500_000_000 }),
    }
}

fn ring(text: &str) -> KeyRing {
    KeyRing::parse(Path::new("keys.txt"), text.as_bytes()).unwrap()
}

/// The line that serves [`owner`].
fn line(text: &str) -> Option<usize> {
    ring(text).find("game", "secret", &owner()).map(|key| key.line)
}

fn error(text: &[u8]) -> String {
    KeyRing::parse(Path::new("keys.txt"), text).unwrap_err().to_string()
}

/// A file that is removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, text: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("proto-dissect-keys-{}-{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        Temporary(path)
    }

    fn append(&self, text: &str) {
        fs::OpenOptions::new().append(true).open(&self.0).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn ring(&self) -> KeyRing {
        KeyRing::open(std::slice::from_ref(&self.0), &|| false).unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn a_line_has_protocol_name_and_value_between_blanks_and_comments() {
    let text = "\u{feff}# protocol name value\r\n\r\n\tgame  secret\t0F15   # mine\r\ngame iv \"a # b\"#c\r\nother secret -";
    let keys = ring(text);
    let value = |protocol, name| keys.find(protocol, name, &owner()).map(|key| (key.value.to_vec(), key.line));
    assert_eq!(value("game", "secret"), Some((vec![0x0f, 0x15], 3)));
    assert_eq!(value("game", "iv"), Some((b"a # b".to_vec(), 4)));
    assert_eq!(value("other", "secret"), Some((Vec::new(), 5)));
    assert_eq!(value("game", "key"), None);
    assert_eq!(value("Game", "secret"), None);
}

#[test]
fn a_line_serves_conversations_that_meet_all_its_conditions() {
    for (conditions, serves) in [
        ("", true),
        ("client=192.0.2.10", true),
        ("client=192.0.2.10:51000", true),
        ("client=192.0.2.10:51001", false),
        ("client=192.0.2.11", false),
        ("server=192.0.2.10", false),
        ("server=[2001:db8::1]", true),
        ("server=[2001:db8::1]:25565", true),
        ("server=[2001:db8::1]:25566", false),
        ("stream=tcp/3", true),
        ("stream=udp/3", false),
        ("stream=tcp/2", false),
        ("from=1700000000.5", true),
        ("from=1700000000.500000001", false),
        ("until=1700000000.5", false),
        ("until=1700000000.500000001", true),
        ("from=2023-11-14T22:13:20Z until=2023-11-14T22:13:21Z", true),
        ("client=192.0.2.10 server=[2001:db8::1]:25565 stream=tcp/3 from=1 until=1800000000", true),
        ("client=192.0.2.10 server=[2001:db8::1]:25565 stream=tcp/4 from=1 until=1800000000", false),
    ] {
        assert_eq!(line(&format!("game secret 00 {conditions}")), serves.then_some(1), "{conditions}");
    }
}

#[test]
fn times_match_nothing_without_a_time_and_ends_nothing_without_addresses() {
    let bare = Owner { ends: None, first: None, ..owner() };
    let served = |conditions: &str| ring(&format!("game secret 00 {conditions}")).find("game", "secret", &bare).is_some();
    assert!(served("") && served("stream=tcp/3"));
    assert!(!served("client=192.0.2.10") && !served("from=0") && !served("until=9999999999"));
}

#[test]
fn of_several_matching_lines_the_last_serves() {
    assert_eq!(line("game secret 00\ngame secret 01\nother secret 02"), Some(2));
    assert_eq!(line("game secret 00 client=192.0.2.10:51000\ngame secret 01 client=192.0.2.10"), Some(2));
    assert_eq!(line("game secret 00\ngame secret 01 client=192.0.2.11"), Some(1));
    assert_eq!(line("game secret 00 from=5\ngame secret 01 from=1 until=2000000000\ngame secret 02 until=7"), Some(2));
    let two = [Temporary::new("first", "game secret 00\n"), Temporary::new("second", "game secret 01\n")];
    let mut keys = KeyRing::open(&two.each_ref().map(|file| file.0.clone()), &|| false).unwrap();
    two[0].append("game secret 02\n");
    assert_eq!(keys.generation(), 1);
    assert_eq!(keys.find("game", "secret", &owner()).unwrap().value[..], [1]);
    keys.add("-o game.secret", "game", "secret", vec![3]);
    let key = keys.find("game", "secret", &owner()).unwrap();
    assert_eq!((&key.value[..], key.to_string().as_str()), (&[3][..], "-o game.secret"));
}

/// Compares the index with a search of all lines.
#[test]
fn the_index_finds_what_a_search_of_all_lines_finds() {
    use proptest::prelude::*;
    let end = |name: &'static str, own: &'static str, other: &'static str| {
        let ends = vec![String::new(), format!("{name}={own}"), format!("{name}={other}")];
        prop::sample::select(ends)
    };
    let clients = end("client", "192.0.2.10", "192.0.2.10:51000");
    let servers = end("server", "[2001:db8::1]:25565", "[2001:db8::2]");
    let streams = prop::sample::select(vec!["", "stream=tcp/3", "stream=tcp/4"]);
    let line = (clients, servers, streams, prop::option::of(0_u8..8), prop::option::of(8_u8..12));
    let lines = prop::collection::vec(line, 0..12);
    proptest!(ProptestConfig::with_cases(300), |(lines in lines, second in prop::option::of(0_i64..14))| {
        let owner = Owner { first: second.map(|seconds| Timestamp { seconds, nanos: 0 }), ..owner() };
        let written = lines.iter().map(|(client, server, stream, from, until)| {
            let from = from.map(|from| format!("from={from}")).unwrap_or_default();
            let until = until.map(|until| format!("until={until}")).unwrap_or_default();
            format!("game secret 00 {client} {server} {stream} {from} {until}\n")
        });
        let text: String = written.collect();
        let matches = |conditions: &Conditions| {
            let time = owner.first.map(nanos);
            conditions::Pattern::of(&owner).any(|pattern| pattern == conditions.pattern)
                && conditions.from.is_none_or(|from| time.is_some_and(|time| from <= time))
                && conditions.until.is_none_or(|until| time.is_some_and(|time| time < until))
        };
        let parsed: Vec<_> = text.lines().map(|text| line::parse(text.as_bytes()).unwrap().unwrap()).collect();
        let expected = parsed.iter().rposition(|entry| matches(&entry.conditions)).map(|at| at + 1);
        prop_assert_eq!(ring(&text).find("game", "secret", &owner).map(|key| key.line), expected, "{}", text);
    });
}

#[test]
fn a_line_that_does_not_parse_names_its_number_what_was_expected_and_the_nearest_word() {
    for (line, words) in [
        ("game", "expected a name and a value"),
        ("game secret", "expected a value"),
        ("game secret # 5ec2e7", "expected a value"),
        ("game secret 5ec2e7f", "even number of hex digits, not 7"),
        ("game secret 5ec2e7 f0", "after the value"),
        ("game secret 5ec2e7 clinet=192.0.2.10", "did you mean client=?"),
        ("game secret 5ec2e7 untill=5", "did you mean until=?"),
        ("game secret 5ec2e7 base64:5ec2e7==", "after the value"),
        ("game secret 5ec2e7 client=192.0.2", "client=: expected an address"),
        ("game secret 5ec2e7 client=2001:db8::1", "brackets"),
        ("game secret 5ec2e7 from=now", "from=: expected a time"),
        ("game secret 5ec2e7 from=5 until=5", "not after"),
        ("game secret 5ec2e7 stream=3", "tcp/3"),
        ("game secret 5ec2e7 stream=tcp/3 stream=tcp/4", "twice"),
        ("game secret 5ec2e7 client=192.0.2.1 client=192.0.2.1", "twice"),
        ("game secret \"5ec2e7", "\" at the end"),
        ("game secret \"5ec2e7\"x", "a blank after the text"),
        ("game \"5ec2e7\" secret", "in this order"),
    ] {
        for end in ["", "\n", "\r\n", "\ngame secret 00\n"] {
            let error = error(format!("# comment\ngame iv 00\n{line}{end}").as_bytes());
            assert!(error.starts_with("keys.txt:3: ") && error.contains(words), "{line}: {error}");
            assert!(!error.contains("5ec2"), "{error}");
        }
    }
    assert!(error(b"\xff\xfeg\0a\0m\0e\0").starts_with("keys.txt:1: expected UTF-8 text; this may be UTF-16"));
    assert!(error(b"game secret \xff").contains("UTF-8"));
}

#[test]
fn debug_output_shows_no_value() {
    let keys = ring("game secret \"hunter2\"");
    let key = keys.find("game", "secret", &owner());
    let mut settings = crate::wire::Settings::new();
    settings.set_keys(std::sync::Arc::new(keys));
    let text = format!("{key:?} {settings:?}");
    assert!(text.contains("keys.txt:1") && !text.contains("hunter2") && !text.contains("104, 117"), "{text}");
}

#[test]
fn lines_that_served_nothing_are_listed_once() {
    let keys = ring("game secret 00\n# comment\ngame secret 01\ngame iv 02 stream=tcp/9\nother secret 03");
    let places = || keys.unserved().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(places(), ["keys.txt:1", "keys.txt:3", "keys.txt:4", "keys.txt:5"]);
    assert!(keys.find("game", "secret", &owner()).is_some() && keys.find("game", "iv", &owner()).is_none());
    assert_eq!(places(), ["keys.txt:1", "keys.txt:4", "keys.txt:5"]);
}

#[test]
fn a_line_for_a_conversation_serves_it() {
    let text = line_for("game", "secret", &owner());
    assert_eq!(text, "game secret HEX client=192.0.2.10:51000 server=[2001:db8::1]:25565");
    assert_eq!(line(&text.replace("HEX", "00")), Some(1));
    let bare = Owner { ends: None, ..owner() };
    assert_eq!(line_for("game", "secret", &bare), "game secret HEX stream=tcp/3");
}

#[test]
fn a_file_that_grows_is_read_from_its_last_complete_line() {
    let file = Temporary::new("grows", "# none\n");
    let keys = file.ring();
    let find = |name| keys.find("game", name, &owner()).map(|key| (key.value.to_vec(), key.line));
    assert_eq!((find("secret"), keys.generation()), (None, 0));
    file.append("game secret 01");
    assert_eq!((find("secret"), keys.generation()), (None, 0));
    file.append("02\ngame iv 03\ngame");
    assert_eq!((find("secret"), find("iv")), (Some((vec![1, 2], 2)), Some((vec![3], 3))));
    assert_eq!(keys.generation(), 1);
    // A key is there: only the counter shows that there is a later one.
    file.append(" secret 04\n");
    assert_eq!(find("secret"), Some((vec![1, 2], 2)));
    assert_eq!((keys.generation(), find("secret")), (2, Some((vec![4], 4))));
}

#[test]
fn a_last_line_without_end_serves_until_it_grows() {
    let file = Temporary::new("tail", "game secret 01\ngame secret 02");
    let keys = file.ring();
    let find = || keys.find("game", "secret", &owner()).map(|key| (key.value.to_vec(), key.line));
    assert_eq!(find(), Some((vec![2], 2)));
    file.append("03");
    assert_eq!((keys.generation(), find()), (0, Some((vec![1], 1))));
    file.append("\n");
    assert_eq!((keys.generation(), find()), (1, Some((vec![2, 3], 2))));
}

#[test]
fn an_added_line_that_does_not_parse_is_kept_as_an_error() {
    let file = Temporary::new("error", "");
    let keys = file.ring();
    file.append("game secret 5ec2e\ngame secret 01\n");
    assert_eq!(keys.find("game", "secret", &owner()).map(|key| key.line), Some(2));
    let errors = keys.errors();
    assert!(errors.len() == 1 && errors[0].line == Some(1) && !errors[0].to_string().contains("5ec2"), "{errors:?}");
}

#[test]
fn a_file_that_is_written_anew_is_read_anew() {
    let file = Temporary::new("anew", "game secret 01\ngame iv 02\n");
    let keys = file.ring();
    assert!(keys.find("game", "iv", &owner()).is_some());
    fs::write(&file.0, "game key 03\n").unwrap();
    assert_eq!(keys.generation(), 1);
    assert!(keys.find("game", "iv", &owner()).is_none());
    assert_eq!(keys.find("game", "key", &owner()).map(|key| key.line), Some(1));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let missing = KeyRing::open(&["/does/not/exist".into()], &|| false).unwrap_err().to_string();
    assert!(missing.starts_with("/does/not/exist: cannot be read: "), "{missing}");
    let directory = KeyRing::open(&[std::env::temp_dir()], &|| false).unwrap_err().to_string();
    assert!(directory.contains("directory"), "{directory}");
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_does_not_hang_and_serves_later() {
    let path = std::env::temp_dir().join(format!("proto-dissect-keys-{}-pipe", std::process::id()));
    let _ = fs::remove_file(&path);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let keys = KeyRing::open(std::slice::from_ref(&path), &|| true).unwrap();
    assert_eq!(keys.open_pipes().collect::<Vec<_>>(), [&*path]);
    assert!(keys.find("game", "secret", &owner()).is_none());
    fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(b"game secret 01\ngame iv 02").unwrap();
    while keys.open_pipes().next().is_some() {
        let _ = keys.generation();
    }
    assert!(keys.find("game", "secret", &owner()).is_some() && keys.find("game", "iv", &owner()).is_some());
    fs::remove_file(&path).unwrap();
}

#[test]
fn files_values_lines_and_their_number_are_limited() {
    // Hostile files take time that is linear in their size.
    let start = Instant::now();
    let value = error(format!("game secret {}", "0".repeat(32 << 20)).as_bytes());
    assert!(value.contains("keys.txt:1: the line has more than"), "{value}");
    let file = error(&vec![b'0'; limits::KEY_FILE.get() + 1]);
    assert!(file.contains("keys.file"), "{file}");
    let many = "game secret 00\n".repeat(limits::KEY_LINES.get() + 1);
    assert!(error(many.as_bytes()).contains("keys.lines"));
    let windows: String = (0..100_000).map(|at| format!("game secret 00 from={at} until={}\n", 200_000 - at)).collect();
    let keys = ring(&windows);
    for second in 0..100_000 {
        let owner = Owner { first: Some(Timestamp { seconds: second, nanos: 0 }), ..owner() };
        assert_eq!(keys.find("game", "secret", &owner).map(|key| key.line as i64), Some(second + 1));
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn requests_of_conversations_are_recorded_up_to_a_limit() {
    let mut keys = ring("game secret 00 stream=tcp/3\n");
    keys.record();
    let other = Owner { stream: StreamId { number: 4, ..owner().stream }, ..owner() };
    for owner in [owner(), other, owner()] {
        let _ = keys.find("game", "secret", &owner);
    }
    keys.judge("game", "secret", owner().stream, true);
    let value = [7][..].into();
    let requests = keys.restart(Some(Tried { protocol: "game".to_owned(), name: "secret".to_owned(), value }));
    let short: Vec<_> =
        requests.iter().map(|request| (request.owner.stream.number, request.key.is_some(), request.fits)).collect();
    assert_eq!(short, [(3, true, Some(true)), (4, false, None)]);
    // A value that is tried serves every conversation, for its name.
    assert_eq!(keys.find("game", "iv", &other), None);
    assert_eq!(keys.find("game", "secret", &other).map(|key| key.value.to_vec()), Some(vec![7]));
    assert_eq!(keys.verdict("game", "secret"), None);
    keys.judge("game", "secret", other.stream, false);
    assert_eq!(keys.verdict("game", "secret"), Some(false));
    for number in 0..=u32::try_from(limits::KEY_REQUESTS.get()).unwrap() {
        let _ = keys.find("game", "secret", &Owner { stream: StreamId { number, ..owner().stream }, ..owner() });
    }
    assert_eq!(keys.restart(None).len(), limits::KEY_REQUESTS.get());
}
