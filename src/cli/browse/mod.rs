//! `browse`: the interactive view on a terminal.
//!
//! One thread reads the input and sends a line for each record. Another dissects single records: it reads the input again up to
//! the selected one and caches its neighbours. The view waits for neither, so a key takes only as long as drawing. Answers carry
//! the number of their pass, and those of earlier passes are dropped. A pipe is kept in a temporary file. The terminal is restored
//! on every exit, panics and signals included.

mod finder;
mod lister;
mod spool;
mod terminal;
mod texts;

use super::args::{BrowseOptions, Reading};
use super::audience::Audience;
use super::input::{InputSettings, Run};
use super::loading::{self, Loading};
use super::notes;
use super::progress::{self, TotalProgress};
use super::replace::Replacement;
use super::scripts;
use super::source::Source;
use super::watch::{self, Files};
use super::{Exit, forms, interrupt, intervals, print_error, reject};
use crate::browse::{Effect, Event, Pass, State, draw};
use crate::failure::Words;
use crate::record::{Bookmarks, View};
use crate::tree::{Demand, Dissection, clean};
use finder::Finder;
use ratatui::crossterm::event::{self, Event as Typed};
use ratatui::layout::Size;
pub(super) use spool::Spool;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use terminal::Terminal;

/// Maximum number of queued answers.
const WAITING: usize = 8;

/// Timeout for keys: while answers are expected, and otherwise.
const SOON: Duration = Duration::from_millis(10);
const LATER: Duration = Duration::from_millis(100);

/// Maximum time for taking answers before the screen is drawn.
const AT_ONCE: Duration = Duration::from_millis(10);

/// Runs `browse`.
pub(super) fn run(options: &BrowseOptions, reading: &Reading, watched: Option<(Files, &Loading)>) -> Exit {
    let checked = options.filter.as_deref().map_or(Ok(()), |filter| intervals::parsed("-Y", filter).map(drop));
    let checked = checked.and_then(|()| forms::columns(&options.columns).map(drop));
    let settings = match checked.and_then(|()| InputSettings::new(reading)) {
        Ok(settings) => settings,
        Err(wrong) => return reject(wrong),
    };
    // Scripts run once; the list, the fields and texts show their results.
    scripts::keep_results();
    let sources = match open(options, reading, &settings) {
        Ok(sources) => sources,
        Err(exit) => return exit,
    };
    if !io::stdout().is_terminal() {
        print_error(format_args!("browse requires a terminal; to print records, omit browse"));
        return Exit::Usage;
    }
    let watched = watched.map(|(files, loading)| Watched { files, loading, seen: Instant::now(), is_changing: false });
    Browser::new(options, reading.clone(), settings, sources, watched).run().unwrap_or_else(|error| {
        print_error(format_args!("the terminal cannot be used: {}", Words(&error)));
        Exit::Failed
    })
}

/// Opens the inputs so that each can be read again. Errors are reported before the screen is used.
fn open(options: &BrowseOptions, reading: &Reading, settings: &InputSettings) -> Result<Vec<Arc<Source>>, Exit> {
    let mut sources = Vec::new();
    for source in Source::all(&options.files, reading) {
        if source.is_complete() {
            let progress = TotalProgress::new(source.name(), None).part(None);
            Run::open(&source, settings, &mut OpenOnly, progress).map_err(|refused| refused.exit)?;
            sources.push(Arc::new(source));
        } else {
            let name = source.name();
            let spooled = source.open().and_then(|input| Spool::begin(name.clone(), input));
            let spool = spooled.map_err(|error| {
                print_error(format_args!("{name}: cannot be opened: {}", Words(&error)));
                Exit::CannotOpen
            })?;
            sources.push(Arc::new(Source::Spooled(spool)));
        }
    }
    Ok(sources)
}

/// An audience that only opens an input.
struct OpenOnly;

impl Audience for OpenOnly {
    fn demand(&self) -> Demand {
        Demand::FRAMES
    }

    fn tree(&mut self, _: Dissection<'_>, _: bool) -> io::Result<()> {
        Ok(())
    }
}

/// State shared by the threads that read an input.
#[derive(Clone)]
pub(super) struct Input {
    source: Arc<Source>,
    settings: Arc<InputSettings>,
    /// Whether the answer is no longer required.
    stop: Arc<AtomicBool>,
    to: SyncSender<Event>,
}

impl Input {
    /// Sends an answer. Returns false if it is no longer required.
    fn send(&self, event: Event) -> bool {
        !self.stops() && self.to.send(event).is_ok()
    }

    pub(super) fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || interrupt::is_requested()
    }
}

/// Files that are reloaded when they change.
struct Watched<'a> {
    files: Files,
    loading: &'a Loading,
    /// Time of the last comparison.
    seen: Instant,
    /// Whether they had changed at that time.
    is_changing: bool,
}

