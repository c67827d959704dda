//! `--lua` and `-X`: loads Wireshark's Lua dissectors as protocols before input is opened.

use crate::wire::{Protocol, Scripted};
use clap::{Args as Group, ValueHint};
use std::path::PathBuf;

/// Options for Lua scripts.
#[derive(Debug, Clone, Default, Group)]
#[command(next_help_heading = "Input")]
pub struct LuaOptions {
    /// Load a Wireshark dissector in Lua, or all of a folder; repeatable
    ///
    /// As in tshark, -X lua_script:FILE names a script, and -X lua_script1:TEXT an argument of the first one. Scripts run without
    /// access to files, the network or the clock. A folder is loaded as Wireshark loads its plugin folder. docs/lua.md lists what is
    /// supported.
    #[arg(hide_short_help = true, short = 'X', long = "lua", global = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub scripts: Vec<String>,

    /// Steps that a script may take for one call of a dissector
    #[arg(hide = true, long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub lua_steps: Option<u64>,

    /// Memory of all scripts, such as 64M
    #[arg(hide = true, long, global = true, value_name = "SIZE", value_parser = size)]
    pub lua_memory: Option<usize>,

    /// Tree items that a script may add in one call of a dissector
    #[arg(hide = true, long, global = true, value_name = "N", value_parser = size)]
    pub lua_items: Option<usize>,

    /// Bytes of all buffers that a script may make in one call of a dissector, such as 16M
    #[arg(hide = true, long, global = true, value_name = "SIZE", value_parser = size)]
    pub lua_buffer: Option<usize>,

    /// Values of `-o`, some of which are preferences of scripts.
    #[arg(skip)]
    pub settings: Vec<String>,
}

/// A number with one of the suffixes k, M and G, which stand for powers of 1,024.
fn size(text: &str) -> Result<usize, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (text.get(..text.len() - 1), 1 << 10),
        Some(b'm' | b'M') => (text.get(..text.len() - 1), 1 << 20),
        Some(b'g' | b'G') => (text.get(..text.len() - 1), 1 << 30),
        _ => (Some(text), 1),
    };
    let number = digits.and_then(|digits| digits.parse::<usize>().ok()).and_then(|number| number.checked_mul(factor));
    number.filter(|number| *number > 0).ok_or_else(|| "expected a number, such as 64k or 2M".to_owned())
}

impl LuaOptions {
    /// Whether scripts are named.
    pub(super) fn is_empty(&self) -> bool {
        self.scripts.is_empty()
    }

    /// The scripts and folders with their arguments.
    ///
    /// # Errors
    /// An extension that is no script, or an argument of a script that is not named.
    #[cfg(feature = "lua")]
    fn sources(&self) -> Result<Vec<crate::lua::Source>, String> {
        let mut sources: Vec<crate::lua::Source> = Vec::new();
        // The places of scripts, without folders.
        let mut numbered = Vec::new();
        let mut arguments = Vec::new();
        for given in &self.scripts {
            let extension = given.split_once(':');
            let number = extension
                .and_then(|(name, _)| name.strip_prefix("lua_script"))
                .filter(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
            let path = match (number, extension) {
                (Some(""), Some((_, path))) => PathBuf::from(path),
                (Some(number), Some((_, text))) => {
                    arguments.push((number, text, given));
                    continue;
                }
                _ => PathBuf::from(given),
            };
            if !path.is_dir() {
                numbered.push(sources.len());
            }
            sources.push(crate::lua::Source { path, arguments: Vec::new() });
        }
        for (number, text, given) in arguments {
            let place = number.parse::<usize>().ok().and_then(|number| numbered.get(number.checked_sub(1)?));
            let Some(source) = place.and_then(|place| sources.get_mut(*place)) else {
                return Err(format!("-X {given}: {} scripts are loaded; folders do not count", numbered.len()));
            };
            source.arguments.push(text.to_owned());
        }
        Ok(sources)
    }

    /// The paths of scripts and folders.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let path = |given: &String| match given.split_once(':') {
            Some(("lua_script", path)) => Some(PathBuf::from(path)),
            Some((name, _)) if name.starts_with("lua_script") => None,
            _ => Some(PathBuf::from(given)),
        };
        self.scripts.iter().filter_map(path).collect()
    }
}

/// What a check shows.
pub(super) struct CheckedScript {
    /// Lines for people.
    pub(super) shown: Vec<String>,
    /// Why it cannot be loaded.
    pub(super) errors: Vec<String>,
}

/// What loading gives.
pub(super) struct LoadedScripts {
    pub(super) protocols: Vec<&'static Protocol>,
    /// What the engine asks for payloads.
    pub(super) scripted: Option<&'static dyn Scripted>,
    /// Warnings; loading did not fail.
    pub(super) remarks: Vec<String>,
}

#[cfg(feature = "lua")]
mod running {
    use super::{CheckedScript, LoadedScripts, LuaOptions};
    use crate::lua::{Checked, Limits, Request, Scripts, Source, Surroundings};
    use crate::registry::Registry;
    use crate::tree::{Demand, Field, Only};
    use crate::wire::On;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{PoisonError, RwLock};

    /// The scripts of this process.
    static SCRIPTS: RwLock<Option<Scripts>> = RwLock::new(None);
    /// Whether results are kept, also of scripts that are loaded later.
    static KEEPS: AtomicBool = AtomicBool::new(false);

