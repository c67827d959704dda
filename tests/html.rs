//! The page of `-T html` contains what JSON contains, text of a capture never becomes markup, and nothing external is loaded.

use crate::common::{Folder, Run, run};
use data_encoding::{BASE64, HEXLOWER};
use etherparse::PacketBuilder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;

/// A parsed page.
struct Page {
    text: String,
    /// Names of fields.
    fields: Vec<String>,
    records: Vec<Value>,
}

const BLOCK: &str = "<script type=\"application/json\" class=\"block\">";

impl Page {
    fn new(arguments: &[&str]) -> Page {
        Page::of(run(&[&["-T", "html"], arguments].concat()))
    }

    fn of(done: Run) -> Page {
        assert_eq!(done.code, 0, "{}", done.err);
        Page::read(done.out)
    }

    fn read(text: String) -> Page {
        let (mut fields, mut records) = (Vec::new(), Vec::new());
        for block in text.split(BLOCK).skip(1) {
            let block: Value = serde_json::from_str(block.split("</script>").next().unwrap()).unwrap();
            fields.extend(block["fields"].as_array().unwrap().iter().map(|field| field[0].as_str().unwrap().to_owned()));
            records.extend(block["records"].as_array().unwrap().iter().cloned());
        }
        Page { text, fields, records }
    }

    /// Name, buffer, offset and length of each node below `nodes`, in reading order.
    fn nodes(&self, record: &Value, nodes: &[Value], around: usize, out: &mut Vec<(String, String, i64, u64)>) {
        for node in nodes {
            let buffer = node.get(7).map_or(around, |buffer| buffer.as_u64().unwrap() as usize);
            let name = self.fields[node[0].as_u64().unwrap() as usize].clone();
            let off = node[1].as_i64().unwrap();
            let place = if off < 0 { String::new() } else { record["B"][buffer]["n"].as_str().unwrap().to_owned() };
            out.push((name, place, off, node[2].as_u64().unwrap()));
            if let Some(below) = node.get(5).and_then(Value::as_array) {
                self.nodes(record, below, buffer, out);
            }
        }
    }

    /// The bytes of a range in a buffer.
    fn bytes(record: &Value, name: &str, off: u64, len: u64) -> Vec<u8> {
        let mut found = None;
        for buffer in record["B"].as_array().unwrap().iter().filter(|buffer| buffer["n"] == name) {
            let bytes = BASE64.decode(buffer["b"].as_str().unwrap().as_bytes()).unwrap();
            let range = off.checked_sub(buffer["o"].as_u64().unwrap()).map(|at| at as usize..(at + len) as usize);
            found = found.or_else(|| Some(bytes.get(range?)?.to_vec()));
        }
        found.unwrap_or_else(|| panic!("no bytes {off} to {} of {name}", off + len))
    }
}

/// A node of JSON: name, buffer, offset, length, and its bytes if it is one of bytes.
type Expected = (String, String, i64, u64, Option<String>);

fn expected(fields: &[Value], around: &str, out: &mut Vec<Expected>) {
    for field in fields {
        let buffer = field.get("buffer").and_then(Value::as_str).unwrap_or(around);
        let off = field.get("off").map_or(-1, |off| off.as_i64().unwrap());
        let len = field.get("len").map_or(0, |len| len.as_u64().unwrap());
        let is_plain = field.get("masked").is_none() && field.get("type").is_some_and(|kind| kind == "bytes");
        let hex = field["value"].as_str().filter(|hex| is_plain && hex.len() as u64 == 2 * len).map(str::to_owned);
        let place = if off < 0 { String::new() } else { buffer.to_owned() };
        out.push((field["name"].as_str().unwrap().to_owned(), place, off, len, hex));
        if let Some(below) = field.get("fields") {
            expected(below.as_array().unwrap(), buffer, out);
        }
    }
}

fn samples() -> Vec<String> {
    let files = fs::read_dir("samples").unwrap().map(|entry| entry.unwrap().path());
    let mut samples: Vec<String> = files.map(|path| path.to_str().unwrap().to_owned()).collect();
    samples.retain(|path| path.ends_with(".pcap") || path.ends_with(".pcapng"));
    samples.sort();
    samples
}

