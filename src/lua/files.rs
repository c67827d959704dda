//! Files that scripts read: below the folders of loaded scripts and of `--lua FOLDER` only.

use super::args::{Args, integer};
use super::budget;
use super::errors::{fail, no_member};
use super::world::World;
use mlua::{Function, Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum size of a source file, and of all files that scripts read.
const SOURCE: u64 = 1 << 20;
const READ: u64 = 64 << 20;
/// Maximum number of source files.
const FILES: usize = 4096;

/// Where scripts look for a file.
fn candidates(world: &World, path: &Path) -> Vec<PathBuf> {
    if path.is_absolute() {
        return vec![path.to_owned()];
    }
    let folders = std::iter::once(&world.folder).chain(&world.folders);
    folders.map(|folder| folder.join(path)).chain([path.to_owned()]).collect()
}

/// The file of a path, if scripts may read it.
fn allowed(world: &World, path: &Path) -> std::result::Result<PathBuf, Refusal> {
    let mut outside = false;
    for candidate in candidates(world, path) {
        let Ok(real) = fs::canonicalize(&candidate) else { continue };
        let is_inside = |folder: &PathBuf| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            fs::canonicalize(folder).is_ok_and(|folder| real.starts_with(folder))
        };
        if world.folders.iter().any(is_inside) {
            return Ok(candidate);
        }
        outside = true;
    }
    Err(if outside { Refusal::Outside } else { Refusal::Missing })
}

enum Refusal {
    Missing,
    Outside,
}

/// The path of a file, or why it is refused.
fn find(lua: &Lua, path: &str) -> std::result::Result<PathBuf, String> {
    let Some(world) = lua.app_data_ref::<World>() else { return Err(format!("{path}: No such file or directory")) };
    allowed(&world, Path::new(path)).map_err(|refusal| match refusal {
        Refusal::Missing => format!("{path}: No such file or directory"),
        Refusal::Outside => {
            let folder = world.folder.display();
            format!("'{path}' lies outside {folder}; name it with a second --lua")
        }
    })
}

/// Reads a file for `io`.
fn read(lua: &Lua, path: &str) -> std::result::Result<Vec<u8>, String> {
    let file = find(lua, path)?;
    let len = fs::metadata(&file).map_or(0, |meta| meta.len());
    let Some(mut world) = lua.app_data_mut::<World>() else { return Err(path.to_owned()) };
    world.read_bytes = world.read_bytes.saturating_add(len);
    if world.read_bytes > READ {
        return Err(format!("{path}: scripts may read {} MiB", READ >> 20));
    }
    fs::read(&file).map_err(|_| format!("{path}: cannot be read"))
}

/// Reads a source file.
pub(super) fn source(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let len = fs::metadata(path).map_err(|error| crate::failure::Words(&error).to_string())?.len();
    if len > SOURCE {
        return Err(format!("is larger than {} MiB", SOURCE >> 20));
    }
    let text = fs::read(path).map_err(|error| crate::failure::Words(&error).to_string())?;
    if text.starts_with(b"\x1b") {
        return Err("is compiled Lua; scripts must be source".to_owned());
    }
    Ok(text)
}

/// Source for Lua: without a byte order mark, and without the text of a first line that begins with `#`.
pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.first() == Some(&b'#') {
        let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
        return text.get(end..).unwrap_or_default();
    }
    text
}

/// Compiles a file that a script names.
fn compiled(lua: &Lua, path: &Path) -> Result<Function> {
    let count = lua.app_data_mut::<World>().map_or(0, |mut world| {
        world.files += 1;
        world.files
    });
    if count > FILES {
        return fail(lua, format_args!("more than {FILES} files"));
    }
    let text = match source(path) {
        Ok(text) => text,
        Err(why) => return fail(lua, format_args!("{}: {why}", path.display())),
    };
    let text = super::equal::rewritten(lua, without_mark(&text));
    let chunk = lua.load(&*text).set_name(format!("@{}", path.display())).set_mode(mlua::chunk::ChunkMode::Text);
    chunk.into_function()
}

