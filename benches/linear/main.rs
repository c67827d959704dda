//! Verifies that the cost of hostile captures grows linearly: `cargo bench --bench linear`.
//!
//! Each attack is generated in one size and in four times that size. CPU time may grow by a factor of five, or must not do so
//! again at sixteen times the size. Memory has a bound independent of the size. An attack also names a protocol or note that
//! `stats` must count in it: otherwise its bytes might be dissected as plain data, and the bench would measure nothing. The
//! program exits with 1 if a check fails. `-- --small` uses small captures, `-- NAME` only attacks with that in their names;
//! `PROGRAM` is another build to measure.

mod attacks;
mod files;
mod load;
mod measure;
mod parts;
mod pipboy;
mod protocols;
mod quic;
mod sessions;
mod statistics;

use load::Load;
use measure::{Cost, proof};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Maximum factor of time for a capture of four times the size, and noise in seconds.
const FACTOR: f64 = 5.0;
const NOISE: f64 = 0.01;

/// Numbers of repetitions for a capture that seems to exceed the factor: in any case, and while they take little time in all.
/// The minimum time is used, since the machine may be busy.
const AGAIN: [usize; 2] = [4, 16];

/// Seconds of CPU after which only the smaller number is repeated.
const PATIENCE: f64 = 10.0;

/// Limit of resident memory in KiB, and the same with every byte of long bodies in tables.
const MOST: u64 = 64 << 10;
const MOST_IN_FULL: u64 = 128 << 10;

/// Size of the larger capture in bytes.
const LARGE: usize = 16 << 20;
const SMALL: usize = 1 << 19;

