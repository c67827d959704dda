//! Expands input arguments: files, directories and lists.

use super::interrupt;
use super::print_error;
use super::source::{self, Source};
use crate::failure::Words;
use crate::input::Capture;
use crate::limits::INPUT_NAMES;
use std::collections::VecDeque;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Maximum nesting of lists, so that a list that contains itself ends.
const DEPTH: usize = 8;

/// Longest line of a list in bytes.
const LINE: usize = 32 << 10;

/// Expands `@LIST` to the lines of a file, and a directory to its captures.
pub(super) fn all(named: &[PathBuf]) -> Vec<Source> {
    let mut files = Files::default();
    for name in named {
        files.add(name, DEPTH);
    }
    files.sources
}

/// The inputs found so far.
#[derive(Default)]
struct Files {
    sources: Vec<Source>,
    /// Size of the names from lists in bytes.
    listed: usize,
}

impl Files {
    fn add(&mut self, name: &Path, depth: usize) {
        match list_of(name).filter(|_| depth > 0) {
            Some(list) => match self.add_lines(&list, depth - 1) {
                Ok(()) => {}
                // A missing list is reported by its argument, `@LIST`.
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.push(name.to_owned()),
                Err(error) => {
                    self.sources.push(Source::Unreadable(list.to_string_lossy().into_owned(), Words(&error).to_string()))
                }
            },
            None if name.is_dir() => match captures_in(name) {
                captures if captures.is_empty() => self.push(name.to_owned()),
                captures => captures.into_iter().for_each(|capture| self.push(capture)),
            },
            None if let Some(matches) = matches_of(name) => matches.into_iter().for_each(|file| self.push(file)),
            None => self.push(name.to_owned()),
        }
    }

    fn push(&mut self, file: PathBuf) {
        self.sources.push(Source::File(file));
    }

    /// Adds the lines of a list as they are read, without empty lines and comments.
    fn add_lines(&mut self, list: &Path, depth: usize) -> io::Result<()> {
        let mut reader = BufReader::new(Source::File(list.to_owned()).open()?);
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let most = LINE as u64 + 1;
            if interrupt::is_requested() || reader.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let wrong = |what: fmt::Arguments<'_>| io::Error::new(io::ErrorKind::InvalidData, format!("line {number}: {what}"));
            if line.len() > LINE {
                return Err(wrong(format_args!("longer than {} KiB", LINE >> 10)));
            }
            let name = match str::from_utf8(&line) {
                Ok(text) if !text.contains('\0') => text.trim(),
                _ => return Err(wrong(format_args!("this is not a file name"))),
            };
            if name.is_empty() || name.starts_with('#') {
                continue;
            }
            self.listed += name.len();
            if self.listed > INPUT_NAMES.get() {
                return Err(wrong(format_args!("this and all further lines are ignored (limit {})", INPUT_NAMES.name)));
            }
            self.add(Path::new(name), depth);
        }
        Ok(())
    }
}

/// Path of an `@LIST`, unless a file of that literal name exists.
fn list_of(name: &Path) -> Option<PathBuf> {
    let list = name.to_str()?.strip_prefix('@').filter(|list| !list.is_empty())?;
    (!name.exists()).then(|| PathBuf::from(list))
}

/// The files that match a pattern such as `*.pcap`, sorted by name, if any do. Shells of Windows do not expand patterns, and others
/// not those in quotes.
fn matches_of(name: &Path) -> Option<Vec<PathBuf>> {
    let pattern = name.to_str().filter(|name| name.contains(['*', '?', '[']))?;
    if name.exists() {
        return None;
    }
    let matches: Vec<PathBuf> = glob::glob(pattern).ok()?.flatten().filter(|path| path.is_file()).collect();
    (!matches.is_empty()).then_some(matches)
}

/// Captures in a directory tree, sorted by name and detected from the content. Linked directories are skipped, because they may
/// form cycles.
fn captures_in(folder: &Path) -> Vec<PathBuf> {
    let (mut captures, mut others) = (Vec::new(), 0_usize);
    let mut folders = VecDeque::from([folder.to_owned()]);
    while let Some(folder) = folders.pop_front().filter(|_| !interrupt::is_requested()) {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                print_error(format_args!("{}: cannot be read: {}", folder.display(), Words(&error)));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push_back(path),
                _ if path.is_file() && is_capture(&path) => captures.push(path),
                _ => others += 1,
            }
        }
    }
    captures.sort();
    if others > 0 && !captures.is_empty() {
        let (plural, are) = if others == 1 { ("", "is") } else { ("s", "are") };
        print_error(format_args!("{}: skipped {others} file{plural} that {are} not a capture", folder.display()));
    }
    captures
}

