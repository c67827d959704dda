//! Files that imports connect.
//!
//! As in the reference compiler, a type that any file of a program imports is visible in all of its files.

use super::Resolver;
use crate::ksy::files::Files;
use crate::ksy::model::TypeId;
use crate::ksy::source_range::offset;
use std::collections::HashMap;

/// Maximum number of files of a program with one `id`; further ones are not found by it.
const SAME_NAME: usize = 64;

/// The files of each program.
#[derive(Default)]
pub(super) struct Linked {
    /// The program of each file.
    programs: Vec<u32>,
    /// The files of each program that have a top type, by its name.
    names: HashMap<(u32, String), Vec<u32>>,
    /// Programs of which a file or an import is missing, so that a type may be in it.
    incomplete: Vec<bool>,
}

impl Linked {
    pub(super) fn of(files: &Files) -> Linked {
        let programs = programs(files);
        let mut linked = Linked { names: HashMap::new(), incomplete: vec![false; programs.len()], programs };
        for (file, loaded) in files.loaded.iter().enumerate() {
            let program = linked.program(offset(file));
            if let Some(incomplete) = linked.incomplete.get_mut(program as usize) {
                *incomplete |= loaded.decl.is_none() || loaded.misses_an_import;
            }
            if let Some(decl) = &loaded.decl {
                let files = linked.names.entry((program, decl.name.clone())).or_default();
                if files.len() < SAME_NAME {
                    files.push(offset(file));
                }
            }
        }
        linked
    }

    fn program(&self, file: u32) -> u32 {
        self.programs.get(file as usize).copied().unwrap_or(file)
    }
}

/// The program of each file: the lowest index of its files.
fn programs(files: &Files) -> Vec<u32> {
    let mut links: Vec<Vec<u32>> = vec![Vec::new(); files.loaded.len()];
    for (file, loaded) in files.loaded.iter().enumerate() {
        for import in &loaded.imports {
            for (from, to) in [(file, *import), (*import as usize, offset(file))] {
                links.get_mut(from).into_iter().for_each(|links| links.push(to));
            }
        }
    }
    let mut programs = vec![u32::MAX; files.loaded.len()];
    for first in 0..offset(files.loaded.len()) {
        let mut open = vec![first];
        while let Some(file) = open.pop() {
            let Some(program) = programs.get_mut(file as usize).filter(|program| **program == u32::MAX) else { continue };
            *program = first;
            open.extend(links.get(file as usize).into_iter().flatten());
        }
    }
    programs
}

impl Resolver<'_> {
    /// The top types of this name, those that imports reach first in front.
    pub(super) fn tops_named(&self, name: &str, from: TypeId) -> Vec<TypeId> {
        let file = self.entry(from).file;
        let key = (self.linked.program(file), name.to_owned());
        let mut files = self.linked.names.get(&key).cloned().unwrap_or_default();
        if files.len() > 1 {
            self.reach(file);
            let ranks = &self.nearest.borrow().1;
            files.sort_by_key(|file| ranks.get(*file as usize).copied());
        }
        files.into_iter().filter_map(|file| self.tops.get(file as usize).copied().flatten()).collect()
    }

    /// All top types of the program of a type.
    pub(super) fn visible_tops(&self, from: TypeId) -> impl Iterator<Item = TypeId> {
        let program = self.linked.program(self.entry(from).file);
        let own = self.linked.programs.iter().zip(&self.tops).filter(move |(of, _)| **of == program);
        own.filter_map(|(_, top)| *top)
    }

    /// Whether a file of the program has errors, so that its types are unknown.
    pub(super) fn misses_a_file(&self, from: TypeId) -> bool {
        let program = self.linked.program(self.entry(from).file);
        self.linked.incomplete.get(program as usize).copied().unwrap_or_default()
    }

    /// Ranks files by the order in which the imports of this one reach them.
    fn reach(&self, file: u32) {
        let mut nearest = self.nearest.borrow_mut();
        if nearest.0 == file {
            return;
        }
        let mut ranks = vec![u32::MAX; self.files.loaded.len()];
        let mut order = vec![file];
        let mut at = 0;
        while let Some(file) = order.get(at).copied() {
            at += 1;
            for import in self.files.loaded.get(file as usize).into_iter().flat_map(|loaded| &loaded.imports) {
                if let Some(rank) = ranks.get_mut(*import as usize).filter(|rank| **rank == u32::MAX) {
                    *rank = offset(order.len());
                    order.push(*import);
                }
            }
        }
        *nearest = (file, ranks);
    }
}
