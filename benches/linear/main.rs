//! Whether the costs of hostile captures grow no faster than the captures: `cargo bench --bench linear`.
//!
//! Each attack is written in a size and in four times that size. CPU time may grow by a factor of five, and memory has a bound
//! that does not depend on the size. The program exits with 1 where one of them is exceeded. `-- --small` takes small captures,
//! `-- NAME` only attacks with that in their names; `PROGRAM` names another build to measure.

mod attacks;
mod load;
mod protocols;

use load::Load;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// How many times longer a capture of four times the size may take, and what the clock cannot tell apart, in seconds.
const FACTOR: f64 = 5.0;
const GRAIN: f64 = 0.1;

/// KiB that may be resident, and the same with every byte of long bodies in tables.
const MOST: u64 = 64 << 10;
const MOST_IN_FULL: u64 = 128 << 10;

/// Bytes of the larger capture.
const LARGE: usize = 16 << 20;
const SMALL: usize = 1 << 20;

/// Clock ticks a second in `/proc`.
const TICKS: f64 = 100.0;

/// What is measured of each attack.
const VIEWS: &[(&str, &[&str], u64)] = &[
    ("-l", &["-l"], MOST),
    ("--json", &["--json"], MOST),
    ("stats", &["stats"], MOST),
    ("-V", &["-V", "-c", "10"], MOST_IN_FULL),
];

/// A capture that is made to hurt.
pub struct Attack {
    /// What it is called.
    pub name: String,
    /// What writes it.
    pub write: Box<Writer>,
}

/// Writes a capture.
pub type Writer = dyn Fn(&mut Load) -> io::Result<()>;

struct Cost {
    seconds: f64,
    resident: u64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let large = if arguments.iter().any(|argument| argument == "--small") { SMALL } else { LARGE };
    let named: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let attacks = attacks::all().into_iter().chain(protocols::all());
    let chosen = attacks.filter(|attack| named.is_empty() || named.iter().any(|name| attack.name.contains(name.as_str())));
    println!("seconds of CPU at {} KiB and at {}, KiB resident", large >> 12, large >> 10);
    let mut exceeded = 0;
    for attack in chosen {
        match measure(&attack, large) {
            Ok(count) => exceeded += count,
            Err(error) => {
                println!("{}: {error}", attack.name);
                exceeded += 1;
            }
        }
    }
    println!("{exceeded} exceeded");
    if exceeded == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measure an attack in each view. Returns how many exceeded a bound.
fn measure(attack: &Attack, large: usize) -> io::Result<usize> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [one, four] = [large / 4, large].map(|size| write(attack, folder, size));
    let (one, four) = (one?, four?);
    let mut line = format!("{:<28}", attack.name);
    let mut exceeded = 0;
    for (heading, arguments, most) in VIEWS {
        let [before, after] = [run(&one, arguments)?, run(&four, arguments)?];
        let is_slow = after.seconds > FACTOR * before.seconds + GRAIN;
        let is_large = after.resident.max(before.resident) > *most;
        exceeded += usize::from(is_slow || is_large);
        line += &format!("  {heading} {:.2} {:.2} {:>6}", before.seconds, after.seconds, after.resident);
        line += if is_slow { " SLOW" } else { "" };
        line += if is_large { " LARGE" } else { "" };
    }
    println!("{line}");
    std::fs::remove_file(one)?;
    std::fs::remove_file(four)?;
    Ok(exceeded)
}

fn write(attack: &Attack, folder: &Path, size: usize) -> io::Result<PathBuf> {
    let path = folder.join(format!("linear-{}-{size}.pcap", attack.name.replace([' ', '/'], "-")));
    let mut load = Load::create(&path, size)?;
    (attack.write)(&mut load)?;
    load.finish()?;
    Ok(path)
}

/// CPU time and the most memory of the program over a capture.
fn run(capture: &Path, arguments: &[&str]) -> io::Result<Cost> {
    let program = std::env::var("PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_proto-dissect").to_owned());
    let before = of_children()?;
    let mut child = Command::new(program)
        .args(arguments)
        .args(["--threads", "1", "-d", "udp.port==19132,raknet"])
        .arg(capture)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // The output is read and dropped here: a pipe blocks, so that peaks are not missed between two looks.
    let mut output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while output.as_mut().is_some_and(|output| output.read(&mut buffer).is_ok_and(|count| count > 0)) {}
    });
    let mut resident = 0;
    let status = loop {
        resident = resident.max(high_water(&child));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let _ = reader.join();
    if status.code().is_none_or(|code| code > 5) {
        return Err(io::Error::other(format!("{status}")));
    }
    Ok(Cost { seconds: of_children()? - before, resident })
}

/// Seconds that children took that have ended.
fn of_children() -> io::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    // The 16th and 17th value, of which the name is the second.
    let ticks = behind_name.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

fn high_water(child: &Child) -> u64 {
    let mut status = String::new();
    let read = File::open(format!("/proc/{}/status", child.id())).and_then(|mut file| file.read_to_string(&mut status));
    let line = read.ok().and_then(|_| status.lines().find_map(|line| line.strip_prefix("VmHWM:")));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
