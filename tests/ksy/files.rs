//! Mutated files: every mutation of a Kaitai Struct file gives a model or errors, never a panic or a hang.
//!
//! `FUZZ_SECONDS=600 cargo test --test suite ksy::files` runs longer, `FUZZ_SEED=7` elsewhere, and `KSY_CORPUS=DIR` mutates the
//! files of a folder, too.

use proto_dissect::ksy::framing::framing;
use proto_dissect::ksy::load_text;
use proto_dissect::ksy::model::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Small files that together use every key and every operator.
const SEEDS: &[&str] = &[
    "meta:
  id: numbers
  title: Numbers of every kind
  endian: le
  bit-endian: be
  ks-version: '0.11'
doc: |
  Several lines
  of text.
doc-ref: [one, two]
seq:
  - {id: a, type: u1, valid: 3}
  - {id: b, type: s2be, valid: {min: -3, max: 0x10}, doc: text}
  - {id: c, type: f4, if: 'a > 1 and not (b == 2 or b % 3 != 0)'}
  - {id: d, type: b3, enum: kinds, valid: {in-enum: true}}
  - {id: e, type: b1le}
  - {id: f, type: u8, valid: {any-of: [1, 2, 3_000]}, -orig-id: ff}
  - {id: g, type: u4, valid: {expr: '_ & 1 == 0'}}
enums:
  kinds:
    0x10: one
    0b11: {id: two, doc: second, -orig-id: TWO}
    -1: minus
instances:
  x: {value: '(a + b * 2 - 1) / 3 << 2 ^ ~b | -1'}
  y: {value: 'c.to_i > 3 ? 1.5e3 : 2'}
  z: {value: 'f\"x={x} and {y}\"'}
  k: {value: 3, enum: kinds}
  n: {value: 'k == kinds::one ? k.to_i : sizeof<u4> + bitsizeof<b3>'}
to-string: 'z + \" \" + x.to_s'
",
    "meta:
  id: texts
  encoding: UTF-8
seq:
  - {id: magic, contents: [0x50, 'AC', 0]}
  - {id: s, type: str, size: 4, pad-right: 0x20, terminator: 0, include: true}
  - {id: z, type: strz, encoding: UTF-16LE, eos-error: false, consume: false}
  - {id: raw, size: s.length, process: 'xor([1, 2, 3])'}
  - {id: packed, size: 5, process: zlib, type: inner}
  - {id: custom, size: 5, process: 'my_custom_fx(1, true, raw)'}
  - {id: rest, size-eos: true}
types:
  inner:
    meta: {encoding: ASCII}
    seq:
      - {id: word, type: strz}
    instances:
      number: {value: 'word.to_i(16)'}
      part: {value: 'word.substring(0, 2).reverse + [0x41].to_s(\"ASCII\")'}
    -webide-representation: '{word} is {number:hex}'
instances:
  at:
    pos: 3
    io: _root._io
    size: 2
    if: _io.size > 5 and not _io.eof
  first: {value: 'raw.first + raw[1] + raw.length'}
",
    "meta:
  id: objects
  endian:
    switch-on: order
    cases: {1: le, _: be}
params:
  - {id: flag, type: bool}
  - {id: many, type: 'inner[]'}
  - {id: stream, type: io}
seq:
  - {id: order, type: u1}
  - {id: n, type: u1}
  - id: list
    type: inner(n, _index)
    repeat: expr
    repeat-expr: n
  - id: until
    type: {switch-on: order, cases: {0: u1, 1: 'inner(1, 2)', _: outer::deep}}
    size: 3
    repeat: until
    repeat-until: '_index == 3 or _io.eof'
  - {id: free, type: outer, parent: false}
  - {id: own, type: outer, parent: _root}
  - {id: all, type: u2, repeat: eos}
types:
  inner:
    params:
      - {id: len, type: u4}
      - {id: index, type: s4}
    seq:
      - {id: data, size: len + _parent.as<objects>.n}
  outer:
    seq:
      - {id: one, type: deep}
    types:
      deep:
        seq:
          - {id: x, type: u2}
        instances:
          up: {value: _parent._parent}
          size: {value: '_sizeof + x._sizeof'}
instances:
  last: {value: 'list.last.data.size + list[0].len + all.max'}
  listed: {value: '[n, order].as<bytes>'}
",
    "meta: &meta
  id: aliases
  <<: {encoding: ASCII}
seq:
  - &text
    id: one
    type: strz
  - <<: *text
    id: two
",
];

