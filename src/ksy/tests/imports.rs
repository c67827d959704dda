//! Files that import each other, and directories of files.

use super::{Folder, messages};
use crate::ksy::expr::Kind;
use crate::ksy::files;
use crate::ksy::load;
use crate::ksy::model::ValueSource;

#[test]
fn imports_stay_inside_the_folders_that_were_given() {
    let folder = Folder::new("escape");
    folder.write("secret.ksy", "meta:\n  id: secret\n");
    folder.write("shared/common.ksy", "meta:\n  id: common\n");
    let up = folder.write("own/up.ksy", "meta:\n  id: up\n  imports:\n    - ../secret\n");
    let up = std::slice::from_ref(&up);
    assert_eq!(messages(&load(up, &[])), ["`../secret` leads out of the project of this file"]);
    assert!(load(up, std::slice::from_ref(&folder.0)).spec.is_some());
    let absolute = folder.write("own/absolute.ksy", "meta:\n  id: absolute\n  imports:\n    - /common\n");
    let absolute = std::slice::from_ref(&absolute);
    assert_eq!(messages(&load(absolute, &[])), ["`/common` is an absolute import, and no folder for these is given"]);
    assert!(load(absolute, &[folder.0.join("shared")]).spec.is_some());
    let out = folder.write("own/out.ksy", "meta:\n  id: out\n  imports:\n    - /../secret\n");
    let loaded = load(&[out], &[folder.0.join("shared")]);
    assert_eq!(messages(&loaded), ["`/../secret` leads out of the folders of `--ksy-dir`"]);
}

#[test]
fn imports_may_lead_to_the_repository_of_a_file() {
    let folder = Folder::new("repository");
    folder.write("outside.ksy", "meta:\n  id: outside\n");
    folder.write("project/.git/HEAD", "ref: refs/heads/main\n");
    folder.write("project/shared/common.ksy", "meta:\n  id: common\n");
    let inside = folder.write("project/game/a.ksy", "meta:\n  id: a\n  imports: ../shared/common\n");
    assert!(load(&[inside], &[]).spec.is_some());
    let out = folder.write("project/game/b.ksy", "meta:\n  id: b\n  imports:\n    - ../../outside\n");
    assert_eq!(messages(&load(&[out], &[])), ["`../../outside` leads out of the project of this file"]);
}

#[test]
fn types_that_any_file_imports_are_visible_in_all() {
    let folder = Folder::new("visible");
    folder.write("common.ksy", "meta:\n  id: common\nseq: [{id: x, type: u1}]\n");
    folder.write("leans.ksy", "meta:\n  id: leans\nseq: [{id: y, type: common}]\n");
    let root = folder.write("root.ksy", "meta:\n  id: root\n  imports: [common, leans]\nseq: [{id: z, type: leans}]\n");
    assert!(load(&[root], &[]).spec.is_some());
    // Files that no import connects do not see each other.
    let alone = folder.write("alone.ksy", "meta:\n  id: alone\nseq: [{id: y, type: common}]\n");
    let loaded = load(&[alone, folder.0.join("common.ksy")], &[]);
    assert_eq!(messages(&loaded), ["unknown type `common`"]);
}

#[test]
fn the_nearer_of_two_files_with_one_id_is_used() {
    let folder = Folder::new("nearer");
    for (name, ty) in [("one", "u1"), ("two", "u4le")] {
        folder.write(&format!("{name}/types.ksy"), &format!("meta:\n  id: types\nseq: [{{id: x, type: {ty}}}]\n"));
        let text = format!(
            "meta:\n  id: {name}\n  imports: [types]\nseq: [{{id: y, type: types}}]\ninstances: {{n: {{value: sizeof<types>}}}}\n"
        );
        folder.write(&format!("{name}/{name}.ksy"), &text);
    }
    let root = folder
        .write("root.ksy", "meta:\n  id: root\n  imports: [one/one, two/two]\nseq: [{id: a, type: one}, {id: b, type: two}]\n");
    let spec = load(&[root], &[]).spec.unwrap();
    let size = |name: &str| {
        let of = spec.types.iter().find(|of| of.name == name).unwrap();
        match &of.instances[0].source {
            ValueSource::Value(value) => value.kind.clone(),
            ValueSource::Read(_) => panic!("read"),
        }
    };
    assert!(matches!((size("one"), size("two")), (Kind::Int(1), Kind::Int(4))));
}

#[cfg(unix)]
#[test]
fn imports_do_not_follow_links_out_of_a_folder() {
    let folder = Folder::new("link");
    let secret = folder.write("secret.ksy", "meta:\n  id: secret\n");
    let file = folder.write("own/file.ksy", "meta:\n  id: file\n  imports:\n    - link\n");
    std::os::unix::fs::symlink(secret, folder.0.join("own/link.ksy")).unwrap();
    assert_eq!(messages(&load(&[file], &[])), ["`link` leads out of the project of this file"]);
}

#[test]
fn imports_may_form_a_cycle() {
    let folder = Folder::new("cycle");
    let a = folder.write("a.ksy", "meta:\n  id: a\n  imports:\n    - b\nseq:\n  - id: x\n    type: b\n");
    folder.write("b.ksy", "meta:\n  id: b\n  imports:\n    - a\nseq:\n  - id: y\n    type: a\n    if: false\n");
    let spec = load(&[a], &[]).spec.unwrap();
    assert_eq!((spec.files.len(), spec.roots.len()), (2, 1));
}

#[test]
fn imports_beyond_the_limit_are_rejected() {
    let folder = Folder::new("many");
    for n in 0..=files::FILES {
        folder.write(&format!("f{n}.ksy"), &format!("meta:\n  id: f{n}\n  imports:\n    - f{}\n", n + 1));
    }
    folder.write(&format!("f{}.ksy", files::FILES + 1), "meta:\n  id: last\n");
    let first = load(&[folder.0.join("f0.ksy")], &[]);
    assert_eq!(messages(&first), ["more than 4096 imported files"]);
    assert!(load(&[folder.0.join("f1.ksy")], &[]).spec.is_some());
}

#[test]
fn a_directory_loads_its_files() {
    let folder = Folder::new("directory");
    folder.write("b.ksy", "meta:\n  id: b\n");
    folder.write("a.ksy", "meta:\n  id: a\n");
    folder.write("readme.txt", "none");
    let spec = load(std::slice::from_ref(&folder.0), &[]).spec.unwrap();
    let names: Vec<&str> = spec.roots.iter().map(|root| spec.type_of(*root).name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}
