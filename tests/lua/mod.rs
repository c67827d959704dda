//! Wireshark's dissectors in Lua. The expected calls, values and texts are those of tshark 4.0.17.

use crate::common::{Folder, Run, Scratch, run};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

mod api;
mod asked;
mod circle;
mod frames;
mod kept;
mod shown;

use frames::{Segment, datagrams, pcap, stream};

/// The path of a script of these tests.
fn script(name: &str) -> String {
    format!("tests/lua/{name}.lua")
}

/// Runs a script on a capture, with further arguments in front.
fn dissect(script: &str, capture: &[u8], arguments: &[&str]) -> Run {
    // Tests run side by side.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let capture = Scratch::new(&format!("lua-own-{}.pcap", NEXT.fetch_add(1, Ordering::Relaxed)), capture);
    run(&[&["--lua", script], arguments, &[capture.path()]].concat())
}

/// Columns of each frame that has any.
fn cells(script: &str, capture: &[u8], arguments: &[&str], fields: &[&str]) -> Vec<String> {
    let mut all = vec!["--packets", "-T", "fields", "-E", "aggregator=;", "-e", "frame.number"];
    fields.iter().for_each(|field| all.extend(["-e", field]));
    all.extend(arguments);
    let done = dissect(script, capture, &all);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let has_cells = |line: &&str| line.split('\t').skip(1).any(|cell| !cell.is_empty());
    done.out.lines().filter(has_cells).map(str::to_owned).collect()
}

/// Messages of 8, 13, 3 and 11 bytes: length, kind, body.
const MESSAGES: &[u8] = b"\x08\0\x01hello\x0d\0\x02xxxxxxxxxx\x03\0\x03\x0b\0\x04abcdefgh";

/// The messages in segments that begin and end at these offsets, behind three frames of a handshake.
fn cut(ranges: &[(usize, usize)]) -> Vec<u8> {
    stream(&ranges.iter().map(|&(start, end)| Segment { at: start, bytes: &MESSAGES[start..end] }).collect::<Vec<_>>())
}

/// Calls of the dissector as `frame:length`, and messages as `frame:number`.
fn calls(mode: &str, ranges: &[(usize, usize)]) -> [String; 2] {
    let done = dissect(&script("calls"), &cut(ranges), &["-X", &format!("lua_script1:{mode}"), "-q"]);
    assert_eq!(done.code, 0, "{}", done.err);
    ["call ", "message "].map(|word| {
        let lines = done.err.lines().filter_map(|line| line.strip_prefix(word));
        lines.collect::<Vec<_>>().join(" ")
    })
}

#[test]
fn streams_are_given_as_tshark_gives_them() {
    const ORDER: &[(usize, usize)] = &[(0, 5), (5, 9), (9, 20), (20, 35)];
    const SWAP: &[(usize, usize)] = &[(0, 5), (9, 20), (5, 9), (20, 35)];
    const AGAIN: &[(usize, usize)] = &[(0, 5), (5, 9), (5, 9), (9, 20), (9, 20), (20, 35)];
    for mode in ["pdus", "deseg"] {
        let messages = "5:1 7:2 7:3 7:4".to_owned();
        assert_eq!(calls(mode, ORDER), ["4:5 5:8 5:1 6:12 7:13 7:14".to_owned(), messages], "{mode}");
        assert_eq!(calls(mode, &[(0, 35)]), ["4:35", "4:1 4:2 4:3 4:4"], "{mode}");
        assert_eq!(calls(mode, SWAP), ["4:5 6:20 7:13 7:14", "6:1 7:2 7:3 7:4"], "{mode}");
        assert_eq!(calls(mode, AGAIN), ["4:5 5:8 5:1 7:12 9:13 9:14", "5:1 9:2 9:3 9:4"], "{mode}");
    }
    assert_eq!(calls("more", ORDER), ["4:5 5:9 6:12 7:27", "5:1 7:2 7:3 7:4"]);
    assert_eq!(calls("more", SWAP), ["4:5 6:20 7:27", "6:1 7:2 7:3 7:4"]);
    assert_eq!(calls("segment", ORDER), ["4:5 5:4 6:11 7:15", ""]);
    assert_eq!(calls("segment", SWAP), ["4:5 6:15 7:15", ""]);
    assert_eq!(calls("zero", ORDER), ["4:5 5:9 6:20 7:35", ""]);
}