/// A small generator, so that a seed gives the same inputs on every machine (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap() % limit.max(1)
    }

    fn of<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The `.ksy` files of a directory and its subdirectories.
fn corpus(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            corpus(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ksy") {
            let text = std::fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
}

/// Typical mistakes: lines, indentation, words, and single characters.
fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    const PIECES: &[&str] = &[
        "\t",
        "  ",
        "- ",
        ": ",
        "\n",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "'",
        "\"",
        "&a",
        "*a",
        "<<",
        "|",
        ">",
        "#",
        "~",
        "null",
        "::",
        ".",
        "..",
        "_",
        "_parent",
        "_root",
        "_io",
        "-1",
        "0x",
        "1e9",
        "99999999999999999999999999999999999999999",
        "f\"{",
        "ä",
        "\u{0}",
        "?",
        "!",
        "%",
        "---",
        "sizeof<",
        ".as<",
        "[]",
    ];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..=random.below(3) {
        if lines.is_empty() {
            break;
        }
        let at = random.below(lines.len());
        match random.below(9) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[random.below(lines.len())].clone()),
            2 => lines.insert(at, random.of(&others).to_owned()),
            3 => lines[at].insert_str(0, random.of(&[" ", "  ", "\t", "- "])),
            4 => lines[at] = lines[at].trim_start().to_owned(),
            5 => {
                let words: Vec<&str> = other.split_whitespace().collect();
                let own: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
                let word = random.below(own.len());
                lines[at] = own
                    .iter()
                    .enumerate()
                    .map(|(n, own)| if n == word { random.of(&words) } else { own })
                    .collect::<Vec<_>>()
                    .join(" ");
            }
            6 => {
                let chars: Vec<char> = lines[at].chars().collect();
                let gone = random.below(chars.len());
                lines[at] = chars.iter().enumerate().filter(|(n, _)| *n != gone).map(|(_, c)| *c).collect();
            }
            7 => {
                let places: Vec<usize> = lines[at].char_indices().map(|(at, _)| at).chain([lines[at].len()]).collect();
                let place = places[random.below(places.len())];
                let piece = random.of(PIECES);
                let times = if random.below(20) == 0 { 300 } else { 1 };
                lines[at].insert_str(place, &piece.repeat(times));
            }
            _ => lines.truncate(at),
        }
    }
    lines.join("\n")
}

/// Invariants of every file.
fn check(path: &Path, text: &str) {
    let start = Instant::now();
    let loaded = load_text(path, text);
    let has_error = loaded.diagnostics.iter().any(|diagnostic| diagnostic.error);
    assert_eq!(loaded.spec.is_none(), has_error, "a model without errors, or errors without a model");
    for diagnostic in &loaded.diagnostics {
        let shown = diagnostic.to_string();
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{0}'), "{shown}");
        let is_own = diagnostic.path == path;
        let line = text.split('\n').nth((diagnostic.line as usize).saturating_sub(1));
        assert!(!is_own || line.is_some_and(|line| line.contains(&diagnostic.source)), "{shown}");
    }
    if let Some(spec) = &loaded.spec {
        for id in (0..).map(TypeId).take(spec.types.len()) {
            let _ = framing(spec, id).describe(spec);
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20), "it took {:?}", start.elapsed());
}

#[test]
fn seeds_are_free_of_errors() {
    for seed in SEEDS {
        let loaded = load_text(Path::new("seed.ksy"), seed);
        let errors: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert!(loaded.spec.is_some(), "{}", errors.join("\n"));
    }
}

#[test]
fn damaged_files_give_a_model_or_errors() {
    let mut files: Vec<(PathBuf, String)> = SEEDS.iter().map(|seed| (PathBuf::from("seed.ksy"), (*seed).to_owned())).collect();
    if let Some(folder) = std::env::var_os("KSY_CORPUS") {
        corpus(Path::new(&folder), &mut files);
    }
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS", 2));
    let mut random = Random(number("FUZZ_SEED", 1) ^ 0x9e37_79b9_7f4a_7c15);
    let mut runs = 0;
    // At least one mutation is run, however slow the machine is.
    while runs == 0 || Instant::now() < end {
        runs += 1;
        let (path, text) = &files[random.below(files.len())];
        let other = files[random.below(files.len())].1.clone();
        let text = mutate(text, &other, &mut random);
        if let Err(reason) = catch_unwind(AssertUnwindSafe(|| check(path, &text))) {
            let words = reason.downcast_ref::<String>().map_or("", String::as_str);
            panic!("run {runs}, {}: {words}\n{text}", path.display());
        }
    }
}