impl Watched<'_> {
    /// Whether the files changed and are complete.
    fn has_settled(&mut self) -> bool {
        if self.seen.elapsed() < watch::PERIOD {
            return false;
        }
        self.seen = Instant::now();
        let was_changing = std::mem::replace(&mut self.is_changing, self.files.has_changed());
        was_changing && !self.is_changing
    }
}

/// The program around the state.
struct Browser<'a> {
    watched: Option<Watched<'a>>,
    state: State,
    reading: Reading,
    settings: Arc<InputSettings>,
    sources: Vec<Arc<Source>>,
    to: SyncSender<Event>,
    answers: Receiver<Event>,
    pass: Pass,
    /// Stop flags of the threads for the list, the fields and a text.
    stop_list: Arc<AtomicBool>,
    stop_text: Arc<AtomicBool>,
    finder: Option<Finder>,
    /// Why the bookmarks and notes of the current file were not read.
    unread_notes: Option<String>,
    /// Whether answers are pending.
    is_waiting: bool,
    is_over: bool,
}

impl<'a> Browser<'a> {
    fn new(
        options: &BrowseOptions,
        reading: Reading,
        settings: InputSettings,
        sources: Vec<Arc<Source>>,
        watched: Option<Watched<'a>>,
    ) -> Browser<'a> {
        let (to, answers) = sync_channel(WAITING);
        let view = if options.packets { View::Packets } else { View::Messages };
        let names = sources.iter().map(|source| source.name()).collect();
        let filter = options.filter.clone().unwrap_or_default();
        let pass = Pass { number: 0, file: 0, view, filter, columns: options.columns.clone() };
        let state = State::new(names, pass.clone(), forms::theme(options.color), Size::default());
        Browser {
            watched,
            state,
            reading,
            settings: Arc::new(settings.silent()),
            sources,
            to,
            answers,
            pass,
            stop_list: Arc::default(),
            stop_text: Arc::default(),
            finder: None,
            unread_notes: None,
            is_waiting: true,
            is_over: false,
        }
    }

    fn run(mut self) -> io::Result<Exit> {
        // A bar would be drawn over the screen.
        progress::hide();
        let mut terminal = Terminal::enter()?;
        self.state.handle(Event::Resize(terminal.size()?));
        while !self.is_over && !interrupt::is_requested() {
            self.act(&mut terminal)?;
            terminal.draw(|frame| draw::draw(&self.state, frame))?;
            if !self.listen()? && terminal.is_stopped() {
                terminal.suspend()?;
            }
            if self.watched.as_mut().is_some_and(Watched::has_settled) {
                self.reload();
            }
        }
        self.stop_list.store(true, Ordering::Relaxed);
        self.stop_text.store(true, Ordering::Relaxed);
        terminal.leave();
        Ok(Exit::Fine)
    }

    /// Waits for an event. Returns false after a timeout.
    fn listen(&mut self) -> io::Result<bool> {
        let patience = if self.is_waiting { SOON } else { LATER };
        let begun = Instant::now();
        let mut any = false;
        while event::poll(if any { Duration::ZERO } else { patience })? {
            any = true;
            match event::read()? {
                Typed::Key(key) => self.state.handle(Event::Key(key)),
                Typed::Mouse(mouse) => self.state.handle(Event::Mouse(mouse)),
                Typed::Resize(width, height) => self.state.handle(Event::Resize(Size { width, height })),
                _ => {}
            }
            if begun.elapsed() > AT_ONCE || self.state.is_leaving() {
                break;
            }
        }
        let begun = Instant::now();
        while let Ok(answer) = self.answers.try_recv() {
            any = true;
            self.state.handle(answer);
            if begun.elapsed() > AT_ONCE {
                break;
            }
        }
        self.is_waiting = self.state.is_waiting();
        Ok(any)
    }

    /// Performs the actions requested by the state.
    fn act(&mut self, terminal: &mut Terminal) -> io::Result<()> {
        for effect in self.state.take_effects() {
            match effect {
                Effect::Quit => self.is_over = true,
                Effect::Suspend => terminal.suspend()?,
                Effect::Read(pass) => self.read(pass),
                Effect::Dissect(place) => {
                    if let Some(finder) = &self.finder {
                        finder.find(place);
                    }
                }
                Effect::Follow(number, stream) => {
                    let (input, width) = (self.text_input(), usize::from(terminal.size()?.width));
                    self.spawn(move || texts::follow(&input, number, stream, width));
                }
                Effect::Explore(number, stream) => {
                    let (input, width) = (self.text_input(), usize::from(terminal.size()?.width));
                    self.spawn(move || texts::explore(&input, number, stream, width));
                }
                Effect::Statistics(number) => {
                    let (input, width) = (self.text_input(), usize::from(terminal.size()?.width));
                    self.spawn(move || texts::statistics(&input, number, width));
                }
                Effect::Copy(text) => terminal.copy(&text)?,
                Effect::Save(name, bytes) => {
                    let message = save(Path::new(&name), &bytes);
                    self.state.handle(Event::Message(message));
                }
                Effect::Keep(bookmarks) => self.keep(&bookmarks),
                Effect::DecodeAs(text) => self.decode_as(text),
            }
            self.is_waiting = true;
        }
        Ok(())
    }

    fn source(&self) -> Option<Arc<Source>> {
        self.sources.get(self.pass.file).map(Arc::clone)
    }

    fn input(&self, stop: &Arc<AtomicBool>) -> Input {
        let source = self.source().unwrap_or_else(|| Arc::new(Source::Text(String::new())));
        Input { source, settings: Arc::clone(&self.settings), stop: Arc::clone(stop), to: self.to.clone() }
    }

    /// Input for a text. Cancels the previous text.
    fn text_input(&mut self) -> Input {
        self.stop_text.store(true, Ordering::Relaxed);
        self.stop_text = Arc::default();
        self.input(&self.stop_text)
    }

    /// Runs work in a separate thread, which ends with the process.
    fn spawn(&mut self, work: impl FnOnce() + Send + 'static) {
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            self.state.handle(Event::Message(format!("cannot start a thread: {}", Words(&error))));
        }
    }

    /// Restarts the list.
    fn read(&mut self, pass: Pass) {
        self.stop_list.store(true, Ordering::Relaxed);
        self.stop_list = Arc::default();
        let is_other_file = self.pass.number == 0 || pass.file != self.pass.file;
        self.pass = pass.clone();
        let input = self.input(&self.stop_list);
        self.finder = Finder::start(input.clone(), &pass);
        if is_other_file && let Some(path) = self.source().and_then(|source| Some(source.path()?.to_owned())) {
            match notes::read(&path) {
                Ok(bookmarks) => {
                    self.unread_notes = None;
                    self.state.handle(Event::Bookmarks(bookmarks.unwrap_or_default()));
                }
                Err(wrong) => {
                    self.unread_notes = Some(wrong.clone());
                    self.state.handle(Event::Message(wrong));
                }
            }
        }
        self.spawn(move || lister::list(&input, &pass));
    }

    /// Writes bookmarks and notes next to their capture.
    fn keep(&mut self, bookmarks: &Bookmarks) {
        let kept = match self.source().and_then(|source| source.path().map(Bookmarks::path_of)) {
            // Saving would replace what was not read.
            Some(_) if self.unread_notes.is_some() => format!("not saved: {}", self.unread_notes.as_deref().unwrap_or_default()),
            Some(path) => save_notes(&path, &bookmarks.to_string())
                .map(|()| format!("saved in {}", path.display()))
                .unwrap_or_else(|wrong| format!("{}: {wrong}", path.display())),
            None => "this input is not a file, so the bookmark is not saved".to_owned(),
        };
        self.state.handle(Event::Message(kept));
    }

    /// Reloads changed files and the input. On failure, the view stays unchanged.
    fn reload(&mut self) {
        let Some(Watched { files, loading, .. }) = &mut self.watched else { return };
        let mut read = Vec::new();
        let loaded = loading::reload(loading, &mut read).and_then(|()| InputSettings::new(&self.reading));
        files.also(read);
        match loaded {
            Ok(settings) => {
                self.settings = Arc::new(settings.silent());
                self.state.reload();
            }
            Err(wrong) => self.state.handle(Event::Message(wrong.replace('\n', " "))),
        }
    }

    /// Applies a decode-as rule and reads the input again.
    fn decode_as(&mut self, text: String) {
        if scripts::are_loaded() {
            let words = "scripts have read the capture once; leave, and add -d to the command line";
            return self.state.handle(Event::Message(words.to_owned()));
        }
        self.reading.decode_as.push(text);
        match InputSettings::new(&self.reading) {
            Ok(settings) => {
                self.settings = Arc::new(settings.silent());
                self.state.reload();
            }
            Err(wrong) => {
                self.reading.decode_as.pop();
                self.state.handle(Event::Message(wrong.replace('\n', " ")));
            }
        }
    }
}

/// Saves bookmarks and notes, unless they would not be read again.
fn save_notes(path: &Path, text: &str) -> Result<(), String> {
    notes::is_short(text).map_err(|wrong| format!("{wrong}; not saved"))?;
    write(path, text.as_bytes()).map_err(|error| Words(&error).to_string())
}

/// Writes a file and replaces an existing one when complete.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, replacement) = Replacement::create(path)?;
    file.write_all(bytes)?;
    file.flush()?;
    replacement.map_or(Ok(()), Replacement::commit)
}

/// Writes bytes to a new file, and returns a message for the user.
fn save(path: &Path, bytes: &[u8]) -> String {
    let mut name = String::new();
    // Writing to a String does not fail.
    let _ = clean(&path.to_string_lossy(), &mut name);
    let written = OpenOptions::new().write(true).create_new(true).open(path).and_then(|mut file| file.write_all(bytes));
    match written {
        Ok(()) => format!("{} bytes saved in {name}", bytes.len()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => format!("{name} already exists; not saved"),
        Err(error) => format!("{name}: {}", Words(&error)),
    }
}