#[test]
fn each_message_is_a_record_with_its_own_bytes() {
    let done = dissect(&script("calls"), &cut(&[(0, 5), (5, 9), (9, 20), (20, 35)]), &["-X", "lua_script1:pdus", "--json"]);
    let records: Vec<serde_json::Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let messages: Vec<_> = records.iter().filter(|record| record["type"] == "message").collect();
    let lens: Vec<_> = messages
        .iter()
        .map(|record| (record["frames"].as_array().unwrap().last().unwrap().as_u64(), record["len"].as_u64()))
        .collect();
    let expected = [(5, 8), (7, 13), (7, 3), (7, 11)].map(|(frame, len)| (Some(frame), Some(len)));
    assert_eq!(lens, expected, "{}", done.out);
}

#[test]
fn an_incomplete_message_is_no_call() {
    let done = dissect(&script("calls"), &cut(&[(0, 8), (8, 15)]), &["-X", "lua_script1:pdus"]);
    assert!(done.err.contains("call 5:7\n") && !done.err.contains("message 5"), "{}", done.err);
    assert!(done.out.contains("the stream ends after 7 of 13 bytes"), "{}", done.out);
}

#[test]
fn bytes_behind_a_hole_say_that_they_may_start_inside_a_message() {
    let done = dissect(&script("calls"), &cut(&[(0, 8), (21, 35)]), &["-X", "lua_script1:segment"]);
    assert!(done.out.contains("may start inside a message"), "{}", done.out);
}

/// A datagram of the values that `values.lua` reads.
const VALUES: &[u8] =
    b"\0\0\x07\x01\x02\x03\xff\x80\0name\0tail\0\xc0\xa8\0\x01\x02\0\0\0\0\x01\x41\x48\0\0\x40\x09\x21\xfb\x54\x44\x2d\x18\
    \0\xf1\x53\x65\x01\0\0\0\0\0\0\x80";