/// `dofile` and `loadfile`.
fn load_named(lua: &Lua, values: MultiValue, function: &str) -> Result<Function> {
    let args = Args::new(lua, function, values);
    let name = args.text(1)?;
    match find(lua, &name) {
        Ok(path) => compiled(lua, &path),
        Err(why) if why.contains("lies outside") => fail(lua, why),
        Err(_) => args.wrong(1, &format!("{function}: file does not exist")),
    }
}

/// `__DIR__` of the script that calls, which it may have changed.
fn caller_folder(lua: &Lua) -> Option<String> {
    const DEEPEST: usize = 6;
    (1..DEEPEST).find_map(|level| {
        let environment = lua.inspect_stack(level, |debug| debug.function().environment()).flatten()?;
        super::args::text(&environment.get::<Value>("__DIR__").ok()?)
    })
}

/// The folders in which `require` looks, in order.
fn roots(world: &World, name: &str) -> Vec<PathBuf> {
    let mut roots = vec![world.folder.clone()];
    roots.extend(world.folders.iter().cloned());
    let top = name.split('.').next().unwrap_or(name);
    let parents = world.folder.ancestors().skip(1);
    let parents = parents.filter(|folder| world.folders.iter().any(|root| folder.starts_with(root)));
    roots.extend(parents.filter(|folder| folder.join(top).exists()).map(Path::to_owned));
    roots
}

/// The file of a module.
fn module(lua: &Lua, name: &str, path: &str) -> Option<PathBuf> {
    let world = lua.app_data_ref::<World>()?;
    let relative = name.replace('.', "/");
    let templates: Vec<String> =
        path.split(';').filter(|part| !part.is_empty()).map(|part| part.replace('?', &relative)).collect();
    let usual = [format!("{relative}.lua"), format!("{relative}/init.lua")];
    let found = roots(&world, name).into_iter().flat_map(|root| usual.clone().map(|file| root.join(file)));
    let given = templates.into_iter().map(PathBuf::from);
    let found = found.chain(given).find_map(|file| allowed(&world, &file).ok().filter(|file| file.is_file()));
    found.or_else(|| above(&world.folder, name, &usual)).or_else(|| own_folder(&world, name))
}

/// The file of a module whose top folder is that of the script under another name, as in a copy of a repository.
fn own_folder(world: &World, name: &str) -> Option<PathBuf> {
    let (_, inner) = name.split_once('.')?;
    let relative = inner.replace('.', "/");
    let files = [format!("{relative}.lua"), format!("{relative}/init.lua")].map(|file| world.folder.join(file));
    files.into_iter().find_map(|file| allowed(world, &file).ok().filter(|file| file.is_file()))
}

/// The file of a module below the first folder above the script that holds the top folder of the module.
fn above(folder: &Path, name: &str, files: &[String; 2]) -> Option<PathBuf> {
    const HIGHEST: usize = 8;
    let folder = fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()?;
    let top = name.split('.').next().filter(|top| !top.is_empty() && *top != name)?;
    let root = folder.ancestors().skip(1).take(HIGHEST).map(|root| root.join(top)).find(|top| top.is_dir())?;
    let is_below = |file: &PathBuf| file.is_file() && fs::canonicalize(file).is_ok_and(|real| real.starts_with(&root));
    files.iter().filter_map(|file| Some(root.parent()?.join(file))).find(is_below)
}

