//! Labels, expert information, checks of scripts, and regular expressions.

use super::frames::datagrams;
use super::{cells, dissect};
use crate::common::{Scratch, run};
use serde_json::Value;

/// A script that labels its items in each way.
const LABELS: &str = "local p = Proto('labels', 'Labels of items')
    local f = {
      n = ProtoField.uint8('labels.n', 'Number', base.DEC, {[7] = 'seven'}),
      hex = ProtoField.uint16('labels.hex', 'Hex', base.DEC_HEX),
      flag = ProtoField.bool('labels.flag', 'Flag', 8, {'set', 'clear'}, 0x02),
    }
    p.fields = f
    local bad = ProtoExpert.new('labels.bad', 'Bad thing', expert.group.MALFORMED, expert.severity.ERROR)
    p.experts = {bad}
    function p.dissector(tvb, pinfo, tree)
      local t = tree:add(p, tvb())
      t:append_text(' (2)')
      t:add(f.n, tvb(0, 1)) t:add(f.n, tvb(0, 1)):append_text(' more') t:add(f.n, tvb(0, 1), 9, 'own', 'label')
      t:add(f.hex, tvb(0, 2)) t:add(f.flag, tvb(1, 1)):set_text('text')
      t:add_proto_expert_info(bad, 'very bad')
      t:add(tvb(0, 1), 'plain', 1):add(tvb(1, 1), 'below')
      t:add(f.n, 3):set_hidden()
      t:add_expert_info(PI_PROTOCOL, PI_WARN, 'old style')
    end
    DissectorTable.get('udp.port'):add(9998, p)";

/// Names and labels of the items of the script in PDML.
fn labels(out: &str) -> Vec<(String, String)> {
    let attribute = |line: &str, name: &str| {
        let (_, behind) = line.split_once(&format!(" {name}=\""))?;
        Some(behind.split_once('"')?.0.to_owned())
    };
    let both = |line: &str| Some((attribute(line, "name")?, attribute(line, "showname")?));
    out.lines().filter_map(both).filter(|(name, _)| name.starts_with("labels") || name.starts_with("_ws.lua")).collect()
}

#[test]
fn labels_are_those_of_wireshark_in_the_order_of_the_script() {
    let own = Scratch::new("labels.lua", LABELS.as_bytes());
    let done = dissect(own.path(), &datagrams(9998, &[b"\x07\x02"]), &["--packets", "-T", "pdml"]);
    let expected = [
        ("labels", "Labels of items (2)"),
        ("labels.n", "Number: seven (7)"),
        ("labels.n", "Number: seven (7) more"),
        ("labels.n", "own label"),
        ("labels.hex", "Hex: 1794 (0x0702)"),
        ("labels.flag", "text"),
        ("labels.bad", "very bad"),
        ("_ws.lua.text", "plain 1"),
        ("_ws.lua.text", "below"),
        ("labels.n", "Number: Unknown (3)"),
        ("_ws.lua.proto.warning", "old style"),
    ];
    let expected: Vec<_> = expected.iter().map(|(name, label)| ((*name).to_owned(), (*label).to_owned())).collect();
    assert_eq!(labels(&done.out), expected, "{}", done.out);
    assert!(done.out.contains("Expert Info (Error/Malformed): very bad"), "{}", done.out);
    assert!(done.out.contains("Expert Info (Warning/Protocol): old style"), "{}", done.out);
    assert!(done.out.contains("showname=\"Number: Unknown (3)\" hide=\"yes\""), "{}", done.out);
}

#[test]
fn json_has_the_labels_of_scripts_and_tables_leave_hidden_items_out() {
    let own = Scratch::new("labels-json.lua", LABELS.as_bytes());
    let capture = datagrams(9998, &[b"\x07\x02"]);
    let done = dissect(own.path(), &capture, &["--json"]);
    let record: Value = serde_json::from_str(done.out.lines().nth(1).unwrap()).unwrap();
    let fields = record["fields"].as_array().unwrap();
    let labels: Vec<&str> = fields.iter().filter_map(|field| field["label"].as_str()).collect();
    assert_eq!(labels, ["Number", "Number: seven (7) more", "own label", "Hex", "text", "plain 1", "Number"]);
    assert!(fields[2]["value"] == 9 && fields[0]["text"] == "seven" && fields[6]["hidden"] == true, "{record}");
    assert!(fields[5].get("value").is_none() && fields[5]["fields"][0]["label"] == "below", "{record}");
    let table = dissect(own.path(), &capture, &["-V"]);
    assert!(table.out.contains("own label") && table.out.contains("plain 1"), "{}", table.out);
    assert_eq!(table.out.matches("Number").count(), 2, "{}", table.out);
    let columns = cells(own.path(), &capture, &["-Y", "labels.n == 3"], &["labels.n", "labels.bad"]);
    assert_eq!(columns, ["1\t7;7;9;3\t1"]);
}

