//! `ksy`: what there is to know about Kaitai Struct files.

use super::args::{Ksy, KsyCheck};
use super::{Exit, complain, of_output};
use crate::ksy::framing::framing;
use crate::ksy::model::{How, Spec, TypeId};
use crate::ksy::{self, Diagnostic};
use std::io::{self, Write};

/// Runs a command about files.
pub(super) fn run(asked: &Ksy) -> Exit {
    match asked {
        Ksy::Check(check) => self::check(check),
    }
}

/// Checks each file on its own, so that names of one do not matter to another one.
fn check(asked: &KsyCheck) -> Exit {
    let mut exit = Exit::Fine;
    for file in &asked.files {
        let loaded = ksy::load(std::slice::from_ref(file), &asked.dirs);
        report(&loaded.diagnostics);
        let summary = match &loaded.spec {
            Some(spec) => summary(spec, &loaded.diagnostics),
            None => {
                exit = Exit::Usage;
                let errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.error).count();
                complain(format_args!("{}: {}", file.display(), counted(errors, "error")));
                continue;
            }
        };
        if let Err(error) = io::stdout().write_all(summary.as_bytes()) {
            return of_output(&error);
        }
    }
    exit
}

/// Prints errors and warnings on standard error.
pub(super) fn report(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        // Where the complaint cannot be written, the exit code still says it.
        let _ = writeln!(io::stderr(), "{diagnostic}");
    }
}

/// What each file declares and how it is framed on TCP.
fn summary(spec: &Spec, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for root in &spec.roots {
        let top = spec.type_of(*root);
        let path = spec.files.get(top.place.file as usize).map(|file| file.path.display().to_string()).unwrap_or_default();
        let title = top.meta.title.as_ref().map(|title| format!(", {title}")).unwrap_or_default();
        let warnings = diagnostics.iter().filter(|diagnostic| !diagnostic.error).count();
        let verdict = if warnings == 0 { "no errors".to_owned() } else { counted(warnings, "warning") };
        text += &format!("{path}: {verdict}\n  protocol: {}{title}\n  content: {}\n", top.name, content(spec, *root));
        text += &format!("  on TCP: {}\n", framing(spec, *root).describe(spec));
    }
    text
}

/// The number of types, fields and enums of a file.
fn content(spec: &Spec, root: TypeId) -> String {
    let types: Vec<_> = spec.types.iter().filter(|of| of.top == root).collect();
    let fields = types.iter().map(|of| of.seq.len() + of.instances.len()).sum();
    let calculated = types.iter().flat_map(|of| &of.instances).filter(|member| matches!(member.how, How::Value(_))).count();
    let enums = spec.enums.iter().filter(|of| spec.type_of(of.owner).top == root).count();
    let imports = spec.files.len().saturating_sub(spec.roots.len());
    let mut parts = vec![counted(types.len(), "type"), counted(fields, "field")];
    for (count, what) in [(calculated, "calculated field"), (enums, "enum"), (imports, "imported file")] {
        if count > 0 {
            parts.push(counted(count, what));
        }
    }
    parts.join(", ")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