    /// Loads scripts. Paths of files are appended to `read`.
    ///
    /// # Errors
    /// One line for each script that failed.
    pub(in crate::cli) fn load(options: &LuaOptions, read: &mut Vec<PathBuf>) -> Result<LoadedScripts, Vec<String>> {
        let sources = options.sources().map_err(|wrong| vec![wrong])?;
        let loaded = crate::lua::load(request(&sources, options));
        read.extend(loaded.files);
        if !loaded.errors.is_empty() {
            return Err(loaded.errors);
        }
        *SCRIPTS.write().unwrap_or_else(PoisonError::into_inner) = loaded.scripts;
        if KEEPS.load(Ordering::Relaxed) {
            keep_results();
        }
        Ok(LoadedScripts { protocols: loaded.protocols, scripted: loaded.scripted, remarks: loaded.remarks })
    }

    /// What is loaded, and how.
    fn request<'a>(sources: &'a [Source], options: &LuaOptions) -> Request<'a> {
        let defaults = Limits::default();
        let limits = Limits {
            steps: options.lua_steps.unwrap_or(defaults.steps),
            memory: options.lua_memory.unwrap_or(defaults.memory),
            items: options.lua_items.unwrap_or(defaults.items),
            buffer: options.lua_buffer.unwrap_or(defaults.buffer),
        };
        let split = |option: &String| option.split_once(['=', ':']).map(|(name, value)| (name.to_owned(), value.to_owned()));
        Request {
            sources,
            options: options.settings.iter().filter_map(split).collect(),
            limits,
            surroundings: Surroundings {
                fields: built_in_fields,
                protocol: |name| Registry::default().protocol(name).map(|protocol| protocol.this.abbrev),
                is_header: crate::cli::loading::is_layer,
                on_port,
            },
        }
    }

    /// Loads a script alone. Paths of files are appended to `read`.
    ///
    /// # Errors
    /// None: this build has Lua.
    pub(in crate::cli) fn check(path: &Path, options: &LuaOptions, read: &mut Vec<PathBuf>) -> Result<CheckedScript, String> {
        let sources = [Source { path: path.to_owned(), arguments: Vec::new() }];
        let Checked { registered, unsupported, remarks, errors, files } = crate::lua::check(request(&sources, options));
        read.extend(files);
        let mut shown = vec![format!("{}:", path.display())];
        let below = registered.into_iter().chain(unsupported).chain(remarks);
        shown.extend(below.map(|line| format!("  {line}")));
        if !errors.is_empty() {
            shown.push("  cannot be loaded".to_owned());
        }
        Ok(CheckedScript { shown, errors })
    }

    /// The application protocol on this port.
    fn on_port(is_tcp: bool, port: u16) -> Option<&'static str> {
        let on = if is_tcp { On::Tcp(port) } else { On::Udp(port) };
        let mut all = Registry::default().applications();
        all.find(|protocol| protocol.found.iter().any(|found| found.on.covers(on))).map(|protocol| protocol.this.abbrev)
    }

    /// The built-in fields of this name.
    fn built_in_fields(name: &str) -> Vec<&'static Field> {
        let registry = Registry::default();
        let is_loaded = |field: &Field| registry.loaded().any(|own| own.fields.iter().any(|known| known.is(field)));
        registry.named(name).into_iter().filter(|field| !is_loaded(field)).collect()
    }

    fn loaded() -> Option<Scripts> {
        *SCRIPTS.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether scripts are loaded: their state depends on all frames in order.
    pub(in crate::cli) fn are_loaded() -> bool {
        loaded().is_some()
    }

    /// What scripts read of other layers, if anything.
    pub(in crate::cli) fn demand() -> Option<Demand> {
        let fields = loaded()?.fields();
        (!fields.is_empty()).then(|| Demand::of_fields(Only::these(fields)))
    }

    /// Keeps the results of scripts, for views that read an input several times and have the terminal for themselves.
    pub(in crate::cli) fn keep_results() {
        KEEPS.store(true, Ordering::Relaxed);
        if let Some(scripts) = loaded() {
            scripts.keep_results();
            scripts.silence();
        }
    }

    /// Tells scripts that an input begins. Returns errors of scripts.
    pub(in crate::cli) fn begin(input: &str) -> Vec<String> {
        loaded().map(|scripts| scripts.begin(input)).unwrap_or_default()
    }

    /// Tells scripts that an input ended. Returns errors of scripts.
    pub(in crate::cli) fn end() -> Vec<String> {
        loaded().map(Scripts::end).unwrap_or_default()
    }
}

#[cfg(not(feature = "lua"))]
mod running {
    use super::{CheckedScript, LoadedScripts, LuaOptions};
    use std::path::{Path, PathBuf};

    /// Refuses scripts.
    ///
    /// # Errors
    /// Always: this build has no Lua.
    pub(in crate::cli) fn check(_: &Path, _: &LuaOptions, _: &mut Vec<PathBuf>) -> Result<CheckedScript, String> {
        Err("lua check: this program was built without Lua (feature lua)".to_owned())
    }

    /// Refuses scripts.
    ///
    /// # Errors
    /// Always: this build has no Lua.
    pub(in crate::cli) fn load(_: &LuaOptions, _: &mut Vec<PathBuf>) -> Result<LoadedScripts, Vec<String>> {
        Err(vec!["--lua and -X: this program was built without Lua (feature lua)".to_owned()])
    }

    /// Whether scripts are loaded.
    pub(in crate::cli) fn are_loaded() -> bool {
        false
    }

    /// Scripts read nothing.
    pub(in crate::cli) fn demand() -> Option<crate::tree::Demand> {
        None
    }

    /// There are no results.
    pub(in crate::cli) fn keep_results() {}

    /// No warnings without scripts.
    pub(in crate::cli) fn begin(_: &str) -> Vec<String> {
        Vec::new()
    }

    /// No warnings without scripts.
    pub(in crate::cli) fn end() -> Vec<String> {
        Vec::new()
    }
}

pub(super) use running::{are_loaded, begin, check, demand, end, keep_results, load};