/// Whether a file is a capture, compressed or not. Text does not count, because notes often lie next to captures.
fn is_capture(path: &Path) -> bool {
    let capture = source::open(path).ok().and_then(|reader| Capture::open(reader).ok());
    capture.is_some_and(|capture| capture.format().is_capture())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_and_file_lists_are_expanded() {
        let folder = std::env::temp_dir().join(format!("proto-dissect-{}-inputs", std::process::id()));
        let below = folder.join("a/b");
        fs::create_dir_all(&below).unwrap();
        let capture = fs::read("samples/pipboy.pcap").unwrap();
        let [first, second, text] = [below.join("one.bin"), folder.join("two.pcap"), folder.join("notes.txt")];
        fs::write(&first, &capture).unwrap();
        fs::write(&second, &capture).unwrap();
        fs::write(&text, "0000  00 01 02 03\n").unwrap();
        let list = folder.join("list");
        let itself = format!("@{}", list.display());
        let content = format!("# captures\n\n{}\n  {}  \nmissing.pcap\n{itself}\n", text.display(), second.display());
        fs::write(&list, content).unwrap();
        assert_eq!(names(std::slice::from_ref(&folder)), [first, second.clone()]);
        let files = names(&[PathBuf::from(&itself)]);
        assert_eq!(files.get(..3), Some(&[text.clone(), second, PathBuf::from("missing.pcap")][..]));
        // A list that contains itself is expanded up to the limit, and is then a file that cannot be opened.
        assert_eq!(files.len(), DEPTH * 3 + 1);
        assert_eq!(names(&[PathBuf::from("@no-such-list")]), [PathBuf::from("@no-such-list")]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn patterns_that_the_shell_left_are_expanded() {
        let folder = std::env::temp_dir().join(format!("proto-dissect-{}-patterns", std::process::id()));
        fs::create_dir_all(folder.join("below.pcap")).unwrap();
        let files = ["a.pcap", "b.pcap", "c.pcapng", "[d].pcap"].map(|name| folder.join(name));
        for file in &files {
            fs::write(file, b"").unwrap();
        }
        let [first, second, third, bracket] = files.clone();
        let of = |pattern: &str| names(&[folder.join(pattern)]);
        assert_eq!(of("?.pcap"), [first.clone(), second.clone()]);
        assert_eq!(of("*.pcap*"), [bracket.clone(), first.clone(), second, third]);
        assert_eq!(of("[ax].pcap"), [first]);
        // A name that exists is no pattern, and a pattern without files is a missing file.
        assert_eq!(of("[d].pcap"), [bracket]);
        assert_eq!(of("*.pcapx"), [folder.join("*.pcapx")]);
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The names of the inputs.
    fn names(named: &[PathBuf]) -> Vec<PathBuf> {
        all(named).iter().map(|source| PathBuf::from(source.name())).collect()
    }

    /// The number of inputs of a list with this content, and the error at its end.
    fn listed(name: &str, content: &[u8]) -> (usize, Option<String>) {
        let list = std::env::temp_dir().join(format!("proto-dissect-{}-{name}", std::process::id()));
        fs::write(&list, content).unwrap();
        let mut sources = all(&[PathBuf::from(format!("@{}", list.display()))]);
        fs::remove_file(&list).unwrap();
        let wrong = match sources.pop_if(|source| matches!(source, Source::Unreadable(..))) {
            Some(Source::Unreadable(_, wrong)) => Some(wrong),
            _ => None,
        };
        (sources.len(), wrong)
    }

    #[test]
    fn a_list_is_read_up_to_the_first_line_that_is_no_name() {
        let wrong = |text: &str| Some(text.to_owned());
        assert_eq!(listed("ends", b"a.pcap\r\nb.pcap"), (2, None));
        let long = [b"a.pcap\n", &vec![b'x'; LINE][..], b"\nb.pcap\n"].concat();
        assert_eq!(listed("long", &long), (1, wrong("line 2: longer than 32 KiB")));
        assert_eq!(listed("nul", b"a.pcap\n\0\0\n"), (1, wrong("line 2: this is not a file name")));
        assert_eq!(listed("latin", b"\xe4.pcap\n"), (0, wrong("line 1: this is not a file name")));
        #[cfg(unix)]
        assert_eq!(names(&[PathBuf::from("@/dev/zero")]), [PathBuf::from("/dev/zero")]);
    }

    #[test]
    fn names_of_lists_past_the_limit_are_left_out_with_an_error() {
        let name = "x".repeat(LINE - 1);
        let most = INPUT_NAMES.get() / name.len();
        let (count, wrong) = listed("many", format!("{name}\n").repeat(most + 2).as_bytes());
        let expected = format!("line {}: this and all further lines are ignored (limit inputs.names)", most + 1);
        assert_eq!((count, wrong), (most, Some(expected)));
    }
}
