//! Bytes that a processor decoded: their fields and dumps lie in what it produced, not on the wire.

use crate::common::{Folder, Run, run, run_with};

const FILE: &str = "
meta: {id: veil, encoding: ASCII}
seq:
  - {id: key, type: u1}
  - {id: len, type: u1}
  - {id: chat, size: len, process: xor(key)}
  - {id: name, type: str, size: 2, process: xor(key)}
  - {id: inner, size: 2, type: pair, process: xor(key)}
types:
  pair: {seq: [{id: a, type: u1}, {id: b, type: u1}]}
";

const BYTES: &str = "5a 03 3b 38 39 3b 38 3c 3d";

fn veil(test: &str, options: &[&str]) -> Run {
    let folder = Folder::new(test);
    let path = folder.file("veil.ksy");
    std::fs::write(&path, FILE).unwrap();
    run(&[&["-k", path.to_str().unwrap(), "--as", "veil", "--hex", BYTES], options].concat())
}

#[test]
fn decoded_bytes_and_texts_lie_in_a_derived_buffer() {
    let json = veil("decoded-json", &["--json"]).out;
    for (field, number) in [("chat", 1), ("name", 2)] {
        let at = json.find(&format!(r#""name":"veil.{field}""#)).unwrap();
        let field = &json[at..at + json[at..].find('}').unwrap()];
        assert!(field.contains(&format!(r#""buffer":"derived/{number}""#)) && field.contains(r#""off":0"#), "{field}");
    }
    let table = veil("decoded-table", &["-V"]).out;
    assert!(table.contains("61 62 63") && !table.contains("3b 38 39"), "{table}");
}

#[test]
fn a_hex_dump_has_the_decoded_bytes_below_the_ones_of_the_wire() {
    for form in [&["-x"][..], &["-x", "-V"], &["-x", "-v"], &["-l", "-x"], &["-x", "-Y", "veil.key == 90"]] {
        let out = veil("decoded-dump", form).out;
        let wire = out.find("5a 03 3b 38 39 3b 38 3c  3d").unwrap_or_else(|| panic!("{form:?}: {out}"));
        let heads = ["derived/1, xor (3 bytes):\n00000000  61 62 63", "derived/2, xor (2 bytes):\n00000000  61 62"];
        let last = "derived/3, xor (2 bytes):\n00000000  66 67";
        for head in heads.into_iter().chain([last]) {
            assert!(out.find(head).is_some_and(|at| at > wire), "{form:?}: {out}");
        }
        // Read again, the output has the bytes of the wire only.
        let again = run_with(&["--json", "-"], out.as_bytes()).out;
        let messages = again.lines().filter(|line| line.contains(r#""type":"message""#)).count();
        assert_eq!(messages, 1, "{form:?}: {again}");
        assert!(again.contains(r#""len":9"#), "{form:?}: {again}");
    }
}

#[test]
fn secrets_are_masked_in_decoded_bytes() {
    let folder = Folder::new("decoded-secret");
    let path = folder.file("veil.ksy");
    std::fs::write(&path, FILE.replace("encoding: ASCII}", "encoding: ASCII, -proto-dissect: {secret: [chat]}}")).unwrap();
    let out = run(&["-k", path.to_str().unwrap(), "--as", "veil", "-x", "-V", "--hex", BYTES]).out;
    assert!(out.contains("derived/1, xor (3 bytes):\n00000000  ** ** **"), "{out}");
    assert!(!out.contains("61 62 63") && !out.contains("3b 38 39") && !out.contains("abc"), "{out}");
}
