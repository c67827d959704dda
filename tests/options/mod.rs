//! Every option has a case: its output is golden, and its effect is the stated one.

mod messages;
mod mistakes;
mod tasks;
mod transcript;

use crate::common::{assert_golden_cases, own_cases, run};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;
use transcript::transcript;

/// The effect of an option on the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The output differs.
    Differs,
    /// The output is the same: the option is the default, or about the manner of processing.
    Same,
}
use Effect::{Differs, Same};

/// An option with its value, the rest of the command line, and the effect.
type Case = (&'static str, &'static str, Effect);

/// The options of a task in its help: all names of each, and its possible values.
struct Listed {
    names: BTreeMap<String, Vec<String>>,
    values: BTreeSet<(String, String)>,
}

fn listed(task: &str) -> Listed {
    let help = run(&task.split_whitespace().chain(["--help"]).collect::<Vec<_>>()).out;
    let mut listed = Listed { names: BTreeMap::new(), values: BTreeSet::new() };
    let mut current = String::new();
    for line in help.lines().map(str::trim) {
        if line.starts_with('-') && !line.starts_with("- ") {
            let names: Vec<String> =
                line.split([' ', ',']).filter(|w| w.starts_with('-')).map(|w| w.split('[').next().unwrap().to_owned()).collect();
            current.clone_from(&names[0]);
            names.iter().for_each(|name| drop(listed.names.insert(name.clone(), names.clone())));
        } else if let Some((value, _)) = line.strip_prefix("- ").and_then(|line| line.split_once(':')) {
            listed.values.insert((current.clone(), value.to_owned()));
        }
    }
    listed
}

fn first(option: &str) -> &str {
    option.split(' ').next().unwrap_or_default()
}

/// The lines of a case: with the option, without it, and with its other names.
fn lines_of(task: &str, (option, rest, _): Case, listed: &Listed) -> (String, String, Vec<String>) {
    let line = |option: &str| [task, option, rest].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ");
    let name = first(option);
    let names = listed.names.get(name).into_iter().flatten();
    let others = names.filter(|other| *other != name && name != "-h" && name != "--help");
    (line(option), line(""), others.map(|other| line(&option.replacen(name, other, 1))).collect())
}

/// Runs each line once, on all cores.
fn transcripts(lines: &BTreeSet<String>) -> HashMap<&str, String> {
    let (waiting, ended) = (Mutex::new(lines.iter()), Mutex::new(HashMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                loop {
                    let Some(line) = waiting.lock().unwrap().next() else { return };
                    let shown = transcript(line, b"");
                    ended.lock().unwrap().insert(line.as_str(), shown);
                }
            });
        }
    });
    ended.into_inner().unwrap()
}

/// Runs the cases of a task: compares each with its golden output and expected effect, by all names of the option.
/// Tests that are not thorough run one of nine.
fn check(task: &str, golden: &str, cases: &[Case]) {
    let listed = listed(task);
    let cases: Vec<Case> = own_cases(cases, 0, 9).copied().collect();
    let lines: Vec<_> = cases.iter().map(|case| lines_of(task, *case, &listed)).collect();
    let all = lines.iter().flat_map(|(with, without, renamed)| [with, without].into_iter().chain(renamed)).cloned().collect();
    let shown = transcripts(&all);
    let (mut kept, mut wrong) = (Vec::new(), Vec::new());
    for ((option, _, effect), (line, line_without, renamed)) in cases.iter().zip(&lines) {
        let (with, without) = (&shown[line.as_str()], &shown[line_without.as_str()]);
        if (with == without) != (*effect == Same) {
            wrong.push(format!("{line}: expected {effect:?}, with it:\n{with}without it:\n{without}"));
        }
        for other in renamed.iter().filter(|other| shown[other.as_str()] != *with) {
            wrong.push(format!("{other} does something else than {}", first(option)));
        }
        let with = if *effect == Same { "[as without it]\n" } else { with };
        kept.push(format!("$ proto-dissect {line}\n{with}\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_golden_cases(golden, "", &kept);
}

/// Each option in the help of a task has a case, and so has each of its values.
fn assert_complete(task: &str, cases: &[Case]) {
    let listed = listed(task);
    let mut missing = Vec::new();
    for names in listed.names.values() {
        // It does not end; see tests/watch.rs.
        if names == &["--watch"] {
            continue;
        }
        if !cases.iter().any(|(option, ..)| names.iter().any(|name| name == first(option))) {
            missing.push(names.join(" "));
        }
    }
    for (option, value) in &listed.values {
        let names = &listed.names[option];
        let has = |option: &str| names.iter().any(|name| option == format!("{name} {value}"));
        if !cases.iter().any(|(option, ..)| has(option)) {
            missing.push(format!("{option} {value}"));
        }
    }
    assert!(listed.names.len() > 1 && missing.is_empty(), "{task}: no case for {missing:?}");
}

/// The tasks, their golden files, and their cases.
const ALL: &[(&str, &str, &[Case])] = &[
    ("", "options.txt", messages::CASES),
    ("follow", "options-follow.txt", tasks::FOLLOW),
    ("stats", "options-stats.txt", tasks::STATS),
    ("browse", "options-browse.txt", tasks::BROWSE),
    ("explore", "options-explore.txt", tasks::EXPLORE),
    ("find", "options-find.txt", tasks::FIND),
    ("diff", "options-diff.txt", tasks::DIFF),
    ("objects", "options-objects.txt", tasks::OBJECTS),
    ("keys", "options-keys.txt", tasks::KEYS),
    ("split", "options-split.txt", tasks::SPLIT),
    ("protocols", "options-protocols.txt", tasks::PROTOCOLS),
    ("fields", "options-fields.txt", tasks::FIELDS),
    ("ksy check", "options-ksy-check.txt", tasks::KSY_CHECK),
    ("ksy lua", "options-ksy-lua.txt", tasks::KSY_LUA),
    ("ksy try", "options-ksy-try.txt", tasks::KSY_TRY),
    ("lua check", "options-lua-check.txt", tasks::LUA_CHECK),
    ("schema", "options-schema.txt", tasks::SCHEMA),
    ("completions", "options-completions.txt", tasks::COMPLETIONS),
    ("man", "options-man.txt", tasks::MAN),
];

#[test]
fn every_option_of_every_task_has_a_case() {
    let help = run(&["--help"]).out;
    let commands = help.split("Commands:").nth(1).unwrap().split("Arguments:").next().unwrap();
    let named: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut tasks: Vec<&str> = ALL[1..].iter().map(|(task, ..)| first(task)).collect();
    tasks.dedup();
    assert_eq!(named, tasks);
    for (task, _, cases) in ALL {
        assert_complete(task, cases);
    }
}

#[test]
fn options_for_messages_have_their_stated_effect() {
    let (task, golden, cases) = ALL[0];
    check(task, golden, cases);
}

#[test]
fn options_of_other_tasks_have_their_effect() {
    for (task, golden, cases) in &ALL[1..] {
        check(task, golden, cases);
    }
}