fn require(lua: &Lua, package: &Table, name: String) -> Result<Value> {
    let loaded: Table = package.get("loaded")?;
    let known: Value = loaded.get(name.as_str())?;
    if !known.is_nil() {
        return Ok(known);
    }
    const LIBRARIES: [&str; 12] =
        ["_G", "coroutine", "table", "io", "os", "string", "math", "utf8", "debug", "package", "bit", "bit32"];
    if LIBRARIES.contains(&name.as_str()) {
        return lua.globals().get(name.as_str());
    }
    // Modules of Wireshark's distribution that are globals here.
    if matches!(name.as_str(), "rex_pcre2" | "rex_pcre") {
        return lua.globals().get("rex_pcre2");
    }
    let preloaded: Value = package.get::<Table>("preload")?.get(name.as_str())?;
    let (function, place) = if let Value::Function(function) = preloaded {
        (function, ":preload:".to_owned())
    } else {
        let templates = package.get::<Value>("path")?;
        let templates = super::args::text(&templates).unwrap_or_default();
        match module(lua, &name, &templates) {
            Some(path) => (compiled(lua, &path)?, path.display().to_string()),
            None => {
                let built_in = ["openssl", "luagcrypt", "zlib", "md5", "sha1", "aes", "lfs", "socket"].contains(&name.as_str());
                let why = if built_in { "is a C library, which is not supported" } else { "not found" };
                return fail(lua, format_args!("module '{name}' {why}"));
            }
        }
    };
    let result: Value = function.call((name.as_str(), place))?;
    let kept: Value = loaded.get(name.as_str())?;
    let value = match (result, kept) {
        (Value::Nil, Value::Nil) => Value::Boolean(true),
        (Value::Nil, kept) => kept,
        (result, _) => result,
    };
    loaded.set(name, &value)?;
    Ok(value)
}

/// A file that a script reads.
struct Opened {
    bytes: Vec<u8>,
    at: usize,
    is_closed: bool,
}

impl Opened {
    fn ahead(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn line(&mut self, keeps_end: bool) -> Option<Vec<u8>> {
        let ahead = self.ahead();
        if ahead.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', ahead);
        let line = ahead.get(..end.unwrap_or(ahead.len())).unwrap_or_default().to_vec();
        let has_end = end.is_some();
        self.at += line.len() + usize::from(has_end);
        Some(if keeps_end && has_end { [line.as_slice(), b"\n"].concat() } else { line })
    }

    /// Reads in one of the formats `l`, `L`, `a`, `n`, or so many bytes.
    fn read(&mut self, lua: &Lua, format: &Value) -> Result<Value> {
        let text = |bytes: Option<Vec<u8>>| match bytes {
            Some(bytes) => lua.create_string(bytes).map(Value::String),
            None => Ok(Value::Nil),
        };
        budget::spend(lua, 16)?;
        if let Value::Integer(_) | Value::Number(_) = format {
            let count = usize::try_from(integer(format).unwrap_or_default()).unwrap_or_default();
            let ahead = self.ahead();
            let bytes = ahead.get(..count).unwrap_or(ahead).to_vec();
            let is_end = ahead.is_empty();
            budget::fits(lua, bytes.len())?;
            self.at += bytes.len();
            return text((!is_end).then_some(bytes));
        }
        let format = super::args::text(format).unwrap_or_else(|| "l".to_owned());
        match format.trim_start_matches('*').chars().next() {
            Some('a') => {
                let bytes = self.ahead().to_vec();
                budget::fits(lua, bytes.len())?;
                self.at = self.bytes.len();
                text(Some(bytes))
            }
            Some('L') => text(self.line(true)),
            Some('n') => {
                let skipped = self.ahead().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                self.at += skipped;
                let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let word: Vec<u8> = self.ahead().iter().take_while(is_part).copied().collect();
                self.at += word.len();
                let word = String::from_utf8_lossy(&word).into_owned();
                let number = word.parse::<i64>().map(Value::Integer).ok();
                Ok(number.or_else(|| word.parse().map(Value::Number).ok()).unwrap_or(Value::Nil))
            }
            _ => text(self.line(false)),
        }
    }

    fn seek(&mut self, args: &Args<'_>) -> Result<usize> {
        let (whence, offset) = match args.get(1) {
            Value::Nil => ("cur".to_owned(), 0),
            _ => (args.text(1)?, args.int_or(2, 0)?),
        };
        let base = match whence.as_str() {
            "set" => 0,
            "end" => self.bytes.len(),
            _ => self.at,
        };
        let offset = i64::try_from(base).unwrap_or_default().saturating_add(offset).max(0);
        self.at = usize::try_from(offset).unwrap_or_default().min(self.bytes.len());
        Ok(self.at)
    }
}

impl UserData for Opened {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method_mut("read", |lua, this, formats: MultiValue| {
            if this.is_closed {
                return fail(lua, "attempt to use a closed file");
            }
            if formats.is_empty() {
                return this.read(lua, &Value::Nil).map(|value| MultiValue::from_vec(vec![value]));
            }
            let values = formats.iter().map(|format| this.read(lua, format)).collect::<Result<Vec<_>>>()?;
            Ok(MultiValue::from_vec(values))
        });
        methods.add_function("lines", |lua, (file, format): (mlua::AnyUserData, Value)| {
            lua.create_function(move |lua, _: MultiValue| file.borrow_mut::<Opened>()?.read(lua, &format))
        });
        methods.add_method_mut("seek", |lua, this, values: MultiValue| this.seek(&Args::new(lua, "seek", values)));
        methods.add_method_mut("close", |_, this, ()| {
            this.is_closed = true;
            Ok(true)
        });
        methods.add_method("write", |lua, _, _: MultiValue| fail::<()>(lua, "files are opened for reading only (sandbox)"));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(if this.is_closed { "file (closed)" } else { "file" }));
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "file"));
    }
}

