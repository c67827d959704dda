//! Reads an input to its end, for every command that uses captures.

use super::args::Reading;
use super::audience::Audience;
use super::candidates::Candidates;
use super::progress::{Progress, TotalProgress};
use super::similar_file::cannot_open;
use super::source::Source;
use super::usage_error::UsageError;
use super::{Exit, decode_as, interrupt, parallel, scripts};
use crate::engine::Engine;
use crate::input::{Capture, OpenError, Options, ReadError, link_name};
use crate::registry::{Assume, Registry};
use crate::sink::{Begin, Problem};
use crate::tree::{Carriers, Demand, Dissection};
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Total bytes of frames below which a second thread costs more than it gains.
const SMALL: usize = 256 << 10;

/// Settings for reading inputs.
pub(super) struct InputSettings {
    registry: Registry,
    options: Options,
    explain: bool,
    /// `--as` or `--port`, the protocol of bytes without a link type.
    assumed: Option<Assumed>,
    threads: usize,
    /// Whether a key log that decrypts nothing was reported.
    reported_keys: AtomicBool,
    /// Whether problems of the inputs were reported in the first pass.
    silent: bool,
    /// Inputs that cannot be opened, which were reported before anything was printed.
    unreadable: OnceLock<HashSet<PathBuf>>,
    /// Whether protocols that packets of unknown format fit are named.
    names_candidates: bool,
}

impl InputSettings {
    /// Parses the options. Errors name the expected values.
    pub(super) fn new(reading: &Reading) -> Result<InputSettings, UsageError> {
        let registry = decode_as::registry(reading)?;
        let options = decode_as::options(reading, registry)?;
        let assumed = Assumed::of(reading, registry.assume());
        Ok(InputSettings {
            registry,
            options,
            explain: reading.explain_input,
            assumed,
            threads: threads(reading),
            reported_keys: AtomicBool::new(false),
            silent: false,
            unreadable: OnceLock::new(),
            names_candidates: false,
        })
    }

    /// Settings for a second pass, which does not report problems again.
    pub(super) fn silent(self) -> InputSettings {
        InputSettings { explain: false, silent: true, ..self }
    }

    /// Settings that name the protocols which packets of unknown format fit.
    pub(super) fn naming_candidates(self, names_candidates: bool) -> InputSettings {
        InputSettings { names_candidates, ..self }
    }

    /// Settings with one thread.
    #[cfg(feature = "columns")]
    pub(super) fn alone(self) -> InputSettings {
        InputSettings { threads: 1, ..self }
    }

    /// Whether this is the second pass.
    pub(super) fn is_silent(&self) -> bool {
        self.silent
    }

    fn print_error(&self, audience: &mut impl Audience, what: fmt::Arguments<'_>) {
        if !self.silent {
            audience.print_error(what);
        }
    }

    /// Reports a key log that decrypts nothing, once.
    fn lacks(&self, audience: &mut impl Audience, name: &str, random: Option<&[u8; 32]>) {
        let Some(random) = random.filter(|_| !self.silent && !self.reported_keys.swap(true, Ordering::Relaxed)) else { return };
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        audience.print_error(format_args!("{name}: the key log decrypts nothing; it lacks the client random {digits}"));
    }

    /// Reports which of several inputs cannot be opened, before anything is printed. They are not reported again.
    pub(super) fn report_unreadable(&self, sources: &[Source]) {
        if self.silent || sources.len() < 2 {
            return;
        }
        let refused = |source: &Source| {
            let path = source.path().filter(|_| source.is_complete())?;
            let error = source.open().err()?;
            super::print_error(format_args!("{}: {}", source.name(), cannot_open(&error, source.path())));
            Some(path.to_owned())
        };
        // A second pass reads the same inputs.
        let _ = self.unreadable.set(sources.iter().filter_map(refused).collect());
    }

    fn is_reported(&self, source: &Source) -> bool {
        self.unreadable.get().zip(source.path()).is_some_and(|(unreadable, path)| unreadable.contains(path))
    }