#[test]
fn the_page_has_every_node_of_json_with_its_place_and_bytes() {
    let (mut nodes, mut bytes) = (0, 0);
    let samples = samples();
    let pages = samples.iter().enumerate().flat_map(|(at, sample)| [(at, sample, "--messages"), (at + 1, sample, "--packets")]);
    for (_, sample, view) in pages.filter(|(at, ..)| crate::common::is_own_case(*at, 8)) {
        let page = Page::new(&[view, sample]);
        let lines: Vec<Value> =
            run(&["--json", view, sample]).out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let records: Vec<&Value> =
            lines.iter().filter(|line| ["message", "packet", "late", "gap"].iter().any(|kind| line["type"] == *kind)).collect();
        assert_eq!(page.records.len(), records.len(), "{sample} {view}");
        for (shown, record) in page.records.iter().zip(records) {
            let mut wanted = Vec::new();
            let layers = record.get("layers").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![record.clone()]);
            for layer in layers.iter().filter(|layer| layer.get("buffer").is_some()) {
                let buffer = layer["buffer"].as_str().unwrap();
                let own = (layer["protocol"].as_str().unwrap(), layer["off"].as_i64().unwrap(), layer["len"].as_u64().unwrap());
                wanted.push((own.0.to_owned(), buffer.to_owned(), own.1, own.2, None));
                let fields = layer.get("fields").and_then(Value::as_array).cloned().unwrap_or_default();
                expected(&fields, buffer, &mut wanted);
            }
            let mut found = Vec::new();
            page.nodes(shown, shown.get("L").and_then(Value::as_array).unwrap_or(&Vec::new()), 0, &mut found);
            let wanted_places: Vec<_> =
                wanted.iter().map(|(name, place, off, len, _)| (name.clone(), place.clone(), *off, *len)).collect();
            assert_eq!(found, wanted_places, "{sample} {view} {}", shown["n"]);
            nodes += found.len();
            for (_, place, off, len, hex) in &wanted {
                let Some(hex) = hex else { continue };
                assert_eq!(&HEXLOWER.encode(&Page::bytes(shown, place, *off as u64, *len)), hex, "{sample} {place} {off}");
                bytes += 1;
            }
        }
    }
    let least = if crate::common::is_thorough() { [50_000, 1000] } else { [1000, 40] };
    assert!(nodes > least[0] && bytes > least[1], "{nodes} {bytes}");
}

#[test]
fn the_policy_names_the_script_and_the_style_of_the_page() {
    let page = Page::new(&["samples/http.pcap"]).text;
    let between = |start: &str, end: &str| page.rsplit_once(start).unwrap().1.split(end).next().unwrap().to_owned();
    let hash = |text: &str| format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text)));
    let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    let (script, style) = (hash(&between("<script>", "</script>")), hash(&between("<style>", "</style>")));
    let rest = "img-src data:; base-uri 'none'; form-action 'none'";
    assert_eq!(policy, format!("default-src 'none'; script-src {script}; style-src {style}; {rest}"));
    // The policy must precede everything it applies to.
    assert!(page.find("Content-Security-Policy").unwrap() < page.find("<style>").unwrap());
    assert_eq!((page.matches("<style").count(), page.matches("<script>").count()), (1, 1));
}

#[test]
fn the_page_of_a_whole_session_is_small_and_loads_nothing() {
    let page = Page::new(&["samples/pipboy.pcap"]).text;
    assert!(page.len() < 400 << 10, "{} bytes", page.len());
    for outside in
        ["http://", "https://", "src=", "href=\"/", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "eval("]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("href=").count(), page.matches("href=\"#summary\"").count());
}

#[test]
fn lists_without_scripts_have_each_record_and_its_fields() {
    let page = Page::new(&["samples/pipboy.pcap"]).text;
    let lists: String = page
        .split("<noscript class=\"block\"><ul>")
        .skip(1)
        .map(|block| block.split("</ul></noscript>").next().unwrap())
        .collect();
    assert_eq!(lists.lines().filter(|line| line.starts_with("<li>#")).count(), 90);
    let heartbeat = lists.lines().find(|line| line.starts_with("<li>#5 ")).unwrap();
    assert_eq!(
        heartbeat,
        "<li>#5  +0.976240  tcp/0 c2s  192.168.28.23:41508 → 192.168.28.10:27000  Pip-Boy  heartbeat  frame 10<ul><li>length: \
         0<li>type: 0 – heartbeat</ul>"
    );
    // Tables collapse the same.
    let update = lists.lines().find(|line| line.starts_with("<li>#11 ")).unwrap();
    assert!(update.contains("<li>… 519 more entries<li>entry count: 519<li>summary<ul>"), "{update}");
}

