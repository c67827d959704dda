//! Loads scripts.

use super::budget::{self, Limits};
use super::check::{self, Checked};
use super::equal;
use super::errors::words;
use super::field::ProtoField;
use super::files::{source, without_mark};
use super::handle::Object;
use super::protocol;
use super::run::Engine;
use super::sandbox;
use super::world::{Mark, Surroundings, World};
use crate::tree::Field;
use crate::wire::{Protocol, Scripted};
use mlua::{Lua, MultiValue, Table, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// A script or a folder of scripts, with arguments.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// The path.
    pub path: PathBuf,
    /// What the script gets as `...`.
    pub arguments: Vec<String>,
}

/// What is loaded, and how.
pub struct Request<'a> {
    /// Scripts and folders, in order.
    pub sources: &'a [Source],
    /// Values of preferences, as `proto.pref` and text.
    pub options: Vec<(String, String)>,
    /// The limits of scripts.
    pub limits: Limits,
    /// The protocols of the program.
    pub surroundings: Surroundings,
}

/// The result of loading.
#[derive(Default)]
pub struct Loaded {
    /// The protocols of all scripts.
    pub protocols: Vec<&'static Protocol>,
    /// The state that runs them.
    pub scripts: Option<Scripts>,
    /// What the engine asks for payloads.
    pub scripted: Option<&'static dyn Scripted>,
    /// Errors of scripts named one by one: nothing may be read.
    pub errors: Vec<String>,
    /// Remarks: parts of folders that are no scripts, and calls without effect.
    pub remarks: Vec<String>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
}

/// Loaded scripts.
#[derive(Clone, Copy)]
pub struct Scripts(&'static Engine);

impl Scripts {
    /// The fields of other layers that scripts read.
    #[must_use]
    pub fn fields(self) -> Vec<&'static Field> {
        self.0.wanted.iter().flat_map(|wanted| wanted.fields.iter().copied()).collect()
    }

    /// Keeps all results: later passes over an input show them again, and no script runs twice.
    pub fn keep_results(self) {
        self.0.tapes.keep();
    }

    /// Prints no more lines of scripts: the terminal shows something else.
    pub fn silence(self) {
        self.0.silence();
    }

    /// Tells scripts that a pass over an input begins on this thread. Returns the errors of their `init` functions.
    #[must_use]
    pub fn begin(self, input: &str) -> Vec<String> {
        self.0.begin(input)
    }

    /// Tells scripts that an input ended.
    #[must_use]
    pub fn end(self) -> Vec<String> {
        self.0.end()
    }
}

/// Loads scripts.
#[must_use]
pub fn load(request: Request<'_>) -> Loaded {
    let mut loaded = Loaded::default();
    if let Err(error) = load_into(request, &mut loaded) {
        loaded.errors.push(words(&error));
    }
    loaded
}

/// Loads a script, and describes what it registers.
#[must_use]
pub fn check(request: Request<'_>) -> Checked {
    let mut loaded = Loaded::default();
    let registered = match load_into(request, &mut loaded) {
        Ok(lua) if loaded.errors.is_empty() => world(&lua, |world| check::describe(world)).unwrap_or_default(),
        Ok(_) => Vec::new(),
        Err(error) => {
            loaded.errors.push(words(&error));
            Vec::new()
        }
    };
    let Loaded { errors, remarks, files, .. } = loaded;
    let text = |file: &PathBuf| source(file).map(|text| String::from_utf8_lossy(without_mark(&text)).into_owned());
    let calls = |file: &PathBuf| text(file).map(|text| check::unsupported(file, &text)).unwrap_or_default();
    Checked { registered, unsupported: files.iter().flat_map(calls).collect(), remarks, errors, files }
}

fn load_into(request: Request<'_>, loaded: &mut Loaded) -> mlua::Result<Lua> {
    let lua = sandbox::create()?;
    let Request { sources, options, limits, surroundings } = request;
    lua.set_app_data(World::new(surroundings, options));
    lua.set_memory_limit(limits.memory)?;
    for source in sources {
        if source.path.is_dir() {
            load_folder(&lua, &source.path, limits, loaded);
        } else if let Err(error) = load_file(&lua, &source.path, &source.arguments, limits, loaded) {
            loaded.errors.push(error);
        }
    }
    if loaded.errors.is_empty() {
        finish(&lua, limits, loaded)?;
    }
    Ok(lua)
}

/// Uses what is registered.
fn world<T>(lua: &Lua, work: impl FnOnce(&mut World) -> T) -> Option<T> {
    lua.app_data_mut::<World>().map(|mut world| work(&mut world))
}

/// Loads a folder: its folders first, then its files, each in the order of their names.
fn load_folder(lua: &Lua, folder: &Path, limits: Limits, loaded: &mut Loaded) {
    world(lua, |world| world.folders.push(folder.to_owned()));
    let mut files = Vec::new();
    collect(folder, 0, &mut files);
    for file in files {
        if let Err(error) = load_file(lua, &file, &[], limits, loaded) {
            loaded.remarks.push(format!("{error}; the file is skipped"));
        }
    }
}

