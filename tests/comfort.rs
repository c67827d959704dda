//! Convenience at a terminal: completions, pager, width, colours.

use crate::common::{apart, binary, program};
use std::process::Command;

const SESSION: &str = "samples/pipboy.pcap";

/// Completions of the last of these words.
fn completed(words: &[&str]) -> Vec<String> {
    let done = program()
        .env("PROTO_DISSECT_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .env("_CLAP_IFS", "\n")
        .args(["--", "proto-dissect"])
        .args(words)
        .output()
        .unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{words:?}");
    String::from_utf8(done.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn shells_complete_current_names() {
    for (words, name) in [
        (&["-e", "pipboy.entry.p"][..], "pipboy.entry.path"),
        (&["-T", "fields", "-e", "ip.sr"], "ip.src"),
        (&["--field", "message.n"], "message.name"),
        (&["-Y", "tcp.port == 80 and pipboy.ty"], "tcp.port == 80 and pipboy.type"),
        (&["-O", "tcp,vs"], "tcp,vscp"),
        (&["-d", "tcp.port==4000,xf"], "tcp.port==4000,xfire"),
        (&["follow", "-d", "udp.s"], "udp.stream=="),
        (&["--as", "pipboy:s"], "pipboy:s2c"),
        (&["--link", "linux-s"], "linux-sll"),
        (&["-o", "xfire.passwords"], "xfire.passwords="),
        (&["fields", "arp.op"], "arp.opcode"),
        (&["protocols", "pip"], "pipboy"),
        (&["--input-f"], "--input-format"),
        (&["sta"], "stats"),
    ] {
        let offered = completed(words);
        assert!(offered.iter().any(|offered| offered == name), "{words:?}: {offered:?}");
    }
    assert!(completed(&["-e", "no.such.field"]).is_empty());
    let all = completed(&["-e", ""]);
    assert!(all.len() > 500, "{}", all.len());
}

/// The shipped script in a real shell.
#[test]
fn bash_completes_with_the_script_that_is_shipped() {
    let folder = std::path::Path::new(binary()).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let ask = "source completions/proto-dissect.bash; COMP_WORDS=(proto-dissect -O pipb); COMP_CWORD=2; \
               _clap_complete_proto_dissect proto-dissect pipb -O; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let Ok(done) =
        apart(Command::new("bash")).args(["-c", ask]).env("PATH", path).current_dir(env!("CARGO_MANIFEST_DIR")).output()
    else {
        return;
    };
    assert_eq!(String::from_utf8_lossy(&done.stdout), "pipboy\npipboy.entries\n", "{}", String::from_utf8_lossy(&done.stderr));
}

/// Output of a command line on a terminal of 24 lines and 80 columns; `None` without `script`.
fn on_a_terminal(command: &str) -> Option<String> {
    let line = format!("stty rows 24 cols 80; {}", command.replace("proto-dissect", binary()));
    let done = apart(Command::new("script"))
        .args(["-qec", &line, "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("NO_COLOR")
        .env_remove("LESS")
        .env("TERM", "xterm-256color")
        .output()
        .ok()?;
    Some(String::from_utf8(done.stdout).unwrap().replace("\r\n", "\n"))
}

#[test]
fn a_pager_starts_when_output_does_not_fit() {
    let Some(paged) = on_a_terminal(&format!("PAGER='sed s/^/PAGED/' proto-dissect -l {SESSION}")) else { return };
    let (listed, notice) = paged.trim_end().rsplit_once('\n').unwrap();
    assert!(listed.lines().count() > 24 && listed.lines().all(|line| line.starts_with("PAGED")), "{paged}");
    assert_eq!(notice, "proto-dissect: 90 messages; --packets prints all 210 frames");
    for command in [
        format!("PAGER='sed s/^/PAGED/' proto-dissect -l -c 5 {SESSION}"),
        format!("PAGER='sed s/^/PAGED/' proto-dissect -l --pager never {SESSION}"),
        format!("cat {SESSION} | PAGER='sed s/^/PAGED/' proto-dissect -l"),
        format!("PAGER= proto-dissect -l {SESSION}"),
        format!("PAGER='sed s/^/PAGED/' proto-dissect -l {SESSION} | cat"),
    ] {
        let shown = on_a_terminal(&command).unwrap();
        assert!(shown.lines().count() >= 5 && !shown.contains("PAGED"), "{command}: {shown}");
    }
    assert!(on_a_terminal("PAGER='sed s/^/PAGED/' proto-dissect fields").unwrap().starts_with("PAGED"));
    let quit = on_a_terminal(&format!("PAGER=true proto-dissect {SESSION}; echo code $?")).unwrap();
    assert_eq!(quit, "code 0\n");
}

#[test]
fn statistics_are_listed_on_a_terminal_without_input() {
    let Some(listed) = on_a_terminal("proto-dissect -z help --pager never") else { return };
    assert!(listed.contains("\nio,stat,1  ") && listed.ends_with('\n'), "{listed}");
    assert_eq!(on_a_terminal("proto-dissect stats -z help --pager never").unwrap(), listed);
}

#[test]
fn colour_is_for_terminals_that_support_it() {
    let Some(coloured) = on_a_terminal(&format!("proto-dissect -c 1 {SESSION}")) else { return };
    assert!(coloured.contains("\x1b["));
    for variable in ["NO_COLOR=1", "TERM=dumb"] {
        let plain = on_a_terminal(&format!("{variable} proto-dissect -c 5 -x -v --pager never {SESSION}")).unwrap();
        assert!(plain.len() > 1000 && !plain.contains('\x1b'), "{variable}: {plain}");
    }
    assert!(!on_a_terminal(&format!("proto-dissect -c 5 --color never --pager never {SESSION}")).unwrap().contains('\x1b'));
    for task in ["stats", "follow", "protocols"] {
        let argument = if task == "protocols" { "" } else { SESSION };
        let plain = on_a_terminal(&format!("NO_COLOR=1 proto-dissect {task} {argument} --pager never")).unwrap();
        assert!(!plain.contains('\x1b'), "{task}");
    }
}

/// Every word in the column of bytes is a byte, or states that there are more.
fn bytes_are_whole(shown: &str) {
    let mut column = None;
    for line in shown.lines() {
        if let (true, Some(from), Some(to)) = (line.contains(" offset  bytes "), line.find("bytes  "), line.find("field  ")) {
            column = Some((from, to));
            continue;
        }
        let Some((from, to)) = column.filter(|_| line.starts_with("  ")) else {
            column = None;
            continue;
        };
        let words: String = line.chars().skip(from).take(to - from).collect();
        let is_byte = |word: &str| word.len() == 2 && word.chars().all(|c| c.is_ascii_hexdigit());
        let are_bits = |word: &str| word.len() == 4 && word.chars().all(|c| matches!(c, '.' | '0' | '1'));
        // Omissions are stated across all columns.
        if !line.contains("-V shows all") {
            assert!(words.split_whitespace().all(|word| is_byte(word) || are_bits(word) || word == "…"), "{words:?} in {line}");
        }
    }
}

#[test]
fn output_has_the_width_of_the_terminal() {
    for arguments in ["-c 12", "-c 10 -V", "-c 12 -v -x", "--packets -c 6", "-l"] {
        let Some(shown) = on_a_terminal(&format!("proto-dissect {arguments} --color never --pager never {SESSION}")) else {
            return;
        };
        let tables = shown.lines().filter(|line| !line.starts_with('#') && !line.trim_start().starts_with('!'));
        for line in tables {
            assert!(line.chars().count() <= 80, "{arguments}: {} columns: {line}", line.chars().count());
        }
        bytes_are_whole(&shown);
    }
}

#[test]
fn colours_are_those_that_the_terminal_has() {
    let Some(fixed) = on_a_terminal(&format!("proto-dissect -c 1 {SESSION}")) else { return };
    assert!(fixed.contains("\x1b[38;5;") && !fixed.contains("\x1b[34m"), "{fixed:?}");
    let console = on_a_terminal(&format!("TERM=linux proto-dissect -c 1 {SESSION}")).unwrap();
    assert!(console.contains("\x1b[") && !console.contains("38;5;"), "{console:?}");
}

#[test]
fn a_conversation_replaces_its_addresses_on_a_narrow_terminal() {
    let Some(shown) = on_a_terminal(&format!("proto-dissect -l --number 4,5 --color never {SESSION}")) else { return };
    assert!(shown.contains(" tcp/0 ← Pip-Boy     40 connection_accepted, en 1.2.33.0\n"), "{shown}");
    assert!(shown.contains(" tcp/0 → Pip-Boy      5 heartbeat\n"), "{shown}");
}