    /// Reports how much of an input was read before a signal. Its size is 0 if unknown.
    fn report_interrupt(&self, audience: &mut impl Audience, name: &str, read: u64, size: u64) {
        if interrupt::is_requested() && read < size {
            let share = read.saturating_mul(100) / size;
            self.print_error(audience, format_args!("{name}: interrupted at {share} % of the input"));
        }
    }

    /// Number of threads.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Protocols to recognize.
    pub(super) fn registry(&self) -> Registry {
        self.registry
    }
}

/// An option for bytes without a link type.
enum Assumed {
    /// `--as` with a layer: frames.
    Frames(String),
    /// `--as`: the protocol and its transport.
    As(String, &'static str),
    /// `--port`.
    Port(String),
}

impl Assumed {
    fn of(reading: &Reading, assume: Assume) -> Option<Assumed> {
        let port = || reading.port.clone().map(Assumed::Port);
        let given = reading.as_protocol.clone().map(|text| match assume {
            Assume::Layer(_) => Assumed::Frames(text),
            Assume::Protocol(protocol, _) if !protocol.is_stream() => Assumed::As(text, "udp"),
            _ => Assumed::As(text, "tcp"),
        });
        given.or_else(port)
    }
}

/// Suggests the option to use for a capture.
impl fmt::Display for Assumed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumed::Frames(text) => {
                write!(f, "--as {text} is for hex text and raw bytes, but this is a capture with its own link types; omit --as")
            }
            Assumed::As(text, transport) => {
                let protocol = text.split(':').next().unwrap_or(text);
                write!(
                    f,
                    "--as {text} is for hex text and raw bytes, but this is a capture; try -d {transport}.port==PORT,{protocol}"
                )
            }
            Assumed::Port(text) => {
                let (transport, port) = text.split_once(':').unwrap_or(("tcp", text));
                write!(f, "--port {text} is for hex text and raw bytes, but this is a capture; try -Y {transport}.port=={port}")
            }
        }
    }
}

/// Number of threads: as configured, else one. Two threads on one core gain nothing.
fn threads(reading: &Reading) -> usize {
    // Scripts have one state for all frames in order.
    reading.threads.filter(|_| !scripts::are_loaded()).map_or(1, usize::from)
}

/// Reads an input to its end. Problems of the input are reported and determine the exit code; errors are write errors.
pub(super) fn input(source: &Source, settings: &InputSettings, audience: &mut impl Audience) -> io::Result<Exit> {
    let size = source.size();
    one_of_several(source, settings, audience, TotalProgress::new(source.name(), size).part(size))
}

/// Reads one of several inputs that are read in parallel.
pub(super) fn one_of_several(
    source: &Source,
    settings: &InputSettings,
    audience: &mut impl Audience,
    progress: Progress,
) -> io::Result<Exit> {
    let mut run = match Run::open(source, settings, audience, progress) {
        Ok(run) => run,
        Err(Refused { exit, problem: None }) => return Ok(exit),
        Err(Refused { exit, problem: Some((code, text)) }) => {
            let file = &source.name();
            audience.failed(&Problem { file, code, text: &text, frame: 0, at: None })?;
            return Ok(exit);
        }
    };
    let reads_ahead = settings.threads > 1 && source.is_complete() && audience.is_busy() && audience.defers_after().is_none();
    loop {
        if reads_ahead && run.bytes >= SMALL && audience.has_help() && !audience.has_enough() {
            return run.on_another_thread(audience);
        }
        if !run.step(audience)? {
            return run.end(audience);
        }
    }
}

/// Reason why an input is not read: the exit code, and the code and text of a problem.
pub(super) struct Refused {
    pub(super) exit: Exit,
    problem: Option<(&'static str, String)>,
}

impl Refused {
    /// Text of the problem, if it was reported.
    pub(super) fn text(self) -> Option<String> {
        self.problem.map(|(_, text)| text)
    }
}

impl From<Exit> for Refused {
    fn from(exit: Exit) -> Refused {
        Refused { exit, problem: None }
    }
}

/// An input that is read frame by frame.
pub(super) struct Run<'a> {
    settings: &'a InputSettings,
    name: String,
    capture: Capture,
    engine: Engine,
    progress: Progress,
    frames: u64,
    /// Total bytes of frames.
    bytes: usize,
    damage: Option<ReadError>,
    /// Interpretation of the last hex packet, with `--explain-input`.
    explained: Option<String>,
    /// Protocols that packets of unknown format fit, if they are named.
    candidates: Option<Candidates>,
}