/// `io.open`.
fn open(lua: &Lua, values: MultiValue) -> Result<MultiValue> {
    let args = Args::new(lua, "open", values);
    let (path, mode) = (args.text(1)?, args.text_or_nil(2)?.unwrap_or_else(|| "r".to_owned()));
    if mode.contains(['w', 'a', '+']) {
        return fail(lua, "io.open for writing is not given to scripts (sandbox)");
    }
    Ok(MultiValue::from_vec(match read(lua, &path) {
        Ok(bytes) => vec![Value::UserData(lua.create_userdata(Opened { bytes, at: 0, is_closed: false })?)],
        Err(why) => vec![Value::Nil, Value::String(lua.create_string(why)?), Value::Integer(2)],
    }))
}

/// Adds functions that read files.
pub(super) fn add(lua: &Lua, globals: &Table, io: &Table) -> Result<()> {
    io.set("open", lua.create_function(open)?)?;
    let lines = |lua: &Lua, values: MultiValue| {
        let args = Args::new(lua, "lines", values);
        let path = args.text(1)?;
        let bytes = match read(lua, &path) {
            Ok(bytes) => bytes,
            Err(why) => return fail(lua, why),
        };
        let mut opened = Opened { bytes, at: 0, is_closed: false };
        lua.create_function_mut(move |lua, _: MultiValue| opened.read(lua, &Value::Nil))
    };
    io.set("lines", lua.create_function(lines)?)?;
    let kind = lua.create_function(|_, value: Value| {
        let file = value.as_userdata().and_then(|data| data.borrow::<Opened>().ok().map(|opened| opened.is_closed));
        Ok(file.map(|is_closed| if is_closed { "closed file" } else { "file" }))
    })?;
    io.set("type", kind)?;
    globals.set("loadfile", lua.create_function(|lua, values| load_named(lua, values, "loadfile"))?)?;
    let run = |lua: &Lua, values: MultiValue| load_named(lua, values, "dofile")?.call::<MultiValue>(());
    globals.set("dofile", lua.create_function(run)?)?;
    let exists = |lua: &Lua, values: MultiValue| Ok(find(lua, &Args::new(lua, "file_exists", values).text(1)?).is_ok());
    globals.set("file_exists", lua.create_function(exists)?)?;
    add_package(lua, globals)?;
    add_folders(lua, globals)
}

