//! Tables beside a file: opcodes with their sizes and names, by version.

use super::Resolver;
use crate::ksy::model::{Table, TableVersion, TypeId};
use crate::ksy::report::Problem;
use crate::ksy::source_range::SourceRange;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Maximum number of rows of a table.
const ROWS: usize = 1 << 16;
/// Maximum length of a name of an opcode.
const NAME: usize = 64;
/// Maximum number of files beside the files of a program.
const FILES: usize = 64;

impl Resolver<'_> {
    /// The text of a file in the folder of the file that declares this type.
    pub(super) fn beside(&self, name: &str, of: TypeId, place: SourceRange) -> Option<String> {
        let file = self.files.sources.get(self.entry(of).file as usize)?;
        let folder = file.path.parent().unwrap_or(Path::new(""));
        if name.is_empty() || name.contains(['/', '\\', ':']) || name.starts_with('.') {
            let problem = Problem::error(place, format!("`{name}` is no name of a file in the same folder"));
            self.report(problem.help("write a name such as \"ops.tsv\""));
            return None;
        }
        let path = folder.join(name);
        if !self.is_inside(&path, folder) {
            self.error(place, format!("`{name}` is not in the folder of this file"));
            return None;
        }
        let mut beside = self.beside.borrow_mut();
        if !beside.contains(&path) {
            if beside.len() >= FILES {
                self.error(place, format!("more than {FILES} tables"));
                return None;
            }
            beside.push(path.clone());
        }
        match crate::ksy::files::contents(&path, self.open) {
            Ok(text) => Some(text),
            Err(why) => {
                self.error(place, format!("`{name}`: {why}"));
                None
            }
        }
    }

    /// Whether a file is in a folder, also after resolving symbolic links.
    fn is_inside(&self, path: &Path, folder: &Path) -> bool {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = |path: &Path| path.canonicalize().ok();
        real(path).and_then(|path| path.parent().map(PathBuf::from)) == real(folder)
    }

    /// The index of a table, which is read once.
    pub(super) fn table(&self, name: &str, of: TypeId, place: SourceRange) -> Option<u32> {
        let file = self.entry(of).file;
        if let Some(at) = self.tables.borrow().iter().position(|(known, table)| *known == file && table.name == name) {
            return u32::try_from(at).ok();
        }
        let text = self.beside(name, of, place)?;
        let table = match parse(name, &text) {
            Ok(table) => table,
            Err((line, why)) => {
                self.error(place, format!("{name}:{line}: {why}"));
                return None;
            }
        };
        let mut tables = self.tables.borrow_mut();
        tables.push((file, table));
        u32::try_from(tables.len() - 1).ok()
    }

    /// Gives the names of a table to the enum of the same name that this type sees, if there is one.
    pub(super) fn name_enum(&self, table: u32, of: TypeId, place: SourceRange) {
        let tables = self.tables.borrow();
        let Some((_, Table { name, misnamed, .. })) = tables.get(table as usize) else { return };
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let word = stem.rsplit('.').next().unwrap_or_default();
        let inside = |id: TypeId| self.entry(id).enums_by_name.get(word).copied();
        let Some(names) = std::iter::successors(Some(of), |id| self.entry(*id).owner).find_map(inside) else { return };
        let other = *self.named.borrow_mut().entry(names).or_insert(table);
        if other != table {
            let other = tables.get(other as usize).map_or("", |(_, table)| table.name.as_str());
            self.error(place, format!("the enum `{word}` has the names of `{other}` already"));
        } else if let Some((line, why)) = misnamed {
            self.error(place, format!("{name}:{line}: {why}"));
        }
    }
}

/// The names of one version.
#[derive(Default)]
struct Rows {
    sizes: Vec<(i128, i128)>,
    names: Vec<(i128, String)>,
}

impl Rows {
    fn version(mut self, version: i128) -> TableVersion {
        self.sizes.sort_unstable();
        self.names.sort_unstable();
        let mut by_name: Vec<u32> = (0..).take(self.names.len()).collect();
        by_name.sort_by_key(|at| self.names.get(*at as usize).map(|(_, name)| name));
        TableVersion { version, rows: self.sizes, names: self.names, by_name }
    }
}

/// Whether an opcode of a table may have this name.
fn is_name(name: &str) -> bool {
    name.len() <= NAME && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// A table of `version`, opcode, size and name, with tabs between them; the number of the first wrong line.
fn parse(name: &str, text: &str) -> Result<Table, (usize, String)> {
    let mut versions: BTreeMap<i128, Rows> = BTreeMap::new();
    let (mut seen, mut seen_names) = (HashSet::new(), HashSet::new());
    let mut misnamed = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') || line.starts_with("version\t") {
            continue;
        }
        let mut columns = line.split('\t').map(str::trim);
        let mut column = |what: &str| {
            let text = columns.next().unwrap_or_default();
            crate::ksy::read::integer(text).ok_or_else(|| (number, format!("{what} `{text}` is no integer")))
        };
        let (version, opcode, size) = (column("the version")?, column("the opcode")?, column("the size")?);
        if !(-1..1 << 30).contains(&size) {
            return Err((number, format!("the size {size} is neither a number of bytes nor -1")));
        }
        if !seen.insert((version, opcode)) {
            return Err((number, format!("a second size of opcode {opcode} in version {version}")));
        }
        if seen.len() > ROWS {
            return Err((number, format!("more than {ROWS} rows")));
        }
        let rows = versions.entry(version).or_default();
        rows.sizes.push((opcode, size));
        let name = columns.next().unwrap_or_default();
        if name.is_empty() {
            continue;
        }
        if !is_name(name) {
            let why = format!("the name `{name}` has other characters than letters, digits, `_`, `-` and `.`");
            misnamed = misnamed.or(Some((number, why)));
        } else if seen_names.insert((version, name)) {
            rows.names.push((opcode, name.to_owned()));
        } else {
            let why = format!("a second opcode of the name `{name}` in version {version}");
            misnamed = misnamed.or(Some((number, why)));
        }
    }
    let versions = versions.into_iter().map(|(version, rows)| rows.version(version));
    Ok(Table { name: name.to_owned(), versions: versions.collect(), misnamed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_version_and_opcode() {
        let table =
            parse("t.tsv", "# version\topcode\tsize\tname\n40\t0x0073\t10\twelcome\n40\t0x64\t8\thello\n39\t5\t-1\n").unwrap();
        let rows: Vec<_> = table.versions.iter().map(|version| (version.version, version.rows.as_slice())).collect();
        assert_eq!(rows, [(39, &[(5, -1)][..]), (40, &[(0x64, 8), (0x73, 10)][..])]);
    }

    #[test]
    fn the_first_wrong_line_is_named() {
        assert_eq!(parse("t", "1\t2\t3\n1\tx\t3\n").unwrap_err(), (2, "the opcode `x` is no integer".to_owned()));
        assert_eq!(parse("t", "1\t2\t3\n1\t2\t4\n").unwrap_err().0, 2);
        assert_eq!(parse("t", "1\t2\t-2\n").unwrap_err().0, 1);
        assert_eq!(parse("t", "1\t2\n").unwrap_err().1, "the size `` is no integer");
    }
}