#[test]
fn a_check_lists_what_a_script_registers_and_what_is_not_supported() {
    let text = "local p = Proto('mine', 'Mine')
        p.fields = {ProtoField.uint16('mine.len', 'Length')}
        p.prefs.port = Pref.uint('Port', 7777, 'its port')
        function p.dissector() end
        DissectorTable.get('tcp.port'):add('7777,7780-7782', p)
        p:register_heuristic('udp', function() return false end)
        register_postdissector(p)
        local function later() os.execute('true') end -- os.remove
        local tap = Listener.new('tcp')";
    let mine = Scratch::new("mine.lua", text.as_bytes());
    let done = run(&["lua", "check", mine.path()]);
    assert_eq!(done.code, 0, "{}", done.err);
    for line in [
        "protocol mine: Mine",
        "tcp.port 7777, 7780-7782",
        "heuristic for udp",
        "postdissector",
        "preference mine.port = 7777: Port",
        "field mine.len (uint16): Length",
        "mine.lua:8: os.execute is not given to scripts (sandbox)",
        "mine.lua:9: Listener.new is accepted and not run (no taps)",
    ] {
        assert!(done.out.contains(line), "{line}: {}", done.out);
    }
    assert!(!done.out.contains("os.remove"), "{}", done.out);
    let broken = Scratch::new("broken.lua", b"local p = Proto('x', 'X')\np.dissector = 7");
    let done = run(&["lua", "check", mine.path(), broken.path()]);
    assert_eq!(done.code, 2);
    assert!(done.out.contains("protocol mine") && done.err.contains("broken.lua:2: "), "{} {}", done.out, done.err);
}

#[test]
fn regular_expressions_are_those_of_wireshark_in_linear_time() {
    let text = r#"local p = Proto('rex', 'Rex')
        local f = ProtoField.string('rex.got', 'Got')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          local t = tree:add(p, tvb())
          local function add(...)
            local all = {...}
            for i = 1, select('#', ...) do all[i] = tostring(all[i]) end
            t:add(f, table.concat(all, ' '))
          end
          local s = 'key=10, Other = 7'
          add(GRegex.find(s, '(\\w+)=(\\d+)'))
          add(GRegex.match(s, '(\\w+) = (\\d)', 1))
          add(rex_pcre2.match(s, 'nothing'))
          local pairs_of = {}
          for k, v in GRegex.gmatch(s, '(\\w+)\\s*=\\s*(\\d+)') do pairs_of[#pairs_of + 1] = k .. v end
          add(table.unpack(pairs_of))
          add(GRegex.gsub(s, '(\\d+)', '<%1>'))
          add(GRegex.gsub(s, '\\d', function(d) return d + 1 end, 1))
          local parts = {}
          for part in GRegex.split(s, ',\\s*') do parts[#parts + 1] = part end
          add(table.unpack(parts))
          add(GRegex.count(s, 'e'))
          local r = GRegex.new('OTHER', 'i')
          add(r:find(s))
          local first, last, offsets = GRegex.new('(k)(x)?'):exec(s)
          add(first, last, table.unpack(offsets))
          add(select(2, pcall(GRegex.new, '(?=x)')))
          add(select(2, pcall(GRegex.new, '(')))
          add(GRegex.count(('a'):rep(20000) .. 'b', '(a*)*c'))
        end
        DissectorTable.get('udp.port'):add(9998, p)"#;
    let rex = Scratch::new("rex.lua", text.as_bytes());
    let rows = cells(rex.path(), &datagrams(9998, &[b"a"]), &[], &["rex.got"]);
    let got: Vec<&str> = rows[0].split('\t').nth(1).unwrap().split(';').collect();
    let expected = [
        "1 6 key 10",
        "Other 7",
        "nil",
        "key10 Other7",
        "key=<10>, Other = <7> 2 2",
        "key=20, Other = 7 1 1",
        "key=10 Other = 7",
        "2",
        "9 13",
        "1 1 1 1 false false",
    ];
    assert_eq!(got[..expected.len()], expected);
    assert!(got[10].contains("is not supported: expressions run in linear time"), "{}", got[10]);
    assert!(got[11].contains("is wrong") && got[12] == "0", "{got:?}");
}
