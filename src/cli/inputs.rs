//! Expands input arguments: files, directories and lists.

use super::print_error;
use super::source;
use crate::input::{Capture, Format};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Maximum nesting of lists, so that a list that contains itself ends.
const DEPTH: usize = 8;

/// Expands `@LIST` to the lines of a file, and a directory to its captures.
pub(super) fn all(named: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in named {
        add(name, DEPTH, &mut files);
    }
    files
}

fn add(name: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    match list_of(name).filter(|_| depth > 0) {
        Some(list) => match lines(&list) {
            Ok(lines) => lines.iter().for_each(|line| add(line, depth - 1, files)),
            // The error is reported when the file is opened.
            Err(_) => files.push(name.to_owned()),
        },
        None if name.is_dir() => match captures_in(name) {
            captures if captures.is_empty() => files.push(name.to_owned()),
            captures => files.extend(captures),
        },
        None => files.push(name.to_owned()),
    }
}

/// Path of an `@LIST`, unless a file of that literal name exists.
fn list_of(name: &Path) -> Option<PathBuf> {
    let list = name.to_str()?.strip_prefix('@').filter(|list| !list.is_empty())?;
    (!name.exists()).then(|| PathBuf::from(list))
}

/// Lines of a list, without empty lines and comments.
fn lines(list: &Path) -> io::Result<Vec<PathBuf>> {
    let mut text = String::new();
    match list.as_os_str() == "-" {
        true => io::stdin().read_to_string(&mut text)?,
        false => source::open(list)?.read_to_string(&mut text)?,
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(PathBuf::from).collect())
}

/// Captures in a directory tree, sorted by name and detected from the content. Linked directories are skipped, because they may
/// form cycles.
fn captures_in(folder: &Path) -> Vec<PathBuf> {
    let (mut captures, mut others) = (Vec::new(), 0_usize);
    let mut folders = VecDeque::from([folder.to_owned()]);
    while let Some(folder) = folders.pop_front() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                print_error(format_args!("{}: cannot be read: {error}", folder.display()));
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
    capture.is_some_and(|capture| matches!(capture.format(), Format::Pcap | Format::PcapNg | Format::Snoop | Format::RsProx))
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
        assert_eq!(all(std::slice::from_ref(&folder)), [first, second.clone()]);
        let files = all(&[PathBuf::from(&itself)]);
        assert_eq!(files.get(..3), Some(&[text.clone(), second, PathBuf::from("missing.pcap")][..]));
        // A list that contains itself is expanded up to the limit, and is then a file that cannot be opened.
        assert_eq!(files.len(), DEPTH * 3 + 1);
        assert_eq!(all(&[PathBuf::from("@no-such-list")]), [PathBuf::from("@no-such-list")]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
