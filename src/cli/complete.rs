//! Dynamic shell completion of fields, protocols, link types and settings.
//!
//! The scripts in `completions/` run the program with [`VARIABLE`] set, so candidates are always current.

use super::NAME;
use super::args::Args;
use super::loading::Loading;
use crate::glossary;
use crate::input::link_names;
use crate::limits;
use crate::registry::Registry;
use crate::wire::Protocol;
use clap::CommandFactory;
use clap::builder::StyledStr;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::PathBuf;

/// Environment variable that selects completion.
const VARIABLE: &str = "PROTO_DISSECT_COMPLETE";

/// Selectors of `-d`.
const SELECTORS: [&str; 8] =
    ["tcp.port==", "udp.port==", "tcp.stream==", "udp.stream==", "usb.stream==", "ip.addr==", "link==", "log,"];

/// Answers a completion request. Returns false if there is none.
pub(super) fn answered() -> Result<bool, clap::Error> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if std::env::var_os(VARIABLE).is_some() {
        // An error message would disturb the command line that is being edited.
        let _ = super::loading::load_silently(&loading(&arguments));
    }
    CompleteEnv::with_factory(Args::command)
        .var(VARIABLE)
        .bin(NAME)
        .try_complete(arguments, std::env::current_dir().ok().as_deref())
}

/// Kaitai Struct options of an incomplete command line.
fn loading(words: &[OsString]) -> Loading {
    let mut loading = Loading::default();
    let mut words = words.iter().skip_while(|word| *word != "--").skip(1);
    while let Some(word) = words.next() {
        let word = word.to_string_lossy();
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(PathBuf::from(value))),
            None if word.starts_with("-k") && word.len() > 2 => ("-k", word.get(2..).map(PathBuf::from)),
            None => (&*word, None),
        };
        let list = match name {
            "-k" | "--ksy" => &mut loading.ksy,
            "--ksy-dir" => &mut loading.ksy_dir,
            _ => continue,
        };
        list.extend(value.or_else(|| words.next().map(PathBuf::from)));
    }
    loading
}

/// Writes the completion script of a shell.
pub(super) fn write_script(shell: Shell, out: &mut dyn Write) -> io::Result<()> {
    let shells = Shells::builtins();
    let known = shells.completer(&shell.to_string()).ok_or_else(|| io::Error::other("unknown shell"))?;
    let mut script = Vec::new();
    known.write_registration(VARIABLE, NAME, NAME, NAME, &mut script)?;
    out.write_all(&script)
}

fn candidate(value: impl Into<std::ffi::OsString>, about: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help((!about.is_empty()).then(|| StyledStr::from(about.to_owned())))
}

/// Candidates for the last word, with the text before it as prefix.
fn completed<'a>(typed: &str, last: usize, names: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<CompletionCandidate> {
    let (before, word) = typed.split_at_checked(last).unwrap_or((typed, ""));
    names.filter(|(name, _)| name.starts_with(word)).map(|(name, about)| candidate(format!("{before}{name}"), about)).collect()
}

/// Start of the last word, after one of these separators.
fn last_word_start(typed: &str, separators: &[char]) -> usize {
    typed.rfind(separators).map_or(0, |at| at + 1)
}

/// Completes field names.
pub(super) fn fields(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let entries = glossary::entries_about(Registry::default(), &typed);
    completed(&typed, 0, entries.iter().map(|entry| (entry.name, entry.about)))
}

/// Completes field names in an expression.
pub(super) fn expression(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let last = last_word_start(&typed, &[' ', '(', '!', '{', ',', '&', '|', '=', '<', '>']);
    let entries = glossary::entries_about(Registry::default(), typed.get(last..).unwrap_or_default());
    completed(&typed, last, entries.iter().map(|entry| (entry.name, entry.about)))
}

/// Completes a comma-separated list of protocols.
pub(super) fn protocols(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let all = glossary::protocols(Registry::default());
    completed(&typed, last_word_start(&typed, &[',']), all.iter().map(|protocol| (protocol.this.abbrev, protocol.this.about)))
}

fn applications() -> impl Iterator<Item = (&'static str, &'static str)> {
    Registry::default().applications().map(|protocol| (protocol.this.abbrev, protocol.this.about))
}