/// A measured view: its heading, its arguments, and its limit of memory.
pub type View = (&'static str, &'static [&'static str], u64);

/// Measured views of each attack, but those that name others.
pub static VIEWS: &[View] = &[
    ("-l", &["-l"], MOST),
    ("--json", &["--json"], MOST),
    ("stats", &["stats"], MOST),
    ("-V -c 10", &["-V", "-c", "10"], MOST_IN_FULL),
];

/// A hostile input.
pub struct Attack {
    /// Its name.
    pub name: String,
    /// A protocol or note that `stats` counts in it.
    pub shows: &'static str,
    /// Whether frames are written, or bytes of another file format.
    pub kind: Kind,
    /// The views that are measured.
    pub views: &'static [View],
    /// Its generator.
    pub write: Box<Writer>,
}

/// The output of an attack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Frames of a capture with this link type.
    Frames(u32),
    /// A file with this extension.
    File(&'static str),
}

/// Generates an attack.
pub type Writer = dyn Fn(&mut Load) -> io::Result<()>;

/// A generator without state.
pub type Write = fn(&mut Load) -> io::Result<()>;

impl Attack {
    /// An attack of IP packets: its name, what `stats` counts in it, and its generator.
    fn of_frames((name, shows, write): &(&str, &'static str, Write)) -> Attack {
        Attack { name: (*name).to_owned(), shows, kind: Kind::Frames(101), views: VIEWS, write: Box::new(*write) }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let large = if arguments.iter().any(|argument| argument == "--small") { SMALL } else { LARGE };
    let named: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let attacks = attacks::all().into_iter().chain(protocols::all()).chain(parts::all()).chain(quic::all());
    let attacks = attacks.chain(sessions::all()).chain(pipboy::all()).chain(files::all()).chain(statistics::all());
    let chosen: Vec<Attack> =
        attacks.filter(|attack| named.is_empty() || named.iter().any(|name| attack.name.contains(name.as_str()))).collect();
    match measure_all(&chosen, large) {
        Ok(0) if !chosen.is_empty() => ExitCode::SUCCESS,
        Ok(violations) => {
            println!("{violations} violations in {} attacks", chosen.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(attacks: &[Attack], large: usize) -> io::Result<usize> {
    println!("seconds of CPU at {} KiB and at {} KiB, how many times that is, MiB resident\n", large >> 12, large >> 10);
    let (mut idle, mut of) = (Vec::new(), [].as_slice());
    let mut violations = 0;
    for attack in attacks {
        if !std::ptr::eq(of, attack.views) {
            (idle, of) = (self::idle(attack.views)?, attack.views);
            print_heading(of);
        }
        violations += measure(attack, large, &idle).unwrap_or_else(|error| {
            println!("{:<34}  ERROR {error}", attack.name);
            1
        });
    }
    Ok(violations)
}

fn print_heading(views: &[View]) {
    print!("{:<34}", "attack");
    for (view, ..) in views {
        print!("  {view:<24}");
    }
    println!("  shows");
}

/// Cost of each view without input.
fn idle(views: &'static [View]) -> io::Result<Vec<f64>> {
    let nothing = Attack { name: "nothing".into(), shows: "", kind: Kind::Frames(101), views, write: Box::new(|_| Ok(())) };
    let path = write(&nothing, 0)?;
    let least = |arguments: &[&str]| -> io::Result<f64> {
        (0..8).try_fold(f64::MAX, |least, _| Ok(measure::run(&path, arguments)?.seconds.min(least)))
    };
    let idle = views.iter().map(|(_, arguments, _)| least(arguments)).collect();
    std::fs::remove_file(path)?;
    idle
}

/// Measures an attack in each view and prints a line. Returns the number of exceeded bounds.
fn measure(attack: &Attack, large: usize, idle: &[f64]) -> io::Result<usize> {
    let (one, four) = (write(attack, large / 4)?, write(attack, large)?);
    let mut line = format!("{:<34}", attack.name);
    let mut violations = 0;
    for ((_, arguments, most), idle) in attack.views.iter().zip(idle) {
        let [before, after] = grown(&one, &four, arguments, *idle)?;
        let resident = after.resident.max(before.resident);
        let slow = is_slow(&before, &after, *idle) && goes_on(attack, &four, large, (arguments, *idle))?;
        let fat = resident > *most;
        violations += usize::from(slow) + usize::from(fat);
        let marks = [if slow { "SLOW" } else { "" }, if fat { "FAT" } else { "" }].concat();
        let cell = format!(
            "{:.3} {:.3}{:>5} {:>3} {marks}",
            before.seconds,
            after.seconds,
            times(&before, &after, *idle),
            resident >> 10
        );
        line += &format!("  {cell:<24}");
    }
    let proof = proof(&one, attack.shows)?;
    violations += usize::from(!proof.is_enough());
    println!("{line}  {} {proof}{}", attack.shows, if proof.is_enough() { "" } else { " MISSING" });
    if violations > 0 {
        println!("{:<34}  see {}", "", four.display());
    } else {
        std::fs::remove_file(&four)?;
    }
    std::fs::remove_file(one)?;
    Ok(violations)
}

/// The cost of both sizes. If the larger one exceeds the factor, both are measured again, and the minimum times are used.
fn grown(one: &Path, four: &Path, arguments: &[&str], idle: f64) -> io::Result<[Cost; 2]> {
    let mut costs = [measure::run(one, arguments)?, measure::run(four, arguments)?];
    let ([least, most], mut spent) = (AGAIN, 0.0);
    for again in 0..most {
        let [before, after] = &mut costs;
        if !is_slow(before, after, idle) || again >= least && spent > PATIENCE {
            break;
        }
        let next = [measure::run(one, arguments)?, measure::run(four, arguments)?];
        spent += next.iter().map(|cost| cost.seconds).sum::<f64>();
        let [next_before, next_after] = &next;
        before.improve(next_before);
        after.improve(next_after);
    }
    Ok(costs)
}

/// Whether costs grow as fast from a capture to one of four times its size. What grows faster than its input does so at each
/// size; a limit that the larger capture reaches first, or a busy machine, does not show at both.
fn goes_on(attack: &Attack, four: &Path, size: usize, (arguments, idle): (&[&str], f64)) -> io::Result<bool> {
    let larger = write(attack, 4 * size)?;
    let [before, after] = grown(four, &larger, arguments, idle)?;
    std::fs::remove_file(larger)?;
    Ok(is_slow(&before, &after, idle))
}

fn is_slow(before: &Cost, after: &Cost, idle: f64) -> bool {
    after.seconds - idle > FACTOR * (before.seconds - idle).max(0.0) + NOISE
}

/// The time factor of the larger capture, within the precision of the clock.
fn times(before: &Cost, after: &Cost, idle: f64) -> String {
    let (before, after) = (before.seconds - idle, after.seconds - idle);
    if after < NOISE { "-".to_owned() } else { format!("{:.1}", after / before.max(NOISE / 10.0)) }
}

fn write(attack: &Attack, size: usize) -> io::Result<PathBuf> {
    let ending = if let Kind::File(ending) = attack.kind { ending } else { "pcap" };
    let name = format!(
        "linear-{}-{}-{size}.{ending}",
        std::process::id(),
        attack.name.replace(|byte: char| !byte.is_alphanumeric(), "-")
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut load = match attack.kind {
        Kind::Frames(link) => Load::of_link(&path, size, link)?,
        Kind::File(_) => Load::of_bytes(&path, size)?,
    };
    (attack.write)(&mut load)?;
    load.finish()?;
    Ok(path)
}