fn add_package(lua: &Lua, globals: &Table) -> Result<()> {
    let package = lua.create_table()?;
    let loaded = lua.create_table()?;
    for name in ["string", "table", "math", "coroutine", "utf8", "bit", "bit32"] {
        loaded.set(name, globals.get::<Value>(name)?)?;
    }
    loaded.set("_G", globals)?;
    package.set("loaded", loaded)?;
    package.set("preload", lua.create_table()?)?;
    for name in ["searchers", "loaders"] {
        package.set(name, lua.create_table()?)?;
    }
    for (name, text) in [("path", "./?.lua"), ("cpath", ""), ("config", "/\n;\n?\n!\n-\n")] {
        package.set(name, text)?;
    }
    let prepend = lua.create_function(|lua, values: MultiValue| {
        let folder = Args::new(lua, "prepend_path", values).text(1)?;
        let package: Table = lua.globals().get("package")?;
        let before = super::args::text(&package.get::<Value>("path")?).unwrap_or_default();
        let base = caller_folder(lua).map(|base| format!("{}/", base.trim_end_matches('/'))).unwrap_or_default();
        package.set("path", format!("{base}{folder}/?.lua;{before}"))
    })?;
    package.set("prepend_path", prepend)?;
    let refuse =
        lua.create_function(|lua, _: MultiValue| fail::<()>(lua, "package.loadlib is not given to scripts (sandbox)"))?;
    package.set("loadlib", refuse)?;
    // Lua 5.1: a module sees all globals.
    let see_all = |lua: &Lua, module: Table| {
        let meta = lua.create_table()?;
        meta.set("__index", lua.globals())?;
        module.set_metatable(Some(meta))
    };
    package.set("seeall", lua.create_function(see_all)?)?;
    let search = |lua: &Lua, values: MultiValue| {
        let args = Args::new(lua, "searchpath", values);
        let (name, templates) = (args.text(1)?, args.text(2)?);
        Ok(module(lua, &name, &templates).map(|path| path.display().to_string()))
    };
    package.set("searchpath", lua.create_function(search)?)?;
    let own = package.clone();
    globals.set("package", package)?;
    globals.set(
        "require",
        lua.create_function(move |lua, values: MultiValue| require(lua, &own, Args::new(lua, "require", values).text(1)?))?,
    )
}

/// `Dir` and the paths of Wireshark: the folder of the script.
fn add_folders(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    let exists = |lua: &Lua, values: MultiValue| {
        let path = Args::new(lua, "exists", values).text(1)?;
        Ok(find(lua, &path).ok().map(|path| path.is_dir()))
    };
    class.set("exists", lua.create_function(exists)?)?;
    let list = |lua: &Lua, values: MultiValue| {
        let args = Args::new(lua, "open", values);
        let (path, extension) = (args.text(1)?, args.text_or_nil(2)?);
        let folder = match find(lua, &path) {
            Ok(folder) => folder,
            Err(why) => return fail(lua, why),
        };
        let names = fs::read_dir(folder)
            .map(|entries| entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect::<Vec<_>>());
        let mut names = names.unwrap_or_default();
        names.retain(|name| extension.as_ref().is_none_or(|extension| name.ends_with(extension.as_str())));
        names.sort_unstable();
        let mut names = names.into_iter();
        lua.create_function_mut(move |_, _: MultiValue| Ok(names.next()))
    };
    class.set("open", lua.create_function(list)?)?;
    let path = |lua: &Lua, values: MultiValue| {
        let file = Args::new(lua, "path", values).text_or_nil(1)?.unwrap_or_default();
        let folder = lua.app_data_ref::<World>().map(|world| world.folder.clone()).unwrap_or_default();
        Ok(folder.join(file).display().to_string())
    };
    for name in ["personal_config_path", "global_config_path", "personal_plugins_path", "global_plugins_path"] {
        class.set(name, lua.create_function(path)?)?;
    }
    for name in ["make", "remove", "remove_all"] {
        let refuse =
            move |lua: &Lua, _: MultiValue| fail::<()>(lua, format_args!("Dir.{name} is not given to scripts (sandbox)"));
        class.set(name, lua.create_function(refuse)?)?;
    }
    super::sandbox::guard_class(lua, &class, "Dir")?;
    globals.set("Dir", class)?;
    for name in ["persconffile_path", "datafile_path"] {
        globals.set(name, lua.create_function(path)?)?;
    }
    for name in ["DATA_DIR", "USER_DIR"] {
        globals.set(name, "./")?;
    }
    Ok(())
}
