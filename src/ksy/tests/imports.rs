//! Files that import each other, and directories of files.

use super::{Folder, messages};
use crate::ksy::files;
use crate::ksy::load;

#[test]
fn imports_stay_inside_the_folders_that_were_given() {
    let folder = Folder::new("escape");
    folder.write("secret.ksy", "meta:\n  id: secret\n");
    folder.write("shared/common.ksy", "meta:\n  id: common\n");
    let up = folder.write("own/up.ksy", "meta:\n  id: up\n  imports:\n    - ../secret\n");
    let up = std::slice::from_ref(&up);
    assert_eq!(messages(&load(up, &[])), ["`../secret` leads out of the folders that were given"]);
    assert!(load(up, std::slice::from_ref(&folder.0)).spec.is_some());
    let absolute = folder.write("own/absolute.ksy", "meta:\n  id: absolute\n  imports:\n    - /common\n");
    let absolute = std::slice::from_ref(&absolute);
    assert_eq!(messages(&load(absolute, &[])), ["`/common` is an absolute import, and no folder for these is given"]);
    assert!(load(absolute, &[folder.0.join("shared")]).spec.is_some());
    let out = folder.write("own/out.ksy", "meta:\n  id: out\n  imports:\n    - /../secret\n");
    let loaded = load(&[out], &[folder.0.join("shared")]);
    assert_eq!(messages(&loaded), ["`/../secret` leads out of the folders of `--ksy-dir`"]);
}

#[cfg(unix)]
#[test]
fn imports_do_not_follow_links_out_of_a_folder() {
    let folder = Folder::new("link");
    let secret = folder.write("secret.ksy", "meta:\n  id: secret\n");
    let file = folder.write("own/file.ksy", "meta:\n  id: file\n  imports:\n    - link\n");
    std::os::unix::fs::symlink(secret, folder.0.join("own/link.ksy")).unwrap();
    assert_eq!(messages(&load(&[file], &[])), ["`link` leads out of the folders that were given"]);
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
    assert_eq!(messages(&first), ["more than 256 imported files"]);
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