/// Completes a selector and, after the comma, a protocol.
pub(super) fn decode_as(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    match typed.rfind(',') {
        Some(comma) => completed(&typed, comma + 1, applications().chain([("none", "No protocol: data")])),
        None => completed(&typed, 0, SELECTORS.into_iter().map(|selector| (selector, ""))),
    }
}

/// Completes a protocol and a direction.
pub(super) fn payload(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    match typed.rfind(':') {
        Some(colon) => {
            let sides = [("c2s", "Client to server"), ("s2c", "Server to client")];
            completed(&typed, colon + 1, sides.into_iter())
        }
        None => completed(&typed, 0, applications().chain(super::decode_as::LAYERS.iter().map(|(name, _)| (*name, "")))),
    }
}

/// Completes link types.
pub(super) fn links(typed: &OsStr) -> Vec<CompletionCandidate> {
    completed(&typed.to_string_lossy(), 0, link_names().map(|name| (name, "")))
}

/// Completes protocol settings.
pub(super) fn settings(typed: &OsStr) -> Vec<CompletionCandidate> {
    let of_protocol = |protocol: &'static Protocol| {
        let keys = protocol.keys.iter().map(|key| (format!("{}.{}=", protocol.this.abbrev, key.name), key.about));
        protocol.settings.iter().map(|setting| (format!("{}=", setting.name), setting.about)).chain(keys)
    };
    let named: Vec<(String, &str)> = Registry::default().protocols().flat_map(of_protocol).collect();
    completed(&typed.to_string_lossy(), 0, named.iter().map(|(name, about)| (name.as_str(), *about)))
}

/// Completes names of limits.
pub(super) fn limits(typed: &OsStr) -> Vec<CompletionCandidate> {
    let named: Vec<(String, &str)> = limits::ALL.iter().map(|limit| (format!("{}=", limit.name), limit.reason)).collect();
    completed(&typed.to_string_lossy(), 0, named.iter().map(|(name, about)| (name.as_str(), *about)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(candidates: Vec<CompletionCandidate>) -> Vec<String> {
        candidates.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn names_are_completed_at_the_cursor() {
        let has = |candidates, name: &str| values(candidates).iter().any(|value| value == name);
        assert!(has(fields(OsStr::new("pipboy.ty")), "pipboy.type"));
        assert!(has(fields(OsStr::new("frame.nu")), "frame.number"));
        assert!(values(fields(OsStr::new("pipboy.ty"))).iter().all(|name| name.starts_with("pipboy.ty")));
        assert!(has(expression(OsStr::new("tcp.port == 5 && !pipb")), "tcp.port == 5 && !pipboy"));
        assert!(has(protocols(OsStr::new("tcp,pip")), "tcp,pipboy"));
        assert!(has(decode_as(OsStr::new("tcp.p")), "tcp.port=="));
        assert!(has(decode_as(OsStr::new("tcp.port==5,pip")), "tcp.port==5,pipboy"));
        assert!(has(decode_as(OsStr::new("tcp.port==5,no")), "tcp.port==5,none"));
        assert!(has(payload(OsStr::new("xfi")), "xfire") && has(payload(OsStr::new("et")), "eth"));
        assert_eq!(values(payload(OsStr::new("xfire:c"))), ["xfire:c2s"]);
        assert!(has(links(OsStr::new("ether")), "ethernet"));
        assert!(has(settings(OsStr::new("xfire.pass")), "xfire.password="));
    }

    #[test]
    fn files_of_the_typed_line_are_loaded() {
        let typed =
            ["proto-dissect", "--", "proto-dissect", "-k", "a.ksy", "--ksy=b.ksy", "-kc.ksy", "--ksy-dir", "d", "-Y", "x"];
        let loading = loading(&typed.map(OsString::from));
        assert_eq!(loading.ksy, ["a.ksy", "b.ksy", "c.ksy"].map(PathBuf::from));
        assert_eq!(loading.ksy_dir, [PathBuf::from("d")]);
    }

    #[test]
    fn selectors_that_are_offered_are_taken() {
        for selector in SELECTORS {
            let value = if selector.starts_with("ip") { "10.0.0.1" } else { "7" };
            // Logs have no value.
            let behind = if selector.ends_with(',') { String::from("none") } else { format!("{value},none") };
            let text = format!("{selector}{behind}");
            assert!(super::super::decode_as::decode_as(Registry::default(), &text).is_ok(), "{text}");
        }
    }
}