impl<'a> Run<'a> {
    /// Opens an input. Returns the exit code on failure, or after a signal.
    pub(super) fn open(
        source: &Source,
        settings: &'a InputSettings,
        audience: &mut impl Audience,
        progress: Progress,
    ) -> Result<Run<'a>, Refused> {
        if interrupt::is_requested() {
            return Err(Exit::Fine.into());
        }
        let name = source.name();
        let capture = open(source, settings, &name, audience)?;
        let engine = match scripts::demand() {
            // Values that scripts read are needed of each frame, whatever the filter says of it.
            Some(demand) => Engine::new(settings.registry, with_carriers(audience.demand().and(demand))),
            None => Engine::new(settings.registry, audience.demand()).with_prefilter(audience.prefilter()),
        };
        for error in scripts::begin(&name) {
            settings.print_error(audience, format_args!("{name}: {error}"));
        }
        let candidates = settings.names_candidates.then(Candidates::default);
        Ok(Run { settings, name, capture, engine, progress, frames: 0, bytes: 0, damage: None, explained: None, candidates })
    }

    /// Reads and dissects the next frame. Returns false at the end, or if the audience has enough.
    pub(super) fn step(&mut self, audience: &mut impl Audience) -> io::Result<bool> {
        if audience.has_enough() || interrupt::is_requested() {
            return Ok(false);
        }
        self.remark(audience);
        let first = (self.frames == 0).then(|| (self.capture.format(), self.capture.links().to_vec()));
        // Borrowed in place, because moving a frame is expensive.
        let next = self.capture.next_frame();
        let frame = match &next {
            Ok(Some(frame)) => frame,
            Ok(None) => return Ok(false),
            Err(_) => {
                self.damage = next.err();
                return Ok(false);
            }
        };
        if let Some((format, links)) = first {
            begin(audience, &self.name, format.as_str(), &links)?;
        }
        self.frames += 1;
        self.bytes += frame.bytes.len();
        if self.settings.explain && self.engine.detects(frame) {
            let candidates = self.engine.explain(frame.bytes);
            if candidates.first() != self.explained.as_ref() {
                for line in &candidates {
                    audience.print_error(format_args!("{}: packet {}: {line}", self.name, frame.number));
                }
                self.explained = candidates.into_iter().next();
            }
        }
        if let Some(candidates) = self.candidates.as_mut().filter(|_| self.engine.detects(frame)) {
            candidates.see(&self.engine, frame.bytes);
        }
        audience.frame(frame);
        self.engine.defer_after(audience.defers_after());
        let tree = self.engine.dissect(frame);
        audience.tree(Dissection { tree, bytes: frame.bytes }, true)?;
        self.progress.frame(|| self.capture.bytes_read());
        Ok(true)
    }

    /// Prints a guess about hex text.
    fn remark(&mut self, audience: &mut impl Audience) {
        if let Some(remark) = self.capture.remark() {
            self.settings.print_error(audience, format_args!("{}: {remark}", self.name));
        }
    }

    /// Ends the input: dissects pending data and reports totals.
    pub(super) fn end(mut self, audience: &mut impl Audience) -> io::Result<Exit> {
        self.remark(audience);
        self.settings.report_interrupt(audience, &self.name, self.capture.bytes_read(), self.progress.size());
        if self.frames == 0 {
            begin(audience, &self.name, self.capture.format().as_str(), self.capture.links())?;
        }
        while !audience.has_enough() {
            self.engine.defer_after(audience.defers_after());
            let Some(tree) = self.engine.finish() else { break };
            audience.tree(Dissection { tree, bytes: &[] }, false)?;
        }
        for error in scripts::end() {
            self.settings.print_error(audience, format_args!("{}: {error}", self.name));
        }
        audience.extras(self.capture.extras());
        audience.names(self.capture.names());
        audience.evictions(self.engine.evictions());
        self.settings.lacks(audience, &self.name, self.engine.lacking_secret());
        name_candidates(&self.name, self.candidates, audience);
        end(audience, self.settings, &self.name, self.frames, self.damage.as_ref())
    }

    /// Reads the remaining input in a separate thread.
    fn on_another_thread(mut self, audience: &mut impl Audience) -> io::Result<Exit> {
        let mut read = parallel::pipeline::run(self.capture, self.engine, audience, &mut self.progress)?;
        self.settings.report_interrupt(audience, &self.name, read.capture.bytes_read(), self.progress.size());
        if let Some(remark) = read.capture.remark() {
            self.settings.print_error(audience, format_args!("{}: {remark}", self.name));
        }
        audience.extras(read.capture.extras());
        audience.names(read.capture.names());
        audience.evictions(read.evictions);
        self.settings.lacks(audience, &self.name, read.lacking.as_ref());
        name_candidates(&self.name, self.candidates, audience);
        end(audience, self.settings, &self.name, self.frames + read.frames, read.damage.as_ref())
    }
}