#[test]
fn values_of_fields_are_those_of_tshark() {
    let fields = [
        ("n", "0;200;201"),
        ("hex", "0x0007;0x0700"),
        ("both", "7"),
        ("hexdec", "0x000701"),
        ("mask", "0x0000;0x0001"),
        ("int", "-128;-32513"),
        ("flag", "1;0"),
        ("bool", "0;1"),
        ("char", "'n'"),
        ("str", "name;name;value only;v"),
        ("strz", "name"),
        ("plain", "010203ff"),
        ("none", "1"),
        ("ip4", "192.168.0.1;1.0.168.192"),
        ("mac", "02:00:00:00:00:01"),
        ("float", "12.5"),
        ("utc", "Nov 14, 2023 22:13:20.000000000 UTC;Nov 14, 2023 22:13:20.500000000 UTC"),
        ("rel", "3.250000000"),
        ("u64", "0x8000000000000001;0x0100000000000080"),
        ("i64", "-9223372036854775807"),
        ("guid", "00070102-03ff-8000-6e61-6d6500746169;02010700-ff03-0080-6e61-6d6500746169"),
        ("frame", "1"),
        ("dup", "7;1793"),
        ("new", "0x03"),
    ];
    let names: Vec<String> = fields.iter().map(|(name, _)| format!("values.{name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = cells(&script("values"), &datagrams(9998, &[VALUES]), &[], &names);
    let row: Vec<&str> = rows[0].split('\t').skip(1).collect();
    let expected: Vec<&str> = fields.iter().map(|(_, value)| *value).collect();
    assert_eq!(row, expected);
}

#[test]
fn errors_have_wiresharks_words() {
    let rows = cells(&script("texts"), &datagrams(9998, &[VALUES]), &[], &["texts.got"]);
    let got: Vec<&str> = rows[0].split('\t').nth(1).unwrap().split(';').collect();
    let wanted = [
        "Range is out of bounds",
        "<EMPTY>",
        "TvbRange:uint() does not handle 5 byte integers",
        "TvbRange:le_uint64() does not handle 9 byte integers",
        "TvbRange:float() does not handle 3 byte floating numbers",
        "TvbRange_ipv4: The range must be 4 octets long",
        "TvbRange_ether: The range must be 6 bytes long",
        "Requested bitfield out of range",
        "first argument to TreeItem:add is nil!",
        "calling 'add' on bad self (number expected, got string)",
        "No such 'nothing' method/field for object type 'Pinfo'",
        "No such 'nothing' method/field for object type 'Tvb'",
        "nil",
        "nil",
        "FT_ not yet supported",
    ];
    assert_eq!(got.len(), wanted.len(), "{got:?}");
    for (got, wanted) in got.iter().zip(wanted) {
        let text = got.strip_prefix("tests/lua/texts.lua:").map_or(*got, |text| text.split_once(": ").unwrap().1);
        assert_eq!(text, wanted);
    }
}

#[test]
fn an_error_keeps_the_fields_before_and_ends_one_call() {
    let text = "local p = Proto('boom', 'Boom')
        local f = ProtoField.uint8('boom.n', 'N')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          local t = tree:add(p, tvb())
          t:add(f, tvb(0, 1))
          if pinfo.number == 1 then error('boom') elseif pinfo.number == 2 then tvb(100, 1) else error({}) end
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let boom = Scratch::new("boom.lua", text.as_bytes());
    let fields = ["boom.n", "_ws.lua.error"];
    let rows = cells(boom.path(), &datagrams(9998, &[b"a", b"b", b"c"]), &[], &fields);
    let path = Path::new(boom.path()).file_name().unwrap().to_str().unwrap();
    let expected = ["97\tLua Error: ", "98\tLua Error: ", "99\tLua Error: (null)"];
    assert_eq!(rows.len(), 3);
    for ((row, wanted), number) in rows.iter().zip(expected).zip(1..) {
        assert!(row.starts_with(&format!("{number}\t{wanted}")), "{row}");
    }
    assert!(rows[0].ends_with(&format!("{path}:7: boom")) && rows[1].ends_with(": Range is out of bounds"), "{rows:?}");
}

#[test]
fn objects_of_an_earlier_call_are_expired() {
    let text = "local p = Proto('late', 'Late')
        local f = ProtoField.string('late.text', 'Text')
        p.fields = {f}
        local kept, range, item
        function p.dissector(tvb, pinfo, tree)
          local t = tree:add(p, tvb())
          if kept then
            for _, use in ipairs {function() return kept:len() end, function() return range:uint() end, function() item:set_text('x') end} do
              local _, e = pcall(use) t:add(f, e:gsub('^.*: ', ''))
            end
          end
          kept, range, item = tvb, tvb(0, 1), t
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let late = Scratch::new("late.lua", text.as_bytes());
    let rows = cells(late.path(), &datagrams(9998, &[b"a", b"b"]), &[], &["late.text"]);
    assert_eq!(rows, ["2\texpired tvb;expired TvbRange;expired TreeItem"]);
}

/// Each of these would run for ever.
const ENDLESS: &[&str] = &[
    "forever()",
    "while true do pcall(forever) end",
    "while true do xpcall(forever, function() forever() end) end",
    "xpcall(error, function() forever() end)",
    "while true do coroutine.resume(coroutine.create(forever)) end",
    "while true do pcall(coroutine.wrap(forever)) end",
    "while true do pcall(function() local x <close> = setmetatable({}, {__close = forever}) end) end",
    "for _ = 1, 1000 do setmetatable({}, {__gc = forever}) end collectgarbage() forever()",
    "local t = setmetatable({}, {__tostring = forever}) while true do pcall(tostring, t) end",
    "while true do pcall(string.gsub, 'aaaa', 'a', forever) end",
    "while true do pcall(load('while true do end')) end",
    "package.preload.x = forever while true do pcall(require, 'x') end",
    "local function n() pcall(n) pcall(n) end n()",
    "local function deep(n) return 1 + deep(n + 1) end while true do pcall(deep, 0) end",
    "local function deep(n) return 1 + deep(n + 1) end while true do coroutine.resume(coroutine.create(deep), 0) end",
    "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end",
    "while true do pcall(function() local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end end) end",
    "while true do tree:add(f, tvb(0, 1)) end",
    "while true do tree = tree:add(f, tvb(0, 1)) end",
    "local b = ByteArray.new('00') while true do b:append(b) end",
    "ByteArray.new():set_size(2000000000)",
    "return ('a'):rep(50000):find(('a-'):rep(30) .. 'b')",
    "return ('a'):rep(50000):match(('.*'):rep(20) .. 'b')",
    "return ('a'):rep(50000):gsub(('a-'):rep(30) .. 'b', 'x')",
    "for x in ('a'):rep(50000):gmatch(('a-'):rep(30) .. 'b') do return x end",
    "local a = ('a'):rep(50000) for _ = 1, 1e9 do a:find('b', 1, true) end",
    "return ('x'):rep(1e9)",
    "return table.move({}, 1, 1e9, 2)",
    "local t = {} for i = 1, 1e6 do table.insert(t, 1, i) end",
    "local a = ('a'):rep(50000) while true do a:reverse():upper():lower() end",
];

#[test]
fn no_script_runs_for_ever() {
    for endless in crate::common::own_cases(ENDLESS, 4, 7) {
        let text = format!(
            "local p = Proto('endless', 'Endless')
            local f, g = ProtoField.uint8('endless.before', 'Before'), ProtoField.uint8('endless.after', 'After')
            p.fields = {{f, g}}
            local function forever() local i = 0 while true do i = i + 1 end end
            local function try(tree, tvb) {endless} end
            function p.dissector(tvb, pinfo, tree)
              local t = tree:add(p, tvb())
              t:add(f, tvb(0, 1))
              if pinfo.number == 1 then try(t, tvb) end
              t:add(g, tvb(0, 1))
            end
            DissectorTable.get('udp.port'):add(9998, p)"
        );
        let endless_script = Scratch::new("endless.lua", text.as_bytes());
        let began = Instant::now();
        let limits = ["--lua-steps", "2000000", "--lua-memory", "64M", "--lua-items", "100000"];
        let rows = cells(endless_script.path(), &datagrams(9998, &[b"a", b"b"]), &limits, &["endless.after", "_ws.lua.error"]);
        assert_eq!(rows.len(), 2, "{endless}: {rows:?}");
        assert!(rows[0].starts_with("1\t\tLua Error: ") && rows[0].contains(" in frame 1"), "{endless}: {rows:?}");
        assert_eq!(rows[1], "2\t98\t", "{endless}");
        assert!(began.elapsed() < Duration::from_secs(60), "{endless}");
    }
}

#[test]
fn deep_recursion_is_an_error_that_scripts_catch() {
    let text = "local p = Proto('deep', 'Deep')
        local f, g = ProtoField.string('deep.text', 'Text'), ProtoField.uint32('deep.depth', 'Depth')
        p.fields = {f, g}
        local most
        local function deep(n) most = n return 1 + deep(n + 1) end
        local function sum(n) if n == 0 then return 0 end return n + sum(n - 1) end
        function p.dissector(tvb, pinfo, tree)
          local _, e = pcall(deep, 0)
          tree:add(f, (e:gsub('^.*: ', '')))
          tree:add(f, coroutine.wrap(function() return sum(10000) end)())
          tree:add(g, most)
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let script = Scratch::new("deep.lua", text.as_bytes());
    let rows = cells(script.path(), &datagrams(9998, &[b"a"]), &[], &["deep.text", "deep.depth"]);
    let (texts, depth) = rows[0].rsplit_once('\t').unwrap();
    assert_eq!(texts, "1\tstack overflow;50005000");
    let depth: u32 = depth.parse().unwrap();
    // Lua itself goes down to 200,000 calls, which takes a tenth of a second each time.
    assert!((15_000..20_000).contains(&depth), "{depth}");
}

#[test]
fn patterns_are_those_of_lua() {
    let rows = cells(&script("patterns"), &datagrams(9998, &[b"a"]), &[], &["patterns.wrong"]);
    assert_eq!(rows, ["1\tnone"]);
}

#[test]
fn functions_of_old_versions_are_there() {
    let rows = cells(&script("dialect"), &datagrams(9998, &[b"a"]), &[], &["dialect.wrong"]);
    assert_eq!(rows, ["1\tnone"]);
}

#[test]
fn a_folder_is_loaded_as_wireshark_loads_it() {
    let folder = Folder::new("lua-folder");
    for name in ["m.lua", "Z.lua", "adir/x.lua", "zdir/y.lua", "zdir/deep/d.lua", "notes.txt"] {
        let path = folder.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("mine = '{name}' io.stderr:write('{name} ', tostring(_G.mine), '\\n')")).unwrap();
    }
    let done = run(&["--lua", folder.path().to_str().unwrap(), "protocols"]);
    let order: Vec<&str> = done.err.lines().filter(|line| line.contains(".lua nil")).collect();
    // Folders first, and no script sees the globals of another one.
    assert_eq!(order, ["adir/x.lua nil", "zdir/deep/d.lua nil", "zdir/y.lua nil", "Z.lua nil", "m.lua nil"], "{}", done.err);
}

#[test]
fn modules_are_found_beside_the_script() {
    let folder = Folder::new("lua-modules");
    fs::create_dir_all(folder.file("inner")).unwrap();
    fs::write(folder.file("inner/one.lua"), "shared = 1 return {value = 41}").unwrap();
    let text = "local one = require('inner.one') assert(require('inner.one') == one and shared == 1)
        local p = Proto('modules', 'Modules') p.fields = {ProtoField.uint8('modules.n', tostring(one.value + 1))}";
    fs::write(folder.file("main.lua"), text).unwrap();
    let done = run(&["--lua", folder.file("main.lua").to_str().unwrap(), "fields", "modules"]);
    assert!(done.code == 0 && done.out.contains("42"), "{} {}", done.out, done.err);
    // A script inside the package names its modules with the package.
    let text = "local one = require('inner.one')
        local p = Proto('modules2', 'Modules') p.fields = {ProtoField.uint8('modules2.n', tostring(one.value + 2))}";
    fs::write(folder.file("inner/main.lua"), text).unwrap();
    let done = run(&["--lua", folder.file("inner/main.lua").to_str().unwrap(), "fields", "modules2"]);
    assert!(done.code == 0 && done.out.contains("43"), "{} {}", done.out, done.err);
}

#[test]
fn scripts_reach_nothing_outside() {
    for (call, words) in [
        ("os.execute('true')", "os.execute is not given to scripts (sandbox)"),
        ("error(tostring(os.getenv('HOME')))", "outside.lua:2: nil"),
        ("io.popen('true')", "io.popen is not given to scripts (sandbox)"),
        ("io.open('x', 'w')", "io.open for writing is not given to scripts (sandbox)"),
        ("assert(io.open('/etc/passwd'))", "lies outside"),
        ("dofile('/etc/passwd')", "lies outside"),
        ("os.time()", "os.time without a time is not given to scripts (sandbox)"),
        ("string.dump(print)", "string.dump is not given to scripts (sandbox)"),
        ("assert(load('\\27Lua'))", "attempt to load a binary chunk"),
        ("DissectorTable.remove_everything()", "DissectorTable.remove_everything is not supported"),
        ("package.loadlib('x')", "package.loadlib is not given to scripts (sandbox)"),
    ] {
        let text = Scratch::new("outside.lua", format!("\n{call}").as_bytes());
        let done = run(&["--lua", text.path(), "protocols"]);
        assert_eq!(done.code, 2, "{call}");
        assert!(done.err.contains("outside.lua:2: ") && done.err.contains(words), "{call}: {}", done.err);
    }
}

#[test]
fn preferences_are_set_with_o() {
    let capture = datagrams(9996, &[b"a"]);
    let rows = |arguments: &[&str]| cells(&script("prefs"), &capture, arguments, &["prefs.value"]);
    assert_eq!(rows(&[]), ["1\ttrue 5 default 1 9996;as registered inited"]);
    let set = ["-o", "prefs.flag:FALSE", "-o", "prefs.number:7", "-o", "prefs.mode:Two", "-o", "prefs.text=x y"];
    assert_eq!(rows(&set), ["1\tfalse 7 x y 2 9996;changed inited"]);
    assert_eq!(rows(&["-o", "prefs.ports:5"]).len(), 0);
    let chosen = rows(&["-o", "prefs.ports:6,5", "-d", "udp.port==9996,prefs"]);
    assert_eq!(chosen, ["1\ttrue 5 default 1 5-6;changed inited"]);
    let wrong = dissect(&script("prefs"), &capture, &["-o", "prefs.number:many"]);
    assert!(wrong.code == 2 && wrong.err.contains("-o prefs.number:many: expected a number"), "{}", wrong.err);
    let unknown = dissect(&script("prefs"), &capture, &["-o", "prefs.nothing:1"]);
    assert!(unknown.code == 2 && unknown.err.contains("prefs.nothing"), "{}", unknown.err);
}

#[test]
fn several_inputs_give_the_same_with_any_number_of_threads() {
    let captures: Vec<Scratch> = (0..4)
        .map(|number| {
            let ranges: &[(usize, usize)] = if number % 2 == 0 { &[(0, 5), (5, 35)] } else { &[(0, 35)] };
            Scratch::new(&format!("lua-{number}.pcap"), &cut(ranges))
        })
        .collect();
    let output = |threads: &str| {
        let mut arguments = vec!["--lua", "tests/lua/calls.lua", "--json", "--threads", threads];
        arguments.extend(captures.iter().map(Scratch::path));
        let done = run(&arguments);
        (done.out, done.err)
    };
    assert_eq!(output("1"), output("4"));
}

#[test]
fn layers_below_and_derived_bytes_are_read() {
    // The zlib stream is that of `printf hello | zlib-flate -compress`.
    let packed = b"\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\0\x06\x2c\x02\x15";
    let payload = [b"\x2aWORDS".as_slice(), packed].concat();
    let capture = Scratch::new("lua-below.pcap", &datagrams(9998, &[&payload]));
    let done = run(&["--lua", "tests/lua/below.lua", "--json", capture.path()]);
    let record: serde_json::Value = serde_json::from_str(done.out.lines().nth(1).unwrap()).unwrap();
    let fields = record["fields"].as_array().unwrap();
    let texts: Vec<&str> =
        fields.iter().filter(|field| field["name"] == "below.text").filter_map(|field| field["value"].as_str()).collect();
    let expected = [
        "none",
        "below.kind=42@28+1",
        "frame.number=1@0+0",
        "ip.src=10.0.0.1@12+4",
        "udp.srcport=40000@20+2",
        "word",
        "hello",
        "1 258,abc,7",
        "6,2,6162,ab",
    ];
    assert_eq!(texts, expected);
    let derived = fields.iter().find(|field| field["value"] == "word").unwrap();
    let from = &record["derived"];
    assert!(derived["buffer"].as_str().is_some_and(|buffer| buffer.starts_with("derived/")), "{derived} {from}");
}

#[test]
fn what_is_not_supported_says_so() {
    let capture = datagrams(9998, &[b"a"]);
    let missing = Scratch::new("missing.lua", b"-- A remark.\nall_field_infos()");
    let wrong = dissect(missing.path(), &capture, &[]);
    assert!(wrong.code == 2 && wrong.err.contains("missing.lua:2: all_field_infos is not supported"), "{}", wrong.err);
    let numbered = dissect(&script("calls"), &capture, &["-X", "lua_script2:x"]);
    assert!(numbered.code == 2 && numbered.err.contains("-X lua_script2:x: 1 scripts are loaded"), "{}", numbered.err);
    let stubs = Scratch::new("stubs.lua", b"local w = TextWindow.new('x') w:set('y') Listener.new('tcp').packet = print");
    let done = dissect(stubs.path(), &capture, &[]);
    assert!(done.code == 0 && done.err.contains("Listener is not run (no taps)"), "{}", done.err);
}

#[test]
fn a_stream_of_frames_is_written_as_described() {
    // The captures of these tests are read by other programs, too.
    let done = run(&["-T", "fields", "-e", "tcp.seq", "-e", "tcp.len", Scratch::new("own.pcap", &cut(&[(0, 5)])).path()]);
    assert!(done.out.contains("1\t5"), "{}", done.out);
    assert_eq!(pcap(&[]).len(), 24);
}
