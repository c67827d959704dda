//! `ksy try`: how well a Kaitai Struct file fits a capture.

use super::args::{Reading, When};
use super::audience::Audience;
use super::follow::conversation;
use super::input::{self, InputSettings};
use super::loading::{self, Loading};
use super::screen::Screen;
use super::source::{self, Source};
use super::usage_error::UsageError;
use super::{Exit, forms, print_error, reject, several};
use crate::fit::{Fit, FitView, Names, write_json};
use crate::ksy;
use crate::ksy::registration::Registration;
use crate::registry::Registry;
use crate::sink::Begin;
use crate::tree::{Demand, Dissection};
use crate::wire::Protocol;
use clap::{Args as Group, ValueHint};
use std::io::{self, Write};
use std::path::PathBuf;

/// File to try, and captures.
#[derive(Debug, Group)]
pub struct KsyTry {
    /// File to try; FILE.ksy:TYPE selects a type of it as the message
    #[arg(id = "ksy_file", value_name = "FILE.ksy", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// Captures or hex text files; `-` or none reads standard input
    #[arg(id = "files", value_name = "CAPTURE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Conversations to read with the file: tcp/0 or tcp/0,udp/3 (default: those on its ports, or that begin with its magic)
    #[arg(short = 's', long, value_name = "LIST")]
    pub stream: Option<String>,

    /// Exit with status 1 if a smaller share of the messages is whole, such as 0.95
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min: Option<f64>,

    /// Print one JSON object per capture
    #[arg(long)]
    pub json: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,

    /// Input options.
    #[command(flatten)]
    pub reading: Reading,
}

/// Parses a share from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| String::from("expected a share from 0 to 1, such as 0.95"))
}

/// Runs `ksy try`.
pub(super) fn run(options: &KsyTry, dirs: &[PathBuf], screen: Screen, read: &mut Vec<PathBuf>) -> Exit {
    if options.file.is_dir() {
        print_error(format_args!("{} is a directory; give one file", options.file.display()));
        return Exit::Usage;
    }
    let loading = Loading { ksy: vec![options.file.clone()], ksy_dir: dirs.to_vec(), no_user_ksy: true, ..Loading::default() };
    if let Err(exit) = loading::load(&loading, read) {
        return exit;
    }
    let Some((names, protocol, is_registered)) = loaded(options, dirs) else { return Exit::Usage };
    let settings = reading(options, protocol, is_registered).and_then(|reading| Ok((InputSettings::new(&reading)?, reading)));
    match settings {
        Ok((settings, reading)) => {
            let sources = Source::all(&options.files, &reading);
            settings.report_unreadable(&sources);
            several::each(&sources, screen, !options.json, |source, screen| {
                answer(options, source, &settings, Fit::new(names.clone(), protocol), screen)
            })
        }
        Err(wrong) => reject(wrong),
    }
}

/// The names of the file, its protocol, and whether it says where its messages are.
fn loaded(options: &KsyTry, dirs: &[PathBuf]) -> Option<(Names, &'static Protocol, bool)> {
    let (path, _) = loading::split(&options.file);
    let loaded = ksy::load_with(std::slice::from_ref(&path), dirs, &source::open);
    let spec = loaded.spec?;
    let top = *spec.roots.first()?;
    let protocol = Registry::default().protocol(&spec.type_of(top).name)?;
    let is_registered = Registration::of(&spec, top).is_some_and(|registration| !registration.carriers.is_empty());
    Some((Names::new(&spec, top, path.display().to_string()), protocol, is_registered))
}

/// The input options, with the file for the selected conversations.
fn reading(options: &KsyTry, protocol: &'static Protocol, is_registered: bool) -> Result<Reading, UsageError> {
    let mut reading = options.reading.clone();
    let id = protocol.this.abbrev;
    for one in options.stream.iter().flat_map(|list| list.split(',')) {
        let stream = conversation(one.trim())?.to_string();
        let (transport, number) = stream.split_once('/').unwrap_or_default();
        reading.decode_as.push(format!("{transport}.stream=={number},{id}"));
    }
    let is_text = reading.hex_text.is_some();
    if !is_registered && reading.decode_as.is_empty() && !is_text {
        let file = options.file.display();
        return Err(format!(
            "{file} has no port and no magic: select its conversations with -s, such as -s tcp/0, or with -d tcp.port==4000,{id}"
        ));
    }
    Ok(reading)
}

/// Reads a capture.
struct Trial {
    fit: Fit,
    opened: bool,
}

impl Audience for Trial {
    fn demand(&self) -> Demand {
        Fit::demand()
    }

    fn begin(&mut self, _: &Begin<'_>) -> io::Result<()> {
        self.opened = true;
        Ok(())
    }

    fn tree(&mut self, of: Dissection<'_>, captured: bool) -> io::Result<()> {
        self.fit.tree(of, captured);
        Ok(())
    }

    /// What runs see is kept by their thread.
    fn is_busy(&self) -> bool {
        false
    }
}

fn answer(options: &KsyTry, source: &Source, settings: &InputSettings, fit: Fit, screen: Screen) -> io::Result<Exit> {
    let mut trial = Trial { fit, opened: false };
    let exit = input::input(source, settings, &mut trial)?;
    if !trial.opened {
        return Ok(exit);
    }
    let (fit, name) = (trial.fit, source.name());
    let mut to = screen.writer(!source.is_complete());
    if options.json {
        write_json(&fit, &name, &mut to)?;
    } else {
        FitView { theme: forms::theme(options.color), width: forms::width() }.print(&fit, &name, &mut to)?;
    }
    to.flush()?;
    let is_too_few = options.min.is_some_and(|min| fit.share() < min);
    Ok(if is_too_few { exit.max(Exit::Failed) } else { exit })
}