/// The demand with the fields of carriers: where all fields are kept, those of carriers are kept only on request.
fn with_carriers(demand: Demand) -> Demand {
    Demand { carriers: if demand.fields.only().is_some() { demand.carriers } else { Carriers::Full }, ..demand }
}

/// Reports the protocols that packets of unknown format fit.
fn name_candidates(name: &str, candidates: Option<Candidates>, audience: &mut impl Audience) {
    if let Some(line) = candidates.and_then(Candidates::line) {
        audience.print_error(format_args!("{name}: {line}"));
    }
}

fn open(source: &Source, settings: &InputSettings, name: &str, audience: &mut impl Audience) -> Result<Capture, Refused> {
    let reader = source.open().map_err(|error| {
        let text = cannot_open(&error, source.path());
        if !settings.is_reported(source) {
            settings.print_error(audience, format_args!("{name}: {text}"));
        }
        Refused { exit: Exit::CannotOpen, problem: Some(("cannot_open", text)) }
    })?;
    // Never read ahead of the frames on a pipe.
    let options = Options { helped: settings.options.helped && source.is_complete(), ..settings.options };
    let capture = Capture::open_with(reader, options).map_err(|error| {
        if interrupt::is_requested() {
            return Exit::Fine.into();
        }
        settings.print_error(audience, format_args!("{name}: {error}"));
        match error {
            OpenError::Io(_) => Refused { exit: Exit::CannotOpen, problem: Some(("cannot_open", error.to_string())) },
            _ => Refused { exit: Exit::NotACapture, problem: Some(("not_a_capture", error.to_string())) },
        }
    })?;
    if settings.explain {
        audience.print_error(format_args!("{name}: {}", capture.explain()));
    }
    let is_capture = capture.format().is_capture();
    match &settings.assumed {
        Some(assumed) if is_capture => {
            settings.print_error(audience, format_args!("{name}: {assumed}"));
            Err(Exit::Usage.into())
        }
        _ => Ok(capture),
    }
}

fn begin(audience: &mut impl Audience, file: &str, format: &str, links: &[u16]) -> io::Result<()> {
    let links: Vec<&str> = links.iter().map(|link| link_name(*link).unwrap_or("unknown")).collect();
    audience.begin(&Begin { file, format, links: &links })
}

fn end(
    audience: &mut impl Audience,
    settings: &InputSettings,
    file: &str,
    frame: u64,
    damage: Option<&ReadError>,
) -> io::Result<Exit> {
    // An input interrupted by a signal is not damaged.
    let Some(damage) = damage.filter(|_| !interrupt::is_requested()) else { return audience.end(None).map(|()| Exit::Fine) };
    match frame {
        0 => settings.print_error(audience, format_args!("{file}: before the first frame: {damage}")),
        _ => settings.print_error(audience, format_args!("{file}: after frame {frame}: {damage}")),
    }
    let text = damage.to_string();
    audience.end(Some(&Problem { file, code: damage.code, text: &text, frame, at: damage.at }))?;
    Ok(Exit::Damaged)
}