#[test]
fn the_summary_counts_all_records() {
    let page = Page::new(&["samples/pipboy.pcap"]).text;
    let summary = page.split("<section id=\"summary\">").nth(1).unwrap();
    assert!(summary.contains("<p>pipboy.pcap, pcap, ethernet, 210 frames, 90 messages</p>"), "{summary}");
    let bars: u64 = summary
        .split("<rect data-from")
        .skip(1)
        .map(|bar| {
            let words = bar.split(" s: ").nth(1).unwrap();
            words.split(" records").next().unwrap().parse::<u64>().unwrap()
        })
        .sum();
    assert_eq!(bars, 90);
    assert!(summary.contains("heartbeat</th><td>43</td>"), "{summary}");
}

#[test]
fn a_title_takes_the_place_of_the_file_name() {
    let title =
        |arguments: &[&str]| Page::new(arguments).text.split("<title>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    assert_eq!(title(&["samples/http.pcap"]), "http.pcap");
    assert_eq!(title(&["samples/http.pcap", "samples/tls.pcap"]), "http.pcap and more");
    assert_eq!(title(&["--title", "A \"b\" & <c>", "samples/http.pcap"]), "A &quot;b&quot; &amp; &lt;c&gt;");
    let wrong = run(&["--title", "a", "-l", "samples/http.pcap"]);
    assert_eq!((wrong.code, wrong.err.as_str()), (2, "proto-dissect: --title requires -T html\n"));
}

#[test]
fn filters_counts_views_and_threads_apply() {
    let numbers = |arguments: &[&str]| Page::new(arguments).records.iter().map(|record| record["n"].clone()).collect::<Vec<_>>();
    assert_eq!(numbers(&["-Y", "pipboy.type == 4", "samples/pipboy.pcap"]), [59, 65].map(Value::from));
    assert_eq!(numbers(&["-c", "2", "samples/pipboy.pcap"]), [1, 2].map(Value::from));
    assert_eq!(numbers(&["--packets", "-c", "2", "samples/pipboy.pcap"]), [1, 2].map(Value::from));
    let files = ["samples/http.pcap", "samples/xfire.pcap", "samples/pipboy.pcap"];
    let with = |threads| Page::new(&[&["--threads", threads], &files[..]].concat()).text;
    assert!(with("1") == with("3"));
}

#[test]
fn a_page_at_its_limit_is_complete_html_with_a_hint() {
    for (limit, least) in [("html.records=10", 10), ("html.page=100k", 1)] {
        let done = run(&["-T", "html", "--limit", limit, "samples/pipboy.pcap"]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.err.contains("more did not fit; select fewer with -c or -Y"), "{}", done.err);
        let page = Page::read(done.out);
        assert!(page.records.len() >= least && page.records.len() < 90, "{limit}: {}", page.records.len());
        assert!(page.text.contains("<p id=\"shortage\"") && page.text.ends_with("</html>\n"));
        // The summary still counts all records.
        assert!(page.text.contains("heartbeat</th><td>43</td>"));
    }
}

#[test]
fn an_input_that_cannot_be_read_makes_no_page() {
    let done = run(&["-T", "html", "samples/missing.pcap"]);
    assert_eq!((done.code, done.out.as_str()), (3, ""));
}

/// Text that would run, load or hide something if it became markup; without slashes if used as a file name.
const HOSTILE: &str =
    "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)><a href=javascript:alert(3)>\"'`&\u{202e}\u{1b}[31m";
const HOSTILE_NAME: &str = "<img src=x onerror=alert(4)><!--\"'.pcapng";

/// A pcapng block with its options.
fn block(kind: u32, body: &[u8], options: &[(u16, &str)]) -> Vec<u8> {
    let padded = |bytes: &[u8]| [bytes, &vec![0; bytes.len().next_multiple_of(4) - bytes.len()]].concat();
    let mut content = padded(body);
    for (code, text) in options {
        content.extend(code.to_le_bytes());
        content.extend((text.len() as u16).to_le_bytes());
        content.extend(padded(text.as_bytes()));
    }
    content.extend([0; 4]);
    let len = (content.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &len, &content, &len].concat()
}

/// A capture with hostile text in every possible place: comment, interface, request, headers, body, log line.
fn hostile_capture() -> Vec<u8> {
    let mut file =
        block(0x0a0d_0d0a, &[0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255], &[(1, HOSTILE)]);
    file.extend(block(1, &[1, 0, 0, 0, 0, 0, 4, 0], &[(2, HOSTILE)]));
    let mut add = |packet: Vec<u8>| {
        let len = (packet.len() as u32).to_le_bytes();
        let body = [&[0; 12][..], &len, &len, &packet].concat();
        file.extend(block(6, &body, &[(1, HOSTILE)]));
    };
    let word = HOSTILE.replace(' ', "%");
    let request = format!(
        "POST /{word} HTTP/1.1\r\nHost: {HOSTILE}\r\nX-<img>{word}: {HOSTILE}\r\nContent-Length: {}\r\n\r\n{HOSTILE}",
        HOSTILE.len()
    );
    let mut packet = Vec::new();
    let link = || PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    link().tcp(4000, 80, 1, 1000).ack(1).psh().write(&mut packet, request.as_bytes()).unwrap();
    add(std::mem::take(&mut packet));
    link().udp(4000, 514).write(&mut packet, format!("<13>Jan  1 00:00:00 {word} {HOSTILE}: {HOSTILE}").as_bytes()).unwrap();
    add(packet);
    file
}

#[test]
fn hostile_text_never_becomes_markup() {
    let folder = Folder::new("hostile-page");
    let file = folder.file(HOSTILE_NAME);
    // A truncated end adds the file name to an error as well.
    fs::write(&file, [hostile_capture(), vec![6, 0, 0, 0, 64, 0, 0, 0]].concat()).unwrap();
    let note = HOSTILE.replace('\\', "\\\\").replace('"', "\\\"").replace('\u{1b}', "\\u001b");
    fs::write(
        folder.file(&format!("{HOSTILE_NAME}.notes.toml")),
        format!("[[record]]\nframe = 1\nbookmark = true\nnote = \"{note}\"\n"),
    )
    .unwrap();
    let path = file.to_str().unwrap();
    for arguments in [&["--title", HOSTILE, path][..], &["--packets", "-v", path], &[path, "samples/http.pcap"]] {
        let done = run(&[&["-T", "html"], arguments].concat());
        assert_eq!(done.code, 5, "{}", done.err);
        let page = Page::read(done.out);
        let shown = page.records.iter().map(Value::to_string).collect::<String>();
        assert!(shown.matches("onerror=alert(2)").count() > 6, "{shown}");
        check_markup(&page.text);
        assert!(!page.text.contains(['\u{202e}', '\u{1b}']));
    }
}

/// Text without its quoted parts.
fn unquoted(text: &str) -> String {
    let mut quote = None;
    let is_outside = |character: &char| match (quote, *character) {
        (None, '"' | '\'') => {
            quote = Some(*character);
            false
        }
        (Some(open), character) => {
            quote = Some(open).filter(|open| *open != character);
            false
        }
        (None, _) => true,
    };
    text.chars().filter(is_outside).collect()
}

/// Every tag of a page is written by the program, with attributes written by the program.
fn check_markup(page: &str) {
    const TAGS: &[&str] = &[
        "!doctype",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "h1",
        "h2",
        "h3",
        "noscript",
        "p",
        "a",
        "button",
        "div",
        "label",
        "input",
        "output",
        "dl",
        "dt",
        "dd",
        "kbd",
        "select",
        "main",
        "script",
        "ul",
        "li",
        "b",
        "i",
        "section",
        "figure",
        "figcaption",
        "svg",
        "rect",
        "span",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ];
    const ATTRIBUTES: &[&str] = &[
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "id",
        "class",
        "type",
        "hidden",
        "role",
        "href",
        "for",
        "placeholder",
        "tabindex",
        "autocomplete",
        "autocapitalize",
        "spellcheck",
        "viewbox",
        "preserveaspectratio",
        "x",
        "y",
        "width",
        "height",
        "scope",
        "html",
    ];
    let mut rest = page;
    while let Some((_, behind)) = rest.split_once('<') {
        let (tag, behind) = behind.split_once('>').unwrap();
        let mut words = tag.trim_start_matches('/').splitn(2, |character: char| character.is_ascii_whitespace());
        let name = words.next().unwrap();
        assert!(TAGS.contains(&name), "<{tag}>");
        let attributes = unquoted(words.next().unwrap_or_default());
        for attribute in attributes.split(['=', ' ', '\n', '/']).filter(|attribute| !attribute.is_empty()).map(str::to_lowercase)
        {
            let is_known =
                ATTRIBUTES.contains(&attribute.as_str()) || attribute.starts_with("aria-") || attribute.starts_with("data-");
            assert!(is_known, "{attribute} of <{tag}>");
        }
        assert!(name != "a" || tag.starts_with('/') || tag == "a href=\"#summary\"", "<{tag}>");
        rest = match (name, tag.starts_with('/')) {
            ("script", false) if tag != "script" => {
                let (data, behind) = behind.split_once('<').unwrap();
                assert!(behind.starts_with("/script>"), "{data}");
                &rest[rest.len() - behind.len() - 1..]
            }
            ("script" | "style", false) => behind.split_once(&format!("</{name}>")).unwrap().1,
            _ => behind,
        };
    }
}

#[test]
fn pictures_are_in_the_page_with_their_markers() {
    let folder = Folder::new("pictures");
    let saved = folder.file("objects");
    run(&["objects", "--write-dir", saved.to_str().unwrap(), "samples/pipboy.pcap"]);
    let page = Page::new(&["samples/pipboy.pcap"]);
    let maps: Vec<&Value> = page.records.iter().filter(|record| record.get("O").is_some()).collect();
    assert_eq!(maps.iter().map(|record| record["n"].as_u64().unwrap()).collect::<Vec<_>>(), [59, 65]);
    for (place, record) in maps.iter().enumerate() {
        let source = record["O"][0][1].as_str().unwrap().strip_prefix("data:image/png;base64,").unwrap();
        let file = fs::read(saved.join(format!("{:06}-tcp-0-local-map.png", place + 1))).unwrap();
        assert_eq!(BASE64.decode(source.as_bytes()).unwrap(), file);
        // X -4260.5 between -6144 and -2048, Y 12240.75 between 13824 and 10752.
        assert_eq!(record["O"][0][2].to_string(), r#"[["player",0.4598,0.5154]]"#);
    }
    // Objects of a conversation as a whole are in the summary, unless no part of it is in the page.
    let paths = |arguments: &[&str]| Page::new(arguments).records.iter().filter(|record| record["k"] == "o").count();
    assert_eq!(paths(&["samples/runescape-osrs-239.bin"]), 1);
    assert_eq!(paths(&["-Y", "frame.number > 1000", "samples/runescape-osrs-239.bin"]), 0);
}

#[test]
fn notes_and_bookmarks_are_in_every_view() {
    let folder = Folder::new("notes");
    let file = folder.file("a.pcap");
    fs::copy("samples/pipboy.pcap", &file).unwrap();
    let path = file.to_str().unwrap();
    let notes = "[[record]]\nmessage = 5\nframe = 10\nbookmark = true\n\n[[record]]\nframe = 12\nnote = \"second\\nheartbeat\"\n";
    fs::write(folder.file("a.pcap.notes.toml"), notes).unwrap();
    let lines = |arguments: &[&str]| run(&[arguments, &["--number", "5-6", path]].concat()).out;
    assert!(lines(&["-l"]).contains("heartbeat [bookmark]\n"), "{}", lines(&["-l"]));
    assert!(lines(&["-l"]).contains("heartbeat [note: second\\nheartbeat]\n"));
    let table = lines(&[]);
    assert!(
        table.contains("frame 10\n* bookmark\n") && table.contains("frame 12\n* note  second\n* note  heartbeat\n"),
        "{table}"
    );
    let json = lines(&["--json"]);
    assert!(json.contains(r#""notes":[{"level":"info","code":"message.note","bookmark":true}]"#), "{json}");
    assert!(json.contains(r#""notes":[{"level":"info","code":"message.note","text":"second\nheartbeat"}]"#), "{json}");
    let page = Page::new(&[path]);
    assert_eq!(page.records[4]["M"].to_string(), r#"[[1,""]]"#);
    assert_eq!(page.records[5]["M"].to_string(), r#"[[0,"second\\nheartbeat"]]"#);
    assert!(page.text.contains("<li><b>note</b> second\\nheartbeat"), "no list has the note");
    assert_eq!(run(&["-Y", "message.note contains \"second\"", "-T", "fields", "-e", "n", path]).out, "6\n");
    assert_eq!(run(&["--packets", "-Y", "message.note", "-T", "fields", "-e", "frame.number", path]).out, "10\n12\n");
    // An unreadable file is reported, and the records are printed.
    fs::write(folder.file("a.pcap.notes.toml"), "[[record]]\nbookmark = true\n").unwrap();
    let done = run(&["-l", "-c", "1", path]);
    assert_eq!((done.code, done.out.lines().count()), (0, 1));
    assert!(done.err.contains("a.pcap.notes.toml: entry 1: message or frame is missing"), "{}", done.err);
}