/// The scripts below a folder. Links are not followed.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    const DEEPEST: usize = 32;
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.filter_map(|entry| entry.ok()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let is = |entry: &fs::DirEntry, kind: fn(&fs::FileType) -> bool| entry.file_type().is_ok_and(|of| kind(&of));
    for entry in entries.iter().filter(|entry| depth < DEEPEST && is(entry, fs::FileType::is_dir)) {
        collect(&entry.path(), depth + 1, files);
    }
    let scripts = entries.iter().filter(|entry| is(entry, fs::FileType::is_file));
    files.extend(scripts.map(fs::DirEntry::path).filter(|path| path.extension().is_some_and(|extension| extension == "lua")));
}

/// Loads a script. On an error, what it registered is taken back.
fn load_file(lua: &Lua, path: &Path, arguments: &[String], limits: Limits, loaded: &mut Loaded) -> Result<(), String> {
    loaded.files.push(path.to_owned());
    let text = source(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mark: Option<Mark> = world(lua, |world| {
        if !world.folders.contains(&folder) {
            world.folders.push(folder.clone());
        }
        world.folder = folder.clone();
        world.mark()
    });
    budget::begin(limits, true);
    let run = || -> mlua::Result<()> {
        let environment = environment(lua, path, &folder)?;
        let text = equal::rewritten(lua, without_mark(&text));
        let chunk = lua.load(&*text).set_name(format!("@{}", path.display()));
        let arguments = arguments.iter().map(|argument| lua.create_string(argument).map(Value::String));
        let arguments = MultiValue::from_vec(arguments.collect::<mlua::Result<_>>()?);
        chunk.set_mode(mlua::chunk::ChunkMode::Text).set_environment(environment).call::<()>(arguments)
    };
    run().map_err(|error| {
        if let Some(mark) = mark {
            world(lua, |world| world.return_to(mark));
        }
        budget::stopped().unwrap_or_else(|| words(&error))
    })
}

/// The globals of one script: its own, over those of all.
fn environment(lua: &Lua, path: &Path, folder: &Path) -> mlua::Result<Table> {
    let (environment, meta) = (lua.create_table()?, lua.create_table()?);
    meta.set("__index", lua.globals())?;
    environment.set_metatable(Some(meta))?;
    environment.raw_set("__FILE__", path.display().to_string())?;
    let folder = folder.display().to_string();
    environment.raw_set("__DIR__", if folder.is_empty() { folder } else { folder + "/" })?;
    Ok(environment)
}

/// Makes protocols of what scripts registered.
fn finish(lua: &Lua, limits: Limits, loaded: &mut Loaded) -> mlua::Result<()> {
    change_preferences(lua, limits, loaded);
    register_fields(lua)?;
    let (remarks, wrong) = world(lua, |world| {
        world.is_loading = false;
        let mut remarks = std::mem::take(&mut world.remarks);
        remarks.extend(super::extract::unknown(world));
        (remarks, std::mem::take(&mut world.wrong_options))
    })
    .unwrap_or_default();
    let wanted = world(lua, |world| super::extract::complete(world)).unwrap_or_default();
    loaded.remarks.extend(remarks);
    loaded.errors.extend(wrong);
    let protected = lua.named_registry_value(sandbox::PCALL)?;
    let engine: &'static Engine = Box::leak(Box::new(Engine::new(lua.clone(), protected, limits, wanted)));
    if let Some(world) = lua.app_data_ref::<World>() {
        let (scripts, protocols) = protocol::all(engine, &world);
        loaded.protocols = protocols;
        loaded.scripted = Some(scripts);
    }
    loaded.scripts = Some(Scripts(engine));
    Ok(())
}

/// Calls `prefs_changed` of protocols whose preferences were set.
fn change_preferences(lua: &Lua, limits: Limits, loaded: &mut Loaded) {
    let changed = world(lua, |world| {
        let changed =
            world.protocols.iter().filter(|protocol| protocol.preferences.iter().any(|(_, preference)| preference.is_changed()));
        changed.filter_map(|protocol| protocol.prefs_changed.clone()).collect::<Vec<_>>()
    });
    for function in changed.unwrap_or_default() {
        budget::begin(limits, false);
        if let Err(error) = function.call::<()>(()) {
            loaded.remarks.push(budget::stopped().unwrap_or_else(|| words(&error)));
        }
    }
}

/// Gives fields to the protocols in whose tables they are.
fn register_fields(lua: &Lua) -> mlua::Result<()> {
    let tables = world(lua, |world| world.protocols.iter().map(|protocol| protocol.fields.clone()).collect::<Vec<_>>());
    for (number, table) in tables.unwrap_or_default().into_iter().enumerate() {
        for entry in table.pairs::<Value, Value>() {
            if let Some(field) = ProtoField::of(&entry?.1) {
                field.0.register(number);
            }
        }
    }
    Ok(())
}
